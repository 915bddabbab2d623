/* Sorting and searching: argsort and indexing. */
#include <math.h>

#include "cotrace/order.h"

#include "frontend/trace.h"

typedef struct order_call {
    const char *op;
    cot_order_options o;
    int axis;
    int64_t n;
    double q;
} order_call;

static order_call
ordering_of(const char *op, int axis, const cot_order_options *o, size_t size)
{
    order_call d = { .op = op, .axis = axis };

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

/* A complex key as three: which parts are NaN, so that numbers without come first, the real,
 * the imaginary part. */
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
        ir_ref re = ir_op1(b, OP_real, keys[i]), im = ir_op1(b, OP_imag, keys[i]),
               first = is_nan(b, re);
        ir_ref undefined = is_nan(b, im);
        key[m++] = ir_add(b, ir_add(b, first, first), undefined);
        key[m++] = re;
        key[m++] = im;
    }
    return ir_node1(b, OP_argsort, m, key, &(ir_attrs){ .arg = { axis, place } });
}

/* Descending: ascending in the reversed keys, read backwards, so that equal ones keep their
 * order. */
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
axis_of(ir_build *b, const order_call *d, ir_ref x)
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
    const order_call *d = options;
    const int axis = axis_of(b, d, x[0].ref);

    (void)n;
    return axis < 0 ? IR_NONE : sorted(b, x[0].ref, axis, d->o.descending);
}

static ir_ref
argsort(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const order_call *d = options;
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
    const order_call *d = options;
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
    order_call d = ordering_of("sort", axis, o, size);

    return fe_apply1(at, "sort", sort, x, &d);
}

cot_value
cot_argsort_(cot_place at, cot_values keys, int axis, const cot_order_options *o, size_t size)
{
    fe_readable(&keys);
    order_call d = ordering_of("argsort", axis, o, size);

    return fe_apply_values(at, "argsort", argsort, keys, &d);
}

void
cot_sort_many_(cot_place at, cot_values xs, int axis, cot_value *out,
               const cot_order_options *o, size_t size)
{
    fe_readable(&xs);
    order_call d = ordering_of("sort_many", axis, o, size);
    const int keys = d.o.keys > 0 ? d.o.keys : 1;
    const cot_values key = { .n = keys < xs.n ? keys : xs.n, .at = FE_AT(xs) };
    cot_value place = fe_apply_values(at, "sort_many", argsort, key, &d);

    for (int i = 0; out && i < xs.n; i++)
        out[i] = fe_apply2(at, "sort_many", rearrange, FE_AT(xs)[i], place, &d);
}

/* ---- parts of what is sorted ---- */

static ir_ref
top_places(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const order_call *d = options;
    const int axis = axis_of(b, d, x[0].ref);

    (void)n;
    if (axis < 0)
        return IR_NONE;
    const int64_t size = ir_btype(b, x[0].ref)->dims[axis];
    if (d->n < 0 || d->n > size) {
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena,
                                "k is %lld; wants 0 to %lld, the size of the last axis",
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
    order_call d = { .op = "top_k", .axis = -1, .n = k };
    cot_value place = fe_apply1(at, "top_k", top_places, x, &d);

    if (out)
        *out = place;
    return fe_apply2(at, "top_k", pick, x, place, &d);
}

/* low and high, weighted; where nothing is of high it is not looked at, which may be
 * infinite. */
static ir_ref
between(ir_build *b, ir_ref low, ir_ref high, ir_ref part)
{
    ir_ref product = ir_mul(b, high, part);
    return ir_add(b, ir_mul(b, low, ir_sub(b, ir_like(b, low, 1), part)), product);
}

/* The place itself, of the methods that choose one; linear and midpoint need both beside it. */
static double
rounded(int method, double place)
{
    return method == COT_QUANTILE_LOWER    ? floor(place)
           : method == COT_QUANTILE_HIGHER ? ceil(place)
                                           : nearbyint(place);
}

/* At place q (n - 1) of the sorted axis; NaN if the last one is. */
static ir_ref
whole_quantile(ir_build *b, const order_call *d, ir_ref y, int axis)
{
    const int64_t size = ir_btype(b, y)->dims[axis];
    const bool mixes =
        d->o.method == COT_QUANTILE_LINEAR || d->o.method == COT_QUANTILE_MIDPOINT;
    const double at = d->q * (double)(size - 1), place = mixes ? at : rounded(d->o.method, at);
    const int64_t i = (int64_t)place, j = i + 1 < size ? i + 1 : i;
    ir_ref low = ir_slice_axis(b, y, axis, i, i + 1),
           last = ir_slice_axis(b, y, axis, size - 1, size);
    ir_ref high = ir_slice_axis(b, y, axis, j, j + 1);
    const double part = d->o.method == COT_QUANTILE_MIDPOINT ? 0.5 : place - (double)i;

    ir_ref z = place > (double)i ? between(b, low, high, ir_like(b, low, part)) : low;
    return ir_select(b, ir_op2(b, OP_ne, last, last), last, z);
}

/* At place q (m - 1), of m elements that are not NaN, which are the first of the sorted axis;
 * NaN if there is none. */
static ir_ref
quantile_of_numbers(ir_build *b, const order_call *d, ir_ref y, int axis)
{
    const cot_dtype t = ir_btype(b, y)->dtype;
    const int method = d->o.method;
    const cot_dtype index = ir_btype(b, y)->dims[axis] > INT32_MAX ? COT_I64 : COT_I32;
    ir_ref number = ir_convert(b, ir_op2(b, OP_eq, y, y), index),
           m = fe_reduce(b, OP_reduce_sum, number, ir_axes_of(axis), true);
    ir_ref zero = ir_like(b, m, 0);
    ir_ref most = ir_op2(b, OP_max, ir_sub(b, m, ir_like(b, m, 1)), zero),
           at = ir_convert(b, most, COT_F64);

    at = ir_mul(b, at, ir_like(b, at, d->q));
    if (method != COT_QUANTILE_LINEAR && method != COT_QUANTILE_MIDPOINT) {
        const ir_op op = method == COT_QUANTILE_LOWER    ? OP_floor
                         : method == COT_QUANTILE_HIGHER ? OP_ceil
                                                         : OP_round_even;
        return at_places(b, y, ir_convert(b, ir_op1(b, op, at), index), axis);
    }
    ir_ref first = ir_op1(b, OP_floor, at), i = ir_convert(b, first, index),
           part = ir_sub(b, at, first);
    /* Not `part` is 0: contraction makes it q (m - 1) - first of the unrounded product. */
    ir_ref j = ir_op2(b, OP_min, ir_add(b, i, ir_like(b, i, 1)), most),
           exact = ir_op2(b, OP_eq, at, first);
    ir_ref low = at_places(b, y, i, axis),
           high = at_places(b, y, ir_select(b, exact, i, j), axis);
    ir_ref share =
        method == COT_QUANTILE_MIDPOINT ? ir_like(b, low, 0.5) : ir_convert(b, part, t);

    return ir_select(b, exact, low, between(b, low, high, share));
}

static bool
takes_quantile(ir_build *b, const order_call *d, const ir_type *t, int axis)
{
    if (!fe_is_float(b, d->op, t))
        return false;
    if (t->dims[axis] == 0)
        ir_build_fail(b, d->op, ERR_axis_empty, (long long)axis, ir_type_str(b->ctx, t));
    else if (!(d->q >= 0 && d->q <= 1))
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "q is %g; wants 0 to 1", d->q));
    else if (d->o.method < COT_QUANTILE_LINEAR || d->o.method > COT_QUANTILE_MIDPOINT)
        ir_build_fail(b, d->op, ERR_attr_wrong,
                      ir_format(b->arena, "method is %d; wants a COT_QUANTILE_", d->o.method));
    else
        return true;
    return false;
}

static ir_ref
quantile(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const order_call *d = options;
    const int axis = axis_of(b, d, x[0].ref);
    ir_ref y = axis < 0 ? IR_NONE : fe_widen(b, x[0].ref);

    (void)n;
    if (!y || !takes_quantile(b, d, ir_btype(b, y), axis))
        return IR_NONE;
    y = sorted(b, y, axis, false);
    ir_ref z =
        y ? (d->o.skip_nan ? quantile_of_numbers : whole_quantile)(b, d, y, axis) : IR_NONE;
    z = fe_narrow(b, z, ir_btype(b, x[0].ref)->dtype);
    if (!z || d->o.keepdims)
        return z;
    const ir_type *less = ir_type_close(b->ctx, ir_btype(b, z), axis);
    return ir_reshape(b, z, less->rank, less->dims);
}

cot_value
cot_median_(cot_place at, cot_value x, int axis, const cot_order_options *o, size_t size)
{
    order_call d = ordering_of("median", axis, o, size);

    d.q = 0.5;
    return fe_apply1(at, "median", quantile, x, &d);
}

cot_value
cot_quantile_(cot_place at, cot_value x, double q, int axis, const cot_order_options *o,
              size_t size)
{
    order_call d = ordering_of("quantile", axis, o, size);

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
    const order_call *d = options;
    const ir_type *t = ir_btype(b, x[0].ref), *ty = ir_btype(b, x[1].ref);
    const cot_dtype all = fe_promote(t->dtype, ty->dtype);
    const int64_t size = t->rank == 1 ? t->dims[0] : 0;

    (void)n;
    if (t->rank != 1 || !all) {
        ir_build_fail(
            b, d->op, ERR_attr_wrong,
            ir_format(b->arena,
                      "operands are %s and %s; wants a vector, and values of a type with it",
                      ir_type_str(b->ctx, t), ir_type_str(b->ctx, ty)));
        return IR_NONE;
    }
    if (!fe_is_ordered(b, d->op, t) || !fe_is_ordered(b, d->op, ty))
        return IR_NONE;
    const ir_type *place = ir_type_as(b->ctx, ty, size > INT32_MAX ? COT_I64 : COT_I32);
    ir_ref list = ir_convert(b, x[0].ref, all), y = ir_convert(b, x[1].ref, all),
           at = ir_zeros(b, place);
    ir_ref flat = ir_reshape(b, y, 1, &ty->size);
    const ir_type *line = ir_type_shaped(b->ctx, place, 1, &ty->size);
    int64_t step = 1;

    at = ir_reshape(b, at, 1, &ty->size);
    while (step <= size / 2)
        step *= 2;
    for (; size > 0 && step > 0 && at; step /= 2) {
        ir_ref next = ir_add(b, at, ir_splat_int(b, line, step));
        ir_ref most = ir_splat_int(b, line, size);
        ir_ref one = ir_splat_int(b, line, 1);
        ir_ref here = ir_sub(b, ir_op2(b, OP_min, next, most), one);
        ir_ref go = before(b, at_places(b, list, here, 0), flat, d->o.right);
        go = ir_op2(b, OP_and, go, ir_op2(b, OP_le, next, most));
        at = ir_select(b, go, next, at);
    }
    return ir_reshape(b, at, ty->rank, ty->dims);
}

cot_value
cot_searchsorted_(cot_place at, cot_value list, cot_value x, const cot_order_options *o,
                  size_t size)
{
    order_call d = ordering_of("searchsorted", 0, o, size);

    return fe_apply2(at, "searchsorted", searchsorted, list, x, &d);
}
