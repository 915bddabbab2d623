/* Cotrace: windows, pooling, convolution.
 *
 * Windows are a view (an op of their own, with a derivative and a vmap rule); pooling reduces
 * them and a convolution is a product of them with the kernel, so that what holds for
 * reductions and products holds here: types, order of sums, derivatives of every order.
 * Positions come before features in that order. */
#ifndef COTRACE_WINDOW_H
#define COTRACE_WINDOW_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lists have one entry for each spatial axis, in order; absent: 1 (strides, but the window for
 * max_pool and avg_pool;
 * dilations), 0 (padding). */
typedef struct COT_NAMED_ cot_window_options {
    COT_BEGIN_
    cot_list strides;
    /* before and after each spatial axis: two entries an axis; may be negative */
    cot_list padding;
    /* distance of a window's elements */
    cot_list dilation;
    /* distance of the operand's elements: with zeros between */
    cot_list base_dilation;
    /* 1: padding such that sizes are divided by strides, rounded up */
    int same;
    /* conv: of features; 0: 1 */
    int groups;
    /* conv: of examples; 0: 1 */
    int batch_groups;
    const char *spec; /* conv: NULL: "NC...,OI...->NC..."                                */
    /* avg_pool: 1: divide by the elements that are not padding */
    int count_valid;
    /* pooling: the spatial axes, as the window's entries; absent: the last */
    cot_list axes;
} cot_window_options;

/* Options of cot_sliding_windows; 0 stands for 1. */
typedef struct COT_NAMED_ cot_sliding_options {
    COT_BEGIN_
    int64_t stride;             /* from the start of a window to the next */
    int64_t dilation;           /* from an element of a window to the next */
} cot_sliding_options;

#define COT_WINDOW_(...) &(const cot_window_options){__VA_ARGS__}, sizeof(cot_window_options)
#define COT_POOL_(name)                                                                        \
    COT_API cot_value name(cot_place at, cot_value x, cot_list window,                         \
                           const cot_window_options *o, size_t size);
COT_POOL_(cot_window_sum_)
COT_POOL_(cot_window_prod_)
COT_POOL_(cot_window_max_)
COT_POOL_(cot_window_min_)
COT_POOL_(cot_max_pool_)
COT_POOL_(cot_avg_pool_)
#undef COT_POOL_
COT_API cot_value cot_sliding_windows_(cot_place at, cot_value x, int64_t window, int axis,
                                       const cot_sliding_options *o, size_t size);
COT_DEPRECATED_("use cot_sliding_windows(x, window, axis, .stride, .dilation)")
COT_API cot_value cot_windows_(cot_place at, cot_value x, int axis, int64_t window,
                               int64_t stride, int64_t dilation);
COT_API cot_value cot_conv_(cot_place at, cot_value x, cot_value w, const cot_window_options *o,
                            size_t size);

#ifndef __cplusplus
/* The windows of so many elements along an axis, a view: y[..., i, ..., k] is
 * x[..., i .stride + k .dilation, ...].  The axis counts windows; their elements lie along a
 * new last axis.
 *
 * Errors   COT_ERR_SHAPE  x has no such axis; COT_ERR_ARG  a number is not positive */
#define cot_sliding_windows(...) COT_SLIDING_WINDOWS_(__VA_ARGS__, .end_ = 0)
#define COT_SLIDING_WINDOWS_(x, window, axis, ...)                                             \
    cot_sliding_windows_(COT_HERE, x, window, axis,                                            \
                         &(const cot_sliding_options){ __VA_ARGS__ },                          \
                         sizeof(cot_sliding_options))
/* Deprecated, gone in the next version: write cot_sliding_windows, which takes the numbers in
 * another order, stride and dilation by name. */
#define cot_windows(x, axis, window, stride, dilation) \
    cot_windows_(COT_HERE, x, axis, window, stride, dilation)
/* The sum of each window of x [..., spatial], whose sizes are those of the last axes, or of
 * .axes (NHWC: .axes = COT_LIST(1, 2)); one at every place that .strides (absent: 1) leaves.
 * Padding counts as the neutral element.
 *
 * Errors   COT_ERR_SHAPE  more sizes than axes; COT_ERR_ARG  a list has another length, or an
 *                         entry is wrong */
#define cot_window_sum(...) COT_WINDOW_SUM_(__VA_ARGS__, .end_ = 0)
#define COT_WINDOW_SUM_(x, window, ...)                                                        \
    cot_window_sum_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The product of each window, with the options and errors of cot_window_sum; places in the
 * padding count as 1. */
#define cot_window_prod(...) COT_WINDOW_PROD_(__VA_ARGS__, .end_ = 0)
#define COT_WINDOW_PROD_(x, window, ...)                                                       \
    cot_window_prod_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The maximum of each window, NaN if an element is, with the options and errors of
 * cot_window_sum; complex numbers are COT_ERR_DTYPE. The first of equal elements, row-major,
 * has the derivative; padding is the least value. */
#define cot_window_max(...) COT_WINDOW_MAX_(__VA_ARGS__, .end_ = 0)
#define COT_WINDOW_MAX_(x, window, ...)                                                        \
    cot_window_max_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The minimum of each window, NaN if an element is, with the options and errors of
 * cot_window_sum; complex numbers are COT_ERR_DTYPE. The first of equal elements, row-major,
 * has the derivative; padding is the largest value. */
#define cot_window_min(...) COT_WINDOW_MIN_(__VA_ARGS__, .end_ = 0)
#define COT_WINDOW_MIN_(x, window, ...)                                                        \
    cot_window_min_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The maximum of each window, side by side where .strides are absent, as in PyTorch and Keras
 * (in JAX's lax and flax they are then 1).  Where an axis with its padding is shorter than
 * the window, no window has a place: the result is empty, as XLA's (PyTorch refuses it). */
#define cot_max_pool(...) COT_MAX_POOL_(__VA_ARGS__, .end_ = 0)
#define COT_MAX_POOL_(x, window, ...)                                                          \
    cot_max_pool_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The mean of each window likewise; padding counts as zeros, or with .count_valid = 1 not at
 * all. */
#define cot_avg_pool(...) COT_AVG_POOL_(__VA_ARGS__, .end_ = 0)
#define COT_AVG_POOL_(x, window, ...)                                                          \
    cot_avg_pool_(COT_HERE, x, window, COT_WINDOW_(__VA_ARGS__))
/* The convolution of neural networks (the kernel is not reversed).
 *
 *   x        [n, c, spatial], w [o, c / groups, window] of the same type
 *   returns  [n / batch_groups, o, positions]
 *
 * .spec names the axes otherwise: "NHWC,HWIO->NHWC"; N examples, C features, O and I of the
 * kernel, any other letters spatial, in the order of the operand.  With .groups, features of
 * group g meet the kernel's outputs of group g; with .batch_groups, examples do.  A transposed
 * convolution has .base_dilation for its stride.
 *
 * Errors   COT_ERR_SHAPE  ranks, features or groups do not fit; COT_ERR_ARG  a list, or .spec,
 *                         is wrong */
#define cot_conv(...) COT_CONV_(__VA_ARGS__, .end_ = 0)
#define COT_CONV_(x, w, ...) cot_conv_(COT_HERE, x, w, COT_WINDOW_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
