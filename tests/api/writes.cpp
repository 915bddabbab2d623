// Writes and views: operators, every view, functionalize; the line of a mistake.
#include <cstdio>
#include <cstring>

#include "cotrace/cotrace.hpp"

static void
writes(cot_trace *, const cot_value *in, cot_value *out, void *)
{
    cot::value x = in[0], y = cot::clone(x);
    cot::value row = cot::view_at(y, 0, 0), last = cot::view_slice(row, {-1});
    row *= 2;
    last += x;                           // f32[1] takes no f32[2,3]
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
    cot::assign(cot::view_dynamic_slice(back, { in[1], in[1] }, { 1, 2 }),
                cot::view_broadcast(in[2], { 1, 2 }));
    out[0] = y;
}

int
main()
{
    cot_context *ctx = cot_context_new(nullptr);
    const cot_graph *g;
    const cot::types one = {cot::type(COT_F32, {2, 3})};
    const cot::types three = { cot::type(COT_F32, { 2, 3 }), cot::type(COT_I32),
                               cot::type(COT_F32) };
    bool ok = cot_trace_fn(cot::fn(ctx, "writes", writes, 1, 1), one.x, &g) == COT_ERR_SHAPE &&
              std::strstr(cot_error(ctx), "writes.cpp:13: add_assign: the destination is "
                                          "f32[1], what is written is f32[2,3]");

    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    cot_error_clear(ctx);
    ok = ok && cot_trace_fn(cot::functionalize(cot::fn(ctx, "views", views, 3, 1)), three.x,
                            &g) == COT_OK;
    if (!ok)
        std::fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return ok ? 0 : 1;
}
