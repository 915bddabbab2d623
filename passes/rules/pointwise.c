/* Pointwise ops: jvp.
 *
 * A jvp rule multiplies the tangent by a partial derivative.  That is expressed by the result
 * where this is shorter (exp, tanh, logistic), so that the derivative needs no second
 * elementary function.  All factors without a tangent belong to the known half, which leaves
 * products, sums and selects for the linear half.
 *
 * At kinks the derivatives are those of torch.func: ties of max and min share evenly, abs has 0
 * at 0, clamp has 0 at its bounds. */
#include <float.h>
#include <math.h>

#include "passes/rules.h"

#define PI  3.14159265358979323846
#define LN2 0.693147180559945309417

/* x + c, with the constant in the type of x. */
static ir_ref
plus(ir_build *b, ir_ref x, double c)
{
    return ir_add(b, x, ir_like(b, x, c));
}

static ir_ref
times(ir_build *b, ir_ref x, double c)
{
    return ir_mul(b, x, ir_like(b, x, c));
}

static ir_ref
one_minus(ir_build *b, ir_ref x)
{
    return ir_sub(b, ir_like(b, x, 1), x);
}

/* (1 - x) (1 + x) rather than 1 - x^2, which loses digits near x = 1 and -1. */
static ir_ref
one_minus_square(ir_build *b, ir_ref x)
{
    ir_ref above = plus(b, x, 1);
    return ir_mul(b, one_minus(b, x), above);
}

static ir_ref
square(ir_build *b, ir_ref x)
{
    return ir_mul(b, x, x);
}

double
pass_largest(cot_dtype t)
{
    return t == COT_F64   ? DBL_MAX
           : t == COT_F32 ? (double)FLT_MAX
           : t == COT_F16 ? 65504
                          : 0x1.fep127;
}

/* x, or the largest number where x is infinite.  As a divisor its square is infinite, but in
 * derivatives of any order there is no 0 * inf or inf / inf. */
static ir_ref
bounded(ir_build *b, ir_ref x)
{
    ir_ref infinity = ir_like(b, x, (double)INFINITY), size = ir_op1(b, OP_abs, x);
    ir_ref most = ir_like(b, x, x ? pass_largest(ir_btype(b, x)->dtype) : 0);
    return ir_select(b, ir_op2(b, OP_eq, size, infinity), most, x);
}

static ir_ref
power(ir_build *b, ir_ref x, int64_t k)
{
    return k == 0 ? ir_like(b, x, 1) : k == 1 ? x : ir_integer_pow(b, x, k);
}

/* t c; c is IR_NONE where it is zero for every x. */
static ir_ref
times_partial(ir_build *b, ir_ref t, ir_ref c)
{
    return c ? tan_mul(b, t, c) : IR_NONE;
}

static bool
is_complex(const ir_graph *f, const ir_node *n)
{
    return ir_is_complex(ir_type_at(f, n->in[0])->dtype);
}

/* jvp: the families. */

void
jvp_zero(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)b, (void)f, (void)n, (void)in;
    y->tan = IR_NONE;
}

/* Applies the op to the tangents of its floating operands.  Where some are zero and the op
 * needs them (concatenate, scatter_add), they are arrays of zeros.  Other operands are
 * unchanged. */
void
jvp_linear(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    if (n->op == OP_add || n->op == OP_sub) {
        y->tan = n->op == OP_add ? tan_add(b, in[0].tan, in[1].tan)
                                 : tan_sub(b, in[0].tan, in[1].tan);
        return;
    }
    ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in);
    for (int i = 0; i < n->n_in; i++)
        operand[i] = in[i].tan                     ? in[i].tan
                     : ir_is_floating(f, n->in[i]) ? pass_zeros_like(b, ir_type_at(f, n->in[i]))
                                                   : in[i].val;
    y->tan = ir_node1(b, (ir_op)n->op, n->n_in, operand, n->at);
}

/* d f(x, y) = f(dx, y) + f(x, dy). */
void
jvp_bilinear(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref left = IR_NONE, right = IR_NONE;
    (void)f;
    if (in[0].tan)
        left = ir_node1(b, (ir_op)n->op, 2, (ir_ref[]){ in[0].tan, in[1].val }, n->at);
    if (in[1].tan)
        right = ir_node1(b, (ir_op)n->op, 2, (ir_ref[]){ in[0].val, in[1].tan }, n->at);
    y->tan = tan_add(b, left, right);
}

/* jvp: one operand.  `partial` is dy/dx, in terms of x and y. */
#define JVP_UNARY(name, partial)                                                               \
    void jvp_##name(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in,          \
                    dual *out)                                                                 \
    {                                                                                          \
        const ir_ref x = in->val, y = out->val;                                                \
        (void)f, (void)n, (void)x, (void)y;                                                    \
        out->tan = tan_mul(b, in->tan, partial);                                               \
    }
#define JVP_UNARY_OVER(name, divisor)                                                          \
    void jvp_##name(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in,          \
                    dual *out)                                                                 \
    {                                                                                          \
        const ir_ref x = in->val, y = out->val;                                                \
        (void)f, (void)n, (void)x, (void)y;                                                    \
        out->tan = tan_div(b, in->tan, divisor);                                               \
    }

JVP_UNARY(exp, y)
JVP_UNARY(exp2, times(b, y, LN2))
JVP_UNARY(expm1, plus(b, y, 1))
JVP_UNARY_OVER(log, x)
JVP_UNARY_OVER(log2, times(b, x, LN2))
JVP_UNARY_OVER(log1p, plus(b, x, 1))
JVP_UNARY_OVER(sqrt, ir_add(b, y, y))
JVP_UNARY(rsqrt, times(b, ir_mul(b, square(b, y), y), -0.5))
JVP_UNARY_OVER(cbrt, times(b, square(b, bounded(b, y)), 3))
JVP_UNARY(sin, ir_op1(b, OP_cos, x))
JVP_UNARY(cos, ir_neg(b, ir_op1(b, OP_sin, x)))
JVP_UNARY(tan, plus(b, square(b, y), 1))
JVP_UNARY_OVER(asin, ir_op1(b, OP_sqrt, one_minus_square(b, x)))
JVP_UNARY_OVER(acos, ir_neg(b, ir_op1(b, OP_sqrt, one_minus_square(b, x))))
JVP_UNARY(sinh, ir_op1(b, OP_cosh, x))
JVP_UNARY(cosh, ir_op1(b, OP_sinh, x))
JVP_UNARY(tanh, one_minus(b, square(b, y)))
JVP_UNARY_OVER(atanh, one_minus_square(b, x))
JVP_UNARY(logistic, ir_mul(b, y, one_minus(b, y)))

static ir_ref
atan_divisor(ir_build *b, ir_ref x)
{
    if (x && !ir_is_complex(ir_btype(b, x)->dtype))
        x = bounded(b, x);
    return plus(b, square(b, x), 1);
}
JVP_UNARY_OVER(atan, atan_divisor(b, x))

/* c e^(-x^2). |x| is limited to 28, where this is 0 in f64.  So its derivatives are 0 too,
 * which would otherwise be 0 * inf at an infinity. */
static ir_ref
bell(ir_build *b, ir_ref x, double c)
{
    ir_ref edge = ir_like(b, x, 28);
    ir_ref near = ir_select(b, ir_op2(b, OP_gt, ir_op1(b, OP_abs, x), edge), edge, x);
    return times(b, ir_op1(b, OP_exp, ir_neg(b, square(b, near))), c);
}
JVP_UNARY(erf, bell(b, x, 1.12837916709551257390))
JVP_UNARY(erfc, bell(b, x, -1.12837916709551257390))

/* sqrt(x^2 + 1), for real x without overflow. */
static ir_ref
asinh_divisor(ir_build *b, ir_ref x)
{
    if (x && ir_is_complex(ir_btype(b, x)->dtype))
        return ir_op1(b, OP_sqrt, plus(b, square(b, x), 1));
    return ir_op2(b, OP_hypot, x, ir_like(b, x, 1));
}
JVP_UNARY_OVER(asinh, asinh_divisor(b, x))

/* The product of the roots of both factors: the product of the factors may overflow, and for
 * complex x its root may be the other one.  At an infinity the divisor is a constant, since
 * derivatives of infinite roots would be 0 * inf. */
static ir_ref
acosh_divisor(ir_build *b, ir_ref x)
{
    ir_ref far = IR_NONE, infinity = IR_NONE;
    if (x && !ir_is_complex(ir_btype(b, x)->dtype)) {
        infinity = ir_like(b, x, (double)INFINITY);
        far = ir_op2(b, OP_eq, x, infinity);
        x = ir_select(b, far, ir_like(b, x, 2), x);
    }
    ir_ref above = ir_op1(b, OP_sqrt, plus(b, x, 1));
    ir_ref y = ir_mul(b, ir_op1(b, OP_sqrt, plus(b, x, -1)), above);
    return far ? ir_select(b, far, infinity, y) : y;
}
JVP_UNARY_OVER(acosh, acosh_divisor(b, x))

/* Re(conj(s) dz), for complex s and dz. */
static ir_ref
along(ir_build *b, ir_ref s, ir_ref dz)
{
    ir_ref im = ir_op1(b, OP_imag, dz);
    ir_ref product = ir_mul(b, ir_op1(b, OP_imag, s), im);
    ir_ref re = ir_op1(b, OP_real, dz);
    return ir_add(b, ir_mul(b, ir_op1(b, OP_real, s), re), product);
}

/* d|x| = s dx with s = sign x; for complex numbers Re(conj(s) dz). */
void
jvp_abs(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref s = ir_op1(b, OP_sign, in->val);
    y->tan = is_complex(f, n) ? along(b, s, in->tan) : tan_mul(b, in->tan, s);
}

/* d(z/|z|) = (dz - s Re(conj(s) dz)) / |z|, and 0 at 0; for real numbers 0. */
void
jvp_sign(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    if (!is_complex(f, n))
        return;
    const ir_ref s = y->val, size = ir_op1(b, OP_abs, in->val);
    ir_ref infinity = ir_like(b, size, INFINITY);
    ir_ref over = ir_select(b, ir_op2(b, OP_eq, size, ir_like(b, size, 0)), infinity, size);
    ir_ref part = along(b, s, in->tan);
    ir_ref product = ir_mul(b, ir_op1(b, OP_real, s), part);
    ir_ref re = ir_sub(b, ir_op1(b, OP_real, in->tan), product);
    ir_ref right = ir_mul(b, ir_op1(b, OP_imag, s), part);
    ir_ref im = ir_sub(b, ir_op1(b, OP_imag, in->tan), right);
    ir_ref quotient = ir_div(b, im, over);
    y->tan = ir_op2(b, OP_complex, ir_div(b, re, over), quotient);
}

/* d x^k = k x^(k-1) dx. */
void
jvp_integer_pow(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const int64_t k = n->at->ipow.y;
    (void)f;
    y->tan = k == 0   ? IR_NONE
             : k == 1 ? in->tan
                      : tan_mul(b, in->tan, times(b, power(b, in->val, k - 1), (double)k));
}

void
jvp_convert(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f;
    y->tan = ir_is_inexact(n->at->dtype.dtype) ? ir_convert(b, in->tan, n->at->dtype.dtype)
                                               : IR_NONE;
}

void
jvp_complex(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    ir_ref zero = in[1].tan ? in[1].tan : ir_like(b, in[0].tan, 0);
    y->tan = ir_op2(b, OP_complex, in[0].tan ? in[0].tan : ir_like(b, in[1].tan, 0), zero);
}

/* jvp: two operands. */

/* d(x/y) = (dx - (x/y) dy) / y, with the quotient already computed. */
void
jvp_div(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    ir_ref top = tan_sub(b, in[0].tan, tan_mul(b, in[1].tan, y->val));
    y->tan = tan_div(b, top, in[1].val);
}

/* d(x - q y) = dx - q dy, with the integer q = (x - r) / y.  The quotient is rounded, since the
 * division may differ from the integer by an ulp. */
void
jvp_rem(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref q = IR_NONE;
    (void)f, (void)n;
    if (in[1].tan)
        q = ir_op1(b, OP_round_even, ir_div(b, ir_sub(b, in[0].val, y->val), in[1].val));
    y->tan = tan_sub(b, in[0].tan, tan_mul(b, in[1].tan, q));
}

/* x^p is 1 at p = 0 for every x, including 0, and 0 at x = 0 for every p > 0, where the plain
 * formulas give 0 * inf.  The operand is replaced by another one there, not the product, so
 * that higher derivatives are right as well.
 *
 *   d/dx = p x^(p-1), with x^0 for p = x = 0, and the largest factor for an infinite p, for
 *          which x^(p-1) may be 0;
 *   d/dp = x^p log x, with log 1 for x = 0, p >= 0 and for x infinite, p < 0. */
static ir_ref
clamped(ir_build *b, ir_ref p)
{
    const cot_dtype t = p ? ir_btype(b, p)->dtype : COT_F64;

    if (!p || ir_is_complex(t))
        return p;
    ir_ref high = ir_like(b, p, pass_largest(t));
    return ir_op3(b, OP_clamp, ir_like(b, p, -pass_largest(t)), p, high);
}

static ir_ref
pow_by_base(ir_build *b, ir_ref x, ir_ref p)
{
    enum { SHORT = 64 }; /* the largest exponent for repeated squaring */
    double c;
    const bool constant = ir_is_splat(b, p, &c);
    if (constant && c == 0)
        return IR_NONE;
    if (constant && c == trunc(c) && fabs(c) <= SHORT)
        return ir_mul(b, p, power(b, x, (int64_t)c - 1));
    ir_ref factor = constant && !isinf(c) ? p : clamped(b, p);
    if (constant)
        return ir_mul(b, factor, ir_op2(b, OP_pow, x, plus(b, p, -1)));
    ir_ref zero = ir_like(b, p, 0);
    ir_ref equal = ir_op2(b, OP_eq, x, zero);
    ir_ref both = ir_op2(b, OP_and, ir_op2(b, OP_eq, p, zero), equal);
    ir_ref q = ir_select(b, both, ir_like(b, p, 1), p);
    return ir_mul(b, factor, ir_op2(b, OP_pow, x, plus(b, q, -1)));
}

static ir_ref
pow_by_exponent(ir_build *b, ir_ref x, ir_ref p, ir_ref y)
{
    ir_ref zero = ir_like(b, x, 0), size = p;
    if (p && ir_is_complex(ir_btype(b, p)->dtype))
        size = ir_op1(b, OP_real, p);
    ir_ref at_least = ir_op2(b, OP_ge, size, ir_like(b, size, 0));
    ir_ref origin = ir_op2(b, OP_eq, x, zero), flat = IR_NONE;
    if (x && ir_is_complex(ir_btype(b, x)->dtype))
        flat = ir_op2(b, OP_and, origin, at_least);
    else
        flat = ir_select(b, at_least, origin,
                         ir_op2(b, OP_eq, x, ir_like(b, x, (double)INFINITY)));
    ir_ref safe = ir_select(b, flat, ir_like(b, x, 1), x);
    return ir_mul(b, y, ir_op1(b, OP_log, safe));
}

void
jvp_pow(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref by_base = IR_NONE, by_exponent = IR_NONE;
    (void)f, (void)n;
    if (in[0].tan)
        by_base = times_partial(b, in[0].tan, pow_by_base(b, in[0].val, in[1].val));
    if (in[1].tan)
        by_exponent = tan_mul(b, in[1].tan, pow_by_exponent(b, in[0].val, in[1].val, y->val));
    y->tan = tan_add(b, by_base, by_exponent);
}

/* d atan2(y, x) = (x dy - y dx) / (x^2 + y^2), divided twice by the root of the sum, which does
 * not underflow.  If an operand is infinite, the dividends are 1 and the derivatives 0.
 * Operand 0 is y. */
void
jvp_atan2(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *out)
{
    const ir_ref y = in[0].val, x = in[1].val;
    (void)f, (void)n;
    ir_ref h = ir_op2(b, OP_hypot, x, y), one = ir_like(b, h, 1), by_y = IR_NONE,
           by_x = IR_NONE;
    ir_ref width = ir_op1(b, OP_abs, x), height = ir_op1(b, OP_abs, y);
    /* NaN if either is NaN, where h may be infinite. */
    ir_ref size = ir_op2(b, OP_max, width, height);
    ir_ref far = ir_op2(b, OP_eq, size, ir_like(b, h, (double)INFINITY));
    if (in[0].tan)
        by_y = tan_mul(b, in[0].tan, ir_div(b, ir_div(b, ir_select(b, far, one, x), h), h));
    if (in[1].tan)
        by_x = tan_mul(b, in[1].tan, ir_div(b, ir_div(b, ir_select(b, far, one, y), h), h));
    out->tan = tan_sub(b, by_y, by_x);
}

/* The tangent of the selected operand; half of the sum of both if they are equal, and NaN times
 * the sum if the result is NaN. These are selects and not weights, since an infinite tangent of
 * the other operand must not matter. */
static void
jvp_extremum(ir_build *b, ir_op y_wins, const dual *in, dual *y)
{
    const ir_ref x0 = in[0].val, x1 = in[1].val;
    ir_ref number = ir_op2(b, OP_eq, y->val, y->val);
    ir_ref weight = ir_select(b, number, ir_like(b, y->val, 0.5), y->val);
    ir_ref both = tan_mul(b, tan_add(b, in[0].tan, in[1].tan), weight);
    ir_ref first = tan_select(b, ir_op2(b, y_wins, x1, x0), in[0].tan, both);
    y->tan = tan_select(b, ir_op2(b, y_wins, x0, x1), in[1].tan, first);
}

void
jvp_max(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    jvp_extremum(b, OP_lt, in, y);
}

void
jvp_min(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    jvp_extremum(b, OP_gt, in, y);
}

/* jvp: three operands. */

/* d(x y + z) = y dx + x dy + dz. */
void
jvp_fma(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    ir_ref right = tan_mul(b, in[1].tan, in[0].val);
    ir_ref product = tan_add(b, tan_mul(b, in[0].tan, in[1].val), right);
    y->tan = tan_add(b, product, in[2].tan);
}

void
jvp_select(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    y->tan = tan_select(b, in[0].val, in[1].tan, in[2].tan);
}

/* clamp(lo, x, hi) is x strictly inside, lo where x <= lo < hi, hi elsewhere. */
void
jvp_clamp(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref lo = in[0].val, x = in[1].val, hi = in[2].val;
    ir_ref t = IR_NONE;
    (void)f, (void)n;
    if (in[1].tan) {
        ir_ref less = ir_op2(b, OP_lt, x, hi);
        ir_ref inside = ir_op2(b, OP_and, ir_op2(b, OP_lt, lo, x), less);
        t = tan_select(b, inside, in[1].tan, IR_NONE);
    }
    if (in[0].tan) {
        ir_ref right = ir_op2(b, OP_lt, lo, hi);
        ir_ref below = ir_op2(b, OP_and, ir_op2(b, OP_le, x, lo), right);
        t = tan_add(b, t, tan_select(b, below, in[0].tan, IR_NONE));
    }
    if (in[2].tan) {
        ir_ref at_least = ir_op2(b, OP_ge, lo, hi);
        ir_ref above = ir_op2(b, OP_or, ir_op2(b, OP_ge, x, hi), at_least);
        t = tan_add(b, t, tan_select(b, above, in[2].tan, IR_NONE));
    }
    y->tan = t;
}
