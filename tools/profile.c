/* The profile as a table. */
#include "tools/profile.h"

#include <math.h>
#include <stdlib.h>

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

/* Threads that share a loop have the limits of all together. */
profile_bound
profile_bound_of(rt_counter *c, const machine *m)
{
    const double each = profile_run_seconds(c);
    const machine_level *level = profile_level_of(c, m);
    const int all = c->is_parallel && c->of->threads > 1;
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
    return c->is_vector && c->is_parallel ? "vector, threads"
           : c->is_vector                 ? "vector"
           : c->is_parallel               ? "threads"
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
