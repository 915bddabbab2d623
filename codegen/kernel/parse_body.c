/* Parsing regions, and the loops and branches in them.
 *
 * Regions are read by recursion, at most CG_TEXT_NEST deep.  As in the builder, a block is
 * created before its body and enters the list of its region after it, so that constants in the
 * body precede it. */
#include "codegen/kernel/parse.h"

/* The largest bound or step, so that extents never overflow. */
static const int64_t MAX_BOUND = (int64_t)1 << 48;

static bool parse_region(cg_parser *p, cg_region *r);

/* The names on the left of a `=`. */
typedef struct results {
    uint64_t *number;
    uint32_t n, cap;
} results;

static bool
read_results(cg_parser *p, results *out)
{
    uint64_t number;

    if (!ir_read_try(&p->r, "%"))
        return true;
    p->r.at--;
    do {
        if (!cg_read_new(p, &number))
            return false;
        for (uint32_t i = 0; i < out->n && out->n < 64; i++)
            if (out->number[i] == number)
                return ir_read_wants(&p->r, "a number that no value of the kernel has");
        IR_PUSH(p->r.a, out->number, out->n, out->cap, number);
    } while (ir_read_try(&p->r, ","));
    return ir_read_expect(&p->r, "=");
}

static void
push_yield(cg_parser *p, cg_block *x, cg_yield y)
{
    uint32_t n = (uint32_t)x->n, cap = x->cap;

    IR_PUSH(p->k->arena, x->yield, n, cap, y);
    x->cap = cap;
    x->n++;
}

/* Read (%2: f32 = -0, ...): the carried values, which become visible after all of them are
 * read. */
static bool
read_carries(cg_parser *p, cg_val block, results *names)
{
    cg_block *x = p->k->insn[block].block;

    if (!ir_read_try(&p->r, "("))
        return true;
    do {
        cg_yield y = { .mode = CG_CARRY };
        uint64_t number;
        if (!cg_read_new(p, &number) || !ir_read_expect(&p->r, ":") ||
            !(y.type = cg_read_type(p)) || !ir_read_expect(&p->r, "=") ||
            !(y.init = cg_read_value(p, y.type)))
            return false;
        y.carried = cg_parsed(p, NULL,
                              (cg_insn){ .op = CG_CARRIED,
                                         .type = (uint8_t)y.type,
                                         .imm = (uint64_t)x->n,
                                         .in = { block } });
        push_yield(p, x, y);
        IR_PUSH(p->r.a, names->number, names->n, names->cap, number);
    } while (ir_read_try(&p->r, ","));
    return ir_read_expect(&p->r, ")");
}

/* Define the carried values; a number that is given twice is refused. */
static bool
define_all(cg_parser *p, const results *names, const cg_block *x)
{
    for (uint32_t i = 0; i < names->n; i++) {
        for (uint32_t j = p->n_name, n = 0; n < i; n++)
            if (p->name[--j].number == names->number[i])
                return ir_read_wants(&p->r, "a number for each value");
        cg_define(p, names->number[i], x->yield[i].carried);
    }
    return true;
}

/* Read [fold | tree] op: how a result that is not carried is combined. */
static bool
read_mode(cg_parser *p, cg_yield *y)
{
    y->mode = cg_read_keyword(p, "fold")   ? CG_FOLD
              : cg_read_keyword(p, "tree") ? CG_TREE
                                           : CG_CARRY;
    if (y->mode == CG_CARRY)
        return true;
    ir_read_skip(&p->r);
    const char *start = p->r.at, *s = ir_read_word(&p->r, "an instruction that combines");
    y->combine = s ? cg_scalar_named(s) : SC_COUNT;
    if (cg_scalar_combines(y->combine))
        return true;
    if (s)
        p->r.at = start;
    return ir_read_wants(&p->r, "add, mul, max, min, and or or");
}

static bool
read_reduction(cg_parser *p, cg_block *x, cg_yield y)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;

    if (!(y.value = cg_read_value(p, COT_DTYPE_NONE)))
        return false;
    y.type = cg_type(p->k, y.value);
    if (!cg_scalar_takes(y.combine, y.type)) {
        p->r.at = start;
        return ir_read_wants(&p->r,
                             ir_format(p->r.a, "a value of a type that %s is defined for",
                                       ir_sc_name[y.combine]));
    }
    push_yield(p, x, y);
    return true;
}

/* Read what a loop or while yields: its carries in order, or folds and trees. */
static bool
read_yields(cg_parser *p, cg_block *x)
{
    const int carries = x->n;
    int n = 0;

    if (cg_read_keyword(p, "yield"))
        do {
            cg_yield y = { 0 };
            if (!read_mode(p, &y))
                return false;
            if (y.mode != CG_CARRY) {
                if (!read_reduction(p, x, y))
                    return false;
            } else if (n == carries) {
                return ir_read_wants(&p->r, "no more values than the loop has carries");
            } else if (!(x->yield[n].value = cg_read_value(p, x->yield[n].type))) {
                return false;
            } else {
                n++;
            }
        } while (ir_read_try(&p->r, ","));
    return n == carries || ir_read_wants(&p->r, "a value for each carry of the loop");
}

static bool
has_far_bound(const cg_parser *p, cg_val v)
{
    int64_t x;

    return cg_is_const(p->k, v, &x) && (x < -MAX_BOUND || x > MAX_BOUND);
}

/* %1 in 0..8 step 2 limit %3 (carries) */
static bool
read_head(cg_parser *p, cg_val v, results *names, uint64_t *var)
{
    cg_block *x = p->k->insn[v].block;

    x->step = 1;
    if (!cg_read_new(p, var))
        return false;
    if (!cg_read_keyword(p, "in"))
        return ir_read_wants(&p->r, "'in'");
    if (!(x->lo = cg_read_value(p, COT_I64)) || !ir_read_expect(&p->r, "..") ||
        !(x->hi = cg_read_value(p, COT_I64)))
        return false;
    if (has_far_bound(p, x->lo) || has_far_bound(p, x->hi))
        return ir_read_wants(&p->r, "bounds of at most 2^48 before this");
    if (cg_read_keyword(p, "step") && !cg_read_count(p, 1, MAX_BOUND, &x->step))
        return false;
    if (cg_read_keyword(p, "limit") && !(x->limit = cg_read_value(p, COT_I64)))
        return false;
    x->var = cg_parsed(p, NULL, (cg_insn){ .op = CG_VAR, .type = COT_I64, .in = { v } });
    return read_carries(p, v, names) && ir_read_expect(&p->r, "{");
}

static cg_val
new_block(cg_parser *p, cg_op op)
{
    return cg_parsed(p, NULL,
                     (cg_insn){ .op = (uint8_t)op, .block = IR_NEW(p->k->arena, cg_block) });
}

static bool
parse_loop(cg_parser *p, cg_val v, cg_kind kind)
{
    cg_block *x = p->k->insn[v].block;
    const uint32_t first = p->n_name;
    results carries = { 0 };
    uint64_t var;

    x->kind = kind;
    p->m->parallel |= kind == CG_PARALLEL;
    if (!read_head(p, v, &carries, &var))
        return false;
    for (uint32_t i = 0; i < carries.n; i++)
        if (carries.number[i] == var)
            return ir_read_wants(&p->r, "a number for each value");
    if (!define_all(p, &carries, x))
        return false;
    cg_define(p, var, x->var);
    const bool good = parse_region(p, &x->body) && read_yields(p, x);
    cg_hide(p, first);
    return good && ir_read_expect(&p->r, "}");
}

/* Read what one side of a branch yields.  The first side determines the types. */
static bool
read_side(cg_parser *p, cg_block *x, bool otherwise)
{
    int n = 0;

    if (cg_read_keyword(p, "yield"))
        do {
            cg_yield y = { .mode = CG_CARRY };
            if (otherwise && n == x->n)
                return ir_read_wants(&p->r, "no more values than the other side yields");
            const cg_val v = cg_read_value(p, otherwise ? x->yield[n].type : COT_DTYPE_NONE);
            if (!v)
                return false;
            y.type = cg_type(p->k, v);
            y.value = v;
            if (otherwise)
                x->yield[n].init = v;
            else
                push_yield(p, x, y);
            n++;
        } while (ir_read_try(&p->r, ","));
    return n == x->n || ir_read_wants(&p->r, "as many values as the other side yields");
}

static bool
parse_side(cg_parser *p, cg_block *x, bool otherwise)
{
    const uint32_t first = p->n_name;
    const bool good = ir_read_expect(&p->r, "{") &&
                      parse_region(p, otherwise ? &x->other : &x->body) &&
                      read_side(p, x, otherwise);

    cg_hide(p, first);
    return good && ir_read_expect(&p->r, "}");
}

static bool
parse_if(cg_parser *p, cg_val v)
{
    cg_block *x = p->k->insn[v].block;

    if (!(x->cond = cg_read_value(p, COT_BOOL)) || !parse_side(p, x, false))
        return false;
    if (cg_read_keyword(p, "else"))
        return parse_side(p, x, true);
    return x->n == 0 || ir_read_wants(&p->r, "'else'");
}

static bool
parse_while(cg_parser *p, cg_val v)
{
    cg_block *x = p->k->insn[v].block;
    const uint32_t first = p->n_name;
    results carries = { 0 };

    if (!read_carries(p, v, &carries) || !ir_read_expect(&p->r, "{") ||
        !define_all(p, &carries, x))
        return false;
    const uint32_t condition = p->n_name;
    if (!parse_region(p, &x->other))
        return false;
    if (!cg_read_keyword(p, "test"))
        return ir_read_wants(&p->r, "'test'");
    if (!(x->cond = cg_read_value(p, COT_BOOL)))
        return false;
    cg_hide(p, condition);
    const bool good = parse_region(p, &x->body) && read_yields(p, x);
    cg_hide(p, first);
    return good && ir_read_expect(&p->r, "}");
}

static bool
finish_block(cg_parser *p, cg_region *r, cg_val v, const results *names)
{
    cg_block *x = p->k->insn[v].block;

    IR_PUSH(p->k->arena, r->insn, r->n, r->cap, v);
    if ((int)names->n != x->n)
        return ir_read_wants(&p->r, ir_format(p->r.a,
                                              "%d names of results before the block "
                                              "above, not %u",
                                              x->n, names->n));
    x->result = IR_NEW_N(p->k->arena, cg_val, x->n + 1);
    for (int i = 0; i < x->n; i++) {
        x->result[i] = cg_parsed(p, NULL,
                                 (cg_insn){ .op = CG_RESULT,
                                            .type = (uint8_t)x->yield[i].type,
                                            .imm = (uint64_t)i,
                                            .in = { v } });
        cg_define(p, names->number[i], x->result[i]);
    }
    return true;
}

static int
kind_named(const char *word)
{
    int kind = 0;

    while (kind <= CG_VECTOR && strcmp(cg_kind_name[kind], word) != 0)
        kind++;
    return kind;
}

static bool
parse_block(cg_parser *p, cg_region *r, const char *word, const results *names)
{
    const bool branch = strcmp(word, "if") == 0, loop = strcmp(word, "while") != 0 && !branch;
    const cg_val v = new_block(p, branch ? CG_IF : loop ? CG_LOOP : CG_WHILE);

    if (p->nest == CG_TEXT_NEST)
        return ir_read_wants(
            &p->r, ir_format(p->r.a, "at most %d blocks within each other", CG_TEXT_NEST));
    p->nest++;
    const bool good = branch ? parse_if(p, v)
                      : loop ? parse_loop(p, v, (cg_kind)kind_named(word))
                             : parse_while(p, v);
    p->nest--;
    return good && finish_block(p, r, v, names);
}

static bool
parse_statement(cg_parser *p, cg_region *r)
{
    results names = { 0 };

    if (!read_results(p, &names))
        return false;
    const char *word = ir_read_word(&p->r, "an instruction");
    if (!word)
        return false;
    if (kind_named(word) <= CG_VECTOR || strcmp(word, "if") == 0 || strcmp(word, "while") == 0)
        return parse_block(p, r, word, &names);
    if (names.n == 0)
        return cg_parse_effect(p, r, word);
    if (names.n > 1)
        return ir_read_wants(&p->r, "one name before an instruction that is no loop or branch");
    const cg_val v = cg_parse_value_insn(p, r, word);
    if (v)
        cg_define(p, names.number[0], v);
    return v != 0;
}

/* Read statements up to the end of a region, which is left to the caller. */
static bool
parse_region(cg_parser *p, cg_region *r)
{
    for (;;) {
        ir_read_skip(&p->r);
        const char *start = p->r.at;
        if (start < p->r.end && *start == '}')
            return true;
        if (cg_read_keyword(p, "yield") || cg_read_keyword(p, "test")) {
            p->r.at = start;
            return true;
        }
        if (!parse_statement(p, r))
            return false;
    }
}

bool
cg_parse_body(cg_parser *p)
{
    return parse_region(p, &p->k->body) && ir_read_expect(&p->r, "}");
}
