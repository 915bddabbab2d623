/* vmap over an axis that is spread over processes: each example is a group, the work of one
 * process at a time.
 *
 * Groups never share an op, since two processes could not share its bits.  So what depends on
 * mapped values is the body of a scan over the groups, without carries and marked `spread`.
 * Between such scans lie only collectives, and loops and conds which hold some.  A value has as
 * level the number of these that it waits for; the nodes of one level are one scan, and the
 * collectives of the level act on the stacked results by their rules of vmap.
 *
 * A value that is the same for all groups is computed once, and broadcast where a scan reads
 * it.  The transpose of that broadcast is the sum over the groups, in the order of sums: this
 * is how the cotangent of such a value is defined, as psum of the cotangents of each group.
 * What no operand reaches (constants) is made in the body.  So is what repeats elements of
 * such a value: its transpose sums within each group what the group adds to an element,
 * before the sum over the groups, and a bias is no sum over rows and groups at once.  After
 * all transforms, which give consts another derivative, pass_group_consts makes consts of the
 * broadcasts. */
#include "passes/engine.h"
#include "passes/rules.h"
#include "passes/rules/flow.h"

typedef struct group_walk {
    ir_build *b;
    const ir_graph *f;
    int64_t size;
    ir_ref *at;   /* by value of f: its new value */
    ir_ref *wide; /* by value of f: the same for each group, where a scan reads it */
    bool *mapped; /* by value of f: is its first axis that of the groups? */
    bool *fixed;  /* by value of f: no operand reaches it */
    bool *repeats; /* by value of f: it holds elements of an operand more than once */
    int *level;   /* by value of f: the collectives on its longest path */
    int last;     /* the highest level */
} group_walk;

static bool
is_collective(const group_walk *w, const ir_node *n)
{
    return ir_ops[n->op].flag == IR_COLLECTIVE && pass_axis_bound(w->f, n);
}

/* Do groups meet within n?  A loop whose steps have collectives is one of groups in each step,
 * and a branch that has some is made for all groups. */
static bool
may_meet(const ir_node *n)
{
    switch (ir_ops[n->op].record) {
    case IR_AT_scan:
    case IR_AT_loop:
    case IR_AT_cond: return true;
    default: return false;
    }
}

static bool
is_meeting(const group_walk *w, const ir_node *n)
{
    return is_collective(w, n) || (may_meet(n) && pass_axis_bound(w->f, n));
}

static int
level_of(const group_walk *w, const ir_node *n)
{
    int level = 0;

    for (int i = 0; i < n->n_in; i++)
        level = w->level[n->in[i]] > level ? w->level[n->in[i]] : level;
    return level;
}

/* A broadcast, or a view of one. */
static bool
is_repeated(const group_walk *w, const ir_node *n)
{
    switch (ir_ops[n->op].record) {
    case IR_AT_broadcast: return true;
    case IR_AT_perm:
    case IR_AT_shape: return n->n_in == 1 && w->repeats[n->in[0]];
    default: return false;
    }
}

static void
find_levels(group_walk *w)
{
    ir_each_node (n, w->f) {
        const int level = level_of(w, n) + (n->n_in > 0 && is_meeting(w, n));
        bool fixed = ir_ops[n->op].flag != IR_COLLECTIVE && !is_meeting(w, n);

        for (int i = 0; i < n->n_in; i++)
            fixed &= w->fixed[n->in[i]];
        for (int i = 0; i < n->n_out; i++) {
            w->level[n->first + (ir_ref)i] = level;
            w->fixed[n->first + (ir_ref)i] = fixed;
            w->repeats[n->first + (ir_ref)i] = is_repeated(w, n);
        }
        w->last = level > w->last ? level : w->last;
    }
}

/* The body of such a scan over groups. */
static cot_status
map_body(const ir_graph *f, int64_t size, const bool *mapped, bool *out_mapped, ir_graph **out)
{
    ir_build *b = ir_build_like(f, ir_format(f->arena, "%s.groups", f->name));
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);
    bool *is = IR_NEW_N(b->arena, bool, f->n_out + 1);

    b->uncontracted = f->uncontracted;
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        x[i] = ir_input(b, mapped[i] ? ir_type_open(f->ctx, t, 0, size) : t, NULL);
    }
    pass_vmap_groups(b, f, size, x, mapped, y, is);
    for (int j = 0; j < f->n_out; j++) {
        if (out_mapped[j])
            y[j] = pass_map_operand(b, y[j], is[j], size);
        out_mapped[j] |= is[j];
        ir_output(b, y[j]);
    }
    return ir_build_end(b, out);
}

/* The vmap rule of a collective over the groups, or of a loop or a cond that holds some; or a
 * copy of a node that is the same for all. */
static void
outside(group_walk *w, const ir_node *n, bool collective)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1), *y = w->at + n->first;
    bool *mapped = IR_NEW_N(w->b->arena, bool, n->n_in + 1), *out = w->mapped + n->first;

    for (int i = 0; i < n->n_in; i++) {
        in[i] = w->at[n->in[i]];
        mapped[i] = w->mapped[n->in[i]];
    }
    w->b->loc = collective ? ir_loc_derive(w->b->ctx, n->loc, "in vmap") : n->loc;
    if (!collective) {
        ir_copy_node(w->b, n, in, y);
        return;
    }
    for (int i = 0; i < n->n_out; i++)
        out[i] = true;
    switch (ir_ops[n->op].record) {
    case IR_AT_scan: pass_vmap_scan(w->b, n, w->size, in, mapped, map_body, y, out); break;
    case IR_AT_loop:
        pass_vmap_while(w->b, w->f, n, w->size, in, mapped, map_body, y, out);
        break;
    case IR_AT_cond:
        pass_vmap_cond(w->b, w->f, n, w->size, in, mapped, map_body, y, out);
        break;
    default: vmap_rules[n->op](w->b, w->f, n, w->size, in, mapped, y, out);
    }
}

/* One scan: its body, the operands that it slices, and by value of f what the body has. */
typedef struct group_scan {
    ir_build *body;
    ir_ref *in, *inside;
    int n_in;
    bool *own; /* by value of f: it is computed by this scan */
} group_scan;

/* The operands of n in the body. */
static void
take_operands(group_walk *w, group_scan *s, const ir_node *n, ir_ref *x)
{
    for (int i = 0; i < n->n_in; i++) {
        const ir_ref v = n->in[i];

        if (!s->inside[v] && (w->fixed[v] || (w->repeats[v] && !w->mapped[v]))) {
            const ir_node *def = ir_def(w->f, v);
            ir_ref *y = IR_NEW_N(w->b->arena, ir_ref, def->n_in + 1);
            take_operands(w, s, def, y);
            s->body->loc = def->loc;
            ir_copy_node(s->body, def, y, s->inside + def->first);
        } else if (!s->inside[v]) {
            s->inside[v] = ir_input(s->body, ir_type_at(w->f, v), NULL);
            if (!w->wide[v])
                w->wide[v] = pass_map_operand(w->b, w->at[v], w->mapped[v], w->size);
            s->in[s->n_in++] = w->wide[v];
        }
        x[i] = s->inside[v];
    }
}

/* Is v of use outside of the scan that computes it? */
static void
find_users(const group_walk *w, const group_scan *s, bool *used)
{
    ir_each_node (n, w->f)
        if (n->n_out == 0 || !s->own[n->first])
            for (int i = 0; i < n->n_in; i++)
                used[n->in[i]] = true;
    for (int j = 0; j < w->f->n_out; j++)
        used[w->f->out[j]] = true;
}

static void
add_scan(group_walk *w, group_scan *s)
{
    bool *used = IR_NEW_N(w->b->arena, bool, w->f->n_values);
    ir_ref *to = IR_NEW_N(w->b->arena, ir_ref, w->f->n_values),
           *y = IR_NEW_N(w->b->arena, ir_ref, w->f->n_values);
    int n = 0;

    find_users(w, s, used);
    for (uint32_t v = 1; v < w->f->n_values; v++)
        if (s->own[v] && used[v]) {
            ir_output(s->body, s->inside[v]);
            to[n++] = v;
        }
    ir_graph *body = pass_flow_end(w->b, s->body, NULL);
    if (n == 0 || !body)
        return;
    ir_add_node(w->b, OP_scan, s->n_in, s->in,
                &(ir_attrs){ .scan = { .length = w->size,
                                       .body = body,
                                       .spread = true,
                                       .spread_axis = w->b->ctx->spread_axis } },
                y);
    for (int k = 0; k < n; k++)
        w->at[to[k]] = y[k];
}

/* The mapped nodes of a level, as one scan. */
static void
scan_level(group_walk *w, int level)
{
    ir_arena *a = w->b->arena;
    group_scan s = { .body = pass_flow_begin(w->b, ir_format(a, "%s.group", w->f->name)),
                     .in = IR_NEW_N(a, ir_ref, w->f->n_values),
                     .inside = IR_NEW_N(a, ir_ref, w->f->n_values),
                     .own = IR_NEW_N(a, bool, w->f->n_values) };
    bool any = false;

    s.body->uncontracted = w->f->uncontracted;
    ir_each_node (n, w->f) {
        if (n->n_out == 0 || w->level[n->first] != level || !w->mapped[n->first] ||
            is_meeting(w, n))
            continue;
        ir_ref *x = IR_NEW_N(a, ir_ref, n->n_in + 1);
        take_operands(w, &s, n, x);
        s.body->loc = n->loc;
        ir_copy_node(s.body, n, x, s.inside + n->first);
        for (int i = 0; i < n->n_out; i++)
            s.own[n->first + (ir_ref)i] = true;
        any = true;
    }
    if (any)
        add_scan(w, &s);
    else
        pass_flow_end(w->b, s.body, NULL);
}

static void
walk_level(group_walk *w, int level)
{
    ir_each_node (n, w->f) {
        bool any = false;

        if (n->n_out == 0 || w->level[n->first] != level)
            continue;
        for (int i = 0; i < n->n_in; i++)
            any |= w->mapped[n->in[i]];
        if (!any || is_meeting(w, n))
            outside(w, n, is_meeting(w, n));
        else
            for (int i = 0; i < n->n_out; i++)
                w->mapped[n->first + (ir_ref)i] = true;
    }
    scan_level(w, level);
}

/* What a group may not hold: effects, whose order no two processes share, and collectives
 * within solvers and custom functions. */
static bool
fits(ir_build *b, const ir_graph *f)
{
    ir_each_node (n, f) {
        b->loc = n->loc;
        if (ir_effectful(n)) {
            ir_build_fail(b, ir_ops[n->op].name, ERR_over_effect);
            return false;
        }
        if (ir_ops[n->op].flag != IR_COLLECTIVE && !may_meet(n) && pass_axis_bound(f, n)) {
            ir_build_fail(b, ir_ops[n->op].name, ERR_over_inside);
            return false;
        }
    }
    return true;
}

const char *
pass_over_wrong(ir_arena *a, const pass_vmap_options *o)
{
    if (o->chunk < 0)
        return ir_format(a, "chunk is %lld; wants 1 or more", (long long)o->chunk);
    if (o->over && strcmp(o->over, "world") != 0)
        return ir_format(a, "over is `%s`; wants world", o->over);
    return o->over && o->chunk > 0 ? "has chunk and over; wants one of them" : NULL;
}

/* Collectives of functions that f calls are nodes of f. */
void
pass_vmap_groups(ir_build *b, const ir_graph *called, int64_t size, const ir_ref *x,
                 const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_arena *a = b->arena;
    const ir_loc loc = b->loc;
    ir_graph *f = (ir_graph *)called;
    if (called->collective && !pass_flow_ok(b, pass_inline(called, &f)))
        return;
    group_walk w = { .b = b,
                     .f = f,
                     .size = size,
                     .at = IR_NEW_N(a, ir_ref, f->n_values),
                     .wide = IR_NEW_N(a, ir_ref, f->n_values),
                     .mapped = IR_NEW_N(a, bool, f->n_values),
                     .fixed = IR_NEW_N(a, bool, f->n_values),
                     .repeats = IR_NEW_N(a, bool, f->n_values),
                     .level = IR_NEW_N(a, int, f->n_values) };

    if (!fits(b, f))
        return;
    for (int i = 0; i < f->n_in; i++) {
        w.at[f->in[i]] = x[i];
        w.mapped[f->in[i]] = mapped[i];
    }
    find_levels(&w);
    for (int level = 0; level <= w.last && b->status == COT_OK; level++)
        walk_level(&w, level);
    b->loc = loc;
    for (int i = 0; i < f->n_out; i++) {
        y[i] = w.at[f->out[i]];
        out_mapped[i] = w.mapped[f->out[i]];
    }
}

ir_ref
pass_same_along(ir_build *b, ir_ref x, int axis)
{
    const ir_node *n = x ? ir_bdef(b, x) : NULL;
    const ir_type *t = n ? ir_btype(b, x) : NULL,
                  *part = n ? ir_type_close(b->ctx, t, axis) : NULL;
    int64_t dims[COT_MAX_RANK];
    double splat;

    if (n && ir_ops[n->op].record == IR_AT_constant &&
        ir_data_number(&n->at->constant.data, &splat))
        return ir_splat(b, part, splat);
    if (!n || ir_ops[n->op].record != IR_AT_broadcast ||
        ir_ints_has(n->at->broadcast.dims, axis))
        return IR_NONE;
    for (int i = 0; i < n->at->broadcast.dims.n; i++)
        dims[i] = n->at->broadcast.dims.at[i] - (n->at->broadcast.dims.at[i] > axis);
    return ir_broadcast_in_dim(b, n->in[0], part->rank, part->dims, dims);
}

/* Operands of the scan n that are the same for all groups become consts; false: none is. */
static bool
group_consts(ir_build *b, const ir_node *n, const ir_ref *in, ir_attrs *at, ir_ref *x)
{
    const int consts = (int)at->scan.consts;
    flow_port *port = IR_NEW_N(b->arena, flow_port, n->n_in + 1);
    bool *sliced = IR_NEW_N(b->arena, bool, n->n_in + 1);
    int k = 0;

    for (int i = 0; i < n->n_in; i++) {
        const ir_ref one = i < consts ? in[i] : pass_same_along(b, in[i], 0);
        sliced[i] = !one;
        if (!one)
            continue;
        x[k] = one;
        port[k++] = (flow_port){ i, NULL };
    }
    if (k == consts)
        return false;
    at->scan.consts = k;
    for (int i = 0; i < n->n_in; i++)
        if (sliced[i]) {
            x[k] = in[i];
            port[k++] = (flow_port){ i, NULL };
        }
    at->scan.body = pass_flow_permute(b, at->scan.body, k, port, n->n_out, NULL);
    return true;
}

static void
visit(ir_build *b, const ir_graph *f, const ir_node *n, const ir_ref *env, const ir_ref *in,
      ir_ref *out)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    ir_attrs at;

    (void)f, (void)env;
    if (ir_ops[n->op].flag != IR_FLOW) {
        ir_copy_node(b, n, in, out);
        return;
    }
    const cot_status status = pass_rewrite_subs(b, n, pass_group_consts, &at);
    if (status != COT_OK) {
        b->status = status;
        return;
    }
    if (ir_is_spread(n) && group_consts(b, n, in, &at, x))
        in = x;
    ir_add_node(b, (ir_op)n->op, n->n_in, in, &at, out);
}

int64_t
pass_spread_axes(const ir_graph *f)
{
    const ir_graph *const *all;
    const uint32_t graphs = f->loops ? ir_all_graphs(f, true, &all, f->arena) : 0;
    int64_t axes = 0;

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (n, all[i])
            if (ir_is_spread(n) && n->at->scan.spread_axis >= axes)
                axes = n->at->scan.spread_axis + 1;
    return axes;
}

bool
pass_has_groups(const ir_graph *f)
{
    return pass_spread_axes(f) > 0;
}

cot_status
pass_group_consts(const ir_graph *f, ir_graph **out)
{
    return pass_rewrite(f, "groups", visit, out);
}
