/* Bit operations and shifts.  Shifts are guarded: an amount outside 0 ... width - 1, seen as
 * unsigned one that is too large, gives 0, or copies of the top bit. */
#include "ir/math/math.h"

ir_sc
eval_not(MATH_ARGS)
{
    return m_not(b, x[0]);
}
ir_sc
eval_popcnt(MATH_ARGS)
{
    return m_popcnt(b, x[0]);
}
ir_sc
eval_clz(MATH_ARGS)
{
    return m_clz(b, x[0]);
}
ir_sc
eval_and(MATH_ARGS)
{
    return m_and(b, x[0], x[1]);
}
ir_sc
eval_or(MATH_ARGS)
{
    return m_or(b, x[0], x[1]);
}
ir_sc
eval_xor(MATH_ARGS)
{
    return m_xor(b, x[0], x[1]);
}

/* Is the amount y below the width of T? */
static ir_sc
fits(ir_sc_build *b, cot_dtype T, ir_sc y)
{
    return m_ltk(b, m_bits(b, ir_math_uint(T), y), ir_bits(T));
}

ir_sc
eval_shl(MATH_ARGS)
{
    ir_sc ok = fits(b, in, x[1]), zero = ir_sc_int(b, in, 0);

    return m_select(b, ok, m_shl(b, x[0], m_select(b, ok, x[1], zero)), zero);
}

ir_sc
eval_shr_logical(MATH_ARGS)
{
    cot_dtype U = ir_math_uint(in);
    ir_sc ok = fits(b, in, x[1]), zero = ir_sc_int(b, U, 0);
    ir_sc amount = m_select(b, ok, m_bits(b, U, x[1]), zero);
    ir_sc y = m_select(b, ok, m_shr(b, m_bits(b, U, x[0]), amount), zero);

    return m_bits(b, in, y);
}

ir_sc
eval_shr_arithmetic(MATH_ARGS)
{
    cot_dtype S = ir_math_int(in);
    ir_sc otherwise = ir_sc_int(b, S, ir_bits(in) - 1);
    ir_sc word = m_bits(b, S, x[1]);
    ir_sc amount = m_select(b, fits(b, in, x[1]), word, otherwise);

    return m_bits(b, in, m_shr(b, m_bits(b, S, x[0]), amount));
}
