/* Forms: their values, whether they are equal, and their text in C. */
#include "codegen/open/form.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/kernel/affine.h"

/* What exceeds 63 bits wraps: cg_open_has_room finds it. */
int64_t
cg_term_at(const cg_size_term *t, const int64_t *size)
{
    uint64_t product = (uint64_t)t->factor;

    for (int k = 0; k < t->degree; k++)
        product *= (uint64_t)size[t->size[k]];
    return (int64_t)product;
}

int64_t
cg_polynomial_at(const cg_polynomial *p, const int64_t *size)
{
    uint64_t sum = (uint64_t)p->constant;

    for (int i = 0; i < p->n; i++)
        sum += (uint64_t)cg_term_at(&p->term[i], size);
    return (int64_t)sum;
}

static bool
rises(const cg_polynomial *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->term[i].factor < 0)
            return false;
    return true;
}

bool
cg_polynomial_may_be_negative(const cg_polynomial *p)
{
    return p->constant < 0 || !rises(p);
}

int64_t
cg_quotient_at(const cg_size_form *f, int i, const int64_t *size)
{
    const int64_t quotient =
        cg_floor_div(cg_polynomial_at(&f->quotient[i].of, size), f->quotient[i].divisor);
    const uint64_t times = f->quotient[i].times ? (uint64_t)size[f->quotient[i].times - 1] : 1;

    return (int64_t)((uint64_t)f->quotient[i].factor * (uint64_t)quotient * times);
}

int64_t
cg_form_at(const cg_size_form *f, const int64_t *size)
{
    uint64_t sum = (uint64_t)cg_polynomial_at(&f->whole, size);

    for (int i = 0; i < f->n; i++)
        sum += (uint64_t)cg_quotient_at(f, i, size);
    return (int64_t)sum;
}

bool
cg_form_rises(const cg_size_form *f)
{
    bool all = rises(&f->whole);

    for (int i = 0; i < f->n; i++)
        all &= f->quotient[i].factor >= 0 && rises(&f->quotient[i].of);
    return all;
}

bool
cg_form_is_constant(const cg_size_form *f)
{
    return f->whole.n == 0 && f->n == 0;
}

bool
cg_polynomial_same(const cg_polynomial *x, const cg_polynomial *y)
{
    if (x->constant != y->constant || x->n != y->n)
        return false;
    for (int i = 0; i < x->n; i++)
        if (x->term[i].factor != y->term[i].factor || x->term[i].degree != y->term[i].degree ||
            memcmp(x->term[i].size, y->term[i].size, (size_t)x->term[i].degree) != 0)
            return false;
    return true;
}

bool
cg_form_same(const cg_size_form *x, const cg_size_form *y)
{
    if (!cg_polynomial_same(&x->whole, &y->whole) || x->n != y->n)
        return false;
    for (int i = 0; i < x->n; i++)
        if (x->quotient[i].factor != y->quotient[i].factor ||
            x->quotient[i].divisor != y->quotient[i].divisor ||
            x->quotient[i].times != y->quotient[i].times ||
            !cg_polynomial_same(&x->quotient[i].of, &y->quotient[i].of))
            return false;
    return true;
}

/* A sign before a factor, with blanks around it or without, and the factor itself unless it is
 * 1. */
static void
print_factor(ir_buf *b, int64_t factor, bool first, bool blanks)
{
    if (factor < 0 || !first)
        ir_buf_printf(b, blanks && !first ? " %c " : "%c", factor < 0 ? '-' : '+');
    if (factor != 1 && factor != -1)
        ir_buf_printf(b, "%" PRId64 "*", factor < 0 ? -factor : factor);
}

static void
print_polynomial(ir_buf *b, const cg_polynomial *p, bool blanks, const char *const *name)
{
    for (int i = 0; i < p->n; i++) {
        print_factor(b, p->term[i].factor, i == 0, blanks);
        for (int k = 0; k < p->term[i].degree; k++)
            ir_buf_printf(b, "%s%s", k ? "*" : "", name[p->term[i].size[k]]);
    }
    if (p->constant && p->n && blanks)
        ir_buf_printf(b, " %c %" PRId64, p->constant < 0 ? '-' : '+',
                      p->constant < 0 ? -p->constant : p->constant);
    else if (p->constant || (p->n == 0 && !blanks))
        ir_buf_printf(b, p->n ? "%+" PRId64 : "%" PRId64, p->constant);
}

/* C rounds quotients towards 0. */
static void
print_quotient(ir_buf *b, const cg_polynomial *p, int64_t divisor, const char *const *name)
{
    const long long d = divisor;

    ir_buf_str(b, "((");
    print_polynomial(b, p, true, name);
    if (cg_polynomial_may_be_negative(p)) {
        ir_buf_str(b, " - ((");
        print_polynomial(b, p, true, name);
        ir_buf_printf(b, ") %% %lld + %lld) %% %lld", d, d, d);
    }
    ir_buf_printf(b, ")/%lld)", d);
}

void
cg_form_print(ir_buf *b, const cg_size_form *f, const char *const *name)
{
    const bool none = f->whole.n == 0 && f->whole.constant == 0;

    print_polynomial(b, &f->whole, true, name);
    for (int i = 0; i < f->n; i++) {
        print_factor(b, f->quotient[i].factor, none && i == 0, true);
        if (f->quotient[i].times)
            ir_buf_printf(b, "%s*", name[f->quotient[i].times - 1]);
        print_quotient(b, &f->quotient[i].of, f->quotient[i].divisor, name);
    }
    if (none && f->n == 0)
        ir_buf_str(b, "0");
}

/* Quotients round down there. */
void
cg_form_write(ir_buf *b, const cg_size_form *f, const char *const *name)
{
    const bool none = f->whole.n == 0 && f->whole.constant == 0;

    if (!none || f->n == 0)
        print_polynomial(b, &f->whole, false, name);
    for (int i = 0; i < f->n; i++) {
        const cg_polynomial *p = &f->quotient[i].of;
        const bool single = p->n == 1 && p->constant == 0 && p->term[0].factor > 0;
        const bool alone =
            none && f->n == 1 && f->quotient[i].factor == 1 && !f->quotient[i].times;

        print_factor(b, f->quotient[i].factor, none && i == 0, false);
        if (f->quotient[i].times)
            ir_buf_printf(b, "%s*", name[f->quotient[i].times - 1]);
        ir_buf_str(b, alone ? "" : "(");
        ir_buf_str(b, single ? "" : "(");
        print_polynomial(b, p, false, name);
        ir_buf_printf(b, single ? "/%" PRId64 : ")/%" PRId64, f->quotient[i].divisor);
        ir_buf_str(b, alone ? "" : ")");
    }
}
