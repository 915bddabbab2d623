/* Cotrace: layers of neural networks: activations, norms, convolutions, recurrence, attention,
 * initial weights.
 *
 * All are compositions of ops, so that they map, differentiate and compile as any function
 * does; weights are values like others.  Shapes of weights are PyTorch's.  f16 and bf16 are
 * widened once and rounded once.  A weight that is not wanted is COT_UNSET.  linear,
 * layer_norm, batch_norm, relu, gelu, silu, softmax ... are in sugar.h, dropout in random.h,
 * losses in loss.h, optimisers in optim.h.  Operands are real floating, of any shape unless a
 * line says otherwise, and results have their type; what is not is COT_ERR_DTYPE, and shapes
 * that do not fit are COT_ERR_SHAPE. */
#ifndef COTRACE_NN_H
#define COTRACE_NN_H

#include "cotrace/random.h"
#include "cotrace/sugar.h"
#include "cotrace/window.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct COT_NAMED_ cot_activation_options {
    COT_BEGIN_
    double alpha;               /* the function's parameter; 0: its usual value */
    double low, high;           /* hardtanh; both 0: -1 and 1                   */
} cot_activation_options;

typedef struct COT_NAMED_ cot_embedding_options {
    COT_BEGIN_
    cot_list padding;           /* COT_LIST(row): a row that gets no derivative */
} cot_embedding_options;

/* What a bag of embeddings is reduced to. */
typedef enum cot_bag_kind { COT_BAG_SUM, COT_BAG_MEAN, COT_BAG_MAX } cot_bag_kind;

typedef struct COT_NAMED_ cot_bag_options {
    COT_BEGIN_
    /* integers [bags], ascending from 0: where each bag begins in an index of one axis */
    cot_value offsets;
    /* sum: of the index's shape, what each row is multiplied by */
    cot_value weights;
    /* COT_LIST(row): a row that does not count */
    cot_list padding;
} cot_bag_options;

/* w_ih [gates h, in], w_hh [gates h, h], biases [gates h] or unset; gates: 1 of an RNN, i f g o
 * of an LSTM, r z n of a GRU. */
typedef struct cot_rnn_weights {
    cot_value w_ih, w_hh, b_ih, b_hh;
} cot_rnn_weights;

typedef struct COT_NAMED_ cot_rnn_options {
    COT_BEGIN_
    int reverse;                /* 1: from the last step to the first           */
    int relu;                   /* rnn: 1: relu in place of tanh                */
} cot_rnn_options;

typedef struct COT_NAMED_ cot_attention_options {
    COT_BEGIN_
    /* bool: where to look; floating: added to the scores; broadcasts to [..., l, s] */
    cot_value mask;
    int causal;                 /* 1: key j is seen by query i if j <= i        */
    double scale;               /* of the scores; 0: 1 / sqrt(e)                */
    double dropout;             /* of the weights, with .key as in dropout      */
    cot_value key;
    int rotary;                 /* multi_head_attention: 1: cot_rotary of the heads' q and k */
    double rotary_base;
} cot_attention_options;

/* in_weight [3 e, e], in_bias [3 e], out_weight [e, e], out_bias [e]; biases, and the output's
 * weight, may be unset. */
typedef struct cot_attention_weights {
    cot_value in_weight, in_bias, out_weight, out_bias;
} cot_attention_weights;

typedef struct COT_NAMED_ cot_rotary_options {
    COT_BEGIN_
    cot_value position;         /* [l]; unset: 0, 1, 2, ...                     */
    double base;                /* 0: 10000                                     */
    int interleaved;            /* 1: pairs are neighbours; else first and second half */
} cot_rotary_options;

typedef struct COT_NAMED_ cot_init_options {
    COT_BEGIN_
    cot_value key;              /* as for draws                                 */
    double gain;                /* xavier, orthogonal; 0: 1                     */
    double slope;               /* kaiming: of the leaky relu that follows      */
    int fan_out;                /* kaiming: 1: by the outputs                   */
    double mean, std;           /* normal, truncated_normal; std 0: 1           */
    double low, high;           /* truncated_normal; both 0: mean -+ 2 std      */
} cot_init_options;

#define COT_UNSET ((cot_value){0})

#define COT_ACTIVATION_(name)                                                                  \
    COT_API cot_value name(cot_place at, cot_value x, const cot_activation_options *o,         \
                           size_t size);
COT_ACTIVATION_(cot_relu6_)
COT_ACTIVATION_(cot_hardtanh_)
COT_ACTIVATION_(cot_elu_)
COT_ACTIVATION_(cot_selu_)
COT_ACTIVATION_(cot_celu_)
COT_ACTIVATION_(cot_leaky_relu_)
COT_ACTIVATION_(cot_mish_)
COT_ACTIVATION_(cot_softsign_)
COT_ACTIVATION_(cot_hardsigmoid_)
COT_ACTIVATION_(cot_hardswish_)
COT_ACTIVATION_(cot_log_sigmoid_)
COT_ACTIVATION_(cot_tanhshrink_)
COT_ACTIVATION_(cot_hardshrink_)
COT_ACTIVATION_(cot_softshrink_)
COT_ACTIVATION_(cot_quick_gelu_)
#undef COT_ACTIVATION_
COT_API cot_value cot_prelu_(cot_place at, cot_value x, cot_value weight);
COT_API cot_value cot_glu_(cot_place at, cot_value x, int axis);
COT_API cot_value cot_softmin_(cot_place at, cot_value x, const cot_reduce_options *o,
                               size_t size);
COT_API cot_value cot_group_norm_(cot_place at, cot_value x, int64_t groups,
                                  const cot_norm_options *o, size_t size);
COT_API cot_value cot_instance_norm_(cot_place at, cot_value x, const cot_norm_options *o,
                                     size_t size);
COT_API cot_value cot_rms_norm_(cot_place at, cot_value x, const cot_norm_options *o,
                                size_t size);
COT_API cot_value cot_normalize_(cot_place at, cot_value x, const cot_norm_options *o,
                                 size_t size);
COT_API cot_value cot_embedding_(cot_place at, cot_value weight, cot_value index,
                                 const cot_embedding_options *o, size_t size);
COT_API cot_value cot_embedding_bag_(cot_place at, cot_value weight, cot_value index,
                                     cot_bag_kind kind, const cot_bag_options *o, size_t size);
COT_API cot_value cot_cdist_(cot_place at, cot_value x, cot_value y, double p);
/* A convolution with n spatial axes and a bias: what cot_conv1d, 2d and 3d call. */
COT_API cot_value cot_conv_layer_(cot_place at, int n, cot_value x, cot_value w, cot_value bias,
                                  const cot_window_options *o, size_t size);
/* Its transpose: what cot_conv_transpose1d, 2d and 3d call. */
COT_API cot_value cot_conv_transpose_(cot_place at, int n, cot_value x, cot_value w,
                                      cot_value bias, const cot_window_options *o, size_t size);
/* Pooling to given sizes, by the mean or, with most = 1, by the maximum. */
COT_API cot_value cot_adaptive_pool_(cot_place at, cot_value x, cot_list sizes, int most);
COT_API cot_value cot_rnn_cell_(cot_place at, cot_value x, cot_value h,
                                const cot_rnn_weights *w, int relu);
COT_API cot_value cot_lstm_cell_(cot_place at, cot_value x, cot_value h, cot_value c,
                                 const cot_rnn_weights *w, cot_value *c_next);
COT_API cot_value cot_gru_cell_(cot_place at, cot_value x, cot_value h,
                                const cot_rnn_weights *w);
COT_API cot_value cot_rnn_(cot_place at, cot_value x, cot_value h, const cot_rnn_weights *w,
                           cot_value *last, const cot_rnn_options *o, size_t size);
COT_API cot_value cot_lstm_(cot_place at, cot_value x, cot_value h, cot_value c,
                            const cot_rnn_weights *w, cot_value *last, const cot_rnn_options *o,
                            size_t size);
COT_API cot_value cot_gru_(cot_place at, cot_value x, cot_value h, const cot_rnn_weights *w,
                           cot_value *last, const cot_rnn_options *o, size_t size);
COT_API cot_value cot_attention_(cot_place at, cot_value q, cot_value k, cot_value v,
                                 const cot_attention_options *o, size_t size);
COT_API cot_value cot_multi_head_attention_(cot_place at, cot_value q, cot_value k, cot_value v,
                                            const cot_attention_weights *w, int64_t heads,
                                            const cot_attention_options *o, size_t size);
COT_API cot_value cot_rotary_(cot_place at, cot_value x, const cot_rotary_options *o,
                              size_t size);
COT_API cot_value cot_sinusoids_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t l,
                                 int64_t d);
#define COT_INIT_F_(name)                                                                      \
    COT_API cot_value name(cot_place at, cot_trace *t, cot_type type,                          \
                           const cot_init_options *o, size_t size);
COT_INIT_F_(cot_init_normal_)
COT_INIT_F_(cot_truncated_normal_)
COT_INIT_F_(cot_orthogonal_)
COT_INIT_F_(cot_xavier_uniform_)
COT_INIT_F_(cot_xavier_normal_)
COT_INIT_F_(cot_kaiming_uniform_)
COT_INIT_F_(cot_kaiming_normal_)
#undef COT_INIT_F_

#ifndef __cplusplus
/* ---- activations, for each element; kinks have PyTorch's derivatives ---- */

#define COT_ACT_(...)                                                                          \
    &(const cot_activation_options){ __VA_ARGS__ }, sizeof(cot_activation_options)
/* min(max(x, 0), 6); NaN stays. As all activations here it takes x of a real floating type and
 * any shape, and the result has x's type. Errors: COT_ERR_DTYPE. */
#define cot_relu6(x) cot_relu6_(COT_HERE, x, NULL, 0)
/* min(max(x, .low), .high); both 0: -1 and 1. NaN stays; the derivative outside and at the
 * bounds is 0. */
#define cot_hardtanh(...) COT_HARDTANH_(__VA_ARGS__, .end_ = 0)
#define COT_HARDTANH_(x, ...) cot_hardtanh_(COT_HERE, x, COT_ACT_(__VA_ARGS__))
/* x where x > 0, else .alpha (e^x - 1); .alpha 0: 1. D. Clevert et al., Fast and Accurate Deep
 * Network Learning by Exponential Linear Units, 2016. */
#define cot_elu(...) COT_ELU_(__VA_ARGS__, .end_ = 0)
#define COT_ELU_(x, ...) cot_elu_(COT_HERE, x, COT_ACT_(__VA_ARGS__))
/* x where x > 0, else a (e^x - 1), scaled, with the constants that keep mean and variance. */
#define cot_selu(x) cot_selu_(COT_HERE, x, NULL, 0)
/* x where x > 0, else .alpha (e^(x / .alpha) - 1), whose slope at 0 is 1 for any alpha; .alpha
 * 0: 1. J. Barron, Continuously Differentiable Exponential Linear Units, 2017. */
#define cot_celu(...) COT_CELU_(__VA_ARGS__, .end_ = 0)
#define COT_CELU_(x, ...) cot_celu_(COT_HERE, x, COT_ACT_(__VA_ARGS__))
/* x where x > 0, else .alpha x; .alpha 0: 0.01. The derivative at 0 is .alpha, so a slope of
 * exactly 0 is cot_relu's. */
#define cot_leaky_relu(...) COT_LEAKY_RELU_(__VA_ARGS__, .end_ = 0)
#define COT_LEAKY_RELU_(x, ...) cot_leaky_relu_(COT_HERE, x, COT_ACT_(__VA_ARGS__))
/* x where x > 0, else weight x: weight is a scalar or one number, or [c] for the channels of x
 * [n, c, ...], axis 1. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE where it has another size. */
#define cot_prelu(x, weight) cot_prelu_(COT_HERE, x, weight)
/* x tanh(log(1 + e^x)), smooth and not monotonic; types and errors as of cot_relu6. D. Misra,
 * Mish: A Self Regularized Non-Monotonic Activation Function, 2019. */
#define cot_mish(x) cot_mish_(COT_HERE, x, NULL, 0)
/* x / (1 + |x|), between -1 and 1, which it reaches at infinities. Types and errors are those
 * of cot_relu6. */
#define cot_softsign(x) cot_softsign_(COT_HERE, x, NULL, 0)
/* relu6(x + 3) / 6, a sigmoid of straight lines: 0 up to -3, 1 from 3 on. Types and errors are
 * those of cot_relu6. */
#define cot_hardsigmoid(x) cot_hardsigmoid_(COT_HERE, x, NULL, 0)
/* x relu6(x + 3) / 6, the silu of straight lines: 0 up to -3, x from 3 on. A. Howard et al.,
 * Searching for MobileNetV3, 2019. */
#define cot_hardswish(x) cot_hardswish_(COT_HERE, x, NULL, 0)
/* The logarithm of the sigmoid, -log(1 + e^-x), computed without overflow for x of any size.
 * Types and errors are those of cot_relu6. */
#define cot_log_sigmoid(x) cot_log_sigmoid_(COT_HERE, x, NULL, 0)
/* x - tanh x, about x^3 / 3 near 0, where it loses digits by cancellation. Types and errors are
 * those of cot_relu6. */
#define cot_tanhshrink(x) cot_tanhshrink_(COT_HERE, x, NULL, 0)
/* x / (1 + e^(-1.702 x)), the approximation of cot_gelu by a sigmoid. D. Hendrycks, K. Gimpel,
 * Gaussian Error Linear Units, 2016. */
#define cot_quick_gelu(x) cot_quick_gelu_(COT_HERE, x, NULL, 0)
/* x where |x| > .alpha, else 0, also for NaN; .alpha 0: 0.5. Types and errors are those of
 * cot_relu6. */
#define cot_hardshrink(...) COT_HARDSHRINK_(__VA_ARGS__, .end_ = 0)
#define COT_HARDSHRINK_(x, ...) cot_hardshrink_(COT_HERE, x, COT_ACT_(__VA_ARGS__))
/* x moved toward 0 by .alpha where |x| > .alpha, else 0, also for NaN; .alpha 0: 0.5. Types and
 * errors are those of cot_relu6. */
#define cot_softshrink(...) COT_SOFTSHRINK_(__VA_ARGS__, .end_ = 0)
#define COT_SOFTSHRINK_(x, ...) cot_softshrink_(COT_HERE, x, COT_ACT_(__VA_ARGS__))
/* The first half of an axis times the sigmoid of the second half, of x floating; the axis is
 * half as long. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE where the size is odd or there is no such
 * axis. Y. Dauphin et al., Language Modeling with Gated Convolutional Networks, 2017. */
#define cot_glu(x, axis) cot_glu_(COT_HERE, x, axis)
/* softmax(-x) over .axes together (default: the last): positive numbers whose sum is 1, the
 * largest where x is smallest. Errors are those of cot_softmax. */
#define cot_softmin(...) COT_SOFTMIN_(__VA_ARGS__, .end_ = 0)
#define COT_SOFTMIN_(x, ...) cot_softmin_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))

/* ---- norms ---- */

#define COT_NORMS_(...) &(const cot_norm_options){__VA_ARGS__}, sizeof(cot_norm_options)
/* x [n, c, ...] with mean 0 and variance 1 in each of `groups` of channels of an example;
 * then times .scale [c], plus .bias [c].  .eps 0: 1e-5.
 * Errors   COT_ERR_SHAPE  groups do not divide c */
#define cot_group_norm(...) COT_GROUP_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_GROUP_NORM_(x, groups, ...)                                                        \
    cot_group_norm_(COT_HERE, x, groups, COT_NORMS_(__VA_ARGS__))
/* cot_group_norm with a group for each channel of an example: every channel of x [n, c, ...]
 * has mean 0 and variance 1 by itself. Options and errors are those of cot_group_norm. */
#define cot_instance_norm(...) COT_INSTANCE_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_INSTANCE_NORM_(x, ...) cot_instance_norm_(COT_HERE, x, COT_NORMS_(__VA_ARGS__))
/* x / sqrt(mean(x^2) + .eps) over .axes (the last), times .scale, plus .bias; .eps 0: the
 * element type's epsilon. */
#define cot_rms_norm(...) COT_RMS_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_RMS_NORM_(x, ...) cot_rms_norm_(COT_HERE, x, COT_NORMS_(__VA_ARGS__))
/* x / max(|x|, .eps) with the Euclidean norm over .axes together (absent: the last); .eps 0:
 * 1e-12, so that zeros stay zeros. x is real floating (else COT_ERR_DTYPE). */
#define cot_normalize(...) COT_NORMALIZE_(__VA_ARGS__, .end_ = 0)
#define COT_NORMALIZE_(x, ...) cot_normalize_(COT_HERE, x, COT_NORMS_(__VA_ARGS__))

/* Rows of weight [n, d] at an index of integers [...]: [..., d]. Negative ones count from the
 * end, those outside are clamped. Errors: COT_ERR_DTYPE where the index is not of integers. */
#define cot_embedding(...) COT_EMBEDDING_(__VA_ARGS__, .end_ = 0)
#define COT_EMBEDDING_(weight, index, ...)                                                     \
    cot_embedding_(COT_HERE, weight, index, &(const cot_embedding_options){__VA_ARGS__},       \
                   sizeof(cot_embedding_options))

/* The sum, the mean or the maximum of rows of weight [n, d], bag by bag: index integers [bags,
 * m] gives T[bags, d], every bag having m rows; with .offsets an index [l] does, bag i having
 * the elements from .offsets[i] to .offsets[i + 1], the last one to the end.  Of no row that
 * counts all are 0.  The gradient of a maximum goes to the first row that has it.
 *
 * Errors   COT_ERR_SHAPE, COT_ERR_ARG  shapes, element types or options do not fit */
#define cot_embedding_bag(...) COT_EMBEDDING_BAG_(__VA_ARGS__, .end_ = 0)
#define COT_EMBEDDING_BAG_(weight, index, kind, ...)                                           \
    cot_embedding_bag_(COT_HERE, weight, index, kind, &(const cot_bag_options){ __VA_ARGS__ }, \
                       sizeof(cot_bag_options))

/* The distances of the rows of x [..., n, d] from those of y [..., m, d]: T[..., n, m], by the
 * norm (sum |x - y|^p)^(1/p), p from 0 to INFINITY: 0 counts the elements that differ, INFINITY
 * takes the largest difference.  Floating types; leading axes broadcast.  Powers and their sums
 * overflow as those do.  Gradients at a distance of 0 are 0, as in PyTorch; of equal largest
 * differences each has its share.
 *
 * Errors   COT_ERR_SHAPE  rows of different lengths; COT_ERR_ARG  p is below 0 or NaN */
#define cot_cdist(x, y, p) cot_cdist_(COT_HERE, x, y, p)

/* ---- convolutions, pooling ---- */

/* cot_conv (window.h) with a bias and one spatial axis: x [n, i, spatial], weight [o, i /
 * groups, window], bias [o].  Its options are those of cot_conv; the bias goes along the
 * result's features, wherever .spec has them. */
#define cot_conv1d(...) COT_CONV_LAYER_(1, __VA_ARGS__, .end_ = 0)
/* cot_conv1d with two spatial axes: x [n, i, h, w], weight [o, i / groups, kh, kw], bias [o] or
 * COT_UNSET. Options and errors are those of cot_conv. */
#define cot_conv2d(...) COT_CONV_LAYER_(2, __VA_ARGS__, .end_ = 0)
/* cot_conv1d with three spatial axes: x [n, i, d, h, w], weight [o, i / groups, kd, kh, kw],
 * bias [o] or COT_UNSET. Options and errors are those of cot_conv. */
#define cot_conv3d(...) COT_CONV_LAYER_(3, __VA_ARGS__, .end_ = 0)
#define COT_CONV_LAYER_(n, x, w, bias, ...)                                                    \
    cot_conv_layer_(COT_HERE, n, x, w, bias, COT_WINDOW_(__VA_ARGS__))
/* A transposed convolution with one spatial axis: x [n, i, spatial], weight [i, o / groups,
 * window], bias [o] give [n, o, (size - 1) stride - padding before - padding after + dilation
 * (window - 1) + 1].  PyTorch's output_padding is less padding after. */
#define cot_conv_transpose1d(...) COT_CONV_BACK_(1, __VA_ARGS__, .end_ = 0)
/* cot_conv_transpose1d with two spatial axes: x [n, i, h, w], weight [i, o / groups, kh, kw],
 * bias [o] or COT_UNSET; the size formula holds for each of them. */
#define cot_conv_transpose2d(...) COT_CONV_BACK_(2, __VA_ARGS__, .end_ = 0)
/* cot_conv_transpose1d with three spatial axes: x [n, i, d, h, w], weight [i, o / groups, kd,
 * kh, kw], bias [o] or COT_UNSET; the size formula holds for each of them. */
#define cot_conv_transpose3d(...) COT_CONV_BACK_(3, __VA_ARGS__, .end_ = 0)
#define COT_CONV_BACK_(n, x, w, bias, ...)                                                     \
    cot_conv_transpose_(COT_HERE, n, x, w, bias, COT_WINDOW_(__VA_ARGS__))
/* The means of the last axes pooled to given sizes of 1 or more, cot_adaptive_avg_pool(x,
 * COT_LIST(4, 4)): part i of m is the elements floor(i n / m) ... ceil((i + 1) n / m) - 1. x is
 * floating, with an axis or more before those (else COT_ERR_SHAPE). */
#define cot_adaptive_avg_pool(x, sizes) cot_adaptive_pool_(COT_HERE, x, sizes, 0)
/* The maxima of the parts into which cot_adaptive_avg_pool divides the axes, with its shapes
 * and errors. */
#define cot_adaptive_max_pool(x, sizes) cot_adaptive_pool_(COT_HERE, x, sizes, 1)

/* ---- recurrence ---- */

/* One step of a recurrent network, tanh(x W' + b + h U' + c): x [..., in], h [..., h] give
 * the next h. weights is a cot_rnn_weights *. */
#define cot_rnn_cell(x, h, weights) cot_rnn_cell_(COT_HERE, x, h, weights, 0)
/* One step of an LSTM (S. Hochreiter, J. Schmidhuber, 1997): x [..., in], h and c [..., h] give
 * the next h, and the next c goes to *c_next (may be NULL). weights is a cot_rnn_weights * with
 * four gates. Errors: COT_ERR_SHAPE where weights do not fit. */
#define cot_lstm_cell(x, h, c, weights, c_next)                                                \
    cot_lstm_cell_(COT_HERE, x, h, c, weights, c_next)
/* One step of a GRU (K. Cho et al., 2014), reset after the product as in PyTorch: x [..., in],
 * h [..., h] give the next h. weights is a cot_rnn_weights * with three gates. Errors:
 * COT_ERR_SHAPE where weights do not fit. */
#define cot_gru_cell(x, h, weights) cot_gru_cell_(COT_HERE, x, h, weights)
#define COT_RNN_(...) &(const cot_rnn_options){__VA_ARGS__}, sizeof(cot_rnn_options)
/* All steps of a recurrent network: x [steps, ..., in], h [..., h] or COT_UNSET for zeros
 * give h after each step, [steps, ..., h], and the last h to *last (may be NULL).
 * Errors   COT_ERR_SHAPE  weights do not fit x */
#define cot_rnn(...) COT_RNN_ALL_(__VA_ARGS__, .end_ = 0)
#define COT_RNN_ALL_(x, h, weights, last, ...)                                                 \
    cot_rnn_(COT_HERE, x, h, weights, last, COT_RNN_(__VA_ARGS__))
/* All steps of an LSTM, likewise with c [..., h] or COT_UNSET; the last h to last[0], the
 * last c to last[1]. */
#define cot_lstm(...) COT_LSTM_ALL_(__VA_ARGS__, .end_ = 0)
#define COT_LSTM_ALL_(x, h, c, weights, last, ...)                                             \
    cot_lstm_(COT_HERE, x, h, c, weights, last, COT_RNN_(__VA_ARGS__))
/* All steps of a GRU: x [steps, ..., in] and h [..., h] or COT_UNSET for zeros give h after
 * each step, [steps, ..., h], and the last h computed to *last (may be NULL), with the options
 * and errors of cot_rnn. */
#define cot_gru(...) COT_GRU_ALL_(__VA_ARGS__, .end_ = 0)
#define COT_GRU_ALL_(x, h, weights, last, ...)                                                 \
    cot_gru_(COT_HERE, x, h, weights, last, COT_RNN_(__VA_ARGS__))

/* ---- attention ---- */

#define COT_ATTEND_(...)                                                                       \
    &(const cot_attention_options){ __VA_ARGS__ }, sizeof(cot_attention_options)
/* softmax(q k' scale) v: q [..., l, e], k [..., s, e], v [..., s, f] give [..., l, f]; leading
 * axes broadcast.  A query that the mask lets see nothing gets the mean of v. */
#define cot_attention(...) COT_ATTENTION_(__VA_ARGS__, .end_ = 0)
#define COT_ATTENTION_(q, k, v, ...) cot_attention_(COT_HERE, q, k, v, COT_ATTEND_(__VA_ARGS__))
/* q [..., l, e], k and v [..., s, e], weights a cot_attention_weights *: each is multiplied by
 * its third of in_weight, cut into heads of e / heads features, attended to, joined, and
 * multiplied by out_weight: [..., l, e]. */
#define cot_multi_head_attention(...) COT_HEADS_(__VA_ARGS__, .end_ = 0)
#define COT_HEADS_(q, k, v, weights, heads, ...) \
    cot_multi_head_attention_(COT_HERE, q, k, v, weights, heads, COT_ATTEND_(__VA_ARGS__))
/* x [..., l, d], d even and floating, with each pair i of features at position p rotated by
 * p / base^(2 i / d) radians. Errors: COT_ERR_SHAPE, COT_ERR_DTYPE. J. Su et al., RoFormer,
 * 2021. */
#define cot_rotary(...) COT_ROTARY_(__VA_ARGS__, .end_ = 0)
#define COT_ROTARY_(x, ...)                                                                    \
    cot_rotary_(COT_HERE, x, &(const cot_rotary_options){ __VA_ARGS__ },                       \
                sizeof(cot_rotary_options))
/* The encoding of positions 0 ... l - 1 in d features, d even: [l, d] of a floating type, sin
 * and cos in turns of position / 10000^(2 i / d) radians. A. Vaswani et al., Attention Is All
 * You Need, 2017. */
#define cot_sinusoids(t, dtype, l, d) cot_sinusoids_(COT_HERE, t, dtype, l, d)

/* ---- initial weights ---- */

#define COT_INIT_(...) &(const cot_init_options){__VA_ARGS__}, sizeof(cot_init_options)
/* A normal draw of mean .mean and deviation .std, for initial weights. Weights are [out, in,
 * window]; keys are as for draws. */
#define cot_init_normal(...) COT_INIT_NORMAL_(__VA_ARGS__, .end_ = 0)
#define COT_INIT_NORMAL_(t, type, ...)                                                         \
    cot_init_normal_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
/* A normal distribution of .mean and .std, of which only what lies in [.low, .high] (mean -+ 2
 * std) is drawn. */
#define cot_truncated_normal(...) COT_TRUNCATED_NORMAL_(__VA_ARGS__, .end_ = 0)
#define COT_TRUNCATED_NORMAL_(t, type, ...)                                                    \
    cot_truncated_normal_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
/* Rows, or where there are more of them columns, of the weight as a matrix [out, the rest] that
 * are orthogonal and of length .gain: evenly distributed, by the qr of a normal draw with the
 * signs of r's diagonal.
 * Source: F. Mezzadri, How to Generate Random Matrices from the Classical Compact Groups,
 * 2007. */
#define cot_orthogonal(...) COT_ORTHOGONAL_(__VA_ARGS__, .end_ = 0)
#define COT_ORTHOGONAL_(t, type, ...) cot_orthogonal_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
/* A uniform draw of mean 0 and variance .gain^2 2 / (fan in + fan out), where fan in is in
 * times the window, fan out likewise; of one axis both are its size (X. Glorot, Y. Bengio,
 * Understanding the difficulty of training deep networks, 2010). */
#define cot_xavier_uniform(...) COT_XAVIER_UNIFORM_(__VA_ARGS__, .end_ = 0)
#define COT_XAVIER_UNIFORM_(t, type, ...)                                                      \
    cot_xavier_uniform_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
/* A normal draw of mean 0 and the variance of cot_xavier_uniform, with its options: .gain^2 2 /
 * (fan in + fan out). */
#define cot_xavier_normal(...) COT_XAVIER_NORMAL_(__VA_ARGS__, .end_ = 0)
#define COT_XAVIER_NORMAL_(t, type, ...)                                                       \
    cot_xavier_normal_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
/* A uniform draw of mean 0 and variance 2 / (1 + .slope^2) / fan in, or with .fan_out = 1 fan
 * out (K. He et al., Delving Deep into Rectifiers, 2015). */
#define cot_kaiming_uniform(...) COT_KAIMING_UNIFORM_(__VA_ARGS__, .end_ = 0)
#define COT_KAIMING_UNIFORM_(t, type, ...)                                                     \
    cot_kaiming_uniform_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
/* A normal draw of mean 0 and the variance of cot_kaiming_uniform, with its options: 2 / (1 +
 * .slope^2) / fan in. */
#define cot_kaiming_normal(...) COT_KAIMING_NORMAL_(__VA_ARGS__, .end_ = 0)
#define COT_KAIMING_NORMAL_(t, type, ...)                                                      \
    cot_kaiming_normal_(COT_HERE, t, type, COT_INIT_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
