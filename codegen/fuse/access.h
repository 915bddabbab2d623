/* What an emission would touch, without emitting: the same steps on index expressions alone.
 *
 * fuse.c asks which values a root reads and where; schedule/map_nest.c, how addresses
 * move along each axis. */
#ifndef CODEGEN_FUSE_ACCESS_H
#define CODEGEN_FUSE_ACCESS_H

#include "ir/graph.h"
#include "codegen/kernel/affine.h"

/* A value that lives in memory, read at an index; v is 0 where only an index matters (a test of
 * bounds, an iota), which is then at[0]. */
typedef struct cg_read { ir_ref v; int rank; const cg_ix *at; } cg_read;

/* A test of bounds on the way: lo <= x < hi, not known from x's range. */
typedef struct cg_test { cg_ix x; int64_t lo, hi; } cg_test;

typedef struct cg_access {
    ir_arena *arena;
    const ir_graph *f;
    const bool *stop;           /* values that live in memory */
    cg_ix_table ix;
    cg_read *read;
    uint32_t n_reads, cap_reads;
    cg_test *test;
    uint32_t n_tests, cap_tests;
    struct cg_seen *seen;       /* values computed on the way */
    uint32_t n_seen, cap_seen;
    ir_map index;
    int64_t cost;               /* of one element, in instructions   */
    int64_t wide;               /* of which on types of 64 bits      */
    int widest;                 /* bits of the widest type computed  */
    bool reduces;               /* some value computed is a reduction */
    int64_t longest;            /* and the longest has that many elements */
} cg_access;

/* A value computed at an index. */
typedef struct cg_seen { ir_ref v; int rank; const cg_ix *at; } cg_seen;

void cg_access_begin(cg_access *w, ir_arena *a, const ir_graph *f, const bool *stop);
/* Fresh variables for the axes of a shape. */
cg_ix *cg_access_space(cg_access *w, int rank, const int64_t *dims);
void cg_access_value(cg_access *w, ir_ref v, const cg_ix *at);
/* The operands of v at an index, although v itself lives in memory: what its kernel reads. */
void cg_access_root(cg_access *w, ir_ref v, const cg_ix *at);

#endif
