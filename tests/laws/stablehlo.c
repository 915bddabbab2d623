/* The laws of StableHLO text: `law_stablehlo LAW [FIRST [STEP]]` over the programs.
 *
 *   same       import of export is the same graph
 *   standins   the decompositions of composites compute what their ops do: the text with the composites under
 *              other names, so that import takes the decompositions, evaluated
 *
 * A failure prints the program's number, its text and why; the exit status is 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cotrace/stablehlo.h"
#include "tests/laws/programs.h"

static int failures, checked;

static void
report(const laws_program *p, const char *law, const char *why)
{
    failures++;
    printf("%s: program %d: %s\n%s", law, p->number, why, p->text);
    fflush(stdout);
}

typedef struct text {
    char *at;
    size_t n;
} text;

static void
keep(void *user, const char *at, size_t n)
{
    text *t = user;

    t->at = realloc(t->at, t->n + n + 1);
    memcpy(t->at + t->n, at, n);
    t->at[t->n += n] = '\0';
}

static const ir_graph *
import(const laws_program *p, const text *t)
{
    const cot_graph *g = NULL;

    return cot_import_stablehlo(p->f->ctx, "export.mlir", t->at, t->n, NULL, &g) == COT_OK ? g : NULL;
}

static const char *
printed(const ir_graph *g)
{
    ir_buf b;

    ir_buf_init(&b, &g->ctx->arena);
    ir_print(&b, g, 0);
    return b.text;
}

static void
same(const laws_program *p, text *t)
{
    const ir_graph *g = import(p, t);

    if (!g)
        report(p, "same", ir_format(&p->f->ctx->arena, "%s\n%s", cot_error(p->f->ctx), t->at));
    else if (!ir_graph_equal(p->f, g))
        report(p, "same", ir_format(&p->f->ctx->arena, "came back as\n%s%s", printed(g), t->at));
}

/* ---- stand-ins ---- */

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
    const ir_type **type = IR_NEW_N(&f->ctx->arena, const ir_type *, f->n_in + 1);
    uint64_t seed = 7000 + (uint64_t)p->number;

    for (int i = 0; i < f->n_in; i++)
        type[i] = ir_type_at(f, f->in[i]);
    void **in = laws_arrays(f->n_in, type), **want = laws_values(f->n_out, f->out, f), **found = laws_values(f->n_out, f->out, f);
    for (int i = 0; i < f->n_in; i++)
        laws_fill(&seed, type[i], f->in_name[i], p->lo, p->hi, in[i]);
    if (laws_eval(f, want, in) != COT_OK || laws_eval(g, found, in) != COT_OK)
        report(p, "standins", cot_error(f->ctx));
    for (int i = 0; i < f->n_out && f->ctx->status == COT_OK; i++)
        if (!near(ir_type_at(f, f->out[i]), want[i], found[i]))
            report(p, "standins", ir_format(&f->ctx->arena, "result %d differs\n%s", i, printed(g)));
    laws_free(f->n_in, in), laws_free(f->n_out, want), laws_free(f->n_out, found);
}

static void
standins(const laws_program *p, text *t)
{
    static const char prefix[] = "composite \"cotrace.";
    bool any = false;

    for (char *at = t->at; (at = strstr(at, prefix)) != NULL; at += sizeof prefix - 1) {
        memcpy(at, "composite \"another.", sizeof prefix - 1);
        any = true;
    }
    if (!any)
        return;
    const ir_graph *g = import(p, t);
    if (!g)
        report(p, "standins", ir_format(&p->f->ctx->arena, "%s\n%s", cot_error(p->f->ctx), t->at));
    else
        compare(p, g);
}

static void
check(const laws_program *p, const char *law)
{
    text t = { NULL, 0 };

    checked++;
    if (cot_export_stablehlo(p->f, keep, &t) != COT_OK) {
        if (p->f->ctx->status != COT_ERR_TARGET)        /* an effect, a collective: said so */
            report(p, law, cot_error(p->f->ctx));
    } else if (strcmp(law, "same") == 0) {
        same(p, &t);
    } else {
        standins(p, &t);
    }
    free(t.at);
}

int
main(int argc, char **argv)
{
    const char *law = argc > 1 ? argv[1] : "same";
    const int first = argc > 2 ? atoi(argv[2]) : 0, step = argc > 3 ? atoi(argv[3]) : argc > 2 ? laws_count() : 1;

    for (int i = first; i < laws_count(); i += step) {
        cot_context *ctx = cot_context_new(NULL);
        laws_program p;

        IR_TRY (ctx) {
            if (laws_make(ctx, i, &p))
                check(&p, law);
            else
                report(&p, law, cot_error(ctx));
        }
        cot_context_free(ctx);
    }
    printf("%s: %d programs, %d failures\n", law, checked, failures);
    return failures > 0;
}
