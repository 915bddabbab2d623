/* Two tiers (cot_options.tiered): a kernel that takes less time in the reference evaluator than
 * LLVM takes to compile it begins there, with the same bits.  A thread compiles it when the
 * evaluator has run it for a share of the time that compiling takes, as one rents until the
 * rent has added up to the price: the sum is at most a constant factor above the least possible
 * (A. R. Karlin et al., Competitive snoopy caching, Algorithmica 3, 1988).  The code is
 * published by one store of its entry, which each call loads once; nothing is freed by that,
 * since the graph that the evaluator runs belongs to the context.
 *
 * Lowering is the caller's: it takes a hundredth of LLVM's time, decides what a call costs, and
 * its text finds code that is stored.  What remains is `load` of a module that no longer
 * changes.  The thread calls it with a context of its own, which has the options of the user's
 * and takes memory from the same allocator, so that the user's context stays with the threads
 * that use it.  Each context has at most one such thread, which is started for the first
 * kernel that begins in the evaluator and ends with the context.  Where it cannot be started
 * kernels are compiled at once.
 *
 * Locks: the context's guards the list of all tiers and their times, `lock` the queue and the
 * states.  The thread never takes the former.  A forked child has neither the thread nor a
 * sound lock: the first call there starts afresh (adopt), and no fork happens while the thread
 * is within LLVM (cg_backend.guard_forks). */
#include "runtime/tier.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "codegen/kernel/cost.h"
#include "codegen/store.h"
#include "codegen/tuning.h"
#include "ir/diag.h"
#include "ir/limit.h"

typedef enum tier_state { EVALUATED, QUEUED, COMPILING, COMPILED, FAILED } tier_state;

enum { TEXT = 512 };

typedef struct rt_tier {
    struct tiers *of;
    cot_kernel *kernel;
    ir_arena arena; /* of the module; empty when it is compiled */
    const cg_module *module;
    double spent, pays; /* seconds in the evaluator, and how many start the compilation */
    tier_state state;
    cot_status status; /* why it failed, and the message */
    char text[TEXT];
    /* The code belongs to a session of the process that forked this one. */
    bool inherited;
    struct rt_tier *queued; /* the next one in the queue */
    struct rt_tier *older, **link; /* in the list of all */
} rt_tier;

typedef struct tiers {
    cot_context *ctx, *own; /* own: the thread's; NULL: none was needed so far */
    cg_code_store keep; /* the context's store, which own adds to */
    pid_t process;
    rt_tier *all; /* the newest first */
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    pthread_t thread;
    bool started, stop;
    rt_tier *first, **last; /* the queue */
    rt_tier *running;
} tiers;

static const char attached;

/* -- the thread -- */

typedef struct tier_job {
    const rt_tier *tier;
    cg_code code;
} tier_job;

static cot_status
compile(cot_context *own, void *arg)
{
    tier_job *j = arg;
    const rt_plan *p = &j->tier->kernel->plan;

    return p->backend->load(own, &p->target, j->tier->module, &j->code);
}

/* A cancelled kernel is compiled when it is asked for again. */
static void
finish(rt_tier *t, cot_status status, const char *text, const cg_code *code)
{
    t->state = status == COT_OK ? COMPILED : status == COT_ERR_CANCELLED ? EVALUATED : FAILED;
    t->status = status;
    snprintf(t->text, sizeof t->text, "%s", text);
    if (status != COT_OK)
        return;
    t->kernel->code = *code;
    atomic_store_explicit(&t->kernel->entry, code->entry, memory_order_release);
    ir_arena_free(&t->arena);
}

static void
compile_first(tiers *s)
{
    rt_tier *t = s->first;
    tier_job j = { .tier = t };

    s->first = t->queued;
    if (!s->first)
        s->last = &s->first;
    s->running = t;
    t->state = COMPILING;
    cot_cancel_clear(s->own);
    pthread_mutex_unlock(&s->lock);
    cot_error_clear(s->own);
    const double start = ir_now();
    const cot_status status = rt_guard(s->own, compile, &j);
    if (s->own->config.time)
        fprintf(stderr, "time: %-14s %9.3f ms  %5u kernels        %s\n", "second tier",
                1e3 * (ir_now() - start), t->module->n_kernels, t->module->name);
    pthread_mutex_lock(&s->lock);
    finish(t, status, cot_error(s->own), &j.code);
    s->running = NULL;
    pthread_cond_broadcast(&s->done);
}

static void *
work(void *arg)
{
    tiers *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!s->stop)
        if (s->first)
            compile_first(s);
        else
            pthread_cond_wait(&s->wake, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* -- its start, its end, and its absence in a forked child -- */

static void
begin_here(tiers *s)
{
    s->process = getpid();
    s->own = NULL;
    s->started = s->stop = false;
    s->first = s->running = NULL;
    s->last = &s->first;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->wake, NULL);
    pthread_cond_init(&s->done, NULL);
}

/* In a forked child.  What the thread was at is left as it is, and so is its context, whose
 * locks it may have held; the code of the parent runs here, too, but cannot be unloaded. */
static void
adopt(tiers *s)
{
    begin_here(s);
    for (rt_tier *t = s->all; t; t = t->older) {
        t->inherited = atomic_load(&t->kernel->entry) != NULL;
        t->state = t->inherited ? COMPILED : t->state == FAILED ? FAILED : EVALUATED;
        if (t->inherited)
            ir_arena_init(&t->arena, s->ctx);
        else
            t->kernel->code = (cg_code){ 0 };
    }
}

static void
release(void *data)
{
    tiers *s = data;

    if (s->process != getpid())
        adopt(s);
    pthread_mutex_lock(&s->lock);
    for (rt_tier *t = s->first; t; t = t->queued)
        t->state = EVALUATED;
    s->first = NULL;
    s->last = &s->first;
    s->stop = true;
    cot_cancel(s->own);
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    if (s->started)
        pthread_join(s->thread, NULL);
    s->started = false;
    cot_context_free(s->own);
    s->own = NULL;
}

static tiers *
tiers_of(cot_context *ctx)
{
    tiers *s = ir_attached_find(ctx, &attached);

    if (!s) {
        s = IR_NEW(&ctx->arena, tiers);
        s->ctx = ctx;
        begin_here(s);
        ir_attach(ctx, &attached, s, release);
    }
    if (s->process != getpid())
        adopt(s);
    return s;
}

/* The search has failed already, and is counted. */
static int
find_nothing(void *self, const ir_digest *key, cg_object out[CG_MAX_OBJECTS])
{
    (void)self, (void)key, (void)out;
    return 0;
}

static cot_status
attach_store(cot_context *own, void *arg)
{
    cg_code_store_attach(own, arg);
    return COT_OK;
}

static cot_context *
context_for(tiers *s)
{
    const cg_code_store *store = cg_code_store_of(s->ctx);
    cot_context *own = cot_context_new(
        &(cot_options){ .alloc = s->ctx->realloc, .alloc_user = s->ctx->alloc_user });

    if (!own)
        return NULL;
    own->config = s->ctx->config;
    own->limits = s->ctx->limits;
    own->owner = s->ctx;
    if (store)
        s->keep = (cg_code_store){ store->self, find_nothing, store->keep };
    if (store && rt_guard(own, attach_store, &s->keep) != COT_OK) {
        cot_context_free(own);
        return NULL;
    }
    return own;
}

/* Signals are for the user's threads. */
static bool
start_thread(tiers *s)
{
    sigset_t all, before;
    pthread_attr_t a;

    if (pthread_attr_init(&a) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->started = pthread_attr_setstacksize(&a, CG_LLVM_STACK_BYTES) == 0 &&
                 pthread_create(&s->thread, &a, work, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&a);
    return s->started;
}

static bool
start(tiers *s, const cg_backend *b)
{
    if (!s->own)
        s->own = context_for(s);
    return s->own && b->guard_forks() && (s->started || start_thread(s));
}

/* -- the queue -- */

/* again: also if it has failed. */
static void
want(tiers *s, rt_tier *t, bool again)
{
    static const cg_code none;

    pthread_mutex_lock(&s->lock);
    if (t->state == EVALUATED || (again && t->state == FAILED)) {
        if (start(s, t->kernel->plan.backend)) {
            t->state = QUEUED;
            t->queued = NULL;
            *s->last = t;
            s->last = &t->queued;
            pthread_cond_signal(&s->wake);
        } else {
            finish(t, COT_ERR_MEMORY, "out of memory for the thread that compiles", &none);
        }
    }
    pthread_mutex_unlock(&s->lock);
}

static void
leave_queue(tiers *s, rt_tier *t)
{
    rt_tier **at = &s->first;

    while (*at != t)
        at = &(*at)->queued;
    *at = t->queued;
    if (!*at)
        s->last = at;
}

static bool
is_awaited(const rt_tier *t)
{
    return t->state == QUEUED || t->state == COMPILING;
}

void
rt_tier_free(cot_kernel *k)
{
    cot_context *ctx = k->ctx;
    rt_tier *t = k->tier;
    tiers *s = t->of;

    pthread_mutex_lock(&ctx->lock);
    if (s->process != getpid())
        adopt(s);
    pthread_mutex_lock(&s->lock);
    if (t->state == QUEUED)
        leave_queue(s, t);
    if (s->running == t)
        cot_cancel(s->own);
    while (s->running == t)
        pthread_cond_wait(&s->done, &s->lock);
    pthread_mutex_unlock(&s->lock);
    *t->link = t->older;
    if (t->older)
        t->older->link = t->link;
    if (t->inherited)
        k->code = (cg_code){ 0 };
    ir_arena_free(&t->arena);
    ir_free(ctx, t);
    k->tier = NULL;
    pthread_mutex_unlock(&ctx->lock);
}

/* -- what the evaluator costs, and the compilation -- */

/* Nanoseconds in the evaluator but for arithmetic; INFINITY if the number of steps is known
 * only at run time. */
static double
walking_time(const ir_graph *f, ir_arena *scratch)
{
    double sum = CG_RUNTIME_NODE_NS;

    ir_each_node (n, f) {
        const ir_loop loop = ir_loop_of(n);
        ir_graph *const *sub;
        double one = CG_RUNTIME_NODE_NS;
        int subs = 0;

        if (loop.cond)
            return INFINITY;
        if (ir_ops[n->op].flag == IR_FLOW)
            subs = ir_subgraphs(n, &sub, scratch);
        for (int i = 0; i < n->n_out; i++)
            one += 1e-3 * CG_RUNTIME_ELEMENT_PS *
                   (double)ir_type_at(f, n->first + (ir_ref)i)->size;
        for (int i = 0; i < subs; i++)
            one += walking_time(sub[i], scratch) * (loop.body ? (double)n->at->scan.length : 1);
        sum += one;
    }
    return sum;
}

static double
compiling_time(const cg_module *m)
{
    double sum = 0;

    for (uint32_t i = 0; i < m->n_kernels; i++)
        sum += CG_RUNTIME_KERNEL_NS +
               (double)CG_RUNTIME_INSN_NS * (double)cg_kernel_weight(m->kernel[i]);
    return sum;
}

/* Code that calls C functions is compiled at once: the evaluator runs under the context's lock,
 * for which a user's function may wait. */
static bool
may_begin(const cot_kernel *k, const cg_module *m)
{
    const rt_plan *p = &k->plan;
    const ir_config *c = &k->ctx->config;

    return c->tiered && p->backend->find && !m->n_ext && !p->target.debug && !c->perf &&
           k->prepared->unfolded < CG_RUNTIME_MAX_NODES;
}

cot_status
rt_tier_begin(cot_kernel *k, const rt_lowered *low, ir_arena *arena, bool *begun)
{
    cot_context *ctx = k->ctx;
    const double compiling = compiling_time(low->module);
    rt_tier *t;

    *begun = false;
    if (!may_begin(k, low->module) ||
        walking_time(k->prepared, arena) + 1e-3 * CG_RUNTIME_FLOP_PS * (double)k->flops >
            compiling / CG_RUNTIME_FIRST_SHARE)
        return COT_OK;
    COT_TRY(k->plan.backend->find(ctx, &k->plan.target, low->module, &k->code));
    atomic_store_explicit(&k->entry, k->code.entry, memory_order_relaxed);
    *begun = k->code.entry != NULL;
    tiers *s = tiers_of(ctx);
    if (*begun || !start(s, k->plan.backend))
        return COT_OK;
    *begun = true;
    t = ir_realloc(ctx, NULL, sizeof *t);
    *t = (rt_tier){ .of = s, .kernel = k, .arena = *arena, .module = low->module };
    t->pays = 1e-9 * compiling / CG_RUNTIME_SECOND_SHARE;
    ir_arena_init(arena, ctx);
    low->module->arena = &t->arena;
    t->older = s->all;
    t->link = &s->all;
    if (t->older)
        t->older->link = &t->older;
    s->all = k->tier = t;
    return COT_OK;
}

/* -- calls -- */

void
rt_tier_ran(const cot_kernel *k, double seconds)
{
    rt_tier *t = k->tier;

    t->spent += seconds;
    if (t->spent >= t->pays)
        want(tiers_of(k->ctx), t, false);
}

/* Why a kernel has no code. */
typedef struct outcome {
    const cot_kernel *kernel;
    cot_status status; /* COT_OK: it has */
    char text[TEXT];
} outcome;

/* The caller holds the lock.  What was asked for and is neither compiled nor failed has been
 * cancelled. */
static outcome
outcome_of(const rt_tier *t)
{
    outcome o = { t->kernel, COT_ERR_CANCELLED, "" };

    if (t->state == COMPILED)
        o.status = COT_OK;
    if (t->state == FAILED) {
        o.status = t->status;
        memcpy(o.text, t->text, sizeof o.text);
    }
    return o;
}

/* Record it as the call would that had compiled the kernel. */
static cot_status
record(cot_context *ctx, void *arg)
{
    const outcome *o = arg;

    if (o->status == COT_ERR_CANCELLED)
        return ir_fail(ctx, o->kernel->loc, o->kernel->graph->name, ERR_cancelled);
    if (ctx->status == COT_OK) {
        ctx->message = ir_copy_string(&ctx->message_arena, o->text);
        ctx->status = o->status;
    }
    return o->status;
}

static cot_status
ask(cot_context *ctx, void *arg)
{
    want(tiers_of(ctx), arg, true);
    return COT_OK;
}

cot_status
rt_tier_wait(const cot_kernel *k)
{
    rt_tier *t = k->tier;

    if (!t || atomic_load_explicit(&k->entry, memory_order_acquire))
        return COT_OK;
    COT_TRY(rt_guard(k->ctx, ask, t));
    pthread_mutex_lock(&t->of->lock);
    while (is_awaited(t))
        pthread_cond_wait(&t->of->done, &t->of->lock);
    outcome o = outcome_of(t);
    pthread_mutex_unlock(&t->of->lock);
    return o.status == COT_OK ? COT_OK : rt_guard(k->ctx, record, &o);
}

static cot_status
ask_all(cot_context *ctx, void *arg)
{
    tiers *s = *(tiers **)arg = tiers_of(ctx);

    for (rt_tier *t = s->all; t; t = t->older)
        want(s, t, true);
    return COT_OK;
}

/* Kernels that others made meanwhile are evaluated, too: those were not asked for. */
static cot_status
answer_all(cot_context *ctx, void *arg)
{
    tiers *s = arg;
    outcome o = { .status = COT_OK };

    pthread_mutex_lock(&s->lock);
    for (const rt_tier *t = s->all; t && o.status == COT_OK; t = t->older)
        if (t->state == FAILED || (t->state == EVALUATED && ir_is_cancelled(ctx)))
            o = outcome_of(t);
    pthread_mutex_unlock(&s->lock);
    return o.status == COT_OK ? COT_OK : record(ctx, &o);
}

cot_status
cot_tiers_wait(cot_context *ctx)
{
    tiers *s = NULL;

    COT_TRY(rt_guard(ctx, ask_all, &s));
    pthread_mutex_lock(&s->lock);
    while (s->first || s->running)
        pthread_cond_wait(&s->done, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return rt_guard(ctx, answer_all, s);
}

static cot_status
count(cot_context *ctx, void *arg)
{
    cot_tiers *n = arg;
    tiers *s = tiers_of(ctx);

    pthread_mutex_lock(&s->lock);
    for (const rt_tier *t = s->all; t; t = t->older)
        ++*(t->state == COMPILED ? &n->compiled
            : t->state == FAILED ? &n->failed
                                 : &n->evaluated);
    pthread_mutex_unlock(&s->lock);
    return COT_OK;
}

cot_tiers
cot_tiers_of(cot_context *ctx)
{
    cot_tiers n = { 0 };

    rt_guard(ctx, count, &n);
    return n;
}
