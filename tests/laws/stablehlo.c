/* The laws of StableHLO text: `law_stablehlo LAW [FIRST [STEP]]` over the programs.
 *
 *   same       import of export is the same graph, for the program and its reverse mode
 *   write      nothing is checked: to the folder $COT_OUT goes, for each program and its
 *              reverse mode, N.mlir or Nr.mlir, and beside it the bytes of operands and results
 *              in .bin, for tests/stablehlo_jax.py
 *   decompositions
 *              the decompositions of composites compute what their ops do: the text with the
 *              composites under other names, so that import takes the decompositions, evaluated
 *
 * A failure prints the program's number, its text and why; the exit status is 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "passes/pass.h"
#include "tests/laws/exported.h"
#include "tests/laws/programs.h"

static int checked;

static void
same(const laws_program *p, const ir_graph *f, exported_text *t)
{
    const ir_graph *g = exported_import(p->f->ctx, t);

    if (!g)
        laws_fail(p, "same", ir_format(&f->ctx->arena, "%s\n%s", cot_error(f->ctx), t->at));
    else if (!exported_same(f, g))
        laws_fail(p, "same",
               ir_format(&f->ctx->arena, "came back as\n%s%s", exported_printed(g), t->at));
}

/* Reverse mode of f, if it has one. */
static bool
reverse_of(const laws_program *p, ir_graph **r)
{
    int in = 0, out = 0;

    for (int i = 0; i < p->f->n_in; i++)
        in += ir_is_floating(p->f, p->f->in[i]);
    for (int i = 0; i < p->f->n_out; i++)
        out += ir_is_floating(p->f, p->f->out[i]);
    if (!in || !out || p->f->ctx->status != COT_OK)
        return false;
    if (pass_vjp(p->f, NULL, 0, r) == COT_OK)
        return true;
    cot_error_clear(p->f->ctx);
    return false;
}

static void
same_reverse(const laws_program *p)
{
    exported_text t = { NULL, 0 };
    ir_graph *r;

    if (!reverse_of(p, &r))
        return;
    const char *whole = exported_printed(r);
    ir_module m;        /* as it is read: some folds see more when all is built anew */
    if (ir_parse(r->ctx, "reverse.cot", whole, strlen(whole), &m) == COT_OK &&
        cot_export_stablehlo(m.fn[m.n - 1], exported_keep, &t) == COT_OK)
        same(p, m.fn[m.n - 1], &t);
    free(t.at);
}

static double
tolerance(cot_dtype t)
{
    switch (t) {
    case COT_F16: return 4e-3;
    case COT_BF16: return 4e-2;
    case COT_F32:
    case COT_C64: return 2e-5;
    case COT_F64:
    case COT_C128: return 1e-12;
    default: return 0;
    }
}

/* Within the tolerance of the largest element. */
static bool
near(const ir_type *t, const void *x, const void *y)
{
    double most = 1;

    for (int64_t i = 0; i < laws_parts(t); i++)
        if (isfinite(laws_load(t->dtype, x, i)))
            most = fmax(most, fabs(laws_load(t->dtype, x, i)));
    for (int64_t i = 0; i < laws_parts(t); i++) {
        const double a = laws_load(t->dtype, x, i), b = laws_load(t->dtype, y, i);
        if (isnan(a) ? !isnan(b) : a != b && !(fabs(a - b) <= tolerance(t->dtype) * most))
            return false;
    }
    return true;
}

static void
compare(const laws_program *p, const ir_graph *g)
{
    const ir_graph *f = p->f;
    uint64_t seed = 7000 + (uint64_t)p->number;
    void **in = laws_sample(f, &seed, p->lo, p->hi, laws_fill),
         **want = laws_values(f->n_out, f->out, f), **found = laws_values(f->n_out, f->out, f);

    if (laws_eval(f, want, in) != COT_OK || laws_eval(g, found, in) != COT_OK)
        laws_fail(p, "decompositions", cot_error(f->ctx));
    for (int i = 0; i < f->n_out && f->ctx->status == COT_OK; i++)
        if (!near(ir_type_at(f, f->out[i]), want[i], found[i]))
            laws_fail(
                p, "decompositions",
                ir_format(&f->ctx->arena, "result %d differs\n%s", i, exported_printed(g)));
    laws_free(f->n_in, in), laws_free(f->n_out, want), laws_free(f->n_out, found);
}

static void
decompositions(const laws_program *p, exported_text *t)
{
    static const char prefix[] = "composite \"cotrace.";
    bool any = false;

    for (char *at = t->at; (at = strstr(at, prefix)) != NULL; at += sizeof prefix - 1) {
        memcpy(at, "composite \"another.", sizeof prefix - 1);
        any = true;
    }
    if (!any)
        return;
    const ir_graph *g = exported_import(p->f->ctx, t);
    if (!g)
        laws_fail(p, "decompositions",
                  ir_format(&p->f->ctx->arena, "%s\n%s", cot_error(p->f->ctx), t->at));
    else
        compare(p, g);
}

/* f, a sample of its operands, and what the reference evaluator makes of it. */
static void
write_files(const laws_program *p, const ir_graph *f, const char *suffix)
{
    const char *folder = getenv("COT_OUT");
    const char *path =
        ir_format(&f->ctx->arena, "%s/%d%s", folder ? folder : ".", p->number, suffix);

    if (!exported_files(f, path, 9000 + (uint64_t)p->number, p->lo, p->hi))
        laws_fail(p, "write", "cannot write to $COT_OUT");
}

static void
write_both(const laws_program *p)
{
    ir_graph *r;

    write_files(p, p->f, "");
    if (reverse_of(p, &r))
        write_files(p, r, "r");
}

static void
check(const laws_program *p, const void *user)
{
    const char *law = user;
    exported_text t = { NULL, 0 };

    checked++;
    if (strcmp(law, "write") == 0)
        write_both(p);
    else if (cot_export_stablehlo(p->f, exported_keep, &t) != COT_OK) {
        if (p->f->ctx->status != COT_ERR_TARGET)        /* an effect, a collective: said so */
            laws_fail(p, law, cot_error(p->f->ctx));
    } else if (strcmp(law, "same") == 0) {
        same(p, p->f, &t);
        same_reverse(p);
    } else {
        decompositions(p, &t);
    }
    free(t.at);
}

int
main(int argc, char **argv)
{
    const char *law = argc > 1 ? argv[1] : "same";
    const int first = argc > 2 ? atoi(argv[2]) : 0, step = argc > 3   ? atoi(argv[3])
                                                           : argc > 2 ? laws_count()
                                                                      : 1;

    laws_each(first, step, laws_count(), false, check, law);
    printf("%s: %d programs, %d failures\n", law, checked, laws_failures);
    return laws_failures > 0;
}
