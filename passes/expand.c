/* Replaces ops that are defined by a graph of smaller ops by calls of that graph.
 *
 * This is done at every depth, and in the graphs themselves, so that no op with an expansion
 * remains.  Calls of one op on the same types at one line share a body; `inline` copies bodies
 * into place.  Locations are those of the node, and tell which op they are inside of.
 * ir/expand.c builds and keeps the graphs. */
#include "passes/engine.h"

#include "ir/expand.h"

static cot_status
expanded(const ir_graph *f, const ir_node *n, ir_graph **out)
{
    const ir_type **type = IR_NEW_N(f->arena, const ir_type *, n->n_in + 1);
    ir_expansion *x;

    for (int i = 0; i < n->n_in; i++)
        type[i] = ir_type_at(f, n->in[i]);
    COT_TRY(ir_expand(f->ctx, n->loc, (ir_op)n->op, n->at, n->n_in, type, &x));
    if (!x->flat)
        COT_TRY(pass_expand(x->graph, &x->flat));
    *out = x->flat;
    return COT_OK;
}

static void
expand_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
            const ir_ref *in, ir_ref *out)
{
    cot_status status = COT_OK;
    ir_attrs at = { 0 };

    (void)env;
    if (ir_ops[n->op].flag == IR_EXPAND) {
        status = expanded(f, n, &at.call.body);
        if (status == COT_OK)
            ir_add_node(b, OP_call, n->n_in, in, &at, out);
    } else if (ir_ops[n->op].flag == IR_FLOW) {
        status = pass_rewrite_subs(b, n, pass_expand, &at);
        if (status == COT_OK)
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    } else {
        ir_copy_node(b, n, in, out);
    }
    if (status != COT_OK)
        b->status = status;
}

cot_status
pass_expand(const ir_graph *f, ir_graph **out)
{
    if (!f->expands) {
        *out = (ir_graph *)f;
        return COT_OK;
    }
    return pass_rewrite(f, "expand", expand_node, out);
}
