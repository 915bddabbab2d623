/* Three linear layers as one function: their state stacked, mapped over data that they share
 * and over data of their own. */
#include "harness.h"

static void
linear(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_linear(in[2], in[0], in[1]);
}

static int
has_type(const cot_array *a, int rank, int64_t d0, int64_t d1)
{
    const cot_type t = cot_array_type(a);

    return t.rank == rank && t.dims[0] == d0 && t.dims[1] == d1;
}

int
main(void)
{
    harness c = harness_begin("stack_module_state");
    cot_array *w[3] = { ARRAY(&c, cot_f32(1, 2), 1, 0), ARRAY(&c, cot_f32(1, 2), 2, -1),
                        ARRAY(&c, cot_f32(1, 2), 3, -2) };
    cot_array *b[3] = { ARRAY(&c, cot_f32(1), 0), ARRAY(&c, cot_f32(1), 10),
                        ARRAY(&c, cot_f32(1), 20) };
    cot_array *shared = ARRAY(&c, cot_f32(2), 2, 3);
    cot_array *own = ARRAY(&c, cot_f32(3, 2), 2, 3, 1, 1, 0, 2);
    cot_module *m[3];
    cot_state params, buffers;

    for (int i = 0; i < 3; i++) {
        m[i] = cot_module_new(c.ctx, .name = "Linear", .body = linear, .params = "weight, bias",
                              .inputs = "x", .results = "y");
        holds(&c, "a layer has its numbers",
              cot_module_set(m[i], "weight", w[i]) == COT_OK &&
                  cot_module_set(m[i], "bias", b[i]) == COT_OK);
    }
    holds(&c, "stacked: weight [3, 1, 2], bias [3, 1], no buffers",
          cot_stack_module_state(c.ctx, m, 3, &params, &buffers) == COT_OK && params.n == 2 &&
              buffers.n == 0 && has_type(cot_state_find(&params, "weight"), 3, 3, 1) &&
              has_type(cot_state_find(&params, "bias"), 2, 3, 1));
    cot_array *weight = cot_state_find(&params, "weight"),
              *bias = cot_state_find(&params, "bias");
    cot_fn *f = cot_module_fn(m[0]);
    by_back_ends(&c, "shared x",
                 cot_vmap(f, .in_dims = COT_DIMS("weight: 0, bias: 0, x: none")),
                 ARRAYS(weight, bias, shared), EXACT(2, 11, 20));
    by_back_ends(&c, "own x", cot_vmap(f), ARRAYS(weight, bias, own), EXACT(2, 11, 16));
    cot_state_free(&params);
    cot_state_free(&buffers);
    return harness_end(&c);
}
