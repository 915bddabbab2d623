/* Linear algebra: StableHLO's two ops, and the calls of LAPACK that JAX makes on CPU.
 *
 * The layouts of a call describe how its matrices are stored; values of a graph have no layout,
 * so they are ignored.  The status that LAPACK returns is 0. */
#include "frontend/stablehlo/import/rules.h"

#include "cotrace/fft.h"
#include "cotrace/linalg.h"
#include "ir/diag.h"
#include "ir/linalg/forms.h"

static ir_ref
flipped(ir_build *b, ir_ref x)
{
    const int rank = x ? ir_btype(b, x)->rank : 0;

    return rank < 2 ? x : ir_move_axis(b, x, rank - 2, rank - 1);
}

static bool
is_complex(const hlo_emit *e, int i)
{
    return ir_is_complex(fe_hlo_in_type(e, i)->dtype);
}

/* The transpose, conjugate where complex. */
static ir_ref
adjoint(ir_build *b, ir_ref x)
{
    ir_ref y = flipped(b, x);

    return y && ir_is_complex(ir_btype(b, y)->dtype) ? ir_op1(b, OP_conj, y) : y;
}

/* x = L L^T of its lower triangle; of the upper one x = U^T U. */
static ir_ref
cholesky(hlo_emit *e, ir_ref x, bool lower)
{
    ir_ref y = ir_op1(e->b, OP_cholesky, lower ? x : flipped(e->b, x));

    return lower ? y : flipped(e->b, y);
}

void
fe_hlo_cholesky(hlo_emit *e)
{
    e->out[0] = cholesky(e, e->in[0], fe_hlo_flag(e, "lower", false));
}

void
fe_hlo_triangular_solve(hlo_emit *e)
{
    const hlo_span how = fe_hlo_enum(e, "transpose_a", NULL);
    const bool conjugate = fe_hlo_is(how, "ADJOINT") && is_complex(e, 0);
    ir_attrs at = { .triangle = { .right = !fe_hlo_flag(e, "left_side", true),
                                  .upper = !fe_hlo_flag(e, "lower", true),
                                  .transposed =
                                      fe_hlo_is(how, "TRANSPOSE") || fe_hlo_is(how, "ADJOINT"),
                                  .unit = fe_hlo_flag(e, "unit_diagonal", false) } };
    ir_ref a = conjugate ? fe_hlo_op(e, "conj", 1, e->in) : e->in[0];

    if (a)
        e->out[0] =
            ir_node1(e->b, OP_triangular_solve, 2, (const ir_ref[]){ a, e->in[1] }, &at);
}

/* ---- Fourier ---- */

/* The transform of an operand without elements: zeros, where the result has any element. */
static void
empty_fft(hlo_emit *e, hlo_span type, ir_ints length)
{
    const hlo_type *t = fe_hlo_declared(e, 0);
    const ir_type *x = fe_hlo_in_type(e, 0);
    int64_t dims[COT_MAX_RANK];

    if (!t)
        return;
    for (int i = 0; i < x->rank; i++)
        dims[i] = x->dims[i];
    if (fe_hlo_is(type, "RFFT"))
        dims[x->rank - 1] = length.at[length.n - 1] / 2 + 1;
    if (fe_hlo_is(type, "IRFFT"))
        dims[x->rank - 1] = length.at[length.n - 1];
    e->out[0] =
        ir_zeros(e->b, t->type ? t->type : ir_type_new(e->b->ctx, t->dtype, x->rank, dims));
}

/* Along the last axes, as many as there are lengths. */
void
fe_hlo_fft(hlo_emit *e)
{
    static const struct {
        const char *name;
        cot_value (*make)(cot_place, cot_value, const cot_fft_options *, size_t);
    } row[] = { { "FFT", cot_fftn_ },
                { "IFFT", cot_ifftn_ },
                { "RFFT", cot_rfftn_ },
                { "IRFFT", cot_irfftn_ } };
    const hlo_span type = fe_hlo_enum(e, "fft_type", "type");
    const int rank = fe_hlo_in_type(e, 0)->rank;
    const hlo_type *t = fe_hlo_declared(e, 0);
    int64_t axis[COT_MAX_RANK];
    ir_ints length;

    if (!t || !fe_hlo_ints(e, "fft_length", "length", -1, 0, &length))
        return;
    if (length.n < 1 || length.n > rank) {
        fe_hlo_fail(e, "has %d lengths for rank %d", length.n, rank);
        return;
    }
    if (t->type ? t->type->size == 0 : fe_hlo_in_type(e, 0)->size == 0) {
        empty_fft(e, type, length);
        return;
    }
    for (int i = 0; i < length.n; i++)
        axis[i] = rank - length.n + i;
    const cot_fft_options o = { .axes = { .n = length.n, .at = axis },
                                .sizes = { length.n, 0, length.at } };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (fe_hlo_is(type, row[i].name)) {
            e->out[0] = fe_hlo_ref(
                e, row[i].make(fe_hlo_place(e), fe_hlo_handle(e, e->in[0]), &o, sizeof o));
            return;
        }
    fe_hlo_fail(e, "is of type '%.*s'; wants FFT, IFFT, RFFT or IRFFT", (int)type.n,
                type.n ? type.at : "");
}

/* ---- LAPACK ---- */

/* A letter among the options of the call: 'L' of uplo = 76 : ui8. */
static int
option(const hlo_emit *e, const char *name, int absent)
{
    const hlo_attr *a = fe_hlo_find(e->op, "mhlo.backend_config", NULL);

    a = a ? a : fe_hlo_find(e->op, "backend_config", NULL);
    for (int i = 0; a && a->kind == HLO_DICT && i < a->n; i++)
        if (strcmp(a->named[i].name, name) == 0 &&
            (a->named[i].value.kind == HLO_INT || a->named[i].value.kind == HLO_BOOL))
            return (int)a->named[i].value.i;
    return absent;
}

/* The results from number i on are statuses of LAPACK: they become 0, since nothing fails. */
static void
succeed(hlo_emit *e, int i)
{
    for (; i < e->n_out; i++) {
        const ir_type *t = fe_hlo_out_type(e, i);
        if (t)
            e->out[i] = ir_splat_int(e->b, t, 0);
    }
}

static void
potrf(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0);

    e->out[0] = t->rank < 2 ? IR_NONE : cholesky(e, e->in[0], option(e, "uplo", 'L') == 'L');
    succeed(e, 1);
}

static void
trsm(hlo_emit *e)
{
    const int trans = option(e, "trans_x", 'N');
    ir_attrs at = { .triangle = { .right = option(e, "side", 'L') == 'R',
                                  .upper = option(e, "uplo", 'L') == 'U',
                                  .transposed = trans != 'N',
                                  .unit = option(e, "diag", 'N') == 'U' } };
    ir_ref a = trans == 'C' && is_complex(e, 0) ? fe_hlo_op(e, "conj", 1, e->in) : e->in[0];

    if (a)
        e->out[0] =
            ir_node1(e->b, OP_triangular_solve, 2, (const ir_ref[]){ a, e->in[1] }, &at);
}

/* LAPACK counts rows from 1. */
static void
getrf(hlo_emit *e)
{
    ir_ref y[3];

    if (ir_add_node(e->b, OP_lu, 1, e->in, NULL, y) < 0 || fe_hlo_bad(e))
        return;
    e->out[0] = y[0];
    e->out[1] = ir_add(e->b, y[1], ir_splat_int(e->b, ir_btype(e->b, y[1]), 1));
    succeed(e, 2);
}

static void
syevd(hlo_emit *e)
{
    const bool lower = option(e, "uplo", 'L') == 'L';
    ir_ref y[2], x = lower ? e->in[0] : adjoint(e->b, e->in[0]);

    if (!x || ir_add_node(e->b, OP_eigh, 1, &x, NULL, y) < 0 || fe_hlo_bad(e))
        return;
    e->out[0] = y[1];
    e->out[1] = y[0];
    succeed(e, 2);
}

/* What is left of the operand, singular values, both sides of vectors. */
static void
gesdd(hlo_emit *e)
{
    const int mode = option(e, "mode", 'A');
    ir_ref y[3];

    if (ir_add_node(e->b, OP_svd, 1, e->in, &(ir_attrs){ .qr = { mode == 'A' } }, y) < 0 ||
        fe_hlo_bad(e))
        return;
    e->out[0] = e->in[0];
    e->out[1] = y[1];
    for (int i = 0; i < 2; i++) { /* without vectors, their places are free */
        const ir_type *t = fe_hlo_out_type(e, 2 + i);
        e->out[2 + i] = t && mode == 'N' ? ir_zeros(e->b, t) : y[2 * i];
    }
    succeed(e, 4);
}

/* Eigenvalues, of a real matrix as real and imaginary parts; left vectors, right ones. */
static void
geev(hlo_emit *e)
{
    const int real = !is_complex(e, 0);
    ir_ref y[3];

    if (e->n_out != 4 + real) {
        fe_hlo_fail(e, "has %d results; wants %d", e->n_out, 4 + real);
        return;
    }
    if (ir_add_node(e->b, OP_eig, 1, e->in, NULL, y) < 0 || fe_hlo_bad(e))
        return;
    e->out[0] = real ? ir_op1(e->b, OP_real, y[0]) : y[0];
    if (real)
        e->out[1] = ir_op1(e->b, OP_imag, y[0]);
    e->out[1 + real] = y[2];
    e->out[2 + real] = y[1];
    succeed(e, 3 + real);
}

/* ---- products of reflections ---- */

/* x [..., m, k] y [..., k, n] */
static ir_ref
product(ir_build *b, ir_ref x, ir_ref y)
{
    const int rank = x && y ? ir_btype(b, x)->rank : 0;
    int64_t batch[COT_MAX_RANK], row = rank - 2, column = rank - 1;

    if (rank < 2)
        return IR_NONE;
    for (int i = 0; i < rank - 2; i++)
        batch[i] = i;
    const ir_ints all = { rank - 2, batch };
    return ir_dot(b, x, y, (ir_ints){ 1, &column }, (ir_ints){ 1, &row }, all, all);
}

typedef enum triangle { BELOW, ABOVE, DIAGONAL } triangle;

/* x where the column is less than the row, more, or the same; elsewhere `other`. */
static ir_ref
part(ir_build *b, ir_ref x, triangle which, double other)
{
    static const ir_op compare[] = { OP_gt, OP_lt, OP_eq };
    const ir_type *t = x ? ir_btype(b, x) : NULL;

    if (!t)
        return IR_NONE;
    ir_ref row = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 2),
           column = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 1);
    ir_ref otherwise = ir_splat(b, t, other);
    return ir_select(b, ir_op2(b, compare[which], row, column), x, otherwise);
}

static const ir_type *
matrices(ir_build *b, const ir_type *like, int64_t m, int64_t n)
{
    int64_t dims[COT_MAX_RANK];

    memcpy(dims, like->dims, sizeof *dims * (size_t)like->rank);
    dims[like->rank - 2] = m;
    dims[like->rank - 1] = n;
    return ir_type_shaped(b->ctx, like, like->rank, dims);
}

static ir_ref
eye(ir_build *b, const ir_type *t)
{
    return part(b, ir_splat(b, t, 1), DIAGONAL, 0);
}

/* The last axis on the diagonal of square matrices. */
static ir_ref
on_diagonal(ir_build *b, ir_ref d)
{
    const ir_type *t = d ? ir_btype(b, d) : NULL;

    return t ? part(b, ir_broadcast_axis(b, d, t->rank - 1, t->dims[t->rank - 1]), DIAGONAL, 0)
             : IR_NONE;
}

/* The reflections of a QR factorisation from its Q and R. */
static void
factor_qr(hlo_emit *e)
{
    ir_build *b = e->b;
    const ir_type *t = fe_hlo_in_type(e, 0);
    ir_ref qr[2], v, tau;

    if (ir_add_node(b, OP_qr, 1, e->in, &(ir_attrs){ .qr = { 0 } }, qr) < 0 || fe_hlo_bad(e))
        return;
    const int64_t m = t->dims[t->rank - 2], n = t->dims[t->rank - 1], k = m < n ? m : n;
    const int last = t->rank - 1;
    ir_reflections(b, qr[0], &v, &tau);
    ir_ref r = qr[1];
    if (k < n) /* wide: Q is square, R has all columns */
        v = ir_concatenate(b, 2, (const ir_ref[]){ v, ir_zeros(b, matrices(b, t, m, n - k)) },
                           last);
    if (k < m)
        r = ir_concatenate(b, 2, (const ir_ref[]){ r, ir_zeros(b, matrices(b, t, m - k, n)) },
                           last - 1);
    e->out[0] = ir_add(b, v, r);
    e->out[1] = tau;
}

/* The product of the reflections is I - V T V^H, where (I + D striu(V^H V)) T = D = diag(tau);
 * false: they do not fit. */
static bool
reflections(hlo_emit *e, ir_ref *v, ir_ref *t)
{
    ir_build *b = e->b;
    const ir_type *vt = fe_hlo_in_type(e, 0), *tt = fe_hlo_in_type(e, 1);

    if (vt->rank < 2 || tt->rank != vt->rank - 1 ||
        tt->dims[tt->rank - 1] > vt->dims[vt->rank - 1]) {
        fe_hlo_fail(e, "operands are %s and %s", ir_type_str(b->ctx, vt),
                    ir_type_str(b->ctx, tt));
        return false;
    }
    ir_ref packed = ir_slice_axis(b, e->in[0], vt->rank - 1, 0, tt->dims[tt->rank - 1]);
    ir_ref ones = packed ? eye(b, ir_btype(b, packed)) : IR_NONE;
    *v = packed ? ir_add(b, part(b, packed, BELOW, 0), ones) : IR_NONE;
    ir_ref d = on_diagonal(b, e->in[1]),
           a = product(b, d, part(b, product(b, adjoint(b, *v), *v), ABOVE, 0));
    a = a ? ir_add(b, a, eye(b, ir_btype(b, a))) : IR_NONE;
    const ir_ref solve[2] = { a, d };
    *t = a ? ir_node1(b, OP_triangular_solve, 2, solve,
                      &(ir_attrs){ .triangle = { .upper = 1, .unit = 1 } })
           : IR_NONE;
    return *t != IR_NONE;
}

/* The first columns of the product of the reflections. */
static void
orgqr(hlo_emit *e)
{
    ir_build *b = e->b;
    ir_ref v, t;

    if (!reflections(e, &v, &t))
        return;
    ir_ref unit = eye(b, fe_hlo_in_type(e, 0));
    ir_ref down = product(b, v, product(b, t, product(b, adjoint(b, v), unit)));
    e->out[0] = down ? ir_sub(b, unit, down) : IR_NONE;
}

/* A matrix times their product Q, or Q^H, from the left or the right. */
static void
ormqr(hlo_emit *e)
{
    ir_build *b = e->b;
    const int left = option(e, "left", 1), transposed = option(e, "transpose", 0);
    ir_ref v, t, x = e->in[2];

    if (!reflections(e, &v, &t))
        return;
    const ir_type *vt = ir_btype(b, v), *xt = ir_btype(b, x);
    bool fits =
        xt->rank == vt->rank && xt->dims[xt->rank - (left ? 2 : 1)] == vt->dims[vt->rank - 2];
    for (int i = 0; i < vt->rank - 2 && fits; i++)
        fits = xt->dims[i] == vt->dims[i];
    if (!fits) {
        fe_hlo_fail(e, "operands are %s and %s", ir_type_str(b->ctx, vt),
                    ir_type_str(b->ctx, xt));
        return;
    }
    t = transposed ? adjoint(b, t) : t;
    ir_ref back = adjoint(b, v);
    ir_ref down = left ? product(b, v, product(b, t, product(b, back, x)))
                       : product(b, product(b, product(b, x, v), t), back);
    e->out[0] = down ? ir_sub(b, x, down) : IR_NONE;
}

/* ---- forms ---- */

/* T, Z; the eigenvalues, of a real matrix as real and imaginary parts; how many were sorted:
 * none. */
static void
gees(hlo_emit *e)
{
    const int real = !is_complex(e, 0);
    const ir_type *t = fe_hlo_in_type(e, 0);
    ir_ref y[4] = { e->in[0], e->in[0], IR_NONE, IR_NONE };

    if (e->n_out != 5 + real || t->rank < 2 || option(e, "sort", 'N') != 'N') {
        fe_hlo_fail(e, "has %d results of %s, which are sorted or not as many as gees has",
                    e->n_out, ir_type_str(e->b->ctx, t));
        return;
    }
    if (t->size > 0)
        ir_schur(e->b, e->in[0], y);
    for (int i = 0; i < 3 + real; i++)
        e->out[i] = i > 1 && t->size == 0 && fe_hlo_out_type(e, i)
                        ? ir_zeros(e->b, fe_hlo_out_type(e, i))
                        : y[i];
    succeed(e, 3 + real);
}

static void
gehrd(hlo_emit *e)
{
    const ir_type *t = fe_hlo_in_type(e, 0);
    const int64_t n = t->dims[t->rank - 1];

    if (t->rank < 2 || t->size == 0 || option(e, "low", 1) != 1 ||
        option(e, "high", (int)n) != n)
        fe_hlo_fail(e, "is of %s, rows %d to %d; wants all rows of matrices that are not empty",
                    ir_type_str(e->b->ctx, t), option(e, "low", 1), option(e, "high", (int)n));
    else
        ir_hessenberg(e->b, e->in[0], &e->out[0], &e->out[1]);
    succeed(e, 2);
}

/* A diagonal of square matrices, k below the main one, as vectors. */
static ir_ref
diagonal(ir_build *b, ir_ref x, int64_t k)
{
    const int rank = ir_btype(b, x)->rank;
    const int64_t n = ir_btype(b, x)->dims[rank - 1];
    ir_ref y = ir_slice_axis(b, ir_slice_axis(b, x, rank - 2, k, n), rank - 1, 0, n - k);

    y = y ? part(b, y, DIAGONAL, 0) : IR_NONE;
    return y ? ir_reduce(b, OP_reduce_sum, y, ir_axes_of(rank - 1)) : IR_NONE;
}

/* Of a symmetric matrix, of which the lower triangle is read and written: its form has three
 * diagonals, two of which are alike. */
static void
sytrd(hlo_emit *e)
{
    ir_build *b = e->b;
    const ir_type *t = fe_hlo_in_type(e, 0);
    ir_ref packed;

    if (t->rank < 2 || t->size == 0 || is_complex(e, 0) || option(e, "uplo", 'L') != 'L') {
        fe_hlo_fail(e, "is of %s; wants the lower triangles of matrices that are not empty",
                    ir_type_str(b->ctx, t));
        return;
    }
    ir_ref upper = part(b, flipped(b, e->in[0]), ABOVE, 0), lower = part(b, e->in[0], BELOW, 0);
    ir_ref right = part(b, e->in[0], DIAGONAL, 0);
    ir_hessenberg(b, ir_add(b, ir_add(b, lower, upper), right), &packed, &e->out[3]);
    if (!packed)
        return;
    ir_ref row = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 2),
           column = ir_iota(b, COT_I64, t->rank, t->dims, t->rank - 1);
    e->out[0] = ir_select(b, ir_op2(b, OP_lt, row, column), e->in[0], packed);
    for (int i = 0; i < 2; i++)
        e->out[1 + i] = diagonal(b, packed, i);
    succeed(e, 4);
}

/* QR with the columns in the order of the longest rests; the order counts from 1.  All columns
 * are free. */
static void
geqp3(hlo_emit *e)
{
    ir_build *b = e->b;
    const ir_ref *const in = e->in;
    ir_ref y, order;
    double fixed;

    if (fe_hlo_in_type(e, 0)->rank < 2 || fe_hlo_in_type(e, 0)->size == 0 ||
        !ir_is_splat(b, e->in[1], &fixed) || fixed != 0) {
        fe_hlo_fail(e, "wants matrices that are not empty, and zeros for the order");
        return;
    }
    ir_pivoted(b, e->in[0], &y, &order);
    if (!y || !order)
        return;
    e->out[1] = ir_add(b, order, ir_like(b, order, 1));
    ir_ref *const out = e->out, qr[2] = { IR_NONE, IR_NONE };
    e->in = &y;
    e->out = qr;
    factor_qr(e);
    e->in = in;
    e->out = out;
    e->out[0] = qr[0];
    e->out[2] = qr[1];
}

/* What is left of the diagonals is free. */
static void
gtsv(hlo_emit *e)
{
    fe_hlo_tridiagonal(e);
    for (int i = 0; i < 3; i++)
        e->out[i] = e->in[i];
    succeed(e, 4);
}

bool
fe_hlo_lapack(hlo_emit *e, hlo_span name)
{
    static const struct {
        const char *name; /* after "lapack_" and the letter of the type */
        void (*rule)(hlo_emit *);
        int n_in, n_out; /* n_out 0: the rule sees to it */
    } row[] = {
        { "potrf_ffi", potrf, 1, 2 }, { "trsm_ffi", trsm, 2, 1 },
        { "getrf_ffi", getrf, 1, 3 }, { "geqrf_ffi", factor_qr, 1, 2 },
        { "orgqr_ffi", orgqr, 2, 1 }, { "syevd_ffi", syevd, 1, 3 },
        { "gesdd_ffi", gesdd, 1, 5 }, { "gtsv_ffi", gtsv, 4, 5 },
        { "gesvd_ffi", gesdd, 1, 5 }, { "ungqr_ffi", orgqr, 2, 1 },
        { "ormqr_ffi", ormqr, 3, 1 }, { "unmqr_ffi", ormqr, 3, 1 },
        { "heevd_ffi", syevd, 1, 3 }, { "geev_ffi", geev, 1, 0 },
        { "gees_ffi", gees, 1, 0 },   { "gehrd_ffi", gehrd, 1, 3 },
        { "sytrd_ffi", sytrd, 1, 5 }, { "geqp3_ffi", geqp3, 2, 3 },
    };

    if (name.n < 9 || memcmp(name.at, "lapack_", 7) != 0)
        return false;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        if (fe_hlo_is((hlo_span){ name.at + 8, name.n - 8 }, row[i].name) &&
            e->n_in == row[i].n_in && (e->n_out == row[i].n_out || row[i].n_out == 0)) {
            if (fe_hlo_in_type(e, 0)->rank < 1)
                fe_hlo_fail(e, "wants matrices");
            else
                row[i].rule(e);
            return true;
        }
    return false;
}
