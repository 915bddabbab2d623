/* Forms of matrices that users and importers ask for.
 *
 * The Schur form of a real matrix is real: its diagonal blocks of two rows are rotated, those
 * with real eigenvalues into triangles, the others until the two diagonal elements are equal.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, sections 5.4.2 and 7.4;
 * for the rotations Z. Bai, J. Demmel, On swapping diagonal blocks in real Schur form, 1993. */
#include "ir/linalg/forms.h"

#include <math.h>

#include "ir/linalg/schur.h"

/* For a real block a, b; c, d of [batch, 1, 1] each: whether its eigenvalues are real, and the
 * cosine and sine of the rotation. */
static ir_ref
rotation_of(ir_build *b, const ir_ref *e, ir_ref *cosine, ir_ref *sine)
{
    ir_ref half = ir_like(b, e[0], 0.5), zero = ir_like(b, e[0], 0), one = ir_like(b, e[0], 1);
    ir_ref p = ir_mul(b, ir_sub(b, e[0], e[3]), half);
    ir_ref product = ir_mul(b, e[1], e[2]);
    ir_ref inside = ir_add(b, ir_mul(b, p, p), product);
    ir_ref real = ir_op2(b, OP_ge, inside, zero), positive = ir_op2(b, OP_ge, p, zero);
    /* Real ones: towards the vector (z, c) of the eigenvalue d + z. */
    ir_ref root = ir_op1(b, OP_sqrt, ir_select(b, real, inside, zero));
    ir_ref z = ir_add(b, p, ir_select(b, positive, root, ir_neg(b, root)));
    ir_ref right = ir_mul(b, e[2], e[2]);
    ir_ref size = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, z, z), right));
    ir_ref none = ir_op2(b, OP_eq, e[2], zero), safe = ir_select(b, none, one, size);
    /* The others: by half of the angle whose tangent is (d - a) / (b + c). */
    ir_ref sigma = ir_add(b, e[1], e[2]), twice = ir_add(b, p, p);
    ir_ref product_twice = ir_mul(b, twice, twice);
    ir_ref tau = ir_op1(b, OP_sqrt, ir_add(b, ir_mul(b, sigma, sigma), product_twice));
    ir_ref even = ir_op2(b, OP_eq, tau, zero), by = ir_select(b, even, one, tau);
    ir_ref c = ir_op1(b, OP_sqrt,
                      ir_mul(b, half, ir_add(b, one, ir_div(b, ir_op1(b, OP_abs, sigma), by))));
    c = ir_select(b, even, one, c);
    ir_ref s = ir_neg(b, ir_div(b, p, ir_mul(b, by, c)));
    ir_ref negative = ir_neg(b, s);
    s = ir_select(b, ir_op2(b, OP_lt, sigma, zero), negative, s);
    *cosine = ir_select(b, real, ir_select(b, none, one, ir_div(b, z, safe)), c);
    *sine = ir_select(b, real, ir_select(b, none, zero, ir_div(b, e[2], safe)), s);
    return real;
}

/* Rotates rows m - 1 and m of the real t and q. */
static void
rotate_block(ir_build *b, ir_ref m, ir_ref *t, ir_ref *q)
{
    const int64_t n = ir_la_rows(b, *t);
    ir_ref before = ir_sub(b, m, ir_la_number(b, 1)), e[4], x, y;

    for (int i = 0; i < 4; i++)
        e[i] = ir_op1(b, OP_barrier,
                      ir_la_block_at(b, *t, i < 2 ? before : m, 1, i % 2 ? m : before, 1));
    ir_ref real = rotation_of(b, e, &x, &y);
    ir_ref g[2] = { ir_concatenate(b, 2, (ir_ref[]){ x, ir_neg(b, y) }, 2),
                    ir_concatenate(b, 2, (ir_ref[]){ y, x }, 2) };
    ir_ref rotation = ir_op1(b, OP_barrier, ir_concatenate(b, 2, g, 1));
    ir_ref rows =
        ir_la_dot(b, rotation, true, ir_la_block_at(b, *t, before, 2, IR_NONE, n), false);
    ir_ref z = ir_la_put_at(b, *t, rows, before, IR_NONE);
    z = ir_la_put_at(
        b, z, ir_la_dot(b, ir_la_block_at(b, z, IR_NONE, n, before, 2), false, rotation, false),
        IR_NONE, before);
    ir_ref low = ir_la_block_at(b, z, m, 1, before, 1);
    *t = ir_la_put_at(b, z, ir_select(b, real, ir_like(b, low, 0), low), m, before);
    *q = ir_la_put_at(
        b, *q,
        ir_la_dot(b, ir_la_block_at(b, *q, IR_NONE, n, before, 2), false, rotation, false),
        IR_NONE, before);
}

static void
rotate_blocks(ir_build *b, ir_la_schur *s)
{
    const int64_t n = ir_la_rows(b, s->h);
    ir_ref in[2] = { s->h, s->q };
    ir_la_loop l;

    if (n < 2)
        return;
    ir_la_loop_begin(b, &l, n - 1, 0, 2, in);
    ir_ref next[2] = { l.in[0], l.in[1] };
    rotate_block(l.b, ir_add(l.b, l.step, ir_la_number(l.b, 1)), &next[0], &next[1]);
    ir_la_loop_end(b, &l, 0, next, in);
    s->h = in[0], s->q = in[1];
}

/* x [batch, 1, n] shifted by one element to the front; the last element is 0. */
static ir_ref
ahead(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_cols(b, x);
    ir_ref last = x ? ir_zeros(b, ir_la_type(b, x, ir_la_batch(b, x), 1, 1)) : IR_NONE;

    return ir_concatenate(b, 2, (ir_ref[]){ ir_la_block(b, x, 0, 1, 1, n - 1), last }, 2);
}

/* Imaginary parts (of one row 0, or NaN): of a block with the elements c below and b above the
 * diagonal, the roots of |b| |c|. */
static ir_ref
imaginary(ir_build *b, ir_ref t)
{
    ir_ref low = ir_la_diagonal(b, t, 1), high = ir_la_diagonal(b, ir_la_transpose(b, t), 1);
    ir_ref root = ir_op1(b, OP_sqrt, ir_op1(b, OP_abs, high));
    ir_ref size = ir_mul(b, ir_op1(b, OP_sqrt, ir_op1(b, OP_abs, low)), root);

    size = ir_la_keep(b, ir_op2(b, OP_ne, low, ir_like(b, low, 0)), size, 0);
    return ir_sub(b, ir_la_cols(b, t) < 2 ? ir_la_diagonal(b, t, 0) : ahead(b, size),
                  ir_la_cols(b, t) < 2 ? ir_la_diagonal(b, t, 0) : size);
}

static ir_ref
flat(ir_build *b, ir_ref w)
{
    return w ? ir_reshape(b, w, 2, (const int64_t[]){ ir_la_batch(b, w), ir_la_cols(b, w) })
             : IR_NONE;
}

static ir_ref
nan_where(ir_build *b, ir_ref bad, ir_ref x)
{
    ir_ref nan = ir_la_fit_real(b, ir_like(b, ir_la_real(b, x), (double)NAN), x);

    return ir_select(b, ir_la_fit(b, bad, x), nan, x);
}

void
eval_schur(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), bad = IR_NONE, w = IR_NONE;
    const bool real = !ir_la_is_complex(b, x);

    (void)at, (void)n_in;
    if (!x)
        return;
    if (ir_btype(b, x)->size == 0) {
        out[0] = out[1] = in[0];
        return;
    }
    ir_ref top = ir_la_scaled(b, &x, &bad);
    ir_la_schur s = ir_la_hessenberg(b, x, NULL);
    bad = ir_op2(b, OP_or, bad, ir_la_sweeps(b, &s));
    if (real)
        rotate_blocks(b, &s);
    else
        ir_la_triangles(b, false, &s, &w);
    s.h = ir_mul(b, s.h, ir_la_fit_real(b, top, s.h));
    out[0] = ir_la_out(b, nan_where(b, bad, s.h), in[0]);
    out[1] = ir_la_out(b, nan_where(b, bad, s.q), in[0]);
}

void
ir_schur(ir_build *b, ir_ref x, ir_ref *y)
{
    for (int i = 0; i < 4; i++)
        y[i] = IR_NONE;
    ir_add_node(b, OP_schur, 1, &x, NULL, y);
    ir_ref t = y[0] ? ir_la_in(b, y[0]) : IR_NONE;
    if (!t)
        return;
    y[2] = ir_la_out(b, flat(b, ir_la_diagonal(b, t, 0)), x);
    if (!ir_la_is_complex(b, t))
        y[3] = ir_la_out(b, flat(b, imaginary(b, t)), x);
}

void
ir_hessenberg(ir_build *b, ir_ref x, ir_ref *packed, ir_ref *tau)
{
    ir_ref a = ir_la_in(b, x);
    ir_la_reflections r;

    *packed = *tau = IR_NONE;
    if (!a)
        return;
    const ir_la_schur s = ir_la_hessenberg(b, a, &r);
    *packed =
        ir_la_out(b, ir_add(b, s.h, ir_la_keep(b, ir_la_compare(b, OP_gt, r.v, 1), r.v, 0)), x);
    *tau = ir_la_out(b, flat(b, ir_la_block(b, r.tau, 0, 1, 0, ir_la_rows(b, a) - 1)), x);
}

/* The first column of the largest rest from row k on, i32 [batch, 1, 1]. */
static ir_ref
longest(ir_build *b, ir_ref x, ir_ref k)
{
    const int64_t one[3] = { ir_la_batch(b, x), 1, 1 },
                  line[3] = { one[0], 1, ir_la_cols(b, x) };
    ir_ref squared = ir_la_square(b, x);
    ir_ref rest = ir_la_keep(b, ir_la_fit(b, ir_la_rows_where(b, OP_ge, x, k), x), squared, 0);
    ir_ref sum = rest ? ir_reshape(b, ir_reduce(b, OP_reduce_sum, rest, ir_axes_of(1)), 3, line)
                      : IR_NONE;

    sum = sum ? ir_la_keep(b, ir_la_cols_where(b, OP_ge, sum, k), sum, -1) : IR_NONE;
    ir_ref at =
        sum ? ir_node1(b, OP_argmax, 1, &sum, &(ir_attrs){ .arg = { 2, COT_I32 } }) : IR_NONE;
    return at ? ir_reshape(b, at, 3, one) : IR_NONE;
}

/* x with columns k and p of each matrix exchanged. */
static ir_ref
exchanged(ir_build *b, ir_ref x, ir_ref k, ir_ref p)
{
    const int64_t rows = ir_la_rows(b, x), dims[3] = { ir_la_batch(b, x), rows, 1 };
    ir_ref column = x ? ir_iota(b, COT_I32, 3, ir_btype(b, x)->dims, 2) : IR_NONE;
    ir_ref chosen = ir_op2(b, OP_eq, column, ir_la_fit(b, p, column)),
           mine = ir_la_keep(b, chosen, x, 0);

    if (!mine)
        return IR_NONE;
    ir_ref from = ir_la_block_at(b, x, IR_NONE, rows, k, 1);
    ir_ref to = ir_reshape(b, ir_reduce(b, OP_reduce_sum, mine, ir_axes_of(2)), 3, dims);
    x = ir_select(b, chosen, ir_la_fit(b, from, x), x);
    return ir_la_put_at(b, x, to, IR_NONE, k);
}

void
ir_pivoted(ir_build *b, ir_ref x, ir_ref *y, ir_ref *order)
{
    ir_ref a = ir_la_in(b, x);
    const int64_t m = ir_la_rows(b, a), n = ir_la_cols(b, a),
                  line[3] = { ir_la_batch(b, a), 1, n };
    ir_la_loop l;

    *y = *order = IR_NONE;
    if (!a)
        return;
    ir_ref in[3] = { ir_op1(b, OP_stop_gradient, a), ir_iota(b, COT_I32, 3, line, 2), a };
    ir_la_loop_begin(b, &l, m < n ? m : n, 0, 3, in);
    ir_build *s = l.b;
    ir_ref p = ir_op1(s, OP_barrier, longest(s, l.in[0], l.step)), next[3];
    for (int i = 0; i < 3; i++)
        next[i] = exchanged(s, l.in[i], l.step, p);
    const ir_la_reflection r = ir_la_reflection_of(
        s, ir_la_transpose(s, ir_la_block_at(s, next[0], IR_NONE, m, l.step, 1)), l.step);
    ir_ref w = ir_la_dot(s, ir_la_conj(s, r.v), false, next[0], false);
    w = ir_mul(s, w, ir_la_fit(s, ir_la_conj(s, r.tau), w));
    ir_ref fitted = ir_la_fit(s, w, next[0]);
    next[0] = ir_sub(s, next[0],
                     ir_mul(s, ir_la_fit(s, ir_la_transpose(s, r.v), next[0]), fitted));
    ir_la_loop_end(b, &l, 0, next, in);
    *y = ir_la_out(b, in[2], x);
    *order = ir_la_out(b, flat(b, in[1]), x);
}
