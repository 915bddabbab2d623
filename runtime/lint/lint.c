/* The search for findings: the public calls, and what the graph is made for it. */
#include "runtime/lint/lint.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "frontend/fn.h"
#include "ir/diag.h"
#include "passes/pass.h"
#include "runtime/check.h"
#include "runtime/compile.h"

enum { MOST_POINTS = 4000 };
#define FARTHEST 1000.0 /* of an argument without a range */

static double
largest_of(cot_dtype t)
{
    if (ir_is_inexact(t))
        return DBL_MAX;
    const int bits = ir_is_signed(t) ? ir_bits(t) - 1 : ir_bits(t);
    return bits > 53 ? 0x1p53 : ldexp(1, bits) - 1;
}

static void
set_range(lint_argument *a, double lo, double hi)
{
    const cot_dtype t = a->type->dtype;
    const double top = largest_of(t), least = ir_is_signed(t)    ? -top - 1
                                              : ir_is_inexact(t) ? -top
                                                                 : 0;

    a->lo = fmax(lo, least);
    a->hi = fmin(hi, top);
    if (ir_is_inexact(t))
        return;
    a->lo = ceil(a->lo);
    a->hi = floor(a->hi);
}

/* The number next to an end that is left out. */
static double
inside(cot_dtype t, double end, double towards)
{
    const double step = fabs(end) < 1 ? 1e-6 : fabs(end) * 0x1p-20;

    if (!ir_is_inexact(t))
        return end + (towards > end ? 1 : -1);
    return towards > end ? end + step : end - step;
}

static cot_status
read_range(lint_search *s, const cot_lint_range *r)
{
    if (r->argument < 0 || r->argument >= s->n_args)
        return ir_fail(s->ctx, 0, "lint", ERR_usage,
                       ir_format(s->arena, "a range is of argument %d; there are %d",
                                 r->argument, s->n_args));
    lint_argument *a = &s->arg[r->argument];
    const cot_dtype t = a->type->dtype;
    double lo = isinf(r->least) ? copysign(FARTHEST, r->least) : r->least,
           hi = isinf(r->most) ? copysign(FARTHEST, r->most) : r->most;
    if (isinf(r->most) && r->most > 0 && lo > FARTHEST / 2)
        hi = lo * 1000;
    if (isinf(r->least) && r->least < 0 && hi < -FARTHEST / 2)
        lo = hi * 1000;
    if (r->above && !isinf(r->least))
        lo = inside(t, lo, INFINITY);
    if (r->below && !isinf(r->most))
        hi = inside(t, hi, -INFINITY);
    set_range(a, lo, hi);
    if (!(a->lo <= a->hi))
        return ir_fail(s->ctx, 0, "lint", ERR_usage,
                       ir_format(s->arena, "the range of %s is empty: %.9g to %.9g", a->name,
                                 r->least, r->most));
    return COT_OK;
}

/* The key of a captured generator, which is the same at each point. */
static const uint64_t key[2] = { 1, 2 };

static cot_status
read_arguments(lint_search *s, const cot_lint_options *o)
{
    const ir_graph *f = s->f;

    s->n_args = f->n_in;
    s->arg = IR_NEW_N(s->arena, lint_argument, f->n_in + 1);
    for (int i = 0; i < f->n_in; i++) {
        const ir_hidden *hidden = &f->hidden[i];

        s->arg[i] = (lint_argument){ .type = ir_type_at(f, f->in[i]), .name = f->in_name[i] };
        if (!s->arg[i].name)
            s->arg[i].name = ir_format(s->arena, "argument %d", i);
        if (hidden->kind == IR_HIDDEN_KEY)
            s->arg[i].bound = key;
        else if (hidden->array)
            s->arg[i].bound = cot_array_data((cot_array *)hidden->array);
        set_range(&s->arg[i], -FARTHEST, FARTHEST);
    }
    for (int i = 0; o && i < o->n_ranges; i++)
        COT_TRY(read_range(s, &o->ranges[i]));
    return COT_OK;
}

/* What the evaluator runs: without writes and complex numbers, with bounded loops, silent. */
static cot_status
prepare(const ir_graph *g, const ir_graph **out)
{
    ir_graph *f = (ir_graph *)g;

    COT_TRY(pass_functionalize(f, true, &f));
    COT_TRY(pass_complex_memory(f, &f));
    COT_TRY(rt_tame(f, &f));
    *out = f;
    return COT_OK;
}

static int
by_line(const void *x, const void *y)
{
    const cot_finding *a = x, *b = y;
    const int files = strcmp(a->file ? a->file : "", b->file ? b->file : "");

    if (files)
        return files;
    return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                              : strcmp(a->text, b->text);
}

static void
report_of(const lint_search *s, cot_lint_report *out)
{
    cot_finding *at = IR_NEW_N(s->arena, cot_finding, s->n_found + 1);

    *out = (cot_lint_report){ .finding = at, .points = s->points };
    for (uint32_t i = 0; i < s->n_found; i++)
        if (s->found[i].finding.text)
            at[out->n++] = s->found[i].finding;
    qsort(at, (size_t)out->n, sizeof *at, by_line);
}

cot_status
rt_lint(const ir_graph *source, const ir_graph *g, const cot_lint_options *o,
        cot_lint_report *out)
{
    lint_search s = { .ctx = g->ctx, .arena = &g->ctx->arena };
    const int most = o && o->points > 0 ? o->points : MOST_POINTS;
    cot_status status;

    COT_TRY(prepare(g, &s.f));
    if (source == g)
        s.source = s.f;
    else if (source)
        COT_TRY(prepare(source, &s.source));
    COT_TRY(read_arguments(&s, o));
    s.limited = !(o && o->points > 0);
    s.run = ir_arena_take(s.ctx);
    status = rt_lint_fixed(&s, g);
    if (status == COT_OK)
        status = rt_lint_search_points(&s, most);
    ir_arena_give(s.run);
    if (status == COT_OK)
        report_of(&s, out);
    return status;
}

typedef struct lint_call {
    cot_fn *fn;
    cot_types types;
    const ir_graph *graph;
    const cot_lint_options *options;
    cot_lint_report *report;
} lint_call;

static cot_status
lint_body(cot_context *ctx, void *user)
{
    const lint_call *c = user;
    const ir_graph *g = c->graph;
    ir_graph *source = NULL;

    if (!c->report)
        return ir_fail_null(ctx, "lint", "report");
    *c->report = (cot_lint_report){ 0 };
    if (!g) {
        const ir_type **type = IR_NEW_N(&ctx->arena, const ir_type *, c->types.n + 1);

        COT_TRY(cot_trace_fn(c->fn, c->types, &g));
        for (int i = 0; i < c->types.n; i++)
            if (!(type[i] = ir_type_of(ctx, &cot_types_entries(&c->types)[i])))
                return ctx->status;
        if (fe_innermost(c->fn, c->types.n, type, &source) != COT_OK) {
            source = NULL; /* a mapped function has arguments of other types inside */
            cot_error_clear(ctx);
        }
    }
    return rt_lint(source, g, c->options, c->report);
}

cot_status
cot_lint(cot_fn *f, cot_types types, const cot_lint_options *options, cot_lint_report *report)
{
    lint_call c = { .fn = f, .types = types, .options = options, .report = report };

    return rt_guard(cot_fn_context(f), lint_body, &c);
}

cot_status
cot_lint_graph(const cot_graph *g, const cot_lint_options *options, cot_lint_report *report)
{
    lint_call c = { .graph = g, .options = options, .report = report };

    return g ? rt_guard(g->ctx, lint_body, &c) : COT_ERR_ARG;
}
