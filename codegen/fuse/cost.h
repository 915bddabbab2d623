/* Cost of ops, in instructions for one element: used by fuse.c and schedule/map_loops.c. */
#ifndef CODEGEN_FUSE_COST_H
#define CODEGEN_FUSE_COST_H

#include "codegen/kernel/kernel.h"
#include "ir/graph.h"

/* The instructions for one element of n's result: the length of a pointwise op's scalar
 * program; 0 for views. */
int64_t cg_op_cost(const ir_graph *f, const ir_node *n);
/* What it takes to compute such an element once more, in place of a load: the same, but a
 * division or square root costs as many instructions as fit in its time. */
int64_t cg_op_cost_again(const ir_graph *f, const ir_node *n);

#endif
