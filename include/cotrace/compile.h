/* Cotrace: from functions to graphs, kernels and object files; dumps of each.
 *
 * A kernel takes its arguments as an array of pointers in the order of the function's
 * arguments, then of its results, and a work block of cot_kernel_work_bytes bytes, aligned to
 * 64. */
#ifndef COTRACE_COMPILE_H
#define COTRACE_COMPILE_H

#include "cotrace/transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a compilation.  Zero is the default of each; strings are copied. */
typedef struct cot_compile_options {
    /* "jit" (default), "eval" (the reference evaluator), "c", "cuda" (a GPU: device.h), "sim"
     * (a GPU's kernels in the simulator) */
    const char *backend;
    /* a triple; NULL: this machine */
    const char *target;
    /* a CPU's name as LLVM has it; NULL: this machine's.  For an object, and C source, several:
     * "x86-64-v2,x86-64-v3,x86-64-v4" */
    const char *cpu;
    const char *features; /* more or fewer than the CPU's: "+avx2,-fma"; NULL: the CPU's */
    /* of the C entry; NULL: the function's, with _ for what is no letter */
    const char *name;
    /* 0: the target's; 32 (scalar), 128, 256 or 512 */
    int vector_bits;
    /* 0: the context's */
    int threads;
    /* arguments whose memory results may take; absent: none */
    cot_list donated;
    /* line tables: instructions lead to the lines that were traced */
    bool debug;
    /* cot_build_object: a path for the header's facts as JSON; NULL: none */
    const char *manifest;
    bool fast; /* speed before bits: a GPU's tensor cores; also by the target "cuda,fast" */
    /* arguments, and results, that are spread over the processes of the context's communicator
     * (spread.h); absent: none.  The first axis is the one whose rows they share */
    cot_list spread, spread_results;
    /* FE_DIVBYZERO, FE_INVALID and FE_OVERFLOW may be trapped (feenableexcept): a kernel raises
     * none that its elements do not raise; reductions of a few elements take longer */
    bool trapping_math;
    /* cot_build_object: kernels call NAME_enter and NAME_leave, which whoever links the file
     * has; the header has a pair that counts runs and ticks into a buffer of the caller's:
     * docs/profile.md.  Kernels of this process: cot_options.profile */
    bool profile;
    /* cot_build_object: sizes for which a function with open sizes has a body of its own, as
     * it is compiled for these alone: "n=64,256", or of several sizes
     * "n=64,m=32; n=256,m=32" */
    const char *at;
    /* cot_build_object: numbers of processes that the functions with a spread axis serve, as
     * "1-4,8": they take a cot_comm before their arguments (comm.h, docs/processes.md).  NULL:
     * one process runs all groups, and there is no such argument.  With spread or
     * spread_results a number that divides the rows: the functions have the type of a share */
    const char *processes;
} cot_compile_options;

/* Specialise f to argument types: run its body once, apply its transforms.  The graph belongs
 * to the context; asking again for the same types answers the same graph.  out may be NULL,
 * where only the status is wanted.  Errors: whatever the body or a transform did wrong; nothing
 * else is left behind. */
COT_API cot_status cot_trace_fn(cot_fn *f, cot_types types, const cot_graph **out);
/* The name of a graph, as dumps have it: "loss.grad". The text belongs to the graph; NULL where
 * g is NULL. */
COT_API const char *cot_graph_name(const cot_graph *g);
/* The number of arguments of a graph, hidden ones (captured arrays, the random generator) among
 * them, in/out ones counted once; 0 where g is NULL. */
COT_API int cot_graph_n_in(const cot_graph *g);
/* The number of results; the new value of an in/out argument (mutate.h) is not counted. */
COT_API int cot_graph_n_out(const cot_graph *g);
/* Whether a call updates argument i in place, because the body writes to it (mutate.h). False
 * where the graph has no such argument. */
COT_API bool cot_graph_in_is_inout(const cot_graph *g, int i);
/* The type of argument i, counted from 0; element type COT_DTYPE_NONE where there is no such
 * argument. Its list of sizes, where rank > 8, belongs to the context. */
COT_API cot_type cot_graph_in_type(const cot_graph *g, int i);
/* The type of result i, counted from 0; element type COT_DTYPE_NONE where there is no such
 * result. Its list of sizes, where rank > 8, belongs to the context. */
COT_API cot_type cot_graph_out_type(const cot_graph *g, int i);
/* The number of nodes of a graph, not counting those of the functions that it calls and of the
 * bodies of its loops and branches. */
COT_API int cot_graph_node_count(const cot_graph *g);
/* Read .cot text: *out is the function named entry, or the last one where entry is NULL.  path
 * is for messages.  Of a text with sizes (docs/ir.md, format 2) the graph is that of sizes of
 * 8, or of the nearest that its facts allow; cot_fn_of_graph of it has all of them. */
COT_API cot_status cot_parse(cot_context *ctx, const char *path, const char *text, size_t bytes,
                             const char *entry, const cot_graph **out);

/* Compile f for argument types.  options may be NULL.  The kernel is the caller's to free, and
 * does not change: threads may share it. */
COT_API cot_status cot_compile(cot_fn *f, cot_types types, const cot_compile_options *options,
                               cot_kernel **out);
/* Compile a graph, for the types of its arguments. options may be NULL. The kernel is the
 * caller's to free, and *out is NULL after an error, as of cot_compile. */
COT_API cot_status cot_compile_graph(const cot_graph *g, const cot_compile_options *options,
                                     cot_kernel **out);
/* Free a kernel and its code; NULL is allowed. No thread may be running it, and it is freed
 * before its context. */
COT_API void cot_kernel_free(cot_kernel *k);
/* The graph from which a kernel was compiled, before it was simplified: it has the types of the
 * arguments and results. It belongs to the context. */
COT_API const cot_graph *cot_kernel_graph(const cot_kernel *k);

/* Run: results and args have one array for each result and argument, of exactly the kernel's
 * types.
 * Arrays may not overlap one that is written; but each result, in order, may be the array of
 * the first donated argument of its type that no result before it has.  An in/out argument
 * holds its new value after the call, and nothing defined if the call failed; a donated one
 * holds nothing defined.
 * Any number of threads may call at once.
 * Errors: COT_ERR_ARG, COT_ERR_SHAPE, COT_ERR_DTYPE (an array does not fit), COT_ERR_BOUND (a
 * loop passed its bound), COT_ERR_FOREIGN (a foreign function or a check failed),
 * COT_ERR_MEMORY (no work block).  The message of a loop, a foreign function or a check has
 * its line; a compiled kernel with several that may have failed names them all. */
COT_API cot_status cot_run(const cot_kernel *k, cot_array *const *results,
                           const cot_array *const *args);
/* The same with the caller's work block: never allocates, takes no lock.  (The reference
 * evaluator does; with cot_options.tiered this call waits for the compiled code.) */
COT_API cot_status cot_run_with(const cot_kernel *k, void *work, cot_array *const *results,
                                const cot_array *const *args);

/* The plain function: args has a pointer for each argument, then for each result; what an
 * in/out argument points to is updated, and has no other pointer; work has
 * cot_kernel_work_bytes bytes aligned to 64.  A kernel compiled for more than one thread reads
 * one more pointer after the results: a cot_parallel (cotrace/pool.h), or NULL for one thread.
 * 0, or a cot_status.  NULL where the back end has none ("eval"). */
typedef int cot_entry(void *const *args, void *work);
/* The plain function of a kernel, which cot_entry describes; NULL where the back end has none.
 * It may be called until the kernel is freed. With cot_options.tiered it waits for the compiled
 * code; NULL, with the error recorded, where that cannot be made. */
COT_API cot_entry *cot_kernel_entry(const cot_kernel *k);
/* The size in bytes of the work block that the plain function and cot_run_with take; it may be
 * 0. The block is aligned to 64 bytes. */
COT_API size_t cot_kernel_work_bytes(const cot_kernel *k);

/* Call f on arrays: compiled at the first call with these types, then found by them.
 * results[i] is filled, or made if it is NULL (then the caller's to free).  May be called by
 * many threads at once. */
COT_API cot_status cot_jit(cot_fn *f, cot_array **results, int n_results,
                           const cot_array *const *args, int n_args);

/* Free the kernels that cot_jit has compiled for f, with their work blocks; another call
 * compiles again. No other thread may be calling f. f may be NULL. */
COT_API void cot_jit_clear(cot_fn *f);

COT_API cot_array *cot_eval_(cot_place at, cot_context *ctx, cot_body *body,
                             const cot_array *const *args, int n_args);
COT_API cot_status cot_eval_all_(cot_place at, cot_context *ctx, cot_body *body,
                                 cot_array **results, int n_results,
                                 const cot_array *const *args, int n_args);
#ifndef __cplusplus
/* cot_eval(ctx, body, x, y): the one result of a body on arrays, now, for looking at numbers;
 * the caller's to free, NULL with the error recorded.  The reference evaluator computes it,
 * with the bits that compiled code has, but slowly: for numbers in bulk, cot_jit.  The body
 * gets NULL as its user pointer and is traced once for each list of types, as by cot_jit.
 *
 * Errors   COT_ERR_ARG  an array is NULL; whatever the body or the run did wrong */
#define COT_EVAL_ARGS_(...) ((const cot_array *const[]){ NULL, __VA_ARGS__ })
#define COT_EVAL_N_(...) ((int)(sizeof COT_EVAL_ARGS_(__VA_ARGS__) / sizeof(cot_array *)) - 1)
#define cot_eval(...) COT_EVAL_(__VA_ARGS__, )
#define COT_EVAL_(ctx, body, ...)                                                              \
    cot_eval_(COT_HERE, ctx, body, COT_EVAL_ARGS_(__VA_ARGS__) + 1, COT_EVAL_N_(__VA_ARGS__))
/* cot_eval_all(ctx, body, results, n_results, args, n_args): the same of a body with n_results
 * results, which are filled or made as cot_jit does; the operands are those of cot_jit, too. */
#define cot_eval_all(ctx, body, results, n_results, ...)                                       \
    cot_eval_all_(COT_HERE, ctx, body, results, n_results, __VA_ARGS__)
#endif

/* What cot_jit found of f, for tests and for finding out why a program compiles too often.
 * Kernels are found by the element types and sizes of the arguments, of the one function: a
 * transform with the same options made again at the same line of the same function is that
 * function, as is cot_with of a number.
 * Counts may fall short while several threads call at once. */
typedef struct cot_cache {
    uint64_t hits;              /* calls that found a kernel                                  */
    uint64_t misses;            /* calls that compiled one                                    */
    uint64_t traces;            /* how often f was traced or transformed for types it had not */
} cot_cache;
/* The counts of a function since it was made, for all lists of types together; all are 0 where
 * f is NULL. Any thread may ask. */
COT_API cot_cache cot_cache_of(const cot_fn *f);

/* What a context found of compiled code in its folder (cot_options.cache_dir), for tests and
 * for finding out why a program compiles what it compiled before. */
typedef struct cot_code_cache {
    uint64_t hits; /* compilations that found their code                  */
    uint64_t misses; /* compilations that did not                           */
    uint64_t kept; /* files written                                       */
    const char *folder; /* the context's; NULL: none is named                  */
    const char *why_off; /* why nothing is kept there; NULL: the folder is used */
} cot_code_cache;
/* The counts of a context since its first compilation, before which all are 0; so they are
 * where ctx is NULL. Strings belong to the context or are constant. The caller is the thread
 * that uses the context. */
COT_API cot_code_cache cot_code_cache_of(const cot_context *ctx);

/* Compile each kernel of the context that the reference evaluator still runs
 * (cot_options.tiered), and wait until all are compiled: for measuring, and before the part of
 * a program that must not wait. Calls of the kernels go on meanwhile. Any thread may call it.
 * Errors: those of compiling, of the newest kernel that has some; the evaluator goes on running
 * it, and another call tries again. COT_OK at once where nothing is left to compile. */
COT_API cot_status cot_tiers_wait(cot_context *ctx);
/* How many kernels of a context with cot_options.tiered began in the evaluator and are there
 * still, are compiled by now, or stay there since compiling failed; freed ones, and those that
 * were compiled at once, do not count. */
typedef struct cot_tiers {
    uint64_t evaluated, compiled, failed;
} cot_tiers;
/* The counts; all are 0 where ctx is NULL. Any thread may ask. */
COT_API cot_tiers cot_tiers_of(cot_context *ctx);

/* One function of an object file. */
typedef struct cot_export {
    cot_fn *fn;
    cot_types types;
    const char *name;           /* of the C function; NULL: the function's own */
} cot_export;

/* Write a file with the functions, in the form its ending says (.o, .a, .c, .s, .ll), and their
 * header if header is not NULL.  An object needs nothing at run time but memcpy, memset and
 * memmove, and nothing at all on wasm32; on armv7em the compiler's __aeabi_* functions.  With
 * threads above 1 a function with parallel loops takes a parallel-for before `work`:
 * cotrace/pool.h.  With several CPUs in options the first call chooses among them, by one
 * atomic word; an entry called on a machine older than all answers COT_ERR_TARGET.
 * Errors: COT_ERR_TARGET (a target, CPU or feature that LLVM does not have, or cannot make code
 * for), COT_ERR_IO, COT_ERR_ARG (a name that is no C name, or is there twice), and those of
 * tracing. */
COT_API cot_status cot_build_object(cot_context *ctx, const cot_export *exports, int n,
                                    const cot_compile_options *options, const char *object,
                                    const char *header);

/* Receives a dump piece by piece. */
typedef void cot_write(void *user, const char *text, size_t bytes);
/* A cot_write whose user is a FILE *, such as stderr: cot_dump_graph(g, cot_write_file,
 * stderr). Errors of the file are left to ferror. */
COT_API void cot_write_file(void *file, const char *text, size_t bytes);

/* The text of a graph; what prints parses back (cot_parse).  Calls of custom functions have
 * their traced rules, so that they are transformed also where they are not registered. */
COT_API cot_status cot_dump_graph(const cot_graph *g, cot_write *write, void *user);
/* Write f for the given types at a stage: "trace" (the innermost body), "graph" (all transforms
 * applied), "simplify" (what kernels are made of), "kernels", "plan", "llvm", "asm", "c" or
 * "ptx" (those of the back end).  The graph of a function with open sizes (cot_open) has them:
 * cot_parse reads it back, and COT_ERR_SHAPE says where it depends on a size in another way. */
COT_API cot_status cot_dump_fn(cot_fn *f, cot_types types, const char *stage, cot_write *write,
                               void *user);
/* Write a compiled kernel at a stage, one of those of cot_dump_fn but "trace". Errors:
 * COT_ERR_ARG where k, stage or write is NULL or the stage is unknown, COT_ERR_TARGET where
 * another back end has it. */
COT_API cot_status cot_dump_kernel(const cot_kernel *k, const char *stage, cot_write *write,
                                   void *user);

#ifdef __cplusplus
}
#endif
#endif
