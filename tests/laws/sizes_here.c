/* Products run in this process, between red zones (sizes.c). */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/call.h"
#include "tests/laws/judged.h"
#include "tests/laws/sizes_inside.h"
#include "tests/redzone.h"

/* What the handler of faults has to know. */
static struct running {
    const item *now;
    const char *way;
    bool alone;                 /* no other thread runs it */
    sigjmp_buf out;
} running;

/* A page that nobody may touch was touched, or an instruction failed. */
static void
fault(int number)
{
    if (running.alone)
        siglongjmp(running.out, number);
    dprintf(2, "\nsizes: %s %" PRId64 ": %s: a thread touches memory beside its buffers\n%s",
            sizes.how, running.now ? running.now->z.number : -1, running.way ? running.way : "",
            running.now ? running.now->z.text : "");
    _exit(1);
}

void
sizes_watch_faults(void)
{
    struct sigaction a = { .sa_handler = fault, .sa_flags = SA_NODEFER };

    sigaction(SIGSEGV, &a, NULL);
    sigaction(SIGBUS, &a, NULL);
    sigaction(SIGILL, &a, NULL);
}

typedef struct call {
    const cot_kernel *kernel;   /* or */
    void (*natural)(void);
} call;

static cot_status
call_it(const call *c, int n, void **args, void *work)
{
    rt_arg arg[SIZES_VALUES + 1] = { 0 };
    int result = 0;

    if (c->kernel) {
        args[n] = c->kernel->pool;
        return rt_call_kernel(c->kernel, args, work);
    }
    for (int i = 0; i < n; i++)
        arg[i].at = args[i];
    arg[n].at = work;
    COT_TRY(rt_call_c(sizes.ctx, c->natural, n + 1, arg, &result));
    return result == 0 ? COT_OK : COT_ERR_INTERNAL;
}

static const char *
damage(const redzone *z, const char *what, int i)
{
    ptrdiff_t at = 0;

    return redzone_good(z, &at)
               ? NULL
               : ir_format(&sizes.ctx->arena, "%s %d, of %zu bytes, is overstepped at byte %td",
                           what, i, z->n, at);
}

static const char *
judge(const item *x, const redzone *z, const redzone *work)
{
    const char *what = damage(work, "the work block", 0);

    for (int i = 0; i < sizes_values(x) && !what; i++) {
        what = damage(&z[i], i < x->f->n_in ? "argument" : "value", i);
        if (!what && i < x->f->n_in && memcmp(z[i].data, x->in[i], z[i].n) != 0)
            what = ir_format(&sizes.ctx->arena, "argument %d is changed", i);
    }
    for (int i = 0; i < x->f->n_out && !what; i++) {
        const int64_t at =
            laws_differ(sizes_type(x, x->f->n_in + i), x->want[i], z[x->f->n_in + i].data);
        if (at >= 0)
            what = ir_format(&sizes.ctx->arena,
                             "element %lld of result %d differs from the evaluator's",
                             (long long)at, i);
    }
    return what;
}

static void
run_between(const item *x, const char *way, const call *c, size_t work_bytes, redzone_kind kind)
{
    static const char *const against[] = { "between zones", "against a page at the end",
                                           "against a page at the beginning" };
    redzone z[SIZES_VALUES], work;
    void *args[SIZES_VALUES + 1] = { 0 };
    const int n = sizes_values(x);
    const char *what;

    for (int i = 0; i < n; i++) {
        const ir_type *t = sizes_type(x, i);
        const size_t width = cot_dtype_size(ir_part_type(t->dtype));
        args[i] = redzone_new(&z[i], laws_bytes(t), width, kind);
        if (i < x->f->n_in)
            memcpy(args[i], x->in[i], laws_bytes(t));
        else
            memset(args[i], 0x5b, laws_bytes(t));
    }
    redzone_new(&work, work_bytes, 64, kind);
    running.now = x;
    running.way = way;
    running.alone = !(c->kernel && c->kernel->pool);
    const int signal = sigsetjmp(running.out, 1);
    if (signal == 0)
        what = call_it(c, n, args, work.data) == COT_OK ? judge(x, z, &work) : "fails";
    else
        what = signal == SIGILL ? "an instruction that is not there"
                                : "touches memory beside its buffers";
    running.now = NULL;
    running.alone = false;
    if (what)
        sizes_wrong(x, ir_format(&sizes.ctx->arena, "%s, %s", way, against[kind]), what);
    for (int i = 0; i < n; i++)
        redzone_free(&z[i]);
    redzone_free(&work);
}

static void
run_here(const item *x, const char *way, const call *c, size_t work_bytes)
{
    const int64_t before = sizes.failures;

    for (redzone_kind kind = REDZONE_BOTH; kind <= REDZONE_BEGIN && sizes.failures == before;
         kind++)
        run_between(x, way, c, work_bytes, kind);
}

static bool
runs_here(const char *cpu)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return !cpu || strcmp(cpu, "x86-64") == 0 ||
           (strcmp(cpu, "x86-64-v2") == 0 && __builtin_cpu_supports("sse4.2")) ||
           (strcmp(cpu, "x86-64-v3") == 0 && __builtin_cpu_supports("avx2") &&
            __builtin_cpu_supports("fma")) ||
           (strcmp(cpu, "x86-64-v4") == 0 && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl"));
#else
    return !cpu;
#endif
}

bool
sizes_possible(const way *w)
{
    return runs_here(w->cpu) && (w->bits < 512 || w->command || runs_here("x86-64-v4")) &&
           (w->bits < 256 || w->command || runs_here("x86-64-v3"));
}

/* Draw schedules until so many fit; each of these is run. */
static void
run_schedules(const item *x, const way *w, const cot_compile_options *o)
{
    uint64_t seed = 31 * (uint64_t)x->z.number + 7;
    cot_kernel *k;

    for (int drawn = 0, fit = 0; drawn < SIZES_DRAWN && fit < SIZES_FIT; drawn++) {
        const char *text = sizes_schedule(x, o, &seed);
        if (!text)
            return;
        if (rt_compile_scheduled(x->f, o, text, &k) == COT_OK) {
            run_here(x, ir_format(&sizes.ctx->arena, "%s, %s", w->name, text),
                     &(call){ .kernel = k }, k->work_bytes);
            cot_kernel_free(k);
            sizes.schedules++;
            fit++;
        } else if (cot_error_status(sizes.ctx) == COT_ERR_TARGET) {
            sizes.refused++;
        } else {
            sizes_wrong(x, ir_format(&sizes.ctx->arena, "%s, %s", w->name, text),
                        cot_error(sizes.ctx));
        }
        cot_error_clear(sizes.ctx);
    }
}

void
sizes_jit(const item *x, const way *w)
{
    const cot_compile_options o = {
        .backend = "jit", .cpu = w->cpu, .vector_bits = w->bits, .threads = w->threads
    };
    if (sizes.scheduled) {
        run_schedules(x, w, &o);
        return;
    }
    sizes.ctx->shares_all = true; /* with several threads */
    const uint64_t key = judged_key(x->f, &o, "llvm", w->name, x->in, x->want);
    const int64_t failures = sizes.failures;
    cot_kernel *k;

    if (judged_before(key)) {
        sizes.known++;
        return;
    }
    if (cot_compile_graph(x->f, &o, &k) != COT_OK) {
        sizes_wrong(x, w->name, cot_error(sizes.ctx));
        cot_error_clear(sizes.ctx);
        return;
    }
    run_here(x, w->name, &(call){ .kernel = k }, k->work_bytes);
    cot_kernel_free(k);
    if (sizes.failures == failures)
        judged_pass(key);
}

static void
run_library(const char *way)
{
    void *library = dlopen(sizes_path("x.so"), RTLD_NOW | RTLD_LOCAL);

    for (int i = 0; i < sizes.n; i++) {
        union {
            void *p;
            void (*f)(void);
        } entry = { library ? dlsym(library, sizes.item[i].fn.name) : NULL };
        if (entry.p)
            run_here(&sizes.item[i], way, &(call){ .natural = entry.f },
                     (size_t)sizes.item[i].work);
        else
            sizes_wrong(&sizes.item[i], way, "its file does not load");
    }
    if (library)
        dlclose(library);
}

void
sizes_batch_here(const way *w, bool c)
{
    const cot_compile_options o = { .backend = c ? "c" : NULL,
                                    .cpu = c ? NULL : w->cpu,
                                    .vector_bits = w->bits,
                                    .target = c ? NULL : "x86_64-linux-gnu",
                                    .threads = 1 };

    if (!sizes_emit(&o, c))
        return;
    if (sizes_shell(w->command, "") != 0)
        sizes_wrong(&sizes.item[0], w->name, "the file does not compile");
    else
        run_library(w->name);
}
