/* A kernel module compiled by several threads.
 *
 * LLVM's passes and code generation take nine tenths of the time, and LLVM contexts are
 * independent of each other.  So the kernels are distributed over a few LLVM modules, each with
 * a context and a target machine of its own.  The calling thread emits all of them; then each
 * is compiled by a thread, one of which is the caller.  Kernels call each other by names that
 * are resolved when the objects are linked.  The code of a kernel depends on the kernel alone,
 * so the number of threads does not change it.
 *
 * The compiling threads allocate nothing from the context and store errors in their module, so
 * that the context stays with the thread that owns it. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "codegen/llvm/llvm.h"
#include "codegen/tuning.h"
#include "ir/limit.h"

/* The number of instructions that LLVM sees in a region: copies count, lanes do not. */
static int64_t
weight_of(const cg_kernel *k, const cg_region *r)
{
    int64_t sum = 0;

    for (uint32_t n = 0; n < r->n; n++) {
        const cg_block *b = k->insn[r->insn[n]].block;
        int64_t lo, hi, copies = 1;
        sum++;
        if (!b)
            continue;
        if (b->kind == CG_UNROLL && cg_is_const(k, b->lo, &lo) && cg_is_const(k, b->hi, &hi))
            copies = (hi - lo + b->step - 1) / b->step;
        sum += copies * (weight_of(k, &b->body) + weight_of(k, &b->other));
    }
    return sum;
}

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

static int
threads_of(const cot_context *ctx)
{
    long n = ctx->config.compile_threads;

    if (n < 1)
        n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > CG_LL_COMPILE_THREADS ? CG_LL_COMPILE_THREADS : (int)n;
}

/* Distribute the kernels greedily, each to the lightest share; the entry belongs to share 0.
 * Returns the number of shares. */
static int
deal(const cot_context *ctx, const cg_module *m, ir_arena *arena, int *share_of)
{
    load *all = IR_NEW_N(arena, load, m->n_kernels);
    int64_t sum = 0, has[CG_LL_COMPILE_THREADS] = { 0 };
    int n;

    for (uint32_t i = 0; i < m->n_kernels; i++) {
        all[i] = (load){ i, weight_of(m->kernel[i], &m->kernel[i]->body) };
        sum += all[i].weight;
    }
    n = threads_of(ctx);
    n = sum / CG_LLVM_COMPILE_SHARE < n ? (int)(sum / CG_LLVM_COMPILE_SHARE) : n;
    if (n < 2)
        return 1;
    has[0] = all[0].weight;
    qsort(all + 1, m->n_kernels - 1, sizeof *all, by_weight);
    for (uint32_t i = 1; i < m->n_kernels; i++) {
        int least = 0;
        for (int j = 1; j < n; j++)
            if (has[j] < has[least])
                least = j;
        share_of[all[i].kernel] = least;
        has[least] += all[i].weight;
    }
    return n;
}

typedef struct share {
    cg_ll_module *l;
    LLVMMemoryBufferRef *object;
} share;

static void *
work(void *p)
{
    share *s = p;

    if (!cg_ll_cancelled(s->l) && cg_ll_optimise(s->l) && !cg_ll_cancelled(s->l))
        cg_ll_make_code(s->l, LLVMObjectFile, s->object);
    return NULL;
}

/* Compile every share in a thread.  The first, and those whose thread did not start, are
 * compiled by this thread. */
static void
share_work(cg_ll_parallel_build *t)
{
    share s[CG_LL_COMPILE_THREADS];
    pthread_t thread[CG_LL_COMPILE_THREADS];
    bool started[CG_LL_COMPILE_THREADS] = { false };
    pthread_attr_t a;
    const bool ready = t->n > 1 && pthread_attr_init(&a) == 0;

    if (ready)
        pthread_attr_setstacksize(&a, CG_LL_STACK);
    for (int i = 0; i < t->n; i++)
        s[i] = (share){ &t->l[i], &t->object[i] };
    for (int i = 1; i < t->n; i++)
        started[i] = ready && pthread_create(&thread[i], &a, work, &s[i]) == 0;
    for (int i = 0; i < t->n; i++)
        if (!started[i])
            work(&s[i]);
    for (int i = 1; i < t->n; i++)
        if (started[i])
            pthread_join(thread[i], NULL);
    if (ready)
        pthread_attr_destroy(&a);
}

cot_status
cg_ll_compile_in_parallel(cg_ll_parallel_build *t, cot_context *ctx, ir_arena *scratch,
                          const cg_ll_machine *machine, const cg_module *m, const char *entry,
                          bool debug)
{
    int *share_of = IR_NEW_N(scratch, int, m->n_kernels + 1);
    const bool alone = debug || ctx->config.perf;
    const int n = alone ? 1 : deal(ctx, m, scratch, share_of);

    for (t->n = 0; t->n < n;) {
        const int i = t->n;
        const cg_ll_machine *own = i ? cg_ll_machine_like(ctx, machine, i) : machine;
        if (!own)
            return cg_ll_fail(ctx, "target %s: LLVM has no code generator for it",
                              machine->triple);
        COT_TRY(ir_check(ctx));
        COT_TRY(cg_ll_module_begin(&t->l[i], ctx, scratch, own, m->name, debug));
        t->n++;
        t->l[i].in_process = true;
        if (n == 1)
            COT_TRY(cg_ll_module_add(&t->l[i], m, entry, true, NULL, 0));
        else
            cg_ll_module_share(&t->l[i], m, entry, share_of, i);
    }
    share_work(t);
    cot_status s = ir_check(ctx);
    for (int i = 0; i < n; i++) {
        cot_status one = cg_ll_module_status(&t->l[i]);
        s = s == COT_OK ? one : s;
    }
    return s;
}

void
cg_ll_parallel_build_free(cg_ll_parallel_build *t)
{
    for (int i = 0; i < CG_LL_COMPILE_THREADS; i++) {
        cg_ll_module_free(&t->l[i]);
        if (t->object[i])
            LLVMDisposeMemoryBuffer(t->object[i]);
        t->object[i] = NULL;
    }
}
