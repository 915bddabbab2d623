/* Ops that are defined by a graph of smaller ops: rows of ops.def with the flag EXPAND.
 *
 * The eval column of such a row names the builder of that graph, its expansion: eval_<name>.
 * The pass `expand` puts expansions in place before anything is evaluated or lowered, so that
 * every back end has the bits of the same small ops. */
#ifndef IR_EXPAND_H
#define IR_EXPAND_H

#include "ir/build.h"

/* Fills out[0 ...] with the results of the op on `in`, made of other ops, which may have
 * expansions themselves.  f16 and bf16 never get here: operands are widened to f32 before and
 * results of f32 rounded after it. */
typedef void ir_expander(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in,
                         ir_ref *out);

#define EXPANDER_POINTWISE(...)
#define EXPANDER_MOVE(...)
#define EXPANDER_REDUCE(...)
#define EXPANDER_CONTRACT(...)
#define EXPANDER_LINE(...)
#define EXPANDER_INDEX(...)
#define EXPANDER_COLLECTIVE(...)
#define EXPANDER_FLOW(...)
#define EXPANDER_EFFECT(...)
#define EXPANDER_EXPAND(...) __VA_ARGS__
#define OP(name, n, attrs, flag, infer, eval, ...) EXPANDER_##flag(ir_expander eval_##eval;)
#include "ir/ops.def"
#undef OP

/* An expansion: as its builder made it, for rules that go through it; and without any op that
 * has an expansion, filled by the pass when it first needs it. */
typedef struct ir_expansion {
    const ir_graph *graph;
    ir_graph *flat;
} ir_expansion;

/* The expansion of an op on operands of these types.  All of its nodes have the location.  It
 * is built once for each op, attributes, types and location of a context, which owns it; once
 * more while nothing is folded, since sizes are open. */
cot_status ir_expand(cot_context *ctx, ir_loc loc, ir_op op, const ir_attrs *at, int n_in,
                     const ir_type *const *in, ir_expansion **out);

/* For builders.  A sub-function, whose nodes have the location of the node at hand; its graph,
 * or NULL with outer failed. */
ir_build *ir_sub_begin(ir_build *outer, const char *name);
ir_graph *ir_sub_end(ir_build *outer, ir_build *b);

#endif
