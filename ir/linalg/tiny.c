/* Matrices of a few rows, element by element.
 *
 * Every element of a matrix is a value over the batch, and an algorithm is unrolled code: one
 * map over the batch, with one matrix in each lane.  The batch is transposed first, so that
 * equal elements of neighbouring matrices are adjacent, and the results are transposed back.
 * Both are behind barriers: the first keeps the transposed layout in memory, the second makes
 * the joined results be computed once.
 *
 * Rows are exchanged by selections, with LAPACK's choice of the pivot: the first of the
 * largest, or a NaN.
 * Source: G. Golub, C. Van Loan, Matrix Computations, 4th ed., 2013, sections 3.1, 3.4, 4.2. */
#include "ir/linalg/parts.h"

#include <math.h>

bool
ir_la_is_tiny(const ir_build *b, ir_ref x)
{
    return x && !ir_is_complex(ir_btype(b, x)->dtype) && ir_la_rows(b, x) <= IR_LA_TINY &&
           ir_la_cols(b, x) <= IR_LA_TINY;
}

/* Rows first ... first + n - 1 of x, [rows, batch]. */
static ir_ref
rows_of(ir_build *b, ir_ref x, int64_t first, int64_t n)
{
    const int64_t start[2] = { first, 0 },
                  limit[2] = { first + n, x ? ir_btype(b, x)->dims[1] : 0 };

    return x ? ir_slice(b, x, start, limit, (const int64_t[]){ 1, 1 }) : IR_NONE;
}

/* x as its elements, row by row, [batch] each. */
static ir_ref *
elements(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_rows(b, x) * ir_la_cols(b, x), batch = ir_la_batch(b, x),
                  flat[2] = { batch, n };
    ir_ref *e = IR_NEW_N(b->arena, ir_ref, n + 1);
    ir_ref all = ir_op1(b, OP_barrier,
                        ir_transpose(b, ir_reshape(b, x, 2, flat), (const int64_t[]){ 1, 0 }));

    for (int64_t i = 0; i < n; i++)
        e[i] = ir_reshape(b, rows_of(b, all, i, 1), 1, &batch);
    return e;
}

/* [n, batch] of n values, each computed once. */
static ir_ref
joined(ir_build *b, int64_t n, const ir_ref *e)
{
    const int64_t row[2] = { 1, e[0] ? ir_btype(b, e[0])->dims[0] : 0 };
    ir_ref *part = IR_NEW_N(b->arena, ir_ref, n + 1);

    for (int64_t i = 0; i < n; i++)
        part[i] = ir_reshape(b, e[i], 2, row);
    return ir_op1(b, OP_barrier, ir_concatenate(b, (int)n, part, 0));
}

/* Some of the joined values, from the first on, as a matrix. */
static ir_ref
parted(ir_build *b, ir_ref all, int64_t first, int64_t rows, int64_t cols)
{
    const int64_t dims[3] = { all ? ir_btype(b, all)->dims[1] : 0, rows, cols };

    return ir_reshape(
        b, ir_transpose(b, rows_of(b, all, first, rows * cols), (const int64_t[]){ 1, 0 }), 3,
        dims);
}

static ir_ref
less_product(ir_build *b, ir_ref x, ir_ref y, ir_ref z)
{
    return ir_sub(b, x, ir_mul(b, y, z));
}

typedef struct rows {
    int64_t m, n;
    ir_ref *a, *order;          /* order: numbers in the type of the elements */
} rows;

/* The row of the largest element of column k, from row k on. */
static ir_ref
pivot_row(ir_build *b, const rows *r, int64_t k)
{
    ir_ref best = ir_op1(b, OP_abs, r->a[k * r->n + k]), p = ir_like(b, best, (double)k);

    for (int64_t i = k + 1; i < r->m; i++) {
        ir_ref size = ir_op1(b, OP_abs, r->a[i * r->n + k]);
        ir_ref more = ir_op1(b, OP_not, ir_op2(b, OP_le, size, best));  /* or NaN */
        more = ir_op2(b, OP_and, more, ir_op2(b, OP_eq, best, best));
        best = ir_select(b, more, size, best);
        p = ir_select(b, more, ir_like(b, p, (double)i), p);
    }
    return p;
}

static void
exchange(ir_build *b, ir_ref is, ir_ref *x, ir_ref *y, ir_ref old)
{
    *x = ir_select(b, is, *y, *x);
    *y = ir_select(b, is, old, *y);
}

/* Row k and row p, which is one of those from k on. */
static void
exchange_rows(ir_build *b, const rows *r, int64_t k, ir_ref p)
{
    ir_ref *old = ir_copy_bytes(b->arena, r->a + k * r->n, sizeof *old * (size_t)r->n),
           first = r->order[k];

    for (int64_t i = k + 1; i < r->m; i++) {
        ir_ref is = ir_op2(b, OP_eq, p, ir_like(b, p, (double)i));
        for (int64_t j = 0; j < r->n; j++)
            exchange(b, is, &r->a[k * r->n + j], &r->a[i * r->n + j], old[j]);
        exchange(b, is, &r->order[k], &r->order[i], first);
    }
}

void
ir_la_tiny_lu(ir_build *b, ir_ref x, ir_ref *y)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), size = m * n,
                  least = m < n ? m : n;
    ir_ref *all = IR_NEW_N(b->arena, ir_ref, size + m + least + 1), *pivot = all + size + m;
    rows r = { m, n, all, all + size };
    const ir_type *i32 = x ? ir_type_new(b->ctx, COT_I32, 0, NULL) : NULL;

    if (!x || !i32)
        return;
    memcpy(all, elements(b, x), sizeof *all * (size_t)size);
    for (int64_t i = 0; i < m; i++)
        r.order[i] = ir_like(b, all[0], (double)i);
    for (int64_t k = 0; k < least; k++) {
        pivot[k] = pivot_row(b, &r, k);
        exchange_rows(b, &r, k, pivot[k]);
        ir_ref d = r.a[k * n + k], none = ir_op2(b, OP_eq, d, ir_like(b, d, 0));
        for (int64_t i = k + 1; i < m; i++) {
            ir_ref *l = &r.a[i * n + k];
            *l = ir_select(b, none, *l, ir_div(b, *l, d));
            for (int64_t j = k + 1; j < n; j++)
                r.a[i * n + j] = less_product(b, r.a[i * n + j], *l, r.a[k * n + j]);
        }
    }
    ir_ref packed = joined(b, size + m + least, all);
    y[0] = parted(b, packed, 0, m, n);
    y[1] = ir_convert(b, parted(b, packed, size, 1, m), COT_I32);
    y[2] = ir_convert(b, parted(b, packed, size + m, 1, least), COT_I32);
}

ir_ref
ir_la_tiny_solve(ir_build *b, ir_ref x, ir_ref y, bool unit)
{
    const int64_t n = ir_la_rows(b, y), k = ir_la_cols(b, y);
    ir_ref *l = x && y ? elements(b, x) : NULL, *z = l ? elements(b, y) : NULL;

    if (!z)
        return IR_NONE;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < k; c++) {
            ir_ref *v = &z[i * k + c];
            for (int64_t j = 0; j < i; j++)
                *v = less_product(b, *v, l[i * n + j], z[j * k + c]);
            *v = unit ? *v : ir_div(b, *v, l[i * n + i]);
        }
    return parted(b, joined(b, n * k, z), 0, n, k);
}

/* NaN where it is not above 0. */
static ir_ref
root_of_pivot(ir_build *b, ir_ref x)
{
    ir_ref above = ir_op2(b, OP_lt, ir_like(b, x, 0), x);

    ir_ref nan = ir_like(b, x, (double)NAN);
    return ir_select(b, above, ir_op1(b, OP_sqrt, x), nan);
}

ir_ref
ir_la_tiny_cholesky(ir_build *b, ir_ref x)
{
    const int64_t n = ir_la_rows(b, x);
    ir_ref *a = x ? elements(b, x) : NULL;

    if (!a)
        return IR_NONE;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            ir_ref *v = &a[i * n + j];
            for (int64_t k = 0; k < j; k++)
                *v = less_product(b, *v, a[i * n + k], a[j * n + k]);
            *v = i == j ? root_of_pivot(b, *v) : ir_div(b, *v, a[j * n + j]);
            a[j * n + i] = i == j ? *v : ir_like(b, *v, 0);
        }
    return parted(b, joined(b, n * n, a), 0, n, n);
}
