/* Complex numbers as pairs of reals: declarations that the files of this folder share.
 *
 * An expansion takes the node and the pairs of its operands and returns the pair of its result;
 * im is IR_NONE where an operand or the result is real.  It consists of ordinary ops on f32 and
 * f64, so that every back end gives the same bits, and no later rule knows complex numbers. */
#ifndef PASSES_COMPLEX_PAIR_H
#define PASSES_COMPLEX_PAIR_H

#include "passes/engine.h"

typedef struct pass_pair {
    ir_ref re, im;
} pass_pair;

typedef pass_pair pass_pair_rule(ir_build *b, const ir_node *n, const pass_pair *x);

/* expansions.c: the rule of an op; NULL: the op is applied to each part. */
pass_pair_rule *pass_pair_rule_of(ir_op op);
/* A complex constant as two real ones. */
pass_pair pass_pair_constant(ir_build *b, const ir_data *d);

/* The parts as a last axis of size 2, and back (complex.c); for rank 64, all elements in one
 * axis before it. */
ir_ref pass_pair_in_memory(ir_build *b, pass_pair z, int rank, const int64_t *dims);
pass_pair pass_pair_of_memory(ir_build *b, ir_ref x, int rank, const int64_t *dims);

/* The rules, by op. */
pass_pair_rule pair_complex, pair_real, pair_imag, pair_conj, pair_convert, pair_eq, pair_ne,
    pair_is_finite, pair_iota, pair_abs, pair_sign, pair_mul, pair_div, pair_integer_pow,
    pair_reduce_prod, pair_cumprod, pair_scatter_mul, pair_dot_general, pair_conv_general,
    pair_fft;
pass_pair_rule pair_exp, pair_exp2, pair_expm1, pair_log, pair_log2, pair_log1p, pair_sqrt,
    pair_rsqrt, pair_pow, pair_logistic;
pass_pair_rule pair_sin, pair_cos, pair_tan, pair_sinh, pair_cosh, pair_tanh, pair_asin,
    pair_acos, pair_atan, pair_asinh, pair_acosh, pair_atanh;

/* Arithmetic of pairs. */
pass_pair pass_pair_div(ir_build *b, pass_pair x, pass_pair y);
pass_pair pass_pair_sqrt(ir_build *b, pass_pair z);
static inline pass_pair
pass_pair_neg(ir_build *b, pass_pair z)
{
    return (pass_pair){ ir_neg(b, z.re), ir_neg(b, z.im) };
}
/* i z and -i z: exact, and zeros keep their signs. */
static inline pass_pair
pass_pair_i(ir_build *b, pass_pair z)
{
    return (pass_pair){ ir_neg(b, z.im), z.re };
}
static inline pass_pair
pass_pair_minus_i(ir_build *b, pass_pair z)
{
    return (pass_pair){ z.im, ir_neg(b, z.re) };
}

/* Functions of reals (parts.c). */
static inline ir_ref pr_k(ir_build *b, ir_ref x, double c) { return ir_like(b, x, c); }
static inline ir_ref
pr_addk(ir_build *b, ir_ref x, double c)
{
    return ir_add(b, x, ir_like(b, x, c));
}
static inline ir_ref
pr_mulk(ir_build *b, ir_ref x, double c)
{
    return ir_mul(b, x, ir_like(b, x, c));
}
static inline ir_ref pr_abs(ir_build *b, ir_ref x) { return ir_op1(b, OP_abs, x); }
static inline ir_ref pr_or(ir_build *b, ir_ref p, ir_ref q) { return ir_op2(b, OP_or, p, q); }
static inline ir_ref pr_and(ir_build *b, ir_ref p, ir_ref q) { return ir_op2(b, OP_and, p, q); }
static inline ir_ref pr_not(ir_build *b, ir_ref p) { return ir_op1(b, OP_not, p); }
static inline ir_ref
pr_less(ir_build *b, ir_ref x, double c)
{
    return ir_op2(b, OP_lt, x, ir_like(b, x, c));
}
static inline ir_ref
pr_more(ir_build *b, ir_ref x, double c)
{
    return ir_op2(b, OP_gt, x, ir_like(b, x, c));
}
static inline ir_ref
pr_is(ir_build *b, ir_ref x, double c)
{
    return ir_op2(b, OP_eq, x, ir_like(b, x, c));
}
static inline bool
pr_wide(const ir_build *b, ir_ref x)
{
    return x && ir_btype(b, x)->dtype == COT_F64;
}
/* The constant 0, of either sign. */
bool pr_is_zero(const ir_build *b, ir_ref x);
/* The rounded product x y, which contraction does not merge with a sum (docs/numerics.md:
 * complex arithmetic is not contracted). */
ir_ref pr_product(ir_build *b, ir_ref x, ir_ref y);
ir_ref pr_is_inf(ir_build *b, ir_ref x);
ir_ref pr_is_nan(ir_build *b, ir_ref x);
/* |x| with the sign of y, also of a zero.  The sign of a NaN is ignored, since arithmetic does
 * not determine it, so that no result depends on it. */
ir_ref pr_copysign(ir_build *b, ir_ref x, ir_ref y);
/* x y, where a zero x gives 0 even if y is infinite. */
ir_ref pr_zero_wins(ir_build *b, ir_ref x, ir_ref y);
/* sqrt(x^2 + y^2), which overflows only if the result does; infinite if either operand is. */
ir_ref pr_hypot(ir_build *b, ir_ref x, ir_ref y);
/* log sqrt(x^2 + y^2), accurate where the result is small. t: x^2 + y^2 - 1, if the caller has
 * it, or IR_NONE. */
ir_ref pr_log_abs(ir_build *b, ir_ref x, ir_ref y, ir_ref t);

#endif
