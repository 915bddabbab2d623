/* Special functions that are composed of others.
 *
 * Where a factor would be infinite, its operand is replaced by a harmless one, rather than the
 * product by a select: so values and derivatives of every order are those of the function. */
#include "cotrace/special.h"

#include <float.h>
#include <math.h>

#include "frontend/trace.h"

#define PI 3.14159265358979323846

static bool
floating(ir_build *b, const char *op, ir_ref x)
{
    return x && fe_is_float(b, op, ir_btype(b, x));
}

/* x op k. */
static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

/* A function of one widened operand. */
typedef ir_ref unary(ir_build *b, ir_ref x);

typedef struct named { const char *name; unary *f; } named;

static ir_ref
apply_unary(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const named *f = o;

    (void)n;
    if (!floating(b, f->name, x[0].ref))
        return IR_NONE;
    ir_ref y = f->f(b, fe_widen(b, x[0].ref));
    return y ? fe_narrow(b, y, ir_btype(b, x[0].ref)->dtype) : IR_NONE;
}

static ir_ref
is_infinite(ir_build *b, ir_ref x)
{
    return with(b, OP_eq, ir_op1(b, OP_abs, x), (double)INFINITY);
}

/* At 0 the logarithm is the least finite number: 0 times it is 0, and the derivative is large,
 * not NaN.  At infinity it is an infinite number, since x log'(x) would be inf * 0.  Where a
 * formula is not the one chosen its operand is 1. */
static ir_ref
entr(ir_build *b, ir_ref x)
{
    double least = ir_btype(b, x)->dtype == COT_F64 ? -DBL_MAX : -(double)FLT_MAX;
    ir_ref zero = with(b, OP_eq, x, 0), infinite = is_infinite(b, x), one = ir_like(b, x, 1);
    ir_ref low = with(b, OP_le, x, 0), near = ir_select(b, infinite, one, x);
    ir_ref log = ir_op1(b, OP_log, ir_select(b, low, one, near));

    log = ir_select(b, zero, ir_like(b, x, least), log);
    ir_ref slope = ir_select(b, infinite, ir_like(b, x, (double)INFINITY), one);
    ir_ref far = ir_mul(b, ir_select(b, infinite, x, one), slope);
    ir_ref negative = ir_neg(b, ir_select(b, infinite, far, ir_mul(b, near, log)));
    ir_ref then = ir_like(b, x, (double)-INFINITY);
    return ir_select(b, with(b, OP_lt, x, 0), then, negative);
}

static ir_ref
logit(ir_build *b, ir_ref x)
{
    ir_ref logarithm = ir_op1(b, OP_log1p, ir_neg(b, x));
    return ir_sub(b, ir_op1(b, OP_log, x), logarithm);
}

/* Below 1/2 the series, above sin(pi r) / (pi x) with r = x less an even number. */
static ir_ref
sinc(ir_build *b, ir_ref x)
{
    ir_ref infinite = is_infinite(b, x), one = ir_like(b, x, 1);
    x = ir_select(b, infinite, ir_like(b, x, 0), x);
    ir_ref near = with(b, OP_lt, ir_op1(b, OP_abs, x), 0.5);
    ir_ref small = ir_select(b, near, x, ir_like(b, x, 0)), large = ir_select(b, near, one, x);
    ir_ref z = ir_mul(b, small, small),
           even = ir_op1(b, OP_round_even, with(b, OP_mul, large, 0.5));
    ir_ref r = ir_sub(b, large, ir_add(b, even, even));
    double c[12] = { 1 };

    for (int k = 1; k < 12; k++)
        c[k] = -c[k - 1] * (PI * PI) / ((2 * k) * (2 * k + 1));
    ir_ref y = ir_like(b, x, c[11]);
    for (int k = 10; k >= 0; k--)
        y = ir_op3(b, OP_fma, y, z, ir_like(b, x, c[k]));
    ir_ref right = with(b, OP_mul, large, PI);
    ir_ref far = ir_div(b, ir_op1(b, OP_sin, with(b, OP_mul, r, PI)), right);
    return ir_select(b, infinite, ir_like(b, x, 0), ir_select(b, near, y, far));
}

/* I_n(x), n = 0 or 1: below 1 x^n times the series sum over k of (x^2 / 4)^k / (2^n k! (k +
 * n)!), of which all derivatives are right at 0, where those of the factors of the scaled
 * function have kinks that cancel; above, the scaled function times e^|x|. */
static ir_ref
bessel(ir_build *b, ir_op scaled, ir_ref x, int n)
{
    enum { TERMS = 12 };
    ir_ref near = with(b, OP_lt, ir_op1(b, OP_abs, x), 1), one = ir_like(b, x, 1);
    ir_ref small = ir_select(b, near, x, ir_like(b, x, 0)), large = ir_select(b, near, one, x);
    ir_ref z = ir_mul(b, small, small), power = ir_op1(b, OP_exp, ir_op1(b, OP_abs, large));
    double c[TERMS] = { n == 0 ? 1 : 0.5 };

    for (int k = 1; k < TERMS; k++)
        c[k] = c[k - 1] / (4.0 * k * (k + n));
    ir_ref sum = ir_like(b, x, c[TERMS - 1]);
    for (int k = TERMS - 2; k >= 0; k--)
        sum = ir_op3(b, OP_fma, sum, z, ir_like(b, x, c[k]));
    sum = n == 0 ? sum : ir_mul(b, small, sum);
    return ir_select(b, near, sum, ir_mul(b, ir_op1(b, scaled, large), power));
}

static ir_ref
bessel_i0(ir_build *b, ir_ref x)
{
    return bessel(b, OP_bessel_i0e, x, 0);
}

static ir_ref
bessel_i1(ir_build *b, ir_ref x)
{
    return bessel(b, OP_bessel_i1e, x, 1);
}

/* The same of two, which broadcast and promote. */
typedef ir_ref binary(ir_build *b, ir_ref x, ir_ref y);

typedef struct named2 { const char *name; binary *f; } named2;

static ir_ref
apply_binary(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const named2 *f = o;
    ir_ref in[2];

    if (!fe_unify(b, f->name, n, x, NULL, in) || !floating(b, f->name, in[0]))
        return IR_NONE;
    ir_ref widened = fe_widen(b, in[1]);
    ir_ref y = f->f(b, fe_widen(b, in[0]), widened);
    return y ? fe_narrow(b, y, ir_btype(b, in[0])->dtype) : IR_NONE;
}

/* x log(y) with y made `harmless`, whose logarithm is 0, where x is 0 and log y is not
 * finite. */
static ir_ref
product(ir_build *b, ir_op log, ir_ref x, ir_ref y, double least, double harmless)
{
    ir_ref equal = with(b, OP_eq, y, (double)INFINITY);
    ir_ref outside = ir_op2(b, OP_or, with(b, OP_le, y, least), equal);
    ir_ref both = ir_op2(b, OP_and, with(b, OP_eq, x, 0), outside);

    return ir_mul(b, x, ir_op1(b, log, ir_select(b, both, ir_like(b, y, harmless), y)));
}

static ir_ref
xlogy(ir_build *b, ir_ref x, ir_ref y)
{
    return product(b, OP_log, x, y, 0, 1);
}

static ir_ref
xlog1py(ir_build *b, ir_ref x, ir_ref y)
{
    return product(b, OP_log1p, x, y, -1, 0);
}

/* m + log1p(2^(l - m)) / log 2 with the larger m and the smaller l, which is a smooth
 * function of both: either is the larger at a tie, and takes its own tangent.  Equal
 * infinities differ by 0. */
static ir_ref
logaddexp2(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref more = ir_op2(b, OP_ge, x, y), m = ir_select(b, more, x, y),
           l = ir_select(b, more, y, x);
    ir_ref infinite = ir_op1(b, OP_not, ir_op1(b, OP_is_finite, x));
    ir_ref same = ir_op2(b, OP_and, ir_op2(b, OP_eq, x, y), infinite);
    ir_ref difference = ir_sub(b, l, m);
    ir_ref d = ir_select(b, same, ir_like(b, x, 0), difference);
    ir_ref rest = ir_op1(b, OP_log1p, ir_op1(b, OP_exp2, d));

    return ir_add(b, m, with(b, OP_mul, rest, 1.44269504088896340736));
}

static ir_ref
beta(ir_build *b, ir_ref x, ir_ref y)
{
    return ir_op1(b, OP_exp, ir_op2(b, OP_lbeta, x, y));
}

static ir_ref
betainc(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref in[3];

    (void)o;
    if (!fe_unify(b, "betainc", n, x, NULL, in) || !floating(b, "betainc", in[0]))
        return IR_NONE;
    return ir_op3(b, OP_betainc, in[0], in[1], in[2]);
}

/* 2^n for n in the range of normal numbers, as a constant of derivatives: its bits. */
static ir_ref
two_to(ir_build *b, ir_ref n, cot_dtype t)
{
    const bool w = t == COT_F64;
    ir_attrs at = { .dtype = { t } };
    ir_ref biased = ir_add(b, n, ir_splat_int(b, ir_btype(b, n), w ? 1023 : 127));
    ir_ref bits = ir_op2(b, OP_shl, biased, ir_splat_int(b, ir_btype(b, n), w ? 52 : 23));

    return ir_node1(b, OP_bitcast, 1, &bits, &at);
}

static ir_ref
between(ir_build *b, ir_ref n, int64_t lo, int64_t hi)
{
    const ir_type *t = ir_btype(b, n);

    ir_ref bound = ir_splat_int(b, t, hi);
    return ir_op3(b, OP_clamp, ir_splat_int(b, t, lo), n, bound);
}

/* x 2^n by three factors, the one nearest to the end of the range last: what comes before it is
 * exact, unless the result is zero or infinite.  x is f32 or f64, n an integer as wide. */
static ir_ref
scaled(ir_build *b, ir_ref x, ir_ref n)
{
    const cot_dtype t = ir_btype(b, x)->dtype;
    const int hi = t == COT_F64 ? 1023 : 127, lo = 1 - hi;
    ir_ref part[3], left = between(b, n, 3 * lo, 3 * hi);

    for (int i = 0; i < 3; i++) {
        part[i] = between(b, left, lo, hi);
        left = ir_sub(b, left, part[i]);
    }
    for (int i = 2; i >= 0; i--)
        x = ir_mul(b, x, two_to(b, part[i], t));
    return x;
}

/* n in a signed type as wide as t; what does not fit saturates, far beyond the range of
 * exponents. */
static ir_ref
exponent_as(ir_build *b, ir_ref n, cot_dtype t)
{
    const ir_type *nt = ir_btype(b, n);
    const cot_dtype wide = t == COT_F64 ? COT_I64 : COT_I32;

    if (ir_bits(nt->dtype) >= ir_bits(wide))
        n = ir_is_signed(nt->dtype) ? between(b, n, -10000, 10000)
                                    : ir_op2(b, OP_min, n, ir_splat_int(b, nt, 10000));
    return ir_convert(b, n, wide);
}

static ir_ref
ldexp_of(ir_build *b, const fe_arg *x, int n, const void *o)
{
    static const bool data[2] = { true, false };
    const ir_type *t;
    ir_ref in[2];
    fe_arg y[2] = { x[0], x[1] };

    (void)o;
    if (y[1].kind != COT_IS_VALUE)
        y[1].ref = fe_number(b, "ldexp", &y[1], ir_scalar_type(b->ctx, COT_I32));
    y[1].kind = COT_IS_VALUE;
    if (!y[1].ref || !fe_unify(b, "ldexp", n, y, data, in) || !floating(b, "ldexp", in[0]))
        return IR_NONE;
    t = ir_btype(b, in[1]);
    if (!ir_is_int(t->dtype)) {
        ir_build_fail(b, "ldexp", ERR_dtype_not, ir_type_str(b->ctx, t), "an integer");
        return IR_NONE;
    }
    ir_ref w = fe_widen(b, in[0]);
    return fe_narrow(b, scaled(b, w, exponent_as(b, in[1], ir_btype(b, w)->dtype)),
                     ir_btype(b, in[0])->dtype);
}

/* n of x = m 2^n, 1/2 <= |m| < 1, in an integer as wide as x; subnormal numbers are scaled
 * first. */
static ir_ref
exponent_of(ir_build *b, ir_ref x)
{
    const bool w = ir_btype(b, x)->dtype == COT_F64;
    const int up = w ? 54 : 25, bias = w ? 1022 : 126;
    ir_attrs at = { .dtype = { w ? COT_I64 : COT_I32 } };
    ir_ref a = ir_op1(b, OP_abs, x), tiny = with(b, OP_lt, a, w ? 0x1p-1022 : 0x1p-126);
    ir_ref normal = ir_select(b, tiny, with(b, OP_mul, a, ldexp(1, up)), a);
    ir_ref bits = ir_node1(b, OP_bitcast, 1, &normal, &at);

    if (!bits)
        return IR_NONE;
    const ir_type *t = ir_btype(b, bits);
    ir_ref e = ir_op2(b, OP_shr_logical, bits, ir_splat_int(b, t, w ? 52 : 23));
    ir_ref otherwise = ir_splat_int(b, t, bias);
    ir_ref less = ir_select(b, tiny, ir_splat_int(b, t, bias + up), otherwise);
    ir_ref unequal = with(b, OP_ne, x, 0);
    ir_ref usual = ir_op2(b, OP_and, ir_op1(b, OP_is_finite, x), unequal);
    ir_ref zero = ir_splat_int(b, t, 0);
    return ir_select(b, usual, ir_sub(b, e, less), zero);
}

static ir_ref
fraction(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n, (void)o;
    if (!floating(b, "frexp", x[0].ref))
        return IR_NONE;
    ir_ref w = fe_widen(b, x[0].ref);
    ir_ref e = exponent_of(b, w);
    return e ? fe_narrow(b, scaled(b, w, ir_neg(b, e)), ir_btype(b, x[0].ref)->dtype) : IR_NONE;
}

static ir_ref
exponent(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n, (void)o;
    if (!floating(b, "frexp", x[0].ref))
        return IR_NONE;
    ir_ref e = exponent_of(b, fe_widen(b, x[0].ref));
    return e ? ir_convert(b, e, COT_I32) : IR_NONE;
}

static ir_ref
multigammaln(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const int d = *(const int *)o;

    (void)n;
    if (!floating(b, "multigammaln", x[0].ref))
        return IR_NONE;
    if (d < 1) {
        ir_build_fail(b, "multigammaln", ERR_attr_wrong,
                      ir_format(b->arena, "d is %d; wants 1 or more", d));
        return IR_NONE;
    }
    ir_ref w = fe_widen(b, x[0].ref), y = ir_like(b, w, 0.25 * d * (d - 1) * log(PI));
    for (int i = 0; i < d; i++)
        y = ir_add(b, y, ir_op1(b, OP_lgamma, with(b, OP_sub, w, 0.5 * i)));
    return y ? fe_narrow(b, y, ir_btype(b, x[0].ref)->dtype) : IR_NONE;
}

static ir_ref
precision(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return ir_node1(b, OP_reduce_precision, 1, &x[0].ref, o);
}

#define FE_UNARY(name)                                                                         \
    cot_value cot_##name##_(cot_place at, cot_value x)                                         \
    {                                                                                          \
        return fe_apply1(at, #name, apply_unary, x, &(const named){ #name, name });            \
    }
#define FE_BINARY(name)                                                                        \
    cot_value cot_##name##_(cot_place at, cot_operand x, cot_operand y)                        \
    {                                                                                          \
        return fe_apply(at, #name, apply_binary, 2, (const cot_operand[]){ x, y },             \
                        &(const named2){ #name, name });                                       \
    }
FE_UNARY(entr)
FE_UNARY(logit)
FE_UNARY(sinc)
FE_UNARY(bessel_i0)
FE_UNARY(bessel_i1)
FE_BINARY(xlogy)
FE_BINARY(xlog1py)
FE_BINARY(logaddexp2)
FE_BINARY(beta)

cot_value
cot_ldexp_(cot_place at, cot_operand x, cot_operand n)
{
    return fe_apply(at, "ldexp", ldexp_of, 2, (const cot_operand[]){ x, n }, NULL);
}

cot_value
cot_frexp_(cot_place at, cot_value x, cot_value *n)
{
    if (n)
        *n = fe_apply1(at, "frexp", exponent, x, NULL);
    return fe_apply1(at, "frexp", fraction, x, NULL);
}

cot_value
cot_betainc_(cot_place at, cot_operand a, cot_operand b, cot_operand x)
{
    return fe_apply(at, "betainc", betainc, 3, (const cot_operand[]){ a, b, x }, NULL);
}

cot_value
cot_multigammaln_(cot_place at, cot_value x, int d)
{
    return fe_apply1(at, "multigammaln", multigammaln, x, &d);
}

cot_value
cot_reduce_precision_(cot_place at, cot_value x, int exponent_bits, int mantissa_bits)
{
    return fe_apply1(at, "reduce_precision", precision, x,
                     &(const ir_attrs){ .precision = { exponent_bits, mantissa_bits } });
}
