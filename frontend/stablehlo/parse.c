/* Modules, functions, regions and ops, in the generic form and in the pretty ones.
 *
 * The generic form is one grammar.  The pretty forms of StableHLO differ, but all are made of the same items:
 * operands, words, `key = attribute`, brackets, regions, then `:` and the types.  So one reader takes the items
 * in any order: operands go to the list of operands, keys to attributes under their printed name, other
 * words to attributes "0", "1", ...  While and reduce, whose regions have their arguments printed outside, and
 * functions have a reader of their own.  Whoever uses an attribute knows both of its names.
 *
 * Source: the MLIR language reference; the StableHLO specification. */
#include "frontend/stablehlo/tree.h"

#include "ir/diag.h"

/* ---- values by name ---- */

typedef struct binding {
    hlo_span name;
    uint64_t hash;
    uint32_t value, n; /* n values from here */
    uint32_t hidden;   /* the binding of this hash chain before, 1 up */
} binding;

enum { NAME_SLOTS = 1 << 16 };

struct hlo_names {
    binding *at;
    uint32_t n, cap;
    uint32_t slot[NAME_SLOTS]; /* the last binding of a hash, 1 up */
};

static void
bind(hlo_reader *r, hlo_span name, uint32_t value, uint32_t n)
{
    struct hlo_names *s = r->names;
    const uint64_t hash = ir_hash(0, name.at, name.n);
    uint32_t *slot = &s->slot[hash % NAME_SLOTS];
    const binding b = { name, hash, value, n, *slot };

    IR_PUSH(r->a, s->at, s->n, s->cap, b);
    *slot = s->n;
}

/* Forget all but the first n. */
static void
unbind(hlo_reader *r, uint32_t n)
{
    struct hlo_names *s = r->names;

    while (s->n > n) {
        s->n--;
        s->slot[s->at[s->n].hash % NAME_SLOTS] = s->at[s->n].hidden;
    }
}

static uint32_t
new_value(hlo_reader *r, const hlo_type *type)
{
    hlo_value v = { type, r->region };

    IR_PUSH(r->a, r->m->value, r->m->n_values, r->m->cap_values, v);
    return r->m->n_values - 1;
}

/* %name, without what follows: #1, :2 */
static bool
value_name(hlo_reader *r, hlo_span *s)
{
    if (!fe_hlo_expect(r, "%"))
        return false;
    const char *start = r->at;
    while (r->at < r->end && (fe_hlo_is_word(*r->at) || *r->at == '-'))
        r->at++;
    *s = (hlo_span){ start, (size_t)(r->at - start) };
    return s->n > 0 || fe_hlo_wants(r, start, "the name of a value");
}

/* Each region between its definition and here captures a value of outside. */
static void
capture(hlo_reader *r, uint32_t value)
{
    for (hlo_region *s = r->region; s && s != r->m->value[value].region; s = s->outer) {
        const uint64_t key = (uint64_t)s->id << 32 | value;
        uint32_t at = 0;
        if (ir_map_next(&r->m->captured, key, &at) != 0)
            return;
        ir_map_add(&r->m->captured, key, value);
        IR_PUSH(r->a, s->captured, s->n_captured, s->cap_captured, value);
    }
}

static bool
operand(hlo_reader *r, uint32_t *out)
{
    hlo_span name;
    int64_t k = 0;

    fe_hlo_skip(r);
    const char *start = r->at;
    if (!value_name(r, &name))
        return false;
    if (r->at < r->end && *r->at == '#') {
        r->at++;
        if (!fe_hlo_integer(r, &k))
            return false;
    }
    const uint64_t hash = ir_hash(0, name.at, name.n);
    for (uint32_t i = r->names->slot[hash % NAME_SLOTS]; i; i = r->names->at[i - 1].hidden) {
        const binding *b = &r->names->at[i - 1];
        if (b->hash != hash || b->name.n != name.n || memcmp(b->name.at, name.at, name.n) != 0)
            continue;
        if (k < 0 || k >= b->n)
            break;
        *out = b->value + (uint32_t)k;
        capture(r, *out);
        return true;
    }
    return fe_hlo_wants(r, start, "a value that is defined before");
}

/* ---- an op as it is read ---- */

typedef struct draft {
    hlo_op *op;
    hlo_attrs attrs;
    uint32_t *in, n_in, cap_in;
    uint32_t *init, n_init, cap_init;
    hlo_region **region;
    uint32_t n_regions, cap_regions;
    int n_words;
    bool typed;
    bool compared; /* check.expect_..._const: the elements have their type, and nothing has any other */
    bool function;
    int n_types;
    const hlo_type *const *type;
} draft;

static hlo_attr
word_attr(hlo_attr_kind kind, hlo_span s)
{
    return (hlo_attr){ .kind = kind, .at = s.at, .text = s };
}

/* ---- regions ---- */

static bool read_op(hlo_reader *r);

static hlo_region *
open_region(hlo_reader *r, draft *d)
{
    hlo_region *s = IR_NEW(r->a, hlo_region);

    s->id = ++r->m->n_regions;
    s->outer = r->region;
    r->region = s;
    IR_PUSH(r->a, d->region, d->n_regions, d->cap_regions, s);
    return s;
}

static void
add_argument(hlo_reader *r, hlo_region *s, hlo_span name, const hlo_type *type)
{
    const uint32_t v = new_value(r, type);

    if (s->n_args++ == 0)
        s->arg = v;
    bind(r, name, v, 1);
}

/* %name: T loc(...) */
static bool
argument(hlo_reader *r, hlo_span *name, const hlo_type **type)
{
    const char *loc;

    return value_name(r, name) && fe_hlo_expect(r, ":") && (*type = fe_hlo_type(r)) && fe_hlo_loc(r, &loc);
}

/* bb0(%a: T, %b: T): */
static bool
block_arguments(hlo_reader *r)
{
    hlo_span name;
    const hlo_type *type;

    fe_hlo_word(r);
    if (r->region->n_args > 0)
        return fe_hlo_wants(r, r->at, "one list of arguments");
    if (fe_hlo_try(r, "(")) {
        while (!fe_hlo_peek(r, ")")) {
            if (!argument(r, &name, &type))
                return false;
            add_argument(r, r->region, name, type);
            if (!fe_hlo_try(r, ","))
                break;
        }
        if (!fe_hlo_expect(r, ")"))
            return false;
    }
    return fe_hlo_expect(r, ":");
}

/* Ops up to '}' and behind it, whose region is open; names from n on end with it. */
static bool
region_body(hlo_reader *r, uint32_t n)
{
    if (!fe_hlo_expect(r, "{") || !fe_hlo_deeper(r))
        return false;
    if (fe_hlo_try(r, "^") && !block_arguments(r))
        return false;
    while (!r->failed && !fe_hlo_peek(r, "}")) {
        if (fe_hlo_peek(r, "^"))
            return fe_hlo_wants(r, r->at, "one block in a region");
        if (r->at >= r->end)
            return fe_hlo_wants(r, r->at, "'}'");
        if (!read_op(r))
            return false;
    }
    r->depth--;
    unbind(r, n);
    r->region = r->region->outer;
    return fe_hlo_expect(r, "}");
}

static bool
region(hlo_reader *r, draft *d)
{
    const uint32_t n = r->names->n;

    open_region(r, d);
    return region_body(r, n);
}

/* ---- pretty forms with regions ---- */

/* (%iterArg = %x, ...) : T, ... [attributes {...}] cond { ... } do { ... } */
static bool
read_while(hlo_reader *r, draft *d)
{
    hlo_span *name = NULL, s;
    uint32_t n = 0, cap = 0, x;

    if (!fe_hlo_expect(r, "("))
        return false;
    while (!fe_hlo_peek(r, ")")) {
        if (!value_name(r, &s) || !fe_hlo_expect(r, "=") || !operand(r, &x))
            return false;
        IR_PUSH(r->a, name, n, cap, s);
        IR_PUSH(r->a, d->in, d->n_in, d->cap_in, x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    if (!fe_hlo_expect(r, ")"))
        return false;
    if (fe_hlo_try(r, ":") && !fe_hlo_signature(r, &d->function, &d->n_types, &d->type))
        return false;
    d->typed = true;
    if (d->n_types != (int)n)
        return fe_hlo_wants(r, r->at, "a type for each value of the loop");
    if (fe_hlo_try_word(r, "attributes") && (!fe_hlo_expect(r, "{") || !fe_hlo_dict(r, "}", &d->attrs)))
        return false;
    for (int i = 0; i < 2; i++) {
        const uint32_t names = r->names->n;
        if (!fe_hlo_expect(r, i ? "do" : "cond"))
            return false;
        hlo_region *body = open_region(r, d);
        for (uint32_t k = 0; k < n; k++)
            add_argument(r, body, name[k], d->type[k]);
        if (!region_body(r, names))
            return false;
    }
    return true;
}

/* reducer(%a: T, %b: T) (%c: T, %d: T) { ... }: the left ones, then the right ones. */
static bool
read_reducer(hlo_reader *r, draft *d)
{
    hlo_span *name = NULL, s;
    const hlo_type **type = NULL, *t;
    uint32_t n = 0, cap = 0, m = 0, cap_types = 0;
    const uint32_t names = r->names->n;
    hlo_region *body = open_region(r, d);

    while (fe_hlo_try(r, "(")) {
        for (int i = 0; i < 2; i++) {
            if ((i && !fe_hlo_expect(r, ",")) || !argument(r, &s, &t))
                return false;
            IR_PUSH(r->a, name, n, cap, s);
            IR_PUSH(r->a, type, m, cap_types, t);
        }
        if (!fe_hlo_expect(r, ")"))
            return false;
    }
    for (uint32_t i = 0; i < n; i += 2)
        add_argument(r, body, name[i], type[i]);
    for (uint32_t i = 1; i < n; i += 2)
        add_argument(r, body, name[i], type[i]);
    return region_body(r, names);
}

/* ---- pretty forms ---- */

/* Behind '[': start:limit or start:limit:stride, ...; or numbers. */
static bool
read_ranges(hlo_reader *r, draft *d)
{
    hlo_attr *item = NULL;
    uint32_t n = 0, cap = 0;

    fe_hlo_skip(r);
    const char *start = r->at;
    while (!fe_hlo_peek(r, "]")) {
        int64_t x[3] = { 0, 0, 1 };
        int k = 0;
        do {
            if (k == 3)
                return fe_hlo_wants(r, r->at, "start:limit:stride");
            if (!fe_hlo_integer(r, &x[k++]))
                return false;
        } while (fe_hlo_try(r, ":"));
        for (int i = 0; i < 3; i++)
            IR_PUSH(r->a, item, n, cap, ((hlo_attr){ .kind = HLO_INT, .at = start, .i = x[i] }));
        if (!fe_hlo_try(r, ","))
            break;
    }
    fe_hlo_add(r, &d->attrs, "ranges", (hlo_attr){ .kind = HLO_LIST, .at = start, .n = (int)n, .item = item });
    return fe_hlo_expect(r, "]");
}

/* Behind `key =`.  Two lists with an x between are those of the left and of the right operand. */
static bool
read_key(hlo_reader *r, draft *d, hlo_span key)
{
    hlo_attr x;
    const char *name = fe_hlo_text(r->a, key);

    fe_hlo_skip(r);
    const char *start = r->at;
    if (fe_hlo_is(key, "dim_numbers")) {
        hlo_span s;
        for (int i = 0; i < 3; i++)
            if ((i == 1 && !fe_hlo_expect(r, "x")) || (i == 2 && !fe_hlo_expect(r, "->")) || !fe_hlo_expect(r, "[") ||
                !fe_hlo_balanced(r, ']', &s))
                return false;
        fe_hlo_add(r, &d->attrs, name, word_attr(HLO_RAW, (hlo_span){ start, (size_t)(r->at - start) }));
        return true;
    }
    if (fe_hlo_is(key, "max_ulp_difference") || fe_hlo_is(key, "min_ulp_difference"))
        x = (hlo_attr){ .kind = HLO_INT, .at = start, .i = fe_hlo_unsigned(r) };
    else if (!fe_hlo_attr(r, &x))
        return false;
    if (x.kind == HLO_LIST && fe_hlo_try_word(r, "x")) {
        fe_hlo_add(r, &d->attrs, ir_format(r->a, "lhs_%s", name), x);
        if (!fe_hlo_attr(r, &x))
            return false;
        name = ir_format(r->a, "rhs_%s", name);
    }
    fe_hlo_add(r, &d->attrs, name, x);
    return true;
}

/* A word that is no key: an enumerator, or the constant's attribute with the type. */
static bool
read_word(hlo_reader *r, draft *d)
{
    const hlo_span s = fe_hlo_word(r);
    hlo_attr x;

    if (s.n == 0)
        return fe_hlo_wants(r, r->at, "an operand, an attribute or ':' and the types");
    if (fe_hlo_is(s, "dense") || fe_hlo_is(s, "dense_resource") || fe_hlo_is(s, "array")) {
        r->at = s.at;
        if (!fe_hlo_attr(r, &x))
            return false;
        fe_hlo_add(r, &d->attrs, "value", x);
        if (x.kind == HLO_DENSE && d->n_in == 0 && strcmp(d->op->name, "stablehlo.constant") == 0) {
            const hlo_type **type = IR_NEW(r->a, const hlo_type *);
            *type = x.type;
            d->n_types = 1;
            d->type = type;
            d->typed = true;
        }
        d->compared = strncmp(d->op->name, "check.", 6) == 0;
        d->typed |= d->compared;
        return true;
    }
    if (fe_hlo_is(s, "across") || fe_hlo_is(s, "attributes"))
        return true;
    if (fe_hlo_is(s, "applies")) {
        const hlo_span name = fe_hlo_word(r);
        fe_hlo_add(r, &d->attrs, "applies", word_attr(HLO_WORD, name));
        return name.n > 0 || fe_hlo_wants(r, r->at, "the name of an op");
    }
    if (fe_hlo_is(s, "init"))
        return fe_hlo_expect(r, ":");
    if (fe_hlo_is(s, "inits")) {
        fe_hlo_add(r, &d->attrs, "n_inputs", (hlo_attr){ .kind = HLO_INT, .at = s.at, .i = d->n_in });
        return true;
    }
    if (fe_hlo_try(r, "="))
        return read_key(r, d, s);
    fe_hlo_add(r, &d->attrs, ir_format(r->a, "%d", d->n_words++), word_attr(HLO_WORD, s));
    return true;
}

static bool
read_operand(hlo_reader *r, draft *d)
{
    uint32_t x;

    if (!operand(r, &x))
        return false;
    IR_PUSH(r->a, d->in, d->n_in, d->cap_in, x);
    if (fe_hlo_try_word(r, "init")) {
        if (!fe_hlo_expect(r, ":") || !operand(r, &x))
            return false;
        IR_PUSH(r->a, d->init, d->n_init, d->cap_init, x);
    }
    return true;
}

/* Is what is behind '{' a block with arguments? */
static bool
opens_block(hlo_reader *r)
{
    const char *const start = r->at;
    const bool good = fe_hlo_try(r, "{") && fe_hlo_peek(r, "^");

    r->at = start;
    return good;
}

static bool
read_item(hlo_reader *r, draft *d)
{
    hlo_attr x;

    if (fe_hlo_try(r, ",") || fe_hlo_try(r, "(") || fe_hlo_try(r, ")"))
        return true;
    if (fe_hlo_peek(r, "%"))
        return read_operand(r, d);
    if (fe_hlo_try(r, "["))
        return read_ranges(r, d);
    if (fe_hlo_try(r, "<{"))
        return fe_hlo_dict(r, "}", &d->attrs) && fe_hlo_expect(r, ">");
    if (fe_hlo_peek(r, "{") && opens_block(r))
        return region(r, d);
    if (fe_hlo_try(r, "{"))
        return fe_hlo_dict(r, "}", &d->attrs);
    if (fe_hlo_peek(r, "@") || fe_hlo_peek(r, "\"") || fe_hlo_peek(r, "#") || fe_hlo_peek(r, "<")) {
        const char *name = fe_hlo_peek(r, "@") ? "callee" : fe_hlo_peek(r, "\"") ? "name" : "mark";
        if (!fe_hlo_attr(r, &x))
            return false;
        fe_hlo_add(r, &d->attrs, name, x);
        return true;
    }
    return read_word(r, d);
}

static bool
read_pretty(hlo_reader *r, draft *d)
{
    const char *name = d->op->name;
    const bool leaves = strcmp(name, "return") == 0 || strcmp(name, "func.return") == 0 ||
                        strcmp(name, "stablehlo.return") == 0;

    if (strcmp(name, "stablehlo.while") == 0)
        return read_while(r, d);
    if (leaves && !fe_hlo_peek(r, "%"))
        return true;
    while (!d->typed && !fe_hlo_try(r, ":"))
        if (!read_item(r, d))
            return false;
    if (d->compared && fe_hlo_try(r, "{"))
        return fe_hlo_dict(r, "}", &d->attrs);
    if (!d->typed && !fe_hlo_signature(r, &d->function, &d->n_types, &d->type))
        return false;
    for (uint32_t i = 0; i < d->n_init; i++)
        IR_PUSH(r->a, d->in, d->n_in, d->cap_in, d->init[i]);
    return !fe_hlo_try_word(r, "reducer") || read_reducer(r, d);
}

/* ---- the generic form ---- */

/* (%a, %b) <{...}> ({ ... }, { ... }) {...} : (T, T) -> T */
static bool
read_generic(hlo_reader *r, draft *d)
{
    uint32_t x;

    if (!fe_hlo_expect(r, "("))
        return false;
    while (!fe_hlo_peek(r, ")")) {
        if (!operand(r, &x))
            return false;
        IR_PUSH(r->a, d->in, d->n_in, d->cap_in, x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    if (!fe_hlo_expect(r, ")") || (fe_hlo_try(r, "<{") && (!fe_hlo_dict(r, "}", &d->attrs) || !fe_hlo_expect(r, ">"))))
        return false;
    if (fe_hlo_try(r, "(")) {
        do {
            if (!region(r, d))
                return false;
        } while (fe_hlo_try(r, ","));
        if (!fe_hlo_expect(r, ")"))
            return false;
    }
    if (fe_hlo_try(r, "{") && !fe_hlo_dict(r, "}", &d->attrs))
        return false;
    return fe_hlo_expect(r, ":") && fe_hlo_signature(r, &d->function, &d->n_types, &d->type);
}

/* ---- functions and modules ---- */

static bool
dict_or_none(hlo_reader *r, hlo_attr *out)
{
    hlo_attrs s = { NULL, 0, 0 };

    *out = (hlo_attr){ .kind = HLO_DICT, .at = r->at };
    if (fe_hlo_try(r, "{") && !fe_hlo_dict(r, "}", &s))
        return false;
    out->n = (int)s.n;
    out->named = s.at;
    return true;
}

/* The arguments, with their names if there is a body; the attributes of each to `attrs`. */
static bool
read_arguments(hlo_reader *r, hlo_region *body, hlo_attr *attrs)
{
    hlo_attr *item = NULL, x;
    uint32_t n = 0, cap = 0;
    const hlo_type *type;
    const char *loc;

    if (!fe_hlo_expect(r, "("))
        return false;
    while (!fe_hlo_peek(r, ")")) {
        hlo_span name = { r->at, 0 };
        if (fe_hlo_peek(r, "%") && (!value_name(r, &name) || !fe_hlo_expect(r, ":")))
            return false;
        if (!(type = fe_hlo_type(r)) || !dict_or_none(r, &x) || !fe_hlo_loc(r, &loc))
            return false;
        add_argument(r, body, name, type);
        IR_PUSH(r->a, item, n, cap, x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    *attrs = (hlo_attr){ .kind = HLO_LIST, .at = r->at, .n = (int)n, .item = item };
    return fe_hlo_expect(r, ")");
}

static bool
read_results(hlo_reader *r, draft *d, hlo_attr *attrs)
{
    hlo_attr *item = NULL, x;
    const hlo_type **type = NULL, *t;
    uint32_t n = 0, cap = 0, m = 0, cap_types = 0;

    *attrs = (hlo_attr){ .kind = HLO_LIST, .at = r->at };
    if (!fe_hlo_try(r, "->"))
        return true;
    const bool several = fe_hlo_try(r, "(");
    while (!several || !fe_hlo_peek(r, ")")) {
        if (!(t = fe_hlo_type(r)) || (several && !dict_or_none(r, &x)))
            return false;
        IR_PUSH(r->a, type, m, cap_types, t);
        if (several)
            IR_PUSH(r->a, item, n, cap, x);
        if (!several || !fe_hlo_try(r, ","))
            break;
    }
    attrs->n = (int)n;
    attrs->item = item;
    d->n_types = (int)m;
    d->type = type;
    return !several || fe_hlo_expect(r, ")");
}

/* [public|private] @name(%a: T {...}, ...) -> (T {...}, ...) [attributes {...}] [{ ... }] */
static bool
read_function(hlo_reader *r, draft *d)
{
    hlo_attr attrs, results;
    hlo_span name;
    const uint32_t names = r->names->n;
    const hlo_span how = fe_hlo_word(r);

    if (!fe_hlo_symbol(r, &name))
        return false;
    fe_hlo_add(r, &d->attrs, "sym_name", word_attr(HLO_STRING, name));
    fe_hlo_add(r, &d->attrs, "sym_visibility", word_attr(HLO_STRING, how));
    hlo_region *body = open_region(r, d);
    if (!read_arguments(r, body, &attrs) || !read_results(r, d, &results))
        return false;
    fe_hlo_add(r, &d->attrs, "arg_attrs", attrs);
    fe_hlo_add(r, &d->attrs, "res_attrs", results);
    if (fe_hlo_try_word(r, "attributes") && (!fe_hlo_expect(r, "{") || !fe_hlo_dict(r, "}", &d->attrs)))
        return false;
    if (fe_hlo_peek(r, "{"))
        return region_body(r, names);
    unbind(r, names);
    r->region = r->region->outer;
    d->n_regions = 0;
    return true;
}

/* [@name] [attributes {...}] { ... } */
static bool
read_module(hlo_reader *r, draft *d)
{
    hlo_span name;

    if (fe_hlo_peek(r, "@") && !fe_hlo_symbol(r, &name))
        return false;
    if (fe_hlo_try_word(r, "attributes") && (!fe_hlo_expect(r, "{") || !fe_hlo_dict(r, "}", &d->attrs)))
        return false;
    return region(r, d);
}

/* ---- any op ---- */

typedef struct results {
    hlo_span name[64];
    int64_t count[64];
    int n;
    int64_t all;
} results;

/* %a, %b:2 = */
static bool
read_results_names(hlo_reader *r, results *s)
{
    s->n = 0;
    s->all = 0;
    if (!fe_hlo_peek(r, "%"))
        return true;
    do {
        int64_t n = 1;
        if (s->n == 64)
            return fe_hlo_wants(r, r->at, "fewer names of results");
        if (!value_name(r, &s->name[s->n]) || (fe_hlo_try(r, ":") && !fe_hlo_integer(r, &n)))
            return false;
        if (n < 1 || n > 1 << 20)
            return fe_hlo_wants(r, r->at, "a number of results");
        s->all += n;
        s->count[s->n++] = n;
    } while (fe_hlo_try(r, ","));
    return fe_hlo_expect(r, "=");
}

/* The values of the results: their types are those of the signature, or the last of a list of types. */
static bool
define(hlo_reader *r, draft *d, const results *s)
{
    hlo_op *op = d->op;

    op->n_out = (int)s->all;
    if (op->n_out == 0)
        return true;
    if (d->n_types < 1 || (d->n_types != op->n_out && (d->function || op->n_out > 1)))
        return fe_hlo_wants(r, op->at, ir_format(r->a, "%d types for its results", op->n_out));
    op->out = r->m->n_values;
    for (int i = 0; i < op->n_out; i++) {
        const bool each = d->n_types == op->n_out;
        new_value(r, d->type[each ? i : d->n_types - 1]);
    }
    uint32_t v = op->out;
    for (int i = 0; i < s->n; v += (uint32_t)s->count[i++])
        bind(r, s->name[i], v, (uint32_t)s->count[i]);
    return true;
}

static void
finish(hlo_reader *r, draft *d)
{
    hlo_op *op = d->op;

    op->n_in = (int)d->n_in;
    op->in = d->in;
    op->n_attrs = (int)d->attrs.n;
    op->attr = d->attrs.at;
    op->n_regions = (int)d->n_regions;
    op->region = d->region;
    if (r->region)
        IR_PUSH(r->a, r->region->op, r->region->n_ops, r->region->cap_ops, op);
}

static bool
is_op(const hlo_op *op, const char *plain, const char *full)
{
    return strcmp(op->name, plain) == 0 || strcmp(op->name, full) == 0;
}

static bool
read_named(hlo_reader *r, draft *d)
{
    hlo_op *op = d->op;

    if (is_op(op, "module", "builtin.module"))
        return read_module(r, d);
    if (is_op(op, "func", "func.func"))
        return read_function(r, d);
    if (strncmp(op->name, "sdy.mesh", 8) == 0) { /* @mesh = <[...]> {...} */
        hlo_span s;
        return fe_hlo_symbol(r, &s) && fe_hlo_expect(r, "=") && fe_hlo_expect(r, "<") && fe_hlo_balanced(r, '>', &s) &&
               (!fe_hlo_try(r, "{") || fe_hlo_balanced(r, '}', &s));
    }
    return read_pretty(r, d);
}

static bool
read_op(hlo_reader *r)
{
    draft d = { .op = IR_NEW(r->a, hlo_op) };
    results out;
    hlo_span name;

    fe_hlo_skip(r);
    d.op->line = fe_hlo_line(r, r->at);
    if (!fe_hlo_deeper(r) || !read_results_names(r, &out))
        return false;
    fe_hlo_skip(r);
    d.op->at = r->at;
    const bool generic = fe_hlo_peek(r, "\"");
    if (generic && !fe_hlo_string(r, &name))
        return false;
    if (!generic && (name = fe_hlo_word(r)).n == 0)
        return fe_hlo_wants(r, r->at, "an op");
    d.op->name = fe_hlo_text(r->a, name);
    const bool nested = is_op(d.op, "func", "func.func") || is_op(d.op, "module", "builtin.module");
    if (!(generic ? read_generic(r, &d) : read_named(r, &d)) || !fe_hlo_loc(r, &d.op->loc) || !define(r, &d, &out))
        return false;
    finish(r, &d);
    if (nested && is_op(d.op, "func", "func.func"))
        IR_PUSH(r->a, r->m->func, r->m->n_funcs, r->m->cap_funcs, d.op);
    r->depth--;
    return true;
}

/* #name = attribute */
static bool
read_alias(hlo_reader *r)
{
    hlo_span name, rest;

    r->at++;
    name = fe_hlo_word(r);
    if (name.n == 0)
        return fe_hlo_wants(r, r->at, "a name");
    if (!fe_hlo_expect(r, "="))
        return false;
    hlo_alias alias = { fe_hlo_text(r->a, name), r->at };
    IR_PUSH(r->a, r->m->alias, r->m->n_aliases, r->m->cap_aliases, alias);
    ir_map_add(&r->m->aliases, ir_hash(0, name.at, name.n), r->m->n_aliases);
    if (fe_hlo_try_word(r, "loc"))
        return fe_hlo_expect(r, "(") && fe_hlo_balanced(r, ')', &rest);
    hlo_attr x;
    return fe_hlo_attr(r, &x);
}

bool
fe_hlo_parse(hlo_reader *r)
{
    if (r->end - r->at >= 4 && memcmp(r->at, "ML\xefR", 4) == 0)
        return fe_hlo_wants(r, r->at, "text; bytecode is made text by `stablehlo-translate --deserialize`, or by str() in Python");
    r->m = IR_NEW(r->a, hlo_module);
    ir_map_init(&r->m->aliases, r->a);
    ir_map_init(&r->m->captured, r->a);
    r->names = IR_NEW(r->a, struct hlo_names);
    r->line = 1;
    r->line_at = r->text;
    new_value(r, NULL);
    for (;;) {
        fe_hlo_skip(r);
        if (r->failed || r->at >= r->end)
            break;
        if (fe_hlo_try(r, "{-#")) { /* resources */
            r->at = r->end;
        } else if (*r->at == '#') {
            if (!read_alias(r))
                return false;
        } else if (*r->at == '!') {
            r->at++;
            fe_hlo_word(r);
            if (!fe_hlo_expect(r, "=") || !fe_hlo_type(r))
                return false;
        } else if (!read_op(r)) {
            return false;
        }
    }
    if (!r->failed && r->m->n_funcs == 0)
        return fe_hlo_wants(r, r->at, "a function");
    return !r->failed;
}
