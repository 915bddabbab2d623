/* Prefixes of an associative operation. */
#ifndef PASSES_PREFIX_H
#define PASSES_PREFIX_H

#include "passes/combine.h"

/* z[i], of m elements along the axis, of x[i] and y[i]: how neighbours are combined. */
typedef void pass_combine_fn(ir_build *b, const void *user, int64_t m, const ir_ref *x,
                             const ir_ref *y, ir_ref *z);

/* y[i]: for each place along the axis, the elements of list i up to it, combined in the order
 * that prefix.c states.  n lists, all of one length along the axis. */
void pass_prefixes(ir_build *b, int n, int axis, const ir_ref *x, ir_ref *y, pass_combine_fn *f,
                   const void *user);
/* The same by a combiner of elements; reverse: the elements from it on, which keep their
 * order. */
void pass_running(ir_build *b, const pass_combiner *c, int axis, bool reverse, const ir_ref *x,
                  ir_ref *y);

#endif
