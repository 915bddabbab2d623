/* Slow paths that are compiled into the library: programs that few elements need. */
#ifndef CODEGEN_LLVM_SLOW_PATH_H
#define CODEGEN_LLVM_SLOW_PATH_H

#include "ir/scalar.h"

/* A slow path that the library has is a function of this process:
 *     void f(T *out, const uint8_t *wants, const T0 *in0, ..., int64_t lanes)
 * out[l] = program(in0[l], ...) where wants[l] is not 0.  Compiled code refers to it by a
 * name, which the JIT defines. */
enum { CG_LL_MAX_SLOW_PATHS = 64, CG_LL_SLOW_PATH_NAME = 40 };

/* The name for a program; false: the library has no such function.  fast: for a processor with
 * AVX2 and fma. */
bool cg_ll_slow_path_name(const ir_sc_program *p, bool fast, char name[CG_LL_SLOW_PATH_NAME]);
/* Name number i, i from 0, and its function; NULL: there are no more. */
const void *cg_ll_slow_path_row(int i, char name[CG_LL_SLOW_PATH_NAME]);
/* The function of a name; NULL: it names none. */
const void *cg_ll_slow_path_at(const char *name);

#endif
