/* Proof that every reduction of a module takes each of its elements exactly once. */
#ifndef CODEGEN_VERIFY_COVERAGE_H
#define CODEGEN_VERIFY_COVERAGE_H

#include "codegen/kernel/kernel.h"

/* proved: each element is taken once. refuted: an element is taken twice or not at all, or a
 * taken element does not belong to the reduction. open: a bound, a condition or a number is not
 * known. large: the check exceeded its number of steps. */
typedef struct cg_coverage_report {
    int64_t proved, refuted, open, large;
    int64_t elements; /* the elements of the proved reductions */
    /* NULL: no text is wanted; otherwise a line for each reduction that is not proved. */
    ir_buf *text;
    const char *why; /* the first failure, and its line of the program */
    ir_loc loc;
} cg_coverage_report;

void cg_coverage_of(const cg_module *m, ir_arena *arena, cg_coverage_report *r);
/* COT_ERR_INTERNAL if any reduction is refuted or open; the message names the kernel and an
 * element. */
cot_status cg_verify_coverage(const cg_module *m);

#endif
