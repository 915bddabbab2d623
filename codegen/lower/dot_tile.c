/* A register tile of a contraction (dot.c): the sums of its elements over one block of k or
 * over all of them, from operands in place or packed, and what becomes of the sums.
 *
 * Sums stay in registers up to a short epilogue.  Otherwise they are kept: in the result's
 * memory, where that is all that an epilogue would do, or in scratch memory (in L1), from which
 * the epilogue reads them row by row. */
#include "codegen/lower/dot_pack.h"
#include "codegen/tuning.h"

/* Pass the sums of a tile, which are kept in memory (in L1), to the epilogue row by row.  The
 * epilogue is compiled for the vectors of one row, or for one vector if it is long. */
static void
emit_rows(const cg_dot_product *p, const cg_dot_at *a, bool over)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val end = cg_iadd(b, a->m0, cg_i64(b, s->how.rows)), first = cg_i64(b, 0), vectors = 0;
    if (s->m.total % s->how.rows)
        end = cg_imin(b, end, a->m_end);
    cg_val rows = loop_over(b, a->m0, end, 1), m = cg_loop_var(b, rows);
    if (p->d->expensive) {
        vectors = loop_over(b, first, cg_i64(b, a->columns), s->how.width);
        first = cg_loop_var(b, vectors);
    }
    cg_dot_tile r = tile_begin(p, 1, p->d->expensive ? s->how.width : a->columns);
    cg_val column = cg_iadd(b, first, r.column), n = cg_iadd(b, a->n0, column);
    cg_val when = over ? less(b, n, cg_i64(b, s->n.total)) : 0;
    cg_val kept = kept_index(p, a, cg_isub(b, m, a->m0), column);
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
step_place(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
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
place_sum(const void *user, cg_val lo, cg_val hi)
{
    const place *e = user;
    const cg_dot_chain c = { .type = e->p->d->type,
                             .lo = lo,
                             .hi = hi,
                             .unroll = 1,
                             .reduction = e->reduction,
                             .step = step_place,
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
    return cg_dot_blocks(b, e->p->d->type, total, place_sum, e);
}

cg_val
cg_dot_element(const cg_dot_product *p, cg_val m, cg_val n)
{
    return direct_element(&(place){ p, m, n, 0, 0, 0 });
}

/* The offset of row m0 + i of a tile.  If the innermost axis consists of whole tiles, the rows
 * of a tile have one stride: `offset` is then added last, since it is constant. */
typedef struct tile_row {
    cg_val at, offset;
} tile_row;

static tile_row
tile_row_at(const cg_dot_product *p, cg_val m0, cg_val i)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t size = s->m.n ? s->m.size[s->m.n - 1] : 1;
    if (size % s->how.rows)
        return (tile_row){ cg_dot_row_offset(p, cg_iadd(b, m0, i)), cg_i64(b, 0) };
    return (tile_row){ cg_dot_row_offset(p, m0),
                       cg_imul(b, i, innermost(&s->m, left_of(s, &s->m))) };
}

/* An element of a tile, over one block of k: its panel and column, and its row in place or in
 * its strip. */
typedef struct packed_element {
    const cg_dot_product *p;
    cg_val panel, column, k0, strip, i;
    tile_row row;
} packed_element;

static cg_val
right_value(const packed_element *e, cg_val k)
{
    cg_build *b = e->p->b;

    return cg_load(b, e->p->d->scratch, cg_dot_panel_index(e->p, e->panel, e->k0, k, e->column),
                   0);
}

static cg_val
step_in_place(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
{
    const packed_element *e = user;
    const cg_dot_product *p = e->p;
    const cg_dot_group *g = &p->s.left_k;
    cg_build *b = p->b;
    cg_val along = cg_imul(b, k, innermost(g, g->lhs));
    cg_val at = cg_iadd(b, cg_iadd(b, e->row.at, r->base), along);
    cg_val x = load(p, true, cg_iadd(b, at, e->row.offset), 0);

    return multiply_add(p, x, right_value(e, cg_isub(b, k, e->k0)), acc);
}

static cg_val
step_packed(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
{
    const packed_element *e = user;
    const cg_dot_product *p = e->p;
    cg_val x = cg_load(p->b, p->d->scratch, cg_dot_left_index(p, e->strip, k, e->i), 0);

    (void)r;
    return multiply_add(p, x, right_value(e, k), acc);
}

/* The sum of an element over a block of k. */
static cg_val
packed_sum(const cg_dot_product *p, const cg_dot_at *a, const cg_dot_tile *t)
{
    cg_build *b = p->b;
    packed_element e = {
        .p = p, .panel = a->panel, .column = t->column, .k0 = a->k0, .i = t->i
    };
    e.strip = cg_idiv(b, cg_isub(b, a->m0, a->m_begin), p->s.how.rows);
    cg_dot_chain c = { .type = p->d->type,
                       .unroll = p->s.how.unroll,
                       .reduction = cg_reduction_new(b, p->s.steps, a->k0, 1),
                       .user = &e };

    if (p->s.how.left != CG_DOT_IN_PLACE) {
        c.lo = cg_i64(b, 0);
        c.hi = a->kc;
        c.k0 = a->k0;
        c.step = step_packed;
        return cg_dot_chain_sum(b, &c);
    }
    e.row = tile_row_at(p, a->m0, t->i);
    if (c.unroll == CG_DOT_ALL) /* there is one block */
        e.k0 = cg_i64(b, 0);
    c.runs = &p->s.left_k;
    c.stride = c.runs->lhs;
    c.lo = e.k0;
    c.hi = cg_iadd(b, e.k0, a->kc);
    c.step = step_in_place;
    return cg_dot_chain_sum(b, &c);
}

/* Where an element is, and the guards of its row and column, and of both. */
typedef struct guarded {
    cg_val m, n, in_row, in_column, when;
} guarded;

static guarded
guarded_at(const cg_dot_product *p, const cg_dot_at *a, const cg_dot_tile *t)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    guarded x = { cg_iadd(b, a->m0, t->i), cg_iadd(b, a->n0, t->column), 0, 0, 0 };

    if (s->m.total % s->how.rows)
        x.in_row = less(b, x.m, a->m_end);
    if (a->edge != CG_DOT_INSIDE)
        x.in_column = less(b, x.n, cg_i64(b, s->n.total));
    return x;
}

/* The sum of an element whose operands are read in place. */
static cg_val
sum_in_place(const cg_dot_product *p, const cg_dot_at *a, const guarded *x)
{
    cg_build *b = p->b;
    place e = { p,
                x->in_row ? cg_imin(b, x->m, cg_i64(b, p->s.m.total - 1)) : x->m,
                x->n,
                a->columns == p->s.nr ? a->n0 : 0,
                x->in_column,
                0 };

    if (!a->k0)
        return direct_element(&e);
    e.reduction = cg_reduction_new(b, p->s.steps, a->k0, 1);
    return place_sum(&e, a->k0, cg_iadd(b, a->k0, a->kc));
}

/* Prefetch the cache lines in which the sums of a tile are kept, if they may be outside of L2,
 * while the tile is computed. */
static void
prefetch_kept(const cg_dot_product *p, const cg_dot_at *a)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t line = CG_KERNEL_CACHE_LINE / (int64_t)cot_dtype_size(p->d->type);
    const bool unaligned = s->own && s->n.total % line != 0;
    for (int64_t i = 0; i < s->how.rows; i++)
        for (int64_t c = 0; c < s->nr + (unaligned ? line - 1 : 0); c += line) {
            cg_val row = cg_i64(b, i), column = cg_i64(b, c < s->nr ? c : s->nr - 1);
            if (s->own) {
                cg_val place = cg_iadd(b, a->n0, column);
                cg_prefetch(b, p->d->sum - 1, own_index(p, cg_iadd(b, a->m0, row), place));
            } else
                cg_prefetch(b, p->d->scratch, kept_index(p, a, row, column));
        }
}

/* Add a sum to the result in its own memory.  In a tile of packed operands, elements are masked
 * only at the edge. */
static void
add_guarded(const cg_dot_product *p, const cg_dot_at *a, const guarded *x, cg_val sum)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val rows = 0, columns = 0;

    if (is_packed(s) && x->in_row)
        rows = less(b, cg_iadd(b, a->m0, cg_i64(b, s->how.rows - 1)), a->m_end);
    if (is_packed(s) && x->in_column)
        columns = less(b, cg_iadd(b, a->n0, cg_i64(b, s->nr - 1)), cg_i64(b, s->n.total));
    if (!rows && !columns) {
        add_to_own(p, x->m, x->n, a->k0, sum, x->when);
        return;
    }
    cg_val whole = cg_if_begin(b, both(b, rows, columns));
    add_to_own(p, x->m, x->n, a->k0, sum, 0);
    cg_if_else(b, whole);
    add_to_own(p, x->m, x->n, a->k0, sum, both(b, x->in_row, x->in_column));
    cg_if_end(b, whole);
}

/* Pass kept sums to the epilogue, after the last block of k. */
static void
emit_kept(const cg_dot_product *p, const cg_dot_at *a)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const bool several = a->k0 && s->steps > KC, choice = a->edge == CG_DOT_PERHAPS;
    cg_val last = 0, inside = 0;

    if (several)
        last = cg_if_begin(b, less(b, cg_i64(b, s->steps - KC - 1), a->k0));
    if (choice) {
        inside = cg_if_begin(b, less(b, a->n0, cg_i64(b, s->n.total / s->nr * s->nr)));
        emit_rows(p, a, false);
        cg_if_else(b, inside);
    }
    emit_rows(p, a, a->edge != CG_DOT_INSIDE);
    if (choice)
        cg_if_end(b, inside);
    if (several)
        cg_if_end(b, last);
}

void
cg_dot_tile_at(const cg_dot_product *p, const cg_dot_at *a)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const bool own = s->own && a->k0, kept = !own && (a->k0 || p->d->expensive);

    if (is_packed(s) && s->how.prefetch)
        prefetch_kept(p, a);
    const cg_dot_tile t = tile_begin(p, s->how.rows, a->columns);
    cg_val sum = is_packed(s) ? packed_sum(p, a, &t) : 0;
    guarded x = { 0 };

    if (own || !sum)
        x = guarded_at(p, a, &t);
    if (!sum) {
        x.when = both(b, x.in_row, x.in_column);
        sum = sum_in_place(p, a, &x);
    }
    if (own) {
        add_guarded(p, a, &x, sum);
    } else if (kept) {
        cg_val at = kept_index(p, a, t.i, t.column);
        sum = a->k0 ? sum_so_far(p, a->k0, p->d->scratch, at, sum, 0) : sum;
        cg_store(b, p->d->scratch, at, sum, 0);
    } else {
        emit_result(p, x.m, x.n, sum, x.when);
    }
    tile_end(p, &t);
    if (kept)
        emit_kept(p, a);
}
