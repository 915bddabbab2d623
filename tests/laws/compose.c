/* Laws of transforms of transforms, on the reference evaluator, in f64: `compose SAMPLE [FIRST
 * [COUNT] | K/N]`, K/N being part K of N, K from 0.
 *
 * A chain applies transforms to a program, one after the other.  The last one is judged against
 * the graph it was given, by a law of its own that needs no other transform of the same kind:
 * vmap against a loop (of 0, 1, 2, 3 or 5 examples, any arguments mapped at the first axis or
 * the last), jvp against central differences, vjp by inner products with jvp, Jacobians by
 * their products with tangents, hessian by second tangents.  As each chain's head is a chain
 * too, this proves whole chains by induction.  Then simplify runs between any two transforms,
 * in every combination: the results stay those of the chain without it.  And each graph prints
 * as a text that parses back to it.
 *
 * Samples, the same in every run (a step shares no factor with the numbers that it steps
 * through):
 *
 *   ten        the ten compositions of torch.func's own tests, on every program
 *   pairs      every pair of the transforms below, on every program
 *   triples    of all triples on all programs, numbered, each TRIPLE_STEP-th
 *
 * A chain that would make a graph too large for the reference evaluator is left out; the
 * last line says how many.  A failure prints the chain, the program's number and text, and
 * the two values. */
#include <stdio.h>
#include <stdlib.h>

#include "passes/engine.h"
#include "tests/laws/compose.h"

enum { MAX_LINKS = 3, MAX_NODES = 1200, MAX_ELEMENTS = 4096, MAX_ORDER = 3, TRIPLE_STEP = 101 };

static int checked, left_out;
static int part, parts = 1;     /* of the chains that a sample has */

/* Is it one of this part?  Neighbours are of different parts. */
static bool
is_ours(int number)
{
    return number % parts == part;
}

typedef struct links {
    int n, at[MAX_LINKS];
} links;

/* Is the transform defined for f, and small enough? */
static bool
fits(const ir_graph *f, int which)
{
    int64_t n = chain_elements(f, f->n_out, f->out);

    if (!chain_in_f64(f) ||
        (chain_transforms[which].order && chain_count_floating(f, f->n_out, f->out) < f->n_out))
        return false;
    for (int k = 0; k < chain_transforms[which].order; k++)
        n *= chain_elements(f, f->n_in, f->in);
    return f->n_nodes <= MAX_NODES && n <= MAX_ELEMENTS;
}

/* A while keeps a tape of its steps for each derivative of a derivative: the reference
 * evaluator has no room for many. */
static bool
too_deep(const laws_program *p, const links *l)
{
    int nth = 0;

    for (int k = 0; k < l->n; k++)
        nth += chain_transforms[l->at[k]].nth;
    return nth > MAX_ORDER && strcmp(p->op, "while") == 0;
}

/* The chain over the program, simplified after link k where bit k of `tidy` is set.  False:
 * left out. */
static bool
build(chain *c, const links *l, unsigned tidy, bool *ok)
{
    ir_graph *h;

    c->h = c->p->f;
    c->name[0] = '\0';
    for (int k = 0; k < l->n; k++) {
        const chain_transform *t = &chain_transforms[l->at[k]];

        c->g = c->h;
        chain_salt = (unsigned)c->p->number * 4 + (unsigned)k;
        if (!fits(c->g, l->at[k]))
            return false;
        snprintf(c->name + strlen(c->name), sizeof c->name - strlen(c->name), "%s%s",
                 k ? " | " : "", t->name);
        *ok = t->make(c->g, &h) == COT_OK || chain_fail_error(c, t->name);
        if (*ok && tidy >> k & 1)
            *ok = pass_simplify(h, &h) == COT_OK || chain_fail_error(c, "simplify");
        if (!*ok)
            return true;
        c->h = h;
    }
    return true;
}

/* The same results with simplify in the places of `tidy`. */
static bool
simplified(const chain *c, const links *l, unsigned tidy)
{
    chain s = { .p = c->p };
    bool ok = true;

    if (!build(&s, l, tidy, &ok) || !ok)
        return ok;
    void **got = laws_values(s.h->n_out, s.h->out, s.h);
    snprintf(s.name + strlen(s.name), sizeof s.name - strlen(s.name), ", simplify 0x%x", tidy);
    ok = chain_run(&s, s.h, got, c->in);
    for (int j = 0; j < s.h->n_out && ok; j++)
        ok = chain_same(&s, "result", j, ir_type_at(s.h, s.h->out[j]), got[j], c->out[j], 1e-9);
    laws_free(s.h->n_out, got);
    return ok;
}

/* What prints parses back to the same graph. */
static bool
parses_back(const chain *c)
{
    cot_context *ctx = c->h->ctx;
    ir_buf b;
    ir_module m;

    ir_buf_init(&b, &ctx->arena);
    ir_print(&b, c->h, 0);
    if (ir_parse(ctx, "printed", b.text, b.n, &m) != COT_OK)
        return chain_fail_error(c, "parsing what printed");
    return ir_graph_equal(c->h, m.fn[m.n - 1]) ||
           chain_fail(c, "another graph came back from its text");
}

static void
check(const laws_program *p, const links *l)
{
    chain c = { .p = p };
    bool ok = true;

    if (too_deep(p, l) || !build(&c, l, 0, &ok)) {
        left_out++;
        return;
    }
    if (!ok)
        return;
    checked++;
    c.in = chain_sample(&c, c.h, 7000 + (uint64_t)p->number);
    c.out = laws_values(c.h->n_out, c.h->out, c.h);
    ok = parses_back(&c) && chain_run(&c, c.h, c.out, c.in) &&
         chain_transforms[l->at[l->n - 1]].law(&c);
    for (unsigned tidy = 1; tidy < 1u << l->n && ok; tidy++)
        ok = simplified(&c, l, tidy);
    laws_free(c.h->n_in, c.in);
    laws_free(c.h->n_out, c.out);
}

/* What torch.func's tests run each op under; grad is of the sum of the results. */
static void
sample_ten(const laws_program *p)
{
    static const links ten[] = {
        { 1, { CHAIN_GRAD } },      { 1, { CHAIN_JVP } },
        { 1, { CHAIN_VJP } },       { 2, { CHAIN_VJP, CHAIN_VJP } },
        { 2, { CHAIN_VJP, CHAIN_VMAP } }, { 3, { CHAIN_VJP, CHAIN_VJP, CHAIN_VMAP } },
        { 2, { CHAIN_JVP, CHAIN_VMAP } }, { 3, { CHAIN_VJP, CHAIN_JVP, CHAIN_VMAP } },
        { 2, { CHAIN_VMAP, CHAIN_VJP } }, { 2, { CHAIN_VJP, CHAIN_JVP } },
    };

    for (size_t k = 0; k < sizeof ten / sizeof *ten; k++)
        if (is_ours(p->number * 10 + (int)k))
            check(p, &ten[k]);
}

static void
sample_pairs(const laws_program *p)
{
    const int n = CHAIN_TRANSFORMS * CHAIN_TRANSFORMS;

    for (int k = 0; k < n; k++)
        if (is_ours(p->number * n + k))
            check(p, &(links){ 2, { k % CHAIN_TRANSFORMS, k / CHAIN_TRANSFORMS } });
}

static void
sample_triples(const laws_program *p)
{
    const int n = CHAIN_TRANSFORMS * CHAIN_TRANSFORMS * CHAIN_TRANSFORMS;

    for (int k = 0; k < n; k++)
        if ((p->number * n + k) % TRIPLE_STEP == 0 &&
            is_ours((p->number * n + k) / TRIPLE_STEP))
            check(p, &(links){ 3,
                               { k % CHAIN_TRANSFORMS, k / CHAIN_TRANSFORMS % CHAIN_TRANSFORMS,
                                 k / CHAIN_TRANSFORMS / CHAIN_TRANSFORMS } });
}

static const struct { const char *name; void (*run)(const laws_program *p); } samples[] = {
    { "ten", sample_ten }, { "pairs", sample_pairs }, { "triples", sample_triples },
};

static void
run_sample(const laws_program *p, const void *which)
{
    if (chain_in_f64(p->f))
        samples[*(const int *)which].run(p);
}

int
main(int argc, char **argv)
{
    int first = argc > 2 ? atoi(argv[2]) : 0, count = argc > 3   ? atoi(argv[3])
                                                      : argc > 2 ? 1
                                                                 : laws_count();
    int which = 0, n = sizeof samples / sizeof *samples;

    if (argc == 3 && laws_part(argv[2], &part, &parts)) {
        first = 0;
        count = laws_count();
    }
    while (which < n && (argc < 2 || strcmp(argv[1], samples[which].name) != 0))
        which++;
    if (which == n) {
        fprintf(stderr, "usage: compose ten|pairs|triples [first [count] | k/n]\n");
        return 2;
    }
    laws_each(first, 1, first + count < laws_count() ? first + count : laws_count(), false,
              run_sample, &which);
    printf("%s: %d chains, %d left out, %d failures\n", samples[which].name, checked, left_out,
           laws_failures);
    return laws_failures > 0;
}
