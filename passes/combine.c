/* Reductions by a traced combiner.
 *
 * The combiner, a function of elements, is mapped over the axes of arrays.  Along an axis
 * adjacent elements are combined in a binary tree aligned at powers of two; an element without
 * a partner moves up a level.  Elements keep their order, so the combiner need not be
 * commutative (which the lanes of sums would require).  The tree is part of the graph, so it is
 * the same in every back end, and transforms need no rule for it. */
#include "passes/combine.h"

#include "passes/rules.h"

typedef struct combining {
    ir_build *b;
    const pass_combiner *c;
    int axis;
} combining;

static ir_ref *
list(const combining *s)
{
    return IR_NEW_N(s->b->arena, ir_ref, s->c->n + 1);
}

/* The combiner on arrays of this shape: mapped over each axis, the last one first, as a new
 * first axis. */
static const ir_graph *
over_shape(ir_build *b, const pass_combiner *c, const ir_type *t)
{
    const ir_graph *g = c->g;
    bool *in = IR_NEW_N(b->arena, bool, g->n_in + 1),
         *out = IR_NEW_N(b->arena, bool, g->n_out + 1);

    for (int i = 0; i < g->n_in; i++)
        in[i] = i < 2 * c->n;
    for (int k = t->rank - 1; k >= 0 && b->status == COT_OK; k--) {
        ir_graph *mapped = NULL;

        for (int i = 0; i < g->n_out; i++)
            out[i] = true;
        b->status = pass_vmap_graph(g, t->dims[k], in, out, &mapped);
        g = mapped;
    }
    return b->status == COT_OK ? g : NULL;
}

void
pass_combine(ir_build *b, const pass_combiner *c, const ir_ref *x, const ir_ref *y, ir_ref *z)
{
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, c->g->n_in + 1);
    bool ok = true;

    for (int i = 0; i < c->n; i++) {
        z[i] = IR_NONE;
        in[i] = x[i];
        in[c->n + i] = y[i];
        ok &= x[i] && y[i];
    }
    for (int i = 0; i < c->n_captured; i++)
        in[2 * c->n + i] = c->captured[i];
    const ir_graph *g = ok && b->status == COT_OK ? over_shape(b, c, ir_btype(b, x[0])) : NULL;
    if (g)
        ir_inline_graph(b, g, in, z);
}

ir_op
pass_combiner_op(const pass_combiner *c)
{
    const ir_graph *g = c->g;

    if (c->n != 1 || g->n_nodes != 2 || g->n_out != 1)
        return OP_none;
    const ir_node *n = &g->node[1];
    const bool straight = n->n_in == 2 && n->in[0] == g->in[0] && n->in[1] == g->in[1],
               crossed = n->n_in == 2 && n->in[0] == g->in[1] && n->in[1] == g->in[0];
    if (g->out[0] != n->first || (!straight && !crossed))
        return OP_none;
    if (ir_ops[n->op].flag != IR_POINTWISE ||
        (ir_is_ordered(n->op) && g->value[g->in[0]].type->dtype == COT_BOOL))
        return OP_none;
    return ir_op_by(OP_reduce_sum, ir_ops[n->op].by);
}

/* The elements from, from + step, ... below `to` along the axis. */
static void
sliced(const combining *s, const ir_ref *x, int64_t from, int64_t to, int64_t step, ir_ref *y)
{
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], by[COT_MAX_RANK];

    for (int i = 0; i < s->c->n; i++) {
        const ir_type *t = x[i] ? ir_btype(s->b, x[i]) : NULL;

        for (int k = 0; t && k < t->rank; k++) {
            start[k] = k == s->axis ? from : 0;
            limit[k] = k == s->axis ? to : t->dims[k];
            by[k] = k == s->axis ? step : 1;
        }
        y[i] = t ? ir_slice(s->b, x[i], start, limit, by) : IR_NONE;
    }
}

/* The concatenation of x and y along the axis; either may be NULL. */
static ir_ref *
joined(const combining *s, ir_ref *x, ir_ref *y)
{
    if (!x || !y)
        return x ? x : y;
    for (int i = 0; i < s->c->n; i++)
        x[i] =
            x[i] && y[i] ? ir_concatenate(s->b, 2, (ir_ref[]){ x[i], y[i] }, s->axis) : IR_NONE;
    return x;
}

/* Axes `axis` to axis + axes - 1 of x become one axis of this size, or are removed. */
static void
regroup(const combining *s, ir_ref *x, int axes, bool stays, int64_t size)
{
    int64_t dims[COT_MAX_RANK + 1];

    for (int i = 0; i < s->c->n; i++) {
        const ir_type *t = x[i] ? ir_btype(s->b, x[i]) : NULL;
        int r = 0;

        for (int k = 0; t && k < s->axis; k++)
            dims[r++] = t->dims[k];
        if (stays)
            dims[r++] = size;
        for (int k = s->axis + axes; t && k < t->rank; k++)
            dims[r++] = t->dims[k];
        x[i] = t ? ir_reshape(s->b, x[i], r, dims) : IR_NONE;
    }
}

/* The first n elements of x along the axis, combined with the n of y; the others are
 * unchanged. */
static ir_ref *
combine_first(const combining *s, const ir_ref *x, int64_t size, const ir_ref *y, int64_t n)
{
    ir_ref *first = list(s), *rest = n < size ? list(s) : NULL, *z = list(s);

    sliced(s, x, 0, n, 1, first);
    if (rest)
        sliced(s, x, n, size, 1, rest);
    pass_combine(s->b, s->c, first, y, z);
    return joined(s, z, rest);
}

/* Combines the n elements along the axis into one, and removes the axis. */
static ir_ref *
tree(const combining *s, ir_ref *x, int64_t n)
{
    while (n > 1 && s->b->status == COT_OK) {
        ir_ref *even = list(s), *odd = list(s);

        sliced(s, x, 0, n, 2, even);
        sliced(s, x, 1, n, 2, odd);
        x = combine_first(s, even, (n + 1) / 2, odd, n / 2);
        n = (n + 1) / 2;
    }
    regroup(s, x, 1, false, 0);
    return x;
}

/* The scalars broadcast to the shape of t, each with its own element type. */
static ir_ref *
spread(const combining *s, const ir_ref *init, const ir_type *t)
{
    ir_ref *y = list(s);

    for (int i = 0; i < s->c->n; i++)
        y[i] = init[i] ? ir_broadcast_in_dim(s->b, ir_rounded(s->b, init[i]), t->rank, t->dims,
                                             NULL)
                       : IR_NONE;
    return y;
}

static const ir_type *
without(ir_build *b, const ir_type *t, ir_axes axes)
{
    for (int k = t->rank - 1; k >= 0; k--)
        if (ir_axes_has(axes, k))
            t = ir_type_close(b->ctx, t, k);
    return t;
}

static int64_t
count_reduced(const ir_type *t, ir_axes axes)
{
    int64_t n = 1;

    for (int k = 0; k < t->rank; k++)
        n *= ir_axes_has(axes, k) ? t->dims[k] : 1;
    return n;
}

/* Reduces the axes, with adjacent axes merged, from the last group on. */
static ir_ref *
each_group(combining *s, ir_axes axes, const ir_ref *x, int rank)
{
    const ir_op op = pass_combiner_op(s->c);
    ir_ref *y = list(s);

    for (int i = 0; i < s->c->n; i++)
        y[i] = ir_rounded(s->b, x[i]); /* no sum is joined with what makes its operand */
    if (op != OP_none) {
        y[0] = ir_reduce(s->b, op, y[0], axes);
        return y;
    }
    for (int k = rank - 1; k >= 0 && s->b->status == COT_OK; k--) {
        int64_t n = 1;
        int last = k;

        if (!ir_axes_has(axes, k))
            continue;
        while (k > 0 && ir_axes_has(axes, k - 1))
            k--;
        for (int i = k; i <= last; i++)
            n *= ir_btype(s->b, y[0])->dims[i];
        s->axis = k;
        regroup(s, y, last - k + 1, true, n);
        y = tree(s, y, n);
    }
    return y;
}

void
pass_reduce(ir_build *b, const pass_combiner *c, ir_axes axes, const ir_ref *x,
            const ir_ref *init, ir_ref *y)
{
    combining s = { b, c, 0 };
    bool ok = b->status == COT_OK;

    for (int i = 0; i < c->n; i++) {
        y[i] = IR_NONE;
        ok &= x[i] && init[i];
    }
    if (!ok)
        return;
    const ir_type *t = ir_btype(b, x[0]), *less = without(b, t, axes);
    const ir_ref *last = spread(&s, init, less);
    if (count_reduced(t, axes) == 0 || less->size == 0)
        memcpy(y, last, sizeof *y * (size_t)c->n);
    else
        pass_combine(b, c, each_group(&s, axes, x, t->rank), last, y);
    for (int i = 0; i < c->n; i++)
        y[i] = ir_rounded(b, y[i]);
}
