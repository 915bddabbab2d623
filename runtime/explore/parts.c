/* Stages that are too large for one drawing, in parts: runs of values that follow each other,
 * of at most PART_MOST.
 *
 * Small bodies of calls and loops share a part.  A larger graph is cut where the fewest values
 * are used behind the cut, of the places in the second half of a part: there a program has its
 * layers.  Parts are numbered through all stages, those of a stage in order, and a value of a
 * stage is in one part. */
#include "runtime/explore/parts.h"

enum { PART_MOST = 100 };

static uint32_t
count_values(const ir_graph *f)
{
    return (uint32_t)f->n_in + f->n_nodes - 1;
}

static void
add_part(rt_parts *p, ir_arena *a, uint32_t stage, uint32_t first, uint32_t end)
{
    if (first < end)
        IR_PUSH(a, p->part, p->n, p->cap, ((rt_part){ stage, first, end - 1 }));
}

/* By value of graph g, from 0 on: how many values up to it are used behind it. */
static int32_t *
count_crossing(const rt_exploring *x, uint32_t g)
{
    const ir_graph *f = x->graph[g];
    const uint32_t n = count_values(f), first = x->input[g];
    uint32_t *last = IR_NEW_N(x->arena, uint32_t, n + 1);
    int32_t *crossing = IR_NEW_N(x->arena, int32_t, n + 1), now = 0;

    ir_each_node (node, f)
        for (int i = 0; i < node->n_in; i++)
            last[rt_explore_definer(x, g, node->in[i]) - first] =
                rt_explore_node(x, g, node) - first;
    for (uint32_t i = 0; i < n; i++)
        if (last[i] > i) {
            crossing[i]++;
            crossing[last[i]]--;
        }
    for (uint32_t i = 0; i < n; i++)
        crossing[i] = now += crossing[i];
    return crossing;
}

static void
cut_graph(rt_parts *p, const rt_exploring *x, uint32_t stage, uint32_t g)
{
    const uint32_t n = count_values(x->graph[g]), first = x->input[g];
    const int32_t *crossing = count_crossing(x, g);
    uint32_t from = 0;

    while (n - from > PART_MOST) {
        uint32_t best = from + PART_MOST - 1;

        for (uint32_t i = best; i >= from + PART_MOST / 2; i--)
            if (crossing[i] < crossing[best])
                best = i;
        add_part(p, x->arena, stage, first + from, first + best + 1);
        from = best + 1;
    }
    add_part(p, x->arena, stage, first + from, first + n);
}

static void
cut_stage(rt_parts *p, const rt_exploring *x, uint32_t stage)
{
    const rt_stage_graphs *s = &x->stage[stage];
    uint32_t from = x->input[s->first], end = from;

    for (uint32_t g = s->first; g < s->first + s->n; g++) {
        const uint32_t n = count_values(x->graph[g]);

        if (end + n - from > PART_MOST) {
            add_part(p, x->arena, stage, from, end);
            from = end;
        }
        end += n;
        if (n > PART_MOST) {
            cut_graph(p, x, stage, g);
            from = end;
        }
    }
    add_part(p, x->arena, stage, from, end);
}

/* Of each value the first user in a later part; and the parts of all values. */
static void
find_relations(rt_parts *p, const rt_exploring *x)
{
    p->of = IR_NEW_N(x->arena, uint32_t, x->next + 1);
    p->later = IR_NEW_N(x->arena, uint32_t, x->next + 1);
    p->drawn_to = IR_NEW_N(x->arena, uint32_t, x->next + 1);
    p->declared = IR_NEW_N(x->arena, const rt_part *, x->next + 1);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t v = p->part[i].first; v <= p->part[i].last; v++)
            p->of[v] = i + 1;
    for (uint32_t g = 0; g < x->n_graphs; g++)
        ir_each_node (node, x->graph[g])
            for (int i = 0; i < node->n_in; i++) {
                const uint32_t from = rt_explore_definer(x, g, node->in[i]),
                               to = rt_explore_node(x, g, node);

                if (p->of[from] != p->of[to] && !p->later[from])
                    p->later[from] = to;
            }
}

/* By part, the graphs whose holders are in it and whose inputs are not. */
static void
find_held(rt_parts *p, const rt_exploring *x)
{
    p->held = IR_NEW_N(x->arena, uint32_t, p->n + 1);
    p->next_held = IR_NEW_N(x->arena, uint32_t, x->n_graphs + 1);
    for (uint32_t g = x->n_graphs; g-- > 0;) {
        const uint32_t part = p->of[x->holder[g]];

        if (!x->holder[g] || !part || part == p->of[x->input[g]])
            continue;
        p->next_held[g] = p->held[part - 1];
        p->held[part - 1] = g + 1;
    }
}

void
rt_explore_cut(const rt_exploring *x, const bool *large, rt_parts *p)
{
    *p = (rt_parts){ 0 };
    for (uint32_t i = 0; i < x->n_stages; i++)
        if (large[i])
            cut_stage(p, x, i);
    find_relations(p, x);
    find_held(p, x);
}
