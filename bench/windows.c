/* Convolutions, pooling, sorting, running sums, the largest few: as users write them (see workloads.h). */
#include "bench/windows.h"

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
    cot_fn *make_##name(cot_context *ctx)                                                      \
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

cot_fn *
make_conv_grad_x(cot_context *ctx)
{
    return cot_grad(cot_fn_new(ctx, "conv_with", conv_with, 3, 1, NULL), .wrt = COT_LIST(0));
}

cot_fn *
make_conv_grad_w(cot_context *ctx)
{
    return cot_grad(cot_fn_new(ctx, "conv_with", conv_with, 3, 1, NULL), .wrt = COT_LIST(1));
}

static workload_arg
normal(cot_type t)
{
    return (workload_arg){ t, 0, 1, 1 };
}

void
args_conv_56(workload_arg *a)
{
    a[0] = a[2] = normal(cot_f32(32, 56, 56, 64));
    a[1] = normal(cot_f32(3, 3, 64, 64));
}

void
args_conv_28(workload_arg *a)
{
    a[0] = normal(cot_f32(1, 28, 28, 16));
    a[1] = normal(cot_f32(3, 3, 16, 32));
    a[2] = normal(cot_f32(1, 28, 28, 32));
}

void
args_pool_112(workload_arg *a)
{
    a[0] = normal(cot_f32(32, 112, 112, 64));
}

void
args_pool_28(workload_arg *a)
{
    a[0] = normal(cot_f32(1, 28, 28, 32));
}

void
args_1e4(workload_arg *a)
{
    a[0] = normal(cot_f32(10000));
}

void
args_1e6(workload_arg *a)
{
    a[0] = normal(cot_f32(1000000));
}

void
args_1e7(workload_arg *a)
{
    a[0] = normal(cot_f32(10000000));
}

void
args_1000x1000(workload_arg *a)
{
    a[0] = normal(cot_f32(1000, 1000));
}
