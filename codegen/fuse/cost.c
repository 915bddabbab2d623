/* Costs, in instructions for one element. */
#include "codegen/fuse/cost.h"
#include "codegen/tuning.h"

#include <math.h>

#include "ir/scalar.h"

static const ir_sc_program *
program_of(const ir_graph *f, const ir_node *n)
{
    cot_dtype in[4];
    for (int i = 0; i < n->n_in; i++)
        in[i] = ir_type_at(f, n->in[i])->dtype;
    return ir_sc_of(f->ctx, n->op, n->at, n->n_in, in, ir_type_at(f, n->first)->dtype);
}

int64_t
cg_op_cost_again(const ir_graph *f, const ir_node *n)
{
    const ir_sc_program *p =
        ir_ops[n->op].flag == IR_POINTWISE ? program_of(f, n) : NULL;
    int64_t cost = cg_op_cost(f, n);
    for (int i = 0; p && i < p->n; i++)
        if (p->insn[i].op == SC_div || p->insn[i].op == SC_sqrt)
            cost += ir_bits((cot_dtype)p->insn[i].type) == 64 ? CG_FUSE_COST_DIVISION_64
                                                              : CG_FUSE_COST_DIVISION;
    return cost;
}

int64_t
cg_op_cost(const ir_graph *f, const ir_node *n)
{
    switch (ir_ops[n->op].flag) {
    case IR_POINTWISE: {
        const ir_sc_program *p = program_of(f, n);
        return p ? p->n : 1;
    }
    case IR_MOVE: return ir_ops[n->op].cost == IR_EXPENSIVE ? CG_FUSE_COST_MOVE : 0;
    case IR_INDEX: return CG_FUSE_COST_INDEX;
    default:
        return 1;
    }
}
