/* Calls of the functions of a file on another machine, in an image of memory: what may change
 * is the results and the work blocks, and the results must be those that are wanted. */
#ifndef TESTS_LAWS_THERE_H
#define TESTS_LAWS_THERE_H

#include "ir/graph.h"
#include "tests/laws/machine.h"

enum { THERE_VALUES = 32 };

/* One call: sizes, arguments, results and a work block are its parameters, in this order. */
typedef struct there_call {
    const char *function;
    int n_sizes, n_in, n; /* n: arguments and results */
    const int64_t *size;
    const ir_type *type[THERE_VALUES];
    void *const *in, *const *want;
    int64_t work;
    size_t at[THERE_VALUES + 1]; /* in the image: of each value, and of the work block */
} there_call;

typedef struct there {
    cot_context *ctx;
    const machine *to;
    const char *folder; /* has x.o, or the x.c of which the machine's compiler makes it */
    int n;
    there_call *call;
    /* What is wrong with call i, or with all of them: i < 0. */
    void (*wrong)(void *user, int i, const char *way, const char *what);
    void *user;
    size_t bytes; /* of the image */
    int left_out; /* calls at which an emulator failed itself */
} there;

/* Link, run in every way that is installed here, and compare. */
void there_run(there *t);

#endif
