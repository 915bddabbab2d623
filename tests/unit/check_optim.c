/* Optimisers, schedules, clipping and initial weights: figures of PyTorch, and what must hold
 * of draws. */
#include "traced.h"

#define F64(...) ((const double[]){ __VA_ARGS__ })
#define IN(...)  ((const void *const[]){ __VA_ARGS__ })

/* ---- optimisers ---- */

typedef struct optim_row {
    const char *name;
    cot_optim o;
    double want[5];
} optim_row;

/* Four steps from (0.5, -1, 2) and (1.5, -0.25) along x^3 - 1. */
static const optim_row optimisers[] = {
    /* torch.optim.SGD(p, 0.1, weight_decay=0.01) */
    { "sgd",
      { .kind = COT_SGD, .rate = 0.1, .weight_decay = 0.01 },
      { 0.7953574645009, -0.404902705903, 1.074238597174, 1.067253860722, 0.1522779899488 } },
    /* torch.optim.SGD(p, 0.1, momentum=0.9, dampening=0.5): the first velocity is all of g */
    { "momentum",
      { .rate = 0.1, .momentum = 0.9, .dampening = 0.5 },
      { 0.9902948433997, 0.05384547615095, -0.4460736952919, 0.5746097187896,
        0.3799686175082 } },
    /* torch.optim.SGD(p, 0.01, momentum=0.9, nesterov=True) */
    { "nesterov",
      { .momentum = 0.9, .nesterov = 1 },
      { 0.6038019913496, -0.7750451280704, 1.366872894967, 1.258955051468, -0.1271784832177 } },
    /* torch.optim.Adam(p) */
    { "adam",
      { .kind = COT_ADAM },
      { 0.5039998046557, -0.996000340544, 1.996000390166, 1.496000650964, -0.2460000413107 } },
    /* torch.optim.Adam(p, 0.1, (0.8, 0.9), 0.01, 0.1) */
    { "adam_decay",
      { .kind = COT_ADAM,
        .rate = 0.1,
        .beta1 = 0.8,
        .beta2 = 0.9,
        .eps = 0.01,
        .weight_decay = 0.1 },
      { 0.8860387254642, -0.6073674381895, 1.608684565893, 1.120338480023, 0.1457114658411 } },
    /* torch.optim.Adam(p, 0.1, amsgrad=True) */
    { "amsgrad",
      { .kind = COT_ADAM, .rate = 0.1, .amsgrad = 1 },
      { 0.8935665993401, -0.605021201549, 1.607755660635, 1.118879936018, 0.1498456426886 } },
    /* torch.optim.AdamW(p, 0.1, weight_decay=0.1) */
    { "adamw",
      { .kind = COT_ADAMW, .rate = 0.1, .weight_decay = 0.1 },
      { 0.8687669855313, -0.5721110761902, 1.537318794463, 1.070708512696, 0.1537372265848 } },
    /* torch.optim.AdamW(p, 0.1): it decays by 0.01 unless it is told not to */
    { "adamw_default",
      { .kind = COT_ADAMW, .rate = 0.1 },
      { 0.8910618854064, -0.6016805110791, 1.600596104757, 1.113962298264, 0.1502446111021 } },
    { "adamw_none",
      { .kind = COT_ADAMW, .rate = 0.1, .weight_decay = -1 },
      { 0.8935665993401, -0.605021201549, 1.607755660635, 1.118879936018, 0.1498456426886 } },
    /* torch.optim.AdamW(p, 0.1, weight_decay=0.1, maximize=True) */
    { "maximize",
      { .kind = COT_ADAMW, .rate = 0.1, .weight_decay = 0.1, .maximize = 1 },
      { 0.08545103153194, -1.355676767033, 2.316341742829, 1.835001294715, -0.6348927441903 } },
    /* torch.optim.RMSprop(p) */
    { "rmsprop",
      { .kind = COT_RMSPROP },
      { 0.7606913132058, -0.7391104397777, 1.744725639318, 1.262774818075, 0.02827445969892 } },
    /* torch.optim.RMSprop(p, 0.05, 0.9, weight_decay=0.1, momentum=0.5, centered=True) */
    { "rmsprop_all",
      { .kind = COT_RMSPROP,
        .rate = 0.05,
        .alpha = 0.9,
        .centered = 1,
        .momentum = 0.5,
        .weight_decay = 0.1 },
      { 1.058664779486, -0.2842333810046, 1.33889592002, 0.9482784998799, 0.5457061235044 } },
    /* torch.optim.Adagrad(p, 0.1) */
    { "adagrad",
      { .kind = COT_ADAGRAD, .rate = 0.1 },
      { 0.7598880506766, -0.7399509725247, 1.745546442655, 1.263533944939, 0.02742702589282 } },
    /* its paper's formulas */
    { "lion",
      { .kind = COT_LION, .rate = 0.1, .weight_decay = 0.1 },
      { 0.874337905, -0.56655611, 1.52715212, 1.046854115, 0.1538908975 } },
};

static void
four_steps(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_optim *o = user;
    cot_value x[2] = { in[0], in[1] }, s[8], next[2], next_s[8], g[2];
    const int n = cot_optim_state_count(o, 2);

    (void)t;
    cot_optim_begin(o, ((cot_values){ .n = 2, .at = x }), s);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 2; i++)
            g[i] = cot_sub(cot_integer_pow(x[i], 3), 1);
        cot_optim_step(o, ((cot_values){ .n = 2, .at = x }), ((cot_values){ .n = 2, .at = g }),
                       ((cot_values){ .n = n, .at = s }), next, next_s);
        memcpy(x, next, sizeof x);
        memcpy(s, next_s, sizeof *s * (size_t)n);
    }
    out[0] = cot_concatenate(COT_VALUES(x[0], x[1]), 0);
}

START_TEST(optimiser)
{
    cot_context *ctx = cot_context_new(NULL);
    const optim_row *r = &optimisers[_i];
    cot_fn *f = cot_fn_new(ctx, r->name, four_steps, 2, 1, (void *)(uintptr_t)&r->o);

    traced_gives(f, COT_TYPES(cot_f64(3), cot_f64(2)), IN(F64(0.5, -1, 2), F64(1.5, -0.25)),
                 cot_f64(5), r->want, 1e-12);
    cot_context_free(ctx);
}
END_TEST

/* A rate that is a value takes the place of the number; bf16 parameters keep an f32 state. */
static void
scheduled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_optim o = { .kind = COT_SGD, .schedule = in[1] };

    (void)t, (void)user;
    cot_optim_step(&o, COT_VALUES(in[0]), COT_VALUES(in[0]), COT_VALUES(), out, NULL);
}

static void
half_adam(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_optim o = { .kind = COT_ADAM, .rate = 0.125 };
    cot_value x = cot_convert(in[0], COT_BF16), s[3], next, next_s[3];

    (void)t, (void)user;
    cot_optim_begin(&o, COT_VALUES(x), s);
    cot_optim_step(&o, COT_VALUES(x), COT_VALUES(x), ((cot_values){ .n = 3, .at = s }), &next,
                   next_s);
    out[0] = cot_add(cot_convert(next, COT_F64), cot_dtype_of(next_s[1]) == COT_F32 ? 1 : 0);
}

START_TEST(rates_and_halves)
{
    body_gives("scheduled", scheduled, COT_TYPES(cot_f64(2), cot_f64()),
               IN(F64(1, 2), F64(0.25)), cot_f64(2), F64(0.75, 1.5), 0);
    body_gives("half", half_adam, COT_TYPES(cot_f64(2)), IN(F64(1, -2)), cot_f64(2),
               F64(0.875 + 1, -1.875 + 1), 0);
}
END_TEST

/* ---- schedules: at steps 0 ... 7 ---- */

BODY(step_rate, out[0] = cot_step_rate(in[0], 0.5, 3);)
BODY(exponential_rate, out[0] = cot_exponential_rate(in[0], 0.5, .gamma = 0.9);)
BODY(cosine_rate, out[0] = cot_cosine_rate(in[0], 0.5, 7, .last = 0.1);)
BODY(linear_rate, out[0] = cot_linear_rate(in[0], 0.5, 5, .last = 0.1);)
BODY(one_cycle_rate, out[0] = cot_one_cycle_rate(in[0], 0.5, 8);)
BODY(warm_rate, out[0] = cot_constant_rate(in[0], 0.5, .warmup = 4);)
BODY(warm_linear, out[0] = cot_linear_rate(in[0], 0.5, 7, .warmup = 2);)

static const struct {
    const char *name;
    cot_body *body;
    double want[8];
} rates[] = {
    /* torch.optim.lr_scheduler.StepLR(o, 3, 0.1) */
    { "step", step_rate, { 0.5, 0.5, 0.5, 0.05, 0.05, 0.05, 0.005, 0.005 } },
    /* torch.optim.lr_scheduler.ExponentialLR(o, 0.9) */
    { "exponential",
      exponential_rate,
      { 0.5, 0.45, 0.405, 0.3645, 0.32805, 0.295245, 0.2657205, 0.23914845 } },
    /* torch.optim.lr_scheduler.CosineAnnealingLR(o, 7, 0.1) */
    { "cosine",
      cosine_rate,
      { 0.5, 0.4801937735805, 0.4246979603717, 0.3445041867913, 0.2554958132087,
        0.1753020396283, 0.1198062264195, 0.1 } },
    /* torch.optim.lr_scheduler.LinearLR(o, 1.0, 0.2, 5) */
    { "linear", linear_rate, { 0.5, 0.42, 0.34, 0.26, 0.18, 0.1, 0.1, 0.1 } },
    /* torch.optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=8) */
    { "one_cycle",
      one_cycle_rate,
      { 0.02, 0.4096375524461, 0.4859708886938, 0.4058728269749, 0.2779920070614,
        0.1415304991043, 0.03832079691713, 2e-06 } },
    { "warm", warm_rate, { 0, 0.125, 0.25, 0.375, 0.5, 0.5, 0.5, 0.5 } },
    { "warm_linear", warm_linear, { 0, 0.25, 0.5, 0.4, 0.3, 0.2, 0.1, 0 } },
};

START_TEST(schedule)
{
    body_gives(rates[_i].name, rates[_i].body, COT_TYPES(cot_f64(8)),
               IN(F64(0, 1, 2, 3, 4, 5, 6, 7)), cot_f64(8), rates[_i].want, 1e-12);
}
END_TEST

/* ---- clipping, L-BFGS ---- */

BODY(clip_norm, cot_value y[2]; cot_clip_by_norm(COT_VALUES(in[0], in[1]), 2.5, y);
     out[0] = cot_concatenate(COT_VALUES(y[0], y[1]), 0);)
BODY(clip_loose, cot_value y[2]; out[0] = cot_clip_by_norm(COT_VALUES(in[0], in[1]), 9, y);
     out[0] = cot_add(out[0], y[0]);)
BODY(clip_value, cot_clip_by_value(COT_VALUES(in[0]), 0.5, out);)

START_TEST(clipping)
{
    const cot_types two = COT_TYPES(cot_f64(1), cot_f64(1));

    body_gives("norm", clip_norm, two, IN(F64(3), F64(4)), cot_f64(2), F64(1.5, 2), 1e-15);
    body_gives("zero", clip_norm, two, IN(F64(0), F64(0)), cot_f64(2), F64(0, 0), 0);
    body_gives("loose", clip_loose, two, IN(F64(3), F64(4)), cot_f64(1), F64(8), 0);
    body_gives("value", clip_value, COT_TYPES(cot_f64(3)), IN(F64(-2, 0.25, 1)), cot_f64(3),
               F64(-0.5, 0.25, 0.5), 0);
}
END_TEST

BODY(lbfgs, out[0] = cot_lbfgs_direction(in[0], in[1], in[2], in[3]);)
BODY(
    lbfgs_pushed, cot_value h[3] = { cot_zeros(t, cot_f64(3, 4)), cot_zeros(t, cot_f64(3, 4)),
                                     cot_zeros(t, cot_i32()) };
    for (int i = 0; i < 3; i++) {
        cot_value next[3];
        cot_lbfgs_push(h[0], h[1], h[2], cot_index(in[1], i, 0), cot_index(in[2], i, 0), next);
        memcpy(h, next, sizeof h);
    } out[0] = cot_lbfgs_direction(in[0], h[0], h[1], h[2]);)

/* Beside -H g with the dense update of H. */
START_TEST(lbfgs_direction)
{
    static const double want[3][4] = {
        { -1, 2, -0.5, -3 },
        { -0.212690561432, 0.534126616448, -0.02612630956841, -0.6150520862193 },
        { 0.02084496664145, 0.5531594589063, -0.1113571120804, -0.6009080105751 },
    };
    static const int32_t counts[3] = { 0, 1, 3 };
    const cot_types types = COT_TYPES(cot_f64(4), cot_f64(3, 4), cot_f64(3, 4), cot_i32());
    double s[3][4], y[3][4];

    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            s[k][i] = sin(1.3 * k + 0.7 * (i + 1));
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            y[k][i] = (i + 1) * s[k][i] + 0.3 * (s[k][0] + s[k][1] + s[k][2] + s[k][3]);
    const void *const in[] = { F64(1, -2, 0.5, 3), s, y, &counts[_i] };
    body_gives("lbfgs", lbfgs, types, in, cot_f64(4), want[_i], 1e-12);
    if (_i == 2)
        body_gives("lbfgs", lbfgs_pushed, types, in, cot_f64(4), want[2], 1e-12);
}
END_TEST

/* ---- initial weights ---- */

BODY(
    moments, const cot_type w = cot_f64(400, 100, 3); cot_value key = cot_key(t, 7);
    cot_value x[6] = { cot_xavier_uniform(t, w, .key = key),
                       cot_xavier_normal(t, w, .gain = 2, .key = key),
                       cot_kaiming_uniform(t, w, .key = key),
                       cot_kaiming_normal(t, w, .slope = 1, .fan_out = 1, .key = key),
                       cot_init_normal(t, w, .mean = 3, .std = 0.5, .key = key),
                       cot_xavier_uniform(t, cot_f64(40000), .key = key) };
    cot_value y[12]; for (int i = 0; i < 6; i++) {
        y[2 * i] = cot_mean(x[i]);
        y[2 * i + 1] = cot_var(x[i]);
    } out[0] = cot_stack(((cot_values){ .n = 12, .at = y }), 0);)

/* Means to 5 standard errors, variances to 2 percent. */
START_TEST(first_weights)
{
    const double fan_in = 300, fan_out = 1200;
    const double var[6] = { 2 / (fan_in + fan_out),
                            8 / (fan_in + fan_out),
                            2 / fan_in,
                            1 / fan_out,
                            0.25,
                            1 / 40000.0 };
    cot_context *ctx = cot_context_new(NULL);
    cot_fn *f = cot_fn_new(ctx, "moments", moments, 0, 1, NULL);
    cot_array *y = NULL;

    ck_assert_msg(cot_jit(f, &y, 1, NULL, 0) == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < 6; i++) {
        const double *got = (const double *)cot_array_read(y) + 2 * i;
        ck_assert_msg(fabs(got[0] - (i == 4 ? 3 : 0)) <
                          5 * sqrt(var[i] / (i == 5 ? 4e4 : 1.2e5)),
                      "%d: mean %g", i, got[0]);
        ck_assert_msg(fabs(got[1] / var[i] - 1) < 0.02, "%d: variance %g, wants %g", i, got[1],
                      var[i]);
    }
    cot_array_free(y);
    cot_context_free(ctx);
}
END_TEST

BODY(of_truncated, cot_value x = cot_truncated_normal(t, cot_f32(100000), .key = cot_key(t, 3));
     cot_value y = cot_truncated_normal(t, cot_f64(100000), .mean = 1, .std = 2, .low = 0,
                                        .high = 4, .key = cot_key(t, 4));
     cot_value z[8] = { cot_reduce_min(x), cot_reduce_max(x), cot_mean(x), cot_var(x),
                        cot_reduce_min(y), cot_reduce_max(y), cot_mean(y), cot_var(y) };
     for (int i = 0; i < 4; i++) z[i] = cot_convert(z[i], COT_F64);
     out[0] = cot_stack(((cot_values){ .n = 8, .at = z }), 0);)

/* scipy.stats.truncnorm(-2, 2).var() and truncnorm(-0.5, 1.5, 1, 2).stats(). */
START_TEST(truncated)
{
    const double want[8] = { -2, 2, 0, 0.7737413, 0, 4, 1.7125458, 1.1209926 };
    const double off[8] = { 1e-3, 1e-3, 0.015, 0.01, 1e-3, 1e-3, 0.02, 0.02 };
    cot_context *ctx = cot_context_new(NULL);
    cot_array *y = NULL;

    cot_fn *f = cot_fn_new(ctx, "cut", of_truncated, 0, 1, NULL);
    ck_assert_msg(cot_jit(f, &y, 1, NULL, 0) == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < 8; i++) {
        const double got = ((const double *)cot_array_read(y))[i];
        ck_assert_msg(fabs(got - want[i]) < off[i], "%d is %.7g, wants %.7g", i, got, want[i]);
    }
    cot_array_free(y);
    cot_context_free(ctx);
}
END_TEST

BODY(turned, cot_value x = cot_reshape(cot_orthogonal(t, cot_f64(4, 3, 2), .gain = 2,
                                                      .key = cot_key(t, 5)),
                                       4, 6);
     cot_value y = cot_orthogonal(t, cot_f64(7, 4), .key = cot_key(t, 6));
     out[0] = cot_sub(cot_matmul(x, cot_transpose(x)), cot_mul(4, cot_eye(t, COT_F64, 4)));
     out[0] = cot_stack(COT_VALUES(out[0], cot_sub(cot_matmul(cot_transpose(y), y),
                                                   cot_eye(t, COT_F64, 4))),
                        0);)

START_TEST(orthogonal)
{
    static const double zeros[32];

    body_gives("turned", turned, COT_TYPES(), NULL, cot_f64(2, 4, 4), zeros, 1e-14);
}
END_TEST

/* ---- errors ---- */

/* Bodies are rows of one line, since messages name their lines. */
#define RNN(x)   const cot_rnn_weights w = { x, x, COT_UNSET, COT_UNSET }
#define HEADS(x) const cot_attention_weights w = { x, COT_UNSET, COT_UNSET, COT_UNSET }
#define STEP(kind_, state, to)                                                                 \
    cot_optim_step(&(cot_optim){ .kind = kind_ }, COT_VALUES(in[0]), COT_VALUES(in[0]), state, \
                   out, to)

#line 1 "nn.c"
BODY(groups, out[0] = cot_group_norm(in[0], 2);)
BODY(no_float, out[0] = cot_elu(in[1]);)
BODY(conv_rank, out[0] = cot_conv2d(in[0], in[0], COT_UNSET);)
BODY(back_same, out[0] = cot_conv_transpose1d(in[2], in[2], COT_UNSET, .same = 1);)
BODY(pool_sizes, out[0] = cot_adaptive_avg_pool(in[0], COT_LIST(0));)
BODY(rnn_weights, RNN(in[0]); out[0] = cot_gru_cell(in[0], in[0], &w);)
BODY(rnn_steps, RNN(in[3]); out[0] = cot_rnn(in[4], in[4], &w, NULL);)
BODY(attend, out[0] = cot_attention(in[0], in[3], in[3]);)
BODY(heads, HEADS(in[0]); out[0] = cot_multi_head_attention(in[0], in[0], in[0], &w, 1);)
BODY(odd, out[0] = cot_rotary(in[0]);)
BODY(labels, out[0] = cot_cross_entropy(in[0], in[5], .label_smoothing = 0.1);)
BODY(nll_soft, out[0] = cot_nll(in[0], in[0]);)
BODY(ctc, out[0] = cot_ctc(in[2], in[1], in[1], in[1]);)
BODY(optim, STEP(COT_ADAM, COT_VALUES(), NULL);)
BODY(pairs, out[0] = cot_lbfgs_direction(in[0], in[0], in[0], in[0]);)
BODY(kind, STEP((cot_optim_kind)9, COT_VALUES(in[0]), out);)

START_TEST(errors)
{
    static const struct {
        cot_body *body;
        cot_status status;
        const char *want;
    } row[] = {
        { groups, COT_ERR_SHAPE,
          "nn.c:1: group_norm: x is f32[2,3] with 2 groups; wants [n, c, ...] and groups that "
          "divide c" },
        { no_float, COT_ERR_DTYPE, "nn.c:2: elu: operand is i32[2]; wants a floating type" },
        { conv_rank, COT_ERR_SHAPE,
          "nn.c:3: conv2d: x is f32[2,3], weight is f32[2,3]; wants examples, features and 2 "
          "spatial axes of both" },
        { back_same, COT_ERR_ARG,
          "nn.c:4: conv_transpose1d: x is f32[2,2,2], weight is f32[2,2,2]; wants x [n, i, "
          "...], weight [i, o / groups, ...], two entries of padding for each spatial axis, "
          "and no other options but strides, dilation and groups" },
        { pool_sizes, COT_ERR_SHAPE,
          "nn.c:5: adaptive_avg_pool: x is f32[2,3] with 1 sizes; wants sizes of 1 or more "
          "for the last axes, and axes before them" },
        { rnn_weights, COT_ERR_SHAPE,
          "nn.c:6: gru: x is f32[2,3], w_ih is f32[2,3], w_hh is f32[2,3]; wants x [..., in], "
          "w_ih [3 h, in] and w_hh [3 h, h]" },
        { rnn_steps, COT_ERR_SHAPE, "nn.c:7: rnn: x is f32[2]; wants x [steps, ..., in]" },
        { attend, COT_ERR_SHAPE,
          "nn.c:8: attention: q is f32[2,3], k is f32[2,2], v is f32[2,2]; wants q [..., l, "
          "e], k [..., s, e] and v [..., s, f]" },
        { heads, COT_ERR_SHAPE,
          "nn.c:9: multi_head_attention: q is f32[2,3], in_weight is f32[2,3], 1 heads; wants "
          "q [..., l, e], in_weight [3 e, e], and heads that divide e" },
        { odd, COT_ERR_SHAPE,
          "nn.c:10: rotary: x is f32[2,3]; wants x [..., l, d] with an even d" },
        { labels, COT_ERR_SHAPE,
          "nn.c:11: cross_entropy: x is f32[2,3], labels are i32[3], weights nothing; wants x "
          "[..., n], integers [...] or probabilities [..., n], and weights [n]" },
        { nll_soft, COT_ERR_DTYPE, "nn.c:12: nll: labels are f32[2,3]; wants integers" },
        { ctc, COT_ERR_SHAPE,
          "nn.c:13: ctc: x is f32[2,2,2], targets are i32[2], lengths i32[2] and i32[2]; "
          "wants x [t, n, c], integers [n, s], and lengths [n]" },
        { optim, COT_ERR_ARG,
          "nn.c:14: optim_step: 1 parameters, 1 gradients, 0 values of state; wants 1 and 3" },
        { pairs, COT_ERR_SHAPE,
          "nn.c:15: lbfgs: g is f32[2,3], s is f32[2,3], y is f32[2,3], count is f32[2,3]; "
          "wants g [n], s and y [m, n], and a scalar" },
        { kind, COT_ERR_ARG, "nn.c:16: optim_step: kind is 9; wants an optimiser" },
    };
    cot_context *ctx = cot_context_new(NULL);
    const cot_types types = COT_TYPES(cot_f32(2, 3), cot_i32(2), cot_f32(2, 2, 2),
                                      cot_f32(2, 2), cot_f32(2), cot_i32(3));

    traced_fails(cot_fn_new(ctx, "f", row[_i].body, 6, 1, NULL), types, row[_i].status,
                 row[_i].want);
    cot_context_free(ctx);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))

int
main(void)
{
    const suite_case cases[] = {
        { "optimisers", optimiser, COUNT(optimisers) },
        { "halves", rates_and_halves, 0 },
        { "schedules", schedule, COUNT(rates) },
        ONCE(clipping),
        { "lbfgs", lbfgs_direction, 3 },
        { "weights", first_weights, 0 },
        ONCE(truncated),
        ONCE(orthogonal),
        EACH(errors, 16),
    };

    return SUITE("optim", cases);
}
