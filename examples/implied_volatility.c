/* The volatility that a market's prices imply, and how it follows the price, the spot and the
 * rate.
 *
 * The price has no inverse in closed form: Newton's method with cot_grad's vega finds it, in a
 * while that is mapped over the options, each with its own number of steps.  It stands in
 * cot_custom_root, so that derivatives are those of the root (implicit function theorem) and do
 * not go back through the steps. */
#include "cotrace/cotrace.h"

enum { N = 5 };

/* The price of a call of strike 100 and half a year: f(volatility, spot, rate). */
static void
call_price(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const double strike = 100, years = 0.5;
    cot_value s = in[1], r = in[2], sd = cot_mul(in[0], 0.7071067811865476);
    cot_value drift = cot_add(cot_log(cot_div(s, strike)), cot_mul(r, years));
    cot_value d = cot_add(cot_div(drift, sd), cot_mul(0.5, sd)),
              pays = cot_mul(strike, cot_exp(cot_mul(-years, r)));

    (void)t, (void)user;
    out[0] = cot_sub(cot_mul(s, cot_ndtr(d)), cot_mul(pays, cot_ndtr(cot_sub(d, sd))));
}

typedef struct option {
    cot_fn *price;
    cot_value paid, spot, rate;
    cot_fn *miss, *slope;
} option;

static void
miss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const option *o = user;

    (void)t;
    out[0] = cot_sub(cot_call(o->price, in[0], o->spot, o->rate), o->paid);
}

/* Carries: volatility, its last change. */
static void
goes_on(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_gt(cot_abs(in[1]), 1e-12);
}

static void
newton(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const option *o = user;

    (void)t;
    out[1] = cot_div(cot_call(o->miss, in[0]), cot_call(o->slope, in[0]));
    out[0] = cot_sub(in[0], out[1]);
}

static void
solve(cot_trace *t, cot_fn *f, const cot_value *guess, cot_value *x, void *user)
{
    option o = *(const option *)user;
    cot_value end[2];

    o.miss = f;
    o.slope = cot_grad(f);
    cot_while(goes_on, newton, .in = COT_VALUES(guess[0], cot_ones(t, cot_f64())), .out = end,
              .user = &o);
    x[0] = end[0];
}

/* One linear equation: divide by its only coefficient. */
static void
divide(cot_trace *t, cot_fn *A, const cot_value *b, cot_value *x, void *user)
{
    (void)user;
    x[0] = cot_div(b[0], cot_call(A, cot_ones(t, cot_f64())));
}

/* (price, spot, rate) -> volatility */
static void
volatility(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    option o = { .price = user, .paid = in[0], .spot = in[1], .rate = in[2] };

    out[0] = cot_custom_root(miss, solve, .b = COT_VALUES(cot_full(t, cot_f64(), 0.5)),
                             .tangent = divide, .user = &o);
}

static cot_status
run(cot_context *ctx)
{
    static double paid[N] = { 4.0, 5.5, 8.1, 12.2, 18.9 }, spot[N] = { 90, 95, 100, 105, 110 },
                  rate = 0.03;
    cot_fn *price = cot_fn_new(ctx, "call_price", call_price, 3, 1, NULL);
    cot_fn *f = cot_fn_new(ctx, "volatility", volatility, 3, 1, price);
    cot_fn *all = cot_vmap(cot_grad_and_value(f, .wrt = COT_LIST(0, 1, 2)),
                           .in_dims = COT_LIST(0, 0, COT_NONE));
    cot_array *p = cot_array_borrow(ctx, cot_f64(N), paid),
              *s = cot_array_borrow(ctx, cot_f64(N), spot);
    cot_array *r = cot_array_borrow(ctx, cot_f64(), &rate), *y[4] = { NULL, NULL, NULL, NULL };
    const double *column[4];

    COT_TRY(cot_jit(all, y, 4, (const cot_array *[]){ p, s, r }, 3));
    for (int k = 0; k < 4; k++)
        column[k] = cot_array_read(y[k]);
    printf("  spot   price  volatility   by price    by spot    by rate\n");
    for (int i = 0; i < N; i++)
        printf("%6.0f  %6.2f  %10.6f  %9.6f  %9.6f  %9.6f\n", spot[i], paid[i], column[3][i],
               column[0][i], column[1][i], column[2][i]);
    for (int k = 0; k < 4; k++)
        cot_array_free(y[k]);
    cot_array_free(p), cot_array_free(s), cot_array_free(r);
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
