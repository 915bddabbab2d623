/* Remainder: x - y trunc(x / y), exact, with the sign of x.
 *
 * Where the quotient q is below 2^53, r = fma(-q, y, x) is exact, and a q that the division
 * rounded up to the next integer shows as r < 0.  Larger quotients are rare:
 *   f32  is computed in f64, whose range holds y 2^(28 k): ten such steps cover every quotient.
 *   f64  with x = mx 2^ex, y = my 2^ey and d = ex - ey, the remainder is 2^ey (mx 2^d mod
 * my).  2^d mod my
 *        comes by repeated squaring from 2^(d >> 6), with residues in [-my/2, my/2] and
 *        products as
 *        two doubles (p and its error), so that each quotient fits 52 bits and each step is
 *        exact.
 * Source: D. Knuth, The Art of Computer Programming 2, section 4.6.3 (powers); T. Dekker, A
 * floating-point technique for extending the available precision, 1971 (products). */
#include <math.h>

#include "ir/math/math.h"

/* x - y trunc(x / y) for x >= 0, y > 0 with a quotient below 2^53; the quotient in *q. */
static ir_sc
step(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc *q)
{
    *q = m_trunc(b, m_div(b, x, y));
    ir_sc r = m_fnma(b, *q, y, x);

    ir_sc sum = m_add(b, r, y);
    return m_select(b, m_ltk(b, r, 0), sum, r);
}

static ir_sc
rem_f32_far(ir_sc_build *b, ir_sc x, ir_sc y)
{
    ir_sc q;

    for (int k = 9; k >= 0; k--)
        x = step(b, x, m_mulk(b, y, ldexp(1, 28 * k)), &q);
    return x;
}

/* v = m 2^e with m in [2^52, 2^53), for finite v > 0: m as f64, e as i64. */
static void
split(ir_sc_build *b, ir_sc v, ir_sc *m, ir_sc *e)
{
    ir_sc tiny = m_ltk(b, v, 0x1p-1022);
    ir_sc bits = m_bits(b, COT_I64, m_select(b, tiny, m_mulk(b, v, 0x1p54), v));
    ir_sc bias =
        m_select(b, tiny, ir_sc_int(b, COT_I64, -1075 - 54), ir_sc_int(b, COT_I64, -1075));

    *e = m_add(b, m_shr(b, bits, ir_sc_int(b, COT_I64, 52)), bias);
    ir_sc low = m_and(b, bits, ir_sc_int(b, COT_I64, 0xfffffffffffff));
    *m = m_bits(b, COT_F64, m_or(b, low, ir_sc_int(b, COT_I64, (int64_t)1075 << 52)));
}

/* 2^e for -1022 <= e <= 1023, an i64. */
static ir_sc
two_to(ir_sc_build *b, ir_sc e)
{
    ir_sc biased = m_add(b, e, ir_sc_int(b, COT_I64, 1023));

    return m_bits(b, COT_F64, m_shl(b, biased, ir_sc_int(b, COT_I64, 52)));
}

/* r minus the nearest multiple of m, for |r| up to a few m. */
static ir_sc
centre(ir_sc_build *b, ir_sc r, ir_sc m, ir_sc inverse)
{
    return m_fnma(b, m_rint(b, m_mul(b, r, inverse)), m, r);
}

/* x y mod m for |x|, |y| <= m / 2: within one m of zero. */
static ir_sc
product(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc m)
{
    ir_sc p = m_mul(b, x, y), error = m_fms(b, x, y, p);

    return m_add(b, m_fnma(b, m_rint(b, m_div(b, p, m)), m, p), error);
}

static ir_sc
rem_f64_far(ir_sc_build *b, ir_sc x, ir_sc y)
{
    ir_sc mx, my, ex, ey;

    split(b, x, &mx, &ex);
    split(b, y, &my, &ey);
    ir_sc d = m_sub(b, ex, ey), inverse = m_div(b, m_num(b, my, 1), my);
    ir_sc r = two_to(b, m_shr(b, d, ir_sc_int(b, COT_I64, 6)));
    for (int bit = 5; bit >= 0; bit--) {
        ir_sc zero = ir_sc_int(b, COT_I64, 0);
        ir_sc set = m_ne(b, m_and(b, d, ir_sc_int(b, COT_I64, 1ll << bit)), zero);
        r = product(b, r, r, my);
        r = centre(b, m_select(b, set, m_add(b, r, r), r), my, inverse);
    }
    r = centre(b, product(b, r, centre(b, mx, my, inverse), my), my, inverse);
    ir_sc sum = m_add(b, r, my);
    r = m_select(b, m_ltk(b, r, 0), sum, r);
    ir_sc half =
        m_shr(b, ey, ir_sc_int(b, COT_I64, 1)); /* 2^ey may be out of range: in two factors */
    ir_sc right = two_to(b, m_sub(b, ey, half));
    r = m_mul(b, m_mul(b, r, two_to(b, half)), right);
    ir_sc more = m_gtk(b, y, 0);
    ir_sc ok = m_and(b, m_ltk(b, x, (double)INFINITY), more);
    return m_select(b, ok, r, m_num(b, r, (double)NAN));
}

static const ir_sc_program *
far_program(ir_sc_build *b, bool wide)
{
    static const cot_dtype in[2] = { COT_F64, COT_F64 };
    ir_sc_build sub;

    ir_sc_begin(&sub, b->arena, 2, in);
    return ir_sc_end(&sub, wide ? rem_f64_far(&sub, 0, 1) : rem_f32_far(&sub, 0, 1));
}

static ir_sc
float_rem(ir_sc_build *b, cot_dtype in, ir_sc x, ir_sc y)
{
    bool wide = in == COT_F64;
    ir_sc v[2] = { m_cvt(b, COT_F64, m_abs(b, x)), m_cvt(b, COT_F64, m_abs(b, y)) }, q;
    ir_sc r = step(b, v[0], v[1], &q);
    ir_sc far = m_not(b, m_ltk(b, q, wide ? 0x1p53 : 0x1p28));

    r = ir_sc_slow_path(b, far, far_program(b, wide), 2, v, r);
    r = m_select(b, m_lt(b, v[0], v[1]), v[0], r); /* y infinite, too */
    return ir_math_copysign(b, m_cvt(b, in, r), x);
}

ir_sc
eval_rem(MATH_ARGS)
{
    return ir_is_float(in) ? float_rem(b, in, x[0], x[1]) : ir_math_int_rem(b, in, x[0], x[1]);
}
