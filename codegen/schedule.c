/* The loops of map and row kernels: which axes become one, which one the lanes run along, what is unrolled, and
 * what is split among threads.
 *
 * Map: axes of the space that every address crosses as one are merged; the last one left (or the longest,
 * if the last is shorter than a vector) becomes a vector loop.  A last vector that would stick out is
 * moved back to end where the axis does, so that some elements are computed twice, with the same bits.
 *
 * Row: for each row, passes over its elements.  A reduction is in the first pass after those it depends on; an
 * output, likewise.  Reductions of one pass share one loop.  What is expensive and is wanted in a later
 * pass is kept in a row on the stack. */
#include <inttypes.h>

#include "codegen/cost.h"
#include "codegen/fuse.h"
#include "codegen/lower/reduce.h"
#include "codegen/lower/walk.h"

enum { HEAVY = 400, STAGE_MOST = 8 };

int64_t
cg_lanes(const cg_lowering *l, int bits)
{
    int64_t lanes = l->target.vector_bits / (bits < 8 ? 8 : bits);
    return l->target.vector_bits <= 64 || lanes < 1 ? 1 : lanes;
}

static void
store(cg_lowering *l, cg_frame *fr, ir_ref v, uint32_t buffer, const cg_ix *at, cg_val x)
{
    const ir_type *t = ir_type_at(fr->f, v);
    cg_ix flat = cg_ix_flat(&l->ix, t->rank, t->dims, at);
    cg_store(&l->b, buffer, cg_ix_value(&l->ix, &l->b, flat), x, l->mask);
}

static void
note(cg_lowering *l, const cg_frame *fr, const cg_group *g)
{
    ir_buf b;
    ir_buf_init(&b, l->arena);
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_node *n = ir_def(fr->f, g->v[i]);
        ir_buf_printf(&b, "%s%%%" PRIu32 " %s", i ? ", " : "", g->v[i], n ? ir_ops[n->op].name : "copy");
        if (n && n->loc) {
            ir_buf_str(&b, " at ");
            ir_loc_print(l->ctx, n->loc, &b);
        }
    }
    l->k->note = b.text;
    l->k->loc = ir_def(fr->f, g->v[0]) ? ir_def(fr->f, g->v[0])->loc : 0;
}

/* -- map --------------------------------------------------------------------------------------------- */

/* The loops of a map kernel: axis k of the space belongs to loop of[k]; loops in order, outermost first. */
typedef struct nest {
    int n;
    int64_t extent[COT_MAX_RANK + 1];
    int first[COT_MAX_RANK + 1], last[COT_MAX_RANK + 1];        /* axes */
    int64_t cost;
    int widest;
    bool reduces;                       /* some value is a reduction of its own */
    int64_t each;                       /* and what one of its elements costs   */
    int dense;                          /* the loop along which results are dense: the last, if they lie so */
    int across;                         /* the loop along which an operand is dense that is not along that; -1: none */
} nest;

static bool
merges(const cg_walk *w, cg_ix flat, const cg_ix *space, int k, int next, int64_t size)
{
    bool p, q;
    int64_t a = cg_ix_coef(&w->ix, flat, space[k], &p), b = cg_ix_coef(&w->ix, flat, space[next], &q);
    return p && q && a == b * size;
}

static bool
axes_merge(cg_walk *w, const ir_graph *f, const ir_type *space, const cg_ix *at, int k, int next)
{
    for (uint32_t i = 0; i < w->n_reads; i++) {
        const cg_read *r = &w->read[i];
        const ir_type *t = r->v ? ir_type_at(f, r->v) : NULL;
        cg_ix flat = t ? cg_ix_flat(&w->ix, t->rank, t->dims, r->at) : r->at[0];
        if (!merges(w, flat, at, k, next, space->dims[next]))
            return false;
    }
    return true;
}

static int
find_across(cg_walk *w, const ir_graph *f, const nest *s, const cg_ix *at)
{
    for (uint32_t i = 0; i < w->n_reads; i++) {
        const cg_read *r = &w->read[i];
        bool pure, other;
        if (!r->v || s->n < 2)
            continue;
        cg_ix flat = cg_ix_flat(&w->ix, ir_type_at(f, r->v)->rank, ir_type_at(f, r->v)->dims, r->at);
        int64_t k = cg_ix_coef(&w->ix, flat, at[s->last[s->dense] - 1], &pure);
        if (!pure || (k >= -1 && k <= 1))
            continue;
        for (int j = 0; j < s->n; j++)
            if (j != s->dense && cg_ix_coef(&w->ix, flat, at[s->last[j] - 1], &other) == 1 && other)
                return j;
    }
    return -1;
}

/* stride: of the axes of what the values are stored into, if not dense arrays of their own. */
static nest
find_nest(cg_lowering *l, const cg_frame *fr, const cg_cut *cut, const cg_group *g, const int64_t *stride, cg_walk *w)
{
    const ir_graph *f = fr->f;
    nest s = { 0 };
    cg_walk_begin(w, l->arena, f, cut->root);
    cg_ix *at = cg_walk_space(w, g->space->rank, g->space->dims);
    for (uint32_t i = 0; i < g->n; i++) {
        if (fr->made[g->v[i]])
            cg_walk_root(w, g->v[i], at);
        else
            cg_walk_value(w, g->v[i], at);
    }
    int last = -1;
    for (int k = 0; k < g->space->rank; k++) {
        if (g->space->dims[k] == 1)
            continue;
        if (last >= 0 && axes_merge(w, f, g->space, at, last, k)
            && (!stride || stride[last] == stride[k] * g->space->dims[k])) {
            s.extent[s.n - 1] *= g->space->dims[k];
            s.last[s.n - 1] = k + 1;
        } else {
            s.extent[s.n] = g->space->dims[k];
            s.first[s.n] = k;
            s.last[s.n++] = k + 1;
        }
        last = k;
    }
    s.dense = s.n - 1;
    for (int i = 0; stride && i < s.n; i++)
        if (stride[s.last[i] - 1] == 1)
            s.dense = i;
    s.across = find_across(w, f, &s, at);
    s.reduces = w->reduces;
    s.each = w->longest ? w->cost / w->longest : 0;
    s.cost = w->cost;
    s.widest = w->widest ? w->widest : 8;
    return s;
}

/* -- vector loops ------------------------------------------------------------------------------------- */

static int64_t
pow2_from(int64_t n)
{
    int64_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

static void
one_vector(cg_lowering *l, cg_val start, int64_t n, int64_t lanes, int64_t limit, cg_each_body *body, void *user)
{
    cg_val loop = cg_loop_begin(&l->b, CG_VECTOR, cg_i64(&l->b, 0), cg_i64(&l->b, lanes), 1,
                                limit < lanes ? cg_i64(&l->b, limit) : 0);
    uint32_t mark = cg_scope_begin(l);
    cg_val i = cg_iadd(&l->b, start, cg_loop_var(&l->b, loop));
    l->vector = true;
    body(l, user, cg_ix_var(&l->ix, i, 0, n - 1));
    l->vector = false;
    cg_scope_end(l, mark);
    cg_loop_end(&l->b, loop);
}

void
cg_each(cg_lowering *l, cg_kind kind, int64_t n, int64_t lanes, bool again, cg_each_body *body, void *user)
{
    if (n <= 0)
        return;
    if (lanes > 1 && n <= lanes) {
        one_vector(l, cg_i64(&l->b, 0), n, pow2_from(n), n, body, user);
        return;
    }
    int64_t whole = again || lanes == 1 ? n : n / lanes * lanes;
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, whole), lanes, 0);
    uint32_t mark = cg_scope_begin(l);
    cg_val start = cg_loop_var(&l->b, loop);
    if (whole % lanes)
        start = cg_imin(&l->b, start, cg_i64(&l->b, n - lanes));
    if (lanes == 1)
        body(l, user, cg_ix_var(&l->ix, start, 0, n - 1));
    else
        one_vector(l, start, n, lanes, lanes, body, user);
    cg_scope_end(l, mark);
    cg_loop_end(&l->b, loop);
    if (whole < n)
        one_vector(l, cg_i64(&l->b, whole), n, pow2_from(n - whole), n - whole, body, user);
}

/* -- map kernels ------------------------------------------------------------------------------------- */

typedef struct mapping {
    cg_lowering *l;
    cg_frame *fr;
    const cg_group *g;
    const uint32_t *buffer;
    cg_put *put;                        /* instead of buffers */
    void *user;
    nest s;
    int order[COT_MAX_RANK + 1];        /* loops, outermost first; the last one is the vector loop */
    int64_t lanes;
    bool tile;                          /* the last two loops run in squares of lanes */
    bool parallel, again;
    cg_ix at[COT_MAX_RANK + 1];
} mapping;

/* Are all of the values reductions of the same axes of equal shapes, too long to unroll?  They share their loops. */
static bool
is_joint(const mapping *m)
{
    const ir_graph *f = m->fr->f;
    const ir_node *first = ir_def(f, m->g->v[0]);
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        if (!n || ir_ops[n->op].flag != IR_REDUCE || n->op == OP_argmax || n->op == OP_argmin
            || n->at.axes.axes != first->at.axes.axes
            || !ir_same_shape(ir_type_at(f, n->in[0]), ir_type_at(f, first->in[0])))
            return false;
    }
    int a, b;
    return !m->put && m->g->n > 1 && m->g->n <= 8 && cg_reduced(f, first, &a, &b) > 32;
}

static void
joint_element(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    mapping *m = user;
    const ir_graph *f = m->fr->f;
    cg_ix to[COT_MAX_RANK + 1];
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        cot_dtype t = ir_type_at(f, n->in[0])->dtype;
        cg_reduced_index(l, f, n, m->at, j, to);
        e[i] = cg_convert(l, cg_pull(l, m->fr, n->in[0], to), t, ir_compute_type(t));
    }
}

static void
joint_body(mapping *m)
{
    cg_lowering *l = m->l;
    const ir_graph *f = m->fr->f;
    cg_fold how[8];
    cg_val x[8];
    int a, b;
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        how[i] = cg_fold_of(n->op, ir_type_at(f, n->in[0])->dtype);
    }
    cg_fold_loops(l, cg_reduced(f, ir_def(f, m->g->v[0]), &a, &b), (int)m->g->n, how, CG_FOLD_SERIAL, false,
                  joint_element, m, x);
    for (uint32_t i = 0; i < m->g->n; i++)
        store(l, m->fr, m->g->v[i], m->buffer[i], m->at, cg_fold_finish(l, f, ir_def(f, m->g->v[i]), x[i]));
}

static void
map_body(mapping *m)
{
    if (is_joint(m)) {
        joint_body(m);
        return;
    }
    for (uint32_t i = 0; i < m->g->n; i++) {
        cg_val x = cg_pull(m->l, m->fr, m->g->v[i], m->at);
        if (m->put)
            m->put(m->l, m->user, m->at, x);
        else
            store(m->l, m->fr, m->g->v[i], m->buffer[i], m->at, x);
    }
}

static void map_level(mapping *m, int level);

typedef struct map_step { mapping *m; int level; } map_step;

/* The axes of the loop at this level from its variable. */
static void
set_axes(mapping *m, int level, cg_ix x)
{
    int i = m->order[level], first = m->s.first[i];
    cg_ix_split(&m->l->ix, x, m->s.last[i] - first, m->g->space->dims + first, m->at + first);
}

static void
map_inside(cg_lowering *l, void *user, cg_ix x)
{
    const map_step *s = user;
    (void)l;
    set_axes(s->m, s->level, x);
    map_level(s->m, s->level + 1);
}

/* A loop over the starts of pieces of `size`, the last moved back to end where the axis does. */
static cg_val
pieces_begin(cg_lowering *l, cg_kind kind, int64_t n, int64_t size, cg_val *start)
{
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, n), size, 0);
    *start = cg_loop_var(&l->b, loop);
    if (n % size)
        *start = cg_imin(&l->b, *start, cg_i64(&l->b, n - size));
    return loop;
}

/* The last two loops in squares: copies along one, lanes along the other, so that an operand that is dense
 * along the first is read by vectors and transposed in registers. */
static void
map_squares(mapping *m, int level, cg_kind kind)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    int64_t nx = m->s.extent[m->order[level]], ny = m->s.extent[m->order[level + 1]];
    cg_val x, y;
    cg_val rows = pieces_begin(l, kind, nx, m->lanes, &x), columns = pieces_begin(l, CG_SERIAL, ny, m->lanes, &y);
    cg_val copies = cg_loop_begin(b, CG_UNROLL, cg_i64(b, 0), cg_i64(b, m->lanes), 1, 0);
    cg_val lanes = cg_loop_begin(b, CG_VECTOR, cg_i64(b, 0), cg_i64(b, m->lanes), 1, 0);
    uint32_t mark = cg_scope_begin(l);
    set_axes(m, level, cg_ix_var(&l->ix, cg_iadd(b, x, cg_loop_var(b, copies)), 0, nx - 1));
    set_axes(m, level + 1, cg_ix_var(&l->ix, cg_iadd(b, y, cg_loop_var(b, lanes)), 0, ny - 1));
    l->vector = true;
    map_body(m);
    l->vector = false;
    cg_scope_end(l, mark);
    cg_loop_end(b, lanes);
    cg_loop_end(b, copies);
    cg_loop_end(b, columns);
    cg_loop_end(b, rows);
}

static void
map_level(mapping *m, int level)
{
    if (level == m->s.n) {
        map_body(m);
        return;
    }
    map_step s = { m, level };
    cg_kind kind = level == 0 && m->parallel ? CG_PARALLEL : CG_SERIAL;
    if (m->tile && level == m->s.n - 2) {
        map_squares(m, level, kind);
        return;
    }
    cg_each(m->l, kind, m->s.extent[m->order[level]], level == m->s.n - 1 ? m->lanes : 1, m->again, map_inside, &s);
}

static void
pick_order(mapping *m)
{
    int n = m->s.n, dense = m->s.dense, v = dense;
    for (int i = 0; i < n && m->lanes > 1 && m->s.extent[dense] * 2 < m->lanes; i++)
        if (m->s.extent[i] > m->s.extent[v])
            v = i;
    for (int i = 0, k = 0; i < n; i++)
        if (i != v)
            m->order[k++] = i;
    if (n > 0)
        m->order[n - 1] = v;
    int x = m->s.across;
    int64_t lanes = cg_lanes(m->l, m->s.widest);
    m->tile = x >= 0 && v == dense && m->again && !m->s.reduces && lanes > 1 && lanes <= 16 && m->s.cost <= HEAVY
        && m->s.extent[x] >= lanes && m->s.extent[v] >= lanes;
    if (!m->tile)
        return;
    m->lanes = lanes;
    for (int i = 0, k = 0; i < n; i++)
        if (i != x && i != v)
            m->order[k++] = i;
    m->order[n - 2] = x;
}

static void
run_mapping(mapping *m)
{
    cg_lowering *l = m->l;
    int64_t size = m->g->space->size;
    m->lanes = cg_lanes(l, m->s.widest);
    if (m->lanes > 1 && m->s.reduces)
        m->lanes *= m->s.each <= 6 && m->g->n == 1 ? 8 : 4;     /* whole lines of memory for each row that is summed */
    else if (m->lanes > 1 && m->s.cost <= HEAVY)
        m->lanes *= 2;
    pick_order(m);
    note(l, m->fr, m->g);
    l->k->flops = m->s.cost * size;
    l->k->bytes = (int64_t)m->g->n * size * m->s.widest / 8;
    m->parallel = l->o->threads > 1 && (m->s.cost + 2) * size > CG_COST_PARALLEL && m->s.n > 0;
    ir_buf_printf(l->why, "%s: map of %" PRId64 " elements, %d loops, %" PRId64 " lanes, cost %" PRId64 "%s%s\n",
                  l->k->name, size, m->s.n, m->lanes, m->s.cost, m->tile ? ", squares" : "",
                  m->parallel ? ", parallel" : "");
    map_level(m, 0);
}

/* A result may lie where an operand was: then no element may be done twice. */
static bool
writes_over(const cg_lowering *l, const cg_frame *fr, const cg_walk *w, const cg_group *g)
{
    (void)l;
    for (uint32_t i = 0; i < w->n_reads; i++)
        for (uint32_t j = 0; w->read[i].v && j < g->n; j++)
            if (fr->place[w->read[i].v].set && fr->place[w->read[i].v].buffer == fr->place[g->v[j]].buffer)
                return true;
    return false;
}

void
cg_map_kernel(cg_lowering *l, cg_frame *fr, const cg_cut *cut, const cg_group *g)
{
    mapping m = { .l = l, .fr = fr, .g = g };
    uint32_t *buffer = IR_NEW_N(l->arena, uint32_t, g->n);
    cg_walk w;
    if (cg_column_kernel(l, fr, g)) {
        note(l, fr, g);
        return;
    }
    m.s = find_nest(l, fr, cut, g, NULL, &w);
    m.again = !writes_over(l, fr, &w, g);
    m.buffer = buffer;
    for (uint32_t i = 0; i < g->n; i++)
        buffer[i] = cg_place_buffer(l, &fr->place[g->v[i]], ir_type_at(fr->f, g->v[i]), "y", true);
    run_mapping(&m);
}

void
cg_put_kernel(cg_lowering *l, cg_frame *fr, const cg_cut *cut, ir_ref v, const int64_t *stride, cg_put *put,
              void *user)
{
    cg_group g = { .kind = CG_GROUP_MAP, .space = ir_type_at(fr->f, v), .n = 1, .v = &v };
    mapping m = { .l = l, .fr = fr, .g = &g, .put = put, .user = user, .again = true };
    cg_walk w;
    m.s = find_nest(l, fr, cut, &g, stride, &w);
    run_mapping(&m);
}

/* -- row --------------------------------------------------------------------------------------------- */

typedef struct rows {
    cg_lowering *l;
    cg_frame *fr;
    const cg_cut *cut;
    const cg_group *g;
    int64_t n;                          /* elements of a row    */
    int64_t outer;                      /* rows                 */
    int *stage;                         /* of each value of g   */
    int stages, now;
    int *first;                         /* of each value of the graph: 1 + the stage that computes it first */
    bool *keep;                         /* kept in a row on the stack   */
    uint32_t *kept_in;                  /* its buffer                   */
    uint32_t *buffer;                   /* of each value of g           */
    int64_t cost;
    int widest;
    bool again;                         /* no result lies where an operand was */
    cg_ix at[COT_MAX_RANK + 1];
} rows;

static bool
is_reduce(const rows *r, ir_ref v)
{
    const ir_node *n = ir_def(r->fr->f, v);
    return n && cg_is_row_reduce(r->fr->f, n);
}

static bool
is_outer(const rows *r, ir_ref v)
{
    return cg_is_outer_member(r->fr->f, r->g, v);
}

static int
index_in_group(const cg_group *g, ir_ref v)
{
    for (uint32_t i = 0; v && i < g->n; i++)
        if (g->v[i] == v)
            return (int)i;
    return -1;
}

static cg_ix *
walk_member(rows *r, cg_walk *w, ir_ref v, const bool *stop)
{
    cg_walk_begin(w, r->l->arena, r->fr->f, stop);
    cg_ix *at = cg_walk_space(w, r->g->space->rank, r->g->space->dims);     /* the outer axes come first */
    if (is_reduce(r, v))
        cg_walk_value(w, ir_def(r->fr->f, v)->in[0], at);
    else
        cg_walk_root(w, v, at);
    return at;
}

/* A member is one pass after each reduction of the group it reads, and not before another result it reads. */
static void
find_stages(rows *r)
{
    r->stage = IR_NEW_N(r->l->arena, int, r->g->n);
    for (uint32_t i = 0; i < r->g->n; i++) {
        cg_walk w;
        walk_member(r, &w, r->g->v[i], r->cut->root);
        r->again &= !writes_over(r->l, r->fr, &w, r->g);
        for (uint32_t j = 0; j < w.n_reads; j++) {
            int m = index_in_group(r->g, w.read[j].v);
            if (m < 0)
                continue;
            int s = r->stage[m] + is_reduce(r, r->g->v[m]);
            if (s > r->stage[i])
                r->stage[i] = s;
        }
        if (r->stage[i] + 1 > r->stages)
            r->stages = r->stage[i] + 1;
        r->cost += w.cost + 1;
        if (w.widest > r->widest)
            r->widest = w.widest;
    }
}

static int64_t
cost_of(const rows *r, ir_ref v, int depth)
{
    const ir_node *n = ir_def(r->fr->f, v);
    if (!n || r->cut->root[v] || depth > 40)
        return 0;
    int64_t c = cg_op_cost(r->fr->f, n);
    for (int i = 0; i < n->n_in && c <= CG_COST_SHARE; i++)
        c += cost_of(r, n->in[i], depth + 1);
    return c;
}

/* Keep what was computed at every element of the row in an earlier pass, and is dear. */
static void
find_kept(rows *r)
{
    const ir_graph *f = r->fr->f;
    bool *stop = IR_NEW_N(r->l->arena, bool, f->n_values);
    r->first = IR_NEW_N(r->l->arena, int, f->n_values);
    r->keep = IR_NEW_N(r->l->arena, bool, f->n_values);
    r->kept_in = IR_NEW_N(r->l->arena, uint32_t, f->n_values);
    memcpy(stop, r->cut->root, sizeof *stop * f->n_values);
    /* a single row may be split among threads, whose stacks are their own */
    int64_t room = r->outer == 1 && r->n > 8192 ? 0 : CG_ROW_MOST;
    for (int s = 0; s < r->stages; s++)
        for (uint32_t i = 0; i < r->g->n; i++) {
            cg_walk w;
            if (r->stage[i] != s)
                continue;
            cg_ix *at = walk_member(r, &w, r->g->v[i], stop);
            for (uint32_t j = 0; j < w.n_seen; j++) {
                const cg_seen *e = &w.seen[j];
                const ir_type *t = ir_type_at(f, e->v);
                bool whole = ir_same_shape(t, r->g->space) && !stop[e->v] && ir_def(f, e->v)
                    && (t->rank == 0 || memcmp(e->at, at, sizeof *at * (size_t)t->rank) == 0);
                if (!whole)
                    continue;
                if (r->first[e->v] == 0)
                    r->first[e->v] = s + 1;
                int64_t bytes = r->n * (int64_t)cot_dtype_size(t->dtype);
                if (r->first[e->v] > s || bytes > room || cost_of(r, e->v, 0) <= CG_COST_SHARE)
                    continue;
                r->keep[e->v] = stop[e->v] = true;
                room -= bytes;
            }
        }
}

/* The results and the kept values of this pass at an element; then what the reductions want. */
typedef struct pass {
    rows *r;
    int n;
    ir_ref reduce[8];
    cg_fold how[8];
} pass;

static void
element_of_pass(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    pass *p = user;
    rows *r = p->r;
    const ir_graph *f = r->fr->f;
    cg_ix at[COT_MAX_RANK + 1];
    int outer = r->g->outer, rank = r->g->space->rank;
    memcpy(at, r->at, sizeof *at * (size_t)outer);
    cg_ix_split(&l->ix, j, rank - outer, r->g->space->dims + outer, at + outer);
    for (int i = 0; i < p->n; i++) {
        ir_ref x = ir_def(f, p->reduce[i])->in[0];
        e[i] = cg_convert(l, cg_pull(l, r->fr, x, at), ir_type_at(f, x)->dtype, p->how[i].type);
    }
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == r->now && !is_outer(r, r->g->v[i]))
            store(l, r->fr, r->g->v[i], r->buffer[i], at, cg_pull(l, r->fr, r->g->v[i], at));
    for (ir_ref v = 1; v < f->n_values; v++)
        if (r->keep[v] && r->first[v] == r->now + 1)
            cg_store(&l->b, r->kept_in[v], cg_ix_value(&l->ix, &l->b, j), cg_pull(l, r->fr, v, at), l->mask);
}

static void
element_alone(cg_lowering *l, void *user, cg_ix j)
{
    element_of_pass(l, user, j, NULL);
}

/* A pass without reductions: lanes along the row. */
static void
plain_pass(rows *r, pass *p)
{
    int64_t lanes = cg_lanes(r->l, r->widest ? r->widest : 8);
    if (lanes > 1 && r->cost <= HEAVY)
        lanes *= 2;
    cg_each(r->l, CG_SERIAL, r->n, lanes, r->again, element_alone, p);
}

static void
finish_reduction(rows *r, const pass *p, int i, cg_val x)
{
    cg_lowering *l = r->l;
    ir_ref v = p->reduce[i];
    x = cg_fold_finish(l, r->fr->f, ir_def(r->fr->f, v), x);
    store(l, r->fr, v, r->buffer[index_in_group(r->g, v)], r->at, x);
    cg_remember(l, r->fr, v, r->at, x);
}

static bool
is_plain_reduce(const ir_node *n)
{
    return n->op != OP_argmax && n->op != OP_argmin;
}

static void
row_pass(rows *r, bool parallel)
{
    cg_lowering *l = r->l;
    pass p = { .r = r };
    bool maps = false;
    cg_val x[8];
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        if (r->stage[i] != r->now)
            continue;
        if (!is_outer(r, r->g->v[i])) {
            maps = true;
        } else if (!is_reduce(r, r->g->v[i])) {         /* before the loop: its reductions are done */
            cg_val a = cg_pull(l, r->fr, r->g->v[i], r->at);
            store(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
        } else if (!is_plain_reduce(n)) {       /* argmax has two loops of its own */
            cg_val a = lower_arg(l, r->fr, n, 0, r->at);
            store(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
            cg_remember(l, r->fr, r->g->v[i], r->at, a);
        } else {
            p.reduce[p.n] = r->g->v[i];
            p.how[p.n++] = cg_fold_of(n->op, ir_type_at(r->fr->f, n->in[0])->dtype);
        }
    }
    if (p.n == 0 && maps)
        plain_pass(r, &p);
    if (p.n == 0)
        return;
    cg_fold_form form = cg_lanes(l, 32) > 1 ? CG_FOLD_LANES : CG_FOLD_SERIAL;
    cg_fold_loops(l, r->n, p.n, p.how, form, parallel, element_of_pass, &p, x);
    for (int i = 0; i < p.n; i++)
        finish_reduction(r, &p, i, x[i]);
}

static void
bind_kept(rows *r, int stage)
{
    const ir_graph *f = r->fr->f;
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == stage && !is_outer(r, r->g->v[i]))
            r->fr->bind[r->g->v[i]] = (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = r->buffer[i] };
    for (ir_ref v = 1; v < f->n_values; v++)
        if (r->keep[v] && r->first[v] == stage + 1)
            r->fr->bind[v] = (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = r->kept_in[v], .last_only = r->n };
}

void
cg_row_kernel(cg_lowering *l, cg_frame *fr, const cg_cut *cut, const cg_group *g)
{
    rows r = { .l = l, .fr = fr, .cut = cut, .g = g, .n = 1, .outer = 1, .again = true };
    for (int k = 0; k < g->space->rank; k++)
        *(k < g->outer ? &r.outer : &r.n) *= g->space->dims[k];
    r.buffer = IR_NEW_N(l->arena, uint32_t, g->n);
    for (uint32_t i = 0; i < g->n; i++)
        r.buffer[i] = cg_place_buffer(l, &fr->place[g->v[i]], ir_type_at(fr->f, g->v[i]), "y", true);
    note(l, fr, g);
    find_stages(&r);
    find_kept(&r);
    for (ir_ref v = 1; v < fr->f->n_values; v++)
        if (r.keep[v])
            r.kept_in[v] = cg_local_buffer(l, "row", ir_type_at(fr->f, v)->dtype, r.n);
    bool many = l->o->threads > 1 && r.cost * g->space->size > CG_COST_PARALLEL;
    cg_val loop = 0;
    uint32_t mark = cg_scope_begin(l);
    if (r.outer > 1) {
        cg_kind kind = many ? CG_PARALLEL : CG_SERIAL;
        loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, r.outer), 1, 0);
        cg_ix row = cg_ix_var(&l->ix, cg_loop_var(&l->b, loop), 0, r.outer - 1);
        cg_ix_split(&l->ix, row, g->outer, g->space->dims, r.at);
    }
    l->k->flops = r.cost * g->space->size;
    l->k->bytes = g->space->size * (r.widest ? r.widest : 8) / 8 * 2;
    ir_buf_printf(l->why, "%s: %" PRId64 " rows of %" PRId64 ", %d passes, cost %" PRId64 "%s\n", l->k->name,
                  r.outer, r.n, r.stages, r.cost, many ? ", parallel" : "");
    for (r.now = 0; r.now < r.stages; r.now++) {
        row_pass(&r, many && r.outer == 1);
        bind_kept(&r, r.now);
    }
    cg_scope_end(l, mark);
    if (loop)
        cg_loop_end(&l->b, loop);
}
