/* A mapped function that adds noise, one draw for all examples: one value thrice, another on
 * the next call.  Without the flag the draw is refused, and the message names both other
 * values. */
#include "harness.h"

static void
add_noise(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_add(in[0], cot_normal(t, cot_f32()));
}

int
main(void)
{
    harness c = harness_begin("add_noise_same");
    cot_array *x = ARRAY(&c, cot_f32(3), 1, 1, 1), *next = NULL;
    cot_fn *plain = cot_fn_new(c.ctx, "add_noise", add_noise, 1, 1, NULL);
    cot_fn *f = cot_vmap(plain, .randomness = COT_RANDOM_SAME);
    const float *y;

    c.draws = 1;
    c.seed = 2026;
    by_back_ends(&c, "vmap(add_noise)(1)", f, ARRAYS(x), ANY);
    y = cot_array_read(c.result[0]);
    holds(&c, "one value thrice", y[0] == y[1] && y[1] == y[2]);
    holds(&c, "another on the next call",
          cot_jit(f, &next, 1, (const cot_array *[]){ x }, 1) == COT_OK &&
              harness_element(next, 0) != harness_element(c.result[0], 0));
    cot_array_free(next);
    refused(&c, "vmap without the flag", cot_vmap(plain), ARRAYS(x), COT_ERR_ARG,
            "vmap: draws random numbers, and randomness is error; wants different (each "
            "example its "
            "own) or same (one draw for all)");
    return harness_end(&c);
}
