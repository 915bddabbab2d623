/* Gather and scatter: StableHLO's dimension numbers are ours, but for where the index vectors lie. */
#include "frontend/stablehlo/rules.h"

#include "ir/diag.h"

/* Index vectors along the last axis; where there is no such axis, each index is a vector of one. */
static ir_ref
vectors(hlo_emit *e, ir_ref indices, int64_t axis)
{
    const ir_type *t = ir_btype(e->b, indices);

    if (axis == t->rank)
        return ir_broadcast_axis(e->b, indices, t->rank, 1);
    if (axis < 0 || axis > t->rank) {
        fe_hlo_fail(e, "index_vector_dim is %lld; wants 0 to %d", (long long)axis, t->rank);
        return IR_NONE;
    }
    return ir_move_axis(e->b, indices, (int)axis, t->rank - 1);
}

void
fe_hlo_gather(hlo_emit *e)
{
    const hlo_op *const op = e->op;
    ir_attrs at = { .gather = { .mode = IR_MODE_CLIP } };
    hlo_op numbers;
    int64_t axis;

    if (!fe_hlo_record(e, "dimension_numbers", &numbers))
        return;
    if (e->n_in == 3 ? !fe_hlo_known(e, e->in[2], "the size of a slice", &at.gather.sizes)
                     : !fe_hlo_ints(e, "slice_sizes", NULL, fe_hlo_in_type(e, 0)->rank, 0, &at.gather.sizes))
        return;
    e->op = &numbers;
    axis = fe_hlo_int_or(e, "index_vector_dim", 0);
    const bool good = fe_hlo_ints(e, "offset_dims", NULL, 0, 0, &at.gather.offset_dims) &&
                      fe_hlo_ints(e, "collapsed_slice_dims", NULL, 0, 0, &at.gather.collapsed) &&
                      fe_hlo_ints(e, "operand_batching_dims", NULL, 0, 0, &at.gather.operand_batch) &&
                      fe_hlo_ints(e, "start_indices_batching_dims", NULL, 0, 0, &at.gather.indices_batch) &&
                      fe_hlo_ints(e, "start_index_map", NULL, 0, 0, &at.gather.index_map);
    e->op = op;
    ir_ref v = good ? vectors(e, e->in[1], axis) : IR_NONE;
    if (v)
        e->out[0] = ir_node1(e->b, OP_gather, 2, (const ir_ref[]){ e->in[0], v }, &at);
}

/* ---- scatter ---- */

static bool
scatter_numbers(hlo_emit *e, ir_attrs *at, int64_t *axis)
{
    const hlo_op *const op = e->op;
    hlo_op numbers;

    if (!fe_hlo_record(e, "scatter_dimension_numbers", &numbers))
        return false;
    at->scatter.unique = fe_hlo_flag(e, "unique_indices", false);
    e->op = &numbers;
    *axis = fe_hlo_int_or(e, "index_vector_dim", 0);
    const bool good = fe_hlo_ints(e, "update_window_dims", NULL, 0, 0, &at->scatter.window_dims) &&
                      fe_hlo_ints(e, "inserted_window_dims", NULL, 0, 0, &at->scatter.inserted) &&
                      fe_hlo_ints(e, "input_batching_dims", NULL, 0, 0, &at->scatter.operand_batch) &&
                      fe_hlo_ints(e, "scatter_indices_batching_dims", NULL, 0, 0, &at->scatter.indices_batch) &&
                      fe_hlo_ints(e, "scatter_dims_to_operand_dims", NULL, 0, 0, &at->scatter.index_map);
    e->op = op;
    return good;
}

static ir_op
scatter_of(ir_op combiner)
{
    switch (combiner) {
    case OP_assign: return OP_scatter;
    case OP_add: return OP_scatter_add;
    case OP_mul: return OP_scatter_mul;
    case OP_max: return OP_scatter_max;
    case OP_min: return OP_scatter_min;
    default: return OP_none;
    }
}

/* Each operand has a combiner of its own where the body is several of them side by side. */
void
fe_hlo_scatter(hlo_emit *e)
{
    const int n = (e->n_in - 1) / 2;
    ir_attrs at = { .scatter = { .mode = IR_MODE_FILL } };
    const ir_type *type[2];
    int64_t axis;

    if (n != 1 || e->n_in != 3 || e->n_out != 1) {
        fe_hlo_fail(e, "of %d operands is not supported", n);
        return;
    }
    if (!scatter_numbers(e, &at, &axis))
        return;
    type[0] = type[1] = ir_scalar_type(e->b->ctx, fe_hlo_in_type(e, 0)->dtype);
    ir_ref v = vectors(e, e->in[1], axis);
    const ir_graph *g = v ? fe_hlo_body(e, 0, 2, type) : NULL;
    if (!g)
        return;
    ir_op op = scatter_of(fe_hlo_combiner(g));
    if (op == OP_none && type[0]->dtype == COT_BOOL) {
        const ir_op c = fe_hlo_combiner(g);
        op = c == OP_or ? OP_scatter_max : c == OP_and ? OP_scatter_min : OP_none;
    }
    if (op == OP_none)
        fe_hlo_fail(e, "its body is no add, multiply, minimum, maximum or replacement");
    else
        e->out[0] = ir_node1(e->b, op, 3, (const ir_ref[]){ e->in[0], v, e->in[2] }, &at);
}
