/* Kummer's function M(a, b, x) = 1F1(a; b; x), the confluent hypergeometric function.
 *
 * With z = |x| and p = a where x >= 0, else b - a, by Kummer's transformation
 * M(a, b, -z) = e^-z M(b - a, b, z).  Up to z = 50 + 2 (|a| + |b|) M(p, b, z) is its power
 * series; above, it is both halves of the asymptotic expansion,
 *     Gamma(b) / Gamma(p) e^z z^(p - b) S(b - p, 1 - p, 1 / z) +
 *     Gamma(b) / Gamma(b - p) cos(pi p) z^-p S(p, 1 + p - b, -1 / z),
 * where S(p, q, y) is the sum of (p)_k (q)_k y^k / k!; 1 / Gamma is 0 at its poles, so that the
 * polynomials, at p = 0, -1, ..., come out right.  A sum ends per element, when a bound of its
 * terms is small beside the largest of them; an element therefore has the bits that it has
 * alone.  The bound is positive where the terms are 0, of polynomials and at x = 0, since their
 * derivatives are not.  Derivatives are those of the sums.  All types are computed in f64.
 * Source: J. Pearson, S. Olver, M. Porter, Numerical methods for the computation of the
 * confluent and Gauss hypergeometric functions, Numerical Algorithms 74 (2017), sections 3.1
 * and 3.2. */
#include <math.h>

#include "cotrace/special.h"

#include "frontend/sugar/written.h"

#define PI 3.14159265358979323846

/* Term k + 1 is term k times (p + k) (q + k) y / (k + 1), or with `power` over (q + k). */
typedef struct hyper_sum {
    cot_place at;
    cot_value p, q, y;
    bool power;
} hyper_sum;

/* Carries of a sum.  A bound of NaN or infinity ends it. */
enum { SUM, TERM, BOUND, LARGEST, ACTIVE, COUNT, CARRIES, MAX_TERMS = 2000 };

static cot_value
ratio(const hyper_sum *s, cot_value p, cot_value q, cot_value y, cot_value k)
{
    const cot_place at = s->at;
    cot_value over = cot_add(k, 1);

    y = cot_mul(p, y);
    return s->power ? cot_div(y, cot_mul(q, over)) : cot_div(cot_mul(y, q), over);
}

/* No factor of a numerator is below 1 in the bound, nor the argument of a power series: at 0
 * its derivatives are later terms. */
static cot_value
bound_ratio(const hyper_sum *s, cot_value k)
{
    const cot_place at = s->at;
    cot_value p = cot_abs(cot_add(cot_stop_gradient(s->p), k)),
              q = cot_abs(cot_add(cot_stop_gradient(s->q), k)),
              y = cot_abs(cot_stop_gradient(s->y));

    return s->power ? ratio(s, cot_max(p, 1), q, cot_max(y, 1), k)
                    : ratio(s, cot_max(p, 1), cot_max(q, 1), y, k);
}

/* The terms of a power series fall in the end; those of an asymptotic one rise, and its sum
 * ends before they do. */
static void
add_term(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const hyper_sum *s = user;
    const cot_place at = s->at;
    cot_value k = in[COUNT], active = in[ACTIVE], by = bound_ratio(s, k);
    cot_value next = ratio(s, cot_add(s->p, k), cot_add(s->q, k), s->y, k);

    (void)t;
    out[TERM] = cot_where(active, cot_mul(in[TERM], next), in[TERM]);
    out[SUM] = cot_where(active, cot_add(in[SUM], out[TERM]), in[SUM]);
    out[BOUND] = cot_where(active, cot_mul(in[BOUND], by), in[BOUND]);
    out[LARGEST] = cot_max(in[LARGEST], out[BOUND]);
    out[COUNT] = cot_add(k, 1);
    cot_value more = cot_gt(out[BOUND], cot_mul(out[LARGEST], 0x1p-80));
    if (!s->power) {
        cot_value p = cot_stop_gradient(s->p), q = cot_stop_gradient(s->q);
        cot_value rises = cot_gt(k, cot_add(cot_abs(p), cot_abs(q)));
        more = cot_and(more, cot_not(cot_and(rises, cot_ge(by, 1))));
    }
    out[ACTIVE] = cot_and(active, more);
}

static void
some_active(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_place at = ((const hyper_sum *)user)->at;

    (void)t;
    out[0] = cot_and(cot_reduce_or(in[ACTIVE]), cot_lt(in[COUNT], MAX_TERMS));
}

/* NaN where MAX_TERMS are not enough. */
static cot_value
sum_of(cot_place at, cot_value p, cot_value q, cot_value y, bool power)
{
    hyper_sum s = { at, p, q, y, power };
    cot_trace *t = fe_open(at, y, "hyp1f1");
    cot_value one = cot_full(t, cot_type_of(y), 1), out[CARRIES];
    cot_value all = cot_eq(one, 1), zero = cot_full(t, cot_f64(), 0);

    cot_while(some_active, add_term, .in = COT_VALUES(one, one, one, one, all, zero),
              .out = out, .user = &s);
    return cot_where(out[ACTIVE], NAN, out[SUM]);
}

/* x - n for the nearest integer n, and in *sign (-1)^n. */
static cot_value
reduced(cot_place at, cot_value x, cot_value *sign)
{
    cot_value n = cot_round_even(x), half = cot_mul(n, 0.5);

    *sign = cot_sub(1, cot_mul(cot_sub(half, cot_floor(half)), 4));
    return cot_sub(x, n);
}

/* 1 / Gamma(x); below 1/2 by sin(pi x) Gamma(1 - x) / pi. */
static cot_value
reciprocal_gamma(cot_place at, cot_value x)
{
    cot_value low = cot_lt(x, 0.5), sign, r = reduced(at, x, &sign);
    cot_value sine = cot_mul(cot_sin(cot_mul(r, PI)), cot_mul(sign, 1 / PI));
    cot_value gamma = cot_exp(cot_lgamma(cot_where(low, cot_sub(1, x), 1)));

    return cot_where(low, cot_mul(sine, gamma),
                     cot_exp(cot_neg(cot_lgamma(cot_where(low, 1, x)))));
}

static cot_value
cosine_pi(cot_place at, cot_value x)
{
    cot_value sign, r = reduced(at, x, &sign);

    return cot_mul(sign, cot_cos(cot_mul(r, PI)));
}

/* e^z is multiplied in two halves, since the product may be finite where e^z is not. */
static cot_value
asymptotic(cot_place at, cot_value p, cot_value b, cot_value z, cot_value negative)
{
    cot_value gap = cot_sub(b, p), s = cot_div(1, z);
    cot_value root = cot_exp(cot_mul(cot_where(negative, 0, z), 0.5));
    cot_value up = cot_mul(cot_pow(z, cot_neg(gap)), sum_of(at, gap, cot_sub(1, p), s, false));
    cot_value down =
        cot_mul(cot_pow(z, cot_neg(p)), sum_of(at, p, cot_sub(1, gap), cot_neg(s), false));

    up = cot_mul(up, reciprocal_gamma(at, p));
    down = cot_mul(down, cot_mul(reciprocal_gamma(at, gap), cosine_pi(at, p)));
    cot_value above = cot_add(cot_mul(cot_mul(up, root), root), down);
    cot_value below = cot_add(up, cot_mul(cot_exp(cot_neg(z)), down));
    return cot_div(cot_where(negative, below, above), reciprocal_gamma(at, b));
}

static cot_value
hyp1f1(cot_place at, cot_value a, cot_value b, cot_value x)
{
    cot_value negative = cot_lt(x, 0), pole = cot_and(cot_le(b, 0), cot_eq(cot_floor(b), b));
    cot_value z = cot_where(negative, cot_neg(x), x);

    b = cot_where(pole, 1, b);
    cot_value far = cot_gt(z, cot_add(cot_mul(cot_add(cot_abs(a), cot_abs(b)), 2), 50));
    cot_value p = cot_where(negative, cot_sub(b, a), a), small = cot_where(far, 0, z);
    cot_value near = sum_of(at, p, b, small, true);
    near = cot_mul(near, cot_exp(cot_neg(cot_where(negative, small, 0))));
    cot_value large = asymptotic(at, cot_where(far, p, 1), cot_where(far, b, 1),
                                 cot_where(far, z, 1e6), negative);
    return cot_where(pole, (double)INFINITY, cot_where(far, large, near));
}

/* Operand *o of the three, of the shape and the type that they have together. */
static ir_ref
operand(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref in[3];

    if (!fe_unify(b, "hyp1f1", n, x, NULL, in) || !fe_is_float(b, "hyp1f1", ir_btype(b, in[0])))
        return IR_NONE;
    return in[*(const int *)o];
}

cot_value
cot_hyp1f1_(cot_place at, cot_operand a, cot_operand b, cot_operand x)
{
    cot_value in[3];

    for (int i = 0; i < 3; i++)
        in[i] = fe_apply(at, "hyp1f1", operand, 3, (const cot_operand[]){ a, b, x }, &i);
    const cot_dtype type = cot_dtype_of(in[0]);
    if (type == COT_DTYPE_NONE)
        return in[0];
    for (int i = 0; i < 3; i++)
        in[i] = cot_convert(in[i], COT_F64);
    return cot_convert(hyp1f1(at, in[0], in[1], in[2]), type);
}
