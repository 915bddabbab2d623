/* Kummer's function: values and derivatives by each argument, reverse mode against differences,
 * what it is at the ends, other types, elements of an array as alone. */
#include "tests/unit/both.h"
#include "tests/unit/valued.h"

static cot_value
one_hyp1f1(const cot_value *x)
{
    return cot_hyp1f1(x[0], x[1], x[2]);
}

BODY(scalar_hyp1f1, out[0] = one_hyp1f1(in);)

/* The derivative of the orders i, k, m by a, b, x at each element. */
static cot_value
slope(cot_trace *t, int i, int k, int m, const cot_value *in)
{
    cot_fn *f = cot_fn_new(cot_trace_context(t), "f", scalar_hyp1f1, 3, 1, NULL);

    for (; i > 0; i--)
        f = cot_grad(f, .wrt = COT_LIST(0));
    for (; k > 0; k--)
        f = cot_grad(f, .wrt = COT_LIST(1));
    for (; m > 0; m--)
        f = cot_grad(f, .wrt = COT_LIST(2));
    return cot_call(cot_vmap(f), in[0], in[1], in[2]);
}

#define VALUED_ROWS "hypergeometric.def"
#include "tests/unit/valued_rows.h"

/* At the poles, with arguments that are not finite, and where the terms are too many. */
BODY(edges, out[0] = cot_hyp1f1(1, in[0], 2); out[1] = cot_hyp1f1(1, 2, in[1]);
     out[2] = cot_hyp1f1(in[2], 2, 3);)

START_TEST(ends)
{
    const double poles[3] = { 0, -1, -7 }, x[3] = { NAN, 0, -0.0 },
                 a[3] = { 1e9, NAN, INFINITY };
    double got[9];

    ck_assert_int_eq(results(fn("f", edges, 3, 3),
                             COT_TYPES(cot_f64(3), cot_f64(3), cot_f64(3)), IN(poles, x, a),
                             got),
                     9);
    for (int i = 0; i < 3; i++)
        ck_assert(isinf(got[i]) && got[i] > 0);
    ck_assert(isnan(got[3]) && got[4] == 1 && got[5] == 1);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(isnan(got[6 + i]) || isinf(got[6 + i]), "element %d is %g", i,
                      got[6 + i]);
}
END_TEST

/* Each element ends its own sums, however many terms its neighbours take. */
START_TEST(each_element_is_as_alone)
{
    double p[3][4] = { { 0.5, 3.25, -2, 7 }, { 1.5, 2.75, 0.5, 4 }, { 0.1, -3, 150, -400 } };
    double all[4], one[1];
    const cot_type many = cot_f64(4), single = cot_f64(1);

    ck_assert_int_eq(results(fn("f", scalar_hyp1f1, 3, 1), COT_TYPES(many, many, many),
                             IN(p[0], p[1], p[2]), all),
                     4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(results(fn("f", scalar_hyp1f1, 3, 1),
                                 COT_TYPES(single, single, single),
                                 IN(p[0] + i, p[1] + i, p[2] + i), one),
                         1);
        ck_assert_msg(one[0] == all[i], "element %d: %a alone, %a beside others", i, one[0],
                      all[i]);
    }
}
END_TEST

/* Other types compute in f64 and round once; numbers and arrays broadcast. */
BODY(in_f32, cot_value x = cot_convert(in[0], COT_F32);
     out[0] = cot_sub(cot_convert(cot_hyp1f1(0.5, 1.5, x), COT_F64),
                      cot_convert(cot_convert(cot_hyp1f1(0.5, 1.5, in[0]), COT_F32), COT_F64));)

START_TEST(other_types)
{
    double got[4];

    ck_assert_int_eq(results(fn("f", in_f32, 1, 1), COT_TYPES(cot_f64(4)),
                             IN(F64(0.25, -1.5, 80, -300)), got),
                     4);
    for (int i = 0; i < 4; i++)
        ck_assert(got[i] == 0);
}
END_TEST

BODY(bad_int, out[0] = cot_hyp1f1(cot_convert(in[0], COT_I32), 1, 2);)
BODY(bad_shapes, out[0] = cot_hyp1f1(in[0], in[1], 2);)

START_TEST(mistakes)
{
    static const mistake bad[] = { { "int", bad_int, "hyp1f1: operand is i32[2]" },
                                   { "shapes", bad_shapes, "hyp1f1: " } };

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        valued_mistake(&bad[k], "check_hyp1f1.c:", cot_f64(2), cot_f64(3));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = { ROWS, ONCE(ends), ONCE(each_element_is_as_alone),
                                 ONCE(other_types), ONCE(mistakes) };

    return SUITE("hyp1f1", cases);
}
