/* Direct convolution: products whose rows are an axis that is contiguous in memory (dot.c),
 * such as convolutions of operands in feature-major layout, and those with fewer results than
 * lanes.
 *
 * Lanes run along the innermost axis of the rows, a line.  A tile is `unroll h { unroll f {
 * unroll v { vector W { for k ... fma } } } }`: some lines, results (features), and vectors of
 * a line.  Nothing is packed: the left side is loaded by vectors in place, the right side by
 * scalars.  Each element is computed by the same chain as in any other schedule. */
#include "codegen/lower/dot_inside.h"

/* Where a tile is: its first row and result, and its first element in a line; its range of
 * k. */
typedef struct line_tile {
    cg_val row, column, result, lo, hi;
    /* columns: elements of a line; the last vector may be partial */
    int64_t results, columns;
} line_tile;

typedef struct tile_element {
    cg_val loop[4], h, f, at, when; /* `at`: offset in the tile's part of the line */
} tile_element;

static tile_element
element_begin(const cg_dot_product *p, const line_tile *a)
{
    cg_build *b = p->b;
    const int64_t w = p->s.how.width;
    tile_element x = { .when = 0 };

    x.h = spmd(b, CG_UNROLL, p->s.how.rows, &x.loop[0]);
    x.f = spmd(b, CG_UNROLL, a->results, &x.loop[1]);
    x.at = cg_imul(b, spmd(b, CG_UNROLL, (a->columns + w - 1) / w, &x.loop[2]), w);
    x.at = cg_iadd(b, x.at, spmd(b, CG_VECTOR, w, &x.loop[3]));
    if (a->columns % w)
        x.when = less(b, x.at, cg_i64(b, a->columns));
    return x;
}

static void
element_end(const cg_dot_product *p, const tile_element *x)
{
    for (int i = 3; i >= 0; i--)
        if (x->loop[i])
            cg_loop_end(p->b, x->loop[i]);
}

/* An element of a tile: the offsets of its row and its result. */
typedef struct line_element {
    const cg_dot_product *p;
    cg_val left, right, when;
} line_element;

static cg_val
step(const void *user, const cg_dot_runs *r, cg_val k, cg_val acc)
{
    const line_element *e = user;
    const cg_dot_group *g = &e->p->s.k;
    cg_build *b = e->p->b;
    cg_val base = cg_dot_base(b, g, g->rhs, r->from),
           along = cg_imul(b, k, innermost(g, g->rhs));
    cg_val y = load(e->p, false, cg_iadd(b, cg_iadd(b, e->right, base), along), 0);

    along = cg_imul(b, k, innermost(g, g->lhs));
    cg_val x = load(e->p, true, cg_iadd(b, cg_iadd(b, e->left, r->base), along), e->when);
    return multiply_add(e->p, x, y, acc);
}

/* The sum of an element over a block of k. */
static cg_val
tile_sum(const cg_dot_product *p, const line_tile *a, const tile_element *x)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int last = s->m.n - 1;
    cg_val left = offset(b, &s->m, s->m.lhs, a->row);

    if (last > 0)
        left = cg_iadd(b, left, cg_imul(b, x->h, s->m.lhs[last - 1]));
    left = cg_iadd(b, left, cg_imul(b, cg_iadd(b, a->column, x->at), s->m.lhs[last]));
    const line_element e = { p, left, offset(b, &s->n, s->n.rhs, cg_iadd(b, a->result, x->f)),
                             x->when };
    const cg_dot_chain c = { .type = p->d->type,
                             .runs = &s->k,
                             .stride = s->k.lhs,
                             .lo = a->lo,
                             .hi = a->hi,
                             .unroll = s->how.unroll,
                             .reduction = cg_reduction_new(b, s->k.total, a->lo, 1),
                             .step = step,
                             .user = &e };
    return cg_dot_chain_sum(b, &c);
}

static void
emit_at(const cg_dot_product *p, const line_tile *a, const tile_element *x, cg_val sum)
{
    cg_build *b = p->b;
    cg_val m = cg_iadd(b, a->row, cg_imul(b, x->h, p->s.m.size[p->s.m.n - 1]));

    cg_val place_f = cg_iadd(b, a->result, x->f);
    emit_result(p, cg_iadd(b, cg_iadd(b, m, a->column), x->at), place_f, sum, x->when);
}

/* The index at which a sum of the tile is kept. */
static cg_val
kept_at(const cg_dot_product *p, const tile_element *x)
{
    cg_build *b = p->b;
    cg_val line = cg_iadd(b, cg_imul(b, x->h, p->s.how.results), x->f);

    return scratch_at(p, 0, cg_iadd(b, p->c_at, cg_iadd(b, cg_imul(b, line, p->s.nr), x->at)));
}

/* Pass kept sums to the epilogue, line after line.  A long epilogue is compiled for one
 * vector. */
static void
emit_kept(const cg_dot_product *p, const line_tile *a)
{
    cg_build *b = p->b;
    const int64_t w = p->s.how.width;
    cg_val lines = loop_over(b, cg_i64(b, 0), cg_i64(b, p->s.how.rows), 1),
           results = loop_over(b, cg_i64(b, 0), cg_i64(b, a->results), 1),
           vectors = loop_over(b, cg_i64(b, 0), cg_i64(b, a->columns), w), lanes;
    tile_element x = { .h = cg_loop_var(b, lines), .f = cg_loop_var(b, results) };

    x.at = cg_iadd(b, cg_loop_var(b, vectors), spmd(b, CG_VECTOR, w, &lanes));
    if (a->columns % w)
        x.when = less(b, x.at, cg_i64(b, a->columns));
    emit_at(p, a, &x, cg_load(b, p->d->scratch, kept_at(p, &x), 0));
    cg_loop_end(b, lanes);
    cg_loop_end(b, vectors);
    cg_loop_end(b, results);
    cg_loop_end(b, lines);
}

/* Add the sums of one block of k to the kept sums of the blocks before it. */
static void
add_block(const cg_dot_product *p, const line_tile *a)
{
    cg_build *b = p->b;
    tile_element x = element_begin(p, a);
    cg_val sum = tile_sum(p, a, &x), at = kept_at(p, &x);

    cg_store(b, p->d->scratch, at, add_before(p, a->lo, p->d->scratch, at, sum, 0), 0);
    element_end(p, &x);
}

static void
lines_tile(const cg_dot_product *p, line_tile a)
{
    cg_build *b = p->b;
    cg_val total = cg_i64(b, p->s.k.total), blocks;

    a.lo = cg_i64(b, 0);
    a.hi = total;
    if (p->s.k.total > KC) {
        blocks = loop_over(b, a.lo, total, KC);
        a.lo = cg_loop_var(b, blocks);
        a.hi = cg_imin(b, cg_iadd(b, a.lo, cg_i64(b, KC)), total);
        add_block(p, &a);
        cg_loop_end(b, blocks);
        emit_kept(p, &a);
        return;
    }
    tile_element x = element_begin(p, &a);
    cg_val sum = tile_sum(p, &a, &x);
    if (p->d->expensive)
        cg_store(b, p->d->scratch, kept_at(p, &x), sum, 0);
    else
        emit_at(p, &a, &x, sum);
    element_end(p, &x);
    if (p->d->expensive)
        emit_kept(p, &a);
}

/* All results for one part of some lines. */
static void
lines_results(const cg_dot_product *p, line_tile a)
{
    cg_build *b = p->b;
    const int64_t n = p->s.n.total, whole = n / p->s.how.results * p->s.how.results;
    cg_val loop = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), p->s.how.results);

    a.result = cg_loop_var(b, loop);
    a.results = p->s.how.results;
    lines_tile(p, a);
    cg_loop_end(b, loop);
    if (whole == n)
        return;
    a.result = cg_i64(b, whole);
    a.results = n - whole;
    lines_tile(p, a);
}

void
cg_dot_direct(const cg_dot_product *p, cg_val m_begin, cg_val m_end)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t run = s->m.size[s->m.n - 1], whole = run / s->nr * s->nr;
    cg_val lines = loop_over(b, m_begin, m_end, tile_rows(s)), columns;
    line_tile a = { .row = cg_loop_var(b, lines), .columns = s->nr };

    if (whole) {
        columns = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), s->nr);
        a.column = cg_loop_var(b, columns);
        lines_results(p, a);
        cg_loop_end(b, columns);
    }
    a.column = cg_i64(b, whole);
    a.columns = run - whole;
    if (a.columns)
        lines_results(p, a);
    cg_loop_end(b, lines);
}
