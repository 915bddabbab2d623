/* The loops of a map kernel: an axis whose index is divided by reshapes is divided into its
 * digits, axes along which every address moves as along one axis are merged, and loops are
 * split where the tests of a pad or concatenate change (index_split.h). */
#include <stdlib.h>

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
axes_merge(cg_access *w, const ir_graph *f, const cg_map_loops *s, const cg_ix *axis, int k,
           int next)
{
    for (uint32_t i = 0; i < w->n_reads; i++) {
        const cg_read *r = &w->read[i];
        const ir_type *t = r->v ? ir_type_at(f, r->v) : NULL;
        cg_ix flat = t ? cg_ix_flat(&w->ix, t->rank, t->dims, r->at) : r->at[0];
        if (!merges(w, flat, axis, k, next, s->dims[next]))
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

/* How many elements are far from those of the next lane: of an unrolled sum, in each of its
 * terms. */
static int64_t
count_apart(cg_access *w, const ir_graph *f, const cg_map_loops *s, const cg_ix *at)
{
    const int64_t terms = w->longest > CG_LOWER_MAX_UNROLLED_SUM ? 1 : w->longest;
    int64_t n = 0;

    for (uint32_t i = 0; i < w->n_reads && s->n > 0; i++) {
        const cg_read *r = &w->read[i];
        bool pure;
        if (!r->v)
            continue;
        const ir_type *t = ir_type_at(f, r->v);
        const int64_t k = cg_ix_coef(&w->ix, cg_ix_flat(&w->ix, t->rank, t->dims, r->at),
                                     at[s->last[s->dense] - 1], &pure);
        n += pure && (k > CG_LLVM_MAX_STRIDE_WIDE || k < -CG_LLVM_MAX_STRIDE_WIDE);
    }
    return n * (terms > 1 ? terms : 1);
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

void
cg_map_index(const cg_map_loops *s, cg_ix_table *ix, const ir_type *space, const cg_ix *axis,
             cg_ix *at)
{
    if (s->rank == space->rank)
        memcpy(at, axis, sizeof *at * (size_t)s->rank);
    else
        cg_ix_split(ix, cg_ix_flat(ix, s->rank, s->dims, axis), space->rank, space->dims, at);
}

/* Begin an analysis of what the group reads.  Returns the variables of the analysis, one for
 * each axis of the loops' shape, at which the group is read. */
static const cg_ix *
access_loops(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
             const cg_map_loops *s, cg_access *w)
{
    cg_ix at[COT_MAX_RANK + 1];

    cg_access_begin(w, l->scratch, fr->f, fusion->root);
    const cg_ix *axis = cg_access_space(w, s->rank, s->dims);
    cg_map_index(s, &w->ix, g->space, axis, at);
    access_group(w, fr, g, at);
    return axis;
}

static void
find_splits(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
            const cg_access *w, const cg_ix *axis, cg_map_loops *s)
{
    for (int i = 0; i < s->n && w->n_tests > 0 && g->space->size >= CG_SCHEDULE_MIN_SPLIT_SIZE;
         i++) {
        int first = s->first[i], last = s->last[i];
        s->splits[i] =
            cg_index_splits_of(w, axis, first, last, s->extent[i], CG_SCHEDULE_MAX_SPLITS);
        for (int j = 0; j < s->splits[i].n && s->splits[i].n > 1; j++) {
            cg_access part;
            cg_ix at[COT_MAX_RANK + 1];
            cg_access_begin(&part, l->scratch, fr->f, fusion->root);
            cg_ix *x = cg_access_space(&part, s->rank, s->dims);
            cg_ix v =
                cg_ix_var(&part.ix, 0, s->splits[i].start[j], s->splits[i].start[j + 1] - 1);
            cg_ix_split(&part.ix, v, last - first, s->dims + first, x + first);
            cg_map_index(s, &part.ix, g->space, x, at);
            access_group(&part, fr, g, at);
            s->split_cost[i] += part.cost;
        }
    }
}

/* The number c by which atom i divides axis variable v, (v div c) or (v mod c), or divides such
 * a quotient of it; 0: it has another form. */
static int64_t
divisor_of(const cg_ix_table *t, uint32_t i, uint32_t v)
{
    const cg_ix_atom *a = &t->atom[i];
    const cg_ix_expr *e = &t->expr[a->e];

    if (a->kind == CG_IX_VAR || e->n != 1 || e->c != 0 || e->term[0].k != 1)
        return 0;
    if (e->term[0].atom == v)
        return a->c;
    const cg_ix_atom *q = &t->atom[e->term[0].atom];
    const int64_t c = q->kind == CG_IX_DIV ? divisor_of(t, e->term[0].atom, v) : 0;
    return c <= INT64_MAX / a->c ? c * a->c : 0;
}

static int
by_size(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return (a > b) - (a < b);
}

/* Find the digits of an axis of size n: its divisors by the atoms of the table, each of which
 * divides the next.  Returns how many digits there are, most significant first. */
static int
digits_of(const cg_access *w, cg_ix axis, int64_t n, int most, int64_t *digit)
{
    const cg_ix_expr *e = &w->ix.expr[axis];
    int64_t *c = IR_NEW_N(w->arena, int64_t, w->ix.n_atoms + 1), last = 1;
    int found = 0, digits = 0;

    for (uint32_t i = 1; e->n == 1 && i < w->ix.n_atoms; i++) {
        c[found] = divisor_of(&w->ix, i, e->term[0].atom);
        found += c[found] > 1 && c[found] < n && n % c[found] == 0;
    }
    qsort(c, (size_t)found, sizeof *c, by_size);
    for (int i = 0; i < found && digits < most - 1; i++)
        if (c[i] > last && c[i] % last == 0) {
            digit[digits++] = c[i] / last;
            last = c[i];
        }
    digit[digits++] = n / last;
    for (int i = 0; i < digits / 2; i++) {
        const int64_t x = digit[i];
        digit[i] = digit[digits - 1 - i];
        digit[digits - 1 - i] = x;
    }
    return digits;
}

/* Divide the axes of the iteration space into the digits that tests of bounds depend on.  A
 * concatenation that is reshaped tests the remainder of an index, lane by lane; along loops
 * over digits each operand is a part of a loop of its own. */
static bool
divide_axes(const cg_access *w, const cg_group *g, const cg_ix *axis, cg_map_loops *s)
{
    int64_t *dims = IR_NEW_N(w->arena, int64_t, COT_MAX_RANK + 1);
    int rank = 0;

    for (int k = 0; k < g->space->rank; k++)
        rank += digits_of(w, axis[k], g->space->dims[k],
                          COT_MAX_RANK - rank - (g->space->rank - 1 - k), dims + rank);
    if (rank == s->rank)
        return false;
    s->rank = rank;
    s->dims = dims;
    return true;
}

/* Is there a test of bounds of a quotient or a remainder? */
static bool
tests_digits(const cg_access *w)
{
    for (uint32_t i = 0; i < w->n_tests; i++) {
        const cg_ix_expr *e = &w->ix.expr[w->test[i].x];
        for (uint32_t j = 0; j < e->n; j++)
            if (w->ix.atom[e->term[j].atom].kind != CG_IX_VAR)
                return true;
    }
    return false;
}

cg_map_loops
cg_map_nest(cg_lowering *l, const cg_frame *fr, const cg_fusion *fusion, const cg_group *g,
            const int64_t *stride, int flat, cg_access *w)
{
    const ir_graph *f = fr->f;
    cg_map_loops s = { .rank = g->space->rank, .dims = g->space->dims };
    const cg_ix *axis = access_loops(l, fr, fusion, g, &s, w);
    if (!stride && !l->target.grid && g->space->size >= CG_SCHEDULE_MIN_SPLIT_SIZE &&
        tests_digits(w) && divide_axes(w, g, axis, &s))
        axis = access_loops(l, fr, fusion, g, &s, w);
    int last = -1;
    for (int k = 0; k < s.rank; k++) {
        if (s.dims[k] == 1)
            continue;
        if (last >= 0 && axes_merge(w, f, &s, axis, last, k) &&
            (!stride || stride[last] == stride[k] * s.dims[k])) {
            s.extent[s.n - 1] *= s.dims[k];
            s.last[s.n - 1] = k + 1;
        } else {
            s.extent[s.n] = s.dims[k];
            s.first[s.n] = k;
            s.last[s.n++] = k + 1;
        }
        last = k;
    }
    for (; flat >= 0 && s.n > flat + 1; s.n--) {
        s.extent[s.n - 2] *= s.extent[s.n - 1];
        s.last[s.n - 2] = s.last[s.n - 1];
    }
    s.dense = s.n - 1;
    for (int i = 0; stride && i < s.n; i++)
        if (stride[s.last[i] - 1] == 1)
            s.dense = i;
    s.across = find_across(w, f, &s, axis);
    s.apart = count_apart(w, f, &s, axis);
    s.reduces = w->reduces;
    s.each = w->longest ? w->cost / w->longest : 0;
    s.longest = w->longest;
    s.cost = w->cost;
    s.widest = w->widest ? w->widest : 8;
    if (s.widest == 64 && w->wide * CG_SCHEDULE_WIDE_SHARE <= w->cost)
        /* a few 64-bit counters take two registers each, which is better than half-empty
         * registers for all other types */
        s.widest = 32;
    find_splits(l, fr, fusion, g, w, axis, &s);
    return s;
}

void
cg_map_row_index(const cg_map_loops *s, cg_ix_table *ix, int first, int64_t k, cg_ix *axis)
{
    for (int i = s->n - 1; i >= first; k /= s->extent[i--])
        cg_ix_split(ix, cg_ix_const(ix, k % s->extent[i]), s->last[i] - s->first[i],
                    s->dims + s->first[i], axis + s->first[i]);
}

int64_t
cg_map_row_cost(cg_mapping *m, int first, int64_t row)
{
    cg_access w;
    cg_ix at[COT_MAX_RANK + 1];
    cg_access_begin(&w, m->l->scratch, m->fr->f, m->fusion->root);
    cg_ix *axis = cg_access_space(&w, m->s.rank, m->s.dims);
    for (int64_t k = 0; k < row && w.cost < CG_FUSE_MAX_COST; k++) {
        cg_map_row_index(&m->s, &w.ix, first, k, axis);
        cg_map_index(&m->s, &w.ix, m->g->space, axis, at);
        access_group(&w, m->fr, m->g, at);
    }
    return w.cost;
}
