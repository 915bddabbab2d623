/* All points: what of a point is needed for a finding, and the range of numbers around it. */
#include <math.h>
#include <stdio.h>

#include "ir/diag.h"
#include "ir/limit.h"
#include "ir/number.h"
#include "runtime/lint/lint.h"
#include "runtime/trap.h"

enum { BISECTIONS = 30, AGAIN = 3, LEAST_POINTS = 2, MOST_WORK = 100000000 };

/* NaN and infinity of one op are one finding. */
static bool
same_kind(cot_lint_kind x, cot_lint_kind y)
{
    return x == y || (x <= COT_LINT_INFINITE && y <= COT_LINT_INFINITE);
}

bool
rt_lint_is_known(const lint_search *s, const lint_origin *at)
{
    for (uint32_t i = 0; i < s->n_found; i++)
        if (s->found[i].at.n == at->n && same_kind(s->found[i].at.kind, at->kind))
            return true;
    return false;
}

/* Is the same found at a point? */
static bool
shows(lint_search *s, const lint_point *p, const lint_origin *at)
{
    const ir_mark mark = ir_arena_mark(s->run);
    lint_origin *found;
    const int n =
        at->kind == COT_LINT_DIGITS ? rt_lint_digits(s, p, &found) : rt_lint_run(s, p, &found);
    bool is = false;

    for (int i = 0; i < n; i++)
        is |= found[i].n == at->n && same_kind(found[i].kind, at->kind);
    ir_arena_release(s->run, mark);
    return is;
}

/* Has the search cost enough?  Then no more points are tried, and ranges are not looked for. */
static bool
is_spent(const lint_search *s)
{
    return s->limited && s->work > MOST_WORK;
}

/* Is it found with that number? */
static bool
shows_with(lint_search *s, const lint_point *p, int arg, double x, const lint_origin *at)
{
    const double old = p->fill[arg].x;
    bool is;

    p->fill[arg].x = x;
    is = shows(s, p, at);
    p->fill[arg].x = old;
    return is;
}

/* The farthest number, from that of the point towards `end`, up to which it is found: by the
 * numbers that are tried for the argument, then by bisection up to the first at which it is
 * not. */
static double
farthest(lint_search *s, const lint_point *p, int arg, double end, const lint_origin *at)
{
    const double x = p->fill[arg].x, near = x + copysign(1e-6 * fmax(1, fabs(x)), end - x);
    const double *tried;
    const int n = rt_lint_candidates(s, arg, &tried), up = end > x;
    double good = x, bad = end;

    if (x == end || is_spent(s) || !shows_with(s, p, arg, near, at))
        return x;
    for (int i = up ? 0 : n - 1; i >= 0 && i < n && good != end; i += up ? 1 : -1) {
        if (up ? tried[i] <= good : tried[i] >= good)
            continue;
        bad = tried[i];
        if (!shows_with(s, p, arg, bad, at))
            break;
        good = bad;
    }
    for (int i = 0; i < BISECTIONS && good != end && bad != good; i++) {
        const double middle = good / 2 + bad / 2;
        if (shows_with(s, p, arg, middle, at))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* Make arguments ANY that it does not take; returns how many are left, and one of these. */
static int
reduce_point(lint_search *s, lint_point *p, const lint_origin *at, int *arg)
{
    int left = 0;

    *arg = -1;
    for (int i = 0; i < s->n_args; i++) {
        const lint_fill old = p->fill[i];
        if (old.how == LINT_ANY)
            continue;
        if (is_spent(s)) {
            *arg = i;
            left++;
            continue;
        }
        p->fill[i] = (lint_fill){ LINT_ANY, 0, 0 };
        if (shows(s, p, at))
            continue;
        p->fill[i] = old;
        *arg = i;
        left++;
    }
    return left;
}

/* The numbers of arguments, of the first elements of arrays. */
static const char *
example_of(lint_search *s, const lint_point *p)
{
    enum { SHOWN = 4 };
    void **in = rt_lint_fill_point(s, p);
    const char *text = "for example";

    for (int i = 0, k = 0; i < s->n_args && k < SHOWN; i++) {
        const lint_argument *a = &s->arg[i];
        if (a->bound || a->type->size == 0)
            continue;
        text = ir_format(s->arena, "%s%s %s%s is %.9g", text, k++ ? "," : "",
                         a->type->size > 1 ? "the first element of " : "", a->name,
                         rt_number(a->type, in[i], 0));
    }
    return text;
}

/* Does it show wherever numbers are drawn from? */
static bool
shows_everywhere(lint_search *s, const lint_point *p, const lint_origin *at)
{
    lint_point q = *p;

    for (int i = 0; i < AGAIN && !is_spent(s); i++) {
        q.seed = p->seed + 100 + (uint32_t)i;
        if (!shows(s, &q, at))
            return false;
    }
    return true;
}

/* An end with the digits that are told; *without: it is not found there itself. */
static double
told(lint_search *s, const lint_point *p, int arg, double end, const lint_origin *at,
     bool *without)
{
    char digits[32];
    double x;

    snprintf(digits, sizeof digits, "%.6g", fabs(end) < 1e-6 ? 0 : end);
    x = ir_strtod(digits, NULL);
    *without = x != p->fill[arg].x && !shows_with(s, p, arg, x, at);
    return x;
}

static lint_span
span_around(lint_search *s, const lint_point *p, int arg, const lint_origin *at)
{
    const double x = p->fill[arg].x, lo = farthest(s, p, arg, s->arg[arg].lo, at),
                 hi = farthest(s, p, arg, s->arg[arg].hi, at);
    lint_span span = { lo, hi, false, false };

    if (lo != x)
        span.lo = told(s, p, arg, lo, at, &span.above);
    if (hi != x)
        span.hi = told(s, p, arg, hi, at, &span.below);
    return span;
}

static lint_span
joined(lint_span x, lint_span y)
{
    const lint_span lo = x.lo <= y.lo ? x : y, hi = x.hi >= y.hi ? x : y;

    return (lint_span){ lo.lo, hi.hi, lo.above, hi.below };
}

/* The numbers of the only argument that matters for which it is found: those around the point,
 * and those around one more number apart from them. */
static int
spans_of(lint_search *s, const lint_point *p, int arg, const lint_origin *at, lint_span span[2])
{
    const double *x, own = p->fill[arg].x;
    const int n = rt_lint_candidates(s, arg, &x);
    int found = 1;

    span[0] = span_around(s, p, arg, at);
    for (int i = 0; i < n && found < 2 && !is_spent(s); i++) {
        if ((x[i] >= span[0].lo && x[i] <= span[0].hi) || !shows_with(s, p, arg, x[i], at))
            continue;
        p->fill[arg].x = x[i];
        span[found] = span_around(s, p, arg, at);
        p->fill[arg].x = own;
        if (span[1].lo > span[0].hi || span[1].hi < span[0].lo)
            found++;
        else
            span[0] = joined(span[0], span[1]);
    }
    return found;
}

/* Which inputs of f a node of it is made of; of a node inside another one, all. */
static const bool *
inputs_behind(lint_search *s, const lint_origin *at)
{
    const ir_graph *f = s->f;
    bool *behind = IR_NEW_N(s->arena, bool, f->n_values);
    bool *input = IR_NEW_N(s->arena, bool, s->n_args + 1);

    for (int i = 0; at->n && i < at->n->n_in && at->f == f; i++)
        behind[at->n->in[i]] = true;
    for (uint32_t i = f->n_nodes; i-- > 1 && at->f == f;) {
        const ir_node *n = &f->node[i];
        bool any = false;
        for (int j = 0; j < n->n_out; j++)
            any |= behind[n->first + (ir_ref)j];
        for (int k = 0; any && k < n->n_in; k++)
            behind[n->in[k]] = true;
    }
    for (int i = 0; i < s->n_args; i++)
        input[i] = at->f != f || behind[f->in[i]];
    return input;
}

/* Where no number of a point seems to matter, the numbers that were drawn may have it: an
 * argument that shows it with some number and not with another one.  Returns it; -1: none. */
static int
pin_argument(lint_search *s, lint_point *p, const lint_origin *at)
{
    const bool *behind = inputs_behind(s, at);

    for (int arg = 0; arg < s->n_args && !is_spent(s); arg++) {
        const double *x;
        const int n = s->arg[arg].bound || !behind[arg] ? 0 : rt_lint_candidates(s, arg, &x);
        int first = -1, without = 0;

        p->fill[arg].how = LINT_ALL;
        for (int i = 0; i < n && (first < 0 || !without); i++) {
            const bool is = shows_with(s, p, arg, x[i], at);
            without += !is;
            first = is && first < 0 ? i : first;
        }
        if (first >= 0 && without) {
            p->fill[arg].x = x[first];
            return arg;
        }
        p->fill[arg].how = LINT_ANY;
    }
    return -1;
}

static const char *
when_of(lint_search *s, lint_point *p, const lint_origin *at)
{
    lint_span span[2];
    int arg, n = 1, left = reduce_point(s, p, at, &arg);

    if (left == 0)
        left = (arg = pin_argument(s, p, at)) >= 0;
    if (left == 0)
        return shows_everywhere(s, p, at) ? "" : example_of(s, p);
    span[0] = (lint_span){ p->fill[arg].x, p->fill[arg].x, false, false };
    if (left == 1 && (p->fill[arg].how == LINT_ALL || p->fill[arg].how == LINT_ONE) &&
        ir_is_inexact(s->arg[arg].type->dtype))
        n = spans_of(s, p, arg, at, span);
    return rt_lint_describe(s, p, n, span);
}

static void
found_at(lint_search *s, const lint_point *p, const lint_origin *at)
{
    const size_t bytes = sizeof *p->fill * (size_t)s->n_args;
    lint_point q = { p->seed, ir_copy_bytes(s->arena, p->fill, bytes + 1) };
    const lint_origin own = *at;

    if (!rt_lint_is_known(s, at))
        rt_lint_keep(s, &own, &q, when_of(s, &q, &own));
}

/* One point, if the run does not fail there. */
static void
try_point(lint_search *s, const lint_point *p)
{
    lint_origin *found;
    int n;

    ir_arena_reset(s->run);
    n = rt_lint_run(s, p, &found);
    for (int i = 0; i < n; i++)
        found_at(s, p, &found[i]);
    if (n != 0 || !s->low || is_spent(s))
        return;
    n = rt_lint_digits(s, p, &found);
    for (int i = 0; i < n; i++)
        found_at(s, p, &found[i]);
}

cot_status
rt_lint_search_points(lint_search *s, int most)
{
    lint_point *point;
    const int n = rt_lint_points(s, most, &point);

    COT_TRY(rt_lint_digits_begin(s));
    ir_stage(s->ctx, "lint", s->f->name, (uint64_t)n);
    for (s->points = 0; s->points < n; s->points++) {
        if (is_spent(s) && s->points >= LEAST_POINTS)
            break;
        ir_stage_done(s->ctx, (uint64_t)s->points);
        COT_TRY(ir_check(s->ctx));
        try_point(s, &point[s->points]);
        if (s->ctx->status != COT_OK)
            return s->ctx->status;
    }
    return COT_OK;
}

const char *
rt_lint_place(lint_search *s, const cot_finding *x)
{
    return x->file ? ir_format(s->arena, "%s:%d", x->file, x->line) : s->f->name;
}

static const char *
result_text(lint_search *s, const lint_origin *at)
{
    switch (at->kind) {
    case COT_LINT_NAN: return ir_format(s->arena, "result %d is nan", at->result);
    case COT_LINT_INFINITE: return ir_format(s->arena, "result %d is infinite", at->result);
    case COT_LINT_DIGITS:
        return ir_format(s->arena, "result %d has %.0f of 24 bits", at->result,
                         at->error < 1 ? -log2(at->error) : 0.0);
    default: return "a result depends on it";
    }
}

void
rt_lint_keep(lint_search *s, const lint_origin *at, const lint_point *p, const char *when)
{
    const ir_node *primal = rt_lint_primal(s, at, p), *n = primal ? primal : at->n;
    cot_finding x = { .kind = at->kind, .op = ir_ops[n->op].name, .result = at->result };
    bool again = false;

    x.file = ir_loc_root(s->ctx, at->n->loc, &x.line);
    x.derived = rt_lint_derivation(s, at->n->loc);
    x.when = when;
    x.instead = rt_lint_instead(s, at, primal);
    for (uint32_t i = 0; i < s->n_found; i++) {
        const cot_finding *y = &s->found[i].finding;
        again |= y->text && same_kind(x.kind, y->kind) && x.line == y->line &&
                 x.file == y->file && strcmp(x.op, y->op) == 0;
    }
    if (!again)
        x.text = ir_format(s->arena, "%s: %s%s%s: %s%s%s; %s", rt_lint_place(s, &x), x.op,
                           *x.derived ? ", " : "", x.derived,
                           rt_op_text(s->arena, at->n, at->n_in, at->in, at->out),
                           !*when                          ? ""
                           : strncmp(when, "for ", 4) == 0 ? ", "
                                                           : " where ",
                           when, result_text(s, at));
    IR_PUSH(s->arena, s->found, s->n_found, s->cap_found, ((lint_found){ *at, primal, x }));
}
