/* Direct convolution: products whose rows are an axis that is contiguous in memory (dot.c),
 * such as convolutions of operands in feature-major layout, and those with fewer results than
 * lanes.
 *
 * Lanes run along the innermost axis of the rows, a line.  A tile is `unroll h { unroll f {
 * unroll v { vector W { for k ... fma } } } }`: some lines, results (features), and vectors of
 * a line.  Nothing is packed: the left side is loaded by vectors in place, the right side by
 * scalars.  Each element is computed by the same chain as in any other schedule. */
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

static int64_t
largest_divisor(int64_t n, int64_t most)
{
    int64_t d = most < n ? most : n;

    while (d > 1 && n % d)
        d--;
    return d > 1 ? d : 1;
}

/* Choose how many vectors of a line, results and lines a tile has: as many sums as registers
 * hold, and vectors and lines without a remainder. */
static void
choose_tile(cg_dot_shape *s, int64_t sums)
{
    const int64_t vectors = (s->run + s->w - 1) / s->w,
                  above = s->m.n > 1 ? s->m.size[s->m.n - 2] : 1;
    int64_t best = 0;

    for (int64_t v = at_most(vectors, CG_LOWER_MAX_DIRECT_VECTORS); v >= 1; v--) {
        const int64_t tiles = (s->n.total + sums / v - 1) / (sums / v),
                      f = (s->n.total + tiles - 1) / tiles,
                      h = largest_divisor(above, sums / (f * v)),
                      waste = round_up(vectors, v) - vectors;
        /* fmas for each load, of a vector or scalar; too few sums are bound by latency */
        const int64_t all = f * h * v, gain = 1000 * all / (h * v + f) *
                                              at_most(all, CG_LOWER_SUMS_IN_FLIGHT) * vectors /
                                              (vectors + waste);

        if (gain > best) {
            best = gain;
            s->columns = v;
            s->results = f;
            s->lines = h;
        }
    }
}

/* Does the product suit lanes along lines?  It mostly does if results are fewer than lanes.
 * Otherwise the innermost axis of k must step from plane to plane, over few planes, and windows
 * must overlap along a line.  The gradient of a convolution's kernel, whose k's are positions,
 * is better packed. */
static bool
along_lines(const cg_dot_shape *s, int64_t lanes)
{
    const int last = s->m.n - 1, k = s->k.n - 1;
    const int64_t run = s->m.size[last];
    bool overlap = false;

    if (s->m.total < s->k.total || s->m.lhs[last] > 2 || s->m.lhs[last] < 1)
        return false;
    if (s->n.total < lanes)
        return s->k.lhs[k] >= run || s->k.lhs[k] < lanes;
    for (int i = 0; i < k; i++)
        overlap |= s->k.lhs[i] < run;
    return overlap && s->k.lhs[k] >= run && s->k.size[k] < CG_LOWER_MAX_PLANES;
}

bool
cg_dot_choose_lines(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int64_t bytes)
{
    const int64_t lanes = t->vector_bits / (8 * bytes);
    const int last = s->m.n - 1;

    if (lanes < 4 || last < 0 || s->k.n < 1 || (s->k.n < 2 && s->m.n < 2) ||
        !ir_is_float(d->type) || d->lhs_type != d->type || d->rhs_type != d->type ||
        !along_lines(s, lanes))
        return false;
    s->run = s->m.size[last];
    s->w = lanes;
    if (100 * s->run < CG_LOWER_MIN_LINE_USE * round_up(s->run, lanes) ||
        s->m.total * s->n.total * s->k.total < CG_LOWER_MIN_DIRECT_WORK)
        return false;
    choose_tile(s, (t->registers >= 32 ? CG_LOWER_MANY_CHAINS : CG_LOWER_FEW_CHAINS) * 2 /
                       (s->m.lhs[last] > 1 ? 3 : 2));
    s->mr = s->lines * s->run;
    s->nr = s->columns * s->w;
    s->c_size =
        s->k.total > KC || d->expensive ? round_up(s->lines * s->results * s->nr, 16) : 0;
    return true;
}

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
    const int64_t w = p->s.w;
    tile_element x = { .when = 0 };

    x.h = spmd(b, CG_UNROLL, p->s.lines, &x.loop[0]);
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

/* The chain over a block of k, in runs along the innermost axis, in which both addresses are
 * affine. */
static cg_val
chain(const cg_dot_product *p, const line_tile *a, cg_val left, cg_val right, cg_val when)
{
    cg_build *b = p->b;
    const cg_dot_group *g = &p->s.k;
    const cot_dtype t = p->d->type;
    const int64_t size = g->size[g->n - 1], x_step = g->lhs[g->n - 1],
                  y_step = g->rhs[g->n - 1];
    const int64_t sums = p->s.lines * a->results * ((a->columns + p->s.w - 1) / p->s.w);
    const bool written = g->total <= KC && p->s.m.lhs[p->s.m.n - 1] == 1 &&
                         size <= CG_LOWER_DIRECT_RUN && size * sums <= CG_LOWER_MAX_DIRECT_FMAS;
    const uint32_t reduction = cg_reduction_new(b, g->total, a->lo, 1);
    cg_val past = cg_idiv(b, cg_iadd(b, a->hi, cg_i64(b, size - 1)), size);
    cg_val runs = loop_over(b, cg_idiv(b, a->lo, size), past, 1), r = cg_loop_var(b, runs),
           outer = cg_loop_carry(b, runs, t, cg_const(b, t, 0)), sum = outer;
    cg_val from = cg_imul(b, r, size);
    cg_val x = cg_iadd(b, left, offset(b, g, g->lhs, from)),
           y = cg_iadd(b, right, offset(b, g, g->rhs, from));

    if (written) {
        for (int64_t i = 0; i < size; i++) {
            cg_take_value(b, reduction, from, cg_i64(b, i));
            cg_val loaded = load(p, false, cg_iadd(b, y, cg_i64(b, i * y_step)), 0);
            sum = multiply_add(p, load(p, true, cg_iadd(b, x, cg_i64(b, i * x_step)), when),
                               loaded, sum);
        }
    } else {
        cg_val lo = cg_insn2(b, SC_max, COT_I64, from, a->lo),
               hi = cg_imin(b, cg_iadd(b, from, cg_i64(b, size)), a->hi);
        const bool all = g->total <= KC;
        cg_val end = all ? cg_i64(b, size) : cg_isub(b, hi, from);
        cg_val loop = loop_over(b, all ? cg_i64(b, 0) : cg_isub(b, lo, from), end, 1);
        cg_val acc = cg_loop_carry(b, loop, t, sum), i = cg_loop_var(b, loop);
        cg_take_value(b, reduction, from, i);
        cg_val loaded = load(p, false, cg_iadd(b, y, cg_imul(b, i, y_step)), 0);
        cg_loop_next(b, loop, acc,
                     multiply_add(p, load(p, true, cg_iadd(b, x, cg_imul(b, i, x_step)), when),
                                  loaded, acc));
        cg_loop_end(b, loop);
        sum = cg_loop_result(b, loop, 0);
    }
    cg_loop_next(b, runs, outer, sum);
    cg_loop_end(b, runs);
    return cg_loop_result(b, runs, 0);
}

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
    return chain(p, a, left, offset(b, &s->n, s->n.rhs, cg_iadd(b, a->result, x->f)), x->when);
}

static void
emit_at(const cg_dot_product *p, const line_tile *a, const tile_element *x, cg_val sum)
{
    cg_build *b = p->b;
    cg_val m = cg_iadd(b, a->row, cg_imul(b, x->h, p->s.run));

    cg_val place_f = cg_iadd(b, a->result, x->f);
    emit_result(p, cg_iadd(b, cg_iadd(b, m, a->column), x->at), place_f, sum, x->when);
}

/* The index at which a sum of the tile is kept. */
static cg_val
kept_at(const cg_dot_product *p, const tile_element *x)
{
    cg_build *b = p->b;
    cg_val line = cg_iadd(b, cg_imul(b, x->h, p->s.results), x->f);

    return scratch_at(p, 0, cg_iadd(b, p->c_at, cg_iadd(b, cg_imul(b, line, p->s.nr), x->at)));
}

/* Pass kept sums to the epilogue, line after line.  A long epilogue is compiled for one
 * vector. */
static void
emit_kept(const cg_dot_product *p, const line_tile *a)
{
    cg_build *b = p->b;
    const int64_t w = p->s.w;
    cg_val lines = loop_over(b, cg_i64(b, 0), cg_i64(b, p->s.lines), 1),
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
    const int64_t n = p->s.n.total, whole = n / p->s.results * p->s.results;
    cg_val loop = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), p->s.results);

    a.result = cg_loop_var(b, loop);
    a.results = p->s.results;
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
    const int64_t whole = s->run / s->nr * s->nr;
    cg_val lines = loop_over(b, m_begin, m_end, s->mr), columns;
    line_tile a = { .row = cg_loop_var(b, lines), .columns = s->nr };

    if (whole) {
        columns = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), s->nr);
        a.column = cg_loop_var(b, columns);
        lines_results(p, a);
        cg_loop_end(b, columns);
    }
    a.column = cg_i64(b, whole);
    a.columns = s->run - whole;
    if (a.columns)
        lines_results(p, a);
    cg_loop_end(b, lines);
}
