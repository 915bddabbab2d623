/* Sugar on complex numbers: what means something of them, and one clear error for the rest. */
#include <unistd.h>

#include "both.h"

#define C128(...) F64(__VA_ARGS__)

BODY(moments, out[0] = cot_mean(in[0]); out[1] = cot_var(in[0]);
     out[2] = cot_var(in[0], .ddof = 1); out[3] = cot_norm(in[0]);)
BODY(norms, out[0] = cot_vector_norm(in[0], 2); out[1] = cot_vector_norm(in[0], 1);
     out[2] = cot_vector_norm(in[0], INFINITY); out[3] = cot_vector_norm(in[0], -INFINITY);
     out[4] = cot_vector_norm(in[0], 0); out[5] = cot_vector_norm(in[0], 3);)
BODY(along_rows, out[0] = cot_mean(in[0], .axes = COT_LIST(1), .keepdims = 1);
     out[1] = cot_norm(in[0], .axes = COT_LIST(0));)

/* var is the mean of |z - mean|^2, a real number, as NumPy's and torch's. */
START_TEST(means_and_norms)
{
    GIVES(fn("f", moments, 1, 4), COT_TYPES(cot_c128(2)), IN(C128(3, 4, 1, 0)), 2, 2, 5, 10,
          sqrt(26));
    GIVES(fn("f", norms, 1, 6), COT_TYPES(cot_c128(2)), IN(C128(3, 4, 0, 1)), sqrt(26), 6, 5, 1,
          2, cbrt(126));
    GIVES(fn("f", along_rows, 1, 2), COT_TYPES(cot_c128(2, 2)),
          IN(C128(1, 0, 3, 2, 0, 2, 0, 0)), 2, 1, 0, 1, sqrt(5), sqrt(13));
}
END_TEST

START_TEST(results_are_real)
{
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(fn("f", moments, 1, 4), COT_TYPES(cot_c64(2)), &g), COT_OK);
    ck_assert_int_eq(cot_graph_out_type(g, 0).dtype, COT_C64);
    for (int i = 1; i < 4; i++)
        ck_assert_int_eq(cot_graph_out_type(g, i).dtype, COT_F32);
    ck_assert_int_eq(cot_trace_fn(fn("f", norms, 1, 6), COT_TYPES(cot_c64(2)), &g), COT_OK);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(cot_graph_out_type(g, i).dtype, COT_F32);
}
END_TEST

BODY(spread, out[0] = cot_var(in[0]);)
BODY(length, out[0] = cot_norm(in[0]);)

/* By torch's convention: 2 (z - mean) / n, z / |z|. */
START_TEST(gradients)
{
    GIVES(cot_grad(fn("f", spread, 1, 1)), COT_TYPES(cot_c128(2)), IN(C128(3, 4, 1, 0)), 1, 2,
          -1, -2);
    GIVES(cot_grad(fn("f", length, 1, 1)), COT_TYPES(cot_c128(1)), IN(C128(3, -4)), 0.6, -0.8);
}
END_TEST

BODY(running, out[0] = cot_cumsum(in[0], 0); out[1] = cot_cumprod(in[0], 0, .reverse = 1);
     out[2] = cot_roll(in[0], 1, 0);
     out[3] = cot_where(cot_gt(cot_real(in[0]), 0), in[0], cot_conj(in[0]));)

START_TEST(prefixes_and_moves)
{
    GIVES(fn("f", running, 1, 4), COT_TYPES(cot_c128(2)), IN(C128(1, 1, 0, 2)), 1, 1, 1, 3, -2,
          2, 0, 2, 0, 2, 1, 1, 1, 1, 0, -2);
}
END_TEST

BODY(printed, out[0] = cot_print(in[0], "z = {}");)

static char line[200];

/* What f prints on stdout, a file meanwhile. */
static void
printed_by(cot_fn *f, const char *backend, cot_type type, const void *z, void *w)
{
    cot_kernel *k;
    FILE *file = tmpfile();
    const int before = dup(1);

    ck_assert_msg(cot_compile(f, (cot_types){ .n = 1, .at = &type },
                              &(cot_compile_options){ .backend = backend }, &k) == COT_OK,
                  "%s", cot_error(ctx));
    cot_array *in = cot_array_borrow(ctx, type, (void *)z),
              *out = cot_array_borrow(ctx, type, w);
    fflush(stdout);
    dup2(fileno(file), 1);
    const cot_status s = cot_run(k, &out, (const cot_array *const *)&in);
    fflush(stdout);
    dup2(before, 1);
    close(before);
    rewind(file);
    line[fread(line, 1, sizeof line - 1, file)] = '\0';
    fclose(file);
    ck_assert_int_eq(s, COT_OK);
    cot_array_free(in), cot_array_free(out);
    cot_kernel_free(k);
}

START_TEST(lines_are_printed)
{
    const double z[] = { 1, -2, 0.5, 3 };
    const char *const backend[] = { "eval", "jit" };
    double w[4];

    for (int i = 0; i < 1 + COT_PLANS; i++) {
        printed_by(fn("f", printed, 1, 1), backend[i], cot_c128(2, 1), z, w);
        ck_assert_str_eq(line, "z = [[(1, -2)], [(0.5, 3)]]\n");
        ck_assert_mem_eq(z, w, sizeof z);
    }
}
END_TEST

BODY(sorted, out[0] = cot_sort(in[0], 0);
     out[1] = cot_convert(cot_argsort(in[0], 0, .descending = 1), COT_F64);)
BODY(distinct, cot_value inverse;
     out[0] = cot_unique(in[0], .size = 4, .fill = -1, .inverse = &inverse);
     out[1] = cot_convert(inverse, COT_F64);)
BODY(weighed_sort,
     out[0] = cot_reduce_sum(cot_mul(cot_real(cot_sort(in[0], 0)), cot_real(in[1])));)
BODY(by_two, cot_value y[2]; cot_sort_many(COT_VALUES(in[0], in[1]), 0, y, .keys = 2);
     out[0] = y[0]; out[1] = y[1];)

/* By real parts, then imaginary ones; what has a NaN comes last, in NumPy's order of them. */
START_TEST(sorts)
{
    const double z[] = { 2, 1, 1, 5, 2, -1, 1, -3 },
                 nans[] = { NAN, 1, 7, NAN, 9, 9, NAN, NAN, 3, NAN };

    GIVES(fn("f", sorted, 1, 2), COT_TYPES(cot_c128(4)), IN(z), 1, -3, 1, 5, 2, -1, 2, 1, 0, 2,
          1, 3);
    GIVES(fn("f", sorted, 1, 2), COT_TYPES(cot_c128(5)), IN(nans), 9, 9, 3, NAN, 7, NAN, NAN, 1,
          NAN, NAN, 3, 0, 1, 4, 2);
    GIVES(fn("f", distinct, 1, 2), COT_TYPES(cot_c128(4)), IN(F64(1, 2, 0, 1, 1, 2, 1, -2)), 0,
          1, 1, -2, 1, 2, -1, 0, 2, 0, 2, 1);
    GIVES(cot_grad(fn("f", weighed_sort, 2, 1)), COT_TYPES(cot_c128(4), cot_c128(4)),
          IN(z, F64(1, 0, 2, 0, 3, 0, 4, 0)), 4, 0, 2, 0, 3, 0, 1, 0);
    GIVES(fn("f", by_two, 2, 2), COT_TYPES(cot_f64(3), cot_c128(3)),
          IN(F64(1, 0, 1), F64(5, 1, 2, 2, 5, 0)), 0, 1, 1, 2, 2, 5, 0, 5, 1);
}
END_TEST

BODY(products, out[0] = cot_index_mul(in[0], COT_AT(in[2]), in[1]);)
BODY(weighed_products, products(t, in, out, user);
     out[0] = cot_reduce_sum(cot_real(cot_mul(out[0], out[0])));)
BODY(weighed_by_hand, cot_value x0 = cot_index(in[0], COT_AT(0)),
     x1 = cot_index(in[0], COT_AT(1)), u0 = cot_index(in[1], COT_AT(0)),
     u1 = cot_index(in[1], COT_AT(1)), u2 = cot_index(in[1], COT_AT(2)),
     a = cot_mul(x1, cot_mul(u0, u2)), b = cot_mul(x0, u1);
     out[0] = cot_real(cot_add(cot_mul(a, a), cot_mul(b, b)));)

START_TEST(scatters_of_products)
{
    const double x[] = { 1, 2, 3, -1 }, u[] = { 0, 1, 2, 1, 1, -1 };
    const int32_t at[] = { 1, 0, 1 };
    const cot_types t = COT_TYPES(cot_c128(2), cot_c128(3), cot_i32(3));
    static double want[ROOM];

    GIVES(fn("f", products, 3, 1), t, IN(x, u, at), 0, 5, 4, 2);
    results(cot_grad(fn("f", weighed_by_hand, 2, 1), .wrt = COT_LIST(0, 1)),
            COT_TYPES(cot_c128(2), cot_c128(3)), IN(x, u), want);
    gives(cot_grad(fn("f", weighed_products, 3, 1), .wrt = COT_LIST(0, 1)), t, IN(x, u, at), 10,
          want);
    GIVES(cot_vmap(fn("f", products, 3, 1), .in_dims = COT_LIST(COT_NONE, COT_NONE, 0)),
          COT_TYPES(cot_c128(2), cot_c128(3), cot_i32(2, 3)),
          IN(x, u, ((const int32_t[]){ 1, 0, 1, 0, 0, 0 })), 0, 5, 4, 2, -5, 5, 3, -1);
}
END_TEST

BODY(times_first, cot_value *a = user; out[0] = cot_mul(*a, in[0]);)
static void
quotient(cot_trace *t, cot_fn *A, const cot_value *b, cot_value *x, void *user)
{
    (void)t, (void)user;
    x[0] = cot_div(b[0], cot_call(A, cot_add(cot_mul(b[0], 0.0), 1.0)));
}
BODY(solved, cot_value a = in[0];
     out[0] = cot_custom_linear_solve(times_first, quotient, .b = COT_VALUES(in[1]),
                                      .user = &a);)
BODY(square_less, cot_value *a = user; out[0] = cot_sub(cot_mul(in[0], in[0]), *a);)
static void
newton(cot_trace *t, cot_fn *f, const cot_value *guess, cot_value *x, void *user)
{
    (void)t, (void)user;
    x[0] = guess[0];
    for (int i = 0; i < 8; i++)
        x[0] = cot_sub(x[0], cot_div(cot_call(f, x[0]), cot_mul(x[0], 2.0)));
}
BODY(rooted, cot_value a = in[0];
     out[0] = cot_custom_root(square_less, newton,
                              .b = COT_VALUES(cot_add(cot_mul(a, 0.0), 1.0)),
                              .tangent = quotient, .user = &a);)
BODY(weighed_root, rooted(t, in, out, user);
     out[0] = cot_reduce_sum(cot_real(cot_mul(out[0], in[1])));)
BODY(weighed_sqrt, out[0] = cot_reduce_sum(cot_real(cot_mul(cot_sqrt(in[0]), in[1])));)
BODY(weighed, solved(t, in, out, user);
     out[0] = cot_reduce_sum(cot_real(cot_mul(out[0], in[1])));)
BODY(weighed_div, out[0] = cot_reduce_sum(cot_real(cot_mul(cot_div(in[1], in[0]), in[1])));)

/* Their derivatives are those of the quotient and of the square root, in reverse (with the
 * conjugate transpose of the system) and mapped. */
START_TEST(solvers)
{
    const double a[] = { 3, 4, -1, 2 }, b[] = { 1, 2, 3, -1 };
    const cot_types t = COT_TYPES(cot_c128(2), cot_c128(2));
    static double want[ROOM];

    GIVES(fn("f", solved, 2, 1), t, IN(a, b), 11 / 25.0, 2 / 25.0, -1, -1);
    GIVES(fn("f", rooted, 1, 1), COT_TYPES(cot_c128(1)), IN(a), 2, 1);
    results(cot_grad(fn("f", weighed_div, 2, 1), .wrt = COT_LIST(0, 1)), t, IN(a, b), want);
    gives(cot_grad(fn("f", weighed, 2, 1), .wrt = COT_LIST(0, 1)), t, IN(a, b), 8, want);
    gives(cot_vmap(cot_grad(fn("f", weighed, 2, 1), .wrt = COT_LIST(0, 1))),
          COT_TYPES(cot_c128(1, 2), cot_c128(1, 2)), IN(a, b), 8, want);
    results(cot_grad(fn("f", weighed_sqrt, 2, 1)), t, IN(a, b), want);
    gives(cot_grad(fn("f", weighed_root, 2, 1)), t, IN(a, b), 4, want);
}
END_TEST

BODY(largest, out[0] = cot_top_k(in[0], 1, NULL);)
BODY(middle, out[0] = cot_median(in[0], 0);)
BODY(soft, out[0] = cot_softmax(in[0]);)
BODY(log_sum, out[0] = cot_logsumexp(in[0]);)
BODY(normed, out[0] = cot_layer_norm(in[0]);)
BODY(extreme, out[0] = cot_cummax(in[0], 0);)
BODY(scan_logs, out[0] = cot_cumlogsumexp(in[0], 0);)
BODY(bins, out[0] = cot_histogram(in[0], 3, 0, 1);)
BODY(gammas, out[0] = cot_lgamma(in[0]);)
BODY(clip, out[0] = cot_relu(in[0]);)
BODY(by_erf, out[0] = cot_gelu(in[0]);)
BODY(soft_clip, out[0] = cot_softplus(in[0]);)
BODY(found, out[0] = cot_searchsorted(in[0], in[0]);)
BODY(pooled, out[0] = cot_max_pool(in[0], COT_LIST(2));)
BODY(least, out[0] = cot_window_min(in[0], COT_LIST(2));)
BODY(averaged, out[0] = cot_avg_pool(in[0], COT_LIST(2));)
BODY(fraction, out[0] = cot_frexp(in[0], NULL);)
BODY(bounded, out[0] = cot_hardtanh(in[0]);)

START_TEST(no_order_no_result)
{
    static const struct { cot_body *body; const char *want;
    } row[] = {
        { largest, "top_k: operand 0 is c64[2]; wants a type that has an order" },
        { middle, "median: operand is c64[2]; wants a real floating type" },
        { soft, "softmax: operand is c64[2]; wants a real floating type" },
        { log_sum, "logsumexp: operand is c64[2]; wants a real floating type" },
        { normed, "layer_norm: operand is c64[2]; wants a real floating type" },
        { extreme, "cummax: operand 0 is c64[2]; wants a real number" },
        { scan_logs, "cumlogsumexp: operand is c64[2]; wants a real floating type" },
        { bins, "histogram: operand is c64[2]; wants a real floating type" },
        { gammas, "lgamma: operand 0 is c64[2]; wants a real floating type" },
        { clip, "relu: operand is c64[2]; wants a type that has an order" },
        { by_erf, "gelu: operand is c64[2]; wants a real floating type" },
        { soft_clip, "softplus: operand is c64[2]; wants a real floating type" },
        { found, "searchsorted: operand is c64[2]; wants a type that has an order" },
        { pooled, "max_pool: operand is c64[2]; wants a type that has an order" },
        { least, "window_min: operand is c64[2]; wants a type that has an order" },
        { averaged, "avg_pool: operand is c64[2]; wants a real floating type" },
        { fraction, "frexp: operand is c64[2]; wants a real floating type" },
        { bounded, "hardtanh: operand is c64[2]; wants a real floating type" },
    };
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(fn("f", row[_i].body, 1, 1), COT_TYPES(cot_c64(2)), &g),
                     COT_ERR_DTYPE);
    ck_assert_msg(strstr(cot_error(ctx), row[_i].want), "'%s' is not in '%s'", row[_i].want,
                  cot_error(ctx));
    ck_assert_msg(strstr(cot_error(ctx), "check_complex_sugar.c:"), "no place in '%s'",
                  cot_error(ctx));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "values", means_and_norms, 0 },
        { "values", results_are_real, 0 },
        { "values", prefixes_and_moves, 0 },
        { "values", lines_are_printed, 0 },
        { "B117", gradients, 0 },
        { "order", sorts, 0 },
        { "scatter_mul", scatters_of_products, 0 },
        ONCE(solvers),
        { "refusals", no_order_no_result, 18 },
    };

    return SUITE("complex_sugar", cases);
}
