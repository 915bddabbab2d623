/* A batched dot product whose arguments are the fields of a struct: which of them are mapped is
 * said by name. */
#include "harness.h"

struct xy {
    cot_value x, y;
};

static void
dot(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct xy *a = COT_STRUCT(struct xy, in);

    (void)t, (void)user;
    out[0] = cot_dot(a->x, a->y);
}

int
main(void)
{
    harness c = harness_begin("dot_struct");
    cot_array *x = ARRAY(&c, cot_f32(2, 5), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    cot_array *y = ARRAY(&c, cot_f32(5), 1, -1, 2, -2, 3);
    cot_fn *f = cot_fn_named(cot_fn_new(c.ctx, "dot", dot, 2, 1, NULL), "x, y", NULL);

    by_back_ends(&c, "in_dims x:0, y:none", cot_vmap(f, .in_dims = COT_DIMS("x:0, y:none")),
                 ARRAYS(x, y), EXACT(12, 27));
    by_back_ends(&c, "the same as a pipeline", cot_pipeline(f, "vmap(in=[{x:0, y:none}])"),
                 ARRAYS(x, y), EXACT(12, 27));
    return harness_end(&c);
}
