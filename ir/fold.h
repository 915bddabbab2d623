/* What the rules of folding share: one rule for each op that has any, named in ops.def. */
#ifndef IR_FOLD_H
#define IR_FOLD_H

#include "ir/build.h"

enum { FOLD_SMALL = 64 };

typedef struct fold_ctx {
    ir_build *b;
    ir_op op;
    int n_in;
    const ir_ref *in;
    const ir_attrs *at;
    const ir_type *type; /* of the result */
} fold_ctx;

/* The value that equals op(in), or IR_NONE. */
typedef ir_ref fold_rule(const fold_ctx *c);

#define OP(name, n_in, attrs, flags, infer, eval, jvp, transpose, vmap, lower, fold, ...)      \
    fold_rule fold_##fold;
#include "ir/ops.def"
#undef OP

static inline ir_ref
fold_add_constant(ir_build *b, ir_data data)
{
    return ir_node1(b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { data } });
}

/* The elements of v if it is a constant, else NULL. */
static inline const ir_data *
fold_constant_of(const ir_build *b, ir_ref v)
{
    const ir_node *n = ir_bdef(b, v);

    return n && n->op == OP_constant ? &n->at->constant.data : NULL;
}

#endif
