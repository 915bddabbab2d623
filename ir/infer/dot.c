/* Types of products: batch axes, then the free axes of x, then those of y. */
#include "ir/infer/infer.h"

/* Axes of x and y pair by pair have equal sizes. */
static int
sizes_agree(const infer_ctx *c, const char *what, ir_ints lhs, ir_ints rhs)
{
    const ir_type *x = c->in[0], *y = c->in[1];

    for (int i = 0; i < lhs.n; i++)
        if (x->dims[lhs.at[i]] != y->dims[rhs.at[i]])
            return INFER_FAIL(c, ERR_axis_sizes, what, "x", (long long)lhs.at[i],
                              (long long)x->dims[lhs.at[i]], "y", (long long)rhs.at[i],
                              (long long)y->dims[rhs.at[i]]);
    return 0;
}

/* Marks the contracted and the batch axes of one operand, which must be different; its free
 * axes are appended to dims. */
static int
side(const infer_ctx *c, int operand, ir_ints contracted, ir_ints batch, ir_axes *used)
{
    static const char *const name[2][2] = { { "lhs", "lhs_batch" }, { "rhs", "rhs_batch" } };
    const ir_type *x = c->in[operand];
    ir_axes k, m;

    if (infer_axis_list(c, name[operand][0], contracted, x->rank, &k) < 0 ||
        infer_axis_list(c, name[operand][1], batch, x->rank, &m) < 0 ||
        infer_disjoint(c, k, m) < 0)
        return -1;
    *used = k | m;
    return 0;
}

int
infer_dot(const infer_ctx *c)
{
    ir_ints lhs = c->at->dot.lhs, rhs = c->at->dot.rhs;
    ir_ints lhs_batch = c->at->dot.lhs_batch, rhs_batch = c->at->dot.rhs_batch;
    const ir_type *x = c->in[0], *y = c->in[1];
    int64_t dims[2 * COT_MAX_RANK];
    ir_axes used[2];
    int rank = 0;

    if (infer_dtype_is(c, 0, infer_is_number(x->dtype), "a number") < 0)
        return -1;
    if (x->dtype != y->dtype)
        return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, y));
    if (infer_length(c, "rhs", rhs, lhs.n) < 0 ||
        infer_length(c, "rhs_batch", rhs_batch, lhs_batch.n) < 0 ||
        side(c, 0, lhs, lhs_batch, &used[0]) < 0 || side(c, 1, rhs, rhs_batch, &used[1]) < 0 ||
        sizes_agree(c, "contracted", lhs, rhs) < 0 ||
        sizes_agree(c, "batch", lhs_batch, rhs_batch) < 0)
        return -1;
    for (int i = 0; i < lhs_batch.n; i++)
        dims[rank++] = x->dims[lhs_batch.at[i]];
    for (int operand = 0; operand < 2; operand++)
        for (int k = 0; k < c->in[operand]->rank; k++)
            if (!ir_axes_has(used[operand], k))
                dims[rank++] = c->in[operand]->dims[k];
    return infer_one(c, infer_shaped(c, x, rank, dims));
}
