/* Windows, pooling and convolution, on the reference evaluator and compiled, against loops;
 * their derivatives. */
#include "traced.h"

#define F64(...) ((const double[]){__VA_ARGS__})
#define IN(...) ((const void *const[]){__VA_ARGS__})

static void
runs_by(const char *backend, cot_fn *f, cot_types types, const void *const *in,
        cot_type want_type, const double *want)
{
    cot_array *x[4], *y;
    cot_kernel *k;

    for (int i = 0; i < types.n; i++)
        x[i] = cot_array_copy(ctx, types.at[i], in[i]);
    if (cot_compile(f, types, &(cot_compile_options){ .backend = backend }, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    cot_type t = cot_graph_out_type(cot_kernel_graph(k), 0);
    ck_assert_int_eq(t.rank, want_type.rank);
    for (int i = 0; i < t.rank; i++)
        ck_assert_int_eq(cot_type_size(&t, i), cot_type_size(&want_type, i));
    y = cot_array_new(ctx, t);
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *const *)x), COT_OK);
    for (int64_t i = 0; i < cot_type_count(&t); i++) {
        double z = traced_element(t.dtype, cot_array_data(y), i);
        ck_assert_msg(z == want[i] || fabs(z - want[i]) < 1e-12 * fabs(want[i]),
                      "%s: element %d is %.17g, wants %.17g", backend, (int)i, z, want[i]);
    }
    for (int i = 0; i < types.n; i++)
        cot_array_free(x[i]);
    cot_array_free(y);
    cot_kernel_free(k);
}

static void
gives(cot_fn *f, cot_types types, const void *const *in, cot_type type, const double *want)
{
    runs_by("eval", f, types, in, type, want);
    runs_by("jit", f, types, in, type, want);
}

static cot_fn *
fn(cot_body *body, int n_in)
{
    return cot_fn_new(ctx, "f", body, n_in, 1, NULL);
}

static const double M34[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0 };

BODY(view, out[0] = cot_sliding_windows(in[0], 2, -1, .stride = 2);)
BODY(sum22, out[0] = cot_window_sum(in[0], COT_LIST(2, 2));)
BODY(max2, out[0] = cot_max_pool(in[0], COT_LIST(2, 2), .strides = COT_LIST(2, 2), .same = 1);)
BODY(min_padded, out[0] = cot_window_min(in[0], COT_LIST(2), .padding = COT_LIST(1, 1));)
BODY(mean_padded, out[0] = cot_avg_pool(in[0], COT_LIST(2), .padding = COT_LIST(1, 1),
                                        .strides = COT_LIST(1));)
BODY(mean_valid, out[0] = cot_avg_pool(in[0], COT_LIST(2), .padding = COT_LIST(1, 1),
                                       .strides = COT_LIST(1), .count_valid = 1);)
BODY(sum_max,
     out[0] = cot_reduce_sum(cot_max_pool(in[0], COT_LIST(2, 2), .strides = COT_LIST(1, 1)));)
BODY(sum_max_1d,
     out[0] = cot_reduce_sum(cot_mul(cot_max_pool(in[0], COT_LIST(3), .strides = COT_LIST(2)),
                                     in[1]));)
BODY(sum_min_1d, out[0] = cot_reduce_sum(cot_mul(
                     cot_window_min(in[0], COT_LIST(2), .padding = COT_LIST(1, 0)), in[1]));)
BODY(max_1d, out[0] = cot_max_pool(in[0], COT_LIST(3), .strides = COT_LIST(2));)

START_TEST(pools)
{
    cot_type m = cot_f64(3, 4);
    const double *v = F64(3, 1, 2);

    gives(fn(view, 1), COT_TYPES(m), IN(M34), cot_f64(3, 2, 2), M34);
    gives(fn(sum22, 1), COT_TYPES(m), IN(M34), cot_f64(2, 3), F64(14, 18, 22, 30, 34, 26));
    gives(fn(max2, 1), COT_TYPES(m), IN(M34), cot_f64(2, 2), F64(6, 8, 10, 11));
    gives(fn(min_padded, 1), COT_TYPES(cot_f64(3)), IN(v), cot_f64(4), F64(3, 1, 1, 2));
    gives(fn(mean_padded, 1), COT_TYPES(cot_f64(3)), IN(v), cot_f64(4), F64(1.5, 2, 1.5, 1));
    gives(fn(mean_valid, 1), COT_TYPES(cot_f64(3)), IN(v), cot_f64(4), F64(3, 2, 1.5, 2));
    gives(cot_vmap(fn(sum22, 1)), COT_TYPES(cot_f64(1, 3, 4)), IN(M34), cot_f64(1, 2, 3),
          F64(14, 18, 22, 30, 34, 26));
    gives(cot_grad(fn(sum_max, 1)), COT_TYPES(m), IN(M34), m,
          F64(0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 2, 0));
}
END_TEST

BODY(max_beyond, out[0] = cot_max_pool(in[0], COT_LIST(5));)
BODY(biased_last, out[0] = cot_conv1d(in[0], in[1], in[2], .spec = "NWC,WIO->NWC");)
BODY(max_default, out[0] = cot_max_pool(in[0], COT_LIST(2));)
BODY(mean_default, out[0] = cot_avg_pool(in[0], COT_LIST(1, 2));)
BODY(max_rows,
     out[0] = cot_max_pool(in[0], COT_LIST(2), .axes = COT_LIST(0), .strides = COT_LIST(1));)
BODY(max_transposed,
     out[0] = cot_transpose(cot_max_pool(cot_transpose(in[0], .perm = COT_LIST(1, 0)),
                                         COT_LIST(2), .strides = COT_LIST(1)),
                            .perm = COT_LIST(1, 0));)
BODY(grad_transposed, max_transposed(t, in, out, user);
     out[0] = cot_reduce_sum(cot_mul(out[0], out[0]));)
BODY(min_wide, out[0] = cot_convert(cot_window_min(cot_convert(in[0], COT_I64), COT_LIST(2),
                                                   .padding = COT_LIST(1, 0)),
                                    COT_F64);)
BODY(max_wide, out[0] = cot_convert(cot_window_max(cot_convert(in[0], COT_U64), COT_LIST(2),
                                                   .padding = COT_LIST(1, 0)),
                                    COT_F64);)

START_TEST(pools_stand_side_by_side)
{
    cot_type m = cot_f64(3, 4);

    gives(fn(max_default, 1), COT_TYPES(m), IN(M34), cot_f64(3, 2), F64(2, 4, 6, 8, 10, 11));
    gives(fn(mean_default, 1), COT_TYPES(m), IN(M34), cot_f64(3, 2),
          F64(1.5, 3.5, 5.5, 7.5, 9.5, 5.5));
    gives(fn(max_rows, 1), COT_TYPES(m), IN(M34), cot_f64(2, 4), F64(5, 6, 7, 8, 9, 10, 11, 8));
    gives(fn(max_transposed, 1), COT_TYPES(m), IN(M34), cot_f64(2, 4),
          F64(5, 6, 7, 8, 9, 10, 11, 8));
    gives(cot_grad(fn(grad_transposed, 1)), COT_TYPES(m), IN(M34), m,
          F64(0, 0, 0, 0, 10, 12, 14, 32, 18, 20, 22, 0));
    /* padding of 64 bits */
    gives(fn(min_wide, 1), COT_TYPES(cot_f64(2)), IN(F64(7, 9)), cot_f64(2), F64(7, 7));
    gives(fn(max_wide, 1), COT_TYPES(cot_f64(2)), IN(F64(7, 9)), cot_f64(2), F64(7, 9));
}
END_TEST

BODY(max_with_gaps, out[0] = cot_max_pool(in[0], COT_LIST(1, 2), .strides = COT_LIST(2, 2));)
BODY(sum_with_gaps, out[0] = cot_window_sum(in[0], COT_LIST(1, 1), .strides = COT_LIST(2, 3));)
BODY(sum_max_with_gaps,
     out[0] = cot_reduce_sum(cot_max_pool(in[0], COT_LIST(1, 2), .strides = COT_LIST(2, 2)));)

/* Along an axis where the window has one element the stride alone counts. */
START_TEST(windows_of_one_element)
{
    cot_type m = cot_f64(3, 4);

    gives(fn(max_with_gaps, 1), COT_TYPES(m), IN(M34), cot_f64(2, 2), F64(2, 4, 10, 11));
    gives(fn(sum_with_gaps, 1), COT_TYPES(m), IN(M34), cot_f64(2, 2), F64(1, 4, 9, 0));
    gives(cot_grad(fn(sum_max_with_gaps, 1)), COT_TYPES(m), IN(M34), m,
          F64(0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0));
}
END_TEST

START_TEST(the_first_of_equal_elements_has_the_gradient)
{
    const double *x = F64(1, 4, 4, 4, 2, NAN, 5, 7, 7), *y = F64(10, 20, 30, 40);
    const double *z = F64(3, 3, 1, 1, 0), *c = F64(1, 2, 4, 8, 16);

    gives(cot_grad(fn(sum_max_1d, 2)), COT_TYPES(cot_f64(9), cot_f64(4)), IN(x, y), cot_f64(9),
          F64(0, 10, 20, 0, 0, 30, 0, 40, 0));
    gives(cot_grad(fn(sum_min_1d, 2)), COT_TYPES(cot_f64(5), cot_f64(5)), IN(z, c), cot_f64(5),
          F64(3, 0, 12, 0, 16));
    gives(cot_grad(fn(sum_max, 1)), COT_TYPES(cot_f64(2, 3)), IN(F64(5, 5, 1, 5, 2, 5)),
          cot_f64(2, 3), F64(1, 1, 0, 0, 0, 0));
    /* a tangent is the first's too, and so is an example's */
    gives(cot_vmap(cot_grad(fn(sum_max, 1))), COT_TYPES(cot_f64(1, 2, 3)),
          IN(F64(0, 0, 0, 0, 0, 0)), cot_f64(1, 2, 3), F64(1, 1, 0, 0, 0, 0));
    gives(cot_jacfwd(fn(max_1d, 1)), COT_TYPES(cot_f64(3)), IN(F64(2, 2, 1)), cot_f64(1, 3),
          F64(1, 0, 0));
}
END_TEST

/* The definition, in loops: x [n, c, h, w], k [o, c / groups, p, q]. */
typedef struct shape { int n, c, h, w, o, p, q, sh, sw, ph, pw, dh, dw, bh, bw, groups; } shape;

static double
at_base(const shape *s, const double *x, int n, int c, int i, int j)
{
    if (i < 0 || j < 0 || i % s->bh || j % s->bw || i / s->bh >= s->h || j / s->bw >= s->w)
        return 0;
    return x[((n * s->c + c) * s->h + i / s->bh) * s->w + j / s->bw];
}

static double
conv_at(const shape *s, const double *x, const double *k, int n, int o, int i, int j)
{
    const int each = s->c / s->groups, g = o / (s->o / s->groups);
    double sum = 0;

    for (int c = 0; c < each; c++)
        for (int p = 0; p < s->p; p++)
            for (int q = 0; q < s->q; q++)
                sum += at_base(s, x, n, g * each + c, i * s->sh + p * s->dh - s->ph,
                               j * s->sw + q * s->dw - s->pw) *
                       k[((o * each + c) * s->p + p) * s->q + q];
    return sum;
}

static void
conv(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const shape *s = user;

    (void)t;
    out[0] = cot_conv(in[0], in[1], .strides = COT_LIST(s->sh, s->sw),
                      .padding = COT_LIST(s->ph, s->ph, s->pw, s->pw),
                      .dilation = COT_LIST(s->dh, s->dw),
                      .base_dilation = COT_LIST(s->bh, s->bw), .groups = s->groups);
}

static void
conv_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y;

    conv(t, in, &y, user);
    out[0] = cot_reduce_sum(cot_mul(y, y));
}

static const shape shapes[] = {
    { 2, 3, 5, 6, 4, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
    { 1, 4, 7, 5, 6, 3, 2, 2, 1, 0, 2, 1, 2, 1, 1, 2 },
    { 2, 3, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 2, 2, 3 },
    { 1, 1, 6, 6, 1, 1, 1, 3, 2, 0, 0, 1, 1, 1, 1, 1 },
    { 1, 9, 5, 4, 9, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 9 },
    { 1, 10, 4, 4, 15, 2, 2, 2, 1, 1, 0, 1, 1, 1, 1, 5 },
    /* phases of a spread operand: with strides and windows apart, of one element, that meet
     * nothing, too many */
    { 2, 2, 4, 5, 3, 3, 4, 2, 3, 2, 1, 1, 2, 3, 2, 1 },
    { 1, 2, 3, 4, 2, 3, 2, 4, 1, 3, 0, 3, 2, 2, 4, 2 },
    { 1, 1, 3, 3, 2, 1, 2, 1, 1, 0, 4, 1, 6, 3, 4, 1 },
    { 1, 2, 3, 2, 1, 2, 3, 1, 1, 1, 2, 1, 1, 5, 4, 1 },
    /* phases that go together: along both axes, along one, more padding than a window, many,
     * many in groups */
    { 2, 3, 4, 5, 2, 4, 4, 1, 1, 2, 1, 1, 1, 2, 2, 1 },
    { 1, 2, 3, 4, 3, 6, 2, 1, 1, 0, 0, 1, 1, 3, 2, 1 },
    { 1, 4, 3, 4, 4, 4, 3, 1, 2, 7, 1, 1, 1, 2, 2, 2 },
    { 1, 2, 3, 2, 1, 5, 8, 1, 1, 4, 0, 1, 1, 5, 4, 1 },
    { 1, 5, 4, 3, 5, 3, 3, 1, 1, 1, 2, 1, 1, 3, 3, 5 },
};

static double *
numbers(int n, int seed)
{
    double *x = calloc((size_t)n, sizeof *x);

    for (int i = 0; i < n; i++)
        x[i] = (i * 37 + seed) % 11 - 5;
    return x;
}

START_TEST(convolutions)
{
    shape s = shapes[_i];
    const int h = ((s.h - 1) * s.bh + 2 * s.ph - (s.p - 1) * s.dh) / s.sh + 1;
    const int w = ((s.w - 1) * s.bw + 2 * s.pw - (s.q - 1) * s.dw) / s.sw + 1,
              each = s.c / s.groups;
    double *x = numbers(s.n * s.c * s.h * s.w, 3), *k = numbers(s.o * each * s.p * s.q, 5);
    double *y = calloc((size_t)(s.n * s.o * h * w), sizeof *y),
           *dk = calloc((size_t)(s.o * each * s.p * s.q), 8);
    cot_types types = COT_TYPES(cot_f64(s.n, s.c, s.h, s.w), cot_f64(s.o, each, s.p, s.q));

    for (int n = 0, at = 0; n < s.n; n++)
        for (int o = 0; o < s.o; o++)
            for (int i = 0; i < h; i++)
                for (int j = 0; j < w; j++)
                    y[at++] = conv_at(&s, x, k, n, o, i, j);
    gives(cot_fn_new(ctx, "conv", conv, 2, 1, &s), types, IN(x, k), cot_f64(s.n, s.o, h, w), y);
    /* the gradient of the sum of squares, entry by entry: the result is linear in the kernel */
    for (int e = 0; e < s.o * each * s.p * s.q; e++) {
        double *one = calloc((size_t)(s.o * each * s.p * s.q), sizeof *one);

        one[e] = 1;
        for (int n = 0, at = 0; n < s.n; n++)
            for (int o = 0; o < s.o; o++)
                for (int i = 0; i < h; i++)
                    for (int j = 0; j < w; j++)
                        dk[e] += 2 * y[at++] * conv_at(&s, x, one, n, o, i, j);
        free(one);
    }
    gives(cot_grad(cot_fn_new(ctx, "sum", conv_sum, 2, 1, &s), .wrt = COT_LIST(1)), types,
          IN(x, k), types.at[1], dk);
    free(x), free(k), free(y), free(dk);
}
END_TEST

BODY(nhwc, out[0] = cot_conv(in[0], in[1], .spec = "NHWC,HWIO->NHWC");)
BODY(same_1d, out[0] = cot_conv(in[0], in[1], .same = 1);)
BODY(by_examples, out[0] = cot_conv(in[0], in[1], .batch_groups = 2);)
BODY(spread,
     out[0] = cot_conv(in[0], in[1], .base_dilation = COT_LIST(2), .padding = COT_LIST(1, 1));)
BODY(sum_1d, out[0] = cot_reduce_sum(cot_mul(cot_conv(in[0], in[1]), cot_conv(in[0], in[1])));)

START_TEST(layouts)
{
    /* 1 x 2 x 2 x 2 with a kernel 1 x 1 from 2 to 1: a weighted sum of features */
    gives(fn(nhwc, 2), COT_TYPES(cot_f64(1, 2, 2, 2), cot_f64(1, 1, 2, 1)), IN(M34, F64(1, 10)),
          cot_f64(1, 2, 2, 1), F64(21, 43, 65, 87));
    gives(fn(same_1d, 2), COT_TYPES(cot_f64(1, 1, 4), cot_f64(1, 1, 3)), IN(M34, F64(1, 1, 1)),
          cot_f64(1, 1, 4), F64(3, 6, 9, 7));
    gives(fn(by_examples, 2), COT_TYPES(cot_f64(2, 1, 2), cot_f64(2, 1, 2)),
          IN(M34, F64(1, 1, 10, 1)), cot_f64(1, 2, 1), F64(3, 34));
    /* between elements there is nothing, which an infinite kernel would multiply */
    gives(fn(spread, 2), COT_TYPES(cot_f64(1, 1, 2), cot_f64(1, 1, 2)),
          IN(M34, F64(INFINITY, 1)), cot_f64(1, 1, 4), F64(1, INFINITY, 2, INFINITY));
    gives(cot_vmap(fn(same_1d, 2), .in_dims = COT_LIST(COT_NONE, 0)),
          COT_TYPES(cot_f64(1, 1, 4), cot_f64(2, 1, 1, 3)), IN(M34, F64(1, 1, 1, 0, 1, 0)),
          cot_f64(2, 1, 1, 4), F64(3, 6, 9, 7, 1, 2, 3, 4));
    /* (x0 k0 + x1 k1)^2 + (x1 k0 + x2 k1)^2 at x = 1, 2, 3, k = 1, 1 */
    gives(cot_grad(fn(sum_1d, 2)), COT_TYPES(cot_f64(1, 1, 3), cot_f64(1, 1, 2)),
          IN(M34, F64(1, 1)), cot_f64(1, 1, 3), F64(6, 16, 10));
}
END_TEST

BODY(biased, out[0] = cot_add(cot_conv(in[0], in[1], .groups = 2, .strides = COT_LIST(2)),
                              cot_reshape(in[2], 1, 4, 1));)

/* ---- convolutions, in groups or not, to the last bit ---- */

/* x [n, size, size, groups * c], or with features first, with a kernel of 3 x 3, o results
 * for each group. */
typedef struct groups { int n, size, groups, c, o, stride, first; } groups;

static cot_value
by_groups(const groups *s, const cot_value *in)
{
    return cot_conv(in[0], in[1], .spec = s->first ? "NCHW,HWIO->NCHW" : "NHWC,HWIO->NHWC",
                    .same = 1, .groups = s->groups, .strides = COT_LIST(s->stride, s->stride));
}

static cot_value
plus_bias(const groups *s, const cot_value *in)
{
    return cot_add(by_groups(s, in),
                   s->first ? cot_reshape(in[2], s->groups * s->o, 1, 1) : in[2]);
}

static void
rectified(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_max(plus_bias(user, in), 0.0);
}

/* A long epilogue. */
static void
smooth(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_tanh(cot_erf(plus_bias(user, in)));
}

static void
weighed(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y = by_groups(user, in);

    (void)t;
    out[0] = cot_reduce_sum(cot_mul(y, cot_sin(y)));
}

static void
run_groups(cot_fn *f, cot_types types, const cot_compile_options *o, float *y)
{
    cot_array *in[3], *out;
    cot_kernel *k;

    if (cot_compile(f, types, o, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    for (int i = 0; i < 3; i++) {
        in[i] = cot_array_new(ctx, types.at[i]);
        for (int64_t j = 0; j < cot_type_count(&types.at[i]); j++)
            ((float *)cot_array_data(in[i]))[j] = sinf((float)(7 * j + i));
    }
    out = cot_array_borrow(ctx, cot_graph_out_type(cot_kernel_graph(k), 0), y);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
    for (int i = 0; i < 3; i++)
        cot_array_free(in[i]);
    cot_array_free(out);
    cot_kernel_free(k);
}

/* The last rows have one group: windows that end within a block of k, or are short; rows that a
 * tile has left over; several panels; lines, of few results or few features that lie first. */
START_TEST(convolutions_have_the_bits_of_the_evaluator)
{
    static const groups row[] = {
        { 1, 6, 9, 1, 1, 1, 0 },  { 2, 13, 16, 1, 1, 1, 0 }, { 2, 7, 8, 3, 2, 1, 0 },
        { 1, 8, 17, 2, 3, 2, 0 }, { 1, 5, 4, 4, 8, 1, 0 },   { 2, 13, 1, 40, 24, 1, 0 },
        { 1, 19, 1, 64, 70, 2, 0 }, { 1, 31, 1, 3, 64, 1, 0 }, { 1, 20, 1, 32, 17, 1, 0 },
        { 2, 20, 1, 40, 3, 1, 0 }, { 1, 33, 1, 5, 6, 1, 0 }, { 2, 19, 1, 3, 20, 1, 1 },
        { 1, 32, 1, 3, 7, 2, 1 },
    };
    static const cot_compile_options by[] = {
        { .backend = "jit" },
        { .backend = "jit", .threads = 2 },
        { .backend = "jit", .vector_bits = 128 },
        { .backend = "jit", .vector_bits = 256 },
        { .backend = "jit", .vector_bits = 32 },
    };
    groups s = row[_i / 5];
    cot_fn *f[] = { cot_fn_new(ctx, "rectified", rectified, 3, 1, &s),
                    cot_fn_new(ctx, "smooth", smooth, 3, 1, &s),
                    cot_grad(cot_fn_new(ctx, "weighed", weighed, 3, 1, &s)),
                    cot_grad(cot_fn_new(ctx, "weighed", weighed, 3, 1, &s), .wrt = COT_LIST(1)),
                    cot_vmap(cot_fn_new(ctx, "rectified", rectified, 3, 1, &s),
                             .in_dims = COT_LIST(COT_NONE, 0, COT_NONE)) };
    const bool mapped = _i % 5 == 4;
    cot_types types = COT_TYPES(s.first ? cot_f32(s.n, s.groups * s.c, s.size, s.size)
                                        : cot_f32(s.n, s.size, s.size, s.groups * s.c),
                                mapped ? cot_f32(2, 3, 3, s.c, s.groups * s.o)
                                       : cot_f32(3, 3, s.c, s.groups * s.o),
                                cot_f32(s.groups * s.o));
    const size_t most =
        (size_t)(2 * s.n * s.size * s.size * s.groups * (s.c + s.o) + 9 * s.c * s.groups * s.o);
    float *want = calloc(most, sizeof *want), *y = calloc(most, sizeof *y);

    run_groups(f[_i % 5], types, &(cot_compile_options){ .backend = "eval" }, want);
    for (int i = 0; i < (_i % 5 == 0 ? 5 : 1); i++) {
        memset(y, 0, most * sizeof *y);
        run_groups(f[_i % 5], types, &by[i], y);
        for (size_t j = 0; j < most; j++)
            ck_assert_msg(memcmp(y + j, want + j, sizeof *y) == 0,
                          "way %d, element %d: %a, wants %a", i, (int)j, (double)y[j],
                          (double)want[j]);
    }
    free(want), free(y);
}
END_TEST

enum { N = 3 };                 /* examples */

/* What operand i of example e is: its own, or the one that all share. */
static const double *
example(const double *x, int64_t size, bool mapped, int e)
{
    return mapped ? x + e * size : x;
}

/* Elements with the axis of examples, first or last. */
static double *
laid_out(const double *x, int64_t size, bool last)
{
    double *y = calloc((size_t)(size * N), sizeof *y);

    for (int e = 0; e < N; e++)
        for (int64_t i = 0; i < size; i++)
            y[last ? i * N + e : e * size + i] = x[e * size + i];
    return y;
}

START_TEST(convolutions_map_any_of_their_operands)
{
    static const int64_t size[] = { 2 * 4 * 5, 4 * 2 * 3, 4 }, each = 2 * 4 * 2;
    const cot_type type[] = { cot_f64(2, 4, 5), cot_f64(4, 2, 3), cot_f64(4) };
    const cot_type first[] = { cot_f64(N, 2, 4, 5), cot_f64(N, 4, 2, 3), cot_f64(N, 4) };
    const cot_type last[] = { cot_f64(2, 4, 5, N), cot_f64(4, 2, 3, N), cot_f64(4, N) };
    const bool at_the_end = _i >= 8, mapped[] = { _i & 1, _i & 2, _i & 4 };
    double *x[3], *given[3], y[N * 16];
    cot_type types[3];
    int64_t dims[3];
    cot_kernel *k;

    if (!(_i & 7))
        return;
    ck_assert_int_eq(cot_compile(fn(biased, 3), ((cot_types){ .n = 3, .at = type }), NULL, &k),
                     COT_OK);
    for (int i = 0; i < 3; i++) {
        x[i] = numbers((int)size[i] * N, 3 * i + 1);
        given[i] = laid_out(x[i], size[i], at_the_end && mapped[i]);
        types[i] = !mapped[i] ? type[i] : at_the_end ? last[i] : first[i];
        dims[i] = !mapped[i] ? COT_NONE : at_the_end ? -1 : 0;
    }
    for (int e = 0; e < N; e++) {
        cot_array *in[3], *out = cot_array_borrow(ctx, cot_f64(2, 4, 2), y + e * each);
        for (int i = 0; i < 3; i++)
            in[i] = cot_array_copy(ctx, type[i], example(x[i], size[i], mapped[i], e));
        ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)in), COT_OK);
        for (int i = 0; i < 3; i++)
            cot_array_free(in[i]);
        cot_array_free(out);
    }
    gives(cot_vmap(fn(biased, 3), .in_dims = { .n = 3, .at = dims }),
          (cot_types){ .n = 3, .at = types }, IN(given[0], given[1], given[2]),
          cot_f64(N, 2, 4, 2), y);
    for (int i = 0; i < 3; i++)
        free(x[i]), free(given[i]);
    cot_kernel_free(k);
}
END_TEST

/* A window longer than its axis has no place there, as XLA's reduce_window. */
START_TEST(window_beyond_its_axis)
{
    gives(fn(max_beyond, 1), COT_TYPES(cot_f64(2, 3)), IN(F64(1, 2, 3, 4, 5, 6)), cot_f64(2, 0),
          F64(0));
}
END_TEST

/* The bias goes along the features, wherever .spec has them. */
START_TEST(bias_of_last_features)
{
    gives(fn(biased_last, 3), COT_TYPES(cot_f64(1, 2, 2), cot_f64(1, 2, 2), cot_f64(2)),
          IN(F64(1, 2, 3, 4), F64(1, 10, 100, 1000), F64(0.5, -0.5)), cot_f64(1, 2, 2),
          F64(201.5, 2009.5, 403.5, 4029.5));
}
END_TEST

BODY(wide, out[0] = cot_window_sum(in[0], COT_LIST(2, 2, 2));)
BODY(nothing, out[0] = cot_window_sum(in[0], COT_LIST(0));)
BODY(steps, out[0] = cot_window_sum(in[0], COT_LIST(2), .strides = COT_LIST(1, 2));)
BODY(plain, out[0] = cot_conv(in[0], in[1]);)
BODY(both_groups, out[0] = cot_conv(in[0], in[1], .groups = 2, .batch_groups = 2);)
BODY(uneven_examples, out[0] = cot_conv(in[0], in[1], .batch_groups = 2);)
BODY(misnamed, out[0] = cot_conv(in[0], in[1], .spec = "NHC,HIO->NH");)

BODY(enormous, out[0] = cot_avg_pool(in[0], COT_LIST(INT64_C(1) << 62, 4));)
BODY(far, out[0] = cot_max_pool(in[0], COT_LIST(2), .strides = COT_LIST(INT64_MAX), .same = 1);)
BODY(farther, out[0] = cot_max_pool(in[0], COT_LIST(INT64_C(1) << 40),
                                    .dilation = COT_LIST(INT64_C(1) << 40), .same = 1);)
BODY(far_dilation, out[0] = cot_conv(in[0], in[1], .dilation = COT_LIST(INT64_C(1) << 60));)

static void
fails(cot_body *body, cot_types types, const char *want)
{
    const cot_graph *g;

    ck_assert_int_ne(cot_trace_fn(fn(body, types.n), types, &g), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), want), "%s\nwants %s", cot_error(ctx), want);
    cot_error_clear(ctx);
}

START_TEST(errors)
{
    cot_types m = COT_TYPES(cot_f64(3, 4));

    fails(wide, m, "window_sum: operand is f64[3,4]; wants at least 3 axes");
    fails(nothing, m, "window_sum: window[0] is 0; wants 1 or more");
    fails(steps, m, "window_sum: strides has 2 entries; wants 1");
    fails(plain, COT_TYPES(cot_f64(1, 2, 3), cot_f64(1, 2)),
          "conv: operands are f64[1,2,3] and f64[1,2]; wants equal ranks, 2 or more, and one "
          "type of number");
    fails(plain, COT_TYPES(cot_f64(1, 2, 3), cot_f64(4, 3, 1)),
          "conv: 1 examples of 2 features, a kernel from 3 to 4, 1 groups, 1 of examples; "
          "wants features = groups * "
          "the kernel's, and groups that divide");
    fails(both_groups, COT_TYPES(cot_f64(2, 2, 3), cot_f64(4, 1, 1)),
          "conv: 2 examples of 2 features, a kernel from 1 to 4, 2 groups, 2 of examples; ");
    fails(uneven_examples, COT_TYPES(cot_f64(3, 2, 3), cot_f64(4, 2, 1)),
          "conv: 3 examples of 2 features, a kernel from 2 to 4, 1 groups, 2 of examples; ");
    fails(misnamed, COT_TYPES(cot_f64(1, 2, 3), cot_f64(4, 3, 1)),
          "conv: spec is \"NHC,HIO->NH\"; wants N, C and the spatial axes, then O, I and the "
          "same, then the result, of "
          "3 letters each, as in \"NHWC,HWIO->NHWC\"");
    fails(enormous, m, "windows: size is 4611686018427387904; wants 2^48 or less");
    fails(far, m, "windows: stride is 9223372036854775807; wants 2^48 or less");
    fails(farther, m,
          "pad: low[1] is 1152921504606846974; wants -281474976710656 to 281474976710656");
    fails(far_dilation, COT_TYPES(cot_f64(1, 1, 3), cot_f64(1, 1, 2)),
          "conv_general: dilation[0] is 1152921504606846976; wants 2^40 or less");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(pools),
        ONCE(pools_stand_side_by_side),
        ONCE(windows_of_one_element),
        { "the_first_of_equal_elements_has_the_gradient",
          the_first_of_equal_elements_has_the_gradient, 0 },
        EACH(convolutions, 10),
        ONCE(layouts),
        EACH(convolutions_have_the_bits_of_the_evaluator, 65),
        ONCE(window_beyond_its_axis),
        ONCE(bias_of_last_features),
        ONCE(errors),
        { "B50", convolutions_map_any_of_their_operands, 16 },
    };

    return SUITE("window", cases);
}
