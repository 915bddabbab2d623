/* What the entry of a general module does first: it refuses sizes at which the module is not
 * proved, and computes the constants of the function that are made of sizes. */
#include "codegen/open/rewrite.h"

/* -- sizes that are too large -- */

/* Numbers of a call stay below 2^63: terms up to this are multiplied by the bytes of an
 * element, and summed. */
static const double most_of_term = 72057594037927936.0; /* 2^56 */

static bool
same_sizes(const cg_size_term *x, const cg_size_term *y)
{
    return x->degree == y->degree &&
           memcmp(x->size, y->size, (size_t)x->degree * sizeof *x->size) == 0;
}

/* Or the largest number, where that is less. */
static int64_t
product(int64_t x, int64_t y)
{
    int64_t z;

    return __builtin_mul_overflow(x, y, &z) ? INT64_MAX : z;
}

/* Of the terms with the same sizes, the one with the largest factor. */
static void
note_term(cg_open *o, const cg_size_term *t, int64_t times)
{
    cg_size_term x = *t;

    x.factor = product(x.factor < 0 ? -x.factor : x.factor, times);
    for (uint32_t i = 0; i < o->n_terms; i++)
        if (same_sizes(&o->term[i], &x)) {
            if (o->term[i].factor < x.factor)
                o->term[i].factor = x.factor;
            return;
        }
    IR_PUSH(o->arena, o->term, o->n_terms, o->cap_terms, x);
}

static void
note_polynomial(cg_open *o, const cg_polynomial *p)
{
    for (int i = 0; i < p->n; i++)
        note_term(o, &p->term[i], 1);
}

/* A multiple of a quotient is at most `times` its dividend; where that has as many sizes as a
 * term may have, the one more counts by the most that it may be. */
static void
note_quotient(cg_open *o, const cg_size_form *f, int i)
{
    const cg_polynomial *p = &f->quotient[i].of;
    const int64_t factor = f->quotient[i].factor < 0 ? -f->quotient[i].factor
                                                     : f->quotient[i].factor,
                  times = factor / f->quotient[i].divisor + 1;

    note_polynomial(o, p);
    for (int k = 0; k < p->n; k++) {
        cg_size_term t = p->term[k];
        const int by = f->quotient[i].times - 1;

        if (by >= 0 && t.degree < CG_MAX_DEGREE)
            t.size[t.degree++] = (uint8_t)by;
        else if (by >= 0)
            t.factor = product(t.factor, o->entry.fact[by].most);
        note_term(o, &t, times);
    }
}

static void
note_form(cg_open *o, const cg_size_form *f)
{
    note_polynomial(o, &f->whole);
    for (int i = 0; i < f->n; i++)
        note_quotient(o, f, i);
}

static double
most_of(const cg_open *o, const cg_size_term *t)
{
    double x = (double)t->factor;

    for (int k = 0; k < t->degree; k++)
        x *= (double)o->entry.fact[t->size[k]].most;
    return x;
}

void
cg_open_find_terms(cg_open *o, uint32_t n_forms)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n_forms; i++)
        note_form(o, &o->form[i]);
    for (uint32_t i = 0; i < o->n_terms; i++)
        if (most_of(o, &o->term[i]) > most_of_term)
            o->term[kept++] = o->term[i];
    o->n_terms = kept;
}

bool
cg_open_has_room(const cg_open *o, const int64_t *size)
{
    for (uint32_t i = 0; i < o->n_terms; i++) {
        double x = (double)o->term[i].factor;

        for (int k = 0; k < o->term[i].degree; k++)
            x *= (double)size[o->term[i].size[k]];
        if (x > most_of_term)
            return false;
    }
    return true;
}

/* -- the guard -- */

static cg_val
f64(cg_rewriting *r, double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return cg_open_insn(r, (cg_insn){ .op = SC_const, .type = COT_F64, .imm = bits });
}

static cg_val
converted(cg_rewriting *r, cot_dtype t, cg_val x)
{
    return cg_open_insn(r, (cg_insn){ .op = SC_cvt, .type = (uint8_t)t, .in = { x } });
}

static cg_val
f64_of(cg_rewriting *r, cg_val x)
{
    return converted(r, COT_F64, x);
}

static cg_val
f64_op(cg_rewriting *r, ir_sc_op op, cg_val x, cg_val y)
{
    return cg_open_insn(r, (cg_insn){ .op = (uint8_t)op, .type = COT_F64, .in = { x, y } });
}

static void
refuse_if(cg_rewriting *r, cg_val wrong)
{
    cg_open_insn(r, (cg_insn){ .op = CG_FAIL, .imm = COT_ERR_SHAPE, .in = { wrong } });
}

void
cg_open_guard(cg_rewriting *r, const cg_open *o)
{
    for (int i = 0; i < r->n_sizes; i++) {
        const cg_open_fact *f = &o->entry.fact[i];

        refuse_if(r, cg_open_op(r, SC_lt, r->size[i], cg_open_i64(r, f->least)));
        refuse_if(r, cg_open_op(r, SC_lt, cg_open_i64(r, f->most), r->size[i]));
        if (f->multiple > 1) {
            const cg_val rest = cg_open_op(r, SC_rem, r->size[i], cg_open_i64(r, f->multiple));
            refuse_if(r, cg_open_op(r, SC_ne, rest, cg_open_i64(r, 0)));
        }
    }
    for (uint32_t i = 0; i < o->n_terms; i++) {
        cg_val x = f64(r, (double)o->term[i].factor);

        for (int k = 0; k < o->term[i].degree; k++)
            x = f64_op(r, SC_mul, x, f64_of(r, r->size[o->term[i].size[k]]));
        refuse_if(r, f64_op(r, SC_lt, f64(r, most_of_term), x));
    }
}

/* -- constants -- */

/* As cg_open_constant_at computes it. */
static cg_val
made(cg_rewriting *r, const cg_open_constant *c)
{
    cg_val p = f64_of(r, cg_open_polynomial(r, &c->p, 0));

    if (c->kind == CG_MADE_ROOT || c->kind == CG_MADE_QUOTIENT_ROOT)
        p = cg_open_insn(r, (cg_insn){ .op = SC_sqrt, .type = COT_F64, .in = { p } });
    return f64_op(r, c->kind == CG_MADE_PLAIN || c->kind == CG_MADE_ROOT ? SC_mul : SC_div,
                  f64(r, c->factor), p);
}

void
cg_open_constants(cg_rewriting *r, const cg_open *o)
{
    for (uint32_t i = 0; i < o->entry.n_constants; i++) {
        const cg_open_constant *c = &o->entry.constant[i];

        if (!o->constant_in[i])
            continue;
        cg_val x = made(r, c);
        if (ir_is_half(c->dtype))
            x = converted(r, COT_F32, x);
        if (c->dtype != COT_F64)
            x = converted(r, c->dtype, x);
        cg_open_insn(r, (cg_insn){ .op = CG_STORE,
                                   .type = (uint8_t)c->dtype,
                                   .imm = o->constant_in[i] - 1,
                                   .in = { cg_open_i64(r, 0), x } });
    }
}
