/* The price of a European call and its greeks: one formula, and vmap of grad for the rest. */
#include "cotrace/cotrace.h"

enum { OPTIONS = 5 };

/* The standard normal distribution function. */
static cot_value
normal(cot_value x)
{
    return cot_mul(0.5, cot_erfc(cot_mul(x, -0.70710678118654752440)));
}

/* spot, strike, rate, volatility, time -> price.
 * Source: F. Black, M. Scholes, The Pricing of Options and Corporate Liabilities, 1973. */
static void
price(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value spot = in[0], strike = in[1], rate = in[2], vol = in[3], time = in[4];
    cot_value spread = cot_mul(vol, cot_sqrt(time));
    cot_value drift = cot_mul(cot_add(rate, cot_mul(0.5, cot_mul(vol, vol))), time);
    cot_value d1 = cot_div(cot_add(cot_log(cot_div(spot, strike)), drift), spread);
    cot_value d2 = cot_sub(d1, spread);
    cot_value discounted = cot_mul(strike, cot_exp(cot_neg(cot_mul(rate, time))));

    (void)t, (void)user;
    out[0] = cot_sub(cot_mul(spot, normal(d1)), cot_mul(discounted, normal(d2)));
}

static cot_status
run(cot_context *ctx)
{
    static double spot[OPTIONS] = { 80, 90, 100, 110, 120 };
    double strike = 100, rate = 0.03, vol = 0.2, time = 0.5;
    cot_fn *f = cot_fn_new(ctx, "price", price, 5, 1, NULL);
    cot_fn *greeks =
        cot_grad_and_value(f, .wrt = COT_LIST(0, 3, 4, 2)); /* delta vega theta rho */
    cot_fn *gamma = cot_grad(cot_grad(f));
    cot_list each = COT_LIST(0, COT_NONE, COT_NONE, COT_NONE, COT_NONE);
    cot_array *y[5] = { NULL }, *g = NULL;
    const cot_array *x[5] = {
        cot_array_borrow(ctx, cot_f64(OPTIONS), spot),
        cot_array_borrow(ctx, cot_f64(), &strike),
        cot_array_borrow(ctx, cot_f64(), &rate),
        cot_array_borrow(ctx, cot_f64(), &vol),
        cot_array_borrow(ctx, cot_f64(), &time),
    };

    COT_TRY(cot_jit(cot_vmap(greeks, .in_dims = each), y, 5, x, 5));
    COT_TRY(cot_jit(cot_vmap(gamma, .in_dims = each), &g, 1, x, 5));
    printf("  spot    price    delta    gamma     vega    theta      rho\n");
    for (int i = 0; i < OPTIONS; i++) {
        const double *v[5];
        for (int k = 0; k < 5; k++)
            v[k] = cot_array_read(y[k]);
        printf("%6.0f %8.4f %8.5f %8.5f %8.4f %8.4f %8.4f\n", spot[i], v[4][i], v[0][i],
               ((const double *)cot_array_read(g))[i], v[1][i], -v[2][i], v[3][i]);
    }
    for (int k = 0; k < 5; k++) {
        cot_array_free(y[k]);
        cot_array_free((cot_array *)x[k]);
    }
    cot_array_free(g);
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = run(ctx);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
