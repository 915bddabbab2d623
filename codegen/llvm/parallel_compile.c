/* A kernel module compiled by several threads.
 *
 * LLVM's passes and code generation take nine tenths of the time, and LLVM contexts are
 * independent of each other.  So the kernels are distributed over several LLVM modules, each
 * with a context of its own.  The calling thread emits all of them; then a few threads, one of
 * which is the caller, take one module after the other, each with a target machine of its own.
 * Between modules a thread looks whether the call is cancelled, and the caller tells how far
 * the call is.  Kernels call each other by names that are resolved when the objects are linked.
 * The code of a kernel depends on the kernel alone, so neither the number of threads nor that
 * of modules changes it.
 *
 * The compiling threads allocate nothing from the context and store errors in their module, so
 * that the context stays with the thread that owns it. */
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "codegen/kernel/cost.h"
#include "codegen/llvm/llvm.h"
#include "codegen/tuning.h"
#include "ir/limit.h"

typedef struct load {
    uint32_t kernel;
    int64_t weight;
} load;

/* Sorts the heaviest first, and equal ones in order of the module. */
static int
by_weight(const void *x, const void *y)
{
    const load *a = x, *b = y;

    if (a->weight != b->weight)
        return a->weight < b->weight ? 1 : -1;
    return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* The processors that this thread may use, which a container or `taskset` makes fewer than the
 * machine has: more threads than that compile no sooner, and each has a module of its own. */
static long
count_processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

int
cg_ll_threads_of(const cot_context *ctx)
{
    long n = ctx->config.compile_threads;

    if (n < 1)
        n = count_processors();
    return n < 1 ? 1 : n > CG_LL_COMPILE_THREADS ? CG_LL_COMPILE_THREADS : (int)n;
}

/* How many threads and modules code of this weight is worth: as many modules for each thread,
 * so that all end at about the same time. */
static void
size_up(const cot_context *ctx, cg_ll_parallel_build *t, int64_t weight, uint32_t kernels)
{
    const int64_t shares = weight / CG_LLVM_COMPILE_SHARE;

    t->threads = cg_ll_threads_of(ctx);
    t->threads = shares < t->threads ? (int)shares : t->threads;
    t->threads = t->threads < 1 ? 1 : t->threads;
    const int64_t each = weight / CG_LLVM_MODULE_INSTRUCTIONS / t->threads + 1;
    t->n = each < CG_MAX_OBJECTS / t->threads ? (int)each * t->threads : CG_MAX_OBJECTS;
    t->n = (uint32_t)t->n < kernels ? t->n : (int)kernels;
}

enum { NO_MODULE = -1 }; /* a part of each that calls it */

/* Distribute the kernels greedily, each to the lightest module; the entry belongs to module
 * 0. */
static void
deal(const cot_context *ctx, cg_ll_parallel_build *t, const cg_ll_machine *machine,
     const cg_module *m, ir_arena *arena, int *module_of)
{
    load *all = IR_NEW_N(arena, load, m->n_kernels);
    int64_t sum = 0, has[CG_MAX_OBJECTS] = { 0 };
    uint32_t n = 0;

    for (uint32_t i = 0; i < m->n_kernels; i++) {
        const int64_t weight = cg_kernel_weight(m->kernel[i]);
        sum += weight;
        module_of[i] = NO_MODULE;
        if (i == 0 || !cg_ll_is_inlined(ctx, machine, m->kernel[i]))
            all[n++] = (load){ i, weight };
    }
    size_up(ctx, t, sum, n);
    module_of[0] = 0;
    has[0] = all[0].weight;
    t->kernels[0] = 1 + (int)(m->n_kernels - n);
    qsort(all + 1, n - 1, sizeof *all, by_weight);
    for (uint32_t i = 1; i < n; i++) {
        int least = 0;
        for (int j = 1; j < t->n; j++)
            if (has[j] < has[least])
                least = j;
        module_of[all[i].kernel] = least;
        t->kernels[least]++;
        has[least] += all[i].weight;
    }
}

typedef struct worker {
    cg_ll_parallel_build *t;
    const cg_ll_machine *machine;
    cot_context *ctx; /* of the caller; NULL: another thread */
} worker;

/* LLVM's form of a module is freed as soon as its object is there. */
static void
compile_one(cg_ll_parallel_build *t, int i, const cg_ll_machine *machine)
{
    cg_ll_module *l = &t->l[i];
    const double start = ir_now();

    l->machine = machine;
    const bool good = cg_ll_optimise(l);
    const double optimised = ir_now();
    if (good && cg_ll_make_code(l, LLVMObjectFile, &t->object[i]))
        cg_ll_module_free(l);
    l->seconds[1] = optimised - start;
    l->seconds[2] = ir_now() - optimised;
}

/* COT_TIME: what LLVM's parts took, all threads together. */
static void
print_times(const cg_ll_parallel_build *t, const cot_context *ctx)
{
    static const char *const part[] = { "llvm build", "llvm passes", "llvm code" };
    char text[64];

    snprintf(text, sizeof text, "%5d modules, by %d threads", t->n, t->threads);
    for (int k = 0; ctx->config.time && k < 3; k++) {
        double sum = 0;
        for (int i = 0; i < t->n; i++)
            sum += t->l[i].seconds[k];
        ir_print_time(ctx, part[k], sum, text);
    }
}

/* Compiles modules until none is left or the call is to end.  A machine is not used again after
 * a fatal error of LLVM. */
static void *
work(void *p)
{
    const worker *w = p;
    cg_ll_parallel_build *t = w->t;

    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->n;) {
        if (cg_ll_cancelled(&t->l[i]))
            break;
        compile_one(t, i, w->machine);
        if (t->l[i].died)
            break;
        const unsigned before = atomic_fetch_add(&t->done, (unsigned)t->kernels[i]);
        if (w->ctx)
            ir_stage_done(w->ctx, before + (unsigned)t->kernels[i]);
        if (w->ctx && ir_check(w->ctx) != COT_OK)
            break;
    }
    if (w->ctx)
        atomic_store(&t->next, t->n);
    return NULL;
}

/* Compile all modules.  The others do the work of a thread that does not start. */
static void
compile_all(cg_ll_parallel_build *t, worker *w)
{
    pthread_t thread[CG_LL_COMPILE_THREADS];
    bool started[CG_LL_COMPILE_THREADS] = { false };
    pthread_attr_t a;
    const bool ready = t->threads > 1 && pthread_attr_init(&a) == 0;

    if (ready)
        pthread_attr_setstacksize(&a, CG_LL_STACK);
    for (int i = 1; i < t->threads; i++)
        started[i] = ready && pthread_create(&thread[i], &a, work, &w[i]) == 0;
    work(&w[0]);
    for (int i = 1; i < t->threads; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
    if (ready)
        pthread_attr_destroy(&a);
}

static cot_status
find_workers(cg_ll_parallel_build *t, cot_context *ctx, const cg_ll_machine *machine, worker *w)
{
    for (int i = 0; i < t->threads; i++) {
        w[i] = (worker){ t, i ? cg_ll_machine_like(ctx, machine, i) : machine, i ? NULL : ctx };
        if (!w[i].machine)
            return cg_ll_fail(ctx, "target %s: LLVM has no code generator for it",
                              machine->triple);
    }
    return COT_OK;
}

cot_status
cg_ll_compile_in_parallel(cg_ll_parallel_build *t, cot_context *ctx, ir_arena *scratch,
                          const cg_ll_machine *machine, const cg_module *m, const char *entry,
                          bool debug)
{
    int *module_of = IR_NEW_N(scratch, int, m->n_kernels + 1);
    const bool *can_fail = NULL;
    worker w[CG_LL_COMPILE_THREADS];

    t->n = t->threads = 1;
    if (!debug && !ctx->config.perf)
        deal(ctx, t, machine, m, scratch, module_of);
    t->l = IR_NEW_N(scratch, cg_ll_module, t->n);
    COT_TRY(find_workers(t, ctx, machine, w));
    for (int i = 0; i < t->n; i++) {
        const double start = ir_now();
        COT_TRY(ir_check(ctx));
        COT_TRY(cg_ll_module_begin(&t->l[i], ctx, scratch, machine, m->name, debug));
        t->l[i].in_process = true;
        can_fail = can_fail ? can_fail : cg_ll_find_failing(&t->l[i], m);
        if (t->n == 1)
            COT_TRY(cg_ll_module_add(&t->l[i], m, entry, true, NULL, 0));
        else
            cg_ll_module_add_some(&t->l[i], m, entry, can_fail, module_of, i);
        t->l[i].seconds[0] = ir_now() - start;
    }
    ir_stage(ctx, "compile", m->name, m->n_kernels);
    compile_all(t, w);
    print_times(t, ctx);
    cot_status s = ir_check(ctx);
    for (int i = 0; i < t->n; i++) {
        cot_status one = cg_ll_module_status(&t->l[i]);
        s = s == COT_OK ? one : s;
    }
    return s;
}

void
cg_ll_parallel_build_free(cg_ll_parallel_build *t)
{
    for (int i = 0; t->l && i < t->n; i++)
        cg_ll_module_free(&t->l[i]);
    for (int i = 0; i < CG_MAX_OBJECTS; i++) {
        if (t->object[i])
            LLVMDisposeMemoryBuffer(t->object[i]);
        t->object[i] = NULL;
    }
}
