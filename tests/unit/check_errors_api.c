/* Every mistake a user can make while tracing is one message with the user's file and line.
 * The bodies below say of themselves that they are lines of model.c. */
#include "traced.h"

static cot_value escaped;

/* clang-format off */
/* Bodies are rows of one line, since messages name their lines. */
#define PLUS_SIZE_7(a) cot_add(a, cot_size(a, 7))
#define SORT_LOST(x)   cot_sort_many(COT_VALUES(x), 0, NULL)

#line 1 "model.c"
BODY(shapes,    out[0] = cot_add(in[0], in[1]);)
BODY(sticky,    cot_value a = cot_mul(in[0], in[1]); out[0] = cot_exp(PLUS_SIZE_7(a));)
BODY(promote,   out[0] = cot_add(in[0], in[1]);)
BODY(fraction,  out[0] = cot_mul(in[0], 0.5);)
BODY(range,     out[0] = cot_add(in[0], 300);)
BODY(integer,   out[0] = cot_exp(in[0]);)
BODY(item,      out[0] = cot_mul(in[0], cot_item(in[0]));)
BODY(nonzero,   out[0] = cot_is_nonzero(in[0]) ? in[0] : cot_neg(in[0]);)
BODY(unset,     if (cot_rank(in[0]) > 5) out[0] = in[0];)
BODY(garbage,   cot_value x = {NULL, 0, 0}; out[0] = cot_add(in[0], x);)
BODY(escape,    escaped = cot_mul(in[0], in[0]); out[0] = escaped;)
BODY(late,      out[0] = cot_add(in[0], escaped);)
BODY(later,     out[0] = escaped;)
BODY(axis,      out[0] = cot_reduce_sum(in[0], .axes = COT_LIST(2));)
BODY(repeated,  out[0] = cot_reduce_sum(in[0], .axes = COT_LIST(0, -2));)
BODY(reshape,   out[0] = cot_reshape(in[0], 4, -1);)
BODY(size,      out[0] = cot_mul(in[0], cot_size(in[0], 2));)
BODY(own,       out[0] = cot_trace_fail(t, "wants a batch");)
BODY(labels,    out[0] = cot_cross_entropy(in[0], in[1]);)
BODY(letters,   out[0] = cot_einsum("ij,jk->iz", COT_VALUES(in[0], in[1]));)
BODY(sizes,     out[0] = cot_einsum("ij,jk->ik", COT_VALUES(in[0], in[1]));)
BODY(many,      out[0] = cot_cond(in[0], shapes, shapes, .in = COT_VALUES(in[1]));)
BODY(id,        out[0] = in[0];)
BODY(narrow,    out[0] = cot_convert(in[0], COT_F16);)
BODY(branches,  out[0] = cot_cond(cot_lt(in[0], 1), id, narrow, .in = COT_VALUES(in[0]));)
BODY(less,      out[0] = cot_lt(in[0], 1);)
BODY(carry,     out[0] = cot_while(less, narrow, .in = COT_VALUES(in[0]));)
BODY(recurse,   out[0] = cot_call(*(cot_fn **)user, in[0]);)
BODY(updates,   out[0] = cot_dynamic_update_slice(in[0], in[1], COT_VALUES(in[2]));)
BODY(too_many,  out[0] = out[1] = in[0];)
BODY(no_room,   cot_split(in[0], 3, 0, NULL); SORT_LOST(in[0]); out[0] = in[0];)
BODY(no_body,   out[0] = cot_cond(1, NULL, id, .in = COT_VALUES(in[0]));)
BODY(no_words,  out[0] = cot_print(in[0], NULL);)
BODY(no_rules,  out[0] = cot_custom_call(NULL, COT_LIST(), COT_VALUES(in[0]), NULL);)
BODY(fractions, out[0] = cot_fori(2.5, id, .in = COT_VALUES(in[0]));)
BODY(nothing,   out[0] = cot_constant(t, cot_f32(3), NULL);)
BODY(no_text,   out[0] = cot_einsum(NULL, COT_VALUES(in[0]));)
BODY(no_fn,     out[0] = cot_call((cot_fn *)NULL, in[0]);)
BODY(element,   out[0] = cot_gt(in[0], 0);)
BODY(each,      out[0] = cot_while(element, id, .in = COT_VALUES(in[0]));)
BODY(counts,    out[0] = cot_fori(3, id, .in = COT_VALUES(in[0]));)
#line 64 "check_errors_api.c"
/* clang-format on */

#define FAILS(body, types, status, text) \
    traced_fails(cot_fn_new(ctx, #body, body, (types).n, 1, NULL), types, status, text)

START_TEST(operands_that_do_not_fit)
{
    FAILS(shapes, COT_TYPES(cot_f32(2, 3), cot_f32(4)), COT_ERR_SHAPE,
          "model.c:1: add: operands are f32[2,3] and f32[4]; wants shapes that broadcast: "
          "sizes equal, or 1, "
          "from the last axis on");
    FAILS(sticky, COT_TYPES(cot_f32(3), cot_f32(4)), COT_ERR_SHAPE,
          "model.c:2: mul: operands are f32[3] and f32[4]; wants shapes that broadcast: sizes "
          "equal, or 1, "
          "from the last axis on");
    FAILS(promote, COT_TYPES(cot_u64(), cot_i8()), COT_ERR_DTYPE,
          "model.c:3: add: operands are u64 and i8; no element type holds both: convert one");
    FAILS(fraction, COT_TYPES(cot_i32(3)), COT_ERR_DTYPE,
          "model.c:4: mul: number 0.5 is not an integer, the other operand is i32; wants an "
          "integer, or an "
          "operand converted to a float");
    FAILS(range, COT_TYPES(cot_u8(3)), COT_ERR_DTYPE,
          "model.c:5: add: number 300 is out of range for u8");
    FAILS(integer, COT_TYPES(cot_i32(3)), COT_ERR_DTYPE,
          "model.c:6: exp: operand 0 is i32[3]; wants a floating type");
    FAILS(updates, COT_TYPES(cot_i32(3), cot_f32(1), cot_i32()), COT_ERR_DTYPE,
          "model.c:29: dynamic_update_slice: operand of f32 does not fit i32; wants a "
          "conversion");
}
END_TEST

START_TEST(A83_content_is_not_known)
{
    FAILS(item, COT_TYPES(cot_f32()), COT_ERR_TRACE,
          "model.c:7: item: the content of a value (f32[]) is not known while tracing; choose "
          "with cond or "
          "where, loop with while or scan");
    FAILS(nonzero, COT_TYPES(cot_f32()), COT_ERR_TRACE,
          "model.c:8: is_nonzero: the content of a value (f32[]) is not known while tracing; "
          "choose with cond "
          "or where, loop with while or scan");
}
END_TEST

START_TEST(A67_handles_end_with_their_trace)
{
    const cot_graph *g;

    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "escape", escape, 1, 1, NULL), COT_TYPES(cot_f32()), &g),
        COT_OK);
    FAILS(late, COT_TYPES(cot_f32()), COT_ERR_TRACE,
          "model.c:12: add: operand 1, made at model.c:11, has escaped from the trace of "
          "escape; wants a value of this "
          "trace or of one around it: results of a body leave it through out");
    traced_fails(cot_fn_new_((cot_place){ "main.c", 7 }, ctx, "later", later, 1, 1, NULL),
                 COT_TYPES(cot_f32()), COT_ERR_TRACE,
                 "main.c:7: later: result 0, made at model.c:11, has escaped from the trace of "
                 "escape; wants a value of "
                 "this trace or of one around it");
    cot_sin_((cot_place){"main.c", 8}, escaped);
    ck_assert_str_eq(cot_error(ctx),
                     "main.c:8: sin: operand 0, made at model.c:11, has escaped from the trace "
                     "of escape; wants a value of this "
                     "trace or of one around it: results of a body leave it through out");
}
END_TEST

START_TEST(values_never_set)
{
    traced_fails(
        cot_fn_new_((cot_place){ "main.c", 9 }, ctx, "unset", unset, 1, 1, NULL),
        COT_TYPES(cot_f32()), COT_ERR_TRACE,
        "main.c:9: unset: result 0 was not set; the body must set every element of out");
    FAILS(garbage, COT_TYPES(cot_f32()), COT_ERR_TRACE,
          "model.c:10: add: operand 1 was never set");
    FAILS(own, COT_TYPES(cot_f32()), COT_ERR_ARG, "model.c:18: wants a batch");
}
END_TEST

START_TEST(axes_and_sizes)
{
    cot_type m = cot_f32(2, 3);

    FAILS(axis, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:14: reduce_sum: axis 2 is out of range for rank 2");
    FAILS(repeated, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:15: reduce_sum: axis -2 is named twice");
    FAILS(reshape, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:16: reshape: operand f32[2,3] has 6 elements, the shape wants 4");
    FAILS(size, COT_TYPES(m), COT_ERR_SHAPE,
          "model.c:17: size: axis 2 is out of range for rank 2");
    FAILS(labels, COT_TYPES(m, cot_i32(3)), COT_ERR_SHAPE,
          "model.c:19: cross_entropy: logits are f32[2,3], labels i32[3]; wants integer labels "
          "of the logits' "
          "shape without its last axis");
    FAILS(letters, COT_TYPES(m, m), COT_ERR_SHAPE,
          "model.c:20: einsum: \"ij,jk->iz\": axis j has sizes 3 and 2");
    FAILS(letters, COT_TYPES(m, cot_f32(3, 2)), COT_ERR_ARG,
          "model.c:20: einsum: \"ij,jk->iz\": the result names an axis that no operand has");
    FAILS(sizes, COT_TYPES(m, cot_f32(3)), COT_ERR_SHAPE,
          "model.c:21: einsum: \"ij,jk->ik\": operand 1 is f32[3]; its part names 2 axes");
}
END_TEST

START_TEST(flow_that_does_not_fit)
{
    FAILS(many, COT_TYPES(cot_bool(3), cot_f32()), COT_ERR_SHAPE,
          "model.c:22: cond: the predicate is bool[3]; wants a scalar, bool or integer (vmap "
          "maps it over "
          "examples)");
    FAILS(branches, COT_TYPES(cot_f32()), COT_ERR_SHAPE,
          "model.c:25: cond: branch 1: output 0 is f32[]; wants f16[]");
    FAILS(carry, COT_TYPES(cot_f32()), COT_ERR_SHAPE,
          "model.c:27: while: body: output 0 is f16[]; wants f32[]");
}
END_TEST

START_TEST(a_body_that_calls_itself)
{
    cot_fn *f = NULL;
    const cot_graph *g;

    f = cot_fn_new(ctx, "recurse", recurse, 1, 1, &f);
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32()), &g), COT_ERR_TRACE);
    ck_assert_ptr_nonnull(strstr(
        cot_error(ctx), "recurse: traces nest 200 deep; does a body call its own function?"));
    ck_assert_uint_lt(strlen(cot_error(ctx)), 300);
}
END_TEST

/* The line of a transform is that of the call. */
START_TEST(transforms_that_do_not_fit)
{
    cot_place at = {"main.c", 40};
    cot_fn *f = cot_fn_new_(at, ctx, "shapes", shapes, 2, 1, NULL);
    cot_wrt_options o = { .wrt = COT_LIST(2) }, twice = { .wrt = COT_LIST(1, -1) },
                    aux = { .aux = 3 };

    at.line = 41;
    traced_fails(cot_grad_(at, f, NULL, 0), COT_TYPES(cot_f32(3), cot_f32(3)), COT_ERR_SHAPE,
                 "main.c:41: grad: output of shapes is f32[3]; wants a floating scalar");
    traced_fails(cot_grad_(at, f, NULL, 0), COT_TYPES(cot_i32(), cot_i32()), COT_ERR_DTYPE,
                 "main.c:41: grad: output of shapes is i32[]; wants a floating scalar");
    traced_fails(cot_grad_(at, f, &o, sizeof o), COT_TYPES(cot_f32(), cot_f32()), COT_ERR_ARG,
                 "main.c:41: grad: wrt names argument 2 of shapes, which has 2");
    traced_fails(cot_vjp_(at, f, &twice, sizeof twice),
                 COT_TYPES(cot_f32(), cot_f32(), cot_f32()), COT_ERR_ARG,
                 "main.c:41: vjp: wrt names argument 1 twice; wants distinct arguments");
    traced_fails(cot_grad_(at, f, NULL, 0), COT_TYPES(cot_i32(), cot_f32()), COT_ERR_DTYPE,
                 "main.c:41: grad: argument 0 of shapes is i32[]; wants a floating type to "
                 "differentiate by");
    traced_fails(cot_jvp_(at, f, &aux, sizeof aux),
                 COT_TYPES(cot_f32(), cot_f32(), cot_f32(), cot_f32()), COT_ERR_ARG,
                 "main.c:41: jvp: aux is 3; shapes has 1 outputs");
    traced_fails(cot_jvp_(at, f, NULL, 0), COT_TYPES(cot_f32(), cot_f32(), cot_f32()),
                 COT_ERR_ARG,
                 "main.c:41: jvp(shapes): arguments are (f32[], f32[], f32[]); wants (f32[], "
                 "f32[], tangent "
                 "f32[], tangent f32[])");
    traced_fails(cot_jvp_(at, f, NULL, 0),
                 COT_TYPES(cot_f32(), cot_f32(), cot_f32(), cot_f64()), COT_ERR_DTYPE,
                 "main.c:41: jvp(shapes): argument 3, the tangent of argument 1 of shapes, is "
                 "f64[]; wants f32[]");
    traced_fails(f, COT_TYPES(cot_f32()), COT_ERR_ARG,
                 "main.c:40: shapes: is given 1 arguments; wants 2");
}
END_TEST

/* An error deep inside a transform keeps the line of the body. */
START_TEST(the_first_error_is_kept)
{
    cot_fn *f =
        cot_vmap(cot_grad(cot_fn_new_((cot_place){ "main.c", 1 }, ctx, "f", NULL, 1, 1, NULL)));
    const cot_graph *g;

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(3)), &g), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx), "main.c:1: f: name or body is NULL; wants both");
    ck_assert_int_eq(cot_error_status(ctx), COT_ERR_ARG);
}
END_TEST

/* A body that sets more results than the function has. */
START_TEST(results_that_are_too_many)
{
    traced_fails(
        cot_fn_new_((cot_place){ "main.c", 10 }, ctx, "too_many", too_many, 1, 1, NULL),
        COT_TYPES(cot_f32()), COT_ERR_ARG,
        "main.c:10: too_many: the body set result 1, counted from 0; the function was made "
        "with 1");
}
END_TEST

static void
two_results(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_add(in[0], in[1]);
    out[1] = in[0];
}

/* Results of a loop that were not asked for, and what the caller then reads of them. */
static void
too_few_asked(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[2];

    (void)t, (void)user;
    memset(y, 0x5a, sizeof y);
    cot_scan_((cot_place){ "main.c", 11 }, two_results,
              &(cot_flow_options){ .in = COT_VALUES(in[0]), .xs = COT_VALUES(in[1]), .out = y },
              sizeof(cot_flow_options));
    (void)cot_dtype_of(y[1]), (void)cot_value_text(y[1]);
    cot_scan(two_results, .in = COT_VALUES(y[1]), .xs = COT_VALUES(in[1]), .out = y,
             .n_out = 1);
    out[0] = cot_neg(cot_add(y[1], 1));
}

START_TEST(results_that_were_not_asked_for)
{
    traced_fails(cot_fn_new(ctx, "loop", too_few_asked, 2, 1, NULL),
                 COT_TYPES(cot_f32(), cot_f32(3)), COT_ERR_ARG,
                 "main.c:11: loop.scan: the body set result 1, counted from 0; by .in and "
                 ".n_out it gives 1");
}
END_TEST

START_TEST(pipelines_that_do_not_fit)
{
    cot_fn *f = cot_fn_new(ctx, "id", id, 1, 1, NULL);

    traced_fails(
        cot_pipeline_((cot_place){ "main.c", 60 }, f, "grad | vmap(in=[0)"),
        COT_TYPES(cot_f32(3)), COT_ERR_ARG,
        "main.c:60: vmap: wants `,` or `]` in the list (column 18 of `grad | vmap(in=[0)`)");
}
END_TEST

/* What is NULL that must not be is told, and does not end the program. */
START_TEST(nothing_where_something_is_wanted)
{
    cot_place at = { "main.c", 60 };
    cot_fn *f = cot_fn_new_(at, ctx, "shapes", shapes, 2, 1, NULL);
    const cot_graph *g;

    FAILS(nothing, COT_TYPES(cot_f32()), COT_ERR_ARG,
          "model.c:36: constant: the elements of f32[3] are at NULL; wants memory that holds "
          "them");
    FAILS(no_text, COT_TYPES(cot_f32(2)), COT_ERR_ARG,
          "model.c:37: einsum: the subscripts are NULL; wants text, as \"ij,jk->ik\"");
    FAILS(no_fn, COT_TYPES(cot_f32(2)), COT_ERR_ARG,
          "model.c:38: call: the function is NULL; wants one that was made");
    FAILS(no_body, COT_TYPES(cot_f32()), COT_ERR_ARG, "model.c:32: cond: a body is NULL");
    FAILS(no_words, COT_TYPES(cot_f32()), COT_ERR_ARG,
          "model.c:33: print: the text is NULL; wants one, as \"x is {}\"");
    FAILS(no_rules, COT_TYPES(cot_f32()), COT_ERR_ARG,
          "model.c:34: custom_call: the function is NULL; wants one of cot_custom_new");
    ck_assert_int_eq(cot_trace_fn(cot_fn_new(ctx, "no_room", no_room, 1, 1, NULL),
                                  COT_TYPES(cot_f32(3)), NULL),
                     COT_OK);
    traced_fails(f, (cot_types){ .n = 2, .at = NULL }, COT_ERR_ARG,
                 "main.c:60: shapes: the list of types is NULL, or shorter than none");
    traced_fails(f, (cot_types){ .n = -1, .at = NULL }, COT_ERR_ARG,
                 "main.c:60: shapes: the list of types is NULL, or shorter than none");
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(), cot_f32()), NULL), COT_OK);
    ck_assert_int_eq(cot_trace_fn(NULL, COT_TYPES(), &g), COT_ERR_ARG);
    ck_assert_int_eq(cot_run(NULL, NULL, NULL), COT_ERR_ARG);
    ck_assert_uint_eq(cot_kernel_work_bytes(NULL), 0);
    cot_kernel *k = NULL;
    cot_fn *bwd;
    cot_array *none = NULL;
    cot_type many = { .dtype = COT_F32, .rank = 9 };
    ck_assert_int_eq(cot_compile(NULL, COT_TYPES(), NULL, &k), COT_ERR_ARG);
    ck_assert_int_eq(cot_compile_graph(NULL, NULL, &k), COT_ERR_ARG);
    ck_assert_int_eq(cot_dump_graph(NULL, traced_write, NULL), COT_ERR_ARG);
    ck_assert_int_eq(cot_dump_kernel(NULL, "plan", traced_write, NULL), COT_ERR_ARG);
    ck_assert_int_eq(cot_dump_fn(NULL, COT_TYPES(), "plan", traced_write, NULL), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(NULL), "the context is NULL");
    cot_vjp_halves_(at, f, NULL, &bwd, NULL, 0);
    ck_assert_ptr_nonnull(bwd);
    ck_assert_str_eq(cot_error(ctx), "");
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(), cot_f32()), NULL, NULL), COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_dump_fn(f, COT_TYPES(cot_f32(), cot_f32()), NULL, traced_write, NULL),
                     COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_npy_write(ctx, "none.npy", none), COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_tree_new_(at, ctx, NULL, 8));
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_array_new(ctx, many));
    ck_assert_str_eq(cot_error(ctx),
                     "a type of more than 8 axes has its sizes at NULL; wants them in .more");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_build_object(ctx, NULL, 0, NULL, NULL, NULL), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx), "the path of the file is NULL; wants one");
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_custom_new_(at, ctx, NULL, NULL, 0));
    ck_assert_str_eq(cot_error(ctx), "main.c:60: cot_custom_new: NULL: wants a name");
}
END_TEST

/* Memory that an array cannot be made of. */
START_TEST(elements_that_are_nowhere)
{
    static double pair[2];
    char *odd = (char *)pair + 4;

    ck_assert_ptr_null(cot_array_borrow(ctx, cot_f32(3), NULL));
    ck_assert_str_eq(cot_error(ctx),
                     "the elements of f32[3] are at NULL; wants memory that holds them");
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_array_copy(ctx, cot_f32(3), NULL));
    ck_assert_int_eq(cot_error_status(ctx), COT_ERR_ARG);
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_array_borrow(ctx, cot_f64(), odd));
    ck_assert_str_eq(
        cot_error(ctx),
        "the elements of f64[] start 4 bytes beyond a multiple of 8; wants memory aligned "
        "to the element");
    cot_error_clear(ctx);

    cot_array *empty = cot_array_borrow(ctx, cot_f32(0), NULL),
              *half = cot_array_borrow(ctx, cot_c64(), odd);
    cot_array *copy = cot_array_copy(ctx, cot_f64(), odd);
    ck_assert(empty && half && copy);
    cot_array_free(empty), cot_array_free(half), cot_array_free(copy);
    ck_assert_ptr_null(cot_array_read(NULL));
    ck_assert_uint_eq(cot_array_bytes(NULL), 0);
}
END_TEST

/* The message is about the loop that the user wrote, and counts as he does. */
START_TEST(loops_that_do_not_fit)
{
    FAILS(each, COT_TYPES(cot_f32(3)), COT_ERR_SHAPE,
          "model.c:40: while: the predicate is bool[3]; wants a scalar, bool or integer (vmap "
          "maps it over examples)");
    FAILS(fractions, COT_TYPES(cot_f32()), COT_ERR_ARG,
          "model.c:35: fori: the number of steps is a fraction; wants an integer");
    FAILS(
        counts, COT_TYPES(cot_f32(3)), COT_ERR_SHAPE,
        "model.c:41: fori: out[0] of the body is i32[]; carry 0 is f32[3]; wants equal types");
}
END_TEST

START_TEST(trees_that_do_not_fit)
{
    cot_place at = {"main.c", 50};
    cot_tree *tree = cot_tree_new_(at, ctx, "x, y", 2 * sizeof(cot_value));

    ck_assert_ptr_null(cot_tree_new_(at, ctx, "x, y[", 32));
    ck_assert_str_eq(cot_error(ctx),
                     "main.c:50: tree: \"x, y[\", character 5: wants a count of 1 to 65536");
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_tree_new_(at, ctx, "x, y", 48));
    ck_assert_str_eq(
        cot_error(ctx),
        "main.c:50: tree: \"x, y\" has 2 leaves, the struct has 48 bytes; wants 32");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_tree_list(tree, "x: 0").n, 0);
    ck_assert_str_eq(cot_error(ctx),
                     "main.c:50: tree: no entry for \"y\"; wants one for every leaf");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_tree_list(tree, "z: 0").n, 0);
    ck_assert_str_eq(cot_error(ctx),
                     "main.c:50: tree: nothing is called \"z\"; the names are x, y");
}
END_TEST

BODY(sum_of, out[0] = cot_reduce_sum(in[0]);)

static void
calls(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_call_((cot_place){ "main.c", 60 }, user, COT_VALUES(in[0]));
}

START_TEST(functions_of_another_context)
{
    cot_context *other = cot_context_new(NULL);
    cot_fn *sum = cot_fn_new(other, "total", sum_of, 1, 1, NULL);

    traced_fails(
        cot_fn_new(ctx, "f", calls, 1, 1, sum), COT_TYPES(cot_f32(3)), COT_ERR_ARG,
        "main.c:60: call: the function total is of another context; wants one of this");
    const cot_export e = { .fn = sum, .types = COT_TYPES(cot_f32(3)) };
    ck_assert_int_eq(cot_build_object(ctx, &e, 1, NULL, "f.c", NULL), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx),
                     "the function total is of another context; wants one of this");
    cot_context_free(other);
}
END_TEST

START_TEST(pointers_that_are_null)
{
    const cot_graph *g;

    ck_assert_int_eq(cot_parse(ctx, "f.cot", NULL, 0, NULL, &g), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx), "parse: the text is NULL");
    cot_error_clear(ctx);
    ck_assert_int_eq(cot_parse(NULL, "f.cot", "", 0, NULL, &g), COT_ERR_ARG);
    ck_assert_int_eq(cot_load(ctx, NULL, &(cot_state){ 0 }), COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx), "load: the path is NULL");
    cot_error_clear(ctx);
    ck_assert_ptr_null(cot_array_new(NULL, cot_f32(2)));
    ck_assert_int_eq(
        cot_compile(cot_fn_new(ctx, "f", sum_of, 1, 1, NULL), COT_TYPES(cot_f32(2)),
                    &(cot_compile_options){ .donated = { .n = 1 } }, &(cot_kernel *){ NULL }),
        COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx),
                     "donated is the bare number 1; wants a list, as COT_LIST(1)");
}
END_TEST

/* Why a function failed is told again after the record was cleared, of whatever was made of
 * it. */
START_TEST(functions_that_failed_before)
{
    const char *why = "main.c:60: f: name or body is NULL; wants both";
    cot_fn *f = cot_fn_new_((cot_place){ "main.c", 60 }, ctx, "f", NULL, 1, 1, NULL);

    ck_assert_str_eq(cot_error(ctx), why);
    cot_error_clear(ctx);
    traced_fails(f, COT_TYPES(cot_f32(3)), COT_ERR_ARG, why);
    traced_fails(cot_vmap(cot_grad(f)), COT_TYPES(cot_f32(3)), COT_ERR_ARG, why);
    cot_fn *p = cot_pipeline_((cot_place){ "main.c", 60 },
                              cot_fn_new(ctx, "f", sum_of, 1, 1, NULL), "grad(");
    const cot_status status = cot_error_status(ctx);
    ck_assert_int_ne(status, COT_OK);
    cot_error_clear(ctx);
    const cot_graph *g;
    ck_assert_int_eq(cot_trace_fn(p, COT_TYPES(cot_f32(3)), &g), status);
    ck_assert(strstr(cot_error(ctx), "grad("));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(operands_that_do_not_fit),
        ONCE(A83_content_is_not_known),
        ONCE(A67_handles_end_with_their_trace),
        ONCE(values_never_set),
        ONCE(axes_and_sizes),
        ONCE(flow_that_does_not_fit),
        ONCE(a_body_that_calls_itself),
        ONCE(transforms_that_do_not_fit),
        ONCE(the_first_error_is_kept),
        ONCE(results_that_are_too_many),
        ONCE(results_that_were_not_asked_for),
        ONCE(pipelines_that_do_not_fit),
        ONCE(trees_that_do_not_fit),
        ONCE(nothing_where_something_is_wanted),
        ONCE(elements_that_are_nowhere),
        ONCE(loops_that_do_not_fit),
        ONCE(functions_of_another_context),
        ONCE(pointers_that_are_null),
        ONCE(functions_that_failed_before),
    };

    return SUITE("errors_api", cases);
}
