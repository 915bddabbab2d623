/* Schedules of products that are drawn (sizes.c): the one that would be chosen, with some
 * fields changed, or another kind of lanes with fields of its own.  Many do not fit; those that
 * the lowering takes must give the evaluator's bits. */
#include <string.h>

#include "codegen/lower/dot_schedule.h"
#include "tests/laws/sizes_inside.h"

static uint64_t
draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (*seed >> 33) % below;
}

static int64_t
power(uint64_t *seed, uint64_t below)
{
    return (int64_t)1 << draw(seed, below);
}

/* The schedule that is chosen; false: the program has no product with one on a CPU. */
static bool
chosen(const item *x, const cot_compile_options *o, cg_dot_schedule *how)
{
    static const char name[] = "dot: schedule ";
    rt_plan p;
    ir_buf b;

    ir_buf_init(&b, &sizes.ctx->arena);
    if (rt_plan_new(sizes.ctx, o, x->f->name, &p) != COT_OK ||
        rt_stage(x->f, &p, "plan", &b) != COT_OK)
        return false;
    const char *at = strstr(b.text, name);
    if (!at)
        return false;
    at += sizeof name - 1;
    return !cg_dot_schedule_parse(&sizes.ctx->arena, at, strcspn(at, "\n"), how);
}

static void
draw_tile(cg_dot_schedule *h, uint64_t *seed)
{
    h->rows = 1 + (int64_t)draw(seed, 14);
    if (h->lanes != CG_DOT_BATCH)
        h->vectors = 1 + (int64_t)draw(seed, 5);
    if (h->lanes == CG_DOT_LINES)
        h->results = 1 + (int64_t)draw(seed, 5);
}

/* Blocks of some tiles, sides in some form. */
static void
draw_packing(cg_dot_schedule *h, uint64_t *seed)
{
    static const int64_t left[] = { CG_DOT_IN_PLACE, CG_DOT_STRIPS, CG_DOT_TURNED,
                                    CG_DOT_COPIED };

    h->stream = 0;
    h->right = draw(seed, 4) ? CG_DOT_PANELS : CG_DOT_ONCE;
    h->left = left[draw(seed, 4)];
    h->ways = 2 * (int64_t)draw(seed, 3);
    h->turn = draw(seed, 2) ? power(seed, 5) : 0;
    h->m_block = h->rows * power(seed, 6);
    h->n_block = h->width * h->vectors * power(seed, 6);
    h->prefetch = (int64_t)draw(seed, 2);
}

static void
draw_place(cg_dot_schedule *h, uint64_t *seed)
{
    h->left = h->right = h->ways = h->turn = h->m_block = h->n_block = 0;
    h->unroll = 1;
    h->stream = (int64_t)draw(seed, 2);
    h->prefetch = h->stream && draw(seed, 2);
}

static void
draw_share(cg_dot_schedule *h, int threads, uint64_t *seed)
{
    h->share = threads > 1 ? (int64_t)draw(seed, CG_DOT_SHARE_BLOCKS + 1) : 0;
    h->shares = h->share ? 2 + (int64_t)draw(seed, 6) : 0;
}

static void
draw_lanes(cg_dot_schedule *h, uint64_t *seed)
{
    const int64_t width = h->width, run = h->run;
    const uint64_t kind = draw(seed, 6);

    *h = (cg_dot_schedule){ .width = width, .unroll = draw(seed, 2) ? 1 : CG_DOT_ALL };
    h->lanes = kind < 4 ? CG_DOT_COLUMNS : kind == 4 ? CG_DOT_LINES : CG_DOT_BATCH;
    draw_tile(h, seed);
    if (h->lanes == CG_DOT_BATCH) {
        h->run = run ? run : 1 + (int64_t)draw(seed, 20);
        h->right = (int64_t)draw(seed, 3);
    }
    if (h->lanes == CG_DOT_COLUMNS)
        h->swap = draw(seed, 3) == 0;
}

static void
change(cg_dot_schedule *h, int threads, uint64_t *seed)
{
    const uint64_t kind = draw(seed, h->lanes == CG_DOT_COLUMNS ? 7 : 4);

    if (kind == 0)
        h->width = power(seed, 5);
    else if (kind == 1)
        h->unroll = draw(seed, 3) ? power(seed, 4) : CG_DOT_ALL;
    else if (kind == 2)
        draw_share(h, threads, seed);
    else if (kind == 3)
        draw_tile(h, seed);
    else if (kind == 4)
        draw_place(h, seed);
    else
        draw_packing(h, seed);
}

const char *
sizes_schedule(const item *x, const cot_compile_options *o, uint64_t *seed)
{
    cg_dot_schedule h;
    ir_buf b;

    if (!chosen(x, o, &h))
        return NULL;
    if (h.lanes == CG_DOT_SUM)
        h.width = draw(seed, 2) ? 1 : 32;
    else if (draw(seed, 3) == 0)
        draw_lanes(&h, seed);
    for (uint64_t n = h.lanes == CG_DOT_SUM ? 0 : 1 + draw(seed, 3); n > 0; n--)
        change(&h, o->threads, seed);
    if (o->threads > 1 && h.lanes == CG_DOT_SUM)
        draw_share(&h, o->threads, seed);
    /* a tile may have changed after its blocks */
    if (h.lanes == CG_DOT_COLUMNS && h.right != CG_DOT_IN_PLACE && draw(seed, 4))
        draw_packing(&h, seed);
    ir_buf_init(&b, &sizes.ctx->arena);
    ir_buf_str(&b, "dot: schedule ");
    cg_dot_schedule_print(&b, &h);
    ir_buf_str(&b, "\n");
    return b.text;
}
