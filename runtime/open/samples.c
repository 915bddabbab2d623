/* The sizes at which a function is traced and lowered, its samples, so that the general
 * kernel can be read off them: sizes of which no loop, block or tile of the kernels is a
 * special case. */
#include <inttypes.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/open/opening.h"

enum {
    LEAST_SAMPLE = 2176, /* samples have several blocks of 512 elements */
    SAMPLE_RANGE = 1400,
    MAX_DRAWS = 4000,
    TRIES = 400,                /* of these with one remainder, whose square may be none */
    FARTHEST = 64,
    MOST_SQUARED = 1 << 15,
    BLOCK = 512,
    LANES = 32
};

void
rt_open_begin(rt_opening *o, cot_context *ctx, const rt_open_source *source, rt_sizes *sizes,
              const rt_plan *p, ir_arena *a)
{
    *o = (rt_opening){
        .ctx = ctx, .source = source, .plan = p, .sizes = sizes, .arena = a, .random = 20
    };
}

cot_status
rt_open_refuse(const rt_opening *o, ir_loc loc, const char *why)
{
    return ir_fail(o->ctx, loc ? loc : o->source->loc, o->source->name,
                   o->plan ? ERR_sizes_open : ERR_sizes_print, why);
}

/* Calls are replaced by what they call, as they are before a program is simplified: a constant
 * within a function may be made of sizes, too. */
cot_status
rt_open_trace_at(rt_opening *o, const int64_t *size, const cot_graph **out)
{
    const cot_graph *traced;
    ir_graph *inlined;

    if (o->folded)
        return o->source->graph(o->source->user, o->arena, size, out);
    o->ctx->unfolded = true;
    cot_status status = o->source->graph(o->source->user, o->arena, size, &traced);
    if (status == COT_OK)
        status = pass_run(pass_find("inline_small"), traced, NULL, &inlined);
    o->ctx->unfolded = false;
    *out = status == COT_OK ? inlined : NULL;
    return status;
}

/* The text of a graph whose ops that are graphs of others are these: what they do may depend on
 * sizes. */
cot_status
rt_open_text_of(rt_opening *o, const cot_graph *g, const char **out)
{
    ir_graph *expanded;
    ir_buf b;

    o->ctx->unfolded = true;
    const cot_status status = pass_run(pass_find("expand"), g, NULL, &expanded);
    o->ctx->unfolded = false;
    if (status != COT_OK)
        return status;
    ir_buf_init(&b, o->arena);
    ir_print(&b, expanded, IR_PRINT_LOCS);
    *out = b.text;
    return COT_OK;
}

/* The user's line that a line of a graph's text names; 0: none. */
ir_loc
rt_open_loc_of_line(const rt_opening *o, const char *text, int line)
{
    for (int i = 1; i < line && text; i++) {
        text = strchr(text, '\n');
        text += text != NULL;
    }
    const char *end = text ? strchr(text, '\n') : NULL,
               *loc = text ? strstr(text, " loc(") : NULL;
    const char *file = loc && end && loc < end ? strchr(loc, '"') : NULL,
               *close = file ? strchr(file + 1, '"') : NULL;

    if (!close || close[1] != ':')
        return 0;
    return ir_loc_file(o->ctx, ir_format(o->arena, "%.*s", (int)(close - file - 1), file + 1),
                       atoi(close + 2));
}

const char *
rt_open_sizes_text(const rt_opening *o, const int64_t *size)
{
    ir_buf b;

    ir_buf_init(&b, o->arena);
    for (int i = 0; i < o->sizes->n; i++)
        ir_buf_printf(&b, "%s%s = %" PRId64, i ? ", " : "", o->sizes->size[i].name, size[i]);
    return b.text;
}

static uint32_t
next_random(rt_opening *o)
{
    o->random = o->random * 1664525u + 1013904223u;
    return o->random >> 8;
}

/* Has an extent a partial block of several steps, and no power of two of blocks, so that no
 * loop is a special case? */
static bool
is_general(int64_t n)
{
    const int64_t blocks = n / BLOCK + 1;

    return n % BLOCK >= 3 * LANES && (blocks & (blocks - 1)) != 0;
}

/* The largest power of two that divides an extent at all sizes. */
static int64_t
common_factor(const cg_size_form *f)
{
    int64_t bits = f->whole.constant;

    for (int i = 0; i < f->whole.n; i++)
        bits |= f->whole.term[i].factor;
    return f->n == 0 && bits ? bits & -bits : 1;
}

/* Of 16 rows the elements are a multiple of 16: the length of a row is to be general. */
static bool
are_general(const rt_opening *o, const int64_t *size)
{
    for (int i = 0; i < o->sizes->n; i++)
        if (o->sizes->size[i].multiple == 1 && !is_general(size[i]))
            return false;
    for (uint32_t i = 0; i < o->n_extents; i++)
        if (!is_general(cg_form_at(&o->extent[i], size) / common_factor(&o->extent[i])))
            return false;
    return true;
}

/* Remainders by which quotients of extents that are nearly equal differ. */
static const int8_t residue[] = { 17, 0, 1, 2, 3, 31, 30, 29, 8, 5, 12 };
enum { RESIDUES = (int)(sizeof residue / sizeof *residue) };

/* How much larger than the least a size of a sample is.  A far one does not exceed what a fact
 * allows, since the product of two may have no room in the 32 bits of JAX's; sizes whose
 * product has may be as far. */
static int64_t
times_of(const rt_opening *o, int sample, const rt_size *s, int64_t near)
{
    const int64_t most = s->most > MOST_SQUARED ? s->most : MOST_SQUARED;
    int64_t times = o->times[sample];

    while (times > 1 && (near + SAMPLE_RANGE) * times > most)
        times /= 2;
    return times;
}

/* On a GPU an extent is divided by the threads of a block: the blocks of n and of n + 17
 * elements are told apart by samples whose remainder is nearly a block, those of n and of n - 1
 * by others that are a little above. */
static int64_t
near_a_block(const rt_opening *o, int sample, int64_t n)
{
    const int64_t rest = n % LANES, whole = n / BLOCK * BLOCK;

    if (!o->plan || !o->plan->target.grid || sample % 2 == 0)
        return n;
    return whole + BLOCK / 2 + rest - (rest >= LANES / 2 ? LANES : 0);
}

static void
draw(rt_opening *o, int sample)
{
    int64_t *size = o->size + (ptrdiff_t)sample * o->sizes->n;

    for (int tries = 0; tries < MAX_DRAWS; tries++) {
        for (int i = 0; i < o->sizes->n; i++) {
            const rt_size *s = &o->sizes->size[i];
            const int64_t near = s->least > LEAST_SAMPLE ? s->least : LEAST_SAMPLE,
                          times = times_of(o, sample, s, near), least = near * times,
                          room = (sample || o->redrawn ? SAMPLE_RANGE : LANES) * times;

            /* the first sample is the least, so that the blocks that its schedules have are
             * not larger than another one; when it is drawn again, these have been chosen */
            size[i] =
                (least + (sample ? 2 * LANES : 0) + next_random(o) % room) / LANES * LANES +
                residue[(sample + i + o->redrawn + tries / TRIES) % RESIDUES];
            size[i] = near_a_block(o, sample, size[i]);
            size[i] = (size[i] + s->multiple - 1) / s->multiple * s->multiple;
        }
        if (are_general(o, size))
            return;
    }
}

static cot_status
prepare(rt_opening *o, int sample)
{
    ir_graph *prepared;

    COT_TRY(rt_open_without_constants(o->traced[sample], &o->constants, &o->graph[sample]));
    COT_TRY(pass_prepare(o->graph[sample], &prepared));
    o->prepared[sample] = prepared;
    return COT_OK;
}

/* A far sample for which arrays would be too large is nearer. */
static cot_status
trace_sample(rt_opening *o, int sample)
{
    for (;;) {
        draw(o, sample);
        const cot_status status =
            rt_open_trace_at(o, o->size + (ptrdiff_t)sample * o->sizes->n, &o->traced[sample]);

        if (status == COT_OK || o->times[sample] == 1)
            return status;
        cot_error_clear(o->ctx);
        o->times[sample] /= 2;
    }
}

static cot_status
draw_samples(rt_opening *o)
{
    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        if (o->times[i] == 0)
            o->times[i] = i < RT_OPEN_NEAR ? 1 : FARTHEST >> (i - RT_OPEN_NEAR);
        COT_TRY(trace_sample(o, i));
    }
    return COT_OK;
}

static cot_status
trace_samples(rt_opening *o)
{
    const char *why;
    uint32_t node;

    COT_TRY(draw_samples(o));
    why = rt_open_find_constants(&o->graphs.samples, o->traced, &o->constants, &node);
    if (why)
        return rt_open_refuse(o, o->traced[0]->node[node].loc, why);
    for (int i = 0; i < RT_OPEN_SAMPLES; i++)
        COT_TRY(prepare(o, i));
    return COT_OK;
}

cot_status
rt_open_draw_again(rt_opening *o, int sample)
{
    o->redrawn++;
    if (o->times[sample] > 1)
        o->times[sample] /= 2;
    COT_TRY(trace_sample(o, sample));
    return prepare(o, sample);
}

/* -- open extents -- */

typedef void extent_visit(rt_opening *o, const int64_t *value);

/* Visit the lengths of all runs of axes of a value, at all samples. */
static void
visit_runs(rt_opening *o, const ir_type *const *t, extent_visit *visit)
{
    for (int first = 0; first < t[0]->rank; first++) {
        int64_t value[RT_OPEN_SAMPLES];

        for (int i = 0; i < RT_OPEN_SAMPLES; i++)
            value[i] = 1;
        for (int k = first; k < t[0]->rank; k++) {
            for (int i = 0; i < RT_OPEN_SAMPLES; i++)
                value[i] *= t[i]->dims[k];
            visit(o, value);
        }
    }
}

static bool
visit_graphs(rt_opening *o, const ir_graph *const *g, extent_visit *visit)
{
    for (int i = 1; i < RT_OPEN_SAMPLES; i++)
        if (g[i]->n_values != g[0]->n_values)
            return false;
    for (ir_ref v = 1; v < g[0]->n_values; v++) {
        const ir_type *t[RT_OPEN_SAMPLES];

        for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
            t[i] = ir_type_at(g[i], v);
            if (t[i]->rank != t[0]->rank)
                return false;
        }
        visit_runs(o, t, visit);
    }
    return true;
}

/* Visit the extents of the graphs of all samples and all below them; false: they differ. */
static bool
visit_extents(rt_opening *o, const ir_graph *const *of, extent_visit *visit)
{
    const ir_graph *const *all[RT_OPEN_SAMPLES];
    uint32_t n[RT_OPEN_SAMPLES];

    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        n[i] = ir_all_graphs(of[i], false, &all[i], o->arena);
        if (n[i] != n[0])
            return false;
    }
    for (uint32_t k = 0; k < n[0]; k++) {
        const ir_graph *g[RT_OPEN_SAMPLES];

        for (int i = 0; i < RT_OPEN_SAMPLES; i++)
            g[i] = all[i][k];
        if (!visit_graphs(o, g, visit))
            return false;
    }
    return true;
}

static bool
varies(const int64_t *value)
{
    for (int i = 1; i < RT_OPEN_SAMPLES; i++)
        if (value[i] != value[0])
            return true;
    return false;
}

static void
add_extent(rt_opening *o, const int64_t *value)
{
    cg_size_form f;

    if (!varies(value) || !cg_fit_form(&o->graphs.samples, value, &f))
        return;
    for (uint32_t i = 0; i < o->n_extents; i++)
        if (cg_form_same(&o->extent[i], &f))
            return;
    IR_PUSH(o->arena, o->extent, o->n_extents, o->cap_extents, f);
}

static int
ascending(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return a < b ? -1 : a > b;
}

const int64_t *
rt_open_extents_at(const rt_opening *o, const int64_t *size)
{
    int64_t *out = IR_NEW_N(o->arena, int64_t, o->n_extents + 1);

    for (uint32_t i = 0; i < o->n_extents; i++)
        out[i] = cg_form_at(&o->extent[i], size);
    qsort(out, o->n_extents, sizeof *out, ascending);
    return out;
}

/* An op that is made of others, and whose matrices are of open order. */
static const ir_node *
of_open_order(const rt_opening *o)
{
    const cot_graph *f = o->traced[0], *g = o->traced[1];

    for (uint32_t i = 0; f && g && f->n_nodes == g->n_nodes && i < f->n_nodes; i++) {
        const ir_node *n = &f->node[i], *m = &g->node[i];

        if (n->op != m->op || ir_ops[n->op].flag != IR_EXPAND || n->n_in == 0)
            continue;
        const ir_type *x = ir_type_at(f, n->in[0]), *y = ir_type_at(g, m->in[0]);
        for (int k = x->rank - 2; k >= 0 && k < x->rank && x->rank == y->rank; k++)
            if (x->dims[k] != y->dims[k])
                return n;
    }
    return NULL;
}

cot_status
rt_open_refuse_number(const rt_opening *o, ir_loc loc, const char *why)
{
    const ir_node *n = of_open_order(o);

    return n ? rt_open_refuse(o, n->loc,
                              ir_format(o->arena,
                                        "%s chooses what it does by the length of its last "
                                        "axes; wants them fixed, and takes an open batch",
                                        ir_ops[n->op].name))
             : rt_open_refuse(o, loc, why);
}

cot_status
rt_open_fit_texts(rt_opening *o, const char **text)
{
    rt_open_graphs *g = &o->graphs;

    g->n_numbers = 0;
    if (rt_open_fit_graphs(g, text))
        return COT_OK;
    if (g->other < 0)
        return rt_open_refuse_number(o, rt_open_loc_of_line(o, text[0], g->line), g->why);
    return rt_open_refuse_number(
        o, rt_open_loc_of_line(o, text[0], g->line),
        ir_format(o->arena, "%s at %s than at %s", g->why, rt_open_sizes_text(o, o->size),
                  rt_open_sizes_text(o, o->size + (ptrdiff_t)g->other * o->sizes->n)));
}

cot_status
rt_open_fit(rt_opening *o)
{
    const char *text[RT_OPEN_SAMPLES];

    for (int i = 0; i < RT_OPEN_SAMPLES; i++)
        COT_TRY(rt_open_text_of(o, o->graph[i], &text[i]));
    return rt_open_fit_texts(o, text);
}

/* Memory for the samples; forms are made of the sizes. */
static void
begin_samples(rt_opening *o)
{
    o->size = IR_NEW_N(o->arena, int64_t, RT_OPEN_SAMPLES * o->sizes->n);
    o->graph = IR_NEW_N(o->arena, const cot_graph *, RT_OPEN_SAMPLES);
    o->traced = IR_NEW_N(o->arena, const cot_graph *, RT_OPEN_SAMPLES);
    o->prepared = IR_NEW_N(o->arena, const ir_graph *, RT_OPEN_SAMPLES);
    o->graphs.samples = (cg_samples){
        .arena = o->arena, .n = RT_OPEN_SAMPLES, .sizes = o->sizes->n, .size = o->size
    };
    for (int k = 0; k < o->sizes->n; k++)
        cg_add_base(&o->graphs.samples,
                    &(cg_polynomial){ .n = 1, .term = { { 1, 1, { (uint8_t)k } } } });
}

cot_status
rt_open_trace_samples(rt_opening *o)
{
    begin_samples(o);
    return draw_samples(o);
}

static void
add_bases(rt_opening *o)
{
    for (uint32_t i = 0; i < o->n_extents; i++)
        if (o->extent[i].n == 0)
            cg_add_base(&o->graphs.samples, &o->extent[i].whole);
        else
            cg_add_length(&o->graphs.samples, &o->extent[i]);
}

void
rt_open_add_extents(rt_opening *o, const ir_graph *const *f)
{
    visit_extents(o, f, add_extent);
    add_bases(o);
}

/* Samples of which no open extent is a special case.  Which extents there are is known when the
 * function was traced once. */
cot_status
rt_open_find_samples(rt_opening *o)
{
    begin_samples(o);
    for (int round = 0; round < 2; round++) {
        bool general = true;

        COT_TRY(trace_samples(o));
        COT_TRY(rt_open_fit(o));
        if (!visit_extents(o, o->prepared, add_extent))
            return rt_open_refuse(o, 0, "it is simplified to different programs");
        for (int i = 0; i < RT_OPEN_SAMPLES; i++)
            general &= are_general(o, o->size + (ptrdiff_t)i * o->sizes->n);
        if (general)
            break;
    }
    add_bases(o);
    return COT_OK;
}
