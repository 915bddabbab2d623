/* x = Q R by Householder reflections.
 *
 * A panel of few columns goes column by column: a reflection I - tau v v^T, v_j = 1, makes
 * zeros below the diagonal and is applied to all columns of the panel.  n of them together are
 * I - V^T T V with the v in the rows of V and T triangular, T^-1 = D^-1 + the part of V V^T
 * above the diagonal, where D holds the taus; as a tau may be 0, T = (I + D triangle)^-1 D.
 * Larger matrices go by block columns of several panels, whose reflections are applied to the
 * block columns on the right by products; Q is all reflections applied to the unit matrix, the
 * last one first.
 *
 * The sign of R's diagonal is LAPACK's: the opposite of the element that was there.  For a
 * complex matrix that diagonal is real, of the sign opposite to that element's real part; Q is
 * the product of I - tau v v^H, and Q^H has the conjugate taus.
 *
 * Source: R. Schreiber, C. Van Loan, SIAM J. Sci. Stat. Comput. 10(1), 1989; LAPACK's larfg. */
#include "ir/linalg/parts.h"

/* Columns of a block column, whose reflections are joined, and of a panel, all of which a step
 * goes over. */
enum { BLOCK = 64, PANEL = 16 };

static ir_ref
one(ir_build *b, ir_ref x)
{
    return x ? ir_reshape(b, x, 3, (const int64_t[]){ ir_btype(b, x)->dims[0], 1, 1 })
             : IR_NONE;
}

/* Scaled by the largest element, so that squares neither overflow nor vanish. */
ir_la_reflection
ir_la_reflection_of(ir_build *b, ir_ref col, ir_ref j)
{
    ir_ref below = ir_la_keep(b, ir_la_cols_where(b, OP_gt, col, j), col, 0);
    ir_ref alpha = ir_la_block_at(b, col, IR_NONE, 1, j, 1);
    ir_ref top = one(b, ir_reduce(b, OP_reduce_max, ir_la_size(b, below), ir_axes_of(2)));
    ir_ref size = ir_op2(b, OP_max, top, ir_la_size(b, alpha));
    ir_ref zero = ir_op2(b, OP_eq, top, ir_like(b, top, 0));
    if (ir_la_is_complex(b, alpha)) {
        ir_ref im = ir_op1(b, OP_imag, alpha);
        zero = ir_op2(b, OP_and, zero, ir_op2(b, OP_eq, im, ir_like(b, im, 0)));
    }
    ir_ref by = ir_select(b, zero, ir_like(b, size, 1), size);
    ir_ref scaled = ir_div(b, below, ir_la_fit_real(b, by, below));
    ir_ref a = ir_div(b, alpha, ir_la_fit_real(b, by, alpha)), re = ir_la_real(b, a);
    ir_ref sum = one(b, ir_reduce(b, OP_reduce_sum, ir_la_square(b, scaled), ir_axes_of(2)));
    ir_ref norm = ir_op1(b, OP_sqrt, ir_add(b, sum, ir_la_square(b, a)));
    ir_ref negative = ir_neg(b, norm);
    ir_ref beta = ir_select(b, ir_op2(b, OP_ge, re, ir_like(b, re, 0)), negative, norm);
    ir_ref whole = ir_la_fit_real(b, beta, a);
    ir_ref quotient = ir_div(b, ir_sub(b, whole, a), whole);
    ir_ref tau = ir_la_keep(b, ir_op1(b, OP_not, zero), quotient, 0);
    ir_ref difference = ir_sub(b, a, whole);
    ir_ref head = ir_select(b, zero, ir_like(b, a, 1), difference);
    ir_ref v = ir_div(b, scaled, ir_la_fit(b, head, scaled));
    ir_ref then = ir_like(b, v, 1);
    v = ir_select(b, ir_la_cols_where(b, OP_eq, v, j), then, v);
    return (ir_la_reflection){
        v, tau, ir_select(b, zero, alpha, ir_la_fit_real(b, ir_mul(b, beta, size), alpha))
    };
}

typedef struct qr_panel {
    ir_ref x, v, tau;
} qr_panel;

/* The triangle T of the reflections in the rows of v, [batch, n, rows], transposed; tau [batch,
 * n, 1]. */
static ir_ref
joined(ir_build *b, ir_ref v, ir_ref tau)
{
    ir_ref s = ir_la_dot_adjoint(b, v, v);
    ir_ref below = ir_la_keep(b, ir_la_compare(b, OP_gt, s, 0), s, 0);
    ir_ref m = ir_mul(b, below, ir_la_fit(b, ir_la_transpose(b, tau), s));

    ir_ref inverse = ir_la_inverse(b, m, true);
    return ir_mul(b, ir_la_fit(b, tau, m), inverse);
}

/* Stacked on a first axis, [n, batch, m, k], as [batch, n m, k]; batch or m is 1. */
static ir_ref
unstacked(ir_build *b, ir_ref y, int64_t n, int64_t batch, int64_t m, int64_t k)
{
    if (batch > 1)
        y = ir_transpose(b, ir_reshape(b, y, 3, (const int64_t[]){ n, batch, k }),
                         (const int64_t[]){ 1, 0, 2 });
    return ir_reshape(b, y, 3, (const int64_t[]){ batch, n * m, k });
}

/* The columns of p->x, of which the first has its diagonal element in row `at`: p->x becomes R,
 * p->v and p->tau the reflections. */
static void
factor_panel(ir_build *b, ir_ref at, qr_panel *p)
{
    ir_la_loop l;
    const int64_t m = ir_la_rows(b, p->x), n = ir_la_cols(b, p->x),
                  batch = ir_la_batch(b, p->x);
    const ir_ref in[2] = { at, ir_la_transpose(b, p->x) };
    ir_ref next[3], out[3] = { IR_NONE, IR_NONE, IR_NONE };

    ir_la_loop_begin(b, &l, n, 1, 1, in);
    ir_build *s = l.b;
    ir_ref x = l.in[1], j = ir_add(s, l.in[0], l.step);
    ir_ref col = ir_la_block_at(s, x, l.step, 1, IR_NONE, m);
    const ir_la_reflection r = ir_la_reflection_of(s, col, j);
    ir_ref w = ir_la_dot_adjoint(s, x, r.v);
    w = ir_mul(s, w, ir_la_fit(s, ir_la_conj(s, r.tau), w));
    ir_ref fitted = ir_la_fit(s, r.v, x);
    ir_ref rest = ir_sub(s, x, ir_mul(s, ir_la_fit(s, w, x), fitted));
    ir_ref done = ir_la_keep(s, ir_la_cols_where(s, OP_lt, col, j), col, 0);
    ir_ref then = ir_la_fit(s, r.beta, col);
    done = ir_select(s, ir_la_cols_where(s, OP_eq, col, j), then, done);
    next[0] = ir_la_put_at(s, rest, done, l.step, IR_NONE);
    next[1] = r.v, next[2] = r.tau;
    ir_la_loop_end(b, &l, 2, next, out);
    p->x = ir_la_transpose(b, out[0]);
    p->v = unstacked(b, out[1], n, batch, 1, m);
    p->tau = unstacked(b, out[2], n, batch, 1, 1);
}

/* x with the reflections applied to its columns: those of Q^H (with t transposed, as it is
 * stored), or of Q. */
static ir_ref
reflected(ir_build *b, ir_ref x, ir_ref v, ir_ref t, bool transposed)
{
    ir_ref w = ir_la_dot(b, ir_la_conj(b, v), false, x, false);

    w = ir_la_dot(b, transposed ? t : ir_la_conj(b, t), transposed, w, false);
    return ir_sub(b, x, ir_la_dot(b, v, true, w, false));
}

/* The unit matrix of m rows and n columns. */
static ir_ref
unit(ir_build *b, ir_ref like, int64_t batch, int64_t m, int64_t n)
{
    const ir_type *t = ir_la_type(b, like, batch, m, n);

    return t ? ir_la_eye(b, ir_zeros(b, t)) : IR_NONE;
}

typedef struct qr_columns {
    int64_t q;
} qr_columns;

/* One panel is enough. */
static void
small(ir_build *b, const qr_columns *o, ir_ref x, ir_ref *y)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), k = m < n ? m : n;
    qr_panel p = { .x = ir_la_block(b, x, 0, m, 0, k) };

    factor_panel(b, ir_la_number(b, 0), &p);
    ir_ref t = joined(b, p.v, p.tau);
    y[0] = reflected(b, unit(b, x, ir_la_batch(b, x), m, o->q), p.v, t, true);
    y[1] = p.x;
    if (n > k) {
        ir_ref right = reflected(b, ir_la_block(b, x, 0, m, k, n - k), p.v, t, false);
        y[1] = ir_concatenate(b, 2, (ir_ref[]){ y[1], right }, 2);
    }
}

/* Large matrices: batch 1. */

/* A block column whose first diagonal element is in row `at`, in panels of w columns, each of
 * which takes its reflections to the whole block column. */
static void
factor_column(ir_build *b, ir_ref at, int64_t w, qr_panel *p)
{
    const int64_t m = ir_la_rows(b, p->x), panels = ir_la_cols(b, p->x) / w;
    const ir_ref in[2] = { at, p->x };
    ir_ref next[3], out[3] = { IR_NONE, IR_NONE, IR_NONE };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, panels, 1, 1, in);
    ir_build *s = l.b;
    ir_ref col = ir_la_times(s, l.step, w);
    qr_panel one = { .x = ir_la_block_at(s, l.in[1], IR_NONE, m, col, w) };
    factor_panel(s, ir_add(s, l.in[0], col), &one);
    ir_ref rest = reflected(s, l.in[1], one.v, joined(s, one.v, one.tau), false);
    next[0] = ir_la_put_at(s, rest, one.x, IR_NONE, col);
    next[1] = one.v, next[2] = one.tau;
    ir_la_loop_end(b, &l, 2, next, out);
    *p = (qr_panel){ out[0], unstacked(b, out[1], panels, 1, w, m),
                     unstacked(b, out[2], panels, 1, w, 1) };
}

/* x with the reflections taken to its block columns of w columns, from number k on. */
static ir_ref
reflected_from(ir_build *b, ir_ref x, ir_ref v, ir_ref t, ir_ref k, int64_t w, bool transposed)
{
    ir_la_loop l;
    const ir_ref in[3] = { v, t, x };
    ir_ref y;

    ir_la_for_begin(b, &l, k, ir_la_number(b, ir_la_cols(b, x) / w), 2, 1, in);
    ir_build *s = l.b;
    ir_ref at = ir_la_times(s, l.step, w);
    y = ir_la_block_at(s, l.in[2], IR_NONE, ir_la_rows(s, l.in[2]), at, w);
    y = ir_la_put_at(s, l.in[2], reflected(s, y, l.in[0], l.in[1], transposed), IR_NONE, at);
    ir_la_for_end(b, &l, &y, &y);
    return y;
}

/* Q: all reflections applied to the unit matrix, those of the last block column first.  The
 * columns to the left of a block column are still those of the unit matrix then, and its
 * reflections do not change them. */
static ir_ref
all_reflections(ir_build *b, ir_ref v, ir_ref t, int64_t columns, int64_t w, int64_t q)
{
    ir_la_loop l;
    const int64_t m = ir_la_cols(b, v);
    ir_ref in[3] = { v, t, unit(b, v, 1, m, q) }, y;

    ir_la_loop_begin(b, &l, columns, 2, 1, in);
    ir_build *s = l.b;
    ir_ref k = ir_sub(s, ir_la_number(s, columns - 1), l.step), at = ir_la_times(s, k, w);
    ir_ref block = ir_la_block_at(s, l.in[1], at, w, IR_NONE, w);
    y = reflected_from(s, l.in[2], ir_la_block_at(s, l.in[0], at, w, IR_NONE, m), block, k, w,
                       true);
    ir_la_loop_end(b, &l, 0, &y, &y);
    return y;
}

static int64_t
whole(int64_t n, int64_t w)
{
    return (n + w - 1) / w * w;
}

static void
large(ir_build *b, const void *user, const ir_ref *x, ir_ref *y)
{
    const qr_columns *o = user;
    const int64_t m = ir_la_rows(b, x[0]), n = ir_la_cols(b, x[0]), k = m < n ? m : n;
    const ir_la_blocking coarse = ir_la_blocking_of(k, BLOCK),
                         fine = ir_la_blocking_of(coarse.size, PANEL);
    const int64_t w = fine.blocks * fine.size, all = coarse.blocks * w,
                  rows = m > all ? m : all;
    const int64_t cols = whole(n > all ? n : all, w), q = whole(o->q, w);
    ir_ref z = x[0], next[3], out[3] = { IR_NONE, IR_NONE, IR_NONE };
    ir_la_loop l;

    if (rows != m || cols != n)
        z = ir_la_put(b, ir_zeros(b, ir_la_type(b, z, 1, rows, cols)), z, 0, 0);
    ir_la_loop_begin(b, &l, coarse.blocks, 0, 1, &z);
    ir_build *s = l.b;
    ir_ref at = ir_la_times(s, l.step, w), right = ir_add(s, l.step, ir_la_number(s, 1));
    qr_panel p = { .x = ir_la_block_at(s, l.in[0], IR_NONE, rows, at, w) };
    factor_column(s, at, fine.size, &p);
    ir_ref t = joined(s, p.v, p.tau), done = ir_la_put_at(s, l.in[0], p.x, IR_NONE, at);
    next[0] = reflected_from(s, done, p.v, t, right, w, false);
    next[1] = p.v, next[2] = t;
    ir_la_loop_end(b, &l, 2, next, out);
    ir_ref v = unstacked(b, out[1], coarse.blocks, 1, w, rows);
    ir_ref ts = unstacked(b, out[2], coarse.blocks, 1, w, w);
    y[0] = ir_la_crop(b, all_reflections(b, v, ts, coarse.blocks, w, q), m, o->q);
    y[1] = ir_la_crop(b, out[0], m, n);
}

void
eval_qr(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y[2];
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), k = m < n ? m : n;
    const qr_columns o = { at->qr.full ? m : k };

    (void)n_in;
    if (!x)
        return;
    if (k == 0 || ir_btype(b, x)->size == 0) {
        y[0] = unit(b, x, ir_la_batch(b, x), m, o.q);
        y[1] = ir_zeros(b, ir_la_type(b, x, ir_la_batch(b, x), o.q, n));
    } else {
        if (k <= IR_LA_SMALL)
            small(b, &o, x, y);
        else
            ir_la_map(b, large, &o, 1, &x, 2, y);
        y[1] = ir_la_crop(b, y[1], o.q, n);
        y[1] = ir_la_keep(b, ir_la_compare(b, OP_le, y[1], 0), y[1], 0);
    }
    out[0] = ir_la_out(b, y[0], in[0]);
    out[1] = ir_la_out(b, y[1], in[0]);
}
