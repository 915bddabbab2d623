/* What the files of map kernels share. */
#ifndef CODEGEN_SCHEDULE_MAP_H
#define CODEGEN_SCHEDULE_MAP_H

#include "codegen/schedule/index_split.h"
#include "codegen/schedule/schedule.h"

/* The loops of a map kernel: axis k of the space belongs to loop of[k]; loops in order,
 * outermost first. */
typedef struct cg_map_loops {
    int n;
    int64_t extent[COT_MAX_RANK + 1];
    int first[COT_MAX_RANK + 1], last[COT_MAX_RANK + 1]; /* axes */
    int64_t cost;
    int widest;
    bool reduces; /* some value is a reduction of its own */
    int64_t each; /* and what one of its elements costs   */
    int dense;  /* the loop along which results are dense: the last, if they lie so */
    int across; /* the loop along which an operand is dense that is not along that; -1: none */
    cg_index_splits splits[COT_MAX_RANK + 1];
    int64_t split_cost[COT_MAX_RANK + 1]; /* of one element of each piece, together */
} cg_map_loops;

typedef struct cg_mapping {
    cg_lowering *l;
    cg_frame *fr;
    const cg_group *g;
    const uint32_t *buffer;
    cg_put *put; /* instead of buffers */
    void *user;
    cg_map_loops s;
    /* loops, outermost first; the last one is the vector loop */
    int levels, order[COT_MAX_RANK + 1];
    int64_t lanes;
    bool tile; /* the last two loops run in squares of lanes */
    /* a short dense loop, no level, all elements of which are made at once; -1: none */
    int inside;
    bool parallel, again;
    bool split[COT_MAX_RANK + 1]; /* loops that run in pieces */
    int pieces;
    cg_ix at[COT_MAX_RANK + 1];
} cg_mapping;

/* map_nest.c: the loops of a group.  stride: of the axes of what the values are stored into, if
 * not dense arrays of their own. */
cg_map_loops cg_map_nest(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion,
                         const cg_group *g, const int64_t *stride, cg_access *w);
/* map_body.c: the axes of the loop at a level, from its variable; all values at m->at. */
void cg_map_set_axes(cg_mapping *m, int level, cg_ix x);
void cg_map_body(cg_mapping *m);
/* map_grid.c: all loops on a GPU. */
void cg_map_grid(cg_mapping *m);
/* map_loops.c: all loops. */
void cg_map_run(cg_mapping *m);

#endif
