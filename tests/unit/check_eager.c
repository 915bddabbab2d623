/* cot_eval and cot_eval_all: bodies on arrays, at once. */
#include "tests/unit/valued.h"

static int traced;

BODY(product, traced++; out[0] = cot_matmul(in[0], in[1]);)
BODY(both, out[0] = cot_reduce_sum(in[0]); out[1] = cot_sort(in[0], 0);)
BODY(wrong, out[0] = cot_add(in[0], in[1]);)
BODY(in_place, out[0] = cot_add(cot_constant(t, cot_f64(2), (double[]){ 1, 2 }), in[0]);)
BODY(none, out[0] = cot_iota(t, cot_i32(3), 0);)
BODY(drawn, out[0] = cot_uniform(t, cot_f64(2));)
BODY(told, (void)out; cot_trace_fail(t, "no number here"); out[0] = in[0];)

static cot_array *
numbers(cot_context *ctx, cot_type type, const double *x)
{
    cot_array *a = cot_array_copy(ctx, type, x);

    ck_assert_ptr_nonnull(a);
    return a;
}

static double
first(const cot_array *a)
{
    ck_assert_ptr_nonnull(a);
    return ((const double *)cot_array_read(a))[0];
}

START_TEST(values)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *x = numbers(ctx, cot_f64(1, 2), AT(2, 3)),
              *y = numbers(ctx, cot_f64(2, 1), AT(10, 1));
    cot_array *z = cot_eval(ctx, product, x, y), *i = cot_eval(ctx, none);
    const cot_type t = cot_array_type(z);

    ck_assert_double_eq(first(z), 23);
    ck_assert_int_eq(t.rank, 2);
    ck_assert_int_eq(((const int32_t *)cot_array_read(i))[2], 2);
    cot_array_free(z), cot_array_free(i);
    cot_array_free(x), cot_array_free(y);
    cot_context_free(ctx);
}
END_TEST

START_TEST(all_results)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *x = numbers(ctx, cot_f64(3), AT(3, 1, 2)), *y[2] = { NULL };

    ck_assert_int_eq(cot_eval_all(ctx, both, y, 2, (const cot_array *const[]){ x }, 1), COT_OK);
    ck_assert_double_eq(first(y[0]), 6);
    ck_assert_double_eq(((const double *)cot_array_read(y[1]))[2], 3);
    /* an array that is there is filled */
    cot_array *kept = y[1];
    ck_assert_int_eq(cot_eval_all(ctx, both, y, 2, (const cot_array *const[]){ y[1] }, 1),
                     COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_eval_all(ctx, both, y, 2, (const cot_array *const[]){ x }, 1), COT_OK);
    ck_assert_ptr_eq(y[1], kept);
    cot_array_free(x), cot_array_free(y[0]), cot_array_free(y[1]);
    cot_context_free(ctx);
}
END_TEST

/* Several arrays may be written where they are used, as for cot_jit, and the elements of a
 * constant. */
START_TEST(arrays_in_place)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *x = numbers(ctx, cot_f64(1, 2), AT(2, 3)),
              *y = numbers(ctx, cot_f64(2, 1), AT(10, 1)), *z = NULL;

    ck_assert_int_eq(cot_eval_all(ctx, product, &z, 1, (const cot_array *const[]){ x, y }, 2),
                     COT_OK);
    ck_assert_double_eq(first(z), 23);
    cot_array_free(z);
    z = cot_eval(ctx, in_place, x);
    ck_assert_double_eq(first(z), 3);
    cot_array_free(x), cot_array_free(y), cot_array_free(z);
    cot_context_free(ctx);
}
END_TEST

/* A loop of calls traces once for each list of types. */
START_TEST(a_loop_traces_once)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *x = numbers(ctx, cot_f64(1, 1), AT(2)),
              *wide = numbers(ctx, cot_f64(1, 2), AT(1, 2));

    traced = 0;
    for (int k = 0; k < 20; k++) {
        cot_array *y = cot_eval(ctx, product, x, x), *z = cot_eval(ctx, product, x, wide);
        ck_assert_double_eq(first(y), 4);
        ck_assert_double_eq(first(z), 2);
        cot_array_free(y), cot_array_free(z);
    }
    ck_assert_int_eq(traced, 2);
    cot_array_free(x), cot_array_free(wide);
    cot_context_free(ctx);
}
END_TEST

START_TEST(draws_advance)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *a = cot_eval(ctx, drawn), *b = cot_eval(ctx, drawn);

    ck_assert_double_ne(first(a), first(b));
    cot_array_free(a), cot_array_free(b);
    cot_context_free(ctx);
}
END_TEST

static void
fails(cot_context *ctx, cot_array *y, cot_status status, const char *want)
{
    ck_assert_ptr_null(y);
    ck_assert_int_eq(cot_error_status(ctx), status);
    ck_assert_msg(strstr(cot_error(ctx), want) && strstr(cot_error(ctx), "check_eager.c:"),
                  "%s", cot_error(ctx));
    cot_error_clear(ctx);
}

START_TEST(mistakes)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_array *x = numbers(ctx, cot_f64(2), AT(1, 2)),
              *y = numbers(ctx, cot_f64(3), AT(1, 2, 3));

    fails(ctx, cot_eval(ctx, wrong, x, y), COT_ERR_SHAPE, "add: ");
    fails(ctx, cot_eval(ctx, told, x), COT_ERR_ARG, "no number here");
    fails(ctx, cot_eval(ctx, wrong, x, NULL), COT_ERR_ARG,
          "eval: cot_eval: an argument is NULL");
    fails(ctx, cot_eval(ctx, NULL, x), COT_ERR_ARG, "eval: name or body is NULL");
    ck_assert_int_eq(cot_eval_all(ctx, both, NULL, 2, (const cot_array *const[]){ x }, 1),
                     COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_eval(NULL, wrong, x, x));
    cot_array *z = cot_eval(ctx, wrong, x, x);      /* and the context works as before */
    ck_assert_double_eq(first(z), 2);
    cot_array_free(x), cot_array_free(y), cot_array_free(z);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(values),        ONCE(all_results), ONCE(arrays_in_place), ONCE(a_loop_traces_once),
        ONCE(draws_advance), ONCE(mistakes),
    };

    return SUITE("eager", cases);
}
