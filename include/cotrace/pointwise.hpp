/* Cotrace for C++17: pointwise ops and operators.
 *
 * Part of cotrace/cotrace.hpp, which includes it.  What stands between the marks is written by
 * cot-gen from ir/ops.def. */
#ifndef COTRACE_POINTWISE_HPP
#define COTRACE_POINTWISE_HPP
#ifndef COTRACE_COTRACE_HPP
#error "include cotrace/cotrace.hpp"
#endif

namespace cot {

/* begin generated */
inline value neg(cot_value x, COT_PLACE_) { return cot_neg_(COT_AT_, x); }
inline value abs(cot_value x, COT_PLACE_) { return cot_abs_(COT_AT_, x); }
inline value sign(cot_value x, COT_PLACE_) { return cot_sign_(COT_AT_, x); }
inline value exp(cot_value x, COT_PLACE_) { return cot_exp_(COT_AT_, x); }
inline value exp2(cot_value x, COT_PLACE_) { return cot_exp2_(COT_AT_, x); }
inline value expm1(cot_value x, COT_PLACE_) { return cot_expm1_(COT_AT_, x); }
inline value log(cot_value x, COT_PLACE_) { return cot_log_(COT_AT_, x); }
inline value log2(cot_value x, COT_PLACE_) { return cot_log2_(COT_AT_, x); }
inline value log1p(cot_value x, COT_PLACE_) { return cot_log1p_(COT_AT_, x); }
inline value sqrt(cot_value x, COT_PLACE_) { return cot_sqrt_(COT_AT_, x); }
inline value rsqrt(cot_value x, COT_PLACE_) { return cot_rsqrt_(COT_AT_, x); }
inline value cbrt(cot_value x, COT_PLACE_) { return cot_cbrt_(COT_AT_, x); }
inline value sin(cot_value x, COT_PLACE_) { return cot_sin_(COT_AT_, x); }
inline value cos(cot_value x, COT_PLACE_) { return cot_cos_(COT_AT_, x); }
inline value tan(cot_value x, COT_PLACE_) { return cot_tan_(COT_AT_, x); }
inline value asin(cot_value x, COT_PLACE_) { return cot_asin_(COT_AT_, x); }
inline value acos(cot_value x, COT_PLACE_) { return cot_acos_(COT_AT_, x); }
inline value atan(cot_value x, COT_PLACE_) { return cot_atan_(COT_AT_, x); }
inline value sinh(cot_value x, COT_PLACE_) { return cot_sinh_(COT_AT_, x); }
inline value cosh(cot_value x, COT_PLACE_) { return cot_cosh_(COT_AT_, x); }
inline value tanh(cot_value x, COT_PLACE_) { return cot_tanh_(COT_AT_, x); }
inline value asinh(cot_value x, COT_PLACE_) { return cot_asinh_(COT_AT_, x); }
inline value acosh(cot_value x, COT_PLACE_) { return cot_acosh_(COT_AT_, x); }
inline value atanh(cot_value x, COT_PLACE_) { return cot_atanh_(COT_AT_, x); }
inline value logistic(cot_value x, COT_PLACE_) { return cot_logistic_(COT_AT_, x); }
inline value erf(cot_value x, COT_PLACE_) { return cot_erf_(COT_AT_, x); }
inline value erfc(cot_value x, COT_PLACE_) { return cot_erfc_(COT_AT_, x); }
inline value floor(cot_value x, COT_PLACE_) { return cot_floor_(COT_AT_, x); }
inline value ceil(cot_value x, COT_PLACE_) { return cot_ceil_(COT_AT_, x); }
inline value trunc(cot_value x, COT_PLACE_) { return cot_trunc_(COT_AT_, x); }
inline value round(cot_value x, COT_PLACE_) { return cot_round_(COT_AT_, x); }
inline value round_even(cot_value x, COT_PLACE_) { return cot_round_even_(COT_AT_, x); }
inline value is_finite(cot_value x, COT_PLACE_) { return cot_is_finite_(COT_AT_, x); }
inline value not_(cot_value x, COT_PLACE_) { return cot_not_(COT_AT_, x); }
inline value popcnt(cot_value x, COT_PLACE_) { return cot_popcnt_(COT_AT_, x); }
inline value clz(cot_value x, COT_PLACE_) { return cot_clz_(COT_AT_, x); }
inline value stop_gradient(cot_value x, COT_PLACE_) { return cot_stop_gradient_(COT_AT_, x); }
inline value barrier(cot_value x, COT_PLACE_) { return cot_barrier_(COT_AT_, x); }
inline value add(operand x, operand y) { return cot_add_(x.at, x.x, y.x); }
inline value sub(operand x, operand y) { return cot_sub_(x.at, x.x, y.x); }
inline value mul(operand x, operand y) { return cot_mul_(x.at, x.x, y.x); }
inline value div(operand x, operand y) { return cot_div_(x.at, x.x, y.x); }
inline value rem(operand x, operand y) { return cot_rem_(x.at, x.x, y.x); }
inline value pow(operand x, operand y) { return cot_pow_(x.at, x.x, y.x); }
inline value atan2(operand x, operand y) { return cot_atan2_(x.at, x.x, y.x); }
inline value max(operand x, operand y) { return cot_max_(x.at, x.x, y.x); }
inline value min(operand x, operand y) { return cot_min_(x.at, x.x, y.x); }
inline value and_(operand x, operand y) { return cot_and_(x.at, x.x, y.x); }
inline value or_(operand x, operand y) { return cot_or_(x.at, x.x, y.x); }
inline value xor_(operand x, operand y) { return cot_xor_(x.at, x.x, y.x); }
inline value shl(operand x, operand y) { return cot_shl_(x.at, x.x, y.x); }
inline value shr_logical(operand x, operand y) { return cot_shr_logical_(x.at, x.x, y.x); }
inline value shr_arithmetic(operand x, operand y)
{ return cot_shr_arithmetic_(x.at, x.x, y.x); }
inline value eq(operand x, operand y) { return cot_eq_(x.at, x.x, y.x); }
inline value ne(operand x, operand y) { return cot_ne_(x.at, x.x, y.x); }
inline value lt(operand x, operand y) { return cot_lt_(x.at, x.x, y.x); }
inline value le(operand x, operand y) { return cot_le_(x.at, x.x, y.x); }
inline value gt(operand x, operand y) { return cot_gt_(x.at, x.x, y.x); }
inline value ge(operand x, operand y) { return cot_ge_(x.at, x.x, y.x); }
inline value fma(operand x, operand y, operand z) { return cot_fma_(x.at, x.x, y.x, z.x); }
inline value select(operand x, operand y, operand z)
{ return cot_select_(x.at, x.x, y.x, z.x); }
inline value lgamma(cot_value x, COT_PLACE_) { return cot_lgamma_(COT_AT_, x); }
inline value digamma(cot_value x, COT_PLACE_) { return cot_digamma_(COT_AT_, x); }
inline value polygamma(operand x, operand y) { return cot_polygamma_(x.at, x.x, y.x); }
inline value zeta(operand x, operand y) { return cot_zeta_(x.at, x.x, y.x); }
inline value lbeta(operand x, operand y) { return cot_lbeta_(x.at, x.x, y.x); }
inline value igamma(operand x, operand y) { return cot_igamma_(x.at, x.x, y.x); }
inline value igammac(operand x, operand y) { return cot_igammac_(x.at, x.x, y.x); }
inline value igamma_grad_a(operand x, operand y) { return cot_igamma_grad_a_(x.at, x.x, y.x); }
inline value random_gamma_grad(operand x, operand y)
{ return cot_random_gamma_grad_(x.at, x.x, y.x); }
inline value gamma_sample(operand x, operand y) { return cot_gamma_sample_(x.at, x.x, y.x); }
inline value erf_inv(cot_value x, COT_PLACE_) { return cot_erf_inv_(COT_AT_, x); }
inline value erfcx(cot_value x, COT_PLACE_) { return cot_erfcx_(COT_AT_, x); }
inline value ndtr(cot_value x, COT_PLACE_) { return cot_ndtr_(COT_AT_, x); }
inline value ndtri(cot_value x, COT_PLACE_) { return cot_ndtri_(COT_AT_, x); }
inline value log_ndtr(cot_value x, COT_PLACE_) { return cot_log_ndtr_(COT_AT_, x); }
inline value bessel_i0e(cot_value x, COT_PLACE_) { return cot_bessel_i0e_(COT_AT_, x); }
inline value bessel_i1e(cot_value x, COT_PLACE_) { return cot_bessel_i1e_(COT_AT_, x); }
inline value bessel_j0(cot_value x, COT_PLACE_) { return cot_bessel_j0_(COT_AT_, x); }
inline value bessel_j1(cot_value x, COT_PLACE_) { return cot_bessel_j1_(COT_AT_, x); }
inline value hypot(operand x, operand y) { return cot_hypot_(x.at, x.x, y.x); }
inline value logaddexp(operand x, operand y) { return cot_logaddexp_(x.at, x.x, y.x); }
inline value nextafter(operand x, operand y) { return cot_nextafter_(x.at, x.x, y.x); }
inline value threefry(operand x, operand y) { return cot_threefry_(x.at, x.x, y.x); }
inline value complex(operand x, operand y) { return cot_complex_(x.at, x.x, y.x); }
inline value real(cot_value x, COT_PLACE_) { return cot_real_(COT_AT_, x); }
inline value imag(cot_value x, COT_PLACE_) { return cot_imag_(COT_AT_, x); }
inline value conj(cot_value x, COT_PLACE_) { return cot_conj_(COT_AT_, x); }
/* end generated */

/* min(max(x, low), high). */
inline value clip(operand x, operand low, operand high)
{ return cot_clip_(x.at, x.x, low.x, high.x); }
[[deprecated("use cot::clip(x, low, high)")]] inline value
clamp(operand low, operand x, operand high)
{
    return cot_clip_(low.at, x.x, low.x, high.x);
}

inline value operator+(operand x, operand y) { return cot_add_(x.at, x.x, y.x); }
inline value operator-(operand x, operand y) { return cot_sub_(x.at, x.x, y.x); }
inline value operator*(operand x, operand y) { return cot_mul_(x.at, x.x, y.x); }
inline value operator/(operand x, operand y) { return cot_div_(x.at, x.x, y.x); }
inline value operator<(operand x, operand y) { return cot_lt_(x.at, x.x, y.x); }
inline value operator<=(operand x, operand y) { return cot_le_(x.at, x.x, y.x); }
inline value operator>(operand x, operand y) { return cot_gt_(x.at, x.x, y.x); }
inline value operator>=(operand x, operand y) { return cot_ge_(x.at, x.x, y.x); }
inline value operator-(operand x) { return cot_neg_(x.at, x.x.value); }

}   /* namespace cot */

/* A body reads `in`, whose elements are cot_value: operators are found by argument-dependent
 * lookup, which for a struct of C looks here. */
using cot::operator+;
using cot::operator-;
using cot::operator*;
using cot::operator/;
using cot::operator<;
using cot::operator<=;
using cot::operator>;
using cot::operator>=;

#endif
