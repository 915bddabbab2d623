/* A matrix alone and as one of a batch: the same bits, by every factorisation and function of a
 * matrix, type, number of rows and number of matrices.  The batch holds a matrix that needs no
 * sweeps, so that those of the others go on without it. */
#include "cotrace/cotrace.h"
#include "ir/type.h"
#include "tests/unit/suite.h"

enum { MAX_ARRAYS = 4 };

#define BODY(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)            \
    {                                                                                          \
        (void)t, (void)user;                                                                   \
        __VA_ARGS__                                                                            \
    }

/* x x^H. */
static cot_value
positive(cot_value x)
{
    cot_value y = ir_is_complex(cot_dtype_of(x)) ? cot_conj(x) : x;
    return cot_einsum("...ij,...kj->...ik", COT_VALUES(x, y));
}

BODY(cholesky, out[0] = cot_cholesky(positive(in[0]));)
BODY(lu, out[0] = cot_lu(in[0], &out[1], &out[2]);)
BODY(qr, out[0] = cot_qr(in[0], &out[1]);)
BODY(eigh, out[0] = cot_eigh(in[0], &out[1]);)
BODY(eig, out[0] = cot_eig(in[0], &out[1], &out[2]);)
BODY(schur, out[0] = cot_schur(in[0], &out[1]);)
BODY(svd, out[0] = cot_svd(in[0], &out[1], &out[2]);)
BODY(solve, out[0] = cot_solve(in[0], cot_add(in[0], 1));)
BODY(inverse, out[0] = cot_inv(in[0]);)
BODY(det, out[0] = cot_det(in[0]);)
BODY(expm, out[0] = cot_expm(in[0]);)
BODY(pinv, out[0] = cot_pinv(in[0]);)
BODY(slogdet, out[0] = cot_slogdet(in[0], &out[1]);)
BODY(power, out[0] = cot_matrix_power(in[0], 5);)
BODY(lstsq, out[0] = cot_lstsq(in[0], cot_add(in[0], 1));)
BODY(norms, out[0] = cot_matrix_norm(in[0], COT_NORM_NUC);
     out[1] = cot_matrix_norm(in[0], COT_NORM_2);)

static const struct row {
    const char *name;
    cot_body *body;
    int n_out;
} rows[] = {
    { "cholesky", cholesky, 1 }, { "lu", lu, 3 },       { "qr", qr, 2 },
    { "eigh", eigh, 2 },         { "eig", eig, 3 },     { "schur", schur, 2 },
    { "svd", svd, 3 },           { "solve", solve, 1 }, { "inverse", inverse, 1 },
    { "det", det, 1 },           { "expm", expm, 1 },   { "pinv", pinv, 1 },
    { "slogdet", slogdet, 2 },   { "power", power, 1 }, { "lstsq", lstsq, 1 },
    { "norms", norms, 2 },
};

static const cot_dtype types[] = { COT_F32, COT_F64, COT_C64, COT_C128 };
static const int sizes[] = { 1, 2, 3, 5, 6, 7, 10, 11 }, batches[] = { 1, 2, 3, 33 };

static cot_type
of(cot_type t, cot_dtype dtype)
{
    t.dtype = dtype;
    return t;
}

/* Random matrices, but for the second, which is diagonal. */
static cot_array *
matrices(cot_dtype dtype, int n, int batch)
{
    const int parts = ir_is_complex(dtype) ? 2 : 1;
    cot_array *x = cot_array_new(ctx, of(cot_f64(batch, n, n), dtype));
    void *data = cot_array_data(x);
    uint64_t seed = (uint64_t)n;

    for (int i = 0; i < batch * n * n * parts; i++) {
        const int e = i / parts, row = e / n % n, col = e % n;
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double v = (double)(seed >> 40) / (1 << 23) - 1;
        if (e / (n * n) == 1)
            v = row == col && i % parts == 0 ? n - row : 0;
        if (ir_part_type(dtype) == COT_F32)
            ((float *)data)[i] = (float)v;
        else
            ((double *)data)[i] = v;
    }
    return x;
}

static cot_kernel *
compiled(cot_fn *f, cot_type type)
{
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, (cot_types){ .n = 1, .at = &type },
                              &(cot_compile_options){ .backend = "eval" }, &k) == COT_OK,
                  "%s", cot_error(ctx));
    return k;
}

static void
run(cot_kernel *k, int n_out, const cot_array *x, cot_array **y)
{
    for (int i = 0; i < n_out; i++)
        y[i] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), i));
    ck_assert_int_eq(cot_run(k, y, (const cot_array *const[]){ x }), COT_OK);
}

static void
compare(const struct row *r, cot_dtype dtype, int n, int batch)
{
    cot_array *x = matrices(dtype, n, batch), *y[MAX_ARRAYS], *z[MAX_ARRAYS];
    const size_t size = cot_array_bytes(x) / (size_t)batch;
    const cot_type type = of(cot_f64(n, n), dtype);
    cot_fn *f = cot_fn_new(ctx, r->name, r->body, 1, r->n_out, NULL);
    cot_kernel *all = compiled(f, cot_array_type(x)), *alone = compiled(f, type);

    run(all, r->n_out, x, y);
    for (int k = 0; k < batch; k++) {
        cot_array *one =
            cot_array_copy(ctx, type, (char *)cot_array_data(x) + (size_t)k * size);
        run(alone, r->n_out, one, z);
        for (int i = 0; i < r->n_out; i++) {
            const size_t part = cot_array_bytes(z[i]);
            ck_assert_msg(
                memcmp(cot_array_data(z[i]), (char *)cot_array_data(y[i]) + (size_t)k * part,
                       part) == 0,
                "%s of %s, %d rows: result %d of matrix %d of %d is not what it is alone",
                r->name, cot_dtype_name(dtype), n, i, k, batch);
            cot_array_free(z[i]);
        }
        cot_array_free(one);
    }
    for (int i = 0; i < r->n_out; i++)
        cot_array_free(y[i]);
    cot_array_free(x);
    cot_kernel_free(all);
    cot_kernel_free(alone);
}

START_TEST(alone_and_in_a_batch)
{
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
            if (batches[i] <= 3 || sizes[k] == 5 || sizes[k] == 11)
                compare(&rows[_i / 4], types[_i % 4], sizes[k], batches[i]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(alone_and_in_a_batch, 4 * (int)(sizeof rows / sizeof *rows)),
    };

    return SUITE("linalg_batch", cases);
}
