/* One row of a row kernel: passes over its elements.
 *
 * A reduction, or an output, belongs to the first pass after the reductions that it depends on.
 * Reductions of one pass share a loop. */
#include "codegen/elemental/fold.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/rows.h"
#include "codegen/tuning.h"

bool
cg_rows_is_reduce(const cg_rows *r, ir_ref v)
{
    const ir_node *n = ir_def(r->fr->f, v);
    return n && cg_is_row_reduce(r->l, r->fr->f, n);
}

cg_member
cg_rows_member(const cg_rows *r, uint32_t i)
{
    return cg_member_of(r->l, r->fr->f, r->g, r->g->v[i]);
}

int
cg_index_in_group(const cg_group *g, ir_ref v)
{
    for (uint32_t i = 0; v && i < g->n; i++)
        if (g->v[i] == v)
            return (int)i;
    return -1;
}

cg_ix *
cg_access_member(cg_rows *r, cg_access *w, uint32_t i)
{
    ir_ref v = r->g->v[i];
    cg_access_begin(w, r->l->scratch, r->fr->f, r->fusion->root);
    cg_ix *at = cg_access_space(w, r->g->space->rank, r->g->space->dims);
    if (cg_rows_is_reduce(r, v) || cg_rows_member(r, i) == CG_MEMBER_COLUMN)
        cg_access_value(w, ir_def(r->fr->f, v)->in[0], at);
    else
        cg_access_root(w, v, at);
    return at;
}

/* Does a result have the memory of v? */
static bool
is_overwritten(const cg_rows *r, ir_ref v)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        if (cg_may_share(r->l, r->fr->place[v], r->fr->place[r->g->v[i]]))
            return true;
    return false;
}

/* Assign a pass to each member: at least one later than every reduction of the group that it
 * reads, and not earlier than any other result that it reads. */
void
cg_rows_find_stages(cg_rows *r)
{
    r->stage = IR_NEW_N(r->l->scratch, int, r->g->n);
    for (uint32_t i = 0; i < r->g->n; i++) {
        cg_access w;
        cg_access_member(r, &w, i);
        for (uint32_t j = 0; j < w.n_reads; j++) {
            int m = cg_index_in_group(r->g, w.read[j].v);
            if (m < 0) {
                r->idempotent &= !w.read[j].v || !is_overwritten(r, w.read[j].v);
                continue;
            }
            int s = r->stage[m] + cg_rows_is_reduce(r, r->g->v[m]);
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

/* Set the last axes of an index, from axis `from` on, to copy k. */
static void
set_copy(cg_rows *r, int from, int64_t k, cg_ix *at)
{
    const cg_group *g = r->g;
    cg_ix_split(&r->l->ix, cg_ix_const(&r->l->ix, k), g->inner,
                g->space->dims + g->space->rank - g->inner, at + from);
}

/* The index of copy k of a value that has one element for each row. */
static const cg_ix *
row_index(cg_rows *r, int64_t k)
{
    set_copy(r, r->g->outer, k, r->at);
    return r->at;
}

cg_ix
cg_rows_column(const cg_rows *r, cg_ix j, int64_t k)
{
    return cg_ix_addc(&r->l->ix, j, k * r->n);
}

/* Add all copies of element j of the row to the column sums that belong to this pass. */
static void
add_to_columns(cg_rows *r, cg_ix *at, cg_ix j)
{
    cg_columns *c = &r->columns;
    for (int i = 0; i < c->n; i++) {
        ir_ref x = ir_def(c->f, c->v[i])->in[0];
        if (r->stage[cg_index_in_group(r->g, c->v[i])] != r->now)
            continue;
        for (int64_t k = 0; k < r->copies; k++) {
            set_copy(r, r->g->space->rank - r->g->inner, k, at);
            cg_columns_add(c, i, cg_rows_column(r, j, k),
                           cg_convert(r->l, cg_element(r->l, r->fr, x, at),
                                      ir_type_at(c->f, x)->dtype, c->how[i].type));
        }
    }
}

static cg_val
kept_index(const cg_rows *r, cg_ix j, int64_t k)
{
    const cg_ix number = cg_ix_addc(&r->l->ix, j, k * cg_kept_plane(r));
    cg_val i = cg_ix_value(&r->l->ix, &r->l->b, number);
    return r->slot ? cg_iadd(&r->l->b, r->slot, i) : i;
}

/* Compute all copies of element j of value v, then store them by adjacent stores. */
static void
store_copies(cg_rows *r, ir_ref v, uint32_t buffer, bool kept, cg_ix *at, cg_ix j)
{
    cg_lowering *l = r->l;
    const int from = r->g->space->rank - r->g->inner;
    cg_val *x = IR_NEW_N(l->scratch, cg_val, r->copies);
    for (int64_t k = 0; k < r->copies; k++) {
        set_copy(r, from, k, at);
        x[k] = cg_element(l, r->fr, v, at);
    }
    for (int64_t k = 0; k < r->copies; k++) {
        set_copy(r, from, k, at);
        if (kept)
            cg_store(&l->b, buffer, kept_index(r, j, k), x[k], l->mask);
        else
            cg_store_element(l, r->fr, v, buffer, at, x[k]);
    }
}

void
cg_rows_element(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    cg_row_pass *p = user;
    cg_rows *r = p->r;
    const ir_graph *f = r->fr->f;
    cg_ix at[COT_MAX_RANK + 1];
    const int outer = r->g->outer, last = r->g->space->rank - r->g->inner;
    memcpy(at, r->at, sizeof *at * (size_t)outer);
    cg_ix_split(&l->ix, j, last - outer, r->g->space->dims + outer, at + outer);
    for (int i = 0; i < p->n; i++) {
        ir_ref x = ir_def(f, p->reduce[i])->in[0];
        set_copy(r, last, p->copy[i], at);
        e[i] =
            cg_convert(l, cg_element(l, r->fr, x, at), ir_type_at(f, x)->dtype, p->how[i].type);
    }
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == r->now && cg_rows_member(r, i) == CG_MEMBER_ELEMENT)
            store_copies(r, r->g->v[i], r->buffer[i], false, at, j);
    add_to_columns(r, at, j);
    for (uint32_t i = 0; i < r->n_keep; i++)
        if (r->keep[i].stage == r->now)
            store_copies(r, r->keep[i].v, r->keep[i].buffer, true, at, j);
}

static void
element_alone(cg_lowering *l, void *user, cg_ix j)
{
    cg_rows_element(l, user, j, NULL);
}

/* On a GPU: how many adjacent elements each thread takes, at most 16 bytes of the widest
 * type. */
static int64_t
elements_per_thread(const cg_rows *r)
{
    int64_t lanes = 128 / (r->widest > 32 ? r->widest : 32);
    while (lanes > 1 && (r->n % lanes || r->n / lanes < CG_WARP))
        lanes /= 2;
    return lanes;
}

/* A pass without reductions on a GPU: the threads of the warp, or of the block, run along the
 * row, each with a few adjacent elements at a time. */
static void
grid_pass(cg_rows *r, cg_row_pass *p)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    const int64_t lanes = elements_per_thread(r), all = r->n / lanes;
    const int64_t most = r->whole_block ? r->warps * CG_WARP : CG_WARP,
                  n = all < most ? all : most;
    const cg_kind reduce_scope = l->reduce_scope;
    cg_val threads = cg_loop_begin(b, r->whole_block ? CG_BLOCK : CG_LANES, cg_i64(b, 0),
                                   cg_i64(b, most), 1, n < most ? cg_i64(b, n) : 0);
    l->reduce_scope = CG_SERIAL;
    cg_val j, vector = 0, loop = cg_thread_loop(b, cg_loop_var(b, threads), n, all, &j);
    if (lanes > 1) {
        j = cg_imul(b, j, lanes);
        vector = cg_loop_of(b, CG_VECTOR, lanes);
        j = cg_iadd(b, j, cg_loop_var(b, vector));
        l->vector = true;
    }
    element_alone(l, p, cg_ix_var(&l->ix, j, 0, r->n - 1));
    l->vector = false;
    if (vector)
        cg_loop_end(b, vector);
    cg_loop_end(b, loop);
    l->reduce_scope = reduce_scope;
    cg_loop_end(b, threads);
}

/* A pass without reductions: lanes run along the row. */
static void
plain_pass(cg_rows *r, cg_row_pass *p)
{
    if (r->warps) {
        grid_pass(r, p);
        return;
    }
    int64_t lanes = cg_lanes(r->l, r->widest ? r->widest : 8);
    if (lanes > 1 && r->cost <= CG_FUSE_COST_HEAVY)
        lanes *= 2;
    const bool many = r->split && (r->n_keep == 0 || r->far) && !cg_is_open(r->l, r->n);
    cg_strip_mine(r->l, many ? CG_PARALLEL : CG_SERIAL, r->n, lanes,
                  r->idempotent && r->columns.n == 0, element_alone, p);
}

void
cg_rows_finish(cg_rows *r, const cg_row_pass *p, int i, cg_val x)
{
    cg_lowering *l = r->l;
    ir_ref v = p->reduce[i];
    const cg_ix *at = row_index(r, p->copy[i]);
    x = cg_fold_finish(l, r->fr->f, ir_def(r->fr->f, v), x);
    cg_store_element(l, r->fr, v, r->buffer[cg_index_in_group(r->g, v)], at, x);
    cg_remember(l, r->fr, v, at, x);
}

/* Compute and store member i, which has one element for each row and is no reduction. */
static void
make_of_row(cg_rows *r, uint32_t i)
{
    const ir_ref v = r->g->v[i];
    for (int64_t k = 0; k < r->copies; k++) {
        const cg_ix *at = row_index(r, k);
        cg_store_element(r->l, r->fr, v, r->buffer[i], at, cg_element(r->l, r->fr, v, at));
    }
}

/* Add reduction v to the pass: one sum for each copy. */
static void
add_sums(cg_row_pass *p, ir_ref v)
{
    const ir_graph *f = p->r->fr->f;
    const ir_node *n = ir_def(f, v);
    for (int64_t k = 0; k < p->r->copies; k++, p->n++) {
        p->reduce[p->n] = v;
        p->copy[p->n] = k;
        p->how[p->n] = cg_fold_of(ir_ops[n->op].by, ir_type_at(f, n->in[0])->dtype);
    }
}

void
cg_rows_pass(cg_rows *r)
{
    cg_lowering *l = r->l;
    cg_row_pass p = { .r = r };
    bool maps = false;
    cg_val x[CG_FUSE_MAX_ROW_REDUCTIONS];
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        if (r->stage[i] != r->now)
            continue;
        if (cg_rows_member(r, i) != CG_MEMBER_ROW) {
            maps = true;
        } else if (!cg_rows_is_reduce(
                       /* computed before the loop, from finished reductions */
                       r, r->g->v[i])) {
            make_of_row(r, i);
        } else if (ir_is_arg_reduce(n->op)) { /* argmax has two loops of its own */
            l->split = r->split && !cg_is_open(l, r->n); /* into a number of parts */
            cg_val a = cg_element_of_node(l, r->fr, n, 0, r->at);
            l->split = false;
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
            cg_remember(l, r->fr, r->g->v[i], r->at, a);
        } else {
            add_sums(&p, r->g->v[i]);
        }
    }
    if (p.n == 0 && maps)
        plain_pass(r, &p);
    if (p.n == 0)
        return;
    cg_fold_form form = r->warps                                   ? CG_FOLD_LANES
                        : cg_lanes(l, 32) == 1                     ? CG_FOLD_SERIAL
                        : r->cost <= CG_SCHEDULE_MAX_STREAMED_COST ? CG_FOLD_STREAMS
                                                                   : CG_FOLD_LANES;
    cg_fold_loops(l, r->n, p.n, p.how, form, r->split, cg_rows_element, &p, x);
    for (int i = 0; i < p.n; i++)
        cg_rows_finish(r, &p, i, x[i]);
}

static void
bind_kept(cg_rows *r, int stage)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == stage && cg_rows_member(r, i) == CG_MEMBER_ELEMENT)
            cg_bind_value(r->l, r->fr, r->g->v[i],
                          (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = r->buffer[i] });
    for (uint32_t i = 0; i < r->n_keep; i++)
        if (r->keep[i].stage == stage)
            cg_bind_value(r->l, r->fr, r->keep[i].v,
                          (cg_bind){ .kind = CG_BIND_BUFFER,
                                     .buffer = r->keep[i].buffer,
                                     .base = r->slot,
                                     .last_only = r->n * r->copies,
                                     .inner = r->g->inner,
                                     .plane = cg_kept_plane(r) });
}

void
cg_rows_one(void *user, cg_val row)
{
    cg_rows *r = user;
    cg_lowering *l = r->l;
    if (r->outer > 1)
        cg_ix_split(&l->ix, cg_ix_var(&l->ix, row, 0, r->outer - 1), r->g->outer,
                    r->g->space->dims, r->at);
    for (r->now = 0; r->now < r->stages; r->now++) {
        cg_rows_pass(r);
        bind_kept(r, r->now);
        if (r->warps && r->now + 1 < r->stages)
            cg_barrier(&l->b);
    }
}

void
cg_rows_place(cg_rows *r)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        r->buffer[i] = cg_place_buffer(r->l, &r->fr->place[r->g->v[i]],
                                       ir_type_at(r->fr->f, r->g->v[i]), "y", true);
}
