/* What the functions of linear algebra share. */
#ifndef FRONTEND_SUGAR_LINALG_H
#define FRONTEND_SUGAR_LINALG_H

#include "cotrace/linalg.h"

#include "frontend/trace.h"

static inline int fe_rank(const ir_build *b, ir_ref x) { return x ? ir_btype(b, x)->rank : 2; }
/* The size of axis k of x, counted from the end if negative. */
static inline int64_t
fe_size(const ir_build *b, ir_ref x, int k)
{
    return x ? ir_btype(b, x)->dims[k < 0 ? ir_btype(b, x)->rank + k : k] : 0;
}

/* linalg.c: x if it is floating or complex with at least two axes, square if so asked; else
 * IR_NONE, the error recorded. */
ir_ref fe_matrix(ir_build *b, const char *op, ir_ref x, bool square);
/* Of the last two axes: transposed; the conjugate (of a real matrix itself), and that
 * transposed; 1 where op(row, column + k) holds, else 0. */
ir_ref fe_transpose(ir_build *b, ir_ref x);
ir_ref fe_conj(ir_build *b, ir_ref x);
ir_ref fe_adjoint(ir_build *b, ir_ref x);
ir_ref fe_where(ir_build *b, ir_op op, ir_ref x, int64_t k);
/* The unit matrix in the type of x, square. */
ir_ref fe_eye_like(ir_build *b, ir_ref x);
/* The diagonal, as a vector in the place of the last two axes. */
ir_ref fe_diagonal(ir_build *b, ir_ref x);
/* a and y in one element type, the axes before the last two made equal; a vector y of an a of
 * any batch becomes a column, *vector.  The column that stood for a vector, as a vector. */
bool fe_meet(ir_build *b, const char *op, ir_ref *a, ir_ref *y, bool *vector);
ir_ref fe_without_column(ir_build *b, ir_ref z, bool vector);
/* Has y as many rows as a?  If not, that is the error. */
bool fe_same_rows(ir_build *b, const char *op, ir_ref a, ir_ref y);
/* y with its rows in another order, i32 [..., rows]. */
ir_ref fe_reordered(ir_build *b, ir_ref y, ir_ref order);
/* z with a z = y, of one batch; the same rounded once, where factors of half precision would be
 * rounded too. */
ir_ref fe_solve(ir_build *b, ir_ref a, ir_ref y);
ir_ref fe_solved(ir_build *b, ir_ref a, ir_ref y);
/* The operands of ops of a square x by its factors; false if there are none.  Its inverse by
 * them. */
bool fe_factors(ir_build *b, ir_ref x, ir_ref *in);
ir_ref fe_inverse(ir_build *b, ir_ref x);
ir_ref fe_svdvals(ir_build *b, ir_ref x);

#endif
