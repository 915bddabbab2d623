/* The pretty forms of ops.
 *
 * Those of StableHLO differ, but all are made of the same items: operands, words, `key =
 * attribute`, brackets, regions, then `:` and the types.  So one reader takes the items in
 * any order: operands go to the list of operands, keys to attributes under their printed
 * name, other words to attributes "0", "1", ...  While and reduce, whose regions have their
 * arguments printed outside, have readers of their own (region.c).  Whoever uses an
 * attribute knows both of its names. */
#include "frontend/stablehlo/read/parse.h"

hlo_attr
fe_hlo_word_attr(hlo_attr_kind kind, hlo_span s)
{
    return (hlo_attr){ .kind = kind, .at = s.at, .text = s };
}

/* After '[': start:limit or start:limit:stride, ...; or numbers. */
static bool
read_ranges(hlo_reader *r, hlo_draft *d)
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
            IR_PUSH(r->a, item, n, cap,
                    ((hlo_attr){ .kind = HLO_INT, .at = start, .i = x[i] }));
        if (!fe_hlo_try(r, ","))
            break;
    }
    fe_hlo_add(r, &d->attrs, "ranges",
               (hlo_attr){ .kind = HLO_LIST, .at = start, .n = (int)n, .item = item });
    return fe_hlo_expect(r, "]");
}

/* After `key =`.  Two lists with an x between are those of the left and the right operand. */
static bool
read_key(hlo_reader *r, hlo_draft *d, hlo_span key)
{
    hlo_attr x;
    const char *name = fe_hlo_text(r->a, key);

    fe_hlo_skip(r);
    const char *start = r->at;
    if (fe_hlo_is(key, "dim_numbers")) {
        hlo_span s;
        for (int i = 0; i < 3; i++)
            if ((i == 1 && !fe_hlo_expect(r, "x")) || (i == 2 && !fe_hlo_expect(r, "->")) ||
                !fe_hlo_expect(r, "[") || !fe_hlo_balanced(r, ']', &s))
                return false;
        fe_hlo_add(r, &d->attrs, name,
                   fe_hlo_word_attr(HLO_RAW, (hlo_span){ start, (size_t)(r->at - start) }));
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
read_word(hlo_reader *r, hlo_draft *d)
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
        if (x.kind == HLO_DENSE && d->n_in == 0 &&
            strcmp(d->op->name, "stablehlo.constant") == 0) {
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
        fe_hlo_add(r, &d->attrs, "applies", fe_hlo_word_attr(HLO_WORD, name));
        return name.n > 0 || fe_hlo_wants(r, r->at, "the name of an op");
    }
    if (fe_hlo_is(s, "init"))
        return fe_hlo_expect(r, ":");
    if (fe_hlo_is(s, "inits")) {
        fe_hlo_add(r, &d->attrs, "n_inputs",
                   (hlo_attr){ .kind = HLO_INT, .at = s.at, .i = d->n_in });
        return true;
    }
    if (fe_hlo_try(r, "="))
        return read_key(r, d, s);
    fe_hlo_add(r, &d->attrs, ir_format(r->a, "%d", d->n_words++),
               fe_hlo_word_attr(HLO_WORD, s));
    return true;
}

static bool
read_operand(hlo_reader *r, hlo_draft *d)
{
    uint32_t x;

    if (!fe_hlo_operand(r, &x))
        return false;
    IR_PUSH(r->a, d->in, d->n_in, d->cap_in, x);
    if (fe_hlo_try_word(r, "init")) {
        if (!fe_hlo_expect(r, ":") || !fe_hlo_operand(r, &x))
            return false;
        IR_PUSH(r->a, d->init, d->n_init, d->cap_init, x);
    }
    return true;
}

/* Is what is after '{' a block with arguments? */
static bool
opens_block(hlo_reader *r)
{
    const char *const start = r->at;
    const bool good = fe_hlo_try(r, "{") && fe_hlo_peek(r, "^");

    r->at = start;
    return good;
}

static bool
read_item(hlo_reader *r, hlo_draft *d)
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
        return fe_hlo_read_region(r, d);
    if (fe_hlo_try(r, "{"))
        return fe_hlo_dict(r, "}", &d->attrs);
    if (fe_hlo_peek(r, "@") || fe_hlo_peek(r, "\"") || fe_hlo_peek(r, "#") ||
        fe_hlo_peek(r, "<")) {
        const char *name = fe_hlo_peek(r, "@")    ? "callee"
                           : fe_hlo_peek(r, "\"") ? "name"
                                                  : "mark";
        if (!fe_hlo_attr(r, &x))
            return false;
        fe_hlo_add(r, &d->attrs, name, x);
        return true;
    }
    return read_word(r, d);
}

bool
fe_hlo_read_pretty(hlo_reader *r, hlo_draft *d)
{
    const char *name = d->op->name;
    const bool leaves = strcmp(name, "return") == 0 || strcmp(name, "func.return") == 0 ||
                        strcmp(name, "stablehlo.return") == 0;

    if (strcmp(name, "stablehlo.while") == 0)
        return fe_hlo_read_while(r, d);
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
    return !fe_hlo_try_word(r, "reducer") || fe_hlo_read_reducer(r, d);
}
