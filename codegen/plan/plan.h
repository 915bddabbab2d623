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

/* What is known of a buffer that loops exchange with others (swaps.c). */
typedef struct cg_exchanged {
    uint32_t up; /* 1 + a buffer of its group that is nearer to the root; 0: it is the root */
    uint32_t next; /* of its group, which is a ring                                       */
    uint32_t spare; /* 1 + the buffer that is exchanged with it; 0: none                   */
    bool busy; /* it is the second buffer of a loop that is being planned             */
    /* of a root, what holds of the group */
    uint32_t size;
    uint32_t nest; /* the outermost loop, by its number, that swapped last                */
    bool out; /* one is handed over by the caller                                    */
    bool several; /* more than one lives on after its loop                               */
    bool unsettled; /* swapped since it was settled                                        */
    bool stays; /* as it is, when its loops have ended                                 */
} cg_exchanged;

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
    cg_exchanged *exchanged; /* of the first buffers of the entry */
    uint32_t n_exchanged, cap_exchanged;
    uint32_t nest, nest_step; /* the outermost loop, by its number, and where it began */
} cg_plan;

cg_place cg_plan_new(cg_lowering *l, const char *name, const ir_type *t);
void cg_plan_touch(cg_lowering *l, uint32_t buffer);
/* Likewise, and it lives from `since` on. */
void cg_plan_touch_since(cg_lowering *l, uint32_t buffer, uint32_t since);
void cg_plan_loop_begin(cg_lowering *l);
void cg_plan_loop_end(cg_lowering *l);

/* swaps.c.  A second buffer for what is at p, which the steps of a loop read while they make
 * the next value in the other: memory that is exchanged with p's at the end of each.  False
 * where there is none: on a GPU, for small values and parts of buffers. */
bool cg_plan_spare(cg_lowering *l, cg_place p, const ir_type *t, cg_place *spare);
/* The step is planned: the same buffer may serve the next loop at p. */
void cg_plan_spare_done(cg_lowering *l, cg_place spare);
/* May x and y, of type t, be exchanged by swaps?  Both are carries, or y is a spare buffer of
 * x. */
bool cg_plan_may_swap(cg_lowering *l, cg_place x, cg_place y, const ir_type *t, bool carries);
void cg_plan_swap(cg_lowering *l, cg_place x, cg_place y, bool carries);
/* After a loop: where no other is around it, its n carries come back to their own memory. */
void cg_plan_settle(cg_lowering *l, int n, const cg_place *to);
/* Buffers that are exchanged live as long as each other: before cg_plan_assign. */
void cg_plan_join_spans(cg_lowering *l);
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
