/* Reduction to nearly triangular form by similarity transformations.
 *
 * Reflections make x a Hessenberg matrix.  Then sweeps of the implicit double-shift QR
 * algorithm, which real and complex matrices share (the two shifts enter only by their sum and
 * product), make elements below the diagonal vanish, until blocks of one or two rows are left.
 * The matrices of a batch are swept together: each step is at the same row k in all of them,
 * and a matrix whose active window does not hold row k stays as it is.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, sections 7.4 to 7.5. */
#include "ir/linalg/schur.h"

#include <math.h>

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
    ir_ref fitted = ir_la_fit(b, w, x);
    return ir_sub(b, x, ir_mul(b, ir_la_fit(b, ir_la_transpose(b, v), x), fitted));
}

static ir_ref
reflect_cols(ir_build *b, ir_ref x, ir_ref v, ir_ref tau)
{
    ir_ref w = ir_la_dot(b, x, false, v, true);

    w = ir_mul(b, w, ir_la_fit(b, tau, w));
    ir_ref fitted = ir_la_fit(b, ir_la_conj(b, v), x);
    return ir_sub(b, x, ir_mul(b, ir_la_fit(b, w, x), fitted));
}

ir_la_schur
ir_la_hessenberg(ir_build *b, ir_ref x, ir_la_reflections *r)
{
    const int64_t n = ir_la_rows(b, x), batch = ir_la_batch(b, x);
    ir_ref in[2] = { x, ir_la_eye(b, x) }, out[4];
    ir_la_loop l;

    if (r)
        *r = (ir_la_reflections){ zeros(b, x, n, n), zeros(b, x, 1, n) };
    if (n < 3)
        return (ir_la_schur){ in[0], in[1] };
    ir_la_loop_begin(b, &l, n - 2, 0, 2, in);
    ir_build *s = l.b;
    ir_ref k = ir_add(s, l.step, ir_la_number(s, 1));
    ir_ref col = ir_la_transpose(s, ir_la_block_at(s, l.in[0], IR_NONE, n, l.step, 1));
    const ir_la_reflection one = ir_la_reflection_of(s, col, k);
    ir_ref h = reflect_rows(s, l.in[0], one.v, one.tau);
    ir_ref next[4] = { reflect_cols(s, h, one.v, one.tau),
                       reflect_cols(s, l.in[1], one.v, one.tau), one.v, one.tau };
    ir_la_loop_end(b, &l, r ? 2 : 0, next, out);
    for (int i = 0; r && i < 2; i++) { /* [n - 2, batch, 1, n or 1], one above the other */
        ir_ref y = ir_move_axis(b, out[2 + i], 0, 2);
        y = y ? ir_reshape(b, y, 3, (const int64_t[]){ batch, n - 2, i ? 1 : n }) : IR_NONE;
        if (i == 0)
            r->v = ir_la_put(b, r->v, ir_la_transpose(b, y), 0, 0);
        else
            r->tau = ir_la_put(b, r->tau, ir_la_transpose(b, y), 0, 0);
    }
    return (ir_la_schur){ ir_la_keep(b, ir_la_compare(b, OP_le, out[0], 1), out[0], 0),
                          out[1] };
}

/* ---- one sweep ---- */

/* Rows lo ... hi of each matrix (i32 [batch, 1, 1]) are to be swept; hi is 0 where nothing is
 * left. */
typedef struct active_rows {
    ir_ref lo, hi;
} active_rows;

ir_ref
ir_la_diagonal(ir_build *b, ir_ref h, int64_t k)
{
    ir_ref own = ir_la_keep(b, ir_la_compare(b, OP_eq, h, k), h, 0);
    const int64_t dims[3] = { ir_la_batch(b, h), 1, ir_la_rows(b, h) };

    return own ? ir_reshape(b, ir_reduce(b, OP_reduce_sum, own, ir_axes_of(2)), 3, dims)
               : IR_NONE;
}

/* x moved by one place: element i is x's element i - 1; `first` comes in. */
static ir_ref
shifted(ir_build *b, ir_ref x, double first)
{
    const int64_t n = ir_la_cols(b, x);

    if (!x)
        return IR_NONE;
    ir_ref head = ir_splat(b,
                           ir_type_new(b->ctx, ir_btype(b, x)->dtype, 3,
                                       (const int64_t[]){ ir_la_batch(b, x), 1, 1 }),
                           first);
    return ir_concatenate(b, 2, (ir_ref[]){ head, ir_la_block(b, x, 0, 1, 0, n - 1) }, 2);
}

/* h with 0 for the elements below the diagonal that are negligible beside their neighbours on
 * it. */
static ir_ref
deflated(ir_build *b, ir_ref h)
{
    ir_ref size = ir_la_size(b, ir_la_diagonal(b, h, 0)),
           below = ir_la_size(b, ir_la_diagonal(b, h, 1));
    ir_ref around = ir_add(b, size, shifted(b, size, 0)), one = ir_like(b, around, 1);

    around = ir_select(b, ir_op2(b, OP_eq, around, ir_like(b, around, 0)), one, around);
    ir_ref gone =
        ir_op2(b, OP_le, below, ir_mul(b, around, ir_like(b, around, ir_la_precision(b, h))));
    ir_ref fitted = ir_la_fit(b, ir_la_transpose(b, gone), h);
    ir_ref at = both(b, ir_la_compare(b, OP_eq, h, 1), fitted);
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

/* The active window: the last block of three rows or more. */
static active_rows
window_of(ir_build *b, ir_ref h)
{
    ir_ref below = ir_la_diagonal(b, h, 1),
           some = ir_op2(b, OP_ne, below, ir_like(b, below, 0));
    ir_ref hi = last_where(b, both(b, some, shifted(b, some, 0)));
    ir_ref i = some ? ir_iota(b, COT_I32, 3, ir_btype(b, some)->dims, 2) : IR_NONE;
    ir_ref at_most = ir_op2(b, OP_le, i, ir_la_fit(b, hi, i));
    ir_ref before = both(b, ir_op1(b, OP_not, some), at_most);

    return (active_rows){ last_where(b, before), hi };
}

/* Element i + r, i + c of each matrix, i its own: [batch, 1, 1]. */
static ir_ref
element(ir_build *b, ir_ref h, ir_ref i, int64_t r, int64_t c)
{
    const int64_t one[3] = { ir_la_batch(b, h), 1, 1 };
    ir_ref diagonal = ir_la_diagonal(b, ir_la_transpose(b, h), 0);

    if (c < r)
        diagonal = ir_la_diagonal(b, h, r - c);
    else if (c > r)
        diagonal = ir_la_diagonal(b, ir_la_transpose(b, h), c - r);
    ir_ref at = diagonal ? ir_iota(b, COT_I32, 3, ir_btype(b, diagonal)->dims, 2) : IR_NONE;
    const int64_t far = r > c ? r : c;
    if (!at || !i)
        return IR_NONE;
    i = far ? ir_add(b, i, ir_splat_int(b, ir_btype(b, i), far)) : i;
    ir_ref own = ir_la_keep(b, ir_op2(b, OP_eq, at, ir_la_fit(b, i, at)), diagonal, 0);
    return ir_reshape(b, ir_reduce(b, OP_reduce_sum, own, ir_axes_of(2)), 3, one);
}

/* The first column of (h - s)(h - t), over h10, at rows lo ... lo + 2, [batch, 1, 3].  s and t
 * are the eigenvalues of the last two rows; every tenth sweep uses exceptional shifts, since
 * the usual ones may cycle. */
static ir_ref
first_column(ir_build *b, ir_ref h, const active_rows *w, ir_ref sweep)
{
    ir_ref a = element(b, h, w->hi, -1, -1), d = element(b, h, w->hi, 0, 0),
           c = element(b, h, w->hi, 0, -1);
    ir_ref h00 = element(b, h, w->lo, 0, 0), h10 = element(b, h, w->lo, 1, 0),
           h11 = element(b, h, w->lo, 1, 1);
    ir_ref bc = ir_mul(b, c, element(b, h, w->hi, -1, 0)), ten = ir_la_number(b, 10);

    if (!c || !sweep)
        return IR_NONE;
    ir_ref right = ir_la_size(b, element(b, h, w->hi, -1, -2));
    ir_ref size = ir_add(b, ir_la_size(b, c), right);
    ir_ref bound = ir_la_number(b, 9);
    ir_ref other = ir_op2(b, OP_eq, ir_op2(b, OP_rem, sweep, ten), bound);
    other = ir_broadcast_scalar(b, other, ir_type_as(b->ctx, ir_btype(b, size), COT_BOOL));
    ir_ref odd = ir_add(b, d, ir_la_fit_real(b, ir_mul(b, size, ir_like(b, size, 0.75)), d));
    ir_ref factor = ir_like(b, size, -0.4375);
    ir_ref odd_bc = ir_la_fit_real(b, ir_mul(b, ir_mul(b, size, size), factor), d);
    a = ir_select(b, other, odd, a), d = ir_select(b, other, odd, d),
    bc = ir_select(b, other, odd_bc, bc);
    ir_ref zero = ir_op2(b, OP_eq, h10, ir_like(b, h10, 0));
    ir_ref difference = ir_sub(b, h00, d);
    ir_ref top = ir_sub(b, ir_mul(b, ir_sub(b, h00, a), difference), bc);
    ir_ref entry = element(b, h, w->lo, 0, 1);
    top = ir_add(b, ir_div(b, top, ir_select(b, zero, ir_like(b, h10, 1), h10)), entry);
    ir_ref part[3] = { top, ir_sub(b, ir_sub(b, ir_add(b, h00, h11), a), d),
                       element(b, h, w->lo, 2, 1) };
    return ir_op1(b, OP_barrier, ir_concatenate(b, 3, part, 2));
}

/* Is the step at the row, i32 [], before or at i of each matrix, by op? */
static ir_ref
step_is(ir_build *b, ir_op op, ir_ref k, ir_ref i)
{
    return i ? ir_op2(b, op, ir_broadcast_scalar(b, k, ir_btype(b, i)), i) : IR_NONE;
}

/* The reflection of step k: of the first column where the window begins, else of what the step
 * before left below row k of column k - 1.  h has a row and a column of zeros more, in
 * front. */
static ir_la_reflection
bulge(ir_build *b, ir_ref h, ir_ref first, const active_rows *w, ir_ref k)
{
    ir_ref col = ir_la_transpose(b, ir_la_block_at(b, h, ir_add(b, k, ir_la_number(b, 1)), 3, k,
                                                   1));
    ir_ref begins = step_is(b, OP_eq, k, w->lo),
           last = step_is(b, OP_ge, ir_add(b, k, ir_la_number(b, 1)), w->hi);
    ir_ref third = col ? ir_la_cols_where(b, OP_eq, col, ir_la_number(b, 2)) : IR_NONE;

    col = ir_select(b, ir_la_fit(b, begins, col), first, col);
    ir_ref zero = ir_like(b, col, 0);
    col = ir_select(b, both(b, third, ir_la_fit(b, last, third)), zero, col);
    ir_ref number = ir_la_number(b, 0);
    ir_la_reflection r = ir_la_reflection_of(b, ir_op1(b, OP_barrier, col), number);
    ir_ref right = step_is(b, OP_lt, k, w->hi);
    ir_ref active = both(b, step_is(b, OP_ge, k, w->lo), right);
    r.tau = ir_op1(b, OP_barrier, ir_la_keep(b, active, r.tau, 0));
    r.v = ir_op1(b, OP_barrier, r.v);
    return r;
}

/* Step k on h, which has a row and a column of zeros in front and one behind, and on q, which
 * has one column behind. */
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
sweep(ir_build *b, ir_la_schur *s, ir_ref number, ir_ref *hi)
{
    const int64_t n = ir_la_rows(b, s->h);
    ir_ref h = deflated(b, ir_la_keep(b, ir_la_compare(b, OP_le, s->h, 1), s->h, 0));
    active_rows w = window_of(b, h);
    ir_ref wide = zeros(b, h, n + 2, n + 2), tall = zeros(b, h, n, n + 1);
    ir_ref in[5] = { w.lo, w.hi, first_column(b, h, &w, number),
                     wide ? ir_la_put(b, wide, h, 1, 1) : IR_NONE,
                     tall ? ir_la_put(b, tall, s->q, 0, 0) : IR_NONE },
           out[2] = { IR_NONE, IR_NONE };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, n - 1, 3, 2, in);
    w = (active_rows){ l.in[0], l.in[1] };
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

/* The state: is more to be done, bool []; the number of the sweep; h and q. */
static void
all_sweeps(ir_build *b, ir_la_schur *s)
{
    const int64_t n = ir_la_rows(b, s->h), most = 30 * (n < 10 ? 10 : n);
    ir_ref in[4] = { ir_splat_int(b, ir_type_new(b->ctx, COT_BOOL, 0, NULL), 1),
                     ir_la_number(b, 0), s->h, s->q };
    ir_ref x[4], out[4] = { IR_NONE, IR_NONE, IR_NONE, IR_NONE }, hi = IR_NONE;

    if (n < 3)
        return;
    ir_build *c = ir_sub_begin(b, "sweep");
    for (int i = 0; i < 4; i++)
        x[i] = in[i] ? ir_input(c, ir_btype(b, in[i]), NULL) : IR_NONE;
    ir_la_schur one = { x[2], x[3] };
    sweep(c, &one, x[1], &hi);
    ir_ref some = hi ? ir_op2(c, OP_gt, hi, ir_like(c, hi, 0)) : IR_NONE;
    ir_output(c, some ? ir_reduce(c, OP_reduce_or, some,
                                  ir_axes_of(0) | ir_axes_of(1) | ir_axes_of(2))
                      : IR_NONE);
    ir_output(c, ir_add(c, x[1], ir_la_number(c, 1)));
    ir_output(c, one.h);
    ir_output(c, one.q);
    ir_graph *body = ir_sub_end(b, c), *cond = goes_on(b, in, 4, most);
    if (body && cond)
        ir_add_node(b, OP_while, 4, in, &(ir_attrs){ .loop = { 0, 0, cond, body } }, out);
    s->h = ir_la_keep(b, ir_la_compare(b, OP_le, out[2], 1), out[2], 0), s->q = out[3];
}

ir_ref
ir_la_sweeps(ir_build *b, ir_la_schur *s)
{
    all_sweeps(b, s);
    ir_ref left = window_of(b, s->h).hi;
    return left ? ir_op2(b, OP_ne, left, ir_like(b, left, 0)) : IR_NONE;
}

ir_ref
ir_la_scaled(ir_build *b, ir_ref *x, ir_ref *bad)
{
    const int64_t dims[3] = { ir_la_batch(b, *x), 1, 1 };
    ir_ref top = ir_reduce(b, OP_reduce_max, ir_la_size(b, *x), ir_axes_of(1) | ir_axes_of(2));

    top = top ? ir_reshape(b, top, 3, dims) : IR_NONE;
    *bad = ir_op1(b, OP_not, ir_op1(b, OP_is_finite, top));
    ir_ref eye = ir_la_eye(b, *x);
    *x = ir_select(b, ir_la_fit(b, *bad, *x), eye, *x);
    ir_ref otherwise = ir_op1(b, OP_not, *bad);
    ir_ref usable = both(b, ir_op2(b, OP_gt, top, ir_like(b, top, 0)), otherwise);
    top = ir_select(b, usable, top, ir_like(b, top, 1));
    *x = ir_div(b, *x, ir_la_fit_real(b, top, *x));
    return top;
}
