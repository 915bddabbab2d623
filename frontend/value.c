/* How operands are made to agree: numbers, promotion, broadcasting.
 *
 * Primitives require equal types; this is the one place that makes them equal. */
#include "frontend/trace.h"

#include <math.h>

#include "ir/diag.h"

/* ---- numbers ---- */

static ir_ref
out_of_range(ir_build *b, const char *op, const fe_arg *x, cot_dtype t)
{
    const char *text =
        x->kind == COT_IS_UINT  ? ir_format(b->arena, "%llu", (unsigned long long)x->integer)
        : x->kind == COT_IS_INT ? ir_format(b->arena, "%lld", (long long)x->integer)
                                : ir_format(b->arena, "%g", x->real);
    ir_build_fail(b, op, ERR_number_range, text, cot_dtype_name(t));
    return IR_NONE;
}

/* Does the integer i (of a uint64_t if large) fit t? */
static bool
integer_fits(cot_dtype t, int64_t i, bool large)
{
    int bits = ir_bits(t);

    if (t == COT_U64)
        return large || i >= 0;
    if (large || t == COT_I64)
        return !large;
    if (ir_is_unsigned(t) || t == COT_BOOL)
        return i >= 0 && i < (int64_t)1 << bits;
    return i >= -((int64_t)1 << (bits - 1)) && i < (int64_t)1 << (bits - 1);
}

ir_ref
fe_number(ir_build *b, const char *op, const fe_arg *x, const ir_type *type)
{
    cot_dtype t = type->dtype;
    int64_t i = x->integer;
    bool large = x->kind == COT_IS_UINT;

    if (ir_is_inexact(t))
        return ir_splat(b, type, x->real);
    if (x->kind == COT_IS_REAL) {
        if (!(trunc(x->real) == x->real)) {
            ir_build_fail(b, op, ERR_number_fraction, x->real, cot_dtype_name(t));
            return IR_NONE;
        }
        if (!(x->real >= -9223372036854775808.0 && x->real < 18446744073709551616.0))
            return out_of_range(b, op, x, t);
        large = x->real >= 9223372036854775808.0;
        i = large ? (int64_t)(uint64_t)x->real : (int64_t)x->real;
    }
    if (!integer_fits(t, i, large))
        return out_of_range(b, op, x, t);
    return ir_splat_int(b, type, i);
}

/* ---- promotion ---- */

static cot_dtype
promote_floats(cot_dtype a, cot_dtype b)
{
    if (ir_is_half(a) && ir_is_half(b))
        return COT_F32; /* they differ: neither holds the other */
    return a > b ? a : b;
}

static cot_dtype
promote_signs(cot_dtype s, cot_dtype u)
{
    static const cot_dtype wider[] = { COT_I16, COT_I32, COT_I64, COT_DTYPE_NONE };

    return ir_bits(u) < ir_bits(s) ? s : wider[u - COT_U8];
}

/* With a complex type: the complex type of the parts promoted; of integers, the type as it
 * is. */
static cot_dtype
promote_complex(cot_dtype a, cot_dtype b)
{
    const cot_dtype t = fe_promote(ir_part_type(a), ir_part_type(b));

    return ir_complex_type(t);
}

cot_dtype
fe_promote(cot_dtype a, cot_dtype b)
{
    if (a == b || b == COT_BOOL)
        return a;
    if (a == COT_BOOL)
        return b;
    if (ir_is_complex(a) || ir_is_complex(b))
        return promote_complex(a, b);
    if (ir_is_float(a) != ir_is_float(b))
        return ir_is_float(a) ? a : b;
    if (ir_is_float(a))
        return promote_floats(a, b);
    if (ir_is_signed(a) == ir_is_signed(b))
        return a > b ? a : b;
    return ir_is_signed(a) ? promote_signs(a, b) : promote_signs(b, a);
}

/* ---- broadcasting ---- */

/* Extend shape, of *rank axes, so that t broadcasts with it; false if it cannot. */
static bool
meet_shape(int *rank, int64_t *shape, const ir_type *t)
{
    if (t->rank > *rank) {
        int more = t->rank - *rank;
        memmove(shape + more, shape, sizeof *shape * (size_t)*rank);
        for (int k = 0; k < more; k++)
            shape[k] = 1;
        *rank = t->rank;
    }
    for (int k = 1; k <= t->rank; k++) {
        int64_t *size = &shape[*rank - k], other = t->dims[t->rank - k];
        if (*size != other && *size != 1 && other != 1)
            return false;
        *size = *size == 1 ? other : *size;
    }
    return true;
}

ir_ref
fe_broadcast_to(ir_build *b, const char *op, ir_ref x, int rank, const int64_t *shape)
{
    int64_t dims[COT_MAX_RANK];

    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    if (t->rank == rank && memcmp(t->dims, shape, sizeof *shape * (size_t)rank) == 0)
        return x;
    if (t->rank > rank) {
        const ir_type *want = ir_type_shaped(b->ctx, t, rank, shape);
        if (want)
            ir_build_fail(b, op, ERR_broadcast, ir_type_str(b->ctx, t),
                          ir_type_str(b->ctx, want));
        return IR_NONE;
    }
    for (int k = 0; k < t->rank; k++)
        dims[k] = rank - t->rank + k;
    return ir_broadcast_in_dim(b, x, rank, shape, dims);
}

/* The element type of the values with data[i] in *dtype, the common shape of all values. */
static bool
meet(ir_build *b, const char *op, int n, const fe_arg *x, const bool *data, cot_dtype *dtype,
     int *rank, int64_t *shape)
{
    const ir_type *before = NULL, *typed = NULL;

    for (int i = 0; i < n; i++) {
        if (x[i].kind != COT_IS_VALUE)
            continue;
        if (!x[i].ref)
            return false;
        const ir_type *t = ir_btype(b, x[i].ref);
        if (!data || data[i]) {
            cot_dtype to = typed ? fe_promote(*dtype, t->dtype) : t->dtype;
            if (to == COT_DTYPE_NONE) {
                ir_build_fail(b, op, ERR_promote, cot_dtype_name(*dtype),
                              cot_dtype_name(t->dtype));
                return false;
            }
            *dtype = to;
            typed = t;
        }
        if (!meet_shape(rank, shape, t)) {
            ir_build_fail(b, op, ERR_broadcast, ir_type_str(b->ctx, before),
                          ir_type_str(b->ctx, t));
            return false;
        }
        before = t;
    }
    return true;
}

bool
fe_unify(ir_build *b, const char *op, int n, const fe_arg *x, const bool *data, ir_ref *out)
{
    cot_dtype dtype = COT_DTYPE_NONE;
    int rank = 0;
    int64_t shape[COT_MAX_RANK];

    if (!meet(b, op, n, x, data, &dtype, &rank, shape))
        return false;
    for (int i = 0; i < n; i++) {
        bool typed = !data || data[i];
        if (x[i].kind != COT_IS_VALUE) {
            if (!typed || dtype == COT_DTYPE_NONE) {
                ir_build_fail(b, op, ERR_number_alone, i);
                return false;
            }
            const ir_type *t = ir_type_new(b->ctx, dtype, rank, shape);
            out[i] = t ? fe_number(b, op, &x[i], t) : IR_NONE;
        } else {
            ir_ref y = typed ? ir_convert(b, x[i].ref, dtype) : x[i].ref;
            out[i] = fe_broadcast_to(b, op, y, rank, shape);
        }
        if (!out[i])
            return false;
    }
    return true;
}

ir_ref
fe_op2(ir_build *b, ir_op op, ir_ref x, ir_ref y)
{
    fe_arg in[2] = { { x, COT_IS_VALUE, 0, 0 }, { y, COT_IS_VALUE, 0, 0 } };
    ir_ref out[2];

    return fe_unify(b, ir_ops[op].name, 2, in, NULL, out) ? ir_op2(b, op, out[0], out[1])
                                                          : IR_NONE;
}

/* ---- axes and lists ---- */

int
fe_axis(ir_build *b, const char *op, int64_t axis, int rank)
{
    if (axis >= -rank && axis < rank)
        return (int)(axis < 0 ? axis + rank : axis);
    ir_build_fail(b, op, ERR_axis_range, (long long)axis, ir_format(b->arena, "rank %d", rank));
    return -1;
}

bool
fe_lists(ir_build *b, const char *op, int n, const fe_named_list *lists)
{
    for (int i = 0; i < n; i++)
        if (lists[i].list.n < 0 || (lists[i].list.n != 0 && !FE_AT(lists[i].list))) {
            ir_build_fail(b, op, ERR_list_bare, lists[i].what, lists[i].list.n,
                          lists[i].list.n);
            return false;
        }
    return true;
}

bool
fe_axes(ir_build *b, const char *op, cot_list axes, int rank, ir_axes absent, ir_axes *out)
{
    if (!fe_lists(b, op, 1, &(fe_named_list){ "axes", axes }))
        return false;
    *out = FE_AT(axes) ? 0 : absent;
    for (int i = 0; i < axes.n; i++) {
        int k = fe_axis(b, op, FE_AT(axes)[i], rank);
        if (k < 0)
            return false;
        if (ir_axes_has(*out, k)) {
            ir_build_fail(b, op, ERR_axis_repeated, (long long)FE_AT(axes)[i]);
            return false;
        }
        *out |= ir_axes_of(k);
    }
    return true;
}

bool
fe_ints(ir_build *b, const char *op, const char *what, cot_list list, int rank, int64_t absent,
        int64_t *out)
{
    if (!fe_lists(b, op, 1, &(fe_named_list){ what, list }))
        return false;
    if (FE_AT(list) && list.n != rank && !list.one) {
        ir_build_fail(b, op, ERR_list_length, what, list.n, rank);
        return false;
    }
    for (int i = 0; i < rank; i++)
        out[i] = !FE_AT(list) ? absent : list.one ? FE_AT(list)[0] : FE_AT(list)[i];
    return true;
}

/* ---- helpers of compositions ---- */

ir_ref
fe_keep(ir_build *b, ir_ref y, ir_ref x, ir_axes axes, bool keep)
{
    int64_t shape[COT_MAX_RANK];

    if (!x || !y || !keep)
        return y;
    const ir_type *t = ir_btype(b, x);
    for (int k = 0; k < t->rank; k++)
        shape[k] = ir_axes_has(axes, k) ? 1 : t->dims[k];
    return ir_reshape(b, y, t->rank, shape);
}

ir_ref
fe_reduce(ir_build *b, ir_op op, ir_ref x, ir_axes axes, bool keep)
{
    return x ? fe_keep(b, ir_reduce(b, op, x, axes), x, axes, keep) : IR_NONE;
}

ir_ref
fe_spread(ir_build *b, ir_ref y, ir_ref x, ir_axes axes)
{
    int64_t dims[COT_MAX_RANK];
    int n = 0;

    if (!x || !y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    for (int k = 0; k < t->rank; k++)
        if (!ir_axes_has(axes, k))
            dims[n++] = k;
    return ir_broadcast_in_dim(b, y, t->rank, t->dims, dims);
}

bool
fe_type_fits(const ir_type *weight, const ir_type *x)
{
    const int more = x->rank - weight->rank;

    for (int k = 0; k < weight->rank && more >= 0; k++)
        if (weight->dims[k] != 1 && weight->dims[k] != x->dims[more + k])
            return false;
    return more >= 0;
}

bool
fe_is_float(ir_build *b, const char *op, const ir_type *t)
{
    if (ir_is_float(t->dtype))
        return true;
    ir_build_fail(b, op, ERR_dtype_not, ir_type_str(b->ctx, t),
                  ir_is_complex(t->dtype) ? "a real floating type" : "a floating type");
    return false;
}

bool
fe_is_ordered(ir_build *b, const char *op, const ir_type *t)
{
    if (!ir_is_complex(t->dtype))
        return true;
    ir_build_fail(b, op, ERR_dtype_not, ir_type_str(b->ctx, t), "a type that has an order");
    return false;
}

ir_ref
fe_widen(ir_build *b, ir_ref x)
{
    return x ? ir_convert(b, x, ir_compute_type(ir_btype(b, x)->dtype)) : IR_NONE;
}

ir_ref
fe_narrow(ir_build *b, ir_ref x, cot_dtype to)
{
    return x ? ir_convert(b, x, to) : IR_NONE;
}
