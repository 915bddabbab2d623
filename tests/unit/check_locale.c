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

    ck_assert_msg(cot_import_stablehlo(ctx, "f.mlir", text, sizeof text - 1, NULL, &g) ==
                      COT_OK,
                  "%s", cot_error(ctx));
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

/* What `make` writes to a stream while it runs. */
static void
captured(FILE *stream, void make(void), char *text, size_t bytes)
{
    FILE *file = tmpfile();
    const int own = dup(fileno(stream));

    ck_assert_ptr_nonnull(file);
    fflush(stream);
    dup2(fileno(file), fileno(stream));
    make();
    fflush(stream);
    dup2(own, fileno(stream));
    close(own);
    rewind(file);
    text[fread(text, 1, bytes - 1, file)] = '\0';
    fclose(file);
}

BODY(shown, out[0] = cot_print(cot_mul(in[0], 0.5), "x {}");)
BODY(shown_complex, out[0] = cot_print(in[0], "z {}");)

static void
run(cot_body *body, cot_type type, void *data)
{
    cot_array *x = cot_array_borrow(ctx, type, data), *y = NULL;
    cot_fn *f = cot_fn_new(ctx, "shown", body, 1, 1, NULL);

    ck_assert_msg(cot_jit(f, &y, 1, (const cot_array *const[]){ x }, 1) == COT_OK, "%s",
                  cot_error(ctx));
    cot_array_free(x);
    cot_array_free(y);
}

static void
print_all(void)
{
    run(shown, cot_f64(4), (double[]){ 1, -5e300, INFINITY, 0.2 });
    run(shown, cot_f32(2), (float[]){ 3, 0.5F });
    run(shown_complex, cot_c128(), (double[]){ 0.5, 1e300 });
}

START_TEST(values)
{
    char text[4096];

    captured(stdout, print_all, text, sizeof text);
    ck_assert_str_eq(
        text, "x [0.5, -2.5000000000000001e+300, inf, 0.10000000000000001]\nx [1.5, 0.25]\n"
              "z (0.5, 1.0000000000000001e+300)\n");
}
END_TEST

static void
compile_timed(void)
{
    cot_context *timed = cot_context_new(&(cot_options){ .time = 1 });
    cot_fn *f = cot_grad(cot_fn_new(timed, "scaled", scaled, 1, 1, NULL));
    cot_kernel *k = NULL;

    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f64()), NULL, &k), COT_OK);
    cot_kernel_free(k);
    cot_context_free(timed);
}

START_TEST(times)
{
    char text[1 << 14];

    captured(stderr, compile_timed, text, sizeof text);
    ck_assert_msg(strstr(text, "time: grad"), "%s", text);
    for (const char *s = strchr(text, ','); s; s = strchr(s + 1, ','))
        ck_assert_msg(s[1] < '0' || s[1] > '9', "%s", text);
}
END_TEST

BODY(dropped, out[0] = cot_dropout(in[0], 1.5, .key = in[1]);)
BODY(fraction, out[0] = cot_add(in[1], 2.5);)

START_TEST(messages)
{
    const cot_graph *g;

    ck_assert_int_ne(cot_trace_fn(cot_fn_new(ctx, "f", dropped, 2, 1, NULL),
                                  COT_TYPES(cot_f32(2), cot_u64(2)), &g), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), "1.5"), "%s", cot_error(ctx));
    cot_error_clear(ctx);
    ck_assert_int_ne(cot_trace_fn(cot_fn_new(ctx, "f", fraction, 2, 1, NULL),
                                  COT_TYPES(cot_f32(2, 2, 2), cot_i32()), &g), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), "number 2.5 is not an integer"), "%s", cot_error(ctx));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(graphs),
        ONCE(modules),
        ONCE(sources),
        ONCE(values),
        ONCE(times),
        ONCE(messages),
    };

    if (!with_comma()) {
        puts("locale: no locale with a decimal comma, and none could be made");
        return 77;
    }
    return SUITE("locale", cases);
}
