/* The pool of threads: every iteration once, from any number of callers. */
#include <pthread.h>
#include <stdatomic.h>

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

static void
cover_once(cot_parallel *p, int64_t n, int64_t grain)
{
    tally t = { calloc((size_t)n + 1, sizeof(atomic_int)), 0, INT64_MAX, n };

    ck_assert_ptr_nonnull(t.count);
    p->run(p, count_each, &t, n, grain);
    for (int64_t i = 0; i < n; i++)
        ck_assert_int_eq(t.count[i], 1);
    ck_assert_int_ge(t.shortest, grain);
    free(t.count);
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

START_TEST(a_piece_may_call_the_pool)
{
    cot_parallel *p = cot_rt_pool_new(2);

    ck_assert_ptr_nonnull(p);
    p->run(p, call_again, p, 16, 1);
    cot_rt_pool_free(p);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(each_iteration_runs_once, 9),
        ONCE(many_callers_share_one_pool),
        ONCE(a_piece_may_call_the_pool),
    };

    return SUITE("pool", cases);
}
