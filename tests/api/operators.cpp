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

static void
writes(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0], y = cot::clone(x);
    cot::value row = cot::view_index(y, 0, 0), last = cot::view_slice(row, {-1});
    row *= 2;
    last += x;                           // line 27: f32[1] takes no f32[2,3]
    out[0] = y;
}

static void
views(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0], y = cot::clone(x);
    cot::value back = cot::view_reverse(cot::view_transpose(y), {0});
    back += 1, back -= 0.5, back /= 3;
    cot::max_assign(cot::view_reshape(y, {-1}), 0);
    cot::min_assign(cot::view_diagonal(y, 0), 9);
    cot::assign(cot::view_dynamic_slice(back, {in[1], in[1]}, {1, 2}), cot::view_broadcast(in[2], {1, 2}));
    out[0] = y;
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    cot_fn *df = cot::vmap(cot::grad(cot::fn(ctx, "loss", loss, 3, 1), {0}), {cot::none, 0, 0});
    const cot_graph *g;
    const cot::types types = {cot::type(COT_F32, {3}), cot::type(COT_F32, {5, 4, 3}), cot::type(COT_F32, {5, 4})};
    bool ok = cot_trace_fn(df, types.x, &g) == COT_OK && cot_graph_out_type(g, 0).dims[0] == 5;

    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    const cot::types two = {cot::type(COT_F32, {3}), cot::type(COT_F32, {4})};
    ok = ok && cot_trace_fn(cot::fn(ctx, "wrong", wrong, 2, 1), two.x, &g) == COT_ERR_SHAPE &&
         std::strstr(cot_error(ctx), "operators.cpp:18: add: operands are f32[3] and f32[4]");
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    const cot::types one = {cot::type(COT_F32, {2, 3})};
    cot_error_clear(ctx);
    ok = ok && cot_trace_fn(cot::fn(ctx, "writes", writes, 1, 1), one.x, &g) == COT_ERR_SHAPE &&
         std::strstr(cot_error(ctx), "operators.cpp:27: add_assign: the destination is f32[1], what is written is f32[2,3]");
    cot_error_clear(ctx);
    const cot::types three = {cot::type(COT_F32, {2, 3}), cot::type(COT_I32), cot::type(COT_F32)};
    ok = ok && cot_trace_fn(cot::functionalize(cot::fn(ctx, "views", views, 3, 1)), three.x, &g) == COT_OK;
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return ok ? 0 : 1;
}
