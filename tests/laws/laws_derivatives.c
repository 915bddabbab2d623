/* The laws of derivatives, in f64: jvp against vjp, against differences and against itself, and
 * both beside vmap.  laws.c says what each one states. */
#include "tests/laws/laws.h"

#include <math.h>
#include <stdio.h>

#include "passes/rules.h"

enum { EXAMPLES = 3, MAX_IN = 16 };

static bool
floating(const ir_graph *f, ir_ref v)
{
    return ir_part_type(ir_type_at(f, v)->dtype) == COT_F64;
}

/* Only f64 (and what is not floating). */
static bool
in_f64(const ir_graph *f)
{
    bool any_in = false, any_out = false;

    for (int i = 0; i < f->n_in; i++) {
        any_in |= floating(f, f->in[i]);
        if (ir_is_inexact(ir_type_at(f, f->in[i])->dtype) && !floating(f, f->in[i]))
            return false;
    }
    for (int i = 0; i < f->n_out; i++) {
        any_out |= floating(f, f->out[i]);
        if (ir_is_inexact(ir_type_at(f, f->out[i])->dtype) && !floating(f, f->out[i]))
            return false;
    }
    return any_in && any_out;
}

static int
count_floating(const ir_graph *f, int n, const ir_ref *v)
{
    int k = 0;

    for (int i = 0; i < n; i++)
        k += floating(f, v[i]);
    return k;
}

static void
add_inner(const ir_type *t, const double *x, const double *y, double *sum, double *scale)
{
    for (int64_t i = 0; i < laws_parts(t); i++) {
        *sum += x[i] * y[i];
        *scale += fabs(x[i] * y[i]);
    }
}

/* Inputs of jvp(f), whose first f->n_in are those of f; likewise those of vjp. */
bool
law_dot(const laws_program *p)
{
    const ir_graph *f = p->f;
    uint64_t seed = 1000 + (uint64_t)p->number;
    ir_graph *j, *r;
    double left = 0, right = 0, scale = 0;
    char what[200];

    if (!in_f64(f))
        return true;
    if (pass_jvp(f, NULL, 0, &j) != COT_OK)
        return law_fail_error(p, "dot", "jvp");
    if (pass_vjp(f, NULL, 0, &r) != COT_OK)
        return law_fail_error(p, "dot", "vjp");
    law_checked++;
    void **jin = law_inputs(p, j, &seed), **jout = law_outputs(j),
         **rin = law_inputs(p, r, &seed), **rout = law_outputs(r);
    for (int i = 0; i < f->n_in; i++) {     /* the same primals, with the names of f */
        laws_fill(&seed, ir_type_at(f, f->in[i]), f->in_name[i], p->lo, p->hi, jin[i]);
        memcpy(rin[i], jin[i], laws_bytes(ir_type_at(f, f->in[i])));
    }
    bool ok = law_run(p, "dot", j, jout, jin) && law_run(p, "dot", r, rout, rin);
    for (int i = 0, k = 0; i < f->n_out && ok; i++)
        if (floating(f, f->out[i])) {
            add_inner(ir_type_at(f, f->out[i]), jout[f->n_out + k], rin[f->n_in + k], &left,
                      &scale);
            k++;
        }
    for (int i = 0, k = 0; i < f->n_in && ok; i++)
        if (floating(f, f->in[i])) {
            add_inner(ir_type_at(f, f->in[i]), jin[f->n_in + k], rout[f->n_out + k], &right,
                      &scale);
            k++;
        }
    snprintf(what, sizeof what, "<w, J v> is %.17g, <J' w, v> is %.17g", left, right);
    if (ok && !(fabs(left - right) <= 1e-12 * scale))
        ok = laws_fail(p, "dot", what);
    laws_free(j->n_in, jin);
    laws_free(j->n_out, jout);
    laws_free(r->n_in, rin);
    laws_free(r->n_out, rout);
    return ok;
}

/* to = x + h v on floating inputs; the same elsewhere. */
static void
moved(const ir_graph *f, void **to, void **x, void **v, double h)
{
    for (int i = 0, k = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);

        memcpy(to[i], x[i], laws_bytes(t));
        if (!floating(f, f->in[i]))
            continue;
        for (int64_t e = 0; e < laws_parts(t); e++)
            ((double *)to[i])[e] += h * ((double *)v[k])[e];
        k++;
    }
}

/* The error of a central difference: h^2 f'''/6 + eps |f| / h, with h = 1e-5: some 1e-10 of
 * scale.  A result that stays infinite (the extremum of nothing) has the slope 0. */
bool
law_differences(const laws_program *p)
{
    const ir_graph *f = p->f;
    uint64_t seed = 2000 + (uint64_t)p->number;
    const double h = 1e-5;
    ir_graph *j;
    char what[200];

    if (!in_f64(f) || p->kinks)
        return true;
    if (pass_jvp(f, NULL, 0, &j) != COT_OK)
        return law_fail_error(p, "differences", "jvp");
    law_checked++;
    void **in = law_inputs(p, j, &seed), **out = law_outputs(j),
         **near = law_inputs(p, f, &seed);
    void **ahead = law_outputs(f), **behind = law_outputs(f);
    for (int i = 0; i < f->n_in; i++)
        laws_fill(&seed, ir_type_at(f, f->in[i]), f->in_name[i], p->lo, p->hi, in[i]);
    bool ok = law_run(p, "differences", j, out, in);
    moved(f, near, in, in + f->n_in, h);
    ok = ok && law_run(p, "differences", f, ahead, near);
    moved(f, near, in, in + f->n_in, -h);
    ok = ok && law_run(p, "differences", f, behind, near);
    for (int i = 0, k = 0; i < f->n_out && ok; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);

        if (!floating(f, f->out[i]))
            continue;
        for (int64_t e = 0; e < laws_parts(t) && ok; e++) {
            double a = ((double *)ahead[i])[e], b = ((double *)behind[i])[e];
            double slope = a == b ? 0 : (a - b) / (2 * h),
                   got = ((double *)out[f->n_out + k])[e];

            snprintf(what, sizeof what, "element %d: jvp gives %.17g, differences %.17g",
                     (int)e, got, slope);
            if (!(fabs(slope - got) <= 1e-6 * (1 + fabs(a) + fabs(got))))
                ok = laws_fail(p, "differences", what);
        }
        k++;
    }
    laws_free(j->n_in, in);
    laws_free(j->n_out, out);
    laws_free(f->n_in, near);
    laws_free(f->n_out, ahead);
    laws_free(f->n_out, behind);
    return ok;
}

/* g = jvp(jvp(f)) on (x, u, v, 0): its last outputs are D2 f(x) [u, v]. */
static bool
second(const laws_program *p, const ir_graph *g, int n_float, void **in, void **out, bool swap)
{
    int n = p->f->n_in;
    void *order[4 * MAX_IN];

    for (int i = 0; i < g->n_in; i++)
        order[i] = in[i];
    for (int k = 0; k < n_float && swap; k++) {
        order[n + k] = in[n + n_float + k];
        order[n + n_float + k] = in[n + k];
    }
    return law_run(p, "commute", g, out, order);
}

bool
law_commute(const laws_program *p)
{
    const ir_graph *f = p->f;
    uint64_t seed = 3000 + (uint64_t)p->number;
    ir_graph *j, *g;
    char what[200];

    if (!in_f64(f))
        return true;
    if (pass_jvp(f, NULL, 0, &j) != COT_OK || pass_jvp(j, NULL, 0, &g) != COT_OK)
        return law_fail_error(p, "commute", "jvp");
    law_checked++;
    int n = count_floating(f, f->n_in, f->in), m = count_floating(f, f->n_out, f->out);
    void **in = law_inputs(p, g, &seed), **uv = law_outputs(g), **vu = law_outputs(g);
    for (int i = 0; i < f->n_in; i++)
        laws_fill(&seed, ir_type_at(f, f->in[i]), f->in_name[i], p->lo, p->hi, in[i]);
    for (int i = f->n_in + 2 * n; i < g->n_in; i++)
        memset(in[i], 0, laws_bytes(ir_type_at(g, g->in[i])));
    bool ok = second(p, g, n, in, uv, false) && second(p, g, n, in, vu, true);
    for (int i = g->n_out - m; i < g->n_out && ok; i++)
        for (int64_t e = 0; e < laws_parts(ir_type_at(g, g->out[i])) && ok; e++) {
            double a = ((double *)uv[i])[e], b = ((double *)vu[i])[e];

            snprintf(what, sizeof what, "element %d: [u, v] gives %.17g, [v, u] %.17g", (int)e,
                     a, b);
            if (!(fabs(a - b) <= 1e-9 * (1 + fabs(a))))
                ok = laws_fail(p, "commute", what);
        }
    laws_free(g->n_in, in);
    laws_free(g->n_out, uv);
    laws_free(g->n_out, vu);
    return ok;
}

typedef cot_status derivative(const ir_graph *f, const pass_wrt *wrt, int aux, ir_graph **out);

/* Does `all` on the batch give, example by example, what `one` gives?  Pipelines may round
 * differently: 1e-9 of what the values are. */
static bool
agrees_with_loop(const laws_program *p, const char *how, const ir_graph *one,
                 const ir_graph *all, void **in)
{
    void **out = law_outputs(all), **want = law_outputs(one), *example[4 * MAX_IN];
    bool ok = law_run(p, "pairs", all, out, in);
    char what[200];

    for (int e = 0; e < EXAMPLES && ok; e++) {
        for (int i = 0; i < one->n_in; i++)
            example[i] = (char *)in[i] + (size_t)e * laws_bytes(ir_type_at(one, one->in[i]));
        ok = law_run(p, "pairs", one, want, example);
        for (int i = 0; i < one->n_out && ok; i++) {
            const ir_type *t = ir_type_at(one, one->out[i]);
            const char *got = (const char *)out[i] + (size_t)e * laws_bytes(t);

            for (int64_t k = 0; k < laws_parts(t) && ok; k++) {
                double x = laws_load(t->dtype, got, k), y = laws_load(t->dtype, want[i], k);

                snprintf(what, sizeof what,
                         "%s, example %d, result %d, element %d: %.17g, in a loop %.17g", how,
                         e, i, (int)k, x, y);
                if (x != y && !(isnan(x) && isnan(y)) && !(fabs(x - y) <= 1e-9 * (1 + fabs(y))))
                    ok = laws_fail(p, "pairs", what);
            }
        }
    }
    laws_free(all->n_out, out);
    laws_free(one->n_out, want);
    return ok;
}

/* Every argument mapped, at axis 0. */
static cot_status
map_all(const ir_graph *f, const char *over, ir_graph **out)
{
    const int64_t zero = 0;
    pass_vmap_options o = { .in = { 1, &zero, true },
                            .out = { 1, &zero, true },
                            .size = EXAMPLES,
                            .over = over };

    return pass_vmap(f, &o, out);
}

static bool
pair(const laws_program *p, derivative *d, const char *name, const char *over)
{
    const ir_graph *f = p->f;
    uint64_t seed = 5000 + (uint64_t)p->number;
    ir_graph *one, *mapped, *inside, *outside;

    if (d(f, NULL, 0, &one) != COT_OK || map_all(one, over, &outside) != COT_OK)
        return law_fail_error(p, "pairs", name);
    if (map_all(f, over, &mapped) != COT_OK || d(mapped, NULL, 0, &inside) != COT_OK)
        return law_fail_error(p, "pairs", name);
    law_checked++;
    void **in = law_inputs(p, outside, &seed);
    for (int i = 0; i < f->n_in; i++)
        laws_fill(&seed, ir_type_at(outside, outside->in[i]), f->in_name[i], p->lo, p->hi,
                  in[i]);
    bool ok =
        agrees_with_loop(p, ir_format(&f->ctx->arena, "vmap of %s", name), one, outside, in) &&
        agrees_with_loop(p, ir_format(&f->ctx->arena, "%s of vmap", name), one, inside, in);
    laws_free(outside->n_in, in);
    return ok;
}

bool
law_pairs(const laws_program *p, const char *over)
{
    if (!in_f64(p->f))
        return true;
    return pair(p, pass_jvp, "jvp", over) && pair(p, pass_vjp, "vjp", over);
}
