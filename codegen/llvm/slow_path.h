/* Slow paths that are compiled into the library: programs that few elements need. */
#ifndef CODEGEN_LLVM_SLOW_PATH_H
#define CODEGEN_LLVM_SLOW_PATH_H

#include "ir/scalar.h"

/* Returns the library's function for a slow path, NULL if there is none:
 *
 *     void f(T *out, const uint8_t *wants, const T0 *in0, ..., int64_t lanes)
 *
 * It sets out[l] = program(in0[l], ...) where wants[l] is not 0. fast: for processors with AVX2
 * and fma. */
const void *cg_ll_slow_path_at(const ir_sc_program *p, bool fast);

#endif
