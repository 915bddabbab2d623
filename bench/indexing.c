/* Gather, scatter, and what is made of them; order beyond plain sorting; products of narrow
 * types (see workloads.h). */
#include "bench/workloads.h"

#define BODY(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)            \
    {                                                                                          \
        (void)t, (void)user;                                                                   \
        __VA_ARGS__;                                                                           \
    }
#define PLAIN(name, n_in, n_out)                                                               \
    static cot_fn *make_##name(cot_context *ctx)                                               \
    {                                                                                          \
        return cot_fn_new(ctx, #name, name, n_in, n_out, NULL);                                \
    }
#define ARGS(name, ...)                                                                        \
    static void args_##name(workload_arg *a)                                                   \
    {                                                                                          \
        const workload_arg from[] = { __VA_ARGS__ };                                           \
        for (unsigned i = 0; i < sizeof from / sizeof *from; i++)                              \
            a[i] = from[i];                                                                    \
    }
#define NORMAL(t)   { t, 0, 1, 1 }
#define BELOW(t, n) { t, 0, n, 0 }
#define SMALL(t)    { t, -100, 100, 0 }

/* Rows and elements by their numbers. */

BODY(take_rows, out[0] = cot_take(in[0], in[1], 0))
BODY(add_rows, out[0] = cot_index_add(in[0], COT_AT(in[1]), in[2]))
BODY(along, out[0] = cot_take_along(in[0], in[1], 1))
BODY(segments_1e4, out[0] = cot_segment_sum(in[0], in[1], 10000))
BODY(segments_1e3, out[0] = cot_segment_sum(in[0], in[1], 1000))
BODY(rows_with, out[0] = cot_reduce_sum(cot_mul(cot_take(in[0], in[1], 0), in[2])))
PLAIN(take_rows, 2, 1)
PLAIN(add_rows, 3, 1)
PLAIN(along, 2, 1)
PLAIN(segments_1e4, 2, 1)
PLAIN(segments_1e3, 2, 1)

static cot_fn *
make_take_rows_grad(cot_context *ctx)
{
    return cot_grad(cot_fn_new(ctx, "rows_with", rows_with, 3, 1, NULL), .wrt = COT_LIST(0));
}

ARGS(rows, NORMAL(cot_f32(50000, 64)), BELOW(cot_i32(32768), 50000), NORMAL(cot_f32(32768, 64)))
ARGS(rows_small, NORMAL(cot_f32(1000, 16)), BELOW(cot_i32(1000), 1000),
     NORMAL(cot_f32(1000, 16)))
ARGS(elements, NORMAL(cot_f32(1000000)), BELOW(cot_i32(1000000), 1000000),
     NORMAL(cot_f32(1000000)))
ARGS(elements_small, NORMAL(cot_f32(10000)), BELOW(cot_i32(10000), 10000),
     NORMAL(cot_f32(10000)))
ARGS(along, NORMAL(cot_f32(1000, 1000)), BELOW(cot_i32(1000, 1000), 1000))
ARGS(segments_1e4, NORMAL(cot_f32(1000000)), BELOW(cot_i32(1000000), 10000))
ARGS(segments_1e3, NORMAL(cot_f32(100000, 16)), BELOW(cot_i32(100000), 1000))

BODY(pairs, cot_sort_many(COT_VALUES(in[0], in[1]), 0, out))
BODY(places, out[0] = cot_argsort(in[0], -1))
BODY(top_1000, out[0] = cot_top_k(in[0], 1000, &out[1]))
BODY(cumprod, out[0] = cot_cumprod(in[0], -1))
BODY(cummax, out[0] = cot_cummax(in[0], -1))
BODY(cumsum_columns, out[0] = cot_cumsum(in[0], 0))
BODY(cumlogsumexp, out[0] = cot_cumlogsumexp(in[0], -1))
PLAIN(pairs, 2, 2)
PLAIN(places, 1, 1)
PLAIN(top_1000, 1, 2)
PLAIN(cumprod, 1, 1)
PLAIN(cummax, 1, 1)
PLAIN(cumsum_columns, 1, 1)
PLAIN(cumlogsumexp, 1, 1)
ARGS(pairs, NORMAL(cot_f32(1000000)), BELOW(cot_i32(1000000), 1000000))

BODY(wide, out[0] = cot_matmul(cot_convert(in[0], COT_I32), cot_convert(in[1], COT_I32)))
BODY(wide_rows,
     out[0] = cot_dot_general(cot_convert(in[0], COT_I32), cot_convert(in[1], COT_I32),
                              .lhs = COT_LIST(1), .rhs = COT_LIST(1)))
BODY(halves, out[0] = cot_matmul(in[0], in[1]))
PLAIN(wide, 2, 1)
PLAIN(wide_rows, 2, 1)
PLAIN(halves, 2, 1)
ARGS(i8_1024, SMALL(cot_i8(1024, 1024)), SMALL(cot_i8(1024, 1024)))
ARGS(u8_1024, BELOW(cot_u8(1024, 1024), 255), SMALL(cot_i8(1024, 1024)))
ARGS(i16_1024, SMALL(cot_i16(1024, 1024)), SMALL(cot_i16(1024, 1024)))
ARGS(i8_256, SMALL(cot_i8(256, 256)), SMALL(cot_i8(256, 256)))
ARGS(f16_1024, NORMAL(cot_f16(1024, 1024)), NORMAL(cot_f16(1024, 1024)))
ARGS(bf16_1024, NORMAL(cot_bf16(1024, 1024)), NORMAL(cot_bf16(1024, 1024)))

#define CUBE(n) (2.0 * (n) * (n) * (n))
static const workload rows[] = {
    { "gather_rows_32768x64", make_take_rows, args_rows, 2, NULL, 16.9e6, 0, 0 },
    { "gather_rows_1000x16", make_take_rows, args_rows_small, 2, NULL, 132e3, 0, 0 },
    { "gather_1e6", make_take_rows, args_elements, 2, NULL, 12e6, 0, 0 },
    { "gather_1e4", make_take_rows, args_elements_small, 2, NULL, 12e4, 0, 0 },
    { "gather_grad_32768x64", make_take_rows_grad, args_rows, 3, NULL, 38e6, 0, 0 },
    { "gather_grad_1000x16", make_take_rows_grad, args_rows_small, 3, NULL, 196e3, 0, 0 },
    { "scatter_rows_32768x64", make_add_rows, args_rows, 3, NULL, 51e6, 2e6, 0 },
    { "scatter_rows_1000x16", make_add_rows, args_rows_small, 3, NULL, 260e3, 16e3, 0 },
    { "scatter_add_1e6", make_add_rows, args_elements, 3, NULL, 16e6, 1e6, 0 },
    { "scatter_add_1e4", make_add_rows, args_elements_small, 3, NULL, 16e4, 1e4, 0 },
    { "take_along_1000x1000", make_along, args_along, 2, NULL, 12e6, 0, 0 },
    { "segment_sum_1e6", make_segments_1e4, args_segments_1e4, 2, NULL, 8e6, 1e6, 0 },
    { "segment_sum_1e5x16", make_segments_1e3, args_segments_1e3, 2, NULL, 6.8e6, 1.6e6, 0 },
    { "sort_pairs_1e6", make_pairs, args_pairs, 2, NULL, 16e6, 0, 0 },
    { "argsort_1e6", make_places, args_elements, 1, NULL, 8e6, 0, 0 },
    { "argsort_1e4", make_places, args_elements_small, 1, NULL, 8e4, 0, 0 },
    { "top_1000_1e6", make_top_1000, args_elements, 1, NULL, 4e6, 0, 0 },
    { "cumprod_1000x1000", make_cumprod, args_along, 1, NULL, 8e6, 1e6, 0 },
    { "cummax_1000x1000", make_cummax, args_along, 1, NULL, 8e6, 1e6, 0 },
    { "cumsum_columns_1000", make_cumsum_columns, args_along, 1, NULL, 8e6, 1e6, 0 },
    { "cumlogsumexp_1000", make_cumlogsumexp, args_along, 1, NULL, 8e6, 1e6, 0 },
    { "dot_i8_1024", make_wide, args_i8_1024, 2, NULL, 6.3e6, CUBE(1024), 0 },
    { "dot_i8_1024_rows", make_wide_rows, args_i8_1024, 2, NULL, 6.3e6, CUBE(1024), 0 },
    { "dot_i8_256", make_wide, args_i8_256, 2, NULL, 393e3, CUBE(256), 0 },
    { "dot_u8_i8_1024", make_wide, args_u8_1024, 2, NULL, 6.3e6, CUBE(1024), 0 },
    { "dot_i16_1024", make_wide, args_i16_1024, 2, NULL, 8.4e6, CUBE(1024), 0 },
    { "dot_f16_1024", make_halves, args_f16_1024, 2, NULL, 6.3e6, CUBE(1024), 0 },
    { "dot_bf16_1024", make_halves, args_bf16_1024, 2, NULL, 6.3e6, CUBE(1024), 0 },
};
const workload_list indexing_workloads = { rows, sizeof rows / sizeof *rows, "indexing",
                                           "C by hand" };
