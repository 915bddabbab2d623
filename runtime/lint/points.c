/* The points that are tried: numbers at which functions have poles, ends and ties, put into one
 * argument after the other, and numbers that are drawn.
 *
 * The numbers are 0 and a few magnitudes of both signs, the ends of the range, and the
 * constants of the graph, where comparisons change and which differences are taken from.
 * Magnitudes below 1e-6 are left out, since the square of every smaller number underflows
 * somewhere. */
#include "runtime/lint/lint.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_NUMBERS = 64, MAX_CONSTANTS = 16, MAX_PAIRED = 6, DRAWN = 8, NEAR = 2, LARGE = 10 };

/* x as a number of the type. */
static double
rounded(cot_dtype t, double x)
{
    uint64_t bits = 0;

    if (t == COT_BOOL)
        return x != 0;
    rt_set_element(t, &bits, 0, x);
    return rt_element(t, &bits, 0);
}

bool
rt_lint_has(const lint_argument *a, double x)
{
    return x >= a->lo && x <= a->hi && rounded(a->type->dtype, x) == x;
}

/* Sort, and drop what is there twice; 0 and -0 are two. */
static int
by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;

    return a != b ? (a > b) - (a < b) : (signbit(a) != 0) - (signbit(b) != 0);
}

static int
sorted(double *x, int n)
{
    int kept = 0;

    qsort(x, (size_t)n, sizeof *x, by_value);
    for (int i = 0; i < n; i++)
        if (kept == 0 || by_value(&x[i], &x[kept - 1]) != 0)
            x[kept++] = x[i];
    return kept;
}

/* The numbers of constants of f and its sub-functions. */
static int
constants_of(const lint_search *s, double *x, int most)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(s->f, true, &all, s->arena);
    int found = 0;

    for (uint32_t g = 0; g < graphs; g++)
        ir_each_node (n, all[g]) {
            const ir_data *d =
                ir_ops[n->op].record == IR_AT_constant ? &n->at->constant.data : NULL;

            if (d && d->n > 0 && found < most && d->type->dtype != COT_BOOL) {
                const double c = rt_number(d->type, d->bytes, 0);
                if (isfinite(c))
                    x[found++] = c;
            }
        }
    return found;
}

int
rt_lint_candidates(lint_search *s, int arg, const double **out)
{
    static const double magnitude[] = { 1e-5, 1e-3, 0.1, 0.5, 1, 2, 3, 10, 100, 1000 };
    const lint_argument *a = &s->arg[arg];
    double *x = IR_NEW_N(s->arena, double, MAX_NUMBERS), own[MAX_CONSTANTS];
    const int constants = constants_of(s, own, MAX_CONSTANTS);
    int n = 0;

    x[n++] = 0;
    x[n++] = -0.0;
    x[n++] = a->lo;
    x[n++] = a->hi;
    for (size_t i = 0; i < sizeof magnitude / sizeof *magnitude; i++) {
        x[n++] = magnitude[i];
        x[n++] = -magnitude[i];
    }
    for (int i = 0; i < constants; i++) {
        x[n++] = own[i];
        x[n++] = -own[i];
    }
    int kept = 0;
    for (int i = 0; i < n; i++) {
        const double r = rounded(a->type->dtype, x[i]);
        if (rt_lint_has(a, r))
            x[kept++] = r;
    }
    *out = x;
    return sorted(x, kept);
}

/* Points are made one by one; each begins with every argument ANY. */
typedef struct maker {
    lint_search *s;
    lint_point *at;
    int n, most;
    uint32_t seed;
} maker;

static lint_fill *
next_point(maker *m)
{
    lint_point *p = &m->at[m->n];

    if (m->n == m->most)
        return NULL;
    m->n++;
    p->seed = m->seed++;
    p->fill = IR_NEW_N(m->s->arena, lint_fill, m->s->n_args + 1);
    return p->fill;
}

static bool
varies(const lint_search *s, int arg)
{
    return !s->arg[arg].bound && s->arg[arg].type->size > 0;
}

/* One number in all arguments that may have it. */
static void
point_of_all(maker *m, lint_how how, double x)
{
    lint_fill *fill = next_point(m);

    for (int i = 0; fill && i < m->s->n_args; i++)
        if (varies(m->s, i) && rt_lint_has(&m->s->arg[i], x))
            fill[i] = (lint_fill){ how, x, 0 };
}

static void
point_of_one(maker *m, int arg, lint_how how, double x)
{
    lint_fill *fill = next_point(m);

    if (fill)
        fill[arg] = (lint_fill){ how, x, 0 };
}

static void
points_of_argument(maker *m, int arg)
{
    const lint_argument *a = &m->s->arg[arg];
    const double *x;
    const int n = rt_lint_candidates(m->s, arg, &x);

    for (int k = 0; k < n; k++)
        point_of_one(m, arg, LINT_ALL, x[k]);
    for (int k = 0; k < n && a->type->size > 1; k++)
        point_of_one(m, arg, LINT_ONE, x[k]);
    for (int k = 0; k < n && ir_is_inexact(a->type->dtype); k++)
        if (fabs(x[k]) >= LARGE)
            point_of_one(m, arg, LINT_NEAR, x[k]);
}

/* Equal arguments. */
static void
points_of_equals(maker *m, int i, int j)
{
    const lint_argument *a = &m->s->arg[i], *b = &m->s->arg[j];
    lint_fill *fill =
        a->type == b->type && a->lo == b->lo && a->hi == b->hi ? next_point(m) : NULL;

    if (fill)
        fill[j] = (lint_fill){ LINT_LIKE, 0, i };
}

/* Pairs of numbers in two arguments. */
static void
points_of_pair(maker *m, int i, int j)
{
    static const double both[] = { 0, 1, -1, 2, 1e-3, 100, -100 };
    enum { N = sizeof both / sizeof *both };
    const lint_argument *a = m->s->arg;

    for (int k = 0; k < N * N; k++) {
        const double x = rounded(a[i].type->dtype, both[k / N]),
                     y = rounded(a[j].type->dtype, both[k % N]);
        lint_fill *fill = rt_lint_has(&a[i], x) && rt_lint_has(&a[j], y) ? next_point(m) : NULL;
        if (fill) {
            fill[i] = (lint_fill){ LINT_ALL, x, 0 };
            fill[j] = (lint_fill){ LINT_ALL, y, 0 };
        }
    }
}

static void
points_drawn(maker *m, lint_how how)
{
    for (int k = 0; k < DRAWN; k++) {
        lint_fill *fill = next_point(m);
        for (int i = 0; fill && i < m->s->n_args; i++)
            if (varies(m->s, i))
                fill[i].how = how;
    }
}

static void
each_pair(maker *m, void points(maker *m, int i, int j))
{
    for (int i = 0; i < m->s->n_args && i < MAX_PAIRED; i++)
        for (int j = i + 1; j < m->s->n_args && j < MAX_PAIRED; j++)
            if (varies(m->s, i) && varies(m->s, j))
                points(m, i, j);
}

int
rt_lint_points(lint_search *s, int most, lint_point **out)
{
    static const double together[] = { 0, 1, -1, 0.5, 1e-3, 10, 100, 1000, -100, -1000 };
    maker m = { s, IR_NEW_N(s->arena, lint_point, most + 1), 0, most, 1 };
    int numbers = 0;

    for (int i = 0; i < s->n_args; i++)
        if (varies(s, i)) {
            points_of_argument(&m, i);
            numbers++;
        }
    each_pair(&m, points_of_equals);
    points_drawn(&m, LINT_ANY);
    for (size_t k = 0; k < sizeof together / sizeof *together && numbers > 1; k++) {
        point_of_all(&m, LINT_ALL, together[k]);
        if (fabs(together[k]) >= LARGE)
            point_of_all(&m, LINT_NEAR, together[k]);
    }
    points_drawn(&m, LINT_SPREAD);
    points_drawn(&m, LINT_WIDE);
    each_pair(&m, points_of_pair);
    *out = m.at;
    return m.n;
}

/* The element of an argument that is drawn: u in (0, 1), and a sign. */
static double
drawn(const lint_argument *a, lint_how how, uint64_t random)
{
    const double u = ldexp((double)((random >> 12) | 1), -52);
    double lo = a->lo, hi = a->hi, x;

    if (how == LINT_SPREAD && !(lo > 0)) {
        /* magnitudes from 1e-3 to the larger end */
        const double top = fmax(fmax(-lo, hi), 1e-3);
        x = 1e-3 * pow(top / 1e-3, u) * (random & 1 ? 1 : -1);
        return fmin(fmax(x, lo), hi);
    }
    if (how == LINT_SPREAD)
        return lo * pow(hi / lo, u);
    if (how != LINT_WIDE && ir_is_inexact(a->type->dtype)) {
        lo = fmax(lo, fmin(-2, hi - 1));
        hi = fmin(hi, fmax(2, lo + 1));
    } else if (how != LINT_WIDE) {
        lo = fmax(lo, fmin(0, hi));
        hi = fmin(hi, fmax(3, lo));
    }
    if (!ir_is_inexact(a->type->dtype))
        return floor(lo + u * (hi - lo + 1));
    return lo + u * (hi - lo);
}

static void
fill_argument(const lint_search *s, const lint_point *p, int arg, void *data)
{
    const lint_argument *a = &s->arg[arg];
    const lint_fill *how = &p->fill[arg];

    for (int64_t i = 0; i < a->type->size; i++) {
        const uint64_t random = ir_hash_u64(ir_hash_u64(p->seed, (uint64_t)arg), (uint64_t)i);
        double x = how->x;

        if (how->how == LINT_NEAR)
            x = fmin(fmax(x, a->lo + NEAR), a->hi - NEAR) + drawn(a, LINT_ANY, random);
        else if (how->how != LINT_ALL && (how->how != LINT_ONE || i > 0))
            x = drawn(a, how->how, random);
        rt_set_element(a->type->dtype, data, i, fmin(fmax(x, a->lo), a->hi));
    }
}

void **
rt_lint_fill_point(lint_search *s, const lint_point *p)
{
    void **in = IR_NEW_N(s->run, void *, s->n_args + 1);

    for (int i = 0; i < s->n_args; i++) {
        const lint_argument *a = &s->arg[i];

        if (a->bound)
            in[i] = (void *)a->bound;
        else if (p->fill[i].how == LINT_LIKE)
            in[i] = in[p->fill[i].of];
        else
            fill_argument(s, p, i, in[i] = ir_alloc(s->run, rt_bytes(a->type) + 1));
    }
    return in;
}

static const char *
elements_of(lint_search *s, int arg, bool all)
{
    const lint_argument *a = &s->arg[arg];

    if (a->type->size == 1)
        return a->name;
    return ir_format(s->arena, all ? "every element of %s" : "an element of %s", a->name);
}

/* "is 0", "is -1 or less or 1 or more" */
static const char *
describe_spans(lint_search *s, const lint_argument *a, int n, const lint_span *span)
{
    ir_arena *t = s->arena;
    const char *text = "is";

    for (int i = 0; i < n; i++) {
        const double lo = span[i].lo, hi = span[i].hi;
        const char *or = i ? " or" : "";
        if (lo == hi)
            text = ir_format(t, "%s%s %.9g", text, or, lo);
        else if (hi >= a->hi && lo <= a->lo)
            text = ir_format(t, "%s%s the same, whatever it is", text, or);
        else if (hi >= a->hi && span[i].above)
            text = ir_format(t, "%s%s more than %.6g", text, or, lo);
        else if (hi >= a->hi)
            text = ir_format(t, "%s%s %.6g or more", text, or, lo);
        else if (lo <= a->lo && span[i].below)
            text = ir_format(t, "%s%s less than %.6g", text, or, hi);
        else if (lo <= a->lo)
            text = ir_format(t, "%s%s %.6g or less", text, or, hi);
        else
            text = ir_format(t, "%s%s %s%.6g to %s%.6g", text, or,
                             span[i].above ? "more than " : "", lo,
                             span[i].below ? "less than " : "", hi);
    }
    return text;
}

static const char *
describe_argument(lint_search *s, int arg, const lint_fill *how, int n, const lint_span *span)
{
    ir_arena *t = s->arena;
    const lint_argument *a = &s->arg[arg];

    switch (how->how) {
    case LINT_ALL:
    case LINT_ONE:
        if (a->type->size == 1 && span->lo <= a->lo && span->hi >= a->hi)
            return ""; /* it is found whatever the number is */
        return ir_format(t, "%s %s", elements_of(s, arg, how->how == LINT_ALL),
                         describe_spans(s, a, n, span));
    case LINT_NEAR:
        return ir_format(t, "%s is within %d of %.9g", elements_of(s, arg, true), 2 * NEAR,
                         how->x);
    case LINT_LIKE: return ir_format(t, "%s equals %s", a->name, s->arg[how->of].name);
    case LINT_SPREAD: return ir_format(t, "%s has elements of all magnitudes", a->name);
    case LINT_WIDE: return ir_format(t, "%s is anywhere in its range", a->name);
    default: return "";
    }
}

const char *
rt_lint_describe(lint_search *s, const lint_point *p, int n, const lint_span *span)
{
    const char *text = "";
    int parts = 0;

    for (int i = 0; i < s->n_args; i++)
        parts += p->fill[i].how != LINT_ANY;
    for (int i = 0; i < s->n_args; i++) {
        const lint_fill *how = &p->fill[i];
        const lint_span one = { how->x, how->x, false, false };
        if (how->how == LINT_ANY)
            continue;
        const char *part =
            describe_argument(s, i, how, parts == 1 ? n : 1, parts == 1 ? span : &one);
        if (!*part)
            continue;
        text = ir_format(s->arena, "%s%s%s", text, *text ? " and " : "", part);
    }
    return text;
}
