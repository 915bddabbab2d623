/* sinh, cosh, tanh, logistic.
 *
 * All come from e^|x| = (hi + lo) 2^n, in which lo is what the last addition lost: results of
 * at most one ulp need it wherever another rounding follows.
 *   logistic  N / (1 + e^-|x|), N = 1 or e^-|x|: the quotient is corrected by its residue,
 * and 2^n is
 *             multiplied in last, so that tiny results are rounded once
 *   tanh      with |x| = n ln2 / 2 + r: in f32 1 - 2 / (1 + e^2|x|), an odd polynomial below
 * 0.92; in f64, with
 *             s = tanh r by a polynomial, ((2^n + 1) s + 2^n - 1) / ((2^n - 1) s + 2^n + 1),
 *             which for n = 0 is s
 *   cosh      E + 1/(4E), E = e^|x| / 2 with n - 1, since e^|x| may be too large where cosh
 * is not
 *   sinh      E - 1/(4E); an odd polynomial below 1
 * Worst error in ulp (f32 over dense ranges, the rest sampled: bench/ulp.c runs all inputs):
 * logistic 0.997, 0.91; tanh 0.96, 1.9; cosh 0.88, 0.9;
 * sinh 0.81, 0.8.  Coefficients by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double sinh32[] = { 0x1.555556p-3, 0x1.111134p-7, 0x1.9ffe92p-13, 0x1.7a15ccp-19 };
static const double sinh64[] = {
    0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a019fc1p-13, 0x1.71de3a5573f7dp-19,
    0x1.ae6456741b47cp-26, 0x1.61246afa5a4c6p-33, 0x1.ae756e7c8e7a0p-41, 0x1.9a79484cc3908p-49,
};
static const double tanh32[] = {
    -0x1.55554cp-2, 0x1.110eccp-3, -0x1.b9bb82p-5,  0x1.627c42p-6,
    -0x1.0d04a0p-7, 0x1.4b8a26p-9, -0x1.c88736p-12,
};
static const double tanh64[] = {
    -0x1.55555555554d3p-2, 0x1.11111110f8372p-3, -0x1.ba1ba186ae7b7p-5, 0x1.664f2f4040c54p-6,
    -0x1.22678effe4104p-7, 0x1.d4e522e847067p-9, -0x1.57ff5864b3bbbp-10,
};
/* (e^(2r) - 1 - 2r) / r^2 */
static const double twice32[] = { 0x1.fffffcp0, 0x1.55548cp0, 0x1.555858p-1, 0x1.123d64p-2,
                                  0x1.6abb58p-4 };

/* a + a^3 p(a^2) */
static ir_sc
odd(ir_sc_build *b, ir_sc a, int n, const double *c)
{
    ir_sc z = m_mul(b, a, a);

    ir_sc poly = ir_math_poly(b, z, n, c);
    return m_fma(b, m_mul(b, a, z), poly, a);
}

/* The residue num + dnum - y (den + dden), without num's or den's tail where it is 0. */
static ir_sc
residue(ir_sc_build *b, ir_sc num, ir_sc y, ir_sc den, ir_sc dden)
{
    ir_sc minus = m_neg(b, y);

    return m_fma(b, minus, dden, m_fma(b, minus, den, num));
}

/* N / (1 + hi + lo), where N is e's number without its 2^n if x is negative, else 1. */
static ir_sc
logistic(ir_sc_build *b, ir_sc negative, ir_math_exp e, ir_sc hi, ir_sc lo)
{
    ir_sc one = m_num(b, hi, 1), dden, den = ir_math_sum(b, one, hi, &dden);

    dden = m_add(b, dden, lo);
    ir_sc inverse = m_div(b, one, den), num = m_select(b, negative, e.hi, one);
    ir_sc y = m_mul(b, num, inverse);
    ir_sc chosen = m_select(b, negative, e.lo, m_num(b, hi, 0));
    ir_sc rest = m_add(b, residue(b, num, y, den, dden), chosen);
    return m_fma(b, rest, inverse, y);
}

/* Of e^-|x| no more than 2^-60 counts in the denominator. */
static ir_sc
logistic_f32(ir_sc_build *b, ir_sc x)
{
    ir_sc a = ir_math_above(b, m_neg(b, m_abs(b, x)), -105), negative = m_ltk(b, x, 0);
    ir_math_exp e = ir_math_exp_parts_f32(b, a);
    ir_sc two = ir_math_exp_two_f32(b, e.t, -60);
    ir_sc y = logistic(b, negative, e, m_mul(b, e.hi, two), m_mul(b, e.lo, two));
    ir_sc t = m_select(b, negative, e.t, ir_math_exp_t_f32(b, a, 0));

    return ir_math_exp_scaled_f32(b, m_add(b, y, y), t);
}

ir_sc
eval_logistic(MATH_ARGS)
{
    if (in == COT_F32)
        return logistic_f32(b, x[0]);
    ir_sc a = ir_math_above(b, m_neg(b, m_abs(b, x[0])), ir_math_exp_least());
    ir_sc negative = m_ltk(b, x[0], 0), one = m_num(b, a, 1), f[2];
    ir_math_exp e = ir_math_exp_parts(b, a);

    ir_math_exp_scale(b, e.t, f);
    ir_sc hi = m_mul(b, m_mul(b, e.hi, f[0]), f[1]), lo = m_mul(b, m_mul(b, e.lo, f[0]), f[1]);
    ir_sc y = logistic(b, negative, e, hi, lo), right = m_select(b, negative, f[1], one);
    return m_mul(b, m_mul(b, y, m_select(b, negative, f[0], one)), right);
}

/* a = n ln2 / 2 + r for 0 <= a <= 22, r least but for `down`; and 2^n, which is e^(2 (a -
 * r)). */
static ir_sc
half_reduce(ir_sc_build *b, ir_sc a, double down, ir_sc *two, ir_sc *n)
{
    cot_dtype T = ir_sc_type_in(b, a), U = ir_math_uint(T);
    bool w = T == COT_F64;
    double whole = w ? 0x1.8p52 + 1023 : 0x1.8p23 + 127;
    ir_sc magic = m_num(b, a, whole);
    ir_sc right = m_num(b, a, 0x1.71547652b82fep1);
    ir_sc t = m_fma(b, down ? m_addk(b, a, -down) : a, right, magic);
    ir_sc minus_ln2 = m_num(b, a, -0x1.62e42fefa39efp-2);
    ir_sc r = m_fma(b, *n = m_addk(b, t, -whole), minus_ln2, a);

    ir_sc places = ir_sc_int(b, U, w ? 52 : 23);
    *two = m_bits(b, T, m_shl(b, m_bits(b, U, t), places));
    return w ? m_fma(b, *n, m_num(b, a, -0x1.abc9e3b39803fp-57), r) : r;
}

/* The divisor is (2^n + 1) + 2^n w, w = e^(2r) - 1: the first sum is exact where it counts, so
 * that there is one rounding.  What ln2 / 2 lacks counts n times, in a sum that grows by
 * 2^n. */
static ir_sc
tanh_f32(ir_sc_build *b, ir_sc a)
{
    ir_sc two, n, r = half_reduce(b, ir_math_below(b, a, 10), 0, &two, &n),
                  one = m_num(b, a, 1);
    ir_sc z = m_mul(b, r, r);
    ir_sc sum = m_add(b, r, r);
    ir_sc w = m_fma(b, z, ir_math_poly2(b, r, z, 5, twice32), sum);
    ir_sc term = m_fma(b, w, two, m_add(b, two, one));
    ir_sc q = m_div(b, m_num(b, a, 2), term);

    ir_sc difference = m_sub(b, one, q);
    ir_sc then = odd(b, a, 7, tanh32);
    return m_select(b, m_ltk(b, a, 0.92), then, difference);
}

/* With s = tanh r, e^(2a) = 2^n (1 + s) / (1 - s).  n is 0 up to tanh a = 1/4, below which a
 * rounding counts twice.  Where 2^n is large, the quotient is taken from 1. */
static ir_sc
tanh_f64(ir_sc_build *b, ir_sc a)
{
    ir_sc two, n,
        s = odd(b, half_reduce(b, ir_math_below(b, a, 22), 0.0822, &two, &n), 7, tanh64);
    ir_sc up = m_addk(b, two, 1), down = m_addk(b, two, -1), far = m_gtk(b, n, 1.5);
    ir_sc term = m_fma(b, up, s, down);
    ir_sc top = m_select(b, far, m_addk(b, m_add(b, s, s), -2), term);
    ir_sc q = m_div(b, top, m_fma(b, down, s, up));

    return m_add(b, m_select(b, far, m_num(b, a, 1), m_num(b, a, 0)), q);
}

ir_sc
eval_tanh(MATH_ARGS)
{
    ir_sc a = m_abs(b, x[0]);

    return ir_math_flip(b, in == COT_F64 ? tanh_f64(b, a) : tanh_f32(b, a), x[0]);
}

/* E and its tail; 1/(4E). */
static ir_sc
half_exp(ir_sc_build *b, ir_sc a, ir_sc *tail, ir_sc *inverse)
{
    bool w = ir_sc_type_in(b, a) == COT_F64;
    ir_math_exp e = ir_math_exp_fine(b, ir_math_below(b, a, w ? 712 : 91));
    ir_sc f[2];

    ir_math_exp_scale(b, m_addk(b, e.t, -1), f);
    ir_sc big = m_mul(b, m_mul(b, e.hi, f[0]), f[1]);
    *tail = m_mul(b, m_mul(b, e.lo, f[0]), f[1]);
    *inverse = m_div(b, m_num(b, a, 0.25), big);
    return big;
}

ir_sc
eval_cosh(MATH_ARGS)
{
    ir_sc tail, inverse, big = half_exp(b, m_abs(b, x[0]), &tail, &inverse);

    return m_add(b, big, m_add(b, inverse, tail));
}

ir_sc
eval_sinh(MATH_ARGS)
{
    ir_sc a = m_abs(b, x[0]), tail, inverse, big = half_exp(b, a, &tail, &inverse);
    ir_sc difference = m_sub(b, big, inverse),
          lost = m_sub(b, m_sub(b, big, difference), inverse);
    ir_sc y = m_add(b, difference, m_add(b, lost, tail));

    y = m_select(b, m_ltk(b, big, (double)INFINITY), y, big); /* inf - inf, in lost */
    ir_sc small = in == COT_F64 ? odd(b, a, 8, sinh64) : odd(b, a, 4, sinh32);
    return ir_math_flip(b, m_select(b, m_ltk(b, a, 1), small, y), x[0]);
}
