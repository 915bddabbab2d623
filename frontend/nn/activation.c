/* Activations beside those of sugar/activation.c.
 *
 * Infinities have the limits of values and derivatives, where formulas are 0 * inf or inf /
 * inf. Where a branch that is not chosen could overflow, its operand is replaced by 0
 * before, so that select, which is IEEE in its derivatives, adds no 0 * inf.  Kinks have
 * PyTorch's derivatives. */
#include <math.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

typedef cot_value formula(cot_place at, cot_value x, const cot_activation_options *o);

static cot_value
run(cot_place at, const char *op, formula *f, cot_value x, const cot_activation_options *o,
    size_t size)
{
    FE_OPTIONS(cot_activation_options, opt, o, size);

    return fe_floating(at, op, x) ? fe_back(at, f(at, fe_wide(at, x), &opt), cot_dtype_of(x))
                                  : x;
}

/* e^x - 1 where x <= 0, else 0. */
static cot_value
below(cot_place at, cot_value x, double alpha)
{
    return cot_expm1(cot_mul(cot_where(cot_gt(x, 0), 0, x), 1 / alpha));
}

static cot_value
positive_or(cot_place at, cot_value x, cot_value y)
{
    return cot_where(cot_gt(x, 0), x, y);
}

static double
either(double x, double absent)
{
    return x == 0 ? absent : x;
}

static cot_value
is_infinite(cot_place at, cot_value x)
{
    return cot_eq(cot_abs(x), (double)INFINITY);
}

static cot_value
bounded(cot_place at, cot_value x)
{
    return cot_where(is_infinite(at, x), 0, x);
}

/* As in sugar/activation.c: y is computed from near(x), which is -FAR beyond FAR on both sides,
 * and is x times a factor that is 1 above FAR and 0 below -FAR. */
enum { FAR = 1000 };

static cot_value
near(cot_place at, cot_value x)
{
    return cot_where(cot_gt(cot_abs(x), FAR), -FAR, x);
}

static cot_value
ramp(cot_place at, cot_value x, cot_value y)
{
    return cot_where(cot_gt(x, FAR), x, y);
}

static cot_value
mish_of(cot_place at, cot_value x)
{
    return cot_mul(x, cot_tanh(cot_softplus(x)));
}

static cot_value
softsign_of(cot_place at, cot_value x)
{
    return cot_div(x, cot_add(1, cot_abs(x)));
}

/* From 0 to 6.  x is clamped, not the sum, which rounds to 6 at numbers below 3. */
static cot_value
hard_step(cot_place at, cot_value x)
{
    return cot_add(cot_clip(x, -3, 3), 3);
}

static cot_value
hardswish_of(cot_place at, cot_value x)
{
    return cot_div(cot_mul(x, hard_step(at, x)), 6);
}

static cot_value
quick_gelu_of(cot_place at, cot_value x)
{
    return cot_mul(x, cot_sigmoid(cot_mul(1.702, x)));
}

#define FORMULA(name, ...)                                                                     \
    static cot_value name(cot_place at, cot_value x, const cot_activation_options *o)          \
    {                                                                                          \
        (void)o;                                                                               \
        return __VA_ARGS__;                                                                    \
    }                                                                                          \
    cot_value cot_##name##_(cot_place at, cot_value x, const cot_activation_options *o,        \
                            size_t size)                                                       \
    {                                                                                          \
        return run(at, #name, name, x, o, size);                                               \
    }

FORMULA(relu6, cot_clip(x, 0, 6))
FORMULA(hardtanh,
        o->low == 0 && o->high == 0 ? cot_clip(x, -1, 1) : cot_clip(x, o->low, o->high))
FORMULA(elu, positive_or(at, x, cot_mul(either(o->alpha, 1), below(at, x, 1))))
FORMULA(selu, cot_mul(1.0507009873554805,
                      positive_or(at, x, cot_mul(1.6732632423543772, below(at, x, 1)))))
FORMULA(celu,
        positive_or(at, x, cot_mul(either(o->alpha, 1), below(at, x, either(o->alpha, 1)))))
FORMULA(leaky_relu, positive_or(at, x, cot_mul(either(o->alpha, 0.01), x)))
FORMULA(mish, ramp(at, x, mish_of(at, near(at, x))))
FORMULA(softsign, cot_where(is_infinite(at, x), cot_sign(x), softsign_of(at, bounded(at, x))))
FORMULA(hardsigmoid, cot_div(hard_step(at, x), 6))
FORMULA(hardswish, ramp(at, x, hardswish_of(at, near(at, x))))
FORMULA(log_sigmoid, cot_neg(cot_softplus(cot_neg(x))))
FORMULA(tanhshrink, cot_sub(x, cot_tanh(x)))
FORMULA(hardshrink, cot_where(cot_gt(cot_abs(x), either(o->alpha, 0.5)), x, 0))
FORMULA(softshrink, cot_where(cot_gt(cot_abs(x), either(o->alpha, 0.5)),
                              cot_sub(x, cot_mul(either(o->alpha, 0.5), cot_sign(x))), 0))
FORMULA(quick_gelu, ramp(at, x, quick_gelu_of(at, near(at, x))))

cot_value
cot_prelu_(cot_place at, cot_value x, cot_value weight)
{
    const cot_value w = fe_wide(at, x);

    if (!fe_floating(at, "prelu", x) || !fe_fits(at, "prelu", "weight", weight, x, true))
        return x;
    const cot_value low = cot_where(cot_gt(w, 0), 0, w);
    return fe_back(at,
                   positive_or(at, w, cot_mul(fe_channels(at, fe_wide(at, weight), w), low)),
                   cot_dtype_of(x));
}

cot_value
cot_glu_(cot_place at, cot_value x, int axis)
{
    cot_value part[2];

    if (!fe_floating(at, "glu", x))
        return x;
    cot_split(x, 2, axis, part);
    return fe_back(at, cot_mul(fe_wide(at, part[0]), cot_sigmoid(fe_wide(at, part[1]))),
                   cot_dtype_of(x));
}

cot_value
cot_softmin_(cot_place at, cot_value x, const cot_reduce_options *o, size_t size)
{
    return cot_softmax_(at, cot_neg(x), o, size);
}
