/* Hamiltonian Monte Carlo: 64 chains of 1,000 samples from a bent density, as one kernel.
 *
 * A sample follows the gradient of the logarithm of the density for ten steps (fori), and is
 * kept or not by a random number (where).  A chain is a scan over samples, whose carry is the
 * place and the key; vmap makes 64 of it, each with a key of its own.  The density says what
 * the moments are.
 * Source: R. Neal, MCMC using Hamiltonian dynamics, 2011. */
#include "cotrace/cotrace.h"

enum { CHAINS = 64, SAMPLES = 1000, STEPS = 10 };
static const double stride = 0.15;

typedef struct model {
    cot_fn *density, *slope;
} model;

/* log p(x, y) = -x^2 / 2 - 2 (y - x^2)^2: x is normal, and y is x^2 with noise of variance
 * 1/4. */
static void
density(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = cot_index(in[0], 0, 0), y = cot_index(in[0], 1, 0),
              bend = cot_sub(y, cot_square(x));

    (void)t, (void)user;
    out[0] = cot_neg(cot_add(cot_mul(0.5, cot_square(x)), cot_mul(2, cot_square(bend))));
}

/* The leapfrog step; carries: place, momentum. */
static void
leap(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const model *m = user;
    cot_value half = cot_add(in[2], cot_mul(stride / 2, cot_call(m->slope, in[1])));

    (void)t;
    out[0] = cot_add(in[1], cot_mul(stride, half));
    out[1] = cot_add(half, cot_mul(stride / 2, cot_call(m->slope, out[0])));
}

static cot_value
energy(const model *m, cot_value x, cot_value p)
{
    return cot_sub(cot_mul(0.5, cot_reduce_sum(cot_square(p))), cot_call(m->density, x));
}

/* Carries: place, key.  Results: the place, and whether it is new. */
static void
sample(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const model *m = user;
    cot_value keys = cot_split_key(in[1], 3), end[2];
    cot_value p = cot_normal(t, cot_f64(2), .key = cot_index(keys, 0, 0));
    cot_value u = cot_uniform(t, cot_f64(), .key = cot_index(keys, 1, 0));

    cot_fori(STEPS, leap, .in = COT_VALUES(in[0], p), .out = end, .user = user);
    cot_value change = cot_sub(energy(m, in[0], p), energy(m, end[0], end[1]));
    cot_value moves = cot_lt(cot_log(u), change);
    out[0] = out[2] = cot_where(moves, end[0], in[0]);
    out[1] = cot_index(keys, 2, 0);
    out[3] = cot_convert(moves, COT_F64);
}

static void
chain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value all[4];

    (void)t;
    cot_scan(sample, .in = COT_VALUES(cot_zeros(t, cot_f64(2)), in[0]), .out = all, .n_out = 2,
             .length = SAMPLES, .user = user);
    out[0] = all[2];
    out[1] = cot_mean(all[3]);
}

/* The means of x and y, their variances, and the share of moves over all chains. */
static void
moments(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    model m;
    cot_value all[2];

    (void)in, (void)user;
    m.density = cot_fn_new(cot_trace_context(t), "density", density, 1, 1, NULL);
    m.slope = cot_grad(m.density);
    cot_fn *f = cot_vmap(cot_fn_new(cot_trace_context(t), "chain", chain, 1, 2, &m));
    cot_call_all(f, COT_VALUES(cot_split_key(cot_key(t, 7), CHAINS)), all, 2);
    out[0] = cot_mean(all[0], .axes = COT_LIST(0, 1));
    out[1] = cot_var(all[0], .axes = COT_LIST(0, 1));
    out[2] = cot_mean(all[1]);
}

static cot_status
run(cot_context *ctx)
{
    cot_array *y[3] = { NULL, NULL, NULL };

    COT_TRY(cot_jit(cot_fn_new(ctx, "moments", moments, 0, 3, NULL), y, 3, NULL, 0));
    const double *mean = cot_array_read(y[0]), *var = cot_array_read(y[1]),
                 *moved = cot_array_read(y[2]);
    printf("%d samples, %.0f%% moved\n", CHAINS * SAMPLES, 100 * moved[0]);
    printf("x: mean %5.2f, variance %4.2f   (0 and 1)\n", mean[0], var[0]);
    printf("y: mean %5.2f, variance %4.2f   (1 and 2.25)\n", mean[1], var[1]);
    for (int i = 0; i < 3; i++)
        cot_array_free(y[i]);
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
