/* Map kernels on a GPU: a thread for each element, for a vector of adjacent elements, or for a
 * square of elements. */
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/map.h"
#include "codegen/tuning.h"

/* Used if an operand is contiguous along another axis than the results.  A thread has a tile of
 * SIDE x SIDE elements, which it loads as vectors along the one axis and stores as vectors
 * along the other.  A warp has WARP_X tiles along the operand's axis and WARP_Y along the
 * result's, so that it touches whole sectors of memory both ways. */
enum {
    SIDE = CG_SCHEDULE_GRID_TILE,
    WARP_X = CG_SCHEDULE_GRID_WARP_X,
    WARP_Y = CG_SCHEDULE_GRID_WARP_Y
};

static bool
has_tiles(const cg_mapping *m)
{
    const cg_map_loops *s = &m->s;

    return s->across >= 0 && !m->put && m->idempotent && !s->reduces &&
           s->cost <= CG_SCHEDULE_MAX_GRID_TRANSPOSE_COST && s->widest <= 128 / SIDE &&
           cg_is_multiple(m->l, s->extent[s->across], SIDE * WARP_X) &&
           cg_is_multiple(m->l, s->extent[s->dense], SIDE * WARP_Y);
}

static void
map_grid_tiles(cg_mapping *m)
{
    cg_lowering *l = m->l;
    cg_build *b = &l->b;
    const int n = m->s.n;
    const int64_t nx = m->s.extent[m->s.across], ny = m->s.extent[m->s.dense],
                  columns = ny / (SIDE * WARP_Y), rows = nx / (SIDE * WARP_X);
    cg_val i, grid = cg_threads_begin(l, m->g->space->size / (SIDE * SIDE), &i);
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
        cg_map_set_axes(
            m, k, cg_ix_var(&l->ix, cg_imod(b, rest, m->s.extent[k]), 0, m->s.extent[k] - 1));
        rest = cg_idiv(b, rest, m->s.extent[k]);
    }
    cg_val copies = cg_loop_of(b, CG_UNROLL, SIDE);
    cg_val lanes = cg_loop_of(b, CG_VECTOR, SIDE);
    x = cg_iadd(b, cg_imul(b, x, SIDE), cg_loop_var(b, copies));
    y = cg_iadd(b, cg_imul(b, y, SIDE), cg_loop_var(b, lanes));
    cg_map_set_axes(m, m->s.across, cg_ix_var(&l->ix, x, 0, nx - 1));
    cg_map_set_axes(m, m->s.dense, cg_ix_var(&l->ix, y, 0, ny - 1));
    l->vector = true;
    cg_map_body(m);
    l->vector = false;
    cg_loop_end(b, lanes);
    cg_loop_end(b, copies);
    cg_threads_end(l, grid);
}

/* On a GPU: a thread for each element, or for a vector of elements that are stored
 * contiguously. */
void
cg_map_grid(cg_mapping *m)
{
    cg_lowering *l = m->l;
    if (has_tiles(m)) {
        map_grid_tiles(m);
        return;
    }
    cg_build *b = &l->b;
    const ir_type *t = m->g->space;
    const int64_t size = t->size, last = m->s.n ? m->s.extent[m->s.n - 1] : 1;
    int64_t lanes = m->put || m->s.reduces || m->s.cost > CG_FUSE_COST_HEAVY || !m->idempotent
                        ? 1
                        : 128 / m->s.widest;
    while (lanes > 1 && (!cg_is_multiple(l, last, lanes) ||
                         lanes > CG_SCHEDULE_MAX_GRID_LANES || size / lanes < CG_BLOCK_THREADS))
        lanes /= 2;
    cg_val start, vector = 0, loop = cg_threads_begin(l, size / lanes, &start);
    start = cg_imul(b, start, lanes);
    if (lanes > 1) {
        vector = cg_loop_of(b, CG_VECTOR, lanes);
        start = cg_iadd(b, start, cg_loop_var(b, vector));
        l->vector = true;
    }
    cg_ix_split(&l->ix, cg_ix_var(&l->ix, start, 0, size - 1), t->rank, t->dims, m->axis);
    cg_map_body(m);
    l->vector = false;
    if (vector)
        cg_loop_end(b, vector);
    cg_threads_end(l, loop);
}
