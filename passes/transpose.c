/* The transpose of a linear function.
 *
 * If y = A x, a cotangent c of y gives the cotangent A'c of x.  In one walk in reverse order,
 * each linear node turns the cotangents of its results into cotangents of its linear operands,
 * by the rule named in ops.def; a value with several uses gets the sum.  Nodes that do not
 * depend on a linear input are computed forward first.  A cotangent that is structurally zero
 * is not built.  Elements of a value that no later select takes have cotangent 0, which stays 0
 * (lanes.c).
 *
 * Wants: linear in the given inputs (pass_check_linear).  Source: as linearize.c. */
#include <math.h>

#include "passes/lanes.h"
#include "passes/memo.h"

typedef struct backward {
    ir_build *b;
    const ir_graph *f;
    bool *lin;        /* by value: it depends on a linear input */
    ir_ref *val, *ct; /* by value: its value if it is not linear; its cotangent if it is */
    bool loop;        /* f is the body of a loop */
    lanes lanes;
    int *where; /* by value: the set of elements for which ct matters */
} backward;

static void
mark_linear(backward *w, const bool *linear)
{
    for (int i = 0; i < w->f->n_in; i++)
        w->lin[w->f->in[i]] = linear[i];
    ir_each_node (n, w->f) {
        bool lin = false;
        for (int i = 0; i < n->n_in; i++)
            lin |= w->lin[n->in[i]];
        for (int i = 0; i < n->n_out; i++)
            w->lin[n->first + (ir_ref)i] = lin;
    }
}

/* Does n slice a few adjacent elements of a long value at a constant place? */
static bool
is_small_slice(const ir_graph *f, const ir_node *n)
{
    if (n->op != OP_slice || ir_is_half(ir_type_at(f, n->first)->dtype) ||
        8 * ir_type_at(f, n->first)->size > ir_type_at(f, n->in[0])->size)
        return false;
    for (int i = 0; i < n->at->slice.stride.n; i++)
        if (n->at->slice.stride.at[i] != 1)
            return false;
    return true;
}

/* Writes ct into the place of the slice.  In a loop only that place is then added to, unlike
 * with a pad. */
static ir_ref
put_back(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref ct)
{
    const ir_ints start = n->at->slice.start;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, start.n + 2);
    in[0] = ir_zeros(b, ir_type_at(f, n->in[0]));
    in[1] = ct;
    for (int i = 0; i < start.n; i++)
        in[2 + i] = ir_splat_int(b, ir_scalar_type(b->ctx, COT_I64), start.at[i]);
    return ir_node1(b, OP_dynamic_update_slice, start.n + 2, in, NULL);
}

static bool
is_pointwise(const ir_node *n)
{
    return ir_ops[n->op].flag == IR_POINTWISE;
}

/* The factors and divisors of the cotangent of n, replaced by 1 where the cotangent does not
 * matter, so that an infinity gives no NaN there. */
static void
guard_factors(backward *w, const ir_node *n, const bool *linear, ir_ref *in)
{
    const int where = w->where[n->first];
    double c;

    if (where == PASS_LANES_ALL || (n->op != OP_mul && n->op != OP_div && n->op != OP_fma))
        return;
    for (int i = 0; i < n->n_in; i++)
        if (!linear[i] && !(ir_is_splat(w->b, in[i], &c) && isfinite(c) && c != 0))
            in[i] = pass_lanes_guard(&w->lanes, where, in[i]);
}

/* Adds ct, which matters on the set `where`, to the cotangent of v. */
static void
add_ct(backward *w, ir_ref v, ir_ref ct, int where)
{
    w->where[v] = w->ct[v] ? pass_lanes_union(&w->lanes, w->where[v], where) : where;
    w->ct[v] = pass_accumulate(w->b, w->ct[v], ct);
}

/* The set on which the cotangent of operand i of n matters. */
static int
where_before(backward *w, const ir_node *n, int i, const ir_ref *in)
{
    const int where = w->where[n->first];

    if (n->op == OP_select && w->f->guarded)
        return pass_lanes_side(&w->lanes, where, in[0], i == 1);
    return is_pointwise(n) ? where : pass_lanes_before(&w->lanes, w->f, n, where);
}

/* The transpose of a call, with the sets as further operands and results. */
static void
run_call(backward *w, const ir_node *n, const bool *linear, const ir_ref *in)
{
    ir_arena *a = w->b->arena;
    ir_ref *ct_in = IR_NEW_N(a, ir_ref, n->n_in + 1), *set = IR_NEW_N(a, ir_ref, n->n_out + 1),
           *set_in = IR_NEW_N(a, ir_ref, n->n_in + 1);

    for (int j = 0; j < n->n_out; j++)
        set[j] = pass_lanes_in(&w->lanes, w->where[n->first + (ir_ref)j]);
    pass_transpose_call(w->b, n, linear, in, w->ct + n->first, set, ct_in, set_in);
    for (int i = 0; i < n->n_in && w->b->status == COT_OK; i++)
        if (linear[i] && ct_in[i])
            add_ct(w, n->in[i], ct_in[i], pass_lanes_of(&w->lanes, set_in[i]));
}

static void
run_backward(backward *w, const ir_node *n)
{
    ir_arena *a = w->b->arena;
    bool any = false, *linear = IR_NEW_N(a, bool, n->n_in + 1);
    ir_ref *in = IR_NEW_N(a, ir_ref, n->n_in + 1), *ct_in = IR_NEW_N(a, ir_ref, n->n_in + 1);
    for (int j = 0; j < n->n_out; j++)
        any |= w->ct[n->first + (ir_ref)j] != IR_NONE;
    if (!any)
        return;
    for (int i = 0; i < n->n_in; i++) {
        linear[i] = w->lin[n->in[i]];
        in[i] = linear[i] ? IR_NONE : w->val[n->in[i]];
    }
    w->b->loc = n->loc;
    guard_factors(w, n, linear, in);
    if (n->op == OP_call) {
        run_call(w, n, linear, in);
        return;
    }
    if (w->loop && is_small_slice(w->f, n))
        ct_in[0] = put_back(w->b, w->f, n, w->ct[n->first]);
    else
        transpose_rules[n->op](w->b, w->f, n, linear, in, w->ct + n->first, ct_in);
    for (int i = 0; i < n->n_in; i++)
        if (linear[i] && ct_in[i])
            add_ct(w, n->in[i], ct_in[i], where_before(w, n, i, in));
}

/* The inputs of the transposed graph: known values, cotangents, the sets of those. */
static void
backward_inputs(backward *w, const bool *linear, const bool *has_ct, const bool *has_set)
{
    const ir_graph *f = w->f;
    ir_ref *ct = IR_NEW_N(w->b->arena, ir_ref, f->n_out + 1);

    for (int i = 0; i < f->n_in; i++)
        if (!linear[i])
            w->val[f->in[i]] = ir_input_like(w->b, f, f->in[i], "");
    for (int j = 0; j < f->n_out; j++)
        if (has_ct[j]) {
            w->b->loc = pass_output_loc(f, j);
            ct[j] = ir_input(w->b, ir_type_at(f, f->out[j]), "ct");
        }
    for (int j = 0; j < f->n_out; j++) {
        const ir_ref y = f->out[j];
        ir_ref set = IR_NONE;

        w->b->loc = pass_output_loc(f, j);
        if (has_set && has_set[j])
            set = ir_input(w->b, ir_type_as(f->ctx, ir_type_at(f, y), COT_BOOL), "set");
        if (ct[j] && w->lin[y])
            add_ct(w, y, ct[j], pass_lanes_of(&w->lanes, set));
    }
}

/* A cotangent for each linear input; then, if they are wanted, the sets of those that do not
 * matter everywhere. */
static void
backward_outputs(backward *w, const bool *linear, bool *gives_set)
{
    const ir_graph *f = w->f;

    for (int i = 0; i < f->n_in; i++) {
        w->b->loc = ir_value_loc(f, f->in[i]);
        if (linear[i])
            ir_output(w->b, w->ct[f->in[i]] ? w->ct[f->in[i]]
                                            : pass_zeros_like(w->b, ir_type_at(f, f->in[i])));
    }
    for (int i = 0; i < f->n_in && gives_set; i++) {
        const ir_ref set = linear[i] ? pass_lanes_in(&w->lanes, w->where[f->in[i]]) : IR_NONE;

        gives_set[i] = set != IR_NONE;
        if (set)
            ir_output(w->b, set);
    }
}

static cot_status
transposed(const ir_graph *f, bool loop, const bool *linear, const bool *has_ct,
           const bool *has_set, bool *gives_set, ir_graph **out)
{
    backward w = { .b = pass_begin(f, "transpose"), .f = f, .loop = loop };
    w.lin = IR_NEW_N(w.b->arena, bool, f->n_values);
    w.val = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    w.ct = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    w.where = IR_NEW_N(w.b->arena, int, f->n_values);
    pass_lanes_begin(&w.lanes, w.b);
    mark_linear(&w, linear);
    backward_inputs(&w, linear, has_ct, has_set);
    ir_each_node (n, f)
        if (n->n_out > 0 && !w.lin[n->first])
            ir_copy_mapped(w.b, n, w.val);
    for (uint32_t i = f->n_nodes - 1; i > 0 && w.b->status == COT_OK; i--)
        if (f->node[i].n_out > 0 && w.lin[f->node[i].first])
            run_backward(&w, &f->node[i]);
    backward_outputs(&w, linear, gives_set);
    return pass_end(w.b, "transpose", out);
}

static cot_status
transposed_once(const ir_graph *f, bool loop, const bool *linear, const bool *has_ct,
                const bool *has_set, bool *gives_set, ir_graph **out)
{
    pass_made *m = pass_made_of(f, &(pass_key){ .pass = (pass_any *)pass_transpose_graph,
                                                .in = linear,
                                                .out = has_ct,
                                                .more_out = has_set,
                                                .option = loop });

    if (!m->graph)
        COT_TRY(
            transposed(f, loop, linear, has_ct, has_set, gives_set ? m->in : NULL, &m->graph));
    if (gives_set)
        memcpy(gives_set, m->in, sizeof *gives_set * (size_t)f->n_in);
    *out = m->graph;
    return COT_OK;
}

cot_status
pass_transpose_graph(const ir_graph *f, const bool *linear, const bool *has_ct, ir_graph **out)
{
    return transposed_once(f, false, linear, has_ct, NULL, NULL, out);
}

cot_status
pass_transpose_body(const ir_graph *f, const bool *linear, const bool *has_ct, ir_graph **out)
{
    return transposed_once(f, true, linear, has_ct, NULL, NULL, out);
}

cot_status
pass_transpose_sets(const ir_graph *f, const bool *linear, const bool *has_ct,
                    const bool *has_set, bool *gives_set, ir_graph **out)
{
    return transposed_once(f, false, linear, has_ct, has_set, gives_set, out);
}
