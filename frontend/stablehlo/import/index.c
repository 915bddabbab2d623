/* Gather and scatter: StableHLO's dimension numbers are ours, but the axis of the index vectors
 * is free there. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

/* Index vectors along the last axis; where there is no such axis, each index is a vector of
 * one. */
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
                     : !fe_hlo_ints(e, "slice_sizes", NULL, fe_hlo_in_type(e, 0)->rank, 0,
                                    &at.gather.sizes))
        return;
    e->op = &numbers;
    axis = fe_hlo_int_or(e, "index_vector_dim", 0);
    const bool good =
        fe_hlo_ints(e, "offset_dims", NULL, 0, 0, &at.gather.offset_dims) &&
        fe_hlo_ints(e, "collapsed_slice_dims", NULL, 0, 0, &at.gather.collapsed) &&
        fe_hlo_ints(e, "operand_batching_dims", NULL, 0, 0, &at.gather.operand_batch) &&
        fe_hlo_ints(e, "start_indices_batching_dims", NULL, 0, 0, &at.gather.indices_batch) &&
        fe_hlo_ints(e, "start_index_map", NULL, 0, 0, &at.gather.index_map);
    e->op = op;
    ir_ref v = good ? vectors(e, e->in[1], axis) : IR_NONE;
    if (v)
        e->out[0] = ir_node1(e->b, OP_gather, 2, (const ir_ref[]){ e->in[0], v }, &at);
}

/* Elements of axis `dim` at the places that an array of integers names; the first batch_dims
 * axes of both go together. */
void
fe_hlo_torch_index_select(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0), *i = fe_hlo_in_type(e, 1);
    int64_t dim, batch = fe_hlo_int_or(e, "batch_dims", 0), at[4][2 * COT_MAX_RANK], one;
    int n = 0, m = 0;

    if (!fe_hlo_int(e, "dim", NULL, &dim))
        return;
    batch += batch < 0 ? i->rank : 0;
    dim += dim < 0 ? t->rank : 0;
    if (batch < 0 || batch > i->rank || dim < batch || dim >= t->rank) {
        fe_hlo_fail(e, "takes axis %lld of %s behind %lld common axes of %s", (long long)dim,
                    ir_type_str(e->b->ctx, t), (long long)batch, ir_type_str(e->b->ctx, i));
        return;
    }
    for (int k = 0; k < t->rank; k++) {
        const bool own = k >= batch && k != dim;
        at[0][k] = own ? t->dims[k] : 1;
        if (own) /* after dim come the axes of the integers in its place */
            at[1][n++] = k < dim ? k : k - 1 + i->rank - batch;
        if (k < batch)
            at[2][m++] = k;
    }
    one = dim;
    const ir_ints common = { m, at[2] }, axis = { 1, &one };
    ir_ref v = vectors(e, e->in[1], i->rank);
    if (v)
        e->out[0] = ir_node1(e->b, OP_gather, 2, (const ir_ref[]){ e->in[0], v },
                             &(ir_attrs){ .gather = { .mode = IR_MODE_CLIP,
                                                      .sizes = { t->rank, at[0] },
                                                      .offset_dims = { n, at[1] },
                                                      .operand_batch = common,
                                                      .indices_batch = common,
                                                      .collapsed = axis,
                                                      .index_map = axis } });
}

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
    const bool good =
        fe_hlo_ints(e, "update_window_dims", NULL, 0, 0, &at->scatter.window_dims) &&
        fe_hlo_ints(e, "inserted_window_dims", NULL, 0, 0, &at->scatter.inserted) &&
        fe_hlo_ints(e, "input_batching_dims", NULL, 0, 0, &at->scatter.operand_batch) &&
        fe_hlo_ints(e, "scatter_indices_batching_dims", NULL, 0, 0,
                    &at->scatter.indices_batch) &&
        fe_hlo_ints(e, "scatter_dims_to_operand_dims", NULL, 0, 0, &at->scatter.index_map);
    e->op = op;
    return good;
}

/* Result i of the body as a function of its own pair alone; NULL if it reads other
 * arguments. */
static ir_graph *
own_body(hlo_emit *e, const pass_combiner *c, int i)
{
    const ir_graph *g = c->g;
    ir_build *b = ir_build_new(e->h->ctx, g->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, g->n_values + 1);
    ir_graph *made = NULL;

    env[g->in[i]] = ir_input_like(b, g, g->in[i], "");
    env[g->in[c->n + i]] = ir_input_like(b, g, g->in[c->n + i], "");
    ir_each_node (n, g) {
        bool good = true;
        for (int k = 0; k < n->n_in; k++)
            good &= env[n->in[k]] != IR_NONE;
        if (good)
            ir_copy_mapped(b, n, env);
    }
    if (i >= g->n_out || !env[g->out[i]])
        return NULL;
    ir_output(b, env[g->out[i]]);
    return ir_build_end(b, &made) == COT_OK ? made : NULL;
}

void
fe_hlo_scatter(hlo_emit *e)
{
    const int n = (e->n_in - 1) / 2;
    ir_attrs at = { .scatter = { .mode = IR_MODE_FILL } };
    pass_combiner c;
    int64_t axis;

    if (e->n_in != 2 * n + 1 || n < 1 || e->n_out != n) {
        fe_hlo_fail(e, "has %d operands and %d results; wants operands, indices, updates",
                    e->n_in, e->n_out);
        return;
    }
    if (!scatter_numbers(e, &at, &axis))
        return;
    ir_ref v = vectors(e, e->in[n], axis);
    if (!v || !fe_hlo_combiner(e, 0, n, e->in, false, &c))
        return;
    for (int i = 0; i < n && !fe_hlo_bad(e); i++) {
        const ir_graph *g = n == 1 ? c.g : own_body(e, &c, i);
        const ir_op op = g && c.n_captured == 0
                             ? pass_scatter_op(&(pass_combiner){ .g = g, .n = 1 })
                             : OP_none;
        if (op != OP_none)
            e->out[i] = pass_scatter_by_op(e->b, op, &at, e->in[i], v, e->in[n + 1 + i]);
        else
            break;
    }
    if (!fe_hlo_bad(e) && !e->out[n - 1])
        pass_scatter(e->b, &c, &at, e->in, v, e->in + n + 1, e->out);
}
