/* Compiled code that is kept in a folder: what is found gives the bits of what was compiled, by
 * any number of processes, whenever one of them is killed, and within a bound. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "codegen/store.h"
#include "cotrace/custom.h"
#include "ir/config.h"
#include "runtime/compile.h"
#include "tests/unit/stored.h"

enum { PROGRAMS = 6, PROCESSES = 8, KILLS = 200 };

/* -- finding -- */

START_TEST(a_later_context_compiles_nothing)
{
    const double want = wanted(2.5);

    IS(trial(folder, 0, 2.5, want), 0, 1, 1);
    IS(trial(folder, 0, 2.5, want), 1, 0, 0);
    IS(trial(folder, 0, 2.75, wanted(2.75)), 0, 1, 1);
    IS(trial(folder, 0, 2.5, want), 1, 0, 0);
    ck_assert_int_eq(count_files(false, NULL, NULL), 2);
}
END_TEST

START_TEST(a_folder_that_is_missing_is_made)
{
    char deep[100];
    const double want = wanted(1);
    struct stat s;

    snprintf(deep, sizeof deep, "%s/a/b", folder);
    IS(trial(deep, 0, 1, want), 0, 1, 1);
    IS(trial(deep, 0, 1, want), 1, 0, 0);
    ck_assert(stat(deep, &s) == 0 && (s.st_mode & 0777) == 0700);
}
END_TEST

/* Equal code of one context is loaded once, and stays while one of its kernels does. */
START_TEST(equal_kernels_share_their_code)
{
    const double number = 3, other = 4, want = wanted(3);
    cot_kernel *a = compiled(ctx, &number, "jit"), *b = compiled(ctx, &number, "jit"),
               *c = compiled(ctx, &other, "jit");
    double got;

    ck_assert(a->code.entry == b->code.entry);
    ck_assert(a->code.entry != c->code.entry);
    cot_kernel_free(a);
    got = value_of(ctx, b);
    ck_assert_mem_eq(&got, &want, sizeof got);
    cot_kernel_free(b);
    a = compiled(ctx, &number, "jit");
    got = value_of(ctx, a);
    ck_assert_mem_eq(&got, &want, sizeof got);
    cot_kernel_free(a);
    cot_kernel_free(c);
}
END_TEST

START_TEST(other_options_are_other_code)
{
    static const cot_compile_options o[] = { { .backend = "jit" },
                                             { .backend = "jit", .vector_bits = 32 },
                                             { .backend = "jit", .trapping_math = 1 },
                                             { .backend = "jit", .threads = 2 } };
    const double number = 5;
    cot_context *c = context_in(folder, 0);
    cot_fn *f = cot_fn_new(c, "body", body, 1, 1, (void *)(uintptr_t)&number);
    cot_type t = cot_f64(N);
    cot_kernel *k;

    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(cot_compile(f, (cot_types){ .n = 1, .at = &t }, &o[i], &k), COT_OK);
        cot_kernel_free(k);
        ck_assert_uint_eq(cot_code_cache_of(c).misses, (uint64_t)i + 1);
    }
    cot_context_free(c);
}
END_TEST

/* The address of a foreign function is this process's. */
static double
doubled(double x)
{
    return 2 * x;
}

static void
number_type(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
foreign_body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

START_TEST(foreign_functions_are_not_kept)
{
    cot_context *c = context_in(folder, 0);
    const cot_custom *g = cot_custom_new(c, "doubled", .n_in = 1, .n_out = 1,
                                         .types = number_type, .symbol = (cot_symbol *)doubled,
                                         .prototype = "out0 = double doubled(double in0)");
    cot_fn *f = cot_fn_new(c, "f", foreign_body, 1, 1, (void *)(uintptr_t)g);
    cot_type t = cot_f64();
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, (cot_types){ .n = 1, .at = &t },
                              &(cot_compile_options){ .backend = "jit" }, &k) == COT_OK,
                  "%s", cot_error(c));
    IS(cot_code_cache_of(c), 0, 0, 0);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

START_TEST(builds_have_names)
{
    ir_arena a;

    ir_arena_init(&a, ctx);
    const char *here = cg_build_of(&a, &folder),
               *there = cg_build_of(&a, (const void *)(uintptr_t)qsort);
    ck_assert(here != NULL);
    ck_assert(there == NULL || strcmp(here, there) != 0);
    ck_assert(cg_build_of(&a, NULL) == NULL);
    ir_arena_free(&a);
}
END_TEST

/* -- off -- */

START_TEST(nothing_is_kept_where_it_is_off)
{
    cot_context *c = context_in("off", 0);
    const double number = 1;
    cot_kernel *k = compiled(c, &number, "jit");

    ck_assert_str_eq(cot_code_cache_of(c).why_off, "no folder is named");
    cot_kernel_free(k);
    cot_context_free(c);
    ck_assert_str_eq(cot_code_cache_of(NULL).why_off, "nothing was compiled");
}
END_TEST

START_TEST(the_environment_names_the_folder)
{
    static const struct {
        const char *dir, *xdg, *home, *want;
    } row[] = {
        { "/a/b", "/x", "/h", "/a/b" },
        { "", "/x", "/h", NULL },
        { "off", "/x", "/h", NULL },
        { NULL, "/x", "/h", "/x/cotrace" },
        { NULL, "x", "/h", "/h/.cache/cotrace" },
        { NULL, NULL, "/h", "/h/.cache/cotrace" },
        { NULL, NULL, NULL, NULL },
    };
    const char *const name[] = { "COT_CACHE_DIR", "XDG_CACHE_HOME", "HOME" };
    const char *const value[] = { row[_i].dir, row[_i].xdg, row[_i].home };

    for (int i = 0; i < 3; i++)
        if (value[i])
            setenv(name[i], value[i], 1);
        else
            unsetenv(name[i]);
    cot_context *c = cot_context_new(NULL);
    if (row[_i].want)
        ck_assert_str_eq(ir_config_cache_dir(c), row[_i].want);
    else
        ck_assert(ir_config_cache_dir(c) == NULL);
    cot_context_free(c);
}
END_TEST

/* -- the bound -- */

START_TEST(the_oldest_files_go)
{
    enum { BOUND = 64 << 10, MANY = 60 };
    const double want = wanted(0);
    char first[KEY + 1];
    uint64_t bytes = 0, one = 0;

    IS(trial(folder, 0, 0, want), 0, 1, 1);
    count_files(false, first, &one);
    const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
    ck_assert_int_eq(utimensat(AT_FDCWD, path_of(first), old, 0), 0);
    write_file(path_of(".new.1.2.3"), "x", 1);
    write_file(path_of(".new.4.5.6"), "x", 1);
    ck_assert_int_eq(utimensat(AT_FDCWD, path_of(".new.1.2.3"), old, 0), 0);
    cot_context *c = context_in(folder, BOUND);
    for (int i = 1; i <= MANY; i++) {
        const double number = i;
        cot_kernel_free(compiled(c, &number, "jit"));
    }
    const int n = count_files(false, NULL, &bytes);
    ck_assert_uint_eq(cot_code_cache_of(c).kept, MANY);
    ck_assert_uint_gt(one * MANY, BOUND + 17 * one);
    ck_assert_uint_le(bytes, BOUND + 17 * one);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(access(path_of(first), F_OK), -1);
    ck_assert_int_eq(access(path_of(".new.1.2.3"), F_OK), -1);
    ck_assert_int_eq(access(path_of(".new.4.5.6"), F_OK), 0);
    cot_context_free(c);
}
END_TEST

/* What looks through a folder opens it by this function of the C library. */
static int looked;

DIR *
fdopendir(int fd)
{
    DIR *(*real)(int) = (DIR * (*)(int)) dlsym(RTLD_NEXT, "fdopendir");

    looked++;
    return real(fd);
}

/* Each program has a context of its own, as in a row of short processes. */
static void
keep_programs(int first, int n)
{
    for (int i = first; i < first + n; i++) {
        const double number = i;
        cot_context *c = context_in(folder, 0);
        cot_kernel_free(compiled(c, &number, "jit"));
        cot_context_free(c);
    }
}

/* What a file costs does not grow with the number of files. */
START_TEST(a_folder_is_not_looked_through_for_each_file)
{
    looked = 0;
    keep_programs(0, 40);
    ck_assert_int_eq(count_files(false, NULL, NULL), 40);
    ck_assert_int_eq(looked, 1);
}
END_TEST

/* A tally that is old, of the future, cut, beyond any bound, or too long says nothing: the
 * folder is looked through once, and has a right one. */
START_TEST(a_tally_that_is_wrong_is_made_anew)
{
    enum { LONG = 1 << 14 };
    const uint64_t now = (uint64_t)time(NULL);
    static uint64_t number[LONG];
    const struct {
        uint64_t when, sum;
        size_t bytes;
    } wrong[] = { { now - 90000, 1, 16 },
                  { now + 90000, 1, 16 },
                  { now, 1, 15 },
                  { now, UINT64_MAX, 16 },
                  { now, 1, sizeof number } };

    keep_programs(0, 1);
    number[0] = wrong[_i].when;
    number[1] = wrong[_i].sum;
    write_file(path_of(".tally"), (const char *)number, wrong[_i].bytes);
    looked = 0;
    keep_programs(1, 3);
    ck_assert_int_eq(looked, 1);
    ck_assert_int_eq(count_files(false, NULL, NULL), 4);
    ck_assert_uint_eq(read_file(path_of(".tally"), (char *)number, sizeof number),
                      4 * sizeof *number);
    ck_assert_uint_ge(number[0], now);
    ck_assert_uint_gt(number[1], 0);
}
END_TEST

/* A hit says that the file is used, at most once in a while. */
START_TEST(use_is_noted)
{
    const double want = wanted(0);
    const struct timespec old[2] = { { 1000, 0 }, { 1000, 0 } };
    char name[KEY + 1];
    struct stat s;

    IS(trial(folder, 0, 0, want), 0, 1, 1);
    count_files(false, name, NULL);
    ck_assert_int_eq(utimensat(AT_FDCWD, path_of(name), old, 0), 0);
    IS(trial(folder, 0, 0, want), 1, 0, 0);
    ck_assert_int_eq(stat(path_of(name), &s), 0);
    ck_assert_int_gt(s.st_mtime, 1000);
}
END_TEST

/* -- several processes -- */

/* In a child: its exit status says whether all results were right. */
static _Noreturn void
work(const double *want, int rounds)
{
    bool good = true;

    for (int i = 0; i < rounds; i++) {
        const double number = i % PROGRAMS;
        cot_context *c = context_in(folder, 0);
        cot_kernel *k = compiled(c, &number, "jit");
        const double got = value_of(c, k);
        good &= memcmp(&got, &want[i % PROGRAMS], sizeof got) == 0;
        cot_kernel_free(k);
        cot_context_free(c);
        if (rounds > PROGRAMS && i % PROGRAMS == PROGRAMS - 1)
            remove_folder(folder), mkdir(folder, 0700);
    }
    _exit(good ? 0 : 1);
}

START_TEST(many_processes_at_once)
{
    double want[PROGRAMS];
    pid_t child[PROCESSES];
    int status;

    for (int i = 0; i < PROGRAMS; i++)
        want[i] = wanted(i);
    for (int i = 0; i < PROCESSES; i++)
        if ((child[i] = fork()) == 0)
            work(want, PROGRAMS);
    for (int i = 0; i < PROCESSES; i++) {
        ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
        ck_assert_int_eq(status, 0);
    }
    ck_assert_int_eq(count_files(false, NULL, NULL), PROGRAMS);
    ck_assert_int_eq(count_files(true, NULL, NULL), 0);
    for (int i = 0; i < PROGRAMS; i++)
        IS(trial(folder, 0, i, want[i]), 1, 0, 0);
}
END_TEST

/* Writers that are killed at any moment leave what is whole, or nothing that is found. */
START_TEST(killed_writers)
{
    double want[PROGRAMS];
    uint64_t seed = 20;
    int status;

    for (int i = 0; i < PROGRAMS; i++)
        want[i] = wanted(i);
    for (int i = 0; i < KILLS; i++) {
        const pid_t child = fork();
        if (child == 0)
            work(want, 1 << 20);
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        nanosleep(&(struct timespec){ 0, (long)(seed >> 40) % 40 * 1000000 }, NULL);
        kill(child, SIGKILL);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
    mkdir(folder, 0700);
    for (int i = 0; i < PROGRAMS; i++)
        trial(folder, 0, i, want[i]);
    for (int i = 0; i < PROGRAMS; i++)
        IS(trial(folder, 0, i, want[i]), 1, 0, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(a_later_context_compiles_nothing),
        ONCE(a_folder_that_is_missing_is_made),
        ONCE(equal_kernels_share_their_code),
        ONCE(other_options_are_other_code),
        ONCE(foreign_functions_are_not_kept),
        ONCE(builds_have_names),
        ONCE(nothing_is_kept_where_it_is_off),
        EACH(the_environment_names_the_folder, 7),
        ONCE(the_oldest_files_go),
        ONCE(a_folder_is_not_looked_through_for_each_file),
        EACH(a_tally_that_is_wrong_is_made_anew, 5),
        ONCE(use_is_noted),
        ONCE(many_processes_at_once),
        ONCE(killed_writers),
    };
    return SUITE_WITH("store", cases, store_begin, store_end);
}
