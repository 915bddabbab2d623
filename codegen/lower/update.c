/* dynamic_update_slice and scatter in memory: the result starts as the operand, in place if
 * nothing else needs that, and the updates overwrite it.
 *
 * The updates of a scatter run in row-major order, since the order of updates with one target
 * matters.  Only the last window axis is vectorised, because its targets differ.  If the result
 * is too large for the near caches, targets are prefetched some updates ahead.
 *
 * f16 and bf16 are combined in f32.  If several updates may have one target, and the number of
 * roundings matters (add, mul), they are combined in a wide copy of the operand; otherwise each
 * update is rounded. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/access.h"
#include "codegen/fuse/cost.h"
#include "codegen/lower/index.h"
#include "codegen/lower/level.h"
#include "codegen/schedule/schedule.h"
#include "codegen/tuning.h"

typedef struct update {
    cg_level *v;
    const ir_node *n;
    cg_frame *fr;
    uint32_t buffer;                    /* buffer of the result in the kernel */
    cot_dtype type, wide;               /* of its elements; in which they are combined */
    const ir_type *x;
    cg_ix start[COT_MAX_RANK + 1];      /* first index of the box */
    int64_t first; /* the element of the result with which the kernel's buffer begins */
    cg_windows w;
    cg_ix at[COT_MAX_RANK + 1];
    /* updates: the axis that is being emitted; how many axes precede the innermost window
     * axes */
    int level, outer;
    /* ahead: how many updates ahead targets are prefetched; 0: not at all */
    int64_t lanes, ahead;
    bool known;                         /* the window is known to be inside */
    /* the update of a box reads the elements that it overwrites */
    bool own;
    const cg_masked *mask; /* which examples are written; NULL: all */
    uint32_t *when; /* buffers of the predicates in the kernel */
    cg_place *was; /* by operand: its place, while a copy of it is read */
} update;

enum { LINE = CG_KERNEL_CACHE_LINE };

/* Is x the box of n's operand that n overwrites? */
static bool
is_box_of(const ir_graph *f, const ir_node *n, const ir_node *x)
{
    bool is = n->op == OP_dynamic_update_slice && x->op == OP_dynamic_slice &&
              x->in[0] == n->in[0] && ir_type_at(f, x->first) == ir_type_at(f, n->in[1]);
    for (int i = 2; is && i < n->n_in; i++)
        is = x->in[i - 1] == n->in[i];
    return is;
}

typedef enum reading { READS_NOTHING, READS_OWN, READS_OTHERS } reading;

/* List the dynamic slices of each value: by value the first one, by node the next. */
static void
find_slices(cg_lowering *l, cg_level *v)
{
    const ir_graph *f = v->f;
    v->slice = IR_NEW_N(l->arena, uint32_t, f->n_values);
    v->next_slice = IR_NEW_N(l->arena, uint32_t, f->n_nodes);
    ir_each_node (x, f) {
        const uint32_t i = (uint32_t)(x - f->node);
        if (x->op != OP_dynamic_slice)
            continue;
        v->next_slice[i] = v->slice[x->in[0]];
        v->slice[x->in[0]] = i;
    }
}

/* The values that are the box which n overwrites, and are not stored in memory; then
 * IR_NONE. */
static ir_ref *
find_boxes(cg_lowering *l, cg_level *v, const ir_node *n)
{
    ir_ref *box = NULL;
    uint32_t many = 0, cap = 0;
    if (!v->slice)
        find_slices(l, v);
    for (uint32_t i = v->slice[n->in[0]]; i; i = v->next_slice[i]) {
        const ir_node *x = &v->f->node[i];
        if (is_box_of(v->f, n, x) && !v->fusion->root[x->first])
            IR_PUSH(l->scratch, box, many, cap, x->first);
    }
    IR_PUSH(l->scratch, box, many, cap, IR_NONE);
    return box;
}

/* Classify a read at index `at` of operand i; `is` is the class of the reads before it. */
static reading
read_of(const cg_lowering *l, const cg_level *v, const ir_node *n, int i, const cg_read *r,
        const cg_ix *at, reading is)
{
    const int rank = ir_type_at(v->f, n->in[i])->rank;
    if (r->v && ir_def(v->f, r->v) && !v->fusion->root[r->v] &&
        is_box_of(v->f, n, ir_def(v->f, r->v)))
        return i == 1 && is != READS_OTHERS &&
                       (rank == 0 || !memcmp(r->at, at, sizeof *at * (size_t)rank))
                   ? READS_OWN
                   : READS_OTHERS;
    return r->v && cg_may_share(l, v->place[r->v], v->place[n->first]) ? READS_OTHERS : is;
}

/* What do operands other than the first read from the memory of the result?  The update of a
 * box may be computed from elements of the box, each from the element that it overwrites.
 * Access analysis ends at boxes, as at roots. */
static reading
reads_target(cg_lowering *l, cg_level *v, const ir_node *n)
{
    const ir_ref *box = find_boxes(l, v, n);
    const cg_ix **at = IR_NEW_N(l->scratch, const cg_ix *, n->n_in);
    uint32_t *end = IR_NEW_N(l->scratch, uint32_t, n->n_in);
    reading is = READS_NOTHING;
    cg_access w;
    for (const ir_ref *x = box; *x; x++)
        v->fusion->root[*x] = true;
    cg_access_begin(&w, l->scratch, v->f, v->fusion->root);
    for (int i = 1; i < n->n_in; i++) {
        const ir_type *t = ir_type_at(v->f, n->in[i]);
        at[i] = cg_access_space(&w, t->rank, t->dims);
        cg_access_value(&w, n->in[i], at[i]);
        end[i] = w.n_reads;
    }
    for (const ir_ref *x = box; *x; x++)
        v->fusion->root[*x] = false;
    for (int i = 1, k = 0; i < n->n_in; i++)
        for (; k < (int)end[i]; k++)
            is = read_of(l, v, n, i, &w.read[k], at[i], is);
    return is;
}

/* An operand in the memory that the updates overwrite, as in scatter_add(x, i, x), is read from
 * a copy, until give_places_back. */
static void
copy_target(cg_lowering *l, cg_level *v, update *u)
{
    const ir_node *n = u->n;

    for (int i = 1; i < n->n_in; i++) {
        const ir_ref z = n->in[i];
        const ir_type *t = ir_type_at(v->f, z);
        if (!v->place[z].set || !cg_may_share(l, v->place[z], v->place[n->first]))
            continue;
        const cg_place copy = cg_plan_new(l, "t", t);
        cg_plan_copy(l, copy, v->place[z], t);
        u->was[i] = v->place[z];
        v->place[z] = copy;
    }
}

static void
give_places_back(cg_level *v, const update *u)
{
    for (int i = 1; i < u->n->n_in; i++)
        if (u->was[i].set)
            v->place[u->n->in[i]] = u->was[i];
}

/* The place of the result: the operand's, if the level owns it and it is dead afterwards; else
 * a copy of the operand is made. */
static void
place_result(cg_lowering *l, cg_level *v, update *u)
{
    const ir_node *n = u->n;
    ir_ref x = n->in[0], y = n->first;
    bool dies = v->place[x].set && !v->borrowed[x] && v->fusion->last[x] == v->at;
    if (dies && !v->place[y].set)
        v->place[y] = v->place[x];
    if (!v->place[y].set)
        v->place[y] = cg_plan_new(l, "t", ir_type_at(v->f, y));
    bool same =
        v->place[y].buffer == v->place[x].buffer && v->place[y].offset == v->place[x].offset;
    const reading reads = cg_may_share(l, v->place[x], v->place[y]) ? reads_target(l, v, n)
                                                                   : READS_NOTHING;
    u->own = reads == READS_OWN && same;
    for (int i = 1; i < n->n_in && reads != READS_NOTHING && !u->own; i++)
        cg_plan_value(l, v, n->in[i]);
    const cg_place from = v->place[x];
    if (reads != READS_NOTHING && !u->own)
        copy_target(l, v, u);
    if (!same)
        cg_plan_copy(l, v->place[y], from, ir_type_at(v->f, y));
}

/* Is element `to` of the result in an example that is written?  0: always. */
static cg_val
is_written(cg_lowering *l, const update *u, const cg_ix *to)
{
    cg_val is = 0;
    uint32_t i = 0;
    for (const cg_masked *m = u->mask; m; m = m->outer) {
        const cg_ix example = cg_ix_flat(&l->ix, m->type->rank, m->type->dims, to);
        cg_val x = cg_load(&l->b, u->when[i++], cg_ix_value(&l->ix, &l->b, example), 0);
        is = cg_and(l, is, cg_is_branch(&l->b, x, m->type->dtype, m->branch, m->branches));
    }
    return is;
}

static void
put_in_box(cg_lowering *l, void *user, const cg_ix *at, cg_val x)
{
    update *u = user;
    cg_ix to[COT_MAX_RANK + 1];
    for (int k = 0; k < u->x->rank; k++)
        to[k] = cg_ix_add(&l->ix, at[k], u->start[k]);
    cg_ix flat = cg_ix_flat(&l->ix, u->x->rank, u->x->dims, to);
    cg_val when = is_written(l, u, to);
    flat = cg_ix_addc(&l->ix, flat, -u->first);
    cg_store(&l->b, u->buffer, cg_ix_value(&l->ix, &l->b, flat), x, when);
}

static void
begin(cg_lowering *l, update *u, const cg_place *to, const ir_type *t)
{
    u->fr = cg_node_kernel(l, u->v, u->n);
    u->buffer = cg_place_buffer(l, to, t, "y", true);
    u->type = t->dtype;
    uint32_t i = 0, masks = 0;
    for (const cg_masked *m = u->mask; m; m = m->outer)
        masks++;
    u->when = IR_NEW_N(l->arena, uint32_t, masks + 1);
    for (const cg_masked *m = u->mask; m; m = m->outer)
        u->when[i++] = cg_place_buffer(l, &m->when, m->type, "when", false);
}

/* Let the kernel's buffer be the part of the result from the first element of the box to its
 * last, if its place is constant and nothing else of the result is used.  Boxes at several
 * places are then written by one kernel. */
static void
begin_at_box(cg_lowering *l, update *u, const ir_type *box, const int64_t *stride)
{
    const cg_ix flat = cg_ix_flat(&l->ix, u->x->rank, u->x->dims, u->start);
    int64_t elements = 1;

    if (u->own || u->mask || !cg_ix_is_const(&l->ix, flat, &u->first))
        return;
    for (int k = 0; k < box->rank; k++)
        elements += (box->dims[k] - 1) * stride[k];
    cg_narrow_buffer(l, u->buffer, u->first, elements);
}

static void
plan_box(cg_lowering *l, update *u)
{
    const ir_node *n = u->n;
    const ir_type *y = ir_type_at(u->v->f, n->in[1]);
    int64_t stride[COT_MAX_RANK + 1] = { 0 }, step = 1;
    if (y->size == 0)
        return;
    begin(l, u, &u->v->place[n->first], u->x);
    cg_box_starts(l, u->fr, n, 2, y->dims, u->start);
    for (int k = u->x->rank - 1; k >= 0; step *= u->x->dims[k--])
        stride[k] = step;
    begin_at_box(l, u, y, stride);
    cg_put_kernel(l, u->fr, u->v->fusion, n->in[1], stride, !u->own, put_in_box, u);
    /* the starts of a box with which the buffer begins */
    cg_kernel_clear_unused(l->k, l->scratch);
    cg_kernel_call(l);
}

/* Emit one update, at index u->at of the updates. */
static void
scatter_one(cg_lowering *l, update *u)
{
    const ir_type *z = ir_type_at(u->v->f, u->n->in[2]);
    cg_ix to[COT_MAX_RANK + 1];
    cg_val inside;
    if (!cg_window_at(l, u->fr, &u->w, u->at, z->rank, to, &inside))
        return;
    inside = cg_and(l, u->known ? 0 : inside, is_written(l, u, to));
    cg_val x = cg_convert(l, cg_element(l, u->fr, u->n->in[2], u->at), z->dtype, u->wide);
    cg_val i = cg_ix_value(&l->ix, &l->b, cg_ix_flat(&l->ix, u->x->rank, u->x->dims, to));
    if (ir_ops[u->n->op].by) {
        cg_val old = cg_convert(l, cg_load(&l->b, u->buffer, i, inside), u->type, u->wide);
        x = cg_scatter_combine(l, ir_ops[u->n->op].by, u->wide, old, x);
    }
    cg_store(&l->b, u->buffer, i, cg_convert(l, x, u->wide, u->type), inside);
}

/* How many cache lines a row of a window spans. */
static int64_t
lines_of(const update *u)
{
    const int64_t size = u->x->rank ? u->w.size[u->x->rank - 1] : 1;
    const int64_t lines = (size * (int64_t)cot_dtype_size(u->type) + LINE - 1) / LINE;
    return lines < CG_LOWER_MAX_WINDOW_LINES ? lines : CG_LOWER_MAX_WINDOW_LINES;
}

/* How many updates ahead to prefetch.  Index vectors are then emitted twice, so they must be
 * cheap. */
static int64_t
prefetch_distance(const cg_lowering *l, const update *u)
{
    const ir_graph *f = u->v->f;
    const ir_type *y = ir_type_at(f, u->w.y);
    const int64_t ahead = CG_LOWER_LINES_AHEAD / lines_of(u);
    cg_access w;
    const int64_t row =
        u->x->rank ? u->w.size[u->x->rank - 1] * (int64_t)cot_dtype_size(u->type) : 0;
    if (row < LINE || u->outer == 0 ||
        ir_type_at(f, u->n->in[2])->dims[u->outer - 1] <= 2 * ahead ||
        u->x->size * (int64_t)cot_dtype_size(u->type) <= CG_LOWER_MAX_UNFETCHED)
        return 0;
    cg_access_begin(&w, l->scratch, f, u->v->fusion->root);
    cg_access_value(&w, u->w.y, cg_access_space(&w, y->rank, y->dims));
    return w.reduces || w.cost > CG_FUSE_COST_SHARE ? 0 : ahead;
}

/* Prefetch the target of a later update: `ahead` further along the last axis before the
 * window's, where the current index is i. */
static void
fetch_ahead(cg_lowering *l, update *u, cg_ix i)
{
    const ir_type *z = ir_type_at(u->v->f, u->n->in[2]);
    const int64_t last = z->dims[u->outer - 1] - 1,
                  step = LINE / (int64_t)cot_dtype_size(u->type);
    cg_ix to[COT_MAX_RANK + 1];
    cg_val constant = cg_i64(&l->b, u->ahead);
    cg_val inside, later = cg_iadd(&l->b, cg_ix_value(&l->ix, &l->b, i), constant);
    u->at[u->outer - 1] =
        cg_ix_var(&l->ix, cg_imin(&l->b, later, cg_i64(&l->b, last)), 0, last);
    for (int k = u->outer; k < z->rank; k++)
        u->at[k] = cg_ix_const(&l->ix, 0);
    if (cg_window_at(l, u->fr, &u->w, u->at, z->rank, to, &inside)) {
        cg_val flat =
            cg_ix_value(&l->ix, &l->b, cg_ix_flat(&l->ix, u->x->rank, u->x->dims, to));
        for (int64_t k = 0; k < lines_of(u); k++)
            cg_prefetch(&l->b, u->buffer, cg_iadd(&l->b, flat, cg_i64(&l->b, k * step)));
    }
    u->at[u->outer - 1] = i;
}

static void scatter_level(cg_lowering *l, void *user, cg_ix i);

/* Emit the updates inside this level: one update, or a loop over the next axis. */
static void
scatter_below(cg_lowering *l, update *u)
{
    const ir_type *z = ir_type_at(u->v->f, u->n->in[2]);
    if (u->level == z->rank)
        scatter_one(l, u);
    else
        cg_strip_mine(l, CG_SERIAL, z->dims[u->level], u->level == z->rank - 1 ? u->lanes : 1,
                      false, scatter_level, u);
}

/* Whether a window is inside does not depend on its own axes, so one branch before them
 * replaces a mask in each.  If all windows are inside the branch is predictable, and cheaper
 * than selecting addresses. */
static void
scatter_window(cg_lowering *l, update *u)
{
    const ir_type *z = ir_type_at(u->v->f, u->n->in[2]);
    cg_ix to[COT_MAX_RANK + 1];
    cg_val inside;
    for (int k = u->level; k < z->rank; k++)
        u->at[k] = cg_ix_const(&l->ix, 0);
    if (!cg_window_at(l, u->fr, &u->w, u->at, z->rank, to, &inside) || !inside) {
        scatter_below(l, u);
        return;
    }
    cg_val branch = cg_if_begin(&l->b, inside);
    u->known = u->w.known = true;
    scatter_below(l, u);
    u->known = u->w.known = false;
    cg_if_else(&l->b, branch);
    cg_if_end(&l->b, branch);
}

static void
scatter_level(cg_lowering *l, void *user, cg_ix i)
{
    update *u = user;
    u->at[u->level++] = i;
    if (u->level == u->outer && u->ahead)
        fetch_ahead(l, u, i);
    if (u->level == u->outer)
        scatter_window(l, u);
    else
        scatter_below(l, u);
    u->level--;
}

typedef struct casting { uint32_t from, to; cot_dtype as; } casting;

static void
cast_one(cg_lowering *l, void *user, cg_ix i)
{
    const casting *c = user;
    cg_val at = cg_ix_value(&l->ix, &l->b, i);
    cot_dtype from = l->k->buffer[c->from].type;
    cg_store(&l->b, c->to, at, cg_convert(l, cg_load(&l->b, c->from, at, 0), from, c->as), 0);
}

/* Convert `from` to `to`. */
static void
plan_cast(cg_lowering *l, cg_place to, const ir_type *tt, cg_place from, const ir_type *tf)
{
    casting c = { .as = tt->dtype };
    cg_kernel_begin(l, "convert");
    c.to = cg_place_buffer(l, &to, tt, "y", true);
    c.from = cg_place_buffer(l, &from, tf, "x", false);
    cg_strip_mine(l, cg_kind_of_all(l), tt->size, cg_lanes(l, 32), true, cast_one, &c);
    cg_kernel_call(l);
}

/* -- on a GPU: each thread owns targets and visits all updates in order -------------------- */

/* Does a window cover one element or the whole axis, along each axis of the operand?  Then
 * windows cover whole lines, and an element of a window never has the target of a different
 * element of another. */
static bool
has_whole_windows(const update *u)
{
    for (int k = 0; k < u->x->rank; k++)
        if (u->w.size[k] != 1 && u->w.size[k] != u->x->dims[k])
            return false;
    return true;
}

/* The element of the result that update u->at goes to, and whether it is inside; 0: no window
 * fits. */
static cg_val
target_of(cg_lowering *l, update *u, int rank, cg_val *inside)
{
    cg_ix to[COT_MAX_RANK + 1];
    if (!cg_window_at(l, u->fr, &u->w, u->at, rank, to, inside))
        return 0;
    return cg_ix_value(&l->ix, &l->b, cg_ix_flat(&l->ix, u->x->rank, u->x->dims, to));
}

/* Emit the updates of one thread: a loop over the n axes in `over`; the indices on the other
 * axes belong to the thread. */
static void
scatter_owned(cg_lowering *l, update *u, int n, const int *over, const int64_t *dims,
              int64_t count, cg_val owner, int64_t owners)
{
    const ir_type *z = ir_type_at(u->v->f, u->n->in[2]);
    cg_build *b = &l->b;
    cg_ix along[COT_MAX_RANK + 1];
    cg_val inside, loop = cg_loop_of(b, CG_SERIAL, count);
    cg_ix_split(&l->ix, cg_ix_var(&l->ix, cg_loop_var(b, loop), 0, count - 1), n, dims, along);
    for (int i = 0; i < n; i++)
        u->at[over[i]] = along[i];
    cg_val target = target_of(l, u, z->rank, &inside);
    if (target) {
        cg_val mine = cg_insn2(b, SC_eq, COT_I64, cg_imod(b, target, owners), owner);
        cg_val branch = cg_if_begin(b, cg_and(l, mine, inside));
        u->known = true;
        u->w.known = inside != 0;
        scatter_one(l, u);
        u->known = u->w.known = false;
        cg_if_else(b, branch);
        cg_if_end(b, branch);
    }
    cg_loop_end(b, loop);
}

/* May two updates of a scatter have one target?  Those of one window may not, nor those of
 * windows in different examples.  The axes of the updates that are not window axes are those of
 * the index vectors, in order. */
static bool
may_share_target(const ir_node *n, const ir_type *z)
{
    for (int k = 0, i = 0; k < z->rank; k++) {
        if (ir_ints_has(n->at->scatter.window_dims, k))
            continue;
        if (z->dims[k] > 1 && !ir_ints_has(n->at->scatter.indices_batch, i))
            return true;
        i++;
    }
    return false;
}

/* Where sizes are open: fewer than a sample has targets, so that the owner is a remainder at
 * all sizes. */
enum { OPEN_OWNERS = 1024, OPEN_WINDOW_OWNERS = 8 };

static int64_t
owners_of(const cg_lowering *l, int64_t targets, int64_t window)
{
    const int64_t most = !l->m->n_open           ? CG_LOWER_MAX_OWNERS
                         : cg_is_open(l, window) ? OPEN_WINDOW_OWNERS
                                                 : OPEN_OWNERS;
    int64_t owners = 1;

    while (owners < most && (owners < targets || l->m->n_open) &&
           (owners * window < CG_LOWER_MAX_OWNED_THREADS || cg_is_open(l, window)))
        owners *= 2;
    return owners;
}

/* Where no two updates have one target, each update is a thread's.  Else, if windows are whole
 * lines, a thread has one element of each window.  The owner of a target is its index modulo a
 * power of two, the number of owners. */
static void
scatter_threads(cg_lowering *l, update *u)
{
    const ir_type *z = ir_type_at(u->v->f, u->n->in[2]);
    const bool alone = !may_share_target(u->n, z), whole = has_whole_windows(u);
    int own[COT_MAX_RANK], over[COT_MAX_RANK], n_own = 0, n_over = 0;
    int64_t own_dims[COT_MAX_RANK], over_dims[COT_MAX_RANK], window = 1, count = 1, owners = 1;
    for (int k = 0; k < z->rank; k++) {
        if (alone || (whole && ir_ints_has(u->n->at->scatter.window_dims, k))) {
            own[n_own] = k;
            own_dims[n_own++] = z->dims[k];
            window *= z->dims[k];
        } else {
            over[n_over] = k;
            over_dims[n_over++] = z->dims[k];
            count *= z->dims[k];
        }
    }
    if (!alone)
        owners = owners_of(l, u->x->size / window, window);
    cg_val i;
    cg_val grid = cg_threads_begin(l, owners * window, &i);
    cg_ix column = cg_ix_var(&l->ix, cg_imod(&l->b, i, window), 0, window - 1);
    cg_ix along[COT_MAX_RANK + 1];
    cg_ix_split(&l->ix, column, n_own, own_dims, along);
    for (int k = 0; k < n_own; k++)
        u->at[own[k]] = along[k];
    scatter_owned(l, u, n_over, over, over_dims, count, cg_idiv(&l->b, i, window), owners);
    cg_threads_end(l, grid);
}

/* Does rounding once at the end give another number than rounding after each update? */
static bool
needs_wide_copy(const ir_node *n, const ir_type *x, const ir_type *z)
{
    return ir_is_half(x->dtype) && ir_is_ordered(n->op) && may_share_target(n, z);
}

static void
plan_scatter(cg_lowering *l, update *u)
{
    const ir_graph *f = u->v->f;
    const ir_node *n = u->n;
    const ir_type *z = ir_type_at(f, n->in[2]);
    bool widen = needs_wide_copy(n, u->x, z);
    const ir_type *t = widen ? ir_type_as(l->ctx, u->x, COT_F32) : u->x;
    cg_place y = u->v->place[n->first], to = widen ? cg_plan_new(l, "wide", t) : y;
    if (z->size == 0 || u->x->size == 0)
        return;
    if (widen)
        plan_cast(l, to, t, y, u->x);
    begin(l, u, &to, t);
    u->wide = !ir_ops[n->op].by ? t->dtype : ir_compute_type(t->dtype);
    u->w = cg_scatter_windows(f, n);
    bool lanes = z->rank > 0 && ir_ints_has(n->at->scatter.window_dims, z->rank - 1);
    u->lanes = lanes ? cg_lanes(l, ir_bits(u->wide)) : 1;
    u->outer = z->rank;
    while (u->outer > 0 && ir_ints_has(n->at->scatter.window_dims, u->outer - 1))
        u->outer--;
    u->ahead = l->target.grid ? 0 : prefetch_distance(l, u);
    if (l->target.grid)
        scatter_threads(l, u);
    else if (u->outer == 0)
        scatter_window(l, u);
    else
        scatter_below(l, u);
    cg_kernel_call(l);
    if (widen)
        plan_cast(l, y, u->x, to, t);
}

void
cg_plan_update(cg_lowering *l, cg_level *v, const cg_group *g)
{
    update u = { .v = v,
                 .n = g->node,
                 .x = ir_type_at(v->f, g->node->in[0]),
                 .mask = v->mask[g->node->first] };
    u.was = IR_NEW_N(l->scratch, cg_place, u.n->n_in);
    place_result(l, v, &u);
    if (g->node->op == OP_dynamic_update_slice)
        plan_box(l, &u);
    else
        plan_scatter(l, &u);
    give_places_back(v, &u);
}
