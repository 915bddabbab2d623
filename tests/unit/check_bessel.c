/* Bessel functions Y and K and the exponential integral: values, first and second derivatives,
 * what they are at the ends, other types. */
#include "tests/unit/valued.h"

BODY(one_bessel_k0, out[0] = cot_bessel_k0(in[0]);)
BODY(one_bessel_k1, out[0] = cot_bessel_k1(in[0]);)
BODY(one_bessel_y0, out[0] = cot_bessel_y0(in[0]);)
BODY(one_bessel_y1, out[0] = cot_bessel_y1(in[0]);)
BODY(one_expi, out[0] = cot_expi(in[0]);)

/* The derivative of the order, 1 or 2, at each element of x. */
static cot_value
slopes(cot_trace *t, cot_body *body, int order, cot_value x)
{
    cot_fn *f = cot_fn_new(cot_trace_context(t), "f", body, 1, 1, NULL);

    for (int k = 0; k < order; k++)
        f = cot_grad(f);
    return cot_call(cot_vmap(f), x);
}

#define VALUED_ROWS "integrals.def"
#include "tests/unit/valued_rows.h"

BODY(first_of_expi, out[0] = slopes(t, one_expi, 1, in[0]);)
BODY(second_of_expi, out[0] = slopes(t, one_expi, 2, in[0]);)

BODY(near_the_end, out[0] = cot_div(slopes(t, one_expi, 1, in[0]), in[1]);
     out[1] = cot_div(slopes(t, one_expi, 2, in[0]), in[2]);)

/* Where e^x overflows and e^x / x does not, up to half of the largest number. */
START_TEST(last_slopes_of_expi)
{
    const double x[] = { 705, 711, 714, 715 };
    double first[4], second[4], y[2][4];
    const void *in[] = { x, first, second };
    cot_context *ctx = cot_context_new(NULL);
    cot_array *args[3], *results[2] = { NULL };

    for (int i = 0; i < 4; i++) {
        first[i] = exp(x[i] - 700) / x[i] * exp(700);
        second[i] = first[i] * (1 - 1 / x[i]);
    }
    for (int i = 0; i < 3; i++)
        args[i] = cot_array_copy(ctx, cot_f64(4), in[i]);
    ck_assert_int_eq(cot_eval_all(ctx, near_the_end, results, 2,
                                  (const cot_array *const *)args, 3),
                     COT_OK);
    for (int k = 0; k < 2; k++)
        memcpy(y[k], cot_array_read(results[k]), sizeof y[k]);
    for (int i = 0; i < 4; i++) {
        ck_assert_double_eq_tol(y[0][i], 1, 1e-14);
        ck_assert_double_eq_tol(y[1][i], 1, 1e-13);
    }
    for (int i = 0; i < 3; i++)
        cot_array_free(args[i]);
    for (int k = 0; k < 2; k++)
        cot_array_free(results[k]);
    cot_context_free(ctx);
}
END_TEST

/* Beyond the range Ei is infinite with its derivatives; at its pole the first one is, too. */
START_TEST(ends_of_expi)
{
    const double inf = INFINITY;
    const void *const in[] = { AT(718, 800, inf, 0) };

    body_gives("first", first_of_expi, COT_TYPES(cot_f64(4)), in, cot_f64(4),
               AT(inf, inf, inf, inf), 0);
    body_gives("second", second_of_expi, COT_TYPES(cot_f64(3)), in, cot_f64(3),
               AT(inf, inf, inf), 0);
}
END_TEST

/* Other types compute in f64 and round once. */
BODY(in_f32, cot_value x = cot_convert(in[0], COT_F32);
     cot_value y[] = { cot_bessel_k0(x), cot_bessel_k1(x), cot_bessel_y0(x), cot_bessel_y1(x),
                       cot_expi(x) };
     cot_value z[] = { cot_bessel_k0(in[0]), cot_bessel_k1(in[0]), cot_bessel_y0(in[0]),
                       cot_bessel_y1(in[0]), cot_expi(in[0]) };
     cot_value wrong = cot_full(t, cot_i32(), 0);
     for (int k = 0; k < 5; k++) wrong = cot_add(
         wrong, cot_reduce_sum(cot_convert(cot_ne(y[k], cot_convert(z[k], COT_F32)), COT_I32)));
     out[0] = wrong;)
BODY(in_f16, cot_value x = cot_convert(in[0], COT_F16);
     out[0] = cot_convert(cot_expi(x), COT_F64);)

START_TEST(other_types)
{
    const void *const in[] = { AT(0.25, 1.5, 3, 12) };

    body_gives("f32", in_f32, COT_TYPES(cot_f64(4)), in, cot_i32(), AT(0), 0);
    body_gives("f16", in_f16, COT_TYPES(cot_f64(4)), in, cot_f64(4),
               AT(-0.54248046875, 3.30078125, 9.9375, 14960), 0);
}
END_TEST

BODY(bad_int, out[0] = cot_bessel_y0(cot_convert(in[0], COT_I32));)
BODY(bad_complex, out[0] = cot_expi(cot_complex(in[0], in[0]));)

START_TEST(mistakes)
{
    static const mistake bad[] = { { "int", bad_int, "bessel_y0: operand is i32[2]" },
                                   { "complex", bad_complex, "expi: operand is c128[2]" } };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        valued_mistake(&bad[k], "check_bessel.c:", cot_f64(2), cot_f64());
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ROWS,
        ONCE(last_slopes_of_expi),
        ONCE(ends_of_expi),
        ONCE(other_types),
        ONCE(mistakes),
    };

    return SUITE("bessel", cases);
}
