/* What the host asks of a value while it is traced: type, sizes, presence; its elements are not
 * known. */
#include "frontend/trace.h"
#include "ir/diag.h"

/* The type of a value of any open trace; NULL for a bad handle. */
static const ir_type *
type_of(cot_value x)
{
    const cot_context *ctx = fe_context(x.ctx);

    for (cot_trace *t = ctx ? ctx->trace : NULL; t; t = t->below)
        if (t->serial == x.trace)
            return x.id && x.id < t->n_slot ? ir_btype(t->b, t->slot[x.id].ref) : NULL;
    return NULL;
}

cot_context *
cot_trace_context(const cot_trace *t)
{
    return t ? t->ctx : NULL;
}

void
cot_fp_contract_off(cot_trace *t)
{
    if (t)
        t->b->uncontracted = true;
}

cot_dtype
cot_dtype_of(cot_value x)
{
    const ir_type *t = type_of(x);
    return t ? t->dtype : COT_DTYPE_NONE;
}

int
cot_rank(cot_value x)
{
    const ir_type *t = type_of(x);
    return t ? t->rank : 0;
}

int64_t
cot_count(cot_value x)
{
    const ir_type *t = type_of(x);
    return t ? t->size : 0;
}

cot_type
cot_type_of(cot_value x)
{
    const ir_type *t = type_of(x);
    return t ? ir_type_public(t) : (cot_type){ COT_DTYPE_NONE, 0, { 0 }, NULL };
}

typedef struct size_query {
    int axis;
    int64_t size;
} size_query;

static ir_ref
ask_size(ir_build *b, const fe_arg *x, int n, const void *o)
{
    size_query *q = (size_query *)o;
    int axis = x[0].ref ? fe_axis(b, "size", q->axis, ir_btype(b, x[0].ref)->rank) : -1;

    (void)n;
    q->size = axis < 0 ? 0 : ir_btype(b, x[0].ref)->dims[axis];
    return IR_NONE;
}

int64_t
cot_size_(cot_place at, cot_value x, int axis)
{
    const ir_type *t = type_of(x);
    size_query q = { axis, 0 };

    if (t && axis >= -t->rank && axis < t->rank) /* without making x a capture */
        return t->dims[axis < 0 ? axis + t->rank : axis];
    fe_apply1(at, "size", ask_size, x, &q);
    return q.size;
}

static ir_ref
refuse_content(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    if (x[0].ref)
        ir_build_fail(b, o, ERR_trace_content, ir_type_str(b->ctx, ir_btype(b, x[0].ref)));
    return IR_NONE;
}

double
cot_item_(cot_place at, cot_value x)
{
    fe_apply1(at, "item", refuse_content, x, "item");
    return 0;
}

bool
cot_is_nonzero_(cot_place at, cot_value x)
{
    fe_apply1(at, "is_nonzero", refuse_content, x, "is_nonzero");
    return false;
}

static ir_ref
refuse(ir_build *b, const fe_arg *x, int n, const void *text)
{
    (void)x, (void)n;
    ir_build_fail(b, NULL, ERR_usage, (const char *)text);
    return IR_NONE;
}

cot_value
cot_trace_fail_(cot_place at, cot_trace *t, const char *text)
{
    return fe_apply0(at, t, NULL, refuse, text);
}

typedef struct absence {
    const char *op, *what;
} absence;

static ir_ref
absent(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const absence *a = options;

    (void)x, (void)n;
    ir_build_fail(b, a->op, ERR_usage, ir_format(b->arena, "%s is NULL", a->what));
    return IR_NONE;
}

bool
fe_present(cot_place at, cot_value x, const char *op, const void *p, const char *what)
{
    if (!p)
        fe_apply1(at, op, absent, x, &(absence){ op, what });
    return p != NULL;
}
