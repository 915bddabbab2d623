/* Products of vectors, powers of elements, and the rank of a matrix. */
#include <float.h>

#include "frontend/sugar/linalg.h"

#include "ir/diag.h"

/* Elements k, k + 1 (from the front again) and so on of a last axis of size 3. */
static ir_ref
rotated(ir_build *b, ir_ref x, int64_t k)
{
    const int last = fe_rank(b, x) - 1;
    ir_ref part[2] = { ir_slice_axis(b, x, last, k, 3), ir_slice_axis(b, x, last, 0, k) };

    return part[0] && part[1] ? ir_concatenate(b, 2, part, last) : IR_NONE;
}

static ir_ref
cross(ir_build *b, const fe_arg *a, int n, const void *options)
{
    (void)options;
    for (int i = 0; i < n; i++) {
        if (!a[i].ref)
            return IR_NONE;
        const ir_type *t = ir_btype(b, a[i].ref);
        if (t->rank > 0 && t->dims[t->rank - 1] == 3)
            continue;
        ir_build_fail(b, "cross", ERR_operand_type, i, ir_type_str(b->ctx, t),
                      "a last axis of size 3");
        return IR_NONE;
    }
    ir_ref x = a[0].ref, y = a[1].ref;
    ir_ref right = rotated(b, y, 1);
    ir_ref product = fe_op2(b, OP_mul, rotated(b, x, 2), right);
    ir_ref rotated_y = rotated(b, y, 2);
    return fe_op2(b, OP_sub, fe_op2(b, OP_mul, rotated(b, x, 1), rotated_y), product);
}

cot_value
cot_cross_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "cross", cross, x, y, NULL);
}

/* sum conj(x) y along the last axis, rounded once. */
static ir_ref
vecdot(ir_build *b, const fe_arg *a, int n, const void *options)
{
    (void)options;
    for (int i = 0; i < n; i++) {
        if (!a[i].ref)
            return IR_NONE;
        const ir_type *t = ir_btype(b, a[i].ref);
        if (t->rank > 0)
            continue;
        ir_build_fail(b, "vecdot", ERR_rank_least, ir_type_str(b->ctx, t), 1);
        return IR_NONE;
    }
    const cot_dtype t = fe_promote(ir_btype(b, a[0].ref)->dtype, ir_btype(b, a[1].ref)->dtype);
    ir_ref x = fe_conj(b, fe_widen(b, a[0].ref)),
           y = fe_op2(b, OP_mul, x, fe_widen(b, a[1].ref));
    y = y ? ir_reduce(b, OP_reduce_sum, y, ir_axes_of(fe_rank(b, y) - 1)) : IR_NONE;
    return y ? fe_narrow(b, y, t) : IR_NONE;
}

cot_value
cot_vecdot_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "vecdot", vecdot, x, y, NULL);
}

/* As running products, whose derivative at 0 divides by nothing. */
static ir_ref
vander(ir_build *b, const fe_arg *a, int n, const void *options)
{
    const int64_t powers = *(const int64_t *)options;
    ir_ref x = a[0].ref;

    (void)n;
    if (!x)
        return IR_NONE;
    const int axis = ir_btype(b, x)->rank;
    if (powers < 0) {
        ir_build_fail(b, "vander", ERR_attr_value, "n", (long long)powers, "0 or more");
        return IR_NONE;
    }
    ir_ref one = ir_broadcast_axis(b, ir_like(b, x, 1), axis, powers < 1 ? powers : 1);
    if (powers <= 1)
        return one;
    ir_ref rest = ir_broadcast_axis(b, x, axis, powers - 1);
    rest = ir_node1(b, OP_cumprod, 1, &rest, &(ir_attrs){ .cumulate = { .axis = axis } });
    return rest ? ir_concatenate(b, 2, (ir_ref[]){ one, rest }, axis) : IR_NONE;
}

cot_value
cot_vander_(cot_place at, cot_value x, int64_t n)
{
    return fe_apply1(at, "vander", vander, x, &n);
}

static ir_ref
matrix_rank(ir_build *b, const fe_arg *a, int n, const void *options)
{
    double tolerance = *(const double *)options;
    ir_ref x = fe_widen(b, fe_matrix(b, "matrix_rank", a[0].ref, false));

    (void)n;
    if (!x)
        return IR_NONE;
    const int64_t rows = fe_size(b, x, -2), cols = fe_size(b, x, -1);
    const bool wide = ir_part_type(ir_btype(b, x)->dtype) == COT_F64;
    const double eps = wide ? DBL_EPSILON : (double)FLT_EPSILON;
    if (tolerance == 0)
        tolerance = (double)(rows > cols ? rows : cols) * eps;
    ir_ref s = fe_svdvals(b, ir_op1(b, OP_stop_gradient, x));
    const int last = fe_rank(b, s) - 1;
    ir_ref count = s ? ir_convert(b, ir_op2(b, OP_ne, s, ir_like(b, s, 0)), COT_I32) : IR_NONE;
    if (s && rows > 0 && cols > 0) {
        ir_ref top = ir_reduce(b, OP_reduce_max, s, ir_axes_of(last));
        ir_ref least = top ? ir_mul(b, top, ir_like(b, top, tolerance)) : IR_NONE;
        least = least ? ir_broadcast_axis(b, least, last, rows < cols ? rows : cols) : IR_NONE;
        count = ir_convert(b, ir_op2(b, OP_gt, s, least), COT_I32);
    }
    return count ? ir_reduce(b, OP_reduce_sum, count, ir_axes_of(last)) : IR_NONE;
}

cot_value
cot_matrix_rank_(cot_place at, cot_value x, double tolerance)
{
    return fe_apply1(at, "matrix_rank", matrix_rank, x, &tolerance);
}
