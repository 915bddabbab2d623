/* Convolutions as layers, their transposes, and pooling to a given size.
 *
 * A transposed convolution with weight [i, o / groups, window] is a convolution of x, spread
 * out by the strides, with the kernel reversed and its features exchanged, padded by
 * dilation (window - 1) - padding.  Adaptive pooling takes for element i of an axis the
 * elements from floor(i n / m) to ceil((i + 1) n / m): equal parts are a reshape and a
 * reduction; else the mean is a product with a matrix of weights, axis by axis, and the
 * maximum one over indexed windows.  Source of both: PyTorch's documentation of
 * ConvTranspose2d and AdaptiveAvgPool2d. */
#include <math.h>
#include <string.h>

#include "cotrace/nn.h"

#include "frontend/nn/nn.h"

/* The axis of the result's features: what .spec, which ends with the result, calls C. */
static int
feature_axis(const char *spec)
{
    const char *result = spec ? strchr(spec, '>') : NULL,
               *c = result ? strchr(result, 'C') : NULL;

    return c ? (int)(c - result) - 1 : 1;
}

static cot_value
with_bias(cot_place at, const char *op, cot_value y, cot_value bias, const char *spec)
{
    const int axis = feature_axis(spec), rank = cot_rank(y);
    int64_t shape[COT_MAX_RANK];

    if (!fe_given(bias) || cot_dtype_of(y) == COT_DTYPE_NONE ||
        cot_dtype_of(bias) == COT_DTYPE_NONE)
        return y;
    if (cot_rank(bias) != 1 ||
        (cot_size(bias, 0) != cot_size(y, axis) && cot_size(bias, 0) != 1))
        return fe_wrong(at, y, op, ERR_shape_wrong,
                        "bias is %s; wants one element for each feature, axis %d of %s",
                        fe_type_text(bias), axis, fe_type_text(y));
    for (int k = 0; k < rank; k++)
        shape[k] = k == axis ? cot_size(bias, 0) : 1;
    return cot_add(y, fe_shaped(at, bias, rank, shape));
}

static bool
is_spatial(cot_place at, const char *op, int n, cot_value x, cot_value w)
{
    if (cot_dtype_of(x) == COT_DTYPE_NONE || cot_dtype_of(w) == COT_DTYPE_NONE)
        return false;
    if (cot_rank(x) == n + 2 && cot_rank(w) == n + 2)
        return true;
    fe_wrong(at, x, op, ERR_shape_wrong,
             "x is %s, weight is %s; wants examples, features and %d spatial axes of both",
             fe_type_text(x), fe_type_text(w), n);
    return false;
}

cot_value
cot_conv_layer_(cot_place at, int n, cot_value x, cot_value w, cot_value bias,
                const cot_window_options *o, size_t size)
{
    static const char *const name[] = { "conv", "conv1d", "conv2d", "conv3d" };

    FE_OPTIONS(cot_window_options, opt, o, size);

    if (n < 0 || n > 3)
        return fe_wrong(at, x, name[0], ERR_attr_wrong, "has %d spatial axes; wants 1 to 3", n);
    if (!is_spatial(at, name[n], n, x, w))
        return x;
    return with_bias(at, name[n], cot_conv_(at, x, w, o, size), bias, opt.spec);
}

/* [i, o / groups, window] to [o, i / groups, window], the windows reversed. */
static cot_value
exchanged(cot_place at, cot_value w, int64_t groups)
{
    const int rank = cot_rank(w);
    int64_t shape[COT_MAX_RANK], perm[COT_MAX_RANK], axes[COT_MAX_RANK];

    for (int k = 2; k < rank; k++) {
        axes[k - 2] = k;
        perm[k + 1] = k + 1;
        shape[k + 1] = cot_size(w, k);
    }
    shape[0] = groups;
    shape[1] = cot_size(w, 0) / groups;
    shape[2] = cot_size(w, 1);
    perm[0] = 0;
    perm[1] = 2;
    perm[2] = 1;
    w = cot_reverse(w, .axes = { .n = rank - 2, .at = axes });
    w = cot_transpose(fe_shaped(at, w, rank + 1, shape), .perm = { rank + 1, 0, perm });
    const int64_t o = cot_size(w, 1) * groups, i = cot_size(w, 2);
    shape[0] = o;
    shape[1] = i;
    for (int k = 2; k < rank; k++)
        shape[k] = cot_size(w, k + 1);
    return fe_shaped(at, w, rank, shape);
}

static int64_t
entry(cot_list list, int i, int64_t absent)
{
    return i < list.n && FE_AT(list) ? FE_AT(list)[i] : absent;
}

cot_value
cot_conv_transpose_(cot_place at, int n, cot_value x, cot_value w, cot_value bias,
                    const cot_window_options *options, size_t size)
{
    static const char *const name[] = { "conv_transpose", "conv_transpose1d",
                                        "conv_transpose2d", "conv_transpose3d" };
    FE_OPTIONS(cot_window_options, o, options, size);
    const int64_t groups = o.groups ? o.groups : 1;
    int64_t padding[2 * COT_MAX_RANK];

    if (n < 0 || n > 3)
        return fe_wrong(at, x, name[0], ERR_attr_wrong, "has %d spatial axes; wants 1 to 3", n);
    if (!is_spatial(at, name[n], n, x, w))
        return x;
    if (groups < 1 || cot_size(w, 0) != cot_size(x, 1) || cot_size(w, 0) % groups || o.spec ||
        o.same || o.base_dilation.n || (o.padding.n && o.padding.n != 2 * n))
        return fe_wrong(
            at, x, name[n], ERR_attr_wrong,
            "x is %s, weight is %s; wants x [n, i, ...], weight [i, o / groups, ...], two "
            "entries of padding "
            "for each spatial axis, and no other options but strides, dilation and groups",
            fe_type_text(x), fe_type_text(w));
    for (int k = 0; k < n; k++) {
        const int64_t reach = entry(o.dilation, k, 1) * (cot_size(w, k + 2) - 1);
        padding[2 * k] = reach - entry(o.padding, 2 * k, 0);
        padding[2 * k + 1] = reach - entry(o.padding, 2 * k + 1, 0);
    }
    cot_value y =
        cot_conv(x, exchanged(at, w, groups), .padding = { .n = 2 * n, .at = padding },
                 .base_dilation = o.strides, .dilation = o.dilation, .groups = o.groups);
    return with_bias(at, name[n], y, bias, NULL);
}

static int64_t
from_of(int64_t i, int64_t n, int64_t m)
{
    return i * n / m;
}
static int64_t
to_of(int64_t i, int64_t n, int64_t m)
{
    return ((i + 1) * n + m - 1) / m;
}

/* Axis k in m equal parts: their reduction. */
static cot_value
equal_parts(cot_place at, cot_value x, int k, int64_t m, bool most)
{
    const int rank = cot_rank(x);
    int64_t shape[COT_MAX_RANK];

    for (int i = 0; i <= rank; i++)
        shape[i] = i < k        ? cot_size(x, i)
                   : i == k     ? m
                   : i == k + 1 ? cot_size(x, k) / m
                                : cot_size(x, i - 1);
    x = fe_shaped(at, x, rank + 1, shape);
    return most ? cot_reduce_max(x, .axes = COT_LIST(k + 1))
                : cot_mean(x, .axes = COT_LIST(k + 1));
}

typedef struct bins {
    int64_t n, m, most; /* elements, parts, elements of the largest part */
} bins;

/* [m, n]: 1 / count in the columns of a part, else 0. */
static cot_value
weights(cot_place at, cot_trace *t, bins p, cot_dtype dtype)
{
    const int64_t n = p.n, m = p.m;
    cot_value column = cot_iota(t, cot_i64(m, n), 1), row = cot_iota(t, cot_i64(m, n), 0);
    cot_value from = cot_div(cot_mul(row, n), m),
              to = cot_div(cot_add(cot_mul(cot_add(row, 1), n), m - 1), m);
    cot_value in = cot_and(cot_ge(column, from), cot_lt(column, to));
    return cot_where(in, cot_div(1, cot_convert(cot_sub(to, from), dtype)), 0);
}

/* The maximum over windows of `most` elements, of which those past a part's end count as
 * -inf. */
static cot_value
largest(cot_place at, cot_trace *t, cot_value x, int k, bins p)
{
    const int64_t n = p.n, m = p.m, w = p.most;
    cot_value row = cot_iota(t, cot_i32(m, w), 0), column = cot_iota(t, cot_i32(m, w), 1);
    cot_value from = cot_div(cot_mul(row, n), m),
              to = cot_div(cot_add(cot_mul(cot_add(row, 1), n), m - 1), m);
    cot_value i = cot_add(from, column), y = cot_take(x, cot_min(i, cot_sub(to, 1)), k);
    const int after = cot_rank(x) - k - 1;
    int64_t shape[COT_MAX_RANK] = { m, w };
    for (int j = 0; j < after; j++)
        shape[j + 2] = 1;
    cot_value in = fe_shaped(at, cot_lt(i, to), after + 2, shape);
    return cot_reduce_max(cot_where(in, y, -(double)INFINITY), .axes = COT_LIST(k + 1));
}

static cot_value
adapt_axis(cot_place at, cot_trace *t, cot_value x, int k, int64_t m, bool most)
{
    bins p = { cot_size(x, k), m, 0 };

    if (m == p.n)
        return x;
    if (p.n % m == 0)
        return equal_parts(at, x, k, m, most);
    for (int64_t i = 0; i < m; i++) {
        const int64_t count = to_of(i, p.n, m) - from_of(i, p.n, m);
        p.most = count > p.most ? count : p.most;
    }
    if (most)
        return largest(at, t, x, k, p);
    cot_value y = cot_dot_general(x, weights(at, t, p, cot_dtype_of(x)), .lhs = COT_LIST(k),
                                  .rhs = COT_LIST(1));
    int64_t perm[COT_MAX_RANK];
    const int rank = cot_rank(x);
    for (int i = 0; i < rank; i++)
        perm[i] = i < k ? i : i == k ? rank - 1 : i - 1;
    return cot_transpose(y, .perm = { rank, 0, perm });
}

cot_value
cot_adaptive_pool_(cot_place at, cot_value x, cot_list sizes, int most)
{
    const char *const op = most ? "adaptive_max_pool" : "adaptive_avg_pool";
    const int rank = cot_rank(x);
    cot_trace *t = fe_open(at, x, op);

    if (!t || cot_dtype_of(x) == COT_DTYPE_NONE || !fe_floating(at, op, x))
        return x;
    bool fits = FE_AT(sizes) && sizes.n < rank;
    for (int i = 0; i < sizes.n && fits; i++)
        fits = FE_AT(sizes)[i] >= 1 && cot_size(x, rank - sizes.n + i) >= 1;
    if (!fits)
        return fe_wrong(at, x, op, ERR_shape_wrong,
                        "x is %s with %d sizes; wants sizes of 1 or more for the last axes, "
                        "and axes before them",
                        fe_type_text(x), sizes.n);
    cot_value y = fe_wide(at, x);
    for (int i = 0; i < sizes.n; i++)
        y = adapt_axis(at, t, y, rank - sizes.n + i, FE_AT(sizes)[i], most);
    return fe_back(at, y, cot_dtype_of(x));
}
