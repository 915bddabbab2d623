/* Rearrangements of images: pixels and channels, windows and columns.
 *
 * unfold pads with zeros and takes the windows axis by axis.  fold adds overlapping windows,
 * axis by axis as well, as a segment sum; the elements that belong to the padding are
 * dropped. */
#include "cotrace/image.h"

#include "frontend/nn/nn.h"

/* x reshaped to `shape`, its last axes permuted, reshaped to `to`; leading axes stay. */
static cot_value
regrouped(cot_place at, cot_value x, const int64_t *shape, const int64_t *perm,
          const int64_t *to)
{
    const int lead = cot_rank(x) - 3;
    int64_t dims[COT_MAX_RANK], order[COT_MAX_RANK];

    for (int k = 0; k < lead + 5; k++) {
        dims[k] = k < lead ? cot_size(x, k) : shape[k - lead];
        order[k] = k < lead ? k : lead + perm[k - lead];
    }
    x = fe_shaped(at, x, lead + 5, dims);
    x = cot_transpose(x, .perm = { .n = lead + 5, .at = order });
    for (int k = lead; k < lead + 3; k++)
        dims[k] = to[k - lead];
    return fe_shaped(at, x, lead + 3, dims);
}

static bool
is_image(cot_place at, const char *op, cot_value x, int64_t r)
{
    const int rank = cot_rank(x);

    if (rank >= 3 && rank + 2 <= COT_MAX_RANK && r >= 1 && r <= INT32_MAX)
        return true;
    fe_wrong(at, x, op, ERR_shape_wrong,
             "x is %s, r is %lld; wants channels and two spatial axes, and r of 1 or more",
             fe_type_text(x), (long long)r);
    return false;
}

cot_value
cot_pixel_shuffle_(cot_place at, cot_value x, int64_t r)
{
    const char *const op = "pixel_shuffle";

    if (cot_dtype_of(x) == COT_DTYPE_NONE || !is_image(at, op, x, r))
        return x;
    const int64_t c = cot_size(x, -3) / (r * r), h = cot_size(x, -2), w = cot_size(x, -1);
    if (c * r * r != cot_size(x, -3))
        return fe_wrong(at, x, op, ERR_shape_wrong,
                        "x is %s; wants channels that %lld squared divides", fe_type_text(x),
                        (long long)r);
    return regrouped(at, x, (const int64_t[]){ c, r, r, h, w },
                     (const int64_t[]){ 0, 3, 1, 4, 2 }, (const int64_t[]){ c, h * r, w * r });
}

cot_value
cot_pixel_unshuffle_(cot_place at, cot_value x, int64_t r)
{
    const char *const op = "pixel_unshuffle";

    if (cot_dtype_of(x) == COT_DTYPE_NONE || !is_image(at, op, x, r))
        return x;
    const int64_t c = cot_size(x, -3), h = cot_size(x, -2) / r, w = cot_size(x, -1) / r;
    if (h * r != cot_size(x, -2) || w * r != cot_size(x, -1))
        return fe_wrong(at, x, op, ERR_shape_wrong,
                        "x is %s; wants spatial sizes that %lld divides", fe_type_text(x),
                        (long long)r);
    return regrouped(at, x, (const int64_t[]){ c, h, r, w, r },
                     (const int64_t[]){ 0, 2, 4, 1, 3 }, (const int64_t[]){ c * r * r, h, w });
}

enum { MAX_SPATIAL = 8 };

/* a b, or the largest number where it is larger than any: shapes of that size are refused. */
static int64_t
times(int64_t a, int64_t b)
{
    int64_t y;

    return __builtin_mul_overflow(a, b, &y) ? INT64_MAX : y;
}

/* A spatial axis of the image, its windows, and how many there are. */
typedef struct sliding {
    int64_t in, window, stride, dilation, before, after, out;
} sliding;

/* List `what` with n entries of `least` or more, or `absent` for each; false: the error is
 * recorded. */
static bool
entries(cot_place at, const char *op, cot_value x, const char *what, cot_list list, int n,
        int64_t absent, int64_t least, int64_t *to)
{
    const int64_t *given = FE_AT(list);
    bool fits = list.n == 0 || (list.n == n && given);

    for (int k = 0; fits && k < n; k++) {
        to[k] = list.n ? given[k] : absent;
        fits = to[k] >= least && to[k] <= INT32_MAX;
    }
    if (!fits)
        fe_wrong(at, x, op, ERR_attr_wrong, "%s has %d entries; wants %d, each %lld or more",
                 what, list.n, n, (long long)least);
    return fits;
}

/* The windows of an image of sizes in[0] ... in[n - 1]. */
static bool
slides(cot_place at, const char *op, cot_value x, int n, const int64_t *in, cot_list window,
       const cot_window_options *o, sliding *to)
{
    int64_t size[MAX_SPATIAL], stride[MAX_SPATIAL], dilation[MAX_SPATIAL],
        padding[2 * MAX_SPATIAL];

    if (o->base_dilation.n || o->same || o->groups || o->batch_groups || o->spec ||
        o->count_valid || o->axes.n) {
        fe_wrong(at, x, op, ERR_attr_wrong,
                 "has other options; wants .strides, .padding and .dilation");
        return false;
    }
    if (!entries(at, op, x, "window", window, n, 0, 1, size) ||
        !entries(at, op, x, ".strides", o->strides, n, 1, 1, stride) ||
        !entries(at, op, x, ".dilation", o->dilation, n, 1, 1, dilation) ||
        !entries(at, op, x, ".padding", o->padding, 2 * n, 0, 0, padding))
        return false;
    for (int k = 0; k < n; k++) {
        sliding *s = &to[k];
        *s = (sliding){
            in[k], size[k], stride[k], dilation[k], padding[2 * k], padding[2 * k + 1], 0
        };
        const int64_t room = s->in + s->before + s->after - (s->dilation * (s->window - 1) + 1);
        if (room < 0) {
            fe_wrong(
                at, x, op, ERR_shape_wrong,
                "spatial axis %d has %lld elements, the window reaches over %lld; wants no "
                "more, with the padding",
                k, (long long)s->in, (long long)(s->dilation * (s->window - 1) + 1));
            return false;
        }
        s->out = room / s->stride + 1;
    }
    return true;
}

/* Zeros around the image [n, c, spatial]. */
static cot_value
padded(cot_place at, cot_value x, int n, const sliding *s)
{
    int64_t low[2 + MAX_SPATIAL] = { 0 }, high[2 + MAX_SPATIAL] = { 0 };

    for (int k = 0; k < n; k++)
        low[k + 2] = s[k].before, high[k + 2] = s[k].after;
    return cot_pad(x, 0, .low = { .n = n + 2, .at = low }, .high = { .n = n + 2, .at = high });
}

cot_value
cot_unfold_(cot_place at, cot_value x, cot_list window, const cot_window_options *o,
            size_t size)
{
    FE_OPTIONS(cot_window_options, opt, o, size);
    const int n = cot_rank(x) - 2;
    int64_t in[MAX_SPATIAL] = { 0 }, perm[2 + 2 * MAX_SPATIAL] = { 0, 1 }, columns = 1;
    sliding s[MAX_SPATIAL];

    if (cot_dtype_of(x) == COT_DTYPE_NONE)
        return x;
    if (n < 1 || n > MAX_SPATIAL || window.n != n)
        return fe_wrong(at, x, "unfold", ERR_shape_wrong,
                        "x is %s, window has %d entries; wants examples, channels and an axis "
                        "for each entry, at most %d",
                        fe_type_text(x), window.n, MAX_SPATIAL);
    for (int k = 0; k < n; k++)
        in[k] = cot_size(x, k + 2);
    if (!slides(at, "unfold", x, n, in, window, &opt, s))
        return x;
    cot_value y = padded(at, x, n, s);
    for (int k = 0; k < n; k++) {
        y = cot_sliding_windows(y, s[k].window, k + 2, .stride = s[k].stride,
                                .dilation = s[k].dilation);
        perm[2 + k] = 2 + n + k, perm[2 + n + k] = 2 + k;
        columns = times(columns, s[k].out);
    }
    y = cot_transpose(y, .perm = { .n = 2 * n + 2, .at = perm });
    int64_t rows = cot_size(x, 1);
    for (int k = 0; k < n; k++)
        rows = times(rows, s[k].window);
    return cot_reshape(y, cot_size(x, 0), rows, columns);
}

/* Axes (window, positions) first in x become axis `in`, after the others. */
static cot_value
folded(cot_place at, cot_trace *t, cot_value x, const sliding *s)
{
    cot_value k = cot_iota(t, cot_i64(s->window, s->out), 0),
              i = cot_iota(t, cot_i64(s->window, s->out), 1);
    cot_value element = cot_add(cot_mul(i, s->stride), cot_mul(k, s->dilation));
    cot_value ids = cot_sub(element, s->before);
    cot_value y = cot_segment_(at, COT_UPDATE_ADD, x, ids, s->in);

    return cot_moveaxis_(at, y, 0, cot_rank(y) - 1);
}

cot_value
cot_fold_(cot_place at, cot_value x, cot_list shape, cot_list window,
          const cot_window_options *o, size_t size)
{
    FE_OPTIONS(cot_window_options, opt, o, size);
    const int n = shape.n;
    int64_t in[MAX_SPATIAL] = { 0 }, dims[2 + 2 * MAX_SPATIAL], perm[2 + 2 * MAX_SPATIAL];
    int64_t elements = 1, columns = 1;
    sliding s[MAX_SPATIAL];
    cot_trace *t = fe_open(at, x, "fold");

    if (!t || cot_dtype_of(x) == COT_DTYPE_NONE)
        return x;
    if (n < 1 || n > MAX_SPATIAL || window.n != n || cot_rank(x) != 3)
        return fe_wrong(at, x, "fold", ERR_shape_wrong,
                        "x is %s, shape and window have %d and %d entries; wants three axes, "
                        "and one to %d entries of each",
                        fe_type_text(x), n, window.n, MAX_SPATIAL);
    if (!entries(at, "fold", x, "shape", shape, n, 0, 1, in) ||
        !slides(at, "fold", x, n, in, window, &opt, s))
        return x;
    for (int k = 0; k < n; k++) {
        elements = times(elements, s[k].window), columns = times(columns, s[k].out);
        dims[2 + k] = s[k].window, dims[2 + n + k] = s[k].out;
        perm[2 * k] = 2 + k, perm[2 * k + 1] = 2 + n + k;
    }
    if (cot_size(x, 1) % elements || cot_size(x, 2) != columns)
        return fe_wrong(at, x, "fold", ERR_shape_wrong,
                        "x is %s; wants %lld columns, and rows that %lld divides",
                        fe_type_text(x), (long long)columns, (long long)elements);
    dims[0] = cot_size(x, 0), dims[1] = cot_size(x, 1) / elements;
    perm[2 * n] = 0, perm[2 * n + 1] = 1;
    cot_value y = fe_shaped(at, x, 2 * n + 2, dims);
    y = cot_transpose(y, .perm = { .n = 2 * n + 2, .at = perm });
    for (int k = 0; k < n; k++)
        y = folded(at, t, y, &s[k]);
    return y;
}
