/* Running sums, products and extrema: jvp, transpose and vmap.
 *
 * cumsum is linear; its transpose runs in the other direction.  An extremum takes the tangent
 * of the last element that attained it.  A product and its tangent are scanned together as dual
 * numbers, in log2(n) steps, without division, since an element may be zero. */
#include "passes/rules.h"

static ir_ref
cumulate(ir_build *b, ir_op op, ir_ref x, int64_t axis, int reverse)
{
    return x ? ir_node1(b, op, 1, &x, &(ir_attrs){ .cumulate = { axis, reverse } }) : IR_NONE;
}

void
transpose_cumsum(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                 const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in;
    ct_in[0] = cumulate(b, OP_cumsum, ct[0], n->at->cumulate.axis, !n->at->cumulate.reverse);
}

/* Combines each element from d on with the one d places before it: (p, p') (q, q') = (p q, p' q
 * + p q'). */
static dual
step(ir_build *b, dual x, int axis, int64_t d, int64_t n)
{
    ir_ref p = ir_slice_axis(b, x.val, axis, 0, n - d), q = ir_slice_axis(b, x.val, axis, d, n);
    ir_ref dp = ir_slice_axis(b, x.tan, axis, 0, n - d),
           dq = ir_slice_axis(b, x.tan, axis, d, n);
    ir_ref val[2] = { ir_slice_axis(b, x.val, axis, 0, d), ir_mul(b, p, q) };
    ir_ref part = ir_slice_axis(b, x.tan, axis, 0, d);
    ir_ref product = ir_mul(b, dq, p);
    ir_ref tan[2] = { part, ir_add(b, ir_mul(b, dp, q), product) };

    return (dual){ ir_concatenate(b, 2, val, axis), ir_concatenate(b, 2, tan, axis) };
}

void
jvp_cumprod(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const int axis = (int)n->at->cumulate.axis;
    const int64_t size = ir_type_at(f, n->first)->dims[axis];
    const ir_axes reversed = n->at->cumulate.reverse ? ir_axes_of(axis) : 0;
    dual x = *in;

    if (reversed)
        x = (dual){ ir_reverse(b, x.val, reversed), ir_reverse(b, x.tan, reversed) };
    for (int64_t d = 1; d < size; d *= 2)
        x = step(b, x, axis, d, size);
    y->tan = reversed ? ir_reverse(b, x.tan, reversed) : x.tan;
}

/* The place of the last element, in the direction of the scan, that equals the extremum so
 * far. */
static ir_ref
reached(ir_build *b, const ir_node *n, ir_ref x, ir_ref y)
{
    const ir_type *t = x && y ? ir_btype(b, x) : NULL;
    const int axis = (int)n->at->cumulate.axis, reverse = n->at->cumulate.reverse;

    if (!t)
        return IR_NONE;
    const int64_t size = t->dims[axis];
    ir_ref place = ir_iota(b, size > INT32_MAX ? COT_I64 : COT_I32, t->rank, t->dims, axis);
    ir_ref unequal = ir_op2(b, OP_ne, x, x);
    ir_ref hit = ir_op2(b, OP_or, ir_op2(b, OP_eq, x, y), unequal);
    place = place ? ir_select(b, hit, place,
                              ir_splat_int(b, ir_btype(b, place), reverse ? size - 1 : 0))
                  : IR_NONE;
    return cumulate(b, reverse ? OP_cummin : OP_cummax, place, axis, reverse);
}

void
jvp_cumextreme(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const int axis = (int)n->at->cumulate.axis, rank = ir_type_at(f, n->first)->rank;
    int64_t others[COT_MAX_RANK], sizes[COT_MAX_RANK], at[1] = { axis };
    int k = 0;

    y->tan = in->tan;
    if (ir_type_at(f, n->first)->dims[axis] == 0)
        return;
    for (int i = 0; i < rank; i++) {
        sizes[i] = 1;
        if (i != axis)
            others[k++] = i;
    }
    ir_attrs a = { .gather = { .collapsed = { 1, at }, .operand_batch = { k, others },
                               .indices_batch = { k, others }, .index_map = { 1, at },
                               .sizes = { rank, sizes }, .mode = IR_MODE_PROMISE } };
    ir_ref place = reached(b, n, in->val, y->val);
    ir_ref from[2] = { in->tan, place ? ir_broadcast_axis(b, place, rank, 1) : IR_NONE };
    y->tan = ir_node1(b, OP_gather, 2, from, &a);
}

void
vmap_cumulate(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
              const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    y[0] = cumulate(b, (ir_op)n->op, in[0], n->at->cumulate.axis + 1, n->at->cumulate.reverse);
}
