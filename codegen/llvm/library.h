/* LLVM's C interface, from a library that is loaded at the first compilation.
 *
 * A file of codegen/llvm calls LLVMAddFunction and the others by their names; here each name
 * becomes a field of one table of addresses, which cg_ll_load_library fills.  So a process that
 * compiles nothing loads nothing of LLVM, and one without LLVM still evaluates and writes C. */
#ifndef CODEGEN_LLVM_LIBRARY_H
#define CODEGEN_LLVM_LIBRARY_H

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/LLJITUtils.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Object.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include "ir/context.h"

typedef struct cg_ll_functions {
#define FUNCTION(name) __typeof__(name) *name;
#include "codegen/llvm_functions.def"
#undef FUNCTION
} cg_ll_functions;

extern cg_ll_functions cg_ll_llvm;

#include "codegen/llvm_functions.h"

/* Load LLVM, once in a process, from any thread; true: the table is filled.  Otherwise the
 * error is recorded.  Called before anything else of LLVM. */
bool cg_ll_load_library(cot_context *ctx);
/* The build id of the library that is loaded, or would be, as cg_build_of gives it: where its
 * file tells, nothing is loaded.  NULL: there is none, or no library. */
const char *cg_ll_build(ir_arena *arena);
/* Show the library's symbols to the whole process, as LLVM's registration of code for debuggers
 * looks for its own functions there. */
void cg_ll_show_library(void);
/* Initialise the code generator of this name, "X86", if this LLVM was built with it. */
void cg_ll_start_target(const char *name);

#endif
