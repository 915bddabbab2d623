/* Types of linear algebra: matrices are the last two axes, those before are a batch. */
#include "ir/infer/infer.h"

static int
is_matrix(const infer_ctx *c, int operand, bool square)
{
    const ir_type *t = c->in[operand];
    int r = t->rank;

    if (infer_dtype_is(c, operand, ir_is_inexact(t->dtype), "a floating or complex type") < 0)
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

/* Sets the i-th result; results beyond the room that the caller gave are only counted. */
static void
give(const infer_ctx *c, int i, const ir_type *t)
{
    if (i < c->cap)
        c->out[i] = t;
}

/* Of the element type, with the axes of x before its matrices, then these. */
static const ir_type *
batch_of(const infer_ctx *c, cot_dtype t, int n, const int64_t *dims)
{
    const ir_type *x = c->in[0];
    int64_t all[COT_MAX_RANK + 2];

    for (int k = 0; k < x->rank - 2; k++)
        all[k] = x->dims[k];
    for (int k = 0; k < n; k++)
        all[x->rank - 2 + k] = dims[k];
    return infer_type(c, t, x->rank - 2 + n, all);
}

int
infer_lu(const infer_ctx *c)
{
    const ir_type *x = c->in[0];

    if (is_matrix(c, 0, false) < 0)
        return -1;
    const int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1], least = m < n ? m : n;
    const ir_type *pivots = batch_of(c, COT_I32, 1, &least),
                  *order = batch_of(c, COT_I32, 1, &m);
    if (!pivots || !order)
        return -1;
    give(c, 0, x);
    give(c, 1, pivots);
    give(c, 2, order);
    return 3;
}

/* x, square, and the results of lu of it. */
static int
with_factors(const infer_ctx *c)
{
    const ir_type *want[4] = { c->in[0], c->in[0] };

    if (is_matrix(c, 0, true) < 0)
        return -1;
    want[2] = want[3] = batch_of(c, COT_I32, 1, &c->in[0]->dims[c->in[0]->rank - 1]);
    if (!want[2])
        return -1;
    for (int k = 1; k < 4; k++)
        if (c->in[k] != want[k])
            return INFER_FAIL(c, ERR_operand_type, k, infer_str(c, c->in[k]),
                              infer_str(c, want[k]));
    return 0;
}

int
infer_factored(const infer_ctx *c)
{
    return with_factors(c) < 0 ? -1 : infer_one(c, c->in[0]);
}

int
infer_det(const infer_ctx *c)
{
    return with_factors(c) < 0 ? -1 : infer_one(c, batch_of(c, c->in[0]->dtype, 0, NULL));
}

int
infer_slogdet(const infer_ctx *c)
{
    if (with_factors(c) < 0)
        return -1;
    const cot_dtype t = c->in[0]->dtype;
    const ir_type *sign = batch_of(c, t, 0, NULL), *log = batch_of(c, ir_part_type(t), 0, NULL);
    if (!sign || !log)
        return -1;
    give(c, 0, sign);
    give(c, 1, log);
    return 2;
}

int
infer_full_lu(const infer_ctx *c)
{
    if (is_matrix(c, 0, true) < 0)
        return -1;
    const ir_type *x = c->in[0], *order = batch_of(c, COT_I32, 1, &x->dims[x->rank - 1]),
                  *count = batch_of(c, COT_I32, 0, NULL);
    if (!order || !count)
        return -1;
    give(c, 0, x);
    give(c, 1, order);
    give(c, 2, order);
    give(c, 3, count);
    return 4;
}

int
infer_qr(const infer_ctx *c)
{
    const ir_type *x = c->in[0];

    if (is_matrix(c, 0, false) < 0)
        return -1;
    const int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1];
    const int64_t k = c->at->qr.full || m < n ? m : n;
    const ir_type *q = batch_of(c, x->dtype, 2, (const int64_t[]){ m, k });
    const ir_type *r = batch_of(c, x->dtype, 2, (const int64_t[]){ k, n });
    if (!q || !r)
        return -1;
    give(c, 0, q);
    give(c, 1, r);
    return 2;
}

int
infer_eigh(const infer_ctx *c)
{
    const ir_type *x = c->in[0];

    if (is_matrix(c, 0, true) < 0)
        return -1;
    const ir_type *w = batch_of(c, ir_part_type(x->dtype), 1, &x->dims[x->rank - 1]);
    if (!w)
        return -1;
    give(c, 0, w);
    give(c, 1, x);
    return 2;
}

int
infer_eig(const infer_ctx *c)
{
    const ir_type *x = c->in[0];

    if (is_matrix(c, 0, true) < 0)
        return -1;
    const int64_t n = x->dims[x->rank - 1];
    const cot_dtype t = ir_part_type(x->dtype) == COT_F64 ? COT_C128 : COT_C64;
    const ir_type *w = batch_of(c, t, 1, &n), *v = batch_of(c, t, 2, (const int64_t[]){ n, n });
    if (!w || !v)
        return -1;
    give(c, 0, w);
    give(c, 1, v);
    give(c, 2, v);
    return 3;
}

int
infer_schur(const infer_ctx *c)
{
    if (is_matrix(c, 0, true) < 0)
        return -1;
    give(c, 0, c->in[0]);
    give(c, 1, c->in[0]);
    return 2;
}

int
infer_svd(const infer_ctx *c)
{
    const ir_type *x = c->in[0];

    if (is_matrix(c, 0, false) < 0)
        return -1;
    const int64_t m = x->dims[x->rank - 2], n = x->dims[x->rank - 1], least = m < n ? m : n;
    const bool full = c->at->qr.full;
    const ir_type *u = batch_of(c, x->dtype, 2, (const int64_t[]){ m, full ? m : least });
    const ir_type *s = batch_of(c, ir_part_type(x->dtype), 1, &least);
    const ir_type *v = batch_of(c, x->dtype, 2, (const int64_t[]){ full ? n : least, n });
    if (!u || !s || !v)
        return -1;
    give(c, 0, u);
    give(c, 1, s);
    give(c, 2, v);
    return 3;
}

int
infer_pinv(const infer_ctx *c)
{
    const ir_type *x = c->in[0];

    if (is_matrix(c, 0, false) < 0)
        return -1;
    return infer_one(c,
                     batch_of(c, x->dtype, 2,
                              (const int64_t[]){ x->dims[x->rank - 1], x->dims[x->rank - 2] }));
}
