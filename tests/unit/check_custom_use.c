/* Rows about using custom functions: halves that are called later, rules within loops and
 * branches, effects, C code that writes, text that is transformed elsewhere. */
#define _GNU_SOURCE
#include "tests/unit/customs.h"

#include <dlfcn.h>
#include <math.h>
#include <unistd.h>

#include "codegen/backend.h"
#include "examples/torch_func/my_cube.h"

static int runs;

/* ---- halves ---- */

RULE(cubed_vjp, out[0] = cot_mul(in[1], cot_mul(3, cot_mul(in[0], in[0])));)
static int
cube_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    runs++;
    for (int i = 0; i < 3; i++)
        ((double *)out[0])[i] = ((const double *)in[0])[i] * ((const double *)in[0])[i] *
                                ((const double *)in[0])[i];
    return 0;
}

/* The foreign forward runs once, for three calls of bwd and one mapped over the identity. */
START_TEST(a111)
{
    const double eye[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                 want[] = { 3, 0, 0, 0, 12, 0, 0, 0, 0.75 };
    double y[3], kept[8][3], dx[9];
    void *res[8];
    const void *in[9];
    cot_type type[9];
    int64_t dims[9];
    const cot_graph *g;
    cot_fn *fwd, *bwd;
    int n;
    cot_vjp_halves(fn_of(cot_custom_new(ctx, "cube", .run = cube_run, .types = same_type,
                                        .setup = save_x, .vjp = cubed_vjp)),
                   &fwd, &bwd);
    ck_assert_msg(cot_trace_fn(fwd, V64, &g) == COT_OK, "%s", cot_error(ctx));
    n = cot_graph_n_out(g) - 1;
    res[0] = y;
    for (int i = 0; i < n; i++) {
        res[1 + i] = kept[i];
        in[i] = kept[i];
        type[i] = cot_graph_out_type(g, 1 + i);
        dims[i] = COT_NONE;
    }
    runs = 0;
    ck_assert_int_eq(ir_eval(g, res, (const void *[]){ xs }), COT_OK);
    type[n] = cot_f64(3);
    for (int i = 0; i < 3; i++) {
        in[n] = eye + 3 * i;
        traced_gives(bwd, (cot_types){ .n = n + 1, .at = type }, in, cot_f64(3), want + 3 * i,
                     0);
    }
    in[n] = eye;
    type[n] = cot_f64(3, 3);
    dims[n] = 0;
    ck_assert_msg(cot_trace_fn(cot_vmap(bwd, .in_dims = { .n = n + 1, .at = dims }),
                               (cot_types){ .n = n + 1, .at = type }, &g) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert_int_eq(ir_eval(g, (void *[]){ dx }, in), COT_OK);
    ck_assert_mem_eq(dx, want, sizeof dx);
    ck_assert_int_eq(runs, 1);
}
END_TEST

/* Both halves in one object, with the residuals in one block: the bits of the joined form. */
static void
wave(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_reduce_sum(cot_mul(cot_sin(in[0]), cot_exp(in[1])));
}

static const char glue_text[] =
    "#include \"f.h\"\n"
    "#ifdef BWD_RES\n#error a function that hands on no residuals has no macro of "
    "them\n#endif\n"
    "int glue(const double *x, const double *z, const double *ct, double *y, double *dx);\n"
    "int glue(const double *x, const double *z, const double *ct, double *y, double *dx)\n{\n"
    "    static double work[512] __attribute__((aligned(64))), res[FWD_RES_BYTES / 8] "
    "__attribute__((aligned(64)));\n"
    "    int status = fwd(x, z, y, FWD_RES(res), work);\n"
    "    return status ? status : bwd(FWD_RES(res), ct, dx, work);\n}\n";

static void
link_halves(cot_fn *fwd, cot_fn *bwd, const double *x, const double *z, const double *ct,
            double *y, double *dx)
{
    char folder[] = "/tmp/cotrace-XXXXXX", object[64], header[64], path[64], line[400];
    cot_type type[9];
    const cot_graph *g;
    union {
        void *p;
        int (*f)(const double *, const double *, const double *, double *, double *);
    } u;
    ck_assert(mkdtemp(folder) != NULL);
    snprintf(object, sizeof object, "%s/f.o", folder);
    snprintf(header, sizeof header, "%s/f.h", folder);
    ck_assert_msg(cot_trace_fn(fwd, COT_TYPES(cot_f64(3), cot_f64(3)), &g) == COT_OK, "%s",
                  cot_error(ctx));
    const int n = cot_graph_n_out(g) - 1;
    for (int i = 0; i < n; i++)
        type[i] = cot_graph_out_type(g, 1 + i);
    type[n] = cot_f64();
    const cot_export e[] = { { fwd, COT_TYPES(cot_f64(3), cot_f64(3)), "fwd" },
                             { bwd, { .n = n + 1, .at = type }, "bwd" } };
    ck_assert_msg(cot_build_object(ctx, e, 2, NULL, object, header) == COT_OK, "%s",
                  cot_error(ctx));
    snprintf(path, sizeof path, "%s/glue.c", folder);
    FILE *f = fopen(path, "w");
    fputs(glue_text, f);
    fclose(f);
    snprintf(line, sizeof line,
             "cc -std=c11 -Wall -Wextra -Werror -shared -fPIC %s %s -o %s/f.so", path, object,
             folder);
    ck_assert_msg(system(line) == 0, "%s", line);
    snprintf(path, sizeof path, "%s/f.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    u.p = dlsym(library, "glue");
    ck_assert_int_eq(u.f(x, z, ct, y, dx), 0);
    dlclose(library);
    snprintf(line, sizeof line, "rm -r %s", folder);
    ck_assert_int_eq(system(line), 0);
}

/* A foreign function called as a function of the file, or as one that C source has for
 * itself. */
static void
outer(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] =
        cot_fma(cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(in[0]), NULL),
                in[0], in[0]);
}

static void
one_f64(const cot_custom_info *info, const cot_type *in, cot_type *out)
{
    (void)info, (void)in;
    out[0] = cot_f64();
}

START_TEST(foreign_names_are_not_taken_twice)
{
    static const struct {
        const char *symbol, *name, *ending, *wrong;
    } row[] = {
        { "outer", "outer", "c", "outer is a foreign function, and a function of the file" },
        { "fma_f64", "outer", "c", "C source has a function fma_f64 of its own" },
        { "outer_fma", "outer", "c", "C source has a function outer_fma of its own" },
        { "elsewhere", "outer", "c", NULL },
        { "outer", "outer", "o", "outer is a foreign function, and a function of the file" },
        { "fma_f64", "outer", "o", NULL },
    };

    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        if (*row[i].ending == 'o' && !cg_llvm())
            continue;
        const char *file =
            ir_format(&ctx->arena, "/tmp/cotrace-foreign-%d.%s", (int)getpid(), row[i].ending);
        const char *prototype =
            ir_format(&ctx->arena, "out0 = double %s(double in0)", row[i].symbol);
        const cot_custom *c = cot_custom_new(ctx, ir_format(&ctx->arena, "foreign%zu", i),
                                             .symbol = (cot_symbol *)fabs,
                                             .prototype = prototype, .types = one_f64);
        const cot_export e = { cot_fn_new(ctx, "f", outer, 1, 1, (void *)(uintptr_t)c),
                               COT_TYPES(cot_f64()), row[i].name };
        const cot_status status = cot_build_object(ctx, &e, 1, NULL, file, NULL);

        if (row[i].wrong) {
            ck_assert_int_eq(status, COT_ERR_ARG);
            ck_assert_msg(strstr(cot_error(ctx), row[i].wrong) != NULL, "%s", cot_error(ctx));
            cot_error_clear(ctx);
        } else {
            ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
        }
        remove(file);
    }
}
END_TEST

START_TEST(a111_object)
{
    const double z[] = { 0.25, 0.5, -1 }, ct = 0.7;
    double y, dx[3], joined_y, joined_dx[3];
    const cot_graph *g;
    cot_fn *f = cot_fn_new(ctx, "wave", wave, 2, 1, NULL), *fwd, *bwd;
    cot_kernel *k;
    if (!cg_llvm() || system("command -v cc >/dev/null 2>&1") != 0)
        return;
    cot_vjp_halves(f, &fwd, &bwd, .wrt = COT_LIST(0));
    link_halves(fwd, bwd, xs, z, &ct, &y, dx);
    ck_assert_int_eq(cot_trace_fn(cot_vjp(f, .wrt = COT_LIST(0)),
                                  COT_TYPES(cot_f64(3), cot_f64(3), cot_f64()), &g),
                     COT_OK);
    ck_assert_int_eq(cot_compile_graph(g, NULL, &k), COT_OK);
    void *args[] = { (void *)xs, (void *)z, (void *)&ct, &joined_y, joined_dx },
         *work = aligned_alloc(64, 1 << 14);
    ck_assert_int_eq(cot_kernel_entry(k)(args, work), 0);
    ck_assert_mem_eq(&y, &joined_y, sizeof y);
    ck_assert_mem_eq(dx, joined_dx, sizeof dx);
    cot_kernel_free(k);
    free(work);
}
END_TEST

/* ---- a rule is what every transform uses, wherever the call stands ---- */

/* A hundred times the derivative: it shows. */
RULE(square, out[0] = cot_mul(in[0], in[0]);)
RULE(square_vjp, out[0] = cot_mul(cot_mul(in[1], in[0]), 200);)

static const cot_custom *hundred;
static void
hundredfold(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_custom_call(hundred, COT_LIST(), COT_VALUES(in[0]), NULL);
}
static void
negated(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_neg(in[0]);
}
static void
in_cond(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_cond(cot_gt(in[0], 0), hundredfold, negated, .in = COT_VALUES(in[0]));
}
static void
squared_carry(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_custom_call(hundred, COT_LIST(), COT_VALUES(in[1]), NULL);
}
static void
in_loop(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t, (void)user;
    out[0] = cot_fori(2, squared_carry, .in = COT_VALUES(in[0]));
}
static void
in_write(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y = cot_clone(in[0]);
    (void)t;
    hundredfold(t, in, out, user);
    cot_assign(y, out[0]);
    out[0] = y;
}

START_TEST(everywhere)
{
    const double x = 2, two[] = { 2, -3 }, once = 400, twice = 320000, mixed[] = { 400, -1 },
                 second = 200;
    hundred = cot_custom_new(ctx, "square", .forward = square, .setup = save_x,
                             .vjp = square_vjp, .generate_vmap = true);
    traced_gives(cot_grad(FN(in_cond)), S64, (const void *[]){ &x }, cot_f64(), &once, 0);
    traced_gives(cot_vmap(cot_grad(FN(in_cond))), COT_TYPES(cot_f64(2)),
                 (const void *[]){ two }, cot_f64(2), mixed, 0);
    traced_gives(cot_grad(FN(in_loop)), S64, (const void *[]){ &x }, cot_f64(), &twice, 0);
    traced_gives(cot_jacfwd(FN(in_loop)), S64, (const void *[]){ &x }, cot_f64(), &twice, 0);
    traced_gives(cot_grad(cot_functionalize(FN(in_write))), S64, (const void *[]){ &x },
                 cot_f64(), &once, 0);
    traced_gives(cot_hessian(FN(in_write)), S64, (const void *[]){ &x }, cot_f64(), &second, 0);
    traced_gives(cot_hessian(FN(in_cond)), S64, (const void *[]){ &x }, cot_f64(), &second, 0);
}
END_TEST

/* ---- effects ---- */

RULE(triple_vjp, out[0] = cot_mul(in[0], 3);)
static int
triple_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info;
    runs++;
    *(double *)out[0] = 3 * *(const double *)in[0];
    return 0;
}

/* Each transform runs what has an effect once for each example, whether its value is wanted or
 * not. */
START_TEST(effects_once)
{
    const double x[] = { 1, 2 }, dx[] = { 1, 1 };
    double out[4][4];
    cot_fn *f = fn_of(cot_custom_new(ctx, "log", .run = triple_run, .types = same_type,
                                     .vjp = triple_vjp, .effects = true, .sequential = true));
    const struct { cot_fn *f; cot_types types; int runs; } row[] = {
        { f, S64, 1 },
        { cot_grad(f), S64, 1 },
        { cot_jvp(f), COT_TYPES(cot_f64(), cot_f64()), 1 },
        { cot_linearize(f), COT_TYPES(cot_f64(), cot_f64()), 1 },
        { cot_vjp(f), COT_TYPES(cot_f64(), cot_f64()), 1 },
        { cot_hessian(f), S64, 1 },
        { cot_vmap(f), COT_TYPES(cot_f64(2)), 2 },
        { cot_vmap(cot_grad(f)), COT_TYPES(cot_f64(2)), 2 },
        { cot_jacrev(cot_vmap(f)), COT_TYPES(cot_f64(2)), 2 },
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        const cot_graph *g;
        ck_assert_msg(cot_trace_fn(row[i].f, row[i].types, &g) == COT_OK, "%d: %s", (int)i,
                      cot_error(ctx));
        runs = 0;
        ck_assert_int_eq(
            ir_eval(g, (void *[]){ out[0], out[1], out[2] }, (const void *[]){ x, dx }),
            COT_OK);
        ck_assert_msg(runs == row[i].runs, "%d: ran %d times", (int)i, runs);
        if (!cg_llvm())
            continue;
        cot_kernel *k;
        ck_assert_msg(cot_compile_graph(g, NULL, &k) == COT_OK, "%d: %s", (int)i,
                      cot_error(ctx));
        void *args[8] = { (void *)x }, *work = aligned_alloc(64, 1 << 14);
        int n = 1;
        if (row[i].types.n == 2)
            args[n++] = (void *)dx;
        for (int j = 0; j < cot_graph_n_out(g); j++)
            args[n++] = out[j];
        runs = 0;
        ck_assert_int_eq(cot_kernel_entry(k)(args, work), 0);
        ck_assert_msg(runs == row[i].runs, "%d: the kernel ran it %d times", (int)i, runs);
        cot_kernel_free(k);
        free(work);
    }
}
END_TEST

/* Rows without elements, of a loop that calls C code for each. */
static int
note_run(const cot_custom_info *info, const void *const *in, void *const *out)
{
    (void)info, (void)in, (void)out;
    runs++;
    return 0;
}

static void
note_rows(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_map(apply, .xs = COT_VALUES(in[0]), .user = user);
}

START_TEST(calls_of_empty_rows)
{
    const cot_custom *c = cot_custom_new(ctx, "note", .run = note_run, .types = same_type,
                                         .effects = true, .sequential = true);
    cot_fn *f = cot_fn_new(ctx, "f", note_rows, 1, 1, (void *)c);
    char none;
    const cot_graph *g;
    cot_kernel *k;

    ck_assert_msg(cot_trace_fn(f, COT_TYPES(cot_f64(3, 0)), &g) == COT_OK, "%s",
                  cot_error(ctx));
    runs = 0;
    ck_assert_int_eq(ir_eval(g, (void *[]){ &none }, (const void *[]){ &none }), COT_OK);
    ck_assert_int_eq(runs, 3);
    if (!cg_llvm())
        return;
    ck_assert_msg(cot_compile_graph(g, NULL, &k) == COT_OK, "%s", cot_error(ctx));
    void *work = aligned_alloc(64, 1 << 14);
    ck_assert_int_eq(cot_kernel_entry(k)((void *[]){ &none, &none }, work), 0);
    ck_assert_int_eq(runs, 6);
    cot_kernel_free(k);
    free(work);
}
END_TEST

/* ---- a backward that is no derivative ---- */

/* Each element of the cotangent is clipped to [-1, 1], of each example. */
RULE(same_value, out[0] = in[0];)
RULE(clip_jvp, out[0] = in[2];)
RULE(clip_value, out[0] = cot_clip(in[0], -1, 1);)
static void
clipped_loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    apply(t, in, out, user);
    out[0] = cot_reduce_sum(cot_mul(out[0], out[0]));
}
static void
sum_of_mapped(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_reduce_sum(cot_call(cot_vmap((cot_fn *)user), in[0]));
}
START_TEST(clipped_gradients)
{
    const double want[] = { 1, 1, 1, -1, 1, 0 }, second[] = { 0, 0, 0, 0, 0, 0, 0, 0, 2 };
    const double near[] = { 3, -3, 0.25 };
    cot_fn *f =
        cot_fn_new(ctx, "loss", clipped_loss, 1, 1,
                   (void *)cot_custom_new(ctx, "clip", .forward = same_value, .vjp = clip_value,
                                          .jvp = clip_jvp, .generate_vmap = true));
    traced_gives(cot_grad(f), V64, (const void *[]){ s }, cot_f64(3), want, 0);
    traced_gives(cot_vmap(cot_grad(f)), M64, (const void *[]){ s }, cot_f64(2, 3), want, 0);
    traced_gives(cot_grad(cot_fn_new(ctx, "all", sum_of_mapped, 1, 1, f)), M64,
                 (const void *[]){ s }, cot_f64(2, 3), want, 0);
    /* the second derivative is the rule's: 2 where it does not clip */
    traced_gives(cot_hessian(f), V64, (const void *[]){ near }, cot_f64(3, 3), second, 0);
}
END_TEST

/* ---- C code that writes over its argument ---- */

static void
double_in_place(double *x, long n)
{
    for (long i = 0; i < n; i++)
        x[i] *= 2;
}
static void
keep_count(cot_setup *k, const cot_custom_info *info)
{
    (void)info;
    cot_type t = cot_setup_in_type(k, 0);
    cot_save_data(k, cot_type_count(&t));
}
static void
keeps_argument(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value y[1];
    apply(t, in, y, user);
    out[0] = cot_sub(y[0], in[0]);
}
static void
writes_argument(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0], view = cot_view_at(x, 1, 0);
    (void)t;
    cot_assign(x, cot_custom_call((const cot_custom *)user, COT_LIST(), COT_VALUES(x), NULL));
    out[0] = view;
}
RULE(double_vjp, out[0] = cot_mul(in[0], 2);)

/* The value that was passed stays; written to the argument, all views of it see the result. */
START_TEST(b154)
{
    const cot_custom *c = cot_custom_new(
        ctx, "in_place", .symbol = (cot_symbol *)double_in_place, .types = same_type,
        .prototype = "void double_in_place(double *out0 = in0, long data0)",
        .setup = keep_count, .sequential = true, .vjp = double_vjp);
    const cot_graph *g;
    double y, x[3], rows[2];
    traced_gives(cot_fn_new(ctx, "f", keeps_argument, 1, 1, (void *)c), V64,
                 (const void *[]){ xs }, cot_f64(3), xs, 0);
    cot_fn *f = cot_fn_new(ctx, "f", writes_argument, 1, 1, (void *)c);
    ck_assert_msg(cot_trace_fn(cot_functionalize(f), V64, &g) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(ir_eval(g, (void *[]){ &y, x }, (const void *[]){ xs }) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_msg(y == -4 && x[0] == 2 && x[1] == -4 && x[2] == 1, "%g %g", y, x[0]);
    ck_assert_msg(cot_trace_fn(cot_vmap(f), M64, &g) == COT_OK, "%s", cot_error(ctx));
    double all[6];
    ck_assert_int_eq(ir_eval(g, (void *[]){ rows, all }, (const void *[]){ s }), COT_OK);
    ck_assert(rows[0] == 2 && rows[1] == 10 && all[0] == 6 && all[5] == 0);
    ck_assert_msg(cot_trace_fn(cot_grad(f), V64, &g) == COT_OK, "%s", cot_error(ctx));
}
END_TEST

/* ---- text ---- */

/* The attribute `dim` in forward and backward. */
static void
weigh_columns(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    static const double w[] = { 1, 2, 3, 10, 20, 30 };
    (void)user;
    out[0] = cot_reduce_sum(
        cot_mul(numpy_sort_all(&np, in[0], 0, NULL), cot_constant(t, cot_f64(2, 3), w)));
}
/* f as text in a context of its own, where nobody registered what it calls. */
static const cot_graph *
elsewhere(cot_context *other, cot_fn *f, cot_types types, char *text)
{
    const cot_graph *g;
    const size_t n = (size_t)snprintf(text, sizeof(traced_text), "%s", printed(f, types));
    ck_assert_msg(cot_parse(other, "dump", text, n, NULL, &g) == COT_OK, "%s",
                  cot_error(other));
    ck_assert_int_eq(ir_verify(other, g, "parse"), COT_OK);
    return g;
}

static void
weigh(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    static const double w[] = { 1, 10, 100 };
    const cot_value y = numpy_sort(&np, in[0]);
    (void)user;
    out[0] = cot_reduce_sum(cot_mul(cot_mul(y, y), cot_constant(t, cot_f64(3), w)));
}

/* Dumps hold names, attributes and rules: they print the same again, and are transformed. */
START_TEST(a114)
{
    static char text[sizeof(traced_text)];
    static traced_text again;
    cot_context *other = cot_context_new(&(cot_options){ .verify = 1 });
    const cot_graph *g;
    double y[6], x = 1.5;
    again.n = 0;
    g = elsewhere(other, cot_grad(cot_fn_new(ctx, "h", weigh_columns, 1, 1, NULL)), M64, text);
    ck_assert_int_eq(cot_dump_graph(g, traced_write, &again), COT_OK);
    ck_assert_str_eq(text, again.text);
    ck_assert_int_eq(ir_eval(g, (void *[]){ y }, (const void *[]){ s }), COT_ERR_RULE);
    ck_assert_ptr_nonnull(strstr(
        cot_error(other), "custom_call: numpy.sort is not registered in this context; wants "
                          "cot_custom_new with that name before it is run"));
    cot_error_clear(other);
    /* sort's rule calls take, whose rule calls take: three derivatives of the text */
    g = elsewhere(other, FN(weigh), V64, text);
    cot_fn *f = cot_fn_of_graph(g);
    ck_assert_msg(cot_trace_fn(cot_grad(f), V64, &g) == COT_OK, "%s", cot_error(other));
    ck_assert_msg(cot_trace_fn(cot_hessian(f), V64, &g) == COT_ERR_RULE, "%s",
                  cot_error(other));
    ck_assert_ptr_nonnull(strstr(cot_error(other),
                                 "numpy.take is not registered in this context; wants "
                                 "cot_custom_new with that name before it is mapped"));
    cot_error_clear(other);
    /* what is traced runs too */
    f = cot_fn_of_graph(elsewhere(
        other, cot_fn_new(ctx, "f", my_cube, 1, 1, (void *)my_cube_new(ctx)), S64, text));
    traced_gives(cot_grad(cot_grad(f)), S64, (const void *[]){ &x }, cot_f64(),
                 (const double[]){ 9 }, 0);
    traced_gives(cot_vmap(cot_grad(cot_grad(f))), V64, (const void *[]){ xs }, cot_f64(3),
                 (const double[]){ 6, -12, 3 }, 0);
    cot_context_free(other);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        { "A111", a111, 1 },
        { "A111", a111_object, 1 },
        ONCE(foreign_names_are_not_taken_twice),
        { "A114", a114, 1 },
        { "A113", clipped_gradients, 1 },
        { "B154", b154, 1 },
        { "A42", everywhere, 1 },
        { "B165", effects_once, 1 },
        ONCE(calls_of_empty_rows),
    };

    return SUITE_WITH("custom_use", cases, begin, suite_end);
}
