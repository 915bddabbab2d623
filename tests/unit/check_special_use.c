/* Special functions as users have them: derivatives where values overflow, arguments beyond the
 * usual domain. */
#include "both.h"

BODY(length, out[0] = cot_reduce_sum(cot_hypot(in[0], in[1]));)

/* x / h, also where h is infinite: by the direction of finite operands, and along an infinite
 * one. */
START_TEST(directions_of_hypot)
{
    const double x[] = { 3, 0, 1.5e308, -1.5e308, INFINITY, -INFINITY, 2 },
                 y[] = { 4, 0, 1.5e308, 0, 5, 7, INFINITY };
    const double h = sqrt(0.5);

    GIVES(cot_grad(fn("f", length, 2, 1), .wrt = COT_LIST(0, 1)),
          COT_TYPES(cot_f64(7), cot_f64(7)), IN(x, y),
          0.6, 0, h, -1, 1, -1, 0, 0.8, 0, h, 0, 0, 0, 1);
}
END_TEST

BODY(zetas, out[0] = cot_zeta(in[0], in[1]);)
BODY(sum_zetas, out[0] = cot_reduce_sum(cot_zeta(cot_stop_gradient(in[0]), in[1]));)
BODY(polygammas, out[0] = cot_polygamma(in[0], in[1]);)

/* Left of 0, as SciPy's sum has it (digits by mpmath); the derivative by y is -x zeta(x + 1,
 * y). */
START_TEST(zeta_left_of_zero)
{
    const double x[] = { 2, 3, 2, 5, 12, 2, 2.5, 3, 2 },
        y[] = { -0.5, -0.25, -7.75, -100.3, -2.5, -12345.678, -0.5, -4, -1e-200 };
    const double want[] = { 8.93480220054467931, -61.3486833918311802, 19.6181443343522895,
                            -405.781679241513377, 8192.01544855964172,
                            13.7352138627617465, NAN, INFINITY, INFINITY };

    gives(fn("f", zetas, 2, 1), COT_TYPES(cot_f64(9), cot_f64(9)), IN(x, y), 9, want);
    GIVES(cot_grad(fn("f", sum_zetas, 2, 1), .wrt = COT_LIST(1)),
          COT_TYPES(cot_f64(1), cot_f64(1)), IN(F64(2), F64(-0.25)), 2 * 61.3486833918311802);
    GIVES(fn("f", polygammas, 2, 1), COT_TYPES(cot_f64(2), cot_f64(2)),
          IN(F64(1, 5), F64(-0.5, -2.25)), 8.93480220054467931, 492231.135504470091);
}
END_TEST

BODY(angles, out[0] = cot_mul(cot_sub(cot_atan2(in[0], in[1]), 1.5707963267948966), 0x1p52);)

/* pi/2 on the axis, to the last bit, from both sides. */
START_TEST(right_angles)
{
    GIVES(fn("f", angles, 2, 1), COT_TYPES(cot_f64(5), cot_f64(5)),
          IN(F64(1, 1, INFINITY, INFINITY, 1e300), F64(0.0, -0.0, 5, -5, -0.0)), 0, 0, 0, 0, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "hypot", directions_of_hypot, 0 },
        { "zeta", zeta_left_of_zero, 0 },
        { "atan2", right_angles, 0 },
    };

    return SUITE("special_use", cases);
}
