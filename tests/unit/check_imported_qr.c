/* QR as JAX lowers it: lapack_?geqrf, whose reflections are rebuilt from Q, and ?orgqr, which
 * multiplies them.  Many random matrices of each shape and type, and those that LAPACK leaves a
 * reflection out of: zero columns, matrices that are triangular already, dependent columns. */
#include <complex.h>
#include <math.h>
#include <stdio.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { RANDOM = 40, COUNT = RANDOM + 6 };

static const struct type {
    const char *name, *q;
    char letter;
    cot_dtype dtype;
    int parts;
    double epsilon;
} types[] = {
    { "f32", "orgqr", 's', COT_F32, 1, 0x1p-23 },
    { "f64", "orgqr", 'd', COT_F64, 1, 0x1p-52 },
    { "complex<f32>", "ungqr", 'c', COT_C64, 2, 0x1p-23 },
    { "complex<f64>", "ungqr", 'z', COT_C128, 2, 0x1p-52 },
};

static const struct shape {
    int m, n;
} shapes[] = { { 1, 1 }, { 2, 2 },   { 3, 3 }, { 8, 8 }, { 7, 3 },
               { 3, 7 }, { 40, 36 }, { 0, 3 }, { 3, 0 } };

typedef double complex number;

/* The first k columns of Q, and the packed factors, of which R is the upper triangle. */
static cot_kernel *
compiled(const struct type *t, int m, int n, int count)
{
    const int k = m < n ? m : n;
    char x[64], q[64], tau[64], text[2048];
    const cot_graph *g = NULL;
    cot_kernel *kernel;

    snprintf(x, sizeof x, "tensor<%dx%dx%dx%s>", count, m, n, t->name);
    snprintf(q, sizeof q, "tensor<%dx%dx%dx%s>", count, m, k, t->name);
    snprintf(tau, sizeof tau, "tensor<%dx%dx%s>", count, k, t->name);
    snprintf(text, sizeof text,
             "func.func @main(%%x: %s) -> (%s, %s) {\n"
             "  %%0:2 = stablehlo.custom_call @lapack_%cgeqrf_ffi(%%x) : (%s) -> (%s, %s)\n"
             "  %%1 = stablehlo.slice %%0#0 [0:%d, 0:%d, 0:%d] : (%s) -> %s\n"
             "  %%2 = stablehlo.custom_call @lapack_%c%s_ffi(%%1, %%0#1) : (%s, %s) -> %s\n"
             "  return %%2, %%0#0 : %s, %s\n}\n",
             x, q, x, t->letter, x, x, tau, count, m, k, x, q, t->letter, t->q, q, tau, q, q,
             x);
    ck_assert_msg(cot_import_stablehlo(ctx, "qr.mlir", text, strlen(text), NULL, &g) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .backend = "eval" }, &kernel) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    return kernel;
}

static double
element(const struct type *t, const void *data, int64_t i)
{
    return t->epsilon > 0x1p-30 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

static number
at(const struct type *t, cot_array *a, int64_t i)
{
    const void *data = cot_array_data(a);

    if (t->parts == 1)
        return element(t, data, i);
    return element(t, data, 2 * i) + element(t, data, 2 * i + 1) * I;
}

/* Element r, c of matrix i: random in the first ones; then with columns of zeros, triangular,
 * of equal columns, zero, with one element in each column (so that elements of Q - I tie), and
 * of reflections that are 2 or nothing. */
static double
made(int i, int r, int c, int m, double random)
{
    switch (i - RANDOM) {
    case 0: return c % 2 ? 0 : random;
    case 1: return r > c ? 0 : random;
    case 2: return sin(r + 1.0);
    case 3: return 0;
    case 4: return (r + 1) % m == c ? 0.3 : 0;
    case 5: return r < c ? random : r == c ? -1 : 0;
    default: return random;
    }
}

static cot_array *
matrices(const struct type *t, int m, int n, int count)
{
    cot_type type = cot_f64(count, m, n);
    uint64_t seed = (uint64_t)(m * 64 + n);

    type.dtype = t->dtype;
    cot_array *x = cot_array_new(ctx, type);
    void *data = cot_array_data(x);
    for (int64_t i = 0; i < (int64_t)count * m * n * t->parts; i++) {
        const int64_t e = i / t->parts;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double random = (double)(seed >> 40) / (1 << 23) - 1,
                     v = made((int)(e / (m * n)) + (count < COUNT ? RANDOM - 2 : 0),
                              (int)(e / n % m), (int)(e % n), m, random);
        if (t->epsilon > 0x1p-30)
            ((float *)data)[i] = (float)v;
        else
            ((double *)data)[i] = v;
    }
    return x;
}

/* The largest element of x - y z, matrices i of each, of z the upper triangle. */
static double
residual(const struct type *t, cot_array *const a[3], int64_t i, int m, int n)
{
    const int k = m < n ? m : n;
    double worst = 0;

    for (int r = 0; r < m; r++)
        for (int c = 0; c < n; c++) {
            number sum = -at(t, a[0], (i * m + r) * n + c);
            for (int p = 0; p < k && p <= c; p++)
                sum += at(t, a[1], (i * m + r) * k + p) * at(t, a[2], (i * m + p) * n + c);
            worst = cabs(sum) <= worst ? worst : cabs(sum);
        }
    return worst;
}

static double
skewness(const struct type *t, cot_array *q, int64_t i, int m, int k)
{
    double worst = 0;

    for (int r = 0; r < k; r++)
        for (int c = 0; c < k; c++) {
            number sum = r == c ? -1 : 0;
            for (int p = 0; p < m; p++)
                sum += conj(at(t, q, (i * m + p) * k + r)) * at(t, q, (i * m + p) * k + c);
            worst = cabs(sum) <= worst ? worst : cabs(sum);
        }
    return worst;
}

/* Backward stable: both are of the order of m eps, with elements of at most 1 (N. Higham,
 * Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, theorem 19.4). */
START_TEST(factors)
{
    const struct type *t = &types[_i / 9];
    const struct shape s = shapes[_i % 9];
    const int k = s.m < s.n ? s.m : s.n, count = s.m > 32 ? 6 : COUNT;
    cot_kernel *kernel = compiled(t, s.m, s.n, count);
    cot_array *x = matrices(t, s.m, s.n, count), *y[2];

    for (int i = 0; i < 2; i++) {
        cot_type type = cot_f64(count, s.m, i ? s.n : k);
        type.dtype = t->dtype;
        y[i] = cot_array_new(ctx, type);
    }
    ck_assert_int_eq(cot_run(kernel, y, (const cot_array *[]){ x }), COT_OK);
    const double bound = 4 * t->epsilon * (s.m + 4) * sqrt(k + 1.0);
    for (int i = 0; i < count; i++) {
        const double far = residual(t, (cot_array *const[]){ x, y[0], y[1] }, i, s.m, s.n),
                     skew = skewness(t, y[0], i, s.m, k);
        ck_assert_msg(far <= bound && skew <= bound,
                      "%s, %d x %d, matrix %d: A - Q R is %g, Q^H Q - I is %g; wants %g",
                      t->name, s.m, s.n, i, far, skew, bound);
    }
    for (int i = 0; i < 2; i++)
        cot_array_free(y[i]);
    cot_array_free(x);
    cot_kernel_free(kernel);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(factors, 36),
    };

    return SUITE("imported_qr", cases);
}
