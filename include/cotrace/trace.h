/* Cotrace: traced values, and one function for every op.
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

/* A list of the n values at `at`, which are copied where they are few. */
COT_API cot_values cot_values_of(int n, const cot_value *at);
/* The entries of a list of values: its copy, or where it points. */
COT_API const cot_value *cot_values_entries(const cot_values *values);

/* A value as an operand. */
COT_API cot_operand cot_operand_value(cot_value v);
/* A floating number as an operand: it takes the element type of the other operand. */
COT_API cot_operand cot_operand_real(double x);
/* An integer as an operand, likewise. */
COT_API cot_operand cot_operand_int(long long x);
/* An integer that may pass INT64_MAX as an operand, likewise. */
COT_API cot_operand cot_operand_uint(unsigned long long x);

#ifndef __cplusplus
#define COT_HERE ((cot_place){__FILE__, __LINE__})
/* A cot_operand of a value or a number. */
#define COT_OPERAND(x)                                                                      \
    _Generic((x), cot_value: cot_operand_value, float: cot_operand_real,                    \
             double: cot_operand_real, _Bool: cot_operand_int, char: cot_operand_int,       \
             signed char: cot_operand_int, short: cot_operand_int, int: cot_operand_int,    \
             long: cot_operand_int, long long: cot_operand_int,                             \
             unsigned char: cot_operand_uint, unsigned short: cot_operand_uint,             \
             unsigned: cot_operand_uint, unsigned long: cot_operand_uint,                   \
             unsigned long long: cot_operand_uint)(x)
#define COT_VALUES_(...) ((const cot_value[]){{NULL, 0, 0}, __VA_ARGS__})
/* A list of values, which may be empty: COT_VALUES(x, y). */
#define COT_VALUES(...)                                                             \
    cot_values_of((int)(sizeof COT_VALUES_(__VA_ARGS__) / sizeof(cot_value)) - 1, \
                  COT_VALUES_(__VA_ARGS__) + 1)
#endif

/* ---- what is known of a value while tracing: host data ---- */

/* The context in which the body is traced. */
COT_API cot_context *cot_trace_context(const cot_trace *t);
/* The element type of a value; COT_DTYPE_NONE of a bad value. Inside vmap it is that of one
 * example, as with all questions here. */
COT_API cot_dtype cot_dtype_of(cot_value x);
/* The number of axes of a value; 0 of a bad value. */
COT_API int cot_rank(cot_value x);
COT_API int64_t cot_size_(cot_place at, cot_value x, int axis);
/* The number of elements of a value. */
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
/* Always an error, which says what to use instead: the content of a value is not known while
 * tracing. */
#define cot_item(x) cot_item_(COT_HERE, x)
/* Always an error likewise: a condition on a value is cot_cond, cot_where or cot_while. */
#define cot_is_nonzero(x) cot_is_nonzero_(COT_HERE, x)
/* Report an error of the body: the trace fails with this text at the caller's line. Returns a
 * bad value, on which later ops stay quiet. */
#define cot_trace_fail(t, text) cot_trace_fail_(COT_HERE, t, text)
/* Elements copied from memory, in row-major order. */
#define cot_constant(t, type, elements) cot_constant_(COT_HERE, t, type, elements)
/* Every element the number x. */
#define cot_full(t, type, x) cot_full_(COT_HERE, t, type, COT_OPERAND(x))
/* An array of zeros of the type. */
#define cot_zeros(t, type) cot_full_(COT_HERE, t, type, cot_operand_int(0))
/* An array of ones of the type. */
#define cot_ones(t, type) cot_full_(COT_HERE, t, type, cot_operand_int(1))
/* 0, 1, 2, ... along an axis, the same along all others. */
#define cot_iota(t, type, axis) cot_iota_(COT_HERE, t, type, axis)
#endif

/* ---- pointwise ops (written by cot-gen from ir/ops.def) ---- */
/* begin generated */
COT_API cot_value cot_neg_(cot_place at, cot_value x);
COT_API cot_value cot_abs_(cot_place at, cot_value x);
COT_API cot_value cot_sign_(cot_place at, cot_value x);
COT_API cot_value cot_exp_(cot_place at, cot_value x);
COT_API cot_value cot_exp2_(cot_place at, cot_value x);
COT_API cot_value cot_expm1_(cot_place at, cot_value x);
COT_API cot_value cot_log_(cot_place at, cot_value x);
COT_API cot_value cot_log2_(cot_place at, cot_value x);
COT_API cot_value cot_log1p_(cot_place at, cot_value x);
COT_API cot_value cot_sqrt_(cot_place at, cot_value x);
COT_API cot_value cot_rsqrt_(cot_place at, cot_value x);
COT_API cot_value cot_cbrt_(cot_place at, cot_value x);
COT_API cot_value cot_sin_(cot_place at, cot_value x);
COT_API cot_value cot_cos_(cot_place at, cot_value x);
COT_API cot_value cot_tan_(cot_place at, cot_value x);
COT_API cot_value cot_asin_(cot_place at, cot_value x);
COT_API cot_value cot_acos_(cot_place at, cot_value x);
COT_API cot_value cot_atan_(cot_place at, cot_value x);
COT_API cot_value cot_sinh_(cot_place at, cot_value x);
COT_API cot_value cot_cosh_(cot_place at, cot_value x);
COT_API cot_value cot_tanh_(cot_place at, cot_value x);
COT_API cot_value cot_asinh_(cot_place at, cot_value x);
COT_API cot_value cot_acosh_(cot_place at, cot_value x);
COT_API cot_value cot_atanh_(cot_place at, cot_value x);
COT_API cot_value cot_logistic_(cot_place at, cot_value x);
COT_API cot_value cot_erf_(cot_place at, cot_value x);
COT_API cot_value cot_erfc_(cot_place at, cot_value x);
COT_API cot_value cot_floor_(cot_place at, cot_value x);
COT_API cot_value cot_ceil_(cot_place at, cot_value x);
COT_API cot_value cot_trunc_(cot_place at, cot_value x);
COT_API cot_value cot_round_(cot_place at, cot_value x);
COT_API cot_value cot_round_even_(cot_place at, cot_value x);
COT_API cot_value cot_is_finite_(cot_place at, cot_value x);
COT_API cot_value cot_not_(cot_place at, cot_value x);
COT_API cot_value cot_popcnt_(cot_place at, cot_value x);
COT_API cot_value cot_clz_(cot_place at, cot_value x);
COT_API cot_value cot_stop_gradient_(cot_place at, cot_value x);
COT_API cot_value cot_barrier_(cot_place at, cot_value x);
COT_API cot_value cot_add_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_sub_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_mul_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_div_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_rem_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_pow_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_atan2_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_max_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_min_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_and_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_or_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_xor_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_shl_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_shr_logical_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_shr_arithmetic_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_eq_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_ne_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_lt_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_le_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_gt_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_ge_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_fma_(cot_place at, cot_operand x, cot_operand y, cot_operand z);
COT_API cot_value cot_select_(cot_place at, cot_operand x, cot_operand y, cot_operand z);
COT_API cot_value cot_lgamma_(cot_place at, cot_value x);
COT_API cot_value cot_digamma_(cot_place at, cot_value x);
COT_API cot_value cot_polygamma_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_zeta_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_lbeta_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_igamma_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_igammac_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_igamma_grad_a_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_random_gamma_grad_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_gamma_sample_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_erf_inv_(cot_place at, cot_value x);
COT_API cot_value cot_erfcx_(cot_place at, cot_value x);
COT_API cot_value cot_ndtr_(cot_place at, cot_value x);
COT_API cot_value cot_ndtri_(cot_place at, cot_value x);
COT_API cot_value cot_log_ndtr_(cot_place at, cot_value x);
COT_API cot_value cot_bessel_i0e_(cot_place at, cot_value x);
COT_API cot_value cot_bessel_i1e_(cot_place at, cot_value x);
COT_API cot_value cot_bessel_j0_(cot_place at, cot_value x);
COT_API cot_value cot_bessel_j1_(cot_place at, cot_value x);
COT_API cot_value cot_hypot_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_logaddexp_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_nextafter_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_threefry_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_complex_(cot_place at, cot_operand x, cot_operand y);
COT_API cot_value cot_real_(cot_place at, cot_value x);
COT_API cot_value cot_imag_(cot_place at, cot_value x);
COT_API cot_value cot_conj_(cot_place at, cot_value x);
#ifndef __cplusplus
/* -x; wraps for integers. */
#define cot_neg(x) cot_neg_(COT_HERE, x)
/* |x|; wraps for the least integer; the derivative at 0 is 0. */
#define cot_abs(x) cot_abs_(COT_HERE, x)
/* -1, 0 or 1; NaN for NaN, and a zero keeps its sign. */
#define cot_sign(x) cot_sign_(COT_HERE, x)
/* e to the power x. */
#define cot_exp(x) cot_exp_(COT_HERE, x)
/* 2 to the power x. */
#define cot_exp2(x) cot_exp2_(COT_HERE, x)
/* e^x - 1, accurate near 0. */
#define cot_expm1(x) cot_expm1_(COT_HERE, x)
/* natural logarithm; -inf at 0, NaN below. */
#define cot_log(x) cot_log_(COT_HERE, x)
/* logarithm to base 2; -inf at 0, NaN below. */
#define cot_log2(x) cot_log2_(COT_HERE, x)
/* log(1 + x), accurate near 0; -inf at -1, NaN below. */
#define cot_log1p(x) cot_log1p_(COT_HERE, x)
/* square root, correctly rounded; NaN below 0, -0 at -0. */
#define cot_sqrt(x) cot_sqrt_(COT_HERE, x)
/* 1 / sqrt(x); an infinity at a zero, with its sign. */
#define cot_rsqrt(x) cot_rsqrt_(COT_HERE, x)
/* cube root, of negative numbers too. */
#define cot_cbrt(x) cot_cbrt_(COT_HERE, x)
/* sine of x, x in radians. */
#define cot_sin(x) cot_sin_(COT_HERE, x)
/* cosine of x, x in radians. */
#define cot_cos(x) cot_cos_(COT_HERE, x)
/* tangent of x, x in radians. */
#define cot_tan(x) cot_tan_(COT_HERE, x)
/* arc sine, in radians; NaN outside [-1, 1]. */
#define cot_asin(x) cot_asin_(COT_HERE, x)
/* arc cosine, in radians; NaN outside [-1, 1]. */
#define cot_acos(x) cot_acos_(COT_HERE, x)
/* arc tangent, in radians. */
#define cot_atan(x) cot_atan_(COT_HERE, x)
/* hyperbolic sine. */
#define cot_sinh(x) cot_sinh_(COT_HERE, x)
/* hyperbolic cosine. */
#define cot_cosh(x) cot_cosh_(COT_HERE, x)
/* hyperbolic tangent. */
#define cot_tanh(x) cot_tanh_(COT_HERE, x)
/* inverse hyperbolic sine. */
#define cot_asinh(x) cot_asinh_(COT_HERE, x)
/* inverse hyperbolic cosine; NaN below 1. */
#define cot_acosh(x) cot_acosh_(COT_HERE, x)
/* inverse hyperbolic tangent; infinite at -1 and 1, NaN outside. */
#define cot_atanh(x) cot_atanh_(COT_HERE, x)
/* 1 / (1 + e^-x). */
#define cot_logistic(x) cot_logistic_(COT_HERE, x)
/* error function. */
#define cot_erf(x) cot_erf_(COT_HERE, x)
/* complementary error function, accurate where it is small. */
#define cot_erfc(x) cot_erfc_(COT_HERE, x)
/* to an integer, toward -inf. */
#define cot_floor(x) cot_floor_(COT_HERE, x)
/* to an integer, toward +inf. */
#define cot_ceil(x) cot_ceil_(COT_HERE, x)
/* to an integer, toward 0. */
#define cot_trunc(x) cot_trunc_(COT_HERE, x)
/* to the nearest integer, halves away from 0. */
#define cot_round(x) cot_round_(COT_HERE, x)
/* to the nearest integer, halves to even. */
#define cot_round_even(x) cot_round_even_(COT_HERE, x)
/* neither infinite nor NaN, as bool. */
#define cot_is_finite(x) cot_is_finite_(COT_HERE, x)
/* complement of the bits; negation of bool. */
#define cot_not(x) cot_not_(COT_HERE, x)
/* number of bits that are 1. */
#define cot_popcnt(x) cot_popcnt_(COT_HERE, x)
/* number of leading bits that are 0; the width for 0. */
#define cot_clz(x) cot_clz_(COT_HERE, x)
/* x, with derivative zero. */
#define cot_stop_gradient(x) cot_stop_gradient_(COT_HERE, x)
/* x; what is computed from it is not shared with what is computed from x, and comes after
 * what stands before. */
#define cot_barrier(x) cot_barrier_(COT_HERE, x)
/* x + y. */
#define cot_add(x, y) cot_add_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x - y. */
#define cot_sub(x, y) cot_sub_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x * y. */
#define cot_mul(x, y) cot_mul_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x / y; IEEE 754 for floats; toward zero for integers, where x / 0 is -1 (all bits set)
 * and overflow wraps. */
#define cot_div(x, y) cot_div_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x - y trunc(x / y), exact, with the sign of x; for integers x rem 0 is x. */
#define cot_rem(x, y) cot_rem_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x to the power y, with the special cases of IEEE 754. */
#define cot_pow(x, y) cot_pow_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* angle of the point (y, x), operands in that order, in radians. */
#define cot_atan2(x, y) cot_atan2_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* the larger; NaN if either is, +0 above -0; or for bool; ties share the derivative
 * evenly. */
#define cot_max(x, y) cot_max_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* the smaller; NaN if either is, -0 below +0; and for bool; ties share the derivative
 * evenly. */
#define cot_min(x, y) cot_min_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* bits that are 1 in both. */
#define cot_and(x, y) cot_and_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* bits that are 1 in either. */
#define cot_or(x, y) cot_or_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* bits that differ. */
#define cot_xor(x, y) cot_xor_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x shifted left by y bits; 0 if y < 0 or y >= the width. */
#define cot_shl(x, y) cot_shl_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x shifted right by y bits, zeros in; 0 if y < 0 or y >= the width. */
#define cot_shr_logical(x, y) cot_shr_logical_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x shifted right by y bits, copies of the top bit in; all copies if y < 0 or y >= the
 * width. */
#define cot_shr_arithmetic(x, y) cot_shr_arithmetic_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x == y as bool; false if either is NaN. */
#define cot_eq(x, y) cot_eq_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x != y as bool; true if either is NaN. */
#define cot_ne(x, y) cot_ne_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x < y as bool; false if either is NaN. */
#define cot_lt(x, y) cot_lt_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x <= y as bool; false if either is NaN. */
#define cot_le(x, y) cot_le_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x > y as bool; false if either is NaN. */
#define cot_gt(x, y) cot_gt_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x >= y as bool; false if either is NaN. */
#define cot_ge(x, y) cot_ge_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x * y + z, rounded once. */
#define cot_fma(x, y, z) \
    cot_fma_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y), COT_OPERAND(z))
/* x ? y : z, x bool of the same shape; IEEE in values and derivatives, as torch.where. */
#define cot_select(x, y, z) \
    cot_select_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y), COT_OPERAND(z))
/* logarithm of |Gamma(x)|; inf at 0 and the negative integers. */
#define cot_lgamma(x) cot_lgamma_(COT_HERE, x)
/* derivative of lgamma; NaN at 0 and the negative integers. */
#define cot_digamma(x) cot_digamma_(COT_HERE, x)
/* derivative of digamma(y) of order x, a whole number >= 0 (else NaN); for x > 0 infinite
 * where y is 0 or a negative integer; no derivative by x. */
#define cot_polygamma(x, y) cot_polygamma_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Hurwitz zeta function, sum of (y + k)^-x, x > 1 (inf at 1, NaN below), y > 0 or x whole
 * (inf where y is 0 or a negative integer, NaN for other y < 0); no derivative by x. */
#define cot_zeta(x, y) cot_zeta_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* lgamma(x) + lgamma(y) - lgamma(x + y), without their cancellation. */
#define cot_lbeta(x, y) cot_lbeta_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* regularised lower incomplete gamma function P(x, y), x the order; NaN for negative
 * operands. */
#define cot_igamma(x, y) cot_igamma_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* regularised upper incomplete gamma function Q(x, y), x the order; NaN for negative
 * operands. */
#define cot_igammac(x, y) cot_igammac_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* derivative of igamma by its order x; its own derivative by x is a loop over a series. */
#define cot_igamma_grad_a(x, y) cot_igamma_grad_a_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* derivative by x of y, a sample of the gamma distribution of shape x, at fixed igamma(x,
 * y). */
#define cot_random_gamma_grad(x, y) \
    cot_random_gamma_grad_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* y, a sample of the gamma distribution of shape x: its derivative by x is
 * random_gamma_grad, by y zero. */
#define cot_gamma_sample(x, y) cot_gamma_sample_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* inverse of erf; infinite at -1 and 1, NaN outside. */
#define cot_erf_inv(x) cot_erf_inv_(COT_HERE, x)
/* e^(x^2) erfc(x). */
#define cot_erfcx(x) cot_erfcx_(COT_HERE, x)
/* distribution function of the standard normal distribution, accurate in its tail. */
#define cot_ndtr(x) cot_ndtr_(COT_HERE, x)
/* inverse of ndtr; infinite at 0 and 1, NaN outside. */
#define cot_ndtri(x) cot_ndtri_(COT_HERE, x)
/* logarithm of ndtr, where that underflows, too. */
#define cot_log_ndtr(x) cot_log_ndtr_(COT_HERE, x)
/* modified Bessel function I of order 0, times e^-|x|. */
#define cot_bessel_i0e(x) cot_bessel_i0e_(COT_HERE, x)
/* modified Bessel function I of order 1, times e^-|x|. */
#define cot_bessel_i1e(x) cot_bessel_i1e_(COT_HERE, x)
/* Bessel function J of order 0. */
#define cot_bessel_j0(x) cot_bessel_j0_(COT_HERE, x)
/* Bessel function J of order 1. */
#define cot_bessel_j1(x) cot_bessel_j1_(COT_HERE, x)
/* sqrt(x^2 + y^2) without overflow; inf if either is infinite; the derivative at (0, 0)
 * is 0. */
#define cot_hypot(x, y) cot_hypot_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* log(e^x + e^y) without overflow. */
#define cot_logaddexp(x, y) cot_logaddexp_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* the number after x in the direction of y; y if they are equal; its derivative is that
 * of x. */
#define cot_nextafter(x, y) cot_nextafter_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Threefry 2x32 with 20 rounds: key x, counter y; of each the first word is the upper
 * half. */
#define cot_threefry(x, y) cot_threefry_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* the complex number of real part x and imaginary part y. */
#define cot_complex(x, y) cot_complex_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* the real part. */
#define cot_real(x) cot_real_(COT_HERE, x)
/* the imaginary part. */
#define cot_imag(x) cot_imag_(COT_HERE, x)
/* the complex conjugate. */
#define cot_conj(x) cot_conj_(COT_HERE, x)
#endif
/* end generated */

COT_API cot_value cot_clip_(cot_place at, cot_operand x, cot_operand low, cot_operand high);
COT_DEPRECATED_("use cot_clip(x, low, high)")
COT_API cot_value cot_clamp_(cot_place at, cot_operand low, cot_operand x, cot_operand high);
COT_API cot_value cot_integer_pow_(cot_place at, cot_value x, int64_t y);
COT_API cot_value cot_convert_(cot_place at, cot_value x, cot_dtype dtype);
COT_API cot_value cot_bitcast_(cot_place at, cot_value x, cot_dtype dtype);
#ifndef __cplusplus
/* min(max(x, low), high), so that high wins over low; NaN where one of them is; real numbers.
 * The derivative at and beyond the bounds is 0. */
#define cot_clip(x, low, high)                                                                 \
    cot_clip_(COT_HERE, COT_OPERAND(x), COT_OPERAND(low), COT_OPERAND(high))
/* Deprecated: cot_clip(x, low, high), with the operands in another order. */
#define cot_clamp(low, x, high)                                                                \
    cot_clamp_(COT_HERE, COT_OPERAND(low), COT_OPERAND(x), COT_OPERAND(high))
/* x to the power y, a constant integer; y < 0 is for floats. */
#define cot_integer_pow(x, y) cot_integer_pow_(COT_HERE, x, y)
/* x in another element type: to floats rounded to nearest even, to integers toward 0 and
 * saturating (NaN to 0), to bool where not 0. */
#define cot_convert(x, dtype) cot_convert_(COT_HERE, x, dtype)
/* The same bits as another element type of equal width. */
#define cot_bitcast(x, dtype) cot_bitcast_(COT_HERE, x, dtype)
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
/* To .shape: axis i of x becomes axis .dims[i], repeated where its size is 1. */
#define cot_broadcast_in_dim(...) COT_BROADCAST_IN_DIM_(__VA_ARGS__, .end_ = 0)
#define COT_BROADCAST_IN_DIM_(x, ...) cot_broadcast_in_dim_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* To a shape, as NumPy's broadcast_to: axes match from the last. */
#define cot_broadcast_to(x, ...) cot_broadcast_to_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* cot_reshape(x, 2, -1): the same elements in row-major order; one size may be -1. */
#define cot_reshape(...) COT_RESHAPE_(__VA_ARGS__, )
#define COT_RESHAPE_(x, ...) cot_reshape_(COT_HERE, x, COT_LIST(__VA_ARGS__))
/* Axis i of the result is axis .perm[i] of x; the default reverses the axes. */
#define cot_transpose(...) COT_TRANSPOSE_(__VA_ARGS__, .end_ = 0)
#define COT_TRANSPOSE_(x, ...) cot_transpose_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* Elements .start, .start + .stride, ... below .limit, one entry an axis; defaults 0, the
 * size and 1. Negative starts and limits count from the end; limits past the end stop there. */
#define cot_slice(...) COT_SLICE_(__VA_ARGS__, .end_ = 0)
#define COT_SLICE_(x, ...) cot_slice_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* value before (.low), after (.high; negative removes) and between (.interior) the elements. */
#define cot_pad(...) COT_PAD_(__VA_ARGS__, .end_ = 0)
#define COT_PAD_(x, value, ...)                                                                \
    cot_pad_(COT_HERE, x, COT_OPERAND(value), COT_MOVE_(__VA_ARGS__))
/* The order of the elements reversed along .axes; the default is all. */
#define cot_reverse(...) COT_REVERSE_(__VA_ARGS__, .end_ = 0)
#define COT_REVERSE_(x, ...) cot_reverse_(COT_HERE, x, COT_MOVE_(__VA_ARGS__))
/* cot_concatenate(COT_VALUES(x, y), 0): one after the other along an axis. */
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
/* The sum over .axes (default: all), which stay with size 1 where .keepdims = 1; 0 of no
 * element. */
#define cot_reduce_sum(...) COT_REDUCE_SUM_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_SUM_(x, ...) cot_reduce_sum_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The product over .axes, with the same options; 1 of no element. */
#define cot_reduce_prod(...) COT_REDUCE_PROD_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_PROD_(x, ...) cot_reduce_prod_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The maximum over .axes, with the same options; NaN if an element is. Of no element it is
 * the least value of the type. */
#define cot_reduce_max(...) COT_REDUCE_MAX_(__VA_ARGS__, .end_ = 0)
#define COT_REDUCE_MAX_(x, ...) cot_reduce_max_(COT_HERE, x, COT_REDUCE_(__VA_ARGS__))
/* The minimum over .axes, with the same options; NaN if an element is. Of no element it is
 * the largest value of the type. */
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
/* The index of the largest element along .axis (default 0), of .dtype (default i32): the
 * first NaN, else the first of equal ones. */
#define cot_argmax(...) COT_ARGMAX_(__VA_ARGS__, .end_ = 0)
#define COT_ARGMAX_(x, ...) \
    cot_argmax_(COT_HERE, x, &(const cot_arg_options){__VA_ARGS__}, sizeof(cot_arg_options))
/* The index of the smallest element along .axis, with the same options. */
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
 * the simple forms. Errors: COT_ERR_SHAPE, the dimension numbers do not fit. */
#define cot_gather(...) COT_GATHER_(__VA_ARGS__, .end_ = 0)
#define COT_GATHER_(x, i, ...) cot_gather_(COT_HERE, x, i, COT_INDEX_(__VA_ARGS__))
#define COT_SCATTER_(kind, x, i, y, ...)                                                       \
    cot_scatter_(COT_HERE, kind, x, i, y, COT_INDEX_(__VA_ARGS__))
/* x with the updates y in the place of the slices that cot_gather would read at i. Of several
 * updates of one element the last counts. */
#define cot_scatter(...) COT_SCATTER_(COT_SCATTER_SET, __VA_ARGS__, .end_ = 0)
/* x with the updates added to those slices. Of one element all updates are added, in order. */
#define cot_scatter_add(...) COT_SCATTER_(COT_SCATTER_ADD, __VA_ARGS__, .end_ = 0)
/* x with those slices multiplied by the updates. */
#define cot_scatter_mul(...) COT_SCATTER_(COT_SCATTER_MUL, __VA_ARGS__, .end_ = 0)
/* The minimum of those slices and the updates. */
#define cot_scatter_min(...) COT_SCATTER_(COT_SCATTER_MIN, __VA_ARGS__, .end_ = 0)
/* The maximum of those slices and the updates. */
#define cot_scatter_max(...) COT_SCATTER_(COT_SCATTER_MAX, __VA_ARGS__, .end_ = 0)
#endif

/* ---- functions and control flow ---- */

#define COT_SQRT (-1)
/* Options of cond, switch, while, scan, fori and map.  A body may use values of the trace
 * around it: they become operands by themselves. */
typedef struct COT_NAMED_ cot_flow_options {
    COT_BEGIN_
    /* cond, switch: the operands; while, scan, fori: the first carries */
    cot_values in;
    /* scan, map: sliced on axis 0, one slice a step */
    cot_values xs;
    /* the results; NULL: only the first, which is returned */
    cot_value *out;
    /* cond, switch, map: results; 0: 1.  scan: results after the carries */
    int n_out;
    int64_t length;             /* scan: steps, where xs is empty; COT_NONE: none         */
    /* while: at most so many steps; passing it is COT_ERR_BOUND */
    int64_t max;
    /* scan: from the last slice to the first */
    int reverse;
    int64_t segments;           /* scan: reverse mode keeps the carries between so many segments
                                 * and runs each again; COT_SQRT: as many as a segment has
                                 * steps */
    /* handed to the bodies */
    void *user;
    /* the open trace, where neither predicate nor operands say it */
    cot_trace *t;
} cot_flow_options;

typedef struct cot_bodies {
    int n;
    cot_body *const *at;
    int n_held COT_OR_ZERO_;
    cot_body *held[COT_HELD] COT_OR_ZERO_;
} cot_bodies;
/* A list of the n bodies at `at`, which are copied where they are few. */
COT_API cot_bodies cot_bodies_of(int n, cot_body *const *at);

COT_API cot_value cot_call_(cot_place at, cot_fn *f, cot_values in);
COT_API void cot_call_all_(cot_place at, cot_fn *f, cot_values in, cot_value *out, int n_out);
/* As cot_switch; cot_cond is this with the bodies {no, yes}. */
COT_API cot_value cot_switch_(cot_place at, cot_operand index, cot_bodies branches,
                              const cot_flow_options *o, size_t size);
COT_API cot_value cot_while_(cot_place at, cot_body *holds, cot_body *step,
                             const cot_flow_options *o, size_t size);
COT_API cot_value cot_scan_(cot_place at, cot_body *step, const cot_flow_options *o,
                            size_t size);
COT_API cot_value cot_fori_(cot_place at, cot_operand n, cot_body *step,
                            const cot_flow_options *o, size_t size);
COT_API cot_value cot_map_(cot_place at, cot_body *each, const cot_flow_options *o,
                           size_t size);
#ifndef __cplusplus
#define COT_FLOW_(...) &(const cot_flow_options){__VA_ARGS__}, sizeof(cot_flow_options)
/* A list of bodies, of one or more: COT_BODIES(b0, b1). */
#define COT_BODIES(...)                                                             \
    cot_bodies_of((int)(sizeof((cot_body *const[]){__VA_ARGS__}) / sizeof(cot_body *)), \
                  (cot_body *const[]){__VA_ARGS__})

/* The result of f, transformed or not, on values: cot_call(f, x, y). f must have one result. */
#define cot_call(...) COT_CALL_(__VA_ARGS__, )
#define COT_CALL_(f, ...) cot_call_(COT_HERE, f, COT_VALUES(__VA_ARGS__))
/* All n_out results of f on values, to out[0] ... out[n_out - 1]: cot_call_all(f,
 * COT_VALUES(x, y), out, n). */
#define cot_call_all(f, in, out, n_out) cot_call_all_(COT_HERE, f, in, out, n_out)

/* cot_cond(p, yes, no, .in = COT_VALUES(x)): the results of yes where p (bool[]) holds, else
 * of no. Nothing leaks from the body not taken, mapped or not.  Both give the same types. */
#define cot_cond(...) COT_COND_(__VA_ARGS__, .end_ = 0)
#define COT_COND_(p, yes, no, ...) \
    cot_switch_(COT_HERE, COT_OPERAND(p), COT_BODIES(no, yes), COT_FLOW_(__VA_ARGS__))
/* cot_switch(i, COT_BODIES(b0, b1, b2), .in = COT_VALUES(x)): i, an integer, is clamped.
 * Where p or i is a number of C, the choice is made now: only that body is traced, in place. */
#define cot_switch(...) COT_SWITCH_(__VA_ARGS__, .end_ = 0)
#define COT_SWITCH_(i, bodies, ...)                                                            \
    cot_switch_(COT_HERE, COT_OPERAND(i), bodies, COT_FLOW_(__VA_ARGS__))
/* While holds(carries) gives true, carries = step(carries).  .in are the first carries; the
 * results have their types. */
#define cot_while(...) COT_WHILE_(__VA_ARGS__, .end_ = 0)
#define COT_WHILE_(holds, step, ...) cot_while_(COT_HERE, holds, step, COT_FLOW_(__VA_ARGS__))
/* step(carries, slices) gives (carries, ys), once for each slice of .xs on axis 0, or .length
 * times; results: the last carries, then each y stacked on axis 0. */
#define cot_scan(...) COT_SCAN_(__VA_ARGS__, .end_ = 0)
#define COT_SCAN_(step, ...) cot_scan_(COT_HERE, step, COT_FLOW_(__VA_ARGS__))
/* step(i, carries) gives the carries, for i (i32[]) from 0 to n - 1; n is a number or a
 * value. */
#define cot_fori(...) COT_FORI_(__VA_ARGS__, .end_ = 0)
#define COT_FORI_(n, step, ...)                                                                \
    cot_fori_(COT_HERE, COT_OPERAND(n), step, COT_FLOW_(__VA_ARGS__))
/* each(slices) for each slice of .xs on axis 0, one after the other; results stacked on axis
 * 0. */
#define cot_map(...) COT_MAP_(__VA_ARGS__, .end_ = 0)
#define COT_MAP_(each, ...) cot_map_(COT_HERE, each, COT_FLOW_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
