/* Calls and control flow: bodies traced as sub-functions (sub.c).
 *
 * The operands that bodies capture are shared: branches have them last, while and scan first,
 * as consts.  A body may write to values of the trace around: their new values become more
 * results of a cond, more carries of a loop, and are written outside when the node is made. */
#include "frontend/fn.h"
#include "frontend/sub.h"
#include "ir/diag.h"

/* ---- operands and results ---- */

typedef struct flow {
    const char *op;
    cot_flow_options o;
    cot_operand head; /* the predicate, or the number of steps */
    cot_bodies bodies;
    cot_fn *fn; /* call */
} flow;

/* What says how many results the body of a loop has. */
#define FROM_CARRIES "by .in it gives"

static void
flow_options(flow *f, const cot_flow_options *o, size_t size)
{
    fe_options(&f->o, sizeof f->o, o, size);
    fe_readable(&f->o.in);
    fe_readable(&f->o.xs);
}

static cot_context *
context_of(const flow *f)
{
    cot_context *ctx = f->fn ? f->fn->ctx : f->head.value.ctx;

    if (!ctx && f->o.t)
        ctx = f->o.t->ctx;
    for (int i = 0; i < f->o.in.n && !ctx; i++)
        ctx = FE_AT(f->o.in)[i].ctx;
    for (int i = 0; i < f->o.xs.n && !ctx; i++)
        ctx = FE_AT(f->o.xs)[i].ctx;
    return fe_context(ctx);
}

/* The operands of a list, and their types; false if one is bad. */
static bool
operands(ir_build *b, const flow *f, cot_values list, ir_ref *in, const ir_type **type)
{
    for (int i = 0; i < list.n; i++) {
        in[i] = fe_resolve(b->ctx->trace, FE_AT(list)[i], f->op, i);
        if (!in[i])
            return false;
        type[i] = ir_btype(b, in[i]);
    }
    return true;
}

/* Gives the results from `first` on to the user; those from `split` on are the new values of
 * what the bodies wrote, and are written instead.  Returns the user's first result. */
static ir_ref
give(ir_build *b, const flow *f, const fe_wiring *w, int first, int split, int n_out,
     const ir_ref *y)
{
    const int after = split + (int)w->n_written;
    int to = 0;

    for (int i = first; f->o.out && i < n_out; i++)
        if (i < split || i >= after)
            f->o.out[to++] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[i] : IR_NONE);
    for (int i = split; i < after && b->status == COT_OK; i++)
        fe_write_slot(b, f->op, w->written[i - split], y[i]);
    return b->status == COT_OK ? y[first == split ? after : first] : IR_NONE;
}

/* Makes the node and gives its results, but for the last spare ones. */
static ir_ref
finish(ir_build *b, const flow *f, ir_op op, int n_in, const ir_ref *in, const ir_attrs *at,
       int n_out, int first, int spare, const fe_wiring *w, int split)
{
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, n_out + n_in + 1);

    ir_add_node(b, op, n_in, in, at, y);
    return give(b, f, w, first, split, n_out - spare, y);
}

/* Run a rule; where it failed before the node, the user's results are bad values too. */
static cot_value
run(cot_place at, const flow *f, fe_rule *rule, int n_out)
{
    cot_context *ctx = context_of(f);

    for (int i = 0; f->o.out && i < n_out; i++)
        f->o.out[i] = (cot_value){ ctx, 0, 0 };
    return fe_apply_in(ctx, at, f->op, rule, f);
}

/* ---- call ---- */

/* The operand that a call passes to a hidden input of the called function: the value that t
 * itself has for it. */
static ir_ref
hidden_operand(cot_trace *t, const ir_graph *g, int i)
{
    if (g->hidden[i].kind == IR_HIDDEN_KEY)
        return fe_next_key(t);
    return fe_hidden_input(t, ir_type_at(g, g->in[i]), g->in_name[i], g->hidden[i]);
}

static ir_ref
call(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;
    const fe_special *s;
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, f->o.in.n + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, f->o.in.n + 1);

    (void)x, (void)n;
    if (!f->fn) {
        ir_build_fail(b, f->op, ERR_usage, "the function is NULL; wants one that was made");
        return IR_NONE;
    }
    if (f->fn->ctx != b->ctx) {
        ir_build_fail(b, f->op, ERR_fn_context, f->fn->name);
        return IR_NONE;
    }
    if (!operands(b, f, f->o.in, in, type))
        return IR_NONE;
    const ir_around *around = b->ctx->around;
    fe_around_push(b->ctx, b->name, b->loc);
    cot_status status = fe_specialise(f->fn, f->o.in.n, type, false, &s);
    b->ctx->around = around;
    if (status != COT_OK) {
        b->status = status;
        return IR_NONE;
    }
    const int own = s->graph->n_out - s->graph->n_inout;
    if (own != f->o.n_out) {
        ir_build_fail(b, f->op, ERR_call_results, f->fn->name, own, f->o.n_out);
        return IR_NONE;
    }
    const int n_all = f->o.in.n + s->n_captured + s->n_hidden;
    ir_ref *all = IR_NEW_N(b->arena, ir_ref, n_all + 1);
    memcpy(all, in, sizeof *in * (size_t)f->o.in.n);
    for (int i = n_all - s->n_hidden; i < n_all; i++)
        all[i] = hidden_operand(b->ctx->trace, s->graph, i);
    if (s->n_captured > 0)
        memcpy(all + f->o.in.n, s->captured, sizeof *in * (size_t)s->n_captured);
    ir_attrs at = { .call = { .body = s->graph } };
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, s->graph->n_out + 1);
    ir_add_node(b, OP_call, n_all, all, &at, y);
    for (int i = 0; f->o.out && i < own; i++)
        f->o.out[i] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[i] : IR_NONE);
    for (int k = 0; k < s->graph->n_inout && b->status == COT_OK; k++)
        fe_write(b, f->op, FE_AT(f->o.in)[s->graph->inout[k].arg], y[own + k]);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

cot_value
cot_call_(cot_place at, cot_fn *fn, cot_values in)
{
    fe_readable(&in);
    flow f = { .op = "call", .fn = fn, .o = { .in = in, .n_out = 1 } };

    return run(at, &f, call, 1);
}

void
cot_call_all_(cot_place at, cot_fn *fn, cot_values in, cot_value *out, int n_out)
{
    fe_readable(&in);
    flow f = { .op = "call", .fn = fn, .o = { .in = in, .out = out, .n_out = n_out } };

    run(at, &f, call, n_out);
}

/* ---- cond, switch ---- */

static ir_ref
predicate(ir_build *b, const flow *f)
{
    ir_ref p = fe_resolve(b->ctx->trace, f->head.value, f->op, 0);
    const ir_type *t = p ? ir_btype(b, p) : NULL;

    if (t && (t->rank != 0 || ir_is_inexact(t->dtype))) {
        ir_build_fail(b, f->op, ERR_flow_predicate, ir_type_str(b->ctx, t));
        return IR_NONE;
    }
    return p;
}

static ir_ref
choose(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;
    int n_in = f->o.in.n, n_out = f->o.n_out > 0 ? f->o.n_out : 1;
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n_in + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n_in + 1);
    fe_sub *s = IR_NEW_N(b->arena, fe_sub, f->bodies.n + 1);
    ir_graph **branch = IR_NEW_N(b->arena, ir_graph *, f->bodies.n + 1);
    fe_wiring w = { .counted = "by .n_out it gives" };
    ir_ref p = predicate(b, f);

    (void)x, (void)n;
    if (!p || !operands(b, f, f->o.in, in, type))
        return IR_NONE;
    for (int i = 0; i < f->bodies.n; i++)
        if (!fe_trace_flow(b, ir_format(b->arena, "%s.%s%d", b->name, f->op, i),
                           FE_AT(f->bodies)[i], f->o.user, n_in, type, n_out, &w, &s[i]))
            return IR_NONE;
    fe_share_captures(b, &w, s, f->bodies.n);
    for (int i = 0; i < f->bodies.n; i++)
        branch[i] = fe_wire(b, &s[i], &w, n_in, false, FE_NO_TRIPS);
    int all = 1 + n_in + (int)w.consts.n;
    ir_ref *operand = IR_NEW_N(b->arena, ir_ref, all);
    operand[0] = p;
    memcpy(operand + 1, in, sizeof *in * (size_t)n_in);
    if (w.consts.n > 0)
        memcpy(operand + 1 + n_in, w.consts.at, sizeof *in * w.consts.n);
    ir_attrs at = { .cond = { { f->bodies.n, branch } } };
    return finish(b, f, OP_cond, all, operand, &at, n_out + (int)w.n_written, 0, 0, &w, n_out);
}

static ir_ref
wrong_choice(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;

    (void)x, (void)n;
    ir_build_fail(b, f->op, ERR_usage,
                  f->bodies.n < 1 ? "has no body; wants one for each branch"
                  : f->head.kind != COT_IS_REAL
                      ? "a body is NULL"
                      : "the predicate is a fraction; wants an integer or bool");
    return IR_NONE;
}

/* Room for one result where the bodies give more. */
static ir_ref
nowhere(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;

    (void)x, (void)n;
    ir_build_fail(b, f->op, ERR_usage, "has several results and no .out; wants room for them");
    return IR_NONE;
}

typedef struct copies {
    const flow *f;
    cot_value *to;
} copies;

static ir_ref
copy_values(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const copies *c = options;

    (void)x, (void)n;
    for (int i = 0; i < c->f->o.in.n; i++)
        c->to[i] = fe_local_copy(b, FE_AT(c->f->o.in)[i], c->f->op, i);
    return IR_NONE;
}

/* The operands as clones: what the body writes to them stays inside, as in a body that is
 * traced on its own. */
static const cot_value *
local_copies(cot_place at, const flow *f, cot_trace *t)
{
    copies c = { f, NULL };

    IR_TRY (t->ctx) {
        c.to = IR_NEW_N(t->b->arena, cot_value, f->o.in.n + 1);
    }
    if (!c.to || f->o.in.n == 0)
        return FE_AT(f->o.in);
    memcpy(c.to, FE_AT(f->o.in), sizeof *c.to * (size_t)f->o.in.n);
    fe_apply_in(t->ctx, at, f->op, copy_values, &c);
    return c.to;
}

/* A branch whose predicate is a C value: its body is traced into the open trace. */
static cot_value
chosen(cot_place at, const flow *f, int n_out)
{
    cot_context *ctx = context_of(f);
    cot_trace *t = ctx ? fe_current(ctx, at, f->op) : NULL;
    int64_t i =
        f->head.kind == COT_IS_UINT && f->head.integer < 0 ? INT64_MAX : f->head.integer;
    cot_value first = { ctx, 0, 0 }, *out = f->o.out;

    if (f->head.kind == COT_IS_REAL || f->bodies.n < 1)
        return run(at, f, wrong_choice, n_out);
    if (!out && n_out > 1)
        return run(at, f, nowhere, 0);
    out = out ? out : &first;
    for (int k = 0; k < n_out; k++)
        out[k] = (cot_value){ ctx, 0, 0 };
    i = i < 0 ? 0 : i >= f->bodies.n ? f->bodies.n - 1 : i;
    if (!FE_AT(f->bodies)[i])
        return run(at, f, wrong_choice, n_out);
    if (t)
        FE_AT(f->bodies)[i](t, local_copies(at, f, t), out, f->o.user);
    return out[0];
}

cot_value
cot_switch_(cot_place at, cot_operand index, cot_bodies branches, const cot_flow_options *o,
            size_t size)
{
    flow f = { .op = "cond", .head = index, .bodies = branches };

    flow_options(&f, o, size);
    int n_out = f.o.n_out > 0 ? f.o.n_out : 1;
    if (branches.n < 1 || !FE_AT(branches)) {
        f.bodies.n = 0;
        return run(at, &f, wrong_choice, n_out);
    }
    return index.kind == COT_IS_VALUE ? run(at, &f, choose, n_out) : chosen(at, &f, n_out);
}

/* ---- while ---- */

/* A loop's condition is evaluated once more than its body, so it may write nothing. */
static bool
writes_nothing(ir_build *b, const char *op, const fe_sub *s)
{
    if (s->n_written == 0)
        return true;
    ir_build_fail(b, op, ERR_assign_captured,
                  ir_type_str(b->ctx, ir_btype(b, fe_outside(b, s->written[0]))));
    return false;
}

/* Only vmap makes a loop whose condition has several elements; in a loop that a user writes it
 * is a mistake. */
static bool
decides_once(ir_build *b, const char *op, const fe_sub *s)
{
    const ir_type *t = ir_type_at(s->g, s->g->out[0]);

    if (t->rank == 0)
        return true;
    ir_build_fail(b, op, ERR_flow_predicate, ir_type_str(b->ctx, t));
    return false;
}

static ir_ref
loop(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;
    int n_in = f->o.in.n;
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n_in + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n_in + 1);
    fe_wiring w = { .loop = true, .counted = "a predicate gives" };
    fe_sub body[2], *holds = &body[0], *step = &body[1];
    ir_ref *all;

    (void)x, (void)n;
    if (n_in < 1) {
        ir_build_fail(b, f->op, ERR_flow_count);
        return IR_NONE;
    }
    if (!operands(b, f, f->o.in, in, type) ||
        !fe_trace_flow(b, ir_format(b->arena, "%s.while", b->name), FE_AT(f->bodies)[0],
                       f->o.user, n_in, type, 1, &w, holds) ||
        !decides_once(b, f->op, holds) || !writes_nothing(b, f->op, holds))
        return IR_NONE;
    w.counted = FROM_CARRIES;
    if (!fe_trace_flow(b, ir_format(b->arena, "%s.do", b->name), FE_AT(f->bodies)[1], f->o.user,
                       n_in, type, n_in, &w, step))
        return IR_NONE;
    ir_attrs at = { .loop = { .max = f->o.max } };
    const bool draws = holds->key >= 0 || step->key >= 0;
    holds->test = true;
    fe_share_captures(b, &w, body, 2);
    at.loop.cond = fe_wire(b, holds, &w, n_in, false, draws ? FE_TRIP_IN : FE_NO_TRIPS);
    at.loop.body = fe_wire(b, step, &w, n_in, false, draws ? FE_TRIP_IN_OUT : FE_NO_TRIPS);
    at.loop.consts = w.consts.n;
    if (draws)
        in[n_in] = ir_splat_int(b, ir_scalar_type(b->ctx, COT_U64), 0);
    const int n_all = fe_loop_operands(b, &w, n_in, n_in + draws, in, &all);
    return finish(b, f, OP_while, n_all, all, &at, n_all - (int)w.consts.n, 0, draws, &w, n_in);
}

cot_value
cot_while_(cot_place at, cot_body *holds, cot_body *step, const cot_flow_options *o,
           size_t size)
{
    cot_body *const bodies[2] = { holds, step };
    flow f = { .op = "while", .bodies = { 2, bodies } };

    flow_options(&f, o, size);
    return run(at, &f, loop, f.o.in.n);
}

/* ---- scan, map ---- */

/* The types of one slice of each of xs, and the number of steps. */
static bool
slices(ir_build *b, const flow *f, const ir_ref *xs, const ir_type **type, int64_t *length)
{
    if (f->o.xs.n == 0 && f->o.length == 0) {
        ir_build_fail(b, f->op, ERR_flow_unsaid);
        return false;
    }
    *length = f->o.length == COT_NONE ? 0 : f->o.length;
    for (int i = 0; i < f->o.xs.n; i++) {
        const ir_type *t = ir_btype(b, xs[i]);
        if (t->rank > 0 && i == 0 && f->o.length == 0)
            *length = t->dims[0];
        if (t->rank < 1 || t->dims[0] != *length) {
            ir_build_fail(b, f->op, ERR_flow_slices, i, ir_type_str(b->ctx, t),
                          (long long)*length);
            return false;
        }
        type[i] = ir_type_close(b->ctx, t, 0);
    }
    return true;
}

static ir_ref
scan(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;
    int carries = f->o.in.n, n_in = carries + f->o.xs.n, n_out = carries + f->o.n_out;
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n_in + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, n_in + 1);
    fe_wiring w = { .loop = true, .counted = "by .in and .n_out it gives" };
    int64_t length;
    ir_ref *all;
    fe_sub step;

    (void)x, (void)n;
    if (n_out < 1) {
        ir_build_fail(b, f->op, ERR_flow_nothing);
        return IR_NONE;
    }
    if (!operands(b, f, f->o.in, in, type) ||
        !operands(b, f, f->o.xs, in + carries, type + carries) ||
        !slices(b, f, in + carries, type + carries, &length) ||
        !fe_trace_flow(b, ir_format(b->arena, "%s.%s", b->name, f->op), FE_AT(f->bodies)[0],
                       f->o.user, n_in, type, n_out, &w, &step))
        return IR_NONE;
    fe_share_captures(b, &w, &step, 1);
    ir_attrs at = { .scan = { .consts = w.consts.n, .carries = carries + w.n_written,
                              .length = length, .reverse = f->o.reverse != 0 } };
    at.scan.body =
        fe_wire(b, &step, &w, carries, false, step.key >= 0 ? FE_TRIP_IN : FE_NO_TRIPS);
    if (step.key >= 0)
        in[n_in++] = ir_iota(b, COT_U64, 1, &length, 0);
    const int n_all = fe_loop_operands(b, &w, carries, n_in, in, &all);
    n_out += (int)w.n_written;
    if (f->o.segments != 0 && length > 1)
        return give(b, f, &w, 0, carries, n_out,
                    fe_segments(b, &at, f->o.segments, n_all, all));
    return finish(b, f, OP_scan, n_all, all, &at, n_out, 0, 0, &w, carries);
}

cot_value
cot_scan_(cot_place at, cot_body *step, const cot_flow_options *o, size_t size)
{
    flow f = { .op = "scan", .bodies = { 1, &step } };

    flow_options(&f, o, size);
    return run(at, &f, scan, f.o.in.n + f.o.n_out);
}

cot_value
cot_map_(cot_place at, cot_body *each, const cot_flow_options *o, size_t size)
{
    flow f = { .op = "map", .bodies = { 1, &each } };

    flow_options(&f, o, size);
    f.o.in = (cot_values){ .n = 0, .at = NULL };
    f.o.n_out = f.o.n_out > 0 ? f.o.n_out : 1;
    return run(at, &f, scan, f.o.n_out);
}

/* ---- fori: a counter and the carries ---- */

/* i < n, of the inputs consts, of which n is one, i, and the carries of the body. */
static ir_graph *
counts_to(ir_build *b, const fe_wiring *w, ir_ref n, const ir_graph *body)
{
    ir_build *r = ir_build_new(b->ctx, ir_format(b->arena, "%s.fori.while", b->name));
    ir_ref limit = IR_NONE, at = IR_NONE;
    ir_graph *g = NULL;

    for (int i = 0; i < body->n_in; i++) {
        ir_ref x = ir_input(r, ir_type_at(body, body->in[i]), NULL);
        if (i < (int)w->consts.n && w->consts.at[i] == n)
            limit = x;
        at = i == (int)w->consts.n ? x : at;
    }
    ir_output(r, ir_op2(r, OP_lt, at, limit));
    cot_status status = ir_build_end(r, &g);
    if (status != COT_OK)
        b->status = status;
    return g;
}

/* The number of steps as i32[]; it must be a value, since a number of steps known while tracing
 * becomes a scan. */
static ir_ref
steps_value(ir_build *b, const flow *f)
{
    ir_ref n = fe_resolve(b->ctx->trace, f->head.value, f->op, 0);
    const ir_type *t = n ? ir_btype(b, n) : NULL;

    if (t && (t->rank != 0 || !ir_is_int(t->dtype))) {
        ir_build_fail(b, f->op, ERR_flow_predicate, ir_type_str(b->ctx, t));
        return IR_NONE;
    }
    return ir_convert(b, n, COT_I32);
}

/* Is the number of steps, known while tracing, an integer of 0 or more?  Else: the error. */
static bool
is_count(ir_build *b, const flow *f)
{
    if (f->head.kind == COT_IS_INT && f->head.integer >= 0 && f->head.integer <= INT32_MAX)
        return true;
    if (f->head.kind == COT_IS_REAL)
        ir_build_fail(b, f->op, ERR_usage,
                      "the number of steps is a fraction; wants an integer");
    else
        ir_build_fail(b, f->op, ERR_flow_steps, (long long)f->head.integer);
    return false;
}

/* Do the results of a step have the types of its carries? */
static bool
keeps_types(ir_build *b, const flow *f, const fe_sub *step, const ir_type *const *carry)
{
    for (int i = 0; i < f->o.in.n; i++) {
        const ir_type *y = ir_type_at(step->g, step->g->out[i]);
        if (y == carry[i])
            continue;
        ir_build_fail(b, f->op, ERR_flow_carry, i, ir_type_str(b->ctx, y), i,
                      ir_type_str(b->ctx, carry[i]));
        return false;
    }
    return true;
}

static ir_ref
fori(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const flow *f = options;
    int carries = f->o.in.n;
    bool known = f->head.kind != COT_IS_VALUE;
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, carries + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, carries + 1);
    fe_wiring w = { .loop = true, .counted = FROM_CARRIES };
    ir_ref *all;
    fe_sub step;

    (void)x, (void)n;
    if (known && !is_count(b, f))
        return IR_NONE;
    if (carries < 1) {
        ir_build_fail(b, f->op, ERR_flow_count);
        return IR_NONE;
    }
    type[0] = ir_scalar_type(b->ctx, COT_I32);
    if (!operands(b, f, f->o.in, in + 1, type + 1))
        return IR_NONE;
    ir_ref limit = known ? IR_NONE : steps_value(b, f);
    if (!known && !limit)
        return IR_NONE;
    if (!known)
        fe_share(b, &w.consts, limit);
    in[0] = ir_splat(b, type[0], 0);
    if (!fe_trace_flow(b, ir_format(b->arena, "%s.fori", b->name), FE_AT(f->bodies)[0],
                       f->o.user, carries + 1, type, carries, &w, &step) ||
        !keeps_types(b, f, &step, type + 1))
        return IR_NONE;
    fe_share_captures(b, &w, &step, 1);
    const int split = carries + 1, n_out = split + (int)w.n_written;
    ir_graph *body =
        fe_wire(b, &step, &w, split, true, step.key >= 0 ? FE_COUNTER : FE_NO_TRIPS);
    const int n_in = fe_loop_operands(b, &w, split, split, in, &all);
    if (known) {
        ir_attrs at = { .scan = { w.consts.n, n_out, f->head.integer, 0, body } };
        return finish(b, f, OP_scan, n_in, all, &at, n_out, 1, 0, &w, split);
    }
    ir_attrs at = { .loop = { .consts = w.consts.n, .max = f->o.max, .body = body } };
    if (b->status == COT_OK)
        at.loop.cond = counts_to(b, &w, limit, body);
    return finish(b, f, OP_while, n_in, all, &at, n_out, 1, 0, &w, split);
}

cot_value
cot_fori_(cot_place at, cot_operand n, cot_body *step, const cot_flow_options *o, size_t size)
{
    flow f = { .op = "fori", .head = n, .bodies = { 1, &step } };

    flow_options(&f, o, size);
    return run(at, &f, fori, f.o.in.n);
}
