/* What vmap means: the function on each example, and the results stacked. */
#include "harness.h"

static void
sum_of_squares(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], in[0]));
}

int
main(void)
{
    static const double want[] = { 5, 25, 61 };
    harness c = harness_begin("for_loop_model");
    cot_fn *f = cot_fn_new(c.ctx, "sum_of_squares", sum_of_squares, 1, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f32(3, 2), 1, 2, 3, 4, 5, 6);

    by_back_ends(&c, "vmap(f)(x)", cot_vmap(f), ARRAYS(x), EXACT(5, 25, 61));
    for (int i = 0; i < 3; i++) {
        cot_array *row = ARRAY(&c, cot_f32(2), 2 * i + 1, 2 * i + 2);
        by_back_ends(&c, "f of one example", f, ARRAYS(row), EXACT(want[i]));
    }
    return harness_end(&c);
}
