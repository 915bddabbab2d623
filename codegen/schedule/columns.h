/* Reductions over the first axes: sums of columns.
 *
 * A strip of columns in registers would touch a page of memory for each row.  Instead rows are
 * read whole: the partial results of all columns are rows of a scratch memory, and the tree of
 * docs/numerics.md section 3 is walked by rows.  Lanes come in bit-reversed order, so that
 * both the fold of 32 lanes and the tree of blocks are one binary counter: part q = 32 b + r
 * takes the rows of block b and lane reversed(r), and after it parts combine as the carries
 * of q + 1 do.  The height of the stack before part q is the number of ones in q.  A lane
 * without rows is neutral; what is left in the end combines from the last part to the first.
 * A run of a power of two of parts is a node of the tree, which a thread can make alone. */
#ifndef CODEGEN_SCHEDULE_COLUMNS_H
#define CODEGEN_SCHEDULE_COLUMNS_H

#include "codegen/fuse/columns.h"
#include "codegen/schedule/schedule.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/elemental/fold.h"

/* What is done with each row, whose number is given. */
typedef void cg_row_body(void *user, cg_val row);
/* Tells the verifier that all rows are taken by what follows at the cursor. */
void cg_columns_declare(cg_columns *c);
/* n parts from `lo` on, which is a multiple of a power of two not below n: their node of the
 * tree is at the bottom of the stack. */
void cg_columns_parts(cg_columns *c, cg_val lo, cg_val n, cg_row_body *body, void *user);
/* Within a row: element x of reduction i is in this column of the stack. */
void cg_columns_add(cg_columns *c, int i, cg_ix column, cg_val x);
/* A loop over the columns of the stack, by vectors. */
void cg_columns_strip_mine(cg_columns *c, cg_strip_body *body, void *user);
/* columns_grid.c: the kernels of a column group on a GPU. */
void cg_column_grid(cg_lowering *l, cg_frame *fr, const cg_group *g);
/* The node of reduction i at the bottom of the stack. */
cg_val cg_columns_node(cg_columns *c, int i, cg_ix column);

#endif
