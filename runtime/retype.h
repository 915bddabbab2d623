/* A graph with floats of another type: f64 in the place of f32 shows what rounding does. */
#ifndef RUNTIME_RETYPE_H
#define RUNTIME_RETYPE_H

#include "ir/graph.h"

/* f with every float as type `to`, f32 or f64, and every complex number as a pair of such;
 * NONE: with its own types.  A bitcast uses the bits that the float has in f.  all: nodes are
 * neither folded nor shared, and behind the results of f every value v of it is one, number
 * f->n_out + v - 1. */
cot_status rt_retype(const ir_graph *f, cot_dtype to, bool all, ir_graph **out);
/* Inputs of g, which rt_retype made of f, from those of f. */
void **rt_retype_inputs(const ir_graph *f, const ir_graph *g, void *const *in);

#endif
