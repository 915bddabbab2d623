/* Operands: a value of a trace, or a number of C. */
#include "frontend/trace.h"

cot_operand
cot_operand_value(cot_value v)
{
    return (cot_operand){ COT_IS_VALUE, v, 0, 0 };
}

cot_operand
cot_operand_real(double x)
{
    return (cot_operand){ COT_IS_REAL, { NULL, 0, 0 }, x, 0 };
}

cot_operand
cot_operand_int(long long x)
{
    return (cot_operand){ COT_IS_INT, { NULL, 0, 0 }, (double)x, x };
}

cot_operand
cot_operand_uint(unsigned long long x)
{
    if (x <= INT64_MAX)
        return cot_operand_int((long long)x);
    return (cot_operand){ COT_IS_UINT, { NULL, 0, 0 }, (double)x, (int64_t)x };
}
