/* Sorting, searching, counting: values on the reference evaluator and compiled, mapped, and
 * their derivatives. */
#include "traced.h"

#define F64(...) ((const double[]){ __VA_ARGS__ })
#define I32(...) ((const int32_t[]){ __VA_ARGS__ })
#define IN(...)  ((const void *const[]){ __VA_ARGS__ })

static void
runs_by(const char *backend, int threads, cot_fn *f, cot_types types, const void *const *in,
        const double *want)
{
    cot_array *x[4], *y;
    cot_kernel *k;

    for (int i = 0; i < types.n; i++)
        x[i] = cot_array_copy(ctx, types.at[i], in[i]);
    const cot_compile_options o = { .backend = backend, .threads = threads };
    if (cot_compile(f, types, &o, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    cot_type t = cot_graph_out_type(cot_kernel_graph(k), 0);
    y = cot_array_new(ctx, t);
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *const *)x), COT_OK);
    for (int64_t i = 0; i < cot_type_count(&t); i++) {
        double z = traced_element(t.dtype, cot_array_data(y), i);
        bool same = z == want[i] || (isnan(z) && isnan(want[i])) ||
                    fabs(z - want[i]) < 1e-12 * fabs(want[i]);
        ck_assert_msg(same, "%s: element %d is %.17g, wants %.17g", backend, (int)i, z,
                      want[i]);
    }
    for (int i = 0; i < types.n; i++)
        cot_array_free(x[i]);
    cot_array_free(y);
    cot_kernel_free(k);
}

/* The result of f by every back end in this process. */
static void
gives(cot_fn *f, cot_types types, const void *const *in, const double *want)
{
    runs_by("eval", 0, f, types, in, want);
    runs_by("jit", 0, f, types, in, want);
}

static cot_fn *
fn(cot_body *body, int n_in)
{
    return cot_fn_new(ctx, "f", body, n_in, 1, NULL);
}

BODY(sorted, out[0] = cot_sort(in[0], -1);)
BODY(sorted_0, out[0] = cot_sort(in[0], 0);)
BODY(falling, out[0] = cot_sort(in[0], -1, .descending = 1);)
BODY(where, out[0] = cot_argsort(in[0], -1);)
BODY(where_falling, out[0] = cot_argsort(in[0], -1, .descending = 1);)
BODY(lexsorted, out[0] = cot_lexsort(COT_VALUES(in[0], in[1]), 0);)

START_TEST(sorts)
{
    const double *x = F64(3, -1, 2, NAN, -INFINITY, 2), *m = F64(3, 1, 2, 1, 3, 2);
    const double *zero = F64(0.0, -0.0, 1, -0.0);

    gives(fn(sorted, 1), COT_TYPES(cot_f64(6)), IN(x), F64(-INFINITY, -1, 2, 2, 3, NAN));
    gives(fn(falling, 1), COT_TYPES(cot_f64(6)), IN(x), F64(NAN, 3, 2, 2, -1, -INFINITY));
    gives(fn(where, 1), COT_TYPES(cot_f64(6)), IN(x), F64(4, 1, 2, 5, 0, 3));
    gives(fn(where_falling, 1), COT_TYPES(cot_f64(6)), IN(x), F64(3, 0, 2, 5, 1, 4));
    gives(fn(where, 1), COT_TYPES(cot_f64(4)), IN(zero), F64(0, 1, 3, 2));
    gives(fn(sorted_0, 1), COT_TYPES(cot_f64(3, 2)), IN(m), F64(2, 1, 3, 1, 3, 2));
    gives(fn(sorted, 1), COT_TYPES(cot_f64(3, 2)), IN(m), F64(1, 3, 1, 2, 2, 3));
    gives(fn(sorted, 1), COT_TYPES(cot_f64(2, 0)), IN(m), x);
    gives(fn(lexsorted, 2), COT_TYPES(cot_i32(4), cot_f64(4)),
          IN(I32(1, 0, 1, 0), F64(5, 7, 4, 6)), F64(3, 1, 2, 0));
}
END_TEST

/* The reference evaluator's order is qsort's, and the back end's the reference evaluator's,
 * from lengths of one to digits. */
static int
rising(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

START_TEST(lengths)
{
    static const int64_t length[] = { 1, 2, 7, 64, 65, 300, 5000 };
    const int64_t n = length[_i];
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);

    for (int64_t i = 0; i < n; i++)
        x[i] = y[i] = (double)((i * 7919 + 13) % 1009) - 500.5;
    qsort(y, (size_t)n, sizeof *y, rising);
    gives(fn(sorted, 1), COT_TYPES(cot_f64(n)), IN(x), y);
    free(x);
    free(y);
}
END_TEST

BODY(weighted, {
    cot_value y = cot_sort(in[0], 0);
    out[0] = cot_reduce_sum(cot_mul(in[1], cot_mul(y, cot_mul(y, y))));
})

/* The derivative goes with the elements, of any order, mapped or not. */
START_TEST(derivatives)
{
    const double *x = F64(3, 1, 2), *w = F64(1, 10, 100), *two = F64(3, 1, 2, 1, 2, 3);
    cot_type v = cot_f64(3);
    cot_fn *f = fn(weighted, 2), *df = cot_grad(f);

    gives(df, COT_TYPES(v, v), IN(x, w), F64(2700, 3, 120));
    gives(cot_hessian(f), COT_TYPES(v, v), IN(x, w), F64(1800, 0, 0, 0, 6, 0, 0, 0, 120));
    gives(cot_vmap(df, .in_dims = COT_LIST(0, COT_NONE)), COT_TYPES(cot_f64(2, 3), v),
          IN(two, w), F64(2700, 3, 120, 3, 120, 2700));
    gives(cot_jacrev(fn(sorted, 1)), COT_TYPES(v), IN(x), F64(0, 1, 0, 0, 0, 1, 1, 0, 0));
    gives(cot_jacfwd(fn(falling, 1)), COT_TYPES(v), IN(x), F64(1, 0, 0, 0, 0, 1, 0, 1, 0));
}
END_TEST

static void
second_of_three(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[3];

    (void)t;
    cot_sort_many(COT_VALUES(in[0], in[1], in[2]), 0, y, .keys = 2, .descending = 1);
    out[0] = y[*(int *)user];
}

START_TEST(several)
{
    int which = _i;
    static const double want[3][4] = { { 2, 2, 1, 1 }, { 9, 8, 7, 7 }, { 3, 2, 1, 4 } };
    cot_fn *f = cot_fn_new(ctx, "f", second_of_three, 3, 1, &which);

    gives(f, COT_TYPES(cot_i32(4), cot_f64(4), cot_f64(4)),
          IN(I32(1, 2, 2, 1), F64(7, 8, 9, 7), F64(1, 2, 3, 4)), want[which]);
}
END_TEST

BODY(top, out[0] = cot_top_k(in[0], 2, NULL);)
BODY(top_where, cot_top_k(in[0], 2, out);)
BODY(median, out[0] = cot_median(in[0], -1);)
BODY(median_kept, out[0] = cot_median(in[0], 0, .keepdims = 1);)
BODY(quartile, out[0] = cot_quantile(in[0], 0.25, 0);)
BODY(sum_median, out[0] = cot_reduce_sum(cot_median(in[0], -1));)

START_TEST(parts)
{
    const double *m = F64(1, 5, 5, 2, 4, -1, 0, 4);

    gives(fn(top, 1), COT_TYPES(cot_f64(2, 4)), IN(m), F64(5, 5, 4, 4));
    gives(fn(top_where, 1), COT_TYPES(cot_f64(2, 4)), IN(m), F64(1, 2, 0, 3));
    gives(fn(median, 1), COT_TYPES(cot_f64(2, 4)), IN(m), F64(3.5, 2));
    gives(fn(median_kept, 1), COT_TYPES(cot_f64(2, 4)), IN(m), F64(2.5, 2, 2.5, 3));
    gives(fn(median, 1), COT_TYPES(cot_f64(3)), IN(F64(1, NAN, 2)), F64(NAN));
    gives(fn(median, 1), COT_TYPES(cot_f64(3)), IN(F64(INFINITY, 0, INFINITY)), F64(INFINITY));
    gives(fn(quartile, 1), COT_TYPES(cot_f64(4)), IN(m), F64(1.75));
    gives(cot_grad(fn(sum_median, 1)), COT_TYPES(cot_f64(2, 4)), IN(m),
          F64(0, 0.5, 0, 0.5, 0.5, 0, 0.5, 0));
}
END_TEST

BODY(lower_fifth, out[0] = cot_quantile(in[0], 0.375, 0, .method = COT_QUANTILE_LOWER);)
BODY(higher_fifth, out[0] = cot_quantile(in[0], 0.375, 0, .method = COT_QUANTILE_HIGHER);)
BODY(nearest_fifth, out[0] = cot_quantile(in[0], 0.375, 0, .method = COT_QUANTILE_NEAREST);)
BODY(middle_fifth, out[0] = cot_quantile(in[0], 0.375, 0, .method = COT_QUANTILE_MIDPOINT);)
BODY(linear_fifth, out[0] = cot_quantile(in[0], 0.375, 0);)

/* As numpy.quantile, a tie of the nearest to the even place. */
START_TEST(methods)
{
    static cot_body *const body[] = { linear_fifth, lower_fifth, higher_fifth, nearest_fifth,
                                      middle_fifth };
    static const double five[] = { 3.5, 2, 5, 5, 3.5 }, nine[] = { 4, 4, 4, 4, 4 };
    cot_fn *f = fn(body[_i], 1);

    gives(f, COT_TYPES(cot_f64(5)), IN(F64(9, 5, 1, 2, 7)), &five[_i]);
    gives(f, COT_TYPES(cot_f64(9)), IN(F64(9, 8, 7, 6, 5, 4, 3, 2, 1)), &nine[_i]);
    gives(f, COT_TYPES(cot_f64(5)), IN(F64(9, 5, NAN, 2, 7)), F64(NAN));
    gives(f, COT_TYPES(cot_f64(1)), IN(F64(3)), F64(3));
}
END_TEST

BODY(lower_number,
     out[0] = cot_quantile(in[0], 0.5, -1, .method = COT_QUANTILE_LOWER, .skip_nan = 1);)
BODY(higher_number,
     out[0] = cot_quantile(in[0], 0.5, -1, .method = COT_QUANTILE_HIGHER, .skip_nan = 1);)
BODY(nearest_number,
     out[0] = cot_quantile(in[0], 0.5, -1, .method = COT_QUANTILE_NEAREST, .skip_nan = 1);)
BODY(middle_number,
     out[0] = cot_quantile(in[0], 0.5, -1, .method = COT_QUANTILE_MIDPOINT, .skip_nan = 1);)
BODY(median_number, out[0] = cot_median(in[0], -1, .skip_nan = 1, .keepdims = 1);)
BODY(no_method, out[0] = cot_quantile(in[0], 0.5, 0, .method = 5);)

START_TEST(numbers)
{
    const double n = NAN, *m = F64(4, n, 1, 2, n, n, n, n, 3, n, INFINITY, -1);
    const cot_types t = COT_TYPES(cot_f64(3, 4));

    gives(fn(median_number, 1), t, IN(m), F64(2, n, 3));
    gives(fn(lower_number, 1), t, IN(m), F64(2, n, 3));
    gives(fn(higher_number, 1), t, IN(m), F64(2, n, 3));
    gives(fn(nearest_number, 1), COT_TYPES(cot_f64(5)), IN(F64(n, 4, 1, 2, 3)), F64(3));
    gives(fn(middle_number, 1), COT_TYPES(cot_f64(5)), IN(F64(n, 4, 1, 2, 3)), F64(2.5));
    gives(cot_grad(fn(middle_number, 1)), COT_TYPES(cot_f64(5)), IN(F64(n, 4, 1, 2, 3)),
          F64(0, 0, 0, 0.5, 0.5));
    gives(cot_vmap(fn(higher_number, 1)), t, IN(m), F64(2, n, 3));
}
END_TEST

BODY(middle_third,
     out[0] = cot_quantile(in[0], 0.3, -1, .method = COT_QUANTILE_MIDPOINT, .skip_nan = 1);)
BODY(linear_third, out[0] = cot_quantile(in[0], 0.3, -1, .skip_nan = 1);)

/* 10 q is 3 as rounded and not exactly: between the numbers at 3 and 4 nothing is mixed, though
 * the product is contracted with the difference that says so. */
START_TEST(place_as_rounded)
{
    const double *x = F64(NAN, 0, 1, 2, 3, INFINITY, 5, 6, 7, 8, INFINITY, INFINITY);
    const cot_types t = COT_TYPES(cot_f64(12));
    gives(fn(middle_third, 1), t, IN(x), F64(3));
    gives(fn(linear_third, 1), t, IN(x), F64(3));
    x = F64(NAN, 0, 1, 2, 3, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY,
            INFINITY);
    gives(fn(middle_third, 1), t, IN(x), F64(3));
    gives(fn(linear_third, 1), t, IN(x), F64(3));
}
END_TEST

BODY(search, out[0] = cot_searchsorted(in[0], in[1]);)
BODY(search_right, out[0] = cot_searchsorted(in[0], in[1], .right = 1);)
BODY(counts, out[0] = cot_bincount(in[0], 4);)
BODY(bins, out[0] = cot_histogram(in[0], 4, 0, 2);)
BODY(tenths, out[0] = cot_histogram(in[0], 10, 0, 1);)
BODY(widest, out[0] = cot_histogram(in[0], 4, -1.7e308, 1.7e308);)
BODY(weighted_counts, out[0] = cot_bincount(in[0], 3, .weights = in[1]);)
BODY(weighted_bins, out[0] = cot_histogram(in[0], 2, 0, 2, .weights = in[1]);)
BODY(weighted_sum,
     out[0] = cot_reduce_sum(cot_mul(cot_histogram(in[0], 2, 0, 2, .weights = in[1]), in[2]));)

/* Elements at the edges 0.1 ... 0.9, which are 3 * 0.1 and not 0.3, and beside them. */
START_TEST(edges)
{
    const double x[] = { 0.1,
                         0.2,
                         0.3,
                         0.30000000000000004,
                         0.6,
                         0.7,
                         0.7000000000000001,
                         0.9,
                         1,
                         0.09999999999999999 };

    gives(fn(tenths, 1), COT_TYPES(cot_f64(10)), IN(x), F64(1, 1, 2, 1, 0, 1, 1, 1, 0, 2));
    gives(fn(widest, 1), COT_TYPES(cot_f64(5)), IN(F64(-1.7e308, -1e308, -1, 0, 1.6e308)),
          F64(2, 1, 1, 1));
    gives(fn(weighted_counts, 2), COT_TYPES(cot_i32(4), cot_f64(4)),
          IN(I32(2, 0, 2, 5), F64(0.5, -1, 0.25, 9)), F64(-1, 0, 0.75));
    gives(fn(weighted_bins, 2), COT_TYPES(cot_f64(4), cot_f64(4)),
          IN(F64(2, 0, 1, 5), F64(0.5, -1, 0.25, 9)), F64(-1, 0.75));
    gives(cot_grad(fn(weighted_sum, 3), .wrt = COT_LIST(1)),
          COT_TYPES(cot_f64(4), cot_f64(4), cot_f64(2)),
          IN(F64(2, 0, 1, 5), F64(0.5, -1, 0.25, 9), F64(10, 20)), F64(20, 10, 20, 0));
}
END_TEST

START_TEST(searches)
{
    const double *list = F64(1, 2, 2, 3, 5), *x = F64(0, 2, 4, 5, 6, NAN);
    cot_types types = COT_TYPES(cot_f64(5), cot_f64(6));

    gives(fn(search, 2), types, IN(list, x), F64(0, 1, 4, 4, 5, 5));
    gives(fn(search_right, 2), types, IN(list, x), F64(0, 3, 4, 5, 5, 5));
    gives(fn(search, 2), COT_TYPES(cot_f64(0), cot_f64(6)), IN(list, x), F64(0, 0, 0, 0, 0, 0));
    gives(cot_vmap(fn(search, 2), .in_dims = COT_LIST(0, COT_NONE)),
          COT_TYPES(cot_f64(2, 1), cot_f64(2)), IN(F64(0, 3), F64(2, 4)), F64(1, 1, 0, 1));
    gives(fn(counts, 1), COT_TYPES(cot_i32(2, 3)), IN(I32(1, 3, 1, -1, 4, 0)), F64(1, 2, 0, 1));
    gives(cot_vmap(fn(counts, 1)), COT_TYPES(cot_i32(2, 3)), IN(I32(1, 3, 1, -1, 4, 0)),
          F64(0, 2, 0, 1, 1, 0, 0, 0));
    gives(fn(bins, 1), COT_TYPES(cot_f64(7)), IN(F64(0, 0.4, 0.5, 2, -1, 2.1, NAN)),
          F64(2, 1, 0, 1));
}
END_TEST

BODY(sums, out[0] = cot_cumsum(in[0], -1);)
BODY(sums_back, out[0] = cot_cumsum(in[0], 0, .reverse = 1);)
BODY(products, out[0] = cot_cumprod(in[0], -1);)
BODY(products_back, out[0] = cot_cumprod(in[0], -1, .reverse = 1);)
BODY(highest, out[0] = cot_cummax(in[0], -1);)
BODY(lowest_back, out[0] = cot_cummin(in[0], -1, .reverse = 1);)
BODY(log_sums, out[0] = cot_cumlogsumexp(in[0], -1);)

START_TEST(running)
{
    const double *m = F64(1, 2, 3, 4, -1, 0.5), *z = F64(2, 0, 3), e = exp(1);
    cot_type t = cot_f64(2, 3), v = cot_f64(3);

    gives(fn(sums, 1), COT_TYPES(t), IN(m), F64(1, 3, 6, 4, 3, 3.5));
    gives(fn(sums_back, 1), COT_TYPES(t), IN(m), F64(5, 1, 3.5, 4, -1, 0.5));
    gives(fn(products, 1), COT_TYPES(t), IN(m), F64(1, 2, 6, 4, -4, -2));
    gives(fn(highest, 1), COT_TYPES(t), IN(m), F64(1, 2, 3, 4, 4, 4));
    gives(fn(lowest_back, 1), COT_TYPES(t), IN(m), F64(1, 2, 3, -1, -1, 0.5));
    gives(fn(highest, 1), COT_TYPES(v), IN(F64(1, NAN, 3)), F64(1, NAN, NAN));
    gives(fn(log_sums, 1), COT_TYPES(v), IN(F64(-INFINITY, 0, 0)), F64(-INFINITY, 0, log(2)));
    gives(fn(sums, 1), COT_TYPES(cot_i32(3)), IN(I32(2147483647, 1, 2)),
          F64(2147483647, -2147483648.0, -2147483646));
    gives(cot_jacrev(fn(sums, 1)), COT_TYPES(v), IN(z), F64(1, 0, 0, 1, 1, 0, 1, 1, 1));
    gives(cot_jacfwd(fn(products, 1)), COT_TYPES(v), IN(z), F64(1, 0, 0, 0, 2, 0, 0, 6, 0));
    gives(cot_jacrev(fn(products_back, 1)), COT_TYPES(v), IN(z),
          F64(0, 6, 0, 0, 3, 0, 0, 0, 1));
    gives(cot_jacrev(fn(highest, 1)), COT_TYPES(cot_f64(4)), IN(F64(1, 3, 3, 2)),
          F64(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0));
    gives(cot_jacrev(fn(log_sums, 1)), COT_TYPES(cot_f64(2)), IN(F64(0, 1)),
          F64(1, 0, 1 / (1 + e), e / (1 + e)));
}
END_TEST

/* One loop, and blocks that do and do not come out even; zeros at first and between. */
START_TEST(long_log_sums)
{
    static const int64_t length[] = { 1, 2, 31, 32, 33, 100, 1024, 1030 };
    const int64_t n = length[_i];
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), sum = 0;

    for (int64_t i = 0; i < n; i++) {
        x[i] = i % 50 ? sin((double)i) : -INFINITY;
        y[i] = log(sum += exp(x[i]));
    }
    gives(fn(log_sums, 1), COT_TYPES(cot_f64(n)), IN(x), y);
    free(x);
    free(y);
}
END_TEST

/* Threads share the blocks of a line: of one run, and of several, the last of which is not
 * whole. */
START_TEST(sums_by_threads)
{
    static const int64_t length[] = { 1048576, 1050000, 2099201 };
    const int64_t n = length[_i];
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), sum = 0;

    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(i * 7919 % 1009 - 500);
        y[i] = sum += x[i];
    }
    runs_by("jit", 4, fn(sums, 1), COT_TYPES(cot_f64(n)), IN(x), y);
    free(x);
    free(y);
}
END_TEST

/* A chunk, a block, and blocks of blocks: exact in integers, so that the sum is known. */
START_TEST(long_sums)
{
    static const int64_t length[] = { 1, 15, 16, 17, 1023, 1024, 1025, 3000, 1050000 };
    const int64_t n = length[_i];
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y), sum = 0;

    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(i * 7919 % 1009 - 500);
        y[i] = sum += x[i];
    }
    gives(fn(sums, 1), COT_TYPES(cot_f64(n)), IN(x), y);
    free(x);
    free(y);
}
END_TEST

BODY(few_weights, out[0] = cot_bincount(in[0], 3, .weights = in[1]);)
BODY(no_axis, out[0] = cot_sort(in[0], 2);)
BODY(many, out[0] = cot_top_k(in[0], 5, NULL);)
BODY(beyond, out[0] = cot_quantile(in[0], 2, 0);)
BODY(of_integers, out[0] = cot_median(in[0], 0);)
BODY(matrix, out[0] = cot_searchsorted(in[0], in[1]);)
BODY(floats, out[0] = cot_bincount(in[0], 4);)
BODY(no_range, out[0] = cot_histogram(in[0], 4, 1, 1);)

/* The message, without the place it begins with. */
static void
fails(cot_body *body, cot_types types, const char *want)
{
    const cot_graph *g;

    ck_assert_int_ne(cot_trace_fn(fn(body, types.n), types, &g), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), want), "%s\nwants %s", cot_error(ctx), want);
    cot_error_clear(ctx);
}

START_TEST(errors)
{
    cot_types v = COT_TYPES(cot_f64(4));

    fails(no_axis, v, "sort: axis 2 is out of range for rank 1");
    fails(many, v, "top_k: k is 5; wants 0 to 4, the size of the last axis");
    fails(beyond, v, "quantile: q is 2; wants 0 to 1");
    fails(no_method, v, "quantile: method is 5; wants a COT_QUANTILE_");
    fails(of_integers, COT_TYPES(cot_i32(4)),
          "median: operand is i32[4]; wants a floating type");
    fails(matrix, COT_TYPES(cot_f64(4, 2), cot_f64(4)),
          "searchsorted: operands are f64[4,2] and f64[4]; wants a vector, and values of a "
          "type with it");
    fails(few_weights, COT_TYPES(cot_i32(4), cot_f64(3)), "bincount: ");
    fails(floats, v, "bincount: operand is f64[4]; wants an integer type");
    fails(no_range, v, "histogram: the range is 1 to 1; wants the lower bound first");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(sorts),
        EACH(lengths, 7),
        ONCE(derivatives),
        EACH(several, 3),
        ONCE(parts),
        EACH(methods, 5),
        ONCE(numbers),
        ONCE(place_as_rounded),
        ONCE(searches),
        ONCE(edges),
        ONCE(running),
        EACH(long_sums, 9),
        EACH(sums_by_threads, 3),
        EACH(long_log_sums, 8),
        ONCE(errors),
    };

    return SUITE("order", cases);
}
