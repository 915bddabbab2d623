/* Rule signatures, and the rule tables expanded from ops.def.
 *
 * A rule receives the node (of the graph being read), the rewritten operands and the builder,
 * and fills an array of results; it keeps no state.  Only the rules of ops with sub-functions
 * call a pass, on the sub-function.  IR_NONE as a tangent or cotangent is a structural zero. */
#ifndef PASSES_RULES_H
#define PASSES_RULES_H

#include "passes/pass.h"

/* A value and its tangent (IR_NONE: zero for every x). */
typedef struct dual { ir_ref val, tan; } dual;

/* jvp: in[i] are the rewritten operands; y[i].val are the results, which were made by copying
 * the node, except for ops with flag IR_FLOW, whose rules make values and tangents.  Fills
 * y[i].tan. */
typedef void jvp_rule(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in,
                      dual *y);

/* transpose: n is linear in the operands i with linear[i].  in[i] is the value of each operand
 * that is not linear (IR_NONE for the others); in_type[i] are the operands' types; ct[i] the
 * cotangents of the results.  Fills ct_in[i] for the linear operands. */
typedef void transpose_rule(ir_build *b, const ir_graph *f, const ir_node *n,
                            const bool *linear, const ir_ref *in, const ir_ref *ct,
                            ir_ref *ct_in);

/* vmap: in[i] are the operands, with the mapped axis first where mapped[i]; size is the size of
 * that axis.  At least one is mapped.  Fills y[i], and out_mapped[i] (preset to true). */
typedef void vmap_rule(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                       const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped);

/* The second derivative of igamma(a, x) by a (rules/igamma.c). */
ir_ref pass_igamma_second(ir_build *b, ir_ref a, ir_ref x);

/* The functions that the columns name: jvp_<name>, transpose_<name>, vmap_<name>. */
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    jvp_rule jvp_##jvp;                                                                        \
    transpose_rule transpose_##transpose;                                                      \
    vmap_rule vmap_##vmap;
#include "ir/ops.def"
#undef OP

/* The rules of ops with flag EXPAND and no rules of their own: they use the expansion
 * (rules/expand.c). */
jvp_rule jvp_expand;
transpose_rule transpose_expand;
vmap_rule vmap_expand;

extern jvp_rule *const jvp_rules[OP_COUNT];
extern transpose_rule *const transpose_rules[OP_COUNT];
extern vmap_rule *const vmap_rules[OP_COUNT];

/* Arithmetic of tangents: IR_NONE is zero. */
static inline ir_ref
tan_add(ir_build *b, ir_ref x, ir_ref y)
{
    return !x ? y : !y ? x : ir_add(b, x, y);
}
static inline ir_ref tan_neg(ir_build *b, ir_ref x) { return x ? ir_neg(b, x) : IR_NONE; }
static inline ir_ref
tan_sub(ir_build *b, ir_ref x, ir_ref y)
{
    return !y ? x : !x ? ir_neg(b, y) : ir_sub(b, x, y);
}
/* A tangent or cotangent that is the constant -1 (a negated seed) gives a negation, not a
 * product. */
static inline ir_ref tan_mul(ir_build *b, ir_ref t, ir_ref c)
{
    double x;
    return !t                                      ? IR_NONE
           : c && ir_is_splat(b, t, &x) && x == -1 ? ir_neg(b, c)
                                                   : ir_mul(b, t, c);
}
/* A complex divisor is inverted first, so that the linear half contains only a product. */
static inline ir_ref tan_div(ir_build *b, ir_ref t, ir_ref c)
{
    if (t && c && ir_is_complex(ir_btype(b, c)->dtype))
        return ir_mul(b, t, ir_div(b, ir_like(b, c, 1), c));
    return t ? ir_div(b, t, c) : IR_NONE;
}
static inline ir_ref tan_select(ir_build *b, ir_ref p, ir_ref t, ir_ref e)
{
    if (!t && !e)
        return IR_NONE;
    ir_ref zero = e ? e : ir_like(b, t, 0);
    return ir_select(b, p, t ? t : ir_like(b, e, 0), zero);
}

/* The sum of two cotangents.  If one is zeros with some windows added, the windows are added to
 * the other one instead. */
ir_ref pass_accumulate(ir_build *b, ir_ref x, ir_ref y);


/* The passes on sub-functions, for rules of ops that have them. jvp: active[i] says which
 * inputs have tangents.  The result takes the inputs, then the tangents of the active ones; it
 * returns the outputs, then the tangents of the outputs with out_active[j]. out_active: on
 * entry the tangents that are wanted at least (so that loops can reach a fixed point), on
 * return those that there are: a wanted one that is zero is an array of zeros. */
cot_status pass_jvp_graph(const ir_graph *f, const bool *active, bool *out_active,
                          ir_graph **out);

/* Split a graph whose inputs i with !known[i] are unknown at first.  *known_half computes all
 * outputs that depend only on known inputs, and residuals.  *rest takes the residuals and the
 * unknown inputs and returns the other outputs. known_out[j] on return: the known half has
 * output j.  The n_res residuals are the last outputs of known_half and the first inputs of
 * rest. */
cot_status pass_split(const ir_graph *f, const bool *known, bool *known_out, int *n_res,
                      ir_graph **known_half, ir_graph **rest);
/* Rule of an op with sub-functions for pass_split: splits node n into a node in `kb` (known)
 * and one in `rb` (rest); kin[i] are the known operands (IR_NONE where unknown), rin[i] the
 * unknown ones in rb.  A value of kb becomes a residual through pass_residual.  Fills kout and
 * rout. */
typedef struct pass_splitter pass_splitter;
ir_ref pass_residual(pass_splitter *s, ir_ref known_value); /* the residual's value in rb */
typedef void split_rule(pass_splitter *s, ir_build *kb, ir_build *rb, const ir_graph *f,
                        const ir_node *n, const bool *known, const ir_ref *kin,
                        const ir_ref *rin, ir_ref *kout, ir_ref *rout);
split_rule split_call, split_cond, split_while, split_scan;
extern split_rule *const split_rules[OP_COUNT];

/* Transpose of a graph that is linear in the inputs with linear[i].  The result takes the other
 * inputs, then one cotangent for each output with has_ct[j], and returns one cotangent for each
 * linear input (zeros where there is none). */
cot_status pass_transpose_graph(const ir_graph *f, const bool *linear, const bool *has_ct,
                                ir_graph **out);
/* The same for the body of a loop, which runs many times. */
cot_status pass_transpose_body(const ir_graph *f, const bool *linear, const bool *has_ct,
                               ir_graph **out);

/* The same, where a cotangent may matter only for some elements (lanes.c): the set of these
 * elements, a bool, follows the cotangents for each output with has_set[j].  The sets of the
 * results that do not matter everywhere follow the results; gives_set[i] says for which inputs
 * there is one. */
cot_status pass_transpose_sets(const ir_graph *f, const bool *linear, const bool *has_ct,
                               const bool *has_set, bool *gives_set, ir_graph **out);
/* The transpose of a call with the sets of its cotangents, IR_NONE where they matter
 * everywhere.  Fills ct_in and set_in. */
typedef void transpose_sets_rule(ir_build *b, const ir_node *n, const bool *linear,
                                 const ir_ref *in, const ir_ref *ct, const ir_ref *set,
                                 ir_ref *ct_in, ir_ref *set_in);
transpose_sets_rule transpose_call_sets;
extern transpose_sets_rule *const pass_transpose_call;

/* vmap of a sub-function at axis 0. in_mapped is given; out_mapped works like out_active
 * above. */
cot_status pass_vmap_graph(const ir_graph *f, int64_t size, const bool *in_mapped,
                           bool *out_mapped, ir_graph **out);
/* The same, built in place on values whose first axis is the mapped one; chunk > 0: in blocks
 * of this many examples. */
/* groups.c.  The part of x at one index of an axis, where it is the same at each; else
 * IR_NONE. */
ir_ref pass_same_along(ir_build *b, ir_ref x, int axis);
/* What is wrong with .chunk and .over, as text, or NULL. */
const char *pass_over_wrong(ir_arena *a, const pass_vmap_options *o);
/* The same as pass_vmap_into over an axis that is spread over processes. */
void pass_vmap_groups(ir_build *b, const ir_graph *f, int64_t size, const ir_ref *x,
                      const bool *mapped, ir_ref *y, bool *out_mapped);
/* vmap of a scan, a while or a cond, with its functions mapped by `map`, as pass_vmap_graph
 * does it. */
typedef cot_status pass_map_graph(const ir_graph *f, int64_t size, const bool *in_mapped,
                                  bool *out_mapped, ir_graph **out);
void pass_vmap_scan(ir_build *b, const ir_node *n, int64_t size, const ir_ref *in,
                    const bool *mapped, pass_map_graph *map, ir_ref *y, bool *out_mapped);
void pass_vmap_while(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                     const ir_ref *in, const bool *mapped, pass_map_graph *map, ir_ref *y,
                     bool *out_mapped);
void pass_vmap_cond(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                    const ir_ref *in, const bool *mapped, pass_map_graph *map, ir_ref *y,
                    bool *out_mapped);
void pass_vmap_into(ir_build *b, const ir_graph *f, int64_t size, int64_t chunk,
                    const ir_ref *x, const bool *mapped, ir_ref *y, bool *out_mapped);
/* vmap of node n of f as a scan over the examples, which needs no rule for n. */
void pass_one_by_one(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                     const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped);

/* Custom functions (rules/custom.c).  Replace the tangent nodes that jvp left, for forward
 * mode; and prepare them for the split of reverse mode. */
cot_status pass_custom_forward(const ir_graph *f, ir_graph **out);
cot_status pass_custom_reverse(const ir_graph *f, ir_graph **out);
/* May the traced body of the custom function replace the node?  *body is that body, mapped by
 * the node's levels, or NULL if that failed. */
bool pass_custom_body(ir_build *b, const ir_node *n, const ir_graph *forward, ir_graph **body);

/* Collectives (rules/collective.c).  The first collective over the axis in f, at any depth;
 * NULL name: over any axis. */
const ir_node *pass_axis_find(const ir_graph *f, const char *name);
/* f with the collectives over the axis marked as those of the current vmap; f itself if there
 * are none. pass_axis_bound: is n one of them, or does it contain one? */
cot_status pass_axis_bind(const ir_graph *f, const char *name, const ir_graph **out);
bool pass_axis_bound(const ir_graph *f, const ir_node *n);
/* Fails at the first collective that no vmap has replaced. */
cot_status pass_axis_check(const ir_graph *f);

/* rules/conv.c: if x is a convolution with no other use, a convolution of fewer positions,
 * without those that the negative padding `pad` removes.  IR_NONE if x is no such value or the
 * pad is of another kind. */
ir_ref pass_crop_conv(ir_build *b, ir_ref x, const ir_attrs *pad);

double pass_largest(cot_dtype t); /* the largest number of a floating type */
/* Broadcasts x along a new first axis if it is not mapped. */
ir_ref pass_map_operand(ir_build *b, ir_ref x, bool mapped, int64_t size);
ir_ref pass_zeros_like(ir_build *b, const ir_type *t);

#endif
