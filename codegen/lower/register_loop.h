/* A loop whose carried values stay in registers: what register_fit.c finds out about it and
 * register_loop.c emits. */
#ifndef CODEGEN_LOWER_REGISTER_LOOP_H
#define CODEGEN_LOWER_REGISTER_LOOP_H

#include "codegen/lower/level.h"

/* What a value of a body has of the batch axis, that of the examples. */
typedef enum cg_batch_axis {
    /* nothing: it is the same for all examples, or outside of the loop */
    CG_BATCH_UNIFORM,
    CG_BATCH_LEADING, /* axis 0 is the batch axis: element e of it belongs to example e */
    CG_BATCH_MIXED /* the value mixes examples: one needs elements that belong to others */
} cg_batch_axis;

typedef struct cg_register_loop { /* a loop in registers */
    cg_lowering *l;
    cg_level *v;
    const ir_node *n;
    cg_frame *fr;
    int consts, carries, first_xs;
    int64_t examples; /* 0: one */
    int64_t begun; /* of them, those that chunks took */
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
