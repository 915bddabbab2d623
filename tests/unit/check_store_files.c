/* Files of kept code that are cut, changed, exchanged, or that others could have written, and
 * folders that cannot be used: results are right, and no such code is run. */
#define _GNU_SOURCE 1
#include <sys/resource.h>

#include "tests/unit/stored.h"

/* Cut anywhere, or one bit changed anywhere: compiled again, and the file replaced. */
START_TEST(a_broken_file_is_replaced)
{
    static char good[1 << 18], bad[1 << 18];
    const double want = wanted(7);
    char name[KEY + 1];

    IS(trial(folder, 0, 7, want), 0, 1, 1);
    ck_assert_int_eq(count_files(false, name, NULL), 1);
    const size_t n = read_file(path_of(name), good, sizeof good), step = n / 23 + 1;
    ck_assert_uint_lt(n, sizeof good);
    for (size_t at = 0; at < n; at += step) {
        memcpy(bad, good, n);
        bad[at] = (char)(bad[at] ^ 1 << at % 8);
        write_file(path_of(name), bad, _i ? n : at);
        IS(trial(folder, 0, 7, want), 0, 1, 1);
    }
    write_file(path_of(name), strcat(memcpy(bad, good, n), "x"), n + 1);
    IS(trial(folder, 0, 7, want), 0, 1, 1);
    IS(trial(folder, 0, 7, want), 1, 0, 0);
}
END_TEST

/* A program's code under another one's name. */
START_TEST(an_exchanged_file_is_refused)
{
    static char bytes[1 << 18];
    char name[2][KEY + 1];
    const double want = wanted(8);

    IS(trial(folder, 0, 8, want), 0, 1, 1);
    count_files(false, name[0], NULL);
    const size_t n = read_file(path_of(name[0]), bytes, sizeof bytes);
    ck_assert_int_eq(remove(path_of(name[0])), 0);
    IS(trial(folder, 0, 9, wanted(9)), 0, 1, 1);
    count_files(false, name[1], NULL);
    write_file(path_of(name[1]), bytes, n);
    IS(trial(folder, 0, 9, wanted(9)), 0, 1, 1);
}
END_TEST

typedef enum stranger { LINK, PIPE, FOLDER, WRITABLE } stranger;

/* No file, or one that others may write, in the place of a kept one. */
START_TEST(what_others_could_have_written_is_not_run)
{
    static char bytes[1 << 18];
    const double want = wanted(10);
    char name[KEY + 1], elsewhere[100];
    struct stat s;

    IS(trial(folder, 0, 10, want), 0, 1, 1);
    count_files(false, name, NULL);
    const size_t n = read_file(path_of(name), bytes, sizeof bytes);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", folder);
    write_file(elsewhere, bytes, n);
    if (_i != WRITABLE)
        ck_assert_int_eq(remove(path_of(name)), 0);
    switch ((stranger)_i) {
    case LINK: ck_assert_int_eq(symlink(elsewhere, path_of(name)), 0); break;
    case PIPE: ck_assert_int_eq(mkfifo(path_of(name), 0600), 0); break;
    case FOLDER: ck_assert_int_eq(mkdir(path_of(name), 0700), 0); break;
    case WRITABLE: ck_assert_int_eq(chmod(path_of(name), 0666), 0); break;
    }
    IS(trial(folder, 0, 10, want), 0, 1, _i != FOLDER);
    ck_assert_int_eq(stat(path_of("elsewhere"), &s), 0);
    ck_assert_int_eq(s.st_size, (off_t)n);
    IS(trial(folder, 0, 10, want), _i != FOLDER, _i == FOLDER, 0);
}
END_TEST

START_TEST(a_folder_that_others_may_write_is_refused)
{
    const double number = 1, want = wanted(1);

    ck_assert_int_eq(chmod(folder, _i ? 0720 : 0702), 0);
    cot_context *c = context_in(folder, 0);
    cot_kernel *k = compiled(c, &number, "jit");
    const double got = value_of(c, k);

    ck_assert_mem_eq(&got, &want, sizeof got);
    ck_assert_str_eq(cot_code_cache_of(c).why_off,
                     "it is another user's, or others may write it");
    ck_assert_int_eq(count_files(false, NULL, NULL), 0);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

START_TEST(a_folder_that_cannot_be_is_no_error)
{
    char inside[100];
    const double number = 1;

    write_file(path_of("file"), "x", 1);
    snprintf(inside, sizeof inside, "%s/file/cache", folder);
    cot_context *c = context_in(inside, 0);
    cot_kernel *k = compiled(c, &number, "jit");

    ck_assert_str_eq(cot_code_cache_of(c).why_off, "it cannot be opened");
    ck_assert_str_eq(cot_error(c), "");
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

/* A folder that goes while it is used. */
START_TEST(a_folder_that_goes_is_no_error)
{
    const double number = 1, other = 2, want = wanted(1);
    cot_context *c = context_in(folder, 0);
    cot_kernel *k[2];

    k[0] = compiled(c, &number, "jit");
    remove_folder(folder);
    k[1] = compiled(c, &other, "jit");
    const double got = value_of(c, k[0]);
    ck_assert_mem_eq(&got, &want, sizeof got);
    IS(cot_code_cache_of(c), 0, 2, 1);
    cot_kernel_free(k[0]);
    cot_kernel_free(k[1]);
    cot_context_free(c);
}
END_TEST

/* A limit of the process that no file fits.  Check keeps a case's messages in a file, which the
 * limit counts too: nothing is asserted under it. */
START_TEST(a_file_that_may_not_grow_is_no_error)
{
    const double number = 1, want = wanted(1);
    struct rlimit before, low;
    cot_context *c = context_in(folder, 0);
    cot_kernel *k = NULL;

    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = before;
    low.rlim_cur = 1000;
    const int lowered = setrlimit(RLIMIT_FSIZE, &low);
    const cot_status s = compile_into(c, &number, "jit", &k);
    const int restored = setrlimit(RLIMIT_FSIZE, &before);

    ck_assert_int_eq(lowered, 0);
    ck_assert_int_eq(restored, 0);
    ck_assert_msg(s == COT_OK, "%s", cot_error(c));
    const double got = value_of(c, k);
    ck_assert_mem_eq(&got, &want, sizeof got);
    IS(cot_code_cache_of(c), 0, 1, 0);
    ck_assert_int_eq(count_files(true, NULL, NULL), 0);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(a_broken_file_is_replaced, 2),
        ONCE(an_exchanged_file_is_refused),
        EACH(what_others_could_have_written_is_not_run, 4),
        EACH(a_folder_that_others_may_write_is_refused, 2),
        ONCE(a_folder_that_cannot_be_is_no_error),
        ONCE(a_folder_that_goes_is_no_error),
        ONCE(a_file_that_may_not_grow_is_no_error),
    };
    return SUITE_WITH("store files", cases, store_begin, store_end);
}
