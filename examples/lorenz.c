/* The Lorenz system by Runge-Kutta in a scan, and how its end state depends on its start:
 * reverse mode through the loop, and the same mapped over many starts. */
#include "cotrace/cotrace.h"

enum { STEPS = 100, STARTS = 4 };

/* (sigma (y - x), x (rho - z) - y, x y - beta z) at s = (x, y, z) */
static cot_value
slope(cot_value s)
{
    cot_value x = cot_index(s, 0, 0), y = cot_index(s, 1, 0), z = cot_index(s, 2, 0);

    return cot_stack(COT_VALUES(cot_mul(10, cot_sub(y, x)),
                                cot_sub(cot_mul(x, cot_sub(28, z)), y),
                                cot_sub(cot_mul(x, y), cot_mul(8.0 / 3, z))),
                     0);
}

/* One step of the classical method of fourth order. */
static void
rk4(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const double h = *(const double *)user;
    cot_value s = in[0];
    cot_value a = slope(s);
    cot_value b = slope(cot_add(s, cot_mul(h / 2, a)));
    cot_value c = slope(cot_add(s, cot_mul(h / 2, b)));
    cot_value d = slope(cot_add(s, cot_mul(h, c)));
    cot_value sum = cot_add(cot_add(a, d), cot_mul(2, cot_add(b, c)));

    (void)t;
    out[0] = cot_add(s, cot_mul(h / 6, sum));
}

/* The x coordinate at the end. */
static void
end_x(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_index(cot_scan(rk4, .in = COT_VALUES(in[0]), .length = STEPS, .user = user), 0, 0);
}

static cot_status
run(cot_context *ctx)
{
    static double h = 0.005;
    static const double start[STARTS][3] = {
        { 1, 1, 1 }, { 1.001, 1, 1 }, { -5, 3, 20 }, { 0, 0.1, 30 }
    };
    cot_fn *f = cot_fn_new(ctx, "end_x", end_x, 1, 1, &h);
    cot_fn *df = cot_vmap(cot_grad_and_value(f));
    cot_array *result[2] = { NULL, NULL };
    cot_array *s = cot_array_copy(ctx, cot_f64(STARTS, 3), start);

    COT_TRY(cot_jit(df, result, 2, (const cot_array *[]){ s }, 1));
    const double *g = cot_array_read(result[0]), *x = cot_array_read(result[1]);
    for (int i = 0; i < STARTS; i++)
        printf("x(%g) = %9.5f   d/dstart = (%9.5f, %9.5f, %9.5f)\n", STEPS * h, x[i], g[3 * i],
               g[3 * i + 1], g[3 * i + 2]);
    cot_array_free(s), cot_array_free(result[0]), cot_array_free(result[1]);
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
