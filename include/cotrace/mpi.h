/* Cotrace: a communicator over MPI, for cot_options.comm.
 *
 * Include this behind <mpi.h>, and compile with mpicc; without <mpi.h> the header is empty.
 * The library has no symbol of MPI, so that any MPI fits.
 *
 *     static cot_mpi world;
 *     MPI_Init(&argc, &argv);
 *     if (cot_mpi_open(&world, MPI_COMM_WORLD, 60))
 *         return 1;
 *     cot_context *ctx = cot_context_new(&(cot_options){ .comm = &world.comm });
 *     ...
 *     cot_context_free(ctx);
 *     cot_mpi_close(&world);
 *     MPI_Finalize();
 *
 * A short message is sent from a buffer of the cot_mpi, which therefore is not on the stack:
 * what is fetched after a failure is not memory that has another use by then.  Before a long
 * one both processes meet, with a message of a byte each way; then it is sent from where it
 * is, and no failure of others is heard until it has arrived, so that no process goes on
 * with memory of one that has left.  One that is begun before it is waited for is copied
 * first, however long it is, to memory of malloc that is used again.  All are received where
 * they belong; after a failure what has not come is cancelled. */
#ifndef COTRACE_MPI_H
#define COTRACE_MPI_H

#include "cotrace/comm.h"

#ifdef MPI_VERSION
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COT_MPI_SHORT_ = 1 << 14, COT_MPI_PIECE_ = 1 << 30 };
enum { COT_MPI_DATA_ = 0, COT_MPI_FAULT_ = 1, COT_MPI_SPINS_ = 1000 };

/* An exchange that is begun, and the bytes that it sends. */
typedef struct cot_mpi_begun_ {
    MPI_Request r[2];
    int partner;
    int64_t number;
    char *copy;
    size_t room;
} cot_mpi_begun_;

typedef struct cot_mpi {
    cot_comm comm;
    MPI_Comm on; /* a duplicate of that of the user */
    double timeout;
    int failed, told; /* have the others been told so? */
    int fault[2];     /* the process at fault, and whether it did not answer */
    char text[160];
    char out[COT_MPI_SHORT_];
    /* n that are not waited for, in their order; behind them others, whose memory is free */
    cot_mpi_begun_ *begun;
    int n_begun, of_begun;
    int64_t next; /* number */
} cot_mpi;

/* Notes the process at fault: it did not answer, or it gave up; below 0: MPI itself failed, or
 * `silent` there is no memory. */
static inline int
cot_mpi_fail_(cot_mpi *m, int rank, int silent)
{
    m->failed = 1;
    m->fault[0] = rank;
    m->fault[1] = silent;
    if (rank < 0 && silent)
        snprintf(m->text, sizeof m->text, "process %d is short of memory", m->comm.rank);
    else if (rank < 0)
        snprintf(m->text, sizeof m->text, "a call of MPI failed");
    else if (silent)
        snprintf(m->text, sizeof m->text, "process %d did not answer within %g s", rank,
                 m->timeout);
    else
        snprintf(m->text, sizeof m->text, "process %d gave up after a failure of its own",
                 rank);
    return 1;
}

/* Has a process told that it, or another, is at fault? */
static inline int
cot_mpi_heard_(cot_mpi *m)
{
    MPI_Status from;
    int heard, fault[2];

    if (MPI_Iprobe(MPI_ANY_SOURCE, COT_MPI_FAULT_, m->on, &heard, &from))
        return cot_mpi_fail_(m, -1, 0);
    if (!heard)
        return 0;
    if (MPI_Recv(fault, 2, MPI_INT, from.MPI_SOURCE, COT_MPI_FAULT_, m->on, MPI_STATUS_IGNORE))
        return cot_mpi_fail_(m, -1, 0);
    return cot_mpi_fail_(m, fault[0], fault[1]);
}

/* Waits for both messages; met: the partner waits for them as well. */
static inline int
cot_mpi_wait_(cot_mpi *m, int partner, int met, MPI_Request *r)
{
    MPI_Status status[2];
    double start = 0;
    int done = 0;

    for (int looks = 1;; looks++) {
        if (MPI_Testall(2, r, &done, status))
            return cot_mpi_fail_(m, -1, 0);
        if (done)
            return 0;
        if (looks % COT_MPI_SPINS_)
            continue;
        if (!met && cot_mpi_heard_(m))
            return 1;
        start = start == 0 ? MPI_Wtime() : start;
        if (MPI_Wtime() - start > m->timeout)
            return cot_mpi_fail_(m, partner, 1);
        sched_yield();
        looks = 0;
    }
}

/* Nothing may be written to memory of the caller's any more, or read from it: what is received
 * is cancelled, or, as what is sent from it, waited for; if it does not get there, all end. */
static inline void
cot_mpi_drop_(cot_mpi *m, MPI_Request *r, int receives)
{
    const double start = MPI_Wtime();
    int done = *r == MPI_REQUEST_NULL;

    if (!done && receives)
        MPI_Cancel(r);
    while (!done)
        if (MPI_Test(r, &done, MPI_STATUS_IGNORE) || MPI_Wtime() - start > m->timeout)
            MPI_Abort(m->on, 1);
}

/* Posts a message each way, of so many bytes; 0: no message. */
static inline int
cot_mpi_post_(cot_mpi *m, int partner, const char *send, int sends, char *receive, int receives,
              MPI_Request *r)
{
    if ((receives &&
         MPI_Irecv(receive, receives, MPI_BYTE, partner, COT_MPI_DATA_, m->on, &r[0])) ||
        (sends && MPI_Isend(send, sends, MPI_BYTE, partner, COT_MPI_DATA_, m->on, &r[1])))
        return cot_mpi_fail_(m, -1, 0);
    return 0;
}

/* Short messages: what is sent is copied. */
static inline int
cot_mpi_short_(cot_mpi *m, int partner, const char *send, int sends, char *receive,
               int receives)
{
    MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };

    if (sends)
        memcpy(m->out, send, (size_t)sends);
    if (cot_mpi_post_(m, partner, m->out, sends, receive, receives, r) == 0 &&
        cot_mpi_wait_(m, partner, 0, r) == 0)
        return 0;
    cot_mpi_drop_(m, &r[0], 1);
    return 1;
}

/* Long ones, between processes that have met. */
static inline int
cot_mpi_long_(cot_mpi *m, int partner, const char *send, int sends, char *receive, int receives)
{
    MPI_Request r[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };

    if (cot_mpi_post_(m, partner, send, sends, receive, receives, r) == 0 &&
        cot_mpi_wait_(m, partner, 1, r) == 0)
        return 0;
    cot_mpi_drop_(m, &r[0], 1);
    cot_mpi_drop_(m, &r[1], 0);
    return 1;
}

/* cot_comm.exchange. */
static inline int
cot_mpi_exchange_(void *user, int partner, const void *send, size_t send_bytes, void *receive,
                  size_t receive_bytes)
{
    cot_mpi *m = (cot_mpi *)user;
    const size_t piece = COT_MPI_PIECE_;
    const char byte = 0;
    char other;

    if (m->failed)
        return 1;
    if (send_bytes <= COT_MPI_SHORT_ && receive_bytes <= COT_MPI_SHORT_)
        return cot_mpi_short_(m, partner, (const char *)send, (int)send_bytes, (char *)receive,
                              (int)receive_bytes);
    if (cot_mpi_short_(m, partner, &byte, 1, &other, 1))
        return 1;
    for (size_t at = 0; at < send_bytes || at < receive_bytes; at += piece) {
        const size_t out = at < send_bytes ? send_bytes - at : 0,
                     in = at < receive_bytes ? receive_bytes - at : 0,
                     sends = out < piece ? out : piece, receives = in < piece ? in : piece;
        if (cot_mpi_long_(m, partner, sends ? (const char *)send + at : NULL, (int)sends,
                          receives ? (char *)receive + at : NULL, (int)receives))
            return 1;
    }
    return 0;
}

/* Room for one more exchange that is begun, with a copy of what it sends; NULL: none. */
static inline cot_mpi_begun_ *
cot_mpi_take_(cot_mpi *m, const void *send, size_t bytes)
{
    if (m->n_begun == m->of_begun) {
        const int n = 2 * m->of_begun + 8;
        cot_mpi_begun_ *all = (cot_mpi_begun_ *)realloc(m->begun, (size_t)n * sizeof *m->begun);
        if (!all)
            return NULL;
        memset(all + m->of_begun, 0, (size_t)(n - m->of_begun) * sizeof *all);
        m->begun = all;
        m->of_begun = n;
    }
    cot_mpi_begun_ *b = &m->begun[m->n_begun];
    if (bytes > b->room) {
        free(b->copy);
        b->copy = (char *)malloc(bytes);
        b->room = b->copy ? bytes : 0;
    }
    if (bytes > b->room)
        return NULL;
    if (bytes)
        memcpy(b->copy, send, bytes);
    return b;
}

/* cot_comm.start.  One of more bytes than a message may have is no more than an exchange. */
static inline int64_t
cot_mpi_start_(void *user, int partner, const void *send, size_t send_bytes, void *receive,
               size_t receive_bytes)
{
    cot_mpi *m = (cot_mpi *)user;
    const int whole = send_bytes <= COT_MPI_PIECE_ && receive_bytes <= COT_MPI_PIECE_;

    if (m->failed)
        return -1;
    cot_mpi_begun_ *b = cot_mpi_take_(m, send, whole ? send_bytes : 0);
    if (!b) {
        cot_mpi_fail_(m, -1, 1);
        return -1;
    }
    b->partner = partner;
    b->number = m->next++;
    b->r[0] = b->r[1] = MPI_REQUEST_NULL;
    m->n_begun++;
    const int status =
        whole ? cot_mpi_post_(m, partner, b->copy, (int)send_bytes, (char *)receive,
                              (int)receive_bytes, b->r)
              : cot_mpi_exchange_(m, partner, send, send_bytes, receive, receive_bytes);
    return status ? -1 : b->number;
}

/* cot_comm.wait. */
static inline int
cot_mpi_finish_(void *user, int64_t number)
{
    cot_mpi *m = (cot_mpi *)user;
    int k = 0;

    if (m->failed)
        return 1;
    while (k < m->n_begun && m->begun[k].number != number)
        k++;
    if (k == m->n_begun)
        return cot_mpi_fail_(m, -1, 0);
    if (cot_mpi_wait_(m, m->begun[k].partner, 0, m->begun[k].r))
        return 1;
    const cot_mpi_begun_ done = m->begun[k];
    memmove(m->begun + k, m->begun + k + 1, (size_t)(m->n_begun - k - 1) * sizeof done);
    m->begun[--m->n_begun] = done;
    return 0;
}

/* cot_comm.barrier: each process meets each other once. */
static inline int
cot_mpi_barrier_(void *user)
{
    const char byte = 0;
    char other;
    cot_mpi *m = (cot_mpi *)user;

    for (int round = 0; round < m->comm.size; round++) {
        const int partner = (round - m->comm.rank + m->comm.size) % m->comm.size;
        if (partner != m->comm.rank && cot_mpi_exchange_(m, partner, &byte, 1, &other, 1))
            return 1;
    }
    return 0;
}

/* cot_comm.abort: the others hear of the fault when they wait next.  What this process has
 * begun to receive is cancelled; what it has begun to send is in memory that stays. */
static inline void
cot_mpi_abort_(void *user)
{
    cot_mpi *m = (cot_mpi *)user;
    MPI_Request r;

    if (!m->failed)
        cot_mpi_fail_(m, m->comm.rank, 0);
    for (int k = 0; k < m->comm.size && !m->told; k++)
        if (k != m->comm.rank &&
            MPI_Isend(m->fault, 2, MPI_INT, k, COT_MPI_FAULT_, m->on, &r) == MPI_SUCCESS)
            MPI_Request_free(&r);
    for (int k = 0; k < m->n_begun; k++)
        cot_mpi_drop_(m, &m->begun[k].r[0], 1);
    m->n_begun = m->of_begun = 0;
    m->told = 1;
}

/* cot_comm.error. */
static inline const char *
cot_mpi_error_(void *user)
{
    const cot_mpi *m = (const cot_mpi *)user;

    return m->failed ? m->text : NULL;
}

/* Makes m->comm of the processes of a communicator; all of them call it.  A call fails where a
 * process does not answer within so many seconds.  0, or 1 where MPI fails. */
static inline int
cot_mpi_open(cot_mpi *m, MPI_Comm comm, double timeout)
{
    memset(m, 0, sizeof *m);
    m->timeout = timeout;
    m->comm.user = m;
    m->comm.exchange = cot_mpi_exchange_;
    m->comm.barrier = cot_mpi_barrier_;
    m->comm.abort = cot_mpi_abort_;
    m->comm.error = cot_mpi_error_;
    m->comm.start = cot_mpi_start_;
    m->comm.wait = cot_mpi_finish_;
    if (MPI_Comm_dup(comm, &m->on) || MPI_Comm_set_errhandler(m->on, MPI_ERRORS_RETURN) ||
        MPI_Comm_rank(m->on, &m->comm.rank) || MPI_Comm_size(m->on, &m->comm.size))
        return 1;
    return 0;
}

/* Until all processes have come here, but no longer than a second: what they say of a failure
 * is said by then. */
static inline void
cot_mpi_leave_(cot_mpi *m)
{
    const double start = MPI_Wtime();
    MPI_Request r;
    int done = MPI_Ibarrier(m->on, &r) != MPI_SUCCESS;

    while (!done && MPI_Wtime() - start < 1)
        if (MPI_Test(&r, &done, MPI_STATUS_IGNORE))
            break;
}

/* The end: call it behind cot_context_free.  Where the communicator has failed, messages are on
 * their way that nobody receives, and MPI_Abort ends all processes, once each is here or a
 * second has passed. */
static inline void
cot_mpi_close(cot_mpi *m)
{
    if (m->failed) {
        cot_mpi_leave_(m);
        MPI_Abort(m->on, 1);
    }
    for (int k = 0; k < m->of_begun; k++)
        free(m->begun[k].copy);
    free(m->begun);
    MPI_Comm_free(&m->on);
}

#endif
#endif
