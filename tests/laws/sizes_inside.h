/* What the parts of sizes.c share: a batch of programs, and the ways to run it. */
#ifndef TESTS_LAWS_SIZES_INSIDE_H
#define TESTS_LAWS_SIZES_INSIDE_H

#include <time.h>

#include "runtime/compile.h"
#include "tests/laws/machine.h"
#include "tests/laws/programs.h"
#include "tests/laws/sized.h"

enum { SIZES_BATCH = 24, SIZES_VALUES = 8, SIZES_DRAWN = 24, SIZES_FIT = 3 };

/* A way to run: a processor and a width of the JIT, or a file and the command that makes a
 * library of it. */
typedef struct way {
    const char *name, *cpu, *command;
    int bits, threads;
} way;

typedef struct item {
    sized z;
    const ir_graph *f;
    void **in, **want;
    cg_natural fn;
    int64_t work;
} item;

typedef struct sizes_run {
    const char *how;
    const machine *to; /* NULL: in this process */
    const way *ways;
    int n_ways, n;
    cot_context *ctx;
    char folder[64];
    item item[SIZES_BATCH];
    cg_target target;
    int64_t ran, of, failures, left_out;
    int64_t known;              /* judged before (judged.h) */
    time_t begun, told;
    bool every; /* way */
    bool scheduled; /* by schedules that are drawn (sizes_scheduled.c) */
    int64_t schedules, refused; /* that were run, that do not fit */
} sizes_run;
extern sizes_run sizes;

void sizes_wrong(const item *x, const char *way, const char *what);

/* Arguments, then results. */
int sizes_values(const item *x);
const ir_type *sizes_type(const item *x, int i);

/* Files of the run's folder. */
const char *sizes_path(const char *name);
void sizes_write(const char *name, const void *bytes, size_t size);
int sizes_shell(const char *command, const char *more);

/* Lower one program, or all of the batch, and write them to x.c or x.o. */
bool sizes_emit(const cot_compile_options *o, bool c);

/* sizes_here.c: in this process, by its compiler or through files. */
void sizes_watch_faults(void);
bool sizes_possible(const way *w);
void sizes_jit(const item *x, const way *w);
void sizes_batch_here(const way *w, bool c);
/* sizes_scheduled.c: a schedule for the product of x, drawn by the seed, as text in the
 * context's memory; NULL: there is no product with a schedule. */
const char *sizes_schedule(const item *x, const cot_compile_options *o, uint64_t *seed);
/* sizes_there.c: on sizes.to. */
void sizes_batch_there(void);

#endif
