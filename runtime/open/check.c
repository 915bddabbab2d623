/* Sizes that are no samples, at which the general kernel is checked: the graph there is the one
 * that the samples predict, and the kernel's accesses stay within its buffers. */
#include <inttypes.h>

#include "ir/diag.h"
#include "runtime/open/opening.h"

/* Sizes at which blocks, vectors and tiles are empty, whole, or exceeded by one element. */
static const int16_t probes[] = { 0,   1,   2,   3,    7,    15,   16,   17,   31,
                                  32,  33,  63,  64,   65,   255,  256,  257,  511,
                                  512, 513, 767, 1023, 1024, 1025, 4097, 30011 };
enum { PROBES = (int)(sizeof probes / sizeof *probes) };

/* Those at which the function is traced again, and larger ones, where a proof takes a time in
 * proportion to the number of blocks. */
static const int16_t traced[] = { 0, 1, 2, 7, 16, 17, 33, 65, 257, 1025 };
static const int32_t large[] = { 8191, 65536, 1000003, 4194309, 33554467, 1 << 30 };
enum {
    TRACED = (int)(sizeof traced / sizeof *traced),
    LARGE = (int)(sizeof large / sizeof *large),
    LARGEST_PROVED = 4194309,
    MOST_SMALL = 65,
    MOST_FACT = 40, /* that a message proposes */
    PROVED_AFTER = 8 /* sizes from it on at which the kernel is proved, too */
};

static int64_t
nearest(const rt_size *s, int64_t n)
{
    n = n < s->least ? s->least : n;
    n = (n + s->multiple - 1) / s->multiple * s->multiple;
    return n > s->most ? s->most / s->multiple * s->multiple : n;
}

/* All sizes are the probe, or one of them is and the others are the probe after it. */
static void
probe(const rt_opening *o, int number, int alone, int64_t *size)
{
    for (int i = 0; i < o->sizes->n; i++)
        size[i] =
            nearest(&o->sizes->size[i], probes[(number + (alone && i != alone - 1)) % PROBES]);
}

/* Of facts that exclude sizes, one that fits: "where n >= 2", or "where n <= 33554467". */
static const char *
excluding(const rt_opening *o, const int64_t *size)
{
    int which = 0, below = 0;

    for (int i = 1; i < o->sizes->n; i++)
        if (size[i] > size[which])
            which = i;
    while (below + 1 < LARGE && large[below + 1] < size[which])
        below++;
    return size[which] > large[0]
               ? ir_format(o->arena, "where %s <= %d", o->sizes->size[which].name, large[below])
               : ir_format(o->arena, "where %s >= %" PRId64, o->sizes->size[which].name,
                           size[which] + 1);
}

cot_status
rt_open_refuse_at(const rt_opening *o, ir_loc loc, const int64_t *size)
{
    return rt_open_refuse(
        o, loc,
        ir_format(o->arena,
                  "it is another program at %s than at %s; a fact about a size, such "
                  "as \"%s\", excludes one",
                  rt_open_sizes_text(o, size), rt_open_sizes_text(o, o->size),
                  excluding(o, size)));
}

bool
rt_open_is_small(const rt_opening *o, const int64_t *size)
{
    bool all = true;

    for (int i = 0; i < o->sizes->n; i++) {
        if (size[i] <= 1)
            return true;
        all &= size[i] <= MOST_SMALL;
    }
    return all;
}

static cot_status
check_graph(rt_opening *o, const int64_t *size)
{
    const cot_graph *g;
    const char *text;

    if (rt_open_trace_at(o, size, &g) != COT_OK) {
        const char *why = ir_copy_string(o->arena, cot_error(o->ctx));

        cot_error_clear(o->ctx);
        return rt_open_refuse(
            o, 0, ir_format(o->arena, "it fails at %s: %s", rt_open_sizes_text(o, size), why));
    }
    const bool has = rt_open_has_constants(&o->constants, g, size);

    COT_TRY(rt_open_without_constants(g, &o->constants, &g));
    COT_TRY(rt_open_text_of(o, g, &text));
    if (has && rt_open_is_instance(&o->graphs, text, size))
        return COT_OK;
    const ir_loc loc = rt_open_loc_of_line(o, o->graphs.text, o->graphs.line);
    if (!rt_open_is_small(o, size))
        return rt_open_refuse_at(o, loc, size);
    rt_other_graph x = { .loc = loc };
    memcpy(x.size, size, sizeof *size * (size_t)o->sizes->n);
    IR_PUSH(o->arena, o->other, o->n_other, o->cap_other, x);
    return COT_OK;
}

/* Compare the kernel with the function as it is compiled for these sizes alone. */
static cot_status
try_at(rt_opening *o, const cot_kernel *k, const int64_t *size, ir_loc loc, bool must)
{
    const cot_graph *g;

    if (o->source->graph(o->source->user, o->arena, size, &g) != COT_OK) {
        cot_error_clear(o->ctx);
        return must ? rt_open_refuse_at(o, loc, size) : COT_OK;
    }
    const rt_trial is = rt_open_trial(k, g, size, !must, o->arena);
    if (must)
        return is == RT_TRIAL_AGREES ? COT_OK : rt_open_refuse_at(o, loc, size);
    return is == RT_TRIAL_DIFFERS
               ? rt_open_refuse(o, loc,
                                ir_format(o->arena,
                                          "its results at %s are not those of its kernel for "
                                          "that alone",
                                          rt_open_sizes_text(o, size)))
               : COT_OK;
}

/* Where there are few elements the program may be written otherwise: a sum over one element is
 * that element, and a constant that is the size is another one at it.  At some sizes every
 * program is tried: what is not folded when sizes are open may choose another algorithm.  A
 * kernel for a GPU is tried where blocks of threads are whole or nearly so, and at one that is
 * larger than its shares, too. */
cot_status
rt_open_try(rt_opening *o, const cot_kernel *k)
{
    static const int16_t tried[] = { 3, 17, 40 },
                         by_blocks[] = { 250, 255, 256, 257, 1022, 4500 };
    const size_t n = sizeof tried / sizeof *tried,
                 all = n + (k->program ? sizeof by_blocks / sizeof *by_blocks : 0);
    int64_t size[CG_MAX_SIZES];

    for (uint32_t i = 0; i < o->n_other; i++)
        COT_TRY(try_at(o, k, o->other[i].size, o->other[i].loc, true));
    for (size_t i = 0; i < all; i++) {
        for (int j = 0; j < o->sizes->n; j++)
            size[j] =
                nearest(&o->sizes->size[j], (i < n ? tried[i] : by_blocks[i - n]) + 5 * j);
        COT_TRY(try_at(o, k, size, 0, false));
    }
    return COT_OK;
}

static bool
is_among(const int16_t *list, int n, int x)
{
    for (int i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

static bool
is_proved(rt_opening *o, cg_open *general, const int64_t *size)
{
    const bool is = cg_open_is_empty(general, size) || cg_open_verify(general, size) == COT_OK;

    cot_error_clear(o->ctx);
    return is;
}

/* The facts by which all sizes are at least `least`, where the kernel is proved there and at
 * the next few sizes; NULL: it is not. */
static const char *
facts_from(rt_opening *o, cg_open *general, int64_t least)
{
    int64_t size[CG_MAX_SIZES];
    ir_buf b;

    ir_buf_init(&b, o->arena);
    for (int more = 0; more < PROVED_AFTER; more++) {
        for (int k = 0; k < o->sizes->n; k++)
            size[k] = nearest(&o->sizes->size[k], least + more);
        if (!is_proved(o, general, size))
            return NULL;
    }
    for (int k = 0; k < o->sizes->n; k++)
        if (o->sizes->size[k].least < least)
            ir_buf_printf(&b, "%s%s >= %" PRId64, b.n ? ", " : "", o->sizes->size[k].name,
                          least);
    return b.n ? b.text : NULL;
}

/* Why is in the verifier's words, which are of no use to who wrote the function. */
static cot_status
verify(rt_opening *o, cg_open *general, const int64_t *size)
{
    const char *facts = NULL;
    int64_t least = size[0];

    if (is_proved(o, general, size))
        return COT_OK;
    for (int k = 1; k < o->sizes->n; k++)
        least = size[k] < least ? size[k] : least;
    const char *at = rt_open_sizes_text(o, size);
    for (int64_t from = least + 1; from <= MOST_FACT && !facts; from++)
        facts = facts_from(o, general, from);
    return rt_open_refuse(
        o, 0,
        ir_format(o->arena, "its kernel is not proved to stay within its arrays at %s%s", at,
                  facts ? ir_format(o->arena, "; it is from \"where %s\" on", facts) : ""));
}

/* Can the function be traced at these sizes, or is an array larger than any memory? */
static bool
has_memory(rt_opening *o, const int64_t *size)
{
    const cot_graph *g;
    const bool traced = rt_open_trace_at(o, size, &g) == COT_OK;

    cot_error_clear(o->ctx);
    return traced;
}

/* From some size on a function whose C code asks for it may trace to another program. */
static cot_status
check_large(rt_opening *o, rt_open *out)
{
    int64_t size[CG_MAX_SIZES];

    for (int alone = 0; alone <= (o->sizes->n > 1 ? o->sizes->n : 0); alone++)
        for (int i = 0; i < LARGE; i++) {
            for (int k = 0; k < o->sizes->n; k++)
                size[k] = nearest(&o->sizes->size[k], alone && k != alone - 1 ? 5 : large[i]);
            if (!has_memory(o, size))
                continue;
            COT_TRY(check_graph(o, size));
            if (large[i] <= LARGEST_PROVED)
                COT_TRY(verify(o, &out->general, size));
        }
    return COT_OK;
}

bool
rt_open_other(const rt_opening *o, int number, int64_t *size)
{
    const int each = TRACED + LARGE, alone = number / each, i = number % each;

    if (alone > (o->sizes->n > 1 ? o->sizes->n : 0))
        return false;
    for (int k = 0; k < o->sizes->n; k++) {
        const bool beside = alone && k != alone - 1;

        size[k] = nearest(&o->sizes->size[k], i < TRACED ? traced[(i + beside) % TRACED]
                                              : beside   ? 5
                                                         : large[i - TRACED]);
    }
    return true;
}

cot_status
rt_open_check_others(rt_opening *o, rt_open *out)
{
    int64_t size[CG_MAX_SIZES];

    for (int alone = 0; alone <= (o->sizes->n > 1 ? o->sizes->n : 0); alone++)
        for (int i = 0; i < PROBES; i++) {
            probe(o, i, alone, size);
            if (is_among(traced, TRACED, probes[i]))
                COT_TRY(check_graph(o, size));
            COT_TRY(verify(o, &out->general, size));
        }
    return check_large(o, out);
}
