/* The loops of row kernels: for each row, one or more passes over its elements.  If columns are
 * summed in the same kernel, rows are visited in the order of columns.h.
 *
 * A reduction, or an output, belongs to the first pass after the reductions that it depends on.
 * Reductions of one pass share a loop.  Expensive values that a later pass needs again are kept
 * (rows_kept.c). */
#include "codegen/schedule/rows.h"

#include <inttypes.h>

#include "codegen/elemental/fold.h"
#include "codegen/elemental/strip_mine.h"
#include "codegen/fuse/cost.h"
#include "codegen/kernel/grid.h"
#include "codegen/plan/plan.h"
#include "codegen/tuning.h"

/* How many rows are computed at once (unroll and jam).  Several passes over a row of a few
 * vectors are one long dependence chain; independent rows keep the processor busy.  If the last
 * rows do not fill a group, and no threads share the loop, some rows are computed twice. */
static int64_t
rows_at_once(const cg_rows *r)
{
    const int64_t lanes = cg_lanes(r->l, r->widest ? r->widest : 8),
                  vectors = (r->n + lanes - 1) / lanes;
    const int64_t fit = CG_SCHEDULE_JAM_VECTORS / vectors, jam = fit > CG_SCHEDULE_MAX_JAM
                                                                     ? CG_SCHEDULE_MAX_JAM
                                                                 : fit < 1 ? 1
                                                                           : fit;
    return !r->l->target.grid && lanes > 1 && r->idempotent && r->columns.n == 0 &&
                   r->stages > 1 && r->outer >= 4 * jam
               ? jam
               : 1;
}

/* Emit rows first ... first + n - 1, `jam` at a time.  The last group of rows is moved back to
 * end with the last row. */
static void
some_rows(cg_rows *r, cg_kind kind, int64_t first, int64_t n, int64_t jam)
{
    cg_build *b = &r->l->b;
    cg_val loop = cg_loop_begin(b, kind, cg_i64(b, first), cg_i64(b, first + n), jam, 0);
    cg_val row = cg_loop_var(b, loop), copies = 0;
    r->slot = 0;
    if (jam > 1) {
        row = n % jam ? cg_imin(b, row, cg_i64(b, first + n - jam)) : row;
        copies = cg_loop_of(b, CG_UNROLL, jam);
        r->slot = cg_imul(b, cg_loop_var(b, copies), cg_kept_stride(r));
        row = cg_iadd(b, row, cg_loop_var(b, copies));
    }
    cg_rows_one(r, row);
    if (copies)
        cg_loop_end(b, copies);
    cg_loop_end(b, loop);
}

/* Kept values are bound to memory when their pass is done.  Code for further rows, later in the
 * text, must start from the bindings that the first rows started from, so these are saved and
 * restored. */
static ir_ref
kept_value(const cg_rows *r, uint32_t i)
{
    return i < r->g->n ? r->g->v[i] : r->keep[i - r->g->n].v;
}

static cg_bind *
save_bindings(const cg_rows *r)
{
    cg_bind *b = IR_NEW_N(r->l->scratch, cg_bind, r->g->n + r->n_keep + 1);

    for (uint32_t i = 0; i < r->g->n + r->n_keep; i++)
        b[i] = *cg_bound(r->fr, kept_value(r, i));
    return b;
}

static void
restore_bindings(cg_rows *r, const cg_bind *b)
{
    for (uint32_t i = 0; i < r->g->n + r->n_keep; i++)
        cg_bind_value(r->l, r->fr, kept_value(r, i), b[i]);
}

/* Emit all rows.  Two threads never store to one row, even the same values, so rows that do not
 * fill a group follow the parallel loop. */
static void
plain_rows(cg_rows *r, bool many)
{
    const bool apart = many || cg_is_open(r->l, r->outer);
    const int64_t rest = apart ? r->outer % r->jam : 0;
    const bool has_rest = rest || (r->jam > 1 && cg_is_open(r->l, r->outer));

    if (r->outer == 1) {
        cg_rows_one(r, 0);
        return;
    }
    const cg_bind *first = has_rest ? save_bindings(r) : NULL;
    some_rows(r, many ? CG_PARALLEL : CG_SERIAL, 0, r->outer - rest, r->jam);
    if (has_rest) {
        restore_bindings(r, first);
        some_rows(r, CG_SERIAL, r->outer - rest, rest, 1);
    }
}

static cg_val
slot(cg_rows *r, cg_val chunk, cg_ix column)
{
    cg_build *b = &r->l->b;
    cg_val value = cg_ix_value(&r->l->ix, b, column);
    return cg_iadd(b, cg_imul(b, chunk, r->columns.count), value);
}

static void
save_node(cg_lowering *l, void *user, cg_ix column)
{
    cg_rows *r = user;
    for (int i = 0; i < r->columns.n; i++) {
        cg_val value = cg_columns_node(&r->columns, i, column);
        cg_store(&l->b, r->node[i], slot(r, r->chunk, column), value, 0);
    }
}

/* Combine the nodes of all chunks, in the order of the tree. */
static cg_val
combined(cg_rows *r, int i, cg_ix column)
{
    cg_build *b = &r->l->b;
    const cg_fold how = r->columns.how[i];
    cg_val x[CG_SCHEDULE_MAX_CHUNKS];
    if (r->chunks == 1)
        return cg_columns_node(&r->columns, i, column);
    for (int64_t k = 0; k < r->chunks; k++)
        x[k] = cg_load(b, r->node[i], slot(r, cg_i64(b, k), column), 0);
    for (int64_t s = 1; s < r->chunks; s *= 2)
        for (int64_t k = 0; k + s < r->chunks; k += 2 * s)
            x[k] = cg_insn2(b, how.op, how.type, x[k], x[k + s]);
    return x[0];
}

/* Store the column sums of all copies of element j. */
static void
store_columns(cg_lowering *l, void *user, cg_ix j)
{
    cg_rows *r = user;
    cg_val *x = IR_NEW_N(l->scratch, cg_val, r->copies);
    for (int i = 0; i < r->columns.n; i++) {
        const ir_ref v = r->columns.v[i];
        const cg_ix first = cg_ix_mul(&l->ix, j, r->copies);
        for (int64_t k = 0; k < r->copies; k++) {
            const cg_val sum = combined(r, i, cg_rows_column(r, j, k));
            x[k] = cg_fold_finish(l, r->fr->f, ir_def(r->fr->f, v),
                                  cg_unless_empty(l, r->columns.rows, &r->columns.how[i], sum));
        }
        for (int64_t k = 0; k < r->copies; k++)
            cg_store(&l->b, r->buffer[cg_index_in_group(r->g, v)],
                     cg_ix_value(&l->ix, &l->b, cg_ix_addc(&l->ix, first, k)), x[k], 0);
    }
}

/* Emit the rows in the order of columns.h.  Threads get chunks of a power of two of parts, each
 * of which is a node of the tree. */
static void
rows_with_columns(cg_rows *r, bool many)
{
    cg_lowering *l = r->l;
    cg_build *b = &l->b;
    cg_columns *c = &r->columns;
    const int64_t wanted = l->o->threads * CG_SCHEDULE_CHUNKS_OF_THREAD;
    int64_t most = !many                             ? 1
                   : wanted > CG_SCHEDULE_MAX_CHUNKS ? CG_SCHEDULE_MAX_CHUNKS
                                                     : wanted,
            run = 1;
    while ((c->parts + run - 1) / run > most)
        run *= 2;
    r->chunks = (c->parts + run - 1) / run;
    c->width = c->count;
    cg_columns_declare(c);
    if (r->chunks == 1) {
        cg_columns_parts(c, cg_i64(b, 0), cg_i64(b, c->parts), cg_rows_one, r);
    } else {
        for (int i = 0; i < c->n; i++)
            r->node[i] = cg_work_buffer(l, "t", "nodes", c->how[i].type, r->chunks * c->count);
        cg_val loop = cg_loop_of(b, CG_PARALLEL, r->chunks);
        r->chunk = cg_loop_var(b, loop);
        cg_val lo = cg_imul(b, r->chunk, run), n = cg_i64(b, run);
        if (c->parts % run)
            n = cg_imin(b, n, cg_isub(b, cg_i64(b, c->parts), lo));
        cg_columns_parts(c, lo, n, cg_rows_one, r);
        cg_columns_strip_mine(c, save_node, r);
        cg_loop_end(b, loop);
    }
    cg_strip_mine(l, CG_SERIAL, r->n, 2 * cg_lanes(l, ir_bits(c->how[0].type)), false,
                  store_columns, r);
}

static cg_columns
find_columns(cg_rows *r)
{
    ir_ref v[CG_FUSE_MAX_COLUMN_SUMS];
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->g->n; i++)
        if (cg_rows_member(r, i) == CG_MEMBER_COLUMN)
            v[n++] = r->g->v[i];
    return cg_columns_of(r->l, r->fr->f, n, v);
}

void
cg_row_kernel(cg_lowering *l, cg_frame *fr, const cg_fusion *fusion, const cg_group *g)
{
    cg_rows r = { .l = l,
                  .fr = fr,
                  .fusion = fusion,
                  .g = g,
                  .n = 1,
                  .outer = 1,
                  .copies = 1,
                  .idempotent = true };
    for (int k = 0; k < g->space->rank; k++)
        *(k < g->outer                    ? &r.outer
          : k < g->space->rank - g->inner ? &r.n
                                          : &r.copies) *= g->space->dims[k];
    r.buffer = IR_NEW_N(l->scratch, uint32_t, g->n);
    cg_note_group(l, fr, g);
    cg_rows_find_stages(&r);
    if (l->target.grid)
        cg_rows_warps(&r);
    if (cg_rows_may_split(&r)) {
        cg_rows_split(&r);
        return;
    }
    cg_rows_place(&r);
    r.columns = find_columns(&r);
    r.jam = rows_at_once(&r);
    cg_find_kept(&r);
    bool many = cg_is_shared(l,
                             r.cost * g->space->size +
                                 r.outer * CG_FUSE_COST_ROW * cg_lanes(l, r.widest),
                             cg_lanes(l, r.widest), g->bytes) &&
                !(r.columns.n && cg_is_open(l, r.columns.rows)) &&
                !(r.outer == 1 && cg_is_open(l, r.n) && cg_lanes(l, 32) == 1);
    r.split = many && r.outer == 1;
    l->k->flops = r.cost * g->space->size;
    ir_buf_printf(l->why,
                  "%s: %" PRId64 " rows of %" PRId64 "%s, %d passes, cost %" PRId64 "%s%s\n",
                  l->k->name, r.outer, r.n, r.copies > 1 ? " times a few" : "", r.stages,
                  r.cost, r.columns.n ? ", with columns" : "", many ? ", parallel" : "");
    if (r.warps)
        cg_rows_grid(&r);
    else if (r.columns.n)
        rows_with_columns(&r, many);
    else
        plain_rows(&r, many);
}
