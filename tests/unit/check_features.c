/* Rows of the feature list that a graph and a pipeline alone can prove: `ctest -R B112` runs
 * one.
 *
 * Each line of the table is a function, a pipeline, the inputs, and what must come out: values,
 * or an error that contains a text; and how often an op may occur in the transformed graph.
 * Several lines may prove one row; they make one test case, named after the row. */
#include <math.h>
#include <stdio.h>

#include "ir/graph.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

/* Values as text: arrays separated by ";", elements by blanks. */
typedef struct feature {
    const char *row, *what;
    const char *f, *pipeline;
    const char *in, *out; /* out NULL: in is the text of the wanted error */
    const char *op;       /* occurs `times` in the result; NULL: not asked */
    int times;
} feature;

#define FN(sig, body) "fn @f(" sig " {\n" body "}\n"
#define SQUARES                                                                                \
    FN("%x: f64[3]) -> f64[]",                                                                 \
       "%0 = mul %x, %x : f64[3]\n%1 = reduce_sum %0 {axes=[0]} : f64[]\nret %1\n")
#define CUBE    FN("%x: f64[]) -> f64[]", "%0 = integer_pow %x {y=3} : f64[]\nret %0\n")
#define PRODUCT FN("%x: f64[], %y: f64[]) -> f64[]", "%0 = mul %x, %y : f64[]\nret %0\n")
#define DOT                                                                                    \
    FN("%x: f64[2], %y: f64[2]) -> f64[]", "%0 = dot_general %x, %y {lhs=[0], rhs=[0], "       \
                                           "lhs_batch=[], rhs_batch=[]} : f64[]\nret %0\n")
#define MATVEC                                                                                 \
    FN("%w: f64[2,3], %x: f64[3]) -> f64[2]",                                                  \
       "%0 = dot_general %w, %x {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f64[2]\nret " \
       "%0\n")
#define TWICE  FN("%x: f64[]) -> f64[]", "%0 = add %x, %x : f64[]\nret %0\n")
#define TWICE2 FN("%x: f64[2]) -> f64[2]", "%0 = add %x, %x : f64[2]\nret %0\n")
#define AUX                                                                                    \
    FN("%x: f64[]) -> (f64[], f64[])",                                                         \
       "%0 = mul %x, %x : f64[]\n%1 = integer_pow %x {y=3} : f64[]\nret %0, %1\n")
#define MIXED                                                                                  \
    FN("%x: f64[], %k: i32[]) -> (f64[], i32[])",                                              \
       "%0 = convert %k {dtype=f64} : f64[]\n%1 = mul %x, %0 : f64[]\n%2 = add %k, %k : "      \
       "i32[]\nret %1, %2\n")
#define SQUARED FN("%x: f64[2]) -> f64[2]", "%0 = mul %x, %x : f64[2]\nret %0\n")
#define STOPPED                                                                                \
    FN("%x: f64[]) -> f64[]", "%0 = mul %x, %x : f64[]\n%1 = stop_gradient %0 : f64[]\n%2 = "  \
                              "sub %0, %1 : f64[]\nret %2\n")
#define UNARY(op)  FN("%x: f64[]) -> f64[]", "%0 = " op " %x : f64[]\nret %0\n")
#define BINARY(op) FN("%x: f64[], %y: f64[]) -> f64[]", "%0 = " op " %x, %y : f64[]\nret %0\n")
#define REDUCE(op) FN("%x: f64[4]) -> f64[]", "%0 = " op " %x {axes=[0]} : f64[]\nret %0\n")
#define QUADRATIC                                                                              \
    FN("%x: f64[2], %y: f64[]) -> f64[2]",                                                     \
       "%0 = mul %x, %x : f64[2]\n%1 = broadcast_in_dim %y {shape=[2], dims=[]} : f64[2]\n"    \
       "%2 = mul %0, %1 : f64[2]\nret %2\n")

static const feature features[] = {
    { "A3", "one product with a batch axis", DOT, "vmap(size=3)", "1 2 3 4 5 6; 1 1 1 1 1 1",
      "3 7 11", "dot_general", 1 },
    { "A4", "vmap of grad", CUBE, "grad | vmap(size=3)", "1 2 3", "3 12 27", NULL, 0 },
    { "A8", "what is not mapped is not copied", MATVEC, "vmap(size=2, in=[none,0])",
      "1 0 0 0 1 0; 1 2 3 4 5 6", "1 2 4 5", "broadcast_in_dim", 0 },
    { "A9", "the mapped axis of the result", TWICE2, "vmap(size=3, out=1)", "1 2 3 4 5 6",
      "2 6 10 4 8 12", NULL, 0 },
    { "A9", "counted from the end", TWICE2, "vmap(size=3, out=-1)", "1 2 3 4 5 6",
      "2 6 10 4 8 12", NULL, 0 },
    { "A12", "chunks change nothing", SQUARED, "vmap(size=3, chunk=2)", "1 2 3 4 5 6",
      "1 4 9 16 25 36", NULL, 0 },
    { "A14", "dot of rows", DOT, "vmap(size=2)", "1 2 3 4; 5 6 7 8", "17 53", NULL, 0 },
    { "A17", "nested", DOT, "vmap(size=2) | vmap(size=1)", "1 2 3 4; 5 6 7 8", "17 53", NULL,
      0 },
    { "A18", "dot of columns", DOT, "vmap(size=3, in=1)", "1 2 3 4 5 6; 1 1 1 1 1 1", "5 7 9",
      NULL, 0 },
    { "A19", "one argument mapped", DOT, "vmap(size=3, in=[0,none])", "1 2 3 4 5 6; 1 10",
      "21 43 65", NULL, 0 },
    { "A21", "out=1", TWICE2, "vmap(size=1, out=1)", "1 2", "2 4", NULL, 0 },
    { "A68", "intermediates returned", AUX, "grad(aux=1)", "3", "6; 27", NULL, 0 },
    { "A92", "over the first axis", SQUARED, "vmap(size=2)", "1 2 3 4", "1 4 9 16", NULL, 0 },
    { "A93", "argument 0", PRODUCT, "grad", "3 ; 5", "5", NULL, 0 },
    { "A93", "argument 1", PRODUCT, "grad(wrt=[1])", "3; 5", "3", NULL, 0 },
    { "A93", "elementwise", SQUARES, "grad", "1 2 3", "2 4 6", NULL, 0 },
    { "A94", "gradient, then value", SQUARES, "grad_and_value", "1 2 3", "2 4 6; 14", NULL, 0 },
    { "A95", "outputs, then cotangents", MATVEC, "vjp", "1 2 3 4 5 6; 1 1 1; 1 10",
      "6 15; 1 1 1 10 10 10; 41 52 63", NULL, 0 },
    { "A96", "outputs, then tangents", SQUARED, "jvp", "1 2; 1 10", "1 4; 2 40", NULL, 0 },
    { "A97", "outputs, then tangents", UNARY("sin"), "linearize", "0; 2", "0; 2", "sin", 1 },
    { "A98", "out, then in", SQUARED, "jacrev", "1 2", "2 0 0 4", NULL, 0 },
    { "A99", "out, then in", SQUARED, "jacfwd", "1 2", "2 0 0 4", NULL, 0 },
    { "A100", "forward over reverse", SQUARES, "hessian", "1 2 3", "2 0 0 0 2 0 0 0 2", NULL,
      0 },
    { "A102", "Jacobian of a linear map", MATVEC, "jacrev(wrt=[1])", "1 2 3 4 5 6; 0 0 0",
      "1 2 3 4 5 6", NULL, 0 },
    { "B86", "no argument named", PRODUCT, "grad(wrt=[])", "wrt is empty", NULL, NULL, 0 },
    { "B87", "twice", PRODUCT, "grad(wrt=[0,0])", "names argument 0 (x) twice", NULL, NULL, 0 },
    { "B87", "twice after counting from the end", PRODUCT, "grad(wrt=[0,-2])",
      "names argument 0 (x) twice", NULL, NULL, 0 },
    { "B88", "in the order asked for", PRODUCT, "grad(wrt=[1,0])", "3; 5", "3; 5", NULL, 0 },
    { "B91", "not a scalar", SQUARED, "grad", "wants a floating scalar", NULL, NULL, 0 },
    { "B92", "[1] is not a scalar",
      FN("%x: f64[1]) -> f64[1]", "%0 = mul %x, %x : f64[1]\nret %0\n"), "grad",
      "f64[1]; wants a floating scalar", NULL, NULL, 0 },
    { "B93", "two outputs without aux", AUX, "grad", "2 outputs besides aux; wants 1", NULL,
      NULL, 0 },
    { "B94", "integer output",
      FN("%x: f64[]) -> i32[]", "%0 = convert %x {dtype=i32} : i32[]\nret %0\n"), "grad",
      "i32[]; wants a floating scalar", NULL, NULL, 0 },
    { "B94", "integer output of vjp",
      FN("%x: f64[]) -> i32[]", "%0 = convert %x {dtype=i32} : i32[]\nret %0\n"), "vjp",
      "no floating output", NULL, NULL, 0 },
    { "B95", "integer argument", MIXED, "jvp(wrt=[1])", "argument 1 (k) of f is i32", NULL,
      NULL, 0 },
    { "B96", "an unused argument",
      FN("%x: f64[], %y: f64[2]) -> f64[]", "%0 = sin %x : f64[]\nret %0\n"), "grad(wrt=[1])",
      "0; 1 2", "0 0", NULL, 0 },
    { "B97", "an output that depends on nothing",
      FN("%x: f64[]) -> f64[]", "%0 = constant {data=3} : f64[]\nret %0\n"), "grad_and_value",
      "7", "0; 3", NULL, 0 },
    { "B100", "aux takes no cotangent", AUX, "vjp(aux=1)", "3; 1", "9; 6; 27", NULL, 0 },
    { "B101", "gradient, value, aux", AUX, "grad_and_value(aux=1)", "3", "6; 9; 27", NULL, 0 },
    { "B102", "constant in grad", STOPPED, "grad", "3", "6", NULL, 0 },
    { "B102", "at every level", STOPPED, "grad | grad", "3", "2", NULL, 0 },
    { "B106", "no output", FN("%x: f64[]) -> ()", "ret\n"), "vjp", "no floating output", NULL,
      NULL, 0 },
    { "B110", "related and unrelated",
      FN("%x: f64[], %y: f64[]) -> (f64[], f64[])", "%0 = mul %x, %x : f64[]\nret %0, %x\n"),
      "vjp", "3; 4; 1; 10", "9; 3; 16; 0", NULL, 0 },
    { "B111", "an input returned", FN("%x: f64[]) -> f64[]", "ret %x\n"), "vjp", "3; 7", "3; 7",
      NULL, 0 },
    { "B112", "an output twice",
      FN("%x: f64[]) -> (f64[], f64[])", "%0 = mul %x, %x : f64[]\nret %0, %0\n"), "vjp",
      "3; 1; 10", "9; 9; 66", NULL, 0 },
    { "B113", "vjp of grad", UNARY("sin"), "grad | vjp", "0; 1", "1; -0", NULL, 0 },
    { "B113", "grad of vjp's gradient", UNARY("sin"), "grad | grad | grad", "0", "-1", NULL,
      0 },
    { "B114", "by the cotangent", SQUARED, "vjp | jvp(wrt=[1])", "1 2; 0 0; 1 1",
      "1 4; 0 0; 0 0; 2 4", NULL, 0 },
    { "B121", "nothing to differentiate by", FN("%k: i32[]) -> i32[]", "ret %k\n"), "jvp",
      "no floating argument", NULL, NULL, 0 },
    { "B125", "outputs, tangents, aux", AUX, "jvp(aux=1)", "3; 1", "9; 6; 27", NULL, 0 },
    { "B126", "integer results have no tangent", MIXED, "jvp", "3; 2; 1", "6; 4; 2", NULL, 0 },
    { "B129", "the function once", UNARY("exp"), "linearize", "0; 2", "1; 2", "exp", 1 },
    { "B130", "the gradient of a linear function", TWICE, "grad | linearize", "3; 1", "2; 0",
      NULL, 0 },
    { "B133", "a scalar input",
      FN("%x: f64[]) -> f64[2]",
         "%0 = broadcast_in_dim %x {shape=[2], dims=[]} : f64[2]\nret %0\n"),
      "jacrev", "3", "1 1", NULL, 0 },
    { "B133", "a scalar output", SQUARES, "jacfwd", "1 2 3", "2 4 6", NULL, 0 },
    { "B134", "nothing in, nothing out",
      FN("%x: f64[0]) -> f64[0]", "%0 = mul %x, %x : f64[0]\nret %0\n"), "jacfwd", "", "", NULL,
      0 },
    { "B134", "reverse", FN("%x: f64[0]) -> f64[0]", "%0 = mul %x, %x : f64[0]\nret %0\n"),
      "jacrev", "", "", NULL, 0 },
    { "B135", "chunks", SQUARED, "jacrev(chunk=1)", "1 2", "2 0 0 4", NULL, 0 },
    { "B135", "of none", SQUARED, "jacrev(chunk=0)", "wants 1 or more", NULL, NULL, 0 },
    { "B137", "aux once", AUX, "jacfwd(aux=1)", "3", "6; 27", NULL, 0 },
    { "B139", "vmap of jacrev", SQUARED, "jacrev | vmap(size=1)", "1 2", "2 0 0 4", NULL, 0 },
    { "B139", "jacrev of vmap", TWICE, "vmap(size=2) | jacrev", "1 2", "2 0 0 2", NULL, 0 },
    { "B140", "jacrev, jacrev", SQUARES, "jacrev | jacrev", "1 2 3", "2 0 0 0 2 0 0 0 2", NULL,
      0 },
    { "B140", "jacfwd, jacfwd", SQUARES, "jacfwd | jacfwd", "1 2 3", "2 0 0 0 2 0 0 0 2", NULL,
      0 },
    { "B140", "jacfwd, jacrev", SQUARES, "jacfwd | jacrev", "1 2 3", "2 0 0 0 2 0 0 0 2", NULL,
      0 },
    { "B140", "jacrev, jacfwd", SQUARES, "jacrev | jacfwd", "1 2 3", "2 0 0 0 2 0 0 0 2", NULL,
      0 },
    { "B141", "of a vector function", SQUARED, "hessian", "1 2", "2 0 0 0 0 0 0 2", NULL, 0 },
    { "B142", "in blocks", QUADRATIC, "hessian(wrt=[0,1])", "1 2; 3",
      "6 0 0 0 0 0 0 6; 2 0 0 4; 2 0 0 4; 0 0", NULL, 0 },
    { "B143", "integers as other arguments",
      FN("%x: f64[], %k: i32[]) -> f64[]",
         "%0 = convert %k {dtype=f64} : f64[]\n%1 = mul %x, %x : f64[]\n"
         "%2 = mul %0, %1 : f64[]\nret %2\n"),
      "hessian", "3; 2", "4", NULL, 0 },
    { "B182", "grad of vmap",
      FN("%x: f64[3]) -> f64[]", "%0 = reduce_prod %x {axes=[0]} : f64[]\nret %0\n"),
      "vmap(size=2) | jacrev", "1 2 3 0 5 6", "6 3 2 0 0 0 0 0 0 30 0 0", NULL, 0 },
    { "B182", "vmap of jvp", CUBE, "jvp | vmap(size=2)", "1 2; 1 1", "1 8; 3 12", NULL, 0 },
    { "B182", "jvp of grad", CUBE, "grad | jvp", "2; 1", "12; 12", NULL, 0 },
    { "B182", "vjp of vmap", CUBE, "vmap(size=2) | vjp", "1 2; 1 1", "1 8; 3 12", NULL, 0 },
    { "B182", "grad of jvp", CUBE, "jvp | vjp(aux=1)", "2; 1; 1", "8; 12; 0; 12", NULL, 0 },
    { "B183", "simplify between", CUBE,
      "simplify | grad | simplify | vmap(size=2) | simplify | dce", "1 2", "3 12", NULL, 0 },
    { "B184", "an empty mapped axis", TWICE, "vmap(size=0)", "", "", NULL, 0 },
    { "B184", "an empty axis, grad",
      FN("%x: f64[0]) -> f64[]", "%0 = reduce_sum %x {axes=[0]} : f64[]\nret %0\n"),
      "grad_and_value", "", "; 0", NULL, 0 },
    { "B185", "scalars", CUBE, "jacrev | jacfwd | vjp", "2; 1", "12; 6", NULL, 0 },
    { "B189", "integers beside floats", MIXED, "vmap(size=2) | jvp", "1 2; 3 4; 1 1",
      "3 8; 6 8; 3 4", NULL, 0 },
    { "B190", "max shares", BINARY("max"), "grad(wrt=[0,1])", "2; 2", "0.5; 0.5", NULL, 0 },
    { "B190", "min shares", BINARY("min"), "grad(wrt=[0,1])", "2; 2", "0.5; 0.5", NULL, 0 },
    { "B190", "a reduction shares", REDUCE("reduce_max"), "grad", "1 3 3 2", "0 0.5 0.5 0",
      NULL, 0 },
    { "B190", "clamp at its bound",
      FN("%x: f64[]) -> f64[]", "%0 = constant {data=0} : f64[]\n%1 = constant {data=1} : "
                                "f64[]\n%2 = clamp %0, %x, %1 : f64[]\nret %2\n"),
      "grad", "1", "0", NULL, 0 },
    { "B191", "abs at 0", UNARY("abs"), "grad", "0", "0", NULL, 0 },
    { "B191", "sign at 0", UNARY("sign"), "grad", "0", "0", NULL, 0 },
    { "B191", "max(x, 0) at 0",
      FN("%x: f64[]) -> f64[]",
         "%0 = constant {data=0} : f64[]\n%1 = max %x, %0 : f64[]\nret %1\n"),
      "grad", "0", "0.5", NULL, 0 },
    { "B192", "select is IEEE",
      FN("%x: f64[]) -> f64[]", "%0 = constant {data=0} : f64[]\n%1 = gt %x, %0 : bool[]\n%2 = "
                                "sqrt %x : f64[]\n%3 = select %1, %2, %0 : f64[]\nret %3\n"),
      "grad", "0", "nan", NULL, 0 },
    { "B194", "a product with a zero", REDUCE("reduce_prod"), "grad", "2 0 3 4", "0 24 0 0",
      NULL, 0 },
    { "B194", "with two", REDUCE("reduce_prod"), "hessian", "2 0 3 0",
      "0 0 0 0 0 0 0 6 0 0 0 0 0 6 0 0", NULL, 0 },
};
enum { FEATURES = sizeof features / sizeof features[0], LARGEST = 64, MAX_ARRAYS = 8 };

typedef union element {
    double f64;
    int32_t i32;
} element;

static const char *
read_array(const char *p, const ir_type *t, void *out)
{
    for (int64_t k = 0; k < t->size; k++) {
        char *end;
        const double x = strtod(p, &end);
        ck_assert_msg(end != p, "too few values");
        p = end;
        if (t->dtype == COT_I32)
            ((int32_t *)out)[k] = (int32_t)x;
        else
            ((double *)out)[k] = x;
    }
    while (*p == ' ')
        p++;
    ck_assert_msg(*p == ';' || *p == '\0', "too many values: %s", p);
    return *p == ';' ? p + 1 : p;
}

static double
element_of(const ir_type *t, const void *p, int64_t k)
{
    return t->dtype == COT_I32 ? ((const int32_t *)p)[k] : ((const double *)p)[k];
}

static void
check_values(const feature *c, const ir_graph *g, const char *text)
{
    static element in[MAX_ARRAYS][LARGEST], out[MAX_ARRAYS][LARGEST], want[LARGEST];
    const void *in_at[MAX_ARRAYS];
    void *out_at[MAX_ARRAYS];
    const char *p = c->in;
    for (int i = 0; i < g->n_in; i++) {
        p = read_array(p, ir_type_at(g, g->in[i]), in[i]);
        in_at[i] = in[i];
    }
    for (int j = 0; j < g->n_out; j++)
        out_at[j] = out[j];
    ck_assert_msg(ir_eval(g, out_at, in_at) == COT_OK, "%s: %s", c->row, cot_error(g->ctx));
    p = c->out;
    for (int j = 0; j < g->n_out; j++) {
        const ir_type *t = ir_type_at(g, g->out[j]);
        p = read_array(p, t, want);
        for (int64_t k = 0; k < t->size; k++) {
            const double got = element_of(t, out[j], k), w = element_of(t, want, k);
            ck_assert_msg(isnan(w) ? isnan(got) : fabs(got - w) <= 1e-14 * fabs(w),
                          "%s, %s: output %d [%d] is %.17g, wants %g\n%s", c->row, c->what, j,
                          (int)k, got, w, text);
        }
    }
    ck_assert_msg(*p == '\0', "%s: wants more outputs", c->row);
}

static int
occurrences(const char *text, const char *op)
{
    char mark[64];
    int n = 0;
    snprintf(mark, sizeof mark, " = %s ", op);
    for (const char *p = strstr(text, mark); p; p = strstr(p + 1, mark))
        n++;
    return n;
}

START_TEST(proves)
{
    const feature *c = &features[_i];
    ir_module m;
    ir_graph *g;
    ck_assert_msg(ir_parse(ctx, "test", c->f, strlen(c->f), &m) == COT_OK, "%s",
                  cot_error(ctx));
    const cot_status status = pass_pipeline(m.fn[m.n - 1], c->pipeline, NULL, NULL, &g);
    if (!c->out) {
        ck_assert_msg(status != COT_OK && strstr(cot_error(ctx), c->in), "%s, %s: %s", c->row,
                      c->what, status ? cot_error(ctx) : "no error");
    } else {
        ir_buf text;
        ck_assert_msg(status == COT_OK, "%s, %s: %s", c->row, c->what, cot_error(ctx));
        ir_buf_init(&text, g->arena);
        ir_print(&text, g, 0);
        check_values(c, g, text.text);
        if (c->op)
            ck_assert_msg(occurrences(text.text, c->op) == c->times, "%s: wants %d %s\n%s",
                          c->row, c->times, c->op, text.text);
    }
}
END_TEST

int
main(void)
{
    return SUITE_ROWS("features", features, proves, suite_begin, suite_end);
}
