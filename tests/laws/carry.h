/* Programs through every back end: the JIT, an object file, C by several compilers, bit for bit
 * against the evaluator.
 *
 * Starting a compiler is dear, so programs go in batches: one file of C for each width in use,
 * one object.  What is called out of a file runs between red zones (tests/redzone.h). */
#ifndef TESTS_LAWS_CARRY_H
#define TESTS_LAWS_CARRY_H

#include "codegen/backend.h"
#include "ir/build.h"

enum { CARRY_BATCH = 64 };

typedef enum carry_by { CARRY_JIT, CARRY_OBJECT, CARRY_GCC, CARRY_CLANG, CARRY_TCC,
    CARRIERS } carry_by;
extern const char *const carry_name[CARRIERS];

typedef enum carry_answer { CARRY_NOT_TRIED, CARRY_SAME, CARRY_REFUSED,
    CARRY_DIFFERS } carry_answer;

typedef struct carry_program {
    const char *row, *name;     /* of a table; of the program       */
    const char *text;           /* to be shown if it fails; or NULL */
    const ir_graph *f;
    double lo, hi;              /* floating operands are from here  */
    bool special;               /* and NaN, infinities, zeros, subnormals */
    uint64_t seed;
    /* of C source: 1, 4, 8 or 16; 0: all four, to be chosen by COT_LANES */
    int lanes;
    void **in;                  /* operands, owned by the batch; NULL: carry_add draws them */
    /* Made by carry_add. */
    void **want, **got;
    int64_t work_bytes;
    cg_natural c[4], plain, native;
    carry_answer answer[CARRIERS];
    const char *why[CARRIERS];
} carry_program;

typedef struct carry_batch {
    cot_context *ctx;           /* a recovery point is set around all calls */
    char folder[64];            /* of the batch's own, emptied by carry_end */
    int n;
    int *calling;               /* NULL, or where the number of the called program is kept */
    carry_program p[CARRY_BATCH];
    cg_target native;
    int failures;
} carry_batch;

void carry_begin(carry_batch *b, cot_context *ctx);
void carry_end(carry_batch *b);
/* Evaluate it and lower it for C; false: the evaluator refuses it, and it is not added. */
bool carry_add(carry_batch *b, const carry_program *p);
void carry_jit(carry_batch *b);
void carry_object(carry_batch *b);
/* Write the C files, once; "c4.c c8.c" is their names, "" if there are none. */
const char *carry_write_c(carry_batch *b);
/* Likewise all of them in one file for compilers without vectors. */
const char *carry_write_plain(carry_batch *b);
/* Run `command`, which makes the library `name` in the folder, load it and call each
 * program. */
void carry_c(carry_batch *b, carry_by by, const char *command, const char *name);
/* Can the compiler be run? */
bool carry_has(const char *compiler);

#endif
