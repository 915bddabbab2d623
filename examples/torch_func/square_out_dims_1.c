/* The mapped axis of the result need not be the first: out_dims says where it goes. */
#include "harness.h"

static void
square(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], in[0]);
}

int
main(void)
{
    harness c = harness_begin("square_out_dims_1");
    cot_fn *f = cot_fn_new(c.ctx, "square", square, 1, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f32(2, 5), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

    by_back_ends(&c, "vmap(square, out_dims=1)(X)", cot_vmap(f, .out_dims = COT_ALL(1)),
                 ARRAYS(x), EXACT(1, 36, 4, 49, 9, 64, 16, 81, 25, 100));
    return harness_end(&c);
}
