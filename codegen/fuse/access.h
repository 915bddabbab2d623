/* Access analysis: which elements an emission would read, found without emitting it.  It takes
 * the same steps as elemental emission (elemental/element.c), on index expressions alone.
 *
 * fuse.c asks which values a root reads and at which indices; schedule/map_nest.c asks by which
 * strides addresses move along each axis. */
#ifndef CODEGEN_FUSE_ACCESS_H
#define CODEGEN_FUSE_ACCESS_H

#include "ir/graph.h"
#include "codegen/kernel/affine.h"

/* A value in memory, read at an index. v is 0 where only an index expression matters (a test of
 * bounds, an iota); the expression is then at[0]. */
typedef struct cg_read { ir_ref v; int rank; const cg_ix *at; } cg_read;

/* A test of bounds that the emission contains: lo <= x < hi, where the range of x does not
 * decide it. */
typedef struct cg_test { cg_ix x; int64_t lo, hi; } cg_test;

typedef struct cg_access {
    ir_arena *arena;
    const ir_graph *f;
    /* by value: it is in memory, so the analysis does not go through it */
    const bool *stop;
    cg_ix_table ix;
    cg_read *read;
    uint32_t n_reads, cap_reads;
    cg_test *test;
    uint32_t n_tests, cap_tests;
    struct cg_seen *seen;       /* the values met so far, each at an index */
    uint32_t n_seen, cap_seen;
    ir_map index;
    int64_t cost;               /* of one element, in instructions */
    int64_t wide;               /* the part of the cost that is on types of 64 bits */
    int widest;                 /* bits of the widest type that is computed */
    bool reduces;               /* some computed value is a reduction */
    int64_t longest;            /* elements of the longest reduction */
} cg_access;

/* A value computed at an index. */
typedef struct cg_seen { ir_ref v; int rank; const cg_ix *at; } cg_seen;

void cg_access_begin(cg_access *w, ir_arena *a, const ir_graph *f, const bool *stop);
/* New index variables for the axes of a shape. */
cg_ix *cg_access_space(cg_access *w, int rank, const int64_t *dims);
void cg_access_value(cg_access *w, ir_ref v, const cg_ix *at);
/* Analyse the operands of v at an index, although v itself is in memory: what v's kernel
 * reads. */
void cg_access_root(cg_access *w, ir_ref v, const cg_ix *at);

#endif
