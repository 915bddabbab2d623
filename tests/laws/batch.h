/* Programs through every back end: the JIT, an object file, C by several compilers, bit for bit
 * against the evaluator.
 *
 * Starting a compiler is slow, so programs go in batches: one file of C for each width in use,
 * one object.  What is called out of a file runs between red zones (tests/redzone.h). */
#ifndef TESTS_LAWS_BATCH_H
#define TESTS_LAWS_BATCH_H

#include "codegen/backend.h"
#include "ir/build.h"
#include "runtime/support/pool.h"

enum { MAX_BATCH = 64 };

typedef enum batch_backend {
    BY_JIT,
    BY_OBJECT,
    BY_GCC,
    BY_CLANG,
    BY_TCC,
    N_BACKENDS
} batch_backend;
extern const char *const batch_backend_names[N_BACKENDS];

typedef enum batch_answer {
    BATCH_NOT_TRIED,
    BATCH_SAME,
    BATCH_REFUSED,
    BATCH_DIFFERS
} batch_answer;

typedef struct batch_program {
    const char *row, *name; /* of a table; of the program       */
    const char *text; /* to be shown if it fails; or NULL */
    const ir_graph *f;
    double lo, hi; /* floating operands are from here  */
    bool special; /* and NaN, infinities, zeros, subnormals */
    uint64_t seed;
    /* of C source: 1, 4, 8 or 16; 0: all four, to be chosen by COT_LANES */
    int lanes;
    bool two_threads; /* of objects and of C of one width: threads share every loop */
    void **in; /* operands, owned by the batch; NULL: batch_add draws them */
    /* Made by batch_add. */
    void **want, **got;
    int64_t work_bytes;
    cg_natural c[4], plain, native;
    batch_answer answer[N_BACKENDS];
    const char *why[N_BACKENDS];
} batch_program;

typedef struct batch {
    cot_context *ctx; /* a recovery point is set around all calls */
    char folder[64]; /* of the batch's own, emptied by batch_end */
    int n;
    int *calling; /* NULL, or where the number of the called program is kept */
    batch_program p[MAX_BATCH];
    cg_target native;
    cot_parallel *pool; /* of two threads, once a program wants it */
    int failures;
} batch;

void batch_begin(batch *b, cot_context *ctx);
void batch_end(batch *b);
/* Evaluate it and lower it for C; false: the evaluator refuses it, and it is not added. */
bool batch_add(batch *b, const batch_program *p);
void batch_jit(batch *b);
void batch_object(batch *b);
/* Write the C files, once; "c4.c c8.c" is their names, "" if there are none. */
const char *batch_write_c(batch *b);
/* Likewise all of them in one file for compilers without vectors. */
const char *batch_write_plain(batch *b);
/* Run `command`, which makes the library `name` in the folder, load it and call each
 * program. */
void batch_c(batch *b, batch_backend by, const char *command, const char *name);
/* Can the compiler be run? */
bool batch_has(const char *compiler);

#endif
