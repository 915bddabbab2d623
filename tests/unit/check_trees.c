/* Trees at the edge: dims and wrt by name, optional arguments.  Cases bear the names of the
 * rows. */
#include "tests/unit/traced.h"

struct layer {
    cot_value weight, bias;
};

/* layer {weight [n], bias []}, x [n] -> weight . x + bias */
static void
affine(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct layer *l = COT_STRUCT(struct layer, in);

    (void)t, (void)user;
    out[0] = cot_add(cot_dot(l->weight, in[2]), l->bias);
}
BODY(dot, out[0] = cot_dot(in[0], in[1]);)
BODY(scaled, out[0] = cot_mul(in[0], in[1]);)
BODY(scaled_sum, out[0] = cot_reduce_sum(cot_mul(in[0], in[1]));)
BODY(moved, out[0] = cot_add(cot_mul(in[0], in[1]), in[2]);)

static cot_fn *
named_affine(void)
{
    cot_fn *f = cot_fn_new(ctx, "affine", affine, 3, 1, NULL);

    return cot_fn_named(f, "layer{weight, bias}, x", "y");
}

static const double w[] = { 1, 2, 3, 4 }, bias[] = { 10, 20 }, x[] = { 1, -1, 2, 5 };
static const double figures5[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

START_TEST(dims_by_name)
{
    traced_gives(cot_vmap(named_affine(), .in_dims = COT_DIMS("layer: 0, x: none")),
                 COT_TYPES(cot_f64(2, 2), cot_f64(2), cot_f64(2)),
                 (const void *const[]){ w, bias, x }, cot_f64(2), (const double[]){ 9, 19 }, 0);
    traced_gives(
        cot_vmap(named_affine(), .in_dims = COT_DIMS("layer: {weight: 1, bias: none}, x: 0")),
        COT_TYPES(cot_f64(2, 2), cot_f64(), cot_f64(2, 2)), (const void *const[]){ w, bias, x },
        cot_f64(2), (const double[]){ 8, 34 }, 0);
    traced_gives(
        cot_pipeline(named_affine(), "vmap(in=[{layer: {weight: 1, bias: none}, x: 0}])"),
        COT_TYPES(cot_f64(2, 2), cot_f64(), cot_f64(2, 2)), (const void *const[]){ w, bias, x },
        cot_f64(2), (const double[]){ 8, 34 }, 0);
    traced_gives(
        cot_vmap(named_affine(), .in_dims = COT_DIMS("layer: 0, x: none, layer.bias: none")),
        COT_TYPES(cot_f64(2, 2), cot_f64(), cot_f64(2)), (const void *const[]){ w, bias, x },
        cot_f64(2), (const double[]){ 9, 9 }, 0);
}
END_TEST

START_TEST(results_by_name)
{
    cot_fn *g = cot_grad(named_affine(), .wrt = COT_NAMES("layer"));
    cot_fn *f = cot_vmap(g, .in_dims = COT_DIMS("layer: none, x: 0"),
                         .out_dims = COT_DIMS("dlayer.weight: 1, dlayer.bias: 0"));
    const cot_graph *graph;

    ck_assert_msg(cot_trace_fn(f, COT_TYPES(cot_f64(3), cot_f64(), cot_f64(2, 3)), &graph) ==
                      COT_OK,
                  "%s", cot_error(ctx));
    cot_type type = cot_graph_out_type(graph, 0);
    ck_assert_int_eq(cot_graph_n_out(graph), 2);
    ck_assert_int_eq(cot_type_size(&type, 0), 3);
    ck_assert_int_eq(cot_type_size(&type, 1), 2);
}
END_TEST

START_TEST(wrt_by_name)
{
    cot_types types = COT_TYPES(cot_f64(2), cot_f64(), cot_f64(2));
    const void *const in[] = { w, bias, x };

    traced_gives(cot_grad(named_affine(), .wrt = COT_NAMES("x")), types, in, cot_f64(2),
                 (const double[]){ 1, 2 }, 0);
    traced_gives(cot_pipeline(named_affine(), "grad(wrt=[layer.weight])"), types, in,
                 cot_f64(2), (const double[]){ 1, -1 }, 0);
}
END_TEST

#define LEAVES "layer.weight, layer.bias, x"

START_TEST(wrong_names)
{
    static const struct {
        const char *text, *message;
    } row[] = {
        { "layer: 0", "main.c:7: vmap: no entry for \"x\"; wants one for every leaf" },
        { "layer: 0, y: 0", "main.c:7: vmap: nothing is called \"y\"; the names are " LEAVES },
        { "layer: {x: 0}, x: 0",
          "main.c:7: vmap: nothing is called \"layer.x\"; the names are " LEAVES },
        { "layer: {weight: 0, x: 0",
          "main.c:7: vmap: nothing is called \"layer.x\"; the names are " LEAVES },
        { "layer: 0, x: some",
          "main.c:7: vmap: \"layer: 0, x: some\", character 13: wants an integer or none" },
        { "layer 0", "main.c:7: vmap: \"layer 0\", character 6: wants \":\"" },
        { "layer: 0, x: 0 0",
          "main.c:7: vmap: \"layer: 0, x: 0 0\", character 15: wants \",\" or the end" },
        { "", "main.c:7: vmap: \"\", character 0: wants a path" },
    };
    cot_types types = COT_TYPES(cot_f64(2, 3), cot_f64(2), cot_f64(2, 3));
    cot_vmap_options o = { .in_dims = COT_DIMS(row[_i].text) };
    cot_fn *f = cot_vmap_((cot_place){ "main.c", 7 }, named_affine(), &o, sizeof o);

    traced_fails(f, types, COT_ERR_ARG, row[_i].message);
}
END_TEST

/* A20: the entries follow the names of a struct, whatever their order. */
START_TEST(a_struct)
{
    const double y[] = { 1, -1, 2, -2, 3 };
    cot_fn *f = cot_fn_named(cot_fn_new(ctx, "dot", dot, 2, 1, NULL), "x, y", NULL);

    traced_gives(cot_vmap(f, .in_dims = COT_DIMS("y: none, x: 0")),
                 COT_TYPES(cot_f64(2, 5), cot_f64(5)), (const void *const[]){ figures5, y },
                 cot_f64(2), (const double[]){ 12, 27 }, 0);
    traced_gives(cot_pipeline(f, "vmap(in=[{x:0, y:none}])"),
                 COT_TYPES(cot_f64(2, 5), cot_f64(5)), (const void *const[]){ figures5, y },
                 cot_f64(2), (const double[]){ 12, 27 }, 0);
}
END_TEST

static cot_fn *
batched_pow(void)
{
    return cot_fn_optional(cot_fn_new(ctx, "batched_pow", scaled, 1, 1, NULL), "scale", 4.0);
}

/* A22: scale = X is not mapped, so each row of X meets all of it. */
START_TEST(passed)
{
    const double want[] = { 1, 4,  9,  16, 25, 6,  14, 24, 36, 50,
                            6, 14, 24, 36, 50, 36, 49, 64, 81, 100 };
    const void *const in[] = { figures5, figures5 };
    cot_types types = COT_TYPES(cot_f64(2, 5), cot_f64(2, 5));

    traced_gives(cot_taking(cot_vmap(batched_pow()), "scale"), types, in, cot_f64(2, 2, 5),
                 want, 0);
    traced_gives(cot_vmap(cot_taking(batched_pow(), "scale")), types, in, cot_f64(2, 2, 5),
                 want, 0);
    traced_gives(cot_vmap(cot_taking(batched_pow(), "scale"), .in_dims = COT_ALL(0)), types, in,
                 cot_f64(2, 2, 5), want, 0);
    traced_gives(cot_with(cot_vmap(batched_pow(), .in_dims = COT_LIST(0)), "scale", 2),
                 COT_TYPES(cot_f64(2)), in, cot_f64(2), (const double[]){ 2, 4 }, 0);
}
END_TEST

static void
caller(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_call(cot_with(cot_vmap((cot_fn *)user), "scale", in[0]), in[0]);
    out[0] = cot_add(out[0], cot_call(cot_with(cot_vmap((cot_fn *)user), "scale", 0.0), in[0]));
}

/* Passed in a trace: its value is captured, by its gradient too. */
START_TEST(passed_in_a_trace)
{
    const double want[] = { 1, 2, 2, 4 };
    cot_fn *f = cot_fn_new(ctx, "caller", caller, 1, 1, batched_pow());
    cot_fn *sum = cot_fn_optional(cot_fn_new(ctx, "sum", scaled_sum, 1, 1, NULL), "scale", 4.0);

    traced_gives(f, COT_TYPES(cot_f64(2)), (const void *const[]){ figures5 }, cot_f64(2, 2),
                 want, 0);
    traced_gives(cot_grad(cot_taking(sum, "scale")), COT_TYPES(cot_f64(2), cot_f64(2)),
                 (const void *const[]){ figures5, bias }, cot_f64(2), bias, 0);
    traced_gives(cot_taking(cot_grad(sum), "scale"), COT_TYPES(cot_f64(2), cot_f64(2)),
                 (const void *const[]){ figures5, bias }, cot_f64(2), bias, 0);
}
END_TEST

static void
scaled_table(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value noise = cot_uniform(t, cot_f64(2));

    out[0] = cot_reduce_sum(cot_mul(cot_mul(in[0], cot_capture(t, user, "table")), in[1]));
    out[0] = cot_add(out[0], cot_mul(0, cot_reduce_sum(noise)));
}

/* A body that captures memory, and draws, has inputs that no caller gives: they come after
 * those that are taken. */
START_TEST(taken_beside_captures)
{
    cot_array *table = cot_array_copy(ctx, cot_f64(2), bias),
              *x = cot_array_copy(ctx, cot_f64(2), figures5);
    cot_array *scale = cot_array_new(ctx, cot_f64()), *y[1] = { NULL };
    cot_fn *f = cot_fn_optional(cot_fn_new(ctx, "scaled_table", scaled_table, 1, 1, table),
                                "scale", 4.0);
    cot_fn *row[] = { cot_taking(cot_grad(f), "scale"), cot_grad(cot_taking(f, "scale")) };

    *(double *)cot_array_data(scale) = 3;
    for (int i = 0; i < 2; i++) {
        ck_assert_msg(cot_jit(row[i], y, 1, (const cot_array *[]){ x, scale }, 2) == COT_OK,
                      "%s", cot_error(ctx));
        for (int j = 0; j < 2; j++)
            ck_assert_double_eq(((const double *)cot_array_read(y[0]))[j], 3 * bias[j]);
    }
    cot_array_free(table), cot_array_free(x), cot_array_free(scale), cot_array_free(y[0]);
}
END_TEST

START_TEST(unknown_optional)
{
    const cot_place at = { "main.c", 9 };
    cot_fn *f = batched_pow();
    cot_types types = COT_TYPES(cot_f64(2));

    traced_fails(
        cot_with_(at, cot_vmap(f), "size", cot_operand_int(1)), types, COT_ERR_ARG,
        "main.c:9: vmap(batched_pow): has no optional argument called \"size\"; it has scale");
    traced_fails(
        cot_taking_(at, f, "scale, size"), types, COT_ERR_ARG,
        "main.c:9: batched_pow: has no optional argument called \"size\"; it has scale");
    traced_fails(
        cot_fn_optional_(at, f, "scale", 1), types, COT_ERR_ARG,
        "main.c:9: batched_pow: two arguments are called \"scale\"; wants distinct names");
    traced_fails(cot_fn_optional_(at, cot_vmap(f), "scale", 1), types, COT_ERR_ARG,
                 "main.c:9: vmap(batched_pow): is not a body; give optional arguments to the "
                 "body it is made of");
}
END_TEST

/* A23: what is not passed has its default, in the type of the arguments. */
START_TEST(defaults)
{
    cot_fn *f = cot_fn_new(ctx, "moved", moved, 1, 1, NULL);

    f = cot_fn_optional(cot_fn_optional(f, "scale", 4.0), "shift", 0.5);
    traced_gives(cot_vmap(batched_pow()), COT_TYPES(cot_f64(5)),
                 (const void *const[]){ figures5 }, cot_f64(5),
                 (const double[]){ 4, 8, 12, 16, 20 }, 0);
    traced_gives(cot_taking(f, "shift"), COT_TYPES(cot_f64(2), cot_f64(2)),
                 (const void *const[]){ figures5, bias }, cot_f64(2),
                 (const double[]){ 14, 28 }, 0);
    traced_prints(cot_vmap(batched_pow()), COT_TYPES(cot_f32(2)),
                  "fn @batched_pow.vmap(%arg0: f32[2]) -> f32[2] {\n"
                  "  %0 = constant {data=4} : f32[2]\n"
                  "  %1 = mul %arg0, %0     : f32[2]\n"
                  "  ret %1\n"
                  "}\n");
}
END_TEST

/* A47: one leaf, and a list of one leaf, are told apart by name. */
START_TEST(structure_of_results)
{
    cot_fn *f = cot_fn_new(ctx, "f", dot, 2, 1, NULL);
    const char *body =
        " {\n  %0 = dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[]\n"
        "  ret %0\n}\n";
    char want[512];

    snprintf(want, sizeof want, "fn @f(%%x: f32[3], %%y: f32[3]) -> (z: f32[])%s", body);
    traced_prints(cot_fn_named(f, "x, y", "z"), COT_TYPES(cot_f32(3), cot_f32(3)), want);
    snprintf(want, sizeof want, "fn @f(%%x: f32[3], %%y: f32[3]) -> (z.0: f32[])%s", body);
    traced_prints(cot_fn_named(f, "x, y", "z[1]"), COT_TYPES(cot_f32(3), cot_f32(3)), want);
}
END_TEST

/* ---- structs as arguments of a custom function ---- */

struct affine {
    struct layer layer;
    cot_value x;
};

/* The rule gives tenfold gradients, so that it shows who computed them. */
static void
tenfold(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    const struct affine *a = COT_STRUCT(struct affine, in);

    (void)t, (void)info;
    out[0] = cot_add(cot_mul(a->layer.weight, a->x), a->layer.bias);
}

static void
tenfold_setup(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_save_in(s, 0);
    cot_save_in(s, 2);
}

static void
tenfold_vjp(cot_trace *t, const cot_custom_info *info, const cot_value *in, cot_value *out)
{
    struct affine *g = (struct affine *)out;

    (void)t, (void)info;
    g->layer.weight = cot_mul(10, cot_mul(in[2], in[1]));
    g->layer.bias = cot_mul(10, in[2]);
    g->x = cot_mul(10, cot_mul(in[2], in[0]));
}

static void
sum_of_tenfold(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    const struct affine *a = COT_STRUCT(struct affine, in);

    (void)t;
    out[0] = cot_reduce_sum(cot_custom_call(user, COT_LIST(), COT_FIELDS(*a), NULL));
}

/* A60: a struct goes into a custom function as the list of its fields; each leaf has its
 * gradient, found by its name, alone and mapped. */
START_TEST(a_struct_for_a_custom_function)
{
    const cot_custom *c =
        cot_custom_new(ctx, "tenfold", .n_in = 3, .forward = tenfold, .setup = tenfold_setup,
                       .vjp = tenfold_vjp, .generate_vmap = true);
    cot_fn *f = cot_fn_named(cot_fn_new(ctx, "f", sum_of_tenfold, 3, 1, (void *)c),
                             "layer{weight, bias}, x", "y");
    const double w[] = { 1, 2, 3 }, b[] = { 0, 0, 0 }, x[] = { 5, -1, 2 };
    const double dw[] = { 50, -10, 20 }, db[] = { 10, 10, 10 }, dx[] = { 10, 20, 30 };
    const void *in[] = { w, b, x };
    const cot_types types = COT_TYPES(cot_f64(3), cot_f64(3), cot_f64(3));

    ck_assert_msg(c != NULL, "%s", cot_error(ctx));
    traced_gives(cot_grad(f, .wrt = COT_NAMES("layer.weight")), types, in, cot_f64(3), dw, 0);
    traced_gives(cot_grad(f, .wrt = COT_NAMES("layer.bias")), types, in, cot_f64(3), db, 0);
    traced_gives(cot_grad(f, .wrt = COT_NAMES("x")), types, in, cot_f64(3), dx, 0);
    traced_gives(cot_vmap(cot_grad(f, .wrt = COT_NAMES("layer.weight"))), types, in, cot_f64(3),
                 dw, 0);
    const cot_graph *g;
    ck_assert_int_eq(cot_trace_fn(cot_grad(f, .wrt = COT_NAMES("layer")), types, &g), COT_OK);
    ck_assert_int_eq(cot_graph_n_out(g), 2);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A7", dims_by_name, 1 },       { "A7", results_by_name, 1 },
        { "A7", wrt_by_name, 1 },        { "A7", wrong_names, 8 },
        { "A20", a_struct, 1 },          { "A22", passed, 1 },
        { "A22", passed_in_a_trace, 1 }, { "A22", unknown_optional, 1 },
        { "A22", taken_beside_captures, 1 },
        { "A23", defaults, 1 },          { "A47", structure_of_results, 1 },
        { "A60", a_struct_for_a_custom_function, 1 },
    };

    return SUITE("trees", cases);
}
