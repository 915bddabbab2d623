/* This machine's processor, as far as a program has to know it before LLVM is loaded. */
#ifndef CODEGEN_LLVM_PROCESSOR_H
#define CODEGEN_LLVM_PROCESSOR_H

#include <stdbool.h>

#include "ir/digest.h"

/* The leaves of CPUID that name an x86-64 processor, each with its part (ECX); the first two
 * tell which of the others there are. */
#define CG_LL_CPUID_LEAVES                                                                     \
    { 0, 0 }, { 0x80000000, 0 }, { 1, 0 }, { 7, 0 }, { 7, 1 }, { 0xd, 1 }, { 0x14, 0 },        \
        { 0x19, 0 }, { 0x24, 0 }, { 0x80000001, 0 }, { 0x80000008, 0 }

typedef struct cg_ll_processor {
    int vector_bits, registers, dot_bits; /* as those of LLVM's machine for this processor */
    ir_digest name;             /* of all that LLVM's name and features follow from */
} cg_ll_processor;

/* False: LLVM has to be asked. */
bool cg_ll_this_processor(cg_ll_processor *out);

#endif
