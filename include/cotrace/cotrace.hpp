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
#define COT_AT_ (cot_place{file, line})

namespace cot {

constexpr int64_t none = COT_NONE;

struct value : cot_value {
    value() : cot_value{nullptr, 0, 0} {}
    value(cot_value v) : cot_value(v) {}
    /* What a value holds is not known while tracing. */
    explicit operator bool() const = delete;
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

    values(std::initializer_list<cot_value> at)
        : x(cot_values_of(static_cast<int>(at.size()), at.begin())) {}
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

    types(std::initializer_list<cot_type> at)
        : x(cot_types_of(static_cast<int>(at.size()), at.begin())) {}
};

}   /* namespace cot */

#include "cotrace/pointwise.hpp"

namespace cot {

/* ---- reductions, layers: axes {} is each one's default ---- */

#define COT_REDUCTION_(name)                                                             \
    inline value name(cot_value x, list axes = {}, bool keepdims = false, COT_PLACE_)    \
    {                                                                                    \
        const cot_reduce_options o = {0, axes.x, keepdims, 0};                           \
        return cot_##name##_(COT_AT_, x, &o, sizeof o);                                  \
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
    inline value name(cot_value x, COT_PLACE_) { return cot_##name##_(COT_AT_, x); }
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
#define COT_FOURIER_(name)                                          \
    inline value name(cot_value x, list axes = {}, list sizes = {}, \
                      cot_fft_norm norm = COT_FFT_BACKWARD,         \
                      COT_PLACE_)                                   \
    {                                                               \
        const cot_fft_options o = {0, axes.x, sizes.x, norm};       \
        return cot_##name##_(COT_AT_, x, &o, sizeof o);             \
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
inline value betainc(operand a, operand b, operand x)
{ return cot_betainc_(a.at, a.x, b.x, x.x); }
inline value hyp1f1(operand a, operand b, operand x)
{ return cot_hyp1f1_(a.at, a.x, b.x, x.x); }
inline value multigammaln(cot_value x, int d, COT_PLACE_)
{ return cot_multigammaln_(COT_AT_, x, d); }
inline value frexp(cot_value x, cot_value *exponent, COT_PLACE_)
{
    return cot_frexp_(COT_AT_, x, exponent);
}
inline value reduce_precision(cot_value x, int exponent_bits, int mantissa_bits, COT_PLACE_)
{
    return cot_reduce_precision_(COT_AT_, x, exponent_bits, mantissa_bits);
}

#define COT_BINARY_(name)                                               \
    inline value name(cot_value x, cot_value y, COT_PLACE_)             \
    {                                                                   \
        return cot_##name##_(COT_AT_, x, y);                            \
    }
COT_BINARY_(dot)
COT_BINARY_(matmul)
COT_BINARY_(mse)
COT_BINARY_(cross_entropy)
#undef COT_BINARY_

/* ---- writes and views (mutate.h): x += y writes to what x stands for, for every handle and
 * view of it ---- */

inline value assign(cot_value dst, operand y, COT_PLACE_)
{ return cot_assign_(COT_AT_, dst, y.x); }
#define COT_ASSIGN_(name)                                   \
    inline value name(cot_value dst, operand y, COT_PLACE_) \
    { return cot_##name##_(COT_AT_, dst, y.x); }
COT_ASSIGN_(add_assign)
COT_ASSIGN_(sub_assign)
COT_ASSIGN_(mul_assign)
COT_ASSIGN_(div_assign)
COT_ASSIGN_(max_assign)
COT_ASSIGN_(min_assign)
#undef COT_ASSIGN_
inline const value &operator+=(const value &x, operand y)
{ return cot_add_assign_(y.at, x, y.x), x; }
inline const value &operator-=(const value &x, operand y)
{ return cot_sub_assign_(y.at, x, y.x), x; }
inline const value &operator*=(const value &x, operand y)
{ return cot_mul_assign_(y.at, x, y.x), x; }
inline const value &operator/=(const value &x, operand y)
{ return cot_div_assign_(y.at, x, y.x), x; }
inline value clone(cot_value x, COT_PLACE_) { return cot_clone_(COT_AT_, x); }

inline value
view_slice(cot_value x, list start, list limit = {}, list stride = {}, COT_PLACE_)
{
    cot_move_options o = {};
    o.start = start.x, o.limit = limit.x, o.stride = stride.x;
    return cot_view_slice_(COT_AT_, x, &o, sizeof o);
}
inline value
view_transpose(cot_value x, list perm = {}, COT_PLACE_)
{
    cot_move_options o = {};
    o.perm = perm.x;
    return cot_view_transpose_(COT_AT_, x, &o, sizeof o);
}
inline value
view_reverse(cot_value x, list axes = {}, COT_PLACE_)
{
    cot_move_options o = {};
    o.axes = axes.x;
    return cot_view_reverse_(COT_AT_, x, &o, sizeof o);
}
#define COT_VIEW_(name)                                                              \
    inline value name(cot_value x, std::initializer_list<int64_t> shape, COT_PLACE_) \
    {                                                                                \
        return cot_##name##_(COT_AT_, x,                                             \
                             list(shape).x);                                         \
    }
COT_VIEW_(view_reshape)
COT_VIEW_(view_broadcast)
#undef COT_VIEW_
inline value
view_dynamic_slice(cot_value x, values starts, list sizes, COT_PLACE_)
{
    return cot_view_dynamic_slice_(COT_AT_, x, starts.x, sizes.x);
}
inline value view_at(cot_value x, int64_t i, int axis, COT_PLACE_)
{ return cot_view_at_(COT_AT_, x, i, axis); }
[[deprecated("use cot::view_at(x, i, axis)")]] inline value
view_index(cot_value x, int axis, int64_t i, COT_PLACE_)
{
    return cot_view_at_(COT_AT_, x, i, axis);
}
inline value view_diagonal(cot_value x, int64_t offset, COT_PLACE_)
{ return cot_view_diagonal_(COT_AT_, x, offset); }

inline value where(cot_value p, operand x, operand y) { return cot_where_(x.at, p, x.x, y.x); }
inline value
reshape(cot_value x, std::initializer_list<int64_t> shape, COT_PLACE_)
{
    return cot_reshape_(COT_AT_, x,
                        list(shape).x);
}
inline value
einsum(const char *spec, values xs, COT_PLACE_)
{
    return cot_einsum_(COT_AT_, spec, xs.x);
}
inline value
linear(cot_value x, cot_value weight, cot_value bias = value(), COT_PLACE_)
{
    return cot_linear_(COT_AT_, x, weight, bias);
}
inline value
layer_norm(cot_value x, const cot_norm_options &o = {}, COT_PLACE_)
{
    return cot_layer_norm_(COT_AT_, x, &o, sizeof o);
}
inline value
batch_norm(cot_value x, cot_value *stats, const cot_batch_norm_options &o, COT_PLACE_)
{
    return cot_batch_norm_(COT_AT_, x, stats, &o, sizeof o);
}
inline value stack(values xs, int axis, COT_PLACE_) { return cot_stack_(COT_AT_, xs.x, axis); }
inline value full(cot_trace *t, cot_type y, operand x) { return cot_full_(x.at, t, y, x.x); }
inline value index(cot_value x, int64_t i, int axis, COT_PLACE_)
{ return cot_index_(COT_AT_, x, i, axis); }

/* Indices: cot::index(x, {0, cot::span(1, cot::none, 2), i}), cot::index_set(x, {i}, y). */
struct at : cot_at {
    at(cot_at a) : cot_at(a) {}
    at(cot_value v) : cot_at(cot_at_value(v)) {}
    at(cot::value v) : cot_at(cot_at_value(v)) {}
    template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
    at(T i) : cot_at(cot_at_int(static_cast<int64_t>(i))) {}
};
inline cot_at span(int64_t start, int64_t stop = none, int64_t step = 1)
{ return cot_at_span(start, stop, step); }
inline cot_at whole() { return cot_at_span(none, none, 1); }
inline cot_at newaxis() { return cot_at_newaxis(); }
inline cot_at ellipsis() { return cot_at_ellipsis(); }
inline cot_at mask(cot_value m, int64_t bound) { return cot_at_mask(m, bound); }
inline cot_ats ats(std::initializer_list<at> i)
{ return cot_ats_of(static_cast<int>(i.size()), i.begin()); }
inline value
index(cot_value x, std::initializer_list<at> i, const cot_at_options &o = {}, COT_PLACE_)
{
    return cot_index_at_(COT_AT_, x, ats(i), &o, sizeof o);
}
#define COT_UPDATE_(name, kind)                                             \
    inline value name(cot_value x, std::initializer_list<at> i, operand y,  \
                      const cot_at_options &o = {})                         \
    {                                                                       \
        return cot_index_update_(y.at, kind, x, ats(i), y.x, &o, sizeof o); \
    }
COT_UPDATE_(index_set, COT_UPDATE_SET)
COT_UPDATE_(index_add, COT_UPDATE_ADD)
COT_UPDATE_(index_mul, COT_UPDATE_MUL)
COT_UPDATE_(index_min, COT_UPDATE_MIN)
COT_UPDATE_(index_max, COT_UPDATE_MAX)
#undef COT_UPDATE_
inline value take_along(cot_value x, cot_value i, int axis, COT_PLACE_)
{ return cot_take_along_(COT_AT_, x, i, axis); }
inline value put_along(cot_value x, cot_value i, operand y, int axis)
{ return cot_put_along_(y.at, COT_UPDATE_SET, x, i, y.x, axis); }
inline value segment_sum(cot_value x, cot_value ids, int64_t n, COT_PLACE_)
{ return cot_segment_(COT_AT_, COT_UPDATE_ADD, x, ids, n); }
inline value segment_prod(cot_value x, cot_value ids, int64_t n, COT_PLACE_)
{ return cot_segment_(COT_AT_, COT_UPDATE_MUL, x, ids, n); }
inline value segment_max(cot_value x, cot_value ids, int64_t n, COT_PLACE_)
{ return cot_segment_(COT_AT_, COT_UPDATE_MAX, x, ids, n); }
inline value segment_min(cot_value x, cot_value ids, int64_t n, COT_PLACE_)
{ return cot_segment_(COT_AT_, COT_UPDATE_MIN, x, ids, n); }

/* ---- random numbers: a key that was never set is the context's generator ---- */

/* ---- linear algebra ---- */

inline value cholesky(cot_value x, const cot_linalg_options &o = {}, COT_PLACE_)
{ return cot_cholesky_(COT_AT_, x, &o, sizeof o); }
inline value triangular_solve(cot_value a, cot_value b, const cot_linalg_options &o = {},
                              COT_PLACE_)
{ return cot_triangular_solve_(COT_AT_, a, b, &o, sizeof o); }
inline value lu(cot_value x, value *pivots, value *order, COT_PLACE_)
{ return cot_lu_(COT_AT_, x, pivots, order); }
inline value qr(cot_value x, value *r, const cot_linalg_options &o = {}, COT_PLACE_)
{ return cot_qr_(COT_AT_, x, r, &o, sizeof o); }
inline value eigh(cot_value x, value *vectors, const cot_linalg_options &o = {}, COT_PLACE_)
{ return cot_eigh_(COT_AT_, x, vectors, &o, sizeof o); }
inline value eigvalsh(cot_value x, const cot_linalg_options &o = {}, COT_PLACE_)
{ return cot_eigh_(COT_AT_, x, nullptr, &o, sizeof o); }
inline value eig(cot_value x, value *right = nullptr, value *left = nullptr, COT_PLACE_)
{ return cot_eig_(COT_AT_, x, right, left); }
inline value eigvals(cot_value x, COT_PLACE_) { return cot_eig_(COT_AT_, x, nullptr, nullptr); }
inline value schur(cot_value x, value *z = nullptr, COT_PLACE_)
{ return cot_schur_(COT_AT_, x, z); }
inline value svd(cot_value x, value *s, value *vt, const cot_linalg_options &o = {}, COT_PLACE_)
{ return cot_svd_(COT_AT_, x, s, vt, &o, sizeof o); }
inline value svdvals(cot_value x, COT_PLACE_) { return cot_svdvals_(COT_AT_, x); }
inline value solve(cot_value a, cot_value b, COT_PLACE_) { return cot_solve_(COT_AT_, a, b); }
inline value inv(cot_value x, COT_PLACE_) { return cot_inv_(COT_AT_, x); }
inline value det(cot_value x, COT_PLACE_) { return cot_det_(COT_AT_, x); }
inline value slogdet(cot_value x, value *logabs, COT_PLACE_)
{ return cot_slogdet_(COT_AT_, x, logabs); }
inline value cholesky_solve(cot_value l, cot_value b, const cot_linalg_options &o = {},
                            COT_PLACE_)
{ return cot_cholesky_solve_(COT_AT_, l, b, &o, sizeof o); }
inline value cholesky_inverse(cot_value l, const cot_linalg_options &o = {}, COT_PLACE_)
{ return cot_cholesky_inverse_(COT_AT_, l, &o, sizeof o); }
inline value lu_solve(cot_value factors, cot_value order, cot_value b, COT_PLACE_)
{ return cot_lu_solve_(COT_AT_, factors, order, b); }
inline value tensorsolve(cot_value a, cot_value b, COT_PLACE_)
{ return cot_tensorsolve_(COT_AT_, a, b); }
inline value tensorinv(cot_value x, int64_t ind = 2, COT_PLACE_)
{ return cot_tensorinv_(COT_AT_, x, ind); }
inline value householder_product(cot_value v, cot_value tau, COT_PLACE_)
{ return cot_householder_product_(COT_AT_, v, tau); }
inline value multi_dot(values xs, COT_PLACE_) { return cot_multi_dot_(COT_AT_, xs.x); }
inline value vecdot(cot_value x, cot_value y, COT_PLACE_) { return cot_vecdot_(COT_AT_, x, y); }
inline value lstsq(cot_value a, cot_value b, COT_PLACE_) { return cot_lstsq_(COT_AT_, a, b); }
inline value pinv(cot_value x, COT_PLACE_) { return cot_pinv_(COT_AT_, x); }
inline value expm(cot_value x, COT_PLACE_) { return cot_expm_(COT_AT_, x); }
inline value matrix_power(cot_value x, int64_t n, COT_PLACE_)
{ return cot_matrix_power_(COT_AT_, x, n); }
inline value matrix_trace(cot_value x, COT_PLACE_) { return cot_matrix_trace_(COT_AT_, x); }
inline value diag(cot_value x, int64_t k, COT_PLACE_) { return cot_diag_(COT_AT_, x, k); }
inline value outer(cot_value x, cot_value y, COT_PLACE_) { return cot_outer_(COT_AT_, x, y); }
inline value kron(cot_value x, cot_value y, COT_PLACE_) { return cot_kron_(COT_AT_, x, y); }
inline value vector_norm(cot_value x, double order, const cot_reduce_options &o = {},
                         COT_PLACE_)
{ return cot_vector_norm_(COT_AT_, x, order, &o, sizeof o); }
inline value matrix_norm(cot_value x, cot_matrix_norm_kind kind, COT_PLACE_)
{ return cot_matrix_norm_(COT_AT_, x, kind); }
inline value matrix_cond(cot_value x, COT_PLACE_) { return cot_matrix_cond_(COT_AT_, x); }
inline value matrix_rank(cot_value x, double tolerance = 0, COT_PLACE_)
{ return cot_matrix_rank_(COT_AT_, x, tolerance); }
inline value cross(cot_value x, cot_value y, COT_PLACE_) { return cot_cross_(COT_AT_, x, y); }
inline value vander(cot_value x, int64_t n, COT_PLACE_) { return cot_vander_(COT_AT_, x, n); }

inline value key(cot_trace *t, uint64_t seed, COT_PLACE_) { return cot_key_(COT_AT_, t, seed); }
inline value fold_in(cot_value key, operand n) { return cot_fold_in_(n.at, key, n.x); }
inline value split_key(cot_value key, int64_t n, COT_PLACE_)
{ return cot_split_key_(COT_AT_, key, n); }
#define COT_DRAW_(name)                                                                 \
    inline value name(cot_trace *t, cot_type type, cot_value key = value(), COT_PLACE_) \
    {                                                                                   \
        cot_random_options o = {};                                                      \
        o.key = key;                                                                    \
        return cot_##name##_(COT_AT_, t, type, &o, sizeof o);                           \
    }
COT_DRAW_(bits)
COT_DRAW_(uniform)
COT_DRAW_(normal)
COT_DRAW_(exponential)
#undef COT_DRAW_
inline value
capture(cot_trace *t, const cot_array *array, const char *name, COT_PLACE_)
{
    return cot_capture_(COT_AT_, t, array, name);
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
    const cot_bodies all = cot_bodies_of(static_cast<int>(bodies.size()), bodies.begin());

    return cot_switch_(i.at, i.x, all, &o, sizeof o);
}
inline value
while_(cot_body *holds, cot_body *step, const cot_flow_options &o, COT_PLACE_)
{
    return cot_while_(COT_AT_, holds, step, &o, sizeof o);
}
inline value
scan(cot_body *step, const cot_flow_options &o, COT_PLACE_)
{
    return cot_scan_(COT_AT_, step, &o, sizeof o);
}
inline value fori(operand n, cot_body *step, const cot_flow_options &o)
{ return cot_fori_(n.at, n.x, step, &o, sizeof o); }
inline value
map(cot_body *each, const cot_flow_options &o, COT_PLACE_)
{
    return cot_map_(COT_AT_, each, &o, sizeof o);
}

inline value convert(cot_value x, cot_dtype t, COT_PLACE_)
{ return cot_convert_(COT_AT_, x, t); }

}   /* namespace cot */

#include "cotrace/transform.hpp"
#include "cotrace/library.hpp"
#include "cotrace/nn.hpp"

#undef COT_PLACE_
#undef COT_AT_
#endif
#endif
