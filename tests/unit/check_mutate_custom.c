/* The row of the feature list about custom functions beside in-place writes: rules that write,
 * and C code between writes to views. */
#include "tests/unit/mutated.h"

#include "cotrace/custom.h"

/* A custom function whose forward and vjp rule write, and one of C code, between writes to
 * views. */
#define RULE(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_custom_info *info, const cot_value *in,           \
                     cot_value *out)                                                           \
    {                                                                                          \
        (void)t, (void)info;                                                                   \
        __VA_ARGS__                                                                            \
    }
RULE(cube, {
    out[0] = cot_clone(in[0]);
    cot_mul_assign(out[0], in[0]);
    cot_mul_assign(out[0], in[0]);
})
RULE(cube_vjp, {
    cot_value dx = cot_zeros(t, cot_f64(2));
    for (int i = 0; i < 2; i++) {
        cot_value x = cot_view_at(in[0], i, 0), d = cot_view_at(dx, i, 0);
        cot_add_assign(d, cot_mul(cot_mul(x, x), 3));
        cot_mul_assign(d, cot_view_at(in[1], i, 0));
    }
    out[0] = dx;
})
static int
negate_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    for (int i = 0; i < 2; i++)
        ((double *)out[0])[i] = -((const double *)in[0])[i];
    return 0;
}
RULE(negate, out[0] = cot_mul(in[1], -1);)
static void
same_type(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}
static void
save_input(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
}
/* Row 0 becomes -x^3; the view is read before it is written and after. */
BODY(around_custom, {
    const cot_custom *const *c = user;
    cot_value y = cot_clone(in[0]), row = cot_view_at(y, 0, 0);
    cot_assign(row, cot_custom_call(c[0], COT_LIST(), COT_VALUES(row), NULL));
    if (c[1])
        cot_assign(row, cot_custom_call(c[1], COT_LIST(), COT_VALUES(row), NULL));
    out[0] = cot_reduce_sum(y, .axes = COT_LIST(0, 1));
})
/* sign: of the derivatives in row 0, by what c computes. */
static void
around_custom_gives(cot_fn *f, double sign,
                    void (*gives_it)(cot_fn *f, int n, const data *in, const double *want))
{
    const data x = filled(cot_f64(2, 2), 1, 1), xs = filled(cot_f64(2, 2, 2), 1, 1);
    const double one[] = { 3 * sign, 12 * sign, 1, 1 },
                 many[] = { 3 * sign, 12 * sign, 1, 1, 75 * sign, 108 * sign, 1, 1 };

    for (int i = 0; i < 2; i++) {
        cot_fn *pure_f = cot_functionalize(f, .remove = (cot_remove)i);
        const char *text = printed(pure_f, COT_TYPES(cot_f64(2, 2)));

        ck_assert_msg(!strstr(text, "assign") && !strstr(text, "clone"), "%s", text);
        ck_assert_msg(strstr(text, "cube"), "%s", text);
        gives_it(pure_f, 1, &x, (double[]){ sign * 9 + 3 + 4 });
        gives_it(cot_grad(pure_f), 1, &x, one);
        gives_it(cot_functionalize(cot_grad(f)), 1, &x, one);
        gives_it(cot_vmap(cot_grad(pure_f)), 1, &xs, many);
        gives_it(cot_functionalize(cot_vmap(cot_grad(f))), 1, &xs, many);
    }
}

START_TEST(b72)
{
    const cot_custom *c[2] = {
        cot_custom_new(ctx, "cube", .forward = cube, .setup = save_input, .vjp = cube_vjp,
                       .generate_vmap = true),
        cot_custom_new(ctx, "negate", .run = negate_run, .types = same_type,
                       .setup = save_input, .vjp = negate, .sequential = true),
    };
    const cot_custom *traced[2] = { c[0], NULL };

    around_custom_gives(cot_fn_new(ctx, "f", around_custom, 1, 1, traced), 1, both);
    around_custom_gives(cot_fn_new(ctx, "g", around_custom, 1, 1, c), -1, evaluator_gives);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "B72", b72, 1 },
    };

    return SUITE("mutate_custom", cases);
}
