/* Rules of clone and assign as functions of values: x and y.
 *
 * Transforms read functionalized graphs, so the rules need not consider the write. */
#include "passes/rules.h"

void
jvp_assign(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)b, (void)f, (void)n;
    y->tan = in[1].tan;
}

void
transpose_clone(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)b, (void)f, (void)n, (void)linear, (void)in;
    ct_in[0] = ct[0];
}

void
transpose_assign(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                 const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)b, (void)f, (void)n, (void)in;
    ct_in[0] = IR_NONE;
    ct_in[1] = linear[1] ? ct[0] : IR_NONE;
}

/* The result is the last operand. */
void
vmap_mutate(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
            const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)b, (void)f, (void)size;
    y[0] = in[n->n_in - 1];
    out_mapped[0] = mapped[n->n_in - 1];
}
