/* Each transform once, of f(x) = sum(x sin x) at x = [0.5, -1, 2]: value, gradient, cotangents,
 * tangents, linearize, Jacobians, Hessian.
 *
 * f' = sin x + x cos x and f'' = 2 cos x - x sin x, element by element. */
#include "harness.h"

#define DF       0.9182168195493894, -1.3817732906760363, 0.0770037537313969
#define TWICE_DF 2 * 0.9182168195493894, 2 * -1.3817732906760363, 2 * 0.0770037537313969
#define D2F      1.515452354478644, 0, 0, 0, 0.23913362692838303, 0, 0, 0, -2.6508885267456486

static const double value = 2.8997786077613616, slope = -1.92233351553408;

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], cot_sin(in[0])), .axes = COT_LIST(0));
}

/* The value once, then the derivative as often as asked for: fwd gives what the other half
 * wants. */
static void
later(harness *c, const char *title, cot_fn *fwd, cot_fn *half, cot_array *x, cot_array *along,
      figures want)
{
    cot_array *in[8];
    int n = 0;

    by_back_ends(c, "fwd(x)", fwd, ARRAYS(x), ANY);
    holds(c, "fwd gives the value",
          c->n_results > 0 && fabs(harness_element(c->result[0], 0) - value) <= 1e-15 * value);
    for (int i = 1; i < c->n_results && n < 7; i++)
        in[n++] = harness_keep(c, i);
    in[n++] = along;
    by_back_ends(c, title, half, (inputs){ n, in }, want);
}

static void
halves(harness *c, cot_fn *f, cot_array *x, cot_array *dx, cot_array *ct)
{
    cot_fn *fwd, *bwd, *lin;

    cot_vjp_halves(f, &fwd, &bwd);
    later(c, "bwd(res, 2)", fwd, bwd, x, ct, NEAR(1e-13, TWICE_DF));
    cot_linearize_halves(f, &fwd, &lin);
    later(c, "lin(res, dx)", fwd, lin, x, dx, NEAR(1e-14, slope));
}

int
main(void)
{
    harness c = harness_begin("transforms");
    cot_fn *f = cot_fn_new(c.ctx, "f", body, 1, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f64(3), 0.5, -1, 2), *dx = ARRAY(&c, cot_f64(3), 1, 2, -1);
    cot_array *ct = ARRAY(&c, cot_f64(), 2);

    by_back_ends(&c, "f(x)", f, ARRAYS(x), NEAR(1e-15, value));
    by_back_ends(&c, "grad(f)(x)", cot_grad(f), ARRAYS(x), NEAR(1e-13, DF));
    by_back_ends(&c, "grad_and_value(f)(x)", cot_grad_and_value(f), ARRAYS(x),
                 NEAR(1e-13, DF, value));
    by_back_ends(&c, "vjp(f)(x, 2)", cot_vjp(f), ARRAYS(x, ct), NEAR(1e-13, value, TWICE_DF));
    by_back_ends(&c, "jvp(f)(x, dx)", cot_jvp(f), ARRAYS(x, dx), NEAR(1e-14, value, slope));
    by_back_ends(&c, "linearize(f)(x, dx)", cot_linearize(f), ARRAYS(x, dx),
                 NEAR(1e-14, value, slope));
    by_back_ends(&c, "jacrev(f)(x)", cot_jacrev(f), ARRAYS(x), NEAR(1e-13, DF));
    by_back_ends(&c, "jacfwd(f)(x)", cot_jacfwd(f), ARRAYS(x), NEAR(1e-13, DF));
    by_back_ends(&c, "hessian(f)(x)", cot_hessian(f), ARRAYS(x), NEAR(1e-14, D2F));
    halves(&c, f, x, dx, ct);
    return harness_end(&c);
}
