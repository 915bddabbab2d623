/* For suites of in-place writes: a function's results by the kernel and by the reference
 * evaluator. */
#ifndef TESTS_UNIT_MUTATED_H
#define TESTS_UNIT_MUTATED_H

#include "tests/unit/traced.h"

#include "ir/array.h"
#include "passes/pass.h"

#define AT(line) ((cot_place){ "m.c", line })
#define VALUE(v) cot_operand_value(v)
#define MAX_ELEMENTS 64

typedef struct data {
    cot_type type;
    double x[MAX_ELEMENTS];
} data;

static inline cot_array *
array_of(cot_context *ctx, const data *d)
{
    cot_array *a = cot_array_new(ctx, d->type);
    double *p = cot_array_data(a);

    for (int64_t i = 0; i < cot_type_count(&d->type); i++)
        p[i] = d->x[i];
    return a;
}

static inline void
same(const char *what, const cot_array *a, const double *want)
{
    const double *p = cot_array_data((cot_array *)a);

    for (int64_t i = 0; i < cot_type_count(&a->type); i++)
        ck_assert_msg(p[i] == want[i], "%s: element %d is %g, wants %g", what, (int)i, p[i],
                      want[i]);
}

/* f by the kernel: result 0 and, if inout is not NULL, argument 0 after the call. */
static inline void
gives(cot_fn *f, int n, const data *in, const double *want, const double *inout)
{
    cot_context *ctx = cot_fn_context(f);
    cot_array *arg[4], *y[4] = { NULL };
    int n_out = 1;
    const cot_graph *g;
    cot_type type[4];

    for (int i = 0; i < n; i++) {
        arg[i] = array_of(ctx, &in[i]);
        type[i] = in[i].type;
    }
    ck_assert_msg(cot_trace_fn(f, (cot_types){ .n = n, .at = type }, &g) == COT_OK, "%s",
                  cot_error(ctx));
    n_out = g->n_out - g->n_inout;
    ck_assert_msg(cot_jit(f, y, n_out, (const cot_array *const *)arg, n) == COT_OK, "%s",
                  cot_error(ctx));
    if (want)
        same("result 0", y[0], want);
    if (inout)
        same("argument 0", arg[0], inout);
    for (int i = 0; i < n; i++)
        cot_array_free(arg[i]);
    for (int i = 0; i < n_out; i++)
        cot_array_free(y[i]);
}

/* The same by the reference evaluator: the writes as they stand, then the functionalized
 * graph. */
static inline void
evaluator_gives(cot_fn *f, int n, const data *in, const double *want)
{
    const cot_graph *g, *each[2];
    ir_graph *pure;
    cot_type type[4];
    const void *arg[4];
    void *out[4];
    static double y[4][MAX_ELEMENTS];

    for (int i = 0; i < n; i++) {
        type[i] = in[i].type;
        arg[i] = in[i].x;
    }
    ck_assert_msg(cot_trace_fn(f, (cot_types){ .n = n, .at = type }, &g) == COT_OK, "%s",
                  cot_error(cot_fn_context(f)));
    ck_assert_int_eq(pass_functionalize(g, true, &pure), COT_OK);
    each[0] = g, each[1] = pure;
    for (int i = 0; i < g->n_out; i++)
        out[i] = y[i];
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(ir_eval(each[k], out, arg), COT_OK);
        for (int64_t i = 0; i < ir_type_at(g, g->out[0])->size; i++)
            ck_assert_msg(y[0][i] == want[i], "evaluator, %s: element %d is %g, wants %g",
                          k ? "functionalized" : "as it stands", (int)i, y[0][i], want[i]);
    }
}

static inline void
both(cot_fn *f, int n, const data *in, const double *want)
{
    gives(f, n, in, want, NULL);
    evaluator_gives(f, n, in, want);
}

static inline const char *
text_of(const cot_graph *g)
{
    ir_buf t;

    ir_buf_init(&t, g->arena);
    ir_print(&t, g, 0);
    return t.text;
}

static inline const char *
printed(cot_fn *f, cot_types types)
{
    const cot_graph *g;

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(cot_fn_context(f)));
    return text_of(g);
}

static inline cot_fn *
new_fn(cot_context *ctx, cot_body *body, int n_in)
{
    return cot_fn_new_((cot_place){ "main.c", 7 }, ctx, "f", body, n_in, 1, NULL);
}

static inline data
filled(cot_type type, double from, double step)
{
    data d = { .type = type };

    for (int64_t i = 0; i < cot_type_count(&type); i++)
        d.x[i] = from + step * (double)i;
    return d;
}

#endif
