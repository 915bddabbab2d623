/* Does an index determine the iteration?
 *
 * All indices of a buffer in the loop, of loads too, are taken apart together, as digits:
 * where index = C h + l, and l stays within C integers, equal indices have equal h and equal
 * l, so that either part is taken apart by itself. A part that is one atom has equal values
 * then: the atom is fixed. Of a remainder x - c q that is fixed with its q, so is x, which is
 * taken apart in turn. The atoms may be others in each touch (the rows of a tile and of the
 * edge beside it), as long as the index makes them in the same way. If the count of
 * iterations is fixed at last, two different iterations never have an index in common. Atoms
 * from before the loop are the same in all iterations. */
#include "codegen/verify/digits.h"

#include "codegen/tuning.h"
#include "codegen/verify/atoms.h"
#include "codegen/verify/prove.h"

typedef cg_parts parts;

/* Of each touch of the parts an atom, which have one value where the indices are equal. */
typedef struct fixed {
    int n;
    const uint32_t *atom[CG_VERIFY_MAX_FIXED];
} fixed;

/* -- atoms -- */

/* Which of the fixed ones is the atom of touch i; -1: none. */
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

/* k + part >= 0, or k - part. */
static bool
is_beyond(const cg_races *r, const cg_touch *t, int64_t k, int sign, const cg_form *part)
{
    cg_sum room = { .k = k };

    return cg_sum_add(&room, sign, part) && cg_prove(r->f, cg_known_at(r, t), &room);
}

/* Does each part lie in least ... least + c - 1? */
static bool
lies_from(const parts *x, const cg_interval *in, int64_t least, int64_t c)
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

/* Do all lie within c numbers?  They begin where the bound of one of them says: bounds may be
 * less than what is proved. */
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
    return lies_from(x, in, least, c) || (most > least && lies_from(x, in, most, c));
}

/* part = c high + low, with the terms that c divides in high; of atoms from before the loop,
 * which are no digits, where `before` says. */
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

/* Without the atoms that have but one value there. */
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

/* One atom, by the same factor in all of them; NULL: that is not so. */
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

/* The largest number below `most` that may be the place of a digit: a coefficient, or what
 * constants differ by, as of copies. */
static int64_t
next_place(const parts *x, int64_t most)
{
    int64_t best = 0, apart = 0;

    for (uint32_t i = 0; i < x->n; i++) {
        int64_t d;
        for (int j = 0; j < x->part[i].n; j++) {
            const int64_t c = x->part[i].term[j].c, size = c < 0 ? -c : c;
            best = size < most && size > best ? size : best;
        }
        if (!__builtin_sub_overflow(x->part[i].k, x->part[0].k, &d))
            apart = cg_gcd(apart, d);
    }
    return apart < most && apart > best ? apart : best;
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
take_apart(const parts *x, fixed *fixed, int depth)
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
                take_apart(&high, fixed, depth + 1);
                take_apart(&low, fixed, depth + 1);
                return;
            }
            if (!has_before(x))
                break;
        }
}

/* -- quotients -- */

/* A quotient is a form where what holds there leaves no carry: floor((c high + low) / c) is
 * high for 0 <= low < c. */
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
put_in(cg_sum *s, cg_term x, const cg_sum *by)
{
    const cg_form old = { .n = 1, .term = &x }, now = cg_form_of(by);

    return cg_sum_add(s, -1, &old) && cg_sum_add(s, x.c, &now);
}

/* Puts in all quotients, each of which leaves no carry; false: one does. */
static bool
without_quotients(const cg_races *r, const cg_touch *t, cg_sum *s)
{
    cg_sum high;

    for (int i = 0, left = CG_VERIFY_MAX_SETTLED; i < s->n; i++) {
        const cg_term x = s->term[i];
        if (r->f->atom[x.atom].split != CG_QUOTIENT)
            continue;
        if (left-- == 0 || !is_high_part(r, t, &r->f->atom[x.atom], &high) ||
            !put_in(s, x, &high))
            return false;
        i = -1;
    }
    return true;
}

/* The remainder x - c q by such a quotient q, where x has no other kind itself: its bounds are
 * better known as those of one atom. */
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
            return put_in(low, x, &high) && without_quotients(r, t, low);
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
                                   : split == CG_REST && is_low_part(r, t, x.atom, &by)) ||
            !put_in(&now, x, &by))
            continue;
        *s = now;
        i = -1;
        left--;
    }
}

/* -- equalities -- */

/* What an equality says of the atoms that are not fixed: left = rest, where `rest` is made of
 * the fixed ones, by their numbers, and of atoms from before the loop. */
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
    if ((a->split != CG_REST && a->split != CG_SUM) || a->n_facts != 2 ||
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

/* r = x - c q with fixed r: what is left of it without all that is fixed is taken apart,
 * too. */
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
    take_apart(x, fixed, 0);
    return fixed->n > before;
}

bool
cg_fixes_iteration(const parts *x)
{
    parts left = *x;
    fixed fixed = { 0 };

    left.part = ir_copy_bytes(x->r->f->arena, x->part, x->n * sizeof *x->part);
    take_apart(&left, &fixed, 0);
    for (bool more = true; more && !is_counted(x, &fixed);) {
        more = false;
        for (int j = 0; j < fixed.n; j++)
            more |= fix_by_equality(&left, &fixed, fixed.atom[j]);
    }
    return is_counted(x, &fixed);
}
