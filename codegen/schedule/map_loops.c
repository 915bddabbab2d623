/* The loops of map kernels: which of them is vectorised, which are unrolled, and which are
 * divided among threads.
 *
 * The loop along which results are contiguous becomes the vector loop, or the longest loop if
 * that one is shorter than a vector.  If the last vector would exceed the loop, it is moved
 * back to end with it; some elements are then computed twice, with the same bits.  Loops are
 * split (map_nest.c) if the code of all parts stays small. */
#include <inttypes.h>

#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/access.h"
#include "codegen/fuse/cost.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/map.h"
#include "codegen/tuning.h"

static void map_level(cg_mapping *m, int level);

typedef struct map_step {
    cg_mapping *m;
    int level;
    int64_t start;      /* first element of the part */
} map_step;

static void
map_iteration(cg_lowering *l, void *user, cg_ix x)
{
    const map_step *s = user;
    cg_map_set_axes(s->m, s->level, cg_ix_addc(&l->ix, x, s->start));
    map_level(s->m, s->level + 1);
}

/* Begin a loop over blocks of `size` elements.  The last block is moved back to end with the
 * loop. */
static cg_val
blocks_begin(cg_lowering *l, cg_kind kind, int64_t n, int64_t size, cg_val *start)
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

/* Emit a part of the last two loops by register transposes.  Copies run along one loop and
 * lanes along the other, so that an operand that is contiguous along the first loop is loaded
 * as vectors and transposed in registers. */
static void
map_tiles(cg_mapping *m, int level, cg_kind kind, span along, span lane)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    int64_t nx = along.n, ny = lane.n;
    cg_val x, y;
    cg_val rows = blocks_begin(l, kind, nx, m->lanes, &x),
           columns = blocks_begin(l, CG_SERIAL, ny, m->lanes, &y);
    cg_val copies = cg_loop_of(b, CG_UNROLL, m->lanes);
    cg_val lanes = cg_loop_of(b, CG_VECTOR, m->lanes);
    cg_ix ix = cg_ix_var(&l->ix, cg_iadd(b, x, cg_loop_var(b, copies)), 0, nx - 1),
          iy = cg_ix_var(&l->ix, cg_iadd(b, y, cg_loop_var(b, lanes)), 0, ny - 1);
    cg_map_set_axes(m, level, cg_ix_addc(&l->ix, ix, along.first));
    cg_map_set_axes(m, level + 1, cg_ix_addc(&l->ix, iy, lane.first));
    l->vector = true;
    cg_map_body(m);
    l->vector = false;
    cg_loop_end(b, lanes);
    cg_loop_end(b, copies);
    cg_loop_end(b, columns);
    cg_loop_end(b, rows);
}

/* Blocks that threads share must be disjoint, so a block that is moved back follows the
 * parallel loop. */
static void
map_tiles_of(cg_mapping *m, int level, cg_kind kind, span along, span lane)
{
    const int64_t whole = along.n / m->lanes * m->lanes;
    const span last = { along.first + along.n - m->lanes, m->lanes };

    if (kind != CG_PARALLEL || whole == along.n) {
        map_tiles(m, level, kind, along, lane);
        return;
    }
    map_tiles(m, level, kind, (span){ along.first, whole }, lane);
    map_tiles(m, level, CG_SERIAL, last, lane);
}

typedef struct edge_step {
    cg_mapping *m;
    int level;
    span at, next;
} edge_step;

static void
edge_iteration(cg_lowering *l, void *user, cg_ix x)
{
    const edge_step *s = user;
    cg_map_set_axes(s->m, s->level, cg_ix_addc(&l->ix, x, s->at.first));
    if (s->level == s->m->s.n - 1) {
        cg_map_body(s->m);
        return;
    }
    edge_step lane = { s->m, s->level + 1, s->next, { 0 } };
    cg_strip_mine(l, CG_SERIAL, s->next.n, s->m->lanes, s->m->idempotent, edge_iteration,
                  &lane);
}

static span
span_of(const cg_index_splits *splits, int i, int64_t extent)
{
    return splits->n < 2 ? (span){ 0, extent }
                         : (span){ splits->start[i], splits->start[i + 1] - splits->start[i] };
}

/* Emit the last two loops in square tiles, for each pair of their parts.  A part that is
 * narrower than a tile, such as the edge of a pad, runs row by row. */
static void
map_tiled(cg_mapping *m, int level)
{
    const int x = m->order[level], y = m->order[level + 1];
    const cg_index_splits *cx = &m->s.splits[x], *cy = &m->s.splits[y];

    for (int i = 0; i == 0 || i < cx->n; i++)
        for (int j = 0; j == 0 || j < cy->n; j++) {
            const span along = span_of(cx, i, m->s.extent[x]),
                       lane = span_of(cy, j, m->s.extent[y]);
            const bool parallel = level == 0 && m->parallel && along.n * 2 > m->s.extent[x];
            const cg_kind kind = parallel ? CG_PARALLEL : CG_SERIAL;
            edge_step s = { m, level, along, lane };

            if (along.n >= m->lanes && lane.n >= m->lanes)
                map_tiles_of(m, level, kind, along, lane);
            else
                cg_strip_mine(m->l, kind, along.n, 1, m->idempotent, edge_iteration, &s);
        }
}

static void
map_level(cg_mapping *m, int level)
{
    if (level == m->levels) {
        cg_map_body(m);
        return;
    }
    int i = m->order[level];
    const cg_index_splits whole = { 1, (const int64_t[]){ 0, m->s.extent[i] } },
                          *splits = m->split[i] ? &m->s.splits[i] : &whole;
    if (m->tile && level == m->s.n - 2) {
        map_tiled(m, level);
        return;
    }
    for (int j = 0; j < splits->n; j++) {
        map_step s = { m, level, splits->start[j] };
        int64_t n = splits->start[j + 1] - splits->start[j];
        cg_kind kind = level == 0 && m->parallel && n * 2 > m->s.extent[i] ? CG_PARALLEL
                       : level == m->levels - 1 && m->flat                 ? CG_UNROLL
                                                                           : CG_SERIAL;
        cg_strip_mine(m->l, kind, n, level == m->levels - 1 ? m->lanes : 1, m->idempotent,
                      map_iteration, &s);
    }
}

/* Is the vector loop i to be split?  Vectors across parts compute all of these, with masks and
 * a selection each; vectors of one part are not full where the part is short. */
static bool
gains_by_parts(const cg_mapping *m, int i)
{
    const cg_index_splits *c = &m->s.splits[i];
    const int64_t lanes = cg_lanes(m->l, m->s.widest), n = m->s.extent[i];
    int64_t vectors = 0;

    if (n > c->n * m->lanes)
        return true;
    if (m->flat || n <= m->lanes) /* the masks are constants */
        return false;
    for (int j = 0; j < c->n; j++)
        vectors += (c->start[j + 1] - c->start[j] + lanes - 1) / lanes;
    return vectors * (m->s.split_cost[i] / c->n + 2) <
           (n + lanes - 1) / lanes * (m->s.cost + 2 * c->n);
}

/* Split the vector loop first, if that gains, then the loops around it while the code stays
 * small. */
static void
pick_splits(cg_mapping *m)
{
    int64_t copies = 1, most = m->s.cost > CG_SCHEDULE_MAX_SPLIT_COST / 2
                                   ? 2 * m->s.cost
                                   : CG_SCHEDULE_MAX_SPLIT_COST;
    for (int level = m->levels - 1; level >= 0; level--) {
        int i = m->order[level], n = m->s.splits[i].n;
        if (n < 2 || (m->tile && level >= m->levels - 2) ||
            (level == m->levels - 1 && !gains_by_parts(m, i)) ||
            m->s.split_cost[i] * copies > most)
            continue;
        m->split[i] = true;
        m->n_splits += n;
        copies *= n;
    }
}

/* The side of a tile: the lanes of a register, or fewer for small arrays, since the code of a
 * tile grows with its number of elements. */
static int64_t
tile_side(const cg_mapping *m, int64_t lanes)
{
    const int64_t size = m->g->space->size;
    int64_t side = lanes;

    if (size <= CG_SCHEDULE_SMALL_TRANSPOSE || m->g->n > 1)
        side = CG_SCHEDULE_SMALL_TRANSPOSE_SIDE;
    if (size <= CG_SCHEDULE_TINY_TRANSPOSE)
        side = CG_SCHEDULE_TINY_TRANSPOSE_SIDE;
    return side < lanes ? side : lanes;
}

/* Is the contiguous loop too short for the lanes?  Elements that are not contiguous are loaded
 * and stored one by one, so 256 bits of contiguous elements are better than a longer vector of
 * others. */
static bool
is_short(const cg_mapping *m, int64_t dense)
{
    const int64_t enough =
        m->s.reduces ? cg_lanes(m->l, m->s.widest) : CG_SCHEDULE_ENOUGH_BITS / m->s.widest;

    return m->lanes > 1 && dense * 2 < (m->lanes < enough ? m->lanes : enough);
}

/* Is most of loop i one part, at least as long as the side of a tile? */
static bool
has_wide_span(const cg_mapping *m, int i, int64_t side)
{
    const cg_index_splits *c = &m->s.splits[i];
    int64_t widest = c->n < 2 ? m->s.extent[i] : 0;

    for (int j = 0; c->n > 1 && j < c->n; j++)
        if (c->start[j + 1] - c->start[j] > widest)
            widest = c->start[j + 1] - c->start[j];
    return c->n <= CG_SCHEDULE_MAX_TRANSPOSE_PARTS && widest >= side &&
           2 * widest >= m->s.extent[i];
}

/* Are the loops behind vector loop v unrolled in the body, because they have few elements in
 * all?  Rows are then stored as whole vectors, and common subexpressions of a row are computed
 * once.  That is done for rows of little code, and for longer ones whose elements share a third
 * of it. */
static bool
may_unroll_behind(cg_mapping *m, int v)
{
    m->row = 1;
    for (int i = v + 1; i < m->s.n; i++)
        m->row *= m->s.extent[i];
    if (v >= m->s.dense || m->row > CG_SCHEDULE_MAX_UNROLLED_ROW || m->put ||
        (m->s.reduces && m->s.longest > CG_LOWER_MAX_UNROLLED_SUM))
        return false;
    const int64_t separate = m->s.cost * m->row, row = cg_map_row_cost(m, v + 1, m->row);
    return row <= CG_SCHEDULE_MAX_UNROLLED_ROW_COST ||
           (row <= CG_SCHEDULE_MAX_SHARED_COST && row * 3 <= separate * 2);
}

/* Are vectors of one width, half a register at least, nearly full along loop i? */
static bool
fills_vectors(const cg_mapping *m, int i)
{
    const int64_t lanes = cg_lanes(m->l, m->s.widest), n = m->s.extent[i],
                  width = n < lanes ? cg_pow2_from(n) : lanes,
                  vectors = (n + width - 1) / width;

    return 2 * n >= lanes && 100 * n >= CG_SCHEDULE_FULL_VECTORS * vectors * width;
}

/* If the elements along loop v are far apart and the loops behind it are too long to unroll,
 * the vector loop is one behind it whose vectors are whole: with its own few elements behind it
 * unrolled, what they touch is contiguous. */
static int
pick_unrolled(cg_mapping *m, int v)
{
    if (m->s.extent[v] >= cg_lanes(m->l, m->s.widest) && may_unroll_behind(m, v)) {
        m->unrolled = v + 1;
        return v;
    }
    for (int i = v + 1; i < m->s.dense; i++)
        if (fills_vectors(m, i) && may_unroll_behind(m, i)) {
            m->unrolled = i + 1;
            return i;
        }
    return v;
}

/* Do vectors along the loops behind v, taken as one loop, cost less than vectors along v, whose
 * elements are far apart?  Those are loaded and stored one by one.  These leave lanes empty
 * where the loops do not fill them, and compute all operands of a concatenation in each lane,
 * where a loop beside vectors along v is split. */
static bool
is_better_flat(const cg_mapping *m, int v)
{
    const int64_t lanes = cg_lanes(m->l, m->s.widest), flat = m->s.cost;
    int64_t n = 1, apart = flat;

    for (int i = v + 1; i < m->s.n; i++) {
        const int parts = m->s.splits[i].n;
        if (cg_is_open(m->l, m->s.extent[i]))
            return false;
        n *= m->s.extent[i];
        if (parts > 1 && m->s.split_cost[i] / parts < apart)
            apart = m->s.split_cost[i] / parts;
    }
    const int64_t width = n < lanes ? cg_pow2_from(n) : lanes,
                  slots = (n + width - 1) / width * lanes;

    return slots / lanes <= CG_SCHEDULE_MAX_SHARED_COST / (flat > 0 ? flat : 1) &&
           flat * slots <= (apart + CG_SCHEDULE_FAR_ELEMENT * lanes) * n;
}

/* The loops behind v become one, along which the lanes run.  Its vectors are unrolled, so that
 * what an index in a vector is in each of the loops is known when it is compiled. */
static void
flatten(cg_mapping *m, int v)
{
    cg_access *w = IR_NEW(m->l->scratch, cg_access);

    m->s = cg_map_nest(m->l, m->fr, m->fusion, m->g, NULL, v + 1, w);
    m->flat = true;
    m->lanes = cg_lanes(m->l, m->s.widest);
}

static void
pick_order(cg_mapping *m)
{
    int n = m->s.n, dense = m->s.dense, v = dense;
    for (int i = 0; i < n && is_short(m, m->s.extent[dense]); i++)
        if (m->s.extent[i] > m->s.extent[v] || (v != dense && m->s.extent[i] >= 2 * m->lanes))
            v = i;
    if (v != dense)
        v = pick_unrolled(m, v);
    if (v < dense && m->unrolled < 0 && !m->put && is_better_flat(m, v)) {
        flatten(m, v);
        n = m->s.n;
        v = dense = m->s.dense;
    }
    m->levels = 0;
    for (int i = 0; i < (m->unrolled >= 0 ? m->unrolled : n); i++)
        if (i != v)
            m->order[m->levels++] = i;
    if (n > 0)
        m->order[m->levels++] = v;
    int x = m->s.across;
    int64_t lanes = cg_lanes(m->l, m->s.widest);
    if (v != dense && v != x && m->lanes > lanes)
        /* lanes with a large stride are gathered one by one: a longer vector is no faster */
        m->lanes = lanes;
    m->tile = x >= 0 && v == dense && m->idempotent && !m->s.reduces && lanes > 1 &&
              lanes <= CG_SCHEDULE_MAX_TRANSPOSE && m->s.cost <= CG_FUSE_COST_HEAVY &&
              has_wide_span(m, x, lanes) && has_wide_span(m, v, lanes) &&
              !cg_is_open(m->l, m->s.extent[x]) && !cg_is_open(m->l, m->s.extent[v]);
    if (!m->tile)
        return;
    m->lanes = tile_side(m, lanes);
    for (int i = 0, k = 0; i < n; i++)
        if (i != x && i != v)
            m->order[k++] = i;
    m->order[n - 2] = x;
}

void
cg_map_run(cg_mapping *m)
{
    cg_lowering *l = m->l;
    int64_t size = m->g->space->size;
    m->lanes = cg_lanes(l, m->s.widest);
    m->unrolled = -1;
    if (m->s.apart > CG_SCHEDULE_MAX_APART ||
        (m->s.reduces && m->s.n > 0 && m->s.splits[m->s.dense].n > 1))
        ; /* one vector: each element of longer ones would be loaded alone, or they would leave
           * less of the loop to parts without masks */
    else if (m->lanes > 1 && m->s.reduces)
        /* several vectors, so that each row that is summed is read in whole cache lines */
        m->lanes *= m->s.each <= CG_SCHEDULE_CHEAP_SUM && m->g->n == 1
                        ? CG_SCHEDULE_CHEAP_SUM_VECTORS
                        : CG_SCHEDULE_SUM_VECTORS;
    else if (m->lanes > 1 && m->s.cost <= CG_FUSE_COST_HEAVY)
        m->lanes *= CG_SCHEDULE_MAP_VECTORS;
    if (m->lanes > CG_MAX_VECTOR)
        m->lanes = CG_MAX_VECTOR;
    if (!l->target.grid) {
        pick_order(m);
        pick_splits(m);
    }
    cg_note_group(l, m->fr, m->g);
    l->k->flops = m->s.cost * size;
    /* the kernels of a cut computation, or of the parts of a value, would wake the threads one
     * after the other */
    const int64_t among = m->g->segment || m->g->part ? CG_FUSE_CUT_SHARE : 1;
    m->parallel = m->s.n > 0 && cg_is_shared(l, (m->s.cost + 2) * size / among,
                                             m->lanes > 1 ? cg_lanes(l, m->s.widest) : 1,
                                             m->g->bytes / among);
    ir_buf_printf(l->why,
                  "%s: map of %" PRId64 " elements, %d loops, %" PRId64 " lanes, cost %" PRId64
                  "%s%s%s\n",
                  l->k->name, size, m->s.n, m->lanes, m->s.cost,
                  m->tile            ? ", transposed in registers"
                  : m->unrolled >= 0 ? ", contiguous loops unrolled"
                  : m->flat          ? ", short loops flattened"
                                     : "",
                  m->n_splits ? ", index sets split" : "", m->parallel ? ", parallel" : "");
    if (l->target.grid)
        cg_map_grid(m);
    else
        map_level(m, 0);
}

void
cg_put_group(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
             const int64_t *stride, bool idempotent, cg_put *put, void *user)
{
    cg_mapping m = { .l = l,
                     .fr = fr,
                     .fusion = fusion,
                     .g = g,
                     .put = put,
                     .user = user,
                     .idempotent = idempotent };
    cg_access w;
    m.s = cg_map_nest(l, fr, fusion, g, stride, -1, &w);
    cg_map_run(&m);
}

void
cg_put_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, ir_ref v,
              const int64_t *stride, bool idempotent, cg_put *put, void *user)
{
    const ir_type *t = ir_type_at(fr->f, v);
    /* what it reads is not counted here */
    const cg_group g = { .kind = CG_GROUP_MAP,
                         .space = t,
                         .n = 1,
                         .v = &v,
                         .part = fusion && fusion->part && fusion->part[v],
                         .bytes = t->size * (int64_t)cot_dtype_size(t->dtype) };
    cg_put_group(l, fr, fusion, &g, stride, idempotent, put, user);
}
