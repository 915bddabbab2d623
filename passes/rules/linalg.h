/* Operations on matrices in the last two axes, for the rules of linear algebra.  IR_NONE as an
 * operand gives IR_NONE. */
#ifndef PASSES_RULES_LINALG_H
#define PASSES_RULES_LINALG_H

#include "passes/rules.h"

static inline int
pass_la_rank_of(const ir_build *b, ir_ref x)
{
    return x ? ir_btype(b, x)->rank : 2;
}

ir_ref pass_la_transpose(ir_build *b, ir_ref x); /* the transpose of each matrix */
/* The mask op(row, column) over the elements of x. */
ir_ref pass_la_where(ir_build *b, ir_op op, ir_ref x);
/* The block of m rows from r and n columns from c. */
ir_ref pass_la_block(ir_build *b, ir_ref x, int64_t r, int64_t m, int64_t c, int64_t n);
/* x with its rows in another order, i32 [..., rows]. */
ir_ref pass_la_reordered(ir_build *b, ir_ref x, ir_ref order);
ir_ref pass_la_diagonal(ir_build *b, ir_ref x); /* of each matrix, as a last axis */
ir_ref pass_la_real_part(ir_build *b, ir_ref x);

#endif
