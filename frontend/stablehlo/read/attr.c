/* Attributes: numbers, strings, lists, dictionaries, dense<>, #dialect.name<>, and locations.
 *
 * What a dialect prints between brackets of its own is kept as text, for the op that wants
 * it. */
#include "frontend/stablehlo/read/tree.h"

#include <errno.h>
#include <stdlib.h>

#include "ir/diag.h"
#include "ir/number.h"

static bool value(hlo_reader *r, bool typed, hlo_attr *out);

void
fe_hlo_add(hlo_reader *r, hlo_attrs *s, const char *name, hlo_attr v)
{
    IR_PUSH(r->a, s->at, s->n, s->cap, ((hlo_named){ name, v }));
}

/* ": type", where a type may follow. */
static bool
suffix(hlo_reader *r, bool typed)
{
    return !typed || !fe_hlo_try(r, ":") || fe_hlo_type(r) != NULL;
}

/* 12, -3, 1.5e-3, 0x7F800000 */
static bool
number(hlo_reader *r, bool typed, hlo_attr *out)
{
    char digits[64];
    const char *start = r->at;
    size_t n = 0;
    char *end;

    while (r->at < r->end && n + 1 < sizeof digits &&
           (fe_hlo_is_word(*r->at) || (*r->at == '-' && r->at == start) ||
            ((*r->at == '+' || *r->at == '-') && (r->at[-1] == 'e' || r->at[-1] == 'E'))))
        digits[n++] = *r->at++;
    digits[n] = '\0';
    out->kind = HLO_INT;
    errno = 0;
    out->i = strtoll(digits, &end, strncmp(digits, "0x", 2) == 0 ? 16 : 10);
    if (!*end && errno == ERANGE)
        return fe_hlo_wants(r, start, "a number of 64 bits");
    if (*end) {
        out->kind = HLO_REAL;
        out->x = ir_strtod(digits, &end);
    }
    if (*end || n == 0)
        return fe_hlo_wants(r, start, "a number");
    return suffix(r, typed);
}

static bool
list(hlo_reader *r, hlo_attr *out)
{
    hlo_attr *item = NULL, x;
    uint32_t n = 0, cap = 0;

    out->kind = HLO_LIST;
    while (!fe_hlo_peek(r, "]")) {
        if (!value(r, true, &x))
            return false;
        IR_PUSH(r->a, item, n, cap, x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    out->n = (int)n;
    out->item = item;
    return fe_hlo_expect(r, "]");
}

/* After `array<`: i64: 1, 2 */
static bool
array(hlo_reader *r, hlo_attr *out)
{
    hlo_attr *item = NULL, x;
    uint32_t n = 0, cap = 0;

    out->kind = HLO_LIST;
    fe_hlo_word(r);
    if (fe_hlo_try(r, ":"))
        do {
            if (!value(r, false, &x))
                return false;
            IR_PUSH(r->a, item, n, cap, x);
        } while (fe_hlo_try(r, ","));
    out->n = (int)n;
    out->item = item;
    return fe_hlo_expect(r, ">");
}

/* After '#': an alias, or a dialect's name and what it has between brackets. */
static bool
dialect(hlo_reader *r, hlo_attr *out)
{
    const hlo_span name = fe_hlo_word(r);

    out->kind = HLO_RAW;
    out->text = (hlo_span){ name.at, 0 };
    if (name.n == 0)
        return fe_hlo_wants(r, r->at, "a name");
    if (fe_hlo_try(r, "<"))
        return fe_hlo_balanced(r, '>', &out->text);
    const char *wanted = fe_hlo_text(r->a, name);
    uint32_t at = 0, id;
    const uint64_t hash = ir_hash(0, name.at, name.n);
    while ((id = ir_map_next(&r->m->aliases, hash, &at)) != 0) {
        if (strcmp(r->m->alias[id - 1].name, wanted) != 0)
            continue;
        const char *back = r->at;
        r->at = r->m->alias[id - 1].at;
        const bool good = fe_hlo_deeper(r) && value(r, true, out);
        r->depth--;
        if (good)
            r->at = back;
        return good;
    }
    return true;
}

static bool
is_type(hlo_span s)
{
    static const char *const names[] = { "tensor", "tuple",  "i1",      "i2",    "i4",
                                         "i8",     "i16",    "i32",     "i64",   "ui8",
                                         "ui16",   "ui32",   "ui64",    "f16",   "bf16",
                                         "f32",    "f64",    "complex", "index", "none",
                                         "vector", "memref", "function" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fe_hlo_is(s, names[i]))
            return true;
    return false;
}

static bool
word(hlo_reader *r, hlo_attr *out)
{
    const hlo_span s = fe_hlo_word(r);

    if (s.n == 0)
        return fe_hlo_wants(r, r->at, "an attribute");
    if (fe_hlo_is(s, "true") || fe_hlo_is(s, "false")) {
        out->kind = HLO_BOOL;
        out->i = *s.at == 't';
        return true;
    }
    if (fe_hlo_is(s, "unit")) {
        out->kind = HLO_UNIT;
        return true;
    }
    if (fe_hlo_is(s, "array") && fe_hlo_try(r, "<"))
        return array(r, out);
    if (fe_hlo_is(s, "dense") && fe_hlo_try(r, "<"))
        return fe_hlo_dense(r, out);
    if (fe_hlo_is(s, "dense_resource") && fe_hlo_try(r, "<"))
        return fe_hlo_dense_resource(r, out);
    if (fe_hlo_is(s, "loc") && fe_hlo_try(r, "(")) {
        out->kind = HLO_RAW;
        return fe_hlo_balanced(r, ')', &out->text);
    }
    if (is_type(s)) {
        r->at = s.at;
        out->kind = HLO_TYPE;
        return (out->type = fe_hlo_type(r)) != NULL;
    }
    out->kind = HLO_WORD;
    out->text = s;
    if (fe_hlo_peek(r, "<")) { /* affine_map<...> */
        out->kind = HLO_RAW;
        r->at++;
        return fe_hlo_balanced(r, '>', &out->text) && suffix(r, true);
    }
    return true;
}

static bool
function_type(hlo_reader *r, hlo_attr *out)
{
    hlo_type *t = IR_NEW(r->a, hlo_type);
    bool function;

    t->kind = HLO_OTHER;
    out->kind = HLO_TYPE;
    out->type = t;
    if (!fe_hlo_signature(r, &function, &t->n, &t->item))
        return false;
    return true;
}

static bool
value_of(hlo_reader *r, bool typed, hlo_attr *out)
{
    fe_hlo_skip(r);
    *out = (hlo_attr){ .at = r->at };
    const char c = r->at < r->end ? *r->at : '\0';
    if (c == '"') {
        out->kind = HLO_STRING;
        return fe_hlo_string(r, &out->text) && suffix(r, typed);
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return number(r, typed, out);
    if (c == '@') {
        out->kind = HLO_SYMBOL;
        bool good = fe_hlo_symbol(r, &out->text);
        while (good && fe_hlo_try(r, "::"))
            good = fe_hlo_symbol(r, &out->text);
        return good;
    }
    if (fe_hlo_try(r, "["))
        return list(r, out);
    if (fe_hlo_try(r, "{")) {
        hlo_attrs s = { NULL, 0, 0 };
        if (!fe_hlo_dict(r, "}", &s))
            return false;
        out->kind = HLO_DICT;
        out->n = (int)s.n;
        out->named = s.at;
        return true;
    }
    if (fe_hlo_try(r, "#"))
        return dialect(r, out);
    if (fe_hlo_try(r, "<")) {
        out->kind = HLO_RAW;
        return fe_hlo_balanced(r, '>', &out->text);
    }
    if (c == '!') {
        out->kind = HLO_TYPE;
        return (out->type = fe_hlo_type(r)) != NULL;
    }
    return c == '(' ? function_type(r, out) : word(r, out);
}

static bool
value(hlo_reader *r, bool typed, hlo_attr *out)
{
    const bool good = fe_hlo_deeper(r) && value_of(r, typed, out);

    r->depth--;
    return good;
}

bool
fe_hlo_attr(hlo_reader *r, hlo_attr *out)
{
    return value(r, false, out);
}

bool
fe_hlo_dict(hlo_reader *r, const char *close, hlo_attrs *s)
{
    for (;;) {
        fe_hlo_skip(r);
        if (r->failed || (*close ? fe_hlo_peek(r, close) : r->at == r->end))
            break;
        hlo_span name;
        hlo_attr x = { .kind = HLO_UNIT, .at = r->at };

        if (fe_hlo_peek(r, "\"")) {
            if (!fe_hlo_string(r, &name))
                return false;
        } else if ((name = fe_hlo_word(r)).n == 0) {
            return fe_hlo_wants(r, r->at, "the name of an attribute");
        }
        if (fe_hlo_try(r, "=") && !value(r, true, &x))
            return false;
        fe_hlo_add(r, s, fe_hlo_text(r->a, name), x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    return fe_hlo_expect(r, close);
}

bool
fe_hlo_loc(hlo_reader *r, const char **at)
{
    hlo_span s;

    fe_hlo_skip(r);
    const char *start = r->at;
    if (!fe_hlo_try_word(r, "loc"))
        return !r->failed;
    if (!fe_hlo_try(r, "(")) {
        r->at = start;
        return !r->failed;
    }
    *at = r->at;
    return fe_hlo_balanced(r, ')', &s);
}
