/* Every access of a module lies within its buffer. */
#ifndef CODEGEN_VERIFY_BOUNDS_H
#define CODEGEN_VERIFY_BOUNDS_H

#include "codegen/kernel/kernel.h"

typedef struct cg_bounds_count {
    int64_t proved, open;
} cg_bounds_count;

/* A parallel loop whose iterations are not known to meet, nor proved to be apart. */
typedef struct cg_unproved_loop {
    uint32_t kernel;
    cg_val var;
    const char *why;
    ir_loc loc;
} cg_unproved_loop;

/* By kind: what was proved and what was not, and a line of text for each of the latter. */
typedef struct cg_bounds_report {
    cg_bounds_count load, store, copy, call, place, tensor;
    cg_bounds_count race; /* buffers that a parallel loop or a grid stores to: races.h   */
    int64_t race_by_data; /* of which data decides whether iterations are apart */
    cg_unproved_loop *unproved;
    uint32_t n_unproved, cap_unproved;
    /* Of the work block by the entry: written before?  update: of what a kernel stores to */
    cg_bounds_count read, update;
    cg_bounds_count own; /* of what a kernel is to write itself, before it reads it      */
    int64_t own_perhaps; /* the same, where loops or masks that data bounds have written */
    ir_buf *text;               /* NULL: none is wanted */
    const char *why; /* of the first that is refused, and the line that it comes from */
    ir_loc loc;
} cg_bounds_report;

void cg_bounds_of(const cg_module *m, ir_arena *arena, cg_bounds_report *r);
/* COT_ERR_INTERNAL if any is open: kernel, value, buffer and index are named.  Loops that are
 * unproved become serial in `serial`, which is m; where that is NULL, they are refused. */
cot_status cg_verify_bounds(const cg_module *m, cg_module *serial);

#endif
