/* What a lowering makes of which nodes: recorded for who shows it, and for nothing else.
 *
 * A step is a statement of a plan (the entry, or a function that it calls): a call of a kernel
 * or a copy.  It has the locations of the nodes that the kernel was built for, with those that
 * have no instruction, such as a transpose that became an index.  Equal kernels are one, so
 * the kernel itself knows the nodes of its first call alone. */
#ifndef CODEGEN_KERNEL_RECORD_H
#define CODEGEN_KERNEL_RECORD_H

#include "codegen/kernel/kernel.h"

typedef struct cg_record_step {
    const cg_kernel *plan;
    cg_val insn;                /* of the plan: CG_CALL or CG_COPY */
    uint32_t at; /* the plan's step, by which lifetimes of buffers are counted */
    uint32_t first, n; /* its locations, ascending, in cg_record.loc */
} cg_record_step;

/* Result `result` of the node at `loc`, or the input there, is in the buffer. */
typedef struct cg_record_value {
    ir_loc loc;
    int result;
    const cg_kernel *plan;
    uint32_t buffer;
} cg_record_value;

/* The first and the last step of the plan that touch the buffer. */
typedef struct cg_record_span {
    const cg_kernel *plan;
    uint32_t buffer, first, last;
} cg_record_span;

typedef struct cg_record {
    ir_arena *arena;
    cg_record_step *step;
    cg_record_value *value;
    cg_record_span *span;
    ir_loc *loc;
    uint32_t n_steps, cap_steps, n_values, cap_values, n_spans, cap_spans, n_locs, cap_locs;
    uint32_t begun; /* the first location of the kernel that is being built */
} cg_record;

/* All do nothing where r is NULL.  A kernel begins for the node at loc; one more node is a part
 * of it; its call is the latest instruction of the plan. */
void cg_record_begin(cg_record *r, ir_loc loc);
void cg_record_node(cg_record *r, ir_loc loc);
void cg_record_insns(cg_record *r, const cg_kernel *k);
void cg_record_end(cg_record *r, const cg_kernel *plan, uint32_t at);
void cg_record_place(cg_record *r, ir_loc loc, int result, const cg_kernel *plan,
                     uint32_t buffer);
void cg_record_life(cg_record *r, const cg_kernel *plan, uint32_t buffer, uint32_t first,
                    uint32_t last);

#endif
