/* Rows of the feature list about loops: while, fori, scan and associative_scan under vmap, jvp
 * and reverse mode.  `ctest -R B174` runs one. */
#include "control.h"

BODY(multiply, out[0] = cot_mul(in[0], in[1]);)
BODY(below_100, out[0] = cot_lt(in[0], 100);)
BODY(doubled, out[0] = cot_mul(in[0], 2);)
BODY(f_while, out[0] = cot_while(below_100, doubled, .in = COT_VALUES(in[0]));)

/* ---- B174 to B177: vmap and jvp of while ---- */

static void
goes_on(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_lt(in[0], ((seen *)user)->w);
}
static void
grow(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], in[1]); /* mapped once the next carry is */
    out[1] = cot_mul(in[1], in[2]);
    out[2] = in[2];
}
static void
growing(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    seen s = { in[0] };
    cot_value one = cot_full(t, cot_f64(), 1), y[3];

    (void)user;
    cot_while(goes_on, grow, .in = COT_VALUES(one, one, in[1]), .user = &s, .out = y);
    out[0] = y[0];
    out[1] = y[1];
}

START_TEST(B174_carries_become_mapped)
{
    const double x[] = { 10, 100, 3, 1.5, 2, 3 };
    cot_fn *f = fn("growing", growing, 2, 2);

    for (unsigned mask = 1; mask < 4; mask++) {
        agrees_with_loop(f, 2, mask, 0, x);
        agrees_with_loop(cot_vjp(f), 4, mask | 12, 0,
                         F64(10, 100, 3, 1.5, 2, 3, 1, 0.5, 2, 1, 1, -1));
    }
}
END_TEST

BODY(above, out[0] = cot_gt(in[0], 1);)
BODY(shrink, out[0] = cot_div(1, cot_sub(cot_div(1, in[0]), 1));)
BODY(unstable, out[0] = cot_while(above, shrink, .in = COT_VALUES(in[0]));)

/* A step from 1 divides by 0: an example that is done must not take another. */
START_TEST(B175_converged_examples_are_frozen)
{
    GIVES(cot_vmap(fn("unstable", unstable, 1, 1)), COT_TYPES(cot_f64(4)),
          IN(F64(1, 2, 0.5, 0)), 1, -2, 0.5, 0);
    GIVES(cot_vmap(cot_grad(fn("unstable", unstable, 1, 1))), COT_TYPES(cot_f64(4)),
          IN(F64(1, 2, 0.5, 0)), 1, 1, 1, 1);
}
END_TEST

START_TEST(B176_no_examples_no_steps)
{
    static double got[1];

    ck_assert_int_eq(
        results(cot_vmap(fn("while", f_while, 1, 1)), COT_TYPES(cot_f64(0)), IN(got), got), 0);
    ck_assert_int_eq(results(cot_vmap(cot_grad(fn("while", f_while, 1, 1))),
                             COT_TYPES(cot_f64(0)), IN(got), got),
                     0);
}
END_TEST

static void
below_limit(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_lt(in[0], 3);
}
static void
chain(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], 1);
    out[1] = cot_mul(in[1], in[2]); /* varies from the second step on */
    out[2] = cot_mul(in[2], in[3]);
    out[3] = in[3];
}
static void
chained(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[4], one = cot_full(t, cot_f64(), 1), i = cot_full(t, cot_i32(), 0);

    (void)user;
    cot_while(below_limit, chain, .in = COT_VALUES(i, one, one, in[0]), .out = y);
    out[0] = y[1];
}

/* Products of 1, x, x^2: x^3. */
START_TEST(B177_tangents_are_carries)
{
    cot_fn *f = fn("chained", chained, 1, 1);
    const ir_graph *g = graph(cot_jvp(f), COT_TYPES(cot_f64(), cot_f64()));

    ck_assert_int_eq(count_op(g, OP_while), 1);
    ir_each_node (n, g)
        if (n->op == OP_while) /* i, three values, their three tangents */
            ck_assert_int_eq(n->n_out, 7);
    GIVES(cot_jvp(f), COT_TYPES(cot_f64(), cot_f64()), IN(F64(2), F64(1)), 8, 12);
    GIVES(cot_jvp(cot_jvp(f)), COT_TYPES(cot_f64(), cot_f64(), cot_f64(), cot_f64()),
          IN(F64(2), F64(1), F64(1), F64(0)), 8, 12, 12, 12);
}
END_TEST

/* ---- B178: reverse of a counted loop ---- */

static void
ten_times(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_lt(in[0], 10);
}
static void
sine_step(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], 1);
    out[1] = cot_sin(in[1]);
}
static void
counted(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];

    (void)user;
    cot_while(ten_times, sine_step, .in = COT_VALUES(cot_full(t, cot_i32(), 0), in[0]),
              .out = y);
    out[0] = y[1];
}

/* The loop becomes a scan with its residuals side by side. */
START_TEST(B178_counted_loops_are_scans)
{
    cot_fn *f = fn("counted", counted, 1, 1);
    const ir_graph *g = graph(cot_grad(f), COT_TYPES(cot_f64()));
    double x = 0.75, slope = 1, y = x;

    for (int i = 0; i < 10; i++)
        slope *= cos(y), y = sin(y);
    ck_assert_int_eq(count_op(graph(f, COT_TYPES(cot_f64())), OP_while), 1);
    ck_assert_int_eq(count_op(g, OP_while), 0);
    ck_assert_int_eq(count_op(g, OP_scan), 2);
    GIVES(cot_grad_and_value(f), COT_TYPES(cot_f64()), IN(&x), slope, y);
    agrees_with_loop(cot_grad(f), 1, 1, 0, F64(0.5, 1, -2));
    ck_assert_msg(work_bytes(cot_grad(f), COT_TYPES(cot_f64())) <= 24 * 8 + 128, "%zu bytes",
                  work_bytes(cot_grad(f), COT_TYPES(cot_f64())));
}
END_TEST

/* Every way to write a counter; what is no counter, or would wrap, stays a while. */
START_TEST(B178_ways_to_count)
{
    static const struct {
        const char *start, *step, *compare, *limit;
        int trips; /* -1: stays a while */
    } row[] = {
        { "0", "add %i, %s", "lt %i, %n", "1:10", 10 },
        { "0", "add %s, %i", "gt %n, %i", "3:10", 4 },
        { "1", "add %i, %s", "le %i, %n", "3:10", 4 },
        { "10", "sub %i, %s", "gt %i, %n", "2:0", 5 },
        { "10", "sub %i, %s", "ge %i, %n", "5:0", 3 },
        { "0", "add %i, %s", "ne %i, %n", "4:12", 3 },
        { "5", "add %i, %s", "lt %i, %n", "1:5", 0 },
        { "0", "add %i, %s", "ne %i, %n", "5:12", -1 },
        { "0", "sub %i, %s", "lt %i, %n", "1:10", -1 },
        { "0", "mul %i, %s", "lt %i, %n", "1:10", -1 },
        { "100", "add %i, %s", "le %i, %n", "1:127", -1 },
        { "100", "add %i, %s", "le %i, %n", "1:126", 27 },
        { "0", "sub %s, %i", "lt %i, %n", "1:10", -1 },
        { "0", "add %i, %s", "eq %i, %n", "1:10", -1 },
    };
    char text[1024];

    for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
        int step, limit;
        ir_module m;
        ir_graph *g;
        ck_assert_int_eq(sscanf(row[r].limit, "%d:%d", &step, &limit), 2);
        snprintf(text, sizeof text,
                 "fn @c(%%n: i8[], %%i: i8[], %%x: f64[]) -> bool[] {\n  %%p = %s : bool[]\n  "
                 "ret %%p\n}\n"
                 "fn @b(%%n: i8[], %%i: i8[], %%x: f64[]) -> (i8[], f64[]) {\n  %%s = constant "
                 "{data=%d} : i8[]\n"
                 "  %%j = %s : i8[]\n  %%y = add %%x, %%x : f64[]\n  ret %%j, %%y\n}\n"
                 "fn @f(%%x: f64[]) -> f64[] {\n  %%n = constant {data=%d} : i8[]\n"
                 "  %%i = constant {data=%s} : i8[]\n"
                 "  %%j, %%y = while %%n, %%i, %%x {consts=1, cond=@c, body=@b} : i8[], "
                 "f64[]\n  ret %%y\n}\n",
                 row[r].compare, step, row[r].step, limit, row[r].start);
        ck_assert_msg(ir_parse(ctx, "test", text, strlen(text), &m) == COT_OK, "%s",
                      cot_error(ctx));
        ck_assert_int_eq(pass_while_to_scan(m.fn[m.n - 1], &g), COT_OK);
        ck_assert_msg(count_op(g, OP_while) == (row[r].trips < 0), "row %zu", r);
        ir_each_node (n, g)
            if (n->op == OP_scan)
                ck_assert_int_eq(n->at->scan.length, row[r].trips);
        double x = 1, y;
        void *out = &y;
        if (row[r].trips >= 0) {
            ck_assert_int_eq(ir_eval(m.fn[m.n - 1], &out, IN(&x)), COT_OK);
            ck_assert_msg(y == ldexp(1, row[r].trips), "row %zu", r);
        }
    }
}
END_TEST

/* ---- B179: reverse of a loop whose trips nobody knows ---- */

BODY(limited, out[0] = cot_while(below_100, doubled, .in = COT_VALUES(in[0]), .max = 8);)

START_TEST(B179_reverse_of_any_while)
{
    cot_fn *f = fn("while", f_while, 1, 1), *g = fn("limited", limited, 1, 1);
    const double x = 0.25;
    double y;
    void *out = &y;

    GIVES(cot_grad(f), COT_TYPES(cot_f64()), IN(F64(1)), 128);
    GIVES(cot_grad(g), COT_TYPES(cot_f64()), IN(F64(1)), 128);
    ck_assert_int_eq(ir_eval(graph(cot_grad(g), COT_TYPES(cot_f64())), &out, IN(&x)),
                     COT_ERR_BOUND);
    cot_error_clear(ctx);
}
END_TEST

/* ---- B180, B181: scan ---- */

static void
both(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(cot_mul(in[0], in[1]), in[2]);
    out[1] = cot_mul(out[0], in[2]);
}
BODY(trees, cot_scan(both, .in = COT_VALUES(in[0]), .xs = COT_VALUES(in[1], in[2]), .out = out,
                     .n_out = 1);)
BODY(backwards, cot_scan(both, .in = COT_VALUES(in[0]), .xs = COT_VALUES(in[1], in[2]),
                         .out = out, .n_out = 1, .reverse = 1);)
BODY(no_step, out[0] = cot_scan(doubled, .in = COT_VALUES(in[0]), .length = COT_NONE);)
BODY(length_only, out[0] = cot_scan(doubled, .in = COT_VALUES(in[0]), .length = 6);)

START_TEST(B180_scan_xs_length_reverse)
{
    const cot_types t = COT_TYPES(cot_f64(), cot_f64(3), cot_f64(3));
    const void *const *in = IN(F64(1), F64(2, 3, 4), F64(1, -1, 2));

    GIVES(fn("trees", trees, 3, 2), t, in, 34, 3, -8, 68);
    GIVES(fn("backwards", backwards, 3, 2), t, in, 35, 35, -17, 12);
    GIVES(fn("length_only", length_only, 1, 1), COT_TYPES(cot_f64()), IN(F64(1)), 64);
    GIVES(fn("no_step", no_step, 1, 1), COT_TYPES(cot_f64()), IN(F64(7)), 7);
    GIVES(cot_grad(fn("length_only", length_only, 1, 1)), COT_TYPES(cot_f64()), IN(F64(1)), 64);
    agrees_with_loop(fn("length_only", length_only, 1, 1), 1, 1, 0, F64(1, 2, 3));
}
END_TEST

static void
rotate(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    cot_value w = cot_tanh(cot_mul(((seen *)user)->w, 0.5)); /* the same in every step */
    out[0] = cot_mul(cot_sin(in[0]), w);
}
BODY(rotated, seen s = { in[1] };
     out[0] = cot_reduce_sum(cot_scan(rotate, .in = COT_VALUES(in[0]), .length = 50,
                                      .user = &s));)

/* Saved for each step: the one value that the derivative of sin needs, and nothing of w. */
START_TEST(B181_residuals_only_what_is_needed)
{
    cot_fn *f = fn("rotated", rotated, 2, 1), *df = cot_grad(f, .wrt = COT_LIST(0, 1));
    const cot_types types = COT_TYPES(cot_f64(16), cot_f64(16));
    const ir_graph *g = graph(df, types);
    int64_t saved = 0;

    ir_each_node (n, g)
        if (n->op == OP_scan)
            for (int j = (int)n->at->scan.carries; j < n->n_out; j++)
                saved += ir_type_at(g, n->first + (ir_ref)j)->size;
    ck_assert_int_le(saved, 2 * 50 * 16);
    ck_assert_msg(work_bytes(df, types) <= (2 * 50 + 16) * 16 * 8, "%zu bytes",
                  work_bytes(df, types));
}
END_TEST

/* ---- associative_scan ---- */

BODY(affine, out[0] = cot_mul(in[0], in[2]); out[1] = cot_add(cot_mul(in[1], in[2]), in[3]);)
BODY(prefixes, cot_associative_scan(affine, .xs = COT_VALUES(in[0], in[1]), .out = out);)
BODY(suffixes,
     cot_associative_scan(affine, .xs = COT_VALUES(in[0], in[1]), .out = out, .reverse = 1);)
BODY(sums, out[0] = cot_associative_scan(multiply, .xs = COT_VALUES(in[0]));)

/* y = a y + b, step by step. */
START_TEST(associative_scan_is_the_recurrence)
{
    double a[40], b[40], got[80];

    for (int i = 0; i < 40; i++)
        a[i] = 0.5 + 0.03 * i, b[i] = 1 - 0.1 * i;
    for (int n = 1; n <= 40; n += n < 9 ? 1 : 7) {
        cot_type t = cot_type_new(COT_F64, 1, (const int64_t[]){ n });
        for (int reverse = 0; reverse < 2; reverse++) {
            double p = 1, y = 0;
            ck_assert_int_eq(results(fn("prefixes", reverse ? suffixes : prefixes, 2, 2),
                                     COT_TYPES(t, t), IN(a, b), got),
                             2 * n);
            for (int k = 0; k < n; k++) {
                int i = reverse ? n - 1 - k : k;
                p *= a[i];
                y = a[i] * y + b[i];
                ck_assert(fabs(got[i] - p) <= 1e-13 * fabs(p));
                ck_assert(fabs(got[n + i] - y) <= 1e-12 * (1 + fabs(y)));
            }
        }
    }
    GIVES(cot_vmap(fn("sums", sums, 1, 1)), COT_TYPES(cot_f64(2, 3)), IN(F64(1, 2, 3, 4, 5, 6)),
          1, 2, 6, 4, 20, 120);
    GIVES(cot_jacrev(fn("sums", sums, 1, 1)), COT_TYPES(cot_f64(3)), IN(F64(2, 3, 4)), 1, 0, 0,
          3, 2, 0, 12, 8, 6);
}
END_TEST

/* Linear work: fewer than 2 n elements are combined. */
START_TEST(associative_scan_does_linear_work)
{
    const ir_graph *g = graph(fn("sums", sums, 1, 1), COT_TYPES(cot_f64(1000)));
    int64_t work = 0;

    ir_each_node (n, g)
        work += n->op == OP_mul ? ir_type_at(g, n->first)->size : 0;
    ck_assert_int_lt(work, 2000);
    ck_assert_int_lt(count_op(g, OP_mul), 20);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "B174", B174_carries_become_mapped, 1 },
        { "B175", B175_converged_examples_are_frozen, 1 },
        { "B176", B176_no_examples_no_steps, 1 },
        { "B177", B177_tangents_are_carries, 1 },
        { "B178", B178_counted_loops_are_scans, 1 },
        { "B178", B178_ways_to_count, 1 },
        { "B179", B179_reverse_of_any_while, 1 },
        { "B180", B180_scan_xs_length_reverse, 1 },
        { "B181", B181_residuals_only_what_is_needed, 1 },
        { "associative_scan", associative_scan_is_the_recurrence, 1 },
        { "associative_scan_work", associative_scan_does_linear_work, 1 },
    };

    return SUITE("loops", cases);
}
