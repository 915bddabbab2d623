/* Reading prototypes of foreign functions: foreign.h has the grammar. */
#include "ir/foreign.h"

#include <stdlib.h>

#include "ir/number.h"
#include "ir/scan.h"

typedef struct prototype_reader {
    ir_arena *a;
    const char *at;
    ir_c_function *c;
} prototype_reader;

/* The types on the machines that we know: LP64. */
static const struct { const char *word; cot_dtype type;
} words[] = {
    { "void", COT_DTYPE_NONE },    { "bool", COT_BOOL },
    { "_Bool", COT_BOOL },         { "int8_t", COT_I8 },
    { "int16_t", COT_I16 },        { "int32_t", COT_I32 },
    { "int64_t", COT_I64 },        { "uint8_t", COT_U8 },
    { "uint16_t", COT_U16 },       { "uint32_t", COT_U32 },
    { "uint64_t", COT_U64 },       { "signed char", COT_I8 },
    { "unsigned char", COT_U8 },   { "short", COT_I16 },
    { "unsigned short", COT_U16 }, { "int", COT_I32 },
    { "unsigned", COT_U32 },       { "unsigned int", COT_U32 },
    { "long", COT_I64 },           { "unsigned long", COT_U64 },
    { "long long", COT_I64 },      { "unsigned long long", COT_U64 },
    { "size_t", COT_U64 },         { "ptrdiff_t", COT_I64 },
    { "float", COT_F32 },          { "double", COT_F64 },
};

static bool
fault(prototype_reader *r, const char *why)
{
    if (!r->c->why)
        r->c->why = ir_format(r->a, "%s at \"%s\"", why, r->at);
    return false;
}

static size_t
word_length(const char *s)
{
    size_t n = 0;
    while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
           (s[n] >= '0' && s[n] <= '9') || s[n] == '_')
        n++;
    return n;
}

static bool
accept_word(prototype_reader *r, const char *word)
{
    ir_skip_space(&r->at);
    size_t n = word_length(r->at);
    if (n != strlen(word) || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

/* The longest row of words that begins here. */
static bool
read_base(prototype_reader *r, ir_c_item *x, const char **word)
{
    size_t longest = 0;
    ir_skip_space(&r->at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (n > longest && strncmp(r->at, words[i].word, n) == 0 &&
            word_length(r->at + n) == 0) {
            longest = n;
            x->type = words[i].type;
            *word = words[i].word;
        }
    }
    r->at += longest;
    return longest ? true : fault(r, "wants a C type");
}

static bool
read_type(prototype_reader *r, ir_c_item *x)
{
    const char *base = "";
    bool fixed = accept_word(r, "const");
    if (!read_base(r, x, &base))
        return false;
    fixed |= accept_word(r, "const");
    x->pointer = ir_accept(&r->at, '*');
    x->word = ir_format(r->a, "%s%s%s", fixed && x->pointer ? "const " : "", base,
                        x->pointer ? " *" : "");
    return true;
}

const char ir_c_stream[1] = "";

/* A word and its number: "in12". */
static bool
read_numbered(prototype_reader *r, const char *word, int *index)
{
    ir_skip_space(&r->at);
    size_t n = strlen(word), all = word_length(r->at);
    if (all <= n || all > n + 4 || strncmp(r->at, word, n) != 0 ||
        strspn(r->at + n, "0123456789") != all - n)
        return false;
    *index = atoi(r->at + n);
    r->at += all;
    return true;
}

static bool
read_item(prototype_reader *r, ir_c_item *x)
{
    char *end;
    x->from = -1;
    if (read_numbered(r, "in", &x->index))
        x->kind = IR_C_IN;
    else if (read_numbered(r, "out", &x->index)) {
        x->kind = IR_C_OUT;
        if (ir_accept(&r->at, '=') && !read_numbered(r, "in", &x->from))
            return fault(r, "wants inN");
    } else if (read_numbered(r, "attr", &x->index))
        x->kind = IR_C_ATTR;
    else if (read_numbered(r, "data", &x->index))
        x->kind = IR_C_DATA;
    else if (accept_word(r, "user"))
        x->kind = IR_C_USER;
    else if (accept_word(r, "stream"))
        x->kind = IR_C_STREAM;
    else {
        ir_skip_space(&r->at);
        x->kind = IR_C_NUMBER;
        x->number = ir_strtod(r->at, &end);
        if (end == r->at)
            return fault(r, "wants inN, outN, attrN, dataN, user, stream or a number");
        r->at = end;
    }
    bool array = x->kind == IR_C_OUT || x->kind == IR_C_USER || x->kind == IR_C_STREAM;
    if (x->pointer ? !array && x->kind != IR_C_IN : array)
        return fault(r, x->pointer ? "attributes and numbers travel by value; stops"
                                   : "wants a pointer");
    return x->pointer || x->type != COT_DTYPE_NONE ? true : fault(r, "void wants a `*`; stops");
}

static bool
read_answer(prototype_reader *r)
{
    ir_c_item *x = &r->c->answer;
    x->from = -1;
    if (accept_word(r, "status"))
        x->kind = IR_C_STATUS;
    else if (read_numbered(r, "out", &x->index))
        x->kind = IR_C_OUT;
    if (x->kind != IR_C_NOTHING && !ir_accept(&r->at, '='))
        return fault(r, "wants `=`");
    if (!read_type(r, x))
        return false;
    if (x->pointer || (x->kind == IR_C_STATUS && x->type != COT_I32))
        return fault(r, x->pointer ? "a pointer cannot be answered; stops"
                                   : "a status wants int; stops");
    if (x->kind == IR_C_OUT && x->type == COT_DTYPE_NONE)
        return fault(r, "void is no result; stops");
    ir_skip_space(&r->at);
    size_t n = word_length(r->at);
    r->c->name = ir_format(r->a, "%.*s", (int)n, r->at);
    r->at += n;
    return n && ir_accept(&r->at, '(') ? true : fault(r, "wants the function's name and `(`");
}

const ir_c_function *
ir_c_parse(ir_arena *a, const char *text)
{
    uint32_t n = 0, cap = 0;
    prototype_reader r = { a, text, IR_NEW(a, ir_c_function) };
    if (!read_answer(&r))
        return r.c;
    const char *start = r.at;
    if ((accept_word(&r, "void") && ir_accept(&r.at, ')')) ||
        (r.at = start, ir_accept(&r.at, ')')))
        return r.c;
    do {
        ir_c_item x = { .kind = IR_C_NOTHING };
        if (!read_type(&r, &x) || !read_item(&r, &x))
            return r.c;
        IR_PUSH(a, r.c->item, n, cap, x);
    } while (ir_accept(&r.at, ','));
    r.c->n = (int)n;
    if (!ir_accept(&r.at, ')'))
        fault(&r, "wants `,` or `)`");
    return r.c;
}

static const char *
wrong_array(ir_arena *a, const char *what, int i, const ir_c_item *x, int n, const ir_type *t)
{
    if (i >= n)
        return ir_format(a, "the prototype names %s%d; the function has %d", what, i, n);
    if (x->type != COT_DTYPE_NONE && t->dtype != x->type)
        return ir_format(a, "%s%d is %s; the prototype says %s", what, i,
                         cot_dtype_name(t->dtype), x->word);
    if (!x->pointer && t->rank > 0)
        return ir_format(a, "%s%d has %d axes; the prototype takes it by value", what, i,
                         t->rank);
    return NULL;
}

static const ir_type *
type_or_null(const ir_graph *f, const ir_ref *list, int n, int i)
{
    return i < n ? ir_type_at(f, list[i]) : NULL;
}

static const char *
wrong_item(ir_arena *a, const ir_c_item *x, const ir_graph *f, const ir_attrs *at)
{
    const char *why = NULL;
    if (x->kind == IR_C_IN)
        return wrong_array(a, "in", x->index, x, f->n_in,
                           type_or_null(f, f->in, f->n_in, x->index));
    if (x->kind == IR_C_OUT) {
        why = wrong_array(a, "out", x->index, x, f->n_out,
                          type_or_null(f, f->out, f->n_out, x->index));
        if (why || x->from < 0)
            return why;
        why =
            wrong_array(a, "in", x->from, x, f->n_in, type_or_null(f, f->in, f->n_in, x->from));
        if (!why && ir_type_at(f, f->in[x->from]) != ir_type_at(f, f->out[x->index]))
            why = ir_format(
                a, "in%d and out%d differ in type; the prototype has them in one place",
                x->from, x->index);
        return why;
    }
    if (x->kind == IR_C_ATTR && x->index >= at->custom.attrs.n)
        return ir_format(a, "the prototype names attr%d; the call has %d", x->index,
                         at->custom.attrs.n);
    if (x->kind == IR_C_DATA && x->index >= at->custom.data.n)
        return ir_format(a, "the prototype names data%d; setup kept %d", x->index,
                         at->custom.data.n);
    return NULL;
}

const char *
ir_c_mismatch(ir_arena *a, const ir_c_function *c, const ir_graph *forward, const ir_attrs *at)
{
    bool *made = IR_NEW_N(a, bool, forward->n_out + 1);
    const char *why = c->why ? c->why : wrong_item(a, &c->answer, forward, at);
    if (c->answer.kind == IR_C_OUT && !why)
        made[c->answer.index] = true;
    for (int i = 0; i < c->n && !why; i++) {
        why = wrong_item(a, &c->item[i], forward, at);
        if (!why && c->item[i].kind == IR_C_OUT)
            made[c->item[i].index] = true;
    }
    for (int j = 0; j < forward->n_out && !why; j++)
        if (!made[j])
            why = ir_format(a, "the prototype does not say where out%d is", j);
    return why;
}

const char *
ir_c_prototype(ir_arena *a, const ir_c_function *c)
{
    ir_buf b;
    ir_buf_init(&b, a);
    ir_buf_printf(&b, "%s %s(", c->answer.word, c->name);
    for (int i = 0; i < c->n; i++)
        ir_buf_printf(&b, "%s%s", i ? ", " : "", c->item[i].word);
    ir_buf_str(&b, c->n ? ");" : "void);");
    return b.text;
}

uint64_t
ir_c_bits(const ir_c_item *x, const ir_attrs *at)
{
    uint64_t bits = 0;
    int64_t i = x->kind == IR_C_ATTR ? at->custom.attrs.at[x->index]
              : x->kind == IR_C_DATA ? at->custom.data.at[x->index]
                                     : 0;
    double d = x->kind == IR_C_NUMBER ? x->number : (double)i;
    float f = (float)d;
    if (x->type == COT_F64)
        memcpy(&bits, &d, sizeof d);
    else if (x->type == COT_F32)
        memcpy(&bits, &f, sizeof f);
    else if (x->type == COT_BOOL)
        bits = d != 0;
    else
        bits = (uint64_t)(x->kind == IR_C_NUMBER ? (int64_t)d : i);
    return bits;
}
