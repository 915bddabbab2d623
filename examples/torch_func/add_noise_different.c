/* A mapped function that adds noise, each example its own: three values from three equal ones,
 * the same three after the same seed, three others on the next call. */
#include "harness.h"

static void
add_noise(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_add(in[0], cot_normal(t, cot_f32()));
}

static int
call(cot_fn *f, cot_array *x, float y[3])
{
    cot_array *out = NULL;
    const int good = cot_jit(f, &out, 1, (const cot_array *[]){ x }, 1) == COT_OK;

    if (good)
        memcpy(y, cot_array_read(out), 3 * sizeof *y);
    cot_array_free(out);
    return good;
}

int
main(void)
{
    harness c = harness_begin("add_noise_different");
    cot_array *x = ARRAY(&c, cot_f32(3), 1, 1, 1);
    cot_fn *f = cot_vmap(cot_fn_new(c.ctx, "add_noise", add_noise, 1, 1, NULL),
                         .randomness = COT_RANDOM_DIFFERENT);
    float y[3], next[3], again[3];

    c.draws = 1;
    c.seed = 2026;
    by_back_ends(&c, "vmap(add_noise)(1)", f, ARRAYS(x), ANY);
    cot_manual_seed(c.ctx, 2026);
    holds(&c, "two calls", call(f, x, y) && call(f, x, next));
    cot_manual_seed(c.ctx, 2026);
    holds(&c, "a call after the seed was set again", call(f, x, again));
    holds(&c, "three values", y[0] != y[1] && y[1] != y[2] && y[0] != y[2]);
    holds(&c, "other values on the next call",
          y[0] != next[0] && y[1] != next[1] && y[2] != next[2]);
    holds(&c, "the same after the same seed", memcmp(y, again, sizeof y) == 0);
    holds(&c, "and by every back end", memcmp(y, cot_array_read(c.result[0]), sizeof y) == 0);
    return harness_end(&c);
}
