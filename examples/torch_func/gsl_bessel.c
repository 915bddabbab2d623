/* Somebody else's library: Bessel functions of the GNU Scientific Library, called by their own
 * prototypes, with derivatives written down by hand: J0' = -J1, J1' = J0 - J1 / x. */
#include "harness.h"

#include <gsl/gsl_sf_bessel.h>

typedef struct bessel {
    const cot_custom *j0, *j1;
} bessel;

static void
same_type(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
keep_x(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
}

static cot_value
call(const cot_custom *f, cot_value x)
{
    return cot_custom_call(f, COT_LIST(), COT_VALUES(x), NULL);
}

static void
j0_vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const bessel *b = info->user;

    (void)t;
    out[0] = cot_neg(cot_mul(in[1], call(b->j1, in[0])));
}

static void
j1_vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const bessel *b = info->user;
    const cot_value slope = cot_sub(call(b->j0, in[0]), cot_div(call(b->j1, in[0]), in[0]));

    (void)t;
    out[0] = cot_mul(in[1], slope);
}

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = call(((const bessel *)user)->j0, in[0]);
}

int
main(void)
{
    static bessel b;
    harness c = harness_begin("gsl_bessel");
    cot_fn *f = cot_fn_new(c.ctx, "j0", body, 1, 1, &b);
    cot_array *x = ARRAY(&c, cot_f64(), 1), *dx = ARRAY(&c, cot_f64(), 1);
    cot_array *xs = ARRAY(&c, cot_f64(3), 0.5, 1, 2.5);

    b.j0 = cot_custom_new(c.ctx, "gsl.bessel_J0", .symbol = (cot_symbol *)gsl_sf_bessel_J0,
                          .prototype = "out0 = double gsl_sf_bessel_J0(double in0)",
                          .types = same_type, .setup = keep_x, .vjp = j0_vjp,
                          .sequential = true, .user = &b);
    b.j1 = cot_custom_new(c.ctx, "gsl.bessel_J1", .symbol = (cot_symbol *)gsl_sf_bessel_J1,
                          .prototype = "out0 = double gsl_sf_bessel_J1(double in0)",
                          .types = same_type, .setup = keep_x, .vjp = j1_vjp,
                          .sequential = true, .user = &b);
    by_back_ends(&c, "J0(1)", f, ARRAYS(x), NEAR(1e-15, 0.7651976865579666));
    by_back_ends(&c, "jvp(J0)(1, 1)", cot_jvp(f), ARRAYS(x, dx),
                 NEAR(1e-15, 0.7651976865579666, -0.4400505857449335));
    by_back_ends(&c, "grad(grad(J0))(1)", cot_grad(cot_grad(f)), ARRAYS(x),
                 NEAR(1e-14, -0.3251471008130331));
    by_back_ends(&c, "vmap(grad(J0))([0.5, 1, 2.5])", cot_vmap(cot_grad(f)), ARRAYS(xs),
                 NEAR(1e-14, -0.2422684576748739, -0.4400505857449335, -0.4970941024642741));
    return harness_end(&c);
}
