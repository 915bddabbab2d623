/* An optional argument: its default where it is not passed, and never mapped where it is. */
#include "harness.h"

static void
scaled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0], scale = in[1];

    (void)t, (void)user;
    out[0] = cot_mul(x, scale);
}

int
main(void)
{
    harness c = harness_begin("scale_optional");
    cot_array *x = ARRAY(&c, cot_f32(2, 5), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    cot_fn *f = cot_fn_optional(cot_fn_new(c.ctx, "scaled", scaled, 1, 1, NULL), "scale", 4.0);

    by_back_ends(&c, "vmap(f)(X)", cot_vmap(f), ARRAYS(x),
                 EXACT(4, 8, 12, 16, 20, 24, 28, 32, 36, 40));
    by_back_ends(
        &c, "vmap(f)(X, scale=X)", cot_taking(cot_vmap(f), "scale"), ARRAYS(x, x),
        EXACT(1, 4, 9, 16, 25, 6, 14, 24, 36, 50, 6, 14, 24, 36, 50, 36, 49, 64, 81, 100));
    by_back_ends(&c, "vmap(f)(X, scale=0.5)", cot_with(cot_vmap(f), "scale", 0.5), ARRAYS(x),
                 EXACT(.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5));
    return harness_end(&c);
}
