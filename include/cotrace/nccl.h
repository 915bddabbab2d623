/* Cotrace: a communicator over NCCL, for cot_options.comm.
 *
 * NCCL carries the bytes alone: the sums are ours, in the order of one process.  The library
 * and the CUDA driver are loaded when this is asked for; nothing here is linked with them.
 * Groups run on processors, so that a message goes through a buffer of the GPU on both sides.
 *
 *     cot_comm comm;
 *     if (cot_nccl_open(&world.comm, &comm, .device = local_rank) == 0)
 *         train(cot_context_new(&(cot_options){ .comm = &comm }));
 *     cot_nccl_close(&comm);
 *
 * `meet` is any communicator of the same processes: over it they agree whether all can open,
 * and learn the id of process 0.  It lives until the close, and carries nothing else. */
#ifndef COTRACE_NCCL_H
#define COTRACE_NCCL_H

#include "cotrace/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct COT_NAMED_ cot_nccl_options {
    COT_BEGIN_
    int device;          /* the GPU of this process; no two have one */
    double timeout;      /* seconds without an answer after which a call fails; 0: 60 */
    const char *library; /* NULL: libnccl.so.2 */
    const char *driver;  /* NULL: libcuda.so.1 */
} cot_nccl_options;

COT_API int cot_nccl_open_(const cot_comm *meet, cot_comm *comm, const cot_nccl_options *o,
                           size_t size);

#ifndef __cplusplus
/* All processes call it.  0, or 1 where one of them has no NCCL or no GPU: then comm->error
 * says which and why.  Either way comm is closed, behind the contexts that use it. */
#define cot_nccl_open(...) COT_NCCL_OPEN_(__VA_ARGS__, .end_ = 0)
#define COT_NCCL_OPEN_(meet, comm, ...)                                                        \
    cot_nccl_open_(meet, comm, &(const cot_nccl_options){ __VA_ARGS__ },                       \
                   sizeof(cot_nccl_options))
#endif
/* What cot_nccl_open has made, or where it failed, what it says; NULL is nothing. */
COT_API void cot_nccl_close(cot_comm *comm);

#ifdef __cplusplus
}
#endif
#endif
