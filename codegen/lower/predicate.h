/* Branches and loops that the GPU decides by itself: kernels that read a word of its memory
 * and do nothing where it does not hold. */
#ifndef CODEGEN_LOWER_PREDICATE_H
#define CODEGEN_LOWER_PREDICATE_H

#include "codegen/lower/level.h"

/* A loop for which the host synchronises, and whose iterations wait for loops in it
 * (predicate.c). */
typedef struct cg_nest {
    cg_place fresh;             /* its first turn has not been launched         */
    uint32_t since;             /* the step of the plan before it               */
} cg_nest;

/* What is planned from here on, until l->predicate is set back, runs where the word holds. */

/* For each branch the word that says whether the index, in memory, chooses it. */
cg_place *cg_predicate_branches(cg_lowering *l, cg_place when, const ir_type *index,
                                int branches);
/* The word under which it goes on after n branches that began under `word` and ended under
 * `end`. */
cg_place cg_predicate_join(cg_lowering *l, int n, const cg_place *word, const cg_place *end);

/* The iterations of a while. */
typedef struct cg_iterations {
    cg_place alive;             /* the loop goes on                                */
    cg_place head; /* an iteration begins: the test is due; alive if no iteration waits */
    cg_place word; /* the test held, the body is due; likewise        */
    cg_place was; /* resumes: it was alive before these iterations        */
    cg_place test; /* the predicate, which may have a leading axis    */
    cg_place count; /* turns so far, where they are bounded            */
    int64_t max; /* 0: they are not                                 */
    int64_t at_once; /* iterations that are launched at a time               */
    bool syncs; /* the host asks whether there are more            */
    bool resumes; /* it goes on when the loop around is launched again */
    bool waits; /* an iteration may not end, because of a loop in it     */
    const ir_type *p; /* of the predicate                                */
    const cg_nest *outer; /* the nest that it is in                          */
    cg_nest nest; /* that it is                                      */
} cg_iterations;

/* To be launched under t->head. */
void cg_iterations_begin(cg_lowering *l, const ir_node *n, const ir_type *p, cg_iterations *t);
/* After the test; from here on t->word. */
void cg_iterations_next(cg_lowering *l, const cg_iterations *t);
/* After the body. */
void cg_iterations_end(cg_lowering *l, const cg_iterations *t);
/* After the loop: what follows runs where that around it does, and the loop is over. */
void cg_iterations_leave(cg_lowering *l, const cg_iterations *t);

#endif
