// Operators and overloads: a loss, its gradient mapped, and the line of a mistake.
#include <cstdio>
#include <cstring>

#include "cotrace/cotrace.hpp"

static void
loss(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value w = in[0], x = in[1], y = in[2];
    out[0] = cot::mean(cot::square(0.5 * (cot::dot(x, w) - y) + 1));
}

static void
wrong(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0];
    out[0] = x + cot::value(in[1]);      // line 18
}

/* Elements of `in` are structs of C; operators take them without a conversion. */
static void
direct(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    out[0] = in[0] + in[1];
    out[1] = -in[0] * 2 / in[1] - 1;
    out[2] = cot::where(in[0] < in[1], in[0], in[1]) + cot::where(1 >= in[0], 1.5, in[1]);
    out[3] = cot::where(in[0] <= in[1], 2 - in[0], cot::where(in[1] > 0, in[0], in[1]));
}

static void
halved(cot_trace *, const cot_custom_info *, const cot_value *in, cot_value *out)
{
    out[0] = cot::value(in[0]) * 0.5;
}

static void
custom(cot_trace *, const cot_value *in, cot_value *out, void *user)
{
    out[0] = cot::custom_call(static_cast<const cot_custom *>(user), {in[0]});
}

static bool
has_custom(cot_context *ctx)
{
    cot_custom_options o = {};
    const cot_graph *g;
    o.forward = o.vjp = halved;
    o.generate_vmap = true;
    const void *half = cot::custom_new(ctx, "half", o);
    const cot::types three = {cot::type(COT_F32, {3})};
    cot_fn *f = cot::fn(ctx, "custom", custom, 1, 1, const_cast<void *>(half));
    return cot_trace_fn(cot::vmap(cot::grad(f)), three.x, &g) == COT_OK;
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    cot_fn *df = cot::vmap(cot::grad(cot::fn(ctx, "loss", loss, 3, 1), {0}), {cot::none, 0, 0});
    const cot_graph *g;
    const cot::types types = { cot::type(COT_F32, { 3 }), cot::type(COT_F32, { 5, 4, 3 }),
                               cot::type(COT_F32, { 5, 4 }) };
    bool ok = cot_trace_fn(df, types.x, &g) == COT_OK && cot_graph_out_type(g, 0).dims[0] == 5;

    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    const cot::types two = {cot::type(COT_F32, {3}), cot::type(COT_F32, {4})};
    ok = ok && cot_trace_fn(cot::fn(ctx, "wrong", wrong, 2, 1), two.x, &g) == COT_ERR_SHAPE &&
         std::strstr(cot_error(ctx), "operators.cpp:18: add: operands are f32[3] and f32[4]");
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    cot_error_clear(ctx);
    const cot::types same = {cot::type(COT_F32, {3}), cot::type(COT_F32, {3})};
    ok = ok && cot_trace_fn(cot::fn(ctx, "direct", direct, 2, 4), same.x, &g) == COT_OK;
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    ok = ok && has_custom(ctx);
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return ok ? 0 : 1;
}
