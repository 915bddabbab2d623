/* Types of ops that move elements without computing. */
#include "ir/infer/infer.h"

/* The limit of padding and distances is that of sizes, so that sums of a few of them fit. */
#define FARTHEST ((int64_t)1 << 48)

int
infer_broadcast(const infer_ctx *c)
{
    ir_ints shape = c->at->broadcast.shape, dims = c->at->broadcast.dims;
    const ir_type *x = c->in[0];
    ir_axes set;

    if (shape.n > COT_MAX_RANK)
        return INFER_FAIL(c, ERR_rank_limit, shape.n);
    if (infer_length(c, "dims", dims, x->rank) < 0 ||
        infer_axis_list(c, "dims", dims, shape.n, &set) < 0 ||
        infer_ascending(c, "dims", dims) < 0)
        return -1;
    for (int i = 0; i < x->rank; i++) {
        int64_t n = shape.at[dims.at[i]];

        if (x->dims[i] != n && x->dims[i] != 1)
            return INFER_FAIL(c, ERR_broadcast_size, i, infer_str(c, x), (long long)dims.at[i],
                              (long long)n);
    }
    return infer_one(c, infer_shaped(c, x, shape.n, shape.at));
}

int
infer_reshape(const infer_ctx *c)
{
    ir_ints shape = c->at->shape.shape;
    const ir_type *t = infer_shaped(c, c->in[0], shape.n, shape.at);

    if (t && t->size != c->in[0]->size)
        return INFER_FAIL(c, ERR_element_count, infer_str(c, c->in[0]),
                          (long long)c->in[0]->size, (long long)t->size);
    return infer_one(c, t);
}

int
infer_transpose(const infer_ctx *c)
{
    ir_ints perm = c->at->perm.perm;
    const ir_type *x = c->in[0];
    int64_t dims[COT_MAX_RANK];
    ir_axes set;

    if (infer_length(c, "perm", perm, x->rank) < 0 ||
        infer_axis_list(c, "perm", perm, x->rank, &set) < 0)
        return -1;
    for (int i = 0; i < x->rank; i++)
        dims[i] = x->dims[perm.at[i]];
    return infer_one(c, infer_shaped(c, x, x->rank, dims));
}

int
infer_slice(const infer_ctx *c)
{
    ir_ints start = c->at->slice.start, limit = c->at->slice.limit,
            stride = c->at->slice.stride;
    const ir_type *x = c->in[0];
    int64_t dims[COT_MAX_RANK];

    if (infer_length(c, "start", start, x->rank) < 0 ||
        infer_length(c, "limit", limit, x->rank) < 0 ||
        infer_length(c, "stride", stride, x->rank) < 0 ||
        infer_sizes(c, "limit", limit, x->dims) < 0 ||
        infer_sizes(c, "start", start, limit.at) < 0)
        return -1;
    for (int i = 0; i < x->rank; i++) {
        int64_t n = limit.at[i] - start.at[i];

        if (stride.at[i] < 1 || stride.at[i] > FARTHEST)
            return INFER_FAIL(c, ERR_list_range, "stride", i, (long long)stride.at[i], 1ll,
                              (long long)FARTHEST);
        dims[i] = n == 0 ? 0 : (n - 1) / stride.at[i] + 1;
    }
    return infer_one(c, infer_shaped(c, x, x->rank, dims));
}

/* low + (n + (n - 1) interior) + high. */
static int
padded_size(const infer_ctx *c, int i, int64_t *size)
{
    int64_t n = c->in[0]->dims[i], low = c->at->pad.low.at[i], high = c->at->pad.high.at[i];
    int64_t interior = c->at->pad.interior.at[i], gaps;

    if (low < -FARTHEST || low > FARTHEST)
        return INFER_FAIL(c, ERR_list_range, "low", i, (long long)low, -(long long)FARTHEST,
                          (long long)FARTHEST);
    if (high < -FARTHEST || high > FARTHEST)
        return INFER_FAIL(c, ERR_list_range, "high", i, (long long)high, -(long long)FARTHEST,
                          (long long)FARTHEST);
    if (interior < 0 || interior > FARTHEST)
        return INFER_FAIL(c, ERR_list_range, "interior", i, (long long)interior, 0ll,
                          (long long)FARTHEST);
    if (__builtin_mul_overflow(n > 0 ? n - 1 : 0, interior, &gaps) ||
        __builtin_add_overflow(n + low + high, gaps, size))
        return INFER_FAIL(c, ERR_size_limit);
    return 0;
}

int
infer_pad(const infer_ctx *c)
{
    const ir_type *x = c->in[0], *y = c->in[1];
    int64_t dims[COT_MAX_RANK];

    if (y->rank != 0 || y->dtype != x->dtype)
        return INFER_FAIL(c, ERR_operand_type, 1, infer_str(c, y),
                          ir_format(c->b->arena, "a scalar of %s", cot_dtype_name(x->dtype)));
    if (infer_length(c, "low", c->at->pad.low, x->rank) < 0 ||
        infer_length(c, "high", c->at->pad.high, x->rank) < 0 ||
        infer_length(c, "interior", c->at->pad.interior, x->rank) < 0)
        return -1;
    for (int i = 0; i < x->rank; i++)
        if (padded_size(c, i, &dims[i]) < 0)
            return -1;
    return infer_one(c, infer_shaped(c, x, x->rank, dims));
}

int
infer_concatenate(const infer_ctx *c)
{
    int64_t axis = c->at->axis.axis, total = 0, dims[COT_MAX_RANK];

    if (c->n_in == 0)
        return INFER_FAIL(c, ERR_operand_count, 0, 1);
    const ir_type *x = c->in[0];
    if (infer_axis(c, axis, x) < 0)
        return -1;
    for (int i = 0; i < c->n_in; i++) {
        const ir_type *y = c->in[i];

        if (y->dtype != x->dtype)
            return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, y));
        if (y->rank != x->rank)
            return INFER_FAIL(c, ERR_shapes_differ, infer_str(c, x), infer_str(c, y));
        for (int k = 0; k < x->rank; k++)
            if (k != axis && x->dims[k] != y->dims[k])
                return INFER_FAIL(c, ERR_operand_type, i, infer_str(c, y),
                                  ir_format(c->b->arena,
                                            "size %lld on axis %d, as in operand 0",
                                            (long long)x->dims[k], k));
        if (__builtin_add_overflow(total, y->dims[axis], &total))
            return INFER_FAIL(c, ERR_size_limit);
    }
    for (int k = 0; k < x->rank; k++)
        dims[k] = k == axis ? total : x->dims[k];
    return infer_one(c, infer_shaped(c, x, x->rank, dims));
}

int
infer_reverse(const infer_ctx *c)
{
    ir_axes over = c->at->axes.axes & ~ir_axes_below(c->in[0]->rank);

    if (over)
        return infer_axis(c, __builtin_ctzll(over), c->in[0]);
    return infer_one(c, c->in[0]);
}

/* A window that does not fit is none: the axis of windows is empty. */
int
infer_windows(const infer_ctx *c)
{
    const int64_t axis = c->at->windows.axis, size = c->at->windows.size,
                  stride = c->at->windows.stride;
    const int64_t dilation = c->at->windows.dilation;
    const ir_type *x = c->in[0];
    int64_t dims[COT_MAX_RANK];

    if (infer_axis(c, axis, x) < 0)
        return -1;
    if (size < 1 || size > FARTHEST)
        return INFER_FAIL(c, ERR_attr_value, "size", (long long)size,
                          size < 1 ? "1 or more" : "2^48 or less");
    if (stride < 1 || stride > FARTHEST)
        return INFER_FAIL(c, ERR_attr_value, "stride", (long long)stride,
                          stride < 1 ? "1 or more" : "2^48 or less");
    if (dilation < 1 || dilation > FARTHEST)
        return INFER_FAIL(c, ERR_attr_value, "dilation", (long long)dilation,
                          dilation < 1 ? "1 or more" : "2^48 or less");
    if (x->rank == COT_MAX_RANK)
        return INFER_FAIL(c, ERR_rank_limit, x->rank + 1);
    for (int k = 0; k < x->rank; k++)
        dims[k] = x->dims[k];
    const bool fits =
        size == 1 ? x->dims[axis] > 0 : dilation <= (x->dims[axis] - 1) / (size - 1);
    dims[axis] = fits && x->dims[axis] > 0
                     ? (x->dims[axis] - 1 - (size - 1) * dilation) / stride + 1
                     : 0;
    dims[x->rank] = size;
    return infer_one(c, infer_shaped(c, x, x->rank + 1, dims));
}

int
infer_iota(const infer_ctx *c)
{
    ir_ints shape = c->at->iota.shape;
    cot_dtype t = c->at->iota.dtype;

    if (t <= COT_BOOL || t >= COT_DTYPE_COUNT)
        return INFER_FAIL(c, ERR_attr_value, "dtype", (long long)t, "a number");
    const ir_type *x = infer_type(c, t, shape.n, shape.at);
    if (!x || infer_axis(c, c->at->iota.axis, x) < 0)
        return -1;
    return infer_one(c, x);
}

int
infer_constant(const infer_ctx *c)
{
    const ir_type *t = c->at->constant.data.type;
    ir_data data = c->at->constant.data;

    if (!t)
        return INFER_FAIL(c, ERR_attr_missing, "data");
    size_t element = cot_dtype_size(t->dtype);
    size_t wanted = data.splat ? element : element * (size_t)t->size;
    if (data.n != wanted || (wanted > 0 && !data.bytes))
        return INFER_FAIL(c, ERR_attr_value, "the number of bytes of data", (long long)data.n,
                          ir_format(c->b->arena, "%lld for %s", (long long)wanted,
                                    infer_str(c, t)));
    return infer_one(c, t);
}
