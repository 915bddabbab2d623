/* torch's add(x, y, out=dst): a destination is written in place.  One made inside the function
 * works under vmap; an argument that is not mapped is refused. */
#include "harness.h"

static void
add_into_local(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value dst = cot_zeros(t, cot_f32(2));

    (void)user;
    cot_assign(dst, cot_add(in[0], in[1]));
    out[0] = dst;
}

static void
add_into(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_assign(in[2], cot_add(in[0], in[1]));
}

int
main(void)
{
    harness c = harness_begin("out_argument");
    cot_array *x = ARRAY(&c, cot_f32(3, 2), 1, 2, 3, 4, 5, 6),
              *y = ARRAY(&c, cot_f32(2), 10, 20);
    cot_array *dst = ARRAY(&c, cot_f32(2), 0, 0);

    by_back_ends(&c, "into a local value",
                 cot_vmap(cot_fn_new(c.ctx, "f", add_into_local, 2, 1, NULL),
                          .in_dims = COT_LIST(0, COT_NONE)),
                 ARRAYS(x, y), EXACT(11, 22, 13, 24, 15, 26));
    refused(&c, "into an unmapped argument",
            cot_vmap(cot_fn_new(c.ctx, "g", add_into, 3, 1, NULL),
                     .in_dims = COT_LIST(0, COT_NONE, COT_NONE)),
            ARRAYS(x, y, dst), COT_ERR_SHAPE,
            "argument 2 is f32[2] and not mapped, what is written to it is mapped: f32[2] for "
            "each example, "
            "f32[3,2] for all");
    return harness_end(&c);
}
