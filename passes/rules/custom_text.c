/* Custom functions in text: what is needed to transform a call whose function is not
 * registered.
 *
 * A dump adds to each custom_call the traced rules of its function, `rules`, and lists in `by`
 * which rules they are and what else the function allows: "vjp jvp generate_vmap sequential
 * once symbolic_zeros".  A rule takes every cotangent (tangent) and returns a result for every
 * floating operand (result); those that are not wanted or absent are cut off or zero when the
 * rule is used.  A rule that calls its own function contains that call without rules, which are
 * added when the rule is used.  So texts are finite.
 *
 * The rules of a registered function are the registered ones.  A vmap rule is not printed,
 * since it differs for each size and each set of mapped operands. */
#include "ir/custom.h"

#include "ir/diag.h"
#include "passes/engine.h"

/* ---- reading: the function that a node describes ---- */

static bool
allows(const ir_attrs *at, const char *word)
{
    const size_t n = strlen(word);
    for (const char *s = at->custom.by; s && (s = strstr(s, word)); s += n)
        if ((s == at->custom.by || s[-1] == ' ') && (s[n] == ' ' || s[n] == '\0'))
            return true;
    return false;
}

/* Do these calls have the same rules, including types? */
static bool
same_call(const ir_attrs *a, const ir_attrs *b)
{
    ir_attrs x = ir_attrs_of(IR_AT_custom, a), y = ir_attrs_of(IR_AT_custom, b);
    x.custom.size = y.custom.size = x.custom.mapped = y.custom.mapped = (ir_ints){ 0, NULL };
    x.custom.random = y.custom.random = (ir_ints){ 0, NULL };
    x.custom.active = y.custom.active = (ir_ints){ 0, NULL };
    x.custom.by = y.custom.by = NULL;
    x.custom.rules = y.custom.rules = (ir_graphs){ 0, NULL };
    return ir_attrs_equal(IR_AT_custom, &x, &y);
}

/* Copies f node by node, with other attributes for nodes that have sub-functions. */
typedef cot_status change(ir_build *b, const ir_node *n, const void *user, ir_attrs *at);

static cot_status
rewrite_with(const ir_graph *f, change *how, const void *user, ir_graph **out)
{
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *env = IR_NEW_N(b->arena, ir_ref, f->n_values + 1);
    for (int i = 0; i < f->n_in; i++)
        env[f->in[i]] = ir_input_like(b, f, f->in[i], "");
    ir_each_node (n, f) {
        ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        ir_attrs at = ir_node_attrs(n);
        for (int k = 0; k < n->n_in; k++)
            x[k] = env[n->in[k]];
        b->loc = n->loc;
        if (ir_ops[n->op].flag == IR_FLOW)
            COT_TRY(how(b, n, user, &at));
        ir_add_node(b, (ir_op)n->op, n->n_in, x, &at, env + n->first);
    }
    for (int j = 0; j < f->n_out; j++)
        pass_output(b, f, j, env[f->out[j]], "");
    for (int k = 0; k < f->n_inout; k++)
        ir_inout_arg(b, f->inout[k].arg, f->inout[k].loc);
    return ir_build_end(b, out);
}

static pass_with lend;

static cot_status
lend_to(ir_build *b, const ir_node *n, const void *user, ir_attrs *at)
{
    const ir_attrs *owner = user;
    COT_TRY(pass_replace_subs(b, n, lend, user, at));
    if (n->op == OP_custom_call && !at->custom.by && same_call(at, owner)) {
        at->custom.by = owner->custom.by;
        at->custom.rules = owner->custom.rules;
    }
    return COT_OK;
}

/* Adds owner's rules to the calls of its own function in g. */
static cot_status
lend(ir_graph *g, const void *owner, ir_graph **out)
{
    return rewrite_with(g, lend_to, owner, out);
}

typedef struct rule_fit {
    ir_build *b;
    ir_ref *x, *y;
    int n_in, n_out;
    const ir_type **in, **out;
} rule_fit;

static void
takes(rule_fit *k, const ir_type *t, bool given)
{
    k->in[k->n_in] = t;
    k->x[k->n_in++] = given ? ir_input(k->b, t, NULL) : pass_zeros_like(k->b, t);
}

/* The printed rule on k->x; `keep` says which results are wanted. */
static cot_status
fit(rule_fit *k, const ir_node *n, const ir_graph *rule, const char *what, const bool *keep,
    ir_graph **out)
{
    ir_graph *g;
    bool fits = rule->n_in == k->n_in && rule->n_out == k->n_out;
    for (int i = 0; fits && i < k->n_in; i++)
        fits = ir_type_at(rule, rule->in[i]) == k->in[i];
    for (int j = 0; fits && j < k->n_out; j++)
        fits = ir_type_at(rule, rule->out[j]) == k->out[j];
    if (!fits)
        return ir_fail(k->b->ctx, n->loc, "custom_call", ERR_custom_def, n->at->custom.name,
                       ir_format(k->b->arena, "its printed %s does not fit its types", what));
    COT_TRY(lend((ir_graph *)rule, n->at, &g));
    ir_inline_graph(k->b, g, k->x, k->y);
    for (int j = 0; j < k->n_out; j++)
        if (keep[j])
            ir_output(k->b, k->y[j]);
    return ir_build_end(k->b, out);
}

static rule_fit
fitting_new(const ir_node *n, const ir_graph *rule)
{
    ir_build *b = ir_build_new(rule->ctx, rule->name);
    const ir_graph *f = n->at->custom.forward;
    const int most = 2 * (f->n_in + f->n_out) + n->at->custom.save.n + 1,
              room = most > rule->n_out ? most : rule->n_out;
    b->loc = n->loc;
    return (rule_fit){ .b = b,
                       .x = IR_NEW_N(b->arena, ir_ref, room),
                       .y = IR_NEW_N(b->arena, ir_ref, room),
                       .in = IR_NEW_N(b->arena, const ir_type *, room),
                       .out = IR_NEW_N(b->arena, const ir_type *, room) };
}

static cot_status
printed_vjp(const ir_custom *c, const ir_node *n, ir_loc loc, const bool *active,
            const bool *has_ct, ir_graph **out)
{
    const ir_graph *f = n->at->custom.forward, *rule = ((const ir_graphs *)c->def)->at[0];
    rule_fit k = fitting_new(n, rule);
    bool *keep = IR_NEW_N(k.b->arena, bool, f->n_in + 1);
    (void)loc;
    for (int i = 0; i < n->at->custom.save.n; i++) {
        const int64_t s = n->at->custom.save.at[i];
        takes(&k, ir_type_at(f, s < f->n_in ? f->in[s] : f->out[s - f->n_in]), true);
    }
    for (int j = 0; j < f->n_out; j++)
        if (ir_custom_differs(n, j))
            takes(&k, ir_type_at(f, f->out[j]), has_ct[j]);
    for (int i = 0; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i])) {
            keep[k.n_out] = active[i];
            k.out[k.n_out++] = ir_type_at(f, f->in[i]);
        }
    return fit(&k, n, rule, "vjp", keep, out);
}

static cot_status
printed_jvp(const ir_custom *c, const ir_node *n, ir_loc loc, const bool *active,
            ir_graph **out)
{
    const ir_graphs *rules = c->def;
    const ir_graph *f = n->at->custom.forward, *rule = rules->at[rules->n - 1];
    rule_fit k = fitting_new(n, rule);
    bool *keep = IR_NEW_N(k.b->arena, bool, f->n_out + 1);
    (void)loc;
    for (int i = 0; i < f->n_in; i++)
        takes(&k, ir_type_at(f, f->in[i]), true);
    for (int j = 0; j < f->n_out; j++)
        takes(&k, ir_type_at(f, f->out[j]), true);
    for (int i = 0; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i]))
            takes(&k, ir_type_at(f, f->in[i]), active[i]);
    for (int j = 0; j < f->n_out; j++)
        if (ir_custom_differs(n, j)) {
            keep[k.n_out] = true;
            k.out[k.n_out++] = ir_type_at(f, f->out[j]);
        }
    return fit(&k, n, rule, "jvp", keep, out);
}

const ir_custom *
pass_custom_of(cot_context *ctx, const ir_node *n)
{
    const ir_attrs *at = n->at;
    const ir_custom *registered = ir_custom_find(ctx, at->custom.name);
    if (registered || !at->custom.by)
        return registered;
    ir_custom *c = IR_NEW(&ctx->arena, ir_custom);
    c->name = at->custom.name;
    c->printed = true;
    c->has_vjp = allows(at, "vjp");
    c->has_jvp = allows(at, "jvp");
    if (c->has_vjp + c->has_jvp > at->custom.rules.n)
        c->has_vjp = c->has_jvp = false;
    c->generate = allows(at, "generate_vmap");
    c->sequential = allows(at, "sequential");
    c->symbolic = false;
    c->marked = allows(at, "once") ? c->name : NULL;
    c->vjp = printed_vjp;
    c->jvp = printed_jvp;
    c->def = (void *)&at->custom.rules;
    return c;
}

/* ---- writing: a graph whose calls carry their rules ---- */

enum { MAX_RULE_DEPTH = 8 }; /* how deep rules of distinct calls may be nested in rules */

typedef struct inside {
    const struct inside *up;
    const ir_attrs *owner;
    int depth;
} inside;

static pass_with with_rules;

/* The rule for all cotangents and operands.  A rule that fails is not printed, except that
 * running out of memory is an error. */
static ir_graph *
whole_rule(ir_build *b, const ir_custom *c, const ir_node *n, bool vjp)
{
    const ir_graph *f = n->at->custom.forward;
    const int room = (f->n_in > f->n_out ? f->n_in : f->n_out) + 1;
    bool *active = IR_NEW_N(b->arena, bool, room), *all = IR_NEW_N(b->arena, bool, room);
    ir_graph *g = NULL;
    for (int i = 0; i < f->n_in; i++)
        active[i] = ir_is_floating(f, f->in[i]);
    for (int j = 0; j < f->n_out; j++)
        all[j] = ir_custom_differs(n, j);
    cot_status status =
        vjp ? c->vjp(c, n, n->loc, active, all, &g) : c->jvp(c, n, n->loc, active, &g);
    if (status == COT_OK)
        return g;
    if (status == COT_ERR_MEMORY)
        ir_out_of_memory(b->ctx);
    cot_error_clear(b->ctx);
    return NULL;
}

static const char *
words_of(ir_build *b, const ir_custom *c, const ir_graph *vjp, const ir_graph *jvp)
{
    const char *by = ir_format(b->arena, "%s%s%s%s%s", vjp ? " vjp" : "", jvp ? " jvp" : "",
                               c->generate ? " generate_vmap" : "",
                               c->sequential ? " sequential" : "", c->marked ? " once" : "");
    return *by ? by + 1 : NULL;
}

static cot_status
add_rules(ir_build *b, const ir_node *n, const void *user, ir_attrs *at)
{
    const inside *in = user;
    const ir_custom *c =
        n->op == OP_custom_call ? ir_custom_find(b->ctx, n->at->custom.name) : NULL;
    ir_graph **rule, *vjp = NULL, *jvp = NULL;
    COT_TRY(pass_replace_subs(b, n, with_rules, user, at));
    for (const inside *i = in; c && i; i = i->up)
        if (i->depth >= MAX_RULE_DEPTH || (i->owner && same_call(i->owner, n->at)))
            c = NULL;
    if (!c)
        return COT_OK;
    const inside within = { in, n->at, in->depth + 1 };
    if (c->has_vjp && (vjp = whole_rule(b, c, n, true)))
        COT_TRY(with_rules(vjp, &within, &vjp));
    if (c->has_jvp && (jvp = whole_rule(b, c, n, false)))
        COT_TRY(with_rules(jvp, &within, &jvp));
    rule = IR_NEW_N(b->arena, ir_graph *, 2);
    at->custom.rules = (ir_graphs){ !!vjp + !!jvp, rule };
    if (vjp)
        *rule++ = vjp;
    if (jvp)
        *rule++ = jvp;
    at->custom.by = words_of(b, c, vjp, jvp);
    return COT_OK;
}

static cot_status
with_rules(ir_graph *f, const void *user, ir_graph **out)
{
    return rewrite_with(f, add_rules, user, out);
}

static bool
calls_custom(const ir_graph *f)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, true, &all, f->arena); i < graphs; i++)
        ir_each_node (n, all[i])
            if (n->op == OP_custom_call)
                return true;
    return false;
}

cot_status
pass_custom_with_rules(const ir_graph *f, ir_graph **out)
{
    static const inside none = { NULL, NULL, 0 };
    *out = (ir_graph *)f;
    return f->ctx->status == COT_OK && calls_custom(f) ? with_rules((ir_graph *)f, &none, out)
                                                       : COT_OK;
}
