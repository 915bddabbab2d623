/* Windows, pooling, convolution: the options, read into what passes/window.c makes graphs
 * of. */
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
    bool pools;                 /* strides that are absent are the window */
} windowing;

/* One entry for each of n spatial axes, `absent` where there is no list. */
static bool
entries(ir_build *b, const windowing *d, const char *what, cot_list list, int n, int64_t absent,
        int64_t least, int64_t *to)
{
    if (!fe_lists(b, d->title, 1, &(fe_named_list){ what, list }))
        return false;
    if (list.n != 0 && list.n != n) {
        ir_build_fail(b, d->title, ERR_attr_wrong,
                      ir_format(b->arena, "%s has %d entries; wants %d", what, list.n, n));
        return false;
    }
    for (int i = 0; i < n; i++) {
        to[i] = list.n ? FE_AT(list)[i] : absent;
        if (to[i] < least) {
            ir_build_fail(b, d->title, ERR_attr_wrong,
                          ir_format(b->arena, "%s[%d] is %lld; wants %lld or more", what, i,
                                    (long long)to[i], (long long)least));
            return false;
        }
    }
    return true;
}

/* ---- windows of several axes ---- */

/* The windows of x along the axes, padded with the scalar fill; their elements go along *more
 * new last axes. */
static ir_ref
all_windows(ir_build *b, const windowing *d, ir_ref x, const int *axis, const int64_t *window,
            ir_ref fill, int *more)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    const cot_list strides = d->pools && d->o.strides.n == 0 ? d->window : d->o.strides;
    const int n = d->window.n;
    int64_t stride[COT_MAX_RANK], dilation[COT_MAX_RANK], base[COT_MAX_RANK],
        padding[2 * COT_MAX_RANK];
    pass_window w[COT_MAX_RANK];

    if (!t || !fill || !entries(b, d, "strides", strides, n, 1, 1, stride) ||
        !entries(b, d, "dilation", d->o.dilation, n, 1, 1, dilation) ||
        !entries(b, d, "base_dilation", d->o.base_dilation, n, 1, 1, base) ||
        !entries(b, d, "padding", d->o.padding, 2 * n, 0, INT32_MIN, padding))
        return IR_NONE;
    for (int i = 0; i < t->rank; i++)
        w[i] = (pass_window){ 1, 1, 1, 1, 0, 0 };
    for (int i = 0; i < n; i++) {
        w[axis[i]] = (pass_window){ window[i], stride[i],      dilation[i],
                                    base[i],   padding[2 * i], padding[2 * i + 1] };
        if (d->o.same)
            pass_window_same(t->dims[axis[i]], &w[axis[i]]);
    }
    return pass_windows(b, x, t->rank, w, fill, more);
}

static ir_ref
windows(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const windowing *d = options;
    const int axis = x[0].ref ? fe_axis(b, d->title, d->axis, ir_btype(b, x[0].ref)->rank) : -1;

    (void)n;
    return axis < 0 ? IR_NONE : ir_windows(b, x[0].ref, axis, d->size, d->stride, d->dilation);
}

static cot_value
slide(cot_place at, cot_value x, windowing *d)
{
    d->title = "sliding_windows";
    return fe_apply1(at, d->title, windows, x, d);
}

cot_value
cot_sliding_windows_(cot_place at, cot_value x, int64_t window, int axis,
                     const cot_sliding_options *o, size_t size)
{
    FE_OPTIONS(cot_sliding_options, opt, o, size);
    return slide(at, x,
                 &(windowing){ .axis = axis,
                               .size = window,
                               .stride = opt.stride ? opt.stride : 1,
                               .dilation = opt.dilation ? opt.dilation : 1 });
}

cot_value
cot_windows_(cot_place at, cot_value x, int axis, int64_t window, int64_t stride,
             int64_t dilation)
{
    return slide(
        at, x,
        &(windowing){ .axis = axis, .size = window, .stride = stride, .dilation = dilation });
}

/* ---- pooling ---- */

typedef ir_ref pool_rule(ir_build *b, const windowing *d, ir_ref x, const int *axis,
                         const int64_t *window);

/* The sizes of the windows, and their axes: .axes, or the last ones. */
static bool
pool_shape(ir_build *b, const windowing *d, const ir_type *t, int *axis, int64_t *window)
{
    const int n = d->window.n;
    ir_axes seen = 0;

    if (!fe_lists(b, d->title, 2,
                  (fe_named_list[]){ { "window", d->window }, { "axes", d->o.axes } }))
        return false;
    if (n == 0 || n > t->rank) {
        ir_build_fail(b, d->title, ERR_rank_least, ir_type_str(b->ctx, t), n ? n : 1);
        return false;
    }
    if (d->o.axes.n != 0 && d->o.axes.n != n) {
        ir_build_fail(b, d->title, ERR_attr_wrong,
                      ir_format(b->arena, "axes has %d entries; wants %d, as the window",
                                d->o.axes.n, n));
        return false;
    }
    for (int i = 0; i < n; i++) {
        axis[i] =
            d->o.axes.n ? fe_axis(b, d->title, FE_AT(d->o.axes)[i], t->rank) : t->rank - n + i;
        if (axis[i] < 0)
            return false;
        if (ir_axes_has(seen, axis[i])) {
            ir_build_fail(b, d->title, ERR_attr_wrong,
                          ir_format(b->arena, "axes names axis %d twice", axis[i]));
            return false;
        }
        seen |= ir_axes_of(axis[i]);
    }
    return entries(b, d, "window", d->window, n, 1, 1, window);
}

/* What a reduction of nothing gives: padding that changes nothing. */
static ir_ref
neutral(ir_build *b, const windowing *d, const ir_type *t)
{
    const int64_t none = 0;
    ir_ref x = ir_zeros(b, ir_type_new(b->ctx, t->dtype, 1, &none));

    return d->op == OP_reduce_sum ? ir_zeros(b, ir_scalar_type(b->ctx, t->dtype))
                                  : ir_reduce(b, d->op, x, ir_axes_of(0));
}

static ir_ref
pool(ir_build *b, const windowing *d, ir_ref x, const int *axis, const int64_t *window)
{
    const ir_type *t = ir_btype(b, x);
    const bool most = d->op == OP_reduce_max || d->op == OP_reduce_min;
    int more = 0;
    if (most && !fe_is_ordered(b, d->title, t))
        return IR_NONE;
    ir_ref y = all_windows(b, d, x, axis, window, neutral(b, d, t), &more);
    const ir_axes axes = ir_axes_shift(ir_axes_below(more), t->rank);

    if (!y || !more)
        return y;
    return most ? ir_reduce_first(b, d->op, y, axes) : ir_reduce(b, d->op, y, axes);
}

static ir_ref
average(ir_build *b, const windowing *d, ir_ref x, const int *axis, const int64_t *window)
{
    ir_ref y = fe_widen(b, x);
    double size = 1;

    if (!fe_is_float(b, d->title, ir_btype(b, y)))
        return IR_NONE;
    for (int i = 0; i < d->window.n; i++)
        size *= (double)window[i];
    ir_ref sum = pool(b, d, y, axis, window), count = ir_like(b, sum, size);
    if (sum && d->o.count_valid)
        count = pool(b, d, ir_like(b, y, 1), axis, window);
    return sum ? fe_narrow(b, ir_div(b, sum, count), ir_btype(b, x)->dtype) : IR_NONE;
}

/* A transpose goes after the pooling: the gradient then runs along the memory of what was
 * transposed. */
static ir_ref
pooled(ir_build *b, const windowing *d, ir_ref x, pool_rule *rule)
{
    const ir_node *n = x ? ir_made_by(b, x, OP_transpose) : NULL;
    int axis[COT_MAX_RANK];
    int64_t window[COT_MAX_RANK];

    if (!x || !pool_shape(b, d, ir_btype(b, x), axis, window))
        return IR_NONE;
    if (!n)
        return rule(b, d, x, axis, window);
    const ir_ints perm = n->at->perm.perm;
    for (int i = 0; i < d->window.n; i++)
        axis[i] = (int)perm.at[axis[i]];
    ir_ref y = rule(b, d, n->in[0], axis, window);
    return y ? ir_transpose(b, y, perm.at) : IR_NONE;
}

static ir_ref
pool_call(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n;
    return pooled(b, options, x[0].ref, pool);
}

static ir_ref
average_call(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n;
    return pooled(b, options, x[0].ref, average);
}

#define FE_POOL(name, reduction, unset, rule)                                                  \
    cot_value cot_##name##_(cot_place at, cot_value x, cot_list window,                        \
                            const cot_window_options *o, size_t size)                          \
    {                                                                                          \
        windowing d = { .title = #name, .window = window, .op = reduction, .pools = unset };   \
                                                                                               \
        fe_options(&d.o, sizeof d.o, o, size);                                                 \
        return fe_apply1(at, #name, rule, x, &d);                                              \
    }
FE_POOL(window_sum, OP_reduce_sum, false, pool_call)
FE_POOL(window_prod, OP_reduce_prod, false, pool_call)
FE_POOL(window_max, OP_reduce_max, false, pool_call)
FE_POOL(window_min, OP_reduce_min, false, pool_call)
FE_POOL(max_pool, OP_reduce_max, true, pool_call)
FE_POOL(avg_pool, OP_reduce_sum, true, average_call)

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
    if (to->x[0] < 0 || to->x[rank - 1] < 0 || to->w[rank - 2] < 0 || to->w[rank - 1] < 0 ||
        n < 0 || c < 0)
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
    int64_t stride[COT_MAX_RANK], dilation[COT_MAX_RANK], base[COT_MAX_RANK],
        padding[2 * COT_MAX_RANK];

    if (!entries(b, d, "strides", d->o.strides, n, 1, 1, stride) ||
        !entries(b, d, "dilation", d->o.dilation, n, 1, 1, dilation) ||
        !entries(b, d, "base_dilation", d->o.base_dilation, n, 1, 1, base) ||
        !entries(b, d, "padding", d->o.padding, 2 * n, 0, INT32_MIN, padding))
        return false;
    for (int i = 0; i < n; i++) {
        to->window[i] = (pass_window){ w->dims[to->w[i]], stride[i],      dilation[i],
                                       base[i],           padding[2 * i], padding[2 * i + 1] };
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
        ir_build_fail(
            b, d->title, ERR_attr_wrong,
            ir_format(
                b->arena,
                "operands are %s and %s; wants equal ranks, 2 or more, and one type of number",
                ir_type_str(b->ctx, t), ir_type_str(b->ctx, w)));
        return IR_NONE;
    }
    if (!d->o.spec)
        default_layout(t->rank, &at);
    else if (!read_layout(d->o.spec, t->rank, &at)) {
        ir_build_fail(
            b, d->title, ERR_attr_wrong,
            ir_format(
                b->arena,
                "spec is \"%s\"; wants N, C and the spatial axes, then O, I and the same, then "
                "the result, of %d letters each, as in \"NHWC,HWIO->NHWC\"",
                d->o.spec, t->rank));
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
