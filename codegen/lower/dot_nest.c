/* The loops around the tiles of a contraction on a CPU (dot.c).
 *
 * A nest is a list of levels, the outermost first, which the schedule chooses.  A level emits a
 * loop, or packs what the levels inside it read, and then emits those levels with the ranges
 * that are left to them.  The innermost level is a tile. */
#include "codegen/lower/dot_inside.h"

typedef struct level {
    void (*emit)(const cg_dot_product *p, cg_dot_at a, const struct level *at);
} level;

static void
inside(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    at[1].emit(p, a, at + 1);
}

/* A loop of `count` iterations, which threads share if the product has shares. */
static cg_val
shared_loop(const cg_dot_product *p, cg_val count)
{
    cg_build *b = p->b;
    const bool shared = p->s.how.share >= CG_DOT_SHARE_COLUMNS;
    return cg_loop_begin(b, shared ? CG_PARALLEL : CG_SERIAL, cg_i64(b, 0), count, 1, 0);
}

/* Leave a part of a range: the one of that number, of so many iterations at most. */
static void
part(cg_build *b, cg_dot_range *r, cg_val number, int64_t size)
{
    r->begin = cg_imul(b, number, size);
    r->end = cg_imin(b, cg_iadd(b, r->begin, cg_i64(b, size)), r->end);
}

/* Threads share the batch, or the rows.  Each share has scratch of its own. */
static void
outer_shares(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const bool by_batch = s->how.share == CG_DOT_SHARE_BATCH;
    cg_dot_product q = *p;

    if (!by_batch && s->how.share != CG_DOT_SHARE_ROWS) {
        inside(p, a, at);
        return;
    }
    cg_val loop = cg_loop_of(b, CG_PARALLEL, s->how.shares);
    cg_dot_range *r = !by_batch ? &a.m : s->how.lanes == CG_DOT_BATCH ? &a.n : &a.b;

    part(b, r, cg_loop_var(b, loop), cg_dot_share_size(s));
    q.base = cg_imul(b, cg_loop_var(b, loop), s->c_size + s->b_size + s->a_size);
    inside(&q, a, at);
    cg_loop_end(b, loop);
}

static void
batch(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_val loop = loop_over(p->b, a.b.begin, a.b.end, 1);
    cg_dot_product q = *p;

    cg_dot_set_batch(&q, cg_loop_var(p->b, loop));
    inside(&q, a, at);
    cg_loop_end(p->b, loop);
}

/* The number of k's in the block that starts at k0. */
static cg_val
block_size(const cg_dot_product *p, cg_val k0)
{
    cg_build *b = p->b;
    int64_t total = p->s.steps;
    cg_val most = cg_i64(b, KC);
    return total % KC || p->s.k.open ? cg_imin(b, most, cg_isub(b, cg_i64(b, total), k0))
                                     : most;
}

static void
k_blocks(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;

    if (!is_packed(&p->s) && p->s.steps <= KC) {
        inside(p, a, at);
        return;
    }
    cg_val end = blocks_end(b, p->s.steps, p->s.k.open);
    cg_val loop = loop_over(b, cg_i64(b, 0), end, KC);
    a.k0 = cg_loop_var(b, loop);
    a.kc = block_size(p, a.k0);
    inside(p, a, at);
    cg_loop_end(b, loop);
}

/* Blocks of rows, which threads may share.  Each then has scratch of its own. */
static void
row_blocks(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t block = s->how.m_block;
    cg_val loop = shared_loop(p, cg_i64(b, (s->m.total + block - 1) / block)),
           number = cg_loop_var(b, loop);
    cg_dot_product q = *p;

    part(b, &a.m, number, block);
    q.c_at = cg_imul(b, number, s->c_each);
    q.a_at = cg_imul(b, number, s->a_each);
    inside(&q, a, at);
    cg_loop_end(b, loop);
}

static void
rows(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_val loop = loop_over(p->b, a.m.begin, a.m.end, tile_rows(&p->s));

    a.m0 = cg_loop_var(p->b, loop);
    inside(p, a, at);
    cg_loop_end(p->b, loop);
}

static void
column_blocks(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const int64_t block = p->s.how.n_block;
    cg_val loop = loop_over(b, a.n.begin, a.n.end, block);

    a.n.begin = cg_loop_var(b, loop);
    a.n.end = cg_imin(b, cg_iadd(b, a.n.begin, cg_i64(b, block)), a.n.end);
    inside(p, a, at);
    cg_loop_end(b, loop);
}

/* The columns of whole tiles, then those that are left over, which are one tile. */
static void
split_columns(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    const int64_t n = lane_axis(&p->s), left_over = n % p->s.nr;

    a.n.end = cg_i64(p->b, n - left_over);
    if (n > left_over)
        inside(p, a, at);
    if (p->s.n.open) {
        /* a tile of any number of columns, in a loop that runs once, or not at all */
        a.n.begin = a.n.end;
        a.n.end = cg_i64(p->b, n);
        a.edge = CG_DOT_OVER;
        inside(p, a, at);
        return;
    }
    a.n.begin = a.n.end;
    a.n.end = cg_i64(p->b, n);
    a.columns = left_over;
    a.edge = left_over % p->s.how.width ? CG_DOT_OVER : CG_DOT_INSIDE;
    if (left_over)
        inside(p, a, at);
}

/* Threads share the columns of whole tiles, inside a block of k. */
static void
column_shares(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const int64_t all = s->how.stream ? s->n.total / s->nr * s->nr : s->n.total,
                  count = s->how.shares;
    cg_dot_product q = *p;

    if (s->how.share != CG_DOT_SHARE_COLUMNS || a.columns < s->nr) {
        inside(p, a, at);
        return;
    }
    const int64_t columns = round_up((all + count - 1) / count, s->nr);
    cg_val loop = shared_loop(p, cg_i64(b, count)), number = cg_loop_var(b, loop);

    const cg_val end = a.n.end;
    part(b, &a.n, number, columns);
    q.b_at = cg_imul(b, number, s->b_size / count);
    q.c_at = cg_imul(b, number, s->c_each);
    /* of few columns the last shares have none, which no sample shows */
    const cg_val some = s->n.open ? cg_if_begin(b, cg_insn2_kept(b, SC_lt, a.n.begin, end)) : 0;
    inside(&q, a, at);
    if (some)
        cg_if_end(b, some);
    cg_loop_end(b, loop);
}

static void
panels(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const bool batch = s->how.lanes == CG_DOT_BATCH;

    if (a.columns < s->nr) {
        a.n0 = a.n.begin;
        inside(p, a, at);
        return;
    }
    cg_val loop = loop_over(b, a.n.begin, a.n.end, lane_step(s));
    a.n0 = cg_loop_var(b, loop);
    a.panel = a.block = cg_i64(b, 0);
    if (is_packed(s) || batch) {
        a.edge = edge_of(s);
        a.block = cg_idiv(b, cg_isub(b, a.n0, a.n.begin), lane_step(s));
    }
    if (batch ? s->how.right == CG_DOT_ONCE : !is_single(s))
        a.panel = a.block;
    inside(p, a, at);
    cg_loop_end(b, loop);
}

/* The results of whole tiles, then those that are left over. */
static void
results(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const int64_t n = p->s.n.total, left_over = n % p->s.how.results;
    cg_val whole = cg_i64(b, n - left_over);
    cg_val loop = loop_over(b, cg_i64(b, 0), whole, p->s.how.results);

    a.result = cg_loop_var(b, loop);
    a.results = p->s.how.results;
    inside(p, a, at);
    cg_loop_end(b, loop);
    a.result = whole;
    a.results = left_over;
    if (left_over)
        inside(p, a, at);
}

/* Rows along the innermost of their axes, from which those inside count. */
static void
runs(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    cg_val loop = loop_over(b, a.m.begin, a.m.end, p->s.how.run);

    a.run = cg_loop_var(b, loop);
    a.m.begin = cg_i64(b, 0);
    a.m.end = cg_i64(b, p->s.how.run);
    inside(p, a, at);
    cg_loop_end(b, loop);
}

static void
pack_left(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    if (p->s.how.left != CG_DOT_IN_PLACE)
        cg_dot_pack_rows(p, a.m.begin, a.m.end, a.k0, a.kc);
    inside(p, a, at);
}

static void
pack_panel(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    if (p->s.how.right != CG_DOT_IN_PLACE)
        cg_dot_pack_panel(p, a.panel, a.n0, a.k0 ? a.k0 : cg_i64(p->b, 0), a.kc);
    inside(p, a, at);
}

/* All panels of the columns, which threads may share. */
static void
pack_panels(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    cg_build *b = p->b;
    const int64_t nr = p->s.nr;
    cg_val columns = cg_isub(b, a.n.end, a.n.begin),
           count = cg_idiv(b, cg_iadd(b, columns, cg_i64(b, nr - 1)), nr);
    cg_val loop = shared_loop(p, count), panel = cg_loop_var(b, loop);

    cg_dot_pack_panel(p, panel, cg_iadd(b, a.n.begin, cg_imul(b, panel, nr)), a.k0, a.kc);
    cg_loop_end(b, loop);
    inside(p, a, at);
}

static void
nothing(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    (void)p;
    (void)a;
    (void)at;
}

/* The panels of all blocks of k, or of the whole batch. */
static void
pack_once(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    static const level blocks[] = { { k_blocks }, { pack_panels }, { nothing } },
                       batches[] = { { panels }, { pack_panel }, { nothing } };
    const level *all = p->s.how.lanes == CG_DOT_BATCH ? batches : blocks;

    all->emit(p, a, all);
    inside(p, a, at);
}

static void
tile(const cg_dot_product *p, cg_dot_at a, const level *at)
{
    (void)at;
    if (p->s.how.lanes == CG_DOT_SUM)
        cg_dot_inner_row(p, a.m0);
    else
        cg_dot_tile_at(p, &a);
}

static const level sums[] = { { outer_shares }, { batch }, { rows }, { tile } };
static const level in_place[] = { { outer_shares },  { batch },  { rows },
                                  { split_columns }, { panels }, { tile } };
static const level lines[] = { { outer_shares }, { batch },   { rows },     { split_columns },
                               { panels },       { results }, { k_blocks }, { tile } };
/* Lanes along the batch.  A right side that fits L2 is packed first, then each run of rows
 * visits the whole batch, so that contiguous memory is read together. */
static const level batches[] = { { outer_shares }, { k_blocks }, { panels }, { pack_panel },
                                 { runs },         { rows },     { tile } };
static const level batches_once[] = { { outer_shares }, { pack_once }, { runs },
                                      { panels },       { rows },      { tile } };
/* A right side that does not stay in the cache, for few rows, is read once: blocks of k are
 * outside of its panels. */
static const level streamed[] = { { outer_shares },  { batch },    { split_columns },
                                  { column_shares }, { k_blocks }, { panels },
                                  { rows },          { tile } };
/* The loops of BLIS. */
static const level blocked[] = { { outer_shares }, { batch },       { column_blocks },
                                 { k_blocks },     { pack_panels }, { row_blocks },
                                 { pack_left },    { panels },      { rows },
                                 { tile } };
/* All rows are one block: each panel is packed, then used while it is in L1. */
static const level single[] = { { outer_shares }, { batch },         { k_blocks },
                                { pack_left },    { column_shares }, { panels },
                                { pack_panel },   { rows },          { tile } };
/* A small right side is packed once, and the sums of a few rows then stay in the cache over all
 * k. */
static const level once[] = { { outer_shares }, { batch },    { pack_once },
                              { row_blocks },   { k_blocks }, { pack_left },
                              { panels },       { rows },     { tile } };

static const level *
levels_of(const cg_dot_shape *s)
{
    if (s->how.lanes == CG_DOT_SUM)
        return sums;
    if (s->how.lanes == CG_DOT_LINES)
        return lines;
    if (s->how.lanes == CG_DOT_BATCH)
        return s->how.right == CG_DOT_ONCE ? batches_once : batches;
    if (!is_packed(s))
        return s->how.stream ? streamed : in_place;
    return is_single(s) ? single : s->how.right == CG_DOT_ONCE ? once : blocked;
}

void
cg_dot_nest(const cg_dot_product *p)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    const level *outer = levels_of(s);
    cg_val zero = cg_i64(b, 0);
    const cg_dot_at all = { .b = { zero, cg_i64(b, s->b.total) },
                            .m = { zero, cg_i64(b, s->m.total) },
                            .n = { zero, cg_i64(b, lane_axis(s)) },
                            .kc = cg_i64(b, s->steps),
                            .columns = s->nr,
                            .results = 1 };

    outer->emit(p, all, outer);
}
