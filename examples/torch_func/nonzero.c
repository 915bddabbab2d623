/* The places of elements that are not 0.  How many there are depends on values, so room is
 * given:
 * without it, nothing is traced; with it, rows beyond the count hold the fill. */
#include "harness.h"

static void
unbounded(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_nonzero(in[0]);
}

static void
bounded(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_nonzero(in[0], .size = *(const int *)user, .fill = -1, .count = &out[1]);
}

int
main(void)
{
    static const int one = 1, two = 2;
    harness c = harness_begin("nonzero");
    cot_fn *f = cot_fn_new(c.ctx, "unbounded", unbounded, 1, 1, NULL);
    cot_fn *f1 = cot_fn_new(c.ctx, "nonzero_1", bounded, 1, 2, (void *)&one);
    cot_fn *f2 = cot_fn_new(c.ctx, "nonzero_2", bounded, 1, 2, (void *)&two);
    cot_array *xs = ARRAY(&c, cot_f32(2, 3), 0, 1, 2, 0, 0, 3);
    cot_array *x0 = ARRAY(&c, cot_f32(3), 0, 1, 2), *x1 = ARRAY(&c, cot_f32(3), 0, 0, 3);

    refused(&c, "vmap(nonzero)(xs)", cot_vmap(f), ARRAYS(xs), COT_ERR_SHAPE,
            "cot_nonzero(v, .size = k, .fill = c)");
    by_back_ends(&c, "nonzero(xs[0])", f2, ARRAYS(x0), EXACT(1, 2, 2));
    by_back_ends(&c, "nonzero(xs[1])", f1, ARRAYS(x1), EXACT(2, 1));
    by_back_ends(&c, "vmap(nonzero, size 2)(xs)", cot_vmap(f2), ARRAYS(xs),
                 EXACT(1, 2, 2, -1, 2, 1));
    return harness_end(&c);
}
