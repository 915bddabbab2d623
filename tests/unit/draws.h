/* For suites of random numbers: a function's one result by the JIT, and by the evaluator. */
#ifndef TESTS_UNIT_DRAWS_H
#define TESTS_UNIT_DRAWS_H

#include "tests/unit/traced.h"

static inline cot_fn *
fn(cot_body *body, int n_in, int n_out)
{
    return cot_fn_new(ctx, "f", body, n_in, n_out, NULL);
}

/* The one result of f on arguments of type f32 or f64, copied to out. */
static inline void
call(cot_fn *f, int n, cot_array **args, void *out, size_t bytes)
{
    cot_array *y = NULL;

    if (cot_jit(f, &y, 1, (const cot_array *const *)args, n) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    ck_assert_uint_eq(cot_array_bytes(y), bytes);
    memcpy(out, cot_array_data(y), bytes);
    cot_array_free(y);
}

static inline void
same_on_eval(cot_fn *f, int n, cot_array **args, const void *want, size_t bytes)
{
    cot_type types[4];
    cot_kernel *k;
    cot_array *y;
    const cot_graph *g;

    for (int i = 0; i < n; i++)
        types[i] = cot_array_type(args[i]);
    ck_assert_int_eq(cot_compile(f, (cot_types){ .n = n, .at = types },
                                 &(cot_compile_options){ .backend = "eval" }, &k),
                     COT_OK);
    g = cot_kernel_graph(k);
    y = cot_array_new(ctx, cot_graph_out_type(g, 0));
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *const *)args), COT_OK);
    ck_assert_mem_eq(cot_array_data(y), want, bytes);
    cot_array_free(y);
    cot_kernel_free(k);
}

static inline cot_array *
f32s(int64_t n, const float *x)
{
    return cot_array_copy(ctx, cot_f32(n), x);
}

static const float three_ones[3] = { 1, 1, 1 };

/* body mapped over three ones, in chunks if chunk is not 0. */
static inline void
mapped(cot_body *body, cot_randomness mode, int64_t chunk, float out[3])
{
    cot_array *x = f32s(3, three_ones);
    cot_fn *f = chunk ? cot_vmap(fn(body, 1, 1), .randomness = mode, .chunk = chunk)
                      : cot_vmap(fn(body, 1, 1), .randomness = mode);

    call(f, 1, &x, out, 3 * sizeof *out);
    cot_array_free(x);
}

static inline bool
distinct(const float *x, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (x[i] == x[j])
                return false;
    return true;
}

#endif
