/* conv_general: transpose and vmap (its jvp is that of bilinear ops).
 *
 * Both transposes are convolutions.  One is of the cotangent, spread by the strides, with the
 * reversed kernel (passes/polyphase.c).  The other is of the operand with the cotangent, where
 * features and examples change places, as do examples and positions, and strides and
 * dilation. */
#include "passes/rules.h"
#include "passes/window.h"

typedef struct conv {
    ir_build *b;
    const ir_node *n;
    const ir_type *x, *w, *y;
    int spatial;
} conv;

static ir_ref
swapped(ir_build *b, ir_ref x, int i, int j)
{
    const int rank = x ? ir_btype(b, x)->rank : 0;
    int64_t perm[COT_MAX_RANK];

    for (int k = 0; k < rank; k++)
        perm[k] = k == i ? j : k == j ? i : k;
    return x ? ir_transpose(b, x, perm) : IR_NONE;
}

/* dx at j is the sum over all p with j = position stride + p dilation of ct at the position
 * times w at p. */
static ir_ref
operand(const conv *s, ir_ref ct, ir_ref w)
{
    pass_window window[COT_MAX_RANK];

    for (int i = 0; i < s->spatial; i++) {
        const int64_t stride = s->n->at->conv.strides.at[i],
                      dilation = s->n->at->conv.dilation.at[i], size = s->w->dims[1 + i];

        window[i] = (pass_window){ size, 1, dilation, stride, (size - 1) * dilation,
                                   s->x->dims[2 + i] - ((s->y->dims[2 + i] - 1) * stride + 1) };
    }
    w = ir_reverse(s->b, w, ir_axes_shift(ir_axes_below(s->spatial), 1));
    return pass_conv_windows(s->b, ct, swapped(s->b, w, s->w->rank - 2, s->w->rank - 1),
                             window);
}

/* The pad below x, if x splits the last axis of a pad in two (pad_rows in passes/padding.c) and
 * nothing else uses it; otherwise NULL. */
static const ir_node *
joined_pad(ir_build *b, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);
    const ir_node *n = ir_bdef(b, x),
                  *p = n && n->op == OP_reshape ? ir_bdef(b, n->in[0]) : NULL;
    const int last = t->rank - 1;

    if (!p || p->op != OP_pad || ir_btype(b, p->first)->rank != last ||
        p->at->pad.interior.at[last - 1])
        return NULL;
    for (int i = 0; i < last - 1; i++)
        if (ir_btype(b, p->first)->dims[i] != t->dims[i])
            return NULL;
    return p;
}

static ir_ref
pad_joined(ir_build *b, const ir_node *pad, const ir_type *t, const int64_t *more_low,
           const int64_t *more_high)
{
    const int last = t->rank - 1;
    const int64_t c = t->dims[last];
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], dims[COT_MAX_RANK];

    for (int i = 0; i < t->rank; i++)
        dims[i] = t->dims[i] + more_low[i] + more_high[i];
    for (int i = 0; i < last; i++) {
        const int64_t each = i == last - 1 ? c : 1;

        low[i] = pad->at->pad.low.at[i] + each * more_low[i];
        high[i] = pad->at->pad.high.at[i] + each * more_high[i];
    }
    ir_ref x = ir_pad(b, pad->in[0], pad->in[1], low, high, pad->at->pad.interior.at);
    return x ? ir_reshape(b, x, t->rank, dims) : IR_NONE;
}

/* x with more padding along each axis (a crop, where negative).  If x is a pad, its padding is
 * changed. */
static ir_ref
pad_more(ir_build *b, ir_ref x, const int64_t *more_low, const int64_t *more_high)
{
    const ir_type *t = ir_btype(b, x);
    const ir_node *n = ir_bdef(b, x);
    const bool moved = n && n->op == OP_transpose, padded = n && n->op == OP_pad;
    const ir_node *joined = joined_pad(b, x);
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], by[COT_MAX_RANK], perm[COT_MAX_RANK];

    if (joined && !more_low[t->rank - 1] && !more_high[t->rank - 1])
        return pad_joined(b, joined, t, more_low, more_high);
    for (int i = 0; i < t->rank; i++) {
        const int to = moved ? (int)n->at->perm.perm.at[i] : i;

        low[to] = (padded ? n->at->pad.low.at[i] : 0) + more_low[i];
        high[to] = (padded ? n->at->pad.high.at[i] : 0) + more_high[i];
        by[to] = padded ? n->at->pad.interior.at[i] : 0;
        perm[i] = to;
    }
    if (moved) {
        x = pad_more(b, n->in[0], low, high);
        return x ? ir_transpose(b, x, perm) : IR_NONE;
    }
    if (padded)
        return ir_pad(b, n->in[0], n->in[1], low, high, by);
    return ir_pad(b, x, ir_zeros(b, ir_scalar_type(b->ctx, t->dtype)), low, high, by);
}

/* A part of x: `size` elements from `start` on along each spatial axis. */
static ir_ref
spatial_part(ir_build *b, ir_ref x, const int64_t *start, const int64_t *size)
{
    const ir_type *t = ir_btype(b, x);
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 };

    for (int i = 2; i < t->rank - 1; i++) {
        low[i] = -start[i - 2];
        high[i] = start[i - 2] + size[i - 2] - t->dims[i];
    }
    return pad_more(b, x, low, high);
}

/* Crops below a transpose of axes. */
static ir_ref
crop_transposed(ir_build *b, const ir_node *n, const ir_attrs *pad)
{
    const int rank = ir_btype(b, n->first)->rank;
    int64_t at[3][COT_MAX_RANK], perm[COT_MAX_RANK];

    for (int i = 0; i < rank; i++) {
        perm[i] = n->at->perm.perm.at[i];
        at[0][perm[i]] = pad->pad.low.at[i];
        at[1][perm[i]] = pad->pad.high.at[i];
        at[2][perm[i]] = pad->pad.interior.at[i];
    }
    const ir_attrs to = { .pad = { { rank, at[0] }, { rank, at[1] }, { rank, at[2] } } };
    ir_ref y = pass_crop_conv(b, n->in[0], &to);
    return y ? ir_transpose(b, y, perm) : IR_NONE;
}

/* Crops where the last two axes are one axis of a pad (pad_rows in passes/padding.c). */
static ir_ref
crop_joined(ir_build *b, const ir_node *n, const ir_attrs *pad)
{
    const ir_type *y = ir_btype(b, n->first), *t = ir_btype(b, n->in[0]);
    const int last = t->rank - 1;
    const int64_t c = t->dims[last];
    int64_t at[3][COT_MAX_RANK], dims[COT_MAX_RANK];

    if (y->rank != last || c < 1 || pad->pad.low.at[last - 1] % c ||
        pad->pad.high.at[last - 1] % c || pad->pad.interior.at[last - 1])
        return IR_NONE;
    for (int i = 0; i < last; i++) {
        const int64_t each = i == last - 1 ? c : 1;

        if (y->dims[i] != t->dims[i] * each)
            return IR_NONE;
        at[0][i] = pad->pad.low.at[i] / each;
        at[1][i] = pad->pad.high.at[i] / each;
        at[2][i] = pad->pad.interior.at[i];
        dims[i] = y->dims[i] - pad->pad.low.at[i] - pad->pad.high.at[i];
    }
    at[0][last] = at[1][last] = at[2][last] = 0;
    const ir_attrs to = { .pad = {
                              { last + 1, at[0] }, { last + 1, at[1] }, { last + 1, at[2] } } };
    ir_ref x = pass_crop_conv(b, n->in[0], &to);
    return x ? ir_reshape(b, x, last, dims) : IR_NONE;
}

ir_ref
pass_crop_conv(ir_build *b, ir_ref x, const ir_attrs *pad)
{
    const ir_node *n = x ? ir_bdef(b, x) : NULL;
    int64_t start[COT_MAX_RANK], size[COT_MAX_RANK];

    if (n && n->op == OP_transpose)
        return crop_transposed(b, n, pad);
    if (n && n->op == OP_reshape)
        return crop_joined(b, n, pad);
    if (!n || n->op != OP_conv_general)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x), *w = ir_btype(b, n->in[1]);
    const ir_ref left = n->in[0], right = n->in[1];
    const ir_attrs at = ir_node_attrs(n);
    for (int i = 0; i < t->rank; i++) {
        const int64_t low = pad->pad.low.at[i], high = pad->pad.high.at[i],
                      stays = t->dims[i] - low - high;
        const bool spatial = i >= 2 && i < t->rank - 1;

        if (low < 0 || high < 0 || pad->pad.interior.at[i] || (!spatial && low + high > 0) ||
            stays < 1)
            return IR_NONE;
        if (!spatial)
            continue;
        start[i - 2] = low * at.conv.strides.at[i - 2];
        size[i - 2] = (stays - 1) * at.conv.strides.at[i - 2] +
                      (w->dims[i - 1] - 1) * at.conv.dilation.at[i - 2] + 1;
    }
    return ir_conv(b, spatial_part(b, left, start, size), right, at.conv.strides,
                   at.conv.dilation);
}

/* x [groups, n, spatial, c] is convolved as c examples of one feature along the positions [n,
 * spatial], with ct as the kernel, whose window covers all examples and positions.  Sums then
 * read ct in its layout. */
static ir_ref
kernel(const conv *s, ir_ref x, ir_ref ct)
{
    ir_build *b = s->b;
    const int last = s->x->rank - 1;
    int64_t stride[COT_MAX_RANK] = { 1 }, dilation[COT_MAX_RANK] = { 1 };

    for (int i = 0; i < s->spatial && x; i++) {
        const int64_t wide = (s->y->dims[2 + i] - 1) * s->n->at->conv.strides.at[i] +
                             (s->w->dims[1 + i] - 1) * s->n->at->conv.dilation.at[i] + 1;

        x = ir_slice_axis(b, x, 2 + i, 0, wide);
        stride[1 + i] = s->n->at->conv.dilation.at[i];
        dilation[1 + i] = s->n->at->conv.strides.at[i];
    }
    x = x ? ir_broadcast_axis(b, ir_move_axis(b, x, last, 1), last + 1, 1) : IR_NONE;
    ct = ct ? ir_broadcast_axis(b, ct, last, 1) : IR_NONE;
    ir_ref r = ir_conv(b, x, ct, ir_list(b, s->spatial + 1, stride),
                       ir_list(b, s->spatial + 1, dilation));
    /* [groups, c, 1, window, o] becomes [groups, window, c, o] */
    r = r ? ir_move_axis(b, r, 1, last) : IR_NONE;
    return r ? ir_reshape(b, r, s->w->rank, s->w->dims) : IR_NONE;
}

void
transpose_conv(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const conv s = { b,
                     n,
                     ir_type_at(f, n->in[0]),
                     ir_type_at(f, n->in[1]),
                     ir_type_at(f, n->first),
                     ir_type_at(f, n->in[0])->rank - 3 };
    const bool none = s.y->size == 0 || s.x->size == 0 || s.w->size == 0;

    if (linear[0])
        ct_in[0] = none ? pass_zeros_like(b, s.x) : operand(&s, ct[0], in[1]);
    if (linear[1])
        ct_in[1] = none ? pass_zeros_like(b, s.w) : kernel(&s, in[0], ct[0]);
}

/* Merges the axes k and k + 1. */
static ir_ref
merged(ir_build *b, ir_ref x, int k)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t dims[COT_MAX_RANK + 1];

    for (int i = 0; t && i < t->rank - 1; i++)
        dims[i] = i < k ? t->dims[i] : i == k ? t->dims[k] * t->dims[k + 1] : t->dims[i + 1];
    return t ? ir_reshape(b, x, t->rank - 1, dims) : IR_NONE;
}

/* Splits axis k into two axes, of sizes `size` and `rest`. */
static ir_ref
parted(ir_build *b, ir_ref x, int k, int64_t size, int64_t rest)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t dims[COT_MAX_RANK + 1];

    for (int i = 0; t && i <= t->rank; i++)
        dims[i] = i < k ? t->dims[i] : i == k ? size : i == k + 1 ? rest : t->dims[i - 1];
    return t ? ir_reshape(b, x, t->rank + 1, dims) : IR_NONE;
}

/* Both mapped: more groups.  Only x: more examples.  Only the kernel: more output features. */
void
vmap_conv(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
          const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *w = ir_type_at(f, n->in[1]);
    const int last = x->rank - 1;
    const bool both = mapped[0] && mapped[1];
    /* the axis of y that the mapped axis is merged into */
    const int at = both ? 0 : mapped[0] ? 1 : last;
    ir_ref left = in[0], right = in[1];

    (void)out_mapped;
    if (mapped[0])
        left = merged(b, both || !left ? left : ir_move_axis(b, left, 0, 1), at);
    if (mapped[1])
        right = merged(b, both || !right ? right : ir_move_axis(b, right, 0, last), at);
    ir_ref r = ir_conv(b, left, right, n->at->conv.strides, n->at->conv.dilation);
    r = parted(b, r, at, size, both ? x->dims[0] : mapped[0] ? x->dims[1] : w->dims[last]);
    y[0] = r ? ir_move_axis(b, r, at, 0) : IR_NONE;
}
