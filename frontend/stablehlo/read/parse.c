/* Modules and ops: aliases, names of results, the generic form, and the whole text.
 *
 * The generic form is one grammar; the pretty ones are pretty.c's, functions func.c's.
 *
 * Source: the MLIR language reference; the StableHLO specification. */
#include "frontend/stablehlo/read/parse.h"

#include "ir/limit.h"

/* (%a, %b) <{...}> ({ ... }, { ... }) {...} : (T, T) -> T */
static bool
read_generic(hlo_reader *r, hlo_draft *d)
{
    uint32_t x;

    if (!fe_hlo_expect(r, "("))
        return false;
    while (!fe_hlo_peek(r, ")")) {
        if (!fe_hlo_operand(r, &x))
            return false;
        IR_PUSH(r->a, d->in, d->n_in, d->cap_in, x);
        if (!fe_hlo_try(r, ","))
            break;
    }
    if (!fe_hlo_expect(r, ")") ||
        (fe_hlo_try(r, "<{") && (!fe_hlo_dict(r, "}", &d->attrs) || !fe_hlo_expect(r, ">"))))
        return false;
    if (fe_hlo_try(r, "(")) {
        do {
            if (!fe_hlo_read_region(r, d))
                return false;
        } while (fe_hlo_try(r, ","));
        if (!fe_hlo_expect(r, ")"))
            return false;
    }
    if (fe_hlo_try(r, "{") && !fe_hlo_dict(r, "}", &d->attrs))
        return false;
    return fe_hlo_expect(r, ":") && fe_hlo_signature(r, &d->function, &d->n_types, &d->type);
}

typedef struct result_names {
    hlo_span *name;
    int64_t *count;
    uint32_t n, cap_names, n_counts, cap_counts;
    int64_t all;
} result_names;

/* %a, %b:2 = */
static bool
read_results_names(hlo_reader *r, result_names *s)
{
    hlo_span name;

    if (!fe_hlo_peek(r, "%"))
        return true;
    do {
        int64_t n = 1;
        if (!fe_hlo_value_name(r, &name) || (fe_hlo_try(r, ":") && !fe_hlo_integer(r, &n)))
            return false;
        if (n < 1 || n > 1 << 20)
            return fe_hlo_wants(r, r->at, "a number of results");
        s->all += n;
        if (s->all > 1 << 20)
            return fe_hlo_wants(r, r->at, "fewer results");
        IR_PUSH(r->a, s->name, s->n, s->cap_names, name);
        IR_PUSH(r->a, s->count, s->n_counts, s->cap_counts, n);
    } while (fe_hlo_try(r, ","));
    return fe_hlo_expect(r, "=");
}

/* The values of the results: their types are those of the signature, or the last of a list. */
static bool
define(hlo_reader *r, hlo_draft *d, const result_names *s)
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
        fe_hlo_new_value(r, d->type[each ? i : d->n_types - 1]);
    }
    uint32_t v = op->out;
    for (uint32_t i = 0; i < s->n; v += (uint32_t)s->count[i++])
        fe_hlo_bind(r, s->name[i], v, (uint32_t)s->count[i]);
    return true;
}

static void
finish(hlo_reader *r, hlo_draft *d)
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
read_named(hlo_reader *r, hlo_draft *d)
{
    hlo_op *op = d->op;

    if (is_op(op, "module", "builtin.module"))
        return fe_hlo_read_module(r, d);
    if (is_op(op, "func", "func.func"))
        return fe_hlo_read_function(r, d);
    if (strncmp(op->name, "sdy.mesh", 8) == 0) { /* @mesh = <[...]> {...} */
        hlo_span s;
        return fe_hlo_symbol(r, &s) && fe_hlo_expect(r, "=") && fe_hlo_expect(r, "<") &&
               fe_hlo_balanced(r, '>', &s) &&
               (!fe_hlo_try(r, "{") || fe_hlo_balanced(r, '}', &s));
    }
    return fe_hlo_read_pretty(r, d);
}

bool
fe_hlo_read_op(hlo_reader *r)
{
    hlo_draft d = { .op = IR_NEW(r->a, hlo_op) };
    result_names out = { 0 };
    hlo_span name;

    ir_stage_done(r->ctx, (uint64_t)(r->at - r->text));
    if (ir_check(r->ctx) != COT_OK) {
        r->failed = true;
        return false;
    }
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
    const bool nested =
        is_op(d.op, "func", "func.func") || is_op(d.op, "module", "builtin.module");
    if (!(generic ? read_generic(r, &d) : read_named(r, &d)) || !fe_hlo_loc(r, &d.op->loc) ||
        !define(r, &d, &out))
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
        return fe_hlo_wants(r, r->at,
                            "text; bytecode is made text by `stablehlo-translate "
                            "--deserialize`, or by str() in Python");
    r->m = IR_NEW(r->a, hlo_module);
    ir_map_init(&r->m->aliases, r->a);
    ir_map_init(&r->m->captured, r->a);
    fe_hlo_names_begin(r);
    r->line = 1;
    r->line_at = r->text;
    fe_hlo_new_value(r, NULL);
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
        } else if (!fe_hlo_read_op(r)) {
            return false;
        }
    }
    if (!r->failed && r->m->n_funcs == 0)
        return fe_hlo_wants(r, r->at, "a function");
    return !r->failed;
}
