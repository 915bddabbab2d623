/* A stranger's program: the gradient of sum(x * x), through the installed headers and
 * library. */
#include <cotrace/cotrace.h>
#include <stdio.h>

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    (void)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], in[0]), .axes = COT_LIST(0));
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_grad(cot_fn_new(ctx, "f", body, 1, 1, NULL));
    float x[3] = { 1, 2, 3 }, dx[3] = { 0 };
    cot_array *in = cot_array_borrow(ctx, cot_f32(3), x),
              *out = cot_array_borrow(ctx, cot_f32(3), dx);
    cot_status status = cot_jit(f, &out, 1, (const cot_array *[]){ in }, 1);

    if (status != COT_OK)
        fprintf(stderr, "%s\n", cot_error(ctx));
    printf("%g %g %g\n", (double)dx[0], (double)dx[1], (double)dx[2]);
    cot_array_free(in);
    cot_array_free(out);
    cot_context_free(ctx);
    return status != COT_OK || dx[0] != 2 || dx[1] != 4 || dx[2] != 6;
}
