/* Helpers of the suites that trace bodies: run one on the reference evaluator, print one as
 * text. */
#ifndef TESTS_UNIT_TRACED_H
#define TESTS_UNIT_TRACED_H

#include <math.h>

#include "cotrace/cotrace.h"
#include "ir/graph.h"
#include "tests/unit/suite.h"

typedef struct traced_text {
    char text[1 << 16];
    size_t n;
} traced_text;

static inline void
traced_write(void *user, const char *text, size_t bytes)
{
    traced_text *t = user;

    ck_assert_msg(t->n + bytes < sizeof t->text, "the text is too long for the test");
    memcpy(t->text + t->n, text, bytes);
    t->n += bytes;
    t->text[t->n] = '\0';
}

/* f, traced for the types, prints as `want`. */
static inline void
traced_prints(cot_fn *f, cot_types types, const char *want)
{
    static traced_text got;
    const cot_graph *g;

    got.n = 0;
    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(cot_fn_context(f)));
    ck_assert_int_eq(cot_dump_graph(g, traced_write, &got), COT_OK);
    ck_assert_str_eq(got.text, want);
}

/* f, traced for the types, fails with the status and the whole message. */
static inline void
traced_fails(cot_fn *f, cot_types types, cot_status status, const char *want)
{
    const cot_graph *g;
    cot_context *ctx = cot_fn_context(f);

    ck_assert_int_eq(cot_trace_fn(f, types, &g), status);
    ck_assert_ptr_null(g);
    ck_assert_str_eq(cot_error(ctx), want);
    cot_error_clear(ctx);
}

static inline double
traced_element(cot_dtype t, const void *p, int64_t i)
{
    switch (t) {
    case COT_BOOL: return ((const uint8_t *)p)[i];
    case COT_I32:  return ((const int32_t *)p)[i];
    case COT_I64:  return (double)((const int64_t *)p)[i];
    case COT_U8:   return ((const uint8_t *)p)[i];
    case COT_F32:  return (double)((const float *)p)[i];
    case COT_F64:  return ((const double *)p)[i];
    default:       ck_abort_msg("the helper does not read %s", cot_dtype_name(t));
    }
    return 0;
}

/* The only result of f at the inputs has the type and the elements, to a relative tolerance. */
static inline void
traced_gives(cot_fn *f, cot_types types, const void *const *in, cot_type type,
             const double *want, double tolerance)
{
    const cot_graph *g;
    int64_t n = cot_type_count(&type);

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(cot_fn_context(f)));
    cot_type got = cot_graph_out_type(g, 0);
    ck_assert_int_eq(cot_graph_n_out(g), 1);
    ck_assert_int_eq(got.dtype, type.dtype);
    ck_assert_int_eq(got.rank, type.rank);
    for (int k = 0; k < type.rank; k++)
        ck_assert_int_eq(cot_type_size(&got, k), cot_type_size(&type, k));
    void *out = calloc((size_t)n + 1, 8);
    ck_assert_msg(ir_eval(g, &out, in) == COT_OK, "%s", cot_error(cot_fn_context(f)));
    for (int64_t i = 0; i < n; i++) {
        double x = traced_element(type.dtype, out, i);
        bool same = x == want[i] || (isnan(x) && isnan(want[i])) ||
                    fabs(x - want[i]) <= tolerance * fmax(1, fabs(want[i]));
        ck_assert_msg(same, "%s: element %d is %.17g, wants %.17g", cot_fn_name(f), (int)i, x,
                      want[i]);
    }
    free(out);
}

/* The same for a body in a context of its own. */
static inline void
body_gives(const char *name, cot_body *body, cot_types types, const void *const *in,
           cot_type type, const double *want, double tolerance)
{
    cot_context *ctx = cot_context_new(NULL);

    traced_gives(cot_fn_new(ctx, name, body, types.n, 1, NULL), types, in, type, want,
                 tolerance);
    cot_context_free(ctx);
}

/* A body of one line: BODY(name, out[0] = cot_sin(in[0]);) */
#define BODY(name, ...)                                                                  \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)      \
    {                                                                                    \
        (void)t, (void)in, (void)user;                                                   \
        __VA_ARGS__                                                                      \
    }

#endif
