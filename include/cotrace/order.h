/* Cotrace: sorting, searching, counting, running sums.
 *
 * What sorts is made of one op, argsort, and of indexing.  Complex numbers go by real, then
 * imaginary parts (those with a NaN last, as in NumPy); what ranks or interpolates refuses
 * them.  The order is total: -0 equals 0, NaNs are equal and above all; equal elements keep
 * their order (also with .descending = 1, which is the reverse of the ascending order of the
 * reversed elements).  Derivatives go along with the elements: that of a sort sorts the
 * tangents by the same places.  Places are i32 (i64 where an axis passes 2^31 - 1). */
#ifndef COTRACE_ORDER_H
#define COTRACE_ORDER_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Between two elements: linearly; the one below, above, nearest (of two at the same distance
 * the one at an even place), as NumPy has them; half of each. */
typedef enum cot_quantile_method {
    COT_QUANTILE_LINEAR = 0,
    COT_QUANTILE_LOWER,
    COT_QUANTILE_HIGHER,
    COT_QUANTILE_NEAREST,
    COT_QUANTILE_MIDPOINT,
} cot_quantile_method;

typedef struct COT_NAMED_ cot_order_options {
    COT_BEGIN_
    int descending;             /* 1: the largest first                             */
    int keys;                   /* of several operands: how many decide; 0: the first */
    int keepdims;               /* median, quantile: the axis stays, of size 1      */
    int reverse;                /* cumsum, ...: from each element on, not up to it  */
    int right;                  /* searchsorted: after those that are equal         */
    int method;                 /* quantile, median: a cot_quantile_method          */
    /* quantile, median: of the elements that are not NaN; NaN if there is none */
    int skip_nan;
} cot_order_options;

typedef struct COT_NAMED_ cot_unique_options {
    COT_BEGIN_
    int64_t size;               /* room: elements of the result; must be given          */
    double fill;                /* in those that are left                               */
    cot_value *count;           /* i32[]: how many differ, which may be more than size  */
    cot_value *counts;          /* i32[size]: how often each occurs                     */
    cot_value *index;           /* i32[size]: where each is first, row-major            */
    cot_value *inverse;         /* i32, of the shape of x: which one each element is    */
} cot_unique_options;

typedef struct COT_NAMED_ cot_count_options {
    COT_BEGIN_
    cot_value weights;          /* of the shape of x: added in place of ones, in their type */
} cot_count_options;

#define COT_ORDER_(...) &(const cot_order_options){__VA_ARGS__}, sizeof(cot_order_options)
COT_API cot_value cot_sort_(cot_place at, cot_value x, int axis, const cot_order_options *o,
                            size_t size);
COT_API cot_value cot_argsort_(cot_place at, cot_values keys, int axis,
                               const cot_order_options *o, size_t size);
COT_API void cot_sort_many_(cot_place at, cot_values xs, int axis, cot_value *out,
                            const cot_order_options *o, size_t size);
COT_API cot_value cot_top_k_(cot_place at, cot_value x, int64_t k, cot_value *places);
COT_API cot_value cot_median_(cot_place at, cot_value x, int axis, const cot_order_options *o,
                              size_t size);
COT_API cot_value cot_quantile_(cot_place at, cot_value x, double q, int axis,
                                const cot_order_options *o, size_t size);
COT_API cot_value cot_searchsorted_(cot_place at, cot_value sorted, cot_value x,
                                    const cot_order_options *o, size_t size);
COT_API cot_value cot_unique_(cot_place at, cot_value x, const cot_unique_options *o,
                              size_t size);
#define COT_COUNT_(...) &(const cot_count_options){__VA_ARGS__}, sizeof(cot_count_options)
COT_API cot_value cot_bincount_(cot_place at, cot_value x, int64_t n,
                                const cot_count_options *o, size_t size);
COT_API cot_value cot_histogram_(cot_place at, cot_value x, int64_t n, double low, double high,
                                 const cot_count_options *o, size_t size);

#define COT_CUMULATE_(name)                                                                    \
    COT_API cot_value name(cot_place at, cot_value x, int axis, const cot_order_options *o,    \
                           size_t size);
COT_CUMULATE_(cot_cumsum_)
COT_CUMULATE_(cot_cumprod_)
COT_CUMULATE_(cot_cummax_)
COT_CUMULATE_(cot_cummin_)
COT_CUMULATE_(cot_cumlogsumexp_)
#undef COT_CUMULATE_

#ifndef __cplusplus
/* x with the elements along an axis in ascending (.descending = 1: descending) order, NaN last
 * (first), equal ones in the order they had. x is of any type. Errors: COT_ERR_SHAPE where
 * there is no such axis. */
#define cot_sort(...) COT_SORT_(__VA_ARGS__, .end_ = 0)
#define COT_SORT_(x, axis, ...) cot_sort_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
/* The places of the elements in the order of cot_sort, with its options and errors: integers of
 * x's shape, and cot_take_along(x, cot_argsort(x, axis), axis) is sorted. */
#define cot_argsort(...) COT_ARGSORT_(__VA_ARGS__, .end_ = 0)
#define COT_ARGSORT_(x, axis, ...)                                                             \
    cot_argsort_(COT_HERE, COT_VALUES(x), axis, COT_ORDER_(__VA_ARGS__))
/* Several operands of one shape, all in the order of the first .keys of them (0: one), of
 * which the first decides before the second, and so on; out has room for them all, and gets
 * values of the operands' types.  Errors are those of cot_sort, and COT_ERR_SHAPE where shapes
 * differ. */
#define cot_sort_many(...) COT_SORT_MANY_(__VA_ARGS__, .end_ = 0)
#define COT_SORT_MANY_(xs, axis, out, ...)                                                     \
    cot_sort_many_(COT_HERE, xs, axis, out, COT_ORDER_(__VA_ARGS__))
/* The places of the elements in the order of several keys of one shape, the first of which
 * decides before the second, and so on: i32 of their shape, as of cot_argsort, whose options
 * and errors it has. */
#define cot_lexsort(...) COT_LEXSORT_(__VA_ARGS__, .end_ = 0)
#define COT_LEXSORT_(keys, axis, ...)                                                          \
    cot_argsort_(COT_HERE, keys, axis, COT_ORDER_(__VA_ARGS__))
/* The k largest elements of the last axis, the largest first; *places (may be NULL) says where
 * they are: the first of equal ones come first.  x T[..., n], real or bool (else
 * COT_ERR_DTYPE), gives T[..., k], and places i32[..., k].  Errors: COT_ERR_ARG where k is
 * negative or above n. */
#define cot_top_k(x, k, places) cot_top_k_(COT_HERE, x, k, places)
/* The median along an axis, which leaves (.keepdims = 1: stays, of size 1): cot_quantile of
 * 1/2, so the mean of the two in the middle. */
#define cot_median(...) COT_MEDIAN_(__VA_ARGS__, .end_ = 0)
#define COT_MEDIAN_(x, axis, ...) cot_median_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
/* The quantile q, from 0 to 1, along an axis, interpolated by .method between the two
 * elements next to place q (n - 1) of the n sorted ones; NaN if an element is (.skip_nan = 1:
 * of the others).
 *
 * Errors   COT_ERR_DTYPE  x is not real floating
 *          COT_ERR_SHAPE  the axis is empty
 *          COT_ERR_ARG    q or the method is none */
#define cot_quantile(...) COT_QUANTILE_(__VA_ARGS__, .end_ = 0)
#define COT_QUANTILE_(x, q, axis, ...)                                                         \
    cot_quantile_(COT_HERE, x, q, axis, COT_ORDER_(__VA_ARGS__))
/* Where each element of x belongs in sorted, T[n] ascending: before those that are equal, or
 * with .right = 1 after them.  The result is i32 of x's shape, from 0 to n.  x and sorted are
 * real or bool (complex: COT_ERR_DTYPE) and promote.  Errors: COT_ERR_ARG where sorted has not
 * one axis. */
#define cot_searchsorted(...) COT_SEARCHSORTED_(__VA_ARGS__, .end_ = 0)
#define COT_SEARCHSORTED_(sorted, x, ...)                                                      \
    cot_searchsorted_(COT_HERE, sorted, x, COT_ORDER_(__VA_ARGS__))
/* The different elements of x, of any shape, in ascending order: T[.size], of which those
 * beyond their number hold .fill.  -0 equals 0, NaNs are equal and last.  .count, .counts,
 * .index and .inverse, where they are not NULL, get what they say (i64 where sizes pass 2^31 -
 * 1).
 *
 * Errors   COT_ERR_SHAPE  .size is absent: the shape would depend on values */
#define cot_unique(...) COT_UNIQUE_(__VA_ARGS__, .end_ = 0)
#define COT_UNIQUE_(x, ...)                                                                    \
    cot_unique_(COT_HERE, x, &(const cot_unique_options){ __VA_ARGS__ },                       \
                sizeof(cot_unique_options))
/* i32[n]: how often 0 ... n-1 occur among the integers x; others are not counted.  With
 * .weights: T[n], the sums of the weights of those elements, with derivatives by the
 * weights.  Errors: COT_ERR_DTYPE where x is not of integers. */
#define cot_bincount(...) COT_BINCOUNT_(__VA_ARGS__, .end_ = 0)
#define COT_BINCOUNT_(x, n, ...) cot_bincount_(COT_HERE, x, n, COT_COUNT_(__VA_ARGS__))
/* i32[n]: how many elements of the floating x lie in each of n equal parts of [low, high], of
 * which the last includes high; the edges are low + i ((high - low) / n) in the type of x.
 * .weights as of cot_bincount. */
#define cot_histogram(...) COT_HISTOGRAM_(__VA_ARGS__, .end_ = 0)
#define COT_HISTOGRAM_(x, n, low, high, ...)                                                   \
    cot_histogram_(COT_HERE, x, n, low, high, COT_COUNT_(__VA_ARGS__))
/* The sum of the elements along an axis up to each, or with .reverse = 1 from each on, in
 * linear time; x's shape and type, of bool i32. Errors: COT_ERR_SHAPE where there is no such
 * axis. */
#define cot_cumsum(...) COT_CUMSUM_(__VA_ARGS__, .end_ = 0)
#define COT_CUMSUM_(x, axis, ...) cot_cumsum_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
/* The product of the elements along an axis up to each, or with .reverse = 1 from each on, with
 * the types and errors of cot_cumsum. */
#define cot_cumprod(...) COT_CUMPROD_(__VA_ARGS__, .end_ = 0)
#define COT_CUMPROD_(x, axis, ...) cot_cumprod_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
/* The maximum of the elements along an axis up to each, or with .reverse = 1 from each on; NaN
 * from the first NaN on. Real numbers (else COT_ERR_DTYPE); types and errors are else those of
 * cot_cumsum. */
#define cot_cummax(...) COT_CUMMAX_(__VA_ARGS__, .end_ = 0)
#define COT_CUMMAX_(x, axis, ...) cot_cummax_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
/* The minimum of the elements along an axis up to each, or with .reverse = 1 from each on; NaN
 * from the first NaN on. Real numbers (else COT_ERR_DTYPE); types and errors are else those of
 * cot_cumsum. */
#define cot_cummin(...) COT_CUMMIN_(__VA_ARGS__, .end_ = 0)
#define COT_CUMMIN_(x, axis, ...) cot_cummin_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
/* log(sum(e^x)) of the elements along an axis up to each, without overflow, with the options
 * and errors of cot_cumsum; real floating types (else COT_ERR_DTYPE). */
#define cot_cumlogsumexp(...) COT_CUMLOGSUMEXP_(__VA_ARGS__, .end_ = 0)
#define COT_CUMLOGSUMEXP_(x, axis, ...)                                                        \
    cot_cumlogsumexp_(COT_HERE, x, axis, COT_ORDER_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
