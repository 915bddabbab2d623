/* Pieces of elementary functions that several files share. */
#include "ir/math/math.h"

cot_dtype
ir_math_int(cot_dtype T)
{
    static const cot_dtype by_size[9] = {
        [1] = COT_I8, [2] = COT_I16, [4] = COT_I32, [8] = COT_I64
    };

    return by_size[cot_dtype_size(T)];
}

cot_dtype
ir_math_uint(cot_dtype T)
{
    static const cot_dtype by_size[9] = {
        [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64
    };

    return by_size[cot_dtype_size(T)];
}

ir_sc
ir_math_poly(ir_sc_build *b, ir_sc x, int n, const double *c)
{
    ir_sc y = m_num(b, x, c[n - 1]);

    for (int i = n - 2; i >= 0; i--)
        y = m_fma(b, y, x, m_num(b, x, c[i]));
    return y;
}

/* c[0] + c[2] x + c[4] x^2 ... */
static ir_sc
every_other(ir_sc_build *b, ir_sc x, int n, const double *c)
{
    int last = (n - 1) / 2 * 2;
    ir_sc y = m_num(b, x, c[last]);

    for (int i = last - 2; i >= 0; i -= 2)
        y = m_fma(b, y, x, m_num(b, x, c[i]));
    return y;
}

ir_sc
ir_math_poly2(ir_sc_build *b, ir_sc x, ir_sc xx, int n, const double *c)
{
    ir_sc odd = every_other(b, xx, n, c);
    return m_fma(b, every_other(b, xx, n - 1, c + 1), x, odd);
}

ir_sc
ir_math_copysign(ir_sc_build *b, ir_sc x, ir_sc s)
{
    cot_dtype T = ir_sc_type_in(b, x), U = ir_math_uint(T);
    ir_sc top = ir_sc_const_bits(b, U, 1ull << (ir_bits(T) - 1));
    ir_sc sign = m_and(b, m_bits(b, U, s), top);

    return m_bits(b, T, m_or(b, m_bits(b, U, m_abs(b, x)), sign));
}

ir_sc
ir_math_wide(ir_sc_build *b, int n, const ir_sc *x, ir_math_f64 *f)
{
    cot_dtype T = ir_sc_type_in(b, x[0]);
    ir_sc wide[3];

    for (int i = 0; i < n; i++)
        wide[i] = m_cvt(b, COT_F64, x[i]);
    return m_cvt(b, T, f(b, wide));
}

ir_sc
ir_math_flip(ir_sc_build *b, ir_sc y, ir_sc s)
{
    cot_dtype T = ir_sc_type_in(b, y), U = ir_math_uint(T);
    ir_sc top = ir_sc_const_bits(b, U, 1ull << (ir_bits(T) - 1));
    ir_sc sign = m_and(b, m_bits(b, U, s), top);

    return m_bits(b, T, m_xor(b, m_bits(b, U, y), sign));
}

ir_sc
ir_math_sum(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc *error)
{
    ir_sc s = m_add(b, x, y);

    *error = m_sub(b, y, m_sub(b, s, x));
    return s;
}

ir_sc
ir_math_below(ir_sc_build *b, ir_sc x, double hi)
{
    ir_sc k = m_num(b, x, hi);

    return m_select(b, m_lt(b, k, x), k, x);
}

ir_sc
ir_math_above(ir_sc_build *b, ir_sc x, double lo)
{
    ir_sc k = m_num(b, x, lo);

    return m_select(b, m_lt(b, x, k), k, x);
}
