/* Composites: "cotrace.NAME" is the op of ours of that name, with the attributes that export
 * wrote; any other is a call of its decomposition. */
#include "frontend/stablehlo/import/rules.h"

#include "ir/diag.h"

static const hlo_attr *
entry(const hlo_attr *dict, const char *name)
{
    for (int i = 0; dict && dict->kind == HLO_DICT && i < dict->n; i++)
        if (strcmp(dict->named[i].name, name) == 0)
            return &dict->named[i].value;
    return NULL;
}

/* A string whose other characters are \XX. */
static const char *
unescaped(hlo_emit *e, hlo_span s)
{
    char *to = ir_alloc(e->h->a, s.n + 1), *p = to;

    for (size_t i = 0; i < s.n; i++) {
        unsigned x;
        if (s.at[i] == '\\' && i + 2 < s.n && sscanf(s.at + i + 1, "%2x", &x) == 1) {
            *p++ = (char)x;
            i += 2;
        } else {
            *p++ = s.at[i];
        }
    }
    *p = '\0';
    return ir_intern(e->h->ctx, to);
}

static bool
read_ints(hlo_emit *e, const hlo_attr *a, ir_ints *out)
{
    int64_t *at = IR_NEW_N(e->b->arena, int64_t, a->n + 1);

    for (int i = 0; i < a->n; i++) {
        if (a->item[i].kind != HLO_INT)
            return false;
        at[i] = a->item[i].i;
    }
    *out = (ir_ints){ a->n, at };
    return a->kind == HLO_LIST;
}

/* The private function, on the types that it declares. */
static ir_graph *
function(hlo_emit *e, const hlo_attr *a)
{
    hlo_func *f = a->kind == HLO_SYMBOL ? fe_hlo_func(e->h, a->text) : NULL;
    const hlo_region *r = f && f->op->n_regions ? f->op->region[0] : NULL;
    const ir_type **type = IR_NEW_N(e->h->a, const ir_type *, r ? r->n_args + 1 : 1);

    for (int i = 0; r && i < r->n_args; i++)
        if (!(type[i] = e->h->m->value[r->arg + (uint32_t)i].type->type))
            return NULL;
    return r ? fe_hlo_function(e->h, f, r->n_args, type, e->op->at) : NULL;
}

static bool
read_graphs(hlo_emit *e, const hlo_attr *a, ir_graphs *out)
{
    ir_graph **at = IR_NEW_N(e->b->arena, ir_graph *, a->n + 1);

    for (int i = 0; i < a->n; i++)
        if (!(at[i] = function(e, &a->item[i])))
            return false;
    *out = (ir_graphs){ a->n, at };
    return a->kind == HLO_LIST;
}

static bool
read_word(const hlo_attr *a, int n, const char *(*name)(int), int *out)
{
    for (int i = 0; i < n; i++)
        if (a->kind == HLO_STRING && fe_hlo_is(a->text, name(i))) {
            *out = i;
            return true;
        }
    return false;
}

static const char *
dtype_name(int i)
{
    return cot_dtype_name((cot_dtype)i);
}
static const char *
mode_name(int i)
{
    return ir_mode_name[i];
}

static bool
read_field(hlo_emit *e, const ir_field *f, const hlo_attr *a, char *to)
{
    int word = 0;
    ir_ints list;

    switch (f->kind) {
    case IR_F_INT: *(int64_t *)to = a->i; return a->kind == HLO_INT;
    case IR_F_FLAG: *(int *)to = (int)a->i; return a->kind == HLO_BOOL;
    case IR_F_INTS: return read_ints(e, a, (ir_ints *)to);
    case IR_F_AXES:
        return read_ints(e, a, &list) && fe_hlo_axes(e, list, COT_MAX_RANK, (ir_axes *)to);
    case IR_F_TEXT:
        *(const char **)to = a->kind == HLO_STRING ? unescaped(e, a->text) : NULL;
        return a->kind == HLO_STRING;
    case IR_F_GRAPH: return (*(ir_graph **)to = function(e, a)) != NULL;
    case IR_F_GRAPHS: return read_graphs(e, a, (ir_graphs *)to);
    case IR_F_MODE: return read_word(a, IR_MODE_COUNT, mode_name, (int *)to);
    case IR_F_DTYPE:
        if (!read_word(a, COT_C128 + 1, dtype_name, &word))
            return false;
        *(cot_dtype *)to = (cot_dtype)word;
        return true;
    case IR_F_DATA: break;
    }
    return false;
}

static void
set_default(const ir_field *f, char *to)
{
    switch (f->kind) {
    case IR_F_INT: *(int64_t *)to = f->init; break;
    case IR_F_FLAG:
    case IR_F_MODE: *(int *)to = (int)f->init; break;
    case IR_F_DTYPE: *(cot_dtype *)to = (cot_dtype)f->init; break;
    default: break;
    }
}

/* The attributes of the record, from the dictionary; false, the error recorded, if one is
 * missing or of another kind. */
static bool
read_attrs(hlo_emit *e, ir_op op, ir_attrs *at)
{
    const hlo_attr *dict = fe_hlo_find(e->op, "composite_attributes", NULL);
    int n;
    const ir_field *f = ir_record_fields(ir_ops[op].record, &n);

    memset(at, 0, sizeof *at);
    for (int i = 0; i < n; i++) {
        const hlo_attr *a = entry(dict, f[i].name);
        char *to = (char *)at + f[i].offset;
        if (!a && f[i].init != IR_REQUIRED) {
            set_default(&f[i], to);
        } else if (!a || !read_field(e, &f[i], a, to)) {
            fe_hlo_fail(e, "the attribute %s of %s is missing, or of another kind", f[i].name,
                        ir_ops[op].name);
            return false;
        }
    }
    return true;
}

void
fe_hlo_composite(hlo_emit *e)
{
    const hlo_attr *name = fe_hlo_find(e->op, "name", NULL);
    const bool ours = name && name->text.n > 8 && memcmp(name->text.at, "cotrace.", 8) == 0;
    const ir_op op = ours ? ir_op_find(fe_hlo_text(
                                e->h->a, (hlo_span){ name->text.at + 8, name->text.n - 8 }))
                          : OP_none;
    ir_attrs at;

    if (op == OP_none || op == OP_constant ||
        (ir_ops[op].n_in >= 0 && ir_ops[op].n_in != e->n_in)) {
        fe_hlo_call_named(e, "decomposition");
        return;
    }
    if (!read_attrs(e, op, &at) || fe_hlo_bad(e))
        return;
    if (ir_max_results(op, &at) < e->n_out) {
        fe_hlo_fail(e, "%s has %d results", ir_ops[op].name, ir_max_results(op, &at));
        return;
    }
    ir_ref *y = IR_NEW_N(e->b->arena, ir_ref, ir_max_results(op, &at) + 1);
    const int n = ir_add_node(e->b, op, e->n_in, e->in, &at, y);
    for (int i = 0; i < e->n_out; i++)
        e->out[i] = fe_hlo_bad(e) || i >= n ? IR_NONE : y[i];
}
