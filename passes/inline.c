/* Calls replaced by the bodies that they call, at every depth.
 *
 * Always possible, since a body is closed and functions cannot recurse; nodes keep the
 * locations that they have in the body. */
#include "passes/engine.h"

static void
inline_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
            const ir_ref *in, ir_ref *out)
{
    ir_attrs at;
    (void)f, (void)env;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
        return;
    }
    cot_status status = pass_rewrite_subs(b, n, pass_inline, &at);
    if (status != COT_OK)
        b->status = status;
    else if (pass_custom_inline(b, n, at.custom.forward, in, out))
        return;
    else if (n->op == OP_call)
        ir_inline_graph(b, at.call.body, in, out);
    else
        ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

cot_status
pass_inline(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "inline", inline_node, out);
}
