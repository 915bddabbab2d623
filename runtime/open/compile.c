/* One kernel for all sizes: the function is traced and lowered at sample sizes, which the
 * general kernel then agrees with, and checked at others (codegen/open/open.h). */
#include "codegen/kernel/cost.h"
#include "ir/diag.h"
#include "runtime/device.h"
#include "runtime/open/opening.h"
#include "runtime/profile.h"
#include "runtime/store.h"

enum { MAX_ROUNDS = 10 };

/* -- kernels -- */

/* The schedules of products that were chosen for the first sample are those of all. */
static cot_status
lower_at(rt_opening *o, int sample, const char *schedules, cg_module **out)
{
    rt_plan p = *o->plan;
    rt_lowered low;

    p.schedules = schedules;
    COT_TRY(rt_lower_open(o->graph[sample], &p, o->arena,
                          rt_open_extents_at(o, o->size + (ptrdiff_t)sample * o->sizes->n),
                          o->n_extents, &low));
    *out = low.module;
    return COT_OK;
}

/* Schedules that do not fit a sample are left out: its kernels then differ from the others. */
static cot_status
lower_alike(rt_opening *o, int sample, const char *schedules, cg_module **out)
{
    if (lower_at(o, sample, schedules, out) == COT_OK)
        return COT_OK;
    cot_error_clear(o->ctx);
    return lower_at(o, sample, o->plan->schedules, out);
}

/* The lines of a plan that give the schedules of its kernels. */
static const char *
schedules_of(const rt_opening *o, const cg_module *m)
{
    ir_buf b;

    ir_buf_init(&b, o->arena);
    ir_buf_str(&b, "");
    for (const char *line = m->why; line && *line;) {
        const size_t n = strcspn(line, "\n") + 1;
        const char *is = strstr(line, ": schedule ");

        if (is && is < line + n)
            ir_buf_add(&b, line, n);
        line += line[n - 1] ? n : n - 1;
    }
    return b.n ? b.text : NULL;
}

static cot_status
hash_of(const rt_opening *o, cg_module *m, uint64_t *hash)
{
    cg_tokens t;
    const char *why = cg_tokens_of(m, o->arena, &t);

    if (why)
        return rt_open_refuse(o, 0, why);
    *hash = cg_tokens_hash(&t);
    return COT_OK;
}

/* The hash that most samples have. */
static uint64_t
most_frequent(const uint64_t *hash)
{
    uint64_t best = 0;
    int most = 0;

    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        int n = 0;

        for (int k = 0; k < RT_OPEN_SAMPLES; k++)
            n += hash[k] == hash[i];
        if (n > most) {
            most = n;
            best = hash[i];
        }
    }
    return best;
}

/* Modules that differ in numbers only.  A size that tiles happen to divide gives kernels
 * without an edge, and one that is far larger another choice of what is kept in a cache: it
 * is replaced by another one, which is nearer. */
static cot_status
lower_samples(rt_opening *o, cg_module **m)
{
    uint64_t hash[RT_OPEN_SAMPLES];

    COT_TRY(lower_at(o, 0, o->plan->schedules, &m[0]));
    const char *schedules = schedules_of(o, m[0]);
    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        if (i)
            COT_TRY(lower_alike(o, i, schedules, &m[i]));
        COT_TRY(hash_of(o, m[i], &hash[i]));
    }
    for (int round = 0; round < MAX_ROUNDS; round++) {
        const uint64_t best = most_frequent(hash);

        for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
            if (hash[i] == best)
                continue;
            COT_TRY(rt_open_draw_again(o, i));
            COT_TRY(lower_alike(o, i, schedules, &m[i]));
            COT_TRY(hash_of(o, m[i], &hash[i]));
        }
    }
    return rt_open_fit(o);
}

/* What a call costs, from which follows whether threads share it. */
static void
find_cost(rt_opening *o, cg_module *const *m, rt_open *out)
{
    int64_t cost[RT_OPEN_SAMPLES];

    for (int i = 0; i < RT_OPEN_SAMPLES; i++) {
        int64_t flops, bytes;

        cg_module_cost(m[i], &flops, &bytes);
        cost[i] = flops + bytes / 4;
    }
    if (!cg_fit_polynomial(&o->graphs.samples, cost, &out->cost.whole))
        out->cost = (cg_size_form){ 0 };
}

static cg_open_entry
entry_of(const rt_opening *o)
{
    cg_open_fact *fact = IR_NEW_N(o->arena, cg_open_fact, o->sizes->n);

    for (int i = 0; i < o->sizes->n; i++) {
        const rt_size *s = &o->sizes->size[i];
        fact[i] = (cg_open_fact){ s->least, s->most, s->multiple };
    }
    return (cg_open_entry){ fact, o->traced[0]->n_in, o->constants.n, o->constants.at };
}

static cot_status
generalise(rt_opening *o, rt_open *out)
{
    cg_module *m[RT_OPEN_SAMPLES];
    cg_open_conflict c;

    COT_TRY(lower_samples(o, m));
    find_cost(o, m, out);
    const cg_open_entry entry = entry_of(o);
    if (cg_generalise(&o->graphs.samples, m, &entry, &out->general, &c))
        return COT_OK;
    if (c.first < 0)
        return rt_open_refuse_number(o, c.loc, c.why);
    return rt_open_refuse_number(
        o, c.loc,
        ir_format(o->arena, "%s at %s and %s", c.why, rt_open_sizes_text(o, o->size),
                  rt_open_sizes_text(o, o->size + (ptrdiff_t)c.second * o->sizes->n)));
}

/* -- the kernel -- */

/* The lengths of results, from those at the samples. */
static cot_status
find_lengths(rt_opening *o, rt_open *out, int n_out)
{
    out->length = IR_NEW_N(o->arena, cg_size_form *, n_out + 1);
    for (int i = 0; i < n_out; i++) {
        const int rank = ir_type_at(o->graph[0], o->graph[0]->out[i])->rank;

        out->length[i] = IR_NEW_N(o->arena, cg_size_form, rank + 1);
        for (int k = 0; k < rank; k++) {
            int64_t value[RT_OPEN_SAMPLES];

            for (int j = 0; j < RT_OPEN_SAMPLES; j++)
                value[j] = ir_type_at(o->graph[j], o->graph[j]->out[i])->dims[k];
            if (!cg_fit_form(&o->graphs.samples, value, &out->length[i][k]))
                return rt_open_refuse(o, 0,
                                      "the shape of a result depends on it in no known way");
        }
    }
    return COT_OK;
}

/* Of a text, the axes of the arguments, from their lengths at the samples. */
static cot_status
find_axes(rt_opening *o)
{
    rt_sizes *s = o->sizes;
    ir_arena *a = &o->ctx->arena;
    const cot_graph *f = o->traced[0];

    if (s->axis)
        return COT_OK;
    s->n_args = ir_count_open(f);
    s->argument = IR_NEW_N(a, const char *, s->n_args + 1);
    s->rank = IR_NEW_N(a, int, s->n_args + 1);
    s->axis = IR_NEW_N(a, rt_axis *, s->n_args + 1);
    for (int i = 0, given = 0; i < f->n_in; i++) {
        const int rank = ir_type_at(f, f->in[i])->rank;

        if (ir_is_bound(f, i))
            continue;
        s->argument[given] = f->in_name[i];
        s->rank[given] = rank;
        s->axis[given] = IR_NEW_N(a, rt_axis, rank + 1);
        for (int k = 0; k < rank; k++) {
            int64_t value[RT_OPEN_SAMPLES];
            rt_axis *axis = &s->axis[given][k];

            for (int j = 0; j < RT_OPEN_SAMPLES; j++)
                value[j] = ir_type_at(o->traced[j], o->traced[j]->in[i])->dims[k];
            if (!cg_fit_polynomial(&o->graphs.samples, value, &axis->length))
                return rt_open_refuse(o, 0,
                                      "the shape of an argument depends on it in no known way");
            axis->is_open = axis->length.n > 0;
        }
        given++;
    }
    const char *without = rt_sizes_find_lengths(s);
    return without ? rt_open_refuse(o, 0,
                                    ir_format(o->arena,
                                              "no axis is as long as %s alone, so that "
                                              "it is not known",
                                              without))
                   : COT_OK;
}

static void
find_inputs(const cot_kernel *k, rt_open *open, ir_arena *a)
{
    int given = 0;

    open->input = IR_NEW_N(a, int, k->n_in + 1);
    for (int i = 0; i < k->n_in; i++)
        if (!ir_is_bound(k->graph, i))
            open->input[given++] = i;
}

cot_status
rt_open_lower(rt_opening *o, rt_open *open)
{
    COT_TRY(rt_open_find_samples(o));
    COT_TRY(find_axes(o));
    COT_TRY(generalise(o, open));
    COT_TRY(rt_open_check_others(o, open));
    return find_lengths(o, open, o->traced[0]->n_out - o->traced[0]->n_inout);
}

/* On this machine. */
static cot_status
load_here(rt_opening *o, cot_kernel *k, cg_module *m)
{
    rt_kernel_pool(k);
    rt_make_blocks(k, 1);
    COT_TRY(rt_profile_kernel(k, m));
    rt_store_open(o->ctx);
    COT_TRY(o->plan->backend->load(o->ctx, &o->plan->target, m, &k->code));
    atomic_store_explicit(&k->entry, k->code.entry, memory_order_relaxed);
    return COT_OK;
}

/* On a device.  One with memory of its own has work blocks there. */
static cot_status
load_there(rt_opening *o, cot_kernel *k, cg_module *m)
{
    k->program = rt_program_new(o->ctx, o->plan->machine);
    rt_make_blocks(k, o->plan->machine == rt_sim());
    return rt_program_load(k->program, o->plan, m);
}

static cot_kernel *
new_kernel(rt_opening *o, rt_open *open)
{
    int *over = IR_NEW_N(o->arena, int, o->graph[0]->n_out + 1);
    cot_kernel *k;

    for (int i = 0; i < o->graph[0]->n_out; i++)
        over[i] = -1; /* no argument is donated */
    k = rt_kernel_new(o->traced[0], o->plan,
                      &(rt_lowered){ .prepared = o->prepared[0], .over = over });
    k->open = open;
    find_inputs(k, open, o->arena);
    rt_open_list_lengths(k, open);
    return k;
}

static cot_status
compile(rt_opening *o, rt_open *open, cot_kernel **out)
{
    cg_module *m;
    cot_kernel *k;

    COT_TRY(rt_open_lower(o, open));
    m = open->general.module;
    k = *out = new_kernel(o, open);
    k->parallel = m->parallel;
    COT_TRY(rt_dump_stages(o->graph[0], o->plan, m, o->arena));
    COT_TRY((o->plan->engine == RT_DEVICE ? load_there : load_here)(o, k, m));
    COT_TRY(rt_open_try(o, k));
    if (k->profile)
        rt_profile_clear(k->profile); /* trials are no calls of the user's */
    return COT_OK;
}

/* The reference evaluator wants no kernel, but the lengths of results. */
static cot_status
evaluate(rt_opening *o, rt_open *open, cot_kernel **out)
{
    COT_TRY(rt_open_find_samples(o));
    COT_TRY(find_axes(o));
    COT_TRY(find_lengths(o, open, o->traced[0]->n_out - o->traced[0]->n_inout));
    open->source = *o->source;
    *out = new_kernel(o, open);
    return COT_OK;
}

cot_status
rt_open_compile(cot_context *ctx, const rt_open_source *source, rt_sizes *sizes,
                const rt_plan *p, cot_kernel **out)
{
    rt_open *open = ir_realloc(ctx, NULL, sizeof *open);
    rt_opening o;

    *open = (rt_open){ .sizes = sizes };
    ir_arena_init(&open->arena, ctx);
    rt_open_begin(&o, ctx, source, sizes, p, &open->arena);
    const cot_status status = (p->engine == RT_EVAL ? evaluate : compile)(&o, open, out);
    if (status != COT_OK && *out) { /* it was loaded, and is not right at some sizes */
        cot_kernel_free(*out);
        *out = NULL;
    } else if (status != COT_OK) {
        rt_open_free(ctx, open);
    }
    return status;
}
