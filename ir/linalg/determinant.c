/* Determinants and what their derivatives need, from the factors of lu.
 *
 *   det = +-prod u_k      log |det| = sum log |u_k|      adj = det U^-1 L^-1 P
 *
 * The adjugate, the transposed matrix of cofactors, is the derivative of the determinant, and
 * exists where there is no inverse: for rank n - 1 it has rank 1, below that it is 0.  Row k of
 * det U^-1 is the product of all pivots but u_k times row k of the inverse of U scaled to a
 * unit diagonal, so that nothing is divided by a pivot that may be 0.  Where a pivot is 0 the
 * factors come from lu with complete pivoting, whose zero pivots are last and have nothing to
 * their right.  Products are kept as m 2^e (powers.c).
 *
 * Source: J. Magnus, H. Neudecker, Matrix Differential Calculus, 3rd ed., 2007, section 8.3. */
#include "ir/linalg/parts.h"

static ir_ref
one(ir_build *b, ir_ref x)
{
    return x ? ir_reshape(b, x, 3, (const int64_t[]){ ir_btype(b, x)->dims[0], 1, 1 })
             : IR_NONE;
}

/* The diagonal of square matrices, [batch, 1, n]. */
static ir_ref
diagonal(ir_build *b, ir_ref x)
{
    const int64_t batch = ir_la_batch(b, x), n = ir_la_rows(b, x), flat[2] = { batch, n * n };
    const int64_t none[2] = { 0, 0 }, step[2] = { 1, n + 1 };

    if (!x)
        return IR_NONE;
    ir_ref y = ir_slice(b, ir_reshape(b, x, 2, flat), none, flat, step);
    return ir_reshape(b, y, 3, (const int64_t[]){ batch, 1, n });
}

static ir_ref
scalars(ir_build *b, ir_ref x)
{
    return x ? ir_reshape(b, x, 1, (const int64_t[]){ ir_btype(b, x)->dims[0] }) : IR_NONE;
}

/* 1, or -1 for an odd count, i32 [batch, 1, 1], in the type of like. */
static ir_ref
sign_of(ir_build *b, ir_ref count, ir_ref like)
{
    if (!count || !like)
        return IR_NONE;
    ir_ref odd = ir_op2(b, OP_and, count, ir_splat_int(b, ir_btype(b, count), 1));
    odd = ir_convert(b, odd, ir_btype(b, like)->dtype);
    ir_ref product = ir_mul(b, odd, ir_like(b, odd, 2));
    return ir_sub(b, ir_like(b, odd, 1), product);
}

/* The sign of the exchanges in pivots, i32 [batch, 1, n]. */
static ir_ref
exchanges(ir_build *b, ir_ref pivots, ir_ref like)
{
    ir_ref own = pivots ? ir_iota(b, COT_I32, 3, ir_btype(b, pivots)->dims, 2) : IR_NONE;
    ir_ref moved = own ? ir_convert(b, ir_op2(b, OP_ne, pivots, own), COT_I32) : IR_NONE;

    return moved ? sign_of(b, one(b, ir_reduce(b, OP_reduce_sum, moved, ir_axes_of(2))), like)
                 : IR_NONE;
}

void
eval_det(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref d = diagonal(b, ir_la_in(b, in[1]));
    const ir_la_power p = ir_la_power_product(b, d);
    ir_ref sign = exchanges(b, ir_la_line(b, in[2]), d);

    (void)at, (void)n_in;
    out[0] = ir_la_out(b, scalars(b, ir_la_ldexp(b, ir_mul(b, sign, p.m), p.e)), in[0]);
}

void
eval_slogdet(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref d = diagonal(b, ir_la_in(b, in[1]));
    ir_ref sign = exchanges(b, ir_la_line(b, in[2]), d);

    (void)at, (void)n_in;
    if (!d)
        return;
    ir_ref all = one(b, ir_reduce(b, OP_reduce_prod, ir_op1(b, OP_sign, d), ir_axes_of(2)));
    ir_ref log = ir_op1(b, OP_log, ir_op1(b, OP_abs, d));
    out[0] = ir_la_out(b, scalars(b, ir_mul(b, sign, all)), in[0]);
    out[1] = ir_la_out(b, log ? ir_reduce(b, OP_reduce_sum, log, ir_axes_of(1) | ir_axes_of(2))
                              : IR_NONE, in[0]);
}

/* Products of the others, as [batch, n, 1]: of d, none of which is 0; e are its exponents. */
static ir_ref
others(ir_build *b, ir_ref d, ir_ref e, ir_ref sign)
{
    const ir_la_power p = ir_la_power_product(b, d);
    ir_ref less = ir_la_less(b, d, e);
    ir_ref m = ir_div(b, ir_la_fit(b, ir_mul(b, sign, p.m), d), less);

    return ir_la_transpose(b, ir_la_ldexp(b, m, ir_sub(b, ir_la_fit(b, p.e, e), e)));
}

enum { FACTORS, PIVOTS, ORDER, MATRIX, PARTS };

/* By the factors: U is divided by the powers of two of its pivots, which the rows of L^-1 get
 * with those of the others. */
static ir_ref
regular(ir_build *b, const ir_ref *in)
{
    ir_ref f = in[FACTORS], d = diagonal(b, f), e = ir_la_exponents(b, d);
    const ir_la_power p = ir_la_power_product(b, d);

    if (!e || !p.m)
        return IR_NONE;
    ir_ref total = ir_la_fit(b, ir_mul(b, exchanges(b, in[PIVOTS], d), p.m), d);
    ir_ref by = ir_la_ldexp(b, total, ir_sub(b, ir_la_fit(b, p.e, e), e));
    ir_ref u = ir_la_less(b, f, ir_la_transpose(b, e));
    return ir_la_inverse_of(b, f, u, in[ORDER], ir_la_transpose(b, by));
}

static ir_ref
triangular(ir_build *b, ir_ref x, ir_ref y, bool upper)
{
    return ir_node1(b, OP_triangular_solve, 2, (ir_ref[]){ x, y },
                    &(ir_attrs){ .triangle = { .upper = upper, .unit = 1 } });
}

/* By the factors with exchanges of rows and columns, which know the rank. */
static ir_ref
singular(ir_build *b, ir_ref x)
{
    ir_ref f[4];

    ir_add_node(b, OP_full_lu, 1, &x, NULL, f);
    ir_ref d = diagonal(b, f[0]);
    if (!d || !f[3])
        return IR_NONE;
    ir_ref none = ir_op2(b, OP_eq, d, ir_like(b, d, 0));
    ir_ref own = ir_select(b, none, ir_like(b, d, 1), d);
    ir_ref lost = ir_convert(b, none, COT_I32);
    ir_ref all = one(b, ir_reduce(b, OP_reduce_sum, lost, ir_axes_of(2)));
    ir_ref some = ir_op2(b, OP_ne, ir_la_fit(b, all, lost), lost); /* a 0 among the others */
    ir_ref sign = sign_of(b, one(b, f[3]), d);
    ir_ref by = others(b, own, ir_la_exponents(b, own), sign);
    by = ir_la_keep(b, ir_op1(b, OP_not, ir_la_transpose(b, some)), by, 0);
    ir_ref u = ir_div(b, f[0], ir_la_fit(b, ir_la_transpose(b, own), f[0]));
    ir_ref order = ir_la_transpose(b, ir_la_line(b, f[1]));
    ir_ref rows = ir_la_in_order(b, ir_la_eye(b, x), order);
    ir_ref z = triangular(b, f[0], rows, false);
    z = triangular(b, u, ir_mul(b, z, ir_la_fit_real(b, by, z)), true);
    ir_ref line = ir_la_transpose(b, ir_la_line(b, f[2]));
    ir_ref back = ir_node1(b, OP_argsort, 1, &line, &(ir_attrs){ .arg = { 1, COT_I32 } });
    return ir_la_in_order(b, z, back);
}

/* Branch k of: every matrix has pivots; some are singular, and the others are as before. */
static ir_graph *
branch(ir_build *b, int k, const ir_ref *x)
{
    ir_build *s = ir_sub_begin(b, k ? "regular" : "singular");
    ir_ref in[PARTS], y = IR_NONE;

    for (int i = 0; i < PARTS; i++)
        in[i] = x[i] ? ir_input(s, ir_btype(b, x[i]), NULL) : IR_NONE;
    y = regular(s, in);
    if (k == 0) {
        ir_ref d = diagonal(s, in[FACTORS]), zero = ir_op2(s, OP_eq, d, ir_like(s, d, 0));
        ir_ref lost = zero ? one(s, ir_reduce(s, OP_reduce_or, zero, ir_axes_of(2))) : IR_NONE;
        ir_ref then = singular(s, in[MATRIX]);
        y = ir_select(s, ir_la_fit(s, lost, y), then, y);
    }
    ir_output(s, y);
    return ir_sub_end(b, s);
}

void
eval_adjugate(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x[PARTS + 1] = { IR_NONE, ir_la_in(b, in[1]), ir_la_line(b, in[2]),
                            ir_la_line(b, in[3]), ir_la_in(b, in[0]) };
    ir_graph *way[2];

    (void)at, (void)n_in;
    out[0] = in[0];
    if (!x[1] || !x[4] || ir_btype(b, x[1])->size == 0)
        return;
    ir_ref d = diagonal(b, x[1]), some = ir_op2(b, OP_ne, d, ir_like(b, d, 0));
    x[0] = some ? ir_reduce(b, OP_reduce_and, some, ir_axes_below(3)) : IR_NONE;
    for (int k = 0; k < 2; k++)
        way[k] = branch(b, k, x + 1);
    out[0] = IR_NONE;
    if (b->status == COT_OK)
        ir_add_node(b, OP_cond, PARTS + 1, x, &(ir_attrs){ .cond = { { 2, way } } }, out);
    out[0] = ir_la_out(b, out[0], in[0]);
}
