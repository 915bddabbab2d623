/* Matrices that are made of smaller parts: blocks along the diagonal, constant diagonals. */
#include "cotrace/linalg.h"

#include "frontend/sugar/written.h"

/* x as a matrix: a vector is a row, a scalar one element. */
static cot_value
as_matrix(cot_place at, cot_value x)
{
    const int64_t shape[2] = { 1, cot_count(x) };

    return cot_rank(x) == 2 ? x : fe_shaped(at, x, 2, shape);
}

cot_value
cot_block_diag_(cot_place at, cot_values xs)
{
    enum { MAX_BLOCKS = 1024 };
    cot_value rows[MAX_BLOCKS];
    cot_dtype t = COT_BOOL;
    int64_t columns = 0, before = 0;

    fe_readable(&xs);
    const cot_value *x = FE_AT(xs);
    if (xs.n < 1 || xs.n > MAX_BLOCKS)
        return fe_wrong(at, xs.n > 0 ? x[0] : COT_UNSET, "block_diag", ERR_attr_wrong,
                        "has %d matrices; wants 1 to %d", xs.n, MAX_BLOCKS);
    for (int i = 0; i < xs.n; i++) {
        const cot_dtype own = cot_dtype_of(x[i]);
        if (own == COT_DTYPE_NONE)
            return x[i];
        t = fe_promote(t, own);
        if (cot_rank(x[i]) > 2 || t == COT_DTYPE_NONE)
            return fe_wrong(at, x[i], "block_diag", ERR_shape_wrong,
                            "operand %d is %s; wants two axes or less, and types that promote",
                            i, fe_type_text(x[i]));
        rows[i] = as_matrix(at, x[i]);
        columns += cot_size(rows[i], 1);
    }
    for (int i = 0; i < xs.n; i++) {
        const int64_t after = columns - before - cot_size(rows[i], 1);
        const int64_t own = cot_size(rows[i], 1);
        rows[i] = cot_pad(cot_convert(rows[i], t), 0, .low = COT_LIST(0, before),
                          .high = COT_LIST(0, after));
        before += own;
    }
    return cot_concatenate_(at, cot_values_of(xs.n, rows), 0);
}

/* Elements of the first row, from the last to the second, and of the first column are one
 * vector, of which element (i, j) is number i - j + n - 1. */
cot_value
cot_toeplitz_(cot_place at, cot_value column, cot_value row)
{
    const char *const op = "toeplitz";
    cot_trace *t = fe_open(at, column, op);

    if (!t || cot_dtype_of(column) == COT_DTYPE_NONE)
        return column;
    if (fe_given(row) && cot_dtype_of(row) == COT_DTYPE_NONE)
        return row;
    if (cot_rank(column) != 1 || (fe_given(row) && cot_rank(row) != 1))
        return fe_wrong(at, column, op, ERR_shape_wrong,
                        "the column is %s, the row %s; wants vectors", fe_type_text(column),
                        fe_type_text(row));
    const cot_dtype own = cot_dtype_of(column);
    if (!fe_given(row))
        row = ir_is_complex(own) ? cot_conj(column) : column;
    const cot_dtype common = fe_promote(own, cot_dtype_of(row));
    const int64_t m = cot_size(column, 0), n = cot_size(row, 0);
    if (common == COT_DTYPE_NONE || m + n > INT32_MAX)
        return fe_wrong(at, column, op, ERR_shape_wrong,
                        "the column is %s, the row %s; wants types that promote",
                        fe_type_text(column), fe_type_text(row));
    if (m == 0 || n == 0)
        return cot_full_(at, t, cot_type_new(common, 2, (const int64_t[]){ m, n }),
                         cot_operand_int(0));
    cot_value rest = cot_slice(cot_convert(row, common), .start = COT_LIST(1));
    cot_value line =
        cot_concatenate(COT_VALUES(cot_reverse(rest), cot_convert(column, common)), 0);
    cot_value i = cot_iota(t, cot_i32(m, n), 0), j = cot_iota(t, cot_i32(m, n), 1);

    return cot_take(line, cot_add(cot_sub(i, j), n - 1), 0);
}
