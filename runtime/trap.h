/* The evaluator's runs where NaNs are trapped (cot_options.trap). */
#ifndef RUNTIME_TRAP_H
#define RUNTIME_TRAP_H

#include "ir/graph.h"

/* ir_eval; if the context traps NaNs, it ends at the first op that makes one of operands
 * without one, or before it begins if an argument has one, with COT_ERR_FOREIGN. */
cot_status rt_eval(const ir_graph *f, void *const *out, const void *const *in);
/* "div(1, 0) is inf": an op, its operands and its result as reals; without operands "a result
 * of div is inf". */
const char *rt_op_text(ir_arena *a, const ir_node *n, int n_in, const double *in, double out);

#endif
