/* An intermediate value, returned beside the gradient: f(x) = sin(sin x) with aux sin x.
 *
 * A body has results; the last .aux of them are passed on and not differentiated. */
#include "harness.h"

static void
sine_of_sine(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[1] = cot_sin(in[0]);
    out[0] = cot_sin(out[1]);
}

int
main(void)
{
    harness c = harness_begin("aux_intermediate");
    cot_fn *f = cot_fn_new(c.ctx, "sine_of_sine", sine_of_sine, 1, 2, NULL);
    cot_array *x = ARRAY(&c, cot_f64(), 0.5);

    by_back_ends(&c, "grad(f, aux)(0.5), sin(0.5)", cot_grad(f, .aux = 1), ARRAYS(x),
                 NEAR(1e-15, 0.7786439483717796, 0.479425538604203));
    return harness_end(&c);
}
