/* Index arithmetic on linear forms.
 *
 * An index is kept as a sum of c * v over values v that are not sums themselves, plus a
 * constant.  A sum is built in the order in which its terms are defined, from the outermost
 * region inwards, with the constant last.  Division and remainder by c use floor((c A + r) / c)
 * = A + floor(r / c), which holds for every integer A, and, for a divisor g of c, floor((g A +
 * r) / c) = floor(A / (c / g)) if 0 <= r < g.  The blocks and lanes of a tiled axis that is
 * part of a reshaped one therefore stay affine in the lane. */
#include "codegen/kernel/linear.h"

#include <stdlib.h>

/* Sort terms, those of outer regions first; terms of one region in the order of definition. */
static void
sort_terms(const cg_build *b, cg_linear *l)
{
    for (int i = 1; i < l->n; i++)
        for (int j = i; j > 0; j--) {
            uint32_t d0 = cg_depth(b, l->v[j - 1]), d1 = cg_depth(b, l->v[j]);
            if (d0 < d1 || (d0 == d1 && l->v[j - 1] <= l->v[j]))
                break;
            cg_val v = l->v[j];
            int64_t c = l->c[j];
            l->v[j] = l->v[j - 1];
            l->c[j] = l->c[j - 1];
            l->v[j - 1] = v;
            l->c[j - 1] = c;
        }
}

static cg_val
build(cg_build *b, cg_linear *l)
{
    cg_val sum = 0;

    sort_terms(b, l);
    for (int i = 0; i < l->n; i++) {
        bool minus = l->c[i] == -1 && sum != 0;
        cg_val t = l->c[i] == 1 || minus
                       ? l->v[i]
                       : cg_insn2(b, SC_mul, COT_I64, l->v[i], cg_i64(b, l->c[i]));
        sum = sum ? cg_insn2(b, minus ? SC_sub : SC_add, COT_I64, sum, t) : t;
    }
    if (sum == 0)
        return cg_i64(b, l->k);
    return l->k ? cg_insn2(b, SC_add, COT_I64, sum, cg_i64(b, l->k)) : sum;
}

static cg_val
combine(cg_build *b, cg_val x, cg_val y, int64_t c)
{
    cg_linear l = cg_linear_of(b->k, x), m = cg_linear_of(b->k, y);

    cg_linear_add(&l, &m, c);
    return l.full ? cg_insn2(b, c == 1 ? SC_add : SC_sub, COT_I64, x, y) : build(b, &l);
}

cg_val
cg_iadd(cg_build *b, cg_val x, cg_val y)
{
    return combine(b, x, y, 1);
}

cg_val
cg_isub(cg_build *b, cg_val x, cg_val y)
{
    return combine(b, x, y, -1);
}

cg_val
cg_imul(cg_build *b, cg_val x, int64_t c)
{
    cg_linear l = cg_linear_of(b->k, x);

    if (l.full)
        return cg_insn2(b, SC_mul, COT_I64, x, cg_i64(b, c));
    for (int i = 0; i < l.n; i++)
        l.c[i] *= c;
    l.k *= c;
    l.n = c == 0 ? 0 : l.n;
    return build(b, &l);
}

cg_val
cg_index_of(cg_build *b, cg_val v)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    cg_linear l;

    return cg_linear_widen(b->k, v, &l, (cg_descent){ 0, &left, false }) ? build(b, &l) : 0;
}

/* Is the form known not to be negative?  *hi is its upper bound. */
static bool
is_natural(const cg_kernel *k, const cg_linear *l, int64_t *hi)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    int64_t lo;

    return cg_linear_range(k, l, &lo, hi, (cg_descent){ 0, &left, false }) && lo >= 0;
}

/* Split l into g * high + low, where low has the terms whose coefficients g does not divide. */
static void
part(const cg_linear *l, int64_t g, cg_linear *high, cg_linear *low)
{
    *high = *low = (cg_linear){ 0 };
    for (int i = 0; i < l->n; i++) {
        if (l->c[i] % g == 0)
            cg_linear_term(high, l->v[i], l->c[i] / g);
        else
            cg_linear_term(low, l->v[i], l->c[i]);
    }
    high->k = cg_floor_div(l->k, g);
    low->k = l->k - high->k * g;
}

/* Is low in [0, g) for all values of its terms? */
static bool
is_rest(const cg_kernel *k, const cg_linear *low, int64_t g)
{
    int64_t hi;

    return is_natural(k, low, &hi) && hi < g;
}

/* The largest divisor g of c for which l = g * high + low with low in [0, g); 0: none but 1. */
static int64_t
split(const cg_kernel *k, const cg_linear *l, int64_t c, cg_linear *high, cg_linear *low)
{
    int64_t best = 0;

    part(l, c, high, low);
    if (is_rest(k, low, c))
        return c;
    for (int i = 0; i < l->n; i++) {
        int64_t g = cg_gcd(c, l->c[i]);
        cg_linear h, r;
        for (int j = 0; j < l->n; j++) {
            int64_t both = cg_gcd(g, l->c[j]);
            part(l, both, &h, &r);
            if (both > best && both > 1 && is_rest(k, &r, both))
                best = both;
        }
        part(l, g, &h, &r);
        if (g > best && g > 1 && is_rest(k, &r, g))
            best = g;
    }
    if (best)
        part(l, best, high, low);
    return best;
}

static bool
is_power(int64_t c)
{
    return (c & (c - 1)) == 0;
}

static cg_val
plain_div(cg_build *b, cg_val x, int64_t c)
{
    if (is_power(c))
        return cg_insn2(b, SC_shr, COT_I64, x, cg_i64(b, __builtin_ctzll((uint64_t)c)));
    return cg_insn2(b, SC_div, COT_I64, x, cg_i64(b, c));
}

cg_val
cg_idiv(cg_build *b, cg_val x, int64_t c)
{
    cg_linear l = cg_linear_of(b->k, x), high, low;
    int64_t hi;

    if (c == 1 || l.full)
        return c == 1 ? x : plain_div(b, x, c);
    int64_t g = split(b->k, &l, c, &high, &low);
    if (g == c)
        return build(b, &high);
    if (g)
        return cg_idiv(b, build(b, &high), c / g);
    part(&l, c, &high, &low);
    if ((high.n || high.k) && is_natural(b->k, &low, &hi)) {
        cg_val rest = plain_div(b, build(b, &low), c);
        return cg_iadd(b, build(b, &high), rest);
    }
    return plain_div(b, x, c);
}

cg_val
cg_imod(cg_build *b, cg_val x, int64_t c)
{
    cg_linear l = cg_linear_of(b->k, x), high, low;
    int64_t hi;

    if (c == 1)
        return cg_i64(b, 0);
    if (!l.full) {
        int64_t g = split(b->k, &l, c, &high, &low);
        if (g == c)
            return build(b, &low);
        if (g) {
            cg_val above = cg_imul(b, cg_imod(b, build(b, &high), c / g), g);
            return cg_iadd(b, above, build(b, &low));
        }
        part(&l, c, &high, &low);
        if (is_natural(b->k, &low, &hi))
            x = build(b, &low);
    }
    return is_power(c) ? cg_insn2(b, SC_and, COT_I64, x, cg_i64(b, c - 1))
                       : cg_insn2(b, SC_rem, COT_I64, x, cg_i64(b, c));
}

cg_val
cg_imin(cg_build *b, cg_val x, cg_val y)
{
    if (cg_is_upto(b->k, x, y))
        return x;
    if (cg_is_upto(b->k, y, x))
        return y;
    return cg_insn2(b, SC_min, COT_I64, x, y);
}

static int64_t
lowest_bit(int64_t x)
{
    int64_t bit = x & -x;

    return x == 0 || bit > 64 || bit < 0 ? 64 : bit;
}

static int64_t
multiple(const cg_kernel *k, cg_val v, const cg_block *still, cg_descent at)
{
    const cg_insn *i = &k->insn[v];
    const cg_block *x = i->op == CG_VAR ? k->insn[i->in[0]].block : NULL;
    cg_linear l;
    int64_t m, c;

    if (v == 0 || cg_descent_ends(at))
        return 1;
    if (x) {
        m = multiple(k, x->lo, still, cg_descent_below(at));
        c = x->kind == CG_VECTOR || x == still ? 64 : lowest_bit(x->step);
        return m < c ? m : c;
    }
    if (i->op == SC_and && cg_is_const(k, i->in[1], &c) && c >= 0)
        return multiple(k, i->in[0], still, cg_descent_below(at));
    if (i->op != SC_add && i->op != SC_sub && i->op != SC_mul && i->op != SC_const)
        return 1;
    l = cg_linear_of(k, v);
    m = lowest_bit(l.k);
    for (int j = 0; j < l.n; j++) {
        c = l.v[j] == v ? 1
                        : lowest_bit(l.c[j]) * multiple(k, l.v[j], still, cg_descent_below(at));
        c = c > CG_KERNEL_MAX_MULTIPLE ? CG_KERNEL_MAX_MULTIPLE : c;
        m = c < m ? c : m;
    }
    return l.full ? 1 : m;
}

int64_t
cg_multiple_of(const cg_kernel *k, cg_val v)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;

    return multiple(k, v, NULL, (cg_descent){ 0, &left, false });
}

int64_t
cg_multiple_of_rows(const cg_kernel *k, cg_val v, const cg_block *copies, int64_t stride)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    const int64_t m = multiple(k, v, copies, (cg_descent){ 0, &left, false }),
                  n = lowest_bit(stride);

    return m < n ? m : n;
}
