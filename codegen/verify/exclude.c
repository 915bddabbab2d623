/* Proves that the conditions of two iterations exclude a common element.
 *
 * The facts at a touch x of one iteration are combined with those at a touch y of a later one.
 * To that end all atoms of the loop that y uses are duplicated, with their facts and
 * conditions, as those of the later iteration, whose count is greater.  If both indices were
 * equal, all of these facts would hold at once.  So the touches are independent if one index is
 * proved to be less than the other, or if one of the facts is proved to be false.
 *
 * This is the dependence test of W. Pugh (The Omega test, 1991), with prove.c as its solver.
 * It costs a proof for each pair of touches, so digits.h is tried first. */
#include "codegen/verify/exclude.h"

#include "codegen/tuning.h"
#include "codegen/verify/prove.h"

/* The duplicates of the atoms from the loop's counter on: as[i] is that of atom first + i, 0:
 * none. */
typedef struct renamed {
    cg_facts *f;
    uint32_t first, n;
    uint32_t *as;
} renamed;

static void
mark(const renamed *x, const cg_form *form)
{
    for (int i = 0; i < form->n; i++)
        if (form->term[i].atom >= x->first && form->term[i].atom < x->n)
            x->as[form->term[i].atom - x->first] = 1;
}

/* Mark the atoms that a's facts and sides use. */
static void
mark_parts(const renamed *x, const cg_atom *a)
{
    for (int j = 0; j < a->n_facts; j++)
        mark(x, &a->fact[j]);
    for (int j = 0; j < 2 && a->split != CG_WHOLE && a->split != CG_CHOICE; j++)
        mark(x, &a->side[j]);
}

static void
find_atoms(const renamed *x, const cg_touch *t)
{
    x->as[0] = 1;
    mark(x, &t->index);
    for (int j = 0; j < t->n_known; j++)
        mark(x, &t->known[j]);
    for (uint32_t i = x->n - x->first; i-- > 0;)
        if (x->as[i])
            mark_parts(x, &x->f->atom[x->first + i]);
}

/* Replaces atoms by their duplicates.  False: an atom has no duplicate, or the terms do not
 * fit. */
static bool
rename_form(const renamed *x, const cg_form *form, cg_sum *out)
{
    *out = (cg_sum){ .k = form->k };
    for (int i = 0; i < form->n; i++) {
        cg_term t = form->term[i];
        if (t.atom >= x->first)
            t.atom = x->as[t.atom - x->first];
        if (t.atom == 0 || !cg_sum_add(out, 1, &(cg_form){ .n = 1, .term = &t }))
            return false;
    }
    return true;
}

static bool
rename_kept(const renamed *x, const cg_form *form, cg_form *out)
{
    cg_sum s;

    if (!rename_form(x, form, &s))
        return false;
    *out = cg_form_keep(x->f->arena, &s);
    return true;
}

/* The duplicate of a select is an arbitrary integer in its interval, since its condition is
 * that of the first iteration. */
static void
rename_atom(const renamed *x, uint32_t atom)
{
    const cg_atom old = x->f->atom[atom];
    cg_atom *a = &x->f->atom[x->as[atom - x->first]];
    bool good = old.split != CG_CHOICE;

    a->n_facts = 0;
    for (int j = 0; j < old.n_facts; j++)
        a->n_facts += rename_kept(x, &old.fact[j], &a->fact[a->n_facts]);
    for (int j = 0; j < 2 && good && old.split != CG_WHOLE; j++)
        good = rename_kept(x, &old.side[j], &a->side[j]);
    if (!good || a->n_facts < old.n_facts)
        a->split = CG_WHOLE;
}

static void
make_atoms(renamed *x)
{
    const uint32_t n = x->n - x->first;

    for (uint32_t i = 0; i < n; i++)
        if (x->as[i]) {
            const cg_atom a = x->f->atom[x->first + i];
            x->as[i] = x->f->n;
            IR_PUSH(x->f->arena, x->f->atom, x->f->n, x->f->cap, a);
        }
    for (uint32_t i = 0; i < n; i++)
        if (x->as[i])
            rename_atom(x, x->first + i);
}

static void
know_difference(cg_facts *f, cg_known *known, const cg_form *x, const cg_form *y, int64_t k)
{
    cg_sum s = { .k = k };

    if (cg_sum_add(&s, 1, x) && cg_sum_add(&s, -1, y))
        cg_know(f, known, &s);
}

static void
push(cg_facts *f, cg_known *known, cg_form x)
{
    if ((uint32_t)known->n == known->cap)
        known->form =
            ir_grow(f->arena, known->form, sizeof *known->form, known->cap, &known->cap);
    known->form[known->n++] = x;
}

/* The facts of a remainder x - c q that occurs alone in a condition are added, as they relate x
 * and q. */
static void
know_remainders(cg_facts *f, cg_known *known)
{
    for (int i = 0, n = known->n; i < n; i++) {
        const cg_form x = known->form[i];
        if (x.n != 1 || f->atom[x.term[0].atom].split != CG_REMAINDER)
            continue;
        for (int j = 0; j < f->atom[x.term[0].atom].n_facts; j++) {
            const cg_form fact = f->atom[x.term[0].atom].fact[j], zero = cg_form_const(0);
            know_difference(f, known, &fact, &zero, 0);
        }
    }
}

static bool
is_negative(cg_facts *f, cg_known *known, const cg_form *x)
{
    cg_sum s = { .k = -1 };

    return cg_sum_add(&s, -1, x) && cg_prove(f, known, &s);
}

static bool
is_less(cg_facts *f, cg_known *known, const cg_form *x, const cg_form *y)
{
    cg_sum s = { .k = -1 };

    return cg_sum_add(&s, 1, y) && cg_sum_add(&s, -1, x) && cg_prove(f, known, &s);
}

/* Is one of the known forms refuted?  The latest ones are tried first, since most others bound
 * them. */
static bool
is_false(cg_facts *f, cg_known *known)
{
    bool good = known->infeasible;

    for (int left = CG_VERIFY_MAX_REFUTED, j = known->n; !good && left > 0 && j-- > 0; left--) {
        const cg_form x = known->form[j];
        good = is_negative(f, known, &x);
    }
    return good;
}

/* The later iteration has the greater count, so that the later one is not the first and the
 * earlier one not the last. */
static void
know_order(cg_races *r, cg_known *known, uint32_t later)
{
    const cg_term t[2] = { { r->counter, 1 }, { later, 1 } };
    const cg_form x = { .n = 1, .term = &t[0] }, y = { .n = 1, .term = &t[1] };
    const cg_interval in = r->f->atom[r->counter].in;
    const cg_form least = cg_form_const(in.lo), most = cg_form_const(in.hi);

    know_difference(r->f, known, &y, &x, -1);
    know_difference(r->f, known, &y, &least, -1);
    if (in.hi != INT64_MAX)
        know_difference(r->f, known, &most, &x, -1);
}

/* Proves it for x in the earlier and y in the later iteration. */
static bool
excludes(cg_races *r, const cg_touch *x, const cg_touch *y)
{
    cg_facts *f = r->f;
    const uint32_t n = f->n;
    renamed to = { f, r->counter, n, IR_NEW_N(f->arena, uint32_t, n - r->counter) };
    cg_known known = { .broad = true };
    cg_form index, t;
    bool good = false;

    find_atoms(&to, y);
    make_atoms(&to);
    know_order(r, &known, to.as[0]);
    for (int j = 0; j < x->n_known; j++)
        push(f, &known, x->known[j]);
    for (int j = 0; j < y->n_known; j++)
        if (rename_kept(&to, &y->known[j], &t))
            push(f, &known, t);
    if (rename_kept(&to, &y->index, &index)) {
        good = is_less(f, &known, &x->index, &index) || is_less(f, &known, &index, &x->index);
        know_difference(f, &known, &x->index, &index, 0);
        know_difference(f, &known, &index, &x->index, 0);
    }
    if (!good) {
        know_remainders(f, &known);
        good = is_false(f, &known);
    }
    f->n = n;
    return good;
}

bool
cg_exclude(cg_races *r, const cg_touch *x, const cg_touch *y)
{
    return excludes(r, x, y) && (x == y || excludes(r, y, x));
}
