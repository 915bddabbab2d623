/* Memory that is written twice: in/out arguments, results over donated arguments, and that a
 * call with the caller's work block allocates nothing.
 *
 * Each program runs by the kernel with its in/out arguments, then without them but with every
 * argument donated and each result in the argument that the plan pairs it with; both must give
 * the reference evaluator's bits. */
#include <stdio.h>
#include <unistd.h>

#include "cotrace/cotrace.h"
#include "ir/array.h"
#include "ir/buf.h"
#include "runtime/build.h"
#include "runtime/compile.h"
#include "runtime/values.h"
#include "tests/unit/suite.h"

/* The linker sends this program's own calls here (--wrap). */
static long allocations;
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);

void *
__wrap_malloc(size_t n)
{
    allocations++;
    return __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
    allocations++;
    return __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
    allocations++;
    return __real_realloc(p, n);
}

void *
__wrap_aligned_alloc(size_t align, size_t n)
{
    allocations++;
    return __real_aligned_alloc(align, n);
}

/* ---- programs ---- */

static const struct {
    const char *name, *text;
    bool copies; /* by the kernel with in/out arguments */
} row[] = {
    { "each element",
      "fn @f(%x: inout f32[67], %y: f32[67]) -> (f32[67]) {\n  %0 = add %x, %y : f32[67]\n  "
      "ret %0\n}",
      false },
    { "unchanged", "fn @f(%x: inout f32[67]) -> (f32[67]) {\n  ret %x\n}", false },
    { "swap",
      "fn @f(%x: inout f32[67], %y: inout f32[67]) -> (f32[67], f32[67]) {\n  ret %y, %x\n}",
      true },
    { "rotate",
      "fn @f(%x: inout f32[67], %y: inout f32[67], %z: inout f32[67]) -> (f32[67], f32[67], "
      "f32[67]) {\n"
      "  ret %y, %z, %x\n}", true },
    { "old value too",
      "fn @f(%x: inout f32[67]) -> (f32[67], f32[67]) {\n  %0 = neg %x : f32[67]\n  ret %x, "
      "%0\n}", true },
    { "new value twice",
      "fn @f(%x: inout f32[67], %y: inout f32[67]) -> (f32[67], f32[67], f32[67]) {\n"
      "  %0 = add %x, %y : f32[67]\n  ret %0, %0, %0\n}", true },
    { "backwards",
      "fn @f(%x: inout f32[67]) -> (f32[67]) {\n  %0 = reverse %x {axes=[0]} : f32[67]\n  ret "
      "%0\n}", true },
    { "read by another result",
      "fn @f(%x: inout f32[67], %y: f32[67]) -> (f32[67], f32[67]) {\n"
      "  %0 = neg %y : f32[67]\n  %1 = mul %x, %y : f32[67]\n  ret %1, %0\n}", false },
    { "stored before read",
      "fn @f(%x: inout f32[67], %y: inout f32[67]) -> (f32[67], f32[67]) {\n"
      "  %0 = sin %y : f32[67]\n  %1 = cos %x : f32[67]\n  ret %0, %1\n}", true },
    { "rows",
      "fn @f(%x: inout f32[5,37]) -> (f32[5,37]) {\n  %0 = reduce_max %x {axes=[1]} : f32[5]\n"
      "  %1 = broadcast_in_dim %0 {shape=[5,37], dims=[0]} : f32[5,37]\n"
      "  %2 = sub %x, %1 : f32[5,37]\n  ret %2\n}", true },
    { "product",
      "fn @f(%x: inout f32[9,9], %y: inout f32[9,9]) -> (f32[9,9], f32[9,9]) {\n"
      "  %0 = dot_general %x, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[9,9]\n"
      "  %1 = add %0, %y : f32[9,9]\n  ret %0, %1\n}", true },
    { "box",
      "fn @f(%x: inout f32[67], %y: f32[3], %i: i32[]) -> (f32[67]) {\n"
      "  %0 = dynamic_update_slice %x, %y, %i : f32[67]\n  ret %0\n}", false },
    { "boxes",
      "fn @f(%x: inout f32[67], %y: f32[3], %i: i32[], %j: i32[]) -> (f32[67]) {\n"
      "  %0 = dynamic_update_slice %x, %y, %i : f32[67]\n"
      "  %1 = dynamic_update_slice %0, %y, %j : f32[67]\n  ret %1\n}", false },
    { "box of itself",
      "fn @f(%x: inout f32[67], %i: i32[]) -> (f32[67]) {\n"
      "  %0 = slice %x {start=[3], limit=[60], stride=[1]} : f32[57]\n  %1 = neg %0 : f32[57]\n"
      "  %2 = dynamic_update_slice %x, %1, %i : f32[67]\n  ret %2\n}", false },
    { "scatter",
      "fn @f(%x: inout f32[67], %at: i32[3,1], %y: f32[3]) -> (f32[67]) {\n"
      "  %0 = scatter_add %x, %at, %y {window_dims=[], inserted=[0], operand_batch=[], "
      "indices_batch=[], "
      "index_map=[0]} : f32[67]\n  ret %0\n}", false },
    { "loop",
      "fn @b(%c: f32[99], %x: f32[99]) -> (f32[99]) {\n  %0 = sin %c : f32[99]\n"
      "  %1 = add %0, %x : f32[99]\n  ret %1\n}\n"
      "fn @f(%c: inout f32[99], %x: f32[9,99]) -> (f32[99]) {\n"
      "  %0 = scan %c, %x {carries=1, length=9, body=@b} : f32[99]\n  ret %0\n}", false },
    { "loop of two",
      "fn @b(%c: f32[99], %d: f32[99], %x: f32[99]) -> (f32[99], f32[99], f32[99]) {\n"
      "  %0 = mul %x, %x : f32[99]\n  %1 = add %c, %x : f32[99]\n  %2 = cos %1 : f32[99]\n  "
      "ret %0, %c, %2\n}\n"
      "fn @f(%c: inout f32[99], %d: inout f32[99], %x: f32[9,99]) -> (f32[9,99], f32[99], "
      "f32[99]) {\n"
      "  %0, %1, %2 = scan %c, %d, %x {carries=2, length=9, body=@b} : (f32[99], f32[99], "
      "f32[9,99])\n"
      "  ret %2, %0, %1\n}", false },
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

/* The same function without in/out arguments. */
static ir_graph *
plain(cot_context *ctx, const char *text)
{
    char *copy = ir_copy_string(&ctx->arena, text), *at;

    while ((at = strstr(copy, "inout ")))
        memmove(at, at + 6, strlen(at + 6) + 1);
    return parsed(ctx, copy);
}

static cot_array *
new_array(cot_context *ctx, const ir_type *t)
{
    cot_array *a = cot_array_new(ctx, ir_type_public(t));

    ck_assert_ptr_nonnull(a);
    return a;
}

static void
same_bits(const ir_graph *f, int i, const void *want, const cot_array *got)
{
    const int64_t at = rt_first_difference(ir_type_at(f, f->out[i]), want, got->data);

    ck_assert_msg(at < 0, "%s: result %d differs at %d", f->name, i, (int)at);
}

/* What the reference evaluator says for the arguments of all runs. */
static void **
evaluate(const ir_graph *f, void **in)
{
    void **out = IR_NEW_N(&f->ctx->arena, void *, f->n_out + 1);

    for (int i = 0; i < f->n_in; i++) {
        const ir_type *t = ir_type_at(f, f->in[i]);
        in[i] = ir_alloc(&f->ctx->arena, rt_bytes(t) + 1);
        rt_random_fill(t, 7 + (uint64_t)i, in[i]);
    }
    for (int i = 0; i < f->n_out; i++)
        out[i] = ir_alloc(&f->ctx->arena, rt_bytes(ir_type_at(f, f->out[i])) + 1);
    ck_assert_int_eq(ir_eval(f, out, (const void *const *)in), COT_OK);
    return out;
}

typedef struct call {
    cot_array *arg[8], *out[8];
} call;

static call
new_call(const cot_kernel *k, void *const *in)
{
    call c = { 0 };

    for (int i = 0; i < k->n_in; i++) {
        c.arg[i] = new_array(k->ctx, k->type[i]);
        memcpy(c.arg[i]->data, in[i], k->bytes[i]);
    }
    for (int i = 0; i < k->n_out; i++)
        c.out[i] = new_array(k->ctx, k->type[k->n_in + i]);
    return c;
}

static void
end_call(call *c)
{
    for (int i = 0; i < 8; i++) {
        cot_array_free(c->arg[i]);
        cot_array_free(c->out[i]);
    }
}

static bool
calls_copy(const cot_kernel *k)
{
    ir_arena scratch;
    ir_buf text;

    ir_arena_init(&scratch, k->ctx);
    ir_buf_init(&text, &scratch);
    ck_assert_int_eq(rt_stage(k->graph, &k->plan, "kernels", &text), COT_OK);
    const bool found = strstr(text.text, " <- ") != NULL;
    ir_arena_free(&scratch);
    return found;
}

static void
in_place(cot_context *ctx, int i, const char *backend)
{
    const ir_graph *f = parsed(ctx, row[i].text), *p = plain(ctx, row[i].text);
    void *in[8], **want = evaluate(p, in), *work;
    cot_kernel *k;
    call c;

    ck_assert_msg(cot_compile_graph(f, &(cot_compile_options){ .backend = backend },
                                    &k) == COT_OK, "%s",
                  cot_error(ctx));
    ck_assert_int_eq(k->n_out + f->n_inout, p->n_out);
    ck_assert_int_eq(cot_graph_n_out(f), k->n_out);
    c = new_call(k, in);
    work = aligned_alloc(64, (cot_kernel_work_bytes(k) + 64) / 64 * 64);
    allocations = 0;
    const cot_status status = cot_run_with(k, work, c.out, (const cot_array *const *)c.arg);
    const long made = allocations;
    ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
    if (cot_kernel_entry(k)) {
        ck_assert_int_eq(made, 0);
        ck_assert_msg(calls_copy(k) == row[i].copies, "copies: %d", !row[i].copies);
    }
    for (int j = 0; j < k->n_out; j++)
        same_bits(p, j, want[j], c.out[j]);
    for (int j = 0; j < f->n_inout; j++) {
        ck_assert(cot_graph_in_is_inout(f, f->inout[j].arg));
        same_bits(p, k->n_out + j, want[k->n_out + j], c.arg[f->inout[j].arg]);
    }
    free(work);
    end_call(&c);
    cot_kernel_free(k);
}

/* apart: the results have memory of their own after all. */
static void
donated(cot_context *ctx, int i, const char *backend, bool apart)
{
    static const int64_t all[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const ir_graph *f = plain(ctx, row[i].text);
    void *in[8], **want = evaluate(f, in);
    cot_kernel *k;
    call c;

    ck_assert_msg(cot_compile_graph(f,
                                    &(cot_compile_options){ .backend = backend,
                                        .donated = { f->n_in, 0, all } },
                                    &k) == COT_OK, "%s", cot_error(ctx));
    c = new_call(k, in);
    for (int j = 0; j < k->n_out; j++)
        if (!apart && k->over[j] >= 0) {
            cot_array_free(c.out[j]);
            c.out[j] = c.arg[k->over[j]];
        }
    /* the second one takes its work block from the slots */
    for (int times = 0; times < 2; times++) {
        for (int j = 0; j < k->n_in; j++)
            memcpy(c.arg[j]->data, in[j], k->bytes[j]);
        allocations = 0;
        const cot_status status = cot_run(k, c.out, (const cot_array *const *)c.arg);
        const long made = allocations;
        ck_assert_msg(status == COT_OK, "%s", cot_error(ctx));
        ck_assert(times == 0 || !cot_kernel_entry(k) || made == 0);
        for (int j = 0; j < k->n_out; j++)
            same_bits(f, j, want[j], c.out[j]);
    }
    for (int j = 0; j < k->n_out; j++)
        if (!apart && k->over[j] >= 0)
            c.out[j] = NULL;
    end_call(&c);
    cot_kernel_free(k);
}

START_TEST(programs)
{
    cot_context *ctx = cot_context_new(NULL);
    bool done = false;

    IR_TRY(ctx) {
        static const char *const backend[] = { NULL, "eval" };

        for (int b = 0; b < 2; b++) {
            in_place(ctx, _i, backend[b]);
            donated(ctx, _i, backend[b], false);
            donated(ctx, _i, backend[b], true);
        }
        done = true;
    }
    ck_assert_msg(done, "%s: out of memory", row[_i].name);
    cot_context_free(ctx);
}
END_TEST

/* ---- mistakes ---- */

static void
compile_fails(cot_context *ctx, cot_list donate, const char *want)
{
    const ir_graph *f = parsed(ctx, row[0].text);
    cot_kernel *k;

    ck_assert_int_eq(cot_compile_graph(f, &(cot_compile_options){ .donated = donate }, &k),
                     COT_ERR_ARG);
    ck_assert_str_eq(cot_error(ctx), want);
    cot_error_clear(ctx);
}

START_TEST(mistakes)
{
    cot_context *ctx = cot_context_new(NULL);
    const ir_graph *f = plain(ctx, row[0].text);
    float memory[67 * 2] = { 0 };
    cot_array *x = cot_array_borrow(ctx, cot_f32(67), memory),
              *y = cot_array_borrow(ctx, cot_f32(67), memory + 67),
              *shifted = cot_array_borrow(ctx, cot_f32(67), memory + 1);
    cot_kernel *k;

    compile_fails(ctx, COT_LIST(2),
                  "f: donated names argument 2; wants different numbers below 2");
    compile_fails(ctx, COT_LIST(1, 1),
                  "f: donated names argument 1 twice; wants different numbers below 2");
    compile_fails(ctx, COT_LIST(0),
                  "f: donated names argument 0, which is in/out; wants one that is only read");
    compile_fails(ctx, COT_NAMES("x"),
                  "donated is a list of names; wants the numbers of arguments");
    ck_assert_int_eq(cot_compile_graph(f, &(cot_compile_options){ .donated = COT_LIST(1) }, &k),
                     COT_OK);
    ck_assert_int_eq(cot_run(k, &y, (const cot_array *[]){ x, y }), COT_OK);
    cot_array *const wrong[] = { x, shifted };
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(cot_run(k, &wrong[i], (const cot_array *[]){ x, y }), COT_ERR_ARG);
        ck_assert_str_eq(cot_error(ctx),
                         "f: a result overlaps an argument or another result; wants memory of "
                                         "its own");
        cot_error_clear(ctx);
    }
    cot_array_free(x);
    cot_array_free(y);
    cot_array_free(shifted);
    cot_kernel_free(k);
    cot_context_free(ctx);
}
END_TEST

/* ---- objects ---- */

/* A C program that calls the object as its header says. */
static const char user_text[] =
    "#include <stdlib.h>\n#include \"step.h\"\n"
    "int main(void)\n{\n"
    "    float x[4] = { 1, 2, 3, 4 }, g[4] = { 10, 20, 30, 40 };\n"
    "    void *work = aligned_alloc(64, (STEP_WORK_BYTES + 64) / 64 * 64);\n"
    "    int bad = step(x, g, g, work);\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        bad |= x[i] != (float)(11 * (i + 1)) || g[i] != (float)(20 * (i + 1));\n"
    "    free(work);\n    return bad;\n}\n";

static const char step_text[] =
    "fn @step(%x: inout f32[4], %g: f32[4]) -> (twice: f32[4], f32[4]) {\n"
    "  %0 = add %x, %g : f32[4]\n  %1 = add %g, %g : f32[4]\n  ret %1, %0\n}";

static bool
has_line(const char *path, const char *want)
{
    char line[512];
    FILE *file = fopen(path, "r");
    bool found = false;

    ck_assert_ptr_nonnull(file);
    while (!found && fgets(line, sizeof line, file))
        found = strcmp(line, want) == 0;
    fclose(file);
    return found;
}

START_TEST(objects)
{
    char folder[] = "/tmp/check_inplace_XXXXXX", line[512];
    cot_context *ctx = cot_context_new(NULL);
    const cot_compile_options o = { .donated = COT_LIST(1) };

    ck_assert_ptr_nonnull(mkdtemp(folder));
    const rt_export e = { .graph = parsed(ctx, step_text), .name = "step" };
    const char *header = ir_format(&ctx->arena, "%s/step.h", folder);
    ck_assert_msg(rt_build(ctx, 1, &e, &o, ir_format(&ctx->arena, "%s/step.o", folder),
                           header) == COT_OK,
                  "%s", cot_error(ctx));
    ck_assert(has_line(header,
                       "/* step(x: inout f32[4], g: donated f32[4]) -> (twice: f32[4])\n"));
    ck_assert(has_line(header, "int step(float *x, float *g, float *twice, void *work);\n"));
    ck_assert(has_line(header,
                       " * An argument marked inout is updated: it holds its new value after "
                       "the call.\n"));
    FILE *file = fopen(ir_format(&ctx->arena, "%s/user.c", folder), "w");
    ck_assert(file && fputs(user_text, file) >= 0 && fclose(file) == 0);
    snprintf(line, sizeof line,
             "cd %s && cc -std=c11 -Wall -Wextra -Werror user.c step.o -o user && ./user",
             folder);
    ck_assert_int_eq(system(line), 0);
    snprintf(line, sizeof line, "rm -rf %s", folder);
    ck_assert_int_eq(system(line), 0);
    cot_context_free(ctx);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(programs, ROWS),
        ONCE(mistakes),
        ONCE(objects),
    };

    return SUITE("inplace", cases);
}
