/* Forms and facts of the integers of a kernel (facts.h). */
#include "codegen/tuning.h"
#include "codegen/verify/atoms.h"

/* -- affine instructions -- */

/* The most terms of a value's form; proofs need room for more. */
enum { MAX_TERMS = CG_VERIFY_FORM_TERMS - CG_VERIFY_SPARE_TERMS };

/* A sum of i64 equals its form modulo 2^64 in any case.  In a narrower type it has the form
 * only if it does not wrap. */
static void
set_sum(cg_facts *f, cg_val v, const cg_sum *s, bool exact)
{
    const cg_form x = cg_form_of(s);
    const cot_dtype t = cg_type(f->k, v);

    exact = exact && cg_fits(cg_form_interval(f, &x), t);
    if (!exact && t != COT_I64)
        cg_set_opaque(f, v);
    else if (s->n <= MAX_TERMS)
        cg_set_form(f, v, cg_form_keep(f->arena, s), exact);
    else
        cg_set_form(f, v, cg_form_shortened(f, &x, MAX_TERMS), exact);
}

static const cg_value *
operand(cg_facts *f, cg_val v)
{
    if (!f->value[v].known)
        cg_set_opaque(f, v);
    return &f->value[v];
}

static void
add_or_subtract(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_value x = *operand(f, i->in[0]), y = *operand(f, i->in[1]);
    const int64_t sign = i->op == SC_add ? 1 : -1;
    cg_sum s = { 0 };
    bool fits = cg_sum_add(&s, 1, &x.form) && cg_sum_add(&s, sign, &y.form);

    if (!fits) {
        const cg_form a = cg_form_shortened(f, &x.form, CG_VERIFY_FORM_TERMS / 2),
                      b = cg_form_shortened(f, &y.form, CG_VERIFY_FORM_TERMS / 2);
        s = (cg_sum){ 0 };
        fits = cg_sum_add(&s, 1, &a) && cg_sum_add(&s, sign, &b);
    }
    if (fits)
        set_sum(f, v, &s, x.exact && y.exact);
    else
        cg_set_opaque(f, v);
}

static void
multiply(cg_facts *f, cg_val v, cg_val x, int64_t c)
{
    const cg_value a = *operand(f, x);
    cg_sum s = { 0 };

    if (cg_sum_add(&s, c, &a.form))
        set_sum(f, v, &s, a.exact);
    else
        cg_set_opaque(f, v);
}

static void
product(cg_facts *f, cg_val v, const cg_insn *i)
{
    int64_t c;

    if (cg_is_const(f->k, i->in[1], &c))
        multiply(f, v, i->in[0], c);
    else if (cg_is_const(f->k, i->in[0], &c))
        multiply(f, v, i->in[1], c);
    else
        cg_set_opaque(f, v);
}

/* -- minima, maxima, selects -- */

static void
set_split(cg_facts *f, cg_val v, cg_split split, const cg_form side[2], cg_val cond,
          cg_interval in)
{
    const uint32_t a = cg_new_atom(f, v, cg_common(in, cg_type_interval(cg_type(f->k, v))));

    f->atom[a].split = split;
    f->atom[a].derived = split != CG_CHOICE;
    const int64_t m = cg_gcd(cg_form_multiple(f, &side[0]), cg_form_multiple(f, &side[1]));
    f->atom[a].multiple = m ? m : 1;
    f->atom[a].side[0] = side[0];
    f->atom[a].side[1] = side[1];
    f->atom[a].cond = cond;
    for (int j = 0; j < 2 && split != CG_CHOICE; j++)
        cg_add_fact(f, a, split == CG_MIN_OF ? -1 : 1, split == CG_MIN_OF ? 1 : -1, &side[j],
                    0);
    cg_set_form(f, v, cg_form_of_atom(f, a), true);
}

static void
extreme(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_form side[2] = { cg_exact_form(f, i->in[0]), cg_exact_form(f, i->in[1]) };
    const cg_interval x = cg_form_interval(f, &side[0]), y = cg_form_interval(f, &side[1]);
    const bool least = i->op == SC_min;

    if (least ? x.hi <= y.lo : x.lo >= y.hi)
        cg_set_form(f, v, side[0], true);
    else if (least ? y.hi <= x.lo : y.lo >= x.hi)
        cg_set_form(f, v, side[1], true);
    else if (least)
        set_split(f, v, CG_MIN_OF, side, 0,
                  (cg_interval){ x.lo < y.lo ? x.lo : y.lo, x.hi < y.hi ? x.hi : y.hi });
    else
        set_split(f, v, CG_MAX_OF, side, 0,
                  (cg_interval){ x.lo > y.lo ? x.lo : y.lo, x.hi > y.hi ? x.hi : y.hi });
}

static void
choice(cg_facts *f, cg_val v, cg_val cond, cg_val x, cg_val y)
{
    const cg_form side[2] = { cg_exact_form(f, x), cg_exact_form(f, y) };

    if (cg_form_equal(&side[0], &side[1]))
        cg_set_form(f, v, side[0], true);
    else
        set_split(f, v, CG_CHOICE, side, cond,
                  cg_either(cg_value_interval(f, x), cg_value_interval(f, y)));
}

static void
convert(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cot_dtype from = cg_type(f->k, i->in[0]);

    if (from == COT_BOOL) {
        const cg_form side[2] = { cg_form_const(1), cg_form_const(0) };
        set_split(f, v, CG_CHOICE, side, i->in[0], (cg_interval){ 0, 1 });
    } else if (cg_is_integer(from)) {
        const cg_form x = cg_exact_form(f, i->in[0]);
        const bool widens =
            cg_type_interval(from).lo >= cg_type_interval((cot_dtype)i->type).lo &&
            cg_type_interval(from).hi <= cg_type_interval((cot_dtype)i->type).hi &&
            from != COT_U64;
        if (widens || cg_fits(cg_form_interval(f, &x), (cot_dtype)i->type))
            cg_set_form(f, v, x, true);
        else
            cg_set_opaque(f, v);
    } else {
        cg_set_opaque(f, v);
    }
}

/* -- loops -- */

/* The loop variable lo + step t, with 0 <= t, step t <= hi - 1 - lo and t <= limit - 1.  It is
 * less than hi, so it does not wrap.  In a loop of one iteration it is lo. */
static void
variable(cg_facts *f, cg_val v, const cg_block *x)
{
    const cg_form lo = cg_exact_form(f, x->lo), hi = cg_exact_form(f, x->hi);
    const uint32_t t = cg_new_atom(f, v, (cg_interval){ 0, INT64_MAX });
    cg_sum room = { .k = -1 }, s = { .n = 1, .term = { { t, x->step } } };

    if (cg_sum_add(&room, 1, &hi) && cg_sum_add(&room, -1, &lo)) {
        const cg_form most = cg_form_of(&room);
        const int64_t span = cg_form_interval(f, &most).hi;
        if (span != INT64_MAX)
            f->atom[t].in.hi = span < 0 ? 0 : span / x->step;
        if (room.n)
            cg_add_fact(f, t, -x->step, 1, &most, 0);
    }
    if (x->limit) {
        const cg_form limit = cg_exact_form(f, x->limit);
        const int64_t most = cg_form_interval(f, &limit).hi;
        if (most != INT64_MAX && most - 1 < f->atom[t].in.hi)
            f->atom[t].in.hi = most < 1 ? 0 : most - 1;
        cg_add_fact(f, t, -1, 1, &limit, -1);
    }
    if (f->atom[t].in.hi == 0)
        cg_set_form(f, v, lo, true);
    else if (cg_sum_add(&s, 1, &lo))
        cg_set_form(f, v, cg_form_keep(f->arena, &s), true);
    else
        cg_set_opaque(f, v);
}

/* A lower bound of v where the condition holds, if an operand of the conjunction is k < v;
 * otherwise `none`. */
static int64_t
least_where(const cg_kernel *k, cg_val cond, cg_val v, int64_t none)
{
    cg_val part[CG_VERIFY_MAX_WHILE_PARTS + 1] = { cond };
    int64_t c;

    for (int n = 1, left = CG_VERIFY_MAX_WHILE_PARTS; n > 0 && left > 0; left--) {
        const cg_insn *i = &k->insn[part[--n]];
        if (i->op == SC_lt && i->in[1] == v && cg_is_const(k, i->in[0], &c) && c < INT64_MAX)
            return c + 1;
        if (i->op == SC_and && n + 2 <= CG_VERIFY_MAX_WHILE_PARTS) {
            part[n++] = i->in[0];
            part[n++] = i->in[1];
        }
    }
    return none;
}

/* A counter select(v == last, first, v + 1) that starts at `last` or below never exceeds
 * `last`. */
static bool
goes_round(const cg_kernel *k, cg_val v, const cg_insn *next, cg_interval init, cg_interval *in)
{
    const cg_insn *test = &k->insn[next->in[0]], *step = &k->insn[next->in[2]];
    int64_t last, first, one;

    if (next->op != SC_select || test->op != SC_eq || test->in[0] != v ||
        !cg_is_const(k, test->in[1], &last) || !cg_is_const(k, next->in[1], &first) ||
        step->op != SC_add || step->in[0] != v || !cg_is_const(k, step->in[1], &one) ||
        one != 1 || init.hi > last || first > last)
        return false;
    *in = (cg_interval){ first < init.lo ? first : init.lo, last };
    return true;
}

/* A carried value that only grows is at least its initial value.  One that only falls is at
 * most that, and if a while continues only above k, it is at least k minus one step. */
static void
carried(cg_facts *f, cg_val v, const cg_block *x, const cg_yield *y)
{
    const cg_insn *next = &f->k->insn[y->value];
    const cg_interval init = y->type == COT_I64 ? cg_value_interval(f, y->init) : CG_ANY;
    cg_interval in = cg_type_interval(y->type);
    int64_t c;

    if (y->type == COT_I64 && goes_round(f->k, v, next, init, &in)) {
        cg_set_atom(f, v, in);
        return;
    }
    if (y->type == COT_I64 && next->op == SC_add && next->in[0] == v &&
        cg_is_const(f->k, next->in[1], &c) && c > -CG_VERIFY_MAX_CARRY_STEP &&
        c < CG_VERIFY_MAX_CARRY_STEP) {
        const int64_t least =
            c < 0 && x->cond ? least_where(f->k, x->cond, v, INT64_MIN) : INT64_MIN;
        if (c >= 0)
            in.lo = init.lo;
        else
            in.hi = init.hi;
        if (least > INT64_MIN + 1024)
            in.lo = least + c < init.lo ? least + c : init.lo;
    }
    cg_set_atom(f, v, in);
}

static void
result(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_insn *block = &f->k->insn[i->in[0]];
    const cg_yield *y = &block->block->yield[i->imm];

    if (block->op == CG_IF)
        choice(f, v, block->block->cond, y->value, y->init);
    else
        cg_set_opaque(f, v);
}

/* -- loads -- */

static int64_t
element_of(const cg_buffer *x, int64_t i)
{
    uint64_t bits = 0;
    const size_t size = cot_dtype_size(x->type);
    const int drop = 64 - 8 * (int)size;

    memcpy(&bits, (const char *)x->data + (size_t)i * size, size);
    return ir_is_signed(x->type) ? (int64_t)(bits << drop) >> drop : (int64_t)bits;
}

/* An element of a constant buffer lies between the smallest and the largest one. */
static void
loaded(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_buffer *x = &f->k->buffer[i->imm];
    cg_interval in = { INT64_MAX, INT64_MIN };

    if (x->space != CG_CONST || !x->data || x->type == COT_U64 || x->elements < 1) {
        cg_set_opaque(f, v);
        return;
    }
    if (f->content[i->imm].lo > f->content[i->imm].hi)
        for (int64_t j = 0; j < x->elements; j++) {
            const int64_t e = element_of(x, j);
            in = cg_either(in, (cg_interval){ e, e });
            f->content[i->imm] = in;
        }
    in = f->content[i->imm];
    if (i->in[1])
        in = cg_either(in, (cg_interval){ 0, 0 });
    cg_set_atom(f, v, in);
}

/* -- by instruction -- */

static void
parameter(cg_facts *f, cg_val v, const cg_insn *i)
{
    cg_set_atom(f, v, f->param ? f->param[i->imm] : CG_ANY);
}

/* c << y with c >= 0 is monotonic in y. */
static void
shifted_constant(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_form y = cg_exact_form(f, i->in[1]);
    const cg_interval by = cg_tight_interval(f, NULL, &y);
    int64_t c;

    if (cg_is_const(f->k, i->in[0], &c) && c >= 0 && by.lo >= 0 && by.hi < 62 &&
        c <= INT64_MAX >> (by.hi + 1) && cg_type(f->k, v) == COT_I64)
        cg_set_atom(f, v, (cg_interval){ c << by.lo, c << by.hi });
    else
        cg_set_opaque(f, v);
}

static void
shift_left(cg_facts *f, cg_val v, const cg_insn *i)
{
    int64_t c;

    if (cg_is_const(f->k, i->in[1], &c) && c >= 0 && c < 62)
        multiply(f, v, i->in[0], (int64_t)1 << c);
    else
        shifted_constant(f, v, i);
}

/* x xor (x + 1) has one more bit than x has trailing ones, so its count is at most that of x
 * plus 1. */
static void
trailing_ones(cg_facts *f, uint32_t atom, const cg_insn *x)
{
    const cg_insn *next = &f->k->insn[x->in[1]];
    const cg_ones seen = f->ones[x->in[0] % CG_VERIFY_ONES_SEEN];
    int64_t one;

    if (x->op != SC_xor || next->op != SC_add || next->in[0] != x->in[0] ||
        !cg_is_const(f->k, next->in[1], &one) || one != 1 || seen.of != x->in[0])
        return;
    const cg_form all = cg_form_of_atom(f, seen.atom);
    f->atom[atom].derived = true;
    cg_add_fact(f, atom, -1, 1, &all, 1);
}

/* Of all integers up to n, either n or one with all bits below the highest bit of n set has the
 * most ones. */
static void
count_of_ones(cg_facts *f, cg_val v, const cg_insn *i)
{
    const cg_interval x = cg_value_interval(f, i->in[0]);
    int64_t most = 64;

    if (x.lo >= 0 && x.hi < INT64_MAX) {
        most = __builtin_popcountll((uint64_t)x.hi);
        for (int64_t n = x.hi >> 1, ones = 0; n > 0; n >>= 1) {
            ones++;
            most = ones > most ? ones : most;
        }
    }
    cg_set_atom(f, v, (cg_interval){ 0, most });
    trailing_ones(f, f->n - 1, &f->k->insn[i->in[0]]);
    f->ones[i->in[0] % CG_VERIFY_ONES_SEEN] = (cg_ones){ i->in[0], f->n - 1 };
}

static void
constant(cg_facts *f, cg_val v)
{
    int64_t c = 0;

    if (cg_is_const(f->k, v, &c) && (cg_type(f->k, v) != COT_U64 || c >= 0))
        cg_set_form(f, v, cg_form_const(c), true);
    else
        cg_set_opaque(f, v);
}

static void
define(cg_facts *f, cg_val v)
{
    const cg_insn *i = &f->k->insn[v];

    switch (i->op) {
    case SC_const: constant(f, v); break;
    case SC_add:
    case SC_sub: add_or_subtract(f, v, i); break;
    case SC_neg: multiply(f, v, i->in[0], -1); break;
    case SC_mul: product(f, v, i); break;
    case SC_shl: shift_left(f, v, i); break;
    case SC_shr: cg_define_quotient(f, v, i, true); break;
    case SC_div: cg_define_quotient(f, v, i, false); break;
    case SC_rem: cg_define_rest(f, v, i); break;
    case SC_and: cg_define_bits(f, v, i); break;
    case SC_or:
    case SC_xor: cg_define_mixed_bits(f, v, i); break;
    case SC_min:
    case SC_max: extreme(f, v, i); break;
    case SC_select: choice(f, v, i->in[0], i->in[1], i->in[2]); break;
    case SC_cvt: convert(f, v, i); break;
    case SC_popcnt: count_of_ones(f, v, i); break;
    case SC_clz: cg_set_atom(f, v, (cg_interval){ 0, 64 }); break;
    case CG_PARAM: parameter(f, v, i); break;
    case CG_VAR: variable(f, v, f->k->insn[i->in[0]].block); break;
    case CG_CARRIED: {
        const cg_block *x = f->k->insn[i->in[0]].block;
        carried(f, v, x, &x->yield[i->imm]);
        break;
    }
    case CG_RESULT: result(f, v, i); break;
    case CG_LOAD: loaded(f, v, i); break;
    default: cg_set_opaque(f, v);
    }
}

void
cg_facts_begin(cg_facts *f, const cg_kernel *k, const cg_interval *param, ir_arena *arena,
               ir_arena *scratch)
{
    *f = (cg_facts){
        .k = k,
        .arena = arena,
        .scratch = scratch,
        .param = param,
        .proofs = f->proofs,
        .steps = f->steps,
    };
    f->value = IR_NEW_N(arena, cg_value, k->n_insns);
    f->content = IR_NEW_N(arena, cg_interval, k->n_buffers + 1);
    for (uint32_t i = 0; i < k->n_buffers; i++)
        f->content[i].lo = 1;
}

void
cg_facts_define(cg_facts *f, cg_val v)
{
    if (v && cg_is_integer(cg_type(f->k, v)) && !f->value[v].known &&
        f->k->insn[v].op != CG_STORE)
        define(f, v);
}
