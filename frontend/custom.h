/* What registering and calling custom functions (custom.c) shares with tracing their rules
 * (custom_rules.c).  The public function that registers is in runtime, where C code can be
 * called. */
#ifndef FRONTEND_CUSTOM_H
#define FRONTEND_CUSTOM_H

#include "cotrace/custom.h"
#include "ir/custom.h"
#include "ir/graph.h"

struct cot_custom {
    ir_custom ir;
    cot_context *ctx;
    cot_custom_options o;
    ir_loc loc;
};

/* foreign: calls what has a prototype. */
const cot_custom *fe_custom_new(cot_place at, cot_context *ctx, const char *name,
                                const cot_custom_options *options, size_t size,
                                ir_custom_caller *foreign);

/* How many operands and results a call has. */
void fe_custom_counts(const cot_custom *c, int *n_in, int *n_out);

/* custom_rules.c.  The function that a name stands for, and what its body and rules are told of
 * a call. */
const cot_custom *fe_custom_of(const ir_custom *c);
cot_custom_info fe_custom_info(const cot_custom *c, const ir_attrs *at);
/* The forward, to the attributes; the rules, as ir_custom wants them. */
cot_status fe_custom_forward(const cot_custom *c, ir_attrs *at, int n_in,
                             const ir_type *const *type, ir_loc loc);
cot_status fe_custom_vjp(const ir_custom *ir, const ir_node *n, ir_loc loc, const bool *active,
                         const bool *has_ct, ir_graph **out);
cot_status fe_custom_jvp(const ir_custom *ir, const ir_node *n, ir_loc loc, const bool *active,
                         ir_graph **out);
cot_status fe_custom_vmap(const ir_custom *ir, const ir_node *n, ir_loc loc, int64_t size,
                          int randomness, const bool *mapped, ir_graph **out,
                          int64_t *out_dims);

#endif
