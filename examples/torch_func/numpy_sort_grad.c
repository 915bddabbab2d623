/* Derivatives of any order through C code that sorts: sums of w sort(x)^k, w = [1, 10, 100]. */
#define _GNU_SOURCE /* qsort_r */
#include "harness.h"
#include "numpy_sort.h"

typedef struct weighted {
    const numpy *np;
    int power; /* 0: not even weighted */
} weighted;

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    static const double w[] = { 1, 10, 100 };
    const weighted *f = user;
    cot_value y = numpy_sort(f->np, in[0]);

    if (f->power > 1)
        y = cot_integer_pow(y, f->power);
    if (f->power > 0)
        y = cot_mul(y, cot_constant(t, cot_f64(3), w));
    out[0] = cot_reduce_sum(y);
}

static void
sorted(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = numpy_sort(user, in[0]);
}

int
main(void)
{
    static numpy np;
    const weighted plain = { &np, 0 }, once = { &np, 1 }, cubed = { &np, 3 };
    harness c = harness_begin("numpy_sort_grad");
    cot_array *s = ARRAY(&c, cot_f64(2, 3), 3, 1, 2, -1, 5, 0),
              *s0 = ARRAY(&c, cot_f64(3), 3, 1, 2);

    numpy_register(c.ctx, &np);
    cot_fn *f = cot_fn_new(c.ctx, "f", body, 1, 1, (void *)&plain);
    cot_fn *g = cot_fn_new(c.ctx, "g", body, 1, 1, (void *)&once);
    cot_fn *h = cot_fn_new(c.ctx, "h", body, 1, 1, (void *)&cubed);

    by_back_ends(&c, "grad(sum(sort))(S)", cot_grad(f), ARRAYS(s), EXACT(1, 1, 1, 1, 1, 1));
    by_back_ends(&c, "grad(sum(w sort))(S)", cot_grad(g), ARRAYS(s),
                 EXACT(100, 1, 10, 1, 100, 10));
    by_back_ends(&c, "grad(sum(w sort^3))(S)", cot_grad(h), ARRAYS(s),
                 EXACT(2700, 3, 120, 3, 7500, 0));
    by_back_ends(&c, "vmap(hessian(sum(w sort^3)))(S)", cot_vmap(cot_hessian(h)), ARRAYS(s),
                 EXACT(1800, 0, 0, 0, 6, 0, 0, 0, 120, -6, 0, 0, 0, 3000, 0, 0, 0, 0));
    by_back_ends(&c, "jacrev(sort)(S[0])",
                 cot_jacrev(cot_fn_new(c.ctx, "sorted", sorted, 1, 1, &np)), ARRAYS(s0),
                 EXACT(0, 1, 0, 0, 0, 1, 1, 0, 0));
    return harness_end(&c);
}
