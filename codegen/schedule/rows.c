/* The loops of row kernels: for each row, passes over its elements.  Where columns are summed
 * on the way, rows come in the order of columns.h.
 *
 * A reduction is in the first pass after those it depends on; an output, likewise.  Reductions
 * of one pass share one loop.  What is expensive and is wanted in a later pass is kept in a row
 * on the stack. */
#include "codegen/schedule/rows.h"

#include <inttypes.h>

#include "codegen/elemental/fold.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"

static bool
is_reduce(const rows *r, ir_ref v)
{
    const ir_node *n = ir_def(r->fr->f, v);
    return n && cg_is_row_reduce(r->fr->f, n);
}

static cg_member
member(const rows *r, uint32_t i)
{
    return cg_member_of(r->l, r->fr->f, r->g, r->g->v[i]);
}

static int
index_in_group(const cg_group *g, ir_ref v)
{
    for (uint32_t i = 0; v && i < g->n; i++)
        if (g->v[i] == v)
            return (int)i;
    return -1;
}

cg_ix *
cg_access_member(rows *r, cg_access *w, uint32_t i)
{
    ir_ref v = r->g->v[i];
    cg_access_begin(w, r->l->scratch, r->fr->f, r->fusion->root);
    cg_ix *at = cg_access_space(w, r->g->space->rank,
                                r->g->space->dims); /* the outer axes come first */
    if (is_reduce(r, v) || member(r, i) == CG_MEMBER_COLUMN)
        cg_access_value(w, ir_def(r->fr->f, v)->in[0], at);
    else
        cg_access_root(w, v, at);
    return at;
}

/* A member is one pass after each reduction of the group it reads, and not before another
 * result it reads. */
/* Does a result lie where v is? */
static bool
lies_over(const rows *r, ir_ref v)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        if (cg_may_share(r->l, r->fr->place[v], r->fr->place[r->g->v[i]]))
            return true;
    return false;
}

static void
find_stages(rows *r)
{
    r->stage = IR_NEW_N(r->l->arena, int, r->g->n);
    for (uint32_t i = 0; i < r->g->n; i++) {
        cg_access w;
        cg_access_member(r, &w, i);
        for (uint32_t j = 0; j < w.n_reads; j++) {
            int m = index_in_group(r->g, w.read[j].v);
            if (m < 0) {
                r->again &= !w.read[j].v || !lies_over(r, w.read[j].v);
                continue;
            }
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

/* The results and the kept values of this pass at an element; then what the reductions want. */
typedef struct pass {
    rows *r;
    int n;
    ir_ref reduce[MAX_REDUCTIONS];
    cg_fold how[MAX_REDUCTIONS];
} pass;

/* Element j of the row goes to the sums of columns that are made in this pass. */
static void
add_to_columns(rows *r, const cg_ix *at, cg_ix j)
{
    cg_columns *c = &r->columns;
    for (int i = 0; i < c->n; i++) {
        ir_ref x = ir_def(c->f, c->v[i])->in[0];
        if (r->stage[index_in_group(r->g, c->v[i])] == r->now)
            cg_columns_add(c, i, j,
                           cg_convert(r->l, cg_element(r->l, r->fr, x, at),
                                      ir_type_at(c->f, x)->dtype, c->how[i].type));
    }
}

static cg_val
kept_index(const rows *r, cg_ix j)
{
    cg_val i = cg_ix_value(&r->l->ix, &r->l->b, j);
    return r->slot ? cg_iadd(&r->l->b, r->slot, i) : i;
}

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
        e[i] =
            cg_convert(l, cg_element(l, r->fr, x, at), ir_type_at(f, x)->dtype, p->how[i].type);
    }
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == r->now && member(r, i) == CG_MEMBER_ELEMENT)
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], at,
                             cg_element(l, r->fr, r->g->v[i], at));
    add_to_columns(r, at, j);
    for (uint32_t i = 0; i < r->n_keep; i++) {
        const kept *x = &r->keep[i];
        if (x->stage == r->now)
            cg_store(&l->b, x->buffer, kept_index(r, j), cg_element(l, r->fr, x->v, at),
                     l->mask);
    }
}

static void
element_alone(cg_lowering *l, void *user, cg_ix j)
{
    element_of_pass(l, user, j, NULL);
}

/* On a GPU: so many neighbours for each thread, 16 bytes of the widest type at most. */
static int64_t
neighbours(const rows *r)
{
    int64_t lanes = 128 / (r->widest > 32 ? r->widest : 32);
    while (lanes > 1 && (r->n % lanes || r->n / lanes < CG_WARP))
        lanes /= 2;
    return lanes;
}

/* The same on a GPU: threads of the warp, or of the block, along the row, each with a few
 * neighbours at a time. */
static void
grid_pass(rows *r, pass *p)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    const int64_t lanes = neighbours(r), all = r->n / lanes;
    const int64_t most = r->whole_block ? r->warps * CG_WARP : CG_WARP,
                  n = all < most ? all : most;
    const cg_kind team = l->team;
    cg_val threads = cg_loop_begin(b, r->whole_block ? CG_BLOCK : CG_LANES, cg_i64(b, 0),
                                   cg_i64(b, most), 1, n < most ? cg_i64(b, n) : 0);
    uint32_t outer = cg_scope_begin(l);
    cg_val t = cg_loop_var(b, threads), steps = cg_i64(b, all / n), vector = 0;
    l->team = CG_SERIAL;
    if (all % n)
        steps = cg_idiv(b, cg_isub(b, cg_i64(b, all + n - 1), t), n);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, cg_i64(b, 0), steps, 1, 0);
    uint32_t mark = cg_scope_begin(l);
    cg_val j = cg_iadd(b, cg_imul(b, cg_loop_var(b, loop), n), t);
    if (lanes > 1) {
        j = cg_imul(b, j, lanes);
        vector = cg_loop_begin(b, CG_VECTOR, cg_i64(b, 0), cg_i64(b, lanes), 1, 0);
        j = cg_iadd(b, j, cg_loop_var(b, vector));
        l->vector = true;
    }
    element_alone(l, p, cg_ix_var(&l->ix, j, 0, r->n - 1));
    l->vector = false;
    if (vector)
        cg_loop_end(b, vector);
    cg_scope_end(l, mark);
    cg_loop_end(b, loop);
    l->team = team;
    cg_scope_end(l, outer);
    cg_loop_end(b, threads);
}

/* A pass without reductions: lanes along the row. */
static void
plain_pass(rows *r, pass *p)
{
    if (r->warps) {
        grid_pass(r, p);
        return;
    }
    int64_t lanes = cg_lanes(r->l, r->widest ? r->widest : 8);
    if (lanes > 1 && r->cost <= CG_COST_HEAVY)
        lanes *= 2;
    cg_strip_mine(r->l, CG_SERIAL, r->n, lanes, r->again && r->columns.n == 0, element_alone,
                  p);
}

static void
finish_reduction(rows *r, const pass *p, int i, cg_val x)
{
    cg_lowering *l = r->l;
    ir_ref v = p->reduce[i];
    x = cg_fold_finish(l, r->fr->f, ir_def(r->fr->f, v), x);
    cg_store_element(l, r->fr, v, r->buffer[index_in_group(r->g, v)], r->at, x);
    cg_remember(l, r->fr, v, r->at, x);
}

static void
row_pass(rows *r)
{
    cg_lowering *l = r->l;
    pass p = { .r = r };
    bool maps = false;
    cg_val x[MAX_REDUCTIONS];
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        if (r->stage[i] != r->now)
            continue;
        if (member(r, i) != CG_MEMBER_ROW) {
            maps = true;
        } else if (!is_reduce(r, r->g->v[i])) { /* before the loop: its reductions are done */
            cg_val a = cg_element(l, r->fr, r->g->v[i], r->at);
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
        } else if (ir_is_arg_reduce(n->op)) { /* argmax has two loops of its own */
            cg_val a = cg_element_of_node(l, r->fr, n, 0, r->at);
            cg_store_element(l, r->fr, r->g->v[i], r->buffer[i], r->at, a);
            cg_remember(l, r->fr, r->g->v[i], r->at, a);
        } else {
            p.reduce[p.n] = r->g->v[i];
            p.how[p.n++] = cg_fold_of(ir_ops[n->op].by, ir_type_at(r->fr->f, n->in[0])->dtype);
        }
    }
    if (p.n == 0 && maps)
        plain_pass(r, &p);
    if (p.n == 0)
        return;
    cg_fold_form form = r->warps                  ? CG_FOLD_LANES
                        : cg_lanes(l, 32) == 1    ? CG_FOLD_SERIAL
                        : r->cost <= MAX_STREAMED ? CG_FOLD_STREAMS
                                                  : CG_FOLD_LANES;
    cg_fold_loops(l, r->n, p.n, p.how, form, r->split, element_of_pass, &p, x);
    for (int i = 0; i < p.n; i++)
        finish_reduction(r, &p, i, x[i]);
}

static void
bind_kept(rows *r, int stage)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        if (r->stage[i] == stage && member(r, i) == CG_MEMBER_ELEMENT)
            cg_bind_value(r->l, r->fr, r->g->v[i],
                          (cg_bind){ .kind = CG_BIND_BUFFER, .buffer = r->buffer[i] });
    for (uint32_t i = 0; i < r->n_keep; i++)
        if (r->keep[i].stage == stage)
            cg_bind_value(r->l, r->fr, r->keep[i].v,
                          (cg_bind){ .kind = CG_BIND_BUFFER,
                                     .buffer = r->keep[i].buffer,
                                     .base = r->slot,
                                     .last_only = r->n });
}

static void
one_row(void *user, cg_val row)
{
    rows *r = user;
    cg_lowering *l = r->l;
    if (r->outer > 1)
        cg_ix_split(&l->ix, cg_ix_var(&l->ix, row, 0, r->outer - 1), r->g->outer,
                    r->g->space->dims, r->at);
    for (r->now = 0; r->now < r->stages; r->now++) {
        row_pass(r);
        bind_kept(r, r->now);
        if (r->warps && r->now + 1 < r->stages)
            cg_barrier(&l->b);
    }
}

/* A row of a few vectors that is gone through several times is a long chain, whose every step
 * waits for the one before.  A few rows at once keep the processor busy.  Where no threads
 * share them, the last ones are done twice. */
static int64_t
rows_at_once(const rows *r)
{
    const int64_t lanes = cg_lanes(r->l, r->widest ? r->widest : 8),
                  vectors = (r->n + lanes - 1) / lanes;
    const int64_t fit = JAM_VECTORS / vectors, jam = fit > MAX_JAM ? MAX_JAM
                                                     : fit < 1     ? 1
                                                                   : fit;
    return !r->l->target.grid && lanes > 1 && r->again && r->columns.n == 0 && r->stages > 1 &&
                   r->outer >= 4 * jam
               ? jam
               : 1;
}

/* Rows first ... first + n - 1, `jam` at once; the last ones are moved back to end with
 * them. */
static void
some_rows(rows *r, cg_kind kind, int64_t first, int64_t n, int64_t jam)
{
    cg_build *b = &r->l->b;
    cg_val loop = cg_loop_begin(b, kind, cg_i64(b, first), cg_i64(b, first + n), jam, 0);
    uint32_t mark = cg_scope_begin(r->l);
    cg_val row = cg_loop_var(b, loop), copies = 0;
    r->slot = 0;
    if (jam > 1) {
        row = n % jam ? cg_imin(b, row, cg_i64(b, first + n - jam)) : row;
        copies = cg_loop_begin(b, CG_UNROLL, cg_i64(b, 0), cg_i64(b, jam), 1, 0);
        r->slot = cg_imul(b, cg_loop_var(b, copies), cg_kept_apart(r));
        row = cg_iadd(b, row, cg_loop_var(b, copies));
    }
    one_row(r, row);
    if (copies)
        cg_loop_end(b, copies);
    cg_scope_end(r->l, mark);
    cg_loop_end(b, loop);
}

/* What is kept of a row is bound to memory when its stage is done: rows that follow in the
 * text begin as the first ones did. */
static ir_ref
kept_value(const rows *r, uint32_t i)
{
    return i < r->g->n ? r->g->v[i] : r->keep[i - r->g->n].v;
}

static cg_bind *
bindings(const rows *r)
{
    cg_bind *b = IR_NEW_N(r->l->arena, cg_bind, r->g->n + r->n_keep + 1);

    for (uint32_t i = 0; i < r->g->n + r->n_keep; i++)
        b[i] = *cg_bound(r->fr, kept_value(r, i));
    return b;
}

static void
bind_again(rows *r, const cg_bind *b)
{
    for (uint32_t i = 0; i < r->g->n + r->n_keep; i++)
        cg_bind_value(r->l, r->fr, kept_value(r, i), b[i]);
}

/* Two threads never store to one row, not even the same values: what is left over follows. */
static void
plain_rows(rows *r, bool many)
{
    const int64_t rest = many ? r->outer % r->jam : 0;

    if (r->outer == 1) {
        one_row(r, 0);
        return;
    }
    const cg_bind *first = rest ? bindings(r) : NULL;
    some_rows(r, many ? CG_PARALLEL : CG_SERIAL, 0, r->outer - rest, r->jam);
    if (rest) {
        bind_again(r, first);
        some_rows(r, CG_SERIAL, r->outer - rest, rest, 1);
    }
}

/* -- on a GPU: a warp for each row, a block for each long one ------------------------------ */

static void
grid_rows(rows *r)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    const int64_t W = r->warps, each = r->whole_block ? 1 : W;
    cg_val grid =
        cg_loop_begin(b, CG_GRID, cg_i64(b, 0), cg_i64(b, (r->outer + each - 1) / each), 1, 0);
    uint32_t mark = cg_scope_begin(l);
    cg_val first = cg_imul(b, cg_loop_var(b, grid), each);
    l->team = CG_GRID;
    if (r->whole_block) {
        one_row(r, first);
    } else {
        cg_val limit = r->outer % W ? cg_isub(b, cg_i64(b, r->outer), first) : 0;
        cg_val warps = cg_loop_begin(b, CG_WARPS, cg_i64(b, 0), cg_i64(b, W), 1, limit);
        uint32_t inner = cg_scope_begin(l);
        l->team = CG_WARPS;
        r->slot = cg_imul(b, cg_loop_var(b, warps), r->n);
        one_row(r, cg_iadd(b, first, cg_loop_var(b, warps)));
        cg_scope_end(l, inner);
        cg_loop_end(b, warps);
    }
    l->team = CG_SERIAL;
    cg_scope_end(l, mark);
    cg_loop_end(b, grid);
}

static void
choose_warps(rows *r)
{
    r->whole_block = r->n > ROW_OF_WARP;
    r->warps = cg_block_warps(r->n);
    while (!r->whole_block && r->warps > 1 && r->warps >= 2 * r->outer)
        r->warps /= 2;
}

/* -- on a GPU: few and long rows ----------------------------------------------------------- */

/* A block for each part of a row, which gives a node of its sums' trees; a second kernel
 * combines them. */
typedef struct split {
    pass p;
    int64_t each, parts;        /* blocks of the sum in a part; parts of a row */
    cg_place node[MAX_REDUCTIONS];
} split;

static bool
may_split(const rows *r)
{
    if (!r->whole_block || r->n < MIN_SPLIT || r->outer > 64)
        return false;
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        const bool sum = is_reduce(r, r->g->v[i]) && !ir_is_arg_reduce(n->op);
        if (member(r, i) != CG_MEMBER_ROW || sum != (r->stage[i] == 0))
            return false;
    }
    return true;
}

static split
split_of(rows *r)
{
    const int64_t blocks = (r->n + CG_FOLD_BLOCK - 1) / CG_FOLD_BLOCK;
    split s = { .p = { .r = r }, .each = CG_MIN_PART };
    while (blocks / s.each > 512)
        s.each *= 2;
    s.parts = (blocks + s.each - 1) / s.each;
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        if (r->stage[i] > 0)
            continue;
        s.p.reduce[s.p.n] = r->g->v[i];
        s.p.how[s.p.n++] = cg_fold_of(ir_ops[n->op].by, ir_type_at(r->fr->f, n->in[0])->dtype);
    }
    return s;
}

static uint32_t
node_buffer(rows *r, const split *s, int i, bool out)
{
    const int64_t dims[1] = { r->outer * s->parts };
    return cg_place_buffer(r->l, &s->node[i], ir_type_new(r->l->ctx, s->p.how[i].type, 1, dims),
                           "nodes", out);
}

static cg_val
begin_blocks(rows *r, int64_t n, uint32_t *mark)
{
    cg_build *b = &r->l->b;
    cg_val grid = cg_loop_begin(b, CG_GRID, cg_i64(b, 0), cg_i64(b, n), 1, 0);
    *mark = cg_scope_begin(r->l);
    r->l->team = CG_GRID;
    return grid;
}

static void
end_blocks(rows *r, cg_val grid, uint32_t mark)
{
    r->l->team = CG_SERIAL;
    cg_scope_end(r->l, mark);
    cg_loop_end(&r->l->b, grid);
}

static void
go_to_row(rows *r, cg_val row)
{
    if (r->outer > 1)
        cg_ix_split(&r->l->ix, cg_ix_var(&r->l->ix, row, 0, r->outer - 1), r->g->outer,
                    r->g->space->dims, r->at);
}

static void
parts_kernel(rows *r, split *s)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    cg_val x[MAX_REDUCTIONS];
    uint32_t mark;
    for (int i = 0; i < s->p.n; i++) {
        const int64_t dims[1] = { r->outer * s->parts };
        s->node[i] = cg_plan_new(l, "nodes", ir_type_new(l->ctx, s->p.how[i].type, 1, dims));
    }
    cg_val grid = begin_blocks(r, r->outer * s->parts, &mark), number = cg_loop_var(b, grid);
    go_to_row(r, cg_idiv(b, number, s->parts));
    cg_fold_part(l, r->n, s->p.n, s->p.how, cg_imod(b, number, s->parts), s->each,
                 element_of_pass, &s->p, x);
    for (int i = 0; i < s->p.n; i++)
        cg_store(b, node_buffer(r, s, i, true), number, x[i], 0);
    end_blocks(r, grid, mark);
}

/* The warps have runs of a power of two of nodes. */
static void
combine_nodes(rows *r, const split *s, cg_val row, cg_val *x)
{
    cg_build *b = &r->l->b;
    uint32_t outer, inner;
    int64_t run = 1;
    while ((s->parts + run - 1) / run > CG_MIN_PART)
        run *= 2;
    const uint32_t reduction = cg_reduction_new(b, s->parts, 0, 1);
    cg_val warps =
        cg_loop_begin(b, CG_WARPS, cg_i64(b, 0), cg_i64(b, (s->parts + run - 1) / run), 1, 0);
    outer = cg_scope_begin(r->l);
    cg_val lo = cg_imul(b, cg_loop_var(b, warps), run);
    cg_val bound = cg_i64(b, s->parts);
    cg_val hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, run)), bound);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, lo, hi, 1, 0);
    inner = cg_scope_begin(r->l);
    cg_val at = cg_iadd(b, cg_imul(b, row, s->parts), cg_loop_var(b, loop));
    cg_take_value(b, reduction, cg_loop_var(b, loop), 0);
    for (int i = 0; i < s->p.n; i++)
        cg_loop_reduce(b, loop, CG_TREE, s->p.how[i].op, s->p.how[i].type,
                       cg_load(b, node_buffer(r, s, i, false), at, 0));
    cg_scope_end(r->l, inner);
    cg_loop_end(b, loop);
    for (int i = 0; i < s->p.n; i++)
        cg_loop_reduce(b, warps, CG_TREE, s->p.how[i].op, s->p.how[i].type,
                       cg_loop_result(b, loop, i));
    cg_scope_end(r->l, outer);
    cg_loop_end(b, warps);
    for (int i = 0; i < s->p.n; i++)
        x[i] = cg_loop_result(b, warps, i);
}

static void
nodes_kernel(rows *r, const split *s)
{
    cg_val x[MAX_REDUCTIONS];
    uint32_t mark;
    cg_val grid = begin_blocks(r, r->outer, &mark), row = cg_loop_var(&r->l->b, grid);
    go_to_row(r, row);
    combine_nodes(r, s, row, x);
    for (int i = 0; i < s->p.n; i++)
        finish_reduction(r, &s->p, i, x[i]);
    for (r->now = 1; r->now < r->stages; r->now++)
        row_pass(r);
    end_blocks(r, grid, mark);
}

static void
place_results(rows *r)
{
    for (uint32_t i = 0; i < r->g->n; i++)
        r->buffer[i] = cg_place_buffer(r->l, &r->fr->place[r->g->v[i]],
                                       ir_type_at(r->fr->f, r->g->v[i]), "y", true);
}

/* The kernel in hand, and one more. */
static void
split_rows(rows *r)
{
    cg_lowering *l = r->l;
    split s = split_of(r);
    const cg_frame *first = r->fr;
    const char *name = l->k->name;
    parts_kernel(r, &s);
    cg_kernel_call(l);
    cg_kernel_begin(l, name);
    r->fr = cg_frame_new(l, first->f);
    r->fr->place = first->place;
    r->fr->maker = first->maker;
    r->fr->making = first->making;
    place_results(r);
    cg_note_group(l, r->fr, r->g);
    nodes_kernel(r, &s);
}

/* -- with columns -------------------------------------------------------------------------- */

static cg_val
slot(rows *r, cg_val chunk, cg_ix column)
{
    cg_build *b = &r->l->b;
    cg_val value = cg_ix_value(&r->l->ix, b, column);
    return cg_iadd(b, cg_imul(b, chunk, r->n), value);
}

static void
save_node(cg_lowering *l, void *user, cg_ix column)
{
    rows *r = user;
    for (int i = 0; i < r->columns.n; i++) {
        cg_val value = cg_columns_node(&r->columns, i, column);
        cg_store(&l->b, r->node[i], slot(r, r->chunk, column), value, 0);
    }
}

/* Of what the chunks gave, the tree. */
static cg_val
combined(rows *r, int i, cg_ix column)
{
    cg_build *b = &r->l->b;
    const cg_fold how = r->columns.how[i];
    cg_val x[MAX_CHUNKS];
    if (r->chunks == 1)
        return cg_columns_node(&r->columns, i, column);
    for (int64_t k = 0; k < r->chunks; k++)
        x[k] = cg_load(b, r->node[i], slot(r, cg_i64(b, k), column), 0);
    for (int64_t s = 1; s < r->chunks; s *= 2)
        for (int64_t k = 0; k + s < r->chunks; k += 2 * s)
            x[k] = cg_insn2(b, how.op, how.type, x[k], x[k + s]);
    return x[0];
}

static void
store_columns(cg_lowering *l, void *user, cg_ix column)
{
    rows *r = user;
    for (int i = 0; i < r->columns.n; i++) {
        ir_ref v = r->columns.v[i];
        cg_val x = cg_fold_finish(l, r->fr->f, ir_def(r->fr->f, v), combined(r, i, column));
        cg_store(&l->b, r->buffer[index_in_group(r->g, v)], cg_ix_value(&l->ix, &l->b, column),
                 x, 0);
    }
}

/* Rows in the order of columns.h.  For threads, chunks of a power of two of parts, each a node
 * of the tree. */
static void
rows_with_columns(rows *r, bool many)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    cg_columns *c = &r->columns;
    int64_t most = !many                            ? 1
                   : l->o->threads * 4 > MAX_CHUNKS ? MAX_CHUNKS
                                                    : l->o->threads * 4,
            run = 1;
    while ((c->parts + run - 1) / run > most)
        run *= 2;
    r->chunks = (c->parts + run - 1) / run;
    c->width = c->count;
    cg_columns_declare(c);
    if (r->chunks == 1) {
        cg_columns_parts(c, cg_i64(b, 0), cg_i64(b, c->parts), one_row, r);
    } else {
        for (int i = 0; i < c->n; i++) {
            const ir_type *t =
                ir_type_new(l->ctx, c->how[i].type, 2, (int64_t[]){ r->chunks, r->n });
            cg_place p = cg_plan_new(l, "t", t);
            r->node[i] = cg_place_buffer(l, &p, t, "nodes", true);
        }
        cg_val loop = cg_loop_begin(b, CG_PARALLEL, cg_i64(b, 0), cg_i64(b, r->chunks), 1, 0);
        uint32_t mark = cg_scope_begin(l);
        r->chunk = cg_loop_var(b, loop);
        cg_val lo = cg_imul(b, r->chunk, run), n = cg_i64(b, run);
        if (c->parts % run)
            n = cg_imin(b, n, cg_isub(b, cg_i64(b, c->parts), lo));
        cg_columns_parts(c, lo, n, one_row, r);
        cg_columns_strip_mine(c, save_node, r);
        cg_scope_end(l, mark);
        cg_loop_end(b, loop);
    }
    cg_columns_strip_mine(c, store_columns, r);
}

static cg_columns
find_columns(rows *r)
{
    ir_ref v[CG_MAX_COLUMNS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->g->n; i++)
        if (member(r, i) == CG_MEMBER_COLUMN)
            v[n++] = r->g->v[i];
    return cg_columns_of(r->l, r->fr->f, n, v);
}

void
cg_row_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g)
{
    rows r = { .l = l, .fr = fr, .fusion = fusion, .g = g, .n = 1, .outer = 1, .again = true };
    for (int k = 0; k < g->space->rank; k++)
        *(k < g->outer ? &r.outer : &r.n) *= g->space->dims[k];
    r.buffer = IR_NEW_N(l->arena, uint32_t, g->n);
    cg_note_group(l, fr, g);
    find_stages(&r);
    if (l->target.grid)
        choose_warps(&r);
    if (may_split(&r)) {
        split_rows(&r);
        return;
    }
    place_results(&r);
    r.columns = find_columns(&r);
    r.jam = rows_at_once(&r);
    cg_find_kept(&r);
    bool many = cg_is_shared(l, r.cost * g->space->size);
    r.split = many && r.outer == 1;
    l->k->flops = r.cost * g->space->size;
    ir_buf_printf(l->why,
                  "%s: %" PRId64 " rows of %" PRId64 ", %d passes, cost %" PRId64 "%s%s\n",
                  l->k->name, r.outer, r.n, r.stages, r.cost,
                  r.columns.n ? ", with columns" : "", many ? ", parallel" : "");
    if (r.warps)
        grid_rows(&r);
    else if (r.columns.n)
        rows_with_columns(&r, many);
    else
        plain_rows(&r, many);
}
