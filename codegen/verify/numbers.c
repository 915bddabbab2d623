/* Index arithmetic at the current iteration of loops (numbers.h). */
#include "codegen/verify/numbers.h"
#include "codegen/tuning.h"

static bool
arithmetic(int op, int64_t x, int64_t y, int64_t *out)
{
    switch (op) {
    case SC_add: return !__builtin_add_overflow(x, y, out);
    case SC_sub: return !__builtin_sub_overflow(x, y, out);
    case SC_mul: return !__builtin_mul_overflow(x, y, out);
    case SC_div: return *out = y > 0 ? x / y : 0, y > 0;
    case SC_rem: return *out = y > 0 ? x % y : 0, y > 0;
    case SC_shl: return y >= 0 && y < 62 && !__builtin_mul_overflow(x, (int64_t)1 << y, out);
    case SC_shr: return *out = x >> (y & 63), y >= 0 && y < 64;
    case SC_min: return *out = x < y ? x : y, true;
    case SC_max: return *out = x > y ? x : y, true;
    case SC_lt: return *out = x < y, true;
    case SC_le: return *out = x <= y, true;
    case SC_eq: return *out = x == y, true;
    case SC_ne: return *out = x != y, true;
    case SC_and: return *out = x & y, true;
    case SC_or: return *out = x | y, true;
    default: return false;
    }
}

/* Is it an instruction on operands of type i64 or BOOL? */
static bool
is_plain(const cg_numbers *n, const cg_insn *i)
{
    const cot_dtype t = cg_type(n->k, i->in[0]);

    return i->op < SC_COUNT && (t == COT_I64 || t == COT_BOOL);
}

static void
read_variable(cg_numbers *n, cg_val v)
{
    n->outer = true;
    if (n->deepest == 0 || n->known[v].depth > n->known[n->deepest].depth)
        n->deepest = v;
}

/* The kept value is still valid if the variable of the innermost loop that it depends on has
 * not been bound again since: the loops around that one cannot have advanced without it
 * starting anew. */
static bool
is_fresh(const cg_numbers *n, const cg_number *x)
{
    const cg_number *from = &n->known[x->from];

    return x->at > 0 && (x->from == 0 || (from->bound && from->at < x->at));
}

static bool evaluate(cg_numbers *n, cg_val v, int depth, int64_t *out);

static bool
compute(cg_numbers *n, const cg_insn *i, int depth, int64_t *out)
{
    int64_t x, y, z;

    if (!is_plain(n, i) || !evaluate(n, i->in[0], depth + 1, &x))
        return false;
    if (i->op == SC_not)
        return *out = !x, i->type == COT_BOOL;
    if (i->op == SC_popcnt)
        return *out = __builtin_popcountll((uint64_t)x), true;
    if (ir_sc_arity[i->op] < 2 || !evaluate(n, i->in[1], depth + 1, &y))
        return false;
    if (i->op != SC_select)
        return arithmetic(i->op, x, y, out);
    return evaluate(n, i->in[2], depth + 1, &z) && (*out = x ? y : z, true);
}

/* Computes v and keeps its value until a loop that it depends on advances. */
static bool
compute_once(cg_numbers *n, cg_val v, int depth, int64_t *out)
{
    const bool inner = n->inner, outer = n->outer;
    const cg_val deepest = n->deepest;

    n->inner = n->outer = false;
    n->deepest = 0;
    const bool known = compute(n, &n->k->insn[v], depth, out);
    if (known && !n->inner)
        n->known[v] = (cg_number){ .value = *out, .at = ++n->clock, .from = n->deepest };
    n->inner |= inner;
    n->outer |= outer;
    if (deepest && (n->deepest == 0 || n->known[deepest].depth > n->known[n->deepest].depth))
        n->deepest = deepest;
    return known;
}

/* The value of v in the current iteration of the running loops.  The variable of a loop that is
 * not running counts as 0, and n->inner is set. */
static bool
evaluate(cg_numbers *n, cg_val v, int depth, int64_t *out)
{
    const cg_number *x = &n->known[v];

    if (depth > CG_VERIFY_MAX_INDEX_DEPTH || n->steps++ > CG_VERIFY_MAX_RUN_STEPS)
        return false;
    if (cg_is_const(n->k, v, out))
        return true;
    if (x->bound || is_fresh(n, x)) {
        if (x->bound || x->from)
            read_variable(n, x->bound ? v : x->from);
        return *out = x->value, true;
    }
    if (v && n->k->insn[v].op == CG_VAR) {
        n->inner = true;
        return *out = 0, true;
    }
    return v && compute_once(n, v, depth, out);
}

void
cg_number_bind(cg_numbers *n, cg_val v, int64_t x)
{
    n->known[v] = (cg_number){ x, ++n->clock, true, n->depth, 0 };
}

void
cg_number_unbind(cg_numbers *n, cg_val v)
{
    n->known[v] = (cg_number){ 0 };
}

/* The value of v; false if it depends on a loop that is not running. */
bool
cg_number_of(cg_numbers *n, cg_val v, int64_t *out)
{
    n->inner = false;
    return evaluate(n, v, 0, out) && !n->inner;
}

/* Adds to *sum the part of scale v that comes from running loops.  False: some part depends on
 * running and other loops together, or is not known. */
bool
cg_number_outer(cg_numbers *n, cg_val v, int64_t scale, int depth, int64_t *sum)
{
    const cg_insn *i = &n->k->insn[v];
    int64_t x;

    n->inner = n->outer = false;
    if (depth > CG_VERIFY_MAX_INDEX_DEPTH || !evaluate(n, v, 0, &x))
        return false;
    if (!n->inner)
        return arithmetic(SC_mul, x, scale, &x) && arithmetic(SC_add, *sum, x, sum);
    if (!n->outer)
        return true;
    if (i->op == SC_add || i->op == SC_sub)
        return cg_number_outer(n, i->in[0], scale, depth + 1, sum) &&
               cg_number_outer(n, i->in[1], i->op == SC_add ? scale : -scale, depth + 1, sum);
    return i->op == SC_mul && cg_is_const(n->k, i->in[1], &x) &&
           arithmetic(SC_mul, scale, x, &scale) &&
           cg_number_outer(n, i->in[0], scale, depth + 1, sum);
}

/* Is v independent of the running loops? */
bool
cg_number_is_invariant(cg_numbers *n, cg_val v)
{
    int64_t x;

    n->outer = false;
    return v == 0 || (evaluate(n, v, 0, &x) && !n->outer);
}

void
cg_numbers_begin(cg_numbers *n, const cg_kernel *k, ir_arena *a)
{
    *n = (cg_numbers){ .k = k, .known = IR_NEW_N(a, cg_number, k->n_insns) };
}
