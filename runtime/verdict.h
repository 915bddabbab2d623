/* Helpers of the checks of a graph: inputs, results of the reference evaluator, verdicts. */
#ifndef RUNTIME_VERDICT_H
#define RUNTIME_VERDICT_H

#include "runtime/check.h"

/* The outputs by the reference evaluator.  Complex arrays are pairs for it, which are the same
 * bytes. */
cot_status rt_check_eval(const ir_graph *f, void *const *in, void ***out);
/* Initialise a verdict as good; mark it as skipped, with the reason. */
void rt_verdict_new(const ir_graph *f, rt_verdict *v);
void rt_verdict_skip(rt_verdict *v, const char *why);
/* Arrays for the inputs, filled from a seed. */
void **rt_random_inputs(const ir_graph *f, uint64_t seed);
/* Is any of n values of f floating? */
bool rt_has_float(const ir_graph *f, int n, const ir_ref *v);

#endif
