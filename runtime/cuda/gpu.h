/* A GPU as one context uses it: a stream, memory, modules.
 *
 * All operations of a context on a GPU are in one stream and are executed in order.  So memory
 * that one call has freed may be used by the next one without waiting.  If a call uses an array
 * of another context, the streams wait for each other before the call and after it.  A lock
 * keeps operations that belong together, such as the launches of one call, adjacent in the
 * stream.  A gpu is reference-counted: by its context, and by each array and kernel on it,
 * which may outlive the context. */
#ifndef RUNTIME_CUDA_GPU_H
#define RUNTIME_CUDA_GPU_H

#include <pthread.h>
#include <stdatomic.h>

#include "ir/array.h"
#include "ir/context.h"
#include "runtime/cuda/driver.h"

typedef struct rt_gpu_module {
    struct rt_gpu_module *next;
    uint64_t hash;              /* of the PTX, which follows the record */
    size_t bytes;
    int users;
    cu_module module;
} rt_gpu_module;

/* Destination of small reads.  It is not memory of a call, which may have ended. */
typedef struct rt_gpu_here {
    int32_t failed; /* the value of *status */
    uint64_t word[2];
} rt_gpu_here;

typedef struct rt_gpu {
    /* The place that arrays on this gpu refer to.  It is the first member, so that a pointer to
     * it is one to the gpu. */
    ir_place place;
    rt_driver driver;
    atomic_int users;
    pthread_mutex_t lock;
    cu_device device;
    cu_context context;
    cu_stream stream;
    cu_event event; /* marks the end of the stream's operations, for others to wait for */
    cu_pool pool;   /* the pool that its memory comes from */
    int arch;       /* 80 for sm_80 */
    int processors;
    char name[128];
    /* The loaded modules, by hash; unused ones are kept until the gpu is closed. */
    rt_gpu_module *modules;
    cu_address work; /* the work block of the call that is in the stream: work_bytes */
    size_t work_bytes;
    cu_address status; /* an i32 that failing kernels write */
    /* In pinned memory, so that copies to it are asynchronous. */
    rt_gpu_here *here;
    uint64_t launches, captures, replays; /* for tests and diagnostics */
    char said[512];                       /* the driver's message for the last failure */
    void *(*realloc)(void *user, void *old, size_t bytes);
    void *alloc_user;
} rt_gpu;

/* The context's gpu number `ordinal`, opened on first use.  Errors: COT_ERR_TARGET with one
 * sentence if there is no driver, an old one, or no such device.  The caller holds the
 * context's lock. */
cot_status rt_gpu_of(cot_context *ctx, int ordinal, rt_gpu **out);
/* The same without an error: NULL if there is none. */
rt_gpu *rt_gpu_try(cot_context *ctx, int ordinal);
/* The i-th of the open gpus. */
rt_gpu *rt_gpu_opened(cot_context *ctx, int i);
rt_gpu *rt_gpu_hold(rt_gpu *g);
void rt_gpu_drop(rt_gpu *g);

/* Begin and end a group of operations: takes the lock, and makes the gpu's CUDA context that of
 * the thread. */
void rt_gpu_begin(rt_gpu *g);
void rt_gpu_end(rt_gpu *g);

/* Called between begin and end.  On failure g->said is the driver's message.  COT_ERR_MEMORY if
 * the device runs out of memory, otherwise COT_ERR_TARGET. */
cot_status rt_gpu_check(rt_gpu *g, cu_result r, const char *doing);
cot_status rt_gpu_alloc(rt_gpu *g, size_t bytes, cu_address *out);
void rt_gpu_free(rt_gpu *g, cu_address at);
cot_status rt_gpu_sync(rt_gpu *g);
/* Called outside of begin and end.  Operations that enter the stream of g from now on follow
 * all that are in the stream of `other`, a gpu of another context.  The host does not wait. */
cot_status rt_gpu_follow(rt_gpu *g, rt_gpu *other);
/* The work block, of at least so many bytes.  Calls are executed in order, so one block serves
 * all. */
cot_status rt_gpu_work(rt_gpu *g, size_t bytes, cu_address *out);

/* Load PTX, once for each text; rt_gpu_unload releases it. */
cot_status rt_gpu_load(rt_gpu *g, const char *ptx, size_t bytes, rt_gpu_module **out);
void rt_gpu_unload(rt_gpu *g, rt_gpu_module *m);

/* place.c: a new array on gpu `ordinal`.  The caller holds the context's lock. */
cot_status rt_array_on(cot_context *ctx, const cot_type *type, int ordinal, bool zero,
                       cot_array **out);
/* Record g->said as the context's error with this status. */
cot_status rt_gpu_fail(cot_context *ctx, const rt_gpu *g, cot_status status, const char *fn);

#endif
