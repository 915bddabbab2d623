/* The loops around the tiles of a contraction whose lanes run along columns (dot.c): in place,
 * streamed, or the loops of BLIS over the panels and strips of dot_pack.c.
 *
 * The left side is read in place if that touches no more cache lines than a packed copy has. */
#include "codegen/lower/dot_pack.h"

/* The tile of rows m0 ... in place. */
static void
place_tile(const cg_dot_product *p, cg_dot_at *a, cg_val m0)
{
    a->m0 = m0;
    a->edge = a->columns % p->s.how.width ? CG_DOT_OVER : CG_DOT_INSIDE;
    a->kc = a->k0 ? block_size(p, a->k0) : 0;
    cg_dot_tile_at(p, a);
}

/* All rows of the columns from ... to, panel by panel; with k0, of the block of k that starts
 * there. */
static void
stream_columns(const cg_dot_product *p, cg_val from, cg_val to, int64_t columns, cg_val k0)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_dot_at a = { .m_end = cg_i64(b, s->m.total), .columns = columns, .k0 = k0 };
    cg_val panels = loop_over(b, from, to, columns), rows;

    a.n0 = cg_loop_var(b, panels);
    rows = loop_over(b, cg_i64(b, 0), a.m_end, s->how.rows);
    place_tile(p, &a, cg_loop_var(b, rows));
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
    cg_dot_at a = { .m_end = m_end, .columns = s->nr };
    if (whole) {
        cg_val columns = loop_over(b, cg_i64(b, 0), cg_i64(b, whole), s->nr);
        a.n0 = cg_loop_var(b, columns);
        place_tile(p, &a, m0);
        cg_loop_end(b, columns);
    }
    a.n0 = cg_i64(b, whole);
    a.columns = left_over;
    if (left_over)
        place_tile(p, &a, m0);
    cg_loop_end(b, rows);
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

/* All strips of rows i0 ... i_end, by one panel. */
static void
sweep_panel(const cg_dot_product *p, cg_val panel, cg_val c0, cg_val i0, cg_val i_end,
            cg_val k0, cg_val kc)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val strips = loop_over(b, i0, i_end, s->how.rows);
    const cg_dot_at a = { .m0 = cg_loop_var(b, strips),
                          .n0 = c0,
                          .m_begin = i0,
                          .m_end = i_end,
                          .columns = s->nr,
                          .edge = s->n.total % s->nr == 0 ? CG_DOT_INSIDE
                                  : s->n.total < s->nr    ? CG_DOT_OVER
                                                          : CG_DOT_PERHAPS,
                          .k0 = k0,
                          .kc = kc,
                          .panel = panel };
    cg_dot_tile_at(p, &a);
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
