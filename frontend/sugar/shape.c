/* Shapes, and arrays made from nothing. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"

static ir_ref
squeeze(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const ir_type *t = ir_btype(b, x[0].ref);
    ir_axes ones = 0, axes;
    int64_t shape[COT_MAX_RANK];
    int rank = 0;
    cot_list list = *(const cot_list *)o;

    (void)n;
    for (int k = 0; k < t->rank; k++)
        ones |= t->dims[k] == 1 ? ir_axes_of(k) : 0;
    if (list.n == 0)
        list = (cot_list){ 0 };
    if (!fe_axes(b, "squeeze", list, t->rank, ones, &axes))
        return IR_NONE;
    for (int k = 0; k < t->rank; k++) {
        if (!ir_axes_has(axes, k)) {
            shape[rank++] = t->dims[k];
        } else if (t->dims[k] != 1) {
            ir_build_fail(b, "squeeze", ERR_size_not, k, ir_type_str(b->ctx, t), 1LL);
            return IR_NONE;
        }
    }
    return ir_reshape(b, x[0].ref, rank, shape);
}

cot_value
cot_squeeze_(cot_place at, cot_value x, cot_list axes)
{
    return fe_apply1(at, "squeeze", squeeze, x, &axes);
}

static ir_ref
with_axis(ir_build *b, const char *op, ir_ref x, int place)
{
    const ir_type *t = ir_btype(b, x);
    int64_t shape[COT_MAX_RANK + 1];
    int axis = fe_axis(b, op, place, t->rank + 1);

    if (axis < 0)
        return IR_NONE;
    for (int k = 0; k <= t->rank; k++)
        shape[k] = k < axis ? t->dims[k] : k == axis ? 1 : t->dims[k - 1];
    return ir_reshape(b, x, t->rank + 1, shape);
}

static ir_ref
expand_dims(ir_build *b, const fe_arg *x, int n, const void *o)
{
    (void)n;
    return with_axis(b, "expand_dims", x[0].ref, *(const int *)o);
}

cot_value
cot_expand_dims_(cot_place at, cot_value x, int axis)
{
    return fe_apply1(at, "expand_dims", expand_dims, x, &axis);
}

static ir_ref
stack(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, n + 1);
    int place = *(const int *)o;

    if (!fe_unify(b, "stack", n, x, NULL, part))
        return IR_NONE;
    int axis = fe_axis(b, "stack", place, ir_btype(b, part[0])->rank + 1);
    if (axis < 0)
        return IR_NONE;
    for (int i = 0; i < n; i++)
        part[i] = with_axis(b, "stack", part[i], axis);
    return ir_concatenate(b, n, part, axis);
}

cot_value
cot_stack_(cot_place at, cot_values xs, int axis)
{
    fe_readable(&xs);
    return fe_apply_values(at, "stack", stack, xs, &axis);
}

/* Part i of n along an axis; n == 0: element i, without the axis. */
typedef struct axis_part {
    int64_t i;
    int n, axis;
} axis_part;

static ir_ref
take_part(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const axis_part *p = o;
    const ir_type *t = ir_btype(b, x[0].ref);
    int axis = fe_axis(b, "split", p->axis, t->rank);

    (void)n;
    if (axis < 0)
        return IR_NONE;
    if (p->n < 1 || t->dims[axis] % p->n != 0) {
        ir_build_fail(b, "split", ERR_split, axis, ir_type_str(b->ctx, t), p->n);
        return IR_NONE;
    }
    int64_t size = t->dims[axis] / p->n;
    return ir_slice_axis(b, x[0].ref, axis, p->i * size, (p->i + 1) * size);
}

void
cot_split_(cot_place at, cot_value x, int n, int axis, cot_value *out)
{
    for (int i = 0; out && i < n; i++)
        out[i] = fe_apply1(at, "split", take_part, x, &(axis_part){ i, n, axis });
}

static ir_ref
element(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const axis_part *p = o;
    const ir_type *t = ir_btype(b, x[0].ref);
    int axis = fe_axis(b, "index", p->axis, t->rank);

    (void)n;
    if (axis < 0)
        return IR_NONE;
    int64_t i = p->i < 0 ? p->i + t->dims[axis] : p->i;
    if (i < 0 || i >= t->dims[axis]) {
        ir_build_fail(b, "index", ERR_index_range, (long long)p->i, axis,
                      ir_type_str(b->ctx, t));
        return IR_NONE;
    }
    ir_ref y = ir_slice_axis(b, x[0].ref, axis, i, i + 1);
    const ir_type *to = ir_type_close(b->ctx, t, axis);
    return ir_reshape(b, y, to->rank, to->dims);
}

cot_value
cot_index_(cot_place at, cot_value x, int64_t i, int axis)
{
    return fe_apply1(at, "index", element, x, &(axis_part){ i, 0, axis });
}

typedef struct number_range {
    cot_dtype dtype;
    int64_t n;
    double from, to;
} number_range;

static const ir_type *
vector_type(ir_build *b, cot_dtype dtype, int64_t n)
{
    const ir_type *t = ir_type_new(b->ctx, dtype, 1, &n);

    if (!t)
        b->status = b->ctx->status;
    return t;
}

static ir_ref
arange(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const number_range *r = o;
    const ir_type *t = vector_type(b, r->dtype, r->n);

    (void)x, (void)n;
    return t ? ir_iota(b, t->dtype, 1, t->dims, 0) : IR_NONE;
}

cot_value
cot_arange_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n)
{
    return fe_apply0(at, t, "arange", arange, &(number_range){ dtype, n, 0, 0 });
}

/* Computed in f64 here and rounded once; the last is exact. */
static ir_ref
linspace(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const number_range *r = o;
    const ir_type *t = vector_type(b, COT_F64, r->n);

    (void)x, (void)n;
    if (!t)
        return IR_NONE;
    double *at = IR_NEW_N(b->arena, double, r->n + 1);
    for (int64_t i = 0; i < r->n; i++)
        at[i] = r->n == 1 ? r->from
                          : r->from + (r->to - r->from) * ((double)i / (double)(r->n - 1));
    if (r->n > 1)
        at[r->n - 1] = r->to;
    return ir_convert(b, ir_constant(b, t, at), r->dtype);
}

cot_value
cot_linspace_(cot_place at, cot_trace *t, cot_dtype dtype, double from, double to, int64_t n)
{
    return fe_apply0(at, t, "linspace", linspace, &(number_range){ dtype, n, from, to });
}

static ir_ref
eye(ir_build *b, const fe_arg *x, int n, const void *o)
{
    const number_range *r = o;
    int64_t shape[2] = { r->n, r->n };

    (void)x, (void)n;
    if (!vector_type(b, r->dtype, r->n))
        return IR_NONE;
    ir_ref right = ir_iota(b, COT_I32, 2, shape, 1);
    ir_ref same = ir_op2(b, OP_eq, ir_iota(b, COT_I32, 2, shape, 0), right);
    return ir_convert(b, same, r->dtype);
}

cot_value
cot_eye_(cot_place at, cot_trace *t, cot_dtype dtype, int64_t n)
{
    return fe_apply0(at, t, "eye", eye, &(number_range){ dtype, n, 0, 0 });
}
