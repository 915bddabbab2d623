/* What holds of the buffers of a kernel that swaps exchange. */
#ifndef CODEGEN_VERIFY_SWAPPED_H
#define CODEGEN_VERIFY_SWAPPED_H

#include "codegen/kernel/kernel.h"

/* What is wrong with them; NULL: nothing. */
const char *cg_check_swapped(const cg_kernel *k, const cg_swapped *s, ir_arena *scratch);

#endif
