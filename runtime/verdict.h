/* What the judges of a graph share: inputs, the reference evaluator's answer, and verdicts. */
#ifndef RUNTIME_VERDICT_H
#define RUNTIME_VERDICT_H

#include "runtime/check.h"

/* The outputs by the reference evaluator, to which complex arrays are pairs: the same bytes. */
cot_status rt_check_eval(const ir_graph *f, void *const *in, void ***out);
/* A good verdict; one that says why nothing was judged. */
void rt_verdict_new(const ir_graph *f, rt_verdict *v);
void rt_verdict_skip(rt_verdict *v, const char *why);
/* Arrays for the inputs, made from a seed. */
void **rt_random_inputs(const ir_graph *f, uint64_t seed);
/* Is one of n values of f floating? */
bool rt_has_float(const ir_graph *f, int n, const ir_ref *v);

#endif
