/* Algebraic identities: a rule for each op that has any.  Each holds for NaN, infinities and
 * signed zeros as well.  A rule returns a value that equals the op bit for bit, or IR_NONE. */
#include "ir/fold.h"

/* op(op(x)) = x */
ir_ref
fold_twice(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], c->op);

    return n ? n->in[0] : IR_NONE;
}

/* op(op(x)) = op(x) */
ir_ref
fold_again(const fold_ctx *c)
{
    return ir_made_by(c->b, c->in[0], c->op) ? c->in[0] : IR_NONE;
}

ir_ref
fold_sign(const fold_ctx *c)
{
    return ir_is_complex(c->type->dtype) ? IR_NONE : fold_again(c);
}

/* Two small constants, or two splats, as one of a complex type. */
static ir_ref
join_constants(const fold_ctx *c)
{
    const ir_data *re = fold_constant_of(c->b, c->in[0]),
                  *im = fold_constant_of(c->b, c->in[1]);
    const size_t size = cot_dtype_size(c->type->dtype) / 2;
    char both[FOLD_SMALL * 16];

    if (!re || !im || (c->type->size > FOLD_SMALL && !(re->splat && im->splat)))
        return IR_NONE;
    const bool splat = re->splat && im->splat;
    const int64_t n = splat ? 1 : c->type->size;
    for (int64_t i = 0; i < n; i++) {
        memcpy(both + (size_t)i * 2 * size,
               (const char *)re->bytes + (re->splat ? 0 : (size_t)i * size), size);
        memcpy(both + ((size_t)i * 2 + 1) * size,
               (const char *)im->bytes + (im->splat ? 0 : (size_t)i * size), size);
    }
    return fold_add_constant(c->b, splat ? ir_data_splat(c->b->arena, c->type, both)
                                         : ir_data_list(c->b->arena, c->type, both));
}

/* A part of a small complex constant. */
static ir_ref
part_of_constant(const fold_ctx *c)
{
    const ir_data *z = fold_constant_of(c->b, c->in[0]);
    const size_t size = cot_dtype_size(c->type->dtype);
    char part[FOLD_SMALL * 8];

    if (!z || (c->type->size > FOLD_SMALL && !z->splat))
        return IR_NONE;
    for (int64_t i = 0; i < (z->splat ? 1 : c->type->size); i++)
        memcpy(part + (size_t)i * size,
               (const char *)z->bytes + ((size_t)i * 2 + (c->op == OP_imag)) * size, size);
    return fold_add_constant(c->b, z->splat ? ir_data_splat(c->b->arena, c->type, part)
                                            : ir_data_list(c->b->arena, c->type, part));
}

/* complex(real(z), imag(z)) = z */
ir_ref
fold_complex(const fold_ctx *c)
{
    const ir_node *re = ir_made_by(c->b, c->in[0], OP_real),
                  *im = ir_made_by(c->b, c->in[1], OP_imag);

    return re && im && re->in[0] == im->in[0] ? re->in[0] : join_constants(c);
}

ir_ref
fold_part(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_complex);

    return n ? n->in[c->op == OP_imag] : part_of_constant(c);
}

/* The negative of an unsigned number is no smaller number with a sign. */
ir_ref
fold_abs(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_neg);

    if (n && !ir_is_unsigned(c->type->dtype))
        return ir_op1(c->b, OP_abs, n->in[0]);
    return fold_again(c);
}

/* op(x, x) = x */
ir_ref
fold_both(const fold_ctx *c)
{
    return c->in[0] == c->in[1] ? c->in[0] : IR_NONE;
}

ir_ref
fold_select(const fold_ctx *c)
{
    double p;

    if (c->in[1] == c->in[2])
        return c->in[1];
    if (ir_is_splat(c->b, c->in[0], &p))
        return p != 0 ? c->in[1] : c->in[2];
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_not);
    return n ? ir_select(c->b, n->in[0], c->in[2], c->in[1]) : IR_NONE;
}

ir_ref
fold_integer_pow(const fold_ctx *c)
{
    return c->at->ipow.y == 1 ? c->in[0] : IR_NONE;
}

/* The significant bits of a number type without its sign. */
static int
precision(cot_dtype t)
{
    switch (t) {
    case COT_F16: return 11;
    case COT_BF16: return 8;
    case COT_F32: return 24;
    case COT_F64: return 53;
    default: return ir_bits(t) - (ir_is_signed(t) ? 1 : 0);
    }
}

/* The same among complex types, and a real type in a complex one. */
static bool holds(cot_dtype u, cot_dtype t);
static bool
holds_complex(cot_dtype u, cot_dtype t)
{
    return ir_is_complex(u) && holds(ir_part_type(u), ir_part_type(t));
}

/* Can u represent every value of t, so that converting back to t restores it? */
static bool
holds(cot_dtype u, cot_dtype t)
{
    if (t == u || t == COT_BOOL)
        return true;
    if (ir_is_complex(u) || ir_is_complex(t))
        return holds_complex(u, t);
    if (u == COT_BOOL || (ir_is_float(t) && !ir_is_float(u)))
        return false;
    if (ir_is_float(t))
        return u == COT_F64 || (u == COT_F32 && t != COT_F64);
    if (ir_is_float(u)) /* the range of f16 ends at 65504, above any 11-bit integer */
        return precision(u) >= precision(t);
    return (ir_is_signed(u) || !ir_is_signed(t)) && precision(u) >= precision(t);
}

ir_ref
fold_convert(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_convert);

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    if (n && ir_btype(c->b, n->in[0]) == c->type &&
        holds(ir_btype(c->b, c->in[0])->dtype, c->type->dtype))
        return n->in[0];
    return IR_NONE;
}

ir_ref
fold_bitcast(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_bitcast);

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    return n ? ir_node1(c->b, OP_bitcast, 1, n->in, c->at) : IR_NONE;
}

ir_ref
fold_broadcast(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_broadcast_in_dim);
    int64_t dims[COT_MAX_RANK];

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0]; /* dims ascend, so they are 0, 1, ... */
    if (!n)
        return IR_NONE;
    for (int i = 0; i < n->at->broadcast.dims.n; i++)
        dims[i] = c->at->broadcast.dims.at[n->at->broadcast.dims.at[i]];
    return ir_broadcast_in_dim(c->b, n->in[0], c->type->rank, c->type->dims, dims);
}

ir_ref
fold_reshape(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_reshape);

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    return n ? ir_reshape(c->b, n->in[0], c->type->rank, c->type->dims) : IR_NONE;
}

ir_ref
fold_transpose(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_transpose);
    int64_t perm[COT_MAX_RANK];
    bool same = true;

    for (int i = 0; i < c->type->rank; i++)
        same &= c->at->perm.perm.at[i] == i;
    if (same)
        return c->in[0];
    if (!n)
        return IR_NONE;
    for (int i = 0; i < c->type->rank; i++)
        perm[i] = n->at->perm.perm.at[c->at->perm.perm.at[i]];
    return ir_transpose(c->b, n->in[0], perm);
}

/* A slice that keeps every size of its operand keeps every element. */
ir_ref
fold_slice(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_slice);
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    if (ir_btype(c->b, c->in[0]) == c->type)
        return c->in[0];
    if (!n || c->type->size == 0)
        return IR_NONE;
    for (int i = 0; i < c->type->rank; i++) {
        int64_t step = n->at->slice.stride.at[i];

        stride[i] = c->type->dims[i] > 1 ? step * c->at->slice.stride.at[i] : 1;
        start[i] = n->at->slice.start.at[i] + step * c->at->slice.start.at[i];
        limit[i] = start[i] + (c->type->dims[i] - 1) * stride[i] + 1;
    }
    return ir_slice(c->b, n->in[0], start, limit, stride);
}

ir_ref
fold_pad(const fold_ctx *c)
{
    const ir_type *x = ir_btype(c->b, c->in[0]);

    for (int i = 0; i < x->rank; i++)
        if (c->at->pad.low.at[i] || c->at->pad.high.at[i] ||
            (c->at->pad.interior.at[i] && x->dims[i] > 1))
            return IR_NONE;
    return c->in[0];
}

/* Slices of one value that are adjacent along the axis, in order, are one slice of it. */
static ir_ref
fold_adjacent_slices(const fold_ctx *c, int axis)
{
    const ir_node *first = ir_made_by(c->b, c->in[0], OP_slice), *n = first;
    int64_t limit[COT_MAX_RANK];

    for (int i = 1; n && i < c->n_in; i++) {
        const ir_node *next = ir_made_by(c->b, c->in[i], OP_slice);
        if (!next || next->in[0] != first->in[0])
            return IR_NONE;
        for (int k = 0; k < c->type->rank; k++)
            if (n->at->slice.stride.at[k] != next->at->slice.stride.at[k] ||
                next->at->slice.start.at[k] !=
                    (k == axis ? n->at->slice.limit.at[k] : n->at->slice.start.at[k]) ||
                (k == axis && n->at->slice.stride.at[k] != 1))
                return IR_NONE;
        n = next;
    }
    if (!n)
        return IR_NONE;
    for (int k = 0; k < c->type->rank; k++)
        limit[k] = n->at->slice.limit.at[k];
    return ir_slice(c->b, first->in[0], first->at->slice.start.at, limit,
                    first->at->slice.stride.at);
}

/* Empty operands add nothing; one operand is itself. */
ir_ref
fold_concatenate(const fold_ctx *c)
{
    int axis = (int)c->at->axis.axis, n = 0;
    ir_ref *kept = IR_NEW_N(c->b->arena, ir_ref, c->n_in);

    for (int i = 0; i < c->n_in; i++)
        if (ir_btype(c->b, c->in[i])->dims[axis] > 0)
            kept[n++] = c->in[i];
    if (n == 0)
        return c->in[0];
    if (n == 1)
        return kept[0];
    return n < c->n_in ? ir_concatenate(c->b, n, kept, axis) : fold_adjacent_slices(c, axis);
}

ir_ref
fold_reverse(const fold_ctx *c)
{
    const ir_node *n = ir_made_by(c->b, c->in[0], OP_reverse);
    ir_axes axes = 0;

    for (int k = 0; k < c->type->rank; k++)
        if (ir_axes_has(c->at->axes.axes, k) && c->type->dims[k] > 1)
            axes |= ir_axes_of(k);
    if (axes == 0)
        return c->in[0];
    if (n)
        return ir_reverse(c->b, n->in[0], axes ^ n->at->axes.axes);
    return axes != c->at->axes.axes ? ir_reverse(c->b, c->in[0], axes) : IR_NONE;
}

/* Over axes of size 1 every reduction is the one element; over no axes it is the operand. */
ir_ref
fold_reduce(const fold_ctx *c)
{
    const ir_type *x = ir_btype(c->b, c->in[0]);

    for (int k = 0; k < x->rank; k++)
        if (ir_axes_has(c->at->axes.axes, k) && x->dims[k] != 1)
            return IR_NONE;
    return ir_reshape(c->b, c->in[0], c->type->rank, c->type->dims);
}

/* Starts are clamped, so a box as large as x is all of x. */
ir_ref
fold_dynamic_slice(const fold_ctx *c)
{
    return ir_btype(c->b, c->in[0]) == c->type ? c->in[0] : IR_NONE;
}

ir_ref
fold_dynamic_update_slice(const fold_ctx *c)
{
    const ir_type *y = ir_btype(c->b, c->in[1]);

    return y == c->type ? c->in[1] : y->size == 0 ? c->in[0] : IR_NONE;
}

ir_ref
fold_scatter(const fold_ctx *c)
{
    return ir_btype(c->b, c->in[2])->size == 0 ? c->in[0] : IR_NONE;
}
