/* What a sweep keeps of the runs that passed: a run is known again if its text, its operands
 * and the wanted results are the same, and only then; the file outlives the process. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"
#include "tests/laws/judged.h"

static const cot_compile_options as_c = { .backend = "c", .vector_bits = 128 };
static float x[4] = { 1, 2, 3, 4 }, y[4] = { 2, 3, 4, 5 };
static char path[] = "/tmp/judged-XXXXXX";

static const ir_graph *
graph_of(const char *op)
{
    char text[200];
    const cot_graph *f;

    snprintf(text, sizeof text,
             "fn @f(%%x: f32[4]) -> f32[4] {\n  %%0 = %s %%x, %%x : f32[4]\n  ret %%0\n}\n",
             op);
    ck_assert_msg(cot_parse(ctx, "f.cot", text, strlen(text), NULL, &f) == COT_OK, "%s",
                  cot_error(ctx));
    return f;
}

static uint64_t
key_of(const char *op, const char *how, void *in, void *want)
{
    return judged_key(graph_of(op), &as_c, "c", how, &in, &want);
}

static void
open_new(void)
{
    const int file = mkstemp(strcpy(path, "/tmp/judged-XXXXXX"));

    ck_assert(file >= 0);
    close(file);
    judged_open(path);
}

START_TEST(nothing_is_kept_without_a_file)
{
    ck_assert(key_of("add", "4 lanes", x, y) == 0);
    ck_assert(!judged_before(0));
}
END_TEST

START_TEST(a_run_is_what_decides_its_result)
{
    open_new();
    const uint64_t key = key_of("add", "4 lanes", x, y);
    ck_assert(key != 0);
    ck_assert(!judged_before(key));
    judged_pass(key);
    ck_assert(judged_before(key_of("add", "4 lanes", x, y)));
    ck_assert(!judged_before(key_of("mul", "4 lanes", x, y)));
    ck_assert(!judged_before(key_of("add", "8 lanes", x, y)));
    ck_assert(!judged_before(key_of("add", "4 lanes", y, y)));
    ck_assert(!judged_before(key_of("add", "4 lanes", x, x)));
    unlink(path);
}
END_TEST

/* Each twice: the second adds nothing. */
static void
write_all(void)
{
    for (int twice = 0; twice < 2; twice++)
        for (uint64_t k = 1; k <= 100000; k++)
            judged_pass(k * 0x9E3779B97F4A7C15u);
}

/* More than the set has room for at first; a process that has not written them reads them. */
START_TEST(a_file_is_read_again)
{
    int status;

    open_new();
    const pid_t child = fork();
    if (child == 0) {
        write_all();
        _exit(0);
    }
    ck_assert(waitpid(child, &status, 0) == child && status == 0);
    ck_assert(!judged_before(0x9E3779B97F4A7C15u));
    judged_open(path);
    for (uint64_t k = 1; k <= 100000; k++)
        ck_assert(judged_before(k * 0x9E3779B97F4A7C15u));
    ck_assert(!judged_before(100001 * 0x9E3779B97F4A7C15u));
    FILE *file = fopen(path, "r");
    ck_assert(file && fseek(file, 0, SEEK_END) == 0);
    ck_assert_int_eq(ftell(file), 800000);
    fclose(file);
    unlink(path);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(nothing_is_kept_without_a_file),
        ONCE(a_run_is_what_decides_its_result),
        ONCE(a_file_is_read_again),
    };

    return SUITE("judged", cases);
}
