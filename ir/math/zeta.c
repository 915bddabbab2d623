/* zeta (Hurwitz) and polygamma.
 *
 * zeta(s, q) = sum (q + k)^-s over k < N, and the rest by Euler and Maclaurin with w = q + N:
 *     w^-s (w / (s - 1) + 1/2 + sum B(2j) / (2j)! s (s + 1) ... (s + 2j - 2) / w^(2j - 1)).
 * N = 10 and 12 terms give 2^-55 for every s > 1, q > 0: where s is so large that the terms
 * grow, w^-s is lost beside q^-s.  f32 computes in f64, with powers of f32 accuracy and less
 * terms.
 * polygamma(m, x) = (-1)^(m+1) m! zeta(m + 1, x); digamma for m = 0; for x < 0 by reflection,
 * with the derivatives of pi cot(pi x) written out up to m = 4, and zeta there above.
 *
 * zeta for q < 0 and whole s, where q is not whole, by that of positive numbers: up to 4 ulp of
 * the largest term.
 *
 * Worst error in ulp (sampled, 1 < s < 60, q > 0): f32 0.51, f64 3.0; polygamma (m <= 60, x >
 * 0) f32 0.51, f64 2.8.
 * Source: F. Johansson, Rigorous high-precision computation of the Hurwitz zeta function,
 * Numerical Algorithms 69, 2015 (the bound); NIST Handbook 5.15, 25.11. */
#include <float.h>
#include <math.h>

#include "ir/math/math.h"

#define PI 3.14159265358979323846

/* B(2j) / (2j)! */
static const double bernoulli[] = {
    0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
    -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
    0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
    -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63,
};
static const double factorials[171] = {
    0x1p0, 0x1p0, 0x1p1, 0x1.8p2, 0x1.8p4, 0x1.ep6, 0x1.68p9, 0x1.3bp12, 0x1.3bp15, 0x1.626p18,
    0x1.baf8p21, 0x1.308a8p25, 0x1.c8cfcp28, 0x1.7328ccp32, 0x1.44c3b28p36, 0x1.30777758p40,
    0x1.30777758p44, 0x1.437eeecd8p48, 0x1.6beecca73p52, 0x1.b02b930689p56, 0x1.0e1b3be415ap61,
    0x1.6283be9b5c62p65, 0x1.e77526159f06cp69, 0x1.5e5c335f8a4cep74, 0x1.06c52687a7b9ap79,
    0x1.9a940c33f6121p83, 0x1.4d9849ea37eebp88, 0x1.19787e5d9f316p93, 0x1.ec92dd23d6967p97,
    0x1.be6518687a785p102, 0x1.a27ec6e1f2d0dp107, 0x1.956ad0aae33a4p112, 0x1.956ad0aae33a4p117,
    0x1.a21627303a541p122, 0x1.bc3789a33df96p127, 0x1.e5dcbe8a8bc8cp132, 0x1.114c2b2deea0fp138,
    0x1.3c0011ed1bea1p143, 0x1.774015499125fp148, 0x1.c95619f1a8e64p153, 0x1.1dd5d037098fep159,
    0x1.6e39f2c684406p164, 0x1.e0ac0ea48d948p169, 0x1.42f399d68f1fcp175, 0x1.bc0ef38704cbbp180,
    0x1.383a833aef5f3p186, 0x1.c0d41ca4b818ep191, 0x1.499bc508f7324p197, 0x1.ee69a78d72cb6p202,
    0x1.7a88e4484be3bp208, 0x1.27baf2587b49ep214, 0x1.d751f23d047dcp219, 0x1.7ef294d193a63p225,
    0x1.3d20e33d8e45ap231, 0x1.0b93bfbbf00acp237, 0x1.cbe5f18b04928p242, 0x1.92693359a4003p248,
    0x1.6665b1bbd6102p254, 0x1.44cc291239feap260, 0x1.2b6c35dccd76cp266, 0x1.18b5727f009f5p272,
    0x1.0b8cf1210c97ep278, 0x1.0330899804332p284, 0x1.fe478ee34844ap289, 0x1.fe478ee34844ap295,
    0x1.0320568f6ab2ep302, 0x1.0b395943e6087p308, 0x1.17c0097314d0dp314, 0x1.293c0a0a461dep320,
    0x1.4074bad313983p326, 0x1.5e7fac56dd6e8p332, 0x1.84d5a3305da69p338, 0x1.b5705796695b6p344,
    0x1.f2f423e7902c4p350, 0x1.207524c1df599p357, 0x1.5209471331bdp363, 0x1.916b0466cb107p369,
    0x1.e2f4c14bac4fcp375, 0x1.264d25ca1d009p382, 0x1.6b473aa57bcccp388, 0x1.c619094edabffp394,
    0x1.1f5bd7e3e66d7p401, 0x1.702dac9bff3c4p407, 0x1.dd7b3bda4f022p413, 0x1.3958df4743d96p420,
    0x1.a02a088aa61cbp426, 0x1.179c3dbd279b5p433, 0x1.7c1863ed21d72p439, 0x1.0550c4b30743ep446,
    0x1.6b645188f61a6p452, 0x1.ff0512a89a152p458, 0x1.6b4d9b43dd8bp465, 0x1.051fc798c73bfp472,
    0x1.7b722e0a01831p478, 0x1.16a7d9cf591c4p485, 0x1.9da1274fc845fp491, 0x1.3638dd7bd6347p498,
    0x1.d62e2fafb0a78p504, 0x1.67fb5c8283404p511, 0x1.166c698cf183bp518, 0x1.b30964ec395dcp524,
    0x1.574569a26544p531, 0x1.118b502d68b23p538, 0x1.b83c3509147ecp544, 0x1.65b0eb1760a7p551,
    0x1.256b20d92d49p558, 0x1.e5f96e67b300ep564, 0x1.963e824aafa2cp571, 0x1.56c4bdef04315p578,
    0x1.23e389bd8992p585, 0x1.f5af14bdc472fp591, 0x1.b30dd3fc905bap598, 0x1.7cac197cfe503p605,
    0x1.500fee805882dp612, 0x1.2b4e306a4ed48p619, 0x1.0ce83f7f82d2fp626, 0x1.e764f3171d1e4p632,
    0x1.bd824633209dbp639, 0x1.9ab418b722116p646, 0x1.7dd36efa41ac2p653, 0x1.65f6380a9d916p660,
    0x1.5262c0fa08f37p667, 0x1.42861fee5088p674, 0x1.35ece2af0162bp681, 0x1.2c3d7b998957ap688,
    0x1.25340ab3f01f9p695, 0x1.209f3a89205f1p702, 0x1.1e5dfc140e1e5p709, 0x1.1e5dfc140e1e5p716,
    0x1.209ab80c363a9p723, 0x1.251d22ec67138p730, 0x1.2bfbd1bdf17dfp737, 0x1.355bb04be109ep744,
    0x1.4171452ed7d44p751, 0x1.5082946d09f23p758, 0x1.62e9b88b007d7p765, 0x1.79185413b0855p772,
    0x1.939c09fd12eebp779, 0x1.b3243ac4d8695p786, 0x1.d88957d1c3026p793, 0x1.026b1c06b6a55p801,
    0x1.1ca9fcdf65321p808, 0x1.3bcc9487d4439p815, 0x1.60ce8defbf238p822, 0x1.8ce85fadb707ep829,
    0x1.c19f3c62c956fp836, 0x1.006cd07056d39p844, 0x1.267cf76103b7p851, 0x1.54807e082c4b9p858,
    0x1.8c5d92b5839p865, 0x1.d07da7ecb62ccp872, 0x1.11fa1e0c9f746p880, 0x1.455903aefd5a3p887,
    0x1.84e466672ad5dp894, 0x1.d3e2cb341f894p901, 0x1.1b4a51088f182p909, 0x1.594292c26e656p916,
    0x1.a77ba8027b686p923, 0x1.055e51b1882a7p931, 0x1.44ab297a8724bp938, 0x1.95d5f3d928edep945,
    0x1.fe771cb7257b3p952, 0x1.4307602be5b7fp960, 0x1.9b5b6477e6884p967, 0x1.07868c5ccfaf4p975,
    0x1.53b370efa3b7fp982, 0x1.b88cb676c8529p989, 0x1.1f63cb077cadep997, 0x1.7932fa79d3a43p1004,
    0x1.f2054eb4d96ecp1011, 0x1.4ab7864418639p1019,
};
static const ir_sc_table factorial = { COT_F64, 171, factorials };

/* (q + k)^-s; what the sum lost counts s times. */
static ir_sc
term(ir_sc_build *b, bool wide, ir_sc s, ir_sc q, int k)
{
    ir_sc u = m_addk(b, q, k), p = ir_math_power(b, wide, u, m_neg(b, s));

    if (!wide || k == 0)
        return p;
    ir_sc back = m_addk(b, u, -k);
    ir_sc sum = m_addk(b, m_sub(b, u, back), -k);
    ir_sc lost = m_sub(b, m_sub(b, q, back), sum);
    return m_fnma(b, p, m_mul(b, s, m_div(b, lost, u)), p);
}

/* zeta(s, q) for s > 1, q > 0, both finite.  The sum's tail is w^(1 - s) times a number, since
 * w^-s may vanish where the tail does not. */
static ir_sc
hurwitz(ir_sc_build *b, bool wide, ir_sc s, ir_sc q)
{
    const int n = wide ? 10 : 8, terms = wide ? 12 : 7;
    ir_sc w = m_addk(b, q, n), one = m_num(b, q, 1), less = m_addk(b, s, -1);
    ir_sc p = term(b, wide, less, q, n), inverse = m_div(b, one, w),
          w2 = m_mul(b, inverse, inverse), t = m_mul(b, s, inverse);
    ir_sc rest = m_num(b, w, 0.5), sum = m_num(b, w, 0);

    for (int j = 0; j < terms; j++) {
        rest = m_fma(b, t, m_num(b, t, bernoulli[j]), rest);
        ir_sc right = m_addk(b, s, 2 * j + 2);
        ir_sc product = m_mul(b, m_addk(b, s, 2 * j + 1), right);
        t = m_mul(b, m_mul(b, t, w2), product);
    }
    rest = m_fma(b, rest, inverse, m_div(b, one, less));
    ir_sc otherwise = m_mul(b, p, rest);
    sum = m_select(b, m_eqk(b, p, 0), sum, otherwise);
    for (int k = n - 1; k >= 0; k--)
        sum = m_add(b, sum, term(b, wide, s, q, k));
    return sum;
}

static ir_sc
is_whole(ir_sc_build *b, ir_sc x)
{
    return m_eq(b, m_floor(b, x), x);
}

/* zeta(s, q) for whole s > 1 and q < 0, not whole.  With g = -q = whole + r the sum is that of
 * all integers' distances less those beyond: zeta(s, 1 - r) + (-1)^s (zeta(s, r) - zeta(s, 1 +
 * g)). */
static const ir_sc_program *
left_of_zero(ir_sc_build *outer, bool wide)
{
    static const cot_dtype in[2] = { COT_F64, COT_F64 };
    ir_sc_build sub, *b = &sub;

    ir_sc_begin(b, outer->arena, 2, in);
    ir_sc s = 0, q = 1, g = m_neg(b, q), r = m_sub(b, g, m_floor(b, g)), one = m_num(b, q, 1),
          half = m_mulk(b, s, 0.5);
    ir_sc order = ir_math_below(b, ir_math_above(b, s, 2), 0x1p40);
    ir_sc product = m_mulk(b, one, 0.5);
    ir_sc v = ir_math_above(b, m_select(b, m_eqk(b, r, 0), product, r), 0x1p-1022);
    ir_sc near = hurwitz(b, wide, order, v), other = hurwitz(b, wide, order, m_sub(b, one, v));
    ir_sc beyond =
        m_sub(b, near,
              hurwitz(b, wide, order,
                      m_add(b, one, ir_math_below(b, ir_math_above(b, g, 0), DBL_MAX))));
    ir_sc even = m_eq(b, m_floor(b, half), half);

    return ir_sc_end(b, m_add(b, other, m_select(b, even, beyond, m_neg(b, beyond))));
}

static ir_sc
left(ir_sc_build *b, bool wide, ir_sc s, ir_sc q, ir_sc y)
{
    const ir_sc v[2] = { s, q };
    ir_sc more = m_gtk(b, s, 1);
    ir_sc whole = m_and(b, is_whole(b, s), more);

    const ir_sc_program *sub = left_of_zero(b, wide);
    ir_sc otherwise = m_not(b, is_whole(b, q));
    return ir_sc_slow_path(b, m_and(b, whole, m_and(b, m_ltk(b, q, 0), otherwise)), sub, 2, v,
                           y);
}

/* zeta for q >= 0, its poles below.  A subnormal q is as good as the least normal number: their
 * powers overflow, or nearly so. */
static ir_sc
zeta(ir_sc_build *b, bool wide, ir_sc s, ir_sc q)
{
    ir_sc one = m_num(b, s, 1), nan = m_num(b, s, (double)NAN), zero = m_num(b, s, 0);
    ir_sc infinity = m_num(b, s, (double)INFINITY);
    ir_sc v = ir_math_below(b, ir_math_above(b, q, 0x1p-1022), DBL_MAX);
    ir_sc y = hurwitz(b, wide, ir_math_below(b, ir_math_above(b, s, 1), 0x1p40), v);
    ir_sc pole = m_select(b, is_whole(b, q), infinity, nan);

    y = m_select(b, m_eq(b, q, infinity), zero, y);
    y = m_select(b, m_le(b, q, zero), pole, y);
    y = m_select(b, m_eq(b, s, one), infinity, y);
    y = m_select(b, m_lt(b, s, one), nan, y);
    ir_sc unequal = m_ne(b, q, q);
    return m_select(b, m_or(b, m_ne(b, s, s), unequal), nan, y);
}

/* The m-th derivative of pi cot(pi x), m = 1 ... 4, with c = cot(pi x); NaN for other m. */
static ir_sc
reflection(ir_sc_build *b, ir_sc m, ir_sc x)
{
    ir_sc sinpi = ir_math_sinpi(b, x);
    ir_sc c = m_div(b, ir_math_cospi(b, x), sinpi), c2 = m_mul(b, c, c), one = m_num(b, c, 1);
    ir_sc w = m_add(b, one, c2), y = m_num(b, x, (double)NAN);
    ir_sc third = m_mul(b, w, m_fma(b, c2, m_num(b, c, 3), one));
    ir_sc right = m_fma(b, c2, m_num(b, c, 3), m_num(b, c, 2));
    ir_sc fourth = m_mul(b, m_mul(b, c, w), right);

    ir_sc product = m_mulk(b, w, -PI * PI);
    y = m_select(b, m_eqk(b, m, 1), product, y);
    ir_sc then = m_mulk(b, m_mul(b, c, w), 2 * PI * PI * PI);
    y = m_select(b, m_eqk(b, m, 2), then, y);
    ir_sc product_third = m_mulk(b, third, -2 * PI * PI * PI * PI);
    y = m_select(b, m_eqk(b, m, 3), product_third, y);
    ir_sc product_fourth = m_mulk(b, fourth, 8 * PI * PI * PI * PI * PI);
    return m_select(b, m_eqk(b, m, 4), product_fourth, y);
}

/* With v = 1 - x for x < 0: psi_m(x) = (-1)^m psi_m(v) - (d/dx)^m pi cot(pi x). */
static ir_sc
polygamma(ir_sc_build *b, bool wide, ir_sc m, ir_sc x)
{
    ir_sc nan = m_num(b, m, (double)NAN), zero = m_num(b, m, 0), one = m_num(b, m, 1);
    ir_sc less = m_ltk(b, m, 171);
    ir_sc inside = m_and(b, m_le(b, zero, m), less), k = m_select(b, inside, m, zero);
    ir_sc below = m_ltk(b, x, 0), v = m_select(b, below, m_sub(b, one, x), x),
          half = m_mulk(b, m, 0.5);
    ir_sc gamma = ir_sc_lookup(b, &factorial, m_cvt(b, COT_I32, k));
    ir_sc order = m_add(b, m, one),
          size = m_select(b, inside, gamma, m_num(b, m, (double)INFINITY));
    ir_sc y = m_mul(b, size, zeta(b, wide, order, v)), even = m_eq(b, m_floor(b, half), half);
    ir_sc many = m_mul(b, size, left(b, wide, order, m_select(b, m_ltk(b, m, 5), one, x), one));

    many = m_select(b, even, m_neg(b, many), many);
    ir_sc right = reflection(b, m, x);
    ir_sc turned = m_sub(b, m_neg(b, y), right); /* (-1)^m (-1)^(m+1) = -1 */

    ir_sc chosen = m_select(b, even, m_num(b, x, -1), one);
    ir_sc pole = ir_math_flip(b, m_num(b, x, (double)INFINITY), chosen);

    turned = m_select(b, m_ltk(b, m, 5), turned, many);
    y = m_select(b, even, m_neg(b, y), y);
    y = m_select(b, below, m_select(b, is_whole(b, x), pole, turned), y);
    ir_sc digamma = ir_math_digamma(b, x);
    y = m_select(b, m_eq(b, m, zero), digamma, y);
    ir_sc whole = is_whole(b, m);
    return m_select(b, m_and(b, m_le(b, zero, m), whole), y, nan);
}

ir_sc
eval_zeta(MATH_ARGS)
{
    ir_sc s = m_cvt(b, COT_F64, x[0]), q = m_cvt(b, COT_F64, x[1]);

    return m_cvt(b, in, left(b, in == COT_F64, s, q, zeta(b, in == COT_F64, s, q)));
}
ir_sc
eval_polygamma(MATH_ARGS)
{
    ir_sc converted = m_cvt(b, COT_F64, x[1]);
    return m_cvt(b, in, polygamma(b, in == COT_F64, m_cvt(b, COT_F64, x[0]), converted));
}
