/* Eigenvalues and eigenvectors of general matrices.  Larger ones than IR_LA_SMALL rows are LAPACK's (lapack.h).
 *
 * Reflections make x a Hessenberg matrix.  Then sweeps of the implicit double shift, which real and complex matrices
 * share (its two shifts enter by their sum and product alone), make elements below the diagonal vanish, until blocks of
 * one or two rows are left; a rotation makes each of two rows triangular, in complex numbers.  Vectors are substituted
 * back in the triangle, all columns at once, and scaled on the way.  The matrices of a batch sweep together: each step is
 * at the same row k in all of them, and one whose window does not hold row k stays as it is.
 *
 * The eigenvalues of a real matrix are real, with an imaginary part of 0, or pairs of conjugates, the one above the real
 * axis first, and so are their vectors.  What does not converge, or has infinite or NaN elements, is NaN.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, sections 7.4 to 7.6; LAPACK's geev for the scale of
 * vectors: of length 1, with the largest component real. */
#include <math.h>

#include "ir/linalg/lapack.h"

/* A similarity: x = q h q^H. */
typedef struct schur {
    ir_ref h, q;
} schur;

static double
precision(const ir_build *b, ir_ref x)
{
    return x && ir_part_type(ir_btype(b, x)->dtype) == COT_F32 ? 0x1p-23 : 0x1p-52;
}

static ir_ref
both(ir_build *b, ir_ref x, ir_ref y)
{
    return ir_op2(b, OP_and, x, y);
}

static ir_ref
zeros(ir_build *b, ir_ref like, int64_t rows, int64_t cols)
{
    return like ? ir_zeros(b, ir_la_type(b, like, ir_la_batch(b, like), rows, cols)) : IR_NONE;
}

/* x - v (conj(tau) v^H x), and x - (x v tau) v^H; v [batch, 1, n] lies on its side. */
static ir_ref
reflect_rows(ir_build *b, ir_ref x, ir_ref v, ir_ref tau)
{
    ir_ref w = ir_la_dot(b, ir_la_conj(b, v), false, x, false);

    w = ir_mul(b, w, ir_la_fit(b, ir_la_conj(b, tau), w));
    return ir_sub(b, x, ir_mul(b, ir_la_fit(b, ir_la_turn(b, v), x), ir_la_fit(b, w, x)));
}

static ir_ref
reflect_cols(ir_build *b, ir_ref x, ir_ref v, ir_ref tau)
{
    ir_ref w = ir_la_dot(b, x, false, v, true);

    w = ir_mul(b, w, ir_la_fit(b, tau, w));
    return ir_sub(b, x, ir_mul(b, ir_la_fit(b, w, x), ir_la_fit(b, ir_la_conj(b, v), x)));
}

static schur
hessenberg(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_rows(b, x);
    ir_ref in[2] = { x, ir_la_eye(b, x) };
    ir_la_loop l;

    if (n < 3)
        return (schur){ in[0], in[1] };
    ir_la_loop_begin(b, &l, n - 2, 0, 2, in);
    ir_build *s = l.b;
    ir_ref k = ir_add(s, l.step, ir_la_number(s, 1));
    ir_ref col = ir_la_turn(s, ir_la_block_at(s, l.in[0], IR_NONE, n, l.step, 1));
    const ir_la_reflection r = ir_la_reflection_of(s, col, k);
    ir_ref h = reflect_rows(s, l.in[0], r.v, r.tau);
    ir_ref next[2] = { reflect_cols(s, h, r.v, r.tau), reflect_cols(s, l.in[1], r.v, r.tau) };
    ir_la_loop_end(b, &l, 0, next, in);
    return (schur){ ir_la_keep(b, ir_la_compare(b, OP_le, in[0], 1), in[0], 0), in[1] };
}

/* ---- one sweep ---- */

/* Rows lo ... hi of each matrix (i32 [batch, 1, 1]) are to be swept; hi is 0 where nothing is left. */
typedef struct window {
    ir_ref lo, hi;
} window;

/* Diagonal k below the main one, [batch, 1, n], with zeros before its first element. */
static ir_ref
subdiagonal(ir_build *b, ir_ref h, int64_t k)
{
    ir_ref own = ir_la_keep(b, ir_la_compare(b, OP_eq, h, k), h, 0);
    const int64_t dims[3] = { ir_la_batch(b, h), 1, ir_la_rows(b, h) };

    return own ? ir_reshape(b, ir_reduce(b, OP_reduce_sum, own, ir_axes_of(2)), 3, dims) : IR_NONE;
}

/* x moved by one place: element i is x's element i - 1; `first` comes in. */
static ir_ref
shifted(ir_build *b, ir_ref x, double first)
{
    const int64_t n = ir_la_cols(b, x);

    if (!x)
        return IR_NONE;
    ir_ref head = ir_splat(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 3, (const int64_t[]){ ir_la_batch(b, x), 1, 1 }), first);
    return ir_concatenate(b, 2, (ir_ref[]){ head, ir_la_block(b, x, 0, 1, 0, n - 1) }, 2);
}

/* h without the elements below the diagonal that are nothing beside their neighbours on it. */
static ir_ref
deflated(ir_build *b, ir_ref h)
{
    ir_ref size = ir_la_size(b, subdiagonal(b, h, 0)), below = ir_la_size(b, subdiagonal(b, h, 1));
    ir_ref around = ir_add(b, size, shifted(b, size, 0)), one = ir_like(b, around, 1);

    around = ir_select(b, ir_op2(b, OP_eq, around, ir_like(b, around, 0)), one, around);
    ir_ref gone = ir_op2(b, OP_le, below, ir_mul(b, around, ir_like(b, around, precision(b, h))));
    ir_ref at = both(b, ir_la_compare(b, OP_eq, h, 1), ir_la_fit(b, ir_la_turn(b, gone), h));
    return ir_select(b, at, ir_like(b, h, 0), h);
}

/* The largest i of [batch, 1, n] where p, or 0. */
static ir_ref
last_where(ir_build *b, ir_ref p)
{
    const int64_t dims[3] = { ir_la_batch(b, p), 1, 1 };
    ir_ref i = p ? ir_iota(b, COT_I32, 3, ir_btype(b, p)->dims, 2) : IR_NONE;

    i = ir_la_keep(b, p, i, 0);
    return i ? ir_reshape(b, ir_reduce(b, OP_reduce_max, i, ir_axes_of(2)), 3, dims) : IR_NONE;
}

/* The last block of three rows or more. */
static window
window_of(ir_build *b, ir_ref h)
{
    ir_ref below = subdiagonal(b, h, 1), some = ir_op2(b, OP_ne, below, ir_like(b, below, 0));
    ir_ref hi = last_where(b, both(b, some, shifted(b, some, 0)));
    ir_ref i = some ? ir_iota(b, COT_I32, 3, ir_btype(b, some)->dims, 2) : IR_NONE;
    ir_ref before = both(b, ir_op1(b, OP_not, some), ir_op2(b, OP_le, i, ir_la_fit(b, hi, i)));

    return (window){ last_where(b, before), hi };
}

/* Element i + r, i + c of each matrix, i its own: [batch, 1, 1]. */
static ir_ref
element(ir_build *b, ir_ref h, ir_ref i, int64_t r, int64_t c)
{
    const int64_t one[3] = { ir_la_batch(b, h), 1, 1 };
    ir_ref diagonal = subdiagonal(b, ir_la_turn(b, h), 0);

    if (c < r)
        diagonal = subdiagonal(b, h, r - c);
    else if (c > r)
        diagonal = subdiagonal(b, ir_la_turn(b, h), c - r);
    ir_ref at = diagonal ? ir_iota(b, COT_I32, 3, ir_btype(b, diagonal)->dims, 2) : IR_NONE;
    const int64_t far = r > c ? r : c;
    if (!at || !i)
        return IR_NONE;
    i = far ? ir_add(b, i, ir_splat_int(b, ir_btype(b, i), far)) : i;
    ir_ref own = ir_la_keep(b, ir_op2(b, OP_eq, at, ir_la_fit(b, i, at)), diagonal, 0);
    return ir_reshape(b, ir_reduce(b, OP_reduce_sum, own, ir_axes_of(2)), 3, one);
}

/* The first column of (h - s)(h - t), over h10, at rows lo ... lo + 2; s and t are the eigenvalues of the last two
 * rows, but every tenth sweep something else, lest they go round in circles.  [batch, 1, 3]. */
static ir_ref
first_column(ir_build *b, ir_ref h, const window *w, ir_ref sweep)
{
    ir_ref a = element(b, h, w->hi, -1, -1), d = element(b, h, w->hi, 0, 0), c = element(b, h, w->hi, 0, -1);
    ir_ref h00 = element(b, h, w->lo, 0, 0), h10 = element(b, h, w->lo, 1, 0), h11 = element(b, h, w->lo, 1, 1);
    ir_ref bc = ir_mul(b, c, element(b, h, w->hi, -1, 0)), ten = ir_la_number(b, 10);

    if (!c || !sweep)
        return IR_NONE;
    ir_ref size = ir_add(b, ir_la_size(b, c), ir_la_size(b, element(b, h, w->hi, -1, -2)));
    ir_ref other = ir_op2(b, OP_eq, ir_op2(b, OP_rem, sweep, ten), ir_la_number(b, 9));
    other = ir_broadcast_scalar(b, other, ir_type_as(b->ctx, ir_btype(b, size), COT_BOOL));
    ir_ref odd = ir_add(b, d, ir_la_fit_real(b, ir_mul(b, size, ir_like(b, size, 0.75)), d));
    ir_ref odd_bc = ir_la_fit_real(b, ir_mul(b, ir_mul(b, size, size), ir_like(b, size, -0.4375)), d);
    a = ir_select(b, other, odd, a), d = ir_select(b, other, odd, d), bc = ir_select(b, other, odd_bc, bc);
    ir_ref zero = ir_op2(b, OP_eq, h10, ir_like(b, h10, 0));
    ir_ref top = ir_sub(b, ir_mul(b, ir_sub(b, h00, a), ir_sub(b, h00, d)), bc);
    top = ir_add(b, ir_div(b, top, ir_select(b, zero, ir_like(b, h10, 1), h10)), element(b, h, w->lo, 0, 1));
    ir_ref part[3] = { top, ir_sub(b, ir_sub(b, ir_add(b, h00, h11), a), d), element(b, h, w->lo, 2, 1) };
    return ir_op1(b, OP_barrier, ir_concatenate(b, 3, part, 2));
}

/* Is the step at the row, i32 [], before or at i of each matrix, by op? */
static ir_ref
step_is(ir_build *b, ir_op op, ir_ref k, ir_ref i)
{
    return i ? ir_op2(b, op, ir_broadcast_scalar(b, k, ir_btype(b, i)), i) : IR_NONE;
}

/* The reflection of step k: of the first column where the window begins, else of what the step before left below
 * row k of column k - 1.  h has a row and a column of zeros more, in front. */
static ir_la_reflection
bulge(ir_build *b, ir_ref h, ir_ref first, const window *w, ir_ref k)
{
    ir_ref col = ir_la_turn(b, ir_la_block_at(b, h, ir_add(b, k, ir_la_number(b, 1)), 3, k, 1));
    ir_ref begins = step_is(b, OP_eq, k, w->lo), last = step_is(b, OP_ge, ir_add(b, k, ir_la_number(b, 1)), w->hi);
    ir_ref third = col ? ir_la_cols_where(b, OP_eq, col, ir_la_number(b, 2)) : IR_NONE;

    col = ir_select(b, ir_la_fit(b, begins, col), first, col);
    col = ir_select(b, both(b, third, ir_la_fit(b, last, third)), ir_like(b, col, 0), col);
    ir_la_reflection r = ir_la_reflection_of(b, ir_op1(b, OP_barrier, col), ir_la_number(b, 0));
    ir_ref active = both(b, step_is(b, OP_ge, k, w->lo), step_is(b, OP_lt, k, w->hi));
    r.tau = ir_op1(b, OP_barrier, ir_la_keep(b, active, r.tau, 0));
    r.v = ir_op1(b, OP_barrier, r.v);
    return r;
}

/* Step k on h, which has a row and a column of zeros in front and one behind, and on q, which has one column behind. */
static void
chase(ir_build *b, ir_ref k, const ir_la_reflection *r, ir_ref *h, ir_ref *q)
{
    const int64_t n = ir_la_rows(b, *h), m = ir_la_rows(b, *q);
    ir_ref at = ir_add(b, k, ir_la_number(b, 1));
    ir_ref rows = reflect_rows(b, ir_la_block_at(b, *h, at, 3, IR_NONE, n), r->v, r->tau);
    ir_ref x = ir_la_put_at(b, *h, rows, at, IR_NONE);
    ir_ref cols = reflect_cols(b, ir_la_block_at(b, x, IR_NONE, n, at, 3), r->v, r->tau);

    *h = ir_la_put_at(b, x, cols, IR_NONE, at);
    cols = reflect_cols(b, ir_la_block_at(b, *q, IR_NONE, m, k, 3), r->v, r->tau);
    *q = ir_la_put_at(b, *q, cols, IR_NONE, k);
}

static void
sweep(ir_build *b, schur *s, ir_ref number, ir_ref *hi)
{
    const int64_t n = ir_la_rows(b, s->h);
    ir_ref h = deflated(b, ir_la_keep(b, ir_la_compare(b, OP_le, s->h, 1), s->h, 0));
    window w = window_of(b, h);
    ir_ref wide = zeros(b, h, n + 2, n + 2), tall = zeros(b, h, n, n + 1);
    ir_ref in[5] = { w.lo, w.hi, first_column(b, h, &w, number), wide ? ir_la_put(b, wide, h, 1, 1) : IR_NONE,
                     tall ? ir_la_put(b, tall, s->q, 0, 0) : IR_NONE }, out[2] = { IR_NONE, IR_NONE };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, n - 1, 3, 2, in);
    w = (window){ l.in[0], l.in[1] };
    ir_ref next[2] = { l.in[3], l.in[4] };
    const ir_la_reflection r = bulge(l.b, l.in[3], l.in[2], &w, l.step);
    chase(l.b, l.step, &r, &next[0], &next[1]);
    ir_la_loop_end(b, &l, 0, next, out);
    s->h = ir_la_block(b, out[0], 1, n, 1, n);
    s->q = ir_la_block(b, out[1], 0, n, 0, n);
    *hi = in[1];
}

static ir_graph *
goes_on(ir_build *b, const ir_ref *x, int n, int64_t most)
{
    ir_build *c = ir_sub_begin(b, "more");
    ir_ref in[4];

    for (int i = 0; i < n; i++)
        in[i] = x[i] ? ir_input(c, ir_btype(b, x[i]), NULL) : IR_NONE;
    ir_output(c, both(c, in[0], ir_op2(c, OP_lt, in[1], ir_la_number(c, most))));
    return ir_sub_end(b, c);
}

/* Sweeps until no block of three rows is left; *done, bool [], says that it came to that. */
static void
sweeps(ir_build *b, schur *s)
{
    const int64_t n = ir_la_rows(b, s->h), most = 30 * (n < 10 ? 10 : n);
    ir_ref in[4] = { ir_splat_int(b, ir_type_new(b->ctx, COT_BOOL, 0, NULL), 1), ir_la_number(b, 0), s->h, s->q };
    ir_ref x[4], out[4] = { IR_NONE, IR_NONE, IR_NONE, IR_NONE }, hi = IR_NONE;

    if (n < 3)
        return;
    ir_build *c = ir_sub_begin(b, "sweep");
    for (int i = 0; i < 4; i++)
        x[i] = in[i] ? ir_input(c, ir_btype(b, in[i]), NULL) : IR_NONE;
    schur one = { x[2], x[3] };
    sweep(c, &one, x[1], &hi);
    ir_ref some = hi ? ir_op2(c, OP_gt, hi, ir_like(c, hi, 0)) : IR_NONE;
    ir_output(c, some ? ir_reduce(c, OP_reduce_or, some, ir_axes_of(0) | ir_axes_of(1) | ir_axes_of(2)) : IR_NONE);
    ir_output(c, ir_add(c, x[1], ir_la_number(c, 1)));
    ir_output(c, one.h);
    ir_output(c, one.q);
    ir_graph *body = ir_sub_end(b, c), *cond = goes_on(b, in, 4, most);
    if (body && cond)
        ir_add_node(b, OP_while, 4, in, &(ir_attrs){ .loop = { 0, 0, cond, body } }, out);
    s->h = ir_la_keep(b, ir_la_compare(b, OP_le, out[2], 1), out[2], 0), s->q = out[3];
}

/* ---- triangles ---- */

/* The eigenvalues of a block a, b; c, d, complex [batch, 1, 1]; of a real one that are not real, conjugates. */
static void
of_two(ir_build *b, const ir_ref *e, bool real, ir_ref *first, ir_ref *second)
{
    ir_ref half = ir_like(b, e[0], 0.5), zero = ir_like(b, e[0], 0);
    ir_ref p = ir_mul(b, ir_sub(b, e[0], e[3]), half), bc = ir_mul(b, e[1], e[2]);
    ir_ref root = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, p, p), bc));
    /* Of the two roots that which lies on p's side. */
    ir_ref along = ir_op1(b, OP_real, ir_mul(b, root, ir_op1(b, OP_conj, p)));
    root = ir_select(b, ir_op2(b, OP_lt, along, ir_like(b, along, 0)), ir_neg(b, root), root);
    ir_ref z = ir_add(b, p, root), none = ir_op2(b, OP_eq, z, zero);

    *first = ir_add(b, e[3], z);
    *second = ir_sub(b, e[3], ir_div(b, bc, ir_select(b, none, ir_like(b, z, 1), z)));
    if (!real || !*first)
        return;
    ir_ref im = ir_op1(b, OP_abs, ir_op1(b, OP_imag, *first)), pair = ir_op2(b, OP_ne, im, ir_like(b, im, 0));
    ir_ref up = ir_op2(b, OP_complex, ir_op1(b, OP_real, *first), im);
    *first = ir_select(b, pair, up, *first);
    *second = ir_select(b, pair, ir_op1(b, OP_conj, up), *second);
}

/* x with element i of its last axis replaced where p, [batch, 1, 1]. */
static ir_ref
replaced(ir_build *b, ir_ref x, ir_ref i, ir_ref p, ir_ref y)
{
    ir_ref at = ir_la_cols_where(b, OP_eq, x, i);

    return ir_select(b, both(b, at, ir_la_fit(b, p, at)), ir_la_fit(b, y, x), x);
}

/* Rows m - 1 and m of t, q and the eigenvalues w, [batch, 1, n]: a block of two becomes a triangle. */
static void
split_block(ir_build *b, ir_ref m, bool real, ir_ref *t, ir_ref *q, ir_ref *w)
{
    const int64_t n = ir_la_rows(b, *t);
    ir_ref before = ir_sub(b, m, ir_la_number(b, 1)), e[4], first, second;

    for (int i = 0; i < 4; i++)
        e[i] = ir_op1(b, OP_barrier, ir_la_block_at(b, *t, i < 2 ? before : m, 1, i % 2 ? m : before, 1));
    ir_ref some = ir_op2(b, OP_ne, e[2], ir_like(b, e[2], 0));
    of_two(b, e, real, &first, &second);
    ir_ref x = ir_select(b, some, ir_sub(b, first, e[3]), ir_like(b, e[0], 1)), y = e[2];
    ir_ref size = ir_op2(b, OP_max, ir_la_size(b, x), ir_la_size(b, y));
    x = ir_div(b, x, ir_la_fit_real(b, size, x)), y = ir_div(b, y, ir_la_fit_real(b, size, y));
    ir_ref r = ir_la_fit_real(b, ir_op1(b, OP_sqrt, ir_add(b, ir_la_square(b, x), ir_la_square(b, y))), x);
    x = ir_div(b, x, r), y = ir_div(b, y, r);
    ir_ref g[2] = { ir_concatenate(b, 2, (ir_ref[]){ x, ir_neg(b, ir_la_conj(b, y)) }, 2),
                    ir_concatenate(b, 2, (ir_ref[]){ y, ir_la_conj(b, x) }, 2) };
    ir_ref turn = ir_op1(b, OP_barrier, ir_concatenate(b, 2, g, 1));
    ir_ref rows = ir_la_dot(b, ir_la_conj(b, turn), true, ir_la_block_at(b, *t, before, 2, IR_NONE, n), false);
    ir_ref z = ir_la_put_at(b, *t, rows, before, IR_NONE);
    *t = ir_la_put_at(b, z, ir_la_dot(b, ir_la_block_at(b, z, IR_NONE, n, before, 2), false, turn, false), IR_NONE, before);
    *q = ir_la_put_at(b, *q, ir_la_dot(b, ir_la_block_at(b, *q, IR_NONE, n, before, 2), false, turn, false), IR_NONE, before);
    *w = replaced(b, replaced(b, *w, before, some, first), m, some, second);
}

/* Complex triangles; *w gets their eigenvalues, [batch, 1, n]. */
static void
split_blocks(ir_build *b, bool real, schur *s, ir_ref *w)
{
    const int64_t n = ir_la_rows(b, s->h);
    ir_ref in[3] = { s->h, s->q, subdiagonal(b, s->h, 0) };
    ir_la_loop l;

    if (n > 1) {
        ir_la_loop_begin(b, &l, n - 1, 0, 3, in);
        ir_ref next[3] = { l.in[0], l.in[1], l.in[2] };
        split_block(l.b, ir_add(l.b, l.step, ir_la_number(l.b, 1)), real, &next[0], &next[1], &next[2]);
        ir_la_loop_end(b, &l, 0, next, in);
    }
    s->h = ir_la_keep(b, ir_la_compare(b, OP_le, in[0], 0), in[0], 0), s->q = in[1], *w = in[2];
}

/* Vectors of an upper triangle with eigenvalues w, in columns: rows from the last one up; no element above 1. */
static ir_ref
substituted(ir_build *b, ir_ref t, ir_ref w)
{
    const int64_t n = ir_la_rows(b, t);
    const ir_ref in[3] = { t, w, ir_la_eye(b, t) };
    ir_la_loop l;
    ir_ref y;

    ir_la_loop_begin(b, &l, n, 2, 1, in);
    ir_build *s = l.b;
    ir_ref i = ir_sub(s, ir_la_number(s, n - 1), l.step), v = l.in[2], none = IR_NONE;
    ir_ref row = ir_la_block_at(s, l.in[0], i, 1, none, n);
    ir_ref right = ir_la_cols_where(s, OP_gt, row, i);
    ir_ref sum = ir_la_dot(s, ir_la_keep(s, right, row, 0), false, v, false);
    ir_ref gap = ir_sub(s, l.in[1], ir_la_fit(s, ir_la_block_at(s, l.in[1], none, 1, i, 1), l.in[1]));
    ir_ref near = ir_op2(s, OP_lt, ir_la_size(s, gap), ir_la_real(s, ir_like(s, gap, precision(b, t))));
    gap = ir_select(s, near, ir_like(s, gap, precision(b, t)), gap);
    ir_ref here = ir_la_block_at(s, v, i, 1, none, n);
    here = ir_op1(s, OP_barrier, ir_select(s, right, ir_div(s, sum, gap), here));
    ir_ref size = ir_la_size(s, here), by = ir_op2(s, OP_max, size, ir_like(s, size, 1));
    v = ir_la_put_at(s, v, here, i, none);
    v = ir_div(s, v, ir_la_fit_real(s, by, v));
    ir_la_loop_end(b, &l, 0, &v, &y);
    return y;
}

/* Columns of length 1, the first of the largest components of each real and positive. */
static ir_ref
normalized(ir_build *b, ir_ref v)
{
    const int64_t dims[3] = { ir_la_batch(b, v), 1, ir_la_cols(b, v) };
    ir_ref square = ir_la_square(b, v);

    if (!square)
        return IR_NONE;
    ir_ref sum = ir_reshape(b, ir_reduce(b, OP_reduce_sum, square, ir_axes_of(1)), 3, dims);
    ir_ref at = ir_node1(b, OP_argmax, 1, &square, &(ir_attrs){ .arg = { 1, COT_I32 } });
    ir_ref row = ir_iota(b, COT_I32, 3, ir_btype(b, v)->dims, 1);
    ir_ref mine = ir_op2(b, OP_eq, row, ir_la_fit(b, ir_reshape(b, at, 3, dims), row));
    ir_ref top = ir_reduce(b, OP_reduce_sum, ir_la_keep(b, mine, v, 0), ir_axes_of(1));
    top = ir_op1(b, OP_sign, ir_reshape(b, top, 3, dims));
    v = ir_div(b, v, ir_la_fit_real(b, ir_op1(b, OP_sqrt, sum), v));
    return ir_mul(b, v, ir_la_fit(b, ir_la_conj(b, top), v));
}

/* Of a real matrix: vectors of real eigenvalues are real, those of the second of a pair the conjugates of the first. */
static ir_ref
paired(ir_build *b, ir_ref v, ir_ref w)
{
    ir_ref im = ir_op1(b, OP_imag, w), zero = ir_like(b, im, 0);
    ir_ref real = ir_op2(b, OP_eq, im, zero), second = ir_op2(b, OP_lt, im, zero);
    const int64_t n = ir_la_cols(b, v);

    if (!v || !second)
        return IR_NONE;
    ir_ref before = ir_concatenate(b, 2, (ir_ref[]){ ir_la_block(b, v, 0, n, 0, 1), ir_la_block(b, v, 0, n, 0, n - 1) }, 2);
    ir_ref part = ir_convert(b, ir_op1(b, OP_real, v), ir_btype(b, v)->dtype);
    part = ir_select(b, ir_la_fit(b, real, part), part, v);
    return ir_select(b, ir_la_fit(b, second, part), ir_op1(b, OP_conj, before), part);
}

/* ---- the whole ---- */

static ir_ref
spoiled(ir_build *b, ir_ref bad, ir_ref x)
{
    ir_ref part = ir_like(b, ir_op1(b, OP_real, x), (double)NAN);

    return ir_select(b, ir_la_fit(b, bad, x), ir_op2(b, OP_complex, part, part), x);
}

/* x over its largest element, which is answered; *bad where that is infinite or NaN, and the unit matrix in its place. */
static ir_ref
scaled(ir_build *b, ir_ref *x, ir_ref *bad)
{
    const int64_t dims[3] = { ir_la_batch(b, *x), 1, 1 };
    ir_ref top = ir_reduce(b, OP_reduce_max, ir_la_size(b, *x), ir_axes_of(1) | ir_axes_of(2));

    top = top ? ir_reshape(b, top, 3, dims) : IR_NONE;
    *bad = ir_op1(b, OP_not, ir_op1(b, OP_is_finite, top));
    *x = ir_select(b, ir_la_fit(b, *bad, *x), ir_la_eye(b, *x), *x);
    ir_ref usable = both(b, ir_op2(b, OP_gt, top, ir_like(b, top, 0)), ir_op1(b, OP_not, *bad));
    top = ir_select(b, usable, top, ir_like(b, top, 1));
    *x = ir_div(b, *x, ir_la_fit_real(b, top, *x));
    return top;
}

/* y: the values, [batch, 1, n]; right vectors and left ones, in columns. */
static void
small(ir_build *b, ir_ref x, ir_ref *y)
{
    const ir_axes all = ir_axes_of(1) | ir_axes_of(2);
    const bool real = !ir_la_is_complex(b, x);
    ir_ref bad = IR_NONE, w, top = scaled(b, &x, &bad);
    const cot_dtype t = top && ir_btype(b, top)->dtype == COT_F32 ? COT_C64 : COT_C128;
    schur s = hessenberg(b, x);

    sweeps(b, &s);
    ir_ref left = window_of(b, s.h).hi;
    bad = ir_op2(b, OP_or, bad, ir_op2(b, OP_ne, left, ir_like(b, left, 0)));
    s = (schur){ ir_convert(b, s.h, t), ir_convert(b, s.q, t) };
    split_blocks(b, real, &s, &w);
    ir_ref adjoint = ir_reverse(b, ir_la_adjoint(b, s.h), all), conj = ir_reverse(b, ir_la_conj(b, w), ir_axes_of(2));
    y[1] = ir_la_dot(b, s.q, false, substituted(b, s.h, w), false);
    y[2] = ir_la_dot(b, s.q, false, ir_reverse(b, substituted(b, adjoint, conj), all), false);
    for (int i = 1; i < 3; i++) {
        y[i] = normalized(b, y[i]);
        y[i] = spoiled(b, bad, real ? paired(b, y[i], w) : y[i]);
    }
    y[0] = spoiled(b, bad, ir_mul(b, w, ir_la_fit_real(b, top, w)));
}

static void
large(ir_build *b, ir_ref x, ir_ref *y)
{
    const bool real = !ir_la_is_complex(b, x);

    ir_la_lapack(b, IR_LA_EIG, false, x, y);
    ir_ref w = y[0] ? ir_reshape(b, y[0], 3, (const int64_t[]){ ir_la_batch(b, x), 1, ir_la_rows(b, x) }) : IR_NONE;
    for (int i = 1; i < 3; i++) {
        y[i] = normalized(b, ir_la_adjoint(b, y[i]));
        y[i] = real ? paired(b, y[i], w) : y[i];
    }
}

void
eval_eig(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y[3];
    const int64_t flat[2] = { ir_la_batch(b, x), ir_la_rows(b, x) };

    (void)at, (void)n_in;
    if (!x)
        return;
    if (ir_btype(b, x)->size == 0) {
        const cot_dtype t = ir_part_type(ir_btype(b, x)->dtype) == COT_F32 ? COT_C64 : COT_C128;
        y[1] = y[2] = ir_convert(b, x, t);
        y[0] = ir_zeros(b, ir_type_new(b->ctx, t, 2, flat));
    } else if (flat[1] <= IR_LA_SMALL) {
        small(b, x, y);
    } else {
        large(b, x, y);
    }
    out[0] = ir_la_out(b, ir_reshape(b, y[0], 2, flat), in[0]);
    for (int i = 1; i < 3; i++)
        out[i] = ir_la_out(b, y[i], in[0]);
}
