/* The custom functions of a context, by name, and those that every context has. */
#include "ir/linalg/lapack.h"

static const char key;

const ir_custom *
ir_custom_find(const cot_context *ctx, const char *name)
{
    const ir_custom *const *first = ir_attached_find(ctx, &key);
    for (const ir_custom *c = first ? *first : NULL; c; c = c->next)
        if (c->name == name || strcmp(c->name, name) == 0)
            return c;
    return ir_la_lapack_find(name);
}

void
ir_custom_add(cot_context *ctx, ir_custom *c)
{
    const ir_custom **first = ir_attached_find(ctx, &key);
    if (!first) {
        first = IR_NEW(&ctx->arena, const ir_custom *);
        ir_attach(ctx, &key, first, NULL);
    }
    c->next = *first;
    *first = c;
}

/* The attributes refer to the forward graph, of which the evaluator needs only the types. */
const ir_custom_closure *
ir_custom_close(cot_context *ctx, const ir_custom *c, const ir_node *n)
{
    ir_custom_closure *call = IR_NEW(&ctx->arena, ir_custom_closure);
    call->c = c;
    call->n_in = n->n_in;
    call->at = ir_attrs_copy(&ctx->arena, ir_ops[n->op].record, n->at);
    return call;
}

int
ir_custom_run(const ir_custom_closure *call, void *const *args)
{
    return call->c->run(call->c, &call->at, args + call->n_in, (const void *const *)args);
}
