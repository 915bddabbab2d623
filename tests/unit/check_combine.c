/* Reductions, windows and sorts by a traced body, on the reference evaluator and compiled;
 * their derivatives and maps. */
#include "traced.h"

#define F64(...) ((const double[]){__VA_ARGS__})
#define IN(...) ((const void *const[]){__VA_ARGS__})

/* All results, one after the other, as doubles. */
static int64_t
run_by(const char *backend, cot_fn *f, cot_types types, const void *const *in, double *got)
{
    cot_array *x[4], *y[8];
    cot_kernel *k;
    int64_t n = 0;

    for (int i = 0; i < types.n; i++)
        x[i] = cot_array_copy(ctx, types.at[i], in[i]);
    if (cot_compile(f, types, &(cot_compile_options){ .backend = backend }, &k) != COT_OK)
        ck_abort_msg("%s", cot_error(ctx));
    const int m = cot_graph_n_out(cot_kernel_graph(k));
    for (int j = 0; j < m; j++)
        y[j] = cot_array_new(ctx, cot_graph_out_type(cot_kernel_graph(k), j));
    ck_assert_int_eq(cot_run(k, y, (const cot_array *const *)x), COT_OK);
    for (int j = 0; j < m; j++) {
        cot_type t = cot_graph_out_type(cot_kernel_graph(k), j);
        for (int64_t i = 0; i < cot_type_count(&t); i++)
            got[n++] = traced_element(t.dtype, cot_array_data(y[j]), i);
        cot_array_free(y[j]);
    }
    for (int i = 0; i < types.n; i++)
        cot_array_free(x[i]);
    cot_kernel_free(k);
    return n;
}

/* The same numbers, to the last bit, from both; those wanted. */
static void
gives(cot_fn *f, cot_types types, const void *const *in, int64_t n, const double *want)
{
    static double reference[4096], jit[4096];

    ck_assert_int_eq(run_by("eval", f, types, in, reference), n);
    ck_assert_int_eq(run_by("jit", f, types, in, jit), n);
    for (int64_t i = 0; i < n; i++) {
        ck_assert_msg(reference[i] == jit[i] || (isnan(reference[i]) && isnan(jit[i])),
                      "element %d: %.17g, compiled %.17g", (int)i, reference[i], jit[i]);
        ck_assert_msg(reference[i] == want[i] ||
                          fabs(reference[i] - want[i]) <= 1e-12 * fabs(want[i]),
                      "element %d is %.17g, wants %.17g", (int)i, reference[i], want[i]);
    }
}

static cot_fn *
fn(cot_body *body, int n_in, int n_out)
{
    return cot_fn_new(ctx, "f", body, n_in, n_out, NULL);
}

/* ---- reduce ---- */

/* (value, place): the larger value, the first of equal ones. */
BODY(larger, cot_value a = cot_or(cot_gt(in[0], in[2]),
                                  cot_and(cot_eq(in[0], in[2]), cot_lt(in[1], in[3])));
     out[0] = cot_select(a, in[0], in[2]); out[1] = cot_select(a, in[1], in[3]);)
BODY(multiply, out[0] = cot_mul(in[0], in[1]);)
BODY(matrices,                              /* 2 x 2, upper triangular */
     out[0] = cot_mul(in[0], in[3]);
     out[1] = cot_add(cot_mul(in[0], in[4]), cot_mul(in[1], in[5]));
     out[2] = cot_mul(in[2], in[5]);)
BODY(adds_mul,
     out[0] = cot_add(in[0], cot_add(in[1], cot_mul(in[0], in[1])));) /* (1 + a)(1 + b) - 1 */

#define SCALAR(x) cot_full(t, cot_f64_scalar(), x)

static cot_type
cot_f64_scalar(void)
{
    return cot_type_new(COT_F64, 0, NULL);
}

BODY(argmax, cot_value place = cot_iota(t, cot_f64(3, 700), 1);
     cot_reduce(larger, .xs = COT_VALUES(in[0], place),
                .inits = COT_VALUES(SCALAR(-INFINITY), SCALAR(-1)), .axes = COT_LIST(1),
                .out = out);)
BODY(argmax_all, cot_value place = cot_reshape(cot_iota(t, cot_f64(2100), 0), 3, 700);
     cot_reduce(larger, .xs = COT_VALUES(in[0], place),
                .inits = COT_VALUES(SCALAR(-INFINITY), SCALAR(-1)), .out = out);)
BODY(product,
     out[0] = cot_reduce(multiply, .xs = COT_VALUES(in[0]), .inits = COT_VALUES(SCALAR(2)));)
BODY(product_like, out[0] = cot_reduce(adds_mul, .xs = COT_VALUES(in[0]),
                                       .inits = COT_VALUES(SCALAR(0)), .axes = COT_LIST(-1));)
BODY(chained, cot_reduce(matrices, .xs = COT_VALUES(in[0], in[1], in[2]),
                         .inits = COT_VALUES(SCALAR(1), SCALAR(0), SCALAR(1)), .out = out);)
BODY(of_empty, out[0] = cot_reduce(adds_mul, .xs = COT_VALUES(in[0]),
                                   .inits = COT_VALUES(SCALAR(7)), .axes = COT_LIST(1));)
BODY(captures, out[0] = cot_reduce(adds_mul, .xs = COT_VALUES(cot_mul(in[0], in[1])),
                                   .inits = COT_VALUES(SCALAR(0)));)

static double *
numbers(int64_t n, int seed)
{
    double *x = calloc((size_t)n, sizeof *x);

    for (int64_t i = 0; i < n; i++)
        x[i] = (double)((i * 37 + seed * 11 + i * i % 13) % 101) - 50;
    return x;
}

START_TEST(reduces_pairs)
{
    double *x = numbers(2100, _i), want[6], all[2] = { -INFINITY, -1 };

    for (int r = 0; r < 3; r++) {
        want[r] = -INFINITY;
        for (int i = 0; i < 700; i++)
            if (x[r * 700 + i] > want[r])
                want[r] = x[r * 700 + i], want[3 + r] = i;
        if (want[r] > all[0])
            all[0] = want[r], all[1] = r * 700 + want[3 + r];
    }
    gives(fn(argmax, 1, 2), COT_TYPES(cot_f64(3, 700)), IN(x), 6, want);
    gives(fn(argmax_all, 1, 2), COT_TYPES(cot_f64(3, 700)), IN(x), 2, all);
    free(x);
}
END_TEST

/* Associative, not commutative: any length keeps the order of the elements. */
START_TEST(reduces_in_order)
{
    for (int64_t n = 1; n < 1200; n = n < 70 ? n + 1 : n + 211) {
        double *a = calloc((size_t)n, 8), *b = calloc((size_t)n, 8), *c = calloc((size_t)n, 8),
               want[3] = { 1, 0, 1 };
        cot_type t = cot_type_new(COT_F64, 1, &n);

        for (int64_t i = 0; i < n; i++) {
            a[i] = i % 7 == 3 ? -1 : 1, b[i] = (double)(i % 5), c[i] = 1;
            want[1] = want[0] * b[i] + want[1] * c[i];
            want[0] *= a[i];
        }
        if (n % 8 == 1 || n > 60)
            gives(fn(chained, 3, 3), COT_TYPES(t, t, t), IN(a, b, c), 3, want);
        free(a), free(b), free(c);
    }
}
END_TEST

START_TEST(reduces_under_transforms)
{
    cot_type m = cot_f64(2, 3);
    const double *x = F64(1, 2, 3, 0, 1, -1);

    gives(fn(product, 1, 1), COT_TYPES(cot_f64(3)), IN(x), 1, F64(12));
    gives(fn(product_like, 1, 1), COT_TYPES(m), IN(x), 2, F64(23, -1));
    gives(cot_vmap(fn(product_like, 1, 1)), COT_TYPES(m), IN(x), 2, F64(23, -1));
    gives(fn(of_empty, 1, 1), COT_TYPES(cot_f64(2, 0)), IN(x), 2, F64(7, 7));
    gives(cot_grad(fn(product_like, 1, 1)), COT_TYPES(cot_f64(3)), IN(x), 3, F64(12, 8, 6));
    gives(cot_hessian(fn(product_like, 1, 1)), COT_TYPES(cot_f64(3)), IN(x), 9,
          F64(0, 4, 3, 4, 0, 2, 3, 2, 0));
    gives(cot_grad(fn(captures, 2, 1), .wrt = COT_LIST(1)),
          COT_TYPES(cot_f64(2), cot_type_new(COT_F64, 0, NULL)), IN(x, F64(3)), 1, F64(15));
}
END_TEST

/* ---- windows ---- */

BODY(sums, out[0] = cot_add(in[0], in[1]);)
BODY(window_of_two,
     out[0] = cot_reduce_window(adds_mul, .xs = COT_VALUES(in[0]),
                                .inits = COT_VALUES(SCALAR(0)), .window = COT_LIST(1, 2),
                                .strides = COT_LIST(1, 2), .padding = COT_LIST(0, 0, 1, 0));)
BODY(window_sums,
     out[0] = cot_reduce_window(sums, .xs = COT_VALUES(in[0]), .inits = COT_VALUES(SCALAR(10)),
                                .window = COT_LIST(3), .base_dilation = COT_LIST(2),
                                .dilation = COT_LIST(2), .padding = COT_LIST(1, 1));)
BODY(spread_by_three,
     out[0] = cot_reduce_window(sums, .xs = COT_VALUES(in[0]), .inits = COT_VALUES(SCALAR(0)),
                                .window = COT_LIST(3), .base_dilation = COT_LIST(3),
                                .padding = COT_LIST(2, 2));)
BODY(spread_with_holes,
     out[0] = cot_reduce_window(sums, .xs = COT_VALUES(in[0]), .inits = COT_VALUES(SCALAR(0)),
                                .window = COT_LIST(2), .base_dilation = COT_LIST(3),
                                .padding = COT_LIST(4, 0));)
BODY(spread_before, cot_value x = cot_pad(in[0], 0, .low = COT_LIST(1), .high = COT_LIST(0),
                                          .interior = COT_LIST(1));
     out[0] = cot_reduce_window(sums, .xs = COT_VALUES(x), .inits = COT_VALUES(SCALAR(0)),
                                .window = COT_LIST(2), .padding = COT_LIST(0, 3));)
BODY(whole_window,
     out[0] = cot_reduce_window(adds_mul, .xs = COT_VALUES(in[0]),
                                .inits = COT_VALUES(SCALAR(2)), .window = COT_LIST(2, 4),
                                .padding = COT_LIST(0, 0, 1, 0));)
BODY(at_least, out[0] = cot_ge(in[0], in[1]);)
BODY(pool_gradient,
     out[0] = cot_select_and_scatter(at_least, NULL, in[0], in[1], SCALAR(0),
                                     .window = COT_LIST(2, 2), .strides = COT_LIST(2, 1));)
BODY(pool_padded, out[0] = cot_select_and_scatter(at_least, NULL, in[0], in[1], SCALAR(1),
                                                  .window = COT_LIST(3), .strides = COT_LIST(2),
                                                  .padding = COT_LIST(1, 1));)

START_TEST(windows)
{
    gives(fn(window_of_two, 1, 1), COT_TYPES(cot_f64(2, 3)), IN(F64(1, 2, 3, 4, 5, 6)), 4,
          F64(1, 11, 4, 41));
    /* padded with 10 at both ends and between: 10 1 10 2 10 3 10, windows at distance 2 of 3 */
    gives(fn(window_sums, 1, 1), COT_TYPES(cot_f64(3)), IN(F64(1, 2, 3)), 3, F64(40, 16, 40));
    /* no two elements meet: 0 0 1 0 0 2 0 0 3 0 0; 0 0 0 0 1 0 0 2 0 0 3; 0 1 0 2 0 3 0 0 0 */
    gives(fn(spread_by_three, 1, 1), COT_TYPES(cot_f64(3)), IN(F64(1, 2, 3)), 9,
          F64(1, 1, 1, 2, 2, 2, 3, 3, 3));
    gives(fn(spread_with_holes, 1, 1), COT_TYPES(cot_f64(3)), IN(F64(1, 2, 3)), 10,
          F64(0, 0, 0, 1, 1, 0, 2, 2, 0, 3));
    gives(fn(spread_before, 1, 1), COT_TYPES(cot_f64(3)), IN(F64(1, 2, 3)), 8,
          F64(1, 1, 2, 2, 3, 3, 0, 0));
    /* one window of all there is, its elements in order */
    gives(fn(whole_window, 1, 1), COT_TYPES(cot_f64(2, 3)), IN(F64(1, 2, 3, 4, 5, 6)), 1,
          F64(136079));
    /* ties: the first */
    gives(fn(pool_gradient, 2, 1), COT_TYPES(cot_f64(2, 3), cot_f64(1, 2)),
          IN(F64(1, 5, 5, 5, 0, 1), F64(2, 3)), 6, F64(0, 5, 0, 0, 0, 0));
    gives(fn(pool_padded, 2, 1), COT_TYPES(cot_f64(4), cot_f64(2)),
          IN(F64(-3, -1, -1, -2), F64(2, 3)), 4, F64(1, 6, 1, 1));
    gives(cot_vmap(fn(pool_padded, 2, 1)), COT_TYPES(cot_f64(1, 4), cot_f64(1, 2)),
          IN(F64(-3, -1, -1, -2), F64(2, 3)), 4, F64(1, 6, 1, 1));
}
END_TEST

/* ---- sorts ---- */

BODY(key_less, out[0] = cot_lt(cot_abs(in[0]), cot_abs(in[2]));)
BODY(key_greater, out[0] = cot_gt(in[0], in[2]);)
BODY(lexicographic, out[0] = cot_or(cot_lt(in[0], in[2]),
                                    cot_and(cot_eq(in[0], in[2]), cot_gt(in[1], in[3])));)
/* by the sum of both, which no key tells: a0 - b0 < b1 - a1 */
BODY(asked, out[0] = cot_lt(cot_sub(in[0], in[2]), cot_sub(in[3], in[1]));)

static cot_body *const comparators[] = { key_less, key_greater, lexicographic, asked };

BODY(sort_pairs, cot_sort_by(comparators[*(const int *)user], .xs = COT_VALUES(in[0], in[1]),
                             .axis = 0, .out = out);)

BODY(equal_first, out[0] = cot_or(cot_and(cot_gt(in[1], in[3]), cot_eq(in[2], in[0])),
                                  cot_lt(in[0], in[2]));)
BODY(by_select,
     out[0] = cot_where(cot_eq(in[0], in[2]), cot_gt(in[1], in[3]), cot_lt(in[0], in[2]));)
BODY(sort_as_told,
     cot_sort_by(*(cot_body **)user, .xs = COT_VALUES(in[0], in[1]), .axis = 0, .out = out);)

/* Comparisons of keys, however they are written, are a sort by these keys; others are a
 * merge. */
START_TEST(comparators_of_keys)
{
    static const struct {
        cot_body *body;
        int keys;
    } row[] = {
        { key_less, 1 },    { key_greater, 1 }, { lexicographic, 2 },
        { equal_first, 2 }, { by_select, 2 },   { asked, 0 },
    };
    const cot_graph *g;
    int keys = 0;

    cot_body *body = row[_i].body;
    ck_assert_msg(cot_trace_fn(cot_fn_new(ctx, "f", sort_as_told, 2, 2, &body),
                               COT_TYPES(cot_f64(8), cot_f64(8)), &g) == COT_OK,
                  "%s", cot_error(ctx));
    ir_each_node (n, g)
        keys = n->op == OP_argsort ? n->n_in : keys;
    ck_assert_int_eq(keys, row[_i].keys);
}
END_TEST

static bool
before(int c, const double *a, const double *b)
{
    switch (c) {
    case 0:  return fabs(a[0]) < fabs(b[0]);
    case 1:  return a[0] > b[0];
    case 2:  return a[0] < b[0] || (a[0] == b[0] && a[1] > b[1]);
    default: return a[0] + a[1] < b[0] + b[1];
    }
}

START_TEST(sorts)
{
    static const int64_t sizes[] = { 1, 2, 3, 7, 16, 33, 100, 257 };
    int c = _i;

    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        double *x = numbers(n, 1), *y = numbers(n, 5), *want = calloc((size_t)(2 * n), 8);
        cot_type t = cot_type_new(COT_F64, 1, &n);

        for (int64_t i = 0; i < n; i++) {           /* insertion: stable */
            double e[2] = { x[i], y[i] };
            int64_t j = i;
            for (; j > 0 && before(c, e, F64(want[j - 1], want[n + j - 1])); j--)
                want[j] = want[j - 1], want[n + j] = want[n + j - 1];
            want[j] = e[0], want[n + j] = e[1];
        }
        gives(cot_fn_new(ctx, "sort", sort_pairs, 2, 2, &c), COT_TYPES(t, t), IN(x, y), 2 * n,
              want);
        free(x), free(y), free(want);
    }
}
END_TEST

BODY(sorted_sum, int c = 3; cot_value y[2]; sort_pairs(t, in, y, &c);
     out[0] = cot_reduce_sum(cot_mul(y[0], in[2]));)

START_TEST(sorts_under_transforms)
{
    int c = 3;

    /* sums 4, 1, 3: places 1, 2, 0 */
    gives(cot_grad(fn(sorted_sum, 3, 1)), COT_TYPES(cot_f64(3), cot_f64(3), cot_f64(3)),
          IN(F64(3, 1, 1), F64(1, 0, 2), F64(10, 20, 30)), 3, F64(30, 10, 20));
    gives(cot_vmap(cot_fn_new(ctx, "sort", sort_pairs, 2, 2, &c),
                   .in_dims = COT_LIST(0, COT_NONE)),
          COT_TYPES(cot_f64(2, 3), cot_f64(3)), IN(F64(3, 1, 1, 0, 5, -2), F64(1, 0, 2)), 12,
          F64(1, 1, 3, -2, 0, 5, 0, 2, 1, 2, 1, 0));
}
END_TEST

/* ---- scatter by a body ---- */

#define ONE(...)                                                                               \
    .xs = COT_VALUES(in[0]), .updates = COT_VALUES(in[1]), .index = COT_AT(__VA_ARGS__)
BODY(halves, out[0] = cot_add(cot_mul(in[0], 0.5), in[1]);) /* the order of updates shows */
BODY(second, out[0] = in[1];)
BODY(either, out[0] = cot_or(in[0], in[1]);)
BODY(scaled, out[0] = cot_add(cot_mul(in[0], *(cot_value *)user), in[1]);)
BODY(scatters, out[0] = cot_scatter_by(halves, ONE(in[2]));)
BODY(scatters_rows,
     out[0] = cot_scatter_by(halves, ONE(in[2], COT_SPAN(COT_NONE, COT_NONE, -1)));)
BODY(scatters_clipped, out[0] = cot_scatter_by(halves, ONE(in[2]), .clip = 1);)
BODY(scatters_span, out[0] = cot_scatter_by(halves, ONE(COT_SPAN(1, 3)));)
BODY(scatters_mask, out[0] = cot_scatter_by(halves, ONE(cot_gt(in[0], 2)));)
BODY(scatters_second, out[0] = cot_scatter_by(second, ONE(in[2]));)
BODY(scatters_halves_of, cot_value k = cot_full(t, cot_f64_scalar(), 0.25);
     out[0] = cot_scatter_by(scaled, ONE(in[2]), .user = &k);)
BODY(scatters_pairs, cot_scatter_by(larger, .xs = COT_VALUES(in[0], cot_zeros(t, cot_f64(4))),
                                    .updates = COT_VALUES(in[1], cot_iota(t, cot_f64(3), 0)),
                                    .index = COT_AT(in[2]), .out = out);)
BODY(scatters_truth, cot_value x = cot_gt(in[0], 2);
     out[0] = cot_convert(cot_scatter_by(either, .xs = COT_VALUES(x),
                                         .updates = COT_VALUES(cot_gt(in[1], 15)),
                                         .index = COT_AT(in[2])),
                          COT_F64);)
BODY(scatters_sum, cot_value y = cot_scatter_by(halves, ONE(in[2]));
     out[0] = cot_reduce_sum(cot_mul(y, y));)

START_TEST(scatters_by)
{
    const double *x = F64(1, 2, 3, 4), *u = F64(10, 20, 30);
    const int32_t i[] = { 2, 0, 2 }, far[] = { 2, 9, -9 };
    cot_types t = COT_TYPES(cot_f64(4), cot_f64(3), cot_i32(3));

    gives(fn(scatters, 3, 1), t, IN(x, u, i), 4, F64(20.5, 2, 35.75, 4));
    gives(fn(scatters, 3, 1), t, IN(x, u, far), 4, F64(1, 2, 11.5, 4));
    gives(fn(scatters_clipped, 3, 1), t, IN(x, u, far), 4, F64(30.5, 2, 11.5, 22));
    gives(fn(scatters_second, 3, 1), t, IN(x, u, i), 4, F64(20, 2, 30, 4));
    gives(fn(scatters_halves_of, 3, 1), t, IN(x, u, i), 4, F64(20.25, 2, 32.6875, 4));
    gives(fn(scatters_pairs, 3, 2), t, IN(x, u, i), 8, F64(20, 2, 30, 4, 1, 0, 2, 0));
    gives(fn(scatters_truth, 3, 1), t, IN(x, u, i), 4, F64(1, 0, 1, 1));
    gives(fn(scatters_span, 2, 1), COT_TYPES(cot_f64(4), cot_f64(2)), IN(x, u), 4,
          F64(1, 11, 21.5, 4));
    gives(fn(scatters_mask, 2, 1), COT_TYPES(cot_f64(4), cot_f64()), IN(x, u), 4,
          F64(1, 2, 11.5, 12));
    gives(fn(scatters_rows, 3, 1), COT_TYPES(cot_f64(2, 2), cot_f64(3, 2), cot_i32(3)),
          IN(x, F64(10, 20, 30, 40, 50, 60), ((const int32_t[]){ 1, 0, 1 })), 4,
          F64(40.5, 31, 70.75, 56));
    gives(fn(scatters, 3, 1), COT_TYPES(cot_f64(0), cot_f64(3), cot_i32(3)), IN(x, u, i), 0,
          x); /* all are outside */
}
END_TEST

START_TEST(scatters_by_under_transforms)
{
    const int32_t i[] = { 2, 0, 2, 1, 1, 3 };
    cot_types t = COT_TYPES(cot_f64(4), cot_f64(3), cot_i32(3));

    /* y = (x0/2 + u1, x1, (x2/2 + u0)/2 + u2, x3) */
    gives(cot_grad(fn(scatters_sum, 3, 1), .wrt = COT_LIST(0, 1)), t,
          IN(F64(1, 2, 3, 4), F64(10, 20, 30), i), 7, F64(20.5, 4, 17.875, 8, 35.75, 41, 71.5));
    gives(cot_vmap(fn(scatters, 3, 1), .in_dims = COT_LIST(COT_NONE, COT_NONE, 0)),
          COT_TYPES(cot_f64(4), cot_f64(3), cot_i32(2, 3)),
          IN(F64(1, 2, 3, 4), F64(10, 20, 30), i), 8, F64(20.5, 2, 35.75, 4, 1, 25.5, 3, 32));
}
END_TEST

/* Windows choose the largest; what is there is halved before the update is added. */
BODY(keeps_larger, out[0] = cot_ge(in[0], in[1]);)
BODY(selects,
     out[0] = cot_select_and_scatter(keeps_larger, halves, in[0], in[1],
                                     cot_full(t, cot_f64_scalar(), 1), .window = COT_LIST(3));)

START_TEST(selects_and_scatters)
{
    gives(fn(selects, 2, 1), COT_TYPES(cot_f64(5), cot_f64(3)),
          IN(F64(1, 5, 2, 4, 0), F64(10, 20, 30)), 5, F64(1, 25.25, 1, 30.5, 1));
}
END_TEST

/* ---- unique ---- */

BODY(differing_values,
     out[0] = cot_unique(in[0], .size = 5, .fill = -1, .count = &out[1], .counts = &out[2],
                         .index = &out[3], .inverse = &out[4]);)
BODY(two_values, out[0] = cot_unique(in[0], .size = 2);)
BODY(no_room, out[0] = cot_unique(in[0]);)

START_TEST(uniques)
{
    cot_type t = cot_f64(2, 3);
    const double *x = F64(4, 2, 4, 0, 2, 9);

    gives(fn(differing_values, 1, 5), COT_TYPES(t), IN(x), 22,
          F64(0, 2, 4, 9, -1, 4, 1, 2, 2, 1, 0, 3, 1, 0, 5, 0, 2, 1, 2, 0, 1, 3));
    gives(fn(two_values, 1, 1), COT_TYPES(t), IN(x), 2, F64(0, 2));
    gives(cot_vmap(fn(two_values, 1, 1)), COT_TYPES(t), IN(x), 4, F64(2, 4, 0, 2));
    gives(fn(two_values, 1, 1), COT_TYPES(cot_f64(0)), IN(x), 2, F64(0, 0));
}
END_TEST

/* ---- errors ---- */

BODY(differing, out[0] = cot_reduce(multiply, .xs = COT_VALUES(in[0], in[1]),
                                    .inits = COT_VALUES(in[0], in[0]));)
BODY(no_inits, out[0] = cot_reduce(multiply, .xs = COT_VALUES(in[0]));)
BODY(vector_init,
     out[0] = cot_reduce(multiply, .xs = COT_VALUES(in[0]), .inits = COT_VALUES(in[0]));)
BODY(no_bool, out[0] = cot_sort_by(multiply, .xs = COT_VALUES(in[0]));)

static void
fails(cot_body *body, cot_types types, const char *want)
{
    const cot_graph *g;

    ck_assert_int_ne(cot_trace_fn(fn(body, types.n, 1), types, &g), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), want), "%s\nwants %s", cot_error(ctx), want);
    cot_error_clear(ctx);
}

START_TEST(errors)
{
    cot_types t = COT_TYPES(cot_f64(3), cot_f64(4));

    fails(differing, t, "reduce: operands are f64[4] and f64[3]; wants equal shapes");
    fails(no_inits, t, "reduce: .inits has 0 entries; wants 1, as .xs");
    fails(vector_init, t, "reduce: .inits[0] is f64[3]; wants f64[]");
    fails(no_room, t,
          "unique: how many elements of f64[3] differ is not known while tracing; wants room "
          "for them: "
          "cot_unique(x, .size = k)");
    fails(no_bool, t, "sort_by: body: output 0 is f64[]; wants bool[]");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(reduces_pairs, 2),
        ONCE(reduces_in_order),
        ONCE(reduces_under_transforms),
        ONCE(windows),
        EACH(sorts, 4),
        ONCE(sorts_under_transforms),
        ONCE(scatters_by),
        ONCE(scatters_by_under_transforms),
        EACH(comparators_of_keys, 6),
        ONCE(selects_and_scatters),
        ONCE(uniques),
        ONCE(errors),
    };

    return SUITE("combine", cases);
}
