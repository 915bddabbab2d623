/* A value has no content while it is traced: reading one is an error with the user's line. */
#include "harness.h"

static void
times_itself(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], cot_item(in[0]));
}

int
main(void)
{
    harness c = harness_begin("item_error");
    cot_fn *f = cot_fn_new(c.ctx, "times_itself", times_itself, 1, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f32(3), 1, 2, 3);

    refused(&c, "vmap(f)(x)", cot_vmap(f), ARRAYS(x), COT_ERR_TRACE,
            "item: the content of a value (f32[]) is not known while tracing; choose with cond "
            "or where, "
            "loop with while or scan");
    return harness_end(&c);
}
