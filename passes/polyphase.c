/* Polyphase decomposition of convolutions over an operand whose elements are `base` positions
 * apart, with zeros between them.
 *
 * Let windows be s apart and their elements d apart along an axis.  Position j and element p of
 * the window meet an element of the operand where j s + p d - low is a multiple of base, and a
 * zero otherwise.  Such p repeat with period base / gcd(d, base), and positions with period
 * base / gcd(s, base).  For each of that many phases of the positions, the result is a
 * convolution of the elements with a part of the window, and no zero is multiplied.
 *
 * If windows have a multiple of base elements and s = d = 1, every phase has equally many
 * elements, and each begins one element later.  The phases are then features of one convolution
 * (`merged`).  Its position q has the results u = q base ... of the axis, which begins `skip`
 * positions early; result u = q base + t uses the elements base - 1 - t, 2 base - 1 - t, ... of
 * the window. */
#include "passes/window.h"

#include "passes/pass.h"

enum {
    MAX_PHASES = 16,
    /* features of a phase that is merged with others; with more features, each phase fills
     * vectors alone */
    MAX_MERGED = 16
};

/* One axis: the number of phases, and the positions of each; windows `stride` apart, of every
 * step-th element, `dilation` apart. merged: the phases that are one, or 0; skip: additional
 * positions at the beginning. */
typedef struct axis {
    int64_t phases, each, stride, step, dilation, merged, skip;
} axis;

typedef struct spread {
    ir_build *b;
    int spatial;
    const pass_window *window;
    const ir_type *x, *w;
    axis axis[COT_MAX_RANK];
    int64_t positions[COT_MAX_RANK], first[COT_MAX_RANK], phase[COT_MAX_RANK];
    /* the padding for all phases together */
    int64_t before[COT_MAX_RANK], after[COT_MAX_RANK];
} spread;

static int64_t
common_divisor(int64_t x, int64_t y)
{
    while (y) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

static ir_ref
no_elements(const spread *s)
{
    return ir_zeros(s->b, ir_scalar_type(s->b->ctx, s->x->dtype));
}

static ir_ref
padded(const spread *s, ir_ref x, const int64_t *low, const int64_t *high,
       const int64_t *interior)
{
    return pass_pad_operand(s->b, x, s->w->dims[s->w->rank - 1], no_elements(s), low, high,
                            interior);
}

static ir_ref
convolve(const spread *s, ir_ref x, ir_ref w, const int64_t *stride, const int64_t *dilation)
{
    return ir_conv(s->b, x, w, ir_list(s->b, s->spatial, stride),
                   ir_list(s->b, s->spatial, dilation));
}

/* The convolution as defined: with zeros between the elements. */
static ir_ref
with_zeros(const spread *s, ir_ref x, ir_ref w)
{
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 },
            interior[COT_MAX_RANK] = { 0 }, stride[COT_MAX_RANK], dilation[COT_MAX_RANK];

    for (int i = 0; i < s->spatial; i++) {
        low[2 + i] = s->window[i].low;
        high[2 + i] = s->window[i].high;
        interior[2 + i] = s->window[i].base - 1;
        stride[i] = s->window[i].stride;
        dilation[i] = s->window[i].dilation;
    }
    return convolve(s, padded(s, x, low, high, interior), w, stride, dilation);
}

static int64_t
rest_of(int64_t x, int64_t n)
{
    return (x % n + n) % n;
}

/* Axis i with all phases merged. */
static axis
all_merged(const spread *s, int i)
{
    const pass_window *w = &s->window[i];
    axis a = { .phases = 1, .stride = 1, .step = 1, .dilation = 1, .merged = w->base };

    a.skip = rest_of(-1 - w->low, w->base);
    a.each = (s->positions[i] + a.skip + w->base - 1) / w->base;
    return a;
}

/* Finds the phases of all axes; false if they gain nothing or are too many. */
static bool
has_phases(spread *s)
{
    int64_t all = 1;
    bool dilated = false;

    for (int i = 0; i < s->spatial; i++) {
        const pass_window *w = &s->window[i];
        const int64_t size = s->x->dims[2 + i], s_step = common_divisor(w->stride, w->base),
                      d_step = common_divisor(w->dilation, w->base);
        const int64_t wide =
            (size - 1) * w->base + 1 + w->low + w->high - (w->size - 1) * w->dilation - 1;

        if (size < 1 || w->size < 1 || wide < 0)
            return false;
        s->positions[i] = wide / w->stride + 1;
        s->axis[i] = (axis){ .phases = w->base / s_step, .stride = w->stride / s_step,
                             .step = w->base / d_step, .dilation = w->dilation / d_step };
        s->axis[i].each = (s->positions[i] + s->axis[i].phases - 1) / s->axis[i].phases;
        if (w->base > 1 && w->stride == 1 && w->dilation == 1 && w->size % w->base == 0 &&
            s->w->dims[s->w->rank - 1] < MAX_MERGED)
            s->axis[i] = all_merged(s, i);
        all *= s->axis[i].phases <= MAX_PHASES ? s->axis[i].phases : MAX_PHASES + 1;
        if (all > MAX_PHASES)
            return false;
        dilated |= w->base > 1;
    }
    return dilated;
}

/* The first element of the window that the phase of axis i uses; false if it uses none. */
static bool
uses_an_element(spread *s, int i)
{
    const pass_window *w = &s->window[i];

    if (s->axis[i].merged) {
        s->first[i] = 0;
        return true;
    }
    for (int64_t p = 0; p < s->axis[i].step && p < w->size; p++)
        if ((s->phase[i] * w->stride + p * w->dilation - w->low) % w->base == 0) {
            s->first[i] = p;
            return true;
        }
    return false;
}

/* The padding that the phase of axis i needs before and after the elements of x (negative: it
 * leaves elements out). */
static void
reach(const spread *s, int i, int64_t *low, int64_t *high)
{
    const pass_window *w = &s->window[i];
    const axis *a = &s->axis[i];
    const int64_t many = (s->w->dims[1 + i] - s->first[i] + a->step - 1) / a->step;

    if (a->merged)
        *low = (w->low - rest_of(w->low, w->base)) / w->base;
    else
        *low = -((s->phase[i] * w->stride + s->first[i] * w->dilation - w->low) / w->base);
    *high = (a->each - 1) * a->stride + (many - 1) * a->dilation + 1 - s->x->dims[2 + i] - *low;
}

/* x, padded once for all phases, which use windows of it. */
static ir_ref
pad_for_all(spread *s, ir_ref x)
{
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 }, none[COT_MAX_RANK] = { 0 };

    for (int i = 0; i < s->spatial; i++) {
        for (s->phase[i] = 0; s->phase[i] < s->axis[i].phases; s->phase[i]++) {
            int64_t l, h;

            if (!uses_an_element(s, i))
                continue;
            reach(s, i, &l, &h);
            low[2 + i] = l > low[2 + i] ? l : low[2 + i];
            high[2 + i] = h > high[2 + i] ? h : high[2 + i];
        }
        s->before[i] = low[2 + i];
        s->after[i] = high[2 + i];
    }
    return padded(s, x, low, high, none);
}

/* The elements of the window that the current phases use. */
static ir_ref
met(const spread *s, ir_ref w)
{
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], by[COT_MAX_RANK];

    for (int k = 0; k < s->w->rank; k++) {
        const bool window = k >= 1 && k <= s->spatial;

        start[k] = window ? s->first[k - 1] : 0;
        limit[k] = s->w->dims[k];
        by[k] = window ? s->axis[k - 1].step : 1;
    }
    return ir_slice(s->b, w, start, limit, by);
}

/* The convolution of one phase; x is padded for all. */
static ir_ref
one_phase(spread *s, ir_ref x, ir_ref w)
{
    int64_t stride[COT_MAX_RANK], dilation[COT_MAX_RANK], dims[COT_MAX_RANK];
    bool some = true;

    for (int i = 0; i < s->spatial; i++)
        some = some && uses_an_element(s, i);
    dims[0] = s->x->dims[0];
    dims[1] = s->x->dims[1];
    dims[2 + s->spatial] = s->w->dims[s->w->rank - 1];
    for (int i = 0; i < s->spatial; i++)
        dims[2 + i] = s->axis[i].each;
    if (!some)
        return ir_zeros(s->b, ir_type_shaped(s->b->ctx, s->x, s->x->rank, dims));
    for (int i = 0; i < s->spatial; i++) {
        int64_t low, high;

        reach(s, i, &low, &high);
        stride[i] = s->axis[i].stride;
        dilation[i] = s->axis[i].dilation;
        if (x)
            x = ir_slice_axis(s->b, x, 2 + i, s->before[i] - low,
                              s->before[i] + s->x->dims[2 + i] + high);
    }
    return convolve(s, x, met(s, w), stride, dilation);
}

/* The phases of the axes from i on, with those of earlier axes chosen, interleaved into their
 * positions. */
static ir_ref
phases(spread *s, ir_ref x, ir_ref w, int i)
{
    ir_build *b = s->b;
    ir_ref part[MAX_PHASES];
    int64_t dims[COT_MAX_RANK + 1];

    if (i == s->spatial)
        return one_phase(s, x, w);
    const int64_t n = s->axis[i].phases;
    for (int64_t r = 0; r < n; r++) {
        s->phase[i] = r;
        part[r] = phases(s, x, w, i + 1);
        if (part[r] && n > 1)
            part[r] = ir_broadcast_axis(b, part[r], 3 + i, 1);
    }
    if (n == 1)
        return part[0];
    ir_ref y = ir_concatenate(b, (int)n, part, 3 + i);
    const ir_type *t = y ? ir_btype(b, y) : NULL;
    for (int k = 0; t && k < t->rank - 1; k++)
        dims[k] = k < 2 + i ? t->dims[k] : k == 2 + i ? t->dims[k] * n : t->dims[k + 1];
    return t ? ir_slice_axis(b, ir_reshape(b, y, t->rank - 1, dims), 2 + i, 0, s->positions[i])
             : IR_NONE;
}

/* The window, with its elements of merged phases as features. */
static ir_ref
phases_to_features(const spread *s, ir_ref w)
{
    const int rank = s->w->rank;
    int64_t dims[2 * COT_MAX_RANK], perm[2 * COT_MAX_RANK], to[COT_MAX_RANK];
    int place[COT_MAX_RANK], n = 0, at = 0;
    ir_axes flipped = 0;

    memcpy(to, s->w->dims, sizeof *to * (size_t)rank);
    for (int k = 0; k < rank; k++) {
        const int64_t each = k >= 1 && k <= s->spatial ? s->axis[k - 1].merged : 0;

        place[k] = n;
        dims[n++] = each ? s->w->dims[k] / each : s->w->dims[k];
        perm[at++] = place[k];
        if (!each)
            continue;
        to[k] /= each;
        to[rank - 1] *= each;
        flipped |= ir_axes_of(n);
        dims[n++] = each;
    }
    if (!flipped)
        return w;
    at--;
    for (int i = 0; i < s->spatial; i++)
        if (s->axis[i].merged)
            perm[at++] = place[1 + i] + 1;
    perm[at] = n - 1;
    w = ir_reverse(s->b, ir_reshape(s->b, w, n, dims), flipped);
    return w ? ir_reshape(s->b, ir_transpose(s->b, w, perm), rank, to) : IR_NONE;
}

/* y, whose features are those of all merged phases, with the phases as positions. */
static ir_ref
features_to_phases(const spread *s, ir_ref y, int64_t features)
{
    const ir_type *t = y ? ir_btype(s->b, y) : NULL;
    int64_t dims[2 * COT_MAX_RANK], perm[2 * COT_MAX_RANK], to[COT_MAX_RANK];
    int n = 0, at = 0;

    if (!t || t->dims[t->rank - 1] == features)
        return y;
    for (int k = 0; k < t->rank - 1; k++)
        to[k] = dims[n++] = t->dims[k];
    for (int k = 0; k < t->rank - 1; k++) {
        const int64_t each = k >= 2 ? s->axis[k - 2].merged : 0;

        perm[at++] = k;
        if (!each)
            continue;
        to[k] *= each;
        perm[at++] = n;
        dims[n++] = each;
    }
    perm[at] = n;
    dims[n++] = to[t->rank - 1] = features;
    y = ir_transpose(s->b, ir_reshape(s->b, y, n, dims), perm);
    y = y ? ir_reshape(s->b, y, t->rank, to) : IR_NONE;
    for (int i = 0; i < s->spatial && y; i++)
        if (s->axis[i].merged)
            y = ir_slice_axis(s->b, y, 2 + i, s->axis[i].skip,
                              s->axis[i].skip + s->positions[i]);
    return y;
}

ir_ref
pass_conv_windows(ir_build *b, ir_ref x, ir_ref w, const pass_window *window)
{
    if (!x || !w)
        return IR_NONE;
    spread s = { .b = b, .window = window, .x = ir_btype(b, x), .w = ir_btype(b, w) };
    s.spatial = s.x->rank - 3;
    if (!has_phases(&s))
        return with_zeros(&s, x, w);
    const int64_t features = s.w->dims[s.w->rank - 1];
    w = phases_to_features(&s, w);
    s.w = w ? ir_btype(b, w) : s.w;
    return w ? features_to_phases(&s, phases(&s, pad_for_all(&s, x), w, 0), features) : IR_NONE;
}
