/* A handle as text, for a debugger or a printf in a body: its type, the op and the line that
 * made it, and the functions and transforms around its trace, from the innermost function out
 * to the outermost transform:
 *
 *     f32[3], mul at model.c:12, in f, in grad at main.c:30, in vmap at main.c:31
 *
 * A body cannot see these levels otherwise, since it is traced on one example and without
 * tangents. */
#include "frontend/trace.h"
#include <inttypes.h>

#include "ir/diag.h"

static void
print_place(const cot_context *ctx, ir_loc loc, ir_buf *b)
{
    if (!loc)
        return;
    ir_buf_str(b, " at ");
    ir_loc_print(ctx, loc, b);
}

/* What made value v: a node, or the caller. */
static void
print_origin(const cot_trace *t, ir_ref v, ir_buf *b)
{
    const uint32_t node = t->b->value[v].node;
    uint32_t i = 0;

    if (node) {
        ir_buf_printf(b, "%s", ir_ops[t->b->node[node].op].name);
        print_place(t->ctx, t->b->node[node].loc, b);
        return;
    }
    while (i < t->b->n_in && t->b->in[i] != v)
        i++;
    ir_buf_printf(b, "argument %" PRIu32, i);
    if (i < t->b->n_in && t->b->in_name[i])
        ir_buf_printf(b, " (%s)", t->b->in_name[i]);
}

/* Bodies of control flow stand in the function that is below them; then come calls and
 * transforms. */
static void
print_around(const cot_trace *t, ir_buf *b)
{
    const ir_around *around = t->around;

    for (; t && t->around == around; t = t->below)
        ir_buf_printf(b, ", in %s", t->b->name);
    for (; around; around = around->outer) {
        ir_buf_printf(b, ", in %s", around->how);
        print_place(b->arena->ctx, around->loc, b);
    }
}

static void
print_value(const cot_trace *t, cot_value v, ir_buf *b)
{
    const ir_ref x = t->slot[v.id].ref;

    ir_buf_printf(b, "%s, ", ir_type_str(t->ctx, ir_btype(t->b, x)));
    print_origin(t, x, b);
    print_around(t, b);
    if (!t->open)
        ir_buf_str(b, ", which has ended");
}

const char *
cot_value_text(cot_value v)
{
    const char *volatile text = "out of memory";

    if (!v.ctx)
        return "a value that was never set";
    cot_context *ctx = fe_context(v.ctx);
    IR_TRY (ctx) {
        const cot_trace *t = fe_trace_of(ctx, v);
        ir_buf b;
        ir_buf_init(&b, &ctx->arena);
        if (t && v.id)
            print_value(t, v, &b);
        else
            ir_buf_str(&b, t ? "a value of an op that failed" : "no value of this context");
        text = b.text;
    }
    return text;
}

void
fe_around_push(cot_context *ctx, const char *how, ir_loc loc)
{
    ir_around *a = IR_NEW(&ctx->arena, ir_around);

    *a = (ir_around){ ctx->around, how, loc };
    ctx->around = a;
}
