/* hypot and logaddexp; nextafter and reduce_precision, which look at the bits.
 *
 * hypot: f32 from f64; f64 scales by a power of two where a square would leave the range, and
 * corrects the root by the exact residual of the squares.
 * logaddexp: max + log1p(e^-|x - y|).
 * reduce_precision rounds to the nearest number of so many bits of mantissa, ties to even, then
 * lets the exponent
 * saturate: what is too large is infinite, what is below the normal numbers of the format is
 * zero, as XLA has it.
 *
 * Worst error in ulp (sampled): hypot 0.51; logaddexp 0.51 of the larger operand.
 * Source: C. Borges, An improved algorithm for hypot(a, b), ACM TOMS 46, 2020. */
#include <math.h>

#include "ir/math/math.h"

static ir_sc
wide_hypot(ir_sc_build *b, ir_sc x, ir_sc y)
{
    ir_sc u = m_abs(b, x), v = m_abs(b, y), infinity = m_num(b, x, (double)INFINITY),
          one = m_num(b, x, 1);
    ir_sc big = m_max(b, u, v), huge = m_gtk(b, big, 0x1p500), tiny = m_ltk(b, big, 0x1p-450);
    ir_sc chosen = m_select(b, tiny, m_num(b, x, 0x1p600), one);
    ir_sc up = m_select(b, huge, m_num(b, x, 0x1p-600), chosen);
    ir_sc otherwise = m_select(b, tiny, m_num(b, x, 0x1p-600), one);
    ir_sc back = m_select(b, huge, m_num(b, x, 0x1p600), otherwise);
    ir_sc a = m_mul(b, big, up), c = m_mul(b, m_min(b, u, v), up), square = m_mul(b, a, a),
          other = m_mul(b, c, c);
    ir_sc h = m_sqrt(b, m_fma(b, a, a, other)), hh = m_mul(b, h, h);
    ir_sc over = m_sub(b, m_sub(b, hh, square), other);
    ir_sc term = m_fms(b, c, c, other);
    ir_sc right = m_fms(b, a, a, square);
    ir_sc fine = m_sub(b, m_sub(b, m_fms(b, h, h, hh), right), term);
    ir_sc sum = m_add(b, h, h);
    ir_sc r = m_sub(b, h, m_div(b, m_add(b, over, fine), sum));

    r = m_mul(b, m_select(b, m_eqk(b, a, 0), a, r), back);
    ir_sc equal = m_eq(b, v, infinity);
    return m_select(b, m_or(b, m_eq(b, u, infinity), equal), infinity, r);
}

ir_sc
eval_hypot(MATH_ARGS)
{
    if (in == COT_F64)
        return wide_hypot(b, x[0], x[1]);
    ir_sc u = m_cvt(b, COT_F64, x[0]), v = m_cvt(b, COT_F64, x[1]);
    ir_sc h = m_sqrt(b, m_fma(b, u, u, m_mul(b, v, v))),
          infinity = m_num(b, x[0], (double)INFINITY);
    ir_sc equal = m_eq(b, m_abs(b, x[1]), infinity);
    ir_sc endless = m_or(b, m_eq(b, m_abs(b, x[0]), infinity), equal);
    return m_select(b, endless, infinity, m_cvt(b, in, h));
}

ir_sc
eval_logaddexp(MATH_ARGS)
{
    ir_sc zero = m_num(b, x[0], 0), equal = m_eq(b, x[0], x[1]);
    ir_sc d = m_neg(b, m_abs(b, m_select(b, equal, zero, m_sub(b, x[0], x[1]))));
    ir_sc e = eval_exp(b, NULL, in, in, &d);

    ir_sc logarithm = ir_math_log1p(b, e, zero);
    return m_add(b, m_max(b, x[0], x[1]), logarithm);
}

/* One step of the bits away from zero or toward it; from a zero to the least number with the
 * sign of y. */
ir_sc
eval_nextafter(MATH_ARGS)
{
    cot_dtype I = ir_math_int(in), wide = ir_compute_type(in);
    ir_sc u = m_cvt(b, wide, x[0]), v = m_cvt(b, wide, x[1]), bits = m_bits(b, I, x[0]),
          zero = m_num(b, u, 0);
    ir_sc one = ir_sc_int(b, I, 1), minus = ir_sc_int(b, I, -1),
          top = ir_sc_int(b, I, -1 - (int64_t)(UINT64_MAX >> (65 - ir_bits(in))));
    ir_sc up = m_lt(b, u, v), positive = m_lt(b, zero, u),
          away = m_not(b, m_xor(b, up, positive));
    ir_sc y = m_bits(b, in, m_add(b, bits, m_select(b, away, one, minus)));
    ir_sc least = m_bits(b, in, m_select(b, up, one, m_or(b, top, one)));

    y = m_select(b, m_eq(b, u, zero), least, y);
    y = m_select(b, m_eq(b, u, v), x[1], y);
    ir_sc nan = m_cvt(b, in, m_num(b, u, (double)NAN));
    ir_sc unequal = m_ne(b, v, v);
    return m_select(b, m_or(b, m_ne(b, u, u), unequal), nan, y);
}

ir_sc
eval_reduce_precision(MATH_ARGS)
{
    const bool w = in == COT_F64;
    const int digits = w ? 52 : 23, width = w ? 11 : 8;
    const int mantissa = (int)at->precision.mantissa_bits,
              exponent = (int)at->precision.exponent_bits;
    cot_dtype U = ir_math_uint(in);
    ir_sc y = x[0], infinity = m_num(b, y, (double)INFINITY);

    if (mantissa < digits) {
        int drop = digits - mantissa;
        ir_sc u = m_bits(b, U, y);
        ir_sc one = ir_sc_int(b, U, 1);
        ir_sc last = m_and(b, m_shr(b, u, ir_sc_int(b, U, drop)), one);
        ir_sc half = ir_sc_int(b, U, (1ll << (drop - 1)) - 1),
              mask = ir_sc_int(b, U, -(1ll << drop));
        y = m_bits(b, in, m_and(b, m_add(b, u, m_add(b, half, last)), mask));
    }
    if (exponent < width) {
        int bias = (1 << (exponent - 1)) - 1;
        ir_sc a = m_abs(b, y), over = m_not(b, m_ltk(b, a, ldexp(1, bias + 1)));
        ir_sc under = m_ltk(b, a, ldexp(1, 1 - bias));
        y = ir_math_copysign(
            b, m_select(b, over, infinity, m_select(b, under, m_num(b, y, 0), a)), y);
    }
    return m_select(b, m_eq(b, x[0], x[0]), y, x[0]);
}
