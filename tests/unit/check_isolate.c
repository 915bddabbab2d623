/* Compilation in a child process: it gives the same results, its death is a status, and the
 * context goes on.
 *
 * A child is told from its parent by its number: the context's allocator, which both call,
 * does to the child what a case wants. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

typedef enum fate { LIVES, ABORTS, IS_KILLED, EXITS, HANGS, IS_SHORT } fate;

typedef struct maker {
    pid_t parent;
    _Atomic int fate;
} maker;

static void *
alloc(void *user, void *old, size_t bytes)
{
    maker *m = user;

    if (bytes == 0) {
        free(old);
        return NULL;
    }
    if (getpid() != m->parent)
        switch (m->fate) {
        case ABORTS: fprintf(stderr, "a line\nthe last line\n"); abort();
        case IS_KILLED: raise(SIGKILL); break;
        case EXITS: _exit(7);
        case HANGS: pause(); break;
        case IS_SHORT: return NULL;
        default: break;
        }
    return realloc(old, bytes);
}

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] =
        cot_reduce_sum(cot_mul(cot_sin(in[0]), cot_dot(in[1], in[0])), .axes = COT_LIST(0));
}

static cot_context *
isolated(maker *m, cot_limits limits, int threads)
{
    *m = (maker){ getpid(), LIVES };
    return cot_context_new(&(cot_options){ .isolate = 1,
                                           .alloc = alloc,
                                           .alloc_user = m,
                                           .limits = limits,
                                           .compile_threads = threads });
}

static cot_status
value_of(cot_context *c, int n, float *out)
{
    cot_array *x = cot_array_new(c, cot_f32(n)), *w = cot_array_new(c, cot_f32(n, n)),
              *y = NULL;

    for (int i = 0; i < n * n; i++)
        ((float *)cot_array_data(w))[i] = (float)(i % 7) / 7,
                ((float *)cot_array_data(x))[i % n] = (float)i;
    const cot_status s =
        cot_jit(cot_fn_new(c, "f", body, 2, 1, NULL), &y, 1, (const cot_array *[]){ x, w }, 2);
    if (s == COT_OK)
        *out = *(const float *)cot_array_data(y);
    cot_array_free(x);
    cot_array_free(w);
    cot_array_free(y);
    return s;
}

START_TEST(results_are_the_same)
{
    maker m;
    cot_context *plain = cot_context_new(NULL), *c = isolated(&m, (cot_limits){ 0 }, 4);
    float want = 0, got = 1;

    for (int n = 3; n < 6; n++) {
        ck_assert_int_eq(value_of(plain, n, &want), COT_OK);
        ck_assert_msg(value_of(c, n, &got) == COT_OK, "%s", cot_error(c));
        ck_assert_float_eq(got, want);
    }
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nobody is left */
    cot_context_free(plain);
    cot_context_free(c);
}
END_TEST

static const struct {
    fate fate;
    cot_status status;
    const char *says;
} deaths[] = {
    { ABORTS, COT_ERR_TARGET, "was ended by signal 6 (Aborted): a line\nthe last line" },
    { IS_KILLED, COT_ERR_TARGET, "the process that compiles was ended by signal 9 (Killed)" },
    { EXITS, COT_ERR_TARGET, "ended with status 7" },
    { IS_SHORT, COT_ERR_MEMORY, "out of memory" },
};

static void
expect(cot_context *c, cot_status got, cot_status want, const char *says)
{
    ck_assert_msg(got == want && cot_error_status(c) == want, "%s: %s", cot_status_name(got),
                  cot_error(c));
    ck_assert_msg(strstr(cot_error(c), says) != NULL, "%s, wants %s", cot_error(c), says);
    cot_error_clear(c);
}

START_TEST(a_death_is_a_status)
{
    maker m;
    cot_context *c = isolated(&m, (cot_limits){ 0 }, 1);
    float y;

    for (int i = 0; i < 2; i++) {
        m.fate = deaths[_i].fate;
        expect(c, value_of(c, 4 + i, &y), deaths[_i].status, deaths[_i].says);
        m.fate = LIVES;
        ck_assert_msg(value_of(c, 4 + i, &y) == COT_OK, "%s", cot_error(c));
    }
    cot_context_free(c);
}
END_TEST

static const char *const files[] = { "isolated.o", "isolated.s", "isolated.ll" };

START_TEST(objects_are_made_so_too)
{
    maker m;
    cot_context *c = isolated(&m, (cot_limits){ 0 }, 1);
    const cot_export e = { cot_fn_new(c, "f", body, 2, 1, NULL),
                           COT_TYPES(cot_f32(4), cot_f32(4, 4)), "f" };

    m.fate = ABORTS;
    expect(c, cot_build_object(c, &e, 1, NULL, files[_i], NULL), COT_ERR_TARGET, "signal 6");
    ck_assert_int_ne(access(files[_i], F_OK), 0);
    m.fate = LIVES;
    ck_assert_msg(cot_build_object(c, &e, 1, NULL, files[_i], NULL) == COT_OK, "%s",
                  cot_error(c));
    ck_assert_int_eq(remove(files[_i]), 0);
    cot_context_free(c);
}
END_TEST

/* A child that does not end. */

static void *
cancel_soon(void *c)
{
    usleep(100000);
    cot_cancel(c);
    return NULL;
}

START_TEST(a_hanging_child_is_cancelled)
{
    maker m;
    cot_context *c = isolated(&m, (cot_limits){ 0 }, 1);
    pthread_t thread;
    float y;

    m.fate = HANGS;
    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_soon, c), 0);
    expect(c, value_of(c, 4, &y), COT_ERR_CANCELLED, "cancelled");
    pthread_join(thread, NULL);
    m.fate = LIVES;
    cot_cancel_clear(c);
    ck_assert_msg(value_of(c, 4, &y) == COT_OK, "%s", cot_error(c));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    cot_context_free(c);
}
END_TEST

START_TEST(a_hanging_child_runs_out_of_time)
{
    maker m;
    cot_context *c = isolated(&m, (cot_limits){ .seconds = 5 }, 1);
    float y;

    m.fate = HANGS;
    expect(c, value_of(c, 4, &y), COT_ERR_LIMIT, "the limit of a call is 5");
    m.fate = LIVES;
    cot_context_free(c);
}
END_TEST

/* The context needs less than it may have; LLVM, which ends its process, needs more. */
#ifndef __SANITIZE_ADDRESS__
START_TEST(llvm_runs_out_of_memory)
{
    maker m;
    cot_context *c = isolated(&m, (cot_limits){ .bytes = 2 << 20 }, 1);
    cot_fn *f = cot_fn_new(c, "f", body, 2, 1, NULL);
    cot_kernel *k = NULL;

    expect(c, cot_compile(cot_hessian(f), COT_TYPES(cot_f32(70), cot_f32(70, 70)), NULL, &k),
           COT_ERR_MEMORY, "out of memory in the process that compiles");
    ck_assert_ptr_null(k);
    cot_context_free(c);
}
END_TEST
#endif

static atomic_bool over;

static void *
compile_all_the_time(void *arg)
{
    bool good = true;

    (void)arg;
    while (!over && good) {
        cot_context *c = cot_context_new(NULL);
        float y;
        good = value_of(c, 5, &y) == COT_OK;
        cot_context_free(c);
    }
    return good ? NULL : &over;
}

static void *
compile_isolated(void *arg)
{
    maker m;
    cot_context *c = isolated(&m, (cot_limits){ 0 }, 2);
    bool good = true;
    float y;

    (void)arg;
    for (int n = 2; n < 8 && good; n++)
        good = value_of(c, n, &y) == COT_OK;
    cot_context_free(c);
    return good ? NULL : &over;
}

/* A child that is forked while another thread holds a lock of LLVM's would wait for ever. */
START_TEST(threads_compile_meanwhile)
{
    pthread_t plain, thread[2];
    void *bad;

    over = false;
    ck_assert_int_eq(pthread_create(&plain, NULL, compile_all_the_time, NULL), 0);
    for (int i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, compile_isolated, NULL), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(thread[i], &bad);
        ck_assert_ptr_null(bad);
    }
    over = true;
    pthread_join(plain, &bad);
    ck_assert_ptr_null(bad);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(results_are_the_same),
        EACH(a_death_is_a_status, 4),
        EACH(objects_are_made_so_too, 3),
        ONCE(a_hanging_child_is_cancelled),
        ONCE(a_hanging_child_runs_out_of_time),
#ifndef __SANITIZE_ADDRESS__ /* whose own memory counts, and which ends by its own words */
        ONCE(llvm_runs_out_of_memory),
#endif
        ONCE(threads_compile_meanwhile),
    };

    return SUITE("isolate", cases);
}
