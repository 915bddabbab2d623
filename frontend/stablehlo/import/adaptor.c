/* What a rule can ask about its op: its place in the text, its operands and results as values
 * of the graph, and their types. */
#include "frontend/stablehlo/import/emit.h"

#include <stdio.h>

#include "ir/diag.h"

void
fe_hlo_fail(hlo_emit *e, const char *format, ...)
{
    ir_buf text;
    va_list ap;

    if (fe_hlo_bad(e))
        return;
    ir_buf_init(&text, e->h->a);
    va_start(ap, format);
    ir_buf_vprintf(&text, format, ap);
    va_end(ap);
    fe_hlo_refuse(e->h->ctx, e->h->r, e->op->at, e->op->name, text.text);
    e->b->status = e->h->ctx->status;
}

/* "file":line after `loc(`, through aliases, names and fused lists: the first that is
 * found. */
static bool
origin(const hlo_import *h, const char *at, int depth, hlo_span *file, int64_t *line)
{
    hlo_reader r = *h->r;
    hlo_span s;

    r.at = at;
    if (fe_hlo_try(&r, "#")) {
        s = fe_hlo_word(&r);
        const uint64_t hash = ir_hash(0, s.at, s.n);
        uint32_t k = 0, id;
        while ((id = ir_map_next(&h->m->aliases, hash, &k)) != 0) {
            const hlo_alias *x = &h->m->alias[id - 1];
            if (!fe_hlo_is(s, x->name))
                continue;
            r.at = x->at;
            return depth < 32 && fe_hlo_try_word(&r, "loc") && fe_hlo_try(&r, "(") &&
                   origin(h, r.at, depth + 1, file, line);
        }
        return false;
    }
    if (fe_hlo_try_word(&r, "callsite") || fe_hlo_try_word(&r, "fused"))
        return (fe_hlo_try(&r, "(") || fe_hlo_try(&r, "[")) && depth < 32 &&
               origin(h, r.at, depth + 1, file, line);
    if (!fe_hlo_peek(&r, "\"") || !fe_hlo_string(&r, file))
        return false;
    if (fe_hlo_try(&r, "("))
        return depth < 32 && origin(h, r.at, depth + 1, file, line);
    return fe_hlo_try(&r, ":") && r.at < r.end && *r.at >= '0' && *r.at <= '9' &&
           fe_hlo_integer(&r, line);
}

ir_loc
fe_hlo_location(const hlo_import *h, const hlo_op *op)
{
    const ir_loc loc = ir_loc_file(h->ctx, h->r->path, op->line);
    hlo_span file;
    int64_t line;

    if (!op->loc || !origin(h, op->loc, 0, &file, &line))
        return loc;
    return ir_loc_derive(
        h->ctx, loc, ir_format(h->a, "from %.*s:%lld", (int)file.n, file.at, (long long)line));
}

cot_place
fe_hlo_place(const hlo_emit *e)
{
    return (cot_place){ e->h->r->path, e->op->line };
}

cot_value
fe_hlo_handle(hlo_emit *e, ir_ref v)
{
    return fe_handle(e->t, v);
}

ir_ref
fe_hlo_ref(hlo_emit *e, cot_value v)
{
    e->b->loc = fe_hlo_location(e->h, e->op);
    return v.id && e->b->status == COT_OK ? e->t->slot[v.id].ref : IR_NONE;
}

ir_ref
fe_hlo_op(hlo_emit *e, const char *op, int n, const ir_ref *in)
{
    const ir_op k = ir_op_find(op);

    if (k == OP_none || (ir_ops[k].n_in >= 0 && ir_ops[k].n_in != n)) {
        fe_hlo_fail(e, "this build has no op %s of %d operands", op, n);
        return IR_NONE;
    }
    return ir_node1(e->b, k, n, in, NULL);
}

const hlo_type *
fe_hlo_declared(hlo_emit *e, int i)
{
    const hlo_type *t = i < e->op->n_out ? e->h->m->value[e->op->out + (uint32_t)i].type : NULL;

    if (!t)
        fe_hlo_fail(e, "has %d results; wants more", e->op->n_out);
    else if (t->kind != HLO_TENSOR || t->dtype == COT_DTYPE_NONE)
        fe_hlo_fail(e, "type %.*s is not supported", (int)t->text.n, t->text.at);
    return fe_hlo_bad(e) ? NULL : t;
}

/* Result i of a custom call, whose sizes are an operand. */
static const ir_type *
shaped_type(hlo_emit *e, int i, const hlo_type *t)
{
    ir_ints dims;

    if (!fe_hlo_known(e, e->given[e->shaped.at[i]], "the shape of a result", &dims))
        return NULL;
    if (dims.n != t->rank) {
        fe_hlo_fail(e, "the shape of a result has %d sizes; wants %d", dims.n, t->rank);
        return NULL;
    }
    return ir_type_new(e->b->ctx, t->dtype, dims.n, dims.at);
}

const ir_type *
fe_hlo_out_type(hlo_emit *e, int i)
{
    const hlo_type *t = fe_hlo_declared(e, i);

    if (t && !t->type && i < e->shaped.n)
        return shaped_type(e, i, t);
    if (t && !t->type)
        fe_hlo_fail(e, "the sizes of %.*s are not known", (int)t->text.n, t->text.at);
    return t ? t->type : NULL;
}
