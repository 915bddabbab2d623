/* Rows of the feature list about what vmap asks of its arguments, results and levels, proved on
 * traced bodies: `ctest -R B12` runs one.  Messages are compared whole: each begins with the
 * line that mapped, and the mapped function, and names arguments and results by their paths. */
#include "traced.h"

static cot_fn *
fn(const char *name, cot_body *body, int n_in, int n_out)
{
    return cot_fn_new_((cot_place){ "main.c", 1 }, ctx, name, body, n_in, n_out, NULL);
}

/* vmap at a line of main.c. */
#define VMAP(line, f, ...)                                                                     \
    cot_vmap_((cot_place){ "main.c", line }, f, &(const cot_vmap_options){ __VA_ARGS__ },      \
              sizeof(cot_vmap_options))
#define NONE COT_NONE

BODY(dot, out[0] = cot_dot(in[0], in[1]);)
BODY(square, out[0] = cot_mul(in[0], in[0]);)
BODY(identity, out[0] = in[0];)
BODY(constant, out[0] = cot_full(t, cot_f64(), 3.14);)
BODY(both, out[0] = cot_add(in[0], 1); out[1] = cot_mul(in[1], 2);)
BODY(swapped, out[0] = cot_transpose(in[0]);)
#line 2 "model.c"
BODY(product, out[0] = cot_mul(in[0], in[1]);)
#line 41 "check_vmap_rows.c"
BODY(matrix, out[0] = cot_matmul(in[0], in[1]);)
BODY(total, out[0] = cot_reduce_sum(in[0]);)
BODY(squeezed, out[0] = cot_squeeze(in[0]);)
BODY(squeezed_0, out[0] = cot_squeeze(in[0], 0);)
BODY(pick, out[0] = cot_take(in[0], in[1], 0);)
BODY(joined, out[0] = cot_concatenate(COT_VALUES(in[0], in[1]), 0);)
BODY(counts, out[0] = cot_and(cot_is_finite(in[0]), cot_not(cot_lt(in[0], 0)));)

static cot_fn *
named_dot(void)
{
    return cot_fn_named(fn("dot", dot, 2, 1), "x, y", "z");
}

/* ---- arguments ---- */

START_TEST(sizes_differ)
{
    traced_fails(
        VMAP(7, named_dot(), .end_ = 0), COT_TYPES(cot_f64(2, 4), cot_f64(3, 4)), COT_ERR_SHAPE,
        "main.c:7: vmap(dot): mapped axes have sizes 2 (argument 0 (x)), 3 (argument 1 (y)); "
        "wants one size");
    cot_fn *deep = cot_fn_named(fn("dot", dot, 2, 1), "layer{weight, at[1]}", "z");
    traced_fails(VMAP(9, deep, .end_ = 0), COT_TYPES(cot_f64(2, 4), cot_f64(3, 4)),
                 COT_ERR_SHAPE,
                 "main.c:9: vmap(dot): mapped axes have sizes 2 (argument 0 (layer.weight)), 3 "
                 "(argument 1 "
                 "(layer.at.0)); wants one size");
    traced_fails(VMAP(8, fn("dot", dot, 2, 1), .size = 5),
                 COT_TYPES(cot_f64(5, 4), cot_f64(3, 4)), COT_ERR_SHAPE,
                 "main.c:8: vmap(dot): mapped axes have sizes 5 (argument 0), 3 (argument 1), "
                 "and size is 5; "
                 "wants one size");
}
END_TEST

START_TEST(no_inputs)
{
    traced_fails(
        VMAP(7, fn("c", constant, 0, 1), .end_ = 0), (cot_types){ .n = 0, .at = NULL },
        COT_ERR_ARG,
        "main.c:7: vmap(c): the function has no arguments; wants at least one, or size");
    traced_fails(VMAP(7, fn("none", constant, 1, 0), .end_ = 0), COT_TYPES(cot_f64(2)),
                 COT_ERR_ARG, "main.c:1: none: has no results; wants 1 or more");
}
END_TEST

START_TEST(nothing_mapped)
{
    traced_fails(VMAP(7, named_dot(), .in_dims = COT_LIST(NONE, NONE)),
                 COT_TYPES(cot_f64(4), cot_f64(4)), COT_ERR_ARG,
                 "main.c:7: vmap(dot): in maps no argument; wants at least one, or size");
    traced_gives(VMAP(8, fn("c", constant, 0, 1), .size = 2), (cot_types){ .n = 0, .at = NULL },
                 NULL, cot_f64(2), (const double[]){ 3.14, 3.14 }, 0);
}
END_TEST

START_TEST(structures_differ)
{
    cot_types two = COT_TYPES(cot_f64(2, 4), cot_f64(2, 4));

    traced_fails(VMAP(7, named_dot(), .in_dims = COT_LIST(0)), two, COT_ERR_ARG,
                 "main.c:7: vmap(dot): in is [0] for the arguments (x: f64[2,4], y: f64[2,4]); "
                 "wants one entry "
                 "for each");
    traced_fails(VMAP(8, named_dot(), .in_dims = COT_LIST(0, NONE, 1)), two, COT_ERR_ARG,
                 "main.c:8: vmap(dot): in is [0,none,1] for the arguments (x: f64[2,4], y: "
                 "f64[2,4]); wants one "
                 "entry for each");
}
END_TEST

/* B5: braces where a leaf is, none where there are names below. */
START_TEST(kinds_differ)
{
    cot_types two = COT_TYPES(cot_f64(2, 4), cot_f64(2, 4));

    traced_fails(VMAP(7, named_dot(), .in_dims = COT_DIMS("x: {a: 0}, y: 0")), two, COT_ERR_ARG,
                 "main.c:7: vmap: nothing is called \"x.a\"; the names are x, y");
    traced_fails(VMAP(8, named_dot(), .in_dims = COT_DIMS("x: 0")), two, COT_ERR_ARG,
                 "main.c:8: vmap: no entry for \"y\"; wants one for every leaf");
    traced_fails(VMAP(9, named_dot(), .in_dims = COT_DIMS("x: 0, y: 0, z: 0")), two,
                 COT_ERR_ARG, "main.c:9: vmap: nothing is called \"z\"; the names are x, y");
}
END_TEST

/* B6, A6: an entry at an inner name, or one for all. */
START_TEST(prefix)
{
    struct { cot_value a; struct { cot_value b, c; } rest; } s;
    cot_tree *tree = cot_tree_new(ctx, "a, rest{b, c}", sizeof s);
    cot_list dims = cot_tree_list(tree, "a: none, rest: 1");

    ck_assert_int_eq(dims.n, 3);
    ck_assert(dims.at[0] == NONE && dims.at[1] == 1 && dims.at[2] == 1);
    const double x[] = { 1, 2, 3, 4 }, y[] = { 5, 6, 7, 8 };
    const void *const in[] = { x, y };
    traced_gives(VMAP(7, fn("product", product, 2, 1), .in_dims = COT_ALL(1)),
                 COT_TYPES(cot_f64(2, 2), cot_f64(2, 2)), in, cot_f64(2, 2),
                 (const double[]){ 5, 21, 12, 32 }, 0);
}
END_TEST

START_TEST(axis_out_of_range)
{
    cot_types m = COT_TYPES(cot_f64(2, 3));

    traced_fails(VMAP(7, fn("square", square, 1, 1), .in_dims = COT_ALL(2)), m, COT_ERR_SHAPE,
                 "main.c:7: vmap(square): axis 2 of argument 0 is out of range; wants -2 to 1 "
                 "for rank 2");
    traced_fails(VMAP(8, fn("square", square, 1, 1), .in_dims = COT_ALL(-3)), m, COT_ERR_SHAPE,
                 "main.c:8: vmap(square): axis -3 of argument 0 is out of range; wants -2 to 1 "
                 "for rank 2");
    traced_fails(
        VMAP(9, fn("square", square, 1, 1), .end_ = 0), COT_TYPES(cot_f64()), COT_ERR_SHAPE,
        "main.c:9: vmap(square): argument 0 has rank 0, so that it has no axis 0; wants none");
}
END_TEST

START_TEST(axes_from_the_end)
{
    const double x[] = { 1, 2, 3, 4, 5, 6 };
    const void *const in[] = { x };

    traced_gives(VMAP(7, fn("total", total, 1, 1), .in_dims = COT_ALL(-1)),
                 COT_TYPES(cot_f64(2, 3)), in, cot_f64(3), (const double[]){ 5, 7, 9 }, 0);
}
END_TEST

START_TEST(randomness_value)
{
    traced_fails(VMAP(7, fn("square", square, 1, 1), .randomness = (cot_randomness)3),
                 COT_TYPES(cot_f64(2)), COT_ERR_ARG,
                 "main.c:7: vmap(square): randomness is 3; wants error, different or same");
}
END_TEST

START_TEST(chunk_value)
{
    traced_fails(VMAP(7, fn("square", square, 1, 1), .chunk = -1), COT_TYPES(cot_f64(2)),
                 COT_ERR_ARG, "main.c:7: vmap(square): chunk is -1; wants 1 or more");
}
END_TEST

/* ---- results ---- */

START_TEST(mapped_result_without_axis)
{
    traced_fails(VMAP(7, named_dot(), .out_dims = COT_LIST(NONE)),
                 COT_TYPES(cot_f64(2, 4), cot_f64(2, 4)), COT_ERR_ARG,
                 "main.c:7: vmap(dot): result 0 (z) depends on mapped arguments, and out is "
                 "none; wants an axis");
}
END_TEST

START_TEST(unmapped_result)
{
    const double x[] = { 1, 2 }, y[] = { 5, 6, 7 };
    const void *const in[] = { x, y };
    const cot_graph *g;
    cot_fn *f = VMAP(7, fn("both", both, 2, 2), .in_dims = COT_LIST(0, NONE),
                     .out_dims = COT_LIST(0, NONE));

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(2), cot_f64(3)), &g), COT_OK);
    double first[2], second[3];
    void *out[] = { first, second };
    ck_assert_int_eq(ir_eval(g, out, in), COT_OK);
    ck_assert(first[1] == 3 && second[0] == 10 && second[2] == 14);
}
END_TEST

START_TEST(constant_result)
{
    const double x[] = { 1, 2, 3 };
    const void *const in[] = { x };

    traced_gives(VMAP(7, fn("c", constant, 1, 1), .end_ = 0), COT_TYPES(cot_f64(3)), in,
                 cot_f64(3), (const double[]){ 3.14, 3.14, 3.14 }, 0);
}
END_TEST

START_TEST(structures_of_results_differ)
{
    traced_fails(VMAP(7, named_dot(), .out_dims = COT_LIST(0, 0)),
                 COT_TYPES(cot_f64(2, 4), cot_f64(2, 4)), COT_ERR_ARG,
                 "main.c:7: vmap(dot): out is [0,0] for the results (z: f64[]); wants one "
                 "entry for each");
    traced_fails(VMAP(8, fn("both", both, 2, 2), .out_dims = COT_LIST(0)),
                 COT_TYPES(cot_f64(2), cot_f64(2)), COT_ERR_ARG,
                 "main.c:8: vmap(both): out is [0] for the results (f64[], f64[]); wants one "
                 "entry for each");
}
END_TEST

/* B18, B20, B21, A21. */
START_TEST(place_of_the_result)
{
    const double x[] = { 1, 2, 3, 4, 5, 6 }, turned[] = { 1, 4, 2, 5, 3, 6 };
    const void *const in[] = { x };
    const cot_graph *g;
    cot_fn *f = VMAP(7, fn("identity", identity, 1, 1), .out_dims = COT_LIST(1));

    traced_gives(f, COT_TYPES(cot_f64(2, 3)), in, cot_f64(3, 2), turned, 0);
    traced_gives(VMAP(8, fn("identity", identity, 1, 1), .out_dims = COT_ALL(-1)),
                 COT_TYPES(cot_f64(2, 3)), in, cot_f64(3, 2), turned, 0);
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(2, 3)), &g), COT_OK);
    ck_assert_int_eq(cot_graph_node_count(g), 1); /* a transpose and nothing else */
}
END_TEST

START_TEST(place_out_of_range)
{
    cot_fn *f = fn("swapped", swapped, 1, 1);

    traced_fails(VMAP(7, f, .out_dims = COT_ALL(3)), COT_TYPES(cot_f64(5, 2, 3)), COT_ERR_SHAPE,
                 "main.c:7: vmap(swapped): axis 3 of result 0 is out of range; wants -3 to 2 "
                 "for rank 3");
    traced_fails(VMAP(8, f, .out_dims = COT_ALL(-4)), COT_TYPES(cot_f64(5, 2, 3)),
                 COT_ERR_SHAPE,
                 "main.c:8: vmap(swapped): axis -4 of result 0 is out of range; wants -3 to 2 "
                 "for rank 3");
}
END_TEST

START_TEST(places_in_nested_maps)
{
    const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    const void *const in[] = { x };
    cot_fn *inner = VMAP(7, fn("identity", identity, 1, 1), .out_dims = COT_ALL(1));

    /* inner: [2,3] to [3,2]; outer puts the 2 examples in the middle: [3,2,2] */
    traced_gives(VMAP(8, inner, .out_dims = COT_ALL(1)), COT_TYPES(cot_f64(2, 2, 3)), in,
                 cot_f64(3, 2, 2), (const double[]){ 1, 4, 7, 10, 2, 5, 8, 11, 3, 6, 9, 12 },
                 0);
}
END_TEST

/* ---- levels ---- */

START_TEST(three_levels)
{
    const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    const void *const in[] = { x, x };
    cot_fn *f = VMAP(9, VMAP(8, VMAP(7, fn("product", product, 2, 1), .end_ = 0), .end_ = 0),
                     .end_ = 0);

    traced_gives(f, COT_TYPES(cot_f64(2, 2, 2), cot_f64(2, 2, 2)), in, cot_f64(2, 2, 2),
                 (const double[]){ 1, 4, 9, 16, 25, 36, 49, 64 }, 0);
}
END_TEST

BODY(times_outer, out[0] = cot_mul(in[0], *(cot_value *)user);)
BODY(outer_only, out[0] = *(cot_value *)user;)

static void
over_y(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];
    cot_fn *f = cot_fn_new(cot_trace_context(t), "inner", *(cot_body **)user, 1, 1, &x);

    out[0] = cot_call(cot_vmap(f), in[1]);
}

/* B26, B27: the inner map is over y, the outer over x, which the inner body captures. */
START_TEST(levels_over_different_arguments)
{
    const double x[] = { 1, 2, 3 }, y[] = { 10, 100 };
    const void *const in[] = { x, y };
    cot_body *times = times_outer, *only = outer_only;
    cot_types types = COT_TYPES(cot_f64(3), cot_f64(2));
    cot_fn *f = cot_fn_new(ctx, "f", over_y, 2, 1, &times),
           *g = cot_fn_new(ctx, "g", over_y, 2, 1, &only);

    traced_gives(VMAP(7, f, .in_dims = COT_LIST(0, NONE)), types, in, cot_f64(3, 2),
                 (const double[]){ 10, 100, 20, 200, 30, 300 }, 0);
    traced_gives(VMAP(8, g, .in_dims = COT_LIST(0, NONE)), types, in, cot_f64(3, 2),
                 (const double[]){ 1, 1, 2, 2, 3, 3 }, 0);
}
END_TEST

/* B28, B29: nothing of an op without mapped operands gets the axis. */
BODY(apart, out[0] = cot_add(in[0], cot_reduce_sum(cot_exp(in[1])));)
START_TEST(what_is_not_mapped_is_left_alone)
{
    const cot_graph *g;
    cot_fn *f = VMAP(7, fn("apart", apart, 2, 1), .in_dims = COT_LIST(0, NONE));

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(5), cot_f64(3)), &g), COT_OK);
    ir_each_node (n, g)
        if (n->op == OP_exp || n->op == OP_reduce_sum)
            ck_assert_int_eq(ir_type_at(g, n->first)->size, n->op == OP_exp ? 3 : 1);
}
END_TEST

/* B30: a value of an inner level, used after that level has ended. */
static cot_value kept;
#line 3 "model.c"
BODY(keeps, kept = cot_mul(in[0], 2); out[0] = kept;)
#line 295 "check_vmap_rows.c"
static void
uses_kept(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_context *c = cot_trace_context(t);
    cot_place made = { "model.c", 3 }, used = { "model.c", 4 };

    (void)user;
    out[0] =
        cot_call_(made, cot_vmap(cot_fn_new(c, "keeps", keeps, 1, 1, NULL)), COT_VALUES(in[0]));
    out[0] = cot_add_(used, cot_operand_value(out[0]), cot_operand_value(kept));
}

START_TEST(values_of_an_inner_level)
{
    traced_fails(fn("uses_kept", uses_kept, 1, 1), COT_TYPES(cot_f64(3)), COT_ERR_TRACE,
                 "model.c:4: add: operand 1, made at model.c:3, has escaped from the trace of "
                 "keeps; wants a value of "
                 "this trace or of one around it: results of a body leave it through out");
}
END_TEST

START_TEST(rank_limit)
{
    int64_t ones[64];
    const cot_graph *g;

    for (int i = 0; i < 64; i++)
        ones[i] = 1;
    cot_type most = cot_type_new(COT_F64, 64, ones);
    ck_assert_msg(cot_trace_fn(VMAP(7, fn("identity", identity, 1, 1), .end_ = 0),
                               COT_TYPES(most), &g) == COT_OK,
                  "%s", cot_error(ctx));
    /* an example of rank 64 has no room for the mapped axis */
    traced_fails(VMAP(8, fn("product", product, 2, 1), .in_dims = COT_LIST(NONE, 0)),
                 COT_TYPES(most, cot_f64(2)), COT_ERR_SHAPE,
                 "model.c:2, in vmap: broadcast_in_dim: rank is 65; at most 64");
}
END_TEST

START_TEST(names_of_levels)
{
    cot_fn *f = VMAP(9, VMAP(8, fn("square", square, 1, 1), .end_ = 0), .in_dims = COT_ALL(4));

    traced_fails(f, COT_TYPES(cot_f64(2, 3)), COT_ERR_SHAPE,
                 "main.c:9: vmap(vmap(square)): axis 4 of argument 0 is out of range; wants -2 "
                 "to 1 for rank 2");
    traced_fails(VMAP(9, VMAP(8, fn("square", square, 1, 1), .in_dims = COT_ALL(4)), .end_ = 0),
                 COT_TYPES(cot_f64(2, 3)), COT_ERR_SHAPE,
                 "main.c:8, in vmap: vmap(square): axis 4 of argument 0 is out of range; wants "
                 "-1 to 0 for rank 1");
}
END_TEST

/* ---- ops ---- */

/* Examples of different ranks meet by their own axes, not by the batch's. */
START_TEST(ranks_differ)
{
    const double x[] = { 10, 20 }, y[] = { 1, 2, 3, 4 }, y1[] = { 1, 2, 3 };
    const void *const in[] = { x, y }, *const one[] = { x, y1 };

    traced_gives(VMAP(7, fn("product", product, 2, 1), .end_ = 0),
                 COT_TYPES(cot_f64(2), cot_f64(2, 2)), in, cot_f64(2, 2),
                 (const double[]){ 10, 20, 60, 80 }, 0);
    traced_gives(VMAP(8, fn("product", product, 2, 1), .in_dims = COT_LIST(0, NONE)),
                 COT_TYPES(cot_f64(2), cot_f64(3)), one, cot_f64(2, 3),
                 (const double[]){ 10, 20, 30, 20, 40, 60 }, 0);
}
END_TEST

/* Element types meet per example: two ranks of one kind give the wider, as without the map. */
START_TEST(promotion)
{
    const double x[] = { 1, 2 };
    const float y[] = { 1, 2, 3, 4 };
    const void *const in[] = { x, y };

    traced_gives(VMAP(7, fn("product", product, 2, 1), .end_ = 0),
                 COT_TYPES(cot_f64(2), cot_f32(2, 2)), in, cot_f64(2, 2),
                 (const double[]){ 1, 2, 6, 8 }, 0);
}
END_TEST

START_TEST(matrix_products)
{
    const double x[] = { 1, 2, 3, 4 }, v[] = { 1, 10, 100, 1000 };
    const void *const in[] = { x, v }, *const turned[] = { v, x };
    cot_fn *f = fn("matrix", matrix, 2, 1);

    traced_gives(VMAP(7, f, .in_dims = COT_LIST(NONE, 0)),
                 COT_TYPES(cot_f64(2, 2), cot_f64(2, 2)), in, cot_f64(2, 2),
                 (const double[]){ 21, 43, 2100, 4300 }, 0);
    traced_gives(VMAP(8, f, .in_dims = COT_LIST(1, NONE)),
                 COT_TYPES(cot_f64(2, 2), cot_f64(2, 2)), turned, cot_f64(2, 2),
                 (const double[]){ 301, 402, 3010, 4020 }, 0);
}
END_TEST

#line 1 "model.c"
BODY(wrong_product, out[0] = cot_matmul(in[0], in[1]);)
#line 371 "check_vmap_rows.c"

/* Shapes in messages are those of one example. */
START_TEST(shape_errors_inside)
{
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(VMAP(7, fn("wrong", wrong_product, 2, 1), .end_ = 0),
                                  COT_TYPES(cot_f64(9, 2, 3), cot_f64(9, 4, 5)), &g),
                     COT_ERR_SHAPE);
    ck_assert_str_eq(cot_error(ctx), "model.c:1, in vmap: dot_general: contracted sizes "
                                     "differ: x axis 1 has 3, y axis 0 has 4");
}
END_TEST

/* B42, B43, B44: only the example's axes are reduced, whatever the batch size. */
START_TEST(reductions)
{
    const double x[] = { 1, 2, 3, 4 };
    const void *const in[] = { x };

    traced_gives(VMAP(7, fn("total", total, 1, 1), .end_ = 0), COT_TYPES(cot_f64(2, 2)), in,
                 cot_f64(2), (const double[]){ 3, 7 }, 0);
    traced_gives(VMAP(8, fn("total", total, 1, 1), .end_ = 0), COT_TYPES(cot_f64(1)), in,
                 cot_f64(1), (const double[]){ 1 }, 0);
    traced_gives(VMAP(9, fn("total", total, 1, 1), .end_ = 0), COT_TYPES(cot_f64(1, 4)), in,
                 cot_f64(1), (const double[]){ 10 }, 0);
    /* a batch of one is no axis of size 1 of the example */
    traced_gives(VMAP(10, fn("squeezed", squeezed, 1, 1), .end_ = 0),
                 COT_TYPES(cot_f64(1, 1, 4)), in, cot_f64(1, 4), x, 0);
    traced_gives(VMAP(11, fn("squeezed", squeezed, 1, 1), .end_ = 0), COT_TYPES(cot_f64(1)), in,
                 cot_f64(1), x, 0);
    traced_gives(VMAP(12, fn("squeezed_0", squeezed_0, 1, 1), .in_dims = COT_ALL(1)),
                 COT_TYPES(cot_f64(1, 1, 4)), in, cot_f64(1, 4), x, 0);
}
END_TEST

START_TEST(concatenation)
{
    const double x[] = { 1, 2, 3, 4 }, w[] = { 9 };
    const void *const in[] = { x, w };

    traced_gives(VMAP(7, fn("joined", joined, 2, 1), .in_dims = COT_LIST(0, NONE)),
                 COT_TYPES(cot_f64(2, 2), cot_f64(1)), in, cot_f64(2, 3),
                 (const double[]){ 1, 2, 9, 3, 4, 9 }, 0);
}
END_TEST

/* B46, B47: indices mapped, operand mapped, both; a mapped scalar index. */
START_TEST(indexing)
{
    const double x[] = { 1, 2, 3, 4 };
    const int64_t i[] = { 1, 0 };
    const void *const in[] = { x, i };
    cot_fn *f = fn("pick", pick, 2, 1);

    traced_gives(VMAP(7, f, .in_dims = COT_LIST(NONE, 0)), COT_TYPES(cot_f64(4), cot_i64(2)),
                 in, cot_f64(2), (const double[]){ 2, 1 }, 0);
    traced_gives(VMAP(8, f, .in_dims = COT_LIST(0, 0)), COT_TYPES(cot_f64(2, 2), cot_i64(2)),
                 in, cot_f64(2), (const double[]){ 2, 3 }, 0);
    traced_gives(VMAP(9, f, .in_dims = COT_LIST(0, NONE)), COT_TYPES(cot_f64(2, 2), cot_i64(2)),
                 in, cot_f64(2, 2), (const double[]){ 2, 1, 4, 3 }, 0);
}
END_TEST

START_TEST(predicates)
{
    const double x[] = { 1, -2, INFINITY, NAN };
    const void *const in[] = { x };

    traced_gives(VMAP(7, fn("counts", counts, 1, 1), .end_ = 0), COT_TYPES(cot_f64(4)), in,
                 cot_bool(4), (const double[]){ 1, 0, 0, 0 }, 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "B1", sizes_differ, 1 },
        { "B2", no_inputs, 1 },
        { "A5", no_inputs, 1 },
        { "B3", nothing_mapped, 1 },
        { "B5", structures_differ, 1 },
        { "B5", kinds_differ, 1 },
        { "B4", structures_differ, 1 },
        { "A6", prefix, 1 },
        { "B6", prefix, 1 },
        { "B8", axis_out_of_range, 1 },
        { "B9", axes_from_the_end, 1 },
        { "B10", randomness_value, 1 },
        { "A10", randomness_value, 1 },
        { "B11", chunk_value, 1 },
        { "B12", mapped_result_without_axis, 1 },
        { "B13", unmapped_result, 1 },
        { "B15", constant_result, 1 },
        { "B17", structures_of_results_differ, 1 },
        { "B18", place_of_the_result, 1 },
        { "B20", place_of_the_result, 1 },
        { "B21", place_of_the_result, 1 },
        { "B19", place_out_of_range, 1 },
        { "B22", places_in_nested_maps, 1 },
        { "B25", three_levels, 1 },
        { "B26", levels_over_different_arguments, 1 },
        { "B27", levels_over_different_arguments, 1 },
        { "B28", what_is_not_mapped_is_left_alone, 1 },
        { "B30", values_of_an_inner_level, 1 },
        { "B31", rank_limit, 1 },
        { "B33", names_of_levels, 1 },
        { "B38", ranks_differ, 1 },
        { "B39", promotion, 1 },
        { "B40", matrix_products, 1 },
        { "B41", shape_errors_inside, 1 },
        { "B42", reductions, 1 },
        { "B43", reductions, 1 },
        { "B44", reductions, 1 },
        { "B45", concatenation, 1 },
        { "B46", indexing, 1 },
        { "B47", indexing, 1 },
        { "B54", predicates, 1 },
    };

    return SUITE("vmap_rows", cases);
}
