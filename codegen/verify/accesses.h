/* What one access of a kernel is checked for: its place, what it reads, and what else touches
 * the element at the same time.
 *
 * The walk (bounds.c) holds what is known where it stands; these calls prove each access there
 * and count it as proved or open. */
#ifndef CODEGEN_VERIFY_ACCESSES_H
#define CODEGEN_VERIFY_ACCESSES_H

#include "codegen/verify/bounds.h"
#include "codegen/verify/races.h"
#include "codegen/verify/written.h"

/* A read of what is not written yet. */
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
    ir_arena *arena; /* of all kernels              */
    cg_facts f;
    cg_known known;
    cg_races races;
    bool *by_data; /* of each value: it depends on what was loaded, or on another iteration */
    cg_written written;
    bool *follows; /* of each buffer: what is read of it is to be written before */
    bool **unwritten; /* of each kernel and buffer: somebody hands it over as it is, or NULL */
    cg_interval **param; /* of each kernel; NULL: nobody has called it yet */
    cg_bounds_report *r;
    uint32_t kernel; /* which it is */
    bool any_followed;
    cg_pending_read *pending;
    uint32_t n_pending, cap_pending;
    cg_val at;
} cg_bounds_walk;

/* A line of the report, whose first one is kept as the reason. */
void cg_bounds_tell(cg_bounds_walk *b, const char *what);
/* The same of elements of a buffer that are not proved to lie in 0 ... most. */
void cg_bounds_open(cg_bounds_walk *b, const char *what, uint32_t buffer, const cg_form *index,
                    int64_t most);
/* Fills `follows` for the kernel in hand. */
void cg_bounds_find_followed(cg_bounds_walk *b);
/* What an iteration of the loop has written settles the reads since the first; what is left at
 * the end of the kernel is open. */
void cg_bounds_end_pending(cg_bounds_walk *b, uint32_t first);
void cg_bounds_refuse_pending(cg_bounds_walk *b);

/* A load or store under `when` (0: always), and what else touches memory. */
void cg_bounds_access(cg_bounds_walk *b, cg_bounds_count *n, const char *what, const cg_insn *i,
                      cg_val when);
void cg_bounds_copy(cg_bounds_walk *b, const cg_insn *i);
void cg_bounds_call(cg_bounds_walk *b, const cg_call *c);
/* Before the walk: what the entry's swapped results hold is not its own matter. */
void cg_bounds_begin_swapped(cg_bounds_walk *b);
/* After a loop: what swaps have taken from an iteration, the next one cannot find. */
void cg_bounds_refuse_lost(cg_bounds_walk *b);
void cg_bounds_extern(cg_bounds_walk *b, const cg_extern *x);
void cg_bounds_tensor(cg_bounds_walk *b, const cg_insn *i);

#endif
