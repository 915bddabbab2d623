/* One vector for all examples: COT_NONE maps nothing of the second argument. */
#include "harness.h"

static void
dot(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_dot(in[0], in[1]);
}

int
main(void)
{
    harness c = harness_begin("dot_0_none");
    cot_fn *f = cot_fn_new(c.ctx, "dot", dot, 2, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f32(2, 5), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    cot_array *y = ARRAY(&c, cot_f32(5), 1, -1, 2, -2, 3);

    by_back_ends(&c, "vmap(dot, in_dims=(0, none))(X, y)",
                 cot_vmap(f, .in_dims = COT_LIST(0, COT_NONE)), ARRAYS(x, y), EXACT(12, 27));
    return harness_end(&c);
}
