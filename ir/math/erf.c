/* erf and erfc.
 *
 * f32 erf: x + x Q(x^2) below 0.85; above, 1 - 2^p(|x|) with p = log2 erfc(x) = x u(x) - 2 x, u
 * by a polynomial to
 * 3.95.  f32 erfc: e^(-x^2) P(q) / (x + 2) in f64, q = (x - 2) / (x + 2), where x^2 is exact.
 * f64: x + x Q(x^2) below 1 (erf) or 1/2 (erfc); above, erfc(x) = e^(-x^2) G / (1 + 2 x) with G
 * = (1 + 2 x) e^(x^2) erfc(x), smooth in q = (x - 4) / (x + 4), by a polynomial on [1/2, 28].
 * x^2 is taken with its error, which multiplies the result by 1 - error.
 *
 * Worst error in ulp (f32 over dense ranges, the rest sampled: bench/ulp.c runs all inputs):
 * erf 0.99, 1.1; erfc 0.51, 1.2.
 * Source: the form of G and q is that of M. Shepherd, J. Laframboise, Chebyshev approximation
 * of (1 + 2x) exp(x^2) erfc(x), Mathematics of Computation 36, 1981.  Coefficients by fit.py;
 * the last bits of log32 and two32 were then searched for the least error of erf. */
#include <math.h>

#include "ir/math/math.h"

static const double q32[] = {
    0x1.06eba8p-3,  -0x1.812726p-2, 0x1.ce256ap-4,
    -0x1.b735e8p-6, 0x1.4b7612p-8,  -0x1.4cd78cp-11,
};
static const double log32[] = {
    0x1.7ccd12p-2, -0x1.d58a90p-1, -0x1.373708p-3,
    0x1.0f0e16p-5, -0x1.314c9ap-8, 0x1.465040p-12,
};
/* (2^r - 1) / r */
static const double two32[] = {
    0x1.62e432p-1, 0x1.ebfbecp-3, 0x1.c6adaep-5, 0x1.3b21bp-7, 0x1.5fbd84p-10, 0x1.4bf362p-13,
};
static const double g_short[] = {
    0x1.058671b60e120p+0, -0x1.5fd3869578881p-1, 0x1.1e2ded23255d4p-2, -0x1.2a8896254aac9p-5,
    -0x1.606c5c9b9da16p-6, 0x1.a8848f2257ab9p-8, 0x1.949b3011bde59p-9, -0x1.b3c8a192a5bdcp-11,
    -0x1.53c807764520ep-11, 0x1.bf796f8f59043p-16, 0x1.e34dccee0c6eap-14, 0x1.da5fa0e424538p-16,
};
/* The same for all x >= 0. */
static const double gx_short[] = {
    0x1.058671b5a7112p+0, -0x1.5fd3864759894p-1, 0x1.1e2dedaa83ccbp-2, -0x1.2a89443c4c248p-5,
    -0x1.606d1520789ccp-6, 0x1.a8baacdbe07d4p-8, 0x1.94d923c696955p-9, -0x1.baae02138e9b4p-11,
    -0x1.58b495a14030fp-11, 0x1.a263ea51b9251p-15, 0x1.1e4d4c53be568p-13, 0x1.022e6303fc55cp-16,
    -0x1.23f66f1e13d0fp-16, -0x1.056c17e16977bp-18,
};
static const double q64[] = {
    0x1.06eba8214db68p-3,   -0x1.812746b0379bdp-2,  0x1.ce2f21a040d16p-4,
    -0x1.b82ce311fa941p-6,  0x1.565bccf92b389p-8,   -0x1.c02db03dd8578p-11,
    0x1.f9a2baa915ad4p-14,  -0x1.f4ca4d70270b2p-17, 0x1.b97fd3de25ab8p-20,
    -0x1.5c0726f456892p-23, 0x1.d71b0eaa6f3b1p-27,  -0x1.abae4673b40a0p-31,
};
static const double g64[] = {
    0x1.3ba5916e9fd7fp0,    -0x1.1df1ad154a28ep-3,  0x1.f7f5df66fd531p-7,
    0x1.16ecefcfa5312p-4,   -0x1.9ddb23c3e7ac8p-4,  0x1.7fee004e13b43p-4,
    -0x1.0fb06dfe6e8f8p-4,  0x1.3079edf649e6ep-5,   -0x1.0962387d01441p-6,
    0x1.49c6729b2f6f7p-8,   -0x1.8d4aa208b9592p-11, -0x1.a1df38de40090p-13,
    0x1.3be0e05061752p-13,  -0x1.9956573d6f0a5p-16, -0x1.78a5659db20dfp-17,
    0x1.7f03833067c10p-18,  0x1.41fadfd7069f7p-22,  -0x1.b8a8d62d373a8p-21,
    0x1.1eb6581a24dfcp-24,  0x1.c0150ca161747p-24,  -0x1.a09cb91bff73ap-27,
    -0x1.58b44dbb1bf70p-27,
};

/* 1 - 2^p for -25 < p < -2: with 2^p = 2^n (1 + w), 1 - 2^n is exact and w is small, so that
 * two roundings are spared. */
static ir_sc
one_minus_exp2(ir_sc_build *b, ir_sc p)
{
    double whole = 0x1.8p23 + 127;
    ir_sc one = m_num(b, p, 1), t = m_addk(b, p, whole), r = m_sub(b, p, m_addk(b, t, -whole));
    ir_sc w = m_mul(b, r, ir_math_poly2(b, r, m_mul(b, r, r), 6, two32));
    ir_sc places = ir_sc_int(b, COT_U32, 23);
    ir_sc two = m_bits(b, COT_F32, m_shl(b, m_bits(b, COT_U32, t), places));

    return m_fnma(b, w, two, m_sub(b, one, two));
}

static ir_sc
erf_f32(ir_sc_build *b, ir_sc x)
{
    ir_sc a = ir_math_below(b, m_abs(b, x), 3.95), z = m_mul(b, a, a);
    ir_sc small = m_fma(b, a, ir_math_poly(b, z, 6, q32), a);
    ir_sc sum = m_add(b, a, a);
    ir_sc y = one_minus_exp2(b, m_fms(b, a, ir_math_poly2(b, a, z, 6, log32), sum));

    return ir_math_flip(b, m_select(b, m_ltk(b, a, 0.85), small, y), x);
}

/* 1 / (v + 2), and q = (v - 2) / (v + 2). */
static ir_sc
inverse_of(ir_sc_build *b, ir_sc v, ir_sc *q)
{
    ir_sc sum = m_addk(b, v, 2);
    ir_sc inverse = m_div(b, m_num(b, v, 1), sum);

    *q = m_fma(b, inverse, m_num(b, v, -4), m_num(b, v, 1));
    return inverse;
}

/* erfc(x) to 2^-31, 2^-140 at least: e^(-v^2) P(q) / (v + 2), v = |x|, which serves from 0
 * on. */
ir_sc
ir_math_erfc_short(ir_sc_build *b, ir_sc x, ir_sc minus_square)
{
    ir_sc v = ir_math_below(b, m_abs(b, x), 10.2),
          e = ir_math_exp_short(b, ir_math_above(b, minus_square, -104.04));
    ir_sc q, inverse = inverse_of(b, v, &q),
             p = ir_math_poly2(b, q, m_mul(b, q, q), 12, g_short);
    ir_sc y = m_mul(b, m_mul(b, e, inverse), p);

    ir_sc difference = m_sub(b, m_num(b, v, 2), y);
    return m_select(b, m_ltk(b, x, 0), difference, y);
}

ir_sc
ir_math_erfcx_short(ir_sc_build *b, ir_sc x)
{
    ir_sc q, inverse = inverse_of(b, x, &q);

    return m_mul(b, inverse, ir_math_poly2(b, q, m_mul(b, q, q), 14, gx_short));
}

static ir_sc
erfc_for_f32(ir_sc_build *b, const ir_sc *x)
{
    return ir_math_erfc_short(b, x[0], m_neg(b, m_mul(b, x[0], x[0])));
}

/* G / (1 + 2 v) and its tail: the last sum, the divisor and the quotient are kept with their
 * errors. */
static ir_sc
quotient(ir_sc_build *b, ir_sc v, ir_sc *tail)
{
    ir_sc sum = m_addk(b, v, 4);
    ir_sc q = m_div(b, m_addk(b, v, -4), sum), one = m_num(b, v, 1), dp, dd;
    ir_sc product = m_mul(b, q, ir_math_poly(b, q, 21, g64 + 1));
    ir_sc p = ir_math_sum(b, m_num(b, v, g64[0]), product, &dp);
    ir_sc d = ir_math_sum(b, m_add(b, v, v), one, &dd), inverse = m_div(b, one, d);
    ir_sc g = m_mul(b, p, inverse), minus = m_neg(b, g);

    ir_sc term = m_fma(b, minus, dd, dp);
    *tail = m_mul(b, m_add(b, m_fma(b, minus, d, p), term), inverse);
    return g;
}

/* erfc(a) for a >= 1/2. */
static ir_sc
erfc_f64(ir_sc_build *b, ir_sc a)
{
    ir_sc v = ir_math_below(b, a, 28), square = m_mul(b, v, v), lost = m_fms(b, v, v, square),
          f[2], dg;
    ir_sc g = quotient(b, v, &dg);
    ir_math_exp e = ir_math_exp_parts(b, m_neg(b, square));
    ir_sc tail = m_fma(b, e.hi, dg, m_mul(b, m_fnma(b, e.hi, lost, e.lo), g)),
          y = m_fma(b, e.hi, g, tail);

    ir_math_exp_scale(b, e.t, f);
    return m_mul(b, m_mul(b, y, f[0]), f[1]);
}

/* a Q(a^2) = erf(a) - a for a <= 1. */
static ir_sc
beyond(ir_sc_build *b, ir_sc a)
{
    return m_mul(b, a, ir_math_poly(b, m_mul(b, a, a), 12, q64));
}

/* erfcx(a) for a >= 28, where more terms of the asymptotic series would not count. */
static ir_sc
erfcx_far(ir_sc_build *b, ir_sc a)
{
    static const double series[] = { 1, -1, 3, -15, 105, -945, 10395 };
    ir_sc inverse = m_div(b, m_num(b, a, 1), a), w = m_mulk(b, m_mul(b, inverse, inverse), 0.5);

    ir_sc poly = ir_math_poly(b, w, 7, series);
    return m_mul(b, m_mulk(b, inverse, 0x1.20dd750429b6dp-1), poly);
}

ir_sc
ir_math_erfcx(ir_sc_build *b, ir_sc x)
{
    ir_sc a = m_abs(b, x), v = ir_math_below(b, a, 28), one = m_num(b, a, 1), dg, lost, f[2];
    ir_sc g = quotient(b, v, &dg), square = m_mul(b, v, v), error = m_fms(b, v, v, square);
    ir_math_exp e = ir_math_exp_fine(b, square);
    ir_sc near = ir_math_sum(b, one, m_neg(b, x), &lost), big = m_fma(b, e.hi, error, e.lo);

    ir_sc otherwise = erfcx_far(b, ir_math_above(b, a, 28));
    ir_sc sum = m_add(b, g, dg);
    g = m_select(b, m_ltk(b, a, 28), sum, otherwise);
    near = m_add(b, near, m_sub(b, lost, beyond(b, x)));
    ir_math_exp_scale(b, e.t, f);
    ir_sc scaled = m_mul(b, m_mul(b, m_add(b, e.hi, big), f[0]), f[1]);
    ir_sc infinity = m_num(b, a, (double)INFINITY);
    ir_sc difference = m_sub(b, m_add(b, scaled, scaled), g);
    ir_sc left = m_select(b, m_ltk(b, a, 28), difference, infinity);
    ir_sc y = m_select(b, m_ltk(b, x, 0), left, g);
    ir_sc product = m_mul(b, near, scaled);
    return m_select(b, m_ltk(b, a, 0.5), product, y);
}

static ir_sc
erf_f64(ir_sc_build *b, ir_sc x)
{
    ir_sc a = m_abs(b, x);
    ir_sc small = m_fma(b, a, ir_math_poly(b, m_mul(b, a, a), 12, q64), a);
    ir_sc right = erfc_f64(b, a);
    ir_sc y = m_sub(b, m_num(b, a, 1), right);

    return ir_math_flip(b, m_select(b, m_ltk(b, a, 1), small, y), x);
}

static ir_sc
wide_erfc(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), one = m_num(b, a, 1), lost, y = erfc_f64(b, a);
    ir_sc near = ir_math_sum(b, one, m_neg(b, x[0]), &lost);

    near = m_add(b, near, m_sub(b, lost, beyond(b, x[0])));
    ir_sc difference = m_sub(b, m_num(b, a, 2), y);
    y = m_select(b, m_ltk(b, x[0], 0), difference, y);
    return m_select(b, m_ltk(b, a, 0.5), near, y);
}

ir_sc
eval_erf(MATH_ARGS)
{
    return in == COT_F64 ? erf_f64(b, x[0]) : erf_f32(b, x[0]);
}
ir_sc
eval_erfc(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? erfc_for_f32 : wide_erfc);
}
