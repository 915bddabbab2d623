/* Types of argsort, top_k and the cumulative ops, which work along one axis. */
#include "ir/infer/infer.h"

/* The largest place that integer type t can hold. */
static int64_t
most_place(cot_dtype t)
{
    int bits = ir_bits(t) - (ir_is_signed(t) ? 1 : 0);

    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

int
infer_argsort(const infer_ctx *c)
{
    const int64_t axis = c->at->arg.axis;
    const cot_dtype t = c->at->arg.dtype;

    if (c->n_in == 0)
        return INFER_FAIL(c, ERR_operand_count, 0, 1);
    for (int i = 0; i < c->n_in; i++)
        if (infer_dtype_is(c, i, !ir_is_complex(c->in[i]->dtype), "a type that has an order") <
            0)
            return -1;
    const ir_type *x = c->in[0];
    if (infer_axis(c, axis, x) < 0)
        return -1;
    for (int i = 1; i < c->n_in; i++)
        if (!ir_same_shape(x, c->in[i]))
            return INFER_FAIL(c, ERR_shapes_differ, infer_str(c, x), infer_str(c, c->in[i]));
    if (t < COT_I8 || t > COT_U64)
        return INFER_FAIL(c, ERR_attr_value, "dtype", (long long)t, "an integer type");
    if (x->dims[axis] - 1 > most_place(t))
        return INFER_FAIL(c, ERR_count_limit, (long long)axis, (long long)x->dims[axis],
                          cot_dtype_name(t));
    return infer_one(c, ir_type_as(c->b->ctx, x, t));
}

int
infer_top_k(const infer_ctx *c)
{
    const int64_t axis = c->at->top.axis, k = c->at->top.k;
    const cot_dtype t = c->at->top.dtype;
    const ir_type *x = c->in[0];
    int64_t dims[COT_MAX_RANK];

    if (infer_dtype_is(c, 0, !ir_is_complex(x->dtype), "a type that has an order") < 0 ||
        infer_axis(c, axis, x) < 0)
        return -1;
    if (t < COT_I8 || t > COT_U64)
        return INFER_FAIL(c, ERR_attr_value, "dtype", (long long)t, "an integer type");
    if (x->dims[axis] - 1 > most_place(t))
        return INFER_FAIL(c, ERR_count_limit, (long long)axis, (long long)x->dims[axis],
                          cot_dtype_name(t));
    if (k < 0 || k > x->dims[axis])
        return INFER_FAIL(c, ERR_attr_wrong,
                          ir_format(c->b->arena,
                                    "k is %lld; wants 0 to %lld, the size of the axis",
                                    (long long)k, (long long)x->dims[axis]));
    for (int i = 0; i < x->rank; i++)
        dims[i] = i == axis ? k : x->dims[i];
    return infer_one(c, infer_type(c, t, x->rank, dims));
}

int
infer_cumulate(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, infer_is_number(c->in[0]->dtype), "a number") < 0 ||
        infer_axis(c, c->at->cumulate.axis, c->in[0]) < 0)
        return -1;
    return infer_one(c, c->in[0]);
}

int
infer_cumulate_real(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, infer_is_real(c->in[0]->dtype), infer_real_name(c->in[0]->dtype)) <
        0)
        return -1;
    return infer_cumulate(c);
}
