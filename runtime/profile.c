/* Rows of the profile, and what fills them: probes (codegen/kernel/probe.h) around the
 * statements of plans read the processor's clock and add to counters.
 *
 * The counters are atomic, since threads may call one kernel at once, and are made with the
 * module, so that a call allocates nothing.  Single runs are kept as events in a block of fixed
 * size; when it is full, they are counted only.  The processor's clock is converted to seconds
 * by what both clocks say when the context's first profile is made and when it is read.
 *
 * What threads work is counted around the pool: a range of iterations runs between two readings
 * of the clock, for the kernel that the calling thread has entered. */
#include "runtime/profile.h"

#include <pthread.h>

#include "codegen/kernel/cost.h"
#include "codegen/kernel/probe.h"
#include "ir/limit.h"
#include "runtime/events.h"

static int64_t
ticks(void)
{
#if defined(__x86_64__)
    return (int64_t)__builtin_ia32_rdtsc();
#else
    return (int64_t)(1e9 * ir_now());
#endif
}

double
rt_profiles_scale(const rt_profiles *all)
{
    const int64_t passed = ticks() - all->began;

    return passed > 0 ? (ir_now() - all->began_at) / (double)passed : 0;
}

double
rt_profile_seconds(rt_counter *c)
{
    return rt_profiles_scale(c->of->all) * (double)atomic_load(&c->ticks);
}

double
rt_profile_idle(rt_counter *c)
{
    const double ticks = (double)atomic_load(&c->ticks),
                 worked =
                     ticks - (double)atomic_load(&c->shared) + (double)atomic_load(&c->worked),
                 idle = 1 - worked / (ticks * c->of->threads);

    return ticks > 0 && idle > 0 ? idle : 0;
}

void
rt_profile_clear(rt_profile *p)
{
    for (rt_counter *c = p->first; c; c = c->next) {
        atomic_store(&c->runs, 0);
        atomic_store(&c->ticks, 0);
        atomic_store(&c->shared, 0);
        atomic_store(&c->worked, 0);
    }
}

/* What a probe adds to the time of a statement, which is not the statement's. */
static int64_t
own_ticks(void)
{
    int64_t least = INT64_MAX;

    for (int i = 0; i < 64; i++) {
        const int64_t from = ticks(), passed = ticks() - from;

        least = passed < least ? passed : least;
    }
    return least > 0 ? least : 0;
}

/* The row whose kernel this thread runs, of code with probes. */
static _Thread_local rt_counter *entered_by_thread;
/* How many threads share the steps of a scan, of which this thread runs some; 0: no such. */
static _Thread_local int stepping;

static int64_t
enter(const void *counter)
{
    entered_by_thread = (rt_counter *)counter;
    return ticks();
}

/* While other threads run other steps, a run costs its part of their time, and none is idle. */
static void
add_time(rt_counter *c, int64_t passed)
{
    const int64_t cost = stepping ? passed / stepping : passed;

    atomic_fetch_add_explicit(&c->ticks, cost, memory_order_relaxed);
    if (!stepping)
        return;
    atomic_fetch_add_explicit(&c->shared, cost, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->worked, passed, memory_order_relaxed);
}

static void
leave(const void *counter, int64_t entered)
{
    const int64_t now = ticks();
    rt_counter *c = (rt_counter *)counter;
    rt_profiles *all = c->of->all;
    const int64_t passed = now - entered - all->own;

    entered_by_thread = NULL;
    atomic_fetch_add_explicit(&c->runs, 1, memory_order_relaxed);
    add_time(c, passed > 0 ? passed : 0);
    if (!all->event)
        return;
    const int64_t at = atomic_fetch_add_explicit(&all->n_events, 1, memory_order_relaxed);
    if (at < RT_EVENTS)
        all->event[at] = (rt_event){ c, entered, now, (uint64_t)(uintptr_t)pthread_self() };
}

/* -- threads -- */

typedef struct counting_pool {
    cot_parallel as;
    cot_parallel *inner;
    int threads;
} counting_pool;

typedef struct shared_loop {
    void (*body)(void *ctx, int64_t lo, int64_t hi);
    void *ctx;
    int steps; /* of a scan: the threads that share them; of a kernel: 0 */
    _Atomic int64_t worked;
} shared_loop;

static void
run_range(void *user, int64_t lo, int64_t hi)
{
    shared_loop *x = user;
    const int64_t from = ticks();

    stepping = x->steps;
    x->body(x->ctx, lo, hi);
    stepping = 0;
    atomic_fetch_add_explicit(&x->worked, ticks() - from, memory_order_relaxed);
}

static void
run_counted(const cot_parallel *self, void (*body)(void *ctx, int64_t lo, int64_t hi),
            void *ctx, int64_t n, int64_t grain)
{
    const counting_pool *pool = (const counting_pool *)self;
    rt_counter *c = entered_by_thread;
    shared_loop x = { body, ctx, c ? 0 : pool->threads, 0 };
    const int64_t from = ticks();

    pool->inner->run(pool->inner, run_range, &x, n, grain);
    if (!c)
        return;
    atomic_fetch_add_explicit(&c->shared, ticks() - from, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->worked, atomic_load(&x.worked), memory_order_relaxed);
}

cot_parallel *
rt_profile_pool(rt_profile *p, cot_parallel *inner, int threads)
{
    counting_pool *pool = IR_NEW(&p->all->ctx->arena, counting_pool);

    *pool = (counting_pool){ { run_counted }, inner, threads };
    p->threads = threads;
    return &pool->as;
}

/* -- rows -- */

static bool
has_loop(const cg_kernel *k, cg_kind kind)
{
    for (uint32_t i = 1; i < k->n_insns; i++)
        if (k->insn[i].op == CG_LOOP && k->insn[i].block->kind == kind)
            return true;
    return false;
}

/* What the lines of cg_explain "NAME: TEXT" say, but that an earlier kernel of this name is the
 * same as another one: it was dropped. */
static const char *
decisions(cot_context *ctx, const char *why, const char *name)
{
    static const char dropped[] = ": same kernel as ";
    const size_t n = strlen(name);
    const char *all = "";

    for (const char *s = why ? why : "", *end; *s; s = end + (*end == '\n')) {
        end = s + strcspn(s, "\n");
        if (strncmp(s, name, n) == 0 && strncmp(s + n, ": ", 2) == 0 &&
            strncmp(s + n, dropped, sizeof dropped - 1) != 0)
            all = ir_format(&ctx->arena, "%s%s%.*s", all, *all ? "; " : "",
                            (int)(end - s - (long)n - 2), s + n + 2);
    }
    return all;
}

static rt_counter *
find_row(const rt_profile *p, const char *name)
{
    rt_counter *c = p->first;

    while (c && strcmp(c->name, name) != 0)
        c = c->next;
    return c;
}

static rt_counter *
row_of(cot_context *ctx, rt_profile *p, const char *name)
{
    rt_counter *c = find_row(p, name);

    if (c)
        return c;
    c = IR_NEW(&ctx->arena, rt_counter);
    c->of = p;
    c->name = ir_copy_string(&ctx->arena, name);
    c->note = c->why = "";
    *p->last = c;
    p->last = &c->next;
    return c;
}

typedef struct filling {
    cot_context *ctx;
    const cg_module *m;
    rt_profile *p;
} filling;

static const void *
row_of_kernel(const filling *f, const cg_module *m, const cg_kernel *k)
{
    rt_counter *c = row_of(f->ctx, f->p, k->name);

    c->note = k->note ? ir_copy_string(&f->ctx->arena, k->note) : "";
    c->why = decisions(f->ctx, m->why, k->name);
    if (!m->n_sizes) {
        c->bytes = cg_kernel_bytes(k);
        c->flops = k->flops;
    }
    c->is_vector = has_loop(k, CG_VECTOR);
    c->is_parallel = has_loop(k, CG_PARALLEL);
    return c;
}

const char rt_copies[] = "(copies)";

/* A plan that another one calls has rows for what it calls, and none itself. */
static const void *
counter_of(void *user, const cg_module *m, const cg_insn *x)
{
    const filling *f = user;

    if (x->op == CG_COPY)
        return row_of(f->ctx, f->p, rt_copies);
    if (x->op == CG_EXTERN)
        return row_of(f->ctx, f->p, x->ext->name);
    const cg_kernel *k = m->kernel[x->call->kernel];
    return k->plans ? NULL : row_of_kernel(f, m, k);
}

static void
note_working_set(void *user, const cg_insn *x, int64_t bytes)
{
    const filling *f = user;
    rt_counter *c = find_row(f->p, x->op == CG_COPY     ? rt_copies
                                   : x->op == CG_EXTERN ? x->ext->name
                                                        : f->m->kernel[x->call->kernel]->name);

    if (c && !f->m->n_sizes && bytes > c->around)
        c->around = bytes;
}

/* -- the profiles of a context -- */

static const char key;

rt_profiles *
rt_profiles_of(cot_context *ctx)
{
    rt_profiles *all = ir_attached_find(ctx, &key);

    if (all)
        return all;
    all = IR_NEW(&ctx->arena, rt_profiles);
    all->ctx = ctx;
    all->own = own_ticks();
    all->began_at = ir_now();
    all->began = ticks();
    all->last = &all->first;
    ir_attach(ctx, &key, all, NULL);
    return all;
}

rt_profile *
rt_profile_module(cot_context *ctx, cg_module *m)
{
    rt_profiles *all = rt_profiles_of(ctx);
    rt_profile *p = IR_NEW(&ctx->arena, rt_profile);

    p->function = ir_copy_string(&ctx->arena, m->name);
    p->all = all;
    p->last = &p->first;
    *all->last = p;
    all->last = &p->next;
    p->threads = 1;
    filling f = { ctx, m, p };
    cg_probe_module(
        m, &(cg_probe){ .enter = enter, .leave = leave, .counter = counter_of, .user = &f });
    cg_each_working_set(m, &ctx->arena, note_working_set, &f);
    return p;
}
