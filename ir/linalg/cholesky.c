/* x = L L^T.
 *
 * Column by column (right-looking), each step subtracting the product of a column with itself. */
#include "ir/linalg/parts.h"

/* The factor of small matrices: n steps, each a column of L and the matrix without its part.  A
 * square root of what is not positive makes NaN of all that follows. */
static ir_ref
unblocked(ir_build *b, ir_ref x)
{
    ir_la_loop l;
    ir_ref next[2], out[2];

    ir_la_loop_begin(b, &l, ir_la_rows(b, x), 0, 1, &x);
    ir_build *s = l.b;
    ir_ref a = l.in[0], n = IR_NONE;
    const int64_t size = ir_la_rows(s, a);
    ir_ref col = ir_la_block_at(s, a, n, size, l.step, 1);
    ir_ref d = ir_op1(s, OP_sqrt, ir_la_block_at(s, col, l.step, 1, n, 1));
    ir_ref y = ir_div(s, col, ir_la_fit(s, d, col));
    y = ir_la_keep(s, ir_la_rows_where(s, OP_ge, y, l.step), y, 0);
    next[0] = ir_sub(s, a, ir_mul(s, ir_la_fit(s, y, a), ir_la_fit(s, ir_la_turn(s, y), a)));
    next[1] = y;
    ir_la_loop_end(b, &l, 1, next, out);
    if (b->status != COT_OK)
        return IR_NONE;
    const int64_t batch = ir_la_batch(b, x);
    return ir_transpose(b, ir_reshape(b, out[1], 3, (const int64_t[]){ size, batch, size }),
                        (const int64_t[]){ 1, 2, 0 });
}

void
eval_cholesky(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]);

    (void)at, (void)n_in;
    out[0] = in[0];
    if (!x || ir_btype(b, x)->size == 0)
        return;
    ir_ref y = unblocked(b, x);
    const int64_t n = ir_la_rows(b, x);
    ir_ref last = ir_la_fit(b, ir_la_block(b, y, n - 1, 1, n - 1, 1), y);
    ir_ref bad = ir_op2(b, OP_and, ir_op2(b, OP_ne, last, last), ir_la_compare(b, OP_ge, y, 0));
    y = ir_select(b, bad, last, y);
    out[0] = ir_la_out(b, y, in[0]);
}
