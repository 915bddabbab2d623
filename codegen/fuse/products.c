/* What fusion needs to know of products: the memory that an operand is read from, through views
 * and conversions, and whether the product has the inner form. */
#include "codegen/fuse/fuse.h"
#include "codegen/tuning.h"

/* A strided view of memory: strides in elements, and the first element. */
typedef struct view {
    int rank, depth;
    int64_t dims[COT_MAX_RANK + 1], stride[COT_MAX_RANK + 1], offset;
} view;

/* Reshape view v to the sizes of t.  Axes that are contiguous in memory are merged and split
 * again; false if the reshape needs a copy. */
static bool
reshape_view(view *v, const ir_type *t)
{
    view to = { .rank = t->rank, .offset = v->offset };
    int i = 0, j = 0;
    if (t->size == 0)
        return false;
    while (i < v->rank || j < t->rank) {
        const int i0 = i, j0 = j;
        int64_t from = i < v->rank ? v->dims[i++] : 1, into = j < t->rank ? t->dims[j++] : 1;
        while (from != into)
            if (from < into)
                from *= v->dims[i++];
            else
                into *= t->dims[j++];
        int64_t step = 1, last = -1;
        for (int k = i - 1; k >= i0; k--) {
            if (v->dims[k] == 1)
                continue;
            if (last >= 0 && v->stride[k] != last)
                return false;
            step = last < 0 ? v->stride[k] : step;
            last = v->stride[k] * v->dims[k];
        }
        for (int k = j - 1; k >= j0; k--) {
            to.dims[k] = t->dims[k];
            to.stride[k] = step;
            step *= t->dims[k];
        }
    }
    to.depth = v->depth;
    *v = to;
    return true;
}

static void
slice_view(view *v, const ir_node *n)
{
    for (int k = 0; k < v->rank; k++) {
        v->offset += n->at->slice.start.at[k] * v->stride[k];
        v->stride[k] *= n->at->slice.stride.at[k];
    }
}

static void
broadcast_view(view *v, const ir_node *n, const ir_type *t)
{
    view from = *v;
    memset(v->stride, 0, sizeof v->stride);
    for (int k = 0; k < from.rank; k++)
        if (from.dims[k] == t->dims[n->at->broadcast.dims.at[k]])
            v->stride[n->at->broadcast.dims.at[k]] = from.stride[k];
}

/* Do loads widen elements of type `from` to type `to` without changing a value? */
static bool
widens(cot_dtype from, cot_dtype to)
{
    if (from == COT_BOOL || from == to)
        return false;
    if (ir_is_float(from))
        return ir_is_float(to) && !ir_is_half(to) && ir_bits(to) > ir_bits(from);
    if (ir_is_int(from) && ir_is_float(to))
        return !ir_is_half(to) && 2 * ir_bits(from) <= ir_bits(to);
    return ir_is_int(from) && ir_is_int(to) && ir_bits(to) > ir_bits(from) &&
           (ir_is_signed(to) || ir_is_unsigned(from));
}

static ir_ref
view_of(const ir_graph *f, ir_ref x, view *v)
{
    const ir_node *n = ir_def(f, x);
    const ir_type *t = ir_type_at(f, x);
    ir_ref base = IR_NONE;
    bool ok = n && v->depth++ < CG_FUSE_MAX_PRODUCT_VIEWS && t->size > 0;
    switch (ok ? n->op : OP_none) {
    case OP_transpose:
    case OP_barrier:
    case OP_reshape:
    case OP_slice:
    case OP_windows:
    case OP_broadcast_in_dim:
        base = view_of(f, n->in[0], v);
        break;
    case OP_convert:
        if (widens(ir_type_at(f, n->in[0])->dtype, t->dtype))
            base = view_of(f, n->in[0], v);
        break;
    default:
        break;
    }
    const view from = *v;
    if (base && n->op == OP_slice)
        slice_view(v, n);
    if (base && n->op == OP_broadcast_in_dim)
        broadcast_view(v, n, t);
    for (int k = 0; base && n->op == OP_transpose && k < t->rank; k++)
        v->stride[k] = from.stride[n->at->perm.perm.at[k]];
    if (base && n->op == OP_windows) {
        v->stride[t->rank - 1] = from.stride[n->at->windows.axis] * n->at->windows.dilation;
        v->stride[n->at->windows.axis] *= n->at->windows.stride;
    }
    if (!base || (n->op == OP_reshape && !reshape_view(v, t))) {
        base = x;
        v->offset = 0;
        ir_strides(t, v->stride);
    }
    v->rank = t->rank;
    memcpy(v->dims, t->dims, sizeof *v->dims * (size_t)t->rank);
    return base;
}

/* Is copying the operand cheaper than reading it through this view?  It is for the kernel of a
 * convolution, which is small: in the copy the results are contiguous, and the window and
 * features merge into one contracted axis. */
static bool
copies(const ir_node *n, int i, const view *v)
{
    return n->op == OP_conv_general && i == 1 && v->stride[v->rank - 1] != 1;
}

ir_ref
cg_dot_operand(const ir_graph *f, const ir_node *n, int i, int64_t *stride, int64_t *offset)
{
    view v = { 0 };
    ir_ref base = view_of(f, n->in[i], &v);
    if (base != n->in[i] && copies(n, i, &v)) {
        base = n->in[i];
        v.offset = 0;
        ir_strides(ir_type_at(f, base), v.stride);
    }
    if (stride)
        memcpy(stride, v.stride, sizeof *stride * (size_t)v.rank);
    if (offset)
        *offset = v.offset;
    return base;
}

/* Are the contracted axes the last ones, in order? */
static bool
is_k_last(int rank, ir_ints k)
{
    for (int i = 0; i < k.n; i++)
        if (k.at[i] != rank - k.n + i)
            return false;
    return true;
}

static bool
takes_inner_form(int lhs_free, int rhs_free, bool lhs_k_last, bool rhs_k_last)
{
    if (lhs_free && rhs_free)
        return false;
    return lhs_free ? lhs_k_last : rhs_free ? rhs_k_last : true;
}

bool
cg_has_inner_form(const ir_graph *f, const ir_node *n, int lhs_free, int rhs_free)
{
    return takes_inner_form(lhs_free, rhs_free,
                            is_k_last(ir_type_at(f, n->in[0])->rank, n->at->dot.lhs),
                            is_k_last(ir_type_at(f, n->in[1])->rank, n->at->dot.rhs));
}

bool
cg_is_inner_product(const ir_graph *f, const ir_node *n)
{
    if (n->op != OP_dot_general)
        return false;
    const int lhs = ir_type_at(f, n->in[0])->rank - n->at->dot.lhs.n - n->at->dot.lhs_batch.n,
              rhs = ir_type_at(f, n->in[1])->rank - n->at->dot.rhs.n - n->at->dot.rhs_batch.n;
    return cg_has_inner_form(f, n, lhs, rhs);
}
