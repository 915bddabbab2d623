/* Values of a row kernel that are kept in rows on the stack, or in the work block for a long
 * single row: those that are expensive, are computed in one pass, and are needed in a later
 * one. */
#include <stdlib.h>

#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/rows.h"
#include "codegen/tuning.h"

/* The cost of an element of v.  A value that is constant along the row costs nothing. */
static int64_t
cost_of(const cg_rows *r, ir_ref v, int depth)
{
    const ir_node *n = ir_def(r->fr->f, v);
    if (!n || r->fusion->root[v] || depth > CG_SCHEDULE_MAX_COST_DEPTH)
        return 0;
    bool same = n->op == OP_broadcast_in_dim;
    for (int k = 0; same && k < n->at->broadcast.dims.n; k++)
        same = n->at->broadcast.dims.at[k] < r->g->outer ||
               n->at->broadcast.dims.at[k] >= r->g->space->rank - r->g->inner;
    if (same)
        return 0;
    int64_t c = cg_op_cost_again(r->fr->f, n);
    for (int i = 0; i < n->n_in && c <= CG_FUSE_COST_SHARE; i++)
        c += cost_of(r, n->in[i], depth + 1);
    return c;
}

/* The record of v, which pass s computes at each element; it is made if there is none. */
static cg_row_computed *
find_computed(cg_rows *r, ir_ref v, int s)
{
    const uint64_t h = ir_hash_u64(0, v);

    for (uint32_t at = 0, id; (id = ir_map_next(&r->by_value, h, &at)) != 0;)
        if (r->first[id - 1].v == v)
            return &r->first[id - 1];
    IR_PUSH(r->l->scratch, r->first, r->n_first, r->cap_first,
            ((cg_row_computed){ v, s, false }));
    ir_map_add(&r->by_value, h, r->n_first);
    return &r->first[r->n_first - 1];
}

/* Mark the kept values as roots, or not: access analysis ends at roots. */
static void
set_kept_roots(cg_rows *r, bool are)
{
    for (uint32_t i = 0; i < r->n_keep; i++)
        r->fusion->root[r->keep[i].v] = are;
}

/* Among the values that member i computes at each element in pass s, keep the first that an
 * earlier pass computed, is expensive, and fits into the room. */
static bool
keep_one(cg_rows *r, uint32_t i, int s, int64_t *room)
{
    const ir_graph *f = r->fr->f;
    cg_access w;
    set_kept_roots(r, true);
    cg_ix *at = cg_access_member(r, &w, i);
    set_kept_roots(r, false);
    for (uint32_t j = 0; j < w.n_seen; j++) {
        const cg_seen *e = &w.seen[j];
        const ir_type *t = ir_type_at(f, e->v);
        if (!ir_same_shape(t, r->g->space) || r->fusion->root[e->v] || !ir_def(f, e->v) ||
            (t->rank && memcmp(e->at, at, sizeof *at * (size_t)t->rank) != 0))
            continue;
        cg_row_computed *c = find_computed(r, e->v, s);
        int64_t bytes = r->n * r->copies * (int64_t)cot_dtype_size(t->dtype);
        if (c->kept || c->stage >= s || bytes > *room ||
            cost_of(r, e->v, 0) <= (r->far ? CG_FUSE_COST_SHARE : CG_SCHEDULE_COST_KEPT))
            continue;
        IR_PUSH(r->l->scratch, r->keep, r->n_keep, r->cap_keep,
                ((cg_row_kept){ e->v, c->stage, 0 }));
        c->kept = true;
        *room -= bytes;
        return true;
    }
    return false;
}

static uint32_t
kept_buffer(cg_rows *r, cot_dtype t, int64_t n)
{
    if (r->far)
        return cg_work_buffer(r->l, "row", "row", t, n);
    uint32_t b = cg_local_buffer(r->l, "row", t, n);
    if (r->warps)
        r->l->k->buffer[b].space = CG_SHARED;
    return b;
}

static int
by_value(const void *x, const void *y)
{
    const cg_row_kept *a = x, *b = y;
    return a->v < b->v ? -1 : a->v > b->v;
}

/* Values are considered in order, because keeping a value removes the need to keep its
 * operands. */
void
cg_find_kept(cg_rows *r)
{
    /* threads may divide a long single row, and each has a stack of its own */
    r->far = r->outer == 1 && r->n > CG_SCHEDULE_MAX_KEPT_ROW && !r->l->target.grid;
    int64_t room = cg_is_open(r->l, r->n) ? 0 : r->far ? INT64_MAX : CG_FUSE_MAX_ROW;
    const int64_t rows = r->warps && !r->whole_block ? r->warps : r->jam;
    if (r->warps && room > 0)
        room = (CG_MAX_SHARED - CG_SCHEDULE_SHARED_RESERVE) / rows;
    ir_map_init(&r->by_value, r->l->scratch);
    for (int s = 0; s < r->stages; s++)
        for (uint32_t i = 0; i < r->g->n; i++)
            while (r->stage[i] == s && keep_one(r, i, s, &room))
                ;
    if (r->n_keep)
        qsort(r->keep, r->n_keep, sizeof *r->keep, by_value);
    for (uint32_t i = 0; i < r->n_keep; i++) {
        cg_row_kept *x = &r->keep[i];
        x->buffer = kept_buffer(r, ir_type_at(r->fr->f, x->v)->dtype, cg_kept_stride(r) * rows);
    }
}
