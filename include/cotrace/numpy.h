/* Cotrace: functions of arrays under the names of NumPy.
 *
 * Compositions of the ops of trace.h and the functions of sugar.h, which map and differentiate
 * as these do; what those headers have already (where, take, roll, einsum, quantile, cumsum,
 * ...) is not repeated here.  Two operands broadcast and promote.  On f16 and bf16 a
 * composition computes in f32 and rounds once, at the end.  Axes may be negative.  Values
 * are NumPy's to rounding, derivatives JAX's, unless a line says otherwise. */
#ifndef COTRACE_NUMPY_H
#define COTRACE_NUMPY_H

#include "cotrace/sugar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What takes the place of numbers that are not finite. */
typedef struct COT_NAMED_ cot_nan_options {
    COT_BEGIN_
    double nan;                 /* of NaN                                            */
    double posinf, neginf;      /* 0: the largest and the lowest finite number       */
} cot_nan_options;

typedef struct COT_NAMED_ cot_meshgrid_options {
    COT_BEGIN_
    /* 1: axis i is that of vector i; else the first two are swapped */
    int matrix;
} cot_meshgrid_options;

typedef struct COT_NAMED_ cot_cov_options {
    COT_BEGIN_
    int columns;                /* 1: each column is a variable; else each row       */
    int biased;                 /* 1: divided by the count; else by the count less 1 */
} cot_cov_options;

typedef struct COT_NAMED_ cot_interp_options {
    COT_BEGIN_
    /* scalars, of what lies outside; unset: the first, the last value */
    cot_value left, right;
} cot_interp_options;

typedef struct COT_NAMED_ cot_trapezoid_options {
    COT_BEGIN_
    /* places of the samples, one for each along the axis; unset: .dx */
    cot_value x;
    /* their distance; 0: 1 */
    double dx;
} cot_trapezoid_options;

/* How much of a convolution of n and m elements is wanted: all n + m - 1 sums, the max(n, m) in
 * the middle, or the max(n, m) - min(n, m) + 1 of complete overlap. */
typedef enum cot_overlap { COT_OVERLAP_FULL, COT_OVERLAP_SAME, COT_OVERLAP_VALID } cot_overlap;

#define COT_UNARY_(name) COT_API cot_value name(cot_place at, cot_value x);
#define COT_BINARY_(name) COT_API cot_value name(cot_place at, cot_operand x, cot_operand y);
#define COT_REDUCTION_(name) \
    COT_API cot_value name(cot_place at, cot_value x, const cot_reduce_options *o, size_t size);
COT_UNARY_(cot_isnan_)
COT_UNARY_(cot_isinf_)
COT_UNARY_(cot_log10_)
COT_BINARY_(cot_mod_)
COT_BINARY_(cot_floor_divide_)
COT_BINARY_(cot_copysign_)
COT_REDUCTION_(cot_std_)
COT_REDUCTION_(cot_nansum_)
COT_REDUCTION_(cot_nanprod_)
COT_REDUCTION_(cot_nanmax_)
COT_REDUCTION_(cot_nanmin_)
COT_REDUCTION_(cot_nanmean_)
COT_REDUCTION_(cot_nanvar_)
COT_REDUCTION_(cot_nanstd_)
#undef COT_UNARY_
#undef COT_BINARY_
#undef COT_REDUCTION_
COT_API cot_value cot_nan_to_num_(cot_place at, cot_value x, const cot_nan_options *o,
                                  size_t size);
COT_API cot_value cot_cov_(cot_place at, cot_value x, const cot_cov_options *o, size_t size);
COT_API cot_value cot_corrcoef_(cot_place at, cot_value x, const cot_cov_options *o,
                                size_t size);
COT_API cot_value cot_moveaxis_(cot_place at, cot_value x, int from, int to);
COT_API cot_value cot_tile_(cot_place at, cot_value x, cot_list times);
COT_API cot_value cot_repeat_(cot_place at, cot_value x, int64_t n, int axis);
COT_API void cot_meshgrid_(cot_place at, cot_values xs, cot_value *out,
                           const cot_meshgrid_options *o, size_t size);
COT_API cot_value cot_diff_(cot_place at, cot_value x, int n, int axis);
COT_API cot_value cot_interp_(cot_place at, cot_value x, cot_value xp, cot_value fp,
                              const cot_interp_options *o, size_t size);
COT_API cot_value cot_convolve_(cot_place at, cot_value x, cot_value y, cot_overlap overlap);
COT_API cot_value cot_correlate_(cot_place at, cot_value x, cot_value y, cot_overlap overlap);
COT_API cot_value cot_trapezoid_(cot_place at, cot_value y, int axis,
                                 const cot_trapezoid_options *o, size_t size);
COT_API cot_value cot_polyval_(cot_place at, cot_value p, cot_value x);
COT_API cot_value cot_polyfit_(cot_place at, cot_value x, cot_value y, int degree);

#ifndef __cplusplus
/* bool, of x's shape: is the element NaN (of a complex number: is a part NaN)?  Integers and
 * bool never are. */
#define cot_isnan(x) cot_isnan_(COT_HERE, x)
/* bool, of x's shape: is the element infinite (of a complex number: is a part infinite)?
 * Integers and bool never are. */
#define cot_isinf(x) cot_isinf_(COT_HERE, x)
/* x with .nan (0) for NaN and .posinf, .neginf (the largest and the lowest finite number of the
 * type) for infinities, part by part of complex numbers; the derivative there is 0. */
#define cot_nan_to_num(...) COT_NAN_TO_NUM_(__VA_ARGS__, .end_ = 0)
#define COT_NAN_TO_NUM_(x, ...)                                                                \
    cot_nan_to_num_(COT_HERE, x, &(const cot_nan_options){__VA_ARGS__}, sizeof(cot_nan_options))
/* The logarithm to base 10 of floating or complex x; exact where the real x is a power of ten
 * that the type holds. */
#define cot_log10(x) cot_log10_(COT_HERE, x)
/* The remainder of x / y with the sign of y, as % of Python (cot_rem has the sign of x, as % of
 * C); real numbers.  A zero has the sign of x.  Of integers modulo 0: what cot_rem gives. */
#define cot_mod(x, y) cot_mod_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x / y rounded towards -inf, as // of Python; real numbers.  The derivative is 0.  Of integers
 * by 0: what cot_div gives. */
#define cot_floor_divide(x, y) cot_floor_divide_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The magnitude of x with the sign of y, also of zeros and NaN; floating types.  The derivative
 * in y is 0. */
#define cot_copysign(x, y) cot_copysign_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))

/* Reductions: over .axes (default: all), kept with size 1 where .keepdims = 1. */

/* The square root of cot_var, which .ddof concerns too; its gradient where all elements are
 * equal is NaN. */
#define cot_std(...) COT_STD_(__VA_ARGS__, .end_ = 0)
#define COT_STD_(x, ...) cot_std_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The sum of the elements that are not NaN, over .axes; 0 if there is none. x is any number
 * (bool: COT_ERR_DTYPE). NaN elements get no derivative, as in all reductions of this kind. */
#define cot_nansum(...) COT_NANSUM_(__VA_ARGS__, .end_ = 0)
#define COT_NANSUM_(x, ...) cot_nansum_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The product of the elements that are not NaN, with the types, options and errors of
 * cot_nansum; 1 of no element. */
#define cot_nanprod(...) COT_NANPROD_(__VA_ARGS__, .end_ = 0)
#define COT_NANPROD_(x, ...) cot_nanprod_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The maximum of the elements that are not NaN, of real numbers, with the options of
 * cot_nansum; NaN of no element. */
#define cot_nanmax(...) COT_NANMAX_(__VA_ARGS__, .end_ = 0)
#define COT_NANMAX_(x, ...) cot_nanmax_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The minimum of the elements that are not NaN, of real numbers, with the options of
 * cot_nansum; NaN of no element. */
#define cot_nanmin(...) COT_NANMIN_(__VA_ARGS__, .end_ = 0)
#define COT_NANMIN_(x, ...) cot_nanmin_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The mean of the elements that are not NaN, of floating or complex types (else COT_ERR_DTYPE),
 * with the options of cot_nansum; NaN of no element. */
#define cot_nanmean(...) COT_NANMEAN_(__VA_ARGS__, .end_ = 0)
#define COT_NANMEAN_(x, ...) cot_nanmean_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The variance of the elements that are not NaN, of real floating types (else COT_ERR_DTYPE),
 * with .ddof as of cot_var; NaN where the count is not above .ddof. */
#define cot_nanvar(...) COT_NANVAR_(__VA_ARGS__, .end_ = 0)
#define COT_NANVAR_(x, ...) cot_nanvar_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The standard deviation of the elements that are not NaN: the square root of cot_nanvar, with
 * its options. */
#define cot_nanstd(...) COT_NANSTD_(__VA_ARGS__, .end_ = 0)
#define COT_NANSTD_(x, ...) cot_nanstd_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* Covariances of the variables that are the rows of x, real: [v, n] gives [v, v]; [n], one
 * variable, gives a scalar. */
#define cot_cov(...) COT_COV_(__VA_ARGS__, .end_ = 0)
#define COT_COV_(x, ...)                                                                       \
    cot_cov_(COT_HERE, x, &(const cot_cov_options){__VA_ARGS__}, sizeof(cot_cov_options))
/* Pearson's coefficients of correlation, likewise: covariances divided by both deviations,
 * held within [-1, 1].  NaN where a variable is constant. */
#define cot_corrcoef(...) COT_CORRCOEF_(__VA_ARGS__, .end_ = 0)
#define COT_CORRCOEF_(x, ...)                                                                  \
    cot_corrcoef_(COT_HERE, x, &(const cot_cov_options){__VA_ARGS__}, sizeof(cot_cov_options))

/* Axis `from` of x becomes axis `to` of the result; the others keep their order. Negative ones
 * count from the end. Errors: COT_ERR_SHAPE where x has no such axis. */
#define cot_moveaxis(x, from, to) cot_moveaxis_(COT_HERE, x, from, to)
/* cot_tile(x, COT_LIST(2, 3)): copies of x side by side, so many along each axis; the
 * shorter of list and shape is filled up with ones in front. */
#define cot_tile(x, times) cot_tile_(COT_HERE, x, times)
/* Each slice along the axis n times, one copy after the other, so that the axis is n times as
 * long: of {1, 2} and n = 2 {1, 1, 2, 2}. x is of any type. Errors: COT_ERR_ARG where n is
 * negative, COT_ERR_SHAPE where there is no such axis. */
#define cot_repeat(x, n, axis) cot_repeat_(COT_HERE, x, n, axis)
/* cot_meshgrid(COT_VALUES(x, y), out): the coordinates of a grid, out[i] those of vector i, all
 * of shape [size of y, size of x, ...], or [size of x, size of y, ...] with .matrix = 1.
 * Scalars are vectors of one element. */
#define cot_meshgrid(...) COT_MESHGRID_(__VA_ARGS__, .end_ = 0)
#define COT_MESHGRID_(xs, out, ...)                                                            \
    cot_meshgrid_(COT_HERE, xs, out, &(const cot_meshgrid_options){__VA_ARGS__},               \
                  sizeof(cot_meshgrid_options))
/* The n-th differences of neighbours along an axis, which is n shorter, or empty; of bool: are
 * they unequal? */
#define cot_diff(x, n, axis) cot_diff_(COT_HERE, x, n, axis)

/* The polyline through the points (xp[i], fp[i]), at x of any shape; xp [n] ascends, n is 1 or
 * more.  Outside, .left and .right.  NaN gives NaN.  The derivative in x is that of the segment
 * on the right of a point.  All are of floating types, which promote.
 *
 * Errors   COT_ERR_ARG  x is not floating, xp or fp is no floating vector, or they have
 *                       different sizes or no element */
#define cot_interp(...) COT_INTERP_(__VA_ARGS__, .end_ = 0)
#define COT_INTERP_(x, xp, fp, ...)                                                            \
    cot_interp_(COT_HERE, x, xp, fp, &(const cot_interp_options){__VA_ARGS__},                 \
                sizeof(cot_interp_options))
/* z[k] = sum over i of x[i] y[k - i], of vectors x [n] and y [m]: all k from 0 to n + m - 2, or
 * those in the middle, by `overlap`.  x and y are numbers of any type and promote.  Beyond the
 * ends of the longer vector stand zeros, which are multiplied: an infinity or NaN of the
 * shorter one makes the sums at the ends NaN.
 *
 * Errors   COT_ERR_ARG  x or y is no vector, is empty, is of bool, or they do not promote */
#define cot_convolve(x, y, overlap) cot_convolve_(COT_HERE, x, y, overlap)
/* z[k] = sum over i of x[i + k] conj(y[i]), k from 1 - m to n - 1, or those in the middle, by
 * `overlap`; x [n], y [m], their types, the ends and errors are as of cot_convolve. */
#define cot_correlate(x, y, overlap) cot_correlate_(COT_HERE, x, y, overlap)
/* The integral of samples y along an axis, which the result lacks, by the trapezoidal rule:
 * samples .dx apart (0: 1), or at the places .x. 0 of fewer than two samples. Errors:
 * COT_ERR_ARG where y is neither floating nor complex or .x has another length, COT_ERR_SHAPE
 * where there is no such axis. */
#define cot_trapezoid(...) COT_TRAPEZOID_(__VA_ARGS__, .end_ = 0)
#define COT_TRAPEZOID_(y, axis, ...)                                                           \
    cot_trapezoid_(COT_HERE, y, axis, &(const cot_trapezoid_options){__VA_ARGS__},             \
                   sizeof(cot_trapezoid_options))
/* p[0] x^(n-1) + ... + p[n-1] by Horner's rule: p [n], the highest power first, x of any shape,
 * which the result has. The two promote; 0 for n = 0. Errors: COT_ERR_ARG where p has not one
 * axis. */
#define cot_polyval(p, x) cot_polyval_(COT_HERE, p, x)
/* The polynomial of the degree that is nearest to y at x in least squares, the highest power
 * first: x [n], y [n] or [n, k]; degree + 1 at most n coefficients, [degree + 1] or [degree
 * + 1, k].  Columns of the matrix of powers are scaled to length 1 for cot_lstsq.
 * Errors: COT_ERR_ARG where x or y is neither floating nor complex, or sizes do not fit. */
#define cot_polyfit(x, y, degree) cot_polyfit_(COT_HERE, x, y, degree)
#endif

#ifdef __cplusplus
}
#endif
#endif
