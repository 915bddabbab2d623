/* The LLVM back end, inside.  Nothing outside codegen/llvm includes this or any LLVM header.
 *
 * door.c    LLVM as a whole: start, target machines, diagnostics, the back end's table; cpus.c
 * names of processors module.c  a kernel module to an LLVM module: functions, entries,
 * constants emit.c    regions and loops; control.c if, while, rare; reduce.c folds and trees;
 * parallel.c scalar.c  the scalar instructions; memory.c loads and stores jit.c     code in
 * this process; aot.c object files and text */
#ifndef CODEGEN_LLVM_LLVM_H
#define CODEGEN_LLVM_LLVM_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/backend.h"

/* A processor as the emitter sees it. */
typedef struct cg_ll_machine {
    struct cg_ll_machine *next;
    LLVMTargetMachineRef tm;
    char *triple, *cpu, *features;
    bool x86;
    bool avx2; /* pairs of i16 by eights */
    bool fma, round, half, masked,
        masked_small; /* in hardware: fma; floor and its kin; f16 to f32 and back;
                         masked loads of 32 and 64 bits; of 8 and 16 */
    int vector_bits, registers;
} cg_ll_machine;

/* What a context keeps: its target machines and its JIT. */
typedef struct cg_ll_session {
    cot_context *ctx;
    cg_ll_machine *machine;
    struct cg_ll_jit *jit;
} cg_ll_session;

cg_ll_session *cg_ll_session_of(cot_context *ctx);
/* The machine for a target, made once; NULL with the error recorded. */
const cg_ll_machine *cg_ll_machine_of(cot_context *ctx, const cg_target *t);
cot_status cg_ll_known(cot_context *ctx, const char *triple, const char *cpu);
cot_status cg_ll_fail(cot_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One LLVM module under construction. */
typedef struct cg_ll_module {
    cot_context *ctx;
    ir_arena *arena; /* scratch */
    const cg_ll_machine *machine;
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, none;
    int errors; /* counted by the diagnostic handler */
    char first_error[256];
    LLVMValueRef zeros;          /* what loads read that must not read */
    struct cg_ll_shared *shared; /* constants and outlined programs, by address */
    uint32_t n_shared, cap_shared;
    int serial;
    bool in_process; /* foreign functions are called by address */
} cg_ll_module;

typedef struct cg_ll_shared {
    const void *key;
    int64_t width;
    LLVMValueRef value;
} cg_ll_shared;

/* cpu.c: a name that code generation takes. */
bool cg_ll_cpu_known(const char *triple, const char *cpu);

cot_status cg_ll_module_begin(cg_ll_module *l, cot_context *ctx, ir_arena *scratch,
                              const cg_ll_machine *machine, const char *name);
void cg_ll_module_free(cg_ll_module *l);
/* Add a kernel module: its entry under the name `entry`, and its natural entry if that is not
 * NULL.  visible: the entry can be called from outside. */
cot_status cg_ll_module_add(cg_ll_module *l, const cg_module *m, const char *entry,
                            bool visible, const char *natural, int n_args);
/* Run the IR passes. */
cot_status cg_ll_module_finish(cg_ll_module *l);
LLVMValueRef cg_ll_constant_data(cg_ll_module *l, const void *data, int64_t bytes);
LLVMValueRef cg_ll_function(cg_ll_module *l, const char *name, LLVMTypeRef type, bool visible);
LLVMValueRef cg_ll_intrinsic(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n_types,
                             LLVMTypeRef *types, int n, LLVMValueRef *args);
LLVMTypeRef cg_ll_type(const cg_ll_module *l, cot_dtype t);
LLVMTypeRef cg_ll_storage(const cg_ll_module *l, cot_dtype t); /* of an element in memory */
LLVMValueRef cg_ll_bits(const cg_ll_module *l, cot_dtype t, uint64_t bits);

cot_status cg_ll_load(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
void cg_ll_unload(cg_code *code);
void cg_ll_jit_release(struct cg_ll_jit *jit);
cot_status cg_ll_write(cot_context *ctx, const cg_target *t, cg_output what, int n,
                       const cg_natural *fn, ir_arena *arena, const void **bytes, size_t *size);

#endif
