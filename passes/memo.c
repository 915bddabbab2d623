/* Each pass transforms a sub-function only once.
 *
 * A pass is a function of a graph and of its options, and graphs are immutable, so that results
 * can be reused.  Rules of ops with sub-functions depend on this: they repeat a pass over a
 * body until the set of outputs with a tangent, a mapped axis or an unknown value stops
 * growing, which alone would double the work at each level of a nest.  Without it a body that
 * two nodes share would also become two graphs, and twice as many at each level.  So the time
 * and memory of a pass are linear in the number of distinct sub-functions.
 *
 * Results are listed at the graph that they were made from.  A pass that fails leaves an entry
 * without a graph, and runs again when it is asked for again. */
#include "passes/memo.h"

#include "ir/build.h"
#include "ir/follow.h"

static bool
same_flags(const bool *a, const bool *b, int n)
{
    return a == b || (a && b && (n == 0 || memcmp(a, b, sizeof *a * (size_t)n) == 0));
}

static bool
same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const bool *
copy_flags(ir_arena *a, const bool *flag, int n)
{
    return flag ? ir_copy_bytes(a, flag, sizeof *flag * (size_t)n) : NULL;
}

/* Where the results of passes on f are listed. */
static pass_made **
list_of(const ir_graph *f)
{
    struct ir_follow *follow = f->ctx->follow;

    return follow ? ir_follow_made(follow, f) : &((ir_graph *)f)->made;
}

static pass_made *
find(const ir_graph *f, const pass_key *key)
{
    for (pass_made *m = *list_of(f); m; m = m->next)
        if (m->key.pass == key->pass && m->key.size == key->size &&
            m->key.option == key->option && m->key.type == key->type &&
            same_name(m->key.name, key->name) && same_flags(m->key.in, key->in, f->n_in) &&
            same_flags(m->key.out, key->out, f->n_out) &&
            same_flags(m->key.more_out, key->more_out, f->n_out))
            return m;
    return NULL;
}

static pass_made *
add(const ir_graph *f, const pass_key *key)
{
    pass_made *m = IR_NEW(f->arena, pass_made);

    m->next = *list_of(f);
    m->key = *key;
    m->key.name = key->name ? ir_copy_string(f->arena, key->name) : NULL;
    m->key.in = copy_flags(f->arena, key->in, f->n_in);
    m->key.out = copy_flags(f->arena, key->out, f->n_out);
    m->key.more_out = copy_flags(f->arena, key->more_out, f->n_out);
    m->in = IR_NEW_N(f->arena, bool, f->n_in + 1);
    m->out = IR_NEW_N(f->arena, bool, f->n_out + 1);
    *list_of(f) = m;
    return m;
}

pass_made *
pass_made_of(const ir_graph *f, const pass_key *key)
{
    pass_made *m = find(f, key);

    return m ? m : add(f, key);
}

ir_graph *
pass_made_equal(const ir_graph *f, ir_graph *g)
{
    const pass_key key = { .pass = (pass_any *)pass_made_equal };

    for (const pass_made *m = *list_of(f); m; m = m->next)
        if (m->key.pass == key.pass && ir_graph_equal(m->graph, g)) {
            ir_graph_drop(g);
            return m->graph;
        }
    add(f, &key)->graph = g;
    return g;
}

void
pass_made_wanted(const ir_graph *f, const pass_made *m)
{
    pass_key key = m->key;

    key.out = m->out;
    pass_made *all = find(f, &key);
    if (!all)
        all = add(f, &key);
    if (all->graph)
        return;
    all->graph = m->graph;
    memcpy(all->out, m->out, sizeof *m->out * (size_t)f->n_out);
}
