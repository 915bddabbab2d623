/* A register tile of a contraction (dot.c): the sums of its elements over one block of k or
 * over all of them, from operands in place or packed, and what becomes of the sums.
 *
 * Sums stay in registers up to a short epilogue.  Otherwise they are kept: in the result's
 * memory, where that is all that an epilogue would do, or in scratch memory (in L1), from which
 * the epilogue reads them row by row. */
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

/* An element of a tile. */
typedef struct tile_element {
    cg_dot_product p; /* of its element of the batch */
    const cg_dot_at *a;
    const cg_dot_tile *t;
    cg_val n; /* its column of the result */
    cg_val in_row, in_lane; /* 0: it is inside */
    cg_val row, column; /* in place: the offsets of its row and column; row: else its strip */
    cg_val k0; /* the first k of the block, as the right side counts */
    const cg_dot_group *runs; /* NULL: of each k, the offset is computed */
    const int64_t *stride; /* of runs, on the left */
    uint32_t reduction;
} tile_element;

/* Do tiles go beyond the last row, or the last of a run? */
static bool
has_partial_rows(const cg_dot_shape *s)
{
    return s->m.open ||
           (s->how.lanes == CG_DOT_BATCH ? s->how.run : s->m.total) % s->how.rows != 0;
}

/* Row i of a tile, counted from the start of a run; beyond the last row, that one. */
static cg_val
row_inside(const cg_dot_product *p, const cg_dot_at *a, cg_val i)
{
    const cg_dot_shape *s = &p->s;
    const int64_t rows = s->how.lanes == CG_DOT_BATCH ? s->how.run : s->m.total;
    cg_val row = cg_iadd(p->b, a->m0, i);

    return has_partial_rows(s) ? cg_imin(p->b, row, cg_i64(p->b, rows - 1)) : row;
}

/* Set the column of an element, and its guards. */
static void
locate(tile_element *e)
{
    cg_build *b = e->p.b;
    const cg_dot_shape *s = &e->p.s;
    const cg_dot_at *a = e->a;
    cg_val lane;

    e->n = column_at(&e->p, a->n0, e->t, &lane);
    if (has_partial_rows(s))
        e->in_row = less(b, cg_iadd(b, a->m0, e->t->i), a->m.end);
    if (a->edge != CG_DOT_INSIDE)
        e->in_lane = less(b, lane, cg_i64(b, lane_axis(s)));
    if (s->how.lanes == CG_DOT_LINES)
        e->n = cg_iadd(b, a->result, e->t->f);
}

static cg_val
row_of(const tile_element *e)
{
    cg_build *b = e->p.b;
    const cg_dot_shape *s = &e->p.s;
    const cg_dot_at *a = e->a;
    const bool lines = s->how.lanes == CG_DOT_LINES;
    cg_val m = cg_iadd(b, a->m0, lines ? cg_imul(b, e->t->i, lane_axis(s)) : e->t->i);

    if (lines)
        return cg_iadd(b, m, cg_iadd(b, a->n0, e->t->column));
    return a->run ? cg_iadd(b, a->run, m) : m;
}

/* In place, the offset of the row of an element.  Where the rows of a tile, or of a run, have
 * one stride, only the first of them is divided into its axes. */
static cg_val
row_offset(const tile_element *e)
{
    const cg_dot_product *p = &e->p;
    cg_build *b = p->b;
    const cg_dot_group *m = &p->s.m;
    const int64_t *stride = left_of(&p->s, m);
    const int last = m->n - 1;
    cg_val i = e->t->i;

    if (p->s.how.lanes == CG_DOT_LINES) {
        cg_val lane = cg_iadd(b, e->a->n0, e->t->column), row = offset(b, m, stride, e->a->m0);
        row = last > 0 ? cg_iadd(b, row, cg_imul(b, i, stride[last - 1])) : row;
        return cg_iadd(b, row, cg_imul(b, lane, stride[last]));
    }
    if (last >= 0 && m->size[last] % p->s.how.rows == 0 && !m->open && !e->a->run)
        return cg_iadd(b, offset(b, m, stride, e->a->m0), cg_imul(b, i, stride[last]));
    cg_val row = row_inside(p, e->a, i);
    if (e->a->run && p->s.how.run != m->total)
        return cg_iadd(b, offset(b, m, stride, e->a->run), cg_imul(b, row, stride[last]));
    return offset(b, m, stride, row);
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

/* The offset of k on one side, in place. */
static cg_val
k_offset(const tile_element *e, const cg_dot_runs *r, cg_val k, bool left)
{
    const cg_dot_shape *s = &e->p.s;
    cg_build *b = e->p.b;
    const int64_t *stride = left ? e->stride : right_of(s, &s->k);
    const cg_dot_group *g = left ? e->runs : &s->k;

    if (!e->runs)
        return offset(b, &s->k, left ? left_of(s, &s->k) : stride, k);
    cg_val base = left ? r->base : cg_dot_base(b, g, stride, r->from);
    return cg_iadd(b, base, cg_imul(b, k, innermost(g, stride)));
}

static cg_val
left_value(const tile_element *e, const cg_dot_runs *r, cg_val k)
{
    const cg_dot_product *p = &e->p;
    cg_build *b = p->b;

    if (p->s.how.left == CG_DOT_IN_PLACE)
        return load(p, true, cg_iadd(b, e->row, k_offset(e, r, k, true)),
                    p->s.how.lanes == CG_DOT_COLUMNS ? 0 : e->in_lane);
    return cg_load(b, p->d->scratch, cg_dot_left_index(p, e->row, k, e->t->i), 0);
}

static cg_val
right_value(const tile_element *e, const cg_dot_runs *r, cg_val k)
{
    const cg_dot_product *p = &e->p;
    cg_build *b = p->b;

    if (p->s.how.right == CG_DOT_IN_PLACE)
        return load(p, false, cg_iadd(b, e->column, k_offset(e, r, k, false)),
                    p->s.how.lanes == CG_DOT_LINES ? 0 : e->in_lane);
    k = p->s.how.left == CG_DOT_IN_PLACE ? cg_isub(b, k, e->k0) : k;
    return cg_load(b, p->d->scratch, cg_dot_panel_index(p, e->a->panel, e->k0, k, e->t->column),
                   0);
}

static cg_val
step(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
{
    const tile_element *e = user;
    const cg_dot_schedule *how = &e->p.s.how;

    if (how->stream && how->prefetch && e->a->columns == e->p.s.nr)
        prefetch_next(&e->p, e->a->n0, k);
    /* the side that lanes do not run along is loaded first */
    cg_val y = how->lanes == CG_DOT_LINES ? right_value(e, r, k) : 0, x = left_value(e, r, k);
    return multiply_add(&e->p, x, y ? y : right_value(e, r, k), acc);
}

/* The chain over k in lo ... hi of an element. */
static cg_val
chain(const void *user, cg_val lo, cg_val hi)
{
    const tile_element *e = user;
    const cg_dot_schedule *how = &e->p.s.how;
    const cg_dot_chain c = { .type = e->p.d->type,
                             .runs = e->runs,
                             .stride = e->stride,
                             .lo = lo,
                             .hi = hi,
                             .unroll = how->unroll ? how->unroll : 1,
                             .reduction = e->reduction,
                             .k0 = how->left == CG_DOT_IN_PLACE ? 0 : e->k0,
                             .step = step,
                             .user = e };

    return cg_dot_chain_sum(e->p.b, &c);
}

/* The sum of an element over a block of k, or over all of them. */
static cg_val
element_sum(tile_element *e)
{
    cg_build *b = e->p.b;
    const cg_dot_shape *s = &e->p.s;
    const cg_dot_at *a = e->a;

    /* without k's no address can be computed: an axis of size 0 would be divided by */
    if (s->k.total == 0)
        return cg_const(b, e->p.d->type, 0);
    e->reduction = cg_reduction_new(b, s->steps, a->k0, 1);
    e->k0 = a->k0 && s->how.unroll != CG_DOT_ALL ? a->k0 : cg_i64(b, 0);
    if (!a->k0)
        return cg_dot_blocks(b, e->p.d->type, s->steps, s->k.open, chain, e);
    if (s->how.left == CG_DOT_IN_PLACE)
        return chain(e, e->k0, cg_iadd(b, e->k0, a->kc));
    cg_val sum = chain(e, cg_i64(b, 0), a->kc);
    if (!s->offset)
        return sum;
    cg_val at = cg_dot_offset_index(&e->p, a->panel, e->k0, e->t->column);
    return cg_insn2(b, SC_add, e->p.d->type, sum, cg_load(b, e->p.d->scratch, at, 0));
}

/* The sum of an element of a tile. */
static cg_val
tile_sum(tile_element *e)
{
    cg_build *b = e->p.b;
    const cg_dot_shape *s = &e->p.s;

    if (s->how.left != CG_DOT_IN_PLACE)
        e->row = cg_idiv(b, cg_isub(b, e->a->m0, e->a->m.begin), s->how.rows);
    else if (s->k.total)
        e->row = row_offset(e);
    if (s->how.right == CG_DOT_IN_PLACE && s->k.total)
        e->column = offset(b, &s->n, right_of(s, &s->n), e->n);
    if (is_packed(s) && s->how.left == CG_DOT_IN_PLACE) {
        e->runs = &s->left_k;
        e->stride = s->left_k.lhs;
    } else if (s->how.lanes != CG_DOT_COLUMNS) {
        e->runs = &s->k;
        e->stride = left_of(s, &s->k);
    }
    return element_sum(e);
}

cg_val
cg_dot_element(const cg_dot_product *p, cg_val m, cg_val n)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const cg_dot_at all = { 0 };
    tile_element e = { .p = *p, .a = &all };

    e.row = offset(b, &s->m, left_of(s, &s->m), m);
    e.column = offset(b, &s->n, right_of(s, &s->n), n);
    return element_sum(&e);
}

/* The index at which the sum of an element of a tile is kept: if there are several blocks of k,
 * among the sums of the whole result, or where the right side is packed once, those of a block
 * of rows; else among those of the tile. */
static cg_val
kept_index(const cg_dot_product *p, const cg_dot_at *a, const cg_dot_tile *t)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const bool several = s->steps > KC;
    cg_val row = t->i, at = t->column;
    int64_t width = s->nr;

    if (s->how.lanes == CG_DOT_LINES)
        row = cg_iadd(b, cg_imul(b, row, s->how.results), t->f);
    if (several && s->how.lanes == CG_DOT_BATCH) {
        cg_val m = cg_iadd(b, a->run, row_inside(p, a, row));
        row = cg_iadd(b, cg_imul(b, a->block, s->m.total), m);
    } else if (several && (is_packed(s) || s->how.stream)) {
        cg_val m0 = s->how.right == CG_DOT_ONCE ? cg_isub(b, a->m0, a->m.begin) : a->m0;
        row = cg_iadd(b, m0, row);
        at = cg_iadd(b, a->n0, at);
        width = round_up(s->n.total, s->nr);
    }
    return scratch_at(p, 0, cg_iadd(b, p->c_at, cg_iadd(b, cg_imul(b, row, width), at)));
}

/* own: the index in the result's memory. */
static cg_val
own_index(const cg_dot_product *p, cg_val m, cg_val n)
{
    cg_build *b = p->b;
    cg_val row = cg_iadd(b, cg_imul(b, p->batch, p->s.m.total), m);
    return cg_iadd(b, cg_imul(b, row, p->s.n.total), n);
}

/* Prefetch the cache lines in which the sums of a tile are kept, if they may be outside of L2,
 * while the tile is computed. */
static void
prefetch_kept(const cg_dot_product *p, const cg_dot_at *a)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t line = CG_KERNEL_CACHE_LINE / (int64_t)cot_dtype_size(p->d->type);
    const bool unaligned = s->own && (s->n.open || s->n.total % line != 0);
    for (int64_t i = 0; i < s->how.rows; i++)
        for (int64_t c = 0; c < s->nr + (unaligned ? line - 1 : 0); c += line) {
            cg_val row = cg_i64(b, i), column = cg_i64(b, c < s->nr ? c : s->nr - 1);
            if (s->own) {
                cg_val place = cg_iadd(b, a->n0, column);
                cg_prefetch(b, p->d->sum - 1, own_index(p, cg_iadd(b, a->m0, row), place));
            } else
                cg_prefetch(b, p->d->scratch,
                            kept_index(p, a, &(cg_dot_tile){ .i = row, .column = column }));
        }
}

/* The sum over the blocks of k up to that of the tile, of which acc is the sum; that of the
 * blocks before is kept in element `at` of a buffer. */
static cg_val
sum_so_far(const tile_element *e, uint32_t buffer, cg_val at, cg_val acc, cg_val when)
{
    cg_build *b = e->p.b;
    const cot_dtype t = e->p.d->type;

    if (!e->a->k0 || e->p.s.steps <= KC)
        return acc;
    cg_val later = cg_if_begin(b, less(b, cg_i64(b, 0), e->a->k0));
    cg_val sum = cg_insn2(b, SC_add, t, cg_load(b, buffer, at, when), acc);
    cg_if_else(b, later);
    cg_if_yield(b, later, t, sum, acc);
    cg_if_end(b, later);
    return cg_loop_result(b, later, 0);
}

/* own: add a sum to the result in its own memory. */
static void
add_to_own(const tile_element *e, cg_val sum, cg_val when)
{
    const uint32_t own = e->p.d->sum - 1;
    cg_val at = own_index(&e->p, row_of(e), e->n);

    cg_store(e->p.b, own, at, sum_so_far(e, own, at, sum, when), when);
}

/* The same; of packed operands, elements are masked only at the edge. */
static void
add_guarded(const tile_element *e, cg_val sum)
{
    cg_build *b = e->p.b;
    const cg_dot_shape *s = &e->p.s;
    const cg_dot_at *a = e->a;
    cg_val both_in = both(b, e->in_row, e->in_lane), rows = 0, columns = 0;

    if (is_packed(s) && e->in_row)
        rows = less(b, cg_iadd(b, a->m0, cg_i64(b, s->how.rows - 1)), a->m.end);
    if (is_packed(s) && e->in_lane)
        columns = less(b, cg_iadd(b, a->n0, cg_i64(b, s->nr - 1)), cg_i64(b, s->n.total));
    if (!rows && !columns) {
        add_to_own(e, sum, both_in);
        return;
    }
    cg_val whole = cg_if_begin(b, both(b, rows, columns));
    add_to_own(e, sum, 0);
    cg_if_else(b, whole);
    add_to_own(e, sum, both_in);
    cg_if_end(b, whole);
}

/* Pass the sums of a tile, which are kept in memory (in L1), to the epilogue row by row.  The
 * epilogue is compiled for the vectors of one row, or for one vector if it is long or if lanes
 * are apart in memory. */
static void
emit_rows(const cg_dot_product *p, cg_dot_at a, cg_dot_edge edge)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const bool lines = s->how.lanes == CG_DOT_LINES,
               single = cg_dot_keeps_tile(s, p->d) || s->how.lanes != CG_DOT_COLUMNS;
    cg_val from = lines ? cg_i64(b, 0) : a.m0, end = cg_iadd(b, from, cg_i64(b, s->how.rows)),
           first = cg_i64(b, 0), results = 0, vectors = 0;

    if (has_partial_rows(s))
        end = cg_imin(b, end, a.m.end);
    cg_val rows = loop_over(b, from, end, 1);
    if (lines)
        results = loop_over(b, cg_i64(b, 0), cg_i64(b, a.results), 1);
    if (single) {
        vectors = loop_over(b, first, cg_i64(b, a.columns), s->how.width);
        first = cg_loop_var(b, vectors);
    }
    cg_dot_tile t = tile_begin(p, 1, 1, single ? s->how.width : a.columns);
    t.i = cg_isub(b, cg_loop_var(b, rows), from);
    t.f = lines ? cg_loop_var(b, results) : 0;
    t.column = cg_iadd(b, first, t.column);
    t.v = cg_iadd(b, cg_idiv(b, first, s->how.width), t.v);
    a.edge = edge;
    tile_element e = { .p = *p, .a = &a, .t = &t };
    locate(&e);
    cg_val sum = cg_load(b, p->d->scratch, kept_index(p, &a, &t), 0);
    emit_result(&e.p, row_of(&e), e.n, sum, e.in_lane);
    tile_end(p, &t);
    if (vectors)
        cg_loop_end(b, vectors);
    if (lines)
        cg_loop_end(b, results);
    cg_loop_end(b, rows);
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
        emit_rows(p, *a, CG_DOT_INSIDE);
        cg_if_else(b, inside);
    }
    emit_rows(p, *a, a->edge);
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
    const bool own = s->own && a->k0, kept = !own && (a->k0 || cg_dot_keeps_tile(s, p->d));

    if (is_packed(s) && s->how.prefetch)
        prefetch_kept(p, a);
    const cg_dot_tile t = tile_begin(p, s->how.rows, a->results, a->columns);
    tile_element e = { .p = *p, .a = a, .t = &t };

    if (!is_packed(s))
        locate(&e);
    cg_val sum = tile_sum(&e);
    if (own) {
        if (is_packed(s))
            locate(&e);
        add_guarded(&e, sum);
    } else if (kept) {
        cg_val at = kept_index(p, a, &t);
        sum = sum_so_far(&e, p->d->scratch, at, sum, 0);
        cg_store(b, p->d->scratch, at, sum, s->how.lanes == CG_DOT_BATCH ? e.in_row : 0);
    } else {
        emit_result(&e.p, row_of(&e), e.n, sum, both(b, e.in_row, e.in_lane));
    }
    tile_end(p, &t);
    if (kept)
        emit_kept(p, a);
}
