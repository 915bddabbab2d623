/* The schedule of a contraction, chosen from its shape and the target: which side has the rows,
 * the register tile, the cache blocks, what is packed, and how threads share the work.  The
 * choice never changes a result (dot.c).  dot_choose_axes.c chooses for lanes along other axes
 * and for GPUs. */
#include "codegen/elemental/strip_mine.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

/* An extent, as choices compare it with limits.  All samples of an open one choose alike. */
static double
extent(const cg_dot_group *g)
{
    return g->open ? CG_LOWER_OPEN_EXTENT : (double)g->total;
}

static double
work_of(const cg_dot_shape *s)
{
    return extent(&s->b) * extent(&s->m) * extent(&s->n) * extent(&s->k);
}

/* Little work: short code matters more than the last tenth of speed. */
static bool
is_small(const cg_dot_shape *s)
{
    return work_of(s) <= CG_LOWER_MAX_SMALL_PRODUCT;
}

/* May all k's of a tile be unrolled, each with an address of its own? */
static bool
is_short(const cg_dot_shape *s)
{
    return s->k.n > 1 && s->k.total <= CG_LOWER_MAX_SHORT_STEPS &&
           s->k.total * s->how.rows * s->how.vectors <= CG_LOWER_MAX_SHORT_FMAS;
}

/* Let `shares` iterations of a loop be shared, if there are several. */
static void
share(cg_dot_shape *s, cg_dot_share what, int64_t shares)
{
    if (shares <= 1)
        return;
    s->how.share = what;
    s->how.shares = shares;
}

/* Are products of so many elements of the batch, each with so many k's, work for threads?
 * Where a size is open its caller decides (cg_is_shared). */
static bool
is_for_threads(const cg_dot_shape *s, const cg_dot *d, const cg_target *t, int64_t batch,
               int64_t k)
{
    const double b = (double)batch, m = (double)s->m.total, n = (double)s->n.total;
    const int64_t bytes = (int64_t)cot_dtype_size(d->type), bits = 8 * bytes;

    if (s->b.open || s->m.open || s->n.open || s->k.open)
        return true;
    return cg_is_shareable(2 * b * m * n * (double)k,
                           t->vector_bits > bits ? t->vector_bits / bits : 1,
                           b * (m * (double)k + (double)k * n + m * n) * (double)bytes);
}

/* Rows of a tile of which a whole number makes up the innermost axis of the rows: no tile then
 * has rows beyond the last, or an address for each row, and its code is half as long.  They are
 * at least two thirds of `most`, the rows that registers allow, and enough to keep the FMA
 * units busy; 0: there are none.  Rows of windows one stride apart share an address. */
static int64_t
whole_rows(const cg_dot_shape *s, int64_t most)
{
    const int64_t size = s->m.n > 1 ? s->m.size[s->m.n - 1] : s->m.total,
                  v = s->how.vectors > 1 ? s->how.vectors : 1,
                  windows = at_most(CG_LOWER_MANY_CHAINS / v, CG_LOWER_MANY_TALL_ROWS);

    for (int64_t rows = most == CG_LOWER_MANY_WINDOW_ROWS ? windows : most;
         3 * rows >= 2 * most && rows * v >= CG_LOWER_SUMS_IN_FLIGHT && !s->m.open; rows--)
        if (size % rows == 0)
            return rows;
    return 0;
}

/* Rows of a tile: as many as registers allow, or fewer if a few tiles then leave no row over,
 * or fewer of them.  Eight rows by two vectors also keep the FMA units busy; that is enough for
 * a small product, whose code should be short. */
static int64_t
rows_of_tile(const cg_dot_shape *s, int64_t most)
{
    const int64_t m = s->m.total, whole = m > most ? whole_rows(s, most) : 0;
    const bool fewer = m > 2 * CG_LOWER_SMALL_ROWS && s->k.total >= CG_LOWER_MIN_KEPT_STEPS;

    if (m <= most)
        return m > 0 ? m : 1;
    if (m >= CG_LOWER_MANY_TILES * most)
        return whole ? whole : most;
    for (int64_t rows = CG_LOWER_SMALL_ROWS; is_small(s) && rows <= most; rows++)
        if (m % rows == 0)
            return rows;
    for (int64_t rows = at_most(most, CG_LOWER_SMALL_ROWS - 1);
         is_small(s) && fewer && rows >= CG_LOWER_FEWEST_ROWS; rows--)
        if (m % rows == 0)
            return rows;
    if (whole)
        return whole;
    for (int64_t rows = most; rows >= most - most / 3; rows--)
        if (m % rows == 0)
            return rows;
    const int64_t tiles = (m + most - 1) / most;
    return (m + tiles - 1) / tiles;
}

/* Choose the tile for 32 registers: 24 sums leave some for loads ahead.  The squarer a tile is,
 * the fewer loads it needs for each fma, so the widest of those that pad the columns least is
 * chosen.  Eight rows by two vectors are as quick if no row is left over, and shorter.  Rows
 * of windows each need an address, and registers hold ten.  A few rows are one tile or two, as
 * tall as possible, since each tile reads the right side once. */
static void
many_registers(const cg_dot_shape *s, int64_t lanes, int64_t *rows, int64_t *columns)
{
    const int64_t vectors = (s->n.total + lanes - 1) / lanes;

    *rows = CG_LOWER_MANY_TALL_ROWS;
    *columns = CG_LOWER_TILE_COLUMNS;
    if (is_small(s) || s->m.total <= 2 * *rows)
        return;
    *rows = s->k.n > 1 ? CG_LOWER_MANY_WINDOW_ROWS : CG_LOWER_MANY_ROWS;
    for (int64_t c = 3; c <= 4; c++)
        if (round_up(vectors, c) <= round_up(vectors, *columns)) {
            *columns = c;
            *rows = CG_LOWER_MANY_CHAINS / c;
        }
    if (s->k.n == 1 && s->m.total % CG_LOWER_WHOLE_ROWS == 0 && !s->m.open &&
        vectors > CG_LOWER_FEW_PANELS * CG_LOWER_TILE_COLUMNS) {
        *columns = CG_LOWER_TILE_COLUMNS;
        *rows = CG_LOWER_WHOLE_ROWS;
    }
}

/* For rows of windows of few elements: let a whole number of tiles make up an axis, in which
 * rows have one stride, since computing the address of each row would take as long as its
 * sum. */
static int64_t
even_rows(const cg_dot_shape *s, int64_t rows, int64_t sums)
{
    const int64_t size = s->m.n > 1 ? s->m.size[s->m.n - 1] : 1,
                  vectors =
                      at_most((s->n.total + s->how.width - 1) / s->how.width, sums / rows);

    if (s->k.n <= 1 || s->k.total > CG_LOWER_MAX_SHORT_STEPS)
        return rows;
    for (int64_t r = sums / vectors; 2 * r >= rows; r--)
        if (size % r == 0)
            return r;
    return rows;
}

static void
choose_tile(cg_dot_shape *s, const cg_target *t, int64_t bytes)
{
    int64_t lanes = t->vector_bits / (8 * bytes), rows = CG_LOWER_FEW_ROWS,
            columns = CG_LOWER_TILE_COLUMNS;
    if (lanes < 1)
        lanes = 1;
    if (lanes == 1)
        rows = columns = CG_LOWER_SCALAR_TILE;
    else if (t->registers >= 32)
        many_registers(s, lanes, &rows, &columns);
    s->how.width = at_most(lanes, cg_pow2_from(s->n.total));
    if (s->m.total == 1)
        columns = t->registers >= 32 ? CG_LOWER_MANY_ROW_COLUMNS : CG_LOWER_FEW_ROW_COLUMNS;
    else if (s->m.total <= CG_LOWER_FLAT_ROWS)
        columns = CG_LOWER_FLAT_COLUMNS;
    s->how.vectors = at_most(columns, (s->n.total + s->how.width - 1) / s->how.width);
    s->how.rows = s->m.total <= rows / 2 ? s->m.total : rows_of_tile(s, rows);
    if (s->how.rows > 1 && s->how.vectors > 0)
        s->how.rows = even_rows(s, s->how.rows,
                                lanes == 1           ? CG_LOWER_SCALAR_SUMS
                                : t->registers >= 32 ? CG_LOWER_MANY_SUMS
                                                     : CG_LOWER_FEW_SUMS);
}

/* Should lanes run along the rows of the left side, since the right side has too few columns?
 * Where the left side stores its k's contiguously, that takes a register transpose of all of
 * it, which pays for short rows; else a few lanes along the columns are quicker, which read
 * each row once, from its first element to its last. */
static bool
wants_swap(const cg_dot_shape *s, int64_t lanes)
{
    const int64_t n = s->n.total, k = s->k.total;

    if (n >= lanes || s->m.total <= n)
        return false;
    if (innermost(&s->m, s->m.lhs) == 1 || innermost(&s->k, s->k.lhs) != 1)
        return true;
    const int64_t most = 4 * n < lanes ? CG_LOWER_MAX_NARROW_SWAP_K : CG_LOWER_MAX_SWAP_K;
    return 2 * n <= lanes && k >= lanes && k <= most;
}

/* Packing pays if several tiles use a panel and it would not stay in L1 otherwise, if the
 * columns are not contiguous, or if several axes of k would need divisions. */
static bool
wants_packing(const cg_dot_shape *s, const cg_target *t, int64_t bytes)
{
    if (s->how.width > 1 && innermost(&s->n, right_of(s, &s->n)) != 1)
        return extent(&s->m) * extent(&s->n) * extent(&s->k) > CG_LOWER_MIN_PACKED;
    return s->m.total > 2 * s->how.rows &&
           (extent(&s->k) * extent(&s->n) * (double)bytes > (double)t->l1 / 2 ||
            (s->k.n > 1 && !is_small(s)));
}

/* How many k's of narrow integers a step multiplies; 0: more than one do not pay. */
static int64_t
ways_of(const cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    if (!cg_dot_takes_ways(d, 2) || s->k.open || t->vector_bits < 128 ||
        s->m.total < CG_LOWER_MIN_PAIR_ROWS || s->n.total < s->how.width ||
        s->how.width != t->vector_bits / 32 || s->k.total < 2 ||
        extent(&s->m) * extent(&s->n) * extent(&s->k) <= CG_LOWER_MIN_PAIRS)
        return 0;
    return t->dot_bits >= t->vector_bits && cg_dot_takes_ways(d, 4) && s->k.total > 2 ? 4 : 2;
}

/* Do rows have one stride, and contiguous k's?  Then w k's of w rows are one register
 * transpose. */
static bool
wants_transpose(const cg_dot_shape *s)
{
    return !s->how.ways && s->how.width > 1 && s->m.n == 1 && s->k.n == 1 &&
           left_of(s, &s->k)[0] == 1 && s->steps % lanes_across(s) == 0 && !s->k.open &&
           s->how.rows > at_most(s->how.width, 8) / 2;
}

/* May tiles read their rows in place?  If k has several axes they are read in runs of the
 * innermost, each of which costs a few instructions.  Runs that overlap or touch, as the
 * windows of a convolution do, occupy fewer cache lines than a packed copy.  Otherwise rows
 * that several panels read are packed: rows that are a power of two apart map to one set of the
 * cache. */
static bool
reads_left(const cg_dot_shape *s, const cg_dot *d)
{
    const cg_dot_group *k = &s->left_k;
    const int64_t run = k->n ? k->size[k->n - 1] : 1;
    const bool few = s->n.total <= 2 * tile_columns(s);

    if (s->how.ways)
        return false;
    if (k->n <= 1)
        return few;
    if (is_short(s))
        return (s->how.swap ? d->rhs_type : d->lhs_type) == d->type;
    return (s->how.swap ? d->rhs_type : d->lhs_type) == d->type && innermost(k, k->lhs) == 1 &&
           (few ? run >= CG_LOWER_MIN_RUN
                : run >= CG_LOWER_MIN_SHARED_RUN &&
                      innermost(&s->m, left_of(s, &s->m)) <= at_most(run, KC));
}

/* How the left side is packed.  Copying rows is cheap, but if there are many panels it pays to
 * read a strip as one stream. */
static int64_t
left_side(const cg_dot_shape *s)
{
    if (!s->how.ways && innermost(&s->k, left_of(s, &s->k)) == 1 &&
        s->n.total <= CG_LOWER_FEW_PANELS * tile_columns(s))
        return CG_DOT_COPIED;
    return wants_transpose(s) ? CG_DOT_TURNED : CG_DOT_STRIPS;
}

/* The side of the register transposes by which panels are packed, where the columns of the
 * right side are contiguous, but not its rows: it divides the k's, if it may be 4 at least, and
 * is no more than the columns, since what does not fill a block is copied by elements. */
static int64_t
turn_of(const cg_dot_shape *s)
{
    int64_t side = at_most(s->how.width, is_small(s) ? CG_LOWER_SMALL_TRANSPOSE : s->how.width);

    while (side > CG_LOWER_FEWEST_TURNED &&
           (side > s->n.total || (s->steps % side && s->steps % CG_LOWER_FEWEST_TURNED == 0 &&
                                  s->steps > side && s->steps < CG_LOWER_MANY_TURNED * side)))
        side /= 2;
    return cg_dot_may_turn(s, side) ? side : 0;
}

/* How many k's an iteration of the tile's loop unrolls. */
static int64_t
packed_unroll(const cg_dot_shape *s)
{
    const int64_t run = k_run(s), steps = at_most(KC, run), sums = s->how.rows * s->how.vectors,
                  most = s->how.vectors > 1 && work_of(s) <= CG_LOWER_MAX_SHORT_CODE
                             ? CG_LOWER_MAX_SHORT_PACKED_FMAS
                             : CG_LOWER_MAX_PACKED_FMAS;
    int64_t n = 1;

    if (s->how.left == CG_DOT_IN_PLACE && is_short(s))
        return CG_DOT_ALL;
    if (run % CG_LOWER_MAX_PACKED_STEPS || s->k.open || KC % CG_LOWER_MAX_PACKED_STEPS ||
        s->how.width == 1)
        return 1;
    while (n < CG_LOWER_MAX_PACKED_STEPS && steps > n * CG_LOWER_FORESEEN &&
           2 * n * sums <= most)
        n *= 2;
    return n;
}

/* The cache blocks, what is packed in which form, and what threads share. */
static void
choose_blocks(cg_dot_shape *s, const cg_target *t, int threads, int64_t bytes, const cg_dot *d)
{
    const int64_t nr = tile_columns(s), mr = s->how.rows;
    int64_t kc = at_most(KC, s->steps), rows = t->l2 / CG_LOWER_L2_SHARE / (KC * bytes),
            columns = t->l3 / CG_LOWER_L3_SHARE / (KC * bytes);

    s->how.left = left_side(s);
    rows = rows * mr / strip_rows(s);
    rows = rows < mr ? mr : rows;
    if (columns < CG_LOWER_MIN_BLOCK_PANELS * nr)
        columns = CG_LOWER_MIN_BLOCK_PANELS * nr;
    int64_t blocks = (s->m.total + rows - 1) / rows;
    /* Threads share the columns of a single block of rows, if there are enough for each; else
     * its rows, if that is worth it: each thread reads all columns. */
    const bool single = blocks <= 1 && !s->m.open &&
                        (s->n.total > (threads - 1) * nr || s->m.total < threads * mr ||
                         !is_for_threads(s, d, t, 1, kc / CG_LOWER_SHARES_OF_THREAD));
    if (!single)
        blocks = round_up(blocks, threads);
    s->how.m_block = s->m.open ? round_up(at_most(rows, CG_LOWER_OPEN_BLOCK), mr)
                               : round_up((s->m.total + blocks - 1) / blocks, mr);
    if (s->n.open)
        columns = at_most(columns, CG_LOWER_OPEN_BLOCK);
    s->how.n_block = at_most(round_up(columns, nr), round_up(s->n.total, nr));
    const bool once = s->steps > KC && s->how.n_block >= s->n.total && !s->m.open &&
                      !s->k.open && s->m.total > s->how.m_block &&
                      round_up(s->steps, KC) * s->how.n_block * bytes <= t->l2 / 2;
    s->how.right = once ? CG_DOT_ONCE : CG_DOT_PANELS;
    if (reads_left(s, d))
        s->how.left = CG_DOT_IN_PLACE;
    s->how.turn = turn_of(s);
    s->how.unroll = packed_unroll(s);
    s->how.prefetch = extent(&s->m) * extent(&s->n) * (double)bytes > (double)t->l2 / 2 &&
                      (cg_dot_is_own(s, d) || s->steps > KC);
    /* one thread packs what all of them read, and the others wait */
    if (threads <= 1 || !is_for_threads(s, d, t, 1, kc / CG_LOWER_PACKED_SHARE))
        return;
    share(s, single ? CG_DOT_SHARE_COLUMNS : CG_DOT_SHARE_BLOCKS,
          single ? at_most(CG_LOWER_SHARES_OF_THREAD * threads, (s->n.total + nr - 1) / nr)
                 : (s->m.total + s->how.m_block - 1) / s->how.m_block);
}

/* Does the right side come from memory, a row after another, for so few rows of the left that
 * packing it would cost more than it saves? */
static bool
wants_stream(const cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    const int64_t bytes = (int64_t)cot_dtype_size(s->how.swap ? d->lhs_type : d->rhs_type);

    return (s->m.total > 1 || threads > 1) && s->n.n == 1 && s->k.n == 1 &&
           innermost(&s->n, right_of(s, &s->n)) == 1 &&
           (extent(&s->k) * extent(&s->n) * (double)bytes > (double)t->l2 ||
            (threads > 1 && is_for_threads(s, d, t, 1, s->k.total))) &&
           s->n.total >= 2 * tile_columns(s);
}

/* The tile is as wide as the registers allow, so that a row of it is several cache lines.  One
 * row is so wide that the processor foresees what comes. */
static void
choose_stream(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    const int64_t sums = t->registers >= 32 ? CG_LOWER_MANY_SUMS : CG_LOWER_FEW_SUMS,
                  columns = at_most(sums / s->how.rows, CG_LOWER_MANY_ROW_COLUMNS),
                  panels = s->n.total / (s->how.width * columns);

    if (columns > s->how.vectors && panels > 1)
        s->how.vectors = columns;
    s->how.stream = 1;
    s->how.prefetch = s->m.total > 1;
    if (threads > 1 && s->b.total < threads && is_for_threads(s, d, t, 1, s->k.total))
        share(s, CG_DOT_SHARE_COLUMNS,
              at_most(CG_LOWER_SHARES_OF_THREAD * threads, s->n.total / tile_columns(s)));
}

/* Threads share elements of the batch, or rows that are not packed. */
static void
share_rows(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    if (threads <= 1 || !is_for_threads(s, d, t, s->b.total, s->k.total))
        return;
    if (s->b.total >= threads)
        share(s, CG_DOT_SHARE_BATCH, threads);
    else if (!s->how.m_block && s->m.total >= 2 * threads * tile_rows(s))
        share(s, CG_DOT_SHARE_ROWS, threads);
}

static void
choose_columns(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    const int64_t bytes = (int64_t)cot_dtype_size(d->type),
                  lanes = t->vector_bits / (8 * bytes);

    if (wants_swap(s, lanes))
        cg_dot_swap(s);
    choose_tile(s, t, bytes);
    s->how.unroll = 1;
    s->how.ways = ways_of(s, d, t);
    cg_dot_settle(s, d);
    if (s->how.ways || wants_packing(s, t, bytes))
        choose_blocks(s, t, s->b.total < threads ? threads : 1, bytes, d);
    else if (wants_stream(s, d, t, threads))
        choose_stream(s, d, t, threads);
}

/* The inner form has free axes on one side at most; they become the rows. */
static void
choose_sum(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    const bool batch = s->b.total >= threads;

    if (s->m.total == 1)
        cg_dot_swap(s);
    s->how.lanes = CG_DOT_SUM;
    s->how.width = t->vector_bits > 32 ? CG_DOT_SUM_LANES : 1;
    if (threads > 1 && is_for_threads(s, d, t, s->b.total, s->k.total) &&
        (batch || s->m.total >= 2 * threads))
        share(s, batch ? CG_DOT_SHARE_BATCH : CG_DOT_SHARE_ROWS, threads);
}

/* Threads share blocks of the batch, of one vector at least. */
static void
share_batch(cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    if (threads > 1 && is_for_threads(s, d, t, s->b.total, s->k.total) &&
        s->b.total > s->how.width)
        share(s, CG_DOT_SHARE_BATCH,
              at_most(threads, (s->b.total + s->how.width - 1) / s->how.width));
}

cg_dot_schedule
cg_dot_choose(const cg_dot_shape *shape, const cg_dot *d, const cg_target *t, int threads,
              bool inner)
{
    cg_dot_shape s = *shape;

    if (t->grid) {
        cg_dot_choose_grid(&s, d, t, inner);
    } else if (inner) {
        choose_sum(&s, d, t, threads);
    } else if (!s.b.open && cg_dot_choose_batch(&s, d, t)) {
        share_batch(&s, d, t, threads);
        cg_dot_choose_once(&s, d, t);
    } else {
        if (s.m.open || s.n.open || !cg_dot_choose_lines(&s, d, t))
            choose_columns(&s, d, t, threads);
        if (!s.how.share)
            share_rows(&s, d, t, threads);
    }
    return s.how;
}
