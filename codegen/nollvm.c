/* The LLVM back end of a build without LLVM: there is none. */
#include "codegen/backend.h"

const cg_backend *
cg_llvm(void)
{
    return NULL;
}
