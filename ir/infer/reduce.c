/* Types of reductions: the reduced axes leave the shape. */
#include "ir/infer/infer.h"

/* Sum and product are defined in an order of elements (docs/numerics.md section 3) that
 * adjacent axes share; ir_reduce splits other sets of axes, last group first. */
static bool
adjacent(ir_axes s)
{
    if (s == 0)
        return true;
    s >>= __builtin_ctzll(s);
    return (s & (s + 1)) == 0;
}

static int
reduced(const infer_ctx *c)
{
    const ir_type *x = c->in[0];
    ir_axes axes = c->at->axes.axes, over = axes & ~ir_axes_below(x->rank);
    int64_t dims[COT_MAX_RANK];
    int rank = 0;

    if (over)
        return infer_axis(c, __builtin_ctzll(over), x);
    if (ir_is_ordered(c->op) && !adjacent(axes))
        return INFER_FAIL(c, ERR_axes_apart);
    for (int k = 0; k < x->rank; k++)
        if (!ir_axes_has(axes, k))
            dims[rank++] = x->dims[k];
    return infer_one(c, infer_shaped(c, x, rank, dims));
}

int
infer_reduce(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, infer_is_number(c->in[0]->dtype), "a number") < 0)
        return -1;
    return reduced(c);
}

int
infer_reduce_real(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, infer_is_real(c->in[0]->dtype), infer_real_name(c->in[0]->dtype)) <
        0)
        return -1;
    return reduced(c);
}

int
infer_reduce_bits(const infer_ctx *c)
{
    if (infer_dtype_is(c, 0, infer_is_bits(c->in[0]->dtype), "an integer or bool") < 0)
        return -1;
    return reduced(c);
}

/* The largest index that integer type t can hold. */
static int64_t
most_index(cot_dtype t)
{
    int bits = ir_bits(t) - (ir_is_signed(t) ? 1 : 0);

    return bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) - 1;
}

int
infer_arg(const infer_ctx *c)
{
    const ir_type *x = c->in[0];
    int64_t axis = c->at->arg.axis;
    cot_dtype t = c->at->arg.dtype;

    if (infer_dtype_is(c, 0, infer_is_real(x->dtype), infer_real_name(x->dtype)) < 0 ||
        infer_axis(c, axis, x) < 0)
        return -1;
    if (t < COT_I8 || t > COT_U64)
        return INFER_FAIL(c, ERR_attr_value, "dtype", (long long)t, "an integer type");
    if (x->dims[axis] == 0)
        return INFER_FAIL(c, ERR_axis_empty, (long long)axis, infer_str(c, x));
    if (x->dims[axis] - 1 > most_index(t))
        return INFER_FAIL(c, ERR_count_limit, (long long)axis, (long long)x->dims[axis],
                          cot_dtype_name(t));
    const ir_type *as = ir_type_as(c->b->ctx, x, t);
    return infer_one(c, ir_type_close(c->b->ctx, as, (int)axis));
}
