/* A function of cotrace/numpy.h against values of NumPy 2.4, on the evaluator; mapped against a
 * loop, and where it is smooth its derivatives against differences. */
#ifndef TESTS_UNIT_NUMPY_CASE_H
#define TESTS_UNIT_NUMPY_CASE_H

#include "tests/unit/traced.h"

#include "runtime/check.h"

typedef struct numpy_case {
    const char *name;
    cot_body *body;
    int n_in;
    cot_type in_type[4];
    const double *in[4];
    cot_type type;
    const double *want;
    double tolerance;
    bool smooth;
} numpy_case;

#define AT(...) ((const double[]){ __VA_ARGS__ })

static inline void
wants(const char *name, const char *what, cot_status s, const rt_verdict *v)
{
    ck_assert_msg(s == COT_OK && v->good, "%s: %s: %s", name, what,
                  s == COT_OK ? v->why.text : "cannot be judged");
}

static inline void
run_case(const numpy_case *c)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_types types = cot_types_of(c->n_in, c->in_type);
    cot_fn *f = cot_fn_new(ctx, c->name, c->body, c->n_in, 1, NULL);
    const cot_graph *g;
    rt_verdict v;

    traced_gives(f, types, (const void *const *)c->in, c->type, c->want, c->tolerance);
    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    wants(c->name, "vmap", rt_check_vmap(g, 3, &v), &v);
    if (c->smooth)
        wants(c->name, "derivatives",
              rt_check_derivatives(g, (void *const *)(uintptr_t)c->in, &v), &v);
    cot_context_free(ctx);
}

#endif
