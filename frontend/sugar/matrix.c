/* Functions of matrices: determinants, powers, norms, and what only arranges elements. */
#include <math.h>

#include "frontend/sugar/linalg.h"

#include "ir/diag.h"

/* ---- determinants ---- */

static ir_ref
element(ir_build *b, ir_ref x, int64_t i, int64_t k)
{
    const int r = fe_rank(b, x);
    ir_ref y = ir_slice_axis(b, ir_slice_axis(b, x, r - 2, i, i + 1), r - 1, k, k + 1);

    return y ? ir_reshape(b, y, r - 2, ir_btype(b, y)->dims) : IR_NONE;
}

/* x_0i x_1k - x_0k x_1i of rows `row` and row + 1. */
static ir_ref
minor(ir_build *b, ir_ref x, int64_t row, int64_t i, int64_t k)
{
    ir_ref entry = element(b, x, row + 1, i);
    ir_ref product = ir_mul(b, element(b, x, row, k), entry);
    ir_ref right = element(b, x, row + 1, k);
    return ir_sub(b, ir_mul(b, element(b, x, row, i), right), product);
}

static ir_ref
small_det(ir_build *b, ir_ref x, int64_t n)
{
    if (n == 1)
        return element(b, x, 0, 0);
    if (n == 2)
        return minor(b, x, 0, 0, 1);
    ir_ref right = minor(b, x, 1, 1, 2);
    ir_ref y = ir_mul(b, element(b, x, 0, 0), right);
    ir_ref minor_x = minor(b, x, 1, 0, 2);
    y = ir_sub(b, y, ir_mul(b, element(b, x, 0, 1), minor_x));
    ir_ref other = minor(b, x, 1, 0, 1);
    return ir_add(b, y, ir_mul(b, element(b, x, 0, 2), other));
}

static ir_ref
last_axis_reduced(ir_build *b, ir_op op, ir_ref x)
{
    return x ? ir_reduce(b, op, x, ir_axes_of(fe_rank(b, x) - 1)) : IR_NONE;
}

static ir_ref
det(ir_build *b, const fe_arg *a, int n, const void *options)
{
    ir_ref x = fe_widen(b, fe_matrix(b, "det", a[0].ref, true)), in[4], y = IR_NONE;

    (void)n, (void)options;
    if (!x)
        return IR_NONE;
    const int64_t size = fe_size(b, x, -1);
    if (size >= 1 && size <= 3)
        y = small_det(b, x, size);
    else if (fe_factors(b, x, in))
        y = ir_node1(b, OP_det, 4, in, NULL);
    return fe_narrow(b, y, ir_btype(b, a[0].ref)->dtype);
}

cot_value
cot_det_(cot_place at, cot_value x)
{
    return fe_apply1(at, "det", det, x, NULL);
}

static ir_ref
slogdet(ir_build *b, const fe_arg *a, int n, const void *options)
{
    cot_value *const logabs = *(cot_value *const *)options;
    ir_ref x = fe_widen(b, fe_matrix(b, "slogdet", a[0].ref, true)), in[4],
           y[2] = { IR_NONE, IR_NONE };

    (void)n;
    if (x && fe_factors(b, x, in))
        ir_add_node(b, OP_slogdet, 4, in, NULL, y);
    for (int k = 0; k < 2; k++)
        y[k] = y[k] ? fe_narrow(b, y[k], k ? ir_part_type(ir_btype(b, a[0].ref)->dtype)
                                           : ir_btype(b, a[0].ref)->dtype)
                    : IR_NONE;
    if (logabs)
        *logabs = fe_handle(b->ctx->trace, b->status == COT_OK ? y[1] : IR_NONE);
    return y[0];
}

cot_value
cot_slogdet_(cot_place at, cot_value x, cot_value *logabs)
{
    if (logabs)
        *logabs = (cot_value){ 0 };
    return fe_apply1(at, "slogdet", slogdet, x, &logabs);
}

/* ---- powers ---- */

static ir_ref
power(ir_build *b, const fe_arg *a, int n, const void *options)
{
    int64_t k = *(const int64_t *)options;
    ir_ref x = fe_widen(b, fe_matrix(b, "matrix_power", a[0].ref, true)), y = IR_NONE;

    (void)n;
    if (k < 0 && x)
        x = fe_inverse(b, x);
    for (uint64_t bits = k < 0 ? -(uint64_t)k : (uint64_t)k; bits && x; bits >>= 1) {
        if (bits & 1)
            y = y ? ir_matmul(b, y, x) : x;
        x = bits > 1 ? ir_matmul(b, x, x) : x;
    }
    y = k ? y : fe_eye_like(b, x);
    return y ? fe_narrow(b, y, ir_btype(b, a[0].ref)->dtype) : IR_NONE;
}

cot_value
cot_matrix_power_(cot_place at, cot_value x, int64_t n)
{
    return fe_apply1(at, "matrix_power", power, x, &n);
}

/* x + y c. */
static ir_ref
plus(ir_build *b, ir_ref x, ir_ref y, double c)
{
    ir_ref z = ir_mul(b, y, ir_like(b, y, c));
    return x ? ir_add(b, x, z) : z;
}

/* The Pade approximant of degree 13 at x, whose sums of columns are at most 5.37 (Higham, table
 * 2.3). */
static ir_ref
pade(ir_build *b, ir_ref x)
{
    static const double c[] = { 64764752532480000,
                                32382376266240000,
                                7771770303897600,
                                1187353796428800,
                                129060195264000,
                                10559470521600,
                                670442572800,
                                33522128640,
                                1323241920,
                                40840800,
                                960960,
                                16380,
                                182,
                                1 };
    ir_ref one = fe_eye_like(b, x), p2 = ir_matmul(b, x, x), p4 = ir_matmul(b, p2, p2),
           p6 = ir_matmul(b, p4, p2);
    ir_ref high[2], low[2];

    for (int i = 0; i < 2; i++) {
        const double *k = c + (i ? 0 : 1);
        high[i] = plus(b, plus(b, plus(b, IR_NONE, p6, k[12]), p4, k[10]), p2, k[8]);
        low[i] = plus(b, plus(b, plus(b, plus(b, IR_NONE, p6, k[6]), p4, k[4]), p2, k[2]), one,
                      k[0]);
        low[i] = ir_add(b, ir_matmul(b, p6, high[i]), low[i]);
    }
    ir_ref u = ir_matmul(b, x, low[0]), v = low[1];
    ir_ref sum = ir_add(b, v, u);
    return fe_solve(b, ir_sub(b, v, u), sum);
}

/* A number for each matrix, on all of its elements. */
static ir_ref
on_all(ir_build *b, ir_ref x, ir_ref like)
{
    int64_t dims[COT_MAX_RANK];

    if (!x || !like)
        return IR_NONE;
    for (int k = 0; k < fe_rank(b, x); k++)
        dims[k] = k;
    return ir_broadcast_in_dim(b, x, fe_rank(b, like), ir_btype(b, like)->dims, dims);
}

/* The sums of the absolute values of each column, or row. */
static ir_ref
sums(ir_build *b, ir_ref x, bool rows)
{
    const int r = fe_rank(b, x);

    return x ? ir_reduce(b, OP_reduce_sum, ir_op1(b, OP_abs, x),
                         ir_axes_of(rows ? r - 1 : r - 2))
             : IR_NONE;
}

enum { SQUARINGS = 16 };

/* y squared once more where step < times. */
static ir_graph *
squaring(ir_build *b, ir_ref times, ir_ref y)
{
    ir_build *s = ir_build_new(b->ctx, "square");
    ir_graph *g = NULL;

    s->loc = b->loc;
    ir_ref n = ir_input(s, ir_btype(b, times), NULL), z = ir_input(s, ir_btype(b, y), NULL);
    ir_ref i = ir_input(s, ir_type_new(b->ctx, ir_btype(b, times)->dtype, 0, NULL), NULL);
    ir_ref more = ir_op2(s, OP_lt, ir_broadcast_scalar(s, i, ir_btype(s, n)), n);
    ir_ref product = ir_matmul(s, z, z);
    ir_output(s, ir_select(s, on_all(s, more, z), product, z));
    cot_status status = ir_build_end(s, &g);
    if (b->status == COT_OK)
        b->status = status;
    return g;
}

static ir_ref
expm(ir_build *b, const fe_arg *a, int n, const void *options)
{
    ir_ref in = fe_matrix(b, "expm", a[0].ref, true), x = fe_widen(b, in), y = IR_NONE;
    const int64_t steps = SQUARINGS;

    (void)n, (void)options;
    if (!x || ir_btype(b, x)->size == 0)
        return in;
    const cot_dtype t = ir_part_type(ir_btype(b, x)->dtype);
    ir_ref size = last_axis_reduced(b, OP_reduce_max, sums(b, x, false));
    size = ir_op1(b, OP_stop_gradient, size);
    ir_ref times = ir_op1(
        b, OP_ceil, ir_op1(b, OP_log2, ir_div(b, size, ir_like(b, size, 5.371920351148152))));
    times = ir_op2(b, OP_max, times, ir_like(b, times, 0));
    ir_ref bad = ir_op1(b, OP_not, ir_op2(b, OP_le, times, ir_like(b, times, SQUARINGS)));
    ir_ref scale =
        ir_op1(b, OP_exp2, ir_neg(b, ir_select(b, bad, ir_like(b, times, 0), times)));
    scale = ir_convert(b, scale, ir_btype(b, x)->dtype);
    ir_ref z = pade(b, ir_mul(b, x, on_all(b, scale, x)));
    ir_ref step = ir_iota(b, t, 1, &steps, 0);
    ir_graph *body = z && times ? squaring(b, times, z) : NULL;
    if (!body)
        return IR_NONE;
    ir_add_node(b, OP_scan, 3, (ir_ref[]){ times, z, step },
                &(ir_attrs){ .scan = { 1, 1, SQUARINGS, 0, body } }, &y);
    ir_ref nan = ir_like(b, y, (double)NAN);
    y = ir_select(b, on_all(b, bad, y), nan, y);
    return fe_narrow(b, y, ir_btype(b, in)->dtype);
}

cot_value
cot_expm_(cot_place at, cot_value x)
{
    return fe_apply1(at, "expm", expm, x, NULL);
}

/* ---- arrangements ---- */

static ir_ref
wants_axes(ir_build *b, const char *op, ir_ref x)
{
    if (x && fe_rank(b, x) < 2) {
        ir_build_fail(b, op, ERR_matrix_rank, 0, ir_type_str(b->ctx, ir_btype(b, x)));
        return IR_NONE;
    }
    return x;
}

/* Elements on the k-th diagonal of the last two axes. */
static ir_ref
diagonal_of(ir_build *b, ir_ref x, int64_t k)
{
    const int r = fe_rank(b, x);
    const int64_t m = fe_size(b, x, -2), n = fe_size(b, x, -1), row = k < 0 ? -k : 0,
                  col = k < 0 ? 0 : k;
    const int64_t count = m - row < n - col ? m - row : n - col;
    int64_t dims[COT_MAX_RANK];

    if (!x)
        return IR_NONE;
    memcpy(dims, ir_btype(b, x)->dims, sizeof *dims * (size_t)r);
    if (count <= 0) {
        dims[r - 2] = 0;
        return ir_zeros(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, r - 1, dims));
    }
    int64_t start[COT_MAX_RANK] = { 0 }, limit[COT_MAX_RANK], stride[COT_MAX_RANK];
    dims[r - 2] = m * n;
    for (int i = 0; i < r - 1; i++)
        limit[i] = dims[i], stride[i] = 1;
    start[r - 2] = row * n + col;
    limit[r - 2] = start[r - 2] + (count - 1) * (n + 1) + 1;
    stride[r - 2] = n + 1;
    return ir_slice(b, ir_reshape(b, x, r - 1, dims), start, limit, stride);
}

static ir_ref
diag(ir_build *b, const fe_arg *a, int n, const void *options)
{
    const int64_t k = *(const int64_t *)options, row = k < 0 ? -k : 0, col = k < 0 ? 0 : k;
    ir_ref x = a[0].ref;

    (void)n;
    if (!x || fe_rank(b, x) != 1)
        return diagonal_of(b, wants_axes(b, "diag", x), k);
    const int64_t size = fe_size(b, x, 0), all = size + (k < 0 ? -k : k), low[2] = { row, col };
    ir_ref zero = ir_splat(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 0, NULL), 0);
    ir_ref y = ir_broadcast_axis(b, x, 1, size);
    ir_ref otherwise = ir_like(b, y, 0);
    y = ir_select(b, fe_where(b, OP_eq, y, 0), y, otherwise);
    return ir_pad(b, y, zero, low, (const int64_t[]){ all - size - row, all - size - col },
                  NULL);
}

cot_value
cot_diag_(cot_place at, cot_value x, int64_t k)
{
    return fe_apply1(at, "diag", diag, x, &k);
}

static ir_ref
trace(ir_build *b, const fe_arg *a, int n, const void *options)
{
    (void)n, (void)options;
    return last_axis_reduced(b, OP_reduce_sum,
                             diagonal_of(b, wants_axes(b, "matrix_trace", a[0].ref), 0));
}

cot_value
cot_matrix_trace_(cot_place at, cot_value x)
{
    return fe_apply1(at, "matrix_trace", trace, x, NULL);
}

/* Axis k of the result goes over that of x, then that of y. */
static ir_ref
kron(ir_build *b, const fe_arg *a, int n, const void *options)
{
    const ir_type *t[2] = { a[0].ref ? ir_btype(b, a[0].ref) : NULL,
                            a[1].ref ? ir_btype(b, a[1].ref) : NULL };
    int64_t dims[2][2 * COT_MAX_RANK], result[COT_MAX_RANK];
    ir_ref y[2];

    (void)n, (void)options;
    if (!t[0] || !t[1])
        return IR_NONE;
    const int r = t[0]->rank > t[1]->rank ? t[0]->rank : t[1]->rank;
    if (2 * r > COT_MAX_RANK) {
        ir_build_fail(b, "kron", ERR_rank_limit, 2 * r);
        return IR_NONE;
    }
    for (int k = 0; k < r; k++) {
        result[k] = 1;
        for (int i = 0; i < 2; i++) {
            const int own = k - (r - t[i]->rank);
            dims[i][2 * k + i] = own >= 0 ? t[i]->dims[own] : 1;
            dims[i][2 * k + 1 - i] = 1;
            result[k] *= dims[i][2 * k + i];
        }
    }
    for (int i = 0; i < 2; i++)
        y[i] = ir_reshape(b, a[i].ref, 2 * r, dims[i]);
    return ir_reshape(b, fe_op2(b, OP_mul, y[0], y[1]), r, result);
}

cot_value
cot_kron_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "kron", kron, x, y, NULL);
}

static ir_ref
outer(ir_build *b, const fe_arg *a, int n, const void *options)
{
    ir_ref y[2];

    (void)n, (void)options;
    for (int i = 0; i < 2; i++) {
        const int64_t size = a[i].ref ? ir_btype(b, a[i].ref)->size : 0,
                      dims[2] = { i ? 1 : size, i ? size : 1 };
        y[i] = a[i].ref ? ir_reshape(b, a[i].ref, 2, dims) : IR_NONE;
    }
    return fe_op2(b, OP_mul, y[0], y[1]);
}

cot_value
cot_outer_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "outer", outer, x, y, NULL);
}

/* ---- norms ---- */

typedef struct matrix_norm_call {
    cot_reduce_options o;
    double order;
    cot_matrix_norm_kind kind;
} matrix_norm_call;

static ir_ref
squared(ir_build *b, ir_ref x)
{
    if (!x || !ir_is_complex(ir_btype(b, x)->dtype))
        return ir_mul(b, x, x);
    ir_ref re = ir_op1(b, OP_real, x), im = ir_op1(b, OP_imag, x);
    ir_ref product = ir_mul(b, im, im);
    return ir_add(b, ir_mul(b, re, re), product);
}

/* op of x where it is not 0, and 0 there: so is the derivative, which op need not have. */
static ir_ref
but_at_zero(ir_build *b, ir_op op, ir_ref x, double y)
{
    ir_ref zero = ir_op2(b, OP_eq, x, ir_like(b, x, 0));
    ir_ref safe = ir_select(b, zero, ir_like(b, x, 1), x);

    safe = op == OP_pow ? ir_op2(b, op, safe, ir_like(b, safe, y)) : ir_op1(b, op, safe);
    return ir_select(b, zero, ir_like(b, x, 0), safe);
}

/* (sum |x|^p)^(1/p), widened once.  As in PyTorch the derivative of the norm of 0 is 0. */
static ir_ref
power_sum(ir_build *b, ir_ref x, ir_axes axes, bool keep, double p)
{
    const cot_dtype t = ir_part_type(ir_btype(b, x)->dtype);
    ir_ref y = fe_widen(b, x);

    if (p == 2) {
        y = fe_reduce(b, OP_reduce_sum, squared(b, y), axes, keep);
        return fe_narrow(b, but_at_zero(b, OP_sqrt, y, 0), t);
    }
    y = ir_op1(b, OP_abs, y);
    if (p < 0)
        y = ir_op2(b, OP_pow, y, ir_like(b, y, p));
    else if (p != 1)
        y = but_at_zero(b, OP_pow, y, p);
    y = fe_reduce(b, OP_reduce_sum, y, axes, keep);
    if (p < 0)
        y = ir_op2(b, OP_pow, y, ir_like(b, y, 1 / p));
    else if (p != 1)
        y = but_at_zero(b, OP_pow, y, 1 / p);
    return fe_narrow(b, y, t);
}

/* The largest (op reduce_max) of sizes, 0 of none; the least, which none have not. */
static ir_ref
extreme(ir_build *b, const char *name, ir_op op, ir_ref x, ir_axes axes, bool keep)
{
    for (int k = 0; k < (x ? ir_btype(b, x)->rank : 0); k++) {
        if (!ir_axes_has(axes, k) || ir_btype(b, x)->dims[k] > 0)
            continue;
        if (op == OP_reduce_max)
            return fe_reduce(b, OP_reduce_sum, x, axes, keep);
        ir_build_fail(b, name, ERR_axis_empty, (long long)k,
                      ir_type_str(b->ctx, ir_btype(b, x)));
        return IR_NONE;
    }
    return x ? fe_reduce(b, op, x, axes, keep) : IR_NONE;
}

static ir_ref
vector_norm(ir_build *b, const fe_arg *a, int n, const void *options)
{
    const matrix_norm_call *s = options;
    ir_ref x = a[0].ref;
    ir_axes axes = 0;

    (void)n;
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    if (!ir_is_inexact(t->dtype)) {
        ir_build_fail(b, "vector_norm", ERR_dtype_not, ir_type_str(b->ctx, t),
                      "a floating or complex type");
        return IR_NONE;
    }
    if (!fe_axes(b, "vector_norm", s->o.axes, t->rank, ir_axes_below(t->rank), &axes))
        return IR_NONE;
    if (isinf(s->order))
        return extreme(b, "vector_norm", s->order > 0 ? OP_reduce_max : OP_reduce_min,
                       ir_op1(b, OP_abs, x), axes, s->o.keepdims);
    if (s->order == 0) {
        ir_ref some =
            ir_convert(b, ir_op2(b, OP_ne, x, ir_like(b, x, 0)), ir_part_type(t->dtype));
        return fe_reduce(b, OP_reduce_sum, some, axes, s->o.keepdims);
    }
    return power_sum(b, x, axes, s->o.keepdims, s->order);
}

cot_value
cot_vector_norm_(cot_place at, cot_value x, double order, const cot_reduce_options *o,
                 size_t size)
{
    matrix_norm_call s = { .order = order };

    fe_options(&s.o, sizeof s.o, o, size);
    return fe_apply1(at, "vector_norm", vector_norm, x, &s);
}

/* The largest or least singular value, or sum of a column or row. */
static ir_ref
extreme_last(ir_build *b, const char *name, ir_op op, ir_ref x)
{
    return x ? extreme(b, name, op, x, ir_axes_of(fe_rank(b, x) - 1), false) : IR_NONE;
}

static ir_ref
matrix_norm(ir_build *b, const fe_arg *a, int n, const void *options)
{
    const char *const name = "matrix_norm";
    const matrix_norm_call *s = options;
    ir_ref x = fe_matrix(b, name, a[0].ref, false);
    const int r = fe_rank(b, x);

    (void)n;
    if (!x)
        return IR_NONE;
    switch (s->kind) {
    case COT_NORM_FRO: return power_sum(b, x, ir_axes_of(r - 1) | ir_axes_of(r - 2), false, 2);
    case COT_NORM_NUC: return last_axis_reduced(b, OP_reduce_sum, fe_svdvals(b, x));
    case COT_NORM_2: return extreme_last(b, name, OP_reduce_max, fe_svdvals(b, x));
    case COT_NORM_MINUS_2: return extreme_last(b, name, OP_reduce_min, fe_svdvals(b, x));
    case COT_NORM_1: return extreme_last(b, name, OP_reduce_max, sums(b, x, false));
    case COT_NORM_MINUS_1: return extreme_last(b, name, OP_reduce_min, sums(b, x, false));
    case COT_NORM_INF: return extreme_last(b, name, OP_reduce_max, sums(b, x, true));
    case COT_NORM_MINUS_INF: return extreme_last(b, name, OP_reduce_min, sums(b, x, true));
    default: break;
    }
    ir_build_fail(b, name, ERR_attr_wrong, "kind is not one of cot_matrix_norm_kind");
    return IR_NONE;
}

cot_value
cot_matrix_norm_(cot_place at, cot_value x, cot_matrix_norm_kind kind)
{
    return fe_apply1(at, "matrix_norm", matrix_norm, x,
                     &(const matrix_norm_call){ .kind = kind });
}

static ir_ref
cond(ir_build *b, const fe_arg *a, int n, const void *options)
{
    ir_ref s = fe_svdvals(b, fe_matrix(b, "matrix_cond", a[0].ref, false));

    (void)n, (void)options;
    ir_ref right = extreme_last(b, "matrix_cond", OP_reduce_min, s);
    return ir_div(b, extreme_last(b, "matrix_cond", OP_reduce_max, s), right);
}

cot_value
cot_matrix_cond_(cot_place at, cot_value x)
{
    return fe_apply1(at, "matrix_cond", cond, x, NULL);
}
