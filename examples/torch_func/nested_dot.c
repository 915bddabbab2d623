/* Two levels of vmap: each removes one axis, and dot sees vectors. */
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
    harness c = harness_begin("nested_dot");
    cot_fn *f = cot_fn_new(c.ctx, "dot", dot, 2, 1, NULL);
    double a[30], b[30];

    for (int i = 0; i < 30; i++) {
        a[i] = i;
        b[i] = i % 7 - 3;
    }
    cot_array *x = harness_array(&c, cot_f32(2, 3, 5), a);
    cot_array *y = harness_array(&c, cot_f32(2, 3, 5), b);
    by_back_ends(&c, "vmap(vmap(dot))(A, B)", cot_vmap(cot_vmap(f)), ARRAYS(x, y),
                 EXACT(0, -18, 32, 10, -70, 16));
    return harness_end(&c);
}
