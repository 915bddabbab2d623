/* What a body on scalars is: a sum, a maximum, "the second one".
 *
 * Bodies are looked at as graphs, after the builder has folded them, so that the names, the order of operands
 * and the type of the text do not matter. */
#include "frontend/stablehlo/emit.h"

#include "passes/pass.h"

static bool
has_call(const ir_graph *g)
{
    ir_each_node(n, g)
        if (n->op == OP_call)
            return true;
    return false;
}

ir_op
fe_hlo_combiner(const ir_graph *g)
{
    static const ir_op known[] = { OP_add, OP_mul, OP_max, OP_min, OP_and, OP_or, OP_xor };
    ir_graph *flat = NULL;

    if (g->n_in != 2 || g->n_out != 1)
        return OP_none;
    if (has_call(g)) {
        if (pass_inline(g, &flat) != COT_OK)
            return OP_none;
        g = flat;
    }
    if (g->out[0] == g->in[1])
        return OP_assign;
    const ir_node *n = ir_def(g, g->out[0]);
    if (!n || n->n_in != 2 || !((n->in[0] == g->in[0] && n->in[1] == g->in[1]) || (n->in[0] == g->in[1] && n->in[1] == g->in[0])))
        return OP_none;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n->op == known[i])
            return known[i];
    return OP_none;
}
