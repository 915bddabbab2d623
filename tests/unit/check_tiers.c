/* Two tiers: the evaluator, the code that replaces it, and the code of a kernel that is
 * compiled at once give the same bits; what cannot be compiled stays with the evaluator. */
#define _GNU_SOURCE 1
#include <signal.h>
#include <stdatomic.h>

#include "cotrace/effects.h"
#include "tests/unit/tiered.h"

/* -- the same bits -- */

START_TEST(both_tiers_have_the_bits)
{
    kit k = kit_of(tiered());
    cot_kernel *f = kernel_of(&k, bodies[_i], NULL);

    counts(k.ctx, 1, 0, 0);
    for (int n = 0; n < 4; n++) {
        const bits want = wanted_at(bodies[_i], n);

        expect(&k, f, &want);
        if (n < 1)
            continue;
        ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
        counts(k.ctx, 0, 1, 0);
    }
    cot_kernel_free(f);
    counts(k.ctx, 0, 0, 0);
    kit_free(&k);
}
END_TEST

/* The compilation begins by itself after enough calls, and its code is used. */
START_TEST(calls_bring_the_second_tier)
{
    const bits want = wanted_at(chain, 0);
    kit k = kit_of(tiered());
    cot_fn *f = cot_fn_new(k.ctx, "f", chain, 2, 2, NULL);

    do {
        ck_assert_int_eq(cot_jit(f, k.out, 2, (const cot_array *const *)k.in, 2), COT_OK);
        ck_assert_mem_eq(cot_array_data(k.out[0]), want.x, sizeof want.x);
    } while (cot_tiers_of(k.ctx).evaluated);
    counts(k.ctx, 0, 1, 0);
    ck_assert_int_eq(cot_jit(f, k.out, 2, (const cot_array *const *)k.in, 2), COT_OK);
    ck_assert_mem_eq(cot_array_data(k.out[0]), want.x, sizeof want.x);
    kit_free(&k);
}
END_TEST

/* A result in the memory of an argument, in either tier. */
START_TEST(donated_arguments)
{
    const bits want = wanted_at(halved, 0);
    cot_type type[2] = { cot_f32(SIZE), cot_f32(SIZE) };
    kit k = kit_of(tiered());
    cot_kernel *f;

    ck_assert_int_eq(cot_compile(cot_fn_new(k.ctx, "f", halved, 2, 2, NULL),
                                 (cot_types){ .n = 2, .at = type },
                                 &(cot_compile_options){ .donated = COT_LIST(0) }, &f),
                     COT_OK);
    for (int tier = 1; tier <= 2; tier++) {
        kit own = kit_of(cot_context_new(NULL));

        ck_assert_int_eq(cot_run(f, (cot_array *[]){ own.in[0], own.out[1] },
                                 (const cot_array *const *)own.in),
                         COT_OK);
        ck_assert_mem_eq(cot_array_data(own.in[0]), want.x, sizeof want.x);
        ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
        kit_free(&own);
    }
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

/* -- what is compiled at once -- */

static void
product(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_dot(in[0], in[1]);
}

static void
goes_on(cot_trace *t, const cot_value *carry, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_lt(cot_reduce_sum(carry[0], .axes = COT_LIST(0)), 1e3);
}

static void
doubled(cot_trace *t, const cot_value *carry, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(carry[0], cot_abs(carry[0]));
}

static void
looping(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_while(goes_on, doubled, .in = COT_VALUES(cot_add(in[0], in[1])));
}

static void
checked(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(cot_mul(in[0], in[1]), 1);
    cot_check(cot_lt(in[0], 0), "the check");
}

static const struct {
    cot_body *body;
    int rank, n;
} at_once[] = { { product, 2, 400 }, { looping, 1, 4 }, { checked, 1, 4 } };

START_TEST(large_and_unknown_work_is_compiled_at_once)
{
    const int64_t n = at_once[_i].n;
    cot_context *c = tiered();
    cot_type type = at_once[_i].rank == 2 ? cot_f32(n, n) : cot_f32(n);
    cot_kernel *k;

    ck_assert_msg(cot_compile(cot_fn_new(c, "f", at_once[_i].body, 2, 1, NULL),
                              (cot_types){ .n = 2, .at = (cot_type[]){ type, type } }, NULL,
                              &k) == COT_OK,
                  "%s", cot_error(c));
    ck_assert_ptr_null(k->tier);
    ck_assert_ptr_nonnull(cot_kernel_entry(k));
    counts(c, 0, 0, 0);
    ck_assert_int_eq(cot_tiers_wait(c), COT_OK);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

START_TEST(nobody_has_tiers_who_does_not_ask)
{
    kit k = kit_of(cot_context_new(&(cot_options){ .tiered = -1 }));
    cot_kernel *f = kernel_of(&k, chain, NULL);

    ck_assert_ptr_null(f->tier);
    counts(k.ctx, 0, 0, 0);
    ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
    ck_assert_int_eq(cot_tiers_wait(NULL), COT_ERR_ARG);
    counts(NULL, 0, 0, 0);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

/* Code that an earlier context stored is used at once; what the thread compiles is stored. */
START_TEST(stored_code_needs_no_first_tier)
{
    const bits want = wanted_at(chain, 0);

    for (int again = 0; again < 2; again++) {
        kit k = kit_of(cot_context_new(&(cot_options){ .tiered = 1, .cache_dir = folder }));
        cot_kernel *f = kernel_of(&k, chain, NULL);

        counts(k.ctx, !again, 0, 0);
        expect(&k, f, &want);
        ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
        expect(&k, f, &want);
        const cot_code_cache n = cot_code_cache_of(k.ctx);
        ck_assert_uint_eq(n.hits, again);
        ck_assert_uint_eq(n.misses, !again);
        ck_assert_uint_eq(n.kept, !again);
        cot_kernel_free(f);
        kit_free(&k);
    }
}
END_TEST

/* -- calls that need the code -- */

typedef struct maker {
    pthread_t user;
    atomic_bool counts;
    atomic_long calls, by_thread, fail_at; /* of the thread that compiles */
    _Atomic size_t most;                   /* a larger block of the user's thread fails */
} maker;

static void *
made(void *user, void *old, size_t bytes)
{
    maker *m = user;

    if (bytes == 0) {
        free(old);
        return NULL;
    }
    if (pthread_equal(pthread_self(), m->user)) {
        m->calls += m->counts;
        return m->most && bytes > m->most ? NULL : realloc(old, bytes);
    }
    return ++m->by_thread == m->fail_at ? NULL : realloc(old, bytes);
}

static cot_context *
made_by(maker *m, int isolate)
{
    *m = (maker){ .user = pthread_self() };
    return cot_context_new(&(cot_options){
        .tiered = 1, .cache_dir = "off", .isolate = isolate, .alloc = made, .alloc_user = m });
}

/* With the caller's work block a call waits for the code, and allocates nothing. */
START_TEST(run_with_never_allocates)
{
    const bits want = wanted_at(chain, 0);
    maker m;
    kit k = kit_of(made_by(&m, -1));
    cot_kernel *f = kernel_of(&k, chain, NULL);
    void *work = aligned_alloc(64, cot_kernel_work_bytes(f) / 64 * 64 + 64);

    counts(k.ctx, 1, 0, 0);
    m.counts = true;
    ck_assert_int_eq(cot_run_with(f, work, k.out, (const cot_array *const *)k.in), COT_OK);
    ck_assert_int_eq(m.calls, 0);
    m.counts = false;
    ck_assert_mem_eq(cot_array_data(k.out[0]), want.x, sizeof want.x);
    counts(k.ctx, 0, 1, 0);
    free(work);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

START_TEST(the_entry_is_waited_for)
{
    kit k = kit_of(tiered());
    cot_kernel *f = kernel_of(&k, chain, NULL);
    const bits want = wanted_at(chain, 0);
    void *args[5] = { cot_array_data(k.in[0]), cot_array_data(k.in[1]),
                      cot_array_data(k.out[0]), cot_array_data(k.out[1]) };
    void *work = aligned_alloc(64, cot_kernel_work_bytes(f) / 64 * 64 + 64);
    cot_entry *entry = cot_kernel_entry(f);

    ck_assert_ptr_nonnull((void *)(uintptr_t)entry);
    ck_assert_int_eq(entry(args, work), 0);
    ck_assert_mem_eq(cot_array_data(k.out[0]), want.x, sizeof want.x);
    free(work);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

/* What the evaluator lacks memory for is compiled, since a work block does not count. */
START_TEST(a_call_without_memory_waits_for_the_code)
{
    const bits want = wanted_at(chain, 0);
    maker m;
    kit k = kit_of(made_by(&m, -1));
    cot_kernel *f = kernel_of(&k, chain, NULL);

    m.most = 64;
    expect(&k, f, &want);
    m.most = 0;
    ck_assert_int_eq(cot_error_status(k.ctx), COT_OK);
    counts(k.ctx, 0, 1, 0);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

/* -- failures of the second tier -- */

START_TEST(a_failed_compilation_leaves_the_evaluator)
{
    const bits want = wanted_at(chain, 0);
    long failures = 0, i = 1;

    for (bool failed = true; failed; i++) {
        maker m;
        kit k = kit_of(made_by(&m, -1));
        cot_kernel *f = kernel_of(&k, chain, NULL);

        m.fail_at = i;
        const cot_status s = cot_tiers_wait(k.ctx);
        failed = s != COT_OK;
        failures += failed;
        ck_assert_int_eq(s, failed ? COT_ERR_MEMORY : COT_OK);
        ck_assert_int_eq(cot_error_status(k.ctx), s);
        counts(k.ctx, 0, !failed, failed);
        cot_error_clear(k.ctx);
        expect(&k, f, &want);
        ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
        counts(k.ctx, 0, 1, 0);
        expect(&k, f, &want);
        cot_kernel_free(f);
        kit_free(&k);
    }
    ck_assert_int_gt(failures, 2);
}
END_TEST

static atomic_bool children_die;
static pid_t parent;

static void *
deadly(void *user, void *old, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    if (children_die && getpid() != parent)
        raise(SIGKILL);
    return realloc(old, bytes);
}

/* LLVM in a child that dies: the status and the message are those of cot_compile. */
START_TEST(the_child_of_an_isolated_thread_dies)
{
    const bits want = wanted_at(chain, 0);

    if (!may_fork())
        return;
    parent = getpid();
    children_die = true;
    kit k = kit_of(cot_context_new(
        &(cot_options){ .tiered = 1, .cache_dir = "off", .isolate = 1, .alloc = deadly }));
    cot_kernel *f = kernel_of(&k, chain, NULL);

    ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_ERR_TARGET);
    ck_assert_msg(strstr(cot_error(k.ctx), "ended by signal 9") != NULL, "%s",
                  cot_error(k.ctx));
    ck_assert_int_eq(cot_run_with(f, NULL, k.out, (const cot_array *const *)k.in),
                     COT_ERR_TARGET);
    ck_assert_ptr_null((void *)(uintptr_t)cot_kernel_entry(f));
    counts(k.ctx, 0, 0, 1);
    cot_error_clear(k.ctx);
    expect(&k, f, &want);
    children_die = false;
    ck_assert_int_eq(cot_tiers_wait(k.ctx), COT_OK);
    expect(&k, f, &want);
    cot_kernel_free(f);
    kit_free(&k);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(both_tiers_have_the_bits, BODIES),
        ONCE(calls_bring_the_second_tier),
        ONCE(donated_arguments),
        EACH(large_and_unknown_work_is_compiled_at_once, 3),
        ONCE(nobody_has_tiers_who_does_not_ask),
        ONCE(stored_code_needs_no_first_tier),
        ONCE(run_with_never_allocates),
        ONCE(the_entry_is_waited_for),
        ONCE(a_call_without_memory_waits_for_the_code),
        ONCE(a_failed_compilation_leaves_the_evaluator),
        ONCE(the_child_of_an_isolated_thread_dies),
    };

    return SUITE_WITH("tiers", cases, store_begin, store_end);
}
