/* The loops of map kernels: which axes become one, which one the lanes run along, what is
 * unrolled, and what is split among threads.
 *
 * Axes of the space that every address crosses as one are merged; the last one left (or the
 * longest, if the last is shorter than a vector) becomes a vector loop.  A last vector that
 * would stick out is moved back to end where the axis does, so that some elements are
 * computed twice, with the same bits.  Loops are split where a pad or concatenate changes
 * (index_split.h), if the code of all pieces stays small. */
#include <inttypes.h>

#include "codegen/elemental/fold.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/access.h"
#include "codegen/fuse/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/index_split.h"
#include "codegen/schedule/schedule.h"

/* -- map ----------------------------------------------------------------------------------- */

/* The loops of a map kernel: axis k of the space belongs to loop of[k]; loops in order,
 * outermost first. */
typedef struct nest {
    int n;
    int64_t extent[COT_MAX_RANK + 1];
    int first[COT_MAX_RANK + 1], last[COT_MAX_RANK + 1]; /* axes */
    int64_t cost;
    int widest;
    bool reduces; /* some value is a reduction of its own */
    int64_t each; /* and what one of its elements costs   */
    int dense;  /* the loop along which results are dense: the last, if they lie so */
    int across; /* the loop along which an operand is dense that is not along that; -1: none */
    cg_index_splits cuts[COT_MAX_RANK + 1];
    int64_t cut_cost[COT_MAX_RANK + 1];     /* of one element of each piece, together */
} nest;

static bool
merges(const cg_access *w, cg_ix flat, const cg_ix *space, int k, int next, int64_t size)
{
    bool p, q;
    int64_t a = cg_ix_coef(&w->ix, flat, space[k], &p),
            b = cg_ix_coef(&w->ix, flat, space[next], &q);
    return p && q && a == b * size;
}

static bool
axes_merge(cg_access *w, const ir_graph *f, const ir_type *space, const cg_ix *at, int k,
           int next)
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

/* Dense, from either end, or the one half of pairs, as parts of complex numbers lie. */
static bool
is_near(int64_t step)
{
    return step == 1 || step == 2 || step == -1;
}

static int
find_across(cg_access *w, const ir_graph *f, const nest *s, const cg_ix *at)
{
    for (uint32_t i = 0; i < w->n_reads; i++) {
        const cg_read *r = &w->read[i];
        bool pure, other;
        if (!r->v || s->n < 2)
            continue;
        cg_ix flat =
            cg_ix_flat(&w->ix, ir_type_at(f, r->v)->rank, ir_type_at(f, r->v)->dims, r->at);
        int64_t k = cg_ix_coef(&w->ix, flat, at[s->last[s->dense] - 1], &pure);
        if (!pure || (k >= -1 && k <= 1))
            continue;
        for (int j = 0; j < s->n; j++)
            if (j != s->dense &&
                is_near(cg_ix_coef(&w->ix, flat, at[s->last[j] - 1], &other)) && other)
                return j;
    }
    return -1;
}

static void
walk_group(cg_access *w, const cg_frame *fr, const cg_group *g, const cg_ix *at)
{
    for (uint32_t i = 0; i < g->n; i++) {
        if (cg_is_made(fr, g->v[i]))
            cg_access_root(w, g->v[i], at);
        else
            cg_access_value(w, g->v[i], at);
    }
}

/* More pieces than these are not worth looking at, nor pieces of a few elements in all. */
enum { MAX_SPLITS = 64, CUTS_LEAST_SIZE = 512 };

static void
find_cuts(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
          const cg_access *w, const cg_ix *at, nest *s)
{
    for (int i = 0; i < s->n && w->n_tests > 0 && g->space->size >= CUTS_LEAST_SIZE; i++) {
        int first = s->first[i], last = s->last[i];
        s->cuts[i] = cg_index_splits_of(w, at, first, last, s->extent[i], MAX_SPLITS);
        for (int j = 0; j < s->cuts[i].n && s->cuts[i].n > 1; j++) {
            cg_access piece;
            cg_access_begin(&piece, l->scratch, fr->f, fusion->root);
            cg_ix *x = cg_access_space(&piece, g->space->rank, g->space->dims);
            cg_ix v = cg_ix_var(&piece.ix, 0, s->cuts[i].start[j], s->cuts[i].start[j + 1] - 1);
            cg_ix_split(&piece.ix, v, last - first, g->space->dims + first, x + first);
            walk_group(&piece, fr, g, x);
            s->cut_cost[i] += piece.cost;
        }
    }
}

enum { WIDE_PART = 4 };

/* stride: of the axes of what the values are stored into, if not dense arrays of their own. */
static nest
find_nest(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
          const int64_t *stride, cg_access *w)
{
    const ir_graph *f = fr->f;
    nest s = { 0 };
    cg_access_begin(w, l->scratch, f, fusion->root);
    cg_ix *at = cg_access_space(w, g->space->rank, g->space->dims);
    walk_group(w, fr, g, at);
    int last = -1;
    for (int k = 0; k < g->space->rank; k++) {
        if (g->space->dims[k] == 1)
            continue;
        if (last >= 0 && axes_merge(w, f, g->space, at, last, k) &&
            (!stride || stride[last] == stride[k] * g->space->dims[k])) {
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
    if (s.widest == 64 && w->wide * WIDE_PART <= w->cost)
        /* a few counters: two registers each, rather than half of one for all else */
        s.widest = 32;
    find_cuts(l, fr, fusion, g, w, at, &s);
    return s;
}

/* -- map kernels --------------------------------------------------------------------------- */

typedef struct mapping {
    cg_lowering *l;
    cg_frame *fr;
    const cg_group *g;
    const uint32_t *buffer;
    cg_put *put; /* instead of buffers */
    void *user;
    nest s;
    /* loops, outermost first; the last one is the vector loop */
    int levels, order[COT_MAX_RANK + 1];
    int64_t lanes;
    bool tile; /* the last two loops run in squares of lanes */
    /* a short dense loop, no level, all elements of which are made at once; -1: none */
    int inside;
    bool parallel, again;
    bool fusion[COT_MAX_RANK + 1]; /* loops that run in pieces */
    int pieces;
    cg_ix at[COT_MAX_RANK + 1];
} mapping;

/* Are all of the values reductions of the same axes of equal shapes, too long to unroll?  They
 * share their loops. */
static bool
is_joint(const mapping *m)
{
    const ir_graph *f = m->fr->f;
    const ir_node *first = ir_def(f, m->g->v[0]);
    for (uint32_t i = 0; i < m->g->n; i++) {
        const ir_node *n = ir_def(f, m->g->v[i]);
        if (!n || !ir_is_fold(n->op) || n->at.axes.axes != first->at.axes.axes ||
            !ir_same_shape(ir_type_at(f, n->in[0]), ir_type_at(f, first->in[0])))
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
        e[i] = cg_convert(l, cg_element(l, m->fr, n->in[0], to), t, ir_compute_type(t));
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
        how[i] = cg_fold_of(ir_ops[n->op].by, ir_type_at(f, n->in[0])->dtype);
    }
    cg_fold_loops(l, cg_reduced(f, ir_def(f, m->g->v[0]), &a, &b), (int)m->g->n, how,
                  CG_FOLD_SERIAL, false, joint_element, m, x);
    for (uint32_t i = 0; i < m->g->n; i++)
        cg_store_element(l, m->fr, m->g->v[i], m->buffer[i], m->at,
                         cg_fold_finish(l, f, ir_def(f, m->g->v[i]), x[i]));
}

/* The axes of loop i from its variable. */
static void
set_loop(mapping *m, int i, cg_ix x)
{
    int first = m->s.first[i];
    cg_ix_split(&m->l->ix, x, m->s.last[i] - first, m->g->space->dims + first, m->at + first);
}

static void
set_axes(mapping *m, int level, cg_ix x)
{
    set_loop(m, m->order[level], x);
}

/* All elements along the short dense loop, and where they go; then their stores, side by
 * side: the emitter makes whole vectors of them. */
static void
inside_body(mapping *m)
{
    cg_lowering *l = m->l;
    const ir_graph *f = m->fr->f;
    const int64_t n = m->s.extent[m->inside], all = n * m->g->n;
    cg_val *x = IR_NEW_N(l->arena, cg_val, all), *where = IR_NEW_N(l->arena, cg_val, all);
    for (int64_t i = 0; i < all; i++) {
        const ir_ref v = m->g->v[i / n];

        set_loop(m, m->inside, cg_ix_const(&l->ix, i % n));
        x[i] = cg_element(l, m->fr, v, m->at);
        const cg_ix flat =
            cg_ix_flat(&l->ix, ir_type_at(f, v)->rank, ir_type_at(f, v)->dims, m->at);
        where[i] = cg_ix_value(&l->ix, &l->b, flat);
    }
    for (int64_t i = 0; i < all; i++)
        cg_store(&l->b, m->buffer[i / n], where[i], x[i], 0);
}

static void
map_body(mapping *m)
{
    if (is_joint(m)) {
        joint_body(m);
        return;
    }
    if (m->inside >= 0) {
        inside_body(m);
        return;
    }
    cg_val *x = IR_NEW_N(m->l->arena, cg_val, m->g->n);
    for (uint32_t i = 0; i < m->g->n; i++) {
        x[i] = cg_element(m->l, m->fr, m->g->v[i], m->at);
        if (m->put)
            m->put(m->l, m->user, m->at, x[i]);
        else if (m->again)
            cg_store_element(m->l, m->fr, m->g->v[i], m->buffer[i], m->at, x[i]);
    }
    /* over operands: only when all that read them are done with this element */
    for (uint32_t i = 0; i < m->g->n && !m->put && !m->again; i++)
        cg_store_element(m->l, m->fr, m->g->v[i], m->buffer[i], m->at, x[i]);
}

static void map_level(mapping *m, int level);

typedef struct map_step {
    mapping *m;
    int level;
    int64_t start;      /* of the piece */
} map_step;

static void
map_inside(cg_lowering *l, void *user, cg_ix x)
{
    const map_step *s = user;
    set_axes(s->m, s->level, cg_ix_addc(&l->ix, x, s->start));
    map_level(s->m, s->level + 1);
}

/* A loop over the starts of pieces of `size`, the last moved back to end where the axis
 * does. */
static cg_val
pieces_begin(cg_lowering *l, cg_kind kind, int64_t n, int64_t size, cg_val *start)
{
    cg_val loop = cg_loop_begin(&l->b, kind, cg_i64(&l->b, 0), cg_i64(&l->b, n), size, 0);
    *start = cg_loop_var(&l->b, loop);
    if (n % size)
        *start = cg_imin(&l->b, *start, cg_i64(&l->b, n - size));
    return loop;
}

/* Elements first ... first + n - 1 of a loop. */
typedef struct span {
    int64_t first, n;
} span;

/* A part of the last two loops in squares: copies along one, lanes along the other, so that
 * an operand that is dense along the first is read by vectors and transposed in registers. */
static void
map_squares(mapping *m, int level, cg_kind kind, span along, span lane)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    int64_t nx = along.n, ny = lane.n;
    cg_val x, y;
    cg_val rows = pieces_begin(l, kind, nx, m->lanes, &x),
           columns = pieces_begin(l, CG_SERIAL, ny, m->lanes, &y);
    cg_val copies = cg_loop_begin(b, CG_UNROLL, cg_i64(b, 0), cg_i64(b, m->lanes), 1, 0);
    cg_val lanes = cg_loop_begin(b, CG_VECTOR, cg_i64(b, 0), cg_i64(b, m->lanes), 1, 0);
    uint32_t mark = cg_scope_begin(l);
    cg_ix ix = cg_ix_var(&l->ix, cg_iadd(b, x, cg_loop_var(b, copies)), 0, nx - 1),
          iy = cg_ix_var(&l->ix, cg_iadd(b, y, cg_loop_var(b, lanes)), 0, ny - 1);
    set_axes(m, level, cg_ix_addc(&l->ix, ix, along.first));
    set_axes(m, level + 1, cg_ix_addc(&l->ix, iy, lane.first));
    l->vector = true;
    map_body(m);
    l->vector = false;
    cg_scope_end(l, mark);
    cg_loop_end(b, lanes);
    cg_loop_end(b, copies);
    cg_loop_end(b, columns);
    cg_loop_end(b, rows);
}

/* Squares that threads share are apart: one that is moved back comes after their loop. */
static void
map_squares_of(mapping *m, int level, cg_kind kind, span along, span lane)
{
    const int64_t whole = along.n / m->lanes * m->lanes;
    const span last = { along.first + along.n - m->lanes, m->lanes };

    if (kind != CG_PARALLEL || whole == along.n) {
        map_squares(m, level, kind, along, lane);
        return;
    }
    map_squares(m, level, kind, (span){ along.first, whole }, lane);
    map_squares(m, level, CG_SERIAL, last, lane);
}

typedef struct edge_step {
    mapping *m;
    int level;
    span at, next;
} edge_step;

static void
edge_inside(cg_lowering *l, void *user, cg_ix x)
{
    const edge_step *s = user;
    set_axes(s->m, s->level, cg_ix_addc(&l->ix, x, s->at.first));
    if (s->level == s->m->s.n - 1) {
        map_body(s->m);
        return;
    }
    edge_step lane = { s->m, s->level + 1, s->next, { 0 } };
    cg_strip_mine(l, CG_SERIAL, s->next.n, s->m->lanes, s->m->again, edge_inside, &lane);
}

static span
piece_of(const cg_index_splits *cuts, int i, int64_t extent)
{
    return cuts->n < 2 ? (span){ 0, extent }
                       : (span){ cuts->start[i], cuts->start[i + 1] - cuts->start[i] };
}

/* The last two loops in squares, each in its pieces; what is narrower than a square, as the
 * edges of a pad are, line by line. */
static void
map_tiled(mapping *m, int level)
{
    const int x = m->order[level], y = m->order[level + 1];
    const cg_index_splits *cx = &m->s.cuts[x], *cy = &m->s.cuts[y];

    for (int i = 0; i == 0 || i < cx->n; i++)
        for (int j = 0; j == 0 || j < cy->n; j++) {
            const span along = piece_of(cx, i, m->s.extent[x]),
                       lane = piece_of(cy, j, m->s.extent[y]);
            const bool parallel = level == 0 && m->parallel && along.n * 2 > m->s.extent[x];
            const cg_kind kind = parallel ? CG_PARALLEL : CG_SERIAL;
            edge_step s = { m, level, along, lane };

            if (along.n >= m->lanes && lane.n >= m->lanes)
                map_squares_of(m, level, kind, along, lane);
            else
                cg_strip_mine(m->l, kind, along.n, 1, m->again, edge_inside, &s);
        }
}

static void
map_level(mapping *m, int level)
{
    if (level == m->levels) {
        map_body(m);
        return;
    }
    int i = m->order[level];
    const cg_index_splits whole = { 1, (const int64_t[]){ 0, m->s.extent[i] } },
                          *cuts = m->fusion[i] ? &m->s.cuts[i] : &whole;
    if (m->tile && level == m->s.n - 2) {
        map_tiled(m, level);
        return;
    }
    for (int j = 0; j < cuts->n; j++) {
        map_step s = { m, level, cuts->start[j] };
        int64_t n = cuts->start[j + 1] - cuts->start[j];
        cg_kind kind =
            level == 0 && m->parallel && n * 2 > m->s.extent[i] ? CG_PARALLEL : CG_SERIAL;
        cg_strip_mine(m->l, kind, n, level == m->levels - 1 ? m->lanes : 1, m->again,
                      map_inside, &s);
    }
}

/* The code of all pieces, in instructions for one element: of a stencil, and at most. */
enum { CUT_COST = 600, SQUARES_PIECES = 3 };

/* Cut the vector loop first, if its pieces are vectors, and the loops around it while the code
 * stays small. */
static void
pick_cuts(mapping *m)
{
    int64_t copies = 1, most = m->s.cost > CUT_COST / 2 ? 2 * m->s.cost : CUT_COST;
    for (int level = m->levels - 1; level >= 0; level--) {
        int i = m->order[level], n = m->s.cuts[i].n;
        if (n < 2 || (m->tile && level >= m->levels - 2) ||
            (level == m->levels - 1 && m->s.extent[i] <= n * m->lanes) ||
            m->s.cut_cost[i] * copies > most)
            continue;
        m->fusion[i] = true;
        m->pieces += n;
        copies *= n;
    }
}

/* The side of the squares: a register's lanes, or fewer where little is moved, since the code
 * of a square is as long as its elements are many. */
static int64_t
square_side(const mapping *m, int64_t lanes)
{
    const int64_t size = m->g->space->size;

    return size <= 512 && lanes > 4                     ? 4
           : (size <= 4096 || m->g->n > 1) && lanes > 8 ? 8
                                                        : lanes;
}

/* Is the dense axis too short for the lanes?  Lanes that lie apart are loaded and stored one by
 * one, so 256 bits of neighbours are better than a longer vector of those. */
static bool
is_short(const mapping *m, int64_t dense)
{
    const int64_t enough = m->s.reduces ? cg_lanes(m->l, m->s.widest) : 512 / m->s.widest;

    return m->lanes > 1 && dense * 2 < (m->lanes < enough ? m->lanes : enough);
}

/* Is most of a loop one piece, that squares fit in? */
static bool
has_wide_piece(const mapping *m, int i, int64_t side)
{
    const cg_index_splits *c = &m->s.cuts[i];
    int64_t widest = c->n < 2 ? m->s.extent[i] : 0;

    for (int j = 0; c->n > 1 && j < c->n; j++)
        if (c->start[j + 1] - c->start[j] > widest)
            widest = c->start[j + 1] - c->start[j];
    return c->n <= SQUARES_PIECES && widest >= side && 2 * widest >= m->s.extent[i];
}

/* of a row that is made at once: above, its stores are little of it */
enum { INSIDE_COST = 128 };

/* Rows of two to four neighbours, or of eight, are stored as whole vectors where the lanes
 * go from row to row and all elements of a row are made at once: and what these share is
 * made once. */
static bool
goes_inside(const mapping *m, int v)
{
    const int64_t n = m->s.extent[m->s.dense];

    return (n <= 4 || n == 8) && v == m->s.dense - 1 && !m->put && !m->s.reduces &&
           m->s.extent[v] >= m->lanes && m->s.cost * n <= INSIDE_COST;
}

static void
pick_order(mapping *m)
{
    int n = m->s.n, dense = m->s.dense, v = dense;
    for (int i = 0; i < n && is_short(m, m->s.extent[dense]); i++)
        if (m->s.extent[i] > m->s.extent[v] || (v != dense && m->s.extent[i] >= 2 * m->lanes))
            v = i;
    if (v != dense && goes_inside(m, v))
        m->inside = dense;
    m->levels = 0;
    for (int i = 0; i < n; i++)
        if (i != v && i != m->inside)
            m->order[m->levels++] = i;
    if (n > 0)
        m->order[m->levels++] = v;
    int x = m->s.across;
    int64_t lanes = cg_lanes(m->l, m->s.widest);
    if (v != dense && v != x && m->lanes > lanes)
        /* lanes that lie apart are gathered one by one: more of them are no faster */
        m->lanes = lanes;
    m->tile = x >= 0 && v == dense && m->again && !m->s.reduces && lanes > 1 && lanes <= 16 &&
              m->s.cost <= CG_COST_HEAVY && has_wide_piece(m, x, lanes) &&
              has_wide_piece(m, v, lanes);
    if (!m->tile)
        return;
    m->lanes = square_side(m, lanes);
    for (int i = 0, k = 0; i < n; i++)
        if (i != x && i != v)
            m->order[k++] = i;
    m->order[n - 2] = x;
}

/* On a GPU an operand that is dense along another axis than the results: a thread has a square
 * of SIDE x SIDE elements, read by vectors along the one and stored by vectors along the other.
 * A warp has 8 squares along the first by 4 along the second: whole sectors of memory both
 * ways. */
enum { SIDE = 4, WARP_X = 8, WARP_Y = 4, SQUARE_COST = 40 };

static bool
has_squares(const mapping *m)
{
    const nest *s = &m->s;

    return s->across >= 0 && !m->put && m->again && !s->reduces && s->cost <= SQUARE_COST &&
           s->widest <= 128 / SIDE && s->extent[s->across] % (SIDE * WARP_X) == 0 &&
           s->extent[s->dense] % (SIDE * WARP_Y) == 0;
}

static void
map_grid_squares(mapping *m)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    const int n = m->s.n;
    const int64_t nx = m->s.extent[m->s.across], ny = m->s.extent[m->s.dense],
                  columns = ny / (SIDE * WARP_Y), rows = nx / (SIDE * WARP_X);
    uint32_t mark;
    cg_val i, grid = cg_threads_begin(l, m->g->space->size / (SIDE * SIDE), &mark, &i);
    cg_val x = cg_imod(b, i, WARP_X), y = cg_imod(b, cg_idiv(b, i, WARP_X), WARP_Y),
           rest = cg_idiv(b, i, WARP_X * WARP_Y);

    x = cg_iadd(b, cg_imul(b, cg_imod(b, rest, rows), WARP_X), x);
    rest = cg_idiv(b, rest, rows);
    y = cg_iadd(b, cg_imul(b, cg_imod(b, rest, columns), WARP_Y), y);
    rest = cg_idiv(b, rest, columns);
    for (int k = 0; k < n; k++)
        m->order[k] = k;
    for (int k = n - 1; k >= 0; k--) {
        if (k == m->s.across || k == m->s.dense)
            continue;
        set_axes(m, k,
                 cg_ix_var(&l->ix, cg_imod(b, rest, m->s.extent[k]), 0, m->s.extent[k] - 1));
        rest = cg_idiv(b, rest, m->s.extent[k]);
    }
    cg_val copies = cg_loop_begin(b, CG_UNROLL, cg_i64(b, 0), cg_i64(b, SIDE), 1, 0);
    cg_val lanes = cg_loop_begin(b, CG_VECTOR, cg_i64(b, 0), cg_i64(b, SIDE), 1, 0);
    x = cg_iadd(b, cg_imul(b, x, SIDE), cg_loop_var(b, copies));
    y = cg_iadd(b, cg_imul(b, y, SIDE), cg_loop_var(b, lanes));
    set_axes(m, m->s.across, cg_ix_var(&l->ix, x, 0, nx - 1));
    set_axes(m, m->s.dense, cg_ix_var(&l->ix, y, 0, ny - 1));
    l->vector = true;
    map_body(m);
    l->vector = false;
    cg_loop_end(b, lanes);
    cg_loop_end(b, copies);
    cg_threads_end(l, grid, mark);
}

/* On a GPU: a thread for each element, or for a vector of neighbours that are stored side by
 * side. */
static void
map_grid(mapping *m)
{
    cg_lowering *l = m->l;
    if (has_squares(m)) {
        map_grid_squares(m);
        return;
    }
    cg_build *b = &l->b;
    const ir_type *t = m->g->space;
    const int64_t size = t->size, last = m->s.n ? m->s.extent[m->s.n - 1] : 1;
    int64_t lanes = m->put || m->s.reduces || m->s.cost > CG_COST_HEAVY || !m->again
                        ? 1
                        : 128 / m->s.widest;
    uint32_t mark;
    while (lanes > 1 && (last % lanes || lanes > 4 || size / lanes < CG_BLOCK_THREADS))
        lanes /= 2;
    cg_val start, vector = 0, loop = cg_threads_begin(l, size / lanes, &mark, &start);
    start = cg_imul(b, start, lanes);
    if (lanes > 1) {
        vector = cg_loop_begin(b, CG_VECTOR, cg_i64(b, 0), cg_i64(b, lanes), 1, 0);
        start = cg_iadd(b, start, cg_loop_var(b, vector));
        l->vector = true;
    }
    cg_ix_split(&l->ix, cg_ix_var(&l->ix, start, 0, size - 1), t->rank, t->dims, m->at);
    map_body(m);
    l->vector = false;
    if (vector)
        cg_loop_end(b, vector);
    cg_threads_end(l, loop, mark);
}

static void
run_mapping(mapping *m)
{
    cg_lowering *l = m->l;
    int64_t size = m->g->space->size;
    m->lanes = cg_lanes(l, m->s.widest);
    m->inside = -1;
    if (m->lanes > 1 && m->s.reduces && m->s.n > 0 && m->s.cuts[m->s.dense].n > 1)
        ; /* one vector leaves most of the loop to pieces without masks */
    else if (m->lanes > 1 && m->s.reduces)
        m->lanes *= m->s.each <= 6 && m->g->n == 1
                        ? 8
                        : 4; /* whole lines of memory for each row that is summed */
    else if (m->lanes > 1 && m->s.cost <= CG_COST_HEAVY)
        m->lanes *= 2;
    if (m->lanes > CG_MAX_VECTOR)
        m->lanes = CG_MAX_VECTOR;
    if (!l->target.grid) {
        pick_order(m);
        pick_cuts(m);
    }
    cg_note_group(l, m->fr, m->g);
    l->k->flops = m->s.cost * size;
    m->parallel = cg_is_shared(l, (m->s.cost + 2) * size) && m->s.n > 0;
    ir_buf_printf(l->why,
                  "%s: map of %" PRId64 " elements, %d loops, %" PRId64 " lanes, cost %" PRId64
                  "%s%s%s\n",
                  l->k->name, size, m->s.n, m->lanes, m->s.cost,
                  m->tile          ? ", squares"
                  : m->inside >= 0 ? ", rows whole"
                                   : "",
                  m->pieces ? ", in pieces" : "", m->parallel ? ", parallel" : "");
    if (l->target.grid)
        map_grid(m);
    else
        map_level(m, 0);
}

/* Results above this size are in no cache when they are wanted again. */
enum { STREAM_BYTES = 32 << 20 };

void
cg_map_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g)
{
    mapping m = { .l = l, .fr = fr, .g = g };
    uint32_t *buffer = IR_NEW_N(l->arena, uint32_t, g->n);
    cg_access w;
    m.s = find_nest(l, fr, fusion, g, NULL, &w);
    m.again = !cg_writes_over(l, fr, &w, g);
    m.buffer = buffer;
    for (uint32_t i = 0; i < g->n; i++) {
        const ir_type *t = ir_type_at(fr->f, g->v[i]);
        buffer[i] = cg_place_buffer(l, &fr->place[g->v[i]], t, "y", true);
        l->k->buffer[buffer[i]].streams =
            m.again && t->size * cot_dtype_size(t->dtype) > STREAM_BYTES;
    }
    const int parts = m.again ? cg_interleaved_parts(fr, g) : 0;
    if (parts)
        cg_interleave_kernel(l, fr, fusion, g, buffer, parts);
    else
        run_mapping(&m);
}

void
cg_put_group(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
             const int64_t *stride, bool again, cg_put *put, void *user)
{
    mapping m = { .l = l, .fr = fr, .g = g, .put = put, .user = user, .again = again };
    cg_access w;
    m.s = find_nest(l, fr, fusion, g, stride, &w);
    run_mapping(&m);
}

void
cg_put_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, ir_ref v,
              const int64_t *stride, bool again, cg_put *put, void *user)
{
    const cg_group g = { .kind = CG_GROUP_MAP, .space = ir_type_at(fr->f, v), .n = 1, .v = &v };
    cg_put_group(l, fr, fusion, &g, stride, again, put, user);
}
