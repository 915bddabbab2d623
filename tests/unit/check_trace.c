/* Bodies to graphs: broadcasting, promotion, numbers, captures, calls, control flow, names,
 * trees. */
#include "traced.h"

static cot_fn *
fn(const char *name, cot_body *body, int n_in, void *user)
{
    return cot_fn_new(ctx, name, body, n_in, 1, user);
}

/* ---- operands ---- */

BODY(numbers, out[0] = cot_mul(cot_sub(1, cot_add(in[0], 0.5)), 2u);)
BODY(broadcast, out[0] = cot_add(in[0], in[1]);)

START_TEST(numbers_take_the_type_of_the_value)
{
    traced_prints(fn("f", numbers, 1, NULL), COT_TYPES(cot_f16(2)),
                  "fn @f(%arg0: f16[2]) -> f16[2] {\n"
                  "  %0 = constant {data=0.5} : f16[2]\n"
                  "  %1 = add %arg0, %0       : f16[2]\n"
                  "  %2 = constant {data=1}   : f16[2]\n"
                  "  %3 = sub %2, %1          : f16[2]\n"
                  "  %4 = constant {data=2}   : f16[2]\n"
                  "  %5 = mul %3, %4          : f16[2]\n"
                  "  ret %5\n"
                  "}\n");
}
END_TEST

BODY(joined, out[0] = cot_sub(cot_mul(in[0], in[0]), in[1]);)
BODY(apart, cot_fp_contract_off(t); out[0] = cot_sub(cot_mul(in[0], in[0]), in[1]);)
BODY(calls_apart,
     out[0] = cot_call(cot_fn_new(cot_trace_context(t), "apart", apart, 2, 1, NULL), in[0],
                       in[1]);)

START_TEST(products_and_sums_stay_apart_on_request)
{
    const float x = 1 + 0x1p-12f, xx = x * x;
    cot_body *body[] = { joined, apart, calls_apart };
    const float want[] = { fmaf(x, x, -xx), 0, 0 };

    traced_prints(fn("f", apart, 2, NULL), COT_TYPES(cot_f32(), cot_f32()),
                  "fn @f(%arg0: f32[], %arg1: f32[]) -> f32[] contract=off {\n"
                  "  %0 = mul %arg0, %arg0 : f32[]\n"
                  "  %1 = sub %0, %arg1    : f32[]\n"
                  "  ret %1\n"
                  "}\n");
    for (int i = 0; i < 3; i++) {
        float a = x, b = xx, y = 1;
        cot_array *in[] = { cot_array_borrow(ctx, cot_f32(), &a),
                            cot_array_borrow(ctx, cot_f32(), &b) };
        cot_array *out = cot_array_borrow(ctx, cot_f32(), &y);

        ck_assert_int_eq(
            cot_jit(fn("f", body[i], 2, NULL), &out, 1, (const cot_array *const *)in, 2),
            COT_OK);
        ck_assert(y == want[i]);
        cot_array_free(in[0]), cot_array_free(in[1]), cot_array_free(out);
    }
}
END_TEST

START_TEST(values_broadcast_and_promote)
{
    static const struct { cot_dtype x, y, want;
    } row[] = {
        { COT_BOOL, COT_I8, COT_I8 },    { COT_I8, COT_I32, COT_I32 },
        { COT_U8, COT_U16, COT_U16 },    { COT_U8, COT_I8, COT_I16 },
        { COT_U8, COT_I32, COT_I32 },    { COT_U32, COT_I32, COT_I64 },
        { COT_I64, COT_F16, COT_F16 },   { COT_F16, COT_BF16, COT_F32 },
        { COT_F16, COT_F32, COT_F32 },   { COT_BF16, COT_F64, COT_F64 },
        { COT_U64, COT_BF16, COT_BF16 }, { COT_I16, COT_U32, COT_I64 },
    };
    const cot_graph *g;

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        cot_type x = cot_type_new(row[i].x, 2, (const int64_t[]){2, 1});
        cot_type y = cot_type_new(row[i].y, 1, (const int64_t[]){3});
        ck_assert_msg(cot_trace_fn(fn("f", broadcast, 2, NULL), COT_TYPES(x, y), &g) == COT_OK,
                      "%s", cot_error(ctx));
        cot_type got = cot_graph_out_type(g, 0);
        ck_assert_int_eq(got.dtype, row[i].want);
        ck_assert_int_eq(got.rank, 2);
        ck_assert_int_eq(got.dims[0], 2);
        ck_assert_int_eq(got.dims[1], 3);
    }
}
END_TEST

/* ---- what a body may know: A81 ---- */

static void
custom_dot(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    ck_assert(cot_rank(in[0]) < 2 || cot_size(in[0], -1) == 3);
    out[0] =
        cot_rank(in[0]) == 1 ? cot_reduce_sum(cot_mul(in[0], in[0])) : cot_mul(in[0], in[0]);
}

START_TEST(A81_ranks_are_those_of_one_example)
{
    const double x[] = {1, 2, 3, 4, 5, 6};
    const void *const xs[] = {x};
    cot_fn *f = fn("custom_dot", custom_dot, 1, NULL);

    traced_gives(cot_vmap(f), COT_TYPES(cot_f64(2, 3)), xs, cot_f64(2),
                 (const double[]){ 14, 77 }, 0);
    traced_gives(f, COT_TYPES(cot_f64(3)), xs, cot_f64(), (const double[]){14}, 0);
}
END_TEST

/* ---- once per trace: A65, A72, A110 ---- */

static void
counted(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    ++*(int *)user;
    out[0] = cot_reduce_sum(cot_mul(in[0], in[0]));
}

START_TEST(A110_a_body_runs_once_for_each_example_type)
{
    int count = 0;
    const cot_graph *g, *again;
    cot_fn *f = fn("f", counted, 1, &count);

    ck_assert_int_eq(cot_trace_fn(cot_vmap(f), COT_TYPES(cot_f32(5, 2)), &g), COT_OK);
    ck_assert_int_eq(cot_trace_fn(cot_hessian(f), COT_TYPES(cot_f32(2)), &g), COT_OK);
    ck_assert_int_eq(cot_trace_fn(cot_vmap(cot_hessian(f)), COT_TYPES(cot_f32(3, 2)), &g),
                     COT_OK);
    ck_assert_int_eq(cot_trace_fn(cot_vmap(cot_hessian(f)), COT_TYPES(cot_f32(3, 2)), &again),
                     COT_OK);
    ck_assert_int_eq(count, 1);
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(2)), &g), COT_OK);
    ck_assert_int_eq(count, 2);
}
END_TEST

/* ---- calls and captures: A15, A108 ---- */

typedef struct model {
    cot_context *ctx;
    cot_value weights;
} model;

static void
example(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_relu(cot_dot(in[0], ((model *)user)->weights));
}

static void
hidden_batch(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    model m = {cot_trace_context(t), in[0]};

    (void)user;
    out[0] = cot_reduce_sum(
        cot_call(cot_vmap(cot_fn_new(m.ctx, "example", example, 1, 1, &m)), in[1]));
}

START_TEST(A108_what_is_captured_is_unmapped_and_differentiable)
{
    const double w[] = {1, -1, .5, 2, -.25};
    const double e[] = {1, 2, 3, 4, 5, -1, 0, 1, -2, 2, .5, -.5, 1, 0, 4};
    const void *const in[] = {w, e};
    cot_fn *f = fn("hidden_batch", hidden_batch, 2, NULL);
    cot_types types = COT_TYPES(cot_f64(5), cot_f64(3, 5));

    traced_gives(f, types, in, cot_f64(), (const double[]){7.75}, 0);
    traced_gives(cot_grad(f), types, in, cot_f64(5), (const double[]){1.5, 1.5, 4, 4, 9}, 0);
}
END_TEST

/* A value of the outermost trace, used two traces further in. */
static void
innermost(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_mul(in[0], *(cot_value *)user);
}

static void
middle(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    out[0] =
        cot_call(cot_fn_new(cot_trace_context(t), "innermost", innermost, 1, 1, user), in[0]);
}

static void
outermost(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value scale = in[1];

    (void)user;
    out[0] = cot_call(
        cot_grad(cot_fn_new(cot_trace_context(t), "middle", middle, 1, 1, &scale)), in[0]);
}

START_TEST(captures_pass_through_every_level)
{
    const double x = 2, y = 3;
    const void *const in[] = {&x, &y};
    cot_types types = COT_TYPES(cot_f64(), cot_f64());

    traced_gives(fn("outermost", outermost, 2, NULL), types, in, cot_f64(), &y, 0);
    traced_gives(cot_grad(fn("outermost", outermost, 2, NULL), .wrt = COT_LIST(-1)), types, in,
                 cot_f64(), (const double[]){ 1 }, 0);
}
END_TEST

/* A jvp with a capture: the captured operand comes after the tangents. */
static void
jvp_inside(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value scale = in[1], y[2];
    cot_fn *f = cot_jvp(cot_fn_new(cot_trace_context(t), "innermost", innermost, 1, 1, &scale));

    (void)user;
    cot_call_all(f, COT_VALUES(in[0], in[2]), y, 2);
    out[0] = y[1];
}

START_TEST(captures_come_after_tangents)
{
    const double x[] = {1, 2}, s[] = {3, 4}, d[] = {5, 6};
    const void *const in[] = {x, s, d};

    traced_gives(fn("jvp_inside", jvp_inside, 3, NULL),
                 COT_TYPES(cot_f64(2), cot_f64(2), cot_f64(2)), in, cot_f64(2),
                 (const double[]){ 15, 24 }, 0);
}
END_TEST

/* ---- control flow: A82 ---- */

BODY(identity, out[0] = in[0];)
BODY(zero, out[0] = cot_mul(in[0], 0);)
BODY(relu_if, out[0] = cot_cond(cot_gt(in[0], 0), identity, zero, .in = COT_VALUES(in[0]));)
BODY(below_limit, out[0] = cot_lt(in[0], *(cot_value *)user);)
BODY(twice, out[0] = cot_add(in[0], in[0]);)
BODY(double_until, cot_value limit = in[1];
     out[0] = cot_while(below_limit, twice, .in = COT_VALUES(in[0]), .user = &limit);)
BODY(add_slice, out[0] = cot_add(in[0], in[1]); out[1] = out[0];)
BODY(cumulative, cot_value y[2]; cot_scan(add_slice, .in = COT_VALUES(cot_zeros(t, cot_f64())),
     .xs = COT_VALUES(in[0]), .n_out = 1, .out = y); out[0] = y[1];)
BODY(add_counter, out[0] = cot_add(in[1], in[0]);)
BODY(sum_to_5, out[0] = cot_fori(5, add_counter, .in = COT_VALUES(in[0]));)
BODY(sum_to_n, out[0] = cot_fori(in[1], add_counter, .in = COT_VALUES(in[0]));)
BODY(square, out[0] = cot_mul(in[0], in[0]);)
BODY(map_square, out[0] = cot_map(square, .xs = COT_VALUES(in[0]));)
BODY(choose,
     out[0] = cot_switch(in[1], COT_BODIES(identity, twice, square), .in = COT_VALUES(in[0]));)

START_TEST(A82_control_flow)
{
    const double x[] = {1, -2, 3}, ten = 10;
    const int32_t n[] = {4, 1, 9};
    const void *const in[] = {x, &ten}, *const counted_in[] = {x, n};

    traced_gives(cot_vmap(fn("relu_if", relu_if, 1, NULL)), COT_TYPES(cot_f64(3)), in,
                 cot_f64(3), (const double[]){ 1, 0, 3 }, 0);
    traced_gives(fn("double_until", double_until, 2, NULL), COT_TYPES(cot_f64(), cot_f64()), in,
                 cot_f64(), (const double[]){ 16 }, 0);
    traced_gives(fn("cumulative", cumulative, 1, NULL), COT_TYPES(cot_f64(3)), in, cot_f64(3),
                 (const double[]){1, -1, 2}, 0);
    traced_gives(fn("sum_to_5", sum_to_5, 1, NULL), COT_TYPES(cot_f64()), in, cot_f64(),
                 (const double[]){ 11 }, 0);
    traced_gives(fn("sum_to_n", sum_to_n, 2, NULL), COT_TYPES(cot_f64(), cot_i32()), counted_in,
                 cot_f64(), (const double[]){ 7 }, 0);
    traced_gives(fn("map_square", map_square, 1, NULL), COT_TYPES(cot_f64(3)), in, cot_f64(3),
                 (const double[]){1, 4, 9}, 0);
    traced_gives(cot_vmap(fn("choose", choose, 2, NULL)), COT_TYPES(cot_f64(3), cot_i32(3)),
                 counted_in, cot_f64(3), (const double[]){ 1, -4, 9 }, 0);
}
END_TEST

/* ---- transforms ---- */

BODY(quadratic, out[0] = cot_reduce_sum(cot_mul(in[0], cot_mul(in[0], in[1])));)

START_TEST(A92_transforms_compose)
{
    const double x[] = {1, 2}, w[] = {3, 5}, d[] = {1, 1};
    const void *const in[] = {x, w, d};
    cot_types two = COT_TYPES(cot_f64(2), cot_f64(2));
    cot_fn *f = fn("quadratic", quadratic, 2, NULL);
    cot_fn *hvp = cot_jvp(cot_grad(f), .wrt = COT_LIST(0));
    const cot_graph *g;

    traced_gives(cot_grad(f, .wrt = COT_LIST(-1)), two, in, cot_f64(2),
                 (const double[]){ 1, 4 }, 0);
    traced_gives(cot_hessian(f), two, in, cot_f64(2, 2), (const double[]){6, 0, 0, 10}, 0);
    traced_gives(cot_jacrev(cot_grad(f)), two, in, cot_f64(2, 2),
                 (const double[]){ 6, 0, 0, 10 }, 0);
    traced_gives(cot_pipeline(f, "grad(wrt=[1]) | jacfwd(wrt=[0])"), two, in, cot_f64(2, 2),
                 (const double[]){2, 0, 0, 4}, 0);
    ck_assert_int_eq(cot_trace_fn(hvp, COT_TYPES(cot_f64(2), cot_f64(2), cot_f64(2)), &g),
                     COT_OK);
    ck_assert_int_eq(cot_graph_n_out(g), 2);
}
END_TEST

/* The halves of vjp: one forward, many backwards, mapped over cotangents. A16, A111 */
BODY(cube, out[0] = cot_mul(in[0], cot_mul(in[0], in[0]));)
static void
rows_of(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_fn *fwd, *bwd;
    cot_value y[8];
    const cot_graph *g;

    (void)user;
    cot_vjp_halves(cot_fn_new(cot_trace_context(t), "cube", cube, 1, 1, NULL), &fwd, &bwd);
    cot_type x = cot_type_of(in[0]);
    ck_assert_int_eq(cot_trace_fn(fwd, COT_TYPES(x), &g), COT_OK);
    int n = cot_graph_n_out(g);
    ck_assert_int_le(n, 7);
    cot_call_all(fwd, COT_VALUES(in[0]), y, n);
    y[n] = cot_eye(t, x.dtype, x.dims[0]);
    int64_t dims[8];
    for (int i = 0; i < n; i++)
        dims[i] = i == n - 1 ? 0 : COT_NONE;
    out[0] = cot_call_(COT_HERE, cot_vmap(bwd, .in_dims = { .n = n, .at = dims }),
                       (cot_values){ .n = n, .at = y + 1 });
}

START_TEST(A16_the_second_half_maps_over_cotangents)
{
    const double x[] = {1, 2};
    const void *const in[] = {x};

    traced_gives(fn("rows", rows_of, 1, NULL), COT_TYPES(cot_f64(2)), in, cot_f64(2, 2),
                 (const double[]){3, 0, 0, 12}, 0);
}
END_TEST

/* ---- names and trees: A20 ---- */

struct xy {
    cot_value x, y;
};

static void
dot_struct(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct xy *a = COT_STRUCT(struct xy, in);

    (void)t, (void)user;
    out[0] = cot_dot(a->x, a->y);
}

START_TEST(A20_dims_follow_the_names_of_a_struct)
{
    const double x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, y[] = {1, -1, 2, -2, 3};
    const void *const in[] = {x, y};
    cot_tree *tree = cot_tree_new(ctx, "x, y", sizeof(struct xy));
    cot_fn *f = cot_fn_named(fn("dot", dot_struct, 2, NULL), "x, y", "dot");

    traced_gives(cot_vmap(f, .in_dims = cot_tree_list(tree, "x: 0, y: none")),
                 COT_TYPES(cot_f64(2, 5), cot_f64(5)), in, cot_f64(2),
                 (const double[]){ 12, 27 }, 0);
    traced_prints(
        f, COT_TYPES(cot_f32(3), cot_f32(3)),
        "fn @dot(%x: f32[3], %y: f32[3]) -> (dot: f32[]) {\n"
        "  %0 = dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[]\n"
        "  ret %0\n"
        "}\n");
}
END_TEST

START_TEST(trees_name_leaves)
{
    cot_tree *tree = cot_tree_new(ctx, "layer[2]{weight, bias}, scale", 5 * sizeof(cot_value));
    int n;
    cot_list list = cot_tree_list(tree, "layer: none, layer.1.bias: 2, scale: -1");

    ck_assert_int_eq(cot_tree_count(tree), 5);
    ck_assert_str_eq(cot_tree_name(tree, 3), "layer.1.bias");
    ck_assert_int_eq(cot_tree_find(tree, "layer.1", &n), 2);
    ck_assert_int_eq(n, 2);
    ck_assert_int_eq(cot_tree_find(tree, "lay", &n), -1);
    ck_assert_int_eq(list.n, 5);
    ck_assert_int_eq(list.at[0], COT_NONE);
    ck_assert_int_eq(list.at[3], 2);
    ck_assert_int_eq(list.at[4], -1);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(numbers_take_the_type_of_the_value),
        ONCE(products_and_sums_stay_apart_on_request),
        ONCE(values_broadcast_and_promote),
        ONCE(A81_ranks_are_those_of_one_example),
        ONCE(A110_a_body_runs_once_for_each_example_type),
        ONCE(A108_what_is_captured_is_unmapped_and_differentiable),
        ONCE(captures_pass_through_every_level),
        ONCE(captures_come_after_tangents),
        ONCE(A82_control_flow),
        ONCE(A92_transforms_compose),
        ONCE(A16_the_second_half_maps_over_cotangents),
        ONCE(A20_dims_follow_the_names_of_a_struct),
        ONCE(trees_name_leaves),
    };

    return SUITE("trace", cases);
}
