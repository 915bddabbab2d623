/* Regions, and the pretty forms of while and reduce, which print their arguments outside. */
#include "frontend/stablehlo/read/parse.h"

hlo_region *
fe_hlo_open_region(hlo_reader *r, hlo_draft *d)
{
    hlo_region *s = IR_NEW(r->a, hlo_region);

    s->id = ++r->m->n_regions;
    s->outer = r->region;
    r->region = s;
    IR_PUSH(r->a, d->region, d->n_regions, d->cap_regions, s);
    return s;
}

void
fe_hlo_add_argument(hlo_reader *r, hlo_region *s, hlo_span name, const hlo_type *type)
{
    const uint32_t v = fe_hlo_new_value(r, type);

    if (s->n_args++ == 0)
        s->arg = v;
    fe_hlo_bind(r, name, v, 1);
}

/* %name: T loc(...) */
static bool
argument(hlo_reader *r, hlo_span *name, const hlo_type **type)
{
    const char *loc;

    return fe_hlo_value_name(r, name) && fe_hlo_expect(r, ":") && (*type = fe_hlo_type(r)) &&
           fe_hlo_loc(r, &loc);
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
            fe_hlo_add_argument(r, r->region, name, type);
            if (!fe_hlo_try(r, ","))
                break;
        }
        if (!fe_hlo_expect(r, ")"))
            return false;
    }
    return fe_hlo_expect(r, ":");
}

/* Ops up to '}' and after it, whose region is open; names from n on end with it. */
bool
fe_hlo_region_body(hlo_reader *r, uint32_t n)
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
        if (!fe_hlo_read_op(r))
            return false;
    }
    r->depth--;
    fe_hlo_unbind(r, n);
    r->region = r->region->outer;
    return fe_hlo_expect(r, "}");
}

bool
fe_hlo_read_region(hlo_reader *r, hlo_draft *d)
{
    const uint32_t n = fe_hlo_names_count(r);

    fe_hlo_open_region(r, d);
    return fe_hlo_region_body(r, n);
}

/* (%iterArg = %x, ...) : T, ... [attributes {...}] cond { ... } do { ... } */
bool
fe_hlo_read_while(hlo_reader *r, hlo_draft *d)
{
    hlo_span *name = NULL, s;
    uint32_t n = 0, cap = 0, x;

    if (!fe_hlo_expect(r, "("))
        return false;
    while (!fe_hlo_peek(r, ")")) {
        if (!fe_hlo_value_name(r, &s) || !fe_hlo_expect(r, "=") || !fe_hlo_operand(r, &x))
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
    if (fe_hlo_try_word(r, "attributes") &&
        (!fe_hlo_expect(r, "{") || !fe_hlo_dict(r, "}", &d->attrs)))
        return false;
    for (int i = 0; i < 2; i++) {
        const uint32_t names = fe_hlo_names_count(r);
        if (!fe_hlo_expect(r, i ? "do" : "cond"))
            return false;
        hlo_region *body = fe_hlo_open_region(r, d);
        for (uint32_t k = 0; k < n; k++)
            fe_hlo_add_argument(r, body, name[k], d->type[k]);
        if (!fe_hlo_region_body(r, names))
            return false;
    }
    return true;
}

/* reducer(%a: T, %b: T) (%c: T, %d: T) { ... }: the left ones, then the right ones. */
bool
fe_hlo_read_reducer(hlo_reader *r, hlo_draft *d)
{
    hlo_span *name = NULL, s;
    const hlo_type **type = NULL, *t;
    uint32_t n = 0, cap = 0, m = 0, cap_types = 0;
    const uint32_t names = fe_hlo_names_count(r);
    hlo_region *body = fe_hlo_open_region(r, d);

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
        fe_hlo_add_argument(r, body, name[i], type[i]);
    for (uint32_t i = 1; i < n; i += 2)
        fe_hlo_add_argument(r, body, name[i], type[i]);
    return fe_hlo_region_body(r, names);
}
