/* Choosing and indexing. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"

static ir_ref
where(ir_build *b, const fe_arg *x, int n, const void *o)
{
    static const bool data[3] = { false, true, true };
    ir_ref y[3];

    (void)o;
    return fe_unify(b, "where", n, x, data, y) ? ir_node1(b, OP_select, 3, y, NULL) : IR_NONE;
}

cot_value
cot_where_(cot_place at, cot_value p, cot_operand x, cot_operand y)
{
    return fe_apply(at, "where", where, 3, (const cot_operand[]){ cot_operand_value(p), x, y },
                    NULL);
}

typedef struct classes {
    int64_t n;
    cot_dtype dtype;
} classes;

static bool
integers(ir_build *b, const char *op, ir_ref x)
{
    if (ir_is_int(ir_btype(b, x)->dtype))
        return true;
    ir_build_fail(b, op, ERR_dtype_not, ir_type_str(b->ctx, ir_btype(b, x)), "an integer type");
    return false;
}

static ir_ref
one_hot(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const classes *c = o;

    (void)n;
    if (!integers(b, "one_hot", x[0].ref))
        return IR_NONE;
    ir_ref wide = ir_convert(b, x[0].ref, COT_I64);
    const ir_type *t = ir_type_open(b->ctx, ir_btype(b, wide), ir_btype(b, wide)->rank, c->n);
    if (!t) {
        b->status = b->ctx->status;
        return IR_NONE;
    }
    ir_ref index = ir_broadcast_axis(b, wide, t->rank - 1, c->n);
    ir_ref same = ir_op2(b, OP_eq, ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 1), index);
    return ir_convert(b, same, c->dtype);
}

cot_value
cot_one_hot_(cot_place at, cot_value index, int64_t n, cot_dtype dtype)
{
    return fe_apply1(at, "one_hot", one_hot, index, &(classes){ n, dtype });
}

ir_ref
fe_from_start(ir_build *b, ir_ref index, int64_t size)
{
    const ir_type *t = ir_btype(b, index);
    bool small = size <= INT32_MAX && ir_bits(t->dtype) <= 32 && t->dtype != COT_U32;
    ir_ref i = ir_convert(b, index, small ? COT_I32 : COT_I64);

    if (ir_is_signed(t->dtype)) {
        const ir_type *it = ir_btype(b, i);
        ir_ref below = ir_op2(b, OP_lt, i, ir_zeros(b, it));
        i = ir_select(b, below, ir_add(b, i, ir_splat_int(b, it, size)), i);
    }
    return i;
}

/* The same with the axis of index vectors. */
static ir_ref
index_vectors(ir_build *b, ir_ref index, int64_t size)
{
    ir_ref i = fe_from_start(b, index, size);

    return i ? ir_broadcast_axis(b, i, ir_btype(b, i)->rank, 1) : IR_NONE;
}

static ir_ref
take(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const ir_type *t = ir_btype(b, x[0].ref), *it = ir_btype(b, x[1].ref);
    int axis = fe_axis(b, "take", *(const int *)o, t->rank), k = 0;
    int64_t at[1] = { axis }, offset[COT_MAX_RANK], sizes[COT_MAX_RANK];

    (void)n;
    if (axis < 0 || !integers(b, "take", x[1].ref))
        return IR_NONE;
    for (int i = 0; i < t->rank; i++) {
        sizes[i] = i == axis ? 1 : t->dims[i];
        if (i != axis)
            offset[k++] = i < axis ? i : i - 1 + it->rank;
    }
    ir_attrs a = { .gather = { .offset_dims = { k, offset },
                               .collapsed = { 1, at },
                               .index_map = { 1, at },
                               .sizes = { t->rank, sizes },
                               .mode = IR_MODE_CLIP } };
    ir_ref in[2] = { x[0].ref, index_vectors(b, x[1].ref, t->dims[axis]) };
    return ir_node1(b, OP_gather, 2, in, &a);
}

cot_value
cot_take_(cot_place at, cot_value x, cot_value index, int axis)
{
    return fe_apply2(at, "take", take, x, index, &axis);
}

/* Every axis but one is a batch axis of both. */
ir_ref
fe_along(ir_build *b, ir_ref x, ir_ref vectors, int axis, ir_mode mode)
{
    const ir_type *t = x ? ir_btype(b, x) : NULL;
    int64_t at[1] = { axis }, others[COT_MAX_RANK], sizes[COT_MAX_RANK];
    int k = 0;

    if (!t)
        return IR_NONE;
    for (int i = 0; i < t->rank; i++) {
        sizes[i] = 1;
        if (i != axis)
            others[k++] = i;
    }
    ir_attrs a = { .gather = { .collapsed = { 1, at },
                               .operand_batch = { k, others },
                               .indices_batch = { k, others },
                               .index_map = { 1, at },
                               .sizes = { t->rank, sizes },
                               .mode = mode } };
    return ir_node1(b, OP_gather, 2, (ir_ref[]){ x, vectors }, &a);
}

static ir_ref
take_along(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const ir_type *t = ir_btype(b, x[0].ref), *it = ir_btype(b, x[1].ref);
    int axis = fe_axis(b, "take_along", *(const int *)o, t->rank);

    (void)n;
    if (axis < 0 || !integers(b, "take_along", x[1].ref))
        return IR_NONE;
    if (it->rank != t->rank) {
        ir_build_fail(b, "take_along", ERR_shapes_differ, ir_type_str(b->ctx, t),
                      ir_type_str(b->ctx, it));
        return IR_NONE;
    }
    return fe_along(b, x[0].ref, index_vectors(b, x[1].ref, t->dims[axis]), axis, IR_MODE_CLIP);
}

cot_value
cot_take_along_(cot_place at, cot_value x, cot_value index, int axis)
{
    return fe_apply2(at, "take_along", take_along, x, index, &axis);
}

typedef struct shifted {
    int64_t shift;
    int axis;
} shifted;

static ir_ref
roll(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const shifted *s = o;
    const ir_type *t = ir_btype(b, x[0].ref);
    int axis = fe_axis(b, "roll", s->axis, t->rank);

    (void)n;
    if (axis < 0 || t->dims[axis] == 0)
        return axis < 0 ? IR_NONE : x[0].ref;
    int64_t size = t->dims[axis], k = s->shift % size;
    k = k < 0 ? k + size : k;
    if (k == 0)
        return x[0].ref;
    ir_ref part[2] = { ir_slice_axis(b, x[0].ref, axis, size - k, size),
                       ir_slice_axis(b, x[0].ref, axis, 0, size - k) };
    return ir_concatenate(b, 2, part, axis);
}

cot_value
cot_roll_(cot_place at, cot_value x, int64_t shift, int axis)
{
    return fe_apply1(at, "roll", roll, x, &(shifted){ shift, axis });
}

/* x where column - row is at most (lower) or at least (upper) k, else 0. */
static ir_ref
triangle(ir_build *b, const char *op, ir_ref x, int64_t k, bool lower)
{
    const ir_type *t = ir_btype(b, x);

    if (t->rank < 2) {
        ir_build_fail(b, op, ERR_rank_least, ir_type_str(b->ctx, t), 2);
        return IR_NONE;
    }
    const int64_t *shape = t->dims + t->rank - 2;
    ir_ref row = ir_iota(b, COT_I64, 2, shape, 0), column = ir_iota(b, COT_I64, 2, shape, 1);
    ir_ref d = ir_sub(b, column, row);
    ir_ref keep =
        d ? ir_op2(b, lower ? OP_le : OP_ge, d, ir_splat_int(b, ir_btype(b, d), k)) : IR_NONE;
    ir_ref zero = ir_like(b, x, 0);
    return ir_select(b, fe_broadcast_to(b, op, keep, t->rank, t->dims), x, zero);
}

static ir_ref
tril(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return triangle(b, "tril", x[0].ref, *(const int64_t *)o, true);
}

static ir_ref
triu(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return triangle(b, "triu", x[0].ref, *(const int64_t *)o, false);
}

cot_value
cot_tril_(cot_place at, cot_value x, int64_t k)
{
    return fe_apply1(at, "tril", tril, x, &k);
}

cot_value
cot_triu_(cot_place at, cot_value x, int64_t k)
{
    return fe_apply1(at, "triu", triu, x, &k);
}
