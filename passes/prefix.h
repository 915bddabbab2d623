/* Prefixes of an associative operation. */
#ifndef PASSES_PREFIX_H
#define PASSES_PREFIX_H

#include "passes/combine.h"

/* z = the combination of x and y, which have m elements along the axis. */
typedef void pass_combine_fn(ir_build *b, const void *user, int64_t m, const ir_ref *x,
                             const ir_ref *y, ir_ref *z);

/* y[i] has, for each place along the axis, the combination of the elements of x[i] up to it, in
 * the order that prefix.c defines.  The n lists have the same length along the axis. */
void pass_prefixes(ir_build *b, int n, int axis, const ir_ref *x, ir_ref *y, pass_combine_fn *f,
                   const void *user);
/* The same for a combiner of elements; reverse: of the elements from each place on, in their
 * order. */
void pass_running(ir_build *b, const pass_combiner *c, int axis, bool reverse, const ir_ref *x,
                  ir_ref *y);

#endif
