/* Bodies traced as sub-functions of a node.
 *
 * A body is traced while the trace around it stays open, so that it may use that trace's
 * values: each becomes an input of the body's graph, appended at its first touch. Ops want
 * such operands in one place for all their sub-functions, so the graph is built once more
 * with its inputs in the wanted order. */
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

bool
fe_trace_sub(ir_build *b, const char *name, cot_body *body, void *user, int n_in,
             const ir_type *const *type, int n_out, fe_shared *consts, fe_sub *s)
{
    fe_source source = { name, body,  user, b->loc, n_in, n_out,
                         type, false, NULL, NULL,   NULL, false };
    cot_trace *t;
    cot_status status;

    if (!body) {
        ir_build_fail(b, name, ERR_usage, "a body is NULL");
        return false;
    }
    status = fe_trace_run(b->ctx, &source, &s->g, &t);
    if (status != COT_OK) {
        b->status = status;
        return false;
    }
    s->n_own = n_in;
    s->n_captured = (int)t->n_captured;
    s->captured = t->captured;
    s->key = -1;
    for (int i = 0; i < s->n_captured; i++)
        if (t->input[i] == t->key)
            s->key = i;
    for (int i = 0; i < s->n_captured; i++)
        fe_share(b, consts, s->captured[i]);
    return true;
}

/* An input of r for each shared value. */
static void
shared_inputs(const ir_build *b, ir_build *r, const fe_shared *consts, ir_ref *c)
{
    for (uint32_t i = 0; i < consts->n; i++)
        c[i] = ir_input(r, ir_btype(b, consts->at[i]), NULL);
}

ir_graph *
fe_rewire(ir_build *b, const fe_sub *s, fe_shared *consts, bool first, bool counts,
          fe_trips trips)
{
    ir_ref trip = IR_NONE;
    ir_build *r = ir_build_new(b->ctx, s->g->name);
    ir_ref *in = IR_NEW_N(r->arena, ir_ref, s->g->n_in + 1),
           *y = IR_NEW_N(r->arena, ir_ref, s->g->n_out + 1);
    ir_ref *c = IR_NEW_N(r->arena, ir_ref, consts->n + 1);
    ir_graph *out = NULL;

    if (first)
        shared_inputs(b, r, consts, c);
    for (int i = 0; i < s->n_own; i++)
        in[i] = ir_input(r, ir_type_at(s->g, s->g->in[i]), NULL);
    if (!first)
        shared_inputs(b, r, consts, c);
    if (trips == FE_COUNTER)
        trip = ir_convert(r, in[0], COT_U64);
    else if (trips != FE_NO_TRIPS)
        trip = ir_input(r, ir_scalar_type(b->ctx, COT_U64), "trip");
    for (int i = 0; i < s->n_captured; i++) {
        in[s->n_own + i] = c[fe_share(b, consts, s->captured[i])];
        if (i == s->key && trip)
            in[s->n_own + i] = ir_fold_in(r, in[s->n_own + i], trip);
    }
    if (counts)
        ir_output(r, ir_add(r, in[0], ir_like(r, in[0], 1)));
    ir_inline_graph(r, s->g, in, y);
    for (int i = 0; i < s->g->n_out; i++)
        ir_output(r, y[i]);
    if (trips == FE_TRIP_IN_OUT)
        ir_output(r, ir_add(r, trip, ir_like(r, trip, 1)));
    cot_status status = ir_build_end(r, &out);
    if (status != COT_OK)
        b->status = status;
    return out;
}

ir_ref *
fe_with_consts(ir_build *b, const fe_shared *consts, int n, const ir_ref *in)
{
    ir_ref *all = IR_NEW_N(b->arena, ir_ref, (int)consts->n + n + 1);

    if (consts->n > 0)
        memcpy(all, consts->at, sizeof *all * consts->n);
    if (n > 0)
        memcpy(all + consts->n, in, sizeof *all * (size_t)n);
    return all;
}
