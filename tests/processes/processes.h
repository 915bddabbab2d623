/* What the tests of processes.c share. */
#ifndef TESTS_PROCESSES_PROCESSES_H
#define TESTS_PROCESSES_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cotrace/comm.h"

enum { RUN_PROCESSES = 8 }; /* the most that run at one time */

extern int failures, checks;

void fail(const char *name, int64_t groups, int processes, const char *what);
/* owners.c: 1 + first, 1 + first + step, ... groups. */
void owners(int first, int step);
/* order.c: what runs while messages are on their way. */
void order(void);
/* chosen.c: who owns what by cot_options.own, and where it is refused. */
void chosen(void);
/* grid.c: axes within each other. */
void grid(void);
/* plain.c: the same maps without .over. */
void plain(void);
/* different.c: one process runs another program, or has other keys. */
void different(void);
/* memory.c: there is no memory for what is shared, or for one process. */
void memory(void);

/* A communicator around that of a process: it counts what is sent, and does something at the
 * call `when`. */
typedef struct watched {
    const cot_comm *of;
    size_t sent, messages;
    int calls, when;
    bool (*act)(void); /* false: the call fails */
} watched;
cot_comm watch(watched *w);

/* Memory that forked processes share with this one. */
void *shared_memory(size_t bytes);

#endif
