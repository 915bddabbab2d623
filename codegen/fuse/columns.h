/* Reductions of columns that share a kernel: see schedule/columns.h. */
#ifndef CODEGEN_FUSE_COLUMNS_H
#define CODEGEN_FUSE_COLUMNS_H

#include "codegen/elemental/fold.h"
#include "codegen/tuning.h"

typedef struct cg_columns {
    cg_lowering *l;
    const ir_graph *f;
    int n;
    ir_ref v[CG_FUSE_MAX_COLUMN_SUMS];          /* the reductions                           */
    cg_fold how[CG_FUSE_MAX_COLUMN_SUMS];
    uint32_t stack[CG_FUSE_MAX_COLUMN_SUMS];    /* buffers of partial results               */
    const ir_type *x;                   /* of the operands                          */
    int64_t rows, count;                /* of the operands                          */
    int64_t width;                      /* columns in the stack: `count`, or a panel */
    int64_t parts;
    uint32_t reduction; /* number of that of the rows, in the kernel */
    cg_val top;                         /* height of the stack at the part in hand  */
    cg_val step;                        /* of combining                             */
} cg_columns;

/* The first n values of v, all column reductions of operands of one shape. */
cg_columns cg_columns_of(cg_lowering *l, const ir_graph *f, uint32_t n, const ir_ref *v);

/* Bytes of the stack's rows: how many partial results lie on it at most. */
int64_t cg_columns_depth(const cg_columns *c);
/* May they be in one stack of this many columns? */
bool cg_columns_fit(const cg_columns *c, int64_t width);
/* Choose equal panels whose stacks fit the scratch, at least one for each thread; false if they
 * would be narrow. */
bool cg_columns_choose_panel(cg_columns *c);

#endif
