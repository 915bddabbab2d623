/* Fuse a graph into kernels.
 *
 * Values that are stored in memory are roots (roots.c); every other value is emitted inline by
 * each of its users.
 *
 * Roots over one iteration space join into a group, a kernel with several results, if no path
 * of dependences between them leads through another group.  A row group holds reductions over
 * the last axes of one shape and the consumers of their results, computed row by row.
 * Reductions over the first axes of a large shape form column groups.  A column group then
 * joins a row group that reads the same rows, so that each row is read once for both. */
#include "codegen/fuse/fuse.h"

#include <stdlib.h>

#include "codegen/fuse/access.h"
#include "codegen/fuse/cost.h"
#include "codegen/fuse/views.h"
#include "codegen/tuning.h"

/* The roots that read a value, ascending. */
typedef struct readers {
    ir_ref *root;
    uint32_t n, cap;
} readers;

typedef struct fusing {
    cg_lowering *l;
    const ir_graph *f;
    cg_fusion *fusion;
    uint32_t *group_of;         /* 1 + the group of a root                  */
    /* by root: the stored values that it reads, then IR_NONE */
    ir_ref **reads;
    readers *by; /* by value: the roots that read it */
    /* by value, the number of the last access analysis that reads it; the current number */
    uint32_t *read_at, reading;
    uint32_t *epoch;            /* by value, the number of runs of barriers before it */
    uint32_t effect;            /* 1 + the group of the last node with an effect */
} fusing;

static uint32_t
new_group(fusing *u, cg_group_kind kind, const ir_node *n, const ir_type *space, int outer,
          int inner)
{
    cg_group g = { .kind = kind, .node = n, .space = space, .outer = outer, .inner = inner };
    IR_PUSH(u->l->tables, u->fusion->group, u->fusion->n, u->fusion->cap, g);
    cg_deps_push(&u->fusion->deps);
    return u->fusion->n - 1;
}

/* Analyse what root v reads, with new index variables for its iteration space. */
static const ir_type *
access_in_space(fusing *u, cg_access *w, ir_ref v, cg_ix **space)
{
    const ir_type *t = cg_root_space(u->l, u->f, v);
    cg_access_begin(w, u->l->scratch, u->f, u->fusion->root);
    *space = cg_access_space(w, t->rank, t->dims);
    if (cg_root_kind(u->l, u->f, v) != CG_GROUP_MAP)
        cg_access_value(w, ir_def(u->f, v)->in[0], *space);
    else
        cg_access_root(w, v, *space);
    return t;
}

/* Find the epoch of each value: the last run of consecutive barriers that it depends on.  A
 * group holds roots of one epoch, so that values which a checkpoint computes again are computed
 * late. */
static void
find_epochs(fusing *u)
{
    uint32_t runs = 0;
    bool inside = false;
    ir_each_node(n, u->f) {
        bool barrier = n->op == OP_barrier;
        uint32_t e = barrier ? (runs += !inside) : 0;
        for (int i = 0; i < n->n_in && !barrier; i++)
            e = u->epoch[n->in[i]] > e ? u->epoch[n->in[i]] : e;
        for (int i = 0; i < n->n_out; i++)
            u->epoch[n->first + (ir_ref)i] = e;
        inside = barrier;
    }
}

/* Is member r->v read at the index of the space, which has `rank` axes?  A value with one
 * element for each row is indexed by the axes before those reduced and those behind them. */
static bool
is_at_hand(const cg_group *g, cg_member m, const cg_read *r, int rank, const cg_ix *space)
{
    const int inner = m == CG_MEMBER_ROW ? g->inner : 0,
              outer = m == CG_MEMBER_ROW ? g->outer : g->space->rank;
    return outer + inner <= rank && r->rank == outer + inner &&
           cg_is_identity(outer, r->at, space, outer) &&
           cg_is_identity(inner, cg_trailing(r->at, outer), space + rank - inner, inner);
}

/* May root v, whose reads are in w, be computed by group gi?  Values of gi must be read at v's
 * own index, and no other group that v reads may wait for gi, except `own` (1 + its number),
 * which moves into gi together with v.  *linked is set if v reads a value of gi. */
static bool
may_move(fusing *u, const cg_access *w, int rank, const cg_ix *space, uint32_t gi, uint32_t own,
         bool *linked)
{
    const cg_group *g = &u->fusion->group[gi];
    for (uint32_t i = 0; i < w->n_reads; i++) {
        const cg_read *r = &w->read[i];
        uint32_t from = r->v ? u->group_of[r->v] : 0;
        if (!from || from == own)
            continue;
        if (from - 1 != gi) {
            if (cg_deps_wait(&u->fusion->deps, from - 1, gi))
                return false;
            continue;
        }
        cg_member m =
            g->kind == CG_GROUP_MAP ? CG_MEMBER_ELEMENT : cg_member_of(u->l, u->f, g, r->v);
        if (m == CG_MEMBER_COLUMN || !is_at_hand(g, m, r, rank, space))
            return false;
        *linked = true;
    }
    return true;
}

cg_member
cg_member_of(cg_lowering *l, const ir_graph *f, const cg_group *g, ir_ref v)
{
    const ir_node *n = ir_def(f, v);
    if (n && cg_is_column_reduce(l, f, n))
        return CG_MEMBER_COLUMN;
    if ((n && cg_is_row_reduce(l, f, n)) || !ir_same_shape(ir_type_at(f, v), g->space))
        return CG_MEMBER_ROW;
    return CG_MEMBER_ELEMENT;
}

/* Does t consist of the row axes of row group g alone? */
static bool
is_shape_of_rows(const cg_group *g, const ir_type *t)
{
    if (g->kind != CG_GROUP_ROW || t->rank != g->outer + g->inner || ir_same_shape(t, g->space))
        return false;
    for (int k = 0; k < t->rank; k++)
        if (t->dims[k] != g->space->dims[k < g->outer ? k : g->space->rank - t->rank + k])
            return false;
    return true;
}

/* Mark the values that w reads with a new number, and return how many there are. */
static uint32_t
mark_reads(fusing *u, const cg_access *w)
{
    uint32_t n = 0;
    u->reading++;
    for (uint32_t i = 0; i < w->n_reads; i++) {
        n += w->read[i].v && u->read_at[w->read[i].v] != u->reading;
        u->read_at[w->read[i].v] = u->reading;
    }
    return n;
}

/* Store what root v reads, from the analysis that was marked last. */
static void
keep_reads(fusing *u, ir_ref v, const cg_access *w, uint32_t n)
{
    ir_ref *to = u->reads[v] = IR_NEW_N(u->l->tables, ir_ref, n + 1);
    for (uint32_t i = 0; i < w->n_reads; i++)
        if (w->read[i].v && u->read_at[w->read[i].v] == u->reading) {
            readers *by = &u->by[w->read[i].v];
            *to++ = w->read[i].v;
            u->read_at[w->read[i].v] = 0;
            IR_PUSH(u->l->tables, by->root, by->n, by->cap, v);
        }
}

/* Does group g read one of the values that were marked last? */
static bool
shares_a_read(const fusing *u, const cg_group *g)
{
    for (uint32_t i = 0; i < g->n; i++)
        for (const ir_ref *x = u->reads[g->v[i]]; *x; x++)
            if (u->read_at[*x] == u->reading)
                return true;
    return false;
}

static uint32_t
count_row_reductions(const fusing *u, const cg_group *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n; i++)
        n += cg_root_kind(u->l, u->f, g->v[i]) == CG_GROUP_ROW;
    return n;
}

/* Do the sums of n row reductions fit in registers?  Each has one for each element behind the
 * reduced axes. */
static bool
has_room_for_sums(const ir_type *space, int inner, uint32_t n)
{
    int64_t sums = n;
    for (int k = space->rank - inner; k < space->rank; k++)
        sums *= space->dims[k];
    return sums <= CG_FUSE_MAX_ROW_REDUCTIONS;
}

static int
by_number(const void *x, const void *y)
{
    const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    return a < b ? -1 : a > b;
}

typedef struct candidates {
    uint32_t n, cap, *group;
} candidates;

static void
add_candidate(fusing *u, candidates *c, ir_ref v)
{
    if (u->group_of[v])
        IR_PUSH(u->l->scratch, c->group, c->n, c->cap, u->group_of[v] - 1);
}

/* Add the groups of the roots that read x: of the CG_FUSE_MAX_CANDIDATES roots before v, and of
 * as many after it. */
static void
add_readers(fusing *u, candidates *c, ir_ref x, ir_ref v)
{
    const readers *by = &u->by[x];
    uint32_t lo = 0, hi = by->n;
    while (lo < hi) {
        const uint32_t mid = (lo + hi) / 2;
        if (by->root[mid] < v)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (uint32_t i = lo > CG_FUSE_MAX_CANDIDATES ? lo - CG_FUSE_MAX_CANDIDATES : 0;
         i < by->n && i < lo + CG_FUSE_MAX_CANDIDATES; i++)
        add_candidate(u, c, by->root[i]);
}

static void
sort_candidates(candidates *c)
{
    uint32_t kept = 0;
    if (c->n)
        qsort(c->group, c->n, sizeof *c->group, by_number);
    for (uint32_t i = 0; i < c->n; i++)
        if (i == 0 || c->group[i] != c->group[i - 1])
            c->group[kept++] = c->group[i];
    c->n = kept;
}

/* A column reduction joins other column reductions only; fuse_groups merges the whole group
 * into a row group later. */
static uint32_t
find_column_group(fusing *u, ir_ref v, const cg_access *w, const ir_type *space,
                  const cg_ix *at)
{
    int outer = space->rank - ir_type_at(u->f, v)->rank;
    candidates neighbours = { 0 };
    for (uint32_t i = 0; u->l->o->fuse && i < w->n_reads; i++)
        if (w->read[i].v)
            add_readers(u, &neighbours, w->read[i].v, v);
    sort_candidates(&neighbours);
    while (neighbours.n-- > 0) {
        const uint32_t gi = neighbours.group[neighbours.n];
        const cg_group *g = &u->fusion->group[gi];
        ir_ref all[CG_FUSE_MAX_GROUP_ROOTS + 1];
        bool linked = false;
        if (g->kind != CG_GROUP_COLUMN || g->outer != outer || !ir_same_shape(g->space, space)
            || u->epoch[g->v[0]] != u->epoch[v]
            || !may_move(u, w, space->rank, at, gi, 0, &linked) || !shares_a_read(u, g))
            continue;
        memcpy(all, g->v, sizeof *all * g->n);
        all[g->n] = v;
        if (cg_may_share_columns(u->l, u->f, g->n + 1, all))
            return gi;
    }
    return new_group(u, CG_GROUP_COLUMN, NULL, space, outer, 0);
}

/* Do groups gi and ci iterate over the same rows, do their roots fit into one group, and does
 * no dependence path between them lead through a third group? */
static bool
may_share_kernel(fusing *u, uint32_t gi, uint32_t ci)
{
    const cg_group *g = &u->fusion->group[gi], *c = &u->fusion->group[ci];
    cg_deps *d = &u->fusion->deps;
    if (g->kind != CG_GROUP_ROW || g->outer != c->outer || !ir_same_shape(g->space, c->space) ||
        g->n + c->n > CG_FUSE_MAX_GROUP_ROOTS || u->epoch[g->v[0]] != u->epoch[c->v[0]])
        return false;
    return !cg_deps_are_far(d, gi, ci) && !cg_deps_wait(d, gi, ci) &&
           !cg_deps_wait_through(d, ci, gi);
}

/* May root v be computed by group gi?  The values that v reads are left marked. */
static bool
may_move_root(fusing *u, int rank, ir_ref v, uint32_t gi, uint32_t own, bool *linked)
{
    const ir_mark mark = ir_arena_mark(u->l->scratch);
    cg_access w;
    cg_ix *space;

    access_in_space(u, &w, v, &space);
    mark_reads(u, &w);
    const bool may = may_move(u, &w, rank, space, gi, own, linked);
    ir_arena_release(u->l->scratch, mark);
    return may;
}

/* May column group ci be computed by row group gi, which reads the same rows for its own
 * roots? */
static bool
may_take_columns(fusing *u, uint32_t gi, uint32_t ci)
{
    const cg_group *g = &u->fusion->group[gi], *c = &u->fusion->group[ci];
    ir_ref all[CG_FUSE_MAX_GROUP_ROOTS];
    uint32_t n = 0;
    bool gains = false;
    if (!may_share_kernel(u, gi, ci))
        return false;
    for (uint32_t i = 0; i < c->n; i++) {
        bool linked = false;
        if (!may_move_root(u, g->space->rank, c->v[i], gi, 0, &linked))
            return false;
        gains |= linked || shares_a_read(u, g);
        all[n++] = c->v[i];
    }
    for (uint32_t i = 0; i < g->n; i++)
        if (cg_root_kind(u->l, u->f, g->v[i]) == CG_GROUP_COLUMN)
            all[n++] = g->v[i];
    return gains && cg_may_join_rows(u->l, u->f, n, all);
}

/* Does a root, whose reads are in w, read columns that group gi can compute itself?  If it
 * joined gi, that would wait for the columns, and the rows would be computed twice. */
static bool
waits_for_columns(fusing *u, const cg_access *w, uint32_t gi)
{
    bool waits = false;
    for (uint32_t i = 0; i < w->n_reads && !waits; i++) {
        const uint32_t from = w->read[i].v ? u->group_of[w->read[i].v] : 0;
        waits = from && u->fusion->group[from - 1].kind == CG_GROUP_COLUMN &&
                may_take_columns(u, gi, from - 1);
    }
    mark_reads(u, w); /* once more: may_take_columns has marked other reads */
    return waits;
}

/* Would v join roots of another segment?  A kernel of two would be as long as both. */
static bool
is_cut_off(const fusing *u, const cg_group *g, ir_ref v)
{
    const uint32_t segment = u->fusion->segment[u->f->value[v].node];

    return segment && g->segment && segment != g->segment;
}

/* The group for root v: an existing one where joining is legal and saves loads, else a new
 * one. */
static uint32_t
find_group(fusing *u, ir_ref v, const cg_access *w, const ir_type *space, const cg_ix *at)
{
    bool row = cg_root_kind(u->l, u->f, v) == CG_GROUP_ROW;
    int outer = -1, inner = 0;
    if (row)
        cg_row_axes(u->l, u->f, ir_def(u->f, v), &outer, &inner);
    if (cg_root_kind(u->l, u->f, v) == CG_GROUP_COLUMN)
        return find_column_group(u, v, w, space, at);
    if (row && u->fusion->contiguous[ir_def(u->f, v)->in[0]])
        return new_group(u, CG_GROUP_ROW, NULL, space, outer, inner);
    if (cg_has_many_parts(u->l, u->f, v))
        return new_group(u, CG_GROUP_MAP, NULL, space, outer, inner);
    for (uint32_t back = 0;
         u->l->o->fuse && back < u->fusion->n && back < CG_FUSE_MAX_CANDIDATES; back++) {
        uint32_t gi = u->fusion->n - 1 - back;
        cg_group *g = &u->fusion->group[gi];
        if (g->n && cg_has_many_parts(u->l, u->f, g->v[0]))
            continue;
        bool linked = false, rows = !row && is_shape_of_rows(g, space);
        if (g->kind == CG_GROUP_NODE || g->kind == CG_GROUP_COLUMN ||
            g->n >= CG_FUSE_MAX_GROUP_ROOTS || u->epoch[g->v[0]] != u->epoch[v] ||
            (!rows && !ir_same_shape(g->space, space)) || is_cut_off(u, g, v))
            continue;
        if (row && !has_room_for_sums(space, inner, count_row_reductions(u, g) + 1))
            continue;
        if (row && g->kind == CG_GROUP_ROW && (g->outer != outer || g->inner != inner))
            continue;
        if (row && g->kind == CG_GROUP_MAP && space->size == 0)
            continue;
        if (!row && g->kind == CG_GROUP_MAP && g->cost + w->cost > CG_FUSE_MAX_GROUP_COST)
            continue;
        if (rows && cg_is_long_tail(u->l, w->cost, space->size, g->space->size / space->size))
            continue;
        if (!may_move(u, w, space->rank, at, gi, 0, &linked) ||
            (!linked && (rows || u->fusion->part[v] || !shares_a_read(u, g))))
            continue;
        if (rows && waits_for_columns(u, w, gi))
            continue;
        if (row && g->kind == CG_GROUP_MAP) {
            g->kind = CG_GROUP_ROW;
            g->outer = outer;
            g->inner = inner;
        }
        return gi;
    }
    return new_group(u, row ? CG_GROUP_ROW : CG_GROUP_MAP, NULL, space, outer, inner);
}

static void
need(fusing *u, uint32_t gi, ir_ref x)
{
    uint32_t from = u->group_of[x];
    if (from && from - 1 != gi)
        cg_deps_add(&u->fusion->deps, gi, from - 1);
}

static void
place_root(fusing *u, ir_ref v)
{
    cg_access w;
    cg_ix *at;
    const ir_mark mark = ir_arena_mark(u->l->scratch);
    const ir_type *space = access_in_space(u, &w, v, &at);
    const uint32_t reads = mark_reads(u, &w);
    uint32_t gi = find_group(u, v, &w, space, at);
    cg_group *g = &u->fusion->group[gi];
    u->group_of[v] = gi + 1;
    g->segment = g->segment ? g->segment : u->fusion->segment[u->f->value[v].node];
    g->part |= u->fusion->part[v];
    IR_PUSH(u->l->arena, g->v, g->n, g->cap, v);
    for (uint32_t i = 0; i < w.n_reads; i++)
        if (w.read[i].v)
            need(u, gi, w.read[i].v);
    keep_reads(u, v, &w, reads);
    g->cost += w.cost;
    ir_arena_release(u->l->scratch, mark);
}

/* Give a node with a lowering of its own a group, which waits for the groups whose values its
 * operands read, directly or through values that are emitted inline. */
static void
place_node(fusing *u, const ir_node *n)
{
    cg_access w;
    uint32_t gi = new_group(u, CG_GROUP_NODE, n, NULL, 0, 0);
    for (int i = 0; i < n->n_out; i++) {
        cg_group *g = &u->fusion->group[gi];
        u->group_of[n->first + (ir_ref)i] = gi + 1;
        IR_PUSH(u->l->arena, g->v, g->n, g->cap, n->first + (ir_ref)i);
    }
    const ir_mark mark = ir_arena_mark(u->l->scratch);
    cg_access_begin(&w, u->l->scratch, u->f, u->fusion->root);
    for (int i = 0; i < n->n_in; i++)
        cg_access_operand(&w, n, i);
    for (uint32_t i = 0; i < w.n_reads; i++)
        if (w.read[i].v)
            need(u, gi, w.read[i].v);
    ir_arena_release(u->l->scratch, mark);
    if (!u->f->effectful || !ir_effectful(n))
        return;
    if (u->effect)
        cg_deps_add(&u->fusion->deps, gi, u->effect - 1);
    u->effect = gi + 1;
}

/* May row group ci, which waits for row group gi and reads the same rows, be computed by gi?
 * Independent sums of rows start in separate groups; they share a kernel once a later result
 * needs both. */
static bool
may_take_rows(fusing *u, uint32_t gi, uint32_t ci)
{
    const cg_group *g = &u->fusion->group[gi], *c = &u->fusion->group[ci];
    bool waits = false, shares = false;
    if (gi == ci || !may_share_kernel(u, gi, ci) || g->inner != c->inner ||
        !has_room_for_sums(g->space, g->inner,
                           count_row_reductions(u, g) + count_row_reductions(u, c)))
        return false;
    for (uint32_t i = 0; i < c->n; i++) {
        if (!may_move_root(u, cg_root_space(u->l, u->f, c->v[i])->rank, c->v[i], gi, ci + 1,
                           &waits))
            return false;
        shares |= shares_a_read(u, g);
    }
    return waits && shares;
}

/* Merge group ci into gi. ci is left as an empty map group, so that the numbers of groups do
 * not change. */
static void
take(fusing *u, uint32_t gi, uint32_t ci)
{
    ir_arena *a = u->l->arena;
    cg_group *g = &u->fusion->group[gi], *c = &u->fusion->group[ci];
    cg_deps *d = &u->fusion->deps;
    for (uint32_t i = 0; i < c->n; i++) {
        IR_PUSH(a, g->v, g->n, g->cap, c->v[i]);
        u->group_of[c->v[i]] = gi + 1;
    }
    *c = (cg_group){ .kind = CG_GROUP_MAP, .space = c->space };
    for (uint32_t e = d->of[ci].on; e; e = d->dep[e].next_on)
        if (d->dep[e].on != gi)
            cg_deps_add(d, gi, d->dep[e].on);
    cg_deps_clear(d, ci);
    for (uint32_t e = d->of[ci].group; e; e = d->dep[e].next_group)
        if (d->dep[e].group != gi && d->dep[e].group != CG_NO_GROUP)
            cg_deps_add(d, d->dep[e].group, gi);
}

/* The groups that compute what group ci reads, and those that read the same values. */
static candidates
find_candidates(fusing *u, uint32_t ci)
{
    const cg_group *c = &u->fusion->group[ci];
    candidates neighbours = { 0 };
    for (uint32_t i = 0; i < c->n; i++)
        for (const ir_ref *x = u->reads[c->v[i]]; *x; x++) {
            add_candidate(u, &neighbours, *x);
            add_readers(u, &neighbours, *x, c->v[i]);
        }
    sort_candidates(&neighbours);
    return neighbours;
}

/* Merge each group of a kind into the first candidate for which may_take holds. */
static void
fuse_groups(fusing *u, cg_group_kind kind, bool may_take(fusing *, uint32_t, uint32_t))
{
    for (uint32_t ci = 0; u->l->o->fuse && ci < u->fusion->n; ci++) {
        if (u->fusion->group[ci].kind != kind)
            continue;
        const ir_mark mark = ir_arena_mark(u->l->scratch);
        const candidates neighbours = find_candidates(u, ci);
        uint32_t i = 0;
        while (i < neighbours.n && !may_take(u, neighbours.group[i], ci))
            i++;
        if (i < neighbours.n)
            take(u, neighbours.group[i], ci);
        ir_arena_release(u->l->scratch, mark);
    }
}

/* Groups and dependences grew in memory that ends with the fusion. */
static void
keep_groups(cg_fusion *c, ir_arena *a)
{
    c->group = ir_copy_bytes(a, c->group, sizeof *c->group * c->n);
    c->cap = c->n;
    c->deps = (cg_deps){ 0 };
}

cg_fusion *
cg_fuse(cg_lowering *l, const ir_graph *f)
{
    ir_arena *a = l->tables;
    fusing u = { .l = l, .f = f, .fusion = IR_NEW(l->arena, cg_fusion) };
    cg_deps_init(&u.fusion->deps, a, l->scratch);
    u.fusion->root = IR_NEW_N(l->arena, bool, f->n_values);
    u.reads = IR_NEW_N(a, ir_ref *, f->n_values);
    u.by = IR_NEW_N(a, readers, f->n_values);
    u.read_at = IR_NEW_N(a, uint32_t, f->n_values);
    u.group_of = IR_NEW_N(a, uint32_t, f->n_values);
    u.epoch = IR_NEW_N(a, uint32_t, f->n_values);
    find_epochs(&u);
    cg_find_roots(l, f, u.fusion);
    ir_each_node(n, f) {
        bool used = f->effectful && ir_effectful(n);
        for (int i = 0; i < n->n_out; i++)
            used |= u.fusion->root[n->first + (ir_ref)i];
        if (used && cg_has_own_lowering(l, f, n))
            place_node(&u, n);
        else if (used)
            place_root(&u, n->first);
    }
    if (l->o->fuse)
        cg_fuse_epilogues(l, f, u.fusion);
    fuse_groups(&u, CG_GROUP_ROW, may_take_rows);
    fuse_groups(&u, CG_GROUP_COLUMN, may_take_columns);
    cg_order(l, f, u.fusion);
    keep_groups(u.fusion, l->arena);
    ir_arena_free(a);
    return u.fusion;
}
