/* x += y with y mapped and x not: all examples would write to one array, which is refused with
 * both shapes. */
#include "harness.h"

static void
add_in_place(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add_assign(in[0], in[1]);
}

int
main(void)
{
    harness c = harness_begin("inplace_unmapped");
    cot_array *x = ARRAY(&c, cot_f32(1), 10), *y = ARRAY(&c, cot_f32(3, 1), 1, 2, 3);
    cot_fn *f = cot_fn_new(c.ctx, "f", add_in_place, 2, 1, NULL);

    refused(
        &c, "x += y", cot_vmap(f, .in_dims = COT_LIST(COT_NONE, 0)), ARRAYS(x, y),
        COT_ERR_SHAPE,
        "argument 0 is f32[1] and not mapped, what is written to it is mapped: f32[1] for each "
        "example, f32[3,1] for all");
    return harness_end(&c);
}
