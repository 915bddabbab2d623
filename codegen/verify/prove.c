/* Proof of s >= 0 by elimination.
 *
 * The latest atom is replaced by a bound that does not contain it: if s has the term c a, c >
 * 0, and a fact says k a + K >= 0, k > 0, then s >= 0 follows from k s - c (k a + K) >= 0,
 * which does not contain a.  That is one step of Fourier-Motzkin elimination, with one chosen
 * bound instead of all.  The result is divided by the common divisor of its coefficients, with
 * the constant rounded down, as in Pugh's Omega test (1991).  Several bounds of an atom are
 * tried, first those that hold at the place of the proof.  An atom that is one of two values is
 * replaced by each of them, and both proofs must succeed.  If this fails, a second attempt has
 * more methods: it subtracts multiples of known forms, replaces atoms other than the latest,
 * and uses bounds that follow from several atoms together.  A third attempt, for accesses
 * alone, also uses known forms that bound an atom by later ones.  The number of steps is
 * bounded: false means "not proved". */
#include "codegen/verify/prove.h"
#include "codegen/tuning.h"

#include "ir/map.h"

typedef struct proof {
    cg_facts *f;
    cg_known *known;
    int steps;  /* steps used so far */
    int limit;  /* of the steps, for the current method */
    bool tight; /* this is the second or the third attempt */
    bool later; /* this is the third attempt */
} proof;

static bool prove(proof *p, cg_sum s, int level);

/* Replaces the atom in s by a bound k a + E >= 0, where k has the sign of the atom's
 * coefficient.  If s is G + a or G - a, |k| G >= E - |k| + 1 suffices, since G is an
 * integer. */
static bool
by_bound(proof *p, const cg_sum *s, uint32_t atom, int64_t c, const cg_form *bound, int level)
{
    const int64_t k = cg_sum_coefficient(bound, atom);
    cg_sum t = *s;

    if (k == 0 || (k < 0) != (c < 0))
        return false;
    const int64_t g = cg_gcd(k, c);
    const bool back = bound->term[bound->n - 1].atom > atom;
    const int64_t room = c == 1 || c == -1 ? (k < 0 ? -k : k) - 1 : 0;
    return cg_sum_scale(&t, (k < 0 ? -k : k) / g) &&
           cg_sum_add(&t, -((c < 0 ? -c : c) / g), bound) &&
           !__builtin_add_overflow(t.k, room, &t.k) &&
           prove(p, t, level + (back ? CG_VERIFY_BACKWARD_COST : 1));
}

static bool
by_form(proof *p, const cg_sum *s, uint32_t atom, int64_t c, const cg_form *x, int level)
{
    const cg_sum a = { .n = 1, .term = { { atom, 1 } } };
    const cg_form old = cg_form_of(&a);
    cg_sum t = *s;

    return cg_sum_add(&t, -c, &old) && cg_sum_add(&t, c, x) && prove(p, t, level + 1);
}

/* The atom is one of two values: the proof must succeed for both. */
static bool
by_sides(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_atom a = p->f->atom[atom];
    const int n = p->known->n;
    const bool infeasible = p->known->infeasible;
    bool good = true;

    for (int j = 0; j < 2 && good; j++) {
        if (a.split == CG_CHOICE)
            cg_know_that(p->f, p->known, a.cond, j == 0);
        good = p->known->infeasible || by_form(p, s, atom, c, &a.side[j], level);
        p->known->n = n;
        p->known->infeasible = infeasible;
    }
    return good;
}

/* floor(x / c) <= G is equivalent to x <= c G + c - 1, and floor(x / c) >= -G to x >= -c G. */
static bool
by_dividend(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_atom a = p->f->atom[atom];
    const cg_sum q = { .n = 1, .term = { { atom, 1 } } };
    const cg_form old = cg_form_of(&q);
    cg_sum t = *s;

    if (!cg_sum_add(&t, -c, &old) || !cg_sum_scale(&t, a.side[1].k) ||
        !cg_sum_add(&t, c, &a.side[0]))
        return false;
    if (c < 0 && __builtin_add_overflow(t.k, a.side[1].k - 1, &t.k))
        return false;
    return prove(p, t, level + 1);
}

/* Division toward zero is the floor where the dividend is proved to be >= 0. */
static bool
by_truncated(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_atom a = p->f->atom[atom];
    const cg_form zero = cg_form_const(0);
    cg_sum x = { 0 };

    if (!cg_sum_add(&x, 1, &a.side[0]) || !prove(p, x, level + 1))
        return false;
    if (c > 0 && by_form(p, s, atom, c, &zero, level))
        return true;
    return a.split == CG_TRUNC_QUOTIENT && (c == 1 || c == -1) &&
           by_dividend(p, s, atom, c, level);
}

static bool
by_nature(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    switch (p->f->atom[atom].split) {
    case CG_CHOICE: return by_sides(p, s, atom, c, level);
    case CG_MIN_OF: return c > 0 && by_sides(p, s, atom, c, level);
    case CG_MAX_OF: return c < 0 && by_sides(p, s, atom, c, level);
    default: return false;
    }
}

/* Replaces the atom by the tightest of its constant bounds. */
static bool
by_constant(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_atom a = p->f->atom[atom];
    cg_form x = cg_form_const(c > 0 ? a.in.lo : a.in.hi);
    const bool open = x.k == INT64_MIN || x.k == INT64_MAX;
    bool found = !open;
    int64_t bound;

    for (int j = 0; j < p->known->n + a.n_facts; j++) {
        const cg_form *y = j < a.n_facts ? &a.fact[j] : &p->known->form[j - a.n_facts];
        if (cg_bounds_quotient(&a, y, c > 0 ? 1 : -1, &bound)) {
            if (!found || (c > 0 ? bound > x.k : bound < x.k))
                x.k = bound;
            found = true;
        }
        if (y->n != 1 || y->term[0].atom != atom || (y->term[0].c < 0) != (c < 0))
            continue;
        /* k a + d >= 0 */
        const int64_t k = y->term[0].c,
                      most = c > 0 ? -cg_floor_div(y->k, k) : cg_floor_div(y->k, -k);
        if (!found || (c > 0 ? most > x.k : most < x.k))
            x.k = most;
        found = true;
    }
    return found && by_form(p, s, atom, c, &x, level);
}

/* Replaces the atom by its extreme under all facts and known forms. */
static bool
by_extreme(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_sum a = { .n = 1, .term = { { atom, 1 } } };
    const cg_form one = cg_form_of(&a);
    const cg_interval in = p->later ? cg_tightest_interval(p->f, p->known, &one)
                                    : cg_tight_interval(p->f, p->known, &one);
    const cg_form x = cg_form_const(c > 0 ? in.lo : in.hi);

    return x.k != INT64_MIN && x.k != INT64_MAX && by_form(p, s, atom, c, &x, level);
}

static bool
stands_for_more(const cg_atom *a)
{
    return a->derived || a->split != CG_WHOLE;
}

/* Is a bound that contains other atoms worth trying?  It should share an atom with s, or
 * contain one that has facts or sides itself. */
static bool
leads_on(const proof *p, const cg_sum *s, uint32_t atom, const cg_form *bound)
{
    const cg_form x = cg_form_of(s);
    const bool rest = p->f->atom[atom].split == CG_REMAINDER;

    if (p->known->broad)
        return true;
    for (int i = 0; i < bound->n; i++)
        if (bound->term[i].atom != atom &&
            ((!rest && stands_for_more(&p->f->atom[bound->term[i].atom])) ||
             cg_sum_coefficient(&x, bound->term[i].atom) != 0))
            return true;
    return bound->n > 1 &&
           (p->f->atom[atom].split == CG_QUOTIENT || p->f->atom[atom].in.hi == INT64_MAX);
}

static bool
is_bounded(const cg_atom *a)
{
    return a->in.lo != INT64_MIN && a->in.hi != INT64_MAX;
}

/* Replaces other atoms together by their worst values, so that the remaining coefficients have
 * a common divisor and the bound of this atom is rounded.  The others are those whose
 * coefficients c does not divide; or (not divides) remainders, minima and the like. */
static bool
by_others(proof *p, const cg_sum *s, int64_t c, bool divides, int level)
{
    cg_sum t = { .k = s->k }, other = { 0 };

    for (int i = 0; i < s->n; i++) {
        const cg_atom *a = &p->f->atom[s->term[i].atom];
        const int64_t d = s->term[i].c;
        const bool keeps =
            divides ? d % c == 0 : a->split == CG_WHOLE || a->split == CG_QUOTIENT;
        cg_sum *to = keeps || !is_bounded(a) ? &t : &other;

        to->term[to->n++] = s->term[i];
    }
    if (other.n == 0)
        return false;
    const cg_form rest = cg_form_of(&other);
    const int64_t least = p->tight ? cg_tight_interval(p->f, p->known, &rest).lo
                                   : cg_form_interval(p->f, &rest).lo;
    return least != INT64_MIN && !__builtin_add_overflow(t.k, least, &t.k) &&
           prove(p, t, level + 1);
}

/* The largest multiple of x that can be subtracted from sign asked without changing the sign of
 * a coefficient. */
static int64_t
times_in(const cg_form *asked, int sign, const cg_form *x)
{
    int64_t times = x->n > 0 ? INT64_MAX : 0;

    for (int i = 0; i < x->n; i++) {
        const int64_t k = x->term[i].c, c = sign * cg_sum_coefficient(asked, x->term[i].atom);
        if ((c < 0) != (k < 0))
            return 0;
        times = c / k < times ? c / k : times;
    }
    return times;
}

/* Subtracts the largest multiple of a known form that keeps the signs of all coefficients of s.
 * The rest may follow from another form, or from the same one rounded. */
static bool
by_part(proof *p, const cg_sum *s, const cg_form *known, int level)
{
    const cg_form asked = cg_form_of(s);
    const int64_t times = times_in(&asked, 1, known);
    cg_sum t = *s;

    return known->n > 1 && times > 0 && cg_sum_add(&t, -times, known) && prove(p, t, level + 1);
}

static bool
by_parts(proof *p, const cg_sum *s, int level)
{
    bool good = false;

    for (int j = p->known->n; j-- > 0 && !good;)
        good = by_part(p, s, &p->known->form[j], level);
    return good;
}

/* Does a known form relate an atom of x to one of s, with the sign that bounds s? */
static bool
is_related(const proof *p, const cg_sum *s, const cg_form *x)
{
    const cg_form asked = cg_form_of(s);

    for (int j = 0; j < p->known->n; j++) {
        const cg_form *known = &p->known->form[j];
        bool in_x = false, in_s = false;
        for (int i = 0; i < known->n; i++) {
            const int64_t c = cg_sum_coefficient(&asked, known->term[i].atom);
            in_x |= cg_sum_coefficient(x, known->term[i].atom) != 0;
            in_s |= c != 0 && (c < 0) == (known->term[i].c < 0);
        }
        if (in_x && in_s)
            return true;
    }
    return false;
}

/* Replaces a remainder by x - c floor(x / c), which its first fact states. */
static bool
by_equality(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_atom a = p->f->atom[atom];
    const cg_sum one = { .n = 1, .term = { { atom, 1 } } };
    const cg_form rest = cg_form_of(&one);
    cg_sum same = { 0 };

    if (a.n_facts < 2 || cg_sum_coefficient(&a.fact[0], atom) != -1 ||
        !cg_sum_add(&same, 1, &a.fact[0]) || !cg_sum_add(&same, 1, &rest))
        return false;
    const cg_form x = cg_form_of(&same);
    return is_related(p, s, &x) && by_form(p, s, atom, c, &x, level);
}

/* Where a known form has x rem c and s has a multiple of x, replaces that by the multiple of c
 * floor(x / c) + x rem c. */
static bool
by_digits(proof *p, const cg_sum *s, const cg_form *known, int level)
{
    const cg_form asked = cg_form_of(s);
    bool good = false;

    for (int i = 0; i < known->n && !good; i++) {
        const uint32_t r = known->term[i].atom;
        const cg_atom a = p->f->atom[r];
        if (a.split != CG_REMAINDER || a.n_facts < 2 || cg_sum_coefficient(&asked, r) != 0)
            continue;
        for (int sign = -1; sign <= 1 && !good; sign += 2) {
            const int64_t times = times_in(&asked, sign, &a.side[0]);
            cg_sum t = *s;
            good = times > 0 && cg_sum_add(&t, -sign * times, &a.fact[0]) &&
                   prove(p, t, level + 1);
        }
    }
    return good;
}

/* Methods that replace atoms other than the latest one. */
static bool
by_any(proof *p, const cg_sum *s, int level)
{
    for (int j = p->known->n; j-- > 0;)
        if (by_digits(p, s, &p->known->form[j], level))
            return true;
    for (int i = s->n; i-- > 0;) {
        const uint32_t atom = s->term[i].atom;
        const int64_t c = s->term[i].c;
        const cg_split split = p->f->atom[atom].split;
        if ((split == CG_REMAINDER && by_equality(p, s, atom, c, level)) ||
            (split == CG_QUOTIENT && (c == 1 || c == -1) && by_dividend(p, s, atom, c, level)))
            return true;
    }
    for (int i = s->n - 1; i-- > 0;)
        if (by_extreme(p, s, s->term[i].atom, s->term[i].c, level))
            return true;
    return false;
}

/* A method may use a third of the remaining steps, so that later ones have some left. */
static void
ration(proof *p, int limit)
{
    p->limit = p->steps + (limit - p->steps + 1) / 3;
}

static bool
without(proof *p, const cg_sum *s, uint32_t atom, int64_t c, int level)
{
    const cg_atom a = p->f->atom[atom];
    const bool truncated = a.split == CG_TRUNC_QUOTIENT || a.split == CG_TRUNC_REMAINDER;

    const int limit = p->limit;
    bool good = false;

    ration(p, limit);
    if (c != 1 && c != -1)
        good = by_others(p, s, c, true, level) || by_others(p, s, c, false, level);
    if (p->tight && !good) {
        ration(p, limit);
        good = by_parts(p, s, level) || by_any(p, s, level);
    }
    ration(p, limit);
    good = good || (truncated && by_truncated(p, s, atom, c, level)) ||
           by_constant(p, s, atom, c, level) || (p->tight && by_extreme(p, s, atom, c, level));
    if (a.split == CG_QUOTIENT && (c == 1 || c == -1)) {
        ration(p, limit);
        good = good || by_dividend(p, s, atom, c, level);
    }
    for (int j = p->known->n + a.n_facts; j-- > 0 && !good;) {
        const cg_form *bound = j < a.n_facts ? &a.fact[j] : &p->known->form[j - a.n_facts];
        ration(p, limit);
        good = leads_on(p, s, atom, bound) && by_bound(p, s, atom, c, bound, level);
    }
    p->limit = limit;
    return good || by_nature(p, s, atom, c, level);
}

/* The slot of a form in the cache of forms that failed, since the same form is reached in
 * several ways.  A slot is overwritten by the next form with the same hash. */
static uint64_t *
place_of(proof *p, const cg_sum *s, uint64_t *hash)
{
    uint64_t h = ir_hash_u64(p->f->proofs, (uint64_t)p->known->n);

    h = ir_hash_u64(h, (uint64_t)s->k);
    for (int i = 0; i < s->n; i++)
        h = ir_hash_u64(ir_hash_u64(h, s->term[i].atom), (uint64_t)s->term[i].c);
    *hash = h;
    return &p->f->tried[h % CG_VERIFY_MAX_TRIED];
}

static bool
prove(proof *p, cg_sum s, int level)
{
    cg_tighten(p->f, &s);
    const cg_form x = cg_form_of(&s);

    const cg_interval in = cg_form_interval(p->f, &x);
    if (in.lo >= 0)
        return true;
    if (s.n == 0 || in.hi < 0 || level > CG_VERIFY_MAX_PROOF_LEVEL || p->steps >= p->limit)
        return false;
    uint64_t hash, *place = place_of(p, &s, &hash);
    if (*place == hash)
        return false;
    *place = hash;
    p->steps++;
    p->f->steps++;
    const cg_term last = s.term[s.n - 1];
    const bool good = without(p, &s, last.atom, last.c, level);
    if (good && *place == hash)
        *place = 0; /* it may be needed again    */
    return good;
}

/* Almost all proofs succeed without the methods of the later attempts, which cost more. */
static bool
prove_in_attempts(cg_facts *f, cg_known *known, const cg_sum *s, int attempts)
{
    const ir_mark mark = ir_arena_mark(f->scratch);
    proof p = { .f = f, .known = known };
    bool good = known->infeasible;

    f->proving = true;
    for (int j = 0; j < (known->broad ? 1 : attempts) && !good; j++) {
        p.steps = 0;
        p.tight = j > 0;
        p.later = j > 1;
        p.limit = known->broad ? CG_VERIFY_MAX_PROOF_STEPS_EVERY : CG_VERIFY_MAX_PROOF_STEPS;
        f->proofs++;
        good = prove(&p, *s, 0);
    }
    f->proving = false;
    ir_arena_release(f->scratch, mark);
    return good;
}

bool
cg_prove(cg_facts *f, cg_known *known, const cg_sum *s)
{
    return prove_in_attempts(f, known, s, 2);
}

bool
cg_prove_at_length(cg_facts *f, cg_known *known, const cg_sum *s)
{
    return prove_in_attempts(f, known, s, 3);
}
