/* A vector on the diagonal of zeros made from the vector, as torch's new_zeros:
 * the diagonal is a view, and the write goes through it. */
#include "harness.h"

static void
diag_embed(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y = cot_clone(cot_mul(cot_broadcast_to(in[0], 3, 3), 0.0f));

    (void)t, (void)user;
    cot_assign(cot_view_diagonal(y, 0), in[0]);
    out[0] = y;
}

int
main(void)
{
    harness c = harness_begin("diag_embed_new_zeros");
    cot_array *vecs = ARRAY(&c, cot_f32(2, 3), 0, 1, 2, 3, 4, 5);

    by_back_ends(&c, "vmap(diag_embed)(vecs)",
                 cot_vmap(cot_fn_new(c.ctx, "diag_embed", diag_embed, 1, 1, NULL)),
                 ARRAYS(vecs), EXACT(0, 0, 0, 0, 1, 0, 0, 0, 2, 3, 0, 0, 0, 4, 0, 0, 0, 5));
    return harness_end(&c);
}
