/* Places of a sub-function's values, for calls, branches and loops. */
#ifndef CODEGEN_LOWER_SUBGRAPH_H
#define CODEGEN_LOWER_SUBGRAPH_H

#include "codegen/lower/level.h"

bool cg_same_place(cg_place x, cg_place y);
/* The places of the results of node n: in the memory of operands that the level owns and that
 * are dead afterwards, if n may overwrite them. */
cg_place *cg_place_results(cg_lowering *l, cg_level *v, const ir_node *n);
cg_place *cg_operand_places(cg_lowering *l, const cg_level *v, const ir_node *n);

/* Give x a place that the level must not overwrite. */
void cg_lend(cg_level *to, ir_ref x, cg_place p);
/* Let outputs be computed in their places; copy those that were not. */
void cg_aim_outputs(cg_level *b, const cg_place *to);
void cg_copy_outputs(cg_lowering *l, const cg_level *b, const cg_place *to);
/* Plan f on operands in memory, with results in `to`. */
cg_plan_body cg_plan_sub;

/* How results that were not computed in place get there: they are copied, or selected for the
 * examples of a branch, except for those that are written under a mask. */
typedef struct cg_ending {
    bool chooses;
    cg_place when;
    const ir_type *p;
    int64_t branch, branches;
    const cg_masked *const *mask;
    /* by carry: the second buffer that the step writes it to; not set: none */
    const cg_place *spare;
} cg_ending;

bool cg_is_chosen(const cg_ending *e, int i);
/* Let output x be computed in the memory of input c, if possible. */
void cg_aim_carry(cg_lowering *l, cg_level *b, ir_ref x, ir_ref c);
/* Let the parts in which output x differs from input c be written under a mask. */
void cg_mask_parts(cg_lowering *l, cg_level *b, ir_ref x, ir_ref c, const cg_masked *mask);
/* The masks under which the parts of each result of n are written. */
const cg_masked **cg_masks_of(cg_lowering *l, const cg_level *v, const ir_node *n,
                              const cg_masked *own);
/* Give other memory to outputs that cannot be computed in place and fill a whole buffer: that
 * of a carry whose value becomes another carry, or a second buffer.  Returns the second buffer
 * of each carry.  The carries are inputs first, first + 1, ... of the level.  Called before its
 * kernels are planned. */
const cg_place *cg_aim_spares(cg_lowering *l, cg_level *b, int first, int carries,
                              const cg_place *to, const cg_ending *e);
/* Swap, copy or select the new values that were not computed in place. */
void cg_end_step(cg_lowering *l, const cg_level *b, int carries, const cg_place *to,
                 const cg_ending *e);

/* shared_scan.c.  Plan a scan whose steps threads share; false: it has carries, or they do
 * not. */
bool cg_plan_shared_scan(cg_lowering *l, const cg_level *v, const ir_node *n,
                         const cg_place *in, const cg_place *to);

/* choose.c.  Copy to `to` the examples of `from` whose predicate selects `branch`. */
void cg_plan_choose(cg_lowering *l, cg_place to, cg_place from, const ir_type *t, cg_place when,
                    const ir_type *p, int64_t branch, int64_t branches);
/* Is any example active?  A BOOL of the entry. */
cg_val cg_plan_any(cg_lowering *l, cg_place p, const ir_type *t);

#endif
