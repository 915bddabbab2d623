/* What the suites of custom functions (check_custom*.c) share: bodies that call one, a square
 * and a cube with rules, and messages that are compared whole.
 *
 * A square's rules differ from its derivative, so that the numbers tell which one ran: its vjp
 * rule has a hundredfold, its jvp rule a hundred and fifty fold. */
#ifndef TESTS_UNIT_CHECK_CUSTOM_H
#define TESTS_UNIT_CHECK_CUSTOM_H

#include "tests/unit/traced.h"

#include "cotrace/custom.h"

/* The function inside the body: user is the cot_custom; no attributes; its first results. */
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
apply2(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0], in[1]), NULL);
}

static inline void
sum_of(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    apply(t, in, out, user);
    out[0] = cot_reduce_sum(out[0]);
}

#define RULE(name, ...)                                                                        \
    static inline void name(cot_trace *t, const cot_custom_info *info, const cot_value *in,    \
                            cot_value *out)                                                    \
    {                                                                                          \
        (void)t, (void)info, (void)in;                                                         \
        __VA_ARGS__                                                                            \
    }

static inline void
save_in0(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
}

/* A square whose derivative is a hundredfold: what the rule says, not what the body is. */
RULE(square, out[0] = cot_mul(in[0], in[0]);)
RULE(square_vjp, out[0] = cot_mul(cot_mul(in[1], in[0]), 200);)
RULE(square_jvp, out[0] = cot_mul(cot_mul(in[2], in[0]), 300);)
RULE(ten, out[0] = cot_mul(in[0], 10);)

static inline int
negate_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    for (int i = 0; i < 3; i++)
        ((double *)out[0])[i] = -((const double *)in[0])[i];
    return 0;
}

static inline void
same_types(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

#define S64 COT_TYPES(cot_f64())
#define V64 COT_TYPES(cot_f64(3))

static const double xs[] = { 1, -2, 0.5 };

static inline void
fails(cot_fn *f, cot_types types, cot_status status, const char *want)
{
    const cot_graph *g;
    ck_assert_int_eq(cot_trace_fn(f, types, &g), status);
    const char *text = strstr(cot_error(ctx), "check_custom");
    text = text ? strchr(text, ' ') + 1 : cot_error(ctx);
    ck_assert_str_eq(text, want);
    cot_error_clear(ctx);
}

static inline void
registers_not(const cot_custom *c, const char *want)
{
    ck_assert_ptr_null(c);
    ck_assert_str_eq(strchr(strstr(cot_error(ctx), "check_custom"), ' ') + 1, want);
    cot_error_clear(ctx);
}

RULE(product, out[0] = cot_mul(in[0], in[1]);)

static inline void
mapped_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_call(cot_vmap((cot_fn *)user), in[0]));
}

/* x^3 with its derivative as a hidden result, whose derivative is 6 x. */
RULE(cube, out[0] = cot_mul(cot_mul(in[0], in[0]), in[0]);
     out[1] = cot_mul(cot_mul(in[0], in[0]), 3);)
RULE(cube_vjp,
     out[0] = cot_add(cot_mul(in[2], in[1]), cot_mul(in[3], cot_mul(in[0], 6)));)

static inline void
cube_setup(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_out(s, 1);
}

static inline cot_fn *
cube_fn(void)
{
    return fn_of(cot_custom_new(ctx, "cube", .n_out = 2, .forward = cube, .setup = cube_setup,
                                .vjp = cube_vjp, .generate_vmap = true));
}

static inline void
save_both(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_in(s, 1);
}

#endif
