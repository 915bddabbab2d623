/* Messages of compiling, writing objects, dumping and calling, compared whole. */
#include "traced.h"

#include "cotrace/module.h"
#include "cotrace/random.h"

BODY(square, out[0] = cot_mul(in[0], in[0]);)
BODY(more, out[0] = cot_gt(in[0], 0);)
BODY(next, out[0] = cot_add(in[0], 1);)
/* clang-format off */
/* A function of one line each, since messages name their lines. */
#define STEPS(x, n) cot_while(more, next, .in = COT_VALUES(x), .max = n)

#line 1 "model.c"
BODY(endless, out[0] = cot_while(more, next, .in = COT_VALUES(in[0]), .max = 5);)
static cot_value nine(cot_value x) { return STEPS(x, 9); }
static cot_value five(cot_value x) { return STEPS(x, 5); }
BODY(endless_twice, out[0] = five(nine(in[0]));)
#line 30 "check_messages_run.c"
/* clang-format on */

static cot_fn *
fn(cot_body *body)
{
    return cot_fn_new_((cot_place){ "main.c", 5 }, ctx, "f", body, 1, 1, NULL);
}

static void
said(cot_status got, cot_status status, const char *message)
{
    ck_assert_str_eq(cot_error(ctx), message);
    ck_assert_int_eq(got, status);
    cot_error_clear(ctx);
}

static cot_status
compiled(cot_compile_options o)
{
    cot_kernel *k = NULL;
    cot_status status = cot_compile(fn(square), COT_TYPES(cot_f32(3)), &o, &k);

    cot_kernel_free(k);
    return status;
}

START_TEST(of_options)
{
    said(compiled((cot_compile_options){ .backend = "gpu" }), COT_ERR_TARGET,
         "the back end is 'gpu'; wants jit, c, eval, cuda or sim");
    said(compiled((cot_compile_options){ .threads = 2000 }), COT_ERR_ARG,
         "threads is 2000; wants 1 to 1024");
    said(compiled((cot_compile_options){ .vector_bits = 100 }), COT_ERR_ARG,
         "vector_bits is 100; wants 32, 128, 256 or 512");
    cot_context *c = cot_context_new(&(cot_options){ .target = "toaster" });
    cot_kernel *k;
    cot_fn *f = cot_fn_new_((cot_place){ "main.c", 5 }, c, "f", square, 1, 1, NULL);
    ck_assert_int_eq(cot_compile(f, COT_TYPES(cot_f32(3)), NULL, &k), COT_ERR_TARGET);
    ck_assert_str_eq(cot_error(c), "the target is 'toaster'; wants host, generic, auto, cuda "
                                   "or cuda:sm_80, and ,fast behind these two");
    cot_context_free(c);
}
END_TEST

static cot_status
object(int n, const char *name, const char *path, const char *backend)
{
    cot_type t = cot_f32(3);
    cot_export e = { fn(square), { .n = 1, .at = &t }, name };
    cot_export both[] = { e, e };

    return cot_build_object(ctx, both, n, &(cot_compile_options){ .backend = backend }, path,
                            NULL);
}

/* Names by the options, which serve where an export has none. */
static cot_status
named(const char *name, int n, const char *path)
{
    cot_type t = cot_f32(3);
    cot_export e = { fn(square), { .n = 1, .at = &t }, NULL };
    cot_export both[] = { e, e };

    return cot_build_object(ctx, both, n, &(cot_compile_options){ .name = name }, path, NULL);
}

START_TEST(of_objects)
{
    said(object(0, "f", "f.o", NULL), COT_ERR_ARG, "no function is named; wants one or more");
    said(object(1, "f", "f", NULL), COT_ERR_ARG,
         "f: wants a name that ends in .o, .a, .c, .s, .ll, .ptx or .mlir");
    said(object(1, "f", "f.exe", NULL), COT_ERR_ARG,
         "f.exe: wants a name that ends in .o, .a, .c, .s, .ll, .ptx or .mlir");
    said(object(1, "3 f", "f.o", NULL), COT_ERR_ARG,
         "'3 f' is no name for a C function: wants letters, digits and _, no digit first; give "
         "one by .name, or in cot build by --name NAME or --export NAME=...");
    said(object(1, "", "f.o", NULL), COT_ERR_ARG,
         "'' is no name for a C function: wants letters, digits and _, no digit first; give "
         "one by .name, or in cot build by --name NAME or --export NAME=...");
    said(object(1, "3 f", "f.ptx", NULL), COT_ERR_ARG,
         "'3 f' is no name for entries of PTX: wants letters, digits and _, no digit first");
    said(object(2, "f", "f.o", NULL), COT_ERR_ARG, "two functions are named f");
    said(named("", 1, "f.o"), COT_ERR_ARG,
         "'' is no name for a C function: wants letters, digits and _, no digit first; give "
         "one by .name, or in cot build by --name NAME or --export NAME=...");
    said(named("", 2, "f.o"), COT_ERR_ARG,
         "'' is no name for a C function: wants letters, digits and _, no digit first; give "
         "one by .name, or in cot build by --name NAME or --export NAME=...");
    said(named("h", 2, "f.o"), COT_ERR_ARG, "two functions are named h");
    said(object(1, "f", "f.o", "eval"), COT_ERR_TARGET,
         "object files need the back end jit, and a build with LLVM");
    said(object(1, "f", "/nowhere/f.o", NULL), COT_ERR_IO,
         "/nowhere/f.o: No such file or directory");
}
END_TEST

START_TEST(of_dumps)
{
    traced_text t = { .n = 0 };
    cot_kernel *k;

    said(cot_dump_fn(fn(square), COT_TYPES(cot_f32(3)), "soup", traced_write, &t), COT_ERR_ARG,
         "the stage is 'soup'; wants trace, graph, simplify, kernels, plan, llvm, asm, c or "
         "ptx");
    ck_assert_int_eq(cot_compile(fn(square), COT_TYPES(cot_f32(3)),
                                 &(cot_compile_options){ .backend = "eval" }, &k),
                     COT_OK);
    said(cot_dump_kernel(k, "asm", traced_write, &t), COT_ERR_TARGET,
         "this stage needs the back end jit");
    said(cot_dump_kernel(k, NULL, traced_write, &t), COT_ERR_ARG,
         "the stage or the function that writes is NULL; wants both");
    said(cot_dump_kernel(k, "plan", NULL, &t), COT_ERR_ARG,
         "the stage or the function that writes is NULL; wants both");
    cot_kernel_free(k);
}
END_TEST

/* The files of COT_DUMP hold what cot_dump_kernel writes, behind a line that names the
 * stage. */
START_TEST(of_dumped_files)
{
    static const struct {
        const char *stage, *file, *head;
    } row[] = {
        { "kernels", "f.00.fuse.txt", "; f: fuse\n" },
        { "plan", "f.01.plan.txt", "; f: plan\n" },
        { "ptx", "f.02.ptx.ptx", "; f: ptx\n" },
    };
    static traced_text want, got;
    char dir[] = "/tmp/cot_dump_XXXXXX", path[64];
    ck_assert_ptr_nonnull(mkdtemp(dir));
    cot_context *c =
        cot_context_new(&(cot_options){ .dump = "fuse,plan,ptx", .dump_dir = dir });
    cot_fn *f = cot_fn_new(c, "f", square, 1, 1, NULL);
    cot_kernel *k;
    ck_assert_msg(cot_compile(f, COT_TYPES(cot_f32(3)),
                              &(cot_compile_options){ .backend = "sim" }, &k) == COT_OK,
                  "%s", cot_error(c));
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, row[i].file);
        FILE *in = fopen(path, "r");
        if (!in && strcmp(row[i].stage, "ptx") == 0)
            break; /* built without LLVM */
        ck_assert_msg(in != NULL, "%s is missing", path);
        got.n = fread(got.text, 1, sizeof got.text - 1, in);
        got.text[got.n] = '\0';
        fclose(in);
        remove(path);
        want.n = 0;
        ck_assert_msg(cot_dump_kernel(k, row[i].stage, traced_write, &want) == COT_OK, "%s",
                      cot_error(c));
        const size_t head = strlen(row[i].head);
        ck_assert_msg(strncmp(got.text, row[i].head, head) == 0, "%s", got.text);
        ck_assert_uint_eq(got.n, head + want.n);
        ck_assert_str_eq(got.text + head, want.text);
    }
    remove(dir);
    cot_kernel_free(k);
    cot_context_free(c);
}
END_TEST

START_TEST(of_calls)
{
    cot_array *x = cot_array_new(ctx, cot_f32()), *y[2] = { NULL, NULL };
    const cot_array *none = NULL;

    *(float *)cot_array_data(x) = 1;
    said(cot_jit(fn(square), y, 1, &none, 1), COT_ERR_ARG,
         "main.c:5: f: cot_jit: an argument is NULL; wants an array");
    said(cot_jit(fn(square), y, 2, (const cot_array *const *)&x, 1), COT_ERR_ARG,
         "main.c:5: f: 2 results are asked for; it has 1");
    said(cot_jit(fn(endless), y, 1, (const cot_array *const *)&x, 1), COT_ERR_BOUND,
         "model.c:1: while: still goes on after 5 steps, its max");
    said(cot_jit(cot_grad(fn(endless)), y, 1, (const cot_array *const *)&x, 1), COT_ERR_BOUND,
         "model.c:1, in grad: while: still goes on after 5 steps, its max");
    cot_array *three = cot_array_new(ctx, cot_f32(3)), *slopes = NULL;
    for (int i = 0; i < 3; i++)
        ((float *)cot_array_data(three))[i] = i == 1; /* one of them goes on */
    said(cot_jit(cot_vmap(cot_grad(fn(endless))), &slopes, 1, (const cot_array *const *)&three,
                 1),
         COT_ERR_BOUND,
         "model.c:1, in grad, in vmap: while: still goes on after 5 steps, its max");
    cot_array_free(three);
    cot_array_free(slopes);
    said(cot_jit(fn(endless_twice), y, 1, (const cot_array *const *)&x, 1), COT_ERR_BOUND,
         "model.c:2: f: a while loop passed its bound; wants a larger `max` in one of: "
         "model.c:2 (9), model.c:3 (5)");
    said(cot_jit(fn(square), y, 1, NULL, 1), COT_ERR_ARG,
         "main.c:5: f: cot_jit: an argument is NULL; wants an array");
    said(cot_jit(fn(square), NULL, 1, (const cot_array *const *)&x, 1), COT_ERR_ARG,
         "main.c:5: f: cot_jit: the list of results is NULL; wants room for them");
    said(cot_jit(NULL, y, 1, (const cot_array *const *)&x, 1), COT_ERR_ARG, "");
    cot_array_free(x);
    cot_array_free(y[0]);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        ONCE(of_options),      ONCE(of_objects), ONCE(of_dumps),
        ONCE(of_dumped_files), ONCE(of_calls),
    };

    return SUITE("messages_run", cases);
}
