/* Ops that are one instruction for floats; integers get guards where an instruction has a
 * precondition.  With a constant divisor or shift the guards fold away.
 *
 * Halves: neg, abs, max, min and clamp are exact in f32, so rounding back changes nothing. */
#include "ir/math/math.h"

ir_sc
eval_neg(MATH_ARGS)
{
    return m_neg(b, x[0]);
}
ir_sc
eval_add(MATH_ARGS)
{
    return m_add(b, x[0], x[1]);
}
ir_sc
eval_sub(MATH_ARGS)
{
    return m_sub(b, x[0], x[1]);
}
ir_sc
eval_mul(MATH_ARGS)
{
    return m_mul(b, x[0], x[1]);
}
ir_sc
eval_fma(MATH_ARGS)
{
    return m_fma(b, x[0], x[1], x[2]);
}
ir_sc
eval_sqrt(MATH_ARGS)
{
    return m_sqrt(b, x[0]);
}
ir_sc
eval_max(MATH_ARGS)
{
    return in == COT_BOOL ? m_or(b, x[0], x[1]) : m_max(b, x[0], x[1]);
}
ir_sc
eval_min(MATH_ARGS)
{
    return in == COT_BOOL ? m_and(b, x[0], x[1]) : m_min(b, x[0], x[1]);
}
ir_sc
eval_stop_gradient(MATH_ARGS)
{
    return x[0];
}
/* This program is never asked for: complex numbers are split into pairs before evaluation. */
ir_sc
eval_parts(MATH_ARGS)
{
    return x[0];
}
ir_sc
eval_select(MATH_ARGS)
{
    return m_select(b, x[0], x[1], x[2]);
}

ir_sc
eval_clamp(MATH_ARGS)
{
    if (in == COT_BOOL)
        return m_and(b, m_or(b, x[1], x[0]), x[2]);
    return m_min(b, m_max(b, x[1], x[0]), x[2]);
}

ir_sc
eval_abs(MATH_ARGS)
{
    if (ir_is_float(in))
        return m_abs(b, x[0]);
    if (ir_is_unsigned(in))
        return x[0];
    ir_sc negative = m_neg(b, x[0]);
    return m_select(b, m_ltk(b, x[0], 0), negative, x[0]);
}

/* Anything that is neither above nor below 0 is itself: NaN and both zeros. */
ir_sc
eval_sign(MATH_ARGS)
{
    ir_sc one = m_num(b, x[0], 1);
    ir_sc y = m_select(b, m_gtk(b, x[0], 0), one, x[0]);

    if (ir_is_unsigned(in))
        return y;
    ir_sc negative = m_neg(b, one);
    return m_select(b, m_ltk(b, x[0], 0), negative, y);
}

/* The divisor with 0 replaced by 1, and -1 too: x / -1 overflows for the least x. */
static ir_sc
safe_divisor(ir_sc_build *b, cot_dtype T, ir_sc y)
{
    ir_sc one = ir_sc_int(b, T, 1);
    ir_sc d = m_select(b, m_eqk(b, y, 0), one, y);

    return ir_is_signed(T) ? m_select(b, m_eqk(b, y, -1), one, d) : d;
}

ir_sc
eval_div(MATH_ARGS)
{
    if (ir_is_float(in))
        return m_div(b, x[0], x[1]);
    ir_sc q = m_div(b, x[0], safe_divisor(b, in, x[1]));
    if (ir_is_signed(in)) {
        ir_sc negative = m_neg(b, x[0]);
        q = m_select(b, m_eqk(b, x[1], -1), negative, q);
    }
    ir_sc minus_one = ir_sc_int(b, in, -1);
    return m_select(b, m_eqk(b, x[1], 0), minus_one, q);
}

/* Integers of rem; floats are in rem.c. */
ir_sc
ir_math_int_rem(ir_sc_build *b, cot_dtype T, ir_sc x, ir_sc y)
{
    ir_sc r = m_rem(b, x, safe_divisor(b, T, y));

    return m_select(b, m_eqk(b, y, 0), x, r);
}

/* x to the n, n >= 0, by squaring from the lowest bit of n. */
static ir_sc
power(ir_sc_build *b, ir_sc x, uint64_t n)
{
    ir_sc y = 0;
    bool started = false;

    for (; n != 0; n >>= 1) {
        if (n & 1) {
            y = started ? m_mul(b, y, x) : x;
            started = true;
        }
        if (n > 1)
            x = m_mul(b, x, x);
    }
    return started ? y : m_num(b, x, 1);
}

ir_sc
eval_integer_pow(MATH_ARGS)
{
    int64_t n = at->ipow.y;

    if (n >= 0)
        return power(b, x[0], (uint64_t)n);
    ir_sc right = power(b, x[0], 0 - (uint64_t)n);
    return m_div(b, m_num(b, x[0], 1), right);
}
