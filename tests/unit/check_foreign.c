/* Foreign functions: one call for each way in which C passes something, by every back end.
 *
 * Each case runs by the evaluator (libffi), the JIT (by address), an object file and C source
 * (by name; both are linked against this program's own symbols), and gives the same bits. */
#define _XOPEN_SOURCE 700
#include "tests/unit/traced.h"

#include <dlfcn.h>
#include <unistd.h>

#include "codegen/lower.h"
#include "cotrace/custom.h"
#include "ir/diag.h"
#include "passes/pass.h"

/* ---- C code that knows nothing of traces ---- */

#pragma GCC visibility push(default)
void foreign_sort(double *x, long n);
double foreign_scale(double x, float y, int8_t k, uint16_t m, bool negative);
int foreign_root(const double *x, double *y);
void foreign_count(const void *x, int64_t *n, size_t bytes);
int8_t foreign_sign(float x);
void foreign_log(const double *x, double *y, const double *digit);
double foreign_many(double x0, int64_t k0, double x1, int64_t k1, double x2, int64_t k2,
                    double x3, int64_t k3, double x4, int64_t k4, double x5, int64_t k5,
                    double x6, int64_t k6, double x7, double x8);
#pragma GCC visibility pop

static int
ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

void
foreign_sort(double *x, long n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
}

double
foreign_scale(double x, float y, int8_t k, uint16_t m, bool negative)
{
    return (x * (double)y + k + m) * (negative ? -1 : 1);
}

int
foreign_root(const double *x, double *y)
{
    *y = sqrt(*x);
    return *x < 0 ? 7 : 0;
}

void
foreign_count(const void *x, int64_t *n, size_t bytes)
{
    *n = 0;
    for (size_t i = 0; i < bytes; i++)
        *n += ((const unsigned char *)x)[i];
}

int8_t
foreign_sign(float x)
{
    return (int8_t)(x > 0 ? 1 : x < 0 ? -1 : 0);
}

static double journal;

void
foreign_log(const double *x, double *y, const double *digit)
{
    journal = journal * 10 + *digit;
    *y = *x;
}

double
foreign_many(double x0, int64_t k0, double x1, int64_t k1, double x2, int64_t k2, double x3,
             int64_t k3, double x4, int64_t k4, double x5, int64_t k5, double x6, int64_t k6,
             double x7, double x8)
{
    const double x[] = { x0, x1, x2, x3, x4, x5, x6, x7, x8 };
    const int64_t k[] = { k0, k1, k2, k3, k4, k5, k6 };
    double sum = 0;

    for (int i = 0; i < 9; i++)
        sum = 2 * sum + x[i];
    for (int i = 0; i < 7; i++)
        sum = 2 * sum + (double)k[i];
    return sum;
}

/* ---- back ends ---- */

enum { MAX_ELEMENTS = 64 };

typedef struct out {
    double x[MAX_ELEMENTS];
} out;

static void
link_and_call(const char *folder, const char *source, const char *header, const char *call,
              const void *const *in, void *to)
{
    char path[96], line[512];
    void *args[8] = { 0 };
    union { void *p; int (*f)(void *const *); } u;
    FILE *f;
    int n = 0;
    snprintf(path, sizeof path, "%s/glue.c", folder);
    f = fopen(path, "w");
    fprintf(f,
            "#include <stdint.h>\n%s\nint glue(void *const *a);\nint glue(void *const *a)\n{\n"
            "    static double work[4096] __attribute__((aligned(64)));\n    return %s;\n}\n",
            header, call);
    fclose(f);
    snprintf(
        line, sizeof line,
        "cc -std=c11 -Wall -Wextra -Wno-psabi -Werror -I%s -shared -fPIC %s %s -o %s/f.so -lm",
        folder, path, source, folder);
    ck_assert_msg(system(line) == 0, "%s", line);
    snprintf(path, sizeof path, "%s/f.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    u.p = dlsym(library, "glue");
    for (; in[n]; n++)
        args[n] = (void *)in[n];
    args[n] = to;
    ck_assert_int_eq(u.f(args), 0);
    dlclose(library);
}

static void
by_object(cot_fn *f, cot_types types, const void *const *in, void *to)
{
    char folder[] = "/tmp/cotrace-XXXXXX", object[96], header[96];
    const cot_export e = { f, types, "foreign_f" };
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(object, sizeof object, "%s/f.o", folder);
    snprintf(header, sizeof header, "%s/f.h", folder);
    ck_assert_msg(cot_build_object(ctx, &e, 1, NULL, object, header) == COT_OK, "%s",
                  cot_error(ctx));
    link_and_call(folder, object, "#include \"f.h\"",
                  types.n == 1   ? "foreign_f(a[0], a[1], work)"
                  : types.n == 2 ? "foreign_f(a[0], a[1], a[2], work)"
                                 : "foreign_f(a[0], a[1], a[2], a[3], work)",
                  in, to);
    snprintf(object, sizeof object, "rm -r %s", folder);
    ck_assert_int_eq(system(object), 0);
}

static void
by_source(const cot_graph *g, const void *const *in, void *to)
{
    char folder[] = "/tmp/cotrace-XXXXXX", source[96];
    const cg_target target = { .vector_bits = 128 };
    const cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    ir_arena a;
    ir_graph *p;
    cg_module *m;
    const void *bytes;
    size_t size;
    ir_arena_init(&a, ctx);
    ck_assert_int_eq(pass_prepare(g, &p), COT_OK);
    ck_assert_msg(cg_lower(p, &o, &a, &m) == COT_OK, "%s", cot_error(ctx));
    const cg_natural fn = {
        .name = "foreign_f", .module = m, .n_in = p->n_in, .n_out = p->n_out
    };
    ck_assert_msg(cg_c()->emit(ctx, NULL, CG_TO_C, 1, &fn, &a, &bytes, &size) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(source, sizeof source, "%s/f.c", folder);
    FILE *f = fopen(source, "w");
    fwrite(bytes, 1, size, f);
    fclose(f);
    char header[128];
    snprintf(header, sizeof header, "#include \"%s\"", source);
    link_and_call(folder, "", header,
                  p->n_in == 1   ? "foreign_f(a[0], a[1], work)"
                  : p->n_in == 2 ? "foreign_f(a[0], a[1], a[2], work)"
                                 : "foreign_f(a[0], a[1], a[2], a[3], work)",
                  in, to);
    snprintf(source, sizeof source, "rm -r %s", folder);
    ck_assert_int_eq(system(source), 0);
    ir_arena_free(&a);
}

static void
by_kernel(const cot_graph *g, const void *const *in, void *to)
{
    cot_kernel *k;
    void *args[8] = { 0 }, *work = aligned_alloc(64, 1 << 16);
    int n = 0;
    for (; in[n]; n++)
        args[n] = (void *)in[n];
    args[n] = to;
    ck_assert_msg(cot_compile_graph(g, NULL, &k) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(cot_kernel_entry(k)(args, work), 0);
    cot_kernel_free(k);
    free(work);
}

/* f at the inputs, by all that can carry it; `in` ends with NULL. */
static void
carried(cot_fn *f, cot_types types, const void *const *in, cot_type type, const double *want)
{
    const cot_graph *g;
    out reference = { { 0 } }, other;
    traced_gives(f, types, in, type, want, 0);
    ck_assert_int_eq(cot_trace_fn(f, types, &g), COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ &reference }, in), COT_OK);
    if (!cg_llvm() || system("command -v cc >/dev/null 2>&1") != 0)
        return;
    other = (out){ { 0 } };
    by_kernel(g, in, &other);
    ck_assert_mem_eq(&reference, &other, sizeof reference);
    other = (out){ { 0 } };
    by_object(f, types, in, &other);
    ck_assert_mem_eq(&reference, &other, sizeof reference);
    other = (out){ { 0 } };
    by_source(g, in, &other);
    ck_assert_mem_eq(&reference, &other, sizeof reference);
}

/* ---- functions ---- */

static void
like_first(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info;
    out[0] = in[0];
}

static void
one_count(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info, (void)in;
    out[0] = cot_i64();
}

static void
one_sign(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info, (void)in;
    out[0] = cot_i8();
}

static void
keep_length(cot_setup *s, const cot_custom_info *info)
{
    (void)info;
    cot_type t = cot_setup_in_type(s, 0);
    cot_save_data(s, t.rank ? t.dims[0] : 1);
    cot_save_data(s, cot_type_count(&t) * (int64_t)cot_dtype_size(t.dtype));
}

static void
apply(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_custom_call((const cot_custom *)user, COT_LIST(-3, 5), COT_VALUES(in[0]), NULL);
}

static const cot_custom *
sort_new(void)
{
    return cot_custom_new(ctx, "lib.sort", .symbol = (cot_symbol *)foreign_sort,
                          .prototype = "void foreign_sort(double *out0 = in0, long data0)",
                          .types = like_first, .setup = keep_length, .sequential = true);
}

static const double s[] = { 3, 1, 2, -1, 5, 0 };

/* Written over a copy: the argument stays what it was. */
static void
sort_and_sum(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[1];
    apply(t, in, y, user);
    out[0] = cot_add(cot_mul(y[0], 10), in[0]);
}

START_TEST(in_place)
{
    const double want[] = { 13, 21, 32 };
    carried(cot_fn_new(ctx, "f", sort_and_sum, 1, 1, (void *)sort_new()), COT_TYPES(cot_f64(3)),
            (const void *[]){ s, NULL }, cot_f64(3), want);
}
END_TEST

/* One example after the other, at any depth. */
START_TEST(sequential)
{
    cot_fn *f = cot_fn_new(ctx, "f", apply, 1, 1, (void *)sort_new());
    const double rows[] = { 1, 2, 3, -1, 0, 5 }, columns[] = { -1, 1, 0, 3, 2, 5 };
    carried(cot_vmap(f), COT_TYPES(cot_f64(2, 3)), (const void *[]){ s, NULL }, cot_f64(2, 3),
            rows);
    carried(cot_vmap(cot_vmap(f)), COT_TYPES(cot_f64(1, 2, 3)), (const void *[]){ s, NULL },
            cot_f64(1, 2, 3), rows);
    (void)columns;
}
END_TEST

/* Scalars of every kind by value, attributes, numbers; the answer is a result. */
static void
scale(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_custom_call((const cot_custom *)user, COT_LIST(-3, 60000),
                             COT_VALUES(in[0], in[1], in[2]), NULL);
}

START_TEST(by_value)
{
    const cot_custom *c = cot_custom_new(
        ctx, "scale", .n_in = 3, .symbol = (cot_symbol *)foreign_scale, .types = like_first,
        .prototype = "out0 = double foreign_scale(double in0, float in1, int8_t attr0, "
                     "uint16_t attr1, bool in2)");
    const double x = 1.5, want = -(1.5 * 0.25 - 3 + 60000);
    const float y = 0.25F;
    const uint8_t yes = 1;
    carried(cot_fn_new(ctx, "f", scale, 3, 1, (void *)c),
            COT_TYPES(cot_f64(), cot_f32(), cot_bool()), (const void *[]){ &x, &y, &yes, NULL },
            cot_f64(), &want);
}
END_TEST

/* More arguments than registers hold them, floating and not: nine and seven of sixteen. */
START_TEST(beyond_the_registers)
{
    const cot_custom *c = cot_custom_new(
        ctx, "many", .n_in = 3, .symbol = (cot_symbol *)foreign_many, .types = like_first,
        .prototype = "out0 = double foreign_many(double in0, int64_t attr0, double 2, int64_t "
                     "3, double in1, "
                     "int64_t 5, double 6, int64_t 7, double 8, int64_t 9, double 10, int64_t "
                     "11, double 12, "
                     "int64_t attr1, double 14, double in2)");
    const double x = 1.5, y = -4, z = 15,
                 at[] = { 1.5, 2, -4, 6, 8, 10, 12, 14, 15, -3, 3, 5, 7, 9, 11, 60000 };
    double want = 0;
    for (int i = 0; i < 16; i++)
        want = 2 * want + at[i];
    carried(cot_fn_new(ctx, "f", scale, 3, 1, (void *)c),
            COT_TYPES(cot_f64(), cot_f64(), cot_f64()), (const void *[]){ &x, &y, &z, NULL },
            cot_f64(), &want);
}
END_TEST

/* A narrow signed answer, its sign kept. */
static void
sign(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_convert(
        cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL),
        COT_F64);
}

START_TEST(narrow_answer)
{
    const cot_custom *c =
        cot_custom_new(ctx, "sign", .symbol = (cot_symbol *)foreign_sign, .types = one_sign,
                       .prototype = "out0 = int8_t foreign_sign(float in0)");
    const float x = -2;
    const double want = -1;
    carried(cot_fn_new(ctx, "f", sign, 1, 1, (void *)c), COT_TYPES(cot_f32()),
            (const void *[]){ &x, NULL }, cot_f64(), &want);
}
END_TEST

/* void * takes any element type. */
START_TEST(untyped)
{
    const cot_custom *c = cot_custom_new(
        ctx, "count", .symbol = (cot_symbol *)foreign_count, .types = one_count,
        .setup = keep_length,
        .prototype = "void foreign_count(const void *in0, int64_t *out0, size_t data1)");
    const int32_t x[] = { 1, 2, 3 };
    const double want = 6;
    carried(cot_fn_new(ctx, "f", apply, 1, 1, (void *)c), COT_TYPES(cot_i32(3)),
            (const void *[]){ x, NULL }, cot_i64(), &want);
}
END_TEST

static cot_fn *
root(void)
{
    return cot_fn_new(
        ctx, "root", apply, 1, 1,
        (void *)cot_custom_new(
            ctx, "lib.root", .symbol = (cot_symbol *)foreign_root, .types = like_first,
            .sequential = true,
            .prototype = "status = int foreign_root(const double *in0, double *out0)"));
}

START_TEST(status)
{
    const double good[] = { 4, 9 }, want[] = { 2, 3 }, bad[] = { 4, -1 };
    cot_fn *f = cot_vmap(root());
    const cot_graph *g;
    double y[2];
    carried(f, COT_TYPES(cot_f64(2)), (const void *[]){ good, NULL }, cot_f64(2), want);
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64(2)), &g), COT_OK);
    ck_assert_int_eq(ir_eval(g, (void *[]){ y }, (const void *[]){ bad }), COT_ERR_FOREIGN);
    ck_assert_ptr_nonnull(strstr(cot_error(ctx), "custom_call: lib.root failed with status 7"));
    cot_error_clear(ctx);
    if (!cg_llvm())
        return;
    cot_kernel *k;
    cot_array *in = cot_array_copy(ctx, cot_f64(2), bad), *to = cot_array_new(ctx, cot_f64(2));
    ck_assert_int_eq(cot_compile_graph(g, NULL, &k), COT_OK);
    ck_assert_int_eq(cot_run(k, &to, (const cot_array *const *)&in), COT_ERR_FOREIGN);
    ck_assert_msg(strstr(cot_error(ctx), "check_foreign.c:") &&
                      strstr(cot_error(ctx),
                             ": root.vmap: lib.root failed: its C code answered a "
                             "status that is not 0"),
                  "%s", cot_error(ctx));
    cot_kernel_free(k);
    cot_array_free(in), cot_array_free(to);
}
END_TEST

/* Effects in the order of the trace, whether anybody reads the results, in a loop too. */
static void
logs(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    for (int i = 1; i <= 4; i++)
        cot_custom_call((const cot_custom *)user, COT_LIST(),
                        COT_VALUES(in[0], cot_constant(t, cot_f64(), &(const double){ i })),
                        NULL);
    out[0] = cot_mul(in[0], 2);
}

START_TEST(ordered_effects)
{
    const cot_custom *c = cot_custom_new(
        ctx, "log", .n_in = 2, .symbol = (cot_symbol *)foreign_log, .types = like_first,
        .effects = true,
        .prototype = "void foreign_log(const double *in0, double *out0, const double *in1)",
        .sequential = true);
    cot_fn *f = cot_fn_new(ctx, "f", logs, 1, 1, (void *)c);
    const double x[] = { 1, 2 };
    double y[2];
    const cot_graph *g;
    for (int mapped = 0; mapped < 2; mapped++) {
        ck_assert_int_eq(cot_trace_fn(mapped ? cot_vmap(f) : f,
                                      mapped ? COT_TYPES(cot_f64(2)) : COT_TYPES(cot_f64()),
                                      &g),
                         COT_OK);
        journal = 0;
        ck_assert_int_eq(ir_eval(g, (void *[]){ y }, (const void *[]){ x }), COT_OK);
        const double want = mapped ? 11223344 : 1234;
        ck_assert_msg(journal == want, "%.17g", journal);
        journal = 0;
        if (cg_llvm())
            by_kernel(g, (const void *[]){ x, NULL }, y);
        ck_assert_msg(!cg_llvm() || journal == want, "%d: %.17g", mapped, journal);
    }
}
END_TEST

/* ---- what is refused ---- */

static const struct { const char *prototype, *want; } wrong_text[] = {
    { "void f(double *out0", "wants `,` or `)` at \"\"" },
    { "void f(complex *out0)", "wants a C type at \"complex *out0)\"" },
    { "void f(double out0)", "wants a pointer at \")\"" },
    { "void f(double *7)", "attributes and numbers travel by value; stops at \")\"" },
    { "status = double f(double *out0)", "a status wants int; stops at \"f(double *out0)\"" },
    { "void f(double *here)",
      "wants inN, outN, attrN, dataN, user, stream or a number at \"here)\"" },
    { "out0 double f(double in0)", "wants `=` at \"double f(double in0)\"" },
};

START_TEST(unreadable)
{
    char want[200];
    ck_assert_ptr_null(cot_custom_new(ctx, "f", .symbol = (cot_symbol *)foreign_sort,
                                      .types = like_first,
                                      .prototype = wrong_text[_i].prototype));
    snprintf(want, sizeof want, "cot_custom_new: f: .prototype %s", wrong_text[_i].want);
    ck_assert_str_eq(strstr(cot_error(ctx), "cot_custom_new: "), want);
}
END_TEST

static const struct { const char *prototype, *want; } wrong_call[] = {
    { "void f(float *out0)", "out0 is f64; the prototype says float *" },
    { "void f(double *out0, const double *in1)",
      "the prototype names in1; the function has 1" },
    { "void f(double in0, double *out0)", "in0 has 1 axes; the prototype takes it by value" },
    { "void f(const double *in0)", "the prototype does not say where out0 is" },
    { "void f(double *out0, int attr2)", "the prototype names attr2; the call has 2" },
    { "void f(double *out0, int data0)", "the prototype names data0; setup kept 0" },
};

START_TEST(does_not_fit)
{
    char want[200];
    const cot_graph *g;
    const cot_custom *c =
        cot_custom_new(ctx, "f", .symbol = (cot_symbol *)foreign_sort, .types = like_first,
                       .prototype = wrong_call[_i].prototype);
    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "g", apply, 1, 1, (void *)c), COT_TYPES(cot_f64(3)), &g),
        COT_ERR_ARG);
    snprintf(want, sizeof want, "custom_call: f: %s", wrong_call[_i].want);
    ck_assert_str_eq(strstr(cot_error(ctx), "custom_call: "), want);
}
END_TEST

static int
opaque(const cot_custom_info *info, const void *const *in, void *const *out)
{
    *(double *)out[0] = *(const double *)in[0] + *(const double *)info->user;
    return 0;
}

/* Through the context: the JIT calls it; an object and C source cannot. */
START_TEST(no_name)
{
    static const double two = 2;
    const double x = 3;
    double y = 0;
    const cot_graph *g;
    const cot_custom *c =
        cot_custom_new(ctx, "plus", .run = opaque, .types = like_first, .user = (void *)&two);
    cot_fn *f = cot_fn_new(ctx, "f", apply, 1, 1, (void *)c);
    const cot_export e = { f, COT_TYPES(cot_f64()), "f" };
    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f64()), &g), COT_OK);
    if (!cg_llvm())
        return;
    by_kernel(g, (const void *[]){ &x, NULL }, &y);
    ck_assert(y == 5);
    ck_assert_int_eq(cot_build_object(ctx, &e, 1, NULL, "/tmp/cotrace-none.o", NULL),
                     COT_ERR_TARGET);
    char *text = strstr(cot_error(ctx), "check_foreign.c:");
    ck_assert_msg(text != NULL, "%s", cot_error(ctx));
    ck_assert_str_eq(
        strchr(text, ' ') + 1,
        "custom_call: plus calls back into its context, which an object file cannot do; "
        "wants .symbol and .prototype without user");
}
END_TEST

START_TEST(no_complex)
{
    const cot_graph *g;
    const cot_custom *c = cot_custom_new(ctx, "plus", .run = opaque, .types = like_first);
    ck_assert_int_eq(
        cot_trace_fn(cot_fn_new(ctx, "f", apply, 1, 1, (void *)c), COT_TYPES(cot_c64()), &g),
        COT_ERR_DTYPE);
    ck_assert_str_eq(
        strstr(cot_error(ctx), "custom_call: "),
        "custom_call: C code of plus has a complex argument or result; wants real types");
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A112", in_place, 0 },
        { "A112", sequential, 0 },
        { "A112", by_value, 0 },
        { "A112", beyond_the_registers, 0 },
        { "A112", narrow_answer, 0 },
        { "A112", untyped, 0 },
        { "A112", status, 0 },
        { "A112", ordered_effects, 0 },
        { "A112", unreadable, sizeof wrong_text / sizeof *wrong_text },
        { "A112", does_not_fit, sizeof wrong_call / sizeof *wrong_call },
        { "A112", no_name, 0 },
        { "A112", no_complex, 0 },
    };

    return SUITE("foreign", cases);
}
