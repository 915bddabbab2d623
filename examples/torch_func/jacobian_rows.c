/* A Jacobian row by row: the pullback of x^2 is made once, called with each unit vector, and
 * mapped over all of them; the rows are the same bits. */
#include "harness.h"

static void
square(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], in[0]);
}

enum { N = 5 };

int
main(void)
{
    static const double x[N] = { 1, -2, 3, 0.5, -0.25 }, want[N] = { 2, -4, 6, 1, -0.5 };
    harness c = harness_begin("jacobian_rows");
    cot_fn *f = cot_fn_new(c.ctx, "square", square, 1, 1, NULL), *fwd, *bwd;
    cot_array *in[8], *row[N];
    double jacobian[N * N] = { 0 }, unit[N * N] = { 0 };
    int64_t dims[8];
    int n = 0, same = 1;

    for (int i = 0; i < N; i++) {
        jacobian[i * N + i] = want[i];
        unit[i * N + i] = 1;
    }
    cot_vjp_halves(f, &fwd, &bwd);
    by_back_ends(&c, "fwd(x)", fwd, ARRAYS(harness_array(&c, cot_f64(N), x)), ANY);
    for (int i = 1; i < c.n_results && n < 7; i++) {
        dims[n] = COT_NONE;
        in[n++] = harness_keep(&c, i);
    }
    dims[n] = 0;
    for (int i = 0; i < N; i++) {
        in[n] = harness_array(&c, cot_f64(N), unit + i * N);
        by_back_ends(&c, "bwd(res, row of I)", bwd, (inputs){ n + 1, in },
                     (figures){ N, 0, jacobian + i * N });
        row[i] = harness_keep(&c, 0);
    }
    in[n] = harness_array(&c, cot_f64(N, N), unit);
    by_back_ends(&c, "vmap(bwd)(res, I)", cot_vmap(bwd, .in_dims = { .n = n + 1, .at = dims }),
                 (inputs){ n + 1, in }, (figures){ N * N, 0, jacobian });
    for (int i = 0; i < N && c.n_results; i++)
        same &= !memcmp((const double *)cot_array_read(c.result[0]) + i * N,
                        cot_array_read(row[i]), sizeof(double) * N);
    holds(&c, "the rows are the same bits", same);
    return harness_end(&c);
}
