/* The length of a vector at zero, where it has no derivative: the rule answers 0, the plain
 * derivative 0 / 0. */
#include "harness.h"

static void
plain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_sqrt(cot_reduce_sum(cot_mul(in[0], in[0])));
}

static void
forward(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)info;
    plain(t, in, out, NULL);
}

static void
setup(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_out(s, 0);
}

/* ct x / |x|; the divisor is made 1 where it is 0, so that nothing divides by 0. */
static void
vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const cot_value zero = cot_eq(in[1], 0);

    (void)t, (void)info;
    out[0] = cot_mul(in[0], cot_div(in[2], cot_where(zero, 1, in[1])));
}

static void
norm(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

int
main(void)
{
    harness c = harness_begin("norm_at_zero");
    const cot_custom *rule = cot_custom_new(c.ctx, "norm", .forward = forward, .setup = setup,
                                            .vjp = vjp, .generate_vmap = true);
    cot_fn *f = cot_fn_new(c.ctx, "norm", norm, 1, 1, (void *)rule);
    cot_array *zero = ARRAY(&c, cot_f64(2), 0, 0), *xs = ARRAY(&c, cot_f64(2, 2), 3, 4, 0, 0);

    by_back_ends(&c, "grad(plain)(0)", cot_grad(cot_fn_new(c.ctx, "plain", plain, 1, 1, NULL)),
                 ARRAYS(zero), EXACT(NAN, NAN));
    by_back_ends(&c, "grad(norm)(0)", cot_grad(f), ARRAYS(zero), EXACT(0, 0));
    by_back_ends(&c, "vmap(grad(norm))", cot_vmap(cot_grad(f)), ARRAYS(xs),
                 NEAR(1e-15, .6, .8, 0, 0));
    return harness_end(&c);
}
