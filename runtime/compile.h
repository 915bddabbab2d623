/* Internal declarations of kernels: from a graph to code, and the contents of a kernel. */
#ifndef RUNTIME_COMPILE_H
#define RUNTIME_COMPILE_H

#include <stdatomic.h>

#include "codegen/lower.h"
#include "cotrace/compile.h"
#include "runtime/support/pool.h"

typedef enum rt_engine { RT_JIT, RT_EVAL, RT_DEVICE } rt_engine;

/* cot_compile_options, with those of the context for absent ones. */
typedef struct rt_plan {
    rt_engine engine;
    const cg_backend *backend;        /* NULL: evaluated, or on a device */
    const struct rt_machine *machine; /* the kind of device; NULL: none */
    int device;                       /* the number of the device */
    /* Use the device if there is one and the program is large enough; otherwise this
     * machine. */
    bool choose;
    cg_target target;
    int threads;
    bool fuse;
    ir_ints counts; /* numbers of processes that a file serves: world_file.c */
    bool together; /* run by the processes of the context's communicator, not written down */
    const char *name; /* name of the C entry */
    ir_ints donated;  /* donated arguments */
    ir_ints spread, spread_results; /* arguments and results that are spread over processes */
    /* schedules for kernels by name (codegen/lower/dot_schedule.h); NULL: all are chosen */
    const char *schedules;
    struct cg_record *record; /* filled with what is made of which nodes; or NULL */
} rt_plan;

/* The results of the stages for one graph. */
typedef struct rt_lowered {
    const ir_graph *prepared;
    cg_module *module;
    int *over;                          /* for each result: its donated argument, or -1 */
    bool together;                      /* prepared communicates (world.h) */
    bool comm; /* it takes a cot_comm before its arguments */
    const bool *spread; /* by argument, then result: it is spread over processes; NULL: none */
} rt_lowered;

/* For these the caller holds the context's lock and a recovery point (rt_guard provides
 * both). */
cot_status rt_plan_new(cot_context *ctx, const cot_compile_options *o, const char *fn,
                       rt_plan *out);
/* options.c: sets a kind of device, with what it supports, as that of a plan. */
cot_status rt_plan_device(cot_context *ctx, const struct rt_machine *machine, rt_plan *p);
cot_status rt_lower(const ir_graph *f, const rt_plan *p, ir_arena *arena, rt_lowered *out);
/* The same at one sample of open sizes: for loops over `n` open extents, in ascending order. */
cot_status rt_lower_open(const ir_graph *f, const rt_plan *p, ir_arena *arena,
                         const int64_t *open, uint32_t n, rt_lowered *out);
/* Print the stages below graphs that COT_DUMP names, of a module of f. */
cot_status rt_dump_stages(const ir_graph *f, const rt_plan *p, cg_module *m, ir_arena *scratch);
/* Parts of a kernel that is not complete yet: its types; its pool, if it is parallel; slots for
 * work blocks of so many bytes. */
cot_kernel *rt_kernel_new(const ir_graph *f, const rt_plan *p, const rt_lowered *low);
void rt_kernel_pool(cot_kernel *k);
void rt_make_blocks(cot_kernel *k, size_t bytes);
cot_status rt_compile(const ir_graph *f, const rt_plan *p, cot_kernel **out);
/* cot_compile_graph with the schedules of a plan.  The caller holds nothing. */
cot_status rt_compile_scheduled(const cot_graph *g, const cot_compile_options *options,
                                const char *schedules, cot_kernel **out);
/* Run `body` under the lock, with a recovery point; COT_ERR_MEMORY if memory runs out. */
typedef cot_status rt_body(cot_context *ctx, void *arg);
cot_status rt_guard(cot_context *ctx, rt_body *body, void *arg);

/* Work blocks of one kernel, kept in a few slots, which are taken and given back by an atomic
 * exchange. */
#define RT_SLOTS 32
typedef struct rt_blocks {
    size_t bytes;
    _Atomic(void *) slot[RT_SLOTS];
} rt_blocks;

/* A block that was given back; NULL: there is none.  The same, or a new one; NULL: out of
 * memory. */
void *rt_block_find(rt_blocks *b);
void *rt_block_take(rt_blocks *b);
void rt_block_give(rt_blocks *b, void *block);
void rt_blocks_free(rt_blocks *b);

struct cot_kernel {
    cot_context *ctx;
    const ir_graph *graph, *prepared; /* owned by the context */
    ir_loc loc;                       /* location of the function; 0 for a graph */
    rt_plan plan;
    /* What a call runs; NULL: it is evaluated, in the first of two tiers (tier.h) or always. */
    _Atomic(cg_entry *) entry;
    cg_code code;
    struct rt_tier *tier; /* NULL: there is one */
    /* The results without the new values of in/out arguments; the inputs that the caller
     * passes. */
    int n_in, n_out, n_args;
    int *over;            /* for each result: its donated argument, or -1 */
    const ir_type **type; /* of arguments, then results; interned */
    size_t *bytes;        /* likewise, their sizes */
    bool *spread; /* likewise, is it spread over processes? NULL: none is */
    size_t work_bytes;
    int64_t flops, traffic;     /* an estimate for one call */
    uint64_t used; /* the number of the last call: cache.c, with cache_bytes */
    bool together;              /* a call of it communicates with other processes */
    bool parallel;              /* it takes a pool as an additional argument */
    cot_parallel *pool;         /* NULL: one thread */
    rt_blocks *blocks;          /* NULL: no work block is needed */
    struct rt_program *program; /* the program on a device; NULL: none */
    struct rt_profile *profile; /* what its probes fill; NULL: it has none */
    struct rt_open *open; /* sizes are open: runtime/open/open.h; NULL: none is */
};

/* Call the kernel with pointers to arguments, then results, whose types are right: n_in + n_out
 * + 1 pointers, the last of which is the pool. work: memory of the caller's, or NULL to take a
 * block. */
cot_status rt_call_kernel(const cot_kernel *k, void *const *args, void *work);

/* Fill args for rt_call_kernel such that `in` is not changed: out also has memory for the new
 * values of in/out arguments, after the results. */
void rt_arguments(const cot_kernel *k, void *const *in, void *const *out, void **args);

/* cache.c: calls f on arrays.  It is compiled with the options at the first call with these
 * types. call: the name of the public function, for messages. */
cot_status rt_call_fn(const char *call, cot_fn *f, const cot_compile_options *o,
                      cot_array **results, int n_results, const cot_array *const *args,
                      int n_args);

/* failures.c: the meaning of a status that a compiled f returned, as text in the arena:
 * "main.c:7: check "x" failed"; NULL if f cannot fail with this status. */
const char *rt_failure_text(const ir_graph *f, cot_status status, ir_arena *a);

/* stage.c: the text of a stage of a graph: "simplify", "kernels", "plan", "llvm", "asm" or
 * "c". */
cot_status rt_stage(const ir_graph *f, const rt_plan *p, const char *stage, ir_buf *out);
/* The code of a module: the stages "llvm", "asm", "c" and "ptx". */
cot_status rt_stage_code(const ir_graph *f, const rt_plan *p, const char *stage,
                         const cg_module *m, ir_buf *out);
/* dump.c: COT_DUMP for the stages below graphs. */
void rt_dump_text(cot_context *ctx, const char *fn, const char *stage, const char *text,
                  size_t n);

#endif
