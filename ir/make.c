/* Functions that make nodes: constants from numbers, and ops with attributes.  Each fills the
 * record and calls the builder. */
#include "ir/build.h"

#include "ir/scalar.h"

static ir_ref
add_constant(ir_build *b, ir_data data)
{
    return ir_node1(b, OP_constant, 0, NULL, &(ir_attrs){ .constant = { data } });
}

ir_ref
ir_constant(ir_build *b, const ir_type *type, const void *elements)
{
    return type && b->status == COT_OK ? add_constant(b, ir_data_new(b->arena, type, elements))
                                       : IR_NONE;
}

ir_ref
ir_splat(ir_build *b, const ir_type *type, double x)
{
    union {
        float f;
        double d;
        uint16_t h;
        int64_t i;
        uint8_t b;
        float c64[2];
        double c128[2];
    } u = { 0 };
    if (b->status != COT_OK || !type)
        return IR_NONE;
    switch (type->dtype) {
    case COT_BOOL: u.b = x != 0; break;
    case COT_F16: u.h = cot_f32_to_f16((float)x); break;
    case COT_BF16: u.h = cot_f32_to_bf16((float)x); break;
    case COT_F32: u.f = (float)x; break;
    case COT_F64: u.d = x; break;
    case COT_C64: u.c64[0] = (float)x; break;
    case COT_C128: u.c128[0] = x; break;
    default: u.i = x >= 9223372036854775808.0 ? (int64_t)(uint64_t)x : (int64_t)x; break;
    }
    return add_constant(b, ir_data_splat(b->arena, type, &u));
}

ir_ref
ir_splat_int(ir_build *b, const ir_type *type, int64_t x)
{
    if (b->status != COT_OK || !type)
        return IR_NONE;
    if (!ir_is_int(type->dtype))
        return ir_splat(b, type, (double)x);
    return add_constant(b, ir_data_splat(b->arena, type, &x));
}

bool
ir_data_number(const ir_data *d, double *x)
{
    const void *p = d->bytes;

    if (!d->splat)
        return false;
    switch (d->type->dtype) {
    case COT_BOOL: *x = *(const uint8_t *)p; break;
    case COT_I8: *x = *(const int8_t *)p; break;
    case COT_I16: *x = *(const int16_t *)p; break;
    case COT_I32: *x = *(const int32_t *)p; break;
    case COT_I64: *x = (double)*(const int64_t *)p; break;
    case COT_U8: *x = *(const uint8_t *)p; break;
    case COT_U16: *x = *(const uint16_t *)p; break;
    case COT_U32: *x = *(const uint32_t *)p; break;
    case COT_U64: *x = (double)*(const uint64_t *)p; break;
    case COT_F16: *x = (double)cot_f16_to_f32(*(const uint16_t *)p); break;
    case COT_BF16: *x = (double)cot_bf16_to_f32(*(const uint16_t *)p); break;
    case COT_F32: *x = (double)*(const float *)p; break;
    case COT_C64: *x = (double)*(const float *)p; return ((const float *)p)[1] == 0;
    case COT_C128: *x = *(const double *)p; return ((const double *)p)[1] == 0;
    default: *x = *(const double *)p; break;
    }
    return true;
}

bool
ir_is_splat(const ir_build *b, ir_ref v, double *x)
{
    const ir_node *n = v ? ir_bdef(b, v) : NULL;

    return n && n->op == OP_constant && ir_data_number(&n->at->constant.data, x);
}

ir_ref
ir_op1(ir_build *b, ir_op op, ir_ref x)
{
    return ir_node1(b, op, 1, &x, NULL);
}

ir_ref
ir_op2(ir_build *b, ir_op op, ir_ref x, ir_ref y)
{
    return ir_node1(b, op, 2, (ir_ref[]){ x, y }, NULL);
}

ir_ref
ir_op3(ir_build *b, ir_op op, ir_ref x, ir_ref y, ir_ref z)
{
    return ir_node1(b, op, 3, (ir_ref[]){ x, y, z }, NULL);
}

ir_ints
ir_list(ir_build *b, int n, const int64_t *at)
{
    return ir_ints_copy(b->arena, n, at);
}

ir_ref
ir_broadcast_in_dim(ir_build *b, ir_ref x, int rank, const int64_t *shape, const int64_t *dims)
{
    int n = x ? ir_btype(b, x)->rank : 0;
    return ir_node1(b, OP_broadcast_in_dim, 1, &x,
                    &(ir_attrs){ .broadcast = { { rank, shape }, { n, dims } } });
}

ir_ref
ir_broadcast_scalar(ir_build *b, ir_ref x, const ir_type *type)
{
    return ir_broadcast_in_dim(b, x, type->rank, type->dims, NULL);
}

ir_ref
ir_broadcast_axis(ir_build *b, ir_ref x, int k, int64_t n)
{
    int64_t shape[COT_MAX_RANK + 1], dims[COT_MAX_RANK];
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    for (int i = 0; i <= t->rank; i++)
        shape[i] = i < k ? t->dims[i] : i == k ? n : t->dims[i - 1];
    for (int i = 0; i < t->rank; i++)
        dims[i] = i < k ? i : i + 1;
    return ir_broadcast_in_dim(b, x, t->rank + 1, shape, dims);
}

ir_ref
ir_reshape(ir_build *b, ir_ref x, int rank, const int64_t *shape)
{
    return ir_node1(b, OP_reshape, 1, &x, &(ir_attrs){ .shape = { { rank, shape } } });
}

ir_ref
ir_transpose(ir_build *b, ir_ref x, const int64_t *perm)
{
    int n = x ? ir_btype(b, x)->rank : 0;
    return ir_node1(b, OP_transpose, 1, &x, &(ir_attrs){ .perm = { { n, perm } } });
}

ir_ref
ir_move_axis(ir_build *b, ir_ref x, int from, int to)
{
    int64_t perm[COT_MAX_RANK];
    if (!x || from == to)
        return x;
    int n = ir_btype(b, x)->rank, k = 0;
    for (int i = 0; i < n; i++) {
        if (i == to)
            perm[i] = from;
        else {
            k += k == from;
            perm[i] = k++;
        }
    }
    return ir_transpose(b, x, perm);
}

ir_ref
ir_slice(ir_build *b, ir_ref x, const int64_t *start, const int64_t *limit,
         const int64_t *stride)
{
    int n = x ? ir_btype(b, x)->rank : 0;
    int64_t ones[COT_MAX_RANK];
    for (int i = 0; i < n; i++)
        ones[i] = 1;
    return ir_node1(
        b, OP_slice, 1, &x,
        &(ir_attrs){ .slice = { { n, start }, { n, limit }, { n, stride ? stride : ones } } });
}

ir_ref
ir_slice_axis(ir_build *b, ir_ref x, int axis, int64_t start, int64_t limit)
{
    int64_t from[COT_MAX_RANK], to[COT_MAX_RANK];
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    for (int i = 0; i < t->rank; i++) {
        from[i] = i == axis ? start : 0;
        to[i] = i == axis ? limit : t->dims[i];
    }
    return ir_slice(b, x, from, to, NULL);
}

ir_ref
ir_pad(ir_build *b, ir_ref x, ir_ref value, const int64_t *low, const int64_t *high,
       const int64_t *interior)
{
    int n = x ? ir_btype(b, x)->rank : 0;
    int64_t none[COT_MAX_RANK] = { 0 };
    return ir_node1(
        b, OP_pad, 2, (ir_ref[]){ x, value },
        &(ir_attrs){ .pad = { { n, low }, { n, high }, { n, interior ? interior : none } } });
}

ir_ref
ir_concatenate(ir_build *b, int n, const ir_ref *x, int axis)
{
    return ir_node1(b, OP_concatenate, n, x, &(ir_attrs){ .axis = { axis } });
}

ir_ref
ir_reverse(ir_build *b, ir_ref x, ir_axes axes)
{
    return ir_node1(b, OP_reverse, 1, &x, &(ir_attrs){ .axes = { .axes = axes } });
}

ir_ref
ir_rounded(ir_build *b, ir_ref x)
{
    return x ? ir_reverse(b, x, 0) : IR_NONE;
}

ir_ref
ir_windows(ir_build *b, ir_ref x, int axis, int64_t size, int64_t stride, int64_t dilation)
{
    return ir_node1(b, OP_windows, 1, &x,
                    &(ir_attrs){ .windows = { axis, size, stride, dilation } });
}

ir_ref
ir_iota(ir_build *b, cot_dtype t, int rank, const int64_t *shape, int axis)
{
    return ir_node1(b, OP_iota, 0, NULL, &(ir_attrs){ .iota = { t, { rank, shape }, axis } });
}

/* The last run of adjacent axes in s. */
static ir_axes
last_group(ir_axes s)
{
    int k = 63 - __builtin_clzll(s);
    ir_axes group = 0;
    for (; k >= 0 && ir_axes_has(s, k); k--)
        group |= ir_axes_of(k);
    return group;
}

/* A sum or product over axes that are not adjacent is reduced over one group of adjacent axes
 * after the other, the last group first (docs/numerics.md 3). */
ir_ref
ir_reduce(ir_build *b, ir_op op, ir_ref x, ir_axes axes)
{
    while (ir_is_ordered(op) && axes && last_group(axes) != axes) {
        ir_axes group = last_group(axes);
        x = ir_node1(b, op, 1, &x, &(ir_attrs){ .axes = { .axes = group } });
        axes &= ~group;
    }
    return ir_node1(b, op, 1, &x, &(ir_attrs){ .axes = { .axes = axes } });
}

ir_ref
ir_reduce_first(ir_build *b, ir_op op, ir_ref x, ir_axes axes)
{
    return ir_node1(b, op, 1, &x, &(ir_attrs){ .axes = { axes, 1 } });
}

ir_ref
ir_convert(ir_build *b, ir_ref x, cot_dtype t)
{
    if (!x || ir_btype(b, x)->dtype == t)
        return x;
    return ir_node1(b, OP_convert, 1, &x, &(ir_attrs){ .dtype = { t } });
}

ir_ref
ir_integer_pow(ir_build *b, ir_ref x, int64_t y)
{
    return ir_node1(b, OP_integer_pow, 1, &x, &(ir_attrs){ .ipow = { y } });
}

ir_ref
ir_dot(ir_build *b, ir_ref x, ir_ref y, ir_ints lhs, ir_ints rhs, ir_ints lhs_batch,
       ir_ints rhs_batch)
{
    return ir_node1(b, OP_dot_general, 2, (ir_ref[]){ x, y },
                    &(ir_attrs){ .dot = { lhs, rhs, lhs_batch, rhs_batch } });
}

ir_ref
ir_matmul(ir_build *b, ir_ref x, ir_ref y)
{
    const int r = x ? ir_btype(b, x)->rank : 2;
    int64_t axis[COT_MAX_RANK];

    for (int k = 0; k < r; k++)
        axis[k] = k;
    const ir_ints batch = { r - 2, axis };
    return ir_dot(b, x, y, (ir_ints){ 1, axis + r - 1 }, (ir_ints){ 1, axis + r - 2 }, batch,
                  batch);
}

static ir_ref
word_of_key(ir_build *b, ir_ref key, int i, const ir_type *shape)
{
    return ir_broadcast_scalar(b, ir_reshape(b, ir_slice_axis(b, key, 0, i, i + 1), 0, NULL),
                               shape);
}

ir_ref
ir_philox(ir_build *b, ir_ref key, ir_ref n, int word)
{
    const ir_type *t = n ? ir_btype(b, n) : NULL;
    ir_ref in[3];

    if (!key || !n)
        return IR_NONE;
    in[0] = word_of_key(b, key, 0, t);
    in[1] = n;
    in[2] = word_of_key(b, key, 1, t);
    return ir_node1(b, OP_philox, 3, in, &(ir_attrs){ .word = { word } });
}

/* The constant, 2^64 / phi, keeps the counters of folded keys different from those of drawn
 * bits. */
ir_ref
ir_fold_in(ir_build *b, ir_ref key, ir_ref n)
{
    static const uint64_t distinct[2] = { 0x9e3779b97f4a7c15u, 0 };
    int64_t shape[COT_MAX_RANK + 1];
    ir_ref half[2];
    const ir_type *t = n ? ir_btype(b, n) : NULL;

    if (!key || !n)
        return IR_NONE;
    key = ir_op2(b, OP_xor, key, ir_constant(b, ir_btype(b, key), distinct));
    memcpy(shape, t->dims, sizeof *shape * (size_t)t->rank);
    shape[t->rank] = 1;
    for (int i = 0; i < 2; i++)
        half[i] = ir_reshape(b, ir_philox(b, key, n, i), t->rank + 1, shape);
    return ir_concatenate(b, 2, half, t->rank);
}

ir_ref
ir_conv(ir_build *b, ir_ref x, ir_ref y, ir_ints strides, ir_ints dilation)
{
    return ir_node1(b, OP_conv_general, 2, (ir_ref[]){ x, y },
                    &(ir_attrs){ .conv = { strides, dilation } });
}
