/* Sub-functions within each other: as deep as the limit on a small stack, and one level more is
 * an error.
 *
 * Passes, lowering and compilation recurse once for each level of sub-functions, so that all of
 * them run on a thread whose stack is the smallest that is supported.  A chain of calls
 * has no limit: it is inlined without recursion. */
#include <pthread.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/suite.h"

/* The address sanitizer pads frames. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL_STACK = 1 << 20 };
#else
enum { SMALL_STACK = 256 << 10 };
#endif
enum { CHAIN = 10000, HOSTILE = 100000 };

/* f0, then n functions that hold the one before in a node. */
static void
nest(ir_buf *b, int n, const char *node)
{
    ir_buf_str(b, "fn @less(%x: f32[4]) -> (bool[]) {\n %s = reduce_sum %x {axes=[0]} : f32[]\n"
                  " %k = constant {data=9} : f32[]\n %0 = lt %s, %k : bool[]\n ret %0\n}\n"
                  "fn @f0(%x: f32[4]) -> (f32[4]) {\n %0 = sin %x : f32[4]\n ret %0\n}\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            "fn @f%d(%%x: f32[4]) -> (f32[4]) {\n %%p = call %%x {body=@less} : bool[]\n"
            " %%0 = %s@f%d%s} : f32[4]\n %%1 = mul %%0, %%x : f32[4]\n ret %%1\n}\n",
            i, node, i - 1, strstr(node, "branches") ? ", @f0]" : "");
    ir_buf_printf(b,
                  "fn @top(%%x: f32[4]) -> (f32[]) {\n %%0 = call %%x {body=@f%d} : f32[4]\n"
                  " %%s = reduce_sum %%0 {axes=[0]} : f32[]\n ret %%s\n}\n",
                  n);
}

static const char cond[] = "cond %p, %x {branches=[",
                  call[] = "call %x {body=", scan[] = "scan %x {carries=1, length=1, body=",
                  twice[] = "scan %x {carries=1, length=2, body=",
                  loop[] = "while %x {max=3, cond=@less, body=",
                  remat[] = "call %x {remat=1, body=";

typedef struct row {
    const char *node, *pipeline;
    int depth;
    bool compile;
} row;

typedef struct outcome {
    cot_status status;
    char error[300];
} outcome;

typedef struct job {
    row row;
    outcome out;
} job;

static cot_status
all_the_way(cot_context *c, const ir_graph *f, const row *j, ir_arena *a)
{
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    cg_module *lowered;
    cot_kernel *k = NULL;
    ir_graph *g = (ir_graph *)f;
    ir_buf text;

    if (*j->pipeline)
        COT_TRY(pass_pipeline(f, j->pipeline, NULL, NULL, &g));
    ir_buf_init(&text, a);
    ir_print(&text, g, 0);
    COT_TRY(ir_verify(c, g, "the pipeline"));
    if (j->compile)
        COT_TRY(cot_compile_graph(g, NULL, &k));
    cot_kernel_free(k);
    COT_TRY(pass_prepare(g, &g));
    return cg_lower(g, &o, a, &lowered);
}

static void *
run_job(void *arg)
{
    job *j = arg;
    cot_context *c = cot_context_new(&(cot_options){ .verify = 1 });
    ir_module m;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, c);
    ir_buf_init(&b, &a);
    nest(&b, j->row.depth, j->row.node);
    j->out.status = ir_parse(c, "nest", b.text, b.n, &m);
    if (j->out.status == COT_OK)
        j->out.status = all_the_way(c, m.fn[m.n - 1], &j->row, &a);
    if (j->out.status != COT_OK)
        snprintf(j->out.error, sizeof j->out.error, "%s", cot_error(c));
    ir_arena_free(&a);
    cot_context_free(c);
    return NULL;
}

static void
on_small_stack(void *body(void *), void *arg)
{
    pthread_attr_t a;
    pthread_t thread;

    ck_assert_int_eq(pthread_attr_init(&a), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&a, SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &a, body, arg), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&a);
}

static const char mapped[] = "vmap(in=[0], out=0, size=2)";
static const row within[] = {
    { cond, "", IR_MAX_NEST, true },      { scan, "", IR_MAX_NEST, true },
    { loop, "", IR_MAX_NEST, true },      { remat, "", IR_MAX_NEST, true },
    { scan, "jvp", IR_MAX_NEST, true },   { loop, "jvp", IR_MAX_NEST, true },
    { remat, "jvp", IR_MAX_NEST, true },  { scan, "grad", IR_MAX_NEST - 4, true },
    { scan, mapped, IR_MAX_NEST, true },  { loop, mapped, IR_MAX_NEST, true },
    { remat, mapped, IR_MAX_NEST, true }, { call, "", CHAIN, false },
    { call, "jvp", CHAIN, false },        { call, "grad", CHAIN, false },
    { call, mapped, CHAIN, false },       { call, "grad", 500, true },
    { twice, "", IR_MAX_NEST, true },     { twice, "grad", 40, true },
};
enum { WITHIN = sizeof within / sizeof within[0] };

START_TEST(a_small_stack_holds_the_deepest_nest)
{
    job j = { .row = within[_i] };

    on_small_stack(run_job, &j);
    ck_assert_msg(j.out.status == COT_OK, "%s%s: %s", j.row.node, j.row.pipeline, j.out.error);
}
END_TEST

/* Passes meet calls as deep as sub-functions may nest; longer chains of calls are inlined
 * before. */
START_TEST(a_pass_meets_calls_to_the_limit)
{
    const int levels = IR_MAX_NEST + _i;
    ir_module m;
    ir_graph *g;
    ir_buf b;

    ir_buf_init(&b, &ctx->arena);
    nest(&b, levels - 1, call);
    ck_assert_int_eq(ir_parse(ctx, "nest", b.text, b.n, &m), COT_OK);
    ck_assert_int_eq(m.fn[m.n - 1]->chain, levels);
    ck_assert_int_eq(pass_pipeline(m.fn[m.n - 1], "dce", NULL, NULL, &g), COT_OK);
    ck_assert_int_eq(g->chain, levels > IR_MAX_NEST ? 0 : levels);
}
END_TEST

START_TEST(one_level_more_is_an_error)
{
    const char *const node[] = { cond, scan, loop, remat };
    const char *const name[] = { "cond", "scan", "while", "call" };
    job j = { .row = { node[_i], "", _i % 2 ? CHAIN : IR_MAX_NEST + 1, false } };
    char want[100];

    /* two functions of 6 lines, and 6 for each level: the node is the third of them */
    snprintf(want, sizeof want, "nest:%d: %s: sub-functions nest 65 deep; at most 64",
             10 + 6 * IR_MAX_NEST + 3, name[_i]);
    on_small_stack(run_job, &j);
    ck_assert_int_eq(j.out.status, COT_ERR_LIMIT);
    ck_assert_str_eq(j.out.error, want);
}
END_TEST

/* Text that goes deeper and deeper, and ends there or comes back. */
typedef struct hostile {
    const char *before, *open, *inside, *close, *error;
    bool cot;
} hostile;

typedef struct reading {
    hostile text;
    outcome out;
} reading;

#define FUNC "func.func @main(%x: tensor<3xf32>, %p: tensor<i1>) -> tensor<3xf32> {\n"

static const hostile hostiles[] = {
    { FUNC, "%0 = \"stablehlo.if\"(%p) ({\n", "", "", "within each other", false },
    { FUNC, "%0 = stablehlo.while(%a = %x) : tensor<3xf32> cond {\n", "", "",
      "within each other", false },
    { "", "module {\n", "", "}", "within each other", false },
    { FUNC "%0 = stablehlo.abs %x {a = ", "[", "1", "]", "within each other", false },
    { FUNC "%0 = stablehlo.abs %x {", "a = {", "b = 1", "}", "within each other", false },
    { FUNC "%0 = stablehlo.constant dense<", "[", "1", "]", "", false },
    { FUNC "%0 = stablehlo.abs %x : ", "tuple<", "tensor<3xf32>", ">", "within each other",
      false },
    { FUNC "%0 = stablehlo.abs %x : tensor<3x", "complex<", "f32", ">", "within each other",
      false },
    { FUNC "%0 = stablehlo.abs %x : tensor<3xf32> loc", "(", "\"a\"", ")", "", false },
    { FUNC "%0 = stablehlo.abs %x {a = #d.x", "<", "1", ">", "", false },
    { "#a = loc(", "callsite(", "\"a\"", " at \"b\")", "", false },
    { "fn @f(%x: f32[2]) -> (f32[2]) {\n %0 = constant {data=", "[", "1", "]", "", true },
    { "fn @f(%x: f32[2]) -> (f32[2]) {\n %0 = reduce_sum %x {axes=", "[", "1", "]", "", true },
    { "fn @f(%x: ", "(", "f32[2]", ")", "", true },
};
enum { HOSTILES = sizeof hostiles / sizeof hostiles[0] };

static void *
read_hostile(void *arg)
{
    reading *r = arg;
    const hostile *h = &r->text;
    cot_context *c = cot_context_new(NULL);
    const cot_graph *g;
    ir_module m;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, c);
    ir_buf_init(&b, &a);
    ir_buf_str(&b, h->before);
    for (int i = 0; i < HOSTILE; i++)
        ir_buf_str(&b, h->open);
    ir_buf_str(&b, h->inside);
    for (int i = 0; i < HOSTILE; i++)
        ir_buf_str(&b, h->close);
    r->out.status = h->cot ? ir_parse(c, "h.cot", b.text, b.n, &m)
                           : cot_import_stablehlo(c, "h.mlir", b.text, b.n, NULL, &g);
    snprintf(r->out.error, sizeof r->out.error, "%s", cot_error(c));
    ir_arena_free(&a);
    cot_context_free(c);
    return NULL;
}

START_TEST(hostile_text_is_an_error)
{
    const hostile h = hostiles[_i];
    reading r = { .text = h };

    on_small_stack(read_hostile, &r);
    ck_assert_int_ne(r.out.status, COT_OK);
    ck_assert_msg(strncmp(r.out.error, h.cot ? "h.cot:" : "h.mlir:", 6) == 0 &&
                      strstr(r.out.error, h.error),
                  "%s%s: %s", h.before, h.open, r.out.error);
}
END_TEST

/* Ifs within each other, or functions that call the one before. */
static void
write_module(ir_buf *b, int n, bool calls)
{
    ir_buf_str(
        b,
        "func.func @f0(%x: tensor<3xf32>) -> tensor<3xf32> {\nreturn %x : tensor<3xf32>\n}\n");
    for (int i = 1; calls && i <= n; i++)
        ir_buf_printf(
            b,
            "func.func @f%d(%%x: tensor<3xf32>) -> tensor<3xf32> {\n%%0 = func.call "
            "@f%d(%%x) : (tensor<3xf32>) -> tensor<3xf32>\nreturn %%0 : tensor<3xf32>\n}\n",
            i, i - 1);
    ir_buf_str(b, FUNC);
    if (calls)
        ir_buf_printf(b, "%%r = func.call @f%d(%%x) : (tensor<3xf32>) -> tensor<3xf32>\n", n);
    for (int i = 0; !calls && i < n; i++)
        ir_buf_str(b, "%r = \"stablehlo.if\"(%p) ({\n");
    for (int i = 0; !calls && i < n; i++)
        ir_buf_printf(b,
                      "stablehlo.return %%%s : tensor<3xf32>\n}, {\nstablehlo.return %%x : "
                      "tensor<3xf32>\n}) : (tensor<i1>) -> tensor<3xf32>\n",
                      i ? "r" : "x");
    ir_buf_str(b, "return %r : tensor<3xf32>\n}\n");
}

typedef struct import {
    int n;
    bool calls;
    outcome out;
} import;

static void *
read_module(void *arg)
{
    import *x = arg;
    cot_context *c = cot_context_new(NULL);
    const cot_graph *g;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, c);
    ir_buf_init(&b, &a);
    write_module(&b, x->n, x->calls);
    x->out.status = cot_import_stablehlo(c, "m.mlir", b.text, b.n, NULL, &g);
    snprintf(x->out.error, sizeof x->out.error, "%s", cot_error(c));
    ir_arena_free(&a);
    cot_context_free(c);
    return NULL;
}

START_TEST(imported_regions_have_the_same_limit)
{
    static const struct {
        int n;
        bool calls;
        const char *error;
    } row[] = {
        { IR_MAX_NEST, false, "" },
        { IR_MAX_NEST + 1, false, "m.mlir:5: cond: sub-functions nest 65 deep; at most 64" },
        { 110, false, "sub-functions nest 65 deep" },
        { 190, true, "" },
        { CHAIN, true, "calls are too deep" },
    };
import x = {.n = row[_i].n, .calls = row[_i].calls };

    on_small_stack(read_module, &x);
    ck_assert_msg((x.out.status == COT_OK) == !*row[_i].error &&
                      strstr(x.out.error, row[_i].error),
                  "%d: %s", x.n, x.out.error);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(a_small_stack_holds_the_deepest_nest, WITHIN),
        EACH(a_pass_meets_calls_to_the_limit, 2),
        EACH(one_level_more_is_an_error, 4),
        EACH(hostile_text_is_an_error, HOSTILES),
        EACH(imported_regions_have_the_same_limit, 5),
    };
    return SUITE("nesting", cases);
}
