/* x z = y with x triangular.
 *
 * Every case is reduced to a lower triangle on the left, solved from the first row on.  Small
 * ones go row by row.  Larger ones go by blocks: what earlier blocks contribute is a product,
 * and a block on the diagonal is solved by blocks of at most IR_LA_SMALL rows, whose inverses
 * are computed (as libraries for GPUs do; the error grows with the condition of such a block,
 * not of x).
 *
 * A complex triangle is the real one of twice the size in which a + bi is the block a, -b; b,
 * a.  Its rows are first divided by its diagonal, which leaves ones there, so that the real
 * matrix is a triangle; right-hand sides are vectors of parts.  The op stays linear in them,
 * and transposes as that of reals. */
#include "ir/linalg/parts.h"

enum { LEAF = 8 };      /* rows of a triangle that is inverted row by row */

/* n steps over y: row i is divided by the diagonal, and its multiples are subtracted from the
 * rows below.  Returns all rows, in order, on a first axis. */
static ir_ref
eliminate(ir_build *b, ir_ref x, ir_ref y, bool unit)
{
    ir_la_loop l;
    const int64_t n = ir_la_rows(b, x), m = ir_la_cols(b, y), batch = ir_la_batch(b, y);
    const ir_ref none = IR_NONE, in[2] = { x, y };
    ir_ref next[2], out[2] = { IR_NONE, IR_NONE };

    ir_la_loop_begin(b, &l, n, 1, 1, in);
    ir_build *s = l.b;
    ir_ref col = ir_la_block_at(s, l.in[0], none, n, l.step, 1);
    ir_ref row = ir_la_block_at(s, l.in[1], l.step, 1, none, m);
    if (!unit)
        row = ir_div(s, row, ir_la_fit(s, ir_la_block_at(s, col, l.step, 1, none, 1), row));
    col = ir_la_keep(s, ir_la_rows_where(s, OP_gt, col, l.step), col, 0);
    ir_ref fitted = ir_la_fit(s, row, l.in[1]);
    ir_ref part = ir_mul(s, ir_la_fit(s, col, l.in[1]), fitted);
    next[0] = ir_sub(s, l.in[1], part);
    next[1] = row;
    ir_la_loop_end(b, &l, 1, next, out);
    return ir_transpose(b, ir_reshape(b, out[1], 3, (const int64_t[]){ n, batch, m }),
                        (const int64_t[]){ 1, 0, 2 });
}

/* The halves of the diagonal of x, lower triangular, one below the other: [batch, n, n / 2]. */
static ir_ref
halves(ir_build *b, ir_ref x, int64_t h)
{
    ir_ref both[2] = { ir_la_block(b, x, 0, h, 0, h), ir_la_block(b, x, h, h, h, h) };

    return both[0] && both[1] ? ir_concatenate(b, 2, both, 1) : IR_NONE;
}

/* Of the blocks a, 0; c, d: those of a and d together, and of c - d^-1 c a^-1. */
ir_ref
ir_la_inverse(ir_build *b, ir_ref x, bool unit)
{
    const int64_t batch = ir_la_batch(b, x), n = ir_la_rows(b, x), h = n / 2;

    if (n <= LEAF || n % 2)
        return eliminate(b, x, ir_la_eye(b, x), unit);
    ir_ref y = ir_reshape(b, halves(b, x, h), 3, (const int64_t[]){ 2 * batch, h, h });
    y = ir_reshape(b, ir_la_inverse(b, y, unit), 3, (const int64_t[]){ batch, n, h });
    ir_ref a = ir_la_block(b, y, 0, h, 0, h), d = ir_la_block(b, y, h, h, 0, h);
    ir_ref c = ir_la_dot(b, ir_la_block(b, x, h, h, 0, h), false, a, false);
    ir_ref low[2] = { ir_neg(b, ir_la_dot(b, d, false, c, false)), d };
    ir_ref high[2] = { a, a ? ir_zeros(b, ir_btype(b, a)) : IR_NONE };
    if (!low[0] || !high[1])
        return IR_NONE;
    ir_ref rows[2] = { ir_concatenate(b, 2, high, 2), ir_concatenate(b, 2, low, 2) };
    return ir_concatenate(b, 2, rows, 1);
}

ir_ref
ir_la_inverses(ir_build *b, ir_ref x, int64_t size, bool unit)
{
    const int64_t batch = ir_la_batch(b, x), n = ir_la_rows(b, x), blocks = size ? n / size : 0;
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, blocks + 1);

    if (blocks == 1)
        return ir_la_inverse(b, x, unit);
    for (int64_t k = 0; k < blocks; k++) {
        ir_ref y = ir_la_block(b, x, k * size, size, k * size, size);
        part[k] = ir_reshape(b, y, 4, (const int64_t[]){ batch, 1, size, size });
    }
    ir_ref all = ir_reshape(b, ir_concatenate(b, (int)blocks, part, 1), 3,
                            (const int64_t[]){ batch * blocks, size, size });
    return ir_reshape(b, ir_la_inverse(b, all, unit), 3, (const int64_t[]){ batch, n, size });
}

ir_ref
ir_la_solve_right(ir_build *b, ir_ref x, ir_ref inverses, ir_ref y)
{
    const int64_t m = ir_la_rows(b, y), n = ir_la_rows(b, x), size = ir_la_cols(b, inverses);
    ir_ref z = IR_NONE;

    for (int64_t at = 0; at < n && size; at += size) {
        ir_ref part = ir_la_block(b, y, 0, m, at, size);
        if (z)
            part = ir_sub(b, part,
                          ir_la_dot(b, z, false, ir_la_block(b, x, at, size, 0, at), true));
        part = ir_la_dot(b, part, false, ir_la_block(b, inverses, at, size, 0, size), true);
        z = z ? ir_concatenate(b, 2, (ir_ref[]){ z, part }, 2) : part;
    }
    return z;
}

ir_ref
ir_la_solve_left(ir_build *b, ir_ref x, ir_ref inverses, ir_ref y)
{
    const int64_t m = ir_la_cols(b, y), n = ir_la_rows(b, x), size = ir_la_cols(b, inverses);
    ir_ref z = IR_NONE;

    for (int64_t at = 0; at < n && size; at += size) {
        ir_ref part = ir_la_block(b, y, at, size, 0, m);
        if (z)
            part = ir_sub(b, part,
                          ir_la_dot(b, ir_la_block(b, x, at, size, 0, at), false, z, false));
        part = ir_la_dot(b, ir_la_block(b, inverses, at, size, 0, size), false, part, false);
        z = z ? ir_concatenate(b, 2, (ir_ref[]){ z, part }, 1) : part;
    }
    return z;
}

/* Block row k of z: that of y without what the rows above contribute, solved. */
static ir_ref
block_row(ir_build *b, ir_ref x, ir_ref inverses, ir_ref z, ir_ref k, int64_t size)
{
    ir_la_loop l;
    const int64_t m = ir_la_cols(b, z), small = ir_la_cols(b, inverses);
    ir_ref at = ir_la_times(b, k, size), part;
    const ir_ref none = IR_NONE;
    ir_ref in[4] = { x, z, at, ir_la_block_at(b, z, at, size, none, m) };

    ir_la_for_begin(b, &l, ir_la_number(b, 0), k, 3, 1, in);
    ir_build *s = l.b;
    ir_ref j = ir_la_times(s, l.step, size);
    ir_ref block = ir_la_block_at(s, l.in[1], j, size, none, m);
    part =
        ir_la_dot(s, ir_la_block_at(s, l.in[0], l.in[2], size, j, size), false, block, false);
    part = ir_sub(s, l.in[3], part);
    ir_la_for_end(b, &l, &part, &part);
    ir_ref block_small = ir_la_block_at(b, inverses, at, size, none, small);
    return ir_la_put_at(
        b, z, ir_la_solve_left(b, ir_la_block_at(b, x, at, size, at, size), block_small, part),
        at, none);
}

/* x z = y by blocks; x is lower triangular and large. */
static ir_ref
blocked(ir_build *b, ir_ref x, ir_ref y, bool unit)
{
    const int64_t n = ir_la_rows(b, x), m = ir_la_cols(b, y);
    const ir_la_blocking coarse = ir_la_blocking_of(n, IR_LA_LARGE),
                         fine = ir_la_blocking_of(coarse.size, IR_LA_SMALL);
    const int64_t size = fine.blocks * fine.size, all = coarse.blocks * size;
    ir_la_loop l;

    x = ir_la_grow(b, x, all);
    y = all == n
            ? y
            : ir_la_put(b, ir_zeros(b, ir_la_type(b, y, ir_la_batch(b, y), all, m)), y, 0, 0);
    ir_ref in[3] = { x, ir_la_inverses(b, x, fine.size, unit), y };
    if (coarse.blocks == 1)
        return ir_la_crop(b, ir_la_solve_left(b, in[0], in[1], in[2]), n, m);
    ir_la_loop_begin(b, &l, coarse.blocks, 2, 1, in);
    ir_ref z = block_row(l.b, l.in[0], l.in[1], l.in[2], l.step, size);
    ir_la_loop_end(b, &l, 0, &z, &z);
    return ir_la_crop(b, z, n, m);
}

static void
solve(ir_build *b, const void *user, const ir_ref *x, ir_ref *y)
{
    const ir_attrs *at = user;

    *y = ir_la_rows(b, x[0]) <= IR_LA_SMALL ? eliminate(b, x[0], x[1], at->triangle.unit)
                                            : blocked(b, x[0], x[1], at->triangle.unit);
}

/* Parts of x side by side on a new axis k, then joined with the axis before it. */
static ir_ref
interleaved(ir_build *b, ir_ref re, ir_ref im, int k)
{
    int64_t one[COT_MAX_RANK + 1], both[COT_MAX_RANK];

    if (!re || !im)
        return IR_NONE;
    const ir_type *t = ir_btype(b, re);
    for (int i = 0; i <= t->rank; i++)
        one[i] = i < k ? t->dims[i] : i == k ? 1 : t->dims[i - 1];
    for (int i = 0; i < t->rank; i++)
        both[i] = i == k - 1 ? 2 * t->dims[i] : t->dims[i];
    const ir_ref part[2] = { ir_reshape(b, re, t->rank + 1, one),
                             ir_reshape(b, im, t->rank + 1, one) };
    return ir_reshape(b, ir_concatenate(b, 2, part, k), t->rank, both);
}

/* The matrix of blocks a, -b; b, a. */
static ir_ref
doubled(ir_build *b, ir_ref re, ir_ref im, int rank)
{
    ir_ref upper = interleaved(b, re, ir_neg(b, im), rank),
           lower = interleaved(b, im, re, rank);

    return interleaved(b, upper, lower, rank - 1);
}

/* Part p of what has parts on every other place of an axis. */
static ir_ref
part_of(ir_build *b, ir_ref y, int axis, int p)
{
    int64_t start[COT_MAX_RANK] = { 0 }, stride[COT_MAX_RANK];

    if (!y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, y);
    for (int i = 0; i < t->rank; i++)
        stride[i] = i == axis ? 2 : 1;
    start[axis] = p;
    return ir_slice(b, y, start, t->dims, stride);
}

/* The diagonal of x along axis k of y. */
static ir_ref
diagonal_along(ir_build *b, ir_ref x, ir_ref y, int axis)
{
    const int64_t flat[2] = { ir_la_batch(b, x), ir_la_rows(b, x) }, dims[2] = { 0, axis };
    ir_ref d = ir_la_keep(b, ir_la_compare(b, OP_eq, x, 0), x, 0);

    if (!x || !y)
        return IR_NONE;
    d = ir_reshape(b, ir_reduce(b, OP_reduce_sum, d, ir_axes_of(2)), 2, flat);
    return ir_broadcast_in_dim(b, d, 3, ir_btype(b, y)->dims, dims);
}

static ir_ref
solve_complex(ir_build *b, const ir_attrs *at, ir_ref x, ir_ref y)
{
    const bool first = at->triangle.right == at->triangle.transposed;
    const int axis = at->triangle.right ? 2 : 1;
    ir_attrs unit = ir_attrs_of(IR_AT_triangle, at);
    ir_ref d = at->triangle.unit ? IR_NONE : diagonal_along(b, x, y, axis);

    if (d) {
        x = ir_div(b, x, diagonal_along(b, x, x, 1));
        y = first ? ir_div(b, y, d) : y;
    }
    x = ir_la_keep(b, ir_la_compare(b, OP_ne, x, 0), x, 0);
    ir_ref re = ir_op1(b, OP_real, x), im = ir_op1(b, OP_imag, x);
    ir_ref doubled_re = doubled(b, re, first ? im : ir_neg(b, im), 3);
    ir_ref im_y = ir_op1(b, OP_imag, y);
    ir_ref in[2] = { doubled_re, interleaved(b, ir_op1(b, OP_real, y), im_y, axis + 1) };
    unit.triangle.unit = 1;
    ir_ref z = ir_node1(b, OP_triangular_solve, 2, in, &unit);
    ir_ref part_of_axis = part_of(b, z, axis, 1);
    z = ir_op2(b, OP_complex, part_of(b, z, axis, 0), part_of_axis);
    return d && !first ? ir_div(b, z, d) : z;
}

void
eval_triangular_solve(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    const bool right = at->triangle.right, transposed = at->triangle.transposed != right;
    const bool backward = (at->triangle.upper != 0) != transposed;
    const ir_axes both = ir_axes_of(1) | ir_axes_of(2), rows = ir_axes_of(1);
    ir_ref x = ir_la_in(b, in[0]), y = ir_la_in(b, in[1]);

    (void)n_in;
    out[0] = in[1];
    if (!y || ir_btype(b, y)->size == 0)
        return;
    if (ir_la_is_complex(b, y)) {
        out[0] = ir_la_out(b, solve_complex(b, at, x, y), in[1]);
        return;
    }
    x = transposed ? ir_la_transpose(b, x) : x;
    y = right ? ir_la_transpose(b, y) : y;
    if (backward) {
        x = ir_reverse(b, x, both);
        y = ir_reverse(b, y, rows);
    }
    if (ir_la_is_tiny(b, x) && ir_la_cols(b, y) <= IR_LA_TINY)
        y = ir_la_tiny_solve(b, x, y, at->triangle.unit);
    else if (ir_la_rows(b, x) <= IR_LA_SMALL)
        solve(b, at, (ir_ref[]){ x, y }, &y);
    else
        ir_la_map(b, solve, at, 2, (ir_ref[]){ x, y }, 1, &y);
    y = backward ? ir_reverse(b, y, rows) : y;
    y = right ? ir_la_transpose(b, y) : y;
    out[0] = ir_la_out(b, y, in[1]);
}
