/* What a body does to the program around it happens once, when it is traced: not per example,
 * and not per call. */
#include <stdio.h>

#include "harness.h"

typedef struct host {
    int greeted;   /* how often "hello!" was printed */
    int axis[2], n; /* a list that the body pops       */
} host;

static void
total(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    host *h = user;

    (void)t;
    printf("hello!\n");
    h->greeted++;
    out[0] = cot_reduce_sum(in[0], .axes = COT_LIST(h->axis[--h->n]));
}

int
main(void)
{
    harness c = harness_begin("effects_once");
    host h = { 0, { 7, 0 }, 2 };
    cot_fn *f = cot_vmap(cot_fn_new(c.ctx, "total", total, 1, 1, &h));
    cot_array *x = ARRAY(&c, cot_f32(3, 1), 1, 2, 3);

    by_back_ends(&c, "vmap(f)(x)", f, ARRAYS(x), EXACT(1, 2, 3));
    holds(&c, "printed once for three examples by three back ends", h.greeted == 1);
    by_back_ends(&c, "vmap(f)(x), again", f, ARRAYS(x), EXACT(1, 2, 3));
    holds(&c, "and popped once", h.n == 1);
    return harness_end(&c);
}
