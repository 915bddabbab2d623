/* Data movement: jvp, transpose and vmap.
 *
 * All these ops are linear, and the transpose of each belongs to the same family: broadcast and
 * reduce_sum, slice and pad, concatenate and slices, transpose and its inverse.  Under vmap the
 * mapped axis is the first, so every axis number increases by one, and each per-axis list gets
 * an entry that selects the whole axis. */
#include "passes/rules.h"

/* jvp. */

void
jvp_pad(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    jvp_linear(b, f, n, in, y);
}

void
jvp_concatenate(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    jvp_linear(b, f, n, in, y);
}

/* transpose. */

/* Sums over the axes along which x was repeated; axes of size 1 in x are restored by
 * reshape. */
void
transpose_broadcast(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                    const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(f, n->first);
    ir_axes axes = ir_axes_below(y->rank);
    (void)linear, (void)in;
    for (int i = 0; i < x->rank; i++) {
        const int64_t d = n->at->broadcast.dims.at[i];
        if (x->dims[i] == y->dims[d])
            axes &= ~ir_axes_of((int)d);
    }
    ct_in[0] = ir_reshape(b, axes ? ir_reduce(b, OP_reduce_sum, ct[0], axes) : ct[0], x->rank,
                          x->dims);
}

void
transpose_reshape(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]);
    (void)linear, (void)in;
    ct_in[0] = ir_reshape(b, ct[0], x->rank, x->dims);
}

void
transpose_transpose(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                    const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    int64_t inverse[COT_MAX_RANK];
    (void)f, (void)linear, (void)in;
    for (int i = 0; i < n->at->perm.perm.n; i++)
        inverse[n->at->perm.perm.at[i]] = i;
    ct_in[0] = ir_transpose(b, ct[0], inverse);
}

/* Pads the cotangent with zeros to the position of the slice. */
void
transpose_slice(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(f, n->first);
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], interior[COT_MAX_RANK];
    (void)linear, (void)in;
    for (int i = 0; i < x->rank; i++) {
        const int64_t stride = n->at->slice.stride.at[i], size = y->dims[i];
        low[i] = size ? n->at->slice.start.at[i] : 0;
        interior[i] = size ? stride - 1 : 0;
        high[i] = x->dims[i] - low[i] - (size ? (size - 1) * stride + 1 : 0);
    }
    ir_ref zero = pass_zeros_like(b, ir_scalar_type(b->ctx, x->dtype));
    ct_in[0] = ir_pad(b, ct[0], zero, low, high, interior);
}

/* A mask of the result of n: true for padding (where_padded), or for the operand's elements. */
static ir_ref
padding_mask(ir_build *b, const ir_graph *f, const ir_node *n, bool where_padded)
{
    ir_ref inside =
        ir_splat(b, ir_type_as(b->ctx, ir_type_at(f, n->in[0]), COT_BOOL), !where_padded);
    ir_ref outside = ir_splat(b, ir_scalar_type(b->ctx, COT_BOOL), where_padded);
    return ir_pad(b, inside, outside, n->at->pad.low.at, n->at->pad.high.at,
                  n->at->pad.interior.at);
}

/* Removes low and high (elements that they cropped get zeros), then skips the interior
 * padding. */
static ir_ref
unpad(ir_build *b, const ir_type *x, const ir_node *n, ir_ref ct)
{
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK];
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK];
    for (int i = 0; i < x->rank; i++) {
        low[i] = -n->at->pad.low.at[i];
        high[i] = -n->at->pad.high.at[i];
        start[i] = 0;
        stride[i] = n->at->pad.interior.at[i] + 1;
        limit[i] = x->dims[i] ? (x->dims[i] - 1) * stride[i] + 1 : 0;
    }
    ir_ref zero = pass_zeros_like(b, ir_scalar_type(b->ctx, x->dtype));
    return ir_slice(b, ir_pad(b, ct, zero, low, high, NULL), start, limit, stride);
}

void
transpose_pad(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]);
    (void)in;
    ct_in[0] = linear[0] ? pass_crop_conv(b, ct[0], n->at) : IR_NONE;
    if (linear[0] && !ct_in[0])
        ct_in[0] = unpad(b, x, n, ct[0]);
    if (linear[1]) {
        ir_ref padded = tan_select(b, padding_mask(b, f, n, true), ct[0], IR_NONE);
        ct_in[1] =
            x->rank ? ir_reduce(b, OP_reduce_sum, padded, ir_axes_below(x->rank)) : padded;
    }
}

void
transpose_concatenate(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                      const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const int axis = (int)n->at->axis.axis;
    int64_t at = 0;
    (void)in;
    for (int i = 0; i < n->n_in; i++) {
        const int64_t size = ir_type_at(f, n->in[i])->dims[axis];
        ct_in[i] = linear[i] ? ir_slice_axis(b, ct[0], axis, at, at + size) : IR_NONE;
        at += size;
    }
}

void
transpose_reverse(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in;
    ct_in[0] = ir_reverse(b, ct[0], n->at->axes.axes);
}

/* Adds element k of every window to the element that it was read from, for all k: a sum with as
 * many terms as a window has elements. */
void
transpose_windows(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(f, n->first);
    const int64_t axis = n->at->windows.axis, count = y->dims[axis];
    int64_t low[COT_MAX_RANK] = { 0 }, high[COT_MAX_RANK] = { 0 },
            interior[COT_MAX_RANK] = { 0 };
    ir_ref zero = pass_zeros_like(b, ir_scalar_type(b->ctx, x->dtype)), sum = IR_NONE;
    (void)linear, (void)in;
    interior[axis] = count ? n->at->windows.stride - 1 : 0;
    for (int64_t k = 0; k < n->at->windows.size && count; k++) {
        ir_ref one = ir_slice_axis(b, ct[0], x->rank, k, k + 1);
        low[axis] = k * n->at->windows.dilation;
        high[axis] = x->dims[axis] - low[axis] - ((count - 1) * n->at->windows.stride + 1);
        const ir_type *t = one ? ir_type_close(b->ctx, ir_btype(b, one), x->rank) : NULL;
        one = t ? ir_reshape(b, one, t->rank, t->dims) : IR_NONE;
        sum = tan_add(b, sum, ir_pad(b, one, zero, low, high, interior));
    }
    ct_in[0] = sum ? sum : pass_zeros_like(b, x);
}

/* vmap. */

/* `first`, then the entries of s, each plus `shift`, in the builder's arena. */
static ir_ints
prepend(ir_build *b, int64_t first, ir_ints s, int64_t shift)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, s.n + 1);
    at[0] = first;
    for (int i = 0; i < s.n; i++)
        at[i + 1] = s.at[i] + shift;
    return (ir_ints){ s.n + 1, at };
}

void
vmap_broadcast(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
               const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = { .broadcast = { prepend(b, size, n->at->broadcast.shape, 0),
                                   prepend(b, 0, n->at->broadcast.dims, 1) } };
    (void)f, (void)mapped, (void)out_mapped;
    y[0] = ir_node1(b, OP_broadcast_in_dim, 1, in, &at);
}

void
vmap_reshape(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = { .shape = { prepend(b, size, n->at->shape.shape, 0) } };
    (void)f, (void)mapped, (void)out_mapped;
    y[0] = ir_node1(b, OP_reshape, 1, in, &at);
}

void
vmap_transpose(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
               const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = { .perm = { prepend(b, 0, n->at->perm.perm, 1) } };
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    y[0] = ir_node1(b, OP_transpose, 1, in, &at);
}

void
vmap_slice(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
           const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = { .slice = { prepend(b, 0, n->at->slice.start, 0),
                               prepend(b, size, n->at->slice.limit, 0),
                               prepend(b, 1, n->at->slice.stride, 0) } };
    (void)f, (void)mapped, (void)out_mapped;
    y[0] = ir_node1(b, OP_slice, 1, in, &at);
}

/* If each example has its own padding value, the value is not a scalar.  Then the operand is
 * padded with any value, and the result is selected by a mask, which is the same for all
 * examples. */
void
vmap_pad(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
         const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = { .pad = { prepend(b, 0, n->at->pad.low, 0),
                             prepend(b, 0, n->at->pad.high, 0),
                             prepend(b, 0, n->at->pad.interior, 0) } };
    const ir_type *type = ir_type_at(f, n->first);
    (void)out_mapped;
    ir_ref x = pass_map_operand(b, in[0], mapped[0], size);
    if (!mapped[1]) {
        y[0] = ir_node1(b, OP_pad, 2, (ir_ref[]){ x, in[1] }, &at);
        return;
    }
    ir_ref zero = ir_splat(b, ir_scalar_type(b->ctx, type->dtype), 0);
    ir_ref padded = ir_node1(b, OP_pad, 2, (ir_ref[]){ x, zero }, &at);
    ir_ref mask = pass_map_operand(b, padding_mask(b, f, n, true), false, size);
    ir_ints shape = prepend(b, size, (ir_ints){ type->rank, type->dims }, 0);
    ir_ref value = ir_broadcast_in_dim(b, in[1], type->rank + 1, shape.at, (int64_t[]){ 0 });
    y[0] = ir_select(b, mask, value, padded);
}

void
vmap_concatenate(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                 const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in);
    (void)f, (void)out_mapped;
    for (int i = 0; i < n->n_in; i++)
        operand[i] = pass_map_operand(b, in[i], mapped[i], size);
    y[0] = ir_concatenate(b, n->n_in, operand, (int)n->at->axis.axis + 1);
}

void
vmap_reverse(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    y[0] = ir_reverse(b, in[0], ir_axes_shift(n->at->axes.axes, 1));
}

void
vmap_windows(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = ir_node_attrs(n);
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    at.windows.axis++;
    y[0] = ir_node1(b, OP_windows, 1, in, &at);
}
