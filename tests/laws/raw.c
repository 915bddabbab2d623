/* Graphs as they are written (tests/raw/raw.h) against the same graphs after passes, and after
 * all of them.
 *
 *   law_raw FIRST STEP      programs FIRST, FIRST + STEP, ... of the laws
 *
 * Of each program, its jvp and its vjp:
 *   - inline, simplify, dce, hoist, unroll and count change no bit, on ordinary numbers and on
 *     special ones;
 *   - the prepared graph's results, which the evaluator gives, are those of the raw graph: to
 *     the last bit where it has no complex number, no composite op and nothing that contracts,
 *     else within BOUND roundings, and two for each element of the longest operand, of the
 *     largest number that occurs in a result or an operand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes/pass.h"
#include "runtime/check.h"
#include "tests/raw/raw.h"
#include "tests/laws/programs.h"

enum { BOUND = 64 };

static int judged, exact, close_by, left_out, compared;

static const struct pass {
    const char *name;
    cot_status (*run)(const ir_graph *f, ir_graph **out);
} passes[] = {
    { "inline", pass_inline }, { "simplify", pass_simplify },
    { "dce", pass_dce },       { "hoist", pass_hoist },
    { "unroll", pass_unroll }, { "while_to_scan", pass_while_to_scan },
    { "boxes", pass_boxes },
};

static const char *
words(const laws_program *p, const char *of, const char *how)
{
    return ir_format(&p->f->ctx->arena, "%s, %s", of, how);
}

static void
same_bits(const laws_program *p, const char *what, const ir_graph *f, void *const *want,
          void *const *got)
{
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        const int64_t k = laws_differ(t, want[i], got[i]);
        if (k >= 0) {
            laws_fail(p, what,
                      ir_format(&f->ctx->arena,
                                "result %d, number %lld is %.17g; the raw graph's is %.17g", i,
                                (long long)k, laws_load(t->dtype, got[i], k),
                                laws_load(t->dtype, want[i], k)));
            return;
        }
    }
}

static void
check_passes(const laws_program *p, const char *of, const ir_graph *f, void *const *in,
             void *const *want)
{
    for (size_t k = 0; k < sizeof passes / sizeof *passes; k++) {
        ir_graph *g;
        void **got;
        if (passes[k].run(f, &g) != COT_OK) {
            laws_fail(p, words(p, of, passes[k].name), cot_error(f->ctx));
            continue;
        }
        got = laws_values(g->n_out, g->out, g);
        if (raw_eval(g, got, in) != COT_OK)
            laws_fail(p, words(p, of, passes[k].name), cot_error(f->ctx));
        else
            same_bits(p, words(p, of, passes[k].name), f, want, got);
        laws_free(g->n_out, got);
        compared++;
    }
}

/* Are all values of f real, and its ops the evaluator's own?  And nothing that contracts: a sum
 * of products. */
static bool
is_plain(const ir_graph *f)
{
    bool muls = false, adds = false;

    ir_each_node (n, f) {
        muls |= n->op == OP_mul;
        adds |= n->op == OP_add || n->op == OP_sub;
        if (ir_ops[n->op].flag == IR_FLOW)
            return false;
    }
    return !f->complex && !f->expands && !(muls && adds);
}

static double
precision(cot_dtype t)
{
    const cot_dtype p = ir_part_type(t);

    return p == COT_F64 ? 0x1p-52 : p == COT_F32 ? 0x1p-23 : p == COT_F16 ? 0x1p-10 : 0x1p-7;
}

static double
roundings(const ir_graph *f)
{
    int64_t most = 0;

    for (int i = 0; i < f->n_in; i++)
        if (ir_type_at(f, f->in[i])->size > most)
            most = ir_type_at(f, f->in[i])->size;
    return BOUND + 2 * (double)most;
}

static double
largest(const ir_graph *f, int n, const ir_ref *v, void *const *x, double most)
{
    for (int i = 0; i < n; i++)
        for (int64_t k = 0; k < laws_parts(ir_type_at(f, v[i])); k++) {
            const double y = fabs(laws_load(ir_type_at(f, v[i])->dtype, x[i], k));
            if (isfinite(y) && y > most)
                most = y;
        }
    return most;
}

static void
near_by(const laws_program *p, const char *what, const ir_graph *f, double scale,
        void *const *want, void *const *got)
{
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        for (int64_t k = 0; k < laws_parts(t); k++) {
            const double x = laws_load(t->dtype, got[i], k),
                         y = laws_load(t->dtype, want[i], k),
                         most = ir_is_inexact(t->dtype)
                                    ? roundings(f) * precision(t->dtype) * scale
                                    : 0;
            /* near the largest number another order overflows, and inf - inf is NaN */
            const double near_end = ir_part_type(t->dtype) == COT_F64 ? 0x1p991 : 0x1p95;
            const bool beyond = ir_is_complex(t->dtype) && !isfinite(x - y) &&
                                !(fabs(x) < near_end) && !(fabs(y) < near_end);
            if (x == y || (isnan(x) && isnan(y)) || beyond || fabs(x - y) <= most)
                continue;
            laws_fail(p, what,
                      ir_format(&f->ctx->arena,
                                "result %d, number %lld is %.17g; the raw graph's is %.17g", i,
                                (long long)k, x, y));
            return;
        }
    }
}

static void
check_prepared(const laws_program *p, const char *of, const ir_graph *f, void *const *in,
               void *const *want)
{
    void **got;

    if (rt_run_graph(f, &(cot_compile_options){ .backend = "eval" }, in, &got) != COT_OK) {
        laws_fail(p, words(p, of, "prepared"), cot_error(f->ctx));
    } else if (is_plain(f)) {
        exact++;
        same_bits(p, words(p, of, "prepared"), f, want, got);
    } else {
        const double scale =
            largest(f, f->n_in, f->in, in, largest(f, f->n_out, f->out, want, 1));
        close_by++;
        near_by(p, words(p, of, "prepared"), f, scale, want, got);
    }
}

static void
check(const laws_program *p, const char *of, const ir_graph *f, laws_filler *fill)
{
    uint64_t seed = 6000 + (uint64_t)p->number;
    void **in = laws_sample(f, &seed, p->lo, p->hi, fill),
         **want = laws_values(f->n_out, f->out, f);

    if (raw_eval(f, want, in) != COT_OK) {
        left_out++;
        cot_error_clear(f->ctx);
    } else {
        judged++;
        check_passes(p, of, f, in, want);
        if (fill == laws_fill) /* what is special has many kinds of NaN and infinity */
            check_prepared(p, of, f, in, want);
    }
    laws_free(f->n_in, in);
    laws_free(f->n_out, want);
}

static bool
is_floating(const ir_graph *f, int n, const ir_ref *v)
{
    for (int i = 0; i < n; i++)
        if (ir_is_floating(f, v[i]))
            return true;
    return false;
}

static void
check_all(const laws_program *p, const void *user)
{
    static const char *const derived[] = { "jvp", "vjp" };
    ir_graph *g;

    (void)user;
    check(p, "itself", p->f, laws_fill);
    check(p, "itself", p->f, laws_fill_special);
    if (!is_floating(p->f, p->f->n_in, p->f->in) || !is_floating(p->f, p->f->n_out, p->f->out))
        return;
    for (int k = 0; k < 2; k++) {
        if ((k ? pass_vjp(p->f, NULL, 0, &g) : pass_jvp(p->f, NULL, 0, &g)) == COT_OK)
            check(p, derived[k], g, laws_fill);
        else
            cot_error_clear(p->f->ctx);
    }
}

int
main(int argc, char **argv)
{
    const int first = argc > 1 ? atoi(argv[1]) : 0,
              step = argc > 2 ? atoi(argv[2]) : laws_count();

    laws_each(first, step, laws_count(), true, check_all, NULL);
    printf("raw: %d graphs judged, %d without a definition; %d comparisons of passes, %d of "
           "prepared graphs to the last "
           "bit, %d within a bound; %d failures\n",
           judged, left_out, compared, exact, close_by, laws_failures);
    return laws_failures > 0;
}
