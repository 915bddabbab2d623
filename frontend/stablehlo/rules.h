/* The rules that rows of ops.def name. */
#ifndef FRONTEND_STABLEHLO_RULES_H
#define FRONTEND_STABLEHLO_RULES_H

#include "frontend/stablehlo/emit.h"

#define HLO(name, n_in, rule, op) fe_hlo_rule fe_hlo_##rule;
#include "frontend/stablehlo/ops.def"
#undef HLO

/* Floats as integers in their total order; bits as elements of another width. */
ir_ref fe_hlo_total(ir_build *b, ir_ref x);
ir_ref fe_hlo_recast(hlo_emit *e, ir_ref x, const ir_type *to);
/* A reduction of values with their places that is argmax or argmin, made so: false if it is none. */
bool fe_hlo_arg_search(hlo_emit *e, const ir_graph *g, ir_ints axes);
/* Axes anywhere in the result, not ascending as the op of ours wants. */
ir_ref fe_hlo_spread(hlo_emit *e, ir_ref x, int rank, const int64_t *shape, ir_ints dims);

#endif
