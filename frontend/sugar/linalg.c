/* Factors of matrices, and systems. */
#include "frontend/sugar/linalg.h"

#include "ir/diag.h"

ir_ref
fe_matrix(ir_build *b, const char *op, ir_ref x, bool square)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    const char *text = ir_type_str(b->ctx, t);
    if (!ir_is_inexact(t->dtype))
        ir_build_fail(b, op, ERR_dtype_not, text, "a floating or complex type");
    else if (t->rank < 2)
        ir_build_fail(b, op, ERR_matrix_rank, 0, text);
    else if (square && t->dims[t->rank - 1] != t->dims[t->rank - 2])
        ir_build_fail(b, op, ERR_matrix_square, 0, text);
    else
        return x;
    return IR_NONE;
}

ir_ref
fe_transpose(ir_build *b, ir_ref x)
{
    const int r = fe_rank(b, x);
    return ir_move_axis(b, x, r - 2, r - 1);
}

ir_ref
fe_conj(ir_build *b, ir_ref x)
{
    return x && ir_is_complex(ir_btype(b, x)->dtype) ? ir_op1(b, OP_conj, x) : x;
}

ir_ref
fe_adjoint(ir_build *b, ir_ref x)
{
    return fe_conj(b, fe_transpose(b, x));
}

ir_ref
fe_where(ir_build *b, ir_op op, ir_ref x, int64_t k)
{
    if (!x)
        return IR_NONE;
    const ir_type *t = ir_btype(b, x);
    ir_ref row = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 2),
           col = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 1);
    return ir_op2(b, op, k && row ? ir_add(b, row, ir_splat_int(b, ir_btype(b, row), k)) : row,
                  col);
}

ir_ref
fe_eye_like(ir_build *b, ir_ref x)
{
    return x ? ir_convert(b, fe_where(b, OP_eq, x, 0), ir_btype(b, x)->dtype) : IR_NONE;
}

ir_ref
fe_diagonal(ir_build *b, ir_ref x)
{
    ir_ref zero = ir_like(b, x, 0);
    ir_ref own = ir_select(b, fe_where(b, OP_eq, x, 0), x, zero);
    const int r = fe_rank(b, x), rows = fe_size(b, x, -2) < fe_size(b, x, -1);

    own = own ? ir_reduce(b, OP_reduce_sum, own, ir_axes_of(rows ? r - 1 : r - 2)) : IR_NONE;
    return own;
}

bool
fe_meet(ir_build *b, const char *op, ir_ref *a, ir_ref *y, bool *vector)
{
    int64_t shape[2][COT_MAX_RANK];
    if (!*a || !*y)
        return false;
    cot_dtype p = ir_btype(b, *a)->dtype, q = ir_btype(b, *y)->dtype, t = fe_promote(p, q);
    if (t == COT_DTYPE_NONE) {
        ir_build_fail(b, op, ERR_promote, cot_dtype_name(p), cot_dtype_name(q));
        return false;
    }
    *a = ir_convert(b, *a, t), *y = ir_convert(b, *y, t);
    *vector = fe_rank(b, *y) == 1;
    if (*vector)
        *y = ir_broadcast_axis(b, *y, 1, 1);
    if (!fe_matrix(b, op, *a, false) || !fe_matrix(b, op, *y, false))
        return false;
    const ir_type *of[2] = { ir_btype(b, *a), ir_btype(b, *y) };
    const int rank = of[0]->rank > of[1]->rank ? of[0]->rank : of[1]->rank;
    for (int k = 1; k <= rank; k++) {
        int64_t m = k <= of[0]->rank ? of[0]->dims[of[0]->rank - k] : 1;
        int64_t n = k <= of[1]->rank ? of[1]->dims[of[1]->rank - k] : 1;
        if (k > 2 && m != n && m != 1 && n != 1) {
            ir_build_fail(b, op, ERR_broadcast, ir_type_str(b->ctx, of[0]),
                          ir_type_str(b->ctx, of[1]));
            return false;
        }
        shape[0][rank - k] = k > 2 && m == 1 ? n : m;
        shape[1][rank - k] = k > 2 && n == 1 ? m : n;
    }
    *a = fe_broadcast_to(b, op, *a, rank, shape[0]);
    *y = fe_broadcast_to(b, op, *y, rank, shape[1]);
    return *a && *y;
}

ir_ref
fe_without_column(ir_build *b, ir_ref z, bool vector)
{
    const ir_type *t = z ? ir_btype(b, z) : NULL;
    return z && vector ? ir_reshape(b, z, t->rank - 1, t->dims) : z;
}

/* Stores a result besides the first, if the caller asked for it. */
static void
also(ir_build *b, cot_value *to, ir_ref y)
{
    if (to)
        *to = fe_handle(b->ctx->trace, b->status == COT_OK ? y : IR_NONE);
}

/* Options of one call, and where further results go. */
typedef struct linalg_call {
    ir_op op;
    cot_linalg_options o;
    cot_value *out[2];
} linalg_call;

static linalg_call
call_of(const cot_linalg_options *o, size_t size, cot_value *first, cot_value *second)
{
    linalg_call c = { .out = { first, second } };

    if (o)
        fe_options(&c.o, sizeof c.o, o, size);
    for (int i = 0; i < 2; i++)
        if (c.out[i])
            *c.out[i] = (cot_value){ 0 };
    return c;
}

/* x as a Hermitian (symmetric) matrix: the mean of both triangles, or the one that is read, as
 * the lower. */
static ir_ref
symmetric(ir_build *b, ir_ref x, const cot_linalg_options *o, bool upper)
{
    if (!o->triangle) {
        ir_ref half = ir_like(b, x, 0.5);
        return ir_mul(b, ir_add(b, x, fe_adjoint(b, x)), half);
    }
    return upper ? fe_adjoint(b, x) : x;
}

/* ---- factors ---- */

static ir_ref
cholesky(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const linalg_call *c = options;
    ir_ref m = fe_matrix(b, "cholesky", x[0].ref, true);

    (void)n;
    ir_ref y = ir_op1(b, OP_cholesky, symmetric(b, m, &c->o, false));
    return c->o.upper ? fe_adjoint(b, y) : y;
}

cot_value
cot_cholesky_(cot_place at, cot_value x, const cot_linalg_options *o, size_t size)
{
    linalg_call c = call_of(o, size, NULL, NULL);

    return fe_apply1(at, "cholesky", cholesky, x, &c);
}

static ir_ref
triangular(ir_build *b, ir_ref a, ir_ref y, const ir_attrs *at)
{
    return ir_node1(b, OP_triangular_solve, 2, (ir_ref[]){ a, y }, at);
}

static ir_ref
triangular_solve(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const cot_linalg_options *o = &((const linalg_call *)options)->o;
    const ir_attrs at = { .triangle = { !!o->right, !!o->upper, !!o->transposed, !!o->unit } };
    ir_ref a = x[0].ref, y = x[1].ref;
    bool vector;

    (void)n;
    if (!fe_meet(b, "triangular_solve", &a, &y, &vector))
        return IR_NONE;
    if (vector && o->right)
        return fe_without_column(b, fe_transpose(b, triangular(b, a, fe_transpose(b, y), &at)),
                                 true);
    return fe_without_column(b, triangular(b, a, y, &at), vector);
}

cot_value
cot_triangular_solve_(cot_place at, cot_value a, cot_value y, const cot_linalg_options *o,
                      size_t size)
{
    linalg_call c = call_of(o, size, NULL, NULL);

    return fe_apply2(at, "triangular_solve", triangular_solve, a, y, &c);
}

/* The results of an op on x: the first, and those that the call asks for besides. */
static ir_ref
factor(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const linalg_call *c = options;
    ir_ref y[3] = { IR_NONE, IR_NONE, IR_NONE };

    (void)n;
    ir_add_node(b, c->op, 1, &x[0].ref, &(ir_attrs){ .qr = { !!c->o.full } }, y);
    also(b, c->out[0], y[1]);
    also(b, c->out[1], y[2]);
    return y[0];
}

static cot_value
factors(cot_place at, ir_op op, cot_value x, linalg_call c)
{
    c.op = op;
    return fe_apply1(at, ir_ops[op].name, factor, x, &c);
}

cot_value
cot_lu_(cot_place at, cot_value x, cot_value *pivots, cot_value *order)
{
    return factors(at, OP_lu, x, call_of(NULL, 0, pivots, order));
}

cot_value
cot_qr_(cot_place at, cot_value x, cot_value *r, const cot_linalg_options *o, size_t size)
{
    return factors(at, OP_qr, x, call_of(o, size, r, NULL));
}

static ir_ref
eigh(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const linalg_call *c = options;
    ir_ref y[2] = { IR_NONE, IR_NONE }, m = fe_matrix(b, "eigh", x[0].ref, true);

    (void)n;
    m = symmetric(b, m, &c->o, c->o.upper);
    ir_add_node(b, OP_eigh, 1, &m, NULL, y);
    also(b, c->out[0], y[1]);
    return y[0];
}

cot_value
cot_eigh_(cot_place at, cot_value x, cot_value *vectors, const cot_linalg_options *o,
          size_t size)
{
    linalg_call c = call_of(o, size, vectors, NULL);

    return fe_apply1(at, "eigh", eigh, x, &c);
}

cot_value
cot_eig_(cot_place at, cot_value x, cot_value *right, cot_value *left)
{
    return factors(at, OP_eig, x, call_of(NULL, 0, right, left));
}

cot_value
cot_schur_(cot_place at, cot_value x, cot_value *z)
{
    return factors(at, OP_schur, x, call_of(NULL, 0, z, NULL));
}

cot_value
cot_svd_(cot_place at, cot_value x, cot_value *s, cot_value *vt, const cot_linalg_options *o,
         size_t size)
{
    return factors(at, OP_svd, x, call_of(o, size, s, vt));
}

ir_ref
fe_svdvals(ir_build *b, ir_ref x)
{
    ir_ref y[3] = { IR_NONE, IR_NONE, IR_NONE };

    ir_add_node(b, OP_svd, 1, &x, &(ir_attrs){ .qr = { 0 } }, y);
    return y[1];
}

static ir_ref
svdvals(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n, (void)options;
    return fe_svdvals(b, x[0].ref);
}

cot_value
cot_svdvals_(cot_place at, cot_value x)
{
    return fe_apply1(at, "svd", svdvals, x, NULL);
}

/* ---- systems: linear_solve with the factors of lu, so that derivatives solve with them again
 * ---- */

enum { MATRIX, FACTORS, ORDER, SIDE, PARTS };

ir_ref
fe_reordered(ir_build *b, ir_ref y, ir_ref order)
{
    const int r = fe_rank(b, y);
    int64_t axis[COT_MAX_RANK], sizes[COT_MAX_RANK];

    if (!y || !order)
        return IR_NONE;
    for (int k = 0; k < r; k++)
        axis[k] = k, sizes[k] = 1;
    sizes[r - 1] = fe_size(b, y, -1);
    const ir_ints batch = { r - 2, axis }, row = { 1, axis + r - 2 }, col = { 1, axis + r - 1 };
    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ y, ir_broadcast_axis(b, order, r - 1, 1) },
        &(ir_attrs){
            .gather = { col, row, batch, batch, row, { r, sizes }, IR_MODE_PROMISE } });
}

/* Part k of the linear_solve: the solver and the matrix, then both transposed (conjugated where
 * complex: what is transposed are the parts of complex numbers). */
static ir_ref
part(ir_build *b, int k, const ir_ref *in)
{
    const ir_attrs lower = { .triangle = { .unit = 1 } },
                   upper = { .triangle = { .upper = 1 } };
    const ir_attrs lower_t = { .triangle = { .unit = 1, .transposed = 1 } };
    const ir_attrs upper_t = { .triangle = { .upper = 1, .transposed = 1 } };

    if (k % 2 == 1)
        return ir_matmul(b, k == 1 ? in[MATRIX] : fe_adjoint(b, in[MATRIX]), in[SIDE]);
    if (k == 0) {
        ir_ref z = triangular(b, in[FACTORS], fe_reordered(b, in[SIDE], in[ORDER]), &lower);
        return triangular(b, in[FACTORS], z, &upper);
    }
    ir_ref f = fe_conj(b, in[FACTORS]);
    ir_ref z = triangular(b, f, triangular(b, f, in[SIDE], &upper_t), &lower_t);
    const int64_t axis = fe_rank(b, in[ORDER]) - 1;
    ir_ref back =
        ir_node1(b, OP_argsort, 1, &in[ORDER], &(ir_attrs){ .arg = { axis, COT_I32 } });
    return fe_reordered(b, z, back);
}

static ir_graph *
part_graph(ir_build *b, int k, const ir_ref *x)
{
    static const char *const name[] = { "solve", "matvec", "solve_t", "matvec_t" };
    ir_build *s = ir_build_new(b->ctx, name[k]);
    ir_ref in[PARTS];
    ir_graph *g = NULL;

    s->loc = b->loc;
    for (int i = 0; i < PARTS; i++)
        in[i] = ir_input(s, ir_btype(b, x[i]), NULL);
    ir_output(s, part(s, k, in));
    cot_status status = ir_build_end(s, &g);
    if (b->status == COT_OK)
        b->status = status;
    return g;
}

ir_ref
fe_solve(ir_build *b, ir_ref a, ir_ref y)
{
    ir_ref x[PARTS] = { a, IR_NONE, IR_NONE, y }, f[3] = { IR_NONE, IR_NONE, IR_NONE },
           z = IR_NONE;
    ir_graph **parts = IR_NEW_N(b->arena, ir_graph *, 4);

    ir_add_node(b, OP_lu, 1, &a, NULL, f);
    x[FACTORS] = ir_op1(b, OP_stop_gradient, f[0]);
    x[ORDER] = f[2];
    if (!x[FACTORS] || !y)
        return IR_NONE;
    for (int k = 0; k < 4; k++)
        parts[k] = part_graph(b, k, x);
    if (b->status == COT_OK)
        ir_add_node(b, OP_linear_solve, PARTS, x,
                    &(ir_attrs){ .implicit = { SIDE, { 4, parts } } }, &z);
    return z;
}

bool
fe_same_rows(ir_build *b, const char *op, ir_ref a, ir_ref y)
{
    if (fe_size(b, a, -2) == fe_size(b, y, -2))
        return true;
    ir_build_fail(b, op, ERR_matrix_fits, ir_type_str(b->ctx, ir_btype(b, a)),
                  ir_type_str(b->ctx, ir_btype(b, y)), "rows");
    return false;
}

ir_ref
fe_solved(ir_build *b, ir_ref a, ir_ref y)
{
    const cot_dtype t = ir_btype(b, y)->dtype;

    ir_ref widened = fe_widen(b, y);
    return fe_narrow(b, fe_solve(b, fe_widen(b, a), widened), t);
}

static ir_ref
solve(ir_build *b, const fe_arg *x, int n, const void *options)
{
    ir_ref a = fe_matrix(b, "solve", x[0].ref, true), y = x[1].ref;
    bool vector;

    (void)n, (void)options;
    if (!fe_meet(b, "solve", &a, &y, &vector) || !fe_same_rows(b, "solve", a, y))
        return IR_NONE;
    return fe_without_column(b, fe_solved(b, a, y), vector);
}

cot_value
cot_solve_(cot_place at, cot_value a, cot_value y)
{
    return fe_apply2(at, "solve", solve, a, y, NULL);
}

bool
fe_factors(ir_build *b, ir_ref x, ir_ref *in)
{
    ir_ref still = x ? ir_op1(b, OP_stop_gradient, x) : IR_NONE;

    in[0] = x;
    ir_add_node(b, OP_lu, 1, &still, NULL, in + 1);
    return in[3] != IR_NONE;
}

ir_ref
fe_inverse(ir_build *b, ir_ref x)
{
    ir_ref in[4], wide = fe_widen(b, x);

    if (!wide || !fe_factors(b, wide, in))
        return IR_NONE;
    return fe_narrow(b, ir_node1(b, OP_inverse, 4, in, NULL), ir_btype(b, x)->dtype);
}

static ir_ref
inv(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n, (void)options;
    return fe_inverse(b, fe_matrix(b, "inv", x[0].ref, true));
}

cot_value
cot_inv_(cot_place at, cot_value x)
{
    return fe_apply1(at, "inv", inv, x, NULL);
}

/* By R of a, or of its transpose where it has more columns than rows. */
static ir_ref
lstsq(ir_build *b, const fe_arg *x, int n, const void *options)
{
    const ir_attrs upper = { .triangle = { .upper = 1 } },
                   transposed_factor = { .triangle = { .upper = 1, .transposed = 1 } };
    ir_ref a = fe_matrix(b, "lstsq", x[0].ref, false), y = x[1].ref,
           f[2] = { IR_NONE, IR_NONE }, z;
    bool vector;

    (void)n, (void)options;
    if (!fe_meet(b, "lstsq", &a, &y, &vector) || !fe_same_rows(b, "lstsq", a, y))
        return IR_NONE;
    const bool wide = fe_size(b, a, -2) < fe_size(b, a, -1);
    const cot_dtype t = ir_btype(b, y)->dtype;
    a = fe_widen(b, a), y = fe_widen(b, y);
    ir_ref m = wide ? fe_adjoint(b, a) : a;
    ir_add_node(b, OP_qr, 1, &m, &(ir_attrs){ .qr = { 0 } }, f);
    if (wide)
        z = ir_matmul(b, f[0], triangular(b, fe_conj(b, f[1]), y, &transposed_factor));
    else
        z = triangular(b, f[1], ir_matmul(b, fe_adjoint(b, f[0]), y), &upper);
    return fe_without_column(b, fe_narrow(b, z, t), vector);
}

cot_value
cot_lstsq_(cot_place at, cot_value a, cot_value y)
{
    return fe_apply2(at, "lstsq", lstsq, a, y, NULL);
}

static ir_ref
pinv(ir_build *b, const fe_arg *x, int n, const void *options)
{
    (void)n, (void)options;
    return ir_op1(b, OP_pinv, x[0].ref);
}

cot_value
cot_pinv_(cot_place at, cot_value x)
{
    return fe_apply1(at, "pinv", pinv, x, NULL);
}
