/* One public function for every op.
 *
 * Plain pointwise ops expand from ir/ops.def: of one operand they take a value, of two or three
 * they broadcast and promote.  The others read their options into the record of attributes;
 * what the records mean is checked by inference, here only what the API adds: defaults,
 * negative axes. */
#include "frontend/trace.h"

#include "ir/diag.h"

/* ---- pointwise ---- */

static ir_ref
unary(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return ir_op1(b, *(const ir_op *)o, x[0].ref);
}

static ir_ref
several(ir_build *b, const fe_arg *x, int n, const void *o)
{
    static const bool chosen[3] = { false, true, true };
    ir_op op = *(const ir_op *)o;
    ir_ref y[3];

    if (op == OP_pow && x[0].ref && x[1].kind == COT_IS_INT)
        return ir_integer_pow(b, x[0].ref, x[1].integer);
    if (!fe_unify(b, ir_ops[op].name, n, x, op == OP_select ? chosen : NULL, y))
        return IR_NONE;
    return ir_node1(b, op, n, y, NULL);
}

#define FE_1(name)                                                                             \
    cot_value cot_##name##_(cot_place at, cot_value x)                                         \
    {                                                                                          \
        return fe_apply1(at, #name, unary, x, &(const ir_op){ OP_##name });                    \
    }
#define FE_2(name)                                                                             \
    cot_value cot_##name##_(cot_place at, cot_operand x, cot_operand y)                        \
    {                                                                                          \
        return fe_apply(at, #name, several, 2, (const cot_operand[]){ x, y },                  \
                        &(const ir_op){ OP_##name });                                          \
    }
#define FE_3(name)                                                                             \
    cot_value cot_##name##_(cot_place at, cot_operand x, cot_operand y, cot_operand z)         \
    {                                                                                          \
        return fe_apply(at, #name, several, 3, (const cot_operand[]){ x, y, z },               \
                        &(const ir_op){ OP_##name });                                          \
    }
/* Only rows that are pointwise and without attributes expand to something. */
#define FE_RECORD_none(name, n_in) FE_##n_in(name)
#define FE_RECORD_ipow(...)
#define FE_RECORD_word(...)
#define FE_RECORD_dtype(...)
#define FE_RECORD_precision(...)
#define FE_FLAG_POINTWISE(attrs, ...) FE_RECORD_##attrs(__VA_ARGS__)
#define FE_FLAG_MOVE(...)
#define FE_FLAG_REDUCE(...)
#define FE_FLAG_CONTRACT(...)
#define FE_FLAG_LINE(...)
#define FE_FLAG_INDEX(...)
#define FE_FLAG_COLLECTIVE(...)
#define FE_FLAG_FLOW(...)
#define FE_FLAG_EFFECT(...)
#define FE_FLAG_EXPAND(...)
#define OP(name, n_in, attrs, flag, ...) FE_FLAG_##flag(attrs, name, n_in)
#include "ir/ops.def"
#undef OP

cot_value
cot_clip_(cot_place at, cot_operand x, cot_operand low, cot_operand high)
{
    return fe_apply(at, "clip", several, 3, (const cot_operand[]){ low, x, high },
                    &(const ir_op){ OP_clamp });
}

static ir_ref
integer_pow(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return ir_integer_pow(b, x[0].ref, *(const int64_t *)o);
}

cot_value
cot_integer_pow_(cot_place at, cot_value x, int64_t y)
{
    return fe_apply1(at, "integer_pow", integer_pow, x, &y);
}

static bool
is_dtype(ir_build *b, const char *op, cot_dtype t)
{
    if (t > COT_DTYPE_NONE && t < COT_DTYPE_COUNT)
        return true;
    ir_build_fail(b, op, ERR_dtype_unknown, (int)t);
    return false;
}

static ir_ref
convert(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return is_dtype(b, "convert", *(const cot_dtype *)o)
               ? ir_convert(b, x[0].ref, *(const cot_dtype *)o)
               : IR_NONE;
}

cot_value
cot_convert_(cot_place at, cot_value x, cot_dtype dtype)
{
    return fe_apply1(at, "convert", convert, x, &dtype);
}

static ir_ref
bitcast(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_attrs a = { .dtype = { *(const cot_dtype *)o } };

    (void)n;
    return is_dtype(b, "bitcast", a.dtype.dtype) ? ir_node1(b, OP_bitcast, 1, &x[0].ref, &a)
                                                 : IR_NONE;
}

cot_value
cot_bitcast_(cot_place at, cot_value x, cot_dtype dtype)
{
    return fe_apply1(at, "bitcast", bitcast, x, &dtype);
}

/* ---- from nothing ---- */

typedef struct made {
    cot_type type;
    const void *elements;
    cot_operand x;
    int axis;
} made;

static ir_ref
constant(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const made *m = o;
    const ir_type *t = ir_type_of(b->ctx, &m->type);

    (void)x, (void)n;
    if (!t)
        b->status = b->ctx->status;
    else if (!m->elements && t->size > 0)
        ir_build_fail(b, "constant", ERR_array_null, ir_type_str(b->ctx, t));
    return b->status == COT_OK ? ir_constant(b, t, m->elements) : IR_NONE;
}

static ir_ref
full(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const made *m = o;
    fe_arg a = { IR_NONE, m->x.kind, m->x.real, m->x.integer };
    const ir_type *t = ir_type_of(b->ctx, &m->type);

    (void)x, (void)n;
    if (!t)
        b->status = b->ctx->status;
    return t ? fe_number(b, "full", &a, t) : IR_NONE;
}

/* A value spread over the type's shape. */
static ir_ref
full_of_value(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const made *m = o;
    const ir_type *t = ir_type_of(b->ctx, &m->type);

    (void)n;
    if (!t)
        b->status = b->ctx->status;
    return t ? fe_broadcast_to(b, "full", ir_convert(b, x[0].ref, t->dtype), t->rank, t->dims)
             : IR_NONE;
}

static ir_ref
iota(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const made *m = o;
    const ir_type *t = ir_type_of(b->ctx, &m->type);

    (void)x, (void)n;
    if (!t)
        b->status = b->ctx->status;
    int axis = t ? fe_axis(b, "iota", m->axis, t->rank) : -1;
    return axis >= 0 ? ir_iota(b, t->dtype, t->rank, t->dims, axis) : IR_NONE;
}

cot_value
cot_constant_(cot_place at, cot_trace *t, cot_type type, const void *elements)
{
    return fe_apply0(at, t, "constant", constant,
                     &(made){ .type = type, .elements = elements });
}

cot_value
cot_full_(cot_place at, cot_trace *t, cot_type type, cot_operand x)
{
    made m = { .type = type, .x = x };

    return x.kind == COT_IS_VALUE ? fe_apply1(at, "full", full_of_value, x.value, &m)
                                  : fe_apply0(at, t, "full", full, &m);
}

cot_value
cot_iota_(cot_place at, cot_trace *t, cot_type type, int axis)
{
    return fe_apply0(at, t, "iota", iota, &(made){ .type = type, .axis = axis });
}

/* ---- reductions and products ---- */

typedef struct reduction {
    ir_op op;
    cot_reduce_options o;
} reduction;

static ir_ref
reduce(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const reduction *r = o;
    int rank = x[0].ref ? ir_btype(b, x[0].ref)->rank : 0;
    ir_axes axes;

    (void)n;
    if (!fe_axes(b, ir_ops[r->op].name, r->o.axes, rank, ir_axes_below(rank), &axes))
        return IR_NONE;
    return fe_reduce(b, r->op, x[0].ref, axes, r->o.keepdims);
}

#define FE_REDUCE(name)                                                                        \
    cot_value cot_##name##_(cot_place at, cot_value x, const cot_reduce_options *o,            \
                            size_t size)                                                       \
    {                                                                                          \
        reduction r = { .op = OP_##name };                                                     \
        fe_options(&r.o, sizeof r.o, o, size);                                                 \
        return fe_apply1(at, #name, reduce, x, &r);                                            \
    }
FE_REDUCE(reduce_sum)
FE_REDUCE(reduce_prod)
FE_REDUCE(reduce_max)
FE_REDUCE(reduce_min)
FE_REDUCE(reduce_and)
FE_REDUCE(reduce_or)

typedef struct arg_search {
    ir_op op;
    cot_arg_options o;
} arg_search;

static ir_ref
arg(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const arg_search *s = o;
    const char *op = ir_ops[s->op].name;
    int axis = x[0].ref ? fe_axis(b, op, s->o.axis, ir_btype(b, x[0].ref)->rank) : -1;

    (void)n;
    if (axis < 0)
        return IR_NONE;
    ir_attrs a = { .arg = { axis, s->o.dtype ? s->o.dtype : COT_I32 } };
    ir_ref y = ir_node1(b, s->op, 1, &x[0].ref, &a);
    return y && s->o.keepdims ? ir_broadcast_axis(b, y, axis, 1) : y;
}

cot_value
cot_argmax_(cot_place at, cot_value x, const cot_arg_options *o, size_t size)
{
    arg_search s = { .op = OP_argmax };
    fe_options(&s.o, sizeof s.o, o, size);
    return fe_apply1(at, "argmax", arg, x, &s);
}

cot_value
cot_argmin_(cot_place at, cot_value x, const cot_arg_options *o, size_t size)
{
    arg_search s = { .op = OP_argmin };
    fe_options(&s.o, sizeof s.o, o, size);
    return fe_apply1(at, "argmin", arg, x, &s);
}

/* Axis numbers of dot_general, made non-negative. */
static bool
dot_axes(ir_build *b, cot_list list, int rank, int64_t *out)
{
    for (int i = 0; i < list.n; i++) {
        int k = fe_axis(b, "dot_general", FE_AT(list)[i], rank);
        if (k < 0)
            return false;
        out[i] = k;
    }
    return true;
}

static ir_ref
dot_general(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_dot_options *o = options;
    cot_dtype t;
    int64_t axes[4][COT_MAX_RANK];
    const fe_named_list lists[] = { { "lhs", o->lhs },
                                    { "rhs", o->rhs },
                                    { "lhs_batch", o->lhs_batch },
                                    { "rhs_batch", o->rhs_batch } };

    (void)n;
    if (!x[0].ref || !x[1].ref || !fe_lists(b, "dot_general", 4, lists))
        return IR_NONE;
    const ir_type *tx = ir_btype(b, x[0].ref), *ty = ir_btype(b, x[1].ref);
    if (o->lhs.n > COT_MAX_RANK || o->rhs.n > COT_MAX_RANK || o->lhs_batch.n > COT_MAX_RANK ||
        o->rhs_batch.n > COT_MAX_RANK) {
        ir_build_fail(b, "dot_general", ERR_rank_limit, COT_MAX_RANK + 1);
        return IR_NONE;
    }
    if (!dot_axes(b, o->lhs, tx->rank, axes[0]) || !dot_axes(b, o->rhs, ty->rank, axes[1]) ||
        !dot_axes(b, o->lhs_batch, tx->rank, axes[2]) ||
        !dot_axes(b, o->rhs_batch, ty->rank, axes[3]))
        return IR_NONE;
    t = fe_promote(tx->dtype, ty->dtype);
    if (t == COT_DTYPE_NONE) {
        ir_build_fail(b, "dot_general", ERR_promote, cot_dtype_name(tx->dtype),
                      cot_dtype_name(ty->dtype));
        return IR_NONE;
    }
    ir_ref converted = ir_convert(b, x[1].ref, t);
    return ir_dot(b, ir_convert(b, x[0].ref, t), converted, (ir_ints){ o->lhs.n, axes[0] },
                  (ir_ints){ o->rhs.n, axes[1] }, (ir_ints){ o->lhs_batch.n, axes[2] },
                  (ir_ints){ o->rhs_batch.n, axes[3] });
}

cot_value
cot_dot_general_(cot_place at, cot_value x, cot_value y, const cot_dot_options *o, size_t size)
{
    FE_OPTIONS(cot_dot_options, opt, o, size);
    return fe_apply2(at, "dot_general", dot_general, x, y, &opt);
}
