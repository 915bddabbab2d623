/* Special functions as users have them: derivatives where values overflow, arguments beyond the usual domain. */
#include "both.h"

BODY(length, out[0] = cot_reduce_sum(cot_hypot(in[0], in[1]));)

/* x / h, also where h is infinite: by the direction of finite operands, and along an infinite one. */
START_TEST(directions_of_hypot)
{
    const double x[] = { 3, 0, 1.5e308, -1.5e308, INFINITY, -INFINITY, 2 }, y[] = { 4, 0, 1.5e308, 0, 5, 7, INFINITY };
    const double h = sqrt(0.5);

    GIVES(cot_grad(fn("f", length, 2, 1), .wrt = COT_LIST(0, 1)), COT_TYPES(cot_f64(7), cot_f64(7)), IN(x, y),
          0.6, 0, h, -1, 1, -1, 0, 0.8, 0, h, 0, 0, 0, 1);
}
END_TEST

int
main(void)
{
    const traced_case cases[] = {
        { "hypot", directions_of_hypot, 0 },
    };

    return TRACED_CASES("special_use", cases, begin, end);
}
