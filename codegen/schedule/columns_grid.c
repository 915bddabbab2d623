/* Reductions over the first axes on a GPU.
 *
 * There are often few columns and many rows, so one thread for each column would leave most of
 * the GPU idle.  Instead a thread reduces one block of 512 rows of one column, which is a node
 * of the tree of docs/numerics.md section 3; adjacent threads read adjacent columns.  In a
 * second kernel one thread for each column combines the nodes of the column. */
#include <inttypes.h>

#include "codegen/elemental/strip_mine.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/columns.h"

typedef struct strip {
    cg_columns c;
    cg_frame *fr;
    cg_place node[CG_FUSE_MAX_COLUMN_SUMS];
    int64_t blocks;
    bool by_groups;
    cg_ix column;
} strip;

/* Element j of the current column, for each reduction. */
static void
element_of_column(cg_lowering *l, void *user, cg_ix j, cg_val *e)
{
    strip *s = user;
    const cg_columns *c = &s->c;
    const int outer = c->x->rank - ir_type_at(c->f, c->v[0])->rank;
    cg_ix at[COT_MAX_RANK + 1];

    cg_ix_split(&l->ix, j, outer, c->x->dims, at);
    cg_ix_split(&l->ix, s->column, c->x->rank - outer, c->x->dims + outer, at + outer);
    for (int i = 0; i < c->n; i++) {
        ir_ref x = ir_def(c->f, c->v[i])->in[0];

        e[i] = cg_convert(l, cg_element(l, s->fr, x, at), ir_type_at(c->f, x)->dtype,
                          c->how[i].type);
    }
}

static uint32_t
node_buffer(cg_lowering *l, strip *s, int i, bool out)
{
    const int64_t dims[2] = { s->blocks, s->c.count };

    return cg_place_buffer(l, &s->node[i], ir_type_new(l->ctx, s->c.how[i].type, 2, dims),
                           "nodes", out);
}

/* Where the number of rows is open, that of the blocks of threads is to be a multiple of that
 * of the blocks of rows: a block of threads has adjacent columns of one block of rows. */
static cg_val
begin_groups(cg_lowering *l, const strip *s, cg_val *block, cg_val *column)
{
    cg_build *b = &l->b;
    const int64_t n = s->c.count, T = cg_threads_of(l, n), groups = (n + T - 1) / T;
    const uint32_t all = cg_reduction_new(b, s->blocks * n, 0, 1);
    const cg_val blocks = cg_number_of_blocks(b, s->blocks, groups, cg_is_open(l, n)),
                 grid = cg_loop_begin(b, CG_GRID, cg_i64(b, 0), blocks, 1, 0),
                 i = cg_loop_var(b, grid), first = cg_imul(b, cg_imod(b, i, groups), T),
                 limit = cg_is_multiple(l, n, T) ? 0 : cg_isub(b, cg_i64(b, n), first);

    *block = cg_idiv(b, i, groups);
    const cg_take_term term[] = { { *block, n }, { first, 1 } };
    cg_take_element(
        b, (cg_take){ .reduction = all, .n = 2, .term = term, .extent = T, .limit = n });
    l->threads = cg_loop_begin(b, CG_BLOCK, cg_i64(b, 0), cg_i64(b, T), 1, limit);
    *column = cg_iadd(b, first, cg_loop_var(b, l->threads));
    return grid;
}

static void
blocks_kernel(cg_lowering *l, strip *s)
{
    cg_build *b = &l->b;
    cg_columns *c = &s->c;
    cg_val x[CG_FUSE_MAX_COLUMN_SUMS], thread;

    for (int i = 0; i < c->n; i++) {
        const int64_t dims[2] = { s->blocks, c->count };

        s->node[i] = cg_plan_new(l, "nodes", ir_type_new(l->ctx, c->how[i].type, 2, dims));
    }
    cg_val grid, block, column;
    if (s->by_groups) {
        grid = begin_groups(l, s, &block, &column);
        thread = cg_iadd(b, cg_imul(b, block, c->count), column);
    } else {
        grid = cg_threads_begin(l, s->blocks * c->count, &thread);
        column = cg_imod(b, thread, c->count);
        block = cg_idiv(b, thread, c->count);
    }
    s->column = cg_ix_var(&l->ix, column, 0, c->count - 1);
    cg_fold_one_block(l, c->rows, c->n, c->how, block, element_of_column, s, x);
    for (int i = 0; i < c->n; i++)
        cg_store(b, node_buffer(l, s, i, true), thread, x[i], 0);
    cg_threads_end(l, grid);
}

static void
nodes_kernel(cg_lowering *l, strip *s)
{
    cg_build *b = &l->b;
    cg_columns *c = &s->c;
    uint32_t out[CG_FUSE_MAX_COLUMN_SUMS];
    cg_val column;

    for (int i = 0; i < c->n; i++)
        out[i] =
            cg_place_buffer(l, &s->fr->place[c->v[i]], ir_type_at(c->f, c->v[i]), "y", true);
    cg_val grid = cg_threads_begin(l, c->count, &column);
    const uint32_t reduction = cg_reduction_new(b, s->blocks, 0, 1);
    cg_val loop = cg_loop_of(b, CG_SERIAL, s->blocks);
    cg_val at = cg_iadd(b, cg_imul(b, cg_loop_var(b, loop), c->count), column);
    cg_take_value(b, reduction, cg_loop_var(b, loop), 0);
    for (int i = 0; i < c->n; i++)
        cg_loop_reduce(b, loop, CG_TREE, c->how[i].op, c->how[i].type,
                       cg_load(b, node_buffer(l, s, i, false), at, 0));
    cg_loop_end(b, loop);
    for (int i = 0; i < c->n; i++) {
        const cg_val x = cg_unless_empty(l, c->rows, &c->how[i], cg_loop_result(b, loop, i));

        cg_store(b, out[i], column, cg_fold_finish(l, c->f, ir_def(c->f, c->v[i]), x), 0);
    }
    cg_threads_end(l, grid);
}

void
cg_column_grid(cg_lowering *l, cg_frame *fr, const cg_group *g)
{
    strip s = { .c = cg_columns_of(l, fr->f, g->n, g->v), .fr = fr };
    const char *name = l->k->name;

    s.blocks = (s.c.rows + CG_FOLD_BLOCK - 1) / CG_FOLD_BLOCK;
    s.by_groups = cg_is_open(l, s.c.rows);
    cg_note_group(l, fr, g);
    l->k->flops = s.c.x->size * s.c.n;
    ir_buf_printf(l->why, "%s: columns of %" PRId64 " rows, %" PRId64 " blocks each\n", name,
                  s.c.rows, s.blocks);
    blocks_kernel(l, &s);
    cg_kernel_call(l);
    cg_kernel_begin(l, name);
    cg_note_group(l, fr, g);
    nodes_kernel(l, &s);
}
