/* The slow twin, inside: a function per op that is not pointwise, plain loops over dense arrays in the
 * orders of NUMERICS.md.  The driver runs pointwise ops as scalar programs, in strips. */
#ifndef IR_EVAL_EVAL_H
#define IR_EVAL_EVAL_H

#include "ir/graph.h"

/* One node: also for constants folded by the builder, so it need not be in a graph.  in[i] and out[i]
 * are dense row-major arrays of in_type[i], out_type[i]; bool is one byte. */
typedef struct ir_eval_args {
    cot_context *ctx;
    ir_arena *scratch;
    ir_loc loc;
    ir_op op;
    const ir_attrs *at;
    int n_in, n_out;
    const ir_type *const *in_type, *const *out_type;
    const void *const *in;
    void *const *out;
} ir_eval_args;

typedef cot_status eval_rule(const ir_eval_args *a);     /* eval_<column>, for rows that are not POINTWISE */

cot_status ir_eval_node(const ir_eval_args *a);

#endif
