/* Every pointwise op and composition that has derivatives, as a function of scalars, for the
 * table of derivatives.  A row of UNARY is `name(x)` of the header; FN says the call. */
#ifndef TESTS_DERIVATIVES_FUNCTIONS_H
#define TESTS_DERIVATIVES_FUNCTIONS_H

#include "cotrace/cotrace.h"

typedef cot_value formula(const cot_value *x);

typedef struct function_row {
    const char *name;
    int n_in;
    formula *call;
} function_row;

#define PAIR(x) cot_stack(COT_VALUES((x)[0], (x)[1]), 0)
#define EACH .reduction = COT_LOSS_EACH
#define STACK(...) cot_stack(COT_VALUES(__VA_ARGS__), 0)
#define THREE(x) STACK((x)[0], (x)[1], (x)[0])
#define ONE(x) STACK(cot_convert(cot_eq((x)[0], (x)[0]), cot_dtype_of((x)[0])))
#define COUNT(k, x) cot_mul(k, cot_convert(cot_eq((x)[0], (x)[0]), cot_dtype_of((x)[0])))
#define ZEROS(y) cot_convert(cot_lt(y, y), COT_I32) /* places, not known as constants */

#define UNARY(name) FN(name, 1, cot_##name(x[0]))
#define BINARY(name) FN(name, 2, cot_##name(x[0], x[1]))
#define LOSS(name) FN(name, 2, cot_##name(x[0], x[1], EACH))

#define FUNCTIONS                                                                              \
    UNARY(neg) UNARY(abs) UNARY(sign) UNARY(exp) UNARY(exp2) UNARY(expm1) UNARY(log)           \
    UNARY(log2) UNARY(log1p) UNARY(sqrt) UNARY(rsqrt) UNARY(cbrt) UNARY(sin) UNARY(cos)        \
    UNARY(tan) UNARY(asin) UNARY(acos) UNARY(atan) UNARY(sinh) UNARY(cosh) UNARY(tanh)         \
    UNARY(asinh) UNARY(acosh) UNARY(atanh) UNARY(logistic) UNARY(erf) UNARY(erfc)              \
    UNARY(stop_gradient) UNARY(barrier)                                                        \
    FN(cube, 1, cot_integer_pow(x[0], 3))                                                      \
    FN(inverse_square, 1, cot_integer_pow(x[0], -2))                                           \
    FN(convert, 1, cot_convert(x[0], COT_F64))                                                 \
    BINARY(add) BINARY(sub) BINARY(mul) BINARY(div) BINARY(rem) BINARY(pow) BINARY(atan2)      \
    BINARY(max) BINARY(min)                                                                    \
    FN(fma, 2, cot_fma(x[0], x[1], x[0]))                                                      \
    FN(select, 2, cot_select(cot_gt(x[0], x[1]), cot_mul(x[0], x[1]), cot_sin(x[0])))          \
    FN(clamp, 1, cot_clip(x[0], -1, 2))                                                        \
    UNARY(lgamma) UNARY(digamma) UNARY(erf_inv) UNARY(erfcx) UNARY(ndtr) UNARY(ndtri)          \
    UNARY(log_ndtr) UNARY(bessel_i0e) UNARY(bessel_i1e) UNARY(bessel_j0) UNARY(bessel_j1)      \
    FN(polygamma, 1, cot_polygamma(2, x[0]))                                                   \
    FN(zeta, 1, cot_zeta(2.5, x[0]))                                                           \
    FN(igamma, 1, cot_igamma(2.5, x[0]))                                                       \
    FN(igamma_1, 1, cot_igamma(1, x[0]))                                                       \
    FN(igamma_both, 2, cot_igamma(x[1], x[0]))                                                 \
    FN(igammac, 1, cot_igammac(0.5, x[0]))                                                     \
    FN(betainc, 1, cot_betainc(2.5, 1.5, x[0]))                                                \
    FN(betainc_1, 1, cot_betainc(1, 2, x[0]))                                                  \
    BINARY(lbeta) BINARY(hypot) BINARY(logaddexp)                                              \
    FN(nextafter, 1, cot_nextafter(x[0], 2))                                                   \
    FN(reduce_precision, 1, cot_reduce_precision(x[0], 8, 7))                                  \
    UNARY(entr) UNARY(logit) UNARY(sinc) UNARY(bessel_i0) UNARY(bessel_i1)                     \
    BINARY(xlogy) BINARY(xlog1py) BINARY(logaddexp2) BINARY(beta)                              \
    FN(ldexp, 1, cot_ldexp(x[0], 3))                                                           \
    FN(frexp, 1, cot_frexp(x[0], NULL))                                                        \
    FN(multigammaln, 1, cot_multigammaln(x[0], 3))                                             \
    UNARY(relu) UNARY(sigmoid) UNARY(silu) UNARY(softplus) UNARY(square) UNARY(gelu)           \
    FN(gelu_tanh, 1, cot_gelu(x[0], .tanh = 1))                                                \
    UNARY(relu6) UNARY(hardtanh) UNARY(elu) UNARY(selu) UNARY(celu) UNARY(leaky_relu)          \
    FN(celu_2, 1, cot_celu(x[0], .alpha = 2))                                                  \
    BINARY(prelu)                                                                              \
    UNARY(mish) UNARY(softsign) UNARY(hardsigmoid) UNARY(hardswish) UNARY(log_sigmoid)         \
    UNARY(tanhshrink) UNARY(quick_gelu) UNARY(hardshrink) UNARY(softshrink)                    \
    LOSS(mse) LOSS(l1) LOSS(smooth_l1) LOSS(huber) LOSS(bce) LOSS(bce_with_logits)             \
    LOSS(kl_div) LOSS(poisson_nll) LOSS(hinge) LOSS(soft_margin)                               \
    FN(hinge_embedding, 1, cot_hinge_embedding(x[0], cot_mul(0, x[0]), EACH))                  \
    FN(gaussian_nll, 2, cot_gaussian_nll(x[0], cot_mul(0, x[0]), x[1], EACH))                  \
    FN(reduce_max, 2, cot_reduce_max(PAIR(x)))                                                 \
    FN(reduce_min, 2, cot_reduce_min(PAIR(x)))                                                 \
    FN(reduce_prod, 2, cot_reduce_prod(PAIR(x)))                                               \
    FN(logsumexp, 2, cot_logsumexp(PAIR(x)))                                                   \
    FN(softmax, 2, cot_index(cot_softmax(PAIR(x)), COT_AT(0)))                                 \
    FN(log_softmax, 2, cot_index(cot_log_softmax(PAIR(x)), COT_AT(0)))                         \
    FN(cumlogsumexp, 2, cot_index(cot_cumlogsumexp(PAIR(x), 0), COT_AT(1)))                    \
    FN(cumprod, 2, cot_index(cot_cumprod(PAIR(x), 0), COT_AT(1)))                              \
    FN(cummax, 2, cot_index(cot_cummax(PAIR(x), 0), COT_AT(1)))                                \
    FN(scatter_mul, 2, cot_reduce_sum(cot_index_mul(ONE(x), COT_AT(ZEROS(THREE(x))),           \
                                                    THREE(x))))                                \
    FN(scatter_max, 2, cot_reduce_sum(cot_index_max(STACK(x[0]), COT_AT(ZEROS(STACK(x[1]))),   \
                                                    STACK(x[1]))))                             \
    FN(scatter_min, 2, cot_reduce_sum(cot_index_min(STACK(x[0]), COT_AT(ZEROS(STACK(x[1]))),   \
                                                    STACK(x[1]))))                             \
    FN(reduce_prod_3, 2, cot_reduce_prod(THREE(x)))                                            \
    FN(cumprod_3, 2, cot_index(cot_cumprod(THREE(x), 0), COT_AT(2)))                           \
    FN(pow_by_0, 1, cot_pow(x[0], COUNT(0, x)))                                                \
    FN(pow_by_1, 1, cot_pow(x[0], COUNT(1, x)))                                                \
    FN(pow_by_2, 1, cot_pow(x[0], COUNT(2, x)))                                                \
    FN(pow_by_3, 1, cot_pow(x[0], 3.0))                                                        \
    FN(cross_entropy, 2, cot_cross_entropy(STACK(PAIR(x)), ZEROS(STACK(x[0]))))                \
    FN(margin_ranking, 2, cot_margin_ranking(x[0], x[1], COUNT(1, x), EACH))                   \
    FN(norm, 2, cot_norm(PAIR(x)))                                                             \
    FN(var, 2, cot_var(PAIR(x)))

#endif
