/* pass_own: the order of what one process runs, by which what is ready is sent first.
 *
 * Moves of rows and sums of which each process wants all are two calls of C code: one sends
 * what the process has, the other waits for what the others have.  A value waits for those on
 * its longest path.  Nodes run in the order of how many these are, their level.  In a level
 * each message is begun behind what it needs, the rest of the level follows, and then the
 * messages are waited for.  So they are on their way while the process computes what does not
 * wait for them.
 *
 * Short sums of a level go in the messages of one.  A long one goes alone, and in one call:
 * its message takes longer than what a copy into one with others, or a begin, saves.  Calls of
 * C code and other effects keep their order among each other, and stay before the messages that
 * they are before.
 *
 * The order of messages is found from the sums and moves, and the types of their results, which
 * are the same on all processes. */
#include "passes/own.h"

/* Bytes of the result of a short sum, and of one whose messages are the same in one call as in
 * two. */
enum { SHORT = 1 << 15, TINY = 1 << 8 };

/* What is sent together: short sums, or one sum or move. */
typedef struct own_message {
    const ir_node *of[PASS_MAX_REDUCED];
    int n;
    bool halves; /* it is two calls */
    ir_ref room; /* of the call, between its halves */
} own_message;

/* The messages of a level, which are numbered in the order of their last sums. */
typedef struct own_level {
    own_message *message;
    int n;
    uint32_t *first; /* by message, and behind them: nodes that it needs first, as a list */
} own_level;

typedef struct own_ordering {
    const ir_graph *f;
    const pass_world *world;
    ir_build *b;
    ir_ref *env;
    int *node;           /* by node: its level */
    int *value;          /* by value of f: what it waits for */
    int last;            /* the last level */
    uint32_t *at, *from; /* nodes by level, at[from[level]] and so on */
    int *need;           /* by node: the message that needs it first */
    uint32_t *next;      /* by node: the next of its list */
} own_ordering;

static bool
is_call(const ir_node *n, const char *name)
{
    return ir_ops[n->op].record == IR_AT_custom && strcmp(n->at->custom.name, name) == 0;
}

static bool
is_sum(const ir_node *n)
{
    return is_call(n, PASS_WORLD_REDUCE) && n->at->custom.attrs.at[3] < 0 &&
           n->at->custom.attrs.at[6] > 0;
}

/* Bytes of the result of a sum: of all of it, since processes of two columns may have other
 * parts, and send in one order. */
static int64_t
bytes_of(const ir_node *n)
{
    const int64_t *a = n->at->custom.attrs.at;

    return a[6] * (int64_t)cot_dtype_size((cot_dtype)a[4]);
}

static int64_t
owners_of(const ir_node *n)
{
    return n->at->custom.attrs.at[0];
}

static bool
is_short_sum(const ir_node *n)
{
    return is_sum(n) && bytes_of(n) <= SHORT;
}

static bool
is_sent(const ir_node *n)
{
    return is_sum(n) || is_call(n, PASS_WORLD_MOVE);
}

static void
find_levels(own_ordering *w)
{
    int effects = 0;

    for (uint32_t i = 1; i < w->f->n_nodes; i++) {
        const ir_node *n = &w->f->node[i];
        const bool sent = is_sent(n), effect = !sent && ir_effectful(n);
        int level = effect ? effects : 0;
        for (int k = 0; k < n->n_in; k++)
            level = w->value[n->in[k]] > level ? w->value[n->in[k]] : level;
        effects = effect ? level : effects;
        w->node[i] = level;
        for (int j = 0; j < n->n_out; j++)
            w->value[n->first + (ir_ref)j] = level + sent;
        w->last = level > w->last ? level : w->last;
    }
}

/* Nodes by level, each in their order. */
static void
sort_levels(own_ordering *w)
{
    const uint32_t n = w->f->n_nodes;
    uint32_t *to = IR_NEW_N(w->b->arena, uint32_t, w->last + 2);

    w->at = IR_NEW_N(w->b->arena, uint32_t, n + 1);
    w->from = IR_NEW_N(w->b->arena, uint32_t, w->last + 2);
    for (uint32_t i = 1; i < n; i++)
        w->from[w->node[i] + 1]++;
    for (int level = 0; level <= w->last; level++)
        w->from[level + 1] += w->from[level];
    memcpy(to, w->from, sizeof *to * (size_t)(w->last + 1));
    for (uint32_t i = 1; i < n; i++)
        w->at[to[w->node[i]]++] = i;
}

static void
add_message(own_ordering *w, own_level *l, const own_message *m)
{
    for (int i = 0; i < m->n; i++)
        w->need[m->of[i] - w->f->node] = l->n;
    l->message[l->n++] = *m;
}

/* open: short sums that are not in a message yet, by who shares their groups. */
static void
add_to(own_ordering *w, own_level *l, own_message *open, const ir_node *n)
{
    own_message *m = open;

    if (!is_short_sum(n)) {
        add_message(w, l, &(own_message){ .of = { n }, .n = 1 });
        return;
    }
    while (m->n && owners_of(m->of[0]) != owners_of(n))
        m++;
    m->of[m->n++] = n;
    if (m->n < PASS_MAX_REDUCED)
        return;
    add_message(w, l, m);
    for (own_message *last = open + PASS_AMONGS; m < last; m++)
        *m = m[1];
}

/* The messages of the nodes from[level] and so on. */
static own_level
messages_of(own_ordering *w, int level)
{
    own_message open[PASS_AMONGS + 1] = { { .n = 0 } };
    own_level l = { .n = 0 };
    int sent = 0;

    for (uint32_t k = w->from[level]; k < w->from[level + 1]; k++)
        sent += is_sent(&w->f->node[w->at[k]]);
    l.message = IR_NEW_N(w->b->arena, own_message, sent + 1);
    for (uint32_t k = w->from[level]; k < w->from[level + 1]; k++)
        if (is_sent(&w->f->node[w->at[k]]))
            add_to(w, &l, open, &w->f->node[w->at[k]]);
    for (const own_message *m = open; m->n; m++)
        add_message(w, &l, m);
    l.first = IR_NEW_N(w->b->arena, uint32_t, l.n + 1);
    return l;
}

static int
least(int x, int y)
{
    return x < y ? x : y;
}

/* Which message needs a node first, directly or by another node; l->n: none.  Nodes go to the
 * list of it. */
static void
find_needs(own_ordering *w, own_level *l, int level)
{
    int effects = l->n;

    for (uint32_t k = w->from[level]; k < w->from[level + 1]; k++)
        if (!is_sent(&w->f->node[w->at[k]]))
            w->need[w->at[k]] = l->n;
    for (uint32_t k = w->from[level + 1]; k-- > w->from[level];) {
        const uint32_t i = w->at[k];
        const ir_node *n = &w->f->node[i];
        const bool sent = is_sent(n);
        if (!sent && ir_effectful(n))
            w->need[i] = least(w->need[i], effects);
        if (sent || ir_effectful(n))
            effects = least(effects, w->need[i]);
        for (int j = 0; j < n->n_in; j++) {
            const ir_node *of = ir_def(w->f, n->in[j]);
            const uint32_t d = of ? (uint32_t)(of - w->f->node) : 0;
            if (of && w->node[d] == level)
                w->need[d] = least(w->need[d], w->need[i]);
        }
        if (sent)
            continue;
        w->next[i] = l->first[w->need[i]];
        l->first[w->need[i]] = i;
    }
}

static cot_status order(ir_graph *f, const void *world, ir_graph **out);

static void
copy(own_ordering *w, const ir_node *n)
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
    const cot_status status = pass_replace_subs(w->b, n, order, w->world, &at);
    if (status != COT_OK)
        w->b->status = status;
    else
        ir_add_node(w->b, (ir_op)n->op, n->n_in, in, &at, w->env + n->first);
}

/* Does what message k and those before it need not have work that is worth a further call? */
static bool
has_work(const own_ordering *w, const own_level *l, int k)
{
    while (++k <= l->n)
        for (uint32_t i = l->first[k]; i; i = w->next[i])
            if (ir_ops[w->f->node[i].op].flag == IR_FLOW ||
                ir_ops[w->f->node[i].op].flag == IR_CONTRACT)
                return true;
    return false;
}

/* Is message k two calls?  A long sum is one, which divides it and sends it from where it is;
 * what is begun is copied.  Which work there is beside a message may differ between processes,
 * since some have no groups, and so it only decides where it changes no message. */
static bool
has_halves(const own_ordering *w, const own_level *l, int k)
{
    const own_message *m = &l->message[k];
    const ir_node *n = m->of[0];

    if (m->n > 1 || !is_sum(n))
        return true;
    if ((!w->world->starts && !w->world->any) || !is_short_sum(n))
        return false;
    return l->n > 1 || (bytes_of(n) <= TINY && has_work(w, l, k));
}

/* What both halves of the call have: their numbers, operands, and the first result. */
static ir_ints
numbers_of(const own_ordering *w, const own_message *m)
{
    if (!is_sum(m->of[0]))
        return m->of[0]->at->custom.attrs;
    int64_t *attrs = IR_NEW_N(w->b->arena, int64_t, PASS_REDUCE_TABLE + 4 * m->n);
    attrs[0] = m->of[0]->at->custom.attrs.at[0];
    attrs[1] = m->n;
    for (int i = 0; i < m->n; i++) {
        const int64_t *a = m->of[i]->at->custom.attrs.at, each[4] = { a[1], a[2], a[4], a[5] };
        memcpy(attrs + PASS_REDUCE_TABLE + 4 * i, each, sizeof each);
    }
    return (ir_ints){ PASS_REDUCE_TABLE + 4 * m->n, attrs };
}

static void
start(own_ordering *w, own_message *m)
{
    const char *name = is_sum(m->of[0]) ? PASS_WORLD_START_SUMS : PASS_WORLD_START_MOVE;
    const ir_ints attrs = numbers_of(w, m);
    ir_ref in[PASS_MAX_REDUCED];

    if (!m->halves)
        return;
    for (int i = 0; i < m->n; i++)
        in[i] = w->env[m->of[i]->in[0]];
    const int64_t bytes =
        w->world->any ? 1 : w->world->room(name, attrs.at, w->world->size, w->world->rank) + 1;
    const ir_type *t = ir_type_new(w->b->ctx, COT_U8, 1, &bytes);
    w->b->loc = m->of[0]->loc;
    pass_own_calls(w->b, name, NULL, attrs, m->n, in, 1, &t, &m->room);
}

static void
finish(own_ordering *w, const own_message *m)
{
    const char *name = is_sum(m->of[0]) ? PASS_WORLD_SUMS : PASS_WORLD_MOVE;
    const ir_type *t[PASS_MAX_REDUCED];
    ir_ref in[PASS_MAX_REDUCED + 1], y[PASS_MAX_REDUCED] = { IR_NONE };

    if (!m->halves) {
        copy(w, m->of[0]);
        return;
    }
    for (int i = 0; i < m->n; i++) {
        in[i] = w->env[m->of[i]->in[0]];
        t[i] = ir_type_at(w->f, m->of[i]->first);
    }
    in[m->n] = m->room;
    w->b->loc = m->of[0]->loc;
    pass_own_calls(w->b, name, NULL, numbers_of(w, m), m->n + 1, in, m->n, t, y);
    for (int i = 0; i < m->n; i++)
        w->env[m->of[i]->first] = y[i];
}

static void
walk_level(own_ordering *w, int level)
{
    own_level l = messages_of(w, level);

    find_needs(w, &l, level);
    for (int k = 0; k < l.n; k++)
        l.message[k].halves = has_halves(w, &l, k);
    for (int k = 0; k <= l.n; k++) {
        for (uint32_t i = l.first[k]; i && w->b->status == COT_OK; i = w->next[i])
            copy(w, &w->f->node[i]);
        if (k < l.n && w->b->status == COT_OK)
            start(w, &l.message[k]);
    }
    for (int k = 0; k < l.n && w->b->status == COT_OK; k++)
        finish(w, &l.message[k]);
}

static cot_status
order(ir_graph *f, const void *world, ir_graph **out)
{
    return pass_own_order(f, world, out);
}

cot_status
pass_own_order(const ir_graph *f, const pass_world *world, ir_graph **out)
{
    own_ordering w = { .f = f, .world = world, .b = ir_build_like(f, f->name) };

    w.b->uncontracted = f->uncontracted;
    w.b->guarded = f->guarded;
    w.b->contracted = f->contracted;
    w.env = IR_NEW_N(w.b->arena, ir_ref, f->n_values);
    w.value = IR_NEW_N(w.b->arena, int, f->n_values);
    w.node = IR_NEW_N(w.b->arena, int, f->n_nodes + 1);
    w.need = IR_NEW_N(w.b->arena, int, f->n_nodes + 1);
    w.next = IR_NEW_N(w.b->arena, uint32_t, f->n_nodes + 1);
    for (int i = 0; i < f->n_in; i++)
        w.env[f->in[i]] = ir_input_like(w.b, f, f->in[i], "");
    find_levels(&w);
    sort_levels(&w);
    for (int level = 0; level <= w.last && w.b->status == COT_OK; level++)
        walk_level(&w, level);
    for (int j = 0; j < f->n_out; j++)
        pass_output(w.b, f, j, w.env[f->out[j]], "");
    return pass_end(w.b, "own", out);
}
