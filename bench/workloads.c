/* The workloads as users of Cotrace write them (see workloads.h). */
#include "bench/workloads.h"

#define NORMAL(t, deviation)  ((workload_arg){ (t), 0, (deviation), 1 })
#define UNIFORM(t, low, high) ((workload_arg){ (t), (low), (high), 0 })
#define NUMBER(x)             ((workload_arg){ cot_f32(), (x), (x), 0 })
#define BODY(name)                                                                             \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
#define UNUSED (void)t, (void)user

/* ---- pointwise ---- */

BODY(saxpy)
{
    UNUSED;
    out[0] = cot_add(cot_mul(in[0], in[1]), in[2]);
}

BODY(gelu)
{
    UNUSED;
    out[0] = cot_gelu(in[0], .tanh = 1);
}

static cot_value
normal_cdf(cot_value d)
{
    return cot_mul(0.5, cot_add(1.0, cot_erf(cot_mul(d, 0.70710678118654752))));
}

BODY(black_scholes)
{
    UNUSED;
    const double rate = 0.03;
    cot_value S = in[0], K = in[1], T = in[2], v = in[3], root = cot_sqrt(T);
    cot_value drift = cot_mul(cot_add(rate, cot_mul(cot_mul(0.5, v), v)), T);
    cot_value d1 = cot_div(cot_add(cot_log(cot_div(S, K)), drift), cot_mul(v, root));
    cot_value d2 = cot_sub(d1, cot_mul(v, root));
    cot_value strike = cot_mul(K, cot_exp(cot_mul(-rate, T)));
    out[0] = cot_sub(cot_mul(S, normal_cdf(d1)), cot_mul(strike, normal_cdf(d2)));
}

BODY(tiny)
{
    UNUSED;
    out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), in[0]));
}

#define PLAIN(name, body, n_in, n_out)                                                         \
    static cot_fn *make_##name(cot_context *ctx)                                               \
    {                                                                                          \
        return cot_fn_new(ctx, #name, body, n_in, n_out, NULL);                                \
    }

PLAIN(saxpy, saxpy, 3, 1)
PLAIN(gelu, gelu, 1, 1)
PLAIN(price, black_scholes, 4, 1)
PLAIN(tiny, tiny, 1, 1)

static cot_fn *
make_greeks(cot_context *ctx)
{
    return cot_vmap(cot_grad(make_price(ctx), .wrt = COT_LIST(0, 2, 3)));
}

static cot_fn *
make_tiny_grad(cot_context *ctx)
{
    return cot_grad(make_tiny(ctx));
}

static void
args_saxpy(workload_arg *a)
{
    a[0] = NUMBER(2.5);
    a[1] = a[2] = NORMAL(cot_f32(10000000), 1);
}

static void
args_vector(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(10000000), 1);
}

static void
args_short(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(30000), 1);
}

static void
args_options(workload_arg *a)
{
    a[0] = a[1] = UNIFORM(cot_f32(1000000), 50, 150);
    a[2] = UNIFORM(cot_f32(1000000), 0.1, 2);
    a[3] = UNIFORM(cot_f32(1000000), 0.1, 0.6);
}

static void
args_tiny(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(4), 1);
}

/* ---- rows ---- */

BODY(softmax)
{
    UNUSED;
    out[0] = cot_softmax(in[0]);
}

BODY(layer_norm)
{
    UNUSED;
    out[0] = cot_layer_norm(in[0], .scale = in[1], .bias = in[2]);
}

BODY(sum)
{
    UNUSED;
    out[0] = cot_reduce_sum(in[0]);
}

PLAIN(softmax, softmax, 1, 1)
PLAIN(layer_norm, layer_norm, 3, 1)
PLAIN(sum, sum, 1, 1)

/* Only the cotangents of the arguments, as a user wants them. */
BODY(softmax_pullback)
{
    cot_value both[2];
    (void)t;
    cot_call_all(cot_vjp((cot_fn *)user), COT_VALUES(in[0], in[1]), both, 2);
    out[0] = both[1];
}

BODY(layer_norm_pullback)
{
    cot_value all[4];
    (void)t;
    cot_call_all(cot_vjp((cot_fn *)user), COT_VALUES(in[0], in[1], in[2], in[3]), all, 4);
    for (int i = 0; i < 3; i++)
        out[i] = all[i + 1];
}

static cot_fn *
make_softmax_grad(cot_context *ctx)
{
    return cot_fn_new(ctx, "softmax_grad", softmax_pullback, 2, 1, make_softmax(ctx));
}

static cot_fn *
make_layer_norm_grad(cot_context *ctx)
{
    return cot_fn_new(ctx, "layer_norm_grad", layer_norm_pullback, 4, 3, make_layer_norm(ctx));
}

static void
args_rows(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(4096, 1024), 3);
    a[1] = NORMAL(cot_f32(4096, 1024), 1);
}

static void
args_layer_norm(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(4096, 1024), 1);
    a[1] = a[2] = NORMAL(cot_f32(1024), 1);
    a[3] = NORMAL(cot_f32(4096, 1024), 1);
}

static void
args_sum(workload_arg *a)
{
    a[0] = UNIFORM(cot_f32(10000000), 0, 1);
}

/* ---- products ---- */

BODY(matmul)
{
    UNUSED;
    out[0] = cot_matmul(in[0], in[1]);
}

/* x, w0, b0, w1, b1, ... -> logits; user points to the number of layers. */
static cot_value
network(cot_value x, const cot_value *p, int layers)
{
    for (int i = 0; i < layers; i++) {
        x = cot_add(cot_matmul(x, p[2 * i]), p[2 * i + 1]);
        if (i < layers - 1)
            x = cot_relu(x);
    }
    return x;
}

BODY(loss3)
{
    UNUSED;
    out[0] = cot_cross_entropy(network(in[0], in + 2, 3), in[1]);
}

BODY(mlp_step)
{
    cot_value all[7];
    cot_fn *df = cot_grad_and_value((cot_fn *)user, .wrt = COT_LIST(2, 3, 4, 5, 6, 7));
    (void)t;
    cot_call_all(df, COT_VALUES(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]), all,
                 7);
    out[0] = all[6];
    for (int i = 0; i < 6; i++)
        out[i + 1] = cot_sub(in[i + 2], cot_mul(0.1, all[i]));
}

PLAIN(matmul, matmul, 2, 1)
PLAIN(loss3, loss3, 8, 1)

static cot_fn *
make_mlp_step(cot_context *ctx)
{
    return cot_fn_new(ctx, "mlp_step", mlp_step, 8, 7, make_loss3(ctx));
}

static cot_fn *
make_per_sample(cot_context *ctx)
{
    cot_fn *df = cot_grad(make_loss3(ctx), .wrt = COT_LIST(2, 3, 4, 5, 6, 7));
    return cot_vmap(df, .in_dims = COT_LIST(0, 0, COT_NONE, COT_NONE, COT_NONE, COT_NONE,
                                            COT_NONE, COT_NONE));
}

static void
args_matmul(workload_arg *a, int64_t n)
{
    a[0] = a[1] = NORMAL(cot_f32(n, n), 1);
}

/* A few examples by a layer, and a large matrix by a few columns. */
static void
args_matmul_8x4096(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(8, 4096), 1);
    a[1] = NORMAL(cot_f32(4096, 4096), 1);
}
static void
args_matmul_4096x8(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(4096, 4096), 1);
    a[1] = NORMAL(cot_f32(4096, 8), 1);
}

static void
args_matmul_512(workload_arg *a)
{
    args_matmul(a, 512);
}
static void
args_matmul_1024(workload_arg *a)
{
    args_matmul(a, 1024);
}
static void
args_matmul_2048(workload_arg *a)
{
    args_matmul(a, 2048);
}

static void
args_network(workload_arg *a, const int64_t *size, int layers)
{
    for (int i = 0; i < layers; i++) {
        a[2 * i] = NORMAL(cot_f32(size[i], size[i + 1]), 0.05);
        a[2 * i + 1] = NORMAL(cot_f32(size[i + 1]), 0.01);
    }
}

static void
args_mlp_step(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(128, 784), 1);
    a[1] = UNIFORM(cot_i32(128), 0, 10);
    args_network(a + 2, (const int64_t[]){ 784, 512, 512, 10 }, 3);
}

static void
args_per_sample(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(64, 784), 1);
    a[1] = UNIFORM(cot_i32(64), 0, 10);
    args_network(a + 2, (const int64_t[]){ 784, 128, 128, 10 }, 3);
}

/* ---- jacobians ---- */

BODY(two_layers)
{
    UNUSED;
    cot_value h = cot_tanh(cot_add(cot_matmul(in[0], in[1]), in[2]));
    out[0] = cot_add(cot_matmul(h, in[3]), in[4]);
}

BODY(sum_of_squares)
{
    two_layers(t, in, out, user);
    out[0] = cot_reduce_sum(cot_square(out[0]));
}

static cot_fn *
make_jacrev(cot_context *ctx)
{
    return cot_jacrev(cot_fn_new(ctx, "two_layers", two_layers, 5, 1, NULL));
}

static cot_fn *
make_hessian(cot_context *ctx)
{
    return cot_hessian(cot_fn_new(ctx, "sum_of_squares", sum_of_squares, 5, 1, NULL));
}

static void
args_jacrev(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(256), 1);
    args_network(a + 1, (const int64_t[]){ 256, 512, 256 }, 2);
}

static void
args_hessian(workload_arg *a)
{
    a[0] = NORMAL(cot_f32(64), 1);
    args_network(a + 1, (const int64_t[]){ 64, 128, 64 }, 2);
}

/* ---- Lorenz by RK4, dt = 0.001, 10,000 steps ---- */

typedef struct lorenz_params {
    cot_value s, r, b;
} lorenz_params;

static void
lorenz(const lorenz_params *p, const cot_value *u, cot_value *d)
{
    d[0] = cot_mul(p->s, cot_sub(u[1], u[0]));
    d[1] = cot_sub(cot_mul(u[0], cot_sub(p->r, u[2])), u[1]);
    d[2] = cot_sub(cot_mul(u[0], u[1]), cot_mul(p->b, u[2]));
}

static void
along(const cot_value *u, double h, const cot_value *d, cot_value *out)
{
    for (int i = 0; i < 3; i++)
        out[i] = cot_add(u[i], cot_mul(h, d[i]));
}

BODY(rk4)
{
    const double dt = 0.001;
    const lorenz_params *p = user;
    cot_value k[4][3], u[3];
    (void)t;
    lorenz(p, in, k[0]);
    along(in, dt / 2, k[0], u);
    lorenz(p, u, k[1]);
    along(in, dt / 2, k[1], u);
    lorenz(p, u, k[2]);
    along(in, dt, k[2], u);
    lorenz(p, u, k[3]);
    for (int i = 0; i < 3; i++) {
        cot_value sum = cot_add(cot_add(k[0][i], cot_mul(2, k[1][i])), cot_mul(2, k[2][i]));
        out[i] = cot_add(in[i], cot_mul(dt / 6, cot_add(sum, k[3][i])));
    }
}

BODY(lorenz_run)
{
    (void)t, (void)user;
    lorenz_params p = { in[3], in[4], in[5] };
    cot_scan(rk4, .in = COT_VALUES(in[0], in[1], in[2]), .length = 10000, .user = &p,
             .out = out);
}

PLAIN(lorenz_1, lorenz_run, 6, 3)

static cot_fn *
make_lorenz_1024(cot_context *ctx)
{
    return cot_vmap(make_lorenz_1(ctx),
                    .in_dims = COT_LIST(0, 0, 0, COT_NONE, COT_NONE, COT_NONE));
}

/* ---- linear algebra: of x + n, x between -1 and 1, which every factorisation takes ---- */

static cot_value
definite(cot_trace *t, cot_value x)
{
    const cot_type type = cot_type_of(x);
    const int64_t n = type.dims[type.rank - 1];

    return cot_add(x, cot_mul((double)n, cot_eye(t, type.dtype, n)));
}

BODY(cholesky)
{
    UNUSED;
    out[0] = cot_cholesky(definite(t, in[0]));
}

BODY(lu)
{
    UNUSED;
    out[0] = cot_lu(in[0], NULL, NULL);
}

BODY(qr)
{
    UNUSED;
    out[0] = cot_qr(in[0], &out[1]);
}

BODY(eigh)
{
    UNUSED;
    out[0] = cot_eigh(in[0], &out[1]);
}

BODY(svd)
{
    UNUSED;
    out[0] = cot_svd(in[0], &out[1], &out[2]);
}

BODY(inverse)
{
    UNUSED;
    out[0] = cot_inv(in[0]);
}

BODY(log_determinant)
{
    UNUSED;
    (void)cot_slogdet(in[0], &out[0]);
}

BODY(determinant)
{
    UNUSED;
    out[0] = cot_det(in[0]);
}

BODY(least_squares)
{
    UNUSED;
    out[0] = cot_lstsq(in[0], in[1]);
}

PLAIN(cholesky, cholesky, 1, 1)
PLAIN(lu, lu, 1, 1)
PLAIN(qr, qr, 1, 2)
PLAIN(eigh, eigh, 1, 2)
PLAIN(svd, svd, 1, 3)
PLAIN(inverse, inverse, 1, 1)
PLAIN(log_determinant, log_determinant, 1, 1)
PLAIN(determinant, determinant, 1, 1)
PLAIN(least_squares, least_squares, 2, 1)

static cot_fn *
make_log_determinant_grad(cot_context *ctx)
{
    return cot_grad(make_log_determinant(ctx));
}

static cot_fn *
make_determinant_grad(cot_context *ctx)
{
    return cot_grad(make_determinant(ctx));
}

#define MATRIX(name, ...)                                                                      \
    static void args_##name(workload_arg *a)                                                   \
    {                                                                                          \
        a[0] = UNIFORM(__VA_ARGS__, -1, 1);                                                    \
    }
MATRIX(matrix_32, cot_f32(32, 32))
MATRIX(matrix_16, cot_f32(16, 16))
MATRIX(matrix_128, cot_f32(128, 128))
MATRIX(matrix_256, cot_f32(256, 256))
MATRIX(matrix_1024, cot_f32(1024, 1024))
MATRIX(matrix_256_f64, cot_f64(256, 256))
MATRIX(matrix_1024_f64, cot_f64(1024, 1024))
MATRIX(matrices, cot_f32(4096, 8, 8))

static void
args_least_squares(workload_arg *a)
{
    a[0] = UNIFORM(cot_f32(256, 64), -1, 1);
    a[1] = UNIFORM(cot_f32(256), -1, 1);
}

static void
args_parameters(workload_arg *a)
{
    a[3] = NUMBER(10);
    a[4] = NUMBER(28);
    a[5] = NUMBER(8.0 / 3);
}

static void
args_lorenz_1(workload_arg *a)
{
    a[0] = a[1] = a[2] = NUMBER(1);
    args_parameters(a);
}

static void
args_lorenz_1024(workload_arg *a)
{
    a[0] = a[1] = a[2] = UNIFORM(cot_f32(1024), 0.8, 1.2);
    args_parameters(a);
}

#define ROWS    (4096.0 * 1024)
#define CUBE(n) (2.0 * (n) * (n) * (n))

static const workload rows[] = {
    { "saxpy_1e7", make_saxpy, args_saxpy, 3, hand_saxpy_1e7, 12e7, 2e7, 0 },
    { "gelu_tanh_1e7", make_gelu, args_vector, 1, hand_gelu_tanh_1e7, 8e7, 10e7, 0 },
    { "gelu_tanh_3e4", make_gelu, args_short, 1, hand_gelu_tanh_3e4, 24e4, 30e4, 0 },
    { "black_scholes_price", make_price, args_options, 4, hand_black_scholes_price, 20e6, 20e6,
      0 },
    { "black_scholes_greeks", make_greeks, args_options, 4, hand_black_scholes_greeks, 28e6,
      60e6, 0 },
    { "softmax_4096x1024", make_softmax, args_rows, 1, hand_softmax, 8 * ROWS, 4 * ROWS, 0 },
    { "softmax_grad", make_softmax_grad, args_rows, 2, hand_softmax_grad, 12 * ROWS, 8 * ROWS,
      0 },
    { "layernorm_fwd", make_layer_norm, args_layer_norm, 3, hand_layernorm_fwd, 8 * ROWS,
      7 * ROWS, 0 },
    { "layernorm_grad", make_layer_norm_grad, args_layer_norm, 4, hand_layernorm_grad,
      12 * ROWS, 20 * ROWS, 0 },
    { "sum_1e7", make_sum, args_sum, 1, hand_sum_1e7, 4e7, 1e7, 0 },
    { "matmul_512", make_matmul, args_matmul_512, 2, NULL, 12.0 * 512 * 512, CUBE(512), 512 },
    { "matmul_1024", make_matmul, args_matmul_1024, 2, NULL, 12.0 * 1024 * 1024, CUBE(1024),
      1024 },
    { "matmul_2048", make_matmul, args_matmul_2048, 2, NULL, 12.0 * 2048 * 2048, CUBE(2048),
      2048 },
    { "matmul_8x4096", make_matmul, args_matmul_8x4096, 2, NULL, 4.0 * 4096 * 4112,
      16.0 * 4096 * 4096, 0 },
    { "matmul_4096x8", make_matmul, args_matmul_4096x8, 2, NULL, 4.0 * 4096 * 4112,
      16.0 * 4096 * 4096, 0 },
    { "cholesky_256", make_cholesky, args_matrix_256, 1, NULL, 8.0 * 256 * 256,
      CUBE(256) / 6, 0 },
    { "cholesky_1024", make_cholesky, args_matrix_1024, 1, NULL, 8.0 * 1024 * 1024,
      CUBE(1024) / 6, 0 },
    { "cholesky_f64_256", make_cholesky, args_matrix_256_f64, 1, NULL, 16.0 * 256 * 256,
      CUBE(256) / 6, 0 },
    { "cholesky_f64_1024", make_cholesky, args_matrix_1024_f64, 1, NULL, 16.0 * 1024 * 1024,
      CUBE(1024) / 6, 0 },
    { "cholesky_4096x8", make_cholesky, args_matrices, 1, NULL, 4096 * 8.0 * 64,
      4096 * CUBE(8) / 6, 0 },
    { "lu_128", make_lu, args_matrix_128, 1, NULL, 8.0 * 128 * 128, CUBE(128) / 3, 0 },
    { "lu_256", make_lu, args_matrix_256, 1, NULL, 8.0 * 256 * 256, CUBE(256) / 3, 0 },
    { "lu_1024", make_lu, args_matrix_1024, 1, NULL, 8.0 * 1024 * 1024, CUBE(1024) / 3, 0 },
    { "qr_256", make_qr, args_matrix_256, 1, NULL, 12.0 * 256 * 256, CUBE(256) * 4 / 3, 0 },
    { "qr_1024", make_qr, args_matrix_1024, 1, NULL, 12.0 * 1024 * 1024,
      CUBE(1024) * 4 / 3, 0 },
    { "eigh_32", make_eigh, args_matrix_32, 1, NULL, 12.0 * 32 * 32, CUBE(32) * 4, 0 },
    { "eigh_4096x8", make_eigh, args_matrices, 1, NULL, 4096 * 12.0 * 64,
      4096 * CUBE(8) * 4, 0 },
    { "svd_16", make_svd, args_matrix_16, 1, NULL, 16.0 * 16 * 16, CUBE(16) * 8, 0 },
    { "inv_128", make_inverse, args_matrix_128, 1, NULL, 8.0 * 128 * 128, CUBE(128), 0 },
    { "logdet_grad_128", make_log_determinant_grad, args_matrix_128, 1, NULL, 8.0 * 128 * 128,
      CUBE(128), 0 },
    { "det_grad_32", make_determinant_grad, args_matrix_32, 1, NULL, 8.0 * 32 * 32,
      CUBE(32), 0 },
    { "det_grad_128", make_determinant_grad, args_matrix_128, 1, NULL, 8.0 * 128 * 128,
      CUBE(128), 0 },
    { "lstsq_256x64", make_least_squares, args_least_squares, 2, NULL, 4.0 * 256 * 65,
      2.0 * 256 * 64 * 64, 0 },
    { "mlp_step", make_mlp_step, args_mlp_step, 8, hand_mlp_step, 5.4e6,
      256.0 * (2 * 784 * 512 + 3 * (512 * 512 + 5120)), 0 },
    { "per_sample_grads", make_per_sample, args_per_sample, 8, hand_per_sample_grads, 30.7e6,
      37e6, 0 },
    { "jacrev_256", make_jacrev, args_jacrev, 5, NULL, 1.3e6, 2.0 * 256 * 512 * 256, 0 },
    { "hessian_64", make_hessian, args_hessian, 5, NULL, 82e3,
      2.0 * (64 * 128 * 128 + 64 * 64 * 64), 0 },
    { "lorenz_1", make_lorenz_1, args_lorenz_1, 6, hand_lorenz_1, 36, 68e4, 0 },
    { "lorenz_1024", make_lorenz_1024, args_lorenz_1024, 6, hand_lorenz_1024, 24e3, 68e4 * 1024,
      0 },
    { "tiny_sinx", make_tiny, args_tiny, 1, hand_tiny, 20, 32, 0 },
    { "tiny_sinx_grad", make_tiny_grad, args_tiny, 1, NULL, 32, 48, 0 },
};
const workload_list plain_workloads = { rows, sizeof rows / sizeof *rows, "arrays and models",
                                        "C by hand" };
