/* Normalisation by groups, by examples, by the root of the mean square; rows of a table.
 *
 * A group norm is a layer norm of x seen as [n, groups, the rest], scaled by channel
 * afterwards; an instance norm has a group for each channel.  Sources: Y. Wu, K. He, Group
 * Normalization, 2018; D. Ulyanov et al., Instance Normalization, 2016; B. Zhang, R.
 * Sennrich, Root Mean Square Layer Normalization, 2019. */
#include <float.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

static cot_value
by_group(cot_place at, const char *op, cot_value x, int64_t groups, const cot_norm_options *o)
{
    const int rank = cot_rank(x);
    int64_t shape[COT_MAX_RANK], count = 1;

    if (cot_dtype_of(x) == COT_DTYPE_NONE || !fe_floating(at, op, x))
        return x;
    if (rank < 2 || groups < 1 || cot_size(x, 1) % groups)
        return fe_wrong(at, x, op, ERR_shape_wrong,
                        "x is %s with %lld groups; wants [n, c, ...] and groups that divide c",
                        fe_type_text(x), (long long)groups);
    for (int k = 0; k < rank; k++)
        shape[k] = cot_size(x, k);
    for (int k = 1; k < rank; k++)
        count *= shape[k];
    cot_value y = cot_reshape(fe_wide(at, x), shape[0], groups, count / groups);
    y = fe_shaped(at, cot_layer_norm(y, .eps = o->eps), rank, shape);
    return fe_back(at, fe_scaled(at, op, y, o->scale, o->bias), cot_dtype_of(x));
}

cot_value
cot_group_norm_(cot_place at, cot_value x, int64_t groups, const cot_norm_options *o,
                size_t size)
{
    FE_OPTIONS(cot_norm_options, opt, o, size);
    return by_group(at, "group_norm", x, groups, &opt);
}

cot_value
cot_instance_norm_(cot_place at, cot_value x, const cot_norm_options *o, size_t size)
{
    FE_OPTIONS(cot_norm_options, opt, o, size);
    return by_group(at, "instance_norm", x,
                    cot_rank(x) > 1 && cot_size(x, 1) > 0 ? cot_size(x, 1) : 1, &opt);
}

static cot_list
or_last(cot_list axes)
{
    static const int64_t last = -1;

    return axes.n || FE_AT(axes) ? axes : (cot_list){ .n = 1, .at = &last };
}

cot_value
cot_rms_norm_(cot_place at, cot_value x, const cot_norm_options *o, size_t size)
{
    FE_OPTIONS(cot_norm_options, opt, o, size);
    const cot_value w = fe_wide(at, x);
    const double eps = opt.eps != 0                 ? opt.eps
                       : cot_dtype_of(w) == COT_F64 ? DBL_EPSILON
                                                    : (double)FLT_EPSILON;

    if (!fe_floating(at, "rms_norm", x) ||
        !fe_fits(at, "rms_norm", ".scale", opt.scale, x, false) ||
        !fe_fits(at, "rms_norm", ".bias", opt.bias, x, false))
        return x;
    cot_value mean = cot_mean(cot_square(w), .axes = or_last(opt.axes), .keepdims = 1);
    cot_value y = cot_mul(w, cot_rsqrt(cot_add(mean, eps)));
    y = fe_given(opt.scale) ? cot_mul(y, fe_wide(at, opt.scale)) : y;
    y = fe_given(opt.bias) ? cot_add(y, fe_wide(at, opt.bias)) : y;
    return fe_back(at, y, cot_dtype_of(x));
}

cot_value
cot_normalize_(cot_place at, cot_value x, const cot_norm_options *o, size_t size)
{
    FE_OPTIONS(cot_norm_options, opt, o, size);
    const cot_value w = fe_wide(at, x);

    if (!fe_floating(at, "normalize", x))
        return x;
    /* The root of a square above eps^2 alone: at 0 the derivative of the norm is not asked
     * for. */
    cot_value square = cot_reduce_sum(cot_square(w), .axes = or_last(opt.axes), .keepdims = 1);
    const double eps = opt.eps == 0 ? 1e-12 : opt.eps,
                 least = eps * eps > FLT_MIN ? eps * eps : (double)FLT_MIN;
    cot_value small = cot_lt(square, least);
    cot_value scale = cot_where(small, 1 / eps, cot_rsqrt(cot_where(small, 1, square)));
    return fe_back(at, cot_mul(w, scale), cot_dtype_of(x));
}

cot_value
cot_embedding_(cot_place at, cot_value weight, cot_value index, const cot_embedding_options *o,
               size_t size)
{
    FE_OPTIONS(cot_embedding_options, opt, o, size);
    cot_value y = cot_take(weight, index, 0);

    if (opt.padding.n == 0)
        return y;
    if (!FE_AT(opt.padding))
        return fe_wrong(at, weight, "embedding", ERR_usage,
                        "padding is the bare number %d; wants a list, as COT_LIST(%d)",
                        opt.padding.n, opt.padding.n);
    int64_t row = FE_AT(opt.padding)[0];
    row = row < 0 ? row + cot_size(weight, 0) : row;
    return cot_where(cot_expand_dims(cot_eq(index, row), -1), cot_stop_gradient(y), y);
}
