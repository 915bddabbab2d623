/* Rounding modes other than to nearest, and trapped exceptions, around the library's calls
 * (docs/limits.md).  What compiles does not see them: constants that are read, folded and
 * printed are those of the default environment.  A kernel does: its arithmetic rounds so, and
 * results are near those of the default. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "cotrace/stablehlo.h"
#include "runtime/call.h"
#include "tests/unit/suite.h"

static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
enum { MODES = sizeof modes / sizeof *modes, POINTS = 240, TEXT = 8192 };

/* ---- compiling ---- */

static void
take(void *user, const char *text, size_t bytes)
{
    char *to = user;
    const size_t n = strlen(to);

    ck_assert_uint_lt(n + bytes, TEXT);
    memcpy(to + n, text, bytes);
    to[n + bytes] = '\0';
}

static void
constants(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value c = cot_mul(cot_exp(cot_full(t, cot_f64(), 0.1)), 3.3);

    (void)user;
    out[0] = cot_add(cot_mul(in[0], c), cot_div(cot_sin(cot_full(t, cot_f64(), 1.7)), 0.3));
}

static cot_status
traced(cot_context *c, const cot_graph **g)
{
    return cot_trace_fn(cot_fn_new(c, "f", constants, 1, 1, NULL), COT_TYPES(cot_f64()), g);
}

static cot_status
parsed(cot_context *c, const cot_graph **g)
{
    static const char text[] = "fn @f(%x: f64[]) -> f64[] {\n"
                               "  %0 = constant {data=0.1} : f64[]\n"
                               "  %1 = constant {data=3.14159265358979323846} : f64[]\n"
                               "  %2 = div %0, %1 : f64[]\n  %3 = sqrt %2 : f64[]\n"
                               "  %4 = mul %x, %3 : f64[]\n  ret %4\n}\n";

    return cot_parse(c, "f.cot", text, sizeof text - 1, NULL, g);
}

static cot_status
imported(cot_context *c, const cot_graph **g)
{
    static const char text[] =
        "func.func @main(%arg0: tensor<f64>) -> tensor<f64> {\n"
        "  %0 = stablehlo.constant dense<0.1> : tensor<f64>\n"
        "  %1 = stablehlo.exponential %0 : tensor<f64>\n"
        "  %2 = stablehlo.multiply %arg0, %1 : tensor<f64>\n  return %2 : tensor<f64>\n}\n";

    return cot_import_stablehlo(c, "f.mlir", text, sizeof text - 1, NULL, g);
}

static cot_status (*const makers[])(cot_context *, const cot_graph **) = { traced, parsed,
                                                                           imported };
enum { MAKERS = sizeof makers / sizeof *makers };

/* The graph's text as it is and simplified, and what a kernel of it gives to nearest. */
static double
compiled(int maker, int mode, char text[TEXT])
{
    const double x = 1.25;
    double y = 0;
    cot_context *c = cot_context_new(NULL);
    const cot_graph *g = NULL;
    cot_kernel *k = NULL;

    ck_assert_int_eq(fesetround(mode), 0);
    cot_status s = makers[maker](c, &g);
    if (s == COT_OK)
        s = cot_compile_graph(g, NULL, &k);
    if (s == COT_OK)
        s = cot_dump_graph(g, take, text);
    if (s == COT_OK)
        s = cot_dump_kernel(k, "simplify", take, text);
    const int after = fegetround();
    fesetround(FE_TONEAREST);
    ck_assert_msg(s == COT_OK, "%s", cot_error(c));
    ck_assert_int_eq(after, mode);
    cot_array *in = cot_array_new(c, cot_f64()), *out = cot_array_new(c, cot_f64());
    memcpy(cot_array_data(in), &x, sizeof x);
    ck_assert_int_eq(cot_run(k, &out, (const cot_array *[]){ in }), COT_OK);
    memcpy(&y, cot_array_data(out), sizeof y);
    cot_array_free(in);
    cot_array_free(out);
    cot_kernel_free(k);
    cot_context_free(c);
    return y;
}

START_TEST(compiling_rounds_to_nearest)
{
    for (int maker = 0; maker < MAKERS; maker++) {
        char want[TEXT] = "", got[TEXT] = "";
        const double y = compiled(maker, FE_TONEAREST, want),
                     z = compiled(maker, modes[_i], got);

        ck_assert_msg(strcmp(want, got) == 0, "mode %d: is\n%s\nwants\n%s", modes[_i], got,
                      want);
        ck_assert_msg(memcmp(&y, &z, sizeof y) == 0, "mode %d: %.17g, wants %.17g", modes[_i],
                      z, y);
    }
}
END_TEST

static void
infinite(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)user;
    out[0] = cot_add(in[0], cot_div(cot_full(t, cot_f32(), 1.0), cot_full(t, cot_f32(), 0.0)));
}

/* Folding 1 / 0 neither traps nor leaves a flag. */
START_TEST(compiling_raises_nothing)
{
    const cot_graph *g = NULL;
    cot_kernel *k = NULL;

    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    cot_status s =
        cot_trace_fn(cot_fn_new(ctx, "f", infinite, 1, 1, NULL), COT_TYPES(cot_f32()), &g);
    if (s == COT_OK)
        s = cot_compile_graph(g, NULL, &k);
    const int enabled = fegetexcept(), raised = fetestexcept(FE_ALL_EXCEPT);
    fedisableexcept(FE_ALL_EXCEPT);
    ck_assert_msg(s == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(enabled, FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    ck_assert_int_eq(raised, 0);
    cot_kernel_free(k);
}
END_TEST

/* ---- running ---- */

/* Functions of x + lo, for x in [0, 4), and how near they stay: a few roundings; what is made
 * of exp; what reduces an angle. */
#define FUNCTIONS(X)                                                                           \
    X(log, 0.5, FEW)                                                                           \
    X(log1p, 0.5, FEW) X(atan, -2, FEW) X(sqrt, 0.5, FEW) X(rsqrt, 0.5, FEW) X(cbrt, 0.5, FEW) \
        X(lgamma, 3, FEW) X(digamma, 2, FEW) X(asinh, -2, FEW) X(acosh, 1.5, FEW)              \
            X(log, 1e20, FEW) X(exp, -2, EXPONENTIAL) X(expm1, -2, EXPONENTIAL)                \
                X(tanh, -2, EXPONENTIAL) X(sinh, -2, EXPONENTIAL) X(cosh, -2, EXPONENTIAL)     \
                    X(erf, -2, EXPONENTIAL) X(erfc, -2, EXPONENTIAL) X(exp, -80, EXPONENTIAL)  \
                        X(sin, -2, ANGLE) X(cos, -2, ANGLE) X(tan, -1.5, ANGLE)                \
                            X(sin, 100, ANGLE)

enum { FEW, EXPONENTIAL, ANGLE };
static const double bounds[][2] = { { 1e-6, 2e-15 }, { 5e-5, 1e-10 }, { 3e-4, 1e-8 } };

static const struct {
    const char *name;
    int bound;
} results[] = {
#define ROW(op, lo, bound) { #op " of x + " #lo, bound },
    FUNCTIONS(ROW){ "sum", FEW },
    { "product", EXPONENTIAL },
};
enum { RESULTS = sizeof results / sizeof *results };

static void
body(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    int i = 0;

    (void)t, (void)user;
#define CALL(op, lo, bound) out[i++] = cot_##op(cot_add(in[0], lo));
    FUNCTIONS(CALL)
    out[i++] = cot_reduce_sum(in[0]);
    out[i++] = cot_dot(out[11], out[0]);
}

static const struct {
    const char *by; /* a back end; "o": an object */
    cot_dtype dtype;
} ways[] = { { "jit", COT_F32 }, { "jit", COT_F64 }, { "eval", COT_F64 }, { "c", COT_F32 },
             { "c", COT_F64 },   { "o", COT_F32 },   { "o", COT_F64 } };
enum { WAYS = sizeof ways / sizeof *ways };

typedef struct code {
    cot_kernel *kernel; /* or a function */
    void (*function)(void);
    void *library;
} code;

static cot_status
object_of(cot_fn *f, cot_type type, code *out)
{
    char path[64], line[256];

    snprintf(path, sizeof path, "./rounding-%ld", (long)getpid());
    snprintf(line, sizeof line, "%s.o", path);
    COT_TRY(
        cot_build_object(ctx, &(cot_export){ f, COT_TYPES(type), "f" }, 1, NULL, line, NULL));
    snprintf(line, sizeof line, "cc -shared -o %s.so %s.o && rm %s.o", path, path, path);
    ck_assert_int_eq(system(line), 0);
    snprintf(line, sizeof line, "%s.so", path);
    out->library = dlopen(line, RTLD_NOW | RTLD_LOCAL);
    remove(line);
    ck_assert_ptr_nonnull(out->library);
    void *found = dlsym(out->library, "f");
    memcpy(&out->function, &found, sizeof found);
    return COT_OK;
}

static cot_status
call(const code *c, cot_array **out, cot_array *x)
{
    static max_align_t work[1 << 14];
    rt_arg arg[RESULTS + 2] = { { .at = cot_array_data(x) } };
    int result = 0;

    if (c->kernel)
        return cot_run(c->kernel, out, (const cot_array *[]){ x });
    for (int i = 0; i < RESULTS; i++)
        arg[1 + i].at = cot_array_data(out[i]);
    arg[1 + RESULTS].at = (void *)(((uintptr_t)work + 63) / 64 * 64);
    COT_TRY(rt_call_c(ctx, c->function, RESULTS + 2, arg, &result));
    return (cot_status)result;
}

static double
number(cot_array *a, int64_t i)
{
    const void *p = cot_array_data(a);

    return cot_array_type(a).dtype == COT_F64 ? ((const double *)p)[i]
                                              : (double)((const float *)p)[i];
}

/* As far apart as docs/limits.md says, of the number or of 1. */
static void
near(const char *by, cot_dtype t, int mode, int result, cot_array *want, cot_array *got)
{
    const cot_type type = cot_array_type(want);
    const double bound = bounds[results[result].bound][t == COT_F64];

    for (int64_t i = 0; i < cot_type_count(&type); i++) {
        const double w = number(want, i), g = number(got, i);
        ck_assert_msg(isfinite(g) && fabs(g - w) <= bound * fmax(1, fabs(w)),
                      "%s, %s, mode %d, %s, element %d: %.17g, to nearest %.17g", by,
                      cot_dtype_name(t), mode, results[result].name, (int)i, g, w);
    }
}

START_TEST(running_stays_near)
{
    const cot_dtype t = ways[_i].dtype;
    const cot_type type = cot_type_new(t, 1, &(int64_t){ POINTS });
    const bool object = strcmp(ways[_i].by, "o") == 0;
    cot_fn *f = cot_fn_new(ctx, "f", body, 1, RESULTS, NULL);
    cot_array *x = cot_array_new(ctx, type), *want[RESULTS], *got[RESULTS];
    code c = { 0 };
    const cot_status s =
        object ? object_of(f, type, &c)
               : cot_compile(f, COT_TYPES(type),
                             &(cot_compile_options){ .backend = ways[_i].by }, &c.kernel);

    if (s == COT_ERR_TARGET) /* built without it */
        return;
    ck_assert_msg(s == COT_OK, "%s", cot_error(ctx));
    for (int i = 0; i < POINTS; i++)
        if (t == COT_F64)
            ((double *)cot_array_data(x))[i] = 4.0 * i / POINTS;
        else
            ((float *)cot_array_data(x))[i] = 4.0f * (float)i / POINTS;
    for (int i = 0; i < RESULTS; i++) {
        const cot_type of = i < RESULTS - 2 ? type : cot_type_new(t, 0, NULL);
        want[i] = cot_array_new(ctx, of);
        got[i] = cot_array_new(ctx, of);
    }
    ck_assert_int_eq(call(&c, want, x), COT_OK);
    for (int m = 0; m < MODES; m++) {
        fesetround(modes[m]);
        const cot_status done = call(&c, got, x);
        const int after = fegetround();
        fesetround(FE_TONEAREST);
        ck_assert_int_eq(done, COT_OK);
        ck_assert_int_eq(after, modes[m]);
        for (int i = 0; i < RESULTS; i++)
            near(ways[_i].by, t, modes[m], i, want[i], got[i]);
    }
    cot_array_free(x);
    for (int i = 0; i < RESULTS; i++) {
        cot_array_free(want[i]);
        cot_array_free(got[i]);
    }
    cot_kernel_free(c.kernel);
    if (c.library)
        dlclose(c.library);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(compiling_rounds_to_nearest, MODES),
        ONCE(compiling_raises_nothing),
        EACH(running_stays_near, WAYS),
    };

    return SUITE("rounding", cases);
}
