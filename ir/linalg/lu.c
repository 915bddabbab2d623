/* x with rows exchanged = L U, by partial pivoting: the largest element of a column becomes the
 * pivot.
 *
 * A panel of few columns goes column by column: the row with the pivot is exchanged to the top,
 * the multipliers replace the elements that they eliminate, and their product with the pivot
 * row is subtracted from the columns to the right.  A pivot of 0 eliminates nothing (the column
 * is 0 already), as in LAPACK.
 *
 * Larger matrices use a left-looking algorithm by block columns, each stored transposed while
 * it is worked on.  First come the blocks of U above the diagonal, one after the other: each is
 * solved with a block of L, and its product is subtracted from the rows below.  Then come the
 * panels of the block column.  The update by a panel is one product for each half of the
 * columns to its right and each block of rows, so that columns that are done cost nothing.
 * Rows are exchanged in all columns when a panel is done; most rows do not move, so it is a
 * gather and a scatter of those that do.
 *
 * Source: J. Dongarra et al., ACM TOMS 16(1), 1990 (getrf); G. Golub, C. Van Loan, Matrix
 * Computations, 4th ed., 2013, section 3.2. */
#include "ir/linalg/parts.h"

/* The columns of a block column, and of a panel, all of which a step updates; and the padding
 * of a column that is stored transposed. */
enum { BLOCK = 64, PANEL = 8, PADDING = 16 };

/* A copy of a part of what a step overwrites.  It is a cumulative sum along an axis of size 1,
 * which is computed in memory of its own. */
static ir_ref
kept(ir_build *b, ir_ref x)
{
    if (!x)
        return IR_NONE;
    const int axis = ir_la_cols(b, x) == 1 ? 2 : 1;
    return ir_node1(b, OP_cumsum, 1, &x, &(ir_attrs){ .cumulate = { .axis = axis } });
}

/* Column p of x, i32 [batch, 1, 1], of each matrix; behind a barrier, so that x can be
 * overwritten. */
static ir_ref
column_of(ir_build *b, ir_ref x, ir_ref p)
{
    if (ir_la_batch(b, x) == 1) {
        ir_ref at = ir_reshape(b, p, 0, NULL);
        return kept(b, ir_la_block_at(b, x, IR_NONE, ir_la_rows(b, x), at, 1));
    }
    if (!x || !p)
        return IR_NONE;
    ir_ref col = ir_iota(b, COT_I32, 3, ir_btype(b, x)->dims, 2);
    ir_ref mine = ir_la_keep(b, ir_op2(b, OP_eq, col, ir_la_fit(b, p, col)), x, 0);
    const int64_t dims[3] = { ir_la_batch(b, x), ir_la_rows(b, x), 1 };
    return ir_op1(b, OP_barrier,
                  ir_reshape(b, ir_reduce(b, OP_reduce_sum, mine, ir_axes_of(2)), 3, dims));
}

/* Columns j (a scalar) and p of a matrix that are to be exchanged. */
typedef struct exchange {
    ir_ref j, p, is_j, is_p;
} exchange;

/* x with columns j and p exchanged, which are these. */
static ir_ref
exchanged(ir_build *b, const exchange *e, ir_ref x, ir_ref at_j, ir_ref at_p)
{
    ir_ref fitted = ir_la_fit(b, at_j, x);
    ir_ref other = ir_select(b, ir_la_fit(b, e->is_p, x), fitted, x);

    ir_ref then = ir_la_fit(b, at_p, x);
    return ir_select(b, ir_la_fit(b, e->is_j, x), then, other);
}

/* Of the places from j on, the first with the largest element of a row. */
static exchange
pivot_of(ir_build *b, ir_ref row, ir_ref j)
{
    const int64_t dims[3] = { ir_la_batch(b, row), 1, 1 };
    ir_ref left = ir_la_size(b, row);
    ir_ref size = ir_la_keep(b, ir_la_cols_where(b, OP_ge, row, j), left, -1);
    ir_ref p = ir_node1(b, OP_argmax, 1, &size, &(ir_attrs){ .arg = { 2, COT_I32 } });
    ir_ref place = row ? ir_iota(b, COT_I32, 3, ir_btype(b, row)->dims, 2) : IR_NONE;

    p = ir_op1(b, OP_barrier, ir_reshape(b, p, 3, dims));
    return (exchange){ j, p, ir_la_cols_where(b, OP_eq, row, j),
                       ir_op2(b, OP_eq, place, ir_la_fit(b, p, place)) };
}

typedef struct lu_panel {
    ir_ref x, pivots;
} lu_panel;

/* A step of factor_panel.  The panel is stored transposed, so that a column of it is
 * contiguous. */
static void
eliminate_one(ir_build *s, ir_ref at, ir_ref step, ir_ref x, ir_ref *next)
{
    const int64_t m = ir_la_cols(s, x), batch = ir_la_batch(s, x);
    ir_ref j = ir_add(s, at, step);
    ir_ref col = ir_la_block_at(s, x, step, 1, IR_NONE, m);
    const exchange e = pivot_of(s, col, j);
    ir_ref at_p = column_of(s, x, e.p);
    ir_ref at_j = kept(s, ir_la_block_at(s, x, IR_NONE, ir_la_rows(s, x), j, 1));
    ir_ref d = ir_la_fit(s, ir_la_block_at(s, at_p, step, 1, IR_NONE, 1), col);
    ir_ref block = ir_la_block_at(s, at_p, step, 1, IR_NONE, 1);
    ir_ref lower = exchanged(s, &e, col, ir_la_block_at(s, at_j, step, 1, IR_NONE, 1), block);
    ir_ref below = ir_la_cols_where(s, OP_gt, col, j);
    ir_ref quotient = ir_div(s, lower, d);
    lower = ir_select(s, ir_op2(s, OP_eq, d, ir_like(s, d, 0)), lower, quotient);
    lower = ir_op1(s, OP_barrier, ir_la_keep(s, below, lower, 0));
    ir_ref upper = ir_la_keep(s, ir_la_rows_where(s, OP_gt, at_p, step), at_p, 0);
    ir_ref moved = exchanged(s, &e, x, at_j, at_p);
    ir_ref fitted = ir_la_fit(s, upper, x);
    ir_ref rest = ir_sub(s, moved, ir_mul(s, ir_la_fit(s, lower, x), fitted));
    ir_ref more = ir_la_cols_where(s, OP_gt, x, j);
    ir_ref here = ir_op2(s, OP_and, ir_la_rows_where(s, OP_eq, x, step), more);
    next[0] = ir_select(s, here, ir_la_fit(s, lower, x), rest);
    next[1] = ir_reshape(s, e.p, 1, &batch);
}

/* Factors the columns of a panel that is stored transposed, p->x, whose first diagonal element
 * is in row `at`; pivots, i32 [batch, 1, columns]. */
static void
factor_panel(ir_build *b, ir_ref at, lu_panel *p)
{
    ir_la_loop l;
    const int64_t batch = ir_la_batch(b, p->x), n = ir_la_rows(b, p->x);
    const ir_ref in[2] = { at, p->x };
    ir_ref next[2], out[2] = { IR_NONE, IR_NONE };

    ir_la_loop_begin(b, &l, n, 1, 1, in);
    eliminate_one(l.b, l.in[0], l.step, l.in[1], next);
    ir_la_loop_end(b, &l, 1, next, out);
    p->x = out[0];
    p->pivots = ir_reshape(b, ir_transpose(b, out[1], (const int64_t[]){ 1, 0 }), 3,
                           (const int64_t[]){ batch, 1, n });
}

/* The indices x, i32 [batch, 1, any], as they were before the rows from `at` on were exchanged
 * with the pivots one after the other: it undoes the exchanges, the last one first. */
static ir_ref
traced_back(ir_build *b, ir_ref x, ir_ref pivots, ir_ref at)
{
    for (int64_t i = ir_la_cols(b, pivots); x && i-- > 0;) {
        ir_ref j = ir_add(b, at, ir_la_number(b, i)),
               p = ir_la_fit(b, ir_la_block(b, pivots, 0, 1, i, 1), x);
        j = j ? ir_broadcast_scalar(b, j, ir_btype(b, x)) : IR_NONE;
        ir_ref other = ir_select(b, ir_op2(b, OP_eq, x, p), j, x);
        x = ir_select(b, ir_op2(b, OP_eq, x, j), p, other);
    }
    return x;
}

/* ---- large matrices: batch 1 ---- */

/* Subtracts from the blocks below block j of column c their product with u, which is block j of
 * U. */
static ir_ref
take_below(ir_build *b, ir_ref x, ir_ref c, ir_ref u, ir_ref j, int64_t blocks, int64_t size)
{
    ir_la_loop l;
    ir_ref in[4] = { x, u, j, c };

    ir_ref end = ir_la_number(b, blocks);
    ir_la_for_begin(b, &l, ir_add(b, j, ir_la_number(b, 1)), end, 3, 1, in);
    ir_build *s = l.b;
    ir_ref at = ir_la_times(s, l.step, size), col = ir_la_times(s, l.in[2], size);
    ir_ref part =
        ir_la_dot(s, ir_la_block_at(s, l.in[0], at, size, col, size), false, l.in[1], false);
    part = ir_sub(s, ir_la_block_at(s, l.in[3], at, size, IR_NONE, size), part);
    part = ir_la_put_at(s, l.in[3], part, at, IR_NONE);
    ir_la_for_end(b, &l, &part, &part);
    return part;
}

/* Block column c, with the blocks of U above block k, and what is left below. */
static ir_ref
from_the_left(ir_build *b, ir_ref x, ir_ref inverses, ir_ref c, ir_ref k, int64_t blocks,
              int64_t size)
{
    ir_la_loop l;
    ir_ref in[3] = { x, inverses, c };

    ir_la_for_begin(b, &l, ir_la_number(b, 0), k, 2, 1, in);
    ir_build *s = l.b;
    ir_ref at = ir_la_times(s, l.step, size);
    ir_ref d = ir_la_block_at(s, l.in[0], at, size, at, size);
    ir_ref inv = ir_la_block_at(s, l.in[1], at, size, IR_NONE, ir_la_cols(s, l.in[1]));
    ir_ref u = ir_la_solve_left(s, d, inv, ir_la_block_at(s, l.in[2], at, size, IR_NONE, size));
    ir_ref y = ir_la_put_at(s, l.in[2], u, at, IR_NONE);
    y = take_below(s, l.in[0], y, u, l.step, blocks, size);
    ir_la_for_end(b, &l, &y, &y);
    return y;
}

/* Elements places[i] of an axis of x, of batch 1, become its elements from[i]. */
static ir_ref
move(ir_build *b, ir_ref x, int axis, ir_ref places, ir_ref from)
{
    static const int64_t own[2] = { 1, 2 };
    if (!x || !places)
        return IR_NONE;
    int64_t sizes[3] = { 1, ir_la_rows(b, x), ir_la_cols(b, x) };
    const int64_t at = axis;
    const ir_ints none = { 0, NULL }, window = { 2, own }, here = { 1, &at };
    sizes[axis] = 1;
    ir_ref part = ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, from },
        &(ir_attrs){
            .gather = { window, here, none, none, here, { 3, sizes }, IR_MODE_PROMISE } });
    return ir_node1(
        b, OP_scatter, 3, (ir_ref[]){ x, places, part },
        &(ir_attrs){ .scatter = { window, here, none, none, here, IR_MODE_PROMISE, 0 } });
}

/* The rows that a panel of n columns at row `at` moved, and where they came from: [2 n, 1]
 * each. */
static void
moved_rows(ir_build *b, const lu_panel *p, ir_ref at, int64_t n, ir_ref *places, ir_ref *from)
{
    const int64_t column[2] = { 2 * n, 1 }, line[3] = { 1, 1, n };
    ir_ref own = ir_iota(b, COT_I32, 3, line, 2);

    if (!p->pivots || !at)
        return;
    own = ir_add(b, own, ir_broadcast_scalar(b, at, ir_btype(b, own)));
    ir_ref both = ir_concatenate(b, 2, (ir_ref[]){ own, p->pivots }, 2);
    *places = ir_reshape(b, both, 2, column);
    ir_ref y = ir_reshape(b, traced_back(b, both, p->pivots, at), 2, column);
    *from = ir_op1(b, OP_barrier, y);
}

typedef struct block_sizes {
    int64_t rows, size, fine;
} block_sizes;

/* Columns `last` ... of a block column c on its side lose their part of u, [columns, fine],
 * with the rows of panel x from `end` on, block by block of rows, the first of them `block`;
 * half of c's columns at once. */
typedef struct taking {
    ir_ref x, end, block, u, last;
} taking;

/* The columns of t->u, which begin in row `at` of c. */
static ir_ref
take_rows(ir_build *b, const taking *t, ir_ref c, ir_ref at, const block_sizes *s)
{
    ir_la_loop l;
    const int64_t n = ir_la_rows(b, t->u), m = s->size;
    ir_ref in[5] = { t->x, t->end, t->u, at, c };

    ir_la_for_begin(b, &l, t->block, ir_la_number(b, s->rows), 4, 1, in);
    ir_build *f = l.b;
    ir_ref from = ir_la_times(f, l.step, m),
           x = ir_la_block_at(f, l.in[0], IR_NONE, s->fine, from, m);
    ir_ref below = ir_la_cols_where(f, OP_ge, x, ir_sub(f, l.in[1], from));
    ir_ref part = ir_la_dot(f, l.in[2], false, ir_la_keep(f, below, x, 0), false);
    part = ir_sub(f, ir_la_block_at(f, l.in[4], l.in[3], n, from, m), part);
    part = ir_la_put_at(f, l.in[4], part, l.in[3], from);
    ir_la_for_end(b, &l, &part, &part);
    return part;
}

static ir_ref
take_panel(ir_build *b, const taking *t, ir_ref c, const block_sizes *s)
{
    ir_la_loop l;
    const int64_t parts = s->size / s->fine % 2 ? 1 : 2, n = s->size / parts;
    ir_ref in[5] = { t->x, t->end, t->block, t->u, c };

    ir_ref end = ir_la_number(b, parts);
    ir_la_for_begin(b, &l, ir_op2(b, OP_div, t->last, ir_la_number(b, n)), end, 4, 1, in);
    ir_ref at = ir_la_times(l.b, l.step, n),
           u = ir_la_block_at(l.b, l.in[3], at, n, IR_NONE, s->fine);
    c = take_rows(l.b, &(taking){ l.in[0], l.in[1], l.in[2], u, IR_NONE }, l.in[4], at, s);
    ir_la_for_end(b, &l, &c, &c);
    return c;
}

/* Panel number k of `fine` columns of block column number `block`.  *c is that block column on
 * its side, so that columns are contiguous; x and order are the whole matrix and the order of
 * its rows so far. */
static void
one_panel(ir_build *b, const block_sizes *s, ir_ref block, ir_ref k, ir_ref *c, ir_ref *x,
          ir_ref *order, ir_ref *inverses, ir_ref *pivots)
{
    const int64_t n = s->size, w = s->fine;
    ir_ref col = ir_la_times(b, k, w), row = ir_add(b, ir_la_times(b, block, n), col),
           places = IR_NONE, from = IR_NONE;
    lu_panel p = { .x = ir_la_block_at(b, *c, col, w, IR_NONE, ir_la_cols(b, *c)) };

    factor_panel(b, row, &p);
    moved_rows(b, &p, row, w, &places, &from);
    *x = move(b, *x, 1, places, from);
    *order = move(b, *order, 2, places, from);
    *c = ir_la_put_at(b, move(b, *c, 2, places, from), p.x, col, IR_NONE);
    ir_ref d = ir_la_transpose(b, ir_la_block_at(b, p.x, IR_NONE, w, row, w));
    ir_ref inv = ir_la_inverse(b, d, true);
    *inverses = ir_la_put_at(b, *inverses, inv, row, IR_NONE);
    /* The rows of U to the right, and the rows below without their product. */
    ir_ref trailing = ir_la_block_at(b, *c, IR_NONE, n, row, w),
           u = ir_la_dot(b, trailing, false, inv, true);
    ir_ref last = ir_add(b, col, ir_la_number(b, w)), end = ir_add(b, row, ir_la_number(b, w));
    ir_ref right = ir_la_rows_where(b, OP_ge, u, last);
    *c = ir_la_put_at(b, *c, ir_select(b, right, u, trailing), IR_NONE, row);
    *c = take_panel(b, &(taking){ p.x, end, block, ir_la_keep(b, right, u, 0), last }, *c, s);
    *pivots = p.pivots ? ir_reshape(b, p.pivots, 1, &w) : IR_NONE;
}

/* A block column stored transposed, with a distance between columns that is no power of two, so
 * that the elements of a row do not all map to one set of the cache. */
static ir_ref
on_its_side(ir_build *b, ir_ref x)
{
    const ir_type *t = ir_la_type(b, x, 1, ir_la_cols(b, x), ir_la_rows(b, x) + PADDING);

    ir_ref transposed = x ? ir_la_transpose(b, x) : IR_NONE;
    return x ? ir_la_put(b, ir_zeros(b, t), transposed, 0, 0) : IR_NONE;
}

/* A matrix with at least as many rows as columns, of whole blocks.  y: L and U, the order, and
 * the pivots, [blocks * panels, fine]. */
static void
factor_blocks(ir_build *b, ir_ref x, const block_sizes *s, ir_ref *y)
{
    ir_la_loop l, p;
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), count = n;
    ir_ref in[3] = {
        x, ir_splat_int(b, ir_type_new(b->ctx, COT_I32, 3, (const int64_t[]){ 1, 1, m }), 0),
        x ? ir_zeros(b, ir_la_type(b, x, 1, n, s->fine)) : IR_NONE
    };
    ir_ref next[5], out[5] = { IR_NONE };

    in[1] = in[1] ? ir_iota(b, COT_I32, 3, ir_btype(b, in[1])->dims, 2) : IR_NONE;
    ir_la_loop_begin(b, &l, n / s->size, 0, 3, in);
    ir_ref at = ir_la_times(l.b, l.step, s->size);
    ir_ref c = ir_la_block_at(l.b, l.in[0], IR_NONE, m, at, s->size);
    c = from_the_left(l.b, l.in[0], l.in[2], c, l.step, s->rows, s->size);
    ir_ref state[5] = { l.step, on_its_side(l.b, c), l.in[0], l.in[1], l.in[2] };
    ir_la_loop_begin(l.b, &p, s->size / s->fine, 1, 4, state);
    memcpy(next, p.in + 1, 4 * sizeof *next);
    one_panel(p.b, s, p.in[0], p.step, &next[0], &next[1], &next[2], &next[3], &next[4]);
    ir_la_loop_end(l.b, &p, 1, next, out);
    c = ir_la_transpose(l.b, ir_la_crop(l.b, out[0], s->size, m));
    next[0] = ir_la_put_at(l.b, out[1], c, IR_NONE, at);
    next[1] = out[2], next[2] = out[3];
    next[3] = out[4] ? ir_reshape(l.b, out[4], 1, &s->size) : IR_NONE;
    memset(out, 0, sizeof out);
    ir_la_loop_end(b, &l, 1, next, out);
    y[0] = out[0], y[1] = out[1];
    y[2] = out[3] ? ir_reshape(b, out[3], 1, &count) : IR_NONE;
}

/* y: L and U [1, m, n]; the order [1, 1, m]; the pivots [1, 1, n]. */
static void
large(ir_build *b, const void *user, const ir_ref *x, ir_ref *y)
{
    const int64_t m = ir_la_rows(b, x[0]), n = ir_la_cols(b, x[0]);
    const ir_la_blocking coarse = ir_la_blocking_of(n, BLOCK),
                         fine = ir_la_blocking_of(coarse.size, PANEL);
    block_sizes s = { .size = fine.blocks * fine.size, .fine = fine.size };
    const int64_t cols = coarse.blocks * s.size;

    (void)user;
    s.rows = ((m > cols ? m : cols) + s.size - 1) / s.size;
    const int64_t rows = s.rows * s.size;
    ir_ref z = x[0];
    if (rows != m || cols != n)
        z = ir_la_put(b, ir_zeros(b, ir_la_type(b, z, 1, rows, cols)), z, 0, 0);
    factor_blocks(b, z, &s, y);
    y[0] = ir_la_crop(b, y[0], m, n);
    y[1] = ir_la_crop(b, y[1], 1, m);
    y[2] = ir_la_crop(b, ir_reshape(b, y[2], 3, (const int64_t[]){ 1, 1, cols }), 1, n);
}

/* ---- any matrix ---- */

/* m >= n. */
static void
tall(ir_build *b, ir_ref x, ir_ref *y)
{
    const int64_t n = ir_la_cols(b, x),
                  order[3] = { ir_la_batch(b, x), 1, ir_la_rows(b, x) };
    lu_panel p = { .x = ir_la_transpose(b, x) };

    if (n > IR_LA_SMALL) {
        ir_la_map(b, large, NULL, 1, &x, 3, y);
        return;
    }
    ir_ref zero = ir_la_number(b, 0), own = ir_iota(b, COT_I32, 3, order, 2);
    factor_panel(b, zero, &p);
    y[0] = ir_la_transpose(b, p.x), y[1] = traced_back(b, own, p.pivots, zero);
    y[2] = p.pivots;
}

/* What has more columns than rows: U of the columns on the right is solved for. */
static void
wide(ir_build *b, ir_ref x, ir_ref *y)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x);

    tall(b, ir_la_block(b, x, 0, m, 0, m), y);
    ir_ref order = ir_la_transpose(b, y[1]);
    ir_ref right = ir_la_in_order(b, ir_la_block(b, x, 0, m, m, n - m), order);
    right = ir_node1(b, OP_triangular_solve, 2, (ir_ref[]){ y[0], right },
                     &(ir_attrs){ .triangle = { .unit = 1 } });
    y[0] = ir_concatenate(b, 2, (ir_ref[]){ y[0], right }, 2);
}

void
eval_lu(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y[3] = { x, IR_NONE, IR_NONE };
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), least = m < n ? m : n;

    (void)at, (void)n_in;
    if (!x)
        return;
    if (ir_btype(b, x)->size == 0) {
        const int64_t order[3] = { ir_la_batch(b, x), 1, m },
                      none[3] = { ir_la_batch(b, x), 1, least };
        y[1] = ir_iota(b, COT_I32, 3, order, 2);
        y[2] = ir_iota(b, COT_I32, 3, none, 2);
    } else if (ir_la_is_tiny(b, x)) {
        ir_la_tiny_lu(b, x, y);
    } else if (m >= n) {
        tall(b, x, y);
    } else {
        wide(b, x, y);
    }
    out[0] = ir_la_out(b, y[0], in[0]);
    for (int i = 1; i < 3 && y[i]; i++) {
        const int64_t flat[2] = { ir_la_batch(b, y[i]), ir_la_cols(b, y[i]) };
        out[3 - i] = ir_la_out(b, ir_reshape(b, y[i], 2, flat), in[0]);
    }
}
