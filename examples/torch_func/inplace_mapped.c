/* x += y with both mapped: x is an in/out argument, and holds the sum after the call. */
#include "harness.h"

static void
add_in_place(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add_assign(in[0], in[1]);
}

static void
run(harness *c, cot_fn *f, const char *backend)
{
    const cot_compile_options o = { .backend = backend };
    cot_array *x = ARRAY(c, cot_f32(3, 1), 10, 20, 30), *y = ARRAY(c, cot_f32(3, 1), 1, 2, 3);
    cot_array *sum = ARRAY(c, cot_f32(3, 1), 0, 0, 0);
    cot_kernel *k = NULL;
    int good =
        cot_compile(f, COT_TYPES(cot_f32(3, 1), cot_f32(3, 1)), &o, &k) == COT_OK &&
        cot_run(k, (cot_array *const[]){ sum }, (const cot_array *const[]){ x, y }) == COT_OK;

    for (int i = 0; i < 3 && good; i++)
        good = harness_element(x, i) == 11 * (i + 1) && harness_element(sum, i) == 11 * (i + 1);
    holds(c, backend, good);
    cot_kernel_free(k);
}

int
main(void)
{
    harness c = harness_begin("inplace_mapped");
    cot_fn *f = cot_vmap(cot_fn_new(c.ctx, "f", add_in_place, 2, 1, NULL));

    run(&c, f, "eval");
    run(&c, f, "jit");
    harness_time(
        &c, "vmap(x += y)", f,
        ARRAYS(ARRAY(&c, cot_f32(3, 1), 10, 20, 30), ARRAY(&c, cot_f32(3, 1), 1, 2, 3)));
    return harness_end(&c);
}
