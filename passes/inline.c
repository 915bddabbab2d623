/* Replaces calls by the bodies of their functions, at every depth.
 *
 * This is always possible, since a body is closed and functions cannot recurse.  Nodes keep the
 * locations that they have in the body.  Custom functions, solvers and marked calls stay, since
 * later transforms need their rules; after the last transform (pass_inline_all) their bodies
 * are inlined as well.
 *
 * Before kernels are made, calls of large functions stay, too (calls.h).  A large function that
 * is the branch of several conds, or the body of several loops, becomes one that is called
 * there. */
#include "passes/calls.h"
#include "passes/engine.h"
#include "passes/memo.h"

typedef struct inlining {
    bool everything;         /* inlines custom functions, solvers and marked calls as well */
    pass_simple *pass;       /* the pass itself, for sub-functions */
    const pass_calls *calls; /* which calls stay; NULL: none */
} inlining;

/* A body that is being inlined; its nodes before `at` are done. */
typedef struct body {
    const ir_graph *f;
    uint32_t at;
    ir_ref *env, *out;
    bool rounds; /* no product comes in or goes out */
    struct body *outer;
} body;

static body *
begin_body(ir_build *b, const ir_graph *f, bool rounds, const ir_ref *in, ir_ref *out,
           body *outer)
{
    body *x = IR_NEW(b->arena, body);

    *x = (body){ f, 1, IR_NEW_N(b->arena, ir_ref, f->n_values), out, rounds, outer };
    for (int i = 0; i < f->n_in; i++)
        x->env[f->in[i]] = rounds ? ir_rounded(b, in[i]) : in[i];
    b->uncontracted |= f->uncontracted;
    b->guarded |= f->guarded;
    b->contracted |= f->contracted;
    return x;
}

static body *
end_body(ir_build *b, body *x)
{
    for (int i = 0; i < x->f->n_out; i++) {
        const ir_ref y = x->env[x->f->out[i]];
        x->out[i] = x->rounds ? ir_rounded(b, y) : y;
    }
    return x->outer;
}

static bool
is_inlined(const ir_node *n, const inlining *how)
{
    if (n->op != OP_call || (!how->everything && n->at->call.remat))
        return false;
    return !how->calls || !pass_called_of(how->calls, n->at->call.body)->stays;
}

static bool
rounds(const ir_node *n, const inlining *how)
{
    return how->calls && pass_called_of(how->calls, n->at->call.body)->saves;
}

static void other_flow(ir_build *b, const ir_node *n, const inlining *how, const ir_ref *in,
                       ir_ref *out);

/* Inlines the body of a call and the calls in it without recursion, since a chain of functions
 * that call each other may be long. */
static void
inline_calls(ir_build *b, const ir_graph *f, const inlining *how, const ir_ref *in, ir_ref *out)
{
    const ir_loc loc = b->loc;

    for (body *x = begin_body(b, f, false, in, out, NULL); x && b->status == COT_OK;) {
        if (x->at == x->f->n_nodes) {
            x = end_body(b, x);
            continue;
        }
        const ir_node *n = &x->f->node[x->at++];
        ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        for (int k = 0; k < n->n_in; k++)
            operand[k] = x->env[n->in[k]];
        b->loc = n->loc;
        if (is_inlined(n, how))
            x = begin_body(b, n->at->call.body, rounds(n, how), operand, x->env + n->first, x);
        else if (ir_ops[n->op].flag == IR_FLOW)
            other_flow(b, n, how, operand, x->env + n->first);
        else
            ir_copy_node(b, n, operand, x->env + n->first);
    }
    b->loc = loc;
}

static cot_status
rewritten(const ir_graph *f, const inlining *how, ir_graph **out)
{
    ir_build *b = ir_build_like(f, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);

    pass_inputs(b, f, in);
    inline_calls(b, f, how, in, y);
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return pass_end(b, "inline", out);
}

/* Rewrites each sub-function once; where some calls stay, the result depends on its
 * surroundings. */
static cot_status
rewritten_once(ir_graph *f, const void *user, ir_graph **out)
{
    const inlining *how = user;
    ir_graph **made =
        how->calls ? &pass_called_of(how->calls, f)->made
                   : &pass_made_of(f, &(pass_key){ .pass = (pass_any *)how->pass })->graph;

    if (!*made)
        COT_TRY(rewritten(f, how, made));
    *out = *made;
    return COT_OK;
}

/* The function of x after inlining, with the results that some call uses: the same for all
 * calls. */
static cot_status
restrict_to_used(pass_called *x)
{
    ir_graph *g = x->made;
    bool *all = IR_NEW_N(g->arena, bool, g->n_in + g->n_out + 1);

    x->needed = IR_NEW_N(g->arena, bool, g->n_in + 1);
    memset(all, true, (size_t)(g->n_in + g->n_out));
    COT_TRY(pass_restrict(g, all, x->used, &g));
    const uint32_t *uses = ir_count_uses(g, g->arena);
    for (int i = 0; i < g->n_in; i++)
        x->needed[i] = uses[g->in[i]] > 0;
    return pass_restrict(g, x->needed, all, &x->function);
}

/* A call that stays, of the restricted function of x. */
static void
stay(ir_build *b, pass_called *x, const inlining *how, const ir_ref *in, ir_ref *out)
{
    ir_ref *operand = IR_NEW_N(b->arena, ir_ref, x->f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, x->f->n_out + 1);
    ir_attrs at = { 0 };
    cot_status status = COT_OK;
    int n_in = 0, made = 0;

    if (!x->function && (status = rewritten_once((ir_graph *)x->f, how, &x->made)) == COT_OK)
        status = restrict_to_used(x);
    if (status != COT_OK) {
        b->status = status;
        return;
    }
    for (int i = 0; i < x->f->n_in; i++)
        if (x->needed[i])
            operand[n_in++] = in[i];
    at.call.body = x->function;
    ir_add_node(b, OP_call, n_in, operand, &at, y);
    for (int k = 0; k < x->f->n_out; k++)
        out[k] = x->used[k] ? y[made++] : IR_NONE;
}

/* A function of what x takes and returns, which calls x. */
static cot_status
calling(pass_called *x, const inlining *how, ir_loc loc, ir_graph **out)
{
    const ir_graph *f = x->f;
    ir_build *b = ir_build_like(f, f->name);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);

    pass_inputs(b, f, in);
    b->loc = loc;
    stay(b, x, how, in, y);
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, y[j], "");
    return pass_end(b, "inline", out);
}

/* A cond or loop that runs sub-functions. */
typedef struct running {
    const inlining *how;
    const ir_node *n;
} running;

static cot_status
rewritten_or_called(ir_graph *f, const void *user, ir_graph **out)
{
    const running *r = user;
    pass_called *x = r->how->calls ? pass_called_of(r->how->calls, f) : NULL;

    if (x && (ir_loop_of(r->n).body ? x->in_loops : x->stays))
        return calling(x, r->how, r->n->loc, out);
    return rewritten_once(f, r->how, out);
}

static bool
stays(const ir_node *n, const inlining *how)
{
    return n->op == OP_call && how->calls && (how->everything || !n->at->call.remat) &&
           pass_called_of(how->calls, n->at->call.body)->stays;
}

/* Ops with sub-functions that are not inlined. */
static void
other_flow(ir_build *b, const ir_node *n, const inlining *how, const ir_ref *in, ir_ref *out)
{
    ir_attrs at = ir_node_attrs(n);
    cot_status status = COT_OK;
    ir_graph *body;

    if (!how->everything && n->op == OP_custom_call) {
        ir_copy_node(b, n, in, out);
        return;
    }
    if (stays(n, how)) {
        stay(b, pass_called_of(how->calls, n->at->call.body), how, in, out);
        return;
    }
    if (n->op == OP_call)
        status = pass_replace_subs(b, n, rewritten_once, how, &at);
    else
        status = pass_replace_subs(b, n, rewritten_or_called, &(running){ how, n }, &at);
    if (status != COT_OK)
        b->status = status;
    else if (how->everything && pass_custom_body(b, n, at.custom.forward, &body)) {
        status = body ? pass_inline_all(body, &body) : b->status;
        if (status != COT_OK)
            b->status = status;
        else if (body)
            ir_inline_graph(b, body, in, out);
    } else if (how->everything && ir_ops[n->op].record == IR_AT_implicit)
        ir_inline_graph(b, at.implicit.parts.at[0], in, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

cot_status
pass_inline_all(const ir_graph *f, ir_graph **out)
{
    return rewritten(f, &(const inlining){ .everything = true, .pass = pass_inline_all }, out);
}

cot_status
pass_inline(const ir_graph *f, ir_graph **out)
{
    return rewritten(f, &(const inlining){ .pass = pass_inline }, out);
}

cot_status
pass_inline_small(const ir_graph *f, ir_graph **out)
{
    return rewritten(f, &(const inlining){ .pass = pass_inline, .calls = pass_calls_of(f) },
                     out);
}

cot_status
pass_inline_last(const ir_graph *f, ir_graph **out)
{
    const inlining how = { .everything = true,
                           .pass = pass_inline_all,
                           .calls = pass_calls_of(f) };

    return rewritten(f, &how, out);
}
