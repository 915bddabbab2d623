/* What the passes share below pass.h: arguments, endings, pieces of graphs. */
#ifndef PASSES_ENGINE_H
#define PASSES_ENGINE_H

#include "passes/rules.h"

/* The arguments that wrt names, as positions 0 ..., checked: in range, distinct, floating.
 * what: the pass, for messages.  all: the default is all floating arguments, else argument 0.
 */
typedef struct pass_args {
    int n;
    const int *arg;
} pass_args;
cot_status pass_resolve(const ir_graph *f, const pass_wrt *wrt, bool all, const char *what,
                        pass_args *out);
/* aux is between 0 and the number of outputs. */
cot_status pass_check_aux(const ir_graph *f, int aux, const char *what);
/* Where an error about output j of f is reported. */
/* Where a value is used first: for messages. */
ir_loc pass_first_use(const ir_graph *f, ir_ref v);
ir_loc pass_output_loc(const ir_graph *f, int j);

/* A new builder for a graph named after f: "f.grad". */
ir_build *pass_begin(const ir_graph *f, const char *what);
/* ir_build_end, then the verifier where the context asks for it. */
cot_status pass_end(ir_build *b, const char *what, ir_graph **out);
/* Inputs and outputs of a new graph that stand for those of f, by name. */
void pass_inputs(ir_build *b, const ir_graph *f, ir_ref *in);
void pass_output(ir_build *b, const ir_graph *f, int j, ir_ref v, const char *prefix);

/* f node by node into a new graph of the same name: `visit` makes the results of n from its
 * operands `in`; env[v] is what stands for value v of f.  A node it does not care for:
 * ir_copy_node. */
typedef void pass_visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
                        const ir_ref *in, ir_ref *out);
cot_status pass_rewrite(const ir_graph *f, const char *what, pass_visit *visit, ir_graph **out);
/* The same for a visit with something to know. */
typedef void pass_visit_with(ir_build *b, const ir_graph *f, const ir_node *n,
                             const ir_ref *env, const ir_ref *in, ir_ref *out,
                             const void *user);
cot_status pass_rewrite_with(const ir_graph *f, const char *what, pass_visit_with *visit,
                             const void *user, ir_graph **out);
/* The attributes of n with each sub-function replaced by what `pass` makes of it. */
typedef cot_status pass_simple(const ir_graph *f, ir_graph **out);
cot_status pass_rewrite_subs(ir_build *b, const ir_node *n, pass_simple *pass, ir_attrs *at);
/* The same for a pass with something to know. */
typedef cot_status pass_with(ir_graph *f, const void *user, ir_graph **out);
cot_status pass_replace_subs(ir_build *b, const ir_node *n, pass_with *pass, const void *user,
                             ir_attrs *at);
/* v of the nodes of a graph, in b, made of what made[] has already, by value of that graph. */
ir_ref pass_make(ir_build *b, const ir_node *node, const ir_value *value, ir_ref v,
                 ir_ref *made);
/* f with some of its inputs and outputs only; the inputs left out must not be needed. */
cot_status pass_restrict(const ir_graph *f, const bool *keep_in, const bool *keep_out,
                         ir_graph **out);

/* jvp of f for active inputs; of the first n_diff outputs.  how: "in grad", for locations. */
cot_status pass_jvp_outputs(const ir_graph *f, const bool *active, int n_diff, bool *out_active,
                            const char *how, ir_graph **out);

/* A function split for one choice of arguments.
 *   known   x -> all outputs of f, then residuals
 *   linear  residuals, one tangent for each entry of `args` in ascending order -> tangents
 * tangent[j]: which output of `linear` is the tangent of output j of f; -1: it is zero. */
typedef struct pass_parts {
    pass_args args;
    int n_res, n_diff;
    ir_graph *known, *linear;
    int *tangent;
    int *rank; /* of args.arg[i] among the arguments, ascending */
} pass_parts;
cot_status pass_parts_of(const ir_graph *f, const pass_wrt *wrt, bool all, int aux,
                         const char *what, const char *how, pass_parts *out);

/* f with its counted loops as scans, where reverse mode has memory for them; f itself if
 * none. */
cot_status pass_while_to_scan_for_reverse(const ir_graph *f, const ir_graph **out);

/* custom_text.c: the function that a custom_call names, registered or as its text has it; or
 * NULL. */
struct ir_custom;
const struct ir_custom *pass_custom_of(cot_context *ctx, const ir_node *n);

/* residuals.c: which of the wanted values of b are saved; the others can be made from those. */
/* An instruction or two for each element, or an index map. */
void pass_choose_residuals(const ir_build *b, bool *wanted);

/* linear.c, by the transpose column. */
/* By value: is it zero by its making, a product with zero or a linear function of such?  So
 * is the half that a complex tangent of real numbers does not have. */
const bool *pass_zeros(ir_arena *a, const ir_node *node, uint32_t n_nodes,
                       const ir_value *value, uint32_t n_values);
/* The first node of f that is not linear in the inputs with linear[i]; NULL if all are. */
const ir_node *pass_find_nonlinear(const ir_graph *f, const bool *linear);
/* Is f linear in them?  Else a COT_ERR_INTERNAL that names the node. */
cot_status pass_check_linear(const ir_graph *f, const bool *linear);

#endif
