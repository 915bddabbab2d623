/* Views as lenses: `get` reads the view from its base, and `put` returns the base after a write
 * to the view.
 *
 * Every view satisfies: get(put(base, y)) = y, put(base, get(base)) = base, and a second put
 * replaces the first.  For a permutation of the elements, put is the inverse permutation.  For
 * a box it is dynamic_update_slice at the starts of the view, which is done in place if the
 * base is not used again.  For a box with strides it is a select between the base and the
 * elements of y, spread out.
 *
 * Source: N. Foster et al., Combinators for bidirectional tree transformations, TOPLAS 2007. */
#include "passes/lens.h"

ir_ref
pass_lens_get(ir_build *b, const ir_node *n, const ir_ref *in, bool keep)
{
    return ir_node1(b, keep ? (ir_op)n->op : ir_ops[n->op].alias, n->n_in, in, n->at);
}

static ir_ref
put_transpose(ir_build *b, const ir_node *n, ir_ref y)
{
    const ir_ints perm = n->at->perm.perm;
    int64_t inverse[COT_MAX_RANK];

    for (int i = 0; i < perm.n; i++)
        inverse[perm.at[i]] = i;
    return ir_transpose(b, y, inverse);
}

/* A box with stride 1: y replaces the elements from `start` on. */
static ir_ref
put_box(ir_build *b, ir_ints start, ir_ref base, ir_ref y)
{
    const ir_type *index = ir_scalar_type(b->ctx, COT_I64);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, start.n + 2);

    in[0] = base;
    in[1] = y;
    for (int i = 0; i < start.n; i++)
        in[i + 2] = ir_splat_int(b, index, start.at[i]);
    return ir_node1(b, OP_dynamic_update_slice, start.n + 2, in, NULL);
}

/* x, which has the view's shape, padded to the shape of the base, with `fill` at other
 * elements. */
static ir_ref
spread(ir_build *b, const ir_node *n, const ir_type *base, ir_ref x, ir_ref fill)
{
    const ir_type *t = ir_btype(b, x);
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], interior[COT_MAX_RANK];

    for (int i = 0; i < t->rank; i++) {
        const int64_t step = n->at->slice.stride.at[i], size = t->dims[i];
        low[i] = n->at->slice.start.at[i];
        interior[i] = step - 1;
        high[i] = base->dims[i] - low[i] - (size > 0 ? (size - 1) * step + 1 : 0);
    }
    return ir_pad(b, x, fill, low, high, interior);
}

static ir_ref
put_slice(ir_build *b, const ir_node *n, ir_ref base, ir_ref y)
{
    const ir_type *t = ir_btype(b, base), *to = ir_btype(b, y);
    bool dense = true;

    for (int i = 0; i < t->rank; i++)
        dense &= n->at->slice.stride.at[i] == 1 || to->dims[i] <= 1;
    if (to->size == 0)
        return base;
    if (to->size == t->size)
        return y;
    if (dense)
        return put_box(b, n->at->slice.start, base, y);
    const ir_type *mask = ir_type_as(b->ctx, to, COT_BOOL),
                  *no = ir_scalar_type(b->ctx, COT_BOOL);
    ir_ref zero = ir_splat(b, no, 0);
    ir_ref at = spread(b, n, t, ir_splat(b, mask, 1), zero);
    ir_ref wide = spread(b, n, t, y, ir_splat(b, ir_scalar_type(b->ctx, t->dtype), 0));
    return ir_select(b, at, wide, base);
}

/* No element is repeated, so the axes of y are those of the base, in order, and axes of size
 * 1. */
static ir_ref
put_broadcast(ir_build *b, ir_ref base, ir_ref y)
{
    const ir_type *t = ir_btype(b, base);

    if (ir_btype(b, y)->size != t->size) {
        ir_build_fail(b, "assign", ERR_assign_repeats);
        return IR_NONE;
    }
    return ir_reshape(b, y, t->rank, t->dims);
}

/* Both ops clamp the starts in the same way, so y is written where the view reads. */
static ir_ref
put_dynamic(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref y)
{
    ir_ref *all = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);

    all[0] = in[0];
    all[1] = y;
    for (int i = 1; i < n->n_in; i++)
        all[i + 1] = in[i];
    return ir_node1(b, OP_dynamic_update_slice, n->n_in + 1, all, NULL);
}

ir_ref
pass_lens_put(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref y)
{
    const ir_ref base = in[0];

    if (!base || !y)
        return IR_NONE;
    switch (n->op) {
    case OP_view_slice: return put_slice(b, n, base, y);
    case OP_view_transpose: return put_transpose(b, n, y);
    case OP_view_reverse: return ir_node1(b, OP_reverse, 1, &y, n->at);
    case OP_view_dynamic_slice: return put_dynamic(b, n, in, y);
    case OP_view_broadcast: return put_broadcast(b, base, y);
    default: return ir_reshape(b, y, ir_btype(b, base)->rank, ir_btype(b, base)->dims);
    }
}
