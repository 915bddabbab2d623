/* Programs with an axis of groups, for tests that run them on several processes. */
#ifndef TESTS_PROCESSES_PROGRAMS_H
#define TESTS_PROCESSES_PROGRAMS_H

#include <stdint.h>

#include "cotrace/cotrace.h"

typedef struct spread_program {
    const char *name;
    /* The function of one group, in which %1$lld is the number of them and %2$lld one less,
     * and the passes that make the whole of it. */
    const char *text, *pipeline;
    int columns; /* cot_options.columns, where it divides the number of processes */
} spread_program;

extern const spread_program spread_programs[];
extern const int spread_program_count;

/* cot_options.own and columns of what follows; NULL and 0 at first: those of the program. */
extern const char *spread_own;
extern int spread_columns;

/* Which arguments, and results, of files are spread: a bit for each. */
extern unsigned spread_args, spread_results;

const spread_program *spread_find(const char *name);
/* Elements of the result of the program "sum". */
enum { SUM_ELEMENTS = 4096 };

/* The results of a run, one after the other. */
typedef struct spread_result {
    size_t bytes;
    char text[400]; /* the context's error */
    char at[1 << 18];
} spread_result;

/* The process that has another byte at the end of an argument; -1, as at first: none has. */
extern int spread_differs, spread_differing;

/* Called before a kernel is, unless it is NULL. */
extern void (*spread_before)(const cot_comm *comm);

/* Runs it on numbers that are the same in every process; a status. */
int spread_run(const spread_program *p, int64_t groups, const char *backend, int threads,
               const cot_comm *comm, spread_result *out);

/* Writes it as function `shipped` of a file for these numbers of processes, with its header; a
 * status. */
int spread_build(const spread_program *p, int64_t groups, const char *processes, int threads,
                 const char *path, const char *header, spread_result *out);
/* Calls such a function, by one that takes its pointers as an array, on the same numbers. */
typedef int spread_entry(const cot_comm *comm, void *const *args, void *work);
int spread_call(const spread_program *p, int64_t groups, spread_entry *entry, size_t work_bytes,
                const cot_comm *comm, spread_result *out);

#endif
