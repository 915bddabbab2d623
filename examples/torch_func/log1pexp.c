/* log(1 + e^x) at x = 100 in f32: the plain derivative is 0 * inf, the rule's is 1. */
#include "harness.h"

static void
plain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_log(cot_add(1, cot_exp(in[0])));
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
}

static void
vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_mul(in[1], cot_sub(1, cot_div(1, cot_add(1, cot_exp(in[0])))));
}

static void
stable(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

int
main(void)
{
    harness c = harness_begin("log1pexp");
    const cot_custom *rule = cot_custom_new(c.ctx, "log1pexp", .forward = forward,
                                            .setup = setup, .vjp = vjp, .generate_vmap = true);
    cot_fn *f = cot_fn_new(c.ctx, "log1pexp", stable, 1, 1, (void *)rule);
    cot_array *x = ARRAY(&c, cot_f32(), 100), *xs = ARRAY(&c, cot_f32(2), 100, 0);

    by_back_ends(&c, "grad(plain)(100)",
                 cot_grad(cot_fn_new(c.ctx, "plain", plain, 1, 1, NULL)), ARRAYS(x),
                 EXACT(NAN));
    by_back_ends(&c, "grad(log1pexp)(100)", cot_grad(f), ARRAYS(x), EXACT(1));
    by_back_ends(&c, "vmap(grad(log1pexp))([100, 0])", cot_vmap(cot_grad(f)), ARRAYS(xs),
                 EXACT(1, .5));
    return harness_end(&c);
}
