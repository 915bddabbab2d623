/* What the tests of processes.c share. */
#ifndef TESTS_PROCESSES_PROCESSES_H
#define TESTS_PROCESSES_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

extern int failures, checks;

void fail(const char *name, int64_t groups, int processes, const char *what);
/* owners.c: 1 + first, 1 + first + step, ... groups. */
void owners(int first, int step);
/* order.c: what runs while messages are on their way. */
void order(void);
/* different.c: one process runs another program, or has other keys. */
void different(void);

/* Memory that forked processes share with this one. */
void *shared_memory(size_t bytes);

#endif
