/* The scopes of the builder: the open regions, and the instructions that were placed in
 * them. */
#ifndef CODEGEN_KERNEL_SCOPE_H
#define CODEGEN_KERNEL_SCOPE_H

#include "codegen/kernel/kernel.h"
#include "ir/map.h"

/* How far out instructions may move: out of certain loops only, out of whiles and loops that
 * may not run, or out of branches as well. */
typedef enum cg_opening { CG_OPEN_LOOP, CG_OPEN_MAYBE, CG_OPEN_BRANCH } cg_opening;

typedef struct cg_region_place {
    uint32_t depth, serial;
} cg_region_place;

typedef struct cg_scope {
    ir_map map;
    cg_region_place *at; /* by value: the region that contains it */
    uint32_t n, cap;
    uint32_t *serial; /* numbers of the open regions */
    uint8_t *kind;
    uint32_t n_serial, cap_serial, n_kind, cap_kind;
    uint32_t next;
} cg_scope;

void cg_scope_open(cg_build *b, cg_region *r, cg_opening kind);
void cg_scope_close(cg_build *b);
/* The innermost open region; is that region open? */
static inline cg_region_place
cg_scope_now(const cg_build *b)
{
    return (cg_region_place){ b->n_open - 1, b->scope->serial[b->n_open - 1] };
}

static inline bool
cg_scope_is_open(const cg_build *b, cg_region_place r)
{
    return r.depth < b->n_open && b->scope->serial[r.depth] == r.serial;
}
/* A new value of the open region at that depth; it is in no list yet. */
cg_val cg_scope_value(cg_build *b, cg_insn x, uint32_t depth);
/* Append x at the cursor. */
cg_val cg_scope_place(cg_build *b, cg_insn x);
/* Append x to the region around the innermost open one. */
cg_val cg_scope_place_around(cg_build *b, cg_insn x);
/* Make v, a value of the body of a loop, a carry of it. */
void cg_scope_carry(cg_build *b, cg_val loop, cg_val v, cot_dtype t, cg_val init);
/* The shared instance of an instruction without effect, moved no further out than `most`
 * permits. */
cg_val cg_scope_share(cg_build *b, cg_insn x, cg_opening most);

#endif
