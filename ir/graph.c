/* Walking graphs: sub-functions, equality, uses. */
#include "ir/graph.h"

int
ir_same_branch(const ir_graphs *s, int k)
{
    if (k > 0 && s->at[k] == s->at[0])
        return 0;
    return k > 0 && s->at[k] == s->at[k - 1] ? k - 1 : -1;
}

int
ir_subgraphs(const ir_node *n, ir_graph *const **out, ir_arena *scratch)
{
    int fields, count = 0;
    const ir_field *f = ir_record_fields(ir_ops[n->op].record, &fields);
    ir_graph **list = NULL;
    uint32_t cap = 0, used = 0;
    for (int i = 0; i < fields; i++) {
        const void *p = (const char *)n->at + f[i].offset;
        if (f[i].kind == IR_F_GRAPH) {
            IR_PUSH(scratch, list, used, cap, *(ir_graph *const *)p);
        } else if (f[i].kind == IR_F_GRAPHS) {
            const ir_graphs *s = p;
            for (int j = 0; j < s->n; j++)
                if (ir_same_branch(s, j) < 0)
                    IR_PUSH(scratch, list, used, cap, s->at[j]);
        }
    }
    count = (int)used;
    *out = list;
    return count;
}

bool
ir_custom_differs(const ir_node *n, int j)
{
    const ir_graph *f = n->at->custom.forward;
    return ir_is_floating(f, f->out[j]) && !ir_ints_has(n->at->custom.nondiff, j);
}

int
ir_custom_tangents(const ir_attrs *at)
{
    const ir_node n = { .at = at };
    int count = 0;
    for (int j = 0; at->custom.forward && j < at->custom.forward->n_out; j++)
        count += ir_custom_differs(&n, j);
    return count;
}

ir_loop
ir_loop_of(const ir_node *n)
{
    const ir_attrs *at = n->at;

    if (!ir_ops[n->op].loop)
        return (ir_loop){ 0 };
    if (ir_ops[n->op].record == IR_AT_scan)
        return (ir_loop){ at->scan.body, NULL, (int)at->scan.consts, (int)at->scan.carries };
    return (ir_loop){ at->loop.body, at->loop.cond, (int)at->loop.consts,
                      n->n_in - (int)at->loop.consts };
}

typedef struct graph_set {
    ir_map seen;
    const ir_graph **at;
    uint32_t n, cap;
} graph_set;

static void
add_graph(graph_set *s, const ir_graph *f, ir_arena *a)
{
    const uint64_t hash = ir_hash_u64(0, (uint64_t)(uintptr_t)f);
    uint32_t at = 0, id;

    while ((id = ir_map_next(&s->seen, hash, &at)))
        if (s->at[id - 1] == f)
            return;
    IR_PUSH(a, s->at, s->n, s->cap, f);
    ir_map_add(&s->seen, hash, s->n);
}

uint32_t
ir_all_graphs(const ir_graph *f, bool custom, const ir_graph *const **out, ir_arena *scratch)
{
    graph_set s = { 0 };
    ir_graph *const *sub;

    ir_map_init(&s.seen, scratch);
    add_graph(&s, f, scratch);
    for (uint32_t i = 0; i < s.n; i++)
        ir_each_node (n, s.at[i]) {
            if (ir_ops[n->op].flag != IR_FLOW || (!custom && !ir_runs_bodies(n->op)))
                continue;
            for (int k = 0, subs = ir_subgraphs(n, &sub, scratch); k < subs; k++)
                add_graph(&s, sub[k], scratch);
        }
    *out = s.at;
    return s.n;
}

/* Counts of graphs that share sub-functions are exponential; they stop here. */
#define MAX_UNFOLDED ((uint64_t)1 << 62)

static uint64_t
unfolded(uint64_t x, uint64_t y)
{
    return x + y > MAX_UNFOLDED ? MAX_UNFOLDED : x + y;
}

static void
count_unfolded(ir_graph *f, const ir_node *n, int subs, ir_graph *const *sub)
{
    const bool chooses = ir_ops[n->op].record == IR_AT_cond;
    uint64_t runs = 0;

    for (int i = 0; i < subs; i++) {
        f->unfolded = unfolded(f->unfolded, sub[i]->unfolded);
        if (!chooses)
            runs = unfolded(runs, sub[i]->runs);
        else if (sub[i]->runs > runs)
            runs = sub[i]->runs;
    }
    f->runs = unfolded(f->runs, runs);
}

int
ir_nest(const ir_node *n, bool calls, ir_arena *scratch)
{
    const bool inlined = n->op == OP_call && !n->at->call.remat && !calls;
    ir_graph *const *sub;
    int most = 0;

    if (ir_ops[n->op].flag != IR_FLOW)
        return 0;
    for (int i = 0, subs = ir_subgraphs(n, &sub, scratch); i < subs; i++) {
        const int below = calls ? sub[i]->chain : sub[i]->nest;
        most = below > most ? below : most;
    }
    return most + !inlined;
}

void
ir_mark_kinds(ir_graph *f)
{
    f->unfolded = f->runs = f->n_nodes - 1;
    for (ir_ref v = 1; v < f->n_values; v++)
        f->complex |= ir_is_complex(ir_type_at(f, v)->dtype);
    ir_each_node (n, f) {
        ir_graph *const *sub;
        f->mutates |= ir_is_mutation(n->op);
        f->views |= ir_is_alias(n->op);
        f->collective |= ir_ops[n->op].flag == IR_COLLECTIVE;
        f->expands |= ir_ops[n->op].flag == IR_EXPAND;
        f->loops |= ir_ops[n->op].loop;
        f->whiles |= ir_loop_of(n).cond != NULL;
        if (ir_ops[n->op].flag != IR_FLOW)
            continue;
        const int nest = ir_nest(n, false, f->arena), chain = ir_nest(n, true, f->arena);
        f->nest = nest > f->nest ? nest : f->nest;
        f->chain = chain > f->chain ? chain : f->chain;
        const int subs = ir_subgraphs(n, &sub, f->arena);
        count_unfolded(f, n, subs, sub);
        for (int i = 0; i < subs; i++) {
            f->mutates |= sub[i]->mutates;
            f->views |= sub[i]->views;
            f->complex |= sub[i]->complex;
            f->uncontracted |= sub[i]->uncontracted;
            f->guarded |= sub[i]->guarded;
            f->collective |= sub[i]->collective && ir_runs_bodies(n->op);
            f->expands |= sub[i]->expands;
            f->loops |= sub[i]->loops;
            f->whiles |= sub[i]->whiles && ir_runs_bodies(n->op);
        }
    }
}

bool
ir_effectful(const ir_node *n)
{
    int fields;
    const ir_field *f = ir_record_fields(ir_ops[n->op].record, &fields);
    bool yes = ir_ops[n->op].flag == IR_EFFECT;
    for (int i = 0; i < fields && !yes; i++) {
        const void *p = (const char *)n->at + f[i].offset;
        if (f[i].kind == IR_F_FLAG && strcmp(f[i].name, "effects") == 0)
            yes = *(const int *)p != 0;
        else if (f[i].kind == IR_F_GRAPH)
            yes = (*(ir_graph *const *)p)->effectful;
        else if (f[i].kind == IR_F_GRAPHS)
            for (int j = 0; j < ((const ir_graphs *)p)->n; j++)
                yes |= ((const ir_graphs *)p)->at[j]->effectful;
    }
    return yes;
}

typedef struct graph_pair {
    const ir_graph *a, *b;
} graph_pair;

/* Pairs of graphs whose equality is still to be checked.  A pair is kept once, so that graphs
 * shared by both sides are compared once however often they are used, and without recursion. */
struct ir_pairs {
    ir_arena *arena;
    ir_map seen;
    graph_pair *at;
    uint32_t n, cap;
};

void
ir_pairs_add(ir_pairs *p, const ir_graph *a, const ir_graph *b)
{
    const uint64_t hash =
        ir_hash_u64(ir_hash_u64(0, (uint64_t)(uintptr_t)a), (uint64_t)(uintptr_t)b);
    uint32_t at = 0, id;

    if (a == b)
        return;
    while ((id = ir_map_next(&p->seen, hash, &at)))
        if (p->at[id - 1].a == a && p->at[id - 1].b == b)
            return;
    IR_PUSH(p->arena, p->at, p->n, p->cap, ((graph_pair){ a, b }));
    ir_map_add(&p->seen, hash, p->n);
}

static bool
node_equal(const ir_node *x, const ir_node *y, ir_pairs *later)
{
    return x->op == y->op && x->n_in == y->n_in && x->n_out == y->n_out &&
           x->first == y->first &&
           (x->n_in == 0 || memcmp(x->in, y->in, sizeof(ir_ref) * (size_t)x->n_in) == 0) &&
           ir_attrs_equal_but(ir_ops[x->op].record, x->at, y->at, later);
}

static bool
equal_but_pairs(const ir_graph *a, const ir_graph *b, ir_pairs *later)
{
    if (a->hash != b->hash || a->n_nodes != b->n_nodes || a->n_values != b->n_values ||
        a->n_in != b->n_in || a->n_out != b->n_out || a->uncontracted != b->uncontracted ||
        a->guarded != b->guarded)
        return false;
    for (uint32_t v = 1; v < a->n_values; v++) {
        const ir_type *s = a->value[v].type, *t = b->value[v].type;
        if (a->value[v].node != b->value[v].node || s->dtype != t->dtype ||
            !ir_same_shape(s, t))
            return false;
    }
    for (uint32_t i = 1; i < a->n_nodes; i++)
        if (!node_equal(&a->node[i], &b->node[i], later))
            return false;
    for (int i = 0; i < a->n_in; i++)
        if (a->in[i] != b->in[i])
            return false;
    for (int i = 0; i < a->n_out; i++)
        if (a->out[i] != b->out[i])
            return false;
    return true;
}

static bool
all_equal(const ir_graph *a, const ir_graph *b, ir_arena *scratch)
{
    ir_pairs p = { .arena = scratch };
    bool equal = true;

    ir_map_init(&p.seen, scratch);
    ir_pairs_add(&p, a, b);
    for (uint32_t i = 0; i < p.n && equal; i++)
        equal = equal_but_pairs(p.at[i].a, p.at[i].b, &p);
    return equal;
}

bool
ir_graph_equal(const ir_graph *a, const ir_graph *b)
{
    volatile bool equal = false, ended = false;
    ir_arena scratch;

    if (a == b)
        return true;
    if (a->hash != b->hash || a->chain != b->chain)
        return false;
    if (a->chain == 0)
        return equal_but_pairs(a, b, NULL);
    ir_arena_init(&scratch, a->ctx);
    IR_TRY (a->ctx) {
        equal = all_equal(a, b, &scratch);
        ended = true;
    }
    ir_arena_free(&scratch);
    if (!ended)
        ir_out_of_memory(a->ctx);
    return equal;
}

uint32_t *
ir_count_uses(const ir_graph *f, ir_arena *a)
{
    uint32_t *uses = IR_NEW_N(a, uint32_t, f->n_values);
    ir_each_node(n, f)
        for (int i = 0; i < n->n_in; i++)
            uses[n->in[i]]++;
    for (int i = 0; i < f->n_out; i++)
        uses[f->out[i]]++;
    return uses;
}
