/* The rules of custom functions, traced when a transform needs them.
 *
 * A rule is traced for the types of one example, in a trace that can capture nothing; the
 * result is a closed graph.  A rule that calls its own function does not recurse, since the
 * rules of that call are again traced only when needed.
 *
 * A forward function that draws has the generator's key as its last input.  Its rules get that
 * operand too, but their bodies do not see it: their draws are derived from it. */
#include "frontend/custom.h"

#include "frontend/trace.h"
#include "ir/diag.h"
#include "passes/pass.h"

const cot_custom *
fe_custom_of(const ir_custom *c)
{
    return c->def;
}

cot_custom_info
fe_custom_info(const cot_custom *c, const ir_attrs *at)
{
    return (cot_custom_info){ .user = c->o.user,
                              .n_attrs = at->custom.attrs.n,
                              .attrs = at->custom.attrs.at,
                              .n_data = at->custom.data.n,
                              .data = at->custom.data.at };
}

/* One rule to be traced.  in: what the body sees, `type` of the inputs of the graph; slot[i]:
 * which of the body's inputs graph input i is, HIDDEN: none, it is the key of the call.
 * want[j]: the type of result j, NULL: any. */
enum { HIDDEN = -1 };
typedef struct rule {
    const cot_custom *c;
    const char *what;
    cot_custom_body *body;
    cot_custom_info info;
    int n_in, n_graph, n_out, n_keep;
    const ir_type **type, **want;
    int *slot, *keep;                   /* keep: the results that become outputs */
    bool draws; /* from the generator, if no input is a key */
    int64_t stream; /* joins the key of the call, if not 0 */
    cot_status status;
} rule;

static rule *
rule_new(ir_arena *a, const cot_custom *c, const char *what, cot_custom_body *body,
         const ir_attrs *at, int most)
{
    rule *r = IR_NEW(a, rule);
    r->c = c;
    r->what = what;
    r->body = body;
    r->info = fe_custom_info(c, at);
    r->type = IR_NEW_N(a, const ir_type *, most + 1);
    r->want = IR_NEW_N(a, const ir_type *, most + 1);
    r->slot = IR_NEW_N(a, int, most + 1);
    r->keep = IR_NEW_N(a, int, most + 1);
    return r;
}

/* The body sees one more input: given in the graph with its type, or zero. */
static void
add_in(rule *r, const ir_type *t, bool given)
{
    if (given) {
        r->type[r->n_graph] = t;
        r->slot[r->n_graph++] = r->n_in;
    }
    r->n_in++;
}

/* Is input i of the forward its generator's key? */
static bool
is_key(const ir_graph *f, int64_t i)
{
    return i < f->n_in && f->hidden[i].kind == IR_HIDDEN_KEY;
}

/* Input i of the forward f, with type t: the body is not shown a key. */
static void
add_in_of(rule *r, const ir_graph *f, int64_t i, const ir_type *t)
{
    if (!is_key(f, i)) {
        add_in(r, t, true);
        return;
    }
    r->type[r->n_graph] = t;
    r->slot[r->n_graph++] = HIDDEN;
}

static void
add_out(rule *r, const ir_type *want, bool keep)
{
    if (keep)
        r->keep[r->n_keep++] = r->n_out;
    r->want[r->n_out++] = want;
}

static void
check_result(cot_trace *t, rule *r, int j, cot_value *v)
{
    ir_build *b = t->b;
    if (b->status != COT_OK)
        return;
    if (cot_is_zero(*v) && r->want[j]) {
        *v = fe_handle(t, ir_zeros(b, r->want[j]));
        return;
    }
    if (!v->ctx) {
        ir_build_fail(b, "custom_call", ERR_custom_unset, r->what, r->c->ir.name, j);
        return;
    }
    ir_ref y = fe_resolve(t, *v, "custom_call", j);
    if (y && r->want[j] && ir_btype(b, y) != r->want[j])
        ir_build_fail(b, "custom_call", ERR_custom_result, r->what, r->c->ir.name, j,
                      ir_type_str(b->ctx, ir_btype(b, y)), ir_type_str(b->ctx, r->want[j]));
}

/* The key of a rule's draws.  A .vmap body sees examples with a key each as one batch, and
 * draws from the key of the first one; an empty batch has no first key. */
static ir_ref
key_of_rule(ir_build *b, ir_ref key, int64_t stream)
{
    static const int64_t two = 2, first[2] = { 0, 0 }, one[2] = { 1, 1 }, row[2] = { 1, 2 };
    const ir_type *t = ir_btype(b, key), *word = ir_scalar_type(b->ctx, COT_U64);

    if (t->rank == 2 && t->dims[0] == 0)
        return ir_zeros(b, ir_type_new(b->ctx, COT_U64, 1, &two));
    if (t->rank == 2)
        key = ir_reshape(b, ir_slice(b, key, first, row, one), 1, &two);
    return stream ? ir_fold_in(b, key, ir_splat_int(b, word, stream)) : key;
}

static void
rule_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    rule *r = user;
    cot_value *x = IR_NEW_N(t->b->arena, cot_value, r->n_in + 1);
    cot_value *y = IR_NEW_N(t->b->arena, cot_value, r->n_out + 1);
    for (int i = 0; i < r->n_in; i++)
        x[i] = COT_ZERO;
    for (int i = 0; i < r->n_graph; i++) {
        if (r->slot[i] == HIDDEN)
            t->key = key_of_rule(t->b, t->slot[in[i].id].ref, r->stream);
        else
            x[r->slot[i]] = in[i];
    }
    r->body(t, &r->info, x, y);
    t->b->loc = r->c->loc;
    for (int j = 0; j < r->n_out; j++)
        check_result(t, r, j, &y[j]);
    for (int k = 0; k < r->n_keep; k++)
        out[k] = y[r->keep[k]];
}

static cot_status
rule_trace(rule *r, ir_loc loc, ir_graph **out)
{
    cot_context *ctx = r->c->ctx;
    cot_trace *t;
    fe_source s = { .name = ir_format(&ctx->arena, "%s.%s", r->c->ir.name, r->what),
                    .body = rule_body,
                    .user = r,
                    .loc = loc,
                    .n_in = r->n_graph,
                    .n_out = r->n_keep,
                    .type = r->type,
                    .alone = true };
    /* a rule is traced for one example, outside of all named axes */
    const ir_named_axis *axes = ctx->axes;
    ctx->axes = NULL;
    cot_status status = fe_trace_run(ctx, &s, out, &t);
    ctx->axes = axes;
    if (status != COT_OK)
        return status;
    const bool generator = is_key(*out, r->n_graph);
    if ((int)t->n_hidden > (generator && r->draws))
        return ir_fail(ctx, loc, "custom_call", ERR_custom_hidden, r->what, r->c->ir.name,
                       generator && !r->draws ? "draws from the generator"
                                              : "captures an array",
                       generator && !r->draws ? "a key" : "it");
    return COT_OK;
}

/* The draws of a forward function are numbered from 0 up; its derivative rules use negative
 * numbers, so that their draws differ. */
enum { STREAM_VJP = -1, STREAM_JVP = -2 };

static const ir_type *
saved_type(const ir_graph *f, int64_t k)
{
    return k < f->n_in ? ir_type_at(f, f->in[k]) : ir_type_at(f, f->out[k - f->n_in]);
}

/* Wraps g in a custom function that has no derivative, so that differentiating the rule is an
 * error. */
static cot_status
behind_name(const cot_custom *c, ir_graph *g, ir_graph **out)
{
    const char *name = ir_format(&c->ctx->arena, "%s.vjp", c->ir.name);
    ir_custom *guard = (ir_custom *)ir_custom_find(c->ctx, name);
    if (!guard) {
        guard = IR_NEW(&c->ctx->arena, ir_custom);
        guard->name = ir_intern(c->ctx, name);
        guard->marked = c->ir.name;
        guard->generate = true;
        ir_custom_add(c->ctx, guard);
    }
    ir_build *b = ir_build_new(c->ctx, g->name);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, g->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, g->n_out + 1);
    for (int i = 0; i < g->n_in; i++)
        x[i] = ir_input_like(b, g, g->in[i], "");
    b->loc = c->loc;
    ir_add_node(b, OP_custom_call, g->n_in, x,
                &(ir_attrs){ .custom = { .name = guard->name, .forward = g } }, y);
    for (int j = 0; j < g->n_out; j++)
        ir_output(b, y[j]);
    return ir_build_end(b, out);
}

cot_status
fe_custom_vjp(const ir_custom *ir, const ir_node *n, ir_loc loc, const bool *active,
              const bool *has_ct, ir_graph **out)
{
    const cot_custom *c = fe_custom_of(ir);
    const ir_graph *f = n->at->custom.forward;
    const ir_ints save = n->at->custom.save;
    rule *r = rule_new(&c->ctx->arena, c, "vjp", c->o.vjp, n->at, save.n + f->n_out + f->n_in);
    r->info.needs = active;
    r->stream = STREAM_VJP;
    for (int k = 0; k < save.n; k++)
        add_in_of(r, f, save.at[k], saved_type(f, save.at[k]));
    for (int j = 0; j < f->n_out; j++)
        if (ir_custom_differs(n, j))
            add_in(r, ir_type_at(f, f->out[j]), has_ct[j]);
    for (int i = 0; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i]))
            add_out(r, ir_type_at(f, f->in[i]), active[i]);
    COT_TRY(rule_trace(r, loc, out));
    return c->o.once_differentiable ? behind_name(c, *out, out) : COT_OK;
}

cot_status
fe_custom_jvp(const ir_custom *ir, const ir_node *n, ir_loc loc, const bool *active,
              ir_graph **out)
{
    const cot_custom *c = fe_custom_of(ir);
    const ir_graph *f = n->at->custom.forward;
    rule *r = rule_new(&c->ctx->arena, c, "jvp", c->o.jvp, n->at, 2 * f->n_in + f->n_out);
    r->info.needs = active;
    r->stream = STREAM_JVP;
    for (int i = 0; i < f->n_in; i++)
        add_in_of(r, f, i, ir_type_at(f, f->in[i]));
    for (int j = 0; j < f->n_out; j++)
        add_in(r, ir_type_at(f, f->out[j]), true);
    for (int i = 0; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i]))
            add_in(r, ir_type_at(f, f->in[i]), active[i]);
    for (int j = 0; j < f->n_out; j++)
        if (ir_custom_differs(n, j))
            add_out(r, ir_type_at(f, f->out[j]), true);
    return rule_trace(r, loc, out);
}

/* The axis of a result, counted from the front; its element type and rank must be the
 * forward's. */
static cot_status
check_axis(const cot_custom *c, ir_loc loc, const ir_graph *g, const ir_type *base,
           int64_t size, int j, int64_t *dim)
{
    const ir_type *t = ir_type_at(g, g->out[j]);
    int64_t k = *dim == COT_NONE ? 0 : *dim < 0 ? *dim + t->rank : *dim;
    if (k < 0 || (*dim != COT_NONE && k >= t->rank))
        return ir_fail(c->ctx, loc, "custom_call", ERR_custom_axis, c->ir.name, j,
                       (long long)*dim, ir_type_str(c->ctx, t));
    const ir_type *want = *dim == COT_NONE ? base : ir_type_open(c->ctx, base, (int)k, size);
    if (t != want)
        return ir_fail(c->ctx, loc, "custom_call", ERR_custom_result, "vmap", c->ir.name, j,
                       ir_type_str(c->ctx, t), ir_type_str(c->ctx, want));
    *dim = *dim == COT_NONE ? COT_NONE : k;
    return COT_OK;
}

cot_status
fe_custom_vmap(const ir_custom *ir, const ir_node *n, ir_loc loc, int64_t size, int randomness,
               const bool *mapped, ir_graph **out, int64_t *out_dims)
{
    const cot_custom *c = fe_custom_of(ir);
    const ir_graph *f = n->at->custom.forward;
    rule *r = rule_new(&c->ctx->arena, c, "vmap", c->o.vmap, n->at, f->n_in + f->n_out);
    int64_t *in_dims = IR_NEW_N(&c->ctx->arena, int64_t, f->n_in + 1);
    r->info.batch_size = size;
    r->info.randomness = (cot_randomness)randomness;
    r->info.in_dims = in_dims;
    r->info.out_dims = out_dims;
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        in_dims[i] = mapped[i] ? 0 : COT_NONE;
        add_in_of(r, f, i, mapped[i] ? ir_type_open(c->ctx, t, 0, size) : t);
    }
    for (int j = 0; j < f->n_out; j++) {
        out_dims[j] = 0;
        add_out(r, NULL, true);
    }
    COT_TRY(rule_trace(r, loc, out));
    for (int j = 0; j < f->n_out; j++)
        COT_TRY(check_axis(c, loc, *out, ir_type_at(f, f->out[j]), size, j, &out_dims[j]));
    return COT_OK;
}

/* The forward of a traced function, for inputs of those types. */
cot_status
fe_custom_forward(const cot_custom *c, ir_attrs *at, int n_in, const ir_type *const *type,
                  ir_loc loc)
{
    rule *r = rule_new(&c->ctx->arena, c, "forward", c->o.forward, at, n_in + c->o.n_out);
    for (int i = 0; i < n_in; i++)
        add_in(r, type[i], true);
    for (int j = 0; j < c->o.n_out; j++)
        add_out(r, NULL, true);
    r->draws = true;
    return rule_trace(r, loc, &at->custom.forward);
}
