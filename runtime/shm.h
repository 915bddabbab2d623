/* What the communicators of cot_shm_run are made of: rings of bytes in memory that all ranks
 * share, who write them (shm_ring.c).  Ranks are processes, or, in a test, threads of one. */
#ifndef RUNTIME_SHM_H
#define RUNTIME_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cotrace/comm.h"

enum { RT_SHM_PROCESSES = 256 };

typedef struct rt_shm {
    struct rt_shm_shared *all;
    char *rings; /* [from][to], each a ring and its bytes */
    size_t bytes, mapped;
    int rank, size;
    double timeout;
    pid_t parent;
    char text[128];
} rt_shm;

/* Maps the memory of so many, whose parent is this process; false: there is none.  Each has a
 * copy of p with its rank, which its communicator keeps. */
bool rt_shm_open(rt_shm *p, int processes, const cot_shm_options *o);
void rt_shm_close(rt_shm *p);
cot_comm rt_shm_comm(rt_shm *p);
/* Notes that a rank has ended, with a status or, above 0, by a signal. */
void rt_shm_ended(const rt_shm *p, int rank, int status, int by_signal);
/* Seconds of a clock that only goes on. */
double rt_shm_now(void);

#endif
