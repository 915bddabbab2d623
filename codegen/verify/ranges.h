/* Checks that the accesses an emitter generates are allowed by the kernel.
 *
 * The proof of bounds is about the text of a kernel.  An emitter turns accesses into vectors,
 * which may include further elements, and turns conditions into masks, branches and addresses.
 * It reports each load and store that it generates: the elements, and the conditions that apply
 * there.  The checker accepts it if the elements are among those that the instruction touches
 * in the reported lanes and copies, and if the applied conditions include all conditions around
 * the instruction.
 *
 * A condition is recorded (cg_applied) where it becomes a mask, and records are combined where
 * masks are.  So the conditions of an access follow from the mask that it uses, and a forgotten
 * mask is detected. */
#ifndef CODEGEN_VERIFY_RANGES_H
#define CODEGEN_VERIFY_RANGES_H

#include "codegen/kernel/kernel.h"

/* Applied conditions: v or its negation, and those of both parts.  The limit of a loop is
 * represented by the loop's variable. */
typedef struct cg_applied {
    cg_val v;
    bool holds;
    bool any; /* it holds for any lane, not necessarily for the one that accesses memory */
    const struct cg_applied *part[2];
} cg_applied;

/* The elements first ... first + count - 1, relative to the element of the access in the first
 * reported lane, and in copy 0 of `copies`. */
typedef struct cg_touched {
    cg_val access; /* CG_LOAD or CG_STORE; the first of them */
    /* This many accesses of adjacent elements at once; -2: with the element before. */
    int adjacent;
    int lane, lanes;        /* for the lanes lane ... lane + lanes - 1; lanes 0 means 1 */
    int64_t step;           /* from lane to lane, where the kernel's text does not show it */
    const cg_block *copies; /* an unroll loop all of whose copies are accessed, or NULL */
    int64_t first, count;
    const cg_applied *by;
} cg_touched;

typedef struct cg_ranges cg_ranges;

cg_ranges *cg_ranges_of(const cg_kernel *k, ir_arena *arena);
const cg_applied *cg_apply(cg_ranges *r, cg_val v, bool holds);
const cg_applied *cg_apply_both(cg_ranges *r, const cg_applied *x, const cg_applied *y);
const cg_applied *cg_apply_any(cg_ranges *r, const cg_applied *x);
void cg_report(cg_ranges *r, const cg_touched *x);
/* What is wrong with the first refused report, and its line of the program; NULL: nothing. */
const char *cg_ranges_why(const cg_ranges *r, ir_loc *loc);

#endif
