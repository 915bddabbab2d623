/* StableHLO text: what is read, and what the messages say of what cannot be. */

#include "cotrace/cotrace.h"
#include "tests/unit/suite.h"

static const cot_graph *
import(const char *text)
{
    const cot_graph *g = NULL;

    cot_import_stablehlo(ctx, "m.mlir", text, strlen(text), NULL, &g);
    return g;
}

/* ---- messages ---- */

#define MAIN(in, type, body) "func.func @main(" in ") -> " type " {\n" body "\n}\n"
#define BAD(body)                                                                              \
    MAIN("%x: tensor<3xf32>", "tensor<3xf32>", body "\n return %x : tensor<3xf32>")

static const struct bad {
    const char *text, *message;
} bads[] = {
    { "", "m.mlir:1:1: found the end of the text, wants a function" },
    { "module {", "m.mlir:1:9: found the end of the text, wants '}'" },
    { "module {\n  func.func @f(%x: tensor<3xf32) {", "m.mlir:2:32: found ')', wants '>'" },
    { BAD("%0 = stablehlo.sine %y : tensor<3xf32>"),
      "m.mlir:2:21: found '%y', wants a value that is defined before" },
    { BAD("%0 = stablehlo.sine %x#1 : tensor<3xf32>"),
      "m.mlir:2:21: found '%x#1', wants a value that is defined before" },
    { BAD("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>"),
      "m.mlir:2:40: found ']>', wants ','" },
    { BAD("%0 = stablehlo.constant dense<\"0x0000\"> : tensor<3xf32>"),
      "m.mlir:2:31: found '\"0x0000\">', wants 12 bytes, as many as f32[3] has" },
    { BAD("%0 = \"stablehlo.slice\"(%x) {limit_indices = array<i64: 9223372036854775808>} : "
          "(tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:56: found '9223372036854775808>}', wants a number of 64 bits" },
    { BAD("%0 = stablehlo.constant dense<300> : tensor<3xi8>"),
      "m.mlir:2:31: found '300>', wants a number that fits i8" },
    { BAD("%0 = stablehlo.constant dense<9> : tensor<3xi4>"),
      "m.mlir:2:31: found '9>', wants a number that fits i4" },
    { BAD("%0 = stablehlo.constant dense<1> : tensor<3xtf32>"),
      "m.mlir:2:6: stablehlo.constant: type tensor<3xtf32> is not supported" },
    { BAD("%t = stablehlo.create_token : !stablehlo.token\n%0 = stablehlo.custom_call "
          "@xla_ffi_python_cpu_callback(%t, %x) : (!stablehlo.token, tensor<3xf32>) -> "
          "!stablehlo.token"),
      "m.mlir:3:6: stablehlo.custom_call: @xla_ffi_python_cpu_callback calls back into Python, "
      "of which the text has nothing; wants a program lowered without debug prints and "
      "callbacks" },
    { BAD("%t = stablehlo.tuple %x : tuple<tensor<3xf32>>\n%p = stablehlo.constant dense<true> "
          ": "
          "tensor<i1>\n%0 = \"stablehlo.if\"(%p) ({\n%a = stablehlo.get_tuple_element %t[0] : "
          "(tuple<tensor<3xf32>>) -> tensor<3xf32>\nstablehlo.return %a : tensor<3xf32>\n}, "
          "{\nstablehlo.return %x : tensor<3xf32>\n}) : (tensor<i1>) -> tensor<3xf32>"),
      "m.mlir:4:6: stablehlo.if: a region that captures a tuple is not supported" },
    { BAD("%0 = stablehlo.custom_call @check.expect_eq(%x) : (tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.custom_call: @check.expect_eq has 1 operands; wants 2" },
    { BAD("%0 = stablehlo.einsum %x, %x, config = \"ab,bc->ac\" : (tensor<3xf32>, "
          "tensor<3xf32>) "
          "-> tensor<3xf32>"),
      "m.mlir:2: einsum: \"ab,bc->ac\": operand 0 is f32[3]; its part names 2 axes" },
    { BAD("%0:2 = \"chlo.scan\"(%x, %x) <{dimension = 1 : i64, operandSegmentSizes = "
          "array<i32: 1, "
          "1>}> ({\n^bb0(%a: tensor<f32>, %c: tensor<3xf32>):\nstablehlo.return %a, %c : "
          "tensor<f32>, tensor<3xf32>\n}) : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, "
          "tensor<3xf32>)"),
      "m.mlir:2:8: chlo.scan: input 0 is f32[3]; it has no axis 1" },
    { MAIN("%x: tensor<3x!quant.uniform<i8:f32, 0.5:-20>>", "tensor<3xf32>",
           "return %x : tensor<3xf32>"),
      "m.mlir:1:21: main: argument 0 is tensor<3x!quant.uniform<i8:f32, 0.5:-20>>, which is "
      "not supported" },
    { "ML\xefR\x06", "m.mlir:1:1: found 'ML', wants text; bytecode is made text by "
                     "`stablehlo-translate --deserialize`, or "
                     "by str() in Python" },
    { BAD("%0 = stablehlo.constant dense_resource<w> : tensor<3xf32>"),
      "m.mlir:2:40: found 'w>', wants a resource that the end of the text holds; elements that "
      "were left out cannot be "
      "imported" },
    { BAD("%0 = \"stablehlo.all_reduce\"(%x) <{replica_groups = dense<[[0, 1]]> : "
          "tensor<1x2xi64>}> ({\n^bb0(%a: tensor<f32>, "
          "%b: tensor<f32>):\n%s = stablehlo.add %a, %b : tensor<f32>\nstablehlo.return %s : "
          "tensor<f32>\n}) : "
          "(tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.all_reduce: its groups are of several devices, of which one is "
      "supported" },
    { BAD("%t = stablehlo.tuple %x : tuple<tensor<3xf32>>\n%0 = stablehlo.get_tuple_element "
          "%t[1] : "
          "(tuple<tensor<3xf32>>) -> tensor<3xf32>"),
      "m.mlir:3:6: stablehlo.get_tuple_element: takes element 1 of 1" },
    { BAD("%0 = stablehlo.frobnicate %x : tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.frobnicate: the op is not supported" },
    { BAD("%0 = stablehlo.sine %x, %x : tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.sine: has 2 operands; wants 1" },
    { BAD("%0 = stablehlo.sine %x : tensor<4xf32>"),
      "m.mlir:2:6: stablehlo.sine: result 0 is f32[3]; the text says tensor<4xf32>" },
    { BAD("%0 = call @g(%x) : (tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:6: call: there is no function @g" },
    { BAD("%0 = call @main(%x) : (tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:6: main: the function calls itself" },
    { BAD("%0 = stablehlo.custom_call @f(%x) : (tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.custom_call: no custom function @f is registered" },
    { BAD("%0 = stablehlo.compare XX, %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>"),
      "m.mlir:2:6: stablehlo.compare: compares by 'XX'; wants EQ, NE, LT, LE, GT or GE" },
    { BAD("%0:2 = stablehlo.sine %x : (tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:8: found 'stablehlo.sine', wants 2 types for its results" },
    { MAIN("%x: tensor<?xf32>", "tensor<?xf32>", "return %x : tensor<?xf32>"),
      "m.mlir:1:21: main: argument 0 has open sizes; wants its type given" },
    { MAIN("%x: tensor<3xf32>", "tensor<3xf32>", "%0 = stablehlo.sine %x : tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.sine: the region ends without a return" },
    { BAD("%0 = \"stablehlo.add\"(%x, %i) : (tensor<3xf32>) -> tensor<3xf32> "
          "loc(\"model.py\":7:1)"),
      "m.mlir:2:26: found '%i)', wants a value that is defined before" },
};

START_TEST(message)
{
    ck_assert_ptr_null(import(bads[_i].text));
    ck_assert_str_eq(cot_error(ctx), bads[_i].message);
}
END_TEST

/* Any beginning of a text is an error with a message, or a module. */
START_TEST(cut_anywhere)
{
    static const char text[] = "#loc = loc(\"m.py\":1:2)\nmodule @m attributes {a.b = 1 : i32} "
                               "{\n  func.func public @main(%arg0: tensor<2xf32> "
                               "{tf.aliasing_output = 0 : i32} loc(\"x\")) -> (tensor<f32> "
                               "{jax.result_info = \"\"}) {\n    %c = stablehlo.constant "
                               "dense<[1.0, -2.5e-1]> : tensor<2xf32>\n    %0 = stablehlo.add "
                               "%arg0, %c : tensor<2xf32> loc(#loc)\n    %1 = "
                               "stablehlo.constant dense<0.0> : tensor<f32>\n    %2 = "
                               "stablehlo.reduce(%0 init: %1) applies stablehlo.add across "
                               "dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> "
                               "tensor<f32>\n    %3:2 = stablehlo.while(%a = %2, %b = %1) : "
                               "tensor<f32>, tensor<f32>\n    cond {\n      %p = "
                               "stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> "
                               "tensor<i1>\n      stablehlo.return %p : tensor<i1>\n    } do "
                               "{\n      %q = stablehlo.add %a, %1 : tensor<f32>\n      "
                               "stablehlo.return %q, %b : tensor<f32>, tensor<f32>\n    }\n    "
                               "return %3#0 : tensor<f32>\n  }\n}\n";
    const cot_graph *g;

    ck_assert_msg(import(text) != NULL, "%s", cot_error(ctx));
    for (size_t n = 0; n < sizeof text - 2; n++) {
        char *copy = malloc(n + 1);
        memcpy(copy, text, n);
        const cot_status status = cot_import_stablehlo(ctx, "m.mlir", copy, n, NULL, &g);
        free(copy);
        ck_assert((status == COT_OK) == (g != NULL));
        ck_assert(g || *cot_error(ctx));
        cot_error_clear(ctx);
    }
}
END_TEST

/* ---- what is read ---- */

static double
value(const char *text, double x)
{
    const cot_graph *g = import(text);
    cot_array *in = cot_array_new(ctx, cot_f64()), *out = NULL;

    ck_assert_msg(g != NULL, "%s", cot_error(ctx));
    *(double *)cot_array_data(in) = x;
    ck_assert_int_eq(
        cot_jit(cot_fn_of_graph(g), &out, 1, (const cot_array *[]){ in }, cot_graph_n_in(g)),
        COT_OK);
    const double y = *(const double *)cot_array_read(out);
    cot_array_free(in);
    cot_array_free(out);
    return y;
}

#define F64 "tensor<f64>"
static const struct good {
    const char *text;
    double x, y;
} goods[] = {
    /* the generic form, all through */
    { "\"builtin.module\"() ({\n \"func.func\"() <{function_type = (" F64 ") -> " F64
      ", sym_name = \"main\"}> ({\n ^bb0(%arg0: " F64
      "):\n %0 = \"stablehlo.multiply\"(%arg0, %arg0) : (" F64 ", " F64 ") -> " F64
      "\n \"func.return\"(%0) : (" F64 ") -> ()\n }) : () -> ()\n}) : () -> ()\n",
      3, 9 },
    /* a region that captures, and the branch that serves all other numbers */
    { MAIN("%x: " F64, F64,
           "%i = stablehlo.constant dense<-7> : tensor<i32>\n%0 = \"stablehlo.case\"(%i) ({\n"
           "stablehlo.return %x : " F64 "\n}, {\n%1 = stablehlo.negate %x : " F64
           "\nstablehlo.return %1 : " F64 "\n}) : (tensor<i32>) -> " F64 "\nreturn %0 : " F64),
      2, -2 },
    /* hexadecimal bits of an element */
    { MAIN("%x: " F64, F64,
           "%c = stablehlo.constant dense<0x3FF8000000000000> : " F64
           "\n%0 = stablehlo.add %x, %c : " F64 "\nreturn %0 : " F64),
      1, 2.5 },
    /* a function that is private, called twice */
    { "module {\nfunc.func public @main(%x: " F64 ") -> " F64 " {\n%0 = call @g(%x) : (" F64
      ") -> " F64 "\n%1 = func.call "
      "@g(%0) : (" F64 ") -> " F64 "\nreturn %1 : " F64 "\n}\nfunc.func private @g(%x: " F64
      ") -> " F64 " {\n%0 = "
      "stablehlo.add %x, %x : " F64 "\nreturn %0 : " F64 "\n}\n}\n",
      1, 4 },
    /* a mesh that carries attributes is passed over */
    { "module {\nsdy.mesh @one = <[], device_ids=[0]> {stablehlo.mesh = {axes = [], device_ids "
      "= dense<0> : tensor<1xi64>}}\n" MAIN(
          "%x: " F64, F64, "%0 = stablehlo.add %x, %x : " F64 "\nreturn %0 : " F64) "}\n",
      1, 2 },
};

/* Sizes that shapes depend on are constants; they stay arguments. */
START_TEST(sizes)
{
    static const char text[] =
        "func.func private @g(%n: tensor<i64>, %x: tensor<?xf32>) -> tensor<?xf32> {\n%0 = "
        "stablehlo.reshape %n : (tensor<i64>) "
        "-> tensor<1xi64>\n%1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi64>) -> "
        "tensor<?xf32>\n%2 = stablehlo.add "
        "%x, %1 : tensor<?xf32>\nreturn %2 : tensor<?xf32>\n}\nfunc.func @main(%n: "
        "tensor<i64>, %x: tensor<?xf32>) -> "
        "tensor<?xf32> {\n%0 = call @g(%n, %x) : (tensor<i64>, tensor<?xf32>) -> "
        "tensor<?xf32>\nreturn %0 : tensor<?xf32>\n}\n";
    const cot_import_options o = { .types = COT_TYPES(cot_i64(), cot_f32(3)),
                                   .sizes = COT_LIST(3) };
    const cot_import_options wrong = { .types = COT_TYPES(cot_i64(), cot_f32(3)),
                                       .sizes = COT_LIST(3, 4) };
    const cot_graph *g = NULL;
    cot_array *n = cot_array_new(ctx, cot_i64()),
              *x = cot_array_copy(ctx, cot_f32(3), (const float[]){ 5, 5, 5 }), *y = NULL;

    ck_assert_int_eq(cot_import_stablehlo(ctx, "m.mlir", text, sizeof text - 1, &o, &g),
                     COT_OK);
    ck_assert_int_eq(cot_graph_n_in(g), 2);
    ck_assert_int_eq(cot_jit(cot_fn_of_graph(g), &y, 1, (const cot_array *[]){ n, x }, 2),
                     COT_OK);
    for (int i = 0; i < 3; i++)
        ck_assert_float_eq(((const float *)cot_array_read(y))[i], (float)(5 + i));
    ck_assert_int_eq(cot_import_stablehlo(ctx, "m.mlir", text, sizeof text - 1, &wrong, &g),
                     COT_ERR_PARSE);
    ck_assert_str_eq(
        cot_error(ctx),
        "m.mlir:7:1: func.func: a size is given for argument 1, which is f32[3]; wants an "
        "integer scalar");
    cot_array_free(n);
    cot_array_free(x);
    cot_array_free(y);
}
END_TEST

START_TEST(good)
{
    ck_assert_double_eq(value(goods[_i].text, goods[_i].x), goods[_i].y);
}
END_TEST

/* ---- what is written ---- */

static void
print_it(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_print(in[0], "x");
}

static void
count(void *user, const char *text, size_t n)
{
    (void)text;
    *(size_t *)user += n;
}

START_TEST(no_counterpart)
{
    const cot_graph *g = NULL;
    size_t n = 0;

    cot_trace_fn(cot_fn_new(ctx, "f", print_it, 1, 1, NULL), COT_TYPES(cot_f32(2)), &g);
    ck_assert_msg(g != NULL, "%s", cot_error(ctx));
    ck_assert_int_eq(cot_export_stablehlo(g, count, &n), COT_ERR_TARGET);
    ck_assert_uint_eq(n, 0);
    ck_assert_msg(strstr(cot_error(ctx), "has no counterpart in StableHLO") != NULL, "%s",
                  cot_error(ctx));
    ck_assert_msg(strncmp(cot_error(ctx), __FILE__, strlen(__FILE__)) == 0, "%s",
                  cot_error(ctx));
}
END_TEST

/* A composite of ours whose attributes are none of ours. */
static const struct bad composites[] = {
    { BAD("%0 = stablehlo.composite \"cotrace.integer_pow\" %x {composite_attributes = {y = "
          "\"2\"}, decomposition = @f} : "
          "(tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.composite: the attribute y of integer_pow is missing, or of "
      "another kind" },
    { BAD("%0 = stablehlo.composite \"cotrace.windows\" %x {composite_attributes = {axis = 4 : "
          "i64, size = 2 : i64}, "
          "decomposition = @f} : (tensor<3xf32>) -> tensor<3xf32>"),
      "m.mlir:2: windows: axis 4 is out of range for f32[3]" },
    { BAD("%0 = stablehlo.composite \"other.exp2\" %x {decomposition = @f} : (tensor<3xf32>) "
          "-> tensor<3xf32>"),
      "m.mlir:2:6: stablehlo.composite: there is no function @f" },
};

START_TEST(composite)
{
    ck_assert_ptr_null(import(composites[_i].text));
    ck_assert_str_eq(cot_error(ctx), composites[_i].message);
}
END_TEST

/* ---- what stands behind patterns ---- */

static void
append(void *user, const char *text, size_t n)
{
    strncat(user, text, n);
}

#define ROW "tensor<2x6xf64>"
#define PICK(nan)                                                                              \
    MAIN("%x: " ROW, "tensor<2xi32>",                                                          \
         "%i = stablehlo.iota dim = 1 : tensor<2x6xi32>\n%inf = stablehlo.constant "           \
         "dense<0x7FF0000000000000> : " F64 "\n"                                               \
         "%z = stablehlo.constant dense<0> : tensor<i32>\n%r:2 = stablehlo.reduce(%x init: "   \
         "%inf), (%i init: %z) across "                                                        \
         "dimensions = [1] : (" ROW ", tensor<2x6xi32>, " F64                                  \
         ", tensor<i32>) -> (tensor<2xf64>, tensor<2xi32>)\n"                                  \
         "reducer(%a: " F64 ", %b: " F64 ") (%j: tensor<i32>, %k: tensor<i32>) {\n"            \
         "%lt = stablehlo.compare LT, %a, %b : (" F64 ", " F64 ") -> tensor<i1>\n" nan         \
         "%eq = stablehlo.compare EQ, %a, %b : (" F64 ", " F64 ") -> tensor<i1>\n"             \
         "%lo = stablehlo.compare LT, %j, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"     \
         "%tie = stablehlo.and %eq, %lo : tensor<i1>\n%first = stablehlo.or %keep, %tie : "    \
         "tensor<i1>\n"                                                                        \
         "%v = stablehlo.select %keep, %a, %b : tensor<i1>, " F64 "\n"                         \
         "%p = stablehlo.select %first, %j, %k : tensor<i1>, tensor<i32>\n"                    \
         "stablehlo.return %v, %p : " F64 ", tensor<i32>\n}\nreturn %r#1 : tensor<2xi32>")
#define RUNNING(padding, body)                                                                 \
    MAIN("%x: " ROW, ROW,                                                                      \
         "%c = stablehlo.constant dense<0.0> : " F64                                           \
         "\n%r = \"stablehlo.reduce_window\"(%x, %c) <{padding = dense<" padding               \
         "> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 6>}> ({\n^bb0(%a: " F64       \
         ", %b: " F64 "):\n" body "stablehlo.return %s : " F64 "\n}) : (" ROW ", " F64         \
         ") -> " ROW "\nreturn %r : " ROW)
#define HYPOT \
    "%aa = stablehlo.multiply %a, %a : " F64 "\n%bb = stablehlo.multiply %b, %b : " F64 "\n" \
    "%ss = stablehlo.add %aa, %bb : " F64 "\n%s = stablehlo.sqrt %ss : " F64 "\n"

static const struct pattern {
    const char *text, *has, *has_not;
} patterns[] = {
    /* of two NaNs the left one: places rise from left to right */
    { PICK("%n = stablehlo.compare NE, %a, %a : (" F64 ", " F64 ") -> tensor<i1>\n"
           "%keep = stablehlo.or %lt, %n : tensor<i1>\n"),
      "argmin", "select" },
    { PICK("%keep = stablehlo.and %lt, %lt : tensor<i1>\n"), "select",
      "argmin" },     /* NaN is not kept */
    { RUNNING("[[0, 0], [5, 0]]", "%s = stablehlo.add %a, %b : " F64 "\n"), "cumsum",
      "windows" },
    { RUNNING("[[0, 0], [5, 0]]", HYPOT), "sqrt", "windows" }, /* prefixes */
    { RUNNING("[[0, 0], [0, 5]]", HYPOT), "reverse", "windows" },
    { RUNNING("[[0, 0], [3, 2]]", HYPOT), "windows", "reverse" }, /* no running one */
};

START_TEST(pattern)
{
    const struct pattern *p = &patterns[_i];
    const cot_graph *g = import(p->text);
    char *text = calloc(1, 1 << 16);

    ck_assert_msg(g != NULL, "%s", cot_error(ctx));
    ck_assert_int_eq(cot_dump_graph(g, append, text), COT_OK);
    ck_assert_msg(strstr(text, p->has) && !strstr(text, p->has_not), "%s", text);
    free(text);
}
END_TEST

/* Running Euclidean norms, both ways. */
START_TEST(running)
{
    static const double x[2][6] = { { 3, 4, 12, 84, 0, 0 }, { 0, 0, 84, 12, 4, 3 } };
    static const double from_left[2][6] = {
        { 3, 5, 13, 85, 85, 85 }, { 0, 0, 84, 84.8528137423857, 84.94704232638121, 85 }
    };
    cot_array *in = cot_array_copy(ctx, cot_f64(2, 6), x), *out = NULL;

    for (int reverse = 0; reverse < 2; reverse++) {
        const cot_graph *g = import(patterns[3 + reverse].text);
        ck_assert_int_eq(cot_jit(cot_fn_of_graph(g), &out, 1, (const cot_array *[]){ in }, 1),
                         COT_OK);
        const double *y = cot_array_read(out);
        for (int i = 0; i < 12; i++)
            ck_assert_double_eq_tol(
                y[i], reverse ? from_left[1 - i / 6][5 - i % 6] : from_left[i / 6][i % 6],
                1e-12);
        cot_array_free(out);
        out = NULL;
    }
    cot_array_free(in);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(message, sizeof bads / sizeof *bads),
        EACH(good, sizeof goods / sizeof *goods),
        EACH(pattern, sizeof patterns / sizeof *patterns),
        ONCE(running),
        ONCE(sizes),
        ONCE(cut_anywhere),
        ONCE(no_counterpart),
        EACH(composite, sizeof composites / sizeof *composites),
    };

    return SUITE("stablehlo", cases);
}
