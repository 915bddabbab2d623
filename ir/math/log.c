/* log, log2, log1p.
 *
 * x = m 2^e with m in [sqrt(1/2), sqrt(2)), read off the bits; f = m - 1 is exact.
 *   f32  log(1 + f) = f - f^2/2 + f^3 P(f)
 *   f64  with s = f / (2 + f): log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2)))
 * and log(x) = e ln2 + log(1 + f), where ln2 is a head with so few bits that e times it is
 * exact, and a tail.  The sum of e ln2 and f is kept with its error: one rounding at the end
 * counts.
 *
 * Zero, negative numbers, infinity and NaN are put in at the end; subnormal numbers are scaled
 * first.
 * log1p: 1 + u rounds; what was lost, divided by the rounded sum, is added to its logarithm.
 *
 * Worst error in ulp (f32 over dense ranges, the rest sampled: bench/ulp.c runs all inputs):
 * log 0.96, 0.9; log2 1.00, 0.9; log1p 0.97, 1.1.
 * Source: P. Tang, Table-driven implementation of the logarithm function, ACM TOMS 16, 1990,
 * without the table; the f64 form goes back to W. Cody and K. Ng.  Coefficients by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double p32[] = {
    0x1.555554p-2, -0x1.000228p-2, 0x1.99a008p-3, -0x1.547244p-3,
    0x1.22da14p-3, -0x1.0d8544p-3, 0x1.055ba6p-3, -0x1.38b608p-4,
};
static const double r64[] = {
    0x1.5555555555593p-1, 0x1.999999997fb2cp-2, 0x1.2492494217d14p-2, 0x1.c71c51e7dab4ap-3,
    0x1.74664631f5ecep-3, 0x1.39a0f46eef38bp-3, 0x1.2f0d950e495b4p-3,
};

/* 2 atanh(s) / s, for what f32 wants */
static const double r64_short[] = {
    0x1.0000000004a79p1,  0x1.555554da52f15p-1, 0x1.999a9d5896868p-2,
    0x1.24328e967e388p-2, 0x1.e3b72a556580ap-3,
};

/* Bits of sqrt(1/2) and of 1: adding their difference to x makes the exponent step at
 * sqrt(2). */
static const int64_t root_bits[2] = { 0x3f3504f3, 0x3fe6a09e667f3bcd };
static const int64_t one_bits[2] = { 0x3f800000, 0x3ff0000000000000 };

/* m and e of a normal x > 0. */
static ir_sc
split(ir_sc_build *b, ir_sc x, ir_sc *e)
{
    cot_dtype T = ir_sc_type_in(b, x), U = ir_math_uint(T);
    bool w = T == COT_F64;
    int digits = w ? 52 : 23;
    ir_sc constant = ir_sc_int(b, U, one_bits[w] - root_bits[w]);
    ir_sc k = m_add(b, m_bits(b, U, x), constant);
    ir_sc low = m_and(b, k, ir_sc_int(b, U, (1ll << digits) - 1));
    ir_sc top = m_shr(b, k, ir_sc_int(b, U, digits));
    /* The biased exponent in the low bits of 2^23 (2^52) becomes a number with one
     * subtraction. */
    ir_sc number =
        m_bits(b, T, m_or(b, top, ir_sc_int(b, U, w ? 0x4330000000000000 : 0x4b000000)));

    *e = m_addk(b, number, w ? -(0x1p52 + 1023) : -(0x1p23 + 127));
    return m_bits(b, T, m_add(b, low, ir_sc_int(b, U, root_bits[w])));
}

ir_math_log
ir_math_log_parts(ir_sc_build *b, ir_sc x)
{
    ir_math_log y;
    ir_sc f = y.f = m_addk(b, split(b, x, &y.e), -1), z, half, s;

    if (ir_sc_type_in(b, x) == COT_F32) {
        z = m_mul(b, f, f);
        ir_sc poly2 = ir_math_poly2(b, f, z, 8, p32);
        ir_sc cubic = m_mul(b, m_mul(b, f, z), poly2);
        y.rest = m_fma(b, m_num(b, f, -0.5), z, cubic);
        return y;
    }
    s = m_div(b, f, m_addk(b, f, 2));
    z = m_mul(b, s, s);
    half = m_mul(b, m_mulk(b, f, 0.5), f);
    ir_sc r = m_fma(b, z, ir_math_poly(b, z, 7, r64), half);
    y.rest = m_fms(b, s, r, half);
    return y;
}

ir_sc
ir_math_log_short(ir_sc_build *b, ir_sc x)
{
    ir_sc e, f = m_addk(b, split(b, x, &e), -1), s = m_div(b, f, m_addk(b, f, 2));
    ir_sc y = m_mul(b, s, ir_math_poly(b, m_mul(b, s, s), 5, r64_short));

    return m_fma(b, e, m_num(b, x, 0x1.62e42fefa39efp-1), y);
}

static ir_sc
ln2_tail(ir_sc_build *b, ir_sc x)
{
    return m_num(b, x, ir_sc_type_in(b, x) == COT_F64 ? 0x1.ef35793c7673p-45 : 0x1.7f7d1cp-20);
}

/* e times the head of ln2, + f + rest: the product is exact, so that fma spares it. */
static ir_sc
add_up(ir_sc_build *b, ir_math_log y, ir_sc rest)
{
    ir_sc head =
        m_num(b, y.f, ir_sc_type_in(b, y.f) == COT_F64 ? 0x1.62e42fefa38p-1 : 0x1.62e4p-1);
    ir_sc a = m_fma(b, y.e, head, y.f), error = m_sub(b, y.f, m_fnma(b, y.e, head, a));

    return m_add(b, a, m_add(b, error, rest));
}

static ir_sc
combine(ir_sc_build *b, ir_math_log y)
{
    return add_up(b, y, m_fma(b, y.e, ln2_tail(b, y.e), y.rest));
}

/* log2: (f + rest) / ln2 with the product's error, and e. */
static ir_sc
combine2(ir_sc_build *b, ir_math_log y)
{
    bool w = ir_sc_type_in(b, y.f) == COT_F64;
    ir_sc head = m_num(b, y.f, w ? 0x1.71547652b82fep0 : 0x1.715476p0);
    ir_sc tail = m_num(b, y.f, w ? 0x1.777d0ffda0d24p-56 : 0x1.4ae0cp-26);
    ir_sc lo, error, hi = ir_math_sum(b, y.f, y.rest, &lo), p = m_mul(b, hi, head);
    ir_sc dp = m_fma(b, hi, tail, m_fma(b, lo, head, m_fms(b, hi, head, p)));
    ir_sc a = ir_math_sum(b, y.e, p, &error);

    return m_add(b, a, m_add(b, error, dp));
}

typedef ir_sc finish(ir_sc_build *b, ir_math_log y);

/* Subnormal numbers are scaled and special values put in by selects: a call, even one that is
 * not taken, would make the loop around it spill its registers. */
static ir_sc
logarithm(ir_sc_build *b, ir_sc x, finish *end)
{
    bool w = ir_sc_type_in(b, x) == COT_F64;
    double scale = w ? 64 : 32;
    ir_sc zero = m_num(b, x, 0), tiny = m_ltk(b, x, w ? 0x1p-1022 : 0x1p-126);
    ir_math_log p =
        ir_math_log_parts(b, m_select(b, tiny, m_mulk(b, x, ldexp(1, (int)scale)), x));

    p.e = m_select(b, tiny, m_addk(b, p.e, -scale), p.e);
    ir_sc nan = m_num(b, x, (double)NAN);
    ir_sc then = m_num(b, x, (double)-INFINITY);
    ir_sc out = m_select(b, m_eqk(b, x, 0), then, nan);
    ir_sc finite = end(b, p);
    ir_sc y = m_select(b, m_ltk(b, x, (double)INFINITY), finite, x);
    return m_select(b, m_lt(b, zero, x), y, out);
}

ir_sc
eval_log(MATH_ARGS)
{
    return logarithm(b, x[0], combine);
}
ir_sc
eval_log2(MATH_ARGS)
{
    return logarithm(b, x[0], combine2);
}

ir_sc
ir_math_log1p(ir_sc_build *b, ir_sc u, ir_sc du)
{
    ir_sc one = m_num(b, u, 1), d = m_add(b, one, u), back = m_sub(b, d, u);
    ir_sc difference = m_sub(b, one, back);
    ir_sc lost = m_add(b, m_sub(b, u, m_sub(b, d, back)), difference); /* Knuth's 2Sum */
    ir_math_log y = ir_math_log_parts(b, d);
    ir_sc quotient = m_div(b, m_add(b, lost, du), d);
    ir_sc tail = m_fma(b, y.e, ln2_tail(b, d), quotient); /* small things first */
    ir_sc then = add_up(b, y, m_add(b, tail, y.rest));
    ir_sc r = m_select(b, m_ltk(b, u, (double)INFINITY), then, u);

    ir_sc lowest = m_num(b, u, (double)-INFINITY);
    r = m_select(b, m_eqk(b, u, -1), lowest, r);
    ir_sc nan = m_num(b, u, (double)NAN);
    r = m_select(b, m_ltk(b, u, -1), nan, r);
    bool w = ir_sc_type_in(b, u) == COT_F64;
    ir_sc sum = m_add(b, u, du);
    return m_select(b, m_ltk(b, m_abs(b, u), w ? 0x1p-54 : 0x1p-25), sum, r);
}

ir_sc
eval_log1p(MATH_ARGS)
{
    ir_sc y = ir_math_log1p(b, x[0], m_num(b, x[0], 0));

    return m_select(b, m_eqk(b, x[0], 0), x[0], y);
}
