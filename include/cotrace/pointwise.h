/* Cotrace: pointwise ops, one function for each.
 *
 * Part of cotrace/trace.h, which includes it and says how operands broadcast and promote: the
 * result has the shape to which they broadcast, or x's.  The errors that a comment names are
 * COT_ERR_DTYPE, an element type that the op does not take, and COT_ERR_SHAPE, shapes that do
 * not broadcast.  What stands between the marks is written by cot-gen from ir/ops.def. */
#ifndef COTRACE_POINTWISE_H
#define COTRACE_POINTWISE_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

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
/* -x; wraps for integers. It takes every type but bool; the result has that type. Errors:
 * COT_ERR_DTYPE. */
#define cot_neg(x) cot_neg_(COT_HERE, x)
/* |x|; wraps for the least integer; the derivative at 0 is 0. It takes every type but
 * bool; the result of complex numbers is real. Errors: COT_ERR_DTYPE. */
#define cot_abs(x) cot_abs_(COT_HERE, x)
/* -1, 0 or 1; NaN for NaN, and a zero keeps its sign. It takes every type but bool; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_sign(x) cot_sign_(COT_HERE, x)
/* e to the power x. It takes floating and complex types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_exp(x) cot_exp_(COT_HERE, x)
/* 2 to the power x. It takes floating and complex types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_exp2(x) cot_exp2_(COT_HERE, x)
/* e^x - 1, accurate near 0. It takes floating and complex types; the result has that
 * type. Errors: COT_ERR_DTYPE. */
#define cot_expm1(x) cot_expm1_(COT_HERE, x)
/* Natural logarithm; -inf at 0, NaN below. It takes floating and complex types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_log(x) cot_log_(COT_HERE, x)
/* Logarithm to base 2; -inf at 0, NaN below. It takes floating and complex types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_log2(x) cot_log2_(COT_HERE, x)
/* Log(1 + x), accurate near 0; -inf at -1, NaN below. It takes floating and complex
 * types; the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_log1p(x) cot_log1p_(COT_HERE, x)
/* Square root, correctly rounded; NaN below 0, -0 at -0. It takes floating and complex
 * types; the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_sqrt(x) cot_sqrt_(COT_HERE, x)
/* 1 / sqrt(x); an infinity at a zero, with its sign. It takes floating and complex types;
 * the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_rsqrt(x) cot_rsqrt_(COT_HERE, x)
/* Cube root, of negative numbers too. It takes real floating types; the result has that
 * type. Errors: COT_ERR_DTYPE. */
#define cot_cbrt(x) cot_cbrt_(COT_HERE, x)
/* Sine of x, x in radians. It takes floating and complex types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_sin(x) cot_sin_(COT_HERE, x)
/* Cosine of x, x in radians. It takes floating and complex types; the result has that
 * type. Errors: COT_ERR_DTYPE. */
#define cot_cos(x) cot_cos_(COT_HERE, x)
/* Tangent of x, x in radians. It takes floating and complex types; the result has that
 * type. Errors: COT_ERR_DTYPE. */
#define cot_tan(x) cot_tan_(COT_HERE, x)
/* Arc sine, in radians; NaN outside [-1, 1]. It takes floating and complex types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_asin(x) cot_asin_(COT_HERE, x)
/* Arc cosine, in radians; NaN outside [-1, 1]. It takes floating and complex types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_acos(x) cot_acos_(COT_HERE, x)
/* Arc tangent, in radians. It takes floating and complex types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_atan(x) cot_atan_(COT_HERE, x)
/* Hyperbolic sine of x, (e^x - e^-x) / 2. It takes floating and complex types; the result
 * has that type. Errors: COT_ERR_DTYPE. */
#define cot_sinh(x) cot_sinh_(COT_HERE, x)
/* Hyperbolic cosine of x, (e^x + e^-x) / 2. It takes floating and complex types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_cosh(x) cot_cosh_(COT_HERE, x)
/* Hyperbolic tangent of x, between -1 and 1. It takes floating and complex types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_tanh(x) cot_tanh_(COT_HERE, x)
/* Inverse hyperbolic sine. It takes floating and complex types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_asinh(x) cot_asinh_(COT_HERE, x)
/* Inverse hyperbolic cosine; NaN below 1. It takes floating and complex types; the result
 * has that type. Errors: COT_ERR_DTYPE. */
#define cot_acosh(x) cot_acosh_(COT_HERE, x)
/* Inverse hyperbolic tangent; infinite at -1 and 1, NaN outside. It takes floating and
 * complex types; the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_atanh(x) cot_atanh_(COT_HERE, x)
/* 1 / (1 + e^-x). It takes floating and complex types; the result has that type. Errors:
 * COT_ERR_DTYPE. */
#define cot_logistic(x) cot_logistic_(COT_HERE, x)
/* Error function of x, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. It takes
 * real floating types; the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_erf(x) cot_erf_(COT_HERE, x)
/* Complementary error function, accurate where it is small. It takes real floating types;
 * the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_erfc(x) cot_erfc_(COT_HERE, x)
/* To an integer, toward -inf. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_floor(x) cot_floor_(COT_HERE, x)
/* To an integer, toward +inf. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_ceil(x) cot_ceil_(COT_HERE, x)
/* To an integer, toward 0. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_trunc(x) cot_trunc_(COT_HERE, x)
/* To the nearest integer, halves away from 0. It takes real floating types; the result
 * has that type. Errors: COT_ERR_DTYPE. */
#define cot_round(x) cot_round_(COT_HERE, x)
/* To the nearest integer, halves to even. It takes real floating types; the result has
 * that type. Errors: COT_ERR_DTYPE. */
#define cot_round_even(x) cot_round_even_(COT_HERE, x)
/* Neither infinite nor NaN, as bool. It takes floating and complex types; the result is
 * bool. Errors: COT_ERR_DTYPE. */
#define cot_is_finite(x) cot_is_finite_(COT_HERE, x)
/* Complement of the bits; negation of bool. It takes integers and bool; the result has
 * that type. Errors: COT_ERR_DTYPE. */
#define cot_not(x) cot_not_(COT_HERE, x)
/* Number of bits that are 1. It takes integers; the result has that type. Errors:
 * COT_ERR_DTYPE. */
#define cot_popcnt(x) cot_popcnt_(COT_HERE, x)
/* Number of leading bits that are 0; the width for 0. It takes integers; the result has
 * that type. Errors: COT_ERR_DTYPE. */
#define cot_clz(x) cot_clz_(COT_HERE, x)
/* x, with derivative zero: no transform differentiates through it. It takes every type;
 * the result has that type. */
#define cot_stop_gradient(x) cot_stop_gradient_(COT_HERE, x)
/* x; values computed from it are not shared with values computed from x, and are computed
 * after everything that precedes the barrier. It takes every type; the result has that
 * type. */
#define cot_barrier(x) cot_barrier_(COT_HERE, x)
/* x + y. It takes every type but bool; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_add(x, y) cot_add_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x - y. It takes every type but bool; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_sub(x, y) cot_sub_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x * y. It takes every type but bool; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_mul(x, y) cot_mul_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x / y; IEEE 754 for floats; toward zero for integers, where x / 0 is -1 (all bits set)
 * and overflow wraps. It takes every type but bool; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_div(x, y) cot_div_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x - y trunc(x / y), exact, with the sign of x; for integers x rem 0 is x. It takes
 * integers and real floating types; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_rem(x, y) cot_rem_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x to the power y, with the special cases of IEEE 754. It takes floating and complex
 * types; the result has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_pow(x, y) cot_pow_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Angle of the point (y, x), operands in that order, in radians. It takes real floating
 * types; the result has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_atan2(x, y) cot_atan2_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The larger; NaN if either is, +0 above -0; or for bool; ties share the derivative
 * evenly. It takes every type but complex ones; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_max(x, y) cot_max_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The smaller; NaN if either is, -0 below +0; and for bool; ties share the derivative
 * evenly. It takes every type but complex ones; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_min(x, y) cot_min_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Bits that are 1 in both. It takes integers and bool; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_and(x, y) cot_and_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Bits that are 1 in either. It takes integers and bool; the result has that type.
 * Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_or(x, y) cot_or_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Bits that differ. It takes integers and bool; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_xor(x, y) cot_xor_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x shifted left by y bits; 0 if y < 0 or y >= the width. It takes integers; the result
 * has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_shl(x, y) cot_shl_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x shifted right by y bits, zeros in; 0 if y < 0 or y >= the width. It takes integers;
 * the result has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_shr_logical(x, y) cot_shr_logical_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x shifted right by y bits, copies of the top bit in; all copies if y < 0 or y >= the
 * width. It takes integers; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_shr_arithmetic(x, y) cot_shr_arithmetic_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x == y as bool; false if either is NaN. It takes every type; the result is bool.
 * Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_eq(x, y) cot_eq_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x != y as bool; true if either is NaN. It takes every type; the result is bool. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_ne(x, y) cot_ne_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x < y as bool; false if either is NaN. It takes every type but complex ones; the result
 * is bool. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_lt(x, y) cot_lt_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x <= y as bool; false if either is NaN. It takes every type but complex ones; the
 * result is bool. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_le(x, y) cot_le_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x > y as bool; false if either is NaN. It takes every type but complex ones; the result
 * is bool. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_gt(x, y) cot_gt_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x >= y as bool; false if either is NaN. It takes every type but complex ones; the
 * result is bool. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_ge(x, y) cot_ge_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x * y + z, rounded once. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_fma(x, y, z) \
    cot_fma_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y), COT_OPERAND(z))
/* x ? y : z, x bool of the same shape; IEEE in values and derivatives, as torch.where. It
 * takes y and z of every type; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_select(x, y, z) \
    cot_select_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y), COT_OPERAND(z))
/* Logarithm of |Gamma(x)|; inf at 0 and the negative integers. It takes real floating
 * types; the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_lgamma(x) cot_lgamma_(COT_HERE, x)
/* Derivative of lgamma; NaN at 0 and the negative integers. It takes real floating types;
 * the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_digamma(x) cot_digamma_(COT_HERE, x)
/* Derivative of digamma(y) of order x, a whole number >= 0 (else NaN); for x > 0 infinite
 * where y is 0 or a negative integer; no derivative with respect to x. It takes real
 * floating types; the result has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_polygamma(x, y) cot_polygamma_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Hurwitz zeta function, sum of (y + k)^-x, x > 1 (inf at 1, NaN below), y > 0 or x whole
 * (inf where y is 0 or a negative integer, NaN for other y < 0); no derivative with
 * respect to x. It takes real floating types; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_zeta(x, y) cot_zeta_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Lgamma(x) + lgamma(y) - lgamma(x + y), without cancellation. It takes real floating
 * types; the result has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_lbeta(x, y) cot_lbeta_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Regularised lower incomplete gamma function P(x, y), x the order; NaN for negative
 * operands. It takes real floating types; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_igamma(x, y) cot_igamma_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Regularised upper incomplete gamma function Q(x, y), x the order; NaN for negative
 * operands. It takes real floating types; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_igammac(x, y) cot_igammac_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Derivative of igamma with respect to its order x; its own derivative with respect to x
 * is a loop over a series. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_igamma_grad_a(x, y) cot_igamma_grad_a_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Derivative of y, a sample of the gamma distribution of shape x, with respect to x at
 * fixed igamma(x, y). It takes real floating types; the result has that type. Errors:
 * COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_random_gamma_grad(x, y) \
    cot_random_gamma_grad_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* y, a sample of the gamma distribution of shape x: its derivative with respect to x is
 * random_gamma_grad, with respect to y zero. It takes real floating types; the result has
 * that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_gamma_sample(x, y) cot_gamma_sample_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Inverse of erf; infinite at -1 and 1, NaN outside. It takes real floating types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_erf_inv(x) cot_erf_inv_(COT_HERE, x)
/* Scaled complementary error function e^(x^2) erfc(x), which neither vanishes nor
 * overflows for x > 0. It takes real floating types; the result has that type. Errors:
 * COT_ERR_DTYPE. */
#define cot_erfcx(x) cot_erfcx_(COT_HERE, x)
/* Distribution function of the standard normal distribution, accurate in its tail. It
 * takes real floating types; the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_ndtr(x) cot_ndtr_(COT_HERE, x)
/* Inverse of ndtr; infinite at 0 and 1, NaN outside. It takes real floating types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_ndtri(x) cot_ndtri_(COT_HERE, x)
/* Logarithm of ndtr, accurate also where ndtr underflows. It takes real floating types;
 * the result has that type. Errors: COT_ERR_DTYPE. */
#define cot_log_ndtr(x) cot_log_ndtr_(COT_HERE, x)
/* Modified Bessel function I of order 0, times e^-|x|. It takes real floating types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_bessel_i0e(x) cot_bessel_i0e_(COT_HERE, x)
/* Modified Bessel function I of order 1, times e^-|x|. It takes real floating types; the
 * result has that type. Errors: COT_ERR_DTYPE. */
#define cot_bessel_i1e(x) cot_bessel_i1e_(COT_HERE, x)
/* Bessel function J of order 0. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_bessel_j0(x) cot_bessel_j0_(COT_HERE, x)
/* Bessel function J of order 1. It takes real floating types; the result has that type.
 * Errors: COT_ERR_DTYPE. */
#define cot_bessel_j1(x) cot_bessel_j1_(COT_HERE, x)
/* Sqrt(x^2 + y^2) without overflow; inf if either is infinite; the derivative at (0, 0)
 * is 0. It takes real floating types; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_hypot(x, y) cot_hypot_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Log(e^x + e^y) without overflow. It takes real floating types; the result has that
 * type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_logaddexp(x, y) cot_logaddexp_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The number after x in the direction of y; y if they are equal; the derivative is that
 * of x. It takes real floating types; the result has that type. Errors: COT_ERR_DTYPE,
 * COT_ERR_SHAPE. */
#define cot_nextafter(x, y) cot_nextafter_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* Threefry 2x32 with 20 rounds: key x, counter y; the first word of each is its upper
 * half. It takes u64; the result has that type. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_threefry(x, y) cot_threefry_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The complex number of real part x and imaginary part y. It takes f32 and f64; the
 * result is c64 or c128. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE. */
#define cot_complex(x, y) cot_complex_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The real part. It takes c64 and c128; the result is f32 or f64. Errors: COT_ERR_DTYPE. */
#define cot_real(x) cot_real_(COT_HERE, x)
/* The imaginary part. It takes c64 and c128; the result is f32 or f64. Errors:
 * COT_ERR_DTYPE. */
#define cot_imag(x) cot_imag_(COT_HERE, x)
/* The complex conjugate: the imaginary part changes its sign. It takes c64 and c128; the
 * result has that type. Errors: COT_ERR_DTYPE. */
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
/* Deprecated, gone in the next version: write cot_clip(x, low, high), which takes the operands
 * in another order and is else the same. */
#define cot_clamp(low, x, high)                                                                \
    cot_clamp_(COT_HERE, COT_OPERAND(low), COT_OPERAND(x), COT_OPERAND(high))
/* x to the power y, a constant integer, of any number; integers wrap. x^0 is 1, also of NaN. y
 * < 0 is for floating and complex types (else COT_ERR_DTYPE). */
#define cot_integer_pow(x, y) cot_integer_pow_(COT_HERE, x, y)
/* x in another element type: to floats rounded to nearest even, to integers toward 0 and
 * saturating (NaN to 0), to bool where not 0. */
#define cot_convert(x, dtype) cot_convert_(COT_HERE, x, dtype)
/* The same bits as another element type of equal width: f32 as i32. Neither is bool or complex.
 * Errors: COT_ERR_DTYPE. */
#define cot_bitcast(x, dtype) cot_bitcast_(COT_HERE, x, dtype)
#endif

#ifdef __cplusplus
}
#endif
#endif
