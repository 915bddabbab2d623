/* Functions of elements under the names of NumPy: tests of NaN and infinities, remainders,
 * signs. */
#include <float.h>
#include <math.h>

#include "cotrace/numpy.h"

#include "frontend/trace.h"

static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

typedef ir_ref element(ir_build *b, ir_ref x, const void *options);

/* Of a complex number each part, of which `join` makes one. */
static ir_ref
by_parts(ir_build *b, ir_op join, element *f, ir_ref x, const void *o)
{
    if (!ir_is_complex(ir_btype(b, x)->dtype))
        return f(b, x, o);
    ir_ref re = f(b, ir_op1(b, OP_real, x), o), im = f(b, ir_op1(b, OP_imag, x), o);
    return ir_op2(b, join, re, im);
}

static ir_ref
never(ir_build *b, ir_ref x)
{
    return ir_zeros(b, ir_type_as(b->ctx, ir_btype(b, x), COT_BOOL));
}

static ir_ref
unequal_to_itself(ir_build *b, ir_ref x, const void *o)
{
    (void)o;
    return ir_op2(b, OP_ne, x, x);
}

static ir_ref
of_infinite_magnitude(ir_build *b, ir_ref x, const void *o)
{
    (void)o;
    return with(b, OP_eq, ir_op1(b, OP_abs, x), (double)INFINITY);
}

static ir_ref
is_nan(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    if (!ir_is_inexact(ir_btype(b, x[0].ref)->dtype))
        return never(b, x[0].ref);
    return by_parts(b, OP_or, unequal_to_itself, x[0].ref, o);
}

static ir_ref
is_inf(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    if (!ir_is_inexact(ir_btype(b, x[0].ref)->dtype))
        return never(b, x[0].ref);
    return by_parts(b, OP_or, of_infinite_magnitude, x[0].ref, o);
}

static double
largest(cot_dtype t)
{
    return t == COT_F16 ? 65504 : t == COT_BF16 ? 0x1.fep127 : t == COT_F32 ? FLT_MAX : DBL_MAX;
}

static ir_ref
made_finite(ir_build *b, ir_ref x, const void *options)
{
    const cot_nan_options *o = options;
    const double most = largest(ir_btype(b, x)->dtype);
    ir_ref high = ir_like(b, x, o->posinf == 0 ? most : o->posinf);
    ir_ref low = ir_like(b, x, o->neginf == 0 ? -most : o->neginf);
    ir_ref nan = ir_like(b, x, o->nan);
    ir_ref y = ir_select(b, with(b, OP_eq, x, (double)INFINITY), high, x);

    y = ir_select(b, with(b, OP_eq, x, -(double)INFINITY), low, y);
    return ir_select(b, ir_op2(b, OP_ne, x, x), nan, y);
}

static ir_ref
nan_to_num(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    if (!ir_is_inexact(ir_btype(b, x[0].ref)->dtype))
        return x[0].ref;
    return by_parts(b, OP_complex, made_finite, x[0].ref, o);
}

/* 10^r for integers r from 0 to 31: a product of powers of ten by the bits of r.  It is
 * exact as long as 5^r has no more bits than the significand. */
static ir_ref
power_of_ten(ir_build *b, ir_ref r)
{
    ir_ref p = IR_NONE;
    double ten = 10;

    for (int bit = 1; bit < 32; bit *= 2, ten *= ten) {
        ir_ref mask = ir_splat_int(b, ir_btype(b, r), bit);
        ir_ref set = with(b, OP_ne, ir_op2(b, OP_and, r, mask), 0);
        const ir_type *wide = ir_type_as(b->ctx, ir_btype(b, r), COT_F64);
        ir_ref yes = ir_splat(b, wide, ten), one = ir_splat(b, wide, 1);
        ir_ref factor = ir_select(b, set, yes, one);
        p = p ? ir_mul(b, p, factor) : factor;
    }
    return p;
}

/* The product log(x) / log(10) has two roundings.  Where the nearest integer r is the exact
 * answer, r - y, which is exact and not differentiated, is added. */
static ir_ref
log10_of(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const ir_type *t = ir_btype(b, x[0].ref);

    (void)n, (void)o;
    if (!ir_is_inexact(t->dtype)) {
        ir_build_fail(b, "log10", ERR_dtype_not, ir_type_str(b->ctx, t),
                      "a floating or complex type");
        return IR_NONE;
    }
    ir_ref w = fe_widen(b, x[0].ref);
    if (ir_is_complex(t->dtype)) {
        ir_ref z = ir_op1(b, OP_log, w);
        ir_ref re = with(b, OP_mul, ir_op1(b, OP_real, z), 0.43429448190325182765);
        ir_ref im = with(b, OP_mul, ir_op1(b, OP_imag, z), 0.43429448190325182765);
        return ir_op2(b, OP_complex, re, im);
    }
    ir_ref y = with(b, OP_mul, ir_op1(b, OP_log, w), 0.43429448190325182765);
    const double most = ir_btype(b, w)->dtype == COT_F64 ? 22 : 10;
    ir_ref zero = ir_like(b, y, 0);
    ir_ref held = ir_select(b, ir_op1(b, OP_is_finite, y), y, zero);
    ir_ref r = with(b, OP_max, with(b, OP_min, ir_op1(b, OP_round_even, held), most), 0);
    ir_ref power = power_of_ten(b, ir_convert(b, r, COT_I32));
    ir_ref exact = ir_op2(b, OP_eq, ir_convert(b, w, COT_F64), power);
    ir_ref miss = ir_select(b, exact, ir_sub(b, r, y), zero);
    return fe_narrow(b, ir_add(b, y, ir_op1(b, OP_stop_gradient, miss)), t->dtype);
}

static bool
two_numbers(ir_build *b, const char *op, const fe_arg *x, ir_ref *in)
{
    if (!fe_unify(b, op, 2, x, NULL, in))
        return false;
    const ir_type *t = ir_btype(b, in[0]);
    if (ir_is_int(t->dtype) || ir_is_float(t->dtype))
        return true;
    ir_build_fail(b, op, ERR_dtype_not, ir_type_str(b->ctx, t), "a real number");
    return false;
}

/* Does the remainder r, which has the sign of the dividend, lack the sign of y? */
static ir_ref
other_side(ir_build *b, ir_ref r, ir_ref y)
{
    ir_ref below = with(b, OP_lt, y, 0);
    ir_ref differs = ir_op2(b, OP_xor, with(b, OP_lt, r, 0), below);
    return ir_op2(b, OP_and, with(b, OP_ne, r, 0), differs);
}

static ir_ref
mod(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref in[2];

    (void)n, (void)o;
    if (!two_numbers(b, "mod", x, in))
        return IR_NONE;
    ir_ref r = ir_op2(b, OP_rem, in[0], in[1]);
    if (ir_is_unsigned(ir_btype(b, r)->dtype))
        return r;
    ir_ref moved = ir_add(b, r, in[1]);
    return ir_select(b, other_side(b, r, in[1]), moved, r);
}

/* Of integers the truncated quotient, one less where the remainder lies on the other side; of
 * floating numbers what is left without the remainder is a multiple of y, so its quotient is
 * an integer but for one rounding. */
static ir_ref
floor_divide(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref in[2];

    (void)n, (void)o;
    if (!two_numbers(b, "floor_divide", x, in))
        return IR_NONE;
    const cot_dtype t = ir_btype(b, in[0])->dtype;
    if (ir_is_unsigned(t))
        return ir_div(b, in[0], in[1]);
    const bool floating = ir_is_float(t);
    ir_ref u = fe_widen(b, in[0]), v = fe_widen(b, in[1]);
    ir_ref r = ir_op2(b, OP_rem, u, v);
    ir_ref q = ir_div(b, floating ? ir_sub(b, u, r) : u, v);
    ir_ref less = with(b, OP_sub, q, 1);
    q = ir_select(b, other_side(b, r, v), less, q);
    if (!floating)
        return q;
    ir_ref ratio = ir_div(b, u, v), whole = ir_op1(b, OP_round_even, q);
    whole = ir_select(b, with(b, OP_eq, q, 0), with(b, OP_mul, ratio, 0), whole);
    q = ir_select(b, with(b, OP_eq, v, 0), ratio, whole);
    return ir_op1(b, OP_stop_gradient, fe_narrow(b, q, t));
}

/* Is the sign bit set? */
static ir_ref
negative(ir_build *b, ir_ref x)
{
    static const cot_dtype same[] = {
        [1] = COT_I8, [2] = COT_I16, [4] = COT_I32, [8] = COT_I64
    };
    const ir_attrs at = { .dtype = { same[cot_dtype_size(ir_btype(b, x)->dtype)] } };
    return with(b, OP_lt, ir_node1(b, OP_bitcast, 1, &x, &at), 0);
}

static ir_ref
copysign_of(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref in[2];

    (void)n, (void)o;
    if (!fe_unify(b, "copysign", 2, x, NULL, in) ||
        !fe_is_float(b, "copysign", ir_btype(b, in[0])))
        return IR_NONE;
    ir_ref sign = negative(b, in[1]);
    ir_ref differs = ir_op2(b, OP_xor, negative(b, in[0]), sign);
    return ir_select(b, differs, ir_neg(b, in[0]), in[0]);
}

cot_value
cot_isnan_(cot_place at, cot_value x)
{
    return fe_apply1(at, "isnan", is_nan, x, NULL);
}

cot_value
cot_isinf_(cot_place at, cot_value x)
{
    return fe_apply1(at, "isinf", is_inf, x, NULL);
}

cot_value
cot_nan_to_num_(cot_place at, cot_value x, const cot_nan_options *o, size_t size)
{
    FE_OPTIONS(cot_nan_options, opt, o, size);
    return fe_apply1(at, "nan_to_num", nan_to_num, x, &opt);
}

cot_value
cot_log10_(cot_place at, cot_value x)
{
    return fe_apply1(at, "log10", log10_of, x, NULL);
}

cot_value
cot_mod_(cot_place at, cot_operand x, cot_operand y)
{
    return fe_apply(at, "mod", mod, 2, (const cot_operand[]){ x, y }, NULL);
}

cot_value
cot_floor_divide_(cot_place at, cot_operand x, cot_operand y)
{
    return fe_apply(at, "floor_divide", floor_divide, 2, (const cot_operand[]){ x, y }, NULL);
}

cot_value
cot_copysign_(cot_place at, cot_operand x, cot_operand y)
{
    return fe_apply(at, "copysign", copysign_of, 2, (const cot_operand[]){ x, y }, NULL);
}
