/* Cotrace: losses.
 *
 * Each gives one number for each element or example, reduced by .reduction.  f16 and bf16 are
 * widened once and rounded once, after the reduction.  Formulas and defaults are PyTorch's;
 * classes are the last axis.  Operands are real floating (else COT_ERR_DTYPE), but labels, and
 * broadcast (else COT_ERR_SHAPE). */
#ifndef COTRACE_LOSS_H
#define COTRACE_LOSS_H

#include "cotrace/sugar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cot_loss_reduction {
    COT_LOSS_MEAN = 0, COT_LOSS_SUM, COT_LOSS_EACH,
    COT_LOSS_BATCH_MEAN                     /* the sum divided by the size of axis 0 */
} cot_loss_reduction;

typedef struct COT_NAMED_ cot_loss_options {
    COT_BEGIN_
    cot_loss_reduction reduction;
    /* cross_entropy, nll: of each class; bce: of each element */
    cot_value weight;
    /* bce_with_logits: of the positive part */
    cot_value pos_weight;
    /* cross_entropy, nll: labels that count as no example */
    cot_list ignore;
    /* cross_entropy: this part of a label goes to all classes alike */
    double label_smoothing;
    /* huber, smooth_l1 (its beta); 0: 1 */
    double delta;
    /* 0: the loss's usual one */
    double margin;
    /* triplet: the norm; 0: 2 */
    double p;
    /* kl_div: 1: the target is a logarithm */
    int log_target;
    /* poisson_nll: 1: with Stirling's term; gaussian_nll: 1: with log(2 pi) / 2 */
    int full;
    /* ctc: its class */
    int blank;
    /* ctc: 1: a target that cannot be has loss 0 */
    int zero_infinity;
} cot_loss_options;

#define COT_LOSS_2_(name)                                                                      \
    COT_API cot_value name(cot_place at, cot_value x, cot_value y, const cot_loss_options *o,  \
                           size_t size);
#define COT_LOSS_3_(name)                                                                      \
    COT_API cot_value name(cot_place at, cot_value x, cot_value y, cot_value z,                \
                           const cot_loss_options *o, size_t size);
COT_LOSS_2_(cot_mse_loss_)
COT_LOSS_2_(cot_l1_)
COT_LOSS_2_(cot_smooth_l1_)
COT_LOSS_2_(cot_huber_)
COT_LOSS_2_(cot_cross_entropy_loss_)
COT_LOSS_2_(cot_nll_)
COT_LOSS_2_(cot_bce_)
COT_LOSS_2_(cot_bce_with_logits_)
COT_LOSS_2_(cot_kl_div_)
COT_LOSS_2_(cot_hinge_)
COT_LOSS_2_(cot_hinge_embedding_)
COT_LOSS_2_(cot_soft_margin_)
COT_LOSS_2_(cot_poisson_nll_)
COT_LOSS_3_(cot_gaussian_nll_)
COT_LOSS_3_(cot_cosine_embedding_)
COT_LOSS_3_(cot_margin_ranking_)
COT_LOSS_3_(cot_triplet_)
#undef COT_LOSS_2_
#undef COT_LOSS_3_
COT_API cot_value cot_cosine_similarity_(cot_place at, cot_value x, cot_value y, int axis,
                                         double eps);
COT_API cot_value cot_ctc_(cot_place at, cot_value log_probs, cot_value targets,
                           cot_value input_lengths, cot_value target_lengths,
                           const cot_loss_options *o, size_t size);

#ifndef __cplusplus
#define COT_LOSS_(...) &(const cot_loss_options){__VA_ARGS__}, sizeof(cot_loss_options)
/* The squared error (x - y)^2, its mean by default (.reduction). x is floating, y broadcasts
 * with it and promotes. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE, as of all losses. */
#define cot_mse(...) COT_MSE_(__VA_ARGS__, .end_ = 0)
#define COT_MSE_(x, y, ...) cot_mse_loss_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* The absolute error |x - y|, its mean by default (.reduction); operands and errors are those
 * of cot_mse. The derivative at x = y is 0. */
#define cot_l1(...) COT_L1_(__VA_ARGS__, .end_ = 0)
#define COT_L1_(x, y, ...) cot_l1_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* Half the square of x - y over .delta within .delta of 0, beyond it the line |x - y| -
 * .delta / 2. */
#define cot_smooth_l1(...) COT_SMOOTH_L1_(__VA_ARGS__, .end_ = 0)
#define COT_SMOOTH_L1_(x, y, ...) cot_smooth_l1_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* Half the square of x - y within .delta of 0, beyond it the line .delta (|x - y| - .delta /
 * 2). */
#define cot_huber(...) COT_HUBER_(__VA_ARGS__, .end_ = 0)
#define COT_HUBER_(x, y, ...) cot_huber_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))

/* -log softmax(logits)[label]: logits [..., n], labels integers [...] or distributions [...,
 * n].  The mean is over examples that are not ignored, weighted by .weight [n] where there is
 * one; of distributions, over all examples.
 * nll takes logarithms of probabilities instead, and integers only.
 * Errors   COT_ERR_SHAPE  labels or weights do not fit */
#define cot_cross_entropy(...) COT_CROSS_ENTROPY_(__VA_ARGS__, .end_ = 0)
#define COT_CROSS_ENTROPY_(logits, labels, ...) \
    cot_cross_entropy_loss_(COT_HERE, logits, labels, COT_LOSS_(__VA_ARGS__))
/* -log_probs[label], the loss of cot_cross_entropy for logarithms of probabilities and
 * integers as labels, with the same options. */
#define cot_nll(...) COT_NLL_(__VA_ARGS__, .end_ = 0)
#define COT_NLL_(log_probs, labels, ...)                                                       \
    cot_nll_(COT_HERE, log_probs, labels, COT_LOSS_(__VA_ARGS__))
/* The binary cross entropy -(y log p + (1 - y) log(1 - p)) of probabilities p, 0 to 1, and
 * labels y, 0 to 1, logarithms not below -100; .weight multiplies it element by element.
 * Operands and errors are those of cot_mse. */
#define cot_bce(...) COT_BCE_(__VA_ARGS__, .end_ = 0)
#define COT_BCE_(p, y, ...) cot_bce_(COT_HERE, p, y, COT_LOSS_(__VA_ARGS__))
/* cot_bce of the probability p = 1 / (1 + e^-x), computed from the logit x without overflow;
 * .pos_weight multiplies the part of y, .weight the whole. */
#define cot_bce_with_logits(...) COT_BCE_LOGITS_(__VA_ARGS__, .end_ = 0)
#define COT_BCE_LOGITS_(x, y, ...) cot_bce_with_logits_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* y (log y - x), x a logarithm of probabilities; 0 where y is 0.  The mean over distributions
 * is COT_LOSS_BATCH_MEAN. */
#define cot_kl_div(...) COT_KL_DIV_(__VA_ARGS__, .end_ = 0)
#define COT_KL_DIV_(x, y, ...) cot_kl_div_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* The negative log likelihood e^x - y x of a count y, where x is the logarithm of the rate of a
 * Poisson distribution; terms of y alone are left out, unless .full = 1 adds Stirling's
 * approximation of log y! where y > 1. */
#define cot_poisson_nll(...) COT_POISSON_NLL_(__VA_ARGS__, .end_ = 0)
#define COT_POISSON_NLL_(x, y, ...) cot_poisson_nll_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* The negative log likelihood log(var) / 2 + (x - y)^2 / (2 var) of y under a normal
 * distribution of mean x and variance var, which is held at 1e-6 or more; .full = 1 adds log(2
 * pi) / 2. */
#define cot_gaussian_nll(...) COT_GAUSSIAN_NLL_(__VA_ARGS__, .end_ = 0)
#define COT_GAUSSIAN_NLL_(x, y, var, ...)                                                      \
    cot_gaussian_nll_(COT_HERE, x, y, var, COT_LOSS_(__VA_ARGS__))

/* The hinge loss max(0, .margin - x y) of a score x and a label y, which is 1 or -1, with
 * margin 1. Operands and errors are those of cot_mse. */
#define cot_hinge(...) COT_HINGE_(__VA_ARGS__, .end_ = 0)
#define COT_HINGE_(x, y, ...) cot_hinge_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* x where y is 1, max(0, .margin - x) where y is -1, with margin 1. */
#define cot_hinge_embedding(...) COT_HINGE_EMBEDDING_(__VA_ARGS__, .end_ = 0)
#define COT_HINGE_EMBEDDING_(x, y, ...)                                                        \
    cot_hinge_embedding_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* The logistic loss log(1 + e^(-x y)) of a score x and a label y, which is 1 or -1, without
 * overflow. Operands and errors are those of cot_mse. */
#define cot_soft_margin(...) COT_SOFT_MARGIN_(__VA_ARGS__, .end_ = 0)
#define COT_SOFT_MARGIN_(x, y, ...) cot_soft_margin_(COT_HERE, x, y, COT_LOSS_(__VA_ARGS__))
/* max(0, .margin - z (x - y)) with margin 0: small where the score x is above y by the margin
 * for z = 1, below it for z = -1. The three broadcast. */
#define cot_margin_ranking(...) COT_MARGIN_RANKING_(__VA_ARGS__, .end_ = 0)
#define COT_MARGIN_RANKING_(x, y, z, ...)                                                      \
    cot_margin_ranking_(COT_HERE, x, y, z, COT_LOSS_(__VA_ARGS__))
/* x . y / (max(|x|, eps) max(|y|, eps)) along an axis, which the result lacks, with Euclidean
 * norms and eps 1e-8. x and y are floating and broadcast. Errors: COT_ERR_DTYPE, COT_ERR_SHAPE
 * where there is no such axis. */
#define cot_cosine_similarity(x, y, axis) cot_cosine_similarity_(COT_HERE, x, y, axis, 1e-8)
/* 1 - the cosine similarity of the last axis where z is 1, else max(0, that - .margin). */
#define cot_cosine_embedding(...) COT_COSINE_EMBEDDING_(__VA_ARGS__, .end_ = 0)
#define COT_COSINE_EMBEDDING_(x, y, z, ...)                                                    \
    cot_cosine_embedding_(COT_HERE, x, y, z, COT_LOSS_(__VA_ARGS__))
/* max(0, |a - p| - |a - n| + .margin) with norms of the last axis, and margin 1. */
#define cot_triplet(...) COT_TRIPLET_(__VA_ARGS__, .end_ = 0)
#define COT_TRIPLET_(a, p, n, ...) cot_triplet_(COT_HERE, a, p, n, COT_LOSS_(__VA_ARGS__))

/* The probability, as -log, that a sequence with blanks reads as the target.
 *
 *   log_probs       float[t, n, c], logarithms of the probabilities of classes
 *   targets         integers [n, s], without blanks, of which the first target_lengths[i] count
 *   input_lengths   integers [n]: steps that count; target_lengths likewise
 *   returns         the mean over examples of each loss divided by its target's length (1
 *                   for 0), or by .reduction
 *
 * An impossible target has the loss +inf, or 0 with .zero_infinity; its derivative is 0.
 * Source   A. Graves et al., Connectionist Temporal Classification, 2006. */
#define cot_ctc(...) COT_CTC_(__VA_ARGS__, .end_ = 0)
#define COT_CTC_(log_probs, targets, input_lengths, target_lengths, ...)                       \
    cot_ctc_(COT_HERE, log_probs, targets, input_lengths, target_lengths,                      \
             COT_LOSS_(__VA_ARGS__))
#endif

#ifdef __cplusplus
}
#endif
#endif
