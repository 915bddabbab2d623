/* The entry of a module: the order of kernels, and the offset of every buffer in the work
 * block. */
#ifndef CODEGEN_PLAN_PLAN_H
#define CODEGEN_PLAN_PLAN_H

#include "codegen/lowering.h"
#include "codegen/plan/offsets.h"

/* The step at which a loop starts, and the length of `used` at that step. */
typedef struct cg_loop_start {
    uint32_t step, used;
} cg_loop_start;

/* What is known of a buffer that loops swap with others (swaps.c). */
typedef struct cg_exchanged {
    uint32_t up; /* 1 + its parent in the tree of its group; 0: it is the root */
    uint32_t next; /* the next buffer of its group, as a ring */
    uint32_t spare; /* 1 + the second buffer that it is swapped with; 0: none */
    bool busy; /* it is the second buffer of a loop that is being planned */
    /* of a root: properties of the group */
    uint32_t size;
    uint32_t nest; /* the outermost loop that swapped it last, by number */
    bool out; /* one of its buffers is the caller's */
    bool several; /* more than one of its buffers is used after its loop */
    bool unsettled; /* swapped since it was last settled */
    bool stays; /* never settled: it stays swapped when its loops have ended */
    bool closed; /* it was settled, which is about all of its buffers: no other joins it */
} cg_exchanged;

/* Steps are those of the entry.  A buffer that was first used before a loop and is used in it
 * lives to the end of the loop. */
typedef struct cg_plan {
    cg_lifetime *span; /* lifetime of each buffer of the entry */
    uint32_t n, cap;
    uint32_t now;
    cg_loop_start *loop; /* the open loops */
    uint32_t n_loops, cap_loops;
    /* buffers at their first use in each open loop, those of the outermost loop first */
    uint32_t *used;
    uint32_t n_used, cap_used;
    uint32_t frames; /* number of levels so far */
    cg_exchanged *exchanged; /* the first buffers of the entry, as far as swaps need them */
    uint32_t n_exchanged, cap_exchanged;
    /* the outermost loop, by number, and the step at which it starts */
    uint32_t nest, nest_step;
} cg_plan;

cg_place cg_plan_new(cg_lowering *l, const char *name, const ir_type *t);
/* A buffer of the kernel in such memory, for n elements that only this kernel needs. */
uint32_t cg_work_buffer(cg_lowering *l, const char *place, const char *name, cot_dtype t,
                        int64_t n);
void cg_plan_touch(cg_lowering *l, uint32_t buffer);
/* Likewise, and let its lifetime start at `since`. */
void cg_plan_touch_since(cg_lowering *l, uint32_t buffer, uint32_t since);
void cg_plan_loop_begin(cg_lowering *l);
void cg_plan_loop_end(cg_lowering *l);

/* swaps.c.  Find a second buffer for the value at p: each step of a loop reads p and writes the
 * next value to the second buffer, then the two are swapped.  False where a copy is used
 * instead: on a GPU, for small values, and for parts of buffers. */
bool cg_plan_spare(cg_lowering *l, cg_place p, const ir_type *t, cg_place *spare);
/* The step is planned, so the buffer may serve the next loop over p. */
void cg_plan_spare_done(cg_lowering *l, cg_place spare);
/* May x and y, of type t, be swapped?  Both are carries, or y is a second buffer of x. */
bool cg_plan_may_swap(cg_lowering *l, cg_place x, cg_place y, const ir_type *t, bool carries);
void cg_plan_swap(cg_lowering *l, cg_place x, cg_place y, bool carries);
/* After the outermost loop, bring its n carries back to their own memory.  Inside other loops
 * it does nothing. */
void cg_plan_settle(cg_lowering *l, int n, const cg_place *to);
/* Let the buffers that swaps permute live equally long; called before cg_plan_assign. */
void cg_plan_join_spans(cg_lowering *l);
/* Assign the offset of every buffer of the entry, once all kernels are known; returns the bytes
 * of the block. */
int64_t cg_plan_assign(cg_lowering *l);

/* Are the two in one buffer, or in buffers that may be the same memory? */
bool cg_may_share(const cg_lowering *l, cg_place x, cg_place y);
void cg_plan_copy(cg_lowering *l, cg_place to, cg_place from, const ir_type *t);

/* Call the current kernel, with parameters that are values of the entry.  If an equal kernel
 * exists, that one is called. */
void cg_kernel_call(cg_lowering *l);
void cg_kernel_call_with(cg_lowering *l, int n_params, const cg_val *params);

/* The word of l->predicate, or another one, as a buffer of the current kernel. */
uint32_t cg_predicate_buffer(cg_lowering *l, cg_place word, bool out);

#endif
