/* Register-resident loops: what register_fit.c finds out about a loop, and register_loop.c and
 * register_memory.c use. */
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

/* An integer carry that is start + by i in iteration i: an index, which needs no register and
 * has a known range. */
typedef struct cg_induction {
    bool is;
    int64_t start, by;
} cg_induction;

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
    int64_t *count; /* by carry: elements of one example that are in registers */
    bool spills; /* carries may stay in memory of which a step writes few elements */
    bool *in_memory; /* by carry: it does */
    bool counts; /* it is a scan */
    cg_induction *induction; /* by carry of a scan */
    cg_ix iteration; /* how many steps of a scan have run */
    uint32_t *buffer; /* of each result */
    /* first values of the uniform carries */
    cg_val **shared;
    int64_t work, elements;
    int widest;
} cg_register_loop;

/* A store that ends a step: every load of the step reads what the step before has left. */
typedef struct cg_late_store {
    uint32_t buffer;
    cg_val at, x, when;
} cg_late_store;
typedef struct cg_late_stores {
    cg_late_store *store;
    uint32_t n, cap;
} cg_late_stores;

cg_register_loop cg_register_loop_of(cg_lowering *l, cg_level *v, const ir_node *n);
bool cg_register_loop_fits(cg_register_loop *m);

/* Is carry i an induction variable? */
cg_induction cg_induction_of(const cg_register_loop *m, int i);
/* How many elements of value c of f do the updates on the way from c to x write?  -1: x is not
 * c after updates. */
int64_t cg_updated_elements(cg_lowering *l, const ir_graph *f, ir_ref x, ir_ref c);
/* Emit the elements that a step may change of carry i, which is in memory. */
void cg_emit_updates(cg_register_loop *m, cg_frame *in, int i, cg_late_stores *late);
void cg_emit_late_stores(cg_lowering *l, const cg_late_stores *late);

#endif
