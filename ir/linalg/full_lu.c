/* x with rows and columns exchanged = L U, by complete pivoting: the largest element of what is
 * left becomes the pivot.
 *
 * The pivots reveal the rank: after the first that is 0 all are, and L and U are there those of
 * the unit matrix.  A step searches all that is left, and subtracts the product of a column and
 * a row.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, section 3.4.8. */
#include "ir/linalg/parts.h"

/* Line k (a scalar) and line p, i32 [batch, 1, 1], of the columns of x exchanged. */
static ir_ref
exchanged(ir_build *b, ir_ref x, ir_ref k, ir_ref p)
{
    const int64_t rows = ir_la_rows(b, x), dims[3] = { ir_la_batch(b, x), rows, 1 };

    if (!x || !p)
        return IR_NONE;
    ir_ref column = ir_iota(b, COT_I32, 3, ir_btype(b, x)->dims, 2);
    ir_ref chosen = ir_op2(b, OP_eq, column, ir_la_fit(b, p, column));
    ir_ref mine = ir_reduce(b, OP_reduce_sum, ir_la_keep(b, chosen, x, 0), ir_axes_of(2));
    ir_ref from = ir_op1(b, OP_barrier, ir_la_block_at(b, x, IR_NONE, rows, k, 1));
    x = ir_select(b, chosen, ir_la_fit(b, from, x), x);
    return ir_la_put_at(b, x, ir_reshape(b, mine, 3, dims), IR_NONE, k);
}

/* The place of the largest element from row and column k on, as its row and its column. */
static void
largest(ir_build *b, ir_ref x, ir_ref k, ir_ref *row, ir_ref *col)
{
    const int64_t n = ir_la_rows(b, x), line[3] = { ir_la_batch(b, x), 1, n * n };
    ir_ref below = ir_la_rows_where(b, OP_ge, x, k), right = ir_la_cols_where(b, OP_ge, x, k);
    ir_ref left = ir_op2(b, OP_and, below, right);
    ir_ref size = ir_la_keep(b, left, ir_la_size(b, x), -1);

    *row = *col = IR_NONE;
    if (!size)
        return;
    size = ir_reshape(b, size, 3, line);
    ir_ref at = ir_node1(b, OP_argmax, 1, &size, &(ir_attrs){ .arg = { 2, COT_I32 } });
    at = ir_op1(b, OP_barrier, ir_reshape(b, at, 3, (const int64_t[]){ line[0], 1, 1 }));
    ir_ref wide = ir_splat_int(b, ir_btype(b, at), n);
    *row = ir_div(b, at, wide), *col = ir_op2(b, OP_rem, at, wide);
}

/* Elements below diagonal element k become multipliers, and their product with row k is
 * subtracted from what is to their right. */
static ir_ref
eliminated(ir_build *b, ir_ref x, ir_ref k)
{
    const int64_t n = ir_la_rows(b, x);
    ir_ref col = ir_op1(b, OP_barrier, ir_la_block_at(b, x, IR_NONE, n, k, 1));
    ir_ref row = ir_op1(b, OP_barrier, ir_la_block_at(b, x, k, 1, IR_NONE, n));
    ir_ref d = ir_la_fit(b, ir_la_block_at(b, col, k, 1, IR_NONE, 1), col);
    ir_ref quotient = ir_div(b, col, d);
    ir_ref l = ir_select(b, ir_op2(b, OP_eq, d, ir_like(b, d, 0)), col, quotient);
    ir_ref below = ir_la_rows_where(b, OP_gt, col, k);

    l = ir_op1(b, OP_barrier, ir_la_keep(b, below, l, 0));
    row = ir_la_keep(b, ir_la_cols_where(b, OP_gt, row, k), row, 0);
    ir_ref fitted = ir_la_fit(b, row, x);
    ir_ref rest = ir_sub(b, x, ir_mul(b, ir_la_fit(b, l, x), fitted));
    return ir_la_put_at(b, rest, ir_select(b, below, l, col), IR_NONE, k);
}

/* One more for a line that moved. */
static ir_ref
counted(ir_build *b, ir_ref odd, ir_ref k, ir_ref p)
{
    if (!odd || !p)
        return IR_NONE;
    ir_ref moved = ir_op2(b, OP_ne, p, ir_broadcast_scalar(b, k, ir_btype(b, p)));
    return ir_add(b, odd, ir_convert(b, moved, COT_I32));
}

void
eval_full_lu(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), p[2];
    const int64_t n = ir_la_rows(b, x), batch = ir_la_batch(b, x), line[3] = { batch, 1, n };
    const int64_t one[3] = { batch, 1, 1 }, flat[2] = { batch, n };
    ir_la_loop l;

    (void)at, (void)n_in;
    if (!x)
        return;
    ir_ref own = ir_iota(b, COT_I32, 3, line, 2);
    ir_ref y[4] = { x, own, own, ir_splat_int(b, ir_type_new(b->ctx, COT_I32, 3, one), 0) };
    if (ir_btype(b, x)->size > 0) {
        ir_la_loop_begin(b, &l, n, 0, 4, y);
        ir_build *s = l.b;
        largest(s, l.in[0], l.step, &p[0], &p[1]);
        ir_ref next[4] = { ir_la_transpose(s, l.in[0]), exchanged(s, l.in[1], l.step, p[0]),
                           exchanged(s, l.in[2], l.step, p[1]), l.in[3] };
        next[0] = ir_la_transpose(s, exchanged(s, next[0], l.step, p[0]));
        next[0] = ir_op1(s, OP_barrier, exchanged(s, next[0], l.step, p[1]));
        next[0] = eliminated(s, next[0], l.step);
        for (int i = 0; i < 2; i++)
            next[3] = counted(s, next[3], l.step, p[i]);
        ir_la_loop_end(b, &l, 0, next, y);
    }
    out[0] = ir_la_out(b, y[0], in[0]);
    for (int i = 1; i < 3; i++)
        out[i] = ir_la_out(b, y[i] ? ir_reshape(b, y[i], 2, flat) : IR_NONE, in[0]);
    out[3] = ir_la_out(b, y[3] ? ir_reshape(b, y[3], 1, &batch) : IR_NONE, in[0]);
}
