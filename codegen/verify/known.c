/* Forms that are known not to be negative at a place of a kernel, from the conditions around
 * it, and what follows from each for quotients, minima and maxima. */
#include "codegen/verify/prove.h"
#include "codegen/tuning.h"

static void know(cg_facts *f, cg_known *known, cg_sum *s, int level);

/* Add consequences of s >= 0 for the operands of its quotients, minima and maxima: q >= 1 and
 * 16 q <= x imply x >= 16, which a proof about x alone would not find. */
static void
know_parts(cg_facts *f, cg_known *known, const cg_sum *s, int level)
{
    for (int i = 0; i < s->n; i++) {
        const cg_atom a = f->atom[s->term[i].atom];
        const int64_t c = s->term[i].c;
        for (int j = 0; a.derived && j < a.n_facts; j++) {
            const int64_t k = cg_sum_coefficient(&a.fact[j], s->term[i].atom);
            const int64_t g = cg_gcd(k, c);
            cg_sum t = *s;
            if ((k < 0) != (c < 0) && cg_sum_scale(&t, (k < 0 ? -k : k) / g) &&
                cg_sum_add(&t, (c < 0 ? -c : c) / g, &a.fact[j]))
                know(f, known, &t, level + 1);
        }
    }
}

bool
cg_bounds_quotient(const cg_atom *q, const cg_form *s, int sign, int64_t *bound)
{
    cg_sum t = { 0 };

    if (q->split != CG_QUOTIENT || q->side[0].n != s->n || s->n == 0 ||
        s->term[0].atom != q->side[0].term[0].atom)
        return false;
    if (!cg_sum_add(&t, 1, s) || !cg_sum_add(&t, -sign, &q->side[0]) || t.n > 0)
        return false;
    const int64_t c = q->side[1].k;
    *bound = sign < 0 ? cg_floor_div(t.k, c) : cg_floor_div(-t.k, c);
    return true;
}

static void
know_quotients(cg_facts *f, cg_known *known, const cg_sum *s, int level)
{
    const uint32_t first =
        f->n_quotients > CG_VERIFY_MAX_QUOTIENTS ? f->n_quotients - CG_VERIFY_MAX_QUOTIENTS : 0;
    const cg_form x = cg_form_of(s);
    int64_t most;

    for (uint32_t j = first; j < f->n_quotients && known->n < known->end; j++)
        for (int sign = -1; sign <= 1; sign += 2)
            if (cg_bounds_quotient(&f->atom[f->quotient[j]], &x, sign, &most)) {
                cg_sum bound = { .k = sign < 0 ? most : -most,
                                 .n = 1,
                                 .term = { { f->quotient[j], sign } } };
                know(f, known, &bound, level + 1);
            }
}

/* 64 a + 4 b + c <= 71 implies 16 a + b <= 17 if c >= 0: terms that d does not divide are
 * replaced by their extreme, and the constant is rounded. */
static void
know_rounded(cg_facts *f, cg_known *known, const cg_sum *s, int64_t d)
{
    cg_sum t = { .k = s->k }, best = { 0 };

    for (int i = 0; i < s->n; i++) {
        cg_sum *to = s->term[i].c % d == 0 ? &t : &best;
        to->term[to->n++] = s->term[i];
    }
    const cg_form x = cg_form_of(&best);
    const int64_t most = cg_form_interval(f, &x).hi;
    if (best.n == 0 || most == INT64_MAX || __builtin_add_overflow(t.k, most, &t.k) ||
        t.k % d == 0)
        return;
    know(f, known, &t, 0);
}

static void
know(cg_facts *f, cg_known *known, cg_sum *s, int level)
{
    const cg_form x = cg_form_of(s);

    known->infeasible |= cg_form_interval(f, &x).hi < 0;
    if (s->n == 0 || known->n == known->end || level > CG_VERIFY_MAX_PROJECTIONS)
        return;
    cg_tighten(f, s);
    if ((uint32_t)known->n == known->cap)
        known->form =
            ir_grow(f->arena, known->form, sizeof *known->form, known->cap, &known->cap);
    known->form[known->n++] = cg_form_keep(f->proving ? f->scratch : f->arena, s);
    know_parts(f, known, s, level);
    know_quotients(f, known, s, level);
    for (int i = 0; i < s->n && level == 0; i++)
        if (s->term[i].c > 1 || s->term[i].c < -1)
            know_rounded(f, known, s, s->term[i].c);
}

void
cg_know(cg_facts *f, cg_known *known, const cg_sum *s)
{
    cg_sum t = *s;

    known->end = known->n + CG_VERIFY_MAX_FOLLOWING;
    know(f, known, &t, 0);
}

/* Add y - x + k >= 0. */
static void
know_difference(cg_facts *f, cg_known *known, cg_val x, cg_val y, int64_t k)
{
    const cg_form a = cg_exact_form(f, x), b = cg_exact_form(f, y);
    cg_sum s = { .k = k };

    if (cg_sum_add(&s, 1, &b) && cg_sum_add(&s, -1, &a))
        cg_know(f, known, &s);
}

static bool
compares_integers(const cg_insn *i)
{
    const cot_dtype t = (cot_dtype)i->type;

    return t == COT_I64 || t == COT_I32 || t == COT_I16 || t == COT_I8 || t == COT_U64 ||
           t == COT_U32 || t == COT_U16 || t == COT_U8;
}

static void
know_comparison(cg_facts *f, cg_known *known, const cg_insn *i, bool holds)
{
    const cg_val x = i->in[0], y = i->in[1];

    if (!compares_integers(i))
        return;
    if (i->op == SC_lt)
        know_difference(f, known, holds ? x : y, holds ? y : x, holds ? -1 : 0);
    else if (i->op == SC_le)
        know_difference(f, known, holds ? x : y, holds ? y : x, holds ? 0 : -1);
    else if ((i->op == SC_eq) == holds) {
        know_difference(f, known, x, y, 0);
        know_difference(f, known, y, x, 0);
    }
}

void
cg_know_that(cg_facts *f, cg_known *known, cg_val v, bool holds)
{
    struct {
        cg_val v;
        bool holds;
    } part[CG_VERIFY_MAX_CONDITION_PARTS] = { { v, holds } };
    int n = 1;

    for (int left = CG_VERIFY_MAX_CONDITION_VISITS; n > 0 && left > 0; left--) {
        n--;
        const bool now = part[n].holds;
        const cg_insn *i = &f->k->insn[part[n].v];
        if (i->op == SC_not) {
            part[n].v = i->in[0];
            part[n++].holds = !now;
        } else if ((i->op == SC_and && now) || (i->op == SC_or && !now)) {
            for (int j = 0; j < 2 && n < CG_VERIFY_MAX_CONDITION_PARTS; j++, n++) {
                part[n].v = i->in[j];
                part[n].holds = now;
            }
        } else if (i->op == SC_eq || i->op == SC_ne || i->op == SC_lt || i->op == SC_le) {
            know_comparison(f, known, i, now);
        }
    }
}
