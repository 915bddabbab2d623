/* The shape of a contraction, and what follows from it and its schedule (dot_schedule.h): the
 * sides, the merged axes of k, and how much scratch memory holds packed operands and sums. */
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
    cg_dot_group g = { .total = k->total, .open = k->open };

    for (int i = 0; i < k->n; i++) {
        const int last = g.n - 1;
        const bool joins = last >= 0 && g.lhs[last] == stride[i] * k->size[i];

        g.size[joins ? last : g.n] = joins ? g.size[last] * k->size[i] : k->size[i];
        g.lhs[joins ? last : g.n] = g.rhs[joins ? last : g.n] = stride[i];
        g.n += !joins;
    }
    return g;
}

cg_dot_shape
cg_dot_shape_of(const cg_dot *d)
{
    return (
        cg_dot_shape){ .b = join(&d->b), .m = join(&d->m), .n = join(&d->n), .k = join(&d->k) };
}

void
cg_dot_swap(cg_dot_shape *s)
{
    const cg_dot_group m = s->m;

    s->m = s->n;
    s->n = m;
    s->how.swap = !s->how.swap;
}

bool
cg_dot_may_turn(const cg_dot_shape *s, int64_t side)
{
    return !s->how.ways && s->how.width > 1 && innermost(&s->n, right_of(s, &s->n)) != 1 &&
           innermost(&s->k, right_of(s, &s->k)) == 1 && s->steps >= side;
}

/* Two halves are signed; of four bytes those of one side are unsigned, and signed ones become
 * so where no side is. */
bool
cg_dot_takes_ways(const cg_dot *d, int64_t ways)
{
    const cot_dtype stored[] = { d->lhs_type, d->rhs_type };

    for (int i = 0; i < 2; i++)
        if (stored[i] != COT_I8 && stored[i] != COT_U8 && (stored[i] != COT_I16 || ways == 4))
            return false;
    return d->type == COT_I32 &&
           (ways == 2 || (ways == 4 && (stored[0] == COT_I8 || stored[1] == COT_I8)));
}

bool
cg_dot_is_own(const cg_dot_shape *s, const cg_dot *d)
{
    return d->sum != 0 && !s->how.swap;
}

bool
cg_dot_keeps_tile(const cg_dot_shape *s, const cg_dot *d)
{
    const cg_dot_schedule *h = &s->how;
    const int64_t stores = h->rows * h->vectors * h->width;

    if (h->lanes == CG_DOT_BATCH && h->rows * s->nr > CG_LOWER_MAX_BATCH_STORES)
        return true;
    return d->expensive ||
           (h->swap && h->lanes == CG_DOT_COLUMNS && h->rows > 1 &&
            stores > (s->k.total < CG_LOWER_MIN_KEPT_STEPS ? CG_LOWER_MAX_SHORT_STORES
                                                           : CG_LOWER_MAX_STORES));
}

int64_t
cg_dot_share_size(const cg_dot_shape *s)
{
    const bool batch = s->how.share == CG_DOT_SHARE_BATCH;
    const int64_t all = batch ? s->b.total : s->m.total, unit = !batch ? tile_rows(s)
                                                                : s->how.lanes == CG_DOT_BATCH
                                                                    ? s->how.width
                                                                    : 1;

    return round_up((all + s->how.shares - 1) / s->how.shares, unit);
}

/* Elements of the kept sums of a tile, and of all tiles. */
static int64_t
tile_size(const cg_dot_shape *s)
{
    return round_up(s->how.rows * s->nr, 16);
}

static int64_t
result_size(const cg_dot_shape *s)
{
    return round_up(s->m.total, s->how.rows) * round_up(s->n.total, s->nr);
}

/* The sizes of the packed panels and of the sums of a tile or of the result, and how much of
 * them each thread has to itself. */
static void
size_packed(cg_dot_shape *s)
{
    const cg_dot_schedule *h = &s->how;
    const bool once = h->right == CG_DOT_ONCE, single = is_single(s);
    const int64_t kc = at_most(KC, s->steps), rows = panel_rows(s);

    s->c_size = s->own           ? 0
                : s->steps <= KC ? tile_size(s)
                : once           ? h->m_block * round_up(s->n.total, s->nr)
                                 : result_size(s);
    s->b_size = once ? round_up(s->steps, KC) / KC * rows * h->n_block
                     : round_up(rows * (single ? s->nr : h->n_block), 16);
    if (h->left != CG_DOT_IN_PLACE)
        s->a_size =
            round_up(h->left == CG_DOT_COPIED ? row_width(s) * h->m_block
                                              : kc * (h->m_block / h->rows * strip_rows(s)),
                     16) +
            16;
    if (h->share < CG_DOT_SHARE_COLUMNS)
        return;
    s->c_each = once || s->steps <= KC ? s->c_size : 0;
    s->c_size *= s->c_each ? h->shares : 1;
    s->b_size *= single ? h->shares : 1;
    s->a_each = single ? 0 : s->a_size;
    s->a_size *= single ? 1 : h->shares;
}

/* In place, sums are kept where the right side is streamed in several blocks of k, and where
 * the code that stores them is long. */
static void
size_in_place(cg_dot_shape *s, const cg_dot *d)
{
    const bool kept = s->how.stream && s->steps > KC;

    if (s->how.stream && s->own)
        return;
    s->c_each = kept || !s->how.stream ? 0 : tile_size(s);
    s->c_size = kept                                   ? result_size(s)
                : !cg_dot_keeps_tile(s, d)             ? 0
                : s->how.share == CG_DOT_SHARE_COLUMNS ? s->how.shares * tile_size(s)
                                                       : tile_size(s);
}

/* If there are several blocks of k, the sums of all rows are kept. */
static void
size_batch(cg_dot_shape *s)
{
    const int64_t batch =
        s->how.share == CG_DOT_SHARE_BATCH ? cg_dot_share_size(s) : s->b.total;
    const int64_t block = at_most(KC, s->k.total) * s->nr,
                  blocks = (batch + s->how.width - 1) / s->how.width;

    s->b_size = s->how.right == CG_DOT_IN_PLACE ? 0
                : s->how.right == CG_DOT_ONCE   ? blocks * block
                                                : block;
    s->c_size =
        round_up(s->k.total > KC ? blocks * s->m.total * s->nr : s->how.rows * s->nr, 16);
}

void
cg_dot_settle(cg_dot_shape *s, const cg_dot *d)
{
    const cg_dot_schedule *h = &s->how;

    s->steps = h->ways ? (s->k.total + h->ways - 1) / h->ways : s->k.total;
    s->offset = h->ways == 4 && d->lhs_type == COT_I8 && d->rhs_type == COT_I8;
    s->nr = tile_columns(s);
    s->left_k = joined_left(s);
    s->own = (is_packed(s) || h->stream) && cg_dot_is_own(s, d);
    s->c_size = s->b_size = s->a_size = s->c_each = s->a_each = 0;
    if (is_packed(s))
        size_packed(s);
    else if (h->lanes == CG_DOT_COLUMNS)
        size_in_place(s, d);
    else if (h->lanes == CG_DOT_BATCH)
        size_batch(s);
    else if (h->lanes == CG_DOT_LINES && (s->k.total > KC || d->expensive))
        s->c_size = round_up(h->rows * h->results * s->nr, 16);
}

void
cg_dot_schedule_by(cg_dot_shape *s, const cg_dot *d, const cg_dot_schedule *how)
{
    if (how->swap != s->how.swap)
        cg_dot_swap(s);
    s->how = *how;
    cg_dot_settle(s, d);
}

int64_t
cg_dot_scratch(const cg_dot_shape *s)
{
    const bool outer = s->how.share == CG_DOT_SHARE_BATCH || s->how.share == CG_DOT_SHARE_ROWS;

    return (outer ? s->how.shares : 1) * (s->c_size + s->b_size + s->a_size);
}

void
cg_dot_set_batch(cg_dot_product *p, cg_val batch)
{
    cg_build *b = p->b;
    const cg_dot_shape *s = &p->s;
    cg_val lhs = p->d->lhs_offset ? p->d->lhs_offset : cg_i64(b, 0);
    cg_val rhs = p->d->rhs_offset ? p->d->rhs_offset : cg_i64(b, 0);

    p->batch = batch;
    p->left = cg_iadd(b, lhs, offset(b, &s->b, s->b.lhs, batch));
    p->right = cg_iadd(b, rhs, offset(b, &s->b, s->b.rhs, batch));
    if (s->how.swap) {
        cg_val left = p->left;
        p->left = p->right;
        p->right = left;
    }
}
