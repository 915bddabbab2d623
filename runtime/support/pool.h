/* A parallel-for that generated code calls through a pointer, and a small pool of threads that
 * implements it.
 *
 * This file knows no graph.  Results do not depend on the number of threads: generated code
 * gives each iteration the same work, whichever thread runs it. */
#ifndef RUNTIME_SUPPORT_POOL_H
#define RUNTIME_SUPPORT_POOL_H

#include <stdint.h>

/* Run body(ctx, lo, hi) over ranges that cover [0, n) once, and return when all are done.
 * Ranges have `grain` or more iterations where possible.  The caller of a kernel may supply its
 * own implementation. */
#ifndef COT_PARALLEL_DEFINED            /* headers of objects have it too */
#define COT_PARALLEL_DEFINED
struct cot_parallel {
    void (*run)(const struct cot_parallel *self,
                void (*body)(void *ctx, int64_t lo, int64_t hi), void *ctx, int64_t n,
                int64_t grain);
};
#endif
typedef struct cot_parallel cot_parallel;

/* A pool of `threads` threads including the caller's; NULL if memory or threads are not
 * available. run may be called from several threads at once: if the pool is busy, it runs the
 * ranges in the calling thread.  A forked child may use and free its copy, whatever the
 * parent's threads did at the fork: it starts threads of its own for its first job. */
cot_parallel *cot_rt_pool_new(int threads);
void cot_rt_pool_free(cot_parallel *pool);

#endif
