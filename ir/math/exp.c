/* exp, exp2, expm1.
 *
 * x = n ln2 + r with n whole and |r| <= ln2 / 2; e^r = 1 + r + r^2 q(r) by a minimax
 * polynomial.  n comes from adding 1.5 2^23 (2^52) and twice the bias of exponents: the sum is
 * rounded to a whole number, whose bits stand in the low end of the word, ready to be shifted
 * into the exponents of 2^n or of its two factors.
 * r = x - n L1 - n L2: x - n L1 is exact, because it is a multiple of the last bit of L1 and
 * below 1/2.
 * In f64 multiplying by 2^n takes two factors, 2^(n/2) and 2^(n - n/2), so that results near
 * the ends of the range and subnormal ones are rounded once.  x is first brought into the range
 * where n makes sense: down to that n whose factors are both +0, bits and all, since a product
 * that falls below the least number costs many processors ten times what a product with 0
 * does, and what is masked in a softmax, say, is far below.
 * In f32 subnormal results are common (x from -104 to -87.3), and a product that is subnormal
 * costs as much.  There 2 y times 2^(n - 1) is the result where that is a normal number.  A
 * branch, taken where an element is below, rounds y 2^n, in units of the least number, to a
 * whole one, 2^24 less, where the whole numbers are those of f32: that is the bits of the
 * result.
 *
 * expm1 keeps e^r - 1 = r + w apart from 1: 2^n (r + w) + (2^n - 1), at half scale so that
 * 2^1024 does not occur, summed with the error of the first addition.
 *
 * Worst error in ulp (f32 over dense ranges, the rest sampled: bench/ulp.c runs all inputs):
 * exp 0.90, 0.9; exp2 0.90, 0.9; expm1 0.98, 1.0.
 * Source: W. Cody, W. Waite, Software Manual for the Elementary Functions, 1980 (reduction);
 * coefficients by fit.py. */
#include "ir/math/math.h"

static const double q32[] = { 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558f4p-5, 0x1.123a22p-7,
                              0x1.6a2378p-10 };
static const double q64[] = {
    0x1.000000000000ap-1,  0x1.55555555554f9p-3,  0x1.555555555083fp-5,  0x1.1111111127d44p-7,
    0x1.6c16c18438a60p-10, 0x1.a01a0129fd31ep-13, 0x1.a01999e263a8bp-16, 0x1.71df25da29fd7p-19,
    0x1.28ad9b9828b91p-22, 0x1.ad7f0356851afp-26,
};
/* (2^r - 1 - r ln2) / r^2 */
static const double q2_32[] = { 0x1.ebfbe0p-3, 0x1.c6af84p-5, 0x1.3b29d2p-7, 0x1.5f0618p-10,
                                0x1.447870p-13 };
static const double q2_64[] = {
    0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c8p-5,  0x1.3b2ab6fba4e7fp-7,  0x1.5d87fe78a3735p-10,
    0x1.430912f8696d0p-13, 0x1.ffcbfc70be7a5p-17, 0x1.62c0224bb06c2p-20, 0x1.b524e4baf98dap-24,
    0x1.e4ceee4e64d22p-28, 0x1.e9f75cea77efep-32, 0x1.c4d3726bdc530p-36,
};

/* of f64, for what f32 wants */
static const double q64_short[] = {
    0x1.0000003a460aep-1, 0x1.555554424650cp-3,  0x1.55548d74c2744p-5,
    0x1.111271ae53d21p-7, 0x1.6d8d5253e336dp-10, 0x1.9f07d42c11614p-13,
};

static bool
wide(ir_sc_build *b, ir_sc x)
{
    return ir_sc_type_in(b, x) == COT_F64;
}

/* What rounds to a whole number, in whose low bits it then stands, plus `bias`. */
static double
magic(ir_sc_build *b, ir_sc x, int bias)
{
    return (wide(b, x) ? 0x1.8p52 : 0x1.8p23) + bias;
}

static int
twice_bias(ir_sc_build *b, ir_sc x)
{
    return wide(b, x) ? 2 * 1023 : 2 * 127;
}

/* -x times k, plus z. */
static ir_sc
minus_mulk(ir_sc_build *b, ir_sc x, double k, ir_sc z)
{
    return m_fma(b, x, m_num(b, x, -k), z);
}

/* x = n ln2 + r + dr; t is n plus `start`. */
static ir_sc
reduce_by(ir_sc_build *b, ir_sc x, double start, ir_sc *t, ir_sc *dr)
{
    bool w = wide(b, x);
    double l1 = w ? 0x1.62e42fefa39efp-1 : 0x1.62e43p-1,
           l2 = w ? 0x1.abc9e3b39803fp-56 : -0x1.05c61p-29;

    *t = m_fma(b, x, m_num(b, x, 0x1.71547652b82fep0), m_num(b, x, start));
    ir_sc n = m_addk(b, *t, -start);
    ir_sc high = minus_mulk(b, n, l1, x), r = minus_mulk(b, n, l2, high);
    *dr = minus_mulk(b, n, l2, m_sub(b, high, r));
    return r;
}

static ir_sc
reduce(ir_sc_build *b, ir_sc x, ir_sc *t, ir_sc *dr)
{
    return reduce_by(b, x, magic(b, x, twice_bias(b, x)), t, dr);
}

static ir_sc
q_poly(ir_sc_build *b, ir_sc r)
{
    return wide(b, r) ? ir_math_poly(b, r, 10, q64) : ir_math_poly(b, r, 5, q32);
}

static ir_math_exp
parts_by(ir_sc_build *b, ir_sc x, double start)
{
    ir_math_exp e;
    ir_sc dr, r = reduce_by(b, x, start, &e.t, &dr);
    ir_sc right = q_poly(b, r);
    ir_sc s = m_fma(b, m_mul(b, r, r), right, r);

    e.hi = ir_math_sum(b, m_num(b, x, 1), s, &e.lo);
    return e;
}

ir_math_exp
ir_math_exp_parts(ir_sc_build *b, ir_sc x)
{
    return parts_by(b, x, magic(b, x, twice_bias(b, x)));
}

ir_math_exp
ir_math_exp_fine(ir_sc_build *b, ir_sc x)
{
    ir_math_exp e;
    ir_sc dr, ds, r = reduce(b, x, &e.t, &dr);
    ir_sc right = q_poly(b, r);
    ir_sc s = ir_math_sum(b, r, m_mul(b, m_mul(b, r, r), right), &ds);

    e.hi = ir_math_sum(b, m_num(b, x, 1), s, &e.lo);
    e.lo = m_add(b, e.lo, m_add(b, ds, dr));
    return e;
}

ir_sc
ir_math_exp_short(ir_sc_build *b, ir_sc x)
{
    double whole = 0x1.8p52 + 1023;
    ir_sc t = m_fma(b, x, m_num(b, x, 0x1.71547652b82fep0), m_num(b, x, whole));
    ir_sc r = minus_mulk(b, m_addk(b, t, -whole), 0x1.62e42fefa39efp-1, x),
          one = m_num(b, x, 1);
    ir_sc y = m_fma(b, r, m_fma(b, r, ir_math_poly(b, r, 6, q64_short), one), one);
    ir_sc places = ir_sc_int(b, COT_U64, 52);
    ir_sc two = m_shl(b, m_bits(b, COT_U64, t), places);

    return m_mul(b, y, m_bits(b, COT_F64, two));
}

/* The number whose exponent field is the low bits of the integer k, and whose other bits are
 * 0. */
static ir_sc
with_exponent(ir_sc_build *b, ir_sc k)
{
    bool w = ir_sc_type_in(b, k) == COT_U64;

    return m_shl(b, k, ir_sc_int(b, ir_sc_type_in(b, k), w ? 52 : 23));
}

ir_sc
ir_math_exp_two(ir_sc_build *b, ir_sc t)
{
    cot_dtype T = ir_sc_type_in(b, t), U = ir_math_uint(T);
    bool w = T == COT_F64;
    ir_sc twice = with_exponent(b, m_bits(b, U, t));

    return m_bits(b, T, m_sub(b, twice, ir_sc_int(b, U, w ? 1023ll << 52 : 127 << 23)));
}

/* t has the bias twice: each half of it is the exponent of one factor. */
void
ir_math_exp_scale(ir_sc_build *b, ir_sc t, ir_sc factor[2])
{
    cot_dtype T = ir_sc_type_in(b, t), U = ir_math_uint(T);
    ir_sc j = m_bits(b, U, t), half = m_shr(b, j, ir_sc_int(b, U, 1));

    factor[0] = m_bits(b, T, with_exponent(b, half));
    factor[1] = m_bits(b, T, with_exponent(b, m_sub(b, j, half)));
}

/* n is -2046. */
double
ir_math_exp_least(void)
{
    return -1418;
}

static ir_sc
scaled(ir_sc_build *b, ir_sc y, ir_sc t)
{
    ir_sc f[2];

    ir_math_exp_scale(b, t, f);
    return m_mul(b, m_mul(b, y, f[0]), f[1]);
}

/* Of f32: the low bits of t are n + BIAS, the exponent field of 2^(n - 1); results are +0 for n
 * up to ZERO. */
enum { BIAS = 126, ZERO = -151 };

/* (y2 / 2) 2^n for n from -150 to -126, where the result is subnormal or little above. */
static const ir_sc_program *
subnormal(ir_sc_build *outer)
{
    static const cot_dtype in[2] = { COT_F32, COT_F32 };
    ir_sc_build sub, *b = &sub;
    ir_sc y2 = 0, t = 1;

    ir_sc_begin(b, outer->arena, 2, in);
    ir_sc up = ir_sc_int(b, COT_U32, 149 << 23), top = ir_sc_int(b, COT_I32, 1 << 24);
    ir_sc n = m_bits(b, COT_U32, ir_math_below(b, t, magic(b, t, BIAS) - 126));
    ir_sc factor = m_bits(b, COT_F32, m_add(b, with_exponent(b, n), up)); /* 2^(n + 148) */
    ir_sc u = m_fma(b, y2, factor, m_num(b, y2, -0x1p24)), zero = m_num(b, y2, 0);
    ir_sc whole = m_cvt(b, COT_I32, m_select(b, m_lt(b, u, zero), u, zero));
    return ir_sc_end(b, m_bits(b, COT_F32, m_add(b, whole, top)));
}

ir_math_exp
ir_math_exp_parts_f32(ir_sc_build *b, ir_sc x)
{
    return parts_by(b, x, magic(b, x, BIAS));
}

ir_sc
ir_math_exp_t_f32(ir_sc_build *b, ir_sc x, int n)
{
    return m_num(b, x, magic(b, x, BIAS) + n);
}

ir_sc
ir_math_exp_two_f32(ir_sc_build *b, ir_sc t, int least)
{
    ir_sc above = ir_math_above(b, t, magic(b, t, BIAS) + least);
    ir_sc k = m_add(b, m_bits(b, COT_U32, above), ir_sc_int(b, COT_U32, 1));

    return m_bits(b, COT_F32, with_exponent(b, k));
}

ir_sc
ir_math_exp_scaled_f32(ir_sc_build *b, ir_sc y2, ir_sc t)
{
    const double start = magic(b, t, BIAS);
    const ir_sc args[2] = { y2, t };
    ir_sc field = m_bits(b, COT_I32, with_exponent(b, m_bits(b, COT_U32, t)));
    ir_sc factor = m_bits(b, COT_F32, m_max(b, field, ir_sc_int(b, COT_I32, 0)));
    ir_sc middle = m_addk(b, t, -(start + (ZERO - 125) / 2)); /* n from -150 to -126 */
    ir_sc few = m_ltk(b, m_abs(b, middle), (-125 - ZERO) / 2);

    return ir_sc_branch(b, few, subnormal(b), 2, args, m_mul(b, y2, factor));
}

/* The polynomial with twice the coefficients: twice its value, to the bit. */
static ir_sc
twice_poly(ir_sc_build *b, ir_sc r, int n, const double *c)
{
    double twice[8];

    for (int i = 0; i < n; i++)
        twice[i] = 2 * c[i];
    return ir_math_poly(b, r, n, twice);
}

static ir_sc
exp_f32(ir_sc_build *b, ir_sc x)
{
    ir_sc v = ir_math_above(b, ir_math_below(b, x, 89), -105), two = m_num(b, v, 2);
    ir_sc t, dr, r = reduce_by(b, v, magic(b, v, BIAS), &t, &dr);
    ir_sc p = m_fma(b, r, twice_poly(b, r, 5, q32), two);

    return ir_math_exp_scaled_f32(b, m_fma(b, r, p, two), t);
}

ir_sc
eval_exp(MATH_ARGS)
{
    if (in == COT_F32)
        return exp_f32(b, x[0]);
    ir_sc v = ir_math_above(b, ir_math_below(b, x[0], 710), ir_math_exp_least());
    ir_sc t, dr, r = reduce(b, v, &t, &dr), one = m_num(b, v, 1);
    ir_sc p = m_fma(b, r, q_poly(b, r), one); /* its rounding counts r times: least below 1 */

    return scaled(b, m_fma(b, r, p, one), t);
}

static ir_sc
exp2_f32(ir_sc_build *b, ir_sc x)
{
    const double start = magic(b, x, BIAS);
    ir_sc v = ir_math_above(b, ir_math_below(b, x, 129), ZERO);
    ir_sc t = m_addk(b, v, start), r = m_sub(b, v, m_addk(b, t, -start));
    ir_sc q = twice_poly(b, r, 5, q2_32);
    ir_sc product = m_mul(b, r, m_fma(b, r, q, m_num(b, r, 2 * -0x1.05c61p-29)));
    ir_sc s = m_fma(b, r, m_num(b, r, 2 * 0x1.62e43p-1), product);

    return ir_math_exp_scaled_f32(b, m_addk(b, s, 2), t);
}

ir_sc
eval_exp2(MATH_ARGS)
{
    if (in == COT_F32)
        return exp2_f32(b, x[0]);
    ir_sc v = ir_math_above(b, ir_math_below(b, x[0], 1025), -2046);
    const double start = magic(b, v, twice_bias(b, v));
    ir_sc t = m_addk(b, v, start), r = m_sub(b, v, m_addk(b, t, -start));
    ir_sc product = m_mul(
        b, r, m_fma(b, r, ir_math_poly(b, r, 11, q2_64), m_num(b, r, 0x1.abc9e3b39803fp-56)));
    ir_sc s = m_fma(b, r, m_num(b, r, 0x1.62e42fefa39efp-1), product);

    return scaled(b, m_addk(b, s, 1), t);
}

/* e^r - 1 - r, with r^2 / 2 apart: half of a number is exact. */
static ir_sc
after_r(ir_sc_build *b, ir_sc r)
{
    bool w = wide(b, r);
    ir_sc z = m_mul(b, r, r),
          rest = w ? ir_math_poly(b, r, 9, q64 + 1) : ir_math_poly(b, r, 4, q32 + 1);
    ir_sc q = m_fma(b, r, rest, m_num(b, r, (w ? q64 : q32)[0] - 0.5));

    return m_fma(b, z, q, m_mulk(b, z, 0.5));
}

ir_sc
ir_math_expm1(ir_sc_build *b, ir_sc x)
{
    bool w = wide(b, x);
    ir_sc v = ir_math_above(b, ir_math_below(b, x, w ? 710 : 89), w ? -60 : -30);
    ir_sc t, dr, r = reduce(b, v, &t, &dr), error, one = m_num(b, x, 1);
    ir_sc term = m_fma(b, r, dr, dr);
    ir_sc rest = m_add(b, after_r(b, r), term);
    ir_sc h = ir_math_exp_two(b, m_sub(b, t, one)), half = m_num(b, x, 0.5);
    ir_sc c = m_sub(b, h, half), dc = m_sub(b, m_sub(b, h, c), half);
    ir_sc s = ir_math_sum(b, c, m_mul(b, h, r), &error);
    ir_sc y = m_add(b, s, m_fma(b, h, rest, m_add(b, error, dc)));

    y = m_add(b, y, y);
    return m_select(b, m_ltk(b, m_abs(b, x), w ? 0x1p-55 : 0x1p-26), x, y);
}

ir_sc
eval_expm1(MATH_ARGS)
{
    return ir_math_expm1(b, x[0]);
}
