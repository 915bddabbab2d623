/* Rule signatures, and the rule tables expanded from ops.def.
 *
 * A rule receives the node (of the graph being read), the rewritten operands and the builder,
 * and fills an array of results; it keeps no state.  Only the rules of ops with sub-functions
 * call a pass, on the sub-function.  IR_NONE among tangents, cotangents is a structural
 * zero. */
#ifndef PASSES_RULES_H
#define PASSES_RULES_H

#include "passes/pass.h"

/* A value and its tangent (IR_NONE: zero for every x). */
typedef struct dual { ir_ref val, tan; } dual;

/* jvp: in[i] are the operands as rewritten; y[i].val are the results, already made by copying
 * the node, unless the op is of the flag IR_FLOW: those rules make values and tangents both.
 * Fills y[i].tan. */
typedef void jvp_rule(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in,
                      dual *y);

/* transpose: n is linear in the operands i with linear[i].  in[i] is the value of each operand
 * that is not linear (IR_NONE for the others); in_type[i] are the operands' types; ct[i] the
 * cotangents of the results.  Fills ct_in[i] for the linear operands. */
typedef void transpose_rule(ir_build *b, const ir_graph *f, const ir_node *n,
                            const bool *linear, const ir_ref *in, const ir_ref *ct,
                            ir_ref *ct_in);

/* vmap: in[i] are the operands, with the mapped axis first where mapped[i]; size is that
 * axis's.  At least one is mapped.  Fills y[i], and out_mapped[i] (preset to true). */
typedef void vmap_rule(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                       const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped);

/* The second derivative of igamma(a, x) by a (rules/igamma.c). */
ir_ref pass_igamma_second(ir_build *b, ir_ref a, ir_ref x);

/* The functions named in the columns: jvp_<name>, transpose_<name>, vmap_<name>. */
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    jvp_rule jvp_##jvp;                                                                        \
    transpose_rule transpose_##transpose;                                                      \
    vmap_rule vmap_##vmap;
#include "ir/ops.def"
#undef OP

/* For rows of the flag EXPAND without rules of their own: through the expansion
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
/* A tangent or cotangent that is the constant -1 (a seed, negated) leaves a sign, not a
 * product. */
static inline ir_ref tan_mul(ir_build *b, ir_ref t, ir_ref c)
{
    double x;
    return !t                                      ? IR_NONE
           : c && ir_is_splat(b, t, &x) && x == -1 ? ir_neg(b, c)
                                                   : ir_mul(b, t, c);
}
/* A complex divisor is inverted before the tangent comes: then the linear half has a product
 * only. */
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

/* The sum of two cotangents; windows added to zeros are added to the other instead. */
ir_ref pass_accumulate(ir_build *b, ir_ref x, ir_ref y);

/* The engines, for rules of ops with sub-functions. */

/* jvp of a sub-function: active[i] says which inputs have tangents.  The result takes the
 * inputs, then the tangents of the active ones; it yields the outputs, then the tangents of the
 * outputs with out_active[j].  out_active: on entry what is wanted at least (so that loops can
 * reach a fixed point), on return what there is: a wanted one that is zero is made of zeros. */
cot_status pass_jvp_graph(const ir_graph *f, const bool *active, bool *out_active,
                          ir_graph **out);

/* Split a graph whose inputs i with !known[i] are unknown at first: *known_half computes all
 * outputs that depend on known inputs only, and residuals; *rest takes the unknown inputs and
 * the residuals and yields the other outputs.  known_out[j] on return: which outputs the known
 * half gives.  n_res residuals come last in known_half's outputs, and first in rest's
 * inputs. */
cot_status pass_split(const ir_graph *f, const bool *known, bool *known_out, int *n_res,
                      ir_graph **known_half, ir_graph **rest);
/* Rule of ops with sub-functions for pass_split: splits node n into a node in `kb` (known) and
 * one in `rb` (rest); kin[i] are known operands (IR_NONE where unknown), rin[i] the unknown
 * ones in rb.  A residual is passed through pass_residual.  Fills kout / rout. */
typedef struct pass_splitter pass_splitter;
ir_ref pass_residual(pass_splitter *s, ir_ref known_value);     /* its counterpart in rb */
typedef void split_rule(pass_splitter *s, ir_build *kb, ir_build *rb, const ir_graph *f,
                        const ir_node *n, const bool *known, const ir_ref *kin,
                        const ir_ref *rin, ir_ref *kout, ir_ref *rout);
split_rule split_call, split_cond, split_while, split_scan;
extern split_rule *const split_rules[OP_COUNT];

/* Transpose of a graph linear in the inputs with linear[i]: the result takes the non-linear
 * inputs, then one cotangent for each output with has_ct[j]; it yields one cotangent for each
 * linear input (zeros where there is none). */
cot_status pass_transpose_graph(const ir_graph *f, const bool *linear, const bool *has_ct,
                                ir_graph **out);
/* The same of the body of a loop, which will run many times. */
cot_status pass_transpose_body(const ir_graph *f, const bool *linear, const bool *has_ct,
                               ir_graph **out);

/* The same, where cotangents may count on a part of their elements only (lanes.c): the set
 * of the elements, a bool, follows the cotangents for each output with has_set[j].  After
 * the results come the sets of those that do not count everywhere; gives_set[i] says of
 * which inputs. */
cot_status pass_transpose_sets(const ir_graph *f, const bool *linear, const bool *has_ct,
                               const bool *has_set, bool *gives_set, ir_graph **out);
/* The transpose of a call with the sets of its cotangents, IR_NONE where they count everywhere;
 * fills ct_in and set_in. */
typedef void transpose_sets_rule(ir_build *b, const ir_node *n, const bool *linear,
                                 const ir_ref *in, const ir_ref *ct, const ir_ref *set,
                                 ir_ref *ct_in, ir_ref *set_in);
transpose_sets_rule transpose_call_sets;
extern transpose_sets_rule *const pass_transpose_call;

/* vmap of a sub-function at axis 0: in_mapped as given; out_mapped as for out_active above. */
cot_status pass_vmap_graph(const ir_graph *f, int64_t size, const bool *in_mapped,
                           bool *out_mapped, ir_graph **out);
/* The same, built in place on values whose mapped axis is the first; chunk > 0: in blocks of so
 * many. */
void pass_vmap_into(ir_build *b, const ir_graph *f, int64_t size, int64_t chunk,
                    const ir_ref *x, const bool *mapped, ir_ref *y, bool *out_mapped);
/* vmap of node n of f by a scan over the examples, which knows nothing of n. */
void pass_one_by_one(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                     const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped);

/* Custom functions (rules/custom.c): the tangents that jvp left, for forward mode and before
 * the split of reverse mode; the forward of a call of n in place, false if it is opaque or no
 * such call. */
cot_status pass_custom_forward(const ir_graph *f, ir_graph **out);
cot_status pass_custom_reverse(const ir_graph *f, ir_graph **out);
/* Has the node a forward that may stand in its place?  *body is that, mapped by its levels, or
 * NULL where that failed. */
bool pass_custom_body(ir_build *b, const ir_node *n, const ir_graph *forward, ir_graph **body);

/* Collectives (rules/collective.c).  The first over the axis in f, at any depth; NULL name:
 * over any. */
const ir_node *pass_axis_find(const ir_graph *f, const char *name);
/* f with the collectives over the axis marked as those of the vmap at hand; f itself if there
 * are none.
 * Is n one of them, or holds one? */
cot_status pass_axis_bind(const ir_graph *f, const char *name, const ir_graph **out);
bool pass_axis_bound(const ir_graph *f, const ir_node *n);
/* An error at the first collective that no vmap replaced. */
cot_status pass_axis_check(const ir_graph *f);

/* rules/conv.c: x, a convolution that nothing else wants, without what that pad adds to its
 * spatial axes: a convolution of fewer positions.  IR_NONE if x is none, or the pad is of
 * another kind. */
ir_ref pass_crop_conv(ir_build *b, ir_ref x, const ir_attrs *pad);

/* Helpers. */
double pass_largest(cot_dtype t); /* the largest number of a floating type */
/* broadcast on a new first axis if not mapped */
ir_ref pass_map_operand(ir_build *b, ir_ref x, bool mapped, int64_t size);
ir_ref pass_zeros_like(ir_build *b, const ir_type *t);

#endif
