/* A loop whose carried values stay in registers: what register_fit.c finds out about it and
 * register_loop.c emits. */
#ifndef CODEGEN_LOWER_REGISTER_LOOP_H
#define CODEGEN_LOWER_REGISTER_LOOP_H

#include "codegen/lower/level.h"

/* What a value of a body has of the batch axis, that of the examples. */
typedef enum cg_batch_axis {
    /* nothing: it is the same for all examples, or outside of the loop */
    CG_BATCH_UNIFORM,
    /* its first axes are the batch axes: what is at index e of them belongs to example e */
    CG_BATCH_LEADING,
    CG_BATCH_MIXED /* the value mixes examples: one needs elements that belong to others */
} cg_batch_axis;

typedef struct cg_register_loop { /* a loop in registers */
    cg_lowering *l;
    cg_level *v;
    const ir_node *n;
    cg_frame *fr;
    int consts, carries, first_xs;
    int64_t examples; /* 0: one */
    /* Examples have so many batch axes, the first of all values that have them; the last of
     * these are one loop of `inner` examples, which the lanes run along, and the others, before
     * axis `split`, are one loop around it. */
    int batch_rank, split;
    const int64_t *batch_dims;
    int64_t inner;
    cg_ix outer; /* the current iteration of the loop around */
    int64_t begun; /* of the inner examples, those that chunks took */
    bool many; /* threads share them               */
    cg_batch_axis *batch_axis; /* of each carry */
    cg_batch_axis *out; /* of each output of the body */
    int64_t *count; /* elements of each carry, of one example */
    uint32_t *buffer; /* of each result */
    /* first values of the carries that all examples share */
    cg_val **shared;
    int64_t work, elements;
    int widest;
} cg_register_loop;

cg_register_loop cg_register_loop_of(cg_lowering *l, cg_level *v, const ir_node *n);
bool cg_register_loop_fits(cg_register_loop *m);

#endif
