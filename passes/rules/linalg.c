/* Rules of linear algebra: derivatives in terms of the same ops, so that they can be
 * differentiated and mapped again.
 *
 *   x z = y           z' = x^-1 (y' - x' z)          of the triangle that is read
 *   x = L L^T         L' = L phi(L^-1 x' L^-T)       phi: the lower triangle, half of the
 * diagonal
 *   x = Q R           Q' = Q (s - w) + x' R^-1,      w = Q^T x' R^-1, s = low(w) - low(w)^T
 *                     R' = (w - s) R
 *   x v = v w         w' = diag(z), v' = v p         z = v^T x' v, p = f (z + z^T) / 2,
 *                                                    f_ij = 1 / (w_j - w_i), 0 for i = j
 *   x v = v w         w' = diag(z), v' = v (f z) - v diag(Re(v^H v (f z)))   for a general x,
 *                                                    z = v^-1 x' v
 *   x = u s v^T       s' = diag(z), u' = u (p + q), v' = v (p - q)
 *                                                    z = u^T x' v, p as above with s for w,
 *                                                    q_ij = (z_ij - z_ji) / 2 (s_j + s_i)
 *   p x = L U         L' = L s, U' = m - s U         m = L^-1 p x', s = low(m U^-1), low: below
 *
 * Of complex matrices T is the conjugate transpose, but in triangular_solve; diagonals that are
 * real stay real (of w in cholesky, of R' R^-1 in qr), and the gauge of eigenvectors is that z
 * has a real diagonal, that of singular vectors halves its imaginary part, as in PyTorch.
 *
 * Sources: M. Giles, Collected matrix derivative results for forward and reverse mode
 * algorithmic differentiation, 2008; I. Murray, Differentiation of the Cholesky decomposition,
 * 2016; S. Walter, L. Lehmann, Algorithmic differentiation of linear algebra functions, 2010;
 * J. Townsend, Differentiating the singular value decomposition, 2016. */
#include "passes/rules/linalg.h"

/* ---- matrices in the last two axes ---- */

ir_ref
pass_la_transpose(ir_build *b, ir_ref x)
{
    const int r = pass_la_rank_of(b, x);
    return ir_move_axis(b, x, r - 2, r - 1);
}

/* The conjugate of x; x itself if it is real. */
static ir_ref
conjugate(ir_build *b, ir_ref x)
{
    return x && ir_is_complex(ir_btype(b, x)->dtype) ? ir_op1(b, OP_conj, x) : x;
}

static ir_ref
adjoint(ir_build *b, ir_ref x)
{
    return conjugate(b, pass_la_transpose(b, x));
}

/* The mask op(row, column) over the elements of x. */
ir_ref
pass_la_where(ir_build *b, ir_op op, ir_ref x)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    ir_ref row = ir_iota(b, COT_I32, t->rank, t->dims, t->rank - 2),
           col = ir_iota(b, COT_I32, t->rank, t->dims, t->rank - 1);
    return ir_op2(b, op, row, col);
}

static ir_ref
keep(ir_build *b, ir_op op, ir_ref x)
{
    ir_ref zero = ir_like(b, x, 0);
    return ir_select(b, pass_la_where(b, op, x), x, zero);
}

/* x with a real diagonal; below: i times the imaginary part of its diagonal. */
static ir_ref
real_diagonal(ir_build *b, ir_ref x)
{
    if (!x || !ir_is_complex(ir_btype(b, x)->dtype))
        return x;
    ir_ref re = ir_convert(b, ir_op1(b, OP_real, x), ir_btype(b, x)->dtype);
    return ir_select(b, pass_la_where(b, OP_eq, x), re, x);
}

static ir_ref
phases(ir_build *b, ir_ref x)
{
    ir_ref twice = ir_sub(b, x, conjugate(b, x));
    return keep(b, OP_eq, ir_mul(b, twice, ir_like(b, twice, 0.5)));
}

/* The Hermitian (symmetric) matrix with the lower triangle of x. */
static ir_ref
hermitian(ir_build *b, ir_ref x)
{
    ir_ref otherwise = adjoint(b, x);
    return real_diagonal(b, ir_select(b, pass_la_where(b, OP_ge, x), x, otherwise));
}

static ir_ref
solve(ir_build *b, ir_ref x, ir_ref y, ir_attrs at)
{
    return ir_node1(b, OP_triangular_solve, 2, (ir_ref[]){ x, y }, &at);
}

/* ---- triangular_solve ---- */

/* The triangle of the operand that the op reads. */
static ir_ref
triangle(ir_build *b, ir_ref x, const ir_attrs *at)
{
    const bool upper = at->triangle.upper;
    return keep(b, at->triangle.unit ? (upper ? OP_lt : OP_gt) : upper ? OP_le : OP_ge, x);
}

void
jvp_triangular_solve(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_attrs *at = n->at;
    ir_ref r = in[1].tan;

    (void)f;
    if (in[0].tan) {
        ir_ref dx = triangle(b, in[0].tan, at), z = y->val;
        dx = at->triangle.transposed ? pass_la_transpose(b, dx) : dx;
        r = tan_sub(b, r, at->triangle.right ? ir_matmul(b, z, dx) : ir_matmul(b, dx, z));
    }
    y->tan = r ? solve(b, in[0].val, r, ir_node_attrs(n)) : IR_NONE;
}

void
transpose_triangular_solve(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                           const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    ir_attrs at = ir_node_attrs(n);

    (void)f, (void)linear;
    at.triangle.transposed = !at.triangle.transposed;
    ct_in[1] = solve(b, in[0], ct[0], at);
}

/* If the matrix is the same for all examples, they become more columns (with `right`, rows). */
static ir_ref
more_columns(ir_build *b, const ir_node *n, ir_ref x, ir_ref y)
{
    const ir_type *t = ir_btype(b, y);
    const int64_t size = t->dims[0], rows = t->dims[1], cols = t->dims[2];

    if (n->at->triangle.right) {
        ir_ref z = ir_reshape(b, y, 2, (const int64_t[]){ size * rows, cols });
        return ir_reshape(b, solve(b, x, z, ir_node_attrs(n)), 3, t->dims);
    }
    ir_ref z =
        ir_reshape(b, ir_move_axis(b, y, 0, 1), 2, (const int64_t[]){ rows, size * cols });
    z = ir_reshape(b, solve(b, x, z, ir_node_attrs(n)), 3,
                   (const int64_t[]){ rows, size, cols });
    return ir_move_axis(b, z, 1, 0);
}

void
vmap_triangular_solve(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                      const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)out_mapped;
    if (!mapped[0] && ir_type_at(f, n->in[0])->rank == 2)
        y[0] = more_columns(b, n, in[0], in[1]);
    else {
        ir_ref operand = pass_map_operand(b, in[1], mapped[1], size);
        y[0] = solve(b, pass_map_operand(b, in[0], mapped[0], size), operand, ir_node_attrs(n));
    }
}

/* ---- cholesky ---- */

/* The operand is the Hermitian matrix with the lower triangle of x. */
void
jvp_cholesky(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_attrs left = { .triangle = { 0 } },
                   right = { .triangle = { .right = 1, .transposed = 1 } };
    ir_ref dx = hermitian(b, in[0].tan), z = y->val;

    (void)f, (void)n;
    ir_ref solved = solve(b, z, dx, left);
    ir_ref w = real_diagonal(b, solve(b, conjugate(b, z), solved, right));
    ir_ref otherwise = keep(b, OP_ge, w);
    ir_ref then = ir_mul(b, w, ir_like(b, w, 0.5));
    w = ir_select(b, pass_la_where(b, OP_eq, w), then, otherwise);
    y->tan = ir_matmul(b, z, w);
}

/* ---- lu ---- */

/* x with its rows in another order, i32 [..., rows]. */
ir_ref
pass_la_reordered(ir_build *b, ir_ref x, ir_ref order)
{
    const int r = pass_la_rank_of(b, x);
    int64_t axis[COT_MAX_RANK], sizes[COT_MAX_RANK];

    if (!x || !order)
        return IR_NONE;
    for (int k = 0; k < r; k++)
        axis[k] = k, sizes[k] = 1;
    sizes[r - 1] = ir_btype(b, x)->dims[r - 1];
    const ir_ints batch = { r - 2, axis }, row = { 1, axis + r - 2 }, col = { 1, axis + r - 1 };
    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, ir_broadcast_axis(b, order, r - 1, 1) },
        &(ir_attrs){
            .gather = { col, row, batch, batch, row, { r, sizes }, IR_MODE_PROMISE } });
}

/* The block of m rows from r and n columns from c. */
ir_ref
pass_la_block(ir_build *b, ir_ref x, int64_t r, int64_t m, int64_t c, int64_t n)
{
    const int k = pass_la_rank_of(b, x);

    return ir_slice_axis(b, ir_slice_axis(b, x, k - 2, r, r + m), k - 1, c, c + n);
}

/* x with columns of zeros appended up to n columns. */
static ir_ref
widened(ir_build *b, ir_ref x, int64_t n)
{
    const int r = pass_la_rank_of(b, x);
    int64_t none[COT_MAX_RANK] = { 0 }, more[COT_MAX_RANK] = { 0 };

    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    more[r - 1] = n - t->dims[r - 1];
    ir_ref zero = ir_zeros(b, ir_type_new(b->ctx, t->dtype, 0, NULL));
    return more[r - 1] ? ir_pad(b, x, zero, none, more, NULL) : x;
}

/* If L has more rows than U, it is extended by the unit matrix: [L1 0; L2 I].  Then m = L^-1 p
 * x' = s U + U', with s = L^-1 L' strictly lower. s has as many columns as L has columns with
 * elements below the diagonal.  So for a matrix with no more rows than columns, nothing is
 * divided by the last pivot, which may be 0. */
void
jvp_lu(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_attrs left = { .triangle = { .unit = 1 } },
                   right = { .triangle = { .right = 1, .upper = 1 } };
    const ir_type *t = ir_type_at(f, n->in[0]);
    const int64_t rows = t->dims[t->rank - 2], cols = t->dims[t->rank - 1],
                  z = rows < cols ? rows : cols, k = rows <= cols ? rows - 1 : cols;
    ir_ref dx = pass_la_reordered(b, in[0].tan, y[2].val), lu = y[0].val, s = IR_NONE;

    if (t->size == 0)
        return;
    ir_ref corner = pass_la_block(b, lu, 0, z, 0, z);
    ir_ref m = solve(b, corner, pass_la_block(b, dx, 0, z, 0, cols), left);
    if (rows > z) {
        ir_ref taken = ir_matmul(b, pass_la_block(b, lu, z, rows - z, 0, z), m);
        ir_ref rest = ir_sub(b, pass_la_block(b, dx, z, rows - z, 0, cols), taken);
        m = ir_concatenate(b, 2, (ir_ref[]){ m, rest }, t->rank - 2);
    }
    if (k == 0) {
        y[0].tan = m;
        return;
    }
    ir_ref u = pass_la_block(b, lu, 0, k, 0, cols);
    s = solve(b, pass_la_block(b, lu, 0, k, 0, k), pass_la_block(b, m, 0, rows, 0, k), right);
    s = keep(b, OP_gt, s);
    ir_ref du = ir_sub(b, m, ir_matmul(b, s, keep(b, OP_le, u)));
    /* L s: the rows of s, plus what the columns of L below the diagonal contribute */
    ir_ref l = pass_la_block(b, lu, 0, rows, 0, z), top = pass_la_block(b, s, 0, z, 0, k);
    ir_ref dl = ir_add(b, s, ir_matmul(b, keep(b, OP_gt, l), top));
    y[0].tan = ir_select(b, pass_la_where(b, OP_gt, m), widened(b, dl, cols), du);
}

/* ---- qr ---- */

/* If x has more columns than rows, Q is that of the left columns, and R' = Q^T (x' - Q' R).  If
 * Q has more columns than x, these depend on the reflections, which are differentiated. */
void
jvp_qr(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_attrs right = { .triangle = { .right = 1, .upper = 1 } };
    const ir_type *t = ir_type_at(f, n->in[0]);
    const int64_t rows = t->dims[t->rank - 2], cols = t->dims[t->rank - 1],
                  z = rows < cols ? rows : cols;
    ir_ref dx = in[0].tan, q = y[0].val, r = y[1].val;

    if (t->size == 0)
        return;
    if (n->at->qr.full && rows > cols) {
        jvp_expand(b, f, n, in, y);
        return;
    }
    ir_ref block_z = pass_la_block(b, dx, 0, rows, 0, z);
    ir_ref v = solve(b, pass_la_block(b, r, 0, z, 0, z), block_z, right);
    ir_ref w = ir_matmul(b, adjoint(b, q), v), low = keep(b, OP_gt, w);
    ir_ref s = ir_sub(b, low, adjoint(b, low));
    if (ir_is_complex(t->dtype)) /* R has a real diagonal */
        s = ir_add(b, s, phases(b, w));
    y[0].tan = ir_add(b, ir_matmul(b, q, ir_sub(b, s, w)), v);
    if (cols == z)
        y[1].tan = ir_matmul(b, ir_sub(b, w, s), r);
    else {
        ir_ref difference = ir_sub(b, dx, ir_matmul(b, y[0].tan, r));
        y[1].tan = keep(b, OP_le, ir_matmul(b, adjoint(b, q), difference));
    }
}

/* ---- eigh, svd ---- */

/* The elements of a vector broadcast along the rows, or the columns, of a matrix like
 * `like`. */
static ir_ref
along(ir_build *b, ir_ref x, ir_ref like, bool rows)
{
    const int r = pass_la_rank_of(b, like);
    int64_t dims[COT_MAX_RANK];

    if (!x || !like)
        return IR_NONE;
    x = ir_convert(b, x, ir_btype(b, like)->dtype);
    for (int k = 0; k < r - 1; k++)
        dims[k] = k;
    dims[r - 2] = rows ? r - 2 : r - 1;
    return ir_broadcast_in_dim(b, x, r, ir_btype(b, like)->dims, dims);
}

ir_ref
pass_la_diagonal(ir_build *b, ir_ref x)
{
    const int r = pass_la_rank_of(b, x);
    return x ? ir_reduce(b, OP_reduce_sum, keep(b, OP_eq, x), ir_axes_of(r - 1)) : IR_NONE;
}

ir_ref
pass_la_real_part(ir_build *b, ir_ref x)
{
    return x && ir_is_complex(ir_btype(b, x)->dtype) ? ir_op1(b, OP_real, x) : x;
}

/* 1 / (w_j - w_i), with 0 on the diagonal; infinite for equal values. */
static ir_ref
gaps(ir_build *b, ir_ref w, ir_ref like)
{
    const bool complex = w && ir_is_complex(ir_btype(b, w)->dtype);
    ir_ref size = complex ? like : pass_la_real_part(b, like),
           own = pass_la_where(b, OP_eq, like);
    ir_ref right = along(b, w, size, true);
    ir_ref gap = ir_sub(b, along(b, w, size, false), right);
    ir_ref chosen = ir_select(b, own, ir_like(b, size, 1), gap);
    ir_ref f = ir_div(b, ir_like(b, size, 1), chosen);
    f = ir_select(b, own, ir_like(b, size, 0), f);
    return f ? ir_convert(b, f, ir_btype(b, like)->dtype) : IR_NONE;
}

/* The half (x + x^H) / 2, or (x - x^H) / 2. */
static ir_ref
half_of(ir_build *b, ir_op op, ir_ref x)
{
    ir_ref twice = ir_op2(b, op, x, adjoint(b, x));

    return ir_mul(b, twice, ir_like(b, x, 0.5));
}

/* (z_ij + z_ji) / 2 (w_j - w_i): how vectors of close values rotate.  Nothing is divided by a
 * difference of squares, which would have lost digits: in a function of both vectors the errors
 * cancel as exactly as w_j - w_i is computed.  The result is skew already.  It is made skew
 * once more for reverse mode, which then takes the difference of two cotangents before it
 * divides by the gap. */
static ir_ref
over_gaps(ir_build *b, ir_ref z, ir_ref w)
{
    ir_ref gap = gaps(b, w, z);

    return half_of(b, OP_sub, ir_mul(b, gap, half_of(b, OP_add, z)));
}

/* The operand is the Hermitian matrix with the lower triangle of x. */
void
jvp_eigh(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref dx = hermitian(b, in[0].tan), v = y[1].val;

    if (ir_type_at(f, n->in[0])->size == 0)
        return;
    ir_ref right = ir_matmul(b, dx, v);
    ir_ref z = ir_matmul(b, adjoint(b, v), right);
    y[0].tan = pass_la_real_part(b, pass_la_diagonal(b, z));
    y[1].tan = ir_matmul(b, v, over_gaps(b, z, y[0].val));
}

/* v^-1 y. */
static ir_ref
inverse_times(ir_build *b, ir_ref v, ir_ref y)
{
    ir_ref f[3] = { IR_NONE, IR_NONE, IR_NONE };

    ir_add_node(b, OP_lu, 1, &v, NULL, f);
    y = solve(b, f[0], pass_la_reordered(b, y, f[2]), (ir_attrs){ .triangle = { .unit = 1 } });
    return solve(b, f[0], y, (ir_attrs){ .triangle = { .upper = 1 } });
}

/* The tangents of values, and of vectors of length 1 with fixed phase: v' = v (f z) minus its
 * component along v. */
static void
general(ir_build *b, ir_ref dx, ir_ref w, ir_ref v, ir_ref *dw, ir_ref *dv)
{
    ir_ref z = inverse_times(b, v, ir_matmul(b, dx, v));
    ir_ref y = ir_matmul(b, v, ir_mul(b, gaps(b, w, z), z)),
           along_v = ir_mul(b, conjugate(b, v), y);

    if (!along_v)
        return;
    ir_ref sum = ir_reduce(b, OP_reduce_sum, pass_la_real_part(b, along_v),
                           ir_axes_of(pass_la_rank_of(b, v) - 2));
    *dw = pass_la_diagonal(b, z);
    *dv = ir_sub(b, y, ir_mul(b, v, along(b, sum, v, false)));
}

/* Left eigenvectors are right eigenvectors of x^H. */
void
jvp_eig(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref other = IR_NONE, dx = in[0].tan;

    (void)f, (void)n;
    if (!dx || !y[1].val || ir_btype(b, dx)->size == 0)
        return;
    dx = ir_convert(b, dx, ir_btype(b, y[1].val)->dtype);
    general(b, dx, y[0].val, y[1].val, &y[0].tan, &y[1].tan);
    ir_ref conjugated = conjugate(b, y[0].val);
    general(b, adjoint(b, dx), conjugated, y[2].val, &other, &y[2].tan);
}

/* For z = u^T x' v: (z_ij - z_ji) / 2 (s_j + s_i). */
static ir_ref
over_sums(ir_build *b, ir_ref z, ir_ref s)
{
    ir_ref at_row = along(b, s, z, true), sum = ir_add(b, along(b, s, z, false), at_row);

    if (sum && !ir_is_complex(ir_btype(b, sum)->dtype)) { /* the diagonal is 0 */
        ir_ref own = pass_la_where(b, OP_eq, z);
        sum = ir_select(b, own, ir_like(b, sum, 1), sum);
    }
    return ir_div(b, half_of(b, OP_sub, z), sum);
}

/* The part of x' v outside of the space that u spans: (x' v - u u^H x' v) / s. */
static ir_ref
outside(ir_build *b, ir_ref u, ir_ref xv, ir_ref s)
{
    ir_ref rest = ir_sub(b, xv, ir_matmul(b, u, ir_matmul(b, adjoint(b, u), xv)));
    return ir_div(b, rest, along(b, s, rest, false));
}

void
jvp_svd(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_type *t = ir_type_at(f, n->in[0]);
    const int64_t rows = t->dims[t->rank - 2], cols = t->dims[t->rank - 1];
    ir_ref dx = in[0].tan, u = y[0].val, s = y[1].val, v = adjoint(b, y[2].val);

    if (t->size == 0)
        return;
    if (n->at->qr.full && rows != cols) {
        ir_build_fail(b, "svd", ERR_no_rule, "jvp",
                      "vectors without a singular value (`full`, of a matrix that is not "
                      "square) are not determined");
        return;
    }
    ir_ref xv = ir_matmul(b, dx, v), xu = ir_matmul(b, adjoint(b, dx), u),
           z = ir_matmul(b, adjoint(b, u), xv);
    ir_ref p = over_gaps(b, z, s), q = over_sums(b, z, s);
    y[0].tan = ir_matmul(b, u, ir_add(b, p, q));
    y[1].tan = pass_la_real_part(b, pass_la_diagonal(b, z));
    y[2].tan = ir_matmul(b, v, ir_sub(b, p, q));
    if (rows > cols)
        y[0].tan = ir_add(b, y[0].tan, outside(b, u, xv, s));
    if (cols > rows)
        y[2].tan = ir_add(b, y[2].tan, outside(b, v, xu, s));
    y[2].tan = adjoint(b, y[2].tan);
}

/* ---- pinv ---- */

/* p' = -p x' p + p p^H x'^H (1 - x p) + (1 - p x) x'^H p^H p at constant rank (G. Golub, V.
 * Pereyra, SIAM J. Numer. Anal. 10(2), 1973). */
void
jvp_pinv(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref x = in[0].val, p = y[0].val, dx = in[0].tan;

    if (ir_type_at(f, n->in[0])->size == 0)
        return;
    ir_ref dxt = adjoint(b, dx), pt = adjoint(b, p);
    ir_ref first = ir_matmul(
        b, p, ir_matmul(b, pt, ir_sub(b, dxt, ir_matmul(b, ir_matmul(b, dxt, x), p))));
    ir_ref last = ir_matmul(b, ir_matmul(b, dxt, pt), p);
    last = ir_sub(b, last, ir_matmul(b, p, ir_matmul(b, x, last)));
    y[0].tan = ir_add(b, ir_sub(b, first, ir_matmul(b, ir_matmul(b, p, dx), p)), last);
}
