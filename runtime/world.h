/* Kernels of several processes: what pass_own leaves to the runtime. */
#ifndef RUNTIME_WORLD_H
#define RUNTIME_WORLD_H

#include "cotrace/comm.h"
#include "ir/graph.h"

/* The prepared f as this process runs it, which is *together with others; f itself where the
 * context has no communicator of several processes, or f has no spread axis.  spread: by
 * argument, then result, is it spread over processes?  NULL: none is. */
cot_status rt_world_own(const ir_graph *f, const bool *spread, const ir_graph **out,
                        bool *together);
/* A call of k failed: if it is one that processes make together, the others shall not wait for
 * this one.  What went wrong between them, in the context's arena of messages; NULL:
 * nothing. */
const char *rt_world_failed(const cot_kernel *k);

#endif
