/* Elements of a matrix product that is not packed: a register tile that reads both operands in
 * place, the sum of the inner form, and passing finished sums to the epilogue row by row. */
#include "codegen/elemental/element.h"
#include "codegen/elemental/fold.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

/* Pass the sums of a tile, which are kept in memory (in L1), to the epilogue row by row.  The
 * epilogue is compiled for the vectors of one row, or for one vector if it is long. */
void
cg_dot_emit_rows(const cg_dot_product *p, cg_val n0, cg_val m0, cg_val m_end, int64_t columns,
                 bool columns_over)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val end = cg_iadd(b, m0, cg_i64(b, s->how.rows)), first = cg_i64(b, 0), vectors = 0;
    if (s->m.total % s->how.rows)
        end = cg_imin(b, end, m_end);
    cg_val rows = loop_over(b, m0, end, 1), m = cg_loop_var(b, rows);
    if (p->d->expensive) {
        vectors = loop_over(b, first, cg_i64(b, columns), s->how.width);
        first = cg_loop_var(b, vectors);
    }
    cg_dot_tile r = tile_begin(p, 1, p->d->expensive ? s->how.width : columns);
    cg_val column = cg_iadd(b, first, r.column), n = cg_iadd(b, n0, column);
    cg_val when = columns_over ? less(b, n, cg_i64(b, s->n.total)) : 0;
    cg_val kept = kept_index(p, m0, cg_isub(b, m, m0), n0, column);
    emit_result(p, m, n, cg_load(b, p->d->scratch, kept, 0), when);
    tile_end(p, &r);
    if (vectors)
        cg_loop_end(b, vectors);
    cg_loop_end(b, rows);
}

/* Prefetch what the next tile, nr columns further, reads of the right side in row k. */
static void
prefetch_next(const cg_dot_product *p, cg_val n0, cg_val k)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const uint32_t buffer = s->how.swap ? p->d->lhs : p->d->rhs;
    const cot_dtype type = b->k->buffer[buffer].type;
    const int64_t line = CG_KERNEL_CACHE_LINE / (int64_t)cot_dtype_size(type);
    cg_val at = cg_iadd(b, cg_imul(b, k, innermost(&s->k, right_of(s, &s->k))), n0);

    at = cg_iadd(b, p->right, at);
    for (int64_t c = 0; c < s->nr; c += line)
        cg_prefetch(b, buffer, cg_iadd(b, at, cg_i64(b, s->nr + c)));
}

/* Where an element of the result is: its row, its column, the tile's first column (0: nothing
 * is prefetched), and the guard of loads beyond the last column. */
typedef struct place {
    const cg_dot_product *p;
    cg_val m, n, n0, right_when;
    uint32_t reduction;
} place;

static cg_val
step(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
{
    const place *e = user;
    const cg_dot_product *p = e->p;
    const cg_dot_shape *s = &p->s;
    cg_build *b = p->b;

    (void)r;
    if (s->how.prefetch && e->n0)
        prefetch_next(p, e->n0, k);
    cg_val along = offset(b, &s->k, left_of(s, &s->k), k);
    cg_val x = load(p, true, cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), e->m), along), 0);
    cg_val right_k = offset(b, &s->k, right_of(s, &s->k), k);
    cg_val y = load(p, false, cg_iadd(b, offset(b, &s->n, right_of(s, &s->n), e->n), right_k),
                    e->right_when);

    return multiply_add(p, x, y, acc);
}

/* The chain over k in lo ... hi of an element. */
static cg_val
chain_sum(const void *user, cg_val lo, cg_val hi)
{
    const place *e = user;
    const cg_dot_chain c = { .type = e->p->d->type,
                             .lo = lo,
                             .hi = hi,
                             .unroll = 1,
                             .reduction = e->reduction,
                             .step = step,
                             .user = e };

    return cg_dot_chain_sum(e->p->b, &c);
}

static cg_val
direct_element(place *e)
{
    cg_build *b = e->p->b;
    const int64_t total = e->p->s.k.total;

    /* without k's no address can be computed: an axis of size 0 would be divided by */
    if (total == 0)
        return cg_const(b, e->p->d->type, 0);
    e->reduction = cg_reduction_new(b, total, 0, 1);
    return cg_dot_blocks(b, e->p->d->type, total, chain_sum, e);
}

cg_val
cg_dot_element(const cg_dot_product *p, cg_val m, cg_val n)
{
    return direct_element(&(place){ p, m, n, 0, 0, 0 });
}

/* The sum of an element over the block of k that starts at k0, added to those of the blocks
 * before it, in memory. */
static void
add_block(const cg_dot_product *p, place *e, cg_val k0, cg_val m, cg_val kept, cg_val when)
{
    cg_build *b = p->b;
    e->reduction = cg_reduction_new(b, p->s.steps, k0, 1);
    cg_val sum = chain_sum(e, k0, cg_iadd(b, k0, block_size(p, k0)));

    if (p->s.own)
        add_to_own(p, m, e->n, k0, sum, when);
    else
        cg_store(b, p->d->scratch, kept, sum_so_far(p, k0, p->d->scratch, kept, sum, 0), 0);
}

/* Tiles of rows m0 ... and columns n0 ...; lanes beyond the last column are masked.  With k0,
 * of the block of k that starts there; else of all k's. */
static void
direct_tile(const cg_dot_product *p, cg_val m0, cg_val n0, int64_t columns, bool columns_over,
            cg_val m_end, cg_val k0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    bool rows_over = s->m.total % s->how.rows != 0;
    cg_dot_tile t = tile_begin(p, s->how.rows, columns);
    cg_val m = cg_iadd(b, m0, t.i), n = cg_iadd(b, n0, t.column);
    cg_val in_row = rows_over ? less(b, m, m_end) : 0,
           in_column = columns_over ? less(b, n, cg_i64(b, s->n.total)) : 0;
    cg_val row = rows_over ? cg_imin(b, m, cg_i64(b, s->m.total - 1)) : m;
    place e = { p, row, n, columns == s->nr ? n0 : 0, in_column, 0 };

    if (k0)
        add_block(p, &e, k0, m, s->own ? 0 : kept_index(p, m0, t.i, n0, t.column),
                  both(b, in_row, in_column));
    else if (p->d->expensive)
        cg_store(b, p->d->scratch, kept_index(p, m0, t.i, n0, t.column), direct_element(&e), 0);
    else
        emit_result(p, m, n, direct_element(&e), both(b, in_row, in_column));
    tile_end(p, &t);
    if (!k0 && p->d->expensive)
        cg_dot_emit_rows(p, n0, m0, m_end, columns, columns_over);
    if (!k0 || s->own)
        return;
    cg_val last = cg_if_begin(b, less(b, cg_i64(b, s->steps - KC - 1), k0));
    cg_dot_emit_rows(p, n0, m0, m_end, columns, columns_over);
    cg_if_end(b, last);
}

/* All rows of the columns from ... to, panel by panel; with k0, of the block of k that starts
 * there. */
static void
stream_columns(const cg_dot_product *p, cg_val from, cg_val to, int64_t columns, cg_val k0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val m_end = cg_i64(b, s->m.total), panels = loop_over(b, from, to, columns),
           n0 = cg_loop_var(b, panels), rows = loop_over(b, cg_i64(b, 0), m_end, s->how.rows);

    direct_tile(p, cg_loop_var(b, rows), n0, columns, columns % s->how.width != 0, m_end, k0);
    cg_loop_end(b, rows);
    cg_loop_end(b, panels);
}

static void
stream_blocks(const cg_dot_product *p, cg_val from, cg_val to, int64_t columns)
{
    cg_build *b = p->b;
    cg_val blocks = p->s.steps > KC ? loop_over(b, cg_i64(b, 0), cg_i64(b, p->s.steps), KC) : 0;

    stream_columns(p, from, to, columns, blocks ? cg_loop_var(b, blocks) : 0);
    if (blocks)
        cg_loop_end(b, blocks);
}

/* A right side that does not stay in the cache, for few rows: threads share its panels. */
static void
streamed(const cg_dot_product *p)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t whole = s->n.total / s->nr * s->nr, left_over = s->n.total - whole;
    const column_share c = column_share_begin(p, whole);
    cg_dot_product share = *p;

    if (c.loop)
        share.c_at = cg_imul(b, cg_loop_var(b, c.loop), s->c_each);
    stream_blocks(&share, c.from, c.to, s->nr);
    if (c.loop)
        cg_loop_end(b, c.loop);
    if (left_over)
        stream_blocks(p, cg_i64(b, whole), cg_i64(b, s->n.total), left_over);
}

void
cg_dot_in_place(const cg_dot_product *p, cg_val m_begin, cg_val m_end)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    int64_t whole = s->n.total / s->nr * s->nr, left_over = s->n.total - whole;

    if (s->how.stream) {
        streamed(p);
        return;
    }
    cg_val rows = loop_over(b, m_begin, m_end, s->how.rows), m0 = cg_loop_var(b, rows);
    if (whole) {
        cg_val columns = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), s->nr);
        direct_tile(p, m0, cg_loop_var(b, columns), s->nr, false, m_end, 0);
        cg_loop_end(b, columns);
    }
    if (left_over)
        direct_tile(p, m0, cg_i64(b, whole), left_over, left_over % s->how.width != 0, m_end,
                    0);
    cg_loop_end(b, rows);
}

/* A row of one side, which is multiplied by the other side. */
typedef struct inner {
    const cg_dot_product *p;
    cg_val row;
} inner;

static cg_val
inner_step(cg_lowering *l, void *user, cg_ix j, cg_val acc)
{
    const inner *x = user;
    const cg_dot_product *p = x->p;
    const cg_dot_shape *s = &p->s;
    cg_build *b = p->b;
    cg_val k = cg_ix_value(&l->ix, b, j), along = offset(b, &s->k, left_of(s, &s->k), k);
    cg_val at = cg_iadd(b, offset(b, &s->m, left_of(s, &s->m), x->row), along);
    cg_val left = load(p, true, at, l->mask);
    cg_val right = load(p, false, offset(b, &s->k, right_of(s, &s->k), k), l->mask);
    return multiply_add(p, left, right, acc);
}

cg_val
cg_dot_inner_sum(const cg_dot_product *p, cg_val row, bool lanes)
{
    cg_lowering *l = p->l;
    const cg_fold how = { SC_add, p->d->type, inner_step };
    const int64_t total = p->s.k.total;
    const bool few = !l->reduce_scope && total <= (lanes ? 2 : CG_LOWER_MAX_SPELLED_SUM);
    inner of = { p, row };
    cg_val sum;
    if (total == 0)
        return cg_const(p->b, p->d->type, 0);
    cg_fold_loops(l, total, 1, &how,
                  few     ? CG_FOLD_UNROLLED
                  : lanes ? CG_FOLD_LANES
                          : CG_FOLD_SERIAL,
                  false, NULL, &of, &sum);
    return sum;
}

void
cg_dot_inner_form(const cg_dot_product *p, cg_val m_begin, cg_val m_end)
{
    cg_build *b = p->b;
    cg_val rows = loop_over(b, m_begin, m_end, 1), m = cg_loop_var(b, rows);
    uint32_t mark = cg_scope_begin(p->l);
    cg_val acc = cg_dot_inner_sum(p, m, p->s.how.width > 1);
    cg_scope_end(p->l, mark);
    emit_result(p, m, cg_i64(b, 0), acc, 0);
    cg_loop_end(b, rows);
}

void
cg_dot_set_batch(cg_dot_product *p, cg_val batch)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val lhs = p->d->lhs_offset ? p->d->lhs_offset : cg_i64(b, 0);
    cg_val rhs = p->d->rhs_offset ? p->d->rhs_offset : cg_i64(b, 0);

    p->batch = batch;
    p->left = cg_iadd(b, lhs, offset(b, &s->b, s->b.lhs, batch));
    p->right = cg_iadd(b, rhs, offset(b, &s->b, s->b.rhs, batch));
    if (s->how.swap) {
        cg_val left = p->left;
        p->left = p->right;
        p->right = left;
    }
}
