/* Programs that kernels hardly ever need, as functions of the library. */
#ifndef CODEGEN_LLVM_SLOW_PATH_H
#define CODEGEN_LLVM_SLOW_PATH_H

#include "ir/scalar.h"

/* The function for a slow path, NULL if the library has none:
 *     void f(T *out, const uint8_t *wants, const T0 *in0, ..., int64_t lanes)
 * out[l] = program(in0[l], ...) where wants[l] is not 0.  fast: for a processor with AVX2 and
 * fma. */
const void *cg_ll_slow_path_at(const ir_sc_program *p, bool fast);

#endif
