/* Selects between two values (emit.h): with a constant condition or operand, minima and maxima,
 * selects by a comparison; and comparisons of unsigned numbers whose top bit is 0.
 *
 * A BOOL has lanes of 32 bits.  A comparison of f64 has lanes of another width, and one of
 * whole vectors of AVX-512 gives a mask of bits.  A select by such a comparison evaluates it
 * again from its operands: compilers merge the equal comparisons, and need not convert them to
 * a BOOL and compare that with 0. */
#include "codegen/c/emit.h"

static bool
is_same(const cg_kernel *k, cg_val v, cg_val w)
{
    const cg_insn *x = &k->insn[v], *y = &k->insn[w];

    return v == w ||
           (x->op == SC_const && y->op == SC_const && x->type == y->type && x->imm == y->imm);
}

/* x < y ? x : y and y < x ? x : y are each one instruction on some machines. */
static const char *
chosen_extreme(cg_c_emit *e, const cg_insn *i, int lanes, const char *const *in)
{
    const cg_insn *less = &e->k->insn[i->in[0]];

    if (lanes == 1 || less->op != SC_lt || (i->type != COT_F32 && i->type != COT_F64))
        return NULL;
    for (int k = 0; k < 2; k++)
        if (is_same(e->k, less->in[k], i->in[1]) && is_same(e->k, less->in[1 - k], i->in[2]))
            return cg_c_format(e, "%s(%s, %s)",
                               cg_c_limit(e->t, k ? SC_max : SC_min, (cot_dtype)i->type, lanes),
                               cg_c_bare(e->t, in[1]), cg_c_bare(e->t, in[2]));
    return NULL;
}

/* Is each copy a constant or a variable, so that its text can be used again? */
static bool
is_named(const cg_c_emit *e, cg_val v)
{
    return e->k->insn[v].op == SC_const || !e->inlined[v];
}

/* Is the select by a comparison of as many lanes that is better evaluated in the select than
 * converted to a BOOL? */
static bool
is_by_comparison(const cg_c_emit *e, const cg_insn *i, int lanes)
{
    const cg_insn *by = &e->k->insn[i->in[0]];
    const size_t size = cot_dtype_size((cot_dtype)i->type);
    cot_dtype from;

    if (by->op < SC_eq || by->op > SC_le || i->type == COT_I64)
        return false;
    from = cg_type(e->k, by->in[0]);
    if (i->type == COT_F64 && from == COT_F64)
        return true;
    return size == 4 && (from == COT_F32 || from == COT_I32 || from == COT_U32) &&
           lanes * (int)size == 64;
}

static bool
has_names(const cg_c_emit *e, const cg_insn *comparison)
{
    return is_named(e, comparison->in[0]) && is_named(e, comparison->in[1]);
}

static const char *
chosen_by_comparison(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes,
                     const char *const *in)
{
    const cg_insn *by = &e->k->insn[i->in[0]];

    if (lanes == 1 || cg_c_lanes(e, e->divergence[i->in[0]]) != lanes ||
        !is_by_comparison(e, i, lanes) || !has_names(e, by))
        return NULL;
    const char *y = cg_c_bare(e->t, cg_c_use(e, by->in[1], set, c, lanes));
    const char *x = cg_c_bare(e->t, cg_c_use(e, by->in[0], set, c, lanes));
    return cg_c_format(
        e, "%s(%s, %s, %s, %s)",
        cg_c_pick(e->t, (ir_sc_op)by->op, (cot_dtype)i->type, cg_type(e->k, by->in[0]), lanes),
        x, y, cg_c_bare(e->t, in[1]), cg_c_bare(e->t, in[2]));
}

/* A select of all ones or of 0 by a mask m is m | z or m & y. */
static const char *
chosen_bits(cg_c_emit *e, const cg_insn *i, int lanes, const char *const *in)
{
    const cg_insn *y = &e->k->insn[i->in[1]], *z = &e->k->insn[i->in[2]];
    const char *m;

    if (lanes == 1 || (i->type != COT_I32 && i->type != COT_U32))
        return NULL;
    m = i->type == COT_I32 ? in[0]
                           : cg_c_format(e, "(%s)%s", cg_c_type(e->t, COT_U32, lanes), in[0]);
    if (y->op == SC_const && (uint32_t)y->imm == UINT32_MAX)
        return cg_c_format(e, "%s | %s", m, in[2]);
    return z->op == SC_const && (uint32_t)z->imm == 0 ? cg_c_format(e, "%s & %s", m, in[1])
                                                      : NULL;
}

/* The operand that a constant condition selects in all lanes; NULL: the condition is not
 * constant. */
static const char *
known_choice(const cg_c_emit *e, cg_val cond, uint32_t set, int c, int lanes,
             const char *const *in)
{
    const uint32_t own = e->divergence[cond];
    const int64_t *at = e->known[cond].at;

    if (!at || cg_c_lanes(e, own) != lanes)
        return NULL;
    at += cg_c_copy_for(e, set, c, own) * lanes;
    for (int l = 1; l < lanes; l++)
        if (at[l] != at[0])
            return NULL;
    return at[0] ? in[1] : in[2];
}

/* A conditional increment c ? x + 1 : x is written x + c, for which no compiler emits a
 * branch. */
static const char *
counted(cg_c_emit *e, const cg_insn *i, const char *const *in)
{
    const cg_insn *sum = &e->k->insn[i->in[1]], *one = &e->k->insn[sum->in[1]];

    if ((i->type != COT_I64 && i->type != COT_I32) || sum->op != SC_add ||
        sum->in[0] != i->in[2] || one->op != SC_const || one->imm != 1 ||
        !e->inlined[i->in[1]])
        return NULL;
    return cg_c_apply(e->t, SC_add, (cot_dtype)i->type, (cot_dtype)i->type, 1,
                      (const char *const[]){ in[2], in[0] });
}

const char *
cg_c_choice(cg_c_emit *e, const cg_insn *i, uint32_t set, int c, int lanes,
            const char *const *in)
{
    const char *x = known_choice(e, i->in[0], set, c, lanes, in);

    if (x || (lanes == 1 && (x = counted(e, i, in))))
        return x;
    if (cg_c_lanes(e, e->divergence[i->in[0]]) == 1)
        return cg_c_format(e, "%s ? %s : %s", cg_c_use(e, i->in[0], set, c, 1), in[1], in[2]);
    if ((x = chosen_extreme(e, i, lanes, in)) ||
        (x = chosen_by_comparison(e, i, set, c, lanes, in)))
        return x;
    return chosen_bits(e, i, lanes, in);
}

void
cg_c_count_picks(cg_c_emit *e, const cg_region *r)
{
    for (uint32_t n = 0; n < r->n; n++)
        e->picks[r->insn[n]] = 0;
    for (uint32_t n = 0; n < r->n; n++) {
        const cg_insn *i = &e->k->insn[r->insn[n]];
        if (i->op == SC_select &&
            is_by_comparison(e, i, cg_c_lanes(e, e->divergence[i->in[0]])))
            e->picks[i->in[0]]++;
    }
}

bool
cg_c_is_only_picked_by(const cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];

    return e->picks[v] > 0 && e->picks[v] == e->uses[v] &&
           cg_c_lanes(e, e->divergence[v]) > 1 && has_names(e, i);
}

/* Is v known to be an unsigned number below 2^31? */
static bool
is_below_half(const cg_c_emit *e, cg_val v)
{
    const cg_insn *i = &e->k->insn[v];

    if (i->op == SC_and)
        return is_below_half(e, i->in[0]) || is_below_half(e, i->in[1]);
    return i->op == SC_const && (uint32_t)i->imm <= INT32_MAX;
}

const char *
cg_c_signed_compare(cg_c_emit *e, const cg_insn *i, int lanes, const char *const *in)
{
    const char *signed_type, *x[2];

    if (lanes == 1 || i->type != COT_U32 || i->op < SC_eq || i->op > SC_le ||
        !is_below_half(e, i->in[0]) || !is_below_half(e, i->in[1]))
        return NULL;
    signed_type = cg_c_type(e->t, COT_I32, lanes);
    for (int k = 0; k < 2; k++)
        x[k] = cg_c_format(e, "(%s)%s", signed_type, in[k]);
    return cg_c_apply(e->t, (ir_sc_op)i->op, COT_I32, COT_I32, lanes, x);
}
