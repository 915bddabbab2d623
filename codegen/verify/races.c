/* Proof that iterations of a parallel loop are apart: the index of an element that is stored
 * determines the iteration.
 *
 * All indices of a buffer in the loop, of loads too, are taken apart together, as digits:
 * where index = C h + l, and l stays within C integers, equal indices have equal h and equal
 * l, so that either part is taken apart by itself. A part that is one atom has equal values
 * then: the atom is fixed. Of a remainder x - c q that is fixed with its q, so is x, which is
 * taken apart in turn. If the count of iterations is fixed at last, two different iterations
 * never have an index in common. Atoms from before the loop are the same in all iterations. */
#include "codegen/verify/races.h"

#include "codegen/verify/atoms.h"
#include "codegen/verify/prove.h"

enum { MAX_FIXED = 64, MAX_DEPTH = 12, MAX_TOUCHED = 4096, MAX_STARTS = 8 };

/* A part of each index of a buffer. */
typedef struct parts {
    cg_races *r;
    uint32_t n;
    const cg_touch **at;
    cg_sum *part;
} parts;

typedef struct fixed {
    int n;
    uint32_t atom[MAX_FIXED]; /* that have one value for one index */
} fixed;

void
cg_races_begin(cg_races *r, cg_facts *f, uint32_t counter)
{
    r->f = f;
    r->inside = true;
    r->counter = counter;
    r->n = 0;
    if (!r->known)
        r->known = IR_NEW(f->arena, cg_known);
}

void
cg_races_touch(cg_races *r, const cg_known *known, uint32_t buffer, const cg_form *index,
               int64_t count, bool writes)
{
    const cg_space space = r->inside ? r->f->k->buffer[buffer].space : CG_LOCAL;
    cg_touch t = { .buffer = buffer, .writes = writes, .index = *index };

    if (space == CG_LOCAL || space == CG_SHARED || space == CG_CONST || known->never)
        return;
    if (count > 1) {
        const uint32_t element = cg_new_atom(r->f, 0, (cg_interval){ 0, count - 1 });
        cg_sum s = { .n = 1, .term = { { element, 1 } } };
        if (cg_sum_add(&s, 1, index))
            t.index = cg_form_keep(r->f->arena, &s);
    }
    t.n_known = known->n;
    t.known = ir_copy_bytes(r->f->arena, known->form, (size_t)known->n * sizeof *known->form);
    IR_PUSH(r->f->arena, r->touch, r->n, r->cap, t);
}

/* -- atoms -- */

static bool
is_fixed(const fixed *x, uint32_t atom)
{
    for (int i = 0; i < x->n; i++)
        if (x->atom[i] == atom)
            return true;
    return false;
}

static bool
fix(fixed *x, uint32_t atom)
{
    if (x->n == MAX_FIXED || is_fixed(x, atom))
        return false;
    x->atom[x->n++] = atom;
    return true;
}

/* -- digits -- */

static cg_known *
known_at(const cg_races *r, const cg_touch *t)
{
    *r->known = (cg_known){
        .n = t->n_known, .cap = (uint32_t)t->n_known, .form = (cg_form *)t->known
    };
    return r->known;
}

static bool
spans_less(const parts *x, int64_t c)
{
    const cg_races *r = x->r;
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < x->n; i++) {
        const cg_form part = cg_form_of(&x->part[i]);
        const int64_t lo = cg_tight_interval(r->f, known_at(r, x->at[i]), &part).lo;
        least = lo < least ? lo : least;
    }
    for (uint32_t i = 0; i < x->n; i++) {
        const cg_form part = cg_form_of(&x->part[i]);
        cg_sum room = { 0 };
        if (least == INT64_MIN || __builtin_add_overflow(least, c - 1, &room.k) ||
            !cg_sum_add(&room, -1, &part) || !cg_prove(r->f, known_at(r, x->at[i]), &room))
            return false;
    }
    return true;
}

/* part = c high + low, with the terms that c divides in high. */
static void
split(const parts *x, int64_t c, parts *high, parts *low)
{
    *high = *low = *x;
    high->part = IR_NEW_N(x->r->f->arena, cg_sum, x->n);
    low->part = IR_NEW_N(x->r->f->arena, cg_sum, x->n);
    for (uint32_t i = 0; i < x->n; i++) {
        const cg_sum *s = &x->part[i];
        cg_sum *h = &high->part[i], *l = &low->part[i];
        l->k = s->k;
        for (int j = 0; j < s->n; j++) {
            cg_sum *to = s->term[j].c % c == 0 ? h : l;
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
        const cg_interval in = cg_tight_interval(r->f, known_at(r, t), &x);
        if (in.lo != in.hi || __builtin_add_overflow(left.k, in.lo, &left.k))
            left.term[left.n++] = s->term[j];
    }
    return left;
}

/* One atom, in all of them the same. */
static bool
is_atom(const parts *x, uint32_t *atom)
{
    cg_sum first = { 0 };

    for (uint32_t i = 0; i < x->n; i++) {
        const cg_sum s = variable_part(x->r, x->at[i], &x->part[i]);
        const cg_form now = cg_form_of(&s), same = cg_form_of(&first);
        if (s.n != 1 || (i > 0 && !cg_form_equal(&now, &same)))
            return false;
        first = s;
    }
    *atom = first.term[0].atom;
    return true;
}

/* The largest coefficient below `most`. */
static int64_t
next_coefficient(const parts *x, int64_t most)
{
    int64_t best = 0;

    for (int j = 0; j < x->part[0].n; j++) {
        const int64_t c = x->part[0].term[j].c, size = c < 0 ? -c : c;
        best = size < most && size > best ? size : best;
    }
    return best;
}

static void
take_apart(const parts *x, fixed *fixed, int depth)
{
    parts high, low;
    uint32_t atom;

    if (is_atom(x, &atom)) {
        fix(fixed, atom);
        return;
    }
    for (int64_t c = next_coefficient(x, INT64_MAX); c > 0 && depth < MAX_DEPTH;
         c = next_coefficient(x, c)) {
        if (c == 1 && x->part[0].k == 0)
            return;
        split(x, c, &high, &low);
        if (spans_less(&low, c)) {
            take_apart(&high, fixed, depth + 1);
            take_apart(&low, fixed, depth + 1);
            return;
        }
    }
}

/* -- equalities -- */

/* r = x - c q with fixed r: what is left of it without all that is fixed is taken apart,
 * too. */
static bool
fix_by_equality(const parts *x, fixed *fixed, const cg_form *same)
{
    const int before = fixed->n;
    cg_sum left = { 0 };

    for (int i = 0; i < same->n && same->n <= CG_FORM_TERMS; i++)
        if (same->term[i].atom >= x->r->counter && !is_fixed(fixed, same->term[i].atom))
            left.term[left.n++] = same->term[i];
    if (left.n == 1) {
        fix(fixed, left.term[0].atom);
    } else if (left.n > 1) {
        for (uint32_t i = 0; i < x->n; i++)
            x->part[i] = left;
        take_apart(x, fixed, 0);
    }
    return fixed->n > before;
}

static bool
fixes_iteration(const parts *x, fixed *fixed)
{
    const cg_races *r = x->r;

    for (bool more = true; more && !is_fixed(fixed, r->counter);) {
        more = false;
        for (uint32_t a = r->counter + 1; a < r->f->n; a++) {
            const cg_atom *sum = &r->f->atom[a];
            if ((sum->split == CG_REST || sum->split == CG_SUM) && sum->n_facts == 2 &&
                is_fixed(fixed, a))
                more |= fix_by_equality(x, fixed, &sum->fact[0]);
        }
    }
    return is_fixed(fixed, r->counter);
}

/* -- buffers -- */

/* Buffers that may lie in one place are one. */
static uint32_t
place_of(const cg_kernel *k, uint32_t buffer)
{
    for (uint32_t left = k->n_buffers; k->buffer[buffer].alias && left > 0; left--)
        buffer = k->buffer[buffer].alias - 1;
    return buffer;
}

/* Without atoms from before the loop, which must be the same in all. */
static bool
own_part(const cg_races *r, const cg_touch *t, const cg_form *first, cg_sum *own)
{
    cg_sum before = { 0 };

    *own = (cg_sum){ .k = t->index.k };
    if (t->index.n > CG_FORM_TERMS)
        return false;
    for (int i = 0; i < t->index.n; i++)
        if (t->index.term[i].atom >= r->counter)
            own->term[own->n++] = t->index.term[i];
        else
            before.term[before.n++] = t->index.term[i];
    for (int i = 0; i < first->n; i++) {
        const cg_form x = { .n = 1, .term = &first->term[i] };
        if (first->term[i].atom < r->counter && !cg_sum_add(&before, -1, &x))
            return false;
    }
    return before.n == 0;
}

/* All that is touched in one place, and where. */
typedef struct place {
    parts all;
    cg_interval *in;
    bool *done;
} place;

/* The end of a range is proved to lie before the beginning of another, if it does: a buffer may
 * have several parts, one behind the other, and intervals are not exact. */
static void
end_before_others(const place *p, uint32_t i)
{
    const parts *x = &p->all;
    const cg_form part = cg_form_of(&x->part[i]);
    int64_t at = part.k;

    for (int left = MAX_STARTS; left > 0; left--) {
        int64_t next = INT64_MAX;
        for (uint32_t j = 0; j < x->n; j++)
            if (x->part[j].k > at && x->part[j].k < next)
                next = x->part[j].k;
        cg_sum room = { .k = next - 1 };
        if (next > p->in[i].hi)
            return;
        if (cg_sum_add(&room, -1, &part) &&
            cg_prove(x->r->f, known_at(x->r, x->at[i]), &room)) {
            p->in[i].hi = next - 1;
            return;
        }
        at = next;
    }
}

static bool
gather(cg_races *r, uint32_t buffer, place *p)
{
    ir_arena *a = r->f->arena;

    p->all = (parts){ r, 0, IR_NEW_N(a, const cg_touch *, r->n), IR_NEW_N(a, cg_sum, r->n) };
    p->in = IR_NEW_N(a, cg_interval, r->n);
    p->done = IR_NEW_N(a, bool, r->n);
    for (uint32_t i = 0; i < r->n; i++) {
        const cg_touch *t = &r->touch[i];
        parts *x = &p->all;
        if (place_of(r->f->k, t->buffer) != buffer)
            continue;
        x->at[x->n] = t;
        if (!own_part(r, t, &x->at[0]->index, &x->part[x->n]))
            return false;
        const cg_form part = cg_form_of(&x->part[x->n]);
        p->in[x->n++] = cg_tight_interval(r->f, known_at(r, t), &part);
    }
    for (uint32_t i = 0; i < p->all.n; i++)
        end_before_others(p, i);
    return true;
}

/* Those whose ranges hang together with that of i, which alone can meet it. */
static parts
cluster(place *p, uint32_t i, bool *writes)
{
    const parts *all = &p->all;
    ir_arena *a = all->r->f->arena;
    parts x = { all->r, 0, IR_NEW_N(a, const cg_touch *, all->n), IR_NEW_N(a, cg_sum, all->n) };
    cg_interval in = p->in[i];

    *writes = false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t j = i; j < all->n; j++)
            if (!p->done[j] && p->in[j].lo <= in.hi && p->in[j].hi >= in.lo) {
                in = cg_either(in, p->in[j]);
                x.at[x.n] = all->at[j];
                x.part[x.n++] = all->part[j];
                *writes |= all->at[j]->writes;
                p->done[j] = more = true;
            }
    }
    return x;
}

static bool
is_apart(cg_races *r, uint32_t buffer)
{
    place p;
    bool writes;

    if (!gather(r, buffer, &p))
        return false;
    for (uint32_t i = 0; i < p.all.n; i++) {
        if (p.done[i])
            continue;
        const parts x = cluster(&p, i, &writes);
        fixed fixed = { 0 };
        if (!writes)
            continue;
        take_apart(&x, &fixed, 0);
        if (!fixes_iteration(&x, &fixed))
            return false;
    }
    return true;
}

int
cg_races_end(cg_races *r, int *open, uint32_t *first)
{
    const cg_kernel *k = r->f->k;
    const bool once = r->f->atom[r->counter].in.hi == 0;
    bool *done = IR_NEW_N(r->f->arena, bool, k->n_buffers + 1);
    int proved = 0;

    *open = 0;
    r->inside = false;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint32_t place = place_of(k, r->touch[i].buffer);
        if (!r->touch[i].writes || done[place])
            continue;
        done[place] = true;
        if (once || (r->n <= MAX_TOUCHED && is_apart(r, place)))
            proved++;
        else if ((*open)++ == 0)
            *first = r->touch[i].buffer;
    }
    return proved;
}
