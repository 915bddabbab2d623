/* Costs, in instructions for one element. */
#include "codegen/cost.h"

#include "ir/scalar.h"

int64_t
cg_op_cost(const ir_graph *f, const ir_node *n)
{
    cot_dtype in[4];
    switch (ir_ops[n->op].flag) {
    case IR_POINTWISE: {
        for (int i = 0; i < n->n_in; i++)
            in[i] = ir_type_at(f, n->in[i])->dtype;
        const ir_sc_program *p = ir_sc_of(f->ctx, n->op, &n->at, n->n_in, in, ir_type_at(f, n->first)->dtype);
        return p ? p->n : 1;
    }
    case IR_MOVE:
        return n->op == OP_pad || n->op == OP_concatenate ? 2 : 0;
    case IR_INDEX:
        return 4;
    default:
        return 1;
    }
}
