/* Rounding that gradients pass through: the loss sum((round(x) - target)^2) learns, where the
 * true derivative of round is zero. */
#include "harness.h"

static void
forward(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_round_even(in[0]);
}

static void
pass_on(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = in[0];
}

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value y =
        user ? cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL)
             : cot_round_even(in[0]);
    const cot_value miss = cot_sub(y, in[1]);

    (void)t;
    out[0] = cot_reduce_sum(cot_mul(miss, miss));
}

int
main(void)
{
    harness c = harness_begin("straight_through");
    const cot_custom *rule = cot_custom_new(c.ctx, "round_through", .forward = forward,
                                            .vjp = pass_on, .generate_vmap = true);
    cot_fn *f = cot_fn_new(c.ctx, "loss", loss, 2, 1, (void *)rule);
    cot_array *x = ARRAY(&c, cot_f32(3), 0.25, 1.75, -2.5),
              *target = ARRAY(&c, cot_f32(3), 1, 1, 1);
    cot_array *dx = ARRAY(&c, cot_f32(3), 1, 0, 1), *no = ARRAY(&c, cot_f32(3), 0, 0, 0);

    by_back_ends(&c, "grad(plain)(x)", cot_grad(cot_fn_new(c.ctx, "plain", loss, 2, 1, NULL)),
                 ARRAYS(x, target), EXACT(0, 0, 0));
    by_back_ends(&c, "grad(loss)(x)", cot_grad(f), ARRAYS(x, target), EXACT(-2, 2, -6));
    by_back_ends(&c, "jvp(loss)(x, dx)", cot_jvp(f), ARRAYS(x, target, dx, no), EXACT(11, -8));
    by_back_ends(&c, "hessian(loss)(x)", cot_hessian(f), ARRAYS(x, target),
                 EXACT(2, 0, 0, 0, 2, 0, 0, 0, 2));
    return harness_end(&c);
}
