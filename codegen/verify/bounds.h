/* Proof that every access of a module lies within its buffer. */
#ifndef CODEGEN_VERIFY_BOUNDS_H
#define CODEGEN_VERIFY_BOUNDS_H

#include "codegen/kernel/kernel.h"

typedef struct cg_bounds_count {
    int64_t proved, open;
} cg_bounds_count;

/* A parallel loop whose iterations are neither proved to be independent nor known to
 * conflict. */
typedef struct cg_unproved_loop {
    uint32_t kernel;
    cg_val var;
    const char *why;
    ir_loc loc;
} cg_unproved_loop;

/* The numbers of accesses that were proved and not proved, by kind, with a line of text for
 * each of the latter. */
typedef struct cg_bounds_report {
    cg_bounds_count load, store, copy, call, place, tensor;
    cg_bounds_count race; /* buffers that a parallel loop or a grid stores to: races.h */
    int64_t race_by_data; /* those of which indices depend on data */
    cg_unproved_loop *unproved;
    uint32_t n_unproved, cap_unproved;
    /* The entry's reads of its work block, proved to follow a write; update: of buffers that a
     * kernel also stores to. */
    cg_bounds_count read, update;
    cg_bounds_count own; /* a kernel's reads of elements that it must write itself */
    /* The same, where the writes are in loops or under masks that depend on data. */
    int64_t own_perhaps;
    ir_buf *text;    /* NULL: no text is wanted */
    const char *why; /* the first failure, and its line of the program */
    ir_loc loc;
} cg_bounds_report;

void cg_bounds_of(const cg_module *m, ir_arena *arena, cg_bounds_report *r);
/* COT_ERR_INTERNAL if any access is open; the message names the kernel, value, buffer and
 * index.  Parallel loops that are not proved become serial in `serial`, which is m; if that is
 * NULL, they are an error. */
cot_status cg_verify_bounds(const cg_module *m, cg_module *serial);

#endif
