/* Reductions by a traced combiner, as graphs of other ops. */
#ifndef PASSES_COMBINE_H
#define PASSES_COMBINE_H

#include "ir/build.h"

/* g: (a0, ..., a(n-1), b0, ..., b(n-1), captured ...) -> (c0, ..., c(n-1)) on scalars; each c
 * has the type of its a. captured: the values of the inputs after the elements. */
typedef struct pass_combiner {
    const ir_graph *g;
    int n, n_captured;
    const ir_ref *captured;
} pass_combiner;

/* z = g(x, y), element by element; all have one shape. */
void pass_combine(ir_build *b, const pass_combiner *c, const ir_ref *x, const ir_ref *y,
                  ir_ref *z);
/* The op, if the combiner has one operand and is add, mul, max, min, and or or; otherwise
 * OP_none. */
ir_op pass_combiner_op(const pass_combiner *c);
/* y[i]: x[0 ... n-1], of one shape, combined over the axes in the order of combine.c, and then
 * with the scalars init; over an empty axis, init. */
void pass_reduce(ir_build *b, const pass_combiner *c, ir_axes axes, const ir_ref *x,
                 const ir_ref *init, ir_ref *y);

#endif
