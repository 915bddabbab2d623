/* Objects as their users have them: several functions in one, linked into programs of all
 * kinds, called with threads of the caller's, looked at with debuggers; and what is said of a
 * machine that cannot be. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "ir/arena.h"
#include "ir/buf.h"
#include "ir/context.h"
#include "runtime/support/pool.h"
#include "tests/unit/suite.h"

/* LLVM leaves memory behind where it gives up; see codegen/llvm/fatal.c. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *
__lsan_default_suppressions(void)
{
    return "leak:libLLVM\n";
}

static char folder[] = "/tmp/check_ship_XXXXXX";

static void
begin(void)
{
    suite_begin();
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static int
shell(const char *command)
{
    char line[2048];

    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    return system(line);
}

static void
end(void)
{
    char line[128];

    snprintf(line, sizeof line, "rm -rf %s", folder);
    ck_assert_int_eq(system(line), 0);
    suite_end();
}

static const char *
path(const char *name)
{
    return ir_format(&ctx->arena, "%s/%s", folder, name);
}

static void
write_text(const char *name, const char *text)
{
    FILE *file = fopen(path(name), "w");

    ck_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static bool
contains(const char *name, const char *what)
{
    char text[1 << 16];
    FILE *file = fopen(path(name), "r");

    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return strstr(text, what) != NULL;
}

#define RUNS(call) ck_assert_msg((call) == COT_OK, "%s", cot_error(ctx))

static int line_of_tanh;

static void
loss(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value miss = cot_sub(cot_dot(in[1], in[0]), in[2]);

    (void)t;
    (void)user;
    line_of_tanh = __LINE__ + 1;
    out[0] = cot_reduce_sum(cot_tanh(miss), .axes = COT_LIST(0));
}

/* loss and its gradient, in x.o or another. */
static void
build_both(const char *name, const cot_compile_options *o)
{
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 3, 1, NULL), *df = cot_grad(f);
    const cot_export e[] = { { f, COT_TYPES(cot_f32(3), cot_f32(4, 3), cot_f32(4)), NULL },
                             { df, COT_TYPES(cot_f32(3), cot_f32(4, 3), cot_f32(4)),
                               "dloss" } };

    RUNS(cot_build_object(ctx, e, 2, o, path(name), path("x.h")));
}

static const char main_text[] =
    "#include <stdio.h>\n#include \"x.h\"\n"
    "static const float w[LOSS_ARG0_SIZE] = { 1, -2, 3 };\n"
    "static float x[LOSS_ARG1_BYTES / sizeof(float)], y[LOSS_ARG2_SIZE], dw[DLOSS_OUT0_SIZE], "
    "at;\n"
    "static const long shape[LOSS_ARG1_RANK] = LOSS_ARG1_SHAPE, stride[LOSS_ARG1_RANK] = "
    "LOSS_ARG1_STRIDES;\n"
    "static union { double align; char at[(LOSS_WORK_BYTES > DLOSS_WORK_BYTES ? "
    "LOSS_WORK_BYTES : DLOSS_WORK_BYTES) + 64]; } room;\n"
    "int\nmain(void)\n{\n"
    "    char *work = room.at + (64 - (uintptr_t)room.at % 64) % 64;\n"
    "    int i, j;\n"
    "    for (i = 0; i < shape[0]; i++)\n        for (j = 0; j < shape[1]; j++)\n"
    "            x[i * stride[0] + j * stride[1]] = (float)(i - j) / 4;\n"
    "    if (loss(w, x, y, &at, work) || dloss(w, x, y, dw, work))\n        return 1;\n"
    "    printf(\"%a %a %a %a\\n\", at, dw[0], dw[1], dw[2]);\n"
    "    return LOSS_FLOPS > 0 && LOSS_TRAFFIC > 0 && LOSS_ARG1_ALIGN == 4 ? 0 : 1;\n}\n";

/* What the program prints, computed by the reference evaluator. */
static const char *
expected(void)
{
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 3, 1, NULL), *df = cot_grad(f);
    float w[3] = { 1, -2, 3 }, x[12], y[4] = { 0 }, at[4];

    for (int i = 0; i < 12; i++)
        x[i] = (float)(i / 3 - i % 3) / 4;
    cot_array *in[] = { cot_array_copy(ctx, cot_f32(3), w),
                        cot_array_copy(ctx, cot_f32(4, 3), x),
                        cot_array_copy(ctx, cot_f32(4), y) };
    for (int k = 0; k < 2; k++) {
        cot_kernel *kernel;
        cot_array *out = cot_array_new(ctx, k ? cot_f32(3) : cot_f32());
        RUNS(cot_compile(k ? df : f, COT_TYPES(cot_f32(3), cot_f32(4, 3), cot_f32(4)),
                         &(cot_compile_options){ .backend = "eval" }, &kernel));
        RUNS(cot_run(kernel, &out, (const cot_array *const *)in));
        memcpy(at + k, cot_array_read(out), k ? 12 : 4);
        cot_array_free(out);
        cot_kernel_free(kernel);
    }
    for (int i = 0; i < 3; i++)
        cot_array_free(in[i]);
    return ir_format(&ctx->arena, "%a %a %a %a\n", at[0], at[1], at[2], at[3]);
}

static const struct {
    const char *file, *link;
} ways[] = {
    { "x.o",
      "cc -std=c99 -Wall -Wextra -pedantic -Werror -fPIE -pie -Wl,-z,text main.c x.o -o main" },
    { "x.a", "cc -std=c99 -fno-pie -no-pie main.c x.a -o main" },
    { "x.o", "cc -shared -Wl,-z,text -Wl,-z,defs -Wl,-soname,libx.so x.o -o libx.so && cc "
             "-fPIE -pie main.c -L. -lx "
             "-Wl,-rpath,. -o main" },
};

START_TEST(several_functions_link_anywhere)
{
    build_both(ways[_i].file, &(cot_compile_options){ .manifest = path("x.json") });
    write_text("main.c", main_text);
    ck_assert_int_eq(shell(ways[_i].link), 0);
    ck_assert_int_eq(shell("./main >out"), 0);
    ck_assert_msg(contains("out", expected()), "wants %s", expected());
    ck_assert(contains("x.h", " * Links with nothing of Cotrace.\n"));
    ck_assert(contains("x.json", "\"links\": []"));
    ck_assert(contains("x.json",
                       "{\"name\": \"arg1\", \"role\": \"in\", \"dtype\": \"f32\", \"c_type\": "
                       "\"const float *\", "
                       "\"shape\": [4, 3], \"strides\": [3, 1], \"bytes\": 48, \"align\": 4}"));
    if (system("command -v python3 >/dev/null") == 0)
        ck_assert_int_eq(shell("python3 -c 'import json; json.load(open(\"x.json\"))'"), 0);
}
END_TEST

/* One object for several processors; it names none that this machine lacks first. */
START_TEST(an_object_chooses_its_processor)
{
#ifdef __x86_64__
    build_both("x.o", &(cot_compile_options){ .cpu = "x86-64-v4,x86-64-v2,x86-64,x86-64-v3" });
    write_text("main.c", main_text);
    ck_assert_int_eq(shell("cc -fPIE -pie -Wl,-z,text main.c x.o -o main && ./main >out"), 0);
    ck_assert_msg(contains("out", expected()), "wants %s", expected());
    ck_assert_int_eq(shell("test -z \"$(nm -u x.o | grep -vwE "
                           "'memcpy|memset|memmove|_GLOBAL_OFFSET_TABLE_')\""),
                     0);
    ck_assert_int_eq(shell("nm x.o | grep -q 'b cot.cpu$'"), 0);
#endif
}
END_TEST

/* C source for several processors, or one; it names none that this machine lacks first.  What
 * chooses is asked as well as what each level has. */
static const char *const c_levels[] = { "x86-64-v4,x86-64-v2,x86-64,x86-64-v3", "x86-64",
                                        "x86-64-v2", "x86-64-v3", "x86-64-v4" };
static const char *const c_compilers[] = { "cc -O2", "cc -O0", "clang -O2" };
enum { C_LEVELS = sizeof c_levels / sizeof *c_levels };

START_TEST(c_source_chooses_its_processor)
{
#ifdef __x86_64__
    const char *const cpu = c_levels[_i % C_LEVELS], *const cc = c_compilers[_i / C_LEVELS];
    const bool older = (strcmp(cpu, "x86-64-v4") == 0 && !__builtin_cpu_supports("avx512vl")) ||
                       (strcmp(cpu, "x86-64-v3") == 0 && !__builtin_cpu_supports("avx2"));

    if (shell(ir_format(&ctx->arena, "command -v %.*s >/dev/null", (int)strcspn(cc, " "), cc)))
        return;
    build_both("x.c", &(cot_compile_options){ .cpu = cpu });
    write_text("main.c", main_text);
    ck_assert_int_eq(shell(ir_format(&ctx->arena,
                                     "%s -std=c11 -Wall -Wextra -Wpedantic -Wconversion "
                                     "-Wshadow -Werror -fPIC -c x.c && cc -fPIE -pie "
                                     "-Wl,-z,text main.c x.o -o main",
                                     cc)),
                     0);
    ck_assert_int_eq(shell("test -z \"$(nm -u x.o | grep -vwE "
                           "'memcpy|memset|memmove|_GLOBAL_OFFSET_TABLE_')\""),
                     0);
    ck_assert_int_eq(shell("nm x.o | grep -q 'b cot_known$'"), 0);
    const int ended = shell("./main >out");
    ck_assert(WIFEXITED(ended));
    ck_assert_int_eq(WEXITSTATUS(ended), older);
    ck_assert_msg(older || contains("out", expected()), "wants %s", expected());
#endif
}
END_TEST

/* A machine that has less than all of the named processors is told so. */
START_TEST(c_source_refuses_an_older_machine)
{
#ifdef __x86_64__
    build_both("x.c", &(cot_compile_options){ .cpu = "x86-64-v3,x86-64-v4" });
    write_text("main.c", "#include <stddef.h>\n#include \"x.h\"\nint main(void) { return "
                         "loss(NULL, NULL, NULL, NULL, NULL); }\n");
    ck_assert_int_eq(shell("sed -i 's/__atomic_load_n(&cot_known, __ATOMIC_RELAXED)/2/' x.c && "
                           "cc -O1 x.c main.c -o main"),
                     0);
    ck_assert_int_eq(WEXITSTATUS(shell("./main")), COT_ERR_TARGET);
#endif
}
END_TEST

/* ---- calls ---- */

typedef int limited(void *, void *, void *, void *);
typedef int with_pool(void *, void *, void *, const cot_parallel *, void *);

static void *
loaded(const char *symbol, void **library)
{
    void *fn;

    ck_assert_int_eq(shell("cc -shared -o x.so x.o"), 0);
    *library = dlopen(path("x.so"), RTLD_NOW);
    ck_assert_msg(*library != NULL, "%s", dlerror());
    fn = dlsym(*library, symbol);
    ck_assert_ptr_nonnull(fn);
    return fn;
}

static void
export_to(const char *file, const char *text, const cot_compile_options *o)
{
    const cot_graph *g;

    RUNS(cot_parse(ctx, "test", text, strlen(text), "f", &g));
    cot_type in[4];

    for (int i = 0; i < cot_graph_n_in(g); i++)
        in[i] = cot_graph_in_type(g, i);
    const cot_export e = { cot_fn_of_graph(g), { .n = cot_graph_n_in(g), .at = in }, "f" };
    RUNS(cot_build_object(ctx, &e, 1, o, path(file), path("x.h")));
}

static void
export_text(const char *text, const cot_compile_options *o)
{
    export_to("x.o", text, o);
}

/* The number that a macro of the header is. */
static long
number(const char *header, const char *macro)
{
    char line[256], name[64];
    FILE *file = fopen(path(header), "r");
    long found = -1, x;

    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "#define %63s %ld", name, &x) == 2 && strcmp(name, macro) == 0)
            found = x;
    fclose(file);
    ck_assert_msg(found >= 0, "%s is not in %s", macro, header);
    return found;
}

/* The versions of a function share one work block, which holds what the largest of them
 * needs: panels of a product are as wide as its vectors. */
START_TEST(one_work_block_serves_every_version)
{
    static const struct {
        const char *file, *cpu;
        int bits;
    } row[][3] = {
        { { "x.o", "x86-64", 0 }, { "x.o", "x86-64-v4", 0 }, { "x.o", "x86-64,x86-64-v4", 0 } },
        { { "x.o", "x86-64", 0 }, { "x.o", "x86-64-v3", 0 }, { "x.o", "x86-64-v3,x86-64", 0 } },
        { { "x.c", NULL, 32 }, { "x.c", NULL, 512 }, { "x.c", NULL, 0 } },
    };
    long bytes[3], most;

    for (int i = 0; i < 3; i++) {
        export_to(row[_i][i].file,
                  "fn @f(%x: f32[130,170], %y: f32[170,264]) -> f32[130,264] {\n"
                  "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
                  "f32[130,264]\n"
                  "  ret %0\n}\n",
                  &(cot_compile_options){ .target = row[_i][i].cpu ? "x86_64-linux-gnu" : NULL,
                                          .cpu = row[_i][i].cpu,
                                          .vector_bits = row[_i][i].bits });
        bytes[i] = number("x.h", "F_WORK_BYTES");
    }
    most = bytes[0] > bytes[1] ? bytes[0] : bytes[1];
    ck_assert_int_ne(bytes[0], bytes[1]); /* or this shows nothing */
    ck_assert_int_eq(bytes[2], most);
}
END_TEST

/* Arguments may be named as the block of work and that of residuals: no constant has two
 * meanings. */
START_TEST(arguments_named_as_the_blocks)
{
    static const char text[] =
        "fn @f(%Work: f64[3], %res: f64[5]) -> (f64[3], f64[5]) {\n"
        "  %0 = sin %Work : f64[3]\n  %1 = exp %res : f64[5]\n  ret %0, %1\n}\n";
    const cot_graph *g;
    cot_fn *fwd, *bwd;

    RUNS(cot_parse(ctx, "test", text, strlen(text), "f", &g));
    cot_vjp_halves(cot_fn_of_graph(g), &fwd, &bwd, .wrt = COT_LIST(0, 1));
    const cot_export e = { fwd, COT_TYPES(cot_f64(3), cot_f64(5)), "f" };
    RUNS(cot_build_object(ctx, &e, 1, NULL, path("x.o"), path("x.h")));
    ck_assert_int_eq(shell("cc -std=c99 -Wall -Werror -fsyntax-only -x c x.h"), 0);
    ck_assert_int_eq(number("x.h", "F_RES_BYTES"), 128); /* two, 64 bytes each */
    ck_assert_int_eq(number("x.h", "F_WORK_2_BYTES"), 24);
    ck_assert_int_eq(number("x.h", "F_RES_2_BYTES"), 40);
}
END_TEST

START_TEST(a_bound_that_is_passed_is_an_answer)
{
    float x[2] = { 3, 50 }, y;
    _Alignas(64) char work[4096];
    void *library;

    export_text(
        "fn @c(%l: f32[], %x: f32[]) -> bool[] {\n  %0 = lt %x, %l : bool[]\n  ret %0\n}\n"
        "fn @s(%l: f32[], %x: f32[]) -> f32[] {\n  %0 = add %x, %x : f32[]\n  ret %0\n}\n"
        "fn @f(%l: f32[], %x: f32[]) -> f32[] {\n"
        "  %0 = while %l, %x {consts=1, max=5, cond=@c, body=@s} : f32[]\n  ret %0\n}\n",
        NULL);
    limited *f;
    *(void **)&f = loaded("f", &library);
    ck_assert_int_eq(f(&x[1], &x[0], &y, work), 0);
    ck_assert(y == 96);
    x[1] = 97;
    ck_assert_int_eq(f(&x[1], &x[0], &y, work), COT_ERR_BOUND);
    ck_assert(contains(
        "x.h", ir_format(&ctx->arena, "as %d where a loop passed its bound", COT_ERR_BOUND)));
    dlclose(library);
}
END_TEST

/* A parallel-for of the caller's: pieces of odd sizes, the last first, in this thread. */
static int pieces;

static void
backwards(const cot_parallel *self, void (*body)(void *, int64_t, int64_t), void *arg,
          int64_t n, int64_t grain)
{
    (void)self;
    (void)grain;
    for (int64_t hi = n; hi > 0; hi -= hi < 7 ? hi : 7) {
        body(arg, hi < 7 ? 0 : hi - 7, hi);
        pieces++;
    }
}

START_TEST(threads_are_the_callers)
{
    enum { N = 300000 };
    static float x[N], y[4][N], sum[4];
    const cot_parallel own = { backwards };
    cot_parallel *two = cot_rt_pool_new(2);
    const cot_parallel *pool[] = { NULL, &own, two, two };
    void *library, *work;

    for (int i = 0; i < N; i++)
        x[i] = (float)(i % 977) / 100 - 3;
    export_text(
        "fn @f(%x: f32[300000]) -> (f32[], f32[300000]) {\n"
        "  %0 = exp %x : f32[300000]\n  %1 = reduce_sum %0 {axes=[0]} : f32[]\n  ret %1, %0\n}",
        &(cot_compile_options){ .threads = 2 });
    with_pool *f;
    *(void **)&f = loaded("f", &library);
    ck_assert(contains("x.h", "const struct cot_parallel *pool, void *work"));
    ck_assert(contains("x.h", " * Links with nothing of Cotrace, but for a pool of "
                              "cot_rt_pool_new, which libcotrace_rt.a has.\n"));
    work = aligned_alloc(64, 1 << 20);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(f(x, &sum[i], y[i], pool[i], work), 0);
        ck_assert(memcmp(&sum[i], &sum[0], 4) == 0 && memcmp(y[i], y[0], sizeof y[i]) == 0);
    }
    ck_assert_int_gt(pieces, 1);
    free(work);
    cot_rt_pool_free(two);
    dlclose(library);
}
END_TEST

/* ---- looking at code ---- */

START_TEST(instructions_lead_to_lines)
{
    build_both("x.o", &(cot_compile_options){ .debug = true });
    ck_assert_int_eq(shell("cc -shared -o x.so x.o"), 0);
    /* The lines of every instruction of loss: that of tanh is among them. */
    if (system("command -v addr2line >/dev/null && command -v objdump >/dev/null") != 0) {
        printf("skipped: no binutils\n");
        return;
    }
    ck_assert_int_eq(
        shell("objdump -d --no-show-raw-insn x.so | awk '/<loss.entry.*>:/ { on = 1; next } "
              "/^$/ { on = 0 } "
              "on { sub(\":\", \"\", $1); print \"0x\" $1 }' | addr2line -e x.so >lines"),
        0);
    ck_assert_msg(contains("lines", ir_format(&ctx->arena, "check_ship.c:%d\n", line_of_tanh)),
                  "no instruction comes from line %d", line_of_tanh);
    if (system("command -v gdb >/dev/null") != 0) {
        printf("skipped: no gdb\n");
        return;
    }
    ck_assert_int_eq(
        shell(ir_format(&ctx->arena,
                        "gdb -batch -ex 'info line check_ship.c:%d' x.so >gdb.out 2>&1",
                        line_of_tanh)),
        0);
    ck_assert_msg(contains("gdb.out", "starts at address") && contains("gdb.out", "loss.entry"),
                  "gdb finds no code");
    /* A breakpoint at what the user calls knows its line, too: in one version or several. */
    for (int k = 0; k < 2; k++) {
        if (k == 1)
            build_both("x.o", &(cot_compile_options){ .debug = true,
                                                      .target = "x86_64-linux-gnu",
                                                      .cpu = "x86-64-v2,x86-64-v3" });
        if (k == 1 && shell("ld -r x.o -o y.o 2>/dev/null") != 0)
            continue; /* another machine's linker */
        ck_assert_int_eq(
            shell("gdb -batch -ex 'info line loss' -ex 'break dloss' x.o >gdb.out 2>&1"), 0);
        ck_assert_msg(contains("gdb.out", "of \"") && contains("gdb.out", "check_ship.c") &&
                          !contains("gdb.out", "No line number") &&
                          !contains("gdb.out", "locations"),
                      "gdb does not know where loss is");
    }
}
END_TEST

/* What gdb reads in a process (LLVM keeps it). */
struct jit_descriptor {
    uint32_t version, action;
    const void *relevant, *first;
};

START_TEST(debuggers_know_what_the_jit_made)
{
    cot_context *own = cot_context_new(&(cot_options){ .debug = 1, .perf = 1 });
    char name[64], line[256];
    bool listed = false;
    cot_kernel *k;
    FILE *file;

    ck_assert_int_eq(cot_compile(cot_fn_new(own, "loss", loss, 3, 1, NULL),
                                 COT_TYPES(cot_f32(3), cot_f32(4, 3), cot_f32(4)), NULL, &k),
                     COT_OK);
    const struct jit_descriptor *d = dlsym(RTLD_DEFAULT, "__jit_debug_descriptor");
    ck_assert(d == NULL || (d->version == 1 && d->first != NULL));
    snprintf(name, sizeof name, "/tmp/perf-%ld.map", (long)getpid());
    ck_assert_ptr_nonnull(file = fopen(name, "r"));
    while (fgets(line, sizeof line, file)) {
        unsigned long long at = 0, size = 0;
        char symbol[128] = "";
        sscanf(line, "%llx %llx %127s", &at, &size, symbol);
        listed |= at == (unsigned long long)(uintptr_t)cot_kernel_entry(k) && size > 0 &&
                  strcmp(symbol, "cot:loss") == 0;
    }
    fclose(file);
    remove(name);
    ck_assert(listed);
    cot_kernel_free(k);
    cot_context_free(own);
}
END_TEST

/* ---- machines that cannot be ---- */

static const struct {
    const char *target, *cpu, *features, *says;
} impossible[] = {
    { NULL, "abacus", NULL, "no processor 'abacus'" },
    { "soup", NULL, NULL, "target soup" },
    { "sparc-linux-gnu", NULL, NULL, "wants x86_64, aarch64" },
    { "x86_64-linux-gnu", NULL, "+avx9", "no feature '+avx9'" },
    { "x86_64-linux-gnu", NULL, "avx2", "no feature 'avx2'" },
    { "x86_64-linux-gnu", NULL, "+soft-float", "no feature" },
    { "x86_64-linux-gnu", NULL, "-64bit", "64-bit code requested on a subtarget" },
    { "x86_64-linux-gnu", NULL, "-sse2", "SSE2" },
    { "wasm32", "cortex-m4", NULL, "no processor 'cortex-m4'" },
    { "x86_64-linux-gnu", "haswell,x86-64-v4", NULL, "an object for several processors wants" },
    { "x86_64-linux-gnu", "x86-64-v3,x86-64-v3", NULL, "named twice" },
    { "x86_64-linux-gnu", "x86-64-v2,x86-64-v3", "+sha", "selects by the processor alone" },
    { "aarch64-linux-gnu", "cortex-a53,cortex-a72", NULL,
      "an object for several processors wants" },
    { "x86_64-linux-gnu", "a,a,a,a,a,a,a,a,a", NULL, "more than 8 processors" },
};

START_TEST(impossible_machines_are_errors)
{
    const cot_compile_options o = { .target = impossible[_i].target, .cpu = impossible[_i].cpu,
                                    .features = impossible[_i].features };
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 3, 1, NULL);
    const cot_export e = { f, COT_TYPES(cot_f32(3), cot_f32(4, 3), cot_f32(4)), NULL };
    const cot_status status = cot_build_object(ctx, &e, 1, &o, path("x.o"), NULL);

    ck_assert_msg(status == COT_ERR_TARGET || status == COT_ERR_ARG, "status %d", (int)status);
    ck_assert_msg(strstr(cot_error(ctx), impossible[_i].says) != NULL, "says: %s",
                  cot_error(ctx));
    cot_error_clear(ctx);
    build_both("x.o", NULL); /* and then all goes on */
}
END_TEST

START_TEST(only_llvm_makes_objects)
{
    cot_fn *f = cot_fn_new(ctx, "loss", loss, 3, 1, NULL);
    const cot_export e = { f, COT_TYPES(cot_f32(3), cot_f32(4, 3), cot_f32(4)), NULL };

    ck_assert_int_eq(cot_build_object(ctx, &e, 1, &(cot_compile_options){ .backend = "c" },
                                      path("x.o"), NULL),
                     COT_ERR_TARGET);
    ck_assert(strstr(cot_error(ctx), "object files need the back end jit") != NULL);
    cot_error_clear(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(several_functions_link_anywhere, sizeof ways / sizeof *ways),
        ONCE(an_object_chooses_its_processor),
        EACH(c_source_chooses_its_processor, 3 * C_LEVELS),
        ONCE(c_source_refuses_an_older_machine),
        EACH(one_work_block_serves_every_version, 3),
        ONCE(arguments_named_as_the_blocks),
        ONCE(a_bound_that_is_passed_is_an_answer),
        ONCE(threads_are_the_callers),
        ONCE(instructions_lead_to_lines),
        ONCE(debuggers_know_what_the_jit_made),
        EACH(impossible_machines_are_errors, sizeof impossible / sizeof *impossible),
        ONCE(only_llvm_makes_objects),
    };

    return SUITE_WITH("ship", cases, begin, end);
}
