/* Arithmetic on elements of 2, 4, 6 and 8 bits, which graphs do not have.
 *
 * A value of such a type is held as a value of a wider type that takes only numbers of the
 * small one: i8 and u8 for integers, f32 for floats.  Every op computes in the wider type, and
 * its result is rounded to the small one: integers modulo 2^n, floats to nearest even.  As all
 * of these floats have fewer than half the digits of f32, rounding twice equals rounding once
 * for +, -, *, / and sqrt.  A number above the greatest one becomes an infinity where the
 * format has one, else NaN where it has that, else the greatest number; a NaN becomes 0 where
 * the format has none. */
#include "frontend/stablehlo/import/rules.h"

#include <math.h>

/* The same size and sign of what is finite: below 2^least multiples of the least number, else
 * so many digits. */
static ir_ref
rounded(ir_build *b, const hlo_small *s, ir_ref a)
{
    const double least = ldexp(1, 1 - s->bias), big = ldexp(1.5, 23 + 1 - s->bias - s->digits);
    ir_ref c = ir_like(b, a, big), low = ir_sub(b, ir_add(b, a, c), c);
    ir_ref high =
        ir_node1(b, OP_reduce_precision, 1, &a, &(ir_attrs){ .precision = { 8, s->digits } });
    ir_ref y = ir_select(b, ir_op2(b, OP_lt, a, ir_like(b, a, least)), low, high);
    const double over = s->kind == HLO_IEEE     ? (double)INFINITY
                        : s->kind == HLO_FINITE ? fe_hlo_small_greatest(s)
                                                : (double)NAN;

    ir_ref then = ir_like(b, a, over);
    return ir_select(b, ir_op2(b, OP_gt, y, ir_like(b, a, fe_hlo_small_greatest(s))), then, y);
}

/* Half of the last exponent added to the bits; below 1.5 * 2^-127 it is 2^-127. */
static ir_ref
power_of_two(ir_build *b, ir_ref x)
{
    const ir_attrs bits = { .dtype = { COT_U32 } }, real = { .dtype = { COT_F32 } };
    ir_ref i = ir_node1(b, OP_bitcast, 1, &x, &bits);
    if (!i)
        return IR_NONE;
    const ir_type *u = ir_btype(b, i);
    ir_ref mask = ir_splat_int(b, u, 0x7f800000);
    ir_ref up = ir_op2(b, OP_and, ir_add(b, i, ir_splat_int(b, u, 0x400000)), mask);
    ir_ref then = ir_splat_int(b, u, 0x400000);
    ir_ref j = ir_select(b, ir_op2(b, OP_lt, i, ir_splat_int(b, u, 0x600000)), then, up);
    ir_ref y = ir_node1(b, OP_bitcast, 1, &j, &real), nan = ir_like(b, x, (double)NAN);
    ir_ref less = ir_op2(b, OP_lt, j, ir_splat_int(b, u, 0x7f800000));
    ir_ref good = ir_op2(b, OP_and, ir_op2(b, OP_gt, x, ir_like(b, x, 0)), less);
    return ir_select(b, good, y, nan);
}

static ir_ref
narrow_float(ir_build *b, const hlo_small *s, ir_ref x)
{
    if (s->kind == HLO_EXPONENT)
        return power_of_two(b, x);
    const ir_type *u = ir_type_as(b->ctx, ir_btype(b, x), COT_U32);
    const ir_attrs bits = { .dtype = { COT_U32 } }, real = { .dtype = { COT_F32 } };
    ir_ref y = rounded(b, s, ir_op1(b, OP_abs, x));
    ir_ref i = ir_node1(b, OP_bitcast, 1, &x, &bits),
           j = y ? ir_node1(b, OP_bitcast, 1, &y, &bits) : IR_NONE;

    if (!i || !j)
        return IR_NONE;
    ir_ref both =
        ir_op2(b, OP_or, j, ir_op2(b, OP_and, i, ir_splat_int(b, u, (int64_t)1 << 31)));
    ir_ref z = ir_node1(b, OP_bitcast, 1, &both, &real);
    if (s->kind == HLO_FINITE)  /* without the sign, which a NaN has by chance */
        return ir_select(b, ir_op2(b, OP_eq, x, x), z, ir_like(b, x, 0));
    return s->kind == HLO_NO_ZERO ? ir_select(b, ir_op2(b, OP_eq, y, ir_like(b, y, 0)), y, z)
                                  : z;
}

ir_ref
fe_hlo_narrow(ir_build *b, const hlo_small *s, ir_ref x)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;

    if (!t || t->dtype != s->storage)
        return x;
    if (t->dtype == COT_F32)
        return narrow_float(b, s, x);
    if (t->dtype == COT_U8)
        return ir_op2(b, OP_and, x, ir_splat_int(b, t, (1 << s->bits) - 1));
    ir_ref n = ir_splat_int(b, t, 8 - s->bits);
    return ir_op2(b, OP_shr_arithmetic, ir_op2(b, OP_shl, x, n), n);
}

ir_ref
fe_hlo_low_bits(ir_build *b, const hlo_small *s, ir_ref x)
{
    return ir_op2(b, OP_and, x, ir_splat_int(b, ir_btype(b, x), (1 << s->bits) - 1));
}

ir_ref
fe_hlo_saturated(ir_build *b, const hlo_small *s, ir_ref x)
{
    if (s->storage == COT_F32)
        return x;
    const int width = s->storage == COT_U8 ? s->bits : s->bits - 1;
    const double top = (1 << width) - 1, low = s->storage == COT_U8 ? 0 : -1 - top;

    ir_ref bound = ir_like(b, x, top);
    return ir_op2(b, OP_min, ir_op2(b, OP_max, x, ir_like(b, x, low)), bound);
}

/* The bits of infinity and of NaN in a small format; -1 where it has none. */
static int
infinity_bits(const hlo_small *s)
{
    return s->kind == HLO_IEEE ? ((1 << (s->bits - 1 - s->digits)) - 1) << s->digits : -1;
}

static int
nan_bits(const hlo_small *s)
{
    switch (s->kind) {
    case HLO_IEEE: return infinity_bits(s) | 1 << (s->digits - 1);
    case HLO_ONE_NAN: return (1 << (s->bits - 1)) - 1;
    case HLO_NO_ZERO: return 1 << (s->bits - 1);
    default: return -1;
    }
}

static ir_ref
as(ir_build *b, ir_ref x, cot_dtype t)
{
    return x ? ir_node1(b, OP_bitcast, 1, &x, &(ir_attrs){ .dtype = { t } }) : IR_NONE;
}

static ir_ref
shifted(ir_build *b, ir_op op, ir_ref x, int n)
{
    return x ? ir_op2(b, op, x, ir_splat_int(b, ir_btype(b, x), n)) : IR_NONE;
}

static ir_ref
masked(ir_build *b, ir_ref x, int64_t mask)
{
    return x ? ir_op2(b, OP_and, x, ir_splat_int(b, ir_btype(b, x), mask)) : IR_NONE;
}

/* Exponent and digits of f32 moved to their places; below the least normal number, multiples of
 * the least of all. */
static ir_ref
bits_of_float(ir_build *b, const hlo_small *s, ir_ref x)
{
    if (s->kind == HLO_EXPONENT)
        return ir_convert(b, masked(b, shifted(b, OP_shr_logical, as(b, x, COT_U32), 23), 255),
                          COT_U8);
    ir_ref all = as(b, x, COT_U32), a = ir_op1(b, OP_abs, x);
    if (!all || !a)
        return IR_NONE;
    const ir_type *t = ir_btype(b, all);
    ir_ref constant = ir_splat_int(b, t, (127 - s->bias) << s->digits);
    ir_ref high =
        ir_sub(b, shifted(b, OP_shr_logical, as(b, a, COT_U32), 23 - s->digits), constant);
    ir_ref low =
        ir_convert(b, ir_mul(b, a, ir_like(b, a, ldexp(1, s->bias - 1 + s->digits))), COT_U32);
    ir_ref y =
        ir_select(b, ir_op2(b, OP_lt, a, ir_like(b, a, ldexp(1, 1 - s->bias))), low, high);

    if (infinity_bits(s) >= 0) {
        ir_ref then = ir_splat_int(b, t, infinity_bits(s));
        y = ir_select(b, ir_op2(b, OP_gt, a, ir_like(b, a, fe_hlo_small_greatest(s))), then, y);
    }
    y = ir_op2(b, OP_or, y,
               shifted(b, OP_shl, shifted(b, OP_shr_logical, all, 31), s->bits - 1));
    if (nan_bits(s) >= 0) {
        ir_ref no_number = ir_splat_int(b, t, nan_bits(s));
        y = ir_select(b, ir_op2(b, OP_ne, x, x), no_number, y);
    }
    return ir_convert(b, masked(b, y, (1 << s->bits) - 1), COT_U8);
}

static ir_ref
power_of_bits(ir_build *b, ir_ref i)
{
    ir_ref wide = ir_convert(b, i, COT_U32);
    ir_ref y = as(b, shifted(b, OP_shl, wide, 23), COT_F32);
    if (!y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, wide);
    ir_ref then = ir_like(b, y, ldexp(1, -127));
    y = ir_select(b, ir_op2(b, OP_eq, wide, ir_splat_int(b, t, 0)), then, y);
    ir_ref nan = ir_like(b, y, (double)NAN);
    return ir_select(b, ir_op2(b, OP_eq, wide, ir_splat_int(b, t, 255)), nan, y);
}

static ir_ref
float_of_bits(ir_build *b, const hlo_small *s, ir_ref i)
{
    if (s->kind == HLO_EXPONENT)
        return power_of_bits(b, i);
    const int sign = 1 << (s->bits - 1);
    ir_ref all = masked(b, ir_convert(b, i, COT_U32), 2 * sign - 1),
           a = masked(b, all, sign - 1);
    if (!a)
        return IR_NONE;
    const ir_type *t = ir_btype(b, a);
    ir_ref constant = ir_splat_int(b, t, (127 - s->bias) << 23);
    ir_ref high = as(b, ir_add(b, shifted(b, OP_shl, a, 23 - s->digits), constant), COT_F32);
    ir_ref low = ir_convert(b, a, COT_F32);
    if (!high || !low)
        return IR_NONE;
    low = ir_mul(b, low, ir_like(b, low, ldexp(1, 1 - s->bias - s->digits)));
    ir_ref y = ir_select(b, ir_op2(b, OP_lt, a, ir_splat_int(b, t, 1 << s->digits)), low, high);

    if (infinity_bits(s) >= 0) {
        ir_ref top = ir_splat_int(b, t, infinity_bits(s));
        ir_ref infinity = ir_like(b, y, (double)INFINITY);
        y = ir_select(b, ir_op2(b, OP_eq, a, top), infinity, y);
        ir_ref nan = ir_like(b, y, (double)NAN);
        y = ir_select(b, ir_op2(b, OP_gt, a, top), nan, y);
    } else if (s->kind == HLO_ONE_NAN) {
        ir_ref then = ir_like(b, y, (double)NAN);
        y = ir_select(b, ir_op2(b, OP_eq, a, ir_splat_int(b, t, nan_bits(s))), then, y);
    }
    ir_ref negative = ir_op2(b, OP_ge, all, ir_splat_int(b, t, sign));
    y = ir_select(b, negative, ir_op1(b, OP_neg, y), y);
    if (s->kind == HLO_NO_ZERO) {
        ir_ref no_number = ir_like(b, y, (double)NAN);
        y = ir_select(b, ir_op2(b, OP_eq, all, ir_splat_int(b, t, sign)), no_number, y);
    }
    return y;
}

ir_ref
fe_hlo_bits_of_small(ir_build *b, const hlo_small *s, ir_ref x)
{
    if (s->storage == COT_F32)
        return bits_of_float(b, s, x);
    return masked(b, s->storage == COT_I8 ? as(b, x, COT_U8) : x, (1 << s->bits) - 1);
}

ir_ref
fe_hlo_small_of_bits(ir_build *b, const hlo_small *s, ir_ref i)
{
    if (s->storage == COT_F32)
        return float_of_bits(b, s, i);
    return fe_hlo_narrow(b, s, s->storage == COT_I8 ? as(b, i, COT_I8) : i);
}
