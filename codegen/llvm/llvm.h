/* Internal declarations of the LLVM back end.  No file outside codegen/llvm includes this
 * header or a header of LLVM.
 *
 *   backend.c   the table of the back end's functions; library.c loads LLVM
 *   session.c   what a context keeps of LLVM; target.c target machines; processor.c this
 *               machine's processor; cpu.c names of processors and features; fatal.c errors
 *               that would end the process
 *   module.c    an LLVM module: types, constants, passes; builtin.c functions that a machine
 *               without a C library lacks; debug.c line tables
 *   function.c  functions of kernels, entries
 *   values.c    copies, lanes and masks of a kernel's values
 *   emit.c      regions and loops; control.c if, while, slow paths; reduce.c folds and trees;
 *               parallel.c parallel loops and calls; parts.c parts of long regions as
 *               functions; extern.c calls of C functions
 *   scalar.c    scalar instructions; slow_path.c outlined programs that few elements need;
 *               soft.c and soft_fma.c instructions that the machine lacks
 *   memory.c    loads and stores; access.c accesses of an element or a row; shuffle.c
 *               permutations of vectors; move.c copies
 *   ptx.c       kernels for GPUs; threads.c their threads; tensor.c tensor cores and
 *               asynchronous copies
 *   jit.c       code in this process; link.c its linker; symbols.c the names that it refers
 *               to; orc.c LLVM's linker; parallel_compile.c compilation by several threads;
 *               perf.c names for perf; isolate.c LLVM in a child process
 *   aot.c       object files and text; multiversion.c an object for several processors */
#ifndef CODEGEN_LLVM_LLVM_H
#define CODEGEN_LLVM_LLVM_H

#include "codegen/backend.h"
#include "codegen/llvm/library.h"
#include "codegen/llvm/link.h"
#include "codegen/store.h"
#include "codegen/llvm/processor.h"
#include "codegen/llvm/slow_path.h"
#include "codegen/tuning.h"

typedef enum cg_ll_arch {
    CG_LL_X86,
    CG_LL_AARCH64,
    CG_LL_RISCV64,
    CG_LL_ARM,
    CG_LL_WASM,
    CG_LL_NVPTX
} cg_ll_arch;

/* The name by which code in this process knows the flag that cot_cancel sets. */
#define CG_LL_CANCELLED "cot_cancelled"

/* The most threads that compile one module. */
enum { CG_LL_COMPILE_THREADS = CG_LLVM_COMPILE_THREADS };

/* A processor and its features, as the emitter needs to know them. */
typedef struct cg_ll_machine {
    struct cg_ll_machine *next;
    struct cg_ll_machine
        *like[CG_LL_COMPILE_THREADS]; /* the same machine for threads 1, 2, ...; [0] is NULL */
    LLVMTargetMachineRef tm;
    char *triple, *cpu, *features;
    const char *tuned; /* the features, and what LLVM is to prefer */
    cg_ll_arch arch;
    bool x86;
    bool avx2;  /* adds adjacent products of i16 in vectors of eight */
    bool grid;  /* a GPU: ptx.c */
    bool alone; /* no C library: the object contains its own memcpy */
    /* What the hardware has: fma; square roots; floor and the other roundings; conversions of
     * f16; maximum and minimum; masked loads of 32 and 64 bits; masked loads of 8 and 16
     * bits. */
    bool fma32, fma64, root32, root64, round, half, extreme, masked, masked_small;
    int vector_bits, registers;
    int dot_bits; /* of the widest vectors that have 4-way dot products of bytes; 0: none */
} cg_ll_machine;

/* What a context keeps of LLVM: its target machines, its JIT, and descriptions of the
 * processor of this machine, by processor.c and by LLVM, which take time to query. */
typedef struct cg_ll_session {
    cot_context *ctx;
    cg_ll_machine *machine;
    const char *host_triple, *host_cpu, *host_features;
    bool asked_processor, knows_processor;
    cg_ll_processor processor;
    const char *build; /* of LLVM, which names code; NULL: not known */
    struct cg_ll_jit *jit;
    void (*jit_release)(struct cg_ll_jit *jit); /* set with jit */
} cg_ll_session;

cg_ll_session *cg_ll_session_of(cot_context *ctx);
/* Returns the machine for a target, which is made on first use, for which LLVM is loaded; NULL
 * with the error recorded. */
const cg_ll_machine *cg_ll_machine_of(cot_context *ctx, const cg_target *t);
/* probe.c.  What the instructions of a machine are, by a function that LLVM compiles for it, or
 * by the features that LLVM names of this machine. */
cot_status cg_ll_probe(cot_context *ctx, cg_ll_machine *m);
void cg_ll_read_features(cg_ll_machine *m);
/* Fill the fields of t that the caller left open; this machine stays without names where LLVM
 * need not be loaded to know it. */
cot_status cg_ll_target(cot_context *ctx, cg_target *t);
/* Fill those names that are open, by LLVM. */
cot_status cg_ll_name_target(cot_context *ctx, cg_target *t);
/* Is t this machine, without names, whose processor has a name of ours? */
bool cg_ll_is_this_processor(cot_context *ctx, const cg_target *t, ir_digest *name);
/* Returns a copy of machine m for compiling thread i > 0, since one thread at a time may use a
 * machine.  NULL: LLVM cannot make one. */
const cg_ll_machine *cg_ll_machine_like(cot_context *ctx, const cg_ll_machine *m, int i);
/* Mark the machine as unusable after a fatal error of LLVM: it is neither used again nor
 * freed. */
void cg_ll_forget_machine(cot_context *ctx, const cg_ll_machine *machine);
cot_status cg_ll_fail(cot_context *ctx, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

typedef struct cg_ll_debug cg_ll_debug;

/* The debug location of the instructions that are being emitted: a function, a scope, a
 * line. */
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
    /* ERR_unproved's argument, where the access checker found an access outside of what was
     * proved: a mistake of this library; otherwise NULL. */
    const char *refused;
    ir_loc refused_at;
    bool died;          /* LLVM had a fatal error: none of its objects may be used */
    LLVMValueRef zeros; /* zeros, which a load reads where its condition is false */
    /* Constants and outlined programs, found by their address in this process. */
    struct cg_ll_shared *shared;
    uint32_t n_shared, cap_shared;
    int serial;
    cg_ll_debug *debug; /* NULL: without line tables */
    bool lines_are_locations; /* the line tables have an instruction's ir_loc as its line */
    bool in_process;    /* foreign functions are called by their address, not by name */
    bool trapping_math; /* of the kernels that are added: see cg_module */
    double seconds[3]; /* what building it, LLVM's passes and code generation took */
} cg_ll_module;

typedef struct cg_ll_shared {
    const void *key;
    int64_t width;
    LLVMValueRef value;
} cg_ll_shared;

/* cpu.c: is this a processor that code generation accepts?  The other function returns the
 * first unknown entry in a list of features, or NULL. */
bool cg_ll_cpu_known(cg_ll_arch arch, const char *cpu);
const char *cg_ll_feature_unknown(cg_ll_arch arch, const char *features);

/* debug.c.  These do nothing where no line tables are wanted.  Instructions between enter and
 * leave belong to fn (NULL: to a function without lines); leave takes what enter returned. */
void cg_ll_debug_begin(cg_ll_module *l, const char *name);
void cg_ll_debug_end(cg_ll_module *l);
cg_ll_scope cg_ll_debug_enter(cg_ll_module *l, LLVMValueRef fn, const char *name, ir_loc loc);
void cg_ll_debug_leave(cg_ll_module *l, cg_ll_scope outer);
void cg_ll_debug_at(cg_ll_module *l, ir_loc loc);

/* builtin.c: call a function that the object defines itself; its name begins with "cot.". */
LLVMValueRef cg_ll_builtin(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n,
                           LLVMValueRef *args);
/* Parse a module from LLVM's text form and link it into this one. */
cot_status cg_ll_link_text(cg_ll_module *l, const char *text);

/* isolate.c: run a job that compiles modules to objects, in a child process if the context is
 * isolated.  The job fills *n and object[], which cg_ll_run is given as well; the parent then
 * has the same objects.  LLVM is used only between enter and leave, since a fork waits until no
 * thread is between them; they do not nest.  *inside tells, after a longjmp, whether leave is
 * still due.  After cg_ll_guard_forks the forks of others wait, too. */
typedef cot_status cg_ll_job(cot_context *ctx, void *arg);
void cg_ll_enter(volatile bool *inside);
void cg_ll_leave(volatile bool *inside);
bool cg_ll_guard_forks(void);
cot_status cg_ll_run(cot_context *ctx, cg_ll_job *job, void *arg, int *n,
                     LLVMMemoryBufferRef *object, volatile bool *inside);

/* fatal.c: a fatal error of LLVM becomes a status instead of the end of the process.
 * cg_ll_emit_file returns true if it failed, with LLVM's message; or with `died` filled after a
 * fatal error, and then neither module, context nor machine may be used again. */
enum { CG_LL_FATAL = 256 };
/* Run body on a thread that has CG_LL_STACK bytes of stack, and wait for it. */
enum { CG_LL_STACK = CG_LLVM_STACK_BYTES };
void cg_ll_with_stack(void body(void *arg), void *arg);
bool cg_ll_emit_file(LLVMTargetMachineRef tm, LLVMModuleRef module, LLVMCodeGenFileType kind,
                     char died[CG_LL_FATAL], char **message, LLVMMemoryBufferRef *out);

cot_status cg_ll_module_begin(cg_ll_module *l, cot_context *ctx, ir_arena *scratch,
                              const cg_ll_machine *machine, const char *name, bool debug);
void cg_ll_module_free(cg_ll_module *l);
/* Add a kernel module: its entry under the name `entry`, and if `natural` is not NULL, a
 * natural entry of that name, which has one C parameter for each argument. visible: the entry
 * can be called from other objects. */
cot_status cg_ll_module_add(cg_ll_module *l, const cg_module *m, const char *entry,
                            bool visible, const char *natural, int n_args);
/* fixed.c: the same of a function with its bodies for some sizes. */
cot_status cg_ll_function_add(cg_ll_module *l, const cg_natural *fn, const char *entry,
                              const char *natural);
/* Which kernels can return a status other than 0, in the module's arena. */
/* Is the kernel so short that it becomes a part of those that call it? */
bool cg_ll_is_inlined(const cot_context *ctx, const cg_ll_machine *m, const cg_kernel *k);
bool *cg_ll_find_failing(cg_ll_module *l, const cg_module *m);
/* Add only the kernels of m with module_of[kernel] == module, and declare those that they call,
 * which are linked from other objects.  Kernel 0 is the entry. */
void cg_ll_module_add_some(cg_ll_module *l, const cg_module *m, const char *entry,
                           const bool *can_fail, const int *module_of, int module);
/* parallel_compile.c: the kernels of a module, distributed over n LLVM modules, which several
 * threads compile to one object each; the objects are then linked. */
typedef struct cg_ll_parallel_build {
    int n, threads;
    atomic_int next; /* the module to be taken next */
    atomic_uint done; /* how many kernels have code */
    int kernels[CG_MAX_OBJECTS]; /* of each module */
    cg_ll_module *l; /* in the scratch arena; NULL: none is there yet */
    LLVMMemoryBufferRef object[CG_MAX_OBJECTS];
} cg_ll_parallel_build;
cot_status cg_ll_compile_in_parallel(cg_ll_parallel_build *t, cot_context *ctx,
                                     ir_arena *scratch, const cg_ll_machine *machine,
                                     const cg_module *m, const char *entry, bool debug);
void cg_ll_parallel_build_free(cg_ll_parallel_build *t);
/* The most threads that compile for this context. */
int cg_ll_threads_of(const cot_context *ctx);
/* ptx.c: the kernels of a module for a GPU. Their names begin with that of the function. */
cot_status cg_ll_ptx_add(cg_ll_module *l, const cg_module *m, const char *name);
/* Returns the size in bytes of the parameters of a kernel's entry point. */
int64_t cg_ll_ptx_parameters(const cg_kernel *k);
/* Run the passes over the IR; generate machine code.  Both touch only the module and its
 * machine's tm, so that any thread may call them.  They return false on failure; the thread
 * that owns the context then reports it with cg_ll_module_status. */
bool cg_ll_optimise(cg_ll_module *l);
bool cg_ll_cancelled(const cg_ll_module *l);
bool cg_ll_make_code(cg_ll_module *l, LLVMCodeGenFileType kind, LLVMMemoryBufferRef *out);
cot_status cg_ll_module_status(cg_ll_module *l);
/* Optimise and report the status; the caller owns the context. */
cot_status cg_ll_module_finish(cg_ll_module *l);
/* Generate code and report the status.  After a fatal error of LLVM the module is abandoned. */
cot_status cg_ll_module_emit(cg_ll_module *l, LLVMCodeGenFileType kind,
                             LLVMMemoryBufferRef *out);
/* Begin the natural entry `name`: a function whose parameters are the arguments, which it
 * stores in an array. in[] receives the arguments of a call of the entry.  If m is not NULL,
 * the function has the line at which m begins, until cg_ll_debug_leave. */
LLVMValueRef cg_ll_begin_natural(cg_ll_module *l, const char *name, int n_args, bool parallel,
                                 const cg_module *m, LLVMValueRef in[2]);
/* Emit the whole natural entry that calls `entry`. */
void cg_ll_natural_of(cg_ll_module *l, LLVMValueRef entry, const char *name, int n_args,
                      bool parallel, const cg_module *m);
void cg_ll_attribute(cg_ll_module *l, LLVMValueRef fn, LLVMAttributeIndex at, const char *name,
                     uint64_t value);
void cg_ll_string_attribute(cg_ll_module *l, LLVMValueRef fn, const char *key,
                            const char *value);
LLVMValueRef cg_ll_address(cg_ll_module *l, const void *p);
/* Every function carries the processor and features of the target machine as attributes. */
void cg_ll_name_processor(cg_ll_module *l, LLVMValueRef fn);
LLVMValueRef cg_ll_constant_data(cg_ll_module *l, const void *data, int64_t bytes);
LLVMValueRef cg_ll_function(cg_ll_module *l, const char *name, LLVMTypeRef type, bool visible);
LLVMValueRef cg_ll_intrinsic(cg_ll_module *l, LLVMBuilderRef b, const char *name, int n_types,
                             LLVMTypeRef *types, int n, LLVMValueRef *args);
LLVMTypeRef cg_ll_type(const cg_ll_module *l, cot_dtype t);
/* The type of an element in memory. */
LLVMTypeRef cg_ll_storage(const cg_ll_module *l, cot_dtype t);
LLVMValueRef cg_ll_bits(const cg_ll_module *l, cot_dtype t, uint64_t bits);

/* symbols.c: name number i, i from 0, of what compiled code may refer to, perhaps in `name`
 * (NULL: there are no more), and what the process has under a name (NULL: nothing). */
enum {
    CG_LL_MAX_SYMBOLS = 4 + 2 * CG_LL_MAX_SLOW_PATHS,
    CG_LL_SYMBOL_NAME = CG_LL_SLOW_PATH_NAME
};
const char *cg_ll_symbol_row(int i, char name[CG_LL_SYMBOL_NAME]);
const void *cg_ll_symbol(void *ctx, const char *name);

/* orc.c: LLVM's linker.  A failed link leaves a tracker, too. */
cot_status cg_ll_orc_new(cot_context *ctx, const cg_ll_machine *m, LLVMOrcLLJITRef *out);
void cg_ll_orc_free(LLVMOrcLLJITRef jit);
cot_status cg_ll_orc_link(cot_context *ctx, LLVMOrcLLJITRef jit, int n, const cg_object *object,
                          const char *symbol, LLVMOrcResourceTrackerRef *tracker, void **entry);
void cg_ll_orc_unlink(LLVMOrcResourceTrackerRef tracker);

/* perf.c: list the functions of an object for perf.  The symbol `entry` was loaded at `at`. */
void cg_ll_perf_map(const char *name, const char *entry, LLVMMemoryBufferRef object,
                    const void *at);
cot_status cg_ll_load(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
cot_status cg_ll_find(cot_context *ctx, const cg_target *t, const cg_module *m, cg_code *out);
void cg_ll_unload(cg_code *code);
cot_status cg_ll_natural(cot_context *ctx, const cg_target *t, cg_entry *entry, int n_args,
                         bool parallel, cg_code *out);
/* multiversion.c: check that one object can choose among these processors at run time, and sort
 * them in ascending order. */
cot_status cg_ll_sort_versions(cot_context *ctx, int n, const cg_version *v,
                               const cg_version **sorted);
/* Emit the natural entry `name`, which calls the entry of the best version that the machine
 * supports. */
cot_status cg_ll_choose(cg_ll_module *l, const char *name, int n_args, const cg_module *m,
                        int n, const cg_version *const *v);
/* Returns the symbol name of the entry of one version of a function. */
const char *cg_ll_version_entry(cg_ll_module *l, const char *name, const cg_version *v);
/* Returns the type of the entry function of a kernel module. */
LLVMTypeRef cg_ll_entry_type(const cg_ll_module *l);
/* aot.c */
cot_status cg_ll_write_versions(cot_context *ctx, int n_versions, const cg_version *v,
                                cg_output what, int n, ir_arena *arena, const void **bytes,
                                size_t *size);
cot_status cg_ll_write(cot_context *ctx, const cg_target *t, cg_output what, int n,
                       const cg_natural *fn, ir_arena *arena, const void **bytes, size_t *size);

#endif
