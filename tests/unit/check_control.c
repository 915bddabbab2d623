/* Rows of the feature list about control flow: `ctest -R B171` runs one.
 *
 * Bodies are traced as a user writes them; what they compute is compared with figures, or with
 * a loop over examples, on the evaluator and on the JIT where there is one. */
#include "control.h"

/* ---- bodies ---- */

BODY(square, out[0] = cot_mul(in[0], in[0]);)
BODY(cube, out[0] = cot_mul(cot_mul(in[0], in[0]), in[0]);)
BODY(identity, out[0] = in[0];)
BODY(zero, out[0] = cot_mul(in[0], 0.0);)
BODY(negative, out[0] = cot_neg(in[0]);)
BODY(below_100, out[0] = cot_lt(in[0], 100);)
BODY(doubled, out[0] = cot_mul(in[0], 2);)
BODY(multiply, out[0] = cot_mul(in[0], in[1]);)
BODY(f_cond, out[0] = cot_cond(cot_gt(in[0], 0), square, cube, .in = COT_VALUES(in[0]));)
BODY(f_switch,
     out[0] = cot_switch(cot_convert(in[0], COT_I32), COT_BODIES(square, cube, negative),
                         .in = COT_VALUES(in[0]));)
BODY(f_while, out[0] = cot_while(below_100, doubled, .in = COT_VALUES(in[0]));)
BODY(f_scan,
     out[0] = cot_scan(multiply, .in = COT_VALUES(in[0]),
                       .xs = COT_VALUES(cot_stack(COT_VALUES(in[0], in[0], in[0]), 0)));)

/* ---- A82: cond, switch, while and scan, under every transform ---- */

START_TEST(A82_flow_transforms)
{
    GIVES(cot_vmap(fn("cond", f_cond, 1, 1)), COT_TYPES(cot_f64(3)), IN(F64(1, -2, 3)), 1, -8,
          9);
    GIVES(cot_vmap(cot_grad(fn("cond", f_cond, 1, 1))), COT_TYPES(cot_f64(3)),
          IN(F64(1, -2, 3)), 2, 12, 6);
    GIVES(cot_grad(fn("switch", f_switch, 1, 1)), COT_TYPES(cot_f64()), IN(F64(1.5)), 6.75);
    GIVES(cot_vmap(fn("switch", f_switch, 1, 1)), COT_TYPES(cot_f64(4)), IN(F64(0, 1, 2, 9)), 0,
          1, -2, -9);
    GIVES(cot_vmap(fn("while", f_while, 1, 1)), COT_TYPES(cot_f64(3)), IN(F64(1, 30, 200)), 128,
          120, 200);
    GIVES(cot_vmap(cot_grad(fn("while", f_while, 1, 1))), COT_TYPES(cot_f64(3)),
          IN(F64(1, 30, 200)), 128, 4, 1);
    GIVES(cot_grad(fn("scan", f_scan, 1, 1)), COT_TYPES(cot_f64()), IN(F64(2)), 32);
    GIVES(cot_hessian(fn("scan", f_scan, 1, 1)), COT_TYPES(cot_f64()), IN(F64(2)), 48);
    GIVES(cot_vmap(cot_jacfwd(fn("scan", f_scan, 1, 1))), COT_TYPES(cot_f64(2)), IN(F64(2, 1)),
          32, 4);
}
END_TEST

/* ---- A85: nonzero ---- */

/* clang-format off */
#line 1 "model.c"
BODY(unbounded, out[0] = cot_nonzero(in[0]);)
#line 195 "check_control.c"
/* clang-format on */
BODY(bounded, out[0] = cot_nonzero(in[0], .size = 2, .fill = -1, .count = &out[1]);)
BODY(bounded_1, out[0] = cot_nonzero(in[0], .size = 1, .fill = -1, .count = &out[1]);)

START_TEST(A85_nonzero_is_bounded)
{
    const double xs[] = { 0, 1, 2, 0, 0, 3 };

    GIVES(cot_vmap(fn("nonzero", bounded, 1, 2)), COT_TYPES(cot_f64(2, 3)), IN(xs), 1, 2, 2, -1,
          2, 1);
    GIVES(fn("nonzero", bounded, 1, 2), COT_TYPES(cot_f64(3)), IN(xs), 1, 2, 2);
    GIVES(fn("nonzero", bounded_1, 1, 2), COT_TYPES(cot_f64(3)), IN(xs + 3), 2, 1);
    GIVES(fn("nonzero", bounded_1, 1, 2), COT_TYPES(cot_f64(3)), IN(xs), 1, 2);
    GIVES(fn("nonzero", bounded, 1, 2), COT_TYPES(cot_f64(2, 3)), IN(xs), 0, 1, 0, 2, 3);
    GIVES(fn("nonzero", bounded, 1, 2), COT_TYPES(cot_f64(2, 2)), IN(F64(0, NAN, 0, 0)), 0, 1,
          -1, -1, 1);
    GIVES(fn("nonzero", bounded, 1, 2), COT_TYPES(cot_f64()), IN(F64(3)), 1);
    GIVES(fn("nonzero", bounded, 1, 2), COT_TYPES(cot_f64(0)), IN(xs), -1, -1, 0);
    traced_fails(cot_vmap(fn("nonzero", unbounded, 1, 1)), COT_TYPES(cot_f64(2, 3)),
                 COT_ERR_SHAPE,
                 "model.c:1, in vmap: nonzero: how many elements of f64[3] are not 0 is not "
                 "known while tracing; wants "
                 "room for them: cot_nonzero(v, .size = k, .fill = c)");
    traced_fails(fn("nonzero", unbounded, 1, 1), COT_TYPES(cot_f64(3)), COT_ERR_SHAPE,
                 "model.c:1: nonzero: how many elements of f64[3] are not 0 is not known while "
                 "tracing; wants "
                 "room for them: cot_nonzero(v, .size = k, .fill = c)");
}
END_TEST

/* ---- A12, A115: chunks ---- */

BODY(wide, cot_value y = cot_dot(in[1], cot_sin(in[0]));
     out[0] = cot_reduce_sum(cot_mul(y, cot_dot(in[1], cot_exp(y))));)

START_TEST(A12_memory_scales_with_the_chunk)
{
    cot_fn *f = fn("wide", wide, 2, 1);
    cot_list dims = COT_LIST(0, COT_NONE);

    GIVES(cot_vmap(fn("square", square, 1, 1), .chunk = 2), COT_TYPES(cot_f64(5)),
          IN(F64(1, 2, 3, 4, 5)), 1, 4, 9, 16, 25);
    GIVES(cot_vmap(fn("square", square, 1, 1), .chunk = 7), COT_TYPES(cot_f64(3)),
          IN(F64(1, 2, 3)), 1, 4, 9);
    ck_assert_int_eq(
        count_op(graph(cot_vmap(fn("square", square, 1, 1), .chunk = 7), COT_TYPES(cot_f64(3))),
                 OP_scan),
        0);
    size_t all =
        work_bytes(cot_vmap(f, .in_dims = dims), COT_TYPES(cot_f64(512, 64), cot_f64(64, 64)));
    size_t some = work_bytes(cot_vmap(f, .in_dims = dims, .chunk = 8),
                             COT_TYPES(cot_f64(512, 64), cot_f64(64, 64)));
    size_t less = work_bytes(cot_vmap(f, .in_dims = dims, .chunk = 8),
                             COT_TYPES(cot_f64(64, 64), cot_f64(64, 64)));

    if (!COT_PLANS)
        return;
    ck_assert_msg(some * 8 < all, "%zu bytes in chunks, %zu at once", some, all);
    ck_assert_msg(some <= less + 512 * 8 + 64, "%zu bytes for 512 examples, %zu for 64", some,
                  less);
}
END_TEST

/* The body of the loop is the function itself: no rule has seen it. */
START_TEST(A115_chunk_1_asks_for_no_rule)
{
    cot_fn *f = fn("while", f_while, 1, 1);
    const ir_graph *alone = graph(f, COT_TYPES(cot_f64())),
                   *g = graph(cot_vmap(f, .chunk = 1), COT_TYPES(cot_f64(3)));

    ir_each_node (n, g)
        if (n->op == OP_scan) {
            ck_assert_int_eq(n->at->scan.length, 3);
            ck_assert(ir_graph_equal(n->at->scan.body, alone));
        }
    ck_assert_int_eq(count_op(g, OP_scan), 1);
    GIVES(cot_vmap(f, .chunk = 1), COT_TYPES(cot_f64(3)), IN(F64(1, 30, 200)), 128, 120, 200);
}
END_TEST

/* ---- B166 to B168: what a cond is ---- */

BODY(host_true, out[0] = cot_cond(true, square, cube, .in = COT_VALUES(in[0]));)
BODY(host_false, out[0] = cot_cond(1 > 2, square, cube, .in = COT_VALUES(in[0]));)
BODY(host_index,
     out[0] = cot_switch(7, COT_BODIES(square, cube, negative), .in = COT_VALUES(in[0]));)
static void
pair(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_mul(in[0], in[0]);
    out[1] = cot_mul(in[0], 3);
}
BODY(host_two, cot_cond(1, pair, pair, .in = COT_VALUES(in[0]), .out = out, .n_out = 2);)
/* clang-format off */
#line 10 "model.c"
BODY(host_real, out[0] = cot_cond(0.5, square, cube, .in = COT_VALUES(in[0]));)
BODY(narrow,    out[0] = cot_convert(in[0], COT_F16);)
BODY(longer,    out[0] = cot_stack(COT_VALUES(in[0], in[0]), 0);)
BODY(dtypes,    out[0] = cot_cond(cot_lt(in[0], 1), square, narrow, .in = COT_VALUES(in[0]));)
BODY(shapes,    out[0] = cot_cond(cot_lt(in[0], 1), longer, square, .in = COT_VALUES(in[0]));)
#line 272 "check_control.c"
/* clang-format on */

START_TEST(B166_a_number_of_C_chooses_now)
{
    GIVES(fn("cond", host_true, 1, 1), COT_TYPES(cot_f64()), IN(F64(3)), 9);
    GIVES(fn("cond", host_false, 1, 1), COT_TYPES(cot_f64()), IN(F64(3)), 27);
    GIVES(fn("switch", host_index, 1, 1), COT_TYPES(cot_f64()), IN(F64(3)), -3);
    GIVES(fn("cond", host_two, 1, 2), COT_TYPES(cot_f64()), IN(F64(3)), 9, 9);
    ck_assert_int_eq(
        count_op(graph(fn("cond", host_true, 1, 1), COT_TYPES(cot_f64())), OP_cond), 0);
    GIVES(cot_vmap(cot_grad(fn("cond", host_false, 1, 1))), COT_TYPES(cot_f64(2)),
          IN(F64(3, 1)), 27, 3);
    traced_fails(fn("cond", host_real, 1, 1), COT_TYPES(cot_f64()), COT_ERR_ARG,
                 "model.c:10: cond: the predicate is a fraction; wants an integer or bool");
}
END_TEST

START_TEST(B167_a_value_chooses_at_run_time)
{
    const ir_graph *g = graph(fn("cond", f_cond, 1, 1), COT_TYPES(cot_f64()));

    ck_assert_int_eq(count_op(g, OP_cond), 1);
    ir_each_node (n, g)
        if (n->op == OP_cond) {
            ck_assert_int_eq(n->at->cond.branches.n, 2);
            ck_assert_int_eq(count_op(n->at->cond.branches.at[0], OP_mul), 2);
            ck_assert_int_eq(count_op(n->at->cond.branches.at[1], OP_mul), 1);
        }
    GIVES(fn("cond", f_cond, 1, 1), COT_TYPES(cot_f64()), IN(F64(3)), 9);
    GIVES(fn("cond", f_cond, 1, 1), COT_TYPES(cot_f64()), IN(F64(-3)), -27);
}
END_TEST

START_TEST(B168_branches_agree)
{
    traced_fails(fn("f", dtypes, 1, 1), COT_TYPES(cot_f32()), COT_ERR_SHAPE,
                 "model.c:13: cond: branch 1: output 0 is f32[]; wants f16[]");
    traced_fails(fn("f", shapes, 1, 1), COT_TYPES(cot_f32()), COT_ERR_SHAPE,
                 "model.c:14: cond: branch 1: output 0 is f32[2]; wants f32[]");
}
END_TEST

/* ---- B169, B170: captured values ---- */

static void
with_w(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_mul(in[0], ((seen *)user)->w);
}
static void
less_w(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_sub(cot_mul(in[0], in[0]), cot_sin(((seen *)user)->w));
}
BODY(closed, seen s = { in[2] };
     out[0] = cot_cond(cot_gt(in[0], 0), with_w, less_w, .in = COT_VALUES(in[1]), .user = &s);)

START_TEST(B169_mapped_or_not)
{
    const double x[] = { 1, -1, 2, 0.5, 2, 3, -2, 1, 4 };
    cot_fn *f = fn("closed", closed, 3, 1);

    for (unsigned mask = 1; mask < 8; mask++) {
        agrees_with_loop(f, 3, mask, 0, x);
        agrees_with_loop(cot_grad(f, .wrt = COT_LIST(1, 2)), 3, mask, 0, x);
    }
}
END_TEST

static void
inner(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_cond(cot_gt(in[0], 1), with_w, less_w, .in = COT_VALUES(in[0]), .user = user);
}
static void
step_cond(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_cond(cot_lt(in[0], 3), inner, less_w, .in = COT_VALUES(in[1]), .user = user);
}
BODY(nested, seen s = { in[1] };
     out[0] = cot_fori(5, step_cond, .in = COT_VALUES(in[0]), .user = &s);)

/* The same in C, with its derivative in w by dual numbers. */
static double
nested_in_c(double x, double w, double *slope)
{
    double d = 0;

    for (int i = 0; i < 5; i++) {
        bool times = i < 3 && x > 1;
        d = times ? d * w + x : 2 * x * d - cos(w);
        x = times ? x * w : x * x - sin(w);
    }
    *slope = d;
    return x;
}

START_TEST(B170_nested_with_closures)
{
    const double x[] = { 1.5, -0.5, 0.2, 0.75, 1.25, -0.3 };
    cot_fn *f = fn("nested", nested, 2, 1);

    for (int i = 0; i < 3; i++) {
        double slope, y = nested_in_c(x[i], x[3 + i], &slope), got[2];
        ck_assert_int_eq(results(cot_grad_and_value(f, .wrt = COT_LIST(1)),
                                 COT_TYPES(cot_f64(), cot_f64()), IN(&x[i], &x[3 + i]), got),
                         2);
        ck_assert_msg(fabs(got[0] - slope) < 1e-11 * (1 + fabs(slope)),
                      "slope %.17g, wants %.17g", got[0], slope);
        ck_assert_msg(fabs(got[1] - y) < 1e-12 * (1 + fabs(y)), "value %.17g, wants %.17g",
                      got[1], y);
    }
    for (unsigned mask = 1; mask < 4; mask++)
        agrees_with_loop(cot_grad(f, .wrt = COT_LIST(0, 1)), 2, mask, 0, x);
}
END_TEST

/* ---- B171 to B173: vmap of cond ---- */

BODY(by_flag, out[0] = cot_cond(cot_gt(in[0], 0), square, cube, .in = COT_VALUES(in[1]));)

START_TEST(B171_unmapped_predicate_stays)
{
    cot_fn *v = cot_vmap(fn("by_flag", by_flag, 2, 1), .in_dims = COT_LIST(COT_NONE, 0));
    const ir_graph *g = graph(v, COT_TYPES(cot_f64(), cot_f64(3)));

    ck_assert_int_eq(count_op(g, OP_cond), 1);
    ck_assert_int_eq(count_op(g, OP_select), 0);
    ir_each_node (n, g)
        if (n->op == OP_cond)
            ck_assert_int_eq(ir_type_at(g, n->in[0])->rank, 0);
    GIVES(v, COT_TYPES(cot_f64(), cot_f64(3)), IN(F64(1), F64(1, 2, 3)), 1, 4, 9);
    GIVES(v, COT_TYPES(cot_f64(), cot_f64(3)), IN(F64(-1), F64(1, 2, 3)), 1, 8, 27);
}
END_TEST

BODY(log_sqrt, out[0] = cot_mul(cot_log(in[0]), cot_sqrt(in[0]));)
BODY(guarded, out[0] = cot_cond(cot_gt(in[0], 0), log_sqrt, zero, .in = COT_VALUES(in[0]));)

START_TEST(B172_the_branch_not_taken_poisons_nothing)
{
    const double x[] = { 1, -4, 0 };
    cot_fn *f = fn("guarded", guarded, 1, 1);

    GIVES(cot_vmap(f), COT_TYPES(cot_f64(3)), IN(x), 0, 0, 0);
    GIVES(cot_vmap(cot_grad(f)), COT_TYPES(cot_f64(3)), IN(x), 1, 0, 0);
    GIVES(cot_vmap(cot_hessian(f)), COT_TYPES(cot_f64(3)), IN(x), 0, 0, 0);
    GIVES(cot_jacrev(cot_vmap(f)), COT_TYPES(cot_f64(3)), IN(x), 1, 0, 0, 0, 0, 0, 0, 0, 0);
}
END_TEST

BODY(not_zero, out[0] = cot_ne(in[0], 0);)
BODY(minus_one, out[0] = cot_sub(in[0], 1);)
BODY(counting, out[0] = cot_while(not_zero, minus_one, .in = COT_VALUES(in[0]));)
BODY(safe, out[0] = cot_cond(cot_ge(in[0], 0), counting, identity, .in = COT_VALUES(in[0]));)

/* From -3 the loop would never reach 0. */
START_TEST(B173_the_loop_not_taken_ends)
{
    GIVES(cot_vmap(fn("safe", safe, 1, 1)), COT_TYPES(cot_f64(4)), IN(F64(-3, 5, 2, -0.5)), -3,
          0, 0, -0.5);
    GIVES(cot_vmap(cot_grad(fn("safe", safe, 1, 1))), COT_TYPES(cot_f64(4)),
          IN(F64(-3, 5, 2, -0.5)), 1, 1, 1, 1);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A12", A12_memory_scales_with_the_chunk, 1 },
        { "A82", A82_flow_transforms, 1 },
        { "A85", A85_nonzero_is_bounded, 1 },
        { "A115", A115_chunk_1_asks_for_no_rule, 1 },
        { "B166", B166_a_number_of_C_chooses_now, 1 },
        { "B167", B167_a_value_chooses_at_run_time, 1 },
        { "B168", B168_branches_agree, 1 },
        { "B169", B169_mapped_or_not, 1 },
        { "B170", B170_nested_with_closures, 1 },
        { "B171", B171_unmapped_predicate_stays, 1 },
        { "B172", B172_the_branch_not_taken_poisons_nothing, 1 },
        { "B173", B173_the_loop_not_taken_ends, 1 },
    };

    return SUITE("control", cases);
}
