/* One GPU, as a context sees it: a stream, memory, modules.
 *
 * All that one context asks of a GPU goes through one stream, and so happens in order: memory
 * that a call has let go of may be the next one's, with no wait between.  Where a call has an
 * array of another context, the streams wait for each other: before it, and after.  A lock
 * makes what belongs together, as the launches of one call, stand together in the stream.  A
 * gpu is counted: by its context, by each array that lies on it and each kernel that runs on
 * it, which may outlive the context. */
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

/* Where small things are read to: not a place of a call, which may be over. */
typedef struct rt_gpu_here {
    int32_t failed;             /* *status */
    uint64_t word[2];
} rt_gpu_here;

typedef struct rt_gpu {
    /* what arrays on it point to: first, so that one is the other */
    ir_place place;
    rt_driver driver;
    atomic_int users;
    pthread_mutex_t lock;
    cu_device device;
    cu_context context;
    cu_stream stream;
    cu_event event;             /* what the stream holds, for others to wait for */
    cu_pool pool;               /* which its memory comes from */
    int arch;                   /* 80 for sm_80 */
    int processors;
    char name[128];
    /* loaded, by hash; those without users stay until the gpu goes */
    rt_gpu_module *modules;
    cu_address work;            /* of whichever call is in the stream: work_bytes */
    size_t work_bytes;
    cu_address status;          /* an i32 that kernels which fail write to */
    /* in pages that stay: a copy to them is asked for, not waited for */
    rt_gpu_here *here;
    uint64_t launches, captures, replays;       /* for tests and for looking inside */
    char said[512];             /* the driver's words about the last failure */
    void *(*realloc)(void *user, void *old, size_t bytes);
    void *alloc_user;
} rt_gpu;

/* The context's gpu number `ordinal`, opened at its first use.  Errors: COT_ERR_TARGET with one
 * sentence, if there is no driver, an old one, or no such device.  The caller holds the
 * context's lock. */
cot_status rt_gpu_of(cot_context *ctx, int ordinal, rt_gpu **out);
/* The same without an error: NULL if there is none. */
rt_gpu *rt_gpu_try(cot_context *ctx, int ordinal);
/* The i-th of those that are open. */
rt_gpu *rt_gpu_opened(cot_context *ctx, int i);
rt_gpu *rt_gpu_hold(rt_gpu *g);
void rt_gpu_drop(rt_gpu *g);

/* Begin and end what belongs together: the lock, and the gpu's context as the thread's. */
void rt_gpu_begin(rt_gpu *g);
void rt_gpu_end(rt_gpu *g);

/* Each between begin and end; on failure the driver's words are in g->said.  COT_ERR_MEMORY
 * where the device's is short, else COT_ERR_TARGET. */
cot_status rt_gpu_check(rt_gpu *g, cu_result r, const char *doing);
cot_status rt_gpu_alloc(rt_gpu *g, size_t bytes, cu_address *out);
void rt_gpu_free(rt_gpu *g, cu_address at);
cot_status rt_gpu_sync(rt_gpu *g);
/* Not between begin and end: what enters the stream of g from here on comes after all that is
 * in that of `other`, a gpu of another context.  The host does not wait. */
cot_status rt_gpu_follow(rt_gpu *g, rt_gpu *other);
/* The work block, of at least so many bytes.  Calls follow each other in the stream, so one
 * serves all. */
cot_status rt_gpu_work(rt_gpu *g, size_t bytes, cu_address *out);

/* PTX, loaded once for each text; let go of it by rt_gpu_unload. */
cot_status rt_gpu_load(rt_gpu *g, const char *ptx, size_t bytes, rt_gpu_module **out);
void rt_gpu_unload(rt_gpu *g, rt_gpu_module *m);

/* place.c: a new array on gpu `ordinal`.  The caller holds the context's lock. */
cot_status rt_array_on(cot_context *ctx, const cot_type *type, int ordinal, bool zero,
                       cot_array **out);
/* Record g->said as the context's error, of this status. */
cot_status rt_gpu_fail(cot_context *ctx, const rt_gpu *g, cot_status status, const char *fn);

#endif
