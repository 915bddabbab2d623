/* What the files of row kernels share. */
#ifndef CODEGEN_SCHEDULE_ROWS_H
#define CODEGEN_SCHEDULE_ROWS_H

#include "codegen/elemental/fold.h"
#include "codegen/schedule/columns.h"
#include "codegen/tuning.h"

enum {
    CG_KEPT_LANES = 32,
};

typedef struct cg_row_computed {
    ir_ref v;
    int stage;
    bool kept;
} cg_row_computed;

typedef struct cg_row_kept {
    ir_ref v;
    int stage;       /* the pass that computes it */
    uint32_t buffer; /* its row                   */
} cg_row_kept;

typedef struct cg_rows {
    cg_lowering *l;
    cg_frame *fr;
    const cg_fusion *fusion;
    const cg_group *g;
    int64_t n;     /* elements of a row    */
    int64_t outer; /* rows                 */
    int *stage;    /* of each value of g   */
    int stages, now;
    cg_row_computed *first; /* values at each element, by the first pass that computes them */
    uint32_t n_first, cap_first;
    ir_map by_value;   /* where they are in `first`                                    */
    cg_row_kept *keep; /* in rows on the stack, by ascending value                     */
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
    uint32_t node[CG_FUSE_MAX_COLUMN_SUMS]; /* buffers: what each chunk gave       */
} cg_rows;

/* The results and the kept values of this pass at an element; then what the reductions want. */
typedef struct cg_row_pass {
    cg_rows *r;
    int n;
    ir_ref reduce[CG_FUSE_MAX_ROW_REDUCTIONS];
    cg_fold how[CG_FUSE_MAX_ROW_REDUCTIONS];
} cg_row_pass;

/* rows_pass.c: what each member of the group is, in which pass it is computed; its result. */
bool cg_rows_is_reduce(const cg_rows *r, ir_ref v);
cg_member cg_rows_member(const cg_rows *r, uint32_t i);
int cg_index_in_group(const cg_group *g, ir_ref v);
void cg_rows_find_stages(cg_rows *r);
void cg_rows_place(cg_rows *r);
/* One row, all passes; the pass in hand; element j of the row in it; the end of a reduction. */
void cg_rows_one(void *user, cg_val row);
void cg_rows_pass(cg_rows *r);
void cg_rows_element(cg_lowering *l, void *user, cg_ix j, cg_val *e);
void cg_rows_finish(cg_rows *r, const cg_row_pass *p, int i, cg_val x);
/* rows_grid.c: all rows on a GPU; the warps of a block; is a row split among blocks? */
void cg_rows_grid(cg_rows *r);
void cg_rows_warps(cg_rows *r);
bool cg_rows_may_split(const cg_rows *r);
void cg_rows_split(cg_rows *r);

/* What member i of the group reads, and at which index of the space. */
cg_ix *cg_access_member(cg_rows *r, cg_access *w, uint32_t i);
/* rows_kept.c: values that are kept in rows on the stack; how far apart those rows lie. */
void cg_find_kept(cg_rows *r);
int64_t cg_kept_stride(const cg_rows *r);

#endif
