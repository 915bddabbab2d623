/* What a sum over processes takes, beside MPI_Allreduce; what a message takes; and what the
 * three programs of examples/processes take, from which a model predicts other numbers of
 * processes.
 *
 *   processes shm P [programs]            over shared memory
 *   mpirun -n P processes mpi [programs]  over MPI; each of our sums in turn with MPI's
 *
 * A line is a name, the number of processes, bytes, and the least and the median of the times
 * of a call, that of its slowest process, in microseconds.  bench/processes.py runs all of them
 * and writes the page.  Compiled by mpicc, with the object of examples/processes/build.c and
 * libcotrace_rt.a. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cotrace/comm.h"
#include "cotrace/mpi.h"
#include "processes.h"
#include "runtime/support/world.h"

enum { LEAST = 1 << 10, MOST = 64 << 20, ROUNDS = 31, BATCH = 1 << 20, MAX_BATCH = 64 };

typedef struct bench {
    const cot_comm *comm;
    int64_t m; /* elements */
    float *x, *y;
    void *room;
} bench;

/* 0, or it failed. */
typedef int bench_call(const bench *b);

static int
our_sum(const bench *b)
{
    return cot_rt_world_reduce(b->comm, b->x, b->y, b->room, COT_RT_OWN_LEAVES, b->comm->size,
                               COT_RT_SUM, -1, COT_F32, b->m);
}

static int
mpi_sum(const bench *b)
{
    return MPI_Allreduce(b->x, b->y, (int)b->m, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/* A message there and back, between processes 0 and 1. */
static int
ping(const bench *b)
{
    const size_t n = (size_t)b->m * sizeof(float);
    const int rank = b->comm->rank, other = 1 - rank;

    for (int there = 0; there < 2 && rank < 2; there++)
        if (cot_rt_world_exchange(b->comm, other, b->x, rank == there ? n : 0, b->y,
                                  rank == there ? 0 : n))
            return 1;
    return 0;
}

static int
one_train(const bench *b)
{
    float *x = b->x, *y = b->y;

    return train(b->comm, x, x, x, x, x, x, y, y + TRAIN_W1_SIZE,
                 y + TRAIN_W1_SIZE + TRAIN_B1_SIZE,
                 y + TRAIN_W1_SIZE + TRAIN_B1_SIZE + TRAIN_W2_SIZE,
                 y + 2 * TRAIN_W1_SIZE + TRAIN_B1_SIZE + TRAIN_W2_SIZE, b->room);
}

static int
one_heat(const bench *b)
{
    return heat(b->comm, b->x, b->y, b->y + HEAT_U_SIZE, b->room);
}

static int
one_price(const bench *b)
{
    static const uint64_t key[2] = { 2024, 0 };
    static const float market[2] = { 0.3f, 0.04f };

    return price(b->comm, market, key, b->y, b->y + 2, b->room);
}

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* All are here: each process meets each other. */
static int
meet(const cot_comm *c)
{
    const int64_t same[COT_RT_WORLD_COMPARED] = { 0 };
    int other, differs;

    return c->size > 1 && cot_rt_world_compare(c, same, &other, &differs);
}

/* The time of one of so many calls; below 0: it failed. */
static double
time_calls(const bench *b, bench_call *f, int calls)
{
    if (meet(b->comm))
        return -1;
    const double start = now();
    for (int i = 0; i < calls; i++)
        if (f(b))
            return -1;
    return (now() - start) / calls;
}

static int
ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Process 0 prints the times of the slowest. */
static int
report(const cot_comm *c, const char *name, size_t bytes, double *t)
{
    double other[ROUNDS];

    for (int k = 1; k < c->size; k++) {
        if (c->rank == k && c->exchange(c->user, 0, t, sizeof other, NULL, 0))
            return 1;
        if (c->rank == 0 && c->exchange(c->user, k, NULL, 0, other, sizeof other))
            return 1;
        for (int i = 0; i < ROUNDS && c->rank == 0; i++)
            t[i] = other[i] > t[i] ? other[i] : t[i];
    }
    qsort(t, ROUNDS, sizeof *t, ascending);
    if (c->rank == 0)
        printf("%s,%d,%zu,%.2f,%.2f\n", name, c->size, bytes, t[0], t[ROUNDS / 2]);
    fflush(stdout);
    return 0;
}

typedef struct timed {
    const char *name;
    bench_call *f;
} timed;

/* Of n functions in turn. */
static int
compare(const bench *b, int n, const timed *f, size_t bytes, int calls)
{
    double t[3][ROUNDS];

    for (int round = -2; round < ROUNDS; round++)
        for (int k = 0; k < n; k++) {
            const double x = time_calls(b, f[k].f, calls);
            if (x < 0)
                return 1;
            t[k][round < 0 ? 0 : round] = x;
        }
    for (int k = 0; k < n; k++)
        if (report(b->comm, f[k].name, bytes, t[k]))
            return 1;
    return 0;
}

static bool
make(bench *b, size_t bytes, int64_t room)
{
    b->x = aligned_alloc(64, bytes);
    b->y = aligned_alloc(64, bytes);
    b->room = aligned_alloc(64, ((size_t)room + 127) / 64 * 64);
    if (!b->x || !b->y || !b->room)
        return false;
    for (size_t i = 0; i < bytes / sizeof *b->x; i++)
        b->x[i] = (float)((int)(i * 37 % 101) - 50) / 64;
    memset(b->y, 0, bytes);
    return true;
}

static int
sums(bench *b, bool mpi)
{
    const timed all[3] = { { mpi ? "mpi.sum" : "shm.sum", our_sum },
                           { mpi ? "mpi.ping" : "shm.ping", ping },
                           { "MPI_Allreduce", mpi_sum } };
    const cot_comm *c = b->comm;

    if (!make(b, MOST,
              cot_rt_world_reduce_room(c->size, c->rank, COT_RT_OWN_LEAVES, c->size, COT_RT_SUM,
                                       -1, COT_F32, MOST / (int)sizeof(float))))
        return 1;
    for (size_t bytes = LEAST; bytes <= MOST; bytes *= 4) {
        const size_t most = BATCH / bytes;
        b->m = (int64_t)(bytes / sizeof(float));
        if (compare(b, mpi ? 3 : 2, all, bytes,
                    most < 1           ? 1
                    : most > MAX_BATCH ? MAX_BATCH
                                       : (int)most))
            return 1;
    }
    return 0;
}

static int
programs(bench *b)
{
    static const timed all[3] = { { "train", one_train },
                                  { "heat", one_heat },
                                  { "price", one_price } };
    const int64_t room = PRICE_WORK_BYTES + HEAT_WORK_BYTES + TRAIN_WORK_BYTES;
    const size_t bytes = HEAT_U_BYTES + TRAIN_X_BYTES + 4 * TRAIN_W1_BYTES + 4096;

    return !make(b, bytes / 64 * 64, room) || compare(b, 3, all, 0, 2);
}

typedef struct wanted {
    bool programs, mpi;
} wanted;

static int
run(const cot_comm *comm, void *user)
{
    const wanted *w = user;
    bench b = { .comm = comm };
    const int status = w->programs ? programs(&b) : sums(&b, w->mpi);

    free(b.x), free(b.y), free(b.room);
    return status;
}

int
main(int argc, char **argv)
{
    static cot_mpi world;
    wanted w = { argc > 2 && strcmp(argv[argc - 1], "programs") == 0,
                 argc > 1 && strcmp(argv[1], "mpi") == 0 };

    if (!w.mpi)
        return argc < 3 ? 2 : cot_shm_run(atoi(argv[2]), run, &w) != 0;
    MPI_Init(&argc, &argv);
    if (cot_mpi_open(&world, MPI_COMM_WORLD, 60))
        return 1;
    const int status = run(&world.comm, &w);
    cot_mpi_close(&world);
    MPI_Finalize();
    return status;
}
