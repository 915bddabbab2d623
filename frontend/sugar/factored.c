/* Systems by factors that are there already, products of reflections and of many matrices, and
 * systems of tensors: all of other ops, so that derivatives and batches follow. */
#include "frontend/sugar/linalg.h"

#include "ir/diag.h"

static ir_ref
triangular(ir_build *b, ir_ref a, ir_ref y, bool upper, bool transposed, bool unit)
{
    const ir_attrs at = { .triangle = { 0, upper, transposed, unit } };

    return ir_node1(b, OP_triangular_solve, 2, (ir_ref[]){ a, y }, &at);
}

/* ---- by factors ---- */

/* z with l l^H z = y, or u^H u z = y. */
static ir_ref
by_cholesky(ir_build *b, ir_ref f, ir_ref y, bool upper)
{
    ir_ref of[2] = { f, fe_conj(b, f) };

    for (int k = 0; k < 2 && y; k++) {
        const bool transposed = (k == 1) != upper;
        y = triangular(b, of[transposed], y, upper, transposed, false);
    }
    return y;
}

static ir_ref
cholesky_solve(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const char *const op = "cholesky_solve";
    ir_ref f = fe_matrix(b, op, x[0].ref, true), y = x[1].ref;
    bool vector;

    (void)n;
    if (!fe_meet(b, op, &f, &y, &vector) || !fe_same_rows(b, op, f, y))
        return IR_NONE;
    const cot_dtype t = ir_btype(b, y)->dtype;
    ir_ref widened = fe_widen(b, y);
    y = by_cholesky(b, fe_widen(b, f), widened, *(const bool *)options);
    return fe_without_column(b, fe_narrow(b, y, t), vector);
}

static bool
is_upper(const cot_linalg_options *o, size_t size)
{
    cot_linalg_options own = { .end_ = 0 };

    if (o)
        fe_options(&own, sizeof own, o, size);
    return own.upper != 0;
}

cot_value
cot_cholesky_solve_(cot_place at, cot_value factor, cot_value y, const cot_linalg_options *o,
                    size_t size)
{
    const bool upper = is_upper(o, size);

    return fe_apply2(at, "cholesky_solve", cholesky_solve, factor, y, &upper);
}

static ir_ref
cholesky_inverse(ir_build *b, const fe_arg *x, int n, const void *options)
{
    ir_ref f = fe_widen(b, fe_matrix(b, "cholesky_inverse", x[0].ref, true));

    (void)n;
    f = by_cholesky(b, f, fe_eye_like(b, f), *(const bool *)options);
    return f ? fe_narrow(b, f, ir_btype(b, x[0].ref)->dtype) : IR_NONE;
}

cot_value
cot_cholesky_inverse_(cot_place at, cot_value factor, const cot_linalg_options *o, size_t size)
{
    const bool upper = is_upper(o, size);

    return fe_apply1(at, "cholesky_inverse", cholesky_inverse, factor, &upper);
}

/* Operands: the factors, the order of the rows, and the right side. */
static ir_ref
lu_solve(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const char *const op = "lu_solve";
    ir_ref f = fe_matrix(b, op, x[0].ref, true), order = x[1].ref, y = x[2].ref;
    int64_t dims[COT_MAX_RANK];
    bool vector;

    (void)n, (void)options;
    if (!f || !order || !y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, f), *p = ir_btype(b, order);
    if (p->dtype != COT_I32 || p->rank != t->rank - 1 ||
        memcmp(p->dims, t->dims, sizeof *p->dims * (size_t)p->rank) != 0) {
        ir_build_fail(b, op, ERR_operand_type, 1, ir_type_str(b->ctx, p),
                      "the order that lu gave with the factors");
        return IR_NONE;
    }
    if (!fe_meet(b, op, &f, &y, &vector) || !fe_same_rows(b, op, f, y))
        return IR_NONE;
    const int rank = fe_rank(b, f);
    const cot_dtype type = ir_btype(b, y)->dtype;
    memcpy(dims, ir_btype(b, f)->dims, sizeof *dims * (size_t)rank);
    order = fe_broadcast_to(b, op, order, rank - 1, dims);
    f = fe_widen(b, f);
    y = triangular(b, f, fe_reordered(b, fe_widen(b, y), order), false, false, true);
    y = triangular(b, f, y, true, false, false);
    return fe_without_column(b, fe_narrow(b, y, type), vector);
}

cot_value
cot_lu_solve_(cot_place at, cot_value factors, cot_value order, cot_value y)
{
    return fe_apply_values(at, "lu_solve", lu_solve, COT_VALUES(factors, order, y), NULL);
}

/* ---- products ---- */

/* Of reflections H_0 H_1 ... H_k-1, H_i = I - tau_i v_i v_i^H: I - V T V^H with V their vectors
 * and T = (I + D S)^-1 D, D = diag(tau), S what of V^H V is above the diagonal.
 * Source: C. Puglisi, Modification of the Householder method based on the compact WY
 * representation, SIAM J. Sci. Stat. Comput. 13(3), 1992. */
static ir_ref
householder_product(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const char *const op = "householder_product";
    ir_ref v = fe_matrix(b, op, x[0].ref, false), tau = x[1].ref;

    (void)n, (void)options;
    if (!v || !tau)
        return IR_NONE;
    const ir_type *t = ir_btype(b, v), *p = ir_btype(b, tau);
    const int r = t->rank;
    const int64_t rows = t->dims[r - 2], cols = t->dims[r - 1],
                  k = p->rank > 0 ? p->dims[p->rank - 1] : -1;
    if (p->dtype != t->dtype || p->rank != r - 1 || k < 0 || k > cols || cols > rows ||
        memcmp(p->dims, t->dims, sizeof *p->dims * (size_t)(r - 2)) != 0) {
        ir_build_fail(b, op, ERR_operand_type, 1, ir_type_str(b->ctx, p),
                      "factors of the first columns of operand 0, which has no more columns "
                      "than rows");
        return IR_NONE;
    }
    v = fe_widen(b, v), tau = fe_widen(b, tau);
    ir_ref all = fe_eye_like(b, v);                 /* the first columns of I */
    v = ir_slice_axis(b, v, r - 1, 0, k);
    ir_ref zero = ir_like(b, v, 0);
    ir_ref one = ir_like(b, v, 1);
    ir_ref chosen = ir_select(b, fe_where(b, OP_eq, v, 0), one, zero);
    v = ir_select(b, fe_where(b, OP_gt, v, 0), v, chosen);
    ir_ref transposed = fe_adjoint(b, v), s = ir_matmul(b, transposed, v);
    ir_ref d = ir_broadcast_axis(b, tau, r - 1, k);
    ir_ref otherwise = ir_like(b, s, 0);
    ir_ref product = ir_mul(b, d, s);
    s = ir_select(b, fe_where(b, OP_lt, s, 0), product, otherwise);
    ir_ref y = ir_matmul(b, transposed, all);
    y = ir_mul(b, ir_broadcast_axis(b, tau, r - 1, cols), y);
    y = triangular(b, s, y, true, false, true);
    return fe_narrow(b, ir_sub(b, all, ir_matmul(b, v, y)), t->dtype);
}

cot_value
cot_householder_product_(cot_place at, cot_value v, cot_value tau)
{
    return fe_apply2(at, "householder_product", householder_product, v, tau, NULL);
}

/* The cheapest way to multiply matrices i ... k of sizes dims[i] x dims[i + 1]: where it is
 * parted, by the recurrence of the matrix chain (T. Cormen et al., Introduction to Algorithms,
 * 3rd ed., 2009, section 15.2). */
typedef struct chain {
    int n;
    const int64_t *dims;
    double *cost;
    int *split;
} chain;

static void
find_splits(chain *c)
{
    for (int length = 2; length <= c->n; length++)
        for (int i = 0; i + length <= c->n; i++) {
            const int k = i + length - 1;
            double *least = &c->cost[i * c->n + k];
            *least = -1;
            for (int j = i; j < k; j++) {
                const double all = c->cost[i * c->n + j] + c->cost[(j + 1) * c->n + k] +
                                   (double)c->dims[i] * (double)c->dims[j + 1] *
                                       (double)c->dims[k + 1];
                if (*least >= 0 && *least <= all)
                    continue;
                *least = all;
                c->split[i * c->n + k] = j;
            }
        }
}

static ir_ref
chained(ir_build *b, const chain *c, const ir_ref *x, int i, int k)
{
    if (i == k)
        return x[i];
    const int j = c->split[i * c->n + k];
    ir_ref last = chained(b, c, x, j + 1, k);
    return ir_matmul(b, chained(b, c, x, i, j), last);
}

/* The matrices of x in one type, a vector first as a row and last as a column; their sizes. */
static bool
chain_of(ir_build *b, const fe_arg *x, int n, ir_ref *y, int64_t *dims)
{
    const char *const op = "multi_dot";
    cot_dtype t = ir_btype(b, x[0].ref)->dtype;

    for (int i = 1; i < n; i++) {
        const cot_dtype p = ir_btype(b, x[i].ref)->dtype, both = fe_promote(t, p);
        if (both == COT_DTYPE_NONE) {
            ir_build_fail(b, op, ERR_promote, cot_dtype_name(t), cot_dtype_name(p));
            return false;
        }
        t = both;
    }
    for (int i = 0; i < n; i++) {
        const ir_type *own = ir_btype(b, x[i].ref);
        const bool end = i == 0 || i == n - 1;
        if (own->rank != 2 && !(end && own->rank == 1)) {
            ir_build_fail(b, op, ERR_operand_type, i, ir_type_str(b->ctx, own),
                          "a matrix, or a vector first or last");
            return false;
        }
        y[i] = ir_convert(b, x[i].ref, t);
        if (own->rank == 1)
            y[i] = ir_broadcast_axis(b, y[i], i == 0 ? 0 : 1, 1);
        if (i > 0 && dims[i] != fe_size(b, y[i], 0)) {
            ir_build_fail(b, op, ERR_operand_type, i, ir_type_str(b->ctx, own),
                          "as many rows as the one before it has columns");
            return false;
        }
        dims[i] = fe_size(b, y[i], 0);
        dims[i + 1] = fe_size(b, y[i], 1);
    }
    return true;
}

static ir_ref
multi_dot(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)options;
    if (n < 2) {
        ir_build_fail(b, "multi_dot", ERR_attr_value, "the number of operands", (long long)n,
                      "2 or more");
        return IR_NONE;
    }
    ir_ref *y = IR_NEW_N(b->arena, ir_ref, n);
    int64_t *dims = IR_NEW_N(b->arena, int64_t, n + 1), kept[2];
    chain c = { n, dims, IR_NEW_N(b->arena, double, n * n), IR_NEW_N(b->arena, int, n * n) };
    int rank = 0;

    for (int i = 0; i < n; i++)
        if (!x[i].ref)
            return IR_NONE;
    if (!chain_of(b, x, n, y, dims))
        return IR_NONE;
    const cot_dtype t = ir_btype(b, y[0])->dtype;
    for (int i = 0; i < n; i++)
        y[i] = fe_widen(b, y[i]);
    find_splits(&c);
    ir_ref z = fe_narrow(b, chained(b, &c, y, 0, n - 1), t);
    if (ir_btype(b, x[0].ref)->rank == 2)
        kept[rank++] = dims[0];
    if (ir_btype(b, x[n - 1].ref)->rank == 2)
        kept[rank++] = dims[n];
    return z ? ir_reshape(b, z, rank, kept) : IR_NONE;
}

cot_value
cot_multi_dot_(cot_place at, cot_values xs)
{
    fe_readable(&xs);
    return fe_apply_values(at, "multi_dot", multi_dot, xs, NULL);
}

/* ---- tensors as matrices ---- */

static int64_t
product_of(const int64_t *dims, int n)
{
    int64_t all = 1;

    for (int k = 0; k < n; k++)
        all *= dims[k];
    return all;
}

/* x with its first `lead` axes as rows and the others as columns, square. */
static ir_ref
as_square(ir_build *b, const char *op, ir_ref x, int64_t lead)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    if (lead < 1 || lead > t->rank) {
        ir_build_fail(b, op, ERR_attr_value, "ind", (long long)lead,
                      "1 or more, at most the number of axes");
        return IR_NONE;
    }
    const int64_t dims[2] = { product_of(t->dims, (int)lead),
                              product_of(t->dims + lead, t->rank - (int)lead) };
    if (dims[0] != dims[1]) {
        ir_build_fail(b, op, ERR_operand_type, 0, ir_type_str(b->ctx, t),
                      "as many elements along its first axes as along the others");
        return IR_NONE;
    }
    return fe_matrix(b, op, ir_reshape(b, x, 2, dims), true);
}

static ir_ref
tensorinv(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const int64_t lead = *(const int64_t *)options;
    ir_ref y = fe_inverse(b, as_square(b, "tensorinv", x[0].ref, lead));
    int64_t dims[COT_MAX_RANK];

    (void)n;
    if (!y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x[0].ref);
    for (int k = 0; k < t->rank; k++)
        dims[k] = t->dims[(k + (int)lead) % t->rank];
    return ir_reshape(b, y, t->rank, dims);
}

cot_value
cot_tensorinv_(cot_place at, cot_value x, int64_t lead)
{
    return fe_apply1(at, "tensorinv", tensorinv, x, &lead);
}

static ir_ref
tensorsolve(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const char *const op = "tensorsolve";
    ir_ref a = x[0].ref, y = x[1].ref;
    bool vector;

    (void)n, (void)options;
    if (!a || !y)
        return IR_NONE;
    const ir_type *t = ir_btype(b, a), *u = ir_btype(b, y);
    const int r = u->rank;
    if (r < 1 || r > t->rank || memcmp(t->dims, u->dims, sizeof *t->dims * (size_t)r) != 0) {
        ir_build_fail(b, op, ERR_operand_type, 1, ir_type_str(b->ctx, u),
                      "the first axes of operand 0");
        return IR_NONE;
    }
    a = as_square(b, op, a, r);
    y = ir_reshape(b, y, 1, &(int64_t){ u->size });
    if (!fe_meet(b, op, &a, &y, &vector))
        return IR_NONE;
    return ir_reshape(b, fe_without_column(b, fe_solved(b, a, y), vector), t->rank - r,
                      t->dims + r);
}

cot_value
cot_tensorsolve_(cot_place at, cot_value a, cot_value y)
{
    return fe_apply2(at, "tensorsolve", tensorsolve, a, y, NULL);
}
