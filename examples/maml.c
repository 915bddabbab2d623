/* Meta-learning: the gradient of a loss after a step of gradient descent, which is itself a
 * gradient.
 *
 * Each task is a line y = a x + b to be fitted from a few points.  The meta-loss of shared
 * start weights is the mean over tasks of the loss after one inner step; its gradient
 * differentiates through that step.   Source: C. Finn, P. Abbeel, S. Levine, Model-Agnostic
 * Meta-Learning, 2017. */
#include "cotrace/cotrace.h"

enum { TASKS = 3, POINTS = 4 };

/* w [2], x [POINTS], y [POINTS] -> mean squared error of w0 x + w1 */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value w = in[0];
    cot_value line = cot_add(cot_mul(cot_index(w, 0, 0), in[1]), cot_index(w, 1, 0));

    (void)t, (void)user;
    out[0] = cot_mse(line, in[2]);
}

/* The loss after one inner step from w. */
static void
adapted_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *f = user;
    cot_value g = cot_call(cot_grad(f), in[0], in[1], in[2]);

    (void)t;
    out[0] = cot_call(f, cot_sub(in[0], cot_mul(0.1, g)), in[1], in[2]);
}

/* The mean over tasks. */
static void
meta_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *adapted =
        cot_fn_new(cot_trace_context(t), "adapted_loss", adapted_loss, 3, 1, user);
    cot_fn *tasks = cot_vmap(adapted, .in_dims = COT_LIST(COT_NONE, 0, 0));

    out[0] = cot_mean(cot_call(tasks, in[0], in[1], in[2]));
}

static cot_status
run(cot_context *ctx)
{
    static const double start[2] = { 0.5, 0 };
    double x[TASKS][POINTS], y[TASKS][POINTS];
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 3, 1, NULL);
    cot_fn *meta = cot_fn_new(ctx, "meta_loss", meta_loss, 3, 1, f);
    cot_array *result[2] = { NULL, NULL };

    for (int i = 0; i < TASKS; i++)
        for (int k = 0; k < POINTS; k++) {
            x[i][k] = k - 1.5;
            y[i][k] = (i + 1) * x[i][k] - i;
        }
    cot_array *w = cot_array_copy(ctx, cot_f64(2), start);
    cot_array *xs = cot_array_borrow(ctx, cot_f64(TASKS, POINTS), x),
              *ys = cot_array_borrow(ctx, cot_f64(TASKS, POINTS), y);
    COT_TRY(
        cot_jit(cot_grad_and_value(meta), result, 2, (const cot_array *[]){ w, xs, ys }, 3));
    const double *g = cot_array_read(result[0]), *value = cot_array_read(result[1]);
    printf("meta-loss %.6f   gradient (%.6f, %.6f)\n", value[0], g[0], g[1]);
    cot_array_free(w), cot_array_free(xs), cot_array_free(ys);
    cot_array_free(result[0]), cot_array_free(result[1]);
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
