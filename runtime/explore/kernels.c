/* The kernels, with the text of each and where its instructions come from; and the steps of the
 * plans: which kernel computes which nodes, and how often it runs. */
#include "codegen/kernel/cost.h"
#include "codegen/kernel/grid.h"
#include "runtime/explore/explore.h"
#include "runtime/profile.h"

#include <math.h>

/* Rates of a typical core and of a typical GPU, for each nanosecond, and what a launch takes:
 * estimates are shares of each other. */
typedef struct rates {
    double flops, bytes, launch;
} rates;

static rates
rates_of(const rt_exploring *x)
{
    return x->plan.target.grid ? (rates){ 10000, 1000, 5000 } : (rates){ 20, 15, 0 };
}

static bool
is_array(const cg_buffer *x)
{
    return x->space <= CG_OUT;
}

/* The row of what calls took, or NULL: nothing was measured. */
static rt_counter *
row_of(const rt_exploring *x, const char *name)
{
    rt_counter *c = x->o->profile ? x->o->profile->first : NULL;

    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

/* Nanoseconds in a call, measured. */
static double
measured_time(const rt_exploring *x, rt_counter *c)
{
    return 1e9 * rt_profile_seconds(c) / (double)x->o->calls;
}

/* The time of one run, estimated. */
static double
time_of(rates r, const cg_kernel *k)
{
    return r.launch + fmax((double)k->flops / r.flops, (double)cg_kernel_bytes(k) / r.bytes);
}

/* [line, number] for each line of the kernel's text whose instruction comes from a node. */
static void
write_lines(const rt_exploring *x, ir_buf *b, const ir_buf *text, const cg_print_places *p)
{
    bool first = true;
    size_t at = 0;
    int line = 0;

    ir_buf_str(b, ",\"lines\":[");
    for (uint32_t i = 0; i < p->n; i++) {
        const uint32_t number = rt_explore_number(x, p->at[i].loc);

        for (; at < p->at[i].at; at++)
            line += text->text[at] == '\n';
        if (!number)
            continue;
        rt_json_next(b, &first);
        ir_buf_printf(b, "[%d,%u]", line, number);
    }
    ir_buf_str(b, "]");
}

static void
write_launch(ir_buf *b, bool *first, cg_launch l)
{
    bool inner = true;

    rt_json_name(b, first, "launch");
    ir_buf_str(b, "{");
    rt_json_number(b, &inner, "grid", (double)l.grid);
    rt_json_number(b, &inner, "block", l.block);
    rt_json_number(b, &inner, "shared", (double)l.shared);
    rt_json_number(b, &inner, "dynamic", (double)l.dynamic);
    ir_buf_str(b, "}");
}

static void
write_kernel(const rt_exploring *x, ir_buf *b, const cg_kernel *k)
{
    cg_print_places places = { 0 };
    bool first = true;
    ir_buf text;

    ir_buf_init(&text, x->arena);
    cg_kernel_print_places(&text, k, &places);
    ir_buf_str(b, "{");
    rt_json_text(b, &first, "name", k->name);
    rt_json_name(b, &first, "plans");
    ir_buf_str(b, k->plans || k == x->low.module->kernel[0] ? "true" : "false");
    rt_json_number(b, &first, "flops", (double)k->flops);
    rt_json_number(b, &first, "bytes", (double)cg_kernel_bytes(k));
    rt_json_number(b, &first, "weight", (double)cg_kernel_weight(k));
    if (x->plan.target.grid && k != x->low.module->kernel[0])
        write_launch(b, &first, cg_launch_of(k));
    rt_counter *row = row_of(x, k->name);
    if (row) {
        rt_json_number(b, &first, "runs",
                       (double)atomic_load(&row->runs) / (double)x->o->calls);
        rt_json_number(b, &first, "took", measured_time(x, row));
    }
    rt_json_name(b, &first, "text");
    rt_json_bytes(b, text.text, text.n);
    write_lines(x, b, &text, &places);
    ir_buf_str(b, "}\n");
}

/* How often an instruction of a plan runs, as far as bounds are constant; by instruction. */
static void
count_runs(const cg_kernel *k, const cg_region *r, double times, double *runs)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_block *x = k->insn[r->insn[i]].block;
        int64_t lo, hi;
        double inner = times;

        runs[r->insn[i]] = times;
        if (!x)
            continue;
        if (k->insn[r->insn[i]].op == CG_LOOP && cg_is_const(k, x->lo, &lo) &&
            cg_is_const(k, x->hi, &hi))
            inner *= hi > lo ? ceil((double)(hi - lo) / (double)x->step) : 0;
        count_runs(k, &x->body, inner, runs);
        count_runs(k, &x->other, inner, runs);
    }
}

static void
write_numbers(const rt_exploring *x, ir_buf *b, const cg_record_step *s)
{
    bool first = true;

    ir_buf_str(b, ",\"nodes\":[");
    for (uint32_t i = 0; i < s->n; i++) {
        const uint32_t number = rt_explore_number(x, x->record.loc[s->first + i]);

        if (number) {
            rt_json_next(b, &first);
            ir_buf_printf(b, "%u", number);
        }
    }
    ir_buf_str(b, "]");
}

/* The buffers of the plan that the statement reads, or writes. */
static void
write_buffers(const rt_exploring *x, ir_buf *b, const cg_insn *n, bool writes)
{
    const cg_kernel *k = n->op == CG_CALL ? x->low.module->kernel[n->call->kernel] : NULL;
    bool first = true;

    ir_buf_str(b, writes ? ",\"writes\":[" : ",\"reads\":[");
    for (uint32_t i = 0, at = 0; k && at < (uint32_t)n->call->n_buffers && i < k->n_buffers;
         i++) {
        if (!is_array(&k->buffer[i]))
            continue;
        if ((k->buffer[i].space == CG_OUT) == writes) {
            rt_json_next(b, &first);
            ir_buf_printf(b, "%u", n->call->buffer[at]);
        }
        at++;
    }
    if (!k)
        ir_buf_printf(b, "%u", n->call->buffer[writes ? 0 : 1]);
    ir_buf_str(b, "]");
}

/* A step of a plan, and what is known of it. */
typedef struct step_time {
    double runs; /* in a run of the entry */
    double time; /* nanoseconds of these */
} step_time;

static void
write_step(const rt_exploring *x, ir_buf *b, const cg_record_step *s, step_time t)
{
    const cg_insn *n = &s->plan->insn[s->insn];
    const cg_kernel *k = n->op == CG_CALL ? x->low.module->kernel[n->call->kernel] : NULL;
    bool first = true;

    ir_buf_str(b, "{");
    rt_json_number(b, &first, "plan", rt_explore_kernel(x, s->plan));
    rt_json_number(b, &first, "at", s->at);
    rt_json_number(b, &first, "kernel", k ? n->call->kernel : -1);
    rt_json_number(b, &first, "runs", t.runs);
    rt_json_number(b, &first, "time", t.time);
    write_numbers(x, b, s);
    write_buffers(x, b, n, false);
    write_buffers(x, b, n, true);
    ir_buf_str(b, "}\n");
}

/* By kernel: how often each instruction of a plan runs while the plan runs once; and how often
 * the plan runs, negative until it is known. */
typedef struct run_counts {
    double **inside, *times;
} run_counts;

static run_counts
new_counts(const rt_exploring *x, uint32_t n)
{
    run_counts c = { IR_NEW_N(x->arena, double *, n + 1), IR_NEW_N(x->arena, double, n + 1) };

    for (uint32_t i = 0; i < n; i++)
        c.times[i] = i == 0 ? 1 : -1;
    return c;
}

static double runs_of_plan(const rt_exploring *x, run_counts *c, uint32_t number);

static double
runs_of(const rt_exploring *x, run_counts *c, const cg_record_step *s)
{
    const cg_kernel *plan = s->plan;
    const uint32_t number = rt_explore_kernel(x, plan);

    if (!c->inside[number]) {
        c->inside[number] = IR_NEW_N(x->arena, double, plan->n_insns + 1);
        count_runs(plan, &plan->body, 1, c->inside[number]);
    }
    return runs_of_plan(x, c, number) * c->inside[number][s->insn];
}

/* A function's plan runs at each step that calls it. */
static double
runs_of_plan(const rt_exploring *x, run_counts *c, uint32_t number)
{
    if (c->times[number] >= 0)
        return c->times[number];
    c->times[number] = 0;
    double times = 0;
    for (uint32_t i = 0; i < x->record.n_steps; i++) {
        const cg_record_step *s = &x->record.step[i];
        const cg_insn *n = &s->plan->insn[s->insn];

        if (n->op == CG_CALL && (uint32_t)n->call->kernel == number)
            times += runs_of(x, c, s);
    }
    return c->times[number] = times;
}

/* What all steps of a kernel took, or all copies, is divided among them as it is estimated. */
static void
measure_steps(const rt_exploring *x, step_time *t)
{
    const cg_module *m = x->low.module;
    double *all = IR_NEW_N(x->arena, double, m->n_kernels + 1); /* by kernel; copies are last */

    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < x->record.n_steps; i++) {
            const cg_record_step *s = &x->record.step[i];
            const cg_insn *n = &s->plan->insn[s->insn];
            const uint32_t k = n->op == CG_CALL ? (uint32_t)n->call->kernel : m->n_kernels;
            rt_counter *row = row_of(x, n->op == CG_CALL ? m->kernel[k]->name : rt_copies);

            if (pass == 0)
                all[k] += t[i].time;
            else
                t[i].time = row && all[k] > 0 ? measured_time(x, row) * t[i].time / all[k] : 0;
        }
}

static step_time *
time_steps(const rt_exploring *x)
{
    const cg_module *m = x->low.module;
    run_counts counts = new_counts(x, m->n_kernels);
    step_time *t = IR_NEW_N(x->arena, step_time, x->record.n_steps + 1);
    const rates r = rates_of(x);

    for (uint32_t i = 0; i < x->record.n_steps; i++) {
        const cg_record_step *s = &x->record.step[i];
        const cg_insn *n = &s->plan->insn[s->insn];
        const cg_kernel *k = n->op == CG_CALL ? m->kernel[n->call->kernel] : NULL;

        t[i].runs = runs_of(x, &counts, s);
        t[i].time = t[i].runs *
                    (k ? k->plans ? 0 : time_of(r, k) : r.launch + (double)n->imm / r.bytes);
    }
    if (x->o->profile)
        measure_steps(x, t);
    return t;
}

void
rt_explore_kernels(const rt_exploring *x, ir_buf *b)
{
    const cg_module *m = x->low.module;
    const step_time *t = m ? time_steps(x) : NULL;
    bool first = true;

    ir_buf_str(b, "\"kernels\":[");
    for (uint32_t i = 0; m && i < m->n_kernels; i++) {
        rt_json_next(b, &first);
        write_kernel(x, b, m->kernel[i]);
    }
    ir_buf_str(b, "],\"reasons\":");
    rt_json_string(b, m ? m->why : "");
    ir_buf_str(b, ",\"steps\":[");
    first = true;
    for (uint32_t i = 0; m && i < x->record.n_steps; i++) {
        rt_json_next(b, &first);
        write_step(x, b, &x->record.step[i], t[i]);
    }
    ir_buf_str(b, "]");
}
