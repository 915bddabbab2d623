/* Rules of determinants, inverses and adjugates.
 *
 *   y = x^-1          y' = -y x' y
 *   y = det x         y' = tr(adj(x) x')             log|y|' = Re tr(x^-1 x')
 *
 * A determinant is a polynomial, so all its derivatives exist, even where x has no inverse.
 * Its gradient is the adjugate, whose elements are differentiated: for few rows they are
 * determinants with one row less; for more rows x is split into four blocks, the last of which
 * is small, while the first has the largest pivots and an inverse.  So nothing is divided by a
 * number that may be 0.
 *
 * Sources: J. Magnus, H. Neudecker, Matrix Differential Calculus, 3rd ed., 2007, section 8.3;
 * F. Zhang (ed.), The Schur Complement and Its Applications, 2005, section 1.1. */
#include "passes/rules/flow.h"
#include "passes/rules/linalg.h"

/* y is the inverse: y' = -y x' y. */
void
jvp_inverse(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    if (in[0].tan)
        y->tan = ir_neg(b, ir_matmul(b, y->val, ir_matmul(b, in[0].tan, y->val)));
}

/* The trace of x y. */
static ir_ref
trace_of_product(ir_build *b, ir_ref x, ir_ref y)
{
    const int r = pass_la_rank_of(b, x);
    ir_ref all = ir_mul(b, pass_la_transpose(b, x), y);

    return all ? ir_reduce(b, OP_reduce_sum, all, ir_axes_of(r - 1) | ir_axes_of(r - 2))
               : IR_NONE;
}

/* Another op on the operands x and its factors that op n has. */
static ir_ref
related_op(ir_build *b, ir_op op, const dual *in)
{
    return ir_node1(b, op, 4, (ir_ref[]){ in[0].val, in[1].val, in[2].val, in[3].val }, NULL);
}

/* det' = tr(adj(x) x') */
void
jvp_det(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    if (in[0].tan)
        y->tan = trace_of_product(b, related_op(b, OP_adjugate, in), in[0].tan);
}

/* z = tr(x^-1 x'): log|det|' = Re z, sign' = i sign Im z. */
void
jvp_slogdet(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    if (!in[0].tan)
        return;
    ir_ref z = trace_of_product(b, related_op(b, OP_inverse, in), in[0].tan);
    y[1].tan = pass_la_real_part(b, z);
    if (!z || y[1].tan == z)
        return;
    ir_ref turned = ir_sub(b, z, ir_convert(b, y[1].tan, ir_btype(b, z)->dtype));
    y[0].tan = ir_mul(b, y[0].val, turned);
}

/* The largest size at which the adjugate is differentiated minor by minor. */
enum { SMALL = 6 };

static ir_ref
of_factors(ir_build *b, ir_op op, ir_ref x)
{
    ir_ref in[4] = { x, IR_NONE, IR_NONE, IR_NONE };

    ir_add_node(b, OP_lu, 1, &x, NULL, in + 1);
    return ir_node1(b, op, 4, in, NULL);
}

/* For x [..., n, n]: the minors without row i and column j, for all i and j: [batch, n n, n -
 * 1, n - 1]. */
static ir_ref
minors(ir_build *b, ir_ref x, int64_t n)
{
    const int64_t all = n * n, one = (n - 1) * (n - 1), window = 0, axis = 1;
    const int64_t batch = x ? ir_btype(b, x)->size / all : 0, index[2] = { all * one, 1 },
                  sizes[2] = { batch, 1 }, dims[4] = { batch, all, n - 1, n - 1 };
    int32_t *at = IR_NEW_N(b->arena, int32_t, all *one + 1);

    if (!x)
        return IR_NONE;
    for (int64_t i = 0; i < all * one; i++) {
        const int64_t r = i % one / (n - 1), c = i % (n - 1);
        const int64_t row = i / one / n, col = i / one % n;
        at[i] = (int32_t)((r + (r >= row)) * n + c + (c >= col));
    }
    const ir_ints none = { 0, NULL }, here = { 1, &axis };
    ir_ref flat = ir_reshape(b, x, 2, (const int64_t[]){ batch, all });
    ir_ref i = ir_constant(b, ir_type_new(b->ctx, COT_I32, 2, index), at);
    ir_ref y = ir_node1(
        b, OP_gather, 2, (ir_ref[]){ flat, i },
        &(ir_attrs){
            .gather = {
                { 1, &window }, here, none, none, here, { 2, sizes }, IR_MODE_PROMISE } });
    return ir_reshape(b, y, 4, dims);
}

/* Element j, i of the adjugate is (-1)^(i + j) det M_ij, where M_ij is the minor without row i
 * and column j.  Its derivative is that sign times tr(adj(M_ij) M_ij').  A minor has one row
 * less, so by induction all further derivatives are right, whatever the rank. */
static ir_ref
adjugate_by_minors(ir_build *b, ir_ref x, ir_ref dx, int64_t n)
{
    double sign[SMALL * SMALL];

    if (!x || !dx)
        return IR_NONE;
    ir_ref m = minors(b, x, n), dm = minors(b, dx, n);
    ir_ref y = trace_of_product(b, of_factors(b, OP_adjugate, m), dm);
    for (int64_t i = 0; i < n * n; i++)
        sign[i] = (i / n + i % n) % 2 ? -1 : 1;
    ir_ref signs =
        ir_constant(b, ir_type_new(b->ctx, COT_F64, 1, (const int64_t[]){ n * n }), sign);
    signs = y ? ir_convert(b, signs, ir_btype(b, y)->dtype) : IR_NONE;
    signs = y ? ir_broadcast_in_dim(b, signs, 2, ir_btype(b, y)->dims, (const int64_t[]){ 1 })
              : IR_NONE;
    y = ir_mul(b, y, signs);
    return y ? pass_la_transpose(b,
                                 ir_reshape(b, y, pass_la_rank_of(b, x), ir_btype(b, x)->dims))
             : IR_NONE;
}

/* A matrix in four blocks, the last of which has SMALL rows. */
typedef struct quarters {
    ir_ref at[2][2];
} quarters;

static quarters
quartered(ir_build *b, ir_ref x, int64_t n)
{
    const int64_t start[2] = { 0, n - SMALL }, size[2] = { n - SMALL, SMALL };
    quarters q;

    for (int i = 0; i < 4; i++)
        q.at[i / 2][i % 2] =
            pass_la_block(b, x, start[i / 2], size[i / 2], start[i % 2], size[i % 2]);
    return q;
}

static ir_ref
joined(ir_build *b, const quarters *q)
{
    ir_ref row[2];
    const int r = pass_la_rank_of(b, q->at[0][0]);

    for (int i = 0; i < 2; i++) {
        if (!q->at[i][0] || !q->at[i][1])
            return IR_NONE;
        row[i] = ir_concatenate(b, 2, q->at[i], r - 1);
    }
    return ir_concatenate(b, 2, row, r - 2);
}

/* The number p of each matrix, [...], broadcast to the shape of x. */
static ir_ref
as_wide(ir_build *b, ir_ref p, ir_ref x)
{
    int64_t axis[COT_MAX_RANK];

    if (!p || !x)
        return IR_NONE;
    for (int k = 0; k < pass_la_rank_of(b, p); k++)
        axis[k] = k;
    return ir_broadcast_in_dim(b, p, pass_la_rank_of(b, x), ir_btype(b, x)->dims, axis);
}

static ir_ref
times(ir_build *b, ir_ref scalar, ir_ref x)
{
    return ir_mul(b, as_wide(b, scalar, x), x);
}

/* With A in the corner, F = A^-1, W = F B, V = C F and S = D - C W, SMALL rows:
 *
 *   x = [A B; C D],   det x = a s, a = det A, s = det S,   J = adj S
 *   adj x = a [s F + W J V, -W J; -J V, J]
 *
 * A has an inverse, so every derivative of this expression is that of the adjugate. */
static ir_ref
adjugate_by_blocks(ir_build *b, ir_ref x, int64_t n)
{
    const quarters q = quartered(b, x, n);
    ir_ref f = of_factors(b, OP_inverse, q.at[0][0]), a = of_factors(b, OP_det, q.at[0][0]);
    ir_ref w = ir_matmul(b, f, q.at[0][1]), v = ir_matmul(b, q.at[1][0], f);
    ir_ref rest = ir_sub(b, q.at[1][1], ir_matmul(b, q.at[1][0], w));
    ir_ref s = of_factors(b, OP_det, rest), j = times(b, a, of_factors(b, OP_adjugate, rest));
    ir_ref jv = ir_matmul(b, j, v), wjv = ir_matmul(b, w, jv),
           all = times(b, ir_mul(b, a, s), f);
    const quarters y = { { { ir_add(b, all, wjv), ir_neg(b, ir_matmul(b, w, j)) },
                           { ir_neg(b, jv), j } } };

    return joined(b, &y);
}

/* The derivative of adjugate_by_blocks. */
static ir_ref
blocks_tangent(ir_build *b, ir_ref x, ir_ref dx, int64_t n)
{
    ir_build *s = pass_flow_begin(b, "adjugate");
    ir_ref in = x ? ir_input(s, ir_btype(b, x), NULL) : IR_NONE, y[2] = { IR_NONE, IR_NONE };
    bool varies = false;
    ir_graph *d;

    ir_output(s, adjugate_by_blocks(s, in, n));
    ir_graph *g = pass_flow_end(b, s, NULL);
    if (!g || !pass_flow_ok(b, pass_jvp_graph(g, (const bool[]){ true }, &varies, &d)))
        return IR_NONE;
    ir_inline_graph(b, d, (ir_ref[]){ x, dx }, y);
    return y[1];
}

/* x with its rows and columns in these orders. */
static ir_ref
permuted(ir_build *b, ir_ref x, ir_ref rows, ir_ref columns)
{
    return pass_la_transpose(
        b, pass_la_reordered(b, pass_la_transpose(b, pass_la_reordered(b, x, rows)), columns));
}

/* Exchanges rows and columns of x so that A has the first pivots.  If the rank is below n -
 * SMALL, A has no inverse; then x is a sum of fewer than n - SMALL matrices of rank 1, the
 * first SMALL derivatives of the determinant are 0, and the unit matrix replaces x. */
static ir_ref
adjugate_tangent(ir_build *b, ir_ref x, ir_ref dx, int64_t n)
{
    const int r = pass_la_rank_of(b, x);
    const ir_attrs last = { .arg = { r - 2, COT_I32 } };
    ir_ref lu[4], back[2];

    ir_add_node(b, OP_full_lu, 1, &x, NULL, lu);
    ir_ref d = pass_la_diagonal(b, lu[0]), none = ir_op2(b, OP_eq, d, ir_like(b, d, 0));
    if (!none || !lu[3] || !dx)
        return IR_NONE;
    ir_ref first = ir_slice_axis(b, none, r - 2, 0, n - SMALL);
    ir_ref less = as_wide(b, ir_reduce(b, OP_reduce_or, first, ir_axes_of(r - 2)), x);
    ir_ref eye = ir_convert(b, pass_la_where(b, OP_eq, x), ir_btype(b, x)->dtype);
    x = ir_select(b, less, eye, permuted(b, x, lu[1], lu[2]));
    ir_ref zero = ir_like(b, dx, 0);
    dx = ir_select(b, less, zero, permuted(b, dx, lu[1], lu[2]));
    ir_ref y = blocks_tangent(b, x, dx, n);
    for (int k = 0; k < 2; k++)
        back[k] = ir_node1(b, OP_argsort, 1, &lu[1 + k], &last);
    y = permuted(b, y, back[1], back[0]);
    ir_ref odd = ir_op2(b, OP_and, lu[3], ir_splat_int(b, ir_btype(b, lu[3]), 1));
    odd = ir_op2(b, OP_ne, odd, ir_splat_int(b, ir_btype(b, odd), 0));
    ir_ref negative = ir_neg(b, y);
    return ir_select(b, as_wide(b, odd, y), negative, y);
}

void
jvp_adjugate(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_type *t = ir_type_at(f, n->in[0]);
    const int64_t rows = t->dims[t->rank - 1];

    if (!in[0].tan || t->size == 0 || rows < 2)
        return;
    y->tan = rows <= SMALL ? adjugate_by_minors(b, in[0].val, in[0].tan, rows)
                           : adjugate_tangent(b, in[0].val, in[0].tan, rows);
}
