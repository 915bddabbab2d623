/* Checks of one access of a kernel: that it stays in its buffer, that what it reads is written,
 * and that no parallel iteration conflicts with it.
 *
 * The walk over a kernel (bounds.c) keeps what is known at the current place.  These functions
 * prove each access there and count it as proved or open. */
#ifndef CODEGEN_VERIFY_ACCESSES_H
#define CODEGEN_VERIFY_ACCESSES_H

#include "codegen/verify/bounds.h"
#include "codegen/verify/races.h"
#include "codegen/verify/written.h"

/* A read of elements that are not written yet. */
typedef struct cg_pending_read {
    cg_val at;
    uint32_t buffer;
    cg_form index;
    int64_t count;
    cg_known known;
} cg_pending_read;

typedef struct cg_bounds_walk {
    const cg_module *m;
    const cg_kernel *k;
    ir_arena *arena; /* lives as long as the report */
    cg_facts f;
    cg_known known;
    cg_races races;
    bool *by_data; /* for each value: it depends on loaded data, or on another iteration */
    cg_written written;
    bool *follows;    /* for each buffer: whether reads of it need an earlier write */
    bool **unwritten; /* for each kernel and buffer: some call passes it uninitialised */
    /* For each kernel: the intervals of its parameters; NULL: it has not been called yet. */
    cg_interval **param;
    cg_bounds_report *r;
    uint32_t kernel; /* index of the current kernel */
    bool any_followed;
    cg_pending_read *pending;
    uint32_t n_pending, cap_pending;
    cg_val at;
} cg_bounds_walk;

/* Add a line to the report; the first line is kept as the reason. */
void cg_bounds_tell(cg_bounds_walk *b, const char *what);
/* The same for an access of a buffer that is not proved to lie in 0 ... most. */
void cg_bounds_open(cg_bounds_walk *b, const char *what, uint32_t buffer, const cg_form *index,
                    int64_t most);
/* Fills `follows` for the current kernel. */
void cg_bounds_find_followed(cg_bounds_walk *b);
/* end_pending: at the end of a loop, drop the reads from `first` on that an iteration has
 * written. refuse_pending: at the end of the kernel, report the remaining reads. */
void cg_bounds_end_pending(cg_bounds_walk *b, uint32_t first);
void cg_bounds_refuse_pending(cg_bounds_walk *b);

/* Check a load or store under the condition `when` (0: always), and other accesses of
 * memory. */
void cg_bounds_access(cg_bounds_walk *b, cg_bounds_count *n, const char *what, const cg_insn *i,
                      cg_val when);
void cg_bounds_copy(cg_bounds_walk *b, const cg_insn *i);
void cg_bounds_call(cg_bounds_walk *b, const cg_call *c);
/* Before the walk over the entry: its swapped results count as written. */
void cg_bounds_begin_swapped(cg_bounds_walk *b);
/* After a loop: report a buffer that an iteration reads, but that swaps leave unwritten for the
 * next iteration. */
void cg_bounds_refuse_lost(cg_bounds_walk *b);
void cg_bounds_extern(cg_bounds_walk *b, const cg_extern *x);
void cg_bounds_tensor(cg_bounds_walk *b, const cg_insn *i);

#endif
