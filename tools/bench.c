/* cot bench: what compiling costs, what a call costs, and how near the machine's limit it runs.
 *
 * `read` is the text and the pipeline, once.  With two tiers (cot_options.tiered) `compile` is
 * the time until a call can be made, and calls are timed when the code has come.  The limit is
 * the greater of bytes over memory speed and flops over peak, both measured here on one core.
 * Bytes are those of arguments and results, each moved once; flops are the cost model's
 * estimate.  Working sets that fit a cache can be faster than this memory limit.  --profile: a
 * row for each kernel, measured in calls of code that has probes.  --compile: one compilation,
 * pass by pass, and no call.  --schedule: schedules.c. */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "ir/diag.h"
#include "runtime/compile.h"
#include "runtime/profile.h"
#include "runtime/values.h"
#include "tools/cot.h"

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int
by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { TRIAD = 1 << 23, CHAINS = 12 };

/* Bytes a second of a += s * b over arrays larger than a cache; one thread. */
static double
memory_speed(void)
{
    float *a = calloc(TRIAD, sizeof *a), *b = calloc(TRIAD, sizeof *b);
    double best = 0;

    for (int run = 0; run < 4 && a && b; run++) {
        double start = now();

        for (int i = 0; i < TRIAD; i++)
            a[i] += 0.5f * b[i];
        best = fmax(best, 12.0 * TRIAD / (now() - start));
    }
    if (a && b && a[TRIAD / 2] != 0)
        best = 0; /* keeps the loop */
    free(a);
    free(b);
    return best;
}

#if defined(__x86_64__)
typedef float lanes __attribute__((vector_size(32)));

/* Written out, or the chains are kept in memory. */
#define EACH_CHAIN(i) _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++)

/* Independent chains of fma in 256-bit registers, twice the flops of that in 512 where there
 * are. */
__attribute__((target("avx2,fma"), noinline)) static double
fma_chains(int64_t n, float *keep)
{
    lanes x[CHAINS], y = { 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f };
    double start = now();

    EACH_CHAIN(i)
        x[i] = y * (float)i;
    for (int64_t k = 0; k < n; k++)
        EACH_CHAIN(i)
            __asm__("vfmadd213ps %1, %1, %0" : "+x"(x[i]) : "x"(y));
    EACH_CHAIN(i)
        *keep += x[i][0];
    return 2.0 * 8 * CHAINS * (double)n / (now() - start);
}
#endif

/* Flops a second in f32 on one core; 0 where it is not known. */
static double
peak_speed(void)
{
#if defined(__x86_64__)
    float keep = 0;

    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        double best = 0;

        for (int run = 0; run < 4; run++)
            best = fmax(best, fma_chains(1 << 20, &keep));
        return keep != keep ? 0 : best * (__builtin_cpu_supports("avx512f") ? 2 : 1);
    }
#endif
    return 0;
}

enum { RUNS = 5, SAMPLES = 31 }; /* of compilation; of calls */

/* Each sample is of as many calls as take a millisecond. */
cot_status
cli_time_calls(const cot_kernel *k, void *const *args, double *least, double *median)
{
    double sample[SAMPLES], start = now();
    int64_t calls = 1;

    COT_TRY(rt_call_kernel(k, args, NULL));
    start = now();
    COT_TRY(rt_call_kernel(k, args, NULL));
    calls = (int64_t)fmax(1, 1e-3 / fmax(now() - start, 1e-9));
    for (int i = 0; i < SAMPLES; i++) {
        start = now();
        for (int64_t c = 0; c < calls; c++)
            COT_TRY(rt_call_kernel(k, args, NULL));
        sample[i] = (now() - start) / (double)calls;
    }
    qsort(sample, SAMPLES, sizeof *sample, by_size);
    *least = sample[0];
    *median = sample[SAMPLES / 2];
    return COT_OK;
}

static cot_status
time_compile(const ir_graph *f, const cot_compile_options *o, int runs, double *least,
             cot_kernel **out)
{
    *least = INFINITY;
    *out = NULL;
    for (int i = 0; i < runs; i++) {
        double start = now();

        cot_kernel_free(*out);
        COT_TRY(cot_compile_graph(f, o, out));
        *least = fmin(*least, now() - start);
    }
    return COT_OK;
}

static void
report(const cot_kernel *k, double read, double compile, double least, double median)
{
    double bytes = 0, memory = memory_speed(), peak = peak_speed(), limit;

    for (int i = 0; i < k->n_in + k->n_out; i++)
        bytes += (double)k->bytes[i];
    limit = fmax(bytes / memory, peak > 0 ? (double)k->flops / peak : 0);
    cli_hide_progress();
    printf("read         %10.3f ms\n", 1e3 * read);
    printf("compile      %10.3f ms\n", 1e3 * compile);
    printf("call, least  %10.3f us\n", 1e6 * least);
    printf("call, median %10.3f us\n", 1e6 * median);
    printf("work block   %10zu bytes\n", k->work_bytes);
    printf("arrays       %10.0f bytes      %8.2f GB/s of %.2f\n", bytes, bytes / least * 1e-9,
           memory * 1e-9);
    printf("flops        %10lld            %8.2f GFLOP/s of %.2f\n", (long long)k->flops,
           (double)k->flops / least * 1e-9, peak * 1e-9);
    printf("share of the limit of one core: %.0f %%\n", 100 * limit / least);
}

/* The rows of COT_TIME come before. */
static void
report_compile(const cot_kernel *k, double read, double compile)
{
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    cli_hide_progress();
    printf("read         %10.3f ms\n", 1e3 * read);
    printf("compile      %10.3f ms\n", 1e3 * compile);
    printf("code         %10zu bytes\n", k->code.bytes);
    printf("most memory  %10ld KB\n", used.ru_maxrss);
}

enum { PROFILED_US = 300000 }; /* of calls that a profile counts, after others */

static cot_status
print_profile(const cot_kernel *k, void *const *args, double without)
{
    double least, median, start, passed;
    int64_t calls = 0;
    ir_buf b;

    COT_TRY(cli_time_calls(k, args, &least, &median));
    rt_profile_clear(k->profile);
    start = now();
    do {
        COT_TRY(rt_call_kernel(k, args, NULL));
        passed = now() - start;
        calls++;
    } while (passed < 1e-6 * PROFILED_US);
    ir_buf_init(&b, &k->ctx->arena);
    rt_profile_table(&b, k->profile, calls, passed);
    printf("\n%sa call with the profile takes %.3f us, %.3f times what it takes without\n",
           b.text, 1e6 * least, least / without);
    return COT_OK;
}

/* Calls of the same function, compiled once more with probes. */
static cot_status
report_profile(cot_cli *c, const ir_graph *f, const cot_compile_options *o, void *const *args,
               double without)
{
    const bool counted = c->ctx->config.counted;
    cot_kernel *k;

    c->ctx->config.counted = true;
    const cot_status compiled = cot_compile_graph(f, o, &k);
    c->ctx->config.counted = counted;
    COT_TRY(compiled);
    const cot_status status = k->profile
                                  ? print_profile(k, args, without)
                                  : ir_fail(c->ctx, 0, f->name, ERR_usage,
                                            "this back end has no profile; wants jit or c");
    cot_kernel_free(k);
    return status;
}

int
cli_bench(cot_cli *c)
{
    const cot_compile_options o = { .backend = c->backend,
                                    .threads = c->threads,
                                    .trapping_math = c->trapping_math };
    double read = now(), compile, least, median;
    void **in, **out, **args;
    cot_status status;
    cot_kernel *k;
    ir_graph *f;

    if (cli_entry(c, &f) != COT_OK)
        return cli_failed(c);
    if (c->schedule)
        return cli_schedules(c, f, &o);
    read = now() - read;
    if (time_compile(f, &o, c->compile ? 1 : RUNS, &compile, &k) != COT_OK)
        return cli_failed(c);
    if (cot_tiers_wait(c->ctx) != COT_OK) {
        cot_kernel_free(k);
        return cli_failed(c);
    }
    if (c->compile) {
        report_compile(k, read, compile);
        cot_kernel_free(k);
        return EXIT_DONE;
    }
    if (cli_inputs(c, f, &in) != COT_OK) {
        cot_kernel_free(k);
        return cli_failed(c);
    }
    out = cli_buffers(c->ctx, f);
    args = IR_NEW_N(&c->ctx->arena, void *, f->n_in + f->n_out + 1);
    rt_arguments(k, in, out, args);
    status = cli_time_calls(k, args, &least, &median);
    if (status == COT_OK)
        report(k, read, compile, least, median);
    if (status == COT_OK && c->profile)
        status = report_profile(c, f, &o, args, least);
    cot_kernel_free(k);
    return status == COT_OK ? EXIT_DONE : cli_failed(c);
}
