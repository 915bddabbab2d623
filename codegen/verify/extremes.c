/* The extremes of a form, from facts and known forms that bound its atoms.
 *
 * Intervals of single atoms lose relations between atoms: for 9 a + b with b <= min(9 a + 9,
 * 17) - 9 a - 1 the maximum is 16, not 9 + 16.  So the last atom is replaced by each of its
 * bounds, which leaves a form of earlier atoms, and the smallest of the results is an upper
 * bound.  A bound by a form uses up one of a few levels, and one by the interval of an atom
 * does not.  If asked for, the first bound may also contain later atoms, which are replaced in
 * turn: 8 b + a <= 38 bounds a, whatever b may be.  The number of steps is limited. */
#include "codegen/tuning.h"
#include "codegen/verify/atoms.h"

typedef struct extreme_search {
    const cg_facts *f;
    const cg_known *known;
    int steps;  /* steps that are left */
    bool later; /* the first bound may contain later atoms */
} extreme_search;

static int64_t upper(extreme_search *x, const cg_sum *s, int level);

static int64_t
least(int64_t x, int64_t y)
{
    return x < y ? x : y;
}

/* An upper bound of s with the last atom replaced by a bound k a + E >= 0; no bound if that
 * does not bound the atom on the right side, or contains a later atom where it may not. */
static int64_t
upper_by(extreme_search *x, const cg_sum *s, const cg_form *bound, int level)
{
    const cg_term last = s->term[s->n - 1];
    const bool ends = bound->n > 0 && bound->term[bound->n - 1].atom == last.atom;
    const int64_t c = ends || (x->later && level == CG_VERIFY_EXTREME_LEVELS)
                          ? cg_sum_coefficient(bound, last.atom)
                          : 0;
    cg_sum t = *s;

    if (c == 0 || (c < 0) == (last.c < 0))
        return INT64_MAX;
    const int64_t g = cg_gcd(c, last.c), times = (c < 0 ? -c : c) / g;
    if (!cg_sum_scale(&t, times) || !cg_sum_add(&t, (last.c < 0 ? -last.c : last.c) / g, bound))
        return INT64_MAX;
    const int64_t most = upper(x, &t, level - 1);
    return most == INT64_MAX ? most : cg_floor_div(most, times);
}

/* An upper bound of s with the last atom replaced by the end of its interval. */
static int64_t
upper_at_end(extreme_search *x, const cg_sum *s, int level)
{
    const cg_term last = s->term[s->n - 1];
    const cg_interval in = x->f->atom[last.atom].in;
    const int64_t end = last.c > 0 ? in.hi : in.lo;
    cg_sum t = *s;
    int64_t c;

    t.n--;
    if (end == INT64_MAX || end == INT64_MIN || __builtin_mul_overflow(end, last.c, &c) ||
        __builtin_add_overflow(t.k, c, &t.k))
        return INT64_MAX;
    return upper(x, &t, level);
}

static int64_t
upper(extreme_search *x, const cg_sum *s, int level)
{
    const cg_form form = cg_form_of(s);
    int64_t best = cg_form_interval(x->f, &form).hi;

    if (level == 0 || s->n == 0 || x->steps-- <= 0)
        return best;
    const uint32_t last = s->term[s->n - 1].atom;
    const cg_atom *a = &x->f->atom[last];

    best = least(best, upper_at_end(x, s, level));
    for (int j = 0; j < a->n_facts; j++)
        best = least(best, upper_by(x, s, &a->fact[j], level));
    for (int j = 0; x->known && j < x->known->n; j++)
        best = least(best, upper_by(x, s, &x->known->form[j], level));
    return best;
}

static cg_interval
search_interval(extreme_search high, const cg_form *x)
{
    extreme_search low = high;
    cg_interval in = cg_form_interval(high.f, x);
    cg_sum s = { 0 }, t = { 0 };

    if (cg_sum_add(&s, 1, x))
        in.hi = upper(&high, &s, CG_VERIFY_EXTREME_LEVELS);
    if (cg_sum_add(&t, -1, x)) {
        const int64_t most = upper(&low, &t, CG_VERIFY_EXTREME_LEVELS);
        in.lo = most != INT64_MAX && -most > in.lo ? -most : in.lo;
    }
    return in;
}

cg_interval
cg_tight_interval(const cg_facts *f, const cg_known *known, const cg_form *x)
{
    return search_interval((extreme_search){ f, known, CG_VERIFY_EXTREME_STEPS, false }, x);
}

cg_interval
cg_tightest_interval(const cg_facts *f, const cg_known *known, const cg_form *x)
{
    return search_interval((extreme_search){ f, known, CG_VERIFY_EXTREME_STEPS, true }, x);
}
