/* Proof that what the entry or a function reads of its work block was written before, and that
 * the results of a function are written when it returns.
 *
 * A walk over the entry records what each call, copy, load and store reads and writes.  The
 * written elements of a buffer are ranges, whose first element is an affine form.  A write to a
 * buffer invalidates buffers that overlap it.  A called kernel is assumed to write all elements
 * of the buffers that it stores to; for reductions, coverage.h proves that. */
#ifndef CODEGEN_VERIFY_WRITTEN_H
#define CODEGEN_VERIFY_WRITTEN_H

#include "codegen/verify/facts.h"

typedef struct cg_span cg_span;

typedef struct cg_written_change {
    uint32_t buffer;
    const cg_span *old, *now;
} cg_written_change;

typedef struct cg_written {
    cg_facts *f;
    cg_known *known;
    ir_arena *arena;
    /* For each buffer: what is written; for each group: whether its buffers are exchanged. */
    const cg_span **of;
    uint32_t *live; /* the buffers in which anything is written, by offset */
    uint32_t n_live, cap_live;
    cg_written_change *log; /* replaced lists, so that branches can be undone */
    uint32_t n, cap;
    uint32_t *seen, serial; /* for each buffer: the last walk over the log that met it */
    cg_swapped swapped;
    uint32_t lost; /* 1 + a buffer that an iteration finds written and leaves unwritten; or 0 */
    bool perhaps;  /* elements that are perhaps written are kept as unknown, and not dropped */
} cg_written;

/* The changes of a branch that was undone. */
typedef struct cg_written_side {
    uint32_t n;
    const cg_written_change *change;
} cg_written_side;

/* Perhaps: too little is known of what was written there. */
typedef enum cg_is_written { CG_NOT_WRITTEN, CG_PERHAPS_WRITTEN, CG_WRITTEN } cg_is_written;

void cg_written_begin(cg_written *w, cg_facts *f, cg_known *known);
void cg_written_write(cg_written *w, uint32_t buffer, const cg_form *first, int64_t count);
/* Some elements may have been written. */
void cg_written_perhaps(cg_written *w, uint32_t buffer);
/* swap: two buffers exchange their contents. settle: all buffers of a group are at their own
 * addresses again, and only this one keeps its contents. */
void cg_written_swap(cg_written *w, uint32_t x, uint32_t y);
void cg_written_settle(cg_written *w, uint32_t buffer);
/* Forget local memory, since each thread of a parallel loop has its own. */
void cg_written_forget_private(cg_written *w);
cg_is_written cg_written_has(cg_written *w, uint32_t buffer, const cg_form *first,
                             int64_t count);

/* loop: before a body that may run several times. loop_end: after the body of a loop that runs
 * `times` iterations, which the atom counts; 0: the number is not known. */
uint32_t cg_written_loop(cg_written *w, const cg_block *x);
void cg_written_loop_end(cg_written *w, uint32_t mark, uint32_t counter, int64_t times);
/* other: between two branches; mark is w->n before the first one. join: after both. */
cg_written_side cg_written_other(cg_written *w, uint32_t mark);
void cg_written_join(cg_written *w, uint32_t mark, cg_written_side then);

/* Is the buffer a result that a function, not the entry, has to write? */
bool cg_is_function_result(const cg_kernel *k, uint32_t buffer);

#endif
