/* Object files: what is built is what the reference evaluator computes, bit for bit, and
 * needs nothing. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "ir/build.h"
#include "runtime/build.h"
#include "runtime/call.h"
#include "runtime/check.h"
#include "runtime/values.h"
#include "tests/unit/suite.h"

static const struct {
    const char *name, *text;
    int threads;
} row[] = {
    { "nothing",
      "fn @f() -> f32[3] {\n  %0 = iota {dtype=f32, shape=[3], axis=0} : f32[3]\n  ret %0\n}",
      1 },
    { "softmax",
      "fn @f(%x: f32[5,37]) -> f32[5,37] {\n"
      "  %0 = reduce_max %x {axes=[1]} : f32[5]\n"
      "  %1 = broadcast_in_dim %0 {shape=[5,37], dims=[0]} : f32[5,37]\n"
      "  %2 = sub %x, %1 : f32[5,37]\n"
      "  %3 = exp %2 : f32[5,37]\n"
      "  %4 = reduce_sum %3 {axes=[1]} : f32[5]\n"
      "  %5 = broadcast_in_dim %4 {shape=[5,37], dims=[0]} : f32[5,37]\n"
      "  %6 = div %3, %5 : f32[5,37]\n  ret %6\n}",
      1 },
    { "matmul",
      "fn @f(%x: f32[33,70], %y: f32[70,41], %for: f32[41]) -> f32[33,41] {\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[33,41]\n"
      "  %1 = broadcast_in_dim %for {shape=[33,41], dims=[1]} : f32[33,41]\n"
      "  %2 = add %0, %1 : f32[33,41]\n  ret %2\n}",
      1 },
    { "types",
      "fn @f(%a: i8[9], %b: u64[9], %c: bool[9], %d: f16[9], %e: bf16[9], %g: f64[9]) -> "
      "(f64[9], u64[9], f16[9]) {\n"
      "  %0 = convert %a {dtype=f64} : f64[9]\n"
      "  %1 = select %c, %0, %g : f64[9]\n"
      "  %2 = tanh %1 : f64[9]\n"
      "  %3 = mul %b, %b : u64[9]\n"
      "  %4 = convert %e {dtype=f16} : f16[9]\n"
      "  %5 = mul %4, %d : f16[9]\n  ret %2, %3, %5\n}",
      1 },
    { "fourier",
      "fn @f(%x: f32[3,60,2], %y: f64[2,1024,2]) -> (f32[3,60,2], f64[2,1024,2]) {\n"
      "  %0 = fft %x : f32[3,60,2]\n  %1 = fft %y {inverse=true} : f64[2,1024,2]\n  ret %0, "
      "%1\n}",
      1 },
    { "groups",
      "fn @f(%x: f32[2,8,8,20], %w: f32[20,3,3,1,1]) -> f32[20,2,6,6,1] {\n"
      "  %0 = reshape %x {shape=[2,8,8,1,20]} : f32[2,8,8,1,20]\n"
      "  %1 = transpose %0 {perm=[4,0,1,2,3]} : f32[20,2,8,8,1]\n"
      "  %2 = conv_general %1, %w {strides=[1,1], dilation=[1,1]} : f32[20,2,6,6,1]\n  ret "
      "%2\n}",
      1 },
    { "narrow",
      "fn @f(%x: i8[33,70], %y: u8[70,41]) -> i32[33,41] {\n"
      "  %0 = convert %x {dtype=i32} : i32[33,70]\n  %1 = convert %y {dtype=i32} : i32[70,41]\n"
      "  %2 = dot_general %0, %1 {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : i32[33,41]\n "
      " ret %2\n}",
      1 },
    { "scan",
      "fn @b(%c: f32[4], %x: f32[4]) -> (f32[4], f32[4]) {\n"
      "  %0 = sin %c : f32[4]\n  %1 = add %0, %x : f32[4]\n  ret %1, %0\n}\n"
      "fn @f(%c: f32[4], %x: f32[9,4]) -> (f32[4], f32[9,4]) {\n"
      "  %0, %1 = scan %c, %x {carries=1, length=9, body=@b} : (f32[4], f32[9,4])\n  ret %0, "
      "%1\n}",
      1 },
    { "large sum",
      "fn @f(%x: f32[300000]) -> (f32[], f32[300000]) {\n"
      "  %0 = exp %x : f32[300000]\n  %1 = reduce_sum %0 {axes=[0]} : f32[]\n  ret %1, %0\n}",
      1 },
    { "threads",
      "fn @f(%x: f32[300000]) -> (f32[], f32[300000]) {\n"
      "  %0 = exp %x : f32[300000]\n  %1 = reduce_sum %0 {axes=[0]} : f32[]\n  ret %1, %0\n}",
      2 },
    { "fft",
      "fn @f(%z: f32[3,40,2]) -> f32[3,40,2] {\n  %0 = fft %z {inverse=true} : f32[3,40,2]\n  "
      "ret %0\n}",
      1 },
    { "linear algebra",
      "fn @f(%x: f64[2,5,5]) -> (f64[2,5,5], i32[2,5], i32[2,5], f64[2,5], f64[2,5,5], "
      "f64[2,5,5], f64[2,5,5], f64[2,5,5]) {\n"
      "  %0, %1, %2 = lu %x : (f64[2,5,5], i32[2,5], i32[2,5])\n"
      "  %3, %4 = eigh %x : (f64[2,5], f64[2,5,5])\n"
      "  %5, %6 = qr %x : (f64[2,5,5], f64[2,5,5])\n"
      "  %7 = dot_general %x, %x {lhs=[2], rhs=[2], lhs_batch=[0], rhs_batch=[0]} : "
      "f64[2,5,5]\n"
      "  %8 = cholesky %7 : f64[2,5,5]\n  ret %0, %1, %2, %3, %4, %5, %6, %8\n}",
      1 },
    { "special functions",
      "fn @f(%x: f32[9], %y: f64[9]) -> (f32[9], f64[9], f64[9]) {\n"
      "  %0 = lgamma %x : f32[9]\n  %1 = erf %0 : f32[9]\n  %2 = digamma %y : f64[9]\n"
      "  %3 = abs %y : f64[9]\n  %4 = igamma %3, %3 : f64[9]\n  ret %1, %2, %4\n}",
      1 },
    { "large angles",
      "fn @f(%x: f32[9], %y: f64[9]) -> (f32[9], f64[9], f64[9]) {\n"
      "  %0 = constant {data=1e30} : f32[9]\n  %1 = mul %x, %0 : f32[9]\n  %2 = sin %1 : "
      "f32[9]\n"
      "  %3 = constant {data=1e300} : f64[9]\n  %4 = mul %y, %3 : f64[9]\n  %5 = cos %4 : "
      "f64[9]\n"
      "  %6 = pow %y, %y : f64[9]\n  ret %2, %5, %6\n}",
      1 },
    { "orders",
      "fn @f(%x: f32[4,33]) -> (i32[4,33], i32[4,5]) {\n"
      "  %0 = argsort %x {axis=1} : i32[4,33]\n"
      "  %1 = top_k %x {axis=1, k=5} : i32[4,5]\n  ret %0, %1\n}",
      1 },
};
#define ROWS ((int)(sizeof row / sizeof *row))

static ir_graph *
parsed(cot_context *ctx, const char *text)
{
    ir_module m;

    ck_assert_msg(ir_parse(ctx, "test", text, strlen(text), &m) == COT_OK, "%s",
                  cot_error(ctx));
    return m.fn[m.n - 1];
}

static void **
arrays(const ir_graph *f)
{
    void **at = IR_NEW_N(&f->ctx->arena, void *, f->n_in + f->n_out + 3);

    for (int i = 0; i < f->n_in + f->n_out; i++) {
        const ir_type *t = ir_type_at(f, i < f->n_in ? f->in[i] : f->out[i - f->n_in]);

        at[i] = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        if (i < f->n_in)
            rt_random_fill(t, 7 + (uint64_t)i, at[i]);
    }
    return at;
}

static void
same_as_evaluator(const ir_graph *f, void *const *at)
{
    void **want;

    ck_assert_int_eq(rt_run_graph(f, &(cot_compile_options){ .backend = "eval" }, at, &want),
                     COT_OK);
    for (int i = 0; i < f->n_out; i++)
        ck_assert_int_eq(
            rt_first_difference(ir_type_at(f, f->out[i]), want[i], at[f->n_in + i]), -1);
}

static int
shell(const char *folder, const char *command)
{
    char line[1024];

    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    return system(line);
}

/* The number that the header defines. */
static size_t
constant_in(const char *path, const char *name)
{
    char line[512];
    size_t value = (size_t)-1;
    FILE *file = fopen(path, "r");

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "#define ", 8) == 0 && strncmp(line + 8, name, strlen(name)) == 0)
            value = strtoul(line + 8 + strlen(name), NULL, 10);
    fclose(file);
    return value;
}

static void
build(cot_context *ctx, const ir_graph *f, int i, const char *folder)
{
    const cot_compile_options o = { .threads = row[i].threads };
    const rt_export e = { .graph = f, .name = "the_function" };

    ck_assert_msg(rt_build(ctx, 1, &e, &o, ir_format(&ctx->arena, "%s/x.o", folder),
                           ir_format(&ctx->arena, "%s/x.h", folder)) == COT_OK,
                  "%s", cot_error(ctx));
}

/* Link, load, call; compare. */
static void
call_object(cot_context *ctx, const ir_graph *f, const char *folder)
{
    void **at = arrays(f), *work, *library;
    rt_arg *arg = IR_NEW_N(&ctx->arena, rt_arg, f->n_in + f->n_out + 2);
    size_t bytes =
        constant_in(ir_format(&ctx->arena, "%s/x.h", folder), "THE_FUNCTION_WORK_BYTES");
    int answer = -1, n = 0;
    cot_parallel *pool = cot_rt_pool_new(2);
    void (*fn)(void);

    ck_assert_int_eq(shell(folder, "cc -shared -o x.so x.o"), 0);
    library = dlopen(ir_format(&ctx->arena, "%s/x.so", folder), RTLD_NOW);
    ck_assert_msg(library != NULL, "%s", dlerror());
    *(void **)&fn = dlsym(library, "the_function");
    ck_assert(fn != NULL);
    work = aligned_alloc(64, (bytes + 64) / 64 * 64);
    for (int i = 0; i < f->n_in + f->n_out; i++)
        arg[n++].at = at[i];
    if (shell(folder, "grep -q 'cot_parallel \\*pool' x.h") == 0)
        arg[n++].at = pool;
    arg[n++].at = work;
    ck_assert_int_eq(rt_call_c(ctx, fn, n, arg, &answer), COT_OK);
    ck_assert_int_eq(answer, 0);
    same_as_evaluator(f, at);
    dlclose(library);
    free(work);
    cot_rt_pool_free(pool);
}

START_TEST(objects_compute_what_the_evaluator_does)
{
    char folder[] = "/tmp/check_object_XXXXXX";
    cot_context *ctx = cot_context_new(NULL);
    bool done = false;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    IR_TRY (ctx) {
        ir_graph *f = parsed(ctx, row[_i].text);

        build(ctx, f, _i, folder);
        ck_assert_int_eq(shell(folder, "test -z \"$(nm -u x.o | grep -vwE "
                                       "'memcpy|memset|memmove|_GLOBAL_OFFSET_TABLE_')\""),
                         0);
        ck_assert_int_eq(
            shell(folder, "cc -std=c99 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c x.h"),
            0);
        ck_assert_int_eq(
            shell(folder,
                  "g++ -std=c++17 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ x.h"),
            0);
        call_object(ctx, f, folder);
        done = true;
    }
    ck_assert(done);
    shell("/tmp", ir_format(&ctx->arena, "rm -rf %s", folder));
    cot_context_free(ctx);
}
END_TEST

/* ---- the natural entry of a kernel in this process ---- */

/* The sum of n arrays. */
static ir_graph *
sum_of(cot_context *ctx, int n)
{
    ir_build *b = ir_build_new(ctx, "sum");
    const ir_type *t = ir_type_new(ctx, COT_F32, 1, (int64_t[]){ 5 });
    ir_ref sum = IR_NONE;
    ir_graph *f = NULL;

    for (int i = 0; i < n; i++) {
        ir_ref x = ir_input(b, t, NULL);

        sum = sum ? ir_add(b, sum, x) : x;
    }
    ir_output(b, n ? ir_neg(b, sum) : ir_splat(b, t, 3));
    ck_assert_int_eq(ir_build_end(b, &f), COT_OK);
    return f;
}

START_TEST(natural_entries_take_any_number_of_arguments)
{
    static const int counts[] = { 0, 1, 200 };
    cot_context *ctx = cot_context_new(NULL);
    bool done = false;

    IR_TRY (ctx) {
        ir_graph *f = sum_of(ctx, counts[_i]);
        void **at = arrays(f);
        cot_kernel *k;

        ck_assert_msg(cot_compile_graph(f, NULL, &k) == COT_OK, "%s", cot_error(ctx));
        ck_assert_int_eq(rt_call_natural(k, at, NULL), COT_OK);
        same_as_evaluator(f, at);
        cot_kernel_free(k);
        done = true;
    }
    ck_assert(done);
    cot_context_free(ctx);
}
END_TEST

/* What a function's last parameters are called, a function may be called too. */
START_TEST(parameters_leave_their_names_free)
{
    static const char *const names[] = { "work", "pool", "args", "status" };
    cot_context *ctx = cot_context_new(NULL);
    char folder[] = "/tmp/object-XXXXXX", path[64], line[256];
    bool done = false;

    ck_assert(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/x.c", folder);
    snprintf(line, sizeof line, "%s/x.h", folder);
    IR_TRY (ctx) {
        rt_export e[4];
        for (int i = 0; i < 4; i++)
            e[i] = (rt_export){ .graph = parsed(ctx, row[8 + i % 2].text), .name = names[i] };
        ck_assert_msg(rt_build(ctx, 4, e, &(cot_compile_options){ .threads = 2 }, path, line) ==
                          COT_OK,
                      "%s", cot_error(ctx));
        done = true;
    }
    ck_assert(done);
    snprintf(line, sizeof line,
             "cd %s && if command -v cc >/dev/null; then cc -std=c11 -Wall -Wextra -Wshadow "
             "-Werror -c x.c; fi",
             folder);
    ck_assert_int_eq(system(line), 0);
    snprintf(line, sizeof line, "rm -r %s", folder);
    ck_assert_int_eq(system(line), 0);
    cot_context_free(ctx);
}
END_TEST

START_TEST(mistakes_are_told)
{
    static const struct {
        const char *path, *name, *want;
    } wrong[] = {
        { "/tmp/x.exe", "f", "ends in .o" },
        { "/nowhere/x.o", "f", "/nowhere/x.o" },
        { "/tmp/x.o", "int", "no name for a C function" },
        { "/tmp/x.o", "a b", "no name for a C function" },
    };
    cot_context *ctx = cot_context_new(NULL);

    IR_TRY (ctx) {
        const rt_export e = { .graph = parsed(ctx, row[0].text), .name = wrong[_i].name };

        ck_assert_int_ne(rt_build(ctx, 1, &e, NULL, wrong[_i].path, NULL), COT_OK);
        ck_assert_msg(strstr(cot_error(ctx), wrong[_i].want), "%s", cot_error(ctx));
    }
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(objects_compute_what_the_evaluator_does, ROWS),
        EACH(natural_entries_take_any_number_of_arguments, 3),
        EACH(mistakes_are_told, 4),
        ONCE(parameters_leave_their_names_free),
    };
    const size_t first = cg_llvm() ? 0 : 3; /* without LLVM only the last */

    return suite_cases("object", cases + first, sizeof cases / sizeof *cases - first,
                       suite_begin, suite_end);
}
