/* Eigenvalues of general matrices: that x v = v w and u^H x = w u^H, of matrices that are hard in one way or another, by
 * the evaluator and the JIT with the same bits; and what LAPACK computes above 32 rows, in place of it. */
#include "both.h"

static cot_value
largest(cot_value x)
{
    return cot_reduce_max(cot_abs(x));
}

/* How far x v is from v w, u^H x from w u^H, and columns from length 1; the largest imaginary part. */
static void
residuals(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value v, u, x = in[0], w = cot_eig(x, &v, &u);
    const int64_t n = cot_type_of(x).dims[0];

    (void)t, (void)user;
    out[0] = largest(cot_sub(cot_matmul(x, v), cot_mul(v, w)));
    out[1] = largest(cot_sub(cot_matmul(cot_conj(cot_transpose(u)), x),
                             cot_mul(cot_reshape(w, n, 1), cot_conj(cot_transpose(u)))));
    out[2] = largest(cot_sub(cot_reduce_sum(cot_square(cot_abs(v)), .axes = COT_LIST(0)), 1));
    out[3] = largest(cot_imag(w));
    out[4] = cot_abs(cot_sub(cot_reduce_sum(w), cot_matrix_trace(x)));
}

typedef enum shape { ANY, SYMMETRIC, CYCLE, COMPANION, JORDAN, ZERO, ROTATIONS, TRIANGLE, GRADED, SHAPES } shape;

static void
fill(shape s, int n, double *x)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int far = k > i ? k - i : i - k;
            double y = sin((double)(i + 1) * (k + 2) * 1.7 + (double)(k * k));
            switch (s) {
            case SYMMETRIC: y = sin((double)(i + k)) + (i == k ? i : 0); break;
            case CYCLE: y = (i + 1) % n == k; break;
            case COMPANION: y = i == 0 ? -1.0 / (k + 1) : i == k + 1; break;
            case JORDAN: y = i == k ? 2 : k == i + 1; break;
            case ZERO: y = 0; break;
            case ROTATIONS: y = far > 1 ? 0 : i == k ? 0.5 : i / 2 == k / 2 ? (i < k ? -i - 1 : i) : 0; break;
            case TRIANGLE: y = k < i ? 0 : k == i ? i : y; break;
            case GRADED: y *= ldexp(1, -2 * (i + k)); break;
            default: break;
            }
            x[i * n + k] = y;
        }
}

static const int sizes[] = { 1, 2, 3, 4, 7, 13, 40 };

/* Of what is defective the vectors are good all the same: x v = v w. */
START_TEST(vectors_belong_to_values)
{
    const int n = sizes[_i / SHAPES];
    double x[1600], got[5];

    fill((shape)(_i % SHAPES), n, x);
    ck_assert_int_eq(results(fn("f", residuals, 1, 5), COT_TYPES(cot_f64(n, n)), IN(x), got), 5);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(got[i] < 1e-12 * n, "shape %d, %d rows: residual %d is %g", _i % SHAPES, n, i, got[i]);
    ck_assert_msg(got[4] < 1e-12 * n, "shape %d, %d rows: the sum is off by %g", _i % SHAPES, n, got[4]);
    if (_i % SHAPES == TRIANGLE || _i % SHAPES == ZERO)
        ck_assert_msg(got[3] == 0, "shape %d, %d rows: a real value has the imaginary part %g", _i % SHAPES, n, got[3]);
}
END_TEST

BODY(values, out[0] = cot_eigvals(in[0]);)
BODY(vectors, (void)cot_eig(in[0], &out[0], &out[1]);)

START_TEST(pairs_are_conjugates)
{
    double got[18];

    ck_assert_int_eq(results(fn("f", values, 1, 1), COT_TYPES(cot_f64(3, 3)), IN(F64(4, 1, 2, 1, -5, 3, -2, 2, 6)), got), 6);
    for (int i = 0; i < 3; i++) {
        const double *w = got + 2 * i;
        if (w[1] > 0)
            ck_assert_msg(i < 2 && w[2] == w[0] && w[3] == -w[1], "value %d has no partner", i);
    }
    ck_assert_int_eq(results(fn("f", values, 1, 1), COT_TYPES(cot_f64(2, 2)), IN(F64(0, -2, 2, 0)), got), 4);
    ck_assert(got[0] == 0 && got[1] == 2 && got[2] == 0 && got[3] == -2);
}
END_TEST

/* A batch goes together, and each matrix has the bits that it has alone. */
START_TEST(each_of_a_batch_is_as_alone)
{
    double x[3][25], all[30], one[10];

    fill(ANY, 5, x[0]);
    fill(JORDAN, 5, x[1]);
    fill(CYCLE, 5, x[2]);
    ck_assert_int_eq(results(fn("f", values, 1, 1), COT_TYPES(cot_f64(3, 5, 5)), IN(x), all), 30);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(results(fn("f", values, 1, 1), COT_TYPES(cot_f64(5, 5)), IN(x[i]), one), 10);
        ck_assert_msg(memcmp(one, all + 10 * i, sizeof one) == 0, "matrix %d differs", i);
    }
}
END_TEST

START_TEST(what_is_not_finite_is_nan)
{
    static double x[1600], got[ROOM];

    for (int k = 0; k < 2; k++) {
        const int n = k ? 40 : 4;
        fill(ANY, n, x);
        x[5] = k ? INFINITY : NAN;
        const int64_t all = results(fn("f", values, 1, 1), COT_TYPES(cot_f64(n, n)), IN(x), got);
        for (int64_t i = 0; i < all; i++)
            ck_assert(isnan(got[i]));
    }
}
END_TEST

/* ---- LAPACK ---- */

BODY(symmetric_residual, cot_value v; cot_value w = cot_eigh(in[0], &v);
     out[0] = largest(cot_sub(cot_matmul(in[0], v), cot_mul(v, w)));
     out[1] = largest(cot_sub(cot_matmul(cot_conj(cot_transpose(v)), v), cot_eye(t, cot_type_of(v).dtype, cot_type_of(v).dims[0])));)
BODY(singular_residual, cot_value s; cot_value vt; cot_value u = cot_svd(in[0], &s, &vt, .full = 1);
     const int64_t m = cot_type_of(u).dims[0];
     cot_value first = cot_slice(u, .start = COT_LIST(0, 0), .limit = COT_LIST(m, cot_type_of(s).dims[0]));
     cot_value rows = cot_slice(vt, .start = COT_LIST(0, 0), .limit = COT_LIST(cot_type_of(s).dims[0], cot_type_of(vt).dims[0]));
     out[0] = largest(cot_sub(cot_matmul(cot_mul(first, s), rows), in[0]));
     out[1] = largest(cot_sub(cot_matmul(cot_conj(cot_transpose(u)), u), cot_eye(t, cot_type_of(u).dtype, m)));)

START_TEST(large_ones_are_lapack_s)
{
    static double x[3200], got[2];

    for (int i = 0; i < 3200; i++)
        x[i] = sin(i * 1.7 + (double)(i % 13) * i);
    ck_assert_int_eq(results(fn("f", singular_residual, 1, 2), COT_TYPES(cot_f64(36, 40)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "svd: %g, %g", got[0], got[1]);
    ck_assert_int_eq(results(fn("f", singular_residual, 1, 2), COT_TYPES(cot_c128(40, 35)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "complex svd: %g, %g", got[0], got[1]);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 40; k++) {
            x[2 * (i * 40 + k)] = cos((double)(i * k) + i + k);
            x[2 * (i * 40 + k) + 1] = sin((double)(i - k));
        }
    ck_assert_int_eq(results(fn("f", symmetric_residual, 1, 2), COT_TYPES(cot_c128(40, 40)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "complex eigh: %g, %g", got[0], got[1]);
    fill(SYMMETRIC, 40, x);
    ck_assert_int_eq(results(fn("f", symmetric_residual, 1, 2), COT_TYPES(cot_f64(40, 40)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "eigh: %g, %g", got[0], got[1]);
}
END_TEST

int
main(void)
{
    const traced_case cases[] = {
        { "residuals", vectors_belong_to_values, (int)(sizeof sizes / sizeof *sizes) * SHAPES },
        { "pairs", pairs_are_conjugates, 0 },
        { "batch", each_of_a_batch_is_as_alone, 0 },
        { "corners", what_is_not_finite_is_nan, 0 },
        { "lapack", large_ones_are_lapack_s, 0 },
    };

    return TRACED_CASES("eig", cases, begin, end);
}
