/* Removes what neither an output nor an effect needs.
 *
 * The builder removes dead nodes by itself; this pass also looks into sub-functions.  A result
 * of a call, cond, while or scan that nothing uses is removed from the op and its bodies.  A
 * carry is needed if its result is used, or if another needed carry depends on it over any
 * number of iterations.  An operand that no body reads is removed as well.
 *
 * Before kernels are made, the remaining calls keep all results (pass_dce_last): they are those
 * of functions that stay, each with the results that some call uses (inline.c).  Otherwise each
 * set of used results would become a function of its own.
 *
 * A walk in reverse order finds what is live; it first reduces the sub-functions, to see what
 * they do not read.  A walk in order then copies. */
#include "passes/engine.h"

/* What remains of a node with sub-functions. */
typedef struct shape {
    ir_attrs at;
    bool *in, *out;
} shape;

typedef struct sweep {
    ir_build *b;
    const ir_graph *f;
    pass_simple *pass; /* the pass itself, for sub-functions */
    bool *live;        /* by value */
    shape *kept;       /* by node, for ops with flag IR_FLOW */
} sweep;

/* Mark in need[] the inputs of f that the outputs in `out` depend on. */
static void
mark_needed(const ir_graph *f, ir_arena *a, const bool *out, bool *need)
{
    bool *live = IR_NEW_N(a, bool, f->n_values);
    for (int j = 0; j < f->n_out; j++)
        live[f->out[j]] |= out[j];
    for (uint32_t i = f->n_nodes - 1; i > 0; i--) {
        const ir_node *n = &f->node[i];
        bool any = f->effectful && ir_effectful(n);
        for (int j = 0; j < n->n_out; j++)
            any |= live[n->first + (ir_ref)j];
        for (int k = 0; any && k < n->n_in; k++)
            live[n->in[k]] = true;
    }
    for (int i = 0; i < f->n_in; i++)
        need[i] |= live[f->in[i]];
}

static cot_status
shrink_branches(ir_build *b, const ir_node *n, shape *s)
{
    const int first = n->op == OP_cond; /* operand 0 of cond is the predicate */
    ir_graph *const *body = first ? s->at.cond.branches.at : &s->at.call.body;
    const int count = first ? s->at.cond.branches.n : 1;
    ir_graph **small = IR_NEW_N(b->arena, ir_graph *, count);
    s->in[0] = first;
    for (int k = 0; k < count; k++)
        mark_needed(body[k], b->arena, s->out, s->in + first);
    for (int k = 0; k < count; k++)
        if (k > 0 && body[k] == body[k - 1])
            small[k] = small[k - 1];
        else
            COT_TRY(pass_restrict(body[k], s->in + first, s->out, &small[k]));
    if (first)
        s->at.cond.branches.at = small;
    else
        s->at.call.body = small[0];
    return COT_OK;
}

/* Completes s->in: a carry that a needed carry reads is needed itself, up to a fixed point. */
static void
close_over_carries(const ir_graph *body, ir_arena *a, int consts, int carries, shape *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        mark_needed(body, a, s->out, s->in);
        for (int i = 0; i < carries; i++)
            if (s->in[consts + i] && !s->out[i])
                changed = s->out[i] = true;
    }
    for (int i = 0; i < carries; i++)
        s->in[consts + i] = s->out[i];
}

static int
count_kept(const bool *keep, int n)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        k += keep[i];
    return k;
}

static cot_status
shrink_scan(ir_build *b, shape *s)
{
    ir_graph *body = s->at.scan.body;
    const int consts = (int)s->at.scan.consts, carries = (int)s->at.scan.carries;
    close_over_carries(body, b->arena, consts, carries, s);
    s->at.scan.consts = count_kept(s->in, consts);
    s->at.scan.carries = count_kept(s->out, carries);
    return pass_restrict(body, s->in, s->out, &s->at.scan.body);
}

/* Everything that the condition reads is needed.  A while whose results nothing uses is
 * removed, even though it might fail at its bound. */
static cot_status
shrink_while(ir_build *b, const ir_node *n, shape *s)
{
    ir_graph *body = s->at.loop.body, *cond = s->at.loop.cond;
    const int consts = (int)s->at.loop.consts, carries = n->n_in - consts;
    const bool yes = true;
    mark_needed(cond, b->arena, &yes, s->in);
    close_over_carries(body, b->arena, consts, carries, s);
    s->at.loop.consts = count_kept(s->in, consts);
    COT_TRY(pass_restrict(cond, s->in, &yes, &s->at.loop.cond));
    return pass_restrict(body, s->in, s->out, &s->at.loop.body);
}

static cot_status
shrink(sweep *w, const ir_node *n, shape *s)
{
    ir_arena *a = w->b->arena;
    s->in = IR_NEW_N(a, bool, n->n_in + 1);
    s->out = IR_NEW_N(a, bool, n->n_out + 1);
    for (int j = 0; j < n->n_out; j++)
        s->out[j] = w->live[n->first + (ir_ref)j];
    COT_TRY(pass_rewrite_subs(w->b, n, w->pass, &s->at));
    switch (ir_ops[n->op].record) {
    case IR_AT_call:
        if (w->pass == pass_dce)
            return shrink_branches(w->b, n, s);
        memset(s->in, true, (size_t)n->n_in);
        memset(s->out, true, (size_t)n->n_out);
        return COT_OK;
    case IR_AT_implicit:
    case IR_AT_custom: /* kept whole, or not at all */
        for (int k = 0; k < n->n_in; k++)
            s->in[k] = true;
        for (int j = 0; j < n->n_out; j++)
            s->out[j] = true;
        s->at = ir_node_attrs(n);
        return COT_OK;
    case IR_AT_scan: return shrink_scan(w->b, s);
    case IR_AT_loop: return shrink_while(w->b, n, s);
    default: return shrink_branches(w->b, n, s);
    }
}

static cot_status
mark(sweep *w)
{
    const ir_graph *f = w->f;
    for (int j = 0; j < f->n_out; j++)
        w->live[f->out[j]] = true;
    for (uint32_t i = f->n_nodes - 1; i > 0; i--) {
        const ir_node *n = &f->node[i];
        const bool flow = ir_ops[n->op].flag == IR_FLOW;
        bool any = f->effectful && ir_effectful(n);
        for (int j = 0; j < n->n_out; j++)
            any |= w->live[n->first + (ir_ref)j];
        if (!any)
            continue;
        if (flow)
            COT_TRY(shrink(w, n, &w->kept[i]));
        for (int k = 0; k < n->n_in; k++)
            w->live[n->in[k]] |= !flow || w->kept[i].in[k];
    }
    return COT_OK;
}

static void
copy_flow(ir_build *b, const ir_node *n, const shape *s, const ir_ref *env, ir_ref *out)
{
    ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    ir_ref *result = IR_NEW_N(b->arena, ir_ref, n->n_out + 1);
    int n_in = 0;
    for (int k = 0; k < n->n_in; k++)
        if (s->in[k])
            operand[n_in++] = env[n->in[k]];
    ir_add_node(b, (ir_op)n->op, n_in, operand, &s->at, result);
    for (int j = 0, r = 0; j < n->n_out; j++)
        out[j] = s->out[j] ? result[r++] : IR_NONE;
}

static void
copy(sweep *w, ir_ref *env)
{
    const ir_graph *f = w->f;
    for (uint32_t i = 1; i < f->n_nodes; i++) {
        const ir_node *n = &f->node[i];
        bool any = f->effectful && ir_effectful(n);
        for (int j = 0; j < n->n_out; j++)
            any |= w->live[n->first + (ir_ref)j];
        if (!any)
            continue;
        w->b->loc = n->loc;
        if (ir_ops[n->op].flag == IR_FLOW)
            copy_flow(w->b, n, &w->kept[i], env, env + n->first);
        else
            ir_copy_mapped(w->b, n, env);
    }
}

static cot_status
swept(const ir_graph *f, pass_simple *pass, ir_graph **out)
{
    sweep w = { .b = ir_build_like(f, f->name), .f = f, .pass = pass };
    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.live = IR_NEW_N(w.b->arena, bool, f->n_values);
    w.kept = IR_NEW_N(w.b->arena, shape, f->n_nodes);
    ir_ref *env = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    COT_TRY(mark(&w));
    for (int i = 0; i < f->n_in; i++)
        env[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    copy(&w, env);
    for (int j = 0; j < f->n_out; j++)
        pass_output(w.b, f, j, env[f->out[j]], "");
    return pass_end(w.b, "dce", out);
}

cot_status
pass_dce(const ir_graph *f, ir_graph **out)
{
    return swept(f, pass_dce, out);
}

cot_status
pass_dce_last(const ir_graph *f, ir_graph **out)
{
    return swept(f, pass_dce_last, out);
}
