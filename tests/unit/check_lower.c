/* Compiled kernels agree with the reference evaluator, bit for bit, at every vector width and
 * number of threads.
 *
 * Each row is a graph as text.  It is prepared as every graph is before kernels, evaluated
 * by the reference evaluator, lowered and run for each width that the machine has, on the
 * same inputs: numbers drawn from a fixed seed, among them zeros of both signs, infinities
 * and NaN. */

#include "codegen/backend.h"
#include "codegen/kernel/cost.h"
#include "codegen/lower.h"
#include "lower_graphs.h"
#include "passes/pass.h"
#include "runtime/support/pool.h"
#include "tests/unit/suite.h"
#include "trial.h"

typedef struct trial {
    cot_context *ctx;
    ir_graph *f;
    void **in, **want, **args;
} trial;

static void
run_one(trial *t, const char *name, int bits, int threads, bool fuse)
{
    ir_graph *f = t->f;
    cg_target target = { .vector_bits = bits };
    cg_module *m;
    cg_code code;
    ir_arena a;
    ir_arena_init(&a, t->ctx);
    ck_assert_int_eq(cg_llvm()->target(t->ctx, &target), COT_OK);
    cg_lower_options o = { .target = &target, .threads = threads, .fuse = fuse };
    cot_status s = cg_lower(f, &o, &a, &m);
    ck_assert_msg(s == COT_OK, "%s: %s", name, cot_error(t->ctx));
    s = cg_verify(m);
    ck_assert_msg(s == COT_OK, "%s: %s", name, cot_error(t->ctx));
    s = cg_llvm()->load(t->ctx, &target, m, &code);
    ck_assert_msg(s == COT_OK, "%s: %s", name, cot_error(t->ctx));
    void *work = aligned_alloc(64, (size_t)(m->work_bytes + 64) / 64 * 64);
    cot_parallel *pool = threads > 1 ? cot_rt_pool_new(threads) : NULL;
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *y = ir_type_at(f, f->out[i]);
        t->args[f->n_in + i] = room(y);
        memset(t->args[f->n_in + i], 0x5a, (size_t)y->size * cot_dtype_size(y->dtype));
    }
    t->args[f->n_in + f->n_out] = pool;
    ck_assert_int_eq(code.entry(t->args, work), 0);
    for (int i = 0; i < f->n_out; i++) {
        const ir_type *y = ir_type_at(f, f->out[i]);
        for (int64_t k = 0; k < y->size; k++)
            if (!same(y, t->want[i], t->args[f->n_in + i], k)) {
                ir_buf b;
                ir_buf_init(&b, &a);
                ir_print(&b, f, 0);
                cg_module_print(&b, m);
                ck_abort_msg(
                    "%s: %d bits, %d threads, fuse %d: output %d differs at %lld: %llx, wants "
                    "%llx\n%s",
                    name, bits, threads, fuse, i, (long long)k,
                    (long long)(y->dtype == COT_F32 ? ((uint32_t *)t->args[f->n_in + i])[k]
                                                    : 0),
                    (long long)(y->dtype == COT_F32 ? ((uint32_t *)t->want[i])[k] : 0), b.text);
            }
        free(t->args[f->n_in + i]);
    }
    cot_rt_pool_free(pool);
    free(work);
    cg_llvm()->unload(&code);
    ir_arena_free(&a);
}

START_TEST(kernels_agree_with_the_evaluator)
{
    const lower_graph *g = &lower_graphs[_i];
    trial t = { .ctx = cot_context_new(NULL) };
    ir_module m;
    uint64_t state = 1 + (uint64_t)_i;
    cot_status s = ir_parse(t.ctx, g->name, g->text, strlen(g->text), &m);
    ck_assert_msg(s == COT_OK, "%s: %s", g->name, cot_error(t.ctx));
    s = pass_prepare(m.fn[m.n - 1], &t.f);
    ck_assert_msg(s == COT_OK, "%s: %s", g->name, cot_error(t.ctx));
    t.in = calloc((size_t)t.f->n_in + 1, sizeof *t.in);
    t.want = calloc((size_t)t.f->n_out + 1, sizeof *t.want);
    t.args = calloc((size_t)(t.f->n_in + t.f->n_out) + 1, sizeof *t.args);
    for (int i = 0; i < t.f->n_in; i++) {
        t.args[i] = t.in[i] = room(ir_type_at(t.f, t.f->in[i]));
        fill(t.in[i], ir_type_at(t.f, t.f->in[i]), &state, g->special);
    }
    for (int i = 0; i < t.f->n_out; i++)
        t.want[i] = room(ir_type_at(t.f, t.f->out[i]));
    s = ir_eval(t.f, t.want, (const void *const *)t.in);
    ck_assert_msg(s == COT_OK, "%s: %s", g->name, cot_error(t.ctx));
    cg_target host = { 0 };
    ck_assert_int_eq(cg_llvm()->target(t.ctx, &host), COT_OK);
    for (int bits = 32; bits <= host.vector_bits; bits = bits == 32 ? 128 : bits * 2)
        run_one(&t, g->name, bits, 1, true);
    run_one(&t, g->name, host.vector_bits, 2, true);
    run_one(&t, g->name, host.vector_bits, 1, false);
    for (int i = 0; i < t.f->n_in; i++)
        free(t.in[i]);
    for (int i = 0; i < t.f->n_out; i++)
        free(t.want[i]);
    free(t.in);
    free(t.want);
    free(t.args);
    cot_context_free(t.ctx);
}
END_TEST

/* The kernels of the last function of a text. */
static cg_module *
lowered(cot_context *ctx, const char *text, size_t n)
{
    cg_target target = { .vector_bits = 128 };
    cg_module *kernels;
    ir_module m;
    ir_graph *f;

    ck_assert_msg(ir_parse(ctx, "text", text, n, &m) == COT_OK, "%s", cot_error(ctx));
    ck_assert_int_eq(pass_prepare(m.fn[m.n - 1], &f), COT_OK);
    ck_assert_int_eq(cg_llvm()->target(ctx, &target), COT_OK);
    ck_assert_int_eq(
        cg_lower(f, &(cg_lower_options){ .target = &target, .threads = 1, .fuse = true },
                 &ctx->arena, &kernels),
        COT_OK);
    return kernels;
}

/* The length of the text of its kernels. */
static size_t
length_of_kernels(cot_context *ctx, const ir_buf *text)
{
    ir_buf out;

    ir_buf_init(&out, &ctx->arena);
    cg_module_print(&out, lowered(ctx, text->text, text->n));
    return out.n;
}

/* Of y = x; y = tanh(y w_i), y a result each time. */
static size_t
kernels_of_chain(int n)
{
    cot_context *ctx = cot_context_new(NULL);
    ir_buf text;

    ir_buf_init(&text, &ctx->arena);
    ir_buf_printf(&text, "fn @f(%%x: f32[16], %%w: f32[16]) -> (f32[16]");
    for (int i = 1; i < n; i++)
        ir_buf_printf(&text, ", f32[16]");
    ir_buf_printf(&text, ") {\n");
    for (int i = 0; i < n; i++) {
        ir_buf_printf(&text, "  %%%d = mul %%%s, %%w : f32[16]\n", 3 * i,
                      i ? ir_format(&ctx->arena, "%d", 3 * i - 2) : "x");
        ir_buf_printf(&text, "  %%%d = tanh %%%d : f32[16]\n  %%%d = sin %%%d : f32[16]\n",
                      3 * i + 1, 3 * i, 3 * i + 2, 3 * i + 1);
    }
    ir_buf_printf(&text, "  ret %%2");
    for (int i = 1; i < n; i++)
        ir_buf_printf(&text, ", %%%d", 3 * i + 2);
    ir_buf_printf(&text, "\n}\n");
    const size_t length = length_of_kernels(ctx, &text);
    cot_context_free(ctx);
    return length;
}

/* A step is not computed again by each kernel that has a later one. */
START_TEST(chains_of_results_grow_linearly)
{
    ck_assert_uint_lt(kernels_of_chain(96), 5 * kernels_of_chain(24));
}
END_TEST

/* Of y = x; y = the two halves y w and y v, side by side as a gradient puts them, `levels`
 * times. */
static size_t
kernels_of_halves(int levels)
{
    cot_context *ctx = cot_context_new(NULL);
    const int most = 1 << levels;
    ir_buf text;

    ir_buf_init(&text, &ctx->arena);
    ir_buf_printf(
        &text,
        "fn @f(%%x: f32[1], %%w: f32[%d]) -> f32[%d] {\n  %%0 = constant {data=0} : f32[]\n"
        "  %%1 = slice %%x {start=[0], limit=[1], stride=[1]} : f32[1]\n",
        most, most);
    for (int i = 0, n = 1; i < levels; i++, n *= 2) {
        const int y = 7 * i + 1;
        for (int half = 0; half < 2; half++) {
            ir_buf_printf(&text,
                          "  %%%d = slice %%w {start=[%d], limit=[%d], stride=[1]} : f32[%d]\n",
                          y + 1 + half, half, n + half, n);
            ir_buf_printf(&text, "  %%%d = mul %%%d, %%%d : f32[%d]\n", y + 3 + half, y,
                          y + 1 + half, n);
        }
        for (int half = 0; half < 2; half++)
            ir_buf_printf(
                &text, "  %%%d = pad %%%d, %%0 {low=[%d], high=[%d], interior=[0]} : f32[%d]\n",
                y + 5 + half, y + 3 + half, half ? n : 0, half ? 0 : n, 2 * n);
        ir_buf_printf(&text, "  %%%d = add %%%d, %%%d : f32[%d]\n", y + 7, y + 5, y + 6, 2 * n);
    }
    ir_buf_printf(&text, "  ret %%%d\n}\n", 7 * levels + 1);
    const size_t length = length_of_kernels(ctx, &text);
    cot_context_free(ctx);
    return length;
}

/* What two halves are made of is not made again for each, and again for each of their
 * halves. */
START_TEST(halves_of_halves_grow_slowly)
{
    ck_assert_uint_lt(kernels_of_halves(11), 4 * kernels_of_halves(8));
}
END_TEST

/* Ten steps of a product with a vector, and an absolute value: 2 * 64 * 64 + 64 operations a
 * step at least. */
START_TEST(a_loop_costs_what_its_steps_do)
{
    static const char text[] =
        "fn @step(%w: f32[64,64], %c: f32[64]) -> f32[64] {\n"
        "  %0 = dot_general %w, %c {lhs=[1], rhs=[0], lhs_batch=[], rhs_batch=[]} : f32[64]\n"
        "  %1 = abs %0 : f32[64]\n  ret %1\n}\n"
        "fn @f(%w: f32[64,64], %c: f32[64]) -> f32[64] {\n"
        "  %0 = scan %w, %c {consts=1, carries=1, length=10, body=@step} : f32[64]\n  ret "
        "%0\n}\n";
    const int64_t product = 2 * 64 * 64, matrix = 64 * 64 * 4;
    cot_context *ctx = cot_context_new(NULL);
    int64_t flops, bytes;

    cg_module_cost(lowered(ctx, text, sizeof text - 1), &flops, &bytes);
    ck_assert_int_ge(flops, 10 * (product + 64));
    ck_assert_int_lt(flops, 11 * product);
    ck_assert_int_ge(bytes, 10 * matrix);
    ck_assert_int_lt(bytes, 13 * matrix);
    cot_context_free(ctx);
}
END_TEST

/* The first donated argument of a type has the first result of that type, and so on. */
START_TEST(donated_arguments_are_paired_in_order)
{
    static const char text[] =
        "fn @f(%a: f32[2], %b: f32[3], %c: f32[2], %d: f64[2]) -> (f32[3], f32[2], f32[2], "
        "f32[2], f32[3]) {\n ret %b, %a, %c, %a, %b\n}\n";
    static const struct {
        bool donated[4];
        int over[5];
    } row[] = {
        { { true, true, true, true }, { 1, 0, 2, -1, -1 } },
        { { false, true, true, true }, { 1, 2, -1, -1, -1 } },
        { { false, false, false, true }, { -1, -1, -1, -1, -1 } },
    };
    ir_module m;
    ir_arena a;
    int over[5];

    ir_arena_init(&a, ctx);
    ck_assert_int_eq(ir_parse(ctx, "donated", text, sizeof text - 1, &m), COT_OK);
    cg_pair_donated(m.fn[0], row[_i].donated, &a, over);
    for (int j = 0; j < 5; j++)
        ck_assert_int_eq(over[j], row[_i].over[j]);
    cg_pair_donated(m.fn[0], NULL, &a, over);
    for (int j = 0; j < 5; j++)
        ck_assert_int_eq(over[j], -1);
    ir_arena_free(&a);
}
END_TEST

int
main(void)
{
    const suite_case cases[] = {
        EACH(kernels_agree_with_the_evaluator, lower_graph_count),
        ONCE(chains_of_results_grow_linearly),
        ONCE(halves_of_halves_grow_slowly),
        ONCE(a_loop_costs_what_its_steps_do),
        EACH(donated_arguments_are_paired_in_order, 3),
    };

    return SUITE("lower", cases);
}
