/* Processes of one machine that share memory: cot_shm_run.
 *
 * The caller forks the processes and waits for them.  From each to each other goes a ring of
 * bytes in memory that was mapped before the fork, written by the one and read by the other.
 * The caller notes in that memory how each process ends, and so a process that waits for
 * another finds that it is gone; what it sent before is still read.  No process waits longer
 * than the timeout, and after a failure the caller kills what does not end in that time. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cotrace/comm.h"

enum { MAX_PROCESSES = 256, LINE = 64, SPINS = 100, YIELDS = 500 };
/* The status of a process that something else has waited for. */
enum { UNKNOWN = 255 };

/* How a process has ended, or not: ENDED + what its body returned, KILLED + a signal. */
enum { RUNS, GAVE_UP, ENDED = 256, KILLED = 1024, FIRST = 4096 };

typedef struct ring {
    _Alignas(LINE) _Atomic uint64_t written;
    _Alignas(LINE) _Atomic uint64_t read;
} ring;

typedef struct shared {
    _Atomic int state[MAX_PROCESSES];
    _Atomic int waits[MAX_PROCESSES]; /* for which process, + 1; 0: it does not wait */
    _Atomic int arrived, round; /* of the barrier */
    /* the failure that others follow from: 0, or FIRST times the process + 1, + its state */
    _Atomic int first;
} shared;

typedef struct shm_process {
    shared *all;
    char *rings; /* [from][to], each a ring and its bytes */
    size_t bytes;
    int rank, size;
    double timeout;
    pid_t parent;
    char text[128];
} shm_process;

static double
now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static ring *
ring_of(const shm_process *p, int from, int to)
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
note_first(const shm_process *p, int rank, int state)
{
    int none = 0;

    atomic_compare_exchange_strong(&p->all->first, &none, FIRST * (rank + 1) + state);
}

/* The text of the first failure of all, which this one may follow from. */
static int
fail(shm_process *p, int rank, int state)
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
blamed(const shm_process *p, int rank)
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
is_over(shm_process *p)
{
    const int state = atomic_load(&p->all->state[p->rank]);

    if (!p->text[0] && state != RUNS)
        fail(p, p->rank, state);
    return p->text[0] != '\0';
}

/* Time passes; 1, with the text, where it is of no use to wait on. */
static int
wait_on(shm_process *p, shm_wait *w)
{
    const int state = atomic_load(&p->all->state[w->rank]);

    if (state != RUNS && w->looks > 0 && w->looks < 1 << 20)
        w->looks = 1 << 20; /* once more, since it may have sent before it ended */
    else if (state != RUNS && w->looks >= 1 << 20)
        return fail(p, w->rank, state);
    if (w->looks == 0) {
        w->since = now();
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
    if (now() - w->since > p->timeout)
        return fail(p, blamed(p, w->rank), RUNS);
    nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
    return 0;
}

static int
exchange(void *user, int partner, const void *send, size_t send_bytes, void *receive,
         size_t receive_bytes)
{
    shm_process *p = user;
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
    shm_process *p = user;
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
    shm_process *p = user;
    int runs = RUNS;

    note_first(p, p->rank, GAVE_UP);
    atomic_compare_exchange_strong(&p->all->state[p->rank], &runs, GAVE_UP);
}

static const char *
error_text(void *user)
{
    const shm_process *p = user;

    return p->text[0] ? p->text : NULL;
}

/* ---- the process that starts them ---- */

static void
run_process(shm_process *p, cot_shm_body *body, void *user)
{
    const cot_comm comm = { p, p->rank, p->size, exchange, barrier, give_up, error_text };
    const int status = body(&comm, user);

    fflush(stdout);
    fflush(stderr);
    _exit(status & 255);
}

/* Notes how the process ended. */
static void
note_end(const shm_process *p, int rank, int how)
{
    const int state = WIFSIGNALED(how) ? KILLED + WTERMSIG(how) : ENDED + WEXITSTATUS(how);

    if (state != ENDED)
        note_first(p, rank, state);
    atomic_store(&p->all->state[rank], state);
}

/* Waits for all. Once one has failed, the others have the timeout to end. */
static int
wait_for_all(const shm_process *p, pid_t *pid, int *status)
{
    int left = p->size, worst = 0;
    double failed = 0;

    while (left > 0) {
        for (int k = 0; k < p->size; k++) {
            int how = UNKNOWN << 8;
            if (!pid[k] || waitpid(pid[k], &how, WNOHANG) == 0)
                continue;
            pid[k] = 0;
            left--;
            note_end(p, k, how);
            const int code = WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
            if (status)
                status[k] = code;
            if (code && !worst)
                worst = code < 0 ? 128 - code : code, failed = now();
        }
        for (int k = 0; k < p->size && failed && now() - failed > p->timeout + 1; k++)
            if (pid[k])
                kill(pid[k], SIGKILL);
        if (left > 0)
            nanosleep(&(struct timespec){ .tv_nsec = 500000 }, NULL);
    }
    return worst;
}

static int
start_all(shm_process *p, cot_shm_body *body, void *user, int *status)
{
    pid_t pid[MAX_PROCESSES] = { 0 };
    bool whole = true;

    fflush(stdout);
    fflush(stderr);
    for (int k = 0; k < p->size && whole; k++) {
        pid[k] = fork();
        if (pid[k] == 0) {
            p->rank = k;
            run_process(p, body, user);
        }
        whole = pid[k] > 0;
        if (!whole)
            pid[k] = 0;
    }
    for (int k = 0; k < p->size && !whole; k++)
        if (pid[k] > 0) {
            kill(pid[k], SIGKILL);
            waitpid(pid[k], &(int){ 0 }, 0);
        }
    return whole ? wait_for_all(p, pid, status) : -1;
}

int
cot_shm_run_(int processes, cot_shm_body *body, void *user, const cot_shm_options *options,
             size_t size)
{
    cot_shm_options o = { .timeout = 0 };
    shm_process p = { .size = processes, .parent = getpid() };

    if (options)
        memcpy(&o, options, least(size, sizeof o));
    if (processes < 1 || processes > MAX_PROCESSES || !body)
        return -1;
    p.timeout = o.timeout > 0 ? o.timeout : 60;
    p.bytes = (o.buffer_bytes  ? o.buffer_bytes
               : processes > 8 ? 65536
                               : 262144) /
                  LINE * LINE +
              LINE;
    const size_t rings = (sizeof(ring) + p.bytes) * (size_t)processes * (size_t)processes,
                 bytes = sizeof(shared) + LINE + rings;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    p.all = memory;
    p.rings = (char *)memory + (sizeof(shared) + LINE - 1) / LINE * LINE;
    const int worst = start_all(&p, body, user, o.status);
    munmap(memory, bytes);
    return worst;
}
