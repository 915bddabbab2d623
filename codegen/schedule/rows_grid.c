/* Row kernels on a GPU: a warp for each row, a block for each long row, or several blocks for
 * each of a few very long rows. */
#include "codegen/elemental/fold.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/rows.h"
#include "codegen/tuning.h"

void
cg_rows_grid(cg_rows *r)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    const int64_t W = r->warps, each = r->whole_block ? 1 : W;
    const uint32_t all = l->m->n_open ? cg_reduction_new(b, r->outer, 0, 1) : 0;
    cg_val grid = cg_loop_of(b, CG_GRID, (r->outer + each - 1) / each);
    cg_val first = cg_imul(b, cg_loop_var(b, grid), each);
    l->reduce_scope = CG_GRID;
    if (r->whole_block) {
        if (all)
            cg_take_value(b, all, first, 0);
        cg_rows_one(r, first);
    } else {
        cg_val limit = cg_has_rest(l, r->outer, W) ? cg_isub(b, cg_i64(b, r->outer), first) : 0;
        cg_val warps = cg_loop_begin(b, CG_WARPS, cg_i64(b, 0), cg_i64(b, W), 1, limit);
        l->reduce_scope = CG_WARPS;
        r->slot = cg_imul(b, cg_loop_var(b, warps), r->n);
        const cg_val row = cg_iadd(b, first, cg_loop_var(b, warps));
        if (all)
            cg_take_value(b, all, row, 0);
        cg_rows_one(r, row);
        cg_loop_end(b, warps);
    }
    l->reduce_scope = CG_SERIAL;
    cg_loop_end(b, grid);
}

void
cg_rows_warps(cg_rows *r)
{
    r->whole_block = r->n > CG_SCHEDULE_MAX_WARP_ROW;
    r->warps = cg_block_warps(r->n);
    while (!r->whole_block && r->warps > 1 && r->warps >= 2 * r->outer)
        r->warps /= 2;
}

/* A row that several blocks share.  Each block computes a node of the tree of every sum; a
 * second kernel combines the nodes. */
typedef struct split {
    cg_row_pass p;
    int64_t each, parts; /* blocks of the sum in each part; parts of a row */
    cg_place node[CG_FUSE_MAX_ROW_REDUCTIONS];
} split;

bool
cg_rows_may_split(const cg_rows *r)
{
    if (!r->whole_block || r->n < CG_SCHEDULE_MIN_GRID_SPLIT ||
        r->outer > CG_SCHEDULE_MAX_SPLIT_ROWS || cg_is_open(r->l, r->n) ||
        cg_is_open(r->l, r->outer))
        return false;
    for (uint32_t i = 0; i < r->g->n; i++) {
        const ir_node *n = ir_def(r->fr->f, r->g->v[i]);
        const bool sum = cg_rows_is_reduce(r, r->g->v[i]) && !ir_is_arg_reduce(n->op);
        if (cg_rows_member(r, i) != CG_MEMBER_ROW || sum != (r->stage[i] == 0))
            return false;
    }
    return true;
}

static split
split_of(cg_rows *r)
{
    const int64_t blocks = (r->n + CG_FOLD_BLOCK - 1) / CG_FOLD_BLOCK;
    split s = { .p = { .r = r }, .each = CG_ELEMENTAL_MIN_GRID_PART };
    while (blocks / s.each > CG_SCHEDULE_MAX_ROW_PARTS)
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
node_buffer(cg_rows *r, const split *s, int i, bool out)
{
    const int64_t dims[1] = { r->outer * s->parts };
    return cg_place_buffer(r->l, &s->node[i], ir_type_new(r->l->ctx, s->p.how[i].type, 1, dims),
                           "nodes", out);
}

static cg_val
begin_blocks(cg_rows *r, int64_t n)
{
    cg_build *b = &r->l->b;
    cg_val grid = cg_loop_of(b, CG_GRID, n);
    r->l->reduce_scope = CG_GRID;
    return grid;
}

static void
end_blocks(cg_rows *r, cg_val grid)
{
    r->l->reduce_scope = CG_SERIAL;
    cg_loop_end(&r->l->b, grid);
}

static void
go_to_row(cg_rows *r, cg_val row)
{
    if (r->outer > 1)
        cg_ix_split(&r->l->ix, cg_ix_var(&r->l->ix, row, 0, r->outer - 1), r->g->outer,
                    r->g->space->dims, r->at);
}

static void
parts_kernel(cg_rows *r, split *s)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    cg_val x[CG_FUSE_MAX_ROW_REDUCTIONS];
    for (int i = 0; i < s->p.n; i++) {
        const int64_t dims[1] = { r->outer * s->parts };
        s->node[i] = cg_plan_new(l, "nodes", ir_type_new(l->ctx, s->p.how[i].type, 1, dims));
    }
    cg_val grid = begin_blocks(r, r->outer * s->parts), number = cg_loop_var(b, grid);
    go_to_row(r, cg_idiv(b, number, s->parts));
    cg_fold_part(l, r->n, s->p.n, s->p.how, cg_imod(b, number, s->parts), s->each,
                 cg_rows_element, &s->p, x);
    for (int i = 0; i < s->p.n; i++)
        cg_store(b, node_buffer(r, s, i, true), number, x[i], 0);
    end_blocks(r, grid);
}

/* Combine the nodes of a row.  Each warp has a run of a power of two of nodes. */
static void
combine_nodes(cg_rows *r, const split *s, cg_val row, cg_val *x)
{
    cg_build *b = &r->l->b;
    int64_t run = 1;
    while ((s->parts + run - 1) / run > CG_ELEMENTAL_MIN_GRID_PART)
        run *= 2;
    const uint32_t reduction = cg_reduction_new(b, s->parts, 0, 1);
    cg_val warps = cg_loop_of(b, CG_WARPS, (s->parts + run - 1) / run);
    cg_val lo = cg_imul(b, cg_loop_var(b, warps), run);
    cg_val bound = cg_i64(b, s->parts);
    cg_val hi = cg_imin(b, cg_iadd(b, lo, cg_i64(b, run)), bound);
    cg_val loop = cg_loop_begin(b, CG_SERIAL, lo, hi, 1, 0);
    cg_val at = cg_iadd(b, cg_imul(b, row, s->parts), cg_loop_var(b, loop));
    cg_take_value(b, reduction, cg_loop_var(b, loop), 0);
    for (int i = 0; i < s->p.n; i++)
        cg_loop_reduce(b, loop, CG_TREE, s->p.how[i].op, s->p.how[i].type,
                       cg_load(b, node_buffer(r, s, i, false), at, 0));
    cg_loop_end(b, loop);
    for (int i = 0; i < s->p.n; i++)
        cg_loop_reduce(b, warps, CG_TREE, s->p.how[i].op, s->p.how[i].type,
                       cg_loop_result(b, loop, i));
    cg_loop_end(b, warps);
    for (int i = 0; i < s->p.n; i++)
        x[i] = cg_loop_result(b, warps, i);
}

static void
nodes_kernel(cg_rows *r, const split *s)
{
    cg_val x[CG_FUSE_MAX_ROW_REDUCTIONS];
    cg_val grid = begin_blocks(r, r->outer), row = cg_loop_var(&r->l->b, grid);
    go_to_row(r, row);
    combine_nodes(r, s, row, x);
    for (int i = 0; i < s->p.n; i++)
        cg_rows_finish(r, &s->p, i, x[i]);
    for (r->now = 1; r->now < r->stages; r->now++)
        cg_rows_pass(r);
    end_blocks(r, grid);
}

/* Emit the parts in the current kernel, and the sums of their nodes in a second one. */
void
cg_rows_split(cg_rows *r)
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
    cg_rows_place(r);
    cg_note_group(l, r->fr, r->g);
    nodes_kernel(r, &s);
}
