/* Reductions over the first axes: sums of columns.
 *
 * A strip of columns in registers would touch a page of memory for each row.  Instead whole
 * rows are read.  The partial results of all columns are rows of a scratch buffer, and the tree
 * of docs/numerics.md section 3 is evaluated for all columns at once.  Lanes are visited in
 * bit-reversed order, so that the fold of 32 lanes and the tree of blocks together count as one
 * binary counter: part q = 32 b + r has the rows of block b and lane reversed(r), and after it
 * parts are combined as the carries of q + 1 say.  The stack has as many rows before part q as
 * q has ones.  A lane without rows is neutral.  The parts that remain at the end are combined
 * from the last to the first.  A run of a power of two of parts is a node of the tree, which a
 * thread can compute alone. */
#ifndef CODEGEN_SCHEDULE_COLUMNS_H
#define CODEGEN_SCHEDULE_COLUMNS_H

#include "codegen/fuse/columns.h"
#include "codegen/schedule/schedule.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/elemental/fold.h"

/* What is done with each row, given its number. */
typedef void cg_row_body(void *user, cg_val row);
/* Declare to the verifier that the code that follows takes all rows. */
void cg_columns_declare(cg_columns *c);
/* Add n parts from number `lo` on, where lo is a multiple of a power of two that is at least n.
 * The node of the tree that they form is left at the bottom of the stack. */
void cg_columns_parts(cg_columns *c, cg_val lo, cg_val n, cg_row_body *body, void *user);
/* Add x, the element of reduction i in the current row, at this column of the stack. */
void cg_columns_add(cg_columns *c, int i, cg_ix column, cg_val x);
/* A vectorised loop over the columns of the stack. */
void cg_columns_strip_mine(cg_columns *c, cg_strip_body *body, void *user);
/* columns_grid.c: the kernels of a column group on a GPU. */
void cg_column_grid(cg_lowering *l, cg_frame *fr, const cg_group *g);
/* The node of reduction i, from the bottom of the stack. */
cg_val cg_columns_node(cg_columns *c, int i, cg_ix column);

#endif
