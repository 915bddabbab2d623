/* fft is linear, and its matrix is symmetric.  Its transpose, for the inner product of real and
 * imaginary parts, is the conjugate matrix, which is the transform in the other direction. */
#include "passes/rules.h"

void
transpose_fft(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
              const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f, (void)linear, (void)in;
    ct_in[0] = ct[0] ? ir_node1(b, OP_fft, 1, ct, &(ir_attrs){ .fft = { !n->at->fft.inverse } })
                     : IR_NONE;
}

/* Lines are along the last axis, so an additional first axis means more lines. */
void
vmap_fft(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
         const bool *mapped, ir_ref *y, bool *out_mapped)
{
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    y[0] = ir_node1(b, OP_fft, 1, in, n->at);
}
