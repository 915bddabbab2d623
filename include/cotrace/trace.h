/* Cotrace: traced values, and one function for every op: pointwise ops are in pointwise.h,
 * control flow is in flow.h, both of which this header includes.
 *
 * A cot_value stands for an array of a function that is being traced; ops on values record
 * nodes. Where an op takes two values, they broadcast as in NumPy and promote: of the same
 * kind the wider; bool below all; an integer with a float gives the float; f16 with bf16
 * gives f32; a complex number with a real one the complex type of both; signed with unsigned
 * gives the next wider signed type (u64 with signed: an error).  A bare number takes the
 * element type of the other operand and never widens it.
 *
 * The first error sticks: later ops on a bad value stay quiet, and the call that began the
 * trace reports it with the line of the op.
 *
 * Each function cot_x_ takes the place it is called from, and options as a record with its
 * size: bindings call it, and what stands at its macro cot_x holds for it.  The macro gives the
 * place and names the options, cot_reduce_sum(x, .axes = COT_LIST(0)).  A number operand is
 * spelled twice by its macro, so deeply nested expressions want names.  C++ has cotrace.hpp. */
#ifndef COTRACE_TRACE_H
#define COTRACE_TRACE_H

#include <stdbool.h>

#include "cotrace/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A handle to a value: of a context, of the trace with that serial number.  Copy it freely;
 * used after its trace ended it is an error, never a dangling pointer.  All zero: never set. */
typedef struct cot_value {
    cot_context *ctx;
    uint32_t trace;
    uint32_t id;
} cot_value;

/* A list of values; it holds a copy of them as cot_types does. */
typedef struct cot_values {
    int n;
    const cot_value *at;
    int n_held COT_OR_ZERO_;
    cot_value held[COT_HELD] COT_OR_ZERO_;
} cot_values;

/* A C function that is traced: reads in, sets every element of out.  It runs once for each
 * list of argument types, so what else it does happens then and only then. */
typedef void cot_body(cot_trace *t, const cot_value *in, cot_value *out, void *user);

/* Where a call stands in the user's source. */
typedef struct cot_place {
    const char *file;
    int line;
} cot_place;

/* What an op takes where a bare number may stand. */
typedef enum cot_operand_kind {
    COT_IS_VALUE,
    COT_IS_REAL,
    COT_IS_INT,
    COT_IS_UINT
} cot_operand_kind;
typedef struct cot_operand {
    cot_operand_kind kind;
    cot_value value;
    double real;
    int64_t integer;            /* COT_IS_UINT: the bits of a uint64_t */
} cot_operand;

/* A list of the n values at `at`: up to COT_HELD of them are copied into it, of more it has the
 * pointer, and the caller keeps the memory. */
COT_API cot_values cot_values_of(int n, const cot_value *at);
/* The n entries of a list of values: those that it holds, or where it points. They live as long
 * as the list and that memory. */
COT_API const cot_value *cot_values_entries(const cot_values *values);

/* A value as an operand, for calls of the plain functions cot_x_: it broadcasts and promotes as
 * the file's first paragraph says. */
COT_API cot_operand cot_operand_value(cot_value v);
/* A floating number as an operand: it takes the element type of the other operand, rounded; an
 * integer type must hold it exactly. Errors: COT_ERR_DTYPE. */
COT_API cot_operand cot_operand_real(double x);
/* An integer as an operand: it takes the element type of the other operand, rounded if that is
 * floating; an integer type must hold it. Errors: COT_ERR_DTYPE. */
COT_API cot_operand cot_operand_int(long long x);
/* An integer that may pass INT64_MAX as an operand, else as cot_operand_int: it takes the
 * element type of the other operand. */
COT_API cot_operand cot_operand_uint(unsigned long long x);

#ifndef __cplusplus
#define COT_HERE ((cot_place){__FILE__, __LINE__})
/* A cot_operand of a value or of a number of any arithmetic type of C, chosen by the type of x:
 * what the op macros do with each operand. */
#define COT_OPERAND(x)                                                                      \
    _Generic((x), cot_value: cot_operand_value, float: cot_operand_real,                    \
             double: cot_operand_real, _Bool: cot_operand_int, char: cot_operand_int,       \
             signed char: cot_operand_int, short: cot_operand_int, int: cot_operand_int,    \
             long: cot_operand_int, long long: cot_operand_int,                             \
             unsigned char: cot_operand_uint, unsigned short: cot_operand_uint,             \
             unsigned: cot_operand_uint, unsigned long: cot_operand_uint,                   \
             unsigned long long: cot_operand_uint)(x)
#define COT_VALUES_(...) ((const cot_value[]){{NULL, 0, 0}, __VA_ARGS__})
/* A list of values, which may be empty: COT_VALUES(x, y). Up to COT_HELD are copied into it, so
 * that it may outlive its block. */
#define COT_VALUES(...)                                                             \
    cot_values_of((int)(sizeof COT_VALUES_(__VA_ARGS__) / sizeof(cot_value)) - 1, \
                  COT_VALUES_(__VA_ARGS__) + 1)
#endif

/* ---- what is known of a value while tracing: host data ---- */

/* The context in which the body is traced, for calls that want one, such as cot_array_new; NULL
 * where t is NULL. */
COT_API cot_context *cot_trace_context(const cot_trace *t);
/* The element type of a value; COT_DTYPE_NONE of a bad value. Inside vmap it is that of one
 * example, as with all questions here. */
COT_API cot_dtype cot_dtype_of(cot_value x);
/* The number of axes of a value, known while tracing: 0 of a scalar and of a bad value. Under
 * vmap the mapped axis does not count. */
COT_API int cot_rank(cot_value x);
COT_API int64_t cot_size_(cot_place at, cot_value x, int axis);
/* The number of elements of a value, known while tracing: 1 of a scalar, 0 of a bad value.
 * Under vmap it is that of one example. */
COT_API int64_t cot_count(cot_value x);
/* The type of a value. Its list of sizes, where rank > 8, is the context's. */
COT_API cot_type cot_type_of(cot_value x);
/* A value as text, for printing in a body: its type, the op that made it with the line, the
 * function and the transforms around it, each with its line, innermost first.  A body is
 * traced once for each list of types, so the transforms are those for which it runs now.
 *  The text is the context's. */
COT_API const char *cot_value_text(cot_value x);
/* The content of a value is not known while tracing: both are errors that say what to use
 * instead. */
COT_API double cot_item_(cot_place at, cot_value x);
COT_API bool cot_is_nonzero_(cot_place at, cot_value x);
/* Report an error of a body: the trace fails with this text at the caller's line. */
COT_API cot_value cot_trace_fail_(cot_place at, cot_trace *t, const char *text);

/* As `#pragma STDC FP_CONTRACT OFF`: products and sums of the traced function, and of all
 * that is derived from it, calls it or is called by it, are rounded one by one and never
 * joined to a fused multiply-add.  The right choice for targets without one, where it is
 * emulated. */
COT_API void cot_fp_contract_off(cot_trace *t);

/* ---- values from nothing ---- */

COT_API cot_value cot_constant_(cot_place at, cot_trace *t, cot_type type,
                                const void *elements);
COT_API cot_value cot_full_(cot_place at, cot_trace *t, cot_type type, cot_operand x);
COT_API cot_value cot_iota_(cot_place at, cot_trace *t, cot_type type, int axis);
#ifndef __cplusplus
/* The size of one axis of a value; a negative axis counts from the end. An axis that x does
 * not have is an error, and the size 0. */
#define cot_size(x, axis) cot_size_(COT_HERE, x, axis)
/* Always an error (COT_ERR_TRACE), which says what to use instead, since the content of a value
 * is not known while tracing; the answer is 0. */
#define cot_item(x) cot_item_(COT_HERE, x)
/* Always an error (COT_ERR_TRACE): a condition on a value is cot_cond, cot_where or cot_while.
 * The answer is false. */
#define cot_is_nonzero(x) cot_is_nonzero_(COT_HERE, x)
/* Report an error of the body: the trace fails with this text at the caller's line. Returns a
 * bad value, on which later ops stay quiet. */
#define cot_trace_fail(t, text) cot_trace_fail_(COT_HERE, t, text)
/* cot_constant(t, type, elements): a constant of the type, with the elements copied from memory
 * in row-major order; they may be written in place, (float[]){ 1, 2 }. Errors: COT_ERR_ARG
 * where elements is NULL and the type has some. */
#define cot_constant(t, type, ...) cot_constant_(COT_HERE, t, type, __VA_ARGS__)
/* An array of the type, whose every element is the number x, which the type must hold (else
 * COT_ERR_DTYPE); a value x is converted and broadcast to it. Errors: COT_ERR_SHAPE where x
 * does not broadcast to the type's shape. */
#define cot_full(t, type, x) cot_full_(COT_HERE, t, type, COT_OPERAND(x))
/* An array of the type whose every element is 0; of bool, false. Errors: COT_ERR_SHAPE where a
 * size is below 0. */
#define cot_zeros(t, type) cot_full_(COT_HERE, t, type, cot_operand_int(0))
/* An array of the type whose every element is 1; of bool, true. Errors: COT_ERR_SHAPE where a
 * size is below 0. */
#define cot_ones(t, type) cot_full_(COT_HERE, t, type, cot_operand_int(1))
/* An array of the type that counts 0, 1, 2, ... along an axis and is the same along all others.
 * Errors: COT_ERR_ARG where the type is bool, COT_ERR_SHAPE where it has no such axis. */
#define cot_iota(t, type, axis) cot_iota_(COT_HERE, t, type, axis)
#endif

/* ---- data movement ---- */

/* Options of the ops below; each uses the fields its comment names.  Zero is each default. */
typedef struct COT_NAMED_ cot_move_options {
    COT_BEGIN_
    cot_list shape, dims, perm, axes;
    cot_list start, limit, stride;
    cot_list low, high, interior;
} cot_move_options;

COT_API cot_value cot_broadcast_in_dim_(cot_place at, cot_value x, const cot_move_options *o,
                                        size_t size);
COT_API cot_value cot_broadcast_to_(cot_place at, cot_value x, cot_list shape);
COT_API cot_value cot_reshape_(cot_place at, cot_value x, cot_list shape);
COT_API cot_value cot_transpose_(cot_place at, cot_value x, const cot_move_options *o,
                                 size_t size);
COT_API cot_value cot_slice_(cot_place at, cot_value x, const cot_move_options *o, size_t size);
COT_API cot_value cot_pad_(cot_place at, cot_value x, cot_operand value,
                           const cot_move_options *o, size_t size);
COT_API cot_value cot_reverse_(cot_place at, cot_value x, const cot_move_options *o,
                               size_t size);
COT_API cot_value cot_concatenate_(cot_place at, cot_values xs, int axis);
#ifndef __cplusplus
#define COT_MOVE_(...) &(const cot_move_options){__VA_ARGS__}, sizeof(cot_move_options)
/* x as an array of .shape: axis i of x becomes axis .dims[i], repeated where its size is 1.
 * .dims has an entry for each axis of x, ascending (else COT_ERR_ARG). Errors: COT_ERR_SHAPE
 * where a size of x is neither 1 nor that of .shape. */
#define cot_broadcast_in_dim(...) COT_BROADCAST_IN_DIM_(__VA_ARGS__, .end_ = 0)
#define COT_BROADCAST_IN_DIM_(x, ...) cot_broadcast_in_dim_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* x as an array of a shape, as NumPy's broadcast_to: axes match from the last. Errors:
 * COT_ERR_SHAPE where a size of x is neither 1 nor that of the shape. */
#define cot_broadcast_to(x, ...) cot_broadcast_to_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* cot_reshape(x, 2, -1): the same elements in row-major order; one size may be -1, which is
 * found from the others. Errors: COT_ERR_SHAPE where the number of elements changes,
 * COT_ERR_ARG where two sizes, or another one, are negative. */
#define cot_reshape(...) COT_RESHAPE_(__VA_ARGS__, )
#define COT_RESHAPE_(x, ...) cot_reshape_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* Axis i of the result is axis .perm[i] of x; the default reverses the axes. Negative ones
 * count from the end. Errors: COT_ERR_ARG where .perm has not an entry for each axis,
 * COT_ERR_SHAPE where one is out of range or there twice. */
#define cot_transpose(...) COT_TRANSPOSE_(__VA_ARGS__, .end_ = 0)
#define COT_TRANSPOSE_(x, ...) cot_transpose_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* Elements .start, .start + .stride, ... below .limit, one entry an axis; defaults 0, the
 * size and 1. Negative starts and limits count from the end; limits past the end stop there. */
#define cot_slice(...) COT_SLICE_(__VA_ARGS__, .end_ = 0)
#define COT_SLICE_(x, ...) cot_slice_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* x with value, a number or a scalar of x's type, before (.low), after (.high; negative
 * removes) and between (.interior) its elements, one entry an axis, absent: 0. Errors:
 * COT_ERR_ARG where a list has another length, COT_ERR_SHAPE where more is removed than there
 * is. */
#define cot_pad(...) COT_PAD_(__VA_ARGS__, .end_ = 0)
#define COT_PAD_(x, value, ...)                                                                \
    cot_pad_(COT_HERE, x, COT_OPERAND(value), COT_MOVE_(__VA_ARGS__))
/* x with the order of the elements reversed along .axes; the default is all. Errors:
 * COT_ERR_SHAPE where x has no such axis or one is named twice. */
#define cot_reverse(...) COT_REVERSE_(__VA_ARGS__, .end_ = 0)
#define COT_REVERSE_(x, ...) cot_reverse_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* cot_concatenate(COT_VALUES(x, y), 0): one value or more, one after the other along an axis.
 * They promote to one element type. Errors: COT_ERR_SHAPE where ranks or other sizes differ or
 * the axis is out of range. */
#define cot_concatenate(xs, axis) cot_concatenate_(COT_HERE, xs, axis)
#endif

/* ---- reductions and products ---- */

typedef struct COT_NAMED_ cot_reduce_options {
    COT_BEGIN_
    cot_list axes;              /* absent: all (softmax, layer_norm: the last) */
    int keepdims;               /* 1: reduced axes stay, of size 1             */
    double ddof;                /* var: taken from the count                   */
} cot_reduce_options;

typedef struct COT_NAMED_ cot_arg_options {
    COT_BEGIN_
    int axis;
    int keepdims;
    cot_dtype dtype;            /* of the index; default i32 */
} cot_arg_options;

typedef struct COT_NAMED_ cot_dot_options {
    COT_BEGIN_
    cot_list lhs, rhs;              /* contracted axes, pairwise */
    cot_list lhs_batch, rhs_batch;  /* batch axes, pairwise      */
} cot_dot_options;

#define COT_REDUCTION_(name) \
    COT_API cot_value name(cot_place at, cot_value x, const cot_reduce_options *o, size_t size);
COT_REDUCTION_(cot_reduce_sum_)
COT_REDUCTION_(cot_reduce_prod_)
COT_REDUCTION_(cot_reduce_max_)
COT_REDUCTION_(cot_reduce_min_)
COT_REDUCTION_(cot_reduce_and_)
COT_REDUCTION_(cot_reduce_or_)
#undef COT_REDUCTION_
COT_API cot_value cot_argmax_(cot_place at, cot_value x, const cot_arg_options *o, size_t size);
COT_API cot_value cot_argmin_(cot_place at, cot_value x, const cot_arg_options *o, size_t size);
COT_API cot_value cot_dot_general_(cot_place at, cot_value x, cot_value y,
                                   const cot_dot_options *o, size_t size);
#ifndef __cplusplus
#define COT_REDUCE_(...) &(const cot_reduce_options){__VA_ARGS__}, sizeof(cot_reduce_options)
/* The sum over .axes (default: all), which stay with size 1 where .keepdims = 1, of any number,
 * whose type it has; integers wrap. 0 of no element. Errors: COT_ERR_DTYPE for bool,
 * COT_ERR_SHAPE where an axis is out of range or named twice. */
#define cot_reduce_sum(...) COT_REDUCE_SUM_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_SUM_(x, ...) cot_reduce_sum_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The product over .axes, with the types, options and errors of cot_reduce_sum; 1 of no
 * element, and integers wrap. */
#define cot_reduce_prod(...) COT_REDUCE_PROD_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_PROD_(x, ...) cot_reduce_prod_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The maximum over .axes, with the options of cot_reduce_sum, of real numbers (else
 * COT_ERR_DTYPE); NaN if an element is. Of no element it is the least value of the type, -inf
 * of floats. */
#define cot_reduce_max(...) COT_REDUCE_MAX_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_MAX_(x, ...) cot_reduce_max_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The minimum over .axes, with the options of cot_reduce_sum, of real numbers (else
 * COT_ERR_DTYPE); NaN if an element is. Of no element it is the largest value of the type, inf
 * of floats. */
#define cot_reduce_min(...) COT_REDUCE_MIN_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_MIN_(x, ...) cot_reduce_min_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The bits that are 1 in all elements over .axes, of integers or bool: do all hold? All ones
 * of no element. */
#define cot_reduce_and(...) COT_REDUCE_AND_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_AND_(x, ...) cot_reduce_and_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The bits that are 1 in an element over .axes, of integers or bool: does one hold? 0 of no
 * element. */
#define cot_reduce_or(...) COT_REDUCE_OR_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_OR_(x, ...) cot_reduce_or_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The index of the largest element along .axis (default 0), of .dtype (default i32): the first
 * NaN, else the first of equal ones. Errors: COT_ERR_DTYPE where x is bool or complex or .dtype
 * cannot count the axis, COT_ERR_ARG where .dtype is no integer type, COT_ERR_SHAPE where the
 * axis is empty or not there. */
#define cot_argmax(...) COT_ARGMAX_(__VA_ARGS__, .end_ = 0)
#define COT_ARGMAX_(x, ...) \
    cot_argmax_(COT_HERE, x, &(const cot_arg_options){__VA_ARGS__}, sizeof(cot_arg_options))
/* The index of the smallest element along .axis, with the options and errors of cot_argmax; the
 * first NaN, else the first of equal ones. */
#define cot_argmin(...) COT_ARGMIN_(__VA_ARGS__, .end_ = 0)
#define COT_ARGMIN_(x, ...) \
    cot_argmin_(COT_HERE, x, &(const cot_arg_options){__VA_ARGS__}, sizeof(cot_arg_options))
/* Sum of products over contracted axes (.lhs with .rhs); result: batch, free of x, free of
 * y. */
#define cot_dot_general(...) COT_DOT_GENERAL_(__VA_ARGS__, .end_ = 0)
#define COT_DOT_GENERAL_(x, y, ...)                                                            \
    cot_dot_general_(COT_HERE, x, y, &(const cot_dot_options){ __VA_ARGS__ },                  \
                     sizeof(cot_dot_options))
#endif

/* ---- indexing at run time ---- */

/* Where an index vector lies outside. */
typedef enum cot_mode { COT_CLIP = 0, COT_FILL, COT_PROMISE } cot_mode;
typedef enum cot_scatter_kind {
    COT_SCATTER_SET, COT_SCATTER_ADD, COT_SCATTER_MUL, COT_SCATTER_MIN, COT_SCATTER_MAX
} cot_scatter_kind;

/* The dimension numbers of StableHLO's gather and scatter.  For scatter: offset_dims are the
 * window's axes of the updates, collapsed the inserted axes, sizes are not used. */
typedef struct COT_NAMED_ cot_index_options {
    COT_BEGIN_
    cot_list offset_dims, collapsed, operand_batch, indices_batch, index_map, sizes;
    cot_mode mode;
    int unique;                 /* scatter: 1 promises that no two updates meet */
} cot_index_options;

COT_API cot_value cot_dynamic_slice_(cot_place at, cot_value x, cot_values starts,
                                     cot_list sizes);
COT_API cot_value cot_dynamic_update_slice_(cot_place at, cot_value x, cot_value y,
                                            cot_values starts);
COT_API cot_value cot_gather_(cot_place at, cot_value x, cot_value indices,
                              const cot_index_options *o, size_t size);
COT_API cot_value cot_scatter_(cot_place at, cot_scatter_kind kind, cot_value x,
                               cot_value indices, cot_value updates, const cot_index_options *o,
                               size_t size);
#ifndef __cplusplus
#define COT_INDEX_(...) &(const cot_index_options){__VA_ARGS__}, sizeof(cot_index_options)
/* cot_dynamic_slice(x, COT_VALUES(i, j), COT_LIST(1, 4)): the box of those sizes at the
 * starts, moved inside x where it would leave it. */
#define cot_dynamic_slice(x, starts, sizes) cot_dynamic_slice_(COT_HERE, x, starts, sizes)
/* x with y, of x's rank, in the place of the box at the starts, which is moved inside x where
 * it would leave it. */
#define cot_dynamic_update_slice(x, y, starts) cot_dynamic_update_slice_(COT_HERE, x, y, starts)
/* Slices of x at indices known at run time, in StableHLO's terms; cot_take and cot_index are
 * the simple forms. Those outside are clamped (.mode = COT_FILL: NaN, of integers the least, of
 * bool 0). Errors: COT_ERR_SHAPE, COT_ERR_ARG where the dimension numbers do not fit,
 * COT_ERR_DTYPE where the indices are not integers. */
#define cot_gather(...) COT_GATHER_(__VA_ARGS__, .end_ = 0)
#define COT_GATHER_(x, i, ...) cot_gather_(COT_HERE, x, i, COT_INDEX_(__VA_ARGS__))
#define COT_SCATTER_(kind, x, i, y, ...)                                                       \
    cot_scatter_(COT_HERE, kind, x, i, y, COT_INDEX_(__VA_ARGS__))
/* x with the updates y, whose type is x's or promotes to it, in the place of the slices that
 * cot_gather would read at i. Of several updates of one element the last counts. Indices
 * outside are clamped, with .mode = COT_FILL dropped. Errors are those of cot_gather,
 * COT_ERR_DTYPE for another type of y, and COT_ERR_SHAPE where y has not the shape of those
 * slices. */
#define cot_scatter(...) COT_SCATTER_(COT_SCATTER_SET, __VA_ARGS__, .end_ = 0)
/* x with the updates added to the slices that cot_scatter replaces; of one element all updates
 * are added, in order. Options and errors are those of cot_scatter; x is a number (bool:
 * COT_ERR_DTYPE). */
#define cot_scatter_add(...) COT_SCATTER_(COT_SCATTER_ADD, __VA_ARGS__, .end_ = 0)
/* x with the slices that cot_scatter replaces multiplied by the updates; one element by all of
 * its updates, in order. Options and errors are those of cot_scatter; x is a number (bool:
 * COT_ERR_DTYPE). */
#define cot_scatter_mul(...) COT_SCATTER_(COT_SCATTER_MUL, __VA_ARGS__, .end_ = 0)
/* x with the slices that cot_scatter replaces at their minimum with the updates; NaN if either
 * is. Equal ones share the derivative. Options and errors are those of cot_scatter; x is a real
 * number (else COT_ERR_DTYPE). */
#define cot_scatter_min(...) COT_SCATTER_(COT_SCATTER_MIN, __VA_ARGS__, .end_ = 0)
/* x with the slices that cot_scatter replaces at their maximum with the updates; NaN if either
 * is. Equal ones share the derivative. Options and errors are those of cot_scatter; x is a real
 * number (else COT_ERR_DTYPE). */
#define cot_scatter_max(...) COT_SCATTER_(COT_SCATTER_MAX, __VA_ARGS__, .end_ = 0)
#endif

#ifdef __cplusplus
}
#endif

#include "cotrace/flow.h"
#include "cotrace/pointwise.h"

#endif
