/* From a prepared graph to a module of kernels: fuse, lower, schedule, plan. */
#ifndef CODEGEN_LOWER_H
#define CODEGEN_LOWER_H

#include "codegen/backend.h"
#include "ir/graph.h"

typedef struct cg_lower_options {
    const cg_target *target;    /* vector_bits, registers, caches */
    int threads;                /* 1: no parallel loops */
    bool fuse;                  /* false: a kernel for each op (COT_OFF=fuse) */
    /* one for each input, or NULL: a result may lie in its memory */
    const bool *donated;
    bool share_all;             /* threads share loops however short they are: for tests */
} cg_lower_options;

/* f is the output of pass_prepare.  The module's arguments are f's inputs, then its outputs
 * without the new values of in/out arguments, which go to the arguments' memory. */
cot_status cg_lower(const ir_graph *f, const cg_lower_options *o, ir_arena *arena,
                    cg_module **out);
/* over[j]: the donated input whose memory output j may have, or -1: the first of its type that
 * no output before it has. */
void cg_pair_donated(const ir_graph *f, const bool *donated, int *over);
/* Why: the fusion plan, tiles, vector axes and costs chosen, as text. */
void cg_explain(ir_buf *b, const cg_module *m);

#endif
