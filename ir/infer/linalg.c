/* Types of linear algebra: matrices are the last two axes, those before are a batch. */
#include "ir/infer/infer.h"

static int
is_matrix(const infer_ctx *c, int operand, bool square)
{
    const ir_type *t = c->in[operand];
    int r = t->rank;

    if (infer_dtype_is(c, operand, ir_is_float(t->dtype), "a floating type") < 0)
        return -1;
    if (r < 2)
        return INFER_FAIL(c, ERR_matrix_rank, operand, infer_str(c, t));
    if (square && t->dims[r - 2] != t->dims[r - 1])
        return INFER_FAIL(c, ERR_matrix_square, operand, infer_str(c, t));
    return 0;
}

/* x as it is: of a square matrix, one. */
int
infer_square(const infer_ctx *c)
{
    return is_matrix(c, 0, true) < 0 ? -1 : infer_one(c, c->in[0]);
}

int
infer_triangular(const infer_ctx *c)
{
    const ir_type *x = c->in[0], *y = c->in[1];

    if (is_matrix(c, 0, true) < 0 || is_matrix(c, 1, false) < 0)
        return -1;
    if (x->dtype != y->dtype)
        return INFER_FAIL(c, ERR_dtypes_differ, infer_str(c, x), infer_str(c, y));
    bool fits = x->rank == y->rank &&
                x->dims[x->rank - 1] == y->dims[y->rank - (c->at->triangle.right ? 1 : 2)];
    for (int k = 0; fits && k < x->rank - 2; k++)
        fits = x->dims[k] == y->dims[k];
    if (!fits)
        return INFER_FAIL(c, ERR_matrix_fits, infer_str(c, x), infer_str(c, y),
                          c->at->triangle.right ? "columns" : "rows");
    return infer_one(c, y);
}
