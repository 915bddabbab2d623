/* The tables of rules, by op. */
#include "codegen/lower/rules.h"

#include "codegen/lower/level.h"

static lower_rule *const element_rules[OP_COUNT] = {
#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, doc)            \
    [OP_##name] = lower_##lower,
#include "ir/ops.def"
#undef OP
};

static cg_node_rule *const node_rules[OP_COUNT] = {
    [OP_dot_general] = cg_plan_dot,
    [OP_conv_general] = cg_plan_dot,
    [OP_argsort] = cg_plan_argsort,
    [OP_top_k] = cg_plan_argsort,
    [OP_fft] = cg_plan_fft,
    [OP_cumsum] = cg_plan_cumulate,
    [OP_cumprod] = cg_plan_cumulate,
    [OP_cummax] = cg_plan_cumulate,
    [OP_cummin] = cg_plan_cumulate,
    [OP_call] = cg_plan_call,
    [OP_cond] = cg_plan_cond,
    [OP_while] = cg_plan_while,
    [OP_scan] = cg_plan_scan,
    [OP_custom_call] = cg_plan_foreign,
    [OP_scatter] = cg_plan_update,
    [OP_scatter_add] = cg_plan_update,
    [OP_scatter_mul] = cg_plan_update,
    [OP_scatter_min] = cg_plan_update,
    [OP_scatter_max] = cg_plan_update,
    [OP_dynamic_update_slice] = cg_plan_update,
};

const cg_rules cg_lower_rules = { element_rules, node_rules };
