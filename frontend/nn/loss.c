/* Losses between values of one shape.  Where a logarithm or a norm has no finite derivative,
 * its operand is replaced before it, so that select adds no 0 * inf. */
#include <math.h>

#include "cotrace/loss.h"
#include "cotrace/nn.h"

#include "frontend/nn/loss.h"

cot_value
fe_reduced(cot_place at, cot_value each, const cot_loss_options *o, cot_dtype to)
{
    cot_value y = each;

    if (o->reduction == COT_LOSS_MEAN)
        y = cot_mean(each);
    else if (o->reduction != COT_LOSS_EACH)
        y = cot_reduce_sum(each);
    if (o->reduction == COT_LOSS_BATCH_MEAN)
        y = cot_div(y, (double)(cot_rank(each) > 0 ? cot_size(each, 0) : 1));
    return fe_back(at, y, to);
}

typedef cot_value formula(cot_place at, const cot_value *x, const cot_loss_options *o);

static cot_value
run(cot_place at, const char *op, formula *f, int n, const cot_value *x,
    const cot_loss_options *options, size_t size)
{
    FE_OPTIONS(cot_loss_options, o, options, size);
    cot_value w[3] = { { NULL, 0, 0 }, { NULL, 0, 0 }, { NULL, 0, 0 } };

    if (!fe_floating(at, op, x[0]))
        return x[0];
    for (int i = 0; i < n; i++)
        w[i] = fe_wide(at, x[i]);
    return fe_reduced(at, f(at, w, &o), &o, cot_dtype_of(x[0]));
}

static double
either(double x, double absent)
{
    return x == 0 ? absent : x;
}

static cot_value
huber(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    const double delta = either(o->delta, 1);
    cot_value e = cot_sub(x[0], x[1]), d = cot_abs(e), near = cot_le(d, delta);
    /* the square of e, which is smooth at 0, where |e| is not; of 0 where it is not chosen,
     * since e may be infinite */
    return cot_where(near, cot_mul(0.5, cot_square(cot_where(near, e, 0))),
                     cot_mul(delta, cot_sub(d, 0.5 * delta)));
}

static cot_value
smooth_l1(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    return cot_mul(huber(at, x, o), 1 / either(o->delta, 1));
}

/* log x, not below -100, with derivative 0 there. */
static cot_value
log_above(cot_place at, cot_value x)
{
    cot_value some = cot_gt(x, 3.8e-44);
    return cot_where(some, cot_log(cot_where(some, x, 1)), -100);
}

static cot_value
weighted(cot_place at, cot_value y, const cot_loss_options *o)
{
    return fe_given(o->weight) ? cot_mul(y, fe_wide(at, o->weight)) : y;
}

static cot_value
bce(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    cot_value yes = cot_mul(x[1], log_above(at, x[0])),
              no = cot_mul(cot_sub(1, x[1]), log_above(at, cot_sub(1, x[0])));
    return weighted(at, cot_neg(cot_add(yes, no)), o);
}

/* (1 - y) x + (1 + (w - 1) y) log(1 + e^-x) */
static cot_value
bce_with_logits(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    cot_value part = cot_softplus(cot_neg(x[0]));
    if (fe_given(o->pos_weight))
        part = cot_mul(part, cot_add(1, cot_mul(cot_sub(fe_wide(at, o->pos_weight), 1), x[1])));
    return weighted(at, cot_add(cot_mul(cot_sub(1, x[1]), x[0]), part), o);
}

static cot_value
kl_div(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    if (o->log_target)
        return cot_mul(cot_exp(x[1]), cot_sub(x[1], x[0]));
    cot_value some = cot_gt(x[1], 0), log = cot_log(cot_where(some, x[1], 1));
    return cot_where(some, cot_mul(x[1], cot_sub(log, x[0])), 0);
}

/* With .full: y log y - y + log(2 pi y) / 2 where y > 1. */
static cot_value
poisson_nll(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    cot_value y = cot_sub(cot_exp(x[0]), cot_mul(x[1], x[0]));
    if (!o->full)
        return y;
    cot_value many = cot_gt(x[1], 1), log = cot_log(cot_where(many, x[1], 1));
    cot_value more = cot_add(cot_sub(cot_mul(x[1], log), x[1]),
                             cot_mul(0.5, cot_add(log, 1.8378770664093453)));
    return cot_add(y, cot_where(many, more, 0));
}

static cot_value
gaussian_nll(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    cot_value var = cot_max(x[2], 1e-6);
    cot_value y =
        cot_mul(0.5, cot_add(cot_log(var), cot_div(cot_square(cot_sub(x[0], x[1])), var)));
    return o->full ? cot_add(y, 0.91893853320467267) : y;
}

static cot_value
hinge_embedding(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    return cot_where(cot_eq(x[1], 1), x[0], cot_relu(cot_sub(either(o->margin, 1), x[0])));
}

static cot_value
cosine_embedding(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    cot_value c = cot_cosine_similarity(x[0], x[1], -1);
    return cot_where(cot_eq(x[2], 1), cot_sub(1, c), cot_relu(cot_sub(c, o->margin)));
}

/* The norm of x - y + 1e-6 along the last axis. */
static cot_value
distance(cot_place at, cot_value x, cot_value y, double p)
{
    cot_value d = cot_add(cot_sub(x, y), 1e-6);
    if (p == 2)
        return cot_norm(d, .axes = COT_LIST(-1));
    if (p == 1)
        return cot_reduce_sum(cot_abs(d), .axes = COT_LIST(-1));
    return cot_pow(cot_reduce_sum(cot_pow(cot_abs(d), p), .axes = COT_LIST(-1)), 1 / p);
}

static cot_value
triplet(cot_place at, const cot_value *x, const cot_loss_options *o)
{
    const double p = either(o->p, 2);
    cot_value d = cot_sub(distance(at, x[0], x[1], p), distance(at, x[0], x[2], p));
    return cot_relu(cot_add(d, either(o->margin, 1)));
}

#define FORMULA(name, ...)                                                                     \
    static cot_value name(cot_place at, const cot_value *x, const cot_loss_options *o)         \
    {                                                                                          \
        (void)o;                                                                               \
        return __VA_ARGS__;                                                                    \
    }
FORMULA(mse_loss, cot_square(cot_sub(x[0], x[1])))
FORMULA(l1, cot_abs(cot_sub(x[0], x[1])))
FORMULA(hinge, cot_relu(cot_sub(either(o->margin, 1), cot_mul(x[0], x[1]))))
FORMULA(soft_margin, cot_softplus(cot_neg(cot_mul(x[0], x[1]))))
FORMULA(margin_ranking, cot_relu(cot_sub(o->margin, cot_mul(x[2], cot_sub(x[0], x[1])))))

#define LOSS_2(name)                                                                           \
    cot_value cot_##name##_(cot_place at, cot_value x, cot_value y, const cot_loss_options *o, \
                            size_t size)                                                       \
    {                                                                                          \
        return run(at, #name, name, 2, (const cot_value[]){ x, y }, o, size);                  \
    }
#define LOSS_3(name)                                                                           \
    cot_value cot_##name##_(cot_place at, cot_value x, cot_value y, cot_value z,               \
                            const cot_loss_options *o, size_t size)                            \
    {                                                                                          \
        return run(at, #name, name, 3, (const cot_value[]){ x, y, z }, o, size);               \
    }
LOSS_2(l1)
LOSS_2(smooth_l1)
LOSS_2(huber)
LOSS_2(bce)
LOSS_2(bce_with_logits)
LOSS_2(kl_div)
LOSS_2(hinge)
LOSS_2(hinge_embedding)
LOSS_2(soft_margin)
LOSS_2(poisson_nll)
LOSS_3(gaussian_nll)
LOSS_3(cosine_embedding)
LOSS_3(margin_ranking)
LOSS_3(triplet)

cot_value
cot_mse_loss_(cot_place at, cot_value x, cot_value y, const cot_loss_options *options,
              size_t size)
{
    FE_OPTIONS(cot_loss_options, o, options, size);

    if (o.reduction == COT_LOSS_MEAN)
        return cot_mse_(at, x, y);
    return run(at, "mse", mse_loss, 2, (const cot_value[]){ x, y }, options, size);
}

cot_value
cot_cosine_similarity_(cot_place at, cot_value x, cot_value y, int axis, double eps)
{
    const cot_list axes = COT_LIST(axis);

    if (!fe_floating(at, "cosine_similarity", x))
        return x;
    cot_value u = cot_normalize(fe_wide(at, x), .axes = axes, .eps = eps);
    cot_value v = cot_normalize(fe_wide(at, y), .axes = axes, .eps = eps);
    return fe_back(at, cot_reduce_sum(cot_mul(u, v), .axes = axes), cot_dtype_of(x));
}
