/* Copies of graphs whose nodes have locations of their own: see follow.h.
 *
 * A copy shares everything with its original but nodes, and attributes that name
 * sub-functions.  The graphs below f are copied each once, users before what they use, so that
 * a node without a location that leads to a mark, as in a rule that a pass has traced, gets
 * that of the node that holds its graph. */
#include "ir/follow.h"

#include "ir/build.h"

typedef struct follow_copies {
    cot_context *ctx;
    ir_arena *arena;
    ir_graph **at;
    ir_loc *around; /* by graph: the location of the first node that holds it */
    uint32_t n;
    ir_map find; /* by the address of the original: its number, from 1 on */
    const ir_graph **from;
} follow_copies;

static uint64_t
hash_of(const ir_graph *f)
{
    return ir_hash_u64(0, (uint64_t)(uintptr_t)f);
}

/* A graph and a copy of it, which a pass may have used beside each other, are one: passes ask
 * whether two nodes hold the same graph. */
static const ir_graph *
original(const ir_graph *f)
{
    return f->original ? f->original : f;
}

void
ir_follow_begin(ir_follow *follow, cot_context *ctx, ir_arena *arena)
{
    ir_map_init(&follow->lists, arena);
    ctx->follow = follow;
}

struct pass_made **
ir_follow_made(ir_follow *follow, const ir_graph *f)
{
    uint32_t at = 0, id;

    f = original(f);
    while ((id = ir_map_next(&follow->lists, hash_of(f), &at)))
        if (follow->list[id - 1].original == f)
            return &follow->list[id - 1].made;
    IR_PUSH(follow->lists.arena, follow->list, follow->n_lists, follow->cap_lists,
            ((struct ir_follow_list){ f, NULL }));
    ir_map_add(&follow->lists, hash_of(f), follow->n_lists);
    return &follow->list[follow->n_lists - 1].made;
}

/* The number of the copy of f, from 1 on; 0: there is none yet. */
static uint32_t
number_of(const follow_copies *c, const ir_graph *f)
{
    uint32_t at = 0, id;

    while ((id = ir_map_next(&c->find, hash_of(original(f)), &at)) &&
           c->at[id - 1]->original != original(f))
        ;
    return id;
}

/* The copy of f, for a node at loc. */
static ir_graph *
copy_of(follow_copies *c, const ir_graph *f, ir_loc loc)
{
    const uint32_t id = number_of(c, f);

    if (!c->around[id - 1])
        c->around[id - 1] = loc;
    return c->at[id - 1];
}

static void
copy_subs(follow_copies *c, const ir_node *n, ir_loc loc, ir_attrs *at)
{
    int fields;
    const ir_field *field = ir_record_fields(ir_ops[n->op].record, &fields);

    for (int i = 0; i < fields; i++) {
        char *p = (char *)at + field[i].offset;

        if (field[i].kind == IR_F_GRAPH) {
            ir_graph **g = (ir_graph **)p;
            *g = copy_of(c, *g, loc);
        } else if (field[i].kind == IR_F_GRAPHS) {
            ir_graphs *s = (ir_graphs *)p;
            ir_graph **list = IR_NEW_N(c->arena, ir_graph *, s->n + 1);
            for (int j = 0; j < s->n; j++)
                list[j] = copy_of(c, s->at[j], loc);
            s->at = list;
        }
    }
}

/* The location of a node or input that has `loc`, in a graph that a node at `around` holds. */
static ir_loc
marked(follow_copies *c, ir_loc loc, ir_loc around, uint32_t mark)
{
    if (!ir_loc_is_marked(c->ctx, loc) && ir_loc_is_marked(c->ctx, around))
        loc = ir_loc_join(c->ctx, loc, around);
    return ir_loc_mark(c->ctx, loc, mark);
}

/* Nodes of the copy keep the location without its mark until their sub-functions have it. */
static void
copy_graph(follow_copies *c, uint32_t i, uint32_t *next)
{
    const ir_graph *f = c->from[i];
    const ir_loc around = c->around[i];
    ir_node *node = ir_copy_bytes(c->arena, f->node, sizeof *node * f->n_nodes);
    ir_loc *in = IR_NEW_N(c->arena, ir_loc, f->n_in + 1);

    for (int k = 0; k < f->n_in; k++)
        in[k] = marked(c, ir_value_loc(f, f->in[k]), around, (*next)++);
    for (uint32_t k = 1; k < f->n_nodes; k++) {
        ir_node *n = &node[k];

        if (ir_runs_bodies(n->op)) {
            ir_attrs at = ir_node_attrs(n);
            copy_subs(c, n, ir_loc_is_marked(c->ctx, n->loc) ? n->loc : around, &at);
            n->at = ir_attrs_keep(c->arena, ir_ops[n->op].record, &at);
        }
        n->loc = marked(c, n->loc, around, (*next)++);
    }
    c->at[i]->node = node;
    c->at[i]->in_loc = in;
}

static void
add_copy(follow_copies *c, const ir_graph *f)
{
    ir_graph *g = ir_copy_bytes(c->arena, f, sizeof *f);

    g->arena = c->arena;
    g->original = original(f);
    c->from[c->n] = f;
    c->at[c->n++] = g;
    ir_map_add(&c->find, hash_of(g->original), c->n);
}

uint32_t
ir_follow_mark(const ir_graph *f, uint32_t *next, ir_graph *const **all)
{
    follow_copies c = { .ctx = f->ctx, .arena = ir_arena_take(f->ctx) };
    const ir_graph *const *graph;
    const uint32_t graphs = ir_all_graphs(f, false, &graph, c.arena);

    c.from = IR_NEW_N(c.arena, const ir_graph *, graphs);
    c.at = IR_NEW_N(c.arena, ir_graph *, graphs);
    c.around = IR_NEW_N(c.arena, ir_loc, graphs);
    ir_map_init(&c.find, c.arena);
    for (uint32_t i = 0; i < graphs; i++)
        if (!number_of(&c, graph[i]))
            add_copy(&c, graph[i]);
    for (uint32_t i = 0; i < c.n; i++)
        copy_graph(&c, i, next);
    ir_arena_keep(c.arena);
    *all = c.at;
    return c.n;
}
