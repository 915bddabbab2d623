/* Packed matrix products: the loops of BLIS (dot.c) over the panels and strips of dot_pack.c.
 *
 * The left side is read in place if that touches no more cache lines than a packed copy has. */
#include "codegen/lower/dot_pack.h"
#include "codegen/tuning.h"

/* Prefetch the cache lines in which the sums of a tile are kept, if they may be outside of L2,
 * while the tile is computed. */
static void
prefetch_kept(const cg_dot_product *p, cg_val n0, cg_val m0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t line = CG_KERNEL_CACHE_LINE / (int64_t)cot_dtype_size(p->d->type);
    const bool unaligned = s->own && s->n.total % line != 0;
    for (int64_t i = 0; s->how.prefetch && i < s->how.rows; i++)
        for (int64_t c = 0; c < s->nr + (unaligned ? line - 1 : 0); c += line) {
            cg_val row = cg_i64(b, i), column = cg_i64(b, c < s->nr ? c : s->nr - 1);
            if (s->own) {
                cg_val place = cg_iadd(b, n0, column);
                cg_prefetch(b, p->d->sum - 1, own_index(p, cg_iadd(b, m0, row), place));
            } else
                cg_prefetch(b, p->d->scratch, kept_index(p, m0, row, n0, column));
        }
}

/* Add a tile to the result in its own memory; elements beyond the last row or column are
 * masked. */
static void
add_tile(const cg_dot_product *p, const cg_dot_tile *r, cg_val n0, cg_val m0, cg_val m_end,
         cg_val k0, cg_val acc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val m = cg_iadd(b, m0, r->i), n = cg_iadd(b, n0, r->column), rows = 0, columns = 0;
    cg_val more_rows = 0, more_columns = 0;
    if (s->m.total % s->how.rows) {
        more_rows = less(b, cg_iadd(b, m0, cg_i64(b, s->how.rows - 1)), m_end);
        rows = less(b, m, m_end);
    }
    if (s->n.total % s->nr) {
        cg_val bound = cg_i64(b, s->n.total);
        more_columns = less(b, cg_iadd(b, n0, cg_i64(b, s->nr - 1)), bound);
        columns = less(b, n, cg_i64(b, s->n.total));
    }
    if (!more_rows && !more_columns) {
        add_to_own(p, m, n, k0, acc, 0);
        return;
    }
    cg_val whole = cg_if_begin(b, both(b, more_rows, more_columns));
    add_to_own(p, m, n, k0, acc, 0);
    cg_if_else(b, whole);
    add_to_own(p, m, n, k0, acc, both(b, rows, columns));
    cg_if_end(b, whole);
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
packed_sum(packed_element *e, cg_val m0, cg_val kc)
{
    const cg_dot_product *p = e->p;
    cg_build *b = p->b;
    cg_dot_chain c = { .type = p->d->type,
                       .unroll = p->s.how.unroll,
                       .reduction = cg_reduction_new(b, p->s.steps, e->k0, 1),
                       .user = e };

    if (p->s.how.left != CG_DOT_IN_PLACE) {
        c.lo = cg_i64(b, 0);
        c.hi = kc;
        c.k0 = e->k0;
        c.step = step_packed;
        return cg_dot_chain_sum(b, &c);
    }
    e->row = tile_row_at(p, m0, e->i);
    if (c.unroll == CG_DOT_ALL) /* there is one block */
        e->k0 = cg_i64(b, 0);
    c.runs = &p->s.left_k;
    c.stride = c.runs->lhs;
    c.lo = e->k0;
    c.hi = cg_iadd(b, e->k0, kc);
    c.step = step_in_place;
    return cg_dot_chain_sum(b, &c);
}

/* Rows m0 ... and the columns of one panel, over one block of k. */
static void
sum_tile(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val m0, cg_val m_begin,
         cg_val m_end, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    prefetch_kept(p, n0, m0);
    cg_dot_tile r = tile_begin(p, s->how.rows, s->nr);
    cg_val strip = cg_idiv(b, cg_isub(b, m0, m_begin), s->how.rows);
    packed_element e = {
        .p = p, .panel = panel, .column = r.column, .k0 = k0, .strip = strip, .i = r.i
    };
    cg_val acc = packed_sum(&e, m0, kc);
    if (s->own) {
        add_tile(p, &r, n0, m0, m_end, k0, acc);
    } else {
        cg_val kept = kept_index(p, m0, r.i, n0, r.column);
        cg_store(b, p->d->scratch, kept, sum_so_far(p, k0, p->d->scratch, kept, acc, 0), 0);
    }
    tile_end(p, &r);
}

static void
emit_tile(const cg_dot_product *p, cg_val n0, cg_val m0, cg_val m_end)
{
    cg_build *b = p->b;
    int64_t n = p->s.n.total, whole = n / p->s.nr * p->s.nr;
    if (whole == 0 || whole == n) {
        cg_dot_emit_rows(p, n0, m0, m_end, p->s.nr, whole == 0);
        return;
    }
    cg_val choice = cg_if_begin(b, less(b, n0, cg_i64(b, whole)));
    cg_dot_emit_rows(p, n0, m0, m_end, p->s.nr, false);
    cg_if_else(b, choice);
    cg_dot_emit_rows(p, n0, m0, m_end, p->s.nr, true);
    cg_if_end(b, choice);
}

static void
packed_tile(const cg_dot_product *p, cg_val panel, cg_val n0, cg_val m0, cg_val m_begin,
            cg_val m_end, cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    sum_tile(p, panel, n0, m0, m_begin, m_end, k0, kc);
    if (p->s.own)
        return;
    if (p->s.steps <= KC) {
        emit_tile(p, n0, m0, m_end);
        return;
    }
    cg_val last = cg_if_begin(b, less(b, cg_i64(b, p->s.steps - KC - 1), k0));
    emit_tile(p, n0, m0, m_end);
    cg_if_end(b, last);
}

static void
pack_right(const cg_dot_product *p, cg_val j0, cg_val j_end, cg_val k0)
{
    cg_build *b = p->b;
    const int64_t nr = p->s.nr;
    cg_val constant = cg_i64(b, nr - 1);
    cg_val count = cg_idiv(b, cg_iadd(b, cg_isub(b, j_end, j0), constant), nr);
    cg_val pack = shared_loop(p, count), panel = cg_loop_var(b, pack);
    cg_val width = block_size(p, k0);
    cg_dot_pack_panel(p, panel, cg_iadd(b, j0, cg_imul(b, panel, nr)), k0, width);
    cg_loop_end(b, pack);
}

static void
sweep_panel(const cg_dot_product *p, cg_val panel, cg_val c0, cg_val i0, cg_val i_end,
            cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    cg_val strips = loop_over(b, i0, i_end, p->s.how.rows);
    packed_tile(p, panel, c0, cg_loop_var(b, strips), i0, i_end, k0, kc);
    cg_loop_end(b, strips);
}

/* Rows i0 ... i_end and columns j0 ... j_end, over the block of k that starts at k0. */
static void
packed_block(const cg_dot_product *p, cg_val i0, cg_val i_end, cg_val j0, cg_val j_end,
             cg_val k0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val kc = block_size(p, k0);
    if (s->how.left != CG_DOT_IN_PLACE)
        cg_dot_pack_rows(p, i0, i_end, k0, kc);
    cg_val panels = loop_over(b, j0, j_end, s->nr), c0 = cg_loop_var(b, panels);
    sweep_panel(p, cg_idiv(b, cg_isub(b, c0, j0), s->nr), c0, i0, i_end, k0, kc);
    cg_loop_end(b, panels);
}

/* All rows are one block: each panel is packed, then used while it is in L1. */
static void
packed_single(cg_dot_product *p)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val zero = cg_i64(b, 0), rows = cg_i64(b, s->m.total);
    cg_val blocks = loop_over(b, zero, cg_i64(b, s->steps), KC), k0 = cg_loop_var(b, blocks),
           kc = block_size(p, k0);
    if (s->how.left != CG_DOT_IN_PLACE)
        cg_dot_pack_rows(p, zero, rows, k0, kc);
    const column_share c = column_share_begin(p, s->n.total);
    if (c.loop) {
        p->b_at = cg_imul(b, cg_loop_var(b, c.loop), s->b_size / s->how.shares);
        p->c_at = cg_imul(b, cg_loop_var(b, c.loop), s->c_each);
    }
    cg_val panels = loop_over(b, c.from, c.to, s->nr), c0 = cg_loop_var(b, panels);
    cg_dot_pack_panel(p, zero, c0, k0, kc);
    sweep_panel(p, zero, c0, zero, rows, k0, kc);
    cg_loop_end(b, panels);
    if (c.loop)
        cg_loop_end(b, c.loop);
    p->b_at = p->c_at = zero;
    cg_loop_end(b, blocks);
}

/* A loop over blocks of rows.  If threads share it, each block has scratch of its own. */
typedef struct row_blocks {
    cg_val loop, i0, i_end;
} row_blocks;

static row_blocks
row_blocks_begin(cg_dot_product *p)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    row_blocks r = { .loop = shared_loop(
                         p, cg_i64(b, (s->m.total + s->how.m_block - 1) / s->how.m_block)) };
    r.i0 = cg_imul(b, cg_loop_var(b, r.loop), s->how.m_block);
    cg_val bound = cg_i64(b, s->m.total);
    r.i_end = cg_imin(b, cg_iadd(b, r.i0, cg_i64(b, s->how.m_block)), bound);
    p->c_at = cg_imul(b, cg_loop_var(b, r.loop), s->c_each);
    p->a_at = cg_imul(b, cg_loop_var(b, r.loop), s->a_each);
    return r;
}

static void
row_blocks_end(cg_dot_product *p, const row_blocks *r)
{
    cg_loop_end(p->b, r->loop);
    p->c_at = p->a_at = cg_i64(p->b, 0);
}

/* A small right side is packed once, and the sums of a few rows then stay in the cache over all
 * k. */
static void
packed_whole(cg_dot_product *p)
{
    cg_build *b = p->b;
    cg_val zero = cg_i64(b, 0), all = cg_i64(b, p->s.n.total), total = cg_i64(b, p->s.steps);
    cg_val pack = loop_over(b, zero, total, KC);
    pack_right(p, zero, all, cg_loop_var(b, pack));
    cg_loop_end(b, pack);
    const row_blocks r = row_blocks_begin(p);
    cg_val blocks = loop_over(b, zero, total, KC);
    p->i0 = r.i0;
    packed_block(p, r.i0, r.i_end, zero, all, cg_loop_var(b, blocks));
    p->i0 = 0;
    cg_loop_end(b, blocks);
    row_blocks_end(p, &r);
}

void
cg_dot_packed(cg_dot_product *p)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    if (is_single(s) || s->how.right == CG_DOT_ONCE) {
        (is_single(s) ? packed_single : packed_whole)(p);
        return;
    }
    cg_val zero = cg_i64(b, 0), all = cg_i64(b, s->n.total);
    cg_val columns = loop_over(b, zero, all, s->how.n_block), j0 = cg_loop_var(b, columns);
    cg_val j_end = cg_imin(b, cg_iadd(b, j0, cg_i64(b, s->how.n_block)), all);
    cg_val blocks = loop_over(b, zero, cg_i64(b, s->steps), KC), k0 = cg_loop_var(b, blocks);
    pack_right(p, j0, j_end, k0);
    const row_blocks r = row_blocks_begin(p);
    packed_block(p, r.i0, r.i_end, j0, j_end, k0);
    row_blocks_end(p, &r);
    cg_loop_end(b, blocks);
    cg_loop_end(b, columns);
}
