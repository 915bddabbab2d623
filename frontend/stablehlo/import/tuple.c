/* Tuples and futures: lists of values, which graphs do not have.
 *
 * A value of tuple type has an entry in a table of the import, which lists its values or
 * tuples.  A function or a region that takes or returns tuples takes or returns their values,
 * one after the other, and its caller rebuilds the tuples.  Tokens are dropped. */
#include "frontend/stablehlo/import/rules.h"

static void
put(hlo_import *h, uint32_t value, const hlo_tuple *t)
{
    if (!h->tuple)
        h->tuple = IR_NEW_N(h->a, const hlo_tuple *, h->m->n_values + 1);
    h->tuple[value] = t;
}

static const hlo_tuple *
tuple_at(const hlo_import *h, uint32_t value)
{
    return h->tuple ? h->tuple[value] : NULL;
}

void
fe_hlo_tuple_(hlo_emit *e)
{
    hlo_tuple *t = IR_NEW(e->h->a, hlo_tuple);
    hlo_item *item = IR_NEW_N(e->h->a, hlo_item, e->n_in + 1);

    for (int i = 0; i < e->n_in; i++)
        item[i] = (hlo_item){ e->in[i], tuple_at(e->h, e->op->in[i]) };
    *t = (hlo_tuple){ e->n_in, item };
    if (e->n_out == 1)
        put(e->h, e->op->out, t);
}

void
fe_hlo_get_tuple_element(hlo_emit *e)
{
    const hlo_tuple *t = tuple_at(e->h, e->op->in[0]);
    const hlo_attr *range = fe_hlo_find(e->op, "ranges", NULL);
    int64_t i = fe_hlo_int_or(e, "index", -1);

    if (range && range->kind == HLO_LIST && range->n > 0)
        i = range->item[0].i;
    if (!t || i < 0 || i >= t->n) {
        fe_hlo_fail(e, t ? "takes element %lld of %d" : "the tuple is not known", (long long)i,
                    t ? t->n : 0);
        return;
    }
    e->out[0] = t->item[i].ref;
    if (t->item[i].tuple)
        put(e->h, e->op->out, t->item[i].tuple);
}

static int
count(const hlo_tuple *t)
{
    int n = 0;

    for (int i = 0; i < t->n; i++)
        n += t->item[i].tuple ? count(t->item[i].tuple) : t->item[i].ref != IR_NONE;
    return n;
}

static ir_ref *
flatten(const hlo_tuple *t, ir_ref *to)
{
    for (int i = 0; i < t->n; i++)
        if (t->item[i].tuple)
            to = flatten(t->item[i].tuple, to);
        else if (t->item[i].ref)
            *to++ = t->item[i].ref;
    return to;
}

static bool
is_token(const hlo_import *h, uint32_t value)
{
    return h->m->value[value].type->kind == HLO_TOKEN;
}

int
fe_hlo_returned(hlo_import *h, const hlo_op *last, ir_ref **out)
{
    int n = 0;

    for (int i = 0; last && i < last->n_in; i++)
        n += tuple_at(h, last->in[i]) ? count(tuple_at(h, last->in[i]))
                                      : !is_token(h, last->in[i]);
    ir_ref *to = *out = IR_NEW_N(h->a, ir_ref, n + 1);
    for (int i = 0; last && i < last->n_in; i++)
        if (tuple_at(h, last->in[i]))
            to = flatten(tuple_at(h, last->in[i]), to);
        else if (!is_token(h, last->in[i]))
            *to++ = h->env[last->in[i]];
    return n;
}

static int
leaves(const hlo_type *t)
{
    int n = 0;

    for (int i = 0; t->kind == HLO_TUPLE && i < t->n; i++)
        n += leaves(t->item[i]);
    return t->kind == HLO_TUPLE ? n : t->kind != HLO_TOKEN;
}

int
fe_hlo_count_results(const hlo_emit *e)
{
    int n = 0;

    for (int i = 0; i < e->n_out; i++)
        n += leaves(e->h->m->value[e->op->out + (uint32_t)i].type);
    return n;
}

static const hlo_tuple *
made_of(hlo_import *h, const hlo_type *t, const ir_ref **from)
{
    hlo_tuple *made = IR_NEW(h->a, hlo_tuple);
    hlo_item *item = IR_NEW_N(h->a, hlo_item, t->n + 1);

    for (int i = 0; i < t->n; i++)
        if (t->item[i]->kind == HLO_TUPLE)
            item[i].tuple = made_of(h, t->item[i], from);
        else if (t->item[i]->kind != HLO_TOKEN)
            item[i].ref = *(*from)++;
    *made = (hlo_tuple){ t->n, item };
    return made;
}

void
fe_hlo_distribute(hlo_emit *e, const ir_ref *from)
{
    for (int i = 0; i < e->n_out; i++) {
        const hlo_type *t = e->h->m->value[e->op->out + (uint32_t)i].type;
        if (t->kind == HLO_TUPLE)
            put(e->h, e->op->out + (uint32_t)i, made_of(e->h, t, &from));
        else if (t->kind != HLO_TOKEN)
            e->out[i] = *from++;
    }
}

static const hlo_type **
list_leaves(const hlo_type *t, const hlo_type **to)
{
    if (t->kind == HLO_TUPLE)
        for (int i = 0; i < t->n; i++)
            to = list_leaves(t->item[i], to);
    else if (t->kind != HLO_TOKEN)
        *to++ = t;
    return to;
}

int
fe_hlo_leaves(const hlo_type *t)
{
    return leaves(t);
}

int
fe_hlo_arguments(hlo_import *h, const hlo_region *r, const hlo_type *const **out)
{
    int n = 0;

    for (int i = 0; i < r->n_args; i++)
        n += leaves(h->m->value[r->arg + (uint32_t)i].type);
    const hlo_type **type = IR_NEW_N(h->a, const hlo_type *, n + 1), **to = type;
    for (int i = 0; i < r->n_args; i++)
        to = list_leaves(h->m->value[r->arg + (uint32_t)i].type, to);
    *out = type;
    return n;
}

void
fe_hlo_enter(hlo_import *h, const hlo_region *r, const ir_ref *from)
{
    for (int i = 0; i < r->n_args; i++) {
        const uint32_t v = r->arg + (uint32_t)i;
        const hlo_type *t = h->m->value[v].type;
        if (t->kind == HLO_TUPLE)
            put(h, v, made_of(h, t, &from));
        else if (t->kind != HLO_TOKEN)
            h->env[v] = *from++;
    }
}

bool
fe_hlo_spread_operands(hlo_emit *e)
{
    ir_ref *in;

    e->n_in = fe_hlo_returned(e->h, e->op, &in);
    e->in = in;
    for (int i = 0; i < e->n_in; i++)
        if (!in[i])
            fe_hlo_fail(e, "operand %d has no value", i);
    return !fe_hlo_bad(e);
}

/* What was started has ended at once: the results of its region. */
void
fe_hlo_async_done(hlo_emit *e)
{
    if (!fe_hlo_spread_operands(e))
        return;
    if (e->n_in == fe_hlo_count_results(e))
        fe_hlo_distribute(e, e->in);
    else
        fe_hlo_fail(e, "gives %d results; the text says %d", e->n_in, fe_hlo_count_results(e));
}
