/* Scatters by a traced combiner, as graphs of other ops. */
#ifndef PASSES_SCATTER_H
#define PASSES_SCATTER_H

#include "passes/combine.h"

/* The scatter op that a combiner (current element, update) of one operand is equal to, or
 * OP_none.  On bool these ops work on bytes, to which pass_scatter_by_op converts. */
ir_op pass_scatter_op(const pass_combiner *c);
ir_ref pass_scatter_by_op(ir_build *b, ir_op op, const ir_attrs *at, ir_ref x, ir_ref v,
                          ir_ref z);
/* y[i]: x[0 ... n-1], of one shape, with the elements at the index vectors v combined with the
 * updates z, one after the other in row-major order; attributes and operands are those of the
 * op scatter. */
void pass_scatter(ir_build *b, const pass_combiner *c, const ir_attrs *at, const ir_ref *x,
                  ir_ref v, const ir_ref *z, ir_ref *y);

#endif
