/* The second derivative of the incomplete gamma function P(a, x) with respect to a, for the
 * rules of special.c, as a loop.
 *
 * P = sum of t_k, t_k = x^(a + k) e^-x / Gamma(a + k + 1).  Every term is positive, and with
 * d_k = log x - psi(a + k + 1)
 *
 *     dP/da = sum t_k d_k,    d2P/da2 = sum t_k (d_k^2 - psi'(a + k + 1)),
 *
 * where t, psi and psi' follow from the previous term by recurrences.  The loop runs until the
 * sums of all elements have converged, which takes about 10 sqrt(x) terms beyond k = x - a; an
 * element that has not converged after MAX_TERMS iterations becomes NaN. The error is relative
 * to the largest terms: for large x, where P is 1 and the derivative 0, it is some 1e-16.
 * Everything is computed in f64.  Source: NIST Handbook 8.7.1, 5.7. */
#include <math.h>

#include "ir/expand.h"
#include "passes/rules.h"

enum { MAX_TERMS = 20000, INPUTS = 8 };

static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

/* The inputs: x; the iteration, the converged elements; t, d, psi', n = a + k + 1, the sum. */
static void
inputs(ir_build *r, const ir_type *t, ir_ref *in)
{
    static const char *const name[INPUTS] = { "x", "trip", "done", "t", "d", "p", "n", "sum" };

    for (int i = 0; i < INPUTS; i++)
        in[i] = ir_input(r,
                         i == 1   ? ir_scalar_type(r->ctx, COT_I32)
                         : i == 2 ? ir_type_as(r->ctx, t, COT_BOOL)
                                  : t,
                         name[i]);
}

static ir_graph *
step(ir_build *outer, const ir_type *type)
{
    ir_build *r = ir_sub_begin(outer, "igamma.do");
    ir_ref in[INPUTS];

    inputs(r, type, in);
    ir_ref x = in[0], n = in[6], inverse = ir_div(r, ir_like(r, n, 1), n);
    ir_ref t = ir_mul(r, in[3], ir_mul(r, x, inverse)), d = ir_sub(r, in[4], inverse),
           p = ir_sub(r, in[5], ir_mul(r, inverse, inverse));
    ir_ref square = ir_mul(r, d, d), sum = ir_add(r, in[7], ir_mul(r, t, ir_sub(r, square, p)));
    ir_ref left = ir_mul(r, t, ir_add(r, square, p)),
           small = with(r, OP_mul, ir_op1(r, OP_abs, sum), 0x1p-60);
    ir_ref otherwise = ir_op1(r, OP_not, ir_op2(r, OP_gt, left, small));
    ir_ref rest = ir_op2(r, OP_and, ir_op2(r, OP_gt, n, x), otherwise);
    ir_ref to[5] = { t, d, p, with(r, OP_add, n, 1), sum };

    ir_output(r, ir_add(r, in[1], ir_splat_int(r, ir_scalar_type(r->ctx, COT_I32), 1)));
    ir_output(r, ir_op2(r, OP_or, in[2], rest));
    for (int i = 0; i < 5; i++)
        ir_output(r, ir_select(r, in[2], in[3 + i], to[i]));
    return ir_sub_end(outer, r);
}

static ir_graph *
goes_on(ir_build *outer, const ir_type *type)
{
    ir_build *r = ir_sub_begin(outer, "igamma.while");
    ir_ref in[INPUTS];

    inputs(r, type, in);
    ir_ref any =
        ir_reduce(r, OP_reduce_or, ir_op1(r, OP_not, in[2]), ir_axes_below(type->rank));
    ir_output(r, ir_op2(r, OP_and, any,
                        ir_op2(r, OP_lt, in[1],
                               ir_splat_int(r, ir_scalar_type(r->ctx, COT_I32), MAX_TERMS))));
    return ir_sub_end(outer, r);
}

/* The second derivative by the power series, which converges for finite a > 0 and x > 0. */
static ir_ref
series(ir_build *b, ir_ref a, ir_ref x)
{
    const ir_type *type = ir_btype(b, a);
    ir_ref n = with(b, OP_add, a, 1), log = ir_op1(b, OP_log, x), out[7];
    ir_ref lgamma = ir_op1(b, OP_lgamma, n);
    ir_ref t = ir_op1(b, OP_exp, ir_sub(b, ir_sub(b, ir_mul(b, a, log), x), lgamma));
    ir_ref d = ir_sub(b, log, ir_op1(b, OP_digamma, n)),
           p = ir_op2(b, OP_polygamma, ir_like(b, n, 1), n);
    ir_ref sum = ir_mul(b, t, ir_sub(b, ir_mul(b, d, d), p));
    ir_ref in[INPUTS] = { x,
                          ir_splat_int(b, ir_scalar_type(b->ctx, COT_I32), 0),
                          ir_splat_int(b, ir_type_as(b->ctx, type, COT_BOOL), 0),
                          t,
                          d,
                          p,
                          n,
                          sum };
    ir_attrs at = { .loop = { .consts = 1, .cond = goes_on(b, type), .body = step(b, type) } };

    if (b->status != COT_OK)
        return IR_NONE;
    ir_add_node(b, OP_while, INPUTS, in, &at, out);
    return ir_select(b, out[1], out[6], ir_splat(b, type, (double)NAN));
}

ir_ref
pass_igamma_second(ir_build *b, ir_ref a, ir_ref x)
{
    const cot_dtype narrow = a ? ir_btype(b, a)->dtype : COT_F64;
    ir_ref u = ir_convert(b, a, COT_F64), v = ir_convert(b, x, COT_F64);

    if (!u || !v)
        return IR_NONE;
    ir_ref less = with(b, OP_lt, u, (double)INFINITY);
    ir_ref order = ir_op2(b, OP_and, with(b, OP_gt, u, 0), less);
    ir_ref right = with(b, OP_lt, v, (double)INFINITY);
    ir_ref inside = ir_op2(b, OP_and, with(b, OP_gt, v, 0), right);
    ir_ref usual = ir_op2(b, OP_and, order, inside), one = ir_like(b, u, 1);
    ir_ref chosen = ir_select(b, usual, v, one);
    ir_ref y = series(b, ir_select(b, usual, u, one), chosen);
    ir_ref equal = with(b, OP_eq, v, (double)INFINITY);
    ir_ref end = ir_op2(b, OP_and, order, ir_op2(b, OP_or, with(b, OP_eq, v, 0), equal));

    ir_ref nan = ir_like(b, u, (double)NAN);
    y = ir_select(b, usual, y, ir_select(b, end, ir_like(b, u, 0), nan));
    return ir_convert(b, y, narrow);
}
