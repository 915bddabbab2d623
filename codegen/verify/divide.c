/* Quotients, remainders and bits: floor(x / c) is an atom, and so is x - c floor(x / c). */
#include "codegen/verify/atoms.h"

/* Splits x = c high + low, where terms that c divides go to high: floor(x / c) is high +
 * floor(low / c). */
static void
split_by(const cg_form *x, int64_t c, cg_sum *high, cg_sum *low)
{
    *high = (cg_sum){ .k = cg_floor_div(x->k, c) };
    *low = (cg_sum){ .k = x->k - high->k * c };
    for (int i = 0; i < x->n; i++) {
        cg_sum *to = x->term[i].c % c == 0 ? high : low;
        to->term[to->n] = x->term[i];
        to->term[to->n++].c /= to == high ? c : 1;
    }
}

static bool
is_digit(const cg_facts *f, const cg_form *x, int64_t c)
{
    const cg_interval in = cg_form_interval(f, x);

    return in.lo >= 0 && in.hi < c;
}

/* If x = g high + low, 0 <= low < g and g divides c, then floor(x / c) = floor(high / (c / g)).
 * This gives equal quotients that are written differently the same atom. */
static bool
divides_both(const cg_facts *f, const cg_form *x, int64_t c, int64_t *g, cg_sum *high)
{
    cg_sum low;

    for (int i = 0; i < x->n; i++) {
        *g = cg_gcd(x->term[i].c, c);
        if (*g < 2 || *g == c)
            continue;
        split_by(x, *g, high, &low);
        const cg_form rest = cg_form_of(&low);
        if (is_digit(f, &rest, *g))
            return true;
    }
    return false;
}

/* If x = z + floor(y / d), then floor(x / c) = floor(out / (c d)) with out = d z + y. */
static bool
has_quotient(const cg_facts *f, const cg_form *x, int64_t c, int64_t *d, cg_sum *out)
{
    for (int i = x->n; i-- > 0;) {
        const cg_atom *a = &f->atom[x->term[i].atom];
        if (x->term[i].c != 1 || a->split != CG_QUOTIENT || c >= INT32_MAX ||
            a->side[1].k >= INT32_MAX)
            continue;
        const cg_form whole = { .n = 1, .term = &x->term[i] };
        *d = a->side[1].k;
        *out = (cg_sum){ 0 };
        return cg_sum_add(out, *d, x) && cg_sum_add(out, -*d, &whole) &&
               cg_sum_add(out, 1, &a->side[0]);
    }
    return false;
}

/* The atom floor(x / c).  An atom with the same x and c is reused if it is among the latest. */
static uint32_t
quotient(cg_facts *f, cg_val v, const cg_form *x, int64_t c)
{
    cg_sum part;
    int64_t d;

    if (has_quotient(f, x, c, &d, &part)) {
        const cg_form y = cg_form_keep(f->arena, &part);
        return quotient(f, v, &y, c * d);
    }
    if (divides_both(f, x, c, &d, &part)) {
        const cg_form y = cg_form_keep(f->arena, &part);
        return quotient(f, v, &y, c / d);
    }
    const cg_interval in = cg_tight_interval(f, NULL, x);
    const uint32_t first =
        f->n_quotients > CG_VERIFY_MAX_QUOTIENTS ? f->n_quotients - CG_VERIFY_MAX_QUOTIENTS : 0;

    for (uint32_t j = first; j < f->n_quotients; j++) {
        const cg_atom *q = &f->atom[f->quotient[j]];
        if (q->side[1].k == c && cg_form_equal(&q->side[0], x))
            return f->quotient[j];
    }
    const uint32_t q =
        cg_new_atom(f, v,
                    (cg_interval){ in.lo == INT64_MIN ? in.lo : cg_floor_div(in.lo, c),
                                   in.hi == INT64_MAX ? in.hi : cg_floor_div(in.hi, c) });
    f->atom[q].derived = true;
    f->atom[q].split = CG_QUOTIENT;
    f->atom[q].side[0] = *x;
    f->atom[q].side[1] = cg_form_const(c);
    cg_add_fact(f, q, -c, 1, x, 0);
    cg_add_fact(f, q, c, -1, x, c - 1);
    IR_PUSH(f->arena, f->quotient, f->n_quotients, f->cap_quotients, q);
    return q;
}

static void
set_quotient(cg_facts *f, cg_val v, const cg_form *x, int64_t c)
{
    cg_sum high, low;

    split_by(x, c, &high, &low);
    const cg_form rest = cg_form_of(&low);
    if (is_digit(f, &rest, c))
        cg_set_form(f, v, cg_form_keep(f->arena, &high), true);
    else
        cg_set_form(f, v, cg_form_of_atom(f, quotient(f, v, x, c)), true);
}

/* A new atom that is the quotient or remainder by c, rounded toward zero.  It is the floor
 * where x is not negative, which a proof must show first. */
static void
set_truncated(cg_facts *f, cg_val v, cg_split split, const cg_form *x, int64_t c,
              cg_interval in)
{
    const uint32_t a = cg_new_atom(f, v, in);

    f->atom[a].split = split;
    f->atom[a].side[0] = *x;
    f->atom[a].side[1] = cg_form_const(c);
    cg_set_form(f, v, cg_form_of_atom(f, a), true);
}

/* Division rounds toward zero; it is the floor where x is not negative. */
void
cg_define_quotient(cg_facts *f, cg_val v, const cg_insn *i, bool shift)
{
    const cg_form x = cg_exact_form(f, i->in[0]);
    const cg_interval in = cg_form_interval(f, &x);
    int64_t c;

    if (!cg_is_const(f->k, i->in[1], &c) || c < !shift || (shift && c > 62))
        cg_set_opaque(f, v);
    else if (shift || in.lo >= 0)
        set_quotient(f, v, &x, shift ? (int64_t)1 << c : c);
    else
        set_truncated(f, v, CG_TRUNC_QUOTIENT, &x, c,
                      (cg_interval){ in.lo == INT64_MIN ? in.lo : in.lo / c,
                                     in.hi == INT64_MAX ? in.hi : in.hi / c });
}

/* The remainder x - c q for the quotient q.  It is an atom of its own, since 0 <= r <= c - 1
 * does not follow from bounds of x and q. */
static uint32_t
rest_atom(cg_facts *f, cg_val v, const cg_form *x, int64_t c)
{
    const cg_form q = cg_form_of_atom(f, quotient(f, v, x, c));
    const uint32_t r = cg_new_atom(f, v, (cg_interval){ 0, c - 1 });
    cg_sum s = { 0 };

    f->atom[r].derived = true;
    f->atom[r].split = CG_REMAINDER;
    f->atom[r].side[0] = *x;
    f->atom[r].side[1] = cg_form_const(c);
    if (cg_sum_add(&s, 1, x) && cg_sum_add(&s, -c, &q)) {
        const cg_form same = cg_form_of(&s);
        cg_add_fact(f, r, -1, 1, &same, 0);
        cg_add_fact(f, r, 1, -1, &same, 0);
    }
    return r;
}

/* If x = g high + low, 0 <= low < g and g divides c, then the remainder of x by c is g times
 * that of high by c / g, and low: of a multiple of 4 by 56 it is at most 52. */
static void
set_rest(cg_facts *f, cg_val v, const cg_form *x, int64_t c)
{
    cg_sum high, low;
    int64_t g;

    split_by(x, c, &high, &low);
    const cg_form rest = cg_form_of(&low);
    if (is_digit(f, &rest, c)) {
        cg_set_form(f, v, cg_form_keep(f->arena, &low), true);
    } else if (divides_both(f, x, c, &g, &high)) {
        split_by(x, g, &high, &low);
        const cg_form y = cg_form_keep(f->arena, &high);
        const cg_form r = cg_form_of_atom(f, rest_atom(f, v, &y, c / g));
        if (cg_sum_add(&low, g, &r))
            cg_set_form(f, v, cg_form_keep(f->arena, &low), true);
        else
            cg_set_atom(f, v, (cg_interval){ 0, c - 1 });
    } else {
        cg_set_form(f, v, cg_form_of_atom(f, rest_atom(f, v, x, c)), true);
    }
}

void
cg_define_rest(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_form x = cg_exact_form(f, i->in[0]);
    int64_t c;

    if (!cg_is_const(f->k, i->in[1], &c) || c <= 0)
        cg_set_opaque(f, v);
    else if (cg_form_interval(f, &x).lo >= 0)
        set_rest(f, v, &x, c);
    else
        set_truncated(f, v, CG_TRUNC_REMAINDER, &x, c, (cg_interval){ 1 - c, c - 1 });
}

/* The bitwise and of x and y, where y is not negative, is in 0 ... y. */
static void
some_bits(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_form side[2] = { cg_exact_form(f, i->in[0]), cg_exact_form(f, i->in[1]) };
    cg_interval in = cg_type_interval(cg_type(f->k, v));
    bool positive[2];

    for (int j = 0; j < 2; j++) {
        const cg_interval x = cg_form_interval(f, &side[j]);
        positive[j] = x.lo >= 0;
        in = positive[j] ? cg_common(in, (cg_interval){ 0, x.hi }) : in;
    }
    cg_set_atom(f, v, in);
    for (int j = 0; j < 2; j++)
        if (positive[j])
            cg_add_fact(f, f->n - 1, -1, 1, &side[j], 0);
}

/* The bitwise and of x and 2^n - 1 is the remainder by 2^n, also for negative x. */
void
cg_define_bits(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_form x = cg_exact_form(f, i->in[0]);
    int64_t c;

    if (!cg_is_const(f->k, i->in[1], &c) || c < 0)
        some_bits(f, v, i);
    else if (c < INT64_MAX && (c & (c + 1)) == 0)
        set_rest(f, v, &x, c + 1);
    else
        cg_set_atom(f, v, (cg_interval){ 0, c });
}

/* If neither x nor y is negative, their bitwise or and xor have no bit above the highest of
 * both. */
void
cg_define_mixed_bits(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_interval x = cg_value_interval(f, i->in[0]), y = cg_value_interval(f, i->in[1]);
    const int64_t hi = x.hi > y.hi ? x.hi : y.hi;

    if (x.lo < 0 || y.lo < 0 || hi >= INT64_MAX / 2)
        cg_set_opaque(f, v);
    else
        cg_set_atom(
            f, v,
            (cg_interval){ 0, hi ? INT64_MAX >> (__builtin_clzll((uint64_t)hi) - 1) : 0 });
}
