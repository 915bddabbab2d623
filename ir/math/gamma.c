/* lgamma, digamma and lbeta.
 *
 * lgamma, x > 0: from 7.5 on by Stirling's series, (x - 1/2) (log x - 1) + c + S(1/x^2) / x,
 * log x kept as a sum of two; below, log Gamma(2 + d) = d P(d) for |d| <= 1/2 and the logarithm
 * of a product:
 *   x >= 3/2: d = x - n with n the nearest integer, Gamma(x) = (x - 1) ... (x - n + 2) Gamma(2
 *   + d);
 *   x >= 1/2: d = x - 1, Gamma(x) = Gamma(2 + d) / x;   x < 1/2: d = x, Gamma(x) = Gamma(2 +
 * d) / (x (1 + x)). From 7/8 to 13/8 it is (x - 1) times a polynomial, because the logarithm
 * there cancels; so the zeros at 1 and 2 keep their relative accuracy.  Negative x: log(pi /
 * |x sin(pi x)|) - lgamma(-x), where sin(pi x) has no error of reduction; near the zeros
 * there the error is absolute. digamma: from 10 on the asymptotic series; below, psi(y) = (y
 * - y0) R(y) on [1, 2], y0 its zero, and the sum of 1 / (x - j), gathered in one fraction.
 *  Negative x: psi(-x) - 1 / x - pi cot(pi x). lbeta: log B(x, y) where the larger is at
 * least 10 by Stirling's series for all that is large, so that nothing cancels; else lgamma
 * x + lgamma y - lgamma(x + y). f32 takes all from f64; its lgamma for x > 0 with short
 * polynomials there: t (t - 1) P(t) is log Gamma(1 + t) for t = x below 7/8, less log x, and
 * for t = x - 1 below 5/2, from where on Stirling's series is adjusted.
 *
 * Worst error in ulp (sampled): f32 0.51; f64 lgamma 2.8, digamma 2.4 for x > 0; for x < 0 1.4
 * and 2.1 ulp of the largest term, which cancels near a zero.  lbeta: 3.1 ulp of the largest
 * term.
 * Source: W. Cody, K. Hillstrom, Chebyshev approximations for the natural logarithm of the
 * gamma function, Mathematics of Computation 21, 1967 (the split); NIST Handbook 5.11, 5.15; A.
 * DiDonato, A. Morris, ACM TOMS 18, 1992 (lbeta).  Coefficients by fit_special.py. */
#include <math.h>

#include "ir/math/math.h"

#define LN2_HEAD 0x1.62e42fefa38p-1 /* 42 bits: an exponent times it is exact */
#define LN2_TAIL 0x1.ef35793c7673p-45
#define PI       3.14159265358979323846
#define HALF_LOG_TWO_PI 0.91893853320467274178

static const double near[] = {
    0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a55760ap-4, 0x1.51322ac7d84fp-6,
    -0x1.e404fc218dcb7p-8, 0x1.7add6eada71d5p-9, -0x1.38ac5c2d3d6cfp-10, 0x1.0b36af8e84b61p-11,
    -0x1.d3fd4b6e87184p-13, 0x1.a127ac1d61474p-14, -0x1.78de99764a661p-15,
    0x1.580ea671fe275p-16, -0x1.3cb3e05ca6579p-17, 0x1.25803ca10b55ep-18,
    -0x1.1274ce4410705p-19, 0x1.01fad60701134p-20, -0x1.ce3b7d56a1236p-22,
    0x1.a65e3060a9c33p-23, -0x1.1fc95ea6014bdp-23, 0x1.2902dbaf59078p-24,
};
static const double one[] = {
    -0x1.92857d38caf41p-2, 0x1.5337d1f7e6626p-1, -0x1.059d40f5f4e01p-2, 0x1.181b4928a4e7ep-3,
    -0x1.5593614f34acdp-4, 0x1.bd90f097f74c5p-5, -0x1.2e86e8e5aebfp-5, 0x1.a5c990e9865c8p-6,
    -0x1.2b88959112b89p-6, 0x1.af53f6d009b3ep-7, -0x1.39e3961b698afp-7, 0x1.ccc9f74d12957p-8,
    -0x1.54974921c48f6p-8, 0x1.fa2286a9661e6p-9, -0x1.7a713fdc58ddep-9, 0x1.1f6923a0dc6cap-9,
    -0x1.aed2e4e8e5219p-10, 0x1.2001c2065e76dp-10, -0x1.c44214cf669a2p-11,
    0x1.230d9789a3535p-10, -0x1.a5d662cffa49bp-11,
};
static const double zero[] = {
    0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee96p-2, 0x1.eca189b8e6f7bp-3, -0x1.2feeeb98a7e2ep-3,
    0x1.8512e59037edp-4, -0x1.fb44202999924p-5, 0x1.4de9aa18023efp-5, -0x1.b9f8b14fb37d1p-6,
    0x1.2564715661045p-6, -0x1.863559269aa43p-7, 0x1.03c0b2b03c827p-7, -0x1.5a0806b3e02e4p-8,
    0x1.cd1f27e48eb0dp-9, -0x1.3350d74daed31p-9, 0x1.99e19ccb78a2cp-10, -0x1.1140b333b9ee5p-10,
    0x1.69bb27fb05868p-11, -0x1.e1c404e615976p-12, 0x1.56c22c305ea08p-12,
    -0x1.cbf0d6cb9bccep-13, 0x1.803dec94c1f9cp-14, -0x1.ed86d5e4c0c01p-15,
    0x1.00b0db3f5c405p-13, -0x1.5cca9a45ad731p-14,
};
/* log Gamma(1 + t) / (t (t - 1)) of t - 11/16, and Stirling's series from 5/2 on, for what f32
 * wants. */
static const double between[] = {
    0x1.d4c5c02fe6b7fp-2,   -0x1.009231020359fp-3,  0x1.8bc08a4ac02f8p-5,
    -0x1.5f024cd5daf16p-6,  0x1.4f3282354cc50p-7,   -0x1.4ec6bbbb1f257p-8,
    0x1.584ba4e9ffab8p-9,   -0x1.66e246d0d7affp-10, 0x1.7cc6ba0b936d5p-11,
    -0x1.be5849f6a3bfdp-12, 0x1.f323fd973d456p-13,  -0x1.051b9df4345ddp-14,
    0x1.c60dccff35e62p-16,  -0x1.5f55568cd4a98p-14, 0x1.a13b58c5a1ec0p-15,
};
static const double stirling_short[] = {
    0x1.55555478964f0p-4,   -0x1.6c0f13d7989c7p-9, 0x1.9d05634b1198ap-11,
    -0x1.11e6d2aacaf71p-11, 0x1.76ef01d9ac56fp-12,
};
static const double sine[] = {
    0x1.921fb54442d18p1, -0x1.4abbce625be53p2, 0x1.466bc6775aae2p1, -0x1.32d2cce62bd51p-1,
    0x1.50783487ebde2p-4, -0x1.e3074fdc27643p-8, 0x1.e8f4337c04a0bp-12, -0x1.6fad441abdea2p-16,
    0x1.aabab671894e9p-21, -0x1.7eb376e8e983ap-26,
};
/* B(2k) / (2k (2k - 1)) and B(2k) / (2k), B the Bernoulli numbers. */
static const double stirling[] = {
    0x1.5555555555555p-4,  -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
    0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6,
    0x1.6fe96381e0680p-3,  -0x1.6476701181f3ap0,
};
static const double slope[] = {
    0x1.5555555555555p-4,  -0x1.1111111111111p-7, 0x1.0410410410410p-8, -0x1.1111111111111p-8,
    0x1.f07c1f07c1f08p-8,  -0x1.5995995995996p-6, 0x1.5555555555555p-4, -0x1.c5e5e5e5e5e5ep-2,
};

/* sin(pi r) for |r| <= 1/2. */
static ir_sc
sine_of(ir_sc_build *b, ir_sc r)
{
    return m_mul(b, r, ir_math_poly(b, m_mul(b, r, r), 10, sine));
}

/* x minus the nearest even number: in [-1, 1], exact. */
static ir_sc
mod_2(ir_sc_build *b, ir_sc x)
{
    ir_sc two = m_num(b, x, 2);
    return m_fnma(b, m_rint(b, m_mulk(b, x, 0.5)), two, x);
}

ir_sc
ir_math_sinpi(ir_sc_build *b, ir_sc x)
{
    ir_sc r = mod_2(b, x), a = m_abs(b, r), one = m_num(b, x, 1);

    ir_sc difference = m_sub(b, one, a);
    return ir_math_flip(b, sine_of(b, m_select(b, m_gtk(b, a, 0.5), difference, a)), r);
}

ir_sc
ir_math_cospi(ir_sc_build *b, ir_sc x)
{
    ir_sc size = m_abs(b, mod_2(b, x));
    return sine_of(b, m_sub(b, m_num(b, x, 0.5), size));
}

ir_sc
ir_math_log_pair(ir_sc_build *b, ir_sc x, ir_sc *tail)
{
    ir_sc tiny = m_ltk(b, x, 0x1p-1022);
    ir_math_log p = ir_math_log_parts(b, m_select(b, tiny, m_mulk(b, x, 0x1p64), x));
    ir_sc e = m_select(b, tiny, m_addk(b, p.e, -64), p.e), head = m_num(b, x, LN2_HEAD);
    ir_sc hi = m_fma(b, e, head, p.f), error = m_sub(b, p.f, m_fnma(b, e, head, hi));

    *tail = m_add(b, error, m_fma(b, e, m_num(b, e, LN2_TAIL), p.rest));
    return hi;
}

ir_sc
ir_math_stirling(ir_sc_build *b, ir_sc x)
{
    ir_sc inverse = m_div(b, m_num(b, x, 1), x), w = m_mul(b, inverse, inverse);

    return m_mul(b, inverse, ir_math_poly(b, w, 10, stirling));
}

/* The parts of log Gamma(a) for 0 < a < 7.5: log Gamma(2 + d), and the product p by which
 * Gamma(2 + d) is multiplied if a >= 3/2, else divided. */
static ir_sc
reduced(ir_sc_build *b, ir_sc a, ir_sc *p, ir_sc *up)
{
    ir_sc one = m_num(b, a, 1), half = m_ltk(b, a, 0.5), n = m_rint(b, a);
    ir_sc product = one, low = m_select(b, half, m_mul(b, a, m_add(b, a, one)), a);
    ir_sc d = m_select(b, half, a, m_sub(b, a, one));

    *up = m_not(b, m_ltk(b, a, 1.5));
    for (int j = 1; j <= 6; j++) {
        ir_sc wanted = m_gtk(b, n, j + 1.5);
        product = m_select(b, wanted, m_mul(b, product, m_addk(b, a, -j)), product);
    }
    *p = m_select(b, *up, product, low);
    d = m_select(b, *up, m_sub(b, a, n), d);
    return m_mul(b, d, ir_math_poly(b, d, 20, near));
}

/* log Gamma(a), a >= 0, to 2^-32. */
static ir_sc
positive_short(ir_sc_build *b, ir_sc a)
{
    ir_sc low = m_ltk(b, a, 0.875), t = m_select(b, low, a, m_addk(b, a, -1)),
          u = m_addk(b, t, -0.6875);
    ir_sc p = ir_math_poly2(b, u, m_mul(b, u, u), 15, between), log = ir_math_log_short(b, a);
    ir_sc plus_zero = m_num(b, a, 0);
    ir_sc y = m_fma(b, m_mul(b, t, m_addk(b, t, -1)), p, plus_zero); /* 0, not -0 */
    ir_sc inverse = m_div(b, m_num(b, a, 1), a), w = m_mul(b, inverse, inverse);
    ir_sc constant = m_num(b, a, HALF_LOG_TWO_PI - 0.5);
    ir_sc s =
        m_fma(b, inverse, ir_math_poly2(b, w, m_mul(b, w, w), 5, stirling_short), constant);
    ir_sc sum = m_addk(b, log, -1);
    ir_sc far = m_fma(b, m_addk(b, a, -0.5), sum, s);

    ir_sc chosen = m_select(b, low, m_sub(b, y, log), y);
    y = m_select(b, m_ltk(b, a, 2.5), chosen, far);
    y = m_select(b, m_ltk(b, a, (double)INFINITY), y, a);
    ir_sc infinity = m_num(b, a, (double)INFINITY);
    return m_select(b, m_eqk(b, a, 0), infinity, y);
}

/* log Gamma(a) for a > 0. */
static ir_sc
positive(ir_sc_build *b, ir_sc a)
{
    ir_sc large = m_le(b, m_num(b, a, 7.5), a), v = m_select(b, large, a, m_num(b, a, 7.5)), p,
          up, tail;
    ir_sc y = reduced(b, a, &p, &up),
          log = ir_math_log_pair(b, m_select(b, large, a, p), &tail);
    ir_sc less = m_add(b, m_addk(b, log, -1), tail);
    ir_sc s = m_addk(b, ir_math_stirling(b, v), HALF_LOG_TWO_PI - 0.5);
    ir_sc far = m_fma(b, m_addk(b, a, -0.5), less, s), sum = m_add(b, log, tail);

    y = m_add(b, y, m_select(b, up, sum, m_neg(b, sum)));
    y = m_select(b, large, far, y);
    ir_sc e = m_addk(b, a, -1.25);
    ir_sc plus_zero = m_num(b, a, 0);
    ir_sc poly = ir_math_poly(b, e, 21, one);
    ir_sc close = m_fma(b, m_addk(b, a, -1), poly, plus_zero); /* 0, not -0 */
    y = m_select(b, m_ltk(b, m_abs(b, e), 0.375), close, y);
    y = m_select(b, m_ltk(b, a, (double)INFINITY), y, a);
    ir_sc infinity = m_num(b, a, (double)INFINITY);
    return m_select(b, m_eqk(b, a, 0), infinity, y);
}

/* log Gamma(1 + a) for 0 <= a <= 3/2: a times a polynomial below 5/8, (a - 1) P(a - 1) from
 * there. */
ir_sc
ir_math_lgamma1p(ir_sc_build *b, ir_sc a)
{
    ir_sc e = m_addk(b, a, -0.25), d = m_addk(b, a, -1),
          low = m_mul(b, a, ir_math_poly(b, e, 21, one));

    ir_sc product = m_mul(b, d, ir_math_poly(b, d, 20, near));
    return m_select(b, m_ltk(b, a, 0.625), low, product);
}

ir_sc
ir_math_gamma_factors(ir_sc_build *b, ir_sc a, ir_sc *p)
{
    ir_sc up;

    return reduced(b, a, p, &up);
}

/* log |Gamma(x)| for x < 0. */
static const ir_sc_program *
negative(ir_sc_build *outer)
{
    const cot_dtype type = COT_F64;
    ir_sc_build sub, *b = &sub;
    ir_sc x = 0, tail;

    ir_sc_begin(b, outer->arena, 1, &type);
    ir_sc a = m_abs(b, x), y = positive(b, a);
    ir_sc s = m_abs(b, m_mul(b, x, ir_math_sinpi(b, x))), log = ir_math_log_pair(b, s, &tail);
    ir_sc sum = m_add(b, log, tail);
    ir_sc other = m_sub(b, m_num(b, x, 1.14472988584940017414), sum);

    ir_sc difference = m_sub(b, other, y);
    ir_sc infinity = m_num(b, x, (double)INFINITY);
    other = m_select(b, m_eqk(b, s, 0), infinity, difference);
    ir_sc less = m_ltk(b, a, (double)INFINITY);
    ir_sc reflected = m_and(b, m_gtk(b, a, 0x1p-60), less);
    return ir_sc_end(b, m_select(b, reflected, other, y));
}

/* f32 near a zero at negative x wants all of f64, too. */
static ir_sc
lgamma_of(ir_sc_build *b, ir_sc x, ir_sc y)
{
    const ir_sc_program *sub = negative(b);
    return ir_sc_branch(b, m_ltk(b, x, 0), sub, 1, &x, y);
}

ir_sc
ir_math_lgamma(ir_sc_build *b, ir_sc x)
{
    return lgamma_of(b, x, positive(b, m_abs(b, x)));
}

/* psi(a) for a >= 1, and psi(a + 1) for 0 <= a < 1. */
static ir_sc
digamma_of(ir_sc_build *b, ir_sc a)
{
    ir_sc one = m_num(b, a, 1), low = m_ltk(b, a, 1), n = m_addk(b, m_floor(b, a), -1);
    ir_sc p = m_num(b, a, 0), q = one;

    for (int j = 1; j <= 8; j++) {
        ir_sc t = m_addk(b, a, -j), wanted = m_gtk(b, n, j - 0.5);
        p = m_select(b, wanted, m_fma(b, p, t, q), p);
        q = m_select(b, wanted, m_mul(b, q, t), q);
    }
    ir_sc difference = m_sub(b, a, n);
    ir_sc y = m_select(b, low, m_add(b, a, one), difference), t = m_addk(b, y, -1.5);
    ir_sc off = m_addk(b, m_addk(b, y, -0x1.762d86356be3fp0), -0x1.b86a722197829p-54);
    ir_sc quotient = m_div(b, p, q);
    ir_sc inner = m_fma(b, off, ir_math_poly(b, t, 24, zero), quotient);
    ir_sc v = ir_math_above(b, a, 10), inverse = m_div(b, one, v),
          w = m_mul(b, inverse, inverse);
    ir_sc log = eval_log(b, NULL, COT_F64, COT_F64, &v);
    ir_sc product = m_mulk(b, inverse, 0.5);
    ir_sc rest = m_fma(b, w, ir_math_poly(b, w, 8, slope), product);

    ir_sc otherwise = m_sub(b, log, rest);
    return m_select(b, m_ltk(b, a, 10), inner, otherwise);
}

/* psi(x) for x < 0, where y is digamma_of(|x|). */
static const ir_sc_program *
digamma_below(ir_sc_build *outer)
{
    const cot_dtype type[2] = { COT_F64, COT_F64 };
    ir_sc_build sub, *b = &sub;
    ir_sc x = 0, y = 1;

    ir_sc_begin(b, outer->arena, 2, type);
    ir_sc a = m_abs(b, x), inverse = m_div(b, m_num(b, x, 1), a);
    ir_sc sinpi = ir_math_sinpi(b, x);
    ir_sc cot = m_div(b, m_mulk(b, ir_math_cospi(b, x), PI), sinpi);
    ir_sc sum = m_add(b, y, inverse);
    ir_sc below = m_sub(b, m_select(b, m_ltk(b, a, 1), y, sum), cot);
    ir_sc nan = m_num(b, x, (double)NAN);
    return ir_sc_end(b, m_select(b, m_eq(b, m_floor(b, x), x), nan, below));
}

ir_sc
ir_math_digamma(ir_sc_build *b, ir_sc x)
{
    ir_sc a = m_abs(b, x), y = digamma_of(b, a), args[2] = { x, y };

    ir_sc difference = m_sub(b, y, m_div(b, m_num(b, x, 1), a));
    y = m_select(b, m_ltk(b, a, 1), difference, y);
    ir_sc nan = m_num(b, x, (double)NAN);
    y = m_select(b, m_eqk(b, x, 0), nan, y);
    const ir_sc_program *sub = digamma_below(b);
    return ir_sc_branch(b, m_ltk(b, x, 0), sub, 2, args, y);
}

/* With c = x + y: log Gamma(y) - log Gamma(c) = -(y - 1/2) log(c / y) - x log c + x + S(y) -
 * S(c); where x is large too, the terms of log Gamma(x) join those of log c. */
static ir_sc
wide_lbeta(ir_sc_build *b, const ir_sc *in)
{
    ir_sc x = m_min(b, in[0], in[1]), y = m_max(b, in[0], in[1]), sum = m_add(b, x, y),
          zero = m_num(b, x, 0);
    ir_sc lgamma = ir_math_lgamma(b, sum);
    ir_sc right = ir_math_lgamma(b, y);
    ir_sc plain = m_sub(b, m_add(b, ir_math_lgamma(b, x), right), lgamma);
    ir_sc large = m_le(b, m_num(b, x, 10), x), ys = ir_math_above(b, y, 10),
          xs = ir_math_above(b, x, 10);
    ir_sc ratio = m_div(b, x, ys), grow = ir_math_log1p(b, ratio, zero);
    ir_sc c = ir_math_above(b, sum, 10), log_c = eval_log(b, NULL, COT_F64, COT_F64, &c);
    ir_sc log_x = eval_log(b, NULL, COT_F64, COT_F64, &xs);
    ir_sc stirling_c = ir_math_stirling(b, c);
    ir_sc s = m_sub(b, ir_math_stirling(b, ys), stirling_c);
    ir_sc term = m_fnma(b, x, log_c, m_add(b, x, s));
    ir_sc one_large = m_fnma(b, m_addk(b, ys, -0.5), grow, term);
    ir_sc both = ir_math_log1p(b, m_div(b, ys, xs), zero);

    one_large = m_add(b, ir_math_lgamma(b, x), one_large);
    ir_sc term_both = m_fnma(b, x, both, m_mulk(b, log_x, -0.5));
    both = m_fnma(b, m_addk(b, ys, -0.5), grow, term_both);
    both = m_add(b, both, m_addk(b, m_add(b, s, ir_math_stirling(b, xs)), HALF_LOG_TWO_PI));
    ir_sc r = m_select(b, large, both, one_large);
    ir_sc equal = m_eqk(b, y, (double)INFINITY);
    ir_sc end = m_and(b, m_gtk(b, x, 0), equal);
    r = m_select(b, end, m_num(b, x, (double)-INFINITY), r);
    ir_sc more = m_gtk(b, x, 0);
    ir_sc far = m_and(b, m_le(b, m_num(b, y, 10), y), more);
    ir_sc less = m_ltk(b, y, (double)INFINITY);
    ir_sc pole = m_and(b, m_eqk(b, x, 0), less);
    ir_sc chosen = m_select(b, far, r, plain);
    return m_select(b, pole, m_num(b, x, (double)INFINITY), chosen);
}

static ir_sc
wide_lgamma(ir_sc_build *b, const ir_sc *x)
{
    return ir_math_lgamma(b, x[0]);
}

static ir_sc
lgamma_for_f32(ir_sc_build *b, const ir_sc *x)
{
    return lgamma_of(b, x[0], positive_short(b, m_abs(b, x[0])));
}

static ir_sc
wide_digamma(ir_sc_build *b, const ir_sc *x)
{
    return ir_math_digamma(b, x[0]);
}

ir_sc
eval_lgamma(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? lgamma_for_f32 : wide_lgamma);
}
ir_sc
eval_digamma(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_digamma);
}
ir_sc
eval_lbeta(MATH_ARGS)
{
    return ir_math_wide(b, 2, x, wide_lbeta);
}
