/* What processes that run one program do together: reductions over groups, moves of rows,
 * messages.  Generated code calls these functions, those in this process as those in objects
 * and C source, which link with libcotrace_rt.a.
 *
 * This file knows no graph.  Nothing here allocates: a function that needs memory takes `room`,
 * aligned to 16, of so many bytes as the function of its name with _room says.  comm is a
 * cot_comm; NULL is one process.  A function that answers an int answers 0, or
 * COT_RT_WORLD_FAILED after it has called cot_comm.abort. */
#ifndef RUNTIME_SUPPORT_WORLD_H
#define RUNTIME_SUPPORT_WORLD_H

#include <stdbool.h>

#include "cotrace/comm.h"
#include "cotrace/tensor.h"
#include "runtime/support/owner.h"

enum { COT_RT_WORLD_FAILED = 1 };

/* The process that c's meets in a round of c->size, so that each meets each once and no two
 * wait in a circle; itself: none. */
int cot_rt_world_partner(const cot_comm *c, int round);
/* One message each way; these fail without an abort. */
int cot_rt_world_exchange(const cot_comm *c, int partner, const void *send, size_t n_send,
                          void *receive, size_t n_receive);
/* Can its exchanges be begun before they are waited for?  The two halves of an exchange, which
 * share a number: of a communicator that starts nothing the first half is all of it. */
bool cot_rt_world_starts(const cot_comm *c);
int cot_rt_world_start(const cot_comm *c, int partner, const void *send, size_t n_send,
                       void *receive, size_t n_receive, int64_t *number);
int cot_rt_world_wait(const cot_comm *c, int64_t number);
/* Messages that a function begins at most before it waits for one of them, where their numbers
 * are on its stack. */
enum { COT_RT_WORLD_AT_ONCE = 16 };
/* A status, after an abort if it is not 0. */
int cot_rt_world_given_up(const cot_comm *c, int status);
/* Numbers that all processes have: of the program, and of arguments (cot_rt_world_note).  Where
 * another process has others, *process is the first such, and *differs which number; else
 * *process is -1. */
enum { COT_RT_WORLD_COMPARED = 2 };
int cot_rt_world_compare(const cot_comm *c, const int64_t *own, int *process, int *differs);
/* *out is *before, a hash, with so many more bytes. */
int cot_rt_world_note(const void *x, const int64_t *before, int64_t *out, int64_t bytes);

/* Who owns the groups of an axis: by which rule, and which processes share them.  Processes are
 * a grid, row by row, where spread axes nest: those of one column share the outer axis, and
 * those of one row the inner one. */
typedef enum cot_rt_among {
    COT_RT_AMONG_ALL,
    COT_RT_AMONG_COLUMN,
    COT_RT_AMONG_ROW
} cot_rt_among;
/* This process and the others: of `size` processes it is number `rank`, and number i is process
 * first + i step of all. */
typedef struct cot_rt_owners {
    cot_rt_own_rule rule;
    int size, rank, first, step;
} cot_rt_owners;
/* The number by which calls name them, which is the rule alone where all processes share; and
 * what it names, for a process of so many.  A grid that does not fit them is all of them. */
int64_t cot_rt_owners_number(cot_rt_own_rule rule, cot_rt_among among, int columns);
cot_rt_owners cot_rt_owners_of(int64_t number, int size, int rank);
/* A communicator of these processes alone: g->comm, which lives as long as *g, or c itself. */
typedef struct cot_rt_subgrid {
    cot_comm comm;
    const cot_comm *of;
    cot_rt_owners owners;
} cot_rt_subgrid;
const cot_comm *cot_rt_subgrid_of(cot_rt_subgrid *g, const cot_comm *c, int64_t owners);

/* What a shipped program begins with: is comm one of those that it was compiled for, and do all
 * processes run one program, of this hash, with arguments of the hash *noted?  table: each
 * number of processes, followed by the body for each of them, `entries` numbers in all.  *body
 * is that of this process. */
int cot_rt_world_begin(const void *comm, const int64_t *table, const int64_t *noted,
                       int32_t *body, int64_t entries, int64_t hash);

/* The own groups of so many, in the order in which a process has their rows. */
int cot_rt_world_rows(const void *comm, int64_t *out, int64_t owners, int64_t groups);

/* How a reduction combines; the numbers are those of ir_combine. */
enum { COT_RT_SUM = 1, COT_RT_MAX = 3, COT_RT_MIN, COT_RT_AND, COT_RT_OR };
/* A reduction over groups, of which each process has the rows of those that it owns, in the
 * order of one process.  by: where it is no sum, each process has one row, of all its groups.
 * dtype: of the elements; m: of a row, how many.  parted: the rows that a row of m is made of,
 * of which each process wants those of its own groups; -1: each wants all of it. */
int64_t cot_rt_world_reduce_room(int size, int rank, int64_t owners, int64_t groups, int64_t by,
                                 int64_t parted, int64_t dtype, int64_t m);
int cot_rt_world_reduce(const void *comm, const void *rows, void *out, void *room,
                        int64_t owners, int64_t groups, int64_t by, int64_t parted,
                        int64_t dtype, int64_t m);

/* n reductions, up to COT_RT_WORLD_SUMS, of which all of the result is wanted, in the messages
 * of one.  table: for each the numbers groups, by, dtype and m.  The call has two halves: start
 * sends what this process has of the sums, and the other waits for what the others have.  In
 * between neither the rows nor the room change, nor is the room moved.  Objects call functions
 * with all operands and results spelled out: n of each, and others without a meaning. */
enum { COT_RT_WORLD_SUMS = 16, COT_RT_WORLD_SUM_NUMBERS = 4 };
int64_t cot_rt_world_sums_room(int size, int rank, const int64_t *table, int64_t n,
                               int64_t owners);
int cot_rt_world_start_sums(const void *comm, const int64_t *table, const void *const *rows,
                            void *room, int64_t n, int64_t owners);
int cot_rt_world_sums(const void *comm, void *const *out, void *room);
int cot_rt_world_start_sums_of(const void *comm, const int64_t *table, const void *x0,
                               const void *x1, const void *x2, const void *x3, const void *x4,
                               const void *x5, const void *x6, const void *x7, const void *x8,
                               const void *x9, const void *x10, const void *x11,
                               const void *x12, const void *x13, const void *x14,
                               const void *x15, void *room, int64_t n, int64_t owners);
int cot_rt_world_sums_of(const void *comm, const void *x0, const void *x1, const void *x2,
                         const void *x3, const void *x4, const void *x5, const void *x6,
                         const void *x7, const void *x8, const void *x9, const void *x10,
                         const void *x11, const void *x12, const void *x13, const void *x14,
                         const void *x15, const void *room, void *y0, void *y1, void *y2,
                         void *y3, void *y4, void *y5, void *y6, void *y7, void *y8, void *y9,
                         void *y10, void *y11, void *y12, void *y13, void *y14, void *y15);

/* Rows of `row` bytes of all groups in their order, from those of each process. */
int64_t cot_rt_world_gather_room(int size, int rank, int64_t owners, int64_t groups,
                                 int64_t row);
int cot_rt_world_gather(const void *comm, const void *rows, void *out, void *room,
                        int64_t owners, int64_t groups, int64_t row);

/* The own rows of a value of `to` groups, each of which is a row of another value of groups or
 * zeros: `runs` pairs of numbers say which, the first row of a run, below 0 for zeros, and how
 * many it has.  Groups are owned by runs.  It has two halves, as sums have. */
int64_t cot_rt_world_move_room(int size, int rank, const int64_t *run, int64_t groups,
                               int64_t to, int64_t row, int64_t runs, int64_t owners);
int cot_rt_world_start_move(const void *comm, const void *rows, const int64_t *run, void *room,
                            int64_t groups, int64_t to, int64_t row, int64_t runs,
                            int64_t owners);
int cot_rt_world_move(const void *comm, const void *rows, const int64_t *run, const void *room,
                      void *out, int64_t groups, int64_t to, int64_t row, int64_t runs,
                      int64_t owners);

#endif
