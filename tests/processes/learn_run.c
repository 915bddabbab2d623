/* Runs the functions of learn.c on processes that share them, and prints the loss and a
 * hash of the bytes of all parameters and moments, for matrix.sh:
 *
 *   learn_run PROCESSES                    of this machine
 *   mpirun -n P learn_run                  compiled with -DUSE_MPI */
#ifdef USE_MPI
#include <mpi.h>
#endif

#include <cotrace/comm.h>
#include <cotrace/mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "learn.h"

enum { TIMES = 8 };

static int
train(const cot_comm *comm, float *now, float *next, void *work)
{
    static const uint64_t key[2] = { 7, 0 };
    float loss = 0, right = 0;
    uint32_t h = 2166136261u;
    int status = first(key, now, work);

    for (int i = 0; i < TIMES && !status; i++) {
        status = learn(comm, now, next, &loss, &right, work);
        float *before = now;
        now = next;
        next = before;
    }
    for (size_t i = 0; i < LEARN_STATE_BYTES; i++)
        h = (h ^ ((const unsigned char *)now)[i]) * 16777619u;
    if (comm->rank == 0 && !status)
        printf("%d: loss %.4f, %.1f%% right, all bytes %08x\n", comm->size, (double)loss,
               100 * (double)right, (unsigned)h);
    return status;
}

/* What each process runs. */
static int
run(const cot_comm *comm, void *user)
{
    const size_t bytes = (LEARN_STATE_BYTES + 63) / 64 * 64,
                 work_bytes = FIRST_WORK_BYTES + (LEARN_WORK_BYTES + 127) / 64 * 64;
    float *now = aligned_alloc(64, bytes), *next = aligned_alloc(64, bytes);
    void *work = aligned_alloc(64, (work_bytes + 63) / 64 * 64);
    const int status = now && next && work ? train(comm, now, next, work) : 1;
    const char *why = status && comm->error ? comm->error(comm->user) : NULL;

    (void)user;
    if (status)
        fprintf(stderr, "process %d: ends with %d: %s\n", comm->rank, status, why ? why : "");
    free(now), free(next), free(work);
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
    return argc < 2 || cot_shm_run(atoi(argv[1]), run, NULL) != 0;
#endif
}
