/* rsqrt and cbrt; f32 takes cbrt from f64.
 *
 * rsqrt: f64 1 / sqrt(x).  f32 sqrt(1 / x), whose root halves the relative error of the
 * quotient, where 1 / sqrt(x) would be off by 1.49 ulp; x is scaled by an even power of two, so
 * that neither it nor the quotient is subnormal or overflows, and the root of the power is
 * taken out again.
 * cbrt: |x| = m 2^(3q), 1 <= m < 8.  y near m^(-1/3) by a polynomial to 2^-8, then two steps of
 * order four for h = 1 - m y^3; the root c = m y^2 is corrected by m - c^3, taken with the
 * error of c^2.
 *
 * Worst error in ulp: f32 rsqrt 0.86, cbrt 0.51; f64 (sampled) rsqrt 1.5, cbrt 0.6. */
#include <math.h>

#include "ir/math/math.h"

static const double start[] = {
    0x1.6cc64038d9c45p0,   -0x1.317f6f8cada01p-1, 0x1.a170986d72382p-3,
    -0x1.3c4e1437bafa0p-5, 0x1.e4736fe6a4b61p-9,  -0x1.245a781276011p-13,
};

/* The cube root of m in [1, 8). */
static ir_sc
cube_root(ir_sc_build *b, ir_sc m)
{
    ir_sc y = ir_math_poly(b, m, 6, start);

    for (int i = 0; i < 2; i++) {
        static const double series[] = { 1.0 / 3, 2.0 / 9, 14.0 / 81 };
        ir_sc one = m_num(b, m, 1);
        ir_sc product = m_mul(b, y, y);
        ir_sc h = m_fnma(b, m_mul(b, m, y), product, one);
        ir_sc poly = ir_math_poly(b, h, 3, series);
        y = m_fma(b, m_mul(b, y, h), poly, y);
    }
    ir_sc w = m_mul(b, y, y), c = m_mul(b, m, w), square = m_mul(b, c, c);
    ir_sc term = m_fnma(b, square, c, m);
    ir_sc rest = m_fnma(b, m_fms(b, c, c, square), c, term);
    return m_fma(b, rest, m_mulk(b, w, 1.0 / 3), c);
}

static ir_sc
wide_cbrt(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), tiny = m_ltk(b, a, 0x1p-1022);
    ir_sc bits = m_bits(b, COT_U64, m_select(b, tiny, m_mulk(b, a, 0x1p54), a));
    ir_sc mask = ir_sc_int(b, COT_U64, 0x4330000000000000);
    ir_sc top = m_or(b, m_shr(b, bits, ir_sc_int(b, COT_U64, 52)), mask);
    ir_sc e = m_addk(b, m_bits(b, COT_F64, top), -(0x1p52 + 1023));
    ir_sc q = m_floor(b, m_mulk(b, m_addk(b, e, 0.5), 1.0 / 3)),
          left = m_fnma(b, q, m_num(b, q, 3), e);
    ir_sc low = m_and(b, bits, ir_sc_int(b, COT_U64, 0xfffffffffffff));
    ir_sc m = m_bits(b, COT_F64, m_or(b, low, ir_sc_int(b, COT_U64, 0x3ff0000000000000)));
    ir_sc two = m_num(b, a, 2), four = m_num(b, a, 4), one = m_num(b, a, 1);
    double whole = 0x1.8p52 + 2 * 1023; /* as ir_math_exp_two wants it */

    ir_sc chosen = m_select(b, m_eqk(b, left, 2), four, one);
    m = m_mul(b, m, m_select(b, m_eqk(b, left, 1), two, chosen));
    q = m_add(b, q, m_select(b, tiny, m_num(b, q, whole - 18), m_num(b, q, whole)));
    ir_sc exp_two = ir_math_exp_two(b, q);
    ir_sc y = ir_math_flip(b, m_mul(b, cube_root(b, m), exp_two), x[0]);
    ir_sc less = m_ltk(b, a, (double)INFINITY);
    ir_sc ordinary = m_and(b, m_gtk(b, a, 0), less);
    return m_select(b, ordinary, y, x[0]);
}

/* Of a zero the quotient is the result, since the root of -inf is NaN; of what is negative NaN,
 * since the quotient of -inf is -0. */
static ir_sc
narrow_rsqrt(ir_sc_build *b, ir_sc x)
{
    ir_sc low = m_ltk(b, x, 1), one = m_num(b, x, 1);
    ir_sc scale = m_select(b, low, m_num(b, x, 0x1p24), m_num(b, x, 0x1p-24));
    ir_sc root = m_select(b, low, m_num(b, x, 0x1p12), m_num(b, x, 0x1p-12));
    ir_sc quotient = m_div(b, one, m_mul(b, x, scale));
    ir_sc y = m_mul(b, m_sqrt(b, quotient), root);

    ir_sc other = m_select(b, m_eqk(b, x, 0), quotient, m_num(b, x, (double)NAN));
    return m_select(b, m_gtk(b, x, 0), y, other);
}

ir_sc
eval_rsqrt(MATH_ARGS)
{
    if (ir_sc_type_in(b, x[0]) == COT_F32)
        return narrow_rsqrt(b, x[0]);
    return m_div(b, m_num(b, x[0], 1), m_sqrt(b, x[0]));
}
ir_sc
eval_cbrt(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_cbrt);
}
