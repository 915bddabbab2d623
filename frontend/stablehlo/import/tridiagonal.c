/* Systems of equations of three diagonals, as LAPACK's gtsv has them: elimination with row
 * pivoting by a scan down the rows, substitution by a scan back up; of n rows both take O(n)
 * operations.
 *
 * Before row k is eliminated it has two elements, d on the diagonal and u right of it, and the
 * row below has three, the first of which is l.  The one whose first element is larger becomes
 * row k of the triangle, of two elements to the right of the diagonal (u, v); the other, less
 * the multiple that cancels its first element, is row k + 1.
 *
 * Source: G. Golub, C. Van Loan, Matrix Computations, section 4.3. */
#include "frontend/stablehlo/import/rules.h"
#include "frontend/sugar/written.h"

/* carry: d, u [batch], b [right sides, batch]; xs: l, d, u, b of the row below; y: d, u, v, b
 * of the triangle. */
static void
eliminate(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_place at = *(const cot_place *)user;
    const cot_value d = in[0], u = in[1], b = in[2], l = in[3];
    cot_value turn = cot_gt(cot_abs(l), cot_abs(d));
    cot_value big = cot_where(turn, l, d),
              f = cot_div(cot_where(turn, d, l), big); /* one division: no side has 0 / 0 */
    cot_value right = cot_where(turn, in[4], u), far = cot_where(turn, in[5], 0),
              side = cot_where(turn, in[6], b);

    (void)t;
    out[0] = cot_sub(cot_where(turn, u, in[4]), cot_mul(f, right));
    out[1] = cot_sub(cot_where(turn, 0, in[5]), cot_mul(f, far));
    out[2] = cot_sub(cot_where(turn, b, in[6]), cot_mul(f, side));
    out[3] = big;
    out[4] = right;
    out[5] = far;
    out[6] = side;
}

/* carry: the solution in the two rows below; xs: d, u, v, b; y: the solution in this row. */
static void
substitute(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const cot_place at = *(const cot_place *)user;
    cot_value x = cot_sub(cot_sub(in[5], cot_mul(in[3], in[0])), cot_mul(in[4], in[1]));

    (void)t;
    out[0] = out[2] = cot_div(x, in[2]);
    out[1] = in[0];
}

/* Rows start, start + 1, ... of x, up to stop. */
static cot_value
rows(cot_place at, cot_value x, int64_t start, int64_t stop)
{
    return cot_index(x, COT_AT(COT_SPAN(start, stop)));
}

static cot_value
zeros_like(hlo_emit *e, cot_value x)
{
    ir_ref r = fe_hlo_ref(e, x);

    return r ? fe_hlo_handle(e, ir_zeros(e->b, ir_btype(e->b, r))) : x;
}

/* x[0]: the diagonal's left neighbours, x[1], x[2]; x[3]: right sides; all with rows first. */
static cot_value
solved(hlo_emit *e, cot_value *x, int64_t n)
{
    cot_place at = fe_hlo_place(e);
    cot_value first[3], below[4], last[7], y[3];

    x[2] = cot_concatenate(
        COT_VALUES(rows(at, x[2], 0, n - 1), zeros_like(e, rows(at, x[2], n - 1, n))), 0);
    for (int i = 0; i < 4; i++)
        below[i] = rows(at, x[i], 1, n);
    for (int i = 0; i < 3; i++)
        first[i] = cot_squeeze(rows(at, x[i + 1], 0, 1), 0);
    cot_scan(eliminate, .in = { 3, first }, .xs = { 4, below }, .out = last, .n_out = 4,
             .user = &at);
    cot_value end = cot_div(last[2], last[0]), none = zeros_like(e, end);
    cot_scan(substitute, .in = COT_VALUES(end, none), .xs = { 4, last + 3 }, .out = y,
             .n_out = 1, .reverse = 1, .user = &at);
    return cot_concatenate(COT_VALUES(y[2], cot_expand_dims(end, 0)), 0);
}

void
fe_hlo_tridiagonal(hlo_emit *e)
{
    const cot_place at = fe_hlo_place(e);
    const ir_type *t = fe_hlo_in_type(e, 1), *bt = fe_hlo_in_type(e, 3);
    const bool fits =
        fe_hlo_in_type(e, 0) == t && fe_hlo_in_type(e, 2) == t && bt->rank == t->rank + 1;
    cot_value x[4];

    if (!fits) {
        fe_hlo_fail(e, "its diagonals do not fit");
        return;
    }
    if (bt->size == 0) {
        e->out[3] = e->in[3];
        return;
    }
    for (int i = 0; i < 3; i++)
        x[i] = cot_moveaxis(fe_hlo_handle(e, e->in[i]), t->rank - 1, 0);
    /* rows, right sides, the batch */
    x[3] = cot_moveaxis(cot_moveaxis(fe_hlo_handle(e, e->in[3]), t->rank, 0), t->rank, 0);
    e->out[3] =
        fe_hlo_ref(e, cot_moveaxis(cot_moveaxis(solved(e, x, t->dims[t->rank - 1]), 0, t->rank),
                                   0, t->rank));
}
