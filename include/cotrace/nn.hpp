/* Cotrace for C++17: layers, losses, optimisers.
 *
 *     cot::value y = cot::gelu(cot::linear(cot::rms_norm(x), w, b));
 *
 * Part of cotrace/cotrace.hpp, which includes it; what a function does stands at its namesake
 * in nn.h, loss.h and optim.h.  The struct of options is the last argument; a weight that is
 * not wanted is cot::value(). */
#ifndef COTRACE_NN_HPP
#define COTRACE_NN_HPP
#ifndef COTRACE_COTRACE_HPP
#error "include cotrace/cotrace.hpp"
#endif

namespace cot {


#define COT_ACTIVATION_(name)                                                              \
    inline value name(cot_value x, const cot_activation_options &o = {}, COT_PLACE_)       \
    {                                                                                      \
        return cot_##name##_(COT_AT_, x, &o, sizeof o);                                    \
    }
COT_ACTIVATION_(relu6)
COT_ACTIVATION_(hardtanh)
COT_ACTIVATION_(elu)
COT_ACTIVATION_(selu)
COT_ACTIVATION_(celu)
COT_ACTIVATION_(leaky_relu)
COT_ACTIVATION_(mish)
COT_ACTIVATION_(softsign)
COT_ACTIVATION_(hardsigmoid)
COT_ACTIVATION_(hardswish)
COT_ACTIVATION_(log_sigmoid)
COT_ACTIVATION_(tanhshrink)
COT_ACTIVATION_(hardshrink)
COT_ACTIVATION_(softshrink)
COT_ACTIVATION_(quick_gelu)
#undef COT_ACTIVATION_
inline value prelu(cot_value x, cot_value weight, COT_PLACE_)
{ return cot_prelu_(COT_AT_, x, weight); }
inline value glu(cot_value x, int axis, COT_PLACE_) { return cot_glu_(COT_AT_, x, axis); }

#define COT_NORM_(name)                                                                    \
    inline value name(cot_value x, const cot_norm_options &o = {}, COT_PLACE_)             \
    {                                                                                      \
        return cot_##name##_(COT_AT_, x, &o, sizeof o);                                    \
    }
COT_NORM_(instance_norm)
COT_NORM_(rms_norm)
COT_NORM_(normalize)
#undef COT_NORM_
inline value
group_norm(cot_value x, int64_t groups, const cot_norm_options &o = {}, COT_PLACE_)
{
    return cot_group_norm_(COT_AT_, x, groups, &o, sizeof o);
}
inline value
embedding(cot_value weight, cot_value index, const cot_embedding_options &o = {}, COT_PLACE_)
{
    return cot_embedding_(COT_AT_, weight, index, &o, sizeof o);
}
inline value
embedding_bag(cot_value weight, cot_value index, cot_bag_kind kind,
              const cot_bag_options &o = {}, COT_PLACE_)
{
    return cot_embedding_bag_(COT_AT_, weight, index, kind, &o, sizeof o);
}
inline value cdist(cot_value x, cot_value y, double p = 2, COT_PLACE_)
{ return cot_cdist_(COT_AT_, x, y, p); }
#define COT_CONV_N_(name, f, n)                                           \
    inline value name(cot_value x, cot_value w, cot_value bias = value(), \
                      const cot_window_options &o = {}, COT_PLACE_)       \
    {                                                                     \
        return f(COT_AT_, n, x, w, bias, &o, sizeof o);                   \
    }
COT_CONV_N_(conv1d, cot_conv_layer_, 1)
COT_CONV_N_(conv2d, cot_conv_layer_, 2)
COT_CONV_N_(conv3d, cot_conv_layer_, 3)
COT_CONV_N_(conv_transpose1d, cot_conv_transpose_, 1)
COT_CONV_N_(conv_transpose2d, cot_conv_transpose_, 2)
COT_CONV_N_(conv_transpose3d, cot_conv_transpose_, 3)
#undef COT_CONV_N_
inline value adaptive_avg_pool(cot_value x, list sizes, COT_PLACE_)
{ return cot_adaptive_pool_(COT_AT_, x, sizes.x, 0); }
inline value adaptive_max_pool(cot_value x, list sizes, COT_PLACE_)
{ return cot_adaptive_pool_(COT_AT_, x, sizes.x, 1); }

inline value
interpolate(cot_value x, cot_sampling sampling, const cot_interpolate_options &o, COT_PLACE_)
{
    return cot_interpolate_(COT_AT_, x, sampling, &o, sizeof o);
}
inline value
grid_sample(cot_value x, cot_value grid, cot_sampling sampling = COT_SAMPLE_LINEAR,
            const cot_grid_options &o = {}, COT_PLACE_)
{
    return cot_grid_sample_(COT_AT_, x, grid, sampling, &o, sizeof o);
}
inline value pixel_shuffle(cot_value x, int64_t r, COT_PLACE_)
{ return cot_pixel_shuffle_(COT_AT_, x, r); }
inline value pixel_unshuffle(cot_value x, int64_t r, COT_PLACE_)
{ return cot_pixel_unshuffle_(COT_AT_, x, r); }
inline value
unfold(cot_value x, list window, const cot_window_options &o = {}, COT_PLACE_)
{
    return cot_unfold_(COT_AT_, x, window.x, &o, sizeof o);
}
inline value
fold(cot_value x, list shape, list window, const cot_window_options &o = {}, COT_PLACE_)
{
    return cot_fold_(COT_AT_, x, shape.x, window.x, &o, sizeof o);
}

inline value
rnn(cot_value x, cot_value h, const cot_rnn_weights &w, cot_value *last = nullptr,
    const cot_rnn_options &o = {}, COT_PLACE_)
{
    return cot_rnn_(COT_AT_, x, h, &w, last, &o, sizeof o);
}
inline value
lstm(cot_value x, cot_value h, cot_value c, const cot_rnn_weights &w, cot_value *last = nullptr,
     const cot_rnn_options &o = {}, COT_PLACE_)
{
    return cot_lstm_(COT_AT_, x, h, c, &w, last, &o, sizeof o);
}
inline value
gru(cot_value x, cot_value h, const cot_rnn_weights &w, cot_value *last = nullptr,
    const cot_rnn_options &o = {}, COT_PLACE_)
{
    return cot_gru_(COT_AT_, x, h, &w, last, &o, sizeof o);
}
inline value
rnn_cell(cot_value x, cot_value h, const cot_rnn_weights &w, bool relu = false, COT_PLACE_)
{
    return cot_rnn_cell_(COT_AT_, x, h, &w, relu);
}
inline value
lstm_cell(cot_value x, cot_value h, cot_value c, const cot_rnn_weights &w, cot_value *c_next,
          COT_PLACE_)
{
    return cot_lstm_cell_(COT_AT_, x, h, c, &w, c_next);
}
inline value
gru_cell(cot_value x, cot_value h, const cot_rnn_weights &w, COT_PLACE_)
{
    return cot_gru_cell_(COT_AT_, x, h, &w);
}

inline value
attention(cot_value q, cot_value k, cot_value v, const cot_attention_options &o = {},
          COT_PLACE_)
{
    return cot_attention_(COT_AT_, q, k, v, &o, sizeof o);
}
inline value
multi_head_attention(cot_value q, cot_value k, cot_value v, const cot_attention_weights &w,
                     int64_t heads, const cot_attention_options &o = {}, COT_PLACE_)
{
    return cot_multi_head_attention_(COT_AT_, q, k, v, &w, heads, &o, sizeof o);
}
inline value
rotary(cot_value x, const cot_rotary_options &o = {}, COT_PLACE_)
{
    return cot_rotary_(COT_AT_, x, &o, sizeof o);
}
inline value
sinusoids(cot_trace *t, cot_dtype dtype, int64_t l, int64_t d, COT_PLACE_)
{
    return cot_sinusoids_(COT_AT_, t, dtype, l, d);
}

#define COT_INIT_F_(name)                                                                      \
    inline value name(cot_trace *t, cot_type type, const cot_init_options &o = {}, COT_PLACE_) \
    {                                                                                          \
        return cot_##name##_(COT_AT_, t, type, &o, sizeof o);                                  \
    }
COT_INIT_F_(init_normal)
COT_INIT_F_(truncated_normal)
COT_INIT_F_(orthogonal)
COT_INIT_F_(xavier_uniform)
COT_INIT_F_(xavier_normal)
COT_INIT_F_(kaiming_uniform)
COT_INIT_F_(kaiming_normal)
#undef COT_INIT_F_

#define COT_LOSS_2_(name, f)                                                               \
    inline value name(cot_value x, cot_value y, const cot_loss_options &o, COT_PLACE_)     \
    {                                                                                      \
        return f(COT_AT_, x, y, &o, sizeof o);                                             \
    }
COT_LOSS_2_(mse, cot_mse_loss_)
COT_LOSS_2_(cross_entropy, cot_cross_entropy_loss_)
#undef COT_LOSS_2_
#define COT_LOSS_2_(name)                                                                   \
    inline value name(cot_value x, cot_value y, const cot_loss_options &o = {}, COT_PLACE_) \
    {                                                                                       \
        return cot_##name##_(COT_AT_, x, y, &o, sizeof o);                                  \
    }
COT_LOSS_2_(l1)
COT_LOSS_2_(smooth_l1)
COT_LOSS_2_(huber)
COT_LOSS_2_(nll)
COT_LOSS_2_(bce)
COT_LOSS_2_(bce_with_logits)
COT_LOSS_2_(kl_div)
COT_LOSS_2_(hinge)
COT_LOSS_2_(hinge_embedding)
COT_LOSS_2_(soft_margin)
COT_LOSS_2_(poisson_nll)
#undef COT_LOSS_2_
#define COT_LOSS_3_(name)                                                                    \
    inline value name(cot_value x, cot_value y, cot_value z, const cot_loss_options &o = {}, \
                      COT_PLACE_)                                                            \
    {                                                                                        \
        return cot_##name##_(COT_AT_, x, y, z, &o, sizeof o);                                \
    }
COT_LOSS_3_(gaussian_nll)
COT_LOSS_3_(cosine_embedding)
COT_LOSS_3_(margin_ranking)
COT_LOSS_3_(triplet)
#undef COT_LOSS_3_
inline value
cosine_similarity(cot_value x, cot_value y, int axis, double eps = 1e-8, COT_PLACE_)
{
    return cot_cosine_similarity_(COT_AT_, x, y, axis, eps);
}
inline value
ctc(cot_value log_probs, cot_value targets, cot_value input_lengths, cot_value target_lengths,
    const cot_loss_options &o = {}, COT_PLACE_)
{
    return cot_ctc_(COT_AT_, log_probs, targets, input_lengths, target_lengths, &o, sizeof o);
}

inline void
optim_begin(const cot_optim &o, values params, cot_value *state, COT_PLACE_)
{
    cot_optim_begin_(COT_AT_, &o, params.x, state);
}
inline void
optim_step(const cot_optim &o, values params, values gradients, values state,
           cot_value *params_out, cot_value *state_out, COT_PLACE_)
{
    cot_optim_step_(COT_AT_, &o, params.x, gradients.x, state.x, params_out, state_out);
}
inline value global_norm(values xs, COT_PLACE_) { return cot_global_norm_(COT_AT_, xs.x); }
inline value clip_by_norm(values xs, double most, cot_value *out, COT_PLACE_)
{ return cot_clip_by_norm_(COT_AT_, xs.x, most, out); }
inline void clip_by_value(values xs, double most, cot_value *out, COT_PLACE_)
{ cot_clip_by_value_(COT_AT_, xs.x, most, out); }
inline value
rate(cot_rate_kind kind, cot_value step, double rate, double steps = 0,
     const cot_rate_options &o = {}, COT_PLACE_)
{
    return cot_rate_(COT_AT_, kind, step, rate, steps, &o, sizeof o);
}
inline value
lbfgs_direction(cot_value g, cot_value s, cot_value y, cot_value count, COT_PLACE_)
{
    return cot_lbfgs_direction_(COT_AT_, g, s, y, count);
}


}   /* namespace cot */

#endif
