/* cot_lint and cot_check_derivatives as calls: ranges, loops, captured arrays, wrong rules, and
 * what is refused. */
#define _GNU_SOURCE
#include <unistd.h>

#include "tests/unit/customs.h"

BODY(root, out[0] = cot_reduce_sum(cot_sqrt(in[0]));)
BODY(cube, out[0] = cot_mul(in[0], cot_mul(in[0], in[0]));)

static cot_lint_report
lint_of(cot_fn *f, cot_types types, const cot_lint_options *o)
{
    cot_lint_report report;

    ck_assert_msg(cot_lint(f, types, o, &report) == COT_OK, "%s", cot_error(ctx));
    return report;
}

static void
finds(cot_fn *f, cot_types types, const cot_lint_options *o, const char *text)
{
    const cot_lint_report report = lint_of(f, types, o);
    bool found = false;

    for (int i = 0; i < report.n; i++)
        found |= strstr(report.finding[i].text, text) != NULL;
    ck_assert_msg(found == (text[0] != '\0') && (found || report.n == 0),
                  "%d findings, of which the first is '%s'; wants '%s'", report.n,
                  report.n ? report.finding[0].text : "", text);
}

static void
fails(cot_status got, cot_status want, const char *text)
{
    ck_assert_msg(got == want && strstr(cot_error(ctx), text) != NULL, "%s: '%s'; wants '%s'",
                  cot_status_name(got), cot_error(ctx), text);
    cot_error_clear(ctx);
}

/* A range leaves the trap out, or its end does. */
START_TEST(ranges)
{
    cot_fn *f = cot_grad(FN(root));
    const cot_lint_range above = { .argument = 0, .least = 0, .most = INFINITY, .above = true },
                         from = { .argument = 0, .least = 0, .most = INFINITY },
                         far = { .argument = 0, .least = 1e6, .most = INFINITY };

    finds(f, V64, NULL, "is nan where every element of argument 0 is less than 0");
    finds(f, V64, &(cot_lint_options){ .n_ranges = 1, .ranges = &from },
          "div(1, 0) is inf where every element of argument 0 is 0; result 0 is infinite");
    finds(f, V64, &(cot_lint_options){ .n_ranges = 1, .ranges = &above }, "");
    finds(f, V64, &(cot_lint_options){ .n_ranges = 1, .ranges = &far }, "");
}
END_TEST

START_TEST(refused)
{
    const cot_lint_range none = { .argument = 3, .least = 0, .most = 1 },
                         empty = { .argument = 0, .least = 2, .most = 1 };
    cot_lint_report report;
    cot_fn *f = FN(root);

    fails(cot_lint(f, V64, &(cot_lint_options){ .n_ranges = 1, .ranges = &none }, &report),
          COT_ERR_ARG, "a range is of argument 3; there are 1");
    fails(cot_lint(f, V64, &(cot_lint_options){ .n_ranges = 1, .ranges = &empty }, &report),
          COT_ERR_ARG, "the range of argument 0 is empty: 2 to 1");
    fails(cot_lint(f, V64, NULL, NULL), COT_ERR_ARG, "report");
    ck_assert_int_eq(cot_lint(NULL, V64, NULL, &report), COT_ERR_ARG);
    ck_assert_int_eq(cot_lint_graph(NULL, NULL, &report), COT_ERR_ARG);
    fails(cot_lint(f, COT_TYPES(cot_f64(), cot_f64()), NULL, &report), COT_ERR_ARG,
          "arguments");
    fails(cot_check_derivatives(f, NULL, 1), COT_ERR_ARG, "an argument is NULL");
    fails(cot_check_derivatives(f, NULL, -1), COT_ERR_ARG, "there are -1 arguments");
}
END_TEST

/* As many points as are asked for. */
START_TEST(points)
{
    ck_assert_int_eq(lint_of(FN(cube), S64, &(cot_lint_options){ .points = 5 }).points, 5);
    ck_assert_int_gt(lint_of(FN(cube), S64, NULL).points, 20);
}
END_TEST

/* The body of a scan divides by its carry, which comes to 0 in the third step. */
static void
count_down(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_sub(in[0], 1);
    out[1] = cot_div(in[1], in[0]);
}

static int line_of_division = __LINE__ - 3;

static void
loop(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];

    (void)user;
    cot_scan(count_down, .in = COT_VALUES(cot_full(t, cot_f64(), 2)), .xs = COT_VALUES(in[0]),
             .out = y, .n_out = 1);
    out[0] = y[1];
}

START_TEST(in_a_loop)
{
    const cot_lint_report report = lint_of(FN(loop), V64, NULL);

    ck_assert_int_eq(report.n, 1);
    ck_assert_str_eq(report.finding[0].op, "div");
    ck_assert_int_eq(report.finding[0].line, line_of_division);
}
END_TEST

BODY(not_small, out[0] = cot_gt(in[0], 1);)
BODY(half, out[0] = cot_mul(in[0], 0.5);)
BODY(halved, cot_while(not_small, half, .in = COT_VALUES(in[0]), .out = out);)
BODY(halved_within, cot_while(not_small, half, .in = COT_VALUES(in[0]), .out = out, .max = 64);)

START_TEST(loops_without_a_bound)
{
    finds(FN(halved), S64, NULL, "while: it has no bound");
    finds(FN(halved_within), S64, NULL, "");
}
END_TEST

static cot_array *captured;

BODY(by_captured, out[0] = cot_div(in[0], cot_capture(t, captured, NULL));)
BODY(noise, out[0] = cot_print(cot_add(in[0], cot_uniform(t, cot_f64())), "never {}");)

START_TEST(captured_values)
{
    captured = cot_array_new(ctx, cot_f64());
    *(double *)cot_array_data(captured) = 0;
    finds(FN(by_captured), S64, NULL, "div");
    *(double *)cot_array_data(captured) = 3;
    finds(FN(by_captured), S64, NULL, "");
    cot_array_free(captured);
}
END_TEST

/* Nothing is printed, and where a check does not hold nothing is found. */
BODY(checked, cot_check(cot_gt(in[0], 0), "positive"); out[0] = cot_div(1, in[0]);)

START_TEST(effects)
{
    FILE *said = tmpfile();
    const int old = dup(1);

    ck_assert(said && dup2(fileno(said), 1) >= 0);
    finds(FN(noise), S64, NULL, "");
    finds(FN(checked), S64, NULL, "");
    fflush(stdout);
    ck_assert_int_ge(dup2(old, 1), 0);
    close(old);
    ck_assert_int_eq(ftell(said), 0);
    fclose(said);
}
END_TEST

/* Through a map, at the line of the body. */
START_TEST(mapped)
{
    const cot_lint_range from = { .argument = 0, .least = 0, .most = INFINITY };

    finds(cot_vmap(cot_grad(FN(root))), M64,
          &(cot_lint_options){ .n_ranges = 1, .ranges = &from }, "sqrt, in grad, in vmap: div");
}
END_TEST

/* Rules that are right, and twice what they should be. */
RULE(plain_cube, out[0] = cot_mul(in[0], cot_mul(in[0], in[0]));)
RULE(right_rule, out[0] = cot_mul(in[2], cot_mul(3, cot_mul(in[0], in[0])));)
RULE(wrong_rule, out[0] = cot_mul(in[2], cot_mul(6, cot_mul(in[0], in[0])));)

static cot_array *
scalar(cot_dtype dtype, double x)
{
    cot_array *a = cot_array_new(ctx, cot_type_new(dtype, 0, NULL));

    if (dtype == COT_F32)
        *(float *)cot_array_data(a) = (float)x;
    else
        *(double *)cot_array_data(a) = x;
    return a;
}

START_TEST(derivatives)
{
    const cot_custom *right =
                         cot_custom_new(ctx, "right", .forward = plain_cube, .jvp = right_rule),
                     *wrong =
                         cot_custom_new(ctx, "wrong", .forward = plain_cube, .jvp = wrong_rule);
    static const cot_dtype types[] = { COT_F64, COT_F32 };

    for (int i = 0; i < 2; i++) {
        cot_array *x = scalar(types[i], 1.25);
        const cot_array *const args[] = { x };

        ck_assert_msg(cot_check_derivatives(FN(cube), args, 1) == COT_OK, "%s", cot_error(ctx));
        ck_assert_msg(cot_check_derivatives(fn_of(right), args, 1) == COT_OK, "%s",
                      cot_error(ctx));
        fails(cot_check_derivatives(fn_of(wrong), args, 1), COT_ERR_RULE,
              "derivatives disagree: jvp: result 0, element 0 has tangent");
        cot_array_free(x);
    }
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(ranges),
        ONCE(refused),
        ONCE(points),
        ONCE(in_a_loop),
        ONCE(mapped),
        ONCE(derivatives),
        ONCE(loops_without_a_bound),
        ONCE(captured_values),
        ONCE(effects),
    };
    return SUITE("lint_calls", cases);
}
