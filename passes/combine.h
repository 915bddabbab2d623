/* Reductions by a traced combiner, as graphs of other ops. */
#ifndef PASSES_COMBINE_H
#define PASSES_COMBINE_H

#include "ir/build.h"

/* g: (a0, ..., a(n-1), b0, ..., b(n-1), captured ...) -> (c0, ..., c(n-1)) on scalars, c of the
 * types of a; captured: the values that stand for the inputs after the elements. */
typedef struct pass_combiner {
    const ir_graph *g;
    int n, n_captured;
    const ir_ref *captured;
} pass_combiner;

/* z[i] of the combination of x and y, element by element: all of one shape. */
void pass_combine(ir_build *b, const pass_combiner *c, const ir_ref *x, const ir_ref *y,
                  ir_ref *z);
/* The reduction that a combiner of one operand is (add, mul, max, min, and, or), or OP_none. */
ir_op pass_combiner_op(const pass_combiner *c);
/* y[i]: x[0 ... n-1], of one shape, combined over axes in their order (combine.c), and last
 * with the scalars init; over an empty axis, init. */
void pass_reduce(ir_build *b, const pass_combiner *c, ir_axes axes, const ir_ref *x,
                 const ir_ref *init, ir_ref *y);

#endif
