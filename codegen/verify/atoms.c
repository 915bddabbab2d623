/* Intervals, atoms and their facts (atoms.h). */
#include "codegen/verify/atoms.h"

static int64_t
saturate(__int128 x)
{
    return x < INT64_MIN ? INT64_MIN : x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

/* c times a bound of an interval; an infinite bound stays infinite. */
static __int128
times(int64_t end, int64_t c)
{
    if (end == INT64_MIN || end == INT64_MAX)
        return ((end < 0) == (c < 0) ? 1 : -1) * ((__int128)1 << 100);
    return (__int128)end * c;
}

cg_interval
cg_form_interval(const cg_facts *f, const cg_form *x)
{
    __int128 lo = x->k, hi = x->k;

    for (int i = 0; i < x->n; i++) {
        const cg_interval a = f->atom[x->term[i].atom].in;
        const int64_t c = x->term[i].c;
        lo += times(c > 0 ? a.lo : a.hi, c);
        hi += times(c > 0 ? a.hi : a.lo, c);
    }
    return (cg_interval){ saturate(lo), saturate(hi) };
}

bool
cg_is_integer(cot_dtype t)
{
    return t == COT_I8 || t == COT_I16 || t == COT_I32 || t == COT_I64 || t == COT_U8 ||
           t == COT_U16 || t == COT_U32 || t == COT_U64;
}

cg_interval
cg_type_interval(cot_dtype t)
{
    const int bits = ir_bits(t);

    if (t == COT_BOOL)
        return (cg_interval){ 0, 1 };
    if (t == COT_U64)
        return (cg_interval){ 0, INT64_MAX };
    if (t == COT_I64 || !cg_is_integer(t))
        return CG_ANY;
    if (ir_is_signed(t))
        return (cg_interval){ -((int64_t)1 << (bits - 1)), ((int64_t)1 << (bits - 1)) - 1 };
    return (cg_interval){ 0, ((int64_t)1 << bits) - 1 };
}

/* Does every integer of x fit into type t?  An infinite bound counts as one that does not. */
bool
cg_fits(cg_interval x, cot_dtype t)
{
    const cg_interval all = cg_type_interval(t);

    return x.lo != INT64_MIN && x.hi != INT64_MAX && x.lo >= all.lo && x.hi <= all.hi;
}

cg_interval
cg_common(cg_interval x, cg_interval y)
{
    return (cg_interval){ x.lo > y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi };
}

cg_interval
cg_either(cg_interval x, cg_interval y)
{
    return (cg_interval){ x.lo < y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi };
}

cg_form
cg_form_of_atom(cg_facts *f, uint32_t atom)
{
    const cg_sum s = { .n = 1, .term = { { atom, 1 } } };

    return cg_form_keep(f->arena, &s);
}

uint32_t
cg_new_atom(cg_facts *f, cg_val v, cg_interval in)
{
    IR_PUSH(f->arena, f->atom, f->n, f->cap,
            ((cg_atom){ .value = v, .in = in, .multiple = 1 }));
    return f->n - 1;
}

/* A divisor of the form for all values of its atoms; 0: the form is 0. */
int64_t
cg_form_multiple(const cg_facts *f, const cg_form *x)
{
    int64_t g = x->k;

    for (int i = 0; i < x->n; i++) {
        int64_t m;
        if (__builtin_mul_overflow(x->term[i].c, f->atom[x->term[i].atom].multiple, &m))
            m = 1;
        g = cg_gcd(g, m);
    }
    return g == INT64_MIN ? 1 : g < 0 ? -g : g; /* 2^63 is no i64; 1 divides every integer */
}

void
cg_tighten(const cg_facts *f, cg_sum *s)
{
    cg_sum_tighten(s);
    cg_form x = cg_form_of(s);

    x.k = 0;
    const int64_t g = cg_form_multiple(f, &x);
    if (g > 1)
        s->k = cg_floor_div(s->k, g) * g;
}

/* Add the fact s >= 0 about the atom. */
static void
add_fact(cg_facts *f, uint32_t atom, cg_sum *s)
{
    cg_atom *a = &f->atom[atom];

    cg_tighten(f, s);
    if (a->n_facts < 2)
        a->fact[a->n_facts++] = cg_form_keep(f->arena, s);
}

/* Add the fact c atom + d x + k >= 0. */
void
cg_add_fact(cg_facts *f, uint32_t atom, int64_t c, int64_t d, const cg_form *x, int64_t k)
{
    cg_sum s = { .k = k, .n = 1, .term = { { atom, c } } };

    if (cg_sum_add(&s, d, x))
        add_fact(f, atom, &s);
}

/* The new atom has facts that equate it with the sum of the first terms, so that a proof can
 * replace it by them. */
cg_form
cg_form_shortened(cg_facts *f, const cg_form *x, int most)
{
    const int n = x->n - most + 1;
    cg_sum s = { .k = x->k, .n = 1 };

    if (x->n <= most)
        return *x;
    const cg_form first = { .n = n, .term = x->term };
    const uint32_t a =
        cg_new_atom(f, f->atom[x->term[n - 1].atom].value, cg_form_interval(f, &first));
    const int64_t multiple = cg_form_multiple(f, &first);
    f->atom[a].multiple = multiple ? multiple : 1;
    f->atom[a].derived = true;
    f->atom[a].split = CG_SUM;
    cg_add_fact(f, a, -1, 1, &first, 0);
    cg_add_fact(f, a, 1, -1, &first, 0);
    for (int i = n; i < x->n; i++)
        s.term[i - n] = x->term[i];
    s.n = x->n - n;
    s.term[s.n++] = (cg_term){ a, 1 };
    return cg_form_keep(f->arena, &s);
}

void
cg_set_form(cg_facts *f, cg_val v, cg_form form, bool exact)
{
    f->value[v] = (cg_value){ .form = form, .known = true, .exact = exact };
}

void
cg_set_atom(cg_facts *f, cg_val v, cg_interval in)
{
    cg_set_form(f, v, cg_form_of_atom(f, cg_new_atom(f, v, in)), true);
}

void
cg_set_opaque(cg_facts *f, cg_val v)
{
    cg_set_atom(f, v, cg_type_interval(cg_type(f->k, v)));
}

cg_form
cg_exact_form(cg_facts *f, cg_val v)
{
    if (!f->value[v].known)
        cg_set_opaque(f, v);
    if (f->value[v].exact)
        return f->value[v].form;
    return cg_form_of_atom(f, cg_new_atom(f, v, cg_type_interval(cg_type(f->k, v))));
}

cg_interval
cg_value_interval(cg_facts *f, cg_val v)
{
    const cg_form x = cg_exact_form(f, v);

    return cg_form_interval(f, &x);
}
