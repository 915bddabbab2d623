/* Bessel functions: bessel_i0e, bessel_i1e (times e^-|x|), bessel_j0, bessel_j1.
 *
 * I0, I1 up to 8: polynomials of x^2 / 4 (all terms positive) times e^-|x|; above, sqrt(x) e^-x
 * I by a polynomial of 16 / x - 1.
 * J0, J1 up to 5: (x^2 - r1^2) (x^2 - r2^2) R(x^2) with the zeros r in two parts, so that
 * relative accuracy holds there; above, sqrt(2 / (pi x)) (P cos(x - c) - Q sin(x - c)), P and x
 * Q polynomials of 25 / x^2 and the sine and cosine of the difference from those of x, which
 * are reduced exactly.  Near the zeros above 5 the error is
 * absolute: relative to the amplitude sqrt(2 / (pi x)).
 * f32 takes all from f64, i0e and i1e with shorter polynomials there.
 *
 * Worst error (sampled): f32 0.51 ulp; f64 i0e, i1e 2.5 ulp; j0, j1 below 5 3.1 ulp, above 3.0
 * ulp of the amplitude.
 * Source: NIST Handbook 10.17, 10.40.  Coefficients by fit_special.py, of f32 by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double i0_near[] = {
    0x1p0, 0x1p0, 0x1.ffffffffffff3p-3, 0x1.c71c71c71c85cp-6, 0x1.c71c71c71a935p-10,
    0x1.23456789c5e8fp-14, 0x1.02e85c06c920bp-19, 0x1.522a442192f8cp-25, 0x1.522a412665592p-31,
    0x1.0b3153ea0754cp-37, 0x1.55ff4d58625bdp-44, 0x1.69e62102b4555p-51, 0x1.40a5d06d55604p-58,
    0x1.f2a36a8bb8dd6p-66, 0x1.108a4345c48adp-73, 0x1.1cb124e7a469fp-80,
};
static const double i0_far[] = {
    0x1.9bd428ad249a5p-2, 0x1.b87969bb93bc4p-9, 0x1.1daa72b5e6479p-13, 0x1.75e5ee7000382p-17,
    0x1.8e513a0dddad2p-20, 0x1.3f49adec262b5p-22, 0x1.7d0f9d8f790a3p-24, 0x1.51cbb86c4cde4p-25,
    0x1.721abb4d73d08p-26, 0x1.03eb20e382abcp-27, -0x1.cd26902c4d86fp-28,
    -0x1.ce6b022d7d5afp-27, -0x1.7e7b3789b0fe9p-28, 0x1.08fa9c95a46cap-27,
    0x1.0f6f76ceadb9dp-27, -0x1.08be9a5d7f72cp-28, -0x1.d971fa5515c89p-28,
    0x1.1715778f5caebp-29, 0x1.5209df0436bdap-28, -0x1.27333f1bd4d7bp-30,
    -0x1.8132c6e00142dp-29, 0x1.01d7f303b7499p-31, 0x1.3fb92853eadb4p-30,
    -0x1.29c401300cf5cp-33, -0x1.4fe2783c47558p-32, 0x1.448748caec038p-36,
    0x1.4a9221c3dbc96p-35,
};
static const double i1_near[] = {
    0x1p0, 0x1p-1, 0x1.5555555555552p-4, 0x1.c71c71c71c7a1p-8, 0x1.6c16c16c160bdp-12,
    0x1.845c8a0cf7715p-17, 0x1.27e4fb76584e5p-22, 0x1.522a4411468d8p-28, 0x1.2c97572ffd63ep-34,
    0x1.ab82105d61a59p-41, 0x1.f17427d1c84c1p-48, 0x1.e2808a1b78a0bp-55, 0x1.8ad6aa0c87cbp-62,
    0x1.1c1878ce1164p-69, 0x1.26fdbd9bcb511p-77, 0x1.17cecae8999f6p-84,
};
static const double i1_far[] = {
    0x1.8ebe783a8403p-2, -0x1.3f796198ee63bp-7, -0x1.cbc54df1ecd9dp-13, -0x1.f89c230497bdp-17,
    -0x1.ec8e10078e149p-20, -0x1.7613853cc02ccp-22, -0x1.ad8de00030879p-24,
    -0x1.72777c843b58fp-25, -0x1.9176b409ad592p-26, -0x1.21e61be9aed08p-27, 0x1.cc269d69144p-28,
    0x1.e3d06bfe117fcp-27, 0x1.a6083feff218bp-28, -0x1.0bc6a5911dab5p-27,
    -0x1.1fc12203339f7p-27, 0x1.0203e00b2960dp-28, 0x1.efa5729b29078p-28,
    -0x1.083cbfd0b5437p-29, -0x1.5ffc257e42648p-28, 0x1.14789009adcd5p-30,
    0x1.901b92aa38906p-29, -0x1.e3c1c6f773d91p-32, -0x1.4baaa1decb638p-30,
    0x1.18e14aa27975dp-33, 0x1.5c1dccaf988e7p-32, -0x1.33e00dcab461bp-36,
    -0x1.5655a64f03c5cp-35,
};
/* The same with what f32 wants. */
static const double i0_near32[] = {
    0x1.0000000133ed7p0, 0x1.ffffffb9f0d1fp-1, 0x1.0000025386ca9p-2, 0x1.c71c399e5009ap-6,
    0x1.c71ef78916738p-10, 0x1.23357599548a8p-14, 0x1.036003ef2acedp-19, 0x1.4dd8b2b91af82p-25,
    0x1.6acdcb5220fd1p-31, 0x1.6f4b70e4e54f9p-38, 0x1.4058bf0947d01p-43,
};
static const double i0_far32[] = {
    0x1.9bd428acb1d23p-2, 0x1.b8796bbc8f474p-9, 0x1.1dab09582a64bp-13, 0x1.75cbeeb99e307p-17,
    0x1.8c3c910b3e774p-20, 0x1.4998b14b5fe04p-22, 0x1.d2d6f2ac8649ep-24, 0x1.11635979e355cp-25,
};
static const double i1_near32[] = {
    0x1.0000000041ce7p0, 0x1.ffffffe7a2443p-2, 0x1.555556b624adep-4, 0x1.c71c547bbf92cp-8,
    0x1.6c17f17a11471p-12, 0x1.844eba28da4c6p-17, 0x1.2845b9de46c62p-22, 0x1.4ede4cdce6f32p-28,
    0x1.3e841d4547fc9p-34, 0x1.36bb7bbc8d6dcp-41, 0x1.c2e2ead097189p-47,
};
static const double i1_far32[] = {
    0x1.8ebe783b0fe23p-2,   -0x1.3f79621fc4384p-7,  -0x1.cbc602da7d3f9p-13,
    -0x1.f88105a8984fcp-17, -0x1.ea1e9ba125127p-20, -0x1.80a891c994ae2p-22,
    -0x1.0751771b9ba2dp-23, -0x1.33f5674351f93p-25,
};
static const double j0_near[] = {
    0x1.a1c5e862f307cp-9, -0x1.f799f81a24df2p-10, 0x1.ff5f552d941d8p-12, -0x1.2ab4ba4dd3fd9p-14,
    0x1.cc073a3fdf53ep-18, -0x1.f9558f6ac776dp-22, 0x1.a13bed435b34p-26, -0x1.0cdec1d5aa5ecp-30,
    0x1.1648bb7290ffdp-35, -0x1.d91dbd1ca8493p-41, 0x1.50a9349144005p-46,
    -0x1.9461932d72eccp-52,
};
static const double j0_cos[] = {
    0x1p0, -0x1.70a3d70a3b91bp-9, 0x1.7851eb7561dcfp-13, -0x1.335bf1cc2e309p-15,
    0x1.04ddd3fe7c51cp-16, -0x1.7999d4d3b8a1fp-17, 0x1.9c78320de2383p-17,
    -0x1.2fd0f799c4edfp-16, 0x1.07a119f7d0953p-15, -0x1.d576b4e78874ep-15,
    0x1.8172483ea6426p-14, -0x1.1021af0a782f9p-13, 0x1.3bca2273b26c6p-13,
    -0x1.23072cea24cb3p-13, 0x1.9c0f8900f517cp-14, -0x1.adebb8fd3d23ep-15,
    0x1.3653595dfc309p-16, -0x1.14335aa4290dfp-18, 0x1.c80bb4453245bp-22,
};
static const double j0_sin[] = {
    -0x1.fffffffffffffp-4, 0x1.7ffffffff94bbp-9, -0x1.7d0624bdcff9p-12, 0x1.cfc86a5216bfap-14,
    -0x1.05c5040f76aa9p-14, 0x1.d9054340a0b47p-15, -0x1.35bd1267edd6ap-14,
    0x1.0a6052ac141c4p-13, -0x1.0a1b8390bffeep-12, 0x1.0ff5dc22c98dap-11,
    -0x1.017e8f363bb9ep-10, 0x1.a76909c59ab54p-10, -0x1.222dca89e8ce3p-9, 0x1.42183767c454fp-9,
    -0x1.1a371d4aa31dep-9, 0x1.7b47918f9549dp-10, -0x1.77d95d599f103p-11, 0x1.021ff3f8f7d5dp-12,
    -0x1.b62a6dbcdec23p-15, 0x1.59ce4ff3bd305p-18,
};
static const double j1_near[] = {
    -0x1.041c9423ec767p-6, 0x1.acf566aaededbp-7, -0x1.15e32ff822faap-8, 0x1.8bf87b5438f85p-11,
    -0x1.686a2a3c3e1cbp-14, 0x1.c95360bad43e8p-18, -0x1.ac92400fb6bedp-22,
    0x1.35278cae367f7p-26, -0x1.6236ef4e60f42p-31, 0x1.4a468bc52f812p-36,
    -0x1.ffb214181c10bp-42, 0x1.4b89410a17282p-47,
};
static const double j1_cos[] = {
    0x1p0, 0x1.3333333332368p-8, -0x1.e3d70a2cd6ddbp-13, 0x1.6b3e1f71813aap-15,
    -0x1.27a64e913b41bp-16, 0x1.a15ea78879aeep-17, -0x1.c082040bd0d9ep-17,
    0x1.46d0714df7eb3p-16, -0x1.19aee74df2522p-15, 0x1.f39f615a551f3p-15,
    -0x1.993ff59101c21p-14, 0x1.208699715abd8p-13, -0x1.4e81eae468cfdp-13,
    0x1.3416372322b4ap-13, -0x1.b40552b1366abp-14, 0x1.c6c5171d27c2fp-15,
    -0x1.482ddf41ded15p-16, 0x1.2408519faf127p-18, -0x1.e21bb15159cf7p-22,
};
static const double j1_sin[] = {
    0x1.8p-2, -0x1.0cccccccc9461p-8, 0x1.d1b22ced57d12p-12, -0x1.0b912b2630cd5p-13,
    0x1.249125025bac6p-14, -0x1.030c3e9f9ab95p-14, 0x1.4ea2735af2bffp-14,
    -0x1.1d21834b1d5b3p-13, 0x1.1b2ab3ab01f4ep-12, -0x1.205e403fdd948p-11, 0x1.10736ca8b44dp-10,
    -0x1.bf6b4eec3beep-10, 0x1.325fbcb152ccfp-9, -0x1.53e005dcf1128p-9, 0x1.29abfa2ee4323p-9,
    -0x1.8fedfa1b55f4dp-10, 0x1.8c380825dc578p-11, -0x1.10104149bde11p-12,
    0x1.cdc1aefafc718p-15, -0x1.6c60dcfb52257p-18,
};
#define ROOT_INVERSE_PI 0x1.20dd750429b6dp-1

/* e^-a times even(a^2 / 4) (times a / 2 if odd) up to 8, far(16 / a - 1) / sqrt(a) above. */
static ir_sc
modified(ir_sc_build *b, ir_sc a, bool odd)
{
    ir_sc v = ir_math_above(b, a, 8);
    ir_sc minus_one = m_num(b, a, -1);
    ir_sc two = m_num(b, a, 2);
    ir_sc u = m_fma(b, m_div(b, m_num(b, a, 8), v), two, minus_one), w = ir_math_below(b, a, 8);
    ir_sc half = m_mulk(b, w, 0.5), t = m_mul(b, half, half), minus = m_neg(b, w);
    ir_sc e = eval_exp(b, NULL, COT_F64, COT_F64, &minus);
    ir_sc small = ir_math_poly(b, t, 16, odd ? i1_near : i0_near);
    ir_sc root = m_sqrt(b, v);
    ir_sc large = m_div(b, ir_math_poly(b, u, 27, odd ? i1_far : i0_far), root);

    small = m_mul(b, odd ? m_mul(b, half, small) : small, e);
    return m_select(b, m_gtk(b, a, 8), large, small);
}

/* modified for f32: one quotient and one root serve both factors of the far form. */
static ir_sc
modified_for_f32(ir_sc_build *b, ir_sc a, bool odd)
{
    ir_sc above = ir_math_above(b, a, 8);
    ir_sc inverse = m_div(b, m_num(b, a, 1), above), w = ir_math_below(b, a, 8),
          half = m_mulk(b, w, 0.5);
    ir_sc u = m_fma(b, inverse, m_num(b, a, 16), m_num(b, a, -1)), t = m_mul(b, half, half);
    ir_sc near = ir_math_poly2(b, t, m_mul(b, t, t), 11, odd ? i1_near32 : i0_near32);
    ir_sc small = m_mul(b, near, ir_math_exp_short(b, m_neg(b, w)));
    ir_sc root = m_sqrt(b, inverse);
    ir_sc large = m_mul(b, ir_math_poly(b, u, 8, odd ? i1_far32 : i0_far32), root);

    ir_sc product = odd ? m_mul(b, half, small) : small;
    return m_select(b, m_gtk(b, a, 8), large, product);
}

static ir_sc
i0e_for_f32(ir_sc_build *b, const ir_sc *x)
{
    return modified_for_f32(b, m_abs(b, x[0]), false);
}

static ir_sc
i1e_for_f32(ir_sc_build *b, const ir_sc *x)
{
    return ir_math_flip(b, modified_for_f32(b, m_abs(b, x[0]), true), x[0]);
}

static ir_sc
wide_i0e(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]);

    ir_sc then = modified(b, a, false);
    return m_select(b, m_eq(b, a, a), then, a);
}

static ir_sc
wide_i1e(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]);

    ir_sc flip = ir_math_flip(b, modified(b, a, true), x[0]);
    return m_select(b, m_eq(b, a, a), flip, a);
}

/* a^2 - (root + tail). */
static ir_sc
off(ir_sc_build *b, ir_sc a, double root, double tail)
{
    ir_sc z = m_mul(b, a, a), rest = m_fms(b, a, a, z);

    ir_sc sum = m_addk(b, rest, -tail);
    return m_add(b, m_addk(b, z, -root), sum);
}

static ir_sc
near_of(ir_sc_build *b, ir_sc a, const double *c)
{
    ir_sc minus_one = m_num(b, a, -1);
    return ir_math_poly(b, m_fma(b, m_mulk(b, a, 0.08), a, minus_one), 12, c);
}

/* sqrt(1 / (pi a)) (P even + Q / a odd), for a > 5; 0 at infinity. */
static ir_sc
wave(ir_sc_build *b, ir_sc a, const double *p, int n, const double *q, int m, ir_sc even,
     ir_sc odd)
{
    ir_sc above = ir_math_above(b, a, 5);
    ir_sc inverse = m_div(b, m_num(b, a, 1), above);
    ir_sc v = m_mulk(b, m_mul(b, inverse, inverse), 25),
          size = m_mulk(b, m_sqrt(b, inverse), ROOT_INVERSE_PI);
    ir_sc y = m_mul(b, m_mul(b, ir_math_poly(b, v, m, q), inverse), odd);

    y = m_mul(b, m_fma(b, ir_math_poly(b, v, n, p), even, y), size);
    ir_sc zero = m_num(b, a, 0);
    return m_select(b, m_eqk(b, a, (double)INFINITY), zero, y);
}

static ir_sc
wide_j0(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), s = eval_sin(b, NULL, COT_F64, COT_F64, &a),
          c = eval_cos(b, NULL, COT_F64, COT_F64, &a);
    ir_sc right = off(b, a, 0x1.e78a4a621dd6fp+4, -0x1.10d7c5048826bp-52);
    ir_sc roots = m_mul(b, off(b, a, 0x1.721fb80462bbbp+2, 0x1.db60c816c15d3p-52), right);
    ir_sc odd = m_sub(b, c, s);
    ir_sc far = wave(b, a, j0_cos, 19, j0_sin, 20, m_add(b, c, s), odd);

    ir_sc product = m_mul(b, roots, near_of(b, a, j0_near));
    return m_select(b, m_gtk(b, a, 5), far, product);
}

static ir_sc
wide_j1(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), s = eval_sin(b, NULL, COT_F64, COT_F64, &a),
          c = eval_cos(b, NULL, COT_F64, COT_F64, &a);
    ir_sc root = m_mul(b, a, off(b, a, 0x1.d5d2b4189822cp+3, -0x1.c6a0d245172bap-54));
    ir_sc odd = m_add(b, c, s);
    ir_sc far = wave(b, a, j1_cos, 19, j1_sin, 20, m_sub(b, s, c), odd);
    ir_sc product = m_mul(b, root, near_of(b, a, j1_near));
    ir_sc y = m_select(b, m_gtk(b, a, 5), far, product);

    return ir_math_flip(b, y, x[0]);
}

ir_sc
eval_bessel_i0e(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? i0e_for_f32 : wide_i0e);
}
ir_sc
eval_bessel_i1e(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? i1e_for_f32 : wide_i1e);
}
ir_sc
eval_bessel_j0(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_j0);
}
ir_sc
eval_bessel_j1(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_j1);
}
