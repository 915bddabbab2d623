/* Comparisons: IEEE for floats; f16 and bf16 compare exactly as f32. */
#include <math.h>

#include "ir/math/math.h"

/* For bool, false is below true. */
static ir_sc
below(ir_sc_build *b, ir_sc x, ir_sc y, bool or_equal)
{
    if (ir_sc_type_in(b, x) != COT_BOOL)
        return or_equal ? m_le(b, x, y) : m_lt(b, x, y);
    return or_equal ? m_or(b, m_not(b, x), y) : m_and(b, m_not(b, x), y);
}

ir_sc
eval_ne(MATH_ARGS)
{
    return in == COT_BOOL ? m_xor(b, x[0], x[1]) : m_ne(b, x[0], x[1]);
}

ir_sc
eval_eq(MATH_ARGS)
{
    return in == COT_BOOL ? m_not(b, m_xor(b, x[0], x[1])) : m_eq(b, x[0], x[1]);
}

ir_sc
eval_lt(MATH_ARGS)
{
    return below(b, x[0], x[1], false);
}
ir_sc
eval_le(MATH_ARGS)
{
    return below(b, x[0], x[1], true);
}
ir_sc
eval_gt(MATH_ARGS)
{
    return below(b, x[1], x[0], false);
}
ir_sc
eval_ge(MATH_ARGS)
{
    return below(b, x[1], x[0], true);
}

ir_sc
eval_is_finite(MATH_ARGS)
{
    return m_ltk(b, m_abs(b, x[0]), (double)INFINITY);
}
