/* Cotrace: special functions beyond the ops of trace.h (lgamma, digamma, zeta, erf_inv, ndtr,
 * bessel_j0, ...).
 *
 * Compositions of those ops: they map and differentiate as these do.  x, y are of floating
 * type; two operands broadcast and promote.  On f16 and bf16 a composition computes in f32 and
 * rounds once. */
#ifndef COTRACE_SPECIAL_H
#define COTRACE_SPECIAL_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COT_UNARY_(name) COT_API cot_value name(cot_place at, cot_value x);
#define COT_BINARY_(name) COT_API cot_value name(cot_place at, cot_operand x, cot_operand y);
COT_UNARY_(cot_entr_)
COT_UNARY_(cot_logit_)
COT_UNARY_(cot_sinc_)
COT_UNARY_(cot_bessel_i0_)
COT_UNARY_(cot_bessel_i1_)
COT_UNARY_(cot_bessel_k0_)
COT_UNARY_(cot_bessel_k1_)
COT_UNARY_(cot_bessel_y0_)
COT_UNARY_(cot_bessel_y1_)
COT_UNARY_(cot_expi_)
COT_BINARY_(cot_xlogy_)
COT_BINARY_(cot_xlog1py_)
COT_BINARY_(cot_logaddexp2_)
COT_BINARY_(cot_beta_)
COT_BINARY_(cot_ldexp_)
#undef COT_UNARY_
#undef COT_BINARY_
COT_API cot_value cot_betainc_(cot_place at, cot_operand a, cot_operand b, cot_operand x);
COT_API cot_value cot_hyp1f1_(cot_place at, cot_operand a, cot_operand b, cot_operand x);
COT_API cot_value cot_multigammaln_(cot_place at, cot_value x, int d);
COT_API cot_value cot_frexp_(cot_place at, cot_value x, cot_value *exponent);
COT_API cot_value cot_reduce_precision_(cot_place at, cot_value x, int exponent_bits,
                                        int mantissa_bits);

#ifndef __cplusplus
/* -x log x; 0 at 0, -inf below.  The derivative at 0 is the largest finite number. */
#define cot_entr(x) cot_entr_(COT_HERE, x)
/* log(x / (1 - x)), the inverse of the logistic function; -inf at 0, inf at 1, NaN outside. x
 * is floating (else COT_ERR_DTYPE). */
#define cot_logit(x) cot_logit_(COT_HERE, x)
/* sin(pi x) / (pi x), 1 at 0, as NumPy's sinc; smooth at 0 in all derivatives. 0 at infinities;
 * x is floating (else COT_ERR_DTYPE). */
#define cot_sinc(x) cot_sinc_(COT_HERE, x)
/* The modified Bessel function I of order 0, of x floating of any shape; even in x, infinite
 * where it overflows. */
#define cot_bessel_i0(x) cot_bessel_i0_(COT_HERE, x)
/* The modified Bessel function I of order 1, of x floating of any shape; odd in x, infinite
 * where it overflows. */
#define cot_bessel_i1(x) cot_bessel_i1_(COT_HERE, x)
/* The modified Bessel function K of order 0 for x > 0; infinite at 0, NaN below.  The error
 * on f64 is below 2 eps, of the derivative 3; all types compute in f64. */
#define cot_bessel_k0(x) cot_bessel_k0_(COT_HERE, x)
/* The modified Bessel function K of order 1 for x > 0, with the range, values at its ends and
 * error of cot_bessel_k0. */
#define cot_bessel_k1(x) cot_bessel_k1_(COT_HERE, x)
/* The Bessel function Y of order 0 for x > 0; -infinite at 0, NaN below.  The error on f64 is
 * below 4 eps of the larger of |Y| and sqrt(2 / (pi x)), of the derivative 6; all types
 * compute in f64. */
#define cot_bessel_y0(x) cot_bessel_y0_(COT_HERE, x)
/* The Bessel function Y of order 1 for x > 0, with the range, values at its ends and error of
 * cot_bessel_y0. */
#define cot_bessel_y1(x) cot_bessel_y1_(COT_HERE, x)
/* The exponential integral Ei(x), the principal value of the integral of e^t / t from -inf to
 * x; -inf at 0; E1(x) is -Ei(-x).  Errors on f64 are below 3 eps, between 0 and 1, where it has
 * a zero, below 3 eps of 1.  The derivative is e^x / x.  All types compute in f64. */
#define cot_expi(x) cot_expi_(COT_HERE, x)
/* x log y; 0 where x is 0 and y is 0, negative or infinite, with derivatives 0 there; NaN where
 * y is. */
#define cot_xlogy(x, y) cot_xlogy_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* x log(1 + y), accurate for small y; 0 where x is 0 and 1 + y is 0, negative or infinite, with
 * derivatives 0 there; NaN where y is. */
#define cot_xlog1py(x, y) cot_xlog1py_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* log2(2^x + 2^y) without overflow, of real floating x and y, which broadcast; -inf where both
 * are, inf where one is. */
#define cot_logaddexp2(x, y) cot_logaddexp2_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The beta function Gamma(x) Gamma(y) / Gamma(x + y) for x, y > 0, by its logarithm: its
 * relative error grows with that. */
#define cot_beta(x, y) cot_beta_(COT_HERE, COT_OPERAND(x), COT_OPERAND(y))
/* The regularised incomplete beta function I_x(a, b), a, b >= 0, 0 <= x <= 1 (else NaN); a and
 * b have no derivative (COT_ERR_RULE), as in JAX. */
#define cot_betainc(a, b, x)                                                                   \
    cot_betainc_(COT_HERE, COT_OPERAND(a), COT_OPERAND(b), COT_OPERAND(x))
/* Kummer's function M(a, b, x) = 1F1(a; b; x), the confluent hypergeometric function, of
 * operands that broadcast; infinite where b is 0, -1, ..., NaN where 2,000 terms of its series
 * are not enough.  All types compute in f64: with 0 <= a, b <= 10 and |x| <= 600 the error is
 * below 50 eps where x >= 0 or b >= a, elsewhere, where terms cancel, below 1e-10 of the result
 * if this is no zero.  The derivatives by a, b and x, of any order, are those of the sums, and
 * as accurate for x >= 0, else within 1e-10.  Source: Pearson, Olver and Porter, 2017. */
#define cot_hyp1f1(a, b, x)                                                                    \
    cot_hyp1f1_(COT_HERE, COT_OPERAND(a), COT_OPERAND(b), COT_OPERAND(x))
/* x 2^n, rounded once, also where 2^n alone leaves the range; x floating, n of an integer type
 * or an integer (else COT_ERR_DTYPE), which broadcast. The derivative in x is 2^n. */
#define cot_ldexp(x, n) cot_ldexp_(COT_HERE, COT_OPERAND(x), COT_OPERAND(n))
/* The logarithm of the multivariate gamma function Gamma_d(x) for x > (d - 1) / 2, the sum of
 * lgamma(x - i / 2) for i < d and d (d - 1) / 4 log pi; infinite at (d - 1) / 2. Errors:
 * COT_ERR_ARG where d is below 1, COT_ERR_DTYPE. */
#define cot_multigammaln(x, d) cot_multigammaln_(COT_HERE, x, d)
/* The fraction m of x = m 2^n, 1/2 <= |m| < 1, and n (i32) in *exponent unless NULL; for zeros,
 * infinities and NaN m is x and n is 0.  The derivative of m is 2^-n. */
#define cot_frexp(x, exponent) cot_frexp_(COT_HERE, x, exponent)
/* x rounded to a format of so many bits of exponent (1 ... 63) and mantissa (0 ... 63, the
 * leading one not counted), nearest even; too large is infinite, below its normal numbers is 0.
 * The derivative is 1. */
#define cot_reduce_precision(x, exponent_bits, mantissa_bits) \
    cot_reduce_precision_(COT_HERE, x, exponent_bits, mantissa_bits)
#endif

#ifdef __cplusplus
}
#endif
#endif
