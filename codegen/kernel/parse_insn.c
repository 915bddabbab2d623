/* Parsing every instruction except loops and branches.
 *
 * The text states the type of each scalar instruction, and its operands must match.  Types that
 * back ends and the reference evaluator do not implement are refused here, at their place in
 * the text. */
#include "codegen/kernel/parse.h"
#include "ir/foreign.h"

#include <errno.h>
#include <stdlib.h>

/* -- scalar instructions -- */

ir_sc_op
cg_scalar_named(const char *s)
{
    int op = SC_const + 1;

    while (op < SC_COUNT && strcmp(ir_sc_name[op], s) != 0)
        op++;
    return (ir_sc_op)op;
}

static bool
read_conversion(cg_parser *p, cg_insn *x)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;

    if (!(x->in[0] = cg_read_value(p, COT_DTYPE_NONE)))
        return false;
    if (cg_scalar_converts((ir_sc_op)x->op, cg_type(p->k, x->in[0]), (cot_dtype)x->type))
        return true;
    p->r.at = start;
    return ir_read_wants(&p->r,
                         ir_format(p->r.a, "a value that %s to %s is defined for",
                                   ir_sc_name[x->op], cot_dtype_name((cot_dtype)x->type)));
}

/* (args) of #hash */
static bool
read_slow_path(cg_parser *p, cg_insn *x)
{
    uint32_t n = 0;

    if (!ir_read_expect(&p->r, "("))
        return false;
    for (; !ir_read_try(&p->r, ")"); n++)
        if (n == 4 || (n && !ir_read_expect(&p->r, ",")) ||
            !(x->args[n] = cg_read_value(p, COT_DTYPE_NONE)))
            return ir_read_wants(&p->r, "')'");
    if (!cg_read_keyword(p, "of") || !ir_read_try(&p->r, "#"))
        return ir_read_wants(&p->r, "'of #'");
    const char *start = p->r.at, *s = ir_read_word(&p->r, "the hash of a slow path");
    char *rest = NULL;
    x->sub = s ? cg_find_slow_path(p->r.ctx, strtoull(s, &rest, 16)) : NULL;
    bool fits = x->sub && *rest == '\0' && (uint32_t)x->sub->n_in == n &&
                x->sub->type == (cot_dtype)x->type;
    for (uint32_t j = 0; fits && j < n; j++)
        fits = cg_type(p->k, x->args[j]) == x->sub->in[j];
    if (fits || p->r.failed)
        return fits;
    p->r.at = start;
    return ir_read_wants(&p->r, "the hash of a slow path of this library with these operands");
}

/* Equal tables become one table, as in the library. */
static const ir_sc_table *
same_table(cg_parser *p, const ir_sc_table *t)
{
    for (uint32_t i = 0; i < p->n_table; i++)
        if (p->table[i]->type == t->type && p->table[i]->n == t->n &&
            memcmp(p->table[i]->data, t->data, cot_dtype_size(t->type) * (size_t)t->n) == 0)
            return p->table[i];
    IR_PUSH(p->m->arena, p->table, p->n_table, p->cap_table, t);
    return t;
}

/* Count the numbers between the brackets, or those whose digits follow 0x. */
static int64_t
count_table(const cg_parser *p, cot_dtype t)
{
    const char *s = p->r.at;
    int64_t n = 0;

    if (s < p->r.end && *s == '[') {
        for (; s < p->r.end && *s != ']' && *s != '\n'; s++)
            n += *s == ',' || *s == '[';
        return n;
    }
    while (s < p->r.end && ir_is_word(*s))
        s++;
    return (s - p->r.at - 2) / (2 * (int64_t)cot_dtype_size(t));
}

static bool
read_table(cg_parser *p, cg_insn *x)
{
    ir_sc_table *t = IR_NEW(p->m->arena, ir_sc_table);

    if (!cg_read_keyword(p, "of"))
        return ir_read_wants(&p->r, "'of'");
    ir_read_skip(&p->r);
    t->type = (cot_dtype)x->type;
    const int64_t n = count_table(p, t->type);
    t->n = n > 0 && n < 1 << 20 ? (int)n : 1;
    if (!cg_read_numbers(p, t->type, t->n, &t->data))
        return false;
    x->table = same_table(p, t);
    return true;
}

static cot_dtype
operand_type(const cg_insn *x, int j)
{
    return j == 0 && (x->op == SC_select || x->op == SC_slow_path) ? COT_BOOL
           : x->op == SC_table                                     ? COT_I32
                                                                   : (cot_dtype)x->type;
}

/* The type of the instruction, for which op is defined.  SC_COUNT: any type. */
static bool
read_type(cg_parser *p, cg_insn *x, ir_sc_op op)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;
    const cot_dtype t = cg_read_type(p);

    x->type = (uint8_t)t;
    if (!t || op == SC_COUNT || cg_scalar_takes(op, t))
        return t != COT_DTYPE_NONE;
    p->r.at = start;
    return ir_read_wants(&p->r,
                         ir_format(p->r.a, "a type that %s is defined for", ir_sc_name[op]));
}

static cg_val
parse_scalar(cg_parser *p, cg_region *r, ir_sc_op op)
{
    cg_insn x = { .op = (uint8_t)op };
    bool good = read_type(p, &x, op);

    if (op == SC_cvt || op == SC_bitcast)
        good = good && read_conversion(p, &x);
    else
        for (int j = 0; good && j < ir_sc_arity[op]; j++)
            good = (!j || ir_read_expect(&p->r, ",")) &&
                   (x.in[j] = cg_read_value(p, operand_type(&x, j)));
    if (op == SC_slow_path)
        good = good && read_slow_path(p, &x);
    if (op == SC_table)
        good = good && read_table(p, &x);
    return good ? cg_parsed(p, r, x) : 0;
}

/* -- memory, lanes, tensor cores: by their syntax -- */

/* Read x[index]; returns 1 + the buffer, or 0 after an error. */
static uint32_t
read_element(cg_parser *p, cg_val *index)
{
    const uint32_t b = cg_read_buffer(p);
    const bool good = b && ir_read_expect(&p->r, "[") && (*index = cg_read_value(p, COT_I64)) &&
                      ir_read_expect(&p->r, "]");

    return good ? b : 0;
}

static bool
read_buffer_at(cg_parser *p, cg_insn *x, int n, bool element)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;
    const uint32_t b = element ? read_element(p, &x->in[n]) : cg_read_buffer(p);
    const cot_dtype t = b ? p->k->buffer[b - 1].type : COT_DTYPE_NONE;

    if (!b)
        return false;
    if (x->call)
        x->call->buffer[n] = b - 1;
    else
        x->imm = b - 1;
    p->k->buffer[b - 1].placed |= x->op == CG_PLACE;
    x->type = x->op == CG_STORE ? (uint8_t)t : x->type;
    if (x->op != CG_LOAD || x->type == t)
        return true;
    p->r.at = start;
    return ir_read_wants(
        &p->r, ir_format(p->r.a, "a buffer of %s", cot_dtype_name((cot_dtype)x->type)));
}

/* How lanes are combined, and their type. */
static bool
read_combining(cg_parser *p, cg_insn *x)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at, *s = ir_read_word(&p->r, "how lanes combine");
    const ir_sc_op op = s ? cg_scalar_named(s) : SC_COUNT;

    x->imm = op;
    if (!s || (op != SC_COUNT && cg_scalar_combines(op)))
        return s != NULL;
    p->r.at = start;
    return ir_read_wants(&p->r, "add, mul, max, min, and or or");
}

static bool
read_status(cg_parser *p, cg_insn *x)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at, *s = ir_read_word(&p->r, "the name of a status");
    int status = COT_OK + 1;

    while (s && status <= COT_ERR_CANCELLED &&
           strcmp(cot_status_name((cot_status)status), s) != 0)
        status++;
    x->imm = (uint64_t)status;
    if (!s || status <= COT_ERR_CANCELLED)
        return s != NULL;
    p->r.at = start;
    return ir_read_wants(&p->r, "the name of a status");
}

/* A number, or a value that is operand n. */
static bool
read_number_or(cg_parser *p, cg_insn *x, int n)
{
    int64_t count;

    ir_read_skip(&p->r);
    if (p->r.at < p->r.end && (*p->r.at == '%' || *p->r.at == '$') && x->op == CG_COPY)
        return (x->in[n] = cg_read_value(p, COT_I64)) != 0;
    if (!cg_read_count(p, 0, x->op == CG_COPY ? (int64_t)1 << 48 : 64, &count))
        return false;
    x->imm = (uint64_t)count;
    return true;
}

static bool
read_mma_type(cg_parser *p, cg_insn *x)
{
    x->type = (uint8_t)(cg_read_keyword(p, "tf32")   ? COT_F32
                        : cg_read_keyword(p, "f16")  ? COT_F16
                        : cg_read_keyword(p, "bf16") ? COT_BF16
                                                     : COT_DTYPE_NONE);
    return x->type || ir_read_wants(&p->r, "tf32, f16 or bf16");
}

/* Read one part of a syntax (text.h). */
static bool
read_part(cg_parser *p, cg_insn *x, char what, int n)
{
    switch (what) {
    case 'b':
    case 'e': return read_buffer_at(p, x, n, what == 'e');
    case 'm': return read_mma_type(p, x);
    case 'n': return read_number_or(p, x, n);
    case 'o': return read_combining(p, x);
    case 's': return read_status(p, x);
    case 't': return read_type(p, x, x->op == CG_SCAN ? (ir_sc_op)x->imm : SC_COUNT);
    default:
        x->in[n] = cg_read_value(p, what == 'i'   ? COT_I64
                                    : what == 'c' ? COT_BOOL
                                                  : (cot_dtype)x->type);
        return x->in[n] != 0;
    }
}

/* Read a word of a syntax, or a sign. */
static bool
read_literal(cg_parser *p, const char *s)
{
    return ir_is_word(*s)
               ? cg_read_keyword(p, s) || ir_read_wants(&p->r, ir_format(p->r.a, "'%s'", s))
               : ir_read_expect(&p->r, s);
}

/* Read what follows the first word of a syntax. */
static cg_val
parse_by_syntax(cg_parser *p, cg_region *r, int op, const char *s)
{
    cg_insn x = { .op = (uint8_t)op };
    const int buffers = cg_syntax_buffers(s);
    bool good = true;

    if (buffers > 1) {
        x.call = IR_NEW(p->k->arena, cg_call);
        x.call->n_buffers = buffers;
        x.call->buffer = IR_NEW_N(p->k->arena, uint32_t, buffers);
    }
    for (s += strcspn(s, " [{"); good && *s;) {
        const size_t n = strcspn(s + 1, " %[{]}");
        if (*s == '%') {
            good = read_part(p, &x, s[1], s[2] - '0');
            s += 3;
        } else if (*s == '[' || *s == '{') {
            const size_t of = strcspn(s + 2, " ]}");
            const char *word = ir_format(p->r.a, "%.*s", (int)of, s + 2);
            if (*s == '[' ? cg_read_on_line(p, word) : cg_read_keyword(p, word)) {
                s += 2 + of;
                x.imm = *s == ' ' ? x.imm : 1;
            } else
                s = strpbrk(s, "]}");
        } else if (*s == ' ' || *s == ']' || *s == '}') {
            s++;
        } else {
            good = read_literal(p, ir_format(p->r.a, "%.*s", (int)n + 1, s));
            s += n + 1;
        }
    }
    return good ? cg_parsed(p, r, x) : 0;
}

/* -- calls -- */

/* Does a buffer name start here?  Operands start with other characters. */
static bool
at_buffer(cg_parser *p)
{
    ir_read_skip(&p->r);
    const char c = p->r.at < p->r.end ? *p->r.at : '\0';

    return c == '"' || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
read_offset(cg_parser *p, cg_val *offset)
{
    return !ir_read_try(&p->r, "+") || (*offset = cg_read_value(p, COT_I64)) != 0;
}

/* Read buffers, then parameters. */
static bool
read_call_args(cg_parser *p, cg_call *c)
{
    ir_arena *a = p->k->arena;
    uint32_t n = 0, cap = 0, n_offset = 0, cap_offset = 0, n_param = 0, cap_param = 0;

    if (!ir_read_expect(&p->r, "("))
        return false;
    while (!ir_read_try(&p->r, ")")) {
        cg_val v = 0;
        if (n + n_param && !ir_read_expect(&p->r, ","))
            return false;
        if (at_buffer(p) && n_param == 0) {
            const uint32_t b = cg_read_buffer(p);
            if (!b || !read_offset(p, &v))
                return false;
            IR_PUSH(a, c->buffer, n, cap, b - 1);
            IR_PUSH(a, c->offset, n_offset, cap_offset, v);
        } else {
            if (!(v = cg_read_value(p, COT_I64)))
                return false;
            IR_PUSH(a, c->param, n_param, cap_param, v);
        }
    }
    c->n_buffers = (int)n;
    c->n_params = (int)n_param;
    return true;
}

static bool
parse_call(cg_parser *p, cg_region *r)
{
    cg_call *c = IR_NEW(p->k->arena, cg_call);

    ir_read_skip(&p->r);
    cg_parsed_call x = { .from = p->k, .text = p->r.at, .line = p->r.line };
    x.name = cg_read_name(p, "the name of a kernel");
    if (!x.name || !read_call_args(p, c))
        return false;
    x.v = cg_parsed(p, r, (cg_insn){ .op = CG_CALL, .call = c });
    IR_PUSH(p->r.a, p->call, p->n_call, p->cap_call, x);
    return !ir_read_try(&p->r, "blocks") || (c->grid = cg_read_value(p, COT_I64)) != 0;
}

static bool
read_extern_arg(cg_parser *p, cg_extern_arg *x)
{
    if (cg_read_keyword(p, "address"))
        return true;
    if (cg_read_keyword(p, "stream")) {
        x->address = ir_c_stream;
        return true;
    }
    x->writes = cg_read_keyword(p, "writes");
    /* a word is a number if its type follows it, as in nan:f32 */
    const char *s = at_buffer(p) ? p->r.at : NULL;
    while (s && s < p->r.end && ir_is_word(*s))
        s++;
    if (x->writes || (s && (s == p->r.end || *s != ':'))) {
        x->buffer = cg_read_buffer(p);
        return x->buffer && read_offset(p, &x->offset);
    }
    x->value = cg_read_value(p, COT_DTYPE_NONE);
    x->type = x->value ? cg_type(p->k, x->value) : COT_DTYPE_NONE;
    return x->value != 0;
}

/* symbol(args) of name as "prototype", or name(args) */
static bool
read_extern(cg_parser *p, cg_extern *x)
{
    uint32_t n = 0, cap = 0;

    if (!(x->name = cg_read_name(p, "the name of a C function")) || !ir_read_expect(&p->r, "("))
        return false;
    while (!ir_read_try(&p->r, ")")) {
        cg_extern_arg arg = { 0 };
        if ((n && !ir_read_expect(&p->r, ",")) || !read_extern_arg(p, &arg))
            return false;
        IR_PUSH(p->k->arena, x->arg, n, cap, arg);
    }
    x->n = (int)n;
    x->packed = cg_read_on_line(p, "packed");
    if (x->packed && (n == 0 || x->arg[0].type || x->arg[0].buffer))
        return ir_read_wants(&p->r, "an address as the first argument of a packed call");
    if (cg_read_on_line(p, "of")) {
        x->symbol = x->name;
        if (!(x->name = cg_read_name(p, "the name of a custom function")))
            return false;
    }
    return !cg_read_on_line(p, "as") || (x->prototype = cg_read_quoted(p)) != NULL;
}

/* The text does not contain the address of the function, so such a module can be emitted but
 * not run. */
static cg_val
parse_extern(cg_parser *p, cg_region *r, cot_dtype t)
{
    cg_extern *x = IR_NEW(p->m->arena, cg_extern);

    ir_read_skip(&p->r);
    x->loc = ir_loc_file(p->r.ctx, p->r.file, p->r.line);
    const char *start = p->r.at;
    if (!read_extern(p, x))
        return 0;
    const ir_c_function *c = x->prototype ? ir_c_parse(p->r.a, x->prototype) : NULL;
    if (c && (c->why || c->n != x->n)) {
        p->r.at = start;
        ir_read_wants(&p->r, "a prototype in C of as many arguments");
        return 0;
    }
    IR_PUSH(p->m->arena, p->m->ext, p->m->n_ext, p->m->cap_ext, x);
    return cg_parsed(p, r, (cg_insn){ .op = CG_EXTERN, .type = (uint8_t)t, .ext = x });
}

/* -- which it is -- */

cg_val
cg_parse_value_insn(cg_parser *p, cg_region *r, const char *word)
{
    const ir_sc_op scalar = cg_scalar_named(word);
    const int op = cg_syntax_named(word);

    if (scalar < SC_COUNT)
        return parse_scalar(p, r, scalar);
    if (op && op < CG_STORE)
        return parse_by_syntax(p, r, op, cg_syntax_of(op));
    if (strcmp(word, "extern") == 0) {
        const cot_dtype t = cg_read_type(p);
        return t ? parse_extern(p, r, t) : 0;
    }
    ir_read_wants(&p->r,
                  ir_format(p->r.a, "an instruction before this, which %s is not", word));
    return 0;
}

bool
cg_parse_effect(cg_parser *p, cg_region *r, const char *word)
{
    const int op = cg_syntax_named(word);

    if (strcmp(word, "call") == 0)
        return parse_call(p, r) && !p->r.failed;
    if (strcmp(word, "extern") == 0)
        return parse_extern(p, r, COT_DTYPE_NONE) && !p->r.failed;
    if (op >= CG_STORE)
        return parse_by_syntax(p, r, op, cg_syntax_of(op)) && !p->r.failed;
    return ir_read_wants(&p->r,
                         ir_format(p->r.a, "a statement before this, which %s is not", word));
}
