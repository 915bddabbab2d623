/* A branch in C on the rank of a value: inside vmap it is the rank of one example. */
#include "harness.h"

static void
custom_dot(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value square = cot_mul(in[0], in[0]);

    (void)t, (void)user;
    out[0] = cot_rank(in[0]) == 1 ? cot_reduce_sum(square) : square;
}

int
main(void)
{
    harness c = harness_begin("custom_dot");
    cot_fn *f = cot_fn_new(c.ctx, "custom_dot", custom_dot, 1, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f32(3), 1, -2, 3);
    cot_array *m = ARRAY(&c, cot_f32(2, 3), 1, 2, 3, 4, 5, 6);

    by_back_ends(&c, "vmap(f)([1, -2, 3])", cot_vmap(f), ARRAYS(x), EXACT(1, 4, 9));
    by_back_ends(&c, "vmap(f)([[1, 2, 3], [4, 5, 6]])", cot_vmap(f), ARRAYS(m), EXACT(14, 77));
    by_back_ends(&c, "f([1, -2, 3])", f, ARRAYS(x), EXACT(14));
    return harness_end(&c);
}
