/* Cotrace: linear algebra.
 *
 * Matrices are the last two axes of a value, those before them a batch; element types are
 * floating, f16 and bf16 computed in f32, or complex, and then ^T below is the conjugate
 * transpose (but in triangular_solve), and eigenvalues of eigh, singular values and the
 * diagonals of L and R are real.  The factorisations are graphs of smaller ops (the pass
 * `expand`), so that every back end gives the same bits and objects need no library.
 * Derivatives are in terms of the factors, as in the literature; where they do not exist (equal
 * eigenvalues, a singular matrix) they are infinite or NaN, as in JAX and PyTorch.  What is not
 * a matrix, or does not fit, is COT_ERR_SHAPE; what is neither floating nor complex,
 * COT_ERR_DTYPE.
 *
 * Sources: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013; LAPACK's conventions for
 * signs and pivots. */
#ifndef COTRACE_LINALG_H
#define COTRACE_LINALG_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct COT_NAMED_ cot_linalg_options {
    COT_BEGIN_
    /* cholesky: give L^T; triangular_solve: of the upper triangle; eigh: read that one */
    int upper;
    /* cholesky, eigh: read one triangle only; 0: the mean of x and its transpose */
    int triangle;
    int right;                  /* triangular_solve: z a = b in place of a z = b */
    int transposed;             /* triangular_solve: a^T in place of a      */
    int unit;                   /* triangular_solve: ones on the diagonal, which is not read */
    int full;                   /* qr, svd: all orthonormal vectors         */
} cot_linalg_options;

/* Norms of matrices: Frobenius; sum of singular values; largest and least sum of a column,
 * singular value, sum of a row. */
typedef enum cot_matrix_norm_kind {
    COT_NORM_FRO,
    COT_NORM_NUC,
    COT_NORM_1,
    COT_NORM_MINUS_1,
    COT_NORM_2,
    COT_NORM_MINUS_2,
    COT_NORM_INF,
    COT_NORM_MINUS_INF
} cot_matrix_norm_kind;

#define COT_LINALG_(...) &(const cot_linalg_options){__VA_ARGS__}, sizeof(cot_linalg_options)
COT_API cot_value cot_cholesky_(cot_place at, cot_value x, const cot_linalg_options *o,
                                size_t size);
COT_API cot_value cot_triangular_solve_(cot_place at, cot_value a, cot_value b,
                                        const cot_linalg_options *o, size_t size);
COT_API cot_value cot_lu_(cot_place at, cot_value x, cot_value *pivots, cot_value *order);
COT_API cot_value cot_qr_(cot_place at, cot_value x, cot_value *r, const cot_linalg_options *o,
                          size_t size);
COT_API cot_value cot_eigh_(cot_place at, cot_value x, cot_value *vectors,
                            const cot_linalg_options *o, size_t size);
COT_API cot_value cot_eig_(cot_place at, cot_value x, cot_value *right, cot_value *left);
COT_API cot_value cot_schur_(cot_place at, cot_value x, cot_value *z);
COT_API cot_value cot_svd_(cot_place at, cot_value x, cot_value *s, cot_value *vt,
                           const cot_linalg_options *o, size_t size);
COT_API cot_value cot_svdvals_(cot_place at, cot_value x);
COT_API cot_value cot_solve_(cot_place at, cot_value a, cot_value b);
COT_API cot_value cot_inv_(cot_place at, cot_value x);
COT_API cot_value cot_det_(cot_place at, cot_value x);
COT_API cot_value cot_slogdet_(cot_place at, cot_value x, cot_value *logabs);
COT_API cot_value cot_cholesky_solve_(cot_place at, cot_value factor, cot_value b,
                                      const cot_linalg_options *o, size_t size);
COT_API cot_value cot_cholesky_inverse_(cot_place at, cot_value factor,
                                        const cot_linalg_options *o, size_t size);
COT_API cot_value cot_lu_solve_(cot_place at, cot_value factors, cot_value order, cot_value b);
COT_API cot_value cot_tensorsolve_(cot_place at, cot_value a, cot_value b);
COT_API cot_value cot_tensorinv_(cot_place at, cot_value x, int64_t ind);
COT_API cot_value cot_householder_product_(cot_place at, cot_value v, cot_value tau);
COT_API cot_value cot_multi_dot_(cot_place at, cot_values xs);
COT_API cot_value cot_vecdot_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_lstsq_(cot_place at, cot_value a, cot_value b);
COT_API cot_value cot_pinv_(cot_place at, cot_value x);
COT_API cot_value cot_expm_(cot_place at, cot_value x);
COT_API cot_value cot_matrix_power_(cot_place at, cot_value x, int64_t n);
COT_API cot_value cot_matrix_trace_(cot_place at, cot_value x);
COT_API cot_value cot_diag_(cot_place at, cot_value x, int64_t k);
COT_API cot_value cot_outer_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_kron_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_sqrtm_(cot_place at, cot_value x);
COT_API cot_value cot_logm_(cot_place at, cot_value x);
COT_API cot_value cot_block_diag_(cot_place at, cot_values xs);
COT_API cot_value cot_toeplitz_(cot_place at, cot_value column, cot_value row);
COT_API cot_value cot_cross_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_vander_(cot_place at, cot_value x, int64_t n);
COT_API cot_value cot_matrix_rank_(cot_place at, cot_value x, double tolerance);
COT_API cot_value cot_vector_norm_(cot_place at, cot_value x, double order,
                                   const cot_reduce_options *o, size_t size);
COT_API cot_value cot_matrix_norm_(cot_place at, cot_value x, cot_matrix_norm_kind kind);
COT_API cot_value cot_matrix_cond_(cot_place at, cot_value x);

#ifndef __cplusplus
/* Lower triangular L with x = L L^T: T[..., n, n].  x is made symmetric first, (x + x^T) / 2,
 * so that its gradient is symmetric; with .triangle = 1 only its lower triangle is read and has
 * a derivative.  .upper = 1 gives L^T.  All of L is NaN where x is not positive definite. */
#define cot_cholesky(...) COT_CHOLESKY_(__VA_ARGS__, .end_ = 0)
#define COT_CHOLESKY_(x, ...) cot_cholesky_(COT_HERE, x, COT_LINALG_(__VA_ARGS__))
/* z with a z = b, a T[..., n, n] lower triangular (.upper = 1: upper), b T[..., n, m]; or with
 * .right = 1 z a = b, b T[..., m, n]; .transposed = 1: a^T in the place of a; .unit = 1: the
 * diagonal is not read, but 1.  The other triangle is never read.  Batch axes broadcast.  A 0
 * on the diagonal gives infinities or NaN. */
#define cot_triangular_solve(...) COT_TRIANGULAR_SOLVE_(__VA_ARGS__, .end_ = 0)
#define COT_TRIANGULAR_SOLVE_(a, b, ...)                                                       \
    cot_triangular_solve_(COT_HERE, a, b, COT_LINALG_(__VA_ARGS__))
/* x T[..., m, n] with its rows in another order = L U, in one matrix: L, with ones on its
 * diagonal, below that of U.
 * *pivots, i32[..., min(m, n)] (may be NULL): row i was exchanged with row pivots[i], one after
 * the other; *order, i32[..., m] (may be NULL): row i was row order[i] of x.  Of a singular
 * matrix U has a 0 on its diagonal, and the derivative is infinite or NaN. */
#define cot_lu(x, pivots, order) cot_lu_(COT_HERE, x, pivots, order)
/* Q of x = Q R, T[..., m, k], and *r (may be NULL), T[..., k, n], upper triangular; k = min(m,
 * n), or m with .full = 1.
 * A sign on the diagonal of R is the opposite of that of the element that stood there (LAPACK's
 * choice). */
#define cot_qr(...) COT_QR_(__VA_ARGS__, .end_ = 0)
#define COT_QR_(x, r, ...) cot_qr_(COT_HERE, x, r, COT_LINALG_(__VA_ARGS__))
/* The eigenvalues of symmetric matrices x, T[..., n] ascending, and *vectors (may be NULL),
 * T[..., n, n], the columns of which are orthonormal eigenvectors.  x is made symmetric first,
 * unless .triangle = 1: then its lower triangle is read (.upper = 1: its upper).  The
 * derivative of the vectors of equal eigenvalues is infinite or NaN; that of the values exists
 * where they are apart.  Up to 32 rows time is about 8 sweeps of n - 1 rotations; more rows are
 * computed by LAPACK, loaded when it is needed (COT_ERR_TARGET where there is none, and for
 * objects, C source and PTX), with NaN where x is not finite.  So is svd of more than 32
 * singular values, and eig of more than 32 rows. */
#define cot_eigh(...) COT_EIGH_(__VA_ARGS__, .end_ = 0)
#define COT_EIGH_(x, vectors, ...) cot_eigh_(COT_HERE, x, vectors, COT_LINALG_(__VA_ARGS__))
/* The eigenvalues of any square matrices x, c64[..., n] or c128[..., n], in no promised order;
 * *right and *left (both may be NULL), complex [..., n, n], have the vectors in columns: x
 * right = right diag(w), left^H x = diag(w) left^H, of length 1, the largest component real and
 * positive.  A real x has real eigenvalues (their imaginary part is 0) and pairs of conjugates,
 * that above the real axis first, and vectors like them.  Time grows with n^3, about 25 n^3.
 * All is NaN where an element of x is infinite or NaN, or 30 n sweeps are not enough.  The
 * derivative of the vectors keeps their length, and is of one choice of phase: a loss must not
 * depend on it.  Where eigenvectors are not independent (a defective matrix) vectors are what
 * rounding makes of them, and derivatives infinite, NaN or very large. */
#define cot_eig(x, right, left) cot_eig_(COT_HERE, x, right, left)
/* The Schur form t, T[..., n, n], of any square matrices x, T[..., n, n]: x = z t z^H with *z
 * (may be NULL), T[..., n, n], unitary.  Of a complex x t is upper triangular, with the
 * eigenvalues on its diagonal.  Of a real x it is so but for blocks [a, b; c, a], b c < 0, of
 * two rows on the diagonal, each with the eigenvalues a +- i sqrt(-b c): the real Schur form;
 * that of cot_complex(x, 0) is the complex one.  The eigenvalues are in no promised order.
 * Time grows with n^3, about 25 n^3.  All is NaN where an element of x is infinite or NaN, or
 * 30 n sweeps are not enough.
 * The derivative keeps the form, and for a complex x is of one choice of the phases of the
 * columns of z: a loss must not depend on them.  It is infinite, NaN or very large where two
 * eigenvalues are equal, and of a real form where b = -c (G. Golub, C. Van Loan, Matrix
 * Computations, 4th ed., 2013, chapter 7). */
#define cot_schur(x, z) cot_schur_(COT_HERE, x, z)
/* The eigenvalues alone of square matrices x T[..., n, n], as cot_eig has them: c64 or c128
 * [..., n], in no promised order. */
#define cot_eigvals(x) cot_eig_(COT_HERE, x, NULL, NULL)
/* The eigenvalues alone of symmetric (or Hermitian) matrices T[..., n, n], as cot_eigh has
 * them, with its options: real [..., n], ascending. */
#define cot_eigvalsh(...) COT_EIGVALSH_(__VA_ARGS__, .end_ = 0)
#define COT_EIGVALSH_(x, ...) cot_eigh_(COT_HERE, x, NULL, COT_LINALG_(__VA_ARGS__))
/* u of x = u diag(s) vt, T[..., m, k]; *s, T[..., k], descending, >= 0; *vt, T[..., k, n] (both
 * may be NULL); k = min(m, n), or with .full = 1 all of the orthonormal vectors (then, unless x
 * is square, without a derivative: COT_ERR_RULE). */
#define cot_svd(...) COT_SVD_(__VA_ARGS__, .end_ = 0)
#define COT_SVD_(x, s, vt, ...) cot_svd_(COT_HERE, x, s, vt, COT_LINALG_(__VA_ARGS__))
/* The singular values alone of x T[..., m, n], as cot_svd has them: real [..., min(m, n)],
 * descending, 0 or more. */
#define cot_svdvals(x) cot_svdvals_(COT_HERE, x)

/* z with a z = b, a T[..., n, n], b T[n] or T[..., n, m], by lu; batch axes broadcast.  Its
 * derivatives solve with the same factors.  Infinities or NaN where a is singular. */
#define cot_solve(a, b) cot_solve_(COT_HERE, a, b)
/* The inverse of square matrices T[..., n, n], by lu. Gradients use the factors of the value.
 * Infinities or NaN where x is singular. */
#define cot_inv(x) cot_inv_(COT_HERE, x)
/* The determinant, up to 3 rows by its polynomial, else by lu, and then no product of some
 * pivots leaves the range unless all do.  Its first two derivatives exist also for singular
 * matrices. */
#define cot_det(x) cot_det_(COT_HERE, x)
/* The sign of the determinant, and in *logabs (may be NULL) the logarithm of its absolute
 * value: 0 and -inf where x is singular, with infinite or NaN derivatives. */
#define cot_slogdet(x, logabs) cot_slogdet_(COT_HERE, x, logabs)
/* cot_solve where the factor is at hand: l of cot_cholesky (.upper = 1: l^T); batch axes
 * broadcast. */
#define cot_cholesky_solve(...) COT_CHOLESKY_SOLVE_(__VA_ARGS__, .end_ = 0)
#define COT_CHOLESKY_SOLVE_(l, b, ...)                                                         \
    cot_cholesky_solve_(COT_HERE, l, b, COT_LINALG_(__VA_ARGS__))
/* The inverse of the matrices whose factors of cot_cholesky are l T[..., n, n], with the same
 * options (.upper = 1: l is L^T); symmetric up to rounding. */
#define cot_cholesky_inverse(...) COT_CHOLESKY_INVERSE_(__VA_ARGS__, .end_ = 0)
#define COT_CHOLESKY_INVERSE_(l, ...)                                                          \
    cot_cholesky_inverse_(COT_HERE, l, COT_LINALG_(__VA_ARGS__))
/* cot_solve where cot_lu gave the factors and *order; batch axes broadcast, those of order
 * are the factors'. */
#define cot_lu_solve(factors, order, b) cot_lu_solve_(COT_HERE, factors, order, b)
/* z with sum over the last axes of a and all of z = b, where a's first axes are those of b
 * and the others, of as many elements, z's (NumPy's tensorsolve). */
#define cot_tensorsolve(a, b) cot_tensorsolve_(COT_HERE, a, b)
/* The inverse of that map, with the first `ind` axes of x as b's, whose axes come last in the
 * result (NumPy's tensorinv). */
#define cot_tensorinv(x, ind) cot_tensorinv_(COT_HERE, x, ind)
/* z with the least |a z - b|, a T[..., m, n] of full rank, b T[m] or T[..., m, k]; if m < n, of
 * those with a z = b the shortest; by qr.  For a of less than full rank take
 * cot_matmul(cot_pinv(a), b). */
#define cot_lstsq(a, b) cot_lstsq_(COT_HERE, a, b)
/* The Moore-Penrose inverse, T[..., n, m], by svd; singular values below 10 max(m, n) eps times
 * the largest are 0. */
#define cot_pinv(x) cot_pinv_(COT_HERE, x)

/* The first n columns of H_0 H_1 ... H_k-1, H_i = I - tau_i v_i v_i^T, v T[..., m, n], m >= n,
 * with v_i below the diagonal of column i (1 on it, not read), tau T[..., k], k <= n: the Q of
 * factors as LAPACK keeps them (orgqr). */
#define cot_householder_product(v, tau) cot_householder_product_(COT_HERE, v, tau)
/* The product of two matrices or more, COT_VALUES(a, b, ...), in the order of the fewest
 * operations; the first may be a vector, taken as a row, and the last one, taken as a column.
 * Halves are rounded once. */
#define cot_multi_dot(xs) cot_multi_dot_(COT_HERE, xs)
/* The sum of conj(x) y along the last axis, for x and y with at least one axis, of numbers;
 * their shapes broadcast, and the result lacks that axis. Integers are allowed, too. */
#define cot_vecdot(x, y) cot_vecdot_(COT_HERE, x, y)

/* e^x by scaling, the Pade approximant of degree 13, and squaring, up to 16 times; NaN where
 * the greatest sum of a column passes 2^16 times 5.4 (N. Higham, SIAM J. Matrix Anal. Appl.
 * 26(4), 2005). */
#define cot_expm(x) cot_expm_(COT_HERE, x)
/* The principal square root of matrices, T[..., n, n], none of whose eigenvalues is 0 or a
 * negative number (a real x with pairs of complex ones has a real root); NaN where the
 * iteration does not converge, as where there is such an eigenvalue.  The error grows with
 * the condition of x.  By 20 steps of Denman and Beavers' iteration. */
#define cot_sqrtm(x) cot_sqrtm_(COT_HERE, x)
/* The principal logarithm, of the same matrices; its error grows with the condition of x and
 * with its distance from I.  By at most 12 roots and Gauss's rule of 8 points (S. Cheng et
 * al., SIAM J. Matrix Anal. Appl. 22, 2001). */
#define cot_logm(x) cot_logm_(COT_HERE, x)
/* x^n by repeated squaring; n < 0: of the inverse; n = 0: the unit matrix. */
#define cot_matrix_power(x, n) cot_matrix_power_(COT_HERE, x, n)
/* The sum of the main diagonal of the last two axes of x T[..., m, n], which need not be
 * square: T[...]. Integers are allowed, too. */
#define cot_matrix_trace(x) cot_matrix_trace_(COT_HERE, x)
/* Of a vector, the matrix with it on the k-th diagonal (k > 0: above); of more axes, the k-th
 * diagonal of the last two. */
#define cot_diag(x, k) cot_diag_(COT_HERE, x, k)
/* All products of an element of x with one of y, T[size of x, size of y], of numbers of any
 * type, which promote. */
#define cot_outer(x, y) cot_outer_(COT_HERE, x, y)
/* The Kronecker product, axis by axis, of values with any number of axes (fewer: as if of size
 * 1 in front): numbers of any type, which promote. */
#define cot_kron(x, y) cot_kron_(COT_HERE, x, y)

/* cot_block_diag(COT_VALUES(x, y)): matrices along the diagonal, zeros elsewhere; of any
 * element types, to which they promote; a vector is a row, a scalar a matrix of one element.
 *
 * Errors   COT_ERR_SHAPE  more than two axes; COT_ERR_ARG  no matrix */
#define cot_block_diag(xs) cot_block_diag_(COT_HERE, xs)
/* The matrix with equal elements along each diagonal, of its first column [m] and its first row
 * [n], the first element of which does not count: T[m, n]; a row that is COT_UNSET is the
 * conjugate of the column.  Any element types. */
#define cot_toeplitz(column, row) cot_toeplitz_(COT_HERE, column, row)

/* The cross product of vectors along the last axis, of size 3 (else COT_ERR_SHAPE); the axes
 * before it broadcast.  Integers are allowed, too. */
#define cot_cross(x, y) cot_cross_(COT_HERE, x, y)
/* The powers 0 ... n - 1 of each element of x T[...], along a new last axis: T[..., n].
 * Integers are allowed, too.  Errors: COT_ERR_ARG where n is negative. */
#define cot_vander(x, n) cot_vander_(COT_HERE, x, n)

/* (sum |x|^order)^(1 / order) over .axes (default: all); order INFINITY and -INFINITY: the
 * largest and the least; 0: how many are not 0.  Sums of squares and powers overflow and vanish
 * as those do.
 * The derivative at 0 is 0.  The least of no elements is COT_ERR_SHAPE. */
#define cot_vector_norm(...) COT_VECTOR_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_VECTOR_NORM_(x, order, ...) \
    cot_vector_norm_(COT_HERE, x, order, COT_REDUCE_(__VA_ARGS__))
/* The norm of x T[..., m, n] over the last two axes, real [...], by the kind.  It is 0 of an
 * empty matrix; the least of no sums or of no singular values is COT_ERR_SHAPE. */
#define cot_matrix_norm(x, kind) cot_matrix_norm_(COT_HERE, x, kind)
/* The condition number in the 2-norm of x T[..., m, n]: the largest singular value over the
 * least, real [...]; infinite or very large where x is singular, NaN of zeros. Errors:
 * COT_ERR_SHAPE where x is empty. */
#define cot_matrix_cond(x) cot_matrix_cond_(COT_HERE, x)
/* How many singular values are above tolerance times the largest, i32[...]; tolerance 0:
 * max(m, n) eps. */
#define cot_matrix_rank(x, tolerance) cot_matrix_rank_(COT_HERE, x, tolerance)
#endif

#ifdef __cplusplus
}
#endif

#endif
