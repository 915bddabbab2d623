/* The table of the LLVM back end. */
#include "codegen/llvm/llvm.h"

const cg_backend *
cg_llvm(void)
{
    static const cg_backend backend = { .name = "llvm",
                                        .target = cg_ll_target,
                                        .name_target = cg_ll_name_target,
                                        .load = cg_ll_load,
                                        .find = cg_ll_find,
                                        .unload = cg_ll_unload,
                                        .guard_forks = cg_ll_guard_forks,
                                        .natural = cg_ll_natural,
                                        .emit = cg_ll_write,
                                        .emit_versions = cg_ll_write_versions };

    return &backend;
}
