/* sinh, cosh, tanh, logistic.
 *
 * All come from e^|x| = (hi + lo) 2^n, in which lo is what the last addition lost: results of at most one ulp
 * need it wherever another rounding follows.
 *   logistic  N / (1 + e^-|x|), N = 1 or e^-|x|: the quotient is corrected by its residue, and 2^n is
 *             multiplied in last, so that tiny results are rounded once
 *   tanh      1 - 2 / (1 + e^2|x|), the quotient corrected; an odd polynomial below 0.55
 *   cosh      E + 1/(4E), E = e^|x| / 2 with n - 1, since e^|x| may be too large where cosh is not
 *   sinh      E - 1/(4E); an odd polynomial below 1
 * Worst error in ulp (f32 over dense ranges, the rest sampled: bench/ulp.c runs all inputs): logistic 0.997, 0.91; tanh 0.77, 0.8; cosh 0.88, 0.9;
 * sinh 0.81, 0.8.  Coefficients by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double sinh32[] = { 0x1.555556p-3, 0x1.111134p-7, 0x1.9ffe92p-13, 0x1.7a15ccp-19 };
static const double sinh64[] = {
    0x1.5555555555555p-3,  0x1.1111111111111p-7,  0x1.a01a01a019fc1p-13, 0x1.71de3a5573f7dp-19,
    0x1.ae6456741b47cp-26, 0x1.61246afa5a4c6p-33, 0x1.ae756e7c8e7a0p-41, 0x1.9a79484cc3908p-49,
};
static const double tanh32[] = { -0x1.55554ap-2, 0x1.110d26p-3, -0x1.b9287ep-5, 0x1.593d1cp-6,
                                 -0x1.9b30a6p-8 };
static const double tanh64[] = {
    -0x1.555555555549ep-2,  0x1.1111111102958p-3,  -0x1.ba1ba1ad70316p-5,
    0x1.664f45c2a54bap-6,   -0x1.226ddd4327ee6p-7, 0x1.d6c61d287876dp-9,
    -0x1.7cf3b8c6f5503p-10, 0x1.2fa26f11e5954p-11, -0x1.b9091e898aae1p-13,
    0x1.abff7b3e9b636p-15,
};

/* a + a^3 p(a^2) */
static ir_sc
odd(ir_sc_build *b, ir_sc a, int n, const double *c)
{
    ir_sc z = m_mul(b, a, a);

    return m_fma(b, m_mul(b, a, z), ir_math_poly(b, z, n, c), a);
}

/* The residue num + dnum - y (den + dden), without num's or den's tail where it is 0. */
static ir_sc
residue(ir_sc_build *b, ir_sc num, ir_sc y, ir_sc den, ir_sc dden)
{
    ir_sc minus = m_neg(b, y);

    return m_fma(b, minus, dden, m_fma(b, minus, den, num));
}

ir_sc
eval_logistic(MATH_ARGS)
{
    bool w = in == COT_F64;
    ir_sc one = m_num(b, x[0], 1), f[2], dden;
    ir_sc a = ir_math_above(b, m_neg(b, m_abs(b, x[0])), w ? -746 : -104);
    ir_math_exp e = ir_math_exp_parts(b, a);

    ir_math_exp_scale(b, e.t, f);
    ir_sc hi = m_mul(b, m_mul(b, e.hi, f[0]), f[1]), lo = m_mul(b, m_mul(b, e.lo, f[0]), f[1]);
    ir_sc den = ir_math_sum(b, one, hi, &dden), negative = m_ltk(b, x[0], 0);
    dden = m_add(b, dden, lo);
    ir_sc inverse = m_div(b, one, den), num = m_select(b, negative, e.hi, one);
    ir_sc y = m_mul(b, num, inverse);
    ir_sc rest =
        m_add(b, residue(b, num, y, den, dden), m_select(b, negative, e.lo, m_num(b, a, 0)));
    y = m_fma(b, rest, inverse, y);
    return m_mul(b, m_mul(b, y, m_select(b, negative, f[0], one)),
                 m_select(b, negative, f[1], one));
}

ir_sc
eval_tanh(MATH_ARGS)
{
    bool w = in == COT_F64;
    ir_sc a = m_abs(b, x[0]), one = m_num(b, a, 1), two = m_num(b, a, 2), dden, lost;
    ir_math_exp e = ir_math_exp_parts(b, ir_math_below(b, m_add(b, a, a), w ? 44 : 20));
    ir_sc scale = ir_math_exp_two(b, e.t);
    ir_sc den = ir_math_sum(b, m_mul(b, e.hi, scale), one, &dden);

    dden = m_fma(b, e.lo, scale, dden);
    ir_sc q = m_div(b, two, den);
    ir_sc dq = m_mul(b, residue(b, two, q, den, dden), m_mulk(b, q, 0.5));
    ir_sc y = ir_math_sum(b, one, m_neg(b, q), &lost);
    y = m_add(b, y, m_sub(b, lost, dq));
    ir_sc small = w ? odd(b, a, 10, tanh64) : odd(b, a, 5, tanh32);
    return ir_math_flip(b, m_select(b, m_ltk(b, a, 0.55), small, y), x[0]);
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
