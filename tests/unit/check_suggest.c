/* The name that a misspelt one is closest to. */
#include "ir/suggest.h"
#include "ir/context.h"
#include "tests/unit/suite.h"

static const struct {
    const char *name, *candidates, *best; /* best "": none is close */
} rows[] = {
    { "sinn", "sign sin sinh asin", "sin" },
    { "grd", "jvp grad vjp grad_and_value", "grad" },
    { "gard", "jvp grad vjp", "grad" },
    { "rnu", "opt run build", "run" },
    { "axs", "axes axis", "axes" },
    { "--entyr", "--emit --entry --export", "--entry" },
    { "reduce_smu", "reduce_sum reduce_max reduce", "reduce_sum" },
    { "dotgeneral", "dot_general dot", "dot_general" },
    { "reducesummation", "reduce_sum reduce_max", "" },
    { "zorp", "grad jvp vjp", "" },
    { "x", "y z", "" },
    { "xy", "y zz", "" },
    { "", "a in", "" },
    { "a", "", "" },
    /* names of more than 32 letters are not compared */
    { "a_name_of_more_than_32_letters_is_n", "a_name_of_more_than_32_letters_is_o", "" },
    { "a_name_of_exactly_32_letters_isx", "a_name_of_exactly_32_letters_is_",
      "a_name_of_exactly_32_letters_is_" },
};

START_TEST(finds_the_closest)
{
    char list[128], *at = list;
    ir_suggestion s = ir_suggest(rows[_i].name);

    snprintf(list, sizeof list, "%s", rows[_i].candidates);
    for (char *word; (word = strtok(at, " ")) != NULL; at = NULL)
        ir_suggest_try(&s, word);
    ck_assert_str_eq(s.best ? s.best : "", rows[_i].best);
    if (s.best)
        ck_assert_str_eq(ir_suggest_text(&s),
                         ir_format(&ctx->arena, "; did you mean '%s'?", rows[_i].best));
    else
        ck_assert_str_eq(ir_suggest_text(&s), "");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(finds_the_closest, (int)(sizeof rows / sizeof *rows)),
    };

    return SUITE("suggest", cases);
}
