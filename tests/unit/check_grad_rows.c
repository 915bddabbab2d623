/* Rows of the feature list about grad, grad_and_value, vjp and jvp that want bodies and their
 * lines:
 * `ctest -R B109` runs one.  Message tests compare the whole text. */
#include "traced.h"

/* Bodies are rows of one line, since messages name their lines. */
#define SUM0(x)            cot_reduce_sum(x, .axes = COT_LIST(0))
#define SQUARE(x)          cot_mul(x, x)
#define STOP(x)            cot_stop_gradient(x)
#define GRAD(body, user)   cot_grad(cot_fn_new(ctx, #body, body, 1, 1, user))
#define BELOW_0(x)         cot_lt(cot_index(x, 0, 0), 0)
#define USER               (*(cot_fn **)user)
#define ONES(...)          cot_ones(t, cot_f64(__VA_ARGS__))
#define SHOW(i, y)         strcpy(seen[i], cot_value_text(y))
#define AT_ONE(f)          cot_call(f, ONES())
#define KEEP(y)            SHOW(2, y); *(cot_value *)seen[3] = y

/* clang-format off */
#line 1 "model.c"
BODY(square,    out[0] = cot_mul(in[0], in[0]);)
BODY(squares,   out[0] = cot_reduce_sum(cot_mul(in[0], in[0]), .axes = COT_LIST(0));)
BODY(product,   out[0] = cot_mul(in[0], in[1]);)
BODY(linear,    out[0] = SUM0(cot_add(cot_mul(in[0], in[2]), in[1]));)
BODY(two,       out[0] = cot_mul(in[0], in[1]); out[1] = cot_sin(in[0]);)
BODY(counted,   out[0] = cot_mul(in[0], in[0]); out[1] = cot_add(in[1], 1);)
BODY(rounded,   out[0] = cot_convert(in[0], COT_I32);)
BODY(shift,     out[0] = cot_mul(STOP(cot_call(USER, in[0])), in[0]);)
BODY(stopped,   out[0] = cot_sub(SQUARE(in[0]), STOP(SQUARE(in[0])));)
BODY(sum_in_y,  out[0] = cot_add(*(cot_value *)user, in[0]);)
BODY(confusing, cot_value x = in[0], d = AT_ONE(GRAD(sum_in_y, &x)); out[0] = cot_mul(x, d);)
BODY(mixed,     out[0] = cot_convert(SQUARE(in[0]), COT_F32); out[1] = cot_mul(in[0], 3);)
BODY(constant,  out[0] = SQUARE(in[0]); out[1] = ONES(2); out[2] = cot_neg(in[1]);)
BODY(sines,     out[0] = cot_sin(in[0]);)
BODY(leaks,     *(cot_value *)user = cot_mul(in[0], in[0]); out[0] = cot_sin(in[0]);)
BODY(uses,      cot_value v, y = cot_call(GRAD(leaks, &v), in[0]); out[0] = cot_add(y, v);)
BODY(in_grad,   out[0] = cot_call(cot_grad(cot_fn_new(ctx, "cube", sines, 1, 1, NULL)), in[0]);)
static char seen[4][160];
BODY(shows,     cot_value y = SQUARE(in[0]); SHOW(0, y); out[0] = SUM0(y);)
BODY(branch,    strcpy(seen[1], cot_value_text(in[0])); out[0] = in[0];)
BODY(around,    cot_fn *f = cot_grad_((cot_place){ "model.c", 30 }, *(cot_fn **)user, NULL, 0);
                cot_value y = cot_call(f, in[0]); KEEP(y);
                out[0] = cot_cond(BELOW_0(in[0]), branch, branch, .in = COT_VALUES(y));)
#line 33 "check_grad_rows.c"
/* clang-format on */

#define MAIN(line) ((cot_place){ "main.c", line })
#define WRT(...)   &(const cot_wrt_options){ __VA_ARGS__ }, sizeof(cot_wrt_options)

static cot_fn *
body(const char *name, cot_body *b, int n_in, int n_out, const char *in, const char *out)
{
    cot_fn *f = cot_fn_new_(MAIN(1), ctx, name, b, n_in, n_out, NULL);

    return in ? cot_fn_named(f, in, out) : f;
}

/* The results of f at scalars or arrays of f64, one after another. */
static void
gives(cot_fn *f, cot_types types, const double *in, int n_out, const double *want)
{
    const cot_graph *g;
    const void *x[8];
    double y[8][16], *at[8];

    ck_assert_msg(cot_trace_fn(f, types, &g) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(cot_graph_n_out(g), n_out);
    for (int i = 0; i < types.n; i++) {
        x[i] = in;
        in += cot_type_count(&types.at[i]);
    }
    for (int j = 0; j < n_out; j++)
        at[j] = y[j];
    ck_assert_msg(ir_eval(g, (void *const *)at, x) == COT_OK, "%s", cot_error(ctx));
    for (int j = 0; j < n_out; j++) {
        const cot_type t = cot_graph_out_type(g, j);

        for (int64_t i = 0; i < cot_type_count(&t); i++, want++) {
            const double got = traced_element(t.dtype, y[j], i);

            ck_assert_msg(fabs(got - *want) <= 1e-14 * fmax(1, fabs(*want)),
                          "%s: result %d [%d] is %.17g, wants %.17g", cot_fn_name(f), j, (int)i,
                          got, *want);
        }
    }
}
#define IN(...)   ((const double[]){ __VA_ARGS__ })
#define TYPES(...) COT_TYPES(__VA_ARGS__)

/* ---- which arguments ---- */

START_TEST(a69)
{
    /* a derivative inside a body is a transform: d/dx cos x */
    gives(cot_grad(body("in_grad", in_grad, 1, 1, NULL, NULL)), TYPES(cot_f64()), IN(0.5), 1,
          IN(-sin(0.5)));
}
END_TEST

START_TEST(b85)
{
    cot_fn *f = body("product", product, 2, 1, "x, y", "z");

    gives(cot_grad(f, .wrt = COT_LIST(-1)), TYPES(cot_f64(), cot_f64()), IN(3, 5), 1, IN(3));
    traced_fails(cot_grad_(MAIN(9), f, WRT(.wrt = COT_LIST(2))), TYPES(cot_f64(), cot_f64()),
                 COT_ERR_ARG, "main.c:9: grad: wrt names argument 2 of product, which has 2");
    traced_fails(cot_grad_(MAIN(9), f, WRT(.wrt = COT_LIST(-3))), TYPES(cot_f64(), cot_f64()),
                 COT_ERR_ARG, "main.c:9: grad: wrt names argument -3 of product, which has 2");
}
END_TEST

START_TEST(b86)
{
    traced_fails(
        cot_grad_(MAIN(9), body("product", product, 2, 1, NULL, NULL), WRT(.wrt = COT_LIST())),
        TYPES(cot_f64(), cot_f64()), COT_ERR_ARG,
        "main.c:9: grad: wrt is empty; wants at least one argument");
}
END_TEST

START_TEST(b87)
{
    cot_fn *f = body("product", product, 2, 1, "x, y", "z");

    traced_fails(cot_grad_(MAIN(9), f, WRT(.wrt = COT_LIST(0, 0))), TYPES(cot_f64(), cot_f64()),
                 COT_ERR_ARG,
                 "main.c:9: grad: wrt names argument 0 (x) twice; wants distinct arguments");
    traced_fails(cot_grad_(MAIN(9), f, WRT(.wrt = COT_LIST(0, -2))),
                 TYPES(cot_f64(), cot_f64()), COT_ERR_ARG,
                 "main.c:9: grad: wrt names argument 0 (x) twice; wants distinct arguments");
}
END_TEST

START_TEST(b89)
{
    /* a list of one gives what the default gives: results are always a list */
    cot_fn *f = body("squares", squares, 1, 1, NULL, NULL);

    gives(cot_grad(f, .wrt = COT_LIST(0)), TYPES(cot_f64(2)), IN(3, 5), 1, IN(6, 10));
    gives(cot_grad(f), TYPES(cot_f64(2)), IN(3, 5), 1, IN(6, 10));
}
END_TEST

START_TEST(b90)
{
    /* a struct {weight, bias} beside x: wrt names its leaves */
    cot_tree *tree = cot_tree_new(ctx, "layer{weight, bias}, x", 3 * sizeof(cot_value));
    cot_fn *f = body("linear", linear, 3, 1, "layer{weight, bias}, x", "y");
    int n, first = cot_tree_find(tree, "layer", &n);

    ck_assert_int_eq(n, 2);
    gives(cot_grad(f, .wrt = COT_LIST(first, first + 1)),
          TYPES(cot_f64(2), cot_f64(2), cot_f64(2)), IN(1, 2, 0, 0, 3, 5), 2, IN(3, 5, 1, 1));
    traced_fails(
        cot_grad_(MAIN(9), f, WRT(.wrt = COT_LIST(1))),
        TYPES(cot_f64(2), cot_i32(2), cot_f64(2)), COT_ERR_DTYPE,
        "main.c:9: grad: argument 1 (layer.bias) of linear is i32[2]; wants a floating "
        "type to differentiate by");
}
END_TEST

/* ---- what is differentiated ---- */

START_TEST(b91)
{
    traced_fails(cot_grad_(MAIN(9), body("square", square, 1, 1, NULL, NULL), WRT(.aux = 0)),
                 TYPES(cot_f64(2, 3)), COT_ERR_SHAPE,
                 "main.c:9: grad: output of square is f64[2,3]; wants a floating scalar");
}
END_TEST

START_TEST(b92)
{
    traced_fails(cot_grad_(MAIN(9), body("square", square, 1, 1, NULL, NULL), WRT(.aux = 0)),
                 TYPES(cot_f64(1)), COT_ERR_SHAPE,
                 "main.c:9: grad: output of square is f64[1]; wants a floating scalar");
}
END_TEST

START_TEST(b93)
{
    traced_fails(cot_grad_(MAIN(9), body("two", two, 2, 2, NULL, NULL), WRT(.aux = 0)),
                 TYPES(cot_f64(), cot_f64()), COT_ERR_ARG,
                 "main.c:9: grad: two has 2 outputs besides aux; wants 1");
}
END_TEST

START_TEST(b94)
{
    traced_fails(cot_grad_(MAIN(9), body("rounded", rounded, 1, 1, NULL, NULL), WRT(.aux = 0)),
                 TYPES(cot_f64()), COT_ERR_DTYPE,
                 "main.c:9: grad: output of rounded is i32[]; wants a floating scalar");
}
END_TEST

START_TEST(b95)
{
    traced_fails(
        cot_grad_(MAIN(9), body("counted", counted, 2, 2, "x, steps", "y, steps"),
                  WRT(.wrt = COT_LIST(1), .aux = 1)),
        TYPES(cot_f64(), cot_i32()), COT_ERR_DTYPE,
        "main.c:9: grad: argument 1 (steps) of counted is i32[]; wants a floating type to "
        "differentiate by");
}
END_TEST

START_TEST(b98)
{
    cot_fn *f = body("square", square, 1, 1, NULL, NULL);

    traced_fails(cot_grad_(MAIN(9), f, WRT(.aux = 1)), TYPES(cot_f64()), COT_ERR_ARG,
                 "main.c:9: grad: square has 0 outputs besides aux; wants 1");
    traced_fails(cot_grad_(MAIN(9), f, WRT(.aux = 2)), TYPES(cot_f64()), COT_ERR_ARG,
                 "main.c:9: grad: aux is 2; square has 1 outputs");
    traced_fails(cot_vjp_(MAIN(9), f, WRT(.aux = -1)), TYPES(cot_f64(), cot_f64()), COT_ERR_ARG,
                 "main.c:9: vjp: aux is -1; square has 1 outputs");
}
END_TEST

START_TEST(b99)
{
    /* an integer as aux; its value is that of the function */
    const cot_graph *g;
    cot_fn *f = cot_grad(body("counted", counted, 2, 2, NULL, NULL), .aux = 1);
    const double x = 3;
    const int32_t k = 41;
    double dx;
    int32_t next;

    ck_assert_int_eq(cot_trace_fn(f, TYPES(cot_f64(), cot_i32()), &g), COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ &dx, &next }, (const void *[]){ &x, &k }), COT_OK);
    ck_assert(dx == 6 && next == 42);
}
END_TEST

START_TEST(b103)
{
    /* nothing outside a transform switches it off: the same function, twice, is the same
     * graph */
    cot_fn *f = cot_grad(body("stopped", stopped, 1, 1, NULL, NULL));

    gives(f, TYPES(cot_f64()), IN(3), 1, IN(6));
    gives(cot_grad(f), TYPES(cot_f64()), IN(3), 1, IN(2));
}
END_TEST

START_TEST(b104)
{
    /* shift = stop(d/dx x^2 + ...) is constant: d/dx (cos(x) held) x = cos x */
    cot_fn *g = cot_grad(body("sines", sines, 1, 1, NULL, NULL));

    gives(cot_grad(cot_fn_new(ctx, "shift", shift, 1, 1, &g)), TYPES(cot_f64()), IN(0.5), 1,
          IN(cos(0.5)));
}
END_TEST

/* ---- cotangents and tangents ---- */

START_TEST(b105)
{
    traced_fails(cot_vjp_(MAIN(9), body("two", two, 2, 2, "x, y", "z, s"), WRT(.aux = 0)),
                 TYPES(cot_f64(), cot_f64(), cot_f64()), COT_ERR_ARG,
                 "main.c:9: vjp(two): arguments are (f64[], f64[], f64[]); wants (x: f64[], y: "
                 "f64[], cotangent z: f64[], cotangent s: f64[])");
}
END_TEST

START_TEST(b106)
{
    cot_fn_new_(MAIN(9), ctx, "none", square, 1, 0, NULL);
    ck_assert_str_eq(cot_error(ctx), "main.c:9: none: has no results; wants 1 or more");
}
END_TEST

START_TEST(b107)
{
    traced_fails(
        cot_vjp_(MAIN(9), body("rounded", rounded, 1, 1, NULL, NULL), WRT(.aux = 0)),
        TYPES(cot_f64()), COT_ERR_ARG,
        "main.c:9: vjp: rounded has no floating output besides aux; wants at least one");
}
END_TEST

START_TEST(b109)
{
    cot_fn *f = cot_vjp_(MAIN(9), body("two", two, 2, 2, "x, y", "z, s"), WRT(.aux = 0));

    traced_fails(
        f, TYPES(cot_f64(2), cot_f64(2), cot_f64(2), cot_f64(3)), COT_ERR_SHAPE,
        "main.c:9: vjp(two): argument 3, the cotangent of output 1 (s) of two, is f64[3]; "
        "wants f64[2]");
    traced_fails(
        f, TYPES(cot_f64(2), cot_f64(2), cot_f32(2), cot_f64(2)), COT_ERR_DTYPE,
        "main.c:9: vjp(two): argument 2, the cotangent of output 0 (z) of two, is f32[2]; "
        "wants f64[2]");
}
END_TEST

START_TEST(b115)
{
    /* a value from inside grad, used after it: an error at the line of its use */
    traced_fails(body("uses", uses, 1, 1, NULL, NULL), TYPES(cot_f64()), COT_ERR_TRACE,
                 "model.c:16: add: operand 1, made at model.c:15, has escaped from the trace "
                 "of leaks; wants a value of this trace or of one around it: results of a body "
                 "leave it through out");
}
END_TEST

/* Values of three bodies, one called through a gradient under a map, one a branch. */
START_TEST(b116)
{
    cot_fn *f = cot_fn_new_(MAIN(1), ctx, "f", shows, 1, 1, NULL);
    cot_fn *g = cot_fn_named(cot_fn_new_(MAIN(2), ctx, "g", around, 1, 1, &f), "x", "y");
    const cot_graph *graph;

    ck_assert_msg(cot_trace_fn(cot_vmap_(MAIN(3), g, NULL, 0), COT_TYPES(cot_f32(5, 3)),
                               &graph) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_str_eq(
        seen[0], "f32[3], mul at model.c:19, in f, in grad at model.c:30, in g at model.c:22, "
                 "in vmap at main.c:3");
    ck_assert_str_eq(seen[1], "f32[3], argument 0, in g.cond1, in g, in vmap at main.c:3");
    ck_assert_str_eq(seen[2], "f32[3], call at model.c:22, in g, in vmap at main.c:3");
    ck_assert_str_eq(cot_value_text(*(cot_value *)seen[3]),
                     "f32[3], call at model.c:22, in g, in vmap at main.c:3, which has ended");
    ck_assert_str_eq(cot_value_text((cot_value){ 0 }), "a value that was never set");
}
END_TEST

START_TEST(b118)
{
    /* results f32 and f64: cotangents likewise, the gradient f64 */
    cot_fn *f = cot_vjp(body("mixed", mixed, 1, 2, NULL, NULL));
    const cot_graph *g;
    const double x = 3, ct1 = 10;
    const float ct0 = 1;
    float y0;
    double y1, dx;

    ck_assert_int_eq(cot_trace_fn(f, TYPES(cot_f64(), cot_f32(), cot_f64()), &g), COT_OK);
    ck_assert_int_eq(cot_graph_out_type(g, 2).dtype, COT_F64);
    ck_assert_int_eq(
        ir_eval(g, (void *[]){ &y0, &y1, &dx }, (const void *[]){ &x, &ct0, &ct1 }), COT_OK);
    ck_assert(y0 == 9 && y1 == 9 && dx == 36);
}
END_TEST

START_TEST(b119)
{
    cot_fn *f = body("counted", counted, 2, 2, "x, steps", "y, steps");

    traced_fails(
        cot_jvp_(MAIN(9), f, WRT(.aux = 0)), TYPES(cot_f64(), cot_i32(), cot_f64(), cot_f64()),
        COT_ERR_ARG,
        "main.c:9: jvp(counted): arguments are (f64[], i32[], f64[], f64[]); wants (x: "
        "f64[], steps: i32[], tangent x: f64[])");
}
END_TEST

START_TEST(b120)
{
    traced_fails(
        cot_jvp_(MAIN(9), body("counted", counted, 2, 2, "x, steps", "y, steps"),
                 WRT(.wrt = COT_LIST(0, 1))),
        TYPES(cot_f64(), cot_i32(), cot_f64(), cot_i32()), COT_ERR_DTYPE,
        "main.c:9: jvp: argument 1 (steps) of counted is i32[]; wants a floating type to "
        "differentiate by");
}
END_TEST

START_TEST(b121)
{
    traced_fails(cot_jvp_(MAIN(9), body("square", square, 1, 1, NULL, NULL), WRT(.aux = 0)),
                 TYPES(cot_i32()), COT_ERR_ARG,
                 "main.c:9: jvp: square has no floating argument to differentiate by; wants at "
                 "least one");
}
END_TEST

START_TEST(b122)
{
    cot_fn *f = cot_jvp_(MAIN(9), body("linear", linear, 3, 1, "layer{weight, bias}, x", "y"),
                         WRT(.wrt = COT_LIST(0, 1)));

    traced_fails(f, TYPES(cot_f64(2), cot_f64(2), cot_f64(2), cot_f64(2), cot_f64()),
                 COT_ERR_SHAPE,
                 "main.c:9: jvp(linear): argument 4, the tangent of argument 1 (layer.bias) of "
                 "linear, is f64[]; wants f64[2]");
    traced_fails(
        f, TYPES(cot_f64(2), cot_f64(2), cot_f64(2), cot_f32(2), cot_f64(2)), COT_ERR_DTYPE,
        "main.c:9: jvp(linear): argument 3, the tangent of argument 0 (layer.weight) of "
        "linear, is f32[2]; wants f64[2]");
}
END_TEST

START_TEST(b123)
{
    cot_fn *f = body("constant", constant, 2, 3, "x, y", "a, b, c");
    const cot_types types = TYPES(cot_f64(), cot_f64(), cot_f64());

    gives(cot_jvp(f, .wrt = COT_LIST(0)), types, IN(3, 4, 1), 6,
          IN(9, 1, 1, -4, 6, 0, 0, 0));
    traced_fails(cot_jvp_(MAIN(9), f, WRT(.wrt = COT_LIST(0), .strict = 1)), types, COT_ERR_ARG,
                 "main.c:9: jvp: output 1 (b) of constant does not depend on the arguments in "
                 "wrt, and strict is set; wants outputs that do, or strict unset");
    /* of the arguments in wrt, not of others */
    traced_fails(cot_jvp_(MAIN(9), f, WRT(.wrt = COT_LIST(1), .strict = 1)), types, COT_ERR_ARG,
                 "main.c:9: jvp: output 0 (a) of constant does not depend on the arguments in "
                 "wrt, and strict is set; wants outputs that do, or strict unset");
}
END_TEST

START_TEST(b124)
{
    /* a tangent for each floating result, in their order */
    gives(cot_jvp(body("two", two, 2, 2, NULL, NULL)),
          TYPES(cot_f64(), cot_f64(), cot_f64(), cot_f64()), IN(0, 5, 1, 10), 4,
          IN(0, 0, 5, 1));
}
END_TEST

START_TEST(b127)
{
    /* d/dx (x d/dy (x + y)) = 1 */
    gives(cot_grad(body("confusing", confusing, 1, 1, NULL, NULL)), TYPES(cot_f64()), IN(3), 1,
          IN(1));
    gives(cot_jvp(body("confusing", confusing, 1, 1, NULL, NULL)), TYPES(cot_f64(), cot_f64()),
          IN(3, 1), 2, IN(3, 1));
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A69", a69, 1 },
        { "B85", b85, 1 },
        { "B86", b86, 1 },
        { "B87", b87, 1 },
        { "B89", b89, 1 },
        { "B90", b90, 1 },
        { "B91", b91, 1 },
        { "B92", b92, 1 },
        { "B93", b93, 1 },
        { "B94", b94, 1 },
        { "B95", b95, 1 },
        { "B98", b98, 1 },
        { "B99", b99, 1 },
        { "B103", b103, 1 },
        { "B104", b104, 1 },
        { "B105", b105, 1 },
        { "B106", b106, 1 },
        { "B107", b107, 1 },
        { "B109", b109, 1 },
        { "B115", b115, 1 },
        { "B116", b116, 1 },
        { "B118", b118, 1 },
        { "B119", b119, 1 },
        { "B120", b120, 1 },
        { "B121", b121, 1 },
        { "B122", b122, 1 },
        { "B123", b123, 1 },
        { "B124", b124, 1 },
        { "B127", b127, 1 },
    };

    return SUITE("grad_rows", cases);
}
