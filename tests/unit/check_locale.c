/* Texts have a decimal point whatever the program's locale has: what is parsed, printed,
 * imported and written as C under a locale with a comma.  Where the system has no such locale,
 * localedef makes one. */
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

#include "cotrace/stablehlo.h"
#include "traced.h"

static char folder[] = "/tmp/cotrace-locale-XXXXXX";

static bool
has_comma(const char *name)
{
    return setlocale(LC_ALL, name) && *localeconv()->decimal_point == ',';
}

static bool
make_locale(void)
{
    char command[256];

    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof command,
             "localedef -c -i de_DE -f UTF-8 %s/xx_XX.UTF-8 >%s/log 2>&1", folder, folder);
    if (system(command) == -1)
        return false;
    setenv("LOCPATH", folder, 1);
    return has_comma("xx_XX.UTF-8");
}

static bool
with_comma(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8",
                                         "ru_RU.UTF-8", "pt_BR.UTF-8" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (has_comma(names[i]))
            return true;
    return make_locale();
}

static void
keep(void *user, const char *text, size_t bytes)
{
    strncat(user, text, bytes);
}

static void
prints(const cot_graph *g)
{
    char text[4096] = "";

    ck_assert_int_eq(cot_dump_graph(g, keep, text), COT_OK);
    ck_assert_msg(strstr(text, "data=[1.5,0.1,2.5e+300]") != NULL, "%s", text);
}

START_TEST(graphs)
{
    static const char text[] = "fn @f() -> f64[3] {\n  %0 = constant {data=[1.5, 0.1, "
                               "2.5e300]} : f64[3]\n  ret %0\n}\n";
    const cot_graph *g;

    ck_assert_msg(cot_parse(ctx, "f.cot", text, sizeof text - 1, NULL, &g) == COT_OK, "%s",
                  cot_error(ctx));
    prints(g);
}
END_TEST

START_TEST(modules)
{
    static const char text[] =
        "func.func @main() -> tensor<3xf64> {\n"
        "  %0 = stablehlo.constant dense<[1.5, 0.1000000000000000055511151231257827, 2.5e300]> "
        ": tensor<3xf64>\n"
        "  return %0 : tensor<3xf64>\n}\n";
    const cot_graph *g;

    ck_assert_msg(cot_import_stablehlo(ctx, "f.mlir", text, sizeof text - 1, NULL, &g) == COT_OK, "%s", cot_error(ctx));
    prints(g);
}
END_TEST

BODY(scaled, out[0] = cot_mul(cot_exp(in[0]), 1.5e-3);)

START_TEST(sources)
{
    char path[sizeof folder + 16], text[1 << 16];

    snprintf(path, sizeof path, "/tmp/cotrace-locale-%d.c", (int)getpid());
    cot_fn *f = cot_fn_new(ctx, "scaled", scaled, 1, 1, NULL);
    ck_assert_msg(
        cot_build_object(ctx, &(cot_export){ .fn = f, .types = COT_TYPES(cot_f64(3)) }, 1,
                         &(cot_compile_options){ .vector_bits = 32 }, path, NULL) == COT_OK,
        "%s", cot_error(ctx));
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    unlink(path);
    ck_assert_msg(strstr(text, "1.5e-3") || strstr(text, "0.0015"), "%s", text);
    ck_assert_msg(!strstr(text, "0,0015") && !strstr(text, "0x1,"), "%s", text);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(graphs),
        ONCE(modules),
        ONCE(sources),
    };

    if (!with_comma()) {
        puts("locale: no locale with a decimal comma, and none could be made");
        return 77;
    }
    return SUITE("locale", cases);
}
