/* Values of a kernel's integers at a given iteration of its loops.  The caller binds the
 * variables of the loops that it executes, the outer ones first. */
#ifndef CODEGEN_VERIFY_NUMBERS_H
#define CODEGEN_VERIFY_NUMBERS_H

#include "codegen/kernel/kernel.h"

/* A known value. bound: v is the variable of a running loop, and `at` is the time at which it
 * was bound.  Otherwise `at` is the time at which v was computed, and `from` the variable of
 * the innermost loop that it depends on. */
typedef struct cg_number {
    int64_t value;
    uint64_t at;
    bool bound;
    uint32_t depth;
    cg_val from;
} cg_number;

typedef struct cg_numbers {
    const cg_kernel *k;
    cg_number *known; /* for each value */
    uint64_t clock;   /* incremented whenever a value is bound or kept */
    uint32_t depth;   /* the number of running loops */
    /* The variable of the innermost running loop that was read since this was reset. */
    cg_val deepest;
    int64_t steps; /* used so far; beyond CG_VERIFY_MAX_RUN_STEPS nothing is known */
    /* Since these were reset, was a variable of a loop read that is not running, or that is? */
    bool inner, outer;
} cg_numbers;

void cg_numbers_begin(cg_numbers *n, const cg_kernel *k, ir_arena *a);
void cg_number_bind(cg_numbers *n, cg_val v, int64_t x);
void cg_number_unbind(cg_numbers *n, cg_val v);
/* False: the value of v is not known, for example because it depends on a loop that is not
 * running. */
bool cg_number_of(cg_numbers *n, cg_val v, int64_t *out);
/* Adds to *sum the part of scale v that comes from running loops.  False: some part depends on
 * running and other loops together, or is not known. */
bool cg_number_outer(cg_numbers *n, cg_val v, int64_t scale, int depth, int64_t *sum);
/* Is v independent of the running loops? */
bool cg_number_is_invariant(cg_numbers *n, cg_val v);

#endif
