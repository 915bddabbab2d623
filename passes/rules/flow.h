/* What the rules of ops with sub-functions share: rearranging, splitting and masking bodies. */
#ifndef PASSES_RULES_FLOW_H
#define PASSES_RULES_FLOW_H

#include "passes/rules.h"

/* False, with b failed, if a pass on a sub-function failed. */
bool pass_flow_ok(ir_build *b, cot_status status);
/* Begin a sub-function; what it adds has the location of the node at hand. */
ir_build *pass_flow_begin(ir_build *outer, const char *name);
/* Finish a sub-function; NULL, with outer failed, if that fails. */
ir_graph *pass_flow_end(ir_build *outer, ir_build *b);

/* An input of a rearranged graph: input `at` of the old one, or, where at < 0, a new one of the
 * type that nothing uses. */
typedef struct flow_port {
    int at;
    const ir_type *type;
} flow_port;

/* f with other inputs, in another order, and outputs out[0 ... n_out-1] of the old (NULL: as
 * they are). */
ir_graph *pass_flow_permute(ir_build *outer, const ir_graph *f, int n_in, const flow_port *in,
                            int n_out, const int *out);

/* The outputs `which` of f, built in place with only the nodes that they need, so that inputs
 * they do not depend on may be IR_NONE. */
void pass_copy_needed(ir_build *b, const ir_graph *f, const ir_ref *in, int n_out,
                      const int *which, ir_ref *out);

/* Which outputs of f depend on the inputs named. */
void pass_depends(ir_arena *scratch, const ir_graph *f, const bool *in, bool *out);

/* A split in which the outputs with unknown_out[j] are given by the rest, whatever they depend
 * on: those that the known half could give become residuals.  known_out, which: on return, what
 * the known half gives, its n_known outputs in order; then come n_res residuals, which are the
 * first inputs of the rest, followed by its unknown inputs.  The rest gives the other outputs,
 * in order. */
typedef struct flow_split {
    bool *known_out;
    int n_known, n_res;
    ir_graph *known, *rest;
} flow_split;
bool pass_flow_split(ir_build *outer, const ir_graph *f, const bool *known,
                     const bool *unknown_out, flow_split *s);

/* f with a first input `active`, bool[]: while it is false, no loop of f begins another trip.
 */
ir_graph *pass_mask_whiles(ir_build *outer, const ir_graph *f);

/* x with the leading axes of a mapped predicate, along which it repeats. */
ir_ref pass_lead(ir_build *b, ir_ref x, const ir_type *predicate);

/* cond of a mapped predicate between `no` and `yes`, on operands that both take.  An operand
 * that lacks the predicate's axes, as a value moved out of a loop may, is the same for all
 * examples; it has no tangent. */
void pass_flow_choose(ir_build *b, ir_ref predicate, const ir_graph *no, const ir_graph *yes,
                      int n_in, const ir_ref *in, ir_ref *out);

/* Inputs from ... to-1 to x and port from *at on, then the tangents of those that are active,
 * which follow all of the inputs in the jvp of the body. */
void pass_take_duals(ir_build *b, const ir_node *n, const bool *active, const dual *in,
                     int from, int to, flow_port *port, ir_ref *x, int *at);

/* For the transpose of a body: the operands that are known, then the cotangents that there are,
 * to x, which has room for all; returns how many.  has[j]: is there one of result j? */
int pass_flow_known(const ir_node *n, const bool *linear, const ir_ref *in, const ir_ref *ct,
                    bool *has, ir_ref *x);
/* Its results z to the linear operands, in their order. */
void pass_flow_give(const ir_node *n, const bool *linear, const ir_ref *z, ir_ref *ct_in);

#endif
