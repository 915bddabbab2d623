/* betainc: the regularised incomplete beta function I_x(a, b), defined by a graph.
 *
 * For x < (a + 1) / (a + b + 2), I = x^a (1 - x)^b / (a B(a, b)) times the continued fraction
 *     1 / (1 + d_1 / (1 + d_2 / ...)),
 *     d_2m = m (b - m) x / ((a + 2m - 1) (a + 2m)),  d_2m+1 = -(a + m) (a + b + m) x / ((a + 2m) (a + 2m + 1)),
 * by Lentz's method; beyond, 1 - I_(1-x)(b, a).  A loop over all elements goes on until the last of them has come to
 * rest, which takes about sqrt(max(a, b)) trips; an element that has not after MOST trips becomes NaN.  f32 computes in f64.
 *
 * Worst error (sampled): f32 1 ulp for a + b < 1e4; f64 (10 + a + b) ulp, from the prefactor, and absolute beside 1.
 * Source: W. Lentz, Applied Optics 15, 1976; NIST Handbook 8.17.22. */
#include <math.h>

#include "ir/expand.h"

enum { MOST = 20000 };

/* x op k. */
static ir_ref
with(ir_build *b, ir_op op, ir_ref x, double k)
{
    return ir_op2(b, op, x, ir_like(b, x, k));
}

/* x, but never 0: the fraction's partial denominators. */
static ir_ref
nonzero(ir_build *b, ir_ref x)
{
    return ir_select(b, with(b, OP_lt, ir_op1(b, OP_abs, x), 1e-300), ir_like(b, x, 1e-300), x);
}

/* One factor of the fraction with the coefficient d: (c, e, h) to (1 + d / c, 1 / (1 + d e), h c e). */
static ir_ref
factor(ir_build *r, ir_ref d, ir_ref *c, ir_ref *e, ir_ref *h)
{
    *e = ir_div(r, ir_like(r, d, 1), nonzero(r, with(r, OP_add, ir_mul(r, d, *e), 1)));
    *c = nonzero(r, with(r, OP_add, ir_div(r, d, *c), 1));
    ir_ref change = ir_mul(r, *c, *e);
    *h = ir_mul(r, *h, change);
    return change;
}

/* Inputs: a, b, x; the trip m, the elements at rest, c, e, h. */
static void
inputs(ir_build *r, const ir_type *t, ir_ref *in)
{
    static const char *const name[8] = { "a", "b", "x", "m", "done", "c", "e", "h" };

    for (int i = 0; i < 8; i++)
        in[i] = ir_input(r, i == 3 ? ir_scalar_type(r->ctx, COT_I32) : i == 4 ? ir_type_as(r->ctx, t, COT_BOOL) : t, name[i]);
}

static ir_graph *
step(ir_build *outer, const ir_type *t)
{
    ir_build *r = ir_sub_begin(outer, "betainc.do");
    ir_ref in[8];

    inputs(r, t, in);
    ir_ref a = in[0], b = in[1], x = in[2], c = in[5], e = in[6], h = in[7];
    ir_ref next = ir_add(r, in[3], ir_splat_int(r, ir_scalar_type(r->ctx, COT_I32), 1));
    ir_ref m = ir_broadcast_scalar(r, ir_convert(r, next, COT_F64), t), twice = ir_add(r, a, ir_add(r, m, m));
    ir_ref even = ir_mul(r, ir_mul(r, m, ir_sub(r, b, m)), x), sum = ir_add(r, a, b);
    ir_ref odd = ir_mul(r, ir_mul(r, ir_add(r, a, m), ir_add(r, sum, m)), x);

    even = ir_div(r, even, ir_mul(r, with(r, OP_sub, twice, 1), twice));
    odd = ir_neg(r, ir_div(r, odd, ir_mul(r, twice, with(r, OP_add, twice, 1))));
    factor(r, even, &c, &e, &h);
    ir_ref change = factor(r, odd, &c, &e, &h);
    ir_ref off = ir_op1(r, OP_abs, with(r, OP_sub, change, 1));
    ir_ref rest = ir_op1(r, OP_not, with(r, OP_gt, off, 2.3e-16)); /* NaN has come to rest, too */
    ir_output(r, next);
    ir_output(r, ir_op2(r, OP_or, in[4], rest));
    ir_ref to[3] = { c, e, h };
    for (int i = 0; i < 3; i++)
        ir_output(r, ir_select(r, in[4], in[5 + i], to[i]));
    return ir_sub_end(outer, r);
}

static ir_graph *
goes_on(ir_build *outer, const ir_type *t)
{
    ir_build *r = ir_sub_begin(outer, "betainc.while");
    ir_ref in[8];

    inputs(r, t, in);
    ir_ref any = ir_reduce(r, OP_reduce_or, ir_op1(r, OP_not, in[4]), ir_axes_below(t->rank));
    ir_output(r, ir_op2(r, OP_and, any, ir_op2(r, OP_lt, in[3], ir_splat_int(r, ir_scalar_type(r->ctx, COT_I32), MOST))));
    return ir_sub_end(outer, r);
}

/* The fraction; NaN where it has not come to rest. */
static ir_ref
fraction(ir_build *b, ir_ref p, ir_ref q, ir_ref x)
{
    const ir_type *t = ir_btype(b, p);
    ir_ref sum = ir_add(b, p, q), one = ir_splat(b, t, 1);
    ir_ref first = ir_neg(b, ir_div(b, ir_mul(b, sum, x), with(b, OP_add, p, 1)));
    ir_ref e = ir_div(b, one, nonzero(b, with(b, OP_add, first, 1)));
    ir_ref in[8] = { p, q, x, ir_splat_int(b, ir_scalar_type(b->ctx, COT_I32), 0),
                     ir_splat_int(b, ir_type_as(b->ctx, t, COT_BOOL), 0), one, e, e }, out[5];
    ir_attrs at = { .loop = { .consts = 3, .cond = goes_on(b, t), .body = step(b, t) } };

    if (b->status != COT_OK)
        return IR_NONE;
    ir_add_node(b, OP_while, 8, in, &at, out);
    return ir_select(b, out[1], out[4], ir_splat(b, t, (double)NAN));
}

/* I for a, b > 0, 0 < x < 1. */
static ir_ref
inside(ir_build *b, ir_ref p, ir_ref q, ir_ref x)
{
    ir_ref one = ir_like(b, x, 1), edge = ir_div(b, with(b, OP_add, p, 1), with(b, OP_add, ir_add(b, p, q), 2));
    ir_ref turned = ir_op2(b, OP_ge, x, edge), y = ir_sub(b, one, x);
    ir_ref u = ir_select(b, turned, q, p), v = ir_select(b, turned, p, q);
    ir_ref e = ir_add(b, ir_mul(b, p, ir_op1(b, OP_log, x)), ir_mul(b, q, ir_op1(b, OP_log1p, ir_neg(b, x))));

    e = ir_op1(b, OP_exp, ir_sub(b, e, ir_op2(b, OP_lbeta, p, q)));
    ir_ref r = ir_mul(b, ir_div(b, e, u), fraction(b, u, v, ir_select(b, turned, y, x)));
    return ir_select(b, turned, ir_sub(b, one, r), r);
}

/* With the values at the ends, where there is a limit. */
void
eval_betainc(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    const cot_dtype narrow = ir_btype(b, in[0])->dtype;
    ir_ref v[3], ok[3];

    (void)at;
    for (int i = 0; i < n_in; i++)
        v[i] = ir_convert(b, in[i], COT_F64);
    ir_ref one = ir_like(b, v[0], 1), zero = ir_like(b, v[0], 0), nan = ir_like(b, v[0], (double)NAN);
    for (int i = 0; i < 3; i++) {
        ir_ref below = with(b, OP_lt, v[i], i == 2 ? 1 : (double)INFINITY);
        ok[i] = ir_op2(b, OP_and, with(b, OP_gt, v[i], 0), below);
    }
    ir_ref usual = ir_op2(b, OP_and, ir_op2(b, OP_and, ok[0], ok[1]), ok[2]);
    ir_ref y = inside(b, ir_select(b, usual, v[0], one), ir_select(b, usual, v[1], one),
                      ir_select(b, usual, v[2], with(b, OP_mul, one, 0.5)));
    /* All mass at 0: a = 0, or b infinite; at 1: b = 0, or a infinite. */
    ir_ref at0 = ir_op2(b, OP_or, with(b, OP_eq, v[0], 0), with(b, OP_eq, v[1], (double)INFINITY));
    ir_ref at1 = ir_op2(b, OP_or, with(b, OP_eq, v[1], 0), with(b, OP_eq, v[0], (double)INFINITY));
    ir_ref valid = ir_op2(b, OP_and, with(b, OP_ge, v[0], 0), with(b, OP_ge, v[1], 0));
    ir_ref range = ir_op2(b, OP_and, with(b, OP_ge, v[2], 0), with(b, OP_le, v[2], 1));

    valid = ir_op2(b, OP_and, ir_op2(b, OP_and, valid, range), ir_op1(b, OP_not, ir_op2(b, OP_and, at0, at1)));
    y = ir_op2(b, OP_min, ir_op2(b, OP_max, y, zero), one); /* a logarithm of it is then no NaN */
    y = ir_select(b, usual, y, nan);
    y = ir_select(b, ir_op2(b, OP_and, valid, at0), one, y);
    y = ir_select(b, ir_op2(b, OP_and, valid, at1), zero, y);
    y = ir_select(b, ir_op2(b, OP_and, valid, with(b, OP_eq, v[2], 0)), zero, y);
    y = ir_select(b, ir_op2(b, OP_and, valid, with(b, OP_eq, v[2], 1)), one, y);
    out[0] = ir_convert(b, y, narrow);
}
