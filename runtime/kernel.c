/* The kernel that a user asks for: that of a function, at fixed or open sizes, or of a
 * graph. */
#include "frontend/fn.h"
#include "ir/diag.h"
#include "runtime/open/open.h"

typedef struct compile_call {
    cot_fn *fn;
    cot_types types;
    const ir_graph *graph;
    const cot_compile_options *options;
    const char *schedules;
    cot_kernel **out;
} compile_call;

/* On this machine alone: devices have no open sizes. */
static cot_status
compile_open(const compile_call *c)
{
    rt_plan p;

    COT_TRY(rt_plan_new(c->fn->ctx, c->options, c->fn->name, &p));
    COT_TRY(rt_open_compile_fn(c->fn, c->types, &p, c->out));
    (*c->out)->loc = c->fn->loc;
    return COT_OK;
}

static cot_status
compile_body(cot_context *ctx, void *arg)
{
    const compile_call *c = arg;
    const ir_graph *f = c->graph;
    rt_plan p;

    if (!c->out)
        return ir_fail(ctx, 0, NULL, ERR_usage, "the place for the kernel is NULL; wants one");
    if (c->fn && c->fn->open)
        return compile_open(c);
    if (!f)
        COT_TRY(cot_trace_fn(c->fn, c->types, &f));
    COT_TRY(rt_plan_new(ctx, c->options, f->name, &p));
    p.schedules = c->schedules;
    COT_TRY(rt_compile(f, &p, c->out));
    (*c->out)->loc = c->fn ? c->fn->loc : 0;
    return COT_OK;
}

cot_status
cot_compile(cot_fn *fn, cot_types types, const cot_compile_options *options, cot_kernel **out)
{
    compile_call c = { fn, types, NULL, options, NULL, out };

    if (out)
        *out = NULL;
    return rt_guard(cot_fn_context(fn), compile_body, &c);
}

cot_status
rt_compile_scheduled(const cot_graph *g, const cot_compile_options *options,
                     const char *schedules, cot_kernel **out)
{
    compile_call c = { NULL, { 0 }, g, options, schedules, out };

    if (out)
        *out = NULL;
    return rt_guard(g ? g->ctx : NULL, compile_body, &c);
}

cot_status
cot_compile_graph(const cot_graph *g, const cot_compile_options *options, cot_kernel **out)
{
    return rt_compile_scheduled(g, options, NULL, out);
}
