/* The functions of cotrace/linalg.h that linalg.py compares with JAX and PyTorch, by name.
 *
 * What libraries may answer with other signs, phases or order is composed here to what none of
 * them changes: eigenvectors and singular vectors as V diag(1, 2, ...) V^H, those of eig as a
 * function of the matrix.  Operands of which one triangle is promised not to be read hold other
 * numbers there. */
#ifndef LINALG_FUNCTIONS_H
#define LINALG_FUNCTIONS_H

#include "functions.h"

#include <math.h>

#define FUNCTION(name)                                                                         \
    static void name(cot_trace *t, const cot_value *x, cot_value *y, double k)
#define UNUSED (void)t, (void)x, (void)k

static bool
is_complex(cot_value x)
{
    return cot_dtype_of(x) == COT_C64 || cot_dtype_of(x) == COT_C128;
}

static cot_value
adjoint(cot_value x)
{
    int64_t perm[COT_MAX_RANK] = { 0 };
    int rank = cot_rank(x);

    for (int i = 0; i < rank; i++)
        perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
    cot_value y = cot_transpose(x, .perm = { rank, 0, perm });
    return is_complex(x) ? cot_conj(y) : y;
}

static cot_value
hermitian(cot_value x)
{
    return cot_mul(cot_add(x, adjoint(x)), 0.5);
}

/* x with column j times j + 1. */
static cot_value
weighted(cot_trace *t, cot_value x)
{
    cot_dtype real = cot_dtype_of(is_complex(x) ? cot_real(x) : x);
    int64_t n = cot_type_of(x).dims[cot_rank(x) - 1];
    cot_value g = cot_add(cot_iota(t, cot_type_new(real, 1, &n), 0), 1);

    return cot_mul(x, is_complex(x) ? cot_complex(g, cot_zeros(t, cot_type_of(g))) : g);
}

FUNCTION(cholesky) { UNUSED; y[0] = cot_cholesky(hermitian(x[0])); }
FUNCTION(cholesky_upper) { UNUSED; y[0] = cot_cholesky(hermitian(x[0]), .upper = 1); }
FUNCTION(cholesky_triangle) { UNUSED; y[0] = cot_cholesky(x[0], .triangle = 1); }
FUNCTION(trisolve) { UNUSED; y[0] = cot_triangular_solve(x[0], x[1]); }
FUNCTION(trisolve_upper) { UNUSED; y[0] = cot_triangular_solve(x[0], x[1], .upper = 1); }
FUNCTION(trisolve_right) { UNUSED; y[0] = cot_triangular_solve(x[0], x[1], .right = 1); }
FUNCTION(trisolve_unit) { UNUSED; y[0] = cot_triangular_solve(x[0], x[1], .unit = 1); }
FUNCTION(trisolve_transposed)
{
    UNUSED;
    y[0] = cot_triangular_solve(x[0], x[1], .transposed = 1, .upper = 1);
}
FUNCTION(lu) { UNUSED; y[0] = cot_lu(x[0], &y[1], &y[2]); }
FUNCTION(qr) { UNUSED; y[0] = cot_qr(x[0], &y[1]); }
FUNCTION(qr_full) { UNUSED; y[0] = cot_qr(x[0], &y[1], .full = 1); }

FUNCTION(eigh)
{
    cot_value v;

    UNUSED;
    y[0] = cot_eigh(hermitian(x[0]), &v);
    y[1] = cot_matmul(weighted(t, v), adjoint(v));
}

FUNCTION(eigvalsh) { UNUSED; y[0] = cot_eigvalsh(hermitian(x[0])); }

FUNCTION(eigh_triangle)
{
    cot_value v;

    UNUSED;
    y[0] = cot_eigh(x[0], &v, .triangle = 1, .upper = k > 0);
    y[1] = cot_matmul(weighted(t, v), adjoint(v));
}

FUNCTION(svd)
{
    cot_value vt, u;

    UNUSED;
    u = cot_svd(x[0], &y[0], &vt);
    y[1] = cot_matmul(weighted(t, u), vt);
}

FUNCTION(svdvals) { UNUSED; y[0] = cot_svdvals(x[0]); }

/* sum w^2 and exp(x), by R diag(exp(w) / diag(L^H R)) L^H, in which no length or phase is
 * left. */
FUNCTION(eig)
{
    cot_value r, l, w = cot_eig(x[0], &r, &l);
    cot_value pairs = cot_reduce_sum(cot_mul(cot_conj(l), r), .axes = COT_LIST(-2));
    cot_value f = cot_div(cot_exp(w), pairs);

    UNUSED;
    y[0] = cot_reduce_sum(cot_mul(w, w), .axes = COT_LIST(-1));
    y[1] = cot_matmul(cot_mul(r, cot_expand_dims(f, -2)), adjoint(l));
}

FUNCTION(eigvals)
{
    cot_value w = cot_eigvals(x[0]);

    UNUSED;
    y[0] = cot_reduce_sum(cot_exp(w), .axes = COT_LIST(-1));
}

FUNCTION(solve) { UNUSED; y[0] = cot_solve(x[0], x[1]); }
FUNCTION(inv) { UNUSED; y[0] = cot_inv(x[0]); }
FUNCTION(det) { UNUSED; y[0] = cot_det(x[0]); }
FUNCTION(slogdet) { UNUSED; y[0] = cot_slogdet(x[0], &y[1]); }
FUNCTION(cholesky_solve) { UNUSED; y[0] = cot_cholesky_solve(x[0], x[1]); }
FUNCTION(cholesky_solve_upper)
{
    UNUSED;
    y[0] = cot_cholesky_solve(x[0], x[1], .upper = 1);
}

FUNCTION(cholesky_inverse) { UNUSED; y[0] = cot_cholesky_inverse(x[0]); }

FUNCTION(lu_solve)
{
    cot_value order, factors = cot_lu(x[0], NULL, &order);

    UNUSED;
    y[0] = cot_lu_solve(factors, order, x[1]);
}

FUNCTION(tensorsolve) { UNUSED; y[0] = cot_tensorsolve(x[0], x[1]); }
FUNCTION(tensorinv) { UNUSED; y[0] = cot_tensorinv(x[0], (int64_t)k); }
FUNCTION(lstsq) { UNUSED; y[0] = cot_lstsq(x[0], x[1]); }
FUNCTION(pinv) { UNUSED; y[0] = cot_pinv(x[0]); }

FUNCTION(householder_product) { UNUSED; y[0] = cot_householder_product(x[0], x[1]); }
FUNCTION(multi_dot) { UNUSED; y[0] = cot_multi_dot(COT_VALUES(x[0], x[1], x[2], x[3])); }
FUNCTION(vecdot) { UNUSED; y[0] = cot_vecdot(x[0], x[1]); }
FUNCTION(expm) { UNUSED; y[0] = cot_expm(x[0]); }
FUNCTION(matrix_power) { UNUSED; y[0] = cot_matrix_power(x[0], (int64_t)k); }
FUNCTION(matrix_trace) { UNUSED; y[0] = cot_matrix_trace(x[0]); }
FUNCTION(diag) { UNUSED; y[0] = cot_diag(x[0], (int64_t)k); }
FUNCTION(outer) { UNUSED; y[0] = cot_outer(x[0], x[1]); }
FUNCTION(kron) { UNUSED; y[0] = cot_kron(x[0], x[1]); }
FUNCTION(cross) { UNUSED; y[0] = cot_cross(x[0], x[1]); }
FUNCTION(vander) { UNUSED; y[0] = cot_vander(x[0], (int64_t)k); }
FUNCTION(matrix_rank) { UNUSED; y[0] = cot_matrix_rank(x[0], 0); }
FUNCTION(vector_norm) { UNUSED; y[0] = cot_vector_norm(x[0], k, .axes = COT_LIST(-1)); }
FUNCTION(matrix_norm) { UNUSED; y[0] = cot_matrix_norm(x[0], (cot_matrix_norm_kind)k); }
FUNCTION(matrix_cond) { UNUSED; y[0] = cot_matrix_cond(x[0]); }

/* Draws: x[0] is of the type and shape wanted, its numbers are not read. */

FUNCTION(dropout) { UNUSED; y[0] = cot_dropout(x[0], k, .key = cot_key(t, 1)); }
#define INIT(name, ...)                                                                        \
    FUNCTION(name)                                                                             \
    {                                                                                          \
        UNUSED;                                                                                \
        y[0] = cot_##name(t, cot_type_of(x[0]), .key = cot_key(t, 7), __VA_ARGS__);            \
    }
INIT(init_normal, .mean = 1, .std = k)
INIT(truncated_normal, .std = k)
INIT(orthogonal, .gain = k)
INIT(xavier_uniform, .gain = k)
INIT(xavier_normal, .gain = k)
INIT(kaiming_uniform, .slope = k)
INIT(kaiming_normal, .slope = k, .fan_out = 1)

static const function_row functions[] = {
#define ROW(name, n_in, n_out) { #name, name, n_in, n_out },
    ROW(cholesky, 1, 1) ROW(cholesky_upper, 1, 1) ROW(cholesky_triangle, 1, 1)
    ROW(trisolve, 2, 1) ROW(trisolve_upper, 2, 1) ROW(trisolve_right, 2, 1)
    ROW(trisolve_unit, 2, 1) ROW(trisolve_transposed, 2, 1) ROW(lu, 1, 3) ROW(qr, 1, 2)
    ROW(qr_full, 1, 2) ROW(eigh, 1, 2) ROW(eigvalsh, 1, 1) ROW(eigh_triangle, 1, 2)
    ROW(svd, 1, 2) ROW(svdvals, 1, 1) ROW(eig, 1, 2) ROW(eigvals, 1, 1) ROW(solve, 2, 1)
    ROW(inv, 1, 1) ROW(det, 1, 1) ROW(slogdet, 1, 2) ROW(cholesky_solve, 2, 1)
    ROW(cholesky_solve_upper, 2, 1) ROW(cholesky_inverse, 1, 1) ROW(lu_solve, 2, 1)
    ROW(tensorsolve, 2, 1) ROW(tensorinv, 1, 1) ROW(lstsq, 2, 1) ROW(pinv, 1, 1)
    ROW(householder_product, 2, 1) ROW(multi_dot, 4, 1) ROW(vecdot, 2, 1) ROW(expm, 1, 1)
    ROW(matrix_power, 1, 1) ROW(matrix_trace, 1, 1) ROW(diag, 1, 1) ROW(outer, 2, 1)
    ROW(kron, 2, 1) ROW(cross, 2, 1) ROW(vander, 1, 1) ROW(matrix_rank, 1, 1)
    ROW(vector_norm, 1, 1) ROW(matrix_norm, 1, 1) ROW(matrix_cond, 1, 1)
    ROW(dropout, 1, 1) ROW(init_normal, 1, 1) ROW(truncated_normal, 1, 1)
    ROW(orthogonal, 1, 1) ROW(xavier_uniform, 1, 1) ROW(xavier_normal, 1, 1)
    ROW(kaiming_uniform, 1, 1) ROW(kaiming_normal, 1, 1)
#undef ROW
};

#endif
