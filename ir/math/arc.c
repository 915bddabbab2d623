/* asin, acos, atan, atan2.
 *
 * atan2: with a = |y|, b = |x| and c one of 0, 1/2, 1, 3/2, infinity, the nearest to a / b,
 * atan(a/b) = atan(c) + atan(z), z = (a - c b) / (b + c a), |z| <= 7/16: one division; then an
 * odd polynomial, atan(c) in two parts, and the half plane.  Arguments at the ends of the range
 * are scaled together.  atan is atan2(x, 1).
 * asin: an odd polynomial to 1/2; above, pi/2 - 2 asin(s), s = sqrt((1 - |x|) / 2), with the
 * tail of the root from its residue.  acos likewise.  f32 takes all from f64.
 *
 * Worst error in ulp: 0.51 in f32; in f64 (sampled) asin 0.8, acos 0.9, atan 0.8, atan2 1.2.
 * Source: the intervals are those of W. Cody, W. Waite, Software Manual for the Elementary
 * Functions, refined by K. Ng; coefficients by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double atan64[] = {
    -0x1.5555555555509p-2, 0x1.999999998e419p-3, -0x1.2492491fdd04cp-3, 0x1.c71c6fd30d80ap-4,
    -0x1.745cdace5d0abp-4, 0x1.3b0f12a4d6893p-4, -0x1.10d5722f5ab83p-4, 0x1.ddd63379effe4p-5,
    -0x1.9781ac00b4543p-5, 0x1.2ad009ff2c320p-5, -0x1.09ef76129e5dap-6,
};
static const double asin64[] = {
    0x1.555555555538ep-3, 0x1.333333336eca8p-4, 0x1.6db6db4248497p-5,  0x1.f1c72c49ce1b5p-6,
    0x1.6e89f29dd7c04p-6, 0x1.1c6bfb121ca24p-6, 0x1.c6fbbd74f6d57p-7,  0x1.8ed08efc0957ap-7,
    0x1.ab574996caae2p-8, 0x1.40488b932452bp-6, -0x1.0a595eac1ed02p-6, 0x1.059c44bd6801fp-5,
};

/* Where a < limit b: the slope c, and atan(c) in two parts.  The last row is c = infinity. */
static const struct interval {
    double limit, c, hi, lo;
} interval[] = {
    { 0.4375, 0, 0, 0 },
    { 0.6875, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },
    { 1.1875, 1, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },
    { 2.4375, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56 },
    { 0, 1, 0x1.921fb54442d18p0, 0x1.1a62633145c07p-54 },
};

/* atan(a / b) for a, b >= 0, not both 0 or infinite. */
static ir_sc
angle(ir_sc_build *b, ir_sc top, ir_sc under)
{
    ir_sc zero = m_num(b, top, 0), c = 0, hi = 0, lo = 0, far = 0, lost;

    for (int i = 4; i >= 0; i--) {
        const struct interval *v = &interval[i];
        if (i == 4) {
            c = m_num(b, top, v->c);
            hi = m_num(b, top, v->hi);
            lo = m_num(b, top, v->lo);
            continue;
        }
        ir_sc here = m_lt(b, top, m_mulk(b, under, v->limit));
        if (i == 3)
            far = m_not(b, here);
        c = m_select(b, here, m_num(b, top, v->c), c);
        hi = m_select(b, here, m_num(b, top, v->hi), hi);
        lo = m_select(b, here, m_num(b, top, v->lo), lo);
    }
    ir_sc num = m_fnma(b, c, under, m_select(b, far, zero, top));
    ir_sc den = m_fma(b, c, top, m_select(b, far, zero, under));
    ir_sc z = m_div(b, num, den), w = m_mul(b, z, z);
    ir_sc s = ir_math_sum(b, hi, z, &lost);
    ir_sc sum = m_add(b, lost, lo);
    ir_sc poly = ir_math_poly(b, w, 11, atan64);
    ir_sc rest = m_fma(b, m_mul(b, z, w), poly, sum);
    return m_add(b, s, rest);
}

static ir_sc
wide_atan(ir_sc_build *b, const ir_sc *x)
{
    ir_sc one = m_num(b, x[0], 1);
    return ir_math_flip(b, angle(b, m_abs(b, x[0]), one), x[0]);
}

/* Both infinite: as (1, 1).  One infinite: as (1, 0), (0, 1).  Both zero: as (0, 1). */
static ir_sc
replace(ir_sc_build *b, ir_sc v, ir_sc mine, ir_sc others)
{
    ir_sc chosen = m_select(b, others, m_num(b, v, 0), v);
    return m_select(b, mine, m_num(b, v, 1), chosen);
}

static ir_sc
wide_atan2(ir_sc_build *b, const ir_sc *x)
{
    ir_sc top = m_abs(b, x[0]), under = m_abs(b, x[1]), one = m_num(b, top, 1);
    ir_sc infinity = m_num(b, top, (double)INFINITY), far = m_eq(b, top, infinity),
          wide = m_eq(b, under, infinity);
    ir_sc equal = m_eqk(b, under, 0);
    ir_sc origin = m_and(b, m_eqk(b, top, 0), equal);
    ir_sc unequal = m_ne(b, under, under);
    ir_sc nan = m_or(b, m_ne(b, top, top), unequal);
    ir_sc more = m_gtk(b, under, 0x1p1000);
    ir_sc big = m_or(b, m_gtk(b, top, 0x1p1000), more);
    ir_sc less = m_ltk(b, under, 0x1p-900);
    ir_sc tiny = m_and(b, m_ltk(b, top, 0x1p-900), less), lost;

    ir_sc chosen = m_select(b, tiny, m_num(b, top, 0x1p120), one);
    ir_sc scale = m_select(b, big, m_num(b, top, 0x1p-30), chosen);
    ir_sc a = m_mul(b, replace(b, top, far, wide), scale);
    ir_sc c = m_select(b, origin, one, m_mul(b, replace(b, under, wide, far), scale));
    ir_sc r = angle(b, a, c);
    ir_sc zero = ir_sc_int(b, COT_I64, 0);
    ir_sc left = m_lt(b, m_bits(b, COT_I64, x[1]), zero); /* pi/2 is that of both sides */
    ir_sc negative = m_neg(b, r);
    ir_sc other = ir_math_sum(b, m_num(b, r, 0x1.921fb54442d18p1), negative, &lost);
    other = m_add(b, other, m_addk(b, lost, 0x1.1a62633145c07p-53));
    r = m_select(b, m_and(b, left, m_not(b, m_eqk(b, c, 0))), other, r);
    ir_sc flip = ir_math_flip(b, r, x[0]);
    return m_select(b, nan, m_num(b, r, (double)NAN), flip);
}

/* asin(|x|) for |x| <= 1/2 as |x| + tail; above, half of pi/2 - asin(|x|) as s + tail. */
static ir_sc
arc(ir_sc_build *b, ir_sc a, ir_sc upper, ir_sc *tail)
{
    ir_sc half = m_num(b, a, 0.5);
    ir_sc product = m_mul(b, a, a);
    ir_sc z = m_select(b, upper, m_fnma(b, half, a, half), product);
    ir_sc s = m_select(b, upper, m_sqrt(b, z), a);
    ir_sc sum = m_add(b, s, s);
    ir_sc lost = m_div(b, m_fnma(b, s, s, z), sum);

    ir_sc zero = m_num(b, a, 0);
    lost = m_select(b, m_and(b, upper, m_gtk(b, z, 0)), lost, zero);
    ir_sc poly = ir_math_poly(b, z, 12, asin64);
    *tail = m_fma(b, m_mul(b, s, z), poly, lost);
    return s;
}

/* k pi/2 - 2 (s + tail), or -(s + tail) where the factor is 1. */
static ir_sc
from_right_angle(ir_sc_build *b, double k, ir_sc factor, ir_sc s, ir_sc tail)
{
    ir_sc negative = m_neg(b, m_mul(b, factor, s));
    ir_sc lost, d = ir_math_sum(b, m_num(b, s, k * 0x1.921fb54442d18p0), negative, &lost);
    ir_sc low = m_addk(b, lost, k * 0x1.1a62633145c07p-54);

    return m_add(b, d, m_fnma(b, factor, tail, low));
}

static ir_sc
wide_asin(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), upper = m_gtk(b, a, 0.5), tail, s = arc(b, a, upper, &tail);
    ir_sc y = from_right_angle(b, 1, m_num(b, a, 2), s, tail);

    return ir_math_flip(b, m_select(b, upper, y, m_add(b, s, tail)), x[0]);
}

/* Above 1/2: 2 asin(s).  Below -1/2: pi - 2 asin(s).  Between: pi/2 - asin(x). */
static ir_sc
wide_acos(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), upper = m_gtk(b, a, 0.5), tail, s = arc(b, a, upper, &tail);
    ir_sc two = m_num(b, a, 2), one = m_num(b, a, 1), y = m_add(b, s, tail);
    ir_sc flip = ir_math_flip(b, tail, x[0]);
    ir_sc middle = from_right_angle(b, 1, one, ir_math_flip(b, s, x[0]), flip);
    ir_sc sum = m_add(b, y, y);
    ir_sc then = from_right_angle(b, 2, two, s, tail);
    ir_sc outer = m_select(b, m_ltk(b, x[0], 0), then, sum);

    return m_select(b, upper, outer, middle);
}

ir_sc
eval_atan(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_atan);
}
ir_sc
eval_atan2(MATH_ARGS)
{
    return ir_math_wide(b, 2, x, wide_atan2);
}
ir_sc
eval_asin(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_asin);
}
ir_sc
eval_acos(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_acos);
}
