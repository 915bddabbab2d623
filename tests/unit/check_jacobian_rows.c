/* Rows of the feature list about linearize, Jacobians and Hessians that want bodies, kernels or
 * many functions: `ctest -R B136` runs one. */
#include "traced.h"

/* Bodies are rows of one line, since messages name their lines. */
#define SUM(x, ...)  cot_reduce_sum(x, .axes = COT_LIST(__VA_ARGS__))
#define CALL_USER(x) cot_call(*(cot_fn **)user, x)
#define ROLL(y)      cot_roll(y, 1, 0)

/* clang-format off */
#line 1 "model.c"
BODY(cubes,    out[0] = cot_mul(cot_mul(in[0], in[0]), in[0]);)
BODY(sines,    out[0] = cot_sin(in[0]);)
BODY(sum3,     out[0] = cot_reduce_sum(cot_mul(in[0], 3), .axes = COT_LIST(0));)
BODY(affine,   out[0] = cot_add(cot_mul(in[0], in[2]), in[1]); out[1] = cot_mul(in[0], in[0]);)
BODY(pair,     out[0] = cot_mul(in[0], in[1]); out[1] = SUM(in[0], 0);)
BODY(counted,  out[0] = cot_mul(cot_mul(in[0], in[0]), cot_convert(in[1], COT_F64));)
BODY(trace2,   cot_value j = CALL_USER(in[0]); out[0] = SUM(cot_mul(j, j), 0, 1);)
BODY(mixed,    out[0] = cot_mul(in[0], in[0]); out[1] = cot_add(in[1], 1);)
BODY(waves,    cot_value y = cot_sin(in[0]); out[0] = cot_add(cot_mul(y, ROLL(y)), SUM(y, 0));)
#line 21 "check_jacobian_rows.c"
/* clang-format on */

#define MAIN(line) ((cot_place){ "main.c", line })
#define WRT(...)   &(const cot_wrt_options){ __VA_ARGS__ }, sizeof(cot_wrt_options)
#define IN(...)    ((const double[]){ __VA_ARGS__ })
#define TYPES(...) COT_TYPES(__VA_ARGS__)
#define BODY_OF(f, n_in, n_out) cot_fn_new(ctx, #f, f, n_in, n_out, NULL)

enum { MAX_ARRAYS = 8, LARGEST = 4096 };

/* The results of f at arrays of f64, one after another in y; their shapes as text. */
static const cot_graph *
at(cot_fn *f, cot_types types, const double *in, double y[MAX_ARRAYS][LARGEST])
{
    const cot_graph *g;
    const void *x[MAX_ARRAYS];
    double *out[MAX_ARRAYS];

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < types.n; i++) {
        x[i] = in;
        in += cot_type_count(&types.at[i]);
    }
    for (int j = 0; j < MAX_ARRAYS; j++)
        out[j] = y[j];
    ck_assert_msg(ir_eval(g, (void *const *)out, x) == COT_OK, "%s", cot_error(ctx));
    return g;
}

static void
gives(cot_fn *f, cot_types types, const double *in, int n_out, const double *want)
{
    static double y[MAX_ARRAYS][LARGEST];
    const cot_graph *g = at(f, types, in, y);

    ck_assert_int_eq(cot_graph_n_out(g), n_out);
    for (int j = 0; j < n_out; j++) {
        const cot_type t = cot_graph_out_type(g, j);

        for (int64_t i = 0; i < cot_type_count(&t); i++, want++)
            ck_assert_msg(fabs(y[j][i] - *want) <= 1e-13 * fmax(1, fabs(*want)),
                          "%s: result %d [%d] is %.17g, wants %.17g", cot_fn_name(f), j, (int)i,
                          y[j][i], *want);
    }
}

static void
shaped(cot_fn *f, cot_types types, int j, cot_type want)
{
    const cot_graph *g;

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    const cot_type got = cot_graph_out_type(g, j);
    ck_assert_int_eq(got.rank, want.rank);
    for (int k = 0; k < want.rank; k++)
        ck_assert_int_eq(cot_type_size(&got, k), cot_type_size(&want, k));
}

/* ---- linearize, and pullbacks that are called later ---- */

/* fwd on x, then the other half three times along its three directions. */
static void
three_times(cot_fn *fwd, cot_fn *half, const double *x, const double *want)
{
    static double y[MAX_ARRAYS][LARGEST];
    const cot_graph *g = at(fwd, TYPES(cot_f64(2)), x, y);
    cot_type type[MAX_ARRAYS];
    double in[64];
    int n = 0, k = 0;

    for (int j = 1; j < cot_graph_n_out(g); j++) {
        type[k] = cot_graph_out_type(g, j);
        memcpy(in + n, y[j], sizeof *in * (size_t)cot_type_count(&type[k]));
        n += (int)cot_type_count(&type[k++]);
    }
    type[k++] = cot_f64(2);
    for (int call = 0; call < 3; call++) {
        in[n] = call == 0, in[n + 1] = call == 1 ? 1 : 2 * call;
        gives(half, (cot_types){ .n = k, .at = type }, in, 1,
              IN(want[0] * in[n], want[1] * in[n + 1]));
    }
}

START_TEST(b108)
{
    cot_fn *fwd, *bwd;

    cot_vjp_halves(BODY_OF(cubes, 1, 1), &fwd, &bwd);
    three_times(fwd, bwd, IN(2, 3), IN(12, 27));
}
END_TEST

START_TEST(b128)
{
    cot_fn *fwd, *lin;
    const cot_graph *g;
    cot_type type[MAX_ARRAYS];
    int k = 0;
    char want[256];

    cot_linearize_halves_(MAIN(9), BODY_OF(cubes, 1, 1), &fwd, &lin, WRT(.aux = 0));
    three_times(fwd, lin, IN(2, 3), IN(12, 27));
    ck_assert_int_eq(cot_trace_fn(fwd, TYPES(cot_f64(2)), &g), COT_OK);
    for (int j = 1; j < cot_graph_n_out(g); j++)
        type[k++] = cot_graph_out_type(g, j);
    type[k++] = cot_f64(3);
    snprintf(
        want, sizeof want,
        "main.c:9: lin(cubes): argument %d, the tangent of argument 0 of cubes, is f64[3]; "
        "wants f64[2]",
        k - 1);
    traced_fails(lin, (cot_types){ .n = k, .at = type }, COT_ERR_SHAPE, want);
    type[k - 1] = cot_f32(2);
    snprintf(
        want, sizeof want,
        "main.c:9: lin(cubes): argument %d, the tangent of argument 0 of cubes, is f32[2]; "
        "wants f64[2]",
        k - 1);
    traced_fails(lin, (cot_types){ .n = k, .at = type }, COT_ERR_DTYPE, want);
}
END_TEST

START_TEST(b130)
{
    /* the gradient of a linear function is constant: its tangent is zero, and of its type */
    gives(cot_linearize(cot_grad(BODY_OF(sum3, 1, 1))), TYPES(cot_f64(2), cot_f64(2)),
          IN(1, 2, 5, 7), 2, IN(3, 3, 0, 0));
    gives(cot_hessian(BODY_OF(sum3, 1, 1)), TYPES(cot_f64(2)), IN(1, 2), 1, IN(0, 0, 0, 0));
}
END_TEST

/* ---- layout ---- */

START_TEST(b131)
{
    /* results outside, arguments inside; shape of the result, then of the argument */
    cot_fn *f = BODY_OF(pair, 2, 2);
    const cot_types types = TYPES(cot_f64(2), cot_f64(2));
    const double *want = IN(5, 0, 0, 7, 2, 0, 0, 3, 1, 1, 0, 0);

    gives(cot_jacrev(f, .wrt = COT_LIST(0, 1)), types, IN(2, 3, 5, 7), 4, want);
    gives(cot_jacfwd(f, .wrt = COT_LIST(0, 1)), types, IN(2, 3, 5, 7), 4, want);
    gives(cot_jacrev(f, .wrt = COT_LIST(1)), types, IN(2, 3, 5, 7), 2,
          IN(2, 0, 0, 3, 0, 0));
}
END_TEST

START_TEST(b132)
{
    /* a struct {weight, bias} in, two results out */
    cot_tree *tree = cot_tree_new(ctx, "layer{weight, bias}, x", 3 * sizeof(cot_value));
    cot_fn *f = cot_fn_named(BODY_OF(affine, 3, 2), "layer{weight, bias}, x", "y, w2");
    int n, first = cot_tree_find(tree, "layer", &n);

    ck_assert(first == 0 && n == 2);
    gives(cot_jacrev(f, .wrt = COT_LIST(first, first + 1)),
          TYPES(cot_f64(), cot_f64(), cot_f64()), IN(2, 3, 5), 4, IN(5, 1, 4, 0));
    gives(cot_jacfwd(f, .wrt = COT_LIST(first, first + 1)),
          TYPES(cot_f64(), cot_f64(), cot_f64()), IN(2, 3, 5), 4, IN(5, 1, 4, 0));
}
END_TEST

START_TEST(b133)
{
    shaped(cot_jacrev(BODY_OF(cubes, 1, 1)), TYPES(cot_f64(2, 3)), 0, cot_f64(2, 3, 2, 3));
    shaped(cot_jacfwd(BODY_OF(cubes, 1, 1)), TYPES(cot_f64(2, 3)), 0, cot_f64(2, 3, 2, 3));
    shaped(cot_jacrev(BODY_OF(sum3, 1, 1)), TYPES(cot_f64(2, 3)), 0, cot_f64(3, 2, 3));
    shaped(cot_jacfwd(BODY_OF(cubes, 1, 1)), TYPES(cot_f64()), 0, cot_f64());
}
END_TEST

START_TEST(b134)
{
    /* nothing in, nothing out, and one of the two */
    shaped(cot_jacrev(BODY_OF(cubes, 1, 1)), TYPES(cot_f64(0)), 0, cot_f64(0, 0));
    shaped(cot_jacfwd(BODY_OF(cubes, 1, 1)), TYPES(cot_f64(0, 3)), 0, cot_f64(0, 3, 0, 3));
    shaped(cot_jacrev(BODY_OF(sum3, 1, 1)), TYPES(cot_f64(0)), 0, cot_f64(0));
    shaped(cot_jacfwd(BODY_OF(sum3, 1, 1)), TYPES(cot_f64(2, 0)), 0, cot_f64(0, 2, 0));
    shaped(cot_hessian(BODY_OF(cubes, 1, 1)), TYPES(cot_f64(0)), 0, cot_f64(0, 0, 0));
}
END_TEST

/* ---- chunks ---- */

START_TEST(b135)
{
    static const int64_t chunks[] = { 1, 2, 3, 5, 7 };
    const double *want = IN(3, 0, 0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 27, 0, 0, 0, 0, 0, 48, 0, 0, 0,
                            0, 0, 75);

    for (int i = 0; i < 5; i++) {
        gives(cot_jacrev(BODY_OF(cubes, 1, 1), .chunk = chunks[i]), TYPES(cot_f64(5)),
              IN(1, 2, 3, 4, 5), 1, want);
        gives(cot_jacfwd(BODY_OF(cubes, 1, 1), .chunk = chunks[i]), TYPES(cot_f64(5)),
              IN(1, 2, 3, 4, 5), 1, want);
    }
    traced_fails(cot_jacrev_(MAIN(9), BODY_OF(cubes, 1, 1), WRT(.chunk = -1)),
                 TYPES(cot_f64(5)), COT_ERR_ARG,
                 "main.c:9: jacrev: chunk is -1; wants 1 or more");
}
END_TEST

static size_t
work_bytes(cot_fn *f, cot_types types)
{
    cot_kernel *k;

    ck_assert_msg(cot_compile(f, types, NULL, &k) == COT_OK, "%s", cot_error(ctx));
    const size_t bytes = cot_kernel_work_bytes(k);
    cot_kernel_free(k);
    return bytes;
}

/* A chunk of rows or columns is written where it belongs, the last and shorter one, too: a
 * compiled Jacobian wants room for a chunk beside its results, not for the matrix again. */
START_TEST(b136)
{
    enum { N = 512, ROOM = N * N * 8 / 8 };
    static const int64_t chunks[] = { 1, 8, 24 };
    cot_fn *f = BODY_OF(waves, 1, 1);

    for (int i = 0; i < 3; i++) {
        const size_t rows = work_bytes(cot_jacrev(f, .chunk = chunks[i]), TYPES(cot_f64(N))),
                     columns = work_bytes(cot_jacfwd(f, .chunk = chunks[i]), TYPES(cot_f64(N)));

        ck_assert_msg(rows < ROOM && columns < ROOM, "chunks of %d want %zu and %zu bytes",
                      (int)chunks[i], rows, columns);
    }
}
END_TEST

/* ---- compositions ---- */

START_TEST(b138)
{
    /* by rows and by columns, for functions of every kind above */
    static double a[MAX_ARRAYS][LARGEST], b[MAX_ARRAYS][LARGEST];
    static const struct {
        cot_body *body;
        int n_in, n_out;
    } f[] = {
        { cubes, 1, 1 }, { sines, 1, 1 }, { sum3, 1, 1 }, { affine, 3, 2 }, { pair, 2, 2 }
    };

    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        cot_fn *g = cot_fn_new(ctx, "f", f[i].body, f[i].n_in, f[i].n_out, NULL);
        const cot_type type[] = { cot_f64(3), cot_f64(3), cot_f64(3) };
        const cot_types types = { .n = f[i].n_in, .at = type };
        const double *x = IN(1, -2, 0.5, 3, 2, 1, 0.25, -1, 4);
        const cot_graph *one = at(cot_jacrev(g), types, x, a);

        at(cot_jacfwd(g), types, x, b);
        for (int j = 0; j < cot_graph_n_out(one); j++) {
            const cot_type t = cot_graph_out_type(one, j);

            for (int64_t k = 0; k < cot_type_count(&t); k++)
                ck_assert_msg(fabs(a[j][k] - b[j][k]) <= 1e-14, "function %d", (int)i);
        }
    }
}
END_TEST

START_TEST(b139)
{
    /* [B, out, in] and [B, out, B, in], which is zero off the blocks */
    static double a[MAX_ARRAYS][LARGEST], b[MAX_ARRAYS][LARGEST];
    cot_fn *f = BODY_OF(cubes, 1, 1);
    const cot_types types = TYPES(cot_f64(3, 2));

    shaped(cot_vmap(cot_jacrev(f)), types, 0, cot_f64(3, 2, 2));
    shaped(cot_jacrev(cot_vmap(f)), types, 0, cot_f64(3, 2, 3, 2));
    at(cot_vmap(cot_jacrev(f)), types, IN(1, 2, 3, 4, 5, 6), a);
    at(cot_jacrev(cot_vmap(f)), types, IN(1, 2, 3, 4, 5, 6), b);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 2; i++)
            for (int q = 0; q < 3; q++)
                for (int k = 0; k < 2; k++)
                    ck_assert(b[0][((p * 2 + i) * 3 + q) * 2 + k] ==
                              (p == q ? a[0][(p * 2 + i) * 2 + k] : 0));
}
END_TEST

START_TEST(b140)
{
    cot_fn *f = BODY_OF(sines, 1, 1);
    const double *x = IN(0.5, -1), *want = IN(-sin(0.5), 0, 0, 0, 0, 0, 0, sin(1));
    const cot_types types = TYPES(cot_f64(2));

    gives(cot_jacrev(cot_jacrev(f)), types, x, 1, want);
    gives(cot_jacfwd(cot_jacfwd(f)), types, x, 1, want);
    gives(cot_jacfwd(cot_jacrev(f)), types, x, 1, want);
    gives(cot_jacrev(cot_jacfwd(f)), types, x, 1, want);
    gives(cot_hessian(f), types, x, 1, want);
}
END_TEST

START_TEST(b142)
{
    /* x y by (x, y): blocks xx, xy, yx, yy of the first result, then of the second */
    gives(cot_hessian(BODY_OF(pair, 2, 2), .wrt = COT_LIST(0, 1)),
          TYPES(cot_f64(1), cot_f64(1)), IN(2, 3), 8, IN(0, 1, 1, 0, 0, 0, 0, 0));
}
END_TEST

START_TEST(b143)
{
    const cot_graph *g;
    cot_fn *f = cot_hessian(BODY_OF(counted, 2, 1));
    const double x = 3;
    const int32_t k = 5;
    double h;

    ck_assert_msg(cot_trace_fn(f, TYPES(cot_f64(), cot_i32()), &g) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(ir_eval(g, (void *[]){ &h }, (const void *[]){ &x, &k }), COT_OK);
    ck_assert(h == 10);
    traced_fails(cot_hessian_(MAIN(9), cot_fn_named(BODY_OF(mixed, 2, 2), "x, k", "y, n"),
                              WRT(.aux = 0)),
                 TYPES(cot_f64(), cot_i32()), COT_ERR_DTYPE,
                 "model.c:8: jacrev: output 1 (n) of mixed is i32[]; wants a floating type");
}
END_TEST

START_TEST(b144)
{
    /* d/dx of the squares of the Jacobian diag(3 x^2): 36 x^3, by either mode inside */
    cot_fn *fwd = cot_jacfwd(BODY_OF(cubes, 1, 1)), *rev = cot_jacrev(BODY_OF(cubes, 1, 1));
    const cot_types types = TYPES(cot_f64(2));

    gives(cot_grad(cot_fn_new(ctx, "trace2", trace2, 1, 1, &fwd)), types, IN(1, 2), 1,
          IN(36, 288));
    gives(cot_grad(cot_fn_new(ctx, "trace2", trace2, 1, 1, &rev)), types, IN(1, 2), 1,
          IN(36, 288));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "B108", b108, 1 },
        { "B128", b128, 1 },
        { "B130", b130, 1 },
        { "B131", b131, 1 },
        { "B132", b132, 1 },
        { "B133", b133, 1 },
        { "B134", b134, 1 },
        { "B135", b135, 1 },
        { "B136", b136, 1 },
        { "B138", b138, 1 },
        { "B139", b139, 1 },
        { "B140", b140, 1 },
        { "B142", b142, 1 },
        { "B143", b143, 1 },
        { "B144", b144, 1 },
    };

    return SUITE("jacobian_rows", cases);
}
