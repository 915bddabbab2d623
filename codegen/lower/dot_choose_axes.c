/* Schedules of contractions (dot_choose.c) whose lanes run along the batch or along lines of
 * the left side, and of those for a GPU. */
#include "codegen/kernel/grid.h"
#include "codegen/lower/dot_inside.h"
#include "codegen/tuning.h"

/* The number of rows of a tile that wastes fewest; among equally good ones, the largest. */
static int64_t
rows_of(int64_t n, int64_t most)
{
    int64_t best = n < most ? n : most, least = INT64_MAX;
    for (int64_t rows = best; rows >= 1 && rows > most / 2; rows--) {
        const int64_t over = round_up(n, rows) - n;
        if (over < least) {
            least = over;
            best = rows;
        }
    }
    return best > 0 ? best : 1;
}

bool
cg_dot_choose_batch(cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    const int64_t lanes = t->vector_bits / (8 * (int64_t)cot_dtype_size(d->type)),
                  n = s->n.total > 0 ? s->n.total : 1, k = s->k.total,
                  most = (t->registers >= 32 ? CG_LOWER_MANY_CHAINS : CG_LOWER_FEW_CHAINS) / n;
    const int last = s->m.n - 1;

    if (lanes < 2 || s->b.n != 1 || s->b.total < lanes || s->b.lhs[0] != 1 ||
        s->n.total >= lanes || k == 0)
        return false;
    s->how.lanes = CG_DOT_BATCH;
    s->how.width = lanes;
    s->how.run = last > 0 && s->m.total > most ? s->m.size[last] : s->m.total;
    if (s->how.run < most / 2)
        s->how.run = s->m.total;
    s->how.rows = rows_of(s->how.run, most > 0 ? most : 1);
    s->how.unroll =
        k <= CG_LOWER_MAX_BATCH_STEPS && k * s->how.rows * s->n.total <= CG_LOWER_MAX_BATCH_FMAS
            ? CG_DOT_ALL
            : 1;
    /* in place, an element that is far from that of the next lane is loaded alone */
    const int64_t apart =
        s->b.rhs[0] == 1 ? 0 : n * (s->how.unroll == CG_DOT_ALL ? k : 1) * lanes;
    s->how.right = s->m.total > 4 * s->how.rows || apart > CG_LOWER_MAX_LOADS_APART
                       ? CG_DOT_PANELS
                       : CG_DOT_IN_PLACE;
    return true;
}

void
cg_dot_choose_once(cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    const int64_t batch =
                      s->how.share == CG_DOT_SHARE_BATCH ? cg_dot_share_size(s) : s->b.total,
                  packed = round_up(batch, s->how.width) * s->k.total * s->n.total;

    if (s->how.right == CG_DOT_PANELS && s->k.total <= KC &&
        packed * (int64_t)cot_dtype_size(d->type) <= t->l2 / 2)
        s->how.right = CG_DOT_ONCE;
}

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
choose_line_tile(cg_dot_shape *s, int64_t run, int64_t sums)
{
    const int64_t vectors = (run + s->how.width - 1) / s->how.width,
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
            s->how.vectors = v;
            s->how.results = f;
            s->how.rows = h;
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

/* A run of k's along the innermost axis is unrolled if it is short and whole. */
static int64_t
line_unroll(const cg_dot_shape *s)
{
    const int64_t size = s->k.size[s->k.n - 1];
    const int64_t sums = s->how.rows * s->how.results * s->how.vectors;

    return s->k.total <= KC && s->m.lhs[s->m.n - 1] == 1 && size <= CG_LOWER_DIRECT_RUN &&
                   size * sums <= CG_LOWER_MAX_DIRECT_FMAS
               ? size
               : 1;
}

bool
cg_dot_choose_lines(cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    const int64_t lanes = t->vector_bits / (8 * (int64_t)cot_dtype_size(d->type));
    const int last = s->m.n - 1;

    if (lanes < 4 || last < 0 || s->k.n < 1 || (s->k.n < 2 && s->m.n < 2) ||
        !ir_is_float(d->type) || d->lhs_type != d->type || d->rhs_type != d->type ||
        !along_lines(s, lanes))
        return false;
    const int64_t run = s->m.size[last];
    if (100 * run < CG_LOWER_MIN_LINE_USE * round_up(run, lanes) ||
        s->m.total * s->n.total * s->k.total < CG_LOWER_MIN_DIRECT_WORK)
        return false;
    s->how.lanes = CG_DOT_LINES;
    s->how.width = lanes;
    choose_line_tile(s, run,
                     (t->registers >= 32 ? CG_LOWER_MANY_CHAINS : CG_LOWER_FEW_CHAINS) * 2 /
                         (s->m.lhs[last] > 1 ? 3 : 2));
    s->how.unroll = line_unroll(s);
    return true;
}

/* A large tile loads fewer bytes for each product.  It is used if there are enough of them for
 * all multiprocessors, and less than a fifth of their elements is unused. */
static int64_t
tile_of_thread(const cg_dot_shape *s, cot_dtype type, const cg_target *t)
{
    const int64_t size = CG_LOWER_GRID_LARGE_TILE * CG_LOWER_GRID_SIDE, m = s->m.total,
                  n = s->n.total, tiles = ((m + size - 1) / size) * ((n + size - 1) / size);
    const bool full = m * n * 100 > tiles * size * size * CG_LOWER_GRID_TILE_USE;

    return type == COT_F32 && full && s->b.total * tiles >= t->processors
               ? CG_LOWER_GRID_LARGE_TILE
               : CG_LOWER_GRID_SMALL_TILE;
}

static void
choose_tiles(cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    s->how.lanes = CG_DOT_TILES;
    s->how.rows = tile_of_thread(s, d->type, t);
    s->how.width = CG_LOWER_GRID_VECTOR;
    s->how.vectors = s->how.rows / CG_LOWER_GRID_VECTOR;
}

/* The block of tensor cores' threads: rows and columns of its tile, rows and columns of a
 * warp's part, stages, and how many such tiles keep two multiprocessors busy. */
typedef struct tensor_block {
    int64_t rows, columns, part, stages, fill;
} tensor_block;

static void
choose_tensor(cg_dot_shape *s, const cg_dot *d, const cg_target *t)
{
    static const tensor_block blocks[] = {
        { CG_LOWER_TENSOR_WIDE_ROWS, CG_LOWER_TENSOR_WIDE_COLUMNS, CG_LOWER_TENSOR_PART,
          CG_LOWER_TENSOR_WIDE_STAGES, CG_LOWER_TENSOR_WIDE_FILL },
        { CG_LOWER_TENSOR_TILE, CG_LOWER_TENSOR_TILE, CG_LOWER_TENSOR_PART,
          CG_LOWER_TENSOR_STAGES, CG_LOWER_TENSOR_FILL },
        { CG_LOWER_TENSOR_NARROW_TILE, CG_LOWER_TENSOR_NARROW_TILE, CG_LOWER_TENSOR_NARROW_PART,
          CG_LOWER_TENSOR_STAGES, 0 },
    };
    const tensor_block *last = blocks + sizeof blocks / sizeof *blocks - 1,
                       *x = d->expensive ? last : blocks;

    while (x < last && (s->m.total < x->rows || s->n.total < x->columns ||
                        2 * s->b.total * ((s->m.total + x->rows - 1) / x->rows) *
                                ((s->n.total + x->columns - 1) / x->columns) <
                            x->fill * t->processors))
        x++;
    s->how = (cg_dot_schedule){ .lanes = CG_DOT_TENSOR,
                                .rows = x->part,
                                .m_block = x->rows,
                                .n_block = x->columns,
                                .stages = x->stages };
}

void
cg_dot_choose_grid(cg_dot_shape *s, const cg_dot *d, const cg_target *t, bool inner)
{
    const int64_t m = s->m.total, n = s->n.total, k = s->k.total;

    if (inner && m == 1)
        cg_dot_swap(s);
    if (!inner && cg_dot_may_be_tensor(d, t) && m >= CG_LOWER_MIN_TENSOR_SIDE &&
        n >= CG_LOWER_MIN_TENSOR_SIDE && k >= CG_LOWER_MIN_TENSOR_K)
        choose_tensor(s, d, t);
    else if (!inner && m >= CG_LOWER_MIN_GRID_TILE && n >= CG_LOWER_MIN_GRID_TILE &&
             k >= CG_LOWER_GRID_K)
        choose_tiles(s, d, t);
    else if (!inner || k < CG_WARP)
        s->how.lanes = CG_DOT_THREADS;
    else
        s->how.lanes =
            s->b.total * s->m.total < CG_LOWER_MAX_BLOCK_ROWS && k > CG_LOWER_MIN_BLOCK_ROW
                ? CG_DOT_BLOCKS
                : CG_DOT_WARPS;
}
