/* The rule tables, expanded from ops.def, and helpers of several families of rules. */
#include "passes/rules.h"

jvp_rule *const jvp_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    [OP_##name] = jvp_##jvp,
#include "ir/ops.def"
#undef OP
};

transpose_rule *const transpose_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    [OP_##name] = transpose_##transpose,
#include "ir/ops.def"
#undef OP
};

vmap_rule *const vmap_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    [OP_##name] = vmap_##vmap,
#include "ir/ops.def"
#undef OP
};

/* For ops with sub-functions that may be partly known; NULL: the op is in one half as a
 * whole. */
split_rule *const split_rules[OP_COUNT] = {
    [OP_call] = split_call,
    [OP_cond] = split_cond,
    [OP_while] = split_while,
    [OP_scan] = split_scan,
};

transpose_sets_rule *const pass_transpose_call = transpose_call_sets;

ir_ref
pass_zeros_like(ir_build *b, const ir_type *t)
{
    return ir_zeros(b, t);
}
