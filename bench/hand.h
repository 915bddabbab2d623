/* The bench's workloads as a C programmer writes them by hand: plain loops for the compiler to
 * vectorise (-O3 -march=native, no -ffast-math), OpenMP where a loop is long.
 *
 * One signature for all: args are the inputs, then the results. */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

typedef void hand_fn(void *const *args);

hand_fn hand_saxpy_1e7, hand_gelu_tanh_1e7, hand_gelu_tanh_3e4, hand_black_scholes_price,
    hand_black_scholes_greeks, hand_softmax, hand_softmax_grad, hand_layernorm_fwd,
    hand_layernorm_grad, hand_sum_1e7, hand_mlp_step, hand_per_sample_grads, hand_lorenz_1,
    hand_lorenz_1024, hand_tiny;

#endif
