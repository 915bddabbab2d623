/* Reductions: jvp, transpose and vmap.
 *
 * reduce_sum is linear.  The extrema select their tangents by comparing with the result: ties
 * share evenly, or for `first` (pooling) the first of them is selected.  The product multiplies
 * dual numbers in a balanced tree, without division, since an operand may be zero. */
#include "passes/rules.h"

/* The dims of a broadcast_in_dim that reverses the reduction of `axes` of a value of this
 * rank. */
static int
kept_axes(int rank, ir_axes axes, int64_t *dims)
{
    int n = 0;
    for (int i = 0; i < rank; i++)
        if (!ir_axes_has(axes, i))
            dims[n++] = i;
    return n;
}

static ir_ref
spread(ir_build *b, ir_ref y, const ir_type *type, ir_axes axes)
{
    int64_t dims[COT_MAX_RANK];
    kept_axes(type->rank, axes, dims);
    return ir_broadcast_in_dim(b, y, type->rank, type->dims, dims);
}

/* The number of elements that are reduced to one result. */
static int64_t
reduced_size(const ir_type *type, ir_axes axes)
{
    int64_t n = 1;
    for (int i = 0; i < type->rank; i++)
        if (ir_axes_has(axes, i))
            n *= type->dims[i];
    return n;
}

/* The row-major numbers of the reduced elements, in the shape of the operand. */
static ir_ref
places(ir_build *b, const ir_type *type, ir_axes axes)
{
    const int64_t size = reduced_size(type, axes);
    int64_t dims[COT_MAX_RANK], at[COT_MAX_RANK];
    int n = 0;
    for (int i = 0; i < type->rank; i++)
        if (ir_axes_has(axes, i)) {
            dims[n] = type->dims[i];
            at[n++] = i;
        }
    ir_ref number =
        ir_reshape(b, ir_iota(b, size > INT32_MAX ? COT_I64 : COT_I32, 1, &size, 0), n, dims);
    return ir_broadcast_in_dim(b, number, type->rank, type->dims, at);
}

/* The tangent of the first element that equals the result, or that is NaN if the result is. */
static ir_ref
tangent_of_first(ir_build *b, const ir_type *type, ir_axes axes, dual x, ir_ref y)
{
    ir_ref wins = ir_op2(b, OP_eq, x.val, spread(b, y, type, axes)),
           place = places(b, type, axes);
    if (ir_is_float(type->dtype))
        wins = ir_op2(b, OP_or, wins, ir_op2(b, OP_ne, x.val, x.val));
    ir_ref lost = ir_like(b, place, (double)reduced_size(type, axes));
    ir_ref first = ir_reduce(b, OP_reduce_min, ir_select(b, wins, place, lost), axes);
    wins = ir_op2(b, OP_eq, place, spread(b, first, ir_btype(b, place), axes));
    return ir_reduce(b, OP_reduce_sum, tan_select(b, wins, x.tan, IR_NONE), axes);
}

/* The mean of the tangents of the elements that equal the result.  Where the result is NaN the
 * count of those elements is NaN, so that derivatives are NaN, forward and in reverse. */
static void
jvp_extremum(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_type *type = ir_type_at(f, n->in[0]);
    const ir_axes axes = n->at->axes.axes;
    y->tan = axes ? IR_NONE : in->tan;
    if (!axes || reduced_size(type, axes) == 0)
        return;
    if (n->at->axes.first) {
        y->tan = tangent_of_first(b, type, axes, *in, y->val);
        return;
    }
    const ir_op behind = ir_ops[n->op].by == IR_BY_MAX ? OP_lt : OP_gt;
    ir_ref loses = ir_op2(b, behind, in->val, spread(b, y->val, type, axes));
    ir_ref wins = ir_op1(b, OP_not, loses);
    ir_ref count = ir_reduce(b, OP_reduce_sum, ir_convert(b, wins, type->dtype), axes);
    ir_ref total = ir_reduce(b, OP_reduce_sum, tan_select(b, loses, IR_NONE, in->tan), axes);
    if (ir_is_float(type->dtype))
        count = ir_select(b, ir_op2(b, OP_eq, y->val, y->val), count, y->val);
    y->tan = ir_div(b, total, count);
}

void
jvp_reduce_max(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    jvp_extremum(b, f, n, in, y);
}

void
jvp_reduce_min(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    jvp_extremum(b, f, n, in, y);
}

/* x as [kept..., reduced], with the reduced axes merged in order. */
static ir_ref
reduced_last(ir_build *b, ir_ref x, const ir_type *type, ir_axes axes)
{
    int64_t perm[COT_MAX_RANK], shape[COT_MAX_RANK];
    int kept = kept_axes(type->rank, axes, perm), k = kept;
    for (int i = 0; i < type->rank; i++)
        if (ir_axes_has(axes, i))
            perm[k++] = i;
    for (int i = 0; i < kept; i++)
        shape[i] = type->dims[perm[i]];
    shape[kept] = reduced_size(type, axes);
    return ir_reshape(b, ir_transpose(b, x, perm), kept + 1, shape);
}

/* d(x y) = y dx + x dy. */
static dual
times(ir_build *b, dual x, dual y)
{
    ir_ref val = ir_mul(b, x.val, y.val);
    ir_ref other = ir_mul(b, y.tan, x.val);
    return (dual){ val, ir_add(b, ir_mul(b, x.tan, y.val), other) };
}

/* The elements [0, n) times the elements [n, 2n) of the last axis. */
static dual
multiply_halves(ir_build *b, dual x, int axis, int64_t n)
{
    ir_ref v0 = ir_slice_axis(b, x.val, axis, 0, n),
           v1 = ir_slice_axis(b, x.val, axis, n, 2 * n);
    ir_ref t0 = ir_slice_axis(b, x.tan, axis, 0, n),
           t1 = ir_slice_axis(b, x.tan, axis, n, 2 * n);
    return times(b, (dual){ v0, t0 }, (dual){ v1, t1 });
}

/* Folds the dual numbers along the axis by halves; the last one of an odd number is multiplied
 * into `rest`.  These are only products and sums, so derivatives of every order exist. */
static dual
dual_product(ir_build *b, dual x, int axis, int64_t n)
{
    dual rest = { IR_NONE, IR_NONE };
    for (; n > 1; n /= 2) {
        if (n % 2) {
            dual odd = { ir_slice_axis(b, x.val, axis, n - 1, n),
                         ir_slice_axis(b, x.tan, axis, n - 1, n) };
            rest = rest.val ? times(b, rest, odd) : odd;
        }
        x = multiply_halves(b, x, axis, n / 2);
    }
    return rest.val ? times(b, x, rest) : x;
}

void
jvp_reduce_prod(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_type *type = ir_type_at(f, n->in[0]), *result = ir_type_at(f, n->first);
    const ir_axes axes = n->at->axes.axes;
    const int64_t size = reduced_size(type, axes);
    y->tan = axes ? IR_NONE : in->tan;
    if (!axes || size == 0)
        return;
    dual x = { reduced_last(b, in->val, type, axes), reduced_last(b, in->tan, type, axes) };
    x = dual_product(b, x, result->rank, size);
    y->tan = ir_reshape(b, ir_rounded(b, x.tan), result->rank, result->dims);
}

/* Every element has the weight 1, so the cotangent is broadcast along the reduced axes. */
void
transpose_reduce_sum(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                     const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)linear, (void)in;
    ct_in[0] = spread(b, ct[0], ir_type_at(f, n->in[0]), n->at->axes.axes);
}

/* The mapped axis is the first and is not reduced: every reduced axis moves up by one. */
void
vmap_reduce(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
            const bool *mapped, ir_ref *y, bool *out_mapped)
{
    const ir_axes axes = ir_axes_shift(n->at->axes.axes, 1);
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    y[0] = n->at->axes.first ? ir_reduce_first(b, (ir_op)n->op, in[0], axes)
                             : ir_reduce(b, (ir_op)n->op, in[0], axes);
}

void
vmap_arg(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
         const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = ir_node_attrs(n);
    (void)f, (void)size, (void)mapped, (void)out_mapped;
    at.arg.axis++;
    y[0] = ir_node1(b, (ir_op)n->op, 1, in, &at);
}
