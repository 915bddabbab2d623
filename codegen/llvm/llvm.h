/* The LLVM back end, inside.  Nothing outside codegen/llvm includes this or any LLVM header.
 *
 * backend.c   the back end's table
 * session.c   what a context keeps of LLVM; target.c target machines; cpu.c names of
 *             processors and features; fatal.c errors that would end the process
 * module.c    an LLVM module: types, constants, passes; builtin.c what a bare machine lacks;
 *             debug.c lines
 * function.c  functions of kernels, entries
 * values.c    copies, lanes and masks of a kernel's values
 * emit.c      regions and loops; control.c if, while, slow paths; reduce.c folds and trees;
 *             parallel.c parallel loops and calls; extern.c calls of C functions
 * scalar.c the scalar instructions; slow_path.c programs hardly ever needed; soft.c those that
 * a
 *             machine lacks
 * memory.c    loads and stores; shuffle.c vectors in other orders; move.c copies
 * ptx.c       kernels for GPUs; threads.c their threads; tensor.c tensor cores, copies in the
 *             background
 * jit.c code in this process; parallel_compile.c by several threads; perf.c names for perf;
 *             isolate.c LLVM in a child process
 * aot.c       object files and text; multiversion.c an object for several processors */
#ifndef CODEGEN_LLVM_LLVM_H
#define CODEGEN_LLVM_LLVM_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "codegen/backend.h"
#include "codegen/tuning.h"

typedef enum cg_ll_arch {
    CG_LL_X86,
    CG_LL_AARCH64,
    CG_LL_RISCV64,
    CG_LL_ARM,
    CG_LL_WASM,
    CG_LL_NVPTX
} cg_ll_arch;

enum { CG_LL_COMPILE_THREADS = CG_LLVM_COMPILE_THREADS }; /* at most */

/* A processor as the emitter sees it. */
typedef struct cg_ll_machine {
    struct cg_ll_machine *next;
    struct cg_ll_machine
        *like[CG_LL_COMPILE_THREADS]; /* the same for other threads; [0] is NULL */
    LLVMTargetMachineRef tm;
    char *triple, *cpu, *features;
    cg_ll_arch arch;
    bool x86;
    bool avx2;       /* pairs of i16 by eights */
    bool grid;       /* a GPU: ptx.c */
    bool alone;      /* no C library: what would be memcpy is in the object */
    /* in hardware: fma; square roots; floor and its kin; f16 to f32 and back; maximum and
     * minimum; masked loads of 32 and 64 bits; of 8 and 16 */
    bool fma32, fma64, root32, root64, round, half, extreme, masked, masked_small;
    int vector_bits, registers;
} cg_ll_machine;

/* What a context keeps: its target machines and its JIT, and what LLVM says of this machine's
 * processor: asking it takes time. */
typedef struct cg_ll_session {
    cot_context *ctx;
    cg_ll_machine *machine;
    const char *host_cpu, *host_features;
    struct cg_ll_jit *jit;
    void (*jit_release)(struct cg_ll_jit *jit); /* set with jit */
} cg_ll_session;

cg_ll_session *cg_ll_session_of(cot_context *ctx);
/* Make LLVM's code generator of this name ready, if this LLVM has it. */
void cg_ll_start_target(const char *name);
/* The machine for a target, made once; NULL with the error recorded. */
const cg_ll_machine *cg_ll_machine_of(cot_context *ctx, const cg_target *t);
/* Fill what the caller left open in t. */
cot_status cg_ll_target(cot_context *ctx, cg_target *t);
/* Machine number i like m, i > 0, for another thread: one at a time may use it.  NULL: there
 * is none. */
const cg_ll_machine *cg_ll_machine_like(cot_context *ctx, const cg_ll_machine *m, int i);
/* LLVM gave up while it used the machine: it is never used again, nor freed. */
void cg_ll_forget_machine(cot_context *ctx, const cg_ll_machine *machine);
cot_status cg_ll_fail(cot_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct cg_ll_debug cg_ll_debug;

/* The function that instructions are placed in, and the line and file they come from. */
typedef struct cg_ll_scope {
    LLVMMetadataRef function, scope;
    const char *file, *scope_file;
    int line;
} cg_ll_scope;

/* One LLVM module under construction. */
typedef struct cg_ll_module {
    cot_context *ctx;
    ir_arena *arena; /* scratch */
    const cg_ll_machine *machine;
    LLVMContextRef llvm;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, f16, f32, f64, ptr, none;
    int errors;
    char first_error[512];
    const char *refused; /* by the checker of what is touched: a mistake of ours; or NULL */
    ir_loc refused_at;
    bool died;                   /* LLVM gave up: none of it may be touched again */
    LLVMValueRef zeros;          /* what loads read that must not read */
    struct cg_ll_shared *shared; /* constants and outlined programs, by address */
    uint32_t n_shared, cap_shared;
    int serial;
    cg_ll_debug *debug; /* NULL: no lines */
    bool in_process; /* foreign functions are called by address */
    bool trapping_math; /* of the kernels that are added: see cg_module */
} cg_ll_module;

typedef struct cg_ll_shared {
    const void *key;
    int64_t width;
    LLVMValueRef value;
} cg_ll_shared;

/* cpu.c: a name that code generation takes; the first of a list of features that is none, or
 * NULL. */
bool cg_ll_cpu_known(cg_ll_arch arch, const char *cpu);
const char *cg_ll_feature_unknown(cg_ll_arch arch, const char *features);

/* debug.c.  Nothing happens where no lines are wanted.  What follows enter belongs to fn (NULL:
 * to a function that has no lines) until leave, which is given what enter answered. */
void cg_ll_debug_begin(cg_ll_module *l, const char *name);
void cg_ll_debug_end(cg_ll_module *l);
cg_ll_scope cg_ll_debug_enter(cg_ll_module *l, LLVMValueRef fn, const char *name, ir_loc loc);
void cg_ll_debug_leave(cg_ll_module *l, cg_ll_scope outer);
void cg_ll_debug_at(cg_ll_module *l, ir_loc loc);

/* builtin.c: call a function of the object's own; its name begins with "cot.". */
LLVMValueRef cg_ll_builtin(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n,
                           LLVMValueRef *args);
/* Link LLVM's text into the module. */
cot_status cg_ll_link_text(cg_ll_module *l, const char *text);

/* isolate.c: run what makes objects of modules, in a child process if the context is
 * isolated.  A job fills the *n and object[] that cg_ll_run is given; the parent has the
 * same ones after it. LLVM is used between enter and leave only: a fork waits for all that
 * are inside, and they do not nest.  *inside says whether a jump left something to leave. */
typedef cot_status cg_ll_job(cot_context *ctx, void *arg);
void cg_ll_enter(volatile bool *inside);
void cg_ll_leave(volatile bool *inside);
cot_status cg_ll_run(cot_context *ctx, cg_ll_job *job, void *arg, int *n,
                     LLVMMemoryBufferRef *object, volatile bool *inside);

/* fatal.c: what would end the process is an error.  Emit a module; true: it failed, with LLVM's
 * message, or with `died` if LLVM gave up: then neither module, context nor machine may be
 * touched again. */
enum { CG_LL_FATAL = 256 };
void cg_ll_catch_fatal_errors(void);
/* Run body on a thread that has CG_LL_STACK bytes of stack, and wait for it. */
enum { CG_LL_STACK = CG_LLVM_STACK_BYTES };
void cg_ll_with_stack(void body(void *arg), void *arg);
bool cg_ll_emit_file(LLVMTargetMachineRef tm, LLVMModuleRef module, LLVMCodeGenFileType kind,
                     char died[CG_LL_FATAL], char **message, LLVMMemoryBufferRef *out);

cot_status cg_ll_module_begin(cg_ll_module *l, cot_context *ctx, ir_arena *scratch,
                              const cg_ll_machine *machine, const char *name, bool debug);
void cg_ll_module_free(cg_ll_module *l);
/* Add a kernel module: its entry under the name `entry`, and its natural entry if that is not
 * NULL.  visible: the entry can be called from outside. */
cot_status cg_ll_module_add(cg_ll_module *l, const cg_module *m, const char *entry,
                            bool visible, const char *natural, int n_args);
/* Those kernels of m with share_of[kernel] == share, of which kernel 0 is the entry; the others
 * are to be linked. */
void cg_ll_module_share(cg_ll_module *l, const cg_module *m, const char *entry,
                        const int *share_of, int share);
/* parallel_compile.c: the machine code of a module, made by threads: an object for each, to
 * be linked. */
typedef struct cg_ll_parallel_build {
    int n;
    cg_ll_module l[CG_LL_COMPILE_THREADS];
    LLVMMemoryBufferRef object[CG_LL_COMPILE_THREADS];
} cg_ll_parallel_build;
cot_status cg_ll_compile_in_parallel(cg_ll_parallel_build *t, cot_context *ctx,
                                     ir_arena *scratch, const cg_ll_machine *machine,
                                     const cg_module *m, const char *entry, bool debug);
void cg_ll_parallel_build_free(cg_ll_parallel_build *t);
/* ptx.c: the kernels of a module for GPUs, under names that begin with that of the function. */
cot_status cg_ll_ptx_add(cg_ll_module *l, const cg_module *m, const char *name);
/* Bytes of the parameters of a kernel's entry point. */
int64_t cg_ll_ptx_parameters(const cg_kernel *k);
/* Run the IR passes; then machine code.  Neither touches anything but the module and its
 * machine's tm, so that any thread may do it; false: it failed, as cg_ll_module_status reports
 * when the thread that owns the context asks. */
bool cg_ll_optimise(cg_ll_module *l);
bool cg_ll_cancelled(const cg_ll_module *l);
bool cg_ll_make_code(cg_ll_module *l, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out);
cot_status cg_ll_module_status(cg_ll_module *l);
/* The same in the owner's thread. */
cot_status cg_ll_module_finish(cg_ll_module *l);
/* If LLVM gives up, the module is abandoned. */
cot_status cg_ll_module_emit(cg_ll_module *l, LLVMCodeGenFileType kind,
                             LLVMMemoryBufferRef *out);
/* A function begins with this: the C signature of `name`, args[] filled; then a call of an
 * entry with `in`.  With m it stands, until cg_ll_debug_leave, at the line that m begins
 * with. */
LLVMValueRef cg_ll_begin_natural(cg_ll_module *l, const char *name, int n_args, bool parallel,
                                 const cg_module *m, LLVMValueRef in[2]);
/* All of it, for one entry. */
void cg_ll_natural_of(cg_ll_module *l, LLVMValueRef entry, const char *name, int n_args,
                      bool parallel, const cg_module *m);
void cg_ll_attribute(cg_ll_module *l, LLVMValueRef fn, LLVMAttributeIndex at, const char *name,
                     uint64_t value);
void cg_ll_string_attribute(cg_ll_module *l, LLVMValueRef fn, const char *key,
                            const char *value);
LLVMValueRef cg_ll_address(cg_ll_module *l, const void *p);
/* Every function names its processor. */
void cg_ll_name_processor(cg_ll_module *l, LLVMValueRef fn);
LLVMValueRef cg_ll_constant_data(cg_ll_module *l, const void *data, int64_t bytes);
LLVMValueRef cg_ll_function(cg_ll_module *l, const char *name, LLVMTypeRef type, bool visible);
LLVMValueRef cg_ll_intrinsic(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n_types,
                             LLVMTypeRef *types, int n, LLVMValueRef *args);
LLVMTypeRef cg_ll_type(const cg_ll_module *l, cot_dtype t);
LLVMTypeRef cg_ll_storage(const cg_ll_module *l, cot_dtype t); /* of an element in memory */
LLVMValueRef cg_ll_bits(const cg_ll_module *l, cot_dtype t, uint64_t bits);

/* perf.c: list the functions of an object whose symbol `entry` was loaded at `at`. */
void cg_ll_perf_map(const char *name, const char *entry, LLVMMemoryBufferRef object,
                    const void *at);
cot_status cg_ll_load(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
void cg_ll_unload(cg_code *code);
cot_status cg_ll_natural(cot_context *ctx, const cg_target *t, cg_entry *entry, int n_args,
                         bool parallel, cg_code *out);
/* multiversion.c: are these processors that an object can choose among?  In ascending order. */
cot_status cg_ll_sort_versions(cot_context *ctx, int n, const cg_version *v,
                               const cg_version **sorted);
/* The natural entry `name`, which calls the entry of the best version that this machine can
 * run. */
cot_status cg_ll_choose(cg_ll_module *l, const char *name, int n_args, const cg_module *m,
                        int n, const cg_version *const *v);
/* The symbol of a version's entry of a function. */
const char *cg_ll_version_entry(cg_ll_module *l, const char *name, const cg_version *v);
/* The entry of a module that was added under a name. */
LLVMTypeRef cg_ll_entry_type(const cg_ll_module *l);
/* aot.c */
cot_status cg_ll_write_versions(cot_context *ctx, int n_versions, const cg_version *v,
                                cg_output what, int n, ir_arena *arena, const void **bytes,
                                size_t *size);
cot_status cg_ll_write(cot_context *ctx, const cg_target *t, cg_output what, int n,
                       const cg_natural *fn, ir_arena *arena, const void **bytes, size_t *size);

#endif
