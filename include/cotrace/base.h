/* Cotrace: context, status, error record, version.
 *
 * A cot_context owns types, functions, options and the error record.  There is no global and no
 * thread-local state: two contexts never meet. */
#ifndef COTRACE_BASE_H
#define COTRACE_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COT_VERSION_MAJOR 0
#define COT_VERSION_MINOR 1
#define COT_VERSION_PATCH 0
#define COT_VERSION "0.1.0"
/* The edition of the numerics contract, which defines results to the last bit: a greater number
 * says that some results have other bits (docs/numerics.md, section 6). */
#define COT_NUMERICS_EDITION 3

#if defined(_WIN32)
#define COT_API
#else
#define COT_API __attribute__((visibility("default")))
#endif

/* A spelling of an earlier version, which works for one more: the compiler warns, and says what
 * to write. */
#if defined(__GNUC__)
#define COT_DEPRECATED_(instead) __attribute__((deprecated(instead)))
#else
#define COT_DEPRECATED_(instead)
#endif

/* A record of named options begins so: its fields are set by name alone.  A value without a
 * name (`cot_reduce_sum(x, 1)`) would set the first field whatever the user meant, so it
 * does not compile: gcc refuses every such value by an attribute, clang the first one, which
 * would initialise an array of no elements. */
#if defined(__cplusplus) || !defined(__GNUC__)
#define COT_NAMED_
#define COT_BEGIN_ int end_;
#elif defined(__clang__)
#define COT_NAMED_
#define COT_BEGIN_ __extension__ int options_have_names_[0]; int end_;
#else
#define COT_NAMED_ __attribute__((designated_init))
#define COT_BEGIN_ int end_;
#pragma GCC diagnostic error "-Wdesignated-init"
#endif

/* A field that an initialiser of g++ may leave out without a warning. */
#if defined(__cplusplus) && !defined(__clang__)
#define COT_OR_ZERO_ = {}
#else
#define COT_OR_ZERO_
#endif

/* What a call answers.  0 is success; the others say who has to act. */
typedef enum cot_status {
    COT_OK = 0,
    COT_ERR_SHAPE,       /* shapes do not fit                                        */
    COT_ERR_DTYPE,       /* element types do not fit                                 */
    COT_ERR_ARG,         /* an argument, option or count is wrong                    */
    COT_ERR_RULE,        /* an op lacks what a transform needs                       */
    COT_ERR_TRACE,       /* a handle was used outside its trace, or its content read */
    COT_ERR_PARSE,       /* text or file not understood                              */
    COT_ERR_IO,          /* a file could not be read or written                      */
    COT_ERR_BOUND,       /* a loop passed its stated bound at run time               */
    COT_ERR_TARGET,      /* the target or back end is missing or cannot do it        */
    COT_ERR_FOREIGN,     /* a foreign function failed                                */
    COT_ERR_MEMORY,      /* an allocation failed                                     */
    COT_ERR_INTERNAL,    /* a bug of ours                                            */
    COT_ERR_LIMIT,       /* a call passed a limit of nodes or of time (cot_limits)   */
    COT_ERR_CANCELLED    /* cot_cancel was called                                    */
} cot_status;

typedef struct cot_context cot_context;
typedef struct cot_fn cot_fn;
typedef struct cot_graph cot_graph;
typedef struct cot_kernel cot_kernel;
typedef struct cot_array cot_array;
typedef struct cot_trace cot_trace;

/* What a call may take, for programs and files that are not trusted.  Zero is no limit.  A call
 * that passes a limit fails, and the context can be used as before. */
typedef struct cot_limits {
    /* bytes that the context and its arrays may hold together at any time: past them an
     * allocation fails (COT_ERR_MEMORY).  What LLVM holds does not count */
    uint64_t bytes;
    /* nodes of graphs that one call may make, in all of its passes (COT_ERR_LIMIT) */
    uint64_t nodes;
    /* of wall clock that one call may trace, transform, read or compile (COT_ERR_LIMIT); a
     * kernel's run is not limited: cot_cancel ends it */
    double seconds;
} cot_limits;

/* How far a call is that takes long: cot_options.progress. */
typedef struct cot_progress {
    /* "read", "import", "trace", the name of a pass, "lower", "compile", "evaluate" or
     * "lint"; NULL: the call ends */
    const char *stage;
    const char *function; /* the function that it works on; NULL: none in particular */
    double seconds; /* since the call began */
    /* steps of the stage: bytes, values that are written to memory, kernels, points; where
     * total is 0 it is not known, and done counts the nodes that the call has made */
    uint64_t done, total;
} cot_progress;

/* Options of a context.  Zero is the default of each. */
typedef struct cot_options {
    const char *dump;       /* stages to print, as in COT_DUMP: "trace,jvp,fuse" or "all"     */
    const char *dump_fn;    /* only this function                                            */
    const char *dump_dir;   /* numbered files in this folder instead of stderr                */
    const char *off;        /* passes to skip, COT_OFF: cse, fold, what follows contract */
    /* "host" (default), "generic", "cuda", "cuda:sm_80", "auto": see docs/gpu.md */
    const char *target;
    /* 1: check invariants after each pass; 2: refuse as well kernels whose iterations in
     * parallel are not proved to write apart; -1: neither; 0: 1 in debug builds.  Kernels are
     * always proved to stay within their memory. */
    int verify;
    int time; /* 1: print time, node counts and memory per pass                */
    int threads;            /* threads of compiled kernels; 0: 1 unless COT_THREADS says      */
    int vector_bits;        /* 0: the target's; 32 (scalar), 128, 256 or 512                  */
    /* realloc's contract; NULL: libc's */
    void *(*alloc)(void *user, void *old, size_t bytes);
    void *alloc_user;
    /* the CUDA driver's library; NULL: COT_CUDA_DRIVER, or libcuda.so.1 */
    const char *driver;
    /* 1: line tables for what is compiled, and gdb knows JIT code; 0: COT_DEBUG says */
    int debug;
    /* 1: JIT code is listed in /tmp/perf-PID.map, for perf; 0: COT_PERF says */
    int perf;
    /* threads that compile for this process, 4 at most; 0: as many as processors, unless
     * COT_COMPILE_THREADS says */
    int compile_threads;
    cot_limits limits; /* docs/limits.md */
    /* 1: LLVM compiles in a child process, whose death is a status; 0: COT_ISOLATE says */
    int isolate;
    /* 1: floating-point exceptions may be trapped, as in cot_compile_options; 0:
     * COT_TRAPPING_MATH says */
    int trapping_math;
    /* the folder in which compiled code is kept for later processes; "off": none; NULL:
     * COT_CACHE_DIR says, or it is cotrace in the user's cache folder: docs/cache.md */
    const char *cache_dir;
    uint64_t cache_dir_bytes; /* that its files may have together; 0: 256 MB */
    /* what the kernels that cot_jit keeps may have together, code and work blocks; beyond it
     * those that were called longest ago are freed, and calls of cot_jit in this context run
     * one after the other; 0: 1,024 kernels for each function, whatever they have */
    uint64_t cache_bytes;
    /* Called by a call that takes longer than progress_after seconds (0: one second), at most
     * ten times a second (more often where progress_after is less than a tenth), on the thread
     * of that call, and once more when it ends.  It may cancel the call by cot_cancel, and
     * calls nothing else with the context.  What it is given is valid until it returns.
     * Compiled kernels report nothing while they run. */
    void (*progress)(void *user, const cot_progress *at);
    void *progress_user;
    double progress_after;
    /* 1: kernels that take less time in the reference evaluator than LLVM takes begin there,
     * and a thread of the context compiles those that are called often: docs/tiers.md; alloc is
     * called by that thread, too; 0: COT_TIERED says */
    int tiered;
    /* 1: a call of a kernel ends at the first op that makes a NaN of operands without one, with
     * COT_ERR_FOREIGN and the op's line, and before it begins if an argument has one.  The
     * reference evaluator runs all kernels then, whatever back end they ask for; 0: COT_TRAP
     * says */
    int trap;
    /* the processes that share the axes of cot_vmap's .over: cotrace/comm.h; it outlives the
     * context; NULL: this one alone */
    const struct cot_comm *comm;
    /* a file, written when the context ends: how often each kernel that was compiled for this
     * machine ran and how long, as JSON that Perfetto shows: docs/profile.md.  It is created at
     * the first compilation, which fails if it cannot be (COT_ERR_IO); NULL: COT_PROFILE
     * says */
    const char *profile;
    /* which process owns which groups of an axis with .over: "lanes", whole leaves of the tree
     * of sums, or "runs", consecutive groups; no bit depends on it; NULL: whichever the program
     * sends less by: docs/processes.md */
    const char *own;
    /* where axes with .over nest, processes share both, as a grid of so many columns: those of
     * one column share the outer axis, those of one row the inner one.  It divides the number
     * of processes; no bit depends on it; 0: the least number by which the busiest process has
     * fewest groups, 1 unless the outer axis has too few: docs/processes.md */
    int columns;
} cot_options;

/* A new context.  options may be NULL; its strings are copied.  NULL if memory is short.
 * A context may be used by one thread at a time, except where a function says otherwise. */
COT_API cot_context *cot_context_new(const cot_options *options);
/* Free the context and all that belongs to it: functions, graphs, trees, modules. NULL is
 * allowed. Arrays and kernels are freed by their owner. */
COT_API void cot_context_free(cot_context *ctx);

/* The first error since the last call of cot_error_clear: its text, "" if there was none.  The
 * text is "file:line: op: what was found, what was wanted".  Borrowed from the context; valid
 * until the record is cleared.  A call whose function, kernel, graph or context is NULL knows
 * no context: COT_ERR_ARG is all that it answers, and there is no record outside contexts. */
COT_API const char *cot_error(const cot_context *ctx);
/* The status of the error whose text is cot_error: the first since the last call of
 * cot_error_clear, or COT_OK if there was none. COT_ERR_ARG where ctx is NULL. */
COT_API cot_status cot_error_status(const cot_context *ctx);
/* Forget the recorded error, so that the next one is recorded. Texts that cot_error returned
 * before are freed. */
COT_API void cot_error_clear(cot_context *ctx);

/* End what the context does: compilation, reading, tracing and the calls of its kernels return
 * COT_ERR_CANCELLED as soon as they come to a place where they look, and so does every later
 * call until cot_cancel_clear.  A kernel looks before each of its inner kernels and at each
 * step of the loops around them; a compilation between passes, and between the modules
 * handed to LLVM.  Arrays that a cancelled kernel writes hold nothing defined. Any thread
 * may call it while the context exists, and so may a signal handler: it stores to one
 * lock-free atomic.  Objects and C source that were written to files do not look. */
COT_API void cot_cancel(cot_context *ctx);
/* Let calls work again after cot_cancel. An error that a cancelled call recorded stays until
 * cot_error_clear. Any thread may call it while the context exists. */
COT_API void cot_cancel_clear(cot_context *ctx);

/* A status as one word for messages: "ok", "shape", "memory", ..., "unknown" for a number that
 * is none. The text is constant and lives as long as the program. */
COT_API const char *cot_status_name(cot_status status);
/* The version of the library that is loaded, "0.1.0"; COT_VERSION is that of the header the
 * program was compiled with. The text is constant. */
COT_API const char *cot_version(void);

/* Run a call that gives a status; leave the enclosing function with that status if it
 * failed. */
#define COT_TRY(call)                            \
    do {                                         \
        cot_status cot_try_status_ = (call);     \
        if (cot_try_status_ != COT_OK)           \
            return cot_try_status_;              \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
