/* Kernels, as text, whose parallel loops are proved by what their conditions say.  They have
 * more elements than are compared one by one. */
#include "codegen/kernel/kernel.h"
#include "tests/unit/suite.h"

static ir_arena arena;

static void
setup(void)
{
    suite_begin();
    ir_arena_init(&arena, ctx);
}

static void
teardown(void)
{
    ir_arena_free(&arena);
    suite_end();
}

/* Rows of 7 elements, in columns of two vectors for each iteration: the first has all n
 * columns, or two have columns of overlapping rows. */
static const char first_alone[] = "module f {\n"
                                  "kernel f {\n"
                                  "out out0: f32[160]\n"
                                  "call dot(out0)\n"
                                  "}\n"
                                  "kernel dot {\n"
                                  "out y: f32[160]\n"
                                  "parallel %%1 in 0..8 {\n"
                                  "%%2 = mul i64 %%1, 32\n"
                                  "%%3 = add i64 %%2, 32\n"
                                  "%%4 = min i64 %%3, %d\n"
                                  "%%5 = lt i64 %%2, %d\n"
                                  "if %%5 {\n"
                                  "serial %%6 in %%2..%%4 step 32 {\n"
                                  "serial %%7 in 0..17 step 9 {\n"
                                  "%%8 = add i64 %%7, 9\n"
                                  "%%9 = min i64 %%8, 17\n"
                                  "serial %%10 in %%7..%%9 {\n"
                                  "%%11 = mul i64 %%10, 7\n"
                                  "%%12 = add i64 %%6, %%11\n"
                                  "unroll %%13 in 0..2 {\n"
                                  "%%14 = mul i64 %%13, 16\n"
                                  "%%15 = add i64 %%6, %%14\n"
                                  "%%16 = add i64 %%12, %%14\n"
                                  "vector %%17 in 0..16 {\n"
                                  "%%18 = add i64 %%15, %%17\n"
                                  "%%19 = lt i64 %%18, %d\n"
                                  "%%20 = add i64 %%16, %%17\n"
                                  "store y[%%20] = 0 if %%19\n"
                                  "}\n"
                                  "}\n"
                                  "}\n"
                                  "}\n"
                                  "}\n"
                                  "}\n"
                                  "}\n"
                                  "}\n"
                                  "}\n";

/* Columns of tiles of 32, whose edge, of rows a stride apart, is behind the last column, or is
 * the last tile. */
static const char edge_of_whole_tiles[] = "module f {\n"
                                          "kernel f {\n"
                                          "out out0: f32[1088]\n"
                                          "call dot(out0)\n"
                                          "}\n"
                                          "kernel dot {\n"
                                          "out y: f32[1088]\n"
                                          "parallel %%1 in 0..8 {\n"
                                          "%%2 = mul i64 %%1, 32\n"
                                          "%%3 = add i64 %%2, 32\n"
                                          "%%4 = min i64 %%3, 64\n"
                                          "serial %%6 in %%2..%%4 step 32 {\n"
                                          "%%21 = lt i64 %%6, %d\n"
                                          "serial %%7 in 0..17 step 9 {\n"
                                          "%%8 = add i64 %%7, 9\n"
                                          "%%9 = min i64 %%8, 17\n"
                                          "if %%21 {\n"
                                          "serial %%30 in %%7..%%9 {\n"
                                          "%%31 = mul i64 %%30, 64\n"
                                          "%%32 = add i64 %%6, %%31\n"
                                          "vector %%37 in 0..32 {\n"
                                          "%%40 = add i64 %%32, %%37\n"
                                          "store y[%%40] = 0\n"
                                          "}\n"
                                          "}\n"
                                          "} else {\n"
                                          "serial %%10 in %%7..%%9 {\n"
                                          "%%11 = mul i64 %%10, %d\n"
                                          "%%12 = add i64 %%6, %%11\n"
                                          "unroll %%13 in 0..2 {\n"
                                          "%%14 = mul i64 %%13, 16\n"
                                          "%%15 = add i64 %%6, %%14\n"
                                          "%%16 = add i64 %%12, %%14\n"
                                          "vector %%17 in 0..16 {\n"
                                          "%%18 = add i64 %%15, %%17\n"
                                          "%%19 = lt i64 %%18, 64\n"
                                          "%%20 = add i64 %%16, %%17\n"
                                          "store y[%%20] = 0 if %%19\n"
                                          "}\n"
                                          "}\n"
                                          "}\n"
                                          "}\n"
                                          "}\n"
                                          "}\n"
                                          "}\n"
                                          "}\n"
                                          "}\n";

static cot_status
verify_text(const char *text)
{
    cg_module *read;
    const cot_status status = cg_module_read(ctx, &arena, "text", text, strlen(text), &read);

    ck_assert_int_eq(status == COT_OK ? read->n_serial : 0, 0);
    return status;
}

START_TEST(conditions_hold_in_the_first_iteration_alone)
{
    static const int columns[] = { 7, 40 };

    for (int wrong = 0; wrong < 2; wrong++) {
        const int n = columns[wrong];
        ck_assert_int_eq(verify_text(ir_format(&arena, first_alone, n, n, n)) != COT_OK, wrong);
    }
}
END_TEST

START_TEST(conditions_contradict_each_other)
{
    for (int wrong = 0; wrong < 2; wrong++) {
        const int n = wrong ? 32 : 64;
        ck_assert_int_eq(verify_text(ir_format(&arena, edge_of_whole_tiles, n, n)) != COT_OK,
                         wrong);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(conditions_hold_in_the_first_iteration_alone, 1),
        EACH(conditions_contradict_each_other, 1),
    };

    return SUITE_WITH("race conditions", cases, setup, teardown);
}
