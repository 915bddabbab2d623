/* Traces: a user's body runs once on handles, and a builder records its ops.
 *
 * The open traces form a stack.  A handle names its trace by serial number; if no open trace
 * has that number, the trace has ended and the handle is an error, whatever memory it refers
 * to.  A value of an enclosing trace becomes an input of every trace from there to the
 * innermost; the op that holds the inner graph (call, cond, while, scan) passes it along as an
 * operand. */
#include "frontend/trace.h"

#include "frontend/fn.h"

#include "ir/diag.h"
#include "ir/limit.h"

/* ---- handles ---- */

static ir_ref
new_input(cot_trace *t, ir_ref v, uint32_t from, ir_hidden hidden)
{
    ir_ref in = ir_input_hidden(t->b, ir_btype(t->outer->b, v), NULL, hidden);

    IR_PUSH(t->b->arena, t->captured, t->n_captured, t->cap_captured, v);
    IR_PUSH(t->b->arena, t->input, t->n_input, t->cap_input, in);
    IR_PUSH(t->b->arena, t->from, t->n_from, t->cap_from, from);
    return in;
}

/* The input of t that stands for the value v of t->outer. */
ir_ref
fe_input_for(cot_trace *t, ir_ref v, ir_hidden hidden)
{
    for (uint32_t i = 0; i < t->n_captured; i++)
        if (t->captured[i] == v && !t->from[i])
            return t->input[i];
    return new_input(t, v, 0, hidden);
}

/* The view that node v of the trace around is of `from`, of `base` in t: its nodes once
 * more. */
static ir_ref
same_view(cot_trace *t, ir_ref v, ir_ref from, ir_ref base)
{
    const ir_build *o = t->outer->b;
    uint32_t n_views = 0, cap = 0, *view = NULL;

    for (; v != from; v = ir_bdef(o, v)->in[0])
        IR_PUSH(t->b->arena, view, n_views, cap, o->value[v].node);
    while (n_views-- > 0) {
        const ir_node n = o->node[view[n_views]];
        ir_ref *in = IR_NEW_N(t->b->arena, ir_ref, n.n_in + 1);
        in[0] = base;
        for (int i = 1; i < n.n_in; i++)
            in[i] = fe_input_for(t, n.in[i], (ir_hidden){ IR_SEEN, NULL });
        base = ir_node1(t->b, (ir_op)n.op, n.n_in, in, n.at);
    }
    return base;
}

ir_ref
fe_writable(cot_trace *t, uint32_t id)
{
    if (!ir_is_mutable(t->b, t->slot[id].ref))
        t->slot[id].ref = ir_op1(t->b, OP_clone, t->slot[id].ref);
    return t->slot[id].ref;
}

/* The slot of t, a body of control flow, for a slot of the trace around: an input for a value;
 * for a view the same view of its base's slot, so that each alias sees what the body writes to
 * another. */
static uint32_t
adopt(cot_trace *t, uint32_t from)
{
    const fe_slot o = t->outer->slot[from];
    fe_slot s = { .from = from, .captured = true };

    for (uint32_t i = 0; i < t->n_adopted; i++)
        if (t->slot[t->adopted[i]].from == from)
            return t->adopted[i];
    if (o.base) {
        s.base = adopt(t, o.base);
        s.ref = same_view(t, o.ref, t->outer->slot[o.base].ref, fe_writable(t, s.base));
    } else {
        s.ref = new_input(t, o.ref, from, (ir_hidden){ IR_SEEN, NULL });
    }
    IR_PUSH(t->b->arena, t->slot, t->n_slot, t->cap_slot, s);
    IR_PUSH(t->b->arena, t->adopted, t->n_adopted, t->cap_adopted, t->n_slot - 1);
    return t->n_slot - 1;
}

/* The slot of t for a handle of its own, or of a trace that only bodies of control flow lie
 * between;
 * else 0. */
static uint32_t
slot_for(cot_trace *t, cot_value v)
{
    if (v.trace == t->serial)
        return v.id < t->n_slot ? v.id : 0;
    const uint32_t from = t->flow ? slot_for(t->outer, v) : 0;
    return from ? adopt(t, from) : 0;
}

uint32_t
fe_written(const cot_trace *t, uint32_t *from)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n_adopted; i++) {
        const fe_slot *s = &t->slot[t->adopted[i]];

        if (!s->base && s->written)
            from[n++] = s->from;
    }
    return n;
}

/* The operand of t for a value of t or of a trace around it; false if it is of neither. */
static bool
capture(cot_trace *t, cot_value v, ir_ref *out)
{
    ir_ref outer;
    const uint32_t id = slot_for(t, v);

    if (id) {
        *out = t->slot[id].ref;
        return true;
    }
    if (!t->outer || !capture(t->outer, v, &outer))
        return false;
    *out = outer ? fe_input_for(t, outer, (ir_hidden){ IR_SEEN, NULL }) : IR_NONE;
    return true;
}

cot_value
fe_handle(cot_trace *t, ir_ref v)
{
    if (!v)
        return (cot_value){ t->ctx, t->serial, 0 };
    IR_PUSH(t->b->arena, t->slot, t->n_slot, t->cap_slot, ((fe_slot){ .ref = v }));
    return (cot_value){ t->ctx, t->serial, t->n_slot - 1 };
}

static ir_ref
reject(ir_build *b, const char *op, ir_error error, int i)
{
    ir_build_fail(b, op, error, i);
    return IR_NONE;
}

const cot_trace *
fe_trace_of(const cot_context *ctx, cot_value v)
{
    for (const cot_trace *t = ctx->latest; t; t = t->earlier)
        if (t->serial == v.trace)
            return v.id < t->n_slot ? t : NULL;
    return NULL;
}

/* v is used where it is not known: say where it was made. */
static void
escaped(cot_context *ctx, ir_loc loc, const char *op, ir_error error, int i, cot_value v)
{
    const cot_trace *t = fe_trace_of(ctx, v);
    ir_buf made;

    if (!t) {
        ir_fail(ctx, loc, op, ERR_trace_unset, i);
        return;
    }
    uint32_t node = t->b->value[t->slot[v.id].ref].node;
    ir_buf_init(&made, &ctx->message_arena);
    ir_loc_print(ctx, node ? t->b->node[node].loc : t->loc, &made);
    ir_fail(ctx, loc, op, error, i, made.n ? made.text : "an unknown line", t->b->name);
}

static ir_ref
reject_escaped(ir_build *b, const char *op, ir_error error, int i, cot_value v)
{
    if (b->status == COT_OK) {
        escaped(b->ctx, b->loc, op, error, i, v);
        b->status = b->ctx->status;
    }
    return IR_NONE;
}

/* Is v of an open trace around t, which t may not capture from? */
static bool
is_around(const cot_trace *t, cot_value v)
{
    for (t = t->below; t; t = t->below)
        if (v.trace == t->serial)
            return true;
    return false;
}

ir_ref
fe_resolve(cot_trace *t, cot_value v, const char *op, int i)
{
    ir_ref out = IR_NONE;

    if (!v.ctx)
        return reject(t->b, op, ERR_trace_unset, i);
    if (v.ctx != t->ctx)
        return reject(t->b, op, ERR_trace_context, i);
    if (v.id != 0 && !capture(t, v, &out)) {
        if (is_around(t, v))
            ir_build_fail(t->b, op, ERR_custom_capture, i, t->b->name);
        return reject_escaped(t->b, op, ERR_trace_ended, i, v);
    }
    if (out)
        return out;
    /* a handle of an op that failed, whose error was cleared since */
    if (t->ctx->status == COT_OK)
        return reject(t->b, op, ERR_trace_unset, i);
    if (t->b->status == COT_OK)
        t->b->status = t->ctx->status;
    return IR_NONE;
}

uint32_t
fe_slot_of(cot_trace *t, cot_value v, const char *op)
{
    ir_ref ref = fe_resolve(t, v, op, 0);

    if (!ref)
        return 0;
    uint32_t id = slot_for(t, v);
    if (!id) {
        id = fe_handle(t, ref).id;
        t->slot[id].captured = true;
    }
    return id;
}

cot_trace *
fe_current(cot_context *ctx, cot_place at, const char *op)
{
    cot_trace *t = ctx->trace;

    if (!t) {
        ir_fail(ctx, ir_loc_file(ctx, at.file, at.line), op, ERR_trace_none);
        return NULL;
    }
    t->b->loc = ir_loc_file(ctx, at.file, at.line);
    return t;
}

/* ---- a body ---- */

/* The latest trace that is open on this thread; NULL: none is. */
static _Thread_local cot_trace *here;

cot_context *
fe_context(cot_context *ctx)
{
    return ctx && here ? here->ctx : ctx;
}

static void
leave(cot_trace *t)
{
    t->open = false;
    t->ctx->trace = t->below;
    here = t->before;
}

void
fe_trace_unwind(cot_context *ctx, const cot_trace *below)
{
    while (ctx->trace != below)
        leave(ctx->trace);
}

/* Handles beyond a body's arguments and results: one read there was never set, one written is
 * an error. */
#define ROOM 8

/* A body may have kept the address of a trace that failed, so that it stays that of a trace. */
static cot_trace *
new_trace(cot_context *ctx)
{
    cot_trace *t = ctx->forgotten;

    if (!t)
        return IR_NEW(&ctx->arena, cot_trace);
    ctx->forgotten = t->earlier;
    memset(t, 0, sizeof *t);
    return t;
}

void
fe_trace_forget(cot_trace *t)
{
    cot_context *ctx = t->ctx;
    cot_trace **at = &ctx->latest;

    while (*at != t)
        at = &(*at)->earlier;
    *at = t->earlier;
    ir_build_drop(t->b);
    memset(t, 0, sizeof *t);
    t->ctx = ctx;
    t->earlier = ctx->forgotten;
    ctx->forgotten = t;
}

cot_trace *
fe_trace_begin(cot_context *ctx, const fe_source *s, cot_value *in)
{
    ir_build *b = ir_build_new(ctx, s->name);
    cot_trace *t = new_trace(ctx);

    ir_stage(ctx, "trace", s->name, 0);
    b->kept = true;
    if (!in)
        in = IR_NEW_N(b->arena, cot_value, s->n_in + (s->fn ? s->fn->n_optional : 0) + ROOM);
    t->in = in;
    t->ctx = ctx;
    t->b = b;
    t->below = ctx->trace;
    t->before = here;
    t->outer = s->alone ? NULL : ctx->trace;
    t->flow = s->flow && t->outer;
    t->serial = ++ctx->serial;
    t->loc = s->loc;
    t->around = ctx->around;
    t->earlier = ctx->latest;
    t->open = true;
    t->depth = t->below ? t->below->depth + 1 : 1;
    b->loc = s->loc;
    IR_PUSH(b->arena, t->slot, t->n_slot, t->cap_slot, (fe_slot){ 0 });
    for (int i = 0; i < s->n_in; i++)
        in[i] = fe_handle(t, ir_input(b, s->type[i], s->in_name ? s->in_name[i] : NULL));
    ctx->trace = ctx->latest = here = t;
    return t;
}

/* Result i of a body, as a value of t. */
static ir_ref
result(cot_trace *t, const fe_source *s, cot_value v, int i)
{
    ir_ref out = IR_NONE;

    if (t->b->status != COT_OK)
        return IR_NONE;
    if (!v.ctx)
        return reject(t->b, s->name, ERR_result_unset, i);
    if (v.ctx != t->ctx)
        return reject(t->b, s->name, ERR_result_context, i);
    if (v.id != 0 && !capture(t, v, &out))
        return reject_escaped(t->b, s->name, ERR_result_ended, i, v);
    return out;
}

/* The new values of written arguments, once, after the results. */
static void
inout_results(cot_trace *t, const fe_source *s)
{
    for (int i = 0; i < s->n_in && s->inout && t->b->status == COT_OK; i++) {
        const fe_slot *x = &t->slot[i + 1];
        if (!x->written)
            continue;
        ir_inout_arg(t->b, i, x->written);
        ir_output_named(t->b, x->ref,
                        s->in_name && s->in_name[i] && s->out_name
                            ? ir_format(t->b->arena, "%s_new", s->in_name[i])
                            : NULL);
    }
}

cot_status
fe_trace_end(cot_trace *t, const fe_source *s, const cot_value *out, ir_graph **graph)
{
    t->b->loc = s->loc;
    for (int i = 0; i < s->n_out; i++)
        ir_output_named(t->b, result(t, s, out[i], i), s->out_name ? s->out_name[i] : NULL);
    inout_results(t, s);
    for (uint32_t i = 0; i < t->n_adopted && t->b->status == COT_OK; i++)
        if (!t->slot[t->adopted[i]].base && t->slot[t->adopted[i]].written)
            ir_output(t->b, t->slot[t->adopted[i]].ref);
    leave(t);
    return ir_build_end(t->b, graph);
}

/* A body that calls its own function would never end. */
#define MAX_DEPTH 200

static void
check_room(cot_trace *t, const fe_source *s, const cot_value *out)
{
    for (int i = s->n_out; i < s->n_out + ROOM; i++)
        if (out[i].ctx || out[i].trace || out[i].id) {
            t->b->loc = s->loc;
            const char *made = s->counted ? s->counted : "the function was made with";
            ir_build_fail(t->b, s->name, ERR_usage,
                          ir_format(&t->ctx->message_arena,
                                    "the body set result %d, counted from 0; %s %d", i, made,
                                    s->n_out));
            return;
        }
}

/* What a body reads after its arguments.  Numbers take the element type of the first floating
 * argument, or f32. */
static cot_value
optional_value(cot_trace *t, const fe_optional *o, int n, const ir_type *const *type)
{
    fe_arg x = { IR_NONE, o->value.kind, o->value.real, o->value.integer };
    cot_dtype dtype = COT_DTYPE_NONE;

    if (o->value.kind == COT_IS_VALUE)
        return o->value.value;
    for (int i = 0; i < n && dtype == COT_DTYPE_NONE; i++)
        dtype = ir_is_float(type[i]->dtype) ? type[i]->dtype : dtype;
    if (dtype == COT_DTYPE_NONE)
        dtype = COT_F32;
    return fe_handle(t, fe_number(t->b, o->name, &x, ir_scalar_type(t->ctx, dtype)));
}

static cot_status
run(cot_context *ctx, const fe_source *s, ir_graph **graph, cot_trace **trace)
{
    cot_trace *const below = ctx->trace;
    cot_trace *volatile begun = NULL;
    volatile cot_status status = COT_ERR_MEMORY;

    IR_TRY (ctx) {
        int more = s->fn ? s->fn->n_optional : 0;
        cot_trace *t = begun = fe_trace_begin(ctx, s, NULL);
        cot_value *out = IR_NEW_N(t->b->arena, cot_value, s->n_out + ROOM);
        for (int i = 0; i < more; i++)
            t->in[s->n_in + i] = optional_value(t, &s->fn->optional[i], s->n_in, s->type);
        s->body(t, t->in, out, s->user);
        check_room(t, s, out);
        *trace = t;
        status = fe_trace_end(t, s, out, graph);
    }
    fe_trace_unwind(ctx, below); /* memory ran short: the trace was not ended */
    if (status != COT_OK && begun)
        fe_trace_forget(begun);
    return status;
}

cot_status
fe_trace_run(cot_context *ctx, const fe_source *s, ir_graph **graph, cot_trace **trace)
{
    volatile cot_status status = COT_ERR_MEMORY;

    if (!s->body)
        return ir_fail(ctx, s->loc, s->name, ERR_usage, "the body is NULL; wants a function");
    if (ctx->trace && ctx->trace->depth >= MAX_DEPTH)
        return ir_fail(ctx, s->loc, s->name, ERR_trace_depth, ctx->trace->depth);
    /* the trace is forgotten before the public call ends, which recalls its arenas */
    IR_TRY (ctx)
        status = run(ctx, s, graph, trace);
    return status;
}

/* ---- an op ---- */

void
fe_options(void *to, size_t to_size, const void *from, size_t from_size)
{
    memset(to, 0, to_size);
    if (from)
        memcpy(to, from, from_size < to_size ? from_size : to_size);
}

static fe_arg
argument(cot_trace *t, const char *op, const cot_operand *x, int i)
{
    fe_arg a = { IR_NONE, x->kind, x->real, x->integer };

    if (x->kind == COT_IS_VALUE)
        a.ref = fe_resolve(t, x->value, op, i);
    return a;
}

/* No trace is open: is an operand a value of one that has ended? */
static bool
values_escape(cot_context *ctx, cot_place at, const char *op, int n, const cot_operand *x)
{
    for (int i = 0; i < n; i++)
        if (x[i].kind == COT_IS_VALUE && x[i].value.id && fe_trace_of(ctx, x[i].value)) {
            escaped(ctx, ir_loc_file(ctx, at.file, at.line), op, ERR_trace_ended, i,
                    x[i].value);
            return true;
        }
    return false;
}

/* Resolves the operands and runs the rule.  Every op goes through this function, which catches
 * a failed allocation; it would otherwise jump over the user's body. */
static cot_value
apply(cot_context *ctx, cot_place at, const char *op, fe_rule *rule, int n,
      const cot_operand *x, const void *options)
{
    cot_trace *const top = ctx->trace;
    const ir_here outer = ctx->here;
    volatile cot_value y = { ctx, top ? top->serial : 0, 0 };

    IR_TRY (ctx) {
        cot_trace *t =
            top || !values_escape(ctx, at, op, n, x) ? fe_current(ctx, at, op) : NULL;
        if (t) {
            ctx->here = (ir_here){ t->b->loc, op };
            fe_arg *a = IR_NEW_N(t->b->arena, fe_arg, n + 1);
            for (int i = 0; i < n; i++)
                a[i] = argument(t, op, &x[i], i);
            if (t->b->status == COT_OK)
                y.id = fe_handle(t, rule(t->b, a, n, options)).id;
        }
    }
    IR_CAUGHT(ctx)
    {
        if (top && top->b->status == COT_OK)
            top->b->status = COT_ERR_MEMORY;
    }
    ctx->here = outer;
    return y;
}

cot_value
fe_apply(cot_place at, const char *op, fe_rule *rule, int n, const cot_operand *x,
         const void *options)
{
    cot_context *ctx = NULL;

    for (int i = 0; i < n && !ctx; i++)
        ctx = x[i].kind == COT_IS_VALUE ? x[i].value.ctx : NULL;
    if (!ctx)
        return (cot_value){ NULL, 0, 0 };
    return apply(fe_context(ctx), at, op, rule, n, x, options);
}

cot_value
fe_apply1(cot_place at, const char *op, fe_rule *rule, cot_value x, const void *options)
{
    return fe_apply(at, op, rule, 1, (const cot_operand[]){ cot_operand_value(x) }, options);
}

cot_value
fe_apply2(cot_place at, const char *op, fe_rule *rule, cot_value x, cot_value y,
          const void *options)
{
    return fe_apply(at, op, rule, 2,
                    (const cot_operand[]){ cot_operand_value(x), cot_operand_value(y) },
                    options);
}

cot_value
fe_apply_in(cot_context *ctx, cot_place at, const char *op, fe_rule *rule, const void *options)
{
    if (!ctx)
        return (cot_value){ NULL, 0, 0 };
    return apply(fe_context(ctx), at, op, rule, 0, NULL, options);
}

typedef struct values_call {
    const char *op;
    fe_rule *rule;
    cot_values x;
    const void *options;
} values_call;

static ir_ref
resolve_values(ir_build *b, const fe_arg *none, int n, const void *options)
{
    const values_call *c = options;
    fe_arg *a = IR_NEW_N(b->arena, fe_arg, c->x.n + 1);

    (void)none, (void)n;
    for (int i = 0; i < c->x.n; i++)
        a[i] =
            (fe_arg){ fe_resolve(b->ctx->trace, FE_AT(c->x)[i], c->op, i), COT_IS_VALUE, 0, 0 };
    return b->status == COT_OK ? c->rule(b, a, c->x.n, c->options) : IR_NONE;
}

cot_value
fe_apply_values(cot_place at, const char *op, fe_rule *rule, cot_values x, const void *options)
{
    values_call c = { op, rule, x, options };
    cot_context *ctx = NULL;

    for (int i = 0; i < x.n && !ctx; i++)
        ctx = FE_AT(x)[i].ctx;
    return fe_apply_in(ctx, at, op, resolve_values, &c);
}

cot_value
fe_apply0(cot_place at, cot_trace *t, const char *op, fe_rule *rule, const void *options)
{
    if (!t)
        return (cot_value){ NULL, 0, 0 };
    if (!t->open) {
        ir_fail(t->ctx, 0, op, ERR_trace_none);
        return (cot_value){ t->ctx, 0, 0 };
    }
    return apply(t->ctx, at, op, rule, 0, NULL, options);
}
