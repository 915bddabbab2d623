/* cot_check_derivatives: the check of derivatives as a call. */
#include "cotrace/lint.h"
#include "ir/array.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/check.h"
#include "runtime/compile.h"

typedef struct derivatives_call {
    cot_fn *fn;
    const cot_array *const *args;
    int n_args;
} derivatives_call;

/* The key that the generator has here. */
static const uint64_t key[2] = { 1, 2 };

/* The arguments, and what the function has captured. */
static void **
inputs_of(const ir_graph *f, const derivatives_call *c)
{
    void **in = IR_NEW_N(&f->ctx->arena, void *, f->n_in + 1);
    int at = 0;

    for (int i = 0; i < f->n_in; i++) {
        const ir_hidden *h = &f->hidden[i];
        if (h->kind == IR_HIDDEN_KEY)
            in[i] = (void *)key;
        else if (h->array)
            in[i] = cot_array_data((cot_array *)h->array);
        else if (at < c->n_args)
            in[i] = cot_array_data((cot_array *)c->args[at++]);
    }
    return in;
}

static cot_status
derivatives_body(cot_context *ctx, void *user)
{
    const derivatives_call *c = user;
    const cot_graph *g;
    ir_graph *f;
    rt_verdict v;

    if (c->n_args < 0)
        return ir_fail(ctx, 0, "check_derivatives", ERR_usage,
                       ir_format(&ctx->message_arena, "there are %d arguments", c->n_args));
    cot_type *type = IR_NEW_N(&ctx->arena, cot_type, c->n_args + 1);
    for (int i = 0; i < c->n_args; i++) {
        if (!c->args || !c->args[i])
            return ir_fail_null(ctx, "check_derivatives", "an argument");
        type[i] = cot_array_type(c->args[i]);
    }
    COT_TRY(cot_trace_fn(c->fn, cot_types_of(c->n_args, type), &g));
    COT_TRY(pass_functionalize((ir_graph *)g, true, &f));
    COT_TRY(rt_check_derivatives(f, inputs_of(f, c), &v));
    return v.good ? COT_OK : ir_fail(ctx, 0, g->name, ERR_derivatives, v.why.text);
}

cot_status
cot_check_derivatives(cot_fn *f, const cot_array *const *args, int n_args)
{
    derivatives_call c = { f, args, n_args };

    return rt_guard(cot_fn_context(f), derivatives_body, &c);
}
