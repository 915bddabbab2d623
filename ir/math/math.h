/* Building the scalar program of a pointwise op: the rules, and a short notation for
 * instructions.
 *
 * A rule eval_<column> adds to b what computes one element from the operands x, and answers the
 * value.
 * `in` is the type in which the operands come (of the last one, where they differ: select),
 * `out` the element type of the result.  Rules of floating ops see f32 and f64 only: ir_sc_of
 * widens halves to f32 and rounds the result once.  The rules of convert, bitcast, select and
 * stop_gradient take every type as it is. */
#ifndef IR_MATH_MATH_H
#define IR_MATH_MATH_H

#include "ir/op.h"
#include "ir/scalar.h"

#define MATH_UNUSED __attribute__((unused))
#define MATH_ARGS                                                                              \
    MATH_UNUSED ir_sc_build *b, MATH_UNUSED const ir_attrs *at, MATH_UNUSED cot_dtype in,      \
        MATH_UNUSED cot_dtype out, const ir_sc *x
typedef ir_sc eval_scalar(MATH_ARGS);

/* The row's rule, if the row is pointwise. */
#define MATH_POINTWISE(rule) rule
#define MATH_MOVE(rule)
#define MATH_REDUCE(rule)
#define MATH_CONTRACT(rule)
#define MATH_LINE(rule)
#define MATH_INDEX(rule)
#define MATH_COLLECTIVE(rule)
#define MATH_FLOW(rule)
#define MATH_EFFECT(rule)
#define MATH_EXPAND(rule)
#define OP(name, n, attrs, flag, infer, eval, ...) MATH_##flag(eval_scalar eval_##eval;)
#include "ir/ops.def"
#undef OP

/* m_<instruction>(b, operands): the type is that of the operands. */
#define M1(op)                                                                                 \
    static inline ir_sc m_##op(ir_sc_build *b, ir_sc x)                                        \
    {                                                                                          \
        return ir_sc_add_insn(b, SC_##op, ir_sc_type_in(b, x), x, 0, 0);                       \
    }
#define M2(op)                                                                                 \
    static inline ir_sc m_##op(ir_sc_build *b, ir_sc x, ir_sc y)                               \
    {                                                                                          \
        return ir_sc_add_insn(b, SC_##op, ir_sc_type_in(b, x), x, y, 0);                       \
    }
M1(neg) M1(abs) M1(sqrt) M1(floor) M1(ceil) M1(trunc) M1(rint) M1(not) M1(popcnt) M1(clz)
M2(add) M2(sub) M2(mul) M2(div) M2(rem) M2(max) M2(min) M2(and) M2(or) M2(xor) M2(shl) M2(shr)
M2(eq) M2(ne) M2(lt) M2(le)
#undef M1
#undef M2

static inline ir_sc
m_fma(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc z)
{
    return ir_sc_add_insn(b, SC_fma, ir_sc_type_in(b, x), x, y, z);
}
static inline ir_sc
m_select(ir_sc_build *b, ir_sc c, ir_sc x, ir_sc y)
{
    return ir_sc_add_insn(b, SC_select, ir_sc_type_in(b, x), c, x, y);
}
static inline ir_sc
m_cvt(ir_sc_build *b, cot_dtype T, ir_sc x)
{
    return ir_sc_add_insn(b, SC_cvt, T, x, 0, 0);
}
static inline ir_sc
m_bits(ir_sc_build *b, cot_dtype T, ir_sc x)
{
    return ir_sc_add_insn(b, SC_bitcast, T, x, 0, 0);
}
/* The number k in the type of x. */
static inline ir_sc
m_num(ir_sc_build *b, ir_sc x, double k)
{
    return ir_sc_number(b, ir_sc_type_in(b, x), k);
}
/* x + k, x * k, x < k, k < x for a number k that is exact in x's type or rounded to it. */
static inline ir_sc
m_addk(ir_sc_build *b, ir_sc x, double k)
{
    return m_add(b, x, m_num(b, x, k));
}
static inline ir_sc
m_mulk(ir_sc_build *b, ir_sc x, double k)
{
    return m_mul(b, x, m_num(b, x, k));
}
static inline ir_sc
m_ltk(ir_sc_build *b, ir_sc x, double k)
{
    return m_lt(b, x, m_num(b, x, k));
}
static inline ir_sc
m_gtk(ir_sc_build *b, ir_sc x, double k)
{
    return m_lt(b, m_num(b, x, k), x);
}
static inline ir_sc
m_eqk(ir_sc_build *b, ir_sc x, double k)
{
    return m_eq(b, x, m_num(b, x, k));
}
/* x * y - z and z - x * y, rounded once. */
static inline ir_sc
m_fms(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc z)
{
    return m_fma(b, x, y, m_neg(b, z));
}
static inline ir_sc
m_fnma(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc z)
{
    return m_fma(b, m_neg(b, x), y, z);
}

/* common.c: pieces that several functions share. */

/* The integer type as wide as T. */
cot_dtype ir_math_int(cot_dtype T);
cot_dtype ir_math_uint(cot_dtype T);
/* c[0] + x (c[1] + x (... c[n-1])), by Horner's rule with fma. */
ir_sc ir_math_poly(ir_sc_build *b, ir_sc x, int n, const double *c);
/* The same in two chains, of the even and of the odd powers: xx is x^2.  Half the latency. */
ir_sc ir_math_poly2(ir_sc_build *b, ir_sc x, ir_sc xx, int n, const double *c);
/* |x| with the sign of s. */
ir_sc ir_math_copysign(ir_sc_build *b, ir_sc x, ir_sc s);
/* f32: the f64 program on the widened operand, rounded; f64: the program itself. */
typedef ir_sc ir_math_f64(ir_sc_build *b, const ir_sc *x);
ir_sc ir_math_wide(ir_sc_build *b, int n, const ir_sc *x, ir_math_f64 *f);
/* y with its sign turned over where s is negative. */
ir_sc ir_math_flip(ir_sc_build *b, ir_sc y, ir_sc s);
/* The sum of x and y and its rounding error, where |x| >= |y| or x is 0 (Dekker's Fast2Sum). */
ir_sc ir_math_sum(ir_sc_build *b, ir_sc x, ir_sc y, ir_sc *error);
/* min(x, hi), max(x, lo) for a number, NaN staying: one instruction on most machines. */
ir_sc ir_math_below(ir_sc_build *b, ir_sc x, double hi);
ir_sc ir_math_above(ir_sc_build *b, ir_sc x, double lo);

/* exp.c: e^x = (hi + lo) 2^n with 0.7 < hi < 1.42.  t is n plus twice the bias of exponents, in
 * its low bits. */
typedef struct ir_math_exp { ir_sc hi, lo, t; } ir_math_exp;
ir_math_exp ir_math_exp_parts(ir_sc_build *b, ir_sc x);
/* The same with a tail that holds the errors of the reduction, too. */
ir_math_exp ir_math_exp_fine(ir_sc_build *b, ir_sc x);
/* Two factors whose product is 2^n: where 2^n itself is out of range, too. */
void ir_math_exp_scale(ir_sc_build *b, ir_sc t, ir_sc factor[2]);
/* The least x of f64 to take apart: e^x is 0 there, and so are both factors. */
double ir_math_exp_least(void);
/* f32, where one factor is enough for most results: t is n plus the bias of 2^(n - 1). */
ir_math_exp ir_math_exp_parts_f32(ir_sc_build *b, ir_sc x);
/* The t of n, for an x of f32. */
ir_sc ir_math_exp_t_f32(ir_sc_build *b, ir_sc x, int n);
/* 2^n, or 2^least if that is more, for least <= n < 128 in the range of normal numbers. */
ir_sc ir_math_exp_two_f32(ir_sc_build *b, ir_sc t, int least);
/* (y2 / 2) 2^n for n <= 128, rounded once; 1.4 < y2 < 2.9 where n < -120.  A branch computes
 * what is subnormal, without a product that underflows. */
ir_sc ir_math_exp_scaled_f32(ir_sc_build *b, ir_sc y2, ir_sc t);
/* 2^n for n in the range of normal numbers. */
ir_sc ir_math_exp_two(ir_sc_build *b, ir_sc t);
ir_sc ir_math_expm1(ir_sc_build *b, ir_sc x);
/* f64, |x| < 700: e^x to 2^-34, enough for a result in f32. */
ir_sc ir_math_exp_short(ir_sc_build *b, ir_sc x);

/* log.c: log(x) = e ln2 + f + rest for normal x > 0: e whole, f = x 2^-e - 1 in [-0.293,
 * 0.415]. */
typedef struct ir_math_log { ir_sc e, f, rest; } ir_math_log;
ir_math_log ir_math_log_parts(ir_sc_build *b, ir_sc x);
/* log(x) to 2^-37 for normal x > 0 of f64, enough for a result in f32. */
ir_sc ir_math_log_short(ir_sc_build *b, ir_sc x);
/* log(1 + u + du), du a correction to u (0 if it has none, given as a value). */
ir_sc ir_math_log1p(ir_sc_build *b, ir_sc u, ir_sc du);

/* erf.c, gamma.c, power.c: of f64. */
ir_sc ir_math_erfcx(ir_sc_build *b, ir_sc x);
/* For results in f32: erfc(x), and erfcx(x) for x >= 0. */
ir_sc ir_math_erfc_short(ir_sc_build *b, ir_sc x, ir_sc minus_square);
ir_sc ir_math_erfcx_short(ir_sc_build *b, ir_sc x);
ir_sc ir_math_lgamma(ir_sc_build *b, ir_sc x);
ir_sc ir_math_lgamma1p(ir_sc_build *b, ir_sc a); /* log Gamma(1 + a), 0 <= a <= 3/2 */
/* Gamma(a) = p e^y, 3/2 <= a <= 7.5: y, which is at most 0.3, and p to 3 ulp. */
ir_sc ir_math_gamma_factors(ir_sc_build *b, ir_sc a, ir_sc *p);
ir_sc ir_math_digamma(ir_sc_build *b, ir_sc x);
ir_sc ir_math_sinpi(ir_sc_build *b, ir_sc x);
ir_sc ir_math_cospi(ir_sc_build *b, ir_sc x);
/* log(x) as a sum of two, x > 0 finite. */
ir_sc ir_math_log_pair(ir_sc_build *b, ir_sc x, ir_sc *tail);
/* log Gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 7.5. */
ir_sc ir_math_stirling(ir_sc_build *b, ir_sc x);
/* x^y for normal x > 0 and y not NaN; of f32 accuracy if not wide. */
ir_sc ir_math_power(ir_sc_build *b, bool wide, ir_sc x, ir_sc y);

/* arith.c: integers of rem. */
ir_sc ir_math_int_rem(ir_sc_build *b, cot_dtype T, ir_sc x, ir_sc y);

#endif
