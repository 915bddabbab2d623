/* Custom functions: registered by name, called as one node, their rules traced when a transform
 * asks.
 *
 * A rule is traced for the types of one example, in a trace that can capture nothing; what
 * comes back is a closed graph.  A rule that calls its own function is no recursion, since that
 * call's rules wait too.
 *
 * A forward that draws has the generator's key as its last input, and a call hands it a key as
 * the call of an ordinary function does.  Its rules get that operand too, though their bodies
 * are not shown it: their own draws come from it. */
#include "frontend/custom.h"

#include "frontend/trace.h"
#include "ir/diag.h"
#include "ir/foreign.h"
#include "passes/pass.h"

struct cot_custom {
    ir_custom ir;
    cot_context *ctx;
    cot_custom_options o;
    ir_loc loc;
};

static const cot_custom *
definition(const ir_custom *c)
{
    return c->def;
}

static cot_custom_info
info_of(const cot_custom *c, const ir_attrs *at)
{
    return (cot_custom_info){ .user = c->o.user,
                              .n_attrs = at->custom.attrs.n,
                              .attrs = at->custom.attrs.at,
                              .n_data = at->custom.data.n,
                              .data = at->custom.data.at };
}

static cot_type
public_type(const ir_type *t)
{
    cot_type out = { .dtype = t->dtype, .rank = t->rank, .more = t->dims };
    for (int k = 0; k < t->rank && k < 8; k++)
        out.dims[k] = t->dims[k];
    return out;
}

/* ---- tracing a rule ---- */

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
         const ir_node *n, int most)
{
    rule *r = IR_NEW(a, rule);
    r->c = c;
    r->what = what;
    r->body = body;
    r->info = info_of(c, &n->at);
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

/* The key of a rule's draws.  Examples that have a key each are one batch to a .vmap body,
 * whose draws come from the first one's; a batch of none has no first. */
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
    /* a rule speaks of one example, whatever is around */
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

/* ---- the table that passes call ---- */

/* A forward numbers its draws from 0 up; those of its rules for derivatives are none of
 * them. */
enum { STREAM_VJP = -1, STREAM_JVP = -2 };

static const ir_type *
saved_type(const ir_graph *f, int64_t k)
{
    return k < f->n_in ? ir_type_at(f, f->in[k]) : ir_type_at(f, f->out[k - f->n_in]);
}

/* The rule's derivative is refused: its graph goes behind a name that has none. */
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

static cot_status
trace_vjp(const ir_custom *ir, const ir_node *n, ir_loc loc, const bool *active,
          const bool *has_ct, ir_graph **out)
{
    const cot_custom *c = definition(ir);
    const ir_graph *f = n->at.custom.forward;
    const ir_ints save = n->at.custom.save;
    rule *r = rule_new(&c->ctx->arena, c, "vjp", c->o.vjp, n, save.n + f->n_out + f->n_in);
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

static cot_status
trace_jvp(const ir_custom *ir, const ir_node *n, ir_loc loc, const bool *active, ir_graph **out)
{
    const cot_custom *c = definition(ir);
    const ir_graph *f = n->at.custom.forward;
    rule *r = rule_new(&c->ctx->arena, c, "jvp", c->o.jvp, n, 2 * f->n_in + f->n_out);
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

static cot_status
trace_vmap(const ir_custom *ir, const ir_node *n, ir_loc loc, int64_t size, int randomness,
           const bool *mapped, ir_graph **out, int64_t *out_dims)
{
    const cot_custom *c = definition(ir);
    const ir_graph *f = n->at.custom.forward;
    rule *r = rule_new(&c->ctx->arena, c, "vmap", c->o.vmap, n, f->n_in + f->n_out);
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

static int
run_opaque(const ir_custom *ir, const ir_attrs *at, void *const *out, const void *const *in)
{
    const cot_custom *c = definition(ir);
    cot_custom_info info = info_of(c, at);
    return c->o.run(&info, in, out);
}

/* ---- registration ---- */

static const char *
contradiction(const cot_custom_options *o)
{
    if (!!o->forward + !!o->run + !!o->symbol != 1)
        return "wants one of .forward, .run and .symbol";
    if (!o->symbol != !o->prototype)
        return ".symbol and .prototype want each other";
    if (!o->forward && !o->types)
        return o->run ? ".run wants .types" : ".symbol wants .types";
    if (o->vmap && o->generate_vmap)
        return "has both .vmap and .generate_vmap; wants one of them";
    if (o->vmap && o->sequential)
        return "has both .vmap and .sequential; wants one of them";
    if (o->generate_vmap && o->sequential)
        return "has both .generate_vmap and .sequential; wants one of them";
    if (!o->forward && o->generate_vmap)
        return o->run ? ".generate_vmap wants a traced .forward; .run is opaque: give .vmap or "
                        ".sequential"
                      : ".generate_vmap wants a traced .forward; .symbol is opaque: give .vmap "
                        "or .sequential";
    if (o->once_differentiable && !o->vjp)
        return ".once_differentiable wants a .vjp";
    return o->n_in < 0 || o->n_out < 0 ? "wants counts of 0 or more" : NULL;
}

static const cot_custom *
make(cot_context *ctx, cot_place at, const char *name, const cot_custom_options *o,
     ir_custom_caller *foreign)
{
    ir_loc loc = ir_loc_file(ctx, at.file, at.line);
    const char *wrong = contradiction(o);
    const ir_c_function *p =
        !wrong && o->prototype ? ir_c_parse(&ctx->arena, o->prototype) : NULL;
    if (p && p->why)
        wrong = ir_format(&ctx->arena, ".prototype %s", p->why);
    if (wrong) {
        ir_fail(ctx, loc, "cot_custom_new", ERR_custom_def, name, wrong);
        return NULL;
    }
    if (ir_custom_find(ctx, name)) {
        ir_fail(ctx, loc, "cot_custom_new", ERR_custom_twice, name);
        return NULL;
    }
    cot_custom *c = IR_NEW(&ctx->arena, cot_custom);
    c->ctx = ctx;
    c->o = *o;
    c->o.n_in = o->n_in ? o->n_in : 1;
    c->o.n_out = o->n_out ? o->n_out : 1;
    c->loc = loc;
    c->ir = (ir_custom){ .name = ir_intern(ctx, name),
                         .has_jvp = o->jvp,
                         .has_vjp = o->vjp,
                         .has_vmap = o->vmap,
                         .generate = o->generate_vmap,
                         .sequential = o->sequential,
                         .once = o->once_differentiable,
                         .symbolic = o->symbolic_zeros,
                         .jvp = trace_jvp,
                         .vjp = trace_vjp,
                         .vmap = trace_vmap,
                         .c = p,
                         .run = o->run      ? run_opaque
                                : o->symbol ? foreign
                                            : NULL,
                         .address = o->symbol,
                         .user = o->user,
                         .def = c };
    c->o.prototype = o->prototype ? ir_intern(ctx, o->prototype) : NULL;
    ir_custom_add(ctx, &c->ir);
    return c;
}

const cot_custom *
fe_custom_new(cot_place at, cot_context *ctx, const char *name,
              const cot_custom_options *options, size_t size, ir_custom_caller *foreign)
{
    const cot_custom *volatile c = NULL;
    FE_OPTIONS(cot_custom_options, o, options, size);
    if (!ctx)
        return NULL;
    IR_TRY (ctx) {
        if (name)
            c = make(ctx, at, name, &o, foreign);
        else
            ir_fail(ctx, ir_loc_file(ctx, at.file, at.line), "cot_custom_new", ERR_custom_def,
                    "NULL", "wants a name");
    }
    return c;
}

/* ---- setup ---- */

struct cot_setup {
    const ir_graph *f;
    ir_build *b;
    const cot_custom *c;
    cot_custom_info info;
    uint32_t n_save, cap_save, n_data, cap_data, n_nondiff, cap_nondiff;
    int64_t *save, *data, *nondiff;
};

static bool
in_range(cot_setup *s, bool input, int i)
{
    const char *what = input ? "input" : "result";
    const int n = !s ? 0 : input ? s->c->o.n_in : s->f->n_out;

    if (!s)
        return false;
    if (i >= 0 && i < n)
        return true;
    ir_build_fail(s->b, "custom_call", ERR_custom_def, s->c->ir.name,
                  ir_format(s->b->arena, "setup names %s %d; has %d", what, i, n));
    return false;
}

cot_type
cot_setup_in_type(const cot_setup *s, int i)
{
    return in_range((cot_setup *)s, true, i)
               ? public_type(ir_type_at(s->f, s->f->in[i]))
               : (cot_type){ 0 };
}

cot_type
cot_setup_out_type(const cot_setup *s, int j)
{
    return in_range((cot_setup *)s, false, j)
               ? public_type(ir_type_at(s->f, s->f->out[j]))
               : (cot_type){ 0 };
}

void
cot_save_in(cot_setup *s, int i)
{
    if (in_range(s, true, i))
        IR_PUSH(&s->b->ctx->arena, s->save, s->n_save, s->cap_save, i);
}

void
cot_save_out(cot_setup *s, int j)
{
    if (in_range(s, false, j))
        IR_PUSH(&s->b->ctx->arena, s->save, s->n_save, s->cap_save, s->f->n_in + j);
}

void
cot_save_data(cot_setup *s, int64_t x)
{
    if (s)
        IR_PUSH(&s->b->ctx->arena, s->data, s->n_data, s->cap_data, x);
}

void
cot_mark_nondiff(cot_setup *s, int j)
{
    if (in_range(s, false, j))
        IR_PUSH(&s->b->ctx->arena, s->nondiff, s->n_nondiff, s->cap_nondiff, j);
}

static void
setup_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_setup *s = user;
    (void)in, (void)out;
    s->b = t->b;
    s->c->o.setup(s, &s->info);
}

/* In a trace of its own that has no values: setup sees types, and computes nothing. */
static cot_status
run_setup(ir_build *b, cot_setup *s)
{
    cot_context *ctx = b->ctx;
    ir_graph *nothing;
    cot_trace *t;
    fe_source source = { .name = ir_format(&ctx->arena, "%s.setup", s->c->ir.name),
                         .body = setup_body,
                         .user = s,
                         .loc = b->loc,
                         .alone = true };
    return s->c->o.setup ? fe_trace_run(ctx, &source, &nothing, &t) : COT_OK;
}

/* ---- a call ---- */

typedef struct custom_call {
    const cot_custom *c;
    cot_list attrs;
    cot_values in;
    cot_value *out;
} custom_call;

/* Zeros of the result types: the forward of C code, which says its types and nothing else. */
static cot_status
opaque_forward(ir_build *b, const cot_custom *c, const cot_custom_info *info, int n,
               const ir_type *const *type, ir_graph **out)
{
    cot_type *in = IR_NEW_N(b->arena, cot_type, n + 1),
             *y = IR_NEW_N(b->arena, cot_type, c->o.n_out);
    ir_build *g = ir_build_new(b->ctx, ir_format(b->arena, "%s.types", c->ir.name));
    for (int i = 0; i < n; i++) {
        in[i] = public_type(type[i]);
        ir_input(g, type[i], NULL);
    }
    c->o.types(info, in, y);
    for (int j = 0; j < c->o.n_out; j++) {
        const ir_type *t = ir_type_of(b->ctx, &y[j]);
        if (!t)
            return b->ctx->status;
        ir_output(g, ir_zeros(g, t));
    }
    return ir_build_end(g, out);
}

static cot_status
forward_of(ir_build *b, const custom_call *k, ir_node *n, const ir_type *const *type)
{
    const cot_custom *c = k->c;
    if (!c->o.forward) {
        cot_custom_info info = info_of(c, &n->at);
        return opaque_forward(b, c, &info, k->in.n, type, &n->at.custom.forward);
    }
    rule *r = rule_new(&b->ctx->arena, c, "forward", c->o.forward, n, k->in.n + c->o.n_out);
    for (int i = 0; i < k->in.n; i++)
        add_in(r, type[i], true);
    for (int j = 0; j < c->o.n_out; j++)
        add_out(r, NULL, true);
    r->draws = true;
    return rule_trace(r, b->loc, &n->at.custom.forward);
}

static ir_ref
call(ir_build *b, const fe_arg *none, int zero, const void *options)
{
    const custom_call *k = options;
    const cot_custom *c = k->c;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, k->in.n + 1), /* room for a key */
        *y = IR_NEW_N(b->arena, ir_ref, c->o.n_out + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, k->in.n + 1);
    ir_node n = { .at = { .custom = { .name = c->ir.name,
                                      .attrs = fe_list(&k->attrs),
                                      .effects = c->o.effects,
                                      .opaque = c->o.forward == NULL,
                                      .prototype = c->o.prototype } } };
    int n_in = k->in.n;
    (void)none, (void)zero;
    if (c->ctx != b->ctx) {
        ir_build_fail(b, "custom_call", ERR_fn_context, c->ir.name);
        return IR_NONE;
    }
    if (!fe_lists(b, c->ir.name, 1, &(fe_named_list){ "attrs", k->attrs }))
        return IR_NONE;
    if (k->in.n != c->o.n_in) {
        ir_build_fail(b, c->ir.name, ERR_fn_arguments, k->in.n, c->o.n_in);
        return IR_NONE;
    }
    for (int i = 0; i < k->in.n; i++) {
        in[i] = fe_resolve(b->ctx->trace, FE_AT(k->in)[i], c->ir.name, i);
        if (!in[i])
            return IR_NONE;
        type[i] = ir_btype(b, in[i]);
    }
    cot_status status = forward_of(b, k, &n, type);
    if (status != COT_OK) {
        b->status = status;
        return IR_NONE;
    }
    cot_setup s = { .f = n.at.custom.forward, .b = b, .c = c, .info = info_of(c, &n.at) };
    status = run_setup(b, &s);
    if (status != COT_OK) {
        b->status = status;
        return IR_NONE;
    }
    if (s.f->n_in > n_in) {
        in[n_in++] = fe_next_key(b->ctx->trace);
        IR_PUSH(&b->ctx->arena, s.save, s.n_save, s.cap_save, k->in.n); /* its rules may draw */
    }
    n.at.custom.save = (ir_ints){ (int)s.n_save, s.save };
    n.at.custom.data = (ir_ints){ (int)s.n_data, s.data };
    n.at.custom.nondiff = (ir_ints){ (int)s.n_nondiff, s.nondiff };
    ir_add_node(b, OP_custom_call, n_in, in, &n.at, y);
    for (int j = 0; k->out && j < c->o.n_out; j++)
        k->out[j] = fe_handle(b->ctx->trace, b->status == COT_OK ? y[j] : IR_NONE);
    return b->status == COT_OK ? y[0] : IR_NONE;
}

static ir_ref
no_function(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)x, (void)n, (void)options;
    if (b->ctx->status == COT_ERR_MEMORY) /* it could not be made */
        b->status = COT_ERR_MEMORY;
    else
        ir_build_fail(b, "custom_call", ERR_usage,
                      "the function is NULL; wants one of cot_custom_new");
    return IR_NONE;
}

cot_value
cot_custom_call_(cot_place at, const cot_custom *c, cot_list attrs, cot_values in,
                 cot_value *out)
{
    fe_readable(&in);
    custom_call k = { c, attrs, in, out };
    if (!c)
        return fe_apply_values(at, "custom_call", no_function, in, NULL);
    for (int j = 0; out && j < c->o.n_out; j++)
        out[j] = (cot_value){ c->ctx, 0, 0 };
    return fe_apply_in(c->ctx, at, c->ir.name, call, &k);
}

void
fe_custom_counts(const cot_custom *c, int *n_in, int *n_out)
{
    *n_in = c->o.n_in;
    *n_out = c->o.n_out;
}

typedef struct front {
    int64_t dim, size;
} front;

static ir_ref
to_front(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const front *o = options;
    (void)n;
    if (o->dim == COT_NONE)
        return ir_broadcast_axis(b, x[0].ref, 0, o->size);
    int k = fe_axis(b, "move_batch_front", o->dim, ir_btype(b, x[0].ref)->rank);
    return k < 0 ? IR_NONE : ir_move_axis(b, x[0].ref, k, 0);
}

cot_value
cot_move_batch_front_(cot_place at, cot_value v, int64_t dim, int64_t size)
{
    front o = { dim, size };
    return fe_apply1(at, "move_batch_front", to_front, v, &o);
}
