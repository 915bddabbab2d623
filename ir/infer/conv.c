/* Types of convolutions: groups, examples, positions, features. */
#include "ir/infer/infer.h"

static int
spaced(const infer_ctx *c, const char *what, ir_ints s, int n)
{
    if (infer_length(c, what, s, n) < 0)
        return -1;
    for (int i = 0; i < n; i++)
        if (s.at[i] < 1 || s.at[i] > (int64_t)1 << 40)
            return INFER_FAIL(c, ERR_attr_wrong,
                              ir_format(c->b->arena, "%s[%d] is %lld; wants %s", what, i,
                                        (long long)s.at[i],
                                        s.at[i] < 1 ? "1 or more" : "2^40 or less"));
    return 0;
}

/* How many windows of that many elements fit on an axis. */
static int64_t
positions(int64_t size, int64_t window, int64_t stride, int64_t dilation)
{
    if (window > 1 && dilation > (size - 1) / (window - 1))
        return 0;
    const int64_t wide = (window - 1) * dilation + 1;
    return size < wide ? 0 : (size - wide) / stride + 1;
}

int
infer_conv(const infer_ctx *c)
{
    const ir_type *x = c->in[0], *y = c->in[1];
    const int r = x->rank, n = r - 3;
    int64_t dims[COT_MAX_RANK];

    if (infer_dtype_is(c, 0, infer_is_number(x->dtype), "a number") < 0)
        return -1;
    if (x->dtype != y->dtype)
        return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, y));
    if (r < 3 || y->rank != r || x->dims[0] != y->dims[0] || x->dims[r - 1] != y->dims[r - 2])
        return INFER_FAIL(c, ERR_attr_wrong,
                          ir_format(c->b->arena,
                                    "operands are %s and %s; wants [groups, n, spatial, c] and "
                                    "[groups, window, c, o]",
                                    infer_str(c, x), infer_str(c, y)));
    if (spaced(c, "strides", c->at->conv.strides, n) < 0 ||
        spaced(c, "dilation", c->at->conv.dilation, n) < 0)
        return -1;
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    for (int i = 0; i < n; i++) {
        if (y->dims[1 + i] < 1)
            return INFER_FAIL(
                c, ERR_attr_wrong,
                ir_format(c->b->arena, "the window of %s has no elements", infer_str(c, y)));
        dims[2 + i] = positions(x->dims[2 + i], y->dims[1 + i], c->at->conv.strides.at[i],
                                c->at->conv.dilation.at[i]);
    }
    dims[r - 1] = y->dims[r - 1];
    return infer_one(c, infer_shaped(c, x, r, dims));
}
