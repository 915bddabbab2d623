/* LLVM's library is loaded at the first compilation, once, and where it cannot be loaded the
 * evaluator and the back end c work.  Each case is a process of its own, in which LLVM is not
 * loaded when it begins. */
#define _GNU_SOURCE 1
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/unit/stored.h"

enum { THREADS = 8 };

/* Is LLVM's library mapped into this process? */
static bool
is_loaded(void)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[600];
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f))
        found = strstr(line, "libLLVM") != NULL;
    ck_assert(f != NULL);
    fclose(f);
    return found;
}

static void
check_engine(const char *backend)
{
    const double number = 1.5, want = wanted(number);
    cot_kernel *k = compiled(ctx, &number, backend);
    const double got = value_of(ctx, k);

    ck_assert_mem_eq(&got, &want, sizeof got);
    cot_kernel_free(k);
}

START_TEST(the_first_compilation_loads_llvm)
{
    ck_assert(!is_loaded());
    ck_assert(cot_version() != NULL);
    check_engine("eval");
    ck_assert(!is_loaded());
    check_engine("jit");
    ck_assert(is_loaded());
}
END_TEST

/* -- a library that cannot be used -- */

static const struct {
    const char *file, *why;
} unusable[] = {
    { "/nowhere/libLLVM.so", "LLVM 19 cannot be loaded: /nowhere/libLLVM.so: cannot open" },
    { "/dev/null", "LLVM 19 cannot be loaded: /dev/null: " },
    { "libm.so.6", "LLVM 19 cannot be loaded: it has no function LLVM" },
};

START_TEST(without_llvm_the_rest_works)
{
    const double number = 2;
    cot_kernel *k = NULL;

    setenv("COT_LLVM", unusable[_i].file, 1);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(compile_into(ctx, &number, "jit", &k), COT_ERR_TARGET);
        ck_assert_msg(strstr(cot_error(ctx), unusable[_i].why) != NULL, "%s", cot_error(ctx));
        cot_error_clear(ctx);
    }
    ck_assert(k == NULL);
    check_engine("eval");
    if (system("command -v cc >/dev/null 2>&1") == 0)
        check_engine("c");
    ck_assert(!is_loaded());
}
END_TEST

/* -- threads and processes -- */

static void *
compile_alone(void *result)
{
    const double number = 3;
    cot_context *c = context_in("off", 0);
    cot_kernel *k = compiled(c, &number, "jit");

    *(double *)result = value_of(c, k);
    cot_kernel_free(k);
    cot_context_free(c);
    return NULL;
}

START_TEST(threads_load_it_once)
{
    const double want = wanted(3);
    pthread_t thread[THREADS];
    double got[THREADS];

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, compile_alone, &got[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        ck_assert_mem_eq(&got[i], &want, sizeof want);
    }
}
END_TEST

/* A child compiles whether its parent has loaded LLVM or not. */
START_TEST(a_child_compiles)
{
    int status = -1;

    if (_i)
        check_engine("jit");
    const pid_t child = fork();
    if (child == 0) {
        ck_assert(is_loaded() == (_i == 1));
        check_engine("jit");
        _exit(0);
    }
    ck_assert(waitpid(child, &status, 0) == child);
    ck_assert_int_eq(status, 0);
    check_engine("jit");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(the_first_compilation_loads_llvm),
        EACH(without_llvm_the_rest_works, sizeof unusable / sizeof *unusable),
        ONCE(threads_load_it_once),
        EACH(a_child_compiles, 2),
    };

    setenv("COT_CACHE_DIR", "off", 1);
    return SUITE_WITH("library", cases, store_begin, store_end);
}
