/* Every reduction of a module takes each of its elements exactly once. */
#ifndef CODEGEN_VERIFY_COVERAGE_H
#define CODEGEN_VERIFY_COVERAGE_H

#include "codegen/kernel/kernel.h"

/* proved: each element is taken once.  refuted: one is taken twice, or not, or is none of the
 * reduction's.  open: a bound, a condition or a number is not known.  large: to know them took
 * too many steps. */
typedef struct cg_coverage_report {
    int64_t proved, refuted, open, large;
    int64_t elements; /* of those that are proved */
    ir_buf *text; /* NULL: none is wanted; else a line for each that is not proved */
    const char *why; /* of the first such one, and the line that it comes from */
    ir_loc loc;
} cg_coverage_report;

void cg_coverage_of(const cg_module *m, ir_arena *arena, cg_coverage_report *r);
/* COT_ERR_INTERNAL if any is refuted or open: the kernel and an element are named. */
cot_status cg_verify_coverage(const cg_module *m);

#endif
