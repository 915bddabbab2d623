/* Kernels that run on a device: a module, and its entry, which the host interprets
 * (codegen/host/host.h). */
#ifndef RUNTIME_DEVICE_H
#define RUNTIME_DEVICE_H

#include "codegen/host/host.h"
#include "runtime/compile.h"

struct ir_place;

/* A call: its arguments are those of rt_call_kernel, behind which are the sizes where these are
 * open. */
typedef struct rt_device_call {
    void *const *args;
    const size_t *bytes; /* behind each argument and result */
    /* where entry i is not NULL, args[i] is an address on that device; NULL: none is */
    struct ir_place *const *there;
    void *work; /* the caller's work block; NULL: the machine takes one */
    size_t work_bytes;
} rt_device_call;

/* A kind of device. */
typedef struct rt_machine {
    /* Loads what p needs besides its module.  The caller holds the context's lock and a
     * recovery point. */
    cot_status (*load)(struct rt_program *p, const rt_plan *plan);
    /* Errors are recorded. */
    cot_status (*run)(struct rt_program *p, const cot_kernel *k, const rt_device_call *c);
    void (*unload)(struct rt_program *p); /* also after a load that failed */
    bool streams;                         /* foreign functions may run on it, in its stream */
} rt_machine;

typedef struct rt_program {
    cot_context *ctx;
    ir_arena arena; /* memory of the module */
    const rt_machine *machine;
    cg_module *module;
    rt_blocks frames; /* frames for runs of the entry */
    bool straight;    /* no host control flow: cg_host_is_straight */
    bool fails;       /* some kernel may fail */
    void *self;       /* the machine's own data */
    /* the place of arrays that it uses directly; NULL: only those of the host */
    struct ir_place *place;
} rt_program;

const rt_machine *rt_sim(void);         /* the simulator of codegen/kernel/grid.h */
const rt_machine *rt_cuda(void);        /* cuda/program.c */
/* The default architecture for PTX: that of the device, if LLVM supports it; "sm_80" if there
 * is no device. */
const char *rt_cuda_arch(cot_context *ctx, int ordinal);
/* The number of multiprocessors of the device; 0: there is none. */
int rt_cuda_processors(cot_context *ctx, int ordinal);

rt_program *rt_program_new(cot_context *ctx, const rt_machine *machine);
/* Prepare p to run m, which is in p's arena. */
cot_status rt_program_load(rt_program *p, const rt_plan *plan, cg_module *m);
void rt_program_free(rt_program *p);            /* NULL is allowed */

/* Call a foreign function on memory of this process. */
cot_status rt_foreign_run(const cg_extern *x, const cg_handed *handed, cot_dtype type,
                          uint64_t *answer);
/* Record why a run of k ended with this status, which its entry or a kernel returned. */
cot_status rt_entry_failed(const cot_kernel *k, int status);
/* Record text as the error of running k. */
cot_status rt_run_fail(const cot_kernel *k, int error, const char *text);

#endif
