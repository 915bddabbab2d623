/* Rules of custom functions: the rules that their author gave, for any transform at any depth.
 *
 * jvp leaves a node `custom_tangent`, which stands for dy = Df(x) dx, unless a jvp rule is the
 * only rule.  Reverse mode transposes the node, by the vjp rule as it is, linear or not.
 * Forward mode replaces it (pass_custom_forward) by the jvp rule, or by the transpose of the
 * vjp rule.  The result of a transform contains no such node.
 *
 * A mapped call keeps its name and lists the levels of vmap over it.  Its rules are then those
 * for one example, mapped level by level, so that saved shapes and custom derivatives are those
 * of one example.  The cotangent of an operand that is shared by the examples of a level is
 * summed over it. */
#include "ir/custom.h"

#include "ir/diag.h"
#include "passes/engine.h"
#include "passes/rules/flow.h"

static const ir_custom *
definition(ir_build *b, const ir_node *n, const char *verb)
{
    const ir_custom *c = pass_custom_of(b->ctx, n);
    if (!c)
        ir_build_fail(b, "custom_call", ERR_custom_missing, n->at->custom.name, verb);
    return c;
}

static bool
level_maps(const ir_node *n, int l, int i)
{
    return ir_custom_mapped(n->at, l, i);
}

/* What each input of a rule stands for: i >= 0: operand i of the call; ALL: a result or its
 * tangent, which every level maps. */
enum { ALL = -1 };

/* A rule for one example, mapped by the levels of n; every result is mapped by all of them. */
static ir_graph *
over_levels(ir_build *b, const ir_node *n, ir_graph *rule, const int *stands)
{
    const ir_ints size = n->at->custom.size, random = n->at->custom.random;
    const int around = b->ctx->randomness;
    for (int l = 0; l < size.n && rule; l++) {
        b->ctx->randomness = random.n ? (int)random.at[l] : PASS_RANDOM_ERROR;
        bool *in = IR_NEW_N(b->arena, bool, rule->n_in + 1);
        bool *out = IR_NEW_N(b->arena, bool, rule->n_out + 1);
        for (int i = 0; i < rule->n_in; i++)
            in[i] = stands[i] == ALL || level_maps(n, l, stands[i]);
        for (int j = 0; j < rule->n_out; j++)
            out[j] = true;
        if (!pass_flow_ok(b, pass_vmap_graph(rule, size.at[l], in, out, &rule)))
            rule = NULL;
    }
    b->ctx->randomness = around;
    return rule;
}

static bool *
active_of(ir_build *b, const ir_node *n)
{
    bool *active = IR_NEW_N(b->arena, bool, n->at->custom.forward->n_in + 1);
    for (int k = 0; k < n->at->custom.active.n; k++)
        active[n->at->custom.active.at[k]] = true;
    return active;
}

/* ---- forward mode ---- */

/* Inlines the jvp rule; x are the operands of the tangent node. */
static void
inline_jvp(ir_build *b, const ir_custom *c, const ir_node *n, const ir_ref *x, ir_ref *dy)
{
    const ir_graph *f = n->at->custom.forward;
    const ir_ints active = n->at->custom.active;
    const int all = f->n_in + f->n_out + active.n;
    int *stands = IR_NEW_N(b->arena, int, all + 1);
    ir_graph *rule = NULL;
    if (!pass_flow_ok(b, c->jvp(c, n, b->loc, active_of(b, n), &rule)))
        return;
    for (int i = 0; i < all; i++)
        stands[i] = i < f->n_in                ? i
                    : i < f->n_in + f->n_out   ? ALL
                                               : (int)active.at[i - f->n_in - f->n_out];
    rule = over_levels(b, n, rule, stands);
    if (rule)
        ir_inline_graph(b, rule, x, dy);
}

void
jvp_custom_call(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_graph *g = n->at->custom.forward;
    int64_t *active = IR_NEW_N(b->arena, int64_t, n->n_in + 1);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, 2 * n->n_in + n->n_out + 1);
    ir_ref *value = IR_NEW_N(b->arena, ir_ref, n->n_out + 1),
           *dy = IR_NEW_N(b->arena, ir_ref, n->n_out + 1);
    int n_active = 0, at = 0;
    (void)f;
    for (int i = 0; i < n->n_in; i++)
        x[i] = in[i].val;
    ir_copy_node(b, n, x, value);
    for (int j = 0; j < n->n_out; j++) {
        y[j] = (dual){ value[j], IR_NONE };
        x[n->n_in + j] = value[j];
        at += ir_custom_differs(n, j);
    }
    for (int i = 0; i < n->n_in; i++)
        if (in[i].tan) {
            x[n->n_in + n->n_out + n_active] = in[i].tan;
            active[n_active++] = i;
        }
    const ir_custom *c = at == 0 ? NULL : definition(b, n, "differentiated");
    if (!c)
        return;
    if (c->marked) {
        ir_build_fail(b, "custom_call", ERR_custom_once, c->marked);
        return;
    }
    if (!c->has_jvp && !c->has_vjp) {
        if (c->printed)
            ir_build_fail(b, "custom_call", ERR_custom_missing, c->name, "differentiated");
        else
            ir_build_fail(b, "custom_call", ERR_custom_jvp, c->name);
        return;
    }
    ir_attrs tangent = ir_node_attrs(n);
    tangent.custom.active = (ir_ints){ n_active, active };
    if (c->has_vjp)
        ir_add_node(b, OP_custom_tangent, n->n_in + n->n_out + n_active, x, &tangent, dy);
    else
        inline_jvp(b, c, &(ir_node){ .op = OP_custom_tangent, .at = &tangent }, x, dy);
    at = 0;
    for (int j = 0; j < g->n_out; j++)
        if (ir_custom_differs(n, j))
            y[j].tan = dy[at++];
}

/* ---- reverse mode ---- */

/* The vjp rule mapped over the levels; it takes the saved values, then the cotangents. */
static ir_graph *
reverse_rule(ir_build *b, const ir_custom *c, const ir_node *n, const bool *has_ct)
{
    const ir_graph *f = n->at->custom.forward;
    const ir_ints save = n->at->custom.save;
    int *stands = IR_NEW_N(b->arena, int, save.n + f->n_out + 1);
    ir_graph *rule = NULL;
    if (!pass_flow_ok(b, c->vjp(c, n, b->loc, active_of(b, n), has_ct, &rule)))
        return NULL;
    for (int k = 0; k < save.n; k++)
        stands[k] = save.at[k] < f->n_in ? (int)save.at[k] : ALL;
    for (int j = 0; j < f->n_out; j++)
        stands[save.n + j] = ALL;
    return over_levels(b, n, rule, stands);
}

/* The cotangent dx of operand i, summed over the levels that share it: level l is axis L - 1 -
 * l. */
static ir_ref
shared_sum(ir_build *b, const ir_node *n, int i, ir_ref dx)
{
    const int levels = n->at->custom.size.n;
    ir_axes axes = 0;
    for (int l = 0; l < levels; l++)
        if (!level_maps(n, l, i))
            axes |= ir_axes_of(levels - 1 - l);
    if (!axes || !dx)
        return dx;
    for (int k = levels - 1; k >= 0 && dx; k--)
        if (ir_axes_has(axes, k))
            dx = ir_reduce(b, OP_reduce_sum, dx, ir_axes_of(k));
    return dx;
}

/* ct[j] is the cotangent of differentiable result j of n; val has the operands of the call,
 * then its results. */
static void
pull_back(ir_build *b, const ir_custom *c, const ir_node *n, const ir_ref *val,
          const ir_type *const *type, const ir_ref *ct, ir_ref *dx)
{
    const ir_graph *f = n->at->custom.forward;
    const ir_ints save = n->at->custom.save;
    bool *has = IR_NEW_N(b->arena, bool, f->n_out + 1);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, save.n + f->n_out + 1);
    int n_in = save.n;
    for (int k = 0; k < save.n; k++)
        x[k] = val[save.at[k]];
    for (int j = 0, at = 0; j < f->n_out; j++)
        if (ir_custom_differs(n, j)) {
            has[j] = ct[at] || !c->symbolic;
            if (has[j])
                x[n_in++] = ct[at] ? ct[at] : pass_zeros_like(b, type[at]);
            at++;
        }
    ir_graph *rule = reverse_rule(b, c, n, has);
    if (!rule)
        return;
    ir_inline_graph(b, rule, x, dx);
    for (int k = 0; k < n->at->custom.active.n; k++)
        dx[k] = shared_sum(b, n, (int)n->at->custom.active.at[k], dx[k]);
}

void
transpose_custom_tangent(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                         const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_graph *g = n->at->custom.forward;
    const ir_custom *c = definition(b, n, "differentiated");
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n->n_out + 1);
    ir_ref *dx = IR_NEW_N(b->arena, ir_ref, n->at->custom.active.n + 1);
    if (!c)
        return;
    for (int j = 0; j < n->n_out; j++)
        type[j] = ir_type_at(f, n->first + (ir_ref)j);
    pull_back(b, c, n, in, type, ct, dx);
    for (int k = 0; k < n->at->custom.active.n; k++)
        if (linear[g->n_in + g->n_out + k])
            ct_in[g->n_in + g->n_out + k] = dx[k];
}

/* A call that a jvp rule makes on tangents is linear in them.  Its transpose is its vjp rule,
 * for which only values that do not vary can be saved. */
void
transpose_custom_call(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                      const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_custom *c = definition(b, n, "transposed");
    ir_attrs tangent = ir_node_attrs(n);
    ir_node t = *n;
    int64_t *active = IR_NEW_N(b->arena, int64_t, n->n_in + 1);
    ir_ref *val = IR_NEW_N(b->arena, ir_ref, n->n_in + n->n_out + 1);
    ir_ref *dx = IR_NEW_N(b->arena, ir_ref, n->n_in + 1),
           *cts = IR_NEW_N(b->arena, ir_ref, n->n_out + 1);
    const ir_type **type = IR_NEW_N(b->arena, const ir_type *, n->n_out + 1);
    int n_active = 0, count = 0;
    if (!c)
        return;
    for (int i = 0; i < n->n_in; i++) {
        val[i] = in[i];
        if (linear[i] && ir_is_floating(f, n->in[i]))
            active[n_active++] = i;
    }
    for (int j = 0; j < n->n_out; j++)
        if (ir_custom_differs(n, j)) {
            type[count] = ir_type_at(f, n->first + (ir_ref)j);
            cts[count++] = ct[j];
        }
    bool ok = c->has_vjp;
    for (int k = 0; k < n->at->custom.save.n; k++)
        ok &= n->at->custom.save.at[k] < n->n_in && !linear[n->at->custom.save.at[k]];
    if (!ok) {
        ir_build_fail(b, "custom_call", ERR_no_rule, "transpose",
                      ir_format(b->arena,
                                "%s on tangents wants a .vjp that saves nothing that varies",
                                c->name));
        return;
    }
    tangent.custom.active = (ir_ints){ n_active, active };
    t.at = &tangent;
    pull_back(b, c, &t, val, type, cts, dx);
    for (int k = 0; k < n_active; k++)
        ct_in[active[k]] = dx[k];
}

/* ---- the tangents of forward mode ---- */

/* The transpose of a vjp rule with respect to its cotangents, which follow n_known saved
 * values.  If it has loops, which run backwards on saved values, the known part is split off,
 * as in linearize. */
static cot_status
transposed(const ir_graph *f, int n_known, ir_graph **out)
{
    const ir_graph *rule;
    ir_graph *first, *rest, *back;
    int n_res = 0, n_cts = 0;
    const int most = f->n_in + f->n_out + 1;
    bool *known = IR_NEW_N(f->arena, bool, most), *linear = IR_NEW_N(f->arena, bool, most);
    bool *known_out = IR_NEW_N(f->arena, bool, most), *given = IR_NEW_N(f->arena, bool, most);
    for (int i = 0; i < f->n_in; i++) {
        known[i] = i < n_known;
        linear[i] = !known[i];
    }
    for (int j = 0; j < f->n_out; j++)
        given[j] = true;
    if (!f->whiles)
        return pass_transpose_graph(f, linear, given, out);
    COT_TRY(pass_while_to_scan_for_reverse(f, &rule));
    COT_TRY(pass_split(rule, known, known_out, &n_res, &first, &rest));
    linear = IR_NEW_N(rest->arena, bool, rest->n_in + 1);
    for (int i = n_res; i < rest->n_in; i++)
        linear[i] = true;
    COT_TRY(pass_transpose_graph(rest, linear, given, &back));
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n_known + 1),
           *y = IR_NEW_N(b->arena, ir_ref, first->n_out + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, back->n_in + 1),
           *ct = IR_NEW_N(b->arena, ir_ref, back->n_out + 1);
    for (int i = 0; i < n_known; i++)
        x[i] = ir_input_like(b, rule, rule->in[i], "");
    ir_inline_graph(b, first, x, y);
    for (int i = 0; i < n_res; i++)
        in[i] = y[first->n_out - n_res + i];
    for (int j = 0; j < rule->n_out; j++) {
        ir_ref v = ir_input(b, ir_type_at(rule, rule->out[j]), NULL);
        if (!known_out[j])
            in[n_res + n_cts++] = v;
    }
    ir_inline_graph(b, back, in, ct);
    for (int i = 0; i < back->n_out; i++)
        ir_output(b, ct[i]);
    return ir_build_end(b, out);
}

/* dy by the transpose of the vjp rule; an error if that is not linear in the cotangents. */
static void
derived_jvp(ir_build *b, const ir_custom *c, const ir_node *n, const ir_ref *x, ir_ref *dy)
{
    const ir_graph *f = n->at->custom.forward;
    const ir_ints save = n->at->custom.save, active = n->at->custom.active;
    bool *has = IR_NEW_N(b->arena, bool, f->n_out + 1);
    for (int j = 0; j < f->n_out; j++)
        has[j] = ir_custom_differs(n, j);
    ir_graph *rule = NULL, *back = NULL;
    if (!pass_flow_ok(b, c->vjp(c, n, b->loc, active_of(b, n), has, &rule)))
        return;
    bool *linear = IR_NEW_N(b->arena, bool, rule->n_in + 1);
    int *stands = IR_NEW_N(b->arena, int, rule->n_in + rule->n_out + 1);
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, save.n + active.n + 1);
    for (int i = save.n; i < rule->n_in; i++)
        linear[i] = true;
    const ir_node *wrong = pass_find_nonlinear(rule, linear);
    if (wrong) {
        ir_buf at;
        ir_buf_init(&at, b->arena);
        ir_loc_print(b->ctx, wrong->loc, &at);
        ir_build_fail(b, "custom_call", ERR_custom_linear, c->name, ir_ops[wrong->op].name,
                      at.text ? at.text : "an unknown line");
        return;
    }
    if (!pass_flow_ok(b, transposed(rule, save.n, &back)))
        return;
    for (int k = 0; k < save.n; k++) {
        stands[k] = save.at[k] < f->n_in ? (int)save.at[k] : ALL;
        in[k] = x[save.at[k]];
    }
    for (int k = 0; k < active.n; k++) {
        stands[save.n + k] = (int)active.at[k];
        in[save.n + k] = x[f->n_in + f->n_out + k];
    }
    back = over_levels(b, n, back, stands);
    if (back)
        ir_inline_graph(b, back, in, dy);
}

static void
forward_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
             const ir_ref *in, ir_ref *out)
{
    ir_attrs at;
    (void)f, (void)env;
    if (n->op == OP_custom_tangent) {
        const ir_custom *c = definition(b, n, "differentiated");
        if (c && c->has_jvp)
            inline_jvp(b, c, n, in, out);
        else if (c)
            derived_jvp(b, c, n, in, out);
    } else if (ir_runs_bodies(n->op)) {
        if (pass_flow_ok(b, pass_rewrite_subs(b, n, pass_custom_forward, &at)))
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    } else {
        ir_copy_node(b, n, in, out);
    }
}

/* Is there a custom_tangent in f, at any depth? */
static bool
has_tangent(const ir_graph *f)
{
    const ir_graph *const *all;

    for (uint32_t i = 0, graphs = ir_all_graphs(f, false, &all, f->arena); i < graphs; i++)
        ir_each_node (n, all[i])
            if (n->op == OP_custom_tangent)
                return true;
    return false;
}

cot_status
pass_custom_forward(const ir_graph *f, ir_graph **out)
{
    *out = (ir_graph *)f;
    return has_tangent(f) ? pass_rewrite(f, "jvp", forward_node, out) : COT_OK;
}

/* Operands of a tangent node that the vjp rule does not save become zeros, so that they are not
 * kept. */
static void
reverse_node(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env,
             const ir_ref *in, ir_ref *out)
{
    ir_attrs at;
    (void)env;
    if (n->op == OP_custom_tangent) {
        const ir_graph *g = n->at->custom.forward;
        ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
        for (int i = 0; i < n->n_in; i++)
            x[i] = i >= g->n_in + g->n_out || ir_ints_has(n->at->custom.save, i)
                       ? in[i]
                       : pass_zeros_like(b, ir_type_at(f, n->in[i]));
        ir_copy_node(b, n, x, out);
    } else if (ir_runs_bodies(n->op)) {
        if (pass_flow_ok(b, pass_rewrite_subs(b, n, pass_custom_reverse, &at)))
            ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
    } else {
        ir_copy_node(b, n, in, out);
    }
}

cot_status
pass_custom_reverse(const ir_graph *f, ir_graph **out)
{
    *out = (ir_graph *)f;
    return has_tangent(f) ? pass_rewrite(f, "jvp", reverse_node, out) : COT_OK;
}

/* ---- vmap ---- */

/* A function called by f on mapped values that cannot be mapped; or NULL. */
static const ir_custom *
not_mappable(const ir_graph *f, const bool *mapped)
{
    bool *varies = IR_NEW_N(f->arena, bool, f->n_values + 1);
    for (int i = 0; i < f->n_in; i++)
        varies[f->in[i]] = mapped[i];
    ir_each_node (n, f) {
        bool any = false;
        for (int i = 0; i < n->n_in; i++)
            any |= varies[n->in[i]];
        for (int j = 0; j < n->n_out; j++)
            varies[n->first + (ir_ref)j] = any;
        const ir_custom *c = any && n->op == OP_custom_call ? pass_custom_of(f->ctx, n) : NULL;
        if (c && !c->has_vmap && !c->generate && !c->sequential && !c->printed)
            return c;
    }
    return NULL;
}

/* How random draws behave at each level, with one more level; an empty list if no level allows
 * them. */
static ir_ints
with_level(ir_build *b, const ir_attrs *at, int randomness)
{
    const int levels = at->custom.size.n;
    const ir_ints old = at->custom.random;
    int64_t *all = IR_NEW_N(b->arena, int64_t, levels + 1);
    if (old.n == 0 && randomness == PASS_RANDOM_ERROR)
        return (ir_ints){ 0, NULL };
    for (int l = 0; l < levels; l++)
        all[l] = old.n ? old.at[l] : PASS_RANDOM_ERROR;
    all[levels] = randomness;
    return (ir_ints){ levels + 1, all };
}

/* Adds a level.  The traced forward is mapped once now, to report an op without a rule. */
static void
generate(ir_build *b, const ir_node *n, int64_t size, const ir_ref *in, const bool *mapped,
         ir_ref *y)
{
    const ir_graph *f = n->at->custom.forward;
    const int levels = n->at->custom.size.n;
    int64_t *sizes = IR_NEW_N(b->arena, int64_t, levels + 1);
    int64_t *mask = IR_NEW_N(b->arena, int64_t, (levels + 1) * (n->n_in + 1));
    bool *out = IR_NEW_N(b->arena, bool, n->n_out + 1);
    ir_graph *probe;
    ir_attrs at = ir_node_attrs(n);
    const ir_custom *lacks = not_mappable(f, mapped);
    if (lacks)
        ir_build_fail(b, "vmap", ERR_custom_inner, lacks->name, n->at->custom.name);
    if (lacks || !pass_flow_ok(b, pass_vmap_graph(f, size, mapped, out, &probe)))
        return;
    if (levels)
        memcpy(sizes, n->at->custom.size.at, sizeof *sizes * (size_t)levels);
    if (levels && f->n_in)
        memcpy(mask, n->at->custom.mapped.at, sizeof *mask * (size_t)(levels * f->n_in));
    sizes[levels] = size;
    for (int i = 0; i < f->n_in; i++)
        mask[levels * f->n_in + i] = mapped[i];
    at.custom.size = (ir_ints){ levels + 1, sizes };
    at.custom.random = with_level(b, n->at, b->ctx->randomness);
    at.custom.mapped = (ir_ints){ (levels + 1) * f->n_in, mask };
    ir_add_node(b, OP_custom_call, n->n_in, in, &at, y);
}

static void
by_rule(ir_build *b, const ir_custom *c, const ir_node *n, int64_t size, const ir_ref *in,
        const bool *mapped, ir_ref *y, bool *out_mapped)
{
    int64_t *dims = IR_NEW_N(b->arena, int64_t, n->n_out + 1);
    ir_graph *rule = NULL;
    if (!pass_flow_ok(b, c->vmap(c, n, b->loc, size, b->ctx->randomness, mapped, &rule, dims)))
        return;
    ir_inline_graph(b, rule, in, y);
    for (int j = 0; j < n->n_out; j++) {
        out_mapped[j] = dims[j] != PASS_NO_AXIS;
        if (out_mapped[j])
            y[j] = ir_move_axis(b, y[j], (int)dims[j], 0);
    }
}

void
vmap_custom_call(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                 const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const ir_custom *c = definition(b, n, "mapped");
    if (!c)
        return;
    if (c->has_vmap) {
        by_rule(b, c, n, size, in, mapped, y, out_mapped);
    } else if (c->generate) {
        generate(b, n, size, in, mapped, y);
    } else if (c->sequential) {
        pass_one_by_one(b, f, n, size, in, mapped, y, out_mapped);
    } else if (c->printed) {
        ir_build_fail(b, "custom_call", ERR_custom_missing, c->name, "mapped");
    } else {
        ir_build_fail(b, "vmap", ERR_custom_vmap, c->name);
    }
}

bool
pass_custom_body(ir_build *b, const ir_node *n, const ir_graph *forward, ir_graph **body)
{
    int *stands = IR_NEW_N(b->arena, int, n->n_in + 1);
    if (n->op != OP_custom_call || n->at->custom.opaque)
        return false;
    for (int i = 0; i < n->n_in; i++)
        stands[i] = i;
    *body = over_levels(b, n, (ir_graph *)forward, stands);
    return true;
}

/* Transforms replace every custom_tangent before they end, so that no rule is needed. */
void
jvp_custom_tangent(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f, (void)n, (void)in, (void)y;
    ir_build_fail(b, "custom_tangent", ERR_internal, "stands in a finished graph");
}
