/* A pendulum is brought upright: Newton's method on a plan of forces, with an exact Hessian.
 *
 * The cost of a plan is a scan over its time steps; cot_hessian of it is 60 by 60.  A step of
 * Newton's method solves with the Hessian, to whose diagonal a while adds until the cost falls
 * (D. Marquardt, 1963);
 * the whole step is one kernel. */
#include "cotrace/cotrace.h"

enum { N = 60, TURNS = 40 };

/* Angle (0 is upright) and speed, after 0.05 s under gravity and a force. */
static void
swing(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value force = cot_add(cot_mul(9.81, cot_sin(in[0])), in[2]);

    (void)t, (void)user;
    out[1] = cot_add(in[1], cot_mul(0.05, force));
    out[0] = cot_add(in[0], cot_mul(0.05, out[1]));
}

/* (plan, angle, speed) -> what the plan costs. */
static void
cost(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value end[2];

    (void)t, (void)user;
    cot_scan(swing, .in = COT_VALUES(in[1], in[2]), .xs = COT_VALUES(in[0]), .out = end);
    cot_value miss = cot_add(cot_sub(1, cot_cos(end[0])), cot_mul(0.5, cot_square(end[1])));
    out[0] = cot_add(cot_mul(50, miss), cot_mul(0.01, cot_reduce_sum(cot_square(in[0]))));
}

typedef struct newton {
    cot_fn *cost;
    cot_value plan, angle, speed, value, slope, hessian;
} newton;

/* The plan after a step with the Hessian plus shift times the unit matrix; NaN where that is
 * indefinite. */
static cot_value
stepped(cot_trace *t, const newton *s, cot_value shift)
{
    cot_value l = cot_cholesky(cot_add(s->hessian, cot_mul(shift, cot_eye(t, COT_F64, N))));
    cot_value half = cot_triangular_solve(l, cot_expand_dims(s->slope, 1));

    return cot_sub(s->plan, cot_squeeze(cot_triangular_solve(l, half, .transposed = 1), 1));
}

/* Not better, or NaN; a shift so large means that nothing is. */
static void
is_worse(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const newton *s = user;
    cot_value value = cot_call(s->cost, stepped(t, s, in[0]), s->angle, s->speed);

    out[0] = cot_and(cot_not(cot_le(value, s->value)), cot_lt(in[0], 1e9));
}

static void
grow(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(cot_mul(3, in[0]), 0.01);
}

/* (plan, angle, speed) -> the next plan, its cost. */
static void
improve(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *f = user;
    newton s = { .cost = f, .plan = in[0], .angle = in[1], .speed = in[2] };
    cot_value both[2];

    cot_call_all(cot_grad_and_value(f), COT_VALUES(in[0], in[1], in[2]), both, 2);
    s.slope = both[0];
    s.value = both[1];
    s.hessian = cot_call(cot_hessian(f), in[0], in[1], in[2]);
    cot_value shift =
        cot_while(is_worse, grow, .in = COT_VALUES(cot_zeros(t, cot_f64())), .user = &s);
    out[0] = stepped(t, &s, shift);
    out[1] = cot_call(f, out[0], in[1], in[2]);
}

static cot_status
run(cot_context *ctx)
{
    double down = 3, still = 0;
    cot_fn *f =
        cot_fn_new(ctx, "improve", improve, 3, 2, cot_fn_new(ctx, "cost", cost, 3, 1, NULL));
    cot_array *plan = cot_array_new(ctx, cot_f64(N)),
              *angle = cot_array_copy(ctx, cot_f64(), &down);
    cot_array *speed = cot_array_copy(ctx, cot_f64(), &still);

    for (int i = 1; i <= TURNS; i++) {
        cot_array *y[2] = { NULL, NULL };
        COT_TRY(cot_jit(f, y, 2, (const cot_array *[]){ plan, angle, speed }, 3));
        if (i % 8 == 0)
            printf("after %2d steps: cost %9.5f\n", i, *(const double *)cot_array_read(y[1]));
        cot_array_free(plan), cot_array_free(y[1]);
        plan = y[0];
    }
    cot_array_free(plan), cot_array_free(angle), cot_array_free(speed);
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_status status = run(ctx);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    cot_context_free(ctx);
    return status != COT_OK;
}
