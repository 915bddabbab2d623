/* Where the builder puts instructions: the open regions, and what has been placed in them. */
#ifndef CODEGEN_KERNEL_SCOPE_H
#define CODEGEN_KERNEL_SCOPE_H

#include "codegen/kernel/kernel.h"
#include "ir/map.h"

/* What a region permits: how far out an instruction made inside may go. */
typedef enum cg_opening { CG_OPEN_LOOP, CG_OPEN_MAYBE, CG_OPEN_BRANCH } cg_opening;

typedef struct cg_region_place {
    uint32_t depth, serial;
} cg_region_place;

typedef struct cg_scope {
    ir_map map;
    cg_region_place *at; /* of each value: the region it is in       */
    uint32_t n, cap;
    uint32_t *serial; /* of each open region                      */
    uint8_t *kind;
    uint32_t n_serial, cap_serial, n_kind, cap_kind;
    uint32_t next;
} cg_scope;

void cg_scope_open(cg_build *b, cg_region *r, cg_opening kind);
void cg_scope_close(cg_build *b);
/* A new value that belongs to the open region of that depth, in no list yet. */
cg_val cg_scope_value(cg_build *b, cg_insn x, uint32_t depth);
/* x at the cursor. */
cg_val cg_scope_place(cg_build *b, cg_insn x);
/* The shared instance of an instruction without effect, no further out than `most` permits. */
cg_val cg_scope_share(cg_build *b, cg_insn x, cg_opening most);

#endif
