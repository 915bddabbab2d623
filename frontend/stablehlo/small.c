/* Elements of 2, 4, 6 and 8 bits that no graph has: integers of 2 and 4 bits, floats of 4 to 8.
 *
 * A value of such a type is one of a wider type, its carrier, that holds only numbers of the
 * small one: i8 and u8 of integers, f32 of floats.  Every op is done on carriers and its result
 * made narrow again: integers modulo 2^n, floats to the nearest even.  As all of these floats
 * have fewer than half the digits of f32, to round twice is to round once for +, -, *, / and
 * sqrt.  What is larger than the greatest is an infinity where the format has one, else NaN
 * where it has that, else the greatest; a NaN is 0 where the format has none.
 *
 * Source: OCP 8-bit floating point specification, 2023; OCP microscaling formats, 2023;
 * ml_dtypes. */
#include "frontend/stablehlo/rules.h"

#include <math.h>

#include "ir/scalar.h"

/* NO_ZERO: no -0, whose bits are NaN.  EXPONENT: powers of 2 and NaN, no sign and no 0. */
enum { IEEE, ONE_NAN, NO_ZERO, FINITE, EXPONENT };

static const hlo_small formats[] = {
    { "i2", COT_I8, 2, 0, 0, 0 },
    { "i4", COT_I8, 4, 0, 0, 0 },
    { "si2", COT_I8, 2, 0, 0, 0 },
    { "si4", COT_I8, 4, 0, 0, 0 },
    { "ui2", COT_U8, 2, 0, 0, 0 },
    { "ui4", COT_U8, 4, 0, 0, 0 },
    { "f8E5M2", COT_F32, 8, 2, 15, IEEE },
    { "f8E4M3", COT_F32, 8, 3, 7, IEEE },
    { "f8E3M4", COT_F32, 8, 4, 3, IEEE },
    { "f8E4M3FN", COT_F32, 8, 3, 7, ONE_NAN },
    { "f8E5M2FNUZ", COT_F32, 8, 2, 16, NO_ZERO },
    { "f8E4M3FNUZ", COT_F32, 8, 3, 8, NO_ZERO },
    { "f8E4M3B11FNUZ", COT_F32, 8, 3, 11, NO_ZERO },
    { "f8E8M0FNU", COT_F32, 8, 0, 127, EXPONENT },
    { "f6E2M3FN", COT_F32, 6, 3, 1, FINITE },
    { "f6E3M2FN", COT_F32, 6, 2, 3, FINITE },
    { "f4E2M1FN", COT_F32, 4, 1, 1, FINITE },
};

const hlo_small *
fe_hlo_small(hlo_span name)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (fe_hlo_is(name, formats[i].name))
            return &formats[i];
    return NULL;
}

/* ---- of elements ---- */

/* The greatest number: all exponents but those of infinities, all digits but that of NaN. */
static double
greatest(const hlo_small *s)
{
    const int top = (1 << (s->bits - 1 - s->digits)) - 1 - s->bias;
    const double ulp = ldexp(1, -s->digits);

    return s->kind == IEEE ? ldexp(2 - ulp, top - 1)
                           : ldexp(s->kind == ONE_NAN ? 2 - 2 * ulp : 2 - ulp, top);
}

float
fe_hlo_small_decode(const hlo_small *s, unsigned bits)
{
    if (s->kind == EXPONENT)
        return bits == 255 ? NAN : ldexpf(1, (int)bits - s->bias);
    const int width = s->bits - 1 - s->digits;
    const unsigned sign = bits >> (s->bits - 1) & 1,
                   e = bits >> s->digits & ((1u << width) - 1);
    const unsigned m = bits & ((1u << s->digits) - 1), all = (1u << width) - 1;

    if ((s->kind == NO_ZERO && sign && e == 0 && m == 0) ||
        (s->kind == ONE_NAN && e == all && m == (1u << s->digits) - 1) ||
        (s->kind == IEEE && e == all && m != 0))
        return NAN;
    const double x = s->kind == IEEE && e == all ? (double)INFINITY
                     : e == 0                    ? ldexp(m, 1 - s->bias - s->digits)
                              : ldexp((1u << s->digits) + m, (int)e - s->bias - s->digits);
    return (float)(sign ? -x : x);
}

/* The nearest power of 2, of two the greater; what is not above 0 has none. */
static float
nearest_power(double x)
{
    int e;

    if (!(x > 0) || isinf(x))
        return NAN;
    const double part = frexp(x, &e);
    e -= part < 0.75;
    return e > 127 ? NAN : ldexpf(1, e < -127 ? -127 : e);
}

float
fe_hlo_small_round(const hlo_small *s, double x)
{
    int e;

    if (s->kind == EXPONENT)
        return nearest_power(x);
    const double a = s->kind == FINITE && isnan(x) ? 0 : fabs(x);

    frexp(a, &e);
    e = e - 1 < 1 - s->bias ? 1 - s->bias : e - 1;
    double y = isfinite(a) ? ldexp(rint(ldexp(a, s->digits - e)), e - s->digits) : a;
    if (y > greatest(s))
        y = s->kind == IEEE ? (double)INFINITY : s->kind == FINITE ? greatest(s) : (double)NAN;
    y = signbit(x) && !isnan(x) && !(s->kind == NO_ZERO && y == 0) ? -y : y;
    return (float)y;
}

/* ---- of values ---- */

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
    const double over = s->kind == IEEE     ? (double)INFINITY
                        : s->kind == FINITE ? greatest(s)
                                            : (double)NAN;

    ir_ref then = ir_like(b, a, over);
    return ir_select(b, ir_op2(b, OP_gt, y, ir_like(b, a, greatest(s))), then, y);
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
    if (s->kind == EXPONENT)
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
    if (s->kind == FINITE)  /* without the sign, which a NaN has by chance */
        return ir_select(b, ir_op2(b, OP_eq, x, x), z, ir_like(b, x, 0));
    return s->kind == NO_ZERO ? ir_select(b, ir_op2(b, OP_eq, y, ir_like(b, y, 0)), y, z) : z;
}

ir_ref
fe_hlo_narrow(ir_build *b, const hlo_small *s, ir_ref x)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;

    if (!t || t->dtype != s->carrier)
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
    if (s->carrier == COT_F32)
        return x;
    const int width = s->carrier == COT_U8 ? s->bits : s->bits - 1;
    const double top = (1 << width) - 1, low = s->carrier == COT_U8 ? 0 : -1 - top;

    ir_ref bound = ir_like(b, x, top);
    return ir_op2(b, OP_min, ir_op2(b, OP_max, x, ir_like(b, x, low)), bound);
}

/* ---- their bits ---- */

/* Magnitudes that are numbers of no format: what infinity and NaN are as bits, -1 where there
 * are none. */
static int
infinity_bits(const hlo_small *s)
{
    return s->kind == IEEE ? ((1 << (s->bits - 1 - s->digits)) - 1) << s->digits : -1;
}

static int
nan_bits(const hlo_small *s)
{
    switch (s->kind) {
    case IEEE: return infinity_bits(s) | 1 << (s->digits - 1);
    case ONE_NAN: return (1 << (s->bits - 1)) - 1;
    case NO_ZERO: return 1 << (s->bits - 1);
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
    if (s->kind == EXPONENT)
        return ir_convert(
            b, masked(b, shifted(b, OP_shr_logical, as(b, x, COT_U32), 23), 255), COT_U8);
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
        y = ir_select(b, ir_op2(b, OP_gt, a, ir_like(b, a, greatest(s))), then, y);
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
    if (s->kind == EXPONENT)
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
    } else if (s->kind == ONE_NAN) {
        ir_ref then = ir_like(b, y, (double)NAN);
        y = ir_select(b, ir_op2(b, OP_eq, a, ir_splat_int(b, t, nan_bits(s))), then, y);
    }
    ir_ref negative = ir_op2(b, OP_ge, all, ir_splat_int(b, t, sign));
    y = ir_select(b, negative, ir_op1(b, OP_neg, y), y);
    if (s->kind == NO_ZERO) {
        ir_ref no_number = ir_like(b, y, (double)NAN);
        y = ir_select(b, ir_op2(b, OP_eq, all, ir_splat_int(b, t, sign)), no_number, y);
    }
    return y;
}

ir_ref
fe_hlo_bits_of_small(ir_build *b, const hlo_small *s, ir_ref x)
{
    if (s->carrier == COT_F32)
        return bits_of_float(b, s, x);
    return masked(b, s->carrier == COT_I8 ? as(b, x, COT_U8) : x, (1 << s->bits) - 1);
}

ir_ref
fe_hlo_small_of_bits(ir_build *b, const hlo_small *s, ir_ref i)
{
    if (s->carrier == COT_F32)
        return float_of_bits(b, s, i);
    return fe_hlo_narrow(b, s, s->carrier == COT_I8 ? as(b, i, COT_I8) : i);
}
