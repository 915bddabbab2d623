/* Helpers for rules of ops with sub-functions: rearranging, splitting and masking bodies. */
#ifndef PASSES_RULES_FLOW_H
#define PASSES_RULES_FLOW_H

#include "passes/rules.h"

/* Returns false and fails b if a pass on a sub-function failed. */
bool pass_flow_ok(ir_build *b, cot_status status);
/* Which examples of an index choose branch k of so many. */
ir_ref pass_branch_chosen(ir_build *b, ir_ref index, int k, int count);
/* Begin a sub-function; nodes added to it have the location of the current node. */
ir_build *pass_flow_begin(ir_build *outer, const char *name);
/* Finish a sub-function; returns NULL and fails outer if that fails.  from: what it is made
 * from, or NULL.  Equal graphs that are made from one graph are one, whichever node each was
 * made for: so they are transformed and compiled once.  The memory of b may be given back. */
ir_graph *pass_flow_end(ir_build *outer, ir_build *b, const ir_graph *from);

/* The results of f for one use of it: its nodes if they are few, otherwise a call of it.  So
 * what is made of a large function is made once, for all uses. */
void pass_flow_run(ir_build *b, const ir_graph *f, const ir_ref *in, ir_ref *out);

/* An input of a rearranged graph: input `at` of the old one; at < 0: a new unused input of this
 * type. */
typedef struct flow_port {
    int at;
    const ir_type *type;
} flow_port;

/* f with its inputs rearranged, and with the outputs out[0 ... n_out-1] of f (NULL: all). */
ir_graph *pass_flow_permute(ir_build *outer, const ir_graph *f, int n_in, const flow_port *in,
                            int n_out, const int *out);

/* Build the outputs `which` of f in b, with only the nodes that they need, so that other inputs
 * may be IR_NONE. */
void pass_copy_needed(ir_build *b, const ir_graph *f, const ir_ref *in, int n_out,
                      const int *which, ir_ref *out);

/* Which outputs of f depend on the given inputs? */
void pass_depends(ir_arena *scratch, const ir_graph *f, const bool *in, bool *out);

/* A split in which the rest gives the outputs with unknown_out[j], whatever they depend on;
 * those that the known half could give become residuals. known_out: on return, the outputs of
 * the known half, which come first and are n_known.  Then come n_res residuals, which are the
 * first inputs of the rest, followed by its unknown inputs.  The rest gives the other outputs,
 * in order. */
typedef struct flow_split {
    bool *known_out;
    int n_known, n_res;
    ir_graph *known, *rest;
} flow_split;
bool pass_flow_split(ir_build *outer, const ir_graph *f, const bool *known,
                     const bool *unknown_out, flow_split *s);

/* f with an additional first input `active`, bool[]: while it is false, no loop of f begins
 * another iteration. */
ir_graph *pass_mask_whiles(ir_build *outer, const ir_graph *f);

/* x broadcast along the leading axes of a mapped predicate. */
ir_ref pass_lead(ir_build *b, ir_ref x, const ir_type *predicate);

/* A cond with a mapped predicate between `no` and `yes`, on operands that both take.  An
 * operand may lack the predicate's axes, as a value moved out of a loop does: it is the same
 * for all examples and has no tangent. */
void pass_flow_choose(ir_build *b, ir_ref predicate, const ir_graph *no, const ir_graph *yes,
                      int n_in, const ir_ref *in, ir_ref *out);

/* Append the inputs from ... to-1 to x and port from *at on, then the tangents of the active
 * ones, which follow all inputs in the jvp of the body. */
void pass_take_duals(ir_build *b, const ir_node *n, const bool *active, const dual *in,
                     int from, int to, flow_port *port, ir_ref *x, int *at);

/* The inputs for the transpose of a body: the known operands, then the existing cotangents.
 * Fills x, which has room for all, and returns how many. has[j]: does result j have a
 * cotangent? */
int pass_flow_known(const ir_node *n, const bool *linear, const ir_ref *in, const ir_ref *ct,
                    bool *has, ir_ref *x);
/* Distribute the results z of the transposed body to the linear operands, in order. */
void pass_flow_give(const ir_node *n, const bool *linear, const ir_ref *z, ir_ref *ct_in);

#endif
