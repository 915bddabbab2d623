/* Two objectives of ADBench and their derivatives, in f64 (see workloads.h): a mixture of
 * Gaussians and bundle adjustment.
 *
 * Srajer, Kukelova, Fitzgibbon: A benchmark of selected algorithmic differentiation tools on
 * some problems in computer vision and machine learning. Optimization Methods and Software 33,
 * 2018. */
#include <math.h>

#include "bench/workloads.h"

#define BODY(name)                                                                             \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)
#define UNUSED (void)t, (void)user

/* -- a mixture of K Gaussians of D axes, N points -- */

enum { N = 1000, K = 25, D = 10, PAIRS = D * (D - 1) / 2 };

/* The lower triangle whose strict part is l, column by column, and whose diagonal is d, for
 * each Gaussian. */
static cot_value
triangle(cot_trace *t, cot_value d, cot_value l)
{
    int32_t place[D * D];
    double below[D * D], on[D * D];

    for (int row = 0; row < D; row++)
        for (int col = 0; col < D; col++) {
            const int at = row * D + col;
            place[at] = row > col ? col * D - col * (col + 1) / 2 + row - col - 1 : 0;
            below[at] = row > col;
            on[at] = row == col;
        }
    cot_value q = cot_take(l, cot_constant(t, cot_i32(D * D), place), 1);
    q = cot_mul(cot_reshape(q, K, D, D), cot_constant(t, cot_f64(D, D), below));
    return cot_add(q, cot_mul(cot_expand_dims(d, 1), cot_constant(t, cot_f64(D, D), on)));
}

/* alphas [K], means [K, D], the inverse covariances' factors [K, D + PAIRS], points [N, D] */
BODY(gmm)
{
    const cot_value log_d = cot_slice(in[2], .limit = COT_LIST(K, D)),
                    l = cot_slice(in[2], .start = COT_LIST(0, D));
    const cot_value d = cot_exp(log_d), sum_d = cot_reduce_sum(log_d, .axes = COT_LIST(1));
    const cot_value from_mean = cot_sub(cot_expand_dims(in[3], 1), in[1]);
    const cot_value y = cot_einsum("kij,nkj->nki", COT_VALUES(triangle(t, d, l), from_mean));
    const cot_value inner =
        cot_sub(cot_add(in[0], sum_d),
                cot_mul(0.5, cot_reduce_sum(cot_mul(y, y), .axes = COT_LIST(2))));
    const cot_value squares =
        cot_add(cot_reduce_sum(cot_mul(d, d)), cot_reduce_sum(cot_mul(l, l)));
    cot_value e = cot_reduce_sum(cot_logsumexp(inner, .axes = COT_LIST(1)));

    UNUSED;
    e = cot_sub(e, cot_mul((double)N, cot_logsumexp(in[0])));
    out[0] = cot_add(cot_sub(e, 0.5 * N * D * 1.8378770664093453), cot_mul(0.5, squares));
}

static cot_fn *
make_gmm(cot_context *ctx)
{
    return cot_fn_new(ctx, "gmm", gmm, 4, 1, NULL);
}

static cot_fn *
make_gmm_grad(cot_context *ctx)
{
    return cot_grad(make_gmm(ctx), .wrt = COT_LIST(0, 1, 2));
}

static void
args_gmm(workload_arg *a)
{
    a[0] = (workload_arg){ cot_f64(K), 0, 1, 1 };
    a[1] = (workload_arg){ cot_f64(K, D), 0, 1, 0 };
    a[2] = (workload_arg){ cot_f64(K, D + PAIRS), 0, 0.3, 1 };
    a[3] = (workload_arg){ cot_f64(N, D), 0, 1, 1 };
}

/* -- bundle adjustment: cameras of 11 numbers, points, and observations of both -- */

enum { CAMERAS = 49, POINTS = 7776, SEEN = 31843 };

static cot_value
part(cot_value x, int from, int to)
{
    return cot_slice(x, .start = COT_LIST(from), .limit = COT_LIST(to));
}

static cot_value
number(cot_value x, int at)
{
    return cot_reshape(part(x, at, at + 1));
}

/* x turned about the axis r by its length (Rodrigues), which is not 0. */
static cot_value
turned(cot_value r, cot_value x)
{
    const cot_value angle = cot_sqrt(cot_dot(r, r)), c = cot_cos(angle);
    const cot_value axis = cot_div(r, angle);
    const cot_value along = cot_mul(cot_dot(axis, x), cot_sub(1.0, c));

    return cot_add(cot_add(cot_mul(x, c), cot_mul(cot_cross(axis, x), cot_sin(angle))),
                   cot_mul(axis, along));
}

/* Of one observation: a camera [11] (rotation, centre, focal length, principal point, radial
 * distortion), a point [3], a weight, where it is seen [2]. */
BODY(reprojection)
{
    const cot_value cam = in[0];
    const cot_value x = turned(part(cam, 0, 3), cot_sub(in[1], part(cam, 3, 6)));
    const cot_value p = cot_div(part(x, 0, 2), number(x, 2)), square = cot_dot(p, p);
    const cot_value bend =
        cot_add(1.0, cot_add(cot_mul(number(cam, 9), square),
                             cot_mul(number(cam, 10), cot_mul(square, square))));
    const cot_value at = cot_add(cot_mul(cot_mul(p, bend), number(cam, 6)), part(cam, 7, 9));

    UNUSED;
    out[0] = cot_mul(in[2], cot_sub(at, in[3]));
}

/* cameras, points, weights, features, the camera and the point of each observation */
BODY(for_each)
{
    (void)t;
    cot_call_all(cot_vmap(user),
                 COT_VALUES(cot_take(in[0], in[4], 0), cot_take(in[1], in[5], 0), in[2], in[3]),
                 out, 1);
}

BODY(jacobians)
{
    (void)t;
    cot_call_all(cot_vmap(user),
                 COT_VALUES(cot_take(in[0], in[4], 0), cot_take(in[1], in[5], 0), in[2], in[3]),
                 out, 3);
}

static cot_fn *
make_ba(cot_context *ctx)
{
    return cot_fn_new(ctx, "ba", for_each, 6, 1,
                      cot_fn_new(ctx, "reprojection", reprojection, 4, 1, NULL));
}

static cot_fn *
make_ba_jacfwd(cot_context *ctx)
{
    cot_fn *f = cot_fn_new(ctx, "reprojection", reprojection, 4, 1, NULL);
    return cot_fn_new(ctx, "ba_jacfwd", jacobians, 6, 3,
                      cot_jacfwd(f, .wrt = COT_LIST(0, 1, 2)));
}

static cot_fn *
make_ba_jacrev(cot_context *ctx)
{
    cot_fn *f = cot_fn_new(ctx, "reprojection", reprojection, 4, 1, NULL);
    return cot_fn_new(ctx, "ba_jacrev", jacobians, 6, 3,
                      cot_jacrev(f, .wrt = COT_LIST(0, 1, 2)));
}

static void
args_ba(workload_arg *a)
{
    a[0] = (workload_arg){ cot_f64(CAMERAS, 11), 0.1, 0.9, 0 };
    a[1] = (workload_arg){ cot_f64(POINTS, 3), 2, 3, 0 };
    a[2] = (workload_arg){ cot_f64(SEEN), 0, 1, 0 };
    a[3] = (workload_arg){ cot_f64(SEEN, 2), 0, 1, 1 };
    a[4] = (workload_arg){ cot_i32(SEEN), 0, CAMERAS, 0 };
    a[5] = (workload_arg){ cot_i32(SEEN), 0, POINTS, 0 };
}

#define GMM (2.0 * N * K * D * D)
#define BA  (8.0 * SEEN * (1 + 2 + 1 + 2))
static const workload rows[] = {
    { "adbench_gmm", make_gmm, args_gmm, 4, NULL, 8.0 * N *D, GMM, 0 },
    { "adbench_gmm_grad", make_gmm_grad, args_gmm, 4, NULL, 8.0 * N *D, 3 * GMM, 0 },
    { "adbench_ba", make_ba, args_ba, 6, NULL, BA, 100.0 * SEEN, 0 },
    { "adbench_ba_jacfwd", make_ba_jacfwd, args_ba, 6, NULL, BA + 8.0 * 30 * SEEN, 0, 0 },
    { "adbench_ba_jacrev", make_ba_jacrev, args_ba, 6, NULL, BA + 8.0 * 30 * SEEN, 0, 0 },
};
const workload_list adbench_workloads = { rows, sizeof rows / sizeof *rows, "ADBench",
                                          "C by hand" };
