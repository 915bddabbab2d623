/* Ops that move elements.  Open sizes are those that the operands give: operands that are
 * shapes must be known at import. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

ir_ref
fe_hlo_spread(hlo_emit *e, ir_ref x, int rank, const int64_t *shape, ir_ints dims)
{
    int64_t perm[COT_MAX_RANK], sorted[COT_MAX_RANK];
    bool ascends = true;

    for (int i = 0; i < dims.n; i++) {
        int at = 0;
        for (int k = 0; k < dims.n; k++)
            at += dims.at[k] < dims.at[i] || (dims.at[k] == dims.at[i] && k < i);
        perm[at] = i;
        sorted[at] = dims.at[i];
        ascends &= at == i;
    }
    if (dims.n != ir_btype(e->b, x)->rank) {
        fe_hlo_fail(e, "has %d broadcast dimensions; wants one for each axis of %s", dims.n,
                    ir_type_str(e->b->ctx, ir_btype(e->b, x)));
        return IR_NONE;
    }
    if (!ascends)
        x = ir_transpose(e->b, x, perm);
    return x ? ir_broadcast_in_dim(e->b, x, rank, shape, sorted) : IR_NONE;
}

/* The sizes of result 0: of the text, or where it leaves one open those that operand i
 * holds. */
static bool
result_shape(hlo_emit *e, int i, ir_ints *out)
{
    const hlo_type *t = fe_hlo_declared(e, 0);

    if (!t)
        return false;
    if (t->type) {
        *out = (ir_ints){ t->rank, t->dims };
        return true;
    }
    if (i >= e->n_in) {
        fe_hlo_out_type(e, 0);
        return false;
    }
    return fe_hlo_known(e, e->in[i], "the shape of the result", out);
}

void
fe_hlo_broadcast_in_dim(hlo_emit *e)
{
    ir_ints dims, shape;

    if (fe_hlo_ints(e, "broadcast_dimensions", "dims", -1, 0, &dims) &&
        result_shape(e, 1, &shape))
        e->out[0] = fe_hlo_spread(e, e->in[0], shape.n, shape.at, dims);
}

/* New axes of broadcast_sizes in front. */
void
fe_hlo_broadcast(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0);
    int64_t shape[2 * COT_MAX_RANK], dims[COT_MAX_RANK];
    ir_ints sizes;

    if (!fe_hlo_ints(e, "broadcast_sizes", "sizes", -1, 0, &sizes))
        return;
    if (sizes.n + t->rank > COT_MAX_RANK) {
        fe_hlo_fail(e, "the rank is %d; at most 64", sizes.n + t->rank);
        return;
    }
    memcpy(shape, sizes.at, sizeof *shape * (size_t)sizes.n);
    for (int k = 0; k < t->rank; k++) {
        dims[k] = sizes.n + k;
        shape[dims[k]] = t->dims[k];
    }
    e->out[0] = ir_broadcast_in_dim(e->b, e->in[0], sizes.n + t->rank, shape, dims);
}

void
fe_hlo_reshape(hlo_emit *e)
{
    ir_ints shape;

    if (result_shape(e, 1, &shape))
        e->out[0] = ir_reshape(e->b, e->in[0], shape.n, shape.at);
}

void
fe_hlo_transpose(hlo_emit *e)
{
    ir_ints perm;

    if (fe_hlo_ints(e, "permutation", "dims", fe_hlo_in_type(e, 0)->rank, 0, &perm))
        e->out[0] = ir_node1(e->b, OP_transpose, 1, e->in, &(ir_attrs){ .perm = { perm } });
}

void
fe_hlo_slice(hlo_emit *e)
{
    const int rank = fe_hlo_in_type(e, 0)->rank;
    int64_t part[3][COT_MAX_RANK];
    ir_ints all, list[3];

    if (fe_hlo_find(e->op, "ranges", NULL)) {
        if (!fe_hlo_ints(e, "ranges", NULL, -1, 0, &all) || all.n != 3 * rank) {
            fe_hlo_fail(e, "has %d ranges; wants %d", all.n / 3, rank);
            return;
        }
        for (int i = 0; i < all.n; i++)
            part[i % 3][i / 3] = all.at[i];
        for (int i = 0; i < 3; i++)
            list[i] = (ir_ints){ rank, part[i] };
    } else if (!fe_hlo_ints(e, "start_indices", NULL, rank, 0, &list[0]) ||
               !fe_hlo_ints(e, "limit_indices", NULL, rank, 0, &list[1]) ||
               !fe_hlo_ints(e, "strides", NULL, rank, 1, &list[2])) {
        return;
    }
    e->out[0] = ir_node1(e->b, OP_slice, 1, e->in,
                         &(ir_attrs){ .slice = { list[0], list[1], list[2] } });
}

/* limit is start + sizes, which are known: the sizes. */
static bool
box_at(hlo_emit *e, ir_ints *sizes)
{
    const ir_node *n = ir_bdef(e->b, e->in[2]);

    for (int i = 0; n && n->op == OP_add && i < 2; i++) {
        const ir_node *m = ir_bdef(e->b, n->in[1 - i]);
        if (n->in[i] == e->in[1] && m && m->op == OP_constant)
            return fe_hlo_known(e, n->in[1 - i], "the size", sizes);
    }
    return false;
}

void
fe_hlo_real_dynamic_slice(hlo_emit *e)
{
    const ir_node *n = ir_bdef(e->b, e->in[1]);
    const int rank = fe_hlo_in_type(e, 0)->rank;
    ir_ints start, limit, stride;

    if (!fe_hlo_known(e, e->in[3], "the stride", &stride))
        return;
    bool unit = true;
    for (int k = 0; k < stride.n; k++)
        unit &= stride.at[k] == 1;
    if (unit && (!n || n->op != OP_constant) && box_at(e, &limit)) {
        ir_ref *in = IR_NEW_N(e->b->arena, ir_ref, rank + 1);
        in[0] = e->in[0];
        for (int k = 0; k < rank; k++)
            in[1 + k] = ir_reshape(e->b, ir_slice_axis(e->b, e->in[1], 0, k, k + 1), 0, NULL);
        e->out[0] =
            ir_node1(e->b, OP_dynamic_slice, rank + 1, in, &(ir_attrs){ .sizes = { limit } });
        return;
    }
    if (fe_hlo_known(e, e->in[1], "the start", &start) &&
        fe_hlo_known(e, e->in[2], "the limit", &limit))
        e->out[0] = ir_node1(e->b, OP_slice, 1, e->in,
                             &(ir_attrs){ .slice = { start, limit, stride } });
}

void
fe_hlo_pad(hlo_emit *e)
{
    const int rank = fe_hlo_in_type(e, 0)->rank;
    ir_ints low, high, interior;

    if (fe_hlo_ints(e, "edge_padding_low", "low", rank, 0, &low) &&
        fe_hlo_ints(e, "edge_padding_high", "high", rank, 0, &high) &&
        fe_hlo_ints(e, "interior_padding", "interior", rank, 0, &interior))
        e->out[0] =
            ir_node1(e->b, OP_pad, 2, e->in, &(ir_attrs){ .pad = { low, high, interior } });
}

void
fe_hlo_dynamic_pad(hlo_emit *e)
{
    ir_ints low, high, interior;

    if (fe_hlo_known(e, e->in[2], "the padding", &low) &&
        fe_hlo_known(e, e->in[3], "the padding", &high) &&
        fe_hlo_known(e, e->in[4], "the padding", &interior))
        e->out[0] =
            ir_node1(e->b, OP_pad, 2, e->in, &(ir_attrs){ .pad = { low, high, interior } });
}

void
fe_hlo_concatenate(hlo_emit *e)
{
    int64_t axis;

    if (fe_hlo_int(e, "dimension", "dim", &axis))
        e->out[0] =
            ir_node1(e->b, OP_concatenate, e->n_in, e->in, &(ir_attrs){ .axis = { axis } });
}

void
fe_hlo_reverse(hlo_emit *e)
{
    ir_ints list;
    ir_axes axes;

    if (fe_hlo_ints(e, "dimensions", "dims", -1, 0, &list) &&
        fe_hlo_axes(e, list, fe_hlo_in_type(e, 0)->rank, &axes))
        e->out[0] = ir_reverse(e->b, e->in[0], axes);
}

void
fe_hlo_iota(hlo_emit *e)
{
    const hlo_type *t = fe_hlo_declared(e, 0);
    int64_t axis;
    ir_ints shape;

    if (t && fe_hlo_int(e, "iota_dimension", "dim", &axis) && result_shape(e, 0, &shape))
        e->out[0] =
            ir_node1(e->b, OP_iota, 0, NULL, &(ir_attrs){ .iota = { t->dtype, shape, axis } });
}

void
fe_hlo_dynamic_slice(hlo_emit *e)
{
    ir_ints sizes;

    if (e->n_in > 0 &&
        fe_hlo_ints(e, "slice_sizes", "sizes", fe_hlo_in_type(e, 0)->rank, 0, &sizes))
        e->out[0] =
            ir_node1(e->b, OP_dynamic_slice, e->n_in, e->in, &(ir_attrs){ .sizes = { sizes } });
    else
        fe_hlo_fail(e, "has no operand");
}

void
fe_hlo_dynamic_update_slice(hlo_emit *e)
{
    e->out[0] = ir_node1(e->b, OP_dynamic_update_slice, e->n_in, e->in, NULL);
}

void
fe_hlo_get_dimension_size(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0);
    int64_t axis;

    if (!fe_hlo_int(e, "dimension", "dim", &axis))
        return;
    if (axis < 0 || axis >= t->rank)
        fe_hlo_fail(e, "axis %lld is out of range for %s", (long long)axis,
                    ir_type_str(e->b->ctx, t));
    else
        e->out[0] = ir_splat_int(e->b, ir_scalar_type(e->b->ctx, COT_I32), t->dims[axis]);
}

/* Sizes are fixed here: only the size that the operand has can be set. */
void
fe_hlo_set_dimension_size(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0);
    int64_t axis;
    ir_ints size;

    if (!fe_hlo_int(e, "dimension", "dim", &axis) ||
        !fe_hlo_known(e, e->in[1], "the size", &size))
        return;
    if (axis < 0 || axis >= t->rank || size.at[0] != t->dims[axis])
        fe_hlo_fail(e, "sets a size of %s that it does not have", ir_type_str(e->b->ctx, t));
    else
        e->out[0] = e->in[0];
}
