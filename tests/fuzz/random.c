/* Random programs against the laws and the back ends:
 *
 *     random [--seconds N] [--count N] [--seed S] [--out DIR] [--writes | --loops | --steps]
 *            [--print] [FILE.cot]
 *
 * Each program is judged in a process of its own, so that a crash or a loop without end is a
 * failure like any other.  What fails is shrunk and written to DIR/random-SEED.cot; the exit
 * status is then 1.
 * FILE.cot is judged instead of random programs.  --writes: programs that write, judged by the
 * evaluator alone.  --loops: programs of loops over several arrays.  --steps: programs of
 * loops that are written out, which become loops again however short they are.  --print:
 * programs are not judged, but written to DIR/random-SEED.cot, with a transform to take
 * them through. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "passes/pass.h"
#include "runtime/check.h"
#include "tests/fuzz/generate.h"
#include "tests/laws/programs.h"

enum {
    GOOD,
    BAD_GRAPH,
    BAD_TEXT,
    BAD_PASS,
    BAD_BITS,
    BAD_VMAP,
    BAD_DERIVATIVE,
    BAD_WRITES,
    BAD_DERIVED,
    BAD_FOLD,
    BAD_LOOP,
    CRASH,
    TOO_LONG = 30
};
/* A child ends with VERDICT + its verdict: a sanitizer that stops it ends it with a small
 * status of its own. */
enum { VERDICT = 100 };
static const char *const verdicts[] = {
    "good",
    "the graph does not verify",
    "print, then parse, is not the identity",
    "a clean-up changes a bit",
    "a back end differs from the reference evaluator",
    "vmap differs from a loop",
    "<w, Jv> differs from <J'w, v>",
    "functionalize changes a bit",
    "a back end differs from the reference evaluator on a transform of it",
    "the builder's folds change a bit",
    "steps that became a loop change a bit",
    "a crash, or no end",
};

static fuzz_kind kind = FUZZ_ANY;
static bool prints;

static void **
sample(const ir_graph *f, uint64_t seed, bool special)
{
    void **in = laws_values(f->n_in, f->in, f);

    for (int i = 0; i < f->n_in; i++)
        (special ? laws_fill_special : laws_fill)(&seed, ir_type_at(f, f->in[i]), NULL,
                                                  -2, 2, in[i]);
    return in;
}

static void **
results(const ir_graph *f)
{
    return laws_values(f->n_out, f->out, f);
}

/* Complex values as pairs: nothing but what reads text or cleans up sees them. */
static bool
run(const ir_graph *f, void **in, void **out)
{
    ir_graph *g = NULL;

    if (f->complex) {
        if (pass_complex_memory(f, &g) != COT_OK)
            return false;
        f = g;
    }
    return ir_eval(f, out, (const void *const *)in) == COT_OK;
}

/* simplify, dce and inline leave every bit. */
static bool
cleanups_agree(const ir_graph *f, void **in)
{
    cot_status (*const pass[])(const ir_graph *, ir_graph **) = { pass_simplify, pass_dce,
                                                                  pass_inline };
    void **want = results(f), **got = results(f);
    bool ok = run(f, in, want);

    for (int i = 0; i < 3 && ok; i++) {
        ir_graph *g;

        ok = pass[i](f, &g) == COT_OK && run(g, in, got);
        for (int k = 0; k < f->n_out && ok; k++)
            ok = laws_differ(ir_type_at(f, f->out[k]), want[k], got[k]) < 0;
    }
    return ok;
}

/* The passes for kernels leave every bit. */
static bool
kernels_agree(const ir_graph *f, void **in)
{
    void **want = results(f), **got = results(f);
    ir_graph *g, *h;

    if (pass_prepare(f, &g) != COT_OK || pass_reroll(g, &h) != COT_OK ||
        ir_verify(f->ctx, h, "reroll") != COT_OK || pass_rematerialize(h, &h) != COT_OK ||
        ir_verify(f->ctx, h, "rematerialize") != COT_OK || pass_layout(h, &h) != COT_OK ||
        ir_verify(f->ctx, h, "layout") != COT_OK || !run(g, in, want) || !run(h, in, got))
        return false;
    for (int k = 0; k < f->n_out; k++)
        if (laws_differ(ir_type_at(f, f->out[k]), want[k], got[k]) >= 0)
            return false;
    return true;
}

static int
floats_in(const ir_graph *f, int n, const ir_ref *v, bool *f64)
{
    int k = 0;

    for (int i = 0; i < n; i++) {
        k += ir_is_floating(f, v[i]);
        *f64 &= !ir_is_floating(f, v[i]) || ir_part_type(ir_type_at(f, v[i])->dtype) == COT_F64;
    }
    return k;
}

/* The numbers of f64 that a value is made of: a complex one has two. */
static int64_t
numbers(const ir_type *t)
{
    return t->size * (int64_t)(cot_dtype_size(t->dtype) / sizeof(double));
}

static void
inner(const ir_type *t, const double *x, const double *y, double *sum, double *scale)
{
    for (int64_t i = 0; i < numbers(t); i++) {
        *sum += x[i] * y[i];
        *scale += fabs(x[i] * y[i]);
    }
}

/* Of every node too: an f16 inside would round the two sides differently. */
static bool
all_f64(const ir_graph *f)
{
    bool f64 = true;

    ir_each_node(n, f) {
        ir_graph *const *sub;
        int subs = ir_subgraphs(n, &sub, &f->ctx->arena);

        for (int i = 0; i < subs; i++)
            f64 &= all_f64(sub[i]);
    }
    for (ir_ref v = 1; v < f->n_values; v++)
        f64 &= !ir_is_floating(f, v) || ir_part_type(ir_type_at(f, v)->dtype) == COT_F64;
    return f64;
}

/* f, its jvp and its vjp, and what they are called with: w and v are the last operands. */
typedef struct dual_test {
    const ir_graph *f;
    ir_graph *j, *r;
    void **jin, **jout, **rin, **rout;
} dual_test;

/* <w, Jv> and <J'w, v>, and the sum of the sizes of their terms. */
static bool
both_sides(const dual_test *t, double *left, double *right, double *scale)
{
    const ir_graph *f = t->f;

    *left = *right = *scale = 0;
    if (!run(t->j, t->jin, t->jout) || !run(t->r, t->rin, t->rout))
        return false;
    for (int i = 0, k = f->n_out; i < f->n_out; i++)
        if (ir_is_floating(f, f->out[i])) {
            inner(ir_type_at(f, f->out[i]), t->jout[k], t->rin[f->n_in + k - f->n_out], left,
                  scale);
            k++;
        }
    for (int i = 0, k = f->n_in; i < f->n_in; i++)
        if (ir_is_floating(f, f->in[i])) {
            inner(ir_type_at(f, f->in[i]), t->jin[k], t->rout[f->n_out + k - f->n_in], right,
                  scale);
            k++;
        }
    return true;
}

static void
stretch(const ir_graph *g, int from, void **in, double by)
{
    for (int i = from; i < g->n_in; i++)
        for (int64_t k = 0; k < numbers(ir_type_at(g, g->in[i])); k++)
            ((double *)in[i])[k] *= by;
}

/* How far rounding moves the two sides: they are linear in v and in w, so that longer ones
 * differ from them by rounding alone.  Where terms of 1e12 cancel, as in the derivative of a
 * product of 70 numbers by x - x, that is much more than the result's own roundings, and a
 * wrong rule is no part of it. */
static double
rounding(const dual_test *t, double left, double right)
{
    static const double by[] = { 1.1, 0.7, 1.3, 0.9 };
    double all = 1, most = 0;

    for (int k = 0; k < 4; k++) {
        double l, r, scale;
        stretch(t->j, t->f->n_in, t->jin, by[k]);
        stretch(t->r, t->f->n_in, t->rin, by[k]);
        all *= by[k] * by[k];
        if (!both_sides(t, &l, &r, &scale))
            return 0;
        most = fmax(most, fmax(fabs(l / all - left), fabs(r / all - right)));
    }
    return most;
}

/* The dot-product test where everything is f64, or pairs of them, and finite.  1e-7:
 * intermediate products may be far larger than the sums, to which it is relative; a wrong rule
 * is off by more. */
static bool
derivatives_agree(const ir_graph *f, uint64_t seed)
{
    bool f64 = all_f64(f);
    int n = floats_in(f, f->n_in, f->in, &f64), m = floats_in(f, f->n_out, f->out, &f64);
    dual_test t = { .f = f };
    double left, right, scale;

    if (!f64 || !n || !m)
        return true;
    if (pass_jvp(f, NULL, 0, &t.j) != COT_OK || pass_vjp(f, NULL, 0, &t.r) != COT_OK)
        return f->ctx->status == COT_ERR_RULE;
    t.jin = sample(t.j, seed, false), t.rin = sample(t.r, seed + 1, false);
    t.jout = results(t.j), t.rout = results(t.r);
    for (int i = 0; i < f->n_in; i++) {
        const ir_type *type = ir_type_at(f, f->in[i]);
        memcpy(t.rin[i], t.jin[i], cot_dtype_size(type->dtype) * (size_t)type->size);
    }
    if (!both_sides(&t, &left, &right, &scale))
        return false;
    if (!isfinite(left) || !isfinite(right) || !isfinite(scale) ||
        fabs(left - right) <= 1e-7 * (1 + scale) ||
        fabs(left - right) <= 64 * rounding(&t, left, right))
        return true;
    printf("<w, Jv> = %.17g, <J'w, v> = %.17g\n", left, right);
    return false;
}

/* What functionalize makes, by its lenses, against the writes as they stand; *pure: one of its
 * two modes. */
static bool
writes_agree(const ir_graph *f, void **in, bool views, const ir_graph **pure)
{
    void **want = results(f), **got = results(f);
    bool ok = run(f, in, want);

    for (int i = 0; i < 2 && ok; i++) {
        ir_graph *g;

        ok = pass_functionalize(f, i == views, &g) == COT_OK && !g->mutates && run(g, in, got);
        for (int k = 0; k < f->n_out && ok; k++)
            ok = laws_differ(ir_type_at(f, f->out[k]), want[k], got[k]) < 0;
        *pure = g;
    }
    return ok;
}

/* By the seed: the transform of a program that back ends run, besides itself. */
static const char *
transform_of(uint64_t seed)
{
    static const char *const all[] = { "vmap(size=3)", "vjp", "jvp", "vmap(size=2) | vjp" };

    return all[seed % (sizeof all / sizeof *all)];
}

/* What has no such transform is left out. */
static bool
transform_agrees(const ir_graph *f, uint64_t seed, rt_verdict *v)
{
    ir_graph *g;
    bool f64 = true;

    if (f->n_in == 0 || !floats_in(f, f->n_in, f->in, &f64) ||
        !floats_in(f, f->n_out, f->out, &f64))
        return true;
    if (pass_pipeline(f, transform_of(seed), NULL, NULL, &g) != COT_OK)
        return f->ctx->status == COT_ERR_RULE;
    return rt_check_text(g, v) == COT_OK && v->good &&
           rt_check_backends(g, sample(g, seed, false), v) == COT_OK && v->good;
}

/* Back ends and vmap see complex values as pairs.  Derivatives do not: those of a complex svd
 * are its rule's, not those of the steps that it takes on pairs. */
static int
judge(const ir_graph *f, uint64_t seed)
{
    rt_verdict v = { .good = true };
    void **in = sample(f, seed, seed % 2), **plain = sample(f, seed, false);

    if (f->mutates &&
        (ir_verify(f->ctx, f, "random") != COT_OK || rt_check_text(f, &v) != COT_OK || !v.good))
        return v.good ? BAD_GRAPH : BAD_TEXT;
    if (f->mutates &&
        (!writes_agree(f, plain, seed & 4, &f) || ir_verify(f->ctx, f, "random") != COT_OK))
        return BAD_WRITES;
    if (kind == FUZZ_WRITES)
        return GOOD;
    if (ir_verify(f->ctx, f, "random") != COT_OK)
        return BAD_GRAPH;
    if (rt_check_text(f, &v) != COT_OK || !v.good)
        return BAD_TEXT;
    if (!cleanups_agree(f, in) || !cleanups_agree(f, plain))
        return BAD_PASS;
    const ir_graph *whole = f;
    if (f->complex) {
        ir_graph *pairs;
        if (pass_complex_memory(f, &pairs) != COT_OK)
            return BAD_PASS;
        f = pairs;
    }
    if (kind == FUZZ_STEPS && (!kernels_agree(f, in) || !kernels_agree(f, plain)))
        return BAD_LOOP;
    if (rt_check_backends(f, in, &v) != COT_OK || !v.good) {
        printf("%s%s\n", cot_error(f->ctx), v.why.text ? v.why.text : "");
        return BAD_BITS;
    }
    if (f->n_in && (rt_check_vmap(f, 3, &v) != COT_OK || !v.good)) {
        printf("%s%s\n", cot_error(f->ctx), v.why.text ? v.why.text : "");
        return BAD_VMAP;
    }
    if (!transform_agrees(f, seed, &v)) {
        printf("%s: %s%s\n", transform_of(seed), cot_error(f->ctx),
               v.why.text ? v.why.text : "");
        return BAD_DERIVED;
    }
    return derivatives_agree(whole, seed) ? GOOD : BAD_DERIVATIVE;
}

/* f as the builder folds it; NULL: it cannot be read back. */
static const ir_graph *
folded(const ir_graph *f, cot_context *ctx)
{
    ir_buf text;
    ir_module m;

    ir_buf_init(&text, &f->ctx->arena);
    ir_print(&text, f, 0);
    return ir_parse(ctx, "folded", text.text, text.n, &m) == COT_OK ? m.fn[m.n - 1] : NULL;
}

/* Judges f, which is built without folds: those of the builder first.  A product with a number
 * that is known to be real omits terms, so that folds may change a complex number. */
static int
judge_unfolded(const ir_graph *f, uint64_t seed)
{
    void **in = sample(f, seed, seed % 2), **want = results(f), **got = results(f);
    cot_context *ctx = cot_context_new(NULL);
    ctx->small_passes = true;
    const ir_graph *g = folded(f, ctx);

    if (!g)
        return BAD_TEXT;
    if (!f->complex && (!run(f, in, want) || !run(g, in, got)))
        return BAD_FOLD;
    for (int k = 0; k < f->n_out && !f->complex; k++)
        if (laws_differ(ir_type_at(f, f->out[k]), want[k], got[k]) >= 0)
            return BAD_FOLD;
    const int verdict = judge(g, seed);
    if (verdict != GOOD && cot_error(ctx)[0])
        printf("%s\n", cot_error(ctx));
    return verdict;
}

/* The verdict, found by a child. */
static int
judge_apart(const ir_graph *f, uint64_t seed, bool quiet)
{
    int status;

    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        /* a busy machine is no failure */
        setrlimit(RLIMIT_CPU, &(struct rlimit){ TOO_LONG, TOO_LONG });
        alarm(20 * TOO_LONG);
        if (quiet && !freopen("/dev/null", "w", stdout))
            _exit(VERDICT + CRASH);
        volatile int verdict = CRASH;
        IR_TRY(f->ctx) {
            verdict = judge_unfolded(f, seed);
        }
        if (verdict != GOOD && cot_error(f->ctx)[0])
            printf("%s\n", cot_error(f->ctx));
        fflush(stdout);
        _exit(VERDICT + verdict);
    }
    waitpid(child, &status, 0);
    const int verdict = WIFEXITED(status) ? WEXITSTATUS(status) - VERDICT : CRASH;
    return verdict >= GOOD && verdict <= CRASH ? verdict : CRASH;
}

typedef struct failure { uint64_t seed; int verdict; } failure;

static bool
still_fails(void *user, const ir_graph *f)
{
    const failure *was = user;

    return judge_apart(f, was->seed, true) == was->verdict;
}

/* DIR/random-SEED.cot: the comment, and the program. */
static void
write_program(const ir_graph *f, uint64_t seed, const char *dir, const char *comment)
{
    char path[500];
    ir_buf b;

    snprintf(path, sizeof path, "%s/random-%llu.cot", dir, (unsigned long long)seed);
    ir_buf_init(&b, &f->ctx->arena);
    ir_buf_printf(&b, "; %s\n", comment);
    ir_print(&b, f, 0);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    fputs(b.text, file);
    fclose(file);
    printf("%s\n%s", path, b.text);
}

static void
write_failure(const ir_graph *f, const failure *was, const char *dir)
{
    printf("seed %llu: %s; shrunk to ", (unsigned long long)was->seed, verdicts[was->verdict]);
    write_program(f, was->seed, dir,
                  ir_format(&f->ctx->arena, "random program %llu, shrunk: %s",
                            (unsigned long long)was->seed, verdicts[was->verdict]));
    judge_apart(f, was->seed, false);
    fflush(stdout);
}

static const ir_graph *
generated(cot_context *ctx, uint64_t seed)
{
    const ir_graph *f = fuzz_generate(ctx, seed, kind);

    return f && kind == FUZZ_STEPS ? fuzz_steps(f, seed) : f;
}

/* Program `seed`, or the last function of a text: did it fail? */
static bool
one(uint64_t seed, const char *text, size_t bytes, const char *dir)
{
    cot_context *ctx = cot_context_new(&(cot_options){ .off = "fold" });
    const ir_graph *volatile f = NULL;
    failure was = { seed, GOOD };
    ir_module m;

    IR_TRY(ctx) {
        if (!text)
            f = generated(ctx, seed);
        else if (ir_parse(ctx, "random", text, bytes, &m) == COT_OK)
            f = m.fn[m.n - 1];
    }
    if (!f) {
        printf("seed %llu: no graph: %s\n", (unsigned long long)seed, cot_error(ctx));
        was.verdict = BAD_GRAPH;
    } else if (prints) {
        write_program(f, seed, dir, ir_format(&f->ctx->arena, "run: %s", transform_of(seed)));
    } else if ((was.verdict = judge_apart(f, seed, true)) != GOOD) {
        IR_TRY(ctx) {
            write_failure(text ? f : fuzz_shrink(f, still_fails, &was), &was, dir);
        }
    }
    cot_context_free(ctx);
    return was.verdict != GOOD;
}

static bool
one_file(const char *path, uint64_t seed)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        return true;
    }
    size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    return one(seed, text, n, ".");
}

int
main(int argc, char **argv)
{
    uint64_t seed = 1, n = 0;
    double seconds = 0;
    long count = 0, failures = 0;
    const char *dir = ".", *file = NULL;
    time_t start = time(NULL);

    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0)
            seconds = atof(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--count") == 0)
            count = atol(argv[++i]);
        else if (i + 1 < argc && strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--out") == 0)
            dir = argv[++i];
        else if (strcmp(argv[i], "--writes") == 0)
            kind = FUZZ_WRITES;
        else if (strcmp(argv[i], "--loops") == 0)
            kind = FUZZ_LOOPS;
        else if (strcmp(argv[i], "--steps") == 0)
            kind = FUZZ_STEPS;
        else if (strcmp(argv[i], "--print") == 0)
            prints = true;
        else
            file = argv[i];
    }
    if (file)
        return one_file(file, seed);
    do {
        failures += one(seed + n, NULL, 0, dir);
        n++;
    } while ((count > 0 && (long)n < count) ||
             (count == 0 && difftime(time(NULL), start) < seconds));
    printf("random: %llu programs from seed %llu, %ld failures\n", (unsigned long long)n,
           (unsigned long long)seed, failures);
    return failures > 0;
}
