/* The entry of a module: the order of kernels, and where every buffer lies in the one work
 * block. */
#ifndef CODEGEN_PLAN_PLAN_H
#define CODEGEN_PLAN_PLAN_H

#include "codegen/lowering.h"
#include "codegen/plan/offsets.h"

/* The step at which a loop starts, and how many buffers were in `used` then. */
typedef struct cg_loop_start {
    uint32_t step, used;
} cg_loop_start;

/* Steps are those of the entry.  A buffer that is older than a loop and used in it lives to the
 * loop's end. */
typedef struct cg_plan {
    cg_lifetime *span; /* for each buffer of the entry */
    uint32_t n, cap;
    uint32_t now;
    cg_loop_start *loop; /* the open ones                */
    uint32_t n_loops, cap_loops;
    uint32_t *used; /* buffers at their first uses in open loops, the outermost loop's first */
    uint32_t n_used, cap_used;
    uint32_t frames; /* of levels, so far            */
} cg_plan;

cg_place cg_plan_new(cg_lowering *l, const char *name, const ir_type *t);
void cg_plan_touch(cg_lowering *l, uint32_t buffer);
/* Likewise, and it lives from `since` on. */
void cg_plan_touch_since(cg_lowering *l, uint32_t buffer, uint32_t since);
void cg_plan_loop_begin(cg_lowering *l);
void cg_plan_loop_end(cg_lowering *l);
/* All kernels are known: give each buffer of the entry its offset; the bytes of the block. */
int64_t cg_plan_assign(cg_lowering *l);

/* The place of value x of a level at element offset off (a value of the entry). */
cg_place cg_place_at(cg_lowering *l, cg_place p, cg_val off);
/* Are the two in one buffer, or in buffers that may be the same memory? */
bool cg_may_share(const cg_lowering *l, cg_place x, cg_place y);
void cg_plan_copy(cg_lowering *l, cg_place to, cg_place from, const ir_type *t);

/* Kernels are called: the one in hand, with values of the entry.  An equal one before it is
 * called in its place. */
void cg_kernel_call(cg_lowering *l);
void cg_kernel_call_with(cg_lowering *l, int n_params, const cg_val *params);

/* The word of l->predicate, or another, as a buffer of the kernel in hand. */
uint32_t cg_predicate_buffer(cg_lowering *l, cg_place word, bool out);

#endif
