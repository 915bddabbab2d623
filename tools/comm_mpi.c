/* The communicator of the processes that mpirun has started, for `cot run` (cotrace/comm.h):
 *
 *     mpicc -shared -fPIC -O2 -I INCLUDE comm_mpi.c -o comm_mpi.so
 *
 * by the mpicc of the MPI whose mpirun it is. */
#include <mpi.h>

#include "cotrace/mpi.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED cot_comm_open_call cot_comm_open;
EXPORTED cot_comm_close_call cot_comm_close;

static cot_mpi world;

const cot_comm *
cot_comm_open(double timeout, size_t *bytes)
{
    int level;

    *bytes = sizeof world.comm;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) ||
        level < MPI_THREAD_FUNNELED || cot_mpi_open(&world, MPI_COMM_WORLD, timeout))
        return NULL;
    return &world.comm;
}

void
cot_comm_close(void)
{
    cot_mpi_close(&world);
    MPI_Finalize();
}
