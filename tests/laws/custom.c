/* Laws of custom functions, on the reference evaluator, in f64: `custom [FIRST [COUNT]]`.
 *
 * Every program goes behind a name, with its own vjp as the rule that the text carries:
 * whatever is then done to the call must give what it gives without.  So the machinery around
 * rules (what is saved, cut off and mapped, levels, zeros, sums over what is shared, the
 * transpose that forward mode takes) adds nothing of its own.  Pipelines are those of users,
 * two and three transforms deep. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes/engine.h"
#include "tests/laws/programs.h"

enum { MAX_NODES = 1500, MAX_ELEMENTS = 4096 };

static const char *const pipelines[] = {
    "simplify",
    "vjp",
    "jvp",
    "linearize",
    "vmap(size=3)",
    "vmap(size=3) | vjp",
    "vjp | vmap(size=2)",
    "vmap(size=2) | jvp",
    "jvp | vmap(size=2)",
    "vmap(size=2) | vmap(size=3) | vjp",
    "vmap(size=2) | vjp | jvp",
    "vjp | jvp | vmap(size=2)",
    "jvp | vjp",
    "vjp | vjp",
};

static int checked, left_out;

static bool
fail(const laws_program *p, const char *pipeline, const char *what)
{
    char law[80];

    snprintf(law, sizeof law, "custom: %s", pipeline);
    laws_fail(p, law, what);
    cot_error_clear(p->f->ctx);
    return false;
}

static bool
suits(const ir_graph *f)
{
    bool any = false, all = true;
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);
        all &= !ir_is_inexact(t->dtype) || ir_part_type(t->dtype) == COT_F64;
        any |= i >= f->n_in && ir_is_inexact(t->dtype);
        all &= i >= f->n_in || f->hidden[i].kind == IR_SEEN;
    }
    bool in = false;
    for (int i = 0; i < f->n_in; i++)
        in |= ir_is_floating(f, f->in[i]);
    return any && all && in && f->n_inout == 0;
}

/* f's vjp on all of its inputs, saved, and all cotangents: the last results of pass_vjp. */
static cot_status
own_rule(const ir_graph *f, ir_graph **out)
{
    ir_graph *vjp;
    COT_TRY(pass_vjp(f, NULL, 0, &vjp));
    bool *in = IR_NEW_N(vjp->arena, bool, vjp->n_in + 1);
    bool *keep = IR_NEW_N(vjp->arena, bool, vjp->n_out + 1);
    for (int i = 0; i < vjp->n_in; i++)
        in[i] = true;
    for (int j = f->n_out; j < vjp->n_out; j++)
        keep[j] = true;
    return pass_restrict(vjp, in, keep, out);
}

static cot_status
behind_a_name(const ir_graph *f, ir_graph **out)
{
    ir_graph *rule;
    COT_TRY(own_rule(f, &rule));
    ir_build *b = ir_build_new(f->ctx, f->name);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, f->n_in + 1),
           *y = IR_NEW_N(b->arena, ir_ref, f->n_out + 1);
    int64_t *save = IR_NEW_N(b->arena, int64_t, f->n_in + 1);
    ir_graph **rules = IR_NEW_N(b->arena, ir_graph *, 1);
    for (int i = 0; i < f->n_in; i++) {
        x[i] = ir_input_like(b, f, f->in[i], "");
        save[i] = i;
    }
    rules[0] = rule;
    const ir_attrs at = { .custom = { .name = "f",
                                      .save = { f->n_in, save },
                                      .forward = (ir_graph *)f,
                                      .by = "vjp generate_vmap",
                                      .rules = { 1, rules } } };
    ir_add_node(b, OP_custom_call, f->n_in, x, &at, y);
    for (int j = 0; j < f->n_out; j++)
        ir_output(b, y[j]);
    return ir_build_end(b, out);
}

static bool
same(const ir_type *t, const void *got, const void *want, double tolerance)
{
    double scale = 1;
    for (int64_t i = 0; i < laws_parts(t); i++) {
        double x = fabs(laws_load(t->dtype, want, i));
        scale = isfinite(x) && x > scale ? x : scale;
    }
    for (int64_t i = 0; i < laws_parts(t); i++) {
        double x = laws_load(t->dtype, got, i), y = laws_load(t->dtype, want, i);
        if (!(x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance * scale))
            return false;
    }
    return true;
}

static void
compare(const laws_program *p, const char *pipeline, const ir_graph *f, const ir_graph *g)
{
    uint64_t seed = 500 + (uint64_t)p->number;
    void **in = laws_values(f->n_in, f->in, f), **want = laws_values(f->n_out, f->out, f);
    void **got = laws_values(g->n_out, g->out, g);
    bool ok = f->n_in == g->n_in && f->n_out == g->n_out;
    for (int i = 0; i < f->n_in; i++)
        laws_fill(&seed, ir_type_at(f, f->in[i]), i < p->f->n_in ? p->f->in_name[i] : "d",
                  i < p->f->n_in ? p->lo : -1, i < p->f->n_in ? p->hi : 1, in[i]);
    checked++;
    ok = ok && laws_eval(f, want, in) == COT_OK && laws_eval(g, got, in) == COT_OK;
    if (!ok)
        fail(p, pipeline, cot_error(f->ctx));
    for (int j = 0; j < f->n_out && ok; j++)
        if (!same(ir_type_at(f, f->out[j]), got[j], want[j], 1e-9))
            ok = fail(p, pipeline, "another result than without the name");
    laws_free(f->n_in, in);
    laws_free(f->n_out, want);
    laws_free(g->n_out, got);
}

static int64_t
elements(const ir_graph *f)
{
    int64_t sum = 0;
    for (int i = 0; i < f->n_in; i++)
        sum += ir_type_at(f, f->in[i])->size;
    return sum;
}

static void
check(const laws_program *p, const void *user)
{
    ir_graph *named, *f, *g;

    (void)user;
    if (!suits(p->f))
        return;
    if (behind_a_name(p->f, &named) != COT_OK) {
        cot_error_clear(p->f->ctx);             /* it has no derivative */
        left_out++;
        return;
    }
    for (size_t k = 0; k < sizeof pipelines / sizeof *pipelines; k++) {
        if (pass_pipeline(p->f, pipelines[k], NULL, NULL, &f) != COT_OK ||
            f->n_nodes > MAX_NODES || elements(f) > MAX_ELEMENTS) {
            cot_error_clear(p->f->ctx);
            left_out++;
        } else if (pass_pipeline(named, pipelines[k], NULL, NULL, &g) != COT_OK) {
            fail(p, pipelines[k], cot_error(p->f->ctx));
        } else {
            compare(p, pipelines[k], f, g);
        }
    }
}

int
main(int argc, char **argv)
{
    const int first = argc > 1 ? atoi(argv[1]) : 0;
    const int count = argc > 2 ? atoi(argv[2]) : argc > 1 ? 1 : laws_count();

    laws_each(first, 1, first + count, true, check, NULL);
    printf("custom: %d graphs, %d left out, %d failures\n", checked, left_out,
           laws_failures);
    return laws_failures > 0;
}
