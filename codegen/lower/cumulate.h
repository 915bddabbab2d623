/* The lowering of a cumulative op: its lines, elements, results and scratch. */
#ifndef CODEGEN_LOWER_CUMULATE_H
#define CODEGEN_LOWER_CUMULATE_H

#include "codegen/elemental/fold.h"
#include "codegen/elemental/strip_mine.h"

/* A line of an open number of elements has scratch for levels that serve 2^50 of them, which is
 * more than memory has. */
enum { CG_CHUNK = 16, CG_SCAN_BLOCK = 1024, CG_SCAN_LEVELS = 7, CG_OPEN_SCAN_LEVELS = 4 };

typedef struct cg_cumulating {
    const ir_node *n;
    cg_frame *fr;
    const ir_type *t;
    cg_fold how;                        /* how elements combine, and in which type */
    int axis;
    /* width: stride of the scratch, as many lines as are interleaved in it */
    int64_t size, inner, width;
    /* buffers of totals and of their scans, by level */
    uint32_t out, total[CG_SCAN_LEVELS], sum[CG_SCAN_LEVELS];
    cg_place total_at[CG_SCAN_LEVELS], sum_at[CG_SCAN_LEVELS];
    cg_kind blocks;                     /* kind of the loops over blocks of level 0 */
    cg_kind columns; /* kind of the loop over adjacent lines, if lanes run across them */
    cg_ix at[COT_MAX_RANK + 1];         /* index of the line */
    cg_ix row;                          /* number of the line in the scratch */
    cg_val column;                      /* its value */
    /* what is being scanned: 0 the operand, 1 the totals of its blocks, ... */
    int level;
    int64_t length;
    bool open; /* the number of elements is: no loop depends on its value (cg_is_open) */
    int levels; /* of totals that have scratch */
    int64_t outer;
    bool own_scratch; /* every line has scratch of its own */
    /* numbers of the reductions that declare to the verifier which elements the scan takes, and
     * which results it stores */
    uint32_t element_takes, result_takes;
    int64_t first; /* the first element that these declarations cover */
    cg_ix line;
    /* in lanes */
    bool in_lanes; /* lanes run along the elements of a chunk */
    uint32_t kept; /* buffer of the carry behind the last whole chunk */
    cg_val chunk; /* the vector loop that is open */
    /* the same for the totals of blocks, and for the scans of each level */
    uint32_t total_takes, scan_takes[CG_SCAN_LEVELS];
} cg_cumulating;

/* cumulate_line.c */
cg_val cg_cumulate_combine(cg_lowering *l, const cg_cumulating *c, cg_val x, cg_val y);
/* Declare that this region takes n elements from `first` on.  If the region runs several times,
 * each run takes one of `parts` parts.  Results: it stores as many, too. */
void cg_cumulate_declare(cg_lowering *l, cg_cumulating *c, int64_t first, int64_t n,
                         cg_val split, int64_t parts);
void cg_cumulate_declare_results(cg_lowering *l, cg_cumulating *c, int64_t first, int64_t n,
                                 cg_val split, int64_t parts);
/* Element i of the line, or of the totals of c->level, where `present` holds (0: always), else
 * the neutral element; its result. */
cg_val cg_cumulate_element(cg_lowering *l, cg_cumulating *c, cg_ix i, cg_val present);
void cg_cumulate_put(cg_lowering *l, cg_cumulating *c, cg_ix i, cg_val x, cg_val present);
/* The number of elements that a level scans: those of the line, its whole blocks, the whole
 * blocks of these, ... */
int64_t cg_cumulate_blocks(const cg_cumulating *c, int level);
/* The same as a value, which is computed when the number is open. */
cg_val cg_cumulate_count(cg_lowering *l, const cg_cumulating *c, int level);
/* The elements behind the whole blocks of an open number of elements of a level: where they
 * begin, their whole chunks, and how many are behind these. */
typedef struct cg_scan_rest {
    cg_ix base, behind;
    cg_val chunks, elements;
} cg_scan_rest;
cg_scan_rest cg_cumulate_rest(cg_lowering *l, const cg_cumulating *c, int level);
/* Emit body(b) for the blocks b from lo to hi - 1 of the line or of c->level. */
void cg_cumulate_each_block(cg_lowering *l, cg_cumulating *c, cg_kind kind, cg_val lo,
                            cg_val hi, cg_strip_body *body);
/* The size of the scratch of a line for the totals of a level: in lanes, whole chunks. */
int64_t cg_cumulate_rows(const cg_cumulating *c, int level);
/* The index of number i in the scratch of c->level. */
cg_val cg_cumulate_at(cg_lowering *l, const cg_cumulating *c, cg_ix i);

/* cumulate_lanes.c: scan a line; lanes run along the elements of a chunk. */
void cg_scan_in_lanes(cg_lowering *l, cg_cumulating *c);

#endif
