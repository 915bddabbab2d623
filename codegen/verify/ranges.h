/* What an emitter touches is what the kernel's text allows.
 *
 * The proof of bounds is about the text of a kernel.  An emitter makes vectors of it, which it
 * may widen, and applies conditions by masks, branches and addresses.  It reports each load and
 * store that it emits: the elements, and the conditions that it has applied there.  The checker
 * takes it if the elements lie among those that the instruction touches in the lanes and copies
 * that the load or store stands for, and all conditions around the instruction are among the
 * applied ones.
 *
 * Where a condition is made into a mask, it is noted (cg_applied); where masks are combined, so
 * are the notes. So what a load or store has applied is known from the mask that it was given,
 * and a mask that was forgotten is noticed. */
#ifndef CODEGEN_VERIFY_RANGES_H
#define CODEGEN_VERIFY_RANGES_H

#include "codegen/kernel/kernel.h"

/* Conditions that are applied: v or its opposite, and those of both parts.  The limit of a loop
 * is named by the loop's variable. */
typedef struct cg_applied {
    cg_val v;
    bool holds;
    bool any; /* it is asked of any lane, not of the one that touches */
    const struct cg_applied *part[2];
} cg_applied;

/* The elements first ... first + count - 1, counted from the one that the access has in the
 * first of the lanes that the vector stands for, and in copy 0 of `copies`. */
typedef struct cg_touched {
    cg_val access; /* CG_LOAD or CG_STORE, the first of them                */
    int side_by_side; /* of so many such, of neighbours; -2: and of the one before */
    int lane, lanes; /* it stands for lane ... lane + lanes - 1; 0 lanes mean 1 */
    int64_t step; /* of the lanes, where the text does not show it          */
    const cg_block *copies; /* an unroll loop of whose copies it has elements, or NULL */
    int64_t first, count;
    const cg_applied *by;
} cg_touched;

typedef struct cg_ranges cg_ranges;

cg_ranges *cg_ranges_of(const cg_kernel *k, ir_arena *arena);
const cg_applied *cg_apply(cg_ranges *r, cg_val v, bool holds);
const cg_applied *cg_apply_both(cg_ranges *r, const cg_applied *x, const cg_applied *y);
const cg_applied *cg_apply_any(cg_ranges *r, const cg_applied *x);
void cg_report(cg_ranges *r, const cg_touched *x);
/* What is wrong with the first report that is refused, and the line that it comes from; NULL:
 * none was. */
const char *cg_ranges_why(const cg_ranges *r, ir_loc *loc);

#endif
