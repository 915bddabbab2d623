/* The schedule of a matrix product, from its sizes and the target: which side has the rows, the
 * register tile, the cache blocks, what is packed, and how threads share the work.  The choice
 * never changes a result (dot.c). */
#include "codegen/elemental/strip_mine.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

static cg_dot_group
join(const cg_dot_axes *a)
{
    cg_dot_group g = { .total = 1 };
    for (int i = 0; i < a->n; i++) {
        int64_t lhs = a->lhs ? a->lhs[i] : 0, rhs = a->rhs ? a->rhs[i] : 0, size = a->size[i];
        int last = g.n - 1;
        g.total *= size;
        if (size == 1)
            continue;
        if (last >= 0 && g.lhs[last] == lhs * size && g.rhs[last] == rhs * size) {
            g.size[last] *= size;
            g.lhs[last] = lhs;
            g.rhs[last] = rhs;
        } else {
            g.size[g.n] = size;
            g.lhs[g.n] = lhs;
            g.rhs[g.n++] = rhs;
        }
    }
    return g;
}

/* The contracted axes, with adjacent axes merged wherever the left operand stores them
 * contiguously. */
static cg_dot_group
joined_left(const cg_dot_shape *s)
{
    const cg_dot_group *k = &s->k;
    const int64_t *stride = left_of(s, k);
    cg_dot_group g = { .total = k->total };

    for (int i = 0; i < k->n; i++) {
        const int last = g.n - 1;
        const bool joins = last >= 0 && g.lhs[last] == stride[i] * k->size[i];

        g.size[joins ? last : g.n] = joins ? g.size[last] * k->size[i] : k->size[i];
        g.lhs[joins ? last : g.n] = g.rhs[joins ? last : g.n] = stride[i];
        g.n += !joins;
    }
    return g;
}

/* Rows of a tile: as many as registers allow, or fewer if a few tiles then leave no row over,
 * or fewer of them.  Eight rows by two vectors also keep the FMA units busy; that is enough for
 * a small product, whose code should be short. */
static int64_t
tile_rows(int64_t m, int64_t most, bool small)
{
    if (m <= most)
        return m > 0 ? m : 1;
    if (m >= CG_LOWER_MANY_TILES * most)
        return most;
    for (int64_t rows = CG_LOWER_SMALL_ROWS; small && rows <= most; rows++)
        if (m % rows == 0)
            return rows;
    for (int64_t rows = most; rows >= most - most / 3; rows--)
        if (m % rows == 0)
            return rows;
    const int64_t tiles = (m + most - 1) / most;
    return (m + tiles - 1) / tiles;
}

/* Choose the tile for 32 registers: 24 sums leave some for loads ahead.  The squarer a tile is,
 * the fewer loads it needs for each fma, so the widest of those that pad the columns least is
 * chosen.  Rows of windows each need an address, and registers hold ten.  A few rows are one
 * tile or two, as tall as possible, since each tile reads the right side once. */
static void
many_registers(const cg_dot_shape *s, int64_t lanes, int64_t *rows, int64_t *columns)
{
    const int64_t vectors = (s->n.total + lanes - 1) / lanes;

    *rows = CG_LOWER_MANY_TALL_ROWS;
    *columns = CG_LOWER_TILE_COLUMNS;
    if (s->small || s->m.total <= 2 * *rows)
        return;
    *rows = s->k.n > 1 ? CG_LOWER_MANY_WINDOW_ROWS : CG_LOWER_MANY_ROWS;
    for (int64_t c = 3; c <= 4; c++)
        if (round_up(vectors, c) <= round_up(vectors, *columns)) {
            *columns = c;
            *rows = CG_LOWER_MANY_CHAINS / c;
        }
}

/* For rows of windows of few elements: let a whole number of tiles make up an axis, in which
 * rows have one stride, since computing the address of each row would take as long as its
 * sum. */
static int64_t
even_rows(const cg_dot_shape *s, int64_t rows, int64_t sums)
{
    const int64_t size = s->m.n > 1 ? s->m.size[s->m.n - 1] : 1,
                  vectors = at_most((s->n.total + s->w - 1) / s->w, sums / rows);

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
    s->w = at_most(lanes, cg_pow2_from(s->n.total));
    if (s->m.total == 1)
        columns = t->registers >= 32 ? CG_LOWER_MANY_ROW_COLUMNS : CG_LOWER_FEW_ROW_COLUMNS;
    else if (s->m.total <= CG_LOWER_FLAT_ROWS)
        columns = CG_LOWER_FLAT_COLUMNS;
    s->nr = s->w * at_most(columns, (s->n.total + s->w - 1) / s->w);
    s->mr = s->m.total <= rows / 2 ? s->m.total : tile_rows(s->m.total, rows, s->small);
    if (s->mr > 1 && s->nr > 0)
        s->mr = even_rows(s, s->mr,
                          lanes == 1           ? CG_LOWER_SCALAR_SUMS
                          : t->registers >= 32 ? CG_LOWER_MANY_SUMS
                                               : CG_LOWER_FEW_SUMS);
}

static void
swap_sides(cg_dot_shape *s)
{
    cg_dot_group m = s->m;
    s->m = s->n;
    s->n = m;
    s->swap = true;
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
    int64_t work = s->m.total * s->n.total * s->k.total;
    if (s->w > 1 && innermost(&s->n, right_of(s, &s->n)) != 1)
        return work > CG_LOWER_MIN_PACKED;
    return s->m.total > 2 * s->mr &&
           (s->k.total * s->n.total * bytes > t->l1 / 2 || (s->k.n > 1 && !s->small));
}

/* Can one step multiply pairs of integers, exactly modulo 2^32?  Products of i8, u8 and i16
 * fit. */
static bool
wants_pairs(const cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    const cot_dtype stored[] = { d->lhs_type, d->rhs_type };
    for (int i = 0; i < 2; i++)
        if (stored[i] != COT_I8 && stored[i] != COT_U8 && stored[i] != COT_I16)
            return false;
    return d->type == COT_I32 && t->vector_bits >= 128 &&
           s->m.total >= CG_LOWER_MIN_PAIR_ROWS && s->n.total >= s->w &&
           s->w == t->vector_bits / 32 && s->k.total > 1 &&
           s->m.total * s->n.total * s->k.total > CG_LOWER_MIN_PAIRS;
}

/* Do rows have one stride, and contiguous k's?  Then w k's of w rows are one register
 * transpose. */
static bool
wants_transpose(const cg_dot_shape *s)
{
    return !s->pairs && s->w > 1 && s->m.n == 1 && s->k.n == 1 && left_of(s, &s->k)[0] == 1 &&
           s->steps % s->across == 0 && s->mr > at_most(s->w, 8) / 2;
}

/* May the k's of a tile be unrolled, each with an address of its own? */
bool
cg_dot_is_short(const cg_dot_shape *s)
{
    return s->k.n > 1 && s->k.total <= CG_LOWER_MAX_SHORT_STEPS &&
           s->k.total * s->mr * (s->nr / s->w) <= CG_LOWER_MAX_SHORT_FMAS;
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
    const bool few = s->n.total <= 2 * s->nr;

    if (s->pairs)
        return false;
    if (k->n <= 1)
        return few;
    if (cg_dot_is_short(s))
        return (s->swap ? d->rhs_type : d->lhs_type) == d->type;
    return (s->swap ? d->rhs_type : d->lhs_type) == d->type && innermost(k, k->lhs) == 1 &&
           (few ? run >= CG_LOWER_MIN_RUN
                : run >= CG_LOWER_MIN_SHARED_RUN &&
                      innermost(&s->m, left_of(s, &s->m)) <= at_most(run, KC));
}

/* Elements of the kept sums of a tile, and of all tiles. */
static int64_t
tile_size(const cg_dot_shape *s)
{
    return round_up(s->mr * s->nr, 16);
}

static int64_t
result_size(const cg_dot_shape *s)
{
    return round_up(s->m.total, s->mr) * round_up(s->n.total, s->nr);
}

/* The sizes of the packed panels and of the sums of a tile or of the result, and how much of
 * them each thread has to itself. */
static void
size_scratch(cg_dot_shape *s, int64_t kc)
{
    s->c_size = s->own          ? 0
                : s->steps > KC ? (s->whole ? s->mc : round_up(s->m.total, s->mr)) *
                                      round_up(s->n.total, s->nr)
                                : tile_size(s);
    s->b_size = s->whole ? round_up(s->steps, KC) * s->nc
                         : round_up(kc * (s->single ? s->nr : s->nc), 16);
    s->a_size =
        s->pack_left
            ? round_up((s->by_rows ? row_width(s) * s->mc : kc * (s->mc / s->mr * s->strip)),
                       16) +
                  16
            : 0;
    if (s->shares == 1)
        return;
    s->c_each = s->whole || s->steps <= KC ? s->c_size : 0;
    s->c_size *= s->c_each ? s->shares : 1;
    s->b_size *= s->single ? s->shares : 1;
    s->a_each = s->single ? 0 : s->a_size;
    s->a_size *= s->single ? 1 : s->shares;
}

static void
choose_blocks(cg_dot_shape *s, const cg_target *t, int threads, int64_t bytes, const cg_dot *d)
{
    int64_t kc = at_most(KC, s->steps), rows = t->l2 / CG_LOWER_L2_SHARE / (KC * bytes),
            columns = t->l3 / CG_LOWER_L3_SHARE / (KC * bytes);
    int64_t blocks;
    /* Copying rows is cheap, but if there are many panels it pays to read a strip as one
     * stream. */
    s->by_rows = !s->pairs && innermost(&s->k, left_of(s, &s->k)) == 1 &&
                 s->n.total <= CG_LOWER_FEW_PANELS * s->nr;
    s->across = at_most(s->w, cg_pow2_from(s->mr));
    s->transposed = !s->by_rows && wants_transpose(s);
    s->strip = s->transposed ? round_up(s->mr, s->across) : s->mr;
    rows = rows * s->mr / s->strip;
    rows = rows < s->mr ? s->mr : rows;
    columns = columns < CG_LOWER_MIN_BLOCK_PANELS * s->nr ? CG_LOWER_MIN_BLOCK_PANELS * s->nr
                                                          : columns;
    blocks = (s->m.total + rows - 1) / rows;
    s->single = blocks <= 1;
    if (!s->single)
        blocks = round_up(blocks, threads);
    s->mc = round_up((s->m.total + blocks - 1) / blocks, s->mr);
    s->nc = at_most(round_up(columns, s->nr), round_up(s->n.total, s->nr));
    s->pack_left = !reads_left(s, d);
    s->whole = s->steps > KC && s->nc >= s->n.total && s->m.total > s->mc &&
               round_up(s->steps, KC) * s->nc * bytes <= t->l2 / 2;
    s->own = d->sum != 0 && !s->swap;
    s->fits_l2 = s->m.total * s->n.total * bytes <= t->l2 / 2;
    s->transpose = at_most(s->w, s->small ? CG_LOWER_SMALL_TRANSPOSE : s->w);
    blocks = (s->m.total + s->mc - 1) / s->mc;
    if (threads > 1 &&
        2.0 * (double)s->m.total * (double)s->n.total * (double)kc > CG_LOWER_MIN_SHARED_BLOCK)
        s->shares = s->single ? at_most(CG_LOWER_SHARES_OF_THREAD * threads,
                                        (s->n.total + s->nr - 1) / s->nr)
                              : blocks;
    size_scratch(s, kc);
}

/* Does the right side come from memory, a row after another, for so few rows of the left that
 * packing it would cost more than it saves? */
static bool
wants_stream(const cg_dot_shape *s, const cg_dot *d, const cg_target *t, int threads)
{
    const int64_t bytes = (int64_t)cot_dtype_size(s->swap ? d->lhs_type : d->rhs_type);

    return (s->m.total > 1 || threads > 1) && s->n.n == 1 && s->k.n == 1 &&
           innermost(&s->n, right_of(s, &s->n)) == 1 &&
           s->k.total * s->n.total * bytes > t->l2 && s->n.total >= 2 * s->nr;
}

/* The tile is as wide as the registers allow, so that a row of it is several cache lines. */
static void
choose_stream(cg_dot_shape *s, const cg_target *t, int threads, const cg_dot *d)
{
    const int64_t sums = t->registers >= 32 ? CG_LOWER_MANY_SUMS : CG_LOWER_FEW_SUMS,
                  columns = at_most(sums / s->mr, CG_LOWER_MANY_ROW_COLUMNS),
                  panels = s->n.total / (s->w * columns);

    if (columns > s->nr / s->w && panels > 1)
        s->nr = s->w * columns;
    s->streams = true;
    s->own = d->sum != 0 && !s->swap;
    if (threads > 1 && s->b.total < threads &&
        2.0 * (double)s->m.total * (double)s->n.total * (double)s->k.total >
            CG_LOWER_MIN_SHARED_BLOCK)
        s->shares = at_most(CG_LOWER_SHARES_OF_THREAD * threads, s->n.total / s->nr);
    s->c_size = s->own          ? 0
                : s->steps > KC ? result_size(s)
                : d->expensive  ? s->shares * tile_size(s)
                                : 0;
    s->c_each = s->steps > KC ? 0 : tile_size(s);
}

int64_t
cg_dot_batch_share(const cg_dot_shape *s)
{
    return round_up((s->b.total + s->outer_shares - 1) / s->outer_shares, s->groups ? s->w : 1);
}

/* Threads share blocks of the batch. */
static cg_dot_shape
groups_shape(cg_dot_shape s, const cg_target *t, int threads, int64_t bytes)
{
    const double work =
        2.0 * (double)s.b.total * (double)s.m.total * (double)s.n.total * (double)s.k.total;
    if (threads > 1 && work > CG_LOWER_MIN_SHARED_ROWS && s.b.total > s.w)
        s.outer_shares = at_most(threads, (s.b.total + s.w - 1) / s.w);
    s.outer_batch = s.groups = true;
    cg_dot_size_groups(&s, t, bytes, cg_dot_batch_share(&s));
    return s;
}

/* Threads share elements of the batch, or rows that are not packed. */
static void
share_rows(cg_dot_shape *s, int threads)
{
    const double work =
        2.0 * (double)s->b.total * (double)s->m.total * (double)s->n.total * (double)s->k.total;

    if (threads <= 1 || work <= CG_LOWER_MIN_SHARED_ROWS)
        return;
    s->outer_batch = s->b.total >= threads;
    if (s->outer_batch || (!s->packed && s->m.total >= 2 * threads * s->mr))
        s->outer_shares = threads;
}

static cg_dot_shape
outer_shape(const cg_target *t, int threads, const cg_dot *d)
{
    cg_dot_shape s = { .b = join(&d->b),
                       .m = join(&d->m),
                       .n = join(&d->n),
                       .k = join(&d->k),
                       .outer_shares = 1,
                       .shares = 1 };
    int64_t bytes = (int64_t)cot_dtype_size(d->type), lanes = t->vector_bits / (8 * bytes);
    if (t->grid)
        return s;
    if (cg_dot_choose_groups(&s, t, bytes))
        return groups_shape(s, t, threads, bytes);
    s.by_lines = cg_dot_choose_lines(&s, d, t, bytes);
    if (s.by_lines) {
        share_rows(&s, threads);
        return s;
    }
    if (wants_swap(&s, lanes))
        swap_sides(&s);
    s.small = (double)s.b.total * (double)s.m.total * (double)s.n.total * (double)s.k.total <=
              CG_LOWER_MAX_SMALL_PRODUCT;
    choose_tile(&s, t, bytes);
    s.pairs = wants_pairs(&s, d, t);
    s.steps = s.pairs ? (s.k.total + 1) / 2 : s.k.total;
    s.left_k = joined_left(&s);
    s.packed = s.pairs || wants_packing(&s, t, bytes);
    if (s.packed)
        choose_blocks(&s, t, s.b.total < threads ? threads : 1, bytes, d);
    else if (wants_stream(&s, d, t, threads))
        choose_stream(&s, t, threads, d);
    else if (d->expensive)
        s.c_size = tile_size(&s);
    share_rows(&s, threads);
    return s;
}

/* The inner form has free axes on one side at most; they become the rows. */
static void
orient_inner(cg_dot_shape *s, int threads)
{
    if (s->m.total == 1) {
        cg_dot_group m = s->m;
        s->m = s->n;
        s->n = m;
        s->swap = !s->swap;
    }
    s->groups = s->by_lines = false;
    s->mr = 1;
    s->c_size = s->b_size = s->a_size = 0;
    s->outer_batch = s->b.total >= threads;
    s->outer_shares =
        threads > 1 &&
                2.0 * (double)s->b.total * (double)s->m.total * (double)s->k.total >
                    CG_LOWER_MIN_SHARED_ROWS &&
                (s->outer_batch || s->m.total >= 2 * threads)
            ? threads
            : 1;
}

cg_dot_shape
cg_dot_shape_of(const cg_target *t, int threads, const cg_dot *d, bool inner)
{
    cg_dot_shape s = outer_shape(t, threads, d);
    if (inner)
        orient_inner(&s, threads);
    return s;
}

int64_t
cg_dot_scratch(const cg_target *t, int threads, const cg_dot *d, bool inner)
{
    cg_dot_shape s = cg_dot_shape_of(t, threads, d, inner);
    return s.outer_shares * (s.c_size + s.b_size + s.a_size);
}
