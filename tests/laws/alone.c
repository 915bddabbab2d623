/* Results of an example do not depend on the batch that it is in:
 *
 *   law_alone [--c] FIRST STEP      of programs FIRST, FIRST + STEP, ... of the laws
 *
 * Each program and its vjp are run alone, and mapped in batches of 1, 2, 3, 33 and 257: over
 * all arguments, and over each argument in turn.  The example is the first and the last of its
 * batch, and all others are NaN.  Its bytes in the batch must be those that it has alone.  The
 * evaluator and the JIT, with --c C source as well, run all of these, and must have equal bits
 * (batch.h).
 *
 * docs/numerics.md names what is left out: a product of a matrix that all examples share with a
 * vector of each has another form than that of one example.  A program is left out where such a
 * product is in it, which the forms of its products say, and counted.
 *
 * A failure prints the program's number, its text and the two values; the exit status is 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/fuse/fuse.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/laws/batch.h"
#include "tests/laws/programs.h"

enum { MAX_IN = 16 };

static const int64_t sizes[] = { 1, 2, 3, 33, 257 };
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static int programs, batches, left_out, unbounded;
static bool with_c;

/* One function of a program, which has run alone: its number in the batch of programs. */
typedef struct alone {
    const laws_program *p;
    const ir_graph *f;
    const char *name;
    int at;
} alone;

/* A mapped run of it. */
typedef struct mapped_run {
    const alone *one;
    unsigned mapped; /* the set of arguments that carry the axis */
    int64_t size;
    int at;
} mapped_run;

/* The products of the inner form in f and what it calls. */
static int
inner_forms(const ir_graph *f)
{
    const ir_graph *const *all;
    const uint32_t graphs = ir_all_graphs(f, true, &all, f->arena);
    int n = 0;

    for (uint32_t i = 0; i < graphs; i++)
        ir_each_node (node, all[i])
            n += node->op == OP_dot_general && cg_is_inner_product(all[i], node);
    return n;
}

static void
fill_nan(const ir_type *t, void *array)
{
    for (int64_t i = 0; i < laws_parts(t); i++)
        laws_store(t->dtype, array, i, 0.0 / 0.0);
}

/* The example at the first and the last place, but of two at the last one. */
static bool
is_example(int64_t e, int64_t size)
{
    return e == size - 1 || (e == 0 && size != 2);
}

/* Operands of g: those of the example, and NaN or other numbers around it. */
static void **
operands(const mapped_run *m, const ir_graph *g, void *const *in)
{
    const laws_program *p = m->one->p;
    uint64_t seed = 77 + (uint64_t)p->number;
    void **all = laws_values(g->n_in, g->in, g);

    for (int i = 0; i < g->n_in; i++) {
        const ir_type *t = ir_type_at(m->one->f, m->one->f->in[i]);
        const size_t bytes = laws_bytes(t);

        laws_fill(&seed, ir_type_at(g, g->in[i]), m->one->f->in_name[i], p->lo, p->hi, all[i]);
        if (ir_is_inexact(t->dtype))
            fill_nan(ir_type_at(g, g->in[i]), all[i]);
        for (int64_t e = 0; e < (m->mapped >> i & 1 ? m->size : 1) && bytes; e++)
            if (!(m->mapped >> i & 1) || is_example(e, m->size))
                memcpy((char *)all[i] + (size_t)e * bytes, in[i], bytes);
    }
    return all;
}

static bool
fail(const mapped_run *m, const char *why)
{
    char what[400];

    snprintf(what, sizeof what, "%s, mapped 0x%x, batch of %d: %s", m->one->name, m->mapped,
             (int)m->size, why);
    return laws_fail(m->one->p, "alone", what);
}

static bool
compare(const batch *b, const mapped_run *m)
{
    const batch_program *one = &b->p[m->one->at], *all = &b->p[m->at];
    char what[200];

    for (int k = 0; k < one->f->n_out; k++) {
        const ir_type *t = ir_type_at(one->f, one->f->out[k]);

        for (int64_t e = 0; e < m->size; e++) {
            const char *got = (const char *)all->want[k] + (size_t)e * laws_bytes(t);
            const int64_t i = is_example(e, m->size) ? laws_differ(t, got, one->want[k]) : -1;
            if (i < 0)
                continue;
            snprintf(what, sizeof what, "result %d, example %d, element %d: %.17g, alone %.17g",
                     k, (int)e, (int)i, laws_load(t->dtype, got, i),
                     laws_load(t->dtype, one->want[k], i));
            return fail(m, what);
        }
    }
    return true;
}

static cot_status
map(const ir_graph *f, unsigned mapped, int64_t size, ir_graph **out)
{
    const int64_t first = 0;
    int64_t in[MAX_IN];
    pass_vmap_options o = {
        .in = { f->n_in, in, false }, .out = { 1, &first, true }, .size = size, .sized = true
    };

    for (int i = 0; i < f->n_in; i++)
        in[i] = mapped >> i & 1 ? 0 : PASS_NO_AXIS;
    return pass_vmap(f, &o, out);
}

static void
run_mapped(batch *b, mapped_run *m)
{
    ir_graph *g;
    batch_program p = b->p[m->one->at];

    if (map(m->one->f, m->mapped, m->size, &g) != COT_OK) {
        fail(m, cot_error(b->ctx));
        cot_error_clear(b->ctx);
        return;
    }
    if (inner_forms(g) != inner_forms(m->one->f)) {
        left_out++;
        return;
    }
    p = (batch_program){ .row = p.row,
                         .name = ir_format(&b->ctx->arena, "%s, mapped 0x%x, batch of %d",
                                           p.name, m->mapped, (int)m->size),
                         .text = p.text,
                         .f = g,
                         .in = operands(m, g, b->p[m->one->at].in),
                         .lanes = p.lanes };
    m->at = b->n;
    if (!batch_add(b, &p)) {
        unbounded++;
        return;
    }
    batches++;
    compare(b, m);
}

/* f alone, and in every batch. */
static void
run_function(batch *b, const laws_program *p, const ir_graph *f, const char *name)
{
    static const int lanes[] = { 1, 4, 8, 16 };
    const alone one = { p, f, name, b->n };
    const batch_program first = { .row = p->op,
                                  .name = ir_format(&b->ctx->arena, "program %d, %s", p->number,
                                                    name),
                                  .text = p->text,
                                  .f = f,
                                  .lo = p->lo,
                                  .hi = p->hi,
                                  .seed = 5000 + (uint64_t)p->number,
                                  .lanes = lanes[p->number % 4] };
    const unsigned all = (1u << f->n_in) - 1;

    if (f->n_in == 0 || f->n_in > MAX_IN || !batch_add(b, &first))
        return;
    for (int k = 0; k < N_SIZES; k++) {
        mapped_run m = { &one, all, sizes[k], 0 };

        run_mapped(b, &m);
        m.mapped = 1u << (p->number + k) % f->n_in;
        if (m.mapped != all)
            run_mapped(b, &m);
    }
}

static bool
has_cotangents(const ir_graph *f)
{
    bool in = false, out = false;

    for (int i = 0; i < f->n_in; i++)
        in |= ir_is_inexact(ir_type_at(f, f->in[i])->dtype);
    for (int i = 0; i < f->n_out; i++)
        out |= ir_is_inexact(ir_type_at(f, f->out[i])->dtype);
    return in && out;
}

static void
run_backends(batch *b)
{
    const char *files = with_c ? batch_write_c(b) : "";

    batch_jit(b);
    if (*files)
        batch_c(b, BY_GCC,
                ir_format(&b->ctx->arena,
                          "gcc -O1 -march=native -std=c11 -w -shared -fPIC -o x.so%s", files),
                "x.so");
    for (int i = 0; i < b->n; i++)
        if (b->p[i].answer[BY_JIT] == BATCH_DIFFERS || b->p[i].answer[BY_GCC] == BATCH_DIFFERS)
            laws_failures++;
}

static void
judge(const laws_program *p, const void *user)
{
    batch *b = calloc(1, sizeof *b);
    ir_graph *g;

    (void)user;
    batch_begin(b, p->f->ctx);
    run_function(b, p, p->f, "forward");
    if (has_cotangents(p->f)) {
        if (pass_vjp(p->f, NULL, 0, &g) == COT_OK)
            run_function(b, p, g, "vjp");
        else
            cot_error_clear(p->f->ctx);
    }
    run_backends(b);
    batch_end(b);
    free(b);
    programs++;
}

int
main(int argc, char **argv)
{
    with_c = argc == 4 && strcmp(argv[1], "--c") == 0;
    if (argc != 3 + with_c) {
        fprintf(stderr, "usage: law_alone [--c] FIRST STEP\n");
        return 2;
    }
    laws_each(atoi(argv[argc - 2]), atoi(argv[argc - 1]), laws_count(), false, judge, NULL);
    printf("alone: %d programs in %d batches, %d left out for their products' form, %d without "
           "an end, %d failures\n",
           programs, batches, left_out, unbounded, laws_failures);
    return laws_failures > 0;
}
