/* Every access of every kernel lies within its buffer, and every reduction takes each of its
 * elements once: what of that the verifier proves.
 *
 *   bounds FIRST STEP [show]         programs FIRST, FIRST + STEP, ... of the laws
 *   bounds --graphs [show]           the graphs of tests/unit/lower_graphs.h
 *   bounds --classes FIRST STEP      every class of ops at the sizes that matter (classes.h)
 *   bounds --products FIRST STEP     every kind of product at them (sized.h)
 *   bounds --files FILE.cot ...      every function of files, those of text tests above all
 *
 * Each is lowered for every width of vectors, for one thread and two, also where two share
 * every loop that they can share, however short, and for a grid.  What is not proved is a
 * failure, as are loops that run serially since the proof could not follow them; `show` prints
 * the kernels as well. */
#include <stdio.h>
#include <stdlib.h>

#include "codegen/kernel/grid.h"
#include "codegen/lower.h"
#include "codegen/verify/bounds.h"
#include "codegen/verify/coverage.h"
#include "passes/pass.h"
#include "tests/laws/classes.h"
#include "tests/laws/sized.h"
#include "tests/unit/lower_graphs.h"

static const struct {
    const char *name;
    int bits, registers, threads;
    bool fuse, grid, share_all;
} plans[] = {
    { "32", 32, 16, 1, true, false, false },
    { "128", 128, 16, 1, true, false, false },
    { "256", 256, 16, 1, true, false, false },
    { "512", 512, 32, 1, true, false, false },
    { "512, 2 threads", 512, 32, 2, true, false, false },
    { "32, all shared", 32, 16, 2, true, false, true },
    { "128, all shared", 128, 16, 2, true, false, true },
    { "256, no fusion", 256, 16, 1, false, false, false },
    { "grid", 0, 0, 1, true, true, false },
};
enum { PLANS = sizeof plans / sizeof *plans };

static cg_bounds_report total[PLANS];
static cg_coverage_report covered[PLANS];
static bool shows;

static void
add(cg_bounds_count *to, const cg_bounds_count *x)
{
    to->proved += x->proved;
    to->open += x->open;
}

static int64_t
count_open(const cg_bounds_report *r)
{
    return r->load.open + r->store.open + r->copy.open + r->call.open + r->place.open +
           r->tensor.open + r->read.open + r->own.open + r->race.open;
}

static int64_t
judge_reductions(const cg_module *m, ir_arena *a, ir_buf *text, cg_coverage_report *sum)
{
    cg_coverage_report r = { .text = text };

    cg_coverage_of(m, a, &r);
    sum->proved += r.proved;
    sum->refuted += r.refuted;
    sum->open += r.open;
    sum->large += r.large;
    sum->elements += r.elements;
    return r.refuted + r.open;
}

static void
judge_plan(const laws_program *p, const ir_graph *f, int k)
{
    cg_target t = { .vector_bits = plans[k].bits,
                    .registers = plans[k].registers,
                    .l1 = 32 << 10,
                    .l2 = 512 << 10,
                    .l3 = 8 << 20 };
    const cg_lower_options o = { .target = &t,
                                 .threads = plans[k].threads,
                                 .share_all = plans[k].share_all,
                                 .fuse = plans[k].fuse };
    cg_bounds_report r = { 0 };
    cg_module *m = NULL;
    ir_buf text;
    ir_arena a;

    if (plans[k].grid) {
        t = (cg_target){ 0 };
        cg_grid_target(&t);
    }
    ir_arena_init(&a, f->ctx);
    ir_buf_init(&text, &a);
    r.text = &text;
    if (cg_lower(f, &o, &a, &m) != COT_OK) {
        laws_fail(p, plans[k].name, cot_error(f->ctx));
        cot_error_clear(f->ctx);
        if (shows && m) {
            cg_module_print(&text, m);
            fputs(text.text, stdout);
        }
        ir_arena_free(&a);
        return;
    }
    cg_bounds_of(m, &a, &r);
    /* cg_lower made them serial, since they were open */
    r.race.open += m->n_serial;
    if (m->n_serial)
        ir_buf_str(&text, m->why);
    add(&total[k].load, &r.load);
    add(&total[k].store, &r.store);
    add(&total[k].copy, &r.copy);
    add(&total[k].call, &r.call);
    add(&total[k].place, &r.place);
    add(&total[k].tensor, &r.tensor);
    const int64_t reductions = judge_reductions(m, &a, &text, &covered[k]);
    add(&total[k].race, &r.race);
    total[k].race_by_data += r.race_by_data;
    add(&total[k].read, &r.read);
    add(&total[k].update, &r.update);
    add(&total[k].own, &r.own);
    total[k].own_perhaps += r.own_perhaps;
    if (count_open(&r) + reductions > 0) {
        laws_fail(p, plans[k].name, text.text);
        if (shows) {
            cg_module_print(&text, m);
            fputs(text.text, stdout);
        }
    }
    ir_arena_free(&a);
}

static void
judge(const laws_program *p, const void *user)
{
    ir_graph *f;

    (void)user;
    if (pass_prepare(p->f, &f) != COT_OK) {
        laws_fail(p, "prepare", cot_error(p->f->ctx));
        return;
    }
    for (int k = 0; k < PLANS; k++)
        judge_plan(p, f, k);
}

/* All functions of a text.  What is no program of its own (a test of errors, a body that wants
 * values from around it) is left out. */
static void
judge_text(const char *name, const char *text)
{
    cot_context *ctx = cot_context_new(NULL);
    ir_module m;
    ir_graph *f;

    if (ir_parse(ctx, name, text, strlen(text), &m) == COT_OK)
        for (int i = 0; i < m.n; i++) {
            const laws_program p = { .number = i, .op = name, .text = name, .f = m.fn[i] };
            if (pass_prepare(m.fn[i], &f) == COT_OK)
                for (int k = 0; k < PLANS; k++)
                    judge_plan(&p, f, k);
            cot_error_clear(ctx);
        }
    cot_context_free(ctx);
}

static void
judge_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 22);

    if (file && text) {
        text[fread(text, 1, (1 << 22) - 1, file)] = '\0';
        judge_text(path, text);
    } else {
        printf("cannot read %s\n", path);
        laws_failures++;
    }
    free(text);
    if (file)
        fclose(file);
}

static void
judge_classes(int first, int step)
{
    for (int i = first; i < classes_count(); i += step) {
        cot_context *ctx = cot_context_new(NULL);
        class_program p;

        if (classes_make(ctx, i, &p))
            judge(&p.law, NULL);
        else
            laws_fail(&p.law, "classes", cot_error(ctx));
        cot_context_free(ctx);
    }
}

static void
judge_products(int64_t first, int64_t step)
{
    for (int64_t i = first; i < sized_count(); i += step) {
        cot_context *ctx = cot_context_new(NULL);

        judge_text(ir_format(&ctx->arena, "product %lld ", (long long)i),
                   sized_make(&ctx->arena, i).text);
        cot_context_free(ctx);
    }
}

static void
print_total(const char *name, const cg_bounds_count *n)
{
    printf("  %s %lld + %lld", name, (long long)n->proved, (long long)n->open);
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    const int numbers = how[0] == '-' ? 2 : 1, first = argc > numbers ? atoi(argv[numbers]) : 0,
              step = argc > numbers + 1 && atoi(argv[numbers + 1]) > 0 ? atoi(argv[numbers + 1])
                                                                       : laws_count();

    shows = argc > 1 && strcmp(argv[argc - 1], "show") == 0;
    if (strcmp(how, "--files") == 0)
        for (int i = 2; i < argc - shows; i++)
            judge_file(argv[i]);
    else if (strcmp(how, "--graphs") == 0)
        for (size_t i = 0; i < sizeof lower_graphs / sizeof *lower_graphs; i++)
            judge_text(lower_graphs[i].name, lower_graphs[i].text);
    else if (strcmp(how, "--classes") == 0)
        judge_classes(first, step);
    else if (strcmp(how, "--products") == 0)
        judge_products(first, step);
    else
        laws_each(first, step, laws_count(), false, judge, NULL);
    printf("proved + not proved; of reductions, + those of too many steps\n");
    for (int k = 0; k < PLANS; k++) {
        printf("%-16s", plans[k].name);
        print_total("loads", &total[k].load);
        print_total("stores", &total[k].store);
        print_total("copies", &total[k].copy);
        print_total("calls", &total[k].call);
        print_total("places", &total[k].place);
        print_total("tensor", &total[k].tensor);
        print_total("races", &total[k].race);
        printf(" + %lld by data", (long long)total[k].race_by_data);
        print_total("reads", &total[k].read);
        print_total("updates", &total[k].update);
        print_total("own", &total[k].own);
        printf(" + %lld perhaps", (long long)total[k].own_perhaps);
        printf("  reductions %lld + %lld + %lld, of %lld elements\n",
               (long long)covered[k].proved, (long long)(covered[k].refuted + covered[k].open),
               (long long)covered[k].large, (long long)covered[k].elements);
    }
    printf("bounds: %d failures\n", laws_failures);
    return laws_failures > 0;
}
