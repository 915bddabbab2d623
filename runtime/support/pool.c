/* A small pool of threads.
 *
 * The pool runs one job at a time.  Its state is one word: a generation, which is odd while the
 * job is open, and the number of workers that have joined.  A worker joins an open job by
 * adding one to the word, takes ranges from a shared counter until none is left, and leaves by
 * subtracting one.  The caller does the same work, closes the job (the generation becomes even)
 * and waits for the workers that have joined, but not for those that slept through it.  So a
 * job that ends before a worker wakes does not wait for the wake-up.
 *
 * A forked child has a copy of the pool's memory but none of its threads, and locks that these
 * held stay locked for ever.  So the child neither waits for them nor takes their locks.  The
 * pool knows the process that started its threads, and the first job in another process
 * initialises the pool there; a concurrent job runs in its caller.
 *
 * An idle worker spins for some tens of microseconds, which is the cost of a sleep and a
 * wake-up, and then sleeps.  On a machine with fewer processors than threads it sleeps at once,
 * since spinning would take the processor from the thread that it waits for. */
#include "runtime/support/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define JOINED_BITS 16
#define JOINED_MASK ((UINT64_C(1) << JOINED_BITS) - 1)
#define SPIN_NS     40000

typedef struct pool {
    cot_parallel base;
    _Alignas(64) atomic_uint_least64_t word; /* generation << 16 | workers that joined */
    _Alignas(64) atomic_int_least64_t next;  /* the first iteration that is not taken yet */
    _Alignas(64) void (*body)(void *ctx, int64_t lo, int64_t hi);
    void *ctx;
    int64_t n, chunk;
    atomic_flag busy;
    atomic_int sleepers;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    int64_t spin_ns;
    int threads, started;
    pthread_t *thread;
    _Atomic(pid_t) owner; /* the process that started the threads; 0 while that changes */
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

static bool
is_open(uint64_t word)
{
    return (word >> JOINED_BITS) & 1;
}

static void
work(pool *p)
{
    for (;;) {
        int64_t lo = atomic_fetch_add_explicit(&p->next, p->chunk, memory_order_relaxed);

        if (lo >= p->n)
            return;
        p->body(p->ctx, lo, p->n - lo < p->chunk ? p->n : lo + p->chunk);
    }
}

/* Join a job of a generation other than `seen`; false if there is none. */
static bool
join(pool *p, uint64_t *seen)
{
    uint64_t word = atomic_load_explicit(&p->word, memory_order_acquire);

    while (is_open(word) && word >> JOINED_BITS != *seen) {
        if (atomic_compare_exchange_weak_explicit(&p->word, &word, word + 1,
                                                  memory_order_acquire, memory_order_acquire)) {
            *seen = word >> JOINED_BITS;
            return true;
        }
    }
    return false;
}

static void
doze(pool *p, uint64_t seen)
{
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1);
    for (;;) {
        uint64_t word = atomic_load(&p->word);

        if (atomic_load(&p->stop) || (is_open(word) && word >> JOINED_BITS != seen))
            break;
        pthread_cond_wait(&p->wake, &p->lock);
    }
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->lock);
}

static void *
worker(void *arg)
{
    pool *p = arg;
    uint64_t seen = 0;

    while (!atomic_load_explicit(&p->stop, memory_order_relaxed)) {
        int64_t until = now_ns() + p->spin_ns;
        bool joined = join(p, &seen);

        while (!joined && now_ns() < until) {
            for (int i = 0; i < 32 && !joined; i++) {
                pause_briefly();
                joined = join(p, &seen);
            }
        }
        if (joined) {
            work(p);
            atomic_fetch_sub_explicit(&p->word, 1, memory_order_release);
        } else {
            doze(p, seen);
        }
    }
    return NULL;
}

static void
wait_for_joined(pool *p)
{
    for (int spins = 0;; spins++) {
        if ((atomic_load_explicit(&p->word, memory_order_acquire) & JOINED_MASK) == 0)
            return;
        if (spins < 4096)
            pause_briefly();
        else
            sched_yield();
    }
}

/* Initialises the locks, the word and the threads of a pool that has none in this process. */
static bool
start_threads(pool *p)
{
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    atomic_store(&p->word, 0);
    atomic_store(&p->sleepers, 0);
    atomic_store(&p->stop, false);
    atomic_flag_clear(&p->busy);
    for (p->started = 0; p->started < p->threads - 1; p->started++)
        if (pthread_create(&p->thread[p->started], NULL, worker, p) != 0)
            return false;
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
    p->body = body;
    p->ctx = ctx;
    p->n = n;
    /* Four ranges for each thread balance the load; there are fewer if they would be smaller
     * than the grain. */
    p->chunk = (n - 1) / (4 * p->threads) + 1;
    if (p->chunk < grain)
        p->chunk = grain;
    atomic_store_explicit(&p->next, 0, memory_order_relaxed);
    atomic_fetch_add(&p->word, UINT64_C(1) << JOINED_BITS); /* open */
    if (atomic_load(&p->sleepers) > 0) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
    }
    work(p);
    atomic_fetch_add(&p->word, UINT64_C(1) << JOINED_BITS); /* close */
    wait_for_joined(p);
    atomic_flag_clear_explicit(&p->busy, memory_order_release);
}

cot_parallel *
cot_rt_pool_new(int threads)
{
    pool *p = aligned_alloc(64, (sizeof(pool) + 63) / 64 * 64);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);

    if (!p)
        return NULL;
    *p = (pool){ .base = { run },
                 .threads = threads < 1      ? 1
                            : threads > 1024 ? 1024
                                             : threads };
    p->spin_ns = cpus >= p->threads ? SPIN_NS : 0;
    p->thread = calloc((size_t)p->threads, sizeof *p->thread);
    if (!p->thread) {
        free(p);
        return NULL;
    }
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
    atomic_store(&p->stop, true);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->started; i++)
        pthread_join(p->thread[i], NULL);
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
    free(p->thread);
    free(p);
}
