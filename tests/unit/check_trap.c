/* cot_options.trap: the first NaN ends a call, whatever back end was asked for. */
#include "tests/unit/traced.h"

BODY(over, out[0] = cot_div(in[0], in[1]);)

static cot_status
run_over(cot_context *c, const char *backend, double x, double y)
{
    cot_array *a = cot_array_new(c, cot_f64()), *b = cot_array_new(c, cot_f64()),
              *r = cot_array_new(c, cot_f64());
    cot_kernel *k;

    *(double *)cot_array_data(a) = x;
    *(double *)cot_array_data(b) = y;
    ck_assert_int_eq(cot_compile(cot_fn_new(c, "over", over, 2, 1, NULL),
                                 COT_TYPES(cot_f64(), cot_f64()),
                                 &(cot_compile_options){ .backend = backend }, &k),
                     COT_OK);
    const cot_status s =
        cot_run(k, (cot_array *const[]){ r }, (const cot_array *const[]){ a, b });
    cot_kernel_free(k);
    cot_array_free(a);
    cot_array_free(b);
    cot_array_free(r);
    return s;
}

static void
stops(cot_context *c, cot_status got, const char *text)
{
    ck_assert_int_eq(got, COT_ERR_FOREIGN);
    ck_assert_msg(strstr(cot_error(c), text) != NULL, "%s; wants %s", cot_error(c), text);
    cot_error_clear(c);
}

START_TEST(first_nan)
{
    cot_context *c = cot_context_new(&(cot_options){ .trap = 1 });
    static const char *const backend[] = { NULL, "eval", "jit", "c" };

    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(run_over(c, backend[i], 1, 2), COT_OK);
        ck_assert_int_eq(run_over(c, backend[i], 1, 0), COT_OK); /* an infinity is none */
        stops(c, run_over(c, backend[i], 0, 0), "check_trap.c:4: div: div(0, 0) is nan");
        stops(c, run_over(c, backend[i], NAN, 0), "argument 0 has a NaN");
    }
    cot_context_free(c);
}
END_TEST

/* The carry of a scan comes to 0 in its third step: at the line of the body. */
BODY(step, out[0] = cot_sub(in[0], 1); out[1] = cot_div(cot_sub(in[0], in[0]), in[0]);)
BODY(loop, cot_value y[2]; cot_scan(step, .in = COT_VALUES(cot_full(t, cot_f64(), 2)),
                                    .xs = COT_VALUES(in[0]), .out = y, .n_out = 1);
     out[0] = y[1];)

START_TEST(in_a_loop)
{
    cot_context *c = cot_context_new(&(cot_options){ .trap = 1 });
    cot_array *x = cot_array_new(c, cot_f64(3)), *y = NULL;

    memset(cot_array_data(x), 0, 3 * sizeof(double));
    stops(c, cot_jit(cot_fn_new(c, "loop", loop, 1, 1, NULL), &y, 1,
                     (const cot_array *const[]){ x }, 1),
          "check_trap.c:52: div: div(0, 0) is nan");
    cot_array_free(x);
    cot_array_free(y);
    cot_context_free(c);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ONCE(first_nan), ONCE(in_a_loop) };
    return SUITE("trap", cases);
}
