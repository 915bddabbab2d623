/* Rounding to integers. */
#include "ir/math/math.h"

ir_sc
eval_floor(MATH_ARGS)
{
    return m_floor(b, x[0]);
}
ir_sc
eval_ceil(MATH_ARGS)
{
    return m_ceil(b, x[0]);
}
ir_sc
eval_trunc(MATH_ARGS)
{
    return m_trunc(b, x[0]);
}
ir_sc
eval_round_even(MATH_ARGS)
{
    return m_rint(b, x[0]);
}

/* Halves away from zero: the largest number below 1/2 is added before truncating.  With 1/2
 * itself the number just below 1/2 would round up in the sum; with this one every half still
 * reaches the next integer, since the sum rounds to even there, and integers stay. */
ir_sc
eval_round(MATH_ARGS)
{
    ir_sc nearly = m_num(b, x[0], in == COT_F64 ? 0x1.fffffffffffffp-2 : 0x1.fffffep-2);

    return m_trunc(b, m_add(b, x[0], ir_math_copysign(b, nearly, x[0])));
}
