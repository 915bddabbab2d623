/* Estimates for a node: the memory of its operands and results, and its operations. */
#include "codegen/fuse/fuse.h"
#include "runtime/explore/explore.h"

static int64_t
bytes_of(const ir_graph *f, ir_ref v)
{
    const ir_type *t = ir_type_at(f, v);

    return t->size * (int64_t)cot_dtype_size(t->dtype);
}

int64_t
rt_explore_bytes(const ir_graph *f, const ir_node *n)
{
    int64_t bytes = 0;

    for (int i = 0; i < n->n_out; i++)
        bytes += bytes_of(f, n->first + (ir_ref)i);
    return bytes;
}

int64_t
rt_explore_flops(const ir_graph *f, const ir_node *n)
{
    const int64_t size = n->n_out ? ir_type_at(f, n->first)->size : 0;

    switch (ir_ops[n->op].flag) {
    case IR_POINTWISE: return size;
    case IR_REDUCE: return ir_type_at(f, n->in[0])->size;
    case IR_CONTRACT:
        return ir_ops[n->op].record == IR_AT_dot ? 2 * size * cg_terms_of(f, n) : size;
    default: return 0;
    }
}
