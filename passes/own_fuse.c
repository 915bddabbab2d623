/* pass_own: sums that are ready at one time go in the messages of one.
 *
 * A value waits for the sums on its longest path.  Nodes run in the order of how many these
 * are, and otherwise in their order; the short sums whose operands wait for as many, such as
 * those of a gradient, are one call between those that wait for it and the others.  A long sum
 * stays a call of its own: its message takes longer than what its copy into one with others
 * saves.  Calls of C code and other effects keep their order among each other.
 *
 * The order is found from the types of results alone, which are the same on all processes. */
#include "passes/own.h"

enum { SHORT = 1 << 15 }; /* bytes of a result */

typedef struct own_fusing {
    const ir_graph *f;
    ir_build *b;
    ir_ref *env;
    int *node;  /* by node: the sums that its operands wait for */
    int *value; /* by value of f: those that it waits for */
    int last;   /* the most */
} own_fusing;

/* Is n a short sum of which each process wants all? */
static bool
is_short_sum(const ir_node *n)
{
    if (ir_ops[n->op].record != IR_AT_custom ||
        strcmp(n->at->custom.name, PASS_WORLD_REDUCE) != 0)
        return false;
    const int64_t *a = n->at->custom.attrs.at;
    return a[3] < 0 && a[5] > 0 && a[5] * (int64_t)cot_dtype_size((cot_dtype)a[4]) <= SHORT;
}

static void
find_levels(own_fusing *w)
{
    int effects = 0;

    for (uint32_t i = 1; i < w->f->n_nodes; i++) {
        const ir_node *n = &w->f->node[i];
        const bool sum = is_short_sum(n), effect = !sum && ir_effectful(n);
        int level = effect ? effects : 0;
        for (int k = 0; k < n->n_in; k++)
            level = w->value[n->in[k]] > level ? w->value[n->in[k]] : level;
        effects = effect ? level : effects;
        w->node[i] = level;
        for (int j = 0; j < n->n_out; j++)
            w->value[n->first + (ir_ref)j] = level + sum;
        w->last = level > w->last ? level : w->last;
    }
}

/* Are two short sums ready at one time? */
static bool
any_pair(const own_fusing *w)
{
    bool *one = IR_NEW_N(w->b->arena, bool, w->last + 1);

    for (uint32_t i = 1; i < w->f->n_nodes; i++) {
        if (!is_short_sum(&w->f->node[i]))
            continue;
        if (one[w->node[i]])
            return true;
        one[w->node[i]] = true;
    }
    return false;
}

static void
copy(own_fusing *w, const ir_node *n)
{
    ir_ref *in = IR_NEW_N(w->b->arena, ir_ref, n->n_in + 1);
    ir_attrs at;

    for (int k = 0; k < n->n_in; k++)
        in[k] = w->env[n->in[k]];
    w->b->loc = n->loc;
    if (ir_ops[n->op].flag != IR_FLOW || ir_ops[n->op].record == IR_AT_custom) {
        ir_copy_node(w->b, n, in, w->env + n->first);
        return;
    }
    const cot_status status = pass_rewrite_subs(w->b, n, pass_own_fuse, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, w->env + n->first);
}

/* What the call returns by its type, for who asks no process. */
static cot_status
forward_of(own_fusing *w, int n, const ir_node *const *sum, ir_graph **out)
{
    ir_build *g = ir_build_new(w->b->ctx, PASS_WORLD_REDUCE_ALL);

    for (int i = 0; i < n; i++)
        ir_input(g, ir_type_at(w->f, sum[i]->in[0]), NULL);
    for (int i = 0; i < n; i++)
        ir_output(g, ir_zeros(g, ir_type_at(w->f, sum[i]->first)));
    return ir_build_end(g, out);
}

static void
fuse(own_fusing *w, int n, const ir_node *const *sum)
{
    int64_t *attrs = IR_NEW_N(w->b->arena, int64_t, PASS_REDUCE_TABLE + 4 * n);
    ir_ref in[PASS_MAX_REDUCED], y[PASS_MAX_REDUCED];
    ir_graph *forward;

    if (n == 1) {
        copy(w, sum[0]);
        return;
    }
    attrs[0] = sum[0]->at->custom.attrs.at[0];
    attrs[1] = n;
    for (int i = 0; i < n; i++) {
        const int64_t *a = sum[i]->at->custom.attrs.at, each[4] = { a[1], a[2], a[4], a[5] };
        memcpy(attrs + PASS_REDUCE_TABLE + 4 * i, each, sizeof each);
        in[i] = w->env[sum[i]->in[0]];
    }
    const cot_status status = forward_of(w, n, sum, &forward);
    if (status != COT_OK) {
        w->b->status = status;
        return;
    }
    w->b->loc = sum[0]->loc;
    ir_add_node(w->b, OP_custom_call, n, in,
                &(ir_attrs){ .custom = { .name = ir_intern(w->b->ctx, PASS_WORLD_REDUCE_ALL),
                                         .attrs = { PASS_REDUCE_TABLE + 4 * n, attrs },
                                         .effects = true,
                                         .opaque = true,
                                         .forward = forward } },
                y);
    for (int i = 0; i < n; i++)
        w->env[sum[i]->first] = y[i];
}

/* The nodes that wait for so many sums, then the sums of these. */
static void
walk_level(own_fusing *w, int level, bool fuses)
{
    const ir_node *sum[PASS_MAX_REDUCED];
    int n = 0;

    for (uint32_t i = 1; i < w->f->n_nodes && w->b->status == COT_OK; i++)
        if (!fuses || (w->node[i] == level && !is_short_sum(&w->f->node[i])))
            copy(w, &w->f->node[i]);
    for (uint32_t i = 1; fuses && i < w->f->n_nodes && w->b->status == COT_OK; i++) {
        if (w->node[i] != level || !is_short_sum(&w->f->node[i]))
            continue;
        sum[n++] = &w->f->node[i];
        if (n == PASS_MAX_REDUCED) {
            fuse(w, n, sum);
            n = 0;
        }
    }
    if (n > 0 && w->b->status == COT_OK)
        fuse(w, n, sum);
}

cot_status
pass_own_fuse(const ir_graph *f, ir_graph **out)
{
    own_fusing w = { .f = f, .b = ir_build_like(f, f->name) };

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.env = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    w.value = IR_NEW_N(w.b->arena, int, f->n_values);
    w.node = IR_NEW_N(w.b->arena, int, f->n_nodes + 1);
    for (int i = 0; i < f->n_in; i++)
        w.env[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    find_levels(&w);
    const bool fuses = any_pair(&w);
    for (int level = 0; level <= (fuses ? w.last : 0); level++)
        walk_level(&w, level, fuses);
    for (int j = 0; j < f->n_out; j++)
        pass_output(w.b, f, j, w.env[f->out[j]], "");
    return pass_end(w.b, "own", out);
}
