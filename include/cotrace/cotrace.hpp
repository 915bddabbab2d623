/* Cotrace for C++17: operators and overloads over the plain functions of the C headers.
 *
 *     out[0] = cot::mean(cot::square(cot::dot(in[1], in[0]) - in[2]));
 *     cot_fn *df = cot::grad(cot::fn(ctx, "loss", loss, 3, 1), {0});
 *
 * Nothing here is compiled into the library.  Values are cot::value, which is a cot_value;
 * numbers mix in as in C.  Places come from the compiler's built-in file and line of the
 * caller. */
#ifndef COTRACE_COTRACE_HPP
#define COTRACE_COTRACE_HPP

#if (defined(_MSVC_LANG) ? _MSVC_LANG : __cplusplus) < 201703L
#error "cotrace/cotrace.hpp wants C++17: compile with -std=c++17 or later"
#else

#include <initializer_list>
#include <type_traits>

#include "cotrace/cotrace.h"

#define COT_PLACE_ const char *file = __builtin_FILE(), int line = __builtin_LINE()

namespace cot {

constexpr int64_t none = COT_NONE;

struct value : cot_value {
    value() : cot_value{nullptr, 0, 0} {}
    value(cot_value v) : cot_value(v) {}
    explicit operator bool() const = delete;        /* what a value holds is not known while tracing */
};

/* A value or a number, and where it was written. */
struct operand {
    cot_operand x;
    cot_place at;

    operand(cot_value v, COT_PLACE_) : x(cot_operand_value(v)), at{file, line} {}
    template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
    operand(T n, COT_PLACE_) : x(number(n)), at{file, line} {}

private:
    template <class T>
    static cot_operand
    number(T n)
    {
        if constexpr (std::is_floating_point_v<T>)
            return cot_operand_real(static_cast<double>(n));
        else if constexpr (std::is_unsigned_v<T>)
            return cot_operand_uint(n);
        else
            return cot_operand_int(n);
    }
};

/* Arguments or axes by name, for one call: cot::names("layer.0, scale"), cot::names("x: 0,
 * layer: none"). */
struct names {
    const char *text;

    explicit names(const char *text_) : text(text_) {}
};

/* A list of axes or argument numbers: {0, 2}; {} stands for the default. */
struct list {
    cot_list x;

    list(const names &n) : x()
    {
        x.n = 1, x.one = COT_BY_NAME, x.names = n.text;
    }
    list(std::initializer_list<int64_t> at) : list(at.begin(), at.end()) {}
    list(const int64_t *begin, const int64_t *end) : x()
    {
        x.n = static_cast<int>(end - begin);
        x.held[0] = x.n > 0 && x.n <= COT_HELD_INTS;
        for (int i = 0; i < x.n && x.held[0]; i++)
            x.held[1 + i] = begin[i];
        x.at = x.n > 0 ? begin : nullptr;
    }
    list(cot_list at) : x(at) {}
};

struct values {
    cot_values x;

    values(std::initializer_list<cot_value> at) : x(cot_values_of(static_cast<int>(at.size()), at.begin())) {}
    values(cot_values at) : x(at) {}
};

/* A struct of values as a body reads it, and its fields as a list. */
template <class T>
const T *
as(const cot_value *in)
{
    return reinterpret_cast<const T *>(in);
}
template <class T>
values
fields(const T &x)
{
    return cot_values_of(static_cast<int>(sizeof x / sizeof(cot_value)),
                         reinterpret_cast<const cot_value *>(&x));
}

/* ---- types: cot::type(COT_F32, {2, 3}) ---- */

inline cot_type
type(cot_dtype t, std::initializer_list<int64_t> dims = {})
{
    return cot_type_new(t, static_cast<int>(dims.size()), dims.begin());
}

struct types {
    cot_types x;

    types(std::initializer_list<cot_type> at) : x(cot_types_of(static_cast<int>(at.size()), at.begin())) {}
};

/* ---- pointwise ops (written by cot-gen from ir/ops.def) ---- */
/* begin generated */
inline value neg(cot_value x, COT_PLACE_) { return cot_neg_(cot_place{file, line}, x); }
inline value abs(cot_value x, COT_PLACE_) { return cot_abs_(cot_place{file, line}, x); }
inline value sign(cot_value x, COT_PLACE_) { return cot_sign_(cot_place{file, line}, x); }
inline value exp(cot_value x, COT_PLACE_) { return cot_exp_(cot_place{file, line}, x); }
inline value exp2(cot_value x, COT_PLACE_) { return cot_exp2_(cot_place{file, line}, x); }
inline value expm1(cot_value x, COT_PLACE_) { return cot_expm1_(cot_place{file, line}, x); }
inline value log(cot_value x, COT_PLACE_) { return cot_log_(cot_place{file, line}, x); }
inline value log2(cot_value x, COT_PLACE_) { return cot_log2_(cot_place{file, line}, x); }
inline value log1p(cot_value x, COT_PLACE_) { return cot_log1p_(cot_place{file, line}, x); }
inline value sqrt(cot_value x, COT_PLACE_) { return cot_sqrt_(cot_place{file, line}, x); }
inline value rsqrt(cot_value x, COT_PLACE_) { return cot_rsqrt_(cot_place{file, line}, x); }
inline value cbrt(cot_value x, COT_PLACE_) { return cot_cbrt_(cot_place{file, line}, x); }
inline value sin(cot_value x, COT_PLACE_) { return cot_sin_(cot_place{file, line}, x); }
inline value cos(cot_value x, COT_PLACE_) { return cot_cos_(cot_place{file, line}, x); }
inline value tan(cot_value x, COT_PLACE_) { return cot_tan_(cot_place{file, line}, x); }
inline value asin(cot_value x, COT_PLACE_) { return cot_asin_(cot_place{file, line}, x); }
inline value acos(cot_value x, COT_PLACE_) { return cot_acos_(cot_place{file, line}, x); }
inline value atan(cot_value x, COT_PLACE_) { return cot_atan_(cot_place{file, line}, x); }
inline value sinh(cot_value x, COT_PLACE_) { return cot_sinh_(cot_place{file, line}, x); }
inline value cosh(cot_value x, COT_PLACE_) { return cot_cosh_(cot_place{file, line}, x); }
inline value tanh(cot_value x, COT_PLACE_) { return cot_tanh_(cot_place{file, line}, x); }
inline value asinh(cot_value x, COT_PLACE_) { return cot_asinh_(cot_place{file, line}, x); }
inline value acosh(cot_value x, COT_PLACE_) { return cot_acosh_(cot_place{file, line}, x); }
inline value atanh(cot_value x, COT_PLACE_) { return cot_atanh_(cot_place{file, line}, x); }
inline value logistic(cot_value x, COT_PLACE_) { return cot_logistic_(cot_place{file, line}, x); }
inline value erf(cot_value x, COT_PLACE_) { return cot_erf_(cot_place{file, line}, x); }
inline value erfc(cot_value x, COT_PLACE_) { return cot_erfc_(cot_place{file, line}, x); }
inline value floor(cot_value x, COT_PLACE_) { return cot_floor_(cot_place{file, line}, x); }
inline value ceil(cot_value x, COT_PLACE_) { return cot_ceil_(cot_place{file, line}, x); }
inline value trunc(cot_value x, COT_PLACE_) { return cot_trunc_(cot_place{file, line}, x); }
inline value round(cot_value x, COT_PLACE_) { return cot_round_(cot_place{file, line}, x); }
inline value round_even(cot_value x, COT_PLACE_) { return cot_round_even_(cot_place{file, line}, x); }
inline value is_finite(cot_value x, COT_PLACE_) { return cot_is_finite_(cot_place{file, line}, x); }
inline value not_(cot_value x, COT_PLACE_) { return cot_not_(cot_place{file, line}, x); }
inline value popcnt(cot_value x, COT_PLACE_) { return cot_popcnt_(cot_place{file, line}, x); }
inline value clz(cot_value x, COT_PLACE_) { return cot_clz_(cot_place{file, line}, x); }
inline value stop_gradient(cot_value x, COT_PLACE_) { return cot_stop_gradient_(cot_place{file, line}, x); }
inline value barrier(cot_value x, COT_PLACE_) { return cot_barrier_(cot_place{file, line}, x); }
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
inline value shr_arithmetic(operand x, operand y) { return cot_shr_arithmetic_(x.at, x.x, y.x); }
inline value eq(operand x, operand y) { return cot_eq_(x.at, x.x, y.x); }
inline value ne(operand x, operand y) { return cot_ne_(x.at, x.x, y.x); }
inline value lt(operand x, operand y) { return cot_lt_(x.at, x.x, y.x); }
inline value le(operand x, operand y) { return cot_le_(x.at, x.x, y.x); }
inline value gt(operand x, operand y) { return cot_gt_(x.at, x.x, y.x); }
inline value ge(operand x, operand y) { return cot_ge_(x.at, x.x, y.x); }
inline value fma(operand x, operand y, operand z) { return cot_fma_(x.at, x.x, y.x, z.x); }
inline value select(operand x, operand y, operand z) { return cot_select_(x.at, x.x, y.x, z.x); }
inline value lgamma(cot_value x, COT_PLACE_) { return cot_lgamma_(cot_place{file, line}, x); }
inline value digamma(cot_value x, COT_PLACE_) { return cot_digamma_(cot_place{file, line}, x); }
inline value polygamma(operand x, operand y) { return cot_polygamma_(x.at, x.x, y.x); }
inline value zeta(operand x, operand y) { return cot_zeta_(x.at, x.x, y.x); }
inline value lbeta(operand x, operand y) { return cot_lbeta_(x.at, x.x, y.x); }
inline value igamma(operand x, operand y) { return cot_igamma_(x.at, x.x, y.x); }
inline value igammac(operand x, operand y) { return cot_igammac_(x.at, x.x, y.x); }
inline value igamma_grad_a(operand x, operand y) { return cot_igamma_grad_a_(x.at, x.x, y.x); }
inline value random_gamma_grad(operand x, operand y) { return cot_random_gamma_grad_(x.at, x.x, y.x); }
inline value gamma_sample(operand x, operand y) { return cot_gamma_sample_(x.at, x.x, y.x); }
inline value erf_inv(cot_value x, COT_PLACE_) { return cot_erf_inv_(cot_place{file, line}, x); }
inline value erfcx(cot_value x, COT_PLACE_) { return cot_erfcx_(cot_place{file, line}, x); }
inline value ndtr(cot_value x, COT_PLACE_) { return cot_ndtr_(cot_place{file, line}, x); }
inline value ndtri(cot_value x, COT_PLACE_) { return cot_ndtri_(cot_place{file, line}, x); }
inline value log_ndtr(cot_value x, COT_PLACE_) { return cot_log_ndtr_(cot_place{file, line}, x); }
inline value bessel_i0e(cot_value x, COT_PLACE_) { return cot_bessel_i0e_(cot_place{file, line}, x); }
inline value bessel_i1e(cot_value x, COT_PLACE_) { return cot_bessel_i1e_(cot_place{file, line}, x); }
inline value bessel_j0(cot_value x, COT_PLACE_) { return cot_bessel_j0_(cot_place{file, line}, x); }
inline value bessel_j1(cot_value x, COT_PLACE_) { return cot_bessel_j1_(cot_place{file, line}, x); }
inline value hypot(operand x, operand y) { return cot_hypot_(x.at, x.x, y.x); }
inline value logaddexp(operand x, operand y) { return cot_logaddexp_(x.at, x.x, y.x); }
inline value nextafter(operand x, operand y) { return cot_nextafter_(x.at, x.x, y.x); }
inline value threefry(operand x, operand y) { return cot_threefry_(x.at, x.x, y.x); }
inline value complex(operand x, operand y) { return cot_complex_(x.at, x.x, y.x); }
inline value real(cot_value x, COT_PLACE_) { return cot_real_(cot_place{file, line}, x); }
inline value imag(cot_value x, COT_PLACE_) { return cot_imag_(cot_place{file, line}, x); }
inline value conj(cot_value x, COT_PLACE_) { return cot_conj_(cot_place{file, line}, x); }
/* end generated */

/* min(max(x, low), high). */
inline value clip(operand x, operand low, operand high) { return cot_clip_(x.at, x.x, low.x, high.x); }
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

/* ---- reductions, layers: axes {} is each one's default ---- */

#define COT_REDUCTION_(name)                                                             \
    inline value name(cot_value x, list axes = {}, bool keepdims = false, COT_PLACE_)    \
    {                                                                                    \
        const cot_reduce_options o = {0, axes.x, keepdims, 0};                           \
        return cot_##name##_(cot_place{file, line}, x, &o, sizeof o);                    \
    }
COT_REDUCTION_(reduce_sum)
COT_REDUCTION_(reduce_prod)
COT_REDUCTION_(reduce_max)
COT_REDUCTION_(reduce_min)
COT_REDUCTION_(mean)
COT_REDUCTION_(var)
COT_REDUCTION_(norm)
COT_REDUCTION_(logsumexp)
COT_REDUCTION_(softmax)
COT_REDUCTION_(log_softmax)
COT_REDUCTION_(softmin)
COT_REDUCTION_(reduce_and)
COT_REDUCTION_(reduce_or)
#undef COT_REDUCTION_

#define COT_UNARY_(name) \
    inline value name(cot_value x, COT_PLACE_) { return cot_##name##_(cot_place{file, line}, x); }
COT_UNARY_(relu)
COT_UNARY_(silu)
COT_UNARY_(sigmoid)
COT_UNARY_(softplus)
COT_UNARY_(square)
COT_UNARY_(angle)
COT_UNARY_(entr)
COT_UNARY_(logit)
COT_UNARY_(sinc)
COT_UNARY_(bessel_i0)
COT_UNARY_(bessel_i1)
COT_UNARY_(bessel_k0)
COT_UNARY_(bessel_k1)
COT_UNARY_(bessel_y0)
COT_UNARY_(bessel_y1)
COT_UNARY_(expi)
#undef COT_UNARY_

/* Fourier transforms: axes {} is each one's default, sizes {} those of x. */
#define COT_FOURIER_(name)                                                                             \
    inline value name(cot_value x, list axes = {}, list sizes = {}, cot_fft_norm norm = COT_FFT_BACKWARD, \
                      COT_PLACE_)                                                                      \
    {                                                                                                  \
        const cot_fft_options o = {0, axes.x, sizes.x, norm};                                          \
        return cot_##name##_(cot_place{file, line}, x, &o, sizeof o);                                  \
    }
COT_FOURIER_(fft)
COT_FOURIER_(ifft)
COT_FOURIER_(rfft)
COT_FOURIER_(irfft)
COT_FOURIER_(fftn)
COT_FOURIER_(ifftn)
COT_FOURIER_(rfftn)
COT_FOURIER_(irfftn)
COT_FOURIER_(fftshift)
COT_FOURIER_(ifftshift)
#undef COT_FOURIER_

#define COT_BINARY_(name) \
    inline value name(operand x, operand y) { return cot_##name##_(x.at, x.x, y.x); }
COT_BINARY_(xlogy)
COT_BINARY_(xlog1py)
COT_BINARY_(logaddexp2)
COT_BINARY_(beta)
COT_BINARY_(ldexp)
#undef COT_BINARY_
inline value betainc(operand a, operand b, operand x) { return cot_betainc_(a.at, a.x, b.x, x.x); }
inline value multigammaln(cot_value x, int d, COT_PLACE_) { return cot_multigammaln_(cot_place{file, line}, x, d); }
inline value frexp(cot_value x, cot_value *exponent, COT_PLACE_)
{
    return cot_frexp_(cot_place{file, line}, x, exponent);
}
inline value reduce_precision(cot_value x, int exponent_bits, int mantissa_bits, COT_PLACE_)
{
    return cot_reduce_precision_(cot_place{file, line}, x, exponent_bits, mantissa_bits);
}

#define COT_BINARY_(name)                                               \
    inline value name(cot_value x, cot_value y, COT_PLACE_)             \
    {                                                                   \
        return cot_##name##_(cot_place{file, line}, x, y);              \
    }
COT_BINARY_(dot)
COT_BINARY_(matmul)
COT_BINARY_(mse)
COT_BINARY_(cross_entropy)
#undef COT_BINARY_

/* ---- writes and views (mutate.h): x += y writes to what x stands for, for every handle and
 * view of it ---- */

inline value assign(cot_value dst, operand y, COT_PLACE_) { return cot_assign_(cot_place{file, line}, dst, y.x); }
#define COT_ASSIGN_(name) \
    inline value name(cot_value dst, operand y, COT_PLACE_) { return cot_##name##_(cot_place{file, line}, dst, y.x); }
COT_ASSIGN_(add_assign)
COT_ASSIGN_(sub_assign)
COT_ASSIGN_(mul_assign)
COT_ASSIGN_(div_assign)
COT_ASSIGN_(max_assign)
COT_ASSIGN_(min_assign)
#undef COT_ASSIGN_
inline const value &operator+=(const value &x, operand y) { return cot_add_assign_(y.at, x, y.x), x; }
inline const value &operator-=(const value &x, operand y) { return cot_sub_assign_(y.at, x, y.x), x; }
inline const value &operator*=(const value &x, operand y) { return cot_mul_assign_(y.at, x, y.x), x; }
inline const value &operator/=(const value &x, operand y) { return cot_div_assign_(y.at, x, y.x), x; }
inline value clone(cot_value x, COT_PLACE_) { return cot_clone_(cot_place{file, line}, x); }

inline value
view_slice(cot_value x, list start, list limit = {}, list stride = {}, COT_PLACE_)
{
    cot_move_options o = {};
    o.start = start.x, o.limit = limit.x, o.stride = stride.x;
    return cot_view_slice_(cot_place{file, line}, x, &o, sizeof o);
}
inline value
view_transpose(cot_value x, list perm = {}, COT_PLACE_)
{
    cot_move_options o = {};
    o.perm = perm.x;
    return cot_view_transpose_(cot_place{file, line}, x, &o, sizeof o);
}
inline value
view_reverse(cot_value x, list axes = {}, COT_PLACE_)
{
    cot_move_options o = {};
    o.axes = axes.x;
    return cot_view_reverse_(cot_place{file, line}, x, &o, sizeof o);
}
#define COT_VIEW_(name)                                                                       \
    inline value name(cot_value x, std::initializer_list<int64_t> shape, COT_PLACE_)          \
    {                                                                                         \
        return cot_##name##_(cot_place{file, line}, x,                                        \
                             list(shape).x);                                                      \
    }
COT_VIEW_(view_reshape)
COT_VIEW_(view_broadcast)
#undef COT_VIEW_
inline value
view_dynamic_slice(cot_value x, values starts, list sizes, COT_PLACE_)
{
    return cot_view_dynamic_slice_(cot_place{file, line}, x, starts.x, sizes.x);
}
inline value view_at(cot_value x, int64_t i, int axis, COT_PLACE_) { return cot_view_at_(cot_place{file, line}, x, i, axis); }
[[deprecated("use cot::view_at(x, i, axis)")]] inline value
view_index(cot_value x, int axis, int64_t i, COT_PLACE_)
{
    return cot_view_at_(cot_place{file, line}, x, i, axis);
}
inline value view_diagonal(cot_value x, int64_t offset, COT_PLACE_) { return cot_view_diagonal_(cot_place{file, line}, x, offset); }

inline value where(cot_value p, operand x, operand y) { return cot_where_(x.at, p, x.x, y.x); }
inline value
reshape(cot_value x, std::initializer_list<int64_t> shape, COT_PLACE_)
{
    return cot_reshape_(cot_place{ file, line }, x,
                        list(shape).x);
}
inline value
einsum(const char *spec, values xs, COT_PLACE_)
{
    return cot_einsum_(cot_place{file, line}, spec, xs.x);
}
inline value
linear(cot_value x, cot_value weight, cot_value bias = value(), COT_PLACE_)
{
    return cot_linear_(cot_place{file, line}, x, weight, bias);
}
inline value
layer_norm(cot_value x, const cot_norm_options &o = {}, COT_PLACE_)
{
    return cot_layer_norm_(cot_place{file, line}, x, &o, sizeof o);
}
inline value
batch_norm(cot_value x, cot_value *stats, const cot_batch_norm_options &o, COT_PLACE_)
{
    return cot_batch_norm_(cot_place{file, line}, x, stats, &o, sizeof o);
}
inline value stack(values xs, int axis, COT_PLACE_) { return cot_stack_(cot_place{file, line}, xs.x, axis); }
inline value full(cot_trace *t, cot_type y, operand x) { return cot_full_(x.at, t, y, x.x); }
inline value index(cot_value x, int64_t i, int axis, COT_PLACE_) { return cot_index_(cot_place{file, line}, x, i, axis); }

/* Indices: cot::index(x, {0, cot::span(1, cot::none, 2), i}), cot::index_set(x, {i}, y). */
struct at : cot_at {
    at(cot_at a) : cot_at(a) {}
    at(cot_value v) : cot_at(cot_at_value(v)) {}
    at(cot::value v) : cot_at(cot_at_value(v)) {}
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    at(T i) : cot_at(cot_at_int(static_cast<int64_t>(i))) {}
};
inline cot_at span(int64_t start, int64_t stop = none, int64_t step = 1) { return cot_at_span(start, stop, step); }
inline cot_at whole() { return cot_at_span(none, none, 1); }
inline cot_at newaxis() { return cot_at_newaxis(); }
inline cot_at ellipsis() { return cot_at_ellipsis(); }
inline cot_at mask(cot_value m, int64_t bound) { return cot_at_mask(m, bound); }
inline cot_ats ats(std::initializer_list<at> i) { return cot_ats_of(static_cast<int>(i.size()), i.begin()); }
inline value
index(cot_value x, std::initializer_list<at> i, const cot_at_options &o = {}, COT_PLACE_)
{
    return cot_index_at_(cot_place{file, line}, x, ats(i), &o, sizeof o);
}
#define COT_UPDATE_(name, kind)                                                                    \
    inline value name(cot_value x, std::initializer_list<at> i, operand y, const cot_at_options &o = {}) \
    {                                                                                              \
        return cot_index_update_(y.at, kind, x, ats(i), y.x, &o, sizeof o);                        \
    }
COT_UPDATE_(index_set, COT_UPDATE_SET)
COT_UPDATE_(index_add, COT_UPDATE_ADD)
COT_UPDATE_(index_mul, COT_UPDATE_MUL)
COT_UPDATE_(index_min, COT_UPDATE_MIN)
COT_UPDATE_(index_max, COT_UPDATE_MAX)
#undef COT_UPDATE_
inline value take_along(cot_value x, cot_value i, int axis, COT_PLACE_) { return cot_take_along_(cot_place{file, line}, x, i, axis); }
inline value put_along(cot_value x, cot_value i, operand y, int axis) { return cot_put_along_(y.at, COT_UPDATE_SET, x, i, y.x, axis); }
inline value segment_sum(cot_value x, cot_value ids, int64_t n, COT_PLACE_) { return cot_segment_(cot_place{file, line}, COT_UPDATE_ADD, x, ids, n); }
inline value segment_prod(cot_value x, cot_value ids, int64_t n, COT_PLACE_) { return cot_segment_(cot_place{file, line}, COT_UPDATE_MUL, x, ids, n); }
inline value segment_max(cot_value x, cot_value ids, int64_t n, COT_PLACE_) { return cot_segment_(cot_place{file, line}, COT_UPDATE_MAX, x, ids, n); }
inline value segment_min(cot_value x, cot_value ids, int64_t n, COT_PLACE_) { return cot_segment_(cot_place{file, line}, COT_UPDATE_MIN, x, ids, n); }

/* ---- random numbers: a key that was never set is the context's generator ---- */

/* ---- linear algebra ---- */

inline value cholesky(cot_value x, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_cholesky_(cot_place{file, line}, x, &o, sizeof o); }
inline value triangular_solve(cot_value a, cot_value b, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_triangular_solve_(cot_place{file, line}, a, b, &o, sizeof o); }
inline value lu(cot_value x, value *pivots, value *order, COT_PLACE_) { return cot_lu_(cot_place{file, line}, x, pivots, order); }
inline value qr(cot_value x, value *r, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_qr_(cot_place{file, line}, x, r, &o, sizeof o); }
inline value eigh(cot_value x, value *vectors, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_eigh_(cot_place{file, line}, x, vectors, &o, sizeof o); }
inline value eigvalsh(cot_value x, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_eigh_(cot_place{file, line}, x, nullptr, &o, sizeof o); }
inline value eig(cot_value x, value *right = nullptr, value *left = nullptr, COT_PLACE_) { return cot_eig_(cot_place{file, line}, x, right, left); }
inline value eigvals(cot_value x, COT_PLACE_) { return cot_eig_(cot_place{file, line}, x, nullptr, nullptr); }
inline value svd(cot_value x, value *s, value *vt, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_svd_(cot_place{file, line}, x, s, vt, &o, sizeof o); }
inline value svdvals(cot_value x, COT_PLACE_) { return cot_svdvals_(cot_place{file, line}, x); }
inline value solve(cot_value a, cot_value b, COT_PLACE_) { return cot_solve_(cot_place{file, line}, a, b); }
inline value inv(cot_value x, COT_PLACE_) { return cot_inv_(cot_place{file, line}, x); }
inline value det(cot_value x, COT_PLACE_) { return cot_det_(cot_place{file, line}, x); }
inline value slogdet(cot_value x, value *logabs, COT_PLACE_) { return cot_slogdet_(cot_place{file, line}, x, logabs); }
inline value cholesky_solve(cot_value l, cot_value b, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_cholesky_solve_(cot_place{file, line}, l, b, &o, sizeof o); }
inline value cholesky_inverse(cot_value l, const cot_linalg_options &o = {}, COT_PLACE_) { return cot_cholesky_inverse_(cot_place{file, line}, l, &o, sizeof o); }
inline value lu_solve(cot_value factors, cot_value order, cot_value b, COT_PLACE_) { return cot_lu_solve_(cot_place{file, line}, factors, order, b); }
inline value tensorsolve(cot_value a, cot_value b, COT_PLACE_) { return cot_tensorsolve_(cot_place{file, line}, a, b); }
inline value tensorinv(cot_value x, int64_t ind = 2, COT_PLACE_) { return cot_tensorinv_(cot_place{file, line}, x, ind); }
inline value householder_product(cot_value v, cot_value tau, COT_PLACE_) { return cot_householder_product_(cot_place{file, line}, v, tau); }
inline value multi_dot(values xs, COT_PLACE_) { return cot_multi_dot_(cot_place{file, line}, xs.x); }
inline value vecdot(cot_value x, cot_value y, COT_PLACE_) { return cot_vecdot_(cot_place{file, line}, x, y); }
inline value lstsq(cot_value a, cot_value b, COT_PLACE_) { return cot_lstsq_(cot_place{file, line}, a, b); }
inline value pinv(cot_value x, COT_PLACE_) { return cot_pinv_(cot_place{file, line}, x); }
inline value expm(cot_value x, COT_PLACE_) { return cot_expm_(cot_place{file, line}, x); }
inline value matrix_power(cot_value x, int64_t n, COT_PLACE_) { return cot_matrix_power_(cot_place{file, line}, x, n); }
inline value matrix_trace(cot_value x, COT_PLACE_) { return cot_matrix_trace_(cot_place{file, line}, x); }
inline value diag(cot_value x, int64_t k, COT_PLACE_) { return cot_diag_(cot_place{file, line}, x, k); }
inline value outer(cot_value x, cot_value y, COT_PLACE_) { return cot_outer_(cot_place{file, line}, x, y); }
inline value kron(cot_value x, cot_value y, COT_PLACE_) { return cot_kron_(cot_place{file, line}, x, y); }
inline value vector_norm(cot_value x, double order, const cot_reduce_options &o = {}, COT_PLACE_) { return cot_vector_norm_(cot_place{file, line}, x, order, &o, sizeof o); }
inline value matrix_norm(cot_value x, cot_matrix_norm_kind kind, COT_PLACE_) { return cot_matrix_norm_(cot_place{file, line}, x, kind); }
inline value matrix_cond(cot_value x, COT_PLACE_) { return cot_matrix_cond_(cot_place{file, line}, x); }
inline value matrix_rank(cot_value x, double tolerance = 0, COT_PLACE_) { return cot_matrix_rank_(cot_place{file, line}, x, tolerance); }
inline value cross(cot_value x, cot_value y, COT_PLACE_) { return cot_cross_(cot_place{file, line}, x, y); }
inline value vander(cot_value x, int64_t n, COT_PLACE_) { return cot_vander_(cot_place{file, line}, x, n); }

inline value key(cot_trace *t, uint64_t seed, COT_PLACE_) { return cot_key_(cot_place{file, line}, t, seed); }
inline value fold_in(cot_value key, operand n) { return cot_fold_in_(n.at, key, n.x); }
inline value split_key(cot_value key, int64_t n, COT_PLACE_) { return cot_split_key_(cot_place{file, line}, key, n); }
#define COT_DRAW_(name)                                                              \
    inline value name(cot_trace *t, cot_type type, cot_value key = value(), COT_PLACE_) \
    {                                                                                \
        cot_random_options o = {};                                                   \
        o.key = key;                                                                 \
        return cot_##name##_(cot_place{file, line}, t, type, &o, sizeof o);          \
    }
COT_DRAW_(bits)
COT_DRAW_(uniform)
COT_DRAW_(normal)
COT_DRAW_(exponential)
#undef COT_DRAW_
inline value
capture(cot_trace *t, const cot_array *array, const char *name, COT_PLACE_)
{
    return cot_capture_(cot_place{file, line}, t, array, name);
}

/* ---- control flow: options as in C, results in .out ---- */

inline value
cond(operand p, cot_body *yes, cot_body *no, const cot_flow_options &o)
{
    cot_body *const at[] = {no, yes};
    return cot_switch_(p.at, p.x, cot_bodies_of(2, at), &o, sizeof o);
}
/* cot::switch_(i, {b0, b1, b2}, o). */
inline value
switch_(operand i, std::initializer_list<cot_body *> bodies, const cot_flow_options &o)
{
    return cot_switch_(i.at, i.x, cot_bodies_of(static_cast<int>(bodies.size()), bodies.begin()),
                       &o, sizeof o);
}
inline value
while_(cot_body *holds, cot_body *step, const cot_flow_options &o, COT_PLACE_)
{
    return cot_while_(cot_place{file, line}, holds, step, &o, sizeof o);
}
inline value
scan(cot_body *step, const cot_flow_options &o, COT_PLACE_)
{
    return cot_scan_(cot_place{file, line}, step, &o, sizeof o);
}
inline value fori(operand n, cot_body *step, const cot_flow_options &o) { return cot_fori_(n.at, n.x, step, &o, sizeof o); }
inline value
map(cot_body *each, const cot_flow_options &o, COT_PLACE_)
{
    return cot_map_(cot_place{file, line}, each, &o, sizeof o);
}

inline value convert(cot_value x, cot_dtype t, COT_PLACE_) { return cot_convert_(cot_place{file, line}, x, t); }

/* ---- functions and transforms ---- */

inline cot_fn *
fn(cot_context *ctx, const char *name, cot_body *body, int n_in, int n_out,
   void *user = nullptr, COT_PLACE_)
{
    return cot_fn_new_(cot_place{file, line}, ctx, name, body, n_in, n_out, user);
}

inline value call(cot_fn *f, values in, COT_PLACE_) { return cot_call_(cot_place{file, line}, f, in.x); }

inline void
call_all(cot_fn *f, values in, cot_value *out, int n_out, COT_PLACE_)
{
    cot_call_all_(cot_place{file, line}, f, in.x, out, n_out);
}

/* The results of a body on arrays, now: cot::eval(ctx, body, {x, y}). */
inline cot_array *
eval(cot_context *ctx, cot_body *body, std::initializer_list<const cot_array *> args, COT_PLACE_)
{
    return cot_eval_(cot_place{file, line}, ctx, body, args.begin(), static_cast<int>(args.size()));
}

inline cot_status
eval_all(cot_context *ctx, cot_body *body, cot_array **results, int n_results,
         std::initializer_list<const cot_array *> args, COT_PLACE_)
{
    return cot_eval_all_(cot_place{file, line}, ctx, body, results, n_results, args.begin(),
                         static_cast<int>(args.size()));
}

inline cot_fn *
fn_named(cot_fn *f, const char *arguments, const char *results = nullptr, COT_PLACE_)
{
    return cot_fn_named_(cot_place{file, line}, f, arguments, results);
}
inline cot_fn *
fn_optional(cot_fn *f, const char *name, double x, COT_PLACE_)
{
    return cot_fn_optional_(cot_place{file, line}, f, name, x);
}
inline cot_fn *with(cot_fn *f, const char *name, operand x) { return cot_with_(x.at, f, name, x.x); }
inline cot_fn *taking(cot_fn *f, const char *names, COT_PLACE_) { return cot_taking_(cot_place{file, line}, f, names); }
template <class T>
cot_tree *
tree(cot_context *ctx, const char *text, COT_PLACE_)
{
    return cot_tree_new_(cot_place{file, line}, ctx, text, sizeof(T));
}

/* Custom functions: fill a cot_custom_options. */
inline const cot_custom *
custom_new(cot_context *ctx, const char *name, const cot_custom_options &o, COT_PLACE_)
{
    return cot_custom_new_(cot_place{file, line}, ctx, name, &o, sizeof o);
}
inline value
custom_call(const cot_custom *c, values in, list attrs = {}, cot_value *out = nullptr, COT_PLACE_)
{
    return cot_custom_call_(cot_place{file, line}, c, attrs.x, in.x, out);
}
inline value
move_batch_front(cot_value x, int64_t dim, int64_t size, COT_PLACE_)
{
    return cot_move_batch_front_(cot_place{file, line}, x, dim, size);
}

#define COT_TRANSFORM_(name, options)                                           \
    inline cot_fn *name(cot_fn *f, list wrt = {}, int aux = 0, COT_PLACE_)      \
    {                                                                           \
        options o = {};                                                         \
        o.wrt = wrt.x;                                                          \
        o.aux = aux;                                                            \
        return cot_##name##_(cot_place{file, line}, f, &o, sizeof o);           \
    }
/* cot::jacrev(f, {0}, 0, 16): 16 rows at a time. */
#define COT_CHUNKED_(name, options)                                                             \
    inline cot_fn *name(cot_fn *f, list wrt = {}, int aux = 0, int64_t chunk = 0, COT_PLACE_)   \
    {                                                                                           \
        options o = {};                                                                         \
        o.wrt = wrt.x;                                                                          \
        o.aux = aux;                                                                            \
        o.chunk = chunk;                                                                        \
        return cot_##name##_(cot_place{file, line}, f, &o, sizeof o);                           \
    }
COT_TRANSFORM_(grad, cot_wrt_options)
COT_TRANSFORM_(grad_and_value, cot_wrt_options)
COT_TRANSFORM_(jvp, cot_wrt_options)
COT_TRANSFORM_(vjp, cot_wrt_options)
COT_TRANSFORM_(linearize, cot_wrt_options)
COT_CHUNKED_(jacfwd, cot_jacfwd_options)
COT_CHUNKED_(jacrev, cot_wrt_options)
COT_CHUNKED_(hessian, cot_wrt_options)
#undef COT_TRANSFORM_
#undef COT_CHUNKED_

inline cot_fn *
vmap(cot_fn *f, list in_dims = {}, list out_dims = {}, int64_t chunk = 0, COT_PLACE_)
{
    const cot_vmap_options o = {0, in_dims.x, out_dims.x, chunk, 0, COT_RANDOM_ERROR, nullptr};
    return cot_vmap_(cot_place{file, line}, f, &o, sizeof o);
}

/* With every option of the C struct: size, randomness, axis. */
inline cot_fn *
vmap_with(cot_fn *f, const cot_vmap_options &o, COT_PLACE_)
{
    return cot_vmap_(cot_place{file, line}, f, &o, sizeof o);
}

inline cot_fn *
functionalize(cot_fn *f, cot_remove remove = COT_REMOVE_MUTATIONS, COT_PLACE_)
{
    const cot_functionalize_options o = {0, remove};
    return cot_functionalize_(cot_place{file, line}, f, &o, sizeof o);
}

inline cot_fn *
pipeline(cot_fn *f, const char *text, COT_PLACE_)
{
    return cot_pipeline_(cot_place{file, line}, f, text);
}

/* ---- modules: a spec as in C ---- */

inline cot_module *
module_new(cot_context *ctx, const cot_module_spec &spec, COT_PLACE_)
{
    return cot_module_new_(cot_place{file, line}, ctx, &spec, sizeof spec);
}

/* Arrays by name, for one call: {{"weight", w}, {"bias", b}}. */
struct state {
    cot_state x;

    state(std::initializer_list<cot_named> at) : x(cot_state_of(static_cast<int>(at.size()), at.begin())) {}
    state(cot_state at) : x(at) {}
};

inline cot_status
functional_call(cot_module *m, const state &given, std::initializer_list<cot_array *> inputs, cot_array **results,
                int n_results, const cot_functional_options &o = {}, COT_PLACE_)
{
    return cot_functional_call_(cot_place{file, line}, m, &given.x, 1, inputs.begin(),
                                static_cast<int>(inputs.size()), results, n_results, &o, sizeof o);
}

inline cot_status
stack_module_state(cot_context *ctx, std::initializer_list<cot_module *> modules,
                   cot_state *params, cot_state *buffers, COT_PLACE_)
{
    return cot_stack_module_state_(cot_place{ file, line }, ctx, modules.begin(),
                                   static_cast<int>(modules.size()), params, buffers);
}

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

#include "cotrace/library.hpp"
#include "cotrace/nn.hpp"

#undef COT_PLACE_
#endif
#endif
