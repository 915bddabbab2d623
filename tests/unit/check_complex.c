/* Complex numbers: values at cuts and infinities, derivatives by torch's convention, every
 * place where an array of them goes in or out, and what refuses them. */
#include <complex.h>
#undef complex
#undef I
#include <float.h>
#include <unistd.h>

#include "both.h"
#include "complex_points.h"

#include "passes/complex/pair.h"
#include "passes/rules.h"

#define C128(...) F64(__VA_ARGS__)

/* ---- values ---- */

/* The function of one argument in text, at all points of its op, by an engine. */
static void
run_points(const char *op, const char *backend, int n, const double *z, double *w)
{
    char text[200];
    const cot_graph *f;
    cot_kernel *k;

    snprintf(text, sizeof text,
             "fn @f(%%z: c128[%d]) -> c128[%d] {\n  %%0 = %s %%z : c128[%d]\n  ret %%0\n}\n", n,
             n, op, n);
    ck_assert_msg(cot_parse(ctx, "t.cot", text, strlen(text), NULL, &f) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_msg(cot_compile_graph(f, &(cot_compile_options){ .backend = backend }, &k) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    cot_array *in = cot_array_borrow(ctx, cot_c128(n), (void *)z),
              *out = cot_array_borrow(ctx, cot_c128(n), w);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *const *)&in), COT_OK);
    cot_array_free(in), cot_array_free(out);
    cot_kernel_free(k);
}

/* A part is right to 8 ulp of the whole; a zero has its sign. */
static bool
part_is(double got, double want, double size)
{
    if (want == 0 || isinf(want))
        return got == want && (want != 0 || signbit(got) == signbit(want));
    return fabs(got - want) <= 8 * 0x1p-52 * size;
}

enum { POINTS = sizeof points / sizeof *points, PER_OP = 20 };

START_TEST(values_are_those_of_c99)
{
    double z[2 * PER_OP], eval[2 * PER_OP], jit[2 * PER_OP];

    for (int from = 0, to; from < POINTS; from = to) {
        const char *op = points[from].op;
        for (to = from; to < POINTS && strcmp(points[to].op, op) == 0; to++) {
            z[2 * (to - from)] = points[to].x;
            z[2 * (to - from) + 1] = points[to].y;
        }
        run_points(op, "eval", to - from, z, eval);
        run_points(op, COT_PLANS ? "jit" : "eval", to - from, z, jit);
        ck_assert_msg(memcmp(eval, jit, 16 * (size_t)(to - from)) == 0,
                      "%s: the engines differ", op);
        for (int i = from; i < to; i++) {
            const double *w = eval + 2 * (i - from);
            double size = hypot(points[i].re, points[i].im);
            ck_assert_msg(part_is(w[0], points[i].re, size) &&
                              part_is(w[1], points[i].im, size),
                          "%s(%g, %g) is (%.17g, %.17g), wants (%.17g, %.17g)", op, points[i].x,
                          points[i].y, w[0], w[1], points[i].re, points[i].im);
        }
    }
}
END_TEST

/* Where |z| passes the range: x / |z|^2 does not, and is judged beside itself. */
START_TEST(the_small_part_of_atan_at_the_greatest_numbers)
{
    static const double z[] = { 1.7e308, 1.2e308, -1e308,
                                1.5e308, 1.2e308, -0x1.fffffffffffffp1023 };
    static const double im[] = { 2.77136258660508e-309, 4.615384615384614e-309,
                                 -3.848048678715057e-309 };
    static const double re[] = { 3.926096997690533e-309, -3.076923076923076e-309,
                                 2.568657756381616e-309 };
    double w[6];

    for (int i = 0; i < 2; i++) {
        const char *backend = i && COT_PLANS ? "jit" : "eval";
        run_points("atan", backend, 3, z, w);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(w[2 * k + 1], im[k], 2 * DBL_TRUE_MIN);
        run_points("atanh", backend, 3, z, w);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq_tol(w[2 * k], re[k], 2 * DBL_TRUE_MIN);
    }
}
END_TEST

BODY(arithmetic, out[0] = cot_add(cot_mul(in[0], in[1]), cot_div(in[0], in[1]));
     out[1] = cot_abs(in[0]); out[2] = cot_pow(in[0], 3); out[3] = cot_angle(in[1]);
     out[4] = cot_conj(in[0]);)

START_TEST(arithmetic_is_that_of_pairs)
{
    GIVES(fn("f", arithmetic, 2, 5), COT_TYPES(cot_c128(), cot_c128()),
          IN(C128(3, 4), C128(0, 2)), -8 + 2, 6 - 1.5, 5, 27 - 3 * 3 * 16, 3 * 9 * 4 - 64,
          acos(-1) / 2, 3, -4);
}
END_TEST

BODY(quotients, out[0] = cot_div(in[0], in[1]);)

/* Annex G: over 0, over infinities, and what would overflow on the way. */
START_TEST(quotients_at_the_edge)
{
    const double x[] = { 1, 2, 1, 2, 1e300, 1e300, 0, 0 },
                 y[] = { 0, 0, INFINITY, 1, 1e300, 1e300, 0, 0 };
    double got[8];

    ck_assert_int_eq(
        results(fn("f", quotients, 2, 1), COT_TYPES(cot_c128(4), cot_c128(4)), IN(x, y), got),
        8);
    ck_assert(isinf(got[0]) && isinf(got[1]));
    ck_assert(got[2] == 0 && got[3] == 0);
    ck_assert(got[4] == 1 && got[5] == 0);
    ck_assert(isnan(got[6]) && isnan(got[7]));
}
END_TEST

BODY(no_contraction, out[0] = cot_imag(cot_mul(in[0], cot_conj(in[0])));)

START_TEST(a_number_times_its_conjugate_is_real)
{
    GIVES(fn("f", no_contraction, 1, 1), COT_TYPES(cot_c128(2)), IN(C128(0.1, 0.3, 1.7, -2.9)),
          0, 0);
}
END_TEST

BODY(powers, out[0] = cot_pow(in[0], in[1]);)

/* Of 0 to 0, i, 2 + i, -1. */
START_TEST(powers_of_zero)
{
    const double x[8] = { 0 }, y[] = { 0, 0, 0, 1, 2, 1, -1, 0 };
    double got[8];

    ck_assert_int_eq(
        results(fn("f", powers, 2, 1), COT_TYPES(cot_c128(4), cot_c128(4)), IN(x, y), got), 8);
    ck_assert(got[0] == 1 && got[1] == 0);
    ck_assert(isnan(got[2]) && isnan(got[3]));
    ck_assert(got[4] == 0 && got[5] == 0);
    ck_assert(isinf(got[6]));
}
END_TEST

enum { ROWS = 3, LONG = 300 };

BODY(gram, out[0] = cot_matmul(in[0], cot_conj(in[1]));
     out[1] = cot_dot(cot_conj(in[2]), in[2]);)

/* x x^H, beyond a block of products, is Hermitian to the bit, and its diagonal and a vector's
 * square are real: what a factorisation stands on, and what one chain of fma through both parts
 * would not give. */
START_TEST(a_matrix_times_its_adjoint_is_hermitian)
{
    static double x[2 * ROWS * LONG], y[2 * ROWS * LONG], got[2 * ROWS * ROWS + 2];

    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < LONG; k++)
            for (int p = 0; p < 2; p++)
                x[2 * (i * LONG + k) + p] = y[2 * (k * ROWS + i) + p] =
                    sin(1 + i + 7 * k + 3 * p);
    const cot_types types =
        COT_TYPES(cot_c128(ROWS, LONG), cot_c128(LONG, ROWS), cot_c128(ROWS * LONG));
    ck_assert_int_eq(results(fn("f", gram, 3, 2), types, IN(x, y, x), got),
                     2 * ROWS * ROWS + 2);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            const double *z = got + 2 * (i * ROWS + j), *adjoint = got + 2 * (j * ROWS + i);
            ck_assert(z[0] == adjoint[0] && z[1] == -adjoint[1]);
        }
    ck_assert(got[2 * ROWS * ROWS + 1] == 0);
}
END_TEST

BODY(products, out[0] = cot_matmul(in[0], in[1]); out[1] = cot_reduce_prod(in[1]);
     out[2] = cot_reduce_sum(in[1]); out[3] = cot_cumprod(cot_reshape(in[1], 3), 0);)

START_TEST(products_and_sums)
{
    GIVES(fn("f", products, 2, 4), COT_TYPES(cot_c128(1, 3), cot_c128(3, 1)),
          IN(C128(1, 1, 2, 0, 0, -1), C128(1, 0, 0, 1, 1, -1)), 0, 2, 1, 1, 2, 0, 1, 0, 0, 1, 1,
          1);
}
END_TEST

BODY(convolved, out[0] = cot_conv(in[0], in[1]);)

START_TEST(convolutions)
{
    GIVES(fn("f", convolved, 2, 1), COT_TYPES(cot_c128(1, 1, 5), cot_c128(1, 1, 2)),
          IN(C128(1, 2, 3, -1, 0, 2, 1, 0, 5, 0), C128(2, 1, 1, -3)), 0, -5, 13, 3, -1, 1, 7,
          -14);
}
END_TEST

/* An op without an expansion is applied to the real parts, then to the imaginary ones: wrong of
 * products. */
START_TEST(products_have_expansions)
{
    for (int op = 0; op < OP_COUNT; op++)
        ck_assert_msg(jvp_rules[op] != jvp_bilinear || pass_pair_rule_of((ir_op)op) != NULL,
                      "%s is linear in each operand and has no expansion", ir_ops[op].name);
}
END_TEST

BODY(mixed, out[0] = cot_add(in[0], in[1]); out[1] = cot_mul(in[0], 2.5);
     out[2] = cot_convert(in[0], COT_F64); out[3] = cot_convert(in[1], COT_C64);)

START_TEST(promotion_goes_to_complex)
{
    const cot_graph *g;
    cot_fn *f = fn("f", mixed, 2, 4);
    const float z[] = { 1, 2 };

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_c64(), cot_f64()), &g), COT_OK);
    ck_assert_int_eq(cot_graph_out_type(g, 0).dtype, COT_C128);
    ck_assert_int_eq(cot_graph_out_type(g, 1).dtype, COT_C64);
    GIVES(f, COT_TYPES(cot_c64(), cot_f64()), IN(z, C128(0.5)), 1.5, 2, 2.5, 5, 1, 0.5, 0);
}
END_TEST

/* ---- control flow ---- */

/* Carries: steps, z, c. */
BODY(escape_cond, out[0] = cot_and(cot_lt(in[0], 50), cot_lt(cot_abs(in[1]), 2));)
BODY(escape_step, out[0] = cot_add(in[0], 1); out[1] = cot_add(cot_mul(in[1], in[1]), in[2]);
     out[2] = in[2];)
BODY(escape, cot_value r[3];
     cot_while(escape_cond, escape_step,
               .in = COT_VALUES(cot_full(t, cot_i32(), 0), cot_full(t, cot_c128(), 0), in[0]),
               .out = r);
     out[0] = r[0];)

START_TEST(carries_are_complex)
{
    cot_fn *f = cot_vmap(fn("escape", escape, 1, 1));

    GIVES(f, COT_TYPES(cot_c128(3)), IN(C128(0, 0, 1, 1, -0.75, 0.2)), 50, 2, 16);
}
END_TEST

/* ---- derivatives ---- */

BODY(squared_size, out[0] = cot_real(cot_mul(in[0], cot_conj(in[0])));)
BODY(real_square, out[0] = cot_real(cot_mul(in[0], in[0]));)
BODY(holomorphic, out[0] = cot_exp(cot_mul(in[0], in[0]));)
BODY(size, out[0] = cot_abs(in[0]);)

/* torch: the gradient of |z|^2 is 2 z, that of Re z^2 is 2 conj(z). */
START_TEST(gradients_follow_torch)
{
    GIVES(cot_grad(fn("f", squared_size, 1, 1)), COT_TYPES(cot_c128()), IN(C128(3, -4)), 6, -8);
    GIVES(cot_grad(fn("f", real_square, 1, 1)), COT_TYPES(cot_c128()), IN(C128(3, -4)), 6, 8);
    GIVES(cot_grad(fn("f", size, 1, 1)), COT_TYPES(cot_c128()), IN(C128(3, -4)), 0.6, -0.8);
    GIVES(cot_grad(fn("f", size, 1, 1)), COT_TYPES(cot_c128()), IN(C128(0, 0)), 0, 0);
}
END_TEST

/* The vjp of a holomorphic f on ct is conj(f') ct, its jvp f' dz. */
START_TEST(holomorphic_functions)
{
    const double z[] = { 0.3, 0.4 }, d[] = { 2, -1 };
    const double re = 0.09 - 0.16, im = 0.24, e = exp(re), fr = e * cos(im), fi = e * sin(im);
    const double gr = 2 * (0.3 * fr - 0.4 * fi), gi = 2 * (0.3 * fi + 0.4 * fr);

    GIVES(cot_jvp(fn("f", holomorphic, 1, 1)), COT_TYPES(cot_c128(), cot_c128()), IN(z, d), fr,
          fi, 2 * gr + gi, 2 * gi - gr);
    GIVES(cot_vjp(fn("f", holomorphic, 1, 1)), COT_TYPES(cot_c128(), cot_c128()), IN(z, d), fr,
          fi, 2 * gr - gi, -2 * gi - gr);
}
END_TEST

/* d acosh = 1/(sqrt(z-1) sqrt(z+1)), not 1/sqrt(z^2 - 1), which is its negative left of the
 * imaginary axis. */
BODY(left_of_the_axis, out[0] = cot_real(cot_acosh(in[0]));)

START_TEST(acosh_left_of_the_axis)
{
    const double h = 1e-6, x = -1.5, y = 0.5;
    double at[2][1], g[2];
    cot_fn *f = fn("f", left_of_the_axis, 1, 1);

    results(f, COT_TYPES(cot_c128()), IN(C128(x + h, y)), at[0]);
    results(f, COT_TYPES(cot_c128()), IN(C128(x - h, y)), at[1]);
    results(cot_grad(f), COT_TYPES(cot_c128()), IN(C128(x, y)), g);
    ck_assert_double_eq_tol(g[0], (at[0][0] - at[1][0]) / (2 * h), 1e-8);
}
END_TEST

/* A real tangent times a complex number that is known: its zeros must not count as something of
 * their own. */
BODY(turned_reals,
     cot_value z = cot_mul(cot_convert(in[0], COT_C128), cot_exp(cot_complex(0.0, in[1])));
     cot_value p = cot_pad(z, cot_full(t, cot_c128(), 0), .low = COT_LIST(1),
                           .high = COT_LIST(99));
     out[0] = cot_reduce_sum(cot_imag(cot_mul(p, p)));)

START_TEST(real_numbers_stay_real)
{
    const double a = 0.3, b = 1.1;
    GIVES(cot_grad(fn("f", turned_reals, 2, 1)), COT_TYPES(cot_f64(2), cot_f64(2)),
          IN(F64(2, 3), F64(a, b)), 4 * sin(2 * a), 6 * sin(2 * b));
    GIVES(cot_grad(fn("f", turned_reals, 2, 1), .wrt = COT_LIST(1)),
          COT_TYPES(cot_f64(2), cot_f64(2)), IN(F64(2, 3), F64(a, b)), 8 * cos(2 * a),
          18 * cos(2 * b));
}
END_TEST

BODY(two_kinds, out[0] = cot_reduce_sum(cot_abs(in[0])); out[1] = in[1];)

static void
fails(cot_fn *f, cot_types types, const char *want)
{
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_ERR_DTYPE);
    ck_assert_msg(strstr(cot_error(ctx), want), "'%s' is not in '%s'", want, cot_error(ctx));
    cot_error_clear(ctx);
}

START_TEST(jacobians_are_real)
{
    const cot_types types = COT_TYPES(cot_c64(3), cot_c64());

    fails(cot_grad(fn("f", holomorphic, 1, 1)), COT_TYPES(cot_c64()),
          "grad: output of f is c64[]; wants a real scalar");
    fails(cot_jacrev(fn("f", two_kinds, 2, 2), .wrt = COT_LIST(0)), types,
          "jacrev: argument 0 of f is c64[3]; wants a real type");
    fails(cot_jacfwd(fn("f", two_kinds, 2, 2), .wrt = COT_LIST(1)), types,
          "jacfwd: argument 1 of f is c64[]; wants a real type");
    fails(cot_hessian(fn("f", size, 1, 1)), COT_TYPES(cot_c64()),
          "argument 0 of f is c64[]; wants a real type");
    fails(cot_jacrev(fn("f", two_kinds, 2, 2), .wrt = COT_LIST(0)),
          COT_TYPES(cot_f64(3), cot_c64()),
          "jacrev: output 1 of f is c64[]; wants a real type");
}
END_TEST

/* ---- refusals ---- */

static const struct { const char *node, *want; } refusals[] = {
    { "lt %z, %z : bool[2]", "lt: operand 0 is c64[2]; wants a type that has an order" },
    { "max %z, %z : c64[2]", "max: operand 0 is c64[2]; wants a type that has an order" },
    { "clamp %z, %z, %z : c64[2]",
      "clamp: operand 0 is c64[2]; wants a type that has an order" },
    { "floor %z : c64[2]", "floor: operand 0 is c64[2]; wants a real floating type" },
    { "erf %z : c64[2]", "erf: operand 0 is c64[2]; wants a real floating type" },
    { "atan2 %z, %z : c64[2]", "atan2: operand 0 is c64[2]; wants a real floating type" },
    { "fma %z, %z, %z : c64[2]", "fma: operand 0 is c64[2]; wants a real floating type" },
    { "rem %z, %z : c64[2]", "rem: operand 0 is c64[2]; wants a real number" },
    { "and %z, %z : c64[2]", "and: operand 0 is c64[2]; wants an integer or bool" },
    { "bitcast %z {dtype=u64} : u64[2]",
      "bitcast: operand 0 is c64[2]; wants no complex type on either side" },
    { "reduce_max %z {axes=[0]} : c64[]",
      "reduce_max: operand 0 is c64[2]; wants a real number" },
    { "argmax %z {axis=0} : i32[]", "argmax: operand 0 is c64[2]; wants a real number" },
    { "argsort %z {axis=0} : i32[2]",
      "argsort: operand 0 is c64[2]; wants a type that has an order" },
    { "top_k %z {axis=0, k=1, dtype=i32} : i32[1]",
      "top_k: operand 0 is c64[2]; wants a type that has an order" },
    { "scatter_min %z, %i, %z {window_dims=[0], inserted=[], operand_batch=[], "
      "indices_batch=[], index_map=[0]} : c64[2]",
      "scatter_min: operand 0 is c64[2]; wants a real number" },
    { "cummax %z {axis=0} : c64[2]", "cummax: operand 0 is c64[2]; wants a real number" },
    { "complex %x, %x : c64[2]", "complex: operand 0 is f16[2]; wants f32 or f64" },
    { "real %x : f16[2]", "real: operand 0 is f16[2]; wants a complex type" },
};

START_TEST(what_has_no_meaning_says_so)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char text[300];
        const cot_graph *g;

        snprintf(text, sizeof text,
                 "fn @f(%%z: c64[2], %%x: f16[2], %%i: i32[1]) -> f32[] {\n  %%0 = %s\n  ret "
                 "%%0\n}\n",
                 refusals[i].node);
        ck_assert_int_ne(cot_parse(ctx, "t.cot", text, strlen(text), NULL, &g), COT_OK);
        ck_assert_msg(strstr(cot_error(ctx), refusals[i].want), "'%s' is not in '%s'",
                      refusals[i].want, cot_error(ctx));
        cot_error_clear(ctx);
    }
}
END_TEST

/* ---- in and out ---- */

BODY(doubled, out[0] = cot_add(in[0], in[0]);)

START_TEST(memory_is_that_of_c99)
{
    float _Complex z[2] = { 0 }, w[2] = { 0 };
    ((float *)z)[0] = 1, ((float *)z)[1] = -2, ((float *)z)[2] = 0.5f;
    cot_array *in = cot_array_borrow(ctx, cot_c64(2), z),
              *out = cot_array_borrow(ctx, cot_c64(2), w);

    ck_assert_int_eq(cot_dtype_size(COT_C64), sizeof *z);
    ck_assert_int_eq(cot_jit(fn("f", doubled, 1, 1), &out, 1, (const cot_array *const *)&in, 1),
                     COT_OK);
    ck_assert(crealf(w[0]) == 2 && cimagf(w[0]) == -4 && crealf(w[1]) == 1 &&
              cimagf(w[1]) == 0);
    cot_array_free(in), cot_array_free(out);
}
END_TEST

static const char *
scratch_file(const char *name)
{
    static char path[200];

    snprintf(path, sizeof path, "/tmp/check_complex.%d.%s", (int)getpid(), name);
    return path;
}

START_TEST(numpy_files)
{
    const double z[] = { 1, 2, -3, 0.5 };
    cot_array *a = cot_array_copy(ctx, cot_c128(2), z), *b;
    char head[128];
    const char *path = scratch_file("z.npy");

    ck_assert_int_eq(cot_npy_write(ctx, path, a), COT_OK);
    FILE *file = fopen(path, "rb");
    ck_assert_int_eq(fread(head, 1, 127, file), 127);
    head[127] = '\0';
    ck_assert_ptr_nonnull(strstr(head + 10, "'<c16'"));
    fclose(file);
    ck_assert_int_eq(cot_npy_read(ctx, path, &b), COT_OK);
    ck_assert_int_eq(cot_array_type(b).dtype, COT_C128);
    ck_assert_mem_eq(cot_array_read(b), z, sizeof z);
    cot_array_free(b);
    /* the other byte order: each part is turned by itself */
    file = fopen(path, "r+b");
    head[(strstr(head + 10, "<c16") - head)] = '>';
    fwrite(head, 1, 127, file);
    fseek(file, 128, SEEK_SET);
    for (int i = 0; i < 4; i++)
        for (int k = 7; k >= 0; k--)
            fputc(((const unsigned char *)&z[i])[k], file);
    fclose(file);
    ck_assert_msg(cot_npy_read(ctx, path, &b) == COT_OK, "%s", cot_error(ctx));
    ck_assert_mem_eq(cot_array_read(b), z, sizeof z);
    cot_array_free(b), cot_array_free(a);
    unlink(path);
}
END_TEST

START_TEST(headers_say_pairs)
{
    char text[8000] = "", object[200];
    const cot_export e = { .fn = fn("f", doubled, 1, 1), .types = COT_TYPES(cot_c64(3)) };

    snprintf(object, sizeof object, "%s", scratch_file("f.o"));
    const char *header = scratch_file("f.h");
    cot_status s = cot_build_object(ctx, &e, 1, NULL, object, header);
    if (s == COT_ERR_TARGET) /* built without LLVM */
        return;
    ck_assert_msg(s == COT_OK, "%s", cot_error(ctx));
    FILE *file = fopen(header, "r");
    ck_assert_int_gt(fread(text, 1, sizeof text - 1, file), 0);
    fclose(file);
    ck_assert_ptr_nonnull(strstr(text, "c64[3]"));
    ck_assert_ptr_nonnull(strstr(text, "int f(const float *"));
    unlink(header), unlink(object);
}
END_TEST

/* An axis for the parts is not always free. */
START_TEST(the_highest_rank)
{
    int64_t dims[COT_MAX_RANK] = { 0 };
    const double z[] = { 1, 2, 3, 4 };
    cot_type type = cot_type_new(COT_C128, COT_MAX_RANK, dims);

    for (int k = 0; k < COT_MAX_RANK; k++)
        dims[k] = k == 40 ? 2 : 1;
    type.more = dims;
    GIVES(fn("f", doubled, 1, 1), ((cot_types){ .n = 1, .at = &type }), IN(z), 2, 4, 6, 8);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "values", values_are_those_of_c99, 0 },
        { "values", arithmetic_is_that_of_pairs, 0 },
        { "values", quotients_at_the_edge, 0 },
        { "values", the_small_part_of_atan_at_the_greatest_numbers, 0 },
        { "values", powers_of_zero, 0 },
        { "values", a_matrix_times_its_adjoint_is_hermitian, 0 },
        { "values", a_number_times_its_conjugate_is_real, 0 },
        { "values", products_and_sums, 0 },
        { "values", convolutions, 0 },
        { "values", products_have_expansions, 0 },
        { "values", promotion_goes_to_complex, 0 },
        { "values", carries_are_complex, 0 },
        { "B117", gradients_follow_torch, 0 },
        { "B117", holomorphic_functions, 0 },
        { "B117", acosh_left_of_the_axis, 0 },
        { "B117", real_numbers_stay_real, 0 },
        { "B117", jacobians_are_real, 0 },
        { "refusals", what_has_no_meaning_says_so, 0 },
        { "memory", memory_is_that_of_c99, 0 },
        { "memory", numpy_files, 0 },
        { "memory", headers_say_pairs, 0 },
        { "memory", the_highest_rank, 0 },
    };

    return SUITE("complex", cases);
}
