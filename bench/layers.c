/* Layers with a recurrence or a softmax between products, loops that each example leaves on its
 * own, and special functions of many elements (see workloads.h). */
#include "bench/workloads.h"

#define BODY(name)                                                                             \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
#define UNUSED     (void)t, (void)user

/* Attention, causal: 4 examples of 8 heads of 256 places of 64 features. */

BODY(attention)
{
    UNUSED;
    out[0] = cot_attention(in[0], in[1], in[2], .causal = 1);
}

static cot_fn *
make_attention(cot_context *ctx)
{
    return cot_fn_new(ctx, "attention", attention, 3, 1, NULL);
}

/* The gradients alone: n of them, behind the value. */
static void
pull(cot_fn *f, cot_values in, cot_value *out, int n)
{
    cot_value all[WORKLOAD_MAX_ARGS];

    cot_call_all(cot_vjp(f), in, all, n + 1);
    for (int i = 0; i < n; i++)
        out[i] = all[i + 1];
}

BODY(attention_pullback)
{
    (void)t;
    pull(user, COT_VALUES(in[0], in[1], in[2], in[3]), out, 3);
}

BODY(lstm_pullback)
{
    (void)t;
    pull(user, COT_VALUES(in[0], in[1], in[2], in[3], in[4], in[5]), out, 5);
}

static cot_fn *
make_attention_grad(cot_context *ctx)
{
    return cot_fn_new(ctx, "attention_grad", attention_pullback, 4, 3, make_attention(ctx));
}

static void
args_attention(workload_arg *a)
{
    for (int i = 0; i < 4; i++)
        a[i] = (workload_arg){ cot_f32(4, 8, 256, 64), 0, 1, 1 };
}

/* An LSTM: 64 steps of 32 examples, 128 features in and out. */

BODY(lstm)
{
    const cot_rnn_weights w = { in[1], in[2], in[3], in[4] };

    UNUSED;
    out[0] = cot_lstm(in[0], COT_UNSET, COT_UNSET, &w, NULL);
}

static cot_fn *
make_lstm(cot_context *ctx)
{
    return cot_fn_new(ctx, "lstm", lstm, 5, 1, NULL);
}

static cot_fn *
make_lstm_grad(cot_context *ctx)
{
    return cot_fn_new(ctx, "lstm_grad", lstm_pullback, 6, 5, make_lstm(ctx));
}

static void
args_lstm(workload_arg *a)
{
    a[0] = (workload_arg){ cot_f32(64, 32, 128), 0, 1, 1 };
    a[1] = a[2] = (workload_arg){ cot_f32(512, 128), -0.09, 0.09, 0 };
    a[3] = a[4] = (workload_arg){ cot_f32(512), -0.09, 0.09, 0 };
    a[5] = a[0];
}

/* Z z + c until it is far off, 256 times at most, for each of 65536 points. */

BODY(is_near)
{
    UNUSED;
    cot_value size = cot_add(cot_mul(in[0], in[0]), cot_mul(in[1], in[1]));
    out[0] = cot_and(cot_lt(size, 4.0), cot_lt(in[2], 256));
}

BODY(square)
{
    const cot_value *c = user;

    (void)t;
    out[0] = cot_add(cot_sub(cot_mul(in[0], in[0]), cot_mul(in[1], in[1])), c[0]);
    out[1] = cot_add(cot_mul(2.0, cot_mul(in[0], in[1])), c[1]);
    out[2] = cot_add(in[2], 1);
}

BODY(steps_near)
{
    cot_value end[3], c[2] = { in[0], in[1] };

    (void)user;
    cot_while(is_near, square,
              .in = COT_VALUES(cot_zeros(t, cot_f32()), cot_zeros(t, cot_f32()),
                               cot_zeros(t, cot_i32())),
              .out = end, .user = c);
    out[0] = end[2];
}

static cot_fn *
make_mandelbrot(cot_context *ctx)
{
    return cot_vmap(cot_fn_new(ctx, "mandelbrot", steps_near, 2, 1, NULL));
}

static void
args_mandelbrot(workload_arg *a)
{
    a[0] = (workload_arg){ cot_f32(65536), -2, 0.5, 0 };
    a[1] = (workload_arg){ cot_f32(65536), -1.25, 1.25, 0 };
}

#define SPECIAL(name)                                                                          \
    BODY(name##_body)                                                                          \
    {                                                                                          \
        UNUSED;                                                                                \
        out[0] = cot_##name(in[0]);                                                            \
    }                                                                                          \
    static cot_fn *make_##name(cot_context *ctx)                                               \
    {                                                                                          \
        return cot_fn_new(ctx, #name, name##_body, 1, 1, NULL);                                \
    }
SPECIAL(erf)
SPECIAL(lgamma)
SPECIAL(digamma)
SPECIAL(ndtri)

#define UNIFORM(name, type, low, high)                                                         \
    static void args_##name(workload_arg *a)                                                   \
    {                                                                                          \
        a[0] = (workload_arg){ type(1000000), low, high, 0 };                                  \
    }
UNIFORM(near_zero, cot_f32, -3, 3)
UNIFORM(positive, cot_f32, 0.1, 30)
UNIFORM(between, cot_f32, 0, 1)
UNIFORM(near_zero_f64, cot_f64, -3, 3)
UNIFORM(positive_f64, cot_f64, 0.1, 30)
UNIFORM(between_f64, cot_f64, 0, 1)

#define AT (32.0 * 256 * 256 * 64)
#define L  (64.0 * 32 * 512 * 256)
static const workload rows[] = {
    { "attention_fwd", make_attention, args_attention, 3, NULL, 8.4e6, 2 * AT, 0 },
    { "attention_grad", make_attention_grad, args_attention, 4, NULL, 14.7e6, 7 * AT, 0 },
    { "lstm_fwd", make_lstm, args_lstm, 5, NULL, 2.6e6, 2 * L, 0 },
    { "lstm_grad", make_lstm_grad, args_lstm, 6, NULL, 5.2e6, 6 * L, 0 },
    { "mandelbrot", make_mandelbrot, args_mandelbrot, 2, NULL, 786e3, 65536 * 7 * 70.0, 0 },
    { "erf_1e6", make_erf, args_near_zero, 1, NULL, 8e6, 0, 0 },
    { "lgamma_1e6", make_lgamma, args_positive, 1, NULL, 8e6, 0, 0 },
    { "digamma_1e6", make_digamma, args_positive, 1, NULL, 8e6, 0, 0 },
    { "ndtri_1e6", make_ndtri, args_between, 1, NULL, 8e6, 0, 0 },
    { "erf_f64_1e6", make_erf, args_near_zero_f64, 1, NULL, 16e6, 0, 0 },
    { "lgamma_f64_1e6", make_lgamma, args_positive_f64, 1, NULL, 16e6, 0, 0 },
    { "digamma_f64_1e6", make_digamma, args_positive_f64, 1, NULL, 16e6, 0, 0 },
    { "ndtri_f64_1e6", make_ndtri, args_between_f64, 1, NULL, 16e6, 0, 0 },
};
const workload_list layer_workloads = { rows, sizeof rows / sizeof *rows, "layers",
                                        "C by hand" };
