/* Functions of the normal distribution: erf_inv, ndtr, ndtri, log_ndtr, erfcx.
 *
 * erf_inv(x) = x R(w), w = -log(1 - x^2): polynomials in w below 6.25, in sqrt(w) above.
 * ndtri(p) is the same with x = 2 p - 1, for which 1 - x^2 = 4 p (1 - p) has no cancellation:
 * so the tail is reached down to the least p, with a polynomial of 1 / sqrt(w) more.
 * erfcx: G / (1 + 2 x) as in erf.c from 1/2 to 28, the asymptotic series above, e^(x^2) erfc(x)
 * between -1/2 and 1/2, 2 e^(x^2) - erfcx(-x) below.
 * ndtr(x) = erfc(-x / sqrt 2) / 2; the quotient is kept with its error, which e^(-x^2 / 2)
 * would blow up.
 * log_ndtr: log1p of the other tail above -1; below, log(erfcx(-x / sqrt 2) / 2) - x^2 / 2.
 * f32 takes all from f64, with shorter polynomials there.
 *
 * Worst error in ulp (sampled): f32 0.51; f64 erf_inv 1.8, ndtri 3.3, erfcx 1.4, ndtr 1.6,
 * log_ndtr 2.1.
 * Source: M. Giles, Approximating the erfinv function, GPU Computing Gems 2, 2011 (the variable
 * w).
 * Coefficients by fit_special.py. */
#include <math.h>

#include "ir/math/math.h"

static const double low[] = {
    0x1.a755e7c99ae86p0, 0x1.ebd80d9b13df9p-3, -0x1.8b6c33114ea23p-8, -0x1.8457694835194p-11,
    0x1.879c2a20adbf7p-13, -0x1.d1d1f7ca693a4p-17, -0x1.6e8a53c62c954p-20,
    0x1.c6b4f89a0767cp-22, -0x1.f36cef60552c1p-26, -0x1.1a9eb4074344cp-28,
    0x1.20f54bff331ffp-30, -0x1.dc3e3f7f30d25p-35, -0x1.c8a87f0554297p-37,
    0x1.7231458c14f69p-39, -0x1.6b3a6ef447b9bp-44, -0x1.682a0ba06e6f2p-45,
    0x1.d4d9759ee2887p-48, -0x1.9a8472a7b7cc4p-55, -0x1.148fcc7de00e9p-53,
    0x1.27a2c7949aa2bp-56, 0x1.c63b2922304c3p-62, -0x1.c164c1135f75cp-62, 0x1.4417c57d5e1c7p-65,
    0x1.4f5130a882391p-68, -0x1.0d9d38ea72dfp-70, -0x1.8b49a6c88464bp-76, 0x1.515b581534524p-77,
};
static const double middle[] = {
    0x1.8abcc380d5a48p1, 0x1.0158a6d641d55p0, 0x1.5ffcfe5b6cd7fp-8, -0x1.ebadabba0239p-9,
    0x1.468eeca942adbp-9, -0x1.ba9240d8973bap-10, 0x1.f3cc545e61064p-11, -0x1.7448bcc19f837p-12,
    0x1.932e8eb071fd3p-16, 0x1.1e6abb050186dp-14, -0x1.8cf45f6fb3a23p-15, 0x1.a241e6ed7be02p-17,
    0x1.8999a0c97decbp-19, -0x1.0b7a9797b41a2p-18, 0x1.8dbbb97ce5feep-20,
    -0x1.d95797ad04797p-26, -0x1.07b961f78d34p-22, 0x1.1a74aa8486b2cp-23,
    -0x1.65a4fbc4f1512p-26, -0x1.069244e365db7p-26, 0x1.06b099937c526p-27,
};
static const double high[] = {
    0x1.3664ddd1ad7fbp2, 0x1.02a30d1fba10fp0, -0x1.22ea5df1a3144p-13, -0x1.c2f36aa2cff1ep-13,
    0x1.3ebf4ef246f61p-14, -0x1.4a348f89c57cfp-16, 0x1.2fbd0352db40ap-18,
    -0x1.0a9089206ba73p-20, 0x1.ebdf5660753fap-23, -0x1.2222eedf45445p-24,
    0x1.f2e13a0be9e3ap-26, -0x1.0630d2ed27ef6p-26, 0x1.0b9406a55a69ep-27,
    -0x1.dc2d8cf38869bp-29, 0x1.72e8073d51c6cp-30, -0x1.e523bb62e0ff2p-32,
    0x1.c89eb0c89d4b3p-35, 0x1.805cf759d25e9p-35, -0x1.225a8e78bb3cp-36,
};
static const double tail[] = {
    0x1.fa6631285b421p-1, -0x1.5a4a4c26c3625p-3, -0x1.663433a0e321ap-2, 0x1.a35505aed4fecp0,
    -0x1.0d02f4a9aa228p2, 0x1.04b679be265c1p4, -0x1.4cc854e39666fp6, 0x1.ddd7e071761e5p8,
    -0x1.751684574476fp11, 0x1.36ba7fb10c617p14, -0x1.0fd4dd0452182p17, 0x1.ee1842bd2d029p19,
    -0x1.cd958f270980fp22, 0x1.bbe17970a11fap25, -0x1.c72db52d3ea16p28, 0x1.c4a034a27143p31,
    -0x1.20b9b00decc68p34, 0x1.41dc1ec022cf6p37, -0x1.5e98cb80a8ab7p42, 0x1.4b008593a1fbap45,
    0x1.98d8031bced2cp49, -0x1.6add60c2962acp52, -0x1.565080a763174p57, 0x1.45a2012e3339bp60,
    0x1.ff91ed90b97f4p63, -0x1.f14687bdee355p66, -0x1.ca09fd972ba08p69, 0x1.d4bae7ffd1e8fp72,
};
/* The same with what f32 wants, of which w ends at 16. */
static const double low32[] = {
    0x1.a755e7c8a7345p0,    0x1.ebd80d1e9de45p-3,  -0x1.8b6c2cbc32e32p-8,
    -0x1.8455f6deec84fp-11, 0x1.879b5c21d96aap-13, -0x1.d2210f936592cp-17,
    -0x1.6e681f67a99e5p-20, 0x1.ca5e986a22ae4p-22, -0x1.f463032c836e0p-26,
    -0x1.45f0e17f02538p-28, 0x1.210dbfa39b83dp-30, 0x1.7717f4d98909fp-38,
    -0x1.cc778af5b643fp-37,
};
static const double middle32[] = {
    0x1.8abcc380a0e6dp1, 0x1.0158a6e5c7693p0, 0x1.5ffd3326b4eadp-8, -0x1.ebb231c56823cp-9,
    0x1.4686ac38abfc5p-9, -0x1.ba328255063c7p-10, 0x1.f4b8c84c36c47p-11, -0x1.7af129a924a67p-12,
    0x1.35cdac109fb2dp-16, 0x1.5605ad0e9a4f7p-14, -0x1.4cac6317c5a32p-15,
};
/* inverse / s of 1 / s - 0.17, s from 4 to 10.1: as far as f32 goes. */
static const double far32[] = {
    0x1.f3b53a45d0f9fp-1,  -0x1.964185eec9ae3p-3, -0x1.7c027e4e0b2ebp-4, 0x1.d9a0619933babp-1,
    -0x1.96583a7e08701p+0, 0x1.959b1cfbc5844p+1,  -0x1.32b2cd4b5c741p+3, 0x1.e0d582de0dc65p+4,
    -0x1.e6fc0d018dfdap+6, 0x1.12186a5725d1bp+10,
};
#define ROOT_HALF      0x1.6a09e667f3bcdp-1
#define ROOT_HALF_TAIL -0x1.bdd3413b26456p-55

static ir_sc
log_of(ir_sc_build *b, ir_sc x)
{
    return eval_log(b, NULL, COT_F64, COT_F64, &x);
}

/* The same for s > 4, where few numbers lie. */
static const ir_sc_program *
beyond_4(ir_sc_build *outer, bool far)
{
    const cot_dtype type = COT_F64;
    ir_sc_build sub, *b = &sub;
    ir_sc s = 0;

    ir_sc_begin(b, outer->arena, 1, &type);
    ir_sc y = ir_math_poly(b, m_addk(b, s, -5), 19, high), t = m_div(b, m_num(b, s, 1), s);
    if (far) {
        ir_sc product = m_mul(b, s, ir_math_poly(b, m_addk(b, t, -0.1), 28, tail));
        y = m_select(b, m_gtk(b, s, 6), product, y);
    }
    return ir_sc_end(b, y);
}

static const ir_sc_program *
beyond_4_short(ir_sc_build *outer)
{
    const cot_dtype type = COT_F64;
    ir_sc_build sub, *b = &sub;
    ir_sc s = 0;

    ir_sc_begin(b, outer->arena, 1, &type);
    ir_sc u = m_addk(b, m_div(b, m_num(b, s, 1), s), -0.17);
    return ir_sc_end(b, m_mul(b, s, ir_math_poly2(b, u, m_mul(b, u, u), 10, far32)));
}

/* erf_inv(x) / x by w = -log(1 - x^2) = -log(q). */
static ir_sc
inverse(ir_sc_build *b, ir_sc q, bool far)
{
    ir_sc w = m_neg(b, log_of(b, q)), s = m_sqrt(b, w);
    ir_sc y = ir_math_poly(b, m_addk(b, w, -3.125), 27, low);

    ir_sc poly = ir_math_poly(b, m_addk(b, s, -3.25), 21, middle);
    y = m_select(b, m_gtk(b, s, 2.5), poly, y);
    const ir_sc_program *sub = beyond_4(b, far);
    return ir_sc_branch(b, m_gtk(b, s, 4), sub, 1, &s, y);
}

/* For f32, s at most 4. */
static ir_sc
inverse_short(ir_sc_build *b, ir_sc q, ir_sc *s)
{
    ir_sc w = m_neg(b, ir_math_log_short(b, q)), root = *s = m_sqrt(b, w);
    ir_sc u = m_addk(b, w, -3.125), v = m_addk(b, root, -3.25);
    ir_sc near = ir_math_poly2(b, u, m_mul(b, u, u), 13, low32),
          far = ir_math_poly2(b, v, m_mul(b, v, v), 11, middle32);

    return m_select(b, m_gtk(b, root, 2.5), far, near);
}

static ir_sc
of_factor(ir_sc_build *b, ir_sc x, ir_sc factor)
{
    ir_sc product = m_mul(b, x, factor);
    ir_sc then = m_mulk(b, x, (double)INFINITY);
    return m_select(b, m_eqk(b, m_abs(b, x), 1), then, product);
}

static ir_sc
wide_erf_inv(ir_sc_build *b, const ir_sc *x)
{
    return of_factor(b, x[0], inverse(b, m_fnma(b, x[0], x[0], m_num(b, x[0], 1)), false));
}

static ir_sc
erf_inv_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc one = m_num(b, x[0], 1), s, y = inverse_short(b, m_fnma(b, x[0], x[0], one), &s);

    y = of_factor(b, x[0], y);
    ir_sc nan = m_num(b, y, (double)NAN);
    return m_select(b, m_lt(b, one, m_abs(b, x[0])), nan, y);
}

/* x sqrt(2) factor with x = 2 p - 1. */
static ir_sc
quantile(ir_sc_build *b, ir_sc p, ir_sc factor)
{
    ir_sc one = m_num(b, p, 1);
    ir_sc x = m_sub(b, m_mulk(b, p, 2), one),
          y = m_mul(b, x, m_mulk(b, factor, 0x1.6a09e667f3bcdp0));

    ir_sc infinity = m_num(b, p, (double)INFINITY);
    y = m_select(b, m_eqk(b, p, 1), infinity, y);
    ir_sc then = m_num(b, p, (double)-INFINITY);
    return m_select(b, m_eqk(b, p, 0), then, y);
}

static ir_sc
wide_ndtri(ir_sc_build *b, const ir_sc *x)
{
    ir_sc p = x[0], rest = m_sub(b, m_num(b, p, 1), p);

    return quantile(b, p, inverse(b, m_mul(b, m_mulk(b, p, 4), rest), true));
}

static ir_sc
ndtri_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc p = x[0], rest = m_sub(b, m_num(b, p, 1), p), q = m_mul(b, m_mulk(b, p, 4), rest), s;
    ir_sc y = inverse_short(b, q, &s);

    const ir_sc_program *sub = beyond_4_short(b);
    y = quantile(b, p, ir_sc_branch(b, m_gtk(b, s, 4), sub, 1, &s, y));
    ir_sc nan = m_num(b, y, (double)NAN);
    return m_select(b, m_ltk(b, q, 0), nan, y);
}

/* x / sqrt(2) and its error. */
static ir_sc
over_root_two(ir_sc_build *b, ir_sc x, ir_sc *error)
{
    ir_sc a = m_mulk(b, x, ROOT_HALF);

    ir_sc term = m_fms(b, x, m_num(b, x, ROOT_HALF), a);
    *error = m_fma(b, x, m_num(b, x, ROOT_HALF_TAIL), term);
    return a;
}

/* erfc(x / sqrt 2) / 2: where x / sqrt 2 = a + d is large, erfc(a + d) = (1 - 2 a d) erfc(a)
 * nearly. */
static ir_sc
upper_tail(ir_sc_build *b, ir_sc x)
{
    ir_sc d, a = over_root_two(b, x, &d),
             y = m_mulk(b, eval_erfc(b, NULL, COT_F64, COT_F64, &a), 0.5);
    ir_sc fine = m_fnma(b, y, m_mul(b, m_add(b, a, a), d), y);
    ir_sc less = m_ltk(b, a, 28);
    ir_sc inside = m_and(b, m_gtk(b, a, 1), less);

    return m_select(b, inside, fine, y);
}

static ir_sc
wide_ndtr(ir_sc_build *b, const ir_sc *x)
{
    return upper_tail(b, m_neg(b, x[0]));
}

/* x^2 / 2 is exact. */
static ir_sc
ndtr_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc minus_square = m_mul(b, m_mulk(b, x[0], -0.5), x[0]);

    return m_mulk(b, ir_math_erfc_short(b, m_mulk(b, x[0], -ROOT_HALF), minus_square), 0.5);
}

static ir_sc
wide_log_ndtr(ir_sc_build *b, const ir_sc *x)
{
    ir_sc d, a = over_root_two(b, m_neg(b, x[0]), &d), zero = m_num(b, a, -0.0);
    ir_sc above = ir_math_log1p(b, m_neg(b, upper_tail(b, x[0])), zero);
    ir_sc below = log_of(b, m_mulk(b, ir_math_erfcx(b, ir_math_above(b, a, 0.5)), 0.5));

    below = m_fnma(b, m_mulk(b, x[0], 0.5), x[0], below);
    return m_select(b, m_ltk(b, x[0], -1), below, above);
}

static ir_sc
log_ndtr_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc half = m_mulk(b, x[0], -0.5), v = ir_math_above(b, m_mulk(b, x[0], -ROOT_HALF), 0.5);
    ir_sc below = ir_math_log_short(b, m_mulk(b, ir_math_erfcx_short(b, v), 0.5));
    ir_sc minus_square = m_mul(b, half, x[0]);
    ir_sc e = m_mulk(b, ir_math_erfc_short(b, m_mulk(b, x[0], ROOT_HALF), minus_square), -0.5);
    ir_sc above = ir_math_log_short(b, m_addk(b, e, 1)),
          tiny = m_fnma(b, m_mulk(b, e, 0.5), e, e);

    above = m_select(b, m_ltk(b, e, -0x1p-20), above, tiny);
    ir_sc zero = m_num(b, e, -0.0);
    above = m_select(b, m_eqk(b, x[0], (double)INFINITY), zero, above);
    ir_sc term = m_fma(b, half, x[0], below);
    return m_select(b, m_ltk(b, x[0], -1), term, above);
}

static ir_sc
erfcx_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc v = m_abs(b, x[0]), y = ir_math_erfcx_short(b, v), w = ir_math_below(b, v, 26);
    ir_sc e = ir_math_exp_short(b, m_mul(b, w, w));

    ir_sc difference = m_sub(b, m_add(b, e, e), y);
    return m_select(b, m_ltk(b, x[0], 0), difference, y);
}

static ir_sc
wide_erfcx(ir_sc_build *b, const ir_sc *x)
{
    return ir_math_erfcx(b, x[0]);
}

ir_sc
eval_erf_inv(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? erf_inv_for_f32 : wide_erf_inv);
}
ir_sc
eval_ndtri(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? ndtri_for_f32 : wide_ndtri);
}
ir_sc
eval_ndtr(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? ndtr_for_f32 : wide_ndtr);
}
ir_sc
eval_log_ndtr(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? log_ndtr_for_f32 : wide_log_ndtr);
}
ir_sc
eval_erfcx(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? erfcx_for_f32 : wide_erfcx);
}
