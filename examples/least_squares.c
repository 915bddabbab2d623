/* Least squares by gradient descent: a loss in C, its gradient, one compiled step. */
#include "cotrace/cotrace.h"

#include <string.h>

enum { ROWS = 64, COLUMNS = 3, STEPS = 400 };

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value w = in[0], x = in[1], y = in[2];
    cot_value miss = cot_sub(cot_dot(x, w), y);

    (void)t, (void)user;
    out[0] = cot_mean(cot_mul(miss, miss));
}

/* w - rate * gradient: a function that calls a transformed one. */
static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_sub(in[0], cot_mul(cot_call(user, in[0], in[1], in[2]), 0.1));
}

static cot_status
run(cot_context *ctx)
{
    static const float truth[COLUMNS] = { 2, -1, 0.5f };
    float x[ROWS][COLUMNS], y[ROWS];
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 3, 1, NULL);
    cot_fn *df = cot_grad(f, .wrt = COT_LIST(0));
    cot_fn *descend = cot_fn_named(cot_fn_new(ctx, "step", step, 3, 1, df), "w, x, y", "w");
    cot_kernel *k;

    for (int i = 0; i < ROWS; i++) {
        y[i] = 0;
        for (int j = 0; j < COLUMNS; j++) {
            x[i][j] = (float)((i * (7 + 4 * j) + j) % 17) / 8 - 1;
            y[i] += truth[j] * x[i][j];
        }
    }
    COT_TRY(cot_compile(
        descend, COT_TYPES(cot_f32(COLUMNS), cot_f32(ROWS, COLUMNS), cot_f32(ROWS)), NULL, &k));
    cot_array *w = cot_array_new(ctx, cot_f32(COLUMNS)),
              *next = cot_array_new(ctx, cot_f32(COLUMNS));
    cot_array *xs = cot_array_borrow(ctx, cot_f32(ROWS, COLUMNS), x),
              *ys = cot_array_borrow(ctx, cot_f32(ROWS), y);
    for (int i = 0; i < STEPS; i++) {
        COT_TRY(cot_run(k, (cot_array *[]){ next }, (const cot_array *[]){ w, xs, ys }));
        memcpy(cot_array_data(w), cot_array_read(next), cot_array_bytes(w));
    }
    const float *found = cot_array_read(w);
    printf("w = %.4f %.4f %.4f\n", found[0], found[1], found[2]);
    cot_array_free(w), cot_array_free(next), cot_array_free(xs), cot_array_free(ys);
    cot_kernel_free(k);
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
