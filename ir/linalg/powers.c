/* Numbers as m 2^e, so that a product of many neither overflows nor vanishes on its way.
 *
 * e is read off the exponent bits of a number's size, so that m is in [1, 2): up to 4 near the
 * greatest numbers, and up to 2 sqrt 2 times that for complex ones.  The m of a 0, an infinity
 * or a NaN is that number, and the m of a subnormal one is less than 1.  Scaling by powers of
 * two is exact, so a product is rounded as if nothing had been scaled. */
#include "ir/linalg/parts.h"

enum { LANES = 32 };     /* factors of one product: below 2^(3 * 32) */

typedef struct float_format {
    cot_dtype bits;
    int bias, mantissa;
} float_format;

static float_format
format_of(const ir_build *b, ir_ref x)
{
    const bool wide = ir_part_type(ir_btype(b, x)->dtype) == COT_F64;

    return wide ? (float_format){ COT_I64, 1023, 52 } : (float_format){ COT_I32, 127, 23 };
}

static ir_ref
whole(ir_build *b, ir_ref like, int64_t k)
{
    return like ? ir_splat_int(b, ir_btype(b, like), k) : IR_NONE;
}

static ir_ref
between(ir_build *b, ir_ref e, int64_t low, int64_t high)
{
    ir_ref bound = whole(b, e, high);
    return ir_op2(b, OP_min, ir_op2(b, OP_max, e, whole(b, e, low)), bound);
}

ir_ref
ir_la_exponents(ir_build *b, ir_ref x)
{
    if (!x)
        return IR_NONE;
    const float_format f = format_of(b, x);
    ir_ref size = ir_la_size(b, x),
           bits = ir_node1(b, OP_bitcast, 1, &size, &(ir_attrs){ .dtype = { f.bits } });
    ir_ref e = ir_op2(b, OP_shr_logical, bits, whole(b, bits, f.mantissa));

    e = ir_op2(b, OP_min, e, whole(b, e, 2 * f.bias - 1)); /* 2^-e is normal */
    return ir_sub(b, e, whole(b, e, f.bias));
}

/* 2^e in the type of the parts of like; 1 - bias <= e <= bias. */
static ir_ref
power(ir_build *b, ir_ref e, ir_ref like)
{
    if (!e || !like)
        return IR_NONE;
    const float_format f = format_of(b, like);
    ir_ref places = whole(b, e, f.mantissa);
    ir_ref bits = ir_op2(b, OP_shl, ir_add(b, e, whole(b, e, f.bias)), places);

    return ir_node1(b, OP_bitcast, 1, &bits,
                    &(ir_attrs){ .dtype = { ir_part_type(ir_btype(b, like)->dtype) } });
}

ir_ref
ir_la_less(ir_build *b, ir_ref x, ir_ref e)
{
    return ir_mul(b, x, ir_la_fit_real(b, power(b, ir_neg(b, e), x), x));
}

ir_ref
ir_la_ldexp(ir_build *b, ir_ref x, ir_ref e)
{
    if (!x || !e)
        return IR_NONE;
    const float_format f = format_of(b, x);

    for (int i = 0; i < 3; i++) {
        ir_ref part = between(b, e, 1 - f.bias, f.bias);
        x = ir_mul(b, x, ir_la_fit_real(b, power(b, part, x), x));
        e = ir_sub(b, e, part);
    }
    return x;
}

/* x [batch, 1, n] as rows of LANES, with ones where it ends. */
static ir_ref
lanes(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_cols(b, x), rows = (n + LANES - 1) / LANES, low[3] = { 0, 0, 0 };

    if (!x)
        return IR_NONE;
    ir_ref one = ir_splat(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 0, NULL), 1);
    x = ir_pad(b, x, one, low, (const int64_t[]){ 0, 0, rows * LANES - n }, NULL);
    return ir_reshape(b, x, 3, (const int64_t[]){ ir_la_batch(b, x), rows, LANES });
}

static ir_ref
reduced(ir_build *b, ir_op op, ir_ref x, int axis, int64_t n)
{
    ir_ref y = x ? ir_reduce(b, op, x, ir_axes_of(axis)) : IR_NONE;

    return y ? ir_reshape(b, y, 3, (const int64_t[]){ ir_la_batch(b, x), 1, n }) : IR_NONE;
}

ir_la_power
ir_la_power_product(ir_build *b, ir_ref x)
{
    ir_la_power y = { x, IR_NONE };

    while (y.m) {
        const bool last = ir_la_cols(b, y.m) <= LANES;
        ir_ref e = ir_la_exponents(b, y.m), sum = reduced(b, OP_reduce_sum, e, 2, 1);
        y.e = y.e ? ir_add(b, y.e, sum) : sum;
        y.m = ir_la_less(b, y.m, e);
        y.m = last ? y.m : lanes(b, y.m);
        y.m = reduced(b, OP_reduce_prod, y.m, 2, ir_la_rows(b, y.m));
        if (last)
            break;
    }
    return y;
}
