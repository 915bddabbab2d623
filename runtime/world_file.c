/* Programs of several processes in files: objects and C source.
 *
 * A file serves the numbers of processes that were named when it was made.  For each process of
 * each of them the graph that it runs is made; processes whose graphs are equal, as of those
 * that own as many groups, share one.  The first graph is that of one process, which
 * communicates with none; a function with spread arguments or results has one type for all of
 * its processes, and so none for one of them alone. */
#include <stdlib.h>

#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/support/world.h"
#include "runtime/world.h"

enum { MAX_COUNTED = 1024, MAX_BODIES = 128 };

static bool
read_number(const char **s, int64_t *out)
{
    char *end;

    if (**s < '0' || **s > '9')
        return false;
    *out = strtoll(*s, &end, 10);
    *s = end;
    return *out >= 1 && *out <= MAX_COUNTED;
}

/* Marks the numbers of a list. */
static bool
read_list(const char *s, bool *is)
{
    for (;; s++) {
        int64_t first, last;
        if (!read_number(&s, &first))
            return false;
        last = first;
        if (*s == '-' && (s++, !read_number(&s, &last) || last < first))
            return false;
        for (int64_t k = first; k <= last; k++)
            is[k] = true;
        if (*s != ',')
            return *s == '\0';
    }
}

cot_status
rt_world_counts(cot_context *ctx, const char *list, ir_ints *out)
{
    bool is[MAX_COUNTED + 1] = { false };
    int64_t *at = IR_NEW_N(&ctx->arena, int64_t, MAX_COUNTED);

    *out = (ir_ints){ 0, at };
    if (!list)
        return COT_OK;
    if (!read_list(list, is))
        return ir_fail(ctx, 0, NULL, ERR_usage,
                       ir_format(&ctx->arena,
                                 "processes is '%s'; wants numbers from 1 to %d, as in 1-4,8",
                                 list, MAX_COUNTED));
    for (int k = 1; k <= MAX_COUNTED; k++)
        if (is[k])
            at[out->n++] = k;
    return COT_OK;
}

typedef struct bodies {
    const ir_graph *f;
    const bool *spread;
    ir_ints counts;
    int n;
    ir_graph *body[MAX_BODIES];
    int64_t *table, entries;
} bodies;

/* The number of an equal body, which may be g. */
static cot_status
number_of(bodies *b, ir_graph *g, int64_t *out)
{
    int k = 0;

    while (k < b->n && !ir_graph_equal(b->body[k], g))
        k++;
    if (k == MAX_BODIES)
        return ir_fail(b->f->ctx, 0, b->f->name, ERR_usage,
                       ir_format(&b->f->ctx->arena,
                                 "the numbers of processes need more than %d bodies; wants "
                                 "fewer numbers",
                                 MAX_BODIES));
    if (k == b->n)
        b->body[b->n++] = g;
    *out = k;
    return COT_OK;
}

static bool
same_types(int n, const ir_graph *f, const ir_ref *x, const ir_graph *g, const ir_ref *y)
{
    for (int i = 0; i < n; i++)
        if (ir_type_at(f, x[i]) != ir_type_at(g, y[i]))
            return false;
    return true;
}

/* Processes with other rows have functions of other types. */
static cot_status
check_rows(const bodies *b, const ir_graph *g, int size)
{
    const ir_graph *f = b->n ? b->body[0] : g;

    if (!b->spread ||
        (same_types(f->n_in, f, f->in, g, g->in) && same_types(f->n_out, f, f->out, g, g->out)))
        return COT_OK;
    return ir_fail(b->f->ctx, 0, b->f->name, ERR_usage,
                   ir_format(&b->f->ctx->arena,
                             "arguments or results are spread, and not all of %d processes "
                             "have the rows of the first one; wants a number that divides them",
                             size));
}

/* The graph of one process alone. */
static void
add_alone(bodies *b)
{
    if (!b->spread) {
        b->body[b->n++] = (ir_graph *)(uintptr_t)b->f;
        return;
    }
    b->table[b->entries++] = 1;
    b->table[b->entries++] = -1;
}

static cot_status
make_bodies(bodies *b, ir_arena *a)
{
    int64_t all = 2;

    for (int i = 0; i < b->counts.n; i++)
        all += 1 + b->counts.at[i];
    int wanted;
    COT_TRY(rt_world_wanted(b->f->ctx, &wanted));
    b->table = IR_NEW_N(a, int64_t, all + 1);
    add_alone(b);
    for (int i = 0; i < b->counts.n; i++) {
        const int size = (int)b->counts.at[i];
        b->table[b->entries++] = size;
        for (int rank = 0; rank < size; rank++) {
            ir_graph *own;
            COT_TRY(
                pass_own(b->f,
                         &(pass_world){ .columns = b->f->ctx->columns,
                                        .owners = rt_world_owners,
                                        .owned = rt_world_owned,
                                        .wanted = wanted,
                                        .parts = rt_world_parts,
                                        .spread_in = b->spread,
                                        .spread_out = b->spread ? b->spread + b->f->n_in : NULL,
                                        .room = rt_world_room,
                                        .rank = rank,
                                        .size = size,
                                        .any = true },
                         &own));
            COT_TRY(check_rows(b, own, size));
            COT_TRY(number_of(b, own, &b->table[b->entries++]));
        }
    }
    return COT_OK;
}

/* What a call needs at most, on any process of any number of them. */
static int64_t
room_of(const void *user, const char *name, const int64_t *a)
{
    const bodies *b = user;
    int64_t most = 0;

    for (int i = 0; i < b->counts.n; i++) {
        const int size = (int)b->counts.at[i];
        for (int rank = 0; rank < size && size > 1; rank++) {
            const int64_t n = rt_world_room(name, a, size, rank);
            most = n > most ? n : most;
        }
    }
    return most;
}

cot_status
rt_world_file(const ir_graph *f, ir_ints counts, const bool *spread, ir_arena *a,
              const ir_graph **out)
{
    bodies b = { .f = f, .spread = spread, .counts = counts };
    ir_graph *whole;

    COT_TRY(make_bodies(&b, a));
    const pass_file file = { .n = b.n,
                             .body = b.body,
                             .n_table = b.entries,
                             .table = b.table,
                             .hash = rt_world_hash(f, spread),
                             .spread = spread,
                             .room = room_of,
                             .user = &b };
    COT_TRY(pass_own_file(spread ? b.body[0] : f, &file, &whole));
    *out = whole;
    return COT_OK;
}
