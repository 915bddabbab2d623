/* y = clone(x); v = y.view(-1); v += 1; y * x: without the write, and without the view. */
#include "harness.h"

static void
plus_one(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y = cot_clone(in[0]), v = cot_view_reshape(y, -1);

    (void)t, (void)user;
    cot_add_assign(v, 1);
    out[0] = cot_mul(y, in[0]);
}

int
main(void)
{
    harness c = harness_begin("functionalize");
    cot_array *x = ARRAY(&c, cot_f32(2, 2), 1, 2, 3, 4);
    cot_fn *f = cot_fn_new(c.ctx, "f", plus_one, 1, 1, NULL);

    by_back_ends(&c, "f(x)", f, ARRAYS(x), EXACT(2, 6, 12, 20));
    by_back_ends(&c, "without mutations", cot_functionalize(f), ARRAYS(x), EXACT(2, 6, 12, 20));
    by_back_ends(&c, "without mutations and views",
                 cot_functionalize(f, .remove = COT_REMOVE_MUTATIONS_AND_VIEWS), ARRAYS(x),
                 EXACT(2, 6, 12, 20));
    return harness_end(&c);
}
