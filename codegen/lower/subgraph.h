/* What calls, branches and loops share: the places of a sub-function's values. */
#ifndef CODEGEN_LOWER_SUBGRAPH_H
#define CODEGEN_LOWER_SUBGRAPH_H

#include "codegen/lower/level.h"

bool cg_same_place(cg_place x, cg_place y);
/* The results of node n, in memory: over operands that the level owns and that die here. */
cg_place *cg_place_results(cg_lowering *l, cg_level *v, const ir_node *n);
cg_place *cg_operand_places(cg_lowering *l, const cg_level *v, const ir_node *n);

/* x has a place that the level may not write over. */
void cg_lend(cg_level *to, ir_ref x, cg_place p);
/* Let outputs be computed at their places; copy those that were not. */
void cg_aim_outputs(cg_level *b, const cg_place *to);
void cg_copy_outputs(cg_lowering *l, const cg_level *b, const cg_place *to);
/* f on operands that are in memory, results to `to`. */
cg_plan_body cg_plan_sub;

/* How results that are not where they belong get there: copied; or chosen for the examples
 * of a branch, all but those that are written under a mask. */
typedef struct cg_ending {
    bool chooses;
    cg_place when;
    const ir_type *p;
    int64_t branch, branches;
    const cg_masked *const *mask;
    /* of each carry of a loop: the second buffer that the step makes it in; not set: none */
    const cg_place *spare;
} cg_ending;

bool cg_is_chosen(const cg_ending *e, int i);
/* Let output x be computed over input c; but for parts, which are written under a mask. */
void cg_aim_carry(cg_lowering *l, cg_level *b, ir_ref x, ir_ref c);
void cg_mask_parts(cg_level *b, ir_ref x, ir_ref c, const cg_masked *mask);
const cg_masked **cg_masks_of(cg_lowering *l, const cg_level *v, const ir_node *n,
                              const cg_masked *own);
/* Outputs that cannot be, and are all of a buffer: in that of a carry whose value moves on, or
 * in a second buffer.  Of each carry the latter, where it has one.  The carries are inputs
 * first, first + 1, ... of the level; before its kernels are planned. */
const cg_place *cg_aim_spares(cg_lowering *l, cg_level *b, int first, int carries,
                              const cg_place *to, const cg_ending *e);
/* What was not computed in place is swapped with it, copied, or chosen. */
void cg_end_step(cg_lowering *l, const cg_level *b, int carries, const cg_place *to,
                 const cg_ending *e);

/* choose.c: to = the examples of from whose predicate says `branch`; is any example active, as
 * a BOOL of the entry? */
void cg_plan_choose(cg_lowering *l, cg_place to, cg_place from, const ir_type *t, cg_place when,
                    const ir_type *p, int64_t branch, int64_t branches);
cg_val cg_plan_any(cg_lowering *l, cg_place p, const ir_type *t);

#endif
