/* Functions of windows, order, scans, indexing, special functions, complex numbers, transforms
 * and layers that sugar.py compares with JAX and PyTorch, by name; k chooses a variant,
 * numbered as in sugar_cases.py. */
#ifndef SUGAR_FUNCTIONS_H
#define SUGAR_FUNCTIONS_H

#include "functions.h"

/* Under names of their own: some are the C library's. */
#define FUNCTION(name)                                                                         \
    static void f_##name(cot_trace *t, const cot_value *x, cot_value *y, double k)
#define UNUSED (void)t, (void)x, (void)k
#define IS(i) ((int)k == (i))
#define L(...) COT_LIST(__VA_ARGS__)
/* A function that is one expression of its operands. */
#define PLAIN(name, ...) FUNCTION(name) { UNUSED; y[0] = __VA_ARGS__; }
#define UNARY(name) PLAIN(name, cot_##name(x[0]))
#define BINARY(name) PLAIN(name, cot_##name(x[0], x[1]))

FUNCTION(conv)
{
    UNUSED;
    y[0] = IS(0)   ? cot_conv(x[0], x[1], .strides = L(2, 1), .padding = L(1, 2, 0, 1))
           : IS(1) ? cot_conv(x[0], x[1], .dilation = L(2, 1), .base_dilation = L(1, 3),
                              .padding = L(2, 1, -1, 2))
           : IS(2) ? cot_conv(x[0], x[1], .groups = 2, .same = 1, .strides = L(2, 3))
           : IS(3) ? cot_conv(x[0], x[1], .batch_groups = 2, .padding = L(1, 1, 0, 0))
           : IS(4) ? cot_conv(x[0], x[1], .spec = "NHWC,HWIO->NHWC",
                              .strides = L(1, 2), .same = 1)
           : IS(5) ? cot_conv(x[0], x[1], .spec = "HNWC,OIWH->CHNW")
           : IS(6) ? cot_conv(x[0], x[1], .strides = L(3), .padding = L(4, -1),
                              .dilation = L(2), .base_dilation = L(2))
           : IS(7) ? cot_conv(x[0], x[1], .padding = L(1, 0, 0, 1, 1, 1), .strides = L(1, 2, 1))
                   : cot_conv(x[0], x[1]);
}

FUNCTION(window_sum)
{
    UNUSED;
    y[0] = IS(0) ? cot_window_sum(x[0], L(2, 3), .strides = L(1, 2), .padding = L(1, 0, 0, 2))
                 : cot_window_sum(x[0], L(2, 2), .dilation = L(2, 1), .base_dilation = L(1, 2));
}

FUNCTION(window_max)
{
    UNUSED;
    y[0] = IS(0) ? cot_window_max(x[0], L(2, 3), .strides = L(1, 2), .padding = L(1, 0, 0, 2))
                 : cot_window_max(x[0], L(2, 2), .dilation = L(2, 1), .base_dilation = L(1, 2));
}

PLAIN(window_min, cot_window_min(x[0], L(2, 3), .strides = L(2, 2), .same = 1))
PLAIN(window_prod, cot_window_prod(x[0], L(3), .axes = L(0), .padding = L(1, 1)))

FUNCTION(max_pool)
{
    UNUSED;
    y[0] = IS(0) ? cot_max_pool(x[0], L(2, 3))
                 : cot_max_pool(x[0], L(3, 3), .strides = L(2, 2), .padding = L(1, 1, 1, 1),
                                .dilation = L(2, 1));
}

FUNCTION(avg_pool)
{
    UNUSED;
    y[0] = IS(0)   ? cot_avg_pool(x[0], L(2, 3))
           : IS(1) ? cot_avg_pool(x[0], L(3, 3), .strides = L(2, 1), .padding = L(1, 1, 1, 1))
                   : cot_avg_pool(x[0], L(3, 3), .strides = L(2, 1), .padding = L(1, 1, 1, 1),
                                  .count_valid = 1);
}

static void
at_least(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_ge(in[0], in[1]);
}

FUNCTION(select_and_scatter)
{
    UNUSED;
    y[0] = cot_select_and_scatter(at_least, NULL, x[0], x[1],
                                  cot_zeros(t, cot_type_new(cot_dtype_of(x[0]), 0, NULL)),
                                  .window = L(2, 3), .strides = L(2, 1),
                                  .padding = L(0, 1, 1, 0));
}

FUNCTION(dot_general)
{
    UNUSED;
    y[0] = IS(0)   ? cot_dot_general(x[0], x[1], .lhs = L(0), .rhs = L(1))
           : IS(1) ? cot_dot_general(x[0], x[1], .lhs = L(1), .rhs = L(0), .lhs_batch = L(2),
                                     .rhs_batch = L(1))
           : IS(2) ? cot_dot_general(x[0], x[1], .lhs = L(0, 2), .rhs = L(2, 0),
                                     .lhs_batch = L(1), .rhs_batch = L(1))
           : IS(3) ? cot_dot_general(x[0], x[1], .lhs_batch = L(0), .rhs_batch = L(0))
                   : cot_dot_general(x[0], x[1], .lhs = L(-1), .rhs = L(-1));
}

FUNCTION(einsum)
{
    static const char *const spec[] = { "ij,kj->ki", "bij,bjk->ibk", "iij->j", "...i,ij->...j",
                                        "ij,j,j->", "ab,cd" };

    UNUSED;
    y[0] = IS(2)   ? cot_einsum(spec[2], COT_VALUES(x[0]))
           : IS(4) ? cot_einsum(spec[4], COT_VALUES(x[0], x[1], x[1]))
                   : cot_einsum(spec[(int)k], COT_VALUES(x[0], x[1]));
}

BINARY(matmul)
BINARY(dot)

/* Order and scans: k is the axis, with 100 added for the other direction. */

#define AXIS ((int)k >= 50 ? (int)k - 100 : (int)k)
#define BACK ((int)k >= 50)
PLAIN(sort, cot_sort(x[0], AXIS, .descending = BACK))
PLAIN(argsort, cot_argsort(x[0], AXIS, .descending = BACK))
FUNCTION(sort_many) { UNUSED; cot_sort_many(COT_VALUES(x[0], x[1]), AXIS, y,
                                            .keys = BACK ? 2 : 1); }
PLAIN(lexsort, cot_lexsort(COT_VALUES(x[0], x[1]), AXIS, .keys = 2))
FUNCTION(top_k) { UNUSED; y[0] = cot_top_k(x[0], (int64_t)k, &y[1]); }
PLAIN(median, cot_median(x[0], AXIS, .keepdims = BACK))
PLAIN(nanmedian, cot_median(x[0], AXIS, .skip_nan = 1))
PLAIN(quantile, cot_quantile(x[0], 0.3, -1, .method = (int)k))
PLAIN(searchsorted, cot_searchsorted(x[0], x[1], .right = BACK))
FUNCTION(unique)
{
    UNUSED;
    y[0] = cot_unique(x[0], .size = 9, .fill = 7, .count = &y[1], .counts = &y[2],
                      .inverse = &y[3]);
}
PLAIN(bincount, cot_bincount(x[0], 6))
PLAIN(bincount_weighted, cot_bincount(x[0], 6, .weights = x[1]))
PLAIN(histogram, cot_histogram(x[0], 5, -1, 2))
PLAIN(cumsum, cot_cumsum(x[0], AXIS, .reverse = BACK))
PLAIN(cumprod, cot_cumprod(x[0], AXIS, .reverse = BACK))
PLAIN(cummax, cot_cummax(x[0], AXIS, .reverse = BACK))
PLAIN(cummin, cot_cummin(x[0], AXIS, .reverse = BACK))
PLAIN(cumlogsumexp, cot_cumlogsumexp(x[0], AXIS, .reverse = BACK))

/* (a, b) after (c, d): the composition of two lines */
static void
lines(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], in[2]);
    out[1] = cot_add(cot_mul(in[1], in[2]), in[3]);
}

FUNCTION(associative_scan)
{
    UNUSED;
    cot_associative_scan(lines, .xs = COT_VALUES(x[0], x[1]), .out = y, .reverse = IS(1));
}

FUNCTION(reduce_lines)
{
    UNUSED;
    cot_type s = cot_type_new(cot_dtype_of(x[0]), 0, NULL);
    cot_reduce(lines, .xs = COT_VALUES(x[0], x[1]),
               .inits = COT_VALUES(cot_ones(t, s), cot_zeros(t, s)), .axes = L(-1), .out = y);
}

FUNCTION(index)
{
    UNUSED;
    y[0] = IS(0)   ? cot_index(x[0], COT_AT(1, COT_SPAN(COT_NONE, COT_NONE, -2), COT_NEWAXIS))
           : IS(1) ? cot_index(x[0], COT_AT(x[1]))
           : IS(2) ? cot_index(x[0], COT_AT(x[1], COT_WHOLE, x[1]))
           : IS(3) ? cot_index(x[0], COT_AT(COT_ELLIPSIS, x[1]))
           : IS(4) ? cot_index(x[0], COT_AT(COT_SPAN(-1, 0, -1), x[1], -1))
                   : cot_index(x[0], COT_AT(COT_WHOLE, x[1], x[1]));
}

FUNCTION(index_set)
{
    UNUSED;
    y[0] = IS(0)   ? cot_index_set(x[0], COT_AT(x[1]), x[2])
           : IS(1) ? cot_index_set(x[0], COT_AT(COT_WHOLE, COT_SPAN(1, COT_NONE, 2)), x[2])
                   : cot_index_set(x[0], COT_AT(COT_ELLIPSIS, -1), 2.5);
}

PLAIN(index_add, cot_index_add(x[0], COT_AT(x[1]), x[2]))
PLAIN(index_mul, cot_index_mul(x[0], COT_AT(x[1]), x[2]))
PLAIN(index_min, cot_index_min(x[0], COT_AT(x[1]), x[2]))
PLAIN(index_max, cot_index_max(x[0], COT_AT(x[1]), x[2]))
PLAIN(where_mask, cot_index_set(x[0], COT_AT(x[1]), 0.5))
PLAIN(take, cot_take(x[0], x[1], (int)k))
PLAIN(take_along, cot_take_along(x[0], x[1], (int)k))
PLAIN(put_along, cot_put_along(x[0], x[1], x[2], (int)k))
PLAIN(add_along, cot_add_along(x[0], x[1], x[2], (int)k))
PLAIN(segment_sum, cot_segment_sum(x[0], x[1], 4))
PLAIN(segment_prod, cot_segment_prod(x[0], x[1], 4))
PLAIN(segment_max, cot_segment_max(x[0], x[1], 4))
PLAIN(segment_min, cot_segment_min(x[0], x[1], 4))
PLAIN(gather_fill, cot_gather(x[0], x[1], .collapsed = L(0), .offset_dims = L(1),
                              .index_map = L(0), .sizes = L(1, 3),
                              .mode = IS(0) ? COT_CLIP : COT_FILL))
PLAIN(gather_batch, cot_gather(x[0], x[1], .collapsed = L(1), .operand_batch = L(0),
                               .indices_batch = L(0), .index_map = L(1),
                               .sizes = L(1, 1)))
PLAIN(roll, cot_roll(x[0], (int)k, -1))

UNARY(lgamma) UNARY(digamma) UNARY(erf_inv) UNARY(sinc) UNARY(logit) UNARY(entr)
    UNARY(bessel_i0) UNARY(bessel_i1)
UNARY(bessel_i0e) UNARY(bessel_i1e) UNARY(bessel_j0) UNARY(bessel_j1)
BINARY(igamma) BINARY(igammac) BINARY(beta) BINARY(lbeta) BINARY(xlogy) BINARY(xlog1py)
    BINARY(logaddexp)
BINARY(logaddexp2) BINARY(hypot) BINARY(ldexp)
PLAIN(polygamma, cot_polygamma((int)k, x[0]))
PLAIN(betainc, cot_betainc(cot_stop_gradient(x[0]), cot_stop_gradient(x[1]), x[2]))
PLAIN(hyp1f1, cot_hyp1f1(x[0], x[1], x[2]))
PLAIN(multigammaln, cot_multigammaln(x[0], (int)k))
FUNCTION(frexp) { UNUSED; y[0] = cot_frexp(x[0], &y[1]); }

UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log) UNARY(log2) UNARY(log1p) UNARY(sqrt) UNARY(rsqrt)
    UNARY(sin) UNARY(cos)
UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh) UNARY(tanh) UNARY(asinh)
    UNARY(acosh) UNARY(atanh)
UNARY(logistic) UNARY(abs) UNARY(sign) UNARY(square) UNARY(real) UNARY(imag)
    UNARY(conj) UNARY(angle)
BINARY(add) BINARY(sub) BINARY(mul) BINARY(div) BINARY(pow) BINARY(complex)
PLAIN(integer_pow, cot_integer_pow(x[0], (int)k))
PLAIN(reduce_sum, cot_reduce_sum(x[0], .axes = L((int)k)))
PLAIN(reduce_prod, cot_reduce_prod(x[0], .axes = L((int)k)))
PLAIN(reduce_max, cot_reduce_max(x[0], .axes = L((int)k)))
PLAIN(mean, cot_mean(x[0], .axes = L((int)k)))
PLAIN(var, cot_var(x[0], .axes = L(-1), .ddof = k))
PLAIN(norm, cot_norm(x[0], .axes = L((int)k)))

PLAIN(fft, cot_fft(x[0], .axes = L(AXIS), .norm = BACK ? COT_FFT_ORTHO : COT_FFT_BACKWARD))
PLAIN(ifft, cot_ifft(x[0], .axes = L(AXIS), .norm = BACK ? COT_FFT_FORWARD : COT_FFT_BACKWARD))
PLAIN(fft_sized, cot_fft(x[0], .sizes = L((int)k)))
UNARY(rfft)
PLAIN(irfft, k > 0 ? cot_irfft(x[0], .sizes = L((int)k)) : cot_irfft(x[0]))
UNARY(fftn) UNARY(ifftn) UNARY(rfftn) UNARY(irfftn) UNARY(fftshift) UNARY(ifftshift)

PLAIN(linear, cot_linear(x[0], x[1], x[2]))
PLAIN(conv1d, cot_conv1d(x[0], x[1], x[2], .strides = L(2), .padding = L(1, 1)))
PLAIN(conv2d, cot_conv2d(x[0], x[1], x[2], .groups = 2, .dilation = L(2, 1)))
PLAIN(conv3d, cot_conv3d(x[0], x[1], x[2], .padding = L(1, 1, 0, 0, 1, 1)))
PLAIN(conv_transpose1d, cot_conv_transpose1d(x[0], x[1], x[2], .strides = L(2),
                                             .padding = L(1, 0)))
PLAIN(conv_transpose2d, cot_conv_transpose2d(x[0], x[1], x[2], .strides = L(2, 3), .groups = 2,
                                             .dilation = L(1, 2)))
PLAIN(conv_transpose3d, cot_conv_transpose3d(x[0], x[1], x[2], .strides = L(1, 2, 1)))
PLAIN(batch_norm, cot_batch_norm(x[0], NULL, .scale = x[1], .bias = x[2], .training = 1))
PLAIN(layer_norm, cot_layer_norm(x[0], .scale = x[1], .bias = x[2]))
PLAIN(group_norm, cot_group_norm(x[0], 2, .scale = x[1], .bias = x[2]))
PLAIN(rms_norm, cot_rms_norm(x[0], .scale = x[1], .eps = 1e-3))
PLAIN(softmax, cot_softmax(x[0], .axes = L((int)k)))
PLAIN(log_softmax, cot_log_softmax(x[0], .axes = L((int)k)))
PLAIN(logsumexp, cot_logsumexp(x[0], .axes = L((int)k)))
PLAIN(attention, cot_attention(x[0], x[1], x[2], .causal = IS(1)))
PLAIN(cross_entropy, cot_cross_entropy(x[0], x[1], .label_smoothing = k))
PLAIN(ctc, cot_ctc(cot_log_softmax(x[0]), x[1], x[2], x[3], .reduction = COT_LOSS_SUM))
UNARY(gelu) UNARY(silu) UNARY(softplus) UNARY(mish) UNARY(elu) UNARY(selu) UNARY(celu)
    UNARY(relu) UNARY(log_sigmoid)

FUNCTION(lstm)
{
    cot_rnn_weights w = { x[1], x[2], x[3], x[4] };

    UNUSED;
    y[0] = cot_lstm(x[0], COT_UNSET, COT_UNSET, &w, NULL, .reverse = IS(1));
}

FUNCTION(gru)
{
    cot_rnn_weights w = { x[1], x[2], x[3], x[4] };

    UNUSED;
    y[0] = cot_gru(x[0], COT_UNSET, &w, NULL, .reverse = IS(1));
}

static const function_row functions[] = {
#define ROW(name, n_in, n_out) { #name, f_##name, n_in, n_out },
#define R1(name) ROW(name, 1, 1)
#define R2(name) ROW(name, 2, 1)
#define R3(name) ROW(name, 3, 1)
    R2(conv) R1(window_sum) R1(window_max) R1(window_min) R1(window_prod) R1(max_pool)
    R1(avg_pool) R2(select_and_scatter) R2(dot_general) R2(einsum) R2(matmul) R2(dot) R1(sort)
    R1(argsort) ROW(sort_many, 2, 2) R2(lexsort) ROW(top_k, 1, 2) R1(median) R1(nanmedian)
    R1(quantile) R2(searchsorted) ROW(unique, 1, 4) R1(bincount) R2(bincount_weighted)
    R1(histogram) R1(cumsum) R1(cumprod) R1(cummax) R1(cummin) R1(cumlogsumexp)
    ROW(associative_scan, 2, 2) ROW(reduce_lines, 2, 2) R2(index) R3(index_set) R3(index_add)
    R3(index_mul) R3(index_min) R3(index_max) R2(where_mask) R2(take) R2(take_along)
    R3(put_along) R3(add_along) R2(segment_sum) R2(segment_prod) R2(segment_max) R2(segment_min)
    R2(gather_fill) R2(gather_batch) R1(roll) R1(lgamma) R1(digamma) R1(erf_inv) R1(sinc)
    R1(logit) R1(entr) R1(bessel_i0) R1(bessel_i1) R1(bessel_i0e) R1(bessel_i1e) R1(bessel_j0)
    R1(bessel_j1) R2(igamma) R2(igammac) R2(beta) R2(lbeta) R2(xlogy) R2(xlog1py) R2(logaddexp)
    R2(logaddexp2) R2(hypot) R2(ldexp) R1(polygamma) R3(betainc) R3(hyp1f1) R1(multigammaln)
    ROW(frexp, 1, 2) R1(exp) R1(exp2) R1(expm1) R1(log) R1(log2) R1(log1p) R1(sqrt) R1(rsqrt)
    R1(sin) R1(cos) R1(tan) R1(asin) R1(acos) R1(atan) R1(sinh) R1(cosh) R1(tanh) R1(asinh)
    R1(acosh) R1(atanh) R1(logistic) R1(abs) R1(sign) R1(square) R1(real) R1(imag) R1(conj)
    R1(angle) R2(add) R2(sub) R2(mul) R2(div) R2(pow) R2(complex) R1(integer_pow) R1(reduce_sum)
    R1(reduce_prod) R1(reduce_max) R1(mean) R1(var) R1(norm) R1(fft) R1(ifft) R1(fft_sized)
    R1(rfft) R1(irfft) R1(fftn) R1(ifftn) R1(rfftn) R1(irfftn) R1(fftshift) R1(ifftshift)
    R3(linear) R3(conv1d) R3(conv2d) R3(conv3d) R3(conv_transpose1d) R3(conv_transpose2d)
    R3(conv_transpose3d) R3(batch_norm) R3(layer_norm) R3(group_norm) R2(rms_norm) R1(softmax)
    R1(log_softmax) R1(logsumexp) R3(attention) R2(cross_entropy) ROW(ctc, 4, 1) R1(gelu)
    R1(silu) R1(softplus) R1(mish) R1(elu) R1(selu) R1(celu) R1(relu) R1(log_sigmoid)
    ROW(lstm, 5, 1) ROW(gru, 5, 1)
#undef ROW
};

#endif
