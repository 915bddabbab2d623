/* Indices without a constant stride, as vectors of i32 (emit.h).
 *
 * An index is an i64, and a vector of i64 has half as many lanes as one of f32.  A kernel with
 * such a vector would compute its floats in half-filled registers.  So a value is computed as
 * i32 if its range fits into 32 bits and its operands are computed so, and comparisons and
 * conversions follow.  A value that a block yields stays i64, since its variable has the
 * kernel's type. */
#include "codegen/c/emit.h"

static bool
fits(const cg_c_emit *e, cg_val v)
{
    int64_t lo, hi;

    return cg_range(e->k, v, &lo, &hi) && lo >= INT32_MIN && hi <= INT32_MAX;
}

static bool
is_narrow(const cg_c_emit *e, cg_val v, int level)
{
    const cg_insn *i = &e->k->insn[v];
    const bool compares = i->op >= SC_eq && i->op <= SC_le;
    int64_t c;

    if (!(e->divergence[v] >> level & 1) || i->op >= SC_COUNT)
        return false;
    switch (i->op) {
    case SC_cvt:
        if (i->type == COT_I64)
            return fits(e, v);
        return cg_type(e->k, i->in[0]) == COT_I64 && fits(e, i->in[0]);
    case SC_div:
    case SC_rem:
        if (!cg_is_const(e->k, i->in[1], &c) || c <= 0)
            return false;
        break;
    case SC_shr:
        if (!cg_is_const(e->k, i->in[1], &c) || c < 0 || c > 31)
            return false;
        break;
    case SC_add:
    case SC_sub:
    case SC_mul:
    case SC_and:
    case SC_max:
    case SC_min: break;
    default:
        if (!compares)
            return false;
    }
    return i->type == COT_I64 && fits(e, i->in[0]) && fits(e, i->in[1]) &&
           (compares || (fits(e, v) && e->form[v] == CG_C_WIDE));
}

void
cg_c_find_narrow(cg_c_emit *e, const cg_region *r, int level)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_block *x = e->k->insn[r->insn[n]].block;
        e->narrow[r->insn[n]] = is_narrow(e, r->insn[n], level);
        if (!x)
            continue;
        cg_c_find_narrow(e, &x->other, level);
        cg_c_find_narrow(e, &x->body, level);
        cg_c_keep_wide(e, x);
    }
}

void
cg_c_keep_wide(cg_c_emit *e, const cg_block *x)
{
    for (int i = 0; i < x->n; i++) {
        e->narrow[x->yield[i].init] &= cg_type(e->k, x->yield[i].init) != COT_I64;
        e->narrow[x->yield[i].value] &= cg_type(e->k, x->yield[i].value) != COT_I64;
    }
}

/* The lanes of a scalar plus constants; with a scalar, the constant of lane 0 is 0. */
static const char *
known_lanes(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    const cg_c_known *k = &e->known[v];
    const int64_t *at =
        k->at ? k->at + cg_c_copy_for(e, set, c, e->divergence[v]) * lanes : NULL;
    const char *s = cg_c_format(e, "(%s){", cg_c_type(e->t, COT_I32, lanes)),
               *first = k->based || !at ? cg_c_at_lane(e, v, set, c, 0) : NULL;

    if (!at)
        return cg_c_format(e, "%s(%s, %s)", cg_c_ramp(e->t, COT_I32, lanes),
                           cg_c_bare(e->t, first), cg_c_int(e, k->slope));
    for (int l = 0; l < lanes; l++)
        s = cg_c_format(e, "%s%s %lld", s, l ? "," : "", (long long)at[l]);
    s = cg_c_format(e, "%s }", s);
    if (!first)
        return s;
    first = cg_c_apply(e->t, SC_cvt, COT_I32, COT_I64, 1, &first);
    first = cg_c_format(e, "%s(%s)", cg_c_splat(e->t, COT_I32, lanes), first);
    return cg_c_apply(e->t, SC_add, COT_I32, COT_I32, lanes, (const char *const[]){ first, s });
}

const char *
cg_c_use_narrow(cg_c_emit *e, cg_val v, uint32_t set, int c, int lanes)
{
    const uint32_t own = e->divergence[v];
    const int copy = cg_c_copy_for(e, set, c, own);
    const char *x;
    int64_t n;

    if (cg_c_lanes(e, own) > 1 && (e->known[v].at || e->known[v].slope))
        return known_lanes(e, v, set, c, lanes);
    if (cg_c_lanes(e, own) > 1 && e->narrow[v])
        return cg_c_value(e, v, copy);
    x = cg_c_use(e, v, set, c, cg_c_lanes(e, own));
    if (cg_c_lanes(e, own) > 1)
        return cg_c_apply(e->t, SC_cvt, COT_I32, COT_I64, lanes, &x);
    x = cg_is_const(e->k, v, &n)
            ? cg_c_constant(e->t, COT_I32, (uint64_t)n)
            : cg_c_apply(e->t, SC_cvt, COT_I32, COT_I64, 1, &x);
    return cg_c_format(e, "%s(%s)", cg_c_splat(e->t, COT_I32, lanes), x);
}

const char *
cg_c_narrow_division(cg_c_emit *e, const cg_insn *i, const char *const *in)
{
    return cg_c_format(e, "%s %c %s", in[0], i->op == SC_div ? '/' : '%', in[1]);
}
