/* Counting: ones, or weights, added at the indices that the elements are. */
#include <math.h>

#include "cotrace/order.h"

#include "frontend/trace.h"

typedef struct counting {
    const char *op;
    int64_t n;
    double low, high;
} counting;

/* Weights of the shape of t, as a vector; f16 and bf16 widened.  Absent: ones. */
static ir_ref
summands(ir_build *b, const counting *d, const ir_type *t, int n, const fe_arg *x)
{
    if (n < 2)
        return ir_splat_int(
            b, ir_type_shaped(b->ctx, ir_type_as(b->ctx, t, COT_I32), 1, &t->size), 1);
    if (x[1].ref && !ir_same_shape(t, ir_btype(b, x[1].ref))) {
        ir_build_fail(b, d->op, ERR_shapes_differ, ir_type_str(b->ctx, t),
                      ir_type_str(b->ctx, ir_btype(b, x[1].ref)));
        return IR_NONE;
    }
    return ir_reshape(b, fe_widen(b, x[1].ref), 1, &t->size);
}

/* The summand of each index (i64, any shape) that is one of 0 ... n-1. */
static ir_ref
count(ir_build *b, const counting *d, ir_ref index, int n, const fe_arg *x)
{
    const int64_t zero = 0, vectors[2] = { index ? ir_btype(b, index)->size : 0, 1 };
    ir_ref one = index ? summands(b, d, ir_btype(b, index), n, x) : IR_NONE;

    if (!one)
        return IR_NONE;
    const ir_type *t = ir_type_shaped(b->ctx, ir_btype(b, one), 1, &d->n);
    if (!t) {
        b->status = b->ctx->status;
        return IR_NONE;
    }
    ir_attrs a = {
        .scatter = { .inserted = { 1, &zero }, .index_map = { 1, &zero }, .mode = IR_MODE_FILL }
    };
    ir_ref in[3] = { ir_zeros(b, t), ir_reshape(b, index, 2, vectors), one };
    ir_ref y = ir_node1(b, OP_scatter_add, 3, in, &a);
    return n < 2 ? y : fe_narrow(b, y, ir_btype(b, x[1].ref)->dtype);
}

static ir_ref
bincount(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const counting *d = options;
    const ir_type *t = ir_btype(b, x[0].ref);

    if (!ir_is_int(t->dtype)) {
        ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, t), "an integer type");
        return IR_NONE;
    }
    return count(b, d, t->dtype == COT_U64 ? x[0].ref : ir_convert(b, x[0].ref, COT_I64), n, x);
}

/* The edge after i parts (f64) in type t, as numpy.linspace has it: i times the step, rounded,
 * and low; rounded once where the range is more than a number holds. */
static ir_ref
edge(ir_build *b, const counting *d, ir_ref i, cot_dtype t)
{
    const double range = d->high - d->low, n = (double)d->n;
    const bool holds = isfinite(range);
    ir_ref step = ir_like(b, i, holds ? range / n : d->high / n - d->low / n),
           low = ir_like(b, i, d->low);

    ir_ref y = ir_op3(b, OP_fma, i, step, holds ? ir_like(b, i, -0.0) : low);
    return ir_convert(b, holds ? ir_add(b, y, low) : y, t);
}

/* The part that y is in, i64: by its distance, and one less or more where the edges say so,
 * which are what users compare with.  The distance is halved: the range may be more than a
 * number holds. */
static ir_ref
part_of(ir_build *b, const counting *d, ir_ref y)
{
    const cot_dtype t = ir_btype(b, y)->dtype;
    ir_ref wide = ir_convert(b, y, COT_F64), zero = ir_like(b, wide, 0),
           one = ir_like(b, wide, 1);
    ir_ref last = ir_like(b, wide, (double)(d->n - 1)),
           scale = ir_like(b, wide, (double)d->n / (d->high / 2 - d->low / 2));
    ir_ref constant = ir_like(b, wide, d->low / 2);
    ir_ref far = ir_sub(b, ir_mul(b, wide, ir_like(b, wide, 0.5)), constant);

    ir_ref i = ir_op2(
        b, OP_max, ir_op2(b, OP_min, ir_op1(b, OP_floor, ir_mul(b, far, scale)), last), zero);
    ir_ref next = ir_op2(b, OP_min, ir_add(b, i, one), last),
           back = ir_op2(b, OP_max, ir_sub(b, i, one), zero);
    ir_ref after = ir_op2(b, OP_ge, y, edge(b, d, next, t)),
           before = ir_op2(b, OP_lt, y, edge(b, d, i, t));
    return ir_convert(b, ir_select(b, after, next, ir_select(b, before, back, i)), COT_I64);
}

static ir_ref
histogram(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const counting *d = options;
    ir_ref y = ir_op1(b, OP_stop_gradient, x[0].ref);
    const ir_type *t = y ? ir_btype(b, y) : NULL;

    if (!t)
        return IR_NONE;
    if (!ir_is_float(t->dtype) || !(d->low < d->high)) {
        if (fe_is_float(b, d->op, t))
            ir_build_fail(b, d->op, ERR_attr_wrong,
                          ir_format(b->arena,
                                    "the range is %g to %g; wants the lower bound first",
                                    d->low, d->high));
        return IR_NONE;
    }
    ir_ref above = ir_op2(b, OP_ge, y, ir_like(b, y, d->low)),
           below = ir_op2(b, OP_le, y, ir_like(b, y, d->high));
    ir_ref i = part_of(b, d, y);
    if (!i)
        return IR_NONE;
    ir_ref none = ir_like(b, i, -1);
    return count(b, d, ir_select(b, ir_op2(b, OP_and, above, below), i, none), n, x);
}

static cot_value
counted(cot_place at, fe_rule *rule, const counting *d, cot_value x,
        const cot_count_options *from, size_t size)
{
    cot_count_options o = { .end_ = 0 };

    if (from)
        fe_options(&o, sizeof o, from, size);
    return o.weights.ctx ? fe_apply2(at, d->op, rule, x, o.weights, d)
                         : fe_apply1(at, d->op, rule, x, d);
}

cot_value
cot_bincount_(cot_place at, cot_value x, int64_t n, const cot_count_options *o, size_t size)
{
    return counted(at, bincount, &(counting){ .op = "bincount", .n = n }, x, o, size);
}

cot_value
cot_histogram_(cot_place at, cot_value x, int64_t n, double low, double high,
               const cot_count_options *o, size_t size)
{
    return counted(at, histogram, &(counting){ "histogram", n, low, high }, x, o, size);
}
