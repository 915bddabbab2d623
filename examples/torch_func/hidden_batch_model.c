/* A model of one example, mapped over a batch, that uses weights of the function around it:
 * they stay unmapped and are differentiable. */
#include "harness.h"

static void
model(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_relu(cot_dot(in[0], *(const cot_value *)user));
}

static void
batch(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value weights = in[0];
    cot_fn *f = cot_fn_new(cot_trace_context(t), "model", model, 1, 1, &weights);

    (void)user;
    out[0] = cot_call(cot_vmap(f), in[1]);
}

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    batch(t, in, out, user);
    out[0] = cot_reduce_sum(out[0]);
}

static void
one(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value weights = in[0];

    (void)user;
    model(t, in + 1, out, &weights);
}

int
main(void)
{
    harness c = harness_begin("hidden_batch_model");
    cot_array *w = ARRAY(&c, cot_f32(5), 1, -1, .5, 2, -.25);
    cot_array *e = ARRAY(&c, cot_f32(3, 5), 1, 2, 3, 4, 5, -1, 0, 1, -2, 2, .5, -.5, 1, 0, 4);
    cot_fn *g = cot_grad(cot_fn_new(c.ctx, "one", one, 2, 1, NULL));

    by_back_ends(&c, "the batch", cot_fn_new(c.ctx, "batch", batch, 2, 1, NULL), ARRAYS(w, e),
                 EXACT(7.25, 0, 0.5));
    by_back_ends(&c, "gradient of the sum",
                 cot_grad(cot_fn_new(c.ctx, "loss", loss, 2, 1, NULL)), ARRAYS(w, e),
                 EXACT(1.5, 1.5, 4, 4, 9));
    by_back_ends(&c, "gradients per example", cot_vmap(g, .in_dims = COT_LIST(COT_NONE, 0)),
                 ARRAYS(w, e), EXACT(1, 2, 3, 4, 5, 0, 0, 0, 0, 0, .5, -.5, 1, 0, 4));
    return harness_end(&c);
}
