/* Calls replaced by the bodies that they call, at every depth.
 *
 * Always possible, since a body is closed and functions cannot recurse; nodes keep the
 * locations that they have in the body.  Custom functions, solvers and marked calls stay,
 * for transforms that follow want their rules; only when the last transform is done
 * (pass_inline_all) are they bodies too. */
#include "passes/engine.h"

typedef cot_status inline_pass(const ir_graph *f, ir_graph **out);

/* A body being inlined: its nodes up to `at` are done. */
typedef struct body {
    const ir_graph *f;
    uint32_t at;
    ir_ref *env, *out;
    struct body *outer;
} body;

static body *
begin_body(ir_build *b, const ir_graph *f, const ir_ref *in, ir_ref *out, body *outer)
{
    body *x = IR_NEW(b->arena, body);

    *x = (body){ f, 1, IR_NEW_N(b->arena, ir_ref, f->n_values), out, outer };
    for (int i = 0; i < f->n_in; i++)
        x->env[f->in[i]] = in[i];
    b->uncontracted |= f->uncontracted;
    b->guarded |= f->guarded;
    return x;
}

static body *
end_body(body *x)
{
    for (int i = 0; i < x->f->n_out; i++)
        x->out[i] = x->env[x->f->out[i]];
    return x->outer;
}

static bool
is_inlined(const ir_node *n, inline_pass *sub)
{
    return n->op == OP_call && (sub == pass_inline_all || !n->at.call.remat);
}

static void other_flow(ir_build *b, const ir_node *n, inline_pass *sub, const ir_ref *in,
                       ir_ref *out);

/* The body of a call, and those that it calls, without recursion: a chain of functions that
 * call each other is as deep as it is long. */
static void
inline_calls(ir_build *b, const ir_graph *f, inline_pass *sub, const ir_ref *in, ir_ref *out)
{
    const ir_loc loc = b->loc;

    for (body *x = begin_body(b, f, in, out, NULL); x && b->status == COT_OK;) {
        if (x->at == x->f->n_nodes) {
            x = end_body(x);
            continue;
        }
        const ir_node *n = &x->f->node[x->at++];
        ir_ref *operand = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        for (int k = 0; k < n->n_in; k++)
            operand[k] = x->env[n->in[k]];
        b->loc = n->loc;
        if (is_inlined(n, sub))
            x = begin_body(b, n->at.call.body, operand, x->env + n->first, x);
        else if (ir_ops[n->op].flag == IR_FLOW)
            other_flow(b, n, sub, operand, x->env + n->first);
        else
            ir_copy_node(b, n, operand, x->env + n->first);
    }
    b->loc = loc;
}

/* What is no call that is inlined. */
static void
other_flow(ir_build *b, const ir_node *n, inline_pass *sub, const ir_ref *in, ir_ref *out)
{
    const bool everything = sub == pass_inline_all;
    ir_attrs at = n->at;
    cot_status status = COT_OK;

    if (!everything && n->op == OP_custom_call) {
        ir_copy_node(b, n, in, out);
        return;
    }
    status = pass_rewrite_subs(b, n, sub, &at);
    if (status != COT_OK)
        b->status = status;
    else if (everything && pass_custom_inline(b, n, at.custom.forward, in, out))
        return;
    else if (everything && (n->op == OP_linear_solve || n->op == OP_root))
        ir_inline_graph(b, at.implicit.parts.at[0], in, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

static void
inline_flow(ir_build *b, const ir_node *n, inline_pass *sub, const ir_ref *in, ir_ref *out)
{
    if (is_inlined(n, sub))
        inline_calls(b, n->at.call.body, sub, in, out);
    else
        other_flow(b, n, sub, in, out);
}

static void
calls(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    (void)f, (void)env;
    if (ir_ops[n->op].flag == IR_FLOW)
        inline_flow(b, n, pass_inline, in, out);
    else
        ir_copy_node(b, n, in, out);
}

static void
all(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
    ir_ref *out)
{
    (void)f, (void)env;
    if (ir_ops[n->op].flag == IR_FLOW)
        inline_flow(b, n, pass_inline_all, in, out);
    else
        ir_copy_node(b, n, in, out);
}

cot_status
pass_inline_all(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "inline", all, out);
}

cot_status
pass_inline(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "inline", calls, out);
}
