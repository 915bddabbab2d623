/* The functions of MPI that move data between two processes, each of which counts and calls
 * itself by its other name, PMPI_*: the profiling interface of MPI, which every MPI has.
 *
 * A receive counts what it was posted for; the test compares it with what the partner sends.
 * Ranks are those of MPI_COMM_WORLD and its duplicates.  volume.sh refuses a program that calls
 * another function that moves data. */
#include "tests/processes/counted_mpi.h"

#include <mpi.h>
#include <string.h>

counted counted_sent[COUNTED_PROCESSES], counted_received[COUNTED_PROCESSES];

void
counted_clear(void)
{
    memset(counted_sent, 0, sizeof counted_sent);
    memset(counted_received, 0, sizeof counted_received);
}

void
counted_add(counted *c, int64_t bytes)
{
    c->bytes += bytes;
    c->messages++;
    c->longest = bytes > c->longest ? bytes : c->longest;
}

static void
count(counted *by, int partner, int n, MPI_Datatype type)
{
    int size = 0;

    MPI_Type_size(type, &size);
    counted_add(&by[partner], (int64_t)n * size);
}

#define SENDS(NAME)                                                                            \
    int MPI_##NAME(const void *x, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)    \
    {                                                                                          \
        count(counted_sent, to, n, type);                                                      \
        return PMPI_##NAME(x, n, type, to, tag, comm);                                         \
    }
#define SENDS_LATER(NAME)                                                                      \
    int MPI_##NAME(const void *x, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,    \
                   MPI_Request *r)                                                             \
    {                                                                                          \
        count(counted_sent, to, n, type);                                                      \
        return PMPI_##NAME(x, n, type, to, tag, comm, r);                                      \
    }
SENDS(Send)
SENDS(Ssend)
SENDS(Rsend)
SENDS(Bsend)
SENDS_LATER(Isend)
SENDS_LATER(Issend)
SENDS_LATER(Irsend)
SENDS_LATER(Ibsend)

int
MPI_Recv(void *x, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *s)
{
    count(counted_received, from, n, type);
    return PMPI_Recv(x, n, type, from, tag, comm, s);
}

int
MPI_Irecv(void *x, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
    count(counted_received, from, n, type);
    return PMPI_Irecv(x, n, type, from, tag, comm, r);
}

int
MPI_Sendrecv(const void *x, int n, MPI_Datatype type, int to, int tag, void *y, int n_y,
             MPI_Datatype type_y, int from, int tag_y, MPI_Comm comm, MPI_Status *s)
{
    count(counted_sent, to, n, type);
    count(counted_received, from, n_y, type_y);
    return PMPI_Sendrecv(x, n, type, to, tag, y, n_y, type_y, from, tag_y, comm, s);
}
