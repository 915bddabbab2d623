/* Batches of small products whose left sides have the batch last: lanes go along it, right
 * sides are loaded in place or from panels, and results are stored at once or by way of memory
 * (codegen/lower/dot_choose_axes.c).  All back ends at all widths against the evaluator. */
#include <stdio.h>

#include "tests/unit/bits.h"
#include "tests/unit/traced.h"

static const struct {
    int b, m, n, k;
} sizes[] = {
    /* few elements of the right side, in place; more, from panels */
    { 17, 3, 3, 3 },
    { 33, 3, 4, 5 },
    { 16, 2, 12, 16 },
    { 31, 1, 7, 25 },
    /* large tiles, by way of memory; more rows than a tile has */
    { 64, 4, 4, 4 },
    { 65, 8, 3, 6 },
    { 15, 9, 8, 4 },
    { 100, 17, 2, 9 },
    { 7, 30, 1, 5 },
    /* several blocks of k's; vectors that a batch does not fill */
    { 18, 5, 3, 300 },
    { 2, 4, 5, 8 },
    { 3, 2, 2, 33 },
};
enum { SIZES = sizeof sizes / sizeof *sizes };

START_TEST(all_agree)
{
    static const char *const types[] = { "f32", "f64", "bf16", "i32" }, *const none[] = {
        NULL
    };
    const int b = sizes[_i].b, m = sizes[_i].m, n = sizes[_i].n, k = sizes[_i].k;

    for (int i = 0; i < 4; i++)
        for (int turned = 0; turned < 2; turned++) {
            const char *t = types[i];
            char text[600];
            ir_graph *f, *g;

            snprintf(text, sizeof text,
                     "fn @f(%%x: %s[%d,%d,%d], %%y: %s[%d,%d,%d]) -> %s[%d,%d,%d] {\n"
                     " %%0 = dot_general %%x, %%y {lhs=[0], rhs=[%d], lhs_batch=[2], "
                     "rhs_batch=[0]} : %s[%d,%d,%d]\n ret %%0\n}\n",
                     t, k, m, b, t, b, turned ? n : k, turned ? k : n, t, b, m, n,
                     turned ? 2 : 1, t, b, m, n);
            bits_keep(ctx, text, "", none, &f, &g);
        }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { EACH(all_agree, SIZES) };

    return SUITE("small_batches", cases);
}
