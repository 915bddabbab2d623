/* Calls with probes, and what they took as a table. */
#include "tools/profile.h"

#include <math.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/limit.h"
#include "runtime/values.h"

/* -- calls -- */

static const double profiled_seconds = 0.3; /* of calls that count, after others */

cot_status
profile_arguments(cot_cli *c, const cot_kernel *k, const ir_graph *f, void ***out)
{
    void **in;

    COT_TRY(cli_inputs(c, f, &in));
    *out = IR_NEW_N(&c->ctx->arena, void *, f->n_in + f->n_out + 1);
    rt_arguments(k, in, cli_buffers(c->ctx, f), *out);
    return COT_OK;
}

static cot_status
call_often(cot_cli *c, const ir_graph *f, void **args, profiled *p)
{
    double median;

    if (!p->k->profile)
        return ir_fail(c->ctx, 0, f->name, ERR_usage,
                       "this back end has no profile; wants jit or c");
    if (!args)
        COT_TRY(profile_arguments(c, p->k, f, &args));
    args[p->k->n_in + p->k->n_out] = p->k->pool;
    COT_TRY(cli_time_calls(p->k, args, &p->least, &median));
    rt_profile_clear(p->k->profile);
    const double start = ir_now();
    do {
        COT_TRY(rt_call_kernel(p->k, args, NULL));
        p->seconds = ir_now() - start;
        p->calls++;
    } while (p->seconds < profiled_seconds);
    return COT_OK;
}

cot_status
profile_calls(cot_cli *c, const ir_graph *f, const cot_compile_options *o, void **args,
              profiled *p)
{
    const bool counted = c->ctx->config.counted;

    *p = (profiled){ 0 };
    c->ctx->config.counted = true;
    cot_status status = cot_compile_graph(f, o, &p->k);
    c->ctx->config.counted = counted;
    if (status == COT_OK)
        status = call_often(c, f, args, p);
    if (status != COT_OK && p->k) {
        cot_kernel_free(p->k);
        p->k = NULL;
    }
    return status;
}

/* -- the table -- */

/* Of the time that a row takes whose decisions are printed. */
static const double least_share = 0.01;

static int
by_time(const void *a, const void *b)
{
    const int64_t x = atomic_load(&(*(rt_counter *const *)a)->ticks),
                  y = atomic_load(&(*(rt_counter *const *)b)->ticks);

    return (x < y) - (x > y);
}

uint32_t
profile_sorted(const rt_profile *p, ir_arena *a, rt_counter ***out)
{
    rt_counter **row = NULL;
    uint32_t n = 0, cap = 0;

    for (rt_counter *c = p->first; c; c = c->next)
        IR_PUSH(a, row, n, cap, c);
    if (n)
        qsort(row, n, sizeof(rt_counter *), by_time);
    *out = row;
    return n;
}

double
profile_run_seconds(rt_counter *c)
{
    const int64_t runs = atomic_load(&c->runs);

    return runs ? rt_profile_seconds(c) / (double)runs : 0;
}

const machine_level *
profile_level_of(const rt_counter *c, const machine *m)
{
    return c->bytes ? machine_level_of(m, c->around) : NULL;
}

/* Do threads share its loops, or the steps that it is part of? */
static bool
is_shared(const rt_counter *c)
{
    return c->is_parallel || atomic_load(&c->shared) > 0;
}

/* Threads that share a loop have the limits of all together. */
profile_bound
profile_bound_of(rt_counter *c, const machine *m)
{
    const double each = profile_run_seconds(c);
    const machine_level *level = profile_level_of(c, m);
    const int all = is_shared(c) && c->of->threads > 1;
    const double moving = level ? (double)c->bytes / level->speed[all] : 0,
                 computing = m->flops[all] > 0 ? (double)c->flops / m->flops[all] : 0;

    if (each <= 0 || fmax(moving, computing) <= 0)
        return (profile_bound){ 0, "" };
    return computing > moving ? (profile_bound){ computing / each, "flops" }
                              : (profile_bound){ moving / each, level->name };
}

static const char *
way(const rt_counter *c)
{
    const bool threads = is_shared(c);

    return c->is_vector && threads ? "vector, threads"
           : c->is_vector          ? "vector"
           : threads               ? "threads"
                                   : "";
}

static void
add_row(ir_buf *b, rt_counter *c, const machine *m, int64_t calls, double seconds)
{
    const double runs = (double)atomic_load(&c->runs), each = profile_run_seconds(c);
    const profile_bound bound = profile_bound_of(c, m);
    const bool threads = c->of->threads > 1;

    ir_buf_printf(b, "%-20s %10.2f %11.3f %7.1f %%", c->name, runs / (double)calls, 1e6 * each,
                  100 * runs * each / seconds);
    if (threads)
        ir_buf_printf(b, " %4.0f %%", 100 * rt_profile_idle(c));
    if (c->bytes && each > 0)
        ir_buf_printf(b, " %8.2f %9.2f", 1e-9 * (double)c->bytes / each,
                      1e-9 * (double)c->flops / each);
    else if (*c->note)
        ir_buf_printf(b, " %8s %9s", "", "");
    if (bound.share > 0)
        ir_buf_printf(b, " %4.0f %% %-6s", 100 * bound.share, bound.by);
    else if (*c->note)
        ir_buf_printf(b, " %13s", "");
    ir_buf_printf(b, "%s%s%s%s\n", *c->note ? "  " : "", way(c),
                  *way(c) && *c->note ? "; " : "", c->note);
}

static void
add_limits(ir_buf *b, const machine *m, int all)
{
    ir_buf_printf(b, "limits of %d thread%s:", all ? m->threads : 1, all ? "s" : "");
    if (m->flops[all] > 0)
        ir_buf_printf(b, " %.0f GFLOP/s in f32;", 1e-9 * m->flops[all]);
    for (int i = 0; i < m->n_levels; i++)
        ir_buf_printf(b, "%s %s %.0f", i ? "," : "", m->level[i].name,
                      1e-9 * m->level[i].speed[all]);
    ir_buf_str(b, m->n_levels ? " GB/s\n" : "\n");
}

void
profile_table(ir_buf *b, const rt_profile *p, const machine *m, int64_t calls, double seconds)
{
    rt_counter **row;
    const uint32_t n = profile_sorted(p, b->arena, &row);
    const bool threads = p->threads > 1;
    double inside = 0;

    ir_buf_printf(b, "%-20s %10s %11s %9s%s %8s %9s %6s\n", "kernel", "runs/call", "us/run",
                  "share", threads ? "   idle" : "", "GB/s", "GFLOP/s", "limit");
    for (uint32_t i = 0; i < n; i++) {
        add_row(b, row[i], m, calls, seconds);
        inside += rt_profile_seconds(row[i]);
    }
    ir_buf_printf(b, "%-20s %10s %11s %7.1f %%\n", "(between)", "", "",
                  100 * (seconds - inside) / seconds);
    add_limits(b, m, 0);
    if (threads)
        add_limits(b, m, 1);
    for (uint32_t i = 0; i < n; i++)
        if (*row[i]->why && rt_profile_seconds(row[i]) >= least_share * seconds)
            ir_buf_printf(b, "%s: %s\n", row[i]->name, row[i]->why);
}
