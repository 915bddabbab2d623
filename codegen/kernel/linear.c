/* Linear forms of index arithmetic and their ranges, read from a kernel. */
#include "codegen/kernel/linear.h"

void
cg_linear_term(cg_linear *l, cg_val v, int64_t c)
{
    for (int i = 0; i < l->n; i++)
        if (l->v[i] == v) {
            l->full |= __builtin_add_overflow(l->c[i], c, &l->c[i]);
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

/* What is known of a number must hold where the extents that it counts are others, too.  One
 * that is an open extent, but for a few elements, is so many more or fewer than 1 if `tiny`. */
static int64_t
number(const cg_kernel *k, int64_t x, bool tiny)
{
    int64_t extent;

    return tiny && cg_module_open_extent(k->module, x, &extent) ? x - extent + 1 : x;
}

static void
collect(const cg_kernel *k, cg_val v, int64_t c, bool tiny, cg_linear *l)
{
    const cg_insn *i = &k->insn[v];
    int64_t x;

    if (++l->parts > CG_KERNEL_MAX_INDEX_PARTS)
        l->full = true;
    else if (cg_is_const(k, v, &x) && !overflows(number(k, x, tiny), c))
        l->full |= __builtin_add_overflow(l->k, number(k, x, tiny) * c, &l->k);
    else if (i->op == SC_add || i->op == SC_sub) {
        collect(k, i->in[0], c, tiny, l);
        if (i->op == SC_sub && overflows(c, -1))
            l->full = true;
        else
            collect(k, i->in[1], i->op == SC_add ? c : -c, tiny, l);
    } else if (i->op == SC_mul && cg_is_const(k, i->in[1], &x) && !overflows(x, c))
        collect(k, i->in[0], c * x, tiny, l);
    else
        cg_linear_term(l, v, c);
}

static cg_linear
linear_of(const cg_kernel *k, cg_val v, bool tiny)
{
    cg_linear l = { 0 };
    int n = 0;

    collect(k, v, 1, tiny, &l);
    for (int i = 0; i < l.n; i++)
        if (l.c[i] != 0) {
            l.v[n] = l.v[i];
            l.c[n++] = l.c[i];
        }
    l.n = n;
    return l;
}

cg_linear
cg_linear_of(const cg_kernel *k, cg_val v)
{
    return linear_of(k, v, false);
}

void
cg_linear_add(cg_linear *l, const cg_linear *m, int64_t c)
{
    int n = 0;

    l->full |= m->full || overflows(m->k, c) || __builtin_add_overflow(l->k, m->k * c, &l->k);
    for (int i = 0; i < m->n; i++) {
        l->full |= overflows(m->c[i], c);
        if (!l->full)
            cg_linear_term(l, m->v[i], m->c[i] * c);
    }
    for (int i = 0; i < l->n; i++)
        if (l->c[i] != 0) {
            l->v[n] = l->v[i];
            l->c[n++] = l->c[i];
        }
    l->n = n;
}

static bool range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi, cg_descent at);

static bool
range_of_var(const cg_kernel *k, const cg_block *x, int64_t *lo, int64_t *hi, cg_descent at)
{
    int64_t lo0, lo1, hi0, hi1;

    if (x->step <= 0 || !range(k, x->lo, &lo0, &lo1, cg_descent_below(at)) ||
        !range(k, x->hi, &hi0, &hi1, cg_descent_below(at)))
        return false;
    *lo = lo0;
    *hi = hi1 - 1;
    if (lo0 == lo1 && hi0 == hi1 && hi1 > lo0)
        *hi = lo0 + (hi1 - lo0 - 1) / x->step * x->step;
    if (*hi < *lo)
        *hi = *lo;
    return true;
}

bool
cg_linear_range(const cg_kernel *k, const cg_linear *l, int64_t *lo, int64_t *hi, cg_descent at)
{
    int64_t a, z;

    if (l->full)
        return false;
    *lo = *hi = l->k;
    for (int i = 0; i < l->n; i++) {
        if (!range(k, l->v[i], &a, &z, cg_descent_below(at)) || overflows(a, l->c[i]) ||
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

static bool range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi, cg_descent at);

/* Quotients and remainders of an open extent are kept, since it is another one in each call: it
 * is at most this. */
static const int64_t MOST_OPEN = (int64_t)1 << 50;

static bool
is_open_extent(const cg_kernel *k, cg_val v)
{
    int64_t x;

    return k->module->n_open && cg_is_const(k, v, &x) && cg_module_is_open(k->module, x);
}

/* The range of x rem c or x and c, for a constant c >= 0. */
static bool
range_of_remainder(const cg_kernel *k, const cg_insn *i, int64_t *lo, int64_t *hi,
                   cg_descent at)
{
    int64_t c, lo_x, hi_x;

    if (!cg_is_const(k, i->in[1], &c) || c < 0 || (i->op == SC_rem && c == 0))
        return false;
    *lo = i->op == SC_and ? 0 : 1 - c;
    *hi = i->op == SC_and ? c : c - 1;
    if (range(k, i->in[0], &lo_x, &hi_x, cg_descent_below(at)) && lo_x >= 0) {
        *lo = 0;
        *hi = hi_x < *hi && !is_open_extent(k, i->in[0]) ? hi_x : *hi;
    }
    return true;
}

static bool
range_of_extremum(const cg_kernel *k, const cg_insn *i, int64_t *lo, int64_t *hi, cg_descent at)
{
    int64_t lo_y, hi_y;

    if (!range(k, i->in[0], lo, hi, cg_descent_below(at)) ||
        !range(k, i->in[1], &lo_y, &hi_y, cg_descent_below(at)))
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
range(const cg_kernel *k, cg_val v, int64_t *lo, int64_t *hi, cg_descent at)
{
    const cg_insn *i = &k->insn[v];
    int64_t c;

    if (v == 0 || cg_descent_ends(at))
        return false;
    if (cg_is_const(k, v, lo)) {
        *hi = *lo = number(k, *lo, at.tiny);
        return true;
    }
    switch (i->op) {
    case CG_VAR: return range_of_var(k, k->insn[i->in[0]].block, lo, hi, at);
    case SC_add:
    case SC_sub:
    case SC_mul: {
        cg_linear l = linear_of(k, v, at.tiny);
        if (l.n == 1 && l.v[0] == v)
            return false;
        return cg_linear_range(k, &l, lo, hi, at);
    }
    case SC_div:
        if (!cg_is_const(k, i->in[1], &c) || c <= 0 ||
            !range(k, i->in[0], lo, hi, cg_descent_below(at)))
            return false;
        if (is_open_extent(k, i->in[0])) {
            *lo = 0;
            *hi = MOST_OPEN;
        }
        *lo /= c;
        *hi /= c;
        return true;
    case SC_shr:
        if (!cg_is_const(k, i->in[1], &c) || !range(k, i->in[0], lo, hi, cg_descent_below(at)))
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

    return range(k, v, lo, hi, (cg_descent){ 0, &left, false });
}

/* Is the range of x below that of y, or are they one number? */
static bool
is_upto(const cg_kernel *k, cg_val x, cg_val y, bool tiny)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS, left_y = left;
    int64_t x0, x1, y0, y1;

    return range(k, x, &x0, &x1, (cg_descent){ 0, &left, tiny }) &&
           range(k, y, &y0, &y1, (cg_descent){ 0, &left_y, tiny }) && x1 <= y0;
}

bool
cg_is_upto(const cg_kernel *k, cg_val x, cg_val y)
{
    return is_upto(k, x, y, false) && (!k->module->n_open || is_upto(k, x, y, true));
}

static bool
is_within(const cg_kernel *k, cg_val v, int64_t least, int64_t most, bool tiny)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    int64_t lo, hi;

    return range(k, v, &lo, &hi, (cg_descent){ 0, &left, tiny }) &&
           lo >= number(k, least, tiny) && hi <= number(k, most, tiny);
}

bool
cg_is_within(const cg_kernel *k, cg_val v, int64_t least, int64_t most)
{
    return is_within(k, v, least, most, false) &&
           (!k->module->n_open || is_within(k, v, least, most, true));
}

bool
cg_linear_widen(const cg_kernel *k, cg_val v, cg_linear *l, cg_descent at)
{
    const cg_insn *i = &k->insn[v];
    const cot_dtype t = cg_type(k, v);
    int64_t lo, hi, from, to;
    cg_linear m;

    if (cg_descent_ends(at) || !range_of_type(t, &from, &to))
        return false;
    if (i->op == SC_const) {
        const int unused = 64 - ir_bits(t);
        const int64_t x =
            ir_is_signed(t) ? (int64_t)(i->imm << unused) >> unused : (int64_t)i->imm;
        *l = (cg_linear){ .k = number(k, x, at.tiny) };
        return true;
    }
    if (i->op == SC_cvt && cg_type(k, i->in[0]) == COT_I64)
        *l = linear_of(k, i->in[0], at.tiny);
    else if ((i->op == SC_add || i->op == SC_sub) &&
             cg_linear_widen(k, i->in[0], l, cg_descent_below(at)) &&
             cg_linear_widen(k, i->in[1], &m, cg_descent_below(at)))
        cg_linear_add(l, &m, i->op == SC_add ? 1 : -1);
    else
        return false;
    return cg_linear_range(k, l, &lo, &hi, cg_descent_below(at)) && lo >= from && hi <= to;
}

/* Is a form one of data, rather than of the variables of loops? Is it an open extent? An
 * index of 8 bits is below the one of a sample, but not below others. */
static bool
is_data(const cg_kernel *k, const cg_linear *l)
{
    for (int i = 0; i < l->n; i++)
        if (k->insn[l->v[i]].op != CG_VAR)
            return true;
    return false;
}

static bool
is_open_number(const cg_kernel *k, const cg_linear *l)
{
    return l->n == 0 && cg_module_is_open(k->module, l->k);
}

static bool
compare(const cg_kernel *k, ir_sc_op op, cg_val x, cg_val y, bool tiny, bool *is)
{
    int left = CG_KERNEL_MAX_INDEX_VISITS;
    const cg_descent at = { 0, &left, tiny };
    int64_t lo, hi;
    cg_linear l, m;

    if (!cg_linear_widen(k, x, &l, at) || !cg_linear_widen(k, y, &m, at))
        return false;
    if (k->module->n_open && (is_data(k, &l) || is_data(k, &m)) &&
        (is_open_number(k, &l) || is_open_number(k, &m)))
        return false;
    cg_linear_add(&l, &m, -1);
    if (!cg_linear_range(k, &l, &lo, &hi, at))
        return false;
    const bool below_y = hi < 0, upto_y = hi <= 0, above_y = lo > 0, from_y = lo >= 0;
    switch (op) {
    case SC_lt: *is = below_y; return below_y || from_y;
    case SC_le: *is = upto_y; return upto_y || above_y;
    case SC_eq:
    case SC_ne: *is = op == SC_ne; return below_y || above_y;
    default: return false;
    }
}

/* An index that is below the one of a sample need not be below that of another size. */
bool
cg_compare(const cg_kernel *k, ir_sc_op op, cg_val x, cg_val y, bool *is)
{
    bool other;

    return compare(k, op, x, y, false, is) &&
           (!k->module->n_open || (compare(k, op, x, y, true, &other) && other == *is));
}
