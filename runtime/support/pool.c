/* A small pool of threads.
 *
 * The pool runs one job at a time.  The caller deals the iterations out as one share for each
 * thread, and then does its own.  What a worker needs of a job is in one line of the cache,
 * which is the worker's own: its share, and a word that says whether the share is open.  A
 * worker joins by a change of that word from open to joined, takes ranges of its share until
 * none is left, then ranges of the others', and makes the word idle.  When no range is left the
 * caller closes the shares whose workers have not joined, and waits for those that have.  So a
 * job that ends before a worker wakes does not wait for the wake-up.
 *
 * Share t is thread t's in one job after the other, so a thread works on the same rows in each
 * loop, and their data stay in the cache of its processor (Markatos and LeBlanc, Using
 * processor affinity in loop scheduling on shared-memory multiprocessors, IEEE Transactions on
 * Parallel and Distributed Systems 5, 1994).
 *
 * A forked child has a copy of the pool's memory but none of its threads, and locks that these
 * held stay locked for ever.  So the child neither waits for them nor takes their locks.  The
 * pool knows the process that started its threads, and the first job in another process
 * initialises the pool there; a concurrent job runs in its caller.
 *
 * An idle worker spins for some tens of microseconds, which is the cost of a sleep and a
 * wake-up, and then sleeps.  Short jobs wake it if they follow each other.  On a machine with
 * fewer processors than threads it sleeps at once, since spinning would take the processor from
 * the thread that it waits for. */
#include "runtime/support/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SPIN_NS 50000
#define WAKE_NS 100000

enum { KNOWN = 64 };
enum { IDLE, OPEN, JOINED, STOPPED };

/* One thread, and its share of the job. */
typedef struct pool_thread {
    _Alignas(64) atomic_int state; /* of thread 0, the caller: always idle */
    atomic_bool asleep;
    int16_t index;
    int16_t shares;            /* of the first threads; the others have none */
    atomic_int_least64_t next; /* the first iteration that is not taken yet */
    int64_t end, chunk;
    void (*body)(void *ctx, int64_t lo, int64_t hi);
    void *ctx;
    pthread_t id;
} pool_thread;

/* How long an iteration of a body took last. */
typedef struct timed_body {
    void (*body)(void *ctx, int64_t lo, int64_t hi);
    double ns;
} timed_body;

typedef struct pool {
    cot_parallel base;
    int threads, started;
    int64_t spin_ns;
    atomic_flag busy;
    _Atomic(pid_t) owner; /* the process that started the threads; 0 while that changes */
    /* of the caller, where workers sleep: nanoseconds of work that they did not share in jobs
     * that follow each other, and when the last of these ended */
    double missed;
    int64_t until;
    timed_body known[KNOWN];
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pool_thread thread[];
} pool;

static void
pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* -- a job -- */

/* Run a range of this share; false: none is left. */
static bool
take_range(pool_thread *t)
{
    int64_t lo;

    if (atomic_load_explicit(&t->next, memory_order_relaxed) >= t->end)
        return false;
    lo = atomic_fetch_add_explicit(&t->next, t->chunk, memory_order_relaxed);
    if (lo >= t->end)
        return false;
    t->body(t->ctx, lo, t->end - lo < t->chunk ? t->end : lo + t->chunk);
    return true;
}

/* The share of this thread, and what is left of the others', the next ones first. */
static void
work(pool_thread *t)
{
    pool_thread *first = t - t->index, *end = first + t->shares;

    for (pool_thread *i = t; i < end; i++)
        while (take_range(i))
            ;
    for (pool_thread *i = first; i < t; i++)
        while (take_range(i))
            ;
}

/* Give the threads their shares.  Iterations are dealt out by ranges, so that all are as long
 * as the grain but the last one. */
static int
deal(pool *p, void (*body)(void *ctx, int64_t lo, int64_t hi), void *ctx, int64_t n,
     int64_t grain)
{
    /* Four ranges for each thread balance the load; there are fewer if they would be smaller
     * than the grain. */
    const int64_t even = (n - 1) / (4 * p->threads) + 1, chunk = even < grain ? grain : even,
                  ranges = (n - 1) / chunk + 1;
    const int shares = ranges < p->threads ? (int)ranges : p->threads;
    const int64_t each = ranges / shares, longer = ranges % shares;
    int64_t next = 0;

    for (int i = 0; i < shares; i++) {
        pool_thread *t = &p->thread[i];
        int64_t end = next + (each + (i < longer)) * chunk;

        atomic_store_explicit(&t->next, next, memory_order_relaxed);
        t->end = i == shares - 1 ? n : end;
        t->chunk = chunk;
        t->shares = (int16_t)shares;
        t->body = body;
        t->ctx = ctx;
        next = end;
    }
    return shares;
}

/* So much was not shared, or is not going to be: is that worth a wake-up, with what went
 * before? */
static bool
wake_for(pool *p, double ns)
{
    p->missed += ns;
    if (p->missed < WAKE_NS)
        return false;
    p->missed = 0;
    pthread_mutex_lock(&p->lock);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    return true;
}

/* A worker sleeps.  It is woken for a long job, or for short ones that follow each other: if
 * what was not shared takes longer than a wake-up.  The first range tells how long a job takes;
 * where that is half of a share or more, the last job of this body does. */
static void
wake_if_worth(pool *p, int shares)
{
    pool_thread *t = p->thread;
    const int64_t start = now_ns(), n = t[shares - 1].end, first = t->chunk;
    const bool few = (n - 1) / first + 1 < 2 * shares;
    timed_body *k = &p->known[((uintptr_t)t->body >> 4) % KNOWN];

    if (start - p->until > SPIN_NS)
        p->missed = 0;
    const bool known = few && k->body == t->body;
    if (known)
        wake_for(p, k->ns * (double)(n - first));
    if (!take_range(t))
        return;
    *k = (timed_body){ t->body, (double)(now_ns() - start) / (double)first };
    p->until = start + (int64_t)(k->ns * (double)n);
    if (!known)
        wake_for(p, k->ns * (double)(n - first));
}

/* A worker that falls asleep meanwhile may be overlooked: then this thread does its share, and
 * the next job wakes it.  So no fence delays the caller's own work. */
static void
open_shares(pool *p, int shares)
{
    bool asleep = false;

    for (int i = 1; i < shares; i++) {
        asleep |= atomic_load_explicit(&p->thread[i].asleep, memory_order_relaxed);
        atomic_store_explicit(&p->thread[i].state, OPEN, memory_order_release);
    }
    if (asleep)
        wake_if_worth(p, shares);
}

/* All ranges are taken.  Close what nobody has joined, and wait for those who work. */
static void
close_shares(pool *p, int shares)
{
    for (int i = 1; i < shares; i++) {
        pool_thread *t = &p->thread[i];
        int state = OPEN;

        if (atomic_compare_exchange_strong_explicit(&t->state, &state, IDLE,
                                                    memory_order_acquire, memory_order_acquire))
            continue;
        for (int spins = 0; state != IDLE; spins++) {
            if (spins < 4096)
                pause_briefly();
            else
                sched_yield();
            state = atomic_load_explicit(&t->state, memory_order_acquire);
        }
    }
}

/* -- workers -- */

/* Join the job in which this thread has an open share, if there is one within the time that
 * workers spin. */
static bool
join(pool *p, pool_thread *t)
{
    int64_t until = 0;

    for (int spins = 0;; spins++) {
        int state = atomic_load_explicit(&t->state, memory_order_relaxed);

        if (state == OPEN &&
            atomic_compare_exchange_strong_explicit(&t->state, &state, JOINED,
                                                    memory_order_acquire, memory_order_relaxed))
            return true;
        if (state == STOPPED)
            return false;
        if (spins % 32 == 0) {
            int64_t now = now_ns();

            if (until == 0)
                until = now + p->spin_ns;
            if (now >= until)
                return false;
        }
        pause_briefly();
    }
}

static void
doze(pool *p, pool_thread *t)
{
    pthread_mutex_lock(&p->lock);
    atomic_store(&t->asleep, true);
    while (atomic_load(&t->state) == IDLE)
        pthread_cond_wait(&p->wake, &p->lock);
    atomic_store(&t->asleep, false);
    pthread_mutex_unlock(&p->lock);
}

static void *
worker(void *arg)
{
    pool_thread *t = arg;
    pool *p = (pool *)((char *)(t - t->index) - offsetof(pool, thread));

    while (atomic_load_explicit(&t->state, memory_order_relaxed) != STOPPED) {
        if (join(p, t)) {
            work(t);
            atomic_store_explicit(&t->state, IDLE, memory_order_release);
        } else {
            doze(p, t);
        }
    }
    return NULL;
}

/* Initialises the locks, the shares and the threads of a pool that has none in this process. */
static bool
start_threads(pool *p)
{
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    atomic_flag_clear(&p->busy);
    for (int i = 0; i < p->threads; i++)
        p->thread[i] = (pool_thread){ .index = (int16_t)i };
    for (p->started = 0; p->started < p->threads - 1; p->started++) {
        pool_thread *t = &p->thread[p->started + 1];

        if (pthread_create(&t->id, NULL, worker, t) != 0)
            return false;
    }
    return true;
}

/* Do the pool's threads belong to this process?  After a fork the first caller starts them;
 * fewer are acceptable. */
static bool
is_here(pool *p)
{
    const pid_t self = getpid();
    pid_t owner = atomic_load_explicit(&p->owner, memory_order_acquire);

    if (owner == self)
        return true;
    if (owner == 0 || !atomic_compare_exchange_strong(&p->owner, &owner, 0))
        return false;
    (void)start_threads(p);
    atomic_store_explicit(&p->owner, self, memory_order_release);
    return true;
}

static void
run(const cot_parallel *self, void (*body)(void *ctx, int64_t lo, int64_t hi), void *ctx,
    int64_t n, int64_t grain)
{
    pool *p = (pool *)self; /* base is the first member */

    if (n <= 0)
        return;
    if (grain < 1)
        grain = 1;
    if (n <= grain || p->threads < 2 || !is_here(p) || p->started == 0 ||
        atomic_flag_test_and_set_explicit(&p->busy, memory_order_acquire)) {
        body(ctx, 0, n);
        return;
    }
    int shares = deal(p, body, ctx, n, grain);
    open_shares(p, shares);
    work(p->thread);
    close_shares(p, shares);
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
}

cot_parallel *
cot_rt_pool_new(int threads)
{
    const int count = threads < 1 ? 1 : threads > 1024 ? 1024 : threads;
    pool *p = aligned_alloc(64, sizeof(pool) + (size_t)count * sizeof(pool_thread));
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (!p)
        return NULL;
    *p = (pool){ .base = { run }, .threads = count, .spin_ns = cpus >= count ? SPIN_NS : 0 };
    atomic_store(&p->owner, getpid());
    if (!start_threads(p)) {
        cot_rt_pool_free(&p->base);
        return NULL;
    }
    return &p->base;
}

static void
stop_threads(pool *p)
{
    pthread_mutex_lock(&p->lock);
    for (int i = 0; i < p->started; i++)
        atomic_store(&p->thread[i + 1].state, STOPPED);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->started; i++)
        pthread_join(p->thread[i + 1].id, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
}

void
cot_rt_pool_free(cot_parallel *self)
{
    pool *p = (pool *)self;

    if (!p)
        return;
    if (atomic_load(&p->owner) == getpid())
        stop_threads(p);
    free(p);
}
