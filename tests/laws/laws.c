/* The laws, on the reference evaluator: `laws NAME [FIRST [COUNT] | K/N]` runs one law over the
 * programs, or over part K of N, K from 0.
 *
 *   print        what prints parses back to the same graph
 *   ops          every op has a program here, or is left to other tests by name, and every rule
 *   vmap         vmap(f)(x)[i] has the bits of f(x[i]), for every choice of mapped arguments,
 *                mapped at the first axis, at the last, or in turns, and batches of 0, 1, 2 and
 *                11
 *   nothing      a map that maps no argument, with nothing to repeat, is the function itself
 *   levels       the same under two maps of which one maps nothing
 *   dot          <w, J v> = <J' w, v> in f64, for jvp and vjp of f
 *   differences  jvp agrees with central differences in f64
 *   commute      second derivatives commute: D2 f [u, v] = D2 f [v, u] in f64
 *   pairs        vmap of jvp and vjp, and jvp and vjp of vmap, agree with a loop of jvp and vjp
 *                in f64
 *   spread       the laws vmap and pairs of a vmap over groups, `over=world`, which also of
 *                products has the bits of f alone
 *
 * A failure prints the program's number, its text and the two values; the exit status is 1. */
#include "tests/laws/laws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "passes/rules.h"

enum { MAX_IN = 16 };

int law_checked;

bool
law_fail_error(const laws_program *p, const char *law, const char *step)
{
    char what[600];

    snprintf(what, sizeof what, "%s: %s", step, cot_error(p->f->ctx));
    cot_error_clear(p->f->ctx);
    return laws_fail(p, law, what);
}

void **
law_inputs(const laws_program *p, const ir_graph *f, uint64_t *seed)
{
    return laws_sample(f, seed, p->lo, p->hi, laws_fill);
}

void **
law_outputs(const ir_graph *f)
{
    return laws_values(f->n_out, f->out, f);
}

bool
law_run(const laws_program *p, const char *law, const ir_graph *f, void **out, void **in)
{
    return laws_eval(f, out, in) == COT_OK || law_fail_error(p, law, "evaluation");
}

/* ---- print ---- */

static bool
law_print(const laws_program *p)
{
    ir_buf b;
    ir_module m;

    ir_buf_init(&b, &p->f->ctx->arena);
    ir_print(&b, p->f, 0);
    if (ir_parse(p->f->ctx, "printed", b.text, b.n, &m) != COT_OK)
        return law_fail_error(p, "print", "parsing what printed");
    if (!ir_graph_equal(p->f, m.fn[m.n - 1]))
        return laws_fail(p, "print", "another graph came back");
    return true;
}

/* ---- vmap ---- */

/* Products may change their form under vmap: compare to the rounding of 700 terms. */
static bool
close_enough(const ir_type *t, const void *x, const void *y)
{
    const cot_dtype part = ir_part_type(t->dtype);
    double eps = part == COT_F64   ? 0x1p-52
                 : part == COT_F32 ? 0x1p-23
                 : part == COT_F16 ? 0x1p-10
                                   : 0x1p-7;

    for (int64_t i = 0; i < laws_parts(t); i++)
        if (fabs(laws_load(t->dtype, x, i) - laws_load(t->dtype, y, i)) >
            2000 * (t->dtype >= COT_F32 ? eps : 0) + eps * fabs(laws_load(t->dtype, x, i)))
            return false;
    return true;
}

/* Subset `mapped` of the arguments carries the axis: last in those of `last`, else first.
 * Results have it last where bit 0 of `last` is set. */
typedef struct mapping {
    unsigned mapped, last;
    int64_t size;
    const char *over; /* "world": the axis is spread */
} mapping;

static bool
compare_example(const laws_program *p, const mapping *m, int64_t example, const ir_type *t,
                const void *got, const void *want)
{
    char what[200];
    int64_t i = laws_differ(t, got, want);

    if (i < 0 || (p->blocks && ir_is_inexact(t->dtype) && close_enough(t, got, want)))
        return true;
    snprintf(
        what, sizeof what,
        "mapped 0x%x, 0x%x at the last axis, example %d of %d, element %d: mapped gives %.17g, "
        "alone %.17g",
        m->mapped, m->last, (int)example, (int)m->size, (int)i, laws_load(t->dtype, got, i),
        laws_load(t->dtype, want, i));
    return laws_fail(p, "vmap", what);
}

/* Example e of a batch of arrays of type t. */
static void
example_of(const mapping *m, bool last, const ir_type *t, int64_t e, const void *batch,
           void *out)
{
    size_t width = cot_dtype_size(t->dtype);

    for (int64_t k = 0; k < t->size; k++)
        memcpy((char *)out + (size_t)k * width,
               (const char *)batch + (size_t)(last ? k * m->size + e : e * t->size + k) * width,
               width);
}

/* Does g, f mapped, give for each example the bits of f?  Results come `copies` times, one
 * whole batch after the other. */
static bool
gives_loop(const laws_program *p, const mapping *m, const ir_graph *g, int copies,
           uint64_t *seed)
{
    const ir_graph *f = p->f;
    void **in = law_inputs(p, g, seed), **out = law_outputs(g), **one = law_outputs(f),
         **got = law_outputs(f);
    void **example = laws_values(f->n_in, f->in, f);

    for (int i = 0; i < f->n_in; i++)       /* the names of g's arguments may differ from f's */
        laws_fill(seed, ir_type_at(g, g->in[i]), f->in_name[i], p->lo, p->hi, in[i]);
    bool ok = law_run(p, "vmap", g, out, in);
    for (int64_t e = 0; e < m->size && ok; e++) {
        for (int i = 0; i < f->n_in; i++) {
            const ir_type *t = ir_type_at(f, f->in[i]);
            if (m->mapped >> i & 1)
                example_of(m, m->last >> i & 1, t, e, in[i], example[i]);
            else
                memcpy(example[i], in[i], laws_bytes(t));
        }
        ok = law_run(p, "vmap", f, one, example);
        for (int i = 0; i < f->n_out * copies && ok; i++) {
            const ir_type *t = ir_type_at(f, f->out[i / copies]);
            size_t batch = (size_t)m->size * laws_bytes(t);
            example_of(m, m->last & 1, t, e,
                       (char *)out[i / copies] + (size_t)(i % copies) * batch, got[i / copies]);
            ok = compare_example(p, m, e, t, got[i / copies], one[i / copies]);
        }
    }
    laws_free(f->n_in, example);
    laws_free(g->n_in, in);
    laws_free(g->n_out, out);
    laws_free(f->n_out, one);
    laws_free(f->n_out, got);
    return ok;
}

/* The mapped axis of a result of type t is there, at the right place. */
static bool
has_axis(const laws_program *p, const mapping *m, const ir_type *t, const ir_type *mapped)
{
    return (mapped->rank == t->rank + 1 && mapped->dims[m->last & 1 ? t->rank : 0] == m->size)
           || laws_fail(p, "vmap", "a result's type lacks the mapped axis");
}

static cot_status
map_subset(const ir_graph *f, const mapping *m, ir_graph **out)
{
    int64_t in_dims[MAX_IN], out_dim = m->last & 1 ? -1 : 0;
    pass_vmap_options o = { .in = { f->n_in, in_dims, false },
                            .out = { 1, &out_dim, true },
                            .size = m->size,
                            .sized = true,
                            .over = m->over };

    for (int i = 0; i < f->n_in; i++)
        in_dims[i] = m->mapped >> i & 1 ? (m->last >> i & 1 ? -1 : 0) : PASS_NO_AXIS;
    return pass_vmap(f, &o, out);
}

static bool
vmap_subset(const laws_program *p, const mapping *m, uint64_t *seed)
{
    ir_graph *g;

    if (map_subset(p->f, m, &g) != COT_OK)
        return law_fail_error(p, "vmap", "vmap");
    for (int i = 0; i < p->f->n_out; i++)
        if (!has_axis(p, m, ir_type_at(p->f, p->f->out[i]), ir_type_at(g, g->out[i])))
            return false;
    return gives_loop(p, m, g, 1, seed);
}

/* No example, one, two, and a prime that no shape has. */
static bool
law_vmap(const laws_program *p)
{
    static const int64_t sizes[] = { 0, 1, 2, 11 };
    static const unsigned last[] = { 0, ~0u, 0x55555555, 0xaaaaaaaa };
    uint64_t seed = (uint64_t)p->number;

    for (unsigned mapped = 1; mapped < 1u << p->f->n_in; mapped++)
        for (int k = 0; k < 16; k++)
            if ((k < 8 || (mapped & (mapped - 1))) && /* turns are for two arguments or more */
                !vmap_subset(p, &(mapping){ mapped, last[k / 4], sizes[k % 4], NULL }, &seed))
                return false;
    return true;
}

/* A group of a spread axis has the bits that it has alone: products keep their form. */
static bool
law_spread(const laws_program *p)
{
    static const int64_t sizes[] = { 0, 1, 3 };
    uint64_t seed = 7000 + (uint64_t)p->number;
    laws_program exact = *p;

    exact.blocks = false;
    for (unsigned mapped = 1; mapped < 1u << p->f->n_in; mapped++)
        for (int k = 0; k < 3; k++)
            if (!vmap_subset(&exact, &(mapping){ mapped, 0, sizes[k], "world" }, &seed))
                return false;
    return law_pairs(p, "world");
}

static bool
law_pairs_of_vmap(const laws_program *p)
{
    return law_pairs(p, NULL);
}

/* No rule of vmap is asked about an op without mapped operands, so that the function stays as
 * it is. */
static bool
law_nothing(const laws_program *p)
{
    const int64_t none = PASS_NO_AXIS;
    pass_vmap_options o = {
        .in = { 1, &none, true }, .out = { 1, &none, true }, .size = 3, .sized = true
    };
    ir_graph *g;

    if (pass_vmap(p->f, &o, &g) != COT_OK)
        return law_fail_error(p, "nothing", "vmap");
    return ir_graph_equal(p->f, g) || laws_fail(p, "nothing", "another function came back");
}

/* ---- ops ---- */

static bool met[OP_COUNT];

static bool
law_ops(const laws_program *p)
{
    ir_each_node (n, p->f)
        met[n->op] = true;
    return true;
}

/* Writes and views are gone before any rule runs, the rules of custom functions are their
 * users', and what is collective means nothing outside of a map; iota and constant have no
 * operand, and a custom function's tangent is transposed before anything maps it. */
static bool
elsewhere(ir_op op)
{
    return op == OP_custom_call || op == OP_custom_tangent || op == OP_clone ||
           op == OP_assign || ir_is_alias(op) || ir_ops[op].flag == IR_COLLECTIVE;
}

static void
every_op_was_met(void)
{
    for (int op = OP_FIRST; op < OP_COUNT; op++) {
        bool unmapped = op == OP_iota || op == OP_constant || op == OP_custom_tangent;
        bool ruled = jvp_rules[op] && transpose_rules[op] && vmap_rules[op] &&
                     (unmapped || vmap_rules[op] != vmap_never);

        if (ruled && (met[op] || elsewhere((ir_op)op)))
            continue;
        laws_failures++;
        printf("ops: %s %s\n", ir_ops[op].name, ruled ? "has no program" : "lacks a rule");
    }
}

/* Two maps of which one maps nothing: the outer (two copies of every batch), then the inner. */
static bool
law_levels(const laws_program *p)
{
    uint64_t seed = 6000 + (uint64_t)p->number;
    const mapping nothing = { 0, 0, 2, NULL };

    for (unsigned mapped = 1; mapped < 1u << p->f->n_in; mapped++) {
        const mapping m = { mapped, 0, 3, NULL };
        ir_graph *inner, *g;

        if (map_subset(p->f, &m, &inner) != COT_OK || map_subset(inner, &nothing, &g) != COT_OK)
            return law_fail_error(p, "levels", "vmap of nothing over vmap");
        if (!gives_loop(p, &m, g, 2, &seed))
            return false;
        if (map_subset(p->f, &nothing, &inner) != COT_OK || map_subset(inner, &m, &g) != COT_OK)
            return law_fail_error(p, "levels", "vmap over vmap of nothing");
        laws_program twice = *p;
        twice.f = inner; /* f's copies, known to be right from the first half */
        if (!gives_loop(&twice, &m, g, 1, &seed))
            return false;
    }
    return true;
}

static const struct { const char *name; bool (*check)(const laws_program *p); } laws[] = {
    { "print", law_print }, { "vmap", law_vmap }, { "dot", law_dot },
    { "differences", law_differences }, { "commute", law_commute },
    { "pairs", law_pairs_of_vmap }, { "spread", law_spread },
    { "levels", law_levels }, { "nothing", law_nothing }, { "ops", law_ops },
};

static void
check(const laws_program *p, const void *law)
{
    laws[*(const int *)law].check(p);
}

int
main(int argc, char **argv)
{
    int first = argc > 2 ? atoi(argv[2]) : 0, count = argc > 3   ? atoi(argv[3])
                                                      : argc > 2 ? 1
                                                                 : laws_count();
    int law = 0, n_laws = sizeof laws / sizeof *laws, step = 1;

    while (law < n_laws && (argc < 2 || strcmp(argv[1], laws[law].name) != 0))
        law++;
    if (law == n_laws) {
        fprintf(stderr,
                "usage: laws ops|print|vmap|nothing|levels|dot|differences|commute|pairs|"
                "spread "
                "[first [count] | k/n]\n");
        return 2;
    }
    if (argc == 3 && laws_part(argv[2], &first, &step))
        count = laws_count();
    const int end = first + count < laws_count() ? first + count : laws_count();
    laws_each(first, step, end, true, check, &law);
    if (laws[law].check == law_ops)
        every_op_was_met();
    printf("%s: %d programs, %d failures\n", laws[law].name,
           law_checked ? law_checked : (end - first + step - 1) / step, laws_failures);
    return laws_failures > 0;
}
