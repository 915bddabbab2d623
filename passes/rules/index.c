/* Rules of ops with indices known only at run time.
 *
 * gather and scatter_add are transposes of each other. dynamic_slice and dynamic_update_slice
 * are the gather and scatter of one box, and become those if the starts are mapped.  Indices
 * have no tangents.  Elements that a gather reads outside are constant in mode fill, and those
 * that a scatter writes outside are dropped: their derivative is zero, by a mask that is
 * gathered from ones.
 *
 * If indices of a scatter repeat: `scatter` differentiates the last update of an element, found
 * by scattering the numbers of the updates; scatter_min and scatter_max share evenly among
 * ties; for each update scatter_mul uses the product of the others, with zeros treated
 * separately. */
#include "passes/rules.h"

/* A list of axes, after another axis is inserted in front. */
static ir_ints
moved_up(ir_build *b, ir_ints s)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, s.n + 1);

    for (int i = 0; i < s.n; i++)
        at[i] = s.at[i] + 1;
    return (ir_ints){ s.n, at };
}

/* first, then the list moved up. */
static ir_ints
put_first(ir_build *b, int64_t first, ir_ints s, int64_t up)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, s.n + 1);

    at[0] = first;
    for (int i = 0; i < s.n; i++)
        at[i + 1] = s.at[i] + up;
    return (ir_ints){ s.n + 1, at };
}

static ir_ints
counted(ir_build *b, int n, int64_t from)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, n + 1);

    for (int i = 0; i < n; i++)
        at[i] = from + i;
    return (ir_ints){ n, at };
}

static ir_ref
gather(ir_build *b, ir_ref x, ir_ref indices, ir_attrs at, int mode)
{
    at.gather.mode = mode;
    return ir_node1(b, OP_gather, 2, (ir_ref[]){ x, indices }, &at);
}

static ir_ref
scatter(ir_build *b, ir_op op, ir_ref x, ir_ref indices, ir_ref z, const ir_attrs *at)
{
    return ir_node1(b, op, 3, (ir_ref[]){ x, indices, z }, at);
}

/* x at the indices, and 0 outside in mode fill: linear in x. */
static ir_ref
gather_or_zero(ir_build *b, ir_ref x, ir_ref indices, ir_attrs at, int mode)
{
    if (mode != IR_MODE_FILL || !x || !indices)
        return gather(b, x, indices, at, mode);
    ir_ref ones = ir_splat(b, ir_type_as(b->ctx, ir_btype(b, x), COT_U8), 1);
    ir_ref in = gather(b, ones, indices, at, IR_MODE_FILL);
    ir_ref y = gather(b, x, indices, at, IR_MODE_CLIP);
    ir_ref zero = ir_like(b, y, 0);
    return ir_select(b, ir_op2(b, OP_ne, in, ir_like(b, in, 0)), y, zero);
}

/* The gather that reads the elements that a scatter into x with updates of type z writes. */
static ir_attrs
reading(ir_build *b, const ir_node *n, const ir_type *x, const ir_type *z)
{
    int64_t *sizes = IR_NEW_N(b->arena, int64_t, x->rank);
    int window = 0;

    for (int k = 0; k < x->rank; k++) {
        bool thin = ir_ints_has(n->at->scatter.inserted, k) ||
                    ir_ints_has(n->at->scatter.operand_batch, k);
        sizes[k] = thin ? 1 : z->dims[n->at->scatter.window_dims.at[window++]];
    }
    return (ir_attrs){ .gather = { .offset_dims = n->at->scatter.window_dims,
                                   .collapsed = n->at->scatter.inserted,
                                   .operand_batch = n->at->scatter.operand_batch,
                                   .indices_batch = n->at->scatter.indices_batch,
                                   .index_map = n->at->scatter.index_map,
                                   .sizes = { x->rank, sizes },
                                   .mode = n->at->scatter.mode } };
}

/* Reads, for each update of node n, its elements of v, which has the operand's shape. */
static ir_ref
read_back(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref v, ir_ref indices)
{
    ir_attrs at = reading(b, n, ir_type_at(f, n->in[0]), ir_type_at(f, n->in[2]));
    return gather(b, v, indices, at, IR_MODE_CLIP);
}

void
jvp_dynamic_slice(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in);

    (void)f;
    for (int i = 0; i < n->n_in; i++)
        x[i] = i == 0 ? in[0].tan : in[i].val;
    if (in[0].tan)
        y->tan = ir_node1(b, OP_dynamic_slice, n->n_in, x, n->at);
}

static ir_ref
tangent_or_zero(ir_build *b, dual x)
{
    return x.tan ? x.tan : ir_like(b, x.val, 0);
}

void
jvp_dynamic_update_slice(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in,
                         dual *y)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in);

    (void)f;
    for (int i = 0; i < n->n_in; i++)
        x[i] = i < 2 ? tangent_or_zero(b, in[i]) : in[i].val;
    y->tan = ir_node1(b, OP_dynamic_update_slice, n->n_in, x, NULL);
}

void
jvp_gather(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f;
    if (in[0].tan)
        y->tan = gather_or_zero(b, in[0].tan, in[1].val, ir_node_attrs(n), n->at->gather.mode);
}

/* The last update of an element determines its value and its tangent. */
void
jvp_scatter(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    (void)f;
    ir_ref zero = tangent_or_zero(b, in[2]);
    y->tan = scatter(b, OP_scatter, tangent_or_zero(b, in[0]), in[1].val, zero, n->at);
}

static ir_ref
is_zero(ir_build *b, ir_ref x)
{
    return ir_op2(b, OP_eq, x, ir_like(b, x, 0));
}

/* For each update, the sum of the other updates of the same elements. */
static ir_ref
sum_of_others(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref z, ir_ref indices)
{
    const ir_type *t = ir_type_as(b->ctx, ir_type_at(f, n->first), ir_btype(b, z)->dtype);
    ir_ref sum = scatter(b, OP_scatter_add, ir_zeros(b, t), indices, z, n->at);
    return ir_sub(b, read_back(b, f, n, sum, indices), z);
}

/* For each update, the product of x and the other updates of the same elements.  P is that
 * product without the zeros. m zeros among the others make it 0, but not its derivatives of
 * order m.  So P is multiplied by their product: for m = 1 their sum s, for m = 2 (s^2 - sum of
 * squares) / 2, for m > 2 0: derivatives of the op of order four and above are wrong there. */
static ir_ref
product_of_others(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in)
{
    ir_ref x = in[0].val, z = in[2].val, indices = in[1].val;

    if (n->at->scatter.unique || !x || !z)
        return read_back(b, f, n, x, indices);
    ir_ref zero = is_zero(b, z), one = ir_like(b, z, 1), none = ir_like(b, z, 0);
    ir_ref safe = ir_select(b, zero, one, z), own = ir_select(b, zero, z, none);
    ir_ref all = scatter(b, OP_scatter_mul, x, indices, safe, n->at);
    ir_ref p = read_back(b, f, n, all, indices);
    ir_ref m = sum_of_others(b, f, n, ir_convert(b, zero, COT_I32), indices);
    ir_ref s = sum_of_others(b, f, n, own, indices);
    ir_ref squares = sum_of_others(b, f, n, ir_mul(b, own, own), indices);
    ir_ref pairs = ir_mul(b, ir_sub(b, ir_mul(b, s, s), squares), ir_like(b, z, 0.5));
    ir_ref two = ir_op2(b, OP_eq, m, ir_like(b, m, 2));
    ir_ref zeros = ir_select(b, two, pairs, none);
    zeros = ir_select(b, ir_op2(b, OP_eq, m, ir_like(b, m, 1)), s, zeros);
    zeros = ir_select(b, ir_op2(b, OP_eq, m, ir_like(b, m, 0)), one, zeros);
    return ir_mul(b, ir_select(b, zero, p, ir_div(b, p, safe)), zeros);
}

void
jvp_scatter_mul(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    ir_ref z = in[2].val, dx = IR_NONE, dz = IR_NONE;

    if (ir_type_at(f, n->first)->size == 0)
        return;
    if (in[0].tan)
        dx = scatter(b, OP_scatter_mul, in[0].tan, in[1].val, z, n->at);
    if (in[2].tan) {
        ir_ref product = ir_mul(b, in[2].tan, product_of_others(b, f, n, in));
        dz = scatter(b, OP_scatter_add, ir_like(b, in[0].val, 0), in[1].val, product, n->at);
    }
    y->tan = tan_add(b, dx, dz);
}

/* All operands and updates that equal the result share its tangent evenly. */
static void
jvp_scatter_extreme(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    const ir_type *t = ir_type_at(f, n->first);
    ir_ref x = in[0].val, indices = in[1].val, z = in[2].val, sum = IR_NONE;

    if (t->size == 0)
        return;
    const ir_op behind = ir_ops[n->op].by == IR_BY_MAX ? OP_lt : OP_gt;
    ir_ref x_loses = ir_op2(b, behind, x, y->val);
    ir_ref z_loses = ir_op2(b, behind, z, read_back(b, f, n, y->val, indices));
    ir_ref x_is = ir_op1(b, OP_not, x_loses), z_is = ir_op1(b, OP_not, z_loses);
    ir_ref converted = ir_convert(b, z_is, t->dtype);
    ir_ref count =
        scatter(b, OP_scatter_add, ir_convert(b, x_is, t->dtype), indices, converted, n->at);
    if (in[0].tan)
        sum = tan_select(b, x_loses, IR_NONE, in[0].tan);
    if (in[2].tan) {
        ir_ref chosen = tan_select(b, z_loses, IR_NONE, in[2].tan);
        sum = tan_add(b, sum,
                      scatter(b, OP_scatter_add, ir_like(b, x, 0), indices, chosen, n->at));
    }
    /* Where the result is NaN, so are the derivatives, forward and in reverse. */
    if (ir_is_float(t->dtype))
        count = ir_select(b, ir_op2(b, OP_eq, y->val, y->val), count, y->val);
    y->tan = tan_div(b, sum, count);
}

void
jvp_scatter_min(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    jvp_scatter_extreme(b, f, n, in, y);
}

void
jvp_scatter_max(ir_build *b, const ir_graph *f, const ir_node *n, const dual *in, dual *y)
{
    jvp_scatter_extreme(b, f, n, in, y);
}

/* ---- sums of cotangents ---- */

/* Is node n, an operand of a sum, zero except for a box or some windows?  *base is what they
 * are put into. */
static bool
is_added_to(const ir_build *b, const ir_node *n, ir_ref *base)
{
    if (!n || (n->op != OP_scatter_add && n->op != OP_dynamic_update_slice))
        return false;
    *base = n->in[0];
    double zero;
    if (n->op == OP_scatter_add || (ir_is_splat(b, *base, &zero) && zero == 0))
        return true;
    const ir_node *sum = ir_bdef(b, n->in[1]),
                  *old = sum && sum->op == OP_add ? ir_bdef(b, sum->in[0]) : NULL;
    return old && old->op == OP_dynamic_slice && old->in[0] == *base &&
           memcmp(old->in + 1, n->in + 2, sizeof *n->in * (size_t)(old->n_in - 1)) == 0;
}

/* Does y consist of windows that are put into zeros one after the other? */
static bool
is_sparse(const ir_build *b, ir_ref y)
{
    double zero;

    for (ir_ref base = IR_NONE; is_added_to(b, ir_bdef(b, y), &base); y = base)
        if (ir_is_splat(b, base, &zero))
            return zero == 0;
    return false;
}

/* Adds ct to the box of x that begins at the starts of node n. */
static ir_ref
add_to_box(ir_build *b, const ir_node *n, ir_ref x, ir_ref ct)
{
    const ir_type *t = ir_btype(b, ct);
    ir_ref *in = ir_copy_bytes(b->arena, n->in, sizeof *in * (size_t)n->n_in);

    in[1] = x;
    ir_ref old = ir_node1(b, OP_dynamic_slice, n->n_in - 1, in + 1,
                          &(ir_attrs){ .sizes = { { t->rank, t->dims } } });
    in[0] = x;
    in[1] = ir_add(b, old, ct);
    return ir_node1(b, OP_dynamic_update_slice, n->n_in, in, NULL);
}

/* Adds the windows of y to x instead of to zeros. */
static ir_ref
add_windows(ir_build *b, ir_ref x, ir_ref y)
{
    ir_ref base;
    double zero;

    if (!is_added_to(b, ir_bdef(b, y), &base))
        return x;
    const ir_node n = *ir_bdef(b, y); /* a copy, since building reallocates nodes */
    const bool bottom = ir_is_splat(b, base, &zero);
    x = add_windows(b, x, base);
    if (!x || n.op == OP_scatter_add)
        return x ? scatter(b, OP_scatter_add, x, n.in[1], n.in[2], n.at) : IR_NONE;
    return add_to_box(b, &n, x, bottom ? n.in[1] : ir_bdef(b, n.in[1])->in[1]);
}

/* A slice's cotangent is added at its place only, so that a loop that carries the sum touches
 * nothing else.  In half precision a scatter copies its operand, so nothing is gained. */
ir_ref
pass_accumulate(ir_build *b, ir_ref x, ir_ref y)
{
    if (x && y && !ir_is_half(ir_btype(b, x)->dtype)) {
        if (is_sparse(b, y))
            return add_windows(b, x, y);
        if (is_sparse(b, x))
            return add_windows(b, y, x);
    }
    return tan_add(b, x, y);
}

/* Puts ct into a box of zeros at the starts. */
void
transpose_dynamic_slice(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                        const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);

    (void)linear;
    x[0] = ir_zeros(b, ir_type_at(f, n->in[0]));
    x[1] = ct[0];
    for (int i = 1; i < n->n_in; i++)
        x[i + 1] = in[i];
    ct_in[0] = ir_node1(b, OP_dynamic_update_slice, n->n_in + 1, x, NULL);
}

void
transpose_dynamic_update_slice(ir_build *b, const ir_graph *f, const ir_node *n,
                               const bool *linear, const ir_ref *in, const ir_ref *ct,
                               ir_ref *ct_in)
{
    const ir_type *t = ir_type_at(f, n->in[1]);
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in);

    for (int i = 2; i < n->n_in; i++)
        x[i] = in[i];
    x[0] = ct[0];
    x[1] = ir_zeros(b, t);
    if (linear[0])
        ct_in[0] = ir_node1(b, OP_dynamic_update_slice, n->n_in, x, NULL);
    x[1] = ct[0];
    if (linear[1])
        ct_in[1] = ir_node1(b, OP_dynamic_slice, n->n_in - 1, x + 1,
                            &(ir_attrs){ .sizes = { { t->rank, t->dims } } });
}

void
transpose_gather(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                 const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    ir_attrs at = { .scatter = { .window_dims = n->at->gather.offset_dims,
                                 .inserted = n->at->gather.collapsed,
                                 .operand_batch = n->at->gather.operand_batch,
                                 .indices_batch = n->at->gather.indices_batch,
                                 .index_map = n->at->gather.index_map,
                                 .mode = n->at->gather.mode } };

    if (linear[0])
        ct_in[0] =
            scatter(b, OP_scatter_add, ir_zeros(b, ir_type_at(f, n->in[0])), in[1], ct[0], &at);
}

/* Which elements of the updates remain after the scatter?  Their numbers are scattered and read
 * back; one that was dropped is read as the smallest integer. */
static ir_ref
winners(ir_build *b, const ir_graph *f, const ir_node *n, ir_ref indices)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *z = ir_type_at(f, n->in[2]);
    ir_ref id = ir_reshape(b, ir_iota(b, COT_I64, 1, &z->size, 0), z->rank, z->dims);
    ir_ref none = ir_splat(b, ir_type_as(b->ctx, x, COT_I64), -1);
    ir_ref left = scatter(b, OP_scatter, none, indices, id, n->at);
    ir_ref seen = gather(b, left, indices, reading(b, n, x, z), n->at->scatter.mode);
    return ir_op2(b, OP_eq, seen, id);
}

/* Can no two updates write one element?  They cannot if each example has one update. */
static bool
is_unique(const ir_node *n, const ir_type *z)
{
    int64_t updates = 1;
    /* an axis of the indices: axis k is the k-th axis of z that is no window */
    int axis = 0;

    for (int k = 0; k < z->rank; k++)
        if (!ir_ints_has(n->at->scatter.window_dims, k) &&
            !ir_ints_has(n->at->scatter.indices_batch, axis++))
            updates *= z->dims[k];
    return n->at->scatter.unique || updates <= 1;
}

/* Overwritten elements have cotangent 0; an update has that of its elements if it was last. */
void
transpose_scatter(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                  const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *z = ir_type_at(f, n->in[2]);

    if (linear[0])
        ct_in[0] = scatter(b, OP_scatter, ct[0], in[1], ir_zeros(b, z), n->at);
    if (!linear[2] || x->size == 0)
        return;
    if (is_unique(n, z))
        ct_in[2] = gather_or_zero(b, ct[0], in[1], reading(b, n, x, z), n->at->scatter.mode);
    else {
        ir_ref read = read_back(b, f, n, ct[0], in[1]);
        ct_in[2] = tan_select(b, winners(b, f, n, in[1]), read, IR_NONE);
    }
}

void
transpose_scatter_add(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                      const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    const ir_type *x = ir_type_at(f, n->in[0]), *z = ir_type_at(f, n->in[2]);

    if (linear[0])
        ct_in[0] = ct[0];
    if (linear[2] && x->size > 0)
        ct_in[2] = gather_or_zero(b, ct[0], in[1], reading(b, n, x, z), n->at->scatter.mode);
}

/* The op is linear only in x. */
void
transpose_scatter_mul(ir_build *b, const ir_graph *f, const ir_node *n, const bool *linear,
                      const ir_ref *in, const ir_ref *ct, ir_ref *ct_in)
{
    (void)f;
    if (linear[2])
        ir_build_fail(b, "scatter_mul", ERR_no_rule, "transpose",
                      "it is not linear in the updates");
    else
        ct_in[0] = scatter(b, OP_scatter_mul, ct[0], in[1], in[2], n->at);
}

/* The start of the mapped axis: a scalar 0 of the type of the other starts. */
static ir_ref
zero_start(ir_build *b, const ir_graph *f, const ir_node *n, int from)
{
    cot_dtype t = n->n_in > from ? ir_type_at(f, n->in[from])->dtype : COT_I64;
    return ir_zeros(b, ir_scalar_type(b->ctx, t));
}

static bool
any_mapped(const bool *mapped, int from, int n)
{
    for (int i = from; i < n; i++)
        if (mapped[i])
            return true;
    return false;
}

/* A start in another type.  Values that i64 cannot hold are clamped: they are out of range. */
static ir_ref
start_as(ir_build *b, ir_ref x, cot_dtype t)
{
    const ir_type *from = x ? ir_btype(b, x) : NULL;

    if (from && from->dtype == COT_U64 && t == COT_I64)
        x = ir_op2(b, OP_min, x, ir_splat_int(b, from, INT64_MAX));
    return ir_convert(b, x, t);
}

/* The starts as index vectors [size, rank], of one integer type. */
static ir_ref
start_vectors(ir_build *b, const ir_graph *f, const ir_node *n, int from, int64_t size,
              const ir_ref *in, const bool *mapped)
{
    int rank = n->n_in - from;
    ir_ref *column = IR_NEW_N(b->arena, ir_ref, rank);
    cot_dtype t = ir_type_at(f, n->in[from])->dtype;

    for (int i = 1; i < rank; i++)
        if (ir_type_at(f, n->in[from + i])->dtype != t)
            t = COT_I64;
    for (int i = 0; i < rank; i++) {
        ir_ref x = start_as(b, in[from + i], t);
        x = pass_map_operand(b, x, mapped[from + i], size);
        column[i] = ir_reshape(b, x, 2, (int64_t[]){ size, 1 });
    }
    return ir_concatenate(b, rank, column, 1);
}

/* Unmapped starts: a box that spans the mapped axis; otherwise a gather of a box per
 * example. */
void
vmap_dynamic_slice(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                   const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_ints sizes = n->at->sizes.sizes;
    int rank = n->n_in - 1;

    (void)out_mapped;
    if (!any_mapped(mapped, 1, n->n_in)) {
        ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);

        x[0] = in[0];
        x[1] = zero_start(b, f, n, 1);
        memcpy(x + 2, in + 1, sizeof *x * (size_t)rank);
        y[0] = ir_node1(b, OP_dynamic_slice, n->n_in + 1, x,
                        &(ir_attrs){ .sizes = { put_first(b, size, sizes, 0) } });
        return;
    }
    ir_ints axis0 = counted(b, 1, 0), no_axes = { 0, NULL };
    ir_attrs at = { .gather = { .offset_dims = counted(b, rank, 1),
                                .operand_batch = mapped[0] ? axis0 : no_axes,
                                .indices_batch = mapped[0] ? axis0 : no_axes,
                                .index_map = counted(b, rank, mapped[0]),
                                .sizes = mapped[0] ? put_first(b, 1, sizes, 0) : sizes } };
    y[0] = gather(b, in[0], start_vectors(b, f, n, 1, size, in, mapped), at, IR_MODE_CLIP);
}

void
vmap_dynamic_update_slice(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size,
                          const ir_ref *in, const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_ref *x = IR_NEW_N(b->arena, ir_ref, n->n_in + 1);
    int rank = n->n_in - 2;

    (void)out_mapped;
    x[0] = pass_map_operand(b, in[0], mapped[0], size);
    x[1] = pass_map_operand(b, in[1], mapped[1], size);
    if (!any_mapped(mapped, 2, n->n_in)) {
        x[2] = zero_start(b, f, n, 2);
        memcpy(x + 3, in + 2, sizeof *x * (size_t)rank);
        y[0] = ir_node1(b, OP_dynamic_update_slice, n->n_in + 1, x, NULL);
        return;
    }
    ir_ints axis0 = counted(b, 1, 0);
    ir_attrs at = { .scatter = { .window_dims = counted(b, rank, 1),
                                 .operand_batch = axis0,
                                 .indices_batch = axis0,
                                 .index_map = counted(b, rank, 1),
                                 .mode = IR_MODE_CLIP,
                                 .unique = 1 } };
    y[0] = scatter(b, OP_scatter, x[0], start_vectors(b, f, n, 2, size, in, mapped), x[1], &at);
}

/* Only x mapped: the window spans that axis.  Only the indices: they have one more batch axis.
 * Both: corresponding batch axes. */
void
vmap_gather(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
            const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = ir_node_attrs(n);

    (void)f, (void)out_mapped;
    at.gather.offset_dims = moved_up(b, n->at->gather.offset_dims);
    if (mapped[0]) {
        at.gather.collapsed = moved_up(b, n->at->gather.collapsed);
        at.gather.operand_batch = moved_up(b, n->at->gather.operand_batch);
        at.gather.index_map = moved_up(b, n->at->gather.index_map);
        at.gather.sizes = put_first(b, mapped[1] ? 1 : size, n->at->gather.sizes, 0);
    }
    if (mapped[1])
        at.gather.indices_batch = moved_up(b, n->at->gather.indices_batch);
    if (mapped[0] && !mapped[1])
        at.gather.offset_dims = put_first(b, 0, n->at->gather.offset_dims, 1);
    if (mapped[0] && mapped[1]) {
        at.gather.operand_batch = put_first(b, 0, n->at->gather.operand_batch, 1);
        at.gather.indices_batch = put_first(b, 0, n->at->gather.indices_batch, 1);
    }
    y[0] = gather(b, in[0], in[1], at, n->at->gather.mode);
}

/* Operand and updates are mapped; the indices are as in vmap_gather. */
void
vmap_scatter(ir_build *b, const ir_graph *f, const ir_node *n, int64_t size, const ir_ref *in,
             const bool *mapped, ir_ref *y, bool *out_mapped)
{
    ir_attrs at = ir_node_attrs(n);
    ir_ref x = pass_map_operand(b, in[0], mapped[0], size);
    ir_ref z = pass_map_operand(b, in[2], mapped[2], size);

    (void)f, (void)out_mapped;
    at.scatter.inserted = moved_up(b, n->at->scatter.inserted);
    at.scatter.index_map = moved_up(b, n->at->scatter.index_map);
    if (mapped[1]) {
        at.scatter.window_dims = moved_up(b, n->at->scatter.window_dims);
        at.scatter.operand_batch = put_first(b, 0, n->at->scatter.operand_batch, 1);
        at.scatter.indices_batch = put_first(b, 0, n->at->scatter.indices_batch, 1);
    } else {
        at.scatter.window_dims = put_first(b, 0, n->at->scatter.window_dims, 1);
        at.scatter.operand_batch = moved_up(b, n->at->scatter.operand_batch);
    }
    y[0] = scatter(b, (ir_op)n->op, x, in[1], z, &at);
}
