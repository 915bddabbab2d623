/* The memory of a proof. */
#ifndef CODEGEN_VERIFY_SCRATCH_H
#define CODEGEN_VERIFY_SCRATCH_H

#include "codegen/kernel/kernel.h"

typedef struct cg_scratch {
    ir_arena module, kernel, proof; /* of all kernels, of one, and of one proof */
} cg_scratch;

typedef cot_status cg_scratch_use(const cg_module *m, cg_scratch *s, void *user);

/* Answers what `use` does.  The memory is freed afterwards, also where memory runs short; then
 * the jump goes on. */
cot_status cg_with_scratch(const cg_module *m, cg_scratch_use *use, void *user);

#endif
