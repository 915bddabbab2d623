/* Declarations that the files of row kernels share. */
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
    uint32_t buffer; /* the buffer that holds its row */
} cg_row_kept;

typedef struct cg_rows {
    cg_lowering *l;
    cg_frame *fr;
    const cg_fusion *fusion;
    const cg_group *g;
    int64_t n;      /* elements of a row */
    int64_t outer;  /* number of rows */
    int64_t copies; /* elements behind each element of a row, which are unrolled */
    int *stage;     /* the pass of each value of g */
    int stages, now;
    /* values computed at each element, with the first pass that computes them */
    cg_row_computed *first;
    uint32_t n_first, cap_first;
    ir_map by_value;   /* position in `first`, by value */
    cg_row_kept *keep; /* values kept in rows on the stack, ascending */
    uint32_t n_keep, cap_keep;
    bool far;          /* they are kept in the work block, which all threads share */
    uint32_t *buffer;  /* of each value of g */
    int64_t cost;
    int widest;
    bool
        idempotent; /* no result shares memory with an operand, so rows may be computed twice */
    bool split; /* a single row is divided among threads */
    int64_t warps;      /* GPU: warps of a block; else 0 */
    bool whole_block;   /* GPU: the warps of a block share a row, instead of having one each */
    int64_t jam;        /* rows at a time (unroll and jam); 1: no jam */
    /* first element, in buffers of kept rows, of the part that belongs to the warp or to the
     * row of the jam */
    cg_val slot;
    cg_ix at[COT_MAX_RANK + 1];
    cg_columns columns; /* column sums in the same kernel, if columns.n > 0 */
    int64_t chunks; /* chunks of rows, for threads */
    cg_val chunk; /* the current chunk */
    uint32_t node[CG_FUSE_MAX_COLUMN_SUMS]; /* buffers of the nodes that the chunks compute */
} cg_rows;

/* The reductions of one pass over a row. */
typedef struct cg_row_pass {
    cg_rows *r;
    int n;
    ir_ref reduce[CG_FUSE_MAX_ROW_REDUCTIONS];
    int64_t copy[CG_FUSE_MAX_ROW_REDUCTIONS]; /* which of r->copies */
    cg_fold how[CG_FUSE_MAX_ROW_REDUCTIONS];
} cg_row_pass;

/* rows_pass.c.  Is v a row reduction? */
bool cg_rows_is_reduce(const cg_rows *r, ir_ref v);
cg_member cg_rows_member(const cg_rows *r, uint32_t i);
/* The position of v in the group, or -1. */
int cg_index_in_group(const cg_group *g, ir_ref v);
/* Assign a pass to each member. */
void cg_rows_find_stages(cg_rows *r);
/* Bind the results to buffers of the current kernel. */
void cg_rows_place(cg_rows *r);
/* Emit all passes of one row. */
void cg_rows_one(void *user, cg_val row);
/* Emit pass r->now. */
void cg_rows_pass(cg_rows *r);
/* Element j of the row in the current pass: store results and kept values, and return the
 * operands of the reductions in e[]. */
void cg_rows_element(cg_lowering *l, void *user, cg_ix j, cg_val *e);
/* Store the result of reduction i, whose elements combined to x. */
void cg_rows_finish(cg_rows *r, const cg_row_pass *p, int i, cg_val x);
/* rows_grid.c.  Emit all rows for a GPU. */
void cg_rows_grid(cg_rows *r);
/* Choose how many warps a block has, and whether they share a row. */
void cg_rows_warps(cg_rows *r);
/* Are rows so long and few that several blocks should share one?  Emit such rows. */
bool cg_rows_may_split(const cg_rows *r);
void cg_rows_split(cg_rows *r);

/* Analyse what member i of the group reads; returns the index of the space at which it does. */
cg_ix *cg_access_member(cg_rows *r, cg_access *w, uint32_t i);
/* The column of copy k of element j: the columns of one copy are contiguous, for vectors. */
cg_ix cg_rows_column(const cg_rows *r, cg_ix j, int64_t k);
/* rows_kept.c.  Find the values that are kept in rows on the stack. */
void cg_find_kept(cg_rows *r);

/* The stride between the planes of a kept row, one for each copy: a multiple of the vector
 * width, so that lanes past the end of a row have memory. */
static inline int64_t
cg_kept_plane(const cg_rows *r)
{
    const int64_t lanes = r->n < CG_KEPT_LANES ? cg_pow2_from(r->n) : CG_KEPT_LANES;
    return r->l->target.grid ? r->n : (r->n + lanes - 1) / lanes * lanes;
}

/* The stride, in elements, between the kept rows of a jam. */
static inline int64_t
cg_kept_stride(const cg_rows *r)
{
    return cg_kept_plane(r) * r->copies;
}

#endif
