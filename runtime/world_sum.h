/* Reductions, moves of rows and messages between processes, of which world.c makes the calls of
 * kernels. */
#ifndef RUNTIME_WORLD_SUM_H
#define RUNTIME_WORLD_SUM_H

#include "cotrace/comm.h"
#include "ir/op.h"
#include "ir/owner.h"
#include "ir/type.h"

/* The process that c's meets in a round of c->size, so that each meets each once and no two
 * wait in a circle; itself: none. */
int rt_world_partner(const cot_comm *c, int round);
int rt_world_exchange(const cot_comm *c, int partner, const void *send, size_t n_send,
                      void *receive, size_t n_receive);

enum { RT_WORLD_FAILED = 1, RT_WORLD_MEMORY };
/* A reduction over groups, of which each process has the rows of those that it owns. */
typedef struct rt_reduction {
    ir_own_rule rule;
    int64_t groups;
    ir_combine by; /* not a sum: each process has one row, of all its groups */
    cot_dtype t;
    int64_t m; /* elements of a row */
    /* the rows that a row of m is made of, of which each process wants those of its own groups;
     * -1: each wants all of it */
    int64_t parted;
} rt_reduction;
/* The result in the order of one process.  0, or one of these. */
int rt_world_reduce(const cot_comm *comm, const rt_reduction *r, const void *rows, void *out);

/* Rows of `row` bytes of all groups in their order, from those of each process.  (world_move.c)
 */
int rt_world_gather(const cot_comm *comm, ir_own_rule rule, int64_t groups, size_t row,
                    const void *rows, void *out);
/* The own rows of a value of so many groups `to`, whose row i is row from[i] of another of
 * groups; below 0: zeros. */
typedef struct rt_move {
    ir_own_rule rule;
    int64_t groups, to;
    int64_t runs;
    const int64_t *run; /* pairs: from[i] of the first row of a run, which ascends; its rows */
} rt_move;
int rt_world_move(const cot_comm *comm, const rt_move *m, size_t row, const void *rows,
                  void *out);

#endif
