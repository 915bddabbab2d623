/* The table of ops, and how rules read the attributes of one. */
#include "frontend/stablehlo/import/emit.h"
#include "frontend/stablehlo/import/rules.h"

static const hlo_row rows[] = {
#define HLO(name, n_in, rule, op) { name, fe_hlo_##rule, op, n_in },
#include "frontend/stablehlo/import/ops.def"
#undef HLO
};

static const hlo_row *
row_named(hlo_import *h, const char *name)
{
    const uint64_t hash = ir_hash(0, name, strlen(name));
    uint32_t at = 0, id;

    if (h->rows.n == 0)
        for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++)
            ir_map_add(&h->rows, ir_hash(0, rows[i].name, strlen(rows[i].name)), i + 1);
    while ((id = ir_map_next(&h->rows, hash, &at)) != 0)
        if (strcmp(rows[id - 1].name, name) == 0)
            return &rows[id - 1];
    return NULL;
}

/* Ops of the dialect that StableHLO came from have its names. */
const hlo_row *
fe_hlo_row(hlo_import *h, const char *name)
{
    const hlo_row *row = row_named(h, name);

    return row || strncmp(name, "mhlo.", 5) != 0
               ? row
               : row_named(h, ir_format(h->a, "stablehlo.%s", name + 5));
}

bool
fe_hlo_moves(const hlo_row *row)
{
    static fe_hlo_rule *const rule[] = {
        fe_hlo_constant,
        fe_hlo_broadcast_in_dim,
        fe_hlo_broadcast,
        fe_hlo_reshape,
        fe_hlo_transpose,
        fe_hlo_slice,
        fe_hlo_concatenate,
        fe_hlo_reverse,
        fe_hlo_dynamic_slice,
        fe_hlo_dynamic_update_slice,
        fe_hlo_select,
        fe_hlo_gather,
        fe_hlo_pad,
        fe_hlo_call_,
        fe_hlo_loop,
        fe_hlo_branch,
        fe_hlo_barrier,
        fe_hlo_same,
        fe_hlo_get_tuple_element,
        fe_hlo_sort,
    };

    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++)
        if (row->rule == rule[i])
            return true;
    return false;
}

const hlo_attr *
fe_hlo_find(const hlo_op *op, const char *name, const char *pretty)
{
    for (int i = 0; i < op->n_attrs; i++)
        if (strcmp(op->attr[i].name, name) == 0 ||
            (pretty && strcmp(op->attr[i].name, pretty) == 0))
            return &op->attr[i].value;
    return NULL;
}

static bool
integer_at(const hlo_attr *a, int64_t i, int64_t *x)
{
    const char *p;

    if (a->kind == HLO_LIST) {
        *x = a->item[i].i;
        return a->item[i].kind == HLO_INT || a->item[i].kind == HLO_BOOL;
    }
    if (!a->bytes)
        return false;
    p = a->bytes;
    i = a->splat ? 0 : i;
    switch (a->type->dtype) {
    case COT_BOOL: *x = ((const uint8_t *)p)[i]; return true;
    case COT_I32: *x = ((const int32_t *)(const void *)p)[i]; return true;
    case COT_I64: *x = ((const int64_t *)(const void *)p)[i]; return true;
    default: return false;
    }
}

/* [[1, 2], [3, 4]] as [1, 2, 3, 4] */
static hlo_attr
flat(hlo_emit *e, const hlo_attr *a)
{
    hlo_attr *item = NULL;
    uint32_t n = 0, cap = 0;

    if (a->kind != HLO_LIST || a->n == 0 || a->item[0].kind != HLO_LIST)
        return *a;
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < a->item[i].n; k++)
            IR_PUSH(e->h->a, item, n, cap, a->item[i].item[k]);
    return (hlo_attr){ .kind = HLO_LIST, .at = a->at, .n = (int)n, .item = item };
}

bool
fe_hlo_ints(hlo_emit *e, const char *name, const char *pretty, int n, int64_t x, ir_ints *out)
{
    const hlo_attr *found = fe_hlo_find(e->op, name, pretty);
    int64_t *at;

    if (!found) {
        if (n < 0)
            fe_hlo_fail(e, "attribute %s is missing", name);
        at = IR_NEW_N(e->b->arena, int64_t, n > 0 ? n + 1 : 1);
        for (int i = 0; i < n; i++)
            at[i] = x;
        *out = (ir_ints){ n > 0 ? n : 0, at };
        return n >= 0;
    }
    const hlo_attr a = flat(e, found);
    const int64_t count = a.kind == HLO_LIST                              ? a.n
                          : a.kind == HLO_DENSE && a.type && a.type->type ? a.type->type->size
                                                                          : -1;
    bool good = count >= 0 && count <= 1 << 20;
    at = IR_NEW_N(e->b->arena, int64_t, good ? count + 1 : 1);
    for (int64_t i = 0; good && i < count; i++)
        good = integer_at(&a, i, &at[i]);
    if (!good)
        fe_hlo_fail(e, "attribute %s is no list of integers", name);
    *out = (ir_ints){ good ? (int)count : 0, at };
    if (good && n > 0 && count != n) {
        fe_hlo_fail(e, "attribute %s has %d entries; wants %d", name, (int)count, n);
        return false;
    }
    return good;
}

int64_t
fe_hlo_int_or(const hlo_emit *e, const char *name, int64_t x)
{
    const hlo_attr *a = fe_hlo_find(e->op, name, NULL);

    return a && a->kind == HLO_INT ? a->i : x;
}

bool
fe_hlo_int(hlo_emit *e, const char *name, const char *pretty, int64_t *x)
{
    const hlo_attr *a = fe_hlo_find(e->op, name, pretty);

    if (!a || a->kind != HLO_INT) {
        fe_hlo_fail(e, "attribute %s is %s", name, a ? "no integer" : "missing");
        return false;
    }
    *x = a->i;
    return true;
}

bool
fe_hlo_flag(const hlo_emit *e, const char *name, bool absent)
{
    const hlo_attr *a = fe_hlo_find(e->op, name, NULL);

    return a ? a->kind == HLO_UNIT || a->i != 0 : absent;
}

hlo_span
fe_hlo_enum(const hlo_emit *e, const char *name, const char *pretty)
{
    const hlo_attr *a = fe_hlo_find(e->op, name, pretty);
    hlo_span s = a ? a->text : (hlo_span){ NULL, 0 };

    for (size_t i = s.n; a && a->kind == HLO_RAW && i-- > 0;)
        if (s.at[i] == ' ')
            return (hlo_span){ s.at + i + 1, s.n - i - 1 };
    return s;
}

bool
fe_hlo_record(hlo_emit *e, const char *name, hlo_op *out)
{
    const hlo_attr *a = fe_hlo_find(e->op, name, NULL);
    hlo_reader r = *e->h->r;
    hlo_attrs s = { NULL, 0, 0 };

    if (!a || a->kind != HLO_RAW) {
        fe_hlo_fail(e, "attribute %s is %s", name, a ? "of another kind" : "missing");
        return false;
    }
    r.at = a->text.at;
    r.end = a->text.at + a->text.n;
    r.failed = false;
    r.depth = 0;
    if (!fe_hlo_dict(&r, "", &s)) {
        e->b->status = e->h->ctx->status;
        return false;
    }
    *out = *e->op;
    out->n_attrs = (int)s.n;
    out->attr = s.at;
    return true;
}

bool
fe_hlo_axes(hlo_emit *e, ir_ints list, int rank, ir_axes *out)
{
    *out = 0;
    for (int i = 0; i < list.n; i++) {
        if (list.at[i] < 0 || list.at[i] >= rank) {
            fe_hlo_fail(e, "axis %lld is out of range for rank %d", (long long)list.at[i],
                        rank);
            return false;
        }
        *out |= ir_axes_of((int)list.at[i]);
    }
    return true;
}

bool
fe_hlo_known(hlo_emit *e, ir_ref v, const char *what, ir_ints *out)
{
    const ir_node *n = v ? ir_bdef(e->b, v) : NULL;
    const ir_type *t = v ? ir_btype(e->b, v) : NULL;

    if (!n || n->op != OP_constant || !ir_is_int(t->dtype) || t->rank > 1 ||
        t->size > COT_MAX_RANK * 2) {
        fe_hlo_fail(e, "%s is not known at import; wants it computed from sizes and constants",
                    what);
        return false;
    }
    int64_t *at = IR_NEW_N(e->b->arena, int64_t, t->size + 1);
    const ir_data *d = &n->at->constant.data;
    for (int64_t i = 0; i < t->size; i++) {
        const char *p =
            (const char *)d->bytes + (d->splat ? 0 : (size_t)i * cot_dtype_size(t->dtype));
        int32_t x;
        if (cot_dtype_size(t->dtype) == 8) {
            memcpy(&at[i], p, 8);
        } else if (cot_dtype_size(t->dtype) == 4) {
            memcpy(&x, p, 4);
            at[i] = x;
        } else {
            fe_hlo_fail(e, "%s is %s; wants 32 or 64 bits", what, ir_type_str(e->b->ctx, t));
            return false;
        }
    }
    *out = (ir_ints){ (int)t->size, at };
    return true;
}
