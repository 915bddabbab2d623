/* From a prepared graph to a module of kernels: fuse, lower, schedule, plan. */
#ifndef CODEGEN_LOWER_H
#define CODEGEN_LOWER_H

#include "codegen/backend.h"
#include "ir/graph.h"

typedef struct cg_lower_options {
    const cg_target *target;    /* vector_bits, registers, caches */
    int threads;                /* 1: no parallel loops */
    bool fuse;                  /* false: a kernel for each op (COT_OFF=fuse) */
    /* one for each input, or NULL: a result may use its memory */
    const bool *donated;
    bool share_all;             /* threads share loops however short they are: used by tests */
    /* schedules of contractions for kernels by name, as text (lower/dot_schedule.h); or NULL */
    const char *schedules;
    struct cg_record *record; /* filled with what is made of which nodes; or NULL */
    /* extents that are open, ascending, and how many: loops over these, or nearly so many,
     * iterations have a form that fits every number of them (codegen/open/open.h) */
    const int64_t *open;
    uint32_t n_open;
} cg_lower_options;

/* Lower f, the output of pass_prepare.  The module's arguments are f's inputs, then its outputs
 * without the new values of in/out arguments, which are written to the arguments' memory. */
cot_status cg_lower(const ir_graph *f, const cg_lower_options *o, ir_arena *arena,
                    cg_module **out);
/* over[j]: the donated input whose memory output j may use, or -1.  It is the first donated
 * input of output j's type that no earlier output uses. */
void cg_pair_donated(const ir_graph *f, const bool *donated, ir_arena *a, int *over);
/* Append the reasons as text: the fusion plan, and the tiles, vector axes and costs that were
 * chosen. */
void cg_explain(ir_buf *b, const cg_module *m);

#endif
