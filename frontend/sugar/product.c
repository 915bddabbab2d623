/* Matrix products by NumPy's rules, all through dot_general. */
#include "cotrace/sugar.h"

#include "frontend/trace.h"

/* Both operands in one element type. */
static bool
promote_both(ir_build *b, const char *op, const fe_arg *x, ir_ref *y)
{
    cot_dtype p = ir_btype(b, x[0].ref)->dtype, q = ir_btype(b, x[1].ref)->dtype,
              t = fe_promote(p, q);

    if (t == COT_DTYPE_NONE) {
        ir_build_fail(b, op, ERR_promote, cot_dtype_name(p), cot_dtype_name(q));
        return false;
    }
    y[0] = ir_convert(b, x[0].ref, t);
    y[1] = ir_convert(b, x[1].ref, t);
    return true;
}

static ir_ref
wants_rank(ir_build *b, const char *op, ir_ref x)
{
    ir_build_fail(b, op, ERR_rank_least, ir_type_str(b->ctx, ir_btype(b, x)), 1);
    return IR_NONE;
}

static ir_ref
dot(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref y[2];

    (void)n, (void)o;
    if (!promote_both(b, "dot", x, y))
        return IR_NONE;
    int rx = ir_btype(b, y[0])->rank, ry = ir_btype(b, y[1])->rank;
    if (rx == 0 || ry == 0)
        return fe_op2(b, OP_mul, y[0], y[1]);
    int64_t lhs = rx - 1, rhs = ry > 1 ? ry - 2 : 0;
    return ir_dot(b, y[0], y[1], (ir_ints){ 1, &lhs }, (ir_ints){ 1, &rhs },
                  (ir_ints){ 0, NULL }, (ir_ints){ 0, NULL });
}

cot_value
cot_dot_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "dot", dot, x, y, NULL);
}

/* The batch axes of x and y, which both have, made equal by broadcasting. */
static bool
meet_batch(ir_build *b, ir_ref *y)
{
    const ir_type *t[2] = { ir_btype(b, y[0]), ir_btype(b, y[1]) };
    int rank = t[0]->rank > t[1]->rank ? t[0]->rank : t[1]->rank;
    int64_t shape[2][COT_MAX_RANK];

    for (int k = 1; k <= rank; k++) {
        int64_t p = k <= t[0]->rank ? t[0]->dims[t[0]->rank - k] : 1;
        int64_t q = k <= t[1]->rank ? t[1]->dims[t[1]->rank - k] : 1;
        if (k > 2 && p != q && p != 1 && q != 1) {
            ir_build_fail(b, "matmul", ERR_broadcast, ir_type_str(b->ctx, t[0]),
                          ir_type_str(b->ctx, t[1]));
            return false;
        }
        shape[0][rank - k] = k > 2 && p == 1 ? q : p;
        shape[1][rank - k] = k > 2 && q == 1 ? p : q;
    }
    for (int i = 0; i < 2; i++)
        y[i] = fe_broadcast_to(b, "matmul", y[i], rank, shape[i]);
    return y[0] && y[1];
}

/* The axes 0 ... n-1. */
static ir_ints
first_axes(ir_build *b, int n)
{
    int64_t *at = IR_NEW_N(b->arena, int64_t, n + 1);

    for (int i = 0; i < n; i++)
        at[i] = i;
    return (ir_ints){ n, at };
}

/* A matrix times a batch of them gives the matrix's rows first: put them after the batch. */
static ir_ref
rows_behind(ir_build *b, ir_ref x, int batch)
{
    return ir_move_axis(b, x, 0, batch);
}

static ir_ref
matmul(ir_build *b, const fe_arg *x, int n, const void *o)
{
    ir_ref y[2];

    (void)n, (void)o;
    if (!promote_both(b, "matmul", x, y))
        return IR_NONE;
    int rx = ir_btype(b, y[0])->rank, ry = ir_btype(b, y[1])->rank;
    if (rx == 0 || ry == 0)
        return wants_rank(b, "matmul", y[rx == 0 ? 0 : 1]);
    if (rx > 2 && ry > 2) {
        if (!meet_batch(b, y))
            return IR_NONE;
        rx = ry = ir_btype(b, y[0])->rank;
    }
    int64_t lhs = rx - 1, rhs = ry > 1 ? ry - 2 : 0;
    ir_ints batch = first_axes(b, rx > 2 && ry > 2 ? rx - 2 : 0);
    ir_ref z = ir_dot(b, y[0], y[1], (ir_ints){ 1, &lhs }, (ir_ints){ 1, &rhs }, batch, batch);
    return rx == 2 && ry > 2 ? rows_behind(b, z, ry - 2) : z;
}

cot_value
cot_matmul_(cot_place at, cot_value x, cot_value y)
{
    return fe_apply2(at, "matmul", matmul, x, y, NULL);
}
