/* Scatters by a traced combiner, as graphs of other ops. */
#ifndef PASSES_SCATTER_H
#define PASSES_SCATTER_H

#include "passes/combine.h"

/* The scatter that a combiner (what is there, the update) of one operand is, or OP_none.  Those
 * of bool are of bytes:
 * pass_scatter_by_op converts. */
ir_op pass_scatter_op(const pass_combiner *c);
ir_ref pass_scatter_by_op(ir_build *b, ir_op op, const ir_attrs *at, ir_ref x, ir_ref v,
                          ir_ref z);
/* y[i]: x[0 ... n-1], of one shape, with what is at the index vectors v combined with the
 * updates z, one after the other, row-major; attributes and operands as of the op scatter. */
void pass_scatter(ir_build *b, const pass_combiner *c, const ir_attrs *at, const ir_ref *x,
                  ir_ref v, const ir_ref *z, ir_ref *y);

#endif
