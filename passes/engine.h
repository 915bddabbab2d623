/* Helpers of passes, below pass.h: arguments, ends of passes, parts of graphs. */
#ifndef PASSES_ENGINE_H
#define PASSES_ENGINE_H

#include "passes/rules.h"

/* The arguments that wrt names, as positions 0 ..., which are checked to be in range, distinct
 * and floating. what: the pass, for messages. all: the default is all floating arguments,
 * otherwise argument 0. */
typedef struct pass_args {
    int n;
    const int *arg;
} pass_args;
cot_status pass_resolve(const ir_graph *f, const pass_wrt *wrt, bool all, const char *what,
                        pass_args *out);
/* Check that aux is between 0 and the number of outputs. */
cot_status pass_check_aux(const ir_graph *f, int aux, const char *what);
/* The location for errors about output j of f. */
/* The location of the first use of a value, for messages. */
ir_loc pass_first_use(const ir_graph *f, ir_ref v);
ir_loc pass_output_loc(const ir_graph *f, int j);

/* Begin a graph with a name derived from f's: "f.grad". */
ir_build *pass_begin(const ir_graph *f, const char *what);
/* End the graph, and verify it if the context asks for it. */
cot_status pass_end(ir_build *b, const char *what, ir_graph **out);
/* Add inputs and outputs to a new graph for those of f, with their names. */
void pass_inputs(ir_build *b, const ir_graph *f, ir_ref *in);
void pass_output(ir_build *b, const ir_graph *f, int j, ir_ref v, const char *prefix);

/* Copy f node by node into a new graph of the same name.  `visit` fills the results of n from
 * its operands `in`; env[v] is the new value for value v of f.  Where it fills nothing,
 * ir_copy_node copies the node. */
typedef void pass_visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
                        const ir_ref *in, ir_ref *out);
cot_status pass_rewrite(const ir_graph *f, const char *what, pass_visit *visit, ir_graph **out);
/* The same with data for the visit. */
typedef void pass_visit_with(ir_build *b, const ir_graph *f, const ir_node *n,
                             const ir_ref *env, const ir_ref *in, ir_ref *out,
                             const void *user);
cot_status pass_rewrite_with(const ir_graph *f, const char *what, pass_visit_with *visit,
                             const void *user, ir_graph **out);
/* The attributes of n, with each sub-function replaced by the result of `pass`. */
typedef cot_status pass_simple(const ir_graph *f, ir_graph **out);
cot_status pass_rewrite_subs(ir_build *b, const ir_node *n, pass_simple *pass, ir_attrs *at);
/* simplify.c: node n with its sub-functions replaced by the results of `subs`, then
 * simplified. */
cot_status pass_simplify_flow(ir_build *b, const ir_node *n, pass_simple *subs,
                              const ir_ref *in, ir_ref *out);
/* The same for a pass with data. */
typedef cot_status pass_with(ir_graph *f, const void *user, ir_graph **out);
cot_status pass_replace_subs(ir_build *b, const ir_node *n, pass_with *pass, const void *user,
                             ir_attrs *at);
/* Make value v of another graph's nodes in b. made[], by value of that graph, has what is
 * already made. */
ir_ref pass_make(ir_build *b, const ir_node *node, const ir_value *value, ir_ref v,
                 ir_ref *made);
/* f with only some of its inputs and outputs; the kept outputs must not need the other
 * inputs. */
cot_status pass_restrict(const ir_graph *f, const bool *keep_in, const bool *keep_out,
                         ir_graph **out);

/* jvp of f for active inputs and the first n_diff outputs. how: "in grad", for locations. */
cot_status pass_jvp_outputs(const ir_graph *f, const bool *active, int n_diff, bool *out_active,
                            const char *how, ir_graph **out);

/* A function split for one choice of arguments.
 *
 *   known   x -> all outputs of f, then residuals
 *   linear  residuals, one tangent for each entry of `args` in ascending order -> tangents
 *
 * tangent[j]: the output of `linear` that is the tangent of output j of f; -1: the tangent is
 * zero. */
typedef struct pass_parts {
    pass_args args;
    int n_res, n_diff;
    ir_graph *known, *linear;
    int *tangent;
    int *rank; /* the position of args.arg[i] among these arguments in ascending order */
} pass_parts;
cot_status pass_parts_of(const ir_graph *f, const pass_wrt *wrt, bool all, int aux,
                         const char *what, const char *how, pass_parts *out);

/* f with its counted loops as scans, if reverse mode has the memory for that; f itself if there
 * are none. */
cot_status pass_while_to_scan_for_reverse(const ir_graph *f, const ir_graph **out);

/* custom_text.c: the function that a custom_call names, registered or defined by its text; or
 * NULL. */
struct ir_custom;
const struct ir_custom *pass_custom_of(cot_context *ctx, const ir_node *n);

/* residuals.c: of the wanted values of b, choose those that are saved; the others are
 * recomputed from them. */
void pass_choose_residuals(const ir_build *b, bool *wanted);

/* linear.c, by the transpose column of ops.def. */
/* By value: is it zero by construction, as a product with zero or a linear function of such?
 * An example is the imaginary half of a complex tangent of real numbers. */
const bool *pass_zeros(ir_arena *a, const ir_node *node, uint32_t n_nodes,
                       const ir_value *value, uint32_t n_values);
/* The first node of f that is not linear in the inputs with linear[i]; NULL: all are. */
const ir_node *pass_find_nonlinear(const ir_graph *f, const bool *linear);
/* Fails with COT_ERR_INTERNAL, naming the node, if f is not linear in these inputs. */
cot_status pass_check_linear(const ir_graph *f, const bool *linear);

#endif
