/* Memory for proofs. */
#ifndef CODEGEN_VERIFY_SCRATCH_H
#define CODEGEN_VERIFY_SCRATCH_H

#include "codegen/kernel/kernel.h"

typedef struct cg_scratch {
    ir_arena module, kernel, proof; /* for all kernels, for one kernel, for one proof */
} cg_scratch;

typedef cot_status cg_scratch_use(const cg_module *m, cg_scratch *s, void *user);

/* Calls `use` and returns its status.  The memory is freed afterwards, also if `use` runs out
 * of memory; then the longjmp continues. */
cot_status cg_with_scratch(const cg_module *m, cg_scratch_use *use, void *user);

#endif
