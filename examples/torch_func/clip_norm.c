/* A backward that is no derivative: the identity forward, the cotangent scaled to norm 1 at
 * most backward.  The rule is that of one example, whichever of map and gradient comes first.
 * Forward mode cannot be had from it, and says so. */
#include "harness.h"

static void
same(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = in[0];
}

static void
clip(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const cot_value norm = cot_sqrt(cot_reduce_sum(cot_mul(in[0], in[0])));

    (void)t, (void)info;
    out[0] = cot_mul(in[0], cot_min(cot_div(1, norm), 1));
}

static void
clipped(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

/* sum(clip(x)^2) / 2 of one example, and of all. */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    clipped(t, in, out, user);
    out[0] = cot_div(cot_reduce_sum(cot_mul(out[0], out[0])), 2);
}

static void
mapped_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_value y = cot_call(cot_vmap((cot_fn *)user), in[0]);

    (void)t;
    out[0] = cot_div(cot_reduce_sum(cot_mul(y, y)), 2);
}

int
main(void)
{
    harness c = harness_begin("clip_norm");
    const cot_custom *rule =
        cot_custom_new(c.ctx, "clip_norm", .forward = same, .vjp = clip, .generate_vmap = true);
    cot_fn *f = cot_fn_new(c.ctx, "clip", clipped, 1, 1, (void *)rule);
    cot_fn *h = cot_fn_new(c.ctx, "loss", loss, 1, 1, (void *)rule);
    cot_fn *all = cot_fn_new(c.ctx, "mapped_loss", mapped_loss, 1, 1, f);
    cot_array *x = ARRAY(&c, cot_f64(2, 2), 3, 4, .3, .4);

    by_back_ends(&c, "vmap(grad(h))(x)", cot_vmap(cot_grad(h)), ARRAYS(x),
                 NEAR(1e-15, .6, .8, .3, .4));
    by_back_ends(&c, "grad(sum of vmap)(x)", cot_grad(all), ARRAYS(x),
                 NEAR(1e-15, .6, .8, .3, .4));
    refused(&c, "jvp(clip)", cot_jvp(f), ARRAYS(x, x), COT_ERR_RULE,
            "custom_call: clip_norm has no jvp rule, and its vjp rule is not linear in its "
            "cotangent: mul at ");
    return harness_end(&c);
}
