/* Cotrace: several processes that run one program together.
 *
 * cot_vmap(f, .axis = "i", .over = "world") fixes an axis of groups that may be spread over
 * processes.  Each process makes a context with a communicator (cot_options.comm), traces the
 * same functions with the same types, and makes the same calls in the same order, each with the
 * same arguments.  Kernels of cot_jit, cot_compile and the like then run only the groups that
 * the process owns and exchange the rest; the results are whole on every process, and have the
 * bits that one process computes.  Without a communicator one process runs all groups.  Objects
 * and C source take a communicator when they are called, where cot_compile_options.processes
 * asks for it.  docs/processes.md says how, and what is refused.
 *
 * A communicator is a small struct of functions.  cot_shm_run, below, makes one for processes
 * of one machine, and cotrace/mpi.h one over MPI. */
#ifndef COTRACE_COMM_H
#define COTRACE_COMM_H

#include "cotrace/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of one process, numbered `rank`, of `size`.  They are called while a kernel runs,
 * by the thread that calls it: one thread at a time calls kernels with a spread axis.  Those
 * with a result answer 0, or another number if they failed: then the kernel ends with
 * COT_ERR_FOREIGN, and the message has the text of `error`. */
typedef struct cot_comm cot_comm;
#ifndef COT_COMM_DEFINED /* headers of objects have it too */
#define COT_COMM_DEFINED
struct cot_comm {
    void *user; /* handed to each function */
    int rank, size;
    /* Send bytes to another process and receive bytes from it.  The partner calls this at the
     * same place with the sizes exchanged; either may be 0.  Both transfers go on at the same
     * time, so that no order of two processes blocks.  The buffers do not overlap. */
    int (*exchange)(void *user, int partner, const void *send, size_t send_bytes, void *receive,
                    size_t receive_bytes);
    /* All processes arrive before one goes on. Kernels do not call it. */
    int (*barrier)(void *user);
    /* This process will not go on: its calls and those of the others fail from now on, and send
     * nothing more.  It returns. */
    void (*abort)(void *user);
    /* What failed and with which process, "process 2 was ended by signal 9"; NULL: nothing.
     * May itself be NULL. */
    const char *(*error)(void *user);
    /* Both may be NULL: then nothing is on its way while a kernel computes.  start begins an
     * exchange and answers a number of it, or -1 if it failed.  The bytes of both sides are the
     * communicator's until wait, with that number, has returned.  The partner calls start at
     * the same place; exchanges are waited for in any order.  Messages to one partner, of both
     * kinds, arrive in the order of the calls that send them.  When abort has returned, nothing
     * writes to the buffers any more. */
    int64_t (*start)(void *user, int partner, const void *send, size_t send_bytes,
                     void *receive, size_t receive_bytes);
    int (*wait)(void *user, int64_t exchange);
};
#endif

/* The process, of so many, that owns group `group` of `groups`; -1 where a number is out of
 * range. */
COT_API int cot_spread_owner(int64_t groups, int processes, int64_t group);

typedef struct COT_NAMED_ cot_shm_options {
    COT_BEGIN_
    /* seconds without an answer after which a call fails, and after a failure those after which
     * a process that does not end is killed; 0: 60 */
    double timeout;
    size_t buffer_bytes; /* of the buffer from one process to another; 0: 64 KB */
    /* room for one number of each process, which is filled: what its body returned, or minus
     * the signal that ended it; NULL: not wanted */
    int *status;
} cot_shm_options;

/* What each process runs; it answers 0, or the number from 1 to 255 of a failure. */
typedef int cot_shm_body(const cot_comm *comm, void *user);
COT_API int cot_shm_run_(int processes, cot_shm_body *body, void *user,
                         const cot_shm_options *o, size_t size);

#ifndef __cplusplus
/* Fork so many processes, 1 to 256, that share memory; run body(comm, user) in each, and wait
 * until all have ended.  The calling process runs no body, has no thread but the calling one,
 * and makes its contexts within the body: LLVM and pools of threads do not survive a fork.
 * Where a process ends before the others have what it owes them, or does not answer in time,
 * the calls of the others fail and name it.
 *
 * 0 if every body returned 0; else the first number that was not 0, or 128 + the signal that
 * ended a process; -1: the processes cannot be made. */
#define cot_shm_run(processes, body, ...) COT_SHM_RUN_(processes, body, __VA_ARGS__, .end_ = 0)
#define COT_SHM_RUN_(processes, body, user, ...)                                               \
    cot_shm_run_(processes, body, user, &(const cot_shm_options){ __VA_ARGS__ },               \
                 sizeof(cot_shm_options))
#endif

/* What a shared object defines, as extern functions cot_comm_open and cot_comm_close, by which
 * `cot run --comm FILE` makes the communicator of processes that something else has started;
 * comm_mpi.c is one.  open: a call may wait for so many seconds, above 0; *bytes is set to the
 * size of a cot_comm.  The result is the object's, and lives until close; NULL: it cannot be
 * made.  close is called once, behind the last call of the communicator. */
typedef const cot_comm *cot_comm_open_call(double timeout, size_t *bytes);
typedef void cot_comm_close_call(void);

#ifdef __cplusplus
}
#endif
#endif
