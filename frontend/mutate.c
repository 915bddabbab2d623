/* Values that can be written, and views of them.
 *
 * Any value can be written: at the first write to it, or view of it, its handle is given a
 * clone, and later views are views of that clone.  Other handles keep their value, though they
 * may have shared its node.  A written argument is in/out: the trace ends with its new value as
 * a result.  A body of control flow ends with the new values of what it wrote outside (flow.c
 * passes them on). */
#include "cotrace/mutate.h"

#include "frontend/trace.h"
#include "ir/diag.h"

/* The slot of v, whose value is made a clone if it is not one yet. */
static uint32_t
writable(ir_build *b, const char *op, cot_value v)
{
    uint32_t id = fe_slot_of(b->ctx->trace, v, op);

    if (id)
        fe_writable(b->ctx->trace, id);
    return b->status == COT_OK ? id : 0;
}

cot_value
fe_local_copy(ir_build *b, cot_value v, const char *op, int i)
{
    if (v.ctx != b->ctx || v.id == 0) /* an error where it is used */
        return v;
    ir_ref x = fe_resolve(b->ctx->trace, v, op, i);
    return fe_handle(b->ctx->trace, x && ir_is_mutable(b, x) ? ir_op1(b, OP_clone, x) : x);
}

/* A write to a captured value can leave bodies of control flow, but no other function. */
static bool
is_out_of_reach(const cot_trace *t, uint32_t root)
{
    for (; t->slot[root].captured; t = t->outer) {
        if (!t->slot[root].from)
            return true;
        root = t->slot[root].from;
    }
    return false;
}

void
fe_write_slot(ir_build *b, const char *op, uint32_t id, ir_ref y)
{
    cot_trace *t = b->ctx->trace;
    uint32_t root = id;

    while (t->slot[root].base)
        root = t->slot[root].base;
    const ir_ref x = fe_writable(t, id);
    if (is_out_of_reach(t, root)) {
        ir_build_fail(b, op, ERR_assign_captured,
                      ir_type_str(b->ctx, ir_btype(b, t->slot[root].ref)));
        return;
    }
    for (const ir_node *n = ir_bdef(b, x); n && ir_is_alias(n->op); n = ir_bdef(b, n->in[0]))
        if (n->op == OP_view_broadcast &&
            ir_btype(b, n->first)->size != ir_btype(b, n->in[0])->size) {
            ir_build_fail(b, op, ERR_assign_repeats);
            return;
        }
    t->slot[root].written = b->loc;
    ir_node1(b, OP_assign, 2, (ir_ref[]){ x, y }, NULL);
}

void
fe_write(ir_build *b, const char *op, cot_value dst, ir_ref y)
{
    const uint32_t id = writable(b, op, dst);

    if (id && y)
        fe_write_slot(b, op, id, y);
}

/* ---- writes ---- */

typedef struct write {
    const char *op;
    cot_value dst;
    cot_operand y;
    ir_op with; /* dst with y is written; OP_none: y */
} write;

static bool
broadcasts(const ir_type *from, const ir_type *to)
{
    if (from->rank > to->rank)
        return false;
    for (int i = 1; i <= from->rank; i++)
        if (from->dims[from->rank - i] != to->dims[to->rank - i] &&
            from->dims[from->rank - i] != 1)
            return false;
    return true;
}

/* y of the type of the destination. */
static ir_ref
fitted(ir_build *b, const write *w, const fe_arg *y, const ir_type *to)
{
    if (y->kind != COT_IS_VALUE) {
        ir_ref one = fe_number(b, w->op, y, ir_scalar_type(b->ctx, to->dtype));
        return one ? ir_broadcast_scalar(b, one, to) : IR_NONE;
    }
    if (!y->ref)
        return IR_NONE;
    const ir_type *from = ir_btype(b, y->ref);
    if (!broadcasts(from, to)) {
        ir_build_fail(b, w->op, ERR_assign_shape, ir_type_str(b->ctx, to),
                      ir_type_str(b->ctx, from));
        return IR_NONE;
    }
    if (fe_promote(to->dtype, from->dtype) != to->dtype) {
        ir_build_fail(b, w->op, ERR_promote_into, cot_dtype_name(from->dtype),
                      cot_dtype_name(to->dtype));
        return IR_NONE;
    }
    return fe_broadcast_to(b, w->op, ir_convert(b, y->ref, to->dtype), to->rank, to->dims);
}

static ir_ref
write_rule(ir_build *b, const fe_arg *arg, int n, const void *options)
{
    const write *w = options;

    (void)n;
    if (!arg[0].ref)
        return IR_NONE;
    ir_ref y = fitted(b, w, &arg[1], ir_btype(b, arg[0].ref));
    if (w->with && y)
        y = ir_op2(b, w->with, arg[0].ref, y);
    fe_write(b, w->op, w->dst, y);
    return IR_NONE;
}

static cot_value
run_write(cot_place at, const char *op, ir_op with, cot_value dst, cot_operand y)
{
    const write w = { op, dst, y, with };

    fe_apply(at, op, write_rule, 2, (const cot_operand[]){ cot_operand_value(dst), y }, &w);
    return dst;
}

cot_value
cot_assign_(cot_place at, cot_value dst, cot_operand y)
{
    return run_write(at, "assign", OP_none, dst, y);
}

#define FE_ASSIGN(name)                                                                        \
    cot_value cot_##name##_assign_(cot_place at, cot_value dst, cot_operand y)                 \
    {                                                                                          \
        return run_write(at, #name "_assign", OP_##name, dst, y);                              \
    }
FE_ASSIGN(add)
FE_ASSIGN(sub)
FE_ASSIGN(mul)
FE_ASSIGN(div)
FE_ASSIGN(max)
FE_ASSIGN(min)

static ir_ref
clone(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n, (void)options;
    return ir_op1(b, OP_clone, x[0].ref);
}

cot_value
cot_clone_(cot_place at, cot_value x)
{
    return fe_apply1(at, "clone", clone, x, NULL);
}

/* ---- views ---- */

typedef ir_ref view_rule(ir_build *b, ir_ref x, const void *options);
typedef struct view_call {
    const char *op;
    view_rule *rule;
    cot_value x;
    const void *options;
    uint32_t base;
} view_call;

static ir_ref
view_apply(ir_build *b, const fe_arg *none, int n, const void *options)
{
    view_call *v = (view_call *)options;

    (void)none, (void)n;
    v->base = writable(b, v->op, v->x);
    return v->base ? v->rule(b, b->ctx->trace->slot[v->base].ref, v->options) : IR_NONE;
}

static cot_value
run_view(cot_place at, const char *op, view_rule *rule, cot_value x, const void *options)
{
    view_call v = { op, rule, x, options, 0 };
    cot_value y = fe_apply_in(x.ctx, at, op, view_apply, &v);

    if (y.id)
        y.ctx->trace->slot[y.id].base = v.base;
    return y;
}

static ir_ref
view_reshape(ir_build *b, ir_ref x, ir_ints shape)
{
    return ir_node1(b, OP_view_reshape, 1, &x, &(ir_attrs){ .shape = { shape } });
}

static ir_ref
view_box(ir_build *b, ir_ref x, const int64_t *start, const int64_t *limit,
         const int64_t *stride)
{
    const int rank = ir_btype(b, x)->rank;

    return ir_node1(
        b, OP_view_slice, 1, &x,
        &(ir_attrs){ .slice = { { rank, start }, { rank, limit }, { rank, stride } } });
}

/* The options of an op, read by the op's own rule; the nodes that it would make are replaced by
 * views. */
typedef struct like {
    fe_rule *rule;
    const void *options;
} like;

static ir_ref
same_options(ir_build *b, ir_ref x, const void *options)
{
    const like *l = options;
    const uint32_t before = b->n_nodes;
    const bool cse = b->cse, fold = b->fold;
    fe_arg arg = { x, COT_IS_VALUE, 0, 0 };

    b->cse = b->fold = false;
    ir_ref y = l->rule(b, &arg, 1, l->options);
    b->cse = cse, b->fold = fold;
    /* a node of a clone is never shared, so that it may still become the view of the same
     * type */
    static const ir_op pair[][2] = { { OP_slice, OP_view_slice },
                                     { OP_reshape, OP_view_reshape },
                                     { OP_transpose, OP_view_transpose },
                                     { OP_reverse, OP_view_reverse },
                                     { OP_broadcast_in_dim, OP_view_broadcast } };
    for (uint32_t i = before; i < b->n_nodes; i++)
        for (size_t k = 0; k < sizeof pair / sizeof *pair; k++)
            if (b->node[i].op == pair[k][0])
                b->node[i].op = (uint16_t)pair[k][1];
    return y;
}

cot_value
cot_view_slice_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return run_view(at, "view_slice", same_options, x, &(like){ fe_rule_slice, &opt });
}

cot_value
cot_view_transpose_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return run_view(at, "view_transpose", same_options, x, &(like){ fe_rule_transpose, &opt });
}

cot_value
cot_view_reverse_(cot_place at, cot_value x, const cot_move_options *o, size_t size)
{
    FE_OPTIONS(cot_move_options, opt, o, size);
    return run_view(at, "view_reverse", same_options, x, &(like){ fe_rule_reverse, &opt });
}

cot_value
cot_view_reshape_(cot_place at, cot_value x, cot_list shape)
{
    return run_view(at, "view_reshape", same_options, x, &(like){ fe_rule_reshape, &shape });
}

cot_value
cot_view_broadcast_(cot_place at, cot_value x, cot_list shape)
{
    return run_view(at, "view_broadcast", same_options, x,
                    &(like){ fe_rule_broadcast_to, &shape });
}

typedef struct pick {
    int axis;
    int64_t i;
} pick;

static ir_ref
view_at(ir_build *b, ir_ref x, const void *options)
{
    const pick *p = options;
    const ir_type *t = ir_btype(b, x);
    const int axis = fe_axis(b, "view_at", p->axis, t->rank);
    int64_t start[COT_MAX_RANK], limit[COT_MAX_RANK], stride[COT_MAX_RANK], left[COT_MAX_RANK];
    int k = 0;

    if (axis < 0)
        return IR_NONE;
    const int64_t i = p->i < 0 ? p->i + t->dims[axis] : p->i;
    if (i < 0 || i >= t->dims[axis]) {
        ir_build_fail(b, "view_at", ERR_index_range, (long long)p->i, axis,
                      ir_type_str(b->ctx, t));
        return IR_NONE;
    }
    for (int a = 0; a < t->rank; a++) {
        start[a] = a == axis ? i : 0;
        limit[a] = a == axis ? i + 1 : t->dims[a];
        stride[a] = 1;
        if (a != axis)
            left[k++] = t->dims[a];
    }
    return view_reshape(b, view_box(b, x, start, limit, stride), (ir_ints){ k, left });
}

cot_value
cot_view_at_(cot_place at, cot_value x, int64_t i, int axis)
{
    return run_view(at, "view_at", view_at, x, &(pick){ axis, i });
}

cot_value
cot_view_index_(cot_place at, cot_value x, int axis, int64_t i)
{
    return cot_view_at_(at, x, i, axis);
}

typedef struct box_options {
    cot_values starts;
    ir_ints sizes;
} box_options;

/* Starts that may be written later are copied, so that the view does not move. */
static ir_ref
view_dynamic_slice(ir_build *b, ir_ref x, const void *options)
{
    const box_options *o = options;
    ir_ref *in = IR_NEW_N(b->arena, ir_ref, o->starts.n + 1);

    in[0] = x;
    for (int i = 0; i < o->starts.n; i++) {
        ir_ref at = fe_resolve(b->ctx->trace, FE_AT(o->starts)[i], "view_dynamic_slice", i + 1);
        if (!at)
            return IR_NONE;
        in[i + 1] = ir_is_mutable(b, at) ? ir_op1(b, OP_clone, at) : at;
    }
    return ir_node1(b, OP_view_dynamic_slice, o->starts.n + 1, in,
                    &(ir_attrs){ .sizes = { o->sizes } });
}

cot_value
cot_view_dynamic_slice_(cot_place at, cot_value x, cot_values starts, cot_list sizes)
{
    fe_readable(&starts);
    return run_view(at, "view_dynamic_slice", view_dynamic_slice, x,
                    &(box_options){ starts, fe_list(&sizes) });
}

/* The last two axes as one, in which a diagonal has the stride n + 1. */
static ir_ref
view_diagonal(ir_build *b, ir_ref x, const void *options)
{
    const int64_t offset = *(const int64_t *)options;
    const ir_type *t = ir_btype(b, x);
    int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK], stride[COT_MAX_RANK];

    if (t->rank < 2) {
        ir_build_fail(b, "view_diagonal", ERR_rank_least, ir_type_str(b->ctx, t), 2);
        return IR_NONE;
    }
    const int last = t->rank - 2;
    const int64_t rows = t->dims[last], columns = t->dims[last + 1];
    const int64_t row = offset < 0 ? -offset : 0, column = offset > 0 ? offset : 0;
    const int64_t room = rows - row < columns - column ? rows - row : columns - column;
    const int64_t count = room > 0 ? room : 0;
    for (int a = 0; a < last; a++) {
        limit[a] = t->dims[a];
        stride[a] = 1;
    }
    limit[last] = rows * columns;
    ir_ref flat = view_reshape(b, x, (ir_ints){ last + 1, limit });
    stride[last] = columns + 1;
    start[last] = count ? row * columns + column : 0;
    limit[last] = count ? start[last] + (count - 1) * (columns + 1) + 1 : 0;
    return flat ? view_box(b, flat, start, limit, stride) : IR_NONE;
}

cot_value
cot_view_diagonal_(cot_place at, cot_value x, int64_t offset)
{
    return run_view(at, "view_diagonal", view_diagonal, x, &offset);
}
