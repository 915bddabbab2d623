/* Arithmetic of complex numbers, and ops that are built from it.
 *
 *   mul     (ac - bd) + (ad + bc) i, each product rounded, like XLA's: an infinity times zero
 *           is NaN.  Terms with a constant 0, as of a converted real number, are omitted
 *   div     R. L. Smith, Algorithm 116, CACM 5 (1962): the smaller part of y is divided by the
 *           larger, so that no square overflows; a number over 0 is infinite, over an infinity
 *           0, as in C99, Annex G.5.1. Normwise error: 1 ulp for mul, 4 ulp for div.
 *   dot_general, conv_general   four real products */
#include <math.h>

#include "passes/complex/pair.h"
#include "passes/scatter.h"

/* A product, or IR_NONE if a factor is the constant 0.  A number converted from a real one then
 * multiplies as a real number, as in C99, Annex G.5.1, and a tangent of it stays linear. */
static ir_ref
term(ir_build *b, ir_ref x, ir_ref y)
{
    return pr_is_zero(b, x) || pr_is_zero(b, y) ? IR_NONE : pr_product(b, x, y);
}

/* x + y or x - y of such terms; a 0 has the type of `like`. */
static ir_ref
sum_of(ir_build *b, ir_ref x, ir_ref y, ir_ref like)
{
    return x || y ? tan_add(b, x, y) : pr_k(b, like, 0);
}

static ir_ref
difference_of(ir_build *b, ir_ref x, ir_ref y, ir_ref like)
{
    return x || y ? tan_sub(b, x, y) : pr_k(b, like, 0);
}

static pass_pair
mul_pairs(ir_build *b, pass_pair x, pass_pair y)
{
    ir_ref right = term(b, x.im, y.im);
    ir_ref difference = difference_of(b, term(b, x.re, y.re), right, x.re);
    ir_ref term_re = term(b, x.im, y.re);
    return (pass_pair){ difference, sum_of(b, term(b, x.re, y.im), term_re, x.re) };
}

pass_pair
pair_mul(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return mul_pairs(b, x[0], x[1]);
}

/* 1 for an infinite part and 0 for a finite one, with the sign of the part. */
static ir_ref
boxed(ir_build *b, ir_ref x)
{
    ir_ref zero = pr_k(b, x, 0);
    ir_ref then = pr_k(b, x, 1);
    ir_ref unit = ir_select(b, pr_is_inf(b, x), then, zero);
    return pr_copysign(b, unit, x);
}

static pass_pair
boxed_pair(ir_build *b, pass_pair z)
{
    return (pass_pair){ boxed(b, z.re), boxed(b, z.im) };
}

static ir_ref
is_infinite(ir_build *b, pass_pair z)
{
    ir_ref infinite = pr_is_inf(b, z.im);
    return pr_or(b, pr_is_inf(b, z.re), infinite);
}

static pass_pair
choose(ir_build *b, ir_ref p, pass_pair x, pass_pair y)
{
    return (pass_pair){ ir_select(b, p, x.re, y.re), ir_select(b, p, x.im, y.im) };
}

/* 0 x conj(y) */
static pass_pair
over_infinity(ir_build *b, pass_pair x, pass_pair y)
{
    ir_ref right = term(b, x.im, y.im);
    ir_ref re = sum_of(b, term(b, x.re, y.re), right, x.re);
    ir_ref term_im = term(b, x.re, y.im);
    ir_ref im = difference_of(b, term(b, x.im, y.re), term_im, x.re);
    return (pass_pair){ pr_mulk(b, re, 0), pr_mulk(b, im, 0) };
}

/* The results of Annex G for a zero and for an infinite y.  The selection depends only on y, so
 * that a quotient is linear in x.  Where the quotient by zero is not selected, it is a quotient
 * by 1, so that its transpose is not 0 / 0. */
static pass_pair
recovered(ir_build *b, pass_pair x, pass_pair y, pass_pair q)
{
    ir_ref equal = pr_is(b, y.im, 0);
    ir_ref by_zero = pr_and(b, pr_is(b, y.re, 0), equal);
    ir_ref zero = ir_select(b, by_zero, y.re, pr_k(b, y.re, 1));
    pass_pair over_zero = { ir_div(b, x.re, zero), ir_div(b, x.im, zero) };
    pass_pair quotient = over_infinity(b, x, boxed_pair(b, y));
    q = choose(b, is_infinite(b, y), quotient, q);
    return choose(b, by_zero, over_zero, q);
}

pass_pair
pass_pair_div(ir_build *b, pass_pair x, pass_pair y)
{
    if (pr_is_zero(b, y.im))
        return (pass_pair){ ir_div(b, x.re, y.re), ir_div(b, x.im, y.re) };
    ir_ref size = pr_abs(b, y.im);
    ir_ref swap = ir_op2(b, OP_lt, pr_abs(b, y.re), size);
    ir_ref small = ir_select(b, swap, y.re, y.im), large = ir_select(b, swap, y.im, y.re);
    ir_ref u = ir_select(b, swap, x.im, x.re), v = ir_select(b, swap, x.re, x.im);
    ir_ref r = ir_div(b, small, large), norm = ir_add(b, large, ir_mul(b, small, r));
    ir_ref re = ir_div(b, ir_add(b, u, ir_mul(b, v, r)), norm);
    ir_ref im = ir_div(b, ir_sub(b, v, ir_mul(b, u, r)), norm);
    return recovered(b, x, y, (pass_pair){ re, ir_select(b, swap, ir_neg(b, im), im) });
}

pass_pair
pair_div(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return pass_pair_div(b, x[0], x[1]);
}

pass_pair
pair_abs(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return (pass_pair){ pr_hypot(b, x->re, x->im), IR_NONE };
}

/* z / |z|; a zero is unchanged. */
pass_pair
pair_sign(ir_build *b, const ir_node *n, const pass_pair *x)
{
    ir_ref size = pr_hypot(b, x->re, x->im);
    ir_ref then = pr_k(b, size, 1);
    ir_ref by = ir_select(b, pr_is(b, size, 0), then, size);
    (void)n;
    return (pass_pair){ ir_div(b, x->re, by), ir_div(b, x->im, by) };
}

static pass_pair
one(ir_build *b, pass_pair like)
{
    return (pass_pair){ pr_k(b, like.re, 1), pr_k(b, like.re, 0) };
}

/* By repeated squaring, from the lowest bit of y; a negative power is 1 over the positive
 * one. */
pass_pair
pair_integer_pow(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const int64_t y = n->at->ipow.y;
    uint64_t k = y < 0 ? -(uint64_t)y : (uint64_t)y;
    pass_pair square = *x, power = { IR_NONE, IR_NONE };
    for (; k; k >>= 1) {
        if (k & 1)
            power = power.re ? mul_pairs(b, power, square) : square;
        if (k > 1)
            square = mul_pairs(b, square, square);
    }
    if (!power.re)
        return one(b, *x);
    return y < 0 ? pass_pair_div(b, one(b, *x), power) : power;
}

/* Applies one update after the other, as for a traced combiner (passes/scatter.c). */
pass_pair
pair_scatter_mul(ir_build *b, const ir_node *n, const pass_pair *x)
{
    ir_build *r = ir_build_new(b->ctx, "mul");
    ir_ref in[4], y[2] = { IR_NONE, IR_NONE };
    ir_graph *g = NULL;

    if (!x[0].re || !x[0].im || !x[2].re || !x[2].im)
        return (pass_pair){ IR_NONE, IR_NONE };
    for (int i = 0; i < 4; i++)
        in[i] = ir_input(r, ir_scalar_type(b->ctx, ir_btype(b, x[0].re)->dtype), NULL);
    pass_pair product =
        mul_pairs(r, (pass_pair){ in[0], in[1] }, (pass_pair){ in[2], in[3] });
    ir_output(r, product.re);
    ir_output(r, product.im);
    if (ir_build_end(r, &g) != COT_OK)
        b->status = b->ctx->status;
    else
        pass_scatter(b, &(pass_combiner){ .g = g, .n = 2 }, n->at,
                     (const ir_ref[]){ x[0].re, x[0].im }, x[1].re,
                     (const ir_ref[]){ x[2].re, x[2].im }, y);
    return (pass_pair){ y[0], y[1] };
}

/* ---- along axes ---- */

static pass_pair
slice_pair(ir_build *b, pass_pair z, int axis, int64_t start, int64_t limit)
{
    return (pass_pair){ ir_slice_axis(b, z.re, axis, start, limit),
                        ir_slice_axis(b, z.im, axis, start, limit) };
}

static pass_pair
join_pair(ir_build *b, pass_pair x, pass_pair y, int axis)
{
    return (pass_pair){ ir_concatenate(b, 2, (ir_ref[]){ x.re, y.re }, axis),
                        ir_concatenate(b, 2, (ir_ref[]){ x.im, y.im }, axis) };
}

static pass_pair
shape_pair(ir_build *b, pass_pair z, int rank, const int64_t *dims)
{
    return (pass_pair){ ir_reshape(b, z.re, rank, dims), ir_reshape(b, z.im, rank, dims) };
}

/* Multiplies the first half of the elements by the second until one is left; the last of an odd
 * number is kept. */
static pass_pair
product_along(ir_build *b, pass_pair z, int axis)
{
    int64_t n = ir_btype(b, z.re)->dims[axis];
    while (n > 1) {
        const int64_t h = n / 2;
        pass_pair right = slice_pair(b, z, axis, h, 2 * h);
        pass_pair y = mul_pairs(b, slice_pair(b, z, axis, 0, h), right);
        z = n % 2 ? join_pair(b, y, slice_pair(b, z, axis, 2 * h, n), axis) : y;
        n -= h;
        if (!z.re || !z.im)
            break;
    }
    return z;
}

pass_pair
pair_reduce_prod(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const ir_type *t = ir_btype(b, x->re);
    const ir_axes axes = n->at->axes.axes;
    int64_t dims[COT_MAX_RANK], rest[COT_MAX_RANK], size = 1;
    int rank = 0, left = 0, at = -1;
    /* adjacent axes become one axis, at the position of the first */
    for (int k = 0; k < t->rank; k++) {
        if (!ir_axes_has(axes, k)) {
            dims[rank++] = rest[left++] = t->dims[k];
        } else {
            if (at < 0)
                at = rank++;
            dims[at] = size *= t->dims[k];
        }
    }
    if (at < 0)
        return *x;
    if (size == 0) {
        const ir_type *y = ir_type_shaped(b->ctx, t, left, rest);
        return (pass_pair){ ir_splat(b, y, 1), ir_splat(b, y, 0) };
    }
    return shape_pair(b, product_along(b, shape_pair(b, *x, rank, dims), at), left, rest);
}

static ir_ref
shifted(ir_build *b, ir_ref x, int axis, int64_t by, bool reverse, double fill)
{
    const ir_type *t = ir_btype(b, x);
    const int64_t n = t->dims[axis];
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 }, none[COT_MAX_RANK] = { 0 };
    low[axis] = reverse ? 0 : by;
    high[axis] = reverse ? by : 0;
    ir_ref kept =
        reverse ? ir_slice_axis(b, x, axis, by, n) : ir_slice_axis(b, x, axis, 0, n - by);
    return ir_pad(b, kept, ir_splat(b, ir_scalar_type(b->ctx, t->dtype), fill), low, high,
                  none);
}

/* W. D. Hillis, G. L. Steele, Data Parallel Algorithms, CACM 29 (1986): for d = 1, 2, 4, ...
 * each element is combined with the one d positions before it; the first d are unchanged. */
pass_pair
pair_cumprod(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const int axis = (int)n->at->cumulate.axis;
    const int64_t size = ir_btype(b, x->re)->dims[axis];
    const bool reverse = n->at->cumulate.reverse;
    pass_pair z = *x;
    for (int64_t d = 1; d < size && z.re && z.im; d *= 2) {
        pass_pair by = { shifted(b, z.re, axis, d, reverse, 1),
                         shifted(b, z.im, axis, d, reverse, 0) };
        pass_pair y = mul_pairs(b, by, z);
        const int64_t from = reverse ? 0 : d, to = reverse ? size - d : size;
        pass_pair taken = slice_pair(b, y, axis, from, to);
        pass_pair kept = slice_pair(b, z, axis, reverse ? to : 0, reverse ? size : from);
        z = reverse ? join_pair(b, taken, kept, axis) : join_pair(b, kept, taken, axis);
    }
    return z;
}

/* The product, or IR_NONE if a factor is the constant 0. */
static ir_ref
product(ir_build *b, const ir_node *n, ir_ref x, ir_ref y)
{
    return pr_is_zero(b, x) || pr_is_zero(b, y)
               ? IR_NONE
               : ir_node1(b, (ir_op)n->op, 2, (ir_ref[]){ x, y }, n->at);
}

pass_pair
pair_dot_general(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const pass_pair p = x[0], q = x[1];
    ir_ref part[4] = { product(b, n, p.re, q.re), product(b, n, p.im, q.im),
                       product(b, n, p.re, q.im), product(b, n, p.im, q.re) };
    ir_ref like = part[0] ? part[0] : part[1] ? part[1] : part[2] ? part[2] : part[3];
    if (!like)
        like = ir_node1(b, (ir_op)n->op, 2, (ir_ref[]){ p.re, q.re }, n->at);
    return (pass_pair){ difference_of(b, part[0], part[1], like),
                        sum_of(b, part[2], part[3], like) };
}

pass_pair
pair_conv_general(ir_build *b, const ir_node *n, const pass_pair *x)
{
    return pair_dot_general(b, n, x);
}
