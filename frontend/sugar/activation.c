/* Activations and losses. */
#include <math.h>

#include "cotrace/sugar.h"

#include "frontend/trace.h"

static bool
floating(ir_build *b, const char *op, ir_ref x)
{
    return x && fe_is_float(b, op, ir_btype(b, x));
}

/* x <= 0 is false for NaN, which stays; the constant 0 has derivative 0, at 0 too. */
static ir_ref
relu(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref zero = ir_like(b, x[0].ref, 0);
    (void)n, (void)o;
    if (!zero || !fe_is_ordered(b, "relu", ir_btype(b, zero)))
        return IR_NONE;
    return ir_select(b, ir_op2(b, OP_le, x[0].ref, zero), zero, x[0].ref);
}

static ir_ref
sigmoid(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n, (void)o;
    return ir_op1(b, OP_logistic, x[0].ref);
}

/* f(x) where f is x times a factor that is 1 above FAR and 0 below -FAR, in every floating
 * type.  Beyond FAR, on both sides, f is evaluated at -FAR instead, since the product of the
 * factor, or of its derivative, which is 0, with an infinity would be NaN.  One select of the
 * operand, instead of one for each side, is one select in the gradient. */
typedef ir_ref formula(ir_build *b, ir_ref x);
enum { FAR = 1000 };

static ir_ref
ramp(ir_build *b, formula *f, ir_ref x)
{
    ir_ref high = ir_like(b, x, FAR), low = ir_like(b, x, -FAR);
    ir_ref far = ir_op2(b, OP_gt, ir_op1(b, OP_abs, x), high);
    ir_ref y = f(b, ir_select(b, far, low, x));
    return ir_select(b, ir_op2(b, OP_gt, x, high), x, y);
}

static ir_ref
silu_of(ir_build *b, ir_ref x)
{
    return ir_mul(b, x, ir_op1(b, OP_logistic, x));
}

static ir_ref
silu(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref w = fe_widen(b, x[0].ref);

    (void)n, (void)o;
    if (w && ir_is_complex(ir_btype(b, w)->dtype))
        return silu_of(b, w);
    if (!floating(b, "silu", w))
        return IR_NONE;
    return fe_narrow(b, ramp(b, silu_of, w), ir_btype(b, x[0].ref)->dtype);
}

/* log(1 + e^x) = log(e^x + e^0): no overflow, and full accuracy on both sides. */
static ir_ref
softplus(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref w = fe_widen(b, x[0].ref);
    (void)n, (void)o;
    if (!floating(b, "softplus", w))
        return IR_NONE;
    return fe_narrow(b, ir_op2(b, OP_logaddexp, w, ir_like(b, w, 0)),
                     ir_btype(b, x[0].ref)->dtype);
}

static ir_ref
square(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n, (void)o;
    return ir_mul(b, x[0].ref, x[0].ref);
}

/* x/2 (1 + tanh u) with u = sqrt(2/pi) (x + 0.044715 x^3) is x / (1 + e^-2u): one
 * exponential, and no cancellation where x < 0.  Where e^-2u is beyond the range it is 0,
 * and e^-2u is not computed, so that derivatives are 0 too.  From 25 on e^-2u is 0 in f64 as
 * well: u stays there, since its square would overflow. */
static ir_ref
gelu_by_tanh(ir_build *b, ir_ref w)
{
    double most = w && ir_btype(b, w)->dtype == COT_F64 ? 700 : 87;
    ir_ref high = ir_like(b, w, 25);
    ir_ref near = ir_op3(b, OP_clamp, ir_like(b, w, -25), w, high);
    ir_ref square = ir_mul(b, near, near);
    ir_ref product = ir_mul(b, square, ir_like(b, w, -0.07135481627260025));
    ir_ref slope = ir_add(b, ir_like(b, w, -1.59576912160573071176), product);
    ir_ref v = ir_mul(b, near, slope), zero = ir_like(b, w, 0);
    ir_ref beyond = ir_op2(b, OP_ge, v, ir_like(b, w, most));
    ir_ref e = ir_op1(b, OP_exp, ir_select(b, beyond, zero, v));
    ir_ref y = ir_select(b, beyond, zero, ir_div(b, w, ir_add(b, ir_like(b, w, 1), e)));
    return ir_select(b, ir_op2(b, OP_gt, w, high), w, y);
}

static ir_ref
gelu_by_erf(ir_build *b, ir_ref w)
{
    ir_ref inner = ir_op1(b, OP_erf, ir_mul(b, ir_like(b, w, 0.70710678118654752440), w));
    ir_ref sum = ir_add(b, ir_like(b, w, 1), inner);
    return ir_mul(b, ir_mul(b, ir_like(b, w, 0.5), w), sum);
}

/* x/2 (1 + erf(x / sqrt 2)), or near it by tanh.
 * Source: D. Hendrycks, K. Gimpel, Gaussian Error Linear Units, 2016. */
static ir_ref
gelu(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_gelu_options *o = options;
    ir_ref w = fe_widen(b, x[0].ref);
    (void)n;
    if (!floating(b, "gelu", w))
        return IR_NONE;
    ir_ref y = o->tanh ? gelu_by_tanh(b, w) : ramp(b, gelu_by_erf, w);
    return fe_narrow(b, y, ir_btype(b, x[0].ref)->dtype);
}

/* The mean of all elements. */
static ir_ref
mean_of(ir_build *b, ir_ref x)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    ir_ref sum = ir_reduce(b, OP_reduce_sum, x, ir_axes_below(t->rank));
    return ir_div(b, sum, ir_like(b, sum, (double)t->size));
}

static ir_ref
mse(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref in[2];

    (void)o;
    if (!fe_unify(b, "mse", n, x, NULL, in) || !floating(b, "mse", in[0]))
        return IR_NONE;
    ir_ref widened = fe_widen(b, in[1]);
    ir_ref d = ir_sub(b, fe_widen(b, in[0]), widened);
    return fe_narrow(b, mean_of(b, ir_mul(b, d, d)), ir_btype(b, in[0])->dtype);
}

/* The label's logarithm is chosen by select, not by a product with a one-hot: a logit of -inf
 * elsewhere must not make 0 * inf.  A label that is no class gives NaN. */
static ir_ref
cross_entropy(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const ir_type *t = ir_btype(b, x[0].ref), *lt = ir_btype(b, x[1].ref);
    int last = t->rank - 1;

    (void)n, (void)o;
    if (!floating(b, "cross_entropy", x[0].ref))
        return IR_NONE;
    if (!ir_is_int(lt->dtype) || lt->rank != last ||
        memcmp(t->dims, lt->dims, sizeof *t->dims * (size_t)lt->rank) != 0) {
        ir_build_fail(b, "cross_entropy", ERR_labels, ir_type_str(b->ctx, t),
                      ir_type_str(b->ctx, lt));
        return IR_NONE;
    }
    ir_ref w = fe_widen(b, x[0].ref);
    ir_axes axes = ir_axes_of(last);
    ir_ref m = ir_op1(b, OP_stop_gradient, ir_reduce(b, OP_reduce_max, w, axes));
    ir_ref d = ir_sub(b, w, fe_spread(b, m, w, axes));
    ir_ref sum = ir_reduce(b, OP_reduce_sum, ir_op1(b, OP_exp, d), axes);
    ir_ref label = ir_broadcast_axis(b, x[1].ref, last, t->dims[last]);
    ir_ref index = ir_iota(b, lt->dtype, t->rank, t->dims, last);
    ir_ref zero = ir_like(b, d, 0);
    ir_ref own = ir_select(b, ir_op2(b, OP_eq, index, label), d, zero);
    ir_ref total = ir_reduce(b, OP_reduce_sum, own, axes);
    ir_ref loss = ir_sub(b, ir_op1(b, OP_log, sum), total);
    ir_ref nan = ir_like(b, loss, (double)NAN);
    loss = ir_select(b, ir_reduce(b, OP_reduce_or, ir_op2(b, OP_eq, index, label), axes), loss,
                     nan);
    return fe_narrow(b, mean_of(b, loss), t->dtype);
}

#define FE_UNARY(name)                                                                         \
    cot_value cot_##name##_(cot_place at, cot_value x)                                         \
    {                                                                                          \
        return fe_apply1(at, #name, name, x, NULL);                                            \
    }
FE_UNARY(relu)
FE_UNARY(sigmoid)
FE_UNARY(silu)
FE_UNARY(softplus)
FE_UNARY(square)

cot_value
cot_gelu_(cot_place at, cot_value x, const cot_gelu_options *o, size_t size)
{
    FE_OPTIONS(cot_gelu_options, opt, o, size);
    return fe_apply1(at, "gelu", gelu, x, &opt);
}

cot_value
cot_mse_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "mse", mse, x, y, NULL);
}

cot_value
cot_cross_entropy_(cot_place at, cot_value logits, cot_value labels)
{
    return fe_apply2(at, "cross_entropy", cross_entropy, logits, labels, NULL);
}
