/* Under trapping math a kernel raises no floating-point exception that none of its elements
 * raises: classes of ops at the sizes of tests/sizes.h.  Lanes behind the end of a row, the
 * last block of a reduction, what is made of an index, and what lies beside a pad's operand
 * compute something as well; that is not to divide by zero, to be invalid or to overflow.
 *
 * The judge is the evaluator, which computes elements that exist: a program whose elements
 * raise nothing there is to raise nothing in a kernel, is to end where exceptions are trapped,
 * and is to give the same bits. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/build.h"
#include "runtime/call.h"
#include "runtime/compile.h"
#include "tests/laws/programs.h"
#include "tests/sizes.h"

enum { TRAPS = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW, TEXT = 4096 };

/* `$` stands for the element type, `N` for the size; arguments are lo + 1, lo + 2, ..., lo + 5
 * again and again. */
typedef struct program {
    const char *name, *text;
    double lo;
    bool whole; /* of integers, too */
} program;

#define MAP(body) "fn @f(%x: $[N]) -> $[N] {\n  " body "\n  ret %0\n}\n"
#define SUM(op, body)                                                                          \
    "fn @f(%x: $[N]) -> $[] {\n  " body "\n  %0 = " op " %q {axes=[0]} : $[]\n  ret %0\n}\n"
#define ROWS(op, body)                                                                         \
    "fn @f(%x: $[3,N]) -> $[3] {\n  " body "\n  %0 = " op " %q {axes=[1]} : $[3]\n  ret "      \
    "%0\n}\n"
#define COLUMNS(op, body)                                                                      \
    "fn @f(%x: $[N,3]) -> $[3] {\n  " body "\n  %0 = " op " %q {axes=[0]} : $[3]\n  ret "      \
    "%0\n}\n"
#define ONE(shape)         "%one = constant {data=1} : $[" shape "]\n  "
#define INVERSE(to, shape) ONE(shape) "%" to " = div %one, %x : $[" shape "]"
#define EACH_SHAPE(name, op, one, rows, columns, lo, whole)                                    \
    { name, SUM(op, one), lo, whole }, { name " of rows", ROWS(op, rows), lo, whole },         \
    {                                                                                          \
        name " of columns", COLUMNS(op, columns), lo, whole                                    \
    }
#define OF_INVERSE(op, whole)                                                                  \
    EACH_SHAPE(op " of quotients", op, INVERSE("q", "N"), INVERSE("q", "3,N"),                 \
               INVERSE("q", "N,3"), 0, whole)
#define UNARY(op, lo)                                                                          \
    { op, MAP("%0 = " op " %x : $[N]"), lo, false },                                           \
        EACH_SHAPE("sum of " op, "reduce_sum", "%q = " op " %x : $[N]",                        \
                   "%q = " op " %x : $[3,N]", "%q = " op " %x : $[N,3]", lo, false)
/* Zero at index N, and nowhere before. */
#define INDEX                                                                                  \
    "%i = iota {dtype=$, shape=[N], axis=0} : $[N]\n  %c = constant {data=N} : $[N]\n  "       \
    "%d = sub %i, %c : $[N]\n  " ONE("N")

static const program programs[] = {
    { "quotient", MAP(INVERSE("0", "N")), 0, true },
    { "remainder", MAP(ONE("N") "%0 = rem %one, %x : $[N]"), 0, true },
    { "quotient of a quotient", MAP(INVERSE("1", "N") "\n  %0 = div %one, %1 : $[N]"), 0,
      false },
    OF_INVERSE("reduce_sum", true),
    OF_INVERSE("reduce_max", true),
    OF_INVERSE("reduce_prod", true),
    UNARY("sqrt", 0),
    UNARY("rsqrt", 0),
    UNARY("log", 0),
    UNARY("log1p", 0),
    UNARY("exp", 0),
    UNARY("tanh", 0),
    UNARY("expm1", 0),
    UNARY("lgamma", 0),
    UNARY("erf_inv", -5.5),
    UNARY("digamma", 0),
    UNARY("cbrt", 0),
    UNARY("sin", 0),
    UNARY("atan", 0),
    UNARY("acosh", 0),
    UNARY("erf", 0),
    UNARY("sinh", 0),
    UNARY("acos", -3),
    EACH_SHAPE("sum of roots of x - 1", "reduce_sum",
               ONE("N") "%1 = sub %x, %one : $[N]\n  %q = sqrt %1 : $[N]",
               ONE("3,N") "%1 = sub %x, %one : $[3,N]\n  %q = sqrt %1 : $[3,N]",
               ONE("N,3") "%1 = sub %x, %one : $[N,3]\n  %q = sqrt %1 : $[N,3]", 0, false),
    { "quotient by an index", MAP(INDEX "%0 = div %one, %d : $[N]"), 0, true },
    { "remainder by an index", MAP(INDEX "%0 = rem %x, %d : $[N]"), 0, true },
    { "sum of quotients by an index", SUM("reduce_sum", INDEX "%q = div %one, %d : $[N]"), 0,
      true },
    { "maximum of quotients by an index", SUM("reduce_max", INDEX "%q = div %x, %d : $[N]"), 0,
      true },
    { "softmax",
      "fn @f(%x: $[3,N]) -> $[3,N] {\n  %m = reduce_max %x {axes=[1]} : $[3]\n"
      "  %1 = broadcast_in_dim %m {shape=[3,N], dims=[0]} : $[3,N]\n  %2 = sub %x, %1 : "
      "$[3,N]\n  %3 = exp %2 : $[3,N]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : $[3]\n  %5 = broadcast_in_dim %4 {shape=[3,N], "
      "dims=[0]} : $[3,N]\n"
      "  %0 = div %3, %5 : $[3,N]\n  ret %0\n}\n",
      -20000, false },
    { "softmax of columns",
      "fn @f(%x: $[N,3]) -> $[N,3] {\n  %m = reduce_max %x {axes=[0]} : $[3]\n"
      "  %1 = broadcast_in_dim %m {shape=[N,3], dims=[1]} : $[N,3]\n  %2 = sub %x, %1 : "
      "$[N,3]\n  %3 = exp %2 : $[N,3]\n"
      "  %4 = reduce_sum %3 {axes=[0]} : $[3]\n  %5 = broadcast_in_dim %4 {shape=[N,3], "
      "dims=[1]} : $[N,3]\n"
      "  %0 = div %3, %5 : $[N,3]\n  ret %0\n}\n",
      -20000, false },
    { "products apart from zero",
      MAP("%c = constant {data=20000} : $[N]\n  %1 = add %x, %c : $[N]\n  %2 = mul %1, %1 : "
          "$[N]\n  %3 = mul %2, %2 : $[N]\n"
          "  %4 = mul %3, %3 : $[N]\n  %5 = mul %4, %4 : $[N]\n  %0 = mul %5, %5 : $[N]"),
      -20000, false },
    { "argmax",
      "fn @f(%x: $[N]) -> i32[] {\n  " INVERSE(
          "1", "N") "\n  %0 = argmax %1 {axis=0} : i32[]\n  ret %0\n}\n",
      0, true },
    { "cumsum", MAP(INVERSE("1", "N") "\n  %0 = cumsum %1 {axis=0} : $[N]"), 0, true },
    { "cumprod", MAP(INVERSE("1", "N") "\n  %0 = cumprod %1 {axis=0} : $[N]"), 0, true },
    { "cumsum of columns",
      "fn @f(%x: $[3,N]) -> $[3,N] {\n  " INVERSE(
          "1", "3,N") "\n  %0 = cumsum %1 {axis=0} : $[3,N]\n  ret %0\n}\n",
      0, true },
    { "pad",
      "fn @f(%x: $[N]) -> $[P] {\n  " INVERSE(
          "1", "N") "\n  %z = constant {data=0} : $[]\n"
                    "  %0 = pad %1, %z {low=[3], high=[4], interior=[0]} : $[P]\n  ret %0\n}\n",
      0, true },
    { "concatenate",
      "fn @f(%x: $[N]) -> $[D] {\n  " INVERSE(
          "1", "N") "\n  %0 = concatenate %1, %x {axis=0} : $[D]\n  ret %0\n}\n",
      0, true },
    { "reverse", MAP(INVERSE("1", "N") "\n  %0 = reverse %1 {axes=[0]} : $[N]"), 0, true },
    { "transpose",
      "fn @f(%x: $[3,N]) -> $[N,3] {\n  " INVERSE(
          "1", "3,N") "\n  %0 = transpose %1 {perm=[1,0]} : $[N,3]\n  ret %0\n}\n",
      0, true },
    { "transpose back",
      "fn @f(%x: $[N,17]) -> $[17,N] {\n  " INVERSE(
          "1", "N,17") "\n  %0 = transpose %1 {perm=[1,0]} : $[17,N]\n  ret %0\n}\n",
      0, true },
    { "inner product",
      "fn @f(%x: $[N], %y: $[N]) -> $[] {\n  " INVERSE(
          "1", "N") "\n  %0 = dot_general %1, %y {lhs=[0], rhs=[0], lhs_batch=[], "
                    "rhs_batch=[]} : $[]\n  ret %0\n}\n",
      0, true },
    { "product",
      "fn @f(%x: $[5,N], %y: $[N,N]) -> $[5,N] {\n  " INVERSE(
          "1", "5,N") "\n  %0 = dot_general %1, %y {lhs=[1], rhs=[0], lhs_batch=[], "
                      "rhs_batch=[]} : $[5,N]\n  ret %0\n}\n",
      0, true },
    { "quotient of a product",
      "fn @f(%x: $[5,N], %y: $[N,N]) -> $[5,N] {\n  %1 = dot_general %x, %y {lhs=[1], rhs=[0], "
      "lhs_batch=[], rhs_batch=[]} : $[5,N]\n  " ONE(
          "5,N") "%0 = div %one, %1 : $[5,N]\n  ret %0\n}\n",
      0, true },
    { "windows",
      "fn @f(%x: $[3,W]) -> $[3,N] {\n  " INVERSE(
          "1", "3,W") "\n  %2 = windows %1 {axis=1, size=3} : $[3,N,3]\n"
                      "  %0 = reduce_sum %2 {axes=[2]} : $[3,N]\n  ret %0\n}\n",
      0, true },
    { "gather",
      "fn @f(%x: $[N]) -> $[N] {\n  " INVERSE(
          "1", "N") "\n  %2 = argsort %1 {axis=0} : i32[N]\n  %i = reshape %2 {shape=[N,1]} : "
                    "i32[N,1]\n"
                    "  %0 = gather %1, %i {offset_dims=[], collapsed=[0], operand_batch=[], "
                    "indices_batch=[], index_map=[0], sizes=[1]} : $[N]\n  ret %0\n}\n",
      0, true },
    { "scatter",
      "fn @f(%x: $[N], %y: $[N]) -> $[N] {\n  " INVERSE(
          "1", "N") "\n  %2 = argsort %1 {axis=0} : i32[N]\n  %i = reshape %2 {shape=[N,1]} : "
                    "i32[N,1]\n"
                    "  %0 = scatter_add %y, %i, %1 {window_dims=[], inserted=[0], "
                    "operand_batch=[], indices_batch=[], index_map=[0]} : $[N]\n  ret %0\n}\n",
      0, true },
    { "scan",
      "fn @step(%c: $[N], %x: $[N]) -> ($[N], $[N]) {\n  %0 = div %c, %x : $[N]\n  ret %0, "
      "%0\n}\n"
      "fn @f(%y: $[N], %x: $[4,N]) -> $[4,N] {\n  %1, %0 = scan %y, %x {consts=0, carries=1, "
      "length=4, body=@step} : ($[N], $[4,N])\n  ret %0\n}\n",
      0, false },
    { "while",
      "fn @more(%n: $[N], %c: $[N]) -> bool[N] {\n  %1 = lt %n, %c : bool[N]\n  ret %1\n}\n"
      "fn @next(%n: $[N], %c: $[N]) -> ($[N], $[N]) {\n  " ONE(
          "N") "%1 = add %n, %one : $[N]\n  %2 = div %c, %n : $[N]\n  %3 = mul %2, %n : $[N]\n "
               " ret %1, %3\n}\n"
               "fn @f(%x: $[N], %y: $[N]) -> $[N] {\n  %1, %0 = while %x, %y {max=8, "
               "cond=@more, body=@next} : ($[N], $[N])\n  ret %0\n}\n",
      0, false },
    { "triangular_solve",
      "fn @f(%x: $[N,1,1], %y: $[N,1,1]) -> $[N,1,1] {\n  %0 = triangular_solve %x, %y : "
      "$[N,1,1]\n  ret %0\n}\n",
      0, false },
    { "cholesky",
      "fn @f(%x: $[N,1,1]) -> $[N,1,1] {\n  %0 = cholesky %x : $[N,1,1]\n  ret %0\n}\n", 0,
      false },
    { "interleaved", "fn @f(%x: $[N,2]) -> $[N,2] {\n  " INVERSE("0", "N,2") "\n  ret %0\n}\n",
      0, true },
    { "every other",
      "fn @f(%x: $[D]) -> $[N] {\n  %1 = slice %x {start=[0], limit=[D], stride=[2]} : $[N]\n "
      " " ONE("N") "%0 = div %one, %1 : $[N]\n  ret %0\n}\n",
      0, true },
    { "power", "fn @f(%x: $[N], %y: $[N]) -> $[N] {\n  %0 = pow %x, %y : $[N]\n  ret %0\n}\n",
      0, false },
    { "maximum of powers",
      "fn @f(%x: $[N], %y: $[N]) -> $[] {\n  %q = pow %x, %y : $[N]\n  %0 = reduce_max %q "
      "{axes=[0]} : $[]\n  ret %0\n}\n",
      0, false },
    { "quotient in f32",
      MAP("%1 = convert %x {dtype=f32} : f32[N]\n  %o = constant {data=1} : f32[N]\n  "
          "%2 = div %o, %1 : f32[N]\n  %0 = convert %2 {dtype=$} : $[N]"),
      0, false },
    { "quotient in f64",
      MAP("%1 = convert %x {dtype=f64} : f64[N]\n  %o = constant {data=1} : f64[N]\n  "
          "%2 = div %o, %1 : f64[N]\n  %0 = convert %2 {dtype=$} : $[N]"),
      0, false },
    EACH_SHAPE("sum of large numbers", "reduce_sum",
               "%c = constant {data=3} : $[N]\n  %b = constant {data=1e38} : $[N]\n  "
               "%1 = sub %x, %c : $[N]\n  %q = mul %1, %b : $[N]",
               "%c = constant {data=3} : $[3,N]\n  %b = constant {data=1e38} : $[3,N]\n  "
               "%1 = sub %x, %c : $[3,N]\n  %q = mul %1, %b : $[3,N]",
               "%c = constant {data=3} : $[N,3]\n  %b = constant {data=1e38} : $[N,3]\n  "
               "%1 = sub %x, %c : $[N,3]\n  %q = mul %1, %b : $[N,3]",
               0, false),
    EACH_SHAPE("product of infinite numbers", "reduce_prod",
               "%b = constant {data=inf} : $[N]\n  %q = mul %x, %b : $[N]",
               "%b = constant {data=inf} : $[3,N]\n  %q = mul %x, %b : $[3,N]",
               "%b = constant {data=inf} : $[N,3]\n  %q = mul %x, %b : $[N,3]", 0, false),
    EACH_SHAPE("maximum of large numbers", "reduce_max",
               "%b = constant {data=6e37} : $[N]\n  %q = mul %x, %b : $[N]",
               "%b = constant {data=6e37} : $[3,N]\n  %q = mul %x, %b : $[3,N]",
               "%b = constant {data=6e37} : $[N,3]\n  %q = mul %x, %b : $[N,3]", 0, false),
    { "inner product with infinity",
      "fn @f(%x: $[N]) -> $[] {\n  %y = constant {data=inf} : $[N]\n"
      "  %0 = dot_general %x, %y {lhs=[0], rhs=[0], lhs_batch=[], rhs_batch=[]} : $[]\n"
      "  ret %0\n}\n",
      0, false },
    { "product with infinity",
      "fn @f(%x: $[5,N]) -> $[5,N] {\n  %y = constant {data=inf} : $[N,N]\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : $[5,N]\n"
      "  ret %0\n}\n",
      0, false },
    { "to integers",
      "fn @f(%x: $[N]) -> i32[N] {\n  " INVERSE(
          "1", "N") "\n  %0 = convert %1 {dtype=i32} : i32[N]\n  ret %0\n}\n",
      0, false },
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* A kernel of this process, or a function of a file that a compiler makes a library of. */
static const struct {
    const char *by;
    cot_dtype dtype;
    int bits;
    const char *compiler;
} ways[] = {
    { "jit", COT_F32, 0, NULL },
    { "jit", COT_F64, 0, NULL },
    { "jit", COT_F32, 128, NULL },
    { "jit", COT_F32, 256, NULL },
    { "jit", COT_F64, 256, NULL },
    { "jit", COT_F16, 0, NULL },
    { "jit", COT_I32, 0, NULL },
    { "jit", COT_F32, 32, NULL },
    { "jit", COT_BF16, 128, NULL },
    { "o", COT_F32, 0, "cc" },
    { "o", COT_F64, 128, "cc" },
    { "c", COT_F32, 256, "cc -O2 -march=native" },
    { "c", COT_F64, 128, "cc -O2 -march=native" },
    { "c", COT_F32, 32, "cc -O1 -march=native" },
    { "c", COT_F16, 128, "cc -O2 -march=native" },
    { "c", COT_F32, 128, "clang -O2 -march=native" },
};
enum { WAYS = sizeof ways / sizeof *ways, CASES = PROGRAMS * SIZES_FEW };

/* A program at a size, with its arguments and the results that the evaluator gives. */
typedef struct test {
    const program *p;
    int n;
    const ir_graph *f;
    void **in, **out;
} test;

static int failures, runs, left_out;

static void
fail(const test *t, int way, const char *why)
{
    failures++;
    printf("traps: %s, way %d (%s, %s, %d bits), size %d: %s\n", t->p->name, way, ways[way].by,
           cot_dtype_name(ways[way].dtype), ways[way].bits, t->n, why);
}

static int
put_number(char *out, char c, int n)
{
    return sprintf(out, "%d", c == 'N' ? n : c == 'D' ? 2 * n : c == 'W' ? n + 2 : n + 7);
}

static const char *
text_of(const program *p, cot_dtype t, int n, char *out)
{
    char *at = out;

    for (const char *s = p->text; *s; s++)
        if (*s == '$')
            at += sprintf(at, "%s", cot_dtype_name(t));
        else if (strchr("NDWP", *s))
            at += put_number(at, *s, n);
        else
            *at++ = *s;
    *at = '\0';
    return out;
}

static void
fill(uint64_t *seed, const ir_type *t, const char *name, double lo, double hi, void *array)
{
    (void)seed, (void)name, (void)hi;
    for (int64_t i = 0; i < t->size; i++)
        laws_store(t->dtype, array, i, lo + 1 + (double)(i % 5));
}

static const char *
names_of(int raised)
{
    static char text[64];

    snprintf(text, sizeof text, "raises%s%s%s", raised & FE_DIVBYZERO ? " divbyzero" : "",
             raised & FE_INVALID ? " invalid" : "", raised & FE_OVERFLOW ? " overflow" : "");
    return text;
}

/* ---- what is called ---- */

typedef struct callee {
    cot_kernel *kernel;          /* or a C function */
    void (*function)(void);
} callee;

static cot_status
call(cot_context *ctx, const callee *c, int n, void **args, void *work)
{
    rt_arg each[8] = { 0 };
    int result;

    args[n] = c->kernel ? (void *)c->kernel->pool : work;
    if (c->kernel)
        return rt_call_kernel(c->kernel, args, work);
    for (int i = 0; i <= n; i++)
        each[i].at = args[i];
    return rt_call_c(ctx, c->function, n + 1, each, &result) == COT_OK ? (cot_status)result
                                                                       : COT_ERR_INTERNAL;
}

/* Runs it, with exceptions as flags and then, where it raises none, as traps; what it raised,
 * or -1. */
static int
run(const test *t, const callee *c, void **out)
{
    enum { WORK = 64 << 20 };
    const ir_graph *f = t->f;
    const int n = f->n_in + f->n_out;
    void **args = IR_NEW_N(&f->ctx->arena, void *, n + 1), *work = NULL;
    const size_t bytes = c->kernel ? cot_kernel_work_bytes(c->kernel) + 64 : WORK;

    for (int i = 0; i < n; i++)
        args[i] = i < f->n_in ? t->in[i] : out[i - f->n_in];
    if (posix_memalign(&work, 64, bytes) != 0)
        exit(2);
    feclearexcept(FE_ALL_EXCEPT);
    cot_status s = call(f->ctx, c, n, args, work);
    const int raised = fetestexcept(TRAPS);
    if (s == COT_OK && !raised) {
        feenableexcept(TRAPS);
        s = call(f->ctx, c, n, args, work);
        fedisableexcept(TRAPS);
    }
    free(work);
    return s == COT_OK ? raised : -1;
}

static bool
is_same(const test *t, void *const *out)
{
    for (int i = 0; i < t->f->n_out; i++)
        if (memcmp(t->out[i], out[i], laws_bytes(ir_type_at(t->f, t->f->out[i]))) != 0)
            return false;
    return true;
}

static void
judge(const test *t, int way, const callee *c)
{
    void **out = laws_values(t->f->n_out, t->f->out, t->f);
    const int raised = run(t, c, out);

    runs++;
    if (raised < 0)
        fail(t, way, "cannot be called");
    else if (raised)
        fail(t, way, names_of(raised));
    else if (!is_same(t, out))
        fail(t, way, "differs from the evaluator");
    laws_free(t->f->n_out, out);
}

/* ---- programs ---- */

/* False: an element raises something, or the program is wrong. */
static bool
make(cot_context *ctx, int way, test *t)
{
    char text[TEXT];
    uint64_t seed = 1;
    ir_module m;
    callee c = { 0 };

    text_of(t->p, ways[way].dtype, t->n, text);
    if (ir_parse(ctx, t->p->name, text, strlen(text), &m) != COT_OK ||
        cot_compile_graph(m.fn[m.n - 1], &(cot_compile_options){ .backend = "eval" },
                          &c.kernel) != COT_OK) {
        fail(t, way, cot_error(ctx));
        return false;
    }
    t->f = m.fn[m.n - 1];
    t->in = laws_sample(t->f, &seed, t->p->lo, 0, fill);
    t->out = laws_values(t->f->n_out, t->f->out, t->f);
    const int raised = run(t, &c, t->out);
    cot_kernel_free(c.kernel);
    left_out += raised != 0;
    return raised == 0;
}

static void
drop(test *t)
{
    if (t->f) {
        laws_free(t->f->n_in, t->in);
        laws_free(t->f->n_out, t->out);
    }
}

/* Way w has every program at all sizes, or at one in `every`. */
static bool
has(int way, int program, int size, int every)
{
    return (way + program + size) % every == 0 &&
           (ir_is_float(ways[way].dtype) || programs[program].whole);
}

static void
judge_kernel(int way, int i, int s)
{
    const cot_compile_options o = { .vector_bits = ways[way].bits, .trapping_math = true };
    cot_context *ctx = cot_context_new(NULL);
    test t = { .p = &programs[i], .n = (int)sizes_few[s] };

    IR_TRY (ctx) {
        callee c = { 0 };
        if (make(ctx, way, &t) && cot_compile_graph(t.f, &o, &c.kernel) == COT_OK)
            judge(&t, way, &c);
        else if (cot_error_status(ctx) != COT_OK)
            fail(&t, way, cot_error(ctx));
        cot_kernel_free(c.kernel);
    }
    drop(&t);
    cot_context_free(ctx);
}

static void
judge_kernels(int way, int every)
{
    for (int i = 0; i < PROGRAMS; i++)
        for (int s = 1; s < SIZES_FEW; s++)
            if (has(way, i, s, every))
                judge_kernel(way, i, s);
}

/* ---- files ---- */

static char folder[] = "/tmp/cot-traps-XXXXXX";

static void *
library_of(cot_context *ctx, int way, const rt_export *fn, int n)
{
    const cot_compile_options o = { .vector_bits = ways[way].bits, .trapping_math = true };
    const char *in = ir_format(&ctx->arena, "%s/x.%s", folder, ways[way].by),
               *out = ir_format(&ctx->arena, "%s/x%d.so", folder, way);

    if (rt_build(ctx, n, fn, &o, in, NULL) != COT_OK ||
        system(ir_format(&ctx->arena, "%s -shared -fPIC -o %s %s", ways[way].compiler, out,
                         in)) != 0)
        return NULL;
    return dlopen(out, RTLD_NOW | RTLD_LOCAL);
}

static void
judge_library(cot_context *ctx, int way, test *t, int n)
{
    rt_export *fn = IR_NEW_N(&ctx->arena, rt_export, n + 1);

    for (int i = 0; i < n; i++)
        fn[i] = (rt_export){ .graph = t[i].f, .name = ir_format(&ctx->arena, "f%d", i) };
    void *library = library_of(ctx, way, fn, n);
    for (int i = 0; i < n; i++) {
        callee c = { 0 };
        void *found = library ? dlsym(library, fn[i].name) : NULL;
        memcpy(&c.function, &found, sizeof found);
        if (found)
            judge(&t[i], way, &c);
        else
            fail(&t[i], way, *cot_error(ctx) ? cot_error(ctx) : "its file does not compile");
    }
    if (library)
        dlclose(library);
}

static void
judge_files(int way, int every)
{
    cot_context *ctx = cot_context_new(NULL);
    test *t = calloc(CASES, sizeof *t);
    volatile int n = 0;

    IR_TRY (ctx) {
        for (int i = 0; i < PROGRAMS; i++)
            for (int s = 1; s < SIZES_FEW; s++) {
                if (!has(way, i, s, every))
                    continue;
                t[n] = (test){ .p = &programs[i], .n = (int)sizes_few[s] };
                if (make(ctx, way, &t[n]))
                    n++;
                else
                    drop(&t[n]);
            }
        judge_library(ctx, way, t, n);
    }
    for (int i = 0; i < n; i++)
        drop(&t[i]);
    free(t);
    cot_context_free(ctx);
}

static bool
has_compiler(int way)
{
    char line[128];

    if (!ways[way].compiler)
        return true;
    snprintf(line, sizeof line, "command -v %.*s >/dev/null",
             (int)strcspn(ways[way].compiler, " "), ways[way].compiler);
    return system(line) == 0;
}

/* law_traps [all]: every way has every program, at all sizes or at some; files, which compilers
 * take long for, at fewer. */
int
main(int argc, char **argv)
{
    const bool all = argc == 2 && strcmp(argv[1], "all") == 0;

    if (!mkdtemp(folder))
        return 2;
    for (int w = 0; w < WAYS; w++) {
        if (!has_compiler(w))
            printf("traps: way %d is left out: no %s\n", w, ways[w].compiler);
        else if (ways[w].compiler)
            judge_files(w, all ? 1 : 61);
        else
            judge_kernels(w, all ? 1 : 5);
    }
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", folder);
    if (system(line) != 0)
        failures++;
    printf("traps: %d runs, %d left out, %d failures\n", runs, left_out, failures);
    return failures > 0 || left_out * 2 > runs;
}
