/* Processes that something else has started, as mpirun does. */
#ifndef TESTS_PROCESSES_JOINED_H
#define TESTS_PROCESSES_JOINED_H

#include "cotrace/comm.h"

/* body(comm, user) with the communicator of a shared object, as `cot run --comm` takes it; what
 * body returns, or 2 where there is none. */
int joined_run(const char *path, cot_shm_body *body, void *user);

#endif
