/* cot bench: what compiling costs, what a call costs, and how near the machine's limit it runs.
 *
 * `read` is the text and the pipeline, once.  With two tiers (cot_options.tiered) `compile` is
 * the time until a call can be made, and calls are timed when the code has come.  The limit is
 * the greater of bytes over the speed of the memory that holds them, and flops over peak, both
 * measured here on one core (machine.c).  Bytes are those of arguments and results, each moved
 * once; with the work block they are what has to fit a cache.  Flops are the cost model's
 * estimate.  --profile: a row for each kernel, measured in calls of code that has probes, and
 * the plot of -o FILE.svg.  --compile: one compilation, pass by pass, and no call.  --schedule:
 * schedules.c.  --at: bench_open.c. */
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "ir/diag.h"
#include "ir/limit.h"
#include "runtime/compile.h"
#include "tools/cot.h"
#include "tools/profile.h"

int
cli_ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

enum { RUNS = 5, SAMPLES = 31 }; /* of compilation; of calls */

/* Each sample is of as many calls as take a millisecond. */
cot_status
cli_time_calls(const cot_kernel *k, void *const *args, double *least, double *median)
{
    double sample[SAMPLES], start = ir_now();
    int64_t calls = 1;

    COT_TRY(rt_call_kernel(k, args, NULL));
    start = ir_now();
    COT_TRY(rt_call_kernel(k, args, NULL));
    calls = (int64_t)fmax(1, 1e-3 / fmax(ir_now() - start, 1e-9));
    for (int i = 0; i < SAMPLES; i++) {
        start = ir_now();
        for (int64_t c = 0; c < calls; c++)
            COT_TRY(rt_call_kernel(k, args, NULL));
        sample[i] = (ir_now() - start) / (double)calls;
    }
    qsort(sample, SAMPLES, sizeof *sample, cli_ascending);
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
        double start = ir_now();

        cot_kernel_free(*out);
        COT_TRY(cot_compile_graph(f, o, out));
        *least = fmin(*least, ir_now() - start);
    }
    return COT_OK;
}

static void
report(const cot_kernel *k, const machine *m, double read, double compile, double least,
       double median)
{
    double bytes = 0, limit = 0;

    for (int i = 0; i < k->n_in + k->n_out; i++)
        bytes += (double)k->bytes[i];
    const machine_level *level = machine_level_of(m, (int64_t)bytes + (int64_t)k->work_bytes);
    if (level)
        limit = bytes / level->speed[0];
    if (m->flops[0] > 0)
        limit = fmax(limit, (double)k->flops / m->flops[0]);
    cli_hide_progress();
    printf("read         %10.3f ms\n", 1e3 * read);
    printf("compile      %10.3f ms\n", 1e3 * compile);
    printf("call, least  %10.3f us\n", 1e6 * least);
    printf("call, median %10.3f us\n", 1e6 * median);
    printf("work block   %10zu bytes\n", k->work_bytes);
    printf("arrays       %10.0f bytes      %8.2f GB/s of %.2f (%s)\n", bytes,
           bytes / least * 1e-9, level ? level->speed[0] * 1e-9 : 0, level ? level->name : "");
    printf("flops        %10lld            %8.2f GFLOP/s of %.2f\n", (long long)k->flops,
           (double)k->flops / least * 1e-9, m->flops[0] * 1e-9);
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

/* Calls of the same function, compiled once more with probes. */
static cot_status
report_profile(cot_cli *c, const ir_graph *f, const cot_compile_options *o, const machine *m,
               void **args, double without)
{
    profiled p;
    ir_buf b;

    COT_TRY(profile_calls(c, f, o, args, &p));
    ir_buf_init(&b, &c->ctx->arena);
    profile_table(&b, p.k->profile, m, p.calls, p.seconds);
    printf("\n%sa call with the profile takes %.3f us, %.3f times what it takes without\n",
           b.text, 1e6 * p.least, p.least / without);
    ir_buf_init(&b, &c->ctx->arena);
    profile_roofline(&b, p.k->profile, m, p.seconds);
    cot_kernel_free(p.k);
    return !c->out || cli_write(c, c->out, b.text, b.n) ? COT_OK : cot_error_status(c->ctx);
}

int
cli_bench(cot_cli *c)
{
    const cot_compile_options o = { .backend = c->backend,
                                    .threads = c->threads,
                                    .trapping_math = c->trapping_math };
    double read = ir_now(), compile, least, median;
    void **args;
    cot_status status;
    cot_kernel *k;
    ir_graph *f;
    machine m;

    if (c->at)
        return cli_bench_open(c, &o);
    if (c->open)
        return cli_wrong(c, "--open wants sizes to compare, by --at NAME=N,...");
    if (cli_entry(c, &f) != COT_OK)
        return cli_failed(c);
    if (c->schedule)
        return cli_schedules(c, f, &o);
    if (c->out && !c->profile)
        return cli_wrong(c, "-o names no file without --profile or --schedule");
    read = ir_now() - read;
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
    status = profile_arguments(c, k, f, &args);
    if (status == COT_OK)
        status = cli_time_calls(k, args, &least, &median);
    if (status == COT_OK) {
        machine_measure(&m, k->pool ? k->plan.threads : 1);
        report(k, &m, read, compile, least, median);
    }
    if (status == COT_OK && c->profile)
        status = report_profile(c, f, &o, &m, args, least);
    cot_kernel_free(k);
    return status == COT_OK ? EXIT_DONE : cli_failed(c);
}
