/* Determinants and inverses: gradients and second derivatives where a matrix has no inverse,
 * numbers beyond the range of partial products, and matrices of every way of computing. */
#include "traced.h"

#define F64(...) ((const double[]){ __VA_ARGS__ })
#define IN(...) ((const void *const[]){ __VA_ARGS__ })

BODY(det, out[0] = cot_det(in[0]);)
BODY(logabs, (void)cot_slogdet(in[0], out);)
BODY(inverse, out[0] = cot_inv(in[0]);)

enum { MAX_SIZE = 40 };

static double
determinant(int n, const double *x)
{
    double y = 0, *m = n > 1 ? malloc(sizeof *m * (size_t)((n - 1) * (n - 1))) : NULL;

    for (int k = 0; k < n && n > 1; k++) {
        for (int i = 1, at = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (j != k)
                    m[at++] = x[i * n + j];
        y += (k % 2 ? -1 : 1) * x[k] * determinant(n - 1, m);
    }
    free(m);
    return n == 0 ? 1 : n == 1 ? x[0] : y;
}

/* det of x without some rows and columns, of bit masks. */
static double
minor(int n, const double *x, unsigned rows, unsigned cols)
{
    double m[64];
    int at = 0, left = 0;

    for (int i = 0; i < n; i++)
        left += !(rows >> i & 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (!(rows >> i & 1) && !(cols >> j & 1))
                m[at++] = x[i * n + j];
    return determinant(left, m);
}

static double
cofactor(int n, const double *x, int i, int j)
{
    return ((i + j) % 2 ? -1 : 1) * minor(n, x, 1u << i, 1u << j);
}

/* The derivative of det by x_ij and x_kl. */
static double
second(int n, const double *x, int i, int j, int k, int l)
{
    if (i == k || j == l)
        return 0;
    const int odd = (i + j + k + l + ((i < k) != (j < l))) % 2;
    return (odd ? -1 : 1) * minor(n, x, 1u << i | 1u << k, 1u << j | 1u << l);
}

/* A matrix of whole numbers and of the rank, the rows of which are sums of the first ones. */
static void
of_rank(int n, int rank, double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            x[i * n + j] = 0;
            for (int k = 0; k < rank; k++)
                x[i * n + j] += (i == k ? 1 : (i * 5 + k * 3) % 4 - 1) *
                                ((k * 7 + j * j + 2 * (j == k)) % 5 - 2.0);
        }
}

static void
runs(const char *backend, cot_fn *f, cot_type t, const double *in, cot_type to, double *out)
{
    cot_array *x = cot_array_copy(ctx, t, in), *y = cot_array_new(ctx, to);
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, (cot_types){ .n = 1, .at = &t },
                              &(cot_compile_options){ .backend = backend }, &k) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *[]){ x }), COT_OK);
    memcpy(out, cot_array_data(y), sizeof *out * (size_t)cot_type_count(&to));
    cot_array_free(x);
    cot_array_free(y);
    cot_kernel_free(k);
}

static void
near(const char *what, int i, double got, double want, double tolerance)
{
    ck_assert_msg(got == want || (isnan(got) && isnan(want)) ||
                      fabs(got - want) <= tolerance * fmax(1, fabs(want)),
                  "%s: element %d is %.17g, wants %.17g", what, i, got, want);
}

/* Matrices of n rows and rank n - _i, together and each alone: the same numbers, and those
 * of the definition. */
START_TEST(gradients_at_every_rank)
{
    static const int sizes[] = { 4, 6, 7 };
    const int n = sizes[_i], size = n * n;
    double x[4 * 49], y[4 * 49], alone[49];
    cot_fn *g = cot_grad(cot_fn_new(ctx, "det", det, 1, 1, NULL));

    for (int r = 0; r < 4; r++)
        of_rank(n, n - r, x + r * size);
    runs("eval", cot_vmap(g), cot_f64(4, n, n), x, cot_f64(4, n, n), y);
    for (int r = 0; r < 4; r++) {
        runs(r           ? "eval"
             : COT_PLANS ? "jit"
                         : "eval",
             g, cot_f64(n, n), x + r * size, cot_f64(n, n), alone);
        ck_assert_mem_eq(alone, y + r * size, sizeof *x * (size_t)size);
        for (int i = 0; i < size; i++)
            near("cofactor", i, alone[i], cofactor(n, x + r * size, i / n, i % n),
                 r > 1 ? 1e-10 : 1e-11);
    }
}
END_TEST

START_TEST(second_derivatives_at_every_rank)
{
    const int n = 4;
    double x[16], y[256];
    cot_fn *h = cot_hessian(cot_fn_new(ctx, "det", det, 1, 1, NULL));

    of_rank(n, n - _i, x);
    runs("eval", h, cot_f64(4, 4), x, cot_f64(4, 4, 4, 4), y);
    for (int i = 0; i < 256; i++)
        near("second", i, y[i], second(n, x, i / 64, i / 16 % 4, i / 4 % 4, i % 4), 1e-12);
}
END_TEST

/* The product of the elements of x in the rows and columns that three others leave, with the
 * sign of the permutation. */
static double
third(int n, const double *x, const int *place)
{
    unsigned rows = 0, cols = 0;
    double m[64];

    for (int i = 0; i < 3; i++)
        rows |= 1u << place[i] / n, cols |= 1u << place[i] % n;
    if (__builtin_popcount(rows) < 3 || __builtin_popcount(cols) < 3)
        return 0;
    for (int i = 0; i < n * n; i++)
        m[i] = rows >> i / n & 1 || cols >> i % n & 1 ? 0 : x[i];
    for (int i = 0; i < 3; i++)
        m[place[i]] = 1;
    return determinant(n, m);
}

/* Forward thrice, and reverse, forward, reverse. */
START_TEST(third_derivatives_at_every_rank)
{
    const int n = 4, size = 16;
    double x[16], *y = malloc(sizeof *y * 4096);
    cot_fn *f = cot_fn_new(ctx, "det", det, 1, 1, NULL);
    cot_fn *d[2] = { cot_jacfwd(cot_jacfwd(cot_jacfwd(f))),
                     cot_jacrev(cot_jacfwd(cot_jacrev(f))) };

    of_rank(n, n - _i / 2, x);
    runs("eval", d[_i % 2], cot_f64(4, 4), x, cot_f64(4, 4, 4, 4, 4, 4), y);
    for (int i = 0; i < 4096; i++)
        near("third", i, y[i],
             third(n, x, (const int[]){ i / size / size, i / size % size, i % size }), 1e-12);
    free(y);
}
END_TEST

/* Of more rows than are taken minor by minor, and of a rank from which on all is 0. */
START_TEST(second_derivatives_of_more_rows)
{
    static const int lost[] = { 0, 1, 2, 3, 7 };
    const int n = 7, size = 49;
    double x[49], *y = malloc(sizeof *y * 2401);
    cot_fn *f = cot_fn_new(ctx, "det", det, 1, 1, NULL);
    cot_fn *d[2] = { cot_jacfwd(cot_jacrev(f)), cot_jacrev(cot_jacrev(f)) };

    of_rank(n, n - lost[_i / 2], x);
    runs("eval", d[_i % 2], cot_f64(7, 7), x, cot_f64(7, 7, 7, 7), y);
    for (int i = 0; i < size * size; i++)
        near("second", i, y[i], second(n, x, i / size / n, i / size % n, i % size / n, i % n),
             1e-10);
    free(y);
}
END_TEST

/* A row of zeros, or two, in matrices that are halved. */
START_TEST(gradients_of_more_rows)
{
    double *x = calloc(MAX_SIZE * MAX_SIZE, sizeof *x),
           *y = malloc(sizeof *x * MAX_SIZE * MAX_SIZE);
    cot_fn *g = cot_grad(cot_fn_new(ctx, "det", det, 1, 1, NULL));

    for (int i = 0; i < MAX_SIZE - 1; i++)
        x[i * MAX_SIZE + i] = 1 + (i % 3 == 0), x[i * MAX_SIZE + i + 1] = 0.5;
    runs("eval", g, cot_f64(MAX_SIZE, MAX_SIZE), x, cot_f64(MAX_SIZE, MAX_SIZE), y);
    double all = 1;     /* only the last row has cofactors: x without it and a column */
    for (int i = 0; i < MAX_SIZE - 1; i++)
        all *= x[i * MAX_SIZE + i];
    near("corner", 0, y[MAX_SIZE * MAX_SIZE - 1], all, 1e-12);
    near("before", 0, y[MAX_SIZE * MAX_SIZE - 2], -all / x[(MAX_SIZE - 2) * (MAX_SIZE + 1)] / 2,
         1e-12);
    for (int i = 0; i < MAX_SIZE * (MAX_SIZE - 1); i++)
        near("others", i, y[i], 0, 0);
    x[0] = x[1] = 0;
    runs("eval", g, cot_f64(MAX_SIZE, MAX_SIZE), x, cot_f64(MAX_SIZE, MAX_SIZE), y);
    for (int i = 0; i < MAX_SIZE * MAX_SIZE; i++)
        near("rank n - 2", i, y[i], 0, 0);
    free(x), free(y);
}
END_TEST

/* Partial products that leave the range, and come back. */
START_TEST(ranges)
{
    double x[MAX_SIZE * MAX_SIZE] = { 0 }, y[MAX_SIZE * MAX_SIZE];

    body_gives("up and down", det, COT_TYPES(cot_f64(4, 4)),
               IN(F64(1e200, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1e-200, 0, 0, 0, 0, 1e-200)),
               cot_f64(), F64(1), 1e-15);
    body_gives("down and up", det, COT_TYPES(cot_f64(4, 4)),
               IN(F64(0, 1e-200, 0, 0, 1e-200, 0, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1e200)),
               cot_f64(), F64(-1), 1e-15);
    body_gives("subnormal", det, COT_TYPES(cot_f64(4, 4)),
               IN(F64(1e-310, 0, 0, 0, 0, 1e100, 0, 0, 0, 0, 1e100, 0, 0, 0, 0, 1e100)),
               cot_f64(), F64(1e-10), 1e-15);
    body_gives("infinite", det, COT_TYPES(cot_f64(4, 4)),
               IN(F64(1e200, 0, 0, 0, 0, 1e200, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1)), cot_f64(),
               F64(-INFINITY), 0);
    for (int i = 0; i < MAX_SIZE; i++)
        x[i * MAX_SIZE + i] = i % 2 ? 3e-200 : 2e199;
    runs("eval", cot_fn_new(ctx, "det", det, 1, 1, NULL), cot_f64(MAX_SIZE, MAX_SIZE), x,
         cot_f64(), y);
    near("many", 0, y[0], pow(0.6, 20), 1e-14 * pow(0.6, 20));
    runs("eval", cot_grad(cot_fn_new(ctx, "det", det, 1, 1, NULL)), cot_f64(4, 4),
         F64(1e-320, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1), cot_f64(4, 4), y);
    near("of a subnormal pivot", 0, y[0], 1, 0);
    near("beside it", 5, y[5], 1e-320, 0);
}
END_TEST

/* Rows of every number, as inverses by systems or by halves, and gradients of log|det|. */
START_TEST(inverses)
{
    static const int sizes[] = { 1, 5, 8, 9, 20, 33, 40 };
    const int n = sizes[_i];
    double x[MAX_SIZE * MAX_SIZE], y[MAX_SIZE * MAX_SIZE], z[MAX_SIZE * MAX_SIZE],
        g[MAX_SIZE * MAX_SIZE];
    const cot_type t = cot_f64(n, n);

    for (int i = 0; i < n * n; i++)
        x[i] = sin(1.7 * (i + 1) * (i % 7 + 1)) + (i % (n + 1) == n / 2 ? 3 : 0);
    runs("eval", cot_fn_new(ctx, "inv", inverse, 1, 1, NULL), t, x, t, y);
    runs(COT_PLANS ? "jit" : "eval", cot_fn_new(ctx, "inv", inverse, 1, 1, NULL), t, x, t, z);
    ck_assert_mem_eq(y, z, sizeof *y * (size_t)(n * n));
    runs("eval", cot_grad(cot_fn_new(ctx, "log", logabs, 1, 1, NULL)), t, x, t, g);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++)
                sum += x[i * n + k] * y[k * n + j];
            near("x x^-1", i * n + j, sum, i == j, 1e-11);
            near("gradient", i * n + j, g[i * n + j], y[j * n + i], 0);
        }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(gradients_at_every_rank, 3),
        EACH(second_derivatives_at_every_rank, 5),
        EACH(third_derivatives_at_every_rank, 10),
        EACH(second_derivatives_of_more_rows, 10),
        ONCE(gradients_of_more_rows),
        ONCE(ranges),
        EACH(inverses, 7),
    };

    return SUITE("determinant", cases);
}
