/* Runs the object of build.c on processes that share its calls, and prints a hash of the bytes
 * of every result, which is the same for any number of them.
 *
 *   cc main.c processes.o -lcotrace_rt             1, 2, 3, 4, 5, 7, 8 and 16 of this machine,
 *                                                  or ./a.out PROCESSES...
 *   mpicc -DUSE_MPI main.c processes.o -lcotrace_rt      mpirun -n 4 ./a.out
 *
 * Neither the compiler nor its library is here. */
#ifdef USE_MPI
#include <mpi.h>
#endif

#include <cotrace/comm.h>
#include <cotrace/mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "processes.h"

enum { STEPS = 10 };

/* Numbers between -1 and 1 that look like nothing in particular. */
static float *
numbers(int n, int from)
{
    float *x = malloc(sizeof *x * (size_t)n);

    for (int i = 0; x && i < n; i++)
        x[i] = (float)((from + 37 * i) % 65 - 32) / 32;
    return x;
}

/* FNV-1a: G. Fowler, L. C. Noll, K.-P. Vo, 1991. */
static unsigned
hash(unsigned h, const void *x, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ ((const unsigned char *)x)[i]) * 16777619u;
    return h;
}

static int
run_train(const cot_comm *comm, void *work, unsigned *h)
{
    static const int n[5] = { TRAIN_W1_SIZE, TRAIN_B1_SIZE, TRAIN_W2_SIZE, TRAIN_B2_SIZE, 1 };
    float *x = numbers(TRAIN_X_SIZE, 5), *y = numbers(TRAIN_Y_SIZE, 6), *now[5], *next[5];
    int status = 0;

    for (int i = 0; i < 5; i++) {
        now[i] = numbers(n[i], i + 1);
        next[i] = numbers(n[i], i + 1);
    }
    for (int k = 0; k < STEPS && !status; k++) {
        status = train(comm, now[0], now[1], now[2], now[3], x, y, next[0], next[1], next[2],
                       next[3], next[4], work);
        for (int i = 0; i < 5; i++) {
            float *before = now[i];
            now[i] = next[i];
            next[i] = before;
        }
    }
    for (int i = 0; i < 5; i++) {
        *h = hash(*h, now[i], sizeof(float) * (size_t)n[i]);
        free(now[i]), free(next[i]);
    }
    free(x), free(y);
    return status;
}

static int
run_heat(const cot_comm *comm, void *work, unsigned *h)
{
    float *u = numbers(HEAT_U_SIZE, 7), *slope = numbers(HEAT_U_SIZE, 8), squares = 0;
    const int status = heat(comm, u, slope, &squares, work);

    *h = hash(hash(*h, slope, HEAT_U_BYTES), &squares, sizeof squares);
    free(u), free(slope);
    return status;
}

static int
run_price(const cot_comm *comm, void *work, unsigned *h)
{
    const float market[2] = { 0.3f, 0.04f };
    const uint64_t key[2] = { 2024, 0 };
    float slope[2] = { 0, 0 }, value = 0;
    const int status = price(comm, market, key, slope, &value, work);

    *h = hash(hash(*h, slope, sizeof slope), &value, sizeof value);
    if (comm->rank == 0 && !status)
        printf("%2d: price %.5f, by volatility %.5f, by rate %.5f", comm->size, (double)value,
               (double)slope[0], (double)slope[1]);
    return status;
}

/* What each process runs.  A call that fails has told the others. */
static int
run(const cot_comm *comm, void *user)
{
    static int (*const each[])(const cot_comm *, void *, unsigned *) = { run_price, run_train,
                                                                         run_heat };
    static const char *const name[] = { "price", "train", "heat" };
    static const size_t bytes[] = { PRICE_WORK_BYTES, TRAIN_WORK_BYTES, HEAT_WORK_BYTES };
    unsigned h = 2166136261u;
    int status = 0;

    (void)user;
    for (int i = 0; i < 3 && !status; i++) {
        void *work = aligned_alloc(64, (bytes[i] + 64) / 64 * 64);
        status = work ? each[i](comm, work, &h) : 1;
        const char *why = comm->error ? comm->error(comm->user) : NULL;
        if (status)
            fprintf(stderr, "process %d: %s ends with %d: %s\n", comm->rank, name[i], status,
                    why ? why : "");
        free(work);
    }
    if (comm->rank == 0 && !status)
        printf(", all bytes %08x\n", h);
    return status;
}

int
main(int argc, char **argv)
{
#ifdef USE_MPI
    static cot_mpi world;

    MPI_Init(&argc, &argv);
    if (cot_mpi_open(&world, MPI_COMM_WORLD, 60))
        return 1;
    const int status = run(&world.comm, NULL);
    cot_mpi_close(&world);
    MPI_Finalize();
    return status;
#else
    static const int processes[] = { 1, 2, 3, 4, 5, 7, 8, 16 };
    const int n = argc > 1 ? argc - 1 : 8;

    for (int i = 0; i < n; i++)
        if (cot_shm_run(argc > 1 ? atoi(argv[i + 1]) : processes[i], run, NULL) != 0)
            return 1;
    return 0;
#endif
}
