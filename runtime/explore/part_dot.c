/* Parts of a large stage, and the overview of its parts, for Graphviz.
 *
 * Nodes have sizes and no text, which the page writes: measuring text and placing labels of
 * edges takes dot most of its time.  An operand that is in another part, or far before its
 * user, is drawn once more beside each user: a long edge costs as much as the nodes that it
 * passes, and says less.  The number of edges and of such nodes is limited, so that each part
 * takes a bounded time. */
#include "runtime/explore/parts.h"

#include <stdlib.h>

enum {
    EDGES_MOST = 400, /* of a part; further operands are one node, "m" */
    FAR_MOST = 200,   /* operands, and users, that are drawn once more */
    NEAR_MOST = 24,   /* values between an operand and its user */
    LETTERS_MOST = 30 /* of a line in a node */
};

typedef struct part_writer {
    ir_buf *b;
    const rt_exploring *x;
    const rt_parts *p;
    const rt_part *part;
    uint32_t edges, far;
    bool more;
} part_writer;

static bool
is_inside(const part_writer *w, uint32_t number)
{
    return w->part->first <= number && number <= w->part->last;
}

static void
begin(ir_buf *b, const char *name, uint32_t number)
{
    ir_buf_printf(b,
                  "digraph %s%u {\n  nslimit=2; nslimit1=2; mclimit=0.5; ranksep=0.35;\n"
                  "  node [shape=box, fixedsize=true, label=\"\"];\n  edge [arrowhead=none];\n",
                  name, number);
}

/* A node's size, for a name and a type of so many letters. */
static void
end_node(ir_buf *b, size_t letters)
{
    const double n = letters < 8 ? 8 : letters < LETTERS_MOST ? (double)letters : LETTERS_MOST;

    ir_buf_printf(b, " [width=%.2f, height=0.42];\n", 0.15 + n / 12);
}

static void
declare(ir_buf *b, char kind, uint32_t number, size_t letters)
{
    ir_buf_printf(b, "  %c%u", kind, number);
    end_node(b, letters);
}

/* Of a node: its op behind the name of its first result. */
static size_t
letters_of(const ir_graph *f, ir_ref v, const ir_node *n)
{
    const char *in = n ? NULL : f->in_name[v - 1];
    const size_t name = n ? strlen(ir_ops[n->op].name) + 9 : in ? strlen(in) + 1 : 6;
    const size_t type = v ? strlen(ir_type_str(f->ctx, ir_type_at(f, v))) : 0;

    return type > name ? type : name;
}

static bool
is_declared(const part_writer *w, uint32_t number)
{
    return w->p->declared[number] == w->part;
}

/* The graph that the value is in. */
static uint32_t
graph_of(const part_writer *w, uint32_t number)
{
    const rt_stage_graphs *s = &w->x->stage[w->part->stage];
    uint32_t lo = s->first, hi = s->first + s->n;

    while (hi - lo > 1) {
        const uint32_t middle = lo + (hi - lo) / 2;

        if (w->x->input[middle] <= number)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static size_t
letters_of_value(const part_writer *w, uint32_t number)
{
    const uint32_t g = graph_of(w, number), at = number - w->x->input[g];
    const ir_graph *f = w->x->graph[g];
    const ir_node *n = at < (uint32_t)f->n_in ? NULL : &f->node[at - (uint32_t)f->n_in + 1];

    return letters_of(f, !n ? f->in[at] : n->n_out ? n->first : 0, n);
}

static void
declare_value(part_writer *w, uint32_t number)
{
    if (is_declared(w, number))
        return;
    w->p->declared[number] = w->part;
    declare(w->b, 'n', number, letters_of_value(w, number));
}

/* An operand; once more, if it is far, as long as there is room for it. */
static void
write_operand(part_writer *w, uint32_t from, uint32_t to)
{
    const bool far = !is_inside(w, from) || to - from > NEAR_MOST;
    uint32_t *drawn_to = w->p->drawn_to;

    if (drawn_to[from] == to)
        return;
    drawn_to[from] = to;
    if (far && w->far < FAR_MOST) {
        w->far++;
        ir_buf_printf(w->b, "  n%u_%u", from, to);
        end_node(w->b, letters_of_value(w, from));
        ir_buf_printf(w->b, "  n%u_%u -> n%u;\n", from, to, to);
    } else if (!far && w->edges < EDGES_MOST) {
        w->edges++;
        ir_buf_printf(w->b, "  n%u -> n%u;\n", from, to);
    } else if (drawn_to[0] != to) {
        drawn_to[0] = to;
        if (!w->more)
            declare(w->b, 'm', 0, 0);
        w->more = true;
        ir_buf_printf(w->b, "  m0 -> n%u;\n", to);
    }
}

/* The values of the part that are in graph g. */
static void
write_values(part_writer *w, uint32_t g)
{
    const ir_graph *f = w->x->graph[g];
    const uint32_t first = w->x->input[g], inputs = (uint32_t)f->n_in;
    const uint32_t end = first + inputs + f->n_nodes - 1;

    for (uint32_t v = first > w->part->first ? first : w->part->first;
         v < end && v <= w->part->last; v++) {
        const ir_node *n = v < first + inputs ? NULL : &f->node[v - first - inputs + 1];

        declare_value(w, v);
        if (!n && is_inside(w, first) && w->x->holder[g])
            ir_buf_printf(w->b, "  h%u -> n%u;\n", g, v);
        for (int i = 0; n && i < n->n_in; i++)
            write_operand(w, rt_explore_definer(w->x, g, n->in[i]), v);
    }
}

static void
write_head(part_writer *w, uint32_t g)
{
    declare(w->b, 'h', g, strlen(w->x->graph[g]->name) + 4);
    if (!w->x->holder[g])
        return;
    declare_value(w, w->x->holder[g]);
    ir_buf_printf(w->b, "  n%u -> h%u;\n", w->x->holder[g], g);
}

/* The first user elsewhere of each value. */
static void
write_users(part_writer *w)
{
    uint32_t far = 0;

    for (uint32_t v = w->part->first; v <= w->part->last && far < FAR_MOST; v++) {
        const uint32_t to = w->p->later[v];

        if (!to)
            continue;
        far += !is_declared(w, to);
        declare_value(w, to);
        ir_buf_printf(w->b, "  n%u -> n%u;\n", v, to);
    }
}

void
rt_part_dot(ir_buf *b, const rt_exploring *x, const rt_parts *p, uint32_t part)
{
    part_writer w = { .b = b, .x = x, .p = p, .part = &p->part[part] };
    const rt_stage_graphs *s = &x->stage[w.part->stage];

    begin(b, "part", part);
    for (uint32_t g = graph_of(&w, w.part->first);
         g < s->first + s->n && x->input[g] <= w.part->last; g++) {
        if (is_inside(&w, x->input[g]) && s->n > 1)
            write_head(&w, g);
        write_values(&w, g);
    }
    for (uint32_t g = p->held[part], n = 0; g && n < FAR_MOST; g = p->next_held[g - 1], n++)
        write_head(&w, g - 1);
    write_users(&w);
    ir_buf_str(b, "}\n");
}

/* -- the overview -- */

typedef struct pair {
    uint32_t from, to, uses;
} pair;

static int
by_ends(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    const int from = (a->from > b->from) - (a->from < b->from);

    return from ? from : (a->to > b->to) - (a->to < b->to);
}

static int
by_uses(const void *x, const void *y)
{
    const pair *a = x, *b = y;
    const int uses = (a->uses < b->uses) - (a->uses > b->uses);

    return uses ? uses : by_ends(x, y);
}

typedef struct overview {
    const rt_exploring *x;
    const rt_parts *p;
    uint32_t first, each;
    pair *pair;
    uint32_t n, cap;
} overview;

static void
add_use(overview *o, uint32_t from, uint32_t to)
{
    const uint32_t before = o->first + 1; /* parts count from 1 on in `of` */
    pair *last = o->n ? &o->pair[o->n - 1] : NULL;

    if (!o->p->of[from] || !o->p->of[to])
        return; /* a body without inputs and nodes */
    const pair use = { (o->p->of[from] - before) / o->each, (o->p->of[to] - before) / o->each,
                       1 };
    if (use.from == use.to)
        return;
    if (last && last->from == use.from && last->to == use.to)
        last->uses++;
    else
        IR_PUSH(o->x->arena, o->pair, o->n, o->cap, use);
}

static void
find_uses(overview *o, const rt_stage_graphs *s)
{
    const rt_exploring *x = o->x;

    for (uint32_t g = s->first; g < s->first + s->n; g++) {
        if (x->holder[g])
            add_use(o, x->holder[g], x->input[g]);
        ir_each_node (n, x->graph[g])
            for (int i = 0; i < n->n_in; i++)
                add_use(o, rt_explore_definer(x, g, n->in[i]), rt_explore_node(x, g, n));
    }
}

/* Equal pairs become one; those of the most uses come first. */
static void
settle(overview *o)
{
    uint32_t n = 0;

    if (o->n == 0)
        return;
    qsort(o->pair, o->n, sizeof *o->pair, by_ends);
    for (uint32_t i = 1; i < o->n; i++)
        if (by_ends(&o->pair[n], &o->pair[i]) == 0)
            o->pair[n].uses += o->pair[i].uses;
        else
            o->pair[++n] = o->pair[i];
    o->n = n + 1;
    qsort(o->pair, o->n, sizeof *o->pair, by_uses);
}

void
rt_overview_dot(ir_buf *b, const rt_exploring *x, const rt_parts *p, uint32_t first, uint32_t n,
                uint32_t each)
{
    overview o = { .x = x, .p = p, .first = first, .each = each };
    const uint32_t nodes = (n + each - 1) / each;

    find_uses(&o, &x->stage[p->part[first].stage]);
    settle(&o);
    begin(b, "parts", first);
    for (uint32_t i = 0; i < nodes; i++)
        declare(b, 'p', p->part[first + i * each].first, LETTERS_MOST);
    for (uint32_t i = 0; i < o.n && i < 2 * nodes; i++)
        ir_buf_printf(b, "  p%u -> p%u;\n", p->part[first + o.pair[i].from * each].first,
                      p->part[first + o.pair[i].to * each].first);
    ir_buf_str(b, "}\n");
}
