/* Ops that order elements.  Their results are integers, so only vmap needs rules. */
#include "passes/rules.h"

/* The mapped axis comes first; operands that are not mapped are the same for every example. */
void
vmap_argsort(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_ref *key = IR_NEW_N(b->arena, ir_ref, n->n_in);
    ir_attrs at = ir_node_attrs(n);

    (void)f, (void)out_mapped;
    for (int i = 0; i < n->n_in; i++)
        key[i] = pass_map_operand(b, in[i], mapped[i], size);
    at.arg.axis++;
    y[0] = ir_node1(b, OP_argsort, n->n_in, key, &at);
}

void
vmap_top_k(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
           const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = ir_node_attrs(n);

    (void)f, (void)size, (void)mapped, (void)out_mapped;
    at.top.axis++;
    y[0] = ir_node1(b, OP_top_k, 1, in, &at);
}
