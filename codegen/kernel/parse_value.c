/* Parsing the words of kernel text: names, numbers, and the operands of instructions.
 *
 * Constants and parameters are written where they are used.  Each becomes one instruction at
 * the start of the kernel's body, where the builder would place it. */
#include "codegen/kernel/parse.h"

bool
cg_read_keyword(cg_parser *p, const char *word)
{
    const size_t n = strlen(word);

    ir_read_skip(&p->r);
    if ((size_t)(p->r.end - p->r.at) > n && ir_is_word(p->r.at[n]))
        return false;
    return ir_read_try(&p->r, word);
}

bool
cg_read_on_line(cg_parser *p, const char *word)
{
    const char *s = p->r.at;

    while (s < p->r.end && (*s == ' ' || *s == '\t'))
        s++;
    return s < p->r.end && *s != '\n' && *s != '\r' && *s != ';' && cg_read_keyword(p, word);
}

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Read one byte of a quoted text; -1 after an error. */
static int
quoted_byte(cg_parser *p)
{
    const char *s = p->r.at;

    if (s == p->r.end || *s == '\n' || *s == '\0')
        return ir_read_wants(&p->r, "'\"'") - 1;
    p->r.at++;
    if (*s != '\\')
        return (unsigned char)*s;
    if (p->r.end - s >= 3 && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0 &&
        hex_digit(s[1]) + hex_digit(s[2]) > 0) {
        p->r.at += 2;
        return hex_digit(s[1]) * 16 + hex_digit(s[2]);
    }
    return ir_read_wants(&p->r, "two hexadecimal digits after '\\', not both 0") - 1;
}

const char *
cg_read_quoted(cg_parser *p)
{
    ir_buf b;

    if (!ir_read_expect(&p->r, "\""))
        return NULL;
    ir_buf_init(&b, p->r.a);
    while (p->r.at == p->r.end || *p->r.at != '"') {
        const int c = quoted_byte(p);
        if (c < 0)
            return NULL;
        ir_buf_add(&b, &(char){ (char)c }, 1);
    }
    p->r.at++;
    return b.n ? b.text : "";
}

const char *
cg_read_name(cg_parser *p, const char *want)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;
    if (start < p->r.end && *start == '"')
        return cg_read_quoted(p);
    const char *s = ir_read_word(&p->r, want);
    if (!s || cg_is_plain_name(s))
        return s;
    p->r.at = start;
    ir_read_wants(&p->r, ir_format(p->r.a, "%s, or quotes around it", want));
    return NULL;
}

/* A number may be followed by `..`, so digits end before that. */
bool
cg_read_count(cg_parser *p, int64_t lo, int64_t hi, int64_t *x)
{
    const char *all = p->r.end, *start;

    ir_read_skip(&p->r);
    start = p->r.at;
    for (const char *s = start; s < p->r.end && ir_is_word(*s); s++)
        if (*s == '.')
            p->r.end = s;
    const bool good = ir_read_integer(&p->r, x);
    p->r.end = all;
    if (good && *x >= lo && *x <= hi)
        return true;
    p->r.at = start;
    return ir_read_wants(
        &p->r, ir_format(p->r.a, "an integer from %lld to %lld", (long long)lo, (long long)hi));
}

/* The end of the number that starts here. */
static const char *
number_end(const cg_parser *p)
{
    const char *s = p->r.at, *end = p->r.end;

    for (; s < end && (ir_is_word(*s) || *s == '+'); s++)
        if ((*s == '+' && s > p->r.at && s[-1] != 'e' && s[-1] != 'E') ||
            (*s == '.' && s + 1 < end && s[1] == '.'))
            break;
    return s;
}

/* `nan` and `-nan` are the NaNs without a payload. */
static bool
read_nan(cg_parser *p, cot_dtype t, const char *end, uint64_t *bits)
{
    const size_t n = (size_t)(end - p->r.at);
    const bool minus = n == 4 && memcmp(p->r.at, "-nan", 4) == 0;

    if ((t != COT_F32 && t != COT_F64) ||
        (!minus && !(n == 3 && memcmp(p->r.at, "nan", 3) == 0)))
        return false;
    *bits = t == COT_F32 ? 0x7fc00000u : 0x7ff8000000000000u;
    if (minus)
        *bits |= (uint64_t)1 << (ir_bits(t) - 1);
    p->r.at = end;
    return true;
}

static bool
read_number(cg_parser *p, cot_dtype t, uint64_t *bits)
{
    const char *all = p->r.end;
    bool good;

    ir_read_skip(&p->r);
    const char *end = number_end(p);
    *bits = 0;
    if (end == p->r.at)
        return ir_read_wants(&p->r, "a number");
    if (read_nan(p, t, end, bits))
        return true;
    p->r.end = end;
    good = ir_read_element(&p->r, t, bits);
    p->r.end = all;
    return good && (p->r.at == end || ir_read_wants(&p->r, "the end of the number"));
}

/* Read the digits of n elements, after 0x. */
static bool
read_hex(cg_parser *p, size_t size, int64_t n, char *to)
{
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        for (size_t d = 0; d < 2 * size; d++, p->r.at++) {
            const int digit = p->r.at < p->r.end ? hex_digit(*p->r.at) : -1;
            if (digit < 0)
                return ir_read_wants(&p->r, ir_format(p->r.a,
                                                      "%lld hexadecimal digits for each of "
                                                      "%lld elements",
                                                      (long long)(2 * size), (long long)n));
            bits = bits << 4 | (unsigned)digit;
        }
        memcpy(to + (size_t)i * size, &bits, size);
    }
    return p->r.at == p->r.end || !ir_is_word(*p->r.at) ||
           ir_read_wants(&p->r, "the end of the data");
}

/* Allocate no more elements than the rest of the text can contain. */
bool
cg_read_numbers(cg_parser *p, cot_dtype t, int64_t n, const void **data)
{
    const size_t size = cot_dtype_size(t);

    ir_read_skip(&p->r);
    if (n < 0 || n > p->r.end - p->r.at)
        return ir_read_wants(&p->r,
                             ir_format(p->r.a, "the data of %lld elements", (long long)n));
    char *to = ir_alloc(p->m->arena, (size_t)n * size + 1);
    *data = to;
    if (ir_read_try(&p->r, "0x"))
        return read_hex(p, size, n, to);
    if (!ir_read_expect(&p->r, "["))
        return false;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        if ((i && !ir_read_expect(&p->r, ",")) || !read_number(p, t, &bits))
            return false;
        memcpy(to + (size_t)i * size, &bits, size);
    }
    return ir_read_expect(&p->r, "]");
}

/* A kernel stores complex numbers as pairs, so it has no complex type. */
cot_dtype
cg_read_type(cg_parser *p)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;
    const cot_dtype t = ir_read_dtype(&p->r);

    if (!ir_is_complex(t))
        return t;
    p->r.at = start;
    ir_read_wants(&p->r, "an element type that is not complex");
    return COT_DTYPE_NONE;
}

uint32_t
cg_read_buffer(cg_parser *p)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at, *s = cg_read_name(p, "the name of a buffer");

    for (uint32_t at = 0, id;
         s && (id = ir_map_next(&p->buffer, ir_hash(1, s, strlen(s)), &at)) != 0;)
        if (strcmp(p->k->buffer[id - 1].name, s) == 0)
            return id;
    if (s)
        p->r.at = start;
    ir_read_wants(&p->r, "the name of a buffer of the kernel");
    return 0;
}

/* Read digits only, since `..` may follow. */
static bool
value_number(cg_parser *p, uint64_t *number)
{
    const char *start;

    if (!ir_read_expect(&p->r, "%"))
        return false;
    *number = 0;
    for (start = p->r.at; p->r.at < p->r.end && *p->r.at >= '0' && *p->r.at <= '9'; p->r.at++)
        if ((*number = *number * 10 + (uint64_t)(*p->r.at - '0')) > UINT32_MAX)
            break;
    if (p->r.at > start && *number <= UINT32_MAX)
        return true;
    p->r.at = start;
    return ir_read_wants(&p->r, "the number of a value");
}

static const cg_parsed_name *
find(const cg_parser *p, uint64_t number)
{
    for (uint32_t at = 0, id; (id = ir_map_next(&p->number, ir_hash_u64(2, number), &at));)
        if (p->name[id - 1].number == number)
            return &p->name[id - 1];
    return NULL;
}

bool
cg_read_new(cg_parser *p, uint64_t *number)
{
    ir_read_skip(&p->r);
    const char *start = p->r.at;

    if (!value_number(p, number))
        return false;
    if (!find(p, *number))
        return true;
    p->r.at = start;
    return ir_read_wants(&p->r, "a number that no value of the kernel has");
}

void
cg_define(cg_parser *p, uint64_t number, cg_val v)
{
    IR_PUSH(p->r.a, p->name, p->n_name, p->cap_name, ((cg_parsed_name){ number, v, true }));
    ir_map_add(&p->number, ir_hash_u64(2, number), p->n_name);
}

void
cg_hide(cg_parser *p, uint32_t first)
{
    for (uint32_t i = first; i < p->n_name; i++)
        p->name[i].visible = false;
}

cg_val
cg_parsed(cg_parser *p, cg_region *r, cg_insn x)
{
    cg_kernel *k = p->k;

    x.loc = ir_loc_file(p->r.ctx, p->r.file, p->r.line);
    IR_PUSH(k->arena, k->insn, k->n_insns, k->cap_insns, x);
    if (r)
        IR_PUSH(k->arena, r->insn, r->n, r->cap, k->n_insns - 1);
    return k->n_insns - 1;
}

/* A constant or parameter: one instruction for all its uses. */
static cg_val
shared(cg_parser *p, cg_insn x)
{
    const uint64_t h = ir_hash_u64(ir_hash_u64(x.op, x.type), x.imm);

    for (uint32_t at = 0, v; (v = ir_map_next(&p->constant, h, &at)) != 0;) {
        const cg_insn *y = &p->k->insn[v];
        if (y->op == x.op && y->type == x.type && y->imm == x.imm)
            return v;
    }
    const cg_val v = cg_parsed(p, &p->k->body, x);
    ir_map_add(&p->constant, h, v);
    return v;
}

static cg_val
read_param(cg_parser *p)
{
    const char *start = p->r.at++;
    int64_t n;

    if (p->k->n_params > 0 && cg_read_count(p, 0, p->k->n_params - 1, &n))
        return shared(p, (cg_insn){ .op = CG_PARAM, .type = COT_I64, .imm = (uint64_t)n });
    p->r.at = start;
    ir_read_wants(&p->r, "a parameter that the kernel has");
    return 0;
}

static cg_val
read_constant(cg_parser *p, cot_dtype t)
{
    const char *start = p->r.at, *end = number_end(p);
    cot_dtype stated = COT_DTYPE_NONE;
    uint64_t bits;

    if (end > start && end < p->r.end && *end == ':') {
        p->r.at = end + 1;
        if (!(stated = cg_read_type(p)))
            return 0;
        end = p->r.at;
        p->r.at = start;
    } else if (t == COT_DTYPE_NONE) {
        ir_read_wants(&p->r, "a value, or a number with its type, as 1:i64");
        return 0;
    }
    if (t && stated && t != stated) {
        ir_read_wants(&p->r, ir_format(p->r.a, "a value of type %s", cot_dtype_name(t)));
        return 0;
    }
    t = stated ? stated : t;
    if (!read_number(p, t, &bits))
        return 0;
    if (stated)
        p->r.at = end;
    return shared(p, (cg_insn){ .op = SC_const, .type = (uint8_t)t, .imm = bits });
}

cg_val
cg_read_value(cg_parser *p, cot_dtype t)
{
    const cg_parsed_name *x;
    uint64_t number;
    cg_val v;

    ir_read_skip(&p->r);
    const char *start = p->r.at;
    if (start == p->r.end || (*start != '%' && *start != '$'))
        return read_constant(p, t);
    if (*start == '$') {
        v = read_param(p);
    } else {
        if (!value_number(p, &number))
            return 0;
        x = find(p, number);
        v = x && x->visible ? x->v : 0;
        p->r.at = v ? p->r.at : start;
        if (!v)
            ir_read_wants(&p->r,
                          "a value that is defined above, in this region or an enclosing one");
    }
    if (!v || !t || cg_type(p->k, v) == t)
        return v;
    p->r.at = start;
    ir_read_wants(&p->r, ir_format(p->r.a, "a value of type %s", cot_dtype_name(t)));
    return 0;
}
