/* Does an index determine the iteration?
 *
 * All indices of a buffer in the loop, including those of loads, are decomposed together like
 * numbers into digits: where index = C h + l and l stays within a range of C integers, equal
 * indices have equal h and equal l, so that both parts can be decomposed further.  If a part is
 * a single atom, equal indices have equal values of that atom: it is fixed.  If a remainder x -
 * c q and its q are fixed, so is x, which is then decomposed in turn.  Each touch may have
 * different atoms (the rows of a tile and of the edge next to it), as long as every index is
 * built from them in the same way.  If the iteration count is fixed in the end, two different
 * iterations never have equal indices.  Atoms from before the loop are the same in all
 * iterations. */
#include "codegen/verify/digits.h"

#include "codegen/tuning.h"
#include "codegen/verify/atoms.h"
#include "codegen/verify/prove.h"

typedef cg_parts parts;

/* Atoms, one of each touch, that have equal values where the indices are equal. */
typedef struct fixed {
    int n;
    const uint32_t *atom[CG_VERIFY_MAX_FIXED];
} fixed;

/* -- atoms -- */

/* The position of an atom of touch i among the fixed ones; -1: it is not fixed. */
static int
fixed_as(const fixed *x, uint32_t i, uint32_t atom)
{
    for (int j = 0; j < x->n; j++)
        if (x->atom[j][i] == atom)
            return j;
    return -1;
}

static void
fix(const parts *x, fixed *fixed, const uint32_t *atom)
{
    for (int j = 0; j < fixed->n; j++)
        if (memcmp(fixed->atom[j], atom, x->n * sizeof *atom) == 0)
            return;
    if (fixed->n < CG_VERIFY_MAX_FIXED)
        fixed->atom[fixed->n++] = atom;
}

static bool
is_counted(const parts *x, const fixed *fixed)
{
    for (int j = 0; j < fixed->n; j++) {
        uint32_t i = 0;
        while (i < x->n && fixed->atom[j][i] == x->r->counter)
            i++;
        if (i == x->n)
            return true;
    }
    return false;
}

/* -- digits -- */

cg_known *
cg_known_at(const cg_races *r, const cg_touch *t)
{
    *r->known =
        (cg_known){ .n = t->n_known, .cap = (uint32_t)t->n_known, .form = (cg_form *)t->known };
    return r->known;
}

/* Proves k + part >= 0 (sign 1) or k - part >= 0 (sign -1). */
static bool
is_beyond(const cg_races *r, const cg_touch *t, int64_t k, int sign, const cg_form *part)
{
    cg_sum room = { .k = k };

    return cg_sum_add(&room, sign, part) && cg_prove(r->f, cg_known_at(r, t), &room);
}

/* Does each part lie in least ... least + c - 1? */
static bool
are_within(const parts *x, const cg_interval *in, int64_t least, int64_t c)
{
    const cg_races *r = x->r;
    int64_t most;

    if (least == INT64_MIN || __builtin_add_overflow(least, c - 1, &most))
        return false;
    for (uint32_t i = 0; i < x->n; i++) {
        const cg_form part = cg_form_of(&x->part[i]);
        if ((in[i].lo < least && !is_beyond(r, x->at[i], -least, 1, &part)) ||
            !is_beyond(r, x->at[i], most, -1, &part))
            return false;
    }
    return true;
}

/* Do all parts lie within a common range of c integers?  The range is tried at the smallest and
 * at the largest of their lower bounds, since an interval may be wider than what can be
 * proved. */
static bool
spans_less(const parts *x, int64_t c)
{
    const cg_races *r = x->r;
    cg_interval *in = IR_NEW_N(r->f->arena, cg_interval, x->n);
    int64_t least = INT64_MAX, most = INT64_MIN;

    for (uint32_t i = 0; i < x->n; i++) {
        const cg_form part = cg_form_of(&x->part[i]);
        in[i] = cg_tight_interval(r->f, cg_known_at(r, x->at[i]), &part);
        least = in[i].lo < least ? in[i].lo : least;
        most = in[i].lo > most ? in[i].lo : most;
    }
    return are_within(x, in, least, c) || (most > least && are_within(x, in, most, c));
}

/* part = c high + low: terms that c divides go to high.  Atoms from before the loop are not
 * digits and go there only if `before` is set. */
static void
split(const parts *x, int64_t c, bool before, parts *high, parts *low)
{
    *high = *low = *x;
    high->part = IR_NEW_N(x->r->f->arena, cg_sum, x->n);
    low->part = IR_NEW_N(x->r->f->arena, cg_sum, x->n);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < x->n; i++)
        least = x->part[i].k < least ? x->part[i].k : least;
    for (uint32_t i = 0; i < x->n; i++) {
        const cg_sum *s = &x->part[i];
        cg_sum *h = &high->part[i], *l = &low->part[i];
        h->k = __builtin_sub_overflow(s->k, least, &l->k) ? 0 : cg_floor_div(l->k, c);
        l->k = s->k - c * h->k;
        for (int j = 0; j < s->n; j++) {
            const bool moves = before || s->term[j].atom >= x->r->counter;
            cg_sum *to = moves && s->term[j].c % c == 0 ? h : l;
            to->term[to->n] = s->term[j];
            to->term[to->n++].c /= to == h ? c : 1;
        }
    }
}

/* The sum without atoms that have only one possible value. */
static cg_sum
variable_part(const cg_races *r, const cg_touch *t, const cg_sum *s)
{
    cg_sum left = { .k = s->k };

    for (int j = 0; j < s->n; j++) {
        const cg_form x = { .n = 1, .term = &s->term[j] };
        const cg_interval in = cg_tight_interval(r->f, cg_known_at(r, t), &x);
        if (in.lo != in.hi || __builtin_add_overflow(left.k, in.lo, &left.k))
            left.term[left.n++] = s->term[j];
    }
    return left;
}

/* The atom of each part, if every part is one atom times the same factor; NULL otherwise. */
static const uint32_t *
atom_of_each(const parts *x)
{
    uint32_t *atom = IR_NEW_N(x->r->f->arena, uint32_t, x->n);
    cg_sum first = { 0 };

    for (uint32_t i = 0; i < x->n; i++) {
        const cg_sum s =
            x->part[i].n == 1 ? x->part[i] : variable_part(x->r, x->at[i], &x->part[i]);
        if (s.n != 1 || (i > 0 && (s.k != first.k || s.term[0].c != first.term[0].c)))
            return NULL;
        atom[i] = s.term[0].atom;
        first = s;
    }
    return atom;
}

/* The largest integer below `most` that may be the weight of a digit: a coefficient, or the
 * difference of constants, as between copies. */
static int64_t
next_place(const parts *x, int64_t most)
{
    int64_t best = 0, gap = 0;

    for (uint32_t i = 0; i < x->n; i++) {
        int64_t d;
        for (int j = 0; j < x->part[i].n; j++) {
            const int64_t c = x->part[i].term[j].c, size = c < 0 ? -c : c;
            best = size < most && size > best ? size : best;
        }
        if (!__builtin_sub_overflow(x->part[i].k, x->part[0].k, &d))
            gap = cg_gcd(gap, d);
    }
    return gap < most && gap > best ? gap : best;
}

static bool
has_before(const parts *x)
{
    for (uint32_t i = 0; i < x->n; i++)
        if (x->part[i].n > 0 && x->part[i].term[0].atom < x->r->counter)
            return true;
    return false;
}

static void
decompose(const parts *x, fixed *fixed, int depth)
{
    parts high, low;
    const uint32_t *atom = atom_of_each(x);

    if (atom) {
        fix(x, fixed, atom);
        return;
    }
    for (int64_t c = next_place(x, INT64_MAX); c > 1 && depth < CG_VERIFY_MAX_DIGITS;
         c = next_place(x, c))
        for (int before = 1; before >= 0; before--) {
            split(x, c, before, &high, &low);
            if (spans_less(&low, c)) {
                decompose(&high, fixed, depth + 1);
                decompose(&low, fixed, depth + 1);
                return;
            }
            if (!has_before(x))
                break;
        }
}

/* -- quotients -- */

/* A quotient equals a form if no carry is possible: floor((c high + low) / c) = high where 0 <=
 * low < c is proved. */
static bool
is_high_part(const cg_races *r, const cg_touch *t, const cg_atom *a, cg_sum *high)
{
    const int64_t c = a->side[1].k;
    cg_sum low = { 0 };

    *high = (cg_sum){ .k = cg_floor_div(a->side[0].k, c) };
    low.k = a->side[0].k - c * high->k;
    if (a->side[0].n > CG_VERIFY_FORM_TERMS)
        return false;
    for (int i = 0; i < a->side[0].n; i++) {
        cg_sum *to = a->side[0].term[i].c % c == 0 ? high : &low;
        to->term[to->n] = a->side[0].term[i];
        to->term[to->n++].c /= to == high ? c : 1;
    }
    const cg_form rest = cg_form_of(&low);
    return is_beyond(r, t, 0, 1, &rest) && is_beyond(r, t, c - 1, -1, &rest);
}

static bool
substitute(cg_sum *s, cg_term x, const cg_sum *by)
{
    const cg_form old = { .n = 1, .term = &x }, now = cg_form_of(by);

    return cg_sum_add(s, -1, &old) && cg_sum_add(s, x.c, &now);
}

/* Replaces all quotients by such forms; false: some quotient may have a carry. */
static bool
without_quotients(const cg_races *r, const cg_touch *t, cg_sum *s)
{
    cg_sum high;

    for (int i = 0, left = CG_VERIFY_MAX_SETTLED; i < s->n; i++) {
        const cg_term x = s->term[i];
        if (r->f->atom[x.atom].split != CG_QUOTIENT)
            continue;
        if (left-- == 0 || !is_high_part(r, t, &r->f->atom[x.atom], &high) ||
            !substitute(s, x, &high))
            return false;
        i = -1;
    }
    return true;
}

/* The form of a remainder x - c q whose quotient q has no carry, if x contains no other
 * quotient: then its bounds follow more precisely from those of one atom. */
static bool
is_low_part(const cg_races *r, const cg_touch *t, uint32_t atom, cg_sum *low)
{
    const cg_atom *a = &r->f->atom[atom];
    const cg_term one = { atom, 1 };
    cg_sum high;

    *low = (cg_sum){ 0 };
    if (a->n_facts != 2 || cg_sum_coefficient(&a->fact[0], atom) != -1 ||
        !cg_sum_add(low, 1, &a->fact[0]) ||
        !cg_sum_add(low, 1, &(cg_form){ .n = 1, .term = &one }))
        return false;
    for (int j = 0; j < low->n; j++) {
        const cg_term x = low->term[j];
        const cg_atom *q = &r->f->atom[x.atom];
        if (x.c < 0 && q->split == CG_QUOTIENT && is_high_part(r, t, q, &high))
            return substitute(low, x, &high) && without_quotients(r, t, low);
    }
    return false;
}

void
cg_settle_quotients(const cg_races *r, const cg_touch *t, cg_sum *s)
{
    for (int i = 0, left = CG_VERIFY_MAX_SETTLED; i < s->n && left > 0; i++) {
        const cg_term x = s->term[i];
        const cg_split split = r->f->atom[x.atom].split;
        cg_sum by, now = *s;
        if (x.atom < r->counter ||
            !(split == CG_QUOTIENT ? is_high_part(r, t, &r->f->atom[x.atom], &by)
                                   : split == CG_REMAINDER && is_low_part(r, t, x.atom, &by)) ||
            !substitute(&now, x, &by))
            continue;
        *s = now;
        i = -1;
        left--;
    }
}

/* -- equalities -- */

/* An equality about atoms that are not fixed: left = rest.  `rest` consists of fixed atoms, by
 * their positions, and of atoms from before the loop. */
typedef struct equality {
    cg_sum left, before;
    int64_t fixed[CG_VERIFY_MAX_FIXED];
} equality;

static bool
equality_of(const parts *x, const fixed *fixed, uint32_t i, uint32_t atom, equality *e)
{
    const cg_atom *a = &x->r->f->atom[atom];
    const cg_form *same = &a->fact[0];

    *e = (equality){ 0 };
    if ((a->split != CG_REMAINDER && a->split != CG_SUM) || a->n_facts != 2 ||
        same->n > CG_VERIFY_FORM_TERMS)
        return false;
    e->left.k = same->k;
    for (int j = 0; j < same->n; j++) {
        const cg_term t = same->term[j];
        const int as = fixed_as(fixed, i, t.atom);
        if (as >= 0)
            e->fixed[as] += t.c;
        else if (t.atom < x->r->counter)
            e->before.term[e->before.n++] = t;
        else
            e->left.term[e->left.n++] = t;
    }
    cg_settle_quotients(x->r, x->at[i], &e->left);
    return true;
}

static bool
same_rest(const equality *x, const equality *y)
{
    const cg_form a = cg_form_of(&x->before), b = cg_form_of(&y->before);

    return memcmp(x->fixed, y->fixed, sizeof x->fixed) == 0 && cg_form_equal(&a, &b);
}

/* For a fixed remainder r = x - c q: the equality without its fixed atoms is decomposed as
 * well. */
static bool
fix_by_equality(const parts *x, fixed *fixed, const uint32_t *atom)
{
    const int before = fixed->n;
    equality first, now;

    for (uint32_t i = 0; i < x->n; i++) {
        if (!equality_of(x, fixed, i, atom[i], &now) || now.left.n == 0 ||
            (i > 0 && !same_rest(&first, &now)))
            return false;
        if (i == 0)
            first = now;
        x->part[i] = now.left;
        if (__builtin_sub_overflow(now.left.k, first.left.k, &x->part[i].k))
            return false;
    }
    decompose(x, fixed, 0);
    return fixed->n > before;
}

bool
cg_fixes_iteration(const parts *x)
{
    parts left = *x;
    fixed fixed = { 0 };

    left.part = ir_copy_bytes(x->r->f->arena, x->part, x->n * sizeof *x->part);
    decompose(&left, &fixed, 0);
    for (bool more = true; more && !is_counted(x, &fixed);) {
        more = false;
        for (int j = 0; j < fixed.n; j++)
            more |= fix_by_equality(&left, &fixed, fixed.atom[j]);
    }
    return is_counted(x, &fixed);
}
