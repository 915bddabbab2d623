/* Which schedules fit a contraction and its target (dot_schedule.h).
 *
 * A schedule fits if its nest computes every element by the contract's chain: sizes divide what
 * loops assume that they divide, packing has the strides that it reads, and what is unrolled is
 * not longer than a kernel may be.  What only costs, such as more sums than registers, fits. */
#include "codegen/kernel/grid.h"
#include "codegen/lower/dot_inside.h"

enum { MOST_SUMS = 256, MOST_UNROLLED = 4096, SHARED_ALIGN = 64 };

typedef struct fit {
    const cg_dot_shape *s;
    const cg_dot_schedule *h;
    const cg_dot *d;
    const cg_target *t;
    int threads;
    bool inner;
} fit;

static bool
is_power(int64_t x)
{
    return x > 0 && (x & (x - 1)) == 0;
}

static bool
is_one_of(int64_t x, unsigned bits)
{
    return bits >> x & 1;
}
#define BIT(x) (1u << (x))

/* Rows may be longer than a tile, but a tile's sums are all copies of one loop. */
static const char *
tile_wrong(int64_t sums)
{
    return sums > MOST_SUMS ? "the tile has more than 256 vectors of sums" : NULL;
}

/* An iteration ends where a run does, and where a block of 256 k's does. */
static const char *
unroll_wrong(const fit *x, int64_t run, int64_t sums)
{
    const int64_t n = x->h->unroll, k = x->s->k.total;

    if (n == CG_DOT_ALL && k > KC)
        return "unroll=all wants at most 256 k's";
    if (n != CG_DOT_ALL && (n < 1 || run % n || (x->s->steps > KC && KC % n)))
        return "unroll wants to divide the k's of a stride, and of a block";
    return (n == CG_DOT_ALL ? k : n) * sums > MOST_UNROLLED
               ? "unroll would write out more than 4096 products"
               : NULL;
}

/* The k's of the innermost axis. */
static int64_t
inner_run(const cg_dot_group *k)
{
    return k->n ? k->size[k->n - 1] : 1;
}

static const char *
place_wrong(const fit *x)
{
    const cg_dot_schedule *h = x->h;

    if (h->left != CG_DOT_IN_PLACE || h->ways || h->turn || h->m_block || h->n_block)
        return "left, ways, turn, m_block and n_block are of right=panels";
    if (h->unroll != 1)
        return "unroll wants 1 where right=place";
    if (h->prefetch && !h->stream)
        return "prefetch wants stream=1 where right=place";
    if (h->stream && x->s->n.total < x->s->nr)
        return "stream=1 wants a whole tile of columns";
    return is_one_of(h->share, BIT(CG_DOT_SHARE_NONE) | BIT(CG_DOT_SHARE_BATCH) |
                                   BIT(h->stream ? CG_DOT_SHARE_COLUMNS : CG_DOT_SHARE_ROWS))
               ? NULL
               : "threads share the batch, and rows, or columns with stream=1";
}

static const char *
left_wrong(const fit *x)
{
    const cg_dot_shape *s = x->s;

    if (x->h->ways && (!cg_dot_takes_ways(x->d, x->h->ways) || x->h->left != CG_DOT_STRIPS))
        return "ways=2 wants left=strips and i8, u8 or i16 as i32, ways=4 i8 and i8 or u8";
    if (x->h->left == CG_DOT_COPIED && innermost(&s->left_k, s->left_k.lhs) != 1)
        return "left=copied wants k's that are contiguous on the left";
    if (x->h->left == CG_DOT_TURNED &&
        (s->m.n != 1 || s->k.n != 1 || left_of(s, &s->k)[0] != 1 || lanes_across(s) < 2 ||
         s->steps % lanes_across(s) != 0))
        return "left=turned wants rows of one stride and whole vectors of contiguous k's";
    return NULL;
}

static const char *
packed_wrong(const fit *x)
{
    const cg_dot_shape *s = x->s;
    const cg_dot_schedule *h = x->h;
    const bool single = is_single(s);
    const char *wrong = left_wrong(x);

    if (h->unroll == CG_DOT_ALL && h->left != CG_DOT_IN_PLACE)
        return "unroll=all wants left=place";
    if (wrong || (wrong = unroll_wrong(x, k_run(s), h->rows * h->vectors)))
        return wrong;
    if (h->stream || s->k.total == 0)
        return h->stream ? "stream wants right=place" : "right=panels wants k's";
    if (h->m_block < 1 || h->m_block % h->rows || h->m_block > round_up(s->m.total, h->rows))
        return "m_block wants a multiple of rows, at most all of them";
    if (h->n_block < 1 || h->n_block % s->nr || h->n_block > round_up(s->n.total, s->nr))
        return "n_block wants a multiple of a tile's columns, at most all of them";
    if (h->turn && (h->turn < 2 || !is_power(h->turn) || h->turn > h->width ||
                    !cg_dot_may_turn(s, h->turn)))
        return "turn wants a power of two up to width, and columns that are contiguous";
    if (h->right == CG_DOT_ONCE && (s->steps <= KC || single || h->n_block < s->n.total))
        return "right=once wants more than 256 k's, several blocks of rows, one of columns";
    if (!is_one_of(h->share, BIT(CG_DOT_SHARE_NONE) | BIT(CG_DOT_SHARE_BATCH) |
                                 BIT(single ? CG_DOT_SHARE_COLUMNS : CG_DOT_SHARE_BLOCKS)))
        return "threads share the batch, and columns of one m_block, or blocks of several";
    return h->share == CG_DOT_SHARE_BLOCKS &&
                   h->shares != (s->m.total + h->m_block - 1) / h->m_block
               ? "shares wants the number of blocks of rows"
               : NULL;
}

static const char *
lines_wrong(const fit *x)
{
    const cg_dot_shape *s = x->s;
    const cg_dot_schedule *h = x->h;
    const int last = s->m.n - 1;
    const int64_t sums = h->rows * h->results * h->vectors;

    if (last < 0 || s->k.n < 1 || s->k.total == 0 || !ir_is_float(x->d->type) ||
        x->d->lhs_type != x->d->type || x->d->rhs_type != x->d->type)
        return "lanes=lines wants axes of rows and k, and floats that are not converted";
    if ((last > 0 ? s->m.size[last - 1] : 1) % h->rows)
        return "rows wants to divide the lines of an axis";
    if (h->results > s->n.total || (h->vectors - 1) * h->width >= s->m.size[last])
        return "the tile is larger than a line, or has more results than there are";
    if (!is_one_of(h->share,
                   BIT(CG_DOT_SHARE_NONE) | BIT(CG_DOT_SHARE_BATCH) | BIT(CG_DOT_SHARE_ROWS)))
        return "threads share the batch or rows where lanes=lines";
    const char *wrong = tile_wrong(sums);
    return wrong ? wrong : unroll_wrong(x, inner_run(&s->k), sums);
}

static const char *
batch_wrong(const fit *x)
{
    const cg_dot_shape *s = x->s;
    const cg_dot_schedule *h = x->h;

    if (s->b.n != 1 || s->k.total == 0)
        return "lanes=batch wants one axis of the batch, and k's";
    if (h->run != s->m.total && (s->m.n < 2 || h->run != s->m.size[s->m.n - 1]))
        return "run wants all rows, or those of their last axis";
    if (h->rows > h->run)
        return "rows are more than run";
    if (h->right == CG_DOT_ONCE && s->k.total > KC)
        return "right=once wants at most 256 k's where lanes=batch";
    if (!is_one_of(h->share, BIT(CG_DOT_SHARE_NONE) | BIT(CG_DOT_SHARE_BATCH)))
        return "threads share the batch where lanes=batch";
    const char *wrong = tile_wrong(h->rows * s->n.total);
    return wrong ? wrong : unroll_wrong(x, inner_run(&s->k), h->rows * s->n.total);
}

static const char *
sum_wrong(const fit *x)
{
    if (x->h->width != 1 && (x->h->width != CG_DOT_SUM_LANES || x->t->vector_bits <= 32))
        return "width wants 1 or 32 where lanes=sum";
    return is_one_of(x->h->share,
                     BIT(CG_DOT_SHARE_NONE) | BIT(CG_DOT_SHARE_BATCH) | BIT(CG_DOT_SHARE_ROWS))
               ? NULL
               : "threads share the batch or rows where lanes=sum";
}

static const char *
tiles_wrong(const fit *x)
{
    int64_t n[2];

    cg_dot_tiles(x->s, n);
    if (x->h->width != CG_LOWER_GRID_VECTOR || x->h->rows % CG_LOWER_GRID_VECTOR)
        return "lanes=tiles wants width=4 and a multiple of four rows";
    return (n[0] + n[1]) * (int64_t)cot_dtype_size(x->d->type) > CG_MAX_SHARED
               ? "the tile does not fit shared memory"
           : x->s->k.total == 0 ? "lanes=tiles wants k's"
                                : tile_wrong(x->h->rows * x->h->vectors);
}

static const char *
tensor_wrong(const fit *x)
{
    const cg_dot_schedule *h = x->h;
    const int64_t threads = h->m_block / h->rows * (h->n_block / h->rows) * CG_WARP;

    if (!cg_dot_may_be_tensor(x->d, x->t) || x->s->k.total == 0)
        return "lanes=tensor wants a fast target, f32, f16 or bf16, and k's";
    if ((h->rows != 32 && h->rows != 64) || h->m_block % h->rows || h->n_block % h->rows ||
        !is_power(h->m_block) || !is_power(h->n_block) || h->m_block < SHARED_ALIGN ||
        h->n_block < SHARED_ALIGN || h->m_block > 256 || h->n_block > 256)
        return "lanes=tensor wants rows=32 or 64, and blocks of 64 to 256, powers of two";
    if (threads > 1024 || 4 * h->m_block % threads || 4 * h->n_block % threads)
        return "a block of threads does not fill its tile in whole rounds";
    return h->stages * 64 * (h->m_block + h->n_block) > CG_MAX_DYNAMIC
               ? "the stages do not fit shared memory"
               : NULL;
}

/* The kind of lanes, the width, and how many shares there are. */
static const char *
common_wrong(const fit *x)
{
    const cg_dot_shape *s = x->s;
    const cg_dot_schedule *h = x->h;
    const int64_t lanes = x->t->vector_bits / (8 * (int64_t)cot_dtype_size(x->d->type));
    const unsigned inner = BIT(CG_DOT_SUM) | BIT(CG_DOT_WARPS) | BIT(CG_DOT_BLOCKS);
    const bool vectors = h->lanes <= CG_DOT_BATCH, by_batch = h->share == CG_DOT_SHARE_BATCH;

    if (x->t->grid != (h->lanes >= CG_DOT_THREADS) ||
        (h->lanes != CG_DOT_THREADS && x->inner != is_one_of(h->lanes, inner)))
        return "these lanes are not of this form of a product and this target";
    if (x->inner ? s->n.total != 1 : h->swap && h->lanes != CG_DOT_COLUMNS)
        return "swap wants the free axes of the inner form as rows";
    if (vectors && (!is_power(h->width) || h->width > (lanes < 1 ? 1 : lanes) ||
                    (h->lanes != CG_DOT_COLUMNS && h->width < 2)))
        return "width wants a power of two, at most the lanes of a vector of the target";
    if (h->shares && x->threads <= 1)
        return "share wants several threads";
    return h->shares > (by_batch                           ? s->b.total
                        : h->share == CG_DOT_SHARE_COLUMNS ? s->n.total
                                                           : s->m.total)
               ? "there are more shares than iterations"
               : NULL;
}

static const char *
kind_wrong(const fit *x)
{
    const char *wrong;

    switch (x->h->lanes) {
    case CG_DOT_COLUMNS:
        wrong = tile_wrong(x->h->rows * x->h->vectors);
        return wrong ? wrong : is_packed(x->s) ? packed_wrong(x) : place_wrong(x);
    case CG_DOT_LINES: return lines_wrong(x);
    case CG_DOT_BATCH: return batch_wrong(x);
    case CG_DOT_SUM: return sum_wrong(x);
    case CG_DOT_TILES: return tiles_wrong(x);
    case CG_DOT_TENSOR: return tensor_wrong(x);
    default: return NULL;
    }
}

void
cg_dot_given(cg_lowering *l, const cg_dot *d, bool inner, ir_loc loc, cg_dot_schedule *how)
{
    cg_dot_shape s = cg_dot_shape_of(d);
    cg_dot_schedule given;
    const char *wrong;
    size_t n;

    if (!l->o->schedules)
        return;
    IR_PUSH(l->arena, l->scheduled, l->n_scheduled, l->cap_scheduled, l->k->name);
    const char *text = cg_dot_schedule_for(l->o->schedules, l->k->name, &n);
    if (!text)
        return;
    wrong = cg_dot_schedule_parse(l->arena, text, n, &given);
    if (!wrong) {
        const fit x = { &s, &given, d, &l->target, l->o->threads, inner };
        cg_dot_schedule_by(&s, d, &given);
        wrong = common_wrong(&x);
        wrong = wrong ? wrong : kind_wrong(&x);
    }
    if (!wrong)
        *how = given;
    else
        cg_lower_fail(l, loc, "schedule", ir_format(l->arena, "%s: %s", l->k->name, wrong));
}
