/* An ensemble: five networks initialised, trained and asked as one function.
 *
 * One network is a module, its start numbers drawn from a key; vmap over five keys makes five
 * of them, and vmap of the training loop trains them side by side on points of sin(3 x), of
 * which each sees its own half. Where there were points they agree; outside, they do not.
 * Keys and normal numbers are those of jax.random.   Source: B. Lakshminarayanan, A. Pritzel,
 * C. Blundell, Simple and Scalable Predictive Uncertainty Estimation using Deep Ensembles,
 * 2017. */
#include <math.h>

#include "cotrace/cotrace.h"

enum { MODELS = 5, H = 16, POINTS = 16, STEPS = 500, PARAMS = 4 };

struct network {
    cot_value w1, b1, w2, b2, x;
};

/* x [1] -> y [1] */
static void
network(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct network *n = COT_STRUCT(struct network, in);

    (void)t, (void)user;
    out[0] = cot_linear(cot_tanh(cot_linear(n->x, n->w1, n->b1)), n->w2, n->b2);
}

/* key -> parameters */
static void
start(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value keys = cot_threefry_split(in[0], 3);

    (void)t, (void)user;
    out[0] = cot_mul(2, cot_threefry_normal(cot_index(keys, 0, 0), cot_f32(H, 1)));
    out[1] = cot_threefry_normal(cot_index(keys, 1, 0), cot_f32(H));
    out[2] = cot_mul(0.25, cot_threefry_normal(cot_index(keys, 2, 0), cot_f32(1, H)));
    out[3] = cot_zeros(t, cot_f32(1));
}

/* parameters, xs, ys, seen [POINTS, 1] -> the mean squared error over the points that are
 * seen */
static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y = cot_call(user, in[0], in[1], in[2], in[3], in[4]);

    (void)t;
    out[0] = cot_div(cot_reduce_sum(cot_mul(cot_square(cot_sub(y, in[5])), in[6])),
                     cot_reduce_sum(in[6]));
}

/* What a step of training reads besides the parameters. */
typedef struct data {
    cot_fn *loss;
    cot_value xs, ys, seen;
} data;

static void
step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const data *d = user;
    cot_value g[PARAMS];

    (void)t;
    cot_call_all(cot_grad(d->loss, .wrt = COT_LIST(0, 1, 2, 3)),
                 COT_VALUES(in[1], in[2], in[3], in[4], d->xs, d->ys, d->seen), g, PARAMS);
    for (int i = 0; i < PARAMS; i++)
        out[i] = cot_sub(in[i + 1], cot_mul(0.1, g[i]));
}

/* parameters, xs, ys, seen -> parameters, loss before, loss after */
static void
train(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    data d = { user, in[4], in[5], in[6] };

    (void)t;
    cot_fori(STEPS, step, .in = COT_VALUES(in[0], in[1], in[2], in[3]), .out = out, .user = &d);
    out[4] = cot_call(user, in[0], in[1], in[2], in[3], in[4], in[5], in[6]);
    out[5] = cot_call(user, out[0], out[1], out[2], out[3], in[4], in[5], in[6]);
}

/* Points of sin(3 x) between -1 and 1, and about half of them for each model. */
static void
points(float *x, float *y, float *seen)
{
    for (int i = 0; i < POINTS; i++) {
        x[i] = (float)(2 * i - (POINTS - 1)) / (POINTS - 1);
        y[i] = (float)sin(3.0 * (double)x[i]);
        for (int m = 0; m < MODELS; m++)
            seen[m * POINTS + i] = (float)((i * (m + 3) / 2 + m) % 2);
    }
}

/* The models' answers at three places: mean and spread. */
static cot_status
ask(cot_module *m, const cot_state *params)
{
    static float places[] = { 0.1f, 0.6f, 3 };
    cot_context *ctx = cot_fn_context(cot_module_fn(m));
    cot_array *x = cot_array_borrow(ctx, cot_f32(3, 1), places), *y = NULL;
    cot_fn *all =
        cot_vmap(cot_module_fn(m), .in_dims = COT_DIMS("w1: 0, b1: 0, w2: 0, b2: 0, x: none"));

    COT_TRY(cot_module_call(m, &y, 1, params, 1, &x, 1, .fn = all));
    const float *answer = cot_array_read(y);
    for (int i = 0; i < 3; i++) {
        double mean = 0, square = 0;
        for (int k = 0; k < MODELS; k++)
            mean += (double)answer[k * 3 + i] / MODELS;
        for (int k = 0; k < MODELS; k++)
            square += pow((double)answer[k * 3 + i] - mean, 2) / MODELS;
        printf("at %.1f: sin(3 x) %.2f, mean %.2f, spread %.2f\n", (double)places[i],
               sin(3.0 * (double)places[i]), mean, sqrt(square));
    }
    cot_array_free(x), cot_array_free(y);
    return COT_OK;
}

/* u32 [MODELS, 2] */
static void
all_keys(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)in, (void)user;
    out[0] = cot_threefry_split(cot_threefry_key(t, 0), MODELS);
}

static cot_status
run(cot_context *ctx)
{
    static float xs[POINTS], ys[POINTS], seen[MODELS * POINTS];
    static const char *const names[PARAMS] = { "w1", "b1", "w2", "b2" };
    cot_array *a[PARAMS + 3] = { NULL }, *trained[PARAMS + 2] = { NULL }, *key = NULL;
    cot_module *m = cot_module_new(ctx, .name = "Network", .body = network,
                                   .params = "w1, b1, w2, b2", .inputs = "x", .results = "y");
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 7, 1, cot_module_fn(m));
    cot_list dims = COT_LIST(0, 0, 0, 0, COT_NONE, COT_NONE, 0);
    cot_named params[PARAMS];

    points(xs, ys, seen);
    COT_TRY(cot_jit(cot_fn_new(ctx, "all_keys", all_keys, 0, 1, NULL), &key, 1, NULL, 0));
    COT_TRY(cot_jit(cot_vmap(cot_fn_new(ctx, "start", start, 1, PARAMS, NULL)), a, PARAMS,
                    (const cot_array *[]){ key }, 1));
    a[4] = cot_array_borrow(ctx, cot_f32(POINTS, 1), xs);
    a[5] = cot_array_borrow(ctx, cot_f32(POINTS, 1), ys);
    a[6] = cot_array_borrow(ctx, cot_f32(MODELS, POINTS, 1), seen);
    COT_TRY(
        cot_jit(cot_vmap(cot_fn_new(ctx, "train", train, 7, PARAMS + 2, f), .in_dims = dims),
                trained, PARAMS + 2, (const cot_array *const *)a, 7));
    const float *before = cot_array_read(trained[4]), *after = cot_array_read(trained[5]);
    for (int i = 0; i < MODELS; i++)
        printf("model %d: loss %.3f, trained %.3f\n", i, (double)before[i], (double)after[i]);
    for (int i = 0; i < PARAMS; i++)
        params[i] = (cot_named){ names[i], trained[i] };
    COT_TRY(ask(m, &(cot_state){ .n = PARAMS, .at = params }));
    for (int i = 0; i < PARAMS + 3; i++)
        cot_array_free(a[i]);
    for (int i = 0; i < PARAMS + 2; i++)
        cot_array_free(trained[i]);
    cot_array_free(key);
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
