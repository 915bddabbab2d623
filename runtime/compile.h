/* Kernels, inside: from a graph to code, and what a kernel holds. */
#ifndef RUNTIME_COMPILE_H
#define RUNTIME_COMPILE_H

#include <stdatomic.h>

#include "codegen/lower.h"
#include "cotrace/compile.h"
#include "runtime/support/pool.h"

typedef enum rt_engine { RT_JIT, RT_EVAL, RT_DEVICE } rt_engine;

/* cot_compile_options, resolved against the context. */
typedef struct rt_plan {
    rt_engine engine;
    const cg_backend *backend;          /* NULL: evaluated, or on a device */
    const struct rt_machine *machine;   /* what the device is; else NULL */
    int device;                         /* its number */
    /* the device, if the program is worth it and there is one; else this machine */
    bool choose;
    cg_target target;
    int threads;
    bool fuse;
    const char *name;                   /* of the C entry  */
    ir_ints donated;                    /* arguments       */
} rt_plan;

/* A graph on its way: what each stage made of it. */
typedef struct rt_lowered {
    const ir_graph *prepared;
    cg_module *module;
    int *over;                          /* for each result: its donated argument, or -1 */
} rt_lowered;

/* The caller holds the context's lock and a recovery point (compile.c gives both in
 * rt_guard). */
cot_status rt_plan_new(cot_context *ctx, const cot_compile_options *o, const char *fn,
                       rt_plan *out);
/* options.c: what a machine may do, as the device of a plan. */
cot_status rt_plan_device(cot_context *ctx, const struct rt_machine *machine, rt_plan *p);
cot_status rt_lower(const ir_graph *f, const rt_plan *p, ir_arena *arena, rt_lowered *out);
cot_status rt_compile(const ir_graph *f, const rt_plan *p, cot_kernel **out);
/* Run `body` under the lock, with a recovery point; COT_ERR_MEMORY if memory ran short. */
typedef cot_status rt_body(cot_context *ctx, void *arg);
cot_status rt_guard(cot_context *ctx, rt_body *body, void *arg);

/* Work blocks of one kernel: a handful of slots, each taken and given back by an exchange. */
#define RT_SLOTS 32
typedef struct rt_blocks {
    size_t bytes;
    _Atomic(void *) slot[RT_SLOTS];
} rt_blocks;

void *rt_block_take(rt_blocks *b);      /* NULL: memory is short */
void rt_block_give(rt_blocks *b, void *block);
void rt_blocks_free(rt_blocks *b);

struct cot_kernel {
    cot_context *ctx;
    const ir_graph *graph, *prepared;   /* the context's                              */
    ir_loc loc; /* of the function; 0 for a graph             */
    rt_plan plan;
    cg_code code;                       /* entry NULL: evaluated                      */
    /* results without new values of in/out arguments; inputs that the caller gives */
    int n_in, n_out, n_args;
    int *over;                          /* for each result: its donated argument, or -1 */
    const ir_type **type;               /* of arguments, then results; interned       */
    size_t *bytes;                      /* likewise                                   */
    size_t work_bytes;
    int64_t flops, traffic;             /* an estimate for one call                   */
    bool parallel;                      /* it takes a pool as one more argument       */
    cot_parallel *pool;                 /* NULL: one thread                           */
    rt_blocks *blocks;                  /* NULL: no work block is needed              */
    struct rt_program *program;         /* on a device; else NULL */
};

/* Call the kernel on pointers to arguments, then results, which fit; n_in + n_out + 1 of them,
 * the last one the pool.  work: the caller's, or NULL to take one. */
cot_status rt_call_kernel(const cot_kernel *k, void *const *args, void *work);

/* args for rt_call_kernel that leave `in` as it is: out has memory for the new values of in/out
 * arguments, too, after the results. */
void rt_arguments(const cot_kernel *k, void *const *in, void *const *out, void **args);

/* cache.c: f on arrays, compiled with the options at the first call with their types; call is
 * the public function's name, for messages. */
cot_status rt_call_fn(const char *call, cot_fn *f, const cot_compile_options *o,
                      cot_array **results, int n_results, const cot_array *const *args,
                      int n_args);

/* failures.c: what a status of a compiled f means, as text in the arena: "main.c:7: check
 * "x" failed"; NULL where f cannot fail so. */
const char *rt_failure_text(const ir_graph *f, cot_status status, ir_arena *a);

/* stage.c: the text of a stage, "simplify", "kernels", "plan", "llvm", "asm", "c", of a
 * graph. */
cot_status rt_stage(const ir_graph *f, const rt_plan *p, const char *stage, ir_buf *out);
/* dump.c: COT_DUMP of the stages below graphs. */
void rt_dump_text(cot_context *ctx, const char *fn, const char *stage, const char *text,
                  size_t n);

#endif
