/* What ops cost, in instructions for one element: for fuse.c and schedule/map_loops.c. */
#ifndef CODEGEN_FUSE_COST_H
#define CODEGEN_FUSE_COST_H

#include "codegen/kernel/kernel.h"
#include "ir/graph.h"

enum {
    /* computing a value again is more expensive than storing and loading it */
    CG_COST_SHARE = 12,
    /* instructions worth waking threads for: about 20 us */
    CG_COST_PARALLEL = 60000,
    /* storing a value pays where zeros stand between its elements */
    CG_COST_SPREAD = 48,
    /* elements of a window that are written out, each with tests of its own */
    CG_MAX_WINDOW = 16,
    /* an element so expensive is not unrolled */
    CG_COST_HEAVY = 400,
    CG_MAX_ROW = 32768 /* bytes of a row kept while a kernel works on it                */
};

/* The length of the scalar program of a pointwise op; 0 for views; for the rest, of one element
 * of the result. */
int64_t cg_op_cost(const ir_graph *f, const ir_node *n);
/* The same on a GPU, which divides and takes roots by programs of its own. */
int64_t cg_op_cost_grid(const ir_graph *f, const ir_node *n);

#endif
