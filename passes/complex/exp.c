/* Exponentials, logarithms, roots and powers of complex numbers.
 *
 * With z = x + iy:
 *   exp z    = e^x (cos y + i sin y)
 *   expm1 z  = expm1(x) cos y - 2 sin^2(y/2) + i e^x sin y
 *   log z    = log |z| + i atan2(y, x)
 *   log1p z  likewise of 1 + z, without forming |1 + z|^2 - 1
 *   sqrt z   : t = sqrt((|x| + |z|) / 2); t + i y/(2t), or with x < 0 |y|/(2t) + i t with the
 *              sign of y
 *   z^w      = |z|^c e^(-d arg z) (cos q + i sin q), w = c + id, q = d log |z| + c arg z
 * The branch cuts of log, sqrt and pow are on the negative real axis, that of log1p is left of
 * -1.  On a cut the sign of a zero imaginary part selects the side.  Infinities and NaN follow
 * C99, Annex G.6.  Normwise error, measured: 3 ulp; pow has in addition that of q: |q| ulp.
 * Source: W. Kahan, Branch Cuts for Complex Elementary Functions, in: The State of the Art in
 * Numerical Analysis, Oxford 1987. */
#include <math.h>

#include "passes/complex/pair.h"

#define LN2 0.693147180559945309417

static ir_ref
real(ir_build *b, ir_op op, ir_ref x)
{
    return ir_op1(b, op, x);
}

/* e^x = e rest, in two factors since e^x cos y may be finite where e^x overflows: for large x,
 * e = e^(x - k) and rest = e^k. */
typedef struct factors {
    ir_ref e, rest;
} factors;

static factors
exp_factors(ir_build *b, ir_ref x)
{
    const bool wide = pr_wide(b, x);
    const double k = wide ? 512 : 64;
    ir_ref large = pr_more(b, x, wide ? 709 : 88);
    ir_ref e = real(b, OP_exp, ir_select(b, large, pr_addk(b, x, -k), x));
    ir_ref one = pr_k(b, x, 1);
    return (factors){ e, ir_select(b, large, pr_k(b, x, exp(k)), one) };
}

/* e^x (cos a + i sin a) for the angle a of the number whose imaginary part is y. */
static pass_pair
polar(ir_build *b, factors e, ir_ref x, ir_ref a, ir_ref y)
{
    ir_ref re = ir_mul(b, ir_mul(b, e.e, real(b, OP_cos, a)), e.rest);
    ir_ref im = ir_mul(b, ir_mul(b, e.e, real(b, OP_sin, a)), e.rest);
    ir_ref infinite = pr_is_inf(b, x);
    ir_ref lost = pr_and(b, pr_not(b, real(b, OP_is_finite, y)), infinite),
           zero = pr_k(b, x, 0);
    re = ir_select(b, lost, ir_op2(b, OP_max, x, zero), re);
    im = ir_select(b, pr_and(b, lost, pr_less(b, x, 0)), zero, im);
    return (pass_pair){ re, ir_select(b, pr_is(b, y, 0), y, im) };
}

static pass_pair
exp_of(ir_build *b, pass_pair z)
{
    return polar(b, exp_factors(b, z.re), z.re, z.im, z.im);
}

pass_pair
pair_exp(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return exp_of(b, *x);
}

/* 2^z: the angle is y log 2, and 2^x = 2^(x - k) 2^k. */
pass_pair
pair_exp2(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const bool wide = pr_wide(b, x->re);
    const double k = wide ? 512 : 64;
    ir_ref large = pr_more(b, x->re, wide ? 1023 : 127);
    ir_ref e = real(b, OP_exp2, ir_select(b, large, pr_addk(b, x->re, -k), x->re));
    ir_ref one = pr_k(b, e, 1);
    factors f = { e, ir_select(b, large, pr_k(b, e, ldexp(1, (int)k)), one) };
    (void)n;
    return polar(b, f, x->re, pr_mulk(b, x->im, LN2), x->im);
}

/* Where e^x is large, subtracting 1 changes nothing. */
pass_pair
pair_expm1(ir_build *b, const ir_node *n, const pass_pair *x)
{
    pass_pair all = exp_of(b, *x);
    ir_ref s = real(b, OP_sin, pr_mulk(b, x->im, 0.5));
    ir_ref cosine = real(b, OP_cos, x->im);
    ir_ref head = ir_mul(b, real(b, OP_expm1, x->re), cosine);
    ir_ref re = ir_sub(b, head, pr_mulk(b, ir_mul(b, s, s), 2));
    ir_ref infinite = pr_is_inf(b, x->re);
    ir_ref plain = pr_or(b, pr_more(b, x->re, 40), infinite);
    (void)n;
    return (pass_pair){ ir_select(b, plain, pr_addk(b, all.re, -1), re), all.im };
}

static pass_pair
log_of(ir_build *b, pass_pair z)
{
    return (pass_pair){ pr_log_abs(b, z.re, z.im, IR_NONE), ir_op2(b, OP_atan2, z.im, z.re) };
}

pass_pair
pair_log(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return log_of(b, *x);
}

pass_pair
pair_log2(ir_build *b, const ir_node *n, const pass_pair *x)
{
    pass_pair y = log_of(b, *x);
    (void)n;
    return (pass_pair){ pr_mulk(b, y.re, 1 / LN2), pr_mulk(b, y.im, 1 / LN2) };
}

pass_pair
pair_log1p(ir_build *b, const ir_node *n, const pass_pair *x)
{
    ir_ref product = ir_mul(b, x->im, x->im);
    ir_ref t = ir_add(b, ir_mul(b, x->re, pr_addk(b, x->re, 2)), product);
    ir_ref u = pr_addk(b, x->re, 1);
    (void)n;
    return (pass_pair){ pr_log_abs(b, u, x->im, t), ir_op2(b, OP_atan2, x->im, u) };
}

/* x and y are scaled towards 1 by an even power of 2, and the result by its root. */
pass_pair
pass_pair_sqrt(ir_build *b, pass_pair z)
{
    const bool wide = pr_wide(b, z.re);
    ir_ref one = pr_k(b, z.re, 1), ax = pr_abs(b, z.re), ay = pr_abs(b, z.im);
    ir_ref m = ir_op2(b, OP_max, ax, ay);
    ir_ref large = pr_more(b, m, wide ? 0x1p1000 : 0x1p120),
           small = pr_less(b, m, wide ? 0x1p-900 : 0x1p-80);
    ir_ref up = pr_k(b, one, wide ? 0x1p200 : 0x1p60),
           root_up = pr_k(b, one, wide ? 0x1p-100 : 0x1p-30);
    ir_ref by = ir_select(b, small, up, ir_select(b, large, pr_k(b, one, 0x1p-8), one));
    ir_ref back = ir_select(b, small, root_up, ir_select(b, large, pr_k(b, one, 0x1p4), one));
    ir_ref x = ir_mul(b, ax, by), y = ir_mul(b, ay, by);
    ir_ref t = real(b, OP_sqrt, pr_mulk(b, ir_add(b, x, pr_hypot(b, x, y)), 0.5));
    ir_ref still = pr_is(b, t, 0),
           other = ir_div(b, y, ir_select(b, still, one, ir_add(b, t, t)));
    ir_ref inf = pr_is(b, ay, INFINITY), left = pr_less(b, z.re, 0);
    t = ir_mul(b, t, back);
    other = ir_mul(b, other, back);
    ir_ref re = ir_select(b, inf, ay, ir_select(b, left, other, t));
    ir_ref im = ir_select(b, inf, ay, ir_select(b, left, t, other));
    return (pass_pair){ re, pr_copysign(b, im, z.im) };
}

pass_pair
pair_sqrt(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return pass_pair_sqrt(b, *x);
}

static pass_pair
one_over(ir_build *b, pass_pair z)
{
    return pass_pair_div(b, (pass_pair){ pr_k(b, z.re, 1), pr_k(b, z.re, 0) }, z);
}

pass_pair
pair_rsqrt(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return one_over(b, pass_pair_sqrt(b, *x));
}

/* 1 / (1 + e^-z) */
pass_pair
pair_logistic(ir_build *b, const ir_node *n, const pass_pair *x)
{
    pass_pair e = exp_of(b, pass_pair_neg(b, *x));
    (void)n;
    return one_over(b, (pass_pair){ pr_addk(b, e.re, 1), e.im });
}

/* A zero base gives 1 for w = 0, NaN for w on the imaginary axis, where there is no limit, and
 * |0|^Re w for others. */
pass_pair
pair_pow(ir_build *b, const ir_node *n, const pass_pair *x)
{
    const pass_pair z = x[0], w = x[1], log = log_of(b, z);
    ir_ref size = pr_hypot(b, z.re, z.im), none = pr_is(b, size, 0), zero = pr_k(b, size, 0);
    ir_ref angle = log.im, by_size = ir_op2(b, OP_pow, size, w.re);
    ir_ref head = ir_select(b, none, zero, log.re);
    ir_ref product = ir_mul(b, w.re, angle);
    ir_ref q = ir_add(b, ir_mul(b, w.im, head), product);
    ir_ref r = ir_mul(b, by_size, real(b, OP_exp, ir_neg(b, ir_mul(b, w.im, angle))));
    ir_ref re = ir_mul(b, r, real(b, OP_cos, q)), im = ir_mul(b, r, real(b, OP_sin, q));
    (void)n;
    ir_ref turns = pr_is(b, w.re, 0), unit = pr_and(b, turns, pr_is(b, w.im, 0));
    ir_ref nan = pr_k(b, size, (double)NAN);
    re = ir_select(b, none, ir_select(b, turns, nan, by_size), re);
    ir_ref chosen = ir_select(b, pr_and(b, none, turns), nan, zero);
    im = ir_select(b, pr_or(b, none, pr_is(b, q, 0)), chosen, im);
    return (pass_pair){ ir_select(b, unit, pr_k(b, re, 1), re), ir_select(b, unit, zero, im) };
}
