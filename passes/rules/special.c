/* Special functions: jvp.  As in pointwise.c a rule multiplies the tangent by a partial
 * derivative, which is expressed by the result where that is shorter.  Derivatives with respect
 * to the order of polygamma and zeta are not defined, as in JAX: they are an error rather than
 * zero. */
#include <math.h>

#include "passes/rules.h"

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
square(ir_build *b, ir_ref x)
{
    return ir_mul(b, x, x);
}

/* c e^(k x^2).  If k < 0, |x| is limited to 39: e^(-39^2 / 2) is 0 in f64.  So its derivatives
 * are 0 too, which would otherwise be 0 * inf at an infinity. */
static ir_ref
bell(ir_build *b, ir_ref x, double k, double c)
{
    if (k < 0) {
        ir_ref edge = ir_like(b, x, 39);
        x = ir_select(b, ir_op2(b, OP_gt, ir_op1(b, OP_abs, x), edge), edge, x);
    }
    ir_ref s = square(b, x);
    ir_ref e = ir_op1(b, OP_exp, k == -1 ? ir_neg(b, s) : k == 1 ? s : times(b, s, k));

    return times(b, e, c);
}

/* phi(t) / (1 - Phi(t)) - t for large t, by Laplace's continued fraction 1 / (t + 2 / (t + 3 /
 * (t + ...))): all terms are positive, so derivatives do not cancel.  Source: M. Abramowitz, I.
 * Stegun, Handbook of Mathematical Functions, 26.2.14. */
static ir_ref
mills_excess(ir_build *b, ir_ref t, int depth)
{
    ir_ref y = ir_div(b, ir_like(b, t, depth), t);

    for (int k = depth - 1; k > 0; k--) {
        ir_ref below = ir_add(b, t, y);
        y = ir_div(b, ir_like(b, t, k), below);
    }
    return y;
}

/* phi(x) / Phi(x), in three ranges: below -14 the continued fraction; up to 0 sqrt(2 / pi) /
 * erfcx(-x / sqrt 2), in which nothing cancels; above 0 the quotient itself.  Each method gets
 * an operand in its own range, so that it is finite where another one is selected. */
static ir_ref
inverse_mills(ir_build *b, ir_ref x)
{
    enum { FAR = 14, DEPTH = 10 };
    ir_ref zero = ir_like(b, x, 0), far_x = ir_like(b, x, -FAR);
    ir_ref far = ir_op2(b, OP_lt, x, far_x), left = ir_op2(b, OP_lt, x, zero);
    ir_ref t = ir_neg(b, ir_select(b, far, x, far_x));
    ir_ref tail = ir_add(b, t, mills_excess(b, t, DEPTH));
    ir_ref near = ir_select(b, left, ir_select(b, far, far_x, x), zero);
    ir_ref scaled = ir_op1(b, OP_erfcx, times(b, near, -0.70710678118654752440));
    ir_ref middle = ir_div(b, ir_like(b, x, 0.79788456080286535588), scaled);
    ir_ref right = ir_select(b, left, zero, x);
    ir_ref density = bell(b, right, -0.5, 0.39894228040143267794);
    ir_ref usual = ir_div(b, density, ir_op1(b, OP_ndtr, right));

    return ir_select(b, far, tail, ir_select(b, left, middle, usual));
}

/* 2 x y - 2 / sqrt(pi), and where these cancel -sqrt(2) y K(x sqrt 2), with K as above.
 * Between 1 and the limit up to a factor of 20 in accuracy is lost as well, but there the
 * fraction would take 100 divisions. */
static ir_ref
erfcx_slope(ir_build *b, ir_ref x, ir_ref y)
{
    enum { FAR = 5, DEPTH = 32, SHORT_DEPTH = 14 };
    const int depth = y && ir_btype(b, y)->dtype == COT_F64 ? DEPTH : SHORT_DEPTH;
    ir_ref t = times(b, x, 1.41421356237309504880), edge = ir_like(b, x, FAR);
    ir_ref far = ir_op2(b, OP_gt, t, edge);
    ir_ref excess = mills_excess(b, ir_select(b, far, t, edge), depth);
    ir_ref tail = times(b, ir_mul(b, y, excess), -1.41421356237309504880);
    ir_ref near = ir_select(b, far, ir_like(b, x, 0), x);
    ir_ref usual = plus(b, times(b, ir_mul(b, near, y), 2), -1.12837916709551257390);

    return ir_select(b, far, tail, usual);
}

/* op(x) - sign(x) y */
static ir_ref
less_signed(ir_build *b, ir_op op, ir_ref x, ir_ref y)
{
    ir_ref product = ir_mul(b, ir_op1(b, OP_sign, x), y);

    return ir_sub(b, ir_op1(b, op, x), product);
}

#define JVP_SPECIAL(name, partial)                                                             \
    void jvp_##name(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in,          \
                    dual *out)                                                                 \
    {                                                                                          \
        const ir_ref x = in->val, y = out->val;                                                \
        (void)f, (void)n, (void)x, (void)y;                                                    \
        out->tan = tan_mul(b, in->tan, partial);                                               \
    }

JVP_SPECIAL(lgamma, ir_op1(b, OP_digamma, x))
JVP_SPECIAL(digamma, ir_op2(b, OP_polygamma, ir_like(b, x, 1), x))
/* the first two: sqrt(pi) / 2 e^(y^2); sqrt(2 pi) e^(y^2 / 2) */
JVP_SPECIAL(erf_inv, bell(b, y, 1, 0.88622692545275801365))
JVP_SPECIAL(ndtri, bell(b, y, 0.5, 2.50662827463100050242))
JVP_SPECIAL(ndtr, bell(b, x, -0.5, 0.39894228040143267794))
JVP_SPECIAL(log_ndtr, inverse_mills(b, x))
JVP_SPECIAL(erfcx, erfcx_slope(b, x, y))
JVP_SPECIAL(bessel_i0e, less_signed(b, OP_bessel_i1e, x, y))
JVP_SPECIAL(bessel_j0, ir_neg(b, ir_op1(b, OP_bessel_j1, x)))

/* y / x for y = J_1(x) or I_1(x) e^-|x|. Near 0 it is the series of J_1(x) / x or I_1(x) / x,
 * since derivatives of the quotient cancel and those of the series do not:
 *
 *   sum over k of (sign x^2 / 4)^k / (2 k! (k + 1)!) */
static ir_ref
first_order_over_x(ir_build *b, ir_ref x, ir_ref y, int sign)
{
    enum { TERMS = 12 };
    ir_ref zero = ir_like(b, x, 0), one = ir_like(b, x, 1);
    ir_ref near = ir_op2(b, OP_lt, ir_op1(b, OP_abs, x), one);
    ir_ref small = ir_select(b, near, x, zero), large = ir_select(b, near, one, x);
    ir_ref z = square(b, small), sum = IR_NONE;
    double c[TERMS] = { 0.5 };

    for (int k = 1; k < TERMS; k++)
        c[k] = c[k - 1] * sign / (4.0 * k * (k + 1));
    sum = ir_like(b, x, c[TERMS - 1]);
    for (int k = TERMS - 2; k >= 0; k--)
        sum = ir_op3(b, OP_fma, sum, z, ir_like(b, x, c[k]));
    if (sign > 0)
        sum = ir_mul(b, sum, ir_op1(b, OP_exp, ir_neg(b, ir_op1(b, OP_abs, small))));
    return ir_select(b, near, sum, ir_div(b, y, large));
}

/* J_1' = J_0 - J_1 / x, and with s = sign x (e^-|x| I_1)' = e^-|x| (I_0 - s I_1 - I_1 / x). */
static ir_ref
j1_slope(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref over = first_order_over_x(b, x, y, -1);
    return ir_sub(b, ir_op1(b, OP_bessel_j0, x), over);
}

static ir_ref
i1e_slope(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref over = first_order_over_x(b, x, y, 1);
    return ir_sub(b, less_signed(b, OP_bessel_i0e, x, y), over);
}

JVP_SPECIAL(bessel_j1, j1_slope(b, x, y))
JVP_SPECIAL(bessel_i1e, i1e_slope(b, x, y))

/* Fails if the first operand has a tangent: its derivative is not defined. */
static bool
by_order(ir_build *b, const ir_node *n, const dual *in)
{
    if (in[0].tan)
        ir_build_fail(b, ir_ops[n->op].name, ERR_no_rule, "jvp",
                      "it has no derivative in its first operand");
    return in[0].tan != IR_NONE;
}

void
jvp_polygamma(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f;
    if (!by_order(b, n, in))
        y->tan =
            tan_mul(b, in[1].tan, ir_op2(b, OP_polygamma, plus(b, in[0].val, 1), in[1].val));
}

/* d zeta(s, q) = -s zeta(s + 1, q) dq */
void
jvp_zeta(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref s = in[0].val, q = in[1].val;
    (void)f;
    if (!by_order(b, n, in)) {
        ir_ref zeta = ir_op2(b, OP_zeta, plus(b, s, 1), q);
        y->tan = tan_mul(b, in[1].tan, ir_mul(b, ir_neg(b, s), zeta));
    }
}

/* x^(a - 1) e^-x / Gamma(a), the derivative of P with respect to x. x^0 is 1 at x = 0 as well;
 * there x is replaced, not the product, which depends on a.  For infinite operands, where inf -
 * inf would be NaN, it is 0: the value at the largest number, and for an infinite a that of
 * order 1. */
static ir_ref
gamma_density(ir_build *b, ir_ref a, ir_ref x)
{
    double c;
    ir_ref one = ir_like(b, a, 1);
    if (!ir_is_splat(b, a, &c) || isinf(c)) {
        ir_ref infinity = ir_like(b, a, (double)INFINITY);
        ir_ref far = ir_op2(b, OP_eq, a, infinity);
        x = ir_select(b, far, ir_add(b, x, infinity), x);
        a = ir_select(b, far, one, a);
    }
    x = ir_op2(b, OP_min, x, ir_like(b, x, x ? pass_largest(ir_btype(b, x)->dtype) : 0));
    ir_ref zero = ir_op2(b, OP_eq, x, ir_like(b, x, 0));
    ir_ref flat = ir_op2(b, OP_and, ir_op2(b, OP_eq, a, one), zero);
    ir_ref logarithm = ir_op1(b, OP_log, ir_select(b, flat, one, x));
    ir_ref e = ir_sub(b, ir_mul(b, plus(b, a, -1), logarithm), x);

    return ir_op1(b, OP_exp, ir_sub(b, e, ir_op1(b, OP_lgamma, a)));
}

/* dP = igamma_grad_a(a, x) da + density dx. */
static void
jvp_incomplete(ir_build *b, const dual *in, dual *y, bool upper)
{
    const ir_ref a = in[0].val, x = in[1].val;
    ir_ref by_order = IR_NONE, by_x = IR_NONE;
    if (in[0].tan)
        by_order = tan_mul(b, in[0].tan, ir_op2(b, OP_igamma_grad_a, a, x));
    if (in[1].tan)
        by_x = tan_mul(b, in[1].tan, gamma_density(b, a, x));
    y->tan = tan_add(b, by_order, by_x);
    if (upper)
        y->tan = tan_neg(b, y->tan);
}

void
jvp_igamma(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    jvp_incomplete(b, in, y, false);
}

void
jvp_igammac(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    jvp_incomplete(b, in, y, true);
}

/* The derivative with respect to x is that of the density with respect to a: density (log x -
 * psi(a)).  That with respect to a is in igamma.c. */
void
jvp_igamma_grad_a(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref a = in[0].val, x = in[1].val;
    ir_ref by_a = IR_NONE, by_x = IR_NONE;
    (void)f, (void)n;
    if (in[0].tan)
        by_a = tan_mul(b, in[0].tan, pass_igamma_second(b, a, x));
    if (in[1].tan) {
        ir_ref digamma = ir_op1(b, OP_digamma, a);
        ir_ref slope = ir_sub(b, ir_op1(b, OP_log, x), digamma);
        by_x = tan_mul(b, in[1].tan, ir_mul(b, gamma_density(b, a, x), slope));
    }
    y->tan = tan_add(b, by_a, by_x);
}

/* g = -P_a / p, p the density: g_x = -(p_a + g p_x) / p = psi(a) - log x - g ((a - 1) / x - 1),
 * and with p_a / p = log x - psi(a), g_a = -P_aa / p - g (log x - psi(a)). */
void
jvp_random_gamma_grad(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref a = in[0].val, x = in[1].val;
    ir_ref logarithm = ir_op1(b, OP_log, x);
    ir_ref inner = ir_sub(b, ir_op1(b, OP_digamma, a), logarithm), by_a = IR_NONE,
           by_x = IR_NONE;
    (void)f, (void)n;
    if (in[0].tan) {
        ir_ref right = gamma_density(b, a, x);
        ir_ref second = ir_div(b, pass_igamma_second(b, a, x), right);
        by_a = tan_mul(b, in[0].tan, ir_sub(b, ir_mul(b, y->val, inner), second));
    }
    if (in[1].tan) {
        ir_ref slope = plus(b, ir_div(b, plus(b, a, -1), x), -1);
        by_x = tan_mul(b, in[1].tan, ir_sub(b, inner, ir_mul(b, y->val, slope)));
    }
    y->tan = tan_add(b, by_a, by_x);
}

/* dy = random_gamma_grad(alpha, y) d alpha: y changes so that its quantile does not. */
void
jvp_gamma_sample(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    y->tan = in[0].tan
                 ? tan_mul(b, in[0].tan, ir_op2(b, OP_random_gamma_grad, in[0].val, y->val))
                 : IR_NONE;
}

/* x^(a - 1) (1 - x)^(b - 1) / B(a, b) dx; powers with exponent 0 are 1 also at x = 0 and x =
 * 1. */
void
jvp_betainc(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref x = in[2].val;
    ir_ref e = ir_neg(b, ir_op2(b, OP_lbeta, in[0].val, in[1].val));
    (void)f;
    for (int i = 0; i < 2; i++) {
        if (in[i].tan) {
            ir_build_fail(b, ir_ops[n->op].name, ERR_no_rule, "jvp",
                          "it has a derivative in its last operand only");
            return;
        }
        ir_ref log = i == 0 ? ir_op1(b, OP_log, x) : ir_op1(b, OP_log1p, ir_neg(b, x));
        ir_ref p = ir_mul(b, plus(b, in[i].val, -1), log);
        ir_ref zero = ir_like(b, x, 0);
        e = ir_add(b, e, ir_select(b, ir_op2(b, OP_eq, in[i].val, ir_like(b, x, 1)), zero, p));
    }
    y->tan = tan_mul(b, in[2].tan, ir_op1(b, OP_exp, e));
}

/* psi(x) - psi(x + y), which is 0 where x is infinite and y is finite. */
static ir_ref
beta_slope(ir_build *b, ir_ref x, ir_ref y, ir_ref sum)
{
    ir_ref infinite = ir_op2(b, OP_eq, x, ir_like(b, x, (double)INFINITY));
    ir_ref flat = times(b, y, 0); /* NaN if y is an infinity or NaN */
    ir_ref slope = ir_sub(b, ir_op1(b, OP_digamma, x), sum);

    return ir_select(b, infinite, flat, slope);
}

/* d log B(x, y) = (psi(x) - psi(x + y)) dx + (psi(y) - psi(x + y)) dy */
void
jvp_lbeta(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref sum = ir_op1(b, OP_digamma, ir_add(b, in[0].val, in[1].val)),
           part[2] = { IR_NONE, IR_NONE };
    (void)f, (void)n;
    for (int i = 0; i < 2; i++)
        if (in[i].tan)
            part[i] = tan_mul(b, in[i].tan, beta_slope(b, in[i].val, in[1 - i].val, sum));
    y->tan = tan_add(b, part[0], part[1]);
}

/* x where h = hypot(x, y) is finite.  Otherwise x / 4 if both operands are finite; if not, the
 * sign of x if x is infinite, and 0 if it is finite. */
static ir_ref
direction(ir_build *b, ir_ref x, ir_ref fits, ir_ref finite)
{
    ir_ref zero = ir_mul(b, x, ir_like(b, x, 0)); /* NaN if x is an infinity or NaN */
    ir_ref infinity = ir_like(b, x, (double)INFINITY);
    ir_ref infinite = ir_op2(b, OP_eq, ir_op1(b, OP_abs, x), infinity);
    ir_ref far = ir_select(b, infinite, ir_op1(b, OP_sign, x), zero);

    return ir_select(b, fits, x, ir_select(b, finite, ir_mul(b, x, ir_like(b, x, 0.25)), far));
}

/* (x dx + y dy) / h. 0 / 0 is replaced by the constant 0, so that all derivatives at (0, 0) are
 * 0.  Where h is infinite, x and y are replaced by a pair of the same direction. */
void
jvp_hypot(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref u = in[0].val, v = in[1].val;
    ir_ref fits = ir_op1(b, OP_is_finite, y->val), part[2] = { IR_NONE, IR_NONE };
    ir_ref right = ir_op1(b, OP_is_finite, v);
    ir_ref finite = ir_op2(b, OP_and, ir_op1(b, OP_is_finite, u), right);
    const ir_ref way[2] = { direction(b, u, fits, finite), direction(b, v, fits, finite) };
    ir_ref h = ir_select(b, fits, y->val, ir_op2(b, OP_hypot, way[0], way[1]));
    ir_ref one = ir_like(b, h, 1), zero = ir_like(b, h, 0), origin = ir_op2(b, OP_eq, h, zero);
    ir_ref safe = ir_select(b, origin, one, h);

    (void)f, (void)n;
    for (int i = 0; i < 2; i++)
        if (in[i].tan)
            part[i] =
                tan_mul(b, in[i].tan, ir_div(b, ir_select(b, origin, zero, way[i]), safe));
    y->tan = tan_add(b, part[0], part[1]);
}

/* u - v.  Where both are the same infinity this is NaN, and is replaced by 0, so that they
 * share evenly.  A constant operand that is finite needs no such test. */
static ir_ref
difference_of(ir_build *b, ir_ref u, ir_ref v)
{
    ir_ref d = ir_sub(b, u, v), zero = ir_like(b, u, 0);
    double c;

    if ((ir_is_splat(b, u, &c) && isfinite(c)) || (ir_is_splat(b, v, &c) && isfinite(c)))
        return d;
    ir_ref infinite = ir_op1(b, OP_not, ir_op1(b, OP_is_finite, u));
    ir_ref same = ir_op2(b, OP_and, ir_op2(b, OP_eq, u, v), infinite);
    return ir_select(b, same, zero, d);
}

/* The weights 1 / (1 + e^(y - x)) and 1 / (1 + e^(x - y)). */
void
jvp_logaddexp(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref d = difference_of(b, in[0].val, in[1].val), left = IR_NONE, right = IR_NONE;
    (void)f, (void)n;
    if (in[0].tan)
        left = tan_mul(b, in[0].tan, ir_op1(b, OP_logistic, d));
    if (in[1].tan)
        right = tan_mul(b, in[1].tan, ir_op1(b, OP_logistic, ir_neg(b, d)));
    y->tan = tan_add(b, left, right);
}

/* These roundings have derivative 1. */
void
jvp_nextafter(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)b, (void)f, (void)n;
    y->tan = in[0].tan;
}

void
jvp_reduce_precision(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)b, (void)f, (void)n;
    y->tan = in[0].tan;
}
