/* Column reductions that share a kernel: see schedule/columns.h. */
#ifndef CODEGEN_FUSE_COLUMNS_H
#define CODEGEN_FUSE_COLUMNS_H

#include "codegen/elemental/fold.h"
#include "codegen/tuning.h"

typedef struct cg_columns {
    cg_lowering *l;
    const ir_graph *f;
    int n;
    ir_ref v[CG_FUSE_MAX_COLUMN_SUMS];          /* the reductions */
    cg_fold how[CG_FUSE_MAX_COLUMN_SUMS];
    uint32_t stack[CG_FUSE_MAX_COLUMN_SUMS];    /* buffers of partial results */
    const ir_type *x;                   /* type of the operands */
    int64_t rows, count;                /* rows and columns of an operand */
    int64_t width;                      /* columns in the stack: `count`, or those of a panel */
    int64_t parts;
    uint32_t reduction; /* number of the reduction over rows, declared to the verifier */
    cg_val top;                         /* height of the stack at the current part */
    /* iterations of the loop that combines partial results */
    cg_val step;
} cg_columns;

/* The column reductions v[0] ... v[n - 1], whose operands have one shape. */
cg_columns cg_columns_of(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v);

/* The largest number of partial results on the stack at a time. */
int64_t cg_columns_depth(const cg_columns *c);
/* Do the stacks fit the scratch memory with this many columns? */
bool cg_columns_fit(const cg_columns *c, int64_t width);
/* Choose equal panels of columns whose stacks fit the scratch memory, at least one for each
 * thread; false if the panels would be too narrow. */
bool cg_columns_choose_panel(cg_columns *c);

#endif
