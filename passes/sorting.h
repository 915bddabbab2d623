/* Sorting by a traced comparator, as a graph of other ops. */
#ifndef PASSES_SORTING_H
#define PASSES_SORTING_H

#include "passes/combine.h"

/* The places along the axis of the elements of x (c->n operands of one shape) in the order of
 * the comparator, equal ones in their own.  c->g: (a0, ..., b0, ...; captured) -> bool, whether
 * a comes before b: a strict weak order (of another one the result is some arrangement, the
 * same on every back end). */
/* y[i]: x[i] at those places. */
void pass_sort(ir_build *b, const pass_combiner *c, int axis, const ir_ref *x, ir_ref *y);

#endif
