/* Tests that run some work on several processes, by the public headers alone.  Each process
 * writes what it has to memory that it shares with the one that judges. */
#ifndef TESTS_PROCESSES_RUN_H
#define TESTS_PROCESSES_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "cotrace/cotrace.h"

enum { MAX_PROCESSES = 16, RESULTS = 1 << 17 };

/* What a process has to say. */
typedef struct report {
    size_t bytes, sent;
    int status;
    char text[300];
    unsigned char at[RESULTS];
} report;
extern report *reports; /* [MAX_PROCESSES], shared */
extern int started;     /* processes of the last start */

typedef struct work {
    const char *what, *backend;
    int64_t blocks;
    int threads;
    bool begins; /* messages, before they are waited for (late.h) */
    int (*run)(cot_context *ctx, const struct work *w, report *r);
    int victim, microseconds;
} work;

void expect(bool good, const char *what, int64_t n, int processes, const char *text);
/* A file of this run; the name lives until the next but one. */
const char *file_name(const char *name);
/* Adds an array to what a process has to say. */
void tell(report *r, const cot_array *a);
/* Runs the work on so many processes; how cot_shm_run ends. */
int start(const work *w, int processes);
/* All processes say what one says. */
void compare(const work *w, const report *one, int processes);

/* Shared memory and a folder; a test; the end, with the status of the program. */
void begin_tests(void);
int end_tests(const char *what);

#endif
