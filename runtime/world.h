/* Kernels of several processes: what pass_own leaves to the runtime. */
#ifndef RUNTIME_WORLD_H
#define RUNTIME_WORLD_H

#include "cotrace/comm.h"
#include "ir/graph.h"
#include "passes/pass.h"

/* The prepared f as this process runs it, which is *together with others; f itself where the
 * context has no communicator of several processes, or f has no spread axis.  spread: by
 * argument, then result, is it spread over processes?  NULL: none is. */
cot_status rt_world_own(const ir_graph *f, const bool *spread, const ir_graph **out,
                        bool *together);
/* A call of k failed: if it is one that processes make together, the others shall not wait for
 * this one.  What went wrong between them, in the context's arena of messages; NULL:
 * nothing. */
const char *rt_world_failed(const cot_kernel *k);

/* pass_world.owners and pass_world.owned, of runtime/support. */
int64_t rt_world_owners(pass_own_rule rule, pass_among among, int columns);
pass_owned rt_world_owned(int64_t owners, int64_t groups, int size, int rank, int64_t *list);

/* What two processes must share to have the same bits: the graph, what of it is spread, the
 * version, the contract. */
uint64_t rt_world_hash(const ir_graph *f, const bool *spread);

/* pass_world.wanted, of cot_options.own, and pass_world.parts. */
cot_status rt_world_wanted(cot_context *ctx, int *out);
int64_t rt_world_parts(pass_own_rule rule, int64_t groups, int size);

/* pass_world.room: the bytes that a call of one half needs while it runs, or one of two halves
 * until the second has run. */
int64_t rt_world_room(const char *name, const int64_t *attrs, int size, int rank);

/* world_file.c.  The numbers that a list as "1-4,8" names; none where it is NULL. */
cot_status rt_world_counts(cot_context *ctx, const char *list, ir_ints *out);
/* The prepared f for a file that serves so many processes, with a cot_comm before its
 * arguments.  spread: as of rt_world_own; then all processes have as many rows of each. */
cot_status rt_world_file(const ir_graph *f, ir_ints counts, const bool *spread, ir_arena *a,
                         const ir_graph **out);

#endif
