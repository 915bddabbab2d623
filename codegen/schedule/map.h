/* Declarations that the files of map kernels share. */
#ifndef CODEGEN_SCHEDULE_MAP_H
#define CODEGEN_SCHEDULE_MAP_H

#include "codegen/schedule/index_split.h"
#include "codegen/schedule/schedule.h"

/* The loops of a map kernel, outermost first.  Loop i runs over the axes first[i] ... last[i] -
 * 1 of the shape `dims`: the iteration space, some axes of which are divided into their digits
 * (map_nest.c). */
typedef struct cg_map_loops {
    int rank;
    const int64_t *dims;
    int n;
    int64_t extent[COT_MAX_RANK + 1];
    int first[COT_MAX_RANK + 1], last[COT_MAX_RANK + 1]; /* range of axes of each loop */
    int64_t cost;
    int widest;
    bool reduces; /* some value contains a reduction that is emitted inline */
    int64_t each; /* cost of one element of the longest such reduction */
    int64_t longest; /* how many elements that reduction has */
    /* the loop along which the results are contiguous: the last, unless strides are given */
    int dense;
    /* another loop, along which an operand is contiguous that is not so along `dense`; -1:
     * none */
    int across;
    int64_t apart; /* elements of operands that are far from those of the next lane */
    cg_index_splits splits[COT_MAX_RANK + 1];
    /* cost of one element of each part, summed over the parts */
    int64_t split_cost[COT_MAX_RANK + 1];
} cg_map_loops;

typedef struct cg_mapping {
    cg_lowering *l;
    cg_frame *fr;
    const cg_fusion *fusion;
    const cg_group *g;
    const uint32_t *buffer;
    cg_put *put; /* stores the elements instead of `buffer`; NULL: buffers are stored to */
    void *user;
    cg_map_loops s;
    /* loops, outermost first; the last one is the vector loop */
    int levels, order[COT_MAX_RANK + 1];
    int64_t lanes;
    bool tile; /* the last two loops run in square tiles, transposed in registers */
    /* the first of the last loops if these are short, are unrolled in the body and have no
     * levels, `row` elements in all; -1: none */
    int unrolled;
    int64_t row;
    bool parallel, idempotent;
    bool flat; /* the last loop is several, short ones, and its vectors are unrolled */
    bool split[COT_MAX_RANK + 1]; /* loops that are split (index_split.h) */
    int n_splits;
    cg_ix axis[COT_MAX_RANK + 1]; /* the index in the shape of the loops */
    cg_ix at[COT_MAX_RANK + 1]; /* the same in the iteration space: set by cg_map_body */
} cg_mapping;

/* map_nest.c: the loops of a group. stride: the strides of the memory that the values are
 * stored to; NULL: each is a dense array. flat: the loops from this one on are one loop, though
 * addresses move otherwise along each; -1: none are. */
cg_map_loops cg_map_nest(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion,
                         const cg_group *g, const int64_t *stride, int flat, cg_access *w);
/* The cost of a row: of the `row` elements that differ only in the loops from `first` on. */
int64_t cg_map_row_cost(cg_mapping *m, int first, int64_t row);
/* Set the axes of those loops to element k of a row. */
void cg_map_row_index(const cg_map_loops *s, cg_ix_table *ix, int first, int64_t k,
                      cg_ix *axis);
/* The index in the iteration space. */
void cg_map_index(const cg_map_loops *s, cg_ix_table *ix, const ir_type *space,
                  const cg_ix *axis, cg_ix *at);
/* map_body.c: set the axes of the loop at a level from its variable; emit all values at
 * m->axis. */
void cg_map_set_axes(cg_mapping *m, int level, cg_ix x);
void cg_map_body(cg_mapping *m);
/* map_grid.c: emit all loops for a GPU. */
void cg_map_grid(cg_mapping *m);
/* map_loops.c: emit all loops. */
void cg_map_run(cg_mapping *m);

#endif
