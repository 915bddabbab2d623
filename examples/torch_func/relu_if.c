/* A choice by the value of x: `if (x > 0) return x; else return 0;` for each of [1, -2, 3].
 *
 * C cannot look at a value that is traced: with WITH_IF defined this file does not compile, as
 * a test checks.  cond asks both bodies to be traced, and each example takes one of them. */
#include "harness.h"

static void
same(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = in[0];
}

static void
nothing(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], 0.0);
}

static void
relu(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
#ifdef WITH_IF
    out[0] = in[0];
    if (!(in[0] > 0))
        nothing(t, in, out, user);
#else
    out[0] = cot_cond(cot_gt(in[0], 0), same, nothing, .in = COT_VALUES(in[0]));
#endif
}

int
main(void)
{
    harness c = harness_begin("relu_if");
    cot_fn *f = cot_fn_new(c.ctx, "relu", relu, 1, 1, NULL);
    cot_array *x = ARRAY(&c, cot_f32(3), 1, -2, 3);

    by_back_ends(&c, "vmap(relu)(x)", cot_vmap(f), ARRAYS(x), EXACT(1, 0, 3));
    by_back_ends(&c, "vmap(grad(relu))(x)", cot_vmap(cot_grad(f)), ARRAYS(x), EXACT(1, 0, 1));
    return harness_end(&c);
}
