/* Programs of every size that matters (classes.h), compiled, between red zones, against the
 * evaluator, bit for bit.
 *
 *   law_sweep --sample SEED COUNT    COUNT programs, the classes in turn, drawn by SEED
 *   law_sweep --all [K/N]            all; part K of N, K from 0; with a line that tells how far
 *   law_sweep --of OP [K/N]          those of the classes of OP; likewise
 *   law_sweep --at OP TYPE N M       those of OP at a type and sizes, in every way
 *   law_sweep NUMBER...              these, in every way
 *
 * `--judged FILE` before these: what passed before, by the file, does not run again (judged.h).
 *
 * A program runs in one way in turn (a width of vectors, a processor), so that a class at a
 * size is asked in every way by its types; one in 4 on two threads, one in 16 also as C
 * source, in batches.  Every array and the work block lie between zones that are compared after
 * the call, or against a page that may not be touched.  A process of its own runs the programs:
 * where it dies, the program is named, and another goes on behind it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/check.h"
#include "runtime/compile.h"
#include "tests/laws/batch.h"
#include "tests/laws/classes.h"
#include "tests/laws/judged.h"
#include "tests/redzone.h"

/* Widths of vectors on this machine's processor; older processors; C source.  Those that this
 * machine lacks are left out. */
static const struct way {
    const char *name, *cpu;
    int bits;
} ways[] = {
    { "32 bits", NULL, 32 },         { "128 bits", NULL, 128 },
    { "256 bits", NULL, 256 },       { "512 bits", NULL, 512 },
    { "x86-64", "x86-64", 0 },       { "x86-64-v2", "x86-64-v2", 0 },
    { "x86-64-v3", "x86-64-v3", 0 }, { "C of 32 bits", NULL, 32 },
    { "C of 128 bits", NULL, 128 },  { "C of 256 bits", NULL, 256 },
    { "C of 512 bits", NULL, 512 },
};
#ifdef __x86_64__
enum { X86 = 1 };
#else
enum { X86 = 0 };
#endif
enum { WAYS = sizeof ways / sizeof *ways, FIRST_C = 7, N_C = 4, MAX_VALUES = 16, C_EVERY = 16 };

/* A program that waits to be run as C source: starting a compiler is slow, so a batch of them
 * is compiled at once. */
typedef struct waiting {
    int number, way;
    uint64_t key;               /* judged.h */
} waiting;

/* What the processes share. */
static struct counts {
    int at, next; /* the program of the plan that runs; where to go on if it dies */
    int programs, failures, runs[WAYS];
    int known;                  /* of the runs, those that were judged before */
    int n_waiting, calling;     /* calling: of those that wait; -1: none */
    waiting c[MAX_BATCH];
} *counts;
static int n_here, here[WAYS];  /* the ways of this machine, but C */

static void
fail(const class_program *p, const char *how, const char *why)
{
    counts->failures++;
    printf("sweep: program %d, %s: %s\n%s", p->law.number, how, why, p->law.text);
    fflush(stdout);
}

/* -- one run between red zones -- */

typedef struct zones {
    int n;
    redzone z[MAX_VALUES + 1];
    void *args[MAX_VALUES + 1];
} zones;

static void
zones_new(zones *s, const class_program *p, void *const *in, redzone_kind kind)
{
    const ir_graph *f = p->law.f;

    s->n = 0;
    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);
        const size_t align = t->size ? cot_dtype_size(ir_part_type(t->dtype)) : 1;
        s->args[i] = redzone_new(&s->z[s->n++], laws_bytes(t), align, kind);
        if (i < f->n_in && laws_bytes(t))
            memcpy(s->args[i], in[i], laws_bytes(t));
        else
            memset(s->args[i], 0x5a, laws_bytes(t));
    }
}

static void
judge_zones(const zones *s, const class_program *p, const char *how, void *const *in,
            void *const *want)
{
    const ir_graph *f = p->law.f;
    ptrdiff_t at;

    for (int i = 0; i < s->n; i++)
        if (!redzone_good(&s->z[i], &at)) {
            fail(p, how,
                 ir_format(&f->ctx->arena, "writes beside array %d, at byte %lld", i,
                           (long long)at));
            return;
        }
    for (int i = 0; i < f->n_in; i++)
        if (laws_bytes(ir_type_at(f, f->in[i])) &&
            memcmp(in[i], s->args[i], laws_bytes(ir_type_at(f, f->in[i]))) != 0) {
            fail(p, how, ir_format(&f->ctx->arena, "writes to argument %d", i));
            return;
        }
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *t = ir_type_at(f, f->out[i]);
        const int64_t k = laws_differ(t, want[i], s->args[f->n_in + i]);
        if (k >= 0) {
            fail(p, how,
                 ir_format(&f->ctx->arena,
                           "result %d, number %lld is %.17g, the evaluator's %.17g", i,
                           (long long)k, laws_load(t->dtype, s->args[f->n_in + i], k),
                           laws_load(t->dtype, want[i], k)));
            return;
        }
    }
}

static void
run_once(const class_program *p, const struct way *w, int threads, void *const *in,
         void *const *want)
{
    const redzone_kind kinds[] = { REDZONE_BOTH, REDZONE_END, REDZONE_BEGIN };
    const redzone_kind kind = kinds[(p->size + (int)p->type) % 3];
    const cot_compile_options o = {
        .backend = "jit", .cpu = w->cpu, .vector_bits = w->bits, .threads = threads
    };
    const ir_graph *f = p->law.f;
    const char *how =
        threads == 1 ? w->name : ir_format(&f->ctx->arena, "%s, two threads", w->name);
    f->ctx->shares_all = true; /* with several threads */
    const uint64_t key = judged_key(f, &o, "llvm", how, in, want);
    const int failures = counts->failures;
    cot_kernel *k;
    zones s;

    if (judged_before(key)) {
        counts->known++;
        return;
    }
    if (cot_compile_graph(f, &o, &k) != COT_OK) {
        fail(p, how, cot_error(f->ctx));
        cot_error_clear(f->ctx);
        return;
    }
    zones_new(&s, p, in, kind);
    s.args[f->n_in + f->n_out] = k->pool;
    void *work = redzone_new(&s.z[s.n++], cot_kernel_work_bytes(k), 64,
                             kind == REDZONE_BEGIN ? kind : REDZONE_END);
    if (rt_call_kernel(k, s.args, work) != COT_OK)
        fail(p, how, cot_error(f->ctx));
    else
        judge_zones(&s, p, how, in, want);
    for (int i = 0; i < s.n; i++)
        redzone_free(&s.z[i]);
    cot_kernel_free(k);
    if (counts->failures == failures)
        judged_pass(key);
}

/* -- one program -- */

static int
turn_of(const class_program *p)
{
    return p->size + (int)p->type + p->row;
}

/* One program in four runs on two threads, and all whose scans have steps that these share (a
 * scan without carries, and batches) or whose lines have levels of blocks. */
static int
threads_of(const class_program *p)
{
    const char *text = p->law.text;

    return p->size % 4 == 3 || strstr(text, "carries=0") || strstr(text, "[330,") ||
                   strstr(text, "[39945,")
               ? 2
               : 1;
}

/* By the JIT. */
static void
run_ways(const class_program *p, bool all, void *const *in, void *const *want)
{
    for (int k = 0; k < n_here; k++)
        if (all || k == turn_of(p) % n_here) {
            const int w = here[k];
            run_once(p, &ways[w], threads_of(p), in, want);
            counts->runs[w]++;
        }
}

/* -- as C source -- */

static void
tell_c(const batch *b, int i, const class_program *p)
{
    const int way = counts->c[i].way;

    counts->runs[way]++;
    if (b->p[i].answer[BY_GCC] == BATCH_SAME)
        judged_pass(counts->c[i].key);
    else
        fail(&p[i], ways[way].name, b->p[i].why[BY_GCC]);
}

static bool
add_c(batch *b, const waiting *from, class_program *p)
{
    if (!classes_make(b->ctx, from->number, p))
        return false;
    return batch_add(b, &(batch_program){ .name = "a program of the sweep",
                                          .f = p->law.f,
                                          .in = classes_operands(p),
                                          .seed = (uint64_t)from->number,
                                          .lanes = ways[from->way].bits / 32,
                                          .two_threads = threads_of(p) == 2 });
}

static void
run_batch(batch *b)
{
    class_program p[MAX_BATCH];

    for (int i = 0; i < counts->n_waiting; i++) {
        counts->calling = i;
        if (!add_c(b, &counts->c[i], &p[i])) {
            fail(&p[i], "as C", "the evaluator refuses it");
            return;
        }
    }
    const char *files = batch_write_c(b);
    batch_c(b, BY_GCC,
            ir_format(&b->ctx->arena,
                      "cc -O2 -march=native -std=c11 -w -Wno-psabi -shared -fPIC -o x.so %s "
                      "-lm",
                      files),
            "x.so");
    for (int i = 0; i < b->n; i++)
        tell_c(b, i, p);
}
/* Those that wait. */
static void
run_waiting(void)
{
    batch *b = calloc(1, sizeof *b);
    cot_context *ctx = cot_context_new(&(cot_options){ .verify = true });

    if (!b || !ctx)
        exit(2);
    batch_begin(b, ctx);
    b->calling = &counts->calling;
    IR_TRY (ctx) {
        run_batch(b);
    }
    counts->calling = -1;
    counts->n_waiting = 0;
    batch_end(b);
    cot_context_free(ctx);
    free(b);
}

/* In every way, or one in C_EVERY in one of them in turn. */
static void
wait_for_c(const class_program *p, bool all, void *const *in, void *const *want)
{
    const int turn = turn_of(p);

    for (int k = 0; k < N_C; k++)
        if (all || (turn % C_EVERY == 0 && k == turn / C_EVERY % N_C)) {
            const struct way *w = &ways[FIRST_C + k];
            const cot_compile_options o = { .backend = "c",
                                            .vector_bits = w->bits,
                                            .threads = threads_of(p) };
            const uint64_t key = judged_key(p->law.f, &o, "c", w->name, in, want);
            if (judged_before(key)) {
                counts->known++;
                counts->runs[FIRST_C + k]++;
                continue;
            }
            if (counts->n_waiting == MAX_BATCH)
                run_waiting();
            counts->c[counts->n_waiting++] = (waiting){ p->law.number, FIRST_C + k, key };
        }
}

static void
judge(cot_context *ctx, int number, bool all)
{
    class_program p;
    void **want;

    IR_TRY (ctx) {
        if (!classes_make(ctx, number, &p)) {
            fail(&p, "parsing", cot_error(ctx));
            return;
        }
        counts->programs++;
        void **in = classes_operands(&p);
        if (rt_run_graph(p.law.f, &(cot_compile_options){ .backend = "eval" }, in, &want) !=
            COT_OK)
            fail(&p, "the evaluator", cot_error(ctx));
        else {
            run_ways(&p, all, in, want);
            wait_for_c(&p, all, in, want);
        }
        laws_free(p.law.f->n_in, in);
    }
}

/* -- all of them -- */

typedef struct plan {
    int n;                      /* programs: of the sample, or of all, or of those named */
    uint64_t seed;
    int part, parts;
    bool sample, every; /* every: each program in all ways */
    char **name; /* NULL, or the numbers of the programs */
    const int *of; /* NULL, or the numbers of all programs of an op */
} plan;

static int
number_of(const plan *a, int k)
{
    const int i = a->part + k * a->parts;

    return a->name     ? atoi(a->name[k])
           : a->sample ? classes_sample(a->seed, k)
           : a->of     ? a->of[i]
                       : i;
}

static void
run_from(const plan *a, int k)
{
    for (; k < a->n; k++) {
        cot_context *ctx = cot_context_new(&(cot_options){ .verify = true });
        counts->at = k;
        counts->next = k + 1;
        judge(ctx, number_of(a, k), a->every);
        cot_context_free(ctx);
        if (!a->sample && !a->every && k % 64 == 0)
            fprintf(stderr, "\rsweep: %d of %d programs, %d failures ", k, a->n,
                    counts->failures);
    }
    run_waiting();
}

/* The process died of a signal, or of an exit of its own: at program counts->at, or at one of
 * those that waited, which are done with. */
static void
tell_death(const plan *a)
{
    cot_context *ctx = cot_context_new(NULL);
    class_program p;

    IR_TRY (ctx) {
        const int c = counts->calling;
        if (classes_make(ctx, c < 0 ? number_of(a, counts->at) : counts->c[c].number, &p))
            fail(&p, c < 0 ? "a process of its own" : ways[counts->c[c].way].name, "dies");
    }
    cot_context_free(ctx);
    if (counts->calling >= 0)
        counts->n_waiting = 0;
    counts->calling = -1;
}

static void
run_all(const plan *a)
{
    int status;

    for (int k = 0; k < a->n || counts->n_waiting; k = counts->next) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            run_from(a, k);
            fflush(stdout);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child)
            exit(2);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            tell_death(a);
    }
}

static void
find_ways(void)
{
    cot_context *ctx = cot_context_new(NULL);
    rt_plan host;

    IR_TRY (ctx) {
        if (cg_llvm() && rt_plan_new(ctx, NULL, "f", &host) == COT_OK)
            for (int k = 0; k < FIRST_C; k++)
                if (ways[k].cpu ? X86 && host.target.vector_bits >= 256
                                : ways[k].bits <= host.target.vector_bits)
                    here[n_here++] = k;
    }
    cot_context_free(ctx);
}

/* Of an op, and, if type is no NULL, at that type and n by m. */
static int *
numbers_of(const char *op, const char *type, int64_t n, int64_t m, int *found)
{
    const int all = classes_count();
    int *number = malloc(sizeof *number * (size_t)all);
    class_program p;

    *found = 0;
    for (int i = 0; number && i < all; i++)
        if (strcmp(classes_find(i, &p), op) == 0 &&
            (!type || (strcmp(cot_dtype_name(p.type), type) == 0 && p.n == n && p.m == m)))
            number[(*found)++] = i;
    return number;
}

/* Of `all` programs the part that the text K/N names; NULL: all. */
static bool
read_part(const char *text, int all, plan *a)
{
    if (text &&
        (sscanf(text, "%d/%d", &a->part, &a->parts) != 2 || a->part < 0 || a->parts <= a->part))
        return false;
    a->n = (all - a->part + a->parts - 1) / a->parts;
    return all > 0;
}

static bool
read_plan(int argc, char **argv, plan *a)
{
    int all;

    *a = (plan){ .parts = 1, .n = argc - 1 };
    if (argc > 1 && argv[1][0] != '-') {
        a->every = true;
        a->name = argv + 1;
    } else if (argc == 4 && strcmp(argv[1], "--sample") == 0) {
        a->sample = true;
        a->seed = strtoull(argv[2], NULL, 10);
        a->n = atoi(argv[3]);
    } else if ((argc == 2 || argc == 3) && strcmp(argv[1], "--all") == 0) {
        return read_part(argv[2], classes_count(), a);
    } else if ((argc == 3 || argc == 4) && strcmp(argv[1], "--of") == 0) {
        a->of = numbers_of(argv[2], NULL, 0, 0, &all);
        return a->of && read_part(argv[3], all, a);
    } else if (argc == 6 && strcmp(argv[1], "--at") == 0) {
        a->every = true;
        a->of = numbers_of(argv[2], argv[3], atoll(argv[4]), atoll(argv[5]), &a->n);
        return a->of && a->n > 0;
    }
    return a->every || a->sample;
}

int
main(int argc, char **argv)
{
    plan a;

    if (argc > 2 && strcmp(argv[1], "--judged") == 0) {
        judged_open(argv[2]);
        argc -= 2;
        argv += 2;
    }
    if (!read_plan(argc, argv, &a))
        return fprintf(stderr,
                       "usage: law_sweep [--judged FILE] --sample SEED COUNT | --all [K/N] | "
                       "--of OP [K/N] | --at OP TYPE N M | NUMBER...\n"),
               2;
    counts =
        mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED)
        return 2;
    counts->calling = -1;
    find_ways();
    run_all(&a);
    printf("\nsweep: %d of %d programs", counts->programs, classes_count());
    for (int k = 0; k < WAYS; k++)
        printf(", %s: %d", ways[k].name, counts->runs[k]);
    printf("; %d runs judged before; %d failures\n", counts->known, counts->failures);
    return counts->failures > 0;
}
