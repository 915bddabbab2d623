/* Sums and messages between processes, of which world.c makes the calls of kernels. */
#ifndef RUNTIME_WORLD_SUM_H
#define RUNTIME_WORLD_SUM_H

#include "cotrace/comm.h"
#include "ir/type.h"

/* The process that c's meets in a round of c->size, so that each meets each once and no two
 * wait in a circle; itself: none. */
int rt_world_partner(const cot_comm *c, int round);
int rt_world_exchange(const cot_comm *c, int partner, const void *send, size_t n_send,
                      void *receive, size_t n_receive);

enum { RT_WORLD_FAILED = 1, RT_WORLD_MEMORY };
/* The sum of the rows of all processes, in the order of one: m elements each, of which this
 * process has those of the groups that it owns.  0, or one of these. */
int rt_world_sum(const cot_comm *comm, cot_dtype t, int64_t groups, int64_t m, const void *rows,
                 void *out);

#endif
