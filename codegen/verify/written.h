/* What the entry, or a function, reads of its work block is written before, and a function's
 * results are before it returns.
 *
 * A walk over the entry tells what each call, copy, load and store reads and writes.  The
 * elements of a buffer that are written are ranges, whose first element is an affine form; a
 * buffer that is written makes those worthless that lie in the same bytes. A kernel that is
 * called is taken to write all elements of the buffers that it stores to: of that, coverage.h
 * proves the reductions. */
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
    const cg_span **of; /* of each buffer, what is written; of each group, whether it is away */
    uint32_t *live;     /* the buffers with anything written, by their places */
    uint32_t n_live, cap_live;
    cg_written_change *log; /* so that branches can be undone */
    uint32_t n, cap;
    uint32_t *seen, serial; /* of each buffer, in one walk over the log */
    cg_swapped swapped;
    uint32_t lost; /* 1 + a buffer that an iteration finds written and leaves unwritten; 0 */
    bool perhaps; /* what is perhaps written is kept as not known, and not dropped */
} cg_written;

/* The changes of a branch that was undone. */
typedef struct cg_written_side {
    uint32_t n;
    const cg_written_change *change;
} cg_written_side;

/* Perhaps: what was written there is not known well enough. */
typedef enum cg_is_written { CG_NOT_WRITTEN, CG_PERHAPS_WRITTEN, CG_WRITTEN } cg_is_written;

void cg_written_begin(cg_written *w, cg_facts *f, cg_known *known);
void cg_written_write(cg_written *w, uint32_t buffer, const cg_form *first, int64_t count);
/* Something of it, perhaps. */
void cg_written_perhaps(cg_written *w, uint32_t buffer);
/* Two buffers exchange what they hold; all of a group are where they were, and what all but one
 * hold is lost. */
void cg_written_swap(cg_written *w, uint32_t x, uint32_t y);
void cg_written_settle(cg_written *w, uint32_t buffer);
/* Local memory, of which each thread of a parallel loop has its own. */
void cg_written_forget_private(cg_written *w);
cg_is_written cg_written_has(cg_written *w, uint32_t buffer, const cg_form *first,
                             int64_t count);

/* Before a body that may run several times, and after it: `times` of the loop whose iterations
 * the atom counts; 0: that is not known. */
uint32_t cg_written_loop(cg_written *w, const cg_block *x);
void cg_written_loop_end(cg_written *w, uint32_t mark, uint32_t counter, int64_t times);
/* Between two branches, after w->n at the first one; and after them. */
cg_written_side cg_written_other(cg_written *w, uint32_t mark);
void cg_written_join(cg_written *w, uint32_t mark, cg_written_side then);

/* Is it what a function, not the entry, has to write? */
bool cg_is_function_result(const cg_kernel *k, uint32_t buffer);

#endif
