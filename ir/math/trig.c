/* sin, cos, tan.
 *
 * |x| = n pi/2 + r + dr with n whole, |r| below pi/4 and a little, and dr what r lost in
 * rounding.
 *   moderate x  three parts of pi/2.  The first is rounded down, so that x - n P1 is exact
 * (a multiple of its
 *               last bit, below 2), and p = n P2 is positive; r = x - n P1 - p, and since x - n
 *               P1 is
 *               a multiple of the last bit of p, what the subtraction lost is again exact.
 *   large x     rare.  x = M 2^E, M whole; of 2/pi only the bits that count modulo 4 are
 * multiplied with M,
 *               in integers: the top two bits of the product are the quadrant, the rest the
 *               fraction.
 * Then sin r = r + (r z S(z) + dr), cos r = 1 + z C(z) with z = r^2 + 2 r dr, and the quadrant
 * chooses between the two and their signs.  The sign of x is put on last: sin(-0) = -0.
 * tan is the quotient of both, each with its tail, corrected by its residue; f32 takes it from
 * f64.
 *
 * Worst error in ulp (f32 over dense ranges, the rest sampled: bench/ulp.c runs all inputs):
 * sin 0.92, cos 0.9, tan 0.51 (f32), 1.2 (f64).
 * Source: W. Cody, W. Waite, Software Manual for the Elementary Functions, 1980; M. Payne, R.
 * Hanek, Radian reduction for trigonometric functions, SIGNUM 18, 1983; T. Dekker for the sums.
 * Coefficients by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double sin32[] = { -0x1.555544p-3, 0x1.1106d4p-7, -0x1.9920aep-13 };
static const double cos32[] = { -0.5, 0x1.55553ap-5, -0x1.6c0754p-10, 0x1.98f226p-16 };
static const double sin64[] = {
    -0x1.5555555555547p-3, 0x1.111111110f52ap-7,   -0x1.a01a019ba692ap-13,
    0x1.71de351a1df60p-19, -0x1.ae5e1c5d021f6p-26, 0x1.5d7d6e382820bp-33,
};
static const double cos64[] = {
    -0.5,
    0x1.5555555555535p-5,
    -0x1.6c16c16c13681p-10,
    0x1.a01a019ac3b0ap-16,
    -0x1.27e4f6e6fdd76p-22,
    0x1.1ee94164c20b9p-29,
    -0x1.8f5fd9714a92fp-37,
};

/* pi/2 in three parts, the first two rounded down; [wide]. */
static const double part[2][3] = {
    { 0x1.921fb4p0, 0x1.4442dp-24, 0x1.84698ap-48 },
    { 0x1.921fb54442d18p0, 0x1.1a62633145c06p-54, 0x1.c1cd129024e09p-107 },
};

/* 64 zero bits, then the first 1216 bits of 2/pi. */
static const uint64_t two_over_pi[20] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
};
static const ir_sc_table bits_table = { COT_U64, 20, two_over_pi };

/* An angle: its remainder and tail, and its quadrant in the two low bits of an unsigned
 * word. */
typedef struct reduced_angle {
    ir_sc r, dr, n;
} reduced_angle;

static reduced_angle
reduce(ir_sc_build *b, ir_sc a)
{
    bool w = ir_sc_type_in(b, a) == COT_F64;
    double magic = w ? 0x1.8p52 : 0x1.8p23;
    reduced_angle y;
    ir_sc t =
        m_fma(b, a, m_num(b, a, w ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1), m_num(b, a, magic));
    ir_sc n = m_addk(b, t, -magic);
    ir_sc high = m_fma(b, n, m_num(b, a, -part[w][0]), a);

    y.n = m_bits(b, ir_math_uint(ir_sc_type_in(b, a)), t);
    y.r = m_sub(b, high, m_mulk(b, n, part[w][1]));
    ir_sc difference = m_sub(b, high, y.r);
    y.dr = m_fma(b, n, m_num(b, a, -part[w][1]), difference);
    y.dr = m_fma(b, n, m_num(b, a, -part[w][2]), y.dr);
    return y;
}

static ir_sc
u64(ir_sc_build *b, uint64_t x)
{
    return ir_sc_const_bits(b, COT_U64, x);
}
static ir_sc
low32(ir_sc_build *b, ir_sc x)
{
    return m_and(b, x, u64(b, 0xffffffff));
}
static ir_sc
high32(ir_sc_build *b, ir_sc x)
{
    return m_shr(b, x, u64(b, 32));
}

/* The upper half of the 128 bits of x y. */
static ir_sc
mul_high(ir_sc_build *b, ir_sc x, ir_sc y)
{
    ir_sc xl = low32(b, x), xh = high32(b, x), yl = low32(b, y), yh = high32(b, y);
    ir_sc right = high32(b, m_mul(b, xl, yl));
    ir_sc u = m_add(b, m_mul(b, xh, yl), right);
    ir_sc low32_u = low32(b, u);
    ir_sc v = m_add(b, m_mul(b, xl, yh), low32_u);

    ir_sc high32_v = high32(b, v);
    ir_sc high32_u = high32(b, u);
    return m_add(b, m_add(b, m_mul(b, xh, yh), high32_u), high32_v);
}

/* 64-bit words 0 ... n-1 of 2/pi from bit `skip` of the table on.  A shift by 64 is two
 * shifts. */
static void
window(ir_sc_build *b, ir_sc skip, int n, ir_sc *word)
{
    ir_sc at = m_shr(b, skip, ir_sc_int(b, COT_I32, 6));
    ir_sc left = m_cvt(b, COT_U64, m_and(b, skip, ir_sc_int(b, COT_I32, 63)));
    ir_sc right = m_sub(b, u64(b, 63), left);

    for (int i = 0; i < n; i++) {
        ir_sc x = ir_sc_lookup(b, &bits_table, m_add(b, at, ir_sc_int(b, COT_I32, i)));
        ir_sc y = ir_sc_lookup(b, &bits_table, m_add(b, at, ir_sc_int(b, COT_I32, i + 1)));
        ir_sc shifted = m_shr(b, m_shr(b, y, u64(b, 1)), right);
        word[i] = m_or(b, m_shl(b, x, left), shifted);
    }
}

/* Quadrants with 62 bits of fraction: the nearest whole number in *n, the signed rest. */
static ir_sc
round_quadrant(ir_sc_build *b, ir_sc p, ir_sc *n)
{
    ir_sc places = u64(b, 62);
    *n = m_shr(b, m_add(b, p, u64(b, 1ull << 61)), places);
    return m_sub(b, p, m_shl(b, *n, u64(b, 62)));
}

/* M and the number of bits to skip, from the fields of a large x.  (Other lanes only stay in
 * the table.) */
static ir_sc
fields(ir_sc_build *b, ir_sc bits, int digits, int bias, ir_sc *skip)
{
    cot_dtype U = ir_sc_type_in(b, bits);
    ir_sc e = m_cvt(b, COT_I32, m_shr(b, bits, ir_sc_int(b, U, digits)));
    ir_sc low = m_and(b, bits, ir_sc_int(b, U, (1ll << digits) - 1));

    e = m_add(b, e, ir_sc_int(b, COT_I32, 62 - bias - digits));
    ir_sc bound = ir_sc_int(b, COT_I32, 16 * 64 + 63);
    *skip = m_min(b, m_max(b, e, ir_sc_int(b, COT_I32, 0)), bound);
    return m_cvt(b, COT_U64, m_or(b, low, ir_sc_int(b, U, 1ll << digits)));
}

static reduced_angle
reduce_large_f32(ir_sc_build *b, ir_sc a)
{
    ir_sc skip, word[2], n;
    ir_sc m = fields(b, m_bits(b, COT_U32, a), 23, 127, &skip);

    window(b, skip, 2, word);
    ir_sc right = high32(b, m_mul(b, m, high32(b, word[1])));
    ir_sc p = m_add(b, m_mul(b, m, word[0]), right);
    ir_sc rest = m_cvt(b, COT_F64, m_bits(b, COT_I64, round_quadrant(b, p, &n)));
    ir_sc r = m_mulk(b, rest, 0x1.921fb54442d18p-62);
    reduced_angle y = { .r = m_cvt(b, COT_F32, r), .n = m_cvt(b, COT_U32, n) };
    y.dr = m_cvt(b, COT_F32, m_sub(b, r, m_cvt(b, COT_F64, y.r)));
    return y;
}

/* The magnitude of the 128-bit rest as the sum of two f64, in units of 2^-62. */
static ir_sc
two_words(ir_sc_build *b, ir_sc high, ir_sc low, ir_sc *tail)
{
    ir_sc error;
    ir_sc h1 =
        m_mulk(b, m_cvt(b, COT_F64, m_bits(b, COT_I64, m_shr(b, high, u64(b, 31)))), 0x1p31);
    ir_sc h2 = m_cvt(b, COT_F64, m_bits(b, COT_I64, m_and(b, high, u64(b, 0x7fffffff))));
    ir_sc h3 = m_mulk(b, m_cvt(b, COT_F64, m_bits(b, COT_I64, high32(b, low))), 0x1p-32);
    ir_sc h4 = m_mulk(b, m_cvt(b, COT_F64, m_bits(b, COT_I64, low32(b, low))), 0x1p-64);
    ir_sc s = ir_math_sum(b, h1, h2, &error);

    return ir_math_sum(b, s, m_add(b, error, m_add(b, h3, h4)), tail);
}

static reduced_angle
reduce_large_f64(ir_sc_build *b, ir_sc a)
{
    ir_sc skip, word[3], one = u64(b, 1), zero = u64(b, 0), tail;
    reduced_angle y;
    ir_sc m = fields(b, m_bits(b, COT_U64, a), 52, 1023, &skip);

    window(b, skip, 3, word);
    ir_sc product = m_mul(b, m, word[1]), low = m_add(b, product, mul_high(b, m, word[2]));
    ir_sc carry = m_select(b, m_lt(b, low, product), one, zero);
    ir_sc right = mul_high(b, m, word[1]);
    ir_sc p = m_add(b, m_add(b, m_mul(b, m, word[0]), right), carry);
    ir_sc high = round_quadrant(b, p, &y.n);
    ir_sc negative = m_ltk(b, m_bits(b, COT_I64, high), 0);
    ir_sc chosen = m_select(b, m_eq(b, low, zero), one, zero);
    ir_sc minus = m_add(b, m_not(b, high), chosen);
    ir_sc chosen_low = m_select(b, negative, m_neg(b, low), low);
    ir_sc hi = two_words(b, m_select(b, negative, minus, high), chosen_low, &tail);
    ir_sc c = m_num(b, a, 0x1.921fb54442d18p-62), r = m_mul(b, hi, c);
    ir_sc term = m_fma(b, tail, c, m_fms(b, hi, c, r));
    ir_sc dr = m_fma(b, hi, m_num(b, a, 0x1.1a62633145c07p-116), term);
    y.r = m_select(b, negative, m_neg(b, r), r);
    y.dr = m_select(b, negative, m_neg(b, dr), dr);
    return y;
}

static reduced_angle
reduce_large(ir_sc_build *b, ir_sc a)
{
    return ir_sc_type_in(b, a) == COT_F64 ? reduce_large_f64(b, a) : reduce_large_f32(b, a);
}

/* sin and cos of r + dr, each as a sum of two. */
typedef struct both {
    ir_sc s, ds, c, z, zc;
} both;

static both
series(ir_sc_build *b, reduced_angle y)
{
    bool w = ir_sc_type_in(b, y.r) == COT_F64;
    both k;

    k.s = y.r;
    k.z = m_fma(b, y.r, y.r, m_mul(b, m_add(b, y.r, y.r), y.dr));
    ir_sc p = w ? ir_math_poly(b, k.z, 6, sin64) : ir_math_poly(b, k.z, 3, sin32);
    k.ds = m_fma(b, m_mul(b, y.r, k.z), p, y.dr);
    k.c = m_num(b, y.r, 1);
    k.zc = w ? ir_math_poly(b, k.z, 7, cos64) : ir_math_poly(b, k.z, 4, cos32);
    return k;
}

/* Is bit i of the quadrant n set? */
static ir_sc
bit(ir_sc_build *b, ir_sc n, int i)
{
    cot_dtype U = ir_sc_type_in(b, n);

    ir_sc zero = ir_sc_int(b, U, 0);
    return m_ne(b, m_and(b, n, ir_sc_int(b, U, 1 << i)), zero);
}

typedef ir_sc finish(ir_sc_build *b, reduced_angle y);

static ir_sc
sin_of(ir_sc_build *b, reduced_angle y)
{
    cot_dtype T = ir_sc_type_in(b, y.r), U = ir_sc_type_in(b, y.n);
    both k = series(b, y);
    ir_sc sum = m_add(b, k.s, k.ds);
    ir_sc term = m_fma(b, k.z, k.zc, k.c);
    ir_sc v = m_select(b, bit(b, y.n, 0), term, sum);
    ir_sc places = ir_sc_int(b, U, ir_bits(T) - 2);
    ir_sc sign = m_shl(b, m_and(b, y.n, ir_sc_int(b, U, 2)), places);

    return m_bits(b, T, m_xor(b, m_bits(b, U, v), sign));
}

static ir_sc
cos_of(ir_sc_build *b, reduced_angle y)
{
    y.n = m_add(b, y.n, ir_sc_int(b, ir_sc_type_in(b, y.n), 1));
    return sin_of(b, y);
}

static ir_sc
tan_of(ir_sc_build *b, reduced_angle y)
{
    both k = series(b, y);
    ir_sc odd = bit(b, y.n, 0), ds, dc;
    ir_sc s = ir_math_sum(b, k.s, k.ds, &ds), c = ir_math_sum(b, k.c, m_mul(b, k.z, k.zc), &dc);
    ir_sc num = m_select(b, odd, c, s), den = m_select(b, odd, s, c);
    ir_sc inverse = m_div(b, m_num(b, num, 1), den), q = m_mul(b, num, inverse),
          minus = m_neg(b, q);
    ir_sc rest = m_fma(b, minus, den, num);

    ir_sc chosen = m_select(b, odd, dc, ds);
    rest = m_add(b, rest, m_fma(b, minus, m_select(b, odd, ds, dc), chosen));
    q = m_fma(b, rest, inverse, q);
    return m_select(b, odd, m_neg(b, q), q);
}

static const ir_sc_program *
large(ir_sc_build *b, cot_dtype T, finish *end)
{
    ir_sc_build sub;
    ir_sc a = 0;

    ir_sc_begin(&sub, b->arena, 1, &T);
    ir_sc y = end(&sub, reduce_large(&sub, a));
    ir_sc nan = m_num(&sub, a, (double)NAN);
    return ir_sc_end(&sub, m_select(&sub, m_ltk(&sub, a, (double)INFINITY), y, nan));
}

/* NaN is not large: it goes through the arithmetic. */
static ir_sc
circular(ir_sc_build *b, ir_sc x, finish *end)
{
    cot_dtype T = ir_sc_type_in(b, x);
    ir_sc a = m_abs(b, x);
    ir_sc far = m_lt(b, m_num(b, a, T == COT_F64 ? 0x1p30 : 0x1p17), a);

    ir_sc otherwise = end(b, reduce(b, a));
    return ir_sc_slow_path(b, far, large(b, T, end), 1, &a, otherwise);
}

static ir_sc
wide_tan(ir_sc_build *b, const ir_sc *x)
{
    return ir_math_flip(b, circular(b, x[0], tan_of), x[0]);
}

ir_sc
eval_sin(MATH_ARGS)
{
    return ir_math_flip(b, circular(b, x[0], sin_of), x[0]);
}
ir_sc
eval_cos(MATH_ARGS)
{
    return circular(b, x[0], cos_of);
}
ir_sc
eval_tan(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, wide_tan);
}
