/* The schedule of a contraction as data: a record that prints as one line of text, parses, and
 * may be given for one kernel (cg_lower_options.schedules).
 *
 * The nest of a contraction (dot.c) is built from its shape and this record alone.  A record
 * never changes a result: what the contract fixes, blocks of 256 k's and their order, is not
 * among its fields. */
#ifndef CODEGEN_LOWER_DOT_SCHEDULE_H
#define CODEGEN_LOWER_DOT_SCHEDULE_H

#include "ir/arena.h"
#include "ir/buf.h"

/* The axis along which lanes run; on a GPU, what computes an element. */
typedef enum cg_dot_lanes {
    CG_DOT_COLUMNS, /* the free axes of the right side                           */
    CG_DOT_LINES, /* the last free axis of the left side                       */
    CG_DOT_BATCH, /* the batch                                                 */
    CG_DOT_SUM, /* inner form: the contracted axes                           */
    CG_DOT_THREADS, /* GPU: a thread for each element                            */
    CG_DOT_TILES, /* GPU: a block of threads for a tile, in shared memory      */
    CG_DOT_TENSOR, /* GPU: the same, by tensor cores                            */
    CG_DOT_WARPS, /* GPU, inner form: a warp for each row                      */
    CG_DOT_BLOCKS /* GPU, inner form: a block for each row                     */
} cg_dot_lanes;

/* Where a tile reads an operand. */
typedef enum cg_dot_side {
    CG_DOT_IN_PLACE,
    CG_DOT_PANELS, /* right: packed panels of a block of k and columns          */
    CG_DOT_ONCE, /* right: panels of all k's, packed once                     */
    CG_DOT_STRIPS, /* left: packed strips, the rows of a tile interleaved       */
    CG_DOT_TURNED, /* left: likewise, by register transposes                    */
    CG_DOT_COPIED /* left: packed rows, whose k's are contiguous               */
} cg_dot_side;

/* The loop whose iterations threads share. */
typedef enum cg_dot_share {
    CG_DOT_SHARE_NONE,
    CG_DOT_SHARE_BATCH, /* outermost: over the batch; over rows in place             */
    CG_DOT_SHARE_ROWS,
    CG_DOT_SHARE_COLUMNS, /* inside a block of k: over columns; over blocks of rows    */
    CG_DOT_SHARE_BLOCKS
} cg_dot_share;

/* unroll: all k's; width of the inner form: the lanes of the contract's reductions */
enum { CG_DOT_ALL = -1, CG_DOT_SUM_LANES = 32 };

/* A field that the kind of lanes does not use is 0. */
typedef struct cg_dot_schedule {
    int64_t lanes; /* cg_dot_lanes */
    int64_t swap; /* 1: rows are the free axes of the right operand            */
    int64_t width; /* lanes of a vector                                         */
    /* the register tile: rows (lines; a warp's rows), results (lines only), vectors */
    int64_t rows, results, vectors;
    int64_t run; /* batch: rows that are visited by one stride                */
    int64_t unroll; /* k's of an iteration of the innermost loop, or CG_DOT_ALL  */
    int64_t left, right; /* cg_dot_side */
    int64_t ways; /* k's of narrow integers that a step multiplies: 2 or 4; 0  */
    int64_t turn; /* side of the register transposes that pack panels; 0: none */
    int64_t m_block, n_block; /* rows and columns of a cache block; of a GPU's block       */
    int64_t stages; /* tensor cores: stages in shared memory                     */
    /* in place: blocks of k are the outermost loop, so that the right side, which comes from
     * memory, is read once */
    int64_t stream;
    int64_t prefetch; /* 1: of the next tile (stream), or of a tile's kept sums    */
    int64_t share, shares; /* cg_dot_share; iterations of the loop that threads share   */
} cg_dot_schedule;

/* "lanes=columns width=8 rows=6 ...": fields that are 0 are left out. */
void cg_dot_schedule_print(ir_buf *b, const cg_dot_schedule *how);
/* Read a whole record; NULL, or what is wrong, in the arena. */
const char *cg_dot_schedule_parse(ir_arena *a, const char *text, size_t n,
                                  cg_dot_schedule *out);

/* The records that are given for kernels by name are lines "NAME: schedule RECORD" with
 * comments from ; on, as in the text of cg_explain.  Find that of a kernel: its record's text
 * and length, or NULL. */
const char *cg_dot_schedule_for(const char *schedules, const char *kernel, size_t *n);
/* The first line that is no such line, or that names none of the n kernels: NULL, or what is
 * wrong. */
const char *cg_dot_schedules_wrong(ir_arena *a, const char *schedules, int n,
                                   const char *const *kernel);

#endif
