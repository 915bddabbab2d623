/* Cotrace: random numbers, and memory that a traced body captures.
 *
 * A key is a value u64[2]; a draw is a pure function of its key, so equal keys give equal
 * numbers on every back end, for any chunk, thread count and vector width.  The bits are those
 * of Philox 4x32-10 (Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011) at
 * the counter (index of the element, second word of the key) under the first word of the key.
 *
 * A draw without .key takes the context's generator: a hidden argument, whose key each call
 * supplies and advances.  The number of the draw in its trace joins the key, as does the trip
 * of a loop, and under vmap(.randomness = COT_RANDOM_DIFFERENT) the number of the example; so
 * two draws never agree, and no transform changes one. */
#ifndef COTRACE_RANDOM_H
#define COTRACE_RANDOM_H

#include "cotrace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Set the context's generator: the next call that draws takes the key {seed, 0}, the one after
 * it {seed, 1}, and so on.  Not while another thread runs a kernel of the context.  A new
 * context has the seed 0. */
COT_API void cot_manual_seed(cot_context *ctx, uint64_t seed);

typedef struct COT_NAMED_ cot_random_options {
    COT_BEGIN_
    cot_value key;              /* u64[2]; absent: the context's generator  */
    double low, high;           /* uniform; both 0: from 0 to 1             */
} cot_random_options;

typedef struct COT_NAMED_ cot_choice_options {
    COT_BEGIN_
    cot_value key;              /* u64[2]; absent: the context's generator  */
    cot_value p;                /* a weight for each element; absent: equal ones */
    int distinct;               /* 1: no element twice                      */
    int axis;
} cot_choice_options;

COT_API cot_value cot_capture_(cot_place at, cot_trace *t, const cot_array *array,
                               const char *name);
COT_API cot_value cot_key_(cot_place at, cot_trace *t, uint64_t seed);
COT_API cot_value cot_next_key_(cot_place at, cot_trace *t);
COT_API cot_value cot_fold_in_(cot_place at, cot_value key, cot_operand n);
COT_API cot_value cot_split_key_(cot_place at, cot_value key, int64_t n);
#define COT_DRAW_(name, ...)                                                                   \
    COT_API cot_value name(cot_place at, cot_trace *t, __VA_ARGS__,                            \
                           const cot_random_options *o, size_t size);
COT_DRAW_(cot_bits_, cot_type type)
COT_DRAW_(cot_uniform_, cot_type type)
COT_DRAW_(cot_normal_, cot_type type)
COT_DRAW_(cot_exponential_, cot_type type)
COT_DRAW_(cot_bernoulli_, cot_type shape, cot_operand p)
COT_DRAW_(cot_randint_, cot_type type, int64_t low, int64_t high)
COT_DRAW_(cot_permutation_, int64_t n)
COT_DRAW_(cot_gumbel_, cot_type type)
COT_DRAW_(cot_poisson_, cot_value rate)
COT_DRAW_(cot_dirichlet_, cot_value alpha)
COT_DRAW_(cot_multivariate_normal_, cot_value mean, cot_value cov)
#undef COT_DRAW_
COT_API cot_value cot_choice_(cot_place at, cot_trace *t, cot_value x, cot_list shape,
                              const cot_choice_options *o, size_t size);
COT_API cot_value cot_gamma_(cot_place at, cot_trace *t, cot_value alpha,
                             const cot_random_options *o, size_t size);
COT_API cot_value cot_categorical_(cot_place at, cot_value logits, const cot_random_options *o,
                                   size_t size);
COT_API cot_value cot_dropout_(cot_place at, cot_value x, double p, const cot_random_options *o,
                               size_t size);
COT_API cot_value cot_threefry_key_(cot_place at, cot_trace *t, uint64_t seed);
COT_API cot_value cot_threefry_fold_in_(cot_place at, cot_value key, uint32_t n);
COT_API cot_value cot_threefry_split_(cot_place at, cot_value key, int64_t n);
COT_API cot_value cot_threefry_bits_(cot_place at, cot_value key, cot_type type);
COT_API cot_value cot_threefry_uniform_(cot_place at, cot_value key, cot_type type);
COT_API cot_value cot_threefry_normal_(cot_place at, cot_value key, cot_type type);

#ifndef __cplusplus
/* The array as a value: a hidden argument of the traced function, read anew at each call, never
 * part of the graph.  It comes after all others, no wrt names it, no vmap maps it.  The context
 * holds the array until it is freed itself, so cot_array_free may come before (memory that the
 * array borrows must live as long as the function and its kernels).  name is for dumps and
 * headers, where objects list it. */
#define cot_capture(t, array, name) cot_capture_(COT_HERE, t, array, name)

/* The key {seed, 0}, u64[2], as a constant of the trace: for draws with .key, cot_fold_in and
 * cot_split_key. */
#define cot_key(t, seed) cot_key_(COT_HERE, t, seed)
/* The key u64[2] of one more draw of the context's generator, for functions that take a key. As
 * every draw without .key it makes the generator a hidden argument. */
#define cot_next_key(t) cot_next_key_(COT_HERE, t)
/* The key that follows from a key u64[2] and an integer n, a number (0 or more) or a value of
 * integers, of whose shape keys are then made: u64[shape of n, 2]. Errors: COT_ERR_SHAPE for
 * what is no key, COT_ERR_DTYPE for what is no integer. */
#define cot_fold_in(key, n) cot_fold_in_(COT_HERE, key, COT_OPERAND(n))
/* n independent keys that follow from one key u64[2]: u64[n, 2], the rows cot_fold_in(key, 0)
 * ... (key, n - 1). Errors: COT_ERR_SHAPE for what is no key or a negative n. */
#define cot_split_key(key, n) cot_split_key_(COT_HERE, key, n)

#define COT_RANDOM_(...) &(const cot_random_options){__VA_ARGS__}, sizeof(cot_random_options)
/* Independent random bits: an array of the type, which is an unsigned one of 8 to 64 bits (else
 * COT_ERR_DTYPE), all of whose numbers are equally likely. */
#define cot_bits(...) COT_BITS_(__VA_ARGS__, .end_ = 0)
#define COT_BITS_(t, type, ...) cot_bits_(COT_HERE, t, type, COT_RANDOM_(__VA_ARGS__))
/* From .low up to .high, of a real floating type (else COT_ERR_DTYPE): multiples of 2^-24
 * (f32), 2^-53 (f64), 2^-11 (f16), 2^-8 (bf16) of the interval, high not among them but where
 * the last rounding reaches it. */
#define cot_uniform(...) COT_UNIFORM_(__VA_ARGS__, .end_ = 0)
#define COT_UNIFORM_(t, type, ...) cot_uniform_(COT_HERE, t, type, COT_RANDOM_(__VA_ARGS__))
/* The normal distribution of mean 0 and variance 1, of a real floating type (else
 * COT_ERR_DTYPE), by G. Box, M. Muller, A Note on the
 * Generation of Random Normal Deviates, 1958; |x| < 5.8 in f32, 8.6 in f64. */
#define cot_normal(...) COT_NORMAL_(__VA_ARGS__, .end_ = 0)
#define COT_NORMAL_(t, type, ...) cot_normal_(COT_HERE, t, type, COT_RANDOM_(__VA_ARGS__))
/* The exponential distribution of mean 1, -log(u) of a uniform u above 0 and up to 1, so never
 * infinite; the type is real floating (else COT_ERR_DTYPE). */
#define cot_exponential(...) COT_EXPONENTIAL_(__VA_ARGS__, .end_ = 0)
#define COT_EXPONENTIAL_(t, type, ...)                                                         \
    cot_exponential_(COT_HERE, t, type, COT_RANDOM_(__VA_ARGS__))
/* True with probability p (a number or value that broadcasts to the shape): a uniform number
 * below p.  The result is bool; only the sizes of `shape` count, not its element type. */
#define cot_bernoulli(...) COT_BERNOULLI_(__VA_ARGS__, .end_ = 0)
#define COT_BERNOULLI_(t, shape, p, ...) \
    cot_bernoulli_(COT_HERE, t, shape, COT_OPERAND(p), COT_RANDOM_(__VA_ARGS__))
/* Integers low ... high - 1, at most 2^32 of them, of an integer type (else COT_ERR_DTYPE); off
 * by at most 2^-32 of each probability. */
#define cot_randint(...) COT_RANDINT_(__VA_ARGS__, .end_ = 0)
#define COT_RANDINT_(t, type, low, high, ...) \
    cot_randint_(COT_HERE, t, type, low, high, COT_RANDOM_(__VA_ARGS__))
/* 0 ... n - 1 in random order, i32[n]: the places of n random numbers of 64 bits, sorted. */
#define cot_permutation(...) COT_PERMUTATION_(__VA_ARGS__, .end_ = 0)
#define COT_PERMUTATION_(t, n, ...) cot_permutation_(COT_HERE, t, n, COT_RANDOM_(__VA_ARGS__))
/* The gamma distribution of shape alpha > 0 (f32 or f64, any shape) and scale 1.  G. Marsaglia,
 * W. Tsang, A Simple Method for Generating Gamma Variables, 2000.  The derivative by alpha is
 * that of the draw at a fixed quantile (M. Figurnov, S. Mohamed, A. Mnih, Implicit
 * Reparameterization Gradients, 2018); there is no second one: COT_ERR_RULE. */
#define cot_gamma(...) COT_GAMMA_(__VA_ARGS__, .end_ = 0)
#define COT_GAMMA_(t, alpha, ...) cot_gamma_(COT_HERE, t, alpha, COT_RANDOM_(__VA_ARGS__))
/* An index along the last axis with probability softmax(logits): i32[...] for logits real
 * floating [..., k] (else COT_ERR_DTYPE), k >= 1 (else COT_ERR_SHAPE). It takes no trace, since
 * a value is drawn for each row of its operand; docs/random.md says the rule. The largest of
 * logits plus Gumbel noise is taken. */
#define cot_categorical(...) COT_CATEGORICAL_(__VA_ARGS__, .end_ = 0)
#define COT_CATEGORICAL_(logits, ...)                                                          \
    cot_categorical_(COT_HERE, logits, COT_RANDOM_(__VA_ARGS__))
/* The Gumbel distribution of location 0 and scale 1, -log(-log(u)) of a uniform u; the type is
 * floating (else COT_ERR_DTYPE). */
#define cot_gumbel(...) COT_GUMBEL_(__VA_ARGS__, .end_ = 0)
#define COT_GUMBEL_(t, type, ...) cot_gumbel_(COT_HERE, t, type, COT_RANDOM_(__VA_ARGS__))
/* The Poisson distribution of the rates, floating of any shape: whole numbers of the rates'
 * type, computed in f64; NaN where a rate is below 0 or NaN.  The derivative is 0.  Below a
 * rate of 10 waiting times are added up, from there on W. Hormann, The Transformed Rejection
 * Method for Generating Poisson Random Variables, 1993, accepts. */
#define cot_poisson(...) COT_POISSON_(__VA_ARGS__, .end_ = 0)
#define COT_POISSON_(t, rate, ...) cot_poisson_(COT_HERE, t, rate, COT_RANDOM_(__VA_ARGS__))
/* cot_choice(t, x, COT_LIST(2, 3), .axis = 0): so many elements of x, slices along the axis,
 * whose place the shape takes.  With .p, floating [n], n the size of the axis, each with
 * probability p / sum(p); with .distinct = 1 none twice: as if drawn one after the other, each
 * in proportion to p among those that are left.  Derivatives are those of cot_take in x, and 0
 * in p.
 *
 * Errors   COT_ERR_ARG  the axis has no elements; .p has another size; .distinct of more than
 *                       there are
 * Source   T. Vieira, Gumbel-max Trick and Weighted Reservoir Sampling, 2014. */
#define cot_choice(...) COT_CHOICE_(__VA_ARGS__, .end_ = 0)
#define COT_CHOICE_(t, x, shape, ...)                                                          \
    cot_choice_(COT_HERE, t, x, shape, &(const cot_choice_options){ __VA_ARGS__ },             \
                sizeof(cot_choice_options))
/* The Dirichlet distribution of concentrations alpha > 0 along the last axis, T[..., k]:
 * positive numbers whose sum is 1, of gamma draws by their logarithms, so that small alpha is
 * no trouble. The derivative by alpha is as cot_gamma's. */
#define cot_dirichlet(...) COT_DIRICHLET_(__VA_ARGS__, .end_ = 0)
#define COT_DIRICHLET_(t, alpha, ...)                                                          \
    cot_dirichlet_(COT_HERE, t, alpha, COT_RANDOM_(__VA_ARGS__))
/* The normal distribution of a vector with the mean [..., k] and the covariance [..., k, k],
 * positive definite (else NaN): mean + L z, L the Cholesky factor, z normal; leading axes
 * broadcast.  Differentiable in both.
 *
 * Errors   COT_ERR_SHAPE  shapes do not fit */
#define cot_multivariate_normal(...) COT_MULTIVARIATE_NORMAL_(__VA_ARGS__, .end_ = 0)
#define COT_MULTIVARIATE_NORMAL_(t, mean, cov, ...)                                            \
    cot_multivariate_normal_(COT_HERE, t, mean, cov, COT_RANDOM_(__VA_ARGS__))
/* x / (1 - p) with probability 1 - p, else 0; for each element. x is floating of any shape
 * (else COT_ERR_DTYPE), p a number, 0 <= p < 1 (else COT_ERR_ARG). It takes no trace: it is a
 * layer, which changes its operand. N. Srivastava et al., Dropout: A Simple Way to Prevent
 * Neural Networks from Overfitting, 2014. */
#define cot_dropout(...) COT_DROPOUT_(__VA_ARGS__, .end_ = 0)
#define COT_DROPOUT_(x, p, ...) cot_dropout_(COT_HERE, x, p, COT_RANDOM_(__VA_ARGS__))

/* JAX's key of a seed, u32[2]: its threefry2x32 with jax_threefry_partitionable, the default
 * of JAX 0.10.  What the functions below make of it agrees with JAX's bit for bit, but where
 * they say otherwise. */
#define cot_threefry_key(t, seed) cot_threefry_key_(COT_HERE, t, seed)
/* jax.random.fold_in: the key u32[2] that follows from a key u32[2] and an integer known while
 * tracing. Errors: COT_ERR_SHAPE for what is no key. */
#define cot_threefry_fold_in(key, n) cot_threefry_fold_in_(COT_HERE, key, n)
/* jax.random.split: n keys u32[n, 2] that follow from a key u32[2]. Errors: COT_ERR_SHAPE for
 * what is no key or a negative n. */
#define cot_threefry_split(key, n) cot_threefry_split_(COT_HERE, key, n)
/* jax.random.bits: an array of the type, u32 or u64 (else COT_ERR_DTYPE), of independent bits
 * of a key u32[2] (else COT_ERR_SHAPE). */
#define cot_threefry_bits(key, type) cot_threefry_bits_(COT_HERE, key, type)
/* jax.random.uniform: an array of the type, f32 (else COT_ERR_DTYPE), of uniform numbers from 0
 * up to 1, of a key u32[2]. */
#define cot_threefry_uniform(key, type) cot_threefry_uniform_(COT_HERE, key, type)
/* jax.random.normal: an array of the type, f32 (else COT_ERR_DTYPE), within 1e-6 of JAX's
 * numbers, of a key u32[2]. */
#define cot_threefry_normal(key, type) cot_threefry_normal_(COT_HERE, key, type)
#endif

#ifdef __cplusplus
}
#endif
#endif
