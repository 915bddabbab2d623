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

/* The entry has the sum of what it calls.  Bytes are those of all arrays that a kernel is handed. */
void
cg_module_cost(const cg_module *m, int64_t *flops, int64_t *bytes)
{
    *flops = m->kernel[0]->flops;
    *bytes = 0;
    for (uint32_t i = m->n_kernels > 1; i < m->n_kernels; i++)
        for (uint32_t k = 0; k < m->kernel[i]->n_buffers; k++) {
            const cg_buffer *x = &m->kernel[i]->buffer[k];
            if (x->space <= CG_OUT)
                *bytes += x->elements * (int64_t)cot_dtype_size(x->type);
        }
}
