/* Ranks that share memory (shm.h).
 *
 * From each to each other goes a ring of bytes, written by the one and read by the other.  How
 * each has ended is noted in that memory, and so a rank that waits for another finds that it is
 * gone; what it sent before is still read.  No rank waits longer than the timeout. */
#define _DEFAULT_SOURCE
#include "runtime/shm.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, SPINS = 100, YIELDS = 500 };

/* How a process has ended, or not: ENDED + what its body returned, KILLED + a signal. */
enum { RUNS, GAVE_UP, ENDED = 256, KILLED = 1024, FIRST = 4096 };

typedef struct ring {
    _Alignas(LINE) _Atomic uint64_t written;
    _Alignas(LINE) _Atomic uint64_t read;
} ring;

typedef struct rt_shm_shared {
    _Atomic int state[RT_SHM_PROCESSES];
    _Atomic int waits[RT_SHM_PROCESSES]; /* for which process, + 1; 0: it does not wait */
    _Atomic int arrived, round; /* of the barrier */
    /* the failure that others follow from: 0, or FIRST times the process + 1, + its state */
    _Atomic int first;
} shared;

double
rt_shm_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ring *
ring_of(const rt_shm *p, int from, int to)
{
    const size_t each = sizeof(ring) + p->bytes;

    return (ring *)(void *)(p->rings + each * (size_t)(from * p->size + to));
}

static size_t
least(size_t x, size_t y)
{
    return x < y ? x : y;
}

/* Bytes that fit now go into the ring; how many. */
static size_t
put(ring *r, size_t bytes, const char *from, size_t n)
{
    const uint64_t at = atomic_load_explicit(&r->written, memory_order_relaxed),
                   read = atomic_load_explicit(&r->read, memory_order_acquire);
    const size_t take = least(n, bytes - (size_t)(at - read)), place = (size_t)(at % bytes),
                 first = least(take, bytes - place);
    char *base = (char *)(r + 1);

    memcpy(base + place, from, first);
    memcpy(base, from + first, take - first);
    atomic_store_explicit(&r->written, at + take, memory_order_release);
    return take;
}

static size_t
get(ring *r, size_t bytes, char *to, size_t n)
{
    const uint64_t at = atomic_load_explicit(&r->read, memory_order_relaxed),
                   written = atomic_load_explicit(&r->written, memory_order_acquire);
    const size_t take = least(n, (size_t)(written - at)), place = (size_t)(at % bytes),
                 first = least(take, bytes - place);
    const char *base = (const char *)(r + 1);

    memcpy(to, base + place, first);
    memcpy(to + first, base, take - first);
    atomic_store_explicit(&r->read, at + take, memory_order_release);
    return take;
}

/* ---- waiting ---- */

/* Notes a failure, unless there was one. */
static void
note_first(const rt_shm *p, int rank, int state)
{
    int none = 0;

    atomic_compare_exchange_strong(&p->all->first, &none, FIRST * (rank + 1) + state);
}

/* The text of the first failure of all, which this one may follow from. */
static int
fail(rt_shm *p, int rank, int state)
{
    if (rank >= 0) {
        note_first(p, rank, state);
        rank = atomic_load(&p->all->first) / FIRST - 1;
        state = atomic_load(&p->all->first) % FIRST;
    }
    if (state == GAVE_UP)
        snprintf(p->text, sizeof p->text, "process %d gave up after a failure of its own",
                 rank);
    else if (state >= KILLED)
        snprintf(p->text, sizeof p->text, "process %d was ended by signal %d", rank,
                 state - KILLED);
    else if (state >= ENDED)
        snprintf(p->text, sizeof p->text, "process %d has ended, with status %d", rank,
                 state - ENDED);
    else if (rank < 0)
        snprintf(p->text, sizeof p->text, "the process that started the others has ended");
    else
        snprintf(p->text, sizeof p->text, "process %d did not answer within %g s", rank,
                 p->timeout);
    return 1;
}

/* The process for which `rank` waits, if it waits itself: the one that keeps all of them. */
static int
blamed(const rt_shm *p, int rank)
{
    for (int hops = 0; hops < p->size; hops++) {
        const int next = atomic_load(&p->all->waits[rank]) - 1;
        if (next < 0 || next == p->rank)
            break;
        rank = next;
    }
    return rank;
}

/* A wait for a process: when it began, and how often it has looked. */
typedef struct shm_wait {
    int rank, looks;
    double since;
} shm_wait;

/* Whoever failed, or gave up, sends nothing more: others would take it for what they wait
 * for. */
static bool
is_over(rt_shm *p)
{
    const int state = atomic_load(&p->all->state[p->rank]);

    if (!p->text[0] && state != RUNS)
        fail(p, p->rank, state);
    return p->text[0] != '\0';
}

/* Time passes; 1, with the text, where it is of no use to wait on. */
static int
wait_on(rt_shm *p, shm_wait *w)
{
    const int state = atomic_load(&p->all->state[w->rank]);

    if (state != RUNS && w->looks > 0 && w->looks < 1 << 20)
        w->looks = 1 << 20; /* once more, since it may have sent before it ended */
    else if (state != RUNS && w->looks >= 1 << 20)
        return fail(p, w->rank, state);
    if (w->looks == 0) {
        w->since = rt_shm_now();
        atomic_store(&p->all->waits[p->rank], w->rank + 1);
    }
    if (++w->looks < SPINS)
        return 0;
    if (w->looks < SPINS + YIELDS || state != RUNS) {
        sched_yield();
        return 0;
    }
    if (getppid() != p->parent)
        return fail(p, -1, RUNS);
    if (rt_shm_now() - w->since > p->timeout)
        return fail(p, blamed(p, w->rank), RUNS);
    nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    return 0;
}

static int
exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
         size_t receive_bytes)
{
    rt_shm *p = user;
    ring *to = ring_of(p, p->rank, partner), *from = ring_of(p, partner, p->rank);
    size_t sent = 0, received = 0;
    shm_wait w = { .rank = partner };

    if (is_over(p))
        return 1;
    while (sent < send_bytes || received < receive_bytes) {
        const size_t n = put(to, p->bytes, (const char *)send + sent, send_bytes - sent),
                     m = get(from, p->bytes, (char *)receive + received,
                             receive_bytes - received);
        sent += n;
        received += m;
        if (n + m > 0) {
            w.looks = 0;
            atomic_store(&p->all->waits[p->rank], 0);
        } else if (wait_on(p, &w)) {
            return 1;
        }
    }
    atomic_store(&p->all->waits[p->rank], 0);
    return 0;
}

/* The last to arrive begins the next round. */
static int
barrier(void *user)
{
    rt_shm *p = user;
    const int round = atomic_load(&p->all->round);
    shm_wait w = { .rank = 0 };

    if (is_over(p))
        return 1;
    if (atomic_fetch_add(&p->all->arrived, 1) + 1 == p->size) {
        atomic_store(&p->all->arrived, 0);
        atomic_store(&p->all->round, round + 1);
        return 0;
    }
    while (atomic_load(&p->all->round) == round) {
        for (int k = 0; k < p->size; k++)
            if (k != p->rank && atomic_load(&p->all->state[k]) != RUNS)
                w.rank = k;
        if (wait_on(p, &w))
            return atomic_load(&p->all->round) == round;
    }
    atomic_store(&p->all->waits[p->rank], 0);
    return 0;
}

static void
give_up(void *user)
{
    rt_shm *p = user;
    int runs = RUNS;

    note_first(p, p->rank, GAVE_UP);
    atomic_compare_exchange_strong(&p->all->state[p->rank], &runs, GAVE_UP);
}

static const char *
error_text(void *user)
{
    const rt_shm *p = user;

    return p->text[0] ? p->text : NULL;
}

/* ---- all of them ---- */

void
rt_shm_ended(const rt_shm *p, int rank, int status, int by_signal)
{
    const int state = by_signal ? KILLED + by_signal : ENDED + status;

    if (state != ENDED)
        note_first(p, rank, state);
    atomic_store(&p->all->state[rank], state);
}

cot_comm
rt_shm_comm(rt_shm *p)
{
    return (cot_comm){ .user = p,
                       .rank = p->rank,
                       .size = p->size,
                       .exchange = exchange,
                       .barrier = barrier,
                       .abort = give_up,
                       .error = error_text };
}

bool
rt_shm_open(rt_shm *p, int processes, const cot_shm_options *o)
{
    const size_t n = (size_t)processes;

    *p = (rt_shm){ .size = processes, .parent = getpid() };
    p->timeout = o->timeout > 0 ? o->timeout : 60;
    p->bytes = (o->buffer_bytes ? o->buffer_bytes
                : processes > 8 ? 65536
                                : 262144) /
                   LINE * LINE +
               LINE;
    p->mapped = sizeof(shared) + LINE + (sizeof(ring) + p->bytes) * n * n;
    void *memory =
        mmap(NULL, p->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    p->all = memory;
    p->rings = (char *)memory + (sizeof(shared) + LINE - 1) / LINE * LINE;
    return true;
}

void
rt_shm_close(rt_shm *p)
{
    munmap(p->all, p->mapped);
}
