/* First and second derivatives of functions of matrices, forward and reverse, against values of
 * 100 digits (linalg_derivatives.def, made by linalg_derivatives.py): ordinary matrices, tall
 * and wide, diagonal, the unit matrix, of one element, of close singular values, singular ones.
 *
 * A gradient may be off by what ULPS of the elements of x do to it, and by ULPS of itself. */
#include <math.h>

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

enum { MAX_ELEMENTS = 16, ULPS = 64 };

#define BODY(name, ...)                                                                        \
    static void name(cot_trace *t, const cot_value *in, cot_value *out, void *user)            \
    {                                                                                          \
        const cot_value x = in[0];                                                             \
        (void)user;                                                                            \
        __VA_ARGS__                                                                            \
    }

/* 1/2, 1/3, ... from number `first` on. */
static cot_value
weights(cot_trace *t, int64_t first, int64_t n)
{
    double w[64];

    for (int64_t k = 0; k < n; k++)
        w[k] = 1 / (double)(first + k + 2);
    return cot_constant(t, cot_f64(n), w);
}

/* The sum of y_k / (k + 2) over n results, one after the other. */
static cot_value
loss(cot_trace *t, int n, const cot_value *y)
{
    cot_value sum = cot_constant(t, cot_f64(), (const double[]){ 0 });
    int64_t at = 0;

    for (int i = 0; i < n; i++) {
        const cot_type type = cot_type_of(y[i]);
        const int64_t size = cot_type_count(&type);
        cot_value flat = cot_reshape(y[i], size);
        sum = cot_add(sum, cot_reduce_sum(cot_mul(flat, weights(t, at, size))));
        at += size;
    }
    return sum;
}

static cot_value
right(cot_trace *t, cot_value x)
{
    return weights(t, 0, cot_type_of(x).dims[0]);
}

#define LOSS(...)                                                                              \
    const cot_value y_[] = { __VA_ARGS__ };                                                    \
    out[0] = loss(t, (int)(sizeof y_ / sizeof *y_), y_);
BODY(cholesky, LOSS(cot_cholesky(x, .triangle = 1)))
BODY(lu, LOSS(cot_lu(x, NULL, NULL)))
BODY(qr, cot_value r; cot_value q = cot_qr(x, &r); LOSS(q, r))
BODY(eigh, cot_value v; cot_value w = cot_eigh(x, &v, .triangle = 1); LOSS(w, cot_mul(v, v)))
BODY(svd, cot_value s; cot_value v; cot_value u = cot_svd(x, &s, &v);
     const int64_t m = cot_type_of(x).dims[0]; const int64_t n = cot_type_of(x).dims[1];
     u = cot_slice(u, .start = COT_LIST(0, 0), .limit = COT_LIST(m, 1));
     v = cot_slice(v, .start = COT_LIST(0, 0), .limit = COT_LIST(1, n)); LOSS(s, cot_mul(u, v)))
BODY(solve, LOSS(cot_solve(x, right(t, x))))
BODY(triangular,
     LOSS(cot_triangular_solve(x, cot_reshape(right(t, x), cot_type_of(x).dims[0], 1))))
BODY(lstsq, LOSS(cot_lstsq(x, right(t, x))))
BODY(inverse, LOSS(cot_inv(x)))
BODY(pinv, LOSS(cot_pinv(x)))
BODY(determinant, LOSS(cot_det(x)))
BODY(logdet, cot_value y; (void)cot_slogdet(x, &y); LOSS(y))
BODY(expm, LOSS(cot_expm(x)))
BODY(cube, LOSS(cot_matrix_power(x, 3)))
BODY(inverse_square, LOSS(cot_matrix_power(x, -2)))
BODY(eigvals, LOSS(cot_reduce_sum(cot_real(cot_exp(cot_eigvals(x))))))
BODY(nuclear, LOSS(cot_matrix_norm(x, COT_NORM_NUC)))
BODY(spectral, LOSS(cot_matrix_norm(x, COT_NORM_2)))
BODY(cond, LOSS(cot_matrix_cond(x)))
BODY(lu_diagonal, LOSS(cot_reduce_prod(cot_diag(cot_lu(x, NULL, NULL), 0))))

BODY(schur, cot_value z; cot_value form = cot_schur(x, &z);
     LOSS(cot_square(form), cot_square(z)))

#define LIST(...)                                { __VA_ARGS__ }
#define ROW(name, m, n, x, g, h, more_g, more_h) { #name, name, m, n, x, g, h, more_g, more_h },
static const struct row {
    const char *name;
    cot_body *body;
    int m, n;
    double x[MAX_ELEMENTS], g[MAX_ELEMENTS], h[MAX_ELEMENTS], more_g, more_h;
} rows[] = {
#include "tests/unit/linalg_derivatives.def"
};

enum { ROWS = sizeof rows / sizeof *rows };

static void
run(cot_fn *f, int m, int n, const double *x, double *y, int64_t count)
{
    cot_array *a = cot_array_copy(ctx, cot_f64(m, n), x), *z;
    const cot_type type = cot_f64(m, n);
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, COT_TYPES(type), &(cot_compile_options){ .backend = "eval" },
                              &k) == COT_OK,
                  "%s", cot_error(ctx));
    z = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), 0));
    ck_assert_int_eq(cot_run(k, &z, (const cot_array *const[]){ a }), COT_OK);
    ck_assert_int_eq(cot_array_bytes(z), (size_t)count * sizeof *y);
    memcpy(y, cot_array_read(z), (size_t)count * sizeof *y);
    cot_array_free(a);
    cot_array_free(z);
    cot_kernel_free(k);
}

static void
compare(const struct row *r, const char *how, const double *got, const double *want,
        double more)
{
    for (int i = 0; i < r->m * r->n; i++)
        ck_assert_msg(fabs(got[i] - want[i]) <= ULPS * 0x1p-52 * more,
                      "%s of %d x %d, %s: element %d is %.17g, wants %.17g (%.3g)", r->name,
                      r->m, r->n, how, i, got[i], want[i], fabs(got[i] - want[i]) / more);
}

START_TEST(gradients)
{
    const struct row *r = &rows[_i];
    cot_fn *f = cot_fn_new(ctx, r->name, r->body, 1, 1, NULL);
    double y[MAX_ELEMENTS];

    run(cot_grad(f), r->m, r->n, r->x, y, r->m * r->n);
    compare(r, "reverse", y, r->g, r->more_g);
    run(cot_jacfwd(f), r->m, r->n, r->x, y, r->m * r->n);
    compare(r, "forward", y, r->g, r->more_g);
}
END_TEST

START_TEST(hessians)
{
    const struct row *r = &rows[_i];
    cot_fn *f = cot_fn_new(ctx, r->name, r->body, 1, 1, NULL);
    cot_fn *of[] = { cot_jacfwd(cot_jacrev(f)), cot_jacrev(cot_jacrev(f)),
                     cot_jacfwd(cot_jacfwd(f)) };
    static const char *const how[] = { "forward over reverse", "reverse over reverse",
                                       "forward over forward" };
    const int size = r->m * r->n;
    double y[MAX_ELEMENTS * MAX_ELEMENTS], z[MAX_ELEMENTS];

    for (int k = 0; k < 3; k++) {
        run(of[k], r->m, r->n, r->x, y, size * size);
        for (int i = 0; i < size; i++) {
            z[i] = 0;
            for (int j = 0; j < size; j++)
                z[i] += y[i * size + j] * ((5 * j + 2) % 7 - 3) / 2;
        }
        compare(r, how[k], z, r->h, r->more_h);
    }
}
END_TEST

static cot_value
f32s(cot_trace *t, int64_t m, int64_t n, const float *x)
{
    return cot_constant(t, n ? cot_f32(m, n) : cot_f32(m), x);
}

static const float left_f32[] = { 5.106744766235352f, 1.135137677192688f,  4.947308540344238f,
                                  5.774446487426758f, -3.973021984100342f, 3.270799398422241f },
                   cotangent[] = { 0.3455841839313507f,  0.8216181397438049f,
                                   0.3304370641708374f,  -1.3031572103500366f,
                                   0.9053558707237244f,  0.4463745653629303f,
                                   -0.5369532108306885f, 0.581118106842041f,
                                   0.3645724058151245f };

/* <c, z> of the z of least length with x z = b, as JAX's lstsq finds it. */
BODY(least_length, cot_value s; cot_value v; cot_value u = cot_svd(x, &s, &v);
     cot_value y = cot_div(cot_einsum("ji,jk->ik", COT_VALUES(u, f32s(t, 2, 3, left_f32))),
                           cot_reshape(s, 2, 1));
     out[0] = cot_reduce_sum(cot_mul(f32s(t, 3, 3, cotangent),
                                     cot_einsum("ji,jk->ik", COT_VALUES(v, y))));)

/* <c, z> with x z = b by the eigenvectors. */
BODY(by_vectors, cot_value v; cot_value w = cot_eigh(x, &v, .triangle = 1);
     cot_value y = cot_div(
         cot_einsum("ji,j->i",
                    COT_VALUES(v, f32s(t, 3, 0, (const float[]){ 5.125f, -3.5f, 2.25f }))),
         w);
     y = cot_einsum("ij,j->i", COT_VALUES(v, y));
     out[0] = cot_reduce_sum(cot_mul(f32s(t, 3, 0, (const float[]){ 0.75f, 1.25f, -0.5f }),
                                     y));)

/* Both solutions are smooth where values meet: what the vectors turn cancels.  In reverse
 * mode two cotangents of size a are subtracted, with errors of some ulps of a, and divided
 * by the gap of the values, so the bound is 4 ulps of a over the gap.  Gradients of 40
 * digits are those of -x^+ dx z and what it has outside of the rows of x, and of -x^-1 dx z. */
static const struct close {
    cot_body *body;
    int m, n;
    double size, gap;
    float x[9];
    double g[9];
} close_values[] = {
    { least_length,
      2,
      3,
      9.7,
      0.0013645,
      { -0.1360040158033371f, 0.9592933058738708f, 0.24492883682250977f, 0.5057922601699829f,
        -0.14447709918022156f, 0.8508121967315674f },
      { 7.2221862671652022, 3.0144641566526700, 8.3089560589170231, 1.0469685415875178,
        -2.8081881191900552, 1.5750411112670632 } },
    { by_vectors,
      3,
      3,
      7,
      0.0040247,
      { 1.25f, 0x1p-9f, 0x1p-10f, 0x1p-9f, 1.2490234375f, 0x1p-9f, 0x1p-10f, 0x1p-9f, 3 },
      { -2.45640655166071, 0, 0, -2.4224014415132, 2.8100829023160962, 0, 0.23821748307200179,
        -1.2212479407680121, 0.12571712113676144 } },
};

START_TEST(close_values_in_f32)
{
    const struct close *r = &close_values[_i / 2];
    cot_fn *f = cot_fn_new(ctx, "f", r->body, 1, 1, NULL),
           *d = _i % 2 ? cot_jacfwd(f) : cot_grad(f);
    const cot_type type = cot_f32(r->m, r->n);
    cot_array *x = cot_array_copy(ctx, type, r->x), *y = NULL;
    const double bound = 4 * 0x1p-24 * r->size / r->gap;

    ck_assert_msg(cot_jit(d, &y, 1, (const cot_array *const[]){ x }, 1) == COT_OK, "%s",
                  cot_error(ctx));
    for (int i = 0; i < r->m * r->n; i++) {
        const double got = (double)((const float *)cot_array_read(y))[i];
        ck_assert_msg(fabs(got - r->g[i]) <= bound,
                      "%s: element %d is %.9g, wants %.9g within %.3g",
                      _i % 2 ? "forward" : "reverse", i, got, r->g[i], bound);
    }
    cot_array_free(x);
    cot_array_free(y);
}
END_TEST

/* A matrix without elements has a gradient without elements. */
START_TEST(empty)
{
    cot_body *const body[] = { cholesky, lu,          qr,     eigh, solve, triangular,
                               inverse,  determinant, logdet, expm, cube,  pinv };
    double none[1];

    run(cot_grad(cot_fn_new(ctx, "f", body[_i], 1, 1, NULL)), 0, 0, none, none, 0);
    run(cot_jacfwd(cot_fn_new(ctx, "f", body[_i], 1, 1, NULL)), 0, 0, none, none, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(gradients, ROWS),
        EACH(hessians, ROWS),
        EACH(empty, 12),
        EACH(close_values_in_f32, 4),
    };

    return SUITE("linalg_derivatives", cases);
}
