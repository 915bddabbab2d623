/* Indices (c.h).  An index that is constant in each copy and lane is a constant of the text.
 * One with a constant stride from lane to lane is a scalar, until an instruction needs a
 * vector. */
#include <stdlib.h>

#include "codegen/c/emit.h"
#include "codegen/tuning.h"

bool
cg_c_constant_of(const cg_c_emit *e, cg_val v, int64_t *x)
{
    const cg_insn *i = &e->k->insn[v];
    int64_t y, z;

    if (cg_is_const(e->k, v, x))
        return true;
    if (i->op == CG_VAR) {
        const cg_block *b = e->k->insn[i->in[0]].block;
        return b->kind <= CG_PARALLEL && cg_c_constant_of(e, b->lo, x) &&
               cg_c_constant_of(e, b->hi, &y) && y > *x && y - *x <= b->step;
    }
    if ((i->op != SC_add && i->op != SC_sub && i->op != SC_mul && i->op != SC_min &&
         i->op != SC_max) ||
        i->type != COT_I64 || !cg_c_constant_of(e, i->in[0], &y) ||
        !cg_c_constant_of(e, i->in[1], &z))
        return false;
    switch (i->op) {
    case SC_add: return !__builtin_add_overflow(y, z, x);
    case SC_sub: return !__builtin_sub_overflow(y, z, x);
    case SC_mul: return !__builtin_mul_overflow(y, z, x);
    default: *x = (i->op == SC_min) == (y < z) ? y : z; return true;
    }
}

/* -- constants -- */

static bool
lane_constant(const cg_c_emit *e, cg_val v, uint32_t set, int c, int lane, int64_t *x)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t own = e->divergence[v];

    if (i->op == SC_const && (i->type == COT_I64 || i->type == COT_BOOL)) {
        *x = (int64_t)i->imm;
        return true;
    }
    if (!e->known[v].at || e->known[v].based)
        return false;
    const int lanes = cg_c_lanes(e, own);
    *x = e->known[v].at[cg_c_copy_for(e, set, c, own) * lanes + (lanes > 1 ? lane : 0)];
    return true;
}

static bool
computed(ir_sc_op op, cot_dtype type, const int64_t *x, int64_t *r)
{
    switch (op) {
    case SC_add: *r = (int64_t)((uint64_t)x[0] + (uint64_t)x[1]); return true;
    case SC_sub: *r = (int64_t)((uint64_t)x[0] - (uint64_t)x[1]); return true;
    case SC_mul: *r = (int64_t)((uint64_t)x[0] * (uint64_t)x[1]); return true;
    case SC_div: *r = x[1] > 0 ? x[0] / x[1] : 0; return x[1] > 0;
    case SC_rem: *r = x[1] > 0 ? x[0] % x[1] : 0; return x[1] > 0;
    case SC_max: *r = x[0] > x[1] ? x[0] : x[1]; return true;
    case SC_min: *r = x[0] < x[1] ? x[0] : x[1]; return true;
    case SC_and: *r = x[0] & x[1]; return true;
    case SC_or: *r = x[0] | x[1]; return true;
    case SC_xor: *r = x[0] ^ x[1]; return true;
    case SC_neg: *r = (int64_t)(0 - (uint64_t)x[0]); return true;
    case SC_shl: *r = (int64_t)((uint64_t)x[0] << (x[1] & 63)); return true;
    case SC_shr: *r = x[0] >> (x[1] & 63); return true;
    case SC_not: *r = type == COT_BOOL ? !x[0] : ~x[0]; return true;
    case SC_eq: *r = x[0] == x[1]; return true;
    case SC_ne: *r = x[0] != x[1]; return true;
    case SC_lt: *r = x[0] < x[1]; return true;
    case SC_le: *r = x[0] <= x[1]; return true;
    case SC_select: *r = x[0] ? x[1] : x[2]; return true;
    default: return false;
    }
}

static bool
constant_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[v];
    const int copies = cg_c_copies(e, set), lanes = cg_c_lanes(e, set), n = ir_sc_arity[i->op];
    int64_t *at, x[3], dummy;

    for (int k = 0; k < n; k++)
        if (!lane_constant(e, i->in[k], set, 0, 0, &dummy))
            return false;
    if (n == 0 || copies * lanes > CG_C_MAX_KNOWN_LANES)
        return false;
    at = IR_NEW_N(e->t->arena, int64_t, copies * lanes);
    for (int c = 0; c < copies; c++)
        for (int l = 0; l < lanes; l++) {
            for (int k = 0; k < n; k++)
                lane_constant(e, i->in[k], set, c, l, &x[k]);
            if (!computed((ir_sc_op)i->op, (cot_dtype)i->type, x, &at[c * lanes + l]))
                return false;
        }
    e->known[v] = (cg_c_known){ .at = at };
    return true;
}

/* -- a scalar and constants -- */

/* The constant by which lane `lane` of copy c differs from the scalar. */
static int64_t
offset_of(const cg_c_emit *e, cg_val v, uint32_t set, int c, int lane)
{
    const cg_c_known *k = &e->known[v];
    const uint32_t own = e->divergence[v];
    const int lanes = cg_c_lanes(e, own);

    if (!k->at)
        return k->slope * lane;
    return k->at[cg_c_copy_for(e, set, c, own) * lanes + (lanes > 1 ? lane : 0)];
}

static bool
is_known(const cg_c_emit *e, cg_val v)
{
    return e->known[v].at || e->known[v].slope;
}

/* The text of the scalar; NULL: there is none, or it is 0. */
static const char *
base_of(cg_c_emit *e, cg_val v, uint32_t set, int c)
{
    if (e->known[v].at && !e->known[v].based)
        return NULL;
    return cg_c_value(e, v, cg_c_copy_for(e, set, c, e->divergence[v]));
}

/* Splits "i + 32" into "i" and a constant, which is added to the offset. */
static const char *
with_constant(cg_c_emit *e, const char *base, int64_t *offset)
{
    const char *last = strrchr(base, ' ');
    char *end;

    if (!last || last - base < 3 || last[-1] != '+')
        return base;
    const long long x = strtoll(last + 1, &end, 10);
    if (*end || x > INT32_MAX || __builtin_add_overflow(*offset, x, offset))
        return base;
    return cg_c_format(e, "%.*s", (int)(last - base) - 2, base);
}

static const char *
sum(cg_c_emit *e, const char *base, int64_t offset)
{
    if (!base)
        return cg_c_int(e, offset);
    base = offset ? with_constant(e, cg_c_bare_term(e->t, base), &offset) : base;
    return offset == 0 ? base
           : offset < 0 && offset > INT32_MIN
               ? cg_c_format(e, "%s - %s", base, cg_c_int(e, -offset))
               : cg_c_format(e, "%s + %s", base, cg_c_int(e, offset));
}

const char *
cg_c_at_lane(cg_c_emit *e, cg_val v, uint32_t set, int c, int lane)
{
    return sum(e, base_of(e, v, set, c),
               cg_c_lanes(e, e->divergence[v]) > 1 || is_known(e, v)
                   ? offset_of(e, v, set, c, lane)
                   : 0);
}

bool
cg_c_is_even(const cg_c_emit *e, cg_val v, uint32_t set, int c, int n, int64_t *step)
{
    if (cg_c_lanes(e, e->divergence[v]) == 1 || !is_known(e, v))
        return false;
    *step = n > 1 ? offset_of(e, v, set, c, 1) - offset_of(e, v, set, c, 0) : 1;
    for (int l = 1; l < n; l++)
        if (offset_of(e, v, set, c, l) - offset_of(e, v, set, c, l - 1) != *step)
            return false;
    return true;
}

/* The text of x op y, where x or y may be NULL for 0.  Without a known range it uses arithmetic
 * that wraps. */
static const char *
combined(cg_c_emit *e, cg_val v, const char *x, const char *y)
{
    const ir_sc_op op = (ir_sc_op)e->k->insn[v].op;
    int64_t lo, hi;

    if ((!x || !y) && (op == SC_add || !y))
        return x ? x : y;
    x = x ? x : "0";
    if (!cg_range(e->k, v, &lo, &hi))
        return cg_c_apply(e->t, op, COT_I64, COT_I64, 1, (const char *const[]){ x, y });
    if (op == SC_mul)
        return cg_c_format(e, "%s * %s", x, y);
    return cg_c_format(e, "%s %c %s", cg_c_bare_term(e->t, x), op == SC_add ? '+' : '-',
                       op == SC_add ? cg_c_bare_term(e->t, y) : y);
}

/* Write the scalar of copy c of v; `at` receives the constants that are added to it. */
static void
based_copy(cg_c_emit *e, cg_val v, int c, int64_t *at)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[v];
    const char *x = base_of(e, i->in[0], set, c), *y = base_of(e, i->in[1], set, c);
    int64_t factor = 0, lo, hi;

    cg_is_const(e->k, i->in[1], &factor);
    for (int l = 0; l < cg_c_lanes(e, set); l++) {
        const int64_t a = offset_of(e, i->in[0], set, c, l);
        const int64_t b = i->op == SC_mul ? factor : offset_of(e, i->in[1], set, c, l);
        computed((ir_sc_op)i->op, COT_I64, (const int64_t[]){ a, b }, &at[l]);
    }
    if (cg_is_const(e->k, i->in[1], &factor) && i->op != SC_mul) {
        y = NULL;
        for (int l = 0; l < cg_c_lanes(e, set); l++)
            at[l] += i->op == SC_add ? factor : -factor;
    }
    x = combined(e, v, x, y);
    x = x && at[0] && !cg_range(e->k, v, &lo, &hi)
            ? cg_c_apply(e->t, SC_add, COT_I64, COT_I64, 1,
                         (const char *const[]){ x, cg_c_int(e, at[0]) })
            : sum(e, x, at[0]);
    cg_c_bind(e, v, c, COT_I64, 1, x);
    for (int l = cg_c_lanes(e, set); l-- > 0;)
        at[l] -= at[0];
}

static bool
based_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];
    const uint32_t set = e->divergence[v];
    const int lanes = cg_c_lanes(e, set), copies = cg_c_copies(e, set);
    int64_t *at, c = 0;
    bool even = true;

    if (lanes == 1 || (i->op != SC_add && i->op != SC_sub && i->op != SC_mul) ||
        (i->op == SC_mul && !cg_is_const(e->k, i->in[1], &c)))
        return false;
    for (int k = 0; k < 2; k++)
        if (cg_c_lanes(e, e->divergence[i->in[k]]) > 1 && !is_known(e, i->in[k]))
            return false;
    at = IR_NEW_N(e->t->arena, int64_t, copies * lanes);
    for (int k = 0; k < copies; k++)
        based_copy(e, v, k, at + k * lanes);
    for (int k = 0; k < copies * lanes; k++)
        even &= at[k] == at[1] * (k % lanes);
    e->known[v] = (cg_c_known){ even && at[1] ? NULL : at, even ? at[1] : 0, true };
    return true;
}

static bool
is_index(const cg_insn *i)
{
    return i->op < SC_COUNT && (i->type == COT_I64 || i->type == COT_BOOL) && i->op != SC_cvt &&
           i->op != SC_bitcast && i->op != SC_slow_path && i->op != SC_table &&
           i->op != SC_const && i->op != SC_popcnt && i->op != SC_clz;
}

bool
cg_c_index_insn(cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];

    return is_index(i) && (constant_insn(e, v) || (i->type == COT_I64 && based_insn(e, v)));
}

/* -- forms, found before lanes are counted -- */

static cg_c_form
operand_form(const cg_c_emit *e, cg_val v, int level)
{
    const cg_insn *i = &e->k->insn[v];

    if (i->op == SC_const || (i->op == CG_VAR && e->k->insn[i->in[0]].block->kind >= CG_UNROLL))
        return CG_C_FIXED;
    return e->divergence[v] >> level & 1 ? (cg_c_form)e->form[v] : CG_C_BASED;
}

static cg_c_form
form_of(const cg_c_emit *e, cg_val v, int level)
{
    const cg_insn *i = &e->k->insn[v];
    cg_c_form least = CG_C_FIXED;
    int64_t c = 0;

    if (!is_index(i))
        return CG_C_WIDE;
    for (int k = 0; k < ir_sc_arity[i->op]; k++) {
        const cg_c_form f = operand_form(e, i->in[k], level);
        least = f < least ? f : least;
    }
    const bool times = i->op != SC_add && i->op != SC_sub;
    if (times && i->op >= SC_mul && i->op <= SC_rem &&
        (!cg_is_const(e->k, i->in[1], &c) || c <= 0))
        return CG_C_WIDE;
    if (least == CG_C_BASED && times && i->op != SC_mul)
        return CG_C_WIDE;
    return least;
}

void
cg_c_find_forms(cg_c_emit *e, const cg_region *r, int level)
{
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &e->k->insn[r->insn[n]];
        e->form[r->insn[n]] = (uint8_t)form_of(e, r->insn[n], level);
        if (i->block) {
            cg_c_find_forms(e, &i->block->other, level);
            cg_c_find_forms(e, &i->block->body, level);
        }
    }
}
