/* A linear layer as a module, and its Jacobian in the input: the weight. */
#include "harness.h"

static void
linear(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_linear(in[2], in[0], in[1]);
}

int
main(void)
{
    harness c = harness_begin("linear_jacobian");
    cot_array *w = ARRAY(&c, cot_f32(3, 3), 1, 2, 3, 4, 5, 6, 7, 8, 10);
    cot_array *b = ARRAY(&c, cot_f32(3), .5, -.5, 1), *x = ARRAY(&c, cot_f32(3), 1, -1, 2);
    cot_module *m = cot_module_new(c.ctx, .name = "Linear", .body = linear,
                                   .params = "weight, bias", .inputs = "x", .results = "y");
    cot_array *j = NULL;

    by_back_ends(&c, "y", cot_module_fn(m), ARRAYS(w, b, x), EXACT(5.5, 10.5, 20));
    by_back_ends(&c, "jacrev(f)(x)", cot_jacrev(cot_module_fn(m), .wrt = COT_NAMES("x")),
                 ARRAYS(w, b, x), EXACT(1, 2, 3, 4, 5, 6, 7, 8, 10));
    cot_module_set(m, "weight", w);
    cot_module_set(m, "bias", b);
    ((float *)cot_array_data(w))[0] = 11;
    holds(&c, "a weight that changed is seen",
          cot_module_call(m, &j, 1, NULL, 0, &x, 1,
                          .fn = cot_jacrev(cot_module_fn(m), .wrt = COT_NAMES("x"))) ==
                  COT_OK &&
              harness_element(j, 0) == 11);
    cot_array_free(j);
    return harness_end(&c);
}
