/* pow.
 *
 * |x|^y = e^(y log |x|).  For f64 the product must be right to 2^-54 absolute, up to 745: the
 * logarithm is a sum of two f64.  With s = f / (2 + f) = s + ds, log(1 + f) = 2 s + s^3 (2/3 +
 * z Q(z)), z = s^2: quotient, square, cube and the first coefficient are kept with their
 * errors, the rest counts a hundredth.  For f32, f64 alone is enough.
 *
 * The fast path takes normal x > 0 and finite y; all else takes the slow path: signs, zeros,
 * infinities, NaN and subnormal numbers, as IEEE 754 lists them (pow(x, 0) and pow(1, y) are 1,
 * for NaN too).
 *
 * Worst error in ulp (sampled): f32 0.51, f64 1.0.
 * Source: T. Dekker for the arithmetic of pairs; W. Cody, W. Waite for the rest.  Coefficients
 * by fit.py. */
#include <math.h>

#include "ir/math/math.h"

static const double q64[] = {
    0x1.9999999999b33p-2, 0x1.2492492457828p-2, 0x1.c71c722de0753p-3, 0x1.745ce9b7b7ea8p-3,
    0x1.3b1ef4380e7c1p-3, 0x1.0f7f242571679p-3, 0x1.0e4a129cc8ce3p-3,
};
#define LN2_HEAD 0x1.62e42fefa38p-1 /* 42 bits: an exponent times it is exact */
#define LN2_TAIL 0x1.ef35793c7673p-45

/* log(x) as a sum of two, e added to the exponent of x. */
static ir_sc
log_pair(ir_sc_build *b, ir_sc x, ir_sc more, ir_sc *tail)
{
    ir_math_log l = ir_math_log_parts(b, x);
    ir_sc f = l.f, e = m_add(b, l.e, more), dd, dc, t2, lost;
    ir_sc d = ir_math_sum(b, m_num(b, f, 2), f, &dd), s = m_div(b, f, d), minus = m_neg(b, s);
    ir_sc ds = m_div(b, m_fma(b, minus, dd, m_fma(b, minus, d, f)), d);
    ir_sc z = m_mul(b, s, s);
    ir_sc term = m_fms(b, s, s, z);
    ir_sc dz = m_fma(b, m_add(b, s, s), ds, term);
    ir_sc product = m_mul(b, z, ir_math_poly(b, z, 7, q64));
    ir_sc c = ir_math_sum(b, m_num(b, f, 0x1.5555555555555p-1), product, &dc);
    dc = m_addk(b, dc, 0x1.5555555555555p-55);
    ir_sc cube = m_mul(b, s, z), dcube = m_fma(b, ds, z, m_fma(b, s, dz, m_fms(b, s, z, cube)));
    ir_sc t = m_mul(b, cube, c),
          dt = m_fma(b, dcube, c, m_fma(b, cube, dc, m_fms(b, cube, c, t)));
    ir_sc hi = ir_math_sum(b, m_add(b, s, s), t, &t2);
    ir_sc lo = m_add(b, t2, m_add(b, m_add(b, ds, ds), dt));
    ir_sc sum = ir_math_sum(b, m_mulk(b, e, LN2_HEAD), hi, &lost);

    lo = m_add(b, lost, m_fma(b, e, m_num(b, e, LN2_TAIL), lo));
    return ir_math_sum(b, sum, lo, tail);
}

/* x^y for normal x > 0 times 2^more, y not NaN; the result is f64, of f32 accuracy if not
 * wide. */
static ir_sc
core(ir_sc_build *b, bool wide, ir_sc x, ir_sc more, ir_sc y)
{
    ir_sc p, dp = 0, f[2];

    if (wide) {
        ir_sc tail, l = log_pair(b, x, more, &tail);
        p = m_mul(b, y, l);
        dp = m_fma(b, y, tail, m_fms(b, y, l, p));
        ir_sc zero = m_num(b, p, 0);
        dp = m_select(b, m_ltk(b, m_abs(b, p), 1000), dp, zero);
    } else {
        ir_math_log l = ir_math_log_parts(b, x);
        ir_sc e = m_mulk(b, m_add(b, l.e, more), 0x1.62e42fefa39efp-1);
        p = m_mul(b, y, m_add(b, e, m_add(b, l.f, l.rest)));
    }
    p = ir_math_above(b, ir_math_below(b, p, 710), ir_math_exp_least());
    ir_math_exp e = ir_math_exp_parts(b, p);
    ir_math_exp_scale(b, e.t, f);
    ir_sc r = wide ? m_add(b, e.hi, m_fma(b, e.hi, dp, e.lo)) : e.hi;
    return m_mul(b, m_mul(b, r, f[0]), f[1]);
}

ir_sc
ir_math_power(ir_sc_build *b, bool wide, ir_sc x, ir_sc y)
{
    return core(b, wide, x, m_num(b, x, 0), y);
}

/* Every case; x and y are f64. */
static const ir_sc_program *
special(ir_sc_build *b, bool wide)
{
    static const cot_dtype in[2] = { COT_F64, COT_F64 };
    ir_sc_build sub;
    ir_sc_build *s = &sub;
    ir_sc x = 0, y = 1;

    ir_sc_begin(s, b->arena, 2, in);
    ir_sc a = m_abs(s, x), one = m_num(s, x, 1), zero = m_num(s, x, 0),
          nan = m_num(s, x, (double)NAN);
    ir_sc infinity = m_num(s, x, (double)INFINITY), tiny = m_ltk(s, a, 0x1p-1022),
          up = m_gtk(s, y, 0);
    ir_sc scaled = m_select(s, tiny, m_mulk(s, a, 0x1p64), a);
    ir_sc r = core(s, wide, scaled, m_select(s, tiny, m_num(s, x, -64), zero), y);
    ir_sc grows = m_select(s, up, infinity, zero), shrinks = m_select(s, up, zero, infinity);
    ir_sc endless = m_eq(s, m_abs(s, y), infinity);

    r = m_select(s, endless, m_select(s, m_ltk(s, a, 1), shrinks, grows), r);
    ir_sc chosen = m_select(s, m_eq(s, a, infinity), grows, r);
    r = m_select(s, m_eq(s, a, zero), shrinks, chosen);
    r = m_select(s, m_eq(s, a, one), one, r);
    ir_sc whole = m_eq(s, m_trunc(s, y), y), half = m_mulk(s, y, 0.5);
    ir_sc odd = m_and(s, whole, m_ne(s, m_trunc(s, half), half));
    r = m_select(s, odd, ir_math_flip(s, r, x), r);
    ir_sc less = m_ltk(s, a, (double)INFINITY);
    ir_sc finite = m_and(s, m_ltk(s, x, 0), less);
    r = m_select(s, m_and(s, finite, m_not(s, whole)), nan, r);
    ir_sc unequal = m_ne(s, y, y);
    r = m_select(s, m_or(s, m_ne(s, x, x), unequal), nan, r);
    ir_sc equal = m_eq(s, x, one);
    return ir_sc_end(s, m_select(s, m_or(s, m_eq(s, y, zero), equal), one, r));
}

ir_sc
eval_pow(MATH_ARGS)
{
    bool wide = in == COT_F64;
    ir_sc v[2] = { m_cvt(b, COT_F64, x[0]), m_cvt(b, COT_F64, x[1]) };
    ir_sc less = m_ltk(b, v[0], (double)INFINITY);
    ir_sc normal = m_and(b, m_le(b, m_num(b, v[0], 0x1p-1022), v[0]), less);
    ir_sc rare = m_not(b, m_and(b, normal, m_ltk(b, m_abs(b, v[1]), (double)INFINITY)));
    ir_sc r = core(b, wide, v[0], m_num(b, v[0], 0), v[1]);

    return m_cvt(b, in, ir_sc_slow_path(b, rare, special(b, wide), 2, v, r));
}
