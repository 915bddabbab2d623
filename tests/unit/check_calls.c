/* A large function that is used often stays one function, is compiled once, and computes to the
 * last bit what its copies do.
 *
 * Each program has a function of some 70 ops, of which a line in the middle is the row's own,
 * and uses it in one of several ways.  It is prepared as every graph is, and once more by
 * passes that leave no function.  No sum in a caller has a product of the callee, nor the
 * other way round, so that contraction finds the same.  The evaluator's results of both, and
 * those of kernels, are compared. */
#include <math.h>

#include "codegen/backend.h"
#include "codegen/lower.h"
#include "cotrace/cotrace.h"
#include "passes/calls.h"
#include "passes/pass.h"
#include "runtime/support/pool.h"
#include "tests/unit/suite.h"
#include "trial.h"

enum { CALLS = 12 };

/* What the function has in the middle: %b of %a, and functions that it needs. */
static const struct middle {
    const char *name, *functions, *text;
} middles[] = {
    { "pointwise", "", "  %b = neg %a : f32[6,6]\n" },
    { "product", "",
      "  %b = dot_general %a, %y {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,6]\n" },
    { "sum of rows", "",
      "  %s = reduce_sum %a {axes=[1]} : f32[6]\n"
      "  %b = broadcast_in_dim %s {shape=[6,6], dims=[0]} : f32[6,6]\n" },
    { "constant in memory", "",
      "  %k = constant "
      "{data=[0,1,2,3,4,5,6,7,8,9,8,7,6,5,4,3,2,1,0,1,2,3,4,5,6,7,8,9,8,7,6,5,4,3,2,1]} : "
      "f32[6,6]\n"
      "  %b = dot_general %a, %k {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,6]\n" },
    { "scan",
      "fn @step(%c: f32[6,6]) -> (f32[6,6]) {\n  %0 = tanh %c : f32[6,6]\n"
      "  %1 = dot_general %0, %c {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[6,6]\n"
      "  %2 = sin %1 : f32[6,6]\n  ret %2\n}\n",
      "  %b = scan %a {carries=1, length=3, body=@step} : f32[6,6]\n" },
    { "while",
      "fn @less(%c: f32[6,6]) -> (bool[]) {\n  %s = reduce_sum %c {axes=[0,1]} : f32[]\n"
      "  %k = constant {data=9} : f32[]\n  %0 = lt %s, %k : bool[]\n  ret %0\n}\n"
      "fn @more(%c: f32[6,6]) -> (f32[6,6]) {\n  %k = constant {data=1} : f32[6,6]\n"
      "  %0 = add %c, %k : f32[6,6]\n  ret %0\n}\n",
      "  %b = while %a {cond=@less, body=@more} : f32[6,6]\n" },
    { "cond",
      "fn @yes(%c: f32[6,6]) -> (f32[6,6]) {\n  %0 = sin %c : f32[6,6]\n  ret %0\n}\n"
      "fn @no(%c: f32[6,6]) -> (f32[6,6]) {\n  %0 = tanh %c : f32[6,6]\n  ret %0\n}\n",
      "  %s = reduce_sum %a {axes=[0,1]} : f32[]\n  %k = constant {data=0} : f32[]\n"
      "  %p = lt %s, %k : bool[]\n  %b = cond %p, %a {branches=[@yes, @no]} : f32[6,6]\n" },
};
enum { MIDDLES = sizeof middles / sizeof *middles };

/* The first result is that of many ops, the second of one more, the third an argument, and the
 * fourth the first again. */
static void
write_function(ir_buf *b, const struct middle *m)
{
    ir_buf_printf(b, "%sfn @g(%%x: f32[6,6], %%y: f32[6,6]) -> (f32[6,6], f32[6,6], f32[6,6], "
                     "f32[6,6]) {\n  %%v0 = sin %%x : f32[6,6]\n", m->functions);
    for (int i = 0; i < 60; i++) {
        static const char *const op[] = { "mul %%v%d, %%y", "add %%v%d, %%x", "tanh %%v%d",
                                          "neg %%v%d" };

        ir_buf_printf(b, "  %%v%d = ", i + 1);
        ir_buf_printf(b, op[i % 4], i);
        ir_buf_str(b, " : f32[6,6]\n");
    }
    ir_buf_printf(b, "  %%a = sin %%v60 : f32[6,6]\n%s  %%r = tanh %%b : f32[6,6]\n"
                     "  %%q = cos %%r : f32[6,6]\n  ret %%r, %%q, %%y, %%r\n}\n", m->text);
}

/* n calls one after the other, from %x on; the last results are %x<n> and %y<n>. */
static void
write_calls(ir_buf *b, const char *f, int n)
{
    for (int i = 0; i < n; i++)
        ir_buf_printf(b,
                      "  %%x%d, %%y%d, %%z%d, %%w%d = call %%x%d, %%y%d {body=@%s} : "
                      "f32[6,6], f32[6,6], f32[6,6], f32[6,6]\n",
                      i + 1, i + 1, i + 1, i + 1, i, i, f);
}

static void
write_body(ir_buf *b, const char *name, const char *f, int n)
{
    ir_buf_printf(b, "fn @%s(%%x0: f32[6,6], %%y0: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n",
                  name);
    write_calls(b, f, n);
    ir_buf_printf(b, "  ret %%x%d, %%y%d\n}\n", n, n);
}

static void
straight(ir_buf *b)
{
    ir_buf_str(b, "fn @f(%x0: f32[6,6], %y0: f32[6,6]) -> (f32[6,6], f32[6,6], f32[6,6], "
                  "f32[6,6], f32[6,6]) {\n");
    write_calls(b, "g", CALLS);
    ir_buf_printf(b, "  ret %%x%d, %%y%d, %%z%d, %%w%d, %%x3\n}\n", CALLS, CALLS, CALLS, CALLS);
}

/* Several calls of the same operands, one of them twice. */
static void
adjacent(ir_buf *b)
{
    ir_buf_str(b, "fn @f(%x: f32[6,6], %y: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n");
    for (int i = 0; i < CALLS; i++)
        ir_buf_printf(
            b,
            "  %%c%d = constant {data=%d.5} : f32[6,6]\n  %%e%d = max %%x, %%c%d : f32[6,6]\n"
            "  %%r%d, %%q%d, %%z%d, %%w%d = call %%e%d, %%%s {body=@g} : f32[6,6], f32[6,6], "
            "f32[6,6], f32[6,6]\n",
            i, i - 6, i, i, i, i, i, i, i, i % 2 ? "y" : ir_format(b->arena, "e%d", i));
    ir_buf_str(b, "  %s0 = max %r0, %q1 : f32[6,6]\n");
    for (int i = 1; i < CALLS; i++)
        ir_buf_printf(b, "  %%s%d = min %%s%d, %%r%d : f32[6,6]\n", i, i - 1, i);
    ir_buf_printf(b, "  ret %%s%d, %%z5\n}\n", CALLS - 1);
}

static void
in_scan(ir_buf *b)
{
    write_body(b, "h", "g", CALLS);
    ir_buf_str(b, "fn @f(%x: f32[6,6], %y: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n"
                  "  %0, %1 = scan %x, %y {carries=2, length=3, body=@h} : f32[6,6], "
                  "f32[6,6]\n  ret %0, %1\n}\n");
}

static void
in_while(ir_buf *b)
{
    ir_buf_str(
        b, "fn @few(%i: i32[], %x: f32[6,6], %y: f32[6,6]) -> (bool[]) {\n  %k = constant "
           "{data=3} : i32[]\n"
           "  %0 = lt %i, %k : bool[]\n  ret %0\n}\n"
           "fn @h(%i: i32[], %x0: f32[6,6], %y0: f32[6,6]) -> (i32[], f32[6,6], f32[6,6]) {\n");
    write_calls(b, "g", CALLS);
    ir_buf_printf(b,
                  "  %%one = constant {data=1} : i32[]\n  %%j = add %%i, %%one : i32[]\n  ret "
                  "%%j, %%x%d, %%y%d\n}\n",
                  CALLS, CALLS);
    ir_buf_str(b, "fn @f(%x: f32[6,6], %y: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n  %i = "
                  "constant {data=0} : i32[]\n"
                  "  %0, %1, %2 = while %i, %x, %y {cond=@few, body=@h} : i32[], f32[6,6], "
                  "f32[6,6]\n  ret %1, %2\n}\n");
}

static void
in_cond(ir_buf *b)
{
    write_body(b, "h", "g", CALLS);
    write_body(b, "i", "g", 1);
    ir_buf_str(b,
               "fn @f(%x: f32[6,6], %y: f32[6,6]) -> (f32[6,6], f32[6,6], f32[6,6]) {\n"
               "  %s = reduce_sum %x {axes=[0,1]} : f32[]\n  %k = constant {data=0} : f32[]\n"
               "  %p = lt %s, %k : bool[]\n  %q = not %p : bool[]\n"
               "  %0, %1 = cond %p, %x, %y {branches=[@h, @i]} : f32[6,6], f32[6,6]\n"
               "  %2, %3 = cond %q, %x, %y {branches=[@h, @i]} : f32[6,6], f32[6,6]\n  ret %0, "
               "%1, %3\n}\n");
}

static void
nested(ir_buf *b)
{
    write_body(b, "h", "g", CALLS);
    ir_buf_printf(b, "fn @i(%%x: f32[6,6], %%y: f32[6,6]) -> (f32[6,6], f32[6,6], f32[6,6], "
                     "f32[6,6]) {\n  %%v0 = cos %%x : f32[6,6]\n");
    for (int i = 0; i < 60; i++)
        ir_buf_printf(b, "  %%v%d = sin %%v%d : f32[6,6]\n", i + 1, i);
    ir_buf_str(
        b, "  %0, %1 = call %v60, %y {body=@h} : f32[6,6], f32[6,6]\n  ret %0, %1, %x, %1\n}\n"
           "fn @f(%x0: f32[6,6], %y0: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n");
    write_calls(b, "i", CALLS);
    ir_buf_printf(b, "  ret %%x%d, %%y%d\n}\n", CALLS, CALLS);
}

/* The function is a branch of every cond of a chain. */
static void
as_branches(ir_buf *b)
{
    ir_buf_str(b, "fn @i(%x: f32[6,6], %y: f32[6,6]) -> (f32[6,6], f32[6,6], f32[6,6], "
                  "f32[6,6]) {\n  %0 = cos %x : f32[6,6]\n  ret %0, %x, %y, %y\n}\n"
                  "fn @f(%x0: f32[6,6], %y0: f32[6,6]) -> (f32[6,6], f32[6,6], f32[6,6]) {\n"
                  "  %k = constant {data=0} : f32[]\n");
    for (int i = 0; i < CALLS; i++)
        ir_buf_printf(b,
                      "  %%s%d = reduce_sum %%x%d {axes=[0,1]} : f32[]\n"
                      "  %%p%d = lt %%s%d, %%k : bool[]\n"
                      "  %%x%d, %%y%d, %%z%d, %%w%d = cond %%p%d, %%x%d, %%y%d "
                      "{branches=[@%c, @%c]} : f32[6,6], f32[6,6], f32[6,6], f32[6,6]\n",
                      i, i, i, i, i + 1, i + 1, i + 1, i + 1, i, i, i, i % 3 ? 'g' : 'i',
                      i % 3 ? 'i' : 'g');
    ir_buf_printf(b, "  ret %%x%d, %%y%d, %%w%d\n}\n", CALLS, CALLS, CALLS);
}

/* And the body of loops, which call it if that saves more. */
static void
as_bodies(ir_buf *b)
{
    enum { LOOPS = 250 };

    ir_buf_str(b, "fn @h(%x: f32[6,6], %y: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n"
                  "  %r, %q, %z, %w = call %x, %y {body=@g} : f32[6,6], f32[6,6], f32[6,6], "
                  "f32[6,6]\n  %e = max %r, %q : f32[6,6]\n  ret %e, %z\n}\n"
                  "fn @f(%x0: f32[6,6], %y0: f32[6,6]) -> (f32[6,6], f32[6,6]) {\n");
    for (int i = 0; i < LOOPS; i++)
        ir_buf_printf(b,
                      "  %%x%d, %%y%d = scan %%%c%d, %%y%d {carries=2, length=2, body=@h} : "
                      "f32[6,6], f32[6,6]\n",
                      i + 1, i + 1, i % 2 ? 'x' : 'y', i, i);
    ir_buf_printf(b, "  ret %%x%d, %%y%d\n}\n", LOOPS, LOOPS);
}

/* functions: how many are compiled, besides the entry. */
static const struct use {
    const char *name;
    void (*write)(ir_buf *b);
    int functions;
} uses[] = {
    { "one after the other", straight, 1 },
    { "side by side", adjacent, 1 },
    { "in a scan", in_scan, 1 },
    { "in a while", in_while, 1 },
    { "in a cond", in_cond, 1 },
    { "nested", nested, 2 },
    { "as branches", as_branches, 1 },
    { "as bodies of loops", as_bodies, 1 },
};
enum { USES = sizeof uses / sizeof *uses };

static const char *const pipelines[] = {
    "",
    "vmap(in=0, out=0, size=3)",
    "uncontract | jvp(wrt=[0])",
    "uncontract | vjp(wrt=[0,1])",
};
enum { PIPELINES = sizeof pipelines / sizeof *pipelines };

typedef struct program {
    const char *name;
    ir_graph *f, *inlined;      /* both prepared */
    void **in, **want, **args;
    ir_arena arena;
} program;

static void
prepare(program *p, const ir_graph *f)
{
    ir_graph *g;

    ck_assert_msg(pass_prepare(f, &p->f) == COT_OK, "%s: %s", p->name, cot_error(ctx));
    ck_assert_msg(pass_inline_all(f, &g) == COT_OK, "%s: %s", p->name, cot_error(ctx));
    ck_assert_msg(pass_pipeline(g, "expand | inline | simplify | hoist | dce | contract", NULL,
                                NULL, &p->inlined) == COT_OK,
                  "%s: %s", p->name, cot_error(ctx));
    ck_assert_int_eq(p->inlined->chain, p->inlined->nest);
}

static void
evaluate(program *p)
{
    const int n_in = p->f->n_in, n_out = p->f->n_out;
    uint64_t state = 5;

    p->in = IR_NEW_N(&p->arena, void *, n_in + 1);
    p->want = IR_NEW_N(&p->arena, void *, n_out + 1);
    p->args = IR_NEW_N(&p->arena, void *, n_in + n_out + 1);
    for (int i = 0; i < n_in; i++) {
        p->args[i] = p->in[i] = room(ir_type_at(p->f, p->f->in[i]));
        fill(p->in[i], ir_type_at(p->f, p->f->in[i]), &state, false);
    }
    for (int i = 0; i < n_out; i++) {
        p->want[i] = room(ir_type_at(p->f, p->f->out[i]));
        p->args[n_in + i] = room(ir_type_at(p->f, p->f->out[i]));
    }
    ck_assert_int_eq(ir_eval(p->inlined, p->want, (const void *const *)p->in), COT_OK);
    ck_assert_int_eq(ir_eval(p->f, p->args + n_in, (const void *const *)p->in), COT_OK);
}

static void
compare(const program *p, const char *by)
{
    for (int i = 0; i < p->f->n_out; i++) {
        const ir_type *t = ir_type_at(p->f, p->f->out[i]);
        void *got = p->args[p->f->n_in + i];

        for (int64_t k = 0; k < t->size; k++)
            ck_assert_msg(same(t, p->want[i], got, k), "%s by %s: output %d differs at %lld",
                          p->name, by, i, (long long)k);
        memset(got, 0x5a, (size_t)t->size * cot_dtype_size(t->dtype));
    }
}

static int
count_functions(const cg_module *m)
{
    int n = 0;

    for (uint32_t i = 1; i < m->n_kernels; i++)
        n += m->kernel[i]->plans;
    return n;
}

static const bool *donated; /* by input; NULL: none */

static cg_module *
lower(program *p, const cg_target *target, int threads)
{
    const cg_lower_options o = {
        .target = target, .threads = threads, .fuse = true, .donated = donated
    };
    cg_module *m;

    ck_assert_msg(cg_lower(p->f, &o, &p->arena, &m) == COT_OK, "%s: %s", p->name,
                  cot_error(ctx));
    ck_assert_msg(cg_verify(m) == COT_OK, "%s: %s", p->name, cot_error(ctx));
    return m;
}

static void
run(program *p, const cg_backend *back, const char *by, int bits, int threads)
{
    cg_target target = { .vector_bits = bits };
    cg_code code;

    ck_assert_int_eq(back->target(ctx, &target), COT_OK);
    const cg_module *m = lower(p, &target, threads);
    ck_assert_msg(back->load(ctx, &target, m, &code) == COT_OK, "%s: %s", p->name,
                  cot_error(ctx));
    void *work = aligned_alloc(64, (size_t)(m->work_bytes + 64) / 64 * 64);
    cot_parallel *pool = threads > 1 ? cot_rt_pool_new(threads) : NULL;

    memset(work, 0x77, (size_t)m->work_bytes);
    p->args[p->f->n_in + p->f->n_out] = pool;
    ck_assert_int_eq(code.entry(p->args, work), 0);
    compare(p, by);
    cot_rt_pool_free(pool);
    free(work);
    back->unload(&code);
}

/* Results in the memory of operands. */
static void
run_donated(program *p)
{
    const int n_in = p->f->n_in, n_out = p->f->n_out;
    void *own[n_in + n_out];
    int over[n_out];

    donated = (const bool[]){ true, true };
    cg_pair_donated(p->f, donated, &p->arena, over);
    for (int i = 0; i < n_in; i++) {
        const ir_type *t = ir_type_at(p->f, p->f->in[i]);
        own[i] = memcpy(room(t), p->in[i], (size_t)t->size * cot_dtype_size(t->dtype));
    }
    memcpy(own + n_in, p->args + n_in, (size_t)n_out * sizeof *own);
    for (int j = 0; j < n_out; j++)
        if (over[j] >= 0)
            p->args[n_in + j] = p->in[over[j]];
    run(p, cg_llvm(), "the JIT, donated", 0, 1);
    donated = NULL;
    for (int i = 0; i < n_in; i++) {
        free(p->in[i]);
        p->args[i] = p->in[i] = own[i];
    }
    memcpy(p->args + n_in, own + n_in, (size_t)n_out * sizeof *own);
}

static void
release(program *p)
{
    for (int i = 0; i < p->f->n_in + p->f->n_out; i++)
        free(p->args[i]);
    for (int i = 0; i < p->f->n_out; i++)
        free(p->want[i]);
    ir_arena_free(&p->arena);
}

static void
write_program(program *p, ir_buf *b, const struct middle *m, const struct use *u)
{
    ir_arena_init(&p->arena, ctx);
    ir_buf_init(b, &p->arena);
    p->name = ir_format(&p->arena, "%s, %s", m->name, u->name);
    write_function(b, m);
    u->write(b);
}

static const ir_graph *
parse(const ir_buf *b, const char *pipeline)
{
    ir_module m;
    ir_graph *f;

    ck_assert_msg(ir_parse(ctx, "calls", b->text, b->n, &m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_msg(pass_pipeline(m.fn[m.n - 1], pipeline, NULL, NULL, &f) == COT_OK, "%s",
                  cot_error(ctx));
    return f;
}

START_TEST(computes_what_its_copies_do)
{
    const struct use *u = &uses[_i / MIDDLES];
    program p;
    ir_buf b;

    write_program(&p, &b, &middles[_i % MIDDLES], u);
    prepare(&p, parse(&b, ""));
    evaluate(&p);
    compare(&p, "the evaluator");
    ck_assert_int_eq(count_functions(lower(&p, &(cg_target){ .vector_bits = 128 }, 1)),
                     u->functions);
    if (cg_llvm()) {
        run(&p, cg_llvm(), "the JIT", 0, 1);
        run(&p, cg_llvm(), "two threads", 128, 2);
        run_donated(&p);
    }
    release(&p);
}
END_TEST

START_TEST(transforms_keep_it_a_function)
{
    const struct use *u = &uses[_i % USES];
    const char *pipeline = pipelines[_i / USES];
    program p;
    ir_buf b;

    if (u->write == in_while && strstr(pipeline, "vjp")) /* it has no reverse mode */
        return;
    write_program(&p, &b, &middles[1], u);
    prepare(&p, parse(&b, pipeline));
    evaluate(&p);
    compare(&p, "the evaluator");
    ck_assert_int_ge(count_functions(lower(&p, &(cg_target){ .vector_bits = 128 }, 1)),
                     u->functions);
    if (cg_llvm())
        run(&p, cg_llvm(), pipeline, 0, 1);
    release(&p);
}
END_TEST

/* As C source. */
START_TEST(is_a_function_of_c)
{
    program p;
    ir_buf b;

    write_program(&p, &b, &middles[_i % 2 ? 1 : 5], &uses[_i < 2 ? 0 : 5]);
    prepare(&p, parse(&b, ""));
    evaluate(&p);
    run(&p, cg_c(), "C", 128, 1 + _i % 2);
    release(&p);
}
END_TEST

/* Twice the calls are not a kernel more. */
START_TEST(is_compiled_once)
{
    int kernels[2];

    for (int k = 0; k < 2; k++) {
        program p = { .name = "calls" };
        ir_buf b;

        ir_arena_init(&p.arena, ctx);
        ir_buf_init(&b, &p.arena);
        write_function(&b, &middles[1]);
        write_body(&b, "f", "g", CALLS << k);
        ck_assert_int_eq(pass_prepare(parse(&b, ""), &p.f), COT_OK);
        kernels[k] = (int)lower(&p, &(cg_target){ .vector_bits = 128 }, 1)->n_kernels;
        ir_arena_free(&p.arena);
    }
    ck_assert_int_eq(kernels[0], kernels[1]);
}
END_TEST

/* What is small, is called once, or saves little, is inlined, for it fuses. */
START_TEST(is_inlined_where_little_is_saved)
{
    static const struct { int ops, calls; bool stays; } row[] = {
        { 20, 1000, false }, { 1000, 1, false }, { 100, 3, false }, { 40, 8, false },
        { 40, 60, true },    { 600, 2, true },   { 100, 10, true },
    };
    ir_graph *f;
    ir_arena a;
    ir_buf b;

    ir_arena_init(&a, ctx);
    ir_buf_init(&b, &a);
    ir_buf_str(&b, "fn @g(%v0: f32[8]) -> (f32[8]) {\n");
    for (int i = 0; i < row[_i].ops; i++)
        ir_buf_printf(&b, "  %%v%d = %s %%v%d : f32[8]\n", i + 1, i % 2 ? "tanh" : "sin", i);
    ir_buf_printf(&b, "  ret %%v%d\n}\nfn @f(%%v0: f32[8]) -> (f32[8]) {\n", row[_i].ops);
    for (int i = 0; i < row[_i].calls; i++)
        ir_buf_printf(&b, "  %%v%d = call %%v%d {body=@g} : f32[8]\n", i + 1, i);
    ir_buf_printf(&b, "  ret %%v%d\n}\n", row[_i].calls);
    ck_assert_int_eq(pass_prepare(parse(&b, ""), &f), COT_OK);
    ck_assert_int_eq(f->chain, row[_i].stays);
    ir_arena_free(&a);
}
END_TEST

/* -- by the API -- */

enum { LINE = __LINE__ + 9 };
static void
many_sines(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    cot_value x = in[0];

    (void)t, (void)user;
    for (int i = 0; i < 60; i++)
        x = cot_sin(x);
    cot_check(cot_lt(cot_reduce_max(x), 0.9), "it is small");
    out[0] = x;
}

static void
many_calls(cot_trace *t, const cot_value *in, cot_value *out, void *user)
{
    (void)t;
    out[0] = in[0];
    for (int i = 0; i < 20; i++)
        out[0] = cot_call((cot_fn *)user, out[0]);
}

/* The function is traced once, and a check in it fails with its own line. */
START_TEST(a_check_in_a_function_has_its_line)
{
    cot_fn *inner = cot_fn_new(ctx, "many_sines", many_sines, 1, 1, NULL);
    cot_fn *f = cot_fn_new(ctx, "many_calls", many_calls, 1, 1, inner);
    float x[4] = { 0.5F, 1, -1, 2 };
    cot_array *in = cot_array_borrow(ctx, cot_f32(4), x), *y = NULL;
    const char *line = ir_format(&ctx->arena, "check_calls.c:%d: ", LINE);
    const cot_graph *g;
    ir_graph *ready;
    int calls = 0;

    ck_assert_int_eq(cot_trace_fn(f, COT_TYPES(cot_f32(4)), &g), COT_OK);
    ck_assert_int_eq(pass_prepare(g, &ready), COT_OK);
    ir_each_node (n, ready)
        calls += n->op == OP_call;
    ck_assert_int_eq(calls, 20);
    ck_assert_msg(cot_jit(f, &y, 1, (const cot_array *const[]){ in }, 1) == COT_OK, "%s",
                  cot_error(ctx));
    x[1] = NAN;
    ck_assert_int_ne(cot_jit(f, &y, 1, (const cot_array *const[]){ in }, 1), COT_OK);
    ck_assert_msg(strstr(cot_error(ctx), line) && strstr(cot_error(ctx), "it is small"), "%s",
                  cot_error(ctx));
    cot_array_free(in);
    cot_array_free(y);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(computes_what_its_copies_do, MIDDLES * USES),
        EACH(transforms_keep_it_a_function, PIPELINES * USES),
        EACH(is_a_function_of_c, 4),
        ONCE(is_compiled_once),
        EACH(is_inlined_where_little_is_saved, 7),
        ONCE(a_check_in_a_function_has_its_line),
    };

    return SUITE("calls", cases);
}
