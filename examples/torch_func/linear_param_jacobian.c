/* The Jacobian of a linear layer in its parameters, under their names. */
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
    harness c = harness_begin("linear_param_jacobian");
    cot_array *w = ARRAY(&c, cot_f32(3, 3), 1, 2, 3, 4, 5, 6, 7, 8, 10);
    cot_array *b = ARRAY(&c, cot_f32(3), .5, -.5, 1), *x = ARRAY(&c, cot_f32(3), 1, -1, 2);
    cot_module *m = cot_module_new(c.ctx, .name = "Linear", .body = linear,
                                   .params = "weight, bias", .inputs = "x", .results = "y");
    cot_list names = COT_NAMES("weight, bias");
    figures both = EXACT(1, -1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, 2, 0, 0, 0, 0, 0, 0, 0, 0,
                         0, 1, -1, 2, 1, 0, 0, 0, 1, 0, 0, 0, 1);
    cot_state s;

    by_back_ends(&c, "jacfwd over {weight, bias}", cot_jacfwd(cot_module_fn(m), .wrt = names),
                 ARRAYS(w, b, x), both);
    by_back_ends(&c, "jacrev over {weight, bias}", cot_jacrev(cot_module_fn(m), .wrt = names),
                 ARRAYS(w, b, x), both);
    holds(&c, "the results have the parameters' names",
          cot_module_named(m, names, c.result, c.n_results, &s) == COT_OK && s.n == 2 &&
              cot_state_find(&s, "weight") == c.result[0] &&
              cot_array_type(cot_state_find(&s, "weight")).rank == 3 &&
              cot_state_find(&s, "bias") == c.result[1]);
    return harness_end(&c);
}
