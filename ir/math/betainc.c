/* betainc: the regularised incomplete beta function I_x(a, b), defined by a graph.
 *
 * For x < (a + 1) / (a + b + 2), I = x^a (1 - x)^b / (a B(a, b)) times a continued fraction,
 * that of DiDonato and Morris's BFRAC (here times a), which takes the distance of a from its
 * mean (a + b) x, found without cancellation; beyond, 1 - I_(1-x)(b, a).  A loop over all
 * elements goes on until the last of them has converged, which takes about sqrt(max(a, b))
 * trips; an element that has not after MAX_TRIPS trips becomes NaN.  f32 computes in f64.
 *
 * The prefactor is C. Loader's saddle point form where a and b are not small: no large
 * logarithms cancel in it.
 *
 * Worst error (sampled, parameters up to 3000): f32 0.51 ulp; f64 (15 + |log y| / 2) ulp, and
 * absolute beside 1; where a or b is below MIN_LARGE, in whose prefactor logarithms cancel,
 * 140. Source: A. DiDonato, A. Morris, Algorithm 708, ACM TOMS 18, 1992; C. Loader, Fast and
 * accurate computation of binomial probabilities, 2000; NIST Handbook 8.17.22. */
#include <math.h>

#include "ir/expand.h"

enum { MAX_TRIPS = 20000, MIN_LARGE = 8 };

#define TINY 1e-290         /* a mean at which all is 0, and whose quotients are finite */

/* x op k. */
static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

/* Inputs: a, b, x, y = 1 - x, c = 1 + a - (a + b) x; the trip n; which elements have converged;
 * the last convergent of the fraction (over its denominator), and the numerator and denominator
 * of the one before it. */
enum { A, B, X, Y, C, TRIP, DONE, LAST, OVER, UNDER, CARRIED };

static void
inputs(ir_build *r, const ir_type *t, ir_ref *in)
{
    static const char *const name[CARRIED] = { "a", "b",    "x",    "y",    "c",
                                               "n", "done", "last", "over", "under" };

    for (int i = 0; i < CARRIED; i++)
        in[i] = ir_input(r,
                         i == TRIP   ? ir_scalar_type(r->ctx, COT_I32)
                         : i == DONE ? ir_type_as(r->ctx, t, COT_BOOL)
                                     : t,
                         name[i]);
}

/* With s = a + 2 n - 1: (a + b + n - 1) x / s (a + n - 1) / s n (b - n) x, in factors that do
 * not overflow. */
static ir_ref
upper_term(ir_build *r, const ir_ref *in, ir_ref n, ir_ref s)
{
    ir_ref before = with(r, OP_add, n, -1), sum = ir_add(r, ir_add(r, in[A], in[B]), before);
    ir_ref left = ir_div(r, ir_mul(r, sum, in[X]), s),
           middle = ir_div(r, ir_add(r, in[A], before), s);

    ir_ref right = ir_mul(r, ir_mul(r, n, ir_sub(r, in[B], n)), in[X]);
    return ir_mul(r, ir_mul(r, left, middle), right);
}

/* n + n (b - n) x / s + (a + n) / (s + 2) (c + n (1 + y)) */
static ir_ref
lower_term(ir_build *r, const ir_ref *in, ir_ref n, ir_ref s)
{
    ir_ref w = ir_div(r, ir_mul(r, ir_mul(r, n, ir_sub(r, in[B], n)), in[X]), s);
    ir_ref sum = with(r, OP_add, s, 2);
    ir_ref part = ir_div(r, ir_add(r, in[A], n), sum);
    ir_ref more = ir_add(r, in[C], ir_mul(r, n, with(r, OP_add, in[Y], 1)));

    ir_ref right = ir_mul(r, part, more);
    return ir_add(r, ir_add(r, n, w), right);
}

static ir_graph *
step(ir_build *outer, const ir_type *t)
{
    ir_build *r = ir_sub_begin(outer, "betainc.do");
    ir_ref in[CARRIED];

    inputs(r, t, in);
    ir_ref next = ir_add(r, in[TRIP], ir_splat_int(r, ir_scalar_type(r->ctx, COT_I32), 1));
    ir_ref n = ir_broadcast_scalar(r, ir_convert(r, next, COT_F64), t);
    ir_ref s = ir_add(r, in[A], with(r, OP_add, ir_add(r, n, n), -1));
    ir_ref up = upper_term(r, in, n, s), low = lower_term(r, in, n, s);
    ir_ref right = ir_mul(r, low, in[LAST]);
    ir_ref over = ir_add(r, ir_mul(r, up, in[OVER]), right);
    ir_ref under = ir_add(r, ir_mul(r, up, in[UNDER]), low), last = ir_div(r, over, under);
    ir_ref off = ir_op1(r, OP_abs, ir_sub(r, last, in[LAST]));
    /* NaN counts as converged */
    ir_ref rest = ir_op1(r, OP_not, ir_op2(r, OP_gt, off, with(r, OP_mul, last, 1.2e-16)));
    const ir_ref to[3] = { last, ir_div(r, in[LAST], under),
                           ir_div(r, ir_like(r, under, 1), under) };

    ir_output(r, next);
    ir_output(r, ir_op2(r, OP_or, in[DONE], rest));
    for (int i = 0; i < 3; i++)
        ir_output(r, ir_select(r, in[DONE], in[LAST + i], to[i]));
    return ir_sub_end(outer, r);
}

static ir_graph *
goes_on(ir_build *outer, const ir_type *t)
{
    ir_build *r = ir_sub_begin(outer, "betainc.while");
    ir_ref in[CARRIED];

    inputs(r, t, in);
    ir_ref any =
        ir_reduce(r, OP_reduce_or, ir_op1(r, OP_not, in[DONE]), ir_axes_below(t->rank));
    ir_output(r, ir_op2(r, OP_and, any,
                        ir_op2(r, OP_lt, in[TRIP],
                               ir_splat_int(r, ir_scalar_type(r->ctx, COT_I32), MAX_TRIPS))));
    return ir_sub_end(outer, r);
}

/* a times the fraction; NaN where it has not converged.  d = p - (p + q) x. */
static ir_ref
fraction(ir_build *b, ir_ref p, ir_ref q, ir_ref x, ir_ref y, ir_ref d)
{
    const ir_type *t = ir_btype(b, p);
    ir_ref c = with(b, OP_add, d, 1), first = ir_div(b, with(b, OP_add, p, 1), c);
    ir_ref in[CARRIED] = { p,
                           q,
                           x,
                           y,
                           c,
                           ir_splat_int(b, ir_scalar_type(b->ctx, COT_I32), 0),
                           ir_splat_int(b, ir_type_as(b->ctx, t, COT_BOOL), 0),
                           first,
                           ir_splat(b, t, 0),
                           ir_div(b, first, p) };
    ir_attrs at = { .loop = { .consts = TRIP, .cond = goes_on(b, t), .body = step(b, t) } };
    ir_ref out[CARRIED - TRIP];

    if (b->status != COT_OK)
        return IR_NONE;
    ir_add_node(b, OP_while, CARRIED, in, &at, out);
    return ir_select(b, out[DONE - TRIP], out[LAST - TRIP], ir_splat(b, t, (double)NAN));
}

/* ---- the prefactor x^p (1 - x)^q / B(p, q) ---- */

/* A product that the pass `contract` does not fuse into an fma. */
static ir_ref
product(ir_build *b, ir_ref x, ir_ref y)
{
    return ir_op3(b, OP_fma, x, y, ir_like(b, x, -0.0));
}

/* x - y with its rounding error (D. Knuth). */
static ir_ref
difference(ir_build *b, ir_ref x, ir_ref y, ir_ref *error)
{
    ir_ref s = ir_sub(b, x, y), z = ir_sub(b, s, x);

    ir_ref sum = ir_add(b, y, z);
    *error = ir_sub(b, ir_sub(b, x, ir_sub(b, s, z)), sum);
    return s;
}

/* p - (p + q) x, nearly rounded once: q's distance from its share (p + q) (1 - x) is the same
 * with the other sign. */
static ir_ref
off_centre(ir_build *b, ir_ref p, ir_ref q, ir_ref x)
{
    ir_ref px = product(b, p, x), qx = product(b, q, x), e[4];

    e[0] = ir_op3(b, OP_fma, p, x, ir_neg(b, px));
    e[1] = ir_op3(b, OP_fma, q, x, ir_neg(b, qx));
    ir_ref s = difference(b, difference(b, p, px, &e[2]), qx, &e[3]);
    ir_ref sum = ir_add(b, e[0], e[1]);
    return ir_add(b, s, ir_sub(b, ir_add(b, e[2], e[3]), sum));
}

/* sum c[i] z^i by Horner. */
static ir_ref
polynomial(ir_build *b, ir_ref z, int n, const double *c)
{
    ir_ref p = ir_like(b, z, c[n - 1]);

    for (int i = n - 2; i >= 0; i--)
        p = ir_op3(b, OP_fma, p, z, ir_like(b, z, c[i]));
    return p;
}

/* log Gamma(z + 1) - (z + 1/2) log z + z - log(2 pi) / 2 for z >= MIN_LARGE: B_2k / (2k (2k -
 * 1) z^(2k-1)). */
static ir_ref
stirling(ir_build *b, ir_ref z)
{
    static const double c[] = { 1 / 12.0,    -1 / 360.0,       1 / 1260.0,
                                -1 / 1680.0, 1 / 1188.0,       -691 / 360360.0,
                                1 / 156.0,   -3617 / 122400.0, 43867 / 244188.0 };
    ir_ref inverse = ir_div(b, ir_like(b, z, 1), z);

    return product(b, inverse, polynomial(b, product(b, inverse, inverse), 9, c));
}

/* A number and what it lacks. */
typedef struct twofold { ir_ref high, low; } twofold;

static twofold
less(ir_build *b, twofold x, twofold y)
{
    twofold z;

    z.high = difference(b, x.high, y.high, &z.low);
    z.low = ir_add(b, z.low, ir_sub(b, x.low, y.low));
    return z;
}

static twofold
product_of(ir_build *b, ir_ref x, ir_ref y)
{
    const ir_ref high = product(b, x, y);

    return (twofold){ high, ir_op3(b, OP_fma, x, y, ir_neg(b, high)) };
}

/* u log(u / m): the power of 2 in the quotient apart, whose logarithm would be rounded far from
 * 1. */
static twofold
times_log(ir_build *b, ir_ref u, ir_ref m)
{
    ir_ref r = ir_div(b, u, m),
           k = ir_op1(b, OP_floor, with(b, OP_add, ir_op1(b, OP_log2, r), 0.5));
    ir_ref rest = ir_op1(b, OP_log, product(b, r, ir_op1(b, OP_exp2, ir_neg(b, k))));
    twofold powers = product_of(b, u, k),
            y = product_of(b, powers.high, ir_like(b, u, 0x1.62e42fefa39efp-1));

    y.low = ir_op3(b, OP_fma, powers.high, ir_like(b, u, 0x1.abc9e3b39803fp-56), y.low);
    y.low = ir_op3(b, OP_fma, powers.low, ir_like(b, u, 0x1.62e42fefa39efp-1), y.low);
    /* what the quotient lacks, times u */
    y.low = ir_add(b, y.low, ir_op3(b, OP_fma, ir_neg(b, r), m, u));
    return less(b, y, product_of(b, ir_neg(b, u), rest));
}

/* u log(u / m) + m - u, m = u - d the mean: d v + 2 u v (v^2 / 3 + v^4 / 5 + ...), v = d / (u +
 * m), where that is small. */
static twofold
deviance(ir_build *b, ir_ref u, twofold mean, ir_ref d)
{
    static const double c[] = { 1 / 3.0,  1 / 5.0,  1 / 7.0,  1 / 9.0, 1 / 11.0,
                                1 / 13.0, 1 / 15.0, 1 / 17.0, 1 / 19.0 };
    ir_ref v = ir_div(b, d, ir_add(b, u, ir_sub(b, u, d))), z = product(b, v, v),
           zero = ir_like(b, u, 0);
    ir_ref right = product(b, z, polynomial(b, z, 9, c));
    ir_ref tail = product(b, product(b, ir_add(b, u, u), v), right);
    ir_ref near = ir_add(b, product(b, d, v), tail),
           is_near = with(b, OP_lt, ir_op1(b, OP_abs, v), 0.1);
    twofold all = { u, zero }, over = less(b, all, (twofold){ mean.high, zero });
    twofold far = less(b, times_log(b, u, mean.high), over);

    /* what the mean lacks, times the derivative by it */
    far.low = ir_sub(b, far.low, ir_mul(b, ir_div(b, over.high, mean.high), mean.low));

    return (twofold){ ir_select(b, is_near, near, far.high),
                      ir_select(b, is_near, zero, far.low) };
}

/* Where both are MIN_LARGE or more, sqrt(p q / (2 pi n)) e^(s(n) - s(p) - s(q) - D(p) - D(q)),
 * n = p + q, whose exponents do not cancel: s is Stirling's rest, D the deviance from the
 * mean. */
static ir_ref
prefactor(ir_build *b, ir_ref p, ir_ref q, ir_ref x, ir_ref d)
{
    ir_ref right = ir_mul(b, q, ir_op1(b, OP_log1p, ir_neg(b, x)));
    ir_ref e = ir_add(b, ir_mul(b, p, ir_op1(b, OP_log, x)), right);
    ir_ref few = ir_op1(b, OP_exp, ir_sub(b, e, ir_op2(b, OP_lbeta, p, q)));
    ir_ref at_least = with(b, OP_ge, q, MIN_LARGE);
    ir_ref large = ir_op2(b, OP_and, with(b, OP_ge, p, MIN_LARGE), at_least);
    ir_ref off = ir_select(b, large, d, ir_like(b, d, 0));
    ir_ref some = ir_like(b, p, MIN_LARGE), u = ir_select(b, large, p, some),
           v = ir_select(b, large, q, some);
    ir_ref n_low, y_low, n = difference(b, u, ir_neg(b, v), &n_low),
                         y = difference(b, ir_like(b, x, 1), x, &y_low);
    ir_ref stirling_v = stirling(b, v);
    ir_ref sum = ir_add(b, stirling(b, u), stirling_v);
    ir_ref rest = ir_sub(b, stirling(b, n), sum);
    twofold m = product_of(b, n, x), w = product_of(b, n, y);

    m = (twofold){ with(b, OP_max, m.high, TINY), ir_op3(b, OP_fma, n_low, x, m.low) };
    w.low = ir_op3(b, OP_fma, n, y_low, ir_op3(b, OP_fma, n_low, y, w.low));
    twofold nothing = { rest, ir_like(b, rest, 0) };
    twofold deviance_w = deviance(b, v, w, ir_neg(b, off));
    twofold exponent = less(b, less(b, nothing, deviance(b, u, m, off)), deviance_w);
    ir_ref product_v = with(b, OP_mul, v, 0.15915494309189533577);
    ir_ref root = ir_op1(b, OP_sqrt, product(b, ir_div(b, u, n), product_v));
    ir_ref many = product(b, root, ir_op1(b, OP_exp, exponent.high));

    return ir_select(b, large, ir_op3(b, OP_fma, many, exponent.low, many), few);
}

/* I for a, b > 0, 0 < x < 1. */
static ir_ref
inside(ir_build *b, ir_ref p, ir_ref q, ir_ref x)
{
    ir_ref one = ir_like(b, x, 1);
    ir_ref sum = with(b, OP_add, ir_add(b, p, q), 2);
    ir_ref edge = ir_div(b, with(b, OP_add, p, 1), sum);
    ir_ref mirrored = ir_op2(b, OP_ge, x, edge), y = ir_sub(b, one, x);
    ir_ref u = ir_select(b, mirrored, q, p), v = ir_select(b, mirrored, p, q);
    ir_ref near = ir_select(b, mirrored, y, x), far = ir_select(b, mirrored, x, y),
           d = off_centre(b, p, q, x);
    ir_ref r =
        ir_div(b, fraction(b, u, v, near, far, ir_select(b, mirrored, ir_neg(b, d), d)), u);

    r = ir_mul(b, prefactor(b, p, q, x, d), r);
    return ir_select(b, mirrored, ir_sub(b, one, r), r);
}

/* With the values at the ends, where there is a limit. */
void
eval_betainc(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    const cot_dtype narrow = ir_btype(b, in[0])->dtype;
    ir_ref v[3], ok[3];

    (void)at;
    for (int i = 0; i < n_in; i++)
        v[i] = ir_convert(b, in[i], COT_F64);
    ir_ref one = ir_like(b, v[0], 1), zero = ir_like(b, v[0], 0),
           nan = ir_like(b, v[0], (double)NAN);
    for (int i = 0; i < 3; i++) {
        ir_ref below = with(b, OP_lt, v[i], i == 2 ? 1 : (double)INFINITY);
        ok[i] = ir_op2(b, OP_and, with(b, OP_gt, v[i], 0), below);
    }
    ir_ref usual = ir_op2(b, OP_and, ir_op2(b, OP_and, ok[0], ok[1]), ok[2]);
    ir_ref chosen = ir_select(b, usual, v[2], with(b, OP_mul, one, 0.5));
    ir_ref chosen_one = ir_select(b, usual, v[1], one);
    ir_ref y = inside(b, ir_select(b, usual, v[0], one), chosen_one, chosen);
    /* All mass at 0: a = 0, or b infinite; at 1: b = 0, or a infinite. */
    ir_ref equal = with(b, OP_eq, v[1], (double)INFINITY);
    ir_ref at0 = ir_op2(b, OP_or, with(b, OP_eq, v[0], 0), equal);
    ir_ref right = with(b, OP_eq, v[0], (double)INFINITY);
    ir_ref at1 = ir_op2(b, OP_or, with(b, OP_eq, v[1], 0), right);
    ir_ref at_least = with(b, OP_ge, v[1], 0);
    ir_ref valid = ir_op2(b, OP_and, with(b, OP_ge, v[0], 0), at_least);
    ir_ref at_most = with(b, OP_le, v[2], 1);
    ir_ref range = ir_op2(b, OP_and, with(b, OP_ge, v[2], 0), at_most);

    ir_ref otherwise = ir_op1(b, OP_not, ir_op2(b, OP_and, at0, at1));
    valid = ir_op2(b, OP_and, ir_op2(b, OP_and, valid, range), otherwise);
    /* a logarithm of it is then no NaN */
    y = ir_op2(b, OP_min, ir_op2(b, OP_max, y, zero), one);
    y = ir_select(b, usual, y, nan);
    y = ir_select(b, ir_op2(b, OP_and, valid, at0), one, y);
    y = ir_select(b, ir_op2(b, OP_and, valid, at1), zero, y);
    y = ir_select(b, ir_op2(b, OP_and, valid, with(b, OP_eq, v[2], 0)), zero, y);
    y = ir_select(b, ir_op2(b, OP_and, valid, with(b, OP_eq, v[2], 1)), one, y);
    out[0] = ir_convert(b, y, narrow);
}
