/* Eigenvalues and Schur forms of general matrices: that x v = v w and u^H x = w u^H, of
 * matrices that are hard in one way or another, by the evaluator and the JIT with the same
 * bits; what LAPACK computes above 32 rows, in place of it; and derivatives where there are
 * none. */
#include "both.h"

static cot_value
largest(cot_value x)
{
    return cot_reduce_max(cot_abs(x));
}

static cot_value
adjoint(cot_value x)
{
    cot_value y = cot_transpose(x);
    return cot_type_of(x).dtype == COT_C128 ? cot_conj(y) : y;
}

/* How far x v is from v w, u^H x from w u^H, and columns from length 1; the largest imaginary
 * part. */
static void
residuals(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value v, u, x = in[0], w = cot_eig(x, &v, &u);
    const int64_t n = cot_type_of(x).dims[0];

    (void)t, (void)user;
    out[0] = largest(cot_sub(cot_matmul(x, v), cot_mul(v, w)));
    out[1] = largest(cot_sub(cot_matmul(adjoint(u), x),
                             cot_mul(cot_reshape(w, n, 1), adjoint(u))));
    out[2] = largest(cot_sub(cot_reduce_sum(cot_square(cot_abs(v)), .axes = COT_LIST(0)), 1));
    out[3] = largest(cot_imag(w));
    out[4] = cot_abs(cot_sub(cot_reduce_sum(w), cot_matrix_trace(x)));
}

typedef enum shape { ANY, SYMMETRIC, CYCLE, COMPANION, JORDAN, ZERO, ROTATIONS, TRIANGLE,
    GRADED, SHAPES } shape;

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
            case ROTATIONS: y = far > 1 ? 0 : i == k ? 0.5
                : i / 2 == k / 2 ? (i < k ? -i - 1 : i) : 0; break;
            case TRIANGLE: y = k < i ? 0 : k == i ? i : y; break;
            case GRADED: y *= ldexp(1, -2 * (i + k)); break;
            default: break;
            }
            x[i * n + k] = y;
        }
}

static const int sizes[] = { 2, 3, 7, 13 };
enum { SIZES = sizeof sizes / sizeof *sizes, MANY = SIZES * SHAPES };

/* Of what is defective the vectors are good all the same: x v = v w. */
START_TEST(vectors_belong_to_values)
{
    /* and one and forty rows of ANY */
    const int n = _i < MANY ? sizes[_i / SHAPES] : _i == MANY ? 1 : 40;
    const shape s = _i < MANY ? (shape)(_i % SHAPES) : ANY;
    double x[1600], got[5];

    fill(s, n, x);
    ck_assert_int_eq(results(fn("f", residuals, 1, 5), COT_TYPES(cot_f64(n, n)), IN(x), got),
                     5);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(got[i] < 1e-12 * n, "shape %d, %d rows: residual %d is %g", (int)s,
                      n, i, got[i]);
    ck_assert_msg(got[4] < 1e-12 * n, "shape %d, %d rows: the sum is off by %g",
                  (int)s, n, got[4]);
    if (s == TRIANGLE || s == ZERO)
        ck_assert_msg(got[3] == 0, "shape %d, %d rows: a real value has the imaginary part %g",
                      (int)s, n, got[3]);
}
END_TEST

BODY(values, out[0] = cot_eigvals(in[0]);)

START_TEST(pairs_are_conjugates)
{
    double got[18];

    ck_assert_int_eq(results(fn("f", values, 1, 1), COT_TYPES(cot_f64(3, 3)),
                             IN(F64(4, 1, 2, 1, -5, 3, -2, 2, 6)), got), 6);
    for (int i = 0; i < 3; i++) {
        const double *w = got + 2 * i;
        if (w[1] > 0)
            ck_assert_msg(i < 2 && w[2] == w[0] && w[3] == -w[1], "value %d has no partner", i);
    }
    ck_assert_int_eq(
        results(fn("f", values, 1, 1), COT_TYPES(cot_f64(2, 2)), IN(F64(0, -2, 2, 0)), got), 4);
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
    ck_assert_int_eq(results(fn("f", values, 1, 1), COT_TYPES(cot_f64(3, 5, 5)), IN(x), all),
                     30);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(
            results(fn("f", values, 1, 1), COT_TYPES(cot_f64(5, 5)), IN(x[i]), one), 10);
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
        const int64_t all =
            results(fn("f", values, 1, 1), COT_TYPES(cot_f64(n, n)), IN(x), got);
        for (int64_t i = 0; i < all; i++)
            ck_assert(isnan(got[i]));
    }
}
END_TEST

/* How far x z is from z t, and z from unitary; t. */
static void
schur_residuals(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value z, x = in[0], form = cot_schur(x, &z);
    cot_value eye = cot_eye(t, cot_type_of(x).dtype, cot_type_of(x).dims[0]);

    (void)user;
    out[0] = largest(cot_sub(cot_matmul(x, z), cot_matmul(z, form)));
    out[1] = largest(cot_sub(cot_matmul(adjoint(z), z), eye));
    out[2] = form;
}

/* t, of `parts` numbers an element, is a triangle but for blocks of two rows if it is real. */
static void
is_schur_form(const double *t, int n, int parts, const char *what)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i * parts; k++) {
            const double y = t[i * n * parts + k];
            if (parts == 2 || k < i - 1 || y == 0) {
                ck_assert_msg(y == 0, "%s: row %d has %g below the diagonal", what, i, y);
                continue;
            }
            const double a = t[k * n + k], b = t[k * n + i], d = t[i * n + i];
            ck_assert_msg(b * y < 0 && fabs(a - d) <= 1e-13 * (fabs(a) + fabs(b) + fabs(y)),
                          "%s: row %d: the block %g, %g; %g, %g", what, i, a, b, y, d);
            ck_assert_msg(i + 1 == n || t[(i + 1) * n + i] == 0, "%s: row %d: three rows", what,
                          i);
        }
}

START_TEST(schur_forms)
{
    const int n = _i < MANY ? sizes[_i / SHAPES] : _i == MANY ? 1 : 40;
    const shape s = _i < MANY ? (shape)(_i % SHAPES) : ANY;
    static double x[1600], z[3200], got[3202];
    char what[40];

    fill(s, n, x);
    for (int i = 0; i < n * n; i++) {
        z[2 * i] = x[i];
        z[2 * i + 1] = s == ANY ? cos(3.0 * i) : 0;
    }
    for (int parts = 1; parts < 3; parts++) {
        snprintf(what, sizeof what, "shape %d, %d rows, %d", (int)s, n, parts);
        results(fn("f", schur_residuals, 1, 3),
                COT_TYPES(parts == 1 ? cot_f64(n, n) : cot_c128(n, n)), IN(parts == 1 ? x : z),
                got);
        for (int i = 0; i < 2; i++)
            ck_assert_msg(got[i] < 1e-13 * n, "%s: residual %d is %g", what, i, got[i]);
        is_schur_form(got + 2, n, parts, what);
    }
}
END_TEST

BODY(schur_alone, out[0] = cot_schur(in[0], &out[1]);)

START_TEST(schur_corners)
{
    static double x[1600], got[3200];
    const double zeros[3] = { 0 };

    for (int k = 0; k < 3; k++) {
        const int n = k == 0 ? 1 : k == 1 ? 4 : 40;
        fill(ANY, n, x);
        x[n - 1] = k ? INFINITY : NAN;
        const int64_t all =
            results(fn("f", schur_alone, 1, 2), COT_TYPES(cot_f64(n, n)), IN(x), got);
        ck_assert_int_eq(all, 2 * n * n);
        for (int64_t i = 0; i < all; i++)
            ck_assert(isnan(got[i]));
    }
    ck_assert_int_eq(
        results(fn("f", schur_alone, 1, 2), COT_TYPES(cot_f64(3, 0, 0)), IN(zeros), got), 0);
}
END_TEST

BODY(symmetric_residual, cot_value v; cot_value w = cot_eigh(in[0], &v);
     out[0] = largest(cot_sub(cot_matmul(in[0], v), cot_mul(v, w)));
     out[1] = largest(cot_sub(cot_matmul(adjoint(v), v),
                              cot_eye(t, cot_type_of(v).dtype, cot_type_of(v).dims[0])));)
BODY(singular_residual, cot_value s; cot_value vt;
     cot_value u = cot_svd(in[0], &s, &vt, .full = 1); const int64_t m = cot_type_of(u).dims[0];
     cot_value first = cot_slice(u, .start = COT_LIST(0, 0),
                                 .limit = COT_LIST(m, cot_type_of(s).dims[0]));
     cot_value rows = cot_slice(vt, .start = COT_LIST(0, 0),
                                .limit = COT_LIST(cot_type_of(s).dims[0],
                                                  cot_type_of(vt).dims[0]));
     out[0] = largest(cot_sub(cot_matmul(cot_mul(first, s), rows), in[0]));
     out[1] = largest(cot_sub(cot_matmul(adjoint(u), u), cot_eye(t, cot_type_of(u).dtype, m)));)

BODY(many_values, out[0] = cot_eigvalsh(in[0]);)

/* At the line of the op. */
START_TEST(c_source_refuses_lapack)
{
    const cot_export e = { fn("f", many_values, 1, 1), COT_TYPES(cot_f64(40, 40)), "f" };
    const cot_compile_options o = { .backend = "c" };

    ck_assert_int_eq(cot_build_object(ctx, &e, 1, &o, "/tmp/cotrace-none.c", NULL),
                     COT_ERR_TARGET);
    ck_assert_msg(strstr(cot_error(ctx),
                         "eigh: matrices of more than 32 rows need LAPACK, which C source "
                         "cannot call; wants at most 32 rows"),
                  "%s", cot_error(ctx));
}
END_TEST

START_TEST(large_ones_are_lapack_s)
{
    static double x[3200], got[2];

    for (int i = 0; i < 3200; i++)
        x[i] = sin(i * 1.7 + (double)(i % 13) * i);
    ck_assert_int_eq(
        results(fn("f", singular_residual, 1, 2), COT_TYPES(cot_f64(36, 40)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "svd: %g, %g", got[0], got[1]);
    ck_assert_int_eq(
        results(fn("f", singular_residual, 1, 2), COT_TYPES(cot_c128(40, 35)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "complex svd: %g, %g", got[0], got[1]);
    for (int i = 0; i < 40; i++)
        for (int k = 0; k < 40; k++) {
            x[2 * (i * 40 + k)] = cos((double)(i * k) + i + k);
            x[2 * (i * 40 + k) + 1] = sin((double)(i - k));
        }
    ck_assert_int_eq(
        results(fn("f", symmetric_residual, 1, 2), COT_TYPES(cot_c128(40, 40)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "complex eigh: %g, %g", got[0], got[1]);
    fill(SYMMETRIC, 40, x);
    ck_assert_int_eq(
        results(fn("f", symmetric_residual, 1, 2), COT_TYPES(cot_f64(40, 40)), IN(x), got), 2);
    ck_assert_msg(got[0] < 1e-12 && got[1] < 1e-12, "eigh: %g, %g", got[0], got[1]);
}
END_TEST

BODY(sum_of_vectors, cot_value v; (void)cot_eigh(in[0], &v);
     out[0] = cot_reduce_sum(cot_mul(v, cot_iota(t, cot_f64(2, 2), 1)));)
BODY(sum_of_values, out[0] = cot_reduce_sum(cot_square(cot_eigh(in[0], NULL)));)
BODY(sum_of_left, cot_value u = cot_svd(in[0], NULL, NULL);
     out[0] = cot_reduce_sum(cot_mul(u, cot_iota(t, cot_f64(2, 2), 1)));)
BODY(sum_of_singular, out[0] = cot_reduce_sum(cot_svdvals(in[0]));)
BODY(sum_of_triangle, out[0] = cot_reduce_sum(cot_cholesky(in[0]));)
BODY(log_of_det, (void)cot_slogdet(in[0], &out[0]);)
BODY(sum_of_inverse, out[0] = cot_reduce_sum(cot_inv(in[0]));)
BODY(defective, cot_value v; (void)cot_eig(in[0], &v, NULL);
     out[0] = cot_reduce_sum(cot_square(cot_square(cot_abs(v))));)

/* As docs/linalg.md says: derivatives of what is not determined are infinite or NaN (or, where
 * rounding parts what is equal, very large), those of values are there. */
START_TEST(derivatives_of_the_undetermined)
{
    const struct { cot_body *body; const double *x; bool exists; double want[4]; } rows[] = {
        { sum_of_vectors, F64(2, 0, 0, 2), false, { 0 } },
        { sum_of_values, F64(2, 0, 0, 2), true, { 4, 0, 0, 4 } },
        { sum_of_left, F64(2, 0, 0, 2), false, { 0 } },
        { sum_of_singular, F64(2, 0, 0, 2), true, { 1, 0, 0, 1 } },
        { sum_of_triangle, F64(1, 2, 2, 1), false, { 0 } },
        { log_of_det, F64(1, 2, 2, 4), false, { 0 } },
        { sum_of_inverse, F64(1, 2, 2, 4), false, { 0 } },
        { defective, F64(2, 1, 0, 2), false, { 0 } },
    };
    double got[4];
    bool finite = true, large = false;

    ck_assert_int_eq(results(cot_grad(fn("f", rows[_i].body, 1, 1)), COT_TYPES(cot_f64(2, 2)),
                             IN(rows[_i].x), got), 4);
    for (int i = 0; i < 4; i++) {
        finite &= isfinite(got[i]) != 0;
        large |= fabs(got[i]) > 1e6;
        if (rows[_i].exists)
            ck_assert_msg(fabs(got[i] - rows[_i].want[i]) < 1e-14, "row %d: %g, wants %g", _i,
                          got[i], rows[_i].want[i]);
    }
    ck_assert_msg(rows[_i].exists == (finite && !large), "row %d", _i);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "residuals", vectors_belong_to_values, MANY + 2 },
        { "schur", schur_forms, MANY + 2 },
        { "schur_corners", schur_corners, 0 },
        { "pairs", pairs_are_conjugates, 0 },
        { "batch", each_of_a_batch_is_as_alone, 0 },
        { "corners", what_is_not_finite_is_nan, 0 },
        { "undetermined", derivatives_of_the_undetermined, 8 },
        { "refused", c_source_refuses_lapack, 0 },
        { "lapack", large_ones_are_lapack_s, 0 },
    };

    return SUITE("eig", cases);
}
