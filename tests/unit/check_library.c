/* LLVM's library is loaded at the first compilation, once, and where it cannot be loaded the
 * evaluator and the back end c work.  Each case is a process of its own, in which LLVM is not
 * loaded when it begins. */
#define _GNU_SOURCE 1
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "codegen/store.h"
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

/* -- code that is kept -- */

enum { HEAD = 1 << 16 };        /* bytes that hold a library's table of segments and notes */

/* The path of the library that this process has loaded. */
static void
find_library(char *path, size_t cap)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[600];

    *path = '\0';
    while (f && !*path && fgets(line, sizeof line, f))
        if (strstr(line, "libLLVM") != NULL)
            snprintf(path, cap, "%.*s", (int)strcspn(strchr(line, '/'), "\n"),
                     strchr(line, '/'));
    ck_assert(f != NULL && *path);
    fclose(f);
}

/* Another process compiles the program into the folder, and leaves there the beginning of
 * LLVM's library: a file of the same build that cannot be loaded. */
static void
fill_folder(double number)
{
    static char head[HEAD];
    char library[600];
    int status = -1;
    const pid_t child = fork();

    if (child == 0) {
        cot_context *c = context_in(folder, 0);
        cot_kernel_free(compiled(c, &number, "jit"));
        ck_assert_uint_eq(cot_code_cache_of(c).kept, 1);
        find_library(library, sizeof library);
        ck_assert_uint_eq(read_file(library, head, HEAD), HEAD);
        head[offsetof(ElfW(Ehdr), e_type)] = ET_REL;
        write_file(path_of("libLLVM.head"), head, HEAD);
        cot_context_free(c);
        _exit(0);
    }
    ck_assert(waitpid(child, &status, 0) == child);
    ck_assert_int_eq(status, 0);
    ck_assert(!is_loaded());
}

static cot_status
compile_in_folder(double number, bool hit)
{
    cot_context *c = context_in(folder, 0);
    const double want = wanted(number);
    cot_kernel *k = NULL;
    const cot_status status = compile_into(c, &number, "jit", &k);

    if (status == COT_OK) {
        const double got = value_of(c, k);
        ck_assert_mem_eq(&got, &want, sizeof got);
    } else
        ck_assert_msg(strstr(cot_error(c), "libLLVM.head: only ET_DYN"), "%s", cot_error(c));
    ck_assert_uint_eq(cot_code_cache_of(c).hits, hit);
    ck_assert_uint_eq(cot_code_cache_of(c).misses, !hit);
    cot_kernel_free(k);
    cot_context_free(c);
    return status;
}

START_TEST(kept_code_needs_no_llvm)
{
    fill_folder(4);
    ck_assert_int_eq(compile_in_folder(4, true), COT_OK);
    ck_assert(!is_loaded());
    ck_assert_int_eq(compile_in_folder(5, false), COT_OK);
    ck_assert(is_loaded());
}
END_TEST

START_TEST(a_miss_without_llvm_is_one_error)
{
    fill_folder(4);
    setenv("COT_LLVM", path_of("libLLVM.head"), 1);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(compile_in_folder(4, true), COT_OK);
        ck_assert_int_eq(compile_in_folder(5, false), COT_ERR_TARGET);
    }
    ck_assert(!is_loaded());
}
END_TEST

/* One bit of its build id: what LLVM is there counts, not what can be found. */
START_TEST(code_of_another_build_is_not_found)
{
    static char head[HEAD];
    ir_arena a;
    unsigned byte;
    size_t at = 0;

    fill_folder(4);
    ir_arena_init(&a, ctx);
    const char *build = cg_build_of_file(&a, path_of("libLLVM.head"));
    ck_assert(build != NULL && strlen(build) >= 16);
    ck_assert_uint_eq(read_file(path_of("libLLVM.head"), head, HEAD), HEAD);
    for (size_t same = 0; same < 8; same++, at++) {
        ck_assert_uint_lt(at, HEAD);
        ck_assert_int_eq(sscanf(build + 2 * same, "%2x", &byte), 1);
        if ((unsigned char)head[at] != byte) {
            at -= same;
            same = (size_t)-1;
        }
    }
    head[at - 1] ^= 1;
    write_file(path_of("libLLVM.head"), head, HEAD);
    setenv("COT_LLVM", path_of("libLLVM.head"), 1);
    ck_assert_int_eq(compile_in_folder(4, false), COT_ERR_TARGET);
    ir_arena_free(&a);
}
END_TEST

/* No file, no program, no notes: NULL, and nothing is read beyond the file. */
START_TEST(files_without_a_build)
{
    static char head[HEAD];
    ir_arena a;

    fill_folder(4);
    ir_arena_init(&a, ctx);
    ck_assert(cg_build_of_file(&a, path_of("none")) == NULL);
    ck_assert(cg_build_of_file(&a, folder) == NULL);
    ck_assert_uint_eq(read_file(path_of("libLLVM.head"), head, HEAD), HEAD);
    for (size_t n = 0; n < 1024; n++) {
        write_file(path_of("cut"), head, n);
        const char *build = cg_build_of_file(&a, path_of("cut"));
        ck_assert_msg(n >= 64 || build == NULL, "%zu bytes have the build %s", n, build);
    }
    for (size_t i = 0; i < 1024; i++) {
        head[i] ^= (char)0xff;
        write_file(path_of("changed"), head, 4096);
        cg_build_of_file(&a, path_of("changed"));
        head[i] ^= (char)0xff;
    }
    ir_arena_free(&a);
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
        ONCE(kept_code_needs_no_llvm),
        ONCE(a_miss_without_llvm_is_one_error),
        ONCE(code_of_another_build_is_not_found),
        ONCE(files_without_a_build),
        ONCE(threads_load_it_once),
        EACH(a_child_compiles, 2),
    };

    setenv("COT_CACHE_DIR", "off", 1);
    return SUITE_WITH("library", cases, store_begin, store_end);
}
