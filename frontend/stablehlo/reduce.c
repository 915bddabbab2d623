/* Reductions, windows of them, and bodies applied element by element.
 *
 * A body that is a named combiner becomes the reduction of that name.  Any other is mapped over arrays, and
 * neighbours are combined until one is left: a reduction of n elements takes log2(n) steps, in the order of the
 * elements.  The initial value comes last, and is left out where it changes nothing. */
#include "frontend/stablehlo/rules.h"

#include <math.h>

#include "ir/diag.h"
#include "passes/pass.h"

/* ---- element by element ---- */

void
fe_hlo_each(hlo_emit *e, const ir_graph *g, const ir_ref *in, ir_ref *out)
{
    const ir_type *t = ir_btype(e->b, in[0]);
    pass_vmap_options o = { .in = { 0, NULL, true }, .out = { 0, NULL, true }, .size = t->size, .sized = true };
    const int64_t zero = 0;
    ir_graph *mapped;
    ir_ref *x = IR_NEW_N(e->b->arena, ir_ref, g->n_in + 1);

    o.in = (pass_dims){ 1, &zero, true };
    o.out = (pass_dims){ 1, &zero, true };
    if (t->rank == 0) {
        fe_hlo_call(e, (ir_graph *)g, in, out);
        return;
    }
    if (pass_vmap(g, &o, &mapped) != COT_OK) {
        e->b->status = e->h->ctx->status;
        return;
    }
    for (int i = 0; i < g->n_in; i++)
        x[i] = ir_reshape(e->b, in[i], 1, &t->size);
    fe_hlo_call(e, mapped, x, out);
    for (int i = 0; i < g->n_out && !fe_hlo_bad(e); i++)
        out[i] = ir_reshape(e->b, out[i], t->rank, t->dims);
}

void
fe_hlo_map(hlo_emit *e)
{
    const ir_type **type = IR_NEW_N(e->b->arena, const ir_type *, e->n_in + 1);

    for (int i = 0; i < e->n_in; i++)
        type[i] = ir_scalar_type(e->b->ctx, fe_hlo_in_type(e, i)->dtype);
    for (int i = 1; i < e->n_in; i++)
        if (!ir_same_shape(fe_hlo_in_type(e, i), fe_hlo_in_type(e, 0)))
            fe_hlo_fail(e, "its operands have different shapes");
    ir_graph *g = e->n_in > 0 ? fe_hlo_body(e, 0, e->n_in, type) : NULL;
    if (g && g->n_out == e->n_out)
        fe_hlo_each(e, g, e->in, e->out);
    else if (!fe_hlo_bad(e))
        fe_hlo_fail(e, "its body gives another number of results");
}

/* ---- named combiners ---- */

static ir_op
reduction_of(ir_op combiner, cot_dtype t)
{
    switch (combiner) {
    case OP_add: return OP_reduce_sum;
    case OP_mul: return OP_reduce_prod;
    case OP_max: return t == COT_BOOL ? OP_reduce_or : OP_reduce_max;
    case OP_min: return t == COT_BOOL ? OP_reduce_and : OP_reduce_min;
    case OP_and: return OP_reduce_and;
    case OP_or: return OP_reduce_or;
    default: return OP_none;
    }
}

static int64_t
extreme(cot_dtype t, bool most)
{
    const int bits = ir_bits(t);

    if (ir_is_signed(t))
        return most ? (int64_t)(((uint64_t)1 << (bits - 1)) - 1) : -(int64_t)(((uint64_t)1 << (bits - 1)) - 1) - 1;
    return !most ? 0 : bits == 64 ? -1 : (int64_t)(((uint64_t)1 << bits) - 1);
}

/* The value that a combiner leaves as it is; IR_NONE if there is none. */
static ir_ref
neutral(ir_build *b, ir_op combiner, const ir_type *t)
{
    const bool real = ir_is_float(t->dtype) && ir_is_float(ir_compute_type(t->dtype)), yes = t->dtype == COT_BOOL;

    switch (combiner) {
    case OP_add: return ir_splat(b, t, 0);
    case OP_mul: return ir_splat(b, t, 1);
    case OP_max: return real ? ir_splat(b, t, -(double)INFINITY) : ir_splat_int(b, t, yes ? 0 : extreme(t->dtype, false));
    case OP_min: return real ? ir_splat(b, t, (double)INFINITY) : ir_splat_int(b, t, yes ? 1 : extreme(t->dtype, true));
    case OP_and: return ir_splat_int(b, t, yes ? 1 : -1);
    case OP_or: return ir_splat_int(b, t, 0);
    default: return IR_NONE;
    }
}

/* Is the scalar v what the combiner leaves as it is? */
static bool
is_neutral(hlo_emit *e, ir_op combiner, ir_ref v)
{
    const ir_type *t = ir_btype(e->b, v);
    const ir_ref want = neutral(e->b, combiner, t);
    double x, y;

    return want && (v == want || (ir_is_splat(e->b, v, &x) && ir_is_splat(e->b, want, &y) && x == y));
}

static ir_ref
combine(hlo_emit *e, ir_op combiner, ir_ref x, ir_ref init)
{
    if (!x || is_neutral(e, combiner, init))
        return x;
    return ir_op2(e->b, combiner, x, ir_broadcast_scalar(e->b, init, ir_btype(e->b, x)));
}

/* ---- any combiner ---- */

/* n arrays of one shape, reduced along their last axis: neighbours are combined, the one left over is kept. */
static void
halve(hlo_emit *e, const ir_graph *g, int n, ir_ref *x)
{
    ir_ref *in = IR_NEW_N(e->b->arena, ir_ref, 2 * n), *last = IR_NEW_N(e->b->arena, ir_ref, n);

    for (;;) {
        const ir_type *t = ir_btype(e->b, x[0]);
        const int axis = t->rank - 1;
        const int64_t size = t->dims[axis], half = size / 2;
        int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK], stride[COT_MAX_RANK];

        if (size <= 1 || fe_hlo_bad(e))
            return;
        for (int k = 0; k < t->rank; k++) {
            limit[k] = t->dims[k];
            stride[k] = 1;
        }
        stride[axis] = 2;
        limit[axis] = 2 * half;
        for (int i = 0; i < n; i++) {
            start[axis] = 0;
            in[i] = ir_slice(e->b, x[i], start, limit, stride);
            start[axis] = 1;
            in[n + i] = ir_slice(e->b, x[i], start, limit, stride);
            last[i] = size % 2 ? ir_slice_axis(e->b, x[i], axis, size - 1, size) : IR_NONE;
        }
        fe_hlo_each(e, g, in, x);
        for (int i = 0; i < n && size % 2 && !fe_hlo_bad(e); i++)
            x[i] = ir_concatenate(e->b, 2, (const ir_ref[]){ x[i], last[i] }, axis);
    }
}

/* The axes that leave, row-major, as one last axis. */
static ir_ref
gathered(hlo_emit *e, ir_ref x, ir_axes axes)
{
    const ir_type *t = ir_btype(e->b, x);
    int64_t perm[COT_MAX_RANK], dims[COT_MAX_RANK + 1], n = 1;
    int rank = 0, p = 0;

    for (int k = 0; k < t->rank; k++)
        if (!ir_axes_has(axes, k)) {
            perm[p++] = k;
            dims[rank++] = t->dims[k];
        }
    for (int k = 0; k < t->rank; k++)
        if (ir_axes_has(axes, k)) {
            perm[p++] = k;
            n *= t->dims[k];
        }
    dims[rank++] = n;
    if (rank > COT_MAX_RANK) {
        fe_hlo_fail(e, "the rank is too large");
        return IR_NONE;
    }
    return ir_reshape(e->b, ir_transpose(e->b, x, perm), rank, dims);
}

static void
any_reduction(hlo_emit *e, const ir_graph *g, int n, const ir_ref *x, const ir_ref *init, ir_axes axes, ir_ref *out)
{
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, n), *in = IR_NEW_N(e->b->arena, ir_ref, 2 * n);

    for (int i = 0; i < n; i++)
        if (!(y[i] = gathered(e, x[i], axes)))
            return;
    const ir_type *t = ir_btype(e->b, y[0]);
    const bool none = t->dims[t->rank - 1] == 0;
    if (!none)
        halve(e, g, n, y);
    for (int i = 0; i < n && !fe_hlo_bad(e); i++) {
        const ir_type *whole = ir_btype(e->b, y[i]), *rest = ir_type_close(e->b->ctx, whole, whole->rank - 1);
        in[i] = ir_broadcast_scalar(e->b, init[i], rest);
        in[n + i] = none ? in[i] : ir_reshape(e->b, y[i], rest->rank, rest->dims);
        out[i] = in[i];
    }
    if (!none && !fe_hlo_bad(e))
        fe_hlo_each(e, g, in, out);
}

/* ---- reduce ---- */

/* The body of n pairs, or the op named by `applies`. */
static ir_graph *
body_of(hlo_emit *e, int n, const ir_ref *x, ir_op *combiner)
{
    const ir_type **type = IR_NEW_N(e->b->arena, const ir_type *, 2 * n + 1);
    const hlo_attr *applies = fe_hlo_find(e->op, "applies", NULL);

    for (int i = 0; i < 2 * n; i++)
        type[i] = ir_scalar_type(e->b->ctx, ir_btype(e->b, x[i % n])->dtype);
    *combiner = OP_none;
    if (applies && n == 1 && e->op->n_regions == 0) {
        const hlo_row *row = fe_hlo_row(e->h, fe_hlo_text(e->h->a, applies->text));
        if (row && row->op && row->n_in == 2)
            *combiner = ir_op_find(row->op);
        if (type[0]->dtype == COT_BOOL)
            *combiner = *combiner == OP_add ? OP_or : *combiner == OP_mul ? OP_and : *combiner;
        if (*combiner == OP_none)
            fe_hlo_fail(e, "applies %.*s, which is no op of two operands", (int)applies->text.n, applies->text.at);
        if (!reduction_of(*combiner, type[0]->dtype)) { /* xor, say: a body of that one op */
            fe_source s = { .name = "body", .n_in = 2, .n_out = 1, .type = type, .alone = true };
            cot_value in[2];
            ir_graph *g = NULL;
            cot_trace *t = fe_trace_begin(e->h->ctx, &s, in);
            ir_ref y = ir_op2(t->b, *combiner, t->slot[in[0].id].ref, t->slot[in[1].id].ref);
            fe_trace_end(t, &s, (const cot_value[]){ fe_handle(t, y) }, &g);
            return g;
        }
        return NULL;
    }
    ir_graph *g = fe_hlo_body(e, 0, 2 * n, type);
    if (g && g->n_out != n) {
        fe_hlo_fail(e, "its body gives %d results; wants %d", g->n_out, n);
        return NULL;
    }
    if (g && n == 1)
        *combiner = fe_hlo_combiner(g);
    return g;
}

static bool
pairs(hlo_emit *e, int n)
{
    if (e->n_in != 2 * n || n < 1 || n != e->n_out) {
        fe_hlo_fail(e, "has %d operands and %d results; wants two operands for each result", e->n_in, e->n_out);
        return false;
    }
    for (int i = 0; i < n; i++)
        if (fe_hlo_in_type(e, n + i)->rank != 0 || fe_hlo_in_type(e, n + i)->dtype != fe_hlo_in_type(e, i)->dtype ||
            !ir_same_shape(fe_hlo_in_type(e, i), fe_hlo_in_type(e, 0))) {
            fe_hlo_fail(e, "operand %d is %s, its initial value %s", i, ir_type_str(e->b->ctx, fe_hlo_in_type(e, i)),
                        ir_type_str(e->b->ctx, fe_hlo_in_type(e, n + i)));
            return false;
        }
    return true;
}

void
fe_hlo_reduce(hlo_emit *e)
{
    const int n = e->n_in / 2;
    ir_ints list;
    ir_axes axes;
    ir_op combiner;

    if (!pairs(e, n) || !fe_hlo_ints(e, "dimensions", NULL, -1, 0, &list) ||
        !fe_hlo_axes(e, list, fe_hlo_in_type(e, 0)->rank, &axes))
        return;
    const ir_graph *g = body_of(e, n, e->in, &combiner);
    if (fe_hlo_bad(e))
        return;
    const ir_op named = n == 1 ? reduction_of(combiner, fe_hlo_in_type(e, 0)->dtype) : OP_none;
    if (named)
        e->out[0] = combine(e, combiner, ir_reduce(e->b, named, e->in[0], axes), e->in[1]);
    else if (!fe_hlo_arg_search(e, g, list))
        any_reduction(e, g, n, e->in, e->in + n, axes, e->out);
}

/* ---- windows ---- */

typedef struct windowing {
    int rank;
    ir_ints window, stride, base, dilation, padding;
} windowing;

static bool
read_windows(hlo_emit *e, int rank, windowing *w)
{
    w->rank = rank;
    return fe_hlo_ints(e, "window_dimensions", NULL, rank, 1, &w->window) &&
           fe_hlo_ints(e, "window_strides", NULL, rank, 1, &w->stride) &&
           fe_hlo_ints(e, "base_dilations", NULL, rank, 1, &w->base) &&
           fe_hlo_ints(e, "window_dilations", NULL, rank, 1, &w->dilation) &&
           fe_hlo_ints(e, "padding", NULL, 2 * rank, 0, &w->padding);
}

/* Windows of x, padded with `fill`: their elements go along new last axes, which are `axes`. */
static ir_ref
windows_of(hlo_emit *e, const windowing *w, ir_ref x, ir_ref fill, ir_axes *axes)
{
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], interior[COT_MAX_RANK];
    int n = w->rank;

    *axes = 0;
    for (int k = 0; k < w->rank; k++) {
        low[k] = w->padding.at[2 * k];
        high[k] = w->padding.at[2 * k + 1];
        interior[k] = w->base.at[k] - 1;
    }
    ir_ref y = ir_pad(e->b, x, fill, low, high, interior);
    for (int k = 0; k < w->rank && y; k++) {
        const int64_t last = (w->window.at[k] - 1) * w->dilation.at[k] + 1;
        if (w->window.at[k] == 1 && w->stride.at[k] == 1)
            continue;
        if (n == COT_MAX_RANK || ir_btype(e->b, y)->dims[k] < last) {
            int64_t dims[COT_MAX_RANK];
            if (n == COT_MAX_RANK) {
                fe_hlo_fail(e, "the rank is too large");
                return IR_NONE;
            }
            memcpy(dims, ir_btype(e->b, y)->dims, sizeof *dims * (size_t)n); /* no window fits: nothing */
            dims[k] = 0;
            dims[n] = w->window.at[k];
            y = ir_zeros(e->b, ir_type_shaped(e->b->ctx, ir_btype(e->b, y), n + 1, dims));
        } else {
            y = ir_windows(e->b, y, k, w->window.at[k], w->stride.at[k], w->dilation.at[k]);
        }
        *axes |= ir_axes_of(n++);
    }
    return y;
}

/* A window over all of one axis, padded on one side, makes running sums: the axis, or -1. */
static int
running_axis(const hlo_emit *e, const windowing *w, bool *reverse)
{
    const ir_type *t = fe_hlo_in_type(e, 0);
    int axis = -1;

    for (int k = 0; k < w->rank; k++) {
        const int64_t low = w->padding.at[2 * k], high = w->padding.at[2 * k + 1], n = w->window.at[k];
        if (w->stride.at[k] != 1 || w->base.at[k] != 1 || w->dilation.at[k] != 1)
            return -1;
        if (n == 1 && low == 0 && high == 0)
            continue;
        if (axis >= 0 || n != t->dims[k] || low + high != n - 1 || (low != 0 && high != 0))
            return -1;
        axis = k;
        *reverse = low == 0 && n > 1;
    }
    return axis;
}

static ir_op
running_of(ir_op combiner)
{
    return combiner == OP_add ? OP_cumsum : combiner == OP_mul ? OP_cumprod : combiner == OP_max ? OP_cummax
           : combiner == OP_min ? OP_cummin : OP_none;
}

void
fe_hlo_reduce_window(hlo_emit *e)
{
    const int n = e->n_in / 2;
    ir_ref *x = IR_NEW_N(e->b->arena, ir_ref, n + 1);
    ir_axes axes = 0;
    bool reverse = false;
    ir_op combiner;
    windowing w;

    if (!pairs(e, n) || !read_windows(e, fe_hlo_in_type(e, 0)->rank, &w))
        return;
    for (int k = 0; k < w.rank; k++)
        if (w.window.at[k] < 1 || w.stride.at[k] < 1 || w.base.at[k] < 1 || w.dilation.at[k] < 1) {
            fe_hlo_fail(e, "sizes, strides and dilations of windows are 1 or more");
            return;
        }
    const ir_graph *g = body_of(e, n, e->in, &combiner);
    if (fe_hlo_bad(e))
        return;
    const cot_dtype t = fe_hlo_in_type(e, 0)->dtype;
    const ir_op named = n == 1 ? reduction_of(combiner, t) : OP_none;
    const int axis = named ? running_axis(e, &w, &reverse) : -1;
    if (axis >= 0 && running_of(combiner) && t != COT_BOOL && is_neutral(e, combiner, e->in[1])) {
        e->out[0] = ir_node1(e->b, running_of(combiner), 1, e->in, &(ir_attrs){ .cumulate = { axis, reverse } });
        return;
    }
    for (int i = 0; i < n; i++)
        if (!(x[i] = windows_of(e, &w, e->in[i], e->in[n + i], &axes)))
            return;
    if (named)
        e->out[0] = combine(e, combiner, ir_reduce(e->b, named, x[0], axes), e->in[1]);
    else
        any_reduction(e, g, n, x, e->in + n, axes, e->out);
}
