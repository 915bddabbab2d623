/* Branches and loops that the GPU decides by itself: kernels read a word of device memory, and
 * do nothing if it is false. */
#ifndef CODEGEN_LOWER_PREDICATE_H
#define CODEGEN_LOWER_PREDICATE_H

#include "codegen/lower/level.h"

/* A loop for which the host synchronises, and whose iterations wait for loops inside it
 * (predicate.c). */
typedef struct cg_nest {
    cg_place fresh;             /* none of its iterations has been launched yet */
    uint32_t since;             /* the step of the plan before it */
} cg_nest;

/* Kernels that are planned while l->predicate is set run only if its word is true. */

/* For each branch, the word that is true if the index (in memory) selects it. */
cg_place *cg_predicate_branches(cg_lowering *l, cg_place when, const ir_type *index,
                                int branches);
/* The word under which planning continues after n branches, which began under `word` and ended
 * under `end`. */
cg_place cg_predicate_join(cg_lowering *l, int n, const cg_place *word, const cg_place *end);

/* The iterations of a while. */
typedef struct cg_iterations {
    cg_place alive;             /* the loop continues */
    /* an iteration begins, so the test is due; equal to `alive` if no iteration waits */
    cg_place head;
    /* the test held, so the body is due; equal to `alive` if no iteration waits */
    cg_place word;
    cg_place was; /* resumes: `alive` before these iterations */
    cg_place test; /* the predicate, which may have leading axes */
    cg_place count; /* number of iterations so far, if they are bounded */
    int64_t max; /* the largest number of iterations; 0: unbounded */
    int64_t at_once; /* iterations that are launched at a time */
    bool syncs; /* the host asks whether there are more */
    bool resumes; /* it continues when the enclosing loop is launched again */
    bool waits; /* an iteration may wait for a loop inside it */
    const ir_type *p; /* type of the predicate */
    const cg_nest *outer; /* the nest that contains it */
    cg_nest nest; /* the nest that it is */
} cg_iterations;

/* Begin the iterations; the condition is then planned under t->head. */
void cg_iterations_begin(cg_lowering *l, const ir_node *n, const ir_type *p, cg_iterations *t);
/* After the condition: the body is then planned under t->word. */
void cg_iterations_next(cg_lowering *l, const cg_iterations *t);
/* After the body. */
void cg_iterations_end(cg_lowering *l, const cg_iterations *t);
/* After the loop: what follows runs if the enclosing region does and the loop has ended. */
void cg_iterations_leave(cg_lowering *l, const cg_iterations *t);

#endif
