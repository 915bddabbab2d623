/* Dependences between groups: a graph of groups, and a topological order that is kept up to
 * date.
 *
 * Only direct dependences are kept, since the set of all groups that a group waits for would
 * take memory quadratic in the program.  Whether one group waits for another is a search that
 * the order bounds: a path between two groups only visits positions between theirs.  A new
 * dependence against the order moves only groups between its two ends (D. Pearce, P. Kelly, A
 * Dynamic Topological Sort Algorithm for Directed Acyclic Graphs, JEA 11, 2006). */
#include "codegen/fuse/deps.h"
#include "codegen/tuning.h"

#include <stdlib.h>

void
cg_deps_init(cg_deps *d, ir_arena *a, ir_arena *scratch)
{
    *d = (cg_deps){ .arena = a, .scratch = scratch };
    IR_PUSH(a, d->dep, d->n_deps, d->cap_deps, (cg_dep){ 0 });
}

void
cg_deps_push(cg_deps *d)
{
    IR_PUSH(d->arena, d->of, d->n, d->cap, ((cg_deps_group){ .position = d->n }));
}

static void
visit(cg_deps *d, uint32_t g)
{
    if (d->of[g].visited == d->search)
        return;
    d->of[g].visited = d->search;
    IR_PUSH(d->arena, d->found, d->n_found, d->cap_found, g);
}

static bool
is_path(cg_deps *d, uint32_t g, uint32_t x, bool direct)
{
    uint32_t steps = 0;

    if (d->of[g].position <= d->of[x].position)
        return false;
    d->search++;
    d->n_found = 0;
    visit(d, g);
    for (uint32_t i = 0; i < d->n_found; i++)
        for (uint32_t e = d->of[d->found[i]].on; e; e = d->dep[e].next_on) {
            const uint32_t y = d->dep[e].on;
            if ((y == x && (i > 0 || direct)) || ++steps > CG_FUSE_MAX_DEPENDENCES)
                return true;
            if (d->of[y].position > d->of[x].position)
                visit(d, y);
        }
    return false;
}

bool
cg_deps_wait(cg_deps *d, uint32_t g, uint32_t x)
{
    return is_path(d, g, x, true);
}

bool
cg_deps_wait_through(cg_deps *d, uint32_t g, uint32_t x)
{
    return is_path(d, g, x, false);
}

bool
cg_deps_are_far(const cg_deps *d, uint32_t g, uint32_t x)
{
    const uint32_t i = d->of[g].position, j = d->of[x].position;

    return (i < j ? j - i : i - j) > CG_FUSE_MAX_DISTANCE;
}

typedef struct moving {
    uint32_t group, position;
} moving;

static int
by_position(const void *x, const void *y)
{
    const moving *a = x, *b = y;

    return a->position < b->position ? -1 : a->position > b->position;
}

/* Find the groups to move: first the *n groups that wait for g, up to the position of x, with g
 * itself; then the groups that x waits for, down to the position of g, with x itself. */
static moving *
find_moving(cg_deps *d, uint32_t g, uint32_t x, uint32_t *n)
{
    const uint32_t least = d->of[g].position, most = d->of[x].position;

    d->search++;
    d->n_found = 0;
    visit(d, g);
    for (uint32_t i = 0; i < d->n_found; i++)
        for (uint32_t e = d->of[d->found[i]].group; e; e = d->dep[e].next_group)
            if (d->dep[e].group != CG_NO_GROUP && d->of[d->dep[e].group].position <= most)
                visit(d, d->dep[e].group);
    *n = d->n_found;
    visit(d, x);
    for (uint32_t i = *n; i < d->n_found; i++)
        for (uint32_t e = d->of[d->found[i]].on; e; e = d->dep[e].next_on)
            if (d->of[d->dep[e].on].position >= least)
                visit(d, d->dep[e].on);
    moving *m = IR_NEW_N(d->scratch, moving, d->n_found + 1);
    for (uint32_t i = 0; i < d->n_found; i++)
        m[i] = (moving){ d->found[i], d->of[d->found[i]].position };
    return m;
}

/* Permute the positions of the groups to move: what x waits for comes first, then what waits
 * for g, each set in its previous order. */
static void
reorder(cg_deps *d, uint32_t g, uint32_t x)
{
    const ir_mark mark = ir_arena_mark(d->scratch);
    uint32_t n, all, at = 0;
    moving *m = find_moving(d, g, x, &n);

    all = d->n_found;
    moving *position = ir_copy_bytes(d->scratch, m, all * sizeof *m);
    qsort(position, all, sizeof *position, by_position);
    qsort(m, n, sizeof *m, by_position);
    qsort(m + n, all - n, sizeof *m, by_position);
    for (uint32_t i = n; i < all; i++)
        d->of[m[i].group].position = position[at++].position;
    for (uint32_t i = 0; i < n; i++)
        d->of[m[i].group].position = position[at++].position;
    ir_arena_release(d->scratch, mark);
}

void
cg_deps_add(cg_deps *d, uint32_t g, uint32_t x)
{
    cg_dep e = { g, x, d->of[g].on, d->of[x].group };

    if (e.next_on && d->dep[e.next_on].on == x)
        return;
    d->of[g].on = d->of[x].group = d->n_deps;
    IR_PUSH(d->arena, d->dep, d->n_deps, d->cap_deps, e);
    if (d->of[g].position < d->of[x].position)
        reorder(d, g, x);
}

void
cg_deps_clear(cg_deps *d, uint32_t g)
{
    for (uint32_t e = d->of[g].on; e; e = d->dep[e].next_on)
        d->dep[e].group = CG_NO_GROUP;
    d->of[g].on = 0;
}
