/* Batch norms: mean and variance of all axes but that of the features.
 *
 * Source: S. Ioffe, C. Szegedy, Batch normalization, ICML 2015; the gradient is of the formula
 * with the variance divided by n. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

typedef struct norm_pattern {
    ir_ref x;           /* f16 and bf16 as f32 */
    const ir_type *t;   /* of x */
    int axis;
    ir_axes others;
    double n, epsilon;  /* n: the number of elements that a feature is averaged over */
} norm_pattern;

static bool
read_norm(hlo_emit *e, norm_pattern *s)
{
    const ir_type *t = fe_hlo_in_type(e, 0);
    const hlo_attr *epsilon = fe_hlo_find(e->op, "epsilon", NULL);
    int64_t axis;

    if (!fe_hlo_int(e, "feature_index", NULL, &axis))
        return false;
    if (axis < 0 || axis >= t->rank || !ir_is_float(t->dtype)) {
        fe_hlo_fail(e, "feature_index is %lld of %s; wants an axis of floats", (long long)axis,
                    ir_type_str(e->b->ctx, t));
        return false;
    }
    for (int i = 1; i < e->n_in; i++) {
        const ir_type *v = fe_hlo_in_type(e, i);
        if (i == 4 && strcmp(e->row->op, "grad") == 0
                ? v != t
                : v->rank != 1 || v->dims[0] != t->dims[axis])
            fe_hlo_fail(e, "operand %d is %s; wants one number for each feature", i,
                        ir_type_str(e->b->ctx, v));
    }
    *s = (norm_pattern){ .axis = (int)axis, .n = 1 };
    s->x = ir_convert(e->b, e->in[0], ir_compute_type(t->dtype));
    for (int k = 0; k < t->rank; k++)
        if (k != s->axis) {
            s->others |= ir_axes_of(k);
            s->n *= (double)t->dims[k];
        }
    s->epsilon = epsilon && epsilon->kind == HLO_REAL  ? (double)(float)epsilon->x
                 : epsilon && epsilon->kind == HLO_INT ? (double)epsilon->i
                                                       : 0;
    s->t = s->x ? ir_btype(e->b, s->x) : NULL;
    return !fe_hlo_bad(e) && s->t;
}

/* A number for each feature, for each element. */
static ir_ref
wide(hlo_emit *e, const norm_pattern *s, ir_ref v)
{
    const int64_t axis = s->axis;

    v = v ? ir_convert(e->b, v, s->t->dtype) : IR_NONE;
    return v ? ir_broadcast_in_dim(e->b, v, s->t->rank, s->t->dims, &axis) : IR_NONE;
}

static ir_ref
sum(hlo_emit *e, const norm_pattern *s, ir_ref x)
{
    return x ? ir_reduce(e->b, OP_reduce_sum, x, s->others) : IR_NONE;
}

static ir_ref
mean(hlo_emit *e, const norm_pattern *s, ir_ref x)
{
    ir_ref y = sum(e, s, x);

    return y ? ir_div(e->b, y, ir_like(e->b, y, s->n)) : IR_NONE;
}

/* sqrt(variance + epsilon), for each element. */
static ir_ref
deviation(hlo_emit *e, const norm_pattern *s, ir_ref variance)
{
    ir_ref v = variance ? ir_convert(e->b, variance, s->t->dtype) : IR_NONE;

    v = v ? ir_op1(e->b, OP_sqrt, ir_add(e->b, v, ir_like(e->b, v, s->epsilon))) : IR_NONE;
    return wide(e, s, v);
}

/* (x - mean) / deviation * scale + offset */
static ir_ref
normal(hlo_emit *e, const norm_pattern *s, ir_ref m, ir_ref variance)
{
    ir_ref spread = deviation(e, s, variance);
    ir_ref y = ir_div(e->b, ir_sub(e->b, s->x, wide(e, s, m)), spread);

    ir_ref right = wide(e, s, e->in[2]);
    return ir_add(e->b, ir_mul(e->b, wide(e, s, e->in[1]), y), right);
}

static void
put(hlo_emit *e, int i, ir_ref y)
{
    if (y && i < e->n_out)
        e->out[i] = ir_convert(e->b, y, fe_hlo_in_type(e, 0)->dtype);
}

/* dx = scale / deviation (ct - mean(ct) - z mean(ct z)), z = (x - mean) / deviation */
static void
gradient(hlo_emit *e, const norm_pattern *s)
{
    ir_build *b = e->b;
    ir_ref ct = ir_convert(b, e->in[4], s->t->dtype), d = deviation(e, s, e->in[3]);
    ir_ref z = ir_div(b, ir_sub(b, s->x, wide(e, s, e->in[2])), d);
    ir_ref both = ir_mul(b, ct, z);
    ir_ref product = ir_mul(b, z, wide(e, s, mean(e, s, both)));
    ir_ref inner = ir_sub(b, ir_sub(b, ct, wide(e, s, mean(e, s, ct))), product);

    put(e, 0, ir_mul(b, ir_div(b, wide(e, s, e->in[1]), d), inner));
    put(e, 1, sum(e, s, both));
    put(e, 2, sum(e, s, ct));
}

void
fe_hlo_batch_norm(hlo_emit *e)
{
    const char *what = e->row->op;
    norm_pattern s;

    if (!read_norm(e, &s))
        return;
    if (strcmp(what, "grad") == 0) {
        gradient(e, &s);
    } else if (strcmp(what, "inference") == 0) {
        put(e, 0, normal(e, &s, e->in[3], e->in[4]));
    } else {
        ir_ref m = mean(e, &s, s.x), c = ir_sub(e->b, s.x, wide(e, &s, m));
        ir_ref v = mean(e, &s, ir_mul(e->b, c, c));
        put(e, 0, normal(e, &s, m, v));
        put(e, 1, m);
        put(e, 2, v);
    }
}
