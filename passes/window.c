/* Windows: pads and views (the op `windows`), reduced over the new axes.
 *
 * select_and_scatter finds places instead of values: it is a reduction of pairs (element, place
 * in x), in which padding has the place -1, followed by a scatter to the places.  The earlier
 * one of two pairs is the one with the smaller place, so that the result does not depend on the
 * order of the reduction. */
#include "passes/window.h"

#include "passes/pass.h"
#include "passes/scatter.h"

/* Every stride-th element along an axis. */
static ir_ref
strided(ir_build *b, ir_ref x, int axis, int64_t stride)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK], by[COT_MAX_RANK];

    for (int k = 0; t && k < t->rank; k++) {
        limit[k] = t->dims[k];
        by[k] = k == axis ? stride : 1;
    }
    return t ? ir_slice(b, x, start, limit, by) : IR_NONE;
}

/* n steps, saturated to more elements than any array has. */
static int64_t
extent(int64_t n, int64_t step)
{
    int64_t x;

    return __builtin_mul_overflow(n, step, &x) || x > INT64_MAX / 4 ? INT64_MAX / 4 : x;
}

void
pass_window_same(int64_t size, pass_window *w)
{
    const int64_t wide = size ? extent(size - 1, w->base) + 1 : 0,
                  want = wide ? (wide - 1) / w->stride + 1 : 0;
    const int64_t more = (want - 1) * w->stride + extent(w->size - 1, w->dilation) + 1 - wide;

    w->low = more > 0 ? more / 2 : 0;
    w->high = more > 0 ? more - more / 2 : 0;
}

ir_ref
pass_windows(ir_build *b, ir_ref x, int n, const pass_window *w, ir_ref fill, int *more)
{
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 },
            interior[COT_MAX_RANK] = { 0 };
    const ir_type *t = x ? ir_btype(b, x) : NULL;

    *more = 0;
    for (int k = 0; t && k < n; k++) {
        low[k] = w[k].low;
        high[k] = w[k].high;
        interior[k] = w[k].base - 1;
    }
    ir_ref y = t ? ir_pad(b, x, fill, low, high, interior) : IR_NONE;
    for (int k = 0; k < n && y; k++) {
        if (w[k].size == 1) {
            y = w[k].stride == 1 ? y : strided(b, y, k, w[k].stride);
            continue;
        }
        y = ir_windows(b, y, k, w[k].size, w[k].stride, w[k].dilation);
        *more += 1;
    }
    return y;
}

/* The axes that the window spans, if there is one window that contains all elements; 0
 * otherwise, or if the axes are not adjacent, since their elements would then be combined in
 * another order. */
static ir_axes
whole_axes(const pass_window *w, const ir_type *t)
{
    ir_axes axes = 0;
    int first = -1, last = -1;

    for (int k = 0; k < t->rank; k++) {
        const bool one = w[k].size == 1 && w[k].stride == 1;

        if (one && w[k].low == 0 && w[k].high == 0 && w[k].base == 1)
            continue;
        if (w[k].dilation > 1 || w[k].base > 1 ||
            w[k].low + t->dims[k] + w[k].high != w[k].size)
            return 0;
        first = first < 0 ? k : first;
        last = k;
        axes |= ir_axes_of(k);
    }
    for (int k = first; k >= 0 && k <= last; k++)
        if (!ir_axes_has(axes, k))
            return 0;
    return axes;
}

/* If the window spans whole axes, the result is a reduction along them. */
static bool
reduce_whole(ir_build *b, const pass_combiner *c, const pass_window *w, const ir_ref *x,
             const ir_ref *init, ir_ref *y)
{
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, c->n + 1);
    const ir_type *t = x[0] ? ir_btype(b, x[0]) : NULL;
    const ir_axes axes = t ? whole_axes(w, t) : 0;
    int64_t dims[COT_MAX_RANK];
    int more;

    if (!axes)
        return false;
    for (int k = 0; k < t->rank; k++)
        dims[k] = ir_axes_has(axes, k) ? 1 : t->dims[k];
    pass_window none[COT_MAX_RANK];
    for (int k = 0; k < t->rank; k++)
        none[k] = (pass_window){ 1, 1, 1, 1, w[k].low, w[k].high };
    for (int i = 0; i < c->n; i++)
        z[i] = x[i] ? pass_windows(b, x[i], t->rank, none, init[i], &more) : IR_NONE;
    pass_reduce(b, c, axes, z, init, y);
    for (int i = 0; i < c->n; i++)
        y[i] = y[i] ? ir_reshape(b, y[i], t->rank, dims) : IR_NONE;
    return true;
}

/* ---- spread elements of which each window contains at most one ---- */

/* x with each element of axis k repeated `size` times, followed by zeros up to the next one. */
static ir_ref
repeated(ir_build *b, ir_ref x, int k, int64_t size, int64_t base, ir_ref zero)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 }, dims[COT_MAX_RANK];

    if (!t)
        return IR_NONE;
    memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
    dims[k] *= base;
    high[k + 1] = base - size;
    x = ir_broadcast_axis(b, x, k + 1, size);
    x = x && base > size ? ir_pad(b, x, zero, low, high, low) : x;
    return x ? ir_reshape(b, x, t->rank, dims) : IR_NONE;
}

/* If x is padded with zeros, adds the padding to that of the windows and returns the operand of
 * the pad. */
static ir_ref
unpadded(ir_build *b, ir_ref x, pass_window *w)
{
    const ir_node *n = ir_bdef(b, x);
    const int rank = ir_btype(b, x)->rank;
    double fill;

    if (!n || n->op != OP_pad || !ir_is_splat(b, n->in[1], &fill) || fill != 0)
        return x;
    for (int k = 0; k < rank; k++)
        if (n->at->pad.low.at[k] < 0 || n->at->pad.high.at[k] < 0 || w[k].base > 1)
            return x;
    for (int k = 0; k < rank; k++) {
        w[k].low += n->at->pad.low.at[k];
        w[k].high += n->at->pad.high.at[k];
        w[k].base = n->at->pad.interior.at[k] + 1;
    }
    return n->in[0];
}

/* A sum over windows with stride 1 of elements so far apart that each window contains at most
 * one.  An example is the gradient of a mean over adjacent windows.  Nothing has to be
 * summed. */
static bool
sum_spread(ir_build *b, const pass_combiner *c, const pass_window *given, const ir_ref *x,
           const ir_ref *init, ir_ref *y)
{
    pass_window w[COT_MAX_RANK], rest[COT_MAX_RANK];
    bool spread = false;
    int more;
    double zero;

    if (!x[0] || !init[0] || pass_combiner_op(c) != OP_reduce_sum ||
        !ir_is_splat(b, init[0], &zero) || zero != 0 || ir_btype(b, x[0])->rank >= COT_MAX_RANK)
        return false;
    memcpy(w, given, sizeof *w * (size_t)ir_btype(b, x[0])->rank);
    ir_ref z = unpadded(b, x[0], w);
    const ir_type *t = ir_btype(b, z);
    for (int k = 0; k < t->rank; k++) {
        const bool one = w[k].size == 1 && w[k].base == 1;

        if (t->dims[k] < 1 ||
            (!one && (w[k].stride > 1 || w[k].dilation > 1 || w[k].size > w[k].base)))
            return false;
        spread |= w[k].base > 1;
    }
    if (!spread)
        return false;
    for (int k = 0; k < t->rank; k++) {
        rest[k] = w[k];
        if (w[k].base == 1)
            continue;
        z = repeated(b, z, k, w[k].size, w[k].base, init[0]);
        rest[k] = (pass_window){
            1, 1, 1, 1, w[k].low - (w[k].size - 1), w[k].high - (w[k].base - 1)
        };
    }
    z = pass_windows(b, z, t->rank, rest, init[0], &more);
    pass_reduce(b, c, 0, &z, init, y);
    return true;
}

void
pass_reduce_window(ir_build *b, const pass_combiner *c, const pass_window *w, const ir_ref *x,
                   const ir_ref *init, ir_ref *y)
{
    if (reduce_whole(b, c, w, x, init, y) || sum_spread(b, c, w, x, init, y))
        return;
    ir_ref *z = IR_NEW_N(b->arena, ir_ref, c->n + 1);
    const int rank = x[0] ? ir_btype(b, x[0])->rank : 0;
    int more = 0;

    for (int i = 0; i < c->n; i++)
        z[i] = x[i] ? pass_windows(b, x[i], rank, w, init[i], &more) : IR_NONE;
    pass_reduce(b, c, ir_axes_shift(ir_axes_below(more), rank), z, init, y);
}

/* ---- select and scatter ---- */

/* Inlines the scalar function g(a, b; captured ...) into another graph. */
static ir_ref
ask(ir_build *r, const pass_combiner *c, ir_ref x, ir_ref y, const ir_ref *captured)
{
    ir_ref *in = IR_NEW_N(r->arena, ir_ref, c->g->n_in + 1), out = IR_NONE;

    in[0] = x;
    in[1] = y;
    for (int i = 0; i < c->n_captured; i++)
        in[2 + i] = captured[i];
    ir_inline_graph(r, c->g, in, &out);
    return out;
}

/* A function of two pairs (element, place): it returns the earlier one if `select` keeps it,
 * and never padding. */
static const ir_graph *
chooser(ir_build *b, const pass_combiner *select, const ir_type *element)
{
    ir_build *r = ir_build_new(b->ctx, "select");
    const ir_type *place = ir_scalar_type(b->ctx, COT_I64);
    ir_ref in[4], *captured = IR_NEW_N(r->arena, ir_ref, select->n_captured + 1);
    ir_graph *g = NULL;

    for (int i = 0; i < 4; i++)
        in[i] = ir_input(r, i % 2 ? place : element, NULL);
    for (int i = 0; i < select->n_captured; i++)
        captured[i] = ir_input(r, ir_type_at(select->g, select->g->in[2 + i]), NULL);
    ir_ref none = ir_zeros(r, place), first = ir_op2(r, OP_lt, in[1], in[3]);
    ir_ref keep = ask(r, select, in[0], in[2], captured);
    ir_ref lose = ir_op1(r, OP_not, ask(r, select, in[2], in[0], captured));
    keep = ir_op3(r, OP_select, first, keep, lose);
    keep = ir_op2(r, OP_or, keep, ir_op2(r, OP_lt, in[3], none));
    keep = ir_op2(r, OP_and, keep, ir_op2(r, OP_ge, in[1], none));
    ir_output(r, ir_select(r, keep, in[0], in[2]));
    ir_output(r, ir_select(r, keep, in[1], in[3]));
    const cot_status status = ir_build_end(r, &g);
    if (status != COT_OK)
        b->status = status;
    return g;
}

/* The row-major place in x of the element that each window selects; -1 where the window has
 * only padding. */
static ir_ref
selected(ir_build *b, const pass_combiner *select, const pass_window *w, ir_ref x)
{
    const ir_type *t = ir_btype(b, x);
    const ir_graph *g = chooser(b, select, ir_scalar_type(b->ctx, t->dtype));
    pass_combiner c = { g, 2, select->n_captured, select->captured };
    ir_ref y[2] = { IR_NONE, IR_NONE },
           none = ir_splat_int(b, ir_scalar_type(b->ctx, COT_I64), -1);
    ir_ref place = ir_reshape(b, ir_iota(b, COT_I64, 1, &t->size, 0), t->rank, t->dims);
    const ir_ref both[2] = { ir_op1(b, OP_stop_gradient, x), place };
    const ir_ref fill[2] = { ir_zeros(b, ir_scalar_type(b->ctx, t->dtype)), none };

    if (g)
        pass_reduce_window(b, &c, w, both, fill, y);
    return y[1];
}

ir_ref
pass_select_and_scatter(ir_build *b, const pass_combiner *select, const pass_combiner *scatter,
                        const pass_window *w, ir_ref x, ir_ref source, ir_ref init)
{
    const int64_t zero = 0;

    if (!x || !source || !init)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    ir_ref place = selected(b, select, w, x);
    if (!place || !ir_same_shape(ir_btype(b, place), ir_btype(b, source))) {
        if (place)
            ir_build_fail(b, "select_and_scatter", ERR_shapes_differ,
                          ir_type_str(b->ctx, ir_btype(b, source)),
                          ir_type_str(b->ctx, ir_btype(b, place)));
        return IR_NONE;
    }
    const int64_t n = ir_btype(b, source)->size, vectors[2] = { n, 1 };
    ir_attrs a = {
        .scatter = { .inserted = { 1, &zero }, .index_map = { 1, &zero }, .mode = IR_MODE_FILL }
    };
    ir_ref from = ir_broadcast_in_dim(b, init, 1, &t->size, NULL),
           updates = ir_reshape(b, source, 1, &n), y;
    pass_scatter(b, scatter, &a, &from, ir_reshape(b, place, 2, vectors), &updates, &y);
    return y ? ir_reshape(b, y, t->rank, t->dims) : IR_NONE;
}

/* ---- convolution ---- */

/* x with axis `axis` split into [groups, the rest], and the axes then in the order `perm`,
 * groups first. */
static ir_ref
grouped(ir_build *b, ir_ref x, const int64_t *perm, int64_t axis, int64_t groups)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t dims[COT_MAX_RANK + 1], to[COT_MAX_RANK + 1] = { axis };

    for (int k = 0, r = 0; t && k < t->rank; k++) {
        if (k == axis)
            dims[r++] = groups;
        dims[r++] = k == axis ? t->dims[k] / groups : t->dims[k];
        to[1 + k] = perm[k] + (perm[k] >= axis);
    }
    return t ? ir_transpose(b, ir_reshape(b, x, t->rank + 1, dims), to) : IR_NONE;
}

static bool
conv_fits(ir_build *b, const pass_conv *s, const ir_type *x, const ir_type *w)
{
    const int r = x->rank;
    const int64_t n = x->dims[s->x[0]], c = x->dims[s->x[r - 1]], i = w->dims[s->w[r - 2]],
                  o = w->dims[s->w[r - 1]];
    const int64_t groups = s->groups, batch = s->batch_groups;

    if (groups < 1 || batch < 1 || (groups > 1 && batch > 1) || n % batch || c != i * groups ||
        o % (groups * batch) || o == 0)
        ir_build_fail(
            b, "conv", ERR_attr_wrong,
            ir_format(
                b->arena,
                "%lld examples of %lld features, a kernel from %lld to %lld, %lld groups, %lld "
                "of "
                "examples; wants features = groups * the kernel's, and groups that divide",
                (long long)n, (long long)c, (long long)i, (long long)o, (long long)groups,
                (long long)batch));
    return b->status == COT_OK;
}

/* [groups, n, spatial, c] */
static ir_ref
conv_operand(ir_build *b, const pass_conv *s, ir_ref x)
{
    const bool features = s->groups > 1;

    return grouped(b, x, s->x, s->x[features ? s->spatial + 1 : 0],
                   features ? s->groups : s->batch_groups);
}

ir_ref
pass_convolve(ir_build *b, const pass_conv *s, ir_ref x, ir_ref w)
{
    const int r = s->spatial + 2;
    const int64_t groups = s->groups * s->batch_groups;
    int64_t perm[COT_MAX_RANK + 1], dims[COT_MAX_RANK];
    ir_axes flipped = 0;

    if (!x || !w || !conv_fits(b, s, ir_btype(b, x), ir_btype(b, w)))
        return IR_NONE;
    for (int i = 0; i < s->spatial; i++)
        flipped |= s->reversed[i] ? ir_axes_of((int)s->w[i]) : 0;
    if (flipped)
        w = ir_reverse(b, w, flipped);
    ir_ref left = conv_operand(b, s, x), right = grouped(b, w, s->w, s->w[r - 1], groups);
    ir_ref y = pass_conv_windows(b, left, right, s->window);
    const ir_type *t = y ? ir_btype(b, y) : NULL;
    if (!t)
        return IR_NONE;
    /* [groups, n, spatial, o / groups]: the groups are merged with the features */
    int at = 0;
    for (int k = 0; k < r; k++) {
        if (s->y[k] == r - 1)
            perm[at++] = 0;
        perm[at++] = s->y[k] + 1;
        dims[k] = s->y[k] == r - 1 ? t->dims[0] * t->dims[r] : t->dims[1 + s->y[k]];
    }
    return ir_reshape(b, ir_transpose(b, y, perm), r, dims);
}
