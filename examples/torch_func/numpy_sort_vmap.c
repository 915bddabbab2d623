/* Foreign functions mapped by rules of their own: sort and take along the last axis of one
 * example. */
#define _GNU_SOURCE /* qsort_r */
#include "harness.h"
#include "numpy_sort.h"

static void
sorted(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = numpy_sort(user, in[0]);
}

static void
taken(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = numpy_take(user, in[0], in[1], in[1], -1);
}

int
main(void)
{
    static numpy np;
    harness c = harness_begin("numpy_sort_vmap");
    cot_fn *f = cot_fn_new(c.ctx, "sort", sorted, 1, 1, &np);
    cot_fn *g = cot_fn_new(c.ctx, "take", taken, 2, 1, &np);
    cot_array *s = ARRAY(&c, cot_f64(2, 3), 3, 1, 2, -1, 5, 0);
    cot_array *x = ARRAY(&c, cot_f64(3, 2), 1, 4, 2, 5, 3, 6);
    cot_array *index = ARRAY(&c, cot_i64(3, 2), 2, 1, 0, 2, 1, 0);

    numpy_register(c.ctx, &np);
    by_back_ends(&c, "vmap(sort)(S)", cot_vmap(f), ARRAYS(s), EXACT(1, 2, 3, -1, 0, 5));
    by_back_ends(&c, "vmap(sort)(vmap(sort)(S))", cot_vmap(f), ARRAYS(harness_keep(&c, 0)),
                 EXACT(1, 2, 3, -1, 0, 5));
    by_back_ends(&c, "vmap(sort, in_dims 1)(S)", cot_vmap(f, .in_dims = COT_ALL(1)), ARRAYS(s),
                 EXACT(-1, 3, 1, 5, 0, 2));
    by_back_ends(&c, "vmap(take, in_dims 1)", cot_vmap(g, .in_dims = COT_ALL(1)),
                 ARRAYS(x, index), EXACT(3, 1, 2, 5, 6, 4));
    return harness_end(&c);
}
