/* Writes and views evaluated directly, in memory.  They are independent of the rewrite that
 * functionalize makes, and so check it.
 *
 * A clone's array is memory.  A view of it is a list of the elements of that memory that it
 * shows.  The list is computed once, when the view is made, by running the view's op on the
 * element numbers of its operand.  A read of a view loads those elements as they are at that
 * time; a write stores into them. */
#include "ir/eval/eval.h"

typedef struct memory_view {
    ir_ref base; /* the clone that this shows; IR_NONE: a pure value */
    int64_t *at; /* for each element, its number in base             */
} memory_view;

struct eval_views {
    eval_mem *m;
    const ir_graph *f;
    const void **val;
    memory_view *of; /* by value */
};

static size_t
list_bytes(const eval_views *w, ir_ref v)
{
    return sizeof(int64_t) * (size_t)w->f->value[v].type->size;
}

eval_views *
eval_views_new(eval_mem *m, const ir_graph *f, const void **val)
{
    eval_views *w = eval_take(m, sizeof *w);

    *w = (eval_views){ m, f, val, eval_take(m, sizeof *w->of * f->n_values) };
    memset(w->of, 0, sizeof *w->of * f->n_values);
    return w;
}

void
eval_views_end(eval_views *w)
{
    for (ir_ref v = 1; v < w->f->n_values; v++)
        if (w->of[v].at)
            eval_drop(w->m, w->of[v].at, list_bytes(w, v));
    eval_drop(w->m, w->of, sizeof *w->of * w->f->n_values);
    eval_drop(w->m, w, sizeof *w);
}

void
eval_views_read(eval_views *w, ir_ref v)
{
    const memory_view *x = &w->of[v];
    const ir_type *t = w->f->value[v].type;
    const size_t width = cot_dtype_size(t->dtype);

    if (!x->base || x->base == v)
        return;
    const char *from = w->val[x->base];
    char *to = (char *)w->val[v];
    for (int64_t i = 0; i < t->size; i++)
        memcpy(to + (size_t)i * width, from + (size_t)x->at[i] * width, width);
}

/* The view that node n makes of its operand: its op is run on the operand's element numbers. */
static cot_status
look(eval_views *w, const ir_node *n)
{
    cot_context *ctx = w->f->ctx;
    const ir_type *t = w->f->value[n->in[0]].type, *r = w->f->value[n->first].type;
    const ir_type *out_type = ir_type_as(ctx, r, COT_I64);
    const size_t slots = sizeof(void *) * 2 * (size_t)n->n_in;
    const void **in = eval_take(w->m, slots), **in_type = in + n->n_in;
    void *out = eval_take(w->m, list_bytes(w, n->first));
    memory_view *y = &w->of[n->first];

    *y = (memory_view){ w->of[n->in[0]].base, out };
    for (int i = 0; i < n->n_in; i++) {
        in[i] = i == 0 ? w->of[n->in[0]].at : w->val[n->in[i]];
        in_type[i] = i == 0 ? ir_type_as(ctx, t, COT_I64) : w->f->value[n->in[i]].type;
    }
    cot_status status =
        ir_eval_node(&(ir_eval_args){ .ctx = ctx,
                                      .scratch = eval_scratch(w->m),
                                      .loc = n->loc,
                                      .op = ir_ops[n->op].alias,
                                      .at = n->at,
                                      .n_in = n->n_in,
                                      .n_out = 1,
                                      .in_type = (const ir_type *const *)in_type,
                                      .out_type = &out_type,
                                      .in = in,
                                      .out = &out,
                                      .mem = w->m });
    eval_drop(w->m, in, slots);
    return status;
}

cot_status
eval_views_note(eval_views *w, const ir_node *n)
{
    const ir_type *t = n->n_out ? w->f->value[n->first].type : NULL;

    if (n->op == OP_clone) {
        w->of[n->first] = (memory_view){ n->first, eval_take(w->m, list_bytes(w, n->first)) };
        for (int64_t i = 0; i < t->size; i++)
            w->of[n->first].at[i] = i;
    } else if (n->op == OP_assign) {
        const memory_view *x = &w->of[n->in[0]];
        const size_t width = cot_dtype_size(t->dtype);
        char *to = (char *)w->val[x->base];
        const char *from = w->val[n->first]; /* the node's result: a copy of y */

        for (int64_t i = 0; i < t->size; i++)
            memcpy(to + (size_t)x->at[i] * width, from + (size_t)i * width, width);
    } else if (ir_is_alias(n->op) && w->of[n->in[0]].base) {
        return look(w, n);
    }
    return COT_OK;
}
