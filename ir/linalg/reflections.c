/* The reflections whose product has given first columns.
 *
 * With V the vectors, ones on its diagonal and zeros above, Q = I - V T V1^H, where V1 has the
 * first rows of V and T is upper triangular with the factors tau on its diagonal.  So Q - I is
 * V times the upper triangle -T V1^H: an LU factorisation without exchanges.  LAPACK's larfg
 * chooses a tau that is 0 or at least 1 in size, and no element of its vector exceeds 1 then: a
 * pivot is the largest of its column but for rounding, so that no exchange is needed, and
 * partial pivoting could choose another of the same size.  A pivot below 1/2 is rounding error
 * in the place of a 0: it has no vector.
 *
 * A block of few columns goes column by column; more of them go by halves.
 *
 * Source: G. Ballard et al., Reconstructing Householder vectors from tall-skinny QR, IPDPS
 * 2014. */
#include "ir/linalg/forms.h"

#include "ir/linalg/parts.h"

/* Column k of x loses its multiples from the columns to its right. */
static ir_ref
eliminated(ir_build *b, ir_ref x, ir_ref k)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x);
    ir_ref col = ir_op1(b, OP_barrier, ir_la_block_at(b, x, IR_NONE, m, k, 1));
    ir_ref row = ir_op1(b, OP_barrier, ir_la_block_at(b, x, k, 1, IR_NONE, n));
    ir_ref d = ir_la_block_at(b, col, k, 1, IR_NONE, 1), size = ir_la_size(b, d);
    ir_ref some = ir_op1(b, OP_not, ir_op2(b, OP_lt, size, ir_like(b, size, 0.5))); /* or NaN */
    ir_ref by = ir_la_fit(b, ir_la_keep(b, some, d, 1), col);
    ir_ref below =
        ir_op2(b, OP_and, ir_la_rows_where(b, OP_gt, col, k), ir_la_fit(b, some, col));
    ir_ref l = ir_op1(b, OP_barrier, ir_la_keep(b, below, ir_div(b, col, by), 0));
    ir_ref above = ir_la_rows_where(b, OP_lt, col, k), tau = ir_la_keep(b, some, d, 0);
    ir_ref done = ir_select(b, above, col, l), here = ir_la_rows_where(b, OP_eq, col, k);

    done = ir_select(b, here, ir_la_fit(b, tau, col), done);
    row = ir_la_keep(b, ir_la_cols_where(b, OP_gt, row, k), row, 0);
    ir_ref to_right = ir_la_fit(b, row, x);
    ir_ref product = ir_mul(b, ir_la_fit(b, l, x), to_right);
    return ir_la_put_at(b, ir_sub(b, x, product), done, IR_NONE, k);
}

/* L, which has ones on its diagonal, and U of x, m >= n. */
static ir_ref
factored(ir_build *b, ir_ref x)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), h = n / 2;

    if (!x)
        return IR_NONE;
    if (n <= IR_LA_SMALL) {
        ir_la_loop l;
        ir_la_loop_begin(b, &l, n, 0, 1, &x);
        ir_ref next = eliminated(l.b, l.in[0], l.step), out = IR_NONE;
        ir_la_loop_end(b, &l, 0, &next, &out);
        return out;
    }
    ir_ref left = factored(b, ir_la_block(b, x, 0, m, 0, h));
    ir_ref system[2] = { ir_la_block(b, left, 0, h, 0, h), ir_la_block(b, x, 0, h, h, n - h) };
    ir_ref u =
        ir_node1(b, OP_triangular_solve, 2, system, &(ir_attrs){ .triangle = { .unit = 1 } });
    ir_ref rest = ir_la_block(b, x, h, m - h, h, n - h),
           product = ir_la_dot(b, ir_la_block(b, left, h, m - h, 0, h), false, u, false);
    ir_ref right[2] = { u, factored(b, ir_sub(b, rest, product)) };
    ir_ref both[2] = { left, right[1] ? ir_concatenate(b, 2, right, 1) : IR_NONE };
    return both[1] ? ir_concatenate(b, 2, both, 2) : IR_NONE;
}

void
ir_reflections(ir_build *b, ir_ref q, ir_ref *v, ir_ref *tau)
{
    ir_ref x = ir_la_in(b, q);

    *v = *tau = IR_NONE;
    if (!x)
        return;
    const int64_t n = ir_la_cols(b, x), line[2] = { ir_la_batch(b, x), n };
    ir_ref f = ir_btype(b, x)->size ? factored(b, ir_sub(b, x, ir_la_eye(b, x))) : x;
    ir_ref own = ir_la_keep(b, ir_la_compare(b, OP_eq, f, 0), f, 0);
    *v = ir_la_out(b, ir_la_keep(b, ir_la_compare(b, OP_gt, f, 0), f, 0), q);
    own =
        own ? ir_reshape(b, ir_reduce(b, OP_reduce_sum, own, ir_axes_of(1)), 2, line) : IR_NONE;
    *tau = ir_la_out(b, ir_neg(b, own), q);
}
