/* The tables of rules, by op. */
#include "codegen/lower/rules.h"

#include "codegen/lower/level.h"

/* The rule of ops that have kernels of their own, or do not exist any more when kernels are
 * emitted. */
cg_val
lower_never(cg_lowering *l, cg_frame *fr, const ir_node *n, int result, const cg_ix *at)
{
    (void)l, (void)fr, (void)n, (void)result, (void)at;
    return 0;
}

static lower_rule *const element_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    [OP_##name] = lower_##lower,
#include "ir/ops.def"
#undef OP
};

#define cg_plan_none NULL
static cg_node_rule *const node_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, fold, plan,     \
           ...)                                                                                \
    [OP_##name] = cg_plan_##plan,
#include "ir/ops.def"
#undef OP
};

const cg_rules cg_lower_rules = { element_rules, node_rules };
