/* Special functions: jvp.  As in pointwise.c a rule multiplies the tangent by a partial
 * derivative, written with the result where that is shorter.  Derivatives by the order of
 * polygamma and zeta do not exist here, as in JAX: they are an error, so that no zero is taken
 * for one. */
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

/* e^(k x^2) c */
static ir_ref
bell(ir_build *b, ir_ref x, double k, double c)
{
    ir_ref s = square(b, x);
    ir_ref e = ir_op1(b, OP_exp, k == -1 ? ir_neg(b, s) : k == 1 ? s : times(b, s, k));

    return times(b, e, c);
}

/* phi(x) / Phi(x) = sqrt(2 / pi) / erfcx(-x / sqrt 2): nothing cancels, however far down. */
static ir_ref
inverse_mills(ir_build *b, ir_ref x)
{
    ir_ref scaled = ir_op1(b, OP_erfcx, times(b, x, -0.70710678118654752440));

    return ir_div(b, ir_like(b, x, 0.79788456080286535588), scaled);
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
/* sqrt(pi) / 2 e^(y^2); sqrt(2 pi) e^(y^2 / 2) */
JVP_SPECIAL(erf_inv, bell(b, y, 1, 0.88622692545275801365))
JVP_SPECIAL(ndtri, bell(b, y, 0.5, 2.50662827463100050242))
JVP_SPECIAL(ndtr, bell(b, x, -0.5, 0.39894228040143267794))
JVP_SPECIAL(log_ndtr, inverse_mills(b, x))
JVP_SPECIAL(erfcx, plus(b, times(b, ir_mul(b, x, y), 2), -1.12837916709551257390))
JVP_SPECIAL(bessel_i0e, less_signed(b, OP_bessel_i1e, x, y))
JVP_SPECIAL(bessel_j0, ir_neg(b, ir_op1(b, OP_bessel_j1, x)))

/* y / x, y' = z - y / x with the limit y'(0) = 1/2; the divisor is made harmless rather than
 * the quotient. */
static ir_ref
first_order(ir_build *b, ir_ref z, ir_ref y, ir_ref x)
{
    ir_ref zero = ir_op2(b, OP_eq, x, ir_like(b, x, 0));
    ir_ref inner = ir_sub(b, z, ir_div(b, y, ir_select(b, zero, ir_like(b, x, 1), x)));

    return ir_select(b, zero, ir_like(b, x, 0.5), inner);
}

JVP_SPECIAL(bessel_j1, first_order(b, ir_op1(b, OP_bessel_j0, x), y, x))
JVP_SPECIAL(bessel_i1e, first_order(b, less_signed(b, OP_bessel_i0e, x, y), y, x))

/* There is no derivative in the first operand. */
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
        y->tan = tan_mul(b, in[1].tan, ir_op2(b, OP_polygamma, plus(b, in[0].val, 1), in[1].val));
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

/* x^(a - 1) e^-x / Gamma(a), the derivative of P by x; x^0 is 1 at x = 0, too. */
static ir_ref
gamma_density(ir_build *b, ir_ref a, ir_ref x)
{
    ir_ref logarithm = ir_op1(b, OP_log, x);
    ir_ref p = ir_mul(b, plus(b, a, -1), logarithm);
    ir_ref zero = ir_like(b, a, 0);
    ir_ref e = ir_sub(b, ir_select(b, ir_op2(b, OP_eq, a, ir_like(b, a, 1)), zero, p), x);

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

/* By x: the density's derivative by a, density (log x - psi(a)); by a: igamma.c. */
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

/* dy = random_gamma_grad(alpha, y) d alpha: y moves so that its quantile stays. */
void
jvp_gamma_sample(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n;
    y->tan = in[0].tan ? tan_mul(b, in[0].tan, ir_op2(b, OP_random_gamma_grad, in[0].val, y->val)) : IR_NONE;
}

/* x^(a - 1) (1 - x)^(b - 1) / B(a, b) dx; the powers of order 0 are 1 at x = 0 and x = 1,
 * too. */
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

/* d log B(x, y) = (psi(x) - psi(x + y)) dx + (psi(y) - psi(x + y)) dy */
void
jvp_lbeta(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref sum = ir_op1(b, OP_digamma, ir_add(b, in[0].val, in[1].val)),
           part[2] = { IR_NONE, IR_NONE };
    (void)f, (void)n;
    for (int i = 0; i < 2; i++)
        if (in[i].tan)
            part[i] = tan_mul(b, in[i].tan, ir_sub(b, ir_op1(b, OP_digamma, in[i].val), sum));
    y->tan = tan_add(b, part[0], part[1]);
}

/* x where h = hypot(x, y) is finite.  Else a quarter of it, if both are finite; if not, its
 * sign if it is infinite, or 0. */
static ir_ref
direction(ir_build *b, ir_ref x, ir_ref fits, ir_ref finite)
{
    ir_ref zero = ir_mul(b, x, ir_like(b, x, 0)); /* NaN for infinities and NaN */
    ir_ref infinity = ir_like(b, x, (double)INFINITY);
    ir_ref infinite = ir_op2(b, OP_eq, ir_op1(b, OP_abs, x), infinity);
    ir_ref far = ir_select(b, infinite, ir_op1(b, OP_sign, x), zero);

    return ir_select(b, fits, x, ir_select(b, finite, ir_mul(b, x, ir_like(b, x, 0.25)), far));
}

/* (x dx + y dy) / h, with 0 for 0 / 0; where h is infinite the same of a pair of that
 * direction. */
void
jvp_hypot(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref u = in[0].val, v = in[1].val;
    ir_ref fits = ir_op1(b, OP_is_finite, y->val), part[2] = { IR_NONE, IR_NONE };
    ir_ref right = ir_op1(b, OP_is_finite, v);
    ir_ref finite = ir_op2(b, OP_and, ir_op1(b, OP_is_finite, u), right);
    const ir_ref way[2] = { direction(b, u, fits, finite), direction(b, v, fits, finite) };
    ir_ref h = ir_select(b, fits, y->val, ir_op2(b, OP_hypot, way[0], way[1]));
    ir_ref one = ir_like(b, h, 1);
    ir_ref safe = ir_select(b, ir_op2(b, OP_eq, h, ir_like(b, h, 0)), one, h);

    (void)f, (void)n;
    for (int i = 0; i < 2; i++)
        if (in[i].tan)
            part[i] = tan_mul(b, in[i].tan, ir_div(b, way[i], safe));
    y->tan = tan_add(b, part[0], part[1]);
}

/* The weights 1 / (1 + e^(y - x)) and 1 / (1 + e^(x - y)); equal ones, infinities too, share
 * evenly. */
void
jvp_logaddexp(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_ref u = in[0].val, v = in[1].val;
    ir_ref difference = ir_sub(b, u, v);
    ir_ref zero = ir_like(b, u, 0);
    ir_ref d = ir_select(b, ir_op2(b, OP_eq, u, v), zero, difference), left = IR_NONE,
           right = IR_NONE;
    (void)f, (void)n;
    if (in[0].tan)
        left = tan_mul(b, in[0].tan, ir_op1(b, OP_logistic, d));
    if (in[1].tan)
        right = tan_mul(b, in[1].tan, ir_op1(b, OP_logistic, ir_neg(b, d)));
    y->tan = tan_add(b, left, right);
}

/* Roundings whose result moves with x. */
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
