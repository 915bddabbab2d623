/* What the suites about custom functions share: a context with foreign sort and take, and
 * checks. */
#ifndef TESTS_UNIT_CUSTOMS_H
#define TESTS_UNIT_CUSTOMS_H

#include "tests/unit/traced.h"

#include "examples/torch_func/numpy_sort.h"

static numpy np;

static inline void
begin(void)
{
    suite_begin();
    numpy_register(ctx, &np);
}

#define RULE(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_custom_info *info, const cot_value *in,           \
                     cot_value *out)                                                           \
    {                                                                                          \
        (void)t, (void)info, (void)in;                                                         \
        __VA_ARGS__                                                                            \
    }
#define FN(body) cot_fn_new(ctx, #body, body, 1, 1, NULL)

#define S64 COT_TYPES(cot_f64())
#define V64 COT_TYPES(cot_f64(3))
#define M64 COT_TYPES(cot_f64(2, 3))

static const double s[] = { 3, 1, 2, -1, 5, 0 }, xs[] = { 1, -2, 0.5 };

static inline const char *
printed(cot_fn *f, cot_types types)
{
    static traced_text text;
    const cot_graph *g;
    text.n = 0;
    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(cot_dump_graph(g, traced_write, &text), COT_OK);
    return text.text;
}

/* A function of one value that is the custom function `user`. */
static inline void
apply(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

static inline cot_fn *
fn_of(const cot_custom *c)
{
    return cot_fn_new(ctx, "f", apply, 1, 1, (void *)c);
}

static inline void
same_type(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static inline void
save_x(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(k, 0);
}

#endif
