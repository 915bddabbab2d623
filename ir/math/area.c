/* asinh, acosh, atanh by log1p, with what its argument lost in rounding as a correction.
 *   asinh  log1p(u), u = |x| + x^2 / (1 + sqrt(1 + x^2)); beyond 2^28 log |x| + log 2
 *   acosh  log1p(t + sqrt(2 t + t^2)), t = x - 1; beyond 2^28 log x + log 2
 *   atanh  log1p(2 |x| / (1 - |x|)) / 2
 * The logarithm of large arguments is log1p of half of them, plus log 2: the same program
 * serves.
 *
 * f32 takes them from f64, where nothing overflows and 1 + u loses little: log(|x| + sqrt(x^2 +
 * 1)), log(x + sqrt(x^2 - 1)), log((1 + |x|) / (1 - |x|)) / 2, by a short logarithm, and two
 * terms of the series below 2^-9.
 *
 * Worst error in ulp: 0.51 in f32; in f64 (sampled) asinh 1.5, acosh 1.4, atanh 1.2.
 * Source: W. Kahan, Branch cuts for complex elementary functions, 1987. */
#include <math.h>

#include "ir/math/math.h"

/* log(1 + u + du) for moderate a; log a + log 2 where a > 2^28, since 1 + a is then a to the
 * last bit but one. */
static ir_sc
finish(ir_sc_build *b, ir_sc a, ir_sc u, ir_sc du)
{
    ir_sc big = m_gtk(b, a, 0x1p28), zero = m_num(b, a, 0);
    ir_sc chosen = m_select(b, big, zero, du);
    ir_sc y = ir_math_log1p(b, m_select(b, big, m_addk(b, a, -1), u), chosen);

    return m_select(b, big, m_addk(b, y, 0x1.62e42fefa39efp-1), y);
}

static ir_sc
wide_asinh(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), one = m_num(b, a, 1), z = m_mul(b, a, a);
    ir_sc w = m_div(b, z, m_add(b, one, m_sqrt(b, m_add(b, one, z)))), du;
    ir_sc u = ir_math_sum(b, a, w, &du);

    return ir_math_flip(b, finish(b, a, u, du), x[0]);
}

static ir_sc
wide_acosh(ir_sc_build *b, const ir_sc *x)
{
    ir_sc t = m_addk(b, x[0], -1), v = m_fma(b, t, t, m_add(b, t, t)), s = m_sqrt(b, v);
    ir_sc sum = m_add(b, s, s);
    ir_sc tail = m_div(b, m_fnma(b, s, s, v), sum);
    ir_sc u = m_add(b, s, t), du = m_add(b, tail, m_sub(b, t, m_sub(b, u, s)));

    ir_sc zero = m_num(b, t, 0);
    du = m_select(b, m_gtk(b, v, 0), du, zero);
    ir_sc y = finish(b, x[0], u, du);
    ir_sc nan = m_num(b, y, (double)NAN);
    return m_select(b, m_ltk(b, x[0], 1), nan, y);
}

static ir_sc
wide_atanh(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), one = m_num(b, a, 1), lost;
    ir_sc d = ir_math_sum(b, one, m_neg(b, a), &lost), num = m_add(b, a, a),
          u = m_div(b, num, d);
    ir_sc minus = m_neg(b, u), rest = m_fma(b, minus, lost, m_fma(b, minus, d, num));
    ir_sc zero = m_num(b, a, 0);
    ir_sc quotient = m_div(b, rest, d);
    ir_sc du = m_select(b, m_ltk(b, a, 1), quotient, zero);
    ir_sc y = m_mulk(b, ir_math_log1p(b, u, du), 0.5);

    y = m_select(b, m_ltk(b, a, 0x1p-28), a, y);
    ir_sc nan = m_num(b, y, (double)NAN);
    return ir_math_flip(b, m_select(b, m_gtk(b, a, 1), nan, y), x[0]);
}

/* a + k a^3 below 2^-9, y from there to `end`, at and above it `beyond`, which NaN shares. */
static ir_sc
pieces(ir_sc_build *b, ir_sc a, double k, ir_sc y, double end, ir_sc beyond)
{
    ir_sc product = m_mulk(b, a, k);
    ir_sc tiny = m_fma(b, m_mul(b, a, a), product, a);

    y = m_select(b, m_ltk(b, a, end), y, beyond);
    return m_select(b, m_ltk(b, a, 0x1p-9), tiny, y);
}

static ir_sc
asinh_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), root = m_sqrt(b, m_fma(b, a, a, m_num(b, a, 1)));
    ir_sc y = ir_math_log_short(b, m_add(b, a, root));

    return ir_math_flip(b, pieces(b, a, -0x1.5555555555555p-3, y, (double)INFINITY, a), x[0]);
}

static ir_sc
acosh_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc t = m_addk(b, x[0], -1), root = m_sqrt(b, m_fma(b, t, t, m_add(b, t, t)));
    ir_sc y = ir_math_log_short(b, m_add(b, x[0], root));

    y = m_select(b, m_ltk(b, x[0], (double)INFINITY), y, x[0]);
    ir_sc nan = m_num(b, y, (double)NAN);
    return m_select(b, m_ltk(b, x[0], 1), nan, y);
}

static ir_sc
atanh_for_f32(ir_sc_build *b, const ir_sc *x)
{
    ir_sc a = m_abs(b, x[0]), one = m_num(b, a, 1);
    ir_sc difference = m_sub(b, one, a);
    ir_sc y = m_mulk(b, ir_math_log_short(b, m_div(b, m_add(b, one, a), difference)), 0.5);
    ir_sc nan = m_num(b, a, (double)NAN);
    ir_sc infinity = m_num(b, a, (double)INFINITY);
    ir_sc beyond = m_select(b, m_eq(b, a, one), infinity, nan);

    return ir_math_flip(b, pieces(b, a, 0x1.5555555555555p-2, y, 1, beyond), x[0]);
}

ir_sc
eval_asinh(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? asinh_for_f32 : wide_asinh);
}
ir_sc
eval_acosh(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? acosh_for_f32 : wide_acosh);
}
ir_sc
eval_atanh(MATH_ARGS)
{
    return ir_math_wide(b, 1, x, in == COT_F32 ? atanh_for_f32 : wide_atanh);
}
