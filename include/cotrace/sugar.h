/* Cotrace: compositions of ops under familiar names.
 *
 * Everything here is made of the ops of trace.h and adds no rules of its own, so that it maps
 * and differentiates as they do.  On f16 and bf16 a composition computes in f32 and rounds
 * once, at the end.  Values broadcast and promote as there.  Axes may be negative. */
#ifndef COTRACE_SUGAR_H
#define COTRACE_SUGAR_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Options of the layers: absent scale, bias are left out; eps 0 is 1e-5. */
typedef struct COT_NAMED_ cot_norm_options {
    COT_BEGIN_
    cot_list axes;              /* absent: the last */
    cot_value scale, bias;
    double eps;
} cot_norm_options;

typedef struct COT_NAMED_ cot_gelu_options {
    COT_BEGIN_
    int tanh;                   /* 1: the form with tanh; else with erf */
} cot_gelu_options;

typedef struct COT_NAMED_ cot_nonzero_options {
    COT_BEGIN_
    int64_t size;               /* room: rows of the result; must be given          */
    int64_t fill;               /* in every column of the rows that are left        */
    cot_value *count;           /* how many elements are not 0 (i32[]); may be NULL */
} cot_nonzero_options;

typedef struct COT_NAMED_ cot_assoc_options {
    COT_BEGIN_
    cot_values xs;              /* lists of elements, along axis 0, of one length   */
    cot_value *out;             /* the results; NULL: only the first, returned      */
    int reverse;                /* suffixes: combined from the last element on      */
    void *user;                 /* handed to the body                               */
} cot_assoc_options;

/* Running statistics are values: .mean and .var go in (both, or neither), and what they become
 * comes out. */
typedef struct COT_NAMED_ cot_batch_norm_options {
    COT_BEGIN_
    /* absent: all but axis 1, the channels */
    cot_list axes;
    /* as .mean and .var: one element for each channel; may be unset */
    cot_value scale, bias;
    /* running statistics; unset: the batch's own are always used */
    cot_value mean, var;
    /* 1: the batch's statistics, which move the running ones */
    int training;
    /* 0: 0.1 and 1e-5 */
    double momentum, eps;
} cot_batch_norm_options;

#define COT_UNARY_(name) COT_API cot_value name(cot_place at, cot_value x);
#define COT_REDUCTION_(name) \
    COT_API cot_value name(cot_place at, cot_value x, const cot_reduce_options *o, size_t size);
COT_REDUCTION_(cot_mean_)
COT_REDUCTION_(cot_var_)
COT_REDUCTION_(cot_norm_)
COT_REDUCTION_(cot_logsumexp_)
COT_REDUCTION_(cot_softmax_)
COT_REDUCTION_(cot_log_softmax_)
COT_UNARY_(cot_relu_)
COT_UNARY_(cot_silu_)
COT_UNARY_(cot_sigmoid_)
COT_UNARY_(cot_softplus_)
COT_UNARY_(cot_square_)
COT_UNARY_(cot_angle_)
#undef COT_UNARY_
#undef COT_REDUCTION_
COT_API cot_value cot_gelu_(cot_place at, cot_value x, const cot_gelu_options *o, size_t size);
COT_API cot_value cot_layer_norm_(cot_place at, cot_value x, const cot_norm_options *o,
                                  size_t size);
COT_API cot_value cot_linear_(cot_place at, cot_value x, cot_value weight, cot_value bias);
COT_API cot_value cot_batch_norm_(cot_place at, cot_value x, cot_value *stats,
                                  const cot_batch_norm_options *o, size_t size);
COT_API cot_value cot_where_(cot_place at, cot_value p, cot_operand x, cot_operand y);
COT_API cot_value cot_matmul_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_dot_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_einsum_(cot_place at, const char *spec, cot_values xs);
COT_API cot_value cot_one_hot_(cot_place at, cot_value index, int64_t n, cot_dtype dtype);
COT_API cot_value cot_take_(cot_place at, cot_value x, cot_value index, int axis);
COT_API cot_value cot_take_along_(cot_place at, cot_value x, cot_value index, int axis);
COT_API cot_value cot_nonzero_(cot_place at, cot_value x, const cot_nonzero_options *o,
                               size_t size);
COT_API cot_value cot_associative_scan_(cot_place at, cot_body *body,
                                        const cot_assoc_options *o, size_t size);
COT_API cot_value cot_roll_(cot_place at, cot_value x, int64_t shift, int axis);
COT_API cot_value cot_tril_(cot_place at, cot_value x, int64_t k);
COT_API cot_value cot_triu_(cot_place at, cot_value x, int64_t k);
COT_API cot_value cot_cross_entropy_(cot_place at, cot_value logits, cot_value labels);
COT_API cot_value cot_mse_(cot_place at, cot_value x, cot_value y);
COT_API cot_value cot_squeeze_(cot_place at, cot_value x, cot_list axes);
COT_API cot_value cot_expand_dims_(cot_place at, cot_value x, int axis);
COT_API cot_value cot_stack_(cot_place at, cot_values xs, int axis);
COT_API void cot_split_(cot_place at, cot_value x, int n, int axis, cot_value *out);
COT_API cot_value cot_index_(cot_place at, cot_value x, int64_t i, int axis);
COT_API cot_value cot_arange_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n);
COT_API cot_value cot_linspace_(cot_place at, cot_trace *t, cot_dtype dtype, double from,
                                double to, int64_t n);
COT_API cot_value cot_eye_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n);

#ifndef __cplusplus
/* Reductions: over .axes (default: all), kept with size 1 where .keepdims = 1; mean, var and
 * norm of complex numbers, too, of which var and norm are real. */

/* The mean over .axes (default: all), of floating or complex types (else COT_ERR_DTYPE); NaN of
 * no element. */
#define cot_mean(...) COT_MEAN_(__VA_ARGS__, .end_ = 0)
#define COT_MEAN_(x, ...) cot_mean_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The mean of squared distances |x - mean|^2 from the mean, divided by the count less .ddof,
 * or by 0 where .ddof is more: NaN of no element. */
#define cot_var(...) COT_VAR_(__VA_ARGS__, .end_ = 0)
#define COT_VAR_(x, ...) cot_var_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The Euclidean norm of all elements over .axes together, sqrt(sum(|x|^2)), real, of floating
 * or complex x (else COT_ERR_DTYPE); squares may overflow. Its gradient at 0 is NaN. */
#define cot_norm(...) COT_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_NORM_(x, ...) cot_norm_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* log(sum(e^x)), computed as m + log(sum(e^(x - m))) with the maximum m, so that nothing
 * overflows. */
#define cot_logsumexp(...) COT_LOGSUMEXP_(__VA_ARGS__, .end_ = 0)
#define COT_LOGSUMEXP_(x, ...) cot_logsumexp_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))

/* Over .axes together (default: the last). */

/* e^x / sum(e^x) over .axes together (default: the last), with the maximum taken off first, so
 * that nothing overflows; x's shape and type, real floating. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE where there is no such axis. */
#define cot_softmax(...) COT_SOFTMAX_(__VA_ARGS__, .end_ = 0)
#define COT_SOFTMAX_(x, ...) cot_softmax_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The logarithm of cot_softmax, x - log(sum(e^x)), without overflow and accurate where the
 * softmax vanishes, with its options and errors. */
#define cot_log_softmax(...) COT_LOG_SOFTMAX_(__VA_ARGS__, .end_ = 0)
#define COT_LOG_SOFTMAX_(x, ...) cot_log_softmax_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* (x - mean) / sqrt(var + .eps) over .axes together (default: the last), times .scale, plus
 * .bias where given, which broadcast to x; .eps 0: 1e-5. Errors: COT_ERR_DTYPE where x is not
 * real floating, COT_ERR_SHAPE. J. Ba et al., Layer Normalization, 2016. */
#define cot_layer_norm(...) COT_LAYER_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_LAYER_NORM_(x, ...)                                                                \
    cot_layer_norm_(COT_HERE, x, &(const cot_norm_options){ __VA_ARGS__ },                     \
                    sizeof(cot_norm_options))

/* x [..., in], weight [out, in], bias [out] or never set: x weight' + bias, [..., out]. */
#define cot_linear(x, weight, bias) cot_linear_(COT_HERE, x, weight, bias)
/* cot_batch_norm(x, stats, .scale = w, .bias = b, .mean = m, .var = v, .training = 1): (x -
 * mean) / sqrt(var + eps) * scale + bias.  stats (two values, or NULL) gets (1 - momentum) old
 * + momentum new of mean and of the variance divided by count - 1; the given ones where
 * .training = 0; and stays unset where there are none.  x is normalised with the variance
 * divided by count. */
#define cot_batch_norm(...) COT_BATCH_NORM_(__VA_ARGS__, .end_ = 0)
#define COT_BATCH_NORM_(x, stats, ...)                                       \
    cot_batch_norm_(COT_HERE, x, stats, &(const cot_batch_norm_options){__VA_ARGS__}, \
                    sizeof(cot_batch_norm_options))

/* x, or 0 where x <= 0; NaN stays; the derivative at 0 is 0. x is of any type but a complex one
 * (else COT_ERR_DTYPE). */
#define cot_relu(x) cot_relu_(COT_HERE, x)
/* x P(X <= x) for a standard normal X: with erf, or near it with tanh (.tanh = 1). */
#define cot_gelu(...) COT_GELU_(__VA_ARGS__, .end_ = 0)
#define COT_GELU_(x, ...) \
    cot_gelu_(COT_HERE, x, &(const cot_gelu_options){__VA_ARGS__}, sizeof(cot_gelu_options))
/* x / (1 + e^-x), also called swish, of floating or complex x (else COT_ERR_DTYPE). P.
 * Ramachandran et al., Searching for Activation Functions, 2017. */
#define cot_silu(x) cot_silu_(COT_HERE, x)
/* The logistic function 1 / (1 + e^-x), the name of cot_logistic in neural networks, of
 * floating or complex x (else COT_ERR_DTYPE); 0 and 1 at infinities. */
#define cot_sigmoid(x) cot_sigmoid_(COT_HERE, x)
/* log(1 + e^x), a smooth relu, without overflow: for large x it is x. x is real floating (else
 * COT_ERR_DTYPE). */
#define cot_softplus(x) cot_softplus_(COT_HERE, x)
/* x times x, element by element, of any number (bool: COT_ERR_DTYPE); integers wrap. Of complex
 * numbers z^2, not |z|^2. */
#define cot_square(x) cot_square_(COT_HERE, x)

/* Complex numbers (trace.h has complex, real, imag and conj). */

/* atan2(imag, real), in radians, of complex x; of real x 0, or pi below 0, NaN for NaN. */
#define cot_angle(x) cot_angle_(COT_HERE, x)

/* x where p (bool) holds, else y; x and y may be numbers, not both.  Values and derivatives as
 * select. */
#define cot_where(p, x, y) cot_where_(COT_HERE, p, COT_OPERAND(x), COT_OPERAND(y))
/* [shape of index, n] of the element type: 1 where the last axis's number is the index, else 0;
 * a row of zeros where none is. Errors: COT_ERR_DTYPE where the index is not of integers,
 * COT_ERR_SHAPE where n is below 0. */
#define cot_one_hot(index, n, dtype) cot_one_hot_(COT_HERE, index, n, dtype)
/* The slices of x at the indices along an axis, whose place the shape of index takes.  Negative
 * indices count from the end; those outside are clamped. */
#define cot_take(x, index, axis) cot_take_(COT_HERE, x, index, axis)
/* y[i][j] = x[i][index[i][j]] for the last axis, and likewise for others: index, of integers,
 * has x's rank, and x's sizes but along the axis. Negative ones count from the end, those
 * outside are clamped. Errors: COT_ERR_SHAPE, COT_ERR_DTYPE. */
#define cot_take_along(x, index, axis) cot_take_along_(COT_HERE, x, index, axis)
/* The places of elements that are not 0 (NaN is not), in row-major order, as rows of indices.
 *
 *   x        T[d0, ..., dr-1]
 *   returns  i32[size, r] (i64 where a size passes 2^31 - 1): rows beyond the count hold .fill
 *   .count   i32[] (i64[] likewise): how many there are, which may be more than .size
 *
 * Errors   COT_ERR_SHAPE  .size is absent: the shape would depend on values */
#define cot_nonzero(...) COT_NONZERO_(__VA_ARGS__, .end_ = 0)
#define COT_NONZERO_(x, ...)                                                                   \
    cot_nonzero_(COT_HERE, x, &(const cot_nonzero_options){ __VA_ARGS__ },                     \
                 sizeof(cot_nonzero_options))
/* Prefixes of lists under an associative body: result i combines elements 0 ... i.
 *
 *   body     (a0, ..., am, b0, ..., bm) -> (c0, ..., cm), on one element of each list; a comes
 *            before b (with .reverse: a after b); types of c are those of a
 *   .xs      m + 1 values T[n, ...]
 *   returns  the first result; all go to .out, of the types of .xs
 *
 * Less than 2 n combinations, log2(n) deep; brackets depend on n alone: with n > 1, pairs
 * (0, 1), (2, 3), ... are combined first, their prefixes are the results at odd places, and the
 * result at an even place is the one before it combined with its element.
 *
 * Errors   COT_ERR_SHAPE  lengths differ, or the body gives other types
 * Source   Ladner and Fischer, Parallel Prefix Computation, JACM 27 (1980). */
#define cot_associative_scan(...) COT_ASSOC_(__VA_ARGS__, .end_ = 0)
#define COT_ASSOC_(body, ...)                                                 \
    cot_associative_scan_(COT_HERE, body, &(const cot_assoc_options){__VA_ARGS__}, \
                          sizeof(cot_assoc_options))
/* x with element i moved to i + shift along the axis, around the end; x of any type. Errors:
 * COT_ERR_SHAPE where x has no such axis. */
#define cot_roll(x, shift, axis) cot_roll_(COT_HERE, x, shift, axis)
/* The lower triangle of the last two axes: 0 above the k-th diagonal (k > 0: one above the
 * main one). */
#define cot_tril(x, k) cot_tril_(COT_HERE, x, k)
/* The upper triangle of the last two axes: 0 below the k-th diagonal. Errors: COT_ERR_SHAPE
 * where x has fewer than two axes. */
#define cot_triu(x, k) cot_triu_(COT_HERE, x, k)

/* The matrix product of the last two axes; axes before them broadcast; vectors as in NumPy. */
#define cot_matmul(x, y) cot_matmul_(COT_HERE, x, y)
/* Over the last axis of x and the last but one of y (the only one of a vector): as
 * numpy.dot. */
#define cot_dot(x, y) cot_dot_(COT_HERE, x, y)
/* cot_einsum("bij,bjk->bik", COT_VALUES(x, y)): letters name axes; a letter that the result
 * lacks is summed over; "..." stands for axes that broadcast; without "->" the letters that
 * occur once, sorted. */
#define cot_einsum(spec, xs) cot_einsum_(COT_HERE, spec, xs)

/* x without the given axes, which have size 1 (none given: all that have). Errors:
 * COT_ERR_SHAPE where an axis has another size or is out of range. */
#define cot_squeeze(...) COT_SQUEEZE_(__VA_ARGS__, )
#define COT_SQUEEZE_(x, ...) cot_squeeze_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* x with a new axis of size 1 at a place, from 0 to x's rank, or counted from the end of the
 * result if negative. Errors: COT_ERR_SHAPE where it lies outside. */
#define cot_expand_dims(x, axis) cot_expand_dims_(COT_HERE, x, axis)
/* Values along a new axis: cot_stack(COT_VALUES(x, y), 0). They broadcast to one shape and
 * promote to one element type. Errors: COT_ERR_SHAPE where they do not broadcast or the axis is
 * out of range of the result's. */
#define cot_stack(xs, axis) cot_stack_(COT_HERE, xs, axis)
/* n equal parts along an axis, into out[0] ... out[n-1]. Errors: COT_ERR_SHAPE, n does not
 * divide the size. */
#define cot_split(x, n, axis, out) cot_split_(COT_HERE, x, n, axis, out)

/* 0 ... n - 1 of an element type, T[n]; integers that it does not hold wrap. Errors:
 * COT_ERR_ARG where it is bool, COT_ERR_SHAPE where n is below 0. */
#define cot_arange(t, dtype, n) cot_arange_(COT_HERE, t, dtype, n)
/* n numbers from one to another, both included, evenly spaced: T[n]; of n = 1 the first. Of an
 * integer type they are cut toward 0. Errors: COT_ERR_SHAPE where n is below 0. */
#define cot_linspace(t, dtype, from, to, n) cot_linspace_(COT_HERE, t, dtype, from, to, n)
/* The identity matrix of an element type, T[n, n]: ones on the main diagonal, zeros elsewhere.
 * Errors: COT_ERR_SHAPE where n is below 0. */
#define cot_eye(t, dtype, n) cot_eye_(COT_HERE, t, dtype, n)
#endif

#ifdef __cplusplus
}
#endif
#endif
