/* Effects: lines and checks happen once, in order, under every transform and back end. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "both.h"

static char said[1 << 12];

typedef struct capture {
    FILE *file;
    int old;
} capture;

static capture
listen_begin(void)
{
    capture c = { tmpfile(), dup(1) };

    fflush(stdout);
    ck_assert(c.file && dup2(fileno(c.file), 1) >= 0);
    return c;
}

static void
listen_end(capture c)
{
    fflush(stdout);
    dup2(c.old, 1);
    close(c.old);
    rewind(c.file);
    said[fread(said, 1, sizeof said - 1, c.file)] = '\0';
    fclose(c.file);
}

enum { EVALUATOR, JIT, N_BACKENDS };

/* Run f on one argument; its first result's elements as doubles. */
static cot_status
run(cot_fn *f, cot_type type, const void *x, int backend, double *y)
{
    const cot_graph *g;
    ir_graph *ready;
    double room[64];
    void *out[1] = { room };
    cot_status status = cot_trace_fn(f, COT_TYPES(type), &g);

    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    const ir_type *t = ir_type_at(g, g->out[0]);
    capture c = listen_begin();
    if (backend == EVALUATOR) {
        status = pass_prepare(g, &ready);
        if (status == COT_OK)
            status = ir_eval(ready, out, &x);
    } else {
        cot_array *in = cot_array_borrow(ctx, type, (void *)x),
                  *res = cot_array_borrow(ctx, cot_graph_out_type(g, 0), room);
        status = cot_jit(f, &res, 1, (const cot_array *const[]){ in }, 1);
        cot_array_free(in);
        cot_array_free(res);
    }
    listen_end(c);
    for (int64_t i = 0; i < t->size && status == COT_OK; i++)
        y[i] = traced_element(t->dtype, room, i);
    return status;
}

static void
says(cot_fn *f, cot_type type, const void *x, const char *want, int n, const double *figures)
{
    double y[64];

    for (int k = 0; k < N_BACKENDS; k++) {
        ck_assert_msg(run(f, type, x, k, y) == COT_OK, "%s", cot_error(ctx));
        ck_assert_str_eq(said, want);
        for (int i = 0; i < n; i++)
            ck_assert_msg(fabs(y[i] - figures[i]) < 1e-12, "%d: %g, wants %g", i, y[i],
                          figures[i]);
    }
}
#define SAYS(f, type, x, want, ...)                                                            \
    says(f, type, x, want, (int)(sizeof F64(__VA_ARGS__) / 8), F64(__VA_ARGS__))

BODY(squared, cot_value y = cot_print(cot_mul(in[0], in[0]), "y = {}, squared");
     cot_print(in[0], "x"); out[0] = cot_mul(y, 2);)

START_TEST(once_and_in_order)
{
    cot_fn *f = fn("squared", squared, 1, 1);
    const double x[3] = { 3, -1, 0.5 };

    SAYS(f, cot_f64(), x, "y = 9, squared\nx 3\n", 18);
    SAYS(cot_grad(f), cot_f64(), x, "y = 9, squared\nx 3\n", 12);
    SAYS(cot_hessian(f), cot_f64(), x, "y = 9, squared\nx 3\n", 4);
    SAYS(cot_grad(cot_checkpoint(f)), cot_f64(), x, "y = 9, squared\nx 3\n", 12);
    SAYS(f, cot_f64(3), x, "y = [9, 1, 0.25], squared\nx [3, -1, 0.5]\n", 18, 2, 0.5);
    SAYS(cot_vmap(f), cot_f64(2), x, "y = 9, squared\ny = 1, squared\nx 3\nx -1\n", 18, 2);
}
END_TEST

BODY(count, out[0] = cot_print(cot_add(in[0], 1), "at {}");)
BODY(counted, out[0] = cot_scan(count, .in = COT_VALUES(in[0]), .length = 3);)
BODY(quiet, out[0] = in[0];)
BODY(branch, out[0] = cot_cond(cot_gt(in[0], 0), count, quiet, .in = COT_VALUES(in[0]));)

START_TEST(in_control_flow)
{
    SAYS(fn("counted", counted, 1, 1), cot_f64(), F64(1), "at 2\nat 3\nat 4\n", 4);
    SAYS(cot_grad(fn("counted", counted, 1, 1)), cot_f64(), F64(1), "at 2\nat 3\nat 4\n", 1);
    SAYS(fn("branch", branch, 1, 1), cot_f64(), F64(1), "at 2\n", 2);
    SAYS(fn("branch", branch, 1, 1), cot_f64(), F64(-1), "", -1);
}
END_TEST

BODY(below_three, out[0] = cot_lt(in[0], 3);)
BODY(climbs, out[0] = cot_while(below_three, count, .in = COT_VALUES(in[0]));)
BODY(guarded_root, cot_check(cot_ge(in[0], 0), "x >= 0"); out[0] = cot_sqrt(in[0]);)
BODY(roots, out[0] = cot_cond(cot_gt(in[0], 0), guarded_root, quiet, .in = COT_VALUES(in[0]));)

/* An example has the effects of the branch that it takes, of the steps that it makes. */
START_TEST(of_those_who_come_by)
{
    cot_fn *f = fn("branch", branch, 1, 1), *g = fn("climbs", climbs, 1, 1),
           *h = fn("roots", roots, 1, 1);

    SAYS(cot_vmap(f), cot_f64(3), F64(1, -1, 4), "at 2\nat 5\n", 2, -1, 5);
    SAYS(cot_vmap(cot_grad(f)), cot_f64(3), F64(1, -1, 4), "at 2\nat 5\n", 1, 1, 1);
    SAYS(cot_vmap(cot_vmap(f)), cot_f64(2, 2), F64(1, -1, -3, 4), "at 2\nat 5\n", 2, -1, -3, 5);
    SAYS(cot_vmap(g), cot_f64(3), F64(1, 5, 0.5), "at 2\nat 3\nat 1.5\nat 2.5\nat 3.5\n", 3, 5,
         3.5);
    SAYS(cot_vmap(h), cot_f64(2), F64(4, -4), "", 2, -4);
}
END_TEST

BODY(third, out[0] = cot_print(cot_div(in[0], 3), "");)
BODY(flags, out[0] = cot_convert(cot_print(cot_gt(in[0], 0), "flags {}"), COT_F64);)
BODY(whole, out[0] = cot_convert(cot_print(cot_convert(in[0], COT_I8), "whole"), COT_F64);)
BODY(half, out[0] = cot_convert(cot_print(cot_convert(in[0], COT_F16), "half"), COT_F64);)

START_TEST(formats)
{
    SAYS(fn("third", third, 1, 1), cot_f64(), F64(1), "0.33333333333333331\n", 1 / 3.0);
    SAYS(fn("flags", flags, 1, 1), cot_f64(1, 2), F64(1, -1), "flags [[true, false]]\n", 1, 0);
    SAYS(fn("whole", whole, 1, 1), cot_f64(2), F64(1, -7), "whole [1, -7]\n", 1, -7);
    SAYS(fn("half", half, 1, 1), cot_f64(), F64(0.5), "half 0.5\n", 0.5);
    says(fn("half", half, 1, 1), cot_f64(0), F64(0.5), "half []\n", 0, NULL);
}
END_TEST

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define PLACE    __FILE__ ":" TEXT(__LINE__)
/* A body of one line, and the message that names this line. */
#define PLACED(name, message, ...)                                                             \
    BODY(name, __VA_ARGS__) static const char name##_line[] = PLACE message;
#define BELOW_9_ABOVE_0(x)                                                                     \
    cot_check(cot_lt(x, 9), "below");                                                          \
    cot_check(cot_gt(x, 0), "\\ above?")
#define THREE_STEPS(x) cot_while(below_ten, one_more, .in = COT_VALUES(x), .max = 3)

/* clang-format off: a body and its line */
PLACED(guarded, "", cot_check(cot_gt(in[0], 0), "x is positive"); out[0] = cot_log(in[0]);)
PLACED(between, "", BELOW_9_ABOVE_0(in[0]); out[0] = in[0];)
BODY(below_ten, out[0] = cot_lt(in[0], 10);)
BODY(one_more, out[0] = cot_add(in[0], 1);)
PLACED(steps, ": while: still goes on after 3 steps", out[0] = THREE_STEPS(in[0]);)
/* clang-format on */

static void
breaks(cot_fn *f, cot_type type, const void *x)
{
    double y[64];

    for (int k = 0; k < N_BACKENDS; k++) {
        ck_assert_int_eq(run(f, type, x, k, y), COT_ERR_FOREIGN);
        ck_assert_msg(strstr(cot_error(ctx), "check \"x is positive\" failed"), "%s",
                      cot_error(ctx));
        ck_assert_msg(strstr(cot_error(ctx), guarded_line), "%s wants %s", cot_error(ctx),
                      guarded_line);
        cot_error_clear(ctx);
    }
}

START_TEST(checks)
{
    cot_fn *f = fn("guarded", guarded, 1, 1);

    SAYS(f, cot_f64(), F64(1), "", 0);
    SAYS(cot_grad(f), cot_f64(), F64(2), "", 0.5);
    SAYS(cot_vmap(f), cot_f64(2), F64(1, 1), "", 0, 0);
    breaks(f, cot_f64(), F64(-1));
    breaks(f, cot_f64(3), F64(1, 2, -1));
    breaks(cot_grad(f), cot_f64(), F64(-1));
    breaks(cot_vmap(f), cot_f64(3), F64(1, -1, 2));
    breaks(cot_vmap(cot_grad(f)), cot_f64(3), F64(1, -1, 2));
}
END_TEST

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED "-fsanitize=address,undefined"
#else
#define SANITIZED ""
#endif

#define LINKED(name) "libcotrace_rt.a, which has " name

/* An object prints through libcotrace_rt.a, and answers a status where a check fails. */
static void
by_object(cot_fn *f, const char *x, int answers, const char *want, const char *links)
{
    char folder[] = "/tmp/cotrace-XXXXXX", path[96], header[96], line[512];
    const cot_export e = { f, COT_TYPES(cot_f64()), "effects_f" };

    ck_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/main.c", folder);
    FILE *file = fopen(path, "w");
    fprintf(file,
            "#include <stdio.h>\n#include \"f.h\"\n#ifdef EFFECTS_F_STATUS_TEXT\n"
            "#define EFFECTS_F_SAYS(s) EFFECTS_F_STATUS_TEXT(s)\n#else\n"
            "#define EFFECTS_F_SAYS(s) \"\"\n#endif\nint main(void)\n{\n"
            "    static double work[512] __attribute__((aligned(64)));\n"
            "    double x = %s, y;\n    int status = effects_f(&x, &y, work);\n"
            "    fputs(EFFECTS_F_SAYS(status), stdout);\n    return status != 0;\n}\n",
            x);
    fclose(file);
    snprintf(path, sizeof path, "%s/f.o", folder);
    snprintf(header, sizeof header, "%s/f.h", folder);
    ck_assert_msg(cot_build_object(ctx, &e, 1, NULL, path, header) == COT_OK, "%s",
                  cot_error(ctx));
    snprintf(line, sizeof line, "grep -qxF ' * Links with %s.' %s",
             links, header);
    ck_assert_msg(system(line) == 0, "%s", line);
    snprintf(line, sizeof line, "cd %s && cc %s -I. main.c f.o '%s' -lpthread -o f && ./f",
             folder, SANITIZED, COT_RT_LIBRARY);
    capture c = listen_begin();
    int status = system(line);
    listen_end(c);
    ck_assert_msg((status != 0) == answers, "%s: %d", line, status);
    ck_assert_str_eq(said, want);
    snprintf(line, sizeof line, "rm -r %s", folder);
    ck_assert_int_eq(system(line), 0);
}

static void
collect(void *user, const char *text, size_t n)
{
    *(char **)user = strndup(text, n);
}

/* Names and texts from C are any text; what a dump says of them is read again. */
START_TEST(texts)
{
    cot_fn *f = fn("my loss (v2)/a", guarded, 1, 1);
    char *text = NULL, *again = NULL;
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64()), &g), COT_OK);
    ck_assert_int_eq(cot_dump_graph(g, collect, &text), COT_OK);
    ck_assert_ptr_nonnull(strstr(text, "fn @my_loss__v2__a("));
    ck_assert_ptr_nonnull(strstr(text, "fn @check__x_is_positive_.types("));
    ck_assert_msg(cot_parse(ctx, "t", text, strlen(text), NULL, &g) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(cot_dump_graph(g, collect, &again), COT_OK);
    ck_assert_str_eq(again, text);
    free(text);
    free(again);
}
END_TEST

START_TEST(objects)
{
    by_object(cot_grad(fn("squared", squared, 1, 1)), "3", 0, "y = 9, squared\nx 3\n",
              LINKED("cot_rt_print_f64"));
    by_object(fn("guarded", guarded, 1, 1), "3", 0, "", LINKED("cot_rt_check"));
    char text[256];
    snprintf(text, sizeof text, "%s: check \"x is positive\" failed", guarded_line);
    by_object(fn("guarded", guarded, 1, 1), "-3", 1, text, LINKED("cot_rt_check"));
    snprintf(text, sizeof text,
             "one of: %s: check \"below\" failed; %s: check \"\\ above?\" failed",
             between_line, between_line);
    by_object(fn("between", between, 1, 1), "-3", 1, text, LINKED("cot_rt_check"));
    by_object(fn("steps", steps, 1, 1), "-3", 1, steps_line, "nothing of Cotrace");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "order", once_and_in_order, 1 },
        { "flow", in_control_flow, 1 },
        { "taken", of_those_who_come_by, 1 },
        ONCE(formats),
        ONCE(checks),
        ONCE(texts),
        ONCE(objects),
    };

    return SUITE("effects", cases);
}
