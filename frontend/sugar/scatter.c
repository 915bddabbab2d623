/* Updates along an axis, and reductions by segment: scatters with their dimension numbers.
 *
 * Indices outside are dropped by the mode fill.  A segment reduction scatters into the
 * neutral element, which the reduction of nothing gives; sums are then those of scatter_add:
 * the elements of a segment in their order. */
#include "cotrace/index.h"

#include "frontend/trace.h"

static const ir_op scatters[] = { OP_scatter, OP_scatter_add, OP_scatter_mul, OP_scatter_min,
                                  OP_scatter_max };

typedef struct along_call {
    cot_update_kind kind;
    int axis;
    int64_t n;
} along_call;

/* The other axes are batch axes of both. */
static ir_ref
scatter_along(ir_build *b, const along_call *c, ir_ref x, ir_ref index, ir_ref y, int axis)
{
    const ir_type *t = ir_btype(b, x);
    int64_t at[1] = { axis }, others[COT_MAX_RANK];
    int k = 0;

    for (int i = 0; i < t->rank; i++)
        if (i != axis)
            others[k++] = i;
    ir_attrs a = { .scatter = { .inserted = { 1, at },
                                .operand_batch = { k, others },
                                .indices_batch = { k, others },
                                .index_map = { 1, at },
                                .mode = IR_MODE_FILL } };
    ir_ref i = fe_from_start(b, index, t->dims[axis]);
    ir_ref in[3] = { x, i ? ir_broadcast_axis(b, i, t->rank, 1) : IR_NONE, y };
    return in[1] && y ? ir_node1(b, scatters[c->kind], 3, in, &a) : IR_NONE;
}

static ir_ref
put_along(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const along_call *c = options;
    const char *const op = c->kind == COT_UPDATE_SET ? "put_along" : "add_along";

    (void)n;
    if (!x[0].ref || !x[1].ref)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x[0].ref), *it = ir_btype(b, x[1].ref);
    const int axis = fe_axis(b, op, c->axis, t->rank);
    bool fits = it->rank == t->rank;
    for (int i = 0; i < t->rank && fits; i++)
        fits = i == axis || t->dims[i] == it->dims[i];
    if (axis < 0 || b->status != COT_OK)
        return IR_NONE;
    if (!fits || !ir_is_int(it->dtype)) {
        ir_build_fail(b, op, fits ? ERR_dtypes_differ : ERR_shapes_differ,
                      ir_type_str(b->ctx, t), ir_type_str(b->ctx, it));
        return IR_NONE;
    }
    const ir_type *to = ir_type_as(b->ctx, it, t->dtype);
    ir_ref y = x[2].kind != COT_IS_VALUE
                   ? fe_number(b, op, &x[2], to)
                   : fe_broadcast_to(b, op, fe_convert_into(b, op, x[2].ref, t->dtype),
                                     to->rank, to->dims);
    return scatter_along(b, c, x[0].ref, x[1].ref, y, axis);
}

cot_value
cot_put_along_(cot_place at, cot_update_kind kind, cot_value x, cot_value index, cot_operand y,
               int axis)
{
    return fe_apply(at, kind == COT_UPDATE_SET ? "put_along" : "add_along", put_along, 3,
                    (const cot_operand[]){ cot_operand_value(x), cot_operand_value(index), y },
                    &(along_call){ kind, axis, 0 });
}

/* What a reduction of nothing gives, as every element of a type. */
static ir_ref
neutral(ir_build *b, cot_update_kind kind, const ir_type *t)
{
    static const ir_op reduction[] = { OP_COUNT, OP_reduce_sum, OP_reduce_prod, OP_reduce_min,
                                       OP_reduce_max };
    const ir_type *none = ir_type_new(b->ctx, t->dtype, 1, (const int64_t[]){ 0 });
    ir_ref x = ir_reduce(b, reduction[kind], ir_zeros(b, none), 1);

    return x ? ir_broadcast_scalar(b, x, t) : IR_NONE;
}

static ir_ref
segment(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const along_call *c = options;
    const ir_type *t = ir_btype(b, x[0].ref), *it = ir_btype(b, x[1].ref);
    int64_t shape[COT_MAX_RANK], window[COT_MAX_RANK], zero = 0;
    int k = 1;

    (void)n;
    if (!ir_is_int(it->dtype) || it->rank < 1 || it->rank > t->rank || c->n < 0 ||
        memcmp(t->dims, it->dims, sizeof *t->dims * (size_t)it->rank) != 0) {
        ir_build_fail(b, "segment", ERR_segment_ids, ir_type_str(b->ctx, t),
                      ir_type_str(b->ctx, it));
        return IR_NONE;
    }
    shape[0] = c->n;
    for (int i = it->rank; i < t->rank; i++, k++) {
        shape[k] = t->dims[i];
        window[k - 1] = i;
    }
    const ir_type *to = ir_type_shaped(b->ctx, t, k, shape);
    ir_attrs a = { .scatter = { .window_dims = { k - 1, window },
                                .inserted = { 1, &zero },
                                .index_map = { 1, &zero },
                                .mode = IR_MODE_FILL } };
    ir_ref in[3] = { to ? neutral(b, c->kind, to) : IR_NONE,
                     ir_broadcast_axis(b, x[1].ref, it->rank, 1), x[0].ref };
    return in[0] && in[1] ? ir_node1(b, scatters[c->kind], 3, in, &a) : IR_NONE;
}

cot_value
cot_segment_(cot_place at, cot_update_kind kind, cot_value x, cot_value ids, int64_t n)
{
    return fe_apply2(at, "segment", segment, x, ids, &(along_call){ kind, 0, n });
}
