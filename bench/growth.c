/* How the time and the memory of a compilation grow with the program.
 *
 *     growth [-t SECONDS] [-m GIGABYTES] [-s SIZE,SIZE...] [-f FORMS] [NAME...]
 *
 * Each program of tests/unit/growing.h is compiled alone, its arguments donated (form f), its
 * gradient (g), and mapped over 3 examples (m), at each size in a process of its own.  A line
 * of the table has the milliseconds of processor time of each stage, the most memory of the
 * context, which is the graphs' and kernels', and of the process, which LLVM's is a part of.
 * The slopes are those from the size before: 1 is linear.  A program that took longer than
 * SECONDS or more memory is not tried at larger sizes. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/growing.h"
#include "tests/unit/meter.h"

static const struct program {
    const char *name;
    write_program *write;
} programs[] = {
    { "waves", grow_waves },
    { "products", grow_mlp },
    { "convolutions", grow_convolutions },
    { "stack", grow_stack },
    { "residual", grow_residual },
    { "scalars", grow_scalars },
    { "steps", grow_steps },
    { "wide", grow_wide },
    { "balanced", grow_balanced },
    { "rows", grow_rows },
    { "updates", grow_updates },
    { "calls", grow_calls },
    { "large calls", grow_large_calls },
    { "conds", grow_conds },
    { "branches", grow_branches },
    { "in/out", grow_inouts },
    { "scans", grow_scans },
};
enum { PROGRAMS = sizeof programs / sizeof programs[0] };

static const char *const pipelines[] = { "", "grad", "vmap(in=0, out=0, size=3)" };
static const char *const forms[] = { "", " gradient", " mapped" };
enum { FORMS = sizeof forms / sizeof forms[0] };

typedef enum stage { PARSE, TRANSFORM, PREPARE, LOWER, LOAD, STAGES } stage;

typedef struct result {
    cot_status status;
    int reached;
    double ms[STAGES], own, most; /* megabytes */
} result;

typedef struct limits {
    rlim_t seconds;
    rlim_t bytes;
} limits;

static double
now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The end of a stage that began at *start, which the next one begins at. */
static cot_status
ended(result *r, double *start, cot_status s)
{
    r->ms[r->reached++] = now_ms() - *start;
    *start = now_ms();
    return s;
}

/* Every argument that is not in/out is donated. */
static const bool *
all_of(const ir_graph *f, ir_arena *a)
{
    bool *donated = IR_NEW_N(a, bool, f->n_in + 1);

    memset(donated, true, (size_t)f->n_in);
    for (int k = 0; k < f->n_inout; k++)
        donated[f->inout[k].arg] = false;
    return donated;
}

static cot_status
compile(cot_context *c, ir_buf text, const char *pipeline, ir_arena *a, result *r)
{
    cg_target target = { 0 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    double start = now_ms();
    cg_module *lowered;
    ir_module m;
    ir_graph *f;
    cg_code code;

    COT_TRY(ended(r, &start, ir_parse(c, "growth", text.text, text.n, &m)));
    f = m.fn[m.n - 1];
    COT_TRY(ended(r, &start, *pipeline ? pass_pipeline(f, pipeline, NULL, NULL, &f) : COT_OK));
    COT_TRY(pass_prepare(f, &f));
    COT_TRY(ended(r, &start, pass_prepare_kernels(f, true, &f)));
    o.donated = all_of(f, a);
    COT_TRY(cg_llvm()->target(c, &target));
    COT_TRY(ended(r, &start, cg_lower(f, &o, a, &lowered)));
    return ended(r, &start, cg_llvm()->load(c, &target, lowered, &code));
}

static double
megabytes_of_process(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

/* In a process of its own. */
static void
measure(const struct program *p, const char *pipeline, int n, const limits *most, int to)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    cot_context *t = cot_context_new(NULL);
    result r = { 0 };
    ir_arena text, a;
    ir_buf b;

    setrlimit(RLIMIT_AS, &(struct rlimit){ most->bytes, most->bytes });
    setrlimit(RLIMIT_CPU, &(struct rlimit){ most->seconds, most->seconds });
    ir_arena_init(&text, t);
    ir_buf_init(&b, &text);
    p->write(&b, n);
    ir_arena_init(&a, c);
    r.status = compile(c, b, pipeline, &a, &r);
    if (r.status != COT_OK)
        fprintf(stderr, "%s, %d: %s\n", p->name, n, cot_error(c));
    r.own = (double)m.most / 1e6;
    r.most = megabytes_of_process();
    _exit(write(to, &r, sizeof r) == (ssize_t)sizeof r ? 0 : 1);
}

static bool
measured(const struct program *p, const char *pipeline, int n, const limits *most, result *r)
{
    int ends[2];

    if (pipe(ends))
        return false;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        measure(p, pipeline, n, most, ends[1]);
    close(ends[1]);
    const bool whole = child > 0 && read(ends[0], r, sizeof *r) == (ssize_t)sizeof *r;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return whole && r->status == COT_OK;
}

static double
total(const result *r)
{
    double sum = 0;

    for (int i = 0; i < STAGES; i++)
        sum += r->ms[i];
    return sum;
}

static void
print(const char *name, const char *form, int n, const result *r, const result *last,
      int before)
{
    printf("%s%-*s %7d", name, (int)(24 - strlen(name)), form, n);
    for (int i = 0; i < STAGES; i++)
        printf(" %9.1f", r->ms[i]);
    printf(" %9.1f %8.1f %8.1f", total(r), r->own, r->most);
    if (before) {
        const double twice = log((double)n / before);
        printf("  %5.2f %5.2f %5.2f", log(total(r) / total(last)) / twice,
               log(r->own / last->own) / twice, log(r->most / last->most) / twice);
    }
    putchar('\n');
}

static void
grow(const struct program *p, int form, const char *sizes, const limits *most)
{
    result last = { 0 };
    int before = 0;

    for (const char *at = sizes; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const int n = atoi(at);
        result r;

        if (!measured(p, pipelines[form], n, most, &r)) {
            printf("%s%s %d: not compiled within the limits\n", p->name, forms[form], n);
            return;
        }
        print(p->name, forms[form], n, &r, &last, before);
        before = n;
        last = r;
    }
}

static bool
is_named(const char *name, char **names)
{
    bool any = false;

    for (; *names; names++, any = true)
        if (strcmp(*names, name) == 0)
            return true;
    return !any;
}

int
main(int argc, char **argv)
{
    const char *sizes = "100,1000,3000,10000", *only = NULL;
    limits most = { 60, (rlim_t)6 << 30 };
    int c;

    while ((c = getopt(argc, argv, "t:m:s:f:")) != -1)
        switch (c) {
        case 't': most.seconds = (rlim_t)atoi(optarg); break;
        case 'm': most.bytes = (rlim_t)atoi(optarg) << 30; break;
        case 's': sizes = optarg; break;
        case 'f': only = optarg; break;
        default: return 2;
        }
    printf("%-24s %7s %9s %9s %9s %9s %9s %9s %8s %8s  slopes: ms, own, MB\n", "program",
           "parts", "parse", "transform", "prepare", "lower", "LLVM", "ms", "own MB", "MB");
    for (int i = 0; i < PROGRAMS; i++)
        for (int form = 0; form < FORMS && is_named(programs[i].name, argv + optind); form++)
            if (!only || strchr(only, "fgm"[form]))
                grow(&programs[i], form, sizes, &most);
    return 0;
}
