/* Bodies traced as sub-functions of a node.
 *
 * A body is traced while the enclosing trace stays open, so that it may use that trace's
 * values: each becomes an input of the body's graph, appended at its first use.  Ops need such
 * operands in one place for all their sub-functions, so the graph is then built once more with
 * its inputs in the order that the op needs.
 *
 * A body of control flow may write to values of the enclosing trace: their new values are its
 * last results.  They become additional results of a cond (a branch that does not write one
 * returns the old value), and additional carries of a loop. */
#include "frontend/sub.h"

int
fe_share(ir_build *b, fe_shared *s, ir_ref v)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->at[i] == v)
            return (int)i;
    IR_PUSH(b->arena, s->at, s->n, s->cap, v);
    return (int)s->n - 1;
}

static int
index_of(const uint32_t *list, uint32_t n, uint32_t x)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == x)
            return (int)i;
    return -1;
}

/* *trace: what the body left. */
static bool
run_body(ir_build *b, const fe_source *source, fe_sub *s, cot_trace **trace)
{
    cot_trace *t;
    cot_status status;

    if (!source->body) {
        ir_build_fail(b, source->name, ERR_usage, "a body is NULL");
        return false;
    }
    status = fe_trace_run(b->ctx, source, &s->g, &t);
    if (status != COT_OK) {
        b->status = status;
        return false;
    }
    *s = (fe_sub){ .g = s->g, .n_own = source->n_in, .n_captured = (int)t->n_captured,
                   .captured = t->captured, .from = t->from, .key = -1 };
    for (int i = 0; i < s->n_captured; i++)
        if (t->input[i] == t->key)
            s->key = i;
    *trace = t;
    return true;
}

bool
fe_trace_sub(ir_build *b, const char *name, cot_body *body, void *user, int n_in,
             const ir_type *const *type, int n_out, fe_shared *consts, fe_sub *s)
{
    const fe_source source = { .name = name, .body = body, .user = user, .loc = b->loc,
                               .n_in = n_in, .n_out = n_out, .type = type };
    cot_trace *t;

    if (!run_body(b, &source, s, &t))
        return false;
    for (int i = 0; i < s->n_captured; i++)
        fe_share(b, consts, s->captured[i]);
    return true;
}

bool
fe_trace_flow(ir_build *b, const char *name, cot_body *body, void *user, int n_in,
              const ir_type *const *type, int n_out, fe_wiring *w, fe_sub *s)
{
    const fe_source source = { .name = name, .body = body, .user = user, .loc = b->loc,
                               .n_in = n_in, .n_out = n_out, .type = type, .flow = true,
                               .counted = w->counted };
    cot_trace *t;

    if (!run_body(b, &source, s, &t))
        return false;
    s->written = IR_NEW_N(b->arena, uint32_t, t->n_adopted + 1);
    s->n_written = fe_written(t, s->written);
    for (uint32_t i = 0; i < s->n_written; i++)
        if (index_of(w->written, w->n_written, s->written[i]) < 0)
            IR_PUSH(b->arena, w->written, w->n_written, w->cap_written, s->written[i]);
    return true;
}

/* Which carry of a loop a capture is: of what is written; -1: it is a const. */
static int
as_carry(const fe_wiring *w, const fe_sub *s, int i)
{
    return w->loop && w->n_written > 0 && s->from[i]
               ? index_of(w->written, w->n_written, s->from[i])
               : -1;
}

void
fe_share_captures(ir_build *b, fe_wiring *w, const fe_sub *s, int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < s[k].n_captured; i++)
            if (as_carry(w, &s[k], i) < 0)
                fe_share(b, &w->consts, s[k].captured[i]);
}

ir_ref
fe_outside(const ir_build *b, uint32_t slot)
{
    return b->ctx->trace->slot[slot].ref;
}

/* An input of r for each shared value. */
static void
shared_inputs(const ir_build *b, ir_build *r, const fe_shared *consts, ir_ref *c)
{
    for (uint32_t i = 0; i < consts->n; i++)
        c[i] = ir_input(r, ir_btype(b, consts->at[i]), NULL);
}

/* The results y of the body, and among them, after `split`, what is written. */
static void
wired_results(ir_build *b, ir_build *r, const fe_sub *s, fe_wiring *w, int split,
              const ir_ref *y, const ir_ref *c)
{
    const int own = s->g->n_out - (int)s->n_written;

    for (int i = 0; i < split; i++)
        ir_output(r, y[i]);
    for (uint32_t k = 0; k < w->n_written; k++) {
        int i = index_of(s->written, s->n_written, w->written[k]);
        ir_output(r, i >= 0 ? y[own + i]
                            : c[fe_share(b, &w->consts, fe_outside(b, w->written[k]))]);
    }
    for (int i = split; i < own; i++)
        ir_output(r, y[i]);
}

ir_graph *
fe_wire(ir_build *b, const fe_sub *s, fe_wiring *w, int carries, bool counts, fe_trips trips)
{
    ir_ref trip = IR_NONE;
    ir_build *r = ir_build_new(b->ctx, s->g->name);
    ir_ref *in = IR_NEW_N(r->arena, ir_ref, s->g->n_in + 1),
           *y = IR_NEW_N(r->arena, ir_ref, s->g->n_out + 1);
    ir_ref *c = IR_NEW_N(r->arena, ir_ref, w->consts.n + 1),
           *now = IR_NEW_N(r->arena, ir_ref, w->n_written + 1);
    ir_graph *out = NULL;

    if (w->loop)
        shared_inputs(b, r, &w->consts, c);
    for (int i = 0; i < carries; i++)
        in[i] = ir_input(r, ir_type_at(s->g, s->g->in[i]), NULL);
    for (uint32_t k = 0; w->loop && k < w->n_written; k++)
        now[k] = ir_input(r, ir_btype(b, fe_outside(b, w->written[k])), NULL);
    for (int i = carries; i < s->n_own; i++)
        in[i] = ir_input(r, ir_type_at(s->g, s->g->in[i]), NULL);
    if (!w->loop)
        shared_inputs(b, r, &w->consts, c);
    if (trips == FE_COUNTER)
        trip = ir_convert(r, in[0], COT_U64);
    else if (trips != FE_NO_TRIPS)
        trip = ir_input(r, ir_scalar_type(b->ctx, COT_U64), "trip");
    for (int i = 0; i < s->n_captured; i++) {
        const int k = as_carry(w, s, i);
        in[s->n_own + i] = k >= 0 ? now[k] : c[fe_share(b, &w->consts, s->captured[i])];
        if (i == s->key && trip)
            in[s->n_own + i] = ir_fold_in(r, in[s->n_own + i], trip);
    }
    if (counts)
        ir_output(r, ir_add(r, in[0], ir_like(r, in[0], 1)));
    ir_inline_graph(r, s->g, in, y);
    if (s->test)
        ir_output(r, y[0]);
    else if (w->n_written == 0)
        for (int i = 0; i < s->g->n_out; i++)
            ir_output(r, y[i]);
    else
        wired_results(b, r, s, w, w->loop ? carries - counts : s->g->n_out - (int)s->n_written,
                      y, c);
    if (trips == FE_TRIP_IN_OUT)
        ir_output(r, ir_add(r, trip, ir_like(r, trip, 1)));
    cot_status status = ir_build_end(r, &out);
    if (status != COT_OK)
        b->status = status;
    return out;
}

ir_graph *
fe_rewire(ir_build *b, const fe_sub *s, const fe_shared *consts)
{
    fe_wiring w = { .loop = true, .consts = *consts };

    return fe_wire(b, s, &w, s->n_own, false, FE_NO_TRIPS);
}

int
fe_loop_operands(ir_build *b, const fe_wiring *w, int carries, int n, const ir_ref *in,
                 ir_ref **out)
{
    ir_ref *all = *out = IR_NEW_N(b->arena, ir_ref, (int)(w->consts.n + w->n_written) + n + 1);

    for (uint32_t i = 0; i < w->consts.n; i++)
        *all++ = w->consts.at[i];
    for (int i = 0; i < carries; i++)
        *all++ = in[i];
    for (uint32_t i = 0; i < w->n_written; i++)
        *all++ = fe_outside(b, w->written[i]);
    for (int i = carries; i < n; i++)
        *all++ = in[i];
    return (int)(all - *out);
}

ir_ref *
fe_with_consts(ir_build *b, const fe_shared *consts, int n, const ir_ref *in)
{
    const fe_wiring w = { .loop = true, .consts = *consts };
    ir_ref *all;

    fe_loop_operands(b, &w, n, n, in, &all);
    return all;
}
