/* The pool of threads: every iteration once, from any number of callers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/backend.h"
#include "runtime/compile.h"
#include "runtime/support/pool.h"
#include "tests/unit/suite.h"

typedef struct tally {
    atomic_int *count;
    atomic_int pieces;
    atomic_int_least64_t shortest;
    int64_t n;
} tally;

static void
count_each(void *ctx, int64_t lo, int64_t hi)
{
    tally *t = ctx;

    for (int64_t i = lo; i < hi; i++)
        atomic_fetch_add_explicit(&t->count[i], 1, memory_order_relaxed);
    atomic_fetch_add(&t->pieces, 1);
    if (hi != t->n && hi - lo < t->shortest)
        t->shortest = hi - lo; /* only the last piece may be shorter than the grain */
}

static bool
covers(cot_parallel *p, int64_t n, int64_t grain)
{
    tally t = { calloc((size_t)n + 1, sizeof(atomic_int)), 0, INT64_MAX, n };
    bool good = t.count != NULL;

    if (good)
        p->run(p, count_each, &t, n, grain);
    for (int64_t i = 0; i < n && good; i++)
        good = t.count[i] == 1;
    good &= t.shortest >= grain;
    free(t.count);
    return good;
}

static void
cover_once(cot_parallel *p, int64_t n, int64_t grain)
{
    ck_assert(covers(p, n, grain));
}

START_TEST(each_iteration_runs_once)
{
    static const struct {
        int threads;
        int64_t n, grain;
    } row[] = {
        { 1, 100, 1 },    { 2, 0, 1 },       { 2, 1, 1 }, { 2, 7, 3 },  { 2, 1000, 1 },
        { 3, 1000, 999 }, { 4, 100000, 64 }, { 8, 5, 1 }, { 0, 10, 0 },
    };
    cot_parallel *p = cot_rt_pool_new(row[_i].threads);

    ck_assert_ptr_nonnull(p);
    for (int again = 0; again < 20; again++)
        cover_once(p, row[_i].n, row[_i].grain);
    cot_rt_pool_free(p);
}
END_TEST

static void *
call_often(void *pool)
{
    for (int i = 0; i < 60; i++)
        cover_once(pool, 500, 1);
    return NULL;
}

/* A pool that is busy runs the work in the thread that asks. */
START_TEST(many_callers_share_one_pool)
{
    cot_parallel *p = cot_rt_pool_new(3);
    pthread_t caller[4];

    ck_assert_ptr_nonnull(p);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&caller[i], NULL, call_often, p), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(caller[i], NULL);
    cot_rt_pool_free(p);
}
END_TEST

static void
call_again(void *ctx, int64_t lo, int64_t hi)
{
    (void)lo;
    (void)hi;
    cover_once(ctx, 64, 1);
}

START_TEST(a_chunk_may_call_the_pool)
{
    cot_parallel *p = cot_rt_pool_new(2);

    ck_assert_ptr_nonnull(p);
    p->run(p, call_again, p, 16, 1);
    cot_rt_pool_free(p);
}
END_TEST

/* A fork leaves the pool without its workers.  The address sanitizer before GCC 14 does not
 * hold its allocator's locks over a fork (google/sanitizers, issue 774): in the child of a
 * process that had threads an allocation may wait for ever, whatever the pool does.  The thread
 * sanitizer follows no threads of a forked child.  These tests do not run there. */
#if (defined(__SANITIZE_ADDRESS__) && __GNUC__ < 14) || defined(__SANITIZE_THREAD__)
enum { FORKS = 0 };
#else
enum { FORKS = 1 };
#endif

static bool
may_fork(void)
{
    if (!FORKS)
        puts("skipped: this sanitizer does not follow a forked child");
    return FORKS;
}

enum { CHILD_SECONDS = 20 }; /* for what takes a millisecond: only a hang takes longer */

/* Does `body` do what it is to in a child, and in time?  Check takes a lock for each assertion,
 * which another thread may hold at the fork: so none is made here. */
static bool
in_child(bool (*body)(cot_parallel *p), cot_parallel *p)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        alarm(CHILD_SECONDS);
        _exit(body(p) ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

enum { MEETINGS = 1000 };

typedef struct meeting {
    atomic_int here, met;
} meeting;

/* An iteration waits some milliseconds for another thread's: one thread alone meets nobody. */
static void
meet(void *ctx, int64_t lo, int64_t hi)
{
    meeting *m = ctx;

    for (int64_t i = lo; i < hi; i++) {
        atomic_fetch_add(&m->here, 1);
        for (int wait = 0; wait < 50 && !atomic_load(&m->met); wait++) {
            if (atomic_load(&m->here) > 1)
                atomic_store(&m->met, 1);
            else
                usleep(100);
        }
        atomic_fetch_sub(&m->here, 1);
    }
}

static bool
only_free(cot_parallel *p)
{
    cot_rt_pool_free(p);
    return true;
}

static bool
run_then_free(cot_parallel *p)
{
    const bool good = covers(p, 1000, 1);

    return only_free(p) && good;
}

static bool
run_together(cot_parallel *p)
{
    meeting m = { 0 };

    /* workers that sleep are woken after the first range */
    for (int i = 0; i < MEETINGS && !m.met; i++)
        p->run(p, meet, &m, 2, 1);
    return only_free(p) && m.met;
}

static bool
fork_again(cot_parallel *p)
{
    return in_child(only_free, p) && in_child(run_together, p) && run_then_free(p);
}

static bool (*const after_fork[])(cot_parallel *) = { only_free, run_then_free, run_together,
                                                      fork_again };

START_TEST(a_child_has_the_pool)
{
    if (!may_fork())
        return;
    cot_parallel *p = cot_rt_pool_new(3);

    ck_assert_ptr_nonnull(p);
    cover_once(p, 1000, 1);
    ck_assert(in_child(after_fork[_i], p));
    usleep(2000); /* the workers sleep */
    ck_assert(in_child(after_fork[_i], p));
    ck_assert(run_together(p));
}
END_TEST

static atomic_bool leave;

static void *
call_until(void *pool)
{
    while (!atomic_load(&leave))
        (void)covers(pool, 500, 1);
    return NULL;
}

/* The parent's other thread may be anywhere in a job: the child does not wait for its end. */
START_TEST(a_fork_within_a_job)
{
    if (!may_fork())
        return;
    cot_parallel *p = cot_rt_pool_new(3);
    pthread_t caller;

    ck_assert_ptr_nonnull(p);
    atomic_store(&leave, false);
    ck_assert_int_eq(pthread_create(&caller, NULL, call_until, p), 0);
    bool good = true;
    for (int i = 0; i < 20; i++)
        good &= in_child(i % 2 ? run_together : only_free, p);
    atomic_store(&leave, true);
    pthread_join(caller, NULL);
    cot_rt_pool_free(p);
    ck_assert(good);
}
END_TEST

enum { POOLS = 8 };

/* A kernel that runs in parallel on so many threads. */
static cot_kernel *
parallel(int threads)
{
    const char *text =
        "fn @f(%x: f32[300000]) -> f32[300000] {\n  %0 = exp %x : f32[300000]\n  ret %0\n}\n";
    const cot_graph *g;
    cot_kernel *k;

    ck_assert_int_eq(cot_parse(ctx, "test", text, strlen(text), "f", &g), COT_OK);
    ck_assert_msg(cot_compile_graph(g, &(cot_compile_options){ .threads = threads }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    return k;
}

/* Kernels for as many threads have one pool, whichever was compiled first; beyond eight
 * numbers of threads they have the eighth. */
START_TEST(kernels_share_a_pool)
{
    cot_kernel *k[2 * (POOLS + 1)];
    const int n = POOLS + 1;

    if (!cg_llvm())
        return; /* the evaluator has no threads */
    for (int i = 0; i < 2 * n; i++)
        k[i] = parallel(2 + i % n);
    for (int i = 0; i < n; i++) {
        ck_assert_ptr_nonnull(k[i]->pool);
        ck_assert_ptr_eq(k[i]->pool, k[n + i]->pool);
        for (int j = 0; j < i; j++)
            ck_assert_msg((k[i]->pool == k[j]->pool) == (i == POOLS && j == POOLS - 1),
                          "of %d and %d threads", 2 + j, 2 + i);
    }
    for (int i = 0; i < 2 * n; i++)
        cot_kernel_free(k[i]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(each_iteration_runs_once, 9), ONCE(many_callers_share_one_pool),
        ONCE(a_chunk_may_call_the_pool),   EACH(a_child_has_the_pool, 4),
        ONCE(a_fork_within_a_job),         ONCE(kernels_share_a_pool),
    };

    return SUITE("pool", cases);
}
