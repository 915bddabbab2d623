/* Windows, pooling, convolution: the options, read into what passes/window.c makes graphs of. */
#include <math.h>
#include <string.h>

#include "cotrace/window.h"

#include "frontend/trace.h"
#include "passes/window.h"

typedef struct windowing {
    const char *title;
    cot_window_options o;
    cot_list window;
    ir_op op;
    int axis;
    int64_t size, stride, dilation;
} windowing;

/* One entry for each of n spatial axes, `absent` where there is no list. */
static bool
entries(ir_build *b, const windowing *d, const char *what, cot_list list, int n, int64_t absent, int64_t least,
        int64_t *to)
{
    if (list.n != 0 && list.n != n) {
        ir_build_fail(b, d->title, ERR_attr_wrong,
                      ir_format(b->arena, "%s has %d entries; wants %d", what, list.n, n));
        return false;
    }
    for (int i = 0; i < n; i++) {
        to[i] = list.n ? list.at[i] : absent;
        if (to[i] < least) {
            ir_build_fail(b, d->title, ERR_attr_wrong,
                          ir_format(b->arena, "%s[%d] is %lld; wants %lld or more", what, i, (long long)to[i],
                                    (long long)least));
            return false;
        }
    }
    return true;
}

/* ---- windows of several axes ---- */

/* The windows along axes first ... first + n - 1 of x, padded with `fill`; their elements go along *more
 * new last axes. */
static ir_ref
all_windows(ir_build *b, const windowing *d, ir_ref x, int first, int n, const int64_t *window, double fill, int *more)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t stride[COT_MAX_RANK], dilation[COT_MAX_RANK], base[COT_MAX_RANK], padding[2 * COT_MAX_RANK];
    pass_window w[COT_MAX_RANK];

    if (!t || !entries(b, d, "strides", d->o.strides, n, 1, 1, stride) ||
        !entries(b, d, "dilation", d->o.dilation, n, 1, 1, dilation) ||
        !entries(b, d, "base_dilation", d->o.base_dilation, n, 1, 1, base) ||
        !entries(b, d, "padding", d->o.padding, 2 * n, 0, INT32_MIN, padding))
        return IR_NONE;
    for (int i = 0; i < t->rank; i++)
        w[i] = (pass_window){ 1, 1, 1, 1, 0, 0 };
    for (int i = 0; i < n; i++) {
        w[first + i] = (pass_window){ window[i], stride[i], dilation[i], base[i], padding[2 * i], padding[2 * i + 1] };
        if (d->o.same)
            pass_window_same(t->dims[first + i], &w[first + i]);
    }
    return pass_windows(b, x, t->rank, w, ir_splat(b, ir_scalar_type(b->ctx, t->dtype), fill), more);
}

static ir_ref
windows(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const windowing *d = options;
    const int axis = x[0].ref ? fe_axis(b, d->title, d->axis, ir_btype(b, x[0].ref)->rank) : -1;

    (void)n;
    return axis < 0 ? IR_NONE : ir_windows(b, x[0].ref, axis, d->size, d->stride, d->dilation);
}

cot_value
cot_windows_(cot_place at, cot_value x, int axis, int64_t window, int64_t stride, int64_t dilation)
{
    windowing d = { .title = "windows", .axis = axis, .size = window, .stride = stride, .dilation = dilation };

    return fe_apply1(at, "windows", windows, x, &d);
}

/* ---- pooling ---- */

static bool
pool_shape(ir_build *b, const windowing *d, ir_ref x, int64_t *window)
{
    const ir_type *t = ir_btype(b, x);

    if (d->window.n == 0 || d->window.n > t->rank) {
        ir_build_fail(b, d->title, ERR_rank_least, ir_type_str(b->ctx, t), d->window.n ? d->window.n : 1);
        return false;
    }
    return entries(b, d, "window", d->window, d->window.n, 1, 1, window);
}

/* The neutral element of f16 ... f64 and integers, as a number. */
static ir_ref
pooled(ir_build *b, const windowing *d, ir_ref x, const int64_t *window)
{
    const ir_type *t = ir_btype(b, x);
    const int n = d->window.n;
    double fill = d->op == OP_reduce_prod ? 1 : 0;
    int more = 0;

    if (d->op == OP_reduce_max || d->op == OP_reduce_min) {
        const bool most = d->op == OP_reduce_min;
        const int bits = ir_bits(t->dtype) - (ir_is_signed(t->dtype) ? 1 : 0);
        const double top = bits >= 63 ? 0 : (double)(((int64_t)1 << bits) - 1);

        if (ir_is_float(t->dtype))
            fill = most ? (double)INFINITY : -(double)INFINITY;
        else if (bits >= 63 && (most || ir_is_signed(t->dtype)) && d->o.padding.n + d->o.same > 0) {
            ir_build_fail(b, d->title, ERR_dtype_not, ir_type_str(b->ctx, t), "32 bits or less to be padded");
            return IR_NONE;
        } else
            fill = most ? top : ir_is_signed(t->dtype) ? -top - 1 : 0;
    }
    ir_ref y = all_windows(b, d, x, t->rank - n, n, window, fill, &more);
    const ir_axes axes = ir_axes_shift(ir_axes_below(more), t->rank);
    if (!y || !more)
        return y;
    return d->op == OP_reduce_max || d->op == OP_reduce_min ? ir_reduce_first(b, d->op, y, axes)
                                                            : ir_reduce(b, d->op, y, axes);
}

static ir_ref
pool(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const windowing *d = options;
    int64_t window[COT_MAX_RANK];

    (void)n;
    return x[0].ref && pool_shape(b, d, x[0].ref, window) ? pooled(b, d, x[0].ref, window) : IR_NONE;
}

static ir_ref
average(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const windowing *d = options;
    ir_ref y = fe_widen(b, x[0].ref);
    int64_t window[COT_MAX_RANK], size = 1;

    (void)n;
    if (!y || !pool_shape(b, d, y, window))
        return IR_NONE;
    if (!ir_is_float(ir_btype(b, y)->dtype)) {
        ir_build_fail(b, d->title, ERR_dtype_not, ir_type_str(b->ctx, ir_btype(b, y)), "a floating type");
        return IR_NONE;
    }
    for (int i = 0; i < d->window.n; i++)
        size *= window[i];
    ir_ref sum = pooled(b, d, y, window), count = ir_like(b, sum, (double)size);
    if (sum && d->o.count_valid)
        count = pooled(b, d, ir_like(b, y, 1), window);
    return sum ? fe_narrow(b, ir_div(b, sum, count), ir_btype(b, x[0].ref)->dtype) : IR_NONE;
}

#define FE_POOL(name, reduction, rule)                                                         \
    cot_value cot_##name##_(cot_place at, cot_value x, cot_list window,                        \
                            const cot_window_options *o, size_t size)                          \
    {                                                                                          \
        windowing d = { .title = #name, .window = window, .op = reduction };                   \
                                                                                               \
        fe_options(&d.o, sizeof d.o, o, size);                                                 \
        return fe_apply1(at, #name, rule, x, &d);                                              \
    }
FE_POOL(window_sum, OP_reduce_sum, pool)
FE_POOL(window_prod, OP_reduce_prod, pool)
FE_POOL(window_max, OP_reduce_max, pool)
FE_POOL(window_min, OP_reduce_min, pool)
FE_POOL(avg_pool, OP_reduce_sum, average)

/* ---- convolution ---- */

static void
default_layout(int rank, pass_conv *to)
{
    for (int k = 0; k < rank - 2; k++) {
        to->x[k + 1] = to->w[k] = k + 2;
        to->y[k + 2] = k + 1;
    }
    to->x[0] = to->y[0] = 0;
    to->x[rank - 1] = 1;
    to->w[rank - 2] = 1;
    to->w[rank - 1] = 0;
    to->y[1] = rank - 1;
}

static int64_t
place_of(const char *s, int n, char c)
{
    const char *at = memchr(s, c, (size_t)n);

    return at ? at - s : -1;
}

/* "NHWC,HWIO->NHWC", each part of `rank` letters. */
static bool
read_layout(const char *s, int rank, pass_conv *to)
{
    if (strlen(s) != (size_t)(3 * rank + 3))
        return false;
    const char *w = s + rank + 1, *y = w + rank + 2;
    if (s[rank] != ',' || w[rank] != '-' || w[rank + 1] != '>')
        return false;
    to->x[0] = place_of(s, rank, 'N');
    to->x[rank - 1] = place_of(s, rank, 'C');
    to->w[rank - 2] = place_of(w, rank, 'I');
    to->w[rank - 1] = place_of(w, rank, 'O');
    int64_t n = place_of(y, rank, 'N'), c = place_of(y, rank, 'C'), k = 1;
    if (to->x[0] < 0 || to->x[rank - 1] < 0 || to->w[rank - 2] < 0 || to->w[rank - 1] < 0 || n < 0 || c < 0)
        return false;
    to->y[n] = 0;
    to->y[c] = rank - 1;
    for (int i = 0; i < rank; i++) {
        if (s[i] == 'N' || s[i] == 'C')
            continue;
        int64_t in_w = place_of(w, rank, s[i]), in_y = place_of(y, rank, s[i]);
        if (in_w < 0 || in_y < 0 || k > rank - 2 || place_of(s, i, s[i]) >= 0)
            return false;
        to->x[k] = i;
        to->w[k - 1] = in_w;
        to->y[in_y] = k++;
    }
    return k == rank - 1;
}

/* The options, one entry for each spatial axis. */
static bool
conv_windows(ir_build *b, const windowing *d, pass_conv *to, const ir_type *x, const ir_type *w)
{
    const int n = to->spatial;
    int64_t stride[COT_MAX_RANK], dilation[COT_MAX_RANK], base[COT_MAX_RANK], padding[2 * COT_MAX_RANK];

    if (!entries(b, d, "strides", d->o.strides, n, 1, 1, stride) ||
        !entries(b, d, "dilation", d->o.dilation, n, 1, 1, dilation) ||
        !entries(b, d, "base_dilation", d->o.base_dilation, n, 1, 1, base) ||
        !entries(b, d, "padding", d->o.padding, 2 * n, 0, INT32_MIN, padding))
        return false;
    for (int i = 0; i < n; i++) {
        to->window[i] = (pass_window){ w->dims[to->w[i]], stride[i], dilation[i], base[i], padding[2 * i],
                                       padding[2 * i + 1] };
        if (d->o.same)
            pass_window_same(x->dims[to->x[1 + i]], &to->window[i]);
    }
    return true;
}

static ir_ref
conv(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const windowing *d = options;
    const ir_type *t = ir_btype(b, x[0].ref), *w = ir_btype(b, x[1].ref);
    pass_conv at = { .spatial = t->rank - 2, .groups = d->o.groups ? d->o.groups : 1,
                     .batch_groups = d->o.batch_groups ? d->o.batch_groups : 1 };

    (void)n;
    if (t->dtype != w->dtype || t->rank != w->rank || t->rank < 2 || t->dtype == COT_BOOL) {
        ir_build_fail(b, d->title, ERR_attr_wrong,
                      ir_format(b->arena, "operands are %s and %s; wants equal ranks, 2 or more, and one type of number",
                                ir_type_str(b->ctx, t), ir_type_str(b->ctx, w)));
        return IR_NONE;
    }
    if (!d->o.spec)
        default_layout(t->rank, &at);
    else if (!read_layout(d->o.spec, t->rank, &at)) {
        ir_build_fail(b, d->title, ERR_attr_wrong,
                      ir_format(b->arena, "spec is \"%s\"; wants N, C and the spatial axes, then O, I and the same, then "
                                          "the result, of %d letters each, as in \"NHWC,HWIO->NHWC\"", d->o.spec, t->rank));
        return IR_NONE;
    }
    if (!conv_windows(b, d, &at, t, w))
        return IR_NONE;
    return pass_convolve(b, &at, x[0].ref, x[1].ref);
}

cot_value
cot_conv_(cot_place at, cot_value x, cot_value w, const cot_window_options *o, size_t size)
{
    windowing d = { .title = "conv" };

    fe_options(&d.o, sizeof d.o, o, size);
    return fe_apply2(at, "conv", conv, x, w, &d);
}
