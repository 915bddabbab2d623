/* Index arithmetic: linear forms and ranges.
 *
 * An index is kept as a sum of c * v over values v that are not sums themselves, plus a
 * constant.  A sum is built in the order in which its terms are defined, from the outermost
 * region inwards, with the constant last.  Division and remainder by c use floor((c A + r) / c)
 * = A + floor(r / c), which holds for every integer A, and, for a divisor g of c, floor((g A +
 * r) / c) = floor(A / (c / g)) if 0 <= r < g.  The blocks and lanes of a tiled axis that is
 * part of a reshaped one therefore stay affine in the lane. */
#include "codegen/kernel/affine.h"
#include "codegen/tuning.h"

#include <stdlib.h>

/* A sum of terms and a constant.  Values share operands, so there may be too many paths to
 * follow all of them. */
typedef struct linear {
    int n;
    cg_val v[CG_KERNEL_MAX_LINEAR_TERMS];
    int64_t c[CG_KERNEL_MAX_LINEAR_TERMS];
    int64_t k;
    int parts; /* sums and products visited so far */
    bool full; /* there are more terms than fit, and the form is invalid */
} linear;

static void
add_term(linear *l, cg_val v, int64_t c)
{
    for (int i = 0; i < l->n; i++)
        if (l->v[i] == v) {
            l->c[i] += c;
            return;
        }
    if (l->n == CG_KERNEL_MAX_LINEAR_TERMS) {
        l->full = true;
        return;
    }
    l->v[l->n] = v;
    l->c[l->n++] = c;
}

static bool
overflows(int64_t x, int64_t c)
{
    int64_t unused;

    return __builtin_mul_overflow(x, c, &unused);
}

static void
collect(const cg_kernel *k, cg_val v, int64_t c, linear *l)
{
    const cg_insn *i = &k->insn[v];
    int64_t x;

    if (++l->parts > CG_KERNEL_MAX_INDEX_PARTS)
        l->full = true;
    else if (cg_is_const(k, v, &x) && !overflows(x, c))
        l->k += x * c;
    else if (i->op == SC_add || i->op == SC_sub) {
        collect(k, i->in[0], c, l);
        collect(k, i->in[1], i->op == SC_add ? c : -c, l);
    } else if (i->op == SC_mul && cg_is_const(k, i->in[1], &x) && !overflows(x, c))
        collect(k, i->in[0], c * x, l);
    else
        add_term(l, v, c);
}

static linear
linear_of(const cg_kernel *k, cg_val v)
{
    linear l = { 0 };
    int n = 0;

    collect(k, v, 1, &l);
    for (int i = 0; i < l.n; i++)
        if (l.c[i] != 0) {
            l.v[n] = l.v[i];
            l.c[n++] = l.c[i];
        }
    l.n = n;
    return l;
}

/* Sort terms, those of outer regions first; terms of one region in the order of definition. */
static void
sort_terms(const cg_build *b, linear *l)
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
build(cg_build *b, linear *l)
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
combine(cg_build *b, cg_val x, int64_t cx, cg_val y, int64_t cy)
{
    linear l = linear_of(b->k, x), m = linear_of(b->k, y);

    for (int i = 0; i < l.n; i++)
        l.c[i] *= cx;
    l.k *= cx;
    for (int i = 0; i < m.n; i++)
        add_term(&l, m.v[i], m.c[i] * cy);
    l.k += m.k * cy;
    if (l.full || m.full)
        return cg_insn2(b, cy == 1 ? SC_add : SC_sub, COT_I64, x, y);
    int n = 0;
    for (int i = 0; i < l.n; i++)
        if (l.c[i] != 0) {
            l.v[n] = l.v[i];
            l.c[n++] = l.c[i];
        }
    l.n = n;
    return build(b, &l);
}

cg_val
cg_iadd(cg_build *b, cg_val x, cg_val y)
{
    return combine(b, x, 1, y, 1);
}

cg_val
cg_isub(cg_build *b, cg_val x, cg_val y)
{
    return combine(b, x, 1, y, -1);
}

cg_val
cg_imul(cg_build *b, cg_val x, int64_t c)
{
    linear l = linear_of(b->k, x);

    if (l.full)
        return cg_insn2(b, SC_mul, COT_I64, x, cg_i64(b, c));
    for (int i = 0; i < l.n; i++)
        l.c[i] *= c;
    l.k *= c;
    l.n = c == 0 ? 0 : l.n;
    return build(b, &l);
}

/* -- ranges -- */

/* The depth of a recursion over the operands of a value, and how many more values it may
 * visit. */
typedef struct visit {
    int depth;
    int *left;
} visit;

static visit
below(visit at)
{
    return (visit){ at.depth + 1, at.left };
}

static bool
is_enough(visit at)
{
    return at.depth > CG_KERNEL_MAX_INDEX_DEPTH || --*at.left < 0;
}

static bool range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi, visit at);

static bool
range_of_var(const cg_kernel *k, const cg_block *x, int64_t *lo, int64_t *hi, visit at)
{
    int64_t lo0, lo1, hi0, hi1;

    if (x->step <= 0 || !range(k, x->lo, &lo0, &lo1, below(at)) ||
        !range(k, x->hi, &hi0, &hi1, below(at)))
        return false;
    *lo = lo0;
    *hi = hi1 - 1;
    if (lo0 == lo1 && hi0 == hi1 && hi1 > lo0)
        *hi = lo0 + (hi1 - lo0 - 1) / x->step * x->step;
    if (*hi < *lo)
        *hi = *lo;
    return true;
}

static bool
range_of_linear(const cg_kernel *k, const linear *l, int64_t *lo, int64_t *hi, visit at)
{
    int64_t a, z;

    if (l->full)
        return false;
    *lo = *hi = l->k;
    for (int i = 0; i < l->n; i++) {
        if (!range(k, l->v[i], &a, &z, below(at)) || overflows(a, l->c[i]) ||
            overflows(z, l->c[i]))
            return false;
        a *= l->c[i];
        z *= l->c[i];
        if (__builtin_add_overflow(*lo, a < z ? a : z, lo) ||
            __builtin_add_overflow(*hi, a < z ? z : a, hi))
            return false;
    }
    return true;
}

/* The range of an integer type shorter than 64 bits. */
static bool
range_of_type(cot_dtype t, int64_t *lo, int64_t *hi)
{
    const bool sign = t == COT_I8 || t == COT_I16 || t == COT_I32;
    const int bits = (int)cot_dtype_size(t) * 8 - sign;

    if (!sign && t != COT_U8 && t != COT_U16 && t != COT_U32)
        return false;
    *hi = ((int64_t)1 << bits) - 1;
    *lo = sign ? -*hi - 1 : 0;
    return true;
}

static bool range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi, visit at);

/* The range of x rem c or x and c, for a constant c >= 0. */
static bool
range_of_remainder(const cg_kernel *k, const cg_insn *i, int64_t *lo, int64_t *hi, visit at)
{
    int64_t c, lo_x, hi_x;

    if (!cg_is_const(k, i->in[1], &c) || c < 0 || (i->op == SC_rem && c == 0))
        return false;
    *lo = i->op == SC_and ? 0 : 1 - c;
    *hi = i->op == SC_and ? c : c - 1;
    if (range(k, i->in[0], &lo_x, &hi_x, below(at)) && lo_x >= 0) {
        *lo = 0;
        *hi = hi_x < *hi ? hi_x : *hi;
    }
    return true;
}

static bool
range_of_extremum(const cg_kernel *k, const cg_insn *i, int64_t *lo, int64_t *hi, visit at)
{
    int64_t lo_y, hi_y;

    if (!range(k, i->in[0], lo, hi, below(at)) || !range(k, i->in[1], &lo_y, &hi_y, below(at)))
        return false;
    if (i->op == SC_min) {
        *lo = lo_y < *lo ? lo_y : *lo;
        *hi = hi_y < *hi ? hi_y : *hi;
    } else {
        *lo = lo_y > *lo ? lo_y : *lo;
        *hi = hi_y > *hi ? hi_y : *hi;
    }
    return true;
}

static bool
range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi, visit at)
{
    const cg_insn *i = &k->insn[v];
    int64_t c;

    if (v == 0 || is_enough(at))
        return false;
    if (cg_is_const(k, v, lo)) {
        *hi = *lo;
        return true;
    }
    switch (i->op) {
    case CG_VAR: return range_of_var(k, k->insn[i->in[0]].block, lo, hi, at);
    case SC_add:
    case SC_sub:
    case SC_mul: {
        linear l = linear_of(k, v);
        if (l.n == 1 && l.v[0] == v)
            return false;
        return range_of_linear(k, &l, lo, hi, at);
    }
    case SC_div:
        if (!cg_is_const(k, i->in[1], &c) || c <= 0 || !range(k, i->in[0], lo, hi, below(at)))
            return false;
        *lo /= c;
        *hi /= c;
        return true;
    case SC_shr:
        if (!cg_is_const(k, i->in[1], &c) || !range(k, i->in[0], lo, hi, below(at)))
            return false;
        *lo >>= c;
        *hi >>= c;
        return true;
    case SC_rem:
    case SC_and: return range_of_remainder(k, i, lo, hi, at);
    case SC_min:
    case SC_max: return range_of_extremum(k, i, lo, hi, at);
    case SC_cvt: return i->type == COT_I64 && range_of_type(cg_type(k, i->in[0]), lo, hi);
    default: return false;
    }
}

bool
cg_range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;

    return range(k, v, lo, hi, (visit){ 0, &left });
}

/* Is the form known not to be negative?  *hi is its upper bound. */
static bool
is_natural(const cg_kernel *k, const linear *l, int64_t *hi)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    int64_t lo;

    return range_of_linear(k, l, &lo, hi, (visit){ 0, &left }) && lo >= 0;
}

/* -- division -- */

/* Split l into g * high + low, where low has the terms whose coefficients g does not divide. */
static void
part(const linear *l, int64_t g, linear *high, linear *low)
{
    *high = *low = (linear){ 0 };
    for (int i = 0; i < l->n; i++) {
        if (l->c[i] % g == 0)
            add_term(high, l->v[i], l->c[i] / g);
        else
            add_term(low, l->v[i], l->c[i]);
    }
    high->k = cg_floor_div(l->k, g);
    low->k = l->k - high->k * g;
}

/* Is low in [0, g) for all values of its terms? */
static bool
is_rest(const cg_kernel *k, const linear *low, int64_t g)
{
    int64_t hi;

    return is_natural(k, low, &hi) && hi < g;
}

/* The largest divisor g of c for which l = g * high + low with low in [0, g); 0: none but 1. */
static int64_t
split(const cg_kernel *k, const linear *l, int64_t c, linear *high, linear *low)
{
    int64_t best = 0;

    part(l, c, high, low);
    if (is_rest(k, low, c))
        return c;
    for (int i = 0; i < l->n; i++) {
        int64_t g = cg_gcd(c, l->c[i]);
        linear h, r;
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
    linear l = linear_of(b->k, x), high, low;
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
    linear l = linear_of(b->k, x), high, low;
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
    int64_t x0, x1, y0, y1;

    if (cg_range(b->k, x, &x0, &x1) && cg_range(b->k, y, &y0, &y1)) {
        if (x1 <= y0)
            return x;
        if (y1 <= x0)
            return y;
    }
    return cg_insn2(b, SC_min, COT_I64, x, y);
}

/* -- multiples -- */

static int64_t
lowest_bit(int64_t x)
{
    int64_t bit = x & -x;

    return x == 0 || bit > 64 || bit < 0 ? 64 : bit;
}

static int64_t
multiple(const cg_kernel *k, cg_val v, const cg_block *still, visit at)
{
    const cg_insn *i = &k->insn[v];
    const cg_block *x = i->op == CG_VAR ? k->insn[i->in[0]].block : NULL;
    linear l;
    int64_t m, c;

    if (v == 0 || is_enough(at))
        return 1;
    if (x) {
        m = multiple(k, x->lo, still, below(at));
        c = x->kind == CG_VECTOR || x == still ? 64 : lowest_bit(x->step);
        return m < c ? m : c;
    }
    if (i->op == SC_and && cg_is_const(k, i->in[1], &c) && c >= 0)
        return multiple(k, i->in[0], still, below(at));
    if (i->op != SC_add && i->op != SC_sub && i->op != SC_mul && i->op != SC_const)
        return 1;
    l = linear_of(k, v);
    m = lowest_bit(l.k);
    for (int j = 0; j < l.n; j++) {
        c = l.v[j] == v ? 1 : lowest_bit(l.c[j]) * multiple(k, l.v[j], still, below(at));
        c = c > CG_KERNEL_MAX_MULTIPLE ? CG_KERNEL_MAX_MULTIPLE : c;
        m = c < m ? c : m;
    }
    return l.full ? 1 : m;
}

int64_t
cg_multiple_of(const cg_kernel *k, cg_val v)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;

    return multiple(k, v, NULL, (visit){ 0, &left });
}

int64_t
cg_multiple_of_rows(const cg_kernel *k, cg_val v, const cg_block *copies, int64_t stride)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    const int64_t m = multiple(k, v, copies, (visit){ 0, &left }), n = lowest_bit(stride);

    return m < n ? m : n;
}
