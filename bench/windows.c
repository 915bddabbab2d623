/* Convolutions, pooling, sorting, running sums, the largest few: as users write them (see
 * workloads.h). */
#include "bench/workloads.h"

#define BODY(name)                                                                             \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
#define UNUSED (void)t, (void)user

BODY(conv)
{
    UNUSED;
    out[0] = cot_conv(in[0], in[1], .spec = "NHWC,HWIO->NHWC", .same = 1);
}

BODY(conv_with)
{
    cot_value y;
    conv(t, in, &y, user);
    out[0] = cot_reduce_sum(cot_mul(y, in[2]));
}

static cot_value
pooled(cot_value x, int64_t size)
{
    /* window_max takes the last axes: features go first for its sake, which moves nothing */
    cot_value y = cot_transpose(x, .perm = COT_LIST(0, 3, 1, 2));
    y = cot_max_pool(y, COT_LIST(size, size), .strides = COT_LIST(2, 2), .same = 1);
    return cot_transpose(y, .perm = COT_LIST(0, 2, 3, 1));
}

BODY(conv_dilated)
{
    UNUSED;
    out[0] = cot_conv(in[0], in[1], .spec = "NHWC,HWIO->NHWC", .dilation = COT_LIST(2, 2),
                      .same = 1);
}

BODY(conv_steps)
{
    UNUSED;
    out[0] =
        cot_conv(in[0], in[1], .spec = "NHWC,HWIO->NHWC", .strides = COT_LIST(2, 2), .same = 1);
}

/* 32 groups of 4 features, as ResNeXt has them */
BODY(conv_groups)
{
    UNUSED;
    out[0] = cot_conv(in[0], in[1], .spec = "NHWC,HWIO->NHWC", .same = 1, .groups = 32);
}

BODY(conv_depthwise)
{
    UNUSED;
    out[0] = cot_conv(in[0], in[1], .spec = "NHWC,HWIO->NHWC", .same = 1, .groups = 128);
}

#define WITH(name)                                                                             \
    BODY(name##_with)                                                                          \
    {                                                                                          \
        cot_value y;                                                                           \
        name(t, in, &y, user);                                                                 \
        out[0] = cot_reduce_sum(cot_mul(y, in[2]));                                            \
    }
WITH(conv_dilated)
WITH(conv_steps)
WITH(conv_groups)
WITH(conv_depthwise)

BODY(max_pool_3)
{
    UNUSED;
    out[0] = pooled(in[0], 3);
}

BODY(max_pool_2)
{
    UNUSED;
    out[0] = pooled(in[0], 2);
}

WITH(max_pool_3)
WITH(max_pool_2)

BODY(sort)
{
    UNUSED;
    out[0] = cot_sort(in[0], -1);
}

BODY(cumsum)
{
    UNUSED;
    out[0] = cot_cumsum(in[0], -1);
}

BODY(top_10)
{
    UNUSED;
    out[0] = cot_top_k(in[0], 10, &out[1]);
}

BODY(top_5)
{
    UNUSED;
    out[0] = cot_top_k(in[0], 5, &out[1]);
}

#define PLAIN(name, n_in, n_out)                                                               \
    static cot_fn *make_##name(cot_context *ctx)                                               \
    {                                                                                          \
        return cot_fn_new(ctx, #name, name, n_in, n_out, NULL);                                \
    }
PLAIN(conv, 2, 1)
PLAIN(max_pool_3, 1, 1)
PLAIN(max_pool_2, 1, 1)
PLAIN(sort, 1, 1)
PLAIN(cumsum, 1, 1)
PLAIN(top_10, 1, 2)
PLAIN(top_5, 1, 2)

static cot_fn *
make_conv_grad_x(cot_context *ctx)
{
    return cot_grad(cot_fn_new(ctx, "conv_with", conv_with, 3, 1, NULL), .wrt = COT_LIST(0));
}

static cot_fn *
make_conv_grad_w(cot_context *ctx)
{
    return cot_grad(cot_fn_new(ctx, "conv_with", conv_with, 3, 1, NULL), .wrt = COT_LIST(1));
}

#define GRAD(name, body, n, i)                                                                 \
    static cot_fn *make_##name(cot_context *ctx)                                               \
    {                                                                                          \
        return cot_grad(cot_fn_new(ctx, #body, body, n, 1, NULL), .wrt = COT_LIST(i));         \
    }
PLAIN(conv_dilated, 2, 1)
PLAIN(conv_steps, 2, 1)
PLAIN(conv_groups, 2, 1)
PLAIN(conv_depthwise, 2, 1)
GRAD(conv_dilated_x, conv_dilated_with, 3, 0)
GRAD(conv_dilated_w, conv_dilated_with, 3, 1)
GRAD(conv_steps_x, conv_steps_with, 3, 0)
GRAD(conv_steps_w, conv_steps_with, 3, 1)
GRAD(conv_groups_x, conv_groups_with, 3, 0)
GRAD(conv_groups_w, conv_groups_with, 3, 1)
GRAD(conv_depthwise_x, conv_depthwise_with, 3, 0)
GRAD(conv_depthwise_w, conv_depthwise_with, 3, 1)
GRAD(max_pool_3_grad, max_pool_3_with, 3, 0)
GRAD(max_pool_2_grad, max_pool_2_with, 3, 0)

static workload_arg
normal(cot_type t)
{
    return (workload_arg){ t, 0, 1, 1 };
}

static void
args_conv_56(workload_arg *a)
{
    a[0] = a[2] = normal(cot_f32(32, 56, 56, 64));
    a[1] = normal(cot_f32(3, 3, 64, 64));
}

static void
args_conv_28(workload_arg *a)
{
    a[0] = normal(cot_f32(1, 28, 28, 16));
    a[1] = normal(cot_f32(3, 3, 16, 32));
    a[2] = normal(cot_f32(1, 28, 28, 32));
}

static void
args_conv_dilated(workload_arg *a)
{
    a[0] = a[2] = normal(cot_f32(8, 56, 56, 64));
    a[1] = normal(cot_f32(3, 3, 64, 64));
}

static void
args_conv_steps(workload_arg *a)
{
    a[0] = normal(cot_f32(8, 56, 56, 64));
    a[1] = normal(cot_f32(3, 3, 64, 128));
    a[2] = normal(cot_f32(8, 28, 28, 128));
}

static void
args_conv_groups(workload_arg *a)
{
    a[0] = a[2] = normal(cot_f32(8, 56, 56, 128));
    a[1] = normal(cot_f32(3, 3, 4, 128));
}

static void
args_conv_depthwise(workload_arg *a)
{
    a[0] = a[2] = normal(cot_f32(8, 56, 56, 128));
    a[1] = normal(cot_f32(3, 3, 1, 128));
}

static void
args_pool_112(workload_arg *a)
{
    a[0] = normal(cot_f32(32, 112, 112, 64));
    a[1] = normal(cot_f32(1));
    a[2] = normal(cot_f32(32, 56, 56, 64));
}

static void
args_pool_28(workload_arg *a)
{
    a[0] = normal(cot_f32(1, 28, 28, 32));
    a[1] = normal(cot_f32(1));
    a[2] = normal(cot_f32(1, 14, 14, 32));
}

static void
args_1e4(workload_arg *a)
{
    a[0] = normal(cot_f32(10000));
}

static void
args_1e6(workload_arg *a)
{
    a[0] = normal(cot_f32(1000000));
}

static void
args_1e7(workload_arg *a)
{
    a[0] = normal(cot_f32(10000000));
}

static void
args_1000x1000(workload_arg *a)
{
    a[0] = normal(cot_f32(1000, 1000));
}

#define CONV_56 (2.0 * 32 * 56 * 56 * 64 * 576)
#define CONV_28 (2.0 * 28 * 28 * 32 * 144)
static const workload rows[] = {
    { "conv_56", make_conv, args_conv_56, 2, NULL, 51.5e6, CONV_56, 0 },
    { "conv_56_grad_x", make_conv_grad_x, args_conv_56, 3, NULL, 51.5e6, CONV_56, 0 },
    { "conv_56_grad_w", make_conv_grad_w, args_conv_56, 3, NULL, 51.5e6, CONV_56, 0 },
    { "conv_28", make_conv, args_conv_28, 2, NULL, 169e3, CONV_28, 0 },
    { "conv_28_grad_x", make_conv_grad_x, args_conv_28, 3, NULL, 169e3, CONV_28, 0 },
    { "conv_28_grad_w", make_conv_grad_w, args_conv_28, 3, NULL, 169e3, CONV_28, 0 },
    { "conv_dilated", make_conv_dilated, args_conv_dilated, 2, NULL, 12.8e6,
      2.0 * 8 * 56 * 56 * 64 * 576, 0 },
    { "conv_dilated_grad_x", make_conv_dilated_x, args_conv_dilated, 3, NULL, 12.8e6,
      2.0 * 8 * 56 * 56 * 64 * 576, 0 },
    { "conv_dilated_grad_w", make_conv_dilated_w, args_conv_dilated, 3, NULL, 12.8e6,
      2.0 * 8 * 56 * 56 * 64 * 576, 0 },
    { "conv_steps", make_conv_steps, args_conv_steps, 2, NULL, 9.6e6,
      2.0 * 8 * 28 * 28 * 128 * 576, 0 },
    { "conv_steps_grad_x", make_conv_steps_x, args_conv_steps, 3, NULL, 9.6e6,
      2.0 * 8 * 28 * 28 * 128 * 576, 0 },
    { "conv_steps_grad_w", make_conv_steps_w, args_conv_steps, 3, NULL, 9.6e6,
      2.0 * 8 * 28 * 28 * 128 * 576, 0 },
    { "conv_groups", make_conv_groups, args_conv_groups, 2, NULL, 25.7e6,
      2.0 * 8 * 56 * 56 * 128 * 36, 0 },
    { "conv_groups_grad_x", make_conv_groups_x, args_conv_groups, 3, NULL, 25.7e6,
      2.0 * 8 * 56 * 56 * 128 * 36, 0 },
    { "conv_groups_grad_w", make_conv_groups_w, args_conv_groups, 3, NULL, 25.7e6,
      2.0 * 8 * 56 * 56 * 128 * 36, 0 },
    { "conv_depthwise", make_conv_depthwise, args_conv_depthwise, 2, NULL, 25.7e6,
      2.0 * 8 * 56 * 56 * 128 * 9, 0 },
    { "conv_depthwise_grad_x", make_conv_depthwise_x, args_conv_depthwise, 3, NULL, 25.7e6,
      2.0 * 8 * 56 * 56 * 128 * 9, 0 },
    { "conv_depthwise_grad_w", make_conv_depthwise_w, args_conv_depthwise, 3, NULL, 25.7e6,
      2.0 * 8 * 56 * 56 * 128 * 9, 0 },
    { "max_pool_112", make_max_pool_3, args_pool_112, 1, NULL, 128.5e6, 57.8e6, 0 },
    { "max_pool_28", make_max_pool_2, args_pool_28, 1, NULL, 125e3, 25e3, 0 },
    { "max_pool_112_grad", make_max_pool_3_grad, args_pool_112, 3, NULL, 231e6, 57.8e6, 0 },
    { "max_pool_28_grad", make_max_pool_2_grad, args_pool_28, 3, NULL, 226e3, 25e3, 0 },
    { "sort_1e4", make_sort, args_1e4, 1, NULL, 8e4, 0, 0 },
    { "sort_1e6", make_sort, args_1e6, 1, NULL, 8e6, 0, 0 },
    { "cumsum_1e4", make_cumsum, args_1e4, 1, NULL, 8e4, 1e4, 0 },
    { "cumsum_1e7", make_cumsum, args_1e7, 1, NULL, 8e7, 1e7, 0 },
    { "top_10_1e6", make_top_10, args_1e6, 1, NULL, 4e6, 0, 0 },
    { "top_5_1000x1000", make_top_5, args_1000x1000, 1, NULL, 4e6, 0, 0 },
};
const workload_list window_workloads = { rows, sizeof rows / sizeof *rows,
                                         "convolutions and pooling", "C by hand" };
