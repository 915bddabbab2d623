/* Messages of MPI that a process sends and receives, counted by its profiling interface. */
#ifndef TESTS_PROCESSES_COUNTED_MPI_H
#define TESTS_PROCESSES_COUNTED_MPI_H

#include <stdint.h>

enum { COUNTED_PROCESSES = 16 };

/* What goes one way between two processes. */
typedef struct counted {
    int64_t bytes, messages, longest;
} counted;

/* By partner, since the last counted_clear. */
extern counted counted_sent[COUNTED_PROCESSES], counted_received[COUNTED_PROCESSES];
void counted_clear(void);
void counted_add(counted *c, int64_t bytes);

#endif
