/* Register-resident loops: what register_fit.c finds out about a loop and register_loop.c
 * uses. */
#ifndef CODEGEN_LOWER_REGISTER_LOOP_H
#define CODEGEN_LOWER_REGISTER_LOOP_H

#include "codegen/lower/level.h"

/* How a value of a body depends on the batch axes, those of the examples. */
typedef enum cg_batch_axis {
    /* not at all: it is the same for all examples, or comes from outside the loop */
    CG_BATCH_UNIFORM,
    /* its first axes are the batch axes: the elements at index e belong to example e */
    CG_BATCH_LEADING,
    CG_BATCH_MIXED /* it mixes examples: one example needs elements that belong to others */
} cg_batch_axis;

typedef struct cg_register_loop {
    cg_lowering *l;
    cg_level *v;
    const ir_node *n;
    cg_frame *fr;
    int consts, carries, first_xs;
    int64_t examples; /* 0: there are no batch axes */
    /* The batch axes are the first batch_rank axes of all values that have them.  Axes from
     * `split` on are one loop of `inner` examples, along which lanes run; the others are one
     * enclosing loop. */
    int batch_rank, split;
    const int64_t *batch_dims;
    int64_t inner;
    cg_ix outer; /* the current iteration of the enclosing loop */
    int64_t in_chunks; /* how many of the inner examples chunks have computed */
    bool many; /* threads share the examples */
    cg_batch_axis *batch_axis; /* of each carry */
    cg_batch_axis *out; /* of each output of the body */
    int64_t *count; /* elements of one example of each carry */
    uint32_t *buffer; /* of each result */
    /* first values of the uniform carries */
    cg_val **shared;
    int64_t work, elements;
    int widest;
} cg_register_loop;

cg_register_loop cg_register_loop_of(cg_lowering *l, cg_level *v, const ir_node *n);
bool cg_register_loop_fits(cg_register_loop *m);

#endif
