/* x z = y with x triangular.
 *
 * Every case is turned into a lower triangle on the left, from the first row on. */
#include "ir/linalg/parts.h"

/* Row i of z is (row i of y - x[i, :i] z[:i]) / x[i, i]; what is not known yet is 0. */
static ir_ref
unblocked(ir_build *b, ir_ref x, ir_ref y, bool unit)
{
    ir_la_loop l;
    ir_ref in[3] = { x, y, y ? ir_zeros(b, ir_btype(b, y)) : IR_NONE }, next;
    const ir_ref none = IR_NONE;

    ir_la_loop_begin(b, &l, ir_la_rows(b, x), 2, 1, in);
    ir_build *s = l.b;
    const int64_t n = ir_la_rows(s, l.in[0]), m = ir_la_cols(s, l.in[1]);
    ir_ref row = ir_la_block_at(s, l.in[0], l.step, 1, none, n);
    ir_ref below = ir_la_keep(s, ir_la_cols_where(s, OP_lt, row, l.step), row, 0);
    ir_ref z = ir_sub(s, ir_la_block_at(s, l.in[1], l.step, 1, none, m),
                      ir_la_dot(s, below, false, l.in[2], false));
    if (!unit)
        z = ir_div(s, z, ir_la_fit(s, ir_la_block_at(s, row, none, 1, l.step, 1), z));
    next = ir_la_put_at(s, l.in[2], z, l.step, none);
    ir_la_loop_end(b, &l, 0, &next, &next);
    return next;
}

void
eval_triangular_solve(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    const bool right = at->triangle.right, turned = at->triangle.transposed != right;
    const bool backward = (at->triangle.upper != 0) != turned;
    const ir_axes both = ir_axes_of(1) | ir_axes_of(2), rows = ir_axes_of(1);
    ir_ref x = ir_la_in(b, in[0]), y = ir_la_in(b, in[1]);

    (void)n_in;
    out[0] = in[1];
    if (!y || ir_btype(b, y)->size == 0)
        return;
    x = turned ? ir_la_turn(b, x) : x;
    y = right ? ir_la_turn(b, y) : y;
    if (backward) {
        x = ir_reverse(b, x, both);
        y = ir_reverse(b, y, rows);
    }
    y = unblocked(b, x, y, at->triangle.unit);
    y = backward ? ir_reverse(b, y, rows) : y;
    y = right ? ir_la_turn(b, y) : y;
    out[0] = ir_la_out(b, y, in[1]);
}
