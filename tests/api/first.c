/* A stranger's first program: public headers only, every kind of macro, with and without
 * options. */
#include "cotrace/cotrace.h"

#include <math.h>
#include <string.h>

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    cot_value miss = cot_sub(cot_dot(in[1], in[0]), in[2]);
    out[0] = cot_mean(cot_mul(miss, miss));
}

static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(cot_mul(in[1], 0.5), cot_convert(in[0], COT_F32));
}

static void
positive(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], 1);
}

static void
negative(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_neg(in[0]);
}

static void
tour(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = cot_reshape(in[0], 2, -1), y[2];

    (void)user;
    x = cot_clip(x, -1, 10.0f);
    x = cot_add(x, cot_reduce_max(x, .axes = COT_LIST(1), .keepdims = 1));
    x = cot_transpose(cot_reverse(x));
    x = cot_concatenate(COT_VALUES(x, cot_zeros(t, cot_f32(1, 2))), 0);
    x = cot_pad(x, 0, .low = COT_LIST(1, 0));
    x = cot_slice(x, .start = COT_LIST(1, 0), .stride = COT_ALL(1));
    x = cot_where(cot_le(x, 2u), x, 2);
    cot_split(x, 2, 1, y);
    x = cot_squeeze(cot_matmul(cot_transpose(y[0]), y[1]));
    x = cot_fori(3, step, .in = COT_VALUES(x));
    x = cot_cond(cot_gt(x, 0), positive, negative, .in = COT_VALUES(x));
    out[0] = cot_softplus(x);
}

/* The gradient of the loss at w = (1, 2), by hand: miss = (3, 8, 13), 2/3 miss x. */
static cot_status
run(cot_context *ctx, float *dw)
{
    cot_fn *df = cot_grad(cot_fn_new(ctx, "loss", loss, 3, 1, NULL));
    cot_types types = COT_TYPES(cot_f32(2), cot_f32(3, 2), cot_f32(3));
    cot_kernel *k = NULL;
    cot_array *w = cot_array_copy(ctx, types.at[0], (const float[]){1, 2});
    cot_array *x = cot_array_copy(ctx, types.at[1], (const float[]){1, 2, 3, 4, 5, 6});
    cot_array *y = cot_array_copy(ctx, types.at[2], (const float[]){2, 3, 4});
    cot_array *g = cot_array_new(ctx, cot_f32(2));
    const cot_compile_options eval = {.backend = "eval"};

    COT_TRY(cot_compile(df, types, &eval, &k));
    COT_TRY(cot_run(k, (cot_array *[]){g}, (const cot_array *[]){w, x, y}));
    memcpy(dw, cot_array_read(g), 2 * sizeof *dw);
    cot_kernel_free(k);
    cot_array_free(w), cot_array_free(x), cot_array_free(y), cot_array_free(g);
    return COT_OK;
}

int
main(void)
{
    cot_context *ctx = cot_context_new(NULL);
    const cot_graph *graph;
    float dw[2];
    cot_fn *mapped =
        cot_vmap(cot_fn_new(ctx, "tour", tour, 1, 1, NULL), .out_dims = COT_LIST(0));

    if (run(ctx, dw) != COT_OK || fabsf(dw[0] - 2 / 3.0f * (3 * 1 + 8 * 3 + 13 * 5)) > 1e-4f ||
        cot_trace_fn(mapped, COT_TYPES(cot_f32(5, 4)), &graph) != COT_OK ||
        cot_graph_out_type(graph, 0).dims[0] != 5) {
        fprintf(stderr, "%s\n", cot_error(ctx));
        return 1;
    }
    cot_context_free(ctx);
    return 0;
}
