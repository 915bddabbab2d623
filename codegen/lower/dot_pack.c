/* Packing for matrix products: panels of the right side, strips of the left.
 *
 * Rows whose k's are contiguous are copied unchanged, strip after strip; otherwise the rows of
 * a strip are interleaved.  If k has several axes (the window of a convolution), a block of k
 * is visited in runs along the innermost axis, so that addresses are affine in the innermost
 * loop. */
#include "codegen/lower/dot_inside.h"

/* The index of element (k, column) of a panel of nr columns: (panel KC + k) nr + column, in the
 * block of k that starts at k0. */
cg_val
cg_dot_panel_index(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val k, cg_val column)
{
    cg_build *b = p->b;
    cg_val row = cg_iadd(b, cg_imul(b, panel, panel_rows(&p->s)), k);
    cg_val at = cg_iadd(b, p->b_at, cg_iadd(b, cg_imul(b, row, p->s.nr), column));
    if (p->s.how.right == CG_DOT_ONCE) {
        cg_val before = p->s.offset ? cg_iadd(b, k0, cg_idiv(b, k0, KC)) : k0;
        at = cg_iadd(b, at, cg_imul(b, before, p->s.how.n_block));
    }
    return scratch_at(p, p->s.c_size, at);
}

cg_val
cg_dot_offset_index(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val column)
{
    return cg_dot_panel_index(p, panel, k0, cg_i64(p->b, at_most(KC, p->s.steps)), column);
}

static cg_val
each_128(cg_build *b)
{
    return cg_const(b, COT_I32, 0x80808080u);
}

/* The k's of step k of a row or column, as the halves or bytes of an i32 (SC_pairs, SC_quads).
 * Those beyond the last are 0.  Of two signed sides bytes of the left one are 128 larger, so
 * that they are unsigned. */
static cg_val
narrow_step(const cg_dot_product *p, bool left, cg_val at, cg_val k, cg_val when)
{
    cg_build *b = p->b;
    const cg_dot_group *g = &p->s.k;
    const int64_t *stride = left ? left_of(&p->s, g) : right_of(&p->s, g), ways = p->s.how.ways,
                  bits = 32 / ways;
    cg_val first = cg_imul(b, k, ways), word = 0;

    for (int64_t j = 0; j < ways; j++) {
        cg_val i = cg_iadd(b, first, cg_i64(b, j));
        cg_val there = j && (g->total % ways || g->open)
                           ? both(b, when, less(b, i, cg_i64(b, g->total)))
                           : when;
        cg_val x = load(p, left, cg_iadd(b, at, offset(b, g, stride, i)), there);
        if (j < ways - 1)
            x = cg_insn2(b, SC_and, COT_I32, x, cg_const(b, COT_I32, (1u << bits) - 1));
        if (j)
            x = cg_insn2(b, SC_shl, COT_I32, x, cg_const(b, COT_I32, (uint64_t)(j * bits)));
        word = j ? cg_insn2(b, SC_or, COT_I32, word, x) : x;
    }
    return left && p->s.offset ? cg_insn2(b, SC_xor, COT_I32, word, each_128(b)) : word;
}

/* The sum of the k's of each column of a panel, 128 times and negative, in the row behind the
 * last: what a product by left bytes that are 128 larger has too much. */
static void
pack_offset(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_tile t = tile_begin(p, 1, 1, p->s.nr);
    const uint32_t scratch = p->d->scratch;
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, 1), zero = cg_const(b, COT_I32, 0);
    cg_val sum = cg_loop_carry(b, loop, COT_I32, zero);
    cg_val y = cg_load(b, scratch,
                       cg_dot_panel_index(p, panel, k0, cg_loop_var(b, loop), t.column), 0);

    cg_loop_next(b, loop, sum, cg_insn3(b, SC_quads, COT_I32, each_128(b), y, sum));
    cg_loop_end(b, loop);
    cg_store(b, scratch, cg_dot_offset_index(p, panel, k0, t.column),
             cg_insn2(b, SC_sub, COT_I32, zero, cg_loop_result(b, loop, 0)), 0);
    tile_end(p, &t);
}

static void
pack_element(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val k,
             const cg_dot_tile *t, bool over)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_dot_product q = *p;
    cg_val lane, n = column_at(&q, n0, t, &lane), global = cg_iadd(b, k0, k);
    cg_val when = over ? less(b, lane, cg_i64(b, lane_axis(s))) : 0;
    cg_val right = offset(b, &s->k, right_of(s, &s->k), global);
    cg_val at = cg_iadd(b, offset(b, &s->n, right_of(s, &s->n), n), right);
    cg_val x = s->how.ways ? narrow_step(p, false, offset(b, &s->n, right_of(s, &s->n), n),
                                         global, when)
                           : load(&q, false, at, when);
    cg_store(b, p->d->scratch, cg_dot_panel_index(p, panel, k0, k, t->column), x, 0);
}

/* w columns of a panel from `first` on, whose k's are contiguous: in blocks that are transposed
 * in registers; the last k's, which fill no block, one element after another. */
static void
turn_block(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc, cg_val first)
{
    cg_build *b = p->b;
    const int64_t w = p->s.how.turn;
    const bool even = p->s.steps % KC % w == 0 && !p->s.k.open;
    cg_val end = even ? kc : cg_imul(b, cg_idiv(b, kc, w), w), unrolled, lanes;
    cg_val blocks = loop_over(b, cg_i64(b, 0), end, w);
    cg_val k = cg_iadd(b, cg_loop_var(b, blocks), spmd(b, CG_UNROLL, w, &unrolled));
    cg_dot_tile t = { .column = cg_iadd(b, first, spmd(b, CG_VECTOR, w, &lanes)) };

    pack_element(p, panel, n0, k0, k, &t, false);
    cg_loop_end(b, lanes);
    cg_loop_end(b, unrolled);
    cg_loop_end(b, blocks);
    if (even)
        return;
    cg_val loop = loop_over(b, end, kc, 1),
           columns = loop_over(b, cg_i64(b, 0), cg_i64(b, w), 1);
    t.column = cg_iadd(b, first, cg_loop_var(b, columns));
    pack_element(p, panel, n0, k0, cg_loop_var(b, loop), &t, false);
    cg_loop_end(b, columns);
    cg_loop_end(b, loop);
}

/* The same of columns of which some are beyond the last one, and become zeros, one element
 * after another: a masked load cannot be transposed, and has a branch for each lane. */
static void
copy_block(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc, cg_val first)
{
    cg_build *b = p->b;
    cg_val columns = loop_over(b, cg_i64(b, 0), cg_i64(b, p->s.how.turn), 1);
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, 1);
    const cg_dot_tile t = { .column = cg_iadd(b, first, cg_loop_var(b, columns)) };

    pack_element(p, panel, n0, k0, cg_loop_var(b, loop), &t, true);
    cg_loop_end(b, loop);
    cg_loop_end(b, columns);
}

/* The same of columns that are all beyond the last one. */
static void
clear_block(const cg_dot_product *p, cg_val panel, cg_val k0, cg_val kc, cg_val first)
{
    cg_build *b = p->b;
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, 1), lanes;
    cg_val column = cg_iadd(b, first, spmd(b, CG_VECTOR, p->s.how.turn, &lanes));

    cg_store(b, p->d->scratch, cg_dot_panel_index(p, panel, k0, cg_loop_var(b, loop), column),
             cg_const(b, p->d->type, 0), 0);
    cg_loop_end(b, lanes);
    cg_loop_end(b, loop);
}

/* Pack a panel whose k's are contiguous. */
static void
turn_columns(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t w = s->how.turn;
    const bool inside = edge_of(s) == CG_DOT_INSIDE;
    cg_val blocks = loop_over(b, cg_i64(b, 0), cg_i64(b, s->nr), w);
    cg_val first = cg_loop_var(b, blocks), column = cg_iadd(b, n0, first),
           n = cg_i64(b, lane_axis(s));

    if (inside) {
        turn_block(p, panel, n0, k0, kc, first);
    } else {
        cg_val all = cg_if_begin(b, less(b, cg_iadd(b, column, cg_i64(b, w - 1)), n));
        turn_block(p, panel, n0, k0, kc, first);
        cg_if_else(b, all);
        cg_val some = cg_if_begin(b, less(b, column, n));
        copy_block(p, panel, n0, k0, kc, first);
        cg_if_else(b, some);
        clear_block(p, panel, k0, kc, first);
        cg_if_end(b, some);
        cg_if_end(b, all);
    }
    cg_loop_end(b, blocks);
}

/* over: some columns are beyond the last one, and become zeros. */
static void
pack_columns(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc, bool over)
{
    cg_build *b = p->b;
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, 1);
    cg_dot_tile t = tile_begin(p, 1, 1, p->s.nr);

    pack_element(p, panel, n0, k0, cg_loop_var(b, loop), &t, over);
    tile_end(p, &t);
    cg_loop_end(b, loop);
}

void
cg_dot_pack_panel(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const cg_dot_edge edge = edge_of(s);
    cg_val whole = 0;

    if (s->how.turn) {
        turn_columns(p, panel, n0, k0, kc);
        return;
    }
    /* masked loads are not contiguous: only the last panel has them */
    if (edge == CG_DOT_PERHAPS) {
        whole = cg_if_begin(b, less(b, n0, cg_i64(b, s->n.total - s->nr + 1)));
        pack_columns(p, panel, n0, k0, kc, false);
        cg_if_else(b, whole);
    }
    pack_columns(p, panel, n0, k0, kc, edge != CG_DOT_INSIDE);
    if (whole)
        cg_if_end(b, whole);
    if (s->offset)
        pack_offset(p, panel, k0, kc);
}

cg_val
cg_dot_left_index(const cg_dot_product *p, cg_val strip, cg_val k, cg_val i)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    int64_t kc = at_most(KC, s->steps);
    cg_val at =
        s->how.left == CG_DOT_COPIED
            ? cg_iadd(
                  b, cg_imul(b, cg_iadd(b, cg_imul(b, strip, s->how.rows), i), row_width(s)), k)
            : cg_iadd(b, cg_imul(b, cg_iadd(b, cg_imul(b, strip, kc), k), strip_rows(s)), i);
    return scratch_at(p, s->c_size + s->b_size, cg_iadd(b, p->a_at, at));
}

/* The offset of row m of the left side.  Rows beyond the last have the offset of the last. */
static cg_val
row_at(const cg_dot_product *p, cg_val m)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val row =
        s->m.total % s->how.rows || s->m.open ? cg_imin(b, m, cg_i64(b, s->m.total - 1)) : m;
    return offset(b, &s->m, left_of(s, &s->m), row);
}

/* The runs of a block of the left side; several k's of a step are one run. */
static cg_dot_runs
left_runs(const cg_dot_product *p, cg_val k0, cg_val kc)
{
    return cg_dot_runs_begin(p->b, p->s.how.ways ? NULL : &p->s.left_k, p->s.left_k.lhs, k0,
                             cg_iadd(p->b, k0, kc), false);
}

/* Do runs start and end at multiples of the lanes? */
static bool
runs_whole(const cg_dot_shape *s)
{
    return s->how.width > 1 && s->steps % s->how.width == 0 && !s->k.open &&
           (s->left_k.n <= 1 || s->left_k.size[s->left_k.n - 1] % s->how.width == 0);
}

/* Copy rows whose k's are contiguous. */
static void
copy_rows(const cg_dot_product *p, cg_val m_begin, cg_val m_end, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    int64_t w = runs_whole(s) ? s->how.width : 1;
    cg_val constant = cg_i64(b, s->how.rows - 1);
    cg_val strips = cg_idiv(b, cg_iadd(b, cg_isub(b, m_end, m_begin), constant), s->how.rows);
    cg_val end = cg_iadd(b, m_begin, cg_imul(b, strips, s->how.rows));
    cg_val rows = loop_over(b, m_begin, end, 1), m = cg_loop_var(b, rows), lanes;
    cg_val at = row_at(p, m), i = cg_isub(b, m, m_begin);
    cg_dot_runs r = left_runs(p, k0, kc);
    cg_val loop = loop_over(b, r.lo, r.hi, w);
    cg_val k = cg_iadd(b, cg_loop_var(b, loop), spmd(b, CG_VECTOR, w, &lanes));
    cg_val x = load(p, true, cg_iadd(b, at, cg_iadd(b, r.base, k)), 0);
    cg_val rest = cg_isub(b, k, k0);
    cg_store(b, p->d->scratch, cg_dot_left_index(p, cg_i64(b, 0), rest, i), x, 0);
    if (lanes)
        cg_loop_end(b, lanes);
    cg_loop_end(b, loop);
    if (r.loop)
        cg_loop_end(b, r.loop);
    cg_loop_end(b, rows);
}

/* Pack a strip, k after k: row by row, or with one vector for all rows if they are contiguous.
 * Such a vector may have more lanes than the strip has rows; what it stores beyond them is
 * overwritten by the next k or strip, or is never read. */
static void
pack_strip(const cg_dot_product *p, cg_val m0, cg_val strip, cg_val k0, cg_val kc, bool at_once)
{
    cg_build *b = p->b;
    const int64_t step = innermost(&p->s.left_k, p->s.left_k.lhs);
    cg_val each = 0, i = at_once ? cg_i64(b, 0) : spmd(b, CG_UNROLL, p->s.how.rows, &each);
    cg_val at = row_at(p, cg_iadd(b, m0, i)), lanes = 0;
    cg_dot_runs r = left_runs(p, k0, kc);
    cg_val loop = loop_over(b, r.lo, r.hi, 1), k = cg_loop_var(b, loop);
    cg_val lane = at_once ? spmd(b, CG_VECTOR, lanes_across(&p->s), &lanes) : cg_i64(b, 0);
    cg_val from = cg_iadd(b, cg_iadd(b, at, cg_iadd(b, r.base, cg_imul(b, k, step))), lane);
    cg_val to = cg_iadd(b, cg_dot_left_index(p, strip, cg_isub(b, k, k0), i), lane);
    cg_val x = p->s.how.ways ? narrow_step(p, true, at, k, 0) : load(p, true, from, 0);
    cg_store(b, p->d->scratch, to, x, 0);
    if (lanes)
        cg_loop_end(b, lanes);
    cg_loop_end(b, loop);
    if (r.loop)
        cg_loop_end(b, r.loop);
    if (each)
        cg_loop_end(b, each);
}

/* Pack a strip by register transposes: vectors of k's are loaded from several rows and stored k
 * after k. */
static void
transpose_strip(const cg_dot_product *p, cg_val m0, cg_val strip, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val loop = loop_over(b, cg_i64(b, 0), kc, lanes_across(s)), lanes, transposes, unrolled;
    cg_val first = cg_imul(b, spmd(b, CG_UNROLL, strip_rows(s) / lanes_across(s), &transposes),
                           lanes_across(s));
    cg_val k = cg_iadd(b, cg_loop_var(b, loop), spmd(b, CG_UNROLL, lanes_across(s), &unrolled));
    cg_val i = cg_iadd(b, first, spmd(b, CG_VECTOR, lanes_across(s), &lanes));
    cg_val row = cg_imul(b, cg_iadd(b, m0, i), left_of(s, &s->m)[0]);
    cg_val value = load(p, true, cg_iadd(b, row, cg_iadd(b, k0, k)), 0);
    cg_store(b, p->d->scratch, cg_dot_left_index(p, strip, k, i), value, 0);
    cg_loop_end(b, lanes);
    cg_loop_end(b, unrolled);
    if (transposes)
        cg_loop_end(b, transposes);
    cg_loop_end(b, loop);
}

/* May one vector pack all rows: are they contiguous, and at least as many as lanes? */
static bool
rows_contiguous(const cg_dot_shape *s)
{
    const int n = s->m.n;

    return !s->how.ways && n > 0 && lanes_across(s) > 1 && s->how.rows <= lanes_across(s) &&
           left_of(s, &s->m)[n - 1] == 1 && s->m.size[n - 1] >= lanes_across(s);
}

void
cg_dot_pack_rows(const cg_dot_product *p, cg_val m_begin, cg_val m_end, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    if (s->how.left == CG_DOT_COPIED) {
        copy_rows(p, m_begin, m_end, k0, kc);
        return;
    }
    cg_val strips = loop_over(b, m_begin, m_end, s->how.rows), m0 = cg_loop_var(b, strips),
           whole = 0;
    cg_val strip = cg_idiv(b, cg_isub(b, m0, m_begin), s->how.rows);
    if (s->how.left == CG_DOT_TURNED) {
        cg_val end = cg_iadd(b, m0, cg_i64(b, strip_rows(s)));
        whole = cg_if_begin(b, less(b, end, cg_i64(b, s->m.total + 1)));
        transpose_strip(p, m0, strip, k0, kc);
        cg_if_else(b, whole);
    } else if (rows_contiguous(s)) {
        const int64_t size = s->m.size[s->m.n - 1];
        cg_val bound = cg_i64(b, size - lanes_across(s) + 1);
        whole = cg_if_begin(b, less(b, cg_imod(b, m0, size), bound));
        pack_strip(p, m0, strip, k0, kc, true);
        cg_if_else(b, whole);
    }
    pack_strip(p, m0, strip, k0, kc, false);
    if (whole)
        cg_if_end(b, whole);
    cg_loop_end(b, strips);
}
