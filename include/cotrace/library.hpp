/* Cotrace for C++17: movement, indexing, order, windows, random draws, collectives, effects,
 * solvers.
 *
 *     out[0] = cot::quantile(cot::cumsum(x, 0), 0.9, 0);
 *
 * Part of cotrace/cotrace.hpp, which includes it; what a function does stands at its namesake
 * in the C headers.  Where C takes named options, the struct of options is the last
 * argument. */
#ifndef COTRACE_LIBRARY_HPP
#define COTRACE_LIBRARY_HPP
#ifndef COTRACE_COTRACE_HPP
#error "include cotrace/cotrace.hpp"
#endif

namespace cot {

/* name(x, options) */
#define COT_WITH_(name, options)                                          \
    inline value name(cot_value x, const options &o = {}, COT_PLACE_)     \
    {                                                                     \
        return cot_##name##_(COT_AT_, x, &o, sizeof o);                   \
    }
/* name(x, more, options) */
#define COT_WITH_1_(name, T, more, options)                                   \
    inline value name(cot_value x, T more, const options &o = {}, COT_PLACE_) \
    {                                                                         \
        return cot_##name##_(COT_AT_, x, more, &o, sizeof o);                 \
    }
#define COT_LISTED_(name, more, options)                                         \
    inline value name(cot_value x, list more, const options &o = {}, COT_PLACE_) \
    {                                                                            \
        return cot_##name##_(COT_AT_, x, more.x, &o, sizeof o);                  \
    }

/* ---- movement ---- */

COT_WITH_(broadcast_in_dim, cot_move_options)
COT_WITH_(transpose, cot_move_options)
COT_WITH_(slice, cot_move_options)
COT_WITH_(reverse, cot_move_options)
inline value
pad(cot_value x, operand with, const cot_move_options &o)
{
    return cot_pad_(with.at, x, with.x, &o, sizeof o);
}
inline value
broadcast_to(cot_value x, std::initializer_list<int64_t> shape, COT_PLACE_)
{
    return cot_broadcast_to_(COT_AT_, x,
                             list(shape).x);
}
inline value concatenate(values xs, int axis, COT_PLACE_)
{ return cot_concatenate_(COT_AT_, xs.x, axis); }
inline value squeeze(cot_value x, list axes, COT_PLACE_)
{ return cot_squeeze_(COT_AT_, x, axes.x); }
inline value expand_dims(cot_value x, int axis, COT_PLACE_)
{ return cot_expand_dims_(COT_AT_, x, axis); }
inline value roll(cot_value x, int64_t shift, int axis, COT_PLACE_)
{ return cot_roll_(COT_AT_, x, shift, axis); }
inline value take(cot_value x, cot_value index, int axis, COT_PLACE_)
{ return cot_take_(COT_AT_, x, index, axis); }
inline void split(cot_value x, int n, int axis, cot_value *out, COT_PLACE_)
{ cot_split_(COT_AT_, x, n, axis, out); }
inline int64_t size(cot_value x, int axis, COT_PLACE_) { return cot_size_(COT_AT_, x, axis); }
inline value trace_fail(cot_trace *t, const char *text, COT_PLACE_)
{ return cot_trace_fail_(COT_AT_, t, text); }
inline value tril(cot_value x, int64_t k = 0, COT_PLACE_) { return cot_tril_(COT_AT_, x, k); }
inline value triu(cot_value x, int64_t k = 0, COT_PLACE_) { return cot_triu_(COT_AT_, x, k); }
inline value bitcast(cot_value x, cot_dtype t, COT_PLACE_)
{ return cot_bitcast_(COT_AT_, x, t); }
inline value integer_pow(cot_value x, int64_t y, COT_PLACE_)
{ return cot_integer_pow_(COT_AT_, x, y); }
inline value iota(cot_trace *t, cot_type type, int axis, COT_PLACE_)
{ return cot_iota_(COT_AT_, t, type, axis); }
inline value arange(cot_trace *t, cot_dtype d, int64_t n, COT_PLACE_)
{ return cot_arange_(COT_AT_, t, d, n); }
inline value eye(cot_trace *t, cot_dtype d, int64_t n, COT_PLACE_)
{ return cot_eye_(COT_AT_, t, d, n); }
inline value
linspace(cot_trace *t, cot_dtype d, double from, double to, int64_t n, COT_PLACE_)
{
    return cot_linspace_(COT_AT_, t, d, from, to, n);
}
inline value
constant(cot_trace *t, cot_type type, const void *elements, COT_PLACE_)
{
    return cot_constant_(COT_AT_, t, type, elements);
}
inline value
one_hot(cot_value i, int64_t n, cot_dtype d, COT_PLACE_)
{
    return cot_one_hot_(COT_AT_, i, n, d);
}

/* ---- reductions, products, indices ---- */

COT_WITH_(argmax, cot_arg_options)
COT_WITH_(argmin, cot_arg_options)
COT_WITH_(gelu, cot_gelu_options)
COT_WITH_(nonzero, cot_nonzero_options)
COT_WITH_1_(dot_general, cot_value, y, cot_dot_options)
COT_WITH_1_(gather, cot_value, indices, cot_index_options)
inline value
scatter(cot_scatter_kind kind, cot_value x, cot_value indices, cot_value updates,
        const cot_index_options &o, COT_PLACE_)
{
    return cot_scatter_(COT_AT_, kind, x, indices, updates, &o, sizeof o);
}
inline value
dynamic_slice(cot_value x, values starts, list sizes, COT_PLACE_)
{
    return cot_dynamic_slice_(COT_AT_, x, starts.x, sizes.x);
}
inline value
dynamic_update_slice(cot_value x, cot_value y, values starts, COT_PLACE_)
{
    return cot_dynamic_update_slice_(COT_AT_, x, y, starts.x);
}

/* ---- order ---- */

COT_WITH_1_(sort, int, axis, cot_order_options)
COT_WITH_1_(median, int, axis, cot_order_options)
COT_WITH_1_(cumsum, int, axis, cot_order_options)
COT_WITH_1_(cumprod, int, axis, cot_order_options)
COT_WITH_1_(cummax, int, axis, cot_order_options)
COT_WITH_1_(cummin, int, axis, cot_order_options)
COT_WITH_1_(cumlogsumexp, int, axis, cot_order_options)
COT_WITH_1_(searchsorted, cot_value, y, cot_order_options)
COT_WITH_(unique, cot_unique_options)
inline value
argsort(values keys, int axis, const cot_order_options &o = {}, COT_PLACE_)
{
    return cot_argsort_(COT_AT_, keys.x, axis, &o, sizeof o);
}
inline void
sort_many(values xs, int axis, cot_value *out, const cot_order_options &o = {}, COT_PLACE_)
{
    cot_sort_many_(COT_AT_, xs.x, axis, out, &o, sizeof o);
}
inline value
top_k(cot_value x, int64_t k, cot_value *places = nullptr, COT_PLACE_)
{
    return cot_top_k_(COT_AT_, x, k, places);
}
inline value
quantile(cot_value x, double q, int axis, const cot_order_options &o = {}, COT_PLACE_)
{
    return cot_quantile_(COT_AT_, x, q, axis, &o, sizeof o);
}
inline value
bincount(cot_value x, int64_t n, const cot_count_options &o = {}, COT_PLACE_)
{
    return cot_bincount_(COT_AT_, x, n, &o, sizeof o);
}
inline value
histogram(cot_value x, int64_t n, double low, double high, const cot_count_options &o = {},
          COT_PLACE_)
{
    return cot_histogram_(COT_AT_, x, n, low, high, &o, sizeof o);
}

/* ---- windows, and reductions by a body ---- */

COT_LISTED_(window_sum, window, cot_window_options)
COT_LISTED_(window_prod, window, cot_window_options)
COT_LISTED_(window_max, window, cot_window_options)
COT_LISTED_(window_min, window, cot_window_options)
COT_LISTED_(max_pool, window, cot_window_options)
COT_LISTED_(avg_pool, window, cot_window_options)
COT_WITH_1_(conv, cot_value, w, cot_window_options)
inline value
sliding_windows(cot_value x, int64_t window, int axis, const cot_sliding_options &o = {},
                COT_PLACE_)
{
    return cot_sliding_windows_(COT_AT_, x, window, axis, &o, sizeof o);
}
[[deprecated("use cot::sliding_windows(x, window, axis, o)")]] inline value
windows(cot_value x, int axis, int64_t window, int64_t stride = 1, int64_t dilation = 1,
        COT_PLACE_)
{
    const cot_sliding_options o = {0, stride, dilation};
    return cot_sliding_windows_(COT_AT_, x, window, axis, &o, sizeof o);
}
inline value
select_and_scatter(cot_body *select, cot_body *scatter, cot_value x, cot_value source,
                   cot_value init, const cot_combine_options &o, COT_PLACE_)
{
    return cot_select_and_scatter_(COT_AT_, select, scatter, x, source, init, &o, sizeof o);
}
#define COT_BODY_(name, options)                                                 \
    inline value name(cot_body *body, const options &o, COT_PLACE_)              \
    {                                                                            \
        return cot_##name##_(COT_AT_, body, &o, sizeof o);                       \
    }
COT_BODY_(reduce, cot_combine_options)
COT_BODY_(reduce_window, cot_combine_options)
COT_BODY_(sort_by, cot_combine_options)
COT_BODY_(scatter_by, cot_combine_options)
COT_BODY_(associative_scan, cot_assoc_options)
#undef COT_BODY_

/* ---- frequencies, and pairs of steps ---- */

inline value
fftfreq(cot_trace *t, cot_dtype dtype, int64_t n, double d = 1, COT_PLACE_)
{
    return cot_fftfreq_(COT_AT_, t, dtype, n, d);
}
inline value
rfftfreq(cot_trace *t, cot_dtype dtype, int64_t n, double d = 1, COT_PLACE_)
{
    return cot_rfftfreq_(COT_AT_, t, dtype, n, d);
}
inline value
stft(cot_value x, int64_t n, const cot_stft_options &o = {}, COT_PLACE_)
{
    return cot_stft_(COT_AT_, x, n, &o, sizeof o);
}
inline value
istft(cot_value x, int64_t n, const cot_stft_options &o = {}, COT_PLACE_)
{
    return cot_istft_(COT_AT_, x, n, &o, sizeof o);
}
inline value sqrtm(cot_value x, COT_PLACE_) { return cot_sqrtm_(COT_AT_, x); }
inline value logm(cot_value x, COT_PLACE_) { return cot_logm_(COT_AT_, x); }
inline value block_diag(values xs, COT_PLACE_) { return cot_block_diag_(COT_AT_, xs.x); }
inline value
toeplitz(cot_value column, cot_value row = value(), COT_PLACE_)
{
    return cot_toeplitz_(COT_AT_, column, row);
}
inline void
lbfgs_push(cot_value s, cot_value y, cot_value count, cot_value ds, cot_value dy,
           cot_value *out, COT_PLACE_)
{
    cot_lbfgs_push_(COT_AT_, s, y, count, ds, dy, out);
}

/* ---- NumPy's names: cotrace/numpy.h ---- */

#define COT_UNARY_(name) \
    inline value name(cot_value x, COT_PLACE_) { return cot_##name##_(COT_AT_, x); }
#define COT_BINARY_(name) \
    inline value name(operand x, operand y) { return cot_##name##_(x.at, x.x, y.x); }
COT_UNARY_(isnan)
COT_UNARY_(isinf)
COT_UNARY_(log10)
COT_BINARY_(mod)
COT_BINARY_(floor_divide)
COT_BINARY_(copysign)
#undef COT_UNARY_
#undef COT_BINARY_
COT_WITH_(std, cot_reduce_options)
COT_WITH_(nansum, cot_reduce_options)
COT_WITH_(nanprod, cot_reduce_options)
COT_WITH_(nanmax, cot_reduce_options)
COT_WITH_(nanmin, cot_reduce_options)
COT_WITH_(nanmean, cot_reduce_options)
COT_WITH_(nanvar, cot_reduce_options)
COT_WITH_(nanstd, cot_reduce_options)
COT_WITH_(nan_to_num, cot_nan_options)
COT_WITH_(cov, cot_cov_options)
COT_WITH_(corrcoef, cot_cov_options)
COT_WITH_1_(trapezoid, int, axis, cot_trapezoid_options)
inline value moveaxis(cot_value x, int from, int to, COT_PLACE_)
{ return cot_moveaxis_(COT_AT_, x, from, to); }
inline value tile(cot_value x, list times, COT_PLACE_)
{ return cot_tile_(COT_AT_, x, times.x); }
inline value repeat(cot_value x, int64_t n, int axis, COT_PLACE_)
{ return cot_repeat_(COT_AT_, x, n, axis); }
inline value diff(cot_value x, int n, int axis, COT_PLACE_)
{ return cot_diff_(COT_AT_, x, n, axis); }
inline void
meshgrid(values xs, cot_value *out, const cot_meshgrid_options &o = {}, COT_PLACE_)
{
    cot_meshgrid_(COT_AT_, xs.x, out, &o, sizeof o);
}
inline value
interp(cot_value x, cot_value xp, cot_value fp, const cot_interp_options &o = {}, COT_PLACE_)
{
    return cot_interp_(COT_AT_, x, xp, fp, &o, sizeof o);
}
inline value
convolve(cot_value x, cot_value y, cot_overlap overlap = COT_OVERLAP_FULL, COT_PLACE_)
{
    return cot_convolve_(COT_AT_, x, y, overlap);
}
inline value
correlate(cot_value x, cot_value y, cot_overlap overlap = COT_OVERLAP_VALID, COT_PLACE_)
{
    return cot_correlate_(COT_AT_, x, y, overlap);
}
inline value polyval(cot_value p, cot_value x, COT_PLACE_)
{ return cot_polyval_(COT_AT_, p, x); }
inline value
polyfit(cot_value x, cot_value y, int degree, COT_PLACE_)
{
    return cot_polyfit_(COT_AT_, x, y, degree);
}

/* ---- random numbers ---- */

inline value
bernoulli(cot_trace *t, cot_type shape, operand p, const cot_random_options &o = {})
{
    return cot_bernoulli_(p.at, t, shape, p.x, &o, sizeof o);
}
inline value
randint(cot_trace *t, cot_type type, int64_t low, int64_t high,
        const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_randint_(COT_AT_, t, type, low, high, &o, sizeof o);
}
inline value
permutation(cot_trace *t, int64_t n, const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_permutation_(COT_AT_, t, n, &o, sizeof o);
}
inline value
gamma(cot_trace *t, cot_value alpha, const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_gamma_(COT_AT_, t, alpha, &o, sizeof o);
}
inline value
gumbel(cot_trace *t, cot_type type, const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_gumbel_(COT_AT_, t, type, &o, sizeof o);
}
inline value
poisson(cot_trace *t, cot_value rate, const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_poisson_(COT_AT_, t, rate, &o, sizeof o);
}
inline value
choice(cot_trace *t, cot_value x, list shape, const cot_choice_options &o = {}, COT_PLACE_)
{
    return cot_choice_(COT_AT_, t, x, shape.x, &o, sizeof o);
}
inline value
dirichlet(cot_trace *t, cot_value alpha, const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_dirichlet_(COT_AT_, t, alpha, &o, sizeof o);
}
inline value
multivariate_normal(cot_trace *t, cot_value mean, cot_value cov,
                    const cot_random_options &o = {}, COT_PLACE_)
{
    return cot_multivariate_normal_(COT_AT_, t, mean, cov, &o, sizeof o);
}
COT_WITH_(categorical, cot_random_options)
COT_WITH_1_(dropout, double, p, cot_random_options)
inline value next_key(cot_trace *t, COT_PLACE_) { return cot_next_key_(COT_AT_, t); }
inline value threefry_key(cot_trace *t, uint64_t seed, COT_PLACE_)
{ return cot_threefry_key_(COT_AT_, t, seed); }
inline value
threefry_fold_in(cot_value key, uint32_t n, COT_PLACE_)
{
    return cot_threefry_fold_in_(COT_AT_, key, n);
}
inline value
threefry_split(cot_value key, int64_t n, COT_PLACE_)
{
    return cot_threefry_split_(COT_AT_, key, n);
}
#define COT_DRAW_(name)                                      \
    inline value name(cot_value key, cot_type t, COT_PLACE_) \
    { return cot_##name##_(COT_AT_, key, t); }
COT_DRAW_(threefry_bits)
COT_DRAW_(threefry_uniform)
COT_DRAW_(threefry_normal)
#undef COT_DRAW_

/* ---- collectives over a mapped axis that has a name ---- */

#define COT_COLLECTIVE_(name)                                    \
    inline value name(cot_value x, const char *axis, COT_PLACE_) \
    { return cot_##name##_(COT_AT_, x, axis); }
COT_COLLECTIVE_(psum)
COT_COLLECTIVE_(pmean)
COT_COLLECTIVE_(pmax)
COT_COLLECTIVE_(pmin)
#undef COT_COLLECTIVE_
COT_WITH_1_(all_gather, const char *, axis, cot_collective_options)
COT_WITH_1_(psum_scatter, const char *, axis, cot_collective_options)
inline value
ppermute(cot_value x, const char *axis, list pairs, COT_PLACE_)
{
    return cot_ppermute_(COT_AT_, x, axis, pairs.x);
}
inline value axis_index(cot_trace *t, const char *axis, COT_PLACE_)
{ return cot_axis_index_(COT_AT_, t, axis); }
inline int64_t axis_size(cot_trace *t, const char *axis, COT_PLACE_)
{ return cot_axis_size_(COT_AT_, t, axis); }

/* ---- effects, solvers, memory for work ---- */

inline value print(cot_value x, const char *text, COT_PLACE_)
{ return cot_print_(COT_AT_, x, text); }
inline value check(cot_value p, const char *text, COT_PLACE_)
{ return cot_check_(COT_AT_, p, text); }
inline value
custom_linear_solve(cot_body *matvec, cot_solver *solve, const cot_solve_options &o, COT_PLACE_)
{
    return cot_custom_linear_solve_(COT_AT_, matvec, solve, &o, sizeof o);
}
inline value
custom_root(cot_body *f, cot_solver *solve, const cot_solve_options &o, COT_PLACE_)
{
    return cot_custom_root_(COT_AT_, f, solve, &o, sizeof o);
}
inline cot_fn *
checkpoint(cot_fn *f, const cot_checkpoint_options &o = {}, COT_PLACE_)
{
    return cot_checkpoint_(COT_AT_, f, &o, sizeof o);
}
#define COT_HALVES_(name)                                        \
    inline void name(cot_fn *f, cot_fn **first, cot_fn **second, \
                     const cot_wrt_options &o = {}, COT_PLACE_)  \
    {                                                            \
        cot_##name##_(COT_AT_, f, first, second, &o, sizeof o);  \
    }
COT_HALVES_(vjp_halves)
COT_HALVES_(linearize_halves)
#undef COT_HALVES_

#undef COT_LISTED_
#undef COT_WITH_1_
#undef COT_WITH_

}   /* namespace cot */
#endif
