/* Conversions between element types.
 *
 * To integers: toward zero, saturating, NaN to 0.  Out-of-range values are replaced before the
 * instruction, which wants a value that fits.  To floats: rounded once.  The halves are reached
 * through f32, which would round twice; so what f32 cannot hold is first rounded to odd: toward
 * zero, with the last bit set if anything was lost.  A value so rounded to two bits more than
 * the target has is neither a tie of the target nor on the wrong side of one unless the exact
 * value is.
 * Source: S. Boldo, G. Melquiond, Emulation of a FMA and correctly rounded sums: proved
 * algorithms using rounding to odd, IEEE Transactions on Computers 57(4), 2008. */
#include "ir/math/math.h"

/* f64 to f32, to odd.  Start at the nearest: where it is inexact and even, the neighbour on the
 * other side of x is odd.  Infinity stands for what is too large: its odd neighbour is the
 * largest number, which a half turns into infinity again. */
static ir_sc
f32_to_odd(ir_sc_build *b, ir_sc x)
{
    ir_sc y = m_cvt(b, COT_F32, x), back = m_cvt(b, COT_F64, y);
    ir_sc bits = m_bits(b, COT_I32, y);
    ir_sc even = m_eqk(b, m_and(b, bits, ir_sc_int(b, COT_I32, 1)), 0);
    ir_sc size = m_abs(b, back);
    ir_sc away = m_lt(b, m_abs(b, x), size); /* y is beyond x: step toward zero */
    ir_sc step = m_select(b, away, ir_sc_int(b, COT_I32, -1), ir_sc_int(b, COT_I32, 1));
    ir_sc less = m_lt(b, back, x);
    ir_sc inexact = m_or(b, m_lt(b, x, back), less);
    ir_sc odd = m_bits(b, COT_F32, m_add(b, bits, step));

    return m_select(b, m_and(b, inexact, even), odd, y);
}

/* i64 or u64 to f64, to odd at bit 11: exact below 2^53; above, the low 11 bits become bit 11
 * if any is set, and what is left fits 53 bits. */
static ir_sc
f64_to_odd(ir_sc_build *b, cot_dtype T, ir_sc x)
{
    ir_sc u = m_bits(b, COT_U64, x), low = ir_sc_int(b, COT_U64, 0x7ff);
    ir_sc minus = T == COT_I64 ? m_ltk(b, x, 0) : ir_sc_const_bits(b, COT_BOOL, 0);
    ir_sc a = m_select(b, minus, m_neg(b, u), u);
    ir_sc otherwise = ir_sc_int(b, COT_U64, 0x800);
    ir_sc zero = ir_sc_int(b, COT_U64, 0);
    ir_sc sticky = m_select(b, m_eqk(b, m_and(b, a, low), 0), zero, otherwise);
    ir_sc cut = m_or(b, m_and(b, a, m_not(b, low)), sticky);
    ir_sc big = m_lt(b, ir_sc_int(b, COT_U64, 1ll << 53), a);
    ir_sc y = m_cvt(b, COT_F64, m_select(b, big, cut, a));

    return m_select(b, minus, m_neg(b, y), y);
}

/* A number of type T to f32, such that a half made of it is rounded once. */
static ir_sc
to_half_source(ir_sc_build *b, cot_dtype T, ir_sc x)
{
    switch (T) {
    case COT_F64: return f32_to_odd(b, x);
    case COT_I64:
    case COT_U64: return f32_to_odd(b, f64_to_odd(b, T, x));
    case COT_I32:
    case COT_U32: return f32_to_odd(b, m_cvt(b, COT_F64, x));
    default: return m_cvt(b, COT_F32, x); /* exact */
    }
}

/* f32 or f64 to the integer type T.  The bounds lo and hi + 1 are exact; hi itself may not be,
 * so x is compared with hi + 1. */
static ir_sc
float_to_int(ir_sc_build *b, cot_dtype T, ir_sc x)
{
    int bits = ir_bits(T) - ir_is_signed(T);
    double beyond = 2.0 * (double)(1ull << (bits - 1)), least = ir_is_signed(T) ? -beyond : 0;
    uint64_t hi = UINT64_MAX >> (64 - bits), lo = ir_is_signed(T) ? ~hi : 0;
    ir_sc high = m_le(b, m_num(b, x, beyond), x), low = m_lt(b, x, m_num(b, x, least));
    ir_sc at_most = m_le(b, m_num(b, x, least), x);
    ir_sc inside = m_and(b, m_lt(b, x, m_num(b, x, beyond)), at_most);
    ir_sc y = m_cvt(b, T, m_select(b, inside, x, m_num(b, x, 0)));

    y = m_select(b, high, ir_sc_const_bits(b, T, hi), y);
    return m_select(b, low, ir_sc_const_bits(b, T, lo), y);
}

ir_sc
eval_convert(MATH_ARGS)
{
    ir_sc y = x[0];

    if (in == out)
        return y;
    if (ir_is_half(out))
        return m_cvt(b, out, ir_is_half(in) ? m_cvt(b, COT_F32, y) : to_half_source(b, in, y));
    if (ir_is_half(in))
        y = m_cvt(b, COT_F32, y);
    if (out == COT_BOOL)
        return m_ne(b, y, m_num(b, y, 0));
    if (ir_is_float(in) && ir_is_int(out))
        return float_to_int(b, out, y);
    return m_cvt(b, out, y);
}

ir_sc
eval_bitcast(MATH_ARGS)
{
    return m_bits(b, out, x[0]);
}
