/* What the files of row kernels share. */
#ifndef CODEGEN_SCHEDULE_ROWS_H
#define CODEGEN_SCHEDULE_ROWS_H

#include "codegen/elemental/fold.h"
#include "codegen/schedule/columns.h"
#include "codegen/tuning.h"

enum {
    MAX_REDUCTIONS = 8,
    MAX_CHUNKS = 32,
    KEPT_LANES = 32,
};

_Static_assert((int)CG_FUSE_MAX_ROW_REDUCTIONS <= (int)MAX_REDUCTIONS, "a pass holds them all");

typedef struct computed {
    ir_ref v;
    int stage;
    bool kept;
} computed;

typedef struct kept {
    ir_ref v;
    int stage;       /* the pass that computes it */
    uint32_t buffer; /* its row                   */
} kept;

typedef struct rows {
    cg_lowering *l;
    cg_frame *fr;
    const cg_fusion *fusion;
    const cg_group *g;
    int64_t n;     /* elements of a row    */
    int64_t outer; /* rows                 */
    int *stage;    /* of each value of g   */
    int stages, now;
    computed *first;   /* values at each element, by the first pass that computes them */
    uint32_t n_first, cap_first;
    ir_map by_value;   /* where they are in `first`                                    */
    kept *keep;        /* in rows on the stack, by ascending value                     */
    uint32_t n_keep, cap_keep;
    uint32_t *buffer;  /* of each value of g           */
    int64_t cost;
    int widest;
    bool again; /* no result lies where an operand was */
    bool split; /* a single row is split among threads */
    int64_t warps;      /* GPU: of a block; else 0 */
    bool whole_block;   /* GPU: they have a row together, not one each */
    int64_t jam;        /* rows at a time, each step of all before the next; 1: none */
    cg_val
        /* where the part of a buffer that belongs to the warp, or to the row of the jam,
         * begins */
        slot;
    cg_ix at[COT_MAX_RANK + 1];
    cg_columns columns; /* summed on the way, if columns.n > 0 */
    int64_t chunks; /* of their rows, for threads          */
    cg_val chunk; /* the one in hand                     */
    uint32_t node[CG_MAX_COLUMNS]; /* buffers: what each chunk gave       */
} rows;

/* The results and the kept values of this pass at an element; then what the reductions want. */
typedef struct pass {
    rows *r;
    int n;
    ir_ref reduce[MAX_REDUCTIONS];
    cg_fold how[MAX_REDUCTIONS];
} pass;

/* rows_pass.c: what each member of the group is, in which pass it is computed; its result. */
bool cg_rows_is_reduce(const rows *r, ir_ref v);
cg_member cg_rows_member(const rows *r, uint32_t i);
int cg_index_in_group(const cg_group *g, ir_ref v);
void cg_rows_find_stages(rows *r);
void cg_rows_place(rows *r);
/* One row, all passes; the pass in hand; element j of the row in it; the end of a reduction. */
void cg_rows_one(void *user, cg_val row);
void cg_rows_pass(rows *r);
void cg_rows_element(cg_lowering *l, void *user, cg_ix j, cg_val *e);
void cg_rows_finish(rows *r, const pass *p, int i, cg_val x);
/* rows_grid.c: all rows on a GPU; the warps of a block; is a row split among blocks? */
void cg_rows_grid(rows *r);
void cg_rows_warps(rows *r);
bool cg_rows_may_split(const rows *r);
void cg_rows_split(rows *r);

/* What member i of the group reads, and at which index of the space. */
cg_ix *cg_access_member(rows *r, cg_access *w, uint32_t i);
/* rows_kept.c: values that are kept in rows on the stack; how far apart those rows lie. */
void cg_find_kept(rows *r);
int64_t cg_kept_apart(const rows *r);

#endif
