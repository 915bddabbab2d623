/* Branches and loops that the GPU decides by itself: kernels that look at a word of its memory
 * and do nothing where it does not hold. */
#ifndef CODEGEN_LOWER_GUARD_H
#define CODEGEN_LOWER_GUARD_H

#include "codegen/plan.h"

enum { CG_CHUNK = 8 };          /* turns of a loop between two looks of the host */

/* Is cond or while n, of f, planned so?  Where few launches make its regions and none needs the
 * host; within a region that is, always. */
bool cg_is_guarded(cg_lowering *l, const ir_graph *f, const ir_node *n);

/* What is planned from here on, until l->guard is set back, runs where the word holds. */

/* For each branch the word that says whether the index, in memory, chooses it. */
cg_place *cg_guard_branches(cg_lowering *l, cg_place when, const ir_type *index, int branches);

/* The turns of a while. */
typedef struct cg_turns {
    cg_place word;              /* it goes on                                   */
    cg_place test;              /* the predicate, which may have a leading axis */
    cg_place count;             /* turns so far, where they are bounded         */
    int64_t max;                /* 0: they are not                              */
    const ir_type *p;           /* of the predicate                             */
} cg_turns;

cg_turns cg_turns_begin(cg_lowering *l, const ir_node *n, const ir_type *p);
/* The word, of itself and the test. */
void cg_turns_next(cg_lowering *l, const cg_turns *t);

/* plan.c: the kernel in hand asks for l->guard; a copy as a kernel that does. */
void cg_guard_kernel(cg_lowering *l);
void cg_guarded_copy(cg_lowering *l, cg_place to, cg_place from, const ir_type *t);

#endif
