/* Pointwise ops: the op's scalar program on the operands at the same index. */
#include "codegen/lower/pull.h"

cg_val
lower_pointwise(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    cg_val x[4];
    cot_dtype in[4];
    (void)result;
    for (int i = 0; i < n->n_in; i++) {
        in[i] = ir_type_at(fr->f, n->in[i])->dtype;
        x[i] = cg_pull(l, fr, n->in[i], at);
    }
    const ir_sc_program *p =
        ir_sc_of(l->ctx, n->op, &n->at, n->n_in, in, ir_type_at(fr->f, n->first)->dtype);
    return p ? cg_inline(&l->b, p, x) : 0;
}
