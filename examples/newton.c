/* Cube roots by Newton's method in a while loop, and the derivative of the answer through the
 * loop.
 *
 * The loop is mapped over four numbers: each stops when it has converged, and the derivative of
 * the root is 1 / (3 root^2), as the implicit function theorem says. */
#include "cotrace/cotrace.h"

enum { N = 4 };

/* |x^3 - a| > 1e-12 a, of the carry x; user is a. */
static void
far_off(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0], a = *(const cot_value *)user;

    (void)t;
    out[0] = cot_gt(cot_abs(cot_sub(cot_integer_pow(x, 3), a)), cot_mul(1e-12, a));
}

/* x - (x^3 - a) / (3 x^2) */
static void
improve(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0], a = *(const cot_value *)user;

    (void)t;
    out[0] = cot_sub(x, cot_div(cot_sub(cot_integer_pow(x, 3), a), cot_mul(3, cot_mul(x, x))));
}

static void
cube_root(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value a = in[0], start = cot_ones(t, cot_type_of(a));

    (void)user;
    out[0] = cot_while(far_off, improve, .in = COT_VALUES(start), .max = 100, .user = &a);
}

static cot_status
run(cot_context *ctx)
{
    static double a[N] = { 2, 8, 100, 1000 };
    cot_fn *f =
        cot_vmap(cot_grad_and_value(cot_fn_new(ctx, "cube_root", cube_root, 1, 1, NULL)));
    cot_array *y[2] = { NULL, NULL };
    cot_array *x = cot_array_borrow(ctx, cot_f64(N), a);

    COT_TRY(cot_jit(f, y, 2, (const cot_array *[]){ x }, 1));
    const double *slope = cot_array_read(y[0]), *root = cot_array_read(y[1]);
    for (int i = 0; i < N; i++)
        printf("cbrt(%4g) = %.10f   slope %.10f   1/(3 root^2) = %.10f\n", a[i], root[i],
               slope[i], 1 / (3 * root[i] * root[i]));
    cot_array_free(x), cot_array_free(y[0]), cot_array_free(y[1]);
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
