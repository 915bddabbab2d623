/* Memory and stack grow no faster than the program.
 *
 * Each family of programs is written down with n parts and with 2 n, goes through its pipeline,
 * the passes before kernels, and lowering.  The context's allocator counts: what was alive at
 * the most, and what was asked for in all, which stands for the work.  Twice the program may
 * take 2.1 times either, which a quadratic part of a tenth would fail.  Then the same on a
 * thread with a small stack. */
#include <pthread.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/pass.h"
#include "tests/unit/meter.h"
#include "tests/unit/suite.h"

typedef void write_program(ir_buf *b, int n);

static void
chain(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[8], %y: f32[8]) -> (f32[]) {\n %v0 = add %x, %y : f32[8]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = %s %%v%d, %%y : f32[8]\n", i, i % 2 ? "mul" : "add", i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

static void
wide(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[8]) -> (f32[]) {\n %t0 = reduce_sum %x {axes=[0]} : f32[]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            " %%c%d = constant {data=%d.5} : f32[8]\n %%m%d = mul %%x, %%c%d : f32[8]\n"
            " %%r%d = reduce_sum %%m%d {axes=[0]} : f32[]\n %%t%d = add %%t%d, %%r%d : f32[]\n",
            i, i, i, i, i, i, i, i - 1, i);
    ir_buf_printf(b, " ret %%t%d\n}\n", n);
}

/* Sums of neighbours, of those, and so on: a kernel of all would be as large as the program. */
static void
balanced(ir_buf *b, int n)
{
    int made = 0, from = 0, end;

    ir_buf_str(b, "fn @f(%x: f32[8], %y: f32[8]) -> (f32[]) {\n");
    for (; made < n; made++)
        ir_buf_printf(
            b, " %%c%d = constant {data=%d.25} : f32[8]\n %%v%d = mul %%x, %%c%d : f32[8]\n",
            made, made, made, made);
    for (end = made; end - from > 1; from += 2, made++, end++)
        ir_buf_printf(b, " %%v%d = add %%v%d, %%v%d : f32[8]\n", made, from, from + 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", made - 1);
}

static void
mlp(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[16,24], %w: f32[24,24], %c: f32[24]) -> (f32[]) {\n %z = "
                  "constant {data=0} : f32[16,24]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            " %%a%d = dot_general %%v%d, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
            "f32[16,24]\n"
            " %%b%d = broadcast_in_dim %%c {shape=[16,24], dims=[1]} : f32[16,24]\n"
            " %%d%d = add %%a%d, %%b%d : f32[16,24]\n %%v%d = max %%d%d, %%z : f32[16,24]\n",
            i, i - 1, i, i, i, i, i, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0,1]} : f32[]\n ret %%s\n}\n", n);
}

static void
residual(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[16,24], %w: f32[24,24]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            " %%a%d = dot_general %%v%d, %%w {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : "
            "f32[16,24]\n"
            " %%d%d = tanh %%a%d : f32[16,24]\n %%v%d = add %%v%d, %%d%d : f32[16,24]\n",
            i, i - 1, i, i, i, i - 1, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0,1]} : f32[]\n ret %%s\n}\n", n);
}

static void
rows(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[40]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%a%d = reduce_sum %%v%d {axes=[0]} : f32[]\n %%b%d = broadcast_in_dim "
                      "%%a%d {shape=[40], dims=[]} : f32[40]\n"
                      " %%v%d = sub %%v%d, %%b%d : f32[40]\n",
                      i, i - 1, i, i, i, i - 1, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

static void
updates(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%v0: f32[100]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      " %%i%d = constant {data=%d} : i32[]\n %%p%d = dynamic_slice %%v%d, "
                      "%%i%d {sizes=[1]} : f32[1]\n"
                      " %%q%d = sin %%p%d : f32[1]\n %%j%d = constant {data=%d} : i32[]\n"
                      " %%v%d = dynamic_update_slice %%v%d, %%q%d, %%j%d : f32[100]\n",
                      i, i % 100, i, i - 1, i, i, i, i, (i * 3 + 1) % 100, i, i - 1, i, i);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

/* n pairs of ops that only move elements, from a value of f32[2,4] to another. */
static void
moves(ir_buf *b, const char *from, const char *to, int n, const char *view)
{
    ir_buf_printf(b,
                  " %%%s0 = %sreshape %%%s {shape=[4,2]} : f32[4,2]\n %%%sa0 = %stranspose "
                  "%%%s0 {perm=[1,0]} : f32[2,4]\n",
                  to, view, from, to, view, to);
    for (int i = 1; i < n; i++)
        ir_buf_printf(b,
                      " %%%s%d = %sreshape %%%sa%d {shape=[4,2]} : f32[4,2]\n %%%sa%d = "
                      "%stranspose %%%s%d {perm=[1,0]} : f32[2,4]\n",
                      to, i, view, to, i - 1, to, i, view, to, i);
}

/* What the way back needs of %y is made again; the product is fused with the sum through
 * moves. */
static void
moved(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f(%x: f32[2,4], %y: f32[2,4]) -> (f32[]) {\n");
    moves(b, "y", "m", n, "");
    ir_buf_printf(b, " %%p = mul %%x, %%ma%d : f32[2,4]\n", n - 1);
    moves(b, "p", "q", n, "");
    ir_buf_printf(b,
                  " %%z = add %%x, %%qa%d : f32[2,4]\n %%s = reduce_sum %%z {axes=[0,1]} : "
                  "f32[]\n ret %%s\n}\n",
                  n - 1);
}

/* A body whose values are all the same in every step: sums of a value with itself, which are as
 * many paths as there can be. */
static void
same_steps(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @step(%k: f32[8], %c: f32[8]) -> (f32[8]) {\n %v0 = sin %k : f32[8]\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = add %%v%d, %%v%d : f32[8]\n", i, i - 1, i - 1);
    ir_buf_printf(
        b,
        " %%y = mul %%v%d, %%c : f32[8]\n ret %%y\n}\n"
        "fn @f(%%k: f32[8], %%c: f32[8]) -> (f32[]) {\n %%0 = scan %%k, %%c {consts=1, "
        "carries=1, length=3, body=@step} : f32[8]\n"
        " %%s = reduce_sum %%0 {axes=[0]} : f32[]\n ret %%s\n}\n",
        n);
}

/* A write through as many views. */
static void
views(ir_buf *b, int n)
{
    ir_buf_str(b,
               "fn @f(%x: f32[2,4], %y: f32[2,4]) -> (f32[]) {\n %c = clone %x : f32[2,4]\n");
    moves(b, "c", "m", n, "view_");
    ir_buf_printf(b,
                  " %%w = assign %%ma%d, %%y : f32[2,4]\n %%z = sin %%ma%d : f32[2,4]\n"
                  " %%s = reduce_sum %%z {axes=[0,1]} : f32[]\n ret %%s\n}\n",
                  n - 1, n - 1);
}

static const char leaf[] =
    "fn @g(%x: f32[8]) -> (f32[8]) {\n %0 = sin %x : f32[8]\n ret %0\n}\n"
    "fn @h(%x: f32[8]) -> (f32[8]) {\n %0 = cos %x : f32[8]\n ret %0\n}\n";

static void
calls(ir_buf *b, int n)
{
    ir_buf_printf(b, "%sfn @f(%%v0: f32[8]) -> (f32[]) {\n", leaf);
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = call %%v%d {body=@g} : f32[8]\n", i, i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

static void
nested_calls(ir_buf *b, int n)
{
    ir_buf_str(b, "fn @f0(%x: f32[8]) -> (f32[8]) {\n %0 = sin %x : f32[8]\n ret %0\n}\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      "fn @f%d(%%x: f32[8]) -> (f32[8]) {\n %%0 = call %%x {body=@f%d} : "
                      "f32[8]\n %%1 = add %%0, %%x : f32[8]\n ret %%1\n}\n",
                      i, i - 1);
}

/* Of some 60 ops, so that it stays a function. */
static void
write_large(ir_buf *b, const char *name)
{
    ir_buf_printf(b, "fn @%s(%%v0: f32[8]) -> (f32[8]) {\n", name);
    for (int i = 1; i <= 60; i++)
        ir_buf_printf(b, " %%v%d = %s %%v%d : f32[8]\n", i, i % 2 ? "sin" : "tanh", i - 1);
    ir_buf_str(b, " ret %v60\n}\n");
}

static void
large_calls(ir_buf *b, int n)
{
    write_large(b, "g");
    ir_buf_str(b, "fn @f(%v0: f32[8]) -> (f32[]) {\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = call %%v%d {body=@g} : f32[8]\n", i, i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

/* Each function is called twice by the next one: 2^n calls of the first. */
static void
doubled_calls(ir_buf *b, int n)
{
    write_large(b, "f0");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(
            b,
            "fn @f%d(%%x: f32[8]) -> (f32[8]) {\n %%0 = call %%x {body=@f%d} : f32[8]\n"
            " %%1 = call %%0 {body=@f%d} : f32[8]\n ret %%1\n}\n",
            i, i - 1, i - 1);
}

static void
conds(ir_buf *b, int n)
{
    ir_buf_printf(b, "%sfn @f(%%v0: f32[8], %%p: bool[]) -> (f32[]) {\n", leaf);
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b, " %%v%d = cond %%p, %%v%d {branches=[@g, @h]} : f32[8]\n", i, i - 1);
    ir_buf_printf(b, " %%s = reduce_sum %%v%d {axes=[0]} : f32[]\n ret %%s\n}\n", n);
}

static void
nested_conds(ir_buf *b, int n)
{
    ir_buf_str(
        b, "fn @f0(%x: f32[8], %p: bool[]) -> (f32[8]) {\n %0 = sin %x : f32[8]\n ret %0\n}\n");
    for (int i = 1; i <= n; i++)
        ir_buf_printf(b,
                      "fn @f%d(%%x: f32[8], %%p: bool[]) -> (f32[8]) {\n %%0 = cond %%p, %%x, "
                      "%%p {branches=[@f%d, @f%d]} : f32[8]\n ret %%0\n}\n",
                      i, i - 1, i - 1);
}

static void
branches(ir_buf *b, int n)
{
    for (int i = 0; i < n; i++)
        ir_buf_printf(b,
                      "fn @b%d(%%x: f32[8]) -> (f32[8]) {\n %%c = constant {data=%d.5} : "
                      "f32[8]\n %%0 = mul %%x, %%c : f32[8]\n ret %%0\n}\n",
                      i, i);
    ir_buf_str(b, "fn @f(%i: i32[], %x: f32[8]) -> (f32[8]) {\n %0 = cond %i, %x {branches=[");
    for (int i = 0; i < n; i++)
        ir_buf_printf(b, "%s@b%d", i ? ", " : "", i);
    ir_buf_str(b, "]} : f32[8]\n ret %0\n}\n");
}

static const struct family {
    const char *name;
    write_program *write;
    const char *pipeline;
    int n;
} families[] = {
    { "chain", chain, "", 20000 },
    { "chain's gradient", chain, "grad", 4000 },
    { "wide", wide, "", 2000 },
    { "wide's gradient", wide, "grad", 2000 },
    { "balanced", balanced, "", 8192 },
    { "mlp", mlp, "", 2000 },
    { "mlp's gradient", mlp, "grad", 500 },
    { "residual", residual, "", 2000 },
    { "residual's gradient", residual, "grad", 500 },
    { "rows", rows, "", 2000 },
    { "rows' gradient", rows, "grad", 500 },
    { "updates", updates, "", 1000 },
    { "updates' gradient", updates, "grad", 500 },
    { "calls", calls, "", 4000 },
    { "calls' gradient", calls, "grad", 2000 },
    { "nested calls", nested_calls, "", 400 },
    { "large calls", large_calls, "", 2000 },
    { "large calls' gradient", large_calls, "grad", 500 },
    { "large calls, mapped", large_calls, "vmap(in=0, out=0, size=3)", 2000 },
    { "doubled calls", doubled_calls, "", 24 },
    { "conds", conds, "", 1000 },
    { "conds' gradient", conds, "grad", 500 },
    { "nested conds", nested_conds, "", IR_MAX_NEST / 2 },
    { "branches", branches, "", 1000 },
};
enum { FAMILIES = sizeof families / sizeof families[0] };

/* The last function of the text, all the way to kernels: its status. */
static cot_status
lower_text(cot_context *c, const char *text, size_t bytes, const char *pipeline)
{
    cg_target target = { .vector_bits = 256 };
    cg_lower_options o = { .target = &target, .threads = 1, .fuse = true };
    ir_module m;
    ir_graph *f;
    cg_module *lowered;
    ir_arena a;
    cot_status s = ir_parse(c, "growth", text, bytes, &m);

    if (s != COT_OK)
        return s;
    f = m.fn[m.n - 1];
    if (*pipeline && (s = pass_pipeline(f, pipeline, NULL, NULL, &f)) != COT_OK)
        return s;
    if ((s = pass_prepare(f, &f)) != COT_OK)
        return s;
    ir_arena_init(&a, c);
    s = cg_lower(f, &o, &a, &lowered);
    ir_arena_free(&a);
    return s;
}

static meter
measured(const struct family *x, int n)
{
    meter m = { 0 }, text = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    cot_context *t = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &text });
    ir_buf b;
    ir_arena a;

    ir_arena_init(&a, t);
    ir_buf_init(&b, &a);
    x->write(&b, n);
    ck_assert_msg(lower_text(c, b.text, b.n, x->pipeline) == COT_OK, "%s: %s", x->name,
                  cot_error(c));
    ir_arena_free(&a);
    cot_context_free(t);
    cot_context_free(c);
    ck_assert_uint_eq(m.live, 0);
    return m;
}

START_TEST(memory_grows_no_faster_than_the_program)
{
    const struct family *x = &families[_i];
    const meter once = measured(x, x->n), twice = measured(x, 2 * x->n);

    ck_assert_msg((double)twice.most <= 2.1 * (double)once.most,
                  "%s: %d take %zu bytes, %d take %zu", x->name, x->n, once.most, 2 * x->n,
                  twice.most);
    ck_assert_msg((double)twice.all <= 2.1 * (double)once.all,
                  "%s: %d ask for %zu bytes, %d for %zu", x->name, x->n, once.all, 2 * x->n,
                  twice.all);
}
END_TEST

static size_t
bytes_for_inputs(int n)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    ir_build *b = ir_build_new(c, "f");
    char last[20];

    for (int i = 0; i < n; i++)
        ir_input(b, ir_scalar_type(c, COT_F32), "x");
    snprintf(last, sizeof last, "x_%d", n - 1);
    ck_assert_str_eq(b->in_name[0], "x");
    ck_assert_str_eq(b->in_name[n - 1], last);
    const size_t bytes = m.all;
    cot_context_free(c);
    return bytes;
}

/* Each tries the numbers after the one that was given last. */
START_TEST(inputs_of_one_name_are_numbered_at_once)
{
    ck_assert_double_le((double)bytes_for_inputs(8000), 2.2 * (double)bytes_for_inputs(4000));
}
END_TEST

typedef struct failing {
    cot_context *c;
    cot_value kept;
    bool nested;
} failing;

static void
fails(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    failing *f = user;

    (void)t;
    f->kept = cot_sin(in[0]);
    out[0] = cot_reshape(cot_add(in[0], cot_sin(in[0])), 3);
}

static void
fails_inside(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = cot_cond(cot_lt(cot_reduce_sum(in[0]), 1), fails, fails, .in = COT_VALUES(in[0]),
                      .user = user);
}

/* Whatever was made for a trace that fails is there for the next one. */
START_TEST(failed_traces_leave_nothing)
{
    meter m = { 0 };
    cot_context *c = cot_context_new(&(cot_options){ .alloc = metered, .alloc_user = &m });
    failing user = { .c = c };
    cot_fn *f = cot_fn_new(c, "fails", _i ? fails_inside : fails, 1, 1, &user);
    size_t before = 0;

    for (int i = 0; i < 100000; i++) {
        const cot_graph *g = NULL;

        ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(8)), &g), COT_ERR_SHAPE);
        cot_error_clear(c);
        before = i == 100 ? m.live : before;
    }
    ck_assert_uint_eq(m.live, before);
    cot_context_free(c);
}
END_TEST

typedef struct small_stack {
    const char *text;
    size_t bytes;
    const char *pipeline;
    cot_status status;
} small_stack;

static void *
prepare_it(void *arg)
{
    small_stack *s = arg;
    cot_context *c = cot_context_new(NULL);
    ir_module m;
    ir_graph *f;

    s->status = ir_parse(c, "growth", s->text, s->bytes, &m);
    if (s->status == COT_OK)
        s->status = pass_pipeline(m.fn[m.n - 1], s->pipeline, NULL, NULL, &f);
    if (s->status == COT_OK)
        s->status = pass_prepare(f, &f);
    cot_context_free(c);
    return NULL;
}

static void *
lower_it(void *arg)
{
    small_stack *s = arg;
    cot_context *c = cot_context_new(NULL);

    s->status = lower_text(c, s->text, s->bytes, s->pipeline);
    cot_context_free(c);
    return NULL;
}

/* The address sanitizer pads frames. */
#if defined(__SANITIZE_ADDRESS__)
enum { SMALL_STACK = 1 << 20 };
#else
enum { SMALL_STACK = 256 << 10 };
#endif

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

START_TEST(stack_does_not_grow_with_the_program)
{
    static const struct {
        write_program *write;
        const char *pipeline;
        int n;
    } row[] = {
        { chain, "", 100000 },   { chain, "grad", 20000 }, { wide, "grad", 4000 },
        { balanced, "", 16384 }, { mlp, "grad", 1000 },    { rows, "", 2000 },
        { updates, "", 2000 },   { calls, "grad", 4000 },  { branches, "", 2000 },
    };
    ir_buf b;
    ir_arena a;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    row[_i].write(&b, row[_i].n);
    small_stack s = { b.text, b.n, row[_i].pipeline, COT_ERR_INTERNAL };
    on_small_stack(lower_it, &s);
    ck_assert_int_eq(s.status, COT_OK);
    ir_arena_free(&a);
}
END_TEST

/* The passes alone, on chains that each of them follows from value to value. */
START_TEST(passes_follow_chains_without_recursion)
{
    static const struct {
        write_program *write;
        const char *pipeline;
        int n;
    } row[] = {
        { moved, "", 50000 },
        { moved, "grad", 50000 },
        { moved, "grad(wrt=[0,1]) | jvp", 5000 },
        { same_steps, "", 100000 },
        { same_steps, "grad(wrt=[0,1])", 50000 },
        { views, "", 5000 },
        { views, "functionalize(remove=mutations_and_views) | grad(wrt=[1])", 5000 },
    };
    ir_buf b;
    ir_arena a;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    row[_i].write(&b, row[_i].n);
    small_stack s = { b.text, b.n, row[_i].pipeline, COT_ERR_INTERNAL };
    on_small_stack(prepare_it, &s);
    ck_assert_int_eq(s.status, COT_OK);
    ir_arena_free(&a);
}
END_TEST

typedef struct unrolling {
    int ops;
    cot_type type;
    cot_status status;
} unrolling;

static void
unrolled(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];

    (void)t;
    for (int i = 0; i < ((const unrolling *)user)->ops; i++)
        x = i % 2 ? cot_add(x, 0.5) : cot_mul(x, in[0]);
    out[0] = x;
}

/* From C to results, LLVM's work included. */
static void *
run_it(void *arg)
{
    unrolling *u = arg;
    cot_context *c = cot_context_new(NULL);
    cot_array *x = cot_array_new(c, u->type), *y = NULL;
    cot_fn *f = cot_fn_new(c, "unrolled", unrolled, 1, 1, u);

    u->status = cot_jit(f, &y, 1, (const cot_array *[]){ x }, 1);
    cot_array_free(x);
    cot_array_free(y);
    cot_context_free(c);
    return NULL;
}

/* A million ops do as well, in 5 GB. */
START_TEST(a_small_stack_is_enough_to_compile)
{
    unrolling u = { 30000, _i ? cot_f32(8) : cot_f32(), COT_ERR_INTERNAL };

    on_small_stack(run_it, &u);
    ck_assert_int_eq(u.status, COT_OK);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(memory_grows_no_faster_than_the_program, FAMILIES),
        ONCE(inputs_of_one_name_are_numbered_at_once),
        EACH(failed_traces_leave_nothing, 2),
        EACH(stack_does_not_grow_with_the_program, 9),
        EACH(passes_follow_chains_without_recursion, 7),
        EACH(a_small_stack_is_enough_to_compile, 2),
    };
    return SUITE("growth", cases);
}
