/* Eigenvalues and eigenvectors of general matrices.  Larger ones than IR_LA_SMALL rows are
 * LAPACK's (lapack.h).
 *
 * The sweeps of schur.c leave blocks of one or two rows.  A complex rotation makes each block
 * of two rows triangular.  Vectors come from back substitution in the triangle, all columns at
 * once, and are scaled as it proceeds.
 *
 * The eigenvalues of a real matrix are real, with an imaginary part of 0, or pairs of
 * conjugates, the one above the real axis first, and so are their vectors.  What does not
 * converge, or has infinite or NaN elements, is NaN.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, sections 7.4 to 7.6;
 * LAPACK's geev for the scale of vectors: of length 1, with the largest component real. */
#include <math.h>

#include "ir/linalg/lapack.h"
#include "ir/linalg/schur.h"

/* The eigenvalues of a block a, b; c, d, complex [batch, 1, 1]; of a real one that are not
 * real, conjugates. */
static void
of_two(ir_build *b, const ir_ref *e, bool real, ir_ref *first, ir_ref *second)
{
    ir_ref half = ir_like(b, e[0], 0.5), zero = ir_like(b, e[0], 0);
    ir_ref p = ir_mul(b, ir_sub(b, e[0], e[3]), half), bc = ir_mul(b, e[1], e[2]);
    ir_ref root = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, p, p), bc));
    /* Of the two roots that which lies on p's side. */
    ir_ref along = ir_op1(b, OP_real, ir_mul(b, root, ir_op1(b, OP_conj, p)));
    ir_ref negative = ir_neg(b, root);
    root = ir_select(b, ir_op2(b, OP_lt, along, ir_like(b, along, 0)), negative, root);
    ir_ref z = ir_add(b, p, root), none = ir_op2(b, OP_eq, z, zero);

    *first = ir_add(b, e[3], z);
    *second = ir_sub(b, e[3], ir_div(b, bc, ir_select(b, none, ir_like(b, z, 1), z)));
    if (!real || !*first)
        return;
    ir_ref im = ir_op1(b, OP_abs, ir_op1(b, OP_imag, *first)),
           pair = ir_op2(b, OP_ne, im, ir_like(b, im, 0));
    ir_ref up = ir_op2(b, OP_complex, ir_op1(b, OP_real, *first), im);
    *first = ir_select(b, pair, up, *first);
    *second = ir_select(b, pair, ir_op1(b, OP_conj, up), *second);
}

/* x with element i of its last axis replaced where p, [batch, 1, 1]. */
static ir_ref
replaced(ir_build *b, ir_ref x, ir_ref i, ir_ref p, ir_ref y)
{
    ir_ref at = ir_la_cols_where(b, OP_eq, x, i);

    ir_ref fitted = ir_la_fit(b, y, x);
    return ir_select(b, ir_op2(b, OP_and, at, ir_la_fit(b, p, at)), fitted, x);
}

/* Rows m - 1 and m of t, q and the eigenvalues w, [batch, 1, n]: a block of two becomes a
 * triangle. */
static void
split_block(ir_build *b, ir_ref m, bool real, ir_ref *t, ir_ref *q, ir_ref *w)
{
    const int64_t n = ir_la_rows(b, *t);
    ir_ref before = ir_sub(b, m, ir_la_number(b, 1)), e[4], first, second;

    for (int i = 0; i < 4; i++)
        e[i] = ir_op1(b, OP_barrier,
                      ir_la_block_at(b, *t, i < 2 ? before : m, 1, i % 2 ? m : before, 1));
    ir_ref some = ir_op2(b, OP_ne, e[2], ir_like(b, e[2], 0));
    of_two(b, e, real, &first, &second);
    ir_ref one = ir_like(b, e[0], 1);
    ir_ref x = ir_select(b, some, ir_sub(b, first, e[3]), one), y = e[2];
    ir_ref right = ir_la_size(b, y);
    ir_ref size = ir_op2(b, OP_max, ir_la_size(b, x), right);
    x = ir_div(b, x, ir_la_fit_real(b, size, x)), y = ir_div(b, y, ir_la_fit_real(b, size, y));
    ir_ref squared = ir_la_square(b, y);
    ir_ref r = ir_la_fit_real(b, ir_op1(b, OP_sqrt, ir_add(b, ir_la_square(b, x), squared)), x);
    x = ir_div(b, x, r), y = ir_div(b, y, r);
    ir_ref g[2] = { ir_concatenate(b, 2, (ir_ref[]){ x, ir_neg(b, ir_la_conj(b, y)) }, 2),
                    ir_concatenate(b, 2, (ir_ref[]){ y, ir_la_conj(b, x) }, 2) };
    ir_ref rotation = ir_op1(b, OP_barrier, ir_concatenate(b, 2, g, 1));
    ir_ref block = ir_la_block_at(b, *t, before, 2, IR_NONE, n);
    ir_ref rows = ir_la_dot(b, ir_la_conj(b, rotation), true, block, false);
    ir_ref z = ir_la_put_at(b, *t, rows, before, IR_NONE);
    *t = ir_la_put_at(
        b, z, ir_la_dot(b, ir_la_block_at(b, z, IR_NONE, n, before, 2), false, rotation, false),
        IR_NONE, before);
    *q = ir_la_put_at(
        b, *q,
        ir_la_dot(b, ir_la_block_at(b, *q, IR_NONE, n, before, 2), false, rotation, false),
        IR_NONE, before);
    *w = replaced(b, replaced(b, *w, before, some, first), m, some, second);
}

void
ir_la_triangles(ir_build *b, bool real, ir_la_schur *s, ir_ref *w)
{
    const int64_t n = ir_la_rows(b, s->h);
    ir_ref in[3] = { s->h, s->q, ir_la_diagonal(b, s->h, 0) };
    ir_la_loop l;

    if (n > 1) {
        ir_la_loop_begin(b, &l, n - 1, 0, 3, in);
        ir_ref next[3] = { l.in[0], l.in[1], l.in[2] };
        split_block(l.b, ir_add(l.b, l.step, ir_la_number(l.b, 1)), real, &next[0], &next[1],
                    &next[2]);
        ir_la_loop_end(b, &l, 0, next, in);
    }
    s->h = ir_la_keep(b, ir_la_compare(b, OP_le, in[0], 0), in[0], 0), s->q = in[1], *w = in[2];
}

/* Vectors of an upper triangle with eigenvalues w, in columns: rows from the last one up; no
 * element above 1. */
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
    ir_ref gap =
        ir_sub(s, l.in[1], ir_la_fit(s, ir_la_block_at(s, l.in[1], none, 1, i, 1), l.in[1]));
    ir_ref re = ir_la_real(s, ir_like(s, gap, ir_la_precision(b, t)));
    ir_ref near = ir_op2(s, OP_lt, ir_la_size(s, gap), re);
    gap = ir_select(s, near, ir_like(s, gap, ir_la_precision(b, t)), gap);
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

/* Of a real matrix: vectors of real eigenvalues are real, those of the second of a pair the
 * conjugates of the first. */
static ir_ref
paired(ir_build *b, ir_ref v, ir_ref w)
{
    ir_ref im = ir_op1(b, OP_imag, w), zero = ir_like(b, im, 0);
    ir_ref real = ir_op2(b, OP_eq, im, zero), second = ir_op2(b, OP_lt, im, zero);
    const int64_t n = ir_la_cols(b, v);

    if (!v || !second)
        return IR_NONE;
    ir_ref before = ir_concatenate(
        b, 2, (ir_ref[]){ ir_la_block(b, v, 0, n, 0, 1), ir_la_block(b, v, 0, n, 0, n - 1) },
        2);
    ir_ref part = ir_convert(b, ir_op1(b, OP_real, v), ir_btype(b, v)->dtype);
    part = ir_select(b, ir_la_fit(b, real, part), part, v);
    ir_ref conjugate = ir_op1(b, OP_conj, before);
    return ir_select(b, ir_la_fit(b, second, part), conjugate, part);
}

static ir_ref
spoiled(ir_build *b, ir_ref bad, ir_ref x)
{
    ir_ref part = ir_like(b, ir_op1(b, OP_real, x), (double)NAN);

    ir_ref complex = ir_op2(b, OP_complex, part, part);
    return ir_select(b, ir_la_fit(b, bad, x), complex, x);
}

/* y: the values, [batch, 1, n]; right vectors and left ones, in columns. */
static void
small(ir_build *b, ir_ref x, ir_ref *y)
{
    const ir_axes all = ir_axes_of(1) | ir_axes_of(2);
    const bool real = !ir_la_is_complex(b, x);
    ir_ref bad = IR_NONE, w, top = ir_la_scaled(b, &x, &bad);
    const cot_dtype t = top && ir_btype(b, top)->dtype == COT_F32 ? COT_C64 : COT_C128;
    ir_la_schur s = ir_la_hessenberg(b, x, NULL);

    bad = ir_op2(b, OP_or, bad, ir_la_sweeps(b, &s));
    s = (ir_la_schur){ ir_convert(b, s.h, t), ir_convert(b, s.q, t) };
    ir_la_triangles(b, real, &s, &w);
    ir_ref adjoint = ir_reverse(b, ir_la_adjoint(b, s.h), all),
           conj = ir_reverse(b, ir_la_conj(b, w), ir_axes_of(2));
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
    ir_ref w = y[0] ? ir_reshape(b, y[0], 3,
                                 (const int64_t[]){ ir_la_batch(b, x), 1, ir_la_rows(b, x) })
                    : IR_NONE;
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
