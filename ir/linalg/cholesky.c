/* x = L L^H.
 *
 * Small matrices go column by column: each step subtracts the outer product of the column with
 * itself.  Those of up to twice as many rows are factored in two halves.  Larger ones use a
 * left-looking blocked algorithm: a block of L is the block of x minus the products of the
 * blocks to its left, factored if it is on the diagonal, else solved with the block there.  The
 * diagonal blocks are factored by smaller blocks in the same way.  All loops have the same body
 * for every block, so that code size and compile time do not grow with x.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, section 4.2. */
#include "ir/linalg/parts.h"

/* The first n columns of L, as rows, of the n columns of x.  Each of n steps computes one
 * column and subtracts its outer product from the others.  The square root of a number that is
 * not positive makes NaN of all that follows. */
static ir_ref
columns(ir_build *b, ir_ref x)
{
    ir_la_loop l;
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), batch = ir_la_batch(b, x);
    const ir_ref none = IR_NONE;
    ir_ref next[2], out[2] = { IR_NONE, IR_NONE };

    ir_la_loop_begin(b, &l, n, 0, 1, &x);
    ir_build *s = l.b;
    ir_ref a = l.in[0], col = ir_la_block_at(s, a, none, m, l.step, 1);
    ir_ref d = ir_op1(s, OP_sqrt, ir_la_real(s, ir_la_block_at(s, col, l.step, 1, none, 1)));
    ir_ref y = ir_div(s, col, ir_la_fit_real(s, d, col));
    y = ir_la_keep(s, ir_la_rows_where(s, OP_ge, y, l.step), y, 0);
    ir_ref head = m > n ? ir_la_block(s, y, 0, n, 0, 1) : y;
    head = ir_la_fit(s, ir_la_adjoint(s, head), a);
    next[0] = ir_sub(s, a, ir_mul(s, ir_la_fit(s, y, a), head));
    next[1] = y;
    ir_la_loop_end(b, &l, 1, next, out);
    out[1] = ir_reshape(b, out[1], 3, (const int64_t[]){ n, batch, m });
    return batch == 1 ? ir_reshape(b, out[1], 3, (const int64_t[]){ 1, n, m })
                      : ir_transpose(b, out[1], (const int64_t[]){ 1, 0, 2 });
}

/* Factors the left half of the columns, all their rows, then the right half minus the product
 * of what is to the left.  For two blocks this is less code than loops over blocks, and needs
 * no solve. */
static ir_ref
by_halves(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_rows(b, x), h = (n + 1) / 2, k = n - h, batch = ir_la_batch(b, x);
    ir_ref left = columns(b, ir_la_block(b, x, 0, n, 0, h)),
           low = ir_la_block(b, left, 0, h, h, k),
           product = ir_la_dot(b, low, true, ir_la_conj(b, low), false);
    ir_ref right = columns(b, ir_sub(b, ir_la_block(b, x, h, k, h, k), product));

    if (!right)
        return IR_NONE;
    left = ir_op1(b, OP_barrier, ir_la_transpose(b, left));
    right = ir_op1(b, OP_barrier, ir_la_transpose(b, right));
    ir_ref above = ir_zeros(b, ir_la_type(b, right, batch, h, k));
    right = ir_concatenate(b, 2, (ir_ref[]){ above, right }, 1);
    return ir_concatenate(b, 2, (ir_ref[]){ left, right }, 2);
}

static ir_ref factor(ir_build *b, ir_ref x, int64_t most, int64_t size, ir_ref *inverses);

/* Block i, k of x without the products of the blocks of L to its left. */
static ir_ref
rest_of_block(ir_build *b, ir_ref x, ir_ref i, ir_ref k, int64_t size)
{
    ir_la_loop l;
    ir_ref row = ir_la_times(b, i, size), col = ir_la_times(b, k, size), part;
    ir_ref in[4] = { x, row, col, ir_la_block_at(b, x, row, size, col, size) };

    ir_la_for_begin(b, &l, ir_la_number(b, 0), k, 3, 1, in);
    ir_build *s = l.b;
    ir_ref j = ir_la_times(s, l.step, size);
    ir_ref block = ir_la_block_at(s, l.in[0], l.in[2], size, j, size);
    part = ir_la_dot_adjoint(s, ir_la_block_at(s, l.in[0], l.in[1], size, j, size), block);
    part = ir_sub(s, l.in[3], part);
    ir_la_for_end(b, &l, &part, &part);
    return part;
}

/* x with the blocks of block column k below the diagonal replaced by those of L; d is L's
 * diagonal block there. */
static ir_ref
below_diagonal(ir_build *b, ir_ref x, ir_ref d, ir_ref inverses, ir_ref k, int64_t blocks,
               int64_t size)
{
    ir_la_loop l;
    ir_ref in[4] = { ir_la_conj(b, d), ir_la_conj(b, inverses), k, x };

    ir_ref end = ir_la_number(b, blocks);
    ir_la_for_begin(b, &l, ir_add(b, k, ir_la_number(b, 1)), end, 3, 1, in);
    ir_build *s = l.b;
    ir_ref y = ir_la_solve_right(s, l.in[0], l.in[1],
                                 rest_of_block(s, l.in[3], l.step, l.in[2], size));
    ir_ref times = ir_la_times(s, l.in[2], size);
    y = ir_la_put_at(s, l.in[3], y, ir_la_times(s, l.step, size), times);
    ir_la_for_end(b, &l, &y, &y);
    return y;
}

/* In blocks of at most `most` rows, which are factored in smaller ones.  The inverses of the
 * diagonal blocks, which the blocks below are solved with, are a result too: *inverses as
 * ir_la_inverses has them, unless it is NULL. */
static ir_ref
blocked(ir_build *b, ir_ref x, int64_t most, ir_ref *inverses)
{
    const int64_t n = ir_la_rows(b, x), batch = ir_la_batch(b, x);
    const ir_la_blocking coarse = ir_la_blocking_of(n, most),
                         fine = ir_la_blocking_of(coarse.size, IR_LA_SMALL);
    const int64_t size = fine.blocks * fine.size;
    ir_la_loop l;
    ir_ref next[2], out[2] = { IR_NONE, IR_NONE };

    x = ir_la_grow(b, x, coarse.blocks * size);
    ir_la_loop_begin(b, &l, coarse.blocks, 0, 1, &x);
    ir_build *s = l.b;
    ir_ref at = ir_la_times(s, l.step, size);
    ir_ref d = factor(s, rest_of_block(s, l.in[0], l.step, l.step, size), IR_LA_SMALL,
                      fine.size, &next[1]);
    next[0] = below_diagonal(s, ir_la_put_at(s, l.in[0], d, at, at), d, next[1], l.step,
                             coarse.blocks, size);
    ir_la_loop_end(b, &l, inverses ? 1 : 0, next, out);
    if (inverses) {
        ir_ref all =
            batch == 1 ? out[1] : ir_transpose(b, out[1], (const int64_t[]){ 1, 0, 2, 3 });
        const int64_t dims[] = { batch, coarse.blocks * size, fine.size };
        *inverses = ir_reshape(b, all, 3, dims);
    }
    return ir_la_keep(b, ir_la_compare(b, OP_ge, out[0], 0), out[0], 0);
}

/* L of x, and the inverses of the blocks of `size` rows on its diagonal, unless `inverses` is
 * NULL. */
static ir_ref
factor(ir_build *b, ir_ref x, int64_t most, int64_t size, ir_ref *inverses)
{
    const int64_t n = ir_la_rows(b, x);
    const bool small = n <= 2 * IR_LA_SMALL;
    ir_ref y;

    if (ir_la_is_tiny(b, x))
        y = ir_la_tiny_cholesky(b, x);
    else if (n <= IR_LA_SMALL)
        y = ir_la_transpose(b, columns(b, x));
    else if (small)
        y = by_halves(b, x);
    else
        y = ir_la_crop(b, blocked(b, x, n <= most ? IR_LA_SMALL : most, inverses), n, n);
    if (small && inverses)
        *inverses = ir_la_inverses(b, y, size, false);
    return y;
}

/* NaN in all of the lower triangle where the last element of L is. */
static void
cholesky(ir_build *b, const void *user, const ir_ref *x, ir_ref *y)
{
    const int64_t n = ir_la_rows(b, x[0]);
    ir_ref z = factor(b, x[0], IR_LA_LARGE, 0, NULL);
    ir_ref last = ir_la_fit(b, ir_la_block(b, z, n - 1, 1, n - 1, 1), z);
    ir_ref compare = ir_la_compare(b, OP_ge, z, 0);
    ir_ref bad = ir_op2(b, OP_and, ir_op2(b, OP_ne, last, last), compare);

    (void)user;
    *y = ir_select(b, bad, last, z);
}

void
eval_cholesky(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y;

    (void)at, (void)n_in;
    out[0] = in[0];
    if (!x || ir_btype(b, x)->size == 0)
        return;
    if (ir_la_is_complex(b, x)) /* the imaginary part of the diagonal is not read */
        x = ir_la_hermitian(b, x);
    if (ir_la_rows(b, x) <= IR_LA_SMALL)
        cholesky(b, NULL, &x, &y);
    else
        ir_la_map(b, cholesky, NULL, 1, &x, 1, &y);
    out[0] = ir_la_out(b, y, in[0]);
}
