/* Functions and modules as `func.func` and `module` print them. */
#include "frontend/stablehlo/read/parse.h"

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
        if (fe_hlo_peek(r, "%") && (!fe_hlo_value_name(r, &name) || !fe_hlo_expect(r, ":")))
            return false;
        if (!(type = fe_hlo_type(r)) || !dict_or_none(r, &x) || !fe_hlo_loc(r, &loc))
            return false;
        fe_hlo_add_argument(r, body, name, type);
        IR_PUSH(r->a, item, n, cap, x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    *attrs = (hlo_attr){ .kind = HLO_LIST, .at = r->at, .n = (int)n, .item = item };
    return fe_hlo_expect(r, ")");
}

static bool
read_results(hlo_reader *r, hlo_draft *d, hlo_attr *attrs)
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
bool
fe_hlo_read_function(hlo_reader *r, hlo_draft *d)
{
    hlo_attr attrs, results;
    hlo_span name;
    const uint32_t names = fe_hlo_names_count(r);
    const hlo_span how = fe_hlo_word(r);

    if (!fe_hlo_symbol(r, &name))
        return false;
    fe_hlo_add(r, &d->attrs, "sym_name", fe_hlo_word_attr(HLO_STRING, name));
    fe_hlo_add(r, &d->attrs, "sym_visibility", fe_hlo_word_attr(HLO_STRING, how));
    hlo_region *body = fe_hlo_open_region(r, d);
    if (!read_arguments(r, body, &attrs) || !read_results(r, d, &results))
        return false;
    fe_hlo_add(r, &d->attrs, "arg_attrs", attrs);
    fe_hlo_add(r, &d->attrs, "res_attrs", results);
    if (fe_hlo_try_word(r, "attributes") &&
        (!fe_hlo_expect(r, "{") || !fe_hlo_dict(r, "}", &d->attrs)))
        return false;
    if (fe_hlo_peek(r, "{"))
        return fe_hlo_region_body(r, names);
    fe_hlo_unbind(r, names);
    r->region = r->region->outer;
    d->n_regions = 0;
    return true;
}

/* [@name] [attributes {...}] { ... } */
bool
fe_hlo_read_module(hlo_reader *r, hlo_draft *d)
{
    hlo_span name;

    if (fe_hlo_peek(r, "@") && !fe_hlo_symbol(r, &name))
        return false;
    if (fe_hlo_try_word(r, "attributes") &&
        (!fe_hlo_expect(r, "{") || !fe_hlo_dict(r, "}", &d->attrs)))
        return false;
    return fe_hlo_read_region(r, d);
}
