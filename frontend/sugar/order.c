/* Sorting, searching, counting: argsort and indexing. */
#include "cotrace/order.h"

#include "frontend/trace.h"

typedef struct ordering {
    const char *op;
    cot_order_options o;
    int axis;
    int64_t n;
    double q, low, high;
    cot_value *places;
} ordering;

static ordering
ordering_of(const char *op, int axis, const cot_order_options *o, size_t size)
{
    ordering d = { .op = op, .axis = axis };

    if (o)
        fe_options(&d.o, sizeof d.o, o, size);
    return d;
}

/* ---- places ---- */

static ir_ref
is_nan(ir_build *b, ir_ref x)
{
    return ir_convert(b, ir_op2(b, OP_ne, x, x), COT_U8);
}

/* A complex key as three: which parts are NaN, so that numbers without come first, the real, the imaginary part. */
ir_ref
fe_argsort(ir_build *b, int n, const ir_ref *keys, int axis, cot_dtype place)
{
    ir_ref *key = IR_NEW_N(b->arena, ir_ref, 3 * n + 1);
    int m = 0;

    for (int i = 0; i < n; i++) {
        if (!keys[i])
            return IR_NONE;
        if (!ir_is_complex(ir_btype(b, keys[i])->dtype)) {
            key[m++] = keys[i];
            continue;
        }
        ir_ref re = ir_op1(b, OP_real, keys[i]), im = ir_op1(b, OP_imag, keys[i]), first = is_nan(b, re);
        key[m++] = ir_add(b, ir_add(b, first, first), is_nan(b, im));
        key[m++] = re;
        key[m++] = im;
    }
    return ir_node1(b, OP_argsort, m, key, &(ir_attrs){ .arg = { axis, place } });
}

/* Descending: ascending in the reversed keys, read backwards, so that equal ones keep their order. */
static ir_ref
places(ir_build *b, const ir_ref *keys, int n, int axis, bool descending)
{
    ir_ref *key = IR_NEW_N(b->arena, ir_ref, n);
    const ir_type *t = keys[0] ? ir_btype(b, keys[0]) : NULL;

    if (!t)
        return IR_NONE;
    const cot_dtype place = t->dims[axis] > INT32_MAX ? COT_I64 : COT_I32;
    for (int i = 0; i < n; i++)
        key[i] = descending ? ir_reverse(b, keys[i], ir_axes_of(axis)) : keys[i];
    ir_ref y = fe_argsort(b, n, key, axis, place);
    if (!descending || !y)
        return y;
    y = ir_reverse(b, y, ir_axes_of(axis));
    return ir_sub(b, ir_splat_int(b, ir_btype(b, y), t->dims[axis] - 1), y);
}

/* The places are within the axis; there are none on an empty one. */
static ir_ref
at_places(ir_build *b, ir_ref x, ir_ref place, int axis)
{
    if (x && ir_btype(b, x)->dims[axis] == 0)
        return x;
    ir_ref vectors = place ? ir_broadcast_axis(b, place, ir_btype(b, place)->rank, 1) : IR_NONE;

    return fe_along(b, x, vectors, axis, IR_MODE_PROMISE);
}

static int
axis_of(ir_build *b, const ordering *d, ir_ref x)
{
    return x ? fe_axis(b, d->op, d->axis, ir_btype(b, x)->rank) : -1;
}

static ir_ref
sorted(ir_build *b, ir_ref x, int axis, bool descending)
{
    return at_places(b, x, places(b, &x, 1, axis, descending), axis);
}

static ir_ref
sort(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const int axis = axis_of(b, d, x[0].ref);

    (void)n;
    return axis < 0 ? IR_NONE : sorted(b, x[0].ref, axis, d->o.descending);
}

static ir_ref
argsort(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const int axis = n > 0 ? axis_of(b, d, x[0].ref) : -1;
    ir_ref *key = IR_NEW_N(b->arena, ir_ref, n + 1);

    if (n == 0)
        ir_build_fail(b, d->op, ERR_operand_count, 0, 1);
    if (axis < 0)
        return IR_NONE;
    for (int i = 0; i < n; i++)
        key[i] = x[i].ref;
    return places(b, key, n, axis, d->o.descending);
}

static ir_ref
rearrange(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const int axis = axis_of(b, d, x[0].ref);

    (void)n;
    if (axis < 0 || !x[1].ref)
        return IR_NONE;
    if (!ir_same_shape(ir_btype(b, x[0].ref), ir_btype(b, x[1].ref))) {
        ir_build_fail(b, d->op, ERR_shapes_differ, ir_type_str(b->ctx, ir_btype(b, x[1].ref)),
                      ir_type_str(b->ctx, ir_btype(b, x[0].ref)));
        return IR_NONE;
    }
    return at_places(b, x[0].ref, x[1].ref, axis);
}

cot_value
cot_sort_(cot_place at, cot_value x, int axis, const cot_order_options *o, size_t size)
{
    ordering d = ordering_of("sort", axis, o, size);

    return fe_apply1(at, "sort", sort, x, &d);
}

cot_value
cot_argsort_(cot_place at, cot_values keys, int axis, const cot_order_options *o, size_t size)
{
    ordering d = ordering_of("argsort", axis, o, size);

    return fe_apply_values(at, "argsort", argsort, keys, &d);
}

void
cot_sort_many_(cot_place at, cot_values xs, int axis, cot_value *out, const cot_order_options *o,
               size_t size)
{
    ordering d = ordering_of("sort_many", axis, o, size);
    const int keys = d.o.keys > 0 ? d.o.keys : 1;
    const cot_values key = { keys < xs.n ? keys : xs.n, xs.at };
    cot_value place = fe_apply_values(at, "sort_many", argsort, key, &d);

    for (int i = 0; i < xs.n; i++)
        out[i] = fe_apply2(at, "sort_many", rearrange, xs.at[i], place, &d);
}

/* ---- parts of what is sorted ---- */

static ir_ref
top_places(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const int axis = axis_of(b, d, x[0].ref);

    (void)n;
    if (axis < 0)
        return IR_NONE;
    const int64_t size = ir_btype(b, x[0].ref)->dims[axis];
    if (d->n < 0 || d->n > size) {
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "k is %lld; wants 0 to %lld, the size of the last axis",
                                (long long)d->n, (long long)size));
        return IR_NONE;
    }
    const cot_dtype place = size > INT32_MAX ? COT_I64 : COT_I32;
    return ir_node1(b, OP_top_k, 1, &x[0].ref, &(ir_attrs){ .top = { axis, d->n, place } });
}

static ir_ref
pick(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const int axis = axis_of(b, options, x[0].ref);

    (void)n;
    return axis < 0 ? IR_NONE : at_places(b, x[0].ref, x[1].ref, axis);
}

cot_value
cot_top_k_(cot_place at, cot_value x, int64_t k, cot_value *out)
{
    ordering d = { .op = "top_k", .axis = -1, .n = k };
    cot_value place = fe_apply1(at, "top_k", top_places, x, &d);

    if (out)
        *out = place;
    return fe_apply2(at, "top_k", pick, x, place, &d);
}

/* Element i of the sorted axis, and the next one, weighted; NaN if the last one is. */
static ir_ref
quantile(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const int axis = axis_of(b, d, x[0].ref);

    (void)n;
    if (axis < 0)
        return IR_NONE;
    ir_ref y = fe_widen(b, x[0].ref);
    const ir_type *t = ir_btype(b, y);
    const int64_t size = t->dims[axis];
    if (!ir_is_float(t->dtype)) {
        ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, t), "a floating type");
        return IR_NONE;
    }
    if (size == 0 || !(d->q >= 0 && d->q <= 1)) {
        if (size == 0)
            ir_build_fail(b, d->op, ERR_axis_empty, (long long)axis, ir_type_str(b->ctx, t));
        else
            ir_build_fail(b, d->op, ERR_attr_wrong, ir_format(b->arena, "q is %g; wants 0 to 1", d->q));
        return IR_NONE;
    }
    y = sorted(b, y, axis, false);
    const double place = d->q * (double)(size - 1);
    const int64_t i = (int64_t)place, j = i + 1 < size ? i + 1 : i;
    ir_ref low = ir_slice_axis(b, y, axis, i, i + 1), last = ir_slice_axis(b, y, axis, size - 1, size);
    ir_ref high = ir_slice_axis(b, y, axis, j, j + 1), part = ir_like(b, low, place - (double)i);
    ir_ref z = place > (double)i ? ir_add(b, ir_mul(b, low, ir_sub(b, ir_like(b, low, 1), part)),
                                          ir_mul(b, high, part))
                                 : low;
    z = ir_select(b, ir_op2(b, OP_ne, last, last), last, z);
    z = fe_narrow(b, z, ir_btype(b, x[0].ref)->dtype);
    if (!z || d->o.keepdims)
        return z;
    const ir_type *less = ir_type_close(b->ctx, ir_btype(b, z), axis);
    return ir_reshape(b, z, less->rank, less->dims);
}

cot_value
cot_median_(cot_place at, cot_value x, int axis, const cot_order_options *o, size_t size)
{
    ordering d = ordering_of("median", axis, o, size);

    d.q = 0.5;
    return fe_apply1(at, "median", quantile, x, &d);
}

cot_value
cot_quantile_(cot_place at, cot_value x, double q, int axis, const cot_order_options *o, size_t size)
{
    ordering d = ordering_of("quantile", axis, o, size);

    d.q = q;
    return fe_apply1(at, "quantile", quantile, x, &d);
}

/* ---- searching ---- */

/* a before y in the total order of sort; or, with `or_equal`, not after it. */
static ir_ref
before(ir_build *b, ir_ref a, ir_ref y, bool or_equal)
{
    ir_ref less = ir_op2(b, or_equal ? OP_le : OP_lt, a, y);

    if (!less || !ir_is_float(ir_btype(b, a)->dtype))
        return less;
    ir_ref nan = ir_op2(b, OP_ne, y, y);
    if (!or_equal)
        nan = ir_op2(b, OP_and, nan, ir_op2(b, OP_eq, a, a));
    return ir_op2(b, OP_or, less, nan);
}

/* Bisection by falling powers of two: y belongs after the first `at` elements, or further. */
static ir_ref
searchsorted(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const ir_type *t = ir_btype(b, x[0].ref), *ty = ir_btype(b, x[1].ref);
    const cot_dtype all = fe_promote(t->dtype, ty->dtype);
    const int64_t size = t->rank == 1 ? t->dims[0] : 0;

    (void)n;
    if (t->rank != 1 || !all) {
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "operands are %s and %s; wants a vector, and values of a type with it",
                                ir_type_str(b->ctx, t), ir_type_str(b->ctx, ty)));
        return IR_NONE;
    }
    const ir_type *place = ir_type_as(b->ctx, ty, size > INT32_MAX ? COT_I64 : COT_I32);
    ir_ref list = ir_convert(b, x[0].ref, all), y = ir_convert(b, x[1].ref, all), at = ir_zeros(b, place);
    ir_ref flat = ir_reshape(b, y, 1, &ty->size);
    const ir_type *line = ir_type_shaped(b->ctx, place, 1, &ty->size);
    int64_t step = 1;

    at = ir_reshape(b, at, 1, &ty->size);
    while (step <= size / 2)
        step *= 2;
    for (; size > 0 && step > 0 && at; step /= 2) {
        ir_ref next = ir_add(b, at, ir_splat_int(b, line, step));
        ir_ref most = ir_splat_int(b, line, size);
        ir_ref here = ir_sub(b, ir_op2(b, OP_min, next, most), ir_splat_int(b, line, 1));
        ir_ref go = before(b, at_places(b, list, here, 0), flat, d->o.right);
        go = ir_op2(b, OP_and, go, ir_op2(b, OP_le, next, most));
        at = ir_select(b, go, next, at);
    }
    return ir_reshape(b, at, ty->rank, ty->dims);
}

cot_value
cot_searchsorted_(cot_place at, cot_value list, cot_value x, const cot_order_options *o, size_t size)
{
    ordering d = ordering_of("searchsorted", 0, o, size);

    return fe_apply2(at, "searchsorted", searchsorted, list, x, &d);
}

/* ---- counting ---- */

/* One for each index (i64, any shape) that is one of 0 ... n-1. */
static ir_ref
count(ir_build *b, ir_ref index, int64_t n)
{
    const int64_t zero = 0, vectors[2] = { index ? ir_btype(b, index)->size : 0, 1 };

    if (!index)
        return IR_NONE;
    const ir_type *t = ir_type_shaped(b->ctx, ir_type_as(b->ctx, ir_btype(b, index), COT_I32), 1, &n);
    if (!t) {
        b->status = b->ctx->status;
        return IR_NONE;
    }
    const ir_type *ones = ir_type_shaped(b->ctx, t, 1, vectors);
    ir_attrs a = { .scatter = { .inserted = { 1, &zero }, .index_map = { 1, &zero }, .mode = IR_MODE_FILL } };
    ir_ref in[3] = { ir_zeros(b, t), ir_reshape(b, index, 2, vectors), ir_splat_int(b, ones, 1) };
    return ir_node1(b, OP_scatter_add, 3, in, &a);
}

static ir_ref
bincount(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    const ir_type *t = ir_btype(b, x[0].ref);

    (void)n;
    if (!ir_is_int(t->dtype)) {
        ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, t), "an integer type");
        return IR_NONE;
    }
    return count(b, t->dtype == COT_U64 ? x[0].ref : ir_convert(b, x[0].ref, COT_I64), d->n);
}

static ir_ref
histogram(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ordering *d = options;
    ir_ref y = fe_widen(b, ir_op1(b, OP_stop_gradient, x[0].ref));
    const ir_type *t = y ? ir_btype(b, y) : NULL;

    (void)n;
    if (!t)
        return IR_NONE;
    if (!ir_is_float(t->dtype) || !(d->low < d->high)) {
        if (!ir_is_float(t->dtype))
            ir_build_fail(b, d->op, ERR_dtype_not, ir_type_str(b->ctx, t), "a floating type");
        else
            ir_build_fail(b, d->op, ERR_attr_wrong,
                          ir_format(b->arena, "the range is %g to %g; wants the lower bound first", d->low, d->high));
        return IR_NONE;
    }
    ir_ref low = ir_like(b, y, d->low), high = ir_like(b, y, d->high);
    ir_ref inside = ir_op2(b, OP_and, ir_op2(b, OP_ge, y, low), ir_op2(b, OP_le, y, high));
    ir_ref place = ir_mul(b, ir_sub(b, y, low), ir_like(b, y, (double)d->n / (d->high - d->low)));
    ir_ref i = ir_convert(b, ir_op1(b, OP_floor, place), COT_I64);
    i = i ? ir_op2(b, OP_min, i, ir_splat_int(b, ir_btype(b, i), d->n - 1)) : IR_NONE;
    return i ? count(b, ir_select(b, inside, i, ir_splat_int(b, ir_btype(b, i), -1)), d->n) : IR_NONE;
}

cot_value
cot_bincount_(cot_place at, cot_value x, int64_t n)
{
    ordering d = { .op = "bincount", .n = n };

    return fe_apply1(at, "bincount", bincount, x, &d);
}

cot_value
cot_histogram_(cot_place at, cot_value x, int64_t n, double low, double high)
{
    ordering d = { .op = "histogram", .n = n, .low = low, .high = high };

    return fe_apply1(at, "histogram", histogram, x, &d);
}
