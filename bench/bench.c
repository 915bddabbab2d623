/* The bench: each workload through Cotrace and by hand, in turn in one process, as ratios.
 *
 *   bench [--threads N] [--seconds S] [--only cotrace] [--json] [--c] [--cpu] [--exact]
 *         [--arch CPU] [--bits N] [NAME ...]
 *   bench --machine [--threads N]
 *   bench [--json] --list              the names; with --json each one's section, too
 *
 * For each: milliseconds to trace and transform, to compile; the median and least time per
 * call; GB/s or GFLOP/s; and the speed beside the hand-written C (above 1: Cotrace is faster).
 * --json prints a line per workload for bench/peers.py and bench/record.py, which add JAX and
 * PyTorch.  --exact: a workload of each NAME alone, and not all that begin so.  --machine
 * prints the limits of this machine instead, as tools/machine.h has them.  --c adds the speed
 * of the C source beside the JIT's, compiled by clang and by gcc with -O2 -march=native, and by
 * gcc with -O2 alone.  --arch and --bits compile for another processor that this one can stand
 * in for ("--arch znver3 --bits 256": no AVX-512).  --cpu takes the processor's time, where
 * others use it too.  Machines differ and are shared: only ratios of one run mean anything. */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/support/pool.h"
#include "bench/workloads.h"
#include "tools/machine.h"

#ifdef BENCH_BLAS
#include <cblas.h>
void openblas_set_num_threads(int n);
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MAX_OUT = 10, MAX_SAMPLES = 2000, LISTS = 6 };

static const workload_list *const lists[LISTS] = { &plain_workloads,    &window_workloads,
                                                   &indexing_workloads, &fourier_workloads,
                                                   &layer_workloads,    &adbench_workloads };

typedef struct settings {
    int threads;
    double seconds; /* per side and workload */
    bool hand, json, c, exact;
    const char *arch; /* a processor, or NULL: this one */
    int bits;         /* of a vector; 0: what it has */
} settings;

enum { C_COMPILERS = 3 };
static const struct c_compiler {
    const char *name, *command;
    bool native; /* for this processor, or the one that --arch names */
} c_compiler[C_COMPILERS] = { { "clang", "clang -O2", true },
                              { "gcc", "gcc -O2", true },
                              { "gcc -O2", "gcc -O2", false } };

typedef struct timing {
    double median, least;
} timing;

typedef struct subject {
    const workload *w;
    const char *hand; /* its name */
    cot_context *ctx;
    cot_kernel *kernel, *c[C_COMPILERS]; /* c: of C source, or NULL */
    cot_array *in[WORKLOAD_MAX_ARGS], *out[MAX_OUT], *hand_out[MAX_OUT];
    void *args[WORKLOAD_MAX_ARGS + MAX_OUT + 1], *hand_args[WORKLOAD_MAX_ARGS + MAX_OUT];
    int n_out;
    void *work;
    cot_parallel *pool;
    double trace_ms, compile_ms;
} subject;

static clockid_t watch = CLOCK_MONOTONIC;

static double
now(void)
{
    struct timespec t;
    clock_gettime(watch, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* xorshift64*: the same inputs in every run. */
static double
uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(*state * 2685821657736338717u >> 11) * 0x1p-53;
}

/* x toward zero, of f16's normal range. */
static uint16_t
half_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint32_t size = bits & 0x7fffffff;
    return (uint16_t)(bits >> 16 & 0x8000) |
           (size < 0x38800000 ? 0 : (uint16_t)((size - 0x38000000) >> 13));
}

static void
put(void *data, cot_dtype t, int64_t i, double x)
{
    float f = (float)x;
    switch (t) {
    case COT_I8:  ((int8_t *)data)[i] = (int8_t)x; break;
    case COT_U8:  ((uint8_t *)data)[i] = (uint8_t)x; break;
    case COT_I16: ((int16_t *)data)[i] = (int16_t)x; break;
    case COT_I32: ((int32_t *)data)[i] = (int32_t)x; break;
    case COT_F16: ((uint16_t *)data)[i] = half_of(f); break;
    case COT_BF16: memcpy((char *)data + 2 * i, (char *)&f + 2, 2); break;
    case COT_F64:
    case COT_C128: ((double *)data)[i] = x; break;
    default:      ((float *)data)[i] = f; break;
    }
}

static void
fill(cot_array *a, const workload_arg *arg, uint64_t seed)
{
    cot_type type = cot_array_type(a);
    int64_t n =
        cot_type_count(&type) * (type.dtype == COT_C64 || type.dtype == COT_C128 ? 2 : 1);
    for (int64_t i = 0; i < n; i++) {
        double x = arg->low + (arg->high - arg->low) * uniform(&seed);
        if (arg->normal)
            x = arg->high * sqrt(-2 * log(1 - uniform(&seed))) *
                cos(6.283185307179586 * uniform(&seed));
        put(cot_array_data(a), type.dtype, i, x);
    }
}

static bool
failed(cot_context *ctx, const char *name)
{
    fprintf(stderr, "%s: %s\n", name, cot_error(ctx));
    return false;
}

static bool
prepare(subject *s, const settings *set)
{
    workload_arg arg[WORKLOAD_MAX_ARGS];
    cot_type type[WORKLOAD_MAX_ARGS];
    const cot_graph *graph;
    int n = s->w->n_args;
    /* Compilation is timed: no code of an earlier run is used. */
    s->ctx = cot_context_new(&(cot_options){ .cache_dir = "off" });
    s->w->args(arg);
    for (int i = 0; i < n; i++)
        type[i] = arg[i].type;
    double t0 = now();
    cot_fn *f = s->w->make(s->ctx);
    if (cot_trace_fn(f, (cot_types){ .n = n, .at = type }, &graph) != COT_OK)
        return failed(s->ctx, s->w->name);
    double t1 = now();
    const cot_compile_options jit = { .threads = set->threads,
                                      .cpu = set->arch,
                                      .vector_bits = set->bits },
                              source = { .backend = "c", .vector_bits = set->bits };
    if (cot_compile_graph(graph, &jit, &s->kernel) != COT_OK)
        return failed(s->ctx, s->w->name);
    s->trace_ms = 1e3 * (t1 - t0);
    s->compile_ms = 1e3 * (now() - t1);
    for (int k = 0; set->c && k < C_COMPILERS; k++) {
        char compiler[128];
        snprintf(compiler, sizeof compiler, "%s%s%s", c_compiler[k].command,
                 c_compiler[k].native ? " -march=" : "",
                 !c_compiler[k].native ? ""
                 : set->arch           ? set->arch
                                       : "native");
        setenv("COT_CC", compiler, 1);
        if (cot_compile_graph(graph, &source, &s->c[k]) != COT_OK)
            failed(s->ctx, s->w->name);
    }
    s->n_out = cot_graph_n_out(graph);
    for (int i = 0; i < n; i++) {
        s->in[i] = cot_array_new(s->ctx, type[i]);
        fill(s->in[i], &arg[i], 88172645463325252u + (uint64_t)i);
        s->args[i] = s->hand_args[i] = cot_array_data(s->in[i]);
    }
    for (int i = 0; i < s->n_out; i++) {
        s->out[i] = cot_array_new(s->ctx, cot_graph_out_type(graph, i));
        s->hand_out[i] = cot_array_new(s->ctx, cot_graph_out_type(graph, i));
        s->args[n + i] = cot_array_data(s->out[i]);
        s->hand_args[n + i] = cot_array_data(s->hand_out[i]);
    }
    size_t bytes = (cot_kernel_work_bytes(s->kernel) + 63) / 64 * 64;
    for (int k = 0; k < C_COMPILERS; k++)
        if (s->c[k] && cot_kernel_work_bytes(s->c[k]) > bytes)
            bytes = (cot_kernel_work_bytes(s->c[k]) + 63) / 64 * 64;
    s->pool = set->threads > 1 ? cot_rt_pool_new(set->threads) : NULL;
    s->args[n + s->n_out] = s->pool;    /* read where the kernel has parallel loops */
    s->work = aligned_alloc(64, bytes ? bytes : 64);
    memset(s->work, 0, bytes);
    return true;
}

static void
dispose(subject *s)
{
    cot_rt_pool_free(s->pool);
    for (int i = 0; i < s->w->n_args; i++)
        cot_array_free(s->in[i]);
    for (int i = 0; i < s->n_out; i++) {
        cot_array_free(s->out[i]);
        cot_array_free(s->hand_out[i]);
    }
    free(s->work);
    cot_kernel_free(s->kernel);
    for (int k = 0; k < C_COMPILERS; k++)
        cot_kernel_free(s->c[k]);
    cot_context_free(s->ctx);
}

static void
call_cotrace(subject *s)
{
    cot_entry *entry = cot_kernel_entry(s->kernel);
    if (entry)
        entry(s->args, s->work);
    else
        cot_run_with(s->kernel, s->work, s->out, (const cot_array *const *)s->in);
}

static void
call_c(subject *s, int k)
{
    cot_kernel_entry(s->c[k])(s->args, s->work);
}

static void
call_clang(subject *s)
{
    call_c(s, 0);
}

static void
call_gcc(subject *s)
{
    call_c(s, 1);
}

static void
call_hand(subject *s)
{
    if (s->w->hand)
        s->w->hand(s->hand_args);
#ifdef BENCH_BLAS
    int n = s->w->blas_n;
    if (n)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, s->hand_args[0], n,
                    s->hand_args[1], n, 0, s->hand_args[2], n);
#endif
}

static void
call_gcc_plain(subject *s)
{
    call_c(s, 2);
}

static bool
has_peer(const workload *w)
{
#ifdef BENCH_BLAS
    return w->hand || w->blas_n;
#else
    return w->hand != NULL;
#endif
}

static double
sample(void call(subject *), subject *s, int inner)
{
    double t = now();
    for (int i = 0; i < inner; i++)
        call(s);
    return (now() - t) / inner;
}

static int
ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static timing
summary(double *t, int n)
{
    qsort(t, (size_t)n, sizeof *t, ascending);
    return (timing){ t[n / 2], t[0] };
}

/* Both sides in turn, so that a change of the machine's speed hits both. */
static void
measure(subject *s, const settings *set, timing *ours, timing *hand, timing *c)
{
    static double a[MAX_SAMPLES], b[MAX_SAMPLES], d[C_COMPILERS][MAX_SAMPLES];
    static void (*const call[C_COMPILERS])(subject *) = { call_clang, call_gcc,
                                                          call_gcc_plain };
    bool peer = set->hand && has_peer(s->w);
    double once = sample(call_cotrace, s, 1), end;
    int n = 0, inner = once < 2e-5 ? (int)(2e-5 / (once + 1e-9)) + 1 : 1;
    if (peer)
        call_hand(s);
    for (end = now() + set->seconds; n < 5 || (now() < end && n < MAX_SAMPLES); n++) {
        a[n] = sample(call_cotrace, s, inner);
        if (peer)
            b[n] = sample(call_hand, s, inner);
        for (int k = 0; k < C_COMPILERS; k++)
            if (s->c[k])
                d[k][n] = sample(call[k], s, inner);
    }
    for (int k = 0; k < C_COMPILERS; k++)
        c[k] = s->c[k] ? summary(d[k], n) : (timing){ 0 };
    *ours = summary(a, n);
    *hand = peer ? summary(b, n) : (timing){ 0 };
}

static double
real_at(const void *data, bool wide, int64_t i)
{
    return wide ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* The largest difference of results, relative to the largest element of each. */
static double
difference(subject *s)
{
    double worst = 0;
    for (int i = 0; i < s->n_out; i++) {
        cot_type type = cot_array_type(s->out[i]);
        const bool wide = type.dtype == COT_F64 || type.dtype == COT_C128;
        const bool pairs = type.dtype == COT_C64 || type.dtype == COT_C128;
        const void *x = cot_array_read(s->out[i]), *y = cot_array_read(s->hand_out[i]);
        double top = 1e-30, diff = 0;
        for (int64_t k = 0; k < cot_type_count(&type) * (pairs ? 2 : 1); k++) {
            top = fmax(top, fabs(real_at(y, wide, k)));
            diff = fmax(diff, fabs(real_at(x, wide, k) - real_at(y, wide, k)));
        }
        worst = fmax(worst, diff / top);
    }
    return worst;
}

/* The bytes of all arguments and results, which say what cache they are in. */
static int64_t
held_bytes(const subject *s)
{
    int64_t sum = 0;
    for (int i = 0; i < s->w->n_args; i++)
        sum += (int64_t)cot_array_bytes(s->in[i]);
    for (int i = 0; i < s->n_out; i++)
        sum += (int64_t)cot_array_bytes(s->out[i]);
    return sum;
}

static bool
is_wide(const subject *s)
{
    cot_dtype t = s->n_out ? cot_array_type(s->out[0]).dtype : COT_F32;
    return t == COT_F64 || t == COT_C128;
}

static void
print_json(const subject *s, timing ours, timing hand, const timing *c)
{
    const workload *w = s->w;
    printf("{\"name\": \"%s\", \"trace_ms\": %.4f, \"compile_ms\": %.4f, \"median\": %.12f, "
           "\"least\": %.12f, \"hand_median\": %.12f, \"hand_least\": %.12f, \"hand\": \"%s\", "
           "\"bytes\": %.0f, \"flops\": %.0f, \"held\": %" PRId64 ", \"wide\": %d",
           w->name, s->trace_ms, s->compile_ms, ours.median, ours.least, hand.median,
           hand.least, w->blas_n ? "OpenBLAS" : s->hand, w->bytes, w->flops, held_bytes(s),
           is_wide(s));
    for (int k = 0; k < C_COMPILERS; k++)
        if (c[k].median > 0)
            printf(", \"C, %s\": [%.12f, %.12f]", c_compiler[k].name, c[k].least, c[k].median);
    printf("}\n");
    fflush(stdout);
}

static void
print(const subject *s, const settings *set, timing ours, timing hand, const timing *c,
      double differs)
{
    const workload *w = s->w;
    if (set->json) {
        print_json(s, ours, hand, c);
        return;
    }
    bool compute = w->flops / 30 > w->bytes;
    printf("%-22s %8.2f %9.2f %11.2f %11.2f %8.1f %-7s", w->name, s->trace_ms, s->compile_ms,
           1e6 * ours.median, 1e6 * ours.least,
           1e-9 * (compute ? w->flops : w->bytes) / ours.median, compute ? "GFLOP/s" : "GB/s");
    if (hand.median > 0)
        printf(" %8.2f %9.1e%s", hand.median / ours.median, differs,
               hand.median / ours.median < 0.9 ? "  below 0.9" : "");
    for (int k = 0; k < C_COMPILERS; k++)
        if (c[k].median > 0)
            printf("  %s %.2f", c_compiler[k].name, ours.least / c[k].least);
    printf("\n");
    fflush(stdout);
}

static bool
run(const workload_list *l, int i, const settings *set)
{
    subject s = { .w = &l->at[i], .hand = l->hand };
    timing ours, hand, c[C_COMPILERS];
    bool ok = prepare(&s, set);
    if (ok) {
        measure(&s, set, &ours, &hand, c);
        print(&s, set, ours, hand, c, hand.median > 0 ? difference(&s) : 0);
    }
    dispose(&s);
    return ok;
}

static bool
chosen(const char *name, bool exact, int n, char **names)
{
    for (int i = 0; i < n; i++)
        if (strncmp(name, names[i], strlen(names[i]) + exact) == 0)
            return true;
    return n == 0;
}

static void
print_machine(int threads)
{
    machine m;
    machine_measure(&m, threads);
    printf("{\"threads\": %d, \"flops\": [%.6g, %.6g], \"levels\": [", m.threads, m.flops[0],
           m.flops[1]);
    for (int i = 0; i < m.n_levels; i++)
        printf("%s{\"name\": \"%s\", \"bytes\": %" PRId64 ", \"speed\": [%.6g, %.6g]}",
               i ? ", " : "", m.level[i].name, m.level[i].bytes, m.level[i].speed[0],
               m.level[i].speed[1]);
    printf("]}\n");
}

static void
list(bool sections)
{
    for (int k = 0; k < LISTS; k++)
        for (int i = 0; i < lists[k]->n; i++)
            printf("%s%s%s\n", lists[k]->at[i].name, sections ? "\t" : "",
                   sections ? lists[k]->section : "");
}

int
main(int argc, char **argv)
{
    static const struct option option[] = {
        { "threads", required_argument, NULL, 't' },
        { "seconds", required_argument, NULL, 's' },
        { "only", required_argument, NULL, 'o' },
        { "json", no_argument, NULL, 'j' },
        { "list", no_argument, NULL, 'l' },
        { "exact", no_argument, NULL, 'e' },
        { "machine", no_argument, NULL, 'm' },
        { "c", no_argument, NULL, 'c' },
        { "cpu", no_argument, NULL, 'p' },
        { "arch", required_argument, NULL, 'a' },
        { "bits", required_argument, NULL, 'b' },
        { 0 },
    };
    settings set = { .threads = 1, .seconds = 0.5, .hand = true };
    bool only_machine = false;
    int c, bad = 0;
    while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
        switch (c) {
        case 't': set.threads = atoi(optarg); break;
        case 's': set.seconds = atof(optarg); break;
        case 'o': set.hand = false; break;
        case 'j': set.json = true; break;
        case 'c': set.c = true; break;
        case 'a': set.arch = optarg; break;
        case 'b': set.bits = atoi(optarg); break;
        case 'p': watch = CLOCK_PROCESS_CPUTIME_ID; break;
        case 'e': set.exact = true; break;
        case 'm': only_machine = true; break;
        case 'l': list(set.json); return 0;
        default: return 2;
        }
    }
    if (only_machine) {
        print_machine(set.threads);
        return 0;
    }
#ifdef _OPENMP
    omp_set_num_threads(set.threads);
#endif
#ifdef BENCH_BLAS
    openblas_set_num_threads(set.threads);
#endif
    if (!set.json)
        printf("%-22s %8s %9s %11s %11s %16s %8s %9s\n", "workload", "trace ms", "compile ms",
               "median us", "least us", "rate", "vs hand", "differs");
    for (int k = 0; k < LISTS; k++)
        for (int i = 0; i < lists[k]->n; i++)
            if (chosen(lists[k]->at[i].name, set.exact, argc - optind, argv + optind))
                bad += !run(lists[k], i, &set);
    return bad != 0;
}
