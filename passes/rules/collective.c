/* Collectives: functions of all examples of one vmap.
 *
 * A collective names an axis.  The vmap with that name marks the collectives that refer to it
 * (pass_axis_bind gives them the empty name), and the walk then replaces each: a psum becomes a
 * reduction of the mapped axis, and its result is not mapped.  A vmap with another name maps a
 * collective like any function of x.  So all names are gone after the last vmap, and inner
 * vmaps shadow outer ones, since they come first.
 *
 * psum is its own transpose, since every example's result depends on every x; all_gather and
 * psum_scatter are transposes of each other; the transpose of a permutation is its inverse.
 * Source: the collectives of JAX under vmap. */
#include "passes/engine.h"
#include "passes/memo.h"
#include "passes/rules/flow.h"

static bool
is_bound(const ir_node *n)
{
    return n->at->over.over[0] == '\0';
}

const ir_node *
pass_axis_find(const ir_graph *f, const char *name)
{
    const ir_graph *const *all;
    const uint32_t graphs = f->collective ? ir_all_graphs(f, false, &all, f->arena) : 0;

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (n, all[i])
            if (ir_ops[n->op].flag == IR_COLLECTIVE &&
                (!name || strcmp(n->at->over.over, name) == 0))
                return n;
    return NULL;
}

static bool
is_over(const ir_node *n, const char *name, ir_arena *scratch)
{
    ir_graph *const *sub;

    if (ir_ops[n->op].flag == IR_COLLECTIVE)
        return strcmp(n->at->over.over, name) == 0;
    for (int i = 0, k = ir_runs_bodies(n->op) ? ir_subgraphs(n, &sub, scratch) : 0; i < k; i++)
        if (pass_axis_find(sub[i], name))
            return true;
    return false;
}

bool
pass_axis_bound(const ir_graph *f, const ir_node *n)
{
    return f->collective && is_over(n, "", f->arena);
}

static cot_status
bind_body(ir_graph *f, const void *name, ir_graph **out)
{
    const ir_graph *g;
    cot_status status = pass_axis_bind(f, name, &g);
    *out = (ir_graph *)g;
    return status;
}

/* Gives nodes that refer to the axis the empty name. */
static void
bind_node(ir_build *b, const ir_node *n, const char *name, const ir_ref *in, ir_ref *out)
{
    ir_attrs at = ir_node_attrs(n);

    if (!is_over(n, name, b->arena)) {
        ir_copy_node(b, n, in, out);
        return;
    }
    if (ir_ops[n->op].flag == IR_COLLECTIVE)
        at.over.over = "";
    else if (!pass_flow_ok(b, pass_replace_subs(b, n, bind_body, name, &at)))
        return;
    ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

static cot_status
bind_graph(const ir_graph *f, const char *name, ir_graph **out)
{
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *at = IR_NEW_N(b->arena, ir_ref, f->n_values);
    for (int i = 0; i < f->n_in; i++)
        at[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    ir_each_node(n, f) {
        ir_ref *in = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        for (int i = 0; i < n->n_in; i++)
            in[i] = at[n->in[i]];
        b->loc = n->loc;
        bind_node(b, n, name, in, at + n->first);
    }
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, at[f->out[j]], "");
    return ir_build_end(b, out);
}

cot_status
pass_axis_bind(const ir_graph *f, const char *name, const ir_graph **out)
{
    *out = f;
    if (!name || !name[0] || !pass_axis_find(f, name))
        return COT_OK;
    pass_made *m = pass_made_of(
        f, &(pass_key){ .pass = (pass_any *)pass_axis_bind, .name = name });
    if (!m->graph)
        COT_TRY(bind_graph(f, name, &m->graph));
    *out = m->graph;
    return COT_OK;
}

cot_status
pass_axis_check(const ir_graph *f)
{
    const ir_node *n = pass_axis_find(f, NULL);

    return n ? ir_fail(f->ctx, n->loc, ir_ops[n->op].name, ERR_axis_unbound, n->at->over.over,
                       n->at->over.over)
             : COT_OK;
}

/* ---- derivatives ---- */

static ir_ref
over(ir_build *b, ir_op op, const ir_node *n, ir_ref x)
{
    return x ? ir_node1(b, op, 1, &x, n->at) : IR_NONE;
}

/* The mean of the tangents of the examples with the extreme value.  As in reduce.c, derivatives
 * are NaN, forward and in reverse, where the value is NaN. */
static void
jvp_extreme(ir_build *b, const ir_node *n, const dual *in, dual *y)
{
    ir_ref loses = ir_op2(b, ir_ops[n->op].by == IR_BY_MAX ? OP_lt : OP_gt, in->val, y->val);
    ir_ref wins = ir_op1(b, OP_not, loses);
    ir_ref count = over(b, OP_psum, n, ir_convert(b, wins, ir_btype(b, y->val)->dtype));
    if (ir_is_float(ir_btype(b, y->val)->dtype))
        count = ir_select(b, ir_op2(b, OP_eq, y->val, y->val), count, y->val);
    y->tan = ir_div(b, over(b, OP_psum, n, tan_select(b, loses, IR_NONE, in->tan)), count);
}

void
jvp_pmax(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f;
    jvp_extreme(b, n, in, y);
}

void
jvp_pmin(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f;
    jvp_extreme(b, n, in, y);
}

void
transpose_psum(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
               const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in;
    ct_in[0] = over(b, OP_psum, n, ct[0]);
}

void
transpose_all_gather(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                     const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in;
    ct_in[0] = over(b, OP_psum_scatter, n, ct[0]);
}

void
transpose_psum_scatter(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                       const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in;
    ct_in[0] = over(b, OP_all_gather, n, ct[0]);
}

void
transpose_ppermute(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                   const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_ints p = n->at->permute.pairs;
    int64_t *back = IR_NEW_N(b->arena, int64_t, p.n + 1);

    (void)f, (void)linear, (void)in;
    for (int i = 0; i < p.n; i++)
        back[i] = p.at[i ^ 1];
    ct_in[0] = ir_node1(b, OP_ppermute, 1, ct,
                        &(ir_attrs){ .permute = { n->at->permute.over, { p.n, back } } });
}

/* ---- vmap ---- */

/* A vmap of another axis adds an axis in front of x. */
static bool
passes_by(ir_build *b, const ir_node *n, const ir_ref *in, ir_ref *y)
{
    ir_attrs at = ir_node_attrs(n);

    if (is_bound(n))
        return false;
    if (ir_ops[n->op].record == IR_AT_stack)
        at.stack.axis++;
    y[0] = ir_node1(b, (ir_op)n->op, 1, in, &at);
    return true;
}

/* The maximum of bools is `or`, and the minimum is `and`. */
static ir_op
reduction(unsigned op, cot_dtype t)
{
    const ir_combine by = ir_ops[op].by;

    if (t == COT_BOOL && !ir_is_ordered(op))
        return ir_op_by(OP_reduce_sum, by == IR_BY_MAX ? IR_BY_OR : IR_BY_AND);
    return ir_op_by(OP_reduce_sum, by);
}

/* The reduction of x over all examples.  If x is the same for all, it is x, or for a sum x
 * times size. */
static ir_ref
reduced(ir_build *b, ir_op op, ir_ref x, bool mapped, int64_t size)
{
    if (mapped)
        return ir_reduce(b, op, x, (ir_axes)1);
    if (!ir_is_ordered(op) || !x)
        return x;
    return ir_mul(b, x, ir_splat_int(b, ir_btype(b, x), size));
}

void
vmap_reduce_over(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                 const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f;
    if (passes_by(b, n, in, y))
        return;
    out_mapped[0] = false;
    y[0] = in[0]
               ? reduced(b, reduction(n->op, ir_btype(b, in[0])->dtype), in[0], mapped[0], size)
               : IR_NONE;
}

static bool
sizes_agree(ir_build *b, const ir_node *n, int64_t size)
{
    if (n->at->stack.size == size)
        return true;
    ir_build_fail(b, ir_ops[n->op].name, ERR_axis_named_size, (long long)size,
                  (long long)n->at->stack.size);
    return false;
}

void
vmap_all_gather(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const int axis = (int)n->at->stack.axis;

    (void)f;
    if (passes_by(b, n, in, y) || !sizes_agree(b, n, size))
        return;
    out_mapped[0] = false;
    y[0] =
        mapped[0] ? ir_move_axis(b, in[0], 0, axis) : ir_broadcast_axis(b, in[0], axis, size);
}

/* Slice i of the sum belongs to example i: the sliced axis becomes the mapped one. */
void
vmap_psum_scatter(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                  const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f;
    if (passes_by(b, n, in, y) || !sizes_agree(b, n, size))
        return;
    out_mapped[0] = true;
    y[0] = ir_move_axis(b, reduced(b, OP_reduce_sum, in[0], mapped[0], size),
                        (int)n->at->stack.axis, 0);
}

/* from[i]: the example whose x example i receives; -1: none. */
static int64_t *
sources(ir_build *b, ir_ints pairs, int64_t size)
{
    int64_t *from = IR_NEW_N(b->arena, int64_t, size + 1);

    for (int64_t i = 0; i < size; i++)
        from[i] = -1;
    for (int k = 0; k < pairs.n; k++)
        if (pairs.at[k] >= size) {
            ir_build_fail(b, "ppermute", ERR_axis_pairs,
                          ir_format(b->arena, "name example %lld of %lld",
                                    (long long)pairs.at[k], (long long)size));
            return NULL;
        }
    for (int k = 0; k + 1 < pairs.n; k += 2)
        from[pairs.at[k + 1]] = pairs.at[k];
    return from;
}

/* Selects the rows from[0 ... size - 1] of x as runs of consecutive rows (a shift is two
 * slices); a row without a source is 0. */
void
vmap_ppermute(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
              const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f, (void)out_mapped;
    if (passes_by(b, n, in, y))
        return;
    const int64_t *from = sources(b, n->at->permute.pairs, size);
    ir_ref x = pass_map_operand(b, in[0], mapped[0], size),
           *part = IR_NEW_N(b->arena, ir_ref, size + 1);
    int parts = 0;
    if (!from || !x)
        return;
    for (int64_t i = 0, end; i < size; i = end) {
        for (end = i + 1;
             end < size && (from[i] < 0 ? from[end] < 0 : from[end] == from[i] + end - i);)
            end++;
        part[parts++] = from[i] >= 0 ? ir_slice_axis(b, x, 0, from[i], from[i] + end - i)
                                     : ir_like(b, ir_slice_axis(b, x, 0, 0, end - i), 0);
    }
    y[0] = parts ? ir_concatenate(b, parts, part, 0) : x;
}

void
vmap_axis_index(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f, (void)n, (void)in, (void)mapped, (void)out_mapped;
    y[0] = ir_iota(b, COT_I32, 1, &size, 0);
}
