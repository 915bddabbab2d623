/* Built without LLVM: there is no such back end. */
#include "codegen/backend.h"

const cg_backend *
cg_llvm(void)
{
    return NULL;
}
