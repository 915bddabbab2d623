/* vmap against loops, Jacobians, and the rules of indexing. */
#include "tests/unit/oracle.h"

static const char *const indexing[] = {
    "fn @f(%x: f64[5,4], %i: i32[], %j: i32[]) -> f64[2,3] {\n"
    "  %0 = dynamic_slice %x, %i, %j {sizes=[2,3]} : f64[2,3]\n"
    "  ret %0\n}\n",
    "fn @f(%x: f64[5,4], %y: f64[2,3], %i: i32[], %j: i32[]) -> f64[5,4] {\n"
    "  %0 = dynamic_update_slice %x, %y, %i, %j : f64[5,4]\n"
    "  %1 = mul %0, %0 : f64[5,4]\n"
    "  ret %1\n}\n",
    /* rows, whole */
    "fn @f(%x: f64[5,4], %i: i64[3,1]) -> f64[3,4] {\n"
    "  %0 = gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
    "index_map=[0], sizes=[1,4]} : f64[3,4]\n"
    "  ret %0\n}\n",
    /* windows, moved inside */
    "fn @f(%x: f64[3,4], %i: i64[3,2]) -> f64[3,2,2] {\n"
    "  %0 = gather %x, %i {offset_dims=[1,2], collapsed=[], operand_batch=[], "
    "indices_batch=[], "
    "index_map=[1,0], sizes=[2,2]} : f64[3,2,2]\n"
    "  %1 = mul %0, %0 : f64[3,2,2]\n"
    "  ret %1\n}\n",
    /* batch axes */
    "fn @f(%x: f64[3,5], %i: i64[3,2,1]) -> f64[3,2] {\n"
    "  %0 = gather %x, %i {offset_dims=[], collapsed=[1], operand_batch=[0], "
    "indices_batch=[0], "
    "index_map=[1], sizes=[1,1]} : f64[3,2]\n"
    "  ret %0\n}\n",
    /* scatters with repeated indices */
    "fn @f(%x: f64[4,2], %i: i64[5,1], %z: f64[5,2]) -> f64[4,2] {\n"
    "  %0 = scatter %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], "
    "index_map=[0]} : f64[4,2]\n"
    "  %1 = mul %0, %0 : f64[4,2]\n"
    "  ret %1\n}\n",
    "fn @f(%x: f64[4,2], %i: i64[5,1], %z: f64[5,2]) -> f64[4,2] {\n"
    "  %0 = scatter_add %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0]} : f64[4,2]\n"
    "  %1 = mul %0, %0 : f64[4,2]\n"
    "  ret %1\n}\n",
    "fn @f(%x: f64[4,2], %i: i64[5,1], %z: f64[5,2]) -> f64[4,2] {\n"
    "  %0 = scatter_mul %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0]} : f64[4,2]\n"
    "  ret %0\n}\n",
    "fn @f(%x: f64[4,2], %i: i64[5,1], %z: f64[5,2]) -> f64[4,2] {\n"
    "  %0 = scatter_min %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0]} : f64[4,2]\n"
    "  ret %0\n}\n",
    "fn @f(%x: f64[4,2], %i: i64[5,1], %z: f64[5,2]) -> f64[4,2] {\n"
    "  %0 = scatter_max %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0]} : f64[4,2]\n"
    "  ret %0\n}\n",
    /* windows that overlap, transposed indices */
    "fn @f(%x: f64[4,3], %i: i64[3,2], %z: f64[2,3,2]) -> f64[4,3] {\n"
    "  %0 = scatter %x, %i, %z {window_dims=[0,2], inserted=[], operand_batch=[], "
    "indices_batch=[], index_map=[1,0]} : f64[4,3]\n"
    "  ret %0\n}\n",
};

START_TEST(B34_indexing_maps_and_differentiates)
{
    ir_graph *f = graph_of(indexing[_i]);

    maps(f, 3);
    derivative_agrees(f, 1e-7);
    derivative_agrees(piped(f, "vmap(size=2)"), 1e-7);
    maps(piped(f, "vjp"), 2);
    derivative_agrees(piped(f, "vjp"), 1e-7);
}
END_TEST

/* Outside: nothing is read, nothing is written, and no derivative arrives. */
static const char *const outside[] = {
    "fn @f(%x: f64[3,4], %i: i64[4,1]) -> f64[4] {\n"
    "  %0 = gather %x, %i {offset_dims=[1], collapsed=[0], operand_batch=[], indices_batch=[], "
    "index_map=[0], sizes=[1,4], mode=fill} : f64[4,4]\n"
    "  %c = constant {data=0} : f64[4,4]\n"
    "  %n = eq %0, %0 : bool[4,4]\n"
    "  %1 = select %n, %0, %c : f64[4,4]\n"
    "  %2 = reduce_sum %1 {axes=[1]} : f64[4]\n"
    "  ret %2\n}\n",
    "fn @f(%x: f64[3,2], %i: i64[5,1], %z: f64[5,2]) -> f64[3,2] {\n"
    "  %0 = scatter %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], "
    "index_map=[0], mode=fill} : f64[3,2]\n"
    "  ret %0\n}\n",
    "fn @f(%x: f64[3,2], %i: i64[5,1], %z: f64[5,2]) -> f64[3,2] {\n"
    "  %0 = scatter_add %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0], mode=fill} : f64[3,2]\n"
    "  ret %0\n}\n",
    "fn @f(%x: f64[3,2], %i: i64[5,1], %z: f64[5,2]) -> f64[3,2] {\n"
    "  %0 = scatter_mul %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0], mode=fill} : f64[3,2]\n"
    "  ret %0\n}\n",
    "fn @f(%x: f64[3,2], %i: i64[5,1], %z: f64[5,2]) -> f64[3,2] {\n"
    "  %0 = scatter_max %x, %i, %z {window_dims=[1], inserted=[0], operand_batch=[], "
    "indices_batch=[], index_map=[0], mode=fill} : f64[3,2]\n"
    "  ret %0\n}\n",
};

START_TEST(indices_outside)
{
    ir_graph *f = graph_of(outside[_i]);

    ints = 6;
    maps(f, 3);
    derivative_agrees(f, 1e-7);
}
END_TEST

static const char dot[] =
    "fn @dot(%x: f64[4], %y: f64[4]) -> f64[] {\n"
    "  %0 = dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : f64[]\n"
    "  ret %0\n}\n";

START_TEST(A14_batched_dot)
{
    maps(graph_of(dot), 3);
}
END_TEST

/* One dot_general with a batch axis, and no loop. */
START_TEST(A3_vmap_pushes_the_map_into_the_ops)
{
    ir_graph *g = piped(graph_of(dot), "vmap(size=5)");
    int dots = 0;

    ir_each_node (n, g) {
        dots += n->op == OP_dot_general && n->at->dot.lhs_batch.n == 1;
        ck_assert(n->op != OP_scan && n->op != OP_while);
    }
    ck_assert_int_eq(dots, 1);
}
END_TEST

START_TEST(A17_nested_vmap)
{
    maps(piped(graph_of(dot), "vmap(in=[0,none], size=2)"), 3);
    maps(piped(graph_of(dot), "vmap(in=[none,1], size=2)"), 3);
    maps(piped(graph_of(dot), "vmap(size=2) | vmap(in=1, out=1, size=3)"), 2);
}
END_TEST

START_TEST(A8_unmapped_is_never_copied)
{
    ir_graph *g = piped(graph_of("fn @f(%x: f64[4], %w: f64[4]) -> f64[] {\n"
                                 "  %0 = sin %w : f64[4]\n"
                                 "  %1 = dot_general %x, %0 {lhs=[0], rhs=[0], lhs_batch=[], "
                                 "rhs_batch=[]} : f64[]\n"
                                 "  ret %1\n}\n"),
                        "vmap(in=[0,none], size=7)");

    ir_each_node (n, g) {
        ck_assert(n->op != OP_broadcast_in_dim);
        if (n->op == OP_sin)
            ck_assert_int_eq(ir_type_at(g, n->first)->rank, 1);
    }
}
END_TEST

START_TEST(A9_B9_B20_negative_axes)
{
    ir_graph *f = graph_of("fn @f(%x: f64[2,3]) -> f64[3,2] {\n"
                           "  %0 = transpose %x {perm=[1,0]} : f64[3,2]\n  ret %0\n}\n");
    ir_graph *g = piped(f, "vmap(in=-1, out=-2, size=5)"),
             *h = piped(f, "vmap(in=2, out=1, size=5)");

    ck_assert_ptr_eq(ir_type_at(g, g->in[0]),
                     ir_type_new(ctx, COT_F64, 3, (int64_t[]){ 2, 3, 5 }));
    ck_assert_ptr_eq(ir_type_at(g, g->out[0]),
                     ir_type_new(ctx, COT_F64, 3, (int64_t[]){ 3, 5, 2 }));
    ck_assert(ir_graph_equal(g, h));
}
END_TEST

START_TEST(B13_B15_results_that_depend_on_nothing_mapped)
{
    ir_graph *f = graph_of("fn @f(%x: f64[2], %w: f64[3]) -> (f64[3], f64[3]) {\n"
                           "  %0 = sin %w : f64[3]\n  ret %0, %0\n}\n");
    ir_graph *g = piped(f, "vmap(in=[0,none], out=[none,0], size=4)");

    ck_assert_int_eq(ir_type_at(g, g->out[0])->rank, 1);
    ck_assert_int_eq(ir_type_at(g, g->out[1])->dims[0], 4);
}
END_TEST

/* The message must say what is wrong. */
static void
refused(const char *text, const char *pipeline, const char *message)
{
    ir_graph *g;

    ck_assert_int_ne(pass_pipeline(graph_of(text), pipeline, NULL, NULL, &g), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), message) != NULL, "%s", cot_error(ctx));
    cot_error_clear(ctx);
}

START_TEST(B3_B8_B11_B12_B17_wrong_options)
{
    refused(dot, "vmap(in=[0], size=2)",
            "in is [0] for the arguments (f64[4], f64[4]); wants one entry for each");
    refused(dot, "vmap(out=[0,0], size=2)",
            "out is [0,0] for the results (f64[]); wants one entry for each");
    refused(dot, "vmap(in=2, size=2)",
            "axis 2 of argument 0 is out of range; wants -2 to 1 for rank 2");
    refused(dot, "vmap(in=-3, size=2)", "axis -3 of argument 0 is out of range");
    refused(dot, "vmap(out=1, size=2)",
            "axis 1 of result 0 is out of range; wants -1 to 0 for rank 1");
    refused(dot, "vmap(out=none, size=2)",
            "result 0 depends on mapped arguments, and out is none");
    refused(dot, "vmap(in=0)", "no size is given; wants that of the mapped axis: vmap(size=8)");
    refused(dot, "vmap(in=[0,7])",
            "axis 7 of argument 1 is out of range; wants -2 to 1 for rank 2");
}
END_TEST

START_TEST(B1_B2_B3_types_of_one_example)
{
    const ir_type *in[2] = { ir_type_new(ctx, COT_F64, 2, (int64_t[]){ 4, 2 }),
                             ir_type_new(ctx, COT_F64, 1, (int64_t[]){ 3 }) };
    const ir_type *one[2];
    pass_vmap_options o = { .in = { 2, (int64_t[]){ -1, PASS_NO_AXIS }, false } };

    ck_assert_int_eq(pass_vmap_example(ctx, 0, 2, in, &o, one), COT_OK);
    ck_assert_int_eq(o.size, 2);
    ck_assert_ptr_eq(one[0], ir_type_new(ctx, COT_F64, 1, (int64_t[]){ 4 }));
    ck_assert_ptr_eq(one[1], in[1]);
    o = (pass_vmap_options){ .in = { 2, (int64_t[]){ 1, 0 }, false } };
    ck_assert_int_eq(pass_vmap_example(ctx, 0, 2, in, &o, one), COT_ERR_SHAPE);
    ck_assert_str_eq(cot_error(ctx),
                     "vmap: mapped axes have sizes 2 (argument 0), 3 (argument 1); "
                     "wants one size");
    cot_error_clear(ctx);
    o = (pass_vmap_options){ .in = { 1, (int64_t[]){ PASS_NO_AXIS }, true } };
    ck_assert_int_eq(pass_vmap_example(ctx, 0, 2, in, &o, one), COT_ERR_ARG);
    ck_assert(strstr(cot_error(ctx), "maps no argument") != NULL);
    cot_error_clear(ctx);
    o = (pass_vmap_options){ 0 };
    ck_assert_int_eq(pass_vmap_example(ctx, 0, 0, in, &o, one), COT_ERR_ARG);
    ck_assert(strstr(cot_error(ctx), "no arguments") != NULL);
}
END_TEST

/* Chunks give what one call gives. */
START_TEST(A12_chunks)
{
    ir_graph *f = graph_of("fn @f(%x: f64[3], %w: f64[3]) -> (f64[3], f64[], f64[3]) {\n"
                           "  %0 = mul %x, %w : f64[3]\n"
                           "  %1 = reduce_sum %0 {axes=[0]} : f64[]\n"
                           "  %2 = neg %w : f64[3]\n"
                           "  ret %0, %1, %2\n}\n");
    ir_graph *whole = piped(f, "vmap(in=[1,none], out=[1,0,none], size=7)");
    values x = values_of(whole, 2, whole->in);

    fill(&x);
    values want = evaluated(whole, &x);
    for (int c = 1; c <= 8; c++) {
        char text[80];
        snprintf(text, sizeof text, "vmap(in=[1,none], out=[1,0,none], size=7, chunk=%d)", c);
        ir_graph *g = piped(f, text);
        values y = evaluated(g, &x);
        for (int j = 0; j < 3; j++)
            same_elements(text, j, want.type[j], y.at[j], want.at[j], want.type[j]->size, 0);
        release(&y);
    }
    derivative_agrees(piped(f, "vmap(size=5, chunk=2)"), 1e-8);
    release(&x), release(&want);
}
END_TEST

static const char two[] =
    "fn @f(%x: f64[3], %n: i64[], %w: f64[2,3]) -> (f64[2], f64[], i64[]) {\n"
    "  %0 = integer_pow %x {y=3} : f64[3]\n"
    "  %1 = dot_general %w, %0 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f64[2]\n"
    "  %2 = mul %1, %1 : f64[2]\n"
    "  %3 = reduce_sum %2 {axes=[0]} : f64[]\n"
    "  ret %1, %3, %n\n}\n";

/* Every pipeline yields the same blocks. */
static void
same_results(const ir_graph *f, const char *a, const char *b, double tolerance)
{
    ir_graph *g = piped(f, a), *h = piped(f, b);
    values x = values_of(g, g->n_in, g->in);

    fill(&x);
    ck_assert_int_eq(g->n_out, h->n_out);
    values y = evaluated(g, &x), z = evaluated(h, &x);
    for (int j = 0; j < g->n_out; j++) {
        ck_assert_ptr_eq(y.type[j], z.type[j]);
        same_elements(b, j, y.type[j], z.at[j], y.at[j], y.type[j]->size, tolerance);
    }
    release(&x), release(&y), release(&z);
}

START_TEST(B133_B138_jacobians_agree)
{
    ir_graph *f = graph_of(two), *g = piped(f, "jacfwd(wrt=[0,-1], aux=1)");

    ck_assert_int_eq(g->n_out, 5);
    ck_assert_ptr_eq(ir_type_at(g, g->out[1]),
                     ir_type_new(ctx, COT_F64, 3, (int64_t[]){ 2, 2, 3 }));
    same_results(f, "jacfwd(wrt=[0,-1], aux=1)", "jacrev(wrt=[0,-1], aux=1)", 1e-12);
    same_results(f, "jacfwd(wrt=[2,0], aux=1)", "jacrev(wrt=[2,0], aux=1, chunk=1)", 1e-12);
    same_results(f, "jacfwd(wrt=[2,0], aux=1)", "jacfwd(wrt=[2,0], aux=1, chunk=4)", 1e-12);
}
END_TEST

START_TEST(B140_B141_B142_second_derivatives_agree)
{
    ir_graph *f =
        graph_of("fn @f(%x: f64[3], %w: f64[2,3]) -> (f64[2], f64[]) {\n"
                 "  %0 = integer_pow %x {y=3} : f64[3]\n"
                 "  %1 = dot_general %w, %0 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} "
                 ": f64[2]\n"
                 "  %2 = mul %1, %1 : f64[2]\n"
                 "  %3 = reduce_sum %2 {axes=[0]} : f64[]\n"
                 "  ret %2, %3\n}\n");

    ck_assert_int_eq(piped(f, "hessian(wrt=[0,1])")->n_out, 8);
    same_results(f, "hessian(wrt=[0,1])", "jacrev(wrt=[0,1]) | jacrev(wrt=[0,1])", 1e-11);
    same_results(f, "hessian(wrt=[0,1])", "jacfwd(wrt=[0,1]) | jacfwd(wrt=[0,1])", 1e-11);
    same_results(f, "hessian(wrt=[0,1])", "jacfwd(wrt=[0,1]) | jacrev(wrt=[0,1])", 1e-11);
    derivative_agrees(piped(f, "jacrev(wrt=[1])"), 1e-7);
    maps(piped(f, "jacfwd(wrt=[0])"), 2);
    maps(piped(f, "hessian(wrt=[0])"), 2);
}
END_TEST

START_TEST(B134_empty)
{
    ir_graph *f = graph_of("fn @f(%x: f64[0], %w: f64[2]) -> f64[2] {\n"
                           "  %0 = reduce_sum %x {axes=[0]} : f64[]\n"
                           "  %1 = broadcast_in_dim %0 {shape=[2], dims=[]} : f64[2]\n"
                           "  %2 = mul %1, %w : f64[2]\n  ret %2\n}\n");

    same_results(f, "jacfwd(wrt=[0,1])", "jacrev(wrt=[0,1])", 0);
    maps(f, 0);
    maps(graph_of(indexing[2]), 0);
    maps(graph_of(indexing[5]), 0);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(B34_indexing_maps_and_differentiates, sizeof indexing / sizeof *indexing),
        EACH(indices_outside, sizeof outside / sizeof *outside),
        ONCE(A14_batched_dot),
        ONCE(A3_vmap_pushes_the_map_into_the_ops),
        ONCE(A17_nested_vmap),
        ONCE(A8_unmapped_is_never_copied),
        ONCE(A9_B9_B20_negative_axes),
        ONCE(B13_B15_results_that_depend_on_nothing_mapped),
        ONCE(B3_B8_B11_B12_B17_wrong_options),
        ONCE(B1_B2_B3_types_of_one_example),
        ONCE(A12_chunks),
        ONCE(B133_B138_jacobians_agree),
        ONCE(B140_B141_B142_second_derivatives_agree),
        ONCE(B134_empty),
    };

    return SUITE_WITH("vmap", cases, oracle_setup, suite_end);
}
