/* One rule for each op: see lowering.h. */
#ifndef CODEGEN_LOWER_RULES_H
#define CODEGEN_LOWER_RULES_H

#include "codegen/lowering.h"

#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, ...)            \
    lower_rule lower_##lower;
#include "ir/ops.def"
#undef OP

extern const cg_rules cg_lower_rules;

#endif
