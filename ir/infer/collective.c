/* Types of collectives: those of one example. */
#include "ir/infer/infer.h"

int
infer_axis_index(const infer_ctx *c)
{
    return infer_one(c, ir_scalar_type(c->b->ctx, COT_I32));
}

static int
size_ok(const infer_ctx *c)
{
    const int64_t n = c->at->stack.size;
    return n >= 0 ? 0 : INFER_FAIL(c, ERR_attr_wrong, "size is negative; wants 0 or more");
}

int
infer_all_gather(const infer_ctx *c)
{
    const ir_type *x = c->in[0];
    const int64_t axis = c->at->stack.axis;
    int64_t dims[COT_MAX_RANK + 1];

    if (axis < 0 || axis > x->rank)
        return INFER_FAIL(c, ERR_axis_range, (long long)axis, infer_str(c, x));
    if (size_ok(c) < 0)
        return -1;
    if (x->rank == COT_MAX_RANK)
        return INFER_FAIL(c, ERR_rank_limit, x->rank + 1);
    for (int k = 0; k <= x->rank; k++)
        dims[k] = k < axis ? x->dims[k] : k == axis ? c->at->stack.size : x->dims[k - 1];
    return infer_one(c, infer_shaped(c, x, x->rank + 1, dims));
}

int
infer_psum_scatter(const infer_ctx *c)
{
    const ir_type *x = c->in[0];
    const int64_t axis = c->at->stack.axis;
    int64_t dims[COT_MAX_RANK];

    if (infer_dtype_is(c, 0, infer_is_number(x->dtype), "a number") < 0 ||
        infer_axis(c, axis, x) < 0 || size_ok(c) < 0)
        return -1;
    if (x->dims[axis] != c->at->stack.size)
        return INFER_FAIL(c, ERR_size_not, (int)axis, infer_str(c, x),
                          (long long)c->at->stack.size);
    for (int k = 0; k + 1 < x->rank; k++)
        dims[k] = x->dims[k < axis ? k : k + 1];
    return infer_one(c, infer_shaped(c, x, x->rank - 1, dims));
}

/* The check is quadratic, in a list that is short in practice. */
int
infer_ppermute(const infer_ctx *c)
{
    const ir_ints p = c->at->permute.pairs;

    if (p.n % 2)
        return INFER_FAIL(c, ERR_axis_pairs, "are an odd list");
    for (int i = 0; i < p.n; i++) {
        if (p.at[i] < 0)
            return INFER_FAIL(c, ERR_axis_pairs, "name a negative example");
        for (int k = i % 2; k < i; k += 2)
            if (p.at[k] == p.at[i])
                return INFER_FAIL(c, ERR_axis_pairs,
                                  i % 2 ? "send to one example twice"
                                        : "send one example twice");
    }
    return infer_one(c, c->in[0]);
}
