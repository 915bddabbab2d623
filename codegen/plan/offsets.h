/* Offsets of buffers in one block of memory. */
#ifndef CODEGEN_PLAN_OFFSETS_H
#define CODEGEN_PLAN_OFFSETS_H

#include "ir/arena.h"

/* The first and last step that touch a buffer. */
typedef struct cg_lifetime {
    uint32_t first, last;
} cg_lifetime;

typedef struct cg_allocation {
    cg_lifetime span;
    int64_t bytes, offset;
} cg_allocation;

/* Each buffer in turn gets the lowest offset at which no earlier buffer lies that lives at the
 * same time.  `scratch` is left as it was. */
void cg_offsets_assign(ir_arena *scratch, uint32_t n, cg_allocation *x);

#endif
