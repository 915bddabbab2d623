/* For suites of public functions: a body at given arguments against known values, on the
 * evaluator; the mapped body against a loop; where the function is smooth its derivatives
 * against differences. */
#ifndef TESTS_UNIT_VALUED_H
#define TESTS_UNIT_VALUED_H

#include "tests/unit/traced.h"

#include "runtime/check.h"

enum { VALUED_IN = 4 };

/* An argument without elements, in[k] NULL, is 2 sin(1.3 k + 0.7 (i + 1)) of type f64. */
typedef struct valued {
    const char *name;
    cot_body *body;
    int n_in;
    cot_type in_type[VALUED_IN];
    const double *in[VALUED_IN];
    cot_type type;
    const double *want;
    double tolerance;
    bool smooth;
} valued;

#define AT(...) ((const double[]){ __VA_ARGS__ })

static inline void
valued_wants(const char *name, const char *what, cot_status s, const rt_verdict *v)
{
    ck_assert_msg(s == COT_OK && v->good, "%s: %s: %s", name, what,
                  s == COT_OK ? v->why.text : "cannot be judged");
}

static inline double *
valued_wave(int k, int64_t n)
{
    double *x = malloc((size_t)(n + 1) * sizeof *x);

    ck_assert_ptr_nonnull(x);
    for (int64_t i = 0; i < n; i++)
        x[i] = 2 * sin(1.3 * k + 0.7 * (double)(i + 1));
    return x;
}

/* The only result of f has the type and the elements, to a relative tolerance: as traced_gives,
 * of graphs with complex numbers and factorisations inside too. */
static inline void
valued_gives(cot_fn *f, cot_types types, const void *const *in, cot_type type,
             const double *want, double tolerance)
{
    const cot_compile_options eval = { .backend = "eval" };
    const cot_graph *g;
    void **out;

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(cot_fn_context(f)));
    const cot_type got = cot_graph_out_type(g, 0);
    ck_assert_int_eq(got.dtype, type.dtype);
    ck_assert_int_eq(got.rank, type.rank);
    for (int k = 0; k < type.rank; k++)
        ck_assert_int_eq(cot_type_size(&got, k), cot_type_size(&type, k));
    ck_assert_msg(rt_run_graph(g, &eval, (void *const *)(uintptr_t)in, &out) == COT_OK, "%s",
                  cot_error(cot_fn_context(f)));
    for (int64_t i = 0; i < cot_type_count(&type); i++) {
        const double x = traced_element(type.dtype, out[0], i);
        const bool same = x == want[i] || (isnan(x) && isnan(want[i])) ||
                          fabs(x - want[i]) <= tolerance * fmax(1, fabs(want[i]));
        ck_assert_msg(same, "%s: element %d is %.17g, wants %.17g", cot_fn_name(f), (int)i, x,
                      want[i]);
    }
}

static inline void
run_valued(const valued *c)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_types types = cot_types_of(c->n_in, c->in_type);
    cot_fn *f = cot_fn_new(ctx, c->name, c->body, c->n_in, 1, NULL);
    double *made[VALUED_IN] = { NULL };
    void *in[VALUED_IN];
    const cot_graph *g;
    rt_verdict v;

    for (int k = 0; k < c->n_in; k++) {
        made[k] = c->in[k] ? NULL : valued_wave(k, cot_type_count(&c->in_type[k]));
        in[k] = c->in[k] ? (void *)(uintptr_t)c->in[k] : made[k];
    }
    valued_gives(f, types, (const void *const *)in, c->type, c->want, c->tolerance);
    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    valued_wants(c->name, "vmap", rt_check_vmap(g, 3, &v), &v);
    if (c->smooth)
        valued_wants(c->name, "derivatives", rt_check_derivatives(g, in, &v), &v);
    for (int k = 0; k < c->n_in; k++)
        free(made[k]);
    cot_context_free(ctx);
}

/* f's gradient by its first argument, f64[n], is `want`. */
static inline void
valued_slope(const char *name, cot_body *body, const double *x, int n, const double *want)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, name, body, 1, 1, NULL);

    valued_gives(cot_grad(f), COT_TYPES(cot_f64(n)), (const void *const[]){ x }, cot_f64(n),
                 want, 1e-14);
    cot_context_free(ctx);
}

/* A body at arguments of two types fails with a message that contains `want` and the file. */
typedef struct mistake {
    const char *name;
    cot_body *body;
    const char *want;
} mistake;

static inline void
valued_mistake(const mistake *m, const char *file, cot_type x, cot_type y)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, m->name, m->body, 2, 1, NULL);
    const cot_graph *g;

    ck_assert_msg(cot_trace_fn(f, COT_TYPES(x, y), &g) != COT_OK, "%s: no error", m->name);
    ck_assert_msg(strstr(cot_error(ctx), m->want) && strstr(cot_error(ctx), file), "%s: %s",
                  m->name, cot_error(ctx));
    cot_context_free(ctx);
}

#endif
