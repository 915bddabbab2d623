/* Suites that compare figures on the evaluator and the JIT: a context, a function, its
 * results. */
#ifndef TESTS_UNIT_BOTH_H
#define TESTS_UNIT_BOTH_H

#include "passes/pass.h"
#include "traced.h"

#define F64(...) ((const double[]){ __VA_ARGS__ })
#define I64(...) ((const int64_t[]){ __VA_ARGS__ })
#define IN(...)  ((const void *const[]){ __VA_ARGS__ })

static inline cot_fn *
fn(const char *name, cot_body *body, int n_in, int n_out)
{
    return cot_fn_new(ctx, name, body, n_in, n_out, NULL);
}

enum { MAX_ARRAYS = 8, ROOM = 4096 };

/* Results of f as doubles, one after the other; by the evaluator, and the same bits by the
 * JIT. */
static inline int64_t
results(cot_fn *f, cot_types types, const void *const *in, double *got)
{
    static double room[MAX_ARRAYS][ROOM], again[MAX_ARRAYS][ROOM];
    void *out[MAX_ARRAYS];
    const cot_graph *g;
    ir_graph *ready;
    cot_array *x[MAX_ARRAYS], *y[MAX_ARRAYS];
    int64_t n = 0;

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    for (int j = 0; j < g->n_out; j++)
        out[j] = room[j];
    /* What kernels are made of, so that products and sums are contracted alike. */
    ck_assert_msg(pass_prepare(g, &ready) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(ir_eval(ready, out, in) == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < types.n; i++)
        x[i] = cot_array_borrow(ctx, types.at[i], (void *)in[i]);
    for (int j = 0; j < g->n_out; j++)
        y[j] = cot_array_borrow(ctx, cot_graph_out_type(g, j), again[j]);
    ck_assert_msg(cot_jit(f, y, g->n_out, (const cot_array *const *)x, types.n) == COT_OK, "%s",
                  cot_error(ctx));
    for (int j = 0; j < g->n_out; j++) {
        const ir_type *t = ir_type_at(g, g->out[j]);
        const cot_dtype part = ir_part_type(t->dtype); /* complex results as pairs */
        for (int64_t e = 0; e < (ir_is_complex(t->dtype) ? 2 : 1) * t->size; e++) {
            got[n++] = traced_element(part, room[j], e);
            double b = traced_element(part, again[j], e), a = got[n - 1];
            ck_assert_msg(a == b || (isnan(a) && isnan(b)),
                          "%s: result %d: %.17g by the evaluator, %.17g by the JIT",
                          cot_fn_name(f), j, a, b);
        }
        cot_array_free(y[j]);
    }
    for (int i = 0; i < types.n; i++)
        cot_array_free(x[i]);
    return n;
}

static inline void
gives(cot_fn *f, cot_types types, const void *const *in, int n, const double *want)
{
    static double got[ROOM];

    ck_assert_int_eq(results(f, types, in, got), n);
    for (int i = 0; i < n; i++)
        ck_assert_msg(
            got[i] == want[i] || fabs(got[i] - want[i]) <= 1e-13 * fmax(1, fabs(want[i])) ||
                (isnan(got[i]) && isnan(want[i])),
            "%s: element %d is %.17g, wants %.17g", cot_fn_name(f), i, got[i], want[i]);
}
#define GIVES(f, types, in, ...)                                                               \
    gives(f, types, in, (int)(sizeof F64(__VA_ARGS__) / 8), F64(__VA_ARGS__))

#endif
