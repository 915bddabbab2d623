/* What ops cost, in instructions for one element: for fuse.c and schedule/map_loops.c. */
#ifndef CODEGEN_FUSE_COST_H
#define CODEGEN_FUSE_COST_H

#include "codegen/kernel/kernel.h"
#include "ir/graph.h"

/* The length of the scalar program of a pointwise op; 0 for views; for the rest, of one element
 * of the result. */
int64_t cg_op_cost(const ir_graph *f, const ir_node *n);
/* The same on a GPU, which divides and takes roots by programs of its own. */
int64_t cg_op_cost_grid(const ir_graph *f, const ir_node *n);

#endif
