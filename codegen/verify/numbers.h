/* What the integers of a kernel are where its loops stand: whoever walks the loops binds their
 * variables one by one, the outer ones first. */
#ifndef CODEGEN_VERIFY_NUMBERS_H
#define CODEGEN_VERIFY_NUMBERS_H

#include "codegen/kernel/kernel.h"

/* Of the variable of a loop that runs, `at` is the time when it got this value; of what was
 * made of such variables, that when it was made, and `from` is the variable of the innermost
 * loop. */
typedef struct cg_number {
    int64_t value;
    uint64_t at;
    bool bound;
    uint32_t depth;
    cg_val from;
} cg_number;

typedef struct cg_numbers {
    const cg_kernel *k;
    cg_number *known; /* of each value */
    uint64_t clock; /* counts what is bound */
    uint32_t depth; /* of loops that run */
    cg_val deepest; /* the variable of the innermost loop that was read since */
    int64_t steps; /* made so far: beyond CG_VERIFY_MAX_RUN_STEPS nothing is known */
    bool inner, outer; /* has what was read since depended on loops that do not run, or do? */
} cg_numbers;

void cg_numbers_begin(cg_numbers *n, const cg_kernel *k, ir_arena *a);
void cg_number_bind(cg_numbers *n, cg_val v, int64_t x);
void cg_number_unbind(cg_numbers *n, cg_val v);
/* False: the value of v is not known, for one because it depends on a loop that does not
 * run. */
bool cg_number_of(cg_numbers *n, cg_val v, int64_t *out);
/* Adds to *sum the part of scale v that loops which run give.  False: there is a part that
 * depends on both kinds of loops, or what is not known. */
bool cg_number_outer(cg_numbers *n, cg_val v, int64_t scale, int depth, int64_t *sum);
/* What v is does not depend on loops that run. */
bool cg_number_stays(cg_numbers *n, cg_val v);

#endif
