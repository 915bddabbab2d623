/* Random graphs, grown value by value: each step picks an op and makes operands that fit it
 * from the values there are, by converting, reshaping and broadcasting where none fits.  In one
 * program of four half the steps are writes, views, and values for them; in one of five half
 * are loops over several arrays. */
#include "tests/fuzz/grow.h"

static ir_graph *function(gen *outer, int n_in, const ir_type *const *in, int n_out,
                          const ir_type *const *out, int steps);

static cot_dtype
any_dtype(gen *g)
{
    return below(g, 5) ? g->main : (cot_dtype)(1 + below(g, REAL_TYPES));
}

static const ir_type *
any_type(gen *g)
{
    static const int64_t sizes[] = { 1, 2, 3, 5, 7, 2, 3, 8, 17, 0 };
    int64_t dims[3];
    int rank = below(g, 4);

    for (int k = 0; k < rank; k++)
        dims[k] = sizes[below(g, below(g, 8) ? 8 : 10)];
    return ir_type_new(g->b->ctx, any_dtype(g), rank, dims);
}

/* v as a value of type t, by whatever it takes. */
ir_ref
grow_coerce(gen *g, ir_ref v, const ir_type *t)
{
    const ir_type *x = type_of(g, v);

    if (!ir_same_shape(x, t) && x->size == t->size)
        v = ir_reshape(g->b, v, t->rank, t->dims);
    else if (!ir_same_shape(x, t) && x->rank > 0)
        v = ir_reduce(g->b, x->dtype == COT_BOOL ? OP_reduce_or : OP_reduce_max, v,
                      ir_axes_below(x->rank));
    v = ir_convert(g->b, v, t->dtype);
    if (v && !ir_same_shape(type_of(g, v), t))
        v = ir_broadcast_scalar(g->b, v, t);
    return v;
}

/* A value of type t: one that is there, made from another, or a constant. */
ir_ref
grow_like(gen *g, const ir_type *t)
{
    for (int i = 0; i < 6; i++) {
        ir_ref v = any(g);

        if (type_of(g, v) == t)
            return v;
    }
    return below(g, 6) ? grow_coerce(g, any(g), t) : ir_splat(g->b, t, below(g, 7) - 2);
}

static ir_ref
index_scalar(gen *g)
{
    cot_dtype t = below(g, 3) ? COT_I32 : (cot_dtype)(COT_I8 + below(g, 8));

    return grow_like(g, ir_scalar_type(g->b->ctx, t));
}

/* ---- one op ---- */

static ir_ref
pointwise(gen *g)
{
    ir_attrs at = { 0 };
    ir_ref in[3];
    ir_op op;
    ir_ref x = any(g);
    const ir_type *t = type_of(g, x);

    do
        op = (ir_op)(OP_FIRST + below(g, OP_COUNT - OP_FIRST));
    while (!laws_takes(op, t->dtype) || op == OP_complex);
    for (int i = 0; i < ir_ops[op].n_in; i++)
        in[i] = i == 0 ? x : grow_like(g, t);
    if (op == OP_select) {
        in[2] = x;
        in[0] = grow_like(g, ir_type_as(g->b->ctx, t, COT_BOOL));
    } else if (op == OP_convert) {
        at.dtype.dtype = (cot_dtype)(1 + below(g, REAL_TYPES));
    } else if (op == OP_bitcast) {
        static const cot_dtype bits[9] = {
            [1] = COT_U8, [2] = COT_U16, [4] = COT_U32, [8] = COT_U64
        };
        /* The bits of a NaN are not promised: nothing may look at them. */
        if (ir_is_float(t->dtype))
            in[0] = grow_like(g, ir_type_as(g->b->ctx, t, bits[cot_dtype_size(t->dtype)]));
        at.dtype.dtype = t->dtype;
        for (int k = 0; k < 20; k++) {
            cot_dtype u = (cot_dtype)(1 + below(g, REAL_TYPES));
            at.dtype.dtype = ir_bits(u) == ir_bits(t->dtype) ? u : at.dtype.dtype;
        }
    } else if (op == OP_integer_pow) {
        at.ipow.y = below(g, 5) - (ir_is_float(t->dtype) ? 2 : 0);
    } else if (op == OP_reduce_precision) {
        at.precision.exponent_bits = 1 + below(g, 11);
        at.precision.mantissa_bits = below(g, 53);
    }
    return ir_node1(g->b, op, ir_ops[op].n_in, in, &at);
}

ir_ref
grow_reshape(gen *g, ir_ref x)
{
    const ir_type *t = type_of(g, x);
    int64_t dims[COT_MAX_RANK] = { t->size };
    int rank = 1;

    if (below(g, 2) && t->rank < 5) {
        memcpy(dims, t->dims, sizeof *dims * (size_t)t->rank);
        dims[rank = t->rank] = 1;
        rank++;
    }
    return ir_reshape(g->b, x, rank, dims);
}

ir_ref
grow_transpose(gen *g, ir_ref x)
{
    int64_t perm[COT_MAX_RANK];
    int rank = type_of(g, x)->rank;

    for (int k = 0; k < rank; k++)
        perm[k] = k;
    for (int k = rank - 1; k > 0; k--) {
        int m = below(g, k + 1);
        int64_t p = perm[k];

        perm[k] = perm[m];
        perm[m] = p;
    }
    return ir_transpose(g->b, x, perm);
}

/* A box with strides of t, in attributes. */
static ir_attrs
box(gen *g, const ir_type *t)
{
    int64_t *start = IR_NEW_N(g->b->arena, int64_t, 3 * t->rank + 1), *limit = start + t->rank,
            *stride = limit + t->rank;

    for (int k = 0; k < t->rank; k++) {
        start[k] = below(g, (int)t->dims[k] / 2 + 1);
        limit[k] = start[k] + below(g, (int)(t->dims[k] - start[k]) + 1);
        stride[k] = 1 + below(g, 3);
    }
    return (
        ir_attrs){ .slice = { { t->rank, start }, { t->rank, limit }, { t->rank, stride } } };
}

ir_ref
grow_slice(gen *g, ir_ref x)
{
    const ir_attrs at = box(g, type_of(g, x));

    return ir_slice(g->b, x, at.slice.start.at, at.slice.limit.at, at.slice.stride.at);
}

static ir_ref
pad(gen *g, ir_ref x)
{
    int64_t low[COT_MAX_RANK], high[COT_MAX_RANK], interior[COT_MAX_RANK];
    const ir_type *t = type_of(g, x);

    for (int k = 0; k < t->rank; k++) {
        interior[k] = below(g, 2);
        low[k] = below(g, 4) - (t->dims[k] > 1 ? 1 : 0);
        high[k] = below(g, 4) - (t->dims[k] > 1 ? 1 : 0);
    }
    return ir_pad(g->b, x, grow_like(g, ir_scalar_type(g->b->ctx, t->dtype)), low, high,
                  interior);
}

static ir_ref
move(gen *g)
{
    ir_ref x = any(g);
    const ir_type *t = type_of(g, x);
    int axis = t->rank ? below(g, t->rank) : 0;

    switch (below(g, 10)) {
    case 8:  return t->rank && t->rank < 5 && t->size < 200
            ? ir_windows(g->b, x, axis, 1 + below(g, 3), 1 + below(g, 2), 1 + below(g, 2)) : x;
    case 0:
        return t->rank < 5 ? ir_broadcast_axis(g->b, x, below(g, t->rank + 1), 1 + below(g, 4))
                           : x;
    case 1:  return grow_reshape(g, x);
    case 2:  return grow_transpose(g, x);
    case 3:  return grow_slice(g, x);
    case 4:  return pad(g, x);
    case 5:
        return t->rank ? ir_concatenate(g->b, 2, (ir_ref[]){ x, grow_like(g, t) }, axis) : x;
    case 6:  return ir_reverse(g->b, x, ir_axes_below(t->rank) & (ir_axes)below(g, 8));
    case 7:
        return t->rank && t->dtype != COT_BOOL ? ir_iota(g->b, t->dtype, t->rank, t->dims, axis)
                                               : x;
    default: return grow_coerce(g, x, any_type(g));
    }
}

static ir_ref
reduce(gen *g)
{
    static const ir_op numbers[] = { OP_reduce_sum, OP_reduce_prod, OP_reduce_max,
                                     OP_reduce_min, OP_reduce_sum };
    ir_ref x = any(g);
    const ir_type *t = type_of(g, x);
    ir_axes axes = ir_axes_below(t->rank) & (ir_axes)below(g, 16);

    if (t->dtype == COT_BOOL)
        return ir_reduce(g->b, below(g, 2) ? OP_reduce_and : OP_reduce_or, x, axes);
    if (t->rank && below(g, 5) == 0) {
        int axis = below(g, t->rank);

        if (t->dims[axis] > 0)
            return ir_node1(g->b, below(g, 2) ? OP_argmax : OP_argmin, 1, &x,
                            &(ir_attrs){ .arg = { axis, COT_I32 } });
    }
    return ir_reduce(g->b, numbers[below(g, 5)], x, axes);
}

/* x summed up along an axis, or the places of its sorted elements, by another of its type
 * too. */
static ir_ref
order(gen *g)
{
    ir_ref x = any(g);
    const ir_type *t = type_of(g, x);

    if (t->rank == 0 || t->size > 300)
        return IR_NONE;
    if (below(g, 2) && t->dtype != COT_BOOL)
        return ir_node1(g->b, (ir_op)(OP_cumsum + below(g, 4)), 1, &x,
                        &(ir_attrs){ .cumulate = { below(g, t->rank), below(g, 2) } });
    if (below(g, 3) == 0) {
        const int axis = below(g, t->rank);

        return ir_node1(
            g->b, OP_top_k, 1, &x,
            &(ir_attrs){ .top = { axis, below(g, (int)t->dims[axis] + 1), COT_I32 } });
    }
    return ir_node1(
        g->b, OP_argsort, 1 + below(g, 2), (ir_ref[]){ x, grow_like(g, t) },
        &(ir_attrs){ .arg = { below(g, t->rank), below(g, 2) ? COT_I32 : COT_I64 } });
}

/* Bits at counters made of x, as numbers of any type. */
static ir_ref
random_bits(gen *g)
{
    const ir_type *t = ir_type_as(g->b->ctx, type_of(g, any(g)), COT_U64);
    ir_ref x = grow_like(g, t), y = grow_like(g, t);

    if (below(g, 2))
        x = ir_node1(g->b, OP_philox, 3, (ir_ref[]){ x, y, grow_like(g, t) },
                     &(ir_attrs){ .word = { below(g, 2) } });
    else
        x = ir_op2(g->b, OP_threefry, x, y);
    return ir_convert(g->b, x, any_type(g)->dtype);
}

/* Windows of 1 to 3 elements, of up to 3 results. */
static ir_ref
conv(gen *g, ir_ref x)
{
    const ir_type *t = type_of(g, x);
    int64_t dims[COT_MAX_RANK], stride[COT_MAX_RANK], dilation[COT_MAX_RANK];
    const int spatial = t->rank - 3;

    dims[0] = t->dims[0];
    for (int i = 0; i < spatial; i++) {
        dims[1 + i] = 1 + below(g, 3);
        stride[i] = 1 + below(g, 2);
        dilation[i] = 1 + below(g, 2);
    }
    dims[t->rank - 2] = t->dims[t->rank - 1];
    dims[t->rank - 1] = 1 + below(g, 3);
    return ir_conv(g->b, x, grow_like(g, ir_type_shaped(g->b->ctx, t, t->rank, dims)),
                   (ir_ints){ spatial, stride }, (ir_ints){ spatial, dilation });
}

/* x with another of its type, or with a vector along its last axis. */
static ir_ref
dot(gen *g)
{
    ir_ref x = any(g);
    const ir_type *t = type_of(g, x);
    int64_t k = t->rank ? below(g, t->rank) : 0, last = t->rank - 1, zero = 0;

    if (t->dtype == COT_BOOL || t->rank == 0 || t->size > 300)
        return IR_NONE;
    if (t->rank >= 3 && below(g, 2))
        return conv(g, x);
    ir_ints none = { 0, NULL };
    if (below(g, 3) == 0)
        return ir_dot(g->b, x, grow_like(g, ir_type_shaped(g->b->ctx, t, 1, t->dims + last)),
                      (ir_ints){ 1, &last }, (ir_ints){ 1, &zero }, none, none);
    ir_ints batch = { k > 0 && below(g, 2), &zero };
    return ir_dot(g->b, x, grow_like(g, t), (ir_ints){ 1, &k }, (ir_ints){ 1, &k }, batch,
                  batch);
}

static ir_ref
dynamic(gen *g)
{
    ir_ref in[2 + COT_MAX_RANK], x = any(g);
    const ir_type *t = type_of(g, x);
    int64_t sizes[COT_MAX_RANK];
    bool update = below(g, 2);

    for (int k = 0; k < t->rank; k++) {
        sizes[k] = below(g, (int)t->dims[k] + 1);
        in[1 + update + k] = index_scalar(g);
    }
    in[0] = x;
    if (update)
        in[1] = grow_like(g, ir_type_shaped(g->b->ctx, t, t->rank, sizes));
    return ir_node1(g->b, update ? OP_dynamic_update_slice : OP_dynamic_slice,
                    1 + update + t->rank, in, &(ir_attrs){ .sizes = { { t->rank, sizes } } });
}

/* Rows of x by number: gathered, or scattered into. */
static ir_ref
rows(gen *g)
{
    static const ir_op puts[] = { OP_scatter, OP_scatter_add, OP_scatter_mul, OP_scatter_min,
                                  OP_scatter_max };
    ir_ref x = any(g);
    const ir_type *t = type_of(g, x);
    int64_t zero = 0, m = 1 + below(g, 5), window[COT_MAX_RANK], dims[COT_MAX_RANK];

    if (t->rank == 0 || t->dims[0] == 0)
        return IR_NONE;
    ir_ints none = { 0, NULL }, first = { 1, &zero };
    ir_ref i = grow_like(
        g, ir_type_new(g->b->ctx, below(g, 2) ? COT_I32 : COT_I8, 2, (int64_t[]){ m, 1 }));
    for (int k = 0; k < t->rank; k++) {
        window[k] = k + 1;
        dims[k] = k ? t->dims[k] : 1;
    }
    ir_ints outer = { t->rank - 1, window };
    if (below(g, 2))
        return ir_node1(
            g->b, OP_gather, 2, (ir_ref[]){ x, i },
            &(ir_attrs){
                .gather = {
                    outer, first, none, none, first, { t->rank, dims }, below(g, 2) } });
    dims[0] = m;
    ir_op op = t->dtype == COT_BOOL ? OP_scatter : puts[below(g, 5)];
    return ir_node1(
        g->b, op, 3,
        (ir_ref[]){ x, i, grow_like(g, ir_type_shaped(g->b->ctx, t, t->rank, dims)) },
        &(ir_attrs){ .scatter = { outer, first, none, none, first, below(g, 2), 0 } });
}

/* ---- writes ---- */

static void
keep_writable(gen *g, ir_ref v)
{
    keep(g, v);
    if (v && g->n_w < MAX_WRITTEN && g->n && g->v[g->n - 1] == v)
        g->w[g->n_w++] = v;
}

static ir_ref
view(gen *g, ir_ref x)
{
    const ir_type *t = type_of(g, x);
    int64_t to[COT_MAX_RANK], *sizes = to;
    ir_ref in[1 + COT_MAX_RANK] = { x };
    ir_attrs at = { 0 };

    switch (below(g, 5)) {
    case 0:
        at = box(g, t);
        return ir_node1(g->b, OP_view_slice, 1, in, &at);
    case 1:
        return ir_node1(g->b, OP_view_reshape, 1, in,
                        &(ir_attrs){ .shape = { { 1, &t->size } } });
    case 2:
        for (int k = 0; k < t->rank; k++)
            to[k] = t->rank - 1 - k;
        return ir_node1(g->b, OP_view_transpose, 1, in,
                        &(ir_attrs){ .perm = { { t->rank, to } } });
    case 3:
        at.axes.axes = ir_axes_below(t->rank) & (ir_axes)below(g, 8);
        return ir_node1(g->b, OP_view_reverse, 1, in, &at);
    default:
        for (int k = 0; k < t->rank; k++) {
            sizes[k] = below(g, (int)t->dims[k] + 1);
            in[1 + k] = index_scalar(g);
        }
        return ir_node1(g->b, OP_view_dynamic_slice, 1 + t->rank, in,
                        &(ir_attrs){ .sizes = { { t->rank, sizes } } });
    }
}

/* A new value that may be written, a view of one, or a write. */
static void
write_or_view(gen *g)
{
    const int kind = g->n_w ? below(g, 6) : 0;
    ir_ref x = g->n_w ? g->w[below(g, g->n_w)] : IR_NONE;

    if (kind == 0)
        keep_writable(g, ir_op1(g->b, OP_clone, any(g)));
    else if (kind < 3)
        keep_writable(g, view(g, x));
    else
        ir_op2(g->b, OP_assign, x, grow_like(g, type_of(g, x)));
}

/* ---- sub-functions ---- */

static void
call_or_cond(gen *g)
{
    bool cond = below(g, 2);
    int n = 1 + below(g, 2), branches = 1 + below(g, 3);
    ir_ref in[4], out[2] = { IR_NONE, IR_NONE };
    const ir_type *type[3], *result[2];
    ir_graph *body[3];

    for (int i = 0; i < n; i++)
        type[i] = type_of(g, in[i + cond] = any(g));
    for (int i = 0; i < 2; i++)
        result[i] = below(g, 2) ? type[0] : any_type(g);
    for (int i = 0; i < branches; i++)
        body[i] = function(g, n, type, 2, result, 3);
    if (cond)
        in[0] = index_scalar(g);
    ir_attrs at = { 0 };
    if (cond)
        at.cond.branches = (ir_graphs){ branches, body };
    else
        at.call.body = body[0];
    if (g->b->status == COT_OK)
        ir_add_node(g->b, cond ? OP_cond : OP_call, n + cond, in, &at, out);
    keep(g, out[0]);
    keep(g, out[1]);
}

static void
scan(gen *g)
{
    ir_ref k = any(g), c = any(g), x = any(g), out[2] = { IR_NONE, IR_NONE };
    const ir_type *t = type_of(g, x);

    if (t->rank == 0 || t->dims[0] > 8)
        return;
    const ir_type *in[3] = { type_of(g, k), type_of(g, c), ir_type_close(g->b->ctx, t, 0) };
    const ir_type *result[2] = { type_of(g, c), any_type(g) };
    ir_graph *body = function(g, 3, in, 2, result, 4);
    if (g->b->status == COT_OK)
        ir_add_node(g->b, OP_scan, 3, (ir_ref[]){ k, c, x },
                    &(ir_attrs){ .scan = { 1, 1, t->dims[0], below(g, 2), body } }, out);
    keep(g, out[0]);
    keep(g, out[1]);
}

/* while n < limit: n + 1 and a carry. */
static void
counted_while(gen *g)
{
    cot_context *ctx = g->b->ctx;
    const ir_type *count = ir_scalar_type(ctx, COT_I32);
    ir_ref c = any(g), n = ir_splat_int(g->b, count, 0), out[2];
    const ir_type *in[2] = { count, type_of(g, c) };
    ir_build *p = ir_build_new(ctx, "test"), *q = ir_build_new(ctx, "step");
    ir_graph *cond, *body, *inner = function(g, 2, in, 1, &in[1], 3);
    int64_t trips = below(g, 5);

    ir_ref m = ir_input(p, count, "n");
    ir_input(p, in[1], "c");
    ir_output(p, ir_op2(p, OP_lt, m, ir_splat_int(p, count, trips)));
    ir_ref args[2] = { ir_input(q, count, "n"), ir_input(q, in[1], "c") }, next = IR_NONE;
    if (!inner)
        return;
    ir_inline_graph(q, inner, args, &next);
    ir_output(q, ir_add(q, args[0], ir_splat_int(q, count, 1)));
    ir_output(q, next);
    if (ir_build_end(p, &cond) != COT_OK || ir_build_end(q, &body) != COT_OK)
        return;
    ir_add_node(g->b, OP_while, 2, (ir_ref[]){ n, c },
                &(ir_attrs){ .loop = { 0, below(g, 2) ? trips + below(g, 3) : 0, cond, body } },
                out);
    keep(g, out[1]);
}

static void
step(gen *g)
{
    int kind = below(g, 25);

    if (g->kind == FUZZ_WRITES && below(g, 2))
        write_or_view(g);
    else if (g->kind == FUZZ_LOOPS && g->depth == 0 && below(g, 2))
        grow_loop(g);
    else if (kind < 9)
        keep(g, pointwise(g));
    else if (kind < 13)
        keep(g, move(g));
    else if (kind < 15)
        keep(g, reduce(g));
    else if (kind < 16)
        keep(g, dot(g));
    else if (kind < 17)
        keep(g, dynamic(g));
    else if (kind < 18)
        keep(g, rows(g));
    else if (kind < 19)
        keep(g, order(g));
    else if (kind < 20)
        keep(g, random_bits(g));
    else if (kind < 22)
        grow_complex(g);
    else if (kind < 23)
        below(g, 4) ? grow_matrices(g) : grow_betainc(g);
    else if (g->depth < DEEPEST && kind == 23)
        call_or_cond(g);
    else if (g->depth < DEEPEST)
        below(g, 2) ? scan(g) : counted_while(g);
}

/* A closed graph from and to the given types. */
static ir_graph *
function(gen *outer, int n_in, const ir_type *const *in, int n_out, const ir_type *const *out,
         int steps)
{
    gen g = { .b = ir_build_new(outer->b->ctx, "g"),
              .seed = outer->seed,
              .depth = outer->depth + 1,
              .main = outer->main,
              .kind = outer->kind };
    ir_graph *f = NULL;

    for (int i = 0; i < n_in; i++)
        g.v[g.n++] = ir_input(g.b, in[i], NULL);
    for (int i = 0; i < steps && g.b->status == COT_OK; i++)
        step(&g);
    for (int i = 0; i < n_out && g.b->status == COT_OK; i++)
        ir_output(g.b, grow_coerce(&g, g.v[g.n - 1 - below(&g, g.n < 3 ? g.n : 3)], out[i]));
    ir_build_end(g.b, &f);
    return f;
}

ir_graph *
fuzz_generate(cot_context *ctx, uint64_t seed, fuzz_kind kind)
{
    static const cot_dtype mains[] = { COT_F32, COT_F64, COT_F64,  COT_F32,
                                       COT_I32, COT_F16, COT_BF16, COT_U8 };
    gen g = { .b = ir_build_new(ctx, "fuzz"), .seed = &seed };
    ir_graph *f = NULL;

    g.main = mains[below(&g, 8)];
    g.kind = kind != FUZZ_ANY    ? kind
             : below(&g, 4) == 0 ? FUZZ_WRITES
             : below(&g, 4) == 0 ? FUZZ_LOOPS
                                 : FUZZ_ANY;
    for (int i = 1 + below(&g, 4); i > 0; i--)
        keep(&g, ir_input(g.b, any_type(&g), NULL));
    for (int i = 3 + below(&g, 14); i > 0 && g.b->status == COT_OK; i--)
        step(&g);
    for (int i = 0; i < 3 && i < g.n && g.b->status == COT_OK; i++)
        ir_output(g.b, g.v[g.n - 1 - i]);
    for (int i = 0; i < g.n_w && g.b->status == COT_OK; i++)
        ir_output(g.b, g.w[i]);
    ir_build_end(g.b, &f);
    return f;
}
