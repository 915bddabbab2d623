/* The loops of a map kernel: axes along which every address moves as along one axis are merged,
 * and loops are split where the tests of a pad or concatenate change (index_split.h). */
#include "codegen/fuse/access.h"
#include "codegen/schedule/map.h"
#include "codegen/tuning.h"

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

/* Is the stride that of a contiguous array, forward or reversed, or of one half of pairs, such
 * as the parts of complex numbers? */
static bool
is_dense_or_pairs(int64_t step)
{
    return step == 1 || step == 2 || step == -1;
}

static int
find_across(cg_access *w, const ir_graph *f, const cg_map_loops *s, const cg_ix *at)
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
                is_dense_or_pairs(cg_ix_coef(&w->ix, flat, at[s->last[j] - 1], &other)) &&
                other)
                return j;
    }
    return -1;
}

static void
access_group(cg_access *w, const cg_frame *fr, const cg_group *g, const cg_ix *at)
{
    for (uint32_t i = 0; i < g->n; i++) {
        if (cg_is_made(fr, g->v[i]))
            cg_access_root(w, g->v[i], at);
        else
            cg_access_value(w, g->v[i], at);
    }
}

static void
find_splits(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
            const cg_access *w, const cg_ix *at, cg_map_loops *s)
{
    for (int i = 0; i < s->n && w->n_tests > 0 && g->space->size >= CG_SCHEDULE_MIN_SPLIT_SIZE;
         i++) {
        int first = s->first[i], last = s->last[i];
        s->splits[i] =
            cg_index_splits_of(w, at, first, last, s->extent[i], CG_SCHEDULE_MAX_SPLITS);
        for (int j = 0; j < s->splits[i].n && s->splits[i].n > 1; j++) {
            cg_access piece;
            cg_access_begin(&piece, l->scratch, fr->f, fusion->root);
            cg_ix *x = cg_access_space(&piece, g->space->rank, g->space->dims);
            cg_ix v =
                cg_ix_var(&piece.ix, 0, s->splits[i].start[j], s->splits[i].start[j + 1] - 1);
            cg_ix_split(&piece.ix, v, last - first, g->space->dims + first, x + first);
            access_group(&piece, fr, g, x);
            s->split_cost[i] += piece.cost;
        }
    }
}

cg_map_loops
cg_map_nest(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
            const int64_t *stride, cg_access *w)
{
    const ir_graph *f = fr->f;
    cg_map_loops s = { 0 };
    cg_access_begin(w, l->scratch, f, fusion->root);
    cg_ix *at = cg_access_space(w, g->space->rank, g->space->dims);
    access_group(w, fr, g, at);
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
    s.longest = w->longest;
    s.cost = w->cost;
    s.widest = w->widest ? w->widest : 8;
    if (s.widest == 64 && w->wide * CG_SCHEDULE_WIDE_SHARE <= w->cost)
        /* a few 64-bit counters take two registers each, which is better than half-empty
         * registers for all other types */
        s.widest = 32;
    find_splits(l, fr, fusion, g, w, at, &s);
    return s;
}

void
cg_map_row_index(const cg_map_loops *s, cg_ix_table *ix, const ir_type *t, int first, int64_t k,
                 cg_ix *at)
{
    for (int i = s->n - 1; i >= first; k /= s->extent[i--])
        cg_ix_split(ix, cg_ix_const(ix, k % s->extent[i]), s->last[i] - s->first[i],
                    t->dims + s->first[i], at + s->first[i]);
}

int64_t
cg_map_row_cost(cg_mapping *m, int first, int64_t row)
{
    const ir_type *t = m->g->space;
    cg_access w;
    cg_access_begin(&w, m->l->scratch, m->fr->f, m->fusion->root);
    cg_ix *at = cg_access_space(&w, t->rank, t->dims);
    for (int64_t k = 0; k < row && w.cost < CG_FUSE_MAX_COST; k++) {
        cg_map_row_index(&m->s, &w.ix, t, first, k, at);
        access_group(&w, m->fr, m->g, at);
    }
    return w.cost;
}
