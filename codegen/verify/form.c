/* Arithmetic of affine forms; every overflow is reported. */
#include "codegen/verify/form.h"

cg_form
cg_form_of(const cg_sum *s)
{
    return (cg_form){ .k = s->k, .n = s->n, .term = s->term };
}

cg_form
cg_form_const(int64_t k)
{
    return (cg_form){ .k = k };
}

cg_form
cg_form_keep(ir_arena *a, const cg_sum *s)
{
    cg_form f = { .k = s->k, .n = s->n };

    if (s->n)
        f.term = ir_copy_bytes(a, s->term, (size_t)s->n * sizeof *s->term);
    return f;
}

static bool
accumulate(int64_t *sum, int64_t c, int64_t x)
{
    int64_t p;

    return !__builtin_mul_overflow(c, x, &p) && !__builtin_add_overflow(*sum, p, sum);
}

bool
cg_sum_add(cg_sum *s, int64_t c, const cg_form *f)
{
    const cg_sum old = *s;
    int i = 0, j = 0, n = 0;

    if (!accumulate(&s->k, c, f->k))
        return false;
    while (i < old.n || j < f->n) {
        const uint32_t x = i < old.n ? old.term[i].atom : UINT32_MAX,
                       y = j < f->n ? f->term[j].atom : UINT32_MAX;
        cg_term t = { x < y ? x : y, x <= y ? old.term[i].c : 0 };

        if (y <= x && !accumulate(&t.c, c, f->term[j].c))
            return false;
        i += x <= y;
        j += y <= x;
        if (t.c == 0)
            continue;
        if (n == CG_VERIFY_FORM_TERMS)
            return false;
        s->term[n++] = t;
    }
    s->n = n;
    return true;
}

bool
cg_sum_scale(cg_sum *s, int64_t c)
{
    if (c == 0)
        *s = (cg_sum){ 0 };
    if (__builtin_mul_overflow(s->k, c, &s->k))
        return false;
    for (int i = 0; i < s->n; i++)
        if (__builtin_mul_overflow(s->term[i].c, c, &s->term[i].c))
            return false;
    return true;
}

int64_t
cg_sum_coefficient(const cg_form *f, uint32_t atom)
{
    for (int i = 0; i < f->n; i++)
        if (f->term[i].atom == atom)
            return f->term[i].c;
    return 0;
}

bool
cg_form_equal(const cg_form *x, const cg_form *y)
{
    if (x->k != y->k || x->n != y->n)
        return false;
    for (int i = 0; i < x->n; i++)
        if (x->term[i].atom != y->term[i].atom || x->term[i].c != y->term[i].c)
            return false;
    return true;
}

void
cg_sum_tighten(cg_sum *s)
{
    int64_t g = 0;

    for (int i = 0; i < s->n; i++)
        g = cg_gcd(g, s->term[i].c);
    if (g <= 1)
        return;
    s->k = cg_floor_div(s->k, g);
    for (int i = 0; i < s->n; i++)
        s->term[i].c /= g;
}
