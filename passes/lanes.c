/* Sets of the elements of a value whose cotangent matters ("lanes").
 *
 * The transpose of select(p, x, y) gives x the cotangent select(p, ct, 0).  On the side that is
 * not selected it is 0, but x may have been computed with an infinite derivative there, and 0 *
 * inf is NaN: an example is the gradient of select(x > 0, log(x), 0) at 0.  Forward mode has no
 * such NaN, since the select drops the tangent of that side.  So reverse mode keeps, for each
 * cotangent, the set of elements that some select takes; for other elements the factors of the
 * following products are replaced by 1.  The products remain products, which `contract` joins
 * with sums as before.
 *
 * A set is the predicate of a select, its negation, or an `and` or `or` of sets.  Unused ones
 * are not part of the graph.  The union of both sides of one select is the set that the select
 * had, so that a value used on both sides costs nothing. */
#include "passes/lanes.h"

static int
new_set(lanes *l, lanes_set s)
{
    IR_PUSH(l->b->arena, l->set, l->n, l->cap, s);
    return (int)l->n - 1;
}

void
pass_lanes_begin(lanes *l, ir_build *b)
{
    *l = (lanes){ .b = b };
    new_set(l, (lanes_set){ 0 });
}

int
pass_lanes_of(lanes *l, ir_ref in)
{
    return in ? new_set(l, (lanes_set){ .in = in }) : PASS_LANES_ALL;
}

ir_ref
pass_lanes_in(const lanes *l, int set)
{
    return l->set[set].in;
}

int
pass_lanes_side(lanes *l, int whole, ir_ref p, bool yes)
{
    ir_ref in = yes ? p : ir_op1(l->b, OP_not, p);

    if (whole != PASS_LANES_ALL)
        in = ir_op2(l->b, OP_and, l->set[whole].in, in);
    return new_set(l, (lanes_set){ .in = in, .p = p, .whole = whole, .yes = yes });
}

int
pass_lanes_union(lanes *l, int s, int t)
{
    if (s == t || s == PASS_LANES_ALL || t == PASS_LANES_ALL)
        return s == t ? s : PASS_LANES_ALL;
    const lanes_set *x = &l->set[s], *y = &l->set[t];
    if (x->p && x->p == y->p && x->whole == y->whole)
        return x->yes == y->yes ? s : x->whole;
    return pass_lanes_of(l, ir_op2(l->b, OP_or, x->in, y->in));
}

/* For an operand that is broadcast: the elements of which any copy is in the set. */
static ir_ref
any_copy(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref in)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(f, n->first);
    ir_axes axes = ir_axes_below(y->rank);

    for (int i = 0; i < x->rank; i++) {
        const int64_t d = n->at->broadcast.dims.at[i];
        if (x->dims[i] == y->dims[d])
            axes &= ~ir_axes_of((int)d);
    }
    return ir_reshape(b, axes ? ir_reduce(b, OP_reduce_or, in, axes) : in, x->rank, x->dims);
}

/* For an operand that is summed: the elements whose sum is in the set. */
static ir_ref
of_sum(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref in)
{
    const ir_type *x = ir_type_at(f, n->in[0]);
    int64_t dims[COT_MAX_RANK];
    int kept = 0;

    for (int i = 0; i < x->rank; i++)
        if (!ir_axes_has(n->at->axes.axes, i))
            dims[kept++] = i;
    return ir_broadcast_in_dim(b, in, x->rank, x->dims, dims);
}

int
pass_lanes_before(lanes *l, const ir_graph *f, const ir_node *n, int of)
{
    const ir_type *x = ir_type_at(f, n->in[0]);
    int64_t inverse[COT_MAX_RANK];
    ir_ref in = l->set[of].in;

    if (of == PASS_LANES_ALL)
        return PASS_LANES_ALL;
    switch (n->op) {
    case OP_reshape: in = ir_reshape(l->b, in, x->rank, x->dims); break;
    case OP_broadcast_in_dim: in = any_copy(l->b, f, n, in); break;
    case OP_reduce_sum: in = of_sum(l->b, f, n, in); break;
    case OP_transpose:
        for (int i = 0; i < n->at->perm.perm.n; i++)
            inverse[n->at->perm.perm.at[i]] = i;
        in = ir_transpose(l->b, in, inverse);
        break;
    default: return PASS_LANES_ALL;
    }
    return pass_lanes_of(l, in);
}

ir_ref
pass_lanes_guard(lanes *l, int set, ir_ref x)
{
    const lanes_set *s = &l->set[set];
    ir_ref one = ir_like(l->b, x, 1);

    if (set == PASS_LANES_ALL)
        return x;
    if (s->p && s->whole == PASS_LANES_ALL)
        return s->yes ? ir_select(l->b, s->p, x, one) : ir_select(l->b, s->p, one, x);
    return ir_select(l->b, s->in, x, one);
}
