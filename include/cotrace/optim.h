/* Cotrace: optimisers, clipping and schedules as traced functions on lists of values.
 *
 *     static const cot_optim adam = { .kind = COT_ADAMW, .rate = 1e-3, .weight_decay = 0.01 };
 *     ...
 *     cot_optim_step(&adam, params, gradients, state, next, next_state);
 *
 * Nothing is written in place: parameters and state go in, and what they become comes out, so
 * that a step, with the loss and its gradient, is one function and one kernel (donate
 * parameters and state to update them in place).  A tree of values is the list of its leaves.
 * f16 and bf16 parameters are updated in f32 and rounded once; their state is f32. */
#ifndef COTRACE_OPTIM_H
#define COTRACE_OPTIM_H

#include "cotrace/sugar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cot_optim_kind {
    COT_SGD = 0, /* state: with momentum a velocity for each parameter, and with
                                 * dampening too the steps so far before them        */
    /* the steps so far, then two moments (with .amsgrad three) for each parameter */
    COT_ADAM,
    COT_ADAMW,
    /* the mean square, with .centered the mean, with momentum a velocity */
    COT_RMSPROP,
    /* the sum of squares */
    COT_ADAGRAD,
    COT_LION /* a moment                                                                     */
} cot_optim_kind;

/* 0 is each default: of the kind, as PyTorch has it. */
typedef struct COT_NAMED_ cot_optim {
    COT_BEGIN_
    cot_optim_kind kind;
    /* 0: 1e-2 (sgd, rmsprop, adagrad), 1e-3 (adam), 1e-4 (lion) */
    double rate;
    /* a rate as a value, scalar, in place of it */
    cot_value schedule;
    /* sgd, rmsprop */
    double momentum, dampening;
    /* sgd */
    int nesterov;
    /* adam: 0.9, 0.999; lion: 0.9, 0.99 */
    double beta1, beta2;
    /* rmsprop: 0.99 */
    double alpha;
    /* 1e-8; adagrad 1e-10 */
    double eps;
    /* added to the gradient times the parameter; adamw and lion: to the step; adamw: 0: 0.01;
     * less than 0: none */
    double weight_decay;
    int amsgrad, centered, maximize;
} cot_optim;

typedef struct COT_NAMED_ cot_rate_options {
    COT_BEGIN_
    /* step, exponential: 0: 0.1 and 0.99 */
    double gamma;
    /* cosine, linear: the rate at the end */
    double last;
    /* all: so many first steps rise from 0 linearly; one_cycle: 0: 0.3 of all */
    double warmup;
    /* one_cycle: rate at the begin = peak / 25, at the end that / 1e4 */
    double first_div, last_div;
} cot_rate_options;

/* How many values hold the state of an optimiser of n parameters, 0 where it has none (sgd
 * without momentum); cot_optim_kind says which they are, in order. */
COT_API int cot_optim_state_count(const cot_optim *o, int n);
COT_API void cot_optim_begin_(cot_place at, const cot_optim *o, cot_values params,
                              cot_value *state);
COT_API void cot_optim_step_(cot_place at, const cot_optim *o, cot_values params,
                             cot_values gradients, cot_values state, cot_value *params_out,
                             cot_value *state_out);
COT_API cot_value cot_global_norm_(cot_place at, cot_values xs);
COT_API cot_value cot_clip_by_norm_(cot_place at, cot_values xs, double most, cot_value *out);
COT_API void cot_clip_by_value_(cot_place at, cot_values xs, double most, cot_value *out);
typedef enum cot_rate_kind {
    COT_RATE_CONSTANT,
    COT_RATE_STEP,
    COT_RATE_EXPONENTIAL,
    COT_RATE_COSINE,
    COT_RATE_LINEAR,
    COT_RATE_ONE_CYCLE
} cot_rate_kind;
/* The learning rate at a step, by its kind: what cot_constant_rate and its kin call. */
COT_API cot_value cot_rate_(cot_place at, cot_rate_kind kind, cot_value step, double rate,
                            double steps, const cot_rate_options *o, size_t size);
COT_API cot_value cot_lbfgs_direction_(cot_place at, cot_value g, cot_value s, cot_value y,
                                       cot_value count);
COT_API void cot_lbfgs_push_(cot_place at, cot_value s, cot_value y, cot_value count,
                             cot_value ds, cot_value dy, cot_value *out);

#ifndef __cplusplus
/* The first state of the parameters, a list of n, to state[0 ... cot_optim_state_count(o, n) -
 * 1]: zeros of their shapes, f32 for f16 and bf16, and i32[] for the steps so far. Errors:
 * COT_ERR_ARG where the kind is none or state is NULL. */
#define cot_optim_begin(o, params, state) cot_optim_begin_(COT_HERE, o, params, state)
/* One step: n parameters, their gradients of the same types, the state; the next of both to
 * params_out, state_out.
 *
 * Errors   COT_ERR_ARG  the lists do not have n, n and cot_optim_state_count(o, n) values,
 *                       or the kind is none of the above
 * Sources  D. Kingma, J. Ba, Adam, 2015; I. Loshchilov, F. Hutter, Decoupled Weight Decay,
 *          2019; J. Duchi et al., Adaptive Subgradient Methods, 2011; X. Chen et al., Symbolic
 *          Discovery of Optimization Algorithms, 2023; Y. Nesterov, 1983, in the form of
 *          I. Sutskever et al., 2013. */
#define cot_optim_step(o, params, gradients, state, params_out, state_out) \
    cot_optim_step_(COT_HERE, o, params, gradients, state, params_out, state_out)

/* The Euclidean norm of all elements of all values of a list, real floating, one or more:
 * f32[], or f64[] where one of them is f64. */
#define cot_global_norm(xs) cot_global_norm_(COT_HERE, xs)
/* The values scaled so that their norm is at most `most`, to out; returns the norm before.
 * out may not be xs. */
#define cot_clip_by_norm(xs, most, out) cot_clip_by_norm_(COT_HERE, xs, most, out)
/* Each element of each value held within [-most, most], the derivative outside 0, to out, one
 * for each; out may not be xs. NaN stays. */
#define cot_clip_by_value(xs, most, out) cot_clip_by_value_(COT_HERE, xs, most, out)

#define COT_RATE_(...) &(const cot_rate_options){__VA_ARGS__}, sizeof(cot_rate_options)
/* The same rate at every step, a scalar (f32; f64 if step is). Steps count from 0; .warmup
 * first steps, which count from the beginning, rise to it linearly, here and in the schedules
 * below. */
#define cot_constant_rate(...) COT_CONSTANT_RATE_(__VA_ARGS__, .end_ = 0)
#define COT_CONSTANT_RATE_(step, rate, ...)                                                    \
    cot_rate_(COT_HERE, COT_RATE_CONSTANT, step, rate, 0, COT_RATE_(__VA_ARGS__))
/* rate gamma^floor(step / every): the rate drops by a factor at every so many steps; .gamma 0:
 * 0.1. */
#define cot_step_rate(...) COT_STEP_RATE_(__VA_ARGS__, .end_ = 0)
#define COT_STEP_RATE_(step, rate, every, ...)                                                 \
    cot_rate_(COT_HERE, COT_RATE_STEP, step, rate, every, COT_RATE_(__VA_ARGS__))
/* rate gamma^step, which drops by the same factor at each step; .gamma 0: 0.99. step and the
 * result are as of cot_constant_rate. */
#define cot_exponential_rate(...) COT_EXPONENTIAL_RATE_(__VA_ARGS__, .end_ = 0)
#define COT_EXPONENTIAL_RATE_(step, rate, ...)                                                 \
    cot_rate_(COT_HERE, COT_RATE_EXPONENTIAL, step, rate, 0, COT_RATE_(__VA_ARGS__))
/* From rate to .last (0) by half a cosine over `steps`, .last after them. I. Loshchilov, F.
 * Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts, 2017 (without restarts). */
#define cot_cosine_rate(...) COT_COSINE_RATE_(__VA_ARGS__, .end_ = 0)
#define COT_COSINE_RATE_(step, rate, steps, ...)                                               \
    cot_rate_(COT_HERE, COT_RATE_COSINE, step, rate, steps, COT_RATE_(__VA_ARGS__))
/* From rate to .last (0) by a straight line over `steps`, .last after them. step and the result
 * are as of cot_constant_rate. */
#define cot_linear_rate(...) COT_LINEAR_RATE_(__VA_ARGS__, .end_ = 0)
#define COT_LINEAR_RATE_(step, rate, steps, ...)                                               \
    cot_rate_(COT_HERE, COT_RATE_LINEAR, step, rate, steps, COT_RATE_(__VA_ARGS__))
/* From rate / 25 up to rate and down to almost nothing by half cosines, over `steps`. */
#define cot_one_cycle_rate(...) COT_ONE_CYCLE_RATE_(__VA_ARGS__, .end_ = 0)
#define COT_ONE_CYCLE_RATE_(step, rate, steps, ...)                                            \
    cot_rate_(COT_HERE, COT_RATE_ONE_CYCLE, step, rate, steps, COT_RATE_(__VA_ARGS__))

/* L-BFGS: the direction -H g of the two loops, H the inverse Hessian by the last pairs s
 * (steps) and y (differences of gradients), newest last.
 *
 *   g       T[n], s and y T[m, n], count integer[]: how many of the last pairs are there, at
 *           most m
 *   returns T[n]; -g where there are none
 *
 * A pair with s . y <= 0 is left out.  cot_lbfgs_push appends a pair, the oldest leaving: s, y
 * and count to out[0 ... 2].
 * Source   J. Nocedal, Updating quasi-Newton matrices with limited storage, 1980. */
#define cot_lbfgs_direction(g, s, y, count) cot_lbfgs_direction_(COT_HERE, g, s, y, count)
/* s, y and count with the pair (ds, dy) appended, the oldest pair leaving: to out[0], out[1]
 * and out[2]. */
#define cot_lbfgs_push(s, y, count, ds, dy, out)                                               \
    cot_lbfgs_push_(COT_HERE, s, y, count, ds, dy, out)
#endif

#ifdef __cplusplus
}
#endif
#endif
