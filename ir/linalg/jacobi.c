/* Eigenvalues of symmetric matrices and singular values, by Jacobi's rotations.
 *
 * The rows form n/2 pairs: row i of the upper half with row i of the lower half.  A step
 * rotates every pair at once, each by the angle that makes its two rows orthogonal (in `eigh`:
 * that makes the element where they meet 0), and then forms new pairs in round-robin order: row
 * 0 stays, the others move on by one.  After n - 1 steps, a sweep, each row has met each other
 * and all are where they were.  A pair that is orthogonal to the precision of the type is left
 * alone, and a sweep in which all are is the last; in `eigh` the last sweep is one that leaves
 * every off-diagonal element below the bound.  The matrices of a batch are swept together where
 * they have few rows (lanes.c), else one after the other, each with the sweeps that it needs,
 * in the first-level cache.
 *
 * A complex pair is made real first: its lower row is multiplied by the phase of the element
 * where the rows meet, and the rotation is that of the reals.  Vectors are kept in rows, as the
 * conjugates of columns.
 *
 * An odd number of rows gets one more row of zeros, which never rotates.
 *
 * More than IR_LA_SMALL rows are LAPACK's (lapack.h).
 *
 * Source: R. Brent, F. Luk, SIAM J. Sci. Stat. Comput. 6(1), 1985; G. Golub, C. Van Loan,
 * Matrix Computations, 4th ed., 2013, sections 8.5 and 8.6. */
#include "ir/linalg/jacobi.h"
#include "ir/linalg/lapack.h"

static ir_ref
indices(ir_build *b, const int32_t *at, int64_t n)
{
    return ir_constant(b, ir_type_new(b->ctx, COT_I32, 2, (const int64_t[]){ n, 1 }), at);
}

/* Rows at[0], at[1], ... of x. */
static ir_ref
rows_at(ir_build *b, ir_ref x, const int32_t *at, int64_t n)
{
    static const int64_t own[2] = { 0, 2 }, axis[1] = { 1 };
    if (!x)
        return IR_NONE;
    const int64_t sizes[3] = { ir_la_batch(b, x), 1, ir_la_cols(b, x) };
    const ir_ints none = { 0, NULL }, row = { 1, axis };
    return ir_node1(
        b, OP_gather, 2, (ir_ref[]){ x, indices(b, at, n) },
        &(ir_attrs){
            .gather = { { 2, own }, row, none, none, row, { 3, sizes }, IR_MODE_PROMISE } });
}

/* The rotation of each row, with both rows of a pair in the order before the new pairs are
 * formed. */
typedef struct by_row {
    ir_ref s, tau, phase;
} by_row;

/* x with its pairs of rows rotated, in the order of the next step: p - s (q + tau p) and q + s
 * (p - tau q), which is exact where s is small. */
static ir_ref
rotated(ir_build *b, const ir_la_deal *d, const by_row *r, ir_ref x)
{
    if (r->phase)
        x = ir_mul(b, x, ir_la_fit(b, r->phase, x));
    ir_ref own = rows_at(b, x, d->from, d->n), other = rows_at(b, x, d->with, d->n);
    ir_ref tau = ir_la_fit_real(b, rows_at(b, r->tau, d->from, d->n), own),
           s = ir_la_fit_real(b, rows_at(b, r->s, d->from, d->n), own);
    return ir_add(b, own, ir_mul(b, s, ir_sub(b, other, ir_mul(b, tau, own))));
}

/* Element i, i + shift of each matrix: [batch, count, 1]. */
static ir_ref
diagonal(ir_build *b, ir_ref x, int64_t first, int64_t shift, int64_t count)
{
    if (!x)
        return IR_NONE;
    const int64_t batch = ir_la_batch(b, x), n = ir_la_cols(b, x), at = first * (n + 1) + shift;
    ir_ref flat = ir_reshape(b, x, 2, (const int64_t[]){ batch, ir_la_rows(b, x) * n });
    const int64_t start[2] = { 0, at }, limit[2] = { batch, at + (count - 1) * (n + 1) + 1 },
                  stride[2] = { 1, n + 1 };
    return ir_reshape(b, ir_slice(b, flat, start, limit, stride), 3,
                      (const int64_t[]){ batch, count, 1 });
}

/* Ends a loop of one step.  Its stacked results are materialised, and no carry is copied. */
static void
end_step(ir_build *b, ir_la_loop *l, int n, const ir_ref *y, ir_ref *out)
{
    for (int i = 0; i < n; i++)
        out[i] = IR_NONE;
    ir_la_loop_end(b, l, n, y, out);
    for (int i = 0; i < n; i++)
        out[i] = out[i] ? ir_reshape(b, out[i], 3, ir_btype(b, out[i])->dims + 1) : IR_NONE;
}

/* x, in the order of the next step, with 0 for the elements that this step annihilated: one in
 * each row that rotated. */
static ir_ref
without_met(ir_build *b, const ir_la_deal *d, ir_ref s, ir_ref x)
{
    const int64_t n = d->n, dims[3] = { 1, n, 1 };
    int32_t *column = IR_NEW_N(b->arena, int32_t, n);

    if (!x)
        return IR_NONE;
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < n; k++)
            if (d->from[k] == d->with[i])
                column[i] = (int32_t)k;
    ir_ref own = rows_at(b, s, d->from, n),
           at = ir_iota(b, COT_I32, 3, ir_btype(b, x)->dims, 2);
    ir_ref met = ir_constant(b, ir_type_new(b->ctx, COT_I32, 3, dims), column);
    ir_ref none = ir_like(b, met, (double)n);
    met = ir_select(b, ir_op2(b, OP_ne, own, ir_like(b, own, 0)), met, none);
    ir_ref zero = ir_like(b, x, 0);
    return ir_select(b, ir_op2(b, OP_eq, at, ir_la_fit(b, met, at)), zero, x);
}

/* The rotations by rows, materialised: all elements of a row read its rotation. */
static by_row
by_row_of(ir_build *b, const ir_la_rotations *t)
{
    const int parts = t->phase ? 3 : 2;
    const ir_ref in[3] = { t->s, t->tau, t->phase };
    ir_ref y[3], out[3] = { IR_NONE };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, 1, parts, 0, in);
    for (int i = 0; i < parts; i++) {
        ir_ref x = l.in[i], upper = i < 2 ? ir_neg(l.b, x) : ir_like(l.b, x, 1);
        y[i] = ir_concatenate(l.b, 2, (ir_ref[]){ upper, x }, 1);
    }
    end_step(b, &l, parts, y, out);
    return (by_row){ out[0], out[1], out[2] };
}

/* x with its pairs of rows rotated, materialised. */
static ir_ref
materialise_rotated(ir_build *b, const ir_la_deal *d, const by_row *r, ir_ref x)
{
    const int parts = r->phase ? 3 : 2;
    ir_ref in[4] = { r->s, r->tau, r->phase };
    ir_la_loop l;

    in[parts] = x;
    ir_la_loop_begin(b, &l, 1, parts + 1, 0, in);
    const by_row inner = { l.in[0], l.in[1], r->phase ? l.in[2] : IR_NONE };
    ir_ref y = rotated(l.b, d, &inner, l.in[parts]), out;
    end_step(b, &l, 1, &y, &out);
    return out;
}

static ir_ref
materialise_adjoint(ir_build *b, ir_ref x)
{
    ir_la_loop l;

    ir_la_loop_begin(b, &l, 1, 1, 0, &x);
    ir_ref y = ir_la_adjoint(l.b, l.in[0]), out;
    end_step(b, &l, 1, &y, &out);
    return out;
}

/* A symmetric matrix with its pairs of rows and of columns rotated.  It rotates rows twice,
 * where elements are contiguous, and transposes in between, since the result is symmetric
 * again. */
static ir_ref
rotated_twice(ir_build *b, const ir_la_deal *d, const by_row *r, ir_ref a)
{
    return rotated(b, d, r, materialise_adjoint(b, materialise_rotated(b, d, r, a)));
}

/* The rotations of a step of eigh, materialised. */
static ir_la_rotations
eigh_rotations(ir_build *b, int64_t h, ir_ref bound, ir_ref a)
{
    const ir_ref in[2] = { bound, a };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, 1, 2, 0, in);
    ir_ref p = ir_la_real(l.b, diagonal(l.b, l.in[1], 0, 0, h)),
           q = ir_la_real(l.b, diagonal(l.b, l.in[1], h, 0, h)),
           r = diagonal(l.b, l.in[1], 0, h, h);
    const ir_la_rotations t = ir_la_rotations_of(l.b, true, p, q, r,
                                                 ir_la_fit(l.b, l.in[0], r));
    ir_ref out[3] = { IR_NONE };
    end_step(b, &l, t.phase ? 3 : 2, (ir_ref[]){ t.s, t.tau, t.phase }, out);
    return (ir_la_rotations){ out[0], out[1], out[2] };
}

/* A step of eigh: a the matrix, v the vectors in rows, bound [batch, 1, 1] what counts as 0. */
static void
eigh_step(ir_build *b, const ir_la_deal *d, ir_ref bound, ir_ref *a, ir_ref *v, ir_ref *any)
{
    const ir_la_rotations t = eigh_rotations(b, d->n / 2, bound, *a);
    const by_row rows = by_row_of(b, &t);

    *a = without_met(b, d, rows.s, rotated_twice(b, d, &rows, *a));
    *v = rotated(b, d, &rows, *v);
    *any = ir_op2(b, OP_or, *any, ir_la_rotates(b, &t));
}

/* A step of svd: a the rows, v the vectors in rows. */
static void
svd_step(ir_build *b, const ir_la_deal *d, ir_ref *a, ir_ref *v, ir_ref *any)
{
    const int64_t h = d->n / 2, m = ir_la_cols(b, *a), batch = ir_la_batch(b, *a),
                  dims[3] = { batch, h, 1 };
    ir_ref x = ir_la_block(b, *a, 0, h, 0, m), y = ir_la_block(b, *a, h, h, 0, m), part[3];
    const ir_ref of[3] = { ir_la_square(b, x), ir_la_square(b, y),
                           ir_mul(b, x, ir_la_conj(b, y)) };

    for (int i = 0; i < 3; i++)
        part[i] = ir_op1(
            b, OP_barrier,
            ir_reshape(b, ir_reduce(b, OP_reduce_sum, of[i], ir_axes_of(2)), 3, dims));
    if (!part[0])
        return;
    ir_ref bound = ir_la_svd_bound(b, part[0], part[1], d->n);
    ir_la_rotations t = ir_la_rotations_of(b, false, part[0], part[1], part[2], bound);
    ir_la_materialise(b, &t);
    const by_row rows = by_row_of(b, &t);
    *a = rotated(b, d, &rows, *a);
    *v = rotated(b, d, &rows, *v);
    *any = ir_op2(b, OP_or, *any, ir_la_rotates(b, &t));
}

typedef struct sweeping {
    bool symmetric;
} sweeping;

/* n - 1 steps. */
static void
sweep(ir_build *b, const sweeping *o, const ir_la_deal *d, ir_ref bound, ir_ref *a, ir_ref *v,
      ir_ref *any)
{
    const ir_ref in[4] = { bound, *a, *v, *any };
    ir_ref next[3], out[3] = { IR_NONE, IR_NONE, IR_NONE };
    ir_la_loop l;

    ir_la_loop_begin(b, &l, d->n - 1, 1, 3, in);
    memcpy(next, l.in + 1, sizeof next);
    if (o->symmetric)
        eigh_step(l.b, d, l.in[0], &next[0], &next[1], &next[2]);
    else
        svd_step(l.b, d, &next[0], &next[1], &next[2]);
    ir_la_loop_end(b, &l, 0, next, out);
    *a = out[0], *v = out[1], *any = out[2];
}

static ir_ref
scalar_bool(ir_build *b, bool x)
{
    return ir_splat_int(b, ir_type_new(b->ctx, COT_BOOL, 0, NULL), x);
}

/* Sweeps over a and v until one rotates nothing. */
static void
sweeps(ir_build *b, const sweeping *o, ir_ref bound, ir_ref *a, ir_ref *v)
{
    const int64_t n = ir_la_rows(b, *a), batch = ir_la_batch(b, *a),
                  pairs[3] = { batch, n / 2, 1 };

    if (batch > 1) {
        ir_la_lanes(b, o->symmetric, bound, a, v);
        return;
    }
    const ir_la_deal d = ir_la_deal_of(b, n);
    ir_ref in[5] = { bound, scalar_bool(b, true), ir_la_number(b, 0), *a, *v }, x[5], out[4];

    ir_build *s = ir_sub_begin(b, "sweep");
    for (int i = 0; i < 5; i++)
        x[i] = in[i] ? ir_input(s, ir_btype(b, in[i]), NULL) : IR_NONE;
    ir_ref any = ir_splat_int(s, ir_type_new(b->ctx, COT_BOOL, 3, pairs), 0);
    sweep(s, o, &d, x[0], &x[3], &x[4], &any);
    ir_ref some =
        any ? ir_reduce(s, OP_reduce_or, any, ir_axes_of(0) | ir_axes_of(1) | ir_axes_of(2))
            : IR_NONE;
    if (o->symmetric)
        some = ir_op2(s, OP_and, some, ir_la_has_off_diagonal(s, x[3], x[0], 1));
    ir_output(s, some);
    ir_output(s, ir_add(s, x[2], ir_la_number(s, 1)));
    ir_output(s, x[3]);
    ir_output(s, x[4]);
    ir_graph *body = ir_sub_end(b, s), *cond = ir_la_goes_on(b, in);
    *a = *v = IR_NONE;
    if (!body || !cond)
        return;
    ir_add_node(b, OP_while, 5, in, &(ir_attrs){ .loop = { 1, 0, cond, body } }, out);
    *a = out[2], *v = out[3];
}

/* x with rows (and columns) up to an even number, those more all 0. */
static ir_ref
even(ir_build *b, ir_ref x, bool columns)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), zero[3] = { 0, 0, 0 };

    if (!x || m % 2 == 0)
        return x;
    ir_ref none = ir_splat(b, ir_type_new(b->ctx, ir_btype(b, x)->dtype, 0, NULL), 0);
    (void)n;
    return ir_pad(b, x, none, zero, (const int64_t[]){ 0, 1, columns ? 1 : 0 }, NULL);
}

static ir_ref
unit(ir_build *b, ir_ref like, int64_t batch, int64_t m, int64_t n)
{
    const ir_type *t = ir_la_type(b, like, batch, m, n);

    return t ? ir_la_eye(b, ir_zeros(b, t)) : IR_NONE;
}

/* The places of keys [batch, n, 1] in ascending order. */
static ir_ref
places(ir_build *b, ir_ref keys)
{
    return ir_node1(b, OP_argsort, 1, &keys, &(ir_attrs){ .arg = { 1, COT_I32 } });
}

/* The Frobenius norm of each matrix. */
static ir_ref
size_of(ir_build *b, ir_ref x)
{
    ir_ref sum = ir_reduce(b, OP_reduce_sum, ir_la_square(b, x), ir_axes_of(1) | ir_axes_of(2));

    return ir_op1(b, OP_sqrt,
                  ir_reshape(b, sum, 3, (const int64_t[]){ ir_la_batch(b, x), 1, 1 }));
}

/* Each matrix divided by its largest element, which is answered (1 where that is 0, or NaN):
 * squares neither overflow nor vanish. */
static ir_ref
scaled(ir_build *b, ir_ref *x)
{
    const int64_t dims[3] = { ir_la_batch(b, *x), 1, 1 };
    ir_ref top = ir_reduce(b, OP_reduce_max, ir_la_size(b, *x), ir_axes_of(1) | ir_axes_of(2));

    top = ir_reshape(b, top, 3, dims);
    ir_ref one = ir_like(b, top, 1);
    top = ir_select(b, ir_op2(b, OP_gt, top, ir_like(b, top, 0)), top, one);
    *x = ir_div(b, *x, ir_la_fit_real(b, top, *x));
    return top;
}

/* y: the values [batch, n, 1], and the vectors in columns. */
static void
eigh(ir_build *b, const void *user, const ir_ref *in, ir_ref *y)
{
    const int64_t n = ir_la_rows(b, in[0]);
    ir_ref x = ir_la_hermitian(b, in[0]);
    ir_ref size = scaled(b, &x), a = even(b, x, true), bound = size_of(b, a);
    ir_ref v = unit(b, a, ir_la_batch(b, a), ir_la_rows(b, a), ir_la_rows(b, a));

    (void)user;
    y[0] = y[1] = IR_NONE;
    if (!bound)
        return;
    bound = ir_mul(b, bound, ir_like(b, bound, ir_la_precision(b, bound) / (double)n));
    sweeps(b, &(const sweeping){ true }, bound, &a, &v);
    ir_ref w = ir_la_real(b, diagonal(b, a, 0, 0, n));
    w = ir_mul(b, w, ir_la_fit(b, size, w));
    ir_ref order = places(b, w);
    y[0] = ir_la_in_order(b, w, order);
    y[1] = ir_la_adjoint(b, ir_la_in_order(b, ir_la_crop(b, v, n, n), order));
}

/* Matrices of few rows are computed many at a time; of more, whose rows fill vectors by
 * themselves, one after the other. */
static void
map_or_lanes(ir_build *b, ir_la_each *f, const void *user, int64_t rows, const ir_ref *x,
             int n_out, ir_ref *y)
{
    if (rows <= IR_LA_LANES)
        f(b, user, x, y);
    else
        ir_la_map(b, f, user, 1, x, n_out, y);
}

void
eval_eigh(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y[3] = { IR_NONE, x };
    const int64_t flat[2] = { ir_la_batch(b, x), ir_la_rows(b, x) };

    (void)at, (void)n_in;
    if (!x)
        return;
    if (flat[1] > IR_LA_SMALL && flat[0] > 0) {
        ir_la_lapack(b, IR_LA_EIGH, false, ir_la_hermitian(b, x), y);
        y[1] = ir_la_adjoint(b, y[1]);
    } else if (ir_btype(b, x)->size == 0) {
        y[0] = ir_zeros(b, ir_type_new(b->ctx, ir_part_type(ir_btype(b, x)->dtype), 2, flat));
    } else {
        map_or_lanes(b, eigh, NULL, flat[1], &x, 2, y);
    }
    out[0] = ir_la_out(b, ir_reshape(b, y[0], 2, flat), in[0]);
    out[1] = ir_la_out(b, y[1], in[0]);
}

/* The right vectors of x, m >= n, in rows, those of the larger singular values first: of R
 * where x has many rows. */
static ir_ref
right_vectors(ir_build *b, ir_ref x)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), batch = ir_la_batch(b, x);
    ir_ref qr[2] = { IR_NONE, x };

    if (m > n)
        ir_add_node(b, OP_qr, 1, &x, &(ir_attrs){ .qr = { 0 } }, qr);
    ir_ref a = even(b, ir_la_adjoint(b, qr[1]), false), none = size_of(b, x);
    ir_ref v = unit(b, a, batch, ir_la_rows(b, a), n);
    sweeps(b, &(const sweeping){ false }, none, &a, &v);
    a = ir_la_crop(b, a, n, n);
    ir_ref key = ir_reduce(b, OP_reduce_sum, ir_la_square(b, a), ir_axes_of(2));
    key = ir_neg(b, ir_reshape(b, key, 3, (const int64_t[]){ batch, n, 1 }));
    ir_ref order = places(b, key);
    return ir_la_in_order(b, ir_la_crop(b, v, n, n), order);
}

/* x v has orthogonal columns: U times the singular values.  The Q of its QR factorisation is U
 * but for signs, and is complete where singular values are 0. */
static void
svd_of_tall(ir_build *b, ir_ref x, bool full, ir_ref *u, ir_ref *s, ir_ref *vt)
{
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), batch = ir_la_batch(b, x);
    ir_ref size = scaled(b, &x), v = right_vectors(b, x), y = ir_la_dot_adjoint(b, x, v), qr[2];
    ir_add_node(b, OP_qr, 1, &y, &(ir_attrs){ .qr = { full } }, qr);
    ir_ref d = ir_la_real(b, diagonal(b, qr[1], 0, 0, n)),
           minus = ir_op2(b, OP_lt, d, ir_like(b, d, 0));
    ir_ref one = ir_like(b, d, 1);
    ir_ref sign = ir_select(b, minus, ir_like(b, d, -1), one);
    ir_ref signs = ir_la_transpose(b, sign);
    if (full && m > n)
        signs = ir_concatenate(
            b, 2, (ir_ref[]){ signs, ir_splat(b, ir_la_type(b, signs, batch, 1, m - n), 1) },
            2);
    *u = ir_mul(b, qr[0], ir_la_fit_real(b, signs, qr[0]));
    d = ir_op1(b, OP_abs, d);
    *s = ir_mul(b, d, ir_la_fit(b, size, d));
    *vt = v;
}

/* y: u, s [batch, k, 1], v^H. */
static void
svd(ir_build *b, const void *user, const ir_ref *x, ir_ref *y)
{
    const bool full = *(const bool *)user;

    if (ir_la_rows(b, x[0]) >= ir_la_cols(b, x[0])) {
        svd_of_tall(b, x[0], full, &y[0], &y[1], &y[2]);
        return;
    }
    svd_of_tall(b, ir_la_transpose(b, x[0]), full, &y[2], &y[1], &y[0]);
    y[0] = ir_la_transpose(b, y[0]), y[2] = ir_la_transpose(b, y[2]);
}

void
eval_svd(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y[3];
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), k = m < n ? m : n;
    const int64_t flat[2] = { ir_la_batch(b, x), k };
    const bool full = at->qr.full;

    (void)n_in;
    if (!x)
        return;
    if (k > IR_LA_SMALL && ir_btype(b, x)->size > 0) {
        ir_la_lapack(b, IR_LA_SVD, full, x, y);
    } else if (ir_btype(b, x)->size == 0) {
        y[0] = unit(b, x, flat[0], m, full ? m : k);
        y[1] = ir_zeros(b, ir_la_type(b, ir_la_real(b, x), flat[0], k, 1));
        y[2] = unit(b, x, flat[0], full ? n : k, n);
    } else {
        map_or_lanes(b, svd, &full, k, &x, 3, y);
    }
    out[0] = ir_la_out(b, y[0], in[0]);
    out[1] = ir_la_out(b, ir_reshape(b, y[1], 2, flat), in[0]);
    out[2] = ir_la_out(b, y[2], in[0]);
}

/* v s^-1 u^H, without the singular values that are 0 to the precision of the type. */
void
eval_pinv(ir_build *b, const ir_attrs *at, int n_in, const ir_ref *in, ir_ref *out)
{
    ir_ref x = ir_la_in(b, in[0]), y[3] = { IR_NONE, IR_NONE, IR_NONE };
    const int64_t m = ir_la_rows(b, x), n = ir_la_cols(b, x), batch = ir_la_batch(b, x);

    (void)at, (void)n_in;
    if (!x)
        return;
    ir_add_node(b, OP_svd, 1, &x, &(ir_attrs){ .qr = { 0 } }, y);
    ir_ref s =
        y[1] ? ir_reshape(b, y[1], 3, (const int64_t[]){ batch, 1, m < n ? m : n }) : IR_NONE;
    if (!s)
        return;
    if (ir_btype(b, x)->size == 0) {
        out[0] = ir_la_out(b, ir_zeros(b, ir_la_type(b, x, batch, n, m)), in[0]);
        return;
    }
    const double least = 10 * (double)(m > n ? m : n) * ir_la_precision(b, s);
    ir_ref top = ir_la_block(b, s, 0, 1, 0, 1);
    ir_ref own = ir_op2(b, OP_gt, s, ir_la_fit(b, ir_mul(b, top, ir_like(b, top, least)), s));
    ir_ref over = ir_la_keep(b, own, ir_div(b, ir_like(b, s, 1), s), 0);
    ir_ref v = ir_la_adjoint(b, y[2]);
    v = ir_mul(b, v, ir_la_fit_real(b, over, v));
    out[0] = ir_la_out(b, ir_la_dot_adjoint(b, v, y[0]), in[0]);
}
