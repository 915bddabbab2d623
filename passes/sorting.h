/* Sorting by a traced comparator, as a graph of other ops. */
#ifndef PASSES_SORTING_H
#define PASSES_SORTING_H

#include "passes/combine.h"

/* The positions along the axis of the elements of x (c->n operands of one shape) in the order
 * of the comparator; equal elements keep their order. c->g: (a0, ..., b0, ...; captured) ->
 * bool, whether a comes before b.  It must be a strict weak order; for any other function the
 * result is some arrangement, which is the same on every back end. */
/* y[i]: the elements of x[i] in that order. */
void pass_sort(ir_build *b, const pass_combiner *c, int axis, const ir_ref *x, ir_ref *y);

#endif
