/* Calls replaced by the bodies that they call, at every depth.
 *
 * Always possible, since a body is closed and functions cannot recurse; nodes keep the
 * locations that they have in the body.  Custom functions, solvers and marked calls stay,
 * for transforms that follow want their rules; only when the last transform is done
 * (pass_inline_all) are they bodies too. */
#include "passes/engine.h"

typedef cot_status inline_pass(const ir_graph *f, ir_graph **out);

static void
inline_flow(ir_build *b, const ir_node *n, inline_pass *sub, const ir_ref *in, ir_ref *out)
{
    const bool everything = sub == pass_inline_all;
    ir_attrs at;
    cot_status status = pass_rewrite_subs(b, n, sub, &at);
    if (status != COT_OK)
        b->status = status;
    else if (everything && pass_custom_inline(b, n, at.custom.forward, in, out))
        return;
    else if (n->op == OP_call && (everything || !n->at.call.remat))
        ir_inline_graph(b, at.call.body, in, out);
    else if (everything && (n->op == OP_linear_solve || n->op == OP_root))
        ir_inline_graph(b, at.implicit.parts.at[0], in, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

static void
calls(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    (void)f, (void)env;
    if (ir_ops[n->op].flag == IR_FLOW && n->op != OP_custom_call)
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
