/* Helpers for rules of ops with sub-functions.
 *
 * Bodies are closed, immutable graphs, so each helper builds a new one.  A rule works on the
 * builder of the outer graph; a failure inside a body is recorded there and stops the rule.
 *
 * Masks.  When a predicate becomes mapped, both branches run.  A loop in a branch must not
 * iterate for examples that did not choose the branch, nor a loop inside a loop for examples
 * that are done.  So before such bodies are mapped, they get a first operand `active`, and the
 * predicate of every loop in them is combined with it by `and`. */
#include "passes/rules/flow.h"

#include "passes/memo.h"

bool
pass_flow_ok(ir_build *b, cot_status status)
{
    if (b->status == COT_OK)
        b->status = status;
    return b->status == COT_OK;
}

ir_build *
pass_flow_begin(ir_build *outer, const char *name)
{
    ir_build *b = ir_build_new(outer->ctx, name);

    b->loc = outer->loc;
    return b;
}

ir_graph *
pass_flow_end(ir_build *outer, ir_build *b, const ir_graph *from)
{
    ir_graph *f = NULL;

    pass_flow_ok(outer, ir_build_end(b, &f));
    return f && from ? pass_made_equal(from, f) : f;
}

/* As CALL_SMALL of passes/calls.c: calls of smaller functions are inlined later in any case. */
enum { FLOW_SMALL = 32 };

void
pass_flow_run(ir_build *b, const ir_graph *f, const ir_ref *in, ir_ref *out)
{
    if (f->n_nodes - 1 <= FLOW_SMALL)
        ir_inline_graph(b, f, in, out);
    else
        ir_add_node(b, OP_call, f->n_in, in, &(ir_attrs){ .call = { .body = (ir_graph *)f } },
                    out);
}

void
pass_copy_needed(ir_build *b, const ir_graph *f, const ir_ref *in, int n_out, const int *which,
                 ir_ref *out)
{
    bool *live = IR_NEW_N(b->arena, bool, f->n_values);
    ir_ref *map = IR_NEW_N(b->arena, ir_ref, f->n_values);
    ir_loc loc = b->loc;

    for (int i = 0; i < n_out; i++)
        live[f->out[which[i]]] = true;
    for (uint32_t k = f->n_nodes - 1; k > 0; k--) {
        const ir_node *n = &f->node[k];

        for (int i = 0; i < n->n_out; i++)
            live[n->first] |= live[n->first + (ir_ref)i];
        for (int i = 0; n->n_out > 0 && live[n->first] && i < n->n_in; i++)
            live[n->in[i]] = true;
    }
    for (int i = 0; i < f->n_in; i++)
        map[f->in[i]] = in[i];
    ir_each_node (n, f)
        if (n->n_out > 0 && live[n->first])
            ir_copy_mapped(b, n, map);
    b->loc = loc;
    for (int i = 0; i < n_out; i++)
        out[i] = map[f->out[which[i]]];
}

ir_graph *
pass_flow_permute(ir_build *outer, const ir_graph *f, int n_in, const flow_port *in, int n_out,
                  const int *out)
{
    if (outer->status != COT_OK)
        return NULL;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, n_out);
    int *all = IR_NEW_N(b->arena, int, n_out);

    for (int i = 0; i < n_in; i++) {
        int k = in[i].at;

        b->loc = k < 0 ? outer->loc : ir_value_loc(f, f->in[k]);
        if (k < 0)
            ir_input(b, in[i].type, NULL);
        else
            x[k] = ir_input(b, ir_type_at(f, f->in[k]), f->in_name ? f->in_name[k] : NULL);
    }
    for (int i = 0; i < n_out; i++)
        all[i] = out ? out[i] : i;
    pass_copy_needed(b, f, x, n_out, all, y);
    for (int i = 0; i < n_out; i++)
        ir_output(b, y[i]);
    return pass_flow_end(outer, b, f);
}

void
pass_depends(ir_arena *scratch, const ir_graph *f, const bool *in, bool *out)
{
    bool *any = IR_NEW_N(scratch, bool, f->n_values);

    for (int i = 0; i < f->n_in; i++)
        any[f->in[i]] = in[i];
    ir_each_node (n, f) {
        bool is = false;

        for (int i = 0; i < n->n_in; i++)
            is |= any[n->in[i]];
        for (int i = 0; i < n->n_out; i++)
            any[n->first + (ir_ref)i] = is;
    }
    for (int i = 0; i < f->n_out; i++)
        out[i] = any[f->out[i]];
}

/* The known half with the outputs in `moved` after the residuals instead. */
static ir_graph *
known_moved(ir_build *outer, const flow_split *s, int n_out, const bool *moved)
{
    const ir_graph *f = s->known;
    flow_port *in = IR_NEW_N(outer->arena, flow_port, f->n_in);
    int *out = IR_NEW_N(outer->arena, int, f->n_out), n = 0;

    for (int i = 0; i < f->n_in; i++)
        in[i] = (flow_port){ i, NULL };
    for (int j = 0, at = 0; j < n_out; j++)
        if (s->known_out[j]) {
            if (!moved[j])
                out[n++] = at;
            at++;
        }
    for (int r = 0; r < s->n_res; r++)
        out[n++] = s->n_known + r;
    for (int j = 0, at = 0; j < n_out; j++)
        if (s->known_out[j]) {
            if (moved[j])
                out[n++] = at;
            at++;
        }
    return pass_flow_permute(outer, f, f->n_in, in, n, out);
}

/* The rest, which also returns the outputs that were moved to it. */
static ir_graph *
rest_moved(ir_build *outer, const flow_split *s, const ir_graph *f, const bool *moved)
{
    const ir_graph *r = s->rest;
    ir_build *b = pass_flow_begin(outer, r->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, r->n_in), *y = IR_NEW_N(b->arena, ir_ref, r->n_out);
    ir_ref *given = IR_NEW_N(b->arena, ir_ref, f->n_out);

    for (int i = 0; i < s->n_res; i++)
        in[i] = ir_input(b, ir_type_at(r, r->in[i]), NULL);
    for (int j = 0; j < f->n_out; j++)
        if (moved[j])
            given[j] = ir_input(b, ir_type_at(f, f->out[j]), NULL);
    for (int i = s->n_res; i < r->n_in; i++)
        in[i] = ir_input(b, ir_type_at(r, r->in[i]), r->in_name ? r->in_name[i] : NULL);
    ir_inline_graph(b, r, in, y);
    for (int j = 0, at = 0; j < f->n_out; j++)
        if (moved[j])
            ir_output(b, given[j]);
        else if (!s->known_out[j])
            ir_output(b, y[at++]);
    return pass_flow_end(outer, b, r);
}

bool
pass_flow_split(ir_build *outer, const ir_graph *f, const bool *known, const bool *unknown_out,
                flow_split *s)
{
    bool *moved = IR_NEW_N(outer->arena, bool, f->n_out);
    int n_moved = 0;

    *s = (flow_split){ .known_out = IR_NEW_N(outer->arena, bool, f->n_out) };
    if (!pass_flow_ok(outer,
                      pass_split(f, known, s->known_out, &s->n_res, &s->known, &s->rest)))
        return false;
    for (int j = 0; j < f->n_out; j++) {
        s->n_known += s->known_out[j];
        moved[j] = s->known_out[j] && unknown_out && unknown_out[j];
        n_moved += moved[j];
    }
    if (n_moved == 0)
        return true;
    ir_graph *k = known_moved(outer, s, f->n_out, moved), *r = rest_moved(outer, s, f, moved);
    for (int j = 0; j < f->n_out; j++)
        s->known_out[j] &= !moved[j];
    s->known = k;
    s->rest = r;
    s->n_known -= n_moved;
    s->n_res += n_moved;
    return outer->status == COT_OK;
}

static bool
node_has_while(const ir_node *n, ir_arena *scratch)
{
    ir_graph *const *sub;

    if (!ir_runs_bodies(n->op))
        return false;
    for (int i = 0, subs = ir_subgraphs(n, &sub, scratch); i < subs; i++)
        if (sub[i]->whiles)
            return true;
    return ir_loop_of(n).cond != NULL;
}

ir_ref
pass_lead(ir_build *b, ir_ref x, const ir_type *predicate)
{
    for (int k = predicate->rank - 1; k >= 0; k--)
        x = ir_broadcast_axis(b, x, 0, predicate->dims[k]);
    return x;
}

static bool
has_lead(const ir_type *t, const ir_type *predicate)
{
    const size_t bytes = sizeof *t->dims * (size_t)predicate->rank;

    return t->rank >= predicate->rank && memcmp(t->dims, predicate->dims, bytes) == 0;
}

/* The type of pass_lead's result for a value of type t. */
static const ir_type *
lead_type(const ir_type *t, const ir_type *predicate, cot_context *ctx)
{
    for (int k = predicate->rank - 1; k >= 0; k--)
        t = ir_type_open(ctx, t, 0, predicate->dims[k]);
    return t;
}

/* The value of type t that pass_lead broadcast to x. */
static ir_ref
first_of_lead(ir_build *b, ir_ref x, const ir_type *predicate, const ir_type *t)
{
    if (predicate->size == 0)
        return ir_zeros(b, t);
    for (int k = 0; k < predicate->rank; k++)
        x = ir_slice_axis(b, x, k, 0, 1);
    return ir_reshape(b, x, t->rank, t->dims);
}

/* f, with the predicate's axes added to the inputs that lack them. */
static ir_graph *
with_lead(ir_build *outer, const ir_graph *f, const ir_type *predicate)
{
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in),
           *out = IR_NEW_N(b->arena, ir_ref, f->n_out);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        const bool leads = has_lead(t, predicate);
        in[i] = ir_input(b, leads ? t : lead_type(t, predicate, b->ctx), f->in_name[i]);
        if (!leads)
            in[i] = first_of_lead(b, in[i], predicate, t);
    }
    ir_inline_graph(b, f, in, out);
    for (int i = 0; i < f->n_out; i++)
        ir_output(b, out[i]);
    return pass_flow_end(outer, b, f);
}

void
pass_flow_choose(ir_build *b, ir_ref predicate, const ir_graph *no, const ir_graph *yes,
                 int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n_in + 1);
    bool all = true;

    if (b->status != COT_OK)
        return;
    const ir_type *p = ir_btype(b, predicate);
    x[0] = predicate;
    for (int i = 0; i < n_in; i++) {
        const bool leads = has_lead(ir_btype(b, in[i]), p);
        x[i + 1] = leads ? in[i] : pass_lead(b, in[i], p);
        all = all && leads;
    }
    ir_graph *const g[2] = { all ? (ir_graph *)no : with_lead(b, no, p),
                             all ? (ir_graph *)yes : with_lead(b, yes, p) };
    if (b->status == COT_OK)
        ir_add_node(b, OP_cond, n_in + 1, x, &(ir_attrs){ .cond = { { 2, g } } }, out);
}

/* `active` with at least the axes of the predicate; missing axes are added at the end by
 * broadcasting. */
static ir_ref
active_for(ir_build *b, ir_ref active, const ir_type *predicate)
{
    const ir_type *t = active ? ir_btype(b, active) : NULL;
    int64_t dims[COT_MAX_RANK];

    if (!t || t->rank >= predicate->rank)
        return active;
    for (int k = 0; k < t->rank; k++)
        dims[k] = k;
    return ir_broadcast_in_dim(b, active, predicate->rank, predicate->dims, dims);
}

static ir_graph *mask_body(ir_build *outer, const ir_graph *f, const ir_type *active);

/* cond and active.  If active has more axes, the loop runs while any example is active. */
static ir_graph *
mask_cond(ir_build *outer, const ir_graph *f, const ir_type *active)
{
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in), p = IR_NONE,
           x = ir_input(b, active, "active");
    int rank = ir_type_at(f, f->out[0])->rank;

    for (int i = 0; i < f->n_in; i++)
        in[i] = ir_input_like(b, f, f->in[i], "");
    ir_inline_graph(b, f, in, &p);
    if (active->rank > rank)
        x = ir_reduce(b, OP_reduce_or, x, ir_axes_below(active->rank) & ~ir_axes_below(rank));
    ir_output(b, ir_op2(b, OP_and, p, x));
    return pass_flow_end(outer, b, f);
}

/* f with an additional first input, which nothing uses. */
static ir_graph *
ignore_active(ir_build *outer, const ir_graph *f, const ir_type *active)
{
    if (outer->status != COT_OK)
        return NULL;
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in), *y = IR_NEW_N(b->arena, ir_ref, f->n_out);

    ir_input(b, active, "active");
    for (int i = 0; i < f->n_in; i++)
        in[i] = ir_input_like(b, f, f->in[i], "");
    ir_inline_graph(b, f, in, y);
    for (int i = 0; i < f->n_out; i++)
        ir_output(b, y[i]);
    return pass_flow_end(outer, b, f);
}

/* A masked loop becomes mapped by its mask.  It then masks the loops in its own body by its
 * predicate, which includes the mask, unless it was mapped before. */
static void
mask_loop(ir_build *b, const ir_type *active, ir_attrs *at)
{
    const ir_graph *cond = at->loop.cond;
    const bool mapped = ir_type_at(cond, cond->out[0])->rank > 0;

    at->loop.consts++;
    at->loop.cond = mask_cond(b, cond, active);
    at->loop.body =
        mapped ? mask_body(b, at->loop.body, active) : ignore_active(b, at->loop.body, active);
}

/* Node n, whose bodies have loops, with `active` as an additional operand; map as in
 * ir_copy_mapped. */
static void
mask_node(ir_build *b, const ir_node *n, ir_ref active, ir_ref *map)
{
    ir_attrs at = ir_node_attrs(n);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    int skip = n->op == OP_cond; /* the predicate stays first */
    ir_graph **branch = NULL;

    if (n->op == OP_cond)
        active = active_for(b, active, ir_btype(b, map[n->in[0]]));
    if (n->op == OP_while)
        active = active_for(b, active, ir_type_at(n->at->loop.cond, n->at->loop.cond->out[0]));
    if (!active)
        return;
    const ir_type *t = ir_btype(b, active);
    if (n->op == OP_call)
        at.call.body = mask_body(b, n->at->call.body, t);
    if (n->op == OP_scan) {
        at.scan.consts++;
        at.scan.body = mask_body(b, n->at->scan.body, t);
    }
    if (n->op == OP_linear_solve || n->op == OP_root) {
        branch = IR_NEW_N(b->arena, ir_graph *, n->at->implicit.parts.n);
        for (int i = 0; i < n->at->implicit.parts.n; i++)
            branch[i] = mask_body(b, n->at->implicit.parts.at[i], t);
        at.implicit.consts++;
        at.implicit.parts.at = branch;
    }
    if (n->op == OP_while)
        mask_loop(b, t, &at);
    if (n->op == OP_cond) {
        branch = IR_NEW_N(b->arena, ir_graph *, n->at->cond.branches.n);
        for (int i = 0; i < n->at->cond.branches.n; i++)
            branch[i] = mask_body(b, n->at->cond.branches.at[i], t);
        at.cond.branches.at = branch;
    }
    in[skip] = active;
    for (int i = 0; i < n->n_in; i++)
        in[i + (i >= skip)] = map[n->in[i]];
    b->loc = n->loc;
    if (b->status == COT_OK)
        ir_add_node(b, (ir_op)n->op, n->n_in + 1, in, &at, map + n->first);
}

static ir_graph *
masked(ir_build *outer, const ir_graph *f, const ir_type *active)
{
    ir_build *b = pass_flow_begin(outer, f->name);
    ir_ref *map = IR_NEW_N(b->arena, ir_ref, f->n_values), x = ir_input(b, active, "active");

    for (int i = 0; i < f->n_in; i++)
        map[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    ir_each_node (n, f)
        if (node_has_while(n, b->arena))
            mask_node(b, n, x, map);
        else
            ir_copy_mapped(b, n, map);
    for (int i = 0; i < f->n_out; i++)
        ir_output(b, map[f->out[i]]);
    return pass_flow_end(outer, b, NULL);
}

/* Each body is masked once, however many nodes share it. */
static ir_graph *
mask_body(ir_build *outer, const ir_graph *f, const ir_type *active)
{
    if (outer->status != COT_OK)
        return NULL;
    pass_made *m =
        pass_made_of(f, &(pass_key){ .pass = (pass_any *)pass_mask_whiles, .type = active });

    if (!m->graph)
        m->graph = masked(outer, f, active);
    return m->graph;
}

ir_graph *
pass_mask_whiles(ir_build *outer, const ir_graph *f)
{
    return mask_body(outer, f, ir_scalar_type(f->ctx, COT_BOOL));
}

/* Appends the inputs from ... to-1 and their tangents, which follow all inputs in the jvp of
 * the body. */
void
pass_take_duals(ir_build *b, const ir_node *n, const bool *active, const dual *in, int from,
                int to, flow_port *port, ir_ref *x, int *at)
{
    int tangent = n->n_in;

    for (int i = from; i < to; i++) {
        port[*at] = (flow_port){ i, NULL };
        x[(*at)++] = in[i].val;
    }
    for (int i = 0; i < to; i++) {
        if (i >= from && active[i]) {
            port[*at] = (flow_port){ tangent, NULL };
            x[(*at)++] = in[i].tan ? in[i].tan : ir_like(b, in[i].val, 0);
        }
        tangent += active[i];
    }
}

/* ---- one example at a time ---- */

/* A function that consists of this node only. */
static ir_graph *
alone(ir_build *b, const ir_graph *f, const ir_node *n)
{
    ir_build *s =
        ir_build_new(b->ctx, n->op == OP_custom_call ? n->at->custom.name : ir_ops[n->op].name);
    ir_ref *x = IR_NEW_N(s->arena, ir_ref, n->n_in + 1),
           *y = IR_NEW_N(s->arena, ir_ref, n->n_out + 1);
    ir_graph *g = NULL;

    for (int i = 0; i < n->n_in; i++)
        x[i] = ir_input(s, ir_type_at(f, n->in[i]), NULL);
    s->loc = n->loc;
    ir_copy_node(s, n, x, y);
    for (int j = 0; j < n->n_out; j++)
        ir_output(s, y[j]);
    pass_flow_ok(b, ir_build_end(s, &g));
    return g;
}

void
pass_one_by_one(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_graph *one = alone(b, f, n);

    if (one)
        pass_vmap_into(b, one, size, 1, in, mapped, y, out_mapped);
}

/* ---- transposed bodies ---- */

int
pass_flow_known(const ir_node *n, const bool *linear, const ir_ref *in, const ir_ref *ct,
                bool *has, ir_ref *x)
{
    int count = 0;

    for (int i = 0; i < n->n_in; i++)
        if (!linear[i])
            x[count++] = in[i];
    for (int j = 0; j < n->n_out; j++) {
        has[j] = ct[j] != IR_NONE;
        if (has[j])
            x[count++] = ct[j];
    }
    return count;
}

void
pass_flow_give(const ir_node *n, const bool *linear, const ir_ref *z, ir_ref *ct_in)
{
    for (int i = 0, at = 0; i < n->n_in; i++)
        if (linear[i])
            ct_in[i] = z[at++];
}
