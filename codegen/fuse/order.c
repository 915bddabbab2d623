/* The order of kernels, for updates in place.
 *
 * An update (a scatter, a dynamic_update_slice) and a loop overwrite the memory of the operand
 * that they start from, if nothing reads it later; otherwise the whole operand is copied.  In a
 * loop that writes one element of a long carry at each step the copy would dominate.  Readers
 * of a value are therefore scheduled before the kernel that overwrites it.  A reader that
 * depends on that kernel cannot be; if it needs only a small slice, the slice is stored before
 * the overwrite.  The backward half of a loop needs both: each step reads the cotangent of what
 * the forward step wrote, then sets it to zero. */
#include "codegen/fuse/fuse.h"
#include "codegen/fuse/heap.h"
#include "codegen/tuning.h"

typedef struct order {
    cg_lowering *l;
    const ir_graph *f;
    cg_fusion *fusion;
    cg_reads reads;
    uint32_t n;                 /* number of groups in the order so far */
    bool *done;                 /* by group: it is in the order */
    uint32_t *left;             /* by group: dependences that are not in the order yet */
    cg_heap round, next; /* ready groups: those of this round, and of the next one */
    /* ready groups that overwrite a value which another group has still to read */
    cg_heap deferred;
    /* by reader: 1 + the first group that it defers; by group: the next of that list */
    uint32_t *defers, *next_deferred;
    uint32_t *read; /* by value: readers before this position are all in the order */
    const int **over; /* by group of a node: cg_overwrites                      */
} order;

/* -- slices that are read early ------------------------------------------------------------ */

/* A search forward, from a node that overwrites a value (the writer) and from a node that reads
 * a part of that value: which nodes depend on the writer (AFTER) and which on the part
 * (REACHED).  Nodes are visited in order, so that all operands of a node are known before
 * it. */
enum { AFTER = 1, REACHED = 2 };

typedef struct forward_search {
    const ir_graph *f;
    uint32_t *first, *user; /* by value, its users: user[first[v]] ... user[first[v + 1] - 1] */
    uint32_t *visited, number; /* by node: the last search that visited it */
    uint8_t *mark; /* by node: AFTER, REACHED, or both */
    cg_heap next; /* nodes that are still to be visited */
    uint32_t reached; /* how many of those are REACHED */
    ir_arena *arena;
} forward_search;

static forward_search
search_begin(ir_arena *a, const ir_graph *f)
{
    forward_search s = { .f = f,
                         .arena = a,
                         .visited = IR_NEW_N(a, uint32_t, f->n_nodes),
                         .mark = IR_NEW_N(a, uint8_t, f->n_nodes),
                         .first = IR_NEW_N(a, uint32_t, f->n_values + 1) };
    uint32_t *at = IR_NEW_N(a, uint32_t, f->n_values);
    ir_each_node (n, f)
        for (int i = 0; i < n->n_in; i++)
            s.first[n->in[i] + 1]++;
    for (ir_ref v = 0; v < f->n_values; v++)
        s.first[v + 1] += s.first[v];
    memcpy(at, s.first, sizeof *at * f->n_values);
    s.user = IR_NEW_N(a, uint32_t, s.first[f->n_values] + 1);
    ir_each_node (n, f)
        for (int i = 0; i < n->n_in; i++)
            s.user[at[n->in[i]]++] = (uint32_t)(n - f->node);
    return s;
}

/* Mark the users of n's results with `mark`. */
static void
spread(forward_search *s, const ir_node *n, uint8_t mark)
{
    for (uint32_t i = s->first[n->first]; i < s->first[n->first + (ir_ref)n->n_out]; i++) {
        const uint32_t x = s->user[i];
        if (s->visited[x] != s->number) {
            s->visited[x] = s->number;
            s->mark[x] = 0;
            cg_heap_push(&s->next, s->arena, x);
        }
        s->reached += mark & ~s->mark[x] & REACHED ? 1 : 0;
        s->mark[x] |= mark;
    }
}

/* Must part p be stored before `writer` runs?  It must if p does not depend on the writer, and
 * some node depends on both.  The writer itself reads p before it overwrites anything.  A
 * search that takes too long answers true, which is always correct. */
static bool
is_needed_after(forward_search *s, const ir_node *p, const ir_node *writer)
{
    uint32_t steps = 0;
    s->number++;
    s->next.n = s->reached = 0;
    spread(s, writer, AFTER);
    spread(s, p, REACHED);
    while (s->reached > 0) {
        const uint32_t i = cg_heap_pop(&s->next);
        const ir_node *n = &s->f->node[i];
        const bool after = s->mark[i] & AFTER, reached = s->mark[i] & REACHED;
        s->reached -= reached;
        if (n == p)
            return false;
        if (n == writer || n->n_out == 0)
            continue;
        if ((after && reached) || ++steps > CG_FUSE_MAX_SEARCHED)
            return true;
        spread(s, n, after ? AFTER : REACHED);
    }
    return false;
}

static bool
is_small_part(const ir_graph *f, const ir_node *n, ir_ref x)
{
    return (n->op == OP_gather || n->op == OP_dynamic_slice || n->op == OP_slice) &&
           n->in[0] == x && ir_type_at(f, n->first)->size <= ir_type_at(f, x)->size / 2;
}

/* The small slices of each value, as lists: by value the first one, by node the next. */
typedef struct small_slices {
    uint32_t *first, *next;
} small_slices;

static small_slices
find_small_slices(ir_arena *a, const ir_graph *f)
{
    small_slices p = { IR_NEW_N(a, uint32_t, f->n_values), IR_NEW_N(a, uint32_t, f->n_nodes) };
    for (uint32_t i = f->n_nodes - 1; i > 0; i--) {
        const ir_node *n = &f->node[i];
        if (n->n_in == 0 || !is_small_part(f, n, n->in[0]))
            continue;
        p.next[i] = p.first[n->in[0]];
        p.first[n->in[0]] = i;
    }
    return p;
}

/* If many nodes overwrite x, all but one copy it, so that only CG_FUSE_MAX_WRITERS of them are
 * searched. */
bool *
cg_early_reads(cg_lowering *l, const ir_graph *f)
{
    bool *early = IR_NEW_N(l->arena, bool, f->n_values);
    const ir_mark mark = ir_arena_mark(l->scratch);
    const small_slices of = find_small_slices(l->scratch, f);
    uint32_t *writers = IR_NEW_N(l->scratch, uint32_t, f->n_values);
    forward_search s = search_begin(l->scratch, f);
    ir_each_node(writer, f) {
        const int *over = cg_overwrites(l, f, writer);
        for (int k = 0; over && k < writer->n_out; k++) {
            const ir_ref x = over[k] >= 0 ? writer->in[over[k]] : IR_NONE;
            if (!x || !of.first[x] || writers[x]++ >= CG_FUSE_MAX_WRITERS)
                continue;
            for (uint32_t i = of.first[x]; i; i = of.next[i])
                if (!early[f->node[i].first])
                    early[f->node[i].first] = is_needed_after(&s, &f->node[i], writer);
        }
    }
    ir_arena_release(l->scratch, mark);
    return early;
}

/* -- order --------------------------------------------------------------------------------- */

/* A product reads the memory that its operand is a view of, even if the view is stored as
 * well. */
void
cg_access_operand(cg_access *w, const ir_node *n, int i)
{
    const ir_ref x =
        ir_ops[n->op].flag == IR_CONTRACT ? cg_dot_operand(w->f, n, i, NULL, NULL) : n->in[i];
    const ir_type *t = ir_type_at(w->f, x);
    cg_access_value(w, x, cg_access_space(w, t->rank, t->dims));
}

void
cg_access_group_at(cg_access *w, const cg_group *g, const cg_ix *space)
{
    for (int i = 0; g->node && i < g->node->n_in; i++)
        cg_access_operand(w, g->node, i);
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_type *t = ir_type_at(w->f, g->v[i]);
        bool same = g->space && ir_same_shape(t, g->space);
        /* the node's operands are analysed above */
        if (!g->node || ir_def(w->f, g->v[i]) != g->node)
            cg_access_root(w, g->v[i], same ? space : cg_access_space(w, t->rank, t->dims));
    }
}

void
cg_access_group(cg_access *w, ir_arena *a, const ir_graph *f, const cg_fusion *fusion,
                const cg_group *g)
{
    cg_access_begin(w, a, f, fusion->root);
    cg_access_group_at(w, g,
                       g->space ? cg_access_space(w, g->space->rank, g->space->dims) : NULL);
}

/* Does the read miss some index along an axis? */
static bool
is_partial(const cg_access *w, const cg_read *r)
{
    const ir_type *t = ir_type_at(w->f, r->v);
    bool is = false;

    for (int k = 0; k < t->rank; k++)
        is |= w->ix.expr[r->at[k]].lo > 0 || w->ix.expr[r->at[k]].hi < t->dims[k] - 1;
    return is;
}

/* The values that group g reads, each once; seen[v] is set to `mark` for them. */
static ir_ref *
reads_of(cg_lowering *l, const ir_graph *f, const cg_fusion *fusion, cg_group *g,
         uint32_t *seen, uint32_t mark)
{
    const ir_mark back = ir_arena_mark(l->scratch);
    cg_access w;
    uint32_t n = 0;
    cg_access_group(&w, l->scratch, f, fusion, g);
    for (uint32_t j = 0; j < w.n_reads; j++)
        n += w.read[j].v != IR_NONE;
    n = n < f->n_values ? n : f->n_values;
    ir_ref *read = IR_NEW_N(l->tables, ir_ref, n + 1);
    n = 0;
    for (uint32_t j = 0; j < w.n_reads; j++) {
        ir_ref x = w.read[j].v;
        if (x && seen[x] != mark)
            read[n++] = x;
        seen[x] = mark;
        g->partial |= x && is_partial(&w, &w.read[j]);
    }
    ir_arena_release(l->scratch, back);
    return read;
}

void
cg_find_reads(cg_lowering *l, const ir_graph *f, const cg_fusion *fusion, cg_reads *out)
{
    uint32_t *seen = IR_NEW_N(l->tables, uint32_t, f->n_values),
             *at = IR_NEW_N(l->tables, uint32_t, f->n_values);
    out->of = IR_NEW_N(l->tables, ir_ref *, fusion->n + 1);
    out->first = IR_NEW_N(l->tables, uint32_t, f->n_values + 1);
    for (uint32_t i = 0; i < fusion->n; i++) {
        out->of[i] = reads_of(l, f, fusion, &fusion->group[i], seen, i + 1);
        for (const ir_ref *x = out->of[i]; *x; x++)
            out->first[*x + 1]++;
    }
    for (ir_ref v = 0; v < f->n_values; v++)
        out->first[v + 1] += out->first[v];
    memcpy(at, out->first, sizeof *at * f->n_values);
    out->reader = IR_NEW_N(l->tables, uint32_t, out->first[f->n_values] + 1);
    for (uint32_t i = 0; i < fusion->n; i++)
        for (const ir_ref *x = out->of[i]; *x; x++)
            out->reader[at[*x]++] = i;
}

/* The bytes of a value that a group reads or stores: one element for each of its space at
 * most. */
static int64_t
bytes_within(const cg_group *g, const ir_type *t)
{
    const int64_t size = t->size < g->space->size ? t->size : g->space->size;

    return size * (int64_t)cot_dtype_size(t->dtype);
}

static void
find_bytes(order *o)
{
    for (uint32_t i = 0; i < o->fusion->n; i++) {
        cg_group *g = &o->fusion->group[i];

        if (g->kind == CG_GROUP_NODE)
            continue;
        for (const ir_ref *x = o->reads.of[i]; *x; x++)
            g->bytes += bytes_within(g, ir_type_at(o->f, *x));
        for (uint32_t k = 0; k < g->n; k++)
            g->bytes += bytes_within(g, ir_type_at(o->f, g->v[k]));
    }
}

static void
find_overwrites(order *o)
{
    o->over = IR_NEW_N(o->l->tables, const int *, o->fusion->n + 1);
    for (uint32_t i = 0; i < o->fusion->n; i++) {
        const cg_group *g = &o->fusion->group[i];
        o->over[i] =
            g->kind == CG_GROUP_NODE ? cg_overwrites(o->l, o->f, g->node) : NULL;
    }
}

/* A group that is not in the order yet, reads x, and does not wait for group i; CG_NO_GROUP:
 * there is none among the CG_FUSE_MAX_READERS groups that are tried. */
static uint32_t
find_reader(order *o, uint32_t i, ir_ref x)
{
    const uint32_t end = o->reads.first[x + 1];
    uint32_t r = o->read[x] ? o->read[x] : o->reads.first[x];
    while (r < end && o->done[o->reads.reader[r]])
        r++;
    o->read[x] = r;
    for (uint32_t steps = 0; r < end && steps < CG_FUSE_MAX_READERS; r++, steps++) {
        const uint32_t j = o->reads.reader[r];
        if (j != i && !o->done[j] && !cg_deps_wait(&o->fusion->deps, j, i))
            return j;
    }
    return CG_NO_GROUP;
}

/* Does group i overwrite a value that another group, which does not wait for i, has still to
 * read?  Then i is deferred until that group is in the order. */
static bool
must_defer(order *o, uint32_t i)
{
    const cg_group *g = &o->fusion->group[i];
    for (int k = 0; o->over[i] && k < g->node->n_out; k++) {
        const uint32_t j =
            o->over[i][k] < 0 ? CG_NO_GROUP : find_reader(o, i, g->node->in[o->over[i][k]]);
        if (j == CG_NO_GROUP)
            continue;
        o->next_deferred[i] = o->defers[j];
        o->defers[j] = i + 1;
        cg_heap_push(&o->deferred, o->l->scratch, i);
        return true;
    }
    return false;
}

/* Append group i to the order.  A group that becomes ready belongs to this round if its number
 * is above i, else to the next one. */
static void
do_group(order *o, uint32_t i)
{
    const cg_deps *d = &o->fusion->deps;
    ir_arena *a = o->l->scratch;
    o->done[i] = true;
    o->fusion->order[o->n++] = i;
    for (uint32_t e = d->of[i].group; e; e = d->dep[e].next_group)
        if (d->dep[e].group != CG_NO_GROUP && --o->left[d->dep[e].group] == 0)
            cg_heap_push(d->dep[e].group > i ? &o->round : &o->next, a, d->dep[e].group);
    for (uint32_t j = o->defers[i]; j; j = o->next_deferred[j - 1])
        if (!o->done[j - 1])
            cg_heap_push(j - 1 > i ? &o->round : &o->next, a, j - 1);
}

/* A round takes all ready groups, lowest number first.  Deferred groups wait until no other
 * group is ready; then one of them is taken. */
static void
sort_groups(order *o)
{
    cg_fusion *c = o->fusion;
    ir_arena *a = o->l->scratch;
    for (uint32_t e = 1; e < c->deps.n_deps; e++)
        if (c->deps.dep[e].group != CG_NO_GROUP)
            o->left[c->deps.dep[e].group]++;
    for (uint32_t i = 0; i < c->n; i++)
        if (o->left[i] == 0)
            cg_heap_push(&o->round, a, i);
    while (o->round.n + o->next.n + o->deferred.n > 0) {
        if (o->round.n == 0 && o->next.n > 0) {
            const cg_heap empty = o->round;
            o->round = o->next;
            o->next = empty;
        }
        const bool in_round = o->round.n > 0;
        const uint32_t i = cg_heap_pop(in_round ? &o->round : &o->deferred);
        if (!o->done[i] && !(in_round && must_defer(o, i)))
            do_group(o, i);
    }
    if (o->n < c->n)
        cg_lower_fail(o->l, 0, NULL,
                      "the kernels of a function depend on each other in a cycle");
}

/* Find the last group that reads each root, by its position in the order. */
static void
find_last_readers(order *o)
{
    cg_fusion *c = o->fusion;
    c->last = IR_NEW_N(o->l->arena, uint32_t, o->f->n_values);
    c->readers = IR_NEW_N(o->l->arena, uint32_t, o->f->n_values);
    for (uint32_t i = 0; i < c->n; i++)
        for (const ir_ref *r = o->reads.of[c->order[i]]; *r; r++) {
            c->readers[*r]++;
            c->last[*r] = i;
        }
    for (int i = 0; i < o->f->n_out; i++)
        c->last[o->f->out[i]] = UINT32_MAX;
}

static void
add_heirs(cg_fusion *c, const ir_node *n, const int *over)
{
    for (int k = 0; over && k < n->n_out; k++) {
        if (over[k] < 0)
            continue;
        const ir_ref x = n->in[over[k]], y = n->first + (ir_ref)k;
        c->next_heir[y] = c->heir[x];
        c->heir[x] = y;
    }
}

/* Find which group computes each value, and which results are computed in the memory of an
 * operand. */
static void
find_makers(order *o)
{
    cg_fusion *c = o->fusion;
    c->made = IR_NEW_N(o->l->arena, uint32_t, o->f->n_values);
    c->heir = IR_NEW_N(o->l->arena, ir_ref, o->f->n_values);
    c->next_heir = IR_NEW_N(o->l->arena, ir_ref, o->f->n_values);
    for (uint32_t i = 0; i < c->n; i++) {
        const cg_group *g = &c->group[c->order[i]];
        for (uint32_t j = 0; j < g->n; j++)
            if (!c->made[g->v[j]])
                c->made[g->v[j]] = i + 1;
        if (g->node)
            add_heirs(c, g->node, o->over[c->order[i]]);
    }
}

void
cg_order(cg_lowering *l, const ir_graph *f, cg_fusion *fusion)
{
    const ir_mark mark = ir_arena_mark(l->scratch);
    order o = {
        .l = l, .f = f, .fusion = fusion, .done = IR_NEW_N(l->scratch, bool, fusion->n + 1)
    };
    o.left = IR_NEW_N(l->scratch, uint32_t, fusion->n + 1);
    o.defers = IR_NEW_N(l->scratch, uint32_t, fusion->n + 1);
    o.next_deferred = IR_NEW_N(l->scratch, uint32_t, fusion->n + 1);
    o.read = IR_NEW_N(l->scratch, uint32_t, f->n_values);
    fusion->order = IR_NEW_N(l->arena, uint32_t, fusion->n + 1);
    cg_find_reads(l, f, fusion, &o.reads);
    find_bytes(&o);
    find_overwrites(&o);
    sort_groups(&o);
    if (l->status == COT_OK) {
        find_last_readers(&o);
        find_makers(&o);
    }
    ir_arena_release(l->scratch, mark);
}
