/* A parallel-for that generated code calls through a pointer, and a small pool of threads
 * behind it.
 *
 * Knows no graph.  The bits of a result never depend on the number of threads: generated code
 * gives each iteration the same work whoever runs it. */
#ifndef RUNTIME_SUPPORT_POOL_H
#define RUNTIME_SUPPORT_POOL_H

#include <stdint.h>

/* Run body(ctx, lo, hi) over pieces that cover [0, n) once each; return when all are done.
 * Pieces are of
 * `grain` iterations or more where possible.  The caller of a kernel may supply its own. */
#ifndef COT_PARALLEL_DEFINED            /* headers of objects have it too */
#define COT_PARALLEL_DEFINED
struct cot_parallel {
    void (*run)(const struct cot_parallel *self,
                void (*body)(void *ctx, int64_t lo, int64_t hi), void *ctx, int64_t n,
                int64_t grain);
};
#endif
typedef struct cot_parallel cot_parallel;

/* A pool of `threads` threads, the caller's included; NULL if memory or threads are short.  run
 * may be called from several threads at once: a pool that is busy runs the pieces in the
 * calling thread.  A child that is forked may use and free its copy, whatever the parent's
 * threads did at the fork: it starts threads of its own at its first job. */
cot_parallel *cot_rt_pool_new(int threads);
void cot_rt_pool_free(cot_parallel *pool);

#endif
