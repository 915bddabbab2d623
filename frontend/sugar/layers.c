/* Layers with weights: linear, and batch norm with its running statistics as values.
 *
 * Batch norm updates nothing in place: the statistics go in, and what they become comes out, so
 * that it maps and differentiates like any composition.  Without statistics each batch is
 * normalised by its own.  Source: S. Ioffe, C. Szegedy, Batch Normalization, 2015. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"

static ir_ref
linear(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ir_type *tx = ir_btype(b, x[0].ref), *tw = ir_btype(b, x[1].ref);

    (void)options;
    if (tx->rank < 1 || tw->rank != 2 || tw->dims[1] != tx->dims[tx->rank - 1]) {
        ir_build_fail(b, "linear", ERR_linear, ir_type_str(b->ctx, tx),
                      ir_type_str(b->ctx, tw));
        return IR_NONE;
    }
    if (tx->dtype != tw->dtype || !ir_is_float(tx->dtype)) {
        ir_build_fail(b, "linear", ERR_dtypes_differ, ir_type_str(b->ctx, tx),
                      ir_type_str(b->ctx, tw));
        return IR_NONE;
    }
    int64_t lhs = tx->rank - 1, rhs = 1;
    ir_ref y = ir_dot(b, x[0].ref, x[1].ref, (ir_ints){ 1, &lhs }, (ir_ints){ 1, &rhs },
                      (ir_ints){ 0, NULL }, (ir_ints){ 0, NULL });
    return y && n > 2 ? fe_op2(b, OP_add, y, x[2].ref) : y;
}

cot_value
cot_linear_(cot_place at, cot_value x, cot_value weight, cot_value bias)
{
    const cot_value all[] = { x, weight, bias };

    return fe_apply_values(at, "linear", linear, cot_values_of(bias.ctx ? 3 : 2, all), NULL);
}

typedef struct norm_call {
    cot_batch_norm_options o;
    cot_value *stats; /* two results, or NULL */
} norm_call;

static const char op[] = "batch_norm";

/* A weight or a statistic: one element for each that the mean over the batch leaves. */
static ir_ref
per_channel(ir_build *b, cot_value v, const ir_type *like, int i)
{
    ir_ref w = fe_resolve(b->ctx->trace, v, op, i);
    const ir_type *t = w ? ir_btype(b, w) : NULL;

    if (!t)
        return IR_NONE;
    w = fe_widen(b, w);
    if (t->rank == like->rank && ir_btype(b, w) == like)
        return w;
    ir_build_fail(b, op, ERR_operand_type, i, ir_type_str(b->ctx, t),
                  ir_type_str(b->ctx, like));
    return IR_NONE;
}

/* (1 - momentum) old + momentum new */
static ir_ref
moved(ir_build *b, ir_ref old, ir_ref new, double momentum)
{
    ir_ref product = ir_mul(b, new, ir_like(b, new, momentum));
    return ir_add(b, ir_mul(b, old, ir_like(b, old, 1 - momentum)), product);
}

/* The mean and variance that batch_norm subtracts and divides by. */
typedef struct moments {
    ir_ref mean, var;
} moments;

static void
give_stats(ir_build *b, const norm_call *c, ir_ref mean, ir_ref var)
{
    c->stats[0] = fe_handle(b->ctx->trace, mean);
    c->stats[1] = fe_handle(b->ctx->trace, var);
}

/* The moments of the batch, from its sum over `count` elements; the running ones move towards
 * them, with the unbiased variance. */
static moments
moments_of_batch(ir_build *b, const norm_call *c, ir_ref wide, ir_axes axes, ir_ref sum,
                 double count)
{
    const double momentum = c->o.momentum == 0 ? 0.1 : c->o.momentum;
    ir_ref mean = ir_div(b, sum, ir_like(b, sum, count));
    ir_ref d = ir_sub(b, wide, fe_spread(b, mean, wide, axes));
    ir_ref ss = fe_reduce(b, OP_reduce_sum, ir_mul(b, d, d), axes, false);
    ir_ref var = ir_div(b, ss, ir_like(b, ss, count));

    if (c->stats && c->o.mean.ctx) {
        const ir_type *like = ir_btype(b, sum);
        ir_ref m = per_channel(b, c->o.mean, like, 3), v = per_channel(b, c->o.var, like, 4);
        if (!m || !v)
            return (moments){ IR_NONE, IR_NONE };
        m = moved(b, m, mean, momentum);
        give_stats(b, c, m, moved(b, v, ir_div(b, ss, ir_like(b, ss, count - 1)), momentum));
    }
    return (moments){ mean, var };
}

static moments
running_moments(ir_build *b, const norm_call *c, const ir_type *like)
{
    ir_ref mean = per_channel(b, c->o.mean, like, 3), var = per_channel(b, c->o.var, like, 4);

    if (mean && var && c->stats)
        give_stats(b, c, mean, var);
    return (moments){ mean, var };
}

static ir_ref
batch_norm(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const norm_call *c = options;
    const cot_batch_norm_options *o = &c->o;
    const ir_type *t = ir_btype(b, x[0].ref);
    double count = 1;
    ir_axes axes;

    (void)n;
    if (!fe_is_float(b, op, t))
        return IR_NONE;
    if (!fe_axes(b, op, o->axes, t->rank, ir_axes_below(t->rank) & ~ir_axes_of(1), &axes))
        return IR_NONE;
    for (int k = 0; k < t->rank; k++)
        count *= ir_axes_has(axes, k) ? (double)t->dims[k] : 1;
    ir_ref wide = fe_widen(b, x[0].ref), y, w;
    ir_ref sum = fe_reduce(b, OP_reduce_sum, wide, axes, false);
    if (!sum)
        return IR_NONE;
    const ir_type *like = ir_btype(b, sum);
    const moments m = o->training || !o->mean.ctx
                          ? moments_of_batch(b, c, wide, axes, sum, count)
                          : running_moments(b, c, like);
    if (!m.mean || !m.var)
        return IR_NONE;
    ir_ref scale =
        ir_op1(b, OP_rsqrt, ir_add(b, m.var, ir_like(b, m.var, o->eps == 0 ? 1e-5 : o->eps)));
    ir_ref spread = fe_spread(b, scale, wide, axes);
    y = ir_mul(b, ir_sub(b, wide, fe_spread(b, m.mean, wide, axes)), spread);
    if (o->scale.ctx && (w = per_channel(b, o->scale, like, 1)))
        y = ir_mul(b, y, fe_spread(b, w, wide, axes));
    if (o->bias.ctx && (w = per_channel(b, o->bias, like, 2)))
        y = ir_add(b, y, fe_spread(b, w, wide, axes));
    return fe_narrow(b, y, t->dtype);
}

cot_value
cot_batch_norm_(cot_place at, cot_value x, cot_value *stats,
                const cot_batch_norm_options *options, size_t size)
{
    norm_call c = { .stats = stats };

    fe_options(&c.o, sizeof c.o, options, size);
    if (stats)
        stats[0] = stats[1] = (cot_value){ NULL, 0, 0 };
    return fe_apply1(at, op, batch_norm, x, &c);
}
