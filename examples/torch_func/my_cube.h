/* x^3 whose derivative is computed where the value is: a second result that a wrapper hides,
 * and whose own derivative, 6 x, the rule states. */
#ifndef MY_CUBE_H
#define MY_CUBE_H

#include "cotrace/cotrace.h"

static void
cube(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const cot_value square = cot_mul(in[0], in[0]);

    (void)t, (void)info;
    out[0] = cot_mul(square, in[0]);
    out[1] = cot_mul(3, square);
}

static void
cube_setup(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_out(s, 1);
}

/* Saved are x and dx; then the cotangents of x^3 and of dx. */
static void
cube_vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    (void)t, (void)info;
    out[0] = cot_add(cot_mul(in[2], in[1]), cot_mul(in[3], cot_mul(6, in[0])));
}

static inline const cot_custom *
my_cube_new(cot_context *ctx)
{
    return cot_custom_new(ctx, "my.cube", .n_out = 2, .forward = cube, .setup = cube_setup,
                          .vjp = cube_vjp, .generate_vmap = true);
}

static void
my_cube(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL);
}

#endif
